//! Time that a thread had a processor, and time that it waited for one, from `schedstat`.

use std::time::Duration;

use crate::proc_fs::ProcFs;

/// A line of three numbers.
const MAX_SCHEDSTAT_BYTES: u64 = 256;

/// Since a thread was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessorTime {
    /// On a processor.
    pub ran: Duration,
    /// Ready to run, and not on one. The kernel adds a wait when it has ended.
    pub waited: Duration,
}

/// Both in the text of a thread's `schedstat`; `None` for an invalid text, and where the kernel does not count: it shows
/// three zeros then.
#[must_use]
pub fn parse_processor_time(text: &[u8]) -> Option<ProcessorTime> {
    let text = std::str::from_utf8(text).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let mut number = || fields.next()?.parse::<u64>().ok();
    let (ran, waited, slices) = (number()?, number()?, number()?);
    (ran | waited | slices != 0).then_some(ProcessorTime {
        ran: Duration::from_nanos(ran),
        waited: Duration::from_nanos(waited),
    })
}

impl ProcFs {
    /// That of one thread; `None` when it has ended or the kernel does not count.
    #[must_use]
    pub fn processor_time(&self, pid: u32, tid: u32) -> Option<ProcessorTime> {
        let text = self.read(pid, &format!("task/{tid}/schedstat"), MAX_SCHEDSTAT_BYTES);
        parse_processor_time(&text.ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_two_numbers_are_times() {
        let nanoseconds = Duration::from_nanos;
        assert_eq!(
            parse_processor_time(b"1812345 7012 12\n"),
            Some(ProcessorTime {
                ran: nanoseconds(1_812_345),
                waited: nanoseconds(7012),
            })
        );
        for text in ["", "1 2", "1 -2 3", "1 x 3", "0 0 0\n", "1.5 2 3"] {
            assert_eq!(parse_processor_time(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..128)) {
            let _ = parse_processor_time(&text);
        }
    }
}
