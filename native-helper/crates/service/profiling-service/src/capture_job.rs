//! One capture, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use capture::end::CaptureEnd;
use capture::facts::OriginFacts;
use capture::file::CaptureFile;
use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use protocol::recording::{CaptureEndReason, CaptureEndedParams, EngineInUse, EngineName};
use recorder::RecordingSettings;
use rpc_server::{CaptureSink, Failure as RpcFailure, FailureKind};
use sampling_process::{DistantRecording, Sampler};
use shared_channel::Sender;
use work_counter::{Counter, Counting};

use crate::job_control::JobControl;
use crate::rpc_failure::{gone, rpc_failure};
use crate::sampling_loop::{self, Broken, Ended, Sampled};

/// How long the first increment waits for the answer to the request that began the capture.
const ANSWER_PATIENCE: Duration = Duration::from_millis(500);

/// The job of the thread.
#[derive(Debug)]
pub struct CaptureJob {
    /// The process that samples, attached to the target.
    pub sampler: Sampler,
    /// Process id of the target.
    pub pid: u32,
    /// How.
    pub settings: RecordingSettings,
    /// Its file.
    pub file: CaptureFile,
    /// Where that is, absolute.
    pub path: PathBuf,
    /// Seconds; 0: until the client ends it.
    pub duration_s: f64,
    /// The connection to the client.
    pub sink: CaptureSink,
    /// Ends it from another thread.
    pub control: Arc<JobControl<CaptureEndedParams>>,
    /// The commit, according to the client.
    pub origin: Option<OriginFacts>,
    /// The counter of the work during the capture.
    pub counter: Option<Counter>,
}

impl CaptureJob {
    /// Starts the capture, sends the result of the start to `started`, and runs the capture to its
    /// end.
    pub fn run(self, started: &Sender<Result<EngineInUse, RpcFailure>>) {
        let (sink, control) = (self.sink.clone(), Arc::clone(&self.control));
        let path = self.path.to_string_lossy().into_owned();
        let mut outcome = Outcome {
            quality: QualityRecord::default(),
            end: (CaptureEndReason::Failed, Some(own_mistake())),
        };
        let run = catch_unwind(AssertUnwindSafe(|| self.capture(started, &mut outcome)));
        let has_started = run.unwrap_or_else(|_| {
            // When the capture had started before, there is no receiver any longer, and the send
            // fails.
            started.send(Err(own_mistake())).is_err()
        });
        let (reason, problem) = outcome.end;
        let ended = if has_started {
            sink.ended(reason, problem.as_ref(), path, outcome.quality)
        } else {
            // The client receives the failure as the answer; callers that wait for the end receive
            // it here.
            CaptureEndedParams {
                capture_id: sink.capture_id(),
                reason,
                problem: problem.as_ref().map(RpcFailure::data),
                file: path,
                quality: outcome.quality,
            }
        };
        control.set_end(ended);
    }

    /// Returns whether the capture had started.
    fn capture(
        mut self,
        started: &Sender<Result<EngineInUse, RpcFailure>>,
        outcome: &mut Outcome,
    ) -> bool {
        let counting = self.counter.take().map(|counter| {
            Counting::begin(counter, &|| self.control.is_asked())
                .map_err(|error| rpc_failure((&error).into()))
        });
        let counting = match counting.transpose() {
            Ok(counting) => counting,
            Err(failure) => {
                outcome.end = (CaptureEndReason::Failed, Some(failure.clone()));
                let _ = started.send(Err(failure));
                return false;
            }
        };
        let mut recording = match DistantRecording::begin(self.sampler, self.settings) {
            Ok(recording) => recording,
            Err(refusal) => {
                let failure = rpc_failure(refusal);
                outcome.end = (CaptureEndReason::Failed, Some(failure.clone()));
                // The caller may have given up waiting.
                let _ = started.send(Err(failure));
                return false;
            }
        };
        if let Some(origin) = self.origin.take() {
            recording.set_origin(origin);
        }
        if let Some(counting) = &counting {
            recording.set_work(counting.facts());
        }
        let _ = started.send(Ok(engine_in_use(&recording)));
        self.sink.wait_for_answer(ANSWER_PATIENCE);
        let (sink, control, file) = (&self.sink, &self.control, &mut self.file);
        let last_quality = &mut outcome.quality;
        let mut write = |member: Vec<u8>, quality: &QualityRecord, _elapsed| {
            // The client is sent what the file has.
            let member = file
                .append_streamed(&member)
                .map_err(|error| Refusal::from(&error))?
                .into_owned();
            last_quality.clone_from(quality);
            sink.increment(member, file.len_bytes(), quality.clone());
            Ok(())
        };
        let asked = || control.is_asked();
        let mut ended = sampling_loop::run(&mut recording, self.duration_s, &asked, &mut write);
        if let (Some(counting), Ok(_)) = (counting, &ended) {
            // A client that ends the conversation or discards the capture does not wait for the
            // user's command.
            let cancelled = || control.is_hurried();
            recording.set_work(counting.end(&cancelled));
            let last = Sampled::take_increment(&mut recording).map_err(Broken::Sampling);
            let written = last.and_then(|(member, quality)| {
                write(member, &quality, recording.elapsed()).map_err(Broken::Writing)
            });
            if let Err(broken) = written {
                ended = Err(broken);
            }
        }
        // Sampling ends before the file is rewritten.
        drop(recording);
        if matches!(ended, Err(Broken::Sampling(_))) {
            // Without it the file has the record of its last increment.
            let _ = self.file.end_early(&mut outcome.quality);
        }
        outcome.end = end_of(ended, &self.control, self.pid);
        close(self.file, outcome.end.0);
        true
    }
}

fn close(mut file: CaptureFile, reason: CaptureEndReason) {
    // Without the mark it opens as one that was not closed.
    let _ = file.mark_end(end_in_file(reason));
    if reason != CaptureEndReason::WriteFailed {
        // A capture that cannot be compacted is still a valid one, only larger.
        let _ = file.compact();
    }
}

fn asked_reason(control: &JobControl<CaptureEndedParams>) -> CaptureEndReason {
    match control.is_shutting_down() {
        true => CaptureEndReason::Shutdown,
        false => CaptureEndReason::Stopped,
    }
}

/// How a capture ended that had begun, for the client.
fn end_of(
    ended: Result<Ended, Broken>,
    control: &JobControl<CaptureEndedParams>,
    pid: u32,
) -> (CaptureEndReason, Option<RpcFailure>) {
    match ended {
        Ok(Ended::Duration) => (CaptureEndReason::Duration, None),
        Ok(Ended::Stopped) => (asked_reason(control), None),
        Ok(Ended::TargetGone) => (CaptureEndReason::TargetGone, Some(gone(pid))),
        Err(Broken::Sampling(refusal)) => (CaptureEndReason::Failed, Some(rpc_failure(refusal))),
        Err(Broken::Writing(refusal)) => {
            (CaptureEndReason::WriteFailed, Some(rpc_failure(refusal)))
        }
    }
}

fn end_in_file(reason: CaptureEndReason) -> CaptureEnd {
    match reason {
        CaptureEndReason::Stopped => CaptureEnd::Stopped,
        CaptureEndReason::Duration => CaptureEnd::Duration,
        CaptureEndReason::TargetGone => CaptureEnd::TargetGone,
        CaptureEndReason::Shutdown => CaptureEnd::Shutdown,
        CaptureEndReason::WriteFailed => CaptureEnd::WriteFailed,
        CaptureEndReason::Failed => CaptureEnd::SamplingEnded,
    }
}

pub fn engine_in_use(recording: &DistantRecording) -> EngineInUse {
    let engine = recording.engine();
    EngineInUse {
        name: match engine.engine {
            recorder::Engine::Bpf => EngineName::Bpf,
            recorder::Engine::Readv => EngineName::Readv,
        },
        reason: engine.reason.clone(),
    }
}

/// The known facts about the end; until it comes, the worst case.
#[derive(Debug)]
struct Outcome {
    quality: QualityRecord,
    end: (CaptureEndReason, Option<RpcFailure>),
}

pub fn own_mistake() -> RpcFailure {
    RpcFailure::new(
        FailureKind::Internal,
        "The capture ended by an error in the helper",
        "the samples captured until then are kept",
        "report it with the log",
    )
}
