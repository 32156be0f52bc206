//! The loop that every capture runs in, from the command line as from an editor.

use std::time::{Duration, Instant};

use capture::quality::QualityRecord;
use recorder::{RecordError, Recording, TargetState};

use diagnose::refusal::Refusal;

/// How often samples are resolved.
const PUMP_INTERVAL: Duration = Duration::from_millis(50);
/// How often an increment is written.
const INCREMENT_INTERVAL: Duration = Duration::from_secs(1);

/// Why sampling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The time is over.
    Duration,
    /// It was asked to.
    Stopped,
    /// The target has ended.
    TargetGone,
}

impl Ended {
    /// As `record --json` says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Stopped => "stopped",
            Self::TargetGone => "target gone",
        }
    }
}

/// Why sampling could not go on. What was handed out before is good.
#[derive(Debug)]
pub enum RunError {
    /// The target cannot be sampled any more.
    Sampling(RecordError),
    /// The increments cannot be kept.
    Output(Refusal),
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Sampling(error) => (&error).into(),
            RunError::Output(refusal) => refusal,
        }
    }
}

/// Samples until `duration_s` is over (0: for ever), `stop` says so or the target ends; hands
/// every increment, the last one included, to `write`.
pub fn run(
    recording: &mut Recording,
    duration_s: f64,
    stop: &impl Fn() -> bool,
    write: &mut impl FnMut(Vec<u8>, &QualityRecord, Duration) -> Result<(), Refusal>,
) -> Result<Ended, RunError> {
    let mut hand_out = |recording: &mut Recording| {
        let (member, quality) = recording.take_increment();
        write(member, &quality, recording.elapsed()).map_err(RunError::Output)
    };
    let mut last_increment = Instant::now();
    hand_out(recording)?;
    let ended = loop {
        recording.wait(PUMP_INTERVAL);
        let state = recording.pump().map_err(RunError::Sampling)?;
        if last_increment.elapsed() >= INCREMENT_INTERVAL {
            last_increment = Instant::now();
            hand_out(recording)?;
        }
        if state == TargetState::Gone {
            break Ended::TargetGone;
        }
        if stop() {
            break Ended::Stopped;
        }
        if duration_s > 0.0 && recording.elapsed().as_secs_f64() >= duration_s {
            break Ended::Duration;
        }
    };
    recording.stop();
    hand_out(recording)?;
    Ok(ended)
}
