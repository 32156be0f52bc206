//! The captures of one conversation.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capture::end::CaptureEnd;
use capture::facts::TargetFacts;
use capture::file::{CaptureFile, FileError, IfExists};
use capture::quality::QualityRecord;
use protocol::base64;
use protocol::recording::{
    CaptureEndReason, CaptureEndedParams, CaptureReadParams, CaptureReadResult, CaptureStartParams,
};
use retry::{AfterFailure, Retry};
use rpc_server::{CaptureSink, Failure as RpcFailure, FailureKind, StartedCapture};
use sampling_process::Sampler;

use crate::capture_job::CaptureJob;
use crate::capture_name::{default_name, numbered};
use crate::detached;
use crate::job_control::JobControl;
use crate::jobs::{Job, JobKind, Jobs};
use crate::rpc_failure::rpc_failure;
use crate::sampling::recording_settings;
use crate::state_folder::capture_folder;
use crate::work::counter_of;

/// The most bytes in one answer; in base64 they are far below the limit of a message.
pub const MAX_READ_BYTES: u32 = 4 << 20;
/// Names tried before giving up, when captures of one VM begin in the same second.
const NAMES_TRIED: Retry = Retry::attempts(1000);

const KIND: JobKind = JobKind {
    name: "capture",
    thread: "capture",
    not_started: "The capture cannot be started",
    most_running: usize::MAX,
    too_many: "No more captures can be taken",
};

/// Captures by id.
#[derive(Debug)]
pub struct Captures(Jobs<CaptureEndedParams, CaptureOnDisk>);

#[derive(Debug, Clone)]
struct CaptureOnDisk {
    path: PathBuf,
    /// The client requested no name.
    is_named_by_us: bool,
}

impl Default for Captures {
    fn default() -> Self {
        Self(Jobs::of(KIND))
    }
}

/// A capture file that a flight recorder has written.
#[derive(Debug)]
pub struct CompleteFile {
    /// Of which attachment.
    pub attachment_id: u32,
    /// Where it is.
    pub path: PathBuf,
    /// The client requested no name.
    pub is_named_by_us: bool,
    /// How far it can be trusted.
    pub quality: QualityRecord,
    /// Why it ended.
    pub end: CaptureEnd,
}

impl Captures {
    /// Starts a capture of `target`, which `sampler` is attached to. A start that is cancelled before
    /// its end may fail with any failure.
    pub fn start(
        &self,
        sampler: Sampler,
        target: &TargetFacts,
        params: &CaptureStartParams,
        (sink, cancelled): (CaptureSink, &dyn Fn() -> bool),
    ) -> Result<StartedCapture, RpcFailure> {
        let counter = params.work.as_ref().map(counter_of).transpose()?;
        let (file, path) = create_file(target, params)?;
        let control = Arc::<JobControl<CaptureEndedParams>>::default();
        let job = CaptureJob {
            sampler,
            pid: target.pid,
            settings: recording_settings(&params.sampling),
            file,
            path: path.clone(),
            duration_s: params.duration_seconds,
            sink: sink.clone(),
            control: Arc::clone(&control),
            origin: params.origin.clone(),
            counter,
        };
        let entry = Job {
            attachment_id: params.attachment_id,
            control,
            details: CaptureOnDisk {
                path: path.clone(),
                is_named_by_us: params.file.is_none(),
            },
        };
        let engine = self
            .0
            .start(sink.capture_id(), entry, cancelled, move |started| {
                job.run(started);
            })
            // A capture that never began leaves no file.
            .inspect_err(|_| remove(&path))?;
        Ok(StartedCapture {
            file: path.to_string_lossy().into_owned(),
            engine,
        })
    }

    /// Ends a capture and waits until its file is complete.
    pub fn stop(&self, capture_id: u32) -> Result<CaptureEndedParams, RpcFailure> {
        self.0.stop(capture_id)
    }

    /// Ends a capture that the client does not know yet, and leaves no file.
    pub fn discard(&self, capture_id: u32) {
        if let Ok(CaptureOnDisk { path, .. }) = self.0.discard(capture_id) {
            remove(&path);
        }
    }

    /// A part of the file of a capture.
    pub fn read(&self, params: CaptureReadParams) -> Result<CaptureReadResult, RpcFailure> {
        let path = self.0.get(params.capture_id)?.details.path;
        read_part(&path, params.from, params.max_bytes).map_err(|error| unreadable(&path, &error))
    }

    /// Removes the file of a capture that has ended, unless the client chose its name.
    pub fn remove(&self, capture_id: u32) -> Result<(), RpcFailure> {
        let Job {
            control, details, ..
        } = self.0.get(capture_id)?;
        if !details.is_named_by_us || !control.has_ended() {
            return Err(RpcFailure::new(
                FailureKind::InvalidParams,
                format!("the file of capture {capture_id} stays"),
                "it is still written, or the client chose its name",
                "stop the capture first; a file with a name of the client's is the client's to remove",
            ));
        }
        match std::fs::remove_file(&details.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unreadable(&details.path, &error))
            }
            _ => Ok(()),
        }
    }

    /// Adds a complete file, which was no separate capture while it grew.
    pub fn add_complete(&self, capture_id: u32, file: CompleteFile) {
        let (reason, problem) = end_of_complete(file.end);
        let ended = CaptureEndedParams {
            capture_id,
            reason,
            problem: problem.as_ref().map(RpcFailure::data),
            file: file.path.to_string_lossy().into_owned(),
            quality: file.quality,
        };
        let job = Job {
            attachment_id: file.attachment_id,
            control: Arc::new(JobControl::of_ended(ended)),
            details: CaptureOnDisk {
                path: file.path,
                is_named_by_us: file.is_named_by_us,
            },
        };
        self.0.add_ended(capture_id, job);
    }

    /// Ends the captures of one attachment.
    pub fn end_of_attachment(&self, attachment_id: u32) {
        self.0.end_of_attachment(attachment_id);
    }

    /// Ends every capture; none can be started afterwards.
    pub fn close(&self) {
        self.0.close();
    }
}

/// How a complete file ended, for the client.
fn end_of_complete(end: CaptureEnd) -> (CaptureEndReason, Option<RpcFailure>) {
    let failure = |what: &str, why: &str| {
        let fix = "the samples captured until then are kept";
        Some(RpcFailure::new(FailureKind::Other, what, why, fix))
    };
    match end {
        CaptureEnd::Stopped => (CaptureEndReason::Stopped, None),
        CaptureEnd::Duration | CaptureEnd::SizeLimit | CaptureEnd::NextFile => {
            (CaptureEndReason::Duration, None)
        }
        CaptureEnd::TargetGone => (CaptureEndReason::TargetGone, None),
        CaptureEnd::Shutdown => (CaptureEndReason::Shutdown, None),
        CaptureEnd::DiskFull => (
            CaptureEndReason::WriteFailed,
            failure(
                "the capture was not written to its end",
                "the disk was full",
            ),
        ),
        CaptureEnd::WriteFailed => (
            CaptureEndReason::WriteFailed,
            failure(
                "the capture was not written to its end",
                "writing its file failed",
            ),
        ),
        CaptureEnd::SamplingEnded | CaptureEnd::Other => (
            CaptureEndReason::Failed,
            failure(
                "the capture ended before its time",
                "the process that samples has ended",
            ),
        ),
    }
}

/// Creates the requested file, or one with a generated name; never replaces one.
fn create_file(
    target: &TargetFacts,
    params: &CaptureStartParams,
) -> Result<(CaptureFile, PathBuf), RpcFailure> {
    if let Some(wanted) = params.file.as_deref() {
        let path =
            std::path::absolute(wanted).map_err(|error| no_place(Path::new(wanted), &error))?;
        return create(&path)
            .map(|file| (file, path))
            .map_err(|error| rpc_failure((&error).into()));
    }
    let folder =
        capture_folder().map_err(|error| no_place(Path::new("the state folder"), &error))?;
    let commit = params.origin.as_ref().map(|origin| origin.commit.as_str());
    let name = default_name(target, commit.unwrap_or_default());
    let mut numbers = 0..;
    let create_next = || {
        let path = folder.join(numbered(&name, numbers.next().unwrap_or_default()));
        create(&path).map(|file| (file, path))
    };
    let is_taken =
        |error: &FileError| AfterFailure::again_if(matches!(error, FileError::Exists { .. }));
    NAMES_TRIED
        .run(create_next, is_taken)
        .map_err(|gave_up| rpc_failure((&gave_up.into_error()).into()))
}

fn create(path: &Path) -> Result<CaptureFile, FileError> {
    CaptureFile::create(path, IfExists::Refuse)
}

pub fn no_place(path: &Path, error: &std::io::Error) -> RpcFailure {
    RpcFailure::new(
        FailureKind::Other,
        format!("the capture cannot be written to {}", path.display()),
        error.to_string(),
        "name another file",
    )
}

/// Bytes `from` on of a file, as many as are there, wanted and fit into one message.
fn read_part(path: &Path, from: u64, max_bytes: u32) -> io::Result<CaptureReadResult> {
    let wanted = u64::from(max_bytes.min(MAX_READ_BYTES));
    let part = detached::read_part(File::open(path)?, from, wanted)?;
    Ok(CaptureReadResult {
        base64: base64::encode(&part.bytes),
        file_bytes: part.file_bytes,
    })
}

fn unreadable(path: &Path, error: &io::Error) -> RpcFailure {
    RpcFailure::new(
        FailureKind::Other,
        format!("the capture {} cannot be read", path.display()),
        error.to_string(),
        "the increments that came before are a capture of their own",
    )
}

pub fn remove(path: &Path) {
    // It may no longer exist, and an empty file left behind does no harm.
    let _ = std::fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_file_ends_where_the_file_does() {
        let path = std::env::temp_dir().join(format!("extrospect-part-{}", std::process::id()));
        std::fs::write(&path, b"foobar").unwrap();
        let part = |from, max_bytes| read_part(&path, from, max_bytes).unwrap();
        assert_eq!(part(0, 3).base64, "Zm9v");
        assert_eq!(part(3, u32::MAX).base64, "YmFy");
        assert_eq!(part(6, 5).base64, "");
        assert_eq!(part(u64::MAX, 5).file_bytes, 6);
        std::fs::remove_file(&path).unwrap();
        assert!(read_part(&path, 0, 1).is_err());
    }

    #[test]
    fn a_file_of_a_flight_recorder_has_its_own_quality() {
        let captures = Captures::default();
        let quality = QualityRecord {
            samples: 5,
            ..QualityRecord::default()
        };
        let complete = CompleteFile {
            attachment_id: 1,
            path: PathBuf::from("shop.pb.gz"),
            is_named_by_us: false,
            quality: quality.clone(),
            end: CaptureEnd::TargetGone,
        };
        captures.add_complete(3, complete);
        let ended = captures.stop(3).unwrap();
        assert_eq!(ended.quality, quality);
        assert_eq!(ended.reason, CaptureEndReason::TargetGone);
    }

    #[test]
    fn a_file_of_a_flight_recorder_has_the_reason_for_its_end() {
        let reported = |end| {
            let (reason, problem) = end_of_complete(end);
            (reason, problem.is_some())
        };
        for (end, reason, has_problem) in [
            (CaptureEnd::Duration, CaptureEndReason::Duration, false),
            (CaptureEnd::Stopped, CaptureEndReason::Stopped, false),
            (CaptureEnd::Shutdown, CaptureEndReason::Shutdown, false),
            (CaptureEnd::TargetGone, CaptureEndReason::TargetGone, false),
            (CaptureEnd::DiskFull, CaptureEndReason::WriteFailed, true),
            (CaptureEnd::WriteFailed, CaptureEndReason::WriteFailed, true),
            (CaptureEnd::SamplingEnded, CaptureEndReason::Failed, true),
        ] {
            assert_eq!(reported(end), (reason, has_problem));
        }
    }

    #[test]
    fn unknown_captures_are_reported_and_closing_twice_is_fine() {
        let captures = Captures::default();
        let failure = captures.stop(7).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidParams);
        let failure = captures.remove(7).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidParams);
        captures.close();
        captures.close();
    }
}
