//! Waiting for files of a target, but not for ever. A file may be on a file system that the target
//! itself serves, and a read of it then takes as long as the target likes; no call takes a limit.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the files of one target are waited for, all together.
pub const TARGET_PATIENCE: Duration = Duration::from_secs(10);

/// The remaining time in which the files of one target have to answer. Clones share it.
#[derive(Debug, Clone)]
pub struct WaitLimit(Arc<Mutex<Duration>>);

impl Default for WaitLimit {
    fn default() -> Self {
        Self::of(TARGET_PATIENCE)
    }
}

impl WaitLimit {
    /// That long, for everything together.
    #[must_use]
    pub fn of(limit: Duration) -> Self {
        Self(Arc::new(Mutex::new(limit)))
    }

    /// The result of `work`, which runs on a thread of its own. That thread is left alone when it
    /// takes too long: it ends when the file answers, at the latest with this program.
    ///
    /// # Errors
    /// `TimedOut` when no time is left; otherwise the reason why there is no thread.
    pub fn wait<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        self.wait_while(work, || false)
    }

    /// [`WaitLimit::wait`], extended by the same time whenever that is over and `is_at_work` returns
    /// true.
    ///
    /// # Errors
    /// As of [`WaitLimit::wait`].
    pub fn wait_while<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        mut is_at_work: impl FnMut() -> bool,
    ) -> io::Result<T> {
        let result = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&result);
        let work = move || {
            let done = work();
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        };
        self.run(Box::new(work), &mut is_at_work)?;
        let done = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        done.ok_or_else(failed)
    }

    /// Not generic: a thread and a channel for each type of result would be 9 KB of code each.
    fn run(
        &self,
        work: Box<dyn FnOnce() + Send>,
        is_at_work: &mut dyn FnMut() -> bool,
    ) -> io::Result<()> {
        let left = *self.lock();
        if left.is_zero() {
            return Err(timed_out());
        }
        let (send, receive) = channel();
        let begun = Instant::now();
        std::thread::Builder::new()
            .name("target-file".to_owned())
            .spawn(move || {
                work();
                // When that fails, the caller no longer waits for it.
                let _ = send.send(());
            })?;
        let result = loop {
            match receive.recv_timeout(left) {
                Err(RecvTimeoutError::Timeout) if is_at_work() => {}
                result => break result,
            }
        };
        let mut left = self.lock();
        *left = match result {
            Err(RecvTimeoutError::Timeout) => Duration::ZERO,
            _ => left.saturating_sub(begun.elapsed()),
        };
        match result {
            Ok(()) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Err(timed_out()),
            Err(RecvTimeoutError::Disconnected) => Err(failed()),
        }
    }

    /// Whether something has not answered in all that time.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.lock().is_zero()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn timed_out() -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "the files of this process do not answer",
    )
}

/// The work has panicked.
fn failed() -> io::Error {
    io::Error::other("reading it failed: an error in the profiler")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_never_answers_is_given_up_and_no_other_is_read_after_it() {
        let patience = WaitLimit::of(Duration::from_millis(50));
        assert_eq!(WaitLimit::default().wait(|| 7).unwrap(), 7);
        assert!(!patience.is_over());
        let (hold, held) = channel::<()>();
        let error = patience.wait(move || held.recv().is_ok()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(patience.is_over());
        let error = patience.clone().wait(|| 7).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(hold);
    }

    #[test]
    fn work_that_panics_is_an_error() {
        let limit = WaitLimit::default();
        let error = limit.wait(|| -> u32 { panic!("of the test") });
        assert_eq!(
            error.unwrap_err().to_string(),
            "reading it failed: an error in the profiler"
        );
        assert_eq!(limit.wait(|| 7).unwrap(), 7);
    }

    #[test]
    fn what_is_at_work_is_waited_for_again() {
        let (hold, held) = channel::<()>();
        let mut times_asked = 0;
        let is_at_work = || {
            times_asked += 1;
            times_asked < 3
        };
        let work = move || held.recv().is_ok();
        let patience = WaitLimit::of(Duration::from_millis(10));
        let error = patience.wait_while(work, is_at_work).unwrap_err();
        assert_eq!((error.kind(), times_asked), (io::ErrorKind::TimedOut, 3));
        drop(hold);
    }
}
