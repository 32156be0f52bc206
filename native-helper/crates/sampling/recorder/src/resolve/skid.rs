//! How long after its sample the last remote read was done.

use capture::quality::SkidMicros;

/// Delays up to this many microseconds are counted exactly.
const EXACT_MICROS: usize = 20_000;

/// A histogram of delays, microseconds.
#[derive(Debug)]
pub struct SkidHistogram {
    counts: Vec<u32>,
    beyond: u64,
    total: u64,
    max_us: u64,
}

impl Default for SkidHistogram {
    fn default() -> Self {
        Self {
            counts: vec![0; EXACT_MICROS],
            beyond: 0,
            total: 0,
            max_us: 0,
        }
    }
}

impl SkidHistogram {
    /// Adds one delay.
    pub fn add_us(&mut self, us: u64) {
        self.total += 1;
        self.max_us = self.max_us.max(us);
        match usize::try_from(us)
            .ok()
            .and_then(|us| self.counts.get_mut(us))
        {
            Some(count) => *count += 1,
            None => self.beyond += 1,
        }
    }

    /// Median, 99th percentile and maximum.
    pub fn summary(&self) -> SkidMicros {
        SkidMicros {
            p50: self.percentile(50),
            p99: self.percentile(99),
            max: self.max_us,
        }
    }

    fn percentile(&self, percent: u64) -> u64 {
        let wanted = (self.total * percent).div_ceil(100);
        let mut seen = 0;
        for (us, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted && seen > 0 {
                return us as u64;
            }
        }
        self.max_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_known_distribution() {
        let mut skid = SkidHistogram::default();
        (1..=98).for_each(|_| skid.add_us(5));
        skid.add_us(90);
        skid.add_us(70_000);
        assert_eq!(
            skid.summary(),
            SkidMicros {
                p50: 5,
                p99: 90,
                max: 70_000
            }
        );
        assert_eq!(SkidHistogram::default().summary(), SkidMicros::default());
    }
}
