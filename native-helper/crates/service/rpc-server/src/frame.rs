//! The base protocol: `Content-Length: N`, an empty line, N bytes. Input is bounded before it is
//! stored, and a broken frame does not end the conversation.

use std::io::{self, BufRead, ErrorKind, Read};

use protocol::MAX_MESSAGE_BYTES;

/// Longest header line kept, bytes; the rest of a longer one is skipped.
const MAX_HEADER_LINE_BYTES: usize = 1024;
/// A longer body than allowed is skipped, so that the next message is found. Past this length no
/// client can have meant it, and waiting for the end would swallow everything that follows.
const MAX_SKIPPED_BYTES: u64 = 1024 * 1024 * 1024;
/// A body is stored as it comes: a length that lies costs no more than this beforehand.
const FIRST_ALLOCATION_BYTES: u64 = 64 * 1024;

/// One thing read from the input.
#[derive(Debug)]
pub enum Frame {
    /// A whole body.
    Body(Vec<u8>),
    /// Something that is no frame. It was skipped; more may follow.
    Rejected(FrameError),
    /// Nothing more follows: the input ended, could not be read, or its frames cannot be found any
    /// more.
    End(Option<FrameError>),
}

/// Why something is no frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Neither a header nor the empty line after the headers.
    #[error("a message begins with a Content-Length header, this is something else: {0:?}")]
    NoHeader(String),
    /// Headers without a usable length.
    #[error("the headers of a message hold no usable Content-Length")]
    NoLength,
    /// A body over the limit.
    #[error("a message of {length_bytes} bytes is longer than {MAX_MESSAGE_BYTES}")]
    TooLong {
        /// Length that the header states.
        length_bytes: u64,
    },
    /// The input ended inside a message.
    #[error("the input ended inside a message")]
    Truncated,
    /// The input could not be read.
    #[error("the input cannot be read: {0}")]
    Unreadable(String),
}

/// Reads frames from `input`.
#[derive(Debug)]
pub struct FrameReader<R> {
    input: R,
    /// One complaint for a run of garbage, not one for each of its lines.
    complained: bool,
}

enum Line {
    Text(Vec<u8>),
    End { partial: bool },
}

/// The values of the header lines so far.
#[derive(Default)]
struct Headers {
    any: bool,
    length: Option<u64>,
    contradictory: bool,
}

impl<R: BufRead> FrameReader<R> {
    /// Reads frames from `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            complained: false,
        }
    }

    /// The next frame. Blocks as long as the input does; allocates no more than
    /// [`MAX_MESSAGE_BYTES`].
    pub fn next_frame(&mut self) -> Frame {
        match self.read_frame() {
            Ok(frame) => frame,
            Err(error) => Frame::End(Some(FrameError::Unreadable(error.to_string()))),
        }
    }

    fn read_frame(&mut self) -> io::Result<Frame> {
        let mut headers = Headers::default();
        loop {
            let line = match self.read_line()? {
                Line::Text(line) => line,
                Line::End { partial } => {
                    let inside = partial || headers.any;
                    return Ok(Frame::End(inside.then_some(FrameError::Truncated)));
                }
            };
            if line.is_empty() {
                match (headers.usable_length(), headers.any) {
                    (Some(length_bytes), _) => return self.read_body(length_bytes),
                    (None, true) => {
                        if let Some(error) = self.complain(FrameError::NoLength) {
                            return Ok(Frame::Rejected(error));
                        }
                    }
                    // An extra empty line does no harm.
                    (None, false) => {}
                }
                headers = Headers::default();
            } else if !headers.take(&line) && headers.usable_length().is_none() {
                let start = String::from_utf8_lossy(line.get(..40).unwrap_or(&line)).into_owned();
                if let Some(error) = self.complain(FrameError::NoHeader(start)) {
                    return Ok(Frame::Rejected(error));
                }
            }
        }
    }

    fn complain(&mut self, error: FrameError) -> Option<FrameError> {
        (!std::mem::replace(&mut self.complained, true)).then_some(error)
    }

    fn read_body(&mut self, length_bytes: u64) -> io::Result<Frame> {
        if length_bytes > MAX_SKIPPED_BYTES {
            return Ok(Frame::End(Some(FrameError::TooLong { length_bytes })));
        }
        let mut limited = self.input.by_ref().take(length_bytes);
        if length_bytes > MAX_MESSAGE_BYTES {
            io::copy(&mut limited, &mut io::sink())?;
            return Ok(Frame::Rejected(FrameError::TooLong { length_bytes }));
        }
        let mut body = Vec::with_capacity(length_bytes.min(FIRST_ALLOCATION_BYTES) as usize);
        limited.read_to_end(&mut body)?;
        if (body.len() as u64) < length_bytes {
            return Ok(Frame::End(Some(FrameError::Truncated)));
        }
        self.complained = false;
        Ok(Frame::Body(body))
    }

    /// One line without its end; only the first [`MAX_HEADER_LINE_BYTES`] are kept.
    fn read_line(&mut self) -> io::Result<Line> {
        let mut line = Vec::new();
        let mut partial = false;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok(Line::End { partial });
            }
            partial = true;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let part = newline.map_or(available, |position| &available[..position]);
            let room = MAX_HEADER_LINE_BYTES.saturating_sub(line.len());
            line.extend_from_slice(part.get(..room).unwrap_or(part));
            let used = part.len() + usize::from(newline.is_some());
            self.input.consume(used);
            if newline.is_some() {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(Line::Text(line));
            }
        }
    }
}

impl Headers {
    /// Takes one header line in; false when it is none.
    fn take(&mut self, line: &[u8]) -> bool {
        let Some((name, value)) = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.split_once(':'))
        else {
            return false;
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if name.is_empty() || !name.bytes().all(is_name) {
            return false;
        }
        self.any = true;
        if name.eq_ignore_ascii_case("Content-Length") {
            match value.trim().parse::<u64>() {
                Ok(length) if self.length.is_none_or(|known| known == length) => {
                    self.length = Some(length);
                }
                _ => self.contradictory = true,
            }
        }
        true
    }

    fn usable_length(&self) -> Option<u64> {
        self.length.filter(|_| !self.contradictory)
    }
}
