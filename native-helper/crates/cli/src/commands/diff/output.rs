//! What `diff` prints, in each of its formats.

use std::io::Write;

use compare::answer::{Comparison, FunctionChange};
use compare::{
    Comment, Gate, Page, Side, difference_page, markdown, method, track_line, whole_line,
};
use serde::Serialize;

use super::rows;
use crate::arguments::{Diff, DiffFormat};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::terminal::{print_line, print_lines};

/// Rows of the table when nothing else is said.
const ROWS: usize = 30;

/// A comparison with what was asked of it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "<[Gate]>::is_empty")]
    gates: &'a [Gate],
}

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
                rows: arguments.rows.map(most),
                link: arguments.link.as_ref(),
            };
            Ok(print_lines(markdown(comparison, &comment).lines())?)
        }
        DiffFormat::Html => html(arguments, sides, comparison, gates),
    }
}

fn json(arguments: &Diff, comparison: &Comparison, gates: &[Gate]) -> Result<(), Failure> {
    let mut cut = comparison.clone();
    let rows = arguments.rows.map_or(usize::MAX, most);
    cut.functions.truncate(rows);
    print_json(&Printed {
        comparison: &cut,
        gates,
    })
}

fn html(
    arguments: &Diff,
    sides: (&Side<'_>, &Side<'_>),
    comparison: &Comparison,
    gates: &[Gate],
) -> Result<(), Failure> {
    let (rows, _) = shown_rows(arguments, comparison);
    let page = Page {
        comparison,
        gates,
        rows: &rows,
    };
    let page = difference_page(sides, &page)?;
    let mut out = std::io::stdout().lock();
    out.write_all(page.as_bytes())?;
    Ok(out.flush()?)
}

fn text(arguments: &Diff, comparison: &Comparison, gates: &[Gate]) -> Result<(), Failure> {
    print_line(&format!(
        "{} against {}",
        comparison.new.name, comparison.base.name
    ))?;
    for gate in gates {
        print_line(&gate.text())?;
    }
    if let Some(whole) = &comparison.whole {
        print_line(&whole_line(whole))?;
    }
    let (shown, more) = shown_rows(arguments, comparison);
    match shown.is_empty() {
        true => print_line("no change that the samples can show")?,
        false => print_lines(rows::lines(comparison, shown.into_iter()))?,
    }
    if more > 0 {
        print_line(&format!("{more} more: -n 0"))?;
    }
    for note in &comparison.notes {
        print_line(&format!("note: {}", note.text))?;
    }
    for change in &comparison.tracks {
        print_line(&track_line(change))?;
    }
    Ok(print_line(&format!("method: {}", method(comparison)))?)
}

/// The rows of the table, and how many there are beyond.
fn shown_rows<'c>(
    arguments: &Diff,
    comparison: &'c Comparison,
) -> (Vec<&'c FunctionChange>, usize) {
    let rows = comparison.functions.iter();
    let mut shown: Vec<_> = rows
        .filter(|row| arguments.all || row.headline().verdict.is_change())
        .collect();
    let most = most(arguments.rows.unwrap_or(ROWS));
    let more = shown.len().saturating_sub(most);
    shown.truncate(most);
    (shown, more)
}

/// 0 means all.
fn most(rows: usize) -> usize {
    match rows {
        0 => usize::MAX,
        rows => rows,
    }
}
