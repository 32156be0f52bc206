//! `record`: a capture of a running VM into a file.

mod command;
mod detached;
mod flight;
mod output;
mod overhead;
mod quality_line;
mod teller;
mod to_store;

use std::path::{Path, PathBuf};
use std::time::Duration;

use capture::counted::counted;
use capture::end::CaptureEnd;
use capture::facts::TargetFacts;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::work::WorkCost;
use diagnose::refusal::Refusal;
use profiling_service::capture_name::default_name;
use profiling_service::sampling::recording_settings;
use profiling_service::sampling_loop::{self, Broken, Ended};
use recorder::{RecordingSettings, SourceSet};
use sampling_process::{Attached, DistantRecording, Sampler};
use serde::Serialize;
use work_counter::Counting;

use crate::arguments::{Record, Sampling};
use crate::attaching::{attach_with_names, warn_of_standstill};
use crate::commands::commit::{CheckedOut, CommitLook};
use crate::commands::open_profile::warn_of_cut_stacks;
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::terminal::{next_step, print_line, print_lines};
use output::{Kept, Output, print_kept};

pub use quality_line::{other_types_lines, quality_line, quality_lines, stays_line};

/// What `record --json` prints.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    file: &'a Path,
    file_bytes: u64,
    /// `None` where the file has no sample.
    bytes_per_sample: Option<f64>,
    duration_s: f64,
    attach_ms: f64,
    ended: &'static str,
    quality: &'a QualityRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<WorkCost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<&'a Kept>,
}

/// Runs `record`.
pub fn run(arguments: &Record) -> Result<(), Failure> {
    refuse_other_events(arguments)?;
    if !arguments.command.is_empty() {
        return command::run(arguments);
    }
    match arguments.pid {
        Some(pid) if arguments.push.is_none() => match &arguments.detach {
            Some(name) => detached::run(arguments, pid, name),
            None => match arguments.flight.plan() {
                Some(plan) => flight::run(arguments, pid, plan),
                None => to_file(arguments, pid),
            },
        },
        _ => to_store::run(arguments),
    }
}

/// Options that do not know other types of samples than processor time.
fn refuse_other_events(arguments: &Record) -> Result<(), Failure> {
    let sources = arguments.sources();
    if !sources.off_cpu && arguments.sampling.min_block.is_some() {
        return Err(Failure::new(
            Exit::Usage,
            "--min-block is for time without a processor",
            "which is not recorded",
            "add --event cpu,off-cpu, or leave it out",
        ));
    }
    if !sources.cpu && arguments.work.counter().is_some() {
        return Err(Failure::new(
            Exit::Usage,
            "--event without cpu cannot be combined with counted work",
            "work is shown by its processor time",
            "record --event cpu as well, or leave the work out",
        ));
    }
    Ok(())
}

/// A recording that is ready to start.
struct Ready {
    sampler: Sampler,
    attached: Attached,
    checked_out: Option<CheckedOut>,
    counting: Option<Counting>,
}

impl Ready {
    /// Attaches, and determines the facts that the capture has beside its samples.
    fn prepare(arguments: &Record, pid: u32, stop: &StopFlag) -> Result<Self, Failure> {
        let commit = CommitLook::begin(arguments.source_dir.as_deref())?;
        warn_of_standstill(pid);
        let (sampler, attached) = attach_with_names(pid, &arguments.sampling.debug_files, stop)?;
        Ok(Self {
            sampler,
            attached,
            checked_out: commit.wait(),
            counting: begin_counting(arguments, stop)?,
        })
    }
}

/// Begins to sample, as the arguments say.
fn begin(
    arguments: &Record,
    sampler: Sampler,
    checked_out: Option<&CheckedOut>,
    counting: Option<&Counting>,
) -> Result<DistantRecording, Refusal> {
    let settings = RecordingSettings {
        // Its VMs are captured from their start.
        notes_time_before: !arguments.command.is_empty(),
        ..recording_settings(&arguments.sampling_params())
    };
    let mut recording = DistantRecording::begin(sampler, settings)?;
    if let Some(most) = arguments.max_overhead() {
        recording.limit_overhead(most);
    }
    let found = checked_out.map(|found| &found.origin);
    if let Some(origin) = found.or(arguments.origin.as_ref()) {
        recording.set_origin(origin.clone());
    }
    if let Some(counting) = counting {
        recording.set_work(counting.facts());
    }
    Ok(recording)
}

fn to_file(arguments: &Record, pid: u32) -> Result<(), Failure> {
    let stop = StopFlag::install()?;
    let Ready {
        sampler,
        attached,
        checked_out,
        counting,
    } = Ready::prepare(arguments, pid, &stop)?;
    let (mut file, path) = create_file(arguments, &attached.target, checked_out.as_ref())?;
    let begun = begin(arguments, sampler, checked_out.as_ref(), counting.as_ref());
    let mut recording = match begun {
        Ok(recording) => recording,
        Err(error) => {
            file.remove_if_empty();
            return Err(error.into());
        }
    };
    let mut write = |member: &[u8]| file.append(member).map_err(|error| Refusal::from(&error));
    let ended = match sample(&mut recording, &arguments.sampling, &stop, &mut write) {
        Ok(ended) => ended,
        Err(failure) => {
            if recording.state().is_err() {
                file.end_early(&mut recording.quality().clone());
            }
            file.mark_end(CaptureEnd::SamplingEnded);
            return Err(failure);
        }
    };
    let work = write_last(&mut recording, counting, checked_out, &mut write)
        .inspect_err(|_| file.mark_end(ended.end_in_file()))?;
    let duration_s = recording.elapsed().as_secs_f64();
    let quality = recording.quality().clone();
    drop(recording);
    let written = file.finish(path, ended.end_in_file());
    let path = &written.path;
    let removed = written.kept.as_ref().map_or(0, Kept::removed_of_all_types);
    let samples = samples_of_all_types(&quality).saturating_sub(removed);
    let summary = Summary {
        file: path,
        file_bytes: written.bytes,
        bytes_per_sample: (samples > 0).then_some(written.bytes as f64 / samples as f64),
        duration_s,
        attach_ms: attached.took_ms,
        ended: ended.as_str(),
        quality: &quality,
        work,
        kept: written.kept.as_ref(),
    };
    match arguments.json {
        true => print_json(&summary)?,
        false => print_summary(&summary)?,
    }
    match ended {
        Ended::Duration | Ended::Stopped => Ok(()),
        Ended::TargetGone => Err(Failure::new(
            Exit::TargetGone,
            diagnose::refusal::what_became_of(pid).english,
            format!("the samples captured until then are in {}", path.display()),
            format!("see it with `extrospect top {}`", path.display()),
        )),
    }
}

/// Of all types.
fn samples_of_all_types(quality: &QualityRecord) -> u64 {
    let blocks = blocks_in_stacks(quality).unwrap_or_default();
    let faults = faults_in_stacks(quality).unwrap_or_default();
    let others = blocks.saturating_add(faults);
    quality.samples.saturating_add(others)
}

/// `None` where blocks are not recorded.
fn blocks_in_stacks(quality: &QualityRecord) -> Option<u64> {
    quality.off_cpu.as_ref()?.in_stacks()
}

/// Samples of page faults; `None` where these are not recorded.
fn faults_in_stacks(quality: &QualityRecord) -> Option<u64> {
    quality.faults.as_ref()?.in_stacks()
}

/// The facts known only at the end: the work that was done, and the sources that the capture names.
fn write_last(
    recording: &mut DistantRecording,
    counting: Option<Counting>,
    checked_out: Option<CheckedOut>,
    write: &mut impl FnMut(&[u8]) -> Result<(), Refusal>,
) -> Result<Option<WorkCost>, Failure> {
    if counting.is_none() && checked_out.is_none() {
        return Ok(None);
    }
    // First: the later the counter is read, the less exact it is for the capture.
    let work = counting.map(|counting| counting.end(&|| false));
    if let Some(work) = &work {
        recording.set_work(work.clone());
    }
    if let Some(found) = checked_out {
        let functions = recording.functions()?;
        recording.set_origin(found.with_sources(&functions));
    }
    write(&recording.take_increment()?)?;
    Ok(work.map(|work| {
        let duration_ns = recording.elapsed().as_nanos() as u64;
        WorkCost::of(&work, duration_ns, recording.busy_ns())
    }))
}

/// Reads the counter that the user named, before anything is sampled.
fn begin_counting(arguments: &Record, stop: &StopFlag) -> Result<Option<Counting>, Failure> {
    let Some(counter) = arguments.work.counter() else {
        return Ok(None);
    };
    Ok(Some(Counting::begin(counter, &|| stop.is_raised())?))
}

/// `-o -` names no file.
fn refuse_standard_output(arguments: &Record) -> Result<(), Failure> {
    if arguments.output.as_deref() != Some(Path::new("-")) {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Usage,
        "-o - names no file",
        "a capture that grows is not written to the standard output",
        "give a file: -o capture.pb.gz, or -o ./- for one of that name",
    ))
}

/// The requested file, or one with a name of the helper's choice.
fn create_file(
    arguments: &Record,
    target: &TargetFacts,
    checked_out: Option<&CheckedOut>,
) -> Result<(Output, PathBuf), Failure> {
    refuse_standard_output(arguments)?;
    let path = arguments.output.clone().unwrap_or_else(|| {
        let commit = checked_out.map(|found| found.origin.commit.as_str());
        default_name(target, commit.unwrap_or_default())
    });
    Ok((Output::create(arguments, &path)?, path))
}

/// Samples a VM without a file, for `top` and `blame` on a process id.
pub fn sample_in_memory(
    pid: u32,
    sampling: &Sampling,
    sources: SourceSet,
) -> Result<(Capture, Ended), Failure> {
    let stop = StopFlag::install()?;
    warn_of_standstill(pid);
    let (sampler, _) = attach_with_names(pid, &sampling.debug_files, &stop)?;
    let settings = RecordingSettings {
        sources: sampling.of_sources(sources),
        ..settings(sampling)
    };
    let mut recording = DistantRecording::begin(sampler, settings)?;
    let mut capture = Capture::empty();
    let ended = sample(&mut recording, sampling, &stop, &mut |member| {
        capture
            .extend(member)
            .map_err(|error| Refusal::from(&error))
    })?;
    warn_of_cut_stacks(&capture);
    Ok((capture, ended))
}

/// Runs the capture with a progress line.
fn sample(
    recording: &mut DistantRecording,
    sampling: &Sampling,
    stop: &StopFlag,
    write: &mut impl FnMut(&[u8]) -> Result<(), Refusal>,
) -> Result<Ended, Failure> {
    let mut progress = ProgressLine::new();
    progress.show(&engine_text(recording));
    let engine = recording.engine().engine.name();
    let duration_s = sampling.duration;
    let mut write = |member: Vec<u8>, quality: &QualityRecord, elapsed: Duration| {
        write(&member)?;
        if elapsed.as_secs() > 0 {
            progress.show(&progress_text(elapsed, duration_s, engine, quality));
        }
        Ok(())
    };
    let ended = sampling_loop::run(recording, duration_s, &|| stop.is_raised(), &mut write);
    Ok(ended.map_err(Broken::into_refusal)?)
}

/// The settings of a recording of processor time.
pub fn settings(sampling: &Sampling) -> RecordingSettings {
    recording_settings(&sampling.params())
}

/// Which engine, and why.
fn engine_text(recording: &DistantRecording) -> String {
    let engine = recording.engine();
    format!("engine {}: {}", engine.engine.name(), engine.reason)
}

fn progress_text(
    elapsed: Duration,
    duration_s: f64,
    engine: &str,
    quality: &QualityRecord,
) -> String {
    let until = if duration_s > 0.0 {
        format!("/{duration_s:.0}")
    } else {
        String::new()
    };
    format!(
        "sampling {:.0}{until} s ({engine}{}), {}, {}, Ctrl-C to end",
        elapsed.as_secs_f64(),
        overhead::rate_now(quality),
        match (&quality.off_cpu, &quality.faults) {
            _ if quality.has_processor_time() => counted(quality.samples, "sample"),
            (Some(off_cpu), _) if off_cpu.refused.is_none() => counted(off_cpu.blocks, "block"),
            (_, Some(faults)) => counted(faults.faults, "page fault"),
            _ => counted(quality.samples, "sample"),
        },
        quality.lost_text()
    )
}

fn print_summary(summary: &Summary<'_>) -> Result<(), Failure> {
    let (file, quality) = (summary.file.display(), summary.quality);
    print_lines(quality_lines(quality))?;
    if let Some(work) = &summary.work {
        print_line(&work_line(work))?;
    }
    match summary.kept {
        Some(kept) => print_kept(kept, summary.file_bytes)?,
        None => print_line(&format!(
            "{file} ({} bytes{})",
            summary.file_bytes,
            per_sample(summary.bytes_per_sample)
        ))?,
    }
    print_line(&next_step(&file.to_string()))?;
    Ok(())
}

fn per_sample(bytes: Option<f64>) -> String {
    match bytes {
        Some(bytes) => format!(", {bytes:.1} per sample"),
        None => ", no sample".to_owned(),
    }
}

/// The work for people.
pub fn work_line(work: &WorkCost) -> String {
    format!("work: {}", work.line())
}
