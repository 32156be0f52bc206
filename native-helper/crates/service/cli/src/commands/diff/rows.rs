//! Rows of `diff` for a terminal.

use capture::visible::shown_name;
use compare::answer::{Comparison, FunctionChange};
use compare::{Measure, ShownRow, Unmatched, Verdict};

use crate::table::{Align, render};

/// Widths depend on the contents, so all rows at once.
pub fn lines(comparison: &Comparison, rows: &[ShownRow<'_>]) -> Vec<String> {
    let figure = match comparison.measure {
        Measure::Share | Measure::Cpu => "%",
        Measure::Work => "µs",
    };
    let (base, new) = (format!("before {figure}"), format!("after {figure}"));
    let columns = [
        ("touched", Align::Left),
        ("verdict", Align::Left),
        ("", Align::Left),
        (base.as_str(), Align::Right),
        (new.as_str(), Align::Right),
        ("change %", Align::Right),
        ("95 % interval, %", Align::Right),
        ("function", Align::Left),
        ("", Align::Left),
    ];
    let rows: Vec<_> = rows.iter().map(row).collect();
    render(&columns, &rows)
}

fn row(shown: &ShownRow<'_>) -> Vec<String> {
    let row = shown.row;
    let (column, change) = row.headline_column();
    vec![
        row.touched_word().to_owned(),
        word(change.verdict).to_owned(),
        column.to_owned(),
        format!("{:.2}", change.base),
        format!("{:.2}", change.new),
        change
            .change_pct
            .map_or_else(String::new, |pct| format!("{pct:+.1}")),
        change.interval_text(),
        row.function.clone(),
        beside(shown),
    ]
}

/// How it was matched, and further notes.
fn beside(shown: &ShownRow<'_>) -> String {
    let parts = [matched(shown.row), shown.beside()].into_iter();
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::TooFew => "too few",
        Verdict::NotMatched => "not matched",
        other => other.as_str(),
    }
}

/// How it was matched, when not by its name.
fn matched(row: &FunctionChange) -> String {
    match row.unmatched {
        Some(Unmatched::ArityChanged) => return "not matched: arity changed".to_owned(),
        Some(Unmatched::NotToldApart) => {
            return "not matched: several have this name".to_owned();
        }
        None => {}
    }
    match (&row.base_function, row.how_matched()) {
        (Some(was), Some(how)) => format!("was {}{how}", shown_name(was)),
        _ => String::new(),
    }
}
