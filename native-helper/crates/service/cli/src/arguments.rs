//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use resumable_link::door::SessionName;

// Named, so that the example with man pages finds them, too.
#[path = "arguments/detached.rs"]
pub mod detached;
#[path = "arguments/diff.rs"]
mod diff;
#[path = "arguments/dump.rs"]
mod dump;
#[path = "arguments/inside.rs"]
pub mod inside;
#[path = "arguments/install.rs"]
mod install;
#[path = "arguments/keep.rs"]
mod keep;
#[path = "arguments/profiles.rs"]
mod profiles;
#[path = "arguments/push.rs"]
mod push;
#[path = "arguments/record.rs"]
mod record;
#[path = "arguments/sampling.rs"]
mod sampling;
#[path = "arguments/when.rs"]
mod when;

use detached::Detached;
use diff::with_sides;
pub use diff::{Diff, DiffFormat, FailIf, IfUnknown};
pub use dump::{Dump, DumpFormat, DumpPart};
pub use install::{Install, Uninstall};
pub use profiles::{Blame, Export, ExportFormat, Import, PercentOf, RowUnit, SortColumn, Top};
pub use push::{Push, Sending};
pub use record::Record;
pub use sampling::{DebugFiles, OfPerf, Sampling, WhichSamples};

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
    /// Check the requirements of sampling, and with a process id whether that VM can be read.
    #[command(after_help = "Examples: extrospect doctor\n          extrospect doctor 4711")]
    Doctor(Doctor),
    /// Show the events that can be recorded here, the reasons for others, and their cost; with a process id, of that VM.
    #[command(after_help = "Examples: extrospect events\n          extrospect events 4711")]
    Events(Events),
    /// Record a capture of a running VM.
    #[command(
        after_help = "Examples: extrospect record 4711 -d 30 -F 499 -o checkout.pb.gz\n          extrospect record 4711 --work-name orders --work-metric shop_orders_total --work-url http://localhost:9100/metrics\n          extrospect record --all -d 0 --push http://pyroscope:4040\n          extrospect record 4711 -d 0 --keep 1h -o shop.pb.gz\n          extrospect record 4711 --when 'mailbox>10000 or memory>8GB' -o shop.pb.gz\n          extrospect record 4711 --detach night"
    )]
    Record(Box<Record>),
    /// Captures that continue in the background (`record --detach`): list, stop, fetch or remove
    /// them.
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
        after_help = "Examples: extrospect blame copy_struct checkout.pb.gz\n          extrospect blame gc 4711 --callers\n\nGroups: copy, gc, compare, ets, lock, alloc, binary, port, nif:NAME, port:DRIVER"
    )]
    Blame(Blame),
    /// Compare captures of two versions: the changes, and whether they are significant.
    #[command(
        override_usage = "extrospect diff [OPTIONS] <BASE>... -- <NEW>... [OPTIONS]\n       extrospect diff --history <FOLDER> [--function <NAME>]... [OPTIONS]",
        after_help = "Examples: extrospect diff before.pb.gz -- after.pb.gz\n          extrospect diff old-*.pb.gz -- new-*.pb.gz --own ~/shop --markdown --fail-if 'slower>2%'\n          extrospect diff --history captures --function shop_cart:total/1\n\nExit code 6: a condition of --fail-if holds; 7: the captures cannot tell. docs/compare.md explains the output."
    )]
    Diff(Box<Diff>),
    /// Convert a profile of another tool to a capture: perf.data, perf script text, folded stacks,
    /// eflambe, speedscope, .cpuprofile, JSON of samply and the Firefox Profiler, OTLP profiles. Other commands open
    /// them as they are, too.
    #[command(after_help = "Example: extrospect import perf.data -o shop.pb.gz")]
    Import(Import),
    /// Show the commit of a capture, compare its modules with the builds of a workspace, and assign a
    /// commit to a capture that was taken elsewhere.
    #[command(
        after_help = "Examples: extrospect commit server.pb.gz --builds ~/shop\n          extrospect commit server.pb.gz --builds ~/shop --assign v1.2.3"
    )]
    Commit(CommitOf),
    /// Write a capture, or the code map of a VM, in another tool's format.
    #[command(
        after_help = "Example: extrospect export checkout.pb.gz --format folded > checkout.folded\n         extrospect export 4711 --format perf-map > /tmp/perf-4711.map"
    )]
    Export(Export),
    /// Show the current stack of each scheduler of a running VM.
    #[command(after_help = "Example: extrospect pstack 4711 --only-erlang")]
    Pstack(Pstack),
    /// Show a running VM as a whole: schedulers, run queues, the fill of its tables.
    #[command(after_help = "Example: extrospect node 4711")]
    Node(inside::Node),
    /// Count what happens in a running VM, without samples: collections, reductions, switches, page faults.
    #[command(
        after_help = "Examples: extrospect stat 4711 -d 5\n          extrospect stat 4711 -d 0 -I 1000\n          extrospect stat 4711 -d 5 -r 10"
    )]
    Stat(inside::Stat),
    /// Show the processes of a running VM: names, mailboxes, memory, current functions.
    #[command(after_help = "Example: extrospect ps 4711 --sort mailbox")]
    Ps(inside::Ps),
    /// Show the heap of an Erlang process: its live part, and what keeps it alive.
    #[command(after_help = "Example: extrospect heap 4711 '<0.83.0>'")]
    Heap(inside::Heap),
    /// Show what grows in a running VM while it is watched: processes, mailboxes, binaries, tables, atoms.
    #[command(after_help = "Example: extrospect growth 4711 -d 300")]
    Growth(inside::Growth),
    /// Show where the processes of a running VM wait, by stack, and write the waits as a profile.
    #[command(after_help = "Example: extrospect waits 4711 -d 30 -o waits.pb.gz")]
    Waits(inside::Waits),
    /// Show the nodes that a running VM knows: its cluster, connected or not.
    #[command(after_help = "Example: extrospect nodes 4711")]
    Nodes(Nodes),
    /// Show the memory of a running VM by purpose: its allocators, their free memory, its ETS tables.
    #[command(after_help = "Example: extrospect memory 4711")]
    Memory(Memory),
    /// Show which processes hold the binaries of a running VM, which have allocated them, and which binaries
    /// small parts keep alive.
    #[command(after_help = "Example: extrospect binaries 4711")]
    Binaries(inside::Binaries),
    /// Write the data read from a VM, one JSON object per line, for other tools to check.
    #[command(
        hide = true,
        after_help = "Example: extrospect dump 4711 --what stacks"
    )]
    Dump(Dump),
    /// Look at one VM for `list`, which gives up a look that takes too long.
    #[command(hide = true)]
    Look(Look),
    /// Sample for the process that started it, as ordered on stdin.
    #[command(hide = true)]
    Sampler,
    /// Compare captures for the editor that started it, which sends them on stdin.
    #[command(hide = true)]
    EditorCompare,
    /// Serve an editor: JSON-RPC on stdin and stdout.
    #[command(
        after_help = "Example: extrospect serve --stdio    (docs/protocol.md describes the messages)"
    )]
    Serve(Serve),
    /// Install a copy with the rights that sampling needs, for the members of a group (root only).
    #[command(
        after_help = "Example: sudo extrospect install    (docs/security.md explains its rights)"
    )]
    Install(Install),
    /// Remove the copy that `install` made (root only).
    #[command(after_help = "Example: sudo extrospect uninstall --purge")]
    Uninstall(Uninstall),
}

impl Command {
    /// Whether the command reads OS processes itself, with the helper's rights if the caller has none.
    /// All others have an own program do it.
    pub fn looks_into_processes(&self) -> bool {
        match self {
            Self::Look(_) | Self::Sampler | Self::Dump(_) => true,
            Self::Doctor(_) | Self::Events(_) => true,
            Self::Export(export) => export.format == ExportFormat::PerfMap,
            _ => false,
        }
    }
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
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// In this very process, which cannot be given up then.
    #[arg(long)]
    pub here: bool,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Process id of a VM to check, too.
    #[arg(value_parser = pid)]
    pub pid: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Names of C functions.
    #[command(flatten)]
    pub debug_files: DebugFiles,
}

/// `events`.
#[derive(Debug, Args)]
pub struct Events {
    /// Process id of the VM to try it on.
    #[arg(value_parser = pid)]
    pub pid: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pstack`.
#[derive(Debug, Args)]
pub struct Pstack {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
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
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `memory`.
#[derive(Debug, Args)]
pub struct Memory {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Use stdin and stdout, the only transport.
    #[arg(long, required = true)]
    pub stdio: bool,
    /// Makes the conversation resumable over another connection, under this name: 32 hexadecimal
    /// digits.
    #[arg(long, hide = true, conflicts_with = "resume")]
    pub session: Option<SessionName>,
    /// Resume what another `serve` holds under that name.
    #[arg(long, hide = true)]
    pub resume: Option<SessionName>,
    /// Seconds for which a session waits for a client to come back.
    #[arg(long, hide = true, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub keep_for: u32,
}

impl Arguments {
    /// Reads the command line.
    ///
    /// # Errors
    /// The fault in it, or the requested help.
    pub fn read() -> Result<Self, clap::Error> {
        Self::try_parse_from(with_sides(std::env::args_os()))
    }
}

/// `commit`.
#[derive(Debug, Args)]
pub struct CommitOf {
    /// The capture.
    pub file: PathBuf,
    /// Folder of the project that the VM runs, with its builds: the files in _build, ebin and
    /// releases below it are compared by checksum.
    #[arg(long, default_value = ".")]
    pub builds: PathBuf,
    /// Give the capture this commit, branch or tag of the repository there.
    #[arg(long, value_name = "COMMIT")]
    pub assign: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

fn pid(text: &str) -> Result<u32, String> {
    let hint = "it is not a process id; `extrospect list` shows the VMs here";
    text.parse().map_err(|_| hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_process_id_is_answered_with_where_ids_and_commands_go() {
        let refused = |arguments: &[&str]| {
            let arguments = ["extrospect"].iter().chain(arguments);
            Arguments::try_parse_from(arguments)
                .unwrap_err()
                .to_string()
        };
        for command in [
            "record", "pstack", "doctor", "events", "ps", "waits", "growth", "stat",
        ] {
            for word in ["shop", "99999999999"] {
                let message = refused(&[command, word]);
                assert!(message.contains("extrospect list"), "{message}");
                assert!(!message.contains("digit"), "{message}");
                let is_command = message.contains("extrospect record -- ");
                assert_eq!(is_command, command == "record", "{message}");
            }
        }
        assert!(Arguments::try_parse_from(["extrospect", "record", "4711"]).is_ok());
    }
}
