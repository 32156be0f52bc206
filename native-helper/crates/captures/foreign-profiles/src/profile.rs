//! The profile that parsers fill, with notes about its source.

use std::ops::{Deref, DerefMut};

use capture::counted::counted;
use capture::facts::{IMPORT_COMMENT, ImportFacts};
use capture::marks::Mark;
use profile_builder::ProfileBuilder;

use crate::error::{Defect, ImportError};
use crate::format::Format;
use crate::limits::Limits;

/// A profile of another tool, being read.
#[derive(Debug)]
pub(crate) struct ForeignProfile {
    builder: ProfileBuilder,
    /// The event that was sampled, empty when unknown.
    pub(crate) event: String,
    /// Samples that the other tool reports as lost; at least. `None` where it reports none.
    pub(crate) lost: Option<u64>,
    /// The omissions.
    pub(crate) notes: Vec<String>,
}

impl ForeignProfile {
    /// A profile without anything in it.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            builder: ProfileBuilder::new(limits.bounds()),
            event: String::new(),
            lost: None,
            notes: Vec::new(),
        }
    }

    /// Notes how many of so many values are left out because they are below zero, as those of the difference of two
    /// profiles are.
    ///
    /// # Errors
    /// When all of them are.
    pub(crate) fn note_below_zero(
        &mut self,
        format: Format,
        value: &str,
        (below_zero, all): (usize, usize),
    ) -> Result<(), ImportError> {
        if below_zero == 0 {
            return Ok(());
        }
        if below_zero == all {
            let what =
                format!("all of its {value}s are below zero, as in a difference of two profiles");
            return Err(ImportError::malformed(format, Defect::BelowZero, what));
        }
        self.notes.push(left_out(below_zero, value, "below zero"));
        Ok(())
    }

    /// Notes where a text has bytes that are no characters: names may be in another encoding.
    pub(crate) fn note_no_utf8(&mut self, bytes: &[u8]) {
        if let Err(error) = std::str::from_utf8(bytes) {
            let before = bytes.get(..error.valid_up_to()).unwrap_or(bytes);
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            self.notes.push(format!(
                "bytes that are no UTF-8 are read as {}: line {line} has the first of them",
                char::REPLACEMENT_CHARACTER
            ));
        }
    }

    /// The message, and the notes about it.
    pub(crate) fn finish(mut self, format: Format) -> (Vec<u8>, Vec<String>) {
        let cut = self.builder.cut_samples();
        if cut > 0 {
            self.notes.push(format!(
                "stacks that are too deep, with {} for the frames in their middle: those of {}",
                Mark::TooDeep.name(),
                counted(cut, "sample")
            ));
        }
        let facts = ImportFacts {
            format: format.as_str().to_owned(),
            event: self.event,
            lost: self.lost,
            notes: self.notes,
        };
        let json = serde_json::json!(facts);
        self.builder
            .comments
            .push(format!("{IMPORT_COMMENT}{json}"));
        (self.builder.finish(), facts.notes)
    }
}

/// The note about data that is not in the capture.
pub(crate) fn left_out(count: usize, noun: &str, what: &str) -> String {
    format!("left out, {what}: {}", counted(count as u64, noun))
}

impl Deref for ForeignProfile {
    type Target = ProfileBuilder;

    fn deref(&self) -> &ProfileBuilder {
        &self.builder
    }
}

impl DerefMut for ForeignProfile {
    fn deref_mut(&mut self) -> &mut ProfileBuilder {
        &mut self.builder
    }
}
