//! Numbers, texts and lists as bytes, one after the other, and back.

use super::error::ReadError;
use crate::wire::{put_varint, take_varint};

pub(super) fn put_numbers<const N: usize>(out: &mut Vec<u8>, numbers: [u64; N]) {
    for number in numbers {
        put_varint(out, number);
    }
}

pub(super) fn put_list<T>(out: &mut Vec<u8>, list: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    put_varint(out, list.len() as u64);
    for element in list {
        put(out, element);
    }
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

pub(super) fn put_optional(out: &mut Vec<u8>, number: Option<u32>) {
    put_varint(out, number.map_or(0, |number| u64::from(number) + 1));
}

/// Where it is in `all`.
pub(super) fn put_position<T: PartialEq>(out: &mut Vec<u8>, all: &[T], one: Option<T>) {
    let position = one.and_then(|one| all.iter().position(|each| *each == one));
    put_varint(out, position.map_or(0, |position| position as u64 + 1));
}

/// Reads the written parts, from front to end.
pub(super) struct Parts<'b> {
    rest: &'b [u8],
}

impl<'b> Parts<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn damaged() -> ReadError {
        ReadError::Corrupt("a capture that was read before".to_owned())
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, ReadError> {
        take_varint(&mut self.rest).map_err(|_| Self::damaged())
    }

    #[inline]
    pub(super) fn small(&mut self) -> Result<u32, ReadError> {
        u32::try_from(self.number()?).map_err(|_| Self::damaged())
    }

    /// A position in something of that length.
    #[inline]
    pub(super) fn index(&mut self, length: usize) -> Result<u32, ReadError> {
        let index = self.small()?;
        match (index as usize) < length {
            true => Ok(index),
            false => Err(Self::damaged()),
        }
    }

    pub(super) fn optional(&mut self) -> Result<Option<u32>, ReadError> {
        let number = self.number()?.checked_sub(1);
        let number = number.map(|number| u32::try_from(number).map_err(|_| Self::damaged()));
        number.transpose()
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> Result<Option<T>, ReadError> {
        let position = self.optional()?;
        let one = position.map(|position| all.get(position as usize).ok_or_else(Self::damaged));
        Ok(one.transpose()?.copied())
    }

    pub(super) fn bytes(&mut self) -> Result<&'b [u8], ReadError> {
        let length = usize::try_from(self.number()?).map_err(|_| Self::damaged())?;
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or_else(Self::damaged)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn text(&mut self) -> Result<String, ReadError> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| Self::damaged())?;
        Ok(text.to_owned())
    }

    /// How many elements follow. Each has a byte at least.
    pub(super) fn length(&mut self) -> Result<usize, ReadError> {
        let length = self.number()?;
        match length <= self.rest.len() as u64 {
            true => Ok(length as usize),
            false => Err(Self::damaged()),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        mut take: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let length = self.length()?;
        let mut list = Vec::with_capacity(length);
        for _ in 0..length {
            list.push(take(self)?);
        }
        Ok(list)
    }

    /// Where each of some things ends that lie end to end; how long each is was written.
    pub(super) fn ends(&mut self) -> Result<Vec<u32>, ReadError> {
        let mut end = 0u32;
        self.list(|parts| {
            end = end.checked_add(parts.small()?).ok_or_else(Self::damaged)?;
            Ok(end)
        })
    }
}
