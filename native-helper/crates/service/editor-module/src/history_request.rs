//! Histories for the editor, in two steps: captures are counted, some in each call, so that a history
//! of a thousand takes no more memory than one capture; one more call makes a history of the counts.

use std::collections::HashMap;

use capture::reader::Capture;
use compare::history_answer::History;
use compare::{CommitOrder, CountedCapture, HistoryQuestion, Refused};
use serde::{Deserialize, Serialize};
use shared_map::HashSet;

use crate::unread_capture::UnreadCapture;

/// Captures to be counted; their bytes follow the request.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CountRequest {
    /// The question that the history answers.
    pub question: HistoryQuestion,
    /// In the order of their bytes.
    pub captures: Vec<CaptureToCount>,
}

/// A capture.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CaptureToCount {
    /// Name of the capture.
    pub name: String,
    /// How many of the bytes are its file.
    pub bytes: usize,
}

/// The result of counting captures.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum CountAnswer {
    /// They were counted, as far as they could be read.
    Counted(CountedCaptures),
    /// The request makes no sense; in English.
    Failed(String),
}

/// Captures, counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CountedCaptures {
    /// In the order of the request.
    pub captures: Vec<CountedCapture>,
    /// Those that could not be read.
    pub unread: Vec<UnreadCapture>,
}

/// The data for a history.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryRequest {
    /// The question that the captures were counted for.
    pub question: HistoryQuestion,
    /// All of them.
    pub captures: Vec<CountedCapture>,
    /// Whole names of commits, the oldest first, as far as they are known.
    pub order: Vec<String>,
    /// When these commits were made, milliseconds since 1970, as far as that is known.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<HashMap<String, f64>>"))]
    pub made_unix_ms: HashMap<String, u64>,
    /// Names of captures that could not be read.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub unreadable: Vec<String>,
}

/// A history, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum HistoryAnswer {
    /// It was made.
    Made(Box<History>),
    /// There is none of these.
    Refused(Refused),
    /// The request makes no sense; in English.
    Failed(String),
}

/// Counts; see the crate for the bytes.
pub fn count(message: &[u8]) -> Vec<u8> {
    let answer = counted(message).unwrap_or_else(CountAnswer::Failed);
    // Numbers, texts and lists can always be written.
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// Makes a history; see the crate for the bytes.
pub fn history(message: &[u8]) -> Vec<u8> {
    let answer = made(message).unwrap_or_else(HistoryAnswer::Failed);
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn counted(message: &[u8]) -> Result<CountAnswer, String> {
    let (json, mut rest) = crate::split(message).ok_or("the request is cut")?;
    let request: CountRequest =
        named_members::from_slice(json).map_err(|error| error.to_string())?;
    let mut counted = CountedCaptures::default();
    for CaptureToCount { name, bytes } in &request.captures {
        let (bytes, behind) = rest
            .split_at_checked(*bytes)
            .ok_or("the captures are cut")?;
        rest = behind;
        match Capture::from_bytes(bytes) {
            Ok(capture) => counted
                .captures
                .push(request.question.count(name, &capture)),
            Err(error) => counted.unread.push(UnreadCapture::of(&error).named(name)),
        }
    }
    Ok(CountAnswer::Counted(counted))
}

fn made(message: &[u8]) -> Result<HistoryAnswer, String> {
    let (json, _) = crate::split(message).ok_or("the request is cut")?;
    let HistoryRequest {
        question,
        captures,
        mut order,
        made_unix_ms,
        unreadable,
    } = named_members::from_slice(json).map_err(|error| error.to_string())?;
    // The newest one of all that were captured: the command line requests these alone from git.
    let captured: HashSet<&str> = captures.iter().map(|it| it.commit.as_str()).collect();
    order.retain(|commit| captured.contains(commit.as_str()));
    let order = CommitOrder {
        names: order,
        made_unix_ms: made_unix_ms.into_iter().collect(),
    };
    Ok(
        match compare::history(&question, captures, &unreadable, &order) {
            Ok(history) => HistoryAnswer::Made(Box::new(history)),
            Err(refusal) => HistoryAnswer::Refused(refusal.refused()),
        },
    )
}
