//! The records that the program writes into its ring, one per sample, and how they are read back.
//!
//! Both sides of the layout are here: [`crate::program`] stores at these offsets. All fields are
//! little-endian words unless stated otherwise.

/// Length of the fixed part of every record.
pub const HEADER_BYTES: usize = 120;

/// Offsets in the fixed part.
pub mod offset {
    /// 32 bits: [`super::KIND_SAMPLE`], [`super::KIND_C_STACK`] or [`super::KIND_TAIL`].
    pub const KIND: i16 = 0;
    /// 32 bits: thread, as the recording side numbers it.
    pub const TID: i16 = 4;
    /// CLOCK_MONOTONIC, nanoseconds.
    pub const TIME: i16 = 8;
    /// Program counter of the interrupted code, in the kernel or in user space.
    pub const IP: i16 = 16;
    /// User-space stack pointer.
    pub const SP: i16 = 24;
    /// Bits of [`super::Status`].
    pub const STATUS: i16 = 32;
    /// The scheduler's current process.
    pub const PROCESS: i16 = 40;
    /// The scheduler's current port.
    pub const PORT: i16 = 48;
    /// The word below the register block.
    pub const CALL_SLOT: i16 = 56;
    /// Address of the first word of the stack copied. In a tail: of the first page.
    pub const LOW: i16 = 64;
    /// Bytes of stack copied. In a tail: one bit for each page, the highest page first.
    pub const LEN: i16 = 72;
    /// Bytes of stack there were.
    pub const WANTED: i16 = 80;
    /// Bytes below the stack pointer that were copied, too.
    pub const BELOW: i16 = 88;
    /// User-space frame pointer.
    pub const BP: i16 = 96;
    /// 32 bits: the VM's active code index, or [`super::NO_CODE_INDEX`].
    pub const CODE_INDEX: i16 = 104;
    /// Number of the sample among those of schedulers on its CPU, from 1 on.
    pub const SEQUENCE: i16 = 112;
}

/// In the place of a code index that is not known.
pub const NO_CODE_INDEX: u32 = u32::MAX;

/// A sample: header, process struct, [`BELOW_BYTES`] of the memory below the stack, stack. Without a process: header,
/// and the struct of the port that is executed, if there is one.
pub const KIND_SAMPLE: i32 = 1;
/// The upper pages of a long C stack: header, pages.
pub const KIND_TAIL: i32 = 2;
/// The C stack from the stack pointer up: header, stack.
pub const KIND_C_STACK: i32 = 3;

/// Where the JIT keeps the stack pointer in a register, Process.stop is the one of the last call
/// that stored it; the stack may have grown by about this much since.
pub const BELOW_BYTES: usize = 1024;
/// The memory below the stack is copied in pieces of this length, as far as it is there.
pub const BELOW_STEP_BYTES: usize = 256;
/// Room for the stack, by class of record; the last is the most that is copied.
pub const STACK_ROOM_BYTES: [usize; 5] = [2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10];
/// Of a stack that is longer than the largest record, so much of its outer end is copied in place of the words before
/// it: its last words, in the last bytes of the room.
pub const OUTER_BYTES: usize = 16 << 10;
/// The classes of records in which whole pages are copied that hold the stack somewhere.
pub const PAGES_CLASSES: [usize; 3] = [2, 3, 4];
/// Room for the part of a C stack near its stack pointer, by class of record.
pub const NEAR_ROOM_BYTES: [usize; 2] = [1 << 10, 4 << 10];
/// It is copied in pieces of this length where not all of it is there.
pub const NEAR_STEP_BYTES: usize = 512;
/// Page of memory.
pub const PAGE_BYTES: usize = 4096;
/// Pages of a C stack in a tail.
pub const TAIL_PAGES: usize = 8;

/// What the program saw and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status(pub u64);

impl Status {
    /// The user-space registers of the thread are known.
    pub const USER: u64 = 1 << 0;
    /// The stack starts at Process.stop, not at a register.
    pub const FROM_STOP: u64 = 1 << 1;
    /// Process.stop is outside the heap block: the collector is moving the stack. Whole pages were
    /// copied from the one that holds it on.
    pub const UNBOUNDED: u64 = 1 << 2;
    /// The stack is longer than the largest record; its upper part is missing.
    pub const CUT: u64 = 1 << 3;
    /// The process struct was copied.
    pub const HAS_PROCESS: u64 = 1 << 4;
    /// The stack was copied.
    pub const HAS_STACK: u64 = 1 << 5;
    /// The scheduler named no real process; the process is the one the thread ran before.
    pub const GUESSED: u64 = 1 << 6;
    /// A collector is at work and the bottom of the stack is not where the process struct has it:
    /// whole pages of the heap block were copied, in which the stack should be.
    pub const MOVED: u64 = 1 << 7;
    /// Memory that was to be copied was not there: the stack, the process, or a part of the C stack.
    pub const COPY_FAILED: u64 = 1 << 8;
    /// What the scheduler runs could not be read.
    pub const NO_SCHEDULER: u64 = 1 << 9;
    /// It ran a port and no process, and the port's struct was copied in the place of a process's.
    pub const HAS_PORT: u64 = 1 << 10;
    /// The stack is longer than the largest record, and its outer end was copied apart from its upper part.
    pub const HAS_OUTER: u64 = 1 << 11;
    /// The thread was switched out.
    pub const SWITCH_OUT: u64 = 1 << 12;
    /// The thread touched memory without a page; otherwise, and unless it was switched out, a clock ticked.
    pub const PAGE_FAULT: u64 = 1 << 13;
    /// The scheduler ran nothing, and the word that shows whether it waits was read.
    pub const WAIT_KNOWN: u64 = 1 << 16;
    /// One of the bits that count was set in it.
    pub const WAITS: u64 = 1 << 17;

    /// True when all of `bits` are set.
    pub fn has(self, bits: u64) -> bool {
        self.0 & bits == bits
    }
}

/// The data copied at one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleCopy<'a> {
    /// Thread.
    pub tid: u32,
    /// CLOCK_MONOTONIC, nanoseconds.
    pub time_ns: u64,
    /// Number of the sample among those of schedulers on its CPU.
    pub sequence: u64,
    /// Program counter of the interrupted code.
    pub ip: u64,
    /// The user-space stack pointer; 0 when it is not known.
    pub sp: u64,
    /// User-space frame pointer; 0 when it is not known.
    pub bp: u64,
    /// What the program saw and did.
    pub status: Status,
    /// The scheduler's current process; 0 for none.
    pub current_process: u64,
    /// The scheduler's current port; 0 for none.
    pub current_port: u64,
    /// The word below the register block: the return address into JIT code, if C code runs.
    pub call_slot: u64,
    /// The VM's active code index.
    pub code_index: Option<u32>,
    /// The process struct, or of a scheduler that runs a port and no process the port's; empty when it could not be
    /// read.
    pub process: &'a [u8],
    /// Address of the first byte of `stack`.
    pub stack_address: u64,
    /// The Erlang stack and the memory below it, as one piece.
    pub stack: &'a [u8],
    /// Address of the first byte of `outer`.
    pub outer_address: u64,
    /// The outer end of a stack that is longer than `stack`, up to its bottom; else empty.
    pub outer: &'a [u8],
}

/// A part of a C stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CStackPart<'a> {
    /// Thread.
    pub tid: u32,
    /// CLOCK_MONOTONIC, nanoseconds: the time of the [`SampleCopy`] that follows.
    pub time_ns: u64,
    /// Address of the first byte of `bytes`.
    pub address: u64,
    /// The stack from there on, without a hole: from its stack pointer up, or in a tail up to the
    /// page that holds its top.
    pub bytes: &'a [u8],
}

/// One record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parsed<'a> {
    /// A sample.
    Sample(SampleCopy<'a>),
    /// The C stack of the sample that follows, from its stack pointer up.
    CStack(CStackPart<'a>),
    /// The upper part of a long one.
    Tail(CStackPart<'a>),
}

/// Offset of the process struct in a record.
pub const PROCESS_OFFSET: usize = HEADER_BYTES;

/// Offset of the copied memory below the stack.
pub fn below_offset(process_bytes: usize) -> usize {
    PROCESS_OFFSET + process_bytes.next_multiple_of(8)
}

/// Offset of the stack.
pub fn stack_offset(process_bytes: usize) -> usize {
    below_offset(process_bytes) + BELOW_BYTES
}

/// Reads one record of a program made for process structs of `process_bytes`. `None` when it is
/// cut or contradicts itself.
pub fn parse_record(process_bytes: usize, bytes: &[u8]) -> Option<Parsed<'_>> {
    let kind = half(bytes, offset::KIND)?;
    match kind.cast_signed() {
        KIND_SAMPLE => sample(process_bytes, bytes).map(Parsed::Sample),
        KIND_C_STACK => c_stack(bytes).map(Parsed::CStack),
        KIND_TAIL => tail(bytes).map(Parsed::Tail),
        _ => None,
    }
}

fn sample(process_bytes: usize, bytes: &[u8]) -> Option<SampleCopy<'_>> {
    let status = Status(word(bytes, offset::STATUS)?);
    let mut record = SampleCopy {
        tid: half(bytes, offset::TID)?,
        time_ns: word(bytes, offset::TIME)?,
        sequence: word(bytes, offset::SEQUENCE)?,
        ip: word(bytes, offset::IP)?,
        sp: 0,
        bp: 0,
        status,
        current_process: word(bytes, offset::PROCESS)?,
        current_port: word(bytes, offset::PORT)?,
        call_slot: word(bytes, offset::CALL_SLOT)?,
        code_index: half(bytes, offset::CODE_INDEX).filter(|index| *index != NO_CODE_INDEX),
        process: &[],
        stack_address: 0,
        stack: &[],
        outer_address: 0,
        outer: &[],
    };
    if status.has(Status::USER) {
        (record.sp, record.bp) = (word(bytes, offset::SP)?, word(bytes, offset::BP)?);
    }
    if status.has(Status::HAS_PROCESS) {
        record.process = bytes
            .get(PROCESS_OFFSET..)?
            .get(..process_bytes.next_multiple_of(8))?;
    }
    if status.has(Status::HAS_PORT) && record.current_process == 0 {
        record.process = bytes.get(PROCESS_OFFSET..)?;
    }
    if status.has(Status::HAS_STACK) {
        let below = bounded(word(bytes, offset::BELOW)?, BELOW_BYTES)?;
        let len = bounded(word(bytes, offset::LEN)?, bytes.len())?;
        let first = stack_offset(process_bytes).checked_sub(below)?;
        // Words only: later code expects no halves.
        let len = below.checked_add(len)? & !7;
        record.stack = bytes.get(first..first.checked_add(len)?)?;
        let low = word(bytes, offset::LOW)?;
        record.stack_address = low.checked_sub(below as u64)?;
        let wanted = word(bytes, offset::WANTED)?;
        if status.has(Status::HAS_OUTER) && wanted > word(bytes, offset::LEN)? {
            let largest = STACK_ROOM_BYTES.last().copied()?;
            let outer = stack_offset(process_bytes) + largest - OUTER_BYTES;
            record.outer = bytes.get(outer..outer + OUTER_BYTES)?;
            let end = low.checked_add(wanted)?;
            record.outer_address = end.checked_sub(OUTER_BYTES as u64)?;
        }
    }
    Some(record)
}

fn c_stack(bytes: &[u8]) -> Option<CStackPart<'_>> {
    let len = bounded(word(bytes, offset::LEN)?, bytes.len())? & !7;
    Some(CStackPart {
        tid: half(bytes, offset::TID)?,
        time_ns: word(bytes, offset::TIME)?,
        address: word(bytes, offset::LOW)?,
        bytes: bytes.get(HEADER_BYTES..)?.get(..len)?,
    })
}

fn tail(bytes: &[u8]) -> Option<CStackPart<'_>> {
    let pages_copied = word(bytes, offset::LEN)?;
    // Bit 0 is the page that holds the top; from there down as far as there is no hole.
    let pages = (pages_copied.trailing_ones() as usize).min(TAIL_PAGES);
    let skipped = (TAIL_PAGES - pages) * PAGE_BYTES;
    let all = bytes.get(HEADER_BYTES..HEADER_BYTES + TAIL_PAGES * PAGE_BYTES)?;
    Some(CStackPart {
        tid: half(bytes, offset::TID)?,
        time_ns: word(bytes, offset::TIME)?,
        address: word(bytes, offset::LOW)?.checked_add(skipped as u64)?,
        bytes: all.get(skipped..)?,
    })
}

fn bounded(value: u64, most: usize) -> Option<usize> {
    usize::try_from(value).ok().filter(|value| *value <= most)
}

fn word(bytes: &[u8], offset: i16) -> Option<u64> {
    let offset = usize::try_from(offset).ok()?;
    Some(u64::from_le_bytes(
        bytes.get(offset..offset + 8)?.try_into().ok()?,
    ))
}

fn half(bytes: &[u8], offset: i16) -> Option<u32> {
    let offset = usize::try_from(offset).ok()?;
    Some(u32::from_le_bytes(
        bytes.get(offset..offset + 4)?.try_into().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROCESS_BYTES: usize = 20;

    fn put(bytes: &mut [u8], offset: i16, value: u64) {
        bytes[offset as usize..offset as usize + 8].copy_from_slice(&value.to_le_bytes());
    }

    /// A sample with a stack of three words and one piece of the memory below it.
    fn sample_bytes(status: u64) -> Vec<u8> {
        let mut bytes = vec![0; stack_offset(PROCESS_BYTES) + 64];
        put(
            &mut bytes,
            offset::KIND,
            u64::from(KIND_SAMPLE as u32) | 77 << 32,
        );
        for (place, value) in [
            (offset::TIME, 5),
            (offset::IP, 0x1000),
            (offset::SP, 0x7000),
            (offset::STATUS, status),
            (offset::PROCESS, 0x3_0000),
            (offset::LOW, 0x9000),
            (offset::LEN, 24),
            (offset::BELOW, 256),
            (offset::CODE_INDEX, 2),
        ] {
            put(&mut bytes, place, value);
        }
        bytes[PROCESS_OFFSET] = 3;
        let stack = stack_offset(PROCESS_BYTES);
        bytes[stack] = 0xaa;
        bytes[stack - 256] = 0xbb;
        bytes
    }

    fn parsed_sample(bytes: &[u8]) -> SampleCopy<'_> {
        match parse_record(PROCESS_BYTES, bytes) {
            Some(Parsed::Sample(record)) => record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn of_a_scheduler_without_a_process_the_port_is_there() {
        let mut bytes = vec![0; HEADER_BYTES + 16];
        put(&mut bytes, offset::KIND, u64::from(KIND_SAMPLE as u32));
        put(&mut bytes, offset::PORT, 0x5000);
        put(&mut bytes, offset::STATUS, Status::HAS_PORT);
        bytes[PROCESS_OFFSET] = 7;
        let process = |bytes: &[u8]| match parse_record(PROCESS_BYTES, bytes) {
            Some(Parsed::Sample(record)) => record.process.to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!((process(&bytes).len(), process(&bytes)[0]), (16, 7));
        put(&mut bytes, offset::PROCESS, 0x3_0000);
        assert!(process(&bytes).is_empty());
    }

    #[test]
    fn a_sample_with_its_process_and_stack() {
        let bytes = sample_bytes(Status::USER | Status::HAS_PROCESS | Status::HAS_STACK);
        let record = parsed_sample(&bytes);
        assert_eq!((record.tid, record.time_ns, record.sp), (77, 5, 0x7000));
        assert_eq!((record.process.len(), record.process[0]), (24, 3));
        assert_eq!(record.stack_address, 0x9000 - 256);
        assert_eq!(record.stack.len(), 256 + 24);
        assert_eq!((record.stack[0], record.stack[256]), (0xbb, 0xaa));
        assert_eq!(record.code_index, Some(2));
        let mut bytes = bytes.clone();
        put(&mut bytes, offset::CODE_INDEX, u64::from(NO_CODE_INDEX));
        assert_eq!(parsed_sample(&bytes).code_index, None);
    }

    #[test]
    fn of_a_stack_that_is_longer_than_its_record_the_outer_end_is_there() {
        let largest = STACK_ROOM_BYTES[STACK_ROOM_BYTES.len() - 1];
        let upper = largest - OUTER_BYTES;
        let cut = |status: u64, wanted: u64| {
            let mut bytes = sample_bytes(Status::HAS_STACK | Status::CUT | status);
            bytes.resize(stack_offset(PROCESS_BYTES) + largest, 0);
            put(&mut bytes, offset::LEN, upper as u64);
            put(&mut bytes, offset::WANTED, wanted);
            bytes[stack_offset(PROCESS_BYTES) + upper] = 0xcc;
            bytes
        };
        let bytes = cut(Status::HAS_OUTER, 0x20_0000);
        let record = parsed_sample(&bytes);
        assert_eq!(record.stack.len(), 256 + upper);
        assert_eq!((record.outer.len(), record.outer[0]), (OUTER_BYTES, 0xcc));
        assert_eq!(
            record.outer_address,
            0x9000 + 0x20_0000 - OUTER_BYTES as u64
        );
        // It could not be read; a copy from the register was given up for a shorter one from Process.stop.
        for bytes in [cut(0, 0x20_0000), cut(Status::HAS_OUTER, upper as u64)] {
            assert!(parsed_sample(&bytes).outer.is_empty());
        }
    }

    #[test]
    fn what_was_not_read_is_not_shown() {
        let bytes = sample_bytes(0);
        let record = parsed_sample(&bytes);
        assert_eq!(
            (record.sp, record.process, record.stack),
            (0, &[][..], &[][..])
        );
    }

    #[test]
    fn lengths_beyond_the_record_are_no_record() {
        let whole = Status::HAS_PROCESS | Status::HAS_STACK;
        for (place, value) in [
            (offset::LEN, 72),
            (offset::LEN, u64::MAX),
            (offset::BELOW, 4096),
            (offset::LOW, 8),
            (offset::KIND, 9),
        ] {
            let mut bytes = sample_bytes(whole);
            put(&mut bytes, place, value);
            assert_eq!(parse_record(PROCESS_BYTES, &bytes), None, "{place} {value}");
        }
    }

    #[test]
    fn a_tail_ends_at_its_first_hole() {
        let mut bytes = vec![0; HEADER_BYTES + TAIL_PAGES * PAGE_BYTES];
        put(&mut bytes, offset::KIND, u64::from(KIND_TAIL as u32));
        put(&mut bytes, offset::LOW, 0x10_0000);
        put(&mut bytes, offset::LEN, 0b1011);
        let Some(Parsed::Tail(tail)) = parse_record(PROCESS_BYTES, &bytes) else {
            panic!("not a tail")
        };
        assert_eq!(tail.bytes.len(), 2 * PAGE_BYTES);
        assert_eq!(tail.address, 0x10_0000 + 6 * PAGE_BYTES as u64);
    }

    #[test]
    fn a_c_stack_holds_what_was_copied_of_it() {
        let mut bytes = vec![0; HEADER_BYTES + 1024];
        put(&mut bytes, offset::KIND, KIND_C_STACK as u64);
        put(&mut bytes, offset::LOW, 0x7f00);
        put(&mut bytes, offset::LEN, 512 + 5);
        let Some(Parsed::CStack(part)) = parse_record(PROCESS_BYTES, &bytes) else {
            panic!("not a C stack")
        };
        assert_eq!((part.address, part.bytes.len()), (0x7f00, 512));
        put(&mut bytes, offset::LEN, 1032);
        assert_eq!(parse_record(PROCESS_BYTES, &bytes), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(mut bytes: Vec<u8>, kind in 0u8..5, process_bytes in 0usize..2048) {
            if let Some(first) = bytes.first_mut() { *first = kind; }
            let _ = parse_record(process_bytes, &bytes);
        }

        #[test]
        fn garbage_in_a_record_of_full_length_never_panics(
            words in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..2048], 15),
            room in 0usize..4096,
        ) {
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes[..4].copy_from_slice(&(KIND_SAMPLE as u32).to_le_bytes());
            bytes.resize(bytes.len() + room, 0x55);
            if let Some(Parsed::Sample(record)) = parse_record(PROCESS_BYTES, &bytes) {
                prop_assert!(record.stack.len() <= bytes.len());
            }
        }
    }
}
