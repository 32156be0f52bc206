//! The counts behind the quality record.

use capture::marks::Mark;
use capture::quality::QualityRecord;
use capture::sample::Trust;

use super::frames::{Frame, Naming};
use super::skid::SkidHistogram;

/// The category of a sample in the quality record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedAs {
    /// Erlang code.
    Erlang {
        /// Walked to the bottom frame.
        complete: bool,
    },
    /// C code while a process ran.
    NativeInProcess {
        /// Known down to the bottom frame.
        complete: bool,
    },
    /// A scheduler without a process or a port.
    Scheduler,
    /// A port, as a task of a scheduler.
    PortTask,
    /// A scheduler whose work is not known.
    Unattributed,
    /// A thread that is no scheduler.
    Other,
}

/// Counts of one capture so far.
#[derive(Debug, Default)]
pub struct Tally {
    record: QualityRecord,
    skid: SkidHistogram,
    /// Samples for which there was no room, since increments were not taken: they are in no other count.
    pub unwritten: u64,
}

impl Tally {
    /// Adds one sample.
    pub fn add(&mut self, counted_as: CountedAs, trust: Trust, truncated: bool, frames: &[Frame]) {
        let record = &mut self.record;
        record.samples += 1;
        record.truncated += u64::from(truncated);
        record.frames += frames.len() as u64;
        let (mut reloaded, mut unknown_function) = (None, false);
        for frame in frames {
            match frame.naming {
                Naming::Named => {}
                Naming::Unnamed => record.unnamed_static_frames += 1,
                Naming::Unresolved => record.unresolved_frames += 1,
                Naming::UnknownFunction => {
                    record.unresolved_frames += 1;
                    unknown_function = true;
                }
                Naming::Reloaded(reason) => {
                    record.unresolved_frames += 1;
                    reloaded = reloaded.or(Some(reason));
                }
            }
        }
        if let Some(reason) = reloaded {
            record.reloaded += 1;
            *record.reloaded_by.of_mut(reason) += 1;
        }
        record.unknown_functions += u64::from(unknown_function);
        match counted_as {
            CountedAs::Erlang { complete } => {
                record.erlang.samples += 1;
                record.erlang.complete += u64::from(complete);
            }
            CountedAs::NativeInProcess { complete } => {
                let native = &mut record.native_in_process;
                native.samples += 1;
                let is_known =
                    matches!(trust, Trust::Captured | Trust::Validated | Trust::Bracketed);
                native.with_erlang += u64::from(is_known);
                native.complete += u64::from(complete);
                // Part of a stack, be it the deep frames or the upper ones of one that was cut.
                native.bracketed += u64::from(is_known && !complete);
                native.unproven += u64::from(trust == Trust::Unproven);
            }
            CountedAs::Scheduler => record.scheduler += 1,
            CountedAs::Other => record.other += 1,
            CountedAs::PortTask => record.no_process.get_or_insert_default().port_tasks += 1,
            CountedAs::Unattributed => record.no_process.get_or_insert_default().unattributed += 1,
        }
    }

    /// Notes processor time of the VM from before sampling began.
    pub fn note_time_before(&mut self, used_ns: u64) {
        self.record.before_sampling_ms += used_ns / 1_000_000;
    }

    /// Adds a sample of a scheduler of which nothing shows whose work it is.
    pub fn add_unnamed_work(&mut self) {
        self.record.scheduler_unnamed += 1;
    }

    /// Adds a sample that shows call tracing.
    pub fn add_traced(&mut self) {
        self.record.traced += 1;
    }

    /// Adds a stack that lost the frames in its middle, since it was longer than a capture holds; `mark` is there.
    pub fn add_shortened(&mut self, mark: Mark) {
        self.record.stacks_cut += 1;
        self.record.stacks_shortened += u64::from(mark == Mark::Shortened);
    }

    /// Adds a stack that is longer than the part that is copied.
    pub fn add_cut(&mut self) {
        self.record.engine.cut += 1;
    }

    /// Adds a sample whose stack is not whole because memory was not there when it was copied.
    pub fn add_failed_copy(&mut self) {
        self.record.engine.copy_failed += 1;
    }

    /// Adds a sample whose C stack could not be unwound although it was copied.
    pub fn add_failed_unwind(&mut self) {
        self.record.unwind_failed += 1;
    }

    /// Adds the delay of one late read.
    pub fn add_skid(&mut self, sample_ns: u64, read_done_ns: u64) {
        self.skid
            .add_us(read_done_ns.saturating_sub(sample_ns) / 1000);
    }

    /// The record, except for the members that only the recording knows (losses, own cost, event).
    pub fn record(&self) -> QualityRecord {
        QualityRecord {
            skid_us: self.skid.summary(),
            no_process: Some(self.record.no_process.unwrap_or_default()),
            ..self.record.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::frames::FrameTable;
    use capture::facts::{CaptureSettings, TargetFacts};
    use capture::marks::Reloaded;
    use capture::writer::CaptureWriter;

    #[test]
    fn each_mark_that_has_a_count_of_its_own_is_in_that_one() {
        let writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
        let mut table = FrameTable::new(writer);
        let mut tally = Tally::default();
        let (code, function) = (Mark::UnknownCode, Mark::UnknownFunction);
        let reloaded = Mark::Reloaded(Reloaded::Ending);
        for mark in [code, function, reloaded, Mark::Unproven] {
            let frames = [table.mark(mark), table.mark(mark)];
            tally.add(CountedAs::Other, Trust::NoProcess, false, &frames);
        }
        tally.add_shortened(Mark::TooDeep);
        tally.add_shortened(Mark::Shortened);
        let record = tally.record();
        assert_eq!((record.unknown_functions, record.reloaded), (1, 1));
        assert_eq!((record.unresolved_frames, record.frames), (6, 8));
        assert_eq!((record.stacks_cut, record.stacks_shortened), (2, 1));
    }

    #[test]
    fn a_sample_in_reloaded_code_counts_for_the_reason_of_its_innermost_mark() {
        let writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
        let mut table = FrameTable::new(writer);
        let mut tally = Tally::default();
        for (index, reason) in Reloaded::ALL.into_iter().enumerate() {
            let frames = [
                table.mark(Mark::Unproven),
                table.mark(Mark::Reloaded(reason)),
                table.mark(Mark::Reloaded(Reloaded::BetweenReadings)),
            ];
            for _ in 0..=index {
                tally.add(CountedAs::Other, Trust::NoProcess, false, &frames);
            }
        }
        let record = tally.record();
        let counts = Reloaded::ALL.map(|reason| record.reloaded_by.of(reason));
        assert_eq!(counts, [1, 2, 3, 4, 5]);
        assert_eq!(record.reloaded, counts.iter().sum::<u64>());
    }

    #[test]
    fn samples_in_c_code_are_of_one_kind_each() {
        let mut tally = Tally::default();
        for (trust, complete) in [
            (Trust::Captured, true),
            (Trust::Validated, true),
            (Trust::Captured, false),
            (Trust::Bracketed, false),
            (Trust::Bracketed, false),
            (Trust::Unproven, false),
            (Trust::Unproven, false),
            (Trust::Unproven, false),
        ] {
            let counted_as = CountedAs::NativeInProcess { complete };
            tally.add(counted_as, trust, false, &[]);
        }
        let native = tally.record().native_in_process;
        let kinds = [native.complete, native.bracketed, native.unproven];
        assert_eq!(kinds, [2, 3, 3]);
        assert_eq!(kinds.iter().sum::<u64>(), native.samples);
        assert_eq!(native.with_erlang, native.samples - native.unproven);
    }

    #[test]
    fn each_sample_is_in_one_group_and_whole_erlang_stacks_are_counted() {
        let mut tally = Tally::default();
        tally.add(
            CountedAs::Erlang { complete: true },
            Trust::Captured,
            false,
            &[],
        );
        tally.add(
            CountedAs::Erlang { complete: false },
            Trust::Captured,
            true,
            &[],
        );
        tally.add(CountedAs::Scheduler, Trust::Captured, false, &[]);
        tally.add(CountedAs::Other, Trust::Captured, true, &[]);
        tally.add(CountedAs::PortTask, Trust::NoProcess, false, &[]);
        tally.add(CountedAs::Unattributed, Trust::NoProcess, false, &[]);
        let native = CountedAs::NativeInProcess { complete: true };
        tally.add(native, Trust::Captured, false, &[]);
        let record = tally.record();
        assert_eq!((record.erlang.samples, record.erlang.complete), (2, 1));
        assert_eq!((record.scheduler, record.other), (1, 1));
        let rest = record.no_process.unwrap();
        assert_eq!((rest.port_tasks, rest.unattributed), (1, 1));
        assert_eq!((record.samples, record.truncated), (7, 2));
        let in_process = record.erlang.samples + record.native_in_process.samples;
        let others = record.scheduler + record.other + rest.port_tasks + rest.unattributed;
        assert_eq!(in_process + others, record.samples);
    }
}
