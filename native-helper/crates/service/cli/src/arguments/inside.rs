//! Arguments of the commands that look at the inside of a VM.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sampling_process::{NoProcessName, ProcessName};

use super::{pid, sampling};

/// `node`.
#[derive(Debug, Args)]
pub struct Node {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `stat`.
#[derive(Debug, Args)]
pub struct Stat {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Seconds to count; 0 until Ctrl-C.
    #[arg(short, long, value_name = "SECONDS", default_value_t = 10.0, value_parser = sampling::seconds, allow_negative_numbers = true)]
    pub duration: f64,
    /// Print each interval of so many milliseconds, too.
    #[arg(short = 'I', long, value_name = "MILLISECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    pub interval: Option<u64>,
    /// Runs of that duration, one after the other: the mean and the standard deviation of their rates.
    #[arg(short, long, value_name = "RUNS", default_value_t = 1, conflicts_with = "interval", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Count in each scheduler, too.
    #[arg(long)]
    pub per_scheduler: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `ps`.
#[derive(Debug, Args)]
pub struct Ps {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Rows to show; 0 for all. JSON has all, unless this is given.
    #[arg(short = 'n', long)]
    pub rows: Option<usize>,
    /// What to sort by, the most first. JSON is in the order of the VM's table, unless this is given.
    #[arg(long, value_enum)]
    pub sort: Option<ProcessOrder>,
    /// Groups of processes, the most heap first, with the unused part and the garbage of their heaps.
    #[arg(long, value_enum, conflicts_with = "sort")]
    pub by: Option<ProcessGroups>,
    /// With --by: processes of each of the 20 largest groups whose heaps are inspected for garbage, at most 1000.
    #[arg(long, value_name = "PROCESSES", default_value = "5", requires = "by", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=1000))]
    pub look_into: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Groups of `ps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProcessGroups {
    /// Registered name, else label, else initial call.
    Name,
    /// Label.
    Label,
    /// The function they were started with.
    InitialCall,
}

/// Order of `ps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProcessOrder {
    /// Bytes of the process.
    Memory,
    /// Messages that wait.
    Mailbox,
    /// Reductions of its life.
    Reductions,
    /// Bytes of the binaries that it holds outside of its heap.
    Binaries,
}

/// `binaries`.
#[derive(Debug, Args)]
pub struct Binaries {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Rows of each table, at most 1000. JSON has all of these, unless this is given.
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rows: Option<u32>,
    /// Processes, those that hold most, whose heaps are looked through for parts of binaries, at most 200.
    #[arg(long, value_name = "PROCESSES", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=200))]
    pub look_into: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `heap`.
#[derive(Debug, Args)]
pub struct Heap {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// The Erlang process: its pid, as '<0.83.0>', 0.83.0 or '#PID<0.83.0>', or its registered name.
    #[arg(value_name = "PROCESS", value_parser = process, allow_hyphen_values = true)]
    pub process: String,
    /// Show contents, too: the first messages and the dictionary, shortened.
    #[arg(long, conflicts_with = "json")]
    pub values: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `growth`.
#[derive(Debug, Args)]
pub struct Growth {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Seconds to watch.
    #[arg(short, long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds, allow_negative_numbers = true)]
    pub duration: f64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `waits`.
#[derive(Debug, Args)]
pub struct Waits {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// Seconds to watch.
    #[arg(short, long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds, allow_negative_numbers = true)]
    pub duration: f64,
    /// File to write, a profile of the time that processes wait.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(short, long, requires = "output")]
    pub force: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// A process as people write it down.
fn process(text: &str) -> Result<String, NoProcessName> {
    text.parse::<ProcessName>().map(|_| text.to_owned())
}

/// A time that something can be watched for.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    match (1.0..=86_400.0).contains(&seconds) {
        true => Ok(seconds),
        false => Err("from 1 to 86400 seconds".to_owned()),
    }
}
