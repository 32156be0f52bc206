//! Where a scheduler's timer wheel has its counts and its time, and where the timer of a process has its own.
//!
//! The figures are data like those of [`super::rows`]. That a struct is a wheel is not looked up by release: it
//! points into itself, and its counts add up.

/// Offsets in `ErtsTimerWheel`, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerWheelLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Bytes at the beginning of `ErtsSchedulerData` among which the pointer to the wheel is.
    pub search_bytes: usize,
    /// The slot for timers that are due at once: their time was over when they were set.
    pub at_once: usize,
    /// Its pointer to its own slots: [`Self::slots`] behind its beginning.
    pub own_slots: usize,
    /// The slots behind that for at once: first one for each tick, then one for each
    /// `1 << later_shift` ticks, `turn` of both kinds. Each points to a timer of a circular list.
    pub slots: usize,
    /// Slots of a kind.
    pub turn: u64,
    /// How many ticks a slot of the second kind is wide, as a power of two.
    pub later_shift: u32,
    /// Its time: the one up to which its timers have been looked at, in ticks of a millisecond.
    pub time: usize,
    /// Timers in all.
    pub all: usize,
    /// Timers in each of its three parts (at once, soon, later), which add up to all.
    pub parts: [usize; 3],
}

/// One row for OTP 23 to 29, where nothing of it moved.
pub const TIMER_WHEEL: TimerWheelLayout = TimerWheelLayout {
    provenance: "source of OTP 21 to 29; read live on Debian's 23, 25, 27 and 29",
    search_bytes: 512,
    at_once: 0,
    own_slots: 262_152,
    slots: 8,
    turn: 1 << 14,
    later_shift: 13,
    time: 263_184,
    all: 263_192,
    parts: [263_200, 263_216, 263_248],
};

/// Offsets in the timer of a process (`ErtsTimer`), bytes, and its flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessTimerLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Flags, 32 bits.
    pub flags: usize,
    /// The process.
    pub process: usize,
    /// When it is due, in ticks of a millisecond, as the time of a wheel.
    pub due: usize,
    /// The length of the part that is read.
    pub bytes: usize,
    /// Of the flags, the number of the scheduler whose wheel has it.
    pub scheduler_mask: u32,
    /// Of the flags: it is a process's.
    pub is_of_process: u32,
    /// Of the flags: its process is suspended, so that it does not run.
    pub is_paused: u32,
}

/// One row for OTP 23 to 29, where nothing of it moved.
pub const PROCESS_TIMER: ProcessTimerLayout = ProcessTimerLayout {
    provenance: "source of OTP 21 to 29; read live on Debian's 23, 25, 27 and 29",
    flags: 0,
    process: 16,
    due: 24,
    bytes: 32,
    scheduler_mask: 0x7ff,
    is_of_process: 1 << 15,
    is_paused: 1 << 18,
};

/// Offsets in the timer of a message (`ErtsBifTimer`), bytes, behind those of [`PROCESS_TIMER`], with which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTimerLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Where slots and other timers of a wheel point to.
    pub entry: usize,
    /// The next one of its slot, and the one before.
    pub next: usize,
    /// See [`Self::next`].
    pub before: usize,
    /// 32 bits, 0 while it is neither over nor cancelled. One that was cancelled stays in the wheel until its scheduler
    /// comes to that.
    pub state: usize,
    /// The length of the part that is read.
    pub bytes: usize,
    /// Of the flags: it is in a tree, and not itself in the wheel.
    pub is_in_tree: u32,
    /// Of the flags: it is a message's.
    pub is_of_message: u32,
}

/// One row for OTP 23 to 29: the structs and flags of 23.2, 25.2 and 27.3 are the same, word for word, and so are those of
/// `erl_hl_timer.c` of 2025 and 2026, so that none of 24, 26 and 28 is expected to differ. No emulator has others: the
/// interpreter is made of the same files.
pub const MESSAGE_TIMER: MessageTimerLayout = MessageTimerLayout {
    provenance: "source of OTP 23.2, 25.2 and 27.3; test/inside/told-calls.mjs reads it live on 23, 25, 27 and 29",
    entry: 24,
    next: 32,
    before: 40,
    state: 72,
    bytes: 80,
    is_in_tree: 1 << 11,
    is_of_message: 1 << 12,
};
