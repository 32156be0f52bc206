//! The source of the time that schedulers had no processor: its events, and what follows from their records.

use bpf_engine::{BpfEngine, Trigger};
use capture::off_cpu::OffCpuQuality;
use capture::sample::OffCpuWhy;
use capture::sample_types::{OFF_CPU, TypeIndex};
use perf_ring::event::best_settings;
use perf_ring::{Event, EventSettings, KernelFrames, Rate, Source};

use super::Recording;
use super::switch_guard::{Blocks, SwitchGuard};
use crate::engine::{Engine, EngineInUse};
use crate::error::RecordError;
use crate::events::ThreadEvents;
use crate::off_cpu::{OffCpu, Part, PartOf, Switch};
use crate::read::event_sources::EventSources;
use crate::read::raw_sample::{RawSampleRef, SampleSource};
use crate::resolve::Resolver;
use crate::source_set::SourceSet;
use crate::sys;

/// How long before a reading of the rings a record may have been stamped that was not in them yet.
const WRITTEN_WITHIN_NS: u64 = 5_000_000;

/// The events of schedulers, and their times without a processor.
#[derive(Debug)]
pub(super) struct Switches {
    settings: EventSettings,
    pub(super) events: ThreadEvents,
    off_cpu: OffCpu,
    of: TypeIndex,
    guard: SwitchGuard,
    thinning: Thinning,
    /// Samples so far, each of a block.
    recorded: u64,
    /// When the recording ended; no record until then has yet to come.
    ended_ns: Option<u64>,
}

impl Switches {
    /// Those of a recording that starts now; `None` where its capture does not have their type.
    pub(super) fn new(settings: EventSettings, sources: SourceSet, start_ns: u64) -> Option<Self> {
        let min_block_ns = u64::from(sources.min_block_us) * 1_000;
        Some(Self {
            settings,
            events: ThreadEvents::default(),
            off_cpu: OffCpu::since(start_ns, min_block_ns),
            of: sources.types().index(&OFF_CPU)?,
            guard: SwitchGuard::since(start_ns),
            thinning: Thinning::default(),
            recorded: 0,
            ended_ns: None,
        })
    }

    /// From now on so many times fewer blocks are to be recorded.
    pub(super) fn record_fewer(&mut self, times: u32) {
        self.guard.record_fewer(times);
    }

    /// Blocks recorded so far, and switches of other threads.
    pub(super) fn recorded(&self) -> (u64, u64) {
        let switches = self.off_cpu.counts().switches;
        (self.recorded, switches.saturating_sub(self.recorded))
    }
}

/// Of how many events one is recorded, and how long it was not each.
#[derive(Debug)]
pub(super) struct Thinning {
    each_of: u32,
    /// Since when it is more than 1, and how long it was before.
    since_ns: Option<u64>,
    before_ns: u64,
}

impl Default for Thinning {
    fn default() -> Self {
        Self {
            each_of: 1,
            since_ns: None,
            before_ns: 0,
        }
    }
}

impl Thinning {
    pub(super) fn each_of(&self) -> u32 {
        self.each_of
    }

    pub(super) fn set(&mut self, each_of: u32, now_ns: u64) {
        self.before_ns = self.ns(now_ns);
        self.since_ns = (each_of > 1).then_some(now_ns);
        self.each_of = each_of;
    }

    /// How long events were left out.
    pub(super) fn ns(&self, now_ns: u64) -> u64 {
        let since_ns = self.since_ns.map_or(0, |it| now_ns.saturating_sub(it));
        self.before_ns.saturating_add(since_ns)
    }
}

/// The settings of the events of another source, beside those of the clock, when these are sampled as well; or why there
/// can be none: one clause for people. Their samples are in the same rings, so they have the same fields.
pub(super) fn settings_beside(
    wanted: EventSettings,
    pid: u32,
    (source, trigger): (Source, Trigger),
    (engine, program): (&EngineInUse, Option<&BpfEngine>),
) -> Result<EventSettings, String> {
    if engine.engine == Engine::Readv {
        return Err(format!("engine readv cannot record it ({})", engine.reason));
    }
    if program.is_none_or(|program| program.program(trigger).is_none()) {
        return Err("the kernel does not accept the program for it".to_owned());
    }
    // A thread is switched out in the kernel, and touches memory there as well.
    if wanted.kernel == KernelFrames::Excluded {
        return Err("the kernel may not be sampled here".to_owned());
    }
    let settings = EventSettings {
        source,
        rate: Rate::Every(1),
        ..wanted
    };
    let found = best_settings(settings, pid).map_err(|error| error.to_string())?;
    match found.kernel == wanted.kernel {
        true => Ok(found),
        false => Err("the kernel may not be sampled here".to_owned()),
    }
}

/// Notes the source of events, before they are enabled.
pub(super) fn note_source(
    sources: &EventSources,
    of: SampleSource,
    events: &[Event],
) -> Result<(), RecordError> {
    let ids = events.iter().map(Event::id).collect::<Result<Vec<_>, _>>();
    let ids = ids.map_err(|source| RecordError::System {
        what: "reading the number of an event",
        source,
    })?;
    sources.add(of, ids);
    Ok(())
}

impl Recording {
    /// Whether the switches of a thread are to be recorded and are not, and this is the time to try it.
    pub(super) fn should_watch(&self, tid: u32) -> bool {
        let switches = self.switches.as_ref();
        switches.is_some_and(|it| it.events.should_try(tid))
            && self.plan.get().roles.contains_key(&tid)
    }

    /// Records the switches of a scheduler from now on.
    pub(super) fn watch_thread(&mut self, tid: u32) -> Result<(), RecordError> {
        let stack_bytes = self.settings_for(tid).stack_bytes;
        let rights = self.target.clone();
        let _raised = rights.raise_to_sample();
        self.add_to_program(tid)?;
        let (Some(switches), Some(program)) = (&mut self.switches, &self.program) else {
            return Ok(());
        };
        let settings = EventSettings {
            stack_bytes,
            ..switches.settings
        };
        let (target, sources) = (&self.target, &self.event_sources);
        switches.events.add(
            &settings,
            tid,
            (&self.outputs, Some((program, Trigger::SwitchOut)), 1),
            |tid| target.has_thread(tid),
            |events| note_source(sources, SampleSource::Switches, events),
        )?;
        if switches.events.has(tid) {
            // While its events are enabled, one CPU after the other, records of it are missing.
            let off_cpu = &mut switches.off_cpu;
            off_cpu.note(sys::monotonic_ns(), tid, Switch::Watched);
        }
        Ok(())
    }

    /// Records the switches of a thread no longer.
    pub(super) fn unwatch_thread(&mut self, tid: u32) {
        if let Some(switches) = &mut self.switches
            && switches.events.has(tid)
        {
            switches.events.close(tid);
            let off_cpu = &mut switches.off_cpu;
            off_cpu.note(sys::monotonic_ns(), tid, Switch::Ended);
        }
    }

    /// The same of all that are not in `alive`.
    pub(super) fn unwatch_ended(&mut self) {
        let Some(switches) = &mut self.switches else {
            return;
        };
        let watched = switches.events.thread_ids();
        let ended: Vec<u32> = watched.filter(|tid| !self.alive.contains(tid)).collect();
        switches.events.retain(&self.alive);
        let now_ns = sys::monotonic_ns();
        for tid in ended {
            switches.off_cpu.note(now_ns, tid, Switch::Ended);
        }
    }

    /// Takes in a raw sample of this source, or a record of a switch.
    pub(super) fn note_switch(&mut self, sample: &RawSampleRef<'_>) {
        let Some(switches) = &mut self.switches else {
            return;
        };
        let what = Switch::of_record(sample).unwrap_or_else(|| {
            switches.recorded += 1;
            let mut held = self.resolver.hold(sample);
            held.labels.off_cpu = Some(OffCpuWhy::Blocked);
            Switch::Out(Box::new(held))
        });
        switches.off_cpu.note(sample.time_ns, sample.tid, what);
    }

    /// Finds out which threads without a sample are in a block that was left out: such a block may become long.
    fn look_at_left_out(&mut self) {
        let (Some(switches), Some(program)) = (&mut self.switches, &self.program) else {
            return;
        };
        let in_doubt = switches.off_cpu.in_doubt();
        if in_doubt.is_empty() {
            return;
        }
        let (resolver, target) = (&mut self.resolver, &self.target);
        let _raised = target.raise_to_sample();
        for tid in in_doubt {
            let inner = self.known_to_program.get(&tid);
            let at_ns = inner.and_then(|inner| program.left_out_at(*inner));
            let off_cpu = &mut switches.off_cpu;
            off_cpu.note_left_out(tid, at_ns, || resolver.left_out(tid));
        }
    }

    /// Leaves out blocks while they are too many.
    pub(super) fn thin_out_switches(&mut self) {
        self.look_at_left_out();
        let left_out = self.left_out_blocks();
        let Some(switches) = &mut self.switches else {
            return;
        };
        let now_ns = sys::monotonic_ns();
        let wanted = switches.guard.look(Blocks {
            at_ns: now_ns,
            recorded: switches.recorded,
            left_out,
        });
        if wanted == switches.thinning.each_of {
            return;
        }
        let is_set = self.program.as_ref().is_some_and(|program| {
            let _raised = self.target.raise_to_sample();
            program.keep_each(Trigger::SwitchOut, wanted).is_ok()
        });
        // Where the kernel refuses, all is as it was, and the next second tries again.
        if is_set {
            // From when on it may have been so, and until when.
            let at_ns = match wanted {
                1 => sys::monotonic_ns(),
                _ => now_ns,
            };
            switches.thinning.set(wanted, at_ns);
            switches.off_cpu.note(at_ns, 0, Switch::EachOf(wanted));
        }
    }

    /// Blocks that were left out so far.
    fn left_out_blocks(&self) -> u64 {
        let switches = self.switches.as_ref();
        // None was, as long as none was to be.
        let was_thinned = switches.is_some_and(|it| it.thinning.ns(u64::MAX) > 0);
        match &self.program {
            Some(program) if was_thinned => {
                let _raised = self.target.raise_to_sample();
                program.left_out(Trigger::SwitchOut)
            }
            _ => 0,
        }
    }

    /// Notes that records of a CPU, later than this time, had no room in memory.
    pub(super) fn note_dropped_records(&mut self, cpu: u32, since_ns: u64) {
        if let Some(switches) = &mut self.switches {
            let off_cpu = &mut switches.off_cpu;
            off_cpu.note(since_ns, 0, Switch::LossBegins(cpu));
            off_cpu.note(sys::monotonic_ns(), 0, Switch::LossEnds(cpu));
        }
    }

    /// All records of before this time are noted now, and those of later are of no use where it has ended.
    pub(super) fn switches_read_until_ns(&self) -> u64 {
        let ended_ns = self.switches.as_ref().and_then(|it| it.ended_ns);
        let read_until_ns = self.event_sources.read_until_ns();
        let read_until_ns = read_until_ns.saturating_sub(WRITTEN_WITHIN_NS);
        read_until_ns.min(ended_ns.unwrap_or(u64::MAX))
    }

    /// Notes that events are disabled from now on, one after the other: later records are not of all of them.
    pub(super) fn end_switches(&mut self) {
        if let Some(switches) = &mut self.switches {
            switches.ended_ns = Some(sys::monotonic_ns());
        }
    }

    /// Adds the blocks that have ended until then to the capture.
    pub(super) fn settle_switches(&mut self, until_ns: u64) {
        while let Some(Switches { off_cpu, of, .. }) = &mut self.switches {
            let resolver = &mut self.resolver;
            let is_more_left = off_cpu.settle(until_ns, &mut |part| add_part(resolver, *of, part));
            self.end_increment_if_due();
            if !is_more_left {
                break;
            }
        }
    }

    /// The same up to the end, when all was read.
    pub(super) fn settle_ended_switches(&mut self) {
        if let Some(ended_ns) = self.switches.as_ref().and_then(|it| it.ended_ns) {
            self.settle_switches(ended_ns);
            self.look_at_left_out();
        }
        if let Some(switches) = &mut self.switches {
            switches.off_cpu.end();
        }
    }

    /// Adds the time so far of blocks that go on, and idle time, to the capture; as long as there is no room, it waits.
    pub(super) fn hand_out_switches(&mut self) {
        if let Some(Switches { off_cpu, of, .. }) = &mut self.switches
            && !self.resolver.table.writer.is_full()
        {
            let resolver = &mut self.resolver;
            off_cpu.hand_out(&mut |part| add_part(resolver, *of, part));
        }
    }

    /// Of so many lost records, those that are not samples of processor time for all that is known. The kernel counts the
    /// records of a ring together; the program's copy of a lost sample shows the source of that.
    pub(super) fn lost_of_others(&self, lost: u64, orphaned_ticks: u64) -> u64 {
        match self.switches.is_some() || self.faults.is_some() {
            true => lost.saturating_sub(orphaned_ticks),
            false => 0,
        }
    }

    /// Of these, those that are samples of page faults: all, where nothing else has further records.
    pub(super) fn lost_of_faults(&self, lost_of_others: u64, orphaned_faults: u64) -> u64 {
        match (&self.faults, &self.switches) {
            (None, _) => 0,
            (Some(_), None) => lost_of_others,
            (Some(_), Some(_)) => lost_of_others.min(orphaned_faults),
        }
    }

    /// The quality of this source, of which so many records were lost; `None` where it was not requested.
    pub(super) fn off_cpu_quality(&self, lost: u64) -> Option<OffCpuQuality> {
        let Some(switches) = &self.switches else {
            let refused = self.switches_refused.clone()?;
            return Some(OffCpuQuality {
                refused: Some(refused),
                ..OffCpuQuality::default()
            });
        };
        let counts = switches.off_cpu.counts();
        let gaps = switches.events.gaps();
        let ms = |ns: u64| ns / 1_000_000;
        let until_ns = switches.ended_ns.unwrap_or_else(sys::monotonic_ns);
        let seconds = self.elapsed().as_secs_f64();
        Some(OffCpuQuality {
            refused: None,
            switches: counts.switches,
            switches_per_s: OffCpuQuality::per_second(counts.switches, seconds),
            blocks: counts.blocks,
            whole: counts.whole,
            blocked_ms: ms(counts.blocked_ns),
            preempted_ms: ms(counts.preempted_ns),
            idle_ms: ms(counts.idle_ns),
            min_block_us: self.sources.min_block_us,
            short_blocks: counts.short,
            short_ms: ms(counts.short_ns),
            thinned_ms: ms(switches.thinning.ns(until_ns)),
            left_out: self.left_out_blocks(),
            idle_or_left_out_ms: ms(counts.idle_or_left_out_ns),
            in_progress: switches.off_cpu.in_progress(),
            unseen_threads: switches.off_cpu.unseen(),
            unmatched: counts.unmatched,
            lost: lost + self.dropped_switches,
            losses: counts.losses,
            unknown_ms: ms(counts.unknown_ns),
            threads: gaps.threads,
            threads_reason: gaps.threads_reason,
        })
    }
}

/// Adds a part to the capture, if there is room for it.
fn add_part(resolver: &mut Resolver, of: TypeIndex, part: Part<'_>) {
    if resolver.table.writer.is_full() {
        resolver.tally.unwritten += part.count;
        return;
    }
    let amounts = (part.count, part.lasts_ns);
    match part.of {
        PartOf::Work(held) => resolver.add_held(of, part.begins_ns, held, amounts),
        PartOf::Idle(tid) => {
            let held = resolver.idle(tid);
            resolver.add_held(of, part.begins_ns, &held, amounts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_which_blocks_are_left_out_is_counted() {
        let mut thinning = Thinning::default();
        assert_eq!((thinning.each_of, thinning.ns(u64::MAX)), (1, 0));
        thinning.set(7, 1_000);
        thinning.set(11, 3_000);
        assert_eq!(thinning.ns(4_000), 3_000);
        thinning.set(1, 5_000);
        assert_eq!((thinning.each_of, thinning.ns(9_000)), (1, 4_000));
    }
}
