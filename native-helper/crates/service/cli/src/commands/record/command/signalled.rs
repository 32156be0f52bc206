//! Signals to a process by their numbers: rustix has no real-time ones.
#![allow(unsafe_code)]

/// Sends a signal. Nothing happens where the process has just ended.
pub(super) fn send(pid: u32, signal: i32) {
    // Other numbers name groups of processes.
    let Some(pid) = i32::try_from(pid).ok().filter(|pid| *pid > 0) else {
        return;
    };
    // SAFETY: takes numbers only.
    unsafe { libc::kill(pid, signal) };
}
