//! Arguments of `diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use compare::{
    Condition, ConditionError, HistoryCondition, HistoryConditionError, Link, LinkError, Measure,
};

use super::sampling::WhichSamples;

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// Captures of the older version; several are repetitions of each other.
    #[arg(value_name = "BASE", required_unless_present = "history")]
    pub base: Vec<PathBuf>,
    /// Captures of the newer version, the same as after `--`.
    #[arg(long, value_name = "NEW", required_unless_present = "history", num_args = 1..)]
    pub new: Vec<PathBuf>,
    /// All captures in a folder (*.pb.gz), by commit: the whole program and chosen functions, with the
    /// steps in them.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["base", "new", "own", "all", "anyway", "paired", "link", "bisect"])]
    pub history: Option<PathBuf>,
    /// With --history: a function to follow, as `top` shows it; may be given more than once.
    #[arg(long, value_name = "NAME", requires = "history")]
    pub function: Vec<String>,
    /// The figure to compare [default: work if every capture has counted it, else share].
    #[arg(long, value_enum)]
    pub measure: Option<MeasureArgument>,
    /// Also count for own code: the innermost function whose source is below DIR.
    #[arg(long, value_name = "DIR")]
    pub own: Option<PathBuf>,
    /// Folder of the sources: functions that were renamed or moved, and closures that have another
    /// number, are found by the commits of its git repository [default: --own, else the current folder].
    /// With --history: whose commits give the order.
    #[arg(long, value_name = "DIR")]
    pub source_dir: Option<PathBuf>,
    /// Rows to show; 0 for no limit. JSON has all rows without it.
    #[arg(short = 'n', long)]
    pub rows: Option<usize>,
    /// Also show functions without a change, the inside of the runtime, and callers that do nothing
    /// else.
    #[arg(long)]
    pub all: bool,
    /// Also compare captures that are not comparable: with and without time in the kernel, a side of
    /// several commits, captures of two projects or of programs without a common function, wrong pairs.
    #[arg(long)]
    pub anyway: bool,
    /// The captures were taken in pairs on one machine, one of each side after the other, and are paired by time. The
    /// variation that both of a pair share is then left out.
    #[arg(long)]
    pub paired: bool,
    /// Which samples of the files.
    #[command(flatten)]
    pub which: WhichSamples,
    /// The output [default: text].
    #[arg(long, value_enum, conflicts_with_all = ["json", "markdown"])]
    format: Option<DiffFormat>,
    /// The same as --format json.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// The same as --format markdown.
    #[arg(long)]
    markdown: bool,
    /// With --format markdown: where the page of --format html will be, for a link to it: https://, http://
    /// or a relative path.
    #[arg(long, value_name = "URL", value_parser = link)]
    pub link: Option<Link>,
    /// Exit with 6 when a condition holds, with 7 when the captures cannot tell: `slower>2%` of any function, `own.slower>0.5pp`,
    /// `touched.slower>5%` of those that the commit touched, `whole.slower>3%`, `gc.slower>5%`, `shop:total/1.total.slower>10us/unit`, `Shop.*.new>1pp`. With
    /// --history: `slower>history`, `whole.slower>history`, `shop:total/1.self.slower>history`, when the
    /// newest commit lies beyond what the commits before it let expect.
    #[arg(long, value_name = "CONDITION", value_parser = condition)]
    pub fail_if: Vec<FailIf>,
    /// The exit code where a --fail-if cannot tell: 0 (pass) or 6 (fail) [default: 7].
    #[arg(long, value_enum, requires = "fail_if", conflicts_with = "bisect")]
    pub if_unknown: Option<IfUnknown>,
    /// Exit as `git bisect run` expects: 0 when no --fail-if can hold, 1 when one holds for certain, 125
    /// when the captures cannot decide, 128 when they never can.
    #[arg(long, requires = "fail_if")]
    pub bisect: bool,
}

/// A condition of `--fail-if`.
#[derive(Debug, Clone)]
pub enum FailIf {
    /// On the comparison of two sides.
    Compared(Condition),
    /// On the newest commit of a history.
    Newest(HistoryCondition),
}

/// What a condition that cannot tell counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IfUnknown {
    /// As one that does not hold.
    Pass,
    /// As one that holds.
    Fail,
}

/// Formats of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// A table for a terminal.
    Text,
    /// JSON.
    Json,
    /// A comment for a pull request.
    Markdown,
    /// The table and the flame graph of the difference, or the charts of a history, as one file, for any browser, without
    /// a network.
    Html,
}

impl Diff {
    /// The output to print.
    pub fn format(&self) -> DiffFormat {
        match (self.format, self.json, self.markdown) {
            (Some(format), _, _) => format,
            (None, true, _) => DiffFormat::Json,
            (None, _, true) => DiffFormat::Markdown,
            (None, false, false) => DiffFormat::Text,
        }
    }
}

/// Measures of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureArgument {
    /// Percent of the busy samples.
    Share,
    /// Processor time per second; needs the same load on both sides.
    Cpu,
    /// Processor time per unit of work that the captures counted.
    Work,
}

impl From<MeasureArgument> for Measure {
    fn from(argument: MeasureArgument) -> Self {
        match argument {
            MeasureArgument::Share => Self::Share,
            MeasureArgument::Cpu => Self::Cpu,
            MeasureArgument::Work => Self::Work,
        }
    }
}

/// `--` parts the two sides, with options on either; to clap it would be the end of all options.
pub(super) fn with_sides(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.collect();
    let is_diff = arguments.get(1).is_some_and(|command| command == "diff");
    if is_diff && let Some(parting) = arguments.iter_mut().find(|argument| *argument == "--") {
        *parting = "--new".into();
    }
    arguments
}

fn condition(text: &str) -> Result<FailIf, String> {
    if HistoryCondition::is_meant_by(text) {
        let read: Result<_, HistoryConditionError> = text.parse();
        return read.map(FailIf::Newest).map_err(|error| error.to_string());
    }
    let read: Result<_, ConditionError> = text.parse();
    read.map(FailIf::Compared)
        .map_err(|error| error.to_string())
}

fn link(text: &str) -> Result<Link, LinkError> {
    text.parse()
}
