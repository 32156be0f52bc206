//! `blame`: which Erlang functions cause the time spent in C code.

use capture::blame::{BlameCaller, BlameOptions, blame};
use capture::counted::counted;

use super::kernel_time::print_missing_kernel_time;
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
        return Err(Failure::new(
            Exit::Other,
            format!(
                "nothing called `{}` was seen in {}",
                arguments.native,
                counted(capture.total_samples(), "sample")
            ),
            "the function did not run, or is called otherwise in this VM",
            "try a group: copy, gc, compare, ets, lock, alloc, binary, nif:NAME; or look it up with `extrospect top`",
        ));
    }
    if arguments.rows > 0 {
        answer.callers.truncate(arguments.rows);
    }
    if arguments.json {
        print_json(&answer)?;
        return loaded.whole();
    }
    print_missing_kernel_time(answer.kernel.as_ref())?;
    print_line(&format!(
        "{}: {}, {:.1} % of all, in {}",
        answer.native,
        counted(answer.samples, "sample"),
        answer.pct,
        answer.symbols.join(", ")
    ))?;
    let columns = [
        ("% of it", Align::Right),
        ("% of all", Align::Right),
        ("samples", Align::Right),
        ("caused by", Align::Left),
        ("where", Align::Left),
    ];
    let mut rows = Vec::new();
    let depth = if arguments.callers { 3 } else { 0 };
    for caller in &answer.callers {
        push_rows(&mut rows, caller, 0, depth);
    }
    print_lines(render(&columns, &rows))?;
    loaded.whole()
}

fn push_rows(rows: &mut Vec<Vec<String>>, caller: &BlameCaller, indent: usize, depth: usize) {
    let below = if caller.at_or_below {
        " (at or below)"
    } else {
        ""
    };
    rows.push(vec![
        percent(caller.pct),
        percent(caller.pct_of_all),
        caller.samples.to_string(),
        format!("{}{}{below}", "  ".repeat(indent), caller.function),
        place(&caller.file, caller.line),
    ]);
    if indent < depth {
        for outer in caller.callers.iter().take(3) {
            push_rows(rows, outer, indent + 1, depth);
        }
    }
}
