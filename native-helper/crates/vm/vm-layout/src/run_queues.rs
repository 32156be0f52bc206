//! Where a scheduler has its run queue, and the fields of a run queue.
//!
//! The figures are data like those of [`super::rows`]. Which of them hold is not looked up by release: a
//! queue contains its own number and its scheduler, and a scheduler points to its queue, so the VM
//! itself shows it.

/// Offsets in `ErtsRunQueue`, bytes, and of the pointer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunQueueLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// In `ErtsSchedulerData`: its queue.
    pub of_scheduler: usize,
    /// Which queue it is, 32 bits, from 0.
    pub index: usize,
    /// The scheduler it belongs to.
    pub scheduler: usize,
    /// How many of its schedulers have nothing to run and wait for it, 32 bits.
    pub waiting: usize,
    /// Processes and ports that wait in it, 32 bits.
    pub length: usize,
    /// The greatest length since the last check, 32 bits.
    pub max_length: usize,
    /// How often it has given a process to a scheduler, 64 bits.
    pub context_switches: usize,
    /// Reductions of the processes that it gave, as of when they were last scheduled, 64 bits.
    pub reductions: usize,
    /// From one queue to the next.
    pub stride: usize,
    /// Where the scheduler counts the work of its processes.
    pub counters: CountersBeforeTables,
}

/// Counters of 64 bits in `ErtsSchedulerData`: how many bytes before the number of its ETS tables each is.
/// Schedulers themselves show where that number is ([`super::ets`]), the interpreter's too, so the length of
/// the data before it (X registers, auxiliary work) need not be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountersBeforeTables {
    /// Words that collections have given back.
    pub reclaimed_words: usize,
    /// Collections.
    pub collections: usize,
    /// Bytes that ports have read.
    pub io_in: usize,
    /// Bytes that ports have written.
    pub io_out: usize,
}

const COUNTERS_OF_25: CountersBeforeTables = CountersBeforeTables {
    reclaimed_words: 24,
    collections: 16,
    io_in: 96,
    io_out: 104,
};

/// All that are known.
pub const RUN_QUEUES: [RunQueueLayout; 3] = [
    RunQueueLayout {
        provenance: "debug information of OTP 23.2.6 headers; read live on Debian 11's erts-11.1.8",
        of_scheduler: 280,
        counters: CountersBeforeTables {
            io_in: 88,
            io_out: 96,
            ..COUNTERS_OF_25
        },
        ..UNTIL_27
    },
    UNTIL_27,
    RunQueueLayout {
        provenance: "debug information of OTP 29.1.1 headers; read live on Debian sid's erts-17.1.1",
        of_scheduler: 232,
        index: 168,
        scheduler: 224,
        waiting: 232,
        length: 164,
        max_length: 160,
        context_switches: 144,
        reductions: 152,
        stride: 384,
        counters: CountersBeforeTables {
            io_in: 120,
            io_out: 128,
            ..COUNTERS_OF_25
        },
    },
];

const UNTIL_27: RunQueueLayout = RunQueueLayout {
    provenance: "debug information of OTP 25.2.3 and 27.3.4 headers; read live on Debian 12's and 13's",
    of_scheduler: 232,
    index: 0,
    scheduler: 144,
    waiting: 152,
    length: 208,
    max_length: 204,
    context_switches: 224,
    reductions: 232,
    stride: 448,
    counters: COUNTERS_OF_25,
};
