//! A comparison as a comment on a pull request.

use std::fmt::Write;

use capture::visible::visible;
use capture::work::amount;

use crate::answer::{Comparison, FunctionChange};
use crate::matching::MatchedBy;
use crate::measure::Measure;
use crate::tracks::track_line;
use crate::verdicts::Verdict;

/// Most rows of the table that is open from the start.
const ROWS: usize = 20;
/// GitHub takes 65,536 characters.
const MOST_ROWS: usize = 200;

/// GitHub-flavoured Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = String::new();
    let changed: Vec<_> = comparison
        .functions
        .iter()
        .filter(|function| function.headline().verdict.is_change())
        .collect();
    let _ = writeln!(
        text,
        "### CPU profile: {} → {}\n",
        escaped(&comparison.base.name),
        escaped(&comparison.new.name)
    );
    let _ = writeln!(text, "{}\n", headline(&changed));
    if !changed.is_empty() {
        table(&mut text, comparison, &changed[..changed.len().min(ROWS)]);
    }
    if changed.len() > ROWS {
        let rest = &changed[ROWS..changed.len().min(MOST_ROWS)];
        let _ = writeln!(
            text,
            "<details><summary>{} more</summary>\n",
            changed.len() - ROWS
        );
        table(&mut text, comparison, rest);
        let _ = writeln!(text, "</details>\n");
    }
    for note in &comparison.notes {
        let _ = writeln!(text, "- {}", escaped(&note.text));
    }
    for change in &comparison.tracks {
        let _ = writeln!(text, "- {}", escaped(&track_line(change)));
    }
    let _ = writeln!(text, "- {}", escaped(&method(comparison)));
    text
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
    format!(
        "{}; {} and {} captures, {} and {} busy samples{work}; {blocks}; runs differ by {:.1} % ({spread}); 95 % intervals; at most {:.0} % of the claimed changes are none",
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
    let count = |verdict| {
        changed
            .iter()
            .filter(|each| each.headline().verdict == verdict)
            .count()
    };
    let parts: Vec<String> = [
        (Verdict::Slower, "slower"),
        (Verdict::Faster, "faster"),
        (Verdict::New, "new"),
        (Verdict::Gone, "gone"),
    ]
    .into_iter()
    .map(|(verdict, word)| (count(verdict), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("**{count} {word}**"))
    .collect();
    match parts.is_empty() {
        true => "**No change** that the samples can show.".to_owned(),
        false => parts.join(", "),
    }
}

fn table(text: &mut String, comparison: &Comparison, rows: &[&FunctionChange]) {
    let _ = writeln!(
        text,
        "| | function | column | before | after | change | 95 % interval, % |"
    );
    let _ = writeln!(text, "|---|---|---|--:|--:|--:|--:|");
    for row in rows {
        let (column, change) = row.headline_column();
        let _ = writeln!(
            text,
            "| {} | {}{} | {} | {} | {} | {} | {} |",
            sign(change.verdict),
            code(&row.function),
            matched(row),
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

/// Signs, so that nobody has to tell colours apart.
fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "▲ slower",
        Verdict::Faster => "▼ faster",
        Verdict::New => "✚ new",
        Verdict::Gone => "✖ gone",
        Verdict::Noise => "noise",
        Verdict::TooFew => "too few",
    }
}

fn figure(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Share | Measure::Cpu => format!("{value:.2} %"),
        Measure::Work => format!("{value:.2} µs"),
    }
}

fn matched(row: &FunctionChange) -> String {
    let was = row.base_function.as_deref().map(code).unwrap_or_default();
    match row.matched_by {
        None | Some(MatchedBy::Name | MatchedBy::Caller) => String::new(),
        Some(MatchedBy::Closure) => format!(" (was {was}, same line)"),
        Some(MatchedBy::RenamedFile) => format!(" (was {was}, file renamed)"),
        Some(MatchedBy::Body) => format!(" (was {was}, same lines)"),
        Some(MatchedBy::Arity) => format!(" (was {was})"),
    }
}

/// A name as code in a table: nothing in it is obeyed.
fn code(name: &str) -> String {
    let name = visible(name).replace('|', "\\|");
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    match longest {
        0 => format!("`{name}`"),
        _ => format!("{ticks} {name} {ticks}"),
    }
}

/// Text in which nothing is Markdown, HTML or a mention of somebody.
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
