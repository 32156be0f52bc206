//! How much a sample stands for, by when it was taken: the rate may change while a capture runs, and
//! samples are named a little later than they are taken.

/// Changes that are remembered: samples are never named as late as that.
const REMEMBERED: usize = 16;

/// Weights by the time from which on they hold, oldest first; before the first it is 1.
#[derive(Debug, Default)]
pub struct Weights(Vec<(u64, u32)>);

impl Weights {
    /// From `time_ns` on. Times do not go back.
    pub fn set(&mut self, time_ns: u64, weight: u32) {
        if self.0.len() >= REMEMBERED {
            self.0.remove(0);
        }
        let last_ns = self.0.last().map_or(0, |(time_ns, _)| *time_ns);
        self.0.push((time_ns.max(last_ns), weight.max(1)));
    }

    /// How much a sample of that time stands for.
    pub fn at(&self, time_ns: u64) -> u32 {
        let mut newest_first = self.0.iter().rev();
        let holds = newest_first.find(|(from_ns, _)| *from_ns <= time_ns);
        // Older than all that is remembered: the oldest of them is nearest.
        match (holds, self.0.len()) {
            (Some((_, weight)), _) => *weight,
            (None, REMEMBERED) => self.0.first().map_or(1, |(_, weight)| *weight),
            (None, _) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sample_has_the_weight_of_its_time() {
        let mut weights = Weights::default();
        assert_eq!(weights.at(5), 1);
        weights.set(10, 4);
        weights.set(20, 2);
        let seen: Vec<u32> = [0, 9, 10, 19, 20, 99].map(|it| weights.at(it)).into();
        assert_eq!(seen, [1, 1, 4, 4, 2, 2]);
        for time_ns in 100..200 {
            weights.set(time_ns, 8);
        }
        assert_eq!((weights.at(0), weights.at(150)), (8, 8));
        assert_eq!(weights.0.len(), REMEMBERED);
    }
}
