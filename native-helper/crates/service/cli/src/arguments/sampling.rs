//! How a VM is sampled, and which part of a perf recording is read: arguments that several commands
//! have.

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use debuginfod::{Server, Wish};
use protocol::lifecycle::MAX_FREQUENCY_HZ;
use protocol::recording::EngineChoice;
use protocol::sampling::SamplingParams;

/// How to sample, wherever a command samples.
#[derive(Debug, Clone, Args)]
pub struct Sampling {
    /// Seconds to sample; 0 until Ctrl-C.
    #[arg(short, long, default_value_t = 10.0, value_parser = seconds, allow_negative_numbers = true)]
    #[arg(default_value_ifs([("detach", ArgPredicate::IsPresent, "0"), ("when", ArgPredicate::IsPresent, "0"), ("command", ArgPredicate::IsPresent, "0")]))]
    pub duration: f64,
    /// Samples per second of each thread's CPU time.
    #[arg(short = 'F', long, default_value_t = 99, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_FREQUENCY_HZ)))]
    pub frequency: u32,
    /// Show kernel functions, not just `[kernel]`.
    #[arg(long)]
    pub include_kernel: bool,
    /// Source of the Erlang stack below C code.
    #[arg(long, value_enum, default_value_t = EngineArgument::Auto)]
    pub engine: EngineArgument,
    /// Names of C functions.
    #[command(flatten)]
    pub debug_files: DebugFiles,
}

impl Sampling {
    /// The same as a client would request it, of processor time.
    pub fn params(&self) -> SamplingParams {
        SamplingParams {
            frequency_hz: self.frequency,
            include_kernel: self.include_kernel,
            engine: self.engine.into(),
            types: Vec::new(),
            node_every_ms: None,
        }
    }
}

/// The part of a perf recording to read, in every command that opens a profile of another tool.
#[derive(Debug, Clone, Default, Args)]
pub struct OfPerf {
    /// The event of a perf recording that has several: `cpu-clock`.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
}

/// The samples to take of a file, in every command that shows, compares or sends them.
#[derive(Debug, Clone, Default, Args)]
pub struct WhichSamples {
    /// The event, when given a recording of perf.
    #[command(flatten)]
    pub of_perf: OfPerf,
    /// The type of samples in a capture that has several: `off-cpu` [default: the first one].
    #[arg(long = "type", value_name = "TYPE")]
    pub sample_type: Option<String>,
}

/// Whether debug files are fetched, wherever a command attaches.
#[derive(Debug, Clone, Args)]
pub struct DebugFiles {
    /// Fetch missing debug files by build id: from URL, else from the servers of DEBUGINFOD_URLS, of
    /// this distribution, or of elfutils.org. Servers learn the build ids of the files that the VM
    /// runs. Without this option, they are fetched if DEBUGINFOD_URLS is set.
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
    /// Read right after the sample; unproven stacks are marked.
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

/// Nothing, or the address of a server.
fn server(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Ok(String::new()),
        false => Server::parse(text)
            .map(|_| text.to_owned())
            .map_err(|error| error.to_string()),
    }
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=31_536_000.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds, 0 or more".to_owned()),
    }
}
