//! The environment that this program was started with, whole.
//!
//! The C library takes `LD_*` and some others out of its list of variables when a program has rights that its
//! caller does not have. Where the kernel put them they stay.
#![allow(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// As much as the kernel takes of arguments and environment.
const MOST_BYTES: usize = 6 << 20;
/// Field of `/proc/self/stat`, counted from the one behind the name: where the environment is; the next one has its end.
const ENV_START: usize = 47;

/// Variables with their values. `None` when it is not known where they are.
pub(super) fn initial_environment() -> Option<Vec<(OsString, OsString)>> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (start, end) = place_of(&stat)?;
    let len_bytes = end.checked_sub(start).filter(|len| *len <= MOST_BYTES)?;
    // SAFETY: the kernel put the environment there, on the first stack, which is mapped as long as the program runs.
    // The C library changes pointers to it and not the bytes, and this program writes no variable in place.
    let block = unsafe { std::slice::from_raw_parts(start as *const u8, len_bytes) };
    Some(variables_of(block))
}

fn place_of(stat: &str) -> Option<(usize, usize)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(ENV_START);
    let mut address = || fields.next()?.parse().ok().filter(|it| *it != 0);
    Some((address()?, address()?))
}

fn variables_of(block: &[u8]) -> Vec<(OsString, OsString)> {
    let owned = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    block
        .split(|byte| *byte == 0)
        .filter_map(|variable| {
            let equals = variable.iter().position(|byte| *byte == b'=')?;
            let (name, value) = (variable.get(..equals)?, variable.get(equals + 1..)?);
            (!name.is_empty()).then(|| (owned(name), owned(value)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_were_taken_away_are_there_still() {
        let found = initial_environment().unwrap();
        let kernels = std::fs::read("/proc/self/environ").unwrap();
        assert_eq!(found, variables_of(&kernels));
        assert!(!found.is_empty());
    }

    #[test]
    fn a_value_may_have_anything_and_what_has_no_name_is_none() {
        let found = variables_of(b"A=1\0B==x y\0C=\0=D\0E\0\0");
        let text = |(name, value): &(OsString, OsString)| {
            format!("{} {}", name.display(), value.display())
        };
        let found: Vec<String> = found.iter().map(text).collect();
        assert_eq!(found, ["A 1", "B =x y", "C "]);
    }

    #[test]
    fn the_place_is_behind_a_name_with_anything_in_it() {
        let rest: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        let stat = format!("1 (a ) b) {}", rest.join(" "));
        assert_eq!(place_of(&stat), Some((50, 51)));
        assert_eq!(place_of("1 (a) S 0 0"), None);
        assert_eq!(place_of(&stat.replace(" 50 ", " 0 ")), None);
    }
}
