//! The fields of `/proc/PID/stat` and of a thread's.

use std::str::SplitAsciiWhitespace;

/// The number of the first field that [`fields_after_name`] gives, as proc(5) counts them; the name is field 2.
pub(crate) const FIRST_FIELD_AFTER_NAME: usize = 3;

/// The fields behind the name. The name, in parentheses, may hold anything, so they begin after the last `)`.
pub(crate) fn fields_after_name(stat: &[u8]) -> Option<SplitAsciiWhitespace<'_>> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    Some(rest.split_ascii_whitespace())
}
