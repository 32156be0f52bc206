//! The requests that wait for their answers.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lsp_server::RequestId;

use crate::context::Cancellation;

/// Requests that may be worked on at a time, each on a thread.
pub(crate) const MAX_IN_FLIGHT: usize = 64;

/// Why a request cannot be taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    DuplicateId,
    TooMany,
}

#[derive(Debug, Default)]
pub(crate) struct InFlight {
    requests: Mutex<HashMap<RequestId, Cancellation>>,
    finished: Condvar,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Cancellation>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin(&self, id: &RequestId) -> Result<Cancellation, Refused> {
        let mut requests = self.lock();
        if requests.contains_key(id) {
            return Err(Refused::DuplicateId);
        }
        if requests.len() >= MAX_IN_FLIGHT {
            return Err(Refused::TooMany);
        }
        let cancellation = Cancellation::default();
        requests.insert(id.clone(), cancellation.clone());
        Ok(cancellation)
    }

    /// To be called before the answer is sent: with the answer in hand a client may use the id
    /// again.
    pub fn finish(&self, id: &RequestId) {
        self.lock().remove(id);
        self.finished.notify_all();
    }

    /// An id that is not known any more was answered already.
    pub fn cancel(&self, id: &RequestId) {
        if let Some(cancellation) = self.lock().get(id) {
            cancellation.cancel();
        }
    }

    pub fn cancel_all_but(&self, spared: Option<&RequestId>) {
        for (id, cancellation) in self.lock().iter() {
            if Some(id) != spared {
                cancellation.cancel();
            }
        }
    }

    /// Waits until every request is finished, or as long as `patience`.
    pub fn wait_until_empty(&self, patience: Duration) {
        let requests = self.lock();
        let _guard = self
            .finished
            .wait_timeout_while(requests, patience, |left| !left.is_empty());
    }
}
