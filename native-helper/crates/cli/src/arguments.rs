//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use debuginfod::{Server, Wish};
use recorder::EngineChoice;

/// Profile a running Erlang or Elixir VM from outside: no restart, no flag, no tracing, no stop.
#[derive(Debug, Parser)]
#[command(name = "extrospect", version, max_term_width = 100)]
#[command(after_help = "Start with `extrospect list`, then `extrospect record PID`.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the Erlang VMs on this machine.
    #[command(after_help = "Example: extrospect list --json")]
    List(List),
    /// Check what sampling needs, and with a process id whether that VM can be read.
    #[command(after_help = "Examples: extrospect doctor\n          extrospect doctor 4711")]
    Doctor(Doctor),
    /// Record a capture of a running VM.
    #[command(after_help = "Example: extrospect record 4711 -d 30 -F 499 -o checkout.pb.gz")]
    Record(Record),
    /// Show the functions that use the CPU.
    #[command(
        after_help = "Examples: extrospect top checkout.pb.gz -n 20 --only-erlang\n          extrospect top 4711 --own ~/shop --by line"
    )]
    Top(Top),
    /// Show which Erlang functions cause the time spent in a C function or group of them.
    #[command(
        after_help = "Examples: extrospect blame copy_struct checkout.pb.gz\n          extrospect blame gc 4711 --callers\n\nGroups: copy, gc, compare, ets, lock, alloc, binary, nif:NAME"
    )]
    Blame(Blame),
    /// Write a capture, or the code map of a VM, in another tool's format.
    #[command(
        after_help = "Example: extrospect export checkout.pb.gz --format folded > checkout.folded\n         extrospect export 4711 --format perf-map > /tmp/perf-4711.map"
    )]
    Export(Export),
    /// Show what each scheduler of a running VM does right now.
    #[command(after_help = "Example: extrospect pstack 4711 --only-erlang")]
    Pstack(Pstack),
    /// Write what is read from a VM, one JSON object per line, to be checked by other tools.
    #[command(
        hide = true,
        after_help = "Example: extrospect dump 4711 --what stacks"
    )]
    Dump(Dump),
    /// Look at one VM for `list`, which gives up a look that takes too long.
    #[command(hide = true)]
    Look(Look),
    /// Serve an editor: JSON-RPC on stdin and stdout.
    #[command(
        after_help = "Example: extrospect serve --stdio    (docs/protocol.md tells what to say)"
    )]
    Serve(Serve),
}

/// `list`.
#[derive(Debug, Args)]
pub struct List {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `look`.
#[derive(Debug, Args)]
pub struct Look {
    /// Process id of the VM.
    pub pid: u32,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Process id of a VM to check, too.
    pub pid: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Names of C functions.
    #[command(flatten)]
    pub debug_files: DebugFiles,
}

/// `pstack`.
#[derive(Debug, Args)]
pub struct Pstack {
    /// Process id of the VM.
    pub pid: u32,
    /// Show dirty schedulers and threads that are no schedulers, too.
    #[arg(long)]
    pub all: bool,
    /// Show only the frames of Erlang functions and BIFs.
    #[arg(long)]
    pub only_erlang: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Names of C functions.
    #[command(flatten)]
    pub debug_files: DebugFiles,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Speak over stdin and stdout, the only way there is.
    #[arg(long, required = true)]
    pub stdio: bool,
}

/// How to sample, wherever a command samples.
#[derive(Debug, Clone, Args)]
pub struct Sampling {
    /// Seconds to sample; 0 until Ctrl-C.
    #[arg(short, long, default_value_t = 10.0, value_parser = seconds)]
    pub duration: f64,
    /// Samples a second of each thread's CPU time.
    #[arg(short = 'F', long, default_value_t = 99, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub frequency: u32,
    /// Show kernel functions, not just `[kernel]`.
    #[arg(long)]
    pub include_kernel: bool,
    /// How to get the Erlang stack under C code.
    #[arg(long, value_enum, default_value_t = EngineArgument::Auto)]
    pub engine: EngineArgument,
    /// Names of C functions.
    #[command(flatten)]
    pub debug_files: DebugFiles,
}

/// Whether debug files are fetched, wherever a command attaches.
#[derive(Debug, Clone, Args)]
pub struct DebugFiles {
    /// Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of
    /// this distribution, or of elfutils.org. Servers learn the build ids of what the VM runs. Without
    /// this, they are fetched when DEBUGINFOD_URLS is set.
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = server)]
    pub debuginfod: Vec<String>,
    /// Fetch no debug files.
    #[arg(long, conflicts_with = "debuginfod")]
    pub no_debuginfod: bool,
}

impl DebugFiles {
    /// What the user wishes.
    pub fn wish(&self) -> Wish {
        let named = self.debuginfod.iter().filter(|url| !url.is_empty());
        match (self.no_debuginfod, self.debuginfod.is_empty()) {
            (true, _) => Wish::Never,
            (false, true) => Wish::IfEnvironmentSays,
            (false, false) => Wish::Always(named.cloned().collect()),
        }
    }
}

/// Engines as the command line names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineArgument {
    /// `bpf` where the kernel allows it, else `readv`.
    Auto,
    /// Copied in the kernel at the sample itself: exact; needs CAP_BPF and CAP_PERFMON, or root.
    Bpf,
    /// Read right after the sample; what cannot be proven is marked.
    Readv,
}

impl From<EngineArgument> for EngineChoice {
    fn from(argument: EngineArgument) -> Self {
        match argument {
            EngineArgument::Auto => Self::Auto,
            EngineArgument::Bpf => Self::Bpf,
            EngineArgument::Readv => Self::Readv,
        }
    }
}

/// `record`.
#[derive(Debug, Args)]
pub struct Record {
    /// Process id of the VM.
    pub pid: u32,
    /// How to sample.
    #[command(flatten)]
    pub sampling: Sampling,
    /// Where to write the capture [default: NODE-DATE-TIME.pb.gz].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    pub json: bool,
}

/// `top`.
#[derive(Debug, Args)]
pub struct Top {
    /// A capture file, or the process id of a VM to sample now.
    #[arg(value_name = "FILE|PID")]
    pub source: String,
    /// Rows to show; 0 for all.
    #[arg(short = 'n', long, default_value_t = 30)]
    pub rows: usize,
    /// Count what C code takes as the time of the Erlang function that called it.
    #[arg(long)]
    pub only_erlang: bool,
    /// Count for own code: a sample counts for the innermost function whose source lies below DIR,
    /// with all that it called. Folders of dependencies in it are left out.
    #[arg(long, value_name = "DIR")]
    pub own: Option<PathBuf>,
    /// What a row is.
    #[arg(long, value_enum, default_value_t = RowUnit::Function)]
    pub by: RowUnit,
    /// Show the table anew each second, of the last seconds that --duration says (0: since it began);
    /// sort and filter it by keys. Needs a process id and a terminal.
    #[arg(long, conflicts_with_all = ["json", "by"])]
    pub live: bool,
    /// C functions without a name each on its own, by their address.
    #[arg(long)]
    pub addresses: bool,
    /// What to sort by [default: own with --own, else self].
    #[arg(long, value_enum)]
    pub sort: Option<SortColumn>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
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

/// Order of `top`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortColumn {
    /// Time that counts for own code; needs --own.
    Own,
    /// Time in the function itself.
    #[value(name = "self")]
    Itself,
    /// Time in the function and what it calls.
    Total,
}

/// `blame`.
#[derive(Debug, Args)]
pub struct Blame {
    /// A C function (`copy_struct`) or a group (`gc`).
    pub native: String,
    /// A capture file, or the process id of a VM to sample now.
    #[arg(value_name = "FILE|PID")]
    pub source: String,
    /// Rows to show; 0 for all.
    #[arg(short = 'n', long, default_value_t = 30)]
    pub rows: usize,
    /// Show the callers of each function, too.
    #[arg(long)]
    pub callers: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
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
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// Formats of `export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One line per stack, for flamegraph.pl and many others.
    Folded,
    /// For speedscope.app.
    Speedscope,
    /// Addresses and names of the Erlang code of a running VM, for perf and others.
    PerfMap,
}

/// `dump`.
#[derive(Debug, Args)]
pub struct Dump {
    /// Process id of the VM.
    pub pid: u32,
    /// Which part of what is read.
    #[arg(long, value_enum)]
    pub what: DumpPart,
    /// Format: one JSON object per line.
    #[arg(long, value_enum, default_value_t = DumpFormat::Json)]
    pub format: DumpFormat,
    /// Lines to write at most, the first and the last apart.
    #[arg(long, default_value_t = 1_000_000)]
    pub limit: usize,
}

/// Parts of what is read from a VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpPart {
    /// Named ranges of JIT code with their lines.
    Code,
    /// Names of atoms in the order of their index.
    Atoms,
    /// The process table.
    Processes,
    /// The Erlang stacks of processes that do not run, word by word, and the frames found.
    Stacks,
}

/// Formats of `dump`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpFormat {
    /// One JSON object per line.
    Json,
}

/// Nothing, or the address of a server.
fn server(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Ok(String::new()),
        false => Server::parse(text)
            .map(|_| text.to_owned())
            .map_err(|error| error.to_string()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=31_536_000.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds, 0 or more".to_owned()),
    }
}
