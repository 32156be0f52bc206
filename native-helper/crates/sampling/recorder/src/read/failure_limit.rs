//! Keeps the samples of a CPU coming when one look at its ring fails.
//!
//! A mistake in the profiler that shows with one sample must not cost the CPU. The sample is
//! counted as lost and the look is made again; the sample itself is no longer in the ring. Only
//! when look after look fails is the CPU given up, and the capture records that.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::counts::ReaderCounts;

/// Looks that may fail one after the other until the CPU is given up.
const MAX_FAILURES_IN_A_ROW: u32 = 16;
/// The pause between two readings unless the kernel wakes the thread earlier.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(25);

/// Successful and failed readings of the ring of one CPU.
#[derive(Debug, Default)]
pub struct FailureLimit {
    failures_in_a_row: u32,
    given_up: bool,
}

/// The result of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The ring is empty now.
    Done,
    /// It failed with one sample; there may be more behind it.
    Failed,
    /// It failed again and again: this CPU is not read any more.
    GivenUp,
}

impl FailureLimit {
    /// Makes one look, and counts it when it panics.
    pub fn look(&mut self, counts: &ReaderCounts, look: impl FnOnce()) -> Look {
        if self.given_up {
            return Look::GivenUp;
        }
        // A look leaves half done only a sample that is not queued: a batch takes whole ones.
        let Err(panic) = catch_unwind(AssertUnwindSafe(look)) else {
            self.failures_in_a_row = 0;
            return Look::Done;
        };
        counts.failures.fetch_add(1, Ordering::Relaxed);
        counts.lost.fetch_add(1, Ordering::Relaxed);
        self.failures_in_a_row += 1;
        if self.failures_in_a_row < MAX_FAILURES_IN_A_ROW {
            return Look::Failed;
        }
        self.given_up = true;
        counts.end(&text_of(&*panic));
        Look::GivenUp
    }
}

/// The message of a panic.
pub fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_without_a_success_between_them_end_a_cpu() {
        let (mut failure_limit, counts) = (FailureLimit::default(), ReaderCounts::default());
        for _ in 0..10 {
            for _ in 1..MAX_FAILURES_IN_A_ROW {
                assert_eq!(failure_limit.look(&counts, || panic!("once")), Look::Failed);
            }
            assert_eq!(failure_limit.look(&counts, || ()), Look::Done);
        }
        for _ in 1..MAX_FAILURES_IN_A_ROW {
            assert_eq!(
                failure_limit.look(&counts, || panic!("again")),
                Look::Failed
            );
        }
        assert_eq!(
            failure_limit.look(&counts, || panic!("again")),
            Look::GivenUp
        );
        assert_eq!(counts.why_ended.get().map(String::as_str), Some("again"));
        let mut looked = false;
        assert_eq!(failure_limit.look(&counts, || looked = true), Look::GivenUp);
        assert!(!looked, "a CPU that is given up is left alone");
    }
}
