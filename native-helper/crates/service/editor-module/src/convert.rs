//! Profiles of other tools, for the editor.

use foreign_profiles::{ImportError, Limits, convert_event};
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
    /// It is no profile that is known, in English.
    Failed {
        /// Why.
        why: String,
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
        Err(ImportError::SeveralEvents { events }) => {
            let events = events.into_iter().map(|event| EventOfFile {
                name: event.name,
                samples: event.samples,
            });
            let events = events.collect();
            (Converted::SeveralEvents { events }, Vec::new())
        }
        Err(error) => {
            let why = error.to_string();
            (Converted::Failed { why }, Vec::new())
        }
    }
}
