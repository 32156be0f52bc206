//! `top`: the functions or lines that use the CPU.

mod live;
mod live_view;
mod rows;
mod window_quality;

use capture::class_split::class_split;
use capture::hot_lines::{HotLine, hot_lines};
use capture::own::OwnCode;
use capture::percent_of::PercentOf;
use capture::quality::QualityRecord;
use capture::reader::{Capture, CountedType};
use capture::stays::{StayRow, longest};
use capture::top::{SortBy, TopOptions, TopRow, top};
use capture::work::WorkCost;
use serde::Serialize;
use shared_sort::SharedSort;

use self::rows::{
    class_line, function_lines, has_own_function, line_lines, own_share_line, without_line_line,
};
use super::{own, source};
use crate::arguments::{RowUnit, SortColumn, Top};
use crate::commands::print_json;
use crate::commands::record::{other_types_lines, quality_line, stays_line, work_line};
use crate::failure::{Exit, Failure};
use crate::terminal::{print_line, print_lines};

pub use self::rows::place;

/// Long collections and calls in the answer at most: the longest.
const MOST_STAYS: usize = 100;

/// What `top --json` prints.
#[derive(Debug, Serialize)]
struct Answer<'c> {
    /// The type of samples, and the unit of all figures.
    #[serde(rename = "type")]
    counted: CountedType,
    #[serde(flatten)]
    top: capture::top::Top,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<HotLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<WorkCost>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stays: Vec<StayRow<'c>>,
}

/// Runs `top`.
pub fn run(arguments: &Top) -> Result<(), Failure> {
    let sort = sort_by(arguments)?;
    let folder = arguments.own.as_deref();
    let mut sources = folder.map(own::open).transpose()?;
    if arguments.live {
        return live::run(arguments, sort, folder.zip(sources));
    }
    let loaded = source::load(&arguments.source, &arguments.which, &arguments.sampling)?;
    let capture = &loaded.capture;
    let own = match (&mut sources, folder) {
        (Some(sources), Some(folder)) => Some(own::own_code(capture, sources, folder)?),
        _ => None,
    };
    let split = class_split(capture);
    let percent_of = percent_of(arguments).within(&split);
    let options = TopOptions {
        sort,
        percent_of,
        only_erlang: arguments.only_erlang,
        own: own.as_ref(),
        with_addresses: arguments.addresses,
    };
    let answer = Answer {
        counted: capture.counted_type(),
        top: top(capture, &options),
        lines: (arguments.by == RowUnit::Line)
            .then(|| lines(capture, own.as_ref(), sort, percent_of)),
        work: WorkCost::of_capture(capture),
        stays: stay_rows(capture),
    };
    if arguments.json {
        print_rows(answer, arguments.rows)?;
        return loaded.whole();
    }
    let unit = capture.unit();
    print_lines(capture.headings_above_line())?;
    let whole = percent_of.whole(split.samples, split.busy);
    print_line(&class_line(&split, percent_of, &unit))?;
    if let Some(folder) = folder {
        print_line(&own_share_line(&answer.top, whole, folder))?;
    }
    let rows = match answer.lines {
        Some(lines) => {
            print_lines(without_line_line(&lines, whole, own.is_some()))?;
            let lines = shown_lines(lines, arguments.rows);
            line_lines(&lines, whole, own.is_some(), &unit)
        }
        None => {
            let functions = shown_functions(answer.top.functions, arguments.rows);
            function_lines(&functions, whole, own.is_some(), &unit)
        }
    };
    print_lines(rows)?;
    print_below_rows(capture, answer.top.quality.as_ref(), answer.work.as_ref())?;
    loaded.whole()
}

/// How far the rows can be trusted, and the work that was done.
fn print_below_rows(
    capture: &Capture,
    quality: Option<&QualityRecord>,
    work: Option<&WorkCost>,
) -> Result<(), Failure> {
    if let Some(quality) = quality {
        print_line(&quality_line(quality))?;
        print_lines(other_types_lines(quality))?;
        let longest = longest(capture.stays(), 1);
        print_lines(stays_line(quality, longest.first().copied()))?;
    }
    if let Some(work) = work {
        print_line(&work_line(work))?;
    }
    Ok(())
}

fn stay_rows(capture: &Capture) -> Vec<StayRow<'_>> {
    let longest = longest(capture.stays(), MOST_STAYS);
    longest.into_iter().map(StayRow::from).collect()
}

fn sort_by(arguments: &Top) -> Result<SortBy, Failure> {
    match (arguments.sort, &arguments.own) {
        (Some(SortColumn::Own), None) => Err(Failure::new(
            Exit::Usage,
            "cannot sort by own time",
            "no folder of own code is given",
            "add --own DIR",
        )),
        (Some(SortColumn::Own) | None, Some(_)) => Ok(SortBy::OwnSamples),
        (Some(SortColumn::Itself) | None, _) => Ok(SortBy::SelfSamples),
        (Some(SortColumn::Total), _) => Ok(SortBy::TotalSamples),
    }
}

/// The base of a table is the busy samples. What programs read keeps all samples, unless they ask.
fn percent_of(arguments: &Top) -> PercentOf {
    match (arguments.percent_of, arguments.json) {
        (Some(asked), _) => asked.into(),
        (None, true) => PercentOf::All,
        (None, false) => PercentOf::Busy,
    }
}

fn lines(
    capture: &Capture,
    own: Option<&OwnCode>,
    sort: SortBy,
    percent_of: PercentOf,
) -> Vec<HotLine> {
    let mut lines = hot_lines(capture, own, percent_of);
    // Equal ones stay in the order that they come in, by own or self time.
    match sort {
        SortBy::OwnSamples => {}
        SortBy::SelfSamples => {
            lines.shared_sort_by_key(|line| std::cmp::Reverse(line.self_samples))
        }
        SortBy::TotalSamples => {
            lines.shared_sort_by_key(|line| std::cmp::Reverse(line.total_samples))
        }
    }
    lines
}

/// As JSON, with so many rows.
fn print_rows(mut answer: Answer<'_>, most: usize) -> Result<(), Failure> {
    cut(&mut answer.top.functions, most);
    if let Some(lines) = &mut answer.lines {
        cut(lines, most);
    }
    print_json(&answer)
}

/// The first rows; all for 0.
fn cut<T>(rows: &mut Vec<T>, most: usize) {
    if most > 0 {
        rows.truncate(most);
    }
}

/// The first functions, of own code those that have own time when any has.
fn shown_functions(mut rows: Vec<TopRow>, most: usize) -> Vec<TopRow> {
    if rows.iter().any(has_own_function) {
        rows.retain(|row| row.own_samples > Some(0));
    }
    cut(&mut rows, most);
    rows
}

/// The same of lines.
fn shown_lines(mut lines: Vec<HotLine>, most: usize) -> Vec<HotLine> {
    let has_own_time = |line: &HotLine| line.own_samples > Some(0);
    if lines
        .iter()
        .any(|line| has_own_time(line) && !line.file.is_empty())
    {
        lines.retain(has_own_time);
    }
    cut(&mut lines, most);
    lines
}
