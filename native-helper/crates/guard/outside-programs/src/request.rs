//! The data to fetch or send, and the bounds.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::time::Duration;

use rustix::fs::MemfdFlags;

/// The bounds of one transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of the server's answer.
    pub reply_bytes: u64,
    /// How long a server may send next to nothing.
    pub silence: Duration,
    /// How long a connection may take to come about.
    pub connect: Duration,
    /// How long all may take.
    pub time: Duration,
    /// The slowest it may be, bytes a second.
    pub slowest: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            reply_bytes: 1 << 20,
            silence: Duration::from_secs(15),
            connect: Duration::from_secs(10),
            time: Duration::from_secs(60),
            slowest: 1,
        }
    }
}

/// The data to send.
#[derive(Debug, Clone, Copy)]
pub struct Post<'a> {
    body: &'a Body,
    /// Whole lines of HTTP: `Content-Type: application/octet-stream`. They may hold secrets, which
    /// no other user sees.
    pub(crate) headers: &'a [String],
}

impl<'a> Post<'a> {
    /// To send `body` with these lines before it.
    #[must_use]
    pub fn new(body: &'a Body, headers: &'a [String]) -> Self {
        Self { body, headers }
    }

    /// Where the child finds the body.
    pub(crate) fn body_path(&self) -> String {
        format!("/proc/self/fd/{}", self.body.0.as_raw_fd())
    }
}

/// Bytes in memory that a child finds among its open files: its input is for its configuration, and
/// the user that it runs as has no access to our files.
#[derive(Debug)]
pub struct Body(File);

/// Keeps bytes to be sent.
///
/// # Errors
/// The errors of the kernel.
pub fn body(bytes: &[u8]) -> io::Result<Body> {
    // Not closed in children: the one that sends it shall have it.
    let file = rustix::fs::memfd_create("extrospect-body", MemfdFlags::empty())?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    Ok(Body(file))
}
