//! Pages of their own, as the command line writes them: a capture by `extrospect export --format html`, a history by
//! `extrospect diff --history FOLDER --format html`.

use capture::export::html::write_html;
use capture::percent_of::PercentOf;
use capture::reader::Capture;
use compare::history_answer::History;
use serde::{Deserialize, Serialize};

use crate::unread_capture::UnreadCapture;

/// A capture to make a page of; its bytes follow.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct PageRequest {
    /// Title of the page.
    pub title: String,
    /// Whether percentages are of the busy samples, and idle ones are left out.
    pub busy: bool,
    /// The type of its samples to show: `off-cpu`. The first one that it has where this is absent.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub sample_type: Option<String>,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum PageAnswer {
    /// The page follows, as UTF-8.
    Page,
    /// The capture cannot be read.
    Unread {
        /// Why.
        unread: UnreadCapture,
    },
    /// The request makes no sense.
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
    let page = history.map(|(history, _)| compare::history_page(&history, &[]).into_bytes());
    PageAnswer::with(page.map_err(PageAnswer::failed))
}

impl PageAnswer {
    fn failed(why: String) -> Self {
        Self::Failed { why }
    }

    /// The answer with the page after it, or why there is none.
    fn with(page: Result<Vec<u8>, Self>) -> Vec<u8> {
        let (answer, page) = match page {
            Ok(page) => (Self::Page, page),
            Err(answer) => (answer, Vec::new()),
        };
        // Texts can always be written.
        let json = serde_json::to_vec(&answer).unwrap_or_default();
        [crate::with_length(&json), page].concat()
    }
}

fn made(message: &[u8]) -> Result<Vec<u8>, PageAnswer> {
    let (request, bytes): (PageRequest, _) =
        crate::requested(message).map_err(PageAnswer::failed)?;
    let mut capture = Capture::from_bytes(bytes).map_err(|error| PageAnswer::Unread {
        unread: UnreadCapture::of(&error),
    })?;
    if let Some(sample_type) = &request.sample_type {
        let shown = capture.show(sample_type);
        shown.map_err(|_| PageAnswer::failed(format!("it has no samples of {sample_type}")))?;
    }
    let percent_of = match request.busy {
        true => PercentOf::Busy,
        false => PercentOf::All,
    };
    let mut page = Vec::new();
    write_html(&capture, &request.title, percent_of, &mut page)
        .map_err(|error| PageAnswer::failed(error.to_string()))?;
    Ok(page)
}
