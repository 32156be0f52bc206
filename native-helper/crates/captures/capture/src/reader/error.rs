//! Why a capture could not be read.

/// Why a capture could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error("cannot read the capture: {0}")]
    Io(#[from] std::io::Error),
    /// There is nothing in it.
    #[error("the capture is empty")]
    Empty,
    /// It is something else.
    #[error("this is no pprof profile: {0}")]
    NotAProfile(&'static str),
    /// It was one, but is damaged.
    #[error("the capture is damaged: {0}")]
    Corrupt(String),
    /// An index or id points nowhere.
    #[error("the capture is damaged: there is no {what} {index}")]
    BadIndex {
        /// The kind of the missing entry: `string`, `function`, ...
        what: &'static str,
        /// The index or id.
        index: u64,
    },
    /// Values below zero: the difference of two profiles, of which nothing has a share.
    #[error(
        "a value of the profile is below zero: it is the difference of two profiles (pprof -base, -diff_base); open these \
         two and compare them (extrospect diff BEFORE AFTER)"
    )]
    Difference,
    /// More of something than allowed.
    #[error("the capture holds more than {max} {what}")]
    TooMany {
        /// The entries that are too many: `samples`, `frames in one stack`, ...
        what: &'static str,
        /// The limit.
        max: usize,
    },
}

impl ReadError {
    /// Fails when there are `max` of something already.
    pub(super) fn unless_room(len: usize, max: usize, what: &'static str) -> Result<(), Self> {
        match len < max {
            true => Ok(()),
            false => Err(Self::TooMany { what, max }),
        }
    }
}
