//! Which copy belongs to which sample.
//!
//! The kernel runs the program and writes the sample in one interrupt, so on one CPU records and
//! samples come in the same order, and the program numbers the samples of schedulers: where a record
//! had no room, its number is missing. So the record with the next number is that of the next sample,
//! however long the interrupt takes. Only after samples were lost it is not known which number comes
//! next; then a record is a sample's when the two times are close. In both cases thread, program
//! counter, stack pointer and frame pointer have to be the same. A record or sample without a partner
//! is counted, and no record is ever given to another sample.
//!
//! A page fault is no interrupt: a tick of the clock may come between its record and its sample, and the sample of the
//! tick is then the first. The fault is left without its record.

use std::cmp::Ordering;

use bpf_engine::BpfRing;
use bpf_engine::CStackPart;
use bpf_engine::record::{
    NEAR_ROOM_BYTES, PAGE_BYTES, Parsed, SampleCopy, Status, TAIL_PAGES, parse_record,
};
use perf_ring::SampleRecord;

/// Both times are taken in one interrupt, microseconds apart. A hypervisor may stop the CPU in between
/// for longer: such a sample is not joined where its number is not known.
const MAX_APART_NS: u64 = 1_000_000;

/// Where records come from, oldest first.
pub trait RecordSource {
    /// The oldest record that is not released.
    fn peek(&mut self) -> Option<&[u8]>;
    /// Lets go of it.
    fn release(&mut self);
}

impl RecordSource for BpfRing {
    fn peek(&mut self) -> Option<&[u8]> {
        BpfRing::peek(self)
    }

    fn release(&mut self) {
        BpfRing::release(self);
    }
}

/// Counts of one join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JoinCounts {
    /// Samples of schedulers that have their record.
    pub matched: u64,
    /// Samples of schedulers that have none.
    pub unmatched: u64,
    /// Records of which the sample is missing.
    pub orphaned: u64,
    /// Those of them that were made when a thread was switched out.
    pub orphaned_switches: u64,
    /// Those that were made at a page fault.
    pub orphaned_faults: u64,
    /// Records that could not be parsed.
    pub malformed: u64,
}

/// A part of a C stack, kept until the record it came with is used.
#[derive(Debug)]
struct KeptPart {
    owner: (u32, u64),
    address: u64,
    len: usize,
    bytes: Box<[u8]>,
}

impl KeptPart {
    fn with_room(bytes: usize) -> Self {
        Self {
            owner: (0, 0),
            address: 0,
            len: 0,
            bytes: vec![0; bytes].into(),
        }
    }

    fn keep(&mut self, part: &CStackPart<'_>) {
        let len = part.bytes.len().min(self.bytes.len());
        if let (Some(to), Some(from)) = (self.bytes.get_mut(..len), part.bytes.get(..len)) {
            to.copy_from_slice(from);
        }
        (self.owner, self.address, self.len) = ((part.tid, part.time_ns), part.address, len);
    }

    /// Address and bytes of the part that came with `record`.
    fn of(&self, record: &SampleCopy<'_>) -> (u64, &[u8]) {
        if self.owner == (record.tid, record.time_ns) {
            (self.address, self.bytes.get(..self.len).unwrap_or(&[]))
        } else {
            (0, &[])
        }
    }
}

/// The C stack of a sample, which the program hands over before the sample's record.
#[derive(Debug)]
pub struct KeptCStack {
    near: KeptPart,
    tail: KeptPart,
}

impl Default for KeptCStack {
    fn default() -> Self {
        Self {
            near: KeptPart::with_room(NEAR_ROOM_BYTES.into_iter().max().unwrap_or(0)),
            tail: KeptPart::with_room(TAIL_PAGES * PAGE_BYTES),
        }
    }
}

impl KeptCStack {
    /// The part that came with `record`: the stack from the stack pointer up.
    pub fn near(&self, record: &SampleCopy<'_>) -> &[u8] {
        self.near.of(record).1
    }

    /// The part that came with `record`: address and bytes of the upper part of a long stack.
    pub fn tail(&self, record: &SampleCopy<'_>) -> (u64, &[u8]) {
        self.tail.of(record)
    }
}

/// Joins the records of one CPU with its samples.
#[derive(Debug, Default)]
pub struct Join {
    process_bytes: usize,
    /// Counts so far.
    pub counts: JoinCounts,
    c_stack: KeptCStack,
    /// Number of the next sample of a scheduler; `None` after samples were lost.
    next: Option<u64>,
    /// The record last handed out is not released yet: its use has panicked.
    is_used: bool,
    /// Thread and program counter of a page fault whose sample comes behind that of a tick which interrupted the kernel
    /// between the two; its record is gone by then.
    overtaken: Option<(u32, u64)>,
}

impl Join {
    /// A join of records that hold process structs of `process_bytes`.
    pub fn new(process_bytes: usize) -> Self {
        Self {
            process_bytes,
            next: Some(1),
            ..Self::default()
        }
    }

    /// Notes that samples are missing from here on.
    pub fn samples_were_lost(&mut self) {
        self.next = None;
    }

    /// Notes a sample of a thread of which the program did not know yet that it is a scheduler: it has
    /// no record and no number.
    pub fn has_no_number(&mut self) {
        self.counts.unmatched += 1;
    }

    /// Hands the record of `sample` to `use_it`, or `None` when there is none. Allocates nothing.
    pub fn with_record<T>(
        &mut self,
        source: &mut impl RecordSource,
        sample: &SampleRecord<'_>,
        use_it: impl FnOnce(Option<(&SampleCopy<'_>, &KeptCStack)>) -> T,
    ) -> T {
        if std::mem::take(&mut self.is_used) {
            source.release();
        }
        // The next record, though at the same place, is that of the next fault.
        if self.overtaken.take() == Some((sample.tid, sample.ip)) {
            self.counts.unmatched += 1;
            return use_it(None);
        }
        let is_in_step = self.next.is_some();
        loop {
            let Some(bytes) = source.peek() else {
                self.has_none();
                return use_it(None);
            };
            match parse_record(self.process_bytes, bytes) {
                None => self.counts.malformed += 1,
                Some(Parsed::CStack(part)) => self.c_stack.near.keep(&part),
                Some(Parsed::Tail(part)) => self.c_stack.tail.keep(&part),
                Some(Parsed::Sample(record)) => match side_of(&record, sample, &mut self.next) {
                    Side::Same => {
                        self.counts.matched += 1;
                        self.next = Some(record.sequence.wrapping_add(1));
                        self.is_used = true;
                        let result = use_it(Some((&record, &self.c_stack)));
                        self.is_used = false;
                        source.release();
                        return result;
                    }
                    Side::Later => {
                        self.has_none();
                        return use_it(None);
                    }
                    Side::Earlier => {
                        let has = |status| u64::from(record.status.has(status));
                        self.counts.orphaned += 1;
                        self.counts.orphaned_switches += has(Status::SWITCH_OUT);
                        self.counts.orphaned_faults += has(Status::PAGE_FAULT);
                        if is_in_step && record.status.has(Status::PAGE_FAULT) {
                            self.overtaken = Some((record.tid, record.ip));
                        }
                    }
                },
            }
            source.release();
        }
    }

    /// The next sample has no record.
    fn has_none(&mut self) {
        self.counts.unmatched += 1;
        self.next = self.next.map(|next| next.wrapping_add(1));
    }
}

enum Side {
    Earlier,
    Same,
    Later,
}

/// Where `record` stands to `sample`, which has this number. Without one, or where the program has
/// counted other samples than this join has, the times decide.
fn side_of(record: &SampleCopy<'_>, sample: &SampleRecord<'_>, number: &mut Option<u64>) -> Side {
    match number.map(|number| record.sequence.cmp(&number)) {
        Some(Ordering::Greater) => Side::Later,
        Some(Ordering::Equal) if is_of_same_moment(record, sample) => Side::Same,
        // A lower number: this join has counted a sample that the program did not.
        Some(Ordering::Equal | Ordering::Less) | None => {
            *number = None;
            side_by_time(record, sample)
        }
    }
}

/// The kernel stamps the sample before it runs the program, or after (older kernels); either way a
/// record of a later sample is stamped after this one.
fn side_by_time(record: &SampleCopy<'_>, sample: &SampleRecord<'_>) -> Side {
    let apart = record.time_ns.abs_diff(sample.time_ns);
    if apart <= MAX_APART_NS && is_of_same_moment(record, sample) {
        Side::Same
    } else if record.time_ns > sample.time_ns {
        Side::Later
    } else {
        Side::Earlier
    }
}

fn is_of_same_moment(record: &SampleCopy<'_>, sample: &SampleRecord<'_>) -> bool {
    if record.tid != sample.tid || record.ip != sample.ip {
        return false;
    }
    // Interrupted in the kernel, the program may not know the registers of user space.
    !record.status.has(Status::USER)
        || sample.registers.is_some_and(|registers| {
            registers[arch::sample::STACK_POINTER] == record.sp
                && registers[arch::sample::FRAME_POINTER] == record.bp
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bpf_engine::record::{HEADER_BYTES, KIND_SAMPLE, offset};
    use perf_ring::{EventId, REGISTER_COUNT};

    #[derive(Default)]
    struct Records(std::collections::VecDeque<Vec<u8>>);

    impl RecordSource for Records {
        fn peek(&mut self) -> Option<&[u8]> {
            self.0.front().map(Vec::as_slice)
        }

        fn release(&mut self) {
            self.0.pop_front();
        }
    }

    fn record(sequence: u64, tid: u32, time_ns: u64, (ip, sp): (u64, u64)) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        let kind = u64::from(KIND_SAMPLE.cast_unsigned()) | u64::from(tid) << 32;
        for (place, value) in [
            (offset::KIND, kind),
            (offset::TIME, time_ns),
            (offset::IP, ip),
            (offset::SP, sp),
            (offset::STATUS, Status::USER),
            (offset::SEQUENCE, sequence),
        ] {
            let place = usize::try_from(place).unwrap();
            bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn sample(tid: u32, time_ns: u64, ip: u64, sp: u64) -> SampleRecord<'static> {
        let mut registers = [0; REGISTER_COUNT];
        registers[arch::sample::STACK_POINTER] = sp;
        SampleRecord {
            id: EventId::default(),
            ip,
            tid,
            time_ns,
            cpu: 0,
            chain: &[],
            registers: Some(registers),
            stack: &[],
        }
    }

    fn joined(join: &mut Join, records: &mut Records, sample: &SampleRecord<'_>) -> Option<u64> {
        join.with_record(records, sample, |found| {
            found.map(|(record, _)| record.time_ns)
        })
    }

    const PLACE: (u64, u64) = (0x10, 0x70);

    #[test]
    fn every_sample_gets_its_own_record() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        // Two threads in turn; stamped just after the sample, or just before it.
        for (number, (tid, time_ns)) in (1..).zip([(1, 1_003), (2, 2_003), (1, 2_998)]) {
            records.0.push_back(record(number, tid, time_ns, PLACE));
        }
        let times = [(1, 1_000), (2, 2_000), (1, 3_000)]
            .map(|(tid, at)| joined(&mut join, &mut records, &sample(tid, at, 0x10, 0x70)));
        assert_eq!(times, [Some(1_003), Some(2_003), Some(2_998)]);
        assert_eq!(join.counts.matched, 3);
        assert_eq!(join.counts.unmatched + join.counts.orphaned, 0);
    }

    #[test]
    fn an_interrupt_that_is_stopped_for_long_keeps_its_record() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        const LATER_NS: u64 = 40_000_000;
        records.0.push_back(record(1, 1, 1_000 + LATER_NS, PLACE));
        records.0.push_back(record(2, 1, 2_000 + LATER_NS, PLACE));
        for (at, recorded) in [(1_000, 1_000 + LATER_NS), (2_000, 2_000 + LATER_NS)] {
            let found = joined(&mut join, &mut records, &sample(1, at, 0x10, 0x70));
            assert_eq!(found, Some(recorded));
        }
        assert_eq!(join.counts.unmatched + join.counts.orphaned, 0);
    }

    #[test]
    fn a_lost_record_leaves_its_sample_alone_and_no_other_record_is_taken() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        // The first had no room. At the same place, at nearly the same time: only the number differs.
        records.0.push_back(record(2, 1, 1_003, PLACE));
        let of = |join: &mut Join, records: &mut Records, at| {
            joined(join, records, &sample(1, at, 0x10, 0x70))
        };
        assert_eq!(of(&mut join, &mut records, 1_000), None);
        assert_eq!(of(&mut join, &mut records, 2_000), Some(1_003));
        assert_eq!((join.counts.matched, join.counts.unmatched), (1, 1));
        // No record is there at all, and then that of the next.
        assert_eq!(of(&mut join, &mut records, 3_000), None);
        records.0.push_back(record(4, 1, 3_003, PLACE));
        assert_eq!(of(&mut join, &mut records, 4_000), Some(3_003));
    }

    #[test]
    fn a_sample_that_the_program_did_not_number_moves_no_record_to_another_sample() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        let of = |join: &mut Join, records: &mut Records, tid, at| {
            joined(join, records, &sample(tid, at, 0x10, 0x70))
        };
        // Nothing was copied at it.
        assert_eq!(of(&mut join, &mut records, 2, 500), None);
        for (number, at) in (1..).zip([1_000, 2_000, 3_000]) {
            records.0.push_back(record(number, 1, at + 3, PLACE));
            assert_eq!(of(&mut join, &mut records, 1, at), Some(at + 3));
        }
        // And with the records of later samples, all at one place, there already.
        assert_eq!(of(&mut join, &mut records, 2, 3_500), None);
        for (number, at) in (4..).zip([10_000_000, 20_000_000, 30_000_000]) {
            records.0.push_back(record(number, 1, at + 3, PLACE));
        }
        for at in [10_000_000, 20_000_000, 30_000_000] {
            assert_eq!(of(&mut join, &mut records, 1, at), Some(at + 3));
        }
        assert_eq!((join.counts.unmatched, join.counts.orphaned), (2, 0));
    }

    #[test]
    fn lost_samples_leave_orphans() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        records.0.push_back(record(1, 1, 1_003, PLACE));
        records.0.push_back(vec![9; 3]);
        records.0.push_back(record(2, 1, 2_003, (0x10, 0x78)));
        records.0.push_back(record(3, 1, 90_000_003, (0x10, 0x78)));
        join.samples_were_lost();
        let found = joined(&mut join, &mut records, &sample(1, 2_000, 0x10, 0x78));
        assert_eq!(found, Some(2_003));
        assert_eq!((join.counts.orphaned, join.counts.malformed), (1, 1));
        // From there on numbers are known again.
        let found = joined(&mut join, &mut records, &sample(1, 3_000, 0x10, 0x78));
        assert_eq!(found, Some(90_000_003));
    }

    #[test]
    fn an_orphan_shows_of_which_source_its_sample_was() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        let place = usize::try_from(offset::STATUS).unwrap();
        for (number, of) in (1..).zip([Status::SWITCH_OUT, Status::PAGE_FAULT, 0]) {
            let mut orphan = record(number, 1, 1_003 + number, PLACE);
            let status = Status::USER | of;
            orphan[place..place + 8].copy_from_slice(&status.to_le_bytes());
            records.0.push_back(orphan);
        }
        records.0.push_back(record(4, 1, 2_003, (0x10, 0x78)));
        join.samples_were_lost();
        let found = joined(&mut join, &mut records, &sample(1, 2_000, 0x10, 0x78));
        assert_eq!(found, Some(2_003));
        let counts = join.counts;
        assert_eq!((counts.orphaned, counts.orphaned_switches), (3, 1));
        assert_eq!(counts.orphaned_faults, 1);
    }

    #[test]
    fn a_page_fault_that_a_tick_overtakes_has_no_record_and_takes_that_of_no_other() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        let in_kernel = (0xffff_0000, 0x70);
        let place = usize::try_from(offset::STATUS).unwrap();
        let at_fault = |number, time_ns| {
            let mut bytes = record(number, 1, time_ns, PLACE);
            let status = Status::USER | Status::PAGE_FAULT;
            bytes[place..place + 8].copy_from_slice(&status.to_le_bytes());
            bytes
        };
        records.0.push_back(at_fault(1, 1_003));
        records.0.push_back(record(2, 1, 1_503, in_kernel));
        // All at one place, and there already.
        records.0.push_back(at_fault(3, 2_003));
        let tick = sample(1, 1_500, in_kernel.0, in_kernel.1);
        assert_eq!(joined(&mut join, &mut records, &tick), Some(1_503));
        // Older kernels stamp it behind the program, others before.
        let mut of_fault = |at| joined(&mut join, &mut records, &sample(1, at, 0x10, 0x70));
        assert_eq!([1_600, 2_000].map(&mut of_fault), [None, Some(2_003)]);
        assert_eq!((join.counts.matched, join.counts.unmatched), (2, 1));
    }

    #[test]
    fn without_a_number_the_same_place_much_later_is_another_moment() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        records.0.push_back(record(7, 1, 5_000_000, PLACE));
        join.samples_were_lost();
        let found = joined(&mut join, &mut records, &sample(1, 1_000, 0x10, 0x70));
        assert_eq!(found, None);
        assert_eq!(records.0.len(), 1, "it is kept for its own sample");
    }

    #[test]
    fn a_record_with_the_right_number_of_another_place_is_not_taken() {
        let (mut join, mut records) = (Join::new(8), Records::default());
        records.0.push_back(record(1, 2, 1_003, PLACE));
        records.0.push_back(record(2, 1, 2_003, PLACE));
        let found = joined(&mut join, &mut records, &sample(1, 2_000, 0x10, 0x70));
        assert_eq!(
            found,
            Some(2_003),
            "the numbers are those of the program again"
        );
        assert_eq!(join.counts.orphaned, 1);
    }
}
