//! How many processes are read without a pause.

use std::thread::sleep;
use std::time::Duration;

use crate::thread_time::thread_time;

/// Of a processor, before the next pause.
const LONGEST: Duration = Duration::from_millis(5);
const PAUSE: Duration = Duration::from_millis(1);
/// Of processes as most are, these take less than that.
const MOST: usize = 500;
const LEAST: usize = 16;

/// As many processes at a time as are read within [`LONGEST`]: some have dictionaries of thousands of entries.
#[derive(Debug)]
pub(crate) struct Stride {
    processes: usize,
}

impl Default for Stride {
    fn default() -> Self {
        Self {
            processes: MOST / 4,
        }
    }
}

impl Stride {
    /// Reads a portion, and determines the size of the next one.
    pub fn read<T>(&mut self, read: impl FnOnce(usize) -> T) -> T {
        let began = thread_time();
        let value = read(self.processes);
        self.took(thread_time().saturating_sub(began));
        value
    }

    /// Lets the target's memory be for a moment.
    pub fn pause(&self) {
        sleep(PAUSE);
    }

    fn took(&mut self, time: Duration) {
        if time > LONGEST {
            let longer = time.as_nanos().div_ceil(LONGEST.as_nanos());
            let fewer = self.processes / usize::try_from(longer).unwrap_or(usize::MAX);
            self.processes = fewer.max(LEAST);
        } else if time < LONGEST / 2 {
            self.processes = (self.processes * 2).min(MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_read_in_fewer_at_a_time() {
        let mut stride = Stride::default();
        stride.took(Duration::from_millis(40));
        assert_eq!(stride.processes, LEAST, "it goes on all the same");
        stride.took(Duration::from_millis(1));
        stride.took(Duration::from_millis(4));
        assert_eq!(stride.processes, 2 * LEAST, "as many as fit");
        stride.took(Duration::from_millis(6));
        assert_eq!(stride.processes, LEAST);
        for _ in 0..20 {
            stride.took(Duration::from_millis(1));
        }
        assert_eq!(stride.processes, MOST);
    }
}
