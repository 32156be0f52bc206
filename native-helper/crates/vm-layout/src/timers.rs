//! Where a scheduler's timer wheel has its counts.
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
    /// Its pointer to its own slots: [`Self::slots`] behind its beginning.
    pub own_slots: usize,
    /// The slots behind the one for timers that are due at once.
    pub slots: usize,
    /// Timers in all.
    pub all: usize,
    /// Timers in each of its three parts (at once, soon, later), which add up to all.
    pub parts: [usize; 3],
}

/// One row for OTP 23 to 29, where nothing of it moved.
pub const TIMER_WHEEL: TimerWheelLayout = TimerWheelLayout {
    provenance: "source of OTP 21 to 29; read live on Debian's 23, 25, 27 and 29",
    search_bytes: 512,
    own_slots: 262_152,
    slots: 8,
    all: 263_192,
    parts: [263_200, 263_216, 263_248],
};
