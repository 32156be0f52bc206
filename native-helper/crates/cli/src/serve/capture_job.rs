//! One capture, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use capture::file::CaptureFile;
use capture::quality::QualityRecord;
use protocol::recording::{CaptureEndReason, CaptureEndedParams};
use recorder::Recording;
use rpc_server::{CaptureSink, Failure as RpcFailure, FailureKind};

use super::error::{gone, rpc_failure};
use crate::capture_run::{self, Ended, RunError};
use crate::failure::Failure;

const GO_ON: u8 = 0;
const STOP: u8 = 1;
const SHUT_DOWN: u8 = 2;

/// How others ask a capture to end, and wait for that.
#[derive(Debug, Default)]
pub struct CaptureControl {
    wish: AtomicU8,
    ended: Mutex<Option<CaptureEndedParams>>,
    has_ended: Condvar,
}

impl CaptureControl {
    /// Asks the capture to end. The first reason counts.
    pub fn ask_to_end(&self, reason: CaptureEndReason) {
        let wish = if reason == CaptureEndReason::Shutdown {
            SHUT_DOWN
        } else {
            STOP
        };
        // Somebody asked before: that reason stays.
        let _ = self
            .wish
            .compare_exchange(GO_ON, wish, Ordering::AcqRel, Ordering::Acquire);
    }

    /// How it ended, when it has.
    pub fn wait(&self) -> CaptureEndedParams {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(params) = &*ended {
                return params.clone();
            }
            ended = self
                .has_ended
                .wait(ended)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_asked(&self) -> bool {
        self.wish.load(Ordering::Acquire) != GO_ON
    }

    fn asked_reason(&self) -> CaptureEndReason {
        match self.wish.load(Ordering::Acquire) {
            SHUT_DOWN => CaptureEndReason::Shutdown,
            _ => CaptureEndReason::Stopped,
        }
    }

    fn tell_end(&self, params: CaptureEndedParams) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(params);
        self.has_ended.notify_all();
    }
}

/// What the thread works on.
#[derive(Debug)]
pub struct CaptureJob {
    /// The target.
    pub pid: u32,
    /// The running capture.
    pub recording: Recording,
    /// Its file.
    pub file: CaptureFile,
    /// Where that is, absolute.
    pub path: PathBuf,
    /// Seconds; 0 until asked to end.
    pub duration_s: f64,
    /// The client's ear.
    pub sink: CaptureSink,
    /// Who may end it.
    pub control: Arc<CaptureControl>,
}

impl CaptureJob {
    /// Runs the capture to its end and tells of it, whatever happens.
    pub fn run(self) {
        let (sink, control) = (self.sink.clone(), Arc::clone(&self.control));
        let path = self.path.to_string_lossy().into_owned();
        let quality = Arc::new(Mutex::new(QualityRecord::default()));
        let last_quality = Arc::clone(&quality);
        let (reason, problem) = catch_unwind(AssertUnwindSafe(|| self.capture(&last_quality)))
            .unwrap_or_else(|_| (CaptureEndReason::Failed, Some(own_mistake())));
        let quality = quality
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        control.tell_end(sink.ended(reason, problem.as_ref(), path, quality));
    }

    fn capture(
        mut self,
        last_quality: &Mutex<QualityRecord>,
    ) -> (CaptureEndReason, Option<RpcFailure>) {
        let (sink, control, file) = (&self.sink, &self.control, &mut self.file);
        let mut write = |member: Vec<u8>, quality: &QualityRecord, _elapsed| {
            file.append(&member).map_err(Failure::from)?;
            last_quality
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone_from(quality);
            sink.increment(member, file.len_bytes(), quality.clone());
            Ok(())
        };
        let asked = || control.is_asked();
        let outcome = capture_run::run(&mut self.recording, self.duration_s, &asked, &mut write);
        // Sampling ends before the file is rewritten.
        drop(self.recording);
        let ended = match outcome {
            Ok(ended) => ended,
            Err(RunError::Output(failure)) => {
                return (CaptureEndReason::WriteFailed, Some(rpc_failure(failure)));
            }
            Err(RunError::Sampling(error)) => {
                return (CaptureEndReason::Failed, Some(rpc_failure(error.into())));
            }
        };
        // A capture that cannot be compacted is still a valid one, only larger.
        let _ = self.file.compact();
        match ended {
            Ended::Duration => (CaptureEndReason::Duration, None),
            Ended::Stopped => (self.control.asked_reason(), None),
            Ended::TargetGone => (CaptureEndReason::TargetGone, Some(gone(self.pid))),
        }
    }
}

fn own_mistake() -> RpcFailure {
    RpcFailure::new(
        FailureKind::Internal,
        "The capture ended by a mistake in the helper",
        "what was captured until then is kept",
        "report it with the log",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_and_waiting_ends_with_the_capture() {
        let control = Arc::new(CaptureControl::default());
        assert!(!control.is_asked());
        control.ask_to_end(CaptureEndReason::Stopped);
        control.ask_to_end(CaptureEndReason::Shutdown);
        assert!(control.is_asked());
        assert_eq!(control.asked_reason(), CaptureEndReason::Stopped);
        let waiting = Arc::clone(&control);
        let waiter = std::thread::spawn(move || waiting.wait());
        let params = CaptureEndedParams {
            capture_id: 3,
            reason: CaptureEndReason::Stopped,
            problem: None,
            file: "/x".to_owned(),
            quality: QualityRecord::default(),
        };
        control.tell_end(params.clone());
        assert_eq!(waiter.join().unwrap(), params);
    }
}
