//! Flags of a process by which its messages and events are traced (`erlang:trace`, `dbg:p`, `trace:process`).
//!
//! The flags of all trace sessions of OTP 27 and later are in one word. Read live on Debian's 23, 25, 27 and 29, with a
//! process for each flag; `test/e2e/process-tracing` reads them again.

use crate::ProcessLayout;
use crate::process_details::details_for;

/// Messages that it sends: `send`.
pub const SENDS: u32 = 0x10;
/// Messages that it receives: `receive`.
pub const RECEIVES: u32 = 0x20;
/// What happens to it, as starts, links and ends: `procs`.
pub const EVENTS: u32 = 0x800;
/// When it begins and stops to run: `running`, `running_procs`, `exiting`.
pub const SCHEDULING: u32 = 0x2000 | 0x20_0000 | 0x100_0000;
/// Its garbage collections: `garbage_collection`.
pub const COLLECTIONS: u32 = 0x4000;
/// All bits that are flags: those above, `call`, which breakpoints show, and how messages of the tracer are made.
const ALL: u32 = 0x1ff_ffff;

/// From the timer of a process to its registered name.
const NAME_BEHIND_TIMER: usize = 16;

/// Where a process has them; `None` where that is not known, as where the name, whose place the VM itself confirms, does not
/// lie behind the timer as in each struct that was read: then the fields in front of it are other ones.
pub fn trace_flags_at(process: &ProcessLayout) -> Option<usize> {
    let details = details_for(process)?;
    (details.timer + NAME_BEHIND_TIMER == process.reg).then_some(details.trace_flags)
}

/// Whether a word can be such flags.
pub fn are_flags(word: u32) -> bool {
    word & !ALL == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::ROWS;

    #[test]
    fn every_row_has_them_beside_the_timer_or_behind_the_monitors() {
        for row in ROWS {
            let details = details_for(&row.process).unwrap();
            let places = [Some(details.timer - 8), Some(details.monitors + 8)];
            let found = trace_flags_at(&row.process);
            assert!(places.contains(&found), "{}: {found:?}", row.otp_release);
        }
    }

    #[test]
    fn they_are_not_known_where_the_name_is_elsewhere() {
        let mut process = ROWS[0].process;
        process.reg += 16;
        assert_eq!(trace_flags_at(&process), None);
    }

    #[test]
    fn an_address_is_no_flags() {
        assert!(are_flags(0) && are_flags(SENDS | RECEIVES | EVENTS | SCHEDULING | COLLECTIONS));
        assert!(!are_flags(0x7f00_1000));
    }
}
