//! Which of the blocks, or page faults, of a storm are recorded: each n-th. No I/O and no clock.
//!
//! n is a prime, another one each second, so that it does not stay in step with what a program repeats. It is so large
//! that fewer blocks are recorded than the limit, and 1 wherever they are fewer by themselves.

/// Blocks recorded in a second at most.
const MOST_PER_S: u64 = 10_000;
const SECOND_NS: u64 = 1_000_000_000;
/// A storm has ended when a whole second had fewer than the limit, less one of so many.
const CALM: u64 = 5;
/// The primes that n is, by turns, are so many from the first that is large enough.
const TURNS: usize = 3;
const PRIMES: [u32; 30] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 211, 401, 809, 1601,
];

/// Counters since the recording began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) at_ns: u64,
    pub(super) recorded: u64,
    pub(super) left_out: u64,
}

/// Decides how many blocks a recorded one stands for.
#[derive(Debug)]
pub(super) struct SwitchGuard {
    most_per_s: u64,
    /// How many times fewer than the limit: the guard of the overhead sets it.
    fewer: u32,
    each_of: u32,
    /// When the second began.
    began: Blocks,
    turn: usize,
}

impl SwitchGuard {
    /// That of a recording that starts at this time.
    pub(super) fn since(start_ns: u64) -> Self {
        Self {
            most_per_s: MOST_PER_S,
            fewer: 1,
            each_of: 1,
            began: Blocks {
                at_ns: start_ns,
                ..Blocks::default()
            },
            turn: 0,
        }
    }

    /// From now on so many times fewer blocks are to be recorded, whatever their number. Also in a storm: what costs too
    /// much would otherwise go on costing as much, as if no lowering helped.
    pub(super) fn record_fewer(&mut self, times: u32) {
        self.fewer = times.max(1);
    }

    /// Of how many blocks one is to be recorded from now on.
    pub(super) fn look(&mut self, now: Blocks) -> u32 {
        let ns = now.at_ns.saturating_sub(self.began.at_ns).max(1);
        let recorded = now.recorded.saturating_sub(self.began.recorded);
        // A storm is not waited for until its second is over.
        if ns < SECOND_NS && recorded <= self.most_per_s {
            return self.each_of;
        }
        let all = recorded.saturating_add(now.left_out.saturating_sub(self.began.left_out));
        let per_s = u128::from(all) * u128::from(SECOND_NS) / u128::from(ns);
        self.began = now;
        self.each_of = self.decide(u64::try_from(per_s).unwrap_or(u64::MAX));
        self.each_of
    }

    fn decide(&mut self, per_s: u64) -> u32 {
        let calm_per_s = match self.each_of {
            1 => self.most_per_s,
            _ => self.most_per_s - self.most_per_s / CALM,
        };
        if per_s <= calm_per_s && self.fewer == 1 {
            return 1;
        }
        let for_limit = per_s.div_ceil(self.most_per_s).max(1);
        let wanted = for_limit.saturating_mul(self.fewer.into());
        let first = PRIMES.partition_point(|prime| u64::from(*prime) < wanted);
        let first = first.min(PRIMES.len() - TURNS);
        self.turn = (self.turn + 1) % TURNS;
        PRIMES.get(first + self.turn).copied().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A target with a known number of blocks, and the recorded ones.
    struct Run {
        guard: SwitchGuard,
        now: Blocks,
        each_of: u32,
    }

    impl Run {
        fn new() -> Self {
            Self {
                guard: SwitchGuard::since(0),
                now: Blocks::default(),
                each_of: 1,
            }
        }

        /// So many looks, twenty a second: what n was after each.
        fn looks(&mut self, per_s: u64, looks: u32) -> Vec<u32> {
            let look = |_| {
                let all = per_s / 20;
                let recorded = all / u64::from(self.each_of);
                self.now.at_ns += SECOND_NS / 20;
                self.now.recorded += recorded;
                self.now.left_out += all - recorded;
                self.each_of = self.guard.look(self.now);
                self.each_of
            };
            (0..looks).map(look).collect()
        }
    }

    #[test]
    fn up_to_the_limit_each_block_is_recorded() {
        let mut run = Run::new();
        assert!(run.looks(MOST_PER_S, 200).iter().all(|n| *n == 1));
        assert_eq!(run.now.left_out, 0);
    }

    #[test]
    fn a_storm_is_thinned_out_as_soon_as_a_second_s_blocks_are_recorded_and_then_stays_below() {
        let mut run = Run::new();
        // 5,000 at each look.
        assert_eq!(run.looks(100_000, 2), [1, 1]);
        assert!(run.looks(100_000, 1)[0] >= 10);
        let before = run.now;
        run.looks(100_000, 100);
        let recorded = run.now.recorded - before.recorded;
        assert!(recorded <= 5 * MOST_PER_S, "{recorded} in five seconds");
        // Ten times as many: it does not wait for the end of the second.
        assert!(run.looks(1_000_000, 3)[2] >= 100);
    }

    #[test]
    fn n_is_a_prime_and_another_one_each_second() {
        let mut run = Run::new();
        let looks = run.looks(35_000, 200);
        let mut thinned: Vec<u32> = looks.into_iter().filter(|n| *n > 1).collect();
        assert!(thinned.iter().all(|n| PRIMES.contains(n) && *n >= 4));
        thinned.dedup();
        assert!(thinned.len() >= 9, "{thinned:?}");
        for n in PRIMES {
            assert!(
                (2..n)
                    .take_while(|part| part * part <= n)
                    .all(|part| !n.is_multiple_of(part))
            );
        }
    }

    #[test]
    fn when_it_is_calm_again_each_block_is_recorded() {
        let mut run = Run::new();
        run.looks(50_000, 60);
        assert!(run.each_of > 1);
        // Just below the limit it may begin anew at any moment.
        run.looks(9_000, 60);
        assert!(run.each_of > 1);
        run.looks(8_000, 60);
        assert_eq!(run.each_of, 1);
    }

    #[test]
    fn no_number_of_blocks_is_too_large() {
        let mut run = Run::new();
        run.looks(u64::MAX / 1_000_000, 60);
        assert!(PRIMES.contains(&run.each_of));
    }

    #[test]
    fn the_cost_may_ask_for_fewer_than_the_limit() {
        let mut run = Run::new();
        run.guard.record_fewer(8);
        let looks = run.looks(100, 100);
        assert_eq!(looks[0], 1, "from the next second on");
        assert!(looks[60..].iter().all(|n| *n >= 8));
        run.guard.record_fewer(1);
        run.looks(100, 40);
        assert_eq!(run.each_of, 1);
    }

    #[test]
    fn the_cost_may_ask_for_fewer_in_a_storm_as_well() {
        let mut run = Run::new();
        run.looks(100_000, 60);
        assert!((10..20).contains(&run.each_of), "{}", run.each_of);
        run.guard.record_fewer(2);
        run.looks(100_000, 60);
        assert!(run.each_of >= 20, "{}", run.each_of);
    }
}
