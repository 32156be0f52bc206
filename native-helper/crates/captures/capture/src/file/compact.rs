//! Rewrites the message of a capture without the comments that a later one of their kind replaces:
//! pprof prints every comment, and there is a quality record for each second.
//!
//! String indices must stay, so a string that is no longer needed is left as an empty one. The
//! message is gone through twice and never held in memory, only the field at hand.

use std::io::{self, BufRead, Read, Write};

use shared_map::HashSet;

use super::members::Members;
use crate::facts::{
    BUILD_COMMENT, HOST_COMMENT, ORIGIN_COMMENT, QUALITY_COMMENT, USER_COMMENT, WORK_COMMENT,
};
use crate::wire::{BYTES, VARINT, put_bytes_field, put_varint, take_varint};

const STRING: u64 = 6;
const COMMENT: u64 = 13;
/// No field that we write is longer.
const MAX_FIELD_BYTES: u64 = 64 << 20;

/// Comments of which only the last one counts.
const LAST_COUNTS: [&str; 6] = [
    BUILD_COMMENT,
    QUALITY_COMMENT,
    ORIGIN_COMMENT,
    HOST_COMMENT,
    USER_COMMENT,
    WORK_COMMENT,
];

/// Indices of the comments that a later one of their kind replaces.
pub(super) fn superseded_comments(message: impl BufRead) -> io::Result<HashSet<u64>> {
    let mut fields = FieldReader::new(message);
    let (mut index, mut superseded) = (0u64, HashSet::new());
    let mut last = [None; LAST_COUNTS.len()];
    while let Some(field) = fields.next_field()? {
        if field.number == STRING && field.wire_type == BYTES {
            let is_of = |prefix: &&str| field.content.starts_with(prefix.as_bytes());
            if let Some(kind) = LAST_COUNTS.iter().position(is_of) {
                superseded.extend(last[kind].replace(index));
            }
            index += 1;
        }
    }
    Ok(superseded)
}

/// How many strings the table of a message has.
pub(super) fn count_strings(message: impl BufRead) -> io::Result<u64> {
    let mut fields = FieldReader::new(message);
    let mut strings = 0;
    while let Some(field) = fields.next_field()? {
        strings += u64::from(field.number == STRING && field.wire_type == BYTES);
    }
    match strings {
        0 => Err(malformed()),
        strings => Ok(strings),
    }
}

/// Copies a message, leaving out the comments whose strings are `superseded`.
pub(super) fn copy_without(
    message: impl BufRead,
    superseded: &HashSet<u64>,
    members: &mut Members<impl Write>,
) -> io::Result<()> {
    let mut fields = FieldReader::new(message);
    let mut index = 0u64;
    let mut last_number = 0;
    let mut encoded = Vec::new();
    while let Some(field) = fields.next_field()? {
        encoded.clear();
        // The fields of an increment are in the order of their numbers.
        let begins_increment = field.number < last_number;
        last_number = field.number;
        match (field.number, field.wire_type) {
            (STRING, BYTES) => {
                let text = if superseded.contains(&index) {
                    &[]
                } else {
                    field.content
                };
                index += 1;
                put_bytes_field(&mut encoded, STRING, text);
            }
            (COMMENT, BYTES) => {
                let (mut packed, mut kept) = (field.content, Vec::new());
                while !packed.is_empty() {
                    let comment = take_varint(&mut packed).map_err(|_| malformed())?;
                    if !superseded.contains(&comment) {
                        put_varint(&mut kept, comment);
                    }
                }
                if !kept.is_empty() {
                    put_bytes_field(&mut encoded, COMMENT, &kept);
                }
            }
            (COMMENT, VARINT) if superseded.contains(&field.value) => {}
            (number, BYTES) => put_bytes_field(&mut encoded, number, field.content),
            (number, wire_type) => {
                put_varint(&mut encoded, number << 3 | wire_type);
                put_varint(&mut encoded, field.value);
            }
        }
        members.put(&encoded, begins_increment)?;
    }
    Ok(())
}

struct StreamedField<'r> {
    number: u64,
    wire_type: u64,
    /// Of a varint field; the length of others.
    value: u64,
    /// Of a length-delimited field.
    content: &'r [u8],
}

struct FieldReader<R> {
    message: R,
    content: Vec<u8>,
}

impl<R: BufRead> FieldReader<R> {
    fn new(message: R) -> Self {
        Self {
            message,
            content: Vec::new(),
        }
    }

    fn next_field(&mut self) -> io::Result<Option<StreamedField<'_>>> {
        if self.message.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let tag = self.read_varint()?;
        let (number, wire_type) = (tag >> 3, tag & 7);
        let value = self.read_varint()?;
        self.content.clear();
        match wire_type {
            VARINT => {}
            BYTES if value <= MAX_FIELD_BYTES => {
                let read = (&mut self.message)
                    .take(value)
                    .read_to_end(&mut self.content)?;
                if read as u64 != value {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            // We write no others.
            _ => return Err(malformed()),
        }
        Ok(Some(StreamedField {
            number,
            wire_type,
            value,
            content: &self.content,
        }))
    }

    fn read_varint(&mut self) -> io::Result<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let mut byte = [0];
            self.message.read_exact(&mut byte)?;
            value |= u64::from(byte[0] & 0x7f).wrapping_shl(shift);
            if byte[0] & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(malformed())
    }
}

fn malformed() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "not a capture written by this program",
    )
}
