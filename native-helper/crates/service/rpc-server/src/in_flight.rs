//! The requests that wait for their answers.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lsp_server::RequestId;
use shared_map::HashMap;

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
struct Requests {
    by_id: HashMap<RequestId, Cancellation>,
    /// Those whose answer is not queued yet; their id may be free already.
    unanswered: usize,
}

#[derive(Debug, Default)]
pub(crate) struct InFlight {
    requests: Mutex<Requests>,
    answered: Condvar,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin(&self, id: &RequestId) -> Result<Cancellation, Refused> {
        let mut requests = self.lock();
        if requests.by_id.contains_key(id) {
            return Err(Refused::DuplicateId);
        }
        if requests.unanswered >= MAX_IN_FLIGHT {
            return Err(Refused::TooMany);
        }
        let cancellation = Cancellation::default();
        requests.by_id.insert(id.clone(), cancellation.clone());
        requests.unanswered += 1;
        Ok(cancellation)
    }

    /// To be called before the answer is queued: with the answer in hand a client may use the id
    /// again.
    pub fn free_id(&self, id: &RequestId) {
        self.lock().by_id.remove(id);
    }

    /// To be called when the answer is queued: until then the conversation must not end.
    pub fn answered(&self) {
        let mut requests = self.lock();
        requests.unanswered = requests.unanswered.saturating_sub(1);
        self.answered.notify_all();
    }

    /// An id that is not known any more was answered already.
    pub fn cancel(&self, id: &RequestId) {
        if let Some(cancellation) = self.lock().by_id.get(id) {
            cancellation.cancel();
        }
    }

    pub fn cancel_all_but(&self, spared: Option<&RequestId>) {
        for (id, cancellation) in &self.lock().by_id {
            if Some(id) != spared {
                cancellation.cancel();
            }
        }
    }

    /// Waits until every request is answered, or as long as `patience`.
    pub fn wait_until_answered(&self, patience: Duration) {
        let requests = self.lock();
        let _guard = self
            .answered
            .wait_timeout_while(requests, patience, |left| left.unanswered > 0);
    }
}
