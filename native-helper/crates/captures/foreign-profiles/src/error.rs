//! Why a profile of another tool could not be read.

use capture::counted::counted;
use profile_builder::TooMany;
use serde::Serialize;

use crate::format::Format;

/// An event of a recording of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEvent {
    /// As the recording has it: `cpu-clock:ppp`.
    pub name: String,
    /// Samples.
    pub samples: u64,
}

/// The kind of defect of a profile of a known format, for callers that have words of their own for it. Kinds that a user
/// treats alike are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum Defect {
    /// Its end is missing.
    Cut,
    /// It is no JSON, or its members are not those of the format.
    Json {
        /// The line where reading stopped, from 1.
        line: usize,
        /// The column in the line.
        column: usize,
    },
    /// More lines are nothing of this format than are.
    Lines {
        /// How many.
        count: usize,
        /// The first of them, from 1; null where that is not known.
        first: Option<usize>,
    },
    /// A type or unit is none of the format.
    UnknownWord {
        /// As the file has it.
        word: String,
    },
    /// Parts of it contradict each other, or one is missing.
    Inconsistent {
        /// The part, as the format names it: `nodes[3]`.
        part: String,
    },
    /// There is no sample in it.
    NoSamples,
    /// All values are below zero, as in a difference of two profiles.
    BelowZero,
    /// It is in the form that Firefox records, not in the one that its profiler saves.
    Unprocessed,
    /// It may be of another revision of its format.
    OtherRevision,
}

impl Defect {
    pub(crate) fn unknown(word: &str) -> Self {
        Self::UnknownWord {
            word: word.to_owned(),
        }
    }

    /// Of an entry of a list.
    pub(crate) fn at(list: &str, index: impl std::fmt::Display) -> Self {
        Self::Inconsistent {
            part: format!("{list}[{index}]"),
        }
    }

    /// Of a whole part.
    pub(crate) fn of(part: &str) -> Self {
        Self::Inconsistent {
            part: part.to_owned(),
        }
    }
}

/// Why a profile of another tool could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// There is nothing in it.
    #[error("there is nothing in it")]
    Empty,
    /// It is nothing that we know.
    #[error(
        "it has none of the supported formats: pprof, perf script, folded stacks, speedscope, \
         .cpuprofile, JSON of samply and the Firefox Profiler, OTLP profiles"
    )]
    UnknownFormat,
    /// It is text with characters that no format has.
    #[error("it is text with control characters, such as terminal colours: write it without them")]
    ControlCharacters,
    /// The binary file of `perf record`.
    #[error("it is a perf.data file, which only perf itself can read: perf script -i FILE")]
    PerfData,
    /// It is damaged, or not quite that format.
    #[error("it looks like {format} and is damaged: {what}")]
    Malformed {
        /// The detected format.
        format: Format,
        /// The kind of defect.
        defect: Defect,
        /// The defect, and where it is.
        what: String,
    },
    /// It is JSON, and damaged before its format is known.
    #[error("it is JSON that is damaged: {what}")]
    Json {
        /// The kind of defect.
        defect: Defect,
        /// The defect, and where it is.
        what: String,
    },
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
    pub(crate) fn malformed(format: Format, defect: Defect, what: impl Into<String>) -> Self {
        Self::Malformed {
            format,
            defect,
            what: what.into(),
        }
    }
}

impl From<TooMany> for ImportError {
    fn from(TooMany { what, max }: TooMany) -> Self {
        Self::TooMany { what, max }
    }
}
