//! `top`: the functions that use the CPU.

use capture::class_split::class_split;
use capture::top::{SortBy, TopOptions, TopRow, top};

use super::source;
use crate::arguments::{SortColumn, Top};
use crate::commands::print_json;
use crate::commands::record::quality_line;
use crate::failure::Failure;
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

/// Runs `top`.
pub fn run(arguments: &Top) -> Result<(), Failure> {
    let capture = source::load(&arguments.source, &arguments.sampling)?;
    let options = TopOptions {
        sort: match arguments.sort {
            SortColumn::SelfTime => SortBy::SelfSamples,
            SortColumn::TotalTime => SortBy::TotalSamples,
        },
        only_erlang: arguments.only_erlang,
        max_rows: arguments.rows,
    };
    let answer = top(&capture, &options);
    if arguments.json {
        return print_json(&answer);
    }
    let split = class_split(&capture);
    let shares: Vec<String> = split
        .classes
        .iter()
        .map(|share| {
            let class = share.class.map_or("unclassified", |class| class.as_str());
            format!("{class} {:.1} %", share.pct)
        })
        .collect();
    print_line(&format!(
        "{} samples: {}",
        answer.samples,
        shares.join(", ")
    ))?;
    let columns = [
        ("self %", Align::Right),
        ("total %", Align::Right),
        ("samples", Align::Right),
        ("kind", Align::Left),
        ("function", Align::Left),
        ("where", Align::Left),
    ];
    let rows: Vec<Vec<String>> = answer.functions.iter().map(cells).collect();
    print_lines(render(&columns, &rows))?;
    if let Some(quality) = &answer.quality {
        print_line(&quality_line(quality))?;
    }
    Ok(())
}

fn cells(row: &TopRow) -> Vec<String> {
    vec![
        percent(row.self_pct),
        percent(row.total_pct),
        row.self_samples.to_string(),
        row.kind.as_str().to_owned(),
        row.function.clone(),
        match &row.called_from {
            Some(caller) => format!("called from {caller}"),
            None => place(&row.file, row.line),
        },
    ]
}

/// `file:line` as far as known.
pub fn place(file: &str, line: u32) -> String {
    match (file, line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}
