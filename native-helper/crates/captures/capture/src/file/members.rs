//! The gzip members that a rewritten capture is made of. Each is a message of its own, some MiB
//! long, so that a reader can have the next ones inflated while it reads one.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

/// From this size on, a member ends where the next increment begins.
const MEMBER_BYTES: usize = 4 << 20;
/// A finished capture is written once and kept: worth more work than an increment.
const LEVEL: u32 = 6;

pub(super) struct Members<W: Write> {
    /// None after a fault.
    encoder: Option<GzEncoder<W>>,
    /// Bytes of the message in the current member.
    message_bytes: usize,
}

impl<W: Write> Members<W> {
    pub(super) fn new(target: W) -> Self {
        Self {
            encoder: Some(encoder(target)),
            message_bytes: 0,
        }
    }

    /// Adds a field of the message. `begins_increment`: no earlier field refers to this one or a
    /// later one.
    pub(super) fn put(&mut self, field: &[u8], begins_increment: bool) -> io::Result<()> {
        if begins_increment && self.message_bytes >= MEMBER_BYTES {
            let target = self.take()?.finish()?;
            self.encoder = Some(encoder(target));
            self.message_bytes = 0;
        }
        self.message_bytes += field.len();
        self.encoder.as_mut().ok_or_else(gone)?.write_all(field)
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.take()?.finish()
    }

    fn take(&mut self) -> io::Result<GzEncoder<W>> {
        self.encoder.take().ok_or_else(gone)
    }
}

fn encoder<W: Write>(target: W) -> GzEncoder<W> {
    GzEncoder::new(target, Compression::new(LEVEL))
}

fn gone() -> io::Error {
    io::Error::other("a member before this one could not be written")
}
