//! The source of page faults: its events, and what their samples stand for.

use bpf_engine::Trigger;
use capture::faults::FaultsQuality;
use capture::sample_types::{FAULTS, TypeIndex};
use capture::writer::Weights;
use perf_ring::EventSettings;

use super::Recording;
use super::switch_guard::{Blocks, SwitchGuard};
use super::switches::{Thinning, note_source};
use crate::error::RecordError;
use crate::events::ThreadEvents;
use crate::read::raw_sample::{RawSampleRef, SampleSource};
use crate::source_set::SourceSet;
use crate::sys;

/// The events of all threads, and the counts of their samples.
#[derive(Debug)]
pub(super) struct Faults {
    settings: EventSettings,
    pub(super) events: ThreadEvents,
    of: TypeIndex,
    guard: SwitchGuard,
    thinning: Thinning,
    /// How many faults a sample of a time stands for.
    weights: Weights,
    counts: Counts,
    /// When the recording ended.
    ended_ns: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Samples so far, also those without room in the capture.
    recorded: u64,
    /// Those in the capture, and the faults that they stand for.
    samples: u64,
    faults: u64,
    whole: u64,
}

impl Faults {
    /// Those of a recording that starts now; `None` where its capture does not have their type.
    pub(super) fn new(settings: EventSettings, sources: SourceSet, start_ns: u64) -> Option<Self> {
        Some(Self {
            settings,
            events: ThreadEvents::default(),
            of: sources.types().index(&FAULTS)?,
            guard: SwitchGuard::since(start_ns),
            thinning: Thinning::default(),
            weights: Weights::default(),
            counts: Counts::default(),
            ended_ns: None,
        })
    }

    /// From now on so many times fewer are to be recorded.
    pub(super) fn record_fewer(&mut self, times: u32) {
        self.guard.record_fewer(times);
    }

    /// Samples so far.
    pub(super) fn recorded(&self) -> u64 {
        self.counts.recorded
    }
}

impl Recording {
    /// Whether the page faults of a thread are to be recorded and are not, and this is the time to try it.
    pub(super) fn should_record_faults(&self, tid: u32) -> bool {
        let faults = self.faults.as_ref();
        faults.is_some_and(|it| it.events.should_try(tid))
    }

    /// Records the page faults of a thread from now on.
    pub(super) fn add_faults(&mut self, tid: u32) -> Result<(), RecordError> {
        let stack_bytes = self.settings_for(tid).stack_bytes;
        let rights = self.target.clone();
        let _raised = rights.raise_to_sample();
        self.add_to_program(tid)?;
        let (Some(faults), Some(program)) = (&mut self.faults, &self.program) else {
            return Ok(());
        };
        let settings = EventSettings {
            stack_bytes,
            ..faults.settings
        };
        let (target, sources) = (&self.target, &self.event_sources);
        faults.events.add(
            &settings,
            tid,
            (&self.outputs, Some((program, Trigger::PageFault)), 1),
            |tid| target.has_thread(tid),
            |events| note_source(sources, SampleSource::Faults, events),
        )
    }

    /// Takes in a raw sample of this source, if there is room for it.
    pub(super) fn note_fault(&mut self, sample: &RawSampleRef<'_>) {
        let Some(faults) = &mut self.faults else {
            return;
        };
        faults.counts.recorded += 1;
        if self.resolver.table.writer.is_full() {
            self.resolver.tally.unwritten += 1;
            return;
        }
        let stands_for = u64::from(faults.weights.at(sample.time_ns));
        let held = self.resolver.hold(sample);
        faults.counts.samples += 1;
        faults.counts.faults += stands_for;
        faults.counts.whole += u64::from(held.is_whole);
        self.resolver
            .add_held(faults.of, sample.time_ns, &held, (1, stands_for));
        self.end_increment_if_due();
    }

    /// Leaves out page faults while they are too many.
    pub(super) fn thin_out_faults(&mut self) {
        let left_out = self.left_out_faults();
        let Some(faults) = &mut self.faults else {
            return;
        };
        let before_ns = sys::monotonic_ns();
        let wanted = faults.guard.look(Blocks {
            at_ns: before_ns,
            recorded: faults.counts.recorded,
            left_out,
        });
        if wanted == faults.thinning.each_of() {
            return;
        }
        let is_set = self.program.as_ref().is_some_and(|program| {
            let _raised = self.target.raise_to_sample();
            program.keep_each(Trigger::PageFault, wanted).is_ok()
        });
        // Where the kernel refuses, all is as it was, and the next second tries again.
        if is_set {
            let at_ns = before_ns.midpoint(sys::monotonic_ns());
            faults.thinning.set(wanted, at_ns);
            faults.weights.set(at_ns, wanted);
        }
    }

    /// Notes that events are disabled from now on.
    pub(super) fn end_faults(&mut self) {
        if let Some(faults) = &mut self.faults {
            faults.ended_ns = Some(sys::monotonic_ns());
        }
    }

    /// Page faults that were left out so far.
    fn left_out_faults(&self) -> u64 {
        let faults = self.faults.as_ref();
        // None was, as long as none was to be.
        let was_thinned = faults.is_some_and(|it| it.thinning.ns(u64::MAX) > 0);
        match &self.program {
            Some(program) if was_thinned => {
                let _raised = self.target.raise_to_sample();
                program.left_out(Trigger::PageFault)
            }
            _ => 0,
        }
    }

    /// The quality of this source, of which so many samples were lost; `None` where it was not requested.
    pub(super) fn faults_quality(&self, lost: u64) -> Option<FaultsQuality> {
        let Some(faults) = &self.faults else {
            return Some(FaultsQuality {
                refused: Some(self.faults_refused.clone()?),
                ..FaultsQuality::default()
            });
        };
        let (counts, gaps) = (faults.counts, faults.events.gaps());
        let until_ns = faults.ended_ns.unwrap_or_else(sys::monotonic_ns);
        Some(FaultsQuality {
            refused: None,
            faults: counts.faults,
            samples: counts.samples,
            whole: counts.whole,
            thinned_ms: faults.thinning.ns(until_ns) / 1_000_000,
            left_out: self.left_out_faults(),
            lost: lost + self.dropped_faults,
            threads: gaps.threads,
            threads_reason: gaps.threads_reason,
        })
    }
}
