//! Two sets of captures held against each other.
//!
//! Data flows one way: captures are [`counted`](counts) function by function in blocks of time
//! ([`block_length`]); functions of one side find their counterparts on the other ([`matching`]); each
//! pair becomes an [`estimate`] of how much changed, with what is known of the spread between runs
//! ([`spread`]); what so many tests at once may be trusted with is decided last ([`verdicts`]). The
//! method and its sources: `docs/compare.md`.
//!
//! Nothing here reads a file, asks git or prints: command line and editor do, each in its own way,
//! and hand over captures and texts.

mod block_length;
mod comparability;
mod comparison;
mod condition;
mod counts;
mod estimate;
mod identity;
mod kernel_time;
mod markdown;
mod matching;
mod measure;
mod notes;
mod refusal;
mod side;
mod side_by_side;
mod slot_ranges;
mod sources;
mod special_functions;
mod spread;
mod tracks;
mod verdicts;
mod work_notes;

pub use self::comparison::{Options, compare};
pub use self::condition::{Condition, ConditionError};
pub use self::markdown::{markdown, method};
pub use self::matching::MatchedBy;
pub use self::measure::Measure;
pub use self::notes::{Note, NoteKind};
pub use self::refusal::{Refusal, RefusalKind, Refused};
pub use self::side::{CaptureToCompare, Side};
pub use self::sources::{RenamedFile, SourceFile, SourceTexts, wanted_files};
pub use self::tracks::{TrackChange, TrackKind, TrackMean, TrackVerdict, track_line};
pub use self::verdicts::Verdict;

pub mod answer;
