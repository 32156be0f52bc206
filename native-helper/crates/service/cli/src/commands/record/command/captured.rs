//! The capture of one VM of a command.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use capture::end::CaptureEnd;
use capture::facts::TargetFacts;
use capture::file::FileError;
use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use profiling_service::capture_name::default_name;
use profiling_service::sampling_loop::{self, Broken, Ended};
use sampling_process::{Attached, DistantRecording, Sampler};
use serde::Serialize;
use target_proc::ProcFs;

use super::Job;
use crate::commands::record::begin;
use crate::commands::record::output::Output;
use crate::failure::Failure;

/// Ending of a capture's name.
const ENDING: &str = ".pb.gz";
/// Names that are tried.
const MOST_TRIED: u32 = 1000;

/// The capture of one VM.
#[derive(Debug, Serialize)]
pub(super) struct Captured {
    pub pid: u32,
    pub file: PathBuf,
    pub file_bytes: u64,
    pub duration_s: f64,
    pub attach_ms: f64,
    pub ended: &'static str,
    /// The VM runs on after the command: its time does not count for the command.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub still_runs: bool,
    pub quality: QualityRecord,
    /// Why the capture ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Captured {
    /// Processor time that the samples stand for, seconds; `frequency` in samples a second.
    pub fn sampled_cpu_s(&self, frequency: u32) -> f64 {
        self.quality.samples as f64 / f64::from(frequency.max(1))
    }

    /// Processor time that was used before sampling began, seconds.
    pub fn before_sampling_cpu_s(&self) -> f64 {
        self.quality.before_sampling_ms as f64 / 1000.0
    }
}

/// Captures `pid`, which `sampler` is attached to, until it or the command ends.
pub(super) fn capture(
    job: &Job<'_>,
    pid: u32,
    sampler: Sampler,
    attached: &Attached,
) -> Result<Captured, Failure> {
    let (mut file, path) = create(job, &attached.target)?;
    let begun = begin(job.arguments, sampler, job.checked_out.as_ref(), None);
    let mut recording = match begun {
        Ok(recording) => recording,
        Err(refusal) => {
            file.remove_if_empty();
            return Err(refusal.into());
        }
    };
    // From here on there is a capture, whatever goes wrong.
    let ended = fill(job, pid, &mut recording, &mut file);
    let duration_s = recording.elapsed().as_secs_f64();
    let mut quality = recording.quality().clone();
    if recording.state().is_err() {
        file.end_early(&mut quality);
    }
    drop(recording);
    let end = match &ended {
        Ok(ended) => ended.end_in_file(),
        Err(_) => CaptureEnd::SamplingEnded,
    };
    let written = file.finish(path, end);
    let (ended, error) = match ended {
        Ok(ended) => (ended.as_str(), None),
        Err(refusal) => ("error", Some(Failure::from(refusal).to_string())),
    };
    Ok(Captured {
        pid,
        file: written.path,
        file_bytes: written.bytes,
        duration_s,
        attach_ms: attached.took_ms,
        ended,
        still_runs: false,
        quality,
        error,
    })
}

/// Writes the samples, and at the end the sources that they name.
fn fill(
    job: &Job<'_>,
    pid: u32,
    recording: &mut DistantRecording,
    file: &mut Output,
) -> Result<Ended, Refusal> {
    let mut write = |member: &[u8]| file.append(member).map_err(|error| Refusal::from(&error));
    let ended = sampling_loop::run(
        recording,
        job.arguments.sampling.duration,
        // One that has ended with the command is seen to have ended.
        &|| job.is_over() && ProcFs::live().runs_emulator(pid),
        &mut |member, _, _| write(&member),
    );
    let ended = ended.map_err(Broken::into_refusal)?;
    if let Some(found) = &job.checked_out {
        let functions = recording.functions()?;
        recording.set_origin(found.with_sources(&functions));
        write(&recording.take_increment()?)?;
    }
    Ok(ended)
}

/// A file for the next VM.
fn create(job: &Job<'_>, target: &TargetFacts) -> Result<(Output, PathBuf), Failure> {
    let open = |path: PathBuf| Ok((Output::create(job.arguments, &path)?, path));
    let next = || job.captures.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(path) = &job.arguments.output {
        loop {
            let number = next();
            match open(numbered(path, number)) {
                // Of an earlier run, which had more VMs.
                Err(FileError::Exists { .. }) if (2..MOST_TRIED).contains(&number) => {}
                opened => return Ok(opened?),
            }
        }
    }
    let commit = job.checked_out.as_ref().map(|it| it.origin.commit.as_str());
    let path = default_name(target, commit.unwrap_or_default());
    let mut tried = 1;
    loop {
        match open(numbered(&path, tried)) {
            Err(FileError::Exists { .. }) if tried < MOST_TRIED => tried += 1,
            opened => return Ok(opened?),
        }
    }
}

/// `shop.pb.gz`, then `shop.2.pb.gz`, `shop.3.pb.gz`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = match name.strip_suffix(ENDING) {
        Some(stem) => (stem, ENDING),
        None => (&*name, ""),
    };
    path.with_file_name(format!("{stem}.{number}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_capture_stands_before_its_ending() {
        let at = |path: &str, number| numbered(Path::new(path), number);
        assert_eq!(at("a/shop.pb.gz", 1), Path::new("a/shop.pb.gz"));
        assert_eq!(at("a/shop.pb.gz", 2), Path::new("a/shop.2.pb.gz"));
        assert_eq!(at("capture", 3), Path::new("capture.3"));
    }

    #[test]
    fn time_before_sampling_is_beside_that_of_samples() {
        let captured = Captured {
            pid: 1,
            file: PathBuf::new(),
            file_bytes: 0,
            duration_s: 0.0,
            attach_ms: 0.0,
            ended: "target gone",
            still_runs: false,
            quality: QualityRecord {
                samples: 200,
                before_sampling_ms: 250,
                ..QualityRecord::default()
            },
            error: None,
        };
        assert!((captured.sampled_cpu_s(100) - 2.0).abs() < 1e-9);
        assert!((captured.before_sampling_cpu_s() - 0.25).abs() < 1e-9);
    }
}
