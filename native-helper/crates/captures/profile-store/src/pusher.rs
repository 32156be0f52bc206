//! Works off a buffer, oldest first, on a thread of its own, while profiles come in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::address::StoreAddress;
use crate::buffer::Buffer;
use crate::credentials::Credentials;
use crate::profile::Outgoing;
use crate::protocol::Protocol;
use crate::send::{SendError, Store};

/// How long it is waited after a store was away, the first time and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// Stores refuse profiles that are older than about an hour.
const OLDEST_S: u64 = 3600;

/// What became of the profiles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// In the store.
    pub sent: u64,
    /// Sent when the store had been away for them.
    pub sent_late: u64,
    /// Thrown away for lack of room in the buffer.
    pub dropped_for_room: u64,
    /// Thrown away because stores take none that are so old.
    pub dropped_too_old: u64,
    /// Thrown away because the store does not take them.
    pub dropped_refused: u64,
    /// Thrown away because they could not be written to the buffer, or not be read again.
    pub dropped_unkept: u64,
    /// In the buffer.
    pub waiting: u64,
    /// The last error; empty when there was none or the store is back.
    pub trouble: String,
}

impl Tally {
    /// All that never arrive.
    pub fn dropped(&self) -> u64 {
        let refused = self.dropped_refused + self.dropped_unkept;
        self.dropped_for_room + self.dropped_too_old + refused
    }
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    cancelled: AtomicBool,
}

#[derive(Debug)]
struct State {
    buffer: Buffer,
    tally: Tally,
    /// The time after which no caller waits for the remaining profiles.
    end: Option<Instant>,
}

/// Sends profiles as they come.
#[derive(Debug)]
pub struct Pusher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Pusher {
    /// Begins to work off `buffer`.
    ///
    /// # Errors
    /// When there is no curl, or no thread.
    pub fn start(
        address: StoreAddress,
        protocol: Protocol,
        credentials: Credentials,
        buffer: Buffer,
    ) -> Result<Self, SendError> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                buffer,
                tally: Tally::default(),
                end: None,
            }),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
        });
        let (ready, is_ready) = shared_channel::channel();
        let worker = Arc::clone(&shared);
        let work = move || match Store::new(address, protocol, credentials) {
            Ok(store) => {
                // The receiver still waits.
                let _ = ready.send(Ok(()));
                worker.work(&store);
            }
            Err(error) => drop(ready.send(Err(error))),
        };
        let failed =
            |text: String| SendError::Refused(format!("there is no thread for it: {text}"));
        let thread = std::thread::Builder::new()
            .name("push".to_owned())
            .spawn(work)
            .map_err(|error| failed(error.to_string()))?;
        is_ready
            .recv()
            .unwrap_or_else(|error| Err(failed(error.to_string())))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Hands over a profile. It is on disk when this returns, or counted as lost.
    pub fn push(&self, profile: &Outgoing) {
        let mut state = self.shared.lock();
        match state.buffer.add(profile) {
            Ok(dropped) => state.tally.dropped_for_room += dropped,
            Err(error) => {
                state.tally.dropped_unkept += 1;
                state.tally.trouble = format!("cannot keep a profile: {error}");
            }
        }
        self.shared.changed.notify_all();
    }

    /// What became of them so far.
    pub fn tally(&self) -> Tally {
        self.shared.lock().counted()
    }

    /// Sends the remaining profiles, for at most so long; those that still wait then stay on disk.
    pub fn finish(mut self, patience: Duration) -> Tally {
        let end = Instant::now() + patience;
        self.shared.lock().end = Some(end);
        self.shared.changed.notify_all();
        while let Some(thread) = &self.thread {
            if thread.is_finished() || Instant::now() >= end {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.stop();
        self.tally()
    }

    fn stop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // One that panicked has reported it itself.
            let _ = thread.join();
        }
    }
}

impl Drop for Pusher {
    fn drop(&mut self) {
        self.stop();
    }
}

impl State {
    fn counted(&self) -> Tally {
        Tally {
            waiting: self.buffer.len() as u64,
            ..self.tally.clone()
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Sends until it is called to end; then the remaining profiles, as long as the store takes
    /// them.
    fn work(&self, store: &Store) {
        let mut pause = FIRST_PAUSE;
        let mut was_away = false;
        while let Some((number, profile)) = self.next() {
            let outcome = store.send(&profile, &|| self.is_cancelled());
            let mut state = self.lock();
            match outcome {
                Ok(()) => {
                    state.buffer.remove(number);
                    state.tally.sent += 1;
                    state.tally.sent_late += u64::from(was_away);
                    state.tally.trouble.clear();
                    pause = FIRST_PAUSE;
                    was_away &= !state.buffer.is_empty();
                }
                Err(SendError::Cancelled) => return,
                Err(SendError::Refused(reason)) => {
                    state.buffer.remove(number);
                    state.tally.dropped_refused += 1;
                    state.tally.trouble = format!("the store does not take a profile: {reason}");
                }
                Err(error) => {
                    state.tally.trouble = format!("the store is away: {error}");
                    was_away = true;
                    self.wait(state, pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// The oldest profile that is worth sending; waits for one. `None` at the end.
    fn next(&self) -> Option<(u64, Outgoing)> {
        let mut state = self.lock();
        loop {
            if self.is_cancelled() {
                return None;
            }
            match state.buffer.oldest() {
                Ok(Some((number, profile))) => {
                    if profile.about.until_s.saturating_add(OLDEST_S) >= now_s() {
                        return Some((number, profile));
                    }
                    state.buffer.remove(number);
                    state.tally.dropped_too_old += 1;
                }
                Err((number, error)) => {
                    state.buffer.remove(number);
                    state.tally.dropped_unkept += 1;
                    state.tally.trouble = format!("cannot read a kept profile: {error}");
                }
                Ok(None) if state.end.is_some() => return None,
                Ok(None) => {
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Waits so long, or until it is cancelled.
    fn wait(&self, mut state: MutexGuard<'_, State>, pause: Duration) {
        let until = Instant::now() + pause;
        while !self.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Seconds since 1970.
pub fn now_s() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
