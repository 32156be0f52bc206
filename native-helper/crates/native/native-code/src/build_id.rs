//! The build id of an ELF object, which distinguishes one build of it from another.

use std::fmt;

use object::elf::PT_NOTE;

use crate::object_part::{Part, PartReader};
use crate::source::{ImageSource, u32_at};

/// Segments of notes that are longer hold something else.
const MAX_NOTES_BYTES: u64 = 1 << 20;

/// Longer ones are none.
const MAX_BYTES: usize = 64;

/// The GNU build id.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BuildId(Vec<u8>);

impl BuildId {
    /// The build id among the notes of a section or segment.
    #[must_use]
    pub fn from_notes(mut notes: &[u8]) -> Option<Self> {
        const NT_GNU_BUILD_ID: u32 = 3;
        const HEADER_BYTES: usize = 12;
        loop {
            let name_bytes = u32_at(notes, 0)? as usize;
            let value_bytes = u32_at(notes, 4)? as usize;
            let kind = u32_at(notes, 8)?;
            let value_start = HEADER_BYTES.checked_add(name_bytes.checked_next_multiple_of(4)?)?;
            let value_end = value_start.checked_add(value_bytes)?;
            let value = notes.get(value_start..value_end)?;
            let is_gnu = notes.get(HEADER_BYTES..HEADER_BYTES + 4) == Some(b"GNU\0".as_slice());
            if kind == NT_GNU_BUILD_ID && is_gnu && value_bytes <= MAX_BYTES {
                return Some(Self(value.to_vec()));
            }
            notes = notes.get(value_end.checked_next_multiple_of(4)?..)?;
        }
    }

    /// A build id as it is shown: two hexadecimal digits for each byte.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !is_hex || text.is_empty() || !text.len().is_multiple_of(2) || text.len() > 2 * MAX_BYTES
        {
            return None;
        }
        let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        (0..text.len())
            .step_by(2)
            .map(byte)
            .collect::<Option<_>>()
            .map(Self)
    }

    /// The bytes (usually 20).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BuildId({self})")
    }
}

/// A build id and the note, or notes, it is in.
#[derive(Debug, Clone)]
pub(crate) struct BuildIdNote {
    pub build_id: BuildId,
    pub svma: u64,
    pub bytes: usize,
}

impl<S: ImageSource + ?Sized> PartReader<'_, S> {
    pub(crate) fn build_id(&mut self) -> Option<BuildIdNote> {
        let note_of = |part: Part| {
            Some(BuildIdNote {
                build_id: BuildId::from_notes(&part.bytes)?,
                svma: part.svma,
                bytes: part.bytes.len(),
            })
        };
        if let Some(part) = self.section(".note.gnu.build-id") {
            return note_of(part);
        }
        let notes = self
            .layout
            .programs
            .iter()
            .filter(|program| program.kind == PT_NOTE && program.file_bytes <= MAX_NOTES_BYTES);
        notes
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
            .find_map(|note| {
                note_of(self.read("PT_NOTE", note.svma, note.file_offset, note.file_bytes)?)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_id_is_what_it_is_shown_as() {
        let id = BuildId(vec![0, 0xab, 0xff]);
        assert_eq!(BuildId::from_hex(&id.to_string()), Some(id));
        for odd in ["", "a", "0g", "+1", "é1", &"00".repeat(65)] {
            assert_eq!(BuildId::from_hex(odd), None, "{odd}");
        }
    }
}
