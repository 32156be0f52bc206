//! Two sets of captures compared with each other.
//!
//! Data flows one way: captures are [`counted`](counts) function by function in blocks of time
//! ([`block_length`]); functions of one side find their counterparts on the other ([`matching`]); each
//! pair becomes an [`estimate`] of how much changed, with the known spread between runs ([`spread`]);
//! the claims that so many tests at once allow are decided last ([`verdicts`]). Then rows are
//! explained: [`collections`] that moved, [`wrappers`], and [`moved_work`]; which of them a reader
//! gets to see is up to [`shown_rows`]. The method and its sources: `docs/compare-method.md`.
//!
//! Nothing here reads a file, runs git or prints: command line and editor do, each in its own way,
//! and hand over captures and texts.

mod block_length;
mod call_graph;
mod code;
mod collections;
mod comparability;
mod comparison;
mod composition;
mod condition;
mod counts;
mod cuts;
mod difference_page;
mod difference_tree;
mod disagreement;
mod erlang_name;
mod estimate;
mod explaining;
mod fact_of_group;
mod frame_change;
mod gate;
mod given_time;
mod history;
mod identity;
mod judgement;
mod kernel_time;
mod link;
mod machine;
mod markdown;
mod matching;
mod matching_notes;
mod measure;
mod module_builds;
mod moved;
mod moved_work;
mod name_pattern;
mod note_words;
mod notes;
mod pair;
mod pairs;
mod project;
mod refusal;
mod remark;
mod row;
mod row_group;
mod row_words;
mod sample_groups;
mod shown_rows;
mod side;
mod side_by_side;
mod side_check;
mod side_stacks;
mod source_notes;
mod sources;
mod special_functions;
mod spread;
mod stack_walk;
mod tracing;
mod tracks;
mod unchanged_code;
mod verdicts;
mod version;
mod whole;
mod work_notes;
mod wrappers;

pub use self::at_once::at_once;
pub use self::comparison::{Options, compare};
pub use self::condition::{Condition, ConditionError, Unfit, Unit};
pub use self::difference_page::{Page, difference_page};
pub use self::gate::{Caution, Certainty, Finding, Gate};
pub use self::given_time::GivenTime;
pub use self::history::answer as history_answer;
pub use self::history::{
    CommitOrder, CountedCapture, HistoryCondition, HistoryConditionError, HistoryGate,
    HistoryQuestion, history, history_markdown, history_page, skipped_unreadable,
};
pub use self::judgement::{Answer, Doubt, Reason};
pub use self::link::{Link, LinkError};
pub use self::markdown::{Comment, markdown, method, titles};
pub use self::matching::{MatchedBy, Unmatched};
pub use self::measure::Measure;
pub use self::moved::{Amount, Moved, MovedKind};
pub use self::notes::{Note, NoteKind};
pub use self::refusal::{Refusal, RefusalKind, Refused};
pub use self::remark::Remark;
pub use self::row_group::RowGroup;
pub use self::shown_rows::{Choice, ShownRow, ShownRows, shown_rows};
pub use self::side::{CaptureToCompare, Side, name_of_captures};
pub use self::sources::{RenamedFile, SourceFile, SourceTexts, wanted_files};
pub use self::tracks::{TrackChange, TrackKind, TrackMean, TrackVerdict, track_lines};
pub use self::verdicts::Verdict;
pub use self::whole::whole_line;

pub mod answer;
mod at_once;
