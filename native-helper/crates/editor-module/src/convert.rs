//! Profiles of other tools, for the editor.

use foreign_profiles::Limits;
use serde::Serialize;

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum Converted {
    /// A pprof message follows.
    Profile {
        /// What it was, in English.
        format: String,
        /// What was left out or taken for granted, one sentence each, in English.
        notes: Vec<String>,
    },
    /// It may be a pprof profile as it is.
    AsItIs,
    /// It is no profile that is known, in English.
    Failed {
        /// Why.
        why: String,
    },
}

/// Converts; see the crate for the bytes.
pub fn convert(bytes: &[u8]) -> Vec<u8> {
    let (converted, message) = match foreign_profiles::convert(bytes, &Limits::default()) {
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
        Err(error) => (
            Converted::Failed {
                why: error.to_string(),
            },
            Vec::new(),
        ),
    };
    // Texts and lists can always be written.
    let json = serde_json::to_vec(&converted).unwrap_or_default();
    let mut answer = crate::with_length(&json);
    answer.extend_from_slice(&message);
    answer
}
