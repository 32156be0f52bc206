//! Arguments of the commands that show, convert or write a capture or another tool's profile.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::sampling::{OfPerf, Sampling, WhichSamples};

/// `top`.
#[derive(Debug, Args)]
pub struct Top {
    /// A capture or a profile of another tool, or the process id of a VM to sample now.
    #[arg(value_name = "FILE|PID")]
    pub source: String,
    /// Rows to show; 0 for all.
    #[arg(short = 'n', long, default_value_t = 30)]
    pub rows: usize,
    /// Count the time of C code for the Erlang function that called it.
    #[arg(long)]
    pub only_erlang: bool,
    /// Count for own code: a sample counts for the innermost function whose source is below DIR,
    /// including everything it called. Folders of dependencies in it are left out.
    #[arg(long, value_name = "DIR")]
    pub own: Option<PathBuf>,
    /// Meaning of a row.
    #[arg(long, value_enum, default_value_t = RowUnit::Function)]
    pub by: RowUnit,
    /// Refresh the table each second, with the last seconds that --duration gives (0: since it
    /// began); sort and filter it by keys. Needs a process id and a terminal.
    #[arg(long, conflicts_with_all = ["json", "by"])]
    pub live: bool,
    /// List C functions without a name one by one, by address.
    #[arg(long)]
    pub addresses: bool,
    /// The figure to sort by [default: own with --own, else self].
    #[arg(long, value_enum)]
    pub sort: Option<SortColumn>,
    /// What 100 % is [default: busy; JSON counts all samples, unless this is given].
    #[arg(long, value_enum)]
    pub percent_of: Option<PercentOf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Which samples of a file.
    #[command(flatten)]
    pub which: WhichSamples,
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// What a row of `top` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowUnit {
    /// A function.
    Function,
    /// A line of a function.
    Line,
}

/// What 100 % is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PercentOf {
    /// The samples in which the VM did something; those of idle schedulers are left out.
    Busy,
    /// All samples, those of idle schedulers too.
    All,
}

impl From<PercentOf> for capture::percent_of::PercentOf {
    fn from(percent_of: PercentOf) -> Self {
        match percent_of {
            PercentOf::Busy => Self::Busy,
            PercentOf::All => Self::All,
        }
    }
}

/// Order of `top`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortColumn {
    /// Time that counts for own code; needs --own.
    Own,
    /// Time in the function itself.
    #[value(name = "self")]
    Itself,
    /// Time in the function and its callees.
    Total,
}

/// `blame`.
#[derive(Debug, Args)]
pub struct Blame {
    /// A C function (`copy_struct`) or a group (`gc`).
    pub native: String,
    /// A capture or a profile of another tool, or the process id of a VM to sample now.
    #[arg(value_name = "FILE|PID")]
    pub source: String,
    /// Rows to show; 0 for all.
    #[arg(short = 'n', long, default_value_t = 30)]
    pub rows: usize,
    /// Show the callers of each function, too.
    #[arg(long)]
    pub callers: bool,
    /// What 100 % is. JSON has the percentages of both.
    #[arg(long, value_enum, default_value_t = PercentOf::Busy)]
    pub percent_of: PercentOf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Which samples of a file.
    #[command(flatten)]
    pub which: WhichSamples,
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// `import`.
#[derive(Debug, Args)]
pub struct Import {
    /// A profile of another tool.
    pub file: PathBuf,
    /// Where to write the capture.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Which event.
    #[command(flatten)]
    pub of_perf: OfPerf,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}

/// `export`.
#[derive(Debug, Args)]
pub struct Export {
    /// A capture file, or the process id of a VM (for `perf-map`, or to sample now).
    #[arg(value_name = "FILE|PID")]
    pub source: String,
    /// Format.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// With `--format folded`: frames as `name (file:line)`.
    #[arg(long)]
    pub lines: bool,
    /// With `--format html`: what 100 % is [default: busy].
    #[arg(long, value_enum)]
    pub percent_of: Option<PercentOf>,
    /// Which samples of a file.
    #[command(flatten)]
    pub which: WhichSamples,
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// Formats of `export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The capture itself, which pprof reads: the result of converting another tool's profile.
    Pprof,
    /// One line per stack, for flamegraph.pl and many others.
    Folded,
    /// For speedscope.app.
    Speedscope,
    /// For the Firefox Profiler, profiler.firefox.com.
    Firefox,
    /// OpenTelemetry's profiles, as collectors use them: a protobuf message.
    Otlp,
    /// A flame graph as one file, for any browser, without a network.
    Html,
    /// Addresses and names of the Erlang code of a running VM, for perf and others.
    PerfMap,
}
