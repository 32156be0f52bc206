//! Arguments of `record`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use capture::facts::OriginFacts;
use capture::file::kept::Keep;
use capture::sample_types::{CPU, FAULTS, OFF_CPU};
use clap::{Args, ValueEnum};
use outside_programs::WebAddress;
use profile_store::address::StoreAddress;
use profiling_service::detached::DetachedName;
use profiling_service::sampling::recording_settings;
use protocol::sampling::SamplingParams;
use recorder::{MaxOverhead, SourceSet};
use work_counter::{CommandLineError, Counter, Metric, MetricError, Source, split};

use super::keep::{self, OverheadLimit};
use super::push::{self, Sending};
use super::sampling::Sampling;
use super::when::When;

/// `record`.
#[derive(Debug, Args)]
pub struct Record {
    /// Process id of the VM.
    #[arg(required_unless_present_any = ["all", "command"], value_parser = pid_to_record)]
    pub pid: Option<u32>,
    /// Send a profile every ten seconds to a store, instead of writing a file.
    #[arg(long, value_name = "URL", value_parser = push::store, conflicts_with_all = ["output", "force"])]
    pub push: Option<StoreAddress>,
    /// Every VM of this machine, also those that start later; needs --push.
    #[arg(long, requires = "push", conflicts_with = "pid")]
    pub all: bool,
    /// Folder for profiles that wait while the store is unavailable [default: below ~/.cache].
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
    /// What to record, several with commas between (`extrospect events` shows whether it can be); other commands
    /// show one of them (--type).
    #[arg(
        long,
        value_enum,
        value_name = "EVENT",
        value_delimiter = ',',
        default_value = "cpu"
    )]
    pub event: Vec<EventArgument>,
    /// Where to write the capture [default: NODE-DATE-TIME-COMMIT.pb.gz].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Folder of the sources that the VM runs: the capture records the commit that its git repository
    /// has checked out, and the state of the sources [default: the current folder].
    #[arg(long, value_name = "DIR")]
    pub source_dir: Option<PathBuf>,
    /// What counts the work.
    #[command(flatten)]
    pub work: Work,
    /// Keep only the last part, a duration (30min, 1h, 2d) or a size (500MB), or both by giving it
    /// twice: the capture goes to files NAME.00001-TIME.pb.gz and so on, each a complete capture, of
    /// which the oldest are removed, including those of earlier runs with the same name.
    #[arg(long, value_name = "DURATION|SIZE", value_parser = keep::keep, conflicts_with_all = ["push", "force", "work_command", "work_metric"])]
    pub keep: Vec<Keep>,
    /// A flight recorder.
    #[command(flatten)]
    pub flight: When,
    /// Seconds between readings of the VM as a whole (0.1 to 3600): the capture then has run queues,
    /// memory, mailboxes, collections and IO beside its samples. The interval grows if readings would cost
    /// more than one percent of a core.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = node_interval, conflicts_with = "push")]
    pub every: Duration,
    /// The limit of the cost of sampling, percent of a core, of the helper or of the VM: above it,
    /// the rate is lowered, and the capture records that; "off" for no limit [default: 1% with -d 0,
    /// else off].
    #[arg(long, value_name = "PERCENT", value_parser = keep::overhead)]
    pub max_overhead: Option<OverheadLimit>,
    /// Record in the background, under this name: the capture continues without this terminal or
    /// connection, until --duration is over or `extrospect detached stop NAME`; at most 24 h and 1 GiB.
    /// See `extrospect detached`.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["push", "all", "output", "force", "keep"])]
    pub detach: Option<DetachedName>,
    /// This is what records in the background.
    #[arg(long, hide = true, requires = "detach")]
    pub recorder: bool,
    /// The sources that the VM was built from, as the starting process knows them.
    #[arg(long, hide = true, requires = "recorder", conflicts_with = "source_dir", value_parser = origin)]
    pub origin: Option<OriginFacts>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
    /// Print a summary as JSON. The output of a COMMAND then goes to standard error.
    #[arg(long)]
    pub json: bool,
    /// Start this command, and capture every VM that it and its children become, from its first moment
    /// until the command ends. The command runs as you, without the rights of this program; its exit code
    /// is passed on. A second VM goes to NAME.2.pb.gz, and so on.
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["pid", "push", "all", "detach", "keep", "when", "work_command", "work_metric"])]
    pub command: Vec<OsString>,
}

/// Sources of samples as the command line names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventArgument {
    /// Processor time.
    Cpu,
    /// The time that schedulers had no processor, with the calls that they waited in; needs engine bpf.
    OffCpu,
    /// Page faults, with the calls that touched the memory; needs engine bpf.
    Faults,
}

impl EventArgument {
    /// The id of the type of its samples.
    fn sample_type(self) -> String {
        let one = match self {
            Self::Cpu => CPU,
            Self::OffCpu => OFF_CPU,
            Self::Faults => FAULTS,
        };
        one.id.to_owned()
    }
}

impl Record {
    /// How to sample.
    pub fn sampling_params(&self) -> SamplingParams {
        let events = self.event.iter().copied();
        SamplingParams {
            types: events.map(EventArgument::sample_type).collect(),
            node_every_ms: u32::try_from(self.every.as_millis()).ok(),
            ..self.sampling.params()
        }
    }

    /// The sources of samples.
    pub fn sources(&self) -> SourceSet {
        recording_settings(&self.sampling_params()).sources
    }

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
    /// number, such as the orders so far. No shell runs it; quotes keep words together.
    #[arg(long, value_name = "PROGRAM ARG...", value_parser = command_words, group = "work_counter", conflicts_with_all = ["work_metric", "push"])]
    pub work_command: Option<CommandWords>,
    /// Count work by a metric of a page in the Prometheus text format; its series are summed.
    #[arg(long, value_name = "NAME{label=\"value\"}", value_parser = metric, group = "work_counter", requires = "work_url", conflicts_with = "push")]
    pub work_metric: Option<Metric>,
    /// Address of the page with the metric.
    #[arg(long, value_name = "URL", value_parser = metrics_page, requires = "work_metric", conflicts_with = "push")]
    pub work_url: Option<WebAddress>,
    /// The unit of work: `orders` [default: the metric, or the program].
    #[arg(
        long,
        value_name = "NAME",
        requires = "work_counter",
        conflicts_with = "push"
    )]
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

fn command_words(text: &str) -> Result<CommandWords, CommandLineError> {
    split(text).map(CommandWords)
}

fn origin(text: &str) -> Result<OriginFacts, serde_json::Error> {
    named_members::from_slice(text.as_bytes())
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

/// A word that is no process id may be meant as a command, or as a VM by name.
fn pid_to_record(text: &str) -> Result<u32, String> {
    super::pid(text)
        .map_err(|hint| format!("{hint}, and `extrospect record -- {text}` records a command"))
}

fn node_interval(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("not a number of seconds from 0.1 to 3600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use profiling_service::sampling::{arguments, recordable_types};
    use protocol::sampling::EngineChoice;

    use super::*;
    use crate::arguments::{Arguments, Command};

    #[test]
    fn the_events_of_the_command_line_are_those_of_events_and_another_one_is_refused_with_them() {
        let events = EventArgument::value_variants().iter();
        let ids: Vec<String> = events.map(|event| event.sample_type()).collect();
        assert_eq!(ids, recordable_types());
        let line = ["extrospect", "record", "4711", "--event", "cpu,xyz"];
        let refused = Arguments::try_parse_from(line).unwrap_err().to_string();
        assert!(refused.contains("xyz"), "{refused}");
        assert!(refused.contains(&ids.join(", ")), "{refused}");
    }

    #[test]
    fn the_arguments_of_a_detached_capture_have_the_settings_that_were_requested() {
        let requested = |types: &[&str], engine, node_every_ms: Option<u32>| SamplingParams {
            frequency_hz: 499,
            include_kernel: node_every_ms.is_some(),
            engine,
            types: types.iter().map(|&id| id.to_owned()).collect(),
            node_every_ms,
            min_block_us: node_every_ms.filter(|_| types.contains(&"off-cpu")),
        };
        for params in [
            requested(&[], EngineChoice::Auto, None),
            requested(&["cpu"], EngineChoice::Bpf, Some(100)),
            requested(&["off-cpu"], EngineChoice::Readv, Some(1_234)),
            requested(&["off-cpu", "cpu"], EngineChoice::Bpf, Some(3_600_000)),
            requested(&["cpu", "faults"], EngineChoice::Bpf, None),
        ] {
            let line = ["extrospect", "record", "4711"].map(str::to_owned);
            let line = line.into_iter().chain(arguments(&params));
            let Command::Record(record) = Arguments::try_parse_from(line).unwrap().command else {
                panic!("another command");
            };
            assert_eq!(
                recording_settings(&record.sampling_params()),
                recording_settings(&params)
            );
        }
    }
}
