//! Why a profile of another tool could not be read.

use capture::counted::counted;
use profile_builder::TooMany;

use crate::format::Format;

/// An event of a recording of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEvent {
    /// As the recording has it: `cpu-clock:ppp`.
    pub name: String,
    /// Samples.
    pub samples: u64,
}

/// Why a profile of another tool could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There is nothing in it.
    #[error("there is nothing in it")]
    Empty,
    /// It is nothing that we know.
    #[error(
        "it is none of the formats that are read: pprof, perf script, folded stacks, speedscope, \
         .cpuprofile, JSON of samply and the Firefox Profiler, OTLP profiles"
    )]
    UnknownFormat,
    /// It is text with characters that no format has.
    #[error(
        "it is text with control characters, as the colours of a terminal are: write it without them"
    )]
    ControlCharacters,
    /// The binary file of `perf record`.
    #[error("it is a perf.data file, which only perf itself can read: perf script -i FILE")]
    PerfData,
    /// It is damaged, or not quite that format.
    #[error("it looks like {format} and is damaged: {what}")]
    Malformed {
        /// The detected format.
        format: Format,
        /// The defect, and where it is.
        what: String,
    },
    /// It is JSON, and damaged before its format is known.
    #[error("it is JSON that is damaged: {0}")]
    Json(String),
    /// A capture counts one event, and which one is not chosen.
    #[error("it has samples of several events: {}", listed(events))]
    SeveralEvents {
        /// All of them.
        events: Vec<FoundEvent>,
    },
    /// It has no samples of the event that was chosen.
    #[error("it has no samples of the event {event}, only of: {}", listed(events))]
    NoSuchEvent {
        /// The chosen event.
        event: String,
        /// The events in the file.
        events: Vec<FoundEvent>,
    },
    /// The compressed file is damaged.
    #[error("its gzip compression is damaged: {0}")]
    Gzip(String),
    /// More bytes than allowed.
    #[error("it holds more than {max_bytes} bytes")]
    TooLarge {
        /// The limit.
        max_bytes: usize,
    },
    /// More of something than allowed.
    #[error("it holds more than {max} {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

fn listed(events: &[FoundEvent]) -> String {
    let names = events
        .iter()
        .map(|event| format!("{} ({})", event.name, counted(event.samples, "sample")));
    names.collect::<Vec<_>>().join(", ")
}

impl ImportError {
    pub(crate) fn malformed(format: Format, what: impl Into<String>) -> Self {
        Self::Malformed {
            format,
            what: what.into(),
        }
    }
}

impl From<TooMany> for ImportError {
    fn from(TooMany { what, max }: TooMany) -> Self {
        Self::TooMany { what, max }
    }
}
