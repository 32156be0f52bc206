//! Why a capture cannot be read, for the editor, which has words of its own for it.

use capture::reader::ReadError;
use serde::{Deserialize, Serialize};

/// A capture that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct UnreadCapture {
    /// Its name in the request; empty where that has none.
    pub capture: String,
    /// The kind of reason.
    pub problem: ReadProblem,
    /// One clause in English, which leads to the place in the bytes or names the limit.
    pub why: String,
}

/// Kinds of reasons, as the editor's own reader of captures has them. Kinds that a user treats alike are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum ReadProblem {
    /// There is nothing in it.
    Empty,
    /// It is something else than a pprof profile.
    NotAProfile,
    /// It was one, but its bytes make no sense.
    Damaged,
    /// It has values below zero: it is the difference of two profiles.
    Difference,
    /// There is more of something in it than is read.
    TooMany,
}

impl UnreadCapture {
    /// The capture has no name yet.
    pub(crate) fn of(error: &ReadError) -> Self {
        let (problem, why) = match error {
            ReadError::Empty => (ReadProblem::Empty, "it is empty".to_owned()),
            ReadError::NotAProfile(why) => (ReadProblem::NotAProfile, (*why).to_owned()),
            ReadError::Io(error) => (ReadProblem::Damaged, error.to_string()),
            ReadError::Corrupt(what) => (ReadProblem::Damaged, what.clone()),
            ReadError::BadIndex { what, index } => {
                (ReadProblem::Damaged, format!("there is no {what} {index}"))
            }
            ReadError::Difference => (
                ReadProblem::Difference,
                "a value of it is below zero".to_owned(),
            ),
            ReadError::TooMany { what, max } => (
                ReadProblem::TooMany,
                format!("it holds more than {max} {what}"),
            ),
        };
        Self {
            capture: String::new(),
            problem,
            why,
        }
    }

    pub(crate) fn named(self, capture: &str) -> Self {
        Self {
            capture: capture.to_owned(),
            ..self
        }
    }
}
