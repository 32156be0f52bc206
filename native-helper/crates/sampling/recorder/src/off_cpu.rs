//! How long threads had no processor, and for what: from samples of threads that are switched out and the records of
//! their switches. No I/O and no clock.
//!
//! The records of a thread come from the CPUs it was on, and these are read one after the other. So all records wait here
//! until every CPU was read up to their time, and are then taken in by time. What records that were lost would have shown
//! is unknown: no thread counts as idle or blocked for a time that a lost record may have ended.
//!
//! While blocks are left out, a recorded one stands for n. Only for short ones, though: a single long one would weigh more
//! than there was time. Long ones are few, and their length is in the records of switches, which are never left out: each
//! counts once, with its stack, or with a mark for one where its sample was left out. When it leaves its CPU, it is not
//! known how long it will last, so its time waits until it is long, or has ended. A thread without a sample may be idle or
//! in a block that was left out: the kernel's program has when it left out one of that thread last.

use std::collections::{BTreeMap, BTreeSet};

use capture::sample::OffCpuWhy;

use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::HeldSample;

/// Records that wait at most: beyond that, the oldest are taken in.
const MOST_WAITING: usize = 1 << 16;
/// Records that are taken in at once at most: who adds their blocks to a capture then looks whether there is room.
const MOST_AT_ONCE: usize = 1 << 14;
/// Blocks of a storm that are as long stand for themselves. It is twice as long as it takes from one look at threads
/// without a sample to the next: one of them falls into each.
const LONG_BLOCK_NS: u64 = 100_000_000;

/// What happened to a thread.
#[derive(Debug)]
pub enum Switch {
    /// From now on its switches are recorded.
    Watched,
    /// And from now on no longer.
    Ended,
    /// It is switched out, with this work.
    Out(Box<HeldSample>),
    /// It left its CPU. Without an `Out` before, it did no work.
    Left(OffCpuWhy),
    /// It came to a CPU.
    Back,
    /// From now on, one of so many blocks has an `Out`, which stands for all of them if it is short; 1 for each.
    EachOf(u32),
    /// From now on, records of this CPU may be missing.
    LossBegins(u32),
    /// And from now on no longer.
    LossEnds(u32),
}

impl Switch {
    /// What a raw sample of the source shows that is none, but a record of a switch. `None` for a sample.
    pub fn of_record(sample: &RawSampleRef<'_>) -> Option<Self> {
        let flags = sample.flags;
        let kinds = [
            (ReadFlags::BACK, Self::Back),
            (
                ReadFlags::LEFT | ReadFlags::PREEMPTED,
                Self::Left(OffCpuWhy::Preempted),
            ),
            (ReadFlags::LEFT, Self::Left(OffCpuWhy::Blocked)),
            (ReadFlags::LOSS_BEGINS, Self::LossBegins(sample.cpu)),
            (ReadFlags::LOSS_ENDS, Self::LossEnds(sample.cpu)),
        ];
        let mut kinds = kinds.into_iter();
        kinds.find_map(|(bits, kind)| flags.has(bits).then_some(kind))
    }
}

/// A part of the time that a thread had no processor.
#[derive(Debug, Clone, Copy)]
pub struct Part<'h> {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub begins_ns: u64,
    /// Nanoseconds, of all blocks that it stands for.
    pub lasts_ns: u64,
    /// How many times a thread left its CPU for it: as many as it stands for in the first part of a block, usually 1, and 0
    /// in further ones.
    pub count: u64,
    /// Its work.
    pub of: PartOf<'h>,
}

/// What a thread did when it left its CPU.
#[derive(Debug, Clone, Copy)]
pub enum PartOf<'h> {
    /// Work: its stack and its labels.
    Work(&'h HeldSample),
    /// None: the thread.
    Idle(u32),
}

/// Counts so far. Times are of parts that were handed out, nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OffCpuCounts {
    /// Times that threads left a CPU.
    pub switches: u64,
    /// Those of them with work: each recorded block as often as it stands for, once that is known. Where it never is,
    /// since records were lost, it counts as a short one.
    pub blocks: u64,
    /// Those of these whose stack is whole.
    pub whole: u64,
    /// Those of these that were shorter than blocks are to be, which are not handed out.
    pub short: u64,
    /// Their time.
    pub short_ns: u64,
    /// Time in which threads with work waited.
    pub blocked_ns: u64,
    /// Time in which threads with work would have run.
    pub preempted_ns: u64,
    /// Time of threads without work.
    pub idle_ns: u64,
    /// Time of threads of which no work was recorded while blocks were left out: idle, or in such a block, if that is not
    /// known to be long.
    pub idle_or_left_out_ns: u64,
    /// Times that a thread left a CPU and no record showed that it had come back before.
    pub unmatched: u64,
    /// Times in which records may be missing.
    pub losses: u64,
    /// Time of threads of which it is therefore not known whether they ran.
    pub unknown_ns: u64,
}

/// A thread without a processor.
#[derive(Debug)]
struct Off {
    /// Handed out until then.
    until_ns: u64,
    /// Its work; `None` for none.
    work: Option<Box<HeldSample>>,
    /// How many blocks it stands for, if it is short. Without work, more than 1 where it may be one that was left out.
    weight: u64,
    has_left: bool,
    is_begun: bool,
    is_counted: bool,
    /// Its sample was left out: the work is a mark.
    is_left_out: bool,
    /// Whether its sample was left out is to be looked at.
    doubt: Option<Doubt>,
}

/// A thread that left its CPU without a sample, while blocks are left out.
#[derive(Debug, Clone, Copy)]
struct Doubt {
    /// When it had come to its CPU, if that was recorded.
    back_ns: Option<u64>,
    left_ns: u64,
    why: OffCpuWhy,
}

/// Until when a part of a time without a processor is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The thread is back.
    Back,
    /// Now: it goes on.
    Now,
    /// What follows is not known, or is recorded no longer.
    End,
}

#[derive(Debug)]
enum State {
    /// Nothing of it was recorded so far: it may have been switched out before, or have run all the time.
    Unseen,
    /// Since that time.
    Running(u64),
    Off(Off),
    /// A record of it may be missing, since that time.
    Lost(u64),
}

#[derive(Debug)]
struct Waiting {
    time_ns: u64,
    tid: u32,
    what: Switch,
}

/// Times of a thread without work that are not handed out yet.
#[derive(Debug, Default)]
struct Idle {
    count: u64,
    ns: u64,
}

/// The threads of a VM, and which of them have no processor.
#[derive(Debug, Default)]
pub struct OffCpu {
    waiting: Vec<Waiting>,
    /// All records of before are taken in.
    settled_ns: u64,
    /// All idle time of before is handed out.
    handed_out_ns: u64,
    threads: BTreeMap<u32, State>,
    /// CPUs of which records may be missing now.
    losing: BTreeSet<u32>,
    /// How many blocks a recorded one stands for now.
    weight: u64,
    /// No more records come: how long blocks in progress will last is not waited for.
    has_ended: bool,
    sums: Sums,
}

/// Sums of all threads so far.
#[derive(Debug, Default)]
struct Sums {
    /// Shorter blocks are not handed out.
    min_block_ns: u64,
    idle: BTreeMap<u32, Idle>,
    counts: OffCpuCounts,
}

impl OffCpu {
    /// Those of a recording that starts at this time. Blocks shorter than `min_block_ns` are counted alone.
    pub fn since(start_ns: u64, min_block_ns: u64) -> Self {
        Self {
            settled_ns: start_ns,
            handed_out_ns: start_ns,
            weight: 1,
            sums: Sums {
                min_block_ns,
                ..Sums::default()
            },
            ..Self::default()
        }
    }

    /// Notes what happened to a thread. Those of one CPU come in their order.
    pub fn note(&mut self, time_ns: u64, tid: u32, what: Switch) {
        self.waiting.push(Waiting { time_ns, tid, what });
    }

    /// Takes in what happened until then, when all of it is noted, the oldest first. Hands out the blocks that ended.
    /// True when more is left to take in: it is to be called again.
    pub fn settle(&mut self, until_ns: u64, each: &mut dyn FnMut(Part<'_>)) -> bool {
        // Of one time, those of one CPU stay in their order.
        self.waiting.sort_by_key(|it| it.time_ns);
        let due = self.waiting.partition_point(|it| it.time_ns <= until_ns);
        let due = due.max(self.waiting.len().saturating_sub(MOST_WAITING));
        let taken: Vec<Waiting> = self.waiting.drain(..due.min(MOST_AT_ONCE)).collect();
        for Waiting { time_ns, tid, what } in taken {
            self.take_in(time_ns, tid, what, each);
            self.settled_ns = self.settled_ns.max(time_ns);
        }
        let is_more_left = due > MOST_AT_ONCE;
        if !is_more_left {
            self.settled_ns = self.settled_ns.max(until_ns);
        }
        is_more_left
    }

    /// Hands out the time until now of blocks that go on, and the idle time since the last call.
    pub fn hand_out(&mut self, each: &mut dyn FnMut(Part<'_>)) {
        let now_ns = self.settled_ns;
        let until = match self.has_ended {
            true => Until::End,
            false => Until::Now,
        };
        for (tid, state) in &mut self.threads {
            // While records may be missing, it may have come back: that is seen when the gap ends.
            if let State::Off(off) = state
                && self.losing.is_empty()
            {
                self.sums.end_part(off, *tid, (now_ns, until), each);
            }
        }
        for (tid, Idle { count, ns }) in std::mem::take(&mut self.sums.idle) {
            self.sums.counts.idle_ns += ns;
            each(Part {
                begins_ns: self.handed_out_ns,
                lasts_ns: ns,
                count,
                of: PartOf::Idle(tid),
            });
        }
        self.handed_out_ns = now_ns;
    }

    /// Notes that all records are taken in.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Threads that left their CPU without a sample while blocks are left out, of which it is not known whether they are in
    /// such a block.
    pub fn in_doubt(&self) -> Vec<u32> {
        let in_doubt = self.threads.iter().filter_map(|(tid, state)| match state {
            State::Off(Off { doubt: Some(_), .. }) => Some(*tid),
            _ => None,
        });
        in_doubt.collect()
    }

    /// Notes when the kernel's program left out a block of one of these threads last, as it has that now; `None` where that
    /// is not known. `mark` makes the work of a block without a sample.
    pub fn note_left_out(
        &mut self,
        tid: u32,
        at_ns: Option<u64>,
        mark: impl FnOnce() -> HeldSample,
    ) {
        let Some(State::Off(off)) = self.threads.get_mut(&tid) else {
            return;
        };
        let Some(doubt) = off.doubt.take() else {
            return;
        };
        let (Some(at_ns), Some(back_ns)) = (at_ns, doubt.back_ns) else {
            return;
        };
        if at_ns < back_ns {
            // An earlier one: this time it had no work.
            off.weight = 1;
        } else if at_ns <= doubt.left_ns {
            let mut work = mark();
            work.labels.off_cpu = Some(doubt.why);
            off.work = Some(Box::new(work));
            // Its record was before this.
            (off.has_left, off.is_left_out) = (true, true);
        }
        // Else it has left its CPU once more since then, and the time of this one is no longer there.
    }

    /// Counts so far.
    pub fn counts(&self) -> OffCpuCounts {
        let lost = self.threads.values().map(|state| match state {
            State::Lost(since_ns) => self.settled_ns.saturating_sub(*since_ns),
            _ => 0,
        });
        let counts = self.sums.counts;
        OffCpuCounts {
            unknown_ns: counts.unknown_ns.saturating_add(lost.sum()),
            ..counts
        }
    }

    /// Blocks that go on.
    pub fn in_progress(&self) -> u64 {
        let is_block = |state: &&State| matches!(state, State::Off(Off { work: Some(_), .. }));
        self.threads.values().filter(is_block).count() as u64
    }

    /// Threads of which nothing was recorded.
    pub fn unseen(&self) -> u64 {
        let is_unseen = |state: &&State| matches!(state, State::Unseen);
        self.threads.values().filter(is_unseen).count() as u64
    }

    fn take_in(&mut self, time_ns: u64, tid: u32, what: Switch, each: &mut dyn FnMut(Part<'_>)) {
        match what {
            Switch::Watched => {
                self.threads.insert(tid, State::Unseen);
            }
            Switch::Ended => {
                // One that ends runs.
                self.threads.remove(&tid);
            }
            Switch::Out(work) => self.begin(time_ns, tid, Some(work), each),
            Switch::Left(why) => self.left(time_ns, tid, why, each),
            Switch::Back => self.back(time_ns, tid, each),
            Switch::EachOf(blocks) => self.weight = u64::from(blocks.max(1)),
            Switch::LossBegins(cpu) => {
                self.sums.counts.losses += 1;
                self.losing.insert(cpu);
                // The records until then are known; of a CPU without any before, until the last settling.
                self.lose_all(time_ns.max(self.settled_ns), true, each);
            }
            Switch::LossEnds(cpu) => {
                self.lose_all(time_ns, false, each);
                self.losing.remove(&cpu);
            }
        }
    }

    fn begin(
        &mut self,
        time_ns: u64,
        tid: u32,
        work: Option<Box<HeldSample>>,
        each: &mut dyn FnMut(Part<'_>),
    ) {
        // Of a thread that is not watched any more, nothing would end it.
        let Some(state) = self.threads.get_mut(&tid) else {
            return;
        };
        let weight = self.weight;
        let mut off = Off {
            until_ns: time_ns,
            work,
            weight,
            has_left: false,
            is_begun: false,
            is_counted: false,
            is_left_out: false,
            doubt: None,
        };
        if weight == 1 {
            self.sums.count(&mut off);
        }
        let counts = &mut self.sums.counts;
        counts.switches += 1;
        match std::mem::replace(state, State::Off(off)) {
            State::Running(_) | State::Unseen => {}
            State::Lost(since_ns) => {
                counts.unknown_ns += time_ns.saturating_sub(since_ns);
            }
            State::Off(mut before) => {
                // When it came back is not known; that it had left is.
                counts.unmatched += 1;
                counts.unknown_ns += time_ns.saturating_sub(before.until_ns);
                let until_ns = before.until_ns;
                let end = (until_ns, Until::End);
                self.sums.end_part(&mut before, tid, end, each);
            }
        }
    }

    fn left(&mut self, time_ns: u64, tid: u32, why: OffCpuWhy, each: &mut dyn FnMut(Part<'_>)) {
        if let Some(State::Off(off)) = self.threads.get_mut(&tid)
            && let Some(work) = &mut off.work
            && !off.has_left
        {
            off.has_left = true;
            work.labels.off_cpu = Some(why);
            return;
        }
        let back_ns = match self.threads.get(&tid) {
            Some(State::Running(since_ns)) => Some(*since_ns),
            _ => None,
        };
        self.begin(time_ns, tid, None, each);
        let Some(state) = self.threads.get_mut(&tid) else {
            return;
        };
        if !self.losing.is_empty() {
            // Its sample may be missing: it may have had work.
            *state = State::Lost(time_ns);
        } else if let State::Off(off) = state
            && off.weight > 1
        {
            off.doubt = Some(Doubt {
                back_ns,
                left_ns: time_ns,
                why,
            });
        }
    }

    fn back(&mut self, time_ns: u64, tid: u32, each: &mut dyn FnMut(Part<'_>)) {
        let Some(state) = self.threads.get_mut(&tid) else {
            return;
        };
        let counts = &mut self.sums.counts;
        match std::mem::replace(state, State::Running(time_ns)) {
            State::Running(_) | State::Unseen => {}
            State::Lost(since_ns) => {
                counts.unknown_ns += time_ns.saturating_sub(since_ns);
            }
            // It may have been back, and have left again, since then.
            State::Off(mut off) if !self.losing.is_empty() => {
                counts.unknown_ns += time_ns.saturating_sub(off.until_ns);
                self.sums.count(&mut off);
            }
            State::Off(mut off) => {
                let end = (time_ns, Until::Back);
                self.sums.end_part(&mut off, tid, end, each);
            }
        }
    }

    /// Of no thread it is known any more whether it runs; that it did not run until now is, where `is_known_until_now`.
    fn lose_all(&mut self, now_ns: u64, is_known_until_now: bool, each: &mut dyn FnMut(Part<'_>)) {
        for (tid, state) in &mut self.threads {
            let since_ns = match state {
                State::Lost(_) => continue,
                State::Running(_) | State::Unseen => now_ns,
                State::Off(off) => {
                    match is_known_until_now {
                        true => self.sums.end_part(off, *tid, (now_ns, Until::End), each),
                        false => self.sums.count(off),
                    }
                    off.until_ns
                }
            };
            *state = State::Lost(since_ns);
        }
    }
}

impl Sums {
    /// Counts a block, which stands for as many as its weight.
    fn count(&mut self, off: &mut Off) {
        if let Some(work) = &off.work
            && !std::mem::replace(&mut off.is_counted, true)
        {
            self.counts.blocks += off.weight;
            self.counts.whole += off.weight * u64::from(work.is_whole);
        }
    }

    /// For how many blocks one stands of which so much time is known. True where that is still to come.
    fn weigh(&mut self, off: &mut Off, lasts_ns: u64, until: Until) -> bool {
        if off.weight == 1 || off.is_begun {
            return false;
        }
        if off.work.is_none() {
            return off.doubt.is_some() && until == Until::Now;
        }
        if lasts_ns >= LONG_BLOCK_NS {
            off.weight = 1;
        } else if until == Until::Now {
            return true;
        } else if off.is_left_out {
            // Those that were kept stand for it.
            off.work = None;
        }
        self.count(off);
        false
    }

    /// Hands out the time of a thread without a processor until now, or adds it to its idle time.
    fn end_part(
        &mut self,
        off: &mut Off,
        tid: u32,
        (now_ns, until): (u64, Until),
        each: &mut dyn FnMut(Part<'_>),
    ) {
        let begins_ns = off.until_ns;
        let lasts_ns = now_ns.saturating_sub(begins_ns);
        if self.weigh(off, lasts_ns, until) {
            return;
        }
        let all_ns = lasts_ns.saturating_mul(off.weight);
        let counts = &mut self.counts;
        if off.work.is_some() && !off.is_begun && lasts_ns < self.min_block_ns {
            // One that goes on may yet be long enough.
            if until == Until::Back {
                counts.short += off.weight;
                counts.short_ns += all_ns;
            }
            return;
        }
        let is_first = !std::mem::replace(&mut off.is_begun, true);
        if lasts_ns == 0 && !is_first {
            return;
        }
        off.until_ns = begins_ns.max(now_ns);
        let Some(work) = &off.work else {
            if off.weight > 1 {
                counts.idle_or_left_out_ns += lasts_ns;
                return;
            }
            let sum = self.idle.entry(tid).or_default();
            sum.count += u64::from(is_first);
            sum.ns += lasts_ns;
            return;
        };
        match work.labels.off_cpu {
            Some(OffCpuWhy::Preempted) => counts.preempted_ns += all_ns,
            _ => counts.blocked_ns += all_ns,
        }
        each(Part {
            begins_ns,
            lasts_ns: all_ns,
            count: if is_first { off.weight } else { 0 },
            of: PartOf::Work(work),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::raw_sample::RawSample;
    use capture::sample::{SampleClass, SampleLabels, Trust};

    const MS: u64 = 1_000_000;
    const TID: u32 = 7;
    /// The number of the work of a block without a sample.
    const MARK: u32 = 99;

    /// Work that is known by its number.
    fn work(number: u32) -> Switch {
        Switch::Out(Box::new(held(number)))
    }

    fn held(number: u32) -> HeldSample {
        HeldSample {
            labels: SampleLabels {
                thread_id: number,
                thread_name: String::new(),
                scheduler: None,
                erlang_pid: None,
                process_name: None,
                class: SampleClass::Nif,
                trust: Trust::Captured,
                off_cpu: Some(OffCpuWhy::Blocked),
            },
            locations: Vec::new(),
            is_whole: true,
        }
    }

    fn blocked() -> Switch {
        Switch::Left(OffCpuWhy::Blocked)
    }

    /// Begin and length in milliseconds, count, and the work; none is idle.
    type Seen = (u64, u64, u64, Option<(u32, OffCpuWhy)>);

    struct Watch {
        off_cpu: OffCpu,
        seen: Vec<Seen>,
    }

    impl Watch {
        fn new() -> Self {
            Self::of_blocks_from(0)
        }

        fn of_blocks_from(min_block_ms: u64) -> Self {
            let mut off_cpu = OffCpu::since(0, min_block_ms * MS);
            for tid in [TID, TID + 1] {
                off_cpu.note(0, tid, Switch::Watched);
            }
            Self {
                off_cpu,
                seen: Vec::new(),
            }
        }

        fn note(&mut self, at_ms: u64, what: Switch) -> &mut Self {
            self.off_cpu.note(at_ms * MS, TID, what);
            self
        }

        fn settle(&mut self, until_ms: u64) -> &mut Self {
            let seen = &mut self.seen;
            let mut see = |part: Part<'_>| seen.push(shown(part));
            while self.off_cpu.settle(until_ms * MS, &mut see) {}
            self
        }

        fn hand_out(&mut self) -> &mut Self {
            let seen = &mut self.seen;
            self.off_cpu.hand_out(&mut |part| seen.push(shown(part)));
            self
        }

        /// The kernel's program left out a block of the thread then, and none later.
        fn left_out_at(&mut self, at_ms: Option<u64>) -> &mut Self {
            assert_eq!(self.off_cpu.in_doubt(), [TID]);
            let at_ns = at_ms.map(|at_ms| at_ms * MS);
            self.off_cpu.note_left_out(TID, at_ns, || HeldSample {
                is_whole: false,
                ..held(MARK)
            });
            assert!(self.off_cpu.in_doubt().is_empty());
            self
        }

        fn seen(&mut self) -> Vec<Seen> {
            std::mem::take(&mut self.seen)
        }
    }

    fn shown(part: Part<'_>) -> Seen {
        let of = match part.of {
            PartOf::Work(held) => Some((held.labels.thread_id, held.labels.off_cpu.unwrap())),
            PartOf::Idle(_) => None,
        };
        (part.begins_ns / MS, part.lasts_ns / MS, part.count, of)
    }

    const BLOCKED: OffCpuWhy = OffCpuWhy::Blocked;

    #[test]
    fn a_block_is_from_out_to_back_and_one_without_work_is_idle() {
        let mut watch = Watch::new();
        watch.note(10, work(1)).note(10, blocked());
        watch.note(13, Switch::Back);
        watch.note(20, blocked()).note(50, Switch::Back);
        watch.note(60, blocked()).note(65, Switch::Back);
        watch.settle(100);
        assert_eq!(watch.seen(), [(10, 3, 1, Some((1, BLOCKED)))]);
        // Idle times are handed out together.
        watch.hand_out();
        assert_eq!(watch.seen(), [(0, 35, 2, None)]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.switches, counts.blocks, counts.whole), (3, 1, 1));
        assert_eq!((counts.blocked_ns, counts.idle_ns), (3 * MS, 35 * MS));
        assert_eq!((counts.unmatched, counts.unknown_ns), (0, 0));
        assert_eq!(watch.off_cpu.unseen(), 1, "the other thread");
    }

    #[test]
    fn a_thread_that_would_have_run_is_preempted() {
        let mut watch = Watch::new();
        let preempted = OffCpuWhy::Preempted;
        watch.note(10, work(1)).note(10, Switch::Left(preempted));
        watch.note(14, Switch::Back).settle(100);
        assert_eq!(watch.seen(), [(10, 4, 1, Some((1, preempted)))]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.blocked_ns, counts.preempted_ns), (0, 4 * MS));
    }

    #[test]
    fn records_of_another_cpu_that_were_read_first_wait_for_those_of_before() {
        let mut watch = Watch::new();
        // It came back on a CPU that was read before the one that it had left.
        watch.note(13, Switch::Back).settle(5);
        watch.note(20, work(2)).note(20, blocked());
        watch.note(10, work(1)).note(10, blocked()).settle(15);
        assert_eq!(watch.seen(), [(10, 3, 1, Some((1, BLOCKED)))]);
        watch.note(22, Switch::Back).settle(30);
        assert_eq!(watch.seen(), [(20, 2, 1, Some((2, BLOCKED)))]);
        assert_eq!(watch.off_cpu.counts().unmatched, 0);
    }

    #[test]
    fn a_long_block_is_handed_out_in_parts_that_count_once() {
        let mut watch = Watch::new();
        watch.note(500, work(1)).note(500, blocked());
        for now_ms in [1000, 2000, 3000] {
            watch.settle(now_ms).hand_out();
        }
        // Nothing has passed since.
        watch.hand_out();
        assert_eq!(watch.off_cpu.in_progress(), 1);
        watch.note(4000, Switch::Back).settle(4500).hand_out();
        let of = Some((1, BLOCKED));
        let seen = watch.seen();
        assert_eq!(
            seen,
            [
                (500, 500, 1, of),
                (1000, 1000, 0, of),
                (2000, 1000, 0, of),
                (3000, 1000, 0, of)
            ]
        );
        assert_eq!(seen.iter().map(|it| it.1).sum::<u64>(), 3500);
        assert_eq!(watch.off_cpu.in_progress(), 0);
        assert_eq!(watch.off_cpu.counts().blocked_ns, 3500 * MS);
    }

    #[test]
    fn without_a_record_of_its_end_a_block_counts_and_its_time_is_unknown() {
        let mut watch = Watch::new();
        watch.note(10, work(1)).note(10, blocked());
        watch.note(30, work(2)).note(30, blocked());
        watch.note(35, Switch::Back).settle(100);
        let (first, second) = (Some((1, BLOCKED)), Some((2, BLOCKED)));
        assert_eq!(watch.seen(), [(10, 0, 1, first), (30, 5, 1, second)]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.unmatched, counts.unknown_ns), (1, 20 * MS));
        // A further end, without a begin, is of nothing.
        watch.note(120, Switch::Back).settle(200).hand_out();
        assert!(watch.seen().is_empty());
    }

    #[test]
    fn what_lost_records_would_have_shown_is_unknown_and_never_idle() {
        let mut watch = Watch::new();
        watch.note(10, work(1)).note(10, blocked());
        watch.note(15, Switch::LossBegins(0));
        // Without its sample, which may be missing.
        watch.note(40, blocked()).note(50, Switch::LossEnds(0));
        watch.note(60, Switch::Back);
        watch.note(70, work(2)).note(70, blocked());
        watch.note(73, Switch::Back).settle(100).hand_out();
        let (first, second) = (Some((1, BLOCKED)), Some((2, BLOCKED)));
        assert_eq!(watch.seen(), [(10, 5, 1, first), (70, 3, 1, second)]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.losses, counts.idle_ns, counts.unmatched), (1, 0, 0));
        // From 15 to 60, and all of the other thread from 15 on.
        assert_eq!(counts.unknown_ns, (45 + 85) * MS);
    }

    #[test]
    fn a_block_that_seems_to_have_ended_in_a_loss_is_unknown() {
        let mut watch = Watch::new();
        watch.note(5, Switch::LossBegins(2));
        watch.note(10, work(1)).note(10, blocked());
        // Of another CPU. Before, it may have been back on the one that loses records.
        watch.note(20, Switch::Back).note(30, Switch::LossEnds(2));
        watch.settle(40).hand_out();
        assert!(watch.seen().is_empty());
        assert_eq!(watch.off_cpu.counts().blocked_ns, 0);
    }

    #[test]
    fn a_thread_that_was_off_before_it_was_watched_is_unseen_until_it_is_back() {
        let mut watch = Watch::new();
        watch.settle(50).hand_out();
        assert_eq!(watch.off_cpu.unseen(), 2);
        watch.note(60, Switch::Back).settle(70).hand_out();
        assert!(watch.seen().is_empty());
        assert_eq!(watch.off_cpu.unseen(), 1);
    }

    #[test]
    fn a_thread_that_has_ended_leaves_nothing() {
        let mut watch = Watch::new();
        watch.note(10, work(1)).note(10, blocked());
        watch.settle(20).hand_out();
        assert_eq!(watch.seen(), [(10, 10, 1, Some((1, BLOCKED)))]);
        watch.note(30, Switch::Ended).note(40, Switch::Back);
        watch.note(50, blocked()).settle(100).hand_out();
        assert!(watch.seen().is_empty());
        assert_eq!(watch.off_cpu.in_progress(), 0);
    }

    #[test]
    fn a_time_that_goes_back_adds_nothing() {
        let mut watch = Watch::new();
        watch.note(100, work(1)).note(100, blocked());
        watch.settle(200).hand_out();
        // It comes late.
        watch.note(150, Switch::Back).settle(300).hand_out();
        assert_eq!(watch.seen(), [(100, 100, 1, Some((1, BLOCKED)))]);
    }

    #[test]
    fn what_goes_on_in_a_loss_is_not_handed_out() {
        let mut watch = Watch::new();
        watch.note(5, Switch::LossBegins(2));
        watch.note(10, work(1)).note(10, blocked());
        watch.settle(20).hand_out();
        watch.note(30, Switch::LossEnds(2)).settle(40).hand_out();
        assert!(watch.seen().is_empty());
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.blocked_ns, counts.idle_ns), (0, 0));
        // Of both threads, from 5 to 40: that it left its CPU in between is known, but not until when.
        assert_eq!(counts.unknown_ns, 2 * 35 * MS);
    }

    #[test]
    fn a_block_of_a_storm_stands_for_those_that_are_left_out() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(7));
        watch.note(20, work(1)).note(20, blocked());
        // It may yet be long.
        watch.settle(25).hand_out();
        assert!(watch.seen().is_empty());
        watch.note(30, Switch::Back).settle(35).hand_out();
        let of = Some((1, BLOCKED));
        assert_eq!(watch.seen(), [(20, 70, 7, of)]);
        // Without work, or with some that was left out.
        watch.note(40, blocked()).note(45, Switch::EachOf(1));
        watch.note(52, Switch::Back);
        // All are recorded again.
        watch.note(60, blocked()).note(63, Switch::Back);
        watch.note(70, work(2)).note(70, blocked());
        watch.note(71, Switch::Back).settle(80).hand_out();
        let second = Some((2, BLOCKED));
        assert_eq!(watch.seen(), [(70, 1, 1, second), (35, 3, 1, None)]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.switches, counts.blocks, counts.whole), (4, 8, 8));
        assert_eq!((counts.blocked_ns, counts.idle_ns), (71 * MS, 3 * MS));
        assert_eq!(counts.idle_or_left_out_ns, 12 * MS);
    }

    /// Thirty seconds are no 330 s, however many blocks are left out.
    #[test]
    fn a_long_block_of_a_storm_stands_for_itself_from_its_begin_on() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11));
        watch.note(20, work(1)).note(20, blocked());
        watch.settle(119).hand_out();
        assert!(watch.seen().is_empty());
        assert_eq!(watch.off_cpu.counts().blocks, 0);
        watch.settle(1_020).hand_out();
        watch.note(30_020, Switch::Back).settle(30_030).hand_out();
        let first = Some((1, BLOCKED));
        let seen = watch.seen();
        assert_eq!(seen, [(20, 1_000, 1, first), (1_020, 29_000, 0, first)]);
        // The longest of the short ones.
        watch.note(40_000, work(2)).note(40_000, blocked());
        watch.note(40_099, Switch::Back).settle(41_000).hand_out();
        assert_eq!(watch.seen(), [(40_000, 1_089, 11, Some((2, BLOCKED)))]);
        watch.note(42_000, work(3)).note(42_000, blocked());
        watch.note(42_100, Switch::Back).settle(43_000).hand_out();
        assert_eq!(watch.seen(), [(42_000, 100, 1, Some((3, BLOCKED)))]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.blocks, counts.whole), (13, 13));
        assert_eq!(counts.blocked_ns, (30_000 + 1_089 + 100) * MS);
    }

    #[test]
    fn a_block_that_began_before_a_storm_stands_for_itself_in_it() {
        let mut watch = Watch::new();
        watch.note(10, work(1)).note(10, blocked());
        watch.note(20, Switch::EachOf(11)).settle(30).hand_out();
        watch.note(40, Switch::Back).settle(50);
        let of = Some((1, BLOCKED));
        assert_eq!(watch.seen(), [(10, 20, 1, of), (30, 10, 0, of)]);
    }

    #[test]
    fn a_long_block_whose_sample_was_left_out_counts_once_under_a_mark() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11)).note(15, Switch::Back);
        let preempted = OffCpuWhy::Preempted;
        watch.note(20, Switch::Left(preempted)).settle(60);
        watch.left_out_at(Some(19)).hand_out();
        assert!(watch.seen().is_empty());
        watch.settle(520).hand_out();
        watch.note(620, Switch::Back).settle(630).hand_out();
        let of = Some((MARK, preempted));
        assert_eq!(watch.seen(), [(20, 500, 1, of), (520, 100, 0, of)]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.blocks, counts.whole), (1, 0));
        assert_eq!(
            (counts.preempted_ns, counts.idle_or_left_out_ns),
            (600 * MS, 0)
        );
    }

    #[test]
    fn a_further_leaving_ends_a_block_whose_sample_was_left_out() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11)).note(15, Switch::Back);
        watch.note(20, blocked()).settle(60);
        watch.left_out_at(Some(19)).settle(520).hand_out();
        let of = Some((MARK, BLOCKED));
        assert_eq!(watch.seen(), [(20, 500, 1, of)]);
        // That it came back is missing.
        watch.note(700, blocked()).note(900, Switch::Back);
        watch.settle(910).hand_out();
        assert!(watch.seen().is_empty());
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.unmatched, counts.unknown_ns), (1, 180 * MS));
        assert_eq!(counts.idle_or_left_out_ns, 200 * MS);
    }

    #[test]
    fn a_short_block_whose_sample_was_left_out_is_among_those_that_others_stand_for() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11)).note(15, Switch::Back);
        watch.note(20, blocked()).settle(60);
        watch.left_out_at(Some(20));
        watch.note(119, Switch::Back).settle(130).hand_out();
        assert!(watch.seen().is_empty());
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.blocks, counts.blocked_ns), (0, 0));
        assert_eq!(counts.idle_or_left_out_ns, 99 * MS);
    }

    #[test]
    fn a_thread_of_which_no_block_was_left_out_since_it_was_back_is_idle() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11)).note(15, Switch::Back);
        watch.note(20, blocked()).settle(60).hand_out();
        assert!(watch.seen().is_empty());
        watch.left_out_at(Some(14)).hand_out();
        // Idle times are of the increment in which they are known.
        assert_eq!(watch.seen(), [(60, 40, 1, None)]);
        assert_eq!(watch.off_cpu.counts().idle_or_left_out_ns, 0);
    }

    #[test]
    fn where_it_is_not_known_whether_a_block_was_left_out_a_thread_is_idle_or_in_one() {
        // It was already back, and another block was left out; the program does not have it; nor have the records when the
        // thread had come to its CPU.
        for (back_ms, at_ms) in [(Some(15), Some(21)), (Some(15), None), (None, Some(20))] {
            let mut watch = Watch::new();
            watch.note(10, Switch::EachOf(11));
            if let Some(back_ms) = back_ms {
                watch.note(back_ms, Switch::Back);
            }
            watch.note(20, blocked()).settle(60);
            watch.left_out_at(at_ms).hand_out();
            watch.note(320, Switch::Back).settle(330).hand_out();
            assert!(watch.seen().is_empty());
            assert_eq!(watch.off_cpu.counts().idle_or_left_out_ns, 300 * MS);
        }
    }

    #[test]
    fn at_the_end_blocks_in_progress_of_a_storm_are_handed_out_with_the_time_so_far() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11));
        watch.note(20, work(1)).note(20, blocked());
        watch.off_cpu.note(30 * MS, TID + 1, blocked());
        watch.settle(50).hand_out();
        assert!(watch.seen().is_empty());
        watch.off_cpu.end();
        watch.hand_out().hand_out();
        assert_eq!(watch.seen(), [(20, 330, 11, Some((1, BLOCKED)))]);
        let counts = watch.off_cpu.counts();
        assert_eq!((counts.blocks, counts.idle_or_left_out_ns), (11, 20 * MS));
    }

    #[test]
    fn of_a_storm_the_time_until_records_are_lost_is_known() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11));
        watch.note(20, work(1)).note(20, blocked());
        watch.note(50, Switch::LossBegins(0)).settle(60).hand_out();
        assert_eq!(watch.seen(), [(20, 330, 11, Some((1, BLOCKED)))]);
        assert_eq!(watch.off_cpu.counts().blocks, 11);
    }

    #[test]
    fn a_recorded_block_of_a_storm_counts_where_its_time_is_not_known_for_lost_records() {
        let mut watch = Watch::new();
        watch.note(10, Switch::EachOf(11));
        watch.note(20, Switch::LossBegins(0));
        watch.note(30, work(1)).note(30, blocked());
        watch.note(40, Switch::Back);
        watch.note(50, work(2)).note(50, blocked());
        watch.note(60, Switch::LossEnds(0)).settle(70).hand_out();
        assert!(watch.seen().is_empty());
        assert_eq!(watch.off_cpu.counts().blocks, 22);
    }

    #[test]
    fn blocks_that_are_too_short_are_counted_alone_with_their_time() {
        let mut watch = Watch::of_blocks_from(5);
        watch.note(10, work(1)).note(10, blocked());
        // So far it is too short.
        watch.settle(12).hand_out();
        watch.note(14, Switch::Back);
        watch.note(20, work(2)).note(20, blocked()).settle(23);
        watch.hand_out().settle(26).hand_out();
        watch.note(28, Switch::Back).settle(30).hand_out();
        let second = Some((2, BLOCKED));
        assert_eq!(watch.seen(), [(20, 6, 1, second), (26, 2, 0, second)]);
        // Idle time is no block.
        watch.note(40, blocked()).note(41, Switch::Back);
        watch.settle(50).hand_out();
        assert_eq!(watch.seen(), [(30, 1, 1, None)]);
        // How long it was is not known; nor of one that goes on when records are lost.
        watch.note(60, work(3)).note(60, blocked());
        watch.note(70, work(4)).note(70, blocked());
        watch.note(72, Switch::LossBegins(0));
        watch.note(80, Switch::LossEnds(0)).settle(90).hand_out();
        assert!(watch.seen().is_empty());
        let counts = watch.off_cpu.counts();
        assert_eq!(
            (counts.blocks, counts.short, counts.short_ns),
            (4, 1, 4 * MS)
        );
        assert_eq!((counts.blocked_ns, counts.unmatched), (8 * MS, 1));
        // 60 to 70 and from 70 on; of the other thread, from 72 on.
        assert_eq!(counts.unknown_ns, (10 + 20 + 18) * MS);
    }

    #[test]
    fn what_waits_is_bounded_and_the_newest_of_it_goes_on_waiting() {
        let mut watch = Watch::new();
        let last_ms = 2 * MOST_WAITING as u64;
        for at_ms in 1..=last_ms {
            watch.note(at_ms, Switch::Back);
        }
        watch.settle(0);
        assert_eq!(watch.off_cpu.waiting.len(), MOST_WAITING);
        watch
            .note(last_ms - 9, work(1))
            .note(last_ms - 9, blocked());
        watch.settle(last_ms);
        assert!(watch.off_cpu.waiting.is_empty());
        assert_eq!(watch.seen(), [(last_ms - 9, 1, 1, Some((1, BLOCKED)))]);
    }

    #[test]
    fn many_records_of_a_known_time_do_not_hurry_later_ones() {
        let mut watch = Watch::new();
        let known_ms = MOST_WAITING as u64 + 1;
        for at_ms in 1..=known_ms {
            watch.note(at_ms, Switch::Back);
        }
        // Of a CPU that was read before the one that it had left.
        watch.note(known_ms + 13, Switch::Back).settle(known_ms);
        let left_ms = known_ms + 10;
        watch.note(left_ms, work(1)).note(left_ms, blocked());
        watch.settle(known_ms + 20);
        assert_eq!(watch.seen(), [(left_ms, 3, 1, Some((1, BLOCKED)))]);
    }

    #[test]
    fn records_and_samples_are_told_apart() {
        let of = |flags| {
            let mut words = vec![];
            RawSample {
                cpu: 3,
                flags: ReadFlags(flags),
                ..RawSample::default()
            }
            .encode(&mut words);
            let (sample, _) = RawSampleRef::decode(&words).unwrap();
            Switch::of_record(&sample)
        };
        assert!(of(ReadFlags::REGISTERS).is_none());
        assert!(matches!(of(ReadFlags::BACK), Some(Switch::Back)));
        let left = of(ReadFlags::LEFT);
        assert!(matches!(left, Some(Switch::Left(OffCpuWhy::Blocked))));
        let preempted = of(ReadFlags::LEFT | ReadFlags::PREEMPTED);
        let is_preempted = matches!(preempted, Some(Switch::Left(OffCpuWhy::Preempted)));
        assert!(is_preempted);
        let [begins, ends] = [ReadFlags::LOSS_BEGINS, ReadFlags::LOSS_ENDS].map(of);
        assert!(matches!(begins, Some(Switch::LossBegins(3))));
        assert!(matches!(ends, Some(Switch::LossEnds(3))));
    }
}
