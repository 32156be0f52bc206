//! The lines of `top`'s tables.

use std::path::Path;

use capture::class_split::ClassSplit;
use capture::hot_lines::HotLine;
use capture::percent_of::{
    PercentOf, SAMPLES, column_text, counts_text, figure_text, has_classes, totals_text,
};
use capture::sample::{FrameKind, SampleClass};
use capture::top::{Top, TopRow};

use crate::table::{Align, percent, render};

/// `1446 samples, 1402 busy, idle 3.0 % of all; of busy: gc 26.8 %, erlang 21.2 %, …`.
pub fn class_line(split: &ClassSplit, percent_of: PercentOf, unit: &str) -> String {
    if !has_classes(split) {
        // What measures no processor has no classes. Of no samples there is no share.
        let unclassified = match unit == SAMPLES && split.samples > 0 {
            true => ": unclassified 100.0 %",
            false => "",
        };
        return counts_text(split, unit) + unclassified;
    }
    let totals = match percent_of {
        PercentOf::Busy => totals_text(split, unit),
        PercentOf::All => counts_text(split, unit),
    };
    let shares = split.classes.iter().filter_map(|share| {
        let pct = match percent_of {
            PercentOf::Busy if !share.class.is_none_or(SampleClass::is_work) => return None,
            PercentOf::Busy => share.busy_pct,
            PercentOf::All => share.pct,
        };
        let class = share.class.map_or("unclassified", |class| class.as_str());
        Some(format!("{class} {pct:.1} %"))
    });
    let shares: Vec<String> = shares.collect();
    format!(
        "{totals}; of {}: {}",
        percent_of.as_str(),
        shares.join(", ")
    )
}

/// How many of the samples count for own code.
pub fn own_share_line(top: &Top, whole: u64, folder: &Path) -> String {
    let own = top.functions.iter().filter(|row| has_own_function(row));
    let own_samples: u64 = own.filter_map(|row| row.own_samples).sum();
    format!(
        "{} % count for own code below {}",
        share(own_samples, whole),
        folder.display()
    )
}

/// How many of the samples are in no row, since none of their frames has a line; `None` where each is. With own code,
/// each is in a row of it or of a marker.
pub fn without_line_line(lines: &[HotLine], whole: u64, with_own: bool) -> Option<String> {
    let in_lines = lines.iter().map(|line| line.self_samples);
    let in_lines = in_lines.fold(0, u64::saturating_add);
    let rest = whole.saturating_sub(in_lines);
    (rest > 0 && !with_own).then(|| format!("{} % have no line that is known", share(rest, whole)))
}

/// Whether samples count for it as own code, and it is no marker of samples without any.
pub fn has_own_function(row: &TopRow) -> bool {
    row.own_samples > Some(0) && row.kind != FrameKind::Marker
}

/// The table of functions. 100 % is `whole` samples.
pub fn function_lines(rows: &[TopRow], whole: u64, with_own: bool, unit: &str) -> Vec<String> {
    let mut columns = vec![
        ("self %", Align::Right),
        ("total %", Align::Right),
        (column_text(unit), Align::Right),
        ("kind", Align::Left),
        ("function", Align::Left),
        ("where", Align::Left),
    ];
    if with_own {
        columns.insert(0, ("own %", Align::Right));
    }
    let cells = |row| function_cells(row, whole, unit);
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    render(&columns, &rows)
}

fn function_cells(row: &TopRow, whole: u64, unit: &str) -> Vec<String> {
    // The row for samples without own code is no frame of any.
    let is_frame = row.total_samples > 0;
    let frame_share = |part| match is_frame {
        true => share(part, whole),
        false => String::new(),
    };
    let own_share = row.own_samples.map(|own| share(own, whole));
    let mut cells: Vec<String> = own_share.into_iter().collect();
    cells.extend([
        frame_share(row.self_samples),
        frame_share(row.total_samples),
        figure_text(row.own_samples.unwrap_or(row.self_samples), unit),
        row.kind.as_str().to_owned(),
        row.function.clone(),
        match &row.called_from {
            Some(caller) => format!("called from {caller}"),
            None => place(&row.file, row.line),
        },
    ]);
    cells
}

/// The table of lines. 100 % is `whole` samples.
pub fn line_lines(lines: &[HotLine], whole: u64, with_own: bool, unit: &str) -> Vec<String> {
    let mut columns = vec![
        ("self %", Align::Right),
        ("total %", Align::Right),
        (column_text(unit), Align::Right),
        ("line", Align::Left),
        ("function", Align::Left),
    ];
    if with_own {
        columns.insert(0, ("own %", Align::Right));
    }
    let share = |part| share(part, whole);
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
            figure_text(line.own_samples.unwrap_or(line.self_samples), unit),
            place(&line.file, line.line),
            line.function.clone(),
        ]);
        cells
    };
    let rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
    render(&columns, &rows)
}

fn share(part: u64, whole: u64) -> String {
    percent(100.0 * part as f64 / whole.max(1) as f64)
}

/// `file:line` as far as known.
pub fn place(file: &str, line: u32) -> String {
    match (file, line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}
