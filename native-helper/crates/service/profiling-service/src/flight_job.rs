//! One flight recorder, on a thread of its own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capture::end::CaptureEnd;
use capture::facts::OriginFacts;
use capture::file::flight::{FlightFile, FlightNews, FlightRecorder};
use capture::quality::QualityRecord;
use capture::trigger::Measured;
use diagnose::refusal::Refusal;
use protocol::flight::{
    FlightEndReason, FlightEndedParams, FlightLookedParams, FlightValue, FlightWrittenParams,
};
use protocol::recording::EngineInUse;
use recorder::RecordingSettings;
use rpc_server::{Failure as RpcFailure, FlightSink};
use sampling_process::{DistantRecording, Sampler};
use shared_channel::Sender;

use crate::capture_job::{engine_in_use, own_mistake};
use crate::captures::{Captures, CompleteFile};
use crate::job_control::JobControl;
use crate::rpc_failure::{gone, rpc_failure};
use crate::sampling_loop::{self, Broken, Ended};

/// The files that it has written so far.
pub type WrittenFiles = Arc<Mutex<Vec<PathBuf>>>;

/// The job of the thread.
#[derive(Debug)]
pub struct FlightJob {
    /// The process that samples, attached to the target.
    pub sampler: Sampler,
    /// Process id of the target.
    pub pid: u32,
    /// How.
    pub settings: RecordingSettings,
    /// Judges the readings, and writes files.
    pub recorder: FlightRecorder,
    /// Seconds.
    pub duration_s: f64,
    /// Of which attachment.
    pub attachment_id: u32,
    /// The client has not chosen where files go.
    pub is_named_by_us: bool,
    /// The commit, according to the client.
    pub origin: Option<OriginFacts>,
    /// The connection to the client.
    pub sink: FlightSink,
    /// The captures through which its files are read.
    pub captures: Arc<Captures>,
    /// Ends it from another thread.
    pub control: Arc<JobControl<FlightEndedParams>>,
    /// The files it has written.
    pub written: WrittenFiles,
}

/// How it ended.
type End = (FlightEndReason, Option<RpcFailure>);

impl FlightJob {
    /// Starts, sends the result of the start to `started`, and runs to its end.
    pub fn run(self, started: &Sender<Result<EngineInUse, RpcFailure>>) {
        let (sink, control) = (self.sink.clone(), Arc::clone(&self.control));
        let files = self.files();
        let mut counts = (0, 0);
        let watched = catch_unwind(AssertUnwindSafe(|| {
            self.watch(started, &files, &mut counts)
        }));
        let (reason, problem) = watched.unwrap_or_else(|_| {
            // When it had started before, there is no receiver any longer.
            let _ = started.send(Err(own_mistake()));
            (FlightEndReason::Failed, Some(own_mistake()))
        });
        control.set_end(sink.ended(reason, problem.as_ref(), counts));
    }

    fn files(&self) -> Files {
        Files {
            sink: self.sink.clone(),
            captures: Arc::clone(&self.captures),
            attachment_id: self.attachment_id,
            is_named_by_us: self.is_named_by_us,
            written: Arc::clone(&self.written),
        }
    }

    fn watch(
        self,
        started: &Sender<Result<EngineInUse, RpcFailure>>,
        files: &Files,
        counts: &mut (u32, u32),
    ) -> End {
        let mut recording = match DistantRecording::begin(self.sampler, self.settings) {
            Ok(recording) => recording,
            Err(refusal) => {
                let failure = rpc_failure(refusal);
                // The caller may have given up waiting.
                let _ = started.send(Err(failure.clone()));
                return (FlightEndReason::Failed, Some(failure));
            }
        };
        if let Some(origin) = self.origin {
            recording.set_origin(origin);
        }
        let _ = started.send(Ok(engine_in_use(&recording)));
        let seen = RefCell::new(Seen {
            recorder: self.recorder,
            unknown: Vec::new(),
            files: 0,
            failed: 0,
            trouble: None,
        });
        let mut add = |member: Vec<u8>, _: &QualityRecord, elapsed: Duration| {
            let mut seen = seen.borrow_mut();
            let complete = seen.add(member)?;
            complete.iter().for_each(|file| files.report(file));
            self.sink
                .looked(&seen.looked(self.sink.flight_id(), elapsed));
            Ok(())
        };
        let is_over = || self.control.is_asked() || seen.borrow().recorder.is_over();
        let ended = sampling_loop::run(&mut recording, self.duration_s, &is_over, &mut add);
        // Sampling ends before files are rewritten.
        drop(recording);
        let Seen {
            mut recorder,
            files: reported,
            failed,
            mut trouble,
            ..
        } = seen.into_inner();
        let (is_full, is_shut_down) = (recorder.is_over(), self.control.is_shutting_down());
        if matches!(ended, Err(Broken::Sampling(_))) {
            recorder.end_early();
        }
        let (written, not_written) = recorder.finish(end_in_file(&ended, is_shut_down));
        let unreported = written.get(reported as usize..).unwrap_or_default();
        unreported.iter().for_each(|file| files.report(file));
        *counts = (count(written.len()), failed.max(not_written));
        let reason = match ended {
            Ok(Ended::Duration) => FlightEndReason::Duration,
            Ok(Ended::Stopped) if is_shut_down => FlightEndReason::Shutdown,
            Ok(Ended::Stopped) if is_full && !self.control.is_asked() => FlightEndReason::Files,
            Ok(Ended::Stopped) => FlightEndReason::Stopped,
            Ok(Ended::TargetGone) => {
                trouble = Some(gone(self.pid));
                FlightEndReason::TargetGone
            }
            Err(Broken::Sampling(refusal) | Broken::Writing(refusal)) => {
                trouble = Some(rpc_failure(refusal));
                FlightEndReason::Failed
            }
        };
        (reason, trouble)
    }
}

/// Why the file ends that is written by then.
fn end_in_file(ended: &Result<Ended, Broken>, is_shut_down: bool) -> CaptureEnd {
    match Ended::in_file(ended) {
        CaptureEnd::Stopped if is_shut_down => CaptureEnd::Shutdown,
        end => end,
    }
}

/// The known facts during the recording.
struct Seen {
    recorder: FlightRecorder,
    unknown: Vec<String>,
    /// Complete files that the client knows.
    files: u32,
    failed: u32,
    /// Why the last file was not written to its end.
    trouble: Option<RpcFailure>,
}

impl Seen {
    /// Returns the files that are complete now.
    fn add(&mut self, member: Vec<u8>) -> Result<Vec<FlightFile>, Refusal> {
        let news = self.recorder.add(member);
        for it in news.map_err(|error| Refusal::from(&error))? {
            match it {
                FlightNews::Unknown(what) => {
                    self.unknown = what.into_iter().map(str::to_owned).collect();
                }
                FlightNews::Failed(error) => {
                    self.failed += 1;
                    self.trouble = Some(rpc_failure((&error).into()));
                }
                FlightNews::Triggered(_) | FlightNews::Written(_) => {}
            }
        }
        let complete = self.recorder.take_complete();
        self.files += count(complete.len());
        Ok(complete)
    }

    fn looked(&self, flight_id: u32, elapsed: Duration) -> FlightLookedParams {
        FlightLookedParams {
            flight_id,
            elapsed_seconds: elapsed.as_secs_f64(),
            is_writing: self.recorder.is_writing(),
            values: self.recorder.measured().iter().map(value_of).collect(),
            unknown: self.unknown.clone(),
            files: self.files,
            failed: self.failed,
        }
    }
}

/// The destination of complete files.
struct Files {
    sink: FlightSink,
    captures: Arc<Captures>,
    attachment_id: u32,
    is_named_by_us: bool,
    written: WrittenFiles,
}

impl Files {
    /// The file can be read and removed like that of a capture before the client is notified.
    fn report(&self, file: &FlightFile) {
        let capture_id = self.sink.new_capture_id();
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push(file.path.clone());
        drop(written);
        let complete = CompleteFile {
            attachment_id: self.attachment_id,
            path: file.path.clone(),
            is_named_by_us: self.is_named_by_us,
            quality: file.quality.clone(),
            end: file.end,
        };
        self.captures.add_complete(capture_id, complete);
        self.sink.written(&FlightWrittenParams {
            flight_id: self.sink.flight_id(),
            capture_id,
            file: file.path.to_string_lossy().into_owned(),
            file_bytes: file.bytes,
            found: file.found.iter().map(value_of).collect(),
            from_seconds: file.from_s,
            triggered_seconds: file.triggered_s,
            until_seconds: file.until_s,
        });
    }
}

fn value_of(measured: &Measured) -> FlightValue {
    FlightValue {
        quantity: measured.name.to_owned(),
        value: measured.value,
        is_bytes: measured.is_bytes,
        process: measured.process.clone(),
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
