//! How a job on a thread of its own is ended, and how other threads wait for that.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

const GO_ON: u8 = 0;
const STOP: u8 = 1;
const SHUT_DOWN: u8 = 2;
const DISCARD: u8 = 3;

/// Why a job is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndWish {
    /// The client ended it.
    Stop,
    /// The conversation is over.
    ShutDown,
    /// Its result is not wanted.
    Discard,
}

/// Ends a job from another thread, and waits for its end. `E` is the report on the end.
#[derive(Debug)]
pub struct JobControl<E> {
    wish: AtomicU8,
    ended: Mutex<Option<E>>,
    has_ended: Condvar,
}

impl<E> Default for JobControl<E> {
    fn default() -> Self {
        Self {
            wish: AtomicU8::new(GO_ON),
            ended: Mutex::new(None),
            has_ended: Condvar::new(),
        }
    }
}

impl<E: Clone> JobControl<E> {
    /// Of a job that has ended.
    pub fn of_ended(end: E) -> Self {
        let control = Self::default();
        control.set_end(end);
        control
    }

    /// Requests the end of the job. The first wish counts, except that a discard overrides it.
    pub fn ask_to_end(&self, wish: EndWish) {
        let wish = match wish {
            EndWish::Stop => STOP,
            EndWish::ShutDown => SHUT_DOWN,
            EndWish::Discard => return self.wish.store(DISCARD, Ordering::Release),
        };
        // An earlier wish stays.
        let _ = self
            .wish
            .compare_exchange(GO_ON, wish, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Whether its files are complete.
    pub fn has_ended(&self) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.is_some()
    }

    /// How it ended, when it has.
    pub fn wait(&self) -> E {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(end) = &*ended {
                return end.clone();
            }
            ended = self
                .has_ended
                .wait(ended)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether its end was requested.
    pub fn is_asked(&self) -> bool {
        self.wish.load(Ordering::Acquire) != GO_ON
    }

    /// Whether its end was requested because the conversation is over.
    pub fn is_shutting_down(&self) -> bool {
        self.wish.load(Ordering::Acquire) == SHUT_DOWN
    }

    /// Whether to end without slow work: the conversation is over, or the result is discarded.
    pub fn is_hurried(&self) -> bool {
        self.wish.load(Ordering::Acquire) >= SHUT_DOWN
    }

    /// It has ended.
    pub fn set_end(&self, end: E) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        self.has_ended.notify_all();
    }
}

/// Requests the end of all before it waits for the first.
pub fn end_all<'a, E: Clone + 'a>(
    jobs: impl Iterator<Item = &'a JobControl<E>> + Clone,
    wish: EndWish,
) {
    jobs.clone().for_each(|job| job.ask_to_end(wish));
    jobs.for_each(|job| drop(job.wait()));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_first_wish_counts_and_waiting_ends_with_the_job() {
        let control = Arc::new(JobControl::<u32>::default());
        assert!(!control.is_asked() && !control.has_ended());
        control.ask_to_end(EndWish::Stop);
        control.ask_to_end(EndWish::ShutDown);
        assert!(control.is_asked() && !control.is_shutting_down());
        assert!(!control.is_hurried());
        control.ask_to_end(EndWish::Discard);
        assert!(control.is_hurried() && !control.is_shutting_down());
        let waiting = Arc::clone(&control);
        let waiter = std::thread::spawn(move || waiting.wait());
        control.set_end(7);
        assert_eq!(waiter.join().unwrap(), 7);
        assert!(JobControl::of_ended(7).has_ended());
    }
}
