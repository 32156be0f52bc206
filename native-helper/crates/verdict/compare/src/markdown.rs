//! A comparison as a comment on a pull request.

use std::fmt::Write;

use capture::visible::{shown_name, visible};
use capture::work::amount;

use crate::answer::{Comparison, FunctionChange, SideSummary, Version};
use crate::gate::Gate;
use crate::judgement::Answer;
use crate::link::Link;
use crate::measure::Measure;
use crate::row_group::RowGroup;
use crate::shown_rows::{Choice, ShownRow, shown_changes, shown_rows};
use crate::tracks::track_lines;
use crate::verdicts::Verdict;
use crate::whole::whole_line;

/// Rows of the table that is open from the start, unless another number is given.
const ROWS: usize = 10;
/// GitHub takes 65,536 characters.
const MOST_ROWS: usize = 150;

/// The parts of a comment beside the comparison.
#[derive(Debug, Clone, Copy, Default)]
pub struct Comment<'a> {
    /// Conditions that were judged.
    pub gates: &'a [Gate],
    /// The requested rows; of those the first ten are open from the start.
    pub choice: Choice,
    /// Where the page with the flame graph is.
    pub link: Option<&'a Link>,
}

/// GitHub-flavoured Markdown.
pub fn markdown(comparison: &Comparison, comment: &Comment<'_>) -> String {
    let mut text = title(comparison);
    for gate in comment.gates {
        let _ = writeln!(text, "{}\n", gate_line(gate.answer, &gate.text()));
    }
    if let Some(whole) = &comparison.whole {
        let _ = writeln!(text, "{}\n", escaped(&whole_line(whole)));
    }
    let _ = writeln!(text, "{}\n", headline(&shown_changes(comparison)));
    if let Some(link) = comment.link {
        let _ = writeln!(text, "[flame graph of the difference]({link})\n");
    }
    for moved in &comparison.moved {
        let _ = writeln!(text, "Moved: {}\n", escaped(&moved.text));
    }
    rows(&mut text, comparison, comment.choice);
    caveats(&mut text, comparison);
    text
}

/// A condition that was judged.
pub fn gate_line(answer: Answer, text: &str) -> String {
    format!("{} **{}**", answer.sign(), escaped(text))
}

fn title(comparison: &Comparison) -> String {
    let (base, new) = titles(comparison);
    format!("### CPU: {} → {}\n\n", escaped(&base), escaped(&new))
}

/// The name of each side in a title: commit and tag, unless both sides have the same; else the name of
/// its files.
pub fn titles(comparison: &Comparison) -> (String, String) {
    let version = |side: &SideSummary| side.version.as_ref().map(Version::text);
    let (base, new) = (&comparison.base, &comparison.new);
    let versions = (version(base), version(new));
    let (base_version, new_version) = match versions.0 == versions.1 {
        true => (None, None),
        false => versions,
    };
    let name = |side: &SideSummary| side.name.clone();
    (
        base_version.unwrap_or_else(|| name(base)),
        new_version.unwrap_or_else(|| name(new)),
    )
}

/// The first rows in sight, functions of the user's own where own code is known; the others folded.
fn rows(text: &mut String, comparison: &Comparison, choice: Choice) {
    let most = choice.most.unwrap_or(MOST_ROWS).min(MOST_ROWS);
    let shown = shown_rows(
        comparison,
        Choice {
            most: Some(most),
            ..choice
        },
    );
    let is_own = |shown: &&ShownRow<'_>| shown.row.group == RowGroup::Own;
    let has_own = shown.rows.iter().any(|shown| is_own(&shown));
    let first = shown.rows.iter();
    let open = first
        .take_while(|shown| !has_own || is_own(shown))
        .take(ROWS);
    let (open, folded) = shown.rows.split_at(open.count());
    if !open.is_empty() {
        table(text, comparison, open);
    }
    if !folded.is_empty() {
        let _ = writeln!(text, "<details><summary>{} more</summary>\n", folded.len());
        table(text, comparison, folded);
        let _ = writeln!(text, "</details>\n");
    }
    if let Some(rest) = shown.not_shown() {
        let _ = writeln!(text, "Not shown: {rest}.\n");
    }
}

/// The caveats for a reader, folded.
fn caveats(text: &mut String, comparison: &Comparison) {
    let caveats = match comparison.notes.len() {
        0 => String::new(),
        count => format!("; caveats: {count}"),
    };
    let _ = writeln!(
        text,
        "<details><summary>How this was measured{caveats}</summary>\n"
    );
    for note in &comparison.notes {
        let _ = writeln!(text, "- {}", escaped(&note.text));
    }
    for line in track_lines(&comparison.tracks) {
        let _ = writeln!(text, "- {}", escaped(&line));
    }
    let _ = writeln!(text, "- {}", escaped(&method(comparison)));
    let _ = writeln!(
        text,
        "- self: in the function itself; total: including everything it calls; own: samples for which it is the innermost function of your own code\n\n</details>"
    );
}

/// One sentence on how it came about, for people.
pub fn method(comparison: &Comparison) -> String {
    let method = &comparison.method;
    let (base, new) = (&comparison.base, &comparison.new);
    let spread = match method.spread_measured {
        true => "measured",
        false => "assumed",
    };
    let blocks = match method.block_ms {
        0 => "samples taken as independent".to_owned(),
        ms => format!("blocks of {ms} ms"),
    };
    let work = match (&comparison.work, base.work, new.work) {
        (Some(name), Some(before), Some(after)) => {
            format!(", {} and {} {name}", amount(before), amount(after))
        }
        _ => String::new(),
    };
    let captures = match method.paired {
        true => "captures in pairs",
        false => "captures",
    };
    format!(
        "{}; {} and {} {captures}, {} and {} busy samples{work}; {blocks}; functions differ by {:.1} % from run to run ({spread}); 95 % intervals; at most {:.0} % of the claimed changes are none",
        comparison.unit,
        base.captures,
        new.captures,
        base.busy,
        new.busy,
        method.spread_pct,
        method.false_discoveries_pct
    )
}

fn headline(changed: &[&FunctionChange]) -> String {
    let parts = counts(changed).map(|(count, word)| format!("**{count} {word}**"));
    match changed.is_empty() {
        true => "**No change** that the samples can show.".to_owned(),
        false => parts.collect::<Vec<_>>().join(", "),
    }
}

/// How many rows have changed so.
pub fn counts(changed: &[&FunctionChange]) -> impl Iterator<Item = (usize, &'static str)> {
    let of = |verdict| {
        let rows = changed.iter();
        rows.filter(|row| row.headline().verdict == verdict).count()
    };
    let counts = [
        (of(Verdict::Slower), "slower"),
        (of(Verdict::Faster), "faster"),
        (of(Verdict::New), "new"),
        (of(Verdict::Gone), "gone"),
    ];
    counts.into_iter().filter(|(count, _)| *count > 0)
}

fn table(text: &mut String, comparison: &Comparison, rows: &[ShownRow<'_>]) {
    let _ = writeln!(
        text,
        "| touched | | function | column | before | after | change | 95 % interval, % |"
    );
    let _ = writeln!(text, "|---|---|---|---|--:|--:|--:|--:|");
    for shown in rows {
        let row = shown.row;
        let (column, change) = row.headline_column();
        let _ = writeln!(
            text,
            "| {} | {} | {}{}{} | {} | {} | {} | {} | {} |",
            row.touched_word(),
            sign(change.verdict),
            name(comparison, row),
            matched(row),
            beside(shown),
            column,
            figure(comparison.measure, change.base),
            figure(comparison.measure, change.new),
            change
                .change_pct
                .map_or_else(String::new, |pct| format!("{pct:+.1} %")),
            change.interval_text(),
        );
    }
    let _ = writeln!(text, "\nFigures: {}.\n", comparison.unit);
}

/// The name, with its place and a link to it where there is one.
fn name(comparison: &Comparison, row: &FunctionChange) -> String {
    let Some(path) = row.path.as_deref().filter(|_| row.line > 0) else {
        return code(&row.function);
    };
    // A function that is gone is shown as it was.
    let side = match row.matched_by.is_none() && row.total.new_samples == 0 {
        true => &comparison.base,
        false => &comparison.new,
    };
    let place = code(&format!("{path}:{}", row.line));
    let page = side
        .version
        .as_ref()
        .and_then(|it| it.page_of(path, row.line));
    match page {
        Some(page) => format!("{} [{place}]({page})", code(&row.function)),
        None => format!("{} {place}", code(&row.function)),
    }
}

/// Signs, so that no reader has to distinguish colours.
pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "▲ slower",
        Verdict::Faster => "▼ faster",
        Verdict::New => "✚ new",
        Verdict::Gone => "✖ gone",
        Verdict::Noise => "noise",
        Verdict::TooFew => "too few",
        Verdict::NotMatched => "not matched",
    }
}

pub fn figure(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Share | Measure::Cpu => format!("{value:.2} %"),
        Measure::Work => format!("{value:.2} µs"),
    }
}

fn beside(shown: &ShownRow<'_>) -> String {
    match shown.beside() {
        text if text.is_empty() => text,
        text => format!(" ({text})"),
    }
}

fn matched(row: &FunctionChange) -> String {
    match (&row.base_function, row.how_matched()) {
        (Some(was), Some(how)) => format!(" (was {}{how})", code(was)),
        _ => String::new(),
    }
}

/// A name as code in a table: nothing in it is obeyed, and it is no longer than a name that is shown.
fn code(name: &str) -> String {
    let name = shown_name(name).replace('|', "\\|");
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    match longest {
        0 => format!("`{name}`"),
        _ => format!("{ticks} {name} {ticks}"),
    }
}

/// Text in which nothing is Markdown, HTML or a mention of a user.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in visible(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_obeyed() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
        assert_eq!(
            escaped("<img> @you [x](y) `z`"),
            "&lt;img&gt; &#64;you \\[x\\](y) \\`z\\`"
        );
    }
}
