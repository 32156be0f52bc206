//! Detects the format of bytes from their content.

use crate::error::Defect;
use crate::format::Format;
use crate::{folded, json, otlp, perf_script};

/// Magic of the file that `perf record` writes, in both byte orders, and to a pipe.
const PERF_DATA: [&[u8]; 3] = [b"PERFILE2", b"2ELIFREP", b"PERFFILE"];
/// How much of a text is looked at.
pub(crate) const LOOKED_AT_BYTES: usize = 64 << 10;

/// What bytes seem to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing at all.
    Nothing,
    /// A profile of another tool.
    Foreign(Format),
    /// The binary file of `perf record`.
    PerfData,
    /// Binary: the reader of pprof decides.
    MaybePprof,
    /// JSON that ends or breaks before its format is known, and the error.
    DamagedJson { defect: Defect, what: String },
    /// Text with characters that no format has, as the colours of a terminal are.
    ControlCharacters,
    /// Text, in no format that we know.
    Unknown,
}

/// Looks at decompressed bytes.
pub(crate) fn detect(bytes: &[u8]) -> Content {
    if PERF_DATA.iter().any(|magic| bytes.starts_with(magic)) {
        return Content::PerfData;
    }
    if otlp::looks_like(bytes.get(..LOOKED_AT_BYTES).unwrap_or(bytes)) {
        return Content::Foreign(Format::Otlp);
    }
    let start = text_start(bytes);
    let Some(text) = start else {
        return Content::MaybePprof;
    };
    if text.contains(is_control) {
        return Content::ControlCharacters;
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.is_empty() {
        // A message that begins with white space, or a text of nothing else.
        return match bytes.iter().all(u8::is_ascii_whitespace) {
            true => Content::Nothing,
            false => Content::Unknown,
        };
    }
    if text.starts_with('{') {
        return match json::detect(bytes) {
            Ok(format) => format.map_or(Content::Unknown, Content::Foreign),
            Err(error) => Content::DamagedJson {
                defect: json::defect(&error),
                what: error.to_string(),
            },
        };
    }
    if is_perf_script(bytes) {
        Content::Foreign(Format::PerfScript)
    } else if folded::looks_like(bytes) {
        Content::Foreign(Format::Folded)
    } else {
        Content::Unknown
    }
}

/// Headers of perf, which are comments, are as long as the machine is large.
fn is_perf_script(bytes: &[u8]) -> bool {
    let mut samples = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    while samples.starts_with(b"#") {
        let end = samples.iter().position(|byte| *byte == b'\n');
        samples = end.map_or(&[], |end| &samples[end + 1..]);
    }
    text_start(samples).is_some_and(perf_script::looks_like)
}

/// Whether the first bytes are those of a binary file of unknown format.
pub(crate) fn is_message(start: &[u8]) -> bool {
    let is_perf_data = PERF_DATA.iter().any(|magic| start.starts_with(magic));
    let is_known = is_perf_data || otlp::looks_like(start);
    !start.is_empty() && !is_known && text_start(start).is_none()
}

/// The first part of a text; `None` for anything else.
fn text_start(bytes: &[u8]) -> Option<&str> {
    let start = bytes.get(..LOOKED_AT_BYTES).unwrap_or(bytes);
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // Cut inside a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(start.get(..error.valid_up_to())?).ok()?
        }
        // Names of functions may be in another encoding; messages have zeros.
        Err(error) if error.valid_up_to() > 0 && !start.contains(&0) => {
            std::str::from_utf8(start.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    // A message begins with the number of a field, and has zeros.
    let begins_as_text = |c: char| c == '\x1b' || !c.is_ascii_control();
    let is_message =
        text.contains(is_control) && (start.contains(&0) || !text.starts_with(begins_as_text));
    (!is_message).then_some(text)
}

fn is_control(c: char) -> bool {
    c.is_ascii_control() && !c.is_ascii_whitespace()
}
