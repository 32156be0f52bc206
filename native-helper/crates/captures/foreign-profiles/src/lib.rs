//! Profiles of other tools as captures: bytes in, a pprof message out. No I/O and no clock, so that
//! an editor can load it as WebAssembly.
//!
//! [`convert`] uses the content of the bytes, never a file's name. Each format has a file of its own that fills a
//! [`profile`]; [`names`] derives the kind of code from the text of a frame. Files come from anywhere: lengths, depths
//! and counts are bounded by [`Limits`], and data that a parser does not understand is an error or counted in the
//! notes, never left out silently.

mod cpuprofile;
mod detect;
mod error;
mod firefox;
mod folded;
mod format;
mod fractions;
mod inflate;
mod json;
mod limits;
mod names;
mod otlp;
mod perf_script;
mod profile;
mod speedscope;
mod utf16;

use detect::Content;

pub use error::{Defect, FoundEvent, ImportError};
pub use format::Format;
pub use limits::Limits;

/// A profile of another tool, converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The format of the profile.
    pub format: Format,
    /// A pprof message, not compressed; `capture::reader::Capture::from_bytes` reads it.
    pub message: Vec<u8>,
    /// The omissions and assumptions, one sentence each, in English.
    pub notes: Vec<String>,
}

/// Converts a profile of another tool. `None` when the bytes may be a pprof profile, which
/// `capture::reader` reads as it is.
///
/// # Errors
/// See [`ImportError`]; [`ImportError::PerfData`] for the binary file of `perf record`, which only
/// `perf script` of the same machine can turn into names.
pub fn convert(bytes: &[u8], limits: &Limits) -> Result<Option<Imported>, ImportError> {
    convert_event(bytes, limits, None)
}

/// The same for one event of a recording that has several: `cpu-clock`.
///
/// # Errors
/// See [`ImportError`]; [`ImportError::SeveralEvents`] when none was chosen.
pub fn convert_event(
    bytes: &[u8],
    limits: &Limits,
    event: Option<&str>,
) -> Result<Option<Imported>, ImportError> {
    // A capture may be large: its own reader decompresses it.
    let start = inflate::start(bytes, detect::LOOKED_AT_BYTES);
    if !utf16::is_utf16(&start) && detect::is_message(&start) {
        return Ok(None);
    }
    let inflated = inflate::inflated(bytes, limits)?;
    let plain = utf16::to_utf8(inflated.content);
    let format = match detect::detect(&plain) {
        Content::MaybePprof => return Ok(None),
        Content::PerfData => return Err(ImportError::PerfData),
        Content::Nothing => return Err(ImportError::Empty),
        Content::DamagedJson { defect, what } => return Err(ImportError::Json { defect, what }),
        Content::ControlCharacters => return Err(ImportError::ControlCharacters),
        Content::Unknown => return Err(ImportError::UnknownFormat),
        Content::Foreign(format) => format,
    };
    let mut profile = match format {
        Format::Folded => folded::read(&plain, limits)?,
        Format::Speedscope => speedscope::read(&plain, limits)?,
        Format::CpuProfile => cpuprofile::read(&plain, limits)?,
        Format::PerfScript => perf_script::read(&plain, limits, event)?,
        Format::Firefox => firefox::read(&plain, limits)?,
        Format::Otlp => otlp::read(&plain, limits)?,
    };
    if inflated.is_cut {
        let note = "its compression is damaged or its end is missing: the part before is read";
        profile.notes.push(note.to_owned());
    }
    let (message, notes) = profile.finish(format);
    Ok(Some(Imported {
        format,
        message,
        notes,
    }))
}
