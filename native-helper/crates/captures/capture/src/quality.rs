//! The quality record: how far a capture can be trusted. Field names are part of the interface.

use serde::{Deserialize, Serialize};

use crate::end::MissingEnd;
use crate::faults::FaultsQuality;
use crate::kernel_time::KernelTime;
use crate::marks::Reloaded;
use crate::off_cpu::OffCpuQuality;
use crate::process_time::ProcessTime;
use crate::processors::{LimitsSeen, ProcessorLimits, limits_after};
use crate::schedulers::SchedulersSeen;
use crate::stays::StaysQuality;
use crate::tracing::{TracedFunctions, TracedProcesses};

/// A pause of sampling lasts until the kernel's next tick at most, nanoseconds.
pub const LONGEST_PAUSE_NS: u64 = 10_000_000;

/// Counts that travel with every capture. All counts are samples unless the name states otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct QualityRecord {
    /// Samples seen.
    pub samples: u64,
    /// Samples that the kernel reports as dropped because a ring was full. It reports none of CPUs that are no longer read:
    /// with `gaps.cpus`, there may be more.
    pub lost: u64,
    /// Times the kernel paused the event because sampling cost too much; with `gaps.cpus`, at least. That is no quota of the
    /// target: see `processors`.
    pub throttled: u64,
    /// Samples taken in Erlang code.
    pub erlang: ErlangQuality,
    /// Samples taken in C code while a process was running.
    pub native_in_process: NativeQuality,
    /// Samples of a scheduler that ran neither a process nor a port (scheduling, polling, idle spinning).
    pub scheduler: u64,
    /// Those of them in functions of the emulator without names, where nothing shows whose work it is: whether it is the
    /// scheduler's own, or a search for replaced persistent terms or purged code, is not known. Absent where there are none,
    /// and in captures of helpers that did not count them.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub scheduler_unnamed: u64,
    /// Samples of threads that are not schedulers.
    pub other: u64,
    /// All other samples. Absent in captures of helpers that did not count them: there they are among
    /// those of `scheduler` and `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub no_process: Option<NoProcessQuality>,
    /// The VM's processor time by its own clock, against the samples. Absent where it is not known, and in
    /// captures of helpers that did not compare them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub process_time: Option<ProcessTime>,
    /// Processor time that the programs below the VM's ports (`open_port`, `os:cmd`) used during the capture, and all that
    /// these have started, milliseconds; at least. They are no part of the VM, and in no sample. Absent where it is not
    /// known, and in captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub port_programs_ms: Option<u64>,
    /// Those of them that ran when they were read, about once a second, by port and owner: the most time first, at most
    /// ten. Programs that ended before they were read are in `port_programs_ms` alone. Absent where there are none, and in
    /// captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub port_programs: Vec<ProgramsOfPort>,
    /// Processor time that children of the VM used during the capture that are below none of its ports, as those that a NIF has
    /// started, and all below them, milliseconds; at least. They are in no sample. Absent where it is not known, and in
    /// captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub beside_ports_ms: Option<u64>,
    /// Frames (not samples) for which no function is known.
    pub unresolved_frames: u64,
    /// Frames (not samples) seen in all.
    pub frames: u64,
    /// Frames whose function bounds are known but whose name was stripped from the binary.
    pub unnamed_static_frames: u64,
    /// Samples whose stack was cut before its bottom: `[not copied]`, `[not unwound]` or `[unproven]` there.
    pub truncated: u64,
    /// Samples whose stack lost the frames in its middle, since it was longer than a capture holds: a
    /// frame `[too deep]` or `[shortened]` stands for them. 0 in captures of helpers that did not cut.
    #[serde(default)]
    pub stacks_cut: u64,
    /// Those of them that are `[shortened]`: so many deep stacks waited to be written that only 128 frames of
    /// further ones are kept. Absent where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub stacks_shortened: u64,
    /// Samples with a frame that is `[code reloaded: …]`: its address belonged to other code at about
    /// that time. 0 in captures of helpers that did not count them.
    #[serde(default)]
    pub reloaded: u64,
    /// Those by the reason of their innermost such frame. Absent where there are none, and in captures of helpers that
    /// did not count them.
    #[serde(default, skip_serializing_if = "ReloadedBy::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub reloaded_by: ReloadedBy,
    /// Samples with a frame that is `[unknown function]`: the frames below it are known, and nothing shows which
    /// function runs there. Mostly interpreted code that is being replaced. Absent where there are none, and in
    /// captures of helpers that did not count them.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub unknown_functions: u64,
    /// Samples in calls that were traced (`dbg`, `eprof`, `tprof`), below them or in the tracing itself: it takes time of
    /// its own. Only those that show it: a process that is traced but in no such call does not.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub traced: u64,
    /// Functions that were traced when the capture began, or when it ended if they were more then. Absent where that is not
    /// known, as in later files of one capture, and in captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub tracing: Option<TracedFunctions>,
    /// Processes whose messages or events were traced, of the same moments. Absent where that is not known, as in later
    /// files of one capture, and in captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub traced_processes: Option<TracedProcesses>,
    /// Processor time of the VM before sampling began, milliseconds: no sample stands for it. Only where a VM is
    /// captured from its start.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub before_sampling_ms: u64,
    /// Samples whose C stack could not be unwound to its end, although no copy of it failed: no rule is
    /// known for a frame, or the stack is longer than the part that is copied. 0 in captures of helpers
    /// that did not count them.
    #[serde(default)]
    pub unwind_failed: u64,
    /// From the sample to the last remote read it depends on, microseconds.
    pub skid_us: SkidMicros,
    /// Our own CPU time as a share of one core, percent.
    pub self_cpu_pct: f64,
    /// Our own peak resident set, bytes.
    pub self_rss_bytes: u64,
    /// The sampled event: `cycles` or `cpu-clock`. Empty where no processor time was sampled.
    pub event: String,
    /// How Erlang stacks under C code were obtained.
    #[serde(default)]
    pub engine: EngineQuality,
    /// CPUs, threads and times without samples. Empty in captures of helpers that did not count
    /// them.
    #[serde(default)]
    pub gaps: SamplingGaps,
    /// How the cost of sampling was kept low; only where the user set a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub overhead: Option<OverheadQuality>,
    /// Whether time in the kernel is in the samples. Absent in captures of helpers that did not
    /// record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub kernel: Option<KernelTime>,
    /// What kept the target from processors. Absent in captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub processors: Option<ProcessorLimits>,
    /// The limits in the order in which they were found. Absent where they did not change, and in captures of helpers that
    /// did not note that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub limits_seen: Vec<LimitsSeen>,
    /// Which schedulers might run. Absent in captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub schedulers_online: Option<SchedulersSeen>,
    /// Of the type `off-cpu`; all other counts of samples are of processor time. Absent where it was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub off_cpu: Option<OffCpuQuality>,
    /// Of the type `faults`. Absent where it was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub faults: Option<FaultsQuality>,
    /// Long collections and calls. Absent where they were not looked for: with an emulator without a JIT, where the fields of
    /// processes that show them are not known, and in captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub stays: Option<StaysQuality>,
    /// Facts of the whole capture that were looked for and are not known. Absent where there are none, before the capture
    /// has ended, except in later files of one capture, and in captures of helpers that did not record them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub not_known: Vec<UnknownFact>,
}

/// A fact of a capture that can be not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum UnknownFact {
    /// Whether calls were traced: not all functions could be read.
    Tracing,
    /// Whether messages or events of processes were traced: it is not known where they have that, or not all could be read.
    ProcessTracing,
    /// The VM's processor time by its own clock, so that it is not known whether samples lack some.
    ProcessTime,
    /// The processor time of the programs below the VM's ports.
    PortPrograms,
    /// Which schedulers might run, when the capture began or when it ended.
    SchedulersOnline,
    /// Whether the VM was stopped or frozen: the kernel did not show it.
    Standstill,
}

/// The programs of ports that have the same name and owner, with all that these have started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ProgramsOfPort {
    /// The first word of the port's name; null where the port is closed or not certain.
    pub name: Option<String>,
    /// Pid of the port's owner; null where it is not known.
    pub owner: Option<String>,
    /// Processor time during the capture, milliseconds; at least.
    pub cpu_ms: u64,
    /// The most resident memory at a reading, bytes; shared memory counts in each.
    pub rss_bytes: u64,
}

impl ProgramsOfPort {
    /// `sh of <0.80.0>`, as far as it is known.
    #[must_use]
    pub fn port_text(&self) -> String {
        match (&self.name, &self.owner) {
            (Some(name), Some(owner)) => format!("{name} of {owner}"),
            (Some(name), None) => name.clone(),
            (None, _) => "port not known".to_owned(),
        }
    }
}

/// Samples in code that was replaced, by the reason why it is not known which version ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct ReloadedBy {
    /// It was replaced between the readings of the list of code before and after the sample.
    pub between_readings: u64,
    /// It was just purged, and may have run a moment longer than it was listed.
    pub just_purged: u64,
    /// The process was ending, so its stack may have addresses of code that was purged before.
    pub process_ending: u64,
    /// The sample is older than all readings that are kept.
    pub before_readings: u64,
    /// Its machine code, which shows where its callers are, is gone, or nothing proves that it is this version's.
    pub code_gone: u64,
}

impl ReloadedBy {
    /// The samples of one reason.
    pub fn of(&self, reason: Reloaded) -> u64 {
        let mut copy = *self;
        *copy.of_mut(reason)
    }

    /// The samples of one reason, to be counted.
    pub fn of_mut(&mut self, reason: Reloaded) -> &mut u64 {
        match reason {
            Reloaded::BetweenReadings => &mut self.between_readings,
            Reloaded::JustPurged => &mut self.just_purged,
            Reloaded::Ending => &mut self.process_ending,
            Reloaded::BeforeReadings => &mut self.before_readings,
            Reloaded::CodeGone => &mut self.code_gone,
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How the cost of sampling was kept low: by a lower sampling rate. Samples of that time stand for
/// more processor time each, so times and shares stay right; there are fewer of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct OverheadQuality {
    /// The limit, percent of a core.
    pub max_pct: f64,
    /// Our own CPU time lately, percent of a core; measured.
    pub own_pct: f64,
    /// For how much of a core threads of the target were stopped lately, percent; estimated.
    pub target_pct: f64,
    /// The requested samples a second of CPU time.
    pub asked_hz: u32,
    /// Samples a second of CPU time now.
    pub now_hz: f64,
    /// When they were fewest.
    pub lowest_hz: f64,
    /// Times that the rate was changed.
    pub changes: u64,
    /// How long the rate was lower than requested, seconds.
    pub lowered_s: f64,
    /// Loaded code was checked less often: where modules are loaded, more samples are
    /// `[code reloaded: between readings]`.
    pub seldom_looks: bool,
    /// The recent cost was above the limit, and a lower sampling rate would not help.
    pub not_kept: bool,
}

impl QualityRecord {
    /// The quality of the time after `earlier`, a record of the same capture when it had run for
    /// `earlier_ns` of now `elapsed_ns`. Members that are no counts stay as they are: delays, peaks and
    /// reasons are those of the whole capture. Facts that were looked for before that time alone are not known of it.
    #[must_use]
    pub fn since(&self, earlier: &Self, earlier_ns: u64, elapsed_ns: u64) -> Self {
        let mut rest = self.clone();
        for (now, before) in rest.counts_mut().into_iter().zip(earlier.counts()) {
            *now = now.saturating_sub(before);
        }
        let is_whole = earlier_ns == 0;
        let length_ns = elapsed_ns.saturating_sub(earlier_ns);
        if length_ns > 0 {
            let used = self.self_cpu_pct * elapsed_ns as f64;
            let used_before = earlier.self_cpu_pct * earlier_ns as f64;
            let share = (used - used_before).max(0.0) / length_ns as f64;
            rest.self_cpu_pct = (share * 100.0).round() / 100.0;
        }
        rest.no_process = match (self.no_process, earlier.no_process) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now,
        };
        rest.process_time = match (self.process_time, earlier.process_time) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now.filter(|_| is_whole),
        };
        rest.port_programs_ms = match (self.port_programs_ms, earlier.port_programs_ms) {
            (Some(now), Some(before)) => Some(now.saturating_sub(before)),
            (now, _) => now.filter(|_| is_whole),
        };
        rest.beside_ports_ms = match (self.beside_ports_ms, earlier.beside_ports_ms) {
            (Some(now), Some(before)) => Some(now.saturating_sub(before)),
            (now, _) => now.filter(|_| is_whole),
        };
        for now in &mut rest.port_programs {
            let is_same = |it: &&ProgramsOfPort| it.name == now.name && it.owner == now.owner;
            let before = earlier.port_programs.iter().find(is_same);
            now.cpu_ms = now.cpu_ms.saturating_sub(before.map_or(0, |it| it.cpu_ms));
        }
        rest.kernel = match (self.kernel, &earlier.kernel) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now,
        };
        (rest.processors, rest.limits_seen) = self.limits_since(earlier, earlier_ns);
        rest.schedulers_online = match (&self.schedulers_online, &earlier.schedulers_online) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now.clone().filter(|_| is_whole),
        };
        rest.take_off_types(earlier, length_ns as f64 / 1e9);
        let reason = earlier.gaps.standstill_reason;
        if rest.gaps.standstill_ms == 0 && rest.gaps.standstill_reason == reason {
            rest.gaps.standstill_reason = None;
        }
        if !is_whole {
            // Only a look at the end of the capture, which shows more than the one at its beginning, is of this time.
            rest.tracing = rest.tracing.filter(|now| Some(*now) != earlier.tracing);
            let processes = rest.traced_processes;
            rest.traced_processes = processes.filter(|now| Some(*now) != earlier.traced_processes);
            rest.not_known = rest.unknown_facts();
        }
        rest
    }

    /// Leaves the counts of other types than processor time, and of long collections and calls, of the time after `earlier`,
    /// which took so many seconds.
    fn take_off_types(&mut self, earlier: &Self, seconds: f64) {
        if let (Some(now), Some(before)) = (&mut self.off_cpu, &earlier.off_cpu) {
            *now = now.since(before, seconds);
        }
        if let (Some(now), Some(before)) = (&mut self.faults, &earlier.faults) {
            *now = now.since(before);
        }
        if let (Some(now), Some(before)) = (&mut self.stays, &earlier.stays) {
            *now = now.since(before);
        }
    }

    /// The limits of the time after `earlier`, and those in the order in which they were found; none where they did not
    /// change in that time.
    fn limits_since(
        &self,
        earlier: &Self,
        earlier_ns: u64,
    ) -> (Option<ProcessorLimits>, Vec<LimitsSeen>) {
        let mut seen = limits_after(&self.limits_seen, earlier_ns);
        let limits = match (self.processors, &earlier.processors) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now,
        };
        let limits = limits.map(|it| it.bound_by(&seen));
        if seen.len() == 1 {
            seen.clear();
        }
        (limits, seen)
    }

    /// Notes that the process that samples exited: no process counted or looked at anything after this record.
    pub fn end_early(&mut self) {
        self.gaps.ended_early = true;
        self.engine.dropped_at_least = true;
        self.not_known = self.unknown_facts();
    }

    /// The facts that a helper looks for and this record does not have.
    pub fn unknown_facts(&self) -> Vec<UnknownFact> {
        let facts = [
            (
                UnknownFact::Tracing,
                self.tracing.is_none() && self.traced == 0,
            ),
            (UnknownFact::ProcessTracing, self.traced_processes.is_none()),
            (
                UnknownFact::ProcessTime,
                self.process_time.is_none() && self.has_processor_time(),
            ),
            (UnknownFact::PortPrograms, self.port_programs_ms.is_none()),
            (UnknownFact::SchedulersOnline, !self.are_schedulers_known()),
            (UnknownFact::Standstill, self.gaps.standstill_unknown),
        ];
        let unknown = facts.into_iter().filter(|(_, is_unknown)| *is_unknown);
        unknown.map(|(fact, _)| fact).collect()
    }

    /// Whether processor time was sampled, and not other types alone.
    pub fn has_processor_time(&self) -> bool {
        (self.off_cpu.is_none() && self.faults.is_none()) || !self.event.is_empty()
    }

    /// Which schedulers might run is known of the begin and the end of the capture.
    pub fn are_schedulers_known(&self) -> bool {
        self.schedulers_online
            .as_ref()
            .is_some_and(SchedulersSeen::is_known)
    }

    fn counts(&self) -> [u64; COUNTS] {
        let mut copy = self.clone();
        copy.counts_mut().map(|count| *count)
    }

    fn counts_mut(&mut self) -> [&mut u64; COUNTS] {
        let (erlang, native) = (&mut self.erlang, &mut self.native_in_process);
        let (engine, gaps) = (&mut self.engine, &mut self.gaps);
        let reloaded_by = &mut self.reloaded_by;
        [
            &mut self.samples,
            &mut self.lost,
            &mut self.throttled,
            &mut erlang.samples,
            &mut erlang.complete,
            &mut native.samples,
            &mut native.with_erlang,
            &mut native.complete,
            &mut native.bracketed,
            &mut native.unproven,
            &mut self.scheduler,
            &mut self.scheduler_unnamed,
            &mut self.other,
            &mut self.unresolved_frames,
            &mut self.frames,
            &mut self.unnamed_static_frames,
            &mut self.truncated,
            &mut self.stacks_cut,
            &mut self.stacks_shortened,
            &mut self.reloaded,
            &mut reloaded_by.between_readings,
            &mut reloaded_by.just_purged,
            &mut reloaded_by.process_ending,
            &mut reloaded_by.before_readings,
            &mut reloaded_by.code_gone,
            &mut self.unknown_functions,
            &mut self.before_sampling_ms,
            &mut self.traced,
            &mut self.unwind_failed,
            &mut engine.matched,
            &mut engine.unmatched,
            &mut engine.orphaned,
            &mut engine.dropped,
            &mut engine.cut,
            &mut engine.copy_failed,
            &mut gaps.reader_failures,
            &mut gaps.failed_looks,
            &mut gaps.standstill_ms,
            &mut gaps.unwritten,
        ]
    }
}

/// Counts of a record that only ever grow.
const COUNTS: usize = 39;

// The signature that serde requires.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

// The signature that serde requires.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// CPUs, threads and times without samples, and why; all empty when everything was sampled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SamplingGaps {
    /// CPUs whose samples were read no more before the capture ended.
    pub cpus: Vec<u32>,
    /// Why not, of the last one: one clause for people.
    pub cpus_reason: String,
    /// Threads of the target of which no samples were taken, for a part of the capture at least.
    pub threads: u64,
    /// Why not, of the last one: one clause for people.
    pub threads_reason: String,
    /// The same as a code, where it is one that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub threads_reason_code: Option<ThreadsReason>,
    /// Times that reading samples failed and went on. One that was lost by it is in `lost`.
    pub reader_failures: u64,
    /// Times that the target's threads could not be listed: new ones are sampled later.
    pub failed_looks: u64,
    /// For how long, at least, nothing of the target ran, milliseconds. Absent where it ran all the time, and in
    /// captures of helpers that did not look.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub standstill_ms: u64,
    /// Why, at the last reading that found it so; absent when none did. With 0 milliseconds, it was a short time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill_reason: Option<StandstillReason>,
    /// A reading did not show whether the target ran: the kernel shows neither its control group nor where it waits. In
    /// later files of a recording, any reading since that began. Absent where all of them did.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub standstill_unknown: bool,
    /// Samples that are left out because the capture was not written: a disk hung, or the process that writes was
    /// stopped, and there was no room in memory for more. Absent where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub unwritten: u64,
    /// The process that samples exited before the capture ended: all counts are as of its last increment. Absent where it
    /// did not.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub ended_early: bool,
    /// The samples after the last increment are missing in the file. Only of a file that was read, never in one: absent
    /// where its writer closed it with all that there was, and in files of helpers that did not mark the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub missing_end: Option<MissingEnd>,
}

/// Why nothing of the target ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum StandstillReason {
    /// A signal had stopped it.
    Stopped,
    /// A debugger held it.
    Traced,
    /// Its control group was frozen.
    Frozen,
}

/// Why threads were not sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ThreadsReason {
    /// The kernel does not allow it.
    Denied,
    /// The machine has no such event.
    NoSuchEvent,
    /// There were not enough file descriptors.
    TooManyFiles,
}

/// Why an engine was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum EngineReason {
    /// The user requested it.
    AskedFor,
    /// The kernel accepts the program of `bpf`.
    Accepted,
    /// `bpf` cannot be used; the clause states why.
    BpfUnusable,
}

/// How Erlang stacks under C code were obtained. Text is empty in captures of older helpers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct EngineQuality {
    /// `bpf`: copied in the kernel at the sample; `readv`: read right after it.
    pub name: String,
    /// Why this engine: one clause for people.
    pub reason: String,
    /// The same as a code; not in captures of older helpers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub reason_code: Option<EngineReason>,
    /// Samples of schedulers joined with the copy that was made at them; 0 with `readv`.
    pub matched: u64,
    /// Samples of schedulers that could not be joined with a copy that was made at them: their Erlang
    /// frames are not known.
    pub unmatched: u64,
    /// Copies of which the sample was lost.
    pub orphaned: u64,
    /// Copies that were dropped because their ring was full.
    pub dropped: u64,
    /// There may be more: they could not be counted by then. Absent where they could.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub dropped_at_least: bool,
    /// Erlang stacks longer than the part that is copied.
    pub cut: u64,
    /// Samples whose stack is not known as a whole because memory that was to be copied was not there. 0 in
    /// captures of helpers that did not count them.
    #[serde(default)]
    pub copy_failed: u64,
}

/// Samples taken in Erlang code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ErlangQuality {
    /// Samples.
    pub samples: u64,
    /// Of those, walked to the bottom frame.
    pub complete: u64,
}

/// Samples of schedulers that are in no process, without those of `scheduler`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct NoProcessQuality {
    /// A port ran, as a task of the scheduler.
    pub port_tasks: u64,
    /// It is not known what the scheduler ran.
    pub unattributed: u64,
}

impl NoProcessQuality {
    fn since(self, earlier: Self) -> Self {
        Self {
            port_tasks: self.port_tasks.saturating_sub(earlier.port_tasks),
            unattributed: self.unattributed.saturating_sub(earlier.unattributed),
        }
    }
}

/// Samples taken in C code while a process was running.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct NativeQuality {
    /// Samples.
    pub samples: u64,
    /// Of those, with at least one proven Erlang frame (validated or bracketed).
    pub with_erlang: u64,
    /// Of those, validated from the call into C down to the bottom frame.
    pub complete: u64,
    /// Of those, with a part of the Erlang frames: the deep ones (bracketed), those below a function
    /// that is not known, or the upper ones of a stack that is longer than the part that is copied.
    pub bracketed: u64,
    /// Of those, without a proven Erlang frame.
    pub unproven: u64,
}

/// Distribution of the reading delay, microseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SkidMicros {
    /// Median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Maximum.
    pub max: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedulers::{OnlineCount, SchedulersOnline};

    /// So many of four schedulers were online when the capture began, and when it ended.
    fn seen(online: [u32; 2]) -> SchedulersSeen {
        let [at_start, at_end] = online.map(|online| {
            Some(SchedulersOnline {
                normal: OnlineCount { online, all: 4 },
                ..SchedulersOnline::default()
            })
        });
        SchedulersSeen { at_start, at_end }
    }

    #[test]
    fn records_of_helpers_that_did_not_count_reloaded_samples_are_read() {
        let record = QualityRecord {
            samples: 9,
            reloaded: 2,
            ..QualityRecord::default()
        };
        let mut json = serde_json::to_value(&record).unwrap();
        assert_eq!(
            serde_json::from_value::<QualityRecord>(json.clone()).unwrap(),
            record
        );
        json.as_object_mut().unwrap().remove("reloaded");
        let old: QualityRecord = serde_json::from_value(json).unwrap();
        assert_eq!((old.samples, old.reloaded), (9, 0));
    }

    #[test]
    fn each_reason_why_a_version_is_not_known_has_a_count_which_is_only_written_where_there_is_one()
    {
        let mut record = QualityRecord::default();
        let json = serde_json::to_string(&record).unwrap();
        assert!(!json.contains("reloaded_by"), "{json}");
        for (index, reason) in Reloaded::ALL.into_iter().enumerate() {
            *record.reloaded_by.of_mut(reason) += 1 + index as u64;
        }
        let json = serde_json::to_string(&record).unwrap();
        let read: QualityRecord = serde_json::from_str(&json).unwrap();
        assert_eq!(
            Reloaded::ALL.map(|reason| read.reloaded_by.of(reason)),
            [1, 2, 3, 4, 5]
        );
        // They are counts: those of a part of the capture are the difference.
        let rest = read.since(&record, 1, 2).reloaded_by;
        assert_eq!(rest, ReloadedBy::default());
    }

    #[test]
    fn records_of_helpers_that_did_not_count_what_failed_are_read() {
        let record = QualityRecord {
            unwind_failed: 3,
            no_process: Some(NoProcessQuality::default()),
            process_time: Some(ProcessTime::default()),
            schedulers_online: Some(seen([4, 2])),
            engine: EngineQuality {
                copy_failed: 4,
                ..EngineQuality::default()
            },
            ..QualityRecord::default()
        };
        let mut json = serde_json::to_value(&record).unwrap();
        for later in [
            "unwind_failed",
            "no_process",
            "process_time",
            "schedulers_online",
        ] {
            json.as_object_mut().unwrap().remove(later);
        }
        json["engine"]
            .as_object_mut()
            .unwrap()
            .remove("copy_failed");
        let old: QualityRecord = serde_json::from_value(json).unwrap();
        assert_eq!((old.unwind_failed, old.engine.copy_failed), (0, 0));
        assert_eq!((old.no_process, old.process_time), (None, None));
        assert_eq!(old.schedulers_online, None);
    }

    #[test]
    fn facts_that_are_not_known_are_recorded_as_that() {
        use UnknownFact::{
            PortPrograms, ProcessTime as Clock, ProcessTracing, SchedulersOnline, Tracing,
        };
        const ALL: [UnknownFact; 5] = [
            Tracing,
            ProcessTracing,
            Clock,
            PortPrograms,
            SchedulersOnline,
        ];
        let mut record = QualityRecord::default();
        assert!(
            !serde_json::to_string(&record)
                .unwrap()
                .contains("not_known")
        );
        assert_eq!(record.unknown_facts(), ALL);
        record.not_known = record.unknown_facts();
        let json = serde_json::to_string(&record).unwrap();
        let read: QualityRecord = serde_json::from_str(&json).unwrap();
        assert_eq!(read.not_known, record.not_known);
        // A sample shows that calls are traced, however many functions are.
        record.traced = 1;
        record.process_time = Some(ProcessTime::default());
        let rest = [ProcessTracing, PortPrograms, SchedulersOnline];
        assert_eq!(record.unknown_facts(), rest);
        record.traced_processes = Some(TracedProcesses::default());
        assert_eq!(record.unknown_facts(), rest[1..]);
        record.port_programs_ms = Some(0);
        assert_eq!(record.unknown_facts(), [SchedulersOnline]);
        record.schedulers_online = Some(seen([4, 4]));
        assert!(record.unknown_facts().is_empty());
        record.gaps.standstill_unknown = true;
        assert_eq!(record.unknown_facts(), [UnknownFact::Standstill]);
        // Without a last increment nothing else notes them.
        let mut early = QualityRecord::default();
        early.end_early();
        assert_eq!(early.not_known, ALL);
    }

    #[test]
    fn what_came_later_is_counted_alone() {
        let record = |samples, self_cpu_pct, p99| QualityRecord {
            samples,
            port_programs_ms: Some(samples * 10),
            beside_ports_ms: Some(samples * 20),
            port_programs: vec![ProgramsOfPort {
                name: Some("sh".to_owned()),
                cpu_ms: samples,
                rss_bytes: samples,
                ..ProgramsOfPort::default()
            }],
            self_cpu_pct,
            skid_us: SkidMicros {
                p99,
                ..SkidMicros::default()
            },
            ..QualityRecord::default()
        };
        let rest = record(90, 2.0, 8).since(&record(30, 1.0, 7), 10, 20);
        assert_eq!(
            (rest.samples, rest.self_cpu_pct, rest.skid_us.p99),
            (60, 3.0, 8)
        );
        assert_eq!(rest.port_programs_ms, Some(600));
        assert_eq!(rest.beside_ports_ms, Some(1200));
        let of_port = &rest.port_programs[0];
        assert_eq!((of_port.cpu_ms, of_port.rss_bytes), (60, 90));
        let json = serde_json::to_string(&QualityRecord::default()).unwrap();
        assert!(!json.contains("port_programs"), "{json}");
    }

    #[test]
    fn a_quota_that_was_lifted_before_is_not_that_of_a_later_file() {
        let seen = |until_ms, allowed| LimitsSeen {
            until_ms,
            allowed,
            ..LimitsSeen::default()
        };
        let record = |limits_seen: Vec<LimitsSeen>| QualityRecord {
            processors: Some(ProcessorLimits {
                allowed: Some(0.3),
                ..ProcessorLimits::default()
            }),
            limits_seen,
            ..QualityRecord::default()
        };
        let json = serde_json::to_string(&record(vec![])).unwrap();
        assert!(!json.contains("limits_seen"), "{json}");
        let whole = record(vec![seen(4, Some(0.3)), seen(20, None)]);
        let allowed = |record: &QualityRecord| record.processors.and_then(|it| it.allowed);
        let first = whole.since(&QualityRecord::default(), 0, 20_000_000);
        assert_eq!((allowed(&first), first.limits_seen.len()), (Some(0.3), 2));
        let later = whole.since(&record(vec![]), 10_000_000, 20_000_000);
        assert_eq!((allowed(&later), later.limits_seen.len()), (None, 0));
        // It is not known when a quota was there.
        let older = record(vec![]).since(&record(vec![]), 10_000_000, 20_000_000);
        assert_eq!(allowed(&older), Some(0.3));
    }

    #[test]
    fn what_was_looked_for_before_a_time_alone_is_not_known_of_it() {
        let record = |traced| QualityRecord {
            process_time: Some(ProcessTime::default()),
            port_programs_ms: Some(0),
            schedulers_online: Some(seen([4, 2])),
            tracing: Some(TracedFunctions {
                traced,
                ..TracedFunctions::default()
            }),
            traced_processes: Some(TracedProcesses {
                traced,
                ..TracedProcesses::default()
            }),
            gaps: SamplingGaps {
                standstill_ms: 5,
                standstill_reason: Some(StandstillReason::Stopped),
                ..SamplingGaps::default()
            },
            ..QualityRecord::default()
        };
        let whole = record(1).since(&QualityRecord::default(), 0, 20);
        assert_eq!(whole, record(1));
        let later = record(1).since(&record(1), 10, 20);
        assert_eq!((later.tracing, later.gaps.standstill_reason), (None, None));
        assert_eq!(later.traced_processes, None);
        let tracing = [UnknownFact::Tracing, UnknownFact::ProcessTracing];
        assert_eq!(later.not_known, tracing);
        // It begins as the time before it ended.
        assert_eq!(later.schedulers_online, Some(seen([2, 2])));
        // The look at the end found more.
        let last = record(3).since(&record(1), 10, 20);
        assert_eq!(last.tracing, record(3).tracing);
        assert_eq!(last.traced_processes, record(3).traced_processes);
        assert!(last.not_known.is_empty());
        // Its begin is not known.
        let before = QualityRecord {
            process_time: None,
            port_programs_ms: None,
            schedulers_online: None,
            ..record(1)
        };
        let unknown = record(3).since(&before, 10, 20).not_known;
        assert_eq!(
            unknown,
            [
                UnknownFact::ProcessTime,
                UnknownFact::PortPrograms,
                UnknownFact::SchedulersOnline
            ]
        );
    }

    #[test]
    fn a_port_of_a_program_has_the_names_that_are_known() {
        let text = |name: Option<&str>, owner: Option<&str>| {
            let [name, owner] = [name, owner].map(|it| it.map(str::to_owned));
            ProgramsOfPort {
                name,
                owner,
                ..ProgramsOfPort::default()
            }
            .port_text()
        };
        assert_eq!(text(Some("sh"), Some("<0.8.0>")), "sh of <0.8.0>");
        assert_eq!(text(Some("sh"), None), "sh");
        assert_eq!(text(None, None), "port not known");
    }

    #[test]
    fn records_of_helpers_that_did_not_count_gaps_are_read() {
        let mut json = serde_json::to_value(QualityRecord::default()).unwrap();
        json.as_object_mut().unwrap().remove("gaps");
        let old: QualityRecord = serde_json::from_value(json).unwrap();
        assert_eq!(old.gaps, SamplingGaps::default());
    }
}
