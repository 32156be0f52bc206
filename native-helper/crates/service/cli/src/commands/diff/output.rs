//! What `diff` prints, in each of its formats.

use std::io::Write;

use compare::answer::Comparison;
use compare::{
    Choice, Comment, Gate, Page, Side, difference_page, markdown, method, shown_rows, titles,
    track_lines, whole_line,
};

use super::gates::Judged;
use super::rows;
use crate::arguments::{Diff, DiffFormat};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::terminal::{print_line, print_lines};

/// Default number of rows of the table.
const ROWS: usize = 30;

/// Refuses arguments that the format has no place for.
pub fn check(arguments: &Diff) -> Result<(), Failure> {
    match arguments.link.is_some() && arguments.format() != DiffFormat::Markdown {
        true => Err(Failure::new(
            Exit::Usage,
            "--link is for --format markdown",
            "the other formats have no place for a link",
            "leave it out",
        )),
        false => Ok(()),
    }
}

/// Prints the comparison of these sides.
pub fn print(
    arguments: &Diff,
    sides: (&Side<'_>, &Side<'_>),
    comparison: &Comparison,
    gates: &[Gate],
) -> Result<(), Failure> {
    match arguments.format() {
        DiffFormat::Text => text(arguments, comparison, gates),
        DiffFormat::Json => json(arguments, comparison, gates),
        DiffFormat::Markdown => {
            let comment = Comment {
                gates,
                choice: choice(arguments),
                link: arguments.link.as_ref(),
            };
            Ok(print_lines(markdown(comparison, &comment).lines())?)
        }
        DiffFormat::Html => html(arguments, sides, comparison, gates),
    }
}

fn json(arguments: &Diff, comparison: &Comparison, gates: &[Gate]) -> Result<(), Failure> {
    let choice = choice(arguments);
    let mut cut = comparison.clone();
    // All rows; with `-n` those that a terminal would show.
    if choice.most.is_some() {
        let shown = shown_rows(comparison, choice);
        cut.functions = shown.rows.iter().map(|shown| shown.row.clone()).collect();
    }
    print_json(&Judged {
        answer: &cut,
        gates,
    })
}

fn html(
    arguments: &Diff,
    sides: (&Side<'_>, &Side<'_>),
    comparison: &Comparison,
    gates: &[Gate],
) -> Result<(), Failure> {
    let shown = shown_rows(comparison, choice_of_table(arguments));
    let page = Page {
        comparison,
        gates,
        shown: &shown,
    };
    let page = difference_page(sides, &page)?;
    let mut out = std::io::stdout().lock();
    out.write_all(page.as_bytes())?;
    Ok(out.flush()?)
}

fn text(arguments: &Diff, comparison: &Comparison, gates: &[Gate]) -> Result<(), Failure> {
    let (base, new) = titles(comparison);
    print_line(&format!("{new} against {base}"))?;
    for gate in gates {
        print_line(&gate.text())?;
    }
    if let Some(whole) = &comparison.whole {
        print_line(&whole_line(whole))?;
    }
    for moved in &comparison.moved {
        print_line(&format!("moved: {}", moved.text))?;
    }
    let shown = shown_rows(comparison, choice_of_table(arguments));
    match shown.rows.is_empty() {
        true => print_line("no change that the samples can show")?,
        false => print_lines(rows::lines(comparison, &shown.rows))?,
    }
    if let Some(rest) = shown.not_shown() {
        let options = [(shown.more, "-n 0"), (shown.inside_runtime, "--all")];
        let options: Vec<_> = options
            .iter()
            .filter(|(hidden, _)| *hidden > 0)
            .map(|(_, option)| *option)
            .collect();
        print_line(&format!("{rest}: {}", options.join(" ")))?;
    }
    for note in &comparison.notes {
        print_line(&format!("note: {}", note.text))?;
    }
    print_lines(track_lines(&comparison.tracks))?;
    Ok(print_line(&format!("method: {}", method(comparison)))?)
}

/// The requested choice; 0 rows mean all.
fn choice(arguments: &Diff) -> Choice {
    Choice {
        all: arguments.all,
        most: arguments.rows.filter(|rows| *rows > 0),
    }
}

/// The same for a table, which has a default length of its own.
fn choice_of_table(arguments: &Diff) -> Choice {
    let choice = choice(arguments);
    match arguments.rows {
        None => Choice {
            most: Some(ROWS),
            ..choice
        },
        Some(_) => choice,
    }
}
