//! The loop that every capture runs in, from the command line as from an editor.

use std::time::Duration;

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

/// What the loop needs of a recording.
pub trait Sampled {
    /// Waits while samples come in.
    fn wait(&mut self, duration: Duration);
    /// Resolves what came in; says whether the target is still there.
    fn pump(&mut self) -> TargetState;
    /// What was resolved since the last increment, as a gzip member, and the quality so far.
    fn take_increment(&mut self) -> (Vec<u8>, QualityRecord);
    /// How long it has run.
    fn elapsed(&self) -> Duration;
    /// Ends sampling and resolves what is left.
    fn stop(&mut self);
}

impl Sampled for Recording {
    fn wait(&mut self, duration: Duration) {
        Self::wait(self, duration);
    }

    fn pump(&mut self) -> TargetState {
        Self::pump(self)
    }

    fn take_increment(&mut self) -> (Vec<u8>, QualityRecord) {
        Self::take_increment(self)
    }

    fn elapsed(&self) -> Duration {
        Self::elapsed(self)
    }

    fn stop(&mut self) {
        Self::stop(self);
    }
}

/// Samples until `duration_s` is over (0: for ever), `stop` says so or the target ends; hands
/// every increment, the last one included, to `write`. What cannot be sampled is said in the quality
/// of the capture and ends nothing.
///
/// # Errors
/// That of `write`, when the increments cannot be kept. What was handed out before is good.
pub fn run<R: Sampled>(
    recording: &mut R,
    duration_s: f64,
    stop: &impl Fn() -> bool,
    write: &mut impl FnMut(Vec<u8>, &QualityRecord, Duration) -> Result<(), Refusal>,
) -> Result<Ended, Refusal> {
    let mut hand_out = |recording: &mut R| {
        let (member, quality) = recording.take_increment();
        write(member, &quality, recording.elapsed())
    };
    let mut last_increment = recording.elapsed();
    hand_out(recording)?;
    let ended = loop {
        recording.wait(PUMP_INTERVAL);
        let state = recording.pump();
        let elapsed = recording.elapsed();
        if elapsed.saturating_sub(last_increment) >= INCREMENT_INTERVAL {
            last_increment = elapsed;
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

#[cfg(test)]
mod tests {
    use super::*;
    use diagnose::refusal::RefusalKind;
    use protocol::message::{Text, texts};
    use std::cell::Cell;

    /// A recording whose time passes only while it is waited for.
    #[derive(Default)]
    struct Scripted {
        elapsed: Duration,
        /// When the target ends.
        gone_at: Option<Duration>,
        stopped: bool,
        increments: u8,
    }

    impl Sampled for Scripted {
        fn wait(&mut self, duration: Duration) {
            self.elapsed += duration;
        }

        fn pump(&mut self) -> TargetState {
            match self.gone_at {
                Some(at) if at <= self.elapsed => TargetState::Gone,
                _ => TargetState::Alive,
            }
        }

        fn take_increment(&mut self) -> (Vec<u8>, QualityRecord) {
            self.increments += 1;
            // The last increment is the one that was taken after sampling had ended.
            let bytes = vec![self.increments, u8::from(self.stopped)];
            (bytes, QualityRecord::default())
        }

        fn elapsed(&self) -> Duration {
            self.elapsed
        }

        fn stop(&mut self) {
            self.stopped = true;
        }
    }

    /// How it ended, and the increments that were handed out.
    fn sampled(recording: &mut Scripted, duration_s: f64) -> (Ended, Vec<Vec<u8>>) {
        let mut written = Vec::new();
        let mut write = |member: Vec<u8>, _: &QualityRecord, _| {
            written.push(member);
            Ok(())
        };
        let ended = run(recording, duration_s, &|| false, &mut write).unwrap();
        (ended, written)
    }

    #[test]
    fn increments_come_each_second_and_the_last_one_after_sampling_has_ended() {
        let (ended, written) = sampled(&mut Scripted::default(), 2.5);
        assert_eq!(ended, Ended::Duration);
        assert_eq!(written, [[1, 0], [2, 0], [3, 0], [4, 1]]);
    }

    #[test]
    fn a_target_that_ends_ends_it_and_what_was_sampled_is_handed_out() {
        let mut recording = Scripted {
            gone_at: Some(Duration::from_millis(100)),
            ..Scripted::default()
        };
        let (ended, written) = sampled(&mut recording, 0.0);
        assert_eq!(ended, Ended::TargetGone);
        assert_eq!(written, [[1, 0], [2, 1]]);
    }

    #[test]
    fn it_ends_when_asked_to() {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let mut recording = Scripted::default();
        let ended = run(&mut recording, 0.0, &stop, &mut |_, _, _| Ok(())).unwrap();
        assert_eq!(ended, Ended::Stopped);
        assert_eq!(recording.elapsed, PUMP_INTERVAL * 3);
        assert!(recording.stopped);
    }

    #[test]
    fn increments_that_cannot_be_kept_end_it() {
        let full = Refusal::new(
            RefusalKind::Other,
            texts::TO_FREE_ROOM.text(),
            Text::default(),
        );
        let mut left = 2;
        let mut write = |_: Vec<u8>, _: &QualityRecord, _| {
            left -= 1;
            match left {
                0 => Err(full.clone()),
                _ => Ok(()),
            }
        };
        let result = run(&mut Scripted::default(), 0.0, &|| false, &mut write);
        assert_eq!(result, Err(full));
        assert_eq!(left, 0);
    }
}
