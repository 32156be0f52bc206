//! `struct perf_event_attr`: our request to the kernel.

/// Registers in a sample, in the order of [`arch::sample`].
pub use arch::sample::COUNT as REGISTER_COUNT;
use arch::sample::MASK as REGISTER_MASK;

const PERF_TYPE_HARDWARE: u32 = 0;
const PERF_COUNT_HW_CPU_CYCLES: u64 = 0;
const PERF_COUNT_HW_INSTRUCTIONS: u64 = 1;
const PERF_COUNT_HW_CACHE_MISSES: u64 = 3;
const PERF_COUNT_HW_BRANCH_MISSES: u64 = 5;
const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_CPU_CLOCK: u64 = 0;
const PERF_COUNT_SW_PAGE_FAULTS: u64 = 2;
const PERF_COUNT_SW_CONTEXT_SWITCHES: u64 = 3;
const PERF_COUNT_SW_CPU_MIGRATIONS: u64 = 4;
const PERF_COUNT_SW_DUMMY: u64 = 9;

const SAMPLE_IP: u64 = 1 << 0;
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_CALLCHAIN: u64 = 1 << 5;
const SAMPLE_CPU: u64 = 1 << 7;
const SAMPLE_REGS_USER: u64 = 1 << 12;
const SAMPLE_STACK_USER: u64 = 1 << 13;
const SAMPLE_IDENTIFIER: u64 = 1 << 16;
/// What each record of a ring has, of all events alike, so that one parser serves.
const OF_EVERY_RECORD: u64 = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU;

/// `read` returns the identifier behind the count.
const FORMAT_ID: u64 = 1 << 2;
/// `read` of the event that leads a group returns the counts of all, with the time that the group was wanted and the
/// time that it counted before them.
const FORMAT_OF_GROUP: u64 = 1 << 0 | 1 << 1 | 1 << 3;

const FLAG_DISABLED: u64 = 1 << 0;
const FLAG_EXCLUDE_KERNEL: u64 = 1 << 5;
const FLAG_EXCLUDE_HV: u64 = 1 << 6;
const FLAG_FREQ: u64 = 1 << 10;
/// Records that are no samples have thread, time, CPU and identifier at their end.
const FLAG_SAMPLE_ID_ALL: u64 = 1 << 18;
const FLAG_EXCLUDE_CALLCHAIN_USER: u64 = 1 << 22;
const FLAG_USE_CLOCKID: u64 = 1 << 25;
const FLAG_CONTEXT_SWITCH: u64 = 1 << 26;
const NS_PER_S: u64 = 1_000_000_000;

/// What triggers a sample.
///
/// Each sample counts as one period, so only an event that keeps its period can be here. A hardware counter
/// at a frequency does not: it begins with samples that stand for next to nothing each time a thread comes
/// to a CPU. And cycles are no time where the speed of a core changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The kernel's per-CPU clock; always there.
    CpuClock,
    /// A thread is switched out: a sample of where it is then, and a record of each switch, out and in. The samples
    /// take the right to sample in the kernel, where a thread is switched out.
    ContextSwitches,
    /// A thread touches memory without a page, before the kernel looks for one: major and minor page faults alike. Without
    /// the kernel, those of user code alone.
    PageFaults,
}

impl Source {
    /// As `perf` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::CpuClock => "cpu-clock",
            Self::ContextSwitches => "context-switches",
            Self::PageFaults => "page-faults",
        }
    }
}

/// The quantity that an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// How often the thread came to another CPU: of the kernel's own, on every machine.
    Migrations,
    /// Cycles of the processor, by its performance monitoring unit like all below.
    Cycles,
    /// Instructions.
    Instructions,
    /// Accesses that the last cache did not have.
    CacheMisses,
    /// Branches that were predicted wrong.
    BranchMisses,
}

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// So many samples a second of processor time, of a clock alone: the kernel makes a period of it at once. That of
    /// another source it changes all the time.
    Hz(u32),
    /// One sample for so many of the source: nanoseconds of a clock.
    Every(u64),
}

/// Where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One thread.
    Thread {
        /// Its number.
        tid: u32,
        /// Only while it runs there; `None`: on any CPU, and then into no shared ring.
        cpu: Option<u32>,
    },
    /// All threads of the machine that run there.
    Processor {
        /// The CPU.
        cpu: u32,
    },
}

impl Scope {
    /// The thread and the CPU for the kernel; `None` for a number that no thread or CPU has.
    pub(crate) fn thread_and_cpu(self) -> Option<(i32, i32)> {
        const ANY: i32 = -1;
        let (tid, cpu) = match self {
            Self::Thread { tid, cpu } => (i32::try_from(tid).ok()?, cpu),
            Self::Processor { cpu } => (ANY, Some(cpu)),
        };
        let cpu = cpu.map_or(Ok(ANY), i32::try_from).ok()?;
        Some((tid, cpu))
    }
}

/// The kernel frames to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelFrames {
    /// No sample while in the kernel: all an unprivileged user may have.
    Excluded,
    /// Samples, with the program counter only.
    Leaf,
    /// Samples with the kernel's call chain.
    Chain,
}

/// When a reader is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeUp {
    /// At every sample: data that is not in it has to be read at once.
    EverySample,
    /// When the ring is half full; the reader looks now and then by itself.
    HalfFull,
}

/// How to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventSettings {
    /// What triggers a sample.
    pub source: Source,
    /// How often.
    pub rate: Rate,
    /// Bytes of user stack copied at most; a multiple of 8 below 64 KiB.
    pub stack_bytes: u32,
    /// Kernel frames.
    pub kernel: KernelFrames,
    /// When the reader is woken.
    pub wake_up: WakeUp,
}

/// `struct perf_event_attr`, up to and including `sample_max_stack` (version 5, 112 bytes).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PerfEventAttr {
    kind: u32,
    size: u32,
    config: u64,
    /// A period, or a frequency with [`FLAG_FREQ`].
    sample_rate: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clockid: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    sample_max_stack: u16,
    reserved: u16,
}

impl PerfEventAttr {
    /// A sampling event, created disabled.
    pub(crate) fn sampling(settings: &EventSettings) -> Self {
        let (config, flag_of_source) = match settings.source {
            Source::CpuClock => (PERF_COUNT_SW_CPU_CLOCK, 0),
            Source::ContextSwitches => (PERF_COUNT_SW_CONTEXT_SWITCHES, FLAG_CONTEXT_SWITCH),
            Source::PageFaults => (PERF_COUNT_SW_PAGE_FAULTS, 0),
        };
        let (flag_of_rate, sample_rate) = match settings.rate {
            Rate::Hz(frequency) => (FLAG_FREQ, u64::from(frequency)),
            Rate::Every(_) => (0, settings.period_for(1)),
        };
        let mut sample_type = OF_EVERY_RECORD | SAMPLE_REGS_USER | SAMPLE_STACK_USER;
        let mut flags = FLAG_DISABLED | FLAG_EXCLUDE_HV | FLAG_USE_CLOCKID | FLAG_SAMPLE_ID_ALL;
        flags |= flag_of_source | flag_of_rate;
        match settings.kernel {
            // Without the kernel there is no sample of a switch: better none is opened than one that is silent.
            KernelFrames::Excluded if settings.source == Source::ContextSwitches => {}
            KernelFrames::Excluded => flags |= FLAG_EXCLUDE_KERNEL,
            KernelFrames::Leaf => {}
            KernelFrames::Chain => {
                sample_type |= SAMPLE_CALLCHAIN;
                flags |= FLAG_EXCLUDE_CALLCHAIN_USER;
            }
        }
        Self {
            kind: PERF_TYPE_SOFTWARE,
            config,
            sample_rate,
            sample_type,
            read_format: FORMAT_ID,
            flags,
            wakeup_events: match settings.wake_up {
                WakeUp::EverySample => 1,
                // The kernel then wakes at its own watermark, half of the ring.
                WakeUp::HalfFull => 0,
            },
            sample_regs_user: REGISTER_MASK,
            sample_stack_user: settings.stack_bytes,
            ..Self::base()
        }
    }

    /// A counting event, created disabled if it leads a group: the others count whenever that does.
    pub(crate) fn counting(counter: Counter, is_leader: bool, is_user_only: bool) -> Self {
        let (kind, config) = match counter {
            Counter::Migrations => (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS),
            Counter::Cycles => (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
            Counter::Instructions => (PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
            Counter::CacheMisses => (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES),
            Counter::BranchMisses => (PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES),
        };
        let mut flags = 0;
        if is_leader {
            flags |= FLAG_DISABLED;
        }
        if is_user_only && kind == PERF_TYPE_HARDWARE {
            flags |= FLAG_EXCLUDE_KERNEL;
        }
        Self {
            kind,
            config,
            read_format: FORMAT_OF_GROUP,
            flags,
            ..Self::base()
        }
    }

    /// An event that never happens; it only owns a CPU's ring.
    pub(crate) fn ring_owner() -> Self {
        Self {
            kind: PERF_TYPE_SOFTWARE,
            config: PERF_COUNT_SW_DUMMY,
            flags: FLAG_EXCLUDE_KERNEL | FLAG_EXCLUDE_HV | FLAG_USE_CLOCKID,
            sample_type: OF_EVERY_RECORD,
            ..Self::base()
        }
    }

    fn base() -> Self {
        Self {
            size: size_of::<Self>() as u32,
            clockid: libc::CLOCK_MONOTONIC,
            ..Self::default()
        }
    }
}

/// Flags of one event, for the parser of its records.
impl EventSettings {
    /// The period for samples that are `weight` times rarer. The kernel makes one of the frequency of a CPU clock when
    /// that is opened, and takes a period from then on.
    pub(crate) fn period_for(&self, weight: u32) -> u64 {
        let period = match self.rate {
            Rate::Hz(frequency) => NS_PER_S / u64::from(frequency.max(1)),
            Rate::Every(period) => period.max(1),
        };
        period.saturating_mul(u64::from(weight.max(1)))
    }

    /// Whether each sample stands for as much of the source.
    pub(crate) fn keeps_its_period(&self) -> bool {
        self.source == Source::CpuClock || matches!(self.rate, Rate::Every(_))
    }

    /// True when records carry a kernel call chain.
    pub fn has_chain(&self) -> bool {
        self.kernel == KernelFrames::Chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_stands_for_a_time_of_the_processor_and_lower_rates_for_multiples_of_it() {
        let settings = EventSettings {
            source: Source::CpuClock,
            rate: Rate::Hz(997),
            stack_bytes: 4096,
            kernel: KernelFrames::Chain,
            wake_up: WakeUp::EverySample,
        };
        let attr = PerfEventAttr::sampling(&settings);
        // Of a clock the kernel makes a period of the frequency once, when it is opened.
        assert_eq!(
            (attr.kind, attr.config, attr.sample_rate),
            (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 997)
        );
        assert_ne!(attr.flags & FLAG_FREQ, 0);
        let period_ns = settings.period_for(1);
        assert_eq!(period_ns, NS_PER_S / 997);
        assert_eq!(settings.period_for(4), 4 * period_ns);
    }

    #[test]
    fn a_period_is_passed_on_as_it_is() {
        let mut settings = EventSettings {
            source: Source::CpuClock,
            rate: Rate::Every(2_000_000),
            stack_bytes: 4096,
            kernel: KernelFrames::Leaf,
            wake_up: WakeUp::HalfFull,
        };
        let attr = PerfEventAttr::sampling(&settings);
        assert_eq!((attr.sample_rate, attr.flags & FLAG_FREQ), (2_000_000, 0));
        assert_eq!(settings.period_for(3), 6_000_000);
        // Without a period an event takes no samples, and the kernel refuses to set none.
        settings.rate = Rate::Every(0);
        assert_eq!(PerfEventAttr::sampling(&settings).sample_rate, 1);
        settings.rate = Rate::Every(u64::MAX);
        assert_eq!(settings.period_for(2), u64::MAX);
    }

    #[test]
    fn switches_are_counted_and_recorded_and_never_without_the_kernel() {
        for kernel in [KernelFrames::Leaf, KernelFrames::Excluded] {
            let settings = EventSettings {
                source: Source::ContextSwitches,
                rate: Rate::Every(5),
                stack_bytes: 8,
                kernel,
                wake_up: WakeUp::HalfFull,
            };
            let attr = PerfEventAttr::sampling(&settings);
            assert_eq!(
                (attr.kind, attr.config, attr.sample_rate),
                (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 5)
            );
            assert_ne!(attr.flags & FLAG_CONTEXT_SWITCH, 0);
            assert_eq!(attr.flags & (FLAG_FREQ | FLAG_EXCLUDE_KERNEL), 0);
        }
    }

    #[test]
    fn migrations_are_never_counted_without_the_kernel_and_only_the_leader_waits() {
        let flags = |counter, is_leader| {
            let attr = PerfEventAttr::counting(counter, is_leader, true);
            // It takes no samples, and reads as a group does.
            assert_eq!((attr.sample_rate, attr.sample_type), (0, 0));
            assert_eq!(attr.read_format, 0b1011);
            attr.flags
        };
        assert_eq!(flags(Counter::Migrations, true), FLAG_DISABLED);
        assert_eq!(
            flags(Counter::Cycles, true),
            FLAG_DISABLED | FLAG_EXCLUDE_KERNEL
        );
        assert_eq!(flags(Counter::Instructions, false), FLAG_EXCLUDE_KERNEL);
        let all = PerfEventAttr::counting(Counter::BranchMisses, false, false);
        assert_eq!((all.kind, all.config, all.flags), (0, 5, 0));
    }

    #[test]
    fn page_faults_are_sampled_one_by_one_and_without_the_kernel_those_of_user_code() {
        let attr = |kernel| {
            PerfEventAttr::sampling(&EventSettings {
                source: Source::PageFaults,
                rate: Rate::Every(1),
                stack_bytes: 8,
                kernel,
                wake_up: WakeUp::HalfFull,
            })
        };
        for (kernel, flag) in [
            (KernelFrames::Leaf, 0),
            (KernelFrames::Excluded, FLAG_EXCLUDE_KERNEL),
        ] {
            let attr = attr(kernel);
            assert_eq!(
                (attr.kind, attr.config, attr.sample_rate),
                (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1)
            );
            assert_eq!(attr.flags & (FLAG_FREQ | FLAG_EXCLUDE_KERNEL), flag);
            assert_eq!(attr.flags & FLAG_CONTEXT_SWITCH, 0);
        }
    }

    #[test]
    fn all_events_of_a_ring_have_the_same_fields() {
        let sampling = |source| {
            PerfEventAttr::sampling(&EventSettings {
                source,
                rate: Rate::Every(1),
                stack_bytes: 8,
                kernel: KernelFrames::Chain,
                wake_up: WakeUp::HalfFull,
            })
        };
        let sources = [
            Source::CpuClock,
            Source::ContextSwitches,
            Source::PageFaults,
        ];
        let [clock, ..] = sources.map(sampling);
        for attr in sources.map(sampling) {
            assert_eq!(attr.sample_type, clock.sample_type);
            assert_eq!(attr.sample_type & OF_EVERY_RECORD, OF_EVERY_RECORD);
            assert_ne!(attr.flags & FLAG_SAMPLE_ID_ALL, 0);
        }
    }

    #[test]
    fn a_scope_is_a_thread_a_processor_or_both() {
        let thread = |cpu| Scope::Thread { tid: 7, cpu }.thread_and_cpu();
        assert_eq!(thread(None), Some((7, -1)));
        assert_eq!(thread(Some(3)), Some((7, 3)));
        let processor = |cpu| Scope::Processor { cpu }.thread_and_cpu();
        assert_eq!(processor(3), Some((-1, 3)));
        // Such a number would mean any thread or any CPU.
        assert_eq!(processor(u32::MAX), None);
        assert_eq!(thread(Some(u32::MAX)), None);
        let (tid, cpu) = (u32::MAX, None);
        assert_eq!(Scope::Thread { tid, cpu }.thread_and_cpu(), None);
    }
}
