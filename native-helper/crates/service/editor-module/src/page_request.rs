//! Pages of their own, as the command line writes them: a capture by `extrospect export --format html`, a history by
//! `extrospect diff --history FOLDER --format html`.

use capture::export::html::write_html;
use capture::percent_of::PercentOf;
use capture::reader::Capture;
use compare::history_answer::History;
use serde::{Deserialize, Serialize};

/// A capture to make a page of; its bytes follow.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct PageRequest {
    /// Title of the page.
    pub title: String,
    /// Whether percentages are of the busy samples, and idle ones are left out.
    pub busy: bool,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum PageAnswer {
    /// The page follows, as UTF-8.
    Page,
    /// The file is no capture that can be read.
    Failed {
        /// Why, in English.
        why: String,
    },
}

/// Makes the page; see the crate for the bytes.
pub fn page(message: &[u8]) -> Vec<u8> {
    PageAnswer::with(made(message))
}

/// Makes the page of a [`History`]; see the crate for the bytes.
pub fn history_page(message: &[u8]) -> Vec<u8> {
    let history: Result<(History, _), String> = crate::requested(message);
    PageAnswer::with(history.map(|(history, _)| compare::history_page(&history, &[]).into_bytes()))
}

impl PageAnswer {
    /// The answer with the page after it, or why there is none.
    fn with(page: Result<Vec<u8>, String>) -> Vec<u8> {
        let (answer, page) = match page {
            Ok(page) => (Self::Page, page),
            Err(why) => (Self::Failed { why }, Vec::new()),
        };
        // Texts can always be written.
        let json = serde_json::to_vec(&answer).unwrap_or_default();
        [crate::with_length(&json), page].concat()
    }
}

fn made(message: &[u8]) -> Result<Vec<u8>, String> {
    let (request, bytes): (PageRequest, _) = crate::requested(message)?;
    let capture = Capture::from_bytes(bytes).map_err(|error| error.to_string())?;
    let percent_of = match request.busy {
        true => PercentOf::Busy,
        false => PercentOf::All,
    };
    let mut page = Vec::new();
    write_html(&capture, &request.title, percent_of, &mut page)
        .map_err(|error| error.to_string())?;
    Ok(page)
}
