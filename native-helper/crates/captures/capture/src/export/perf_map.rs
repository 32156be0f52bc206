//! The map that `perf` reads for code a JIT has made: `/tmp/perf-PID.map`.

use std::io::{self, Write};

use crate::visible::visible;

/// Writes one line `START SIZE name` (both in hex) for each piece of code, given as first address,
/// length in bytes, name. Line breaks, and whatever else in a name is obeyed
/// rather than shown, are written out.
///
/// # Errors
/// Those of the writer.
pub fn write_perf_map<'n>(
    code: impl IntoIterator<Item = (u64, u64, &'n str)>,
    mut out: impl Write,
) -> io::Result<()> {
    for (start_avma, len_bytes, name) in code {
        writeln!(out, "{start_avma:x} {len_bytes:x} {}", visible(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_perf_reads_them() {
        let mut out = Vec::new();
        write_perf_map([(0x7f00, 0x20, "lists:sort/1"), (16, 1, "a\nb")], &mut out).unwrap();
        assert_eq!(out, b"7f00 20 lists:sort/1\n10 1 a\\nb\n");
    }
}
