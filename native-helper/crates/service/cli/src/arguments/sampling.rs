//! How a VM is sampled, and which part of a perf recording is read: arguments that several commands
//! have.

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use debuginfod::{Server, Wish};
use protocol::lifecycle::MAX_FREQUENCY_HZ;
use protocol::sampling::{EngineChoice, MAX_MIN_BLOCK_US, SamplingParams};
use recorder::SourceSet;

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
    /// Shortest time without a processor that is in the stacks (off-cpu): 100us, 2ms; shorter ones are counted
    /// [default: all are].
    #[arg(long, value_name = "TIME", value_parser = min_block)]
    pub min_block: Option<MinBlock>,
    /// Names of C functions.
    #[command(flatten)]
    pub debug_files: DebugFiles,
}

/// A time without a processor that is long enough, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinBlock(pub u32);

impl Sampling {
    /// The same as a client would request it, of processor time.
    pub fn params(&self) -> SamplingParams {
        SamplingParams {
            frequency_hz: self.frequency,
            include_kernel: self.include_kernel,
            engine: self.engine.into(),
            types: Vec::new(),
            node_every_ms: None,
            min_block_us: self.min_block_us(),
        }
    }

    /// Sources of samples, as far as the options of sampling have more on them.
    pub fn of_sources(&self, sources: SourceSet) -> SourceSet {
        sources.with_min_block_us(self.min_block_us().unwrap_or(0))
    }

    fn min_block_us(&self) -> Option<u32> {
        self.min_block.map(|MinBlock(us)| us)
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

/// How long a unit is, microseconds.
const SHORT_TIMES: [(&str, u32); 4] = [("us", 1), ("µs", 1), ("ms", 1_000), ("s", 1_000_000)];

fn min_block(text: &str) -> Result<MinBlock, String> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(unit_at.unwrap_or(text.len()));
    let number: Option<u32> = number.parse().ok();
    let of_unit = SHORT_TIMES.iter().find(|(name, _)| *name == unit);
    let us = number
        .zip(of_unit)
        .and_then(|(number, (_, us))| number.checked_mul(*us));
    us.filter(|us| *us <= MAX_MIN_BLOCK_US)
        .map(MinBlock)
        .ok_or_else(|| "not a time such as 100us or 2ms, up to 60s".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=31_536_000.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds, 0 or more".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_is_a_number_and_a_unit() {
        for (text, us) in [
            ("100us", 100),
            ("250µs", 250),
            ("2ms", 2_000),
            ("60s", 60_000_000),
        ] {
            assert_eq!(min_block(text), Ok(MinBlock(us)), "{text}");
        }
        for wrong in [
            "",
            "100",
            "us",
            "-1ms",
            "1.5ms",
            "2min",
            "61s",
            "4294967295s",
            "1 ms",
        ] {
            assert!(min_block(wrong).is_err(), "{wrong}");
        }
    }
}
