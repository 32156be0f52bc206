//! `blame`: which Erlang functions cause the time spent in C code.

use capture::blame::{BlameCaller, BlameOptions, blame};
use capture::class_split::class_split;
use capture::counted::counted;
use capture::percent_of::{PercentOf, SAMPLES, amount_text, column_text, figure_text, totals_text};
use capture::reader::{Capture, CountedType};
use capture::visible::shown_name;
use serde::Serialize;

use super::top::place;
use super::{open_profile, source};
use crate::arguments::Blame;
use crate::commands::print_json;
use crate::failure::{Exit, Failure, RECORD_AGAIN};
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines, warn};

/// What `blame --json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    /// The type of samples, and the unit of all figures.
    #[serde(rename = "type")]
    counted: CountedType,
    #[serde(flatten)]
    blame: capture::blame::Blame,
    /// What limits the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<String>,
}

/// Runs `blame`.
pub fn run(arguments: &Blame) -> Result<(), Failure> {
    let loaded = source::load(&arguments.source, &arguments.which, &arguments.sampling)?;
    let capture = &loaded.capture;
    let mut answer = blame(capture, &arguments.native, &BlameOptions::default());
    if answer.symbols.is_empty() {
        open_profile::print_headings(capture);
        let unseen = unseen(&arguments.native, capture);
        if loaded.ended_early.is_some() {
            warn(&unseen.to_string());
        }
        loaded.whole()?;
        return Err(unseen);
    }
    if arguments.rows > 0 {
        answer.callers.truncate(arguments.rows);
    }
    if arguments.json {
        let headings = capture.headings();
        print_json(&Answer {
            counted: capture.counted_type(),
            blame: answer,
            headings,
        })?;
        return loaded.whole();
    }
    print_lines(capture.headings())?;
    let split = class_split(capture);
    let percent_of = PercentOf::from(arguments.percent_of).within(&split);
    print_line(&totals_text(&split, &capture.unit()))?;
    let (pct, of_base) = match percent_of {
        PercentOf::Busy => (answer.busy_pct, "% of busy"),
        PercentOf::All => (answer.pct, "% of all"),
    };
    let symbols: Vec<_> = answer.symbols.iter().map(|name| shown_name(name)).collect();
    let unit = capture.unit_or_samples();
    print_line(&format!(
        "{}: {}, {pct:.1} {of_base}, in {}",
        answer.native,
        amount_text(answer.samples, &unit),
        symbols.join(", ")
    ))?;
    let columns = [
        ("% of it", Align::Right),
        (of_base, Align::Right),
        (column_text(&unit), Align::Right),
        ("caused by", Align::Left),
        ("where", Align::Left),
    ];
    let mut table = CallerTable {
        rows: Vec::new(),
        depth: if arguments.callers { 3 } else { 0 },
        percent_of,
        unit: &unit,
    };
    for caller in &answer.callers {
        table.push(caller, 0);
    }
    print_lines(render(&columns, &table.rows))?;
    loaded.whole()
}

/// The refusal for a function that is in no sample. The headings have the reason why a capture has none, as far as that
/// is known.
fn unseen(native: &str, capture: &Capture) -> Failure {
    let (samples, unit) = (capture.total_samples(), capture.unit());
    if samples == 0 {
        let what = format!("the capture has no sample: `{native}` may have run or not");
        return Failure::new(Exit::Other, what, "", RECORD_AGAIN);
    }
    let (all, seldom) = match unit == SAMPLES {
        true => (
            counted(samples, "sample"),
            format!(
                "took less than {:.1} % of the sampled time (95 % sure, if the samples are independent of each other)",
                most_pct(samples)
            ),
        ),
        // A sum that another tool wrote: of how many samples, it does not contain.
        false => (
            amount_text(capture.total_amount(), &unit),
            "was in no sample by chance".to_owned(),
        ),
    };
    Failure::new(
        Exit::Other,
        format!("nothing called `{native}` is in {all}"),
        format!("it did not run, has another name in this VM, or {seldom}"),
        "try a group: copy, gc, compare, ets, lock, alloc, binary, port, nif:NAME, port:DRIVER; or look it up with `extrospect top`",
    )
}

/// A function with this share of the time is in none of so many samples in one of twenty captures.
fn most_pct(samples: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share, for people")]
    let each = 1.0 / samples as f64;
    (1.0 - 0.05_f64.powf(each)) * 100.0
}

/// The rows of callers.
struct CallerTable<'u> {
    rows: Vec<Vec<String>>,
    /// Levels of callers of callers.
    depth: usize,
    percent_of: PercentOf,
    /// Of the figures.
    unit: &'u str,
}

impl CallerTable<'_> {
    fn push(&mut self, caller: &BlameCaller, indent: usize) {
        let below = if caller.at_or_below {
            " (at or below)"
        } else {
            ""
        };
        self.rows.push(vec![
            percent(caller.pct),
            percent(match self.percent_of {
                PercentOf::Busy => caller.pct_of_busy,
                PercentOf::All => caller.pct_of_all,
            }),
            figure_text(caller.samples, self.unit),
            format!(
                "{}{}{below}",
                "  ".repeat(indent),
                shown_name(&caller.function)
            ),
            place(&caller.file, caller.line),
        ]);
        if indent < self.depth {
            for outer in caller.callers.iter().take(3) {
                self.push(outer, indent + 1);
            }
        }
    }
}
