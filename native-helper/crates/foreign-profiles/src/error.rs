//! Why a profile of another tool could not be read.

use profile_builder::TooMany;

use crate::format::Format;

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
         .cpuprofile, OTLP profiles"
    )]
    UnknownFormat,
    /// The binary file of `perf record`.
    #[error("it is a perf.data file, which only perf itself can read: perf script -i FILE")]
    PerfData,
    /// It is damaged, or not quite that format.
    #[error("it looks like {format} and is damaged: {what}")]
    Malformed {
        /// What it looked like.
        format: Format,
        /// What is wrong, and where.
        what: String,
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
