//! The format of a connection: a byte for the kind of the frame, the length of the rest in four bytes, the most
//! significant first, and the rest.
//!
//! Each side begins with [`Frame::Hello`], and sends nothing else before it has received the
//! other's.

use std::io::{self, Read};

/// Most bytes of the conversation in one frame.
pub const MAX_DATA_BYTES: usize = 64 << 10;
/// What [`Frame::Hello`] begins with. Both sides are of the same release.
const VERSION: u8 = 1;
const TOTAL_BYTES: usize = 8;

const HELLO: u8 = 1;
const DATA: u8 = 2;
const RECEIVED: u8 = 3;
const BYE: u8 = 4;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Comes first: how many bytes of the conversation its sender has received in all, over any connection.
    Hello {
        /// Bytes.
        received: u64,
    },
    /// The next bytes of the conversation.
    Data(Vec<u8>),
    /// How many bytes of the conversation its sender has received in all: the other side need not keep them.
    Received(u64),
    /// The conversation is over: its other side does not come back, or no longer exists.
    Bye,
}

/// Why there is no next frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The connection failed or ended within a frame.
    #[error("the connection failed: {0}")]
    Connection(#[from] io::Error),
    /// The other side uses another protocol.
    #[error("a frame of kind {kind} and {length} bytes is none")]
    Foreign {
        /// The kind that it states.
        kind: u8,
        /// The length that it states.
        length: u32,
    },
    /// A later or earlier release.
    #[error("the other side speaks version {0} of this")]
    Version(u8),
}

impl Frame {
    /// The next frame; `None` when the connection has ended before it.
    ///
    /// # Errors
    /// See [`FrameError`]. Nothing can be read from that connection any more.
    pub fn read(connection: &mut impl Read) -> Result<Option<Self>, FrameError> {
        let mut kind = [0];
        if connection.read(&mut kind)? == 0 {
            return Ok(None);
        }
        let [kind] = kind;
        let mut length = [0; 4];
        connection.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length);
        let foreign = || FrameError::Foreign { kind, length };
        let most = match kind {
            HELLO => 1 + TOTAL_BYTES,
            DATA => MAX_DATA_BYTES,
            RECEIVED => TOTAL_BYTES,
            BYE => 0,
            _ => return Err(foreign()),
        };
        let bytes = usize::try_from(length).unwrap_or(usize::MAX);
        if bytes > most || (kind != DATA && bytes != most) {
            return Err(foreign());
        }
        let mut rest = vec![0; bytes];
        connection.read_exact(&mut rest)?;
        match (kind, rest.split_first_chunk(), rest.split_first()) {
            (RECEIVED, Some((total, _)), _) => Ok(Some(Self::Received(u64::from_be_bytes(*total)))),
            (HELLO, _, Some((&VERSION, total))) => {
                let (total, _) = total.split_first_chunk().ok_or_else(foreign)?;
                Ok(Some(Self::Hello {
                    received: u64::from_be_bytes(*total),
                }))
            }
            (HELLO, _, Some((&version, _))) => Err(FrameError::Version(version)),
            (BYE, ..) => Ok(Some(Self::Bye)),
            _ => Ok(Some(Self::Data(rest))),
        }
    }

    /// Its bytes. Data are not longer than [`MAX_DATA_BYTES`].
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Hello { received } => {
                framed(HELLO, &[&[VERSION][..], &received.to_be_bytes()].concat())
            }
            Self::Data(bytes) => framed(DATA, bytes),
            Self::Received(total) => framed(RECEIVED, &total.to_be_bytes()),
            Self::Bye => framed(BYE, &[]),
        }
    }
}

fn framed(kind: u8, rest: &[u8]) -> Vec<u8> {
    let length = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    [&[kind][..], &length.to_be_bytes(), rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_as_they_were() {
        let frames = [
            Frame::Hello { received: 1 << 40 },
            Frame::Data(b"Content-Length: 2\r\n\r\n{}".to_vec()),
            Frame::Data(Vec::new()),
            Frame::Data(vec![7; MAX_DATA_BYTES]),
            Frame::Received(u64::MAX),
            Frame::Bye,
        ];
        let bytes: Vec<u8> = frames.iter().flat_map(Frame::encode).collect();
        let mut rest = &bytes[..];
        for frame in frames {
            assert_eq!(Frame::read(&mut rest).unwrap(), Some(frame));
        }
        assert_eq!(Frame::read(&mut rest).unwrap(), None);
    }

    #[test]
    fn what_is_no_frame_is_refused_before_room_is_made_for_it() {
        let too_long = [&[DATA][..], &u32::MAX.to_be_bytes()].concat();
        let unknown = [9, 0, 0, 0, 0].to_vec();
        let short_total = framed(RECEIVED, &[1, 2, 3]);
        let long_bye = framed(BYE, &[0]);
        for bytes in [too_long, unknown, short_total, long_bye] {
            let read = Frame::read(&mut &bytes[..]);
            assert!(matches!(read, Err(FrameError::Foreign { .. })), "{read:?}");
        }
        let mut later = Frame::Hello { received: 0 }.encode();
        later[5] = VERSION + 1;
        assert!(matches!(
            Frame::read(&mut &later[..]),
            Err(FrameError::Version(2))
        ));
    }

    #[test]
    fn a_cut_within_a_frame_is_an_error() {
        let bytes = Frame::Data(b"abc".to_vec()).encode();
        for length in 1..bytes.len() {
            let read = Frame::read(&mut &bytes[..length]);
            assert!(matches!(read, Err(FrameError::Connection(_))), "{length}");
        }
    }
}
