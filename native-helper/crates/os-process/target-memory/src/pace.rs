//! Reading that leaves the target's memory be for a moment now and then.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Reading goes on for at most this long, and one portion more, before the next pause: 5 ms in all.
const LONGEST: Duration = Duration::from_millis(4);
const PAUSE: Duration = Duration::from_millis(1);
/// The bytes read in one piece. The kernel copies them in some hundred microseconds.
pub(crate) const PORTION_BYTES: usize = 1 << 20;

/// Since when there was no pause. Clones share it, as they read the same memory.
#[derive(Debug, Clone)]
pub(crate) struct Pace(Arc<Mutex<Instant>>);

impl Pace {
    /// Reading begins now.
    pub fn begin() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// To be called after each portion: pauses when it is time to.
    pub fn pause_when_due(&self) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if since.elapsed() >= LONGEST {
            sleep(PAUSE);
            *since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_comes_once_it_is_due_and_begins_a_new_stretch() {
        let long_ago = Instant::now().checked_sub(LONGEST * 2).unwrap();
        let pace = Pace(Arc::new(Mutex::new(long_ago)));
        pace.clone().pause_when_due();
        let since = *pace.0.lock().unwrap();
        assert!(since >= long_ago + LONGEST * 2 + PAUSE, "it has paused");
    }

    #[test]
    fn before_that_nothing_is_waited_for() {
        // A stretch that begins in an hour is never over.
        let soon = Instant::now() + Duration::from_secs(3600);
        let pace = Pace(Arc::new(Mutex::new(soon)));
        pace.pause_when_due();
        assert_eq!(*pace.0.lock().unwrap(), soon);
    }
}
