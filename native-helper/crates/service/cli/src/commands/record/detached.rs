//! `record --detach`: what starts a capture that goes on by itself, and that capture.

use std::cell::RefCell;
use std::io;
use std::process::Command;

use capture::end::CaptureEnd;
use capture::file::{CaptureFile, IfExists};
use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use profiling_service::detached::{
    Beginning, Counted, DetachedName, MAX_FILE_BYTES, Recorder, bounded_duration, start,
};
use profiling_service::sampling_loop::{self, Broken, Ended};
use protocol::detached::DetachedEnd;
use protocol::error::ErrorData;
use protocol::pstack::HaltedTime;
use protocol::recording::EngineName;
use recorder::Engine;
use sampling_process::DistantRecording;

use super::teller::Teller;
use super::{Ready, begin, blocks_in_stacks, faults_in_stacks, write_last};
use crate::arguments::Record;
use crate::attaching::OWN_PROGRAM;
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::stop_flag::StopFlag;
use crate::terminal::print_line;

/// Runs `record --detach`.
pub fn run(arguments: &Record, pid: u32, name: &DetachedName) -> Result<(), Failure> {
    match arguments.recorder {
        true => record_alone(arguments, pid, name),
        false => start_alone(arguments, name),
    }
}

/// Starts this program once more, with the same arguments.
fn start_alone(arguments: &Record, name: &DetachedName) -> Result<(), Failure> {
    let mut command = Command::new(OWN_PROGRAM);
    // Behind the name of the command, which comes first: behind the other arguments there may be `--`.
    let given = std::env::args_os().skip(1).collect::<Vec<_>>();
    command
        .args(given.iter().take(1))
        .arg("--recorder")
        .args(given.iter().skip(1));
    let capture = start(command, name, &|| false).map_err(|data| failure_of(*data))?;
    if arguments.json {
        return print_json(&capture);
    }
    let until = match &capture.facts {
        Some(facts) => format!(
            "for at most {} and {} MB",
            lasting(facts.duration_seconds),
            facts.max_file_bytes / 1_000_000
        ),
        None => "in the background".to_owned(),
    };
    print_line(&format!(
        "{name}: recording {until}, also when this terminal is closed"
    ))?;
    print_line(&format!(
        "next: extrospect detached; extrospect detached stop {name}; extrospect detached fetch {name}"
    ))?;
    Ok(())
}

fn lasting(seconds: f64) -> String {
    match seconds {
        3600.0.. => format!("{:.1} h", seconds / 3600.0),
        120.0.. => format!("{:.0} min", seconds / 60.0),
        _ => format!("{seconds:.0} s"),
    }
}

/// Records until it is over. The starting process learns whether it began; nothing is reported after
/// that.
fn record_alone(arguments: &Record, pid: u32, name: &DetachedName) -> Result<(), Failure> {
    // No terminal ends it, and no signal to whatever group started it.
    rustix::process::setsid().map_err(io::Error::from)?;
    let mut teller = Teller {
        is_waited_for: true,
    };
    let mut recorder = match Recorder::create(name.clone()) {
        Ok(recorder) => recorder,
        Err(refusal) => return Ok(teller.failed(&refusal.data())?),
    };
    let over = match record(arguments, pid, &mut recorder, &mut teller) {
        Err(failure) if teller.is_waited_for => {
            recorder.remove();
            return Ok(teller.failed(&data_of(failure))?);
        }
        Err(failure) => Over::failed(DetachedEnd::Failed, data_of(failure)),
        Ok(over) => over,
    };
    recorder.ended(over.end, over.problem, over.counted, over.halted);
    Ok(())
}

/// How it ended.
struct Over {
    end: DetachedEnd,
    problem: Option<ErrorData>,
    /// Not known where it failed before that was counted.
    counted: Option<Counted>,
    halted: Option<HaltedTime>,
}

impl Over {
    fn failed(end: DetachedEnd, problem: ErrorData) -> Self {
        Self {
            end,
            problem: Some(problem),
            counted: None,
            halted: None,
        }
    }
}

fn record(
    arguments: &Record,
    pid: u32,
    recorder: &mut Recorder,
    teller: &mut Teller,
) -> Result<Over, Failure> {
    let stop = StopFlag::install()?;
    let ready = Ready::prepare(arguments, pid, &stop)?;
    let (checked_out, counting) = (ready.checked_out, ready.counting);
    let mut file = CaptureFile::create(&recorder.capture_path(), IfExists::Refuse)?;
    let mut recording = begin(
        arguments,
        ready.sampler,
        checked_out.as_ref(),
        counting.as_ref(),
    )?;
    let beginning = Beginning {
        target_pid: pid,
        node: ready.attached.target.node,
        frequency_hz: arguments.sampling.frequency,
        duration_s: arguments.sampling.duration,
        engine: engine_name(&recording),
    };
    let ended = sample(
        &mut recording,
        recorder,
        teller,
        beginning,
        &mut file,
        &stop,
    );
    if let Err(Broken::Sampling(refusal) | Broken::Writing(refusal)) = &ended
        && teller.is_waited_for
    {
        return Err(refusal.clone().into());
    }
    let end = match &ended {
        Ok(Ended::Duration) => DetachedEnd::Duration,
        Ok(Ended::TargetGone) => DetachedEnd::TargetGone,
        Ok(Ended::Stopped) if is_full(&file) => DetachedEnd::SizeLimit,
        Ok(Ended::Stopped) => DetachedEnd::Stopped,
        Err(Broken::Sampling(_)) => DetachedEnd::Failed,
        Err(Broken::Writing(_)) => DetachedEnd::WriteFailed,
    };
    if end == DetachedEnd::Failed {
        // Without it the file has the record of its last increment.
        let _ = file.end_early(&mut recording.quality().clone());
    }
    let problem = ended.err().map(|broken| broken.into_refusal().data());
    let counted = Some(counted(recording.quality()));
    let halted = HaltedTime::of(&recording.quality().gaps);
    let mut write = |member: &[u8]| file.append(member).map_err(|error| Refusal::from(&error));
    if problem.is_none() {
        // Without its last words the capture is whole all the same.
        let _ = write_last(&mut recording, counting, checked_out, &mut write);
    }
    drop(recording);
    // Without the mark it opens as one that was not closed.
    let _ = file.mark_end(end_in_file(end));
    if end != DetachedEnd::WriteFailed {
        // A capture that cannot be compacted is still a valid one, only larger.
        let _ = file.compact();
    }
    Ok(Over {
        end,
        problem,
        counted,
        halted,
    })
}

/// The numbers of samples of the types that are recorded.
fn counted(quality: &QualityRecord) -> Counted {
    let has_samples = quality.has_processor_time();
    Counted {
        samples: has_samples.then_some(quality.samples),
        blocks: blocks_in_stacks(quality),
        fault_samples: faults_in_stacks(quality),
    }
}

fn sample(
    recording: &mut DistantRecording,
    recorder: &mut Recorder,
    teller: &mut Teller,
    beginning: Beginning,
    file: &mut CaptureFile,
    stop: &StopFlag,
) -> Result<Ended, Broken> {
    let shared = RefCell::new((recorder, file));
    let duration_s = bounded_duration(beginning.duration_s);
    let mut beginning = Some(beginning);
    let mut write = |member: Vec<u8>, quality: &QualityRecord, _| {
        let (recorder, file) = &mut *shared.borrow_mut();
        file.append(&member)
            .map_err(|error| Refusal::from(&error))?;
        if let Some(beginning) = beginning.take() {
            recorder.begun(beginning)?;
            teller.begun(recorder.name())?;
        }
        recorder.sampled(counted(quality));
        Ok(())
    };
    let is_over = || {
        let (recorder, file) = &mut *shared.borrow_mut();
        stop.is_raised() || is_full(file) || recorder.is_stop_requested()
    };
    sampling_loop::run(recording, duration_s, &is_over, &mut write)
}

fn is_full(file: &CaptureFile) -> bool {
    file.len_bytes() >= MAX_FILE_BYTES
}

fn end_in_file(end: DetachedEnd) -> CaptureEnd {
    match end {
        DetachedEnd::Duration => CaptureEnd::Duration,
        DetachedEnd::Stopped => CaptureEnd::Stopped,
        DetachedEnd::SizeLimit => CaptureEnd::SizeLimit,
        DetachedEnd::TargetGone => CaptureEnd::TargetGone,
        DetachedEnd::WriteFailed => CaptureEnd::WriteFailed,
        DetachedEnd::Failed => CaptureEnd::SamplingEnded,
    }
}

fn engine_name(recording: &DistantRecording) -> EngineName {
    match recording.engine().engine {
        Engine::Bpf => EngineName::Bpf,
        Engine::Readv => EngineName::Readv,
    }
}

fn data_of(failure: Failure) -> ErrorData {
    ErrorData {
        explanation: *failure.explanation,
        exit_code: failure.exit as u8,
    }
}

/// The same failure, with the exit code that it has everywhere.
fn failure_of(data: ErrorData) -> Failure {
    let exit = match data.exit_code {
        2 => Exit::Usage,
        3 => Exit::NoTarget,
        4 => Exit::NotPermitted,
        5 => Exit::TargetGone,
        _ => Exit::Other,
    };
    Failure {
        exit,
        explanation: Box::new(data.explanation),
    }
}
