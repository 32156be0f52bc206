//! The protobuf wire format, as far as the sample path needs it: samples are most of a file, and
//! one message object with its vectors for each of them would cost more than all the rest.

/// Wire type of a varint field.
pub const VARINT: u64 = 0;
/// Wire type of a length-delimited field.
pub const BYTES: u64 = 2;

/// Appends a varint.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a varint field, unless it has the default value.
pub fn put_varint_field(out: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        put_varint(out, field << 3 | VARINT);
        put_varint(out, value);
    }
}

/// Appends a length-delimited field.
pub fn put_bytes_field(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_varint(out, field << 3 | BYTES);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The reason why a message could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireError {
    /// The bytes end inside a field.
    Incomplete,
    /// No protobuf message has such bytes.
    Malformed,
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<'a> {
    /// A varint field: number and value.
    Varint(u64, u64),
    /// A length-delimited field: number and content.
    Bytes(u64, &'a [u8]),
    /// A fixed-width field, which no message here has.
    Skipped,
}

/// Decodes a message field by field.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Of the bytes of a message.
    pub fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Bytes not yet consumed.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next field, `None` at the end. After an error nothing more is consumed.
    #[inline]
    pub fn next_field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut rest = self.rest;
        let tag = take_varint(&mut rest)?;
        let number = tag >> 3;
        if number == 0 {
            return Err(WireError::Malformed);
        }
        let field = match tag & 7 {
            VARINT => Field::Varint(number, take_varint(&mut rest)?),
            BYTES => {
                let len = take_varint(&mut rest)?;
                let len = usize::try_from(len).map_err(|_| WireError::Malformed)?;
                let (content, after) = rest.split_at_checked(len).ok_or(WireError::Incomplete)?;
                rest = after;
                Field::Bytes(number, content)
            }
            1 => skip(&mut rest, 8)?,
            5 => skip(&mut rest, 4)?,
            _ => return Err(WireError::Malformed),
        };
        self.rest = rest;
        Ok(Some(field))
    }
}

fn skip<'a>(rest: &mut &'a [u8], len: usize) -> Result<Field<'a>, WireError> {
    *rest = rest.get(len..).ok_or(WireError::Incomplete)?;
    Ok(Field::Skipped)
}

/// Takes one varint off the front.
#[inline]
pub fn take_varint(rest: &mut &[u8]) -> Result<u64, WireError> {
    // Nearly all are short.
    match **rest {
        [low @ 0..0x80, ref after @ ..] => {
            *rest = after;
            Ok(u64::from(low))
        }
        [low, high @ 0..0x80, ref after @ ..] => {
            *rest = after;
            Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
        }
        _ => take_long_varint(rest),
    }
}

fn take_long_varint(rest: &mut &[u8]) -> Result<u64, WireError> {
    let mut value = 0u64;
    for (index, &byte) in rest.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).wrapping_shl(7 * index as u32);
        if byte & 0x80 == 0 {
            *rest = &rest[index + 1..];
            return Ok(value);
        }
    }
    Err(if rest.len() < 10 {
        WireError::Incomplete
    } else {
        WireError::Malformed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn varints_round_trip(value: u64) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            prop_assert_eq!(take_varint(&mut &bytes[..]), Ok(value));
            prop_assert_eq!(take_varint(&mut &bytes[..bytes.len() - 1]), Err(WireError::Incomplete));
        }

        #[test]
        fn garbage_always_ends(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut fields = Fields::new(&bytes);
            let mut left = bytes.len() + 1;
            while let Ok(Some(_)) = fields.next_field() {
                prop_assert!(fields.remaining() < left);
                left = fields.remaining();
            }
        }
    }

    #[test]
    fn a_length_beyond_the_end_is_incomplete() {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, 2 << 3 | BYTES);
        put_varint(&mut bytes, u64::MAX >> 1);
        assert_eq!(Fields::new(&bytes).next_field(), Err(WireError::Incomplete));
    }
}
