//! How long a program may take. Its own bounds are for it to keep, and these for when it does not.

use std::time::{Duration, Instant};

use crate::error::RunError;

/// The limits of a program's time and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Bytes of its output.
    pub bytes: u64,
    /// How long it may write nothing.
    pub silence: Duration,
    /// How long it may take.
    pub time: Duration,
    /// Each program ends by then; several may share it.
    pub deadline: Option<Instant>,
}

/// The `cancelled` of a program that is never cancelled.
pub const UNCANCELLED: &(dyn Fn() -> bool + Sync) = &|| false;

impl RunLimits {
    /// So long, and so many bytes.
    #[must_use]
    pub fn of(time: Duration, bytes: u64) -> Self {
        Self {
            bytes,
            silence: time,
            time,
            deadline: None,
        }
    }

    /// The same, and no longer than until then.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..self
        }
    }
}

/// Our own clock.
pub(crate) struct Clock<'a> {
    begun: Instant,
    last_output: Instant,
    patience: RunLimits,
    cancelled: &'a dyn Fn() -> bool,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(patience: RunLimits, cancelled: &'a dyn Fn() -> bool) -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            last_output: now,
            patience,
            cancelled,
        }
    }

    /// It has sent output.
    pub(crate) fn received(&mut self) {
        self.last_output = Instant::now();
    }

    /// Fails when it has to end.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        let patience = self.patience;
        if (self.cancelled)() {
            return Err(RunError::Cancelled);
        }
        if patience
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(RunError::NoTimeLeft);
        }
        let is_over =
            self.last_output.elapsed() > patience.silence || self.begun.elapsed() > patience.time;
        match is_over {
            true => Err(RunError::TooLong),
            false => Ok(()),
        }
    }
}
