//! The records of a ring. The kernel writes them, but they are parsed like any hostile bytes.

use crate::attr::{EventSettings, REGISTER_COUNT};
use crate::event::EventId;

const TYPE_LOST: u32 = 2;
const TYPE_THROTTLE: u32 = 5;
const TYPE_SAMPLE: u32 = 9;
const TYPE_SWITCH: u32 = 14;
const MISC_SWITCH_OUT: u32 = 1 << 13;
const MISC_SWITCH_OUT_PREEMPTED: u32 = 1 << 14;
/// The deepest kernel call chain kept; the kernel's own default limit is 127.
const MAX_CHAIN: u64 = 256;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Record<'a> {
    /// A sample.
    Sample(SampleRecord<'a>),
    /// A switch of a thread.
    Switch(SwitchRecord),
    /// The kernel had to drop this many records because the ring was full.
    Lost(u64),
    /// The kernel paused the event because sampling took too long.
    Throttled,
    /// A record that we did not request.
    Other,
}

/// One sample as the kernel took it, atomically.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleRecord<'a> {
    /// The event that took it.
    pub id: EventId,
    /// Program counter, in the kernel or in user space.
    pub ip: u64,
    /// Thread.
    pub tid: u32,
    /// CLOCK_MONOTONIC, nanoseconds.
    pub time_ns: u64,
    /// CPU.
    pub cpu: u32,
    /// Kernel call chain as raw little-endian words, context markers included.
    pub chain: &'a [u8],
    /// User registers in the order of [`crate::REGISTER_COUNT`]; `None` for a kernel thread.
    pub registers: Option<[u64; REGISTER_COUNT]>,
    /// Bytes of the user stack from the stack pointer up; may be cut at an absent page.
    pub stack: &'a [u8],
}

/// A thread leaves a CPU, or comes to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchRecord {
    /// The event that requested it.
    pub id: EventId,
    /// Thread.
    pub tid: u32,
    /// CLOCK_MONOTONIC, nanoseconds.
    pub time_ns: u64,
    /// CPU.
    pub cpu: u32,
    /// Which of the two.
    pub way: Way,
}

/// The direction of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Off the CPU.
    Out {
        /// It would have run on.
        preempted: bool,
    },
    /// Onto the CPU.
    In,
}

impl SampleRecord<'_> {
    /// True when the sample was taken in the kernel.
    pub fn in_kernel(&self) -> bool {
        self.ip > i64::MAX as u64
    }
}

/// Reads one record; `None` when it is cut or inconsistent.
pub fn parse_record<'a>(settings: &EventSettings, bytes: &'a [u8]) -> Option<Record<'a>> {
    let mut fields = Fields { bytes };
    let kind = fields.u32()?;
    let misc_and_size = fields.u32()?;
    match kind {
        TYPE_SAMPLE => fields.sample(settings.has_chain()).map(Record::Sample),
        TYPE_LOST => {
            let _id = fields.u64()?;
            Some(Record::Lost(fields.u64()?))
        }
        TYPE_THROTTLE => Some(Record::Throttled),
        TYPE_SWITCH => fields.switch(misc_and_size).map(Record::Switch),
        _ => Some(Record::Other),
    }
}

struct Fields<'a> {
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn thread_time_and_cpu(&mut self) -> Option<(u32, u64, u32)> {
        let _pid = self.u32()?;
        let tid = self.u32()?;
        let time_ns = self.u64()?;
        let cpu = self.u32()?;
        let _reserved = self.u32()?;
        Some((tid, time_ns, cpu))
    }

    fn switch(&mut self, misc: u32) -> Option<SwitchRecord> {
        let (tid, time_ns, cpu) = self.thread_time_and_cpu()?;
        let way = match misc & MISC_SWITCH_OUT {
            0 => Way::In,
            _ => Way::Out {
                preempted: misc & MISC_SWITCH_OUT_PREEMPTED != 0,
            },
        };
        Some(SwitchRecord {
            // The only field that is at another place than in a sample: at the end.
            id: EventId(self.u64()?),
            tid,
            time_ns,
            cpu,
            way,
        })
    }

    fn sample(&mut self, has_chain: bool) -> Option<SampleRecord<'a>> {
        let id = EventId(self.u64()?);
        let ip = self.u64()?;
        let (tid, time_ns, cpu) = self.thread_time_and_cpu()?;
        let mut chain: &[u8] = &[];
        if has_chain {
            let count = self.u64()?;
            chain = self.take(usize::try_from(count.checked_mul(8)?).ok()?)?;
            chain = chain.get(..(MAX_CHAIN * 8) as usize).unwrap_or(chain);
        }
        let abi = self.u64()?;
        let mut registers = None;
        if abi != 0 {
            let mut values = [0; REGISTER_COUNT];
            for value in &mut values {
                *value = self.u64()?;
            }
            registers = Some(values);
        }
        let size = usize::try_from(self.u64()?).ok()?;
        let mut stack: &[u8] = &[];
        if size > 0 {
            stack = self.take(size)?;
            let copied = usize::try_from(self.u64()?).ok()?;
            stack = stack.get(..copied)?;
        }
        Some(SampleRecord {
            id,
            ip,
            tid,
            time_ns,
            cpu,
            chain,
            registers,
            stack,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::{KernelFrames, Rate, Source, WakeUp};
    use proptest::prelude::*;

    fn settings(kernel: KernelFrames) -> EventSettings {
        EventSettings {
            source: Source::CpuClock,
            rate: Rate::Hz(99),
            stack_bytes: 16,
            wake_up: WakeUp::EverySample,
            kernel,
        }
    }

    /// The end of a record that is no sample: thread, time, CPU, identifier.
    const LAST_WORDS: [u64; 4] = [7 << 32 | 5, 123_456, 1, 41];

    fn record_bytes(kind: u32, words: impl IntoIterator<Item = u64>) -> Vec<u8> {
        let mut bytes = [kind, 0].map(u32::to_le_bytes).concat();
        bytes.extend(words.into_iter().flat_map(u64::to_le_bytes));
        bytes
    }

    fn switch_bytes(misc: u16) -> Vec<u8> {
        let mut bytes = record_bytes(TYPE_SWITCH, LAST_WORDS);
        bytes[4..6].copy_from_slice(&misc.to_le_bytes());
        bytes[6..8].copy_from_slice(&[40, 0]);
        bytes
    }

    fn sample_bytes(chain: &[u64]) -> Vec<u8> {
        let mut words = vec![41, 0x40_1000, 7 << 32 | 5, 123_456, 1];
        words.push(chain.len() as u64);
        words.extend(chain);
        words.push(2); // ABI: 64 bits
        words.extend(0..REGISTER_COUNT as u64);
        words.extend([16, 0xaa, 0xbb, 8]); // room for 16 bytes, 8 of them copied
        record_bytes(TYPE_SAMPLE, words)
    }

    #[test]
    fn a_sample_with_a_chain_and_a_cut_stack() {
        let chain = [u64::MAX - 127, 0xffff_ffff_8100_0000];
        let bytes = sample_bytes(&chain);
        let Some(Record::Sample(sample)) = parse_record(&settings(KernelFrames::Chain), &bytes)
        else {
            panic!("not a sample")
        };
        assert_eq!((sample.id, sample.ip), (EventId(41), 0x40_1000));
        assert_eq!((sample.tid, sample.time_ns, sample.cpu), (7, 123_456, 1));
        assert_eq!(sample.chain, chain.map(u64::to_le_bytes).concat());
        assert_eq!(sample.registers.unwrap()[7], 7);
        assert_eq!(sample.stack, 0xaau64.to_le_bytes());
        assert!(!sample.in_kernel());
    }

    #[test]
    fn a_cut_record_is_none_at_every_length() {
        let settings = settings(KernelFrames::Chain);
        for bytes in [sample_bytes(&[]), switch_bytes(1 << 13)] {
            assert!((0..bytes.len()).all(|len| parse_record(&settings, &bytes[..len]).is_none()));
        }
    }

    #[test]
    fn a_switch_is_out_or_in_and_preempted_or_of_its_own_will() {
        let way = |misc| match parse_record(&settings(KernelFrames::Leaf), &switch_bytes(misc)) {
            Some(Record::Switch(switch)) => {
                assert_eq!((switch.id, switch.cpu), (EventId(41), 1));
                assert_eq!((switch.tid, switch.time_ns), (7, 123_456));
                Some(switch.way)
            }
            _ => None,
        };
        assert_eq!(way(0), Some(Way::In));
        assert_eq!(way(1 << 13), Some(Way::Out { preempted: false }));
        assert_eq!(way(3 << 13), Some(Way::Out { preempted: true }));
        // Other bits say whether it was in user code.
        assert_eq!(way(2), Some(Way::In));
    }

    #[test]
    fn lost_records_are_counted_and_pauses_seen() {
        let settings = settings(KernelFrames::Leaf);
        let lost = record_bytes(TYPE_LOST, [1, 42].into_iter().chain(LAST_WORDS));
        assert_eq!(parse_record(&settings, &lost), Some(Record::Lost(42)));
        let paused = record_bytes(TYPE_THROTTLE, [9, 41, 41].into_iter().chain(LAST_WORDS));
        assert_eq!(parse_record(&settings, &paused), Some(Record::Throttled));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(mut bytes: Vec<u8>, kind in 0u8..20, chain: bool) {
            if let Some(first) = bytes.first_mut() { *first = kind; }
            let kernel = if chain { KernelFrames::Chain } else { KernelFrames::Leaf };
            let _ = parse_record(&settings(kernel), &bytes);
        }
    }
}
