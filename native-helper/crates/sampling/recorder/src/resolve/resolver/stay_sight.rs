//! What a sample in C code proves of a long collection or call: see [`crate::stays`].

use capture::pprof::Stay;
use capture::sample::{FrameKind, SampleLabels};
use capture::stays::{StayKind, StaysQuality};
use target_memory::{TargetMemory, u32_at, u64_at};
use vm_layout::STATE_GC;
use vm_layout::process_details::ProcessDetails;
use vm_tables::processes::{ProcessFields, is_local_pid};

use super::c_sample::{Crossing, runs_current};
use super::proven_frames::ProvenFrames;
use super::{Resolver, SampleScratch};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::frames::{Frame, FrameTable};
use crate::stays::{SILENT_NS, Sight, Turn, Work, kind_of_collection};

impl<M: TargetMemory> Resolver<M> {
    /// The sight of C code that was called from Erlang code. Registers as the code that called left them are in the sample
    /// itself; the process is if it was copied with it, else its read is as proven as a stack.
    pub(super) fn sight_of_c(
        &self,
        sample: &RawSampleRef<'_>,
        (crossing, proven): (&Crossing, ProvenFrames),
        fields: &ProcessFields,
        scratch: &SampleScratch,
    ) -> Sight {
        let is_own_copy = sample.flags.has(ReadFlags::COPIED) && runs_current(sample, crossing);
        let is_proven = matches!(proven, ProvenFrames::Whole | ProvenFrames::Upper);
        let (Some(details), Some(register)) = (self.details, crossing.reductions) else {
            return Sight::Nothing;
        };
        if !(is_own_copy || is_proven) || !crossing.is_return_address {
            return Sight::Nothing;
        }
        let left = Some(self.signed_reductions(register));
        let Some(turn) = turn_of(sample, (fields, left), details, &scratch.process) else {
            return Sight::Nothing;
        };
        if let Some(work) = collection_of(fields, details, &scratch.process) {
            return Sight::Of(turn, work);
        }
        match crossing.stack_pointer {
            Some(stack_pointer) if is_proven => {
                let innermost = scratch.erlang.first();
                let work = Work::Call {
                    returns_to: crossing.pc,
                    stack_pointer,
                    frame: innermost.map(|frame| (frame.return_address, frame.depth_bytes)),
                };
                Sight::Of(turn, work)
            }
            _ => Sight::Nothing,
        }
    }

    /// The sight of a dirty scheduler: collections alone. It is there for long calls.
    pub(super) fn sight_of_dirty(
        &self,
        sample: &RawSampleRef<'_>,
        fields: &ProcessFields,
        is_proven: bool,
        scratch: &SampleScratch,
    ) -> Sight {
        let flags = sample.flags;
        let is_own_copy = flags.has(ReadFlags::COPIED) && !flags.has(ReadFlags::GUESSED_PROCESS);
        let Some(details) = self.details.filter(|_| is_own_copy || is_proven) else {
            return Sight::Nothing;
        };
        let turn = turn_of(sample, (fields, None), details, &scratch.process);
        let work = collection_of(fields, details, &scratch.process);
        turn.zip(work)
            .map_or(Sight::Nothing, |(turn, work)| Sight::Of(turn, work))
    }

    /// Takes in what a sample shows.
    pub(super) fn note_stay(
        &mut self,
        sample: &RawSampleRef<'_>,
        sight: Sight,
        labels: &SampleLabels,
        frames: &[Frame],
    ) {
        let time_ns = sample.time_ns.saturating_sub(self.start_ns);
        let table = &self.table;
        self.stays.note(sample.tid, time_ns, sight, || match sight {
            Sight::Of(_, Work::Collection { .. }) => collection(table, labels, frames),
            _ => call(table, labels, frames),
        });
        self.write_stays();
    }

    /// Writes the stays that have ended: with `now_ns` (CLOCK_MONOTONIC) those of threads without a sample for a while,
    /// without it, at the end of the capture, all.
    pub fn end_stays(&mut self, now_ns: Option<u64>) {
        let since_ns = now_ns.map_or(u64::MAX, |now_ns| {
            now_ns
                .saturating_sub(self.start_ns)
                .saturating_sub(SILENT_NS)
        });
        self.stays.end_silent(since_ns);
        self.write_stays();
    }

    fn write_stays(&mut self) {
        let ended = self.stays.take_ended();
        if !ended.is_empty() {
            let left_out = self.table.writer.add_stays(ended);
            self.stays.leave_out(left_out);
        }
    }

    /// The counts of stays so far, at this rate; `None` where they cannot be seen.
    pub fn stays_quality(&self, hz: f64) -> Option<StaysQuality> {
        self.details.map(|_| self.stays.quality(hz))
    }
}

/// The process, as the bytes of its struct have it.
fn turn_of(
    sample: &RawSampleRef<'_>,
    (fields, left): (&ProcessFields, Option<i64>),
    details: &ProcessDetails,
    process: &[u8],
) -> Option<Turn> {
    is_local_pid(fields.id).then_some(())?;
    Some(Turn {
        process: sample.current_process,
        id: fields.id,
        reductions: u64_at(process, details.reductions)?,
        left,
    })
}

/// The collection of a process; `None` where it does not collect.
fn collection_of(fields: &ProcessFields, details: &ProcessDetails, process: &[u8]) -> Option<Work> {
    (fields.state & STATE_GC != 0).then_some(())?;
    Some(Work::Collection {
        left: fields.fcalls,
        heap: [fields.heap, fields.htop, fields.hend],
        minor_gcs: u64::from(u32_at(process, details.minor_gcs)? & 0xffff),
    })
}

fn collection(table: &FrameTable, labels: &SampleLabels, frames: &[Frame]) -> Stay {
    let (above, _) = at_erlang(frames);
    let names = above.iter().map(|frame| table.shown(frame).1);
    let kind = kind_of_collection(names);
    described(table, labels, frames, kind, String::new())
}

fn call(table: &FrameTable, labels: &SampleLabels, frames: &[Frame]) -> Stay {
    let (above, _) = at_erlang(frames);
    let outermost = |is_of: &dyn Fn(FrameKind) -> bool| {
        let found = above.iter().rev().find(|frame| is_of(frame.kind))?;
        Some((found.kind, table.shown(found).1.to_owned()))
    };
    let function = outermost(&|kind| matches!(kind, FrameKind::Nif | FrameKind::Bif));
    let called = function.or_else(|| outermost(&|kind| kind == FrameKind::Native));
    let (kind, called) = match called {
        Some((FrameKind::Nif, name)) => (StayKind::Nif, name),
        Some((FrameKind::Bif, name)) => (StayKind::Bif, name),
        Some((_, name)) => (StayKind::Native, name),
        None => (StayKind::Native, String::new()),
    };
    described(table, labels, frames, kind, called)
}

/// The frames above the innermost one of Erlang code, leaf first, and that one.
fn at_erlang(frames: &[Frame]) -> (&[Frame], Option<&Frame>) {
    let is_erlang = |frame: &Frame| frame.kind == FrameKind::Erlang;
    let at = frames.iter().position(is_erlang);
    let (above, rest) = frames.split_at(at.unwrap_or(frames.len()));
    (above, rest.first())
}

fn described(
    table: &FrameTable,
    labels: &SampleLabels,
    frames: &[Frame],
    kind: StayKind,
    called: String,
) -> Stay {
    let erlang = at_erlang(frames).1.map(|frame| table.shown(frame));
    let (_, function, line) = erlang.unwrap_or((FrameKind::Erlang, "", 0));
    let scheduler = labels.scheduler.map(|scheduler| scheduler.to_string());
    Stay {
        kind: kind.number(),
        scheduler: scheduler.unwrap_or_default(),
        pid: labels.erlang_pid.clone().unwrap_or_default(),
        process: labels.process_name.clone().unwrap_or_default(),
        function: function.to_owned(),
        line: u64::from(line),
        called,
        ..Stay::default()
    }
}
