//! The lines of `top`'s tables.

use std::path::Path;

use capture::class_split::ClassSplit;
use capture::counted::counted;
use capture::hot_lines::HotLine;
use capture::sample::FrameKind;
use capture::top::{Top, TopRow};

use crate::table::{Align, percent, render};

/// What our own captures count.
pub const SAMPLES: &str = "samples";

/// `1446 samples: gc 26.0 %, erlang 20.6 %, …`.
pub fn class_line(split: &ClassSplit, unit: &str) -> String {
    // What measures no processor has no classes.
    if unit != SAMPLES && split.classes.iter().all(|share| share.class.is_none()) {
        return with_unit(split.samples, unit);
    }
    let shares: Vec<String> = split
        .classes
        .iter()
        .map(|share| {
            let class = share.class.map_or("unclassified", |class| class.as_str());
            format!("{class} {:.1} %", share.pct)
        })
        .collect();
    format!("{}: {}", with_unit(split.samples, unit), shares.join(", "))
}

/// `1 sample`, `2 samples`, `2 bytes`: units are those of the file.
fn with_unit(count: u64, unit: &str) -> String {
    match unit {
        SAMPLES => counted(count, "sample"),
        _ => format!("{count} {unit}"),
    }
}

/// How many of the samples count for own code.
pub fn own_share_line(top: &Top, folder: &Path) -> String {
    let own = top.functions.iter().filter(|row| has_own_function(row));
    let own_pct: f64 = own.filter_map(|row| row.own_pct).sum();
    format!(
        "{own_pct:.1} % count for own code below {}",
        folder.display()
    )
}

/// Whether samples count for it as own code, and it is no marker of what has none.
pub fn has_own_function(row: &TopRow) -> bool {
    row.own_samples > Some(0) && row.kind != FrameKind::Marker
}

/// The table of functions.
pub fn function_lines(rows: &[TopRow], with_own: bool, unit: &str) -> Vec<String> {
    let mut columns = vec![
        ("self %", Align::Right),
        ("total %", Align::Right),
        (unit, Align::Right),
        ("kind", Align::Left),
        ("function", Align::Left),
        ("where", Align::Left),
    ];
    if with_own {
        columns.insert(0, ("own %", Align::Right));
    }
    let rows: Vec<Vec<String>> = rows.iter().map(function_cells).collect();
    render(&columns, &rows)
}

fn function_cells(row: &TopRow) -> Vec<String> {
    // What stands for samples without own code is no frame of any.
    let is_frame = row.total_samples > 0;
    let share = |value: f64| match is_frame {
        true => percent(value),
        false => String::new(),
    };
    let mut cells: Vec<String> = row.own_pct.map(percent).into_iter().collect();
    cells.extend([
        share(row.self_pct),
        share(row.total_pct),
        row.own_samples.unwrap_or(row.self_samples).to_string(),
        row.kind.as_str().to_owned(),
        row.function.clone(),
        match &row.called_from {
            Some(caller) => format!("called from {caller}"),
            None => place(&row.file, row.line),
        },
    ]);
    cells
}

/// The table of lines.
pub fn line_lines(lines: &[HotLine], samples: u64, with_own: bool, unit: &str) -> Vec<String> {
    let mut columns = vec![
        ("self %", Align::Right),
        ("total %", Align::Right),
        (unit, Align::Right),
        ("line", Align::Left),
        ("function", Align::Left),
    ];
    if with_own {
        columns.insert(0, ("own %", Align::Right));
    }
    let share = |part: u64| percent(100.0 * part as f64 / samples.max(1) as f64);
    let cells = |line: &HotLine| {
        let is_frame = line.total_samples > 0;
        let frame_share = |part| match is_frame {
            true => share(part),
            false => String::new(),
        };
        let mut cells: Vec<String> = line.own_samples.map(share).into_iter().collect();
        cells.extend([
            frame_share(line.self_samples),
            frame_share(line.total_samples),
            line.own_samples.unwrap_or(line.self_samples).to_string(),
            place(&line.file, line.line),
            line.function.clone(),
        ]);
        cells
    };
    let rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
    render(&columns, &rows)
}

/// `file:line` as far as known.
pub fn place(file: &str, line: u32) -> String {
    match (file, line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}
