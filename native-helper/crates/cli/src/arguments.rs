//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use capture::facts::OriginFacts;
use capture::file::kept::Keep;
use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand, ValueEnum};
use compare::{Condition, ConditionError, Measure};
use debuginfod::{Server, Wish};
use outside_programs::WebAddress;
use privileged_copy::GroupName;
use profile_store::address::StoreAddress;
use profiling_service::detached::DetachedName;
use recorder::{EngineChoice, MaxOverhead};
use resumable_link::door::SessionName;
use work_counter::{CommandLineError, Counter, Metric, MetricError, Source, split};

// Named, so that the example with man pages finds them, too.
#[path = "arguments/detached.rs"]
pub mod detached;
#[path = "arguments/inside.rs"]
pub mod inside;
#[path = "arguments/keep.rs"]
mod keep;
#[path = "arguments/push.rs"]
mod push;
#[path = "arguments/when.rs"]
mod when;

use detached::Detached;
pub use keep::OverheadLimit;
pub use push::{Push, Sending};
use when::When;

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
    #[command(
        after_help = "Examples: extrospect record 4711 -d 30 -F 499 -o checkout.pb.gz\n          extrospect record 4711 --work-name orders --work-metric shop_orders_total --work-url http://localhost:9100/metrics\n          extrospect record --all -d 0 --push http://pyroscope:4040\n          extrospect record 4711 -d 0 --keep 1h -o shop.pb.gz\n          extrospect record 4711 --when 'mailbox>10000 or memory>8GB' -o shop.pb.gz\n          extrospect record 4711 --detach night"
    )]
    Record(Box<Record>),
    /// Captures that go on in the background (`record --detach`): list, stop, fetch or remove them.
    #[command(
        after_help = "Examples: extrospect detached\n          extrospect detached stop night\n          extrospect detached fetch night -o night.pb.gz"
    )]
    Detached(Detached),
    /// Send a capture, or another tool's profile, to a store of continuous profiles (Pyroscope, or any
    /// that takes OTLP profiles).
    #[command(after_help = "Example: extrospect push shop.pb.gz --to http://pyroscope:4040")]
    Push(Push),
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
    /// Compare captures of two versions: what changed, and whether it is real.
    #[command(
        override_usage = "extrospect diff [OPTIONS] <BASE>... -- <NEW>... [OPTIONS]",
        after_help = "Examples: extrospect diff before.pb.gz -- after.pb.gz\n          extrospect diff old-*.pb.gz -- new-*.pb.gz --own ~/shop --markdown --fail-if 'slower>2%'\n\nExit code 6: a condition of --fail-if holds. docs/compare.md tells how to read it."
    )]
    Diff(Box<Diff>),
    /// Convert a profile of another tool to a capture: perf.data, perf script text, folded stacks,
    /// eflambe, speedscope, .cpuprofile, OTLP profiles. Other commands open them as they are, too.
    #[command(after_help = "Example: extrospect import perf.data -o shop.pb.gz")]
    Import(Import),
    /// Show which commit a capture belongs to, hold its modules against the builds of a workspace, and
    /// give one that was taken elsewhere its commit.
    #[command(
        after_help = "Examples: extrospect commit server.pb.gz --builds ~/shop\n          extrospect commit server.pb.gz --builds ~/shop --assign v1.2.3"
    )]
    Commit(CommitOf),
    /// Write a capture, or the code map of a VM, in another tool's format.
    #[command(
        after_help = "Example: extrospect export checkout.pb.gz --format folded > checkout.folded\n         extrospect export 4711 --format perf-map > /tmp/perf-4711.map"
    )]
    Export(Export),
    /// Show what each scheduler of a running VM does right now.
    #[command(after_help = "Example: extrospect pstack 4711 --only-erlang")]
    Pstack(Pstack),
    /// Show what a running VM is like as a whole: schedulers, run queues, how full its tables are.
    #[command(after_help = "Example: extrospect node 4711")]
    Node(inside::Node),
    /// Show the processes of a running VM: names, mailboxes, memory, what they are in.
    #[command(after_help = "Example: extrospect ps 4711 --sort mailbox")]
    Ps(inside::Ps),
    /// Show what is on the heap of an Erlang process: what of it lives, and what keeps it alive.
    #[command(after_help = "Example: extrospect heap 4711 '<0.83.0>'")]
    Heap(inside::Heap),
    /// Show what grows in a running VM while it is watched: processes, mailboxes, binaries, tables, atoms.
    #[command(after_help = "Example: extrospect growth 4711 -d 300")]
    Growth(inside::Growth),
    /// Show where the processes of a running VM wait, by stack, and write that as a profile.
    #[command(after_help = "Example: extrospect waits 4711 -d 30 -o waits.pb.gz")]
    Waits(inside::Waits),
    /// Show the nodes that a running VM knows: its cluster, connected or not.
    #[command(after_help = "Example: extrospect nodes 4711")]
    Nodes(Nodes),
    /// Show what the memory of a running VM is for: its allocators, what is free in them, its ETS tables.
    #[command(after_help = "Example: extrospect memory 4711")]
    Memory(Memory),
    /// Show who holds the binaries of a running VM, who has allocated them, and which are kept by small parts.
    #[command(after_help = "Example: extrospect binaries 4711")]
    Binaries(inside::Binaries),
    /// Write what is read from a VM, one JSON object per line, to be checked by other tools.
    #[command(
        hide = true,
        after_help = "Example: extrospect dump 4711 --what stacks"
    )]
    Dump(Dump),
    /// Look at one VM for `list`, which gives up a look that takes too long.
    #[command(hide = true)]
    Look(Look),
    /// Sample for the process that started it, which says what on stdin.
    #[command(hide = true)]
    Sampler,
    /// Serve an editor: JSON-RPC on stdin and stdout.
    #[command(
        after_help = "Example: extrospect serve --stdio    (docs/protocol.md tells what to say)"
    )]
    Serve(Serve),
    /// Install a copy with the rights that sampling needs, for the members of a group (root only).
    #[command(
        after_help = "Example: sudo extrospect install    (docs/security.md tells what it may do)"
    )]
    Install(Install),
    /// Remove the copy that `install` made (root only).
    #[command(after_help = "Example: sudo extrospect uninstall --purge")]
    Uninstall(Uninstall),
}

impl Command {
    /// Whether it looks into processes itself, with rights of ours where the caller has none. Every other
    /// one has a program of our own do it.
    pub fn looks_into_processes(&self) -> bool {
        match self {
            Self::Look(_) | Self::Sampler | Self::Doctor(_) | Self::Dump(_) => true,
            Self::Export(export) => export.format == ExportFormat::PerfMap,
            _ => false,
        }
    }
}

/// `install`.
#[derive(Debug, Args)]
pub struct Install {
    /// Folder for it, which root alone may write to.
    #[arg(long, value_name = "DIR", default_value = privileged_copy::DEFAULT_FOLDER)]
    pub to: PathBuf,
    /// Who may start it; made when it is not there.
    #[arg(long, value_name = "NAME", default_value = privileged_copy::DEFAULT_GROUP)]
    pub group: GroupName,
}

/// `uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    /// Folder that it is in.
    #[arg(long, value_name = "DIR", default_value = privileged_copy::DEFAULT_FOLDER)]
    pub from: PathBuf,
    /// The group, for --purge.
    #[arg(long, value_name = "NAME", default_value = privileged_copy::DEFAULT_GROUP)]
    pub group: GroupName,
    /// Remove the group, too.
    #[arg(long)]
    pub purge: bool,
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
    /// In this very process, which cannot be given up then.
    #[arg(long)]
    pub here: bool,
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

/// `nodes`.
#[derive(Debug, Args)]
pub struct Nodes {
    /// Process id of the VM.
    pub pid: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `memory`.
#[derive(Debug, Args)]
pub struct Memory {
    /// Process id of the VM.
    pub pid: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Speak over stdin and stdout, the only way there is.
    #[arg(long, required = true)]
    pub stdio: bool,
    /// What is said can be resumed over another connection, under this name: 32 hexadecimal digits.
    #[arg(long, hide = true, conflicts_with = "resume")]
    pub session: Option<SessionName>,
    /// Resume what another `serve` holds under that name.
    #[arg(long, hide = true)]
    pub resume: Option<SessionName>,
    /// Seconds for which a session waits for somebody to come back.
    #[arg(long, hide = true, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub keep_for: u32,
}

/// How to sample, wherever a command samples.
#[derive(Debug, Clone, Args)]
pub struct Sampling {
    /// Seconds to sample; 0 until Ctrl-C.
    #[arg(short, long, default_value_t = 10.0, value_parser = seconds)]
    #[arg(default_value_ifs([("detach", ArgPredicate::IsPresent, "0"), ("when", ArgPredicate::IsPresent, "0"), ("command", ArgPredicate::IsPresent, "0")]))]
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

/// What is read of a recording of perf, wherever a command opens a profile of another tool.
#[derive(Debug, Clone, Default, Args)]
pub struct OfPerf {
    /// Which event of a recording of perf that has several: `cpu-clock`.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
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
    #[arg(required_unless_present_any = ["all", "command"])]
    pub pid: Option<u32>,
    /// Send a profile every ten seconds to a store, instead of writing a file.
    #[arg(long, value_name = "URL", value_parser = push::store, conflicts_with_all = ["output", "force"])]
    pub push: Option<StoreAddress>,
    /// Every VM of this machine, also those that start later; needs --push.
    #[arg(long, requires = "push", conflicts_with = "pid")]
    pub all: bool,
    /// Where profiles wait while the store is away [default: below ~/.cache].
    #[arg(long, value_name = "FOLDER", requires = "push")]
    pub buffer: Option<PathBuf>,
    /// Megabytes that may wait; beyond that the oldest are dropped, and counted.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_240))]
    pub buffer_size: u32,
    /// How to send.
    #[command(flatten)]
    pub sending: Sending,
    /// How to sample.
    #[command(flatten)]
    pub sampling: Sampling,
    /// Where to write the capture [default: NODE-DATE-TIME-COMMIT.pb.gz].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Folder of the sources that the VM runs: the capture says which commit of its git repository is
    /// checked out, and what the sources look like [default: the current folder].
    #[arg(long, value_name = "DIR")]
    pub source_dir: Option<PathBuf>,
    /// What counts the work.
    #[command(flatten)]
    pub work: Work,
    /// Keep only the last so much, a duration (30min, 1h, 2d) or a size (500MB), or both by giving it
    /// twice: the capture goes to files NAME.00001-TIME.pb.gz and so on, each a complete capture, of
    /// which the oldest are removed, those of earlier runs with the same name too.
    #[arg(long, value_name = "DURATION|SIZE", value_parser = keep::keep, conflicts_with_all = ["push", "force", "work_command", "work_metric"])]
    pub keep: Vec<Keep>,
    /// A flight recorder.
    #[command(flatten)]
    pub flight: When,
    /// How often the VM as a whole is looked at, seconds (0.1 to 3600): run queues, memory, mailboxes,
    /// collections, IO go into the capture beside its samples. More seldom where that would cost more than
    /// one percent of a core.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = node_interval, conflicts_with = "push")]
    pub every: Duration,
    /// The most that sampling may cost, percent of a core, of the helper or of the VM: when it costs
    /// more, the rate is lowered, and the capture says so; "off" for no limit [default: 1% with -d 0,
    /// else off].
    #[arg(long, value_name = "PERCENT", value_parser = keep::overhead)]
    pub max_overhead: Option<OverheadLimit>,
    /// Record in the background, under this name: it goes on without this terminal or connection, until
    /// --duration is over or `extrospect detached stop NAME`; at most 24 h and 1 GiB. See
    /// `extrospect detached`.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["push", "all", "output", "force", "keep"])]
    pub detach: Option<DetachedName>,
    /// This is what records in the background.
    #[arg(long, hide = true, requires = "detach")]
    pub recorder: bool,
    /// Which sources the VM was built from, as whoever started this knows it.
    #[arg(long, hide = true, requires = "recorder", conflicts_with = "source_dir", value_parser = origin)]
    pub origin: Option<OriginFacts>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// Start this command, and capture every VM that it and its children become, from its first moment
    /// until the command ends. The command runs as you, without the rights of this program; its exit code
    /// is passed on. A second VM goes to NAME.2.pb.gz, and so on.
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["pid", "push", "all", "detach", "keep", "when", "work_command", "work_metric"])]
    pub command: Vec<OsString>,
}

impl Record {
    /// The most that sampling may cost.
    pub fn max_overhead(&self) -> Option<MaxOverhead> {
        let without_end = self.sampling.duration == 0.0 && self.command.is_empty();
        let usual = without_end.then_some(keep::USUAL_OVERHEAD);
        self.max_overhead.map_or(usual, |OverheadLimit(most)| most)
    }

    /// How much is to be kept; `None` for all.
    pub fn keep(&self) -> Option<Keep> {
        keep::together(&self.keep)
    }
}

/// A counter of the work that the VM does.
#[derive(Debug, Args)]
pub struct Work {
    /// Count work by a command, run when the capture begins and when it has ended: it prints one
    /// number, of orders done for example. No shell runs it; quotes hold words together.
    #[arg(long, value_name = "PROGRAM ARG...", value_parser = command_words, conflicts_with_all = ["work_metric", "push"])]
    pub work_command: Option<CommandWords>,
    /// Count work by a metric of a page in the Prometheus text format; its series are summed.
    #[arg(long, value_name = "NAME{label=\"value\"}", value_parser = metric, requires = "work_url", conflicts_with = "push")]
    pub work_metric: Option<Metric>,
    /// Address of the page with the metric.
    #[arg(long, value_name = "URL", value_parser = metrics_page, requires = "work_metric")]
    pub work_url: Option<WebAddress>,
    /// What is counted: `orders` [default: the metric, or the program].
    #[arg(long, value_name = "NAME")]
    pub work_name: Option<String>,
}

/// A program and its arguments.
#[derive(Debug, Clone)]
pub struct CommandWords(pub Vec<String>);

impl Work {
    /// What counts; `None` when nothing is to be counted.
    pub fn counter(&self) -> Option<Counter> {
        let source = match (&self.work_command, &self.work_metric, &self.work_url) {
            (Some(CommandWords(words)), ..) => Source::Command(words.clone()),
            (None, Some(metric), Some(page)) => Source::Metric {
                metric: metric.clone(),
                page: page.clone(),
            },
            _ => return None,
        };
        Some(Counter::new(self.work_name.as_deref(), source))
    }
}

/// `top`.
#[derive(Debug, Args)]
pub struct Top {
    /// A capture or a profile of another tool, or the process id of a VM to sample now.
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
    /// Which event, when given a recording of perf.
    #[command(flatten)]
    pub of_perf: OfPerf,
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
    /// A capture or a profile of another tool, or the process id of a VM to sample now.
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
    /// Which event, when given a recording of perf.
    #[command(flatten)]
    pub of_perf: OfPerf,
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
}

impl Arguments {
    /// Reads the command line. `--` in `diff` parts the two sides, with options on either; to clap it
    /// would be the end of all options.
    pub fn read() -> Self {
        Self::parse_from(with_sides(std::env::args_os()))
    }
}

fn with_sides(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.collect();
    let is_diff = arguments.get(1).is_some_and(|command| command == "diff");
    if is_diff && let Some(parting) = arguments.iter_mut().find(|argument| *argument == "--") {
        *parting = "--new".into();
    }
    arguments
}

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// Captures of the older version; several are repetitions of each other.
    #[arg(value_name = "BASE", required = true)]
    pub base: Vec<PathBuf>,
    /// Captures of the newer version, the same as after `--`.
    #[arg(long, value_name = "NEW", required = true, num_args = 1..)]
    pub new: Vec<PathBuf>,
    /// What is compared [default: work where every capture has counted it, else share].
    #[arg(long, value_enum)]
    pub measure: Option<MeasureArgument>,
    /// Count for own code, too: the innermost function whose source lies below DIR.
    #[arg(long, value_name = "DIR")]
    pub own: Option<PathBuf>,
    /// Folder of the sources: functions that were renamed or moved, and closures that have another
    /// number, are found by the commits of its git repository [default: --own, else the current folder].
    #[arg(long, value_name = "DIR")]
    pub source_dir: Option<PathBuf>,
    /// Rows to show; 0 for all. JSON has all rows without it.
    #[arg(short = 'n', long)]
    pub rows: Option<usize>,
    /// Show functions without a change, too.
    #[arg(long)]
    pub all: bool,
    /// Compare captures that have time in the kernel with captures that do not, too: all that the kernel
    /// did is then a change.
    #[arg(long)]
    pub anyway: bool,
    /// Which event, where a file is a recording of perf.
    #[command(flatten)]
    pub of_perf: OfPerf,
    /// Print JSON.
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown: a comment for a pull request.
    #[arg(long)]
    pub markdown: bool,
    /// Exit with 6 when a function changed so: `slower>2%`, `own.slower>0.5pp`, `new>1pp`.
    #[arg(long, value_name = "CONDITION", value_parser = condition)]
    pub fail_if: Vec<Condition>,
    /// Exit as `git bisect run` expects: 0 when no --fail-if holds, 1 when one does, 125 when the
    /// captures cannot tell.
    #[arg(long, requires = "fail_if")]
    pub bisect: bool,
}

/// Measures of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureArgument {
    /// Percent of the busy samples.
    Share,
    /// Processor time each second; needs the same load on both sides.
    Cpu,
    /// Processor time for each unit of work that the captures counted.
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

/// `commit`.
#[derive(Debug, Args)]
pub struct CommitOf {
    /// The capture.
    pub file: PathBuf,
    /// Folder of the project that the VM runs, with its builds: what _build, ebin and releases below
    /// it hold is compared by checksum.
    #[arg(long, default_value = ".")]
    pub builds: PathBuf,
    /// Give the capture this commit, branch or tag of the repository there.
    #[arg(long, value_name = "COMMIT")]
    pub assign: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
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
    /// Which event, when given a recording of perf.
    #[command(flatten)]
    pub of_perf: OfPerf,
    /// How to sample, when given a process id.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// Formats of `export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The capture itself, which pprof reads: what another tool's profile becomes.
    Pprof,
    /// One line per stack, for flamegraph.pl and many others.
    Folded,
    /// For speedscope.app.
    Speedscope,
    /// For the Firefox Profiler, profiler.firefox.com.
    Firefox,
    /// OpenTelemetry's profiles, as collectors have them: a protobuf message.
    Otlp,
    /// A flame graph as one file, for any browser, without a network.
    Html,
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
    /// How many processes and ports wait to be run.
    Queues,
    /// Where structures are by their symbol, and where by what they look like.
    Anchors,
}

/// Formats of `dump`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpFormat {
    /// One JSON object per line.
    Json,
}

fn command_words(text: &str) -> Result<CommandWords, CommandLineError> {
    split(text).map(CommandWords)
}

fn origin(text: &str) -> Result<OriginFacts, serde_json::Error> {
    serde_json::from_str(text)
}

fn metric(text: &str) -> Result<Metric, MetricError> {
    Metric::parse(text)
}

fn metrics_page(text: &str) -> Result<WebAddress, String> {
    let address = WebAddress::parse(text).map_err(|error| error.to_string())?;
    match address.has_credentials() {
        true => Err("it holds a name or password, which everybody would see; have --work-command fetch the page".to_owned()),
        false => Ok(address),
    }
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

fn condition(text: &str) -> Result<Condition, ConditionError> {
    text.parse()
}

fn node_interval(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("not a number of seconds from 0.1 to 3600".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=31_536_000.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds, 0 or more".to_owned()),
    }
}
