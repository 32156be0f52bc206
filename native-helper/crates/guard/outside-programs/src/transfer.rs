//! One transfer: a `curl` that fetches or sends; the helper counts and times its output.

use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use unprivileged_child::{ChildUser, Ended, Group, RunLimits, listen};

use crate::curl::{self, STATUS};

pub use crate::error::ProgramError;
pub use crate::request::{Body, Bounds, Post, body};

/// What curl is given beyond its own bounds, before it is ended.
const GRACE: Duration = Duration::from_secs(5);
/// The part kept of a server's explanation for a refusal.
const MAX_ANSWER_CHARS: usize = 300;

/// How a transfer ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transferred {
    /// There was a file, or the data was accepted.
    Done,
    /// The server does not have it.
    Missing,
}

/// What a transfer is for, and within which bounds.
pub struct Transfer<'a> {
    /// The program.
    pub curl: &'a Path,
    /// The user that it runs as.
    pub user: Option<ChildUser>,
    /// The address to fetch from, or to send to.
    pub url: &'a str,
    /// Whether it must stay encrypted.
    pub is_encrypted: bool,
    /// The data to send; nothing when something is fetched.
    pub post: Option<Post<'a>>,
    /// The bounds.
    pub bounds: Bounds,
    /// Each transfer ends by then.
    pub deadline: Instant,
}

impl Transfer<'_> {
    /// Fetches or sends. Each part of the answer goes to `take`, which may refuse it; `cancelled` is called a few times
    /// a second. When this returns, the child has ended and was waited for.
    ///
    /// # Errors
    /// See [`ProgramError`].
    pub fn run(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), ProgramError>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Transferred, ProgramError> {
        let bounds = &self.bounds;
        let configuration =
            curl::configuration(self.url, self.is_encrypted, bounds, self.post.as_ref())
                .map_err(ProgramError::NotStarted)?;
        let patience = RunLimits {
            bytes: bounds.reply_bytes,
            silence: bounds.silence.saturating_add(bounds.connect) + GRACE,
            time: bounds.time.saturating_add(GRACE),
            deadline: Some(self.deadline),
        };
        let mut command = curl::command(self.curl, self.user);
        let mut answer = Vec::new();
        let is_sending = self.post.is_some();
        let mut receive = |part: &[u8]| {
            if is_sending && answer.len() < MAX_ANSWER_CHARS * 4 {
                answer.extend_from_slice(part);
            }
            take(part)
        };
        let Ended { status, messages } = listen(
            &mut command,
            configuration.as_bytes(),
            Group::OfItsOwn,
            patience,
            cancelled,
            &mut receive,
        )?;
        self.judge(status, &messages, &answer)
    }

    fn judge(
        &self,
        status: ExitStatus,
        message: &str,
        answer: &[u8],
    ) -> Result<Transferred, ProgramError> {
        let (text, http) = parts(message);
        match (status.code(), http) {
            (Some(0), Some(status @ 300..)) if self.post.is_some() => {
                Err(not_taken(status, answer))
            }
            (Some(0), _) => Ok(Transferred::Done),
            // CURLE_HTTP_RETURNED_ERROR
            (Some(22), Some(status)) if self.post.is_some() => Err(not_taken(status, answer)),
            (_, Some(404 | 410)) => Ok(Transferred::Missing),
            // CURLE_OPERATION_TIMEDOUT
            (Some(28), _) => Err(ProgramError::Slow(text)),
            // Names that lead nowhere, refused connections, TLS that does not come about or whose
            // certificate is not believed.
            (Some(5..=7 | 35 | 60), _) => Err(ProgramError::Unreachable(text)),
            // CURLE_FILESIZE_EXCEEDED
            (Some(63), _) => Err(ProgramError::TooLarge {
                limit: self.bounds.reply_bytes,
            }),
            _ if text.is_empty() => Err(ProgramError::Failed(format!("curl ended with {status}"))),
            _ => Err(ProgramError::Failed(text)),
        }
    }
}

fn not_taken(status: u16, answer: &[u8]) -> ProgramError {
    let answer = String::from_utf8_lossy(answer);
    let answer: String = answer.trim().chars().take(MAX_ANSWER_CHARS).collect();
    let answer = match answer.is_empty() {
        true => answer,
        false => format!(": {answer}"),
    };
    ProgramError::NotTaken { status, answer }
}

/// The error that curl reports, and the last status of HTTP.
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

#[cfg(test)]
mod tests;
