//! The common parts of JSON formats: detecting the format, numbers, lists of stacks.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

use crate::error::{Defect, ImportError};
use crate::format::Format;

/// The members that distinguish the formats; their content is skipped.
#[derive(Deserialize)]
struct Outline {
    #[serde(rename = "$schema")]
    schema: Option<serde_json::Value>,
    shared: Option<IgnoredAny>,
    profiles: Option<IgnoredAny>,
    nodes: Option<IgnoredAny>,
    meta: Option<IgnoredAny>,
    threads: Option<IgnoredAny>,
}

/// The format of a JSON file; the error, when it is damaged before the format is known.
pub(crate) fn detect(bytes: &[u8]) -> Result<Option<Format>, serde_json::Error> {
    let bytes = without_mark(bytes);
    let outline = match named_members::from_slice::<Outline>(bytes) {
        Ok(outline) => outline,
        // Damaged, or cut: the reader of the intended format reports the error.
        Err(error) => return meant(bytes).map(Some).ok_or(error),
    };
    let is_speedscope = outline
        .schema
        .is_some_and(|schema| schema.as_str().is_some_and(|it| it.contains("speedscope")));
    if is_speedscope || (outline.shared.is_some() && outline.profiles.is_some()) {
        Ok(Some(Format::Speedscope))
    } else if outline.meta.is_some() && outline.threads.is_some() {
        Ok(Some(Format::Firefox))
    } else {
        Ok(outline.nodes.map(|_| Format::CpuProfile))
    }
}

fn meant(bytes: &[u8]) -> Option<Format> {
    let start = String::from_utf8_lossy(bytes.get(..4096).unwrap_or(bytes));
    if start.contains("speedscope")
        || (start.contains("\"shared\"") && start.contains("\"frames\""))
    {
        Some(Format::Speedscope)
    } else if start.contains("\"callFrame\"") {
        Some(Format::CpuProfile)
    } else if start.contains("\"preprocessedProfileVersion\"") {
        Some(Format::Firefox)
    } else {
        None
    }
}

/// Reads a file.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], format: Format) -> Result<T, ImportError> {
    named_members::from_slice(without_mark(bytes))
        .map_err(|error| ImportError::malformed(format, defect(&error), error.to_string()))
}

/// Why a text could not be read.
pub(crate) fn defect(error: &serde_json::Error) -> Defect {
    match error.classify() {
        Category::Eof => Defect::Cut,
        Category::Io | Category::Syntax | Category::Data => Defect::Json {
            line: error.line(),
            column: error.column(),
        },
    }
}

/// Without a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A number as a count: rounded, and 0 for a negative one or none at all.
pub(crate) fn count(number: f64) -> u64 {
    // Saturates, and NaN becomes 0.
    number.round() as u64
}

/// A line or column as files have it, numbers or null.
pub(crate) fn line(number: Option<f64>) -> u32 {
    number.map_or(0, |line| line.round() as u32)
}
