//! How much, and how long.

use std::time::Duration;

use outside_programs::transfer::Bounds;

const MIB: u64 = 1 << 20;
/// The debug file of an emulator takes some 20 MB, that of a large C++ library some 100.
const FILE_BYTES: u64 = 512 * MIB;
const TOTAL_BYTES: u64 = 2048 * MIB;
/// As elfutils has it.
const SILENCE: Duration = Duration::from_secs(90);
/// The bytes that have to arrive within that time.
const BYTES_IN_SILENCE: u64 = 100 << 10;
const CONNECT: Duration = Duration::from_secs(15);
const FILE_TIME: Duration = Duration::from_secs(15 * 60);
const TOTAL_TIME: Duration = Duration::from_secs(30 * 60);
/// A longer time in a variable is as good as no bound, and a bound is always set.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The bounds of one fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together, those that are thrown away included.
    pub total_bytes: u64,
    /// How long a server may send next to nothing.
    pub silence: Duration,
    /// How long a connection may take to come about.
    pub connect: Duration,
    /// How long one file may take.
    pub file_time: Duration,
    /// How long all of them may take.
    pub total_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: FILE_BYTES,
            total_bytes: TOTAL_BYTES,
            silence: SILENCE,
            connect: CONNECT,
            file_time: FILE_TIME,
            total_time: TOTAL_TIME,
        }
    }
}

impl Limits {
    /// With the values of the variables of other clients: `DEBUGINFOD_MAXSIZE` in bytes,
    /// `DEBUGINFOD_TIMEOUT` and `DEBUGINFOD_MAXTIME` in seconds. They name no file, so they count
    /// for every caller. Their 0 for no bound at all means the bound above.
    #[must_use]
    pub fn of_environment() -> Self {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| {
            let value = variable(name)?.trim().parse::<u64>().ok()?;
            Some(value).filter(|value| *value > 0)
        };
        let seconds = |name| number(name).map(|value| Duration::from_secs(value).min(LONGEST));
        let usual = Self::default();
        let file_bytes = number("DEBUGINFOD_MAXSIZE").unwrap_or(usual.file_bytes);
        let silence = seconds("DEBUGINFOD_TIMEOUT").unwrap_or(usual.silence);
        let file_time = seconds("DEBUGINFOD_MAXTIME").unwrap_or(usual.file_time);
        Self {
            file_bytes,
            total_bytes: usual.total_bytes.max(file_bytes),
            silence,
            connect: usual.connect.min(silence),
            file_time,
            total_time: usual.total_time.max(file_time),
        }
    }

    /// The bounds of one file.
    pub(crate) fn of_one(&self) -> Bounds {
        Bounds {
            reply_bytes: self.file_bytes,
            silence: self.silence,
            connect: self.connect,
            time: self.file_time,
            slowest: self.slowest(),
        }
    }

    /// The slowest a server may be, bytes a second.
    fn slowest(&self) -> u64 {
        (BYTES_IN_SILENCE / self.silence.as_secs().max(1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_other_clients_count_but_remove_no_bound() {
        assert_eq!(Limits::of(|_| None), Limits::default());
        let zero = Limits::of(|_| Some("0".to_owned()));
        assert_eq!(zero, Limits::default());
        assert_eq!(Limits::of(|_| Some("-1".to_owned())), Limits::default());
        let five = Limits::of(|_| Some("5".to_owned()));
        assert_eq!((five.file_bytes, five.silence.as_secs()), (5, 5));
        assert_eq!((five.connect.as_secs(), five.file_time.as_secs()), (5, 5));
        assert_eq!(five.slowest(), 20 << 10);
        let huge = Limits::of(|_| Some(u64::MAX.to_string()));
        assert_eq!((huge.file_bytes, huge.silence), (u64::MAX, LONGEST));
        assert_eq!((huge.total_bytes, huge.slowest()), (u64::MAX, 1));
    }
}
