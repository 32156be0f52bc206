//! `blame`: which Erlang functions cause the time spent in C code.

use capture::blame::{BlameCaller, BlameOptions, blame};
use capture::class_split::class_split;
use capture::counted::counted;
use capture::percent_of::{PercentOf, totals_text};
use capture::visible::shown_name;

use super::source;
use super::top::place;
use crate::arguments::Blame;
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

/// Runs `blame`.
pub fn run(arguments: &Blame) -> Result<(), Failure> {
    let loaded = source::load(&arguments.source, &arguments.of_perf, &arguments.sampling)?;
    let capture = &loaded.capture;
    let mut answer = blame(capture, &arguments.native, &BlameOptions::default());
    if answer.symbols.is_empty() {
        loaded.whole()?;
        return Err(unseen(&arguments.native, capture.total_samples()));
    }
    if arguments.rows > 0 {
        answer.callers.truncate(arguments.rows);
    }
    if arguments.json {
        print_json(&answer)?;
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
    print_line(&format!(
        "{}: {}, {pct:.1} {of_base}, in {}",
        answer.native,
        counted(answer.samples, "sample"),
        symbols.join(", ")
    ))?;
    let columns = [
        ("% of it", Align::Right),
        (of_base, Align::Right),
        ("samples", Align::Right),
        ("caused by", Align::Left),
        ("where", Align::Left),
    ];
    let mut table = CallerTable {
        rows: Vec::new(),
        depth: if arguments.callers { 3 } else { 0 },
        percent_of,
    };
    for caller in &answer.callers {
        table.push(caller, 0);
    }
    print_lines(render(&columns, &table.rows))?;
    loaded.whole()
}

/// The refusal for a function that is in none of `samples`.
fn unseen(native: &str, samples: u64) -> Failure {
    let (what, why) = match samples {
        0 => (
            format!("the capture has no sample: `{native}` may have run or not"),
            "the VM did not run, or used too little of a processor".to_owned(),
        ),
        _ => {
            // A function with this share is in none of them in one of twenty captures.
            #[expect(clippy::cast_precision_loss, reason = "a share, for people")]
            let most_pct = (1.0 - 0.05_f64.powf(1.0 / samples as f64)) * 100.0;
            (
                format!(
                    "nothing called `{native}` is in {}",
                    counted(samples, "sample")
                ),
                format!(
                    "it did not run, took less than {most_pct:.1} % of the time (95 % sure), or has another name in this VM"
                ),
            )
        }
    };
    Failure::new(
        Exit::Other,
        what,
        why,
        "try a group: copy, gc, compare, ets, lock, alloc, binary, port, nif:NAME, port:DRIVER; or look it up with `extrospect top`",
    )
}

/// The rows of callers.
struct CallerTable {
    rows: Vec<Vec<String>>,
    /// Levels of callers of callers.
    depth: usize,
    percent_of: PercentOf,
}

impl CallerTable {
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
            caller.samples.to_string(),
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
