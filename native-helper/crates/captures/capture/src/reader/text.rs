//! All strings of a capture in one piece of memory.

use super::parts::{Parts, put_text};
use super::{ReadError, ReadLimits};
use crate::wire::put_varint;

/// A string of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TextId(u32);

impl TextId {
    /// The empty string, which is entry 0 of every string table.
    pub(super) const EMPTY: Self = Self(0);

    pub(super) fn number(self) -> u32 {
        self.0
    }

    /// Of such a number; of another one it is the id of no string.
    pub(super) fn of_number(number: u32) -> Self {
        Self(number)
    }
}

/// Marks the ids of strings that are not from the file.
const OWN: u32 = 1 << 31;

/// The string table of the file and a few strings of our own. Strings lie end to end: a table of
/// a million empty ones must not cost more than it does in the file.
#[derive(Debug, Default, Clone)]
pub(super) struct Texts {
    text: String,
    ends: Vec<u32>,
    own: Vec<String>,
}

impl Texts {
    /// Appends the next string of the file.
    ///
    /// # Errors
    /// There is no room for it.
    pub(super) fn push(&mut self, bytes: &[u8], limits: &ReadLimits) -> Result<(), ReadError> {
        let max = limits.max_strings.min(OWN as usize);
        ReadError::unless_room(self.ends.len(), max, "strings")?;
        let text = String::from_utf8_lossy(bytes);
        let max = limits.max_string_bytes.min(u32::MAX as usize);
        let end = self.text.len() + text.len();
        if end > max {
            let what = "bytes of strings";
            return Err(ReadError::TooMany { what, max });
        }
        self.text.push_str(&text);
        self.ends.push(end as u32);
        Ok(())
    }

    /// Adds a string of our own.
    pub(super) fn push_own(&mut self, text: String) -> TextId {
        self.own.push(text);
        TextId(OWN | (self.own.len() - 1) as u32)
    }

    /// The id for an index of the file's string table, if there is such a string.
    pub(super) fn id(&self, index: i64) -> Option<TextId> {
        let index = usize::try_from(index)
            .ok()
            .filter(|&index| index < self.ends.len())?;
        Some(TextId(index as u32))
    }

    /// Number of strings from the file.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, id: TextId) -> &str {
        if id.0 & OWN != 0 {
            return self
                .own
                .get((id.0 & !OWN) as usize)
                .map_or("", String::as_str);
        }
        let index = id.0 as usize;
        let start = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied();
        let end = self.ends.get(index).copied().unwrap_or(0);
        self.text
            .get(start.unwrap_or(0) as usize..end as usize)
            .unwrap_or("")
    }

    /// Appends all of them, as [`take`](Self::take) reads them.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_text(out, &self.text);
        put_varint(out, self.ends.len() as u64);
        let mut start = 0;
        for end in &self.ends {
            put_varint(out, u64::from(end - start));
            start = *end;
        }
        put_varint(out, self.own.len() as u64);
        for text in &self.own {
            put_text(out, text);
        }
    }

    pub(super) fn take(parts: &mut Parts<'_>) -> Result<Self, ReadError> {
        let text = parts.text()?;
        let ends = parts.ends()?;
        let own = parts.list(Parts::text)?;
        Ok(Self { text, ends, own })
    }
}
