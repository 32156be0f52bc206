//! Messages on a pipe: JSON, and bytes beside it that are passed on as they are.
//!
//! A frame is two lengths of four bytes, little-endian, then that many bytes of JSON, then that many
//! bytes of the rest. Both ends of the pipe belong to this program, but the one that samples reads data
//! of a target, so its messages are trusted no more than a file.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// More than any message has: functions, threads and reasons are bounded where they are read.
const MAX_JSON_BYTES: u32 = 16 << 20;
/// More than the samples of a second can take.
const MAX_BYTES: u32 = 256 << 20;

/// Why there is no further message.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The other end is closed, between two messages.
    #[error("it has ended")]
    End,
    /// A length that no message has.
    #[error("it sends a message of {0} bytes, which is more than there can be")]
    TooLong(u32),
    /// The message is none.
    #[error("it sends a message that is not understood: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The pipe.
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

/// One message as it is on the pipe. Only its reader knows the type.
#[derive(Debug)]
pub struct Frame {
    /// The message.
    pub json: Vec<u8>,
    /// The bytes beside it.
    pub beside: Vec<u8>,
}

impl Frame {
    /// A message with nothing beside it.
    ///
    /// # Errors
    /// It cannot be JSON.
    pub fn of(message: &impl Serialize) -> Result<Self, FrameError> {
        Ok(Self {
            json: serde_json::to_vec(message)?,
            beside: Vec::new(),
        })
    }

    /// The same message with these bytes beside it.
    pub fn with(self, beside: Vec<u8>) -> Self {
        Self { beside, ..self }
    }

    /// Its message, read as that type.
    ///
    /// # Errors
    /// The message is of another type.
    pub fn decoded<M: DeserializeOwned>(&self) -> Result<M, FrameError> {
        Ok(named_members::from_slice(&self.json)?)
    }

    /// Writes it and sees to it that it is on its way.
    ///
    /// # Errors
    /// The error of the pipe, or that the message is longer than the limit.
    pub fn write(&self, out: &mut impl Write) -> Result<(), FrameError> {
        let Self { json, beside } = self;
        let lengths = [
            length(json.len(), MAX_JSON_BYTES)?,
            length(beside.len(), MAX_BYTES)?,
        ];
        let mut head = Vec::with_capacity(8 + json.len());
        for length in lengths {
            head.extend(length.to_le_bytes());
        }
        head.extend(json);
        out.write_all(&head)?;
        out.write_all(beside)?;
        Ok(out.flush()?)
    }

    /// Reads the next one. Memory is allocated as bytes arrive, not for the length that the frame
    /// promises.
    ///
    /// # Errors
    /// [`FrameError::End`] when there is none, else the reason why it is invalid.
    pub fn read(input: &mut impl Read) -> Result<Self, FrameError> {
        let mut head = [0_u8; 8];
        let read = read_some(input, &mut head)?;
        match read {
            0 => return Err(FrameError::End),
            8 => {}
            _ => return Err(cut()),
        }
        let [a, b, c, d, e, f, g, h] = head;
        Ok(Self {
            json: read_bytes(input, u32::from_le_bytes([a, b, c, d]), MAX_JSON_BYTES)?,
            beside: read_bytes(input, u32::from_le_bytes([e, f, g, h]), MAX_BYTES)?,
        })
    }
}

/// Writes a message with nothing beside it.
///
/// # Errors
/// As [`Frame::write`].
pub fn write(out: &mut impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    Frame::of(message)?.write(out)
}

/// Reads the next message, without the bytes beside it.
///
/// # Errors
/// As [`Frame::read`], and when the message is of another type.
pub fn read<M: DeserializeOwned>(input: &mut impl Read) -> Result<M, FrameError> {
    Frame::read(input)?.decoded()
}

/// Fills the buffer, or its beginning with the bytes before the end.
fn read_some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = buffer.get_mut(read..)
        && !rest.is_empty()
    {
        match input.read(rest) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn read_bytes(input: &mut impl Read, length: u32, most: u32) -> Result<Vec<u8>, FrameError> {
    if length > most {
        return Err(FrameError::TooLong(length));
    }
    let mut bytes = Vec::new();
    let read = input.take(u64::from(length)).read_to_end(&mut bytes)?;
    match read == length as usize {
        true => Ok(bytes),
        false => Err(cut()),
    }
}

fn length(bytes: usize, most: u32) -> Result<u32, FrameError> {
    let length = u32::try_from(bytes).unwrap_or(u32::MAX);
    match length <= most {
        true => Ok(length),
        false => Err(FrameError::TooLong(length)),
    }
}

fn cut() -> FrameError {
    FrameError::Pipe(io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_come_back_in_their_order_and_then_the_end() {
        let mut pipe = Vec::new();
        write(&mut pipe, &"first").unwrap();
        let second = Frame::of(&"second").unwrap().with(vec![7; 70_000]);
        second.write(&mut pipe).unwrap();
        let mut input = pipe.as_slice();
        assert_eq!(read::<String>(&mut input).unwrap(), "first");
        let second = Frame::read(&mut input).unwrap();
        assert_eq!(second.decoded::<String>().unwrap(), "second");
        assert_eq!(second.beside.len(), 70_000);
        assert!(matches!(read::<String>(&mut input), Err(FrameError::End)));
    }

    #[test]
    fn a_message_of_another_type_is_an_error() {
        let frame = Frame::of(&"text").unwrap();
        assert!(matches!(
            frame.decoded::<u64>(),
            Err(FrameError::Malformed(_))
        ));
        assert!(matches!(
            frame.decoded::<()>(),
            Err(FrameError::Malformed(_))
        ));
        Frame::of(&()).unwrap().decoded::<()>().unwrap();
    }

    #[test]
    fn a_length_that_promises_more_than_comes_takes_no_memory_for_it() {
        let promised = [MAX_JSON_BYTES.to_le_bytes(), MAX_BYTES.to_le_bytes()].concat();
        let error = read::<String>(&mut promised.as_slice()).unwrap_err();
        assert!(matches!(error, FrameError::Pipe(_)));
        let beyond = [0_u32.to_le_bytes(), u32::MAX.to_le_bytes()].concat();
        let error = read::<()>(&mut beyond.as_slice()).unwrap_err();
        assert!(matches!(error, FrameError::TooLong(u32::MAX)));
    }

    proptest! {
        #[test]
        fn nothing_that_comes_is_a_surprise(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read::<serde_json::Value>(&mut bytes.as_slice());
        }

        #[test]
        fn what_is_cut_is_no_message(cut in 0_usize..30) {
            let mut pipe = Vec::new();
            let frame = Frame::of(&"twelve bytes").unwrap();
            frame.with(b"ten bytes!".to_vec()).write(&mut pipe).unwrap();
            let all = pipe.len();
            let result = read::<String>(&mut &pipe[..all - 1 - cut.min(all - 2)]);
            prop_assert!(matches!(result, Err(FrameError::Pipe(_))));
        }
    }
}
