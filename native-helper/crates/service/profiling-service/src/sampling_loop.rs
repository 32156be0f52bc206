//! The loop that every capture runs in, from the command line as from an editor.

use std::time::Duration;

use capture::end::CaptureEnd;
use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use recorder::TargetState;
use sampling_process::DistantRecording;

/// How often it is checked whether to continue.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// How often an increment is written.
const INCREMENT_INTERVAL: Duration = Duration::from_secs(1);

/// Why sampling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The time is over.
    Duration,
    /// `stop` ended it.
    Stopped,
    /// The target has ended.
    TargetGone,
}

impl Ended {
    /// The same of a loop that ended so.
    pub fn in_file(ended: &Result<Self, Broken>) -> CaptureEnd {
        match ended {
            Ok(ended) => ended.end_in_file(),
            Err(Broken::Sampling(_)) => CaptureEnd::SamplingEnded,
            Err(Broken::Writing(_)) => CaptureEnd::WriteFailed,
        }
    }

    /// The reason in the file that is written.
    pub fn end_in_file(self) -> CaptureEnd {
        match self {
            Self::Duration => CaptureEnd::Duration,
            Self::Stopped => CaptureEnd::Stopped,
            Self::TargetGone => CaptureEnd::TargetGone,
        }
    }

    /// The name in `record --json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Stopped => "stopped",
            Self::TargetGone => "target gone",
        }
    }
}

/// The operations of a recording that the loop needs.
pub trait Sampled {
    /// Waits while samples come in, and no longer than until something else has happened.
    fn wait(&mut self, duration: Duration);
    /// Whether the target is still there.
    fn state(&mut self) -> Result<TargetState, Refusal>;
    /// The samples since the last increment, or a part of them, as a gzip member, and the quality so far.
    fn take_increment(&mut self) -> Result<(Vec<u8>, QualityRecord), Refusal>;
    /// Whether it was only a part of them.
    fn has_next(&self) -> bool;
    /// How long it has run.
    fn elapsed(&self) -> Duration;
    /// Ends sampling; the next increment contains the remaining samples.
    fn stop(&mut self) -> Result<(), Refusal>;
}

/// Why sampling ended too early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// The process that samples has ended.
    Sampling(Refusal),
    /// The increments cannot be kept.
    Writing(Refusal),
}

impl Broken {
    /// The refusal to report.
    pub fn into_refusal(self) -> Refusal {
        match self {
            Self::Sampling(refusal) | Self::Writing(refusal) => refusal,
        }
    }
}

impl Sampled for DistantRecording {
    fn wait(&mut self, duration: Duration) {
        Self::wait(self, duration);
    }

    fn state(&mut self) -> Result<TargetState, Refusal> {
        Self::state(self)
    }

    fn take_increment(&mut self) -> Result<(Vec<u8>, QualityRecord), Refusal> {
        let member = Self::take_increment(self)?;
        Ok((member, self.quality().clone()))
    }

    fn has_next(&self) -> bool {
        Self::has_next(self)
    }

    fn elapsed(&self) -> Duration {
        Self::elapsed(self)
    }

    fn stop(&mut self) -> Result<(), Refusal> {
        Self::stop(self)
    }
}

/// Samples until `duration_s` is over (0: for ever), `stop` returns true or the target ends; passes
/// every increment, the last one included, to `write`. Samples that cannot be taken are counted in
/// the quality of the capture and end nothing.
///
/// # Errors
/// The process that samples has ended, or `write` cannot keep the increments. The increments passed
/// before are valid.
pub fn run<R: Sampled>(
    recording: &mut R,
    duration_s: f64,
    stop: &impl Fn() -> bool,
    write: &mut impl FnMut(Vec<u8>, &QualityRecord, Duration) -> Result<(), Refusal>,
) -> Result<Ended, Broken> {
    let mut hand_out = |recording: &mut R| {
        let (member, quality) = recording.take_increment().map_err(Broken::Sampling)?;
        write(member, &quality, recording.elapsed()).map_err(Broken::Writing)
    };
    let mut last_increment = recording.elapsed();
    hand_out(recording)?;
    let ended = loop {
        // Samples wait where it was not written for a long time, or there are very many.
        let has_next = recording.has_next();
        if !has_next {
            recording.wait(LOOK_INTERVAL);
        }
        let state = recording.state().map_err(Broken::Sampling)?;
        let elapsed = recording.elapsed();
        if has_next || elapsed.saturating_sub(last_increment) >= INCREMENT_INTERVAL {
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
    recording.stop().map_err(Broken::Sampling)?;
    hand_out(recording)?;
    while recording.has_next() {
        hand_out(recording)?;
    }
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
        /// When the process that samples ends.
        lost_at: Option<Duration>,
        stopped: bool,
        increments: u8,
        /// Increments that wait when the target ends.
        waiting: u8,
    }

    impl Sampled for Scripted {
        fn wait(&mut self, duration: Duration) {
            self.elapsed += duration;
        }

        fn state(&mut self) -> Result<TargetState, Refusal> {
            match (self.gone_at, self.lost_at) {
                (_, Some(at)) if at <= self.elapsed => Err(trouble()),
                (Some(at), _) if at <= self.elapsed => Ok(TargetState::Gone),
                _ => Ok(TargetState::Alive),
            }
        }

        fn take_increment(&mut self) -> Result<(Vec<u8>, QualityRecord), Refusal> {
            self.increments += 1;
            // The last increment is the one that was taken after sampling had ended.
            let bytes = vec![self.increments, u8::from(self.stopped)];
            if self.gone_at.is_some_and(|at| at <= self.elapsed) {
                self.waiting = self.waiting.saturating_sub(1);
            }
            Ok((bytes, QualityRecord::default()))
        }

        fn has_next(&self) -> bool {
            self.gone_at.is_some_and(|at| at <= self.elapsed) && self.waiting > 0
        }

        fn elapsed(&self) -> Duration {
            self.elapsed
        }

        fn stop(&mut self) -> Result<(), Refusal> {
            self.stopped = true;
            Ok(())
        }
    }

    fn trouble() -> Refusal {
        Refusal::new(
            RefusalKind::Other,
            texts::TO_FREE_ROOM.text(),
            Text::default(),
        )
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
    fn all_increments_that_wait_are_handed_out_before_it_ends() {
        let mut recording = Scripted {
            gone_at: Some(Duration::from_millis(100)),
            waiting: 4,
            ..Scripted::default()
        };
        let (ended, written) = sampled(&mut recording, 0.0);
        assert_eq!(ended, Ended::TargetGone);
        assert_eq!(written, [[1, 0], [2, 1], [3, 1], [4, 1], [5, 1]]);
    }

    #[test]
    fn it_ends_on_request() {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let mut recording = Scripted::default();
        let ended = run(&mut recording, 0.0, &stop, &mut |_, _, _| Ok(())).unwrap();
        assert_eq!(ended, Ended::Stopped);
        assert_eq!(recording.elapsed, LOOK_INTERVAL * 3);
        assert!(recording.stopped);
    }

    #[test]
    fn increments_that_cannot_be_kept_end_it() {
        let mut left = 2;
        let mut write = |_: Vec<u8>, _: &QualityRecord, _| {
            left -= 1;
            match left {
                0 => Err(trouble()),
                _ => Ok(()),
            }
        };
        let result = run(&mut Scripted::default(), 0.0, &|| false, &mut write);
        assert_eq!(result, Err(Broken::Writing(trouble())));
        assert_eq!(left, 0);
    }

    #[test]
    fn what_was_handed_out_before_sampling_broke_off_is_kept() {
        let mut recording = Scripted {
            lost_at: Some(Duration::from_millis(1500)),
            ..Scripted::default()
        };
        let mut written = Vec::new();
        let result = run(&mut recording, 0.0, &|| false, &mut |member, _, _| {
            written.push(member);
            Ok(())
        });
        assert_eq!(result, Err(Broken::Sampling(trouble())));
        assert_eq!(written, [[1, 0], [2, 0]]);
    }
}
