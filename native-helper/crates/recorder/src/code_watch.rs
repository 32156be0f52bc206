//! How often the list of code is looked at: rarely while nothing happens, often while modules are
//! being loaded.

use std::time::{Duration, Instant};

/// After a load more are expected for so long.
const EXPECT_MORE: Duration = Duration::from_secs(2);
/// Between two looks while more are expected.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);
/// Reading a list that changed takes some time; so many times that is left between two looks.
const READING_TIMES: u32 = 3;

/// What was seen of code being loaded.
#[derive(Debug, Default)]
pub struct CodeWatch {
    last_change: Option<Instant>,
    /// What reading a changed list took lately.
    reading: Duration,
}

impl CodeWatch {
    /// How soon to look again; `None` when the regular looks will do.
    pub fn interval(&self) -> Option<Duration> {
        self.last_change
            .filter(|change| change.elapsed() < EXPECT_MORE)
            .map(|_| SHORTEST_INTERVAL.max(self.reading * READING_TIMES))
    }

    /// Notes a look that began then, and whether there was a change.
    pub fn looked(&mut self, changed: bool, begun: Instant) {
        if changed {
            self.last_change = Some(begun);
            self.reading = (self.reading + begun.elapsed()) / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_frequent_after_a_change_and_bounded_by_what_they_cost() {
        let mut watch = CodeWatch::default();
        assert_eq!(watch.interval(), None);
        watch.looked(false, Instant::now());
        assert_eq!(watch.interval(), None);
        watch.looked(true, Instant::now());
        assert_eq!(watch.interval(), Some(SHORTEST_INTERVAL));
        for _ in 0..8 {
            watch.looked(true, Instant::now() - Duration::from_millis(100));
        }
        assert!(watch.interval().unwrap() > Duration::from_millis(200));
        watch.looked(true, Instant::now() - EXPECT_MORE);
        assert_eq!(watch.interval(), None);
    }
}
