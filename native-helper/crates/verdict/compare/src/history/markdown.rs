//! A history as a comment.

use std::fmt::Write;

use capture::visible::shown_name;

use super::answer::{History, HistoryStep, Series};
use super::condition::HistoryGate;
use super::page::title;
use crate::judgement::doubts_text;
use crate::markdown::{escaped, gate_line};

/// Newest commits that the table shows.
const ROWS: usize = 20;

/// GitHub-flavoured Markdown. `gates`: conditions that were judged.
pub fn history_markdown(history: &History, gates: &[HistoryGate]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "### {}\n", escaped(&title(history)));
    for gate in gates {
        let line = gate_line(gate.answer, &gate.text());
        let _ = writeln!(text, "{line}\n");
    }
    for series in &history.series {
        let _ = writeln!(
            text,
            "**{}**, {}\n",
            escaped(&series.title()),
            escaped(&series.unit)
        );
        steps(&mut text, history, series);
        table(&mut text, history, series);
    }
    for skipped in &history.skipped {
        let (capture, why) = (escaped(&skipped.capture), escaped(&skipped.text));
        let _ = writeln!(text, "- {capture} is left out: {why}");
    }
    for note in &history.notes {
        let _ = writeln!(text, "- {}", escaped(&note.text));
    }
    text
}

fn steps(text: &mut String, history: &History, series: &Series) {
    for step in &series.steps {
        let _ = writeln!(text, "- {}", escaped(&history.step_line(step)));
    }
    if series.steps.is_empty() {
        let _ = writeln!(text, "- the captures show no step");
    }
    if let Some(line) = history.newest_line(series) {
        let _ = writeln!(text, "- {}", escaped(&line));
    }
    text.push('\n');
}

fn table(text: &mut String, history: &History, series: &Series) {
    let rows = history.commits.iter().zip(&series.points);
    let hidden = history.commits.len().saturating_sub(ROWS);
    let _ = writeln!(
        text,
        "<details><summary>{} commits</summary>\n\n| commit | date | captures | value | 95 % interval |\n|---|---|--:|--:|--:|",
        history.commits.len() - hidden
    );
    for (commit, point) in rows.skip(hidden) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {:.2} … {:.2} |",
            escaped(&commit.name),
            commit.day(),
            commit.captures.len(),
            point.value,
            point.low,
            point.high
        );
    }
    let _ = writeln!(text, "\n</details>\n");
}

impl History {
    /// How the newest commit compares, for people, and the differences between captures that may have moved its figure;
    /// nothing where too few commits are before it.
    pub fn newest_line(&self, series: &Series) -> Option<String> {
        match self.doubts.is_empty() {
            true => series.latest.map(|latest| {
                let notes = series.unlike.iter().map(|note| format!("; {}", note.text));
                format!("{}{}", latest.line(), notes.collect::<String>())
            }),
            false => Some(format!(
                "cannot tell how the newest commit compares: {}",
                doubts_text(&self.doubts)
            )),
        }
    }

    /// A step in one line, for people.
    pub fn step_line(&self, step: &HistoryStep) -> String {
        let name = |at: Option<usize>| {
            let commit = at.and_then(|at| self.commits.get(at));
            commit.map_or("", |commit| commit.name.as_str())
        };
        let at = name(Some(step.at));
        let place = match step.to.saturating_sub(step.from) {
            0 | 1 => format!(
                "at {at}, the one before is {}",
                name(step.at.checked_sub(1))
            ),
            _ => format!(
                "between {} and {}, most likely at {at}",
                name(Some(step.from)),
                name(Some(step.to))
            ),
        };
        let placed_by = step.placed_by.iter();
        let placed_by = placed_by.map(|function| format!("; {} steps there", shown_name(function)));
        let notes = step.notes.iter().map(|note| format!("; {}", note.text));
        format!(
            "{:+.1} % [{:+.1}, {:+.1}] {place}: {:.2} to {:.2}{}",
            step.change_pct,
            step.low_pct,
            step.high_pct,
            step.before,
            step.after,
            placed_by.chain(notes).collect::<String>()
        )
    }
}

impl super::answer::Latest {
    /// In one line, for people; the editor has the same words (`PLACES` of `webviews/history/strings.ts`).
    pub fn line(&self) -> String {
        use super::answer::LatestPlace::{Above, Below, Within};
        let place = match self.place {
            Below => "lower than expected",
            Within => "as expected",
            Above => "higher than expected",
        };
        format!(
            "newest commit: {:.2}, {place}. From the {} commits before it, {:.2} to {:.2} was expected",
            self.value, self.commits, self.low, self.high
        )
    }
}
