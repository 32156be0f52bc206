//! One transfer: a child that fetches, and us who count and time what it says.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::child::ChildUser;
use crate::curl::{self, STATUS};
use crate::limits::Limits;

const CHUNK_BYTES: usize = 64 << 10;
/// How often it is looked whether the user wants no more.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// What curl is given beyond its own bounds, before it is ended.
const GRACE: Duration = Duration::from_secs(5);
/// What is kept of its messages.
const MAX_MESSAGE_BYTES: usize = 4096;

/// How a transfer ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transferred {
    /// There was a file.
    File,
    /// The server does not have it.
    Missing,
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The child was not started.
    #[error("curl cannot be started: {0}")]
    NotStarted(io::Error),
    /// It sent more than one file may have, or than was left of what all may have.
    #[error("it sends more than {limit} bytes (DEBUGINFOD_MAXSIZE)")]
    TooLarge {
        /// How much would have been taken.
        limit: u64,
    },
    /// Too slow, or nothing at all.
    #[error("it does not answer, or too slowly ({0})")]
    Slow(String),
    /// It is not there, or no connection comes about.
    #[error("it cannot be reached ({0})")]
    Unreachable(String),
    /// It answered something else than a file.
    #[error("{0}")]
    Failed(String),
    /// What came cannot be kept.
    #[error("cannot write the file: {0}")]
    Io(io::Error),
    /// All transfers together took too long.
    #[error("there was no time left for it")]
    NoTimeLeft,
    /// The user wants no more.
    #[error("it was cancelled")]
    Cancelled,
}

/// What a transfer is for, and within which bounds.
pub struct Transfer<'a> {
    /// The program.
    pub curl: &'a Path,
    /// As whom it runs.
    pub user: Option<ChildUser>,
    /// What is fetched.
    pub url: &'a str,
    /// Whether it must stay encrypted.
    pub is_encrypted: bool,
    /// The bounds of one file.
    pub limits: &'a Limits,
    /// No transfer goes on after that.
    pub deadline: Instant,
}

impl Transfer<'_> {
    /// Fetches. Each part of the file goes to `take`, which may refuse it; `cancelled` is asked a few
    /// times a second. When this returns, the child has ended and was waited for.
    pub fn run(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), TransferError>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Transferred, TransferError> {
        let configuration = curl::configuration(self.url, self.is_encrypted, self.limits)
            .map_err(TransferError::NotStarted)?;
        let told = filled_pipe(configuration.as_bytes()).map_err(TransferError::NotStarted)?;
        let child = curl::command(self.curl, self.user)
            .stdin(told)
            .spawn()
            .map_err(TransferError::NotStarted)?;
        let mut curl = Running(child);
        let message = self.listen(&mut curl, take, cancelled)?;
        let status = self.end_of(&mut curl, cancelled)?;
        self.judge(status, &message)
    }

    /// Takes what the child says until it has said all, and gives its messages.
    fn listen(
        &self,
        curl: &mut Running,
        take: &mut dyn FnMut(&[u8]) -> Result<(), TransferError>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<String, TransferError> {
        let mut body = Some(curl.0.stdout.take().ok_or_else(no_pipe)?);
        let mut messages = Some(curl.0.stderr.take().ok_or_else(no_pipe)?);
        let mut clock = Clock::new(self);
        let mut chunk = vec![0; CHUNK_BYTES];
        let (mut taken, mut message) = (0_u64, Vec::new());
        while body.is_some() || messages.is_some() {
            clock.check(cancelled)?;
            let (body_ready, message_ready) = wait(body.as_ref(), messages.as_ref())?;
            if body_ready {
                let bytes = read(&mut body, &mut chunk)?;
                taken = taken.saturating_add(bytes.len() as u64);
                if taken > self.limits.file_bytes {
                    let limit = self.limits.file_bytes;
                    return Err(TransferError::TooLarge { limit });
                }
                take(bytes)?;
                clock.heard();
            }
            if message_ready {
                let bytes = read(&mut messages, &mut chunk)?;
                // The last ones say most.
                message.extend_from_slice(bytes);
                message.drain(..message.len().saturating_sub(MAX_MESSAGE_BYTES));
            }
        }
        Ok(String::from_utf8_lossy(&message).into_owned())
    }

    /// Waits until the child that has said all has ended.
    fn end_of(
        &self,
        curl: &mut Running,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<ExitStatus, TransferError> {
        let clock = Clock::new(self);
        loop {
            if let Some(status) = curl.0.try_wait().map_err(TransferError::NotStarted)? {
                return Ok(status);
            }
            clock.check(cancelled)?;
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn judge(&self, status: ExitStatus, message: &str) -> Result<Transferred, TransferError> {
        let (text, http) = parts(message);
        match (status.code(), http) {
            (Some(0), _) => Ok(Transferred::File),
            (_, Some(404 | 410)) => Ok(Transferred::Missing),
            // CURLE_OPERATION_TIMEDOUT
            (Some(28), _) => Err(TransferError::Slow(text)),
            // Names that lead nowhere, refused connections, TLS that does not come about or whose
            // certificate is not believed.
            (Some(5..=7 | 35 | 60), _) => Err(TransferError::Unreachable(text)),
            // CURLE_FILESIZE_EXCEEDED
            (Some(63), _) => Err(TransferError::TooLarge {
                limit: self.limits.file_bytes,
            }),
            _ if text.is_empty() => Err(TransferError::Failed(format!("curl ended with {status}"))),
            _ => Err(TransferError::Failed(text)),
        }
    }
}

/// A pipe with all that is to be read of it. It is filled while its other end is here: to write to a
/// child that has ended already could end us by SIGPIPE.
fn filled_pipe(bytes: &[u8]) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    // A few hundred bytes, where a pipe takes 64 KiB, or at worst a page: this waits for nobody.
    writer.write_all(bytes)?;
    Ok(reader)
}

fn no_pipe() -> TransferError {
    TransferError::NotStarted(io::Error::other("it has no pipes"))
}

/// What curl says went wrong, and the last status of HTTP.
fn parts(message: &str) -> (String, Option<u16>) {
    let status = message
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix(STATUS)?.trim().parse().ok());
    let text = message
        .lines()
        .find_map(|line| line.strip_prefix("curl: ("))
        .and_then(|rest| rest.split_once(") "))
        .map_or("", |(_, text)| text);
    (text.trim().chars().take(200).collect(), status)
}

/// Whether there is something to read of each, within a moment.
fn wait(
    body: Option<&impl AsFd>,
    messages: Option<&impl AsFd>,
) -> Result<(bool, bool), TransferError> {
    let mut pipes: Vec<PollFd<'_>> = Vec::with_capacity(2);
    pipes.extend(body.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    pipes.extend(messages.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    match poll(&mut pipes, Some(&LOOK)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(TransferError::NotStarted(error.into())),
    }
    let mut ready = pipes.iter().map(|pipe| !pipe.revents().is_empty());
    let body_ready = body.is_some() && ready.next() == Some(true);
    Ok((body_ready, messages.is_some() && ready.next() == Some(true)))
}

/// What has come, and nothing at the end, after which the pipe is closed.
fn read<'a>(pipe: &mut Option<impl Read>, chunk: &'a mut [u8]) -> Result<&'a [u8], TransferError> {
    let Some(open) = pipe else { return Ok(&[]) };
    let length = match open.read(chunk) {
        Ok(0) => {
            *pipe = None;
            0
        }
        Ok(length) => length,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        Err(error) => return Err(TransferError::NotStarted(error)),
    };
    Ok(chunk.get(..length).unwrap_or_default())
}

/// Our own clock: curl's bounds are for curl to keep, and these for when it does not.
struct Clock {
    begun: Instant,
    heard: Instant,
    silence: Duration,
    time: Duration,
    deadline: Instant,
}

impl Clock {
    fn new(transfer: &Transfer<'_>) -> Self {
        let now = Instant::now();
        let limits = transfer.limits;
        Self {
            begun: now,
            heard: now,
            silence: limits.silence.saturating_add(limits.connect) + GRACE,
            time: limits.file_time.saturating_add(GRACE),
            deadline: transfer.deadline,
        }
    }

    fn heard(&mut self) {
        self.heard = Instant::now();
    }

    fn check(&self, cancelled: &dyn Fn() -> bool) -> Result<(), TransferError> {
        if cancelled() {
            return Err(TransferError::Cancelled);
        }
        if Instant::now() >= self.deadline {
            return Err(TransferError::NoTimeLeft);
        }
        let is_over = self.heard.elapsed() > self.silence || self.begun.elapsed() > self.time;
        match is_over {
            true => Err(TransferError::Slow("and curl did not end it".to_owned())),
            false => Ok(()),
        }
    }
}

/// A child that is ended and waited for, whatever happens.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Fails when it has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests;
