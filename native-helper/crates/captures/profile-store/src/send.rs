//! Sending one profile.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use outside_programs::find_curl;
use outside_programs::transfer::{Bounds, Post, ProgramError, Transfer, body};
use unprivileged_child::{ChildUser, renounce_rights_of_children};

use crate::address::StoreAddress;
use crate::credentials::Credentials;
use crate::profile::Outgoing;
use crate::protocol::{self, Protocol};

/// The part kept of an answer.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// All of one transfer: a store that does not answer within that is away.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a profile is not in the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// There is no curl.
    #[error("curl, which sends it, is not installed (apt install curl)")]
    NoCurl,
    /// The store is away, busy or broken: later it may take it.
    #[error("{0}")]
    Away(String),
    /// The store does not take this profile, now or later.
    #[error("{0}")]
    Refused(String),
    /// The user cancelled.
    #[error("it was cancelled")]
    Cancelled,
}

/// A store, and how it is reached.
#[derive(Debug)]
pub struct Store {
    address: StoreAddress,
    protocol: Protocol,
    credentials: Credentials,
    curl: PathBuf,
    user: Option<ChildUser>,
}

impl Store {
    /// A store to send to. The calling thread gives up, for all that it starts from now on, its
    /// rights beyond those of its user: it should be one of its own.
    ///
    /// # Errors
    /// [`SendError::NoCurl`], or when rights cannot be given up.
    pub fn new(
        address: StoreAddress,
        protocol: Protocol,
        credentials: Credentials,
    ) -> Result<Self, SendError> {
        let curl = find_curl().ok_or(SendError::NoCurl)?;
        renounce_rights_of_children().map_err(|error| SendError::Refused(error.to_string()))?;
        Ok(Self {
            address,
            protocol,
            credentials,
            curl,
            user: ChildUser::when_root(),
        })
    }

    /// Sends a profile; `cancelled` is called a few times a second.
    ///
    /// # Errors
    /// See [`SendError`].
    pub fn send(&self, profile: &Outgoing, cancelled: &dyn Fn() -> bool) -> Result<(), SendError> {
        let away = |error: std::io::Error| SendError::Away(error.to_string());
        let request = protocol::request(self.protocol, &self.address, profile)
            .map_err(|error| SendError::Refused(error.to_string()))?;
        let body = body(&request.body).map_err(away)?;
        let mut headers = request.headers;
        headers.extend_from_slice(self.credentials.lines());
        let transfer = Transfer {
            curl: &self.curl,
            user: self.user,
            url: &request.url,
            is_encrypted: self.address.is_encrypted(),
            post: Some(Post::new(&body, &headers)),
            bounds: Bounds {
                time: PATIENCE,
                ..Bounds::default()
            },
            deadline: Instant::now() + PATIENCE + PATIENCE,
        };
        let mut answer = Vec::new();
        let mut receive = |part: &[u8]| {
            let room = MAX_ANSWER_BYTES.saturating_sub(answer.len());
            answer.extend_from_slice(part.get(..room).unwrap_or(part));
            Ok(())
        };
        match transfer.run(&mut receive, cancelled) {
            Ok(_) => match protocol::not_taken(self.protocol, &answer) {
                None => Ok(()),
                Some(why) => Err(SendError::Refused(why)),
            },
            Err(ProgramError::Cancelled) => Err(SendError::Cancelled),
            Err(error) => Err(self.failure(error, &answer)),
        }
    }

    fn failure(&self, error: ProgramError, answer: &[u8]) -> SendError {
        let ProgramError::NotTaken { status, .. } = error else {
            return SendError::Away(error.to_string());
        };
        let why = match protocol::complaint(self.protocol, answer) {
            Some(reason) => format!("it answers {status}: {reason}"),
            None => error.to_string(),
        };
        match is_final(status) {
            true => SendError::Refused(why),
            false => SendError::Away(why),
        }
    }
}

/// Whether a status means that sending the same again is of no use. Credentials can be corrected,
/// and a store that has too much to do gets it later.
fn is_final(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 401 | 403 | 404 | 408 | 425 | 429)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_will_never_be_taken_is_final() {
        assert!(is_final(400) && is_final(422) && is_final(413));
        assert!(!is_final(500) && !is_final(429) && !is_final(401) && !is_final(302));
    }
}
