//! What a VM has decided about the number of schedulers that run: how many are online, and whether multi-scheduling
//! is blocked. It is a static variable, `schdlr_sspnd` of `erl_process.c`.
//!
//! The figures are data like those of [`super::rows`]. They hold for OTP 23 to 29 (read live on Debian's erts-11.1.8,
//! 13.1.5, 15.2.7 and 17.1.1), and a VM confirms them: the only place among its variables that has such contents is
//! the one.

/// The variable begins with a mutex, whose length differs; all offsets are from the first counter on. Counters are of
/// 32 bits, three in a row: normal, dirty CPU and dirty I/O schedulers. These are online when the last change has been
/// made.
pub const ONLINE: usize = 0;
/// Those that are online now.
pub const NOW_ONLINE: usize = 12;
/// Those that may run: online, and not blocked.
pub const ACTIVE: usize = 24;
/// Which changes are being made, 32 bits.
pub const CHANGING: usize = 36;
/// The flags that [`CHANGING`] can have.
pub const ALL_CHANGES: u32 = 0xf;
/// The processes that wait for such a change; a pointer.
pub const CHANGE_QUEUE: usize = 40;
/// The process that makes one, or the atom `false`.
pub const CHANGER: usize = 48;
/// The block of normal schedulers (`block_normal`): whether there is one (32 bits), the processes that made it and
/// those that wait for one (pointers).
pub const NORMAL_BLOCK: usize = 56;
/// The block of all schedulers (`block`), likewise.
pub const BLOCK: usize = 80;
/// In a block: the list of the processes that made it.
pub const BLOCKERS: usize = 8;
/// In a block: those that wait for one.
pub const BLOCK_QUEUE: usize = 16;
/// The kind of dirty schedulers that ran last while all were blocked: 1 or 2, 32 bits.
pub const LAST_DIRTY: usize = 104;
/// All of it.
pub const BYTES: usize = 112;

/// An entry of a list of processes (`ErtsProcList`), which is circular: the pid.
pub const ENTRY_PID: u64 = 0;
/// The next entry.
pub const ENTRY_NEXT: u64 = 16;

/// The atom `false`.
pub const ATOM_FALSE: u64 = 0xb;
