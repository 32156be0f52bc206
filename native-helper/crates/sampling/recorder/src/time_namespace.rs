//! The kernel stamps samples with its own monotonic clock; a time namespace shows another one to the
//! programs in it (a container that was moved from another machine has one).

use std::sync::atomic::{AtomicI64, Ordering};

const OFFSETS: &str = "/proc/self/timens_offsets";
const NS_PER_S: i64 = 1_000_000_000;

/// How far our monotonic clock is ahead of the kernel's, nanoseconds.
static AHEAD_NS: AtomicI64 = AtomicI64::new(0);

/// Finds out; to be called before a capture starts and the lock is on. It never changes while a process
/// runs, and readers, which need the time at each sample, read no file.
pub(crate) fn learn() {
    // Kernels without such namespaces have no such file.
    let ahead_ns = std::fs::read_to_string(OFFSETS).map_or(0, |text| ahead_in(&text));
    AHEAD_NS.store(ahead_ns, Ordering::Relaxed);
}

/// How far our monotonic clock is ahead of the kernel's, nanoseconds.
pub(crate) fn ahead_ns() -> i64 {
    AHEAD_NS.load(Ordering::Relaxed)
}

fn ahead_in(offsets: &str) -> i64 {
    let mut lines = offsets.lines().map(str::split_whitespace);
    let ahead = lines.find_map(|mut words| {
        // Kernels call it by its name or its number.
        matches!(words.next()?, "monotonic" | "1").then_some(())?;
        let seconds: i64 = words.next()?.parse().ok()?;
        let nanoseconds: i64 = words.next()?.parse().ok()?;
        seconds.checked_mul(NS_PER_S)?.checked_add(nanoseconds)
    });
    ahead.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_monotonic_clock_counts() {
        let text = "monotonic     100000         5\nboottime          7         0\n";
        assert_eq!(ahead_in(text), 100_000 * NS_PER_S + 5);
        assert_eq!(ahead_in("boottime 7 0\nmonotonic -1 0\n"), -NS_PER_S);
        for garbage in [
            "",
            "monotonic",
            "monotonic x y",
            "monotonic 9223372036854775807 0",
        ] {
            assert_eq!(ahead_in(garbage), 0, "{garbage}");
        }
    }
}
