//! The loop that every capture runs in, from the command line as from an editor.

use std::time::{Duration, Instant};

use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use recorder::{Recording, TargetState};

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

/// Samples until `duration_s` is over (0: for ever), `stop` says so or the target ends; hands
/// every increment, the last one included, to `write`. What cannot be sampled is said in the quality
/// of the capture and ends nothing.
///
/// # Errors
/// That of `write`, when the increments cannot be kept. What was handed out before is good.
pub fn run(
    recording: &mut Recording,
    duration_s: f64,
    stop: &impl Fn() -> bool,
    write: &mut impl FnMut(Vec<u8>, &QualityRecord, Duration) -> Result<(), Refusal>,
) -> Result<Ended, Refusal> {
    let mut hand_out = |recording: &mut Recording| {
        let (member, quality) = recording.take_increment();
        write(member, &quality, recording.elapsed())
    };
    let mut last_increment = Instant::now();
    hand_out(recording)?;
    let ended = loop {
        recording.wait(PUMP_INTERVAL);
        let state = recording.pump();
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
