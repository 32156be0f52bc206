//! Breakpoints of functions, by which calls are traced: `call`, `call_count`, `call_time`, `call_memory`.
//!
//! Each function begins with its `ErtsCodeInfo`, which points at its breakpoint, if there is one. Patterns for calls
//! between modules (`dbg:tp`) have theirs in the `ErtsCodeInfo` of the exported function. Read live on Debian's 23, 25,
//! 27 and 29; `test/e2e/traced` reads it again.
//!
//! A breakpoint has its data twice, so that a new one can be prepared while the other is in use; when no change is
//! under way both are equal. Each is 6 words to OTP 25, later 7: which, shows in the breakpoint itself. Only behind the longer
//! ones may be the trace session and the function's breakpoint of the next session (OTP 27 and later).

use target_memory::u64_at;

/// Bytes of `ErtsCodeInfo`.
pub const DESCRIPTION_BYTES: usize = 40;
/// In `ErtsCodeInfo`: the function's breakpoint, or null.
const BREAKPOINT: usize = 8;
/// In `ErtsCodeInfo`: module, name and arity.
const FUNCTION: usize = 16;
/// The longest breakpoint.
pub const BREAKPOINT_BYTES: usize = 136;
/// In a breakpoint: its purposes.
const FLAGS: usize = 8;
/// The same in its other data, for each length of these.
const OTHER_FLAGS: [usize; 2] = [56, 64];
/// In a breakpoint: its session and the next breakpoint.
const SESSION: usize = 120;
const NEXT: usize = 128;
/// All that a breakpoint can be for: other bits are no flags.
const ALL: u64 = 0x3ff;

/// Calls are reported to a tracer: of all calls, to a meta tracer, of calls between modules.
pub const REPORTS: u64 = 0x1 | 0x2 | 0x80;
/// Calls are counted.
pub const COUNTS: u64 = 0x4 | 0x8;
/// The time of calls is added up.
pub const TIMES: u64 = 0x20 | 0x40;
/// The memory that calls take is added up.
pub const MEMORY: u64 = 0x100 | 0x200;

/// Offsets in the entry of an exported function at which its `ErtsCodeInfo` may be: behind an address for each code
/// index, whose number differs.
pub const EXPORT_DESCRIPTIONS: [usize; 4] = [24, 32, 40, 48];
/// Bytes of such an entry up to the end of the last of them.
pub const EXPORT_BYTES: usize = 88;
/// Names of the indices of exported functions; the second is that of OTP 29.
pub const EXPORT_INDICES: [&str; 2] = ["export_list", "export_staged_index"];

/// Module, name and arity, as terms and a number.
pub type Function = [u64; 3];

/// The function that an `ErtsCodeInfo` describes, and where its breakpoint is; `None` when it is none.
pub fn description(bytes: &[u8]) -> Option<(Function, u64)> {
    let word = |offset| u64_at(bytes, offset);
    let function = [word(FUNCTION)?, word(FUNCTION + 8)?, word(FUNCTION + 16)?];
    let is_atom = |term: u64| term & 0x3f == 0xb;
    let is_one = is_atom(function[0]) && is_atom(function[1]) && function[2] <= 255;
    is_one.then_some((function, word(BREAKPOINT)?))
}

/// What a breakpoint is for, and where the next one of its function is, or 0; `None` when it is none, or is changed just now.
pub fn breakpoint(bytes: &[u8]) -> Option<(u64, u64)> {
    let flags = u64_at(bytes, FLAGS).filter(|flags| *flags != 0 && flags & !ALL == 0)?;
    let mut halves = OTHER_FLAGS.iter();
    let is_long = halves.position(|other| u64_at(bytes, *other) == Some(flags))? == 1;
    let has_session =
        is_long && u64_at(bytes, SESSION).is_some_and(|it| it > 0xffff_ffff && it % 8 == 0);
    let next = if has_session { u64_at(bytes, NEXT)? } else { 0 };
    Some((flags, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_breakpoint_shows_how_long_it_is_and_only_a_session_has_a_next_one() {
        let mut short = [0u64; 17];
        (short[1], short[7], short[15], short[16]) =
            (0x24, 0x24, 0x7f00_0000_1000, 0x7f00_0000_2000);
        assert_eq!(breakpoint(&of(&short)), Some((0x24, 0)));
        let mut long = short;
        (long[7], long[8]) = (0, 0x24);
        assert_eq!(breakpoint(&of(&long)), Some((0x24, 0x7f00_0000_2000)));
        long[15] = 0x80;
        assert_eq!(breakpoint(&of(&long)), Some((0x24, 0)), "OTP 26");
        long[8] = 0;
        assert_eq!(breakpoint(&of(&long)), None, "it is being changed");
        (long[1], long[8]) = (0x400, 0x400);
        assert_eq!(breakpoint(&of(&long)), None);
        assert_eq!(breakpoint(&[]), None);
    }

    #[test]
    fn a_description_has_two_atoms_and_an_arity() {
        let words = [0x90, 0x5000, 0x4b, 0x8b, 3];
        assert_eq!(description(&of(&words)), Some(([0x4b, 0x8b, 3], 0x5000)));
        assert_eq!(description(&of(&[0x90, 0, 0x4b, 0x8b, 256])), None);
        assert_eq!(description(&of(&[0x90, 0, 0x4c, 0x8b, 3])), None);
        assert_eq!(description(&of(&words[1..])), None);
    }
}
