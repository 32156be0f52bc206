//! One sample as the reader leaves it: nothing named yet, everything that would be gone later.

use arch::sample::{self, COUNT as REGISTER_COUNT};

/// What made the kernel take a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleSource {
    /// The clock of a CPU.
    Clock,
    /// A thread was switched out. One with [`ReadFlags::LEFT`], [`ReadFlags::BACK`], [`ReadFlags::LOSS_BEGINS`] or
    /// [`ReadFlags::LOSS_ENDS`] is no sample: it has a time, a thread and a CPU alone.
    Switches,
    /// A thread touched memory without a page.
    Faults,
}

impl SampleSource {
    /// As it is in [`ReadFlags`]. A sample of the clock has no bit of it, as all samples once had.
    pub fn flags(self) -> u64 {
        let number: u64 = match self {
            Self::Clock => 0,
            Self::Switches => 1,
            Self::Faults => 2,
        };
        number << SOURCE_SHIFT
    }
}

/// The source is in the uppermost byte of the flags.
const SOURCE_SHIFT: u32 = 56;

/// The events while the sample was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadFlags(pub u64);

impl ReadFlags {
    /// The sample has user registers.
    pub const REGISTERS: u64 = 1 << 0;
    /// The program counter is in JIT code that runs on the Erlang stack.
    pub const IN_ERLANG: u64 = 1 << 1;
    /// The scheduler's and the process's fields were read.
    pub const LATE_READ: u64 = 1 << 2;
    /// After the read the scheduler still ran the same process.
    pub const SAME_PROCESS: u64 = 1 << 3;
    /// After the read the return address into JIT code was the same.
    pub const SAME_CALL: u64 = 1 << 4;
    /// After the read the C stack was byte by byte as in the sample.
    pub const SAME_C_STACK: u64 = 1 << 5;
    /// After the read the process had the same stack and heap bounds.
    pub const SAME_BOUNDS: u64 = 1 << 6;
    /// The Erlang stack is longer than a reader reads.
    pub const STACK_CUT: u64 = 1 << 7;
    /// The thread is a dirty scheduler.
    pub const DIRTY: u64 = 1 << 8;
    /// Scheduler, process and Erlang stack were copied in the kernel, at the sample itself.
    pub const COPIED: u64 = 1 << 9;
    /// They should have been, but nothing was: the thread's work is not known.
    pub const UNMATCHED: u64 = 1 << 10;
    /// The scheduler named a stand-in; the process is the one it ran before. It is the right one if
    /// the registers that C code preserves show that.
    pub const GUESSED_PROCESS: u64 = 1 << 11;
    /// After the read the outermost part of the sampled stack was another: the X registers, or the
    /// outermost words of the C stack where the sample does not reach so far.
    pub const OTHER_OUTERMOST: u64 = 1 << 12;

    /// The scheduler ran nothing, and it is known whether it waits.
    pub const WAIT_KNOWN: u64 = 1 << 13;
    /// The scheduler waits.
    pub const WAITS: u64 = 1 << 14;
    /// The scheduler's current work was read, if only that it has none.
    pub const SCHEDULER_READ: u64 = 1 << 15;

    /// Nothing that interpreted code writes at every step changed between two reads, and the
    /// reader has a priority at which the thread does not run on from its sample.
    pub const HELD: u64 = 1 << 16;
    /// Memory that the program of `bpf` was to copy was not there.
    pub const COPY_FAILED: u64 = 1 << 17;
    /// The outer end of a longer Erlang stack was copied apart from its upper part.
    pub const HAS_OUTER: u64 = 1 << 19;
    /// The thread did not run from the sample to the end of all reads: it was stopped or frozen.
    pub const HALTED: u64 = 1 << 18;

    /// The thread came back to a CPU.
    pub const BACK: u64 = 1 << 20;
    /// The thread left its CPU.
    pub const LEFT: u64 = 1 << 21;
    /// It would have run on.
    pub const PREEMPTED: u64 = 1 << 22;
    /// After this time, records of the CPU may be missing.
    pub const LOSS_BEGINS: u64 = 1 << 23;
    /// After this time, no longer.
    pub const LOSS_ENDS: u64 = 1 << 24;

    /// What made the kernel take the sample.
    pub fn source(self) -> SampleSource {
        match self.0 >> SOURCE_SHIFT {
            1 => SampleSource::Switches,
            2 => SampleSource::Faults,
            _ => SampleSource::Clock,
        }
    }

    /// True when all of `bits` are set.
    pub fn has(self, bits: u64) -> bool {
        self.0 & bits == bits
    }

    /// Adds whether the scheduler, which runs nothing, waits; `None` when that is not known.
    pub fn add_waiting(&mut self, waits: Option<bool>) {
        self.0 |= match waits {
            Some(false) => Self::WAIT_KNOWN,
            Some(true) => Self::WAIT_KNOWN | Self::WAITS,
            None => 0,
        };
    }
}

/// A sample to be queued.
#[derive(Debug, Clone, Copy, Default)]
pub struct RawSample<'a> {
    /// CLOCK_MONOTONIC of the sample, nanoseconds.
    pub time_ns: u64,
    /// CLOCK_MONOTONIC after the last remote read, nanoseconds; 0 when there was none.
    pub read_done_ns: u64,
    /// Thread.
    pub tid: u32,
    /// CPU.
    pub cpu: u32,
    /// Program counter, in the kernel or in user space.
    pub ip: u64,
    /// The events while it was read.
    pub flags: ReadFlags,
    /// User registers.
    pub registers: [u64; REGISTER_COUNT],
    /// The scheduler's current process; 0 for none.
    pub current_process: u64,
    /// The scheduler's current port; 0 for none.
    pub current_port: u64,
    /// The word just below the register block: the return address into JIT code, if C code runs.
    pub call_slot: u64,
    /// Bytes of C stack that were compared with those at the sample.
    pub compared_bytes: u64,
    /// The VM's active code index at the sample, or when it was read late, after it.
    pub code_index: Option<u32>,
    /// Address of the first word of `erlang`.
    pub erlang_top: u64,
    /// Kernel call chain, words.
    pub chain: &'a [u8],
    /// User stack from the stack pointer up, as sampled.
    pub stack: &'a [u8],
    /// More of it, up to its top.
    pub stack_rest: &'a [u8],
    /// Address of the first byte of `stack_rest`: pages that were never touched lie in between.
    pub stack_rest_address: u64,
    /// The process struct; of a scheduler that runs a port and no process, the port's.
    pub process: &'a [u8],
    /// The Erlang stack.
    pub erlang: &'a [u8],
    /// Address of the first word of `outer`.
    pub outer_at: u64,
    /// The outer end of an Erlang stack that is longer than `erlang`, up to its bottom. It is in the batch only with
    /// [`ReadFlags::HAS_OUTER`]: behind `erlang`, and then its address and its length.
    pub outer: &'a [u8],
}

const HEADER_WORDS: usize = 14;
const FIXED_WORDS: usize = HEADER_WORDS + REGISTER_COUNT;

impl RawSample<'_> {
    fn parts(&self) -> [&[u8]; 5] {
        [
            self.chain,
            self.stack,
            self.stack_rest,
            self.process,
            self.erlang,
        ]
    }

    /// Words this takes in a batch.
    pub fn len_words(&self) -> usize {
        FIXED_WORDS
            + self
                .parts()
                .iter()
                .map(|part| part.len() / 8)
                .sum::<usize>()
            + self.outer_words()
    }

    /// Words that the outer end takes, its address and its length among them.
    fn outer_words(&self) -> usize {
        match self.flags.has(ReadFlags::HAS_OUTER) {
            true => self.outer.len() / 8 + 2,
            false => 0,
        }
    }

    /// Appends it to `words`.
    pub fn encode(&self, words: &mut Vec<u64>) {
        let parts = self.parts();
        let mut lengths = parts.map(|part| (part.len() / 8) as u64);
        lengths[4] += self.outer_words() as u64;
        words.extend([
            self.time_ns,
            self.read_done_ns,
            u64::from(self.tid) | u64::from(self.cpu) << 32,
            self.ip,
            self.flags.0,
            self.current_process,
            self.current_port,
            self.call_slot,
            self.erlang_top,
            self.compared_bytes,
            lengths[0] | lengths[1] << 32,
            lengths[2] | lengths[3] << 32,
            lengths[4]
                | u64::from(self.code_index.map_or(0, |index| index.saturating_add(1))) << 32,
            self.stack_rest_address,
        ]);
        words.extend(self.registers);
        for part in parts {
            words.extend(target_memory::bytes_to_words(part));
        }
        if self.flags.has(ReadFlags::HAS_OUTER) {
            words.extend(target_memory::bytes_to_words(self.outer));
            words.extend([self.outer_at, (self.outer.len() / 8) as u64]);
        }
    }
}

/// A queued sample. Fields as in [`RawSample`].
#[derive(Debug, Clone, Copy)]
pub struct RawSampleRef<'a> {
    /// See [`RawSample::time_ns`].
    pub time_ns: u64,
    /// See [`RawSample::read_done_ns`].
    pub read_done_ns: u64,
    /// See [`RawSample::tid`].
    pub tid: u32,
    /// See [`RawSample::cpu`].
    pub cpu: u32,
    /// See [`RawSample::ip`].
    pub ip: u64,
    /// See [`RawSample::flags`].
    pub flags: ReadFlags,
    /// See [`RawSample::current_process`].
    pub current_process: u64,
    /// See [`RawSample::current_port`].
    pub current_port: u64,
    /// See [`RawSample::call_slot`].
    pub call_slot: u64,
    /// See [`RawSample::compared_bytes`].
    pub compared_bytes: u64,
    /// See [`RawSample::code_index`].
    pub code_index: Option<u32>,
    /// See [`RawSample::erlang_top`].
    pub erlang_top: u64,
    /// See [`RawSample::registers`].
    pub registers: &'a [u64],
    /// See [`RawSample::chain`].
    pub chain: &'a [u64],
    /// See [`RawSample::stack`].
    pub stack: &'a [u64],
    /// See [`RawSample::stack_rest_address`].
    pub stack_rest_address: u64,
    /// See [`RawSample::stack_rest`].
    pub stack_rest: &'a [u64],
    /// See [`RawSample::process`].
    pub process: &'a [u64],
    /// See [`RawSample::erlang`].
    pub erlang: &'a [u64],
    /// See [`RawSample::outer_at`].
    pub outer_at: u64,
    /// See [`RawSample::outer`].
    pub outer: &'a [u64],
}

impl<'a> RawSampleRef<'a> {
    /// Takes the first sample off `words`.
    pub fn decode(words: &'a [u64]) -> Option<(Self, &'a [u64])> {
        let (fixed, mut rest) = words.split_at_checked(FIXED_WORDS)?;
        let (header, registers) = fixed.split_at(HEADER_WORDS);
        let mut part = |len: u64| {
            let (part, tail) = rest.split_at_checked(len as usize)?;
            rest = tail;
            Some(part)
        };
        let (low, high) = (|word: u64| word & 0xffff_ffff, |word: u64| word >> 32);
        let mut sample = Self {
            time_ns: header[0],
            read_done_ns: header[1],
            tid: low(header[2]) as u32,
            cpu: high(header[2]) as u32,
            ip: header[3],
            flags: ReadFlags(header[4]),
            current_process: header[5],
            current_port: header[6],
            call_slot: header[7],
            code_index: (high(header[12]) as u32).checked_sub(1),
            erlang_top: header[8],
            compared_bytes: header[9],
            stack_rest_address: header[13],
            registers,
            chain: part(low(header[10]))?,
            stack: part(high(header[10]))?,
            stack_rest: part(low(header[11]))?,
            process: part(high(header[11]))?,
            erlang: part(low(header[12]))?,
            outer_at: 0,
            outer: &[],
        };
        if sample.flags.has(ReadFlags::HAS_OUTER)
            && let [before @ .., address, len] = sample.erlang
        {
            let split = before.len().checked_sub(*len as usize)?;
            (sample.erlang, sample.outer) = before.split_at(split);
            sample.outer_at = *address;
        }
        Some((sample, rest))
    }

    /// Appends it to `words` as [`RawSample::encode`] does.
    pub fn encode(&self, words: &mut Vec<u64>) {
        let bytes =
            |part: &[u64]| -> Vec<u8> { part.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let (chain, stack) = (bytes(self.chain), bytes(self.stack));
        let (stack_rest, process) = (bytes(self.stack_rest), bytes(self.process));
        let (erlang, outer) = (bytes(self.erlang), bytes(self.outer));
        let mut registers = [0; REGISTER_COUNT];
        for (to, from) in registers.iter_mut().zip(self.registers) {
            *to = *from;
        }
        RawSample {
            time_ns: self.time_ns,
            read_done_ns: self.read_done_ns,
            tid: self.tid,
            cpu: self.cpu,
            ip: self.ip,
            flags: self.flags,
            registers,
            current_process: self.current_process,
            current_port: self.current_port,
            call_slot: self.call_slot,
            compared_bytes: self.compared_bytes,
            code_index: self.code_index,
            erlang_top: self.erlang_top,
            stack_rest_address: self.stack_rest_address,
            chain: &chain,
            stack: &stack,
            stack_rest: &stack_rest,
            process: &process,
            erlang: &erlang,
            outer_at: self.outer_at,
            outer: &outer,
        }
        .encode(words);
    }

    /// The user register at `index`; 0 when the sample has none.
    pub fn register(&self, index: usize) -> u64 {
        self.registers.get(index).copied().unwrap_or(0)
    }

    /// The word of the user stack at `address`, sampled or read late.
    pub fn stack_word(&self, address: u64) -> Option<u64> {
        self.sampled_word(address)
            .or_else(|| word_at(self.stack_rest, self.stack_rest_address, address))
    }

    /// The word of the user stack at `address`, only if it is in the sample itself.
    pub fn sampled_word(&self, address: u64) -> Option<u64> {
        word_at(self.stack, self.register(sample::STACK_POINTER), address)
    }

    /// The word of the Erlang stack at `address`, from wherever it was copied.
    pub fn erlang_word(&self, address: u64) -> Option<u64> {
        word_at(self.erlang, self.erlang_top, address)
    }

    /// The process struct as bytes, into `out`: none where none runs.
    pub fn process_bytes(&self, out: &mut Vec<u8>) {
        out.clear();
        if self.current_process != 0 {
            out.extend(bytes_of(self.process));
        }
    }

    /// The struct of the port that the scheduler runs for no process as bytes, into `out`: none of any other sample.
    pub fn port_bytes(&self, out: &mut Vec<u8>) {
        out.clear();
        if self.current_process == 0 && self.current_port != 0 {
            out.extend(bytes_of(self.process));
        }
    }
}

fn bytes_of(words: &[u64]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_le_bytes())
}

/// The word at `address` of `words`, the first of which is at `first`.
fn word_at(words: &[u64], first: u64, address: u64) -> Option<u64> {
    let offset = address.checked_sub(first)?;
    let index = usize::try_from(offset / 8).ok()?;
    offset
        .is_multiple_of(8)
        .then(|| words.get(index).copied())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let mut registers = [0; REGISTER_COUNT];
        registers[sample::STACK_POINTER] = 0x7000;
        let bytes = |words: &[u64]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let (stack, rest, process, erlang) =
            (bytes(&[1, 2]), bytes(&[3]), bytes(&[4, 5, 6]), bytes(&[7]));
        let sample = RawSample {
            time_ns: 9,
            tid: 77,
            cpu: 3,
            registers,
            flags: ReadFlags(ReadFlags::REGISTERS | ReadFlags::SAME_CALL),
            stack: &stack,
            stack_rest: &rest,
            stack_rest_address: 0x7010,
            code_index: Some(2),
            process: &process,
            erlang: &erlang,
            ..RawSample::default()
        };
        let mut words = vec![];
        sample.encode(&mut words);
        assert_eq!(words.len(), sample.len_words());
        let (seen, tail) = RawSampleRef::decode(&words).unwrap();
        assert!(tail.is_empty());
        assert_eq!((seen.time_ns, seen.tid, seen.cpu), (9, 77, 3));
        let mut again = vec![];
        seen.encode(&mut again);
        assert_eq!(again, words);
        assert_eq!(seen.stack_word(0x7008), Some(2));
        assert_eq!(seen.stack_word(0x7010), Some(3));
        assert_eq!(seen.stack_word(0x7018), None);
        assert_eq!(seen.stack_word(0x6ff8), None);
        assert_eq!((seen.process, seen.erlang), (&[4, 5, 6][..], &[7][..]));
        assert_eq!(seen.code_index, Some(2));
        assert!(seen.flags.has(ReadFlags::SAME_CALL) && !seen.flags.has(ReadFlags::IN_ERLANG));
    }

    #[test]
    fn the_outer_end_of_a_stack_comes_out_apart_from_its_upper_part() {
        let bytes = |words: &[u64]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let (erlang, outer) = (bytes(&[1, 2, 3]), bytes(&[4, 5]));
        let mut words = vec![];
        let sample = RawSample {
            flags: ReadFlags(ReadFlags::HAS_OUTER),
            erlang: &erlang,
            outer_at: 0x9000,
            outer: &outer,
            ..RawSample::default()
        };
        sample.encode(&mut words);
        assert_eq!(words.len(), sample.len_words());
        let (seen, tail) = RawSampleRef::decode(&words).unwrap();
        assert_eq!((seen.erlang, seen.outer), (&[1, 2, 3][..], &[4, 5][..]));
        assert_eq!((seen.outer_at, tail.len()), (0x9000, 0));
        let mut again = vec![];
        seen.encode(&mut again);
        assert_eq!(again, words);
        // A length that is not there is no sample.
        let last = words.len() - 1;
        words[last] = 6;
        assert!(RawSampleRef::decode(&words).is_none());
    }

    #[test]
    fn the_source_comes_out_and_takes_no_further_word() {
        let encoded = |flags| {
            let (sample, mut words) = (
                RawSample {
                    time_ns: 5,
                    tid: 7,
                    cpu: 2,
                    flags: ReadFlags(flags),
                    ..RawSample::default()
                },
                vec![],
            );
            sample.encode(&mut words);
            words
        };
        let left = ReadFlags::LEFT | ReadFlags::PREEMPTED;
        let words = encoded(SampleSource::Switches.flags() | left);
        assert_eq!(words.len(), FIXED_WORDS);
        let (seen, _) = RawSampleRef::decode(&words).unwrap();
        assert_eq!(seen.flags.source(), SampleSource::Switches);
        assert!(seen.flags.has(left) && !seen.flags.has(ReadFlags::BACK));
        assert_eq!((seen.time_ns, seen.tid, seen.cpu), (5, 7, 2));
        // All flags of a sample, as recorded ones have them, say nothing of another source.
        let words = encoded((1 << SOURCE_SHIFT) - 1);
        let (seen, _) = RawSampleRef::decode(&words).unwrap();
        assert_eq!(seen.flags.source(), SampleSource::Clock);
        assert_eq!(SampleSource::Clock.flags(), 0);
        let of_fault = encoded(SampleSource::Faults.flags() | ReadFlags::IN_ERLANG);
        let (seen, _) = RawSampleRef::decode(&of_fault).unwrap();
        assert_eq!(seen.flags.source(), SampleSource::Faults);
    }

    #[test]
    fn cut_words_are_no_sample() {
        let mut words = vec![];
        RawSample {
            stack: &[0; 64],
            ..RawSample::default()
        }
        .encode(&mut words);
        assert!((0..words.len()).all(|len| RawSampleRef::decode(&words[..len]).is_none()));
    }
}
