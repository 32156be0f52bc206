//! The thread that looks at the list of code: now and then while nothing happens, all the time while
//! modules are being loaded. Between two looks the code index must not go round and no module may
//! come and go unseen, however busy the machine is; so the thread has the lowest real-time priority,
//! as the readers have, and does nothing but look.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use retry::Retry;
use target_memory::TargetMemory;
use vm_code::generations::{CodeReader, Look};

use crate::sys;

/// Between two looks while nothing is loaded: one system call.
const QUIET_INTERVAL: Duration = Duration::from_millis(8);
/// The same where looking must cost less: the VM's code index then shows nothing between two looks,
/// and more samples around a load are `[code reloaded: between readings]`.
const SELDOM_INTERVAL: Duration = Duration::from_millis(64);
/// After a load more are expected for so long.
const EXPECT_MORE: Duration = Duration::from_secs(2);
/// Between two looks while more are expected.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);
/// Reading a list that changed takes some time; so many times that is left between two looks.
const READING_TIMES: u32 = 2;
/// A list that cannot be read is read again when someone waits for it.
const WHEN_ASKED: Retry = Retry::attempts(4);
const UNASKED: Retry = Retry::attempts(1);

/// Looks that wait, at most: the thread that takes them may itself wait for the process that writes the capture.
const MOST_UNTAKEN: usize = 1024;

/// The thread, for the resolver of samples. Dropping it ends the thread.
#[derive(Debug)]
pub struct CodeWatch {
    /// Each requests a look at once, and is the channel for the report that it was done.
    requests: Option<Sender<Sender<()>>>,
    looks: Receiver<Look>,
    /// Looks that were not taken yet.
    untaken: Arc<AtomicUsize>,
    changes: Receiver<()>,
    seldom: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl CodeWatch {
    /// Starts looking.
    pub fn start(
        reader: CodeReader,
        memory: impl TargetMemory + Send + 'static,
    ) -> std::io::Result<Self> {
        let (requests, requested) = channel();
        let (found, looks) = channel();
        let (changed, changes) = channel();
        let seldom = Arc::<AtomicBool>::default();
        let untaken = Arc::<AtomicUsize>::default();
        let watcher = Watcher {
            reader,
            memory,
            requested,
            found,
            untaken: Arc::clone(&untaken),
            changed,
            pace: Pace {
                seldom: Arc::clone(&seldom),
                ..Pace::default()
            },
        };
        let thread = std::thread::Builder::new()
            .name("code-watch".to_owned())
            .spawn(|| watcher.run())?;
        Ok(Self {
            requests: Some(requests),
            looks,
            untaken,
            changes,
            seldom,
            thread: Some(thread),
        })
    }

    /// From now on looks are less frequent while nothing is loaded.
    pub fn look_less_often(&self) {
        self.seldom.store(true, Ordering::Relaxed);
    }

    /// Requests a reading now; when it returns true, [`CodeWatch::looks`] has the result.
    pub fn look_now(&self) -> bool {
        let (done, is_done) = channel();
        self.requests
            .as_ref()
            .is_some_and(|requests| requests.send(done).is_ok())
            && is_done.recv().is_ok()
    }

    /// The looks since the last call, in order.
    pub fn looks(&self) -> impl Iterator<Item = Look> + '_ {
        self.looks.try_iter().inspect(|_| {
            self.untaken.fetch_sub(1, Ordering::Relaxed);
        })
    }

    /// Waits until the list has changed, at most so long. True when it has.
    pub fn wait_for_change(&self, most: Duration) -> bool {
        match self.changes.recv_timeout(most) {
            Ok(()) => {
                self.changes.try_iter().for_each(drop);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(most);
                false
            }
        }
    }
}

impl Drop for CodeWatch {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has reported that on stderr.
            let _ = thread.join();
        }
    }
}

struct Watcher<M> {
    reader: CodeReader,
    memory: M,
    requested: Receiver<Sender<()>>,
    found: Sender<Look>,
    untaken: Arc<AtomicUsize>,
    changed: Sender<()>,
    pace: Pace,
}

impl<M: TargetMemory> Watcher<M> {
    fn run(mut self) {
        // Without the right to it looks come later, and fewer samples of replaced code are named.
        thread_priority::become_realtime();
        loop {
            let asked = match self.requested.recv_timeout(self.pace.interval()) {
                Ok(done) => Some(done),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if asked.is_none() && self.untaken.load(Ordering::Relaxed) >= MOST_UNTAKEN {
                continue;
            }
            // While modules come and go a look may fail, and the samples before it are unnamed.
            let retry = match asked {
                Some(_) => WHEN_ASKED,
                None => UNASKED,
            };
            retry.until(|| self.look());
            if let Some(done) = asked {
                // The receiver may be gone.
                let _ = done.send(());
            }
        }
    }

    /// True unless the list could not be read.
    fn look(&mut self) -> bool {
        let begun = Instant::now();
        let look = self.reader.look(&self.memory, &sys::monotonic_ns);
        let (is_change, is_success) = (look.is_change(), look.is_success());
        self.pace.looked(is_change, begun);
        self.untaken.fetch_add(1, Ordering::Relaxed);
        // Who resolves may have gone.
        let _ = self.found.send(look);
        if is_change {
            let _ = self.changed.send(());
        }
        is_success
    }
}

/// How often to look.
#[derive(Debug, Default)]
struct Pace {
    last_change: Option<Instant>,
    /// The time that reading a changed list took lately.
    reading: Duration,
    /// Looking must cost less.
    seldom: Arc<AtomicBool>,
}

impl Pace {
    fn interval(&self) -> Duration {
        match self.last_change {
            Some(change) if change.elapsed() < EXPECT_MORE => {
                SHORTEST_INTERVAL.max(self.reading * READING_TIMES)
            }
            _ if self.seldom.load(Ordering::Relaxed) => SELDOM_INTERVAL,
            _ => QUIET_INTERVAL,
        }
    }

    /// Notes a look that began then, and whether there was a change.
    fn looked(&mut self, changed: bool, begun: Instant) {
        if changed {
            self.last_change = Some(begun);
            self.reading = (self.reading + begun.elapsed()) / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_frequent_after_a_change_and_bounded_by_what_they_cost() {
        let mut pace = Pace::default();
        assert_eq!(pace.interval(), QUIET_INTERVAL);
        pace.looked(false, Instant::now());
        assert_eq!(pace.interval(), QUIET_INTERVAL);
        // Just now, as far as this test goes: a thread that is not run for two seconds is no fault.
        let now = || Instant::now() + EXPECT_MORE;
        pace.looked(true, now());
        assert_eq!(pace.interval(), SHORTEST_INTERVAL);
        for _ in 0..8 {
            pace.reading = (pace.reading + Duration::from_millis(100)) / 2;
        }
        assert!(pace.interval() > Duration::from_millis(150));
        pace.last_change = Instant::now().checked_sub(EXPECT_MORE);
        assert_eq!(pace.interval(), QUIET_INTERVAL);
        pace.seldom.store(true, Ordering::Relaxed);
        assert_eq!(pace.interval(), SELDOM_INTERVAL);
    }
}
