//! Profiles of other tools, for the editor.

use foreign_profiles::{Defect, ImportError, Limits, convert_event};
use serde::{Deserialize, Serialize};

/// A file to convert; its bytes follow.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ConvertRequest {
    /// The event of a recording that has several; null where none is chosen.
    pub event: Option<String>,
}

/// The result of converting a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum Converted {
    /// A pprof message follows.
    Profile {
        /// Format of the file, in English.
        format: String,
        /// The omissions and assumptions of the conversion, one sentence each, in English.
        notes: Vec<String>,
    },
    /// It may be a pprof profile as it is.
    AsItIs,
    /// It has samples of several events, and a capture has those of one.
    SeveralEvents {
        /// All of them.
        events: Vec<EventOfFile>,
    },
    /// It is no profile that can be read.
    Unread {
        /// Why, for callers that have words of their own for it.
        reason: UnreadReason,
        /// Why, in English.
        text: String,
    },
    /// The request makes no sense.
    Failed {
        /// Why, in English.
        why: String,
    },
}

/// Why a profile of another tool is not read. Kinds that a user treats alike are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum UnreadReason {
    /// There is nothing in it.
    Empty,
    /// It has none of the formats that are read.
    UnknownFormat,
    /// It is text with characters that no format has.
    ControlCharacters,
    /// It is the binary file of `perf record`.
    PerfData,
    /// Its compression is damaged.
    Gzip,
    /// It has no samples of the chosen event.
    NoSuchEvent {
        /// The chosen event.
        event: String,
    },
    /// It is larger than the largest file that is read.
    TooLarge {
        /// The largest file, decompressed, bytes.
        limit: usize,
    },
    /// A part of it is larger than the largest that is read.
    TooMany {
        /// The largest part.
        limit: usize,
    },
    /// It is damaged, or not quite of its format.
    Damaged {
        /// Name of the format; null for JSON that is damaged before its format is known.
        format: Option<String>,
        /// The defect.
        defect: Defect,
    },
}

/// An event of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct EventOfFile {
    /// As the recording has it: `cpu-clock:ppp`.
    pub name: String,
    /// Samples.
    #[cfg_attr(feature = "ts-rs", ts(type = "number"))]
    pub samples: u64,
}

/// Converts; see the crate for the bytes.
pub fn convert(message: &[u8]) -> Vec<u8> {
    let (converted, message) = match crate::requested(message) {
        Ok((request, bytes)) => converted(&request, bytes),
        Err(why) => (Converted::Failed { why }, Vec::new()),
    };
    // Texts and lists can always be written.
    let json = serde_json::to_vec(&converted).unwrap_or_default();
    let mut answer = crate::with_length(&json);
    answer.extend_from_slice(&message);
    answer
}

fn converted(request: &ConvertRequest, bytes: &[u8]) -> (Converted, Vec<u8>) {
    let event = request.event.as_deref();
    match convert_event(bytes, &Limits::default(), event) {
        Ok(Some(imported)) => {
            let format = imported.format.to_string();
            (
                Converted::Profile {
                    format,
                    notes: imported.notes,
                },
                imported.message,
            )
        }
        Ok(None) => (Converted::AsItIs, Vec::new()),
        Err(error) => (not_converted(error), Vec::new()),
    }
}

fn not_converted(error: ImportError) -> Converted {
    let text = error.to_string();
    let reason = match error {
        ImportError::SeveralEvents { events } => {
            let events = events.into_iter().map(|event| EventOfFile {
                name: event.name,
                samples: event.samples,
            });
            let events = events.collect();
            return Converted::SeveralEvents { events };
        }
        ImportError::Empty => UnreadReason::Empty,
        ImportError::UnknownFormat => UnreadReason::UnknownFormat,
        ImportError::ControlCharacters => UnreadReason::ControlCharacters,
        ImportError::PerfData => UnreadReason::PerfData,
        ImportError::Gzip(_) => UnreadReason::Gzip,
        ImportError::NoSuchEvent { event, .. } => UnreadReason::NoSuchEvent { event },
        ImportError::TooLarge { max_bytes } => UnreadReason::TooLarge { limit: max_bytes },
        ImportError::TooMany { max, .. } => UnreadReason::TooMany { limit: max },
        ImportError::Malformed { format, defect, .. } => UnreadReason::Damaged {
            format: Some(format.to_string()),
            defect,
        },
        ImportError::Json { defect, .. } => UnreadReason::Damaged {
            format: None,
            defect,
        },
    };
    Converted::Unread { reason, text }
}
