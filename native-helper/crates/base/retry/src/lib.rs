//! Repeats an attempt that may succeed a moment later.
//!
//! A VM at work changes between two reads, so the data read may contradict itself, and the same
//! read succeeds a moment later. [`Retry`] sets the number of attempts and the length of the
//! pauses; the caller decides after each failure whether another attempt can help. An attempt is
//! bounded in number or in time, so no target can keep us at it.

use std::time::{Duration, Instant};

/// How often something is tried, and how long to wait after each failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// This many attempts, one right after the other.
    Attempts(u32),
    /// One attempt, and one more after each of these pauses, milliseconds.
    Pauses(&'static [u64]),
    /// Attempts with a pause after each until the time is over.
    Time { total: Duration, pause: Duration },
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// The failure may pass.
    TryAgain,
    /// It will not pass.
    GiveUp,
}

impl AfterFailure {
    /// Another attempt if the failure may pass.
    pub fn again_if(may_pass: bool) -> Self {
        if may_pass {
            Self::TryAgain
        } else {
            Self::GiveUp
        }
    }
}

/// Why no attempt succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaveUp<E> {
    /// The last failure is one that does not pass.
    Final(E),
    /// Every attempt failed, the last one with this.
    Exhausted(E),
}

impl<E> GaveUp<E> {
    /// The failure of the last attempt.
    pub fn into_error(self) -> E {
        match self {
            Self::Final(error) | Self::Exhausted(error) => error,
        }
    }
}

/// Time, as far as trying again needs it. Tests have one that does not pass by itself.
pub trait Clock {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
    /// Waits.
    fn pause(&self, pause: Duration);
}

/// The machine's own time.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    begun: Instant,
}

impl SystemClock {
    /// A clock that starts at zero now.
    pub fn start() -> Self {
        Self {
            begun: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn pause(&self, pause: Duration) {
        std::thread::sleep(pause);
    }
}

impl Retry {
    /// `attempts` attempts without a pause; at least one is made.
    pub const fn attempts(attempts: u32) -> Self {
        let bound = Bound::Attempts(attempts);
        Self { bound }
    }

    /// One attempt, and one more after each pause, milliseconds.
    pub const fn after_pauses_ms(pauses: &'static [u64]) -> Self {
        let bound = Bound::Pauses(pauses);
        Self { bound }
    }

    /// Attempts with `pause` after each, for `total`; at least one is made.
    pub const fn within(total: Duration, pause: Duration) -> Self {
        let bound = Bound::Time { total, pause };
        Self { bound }
    }

    /// The first success. After each failure `judge` decides whether to try again.
    pub fn run<T, E>(
        self,
        attempt: impl FnMut() -> Result<T, E>,
        judge: impl FnMut(&E) -> AfterFailure,
    ) -> Result<T, GaveUp<E>> {
        self.run_by(&SystemClock::start(), attempt, judge)
    }

    /// True as soon as `holds` is.
    pub fn until(self, mut holds: impl FnMut() -> bool) -> bool {
        let attempt = || if holds() { Ok(()) } else { Err(()) };
        self.run(attempt, |()| AfterFailure::TryAgain).is_ok()
    }

    /// [`Retry::run`] by another clock.
    pub fn run_by<T, E>(
        self,
        clock: &impl Clock,
        mut attempt: impl FnMut() -> Result<T, E>,
        mut judge: impl FnMut(&E) -> AfterFailure,
    ) -> Result<T, GaveUp<E>> {
        let begun = clock.now();
        let mut failures = 0;
        loop {
            let error = match attempt() {
                Ok(found) => return Ok(found),
                Err(error) => error,
            };
            if judge(&error) == AfterFailure::GiveUp {
                return Err(GaveUp::Final(error));
            }
            failures += 1;
            let Some(pause) = self.pause_after(failures, clock.now().saturating_sub(begun)) else {
                return Err(GaveUp::Exhausted(error));
            };
            if !pause.is_zero() {
                clock.pause(pause);
            }
        }
    }

    /// How long to wait after so many failures in `elapsed`; `None` when that was the last attempt.
    fn pause_after(self, failures: u32, elapsed: Duration) -> Option<Duration> {
        match self.bound {
            Bound::Attempts(attempts) => (failures < attempts).then_some(Duration::ZERO),
            Bound::Pauses(pauses) => {
                let pause_ms = pauses.get(failures as usize - 1)?;
                Some(Duration::from_millis(*pause_ms))
            }
            Bound::Time { total, pause } => (elapsed < total).then_some(pause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    /// Time that passes only in pauses.
    #[derive(Default)]
    struct StoppedClock {
        now: Cell<Duration>,
        pauses_ms: RefCell<Vec<u128>>,
    }

    impl Clock for StoppedClock {
        fn now(&self) -> Duration {
            self.now.get()
        }

        fn pause(&self, pause: Duration) {
            self.now.set(self.now.get() + pause);
            self.pauses_ms.borrow_mut().push(pause.as_millis());
        }
    }

    /// Runs an attempt that succeeds at the given one; returns the result, attempts and pauses.
    fn run(retry: Retry, succeeds_at: u32) -> (Result<u32, GaveUp<u32>>, u32, Vec<u128>) {
        let (clock, mut made) = (StoppedClock::default(), 0);
        let attempt = || {
            made += 1;
            if made == succeeds_at {
                Ok(made)
            } else {
                Err(made)
            }
        };
        let result = retry.run_by(&clock, attempt, |_| AfterFailure::TryAgain);
        (result, made, clock.pauses_ms.into_inner())
    }

    #[test]
    fn attempts_are_bounded_in_number_and_follow_at_once() {
        assert_eq!(run(Retry::attempts(3), 2), (Ok(2), 2, vec![]));
        let exhausted = Err(GaveUp::Exhausted(3));
        assert_eq!(run(Retry::attempts(3), 9), (exhausted, 3, vec![]));
        assert_eq!(run(Retry::attempts(0), 9).1, 1);
    }

    #[test]
    fn each_pause_is_made_once_and_one_attempt_follows_it() {
        let retry = Retry::after_pauses_ms(&[1, 5]);
        assert_eq!(run(retry, 1), (Ok(1), 1, vec![]));
        assert_eq!(run(retry, 3), (Ok(3), 3, vec![1, 5]));
        let exhausted = Err(GaveUp::Exhausted(3));
        assert_eq!(run(retry, 9), (exhausted, 3, vec![1, 5]));
    }

    #[test]
    fn time_ends_it_however_many_attempts_that_are() {
        let retry = Retry::within(Duration::from_millis(25), Duration::from_millis(10));
        let exhausted = Err(GaveUp::Exhausted(4));
        assert_eq!(run(retry, 9), (exhausted, 4, vec![10, 10, 10]));
        let none = Retry::within(Duration::ZERO, Duration::from_millis(10));
        assert_eq!(run(none, 9), (Err(GaveUp::Exhausted(1)), 1, vec![]));
    }

    #[test]
    fn a_failure_that_does_not_pass_ends_it() {
        let mut made = 0;
        let attempt = || -> Result<(), u32> {
            made += 1;
            Err(made)
        };
        let judge = |error: &u32| AfterFailure::again_if(*error < 2);
        let result = Retry::attempts(9).run_by(&StoppedClock::default(), attempt, judge);
        assert_eq!(result, Err(GaveUp::Final(2)));
    }

    #[test]
    fn a_condition_is_looked_at_until_it_holds() {
        let mut looks = 0;
        let mut holds_at = |at| {
            looks = 0;
            Retry::attempts(3).until(|| {
                looks += 1;
                looks == at
            })
        };
        assert!(holds_at(3));
        assert!(!holds_at(4));
    }
}
