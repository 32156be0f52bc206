//! Whether the time of one frame changed by more than chance explains. Each is judged alone, by its own
//! samples: of many, some differ by chance. Verdicts on functions are [`crate::verdicts`]'.

/// The change of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameChange {
    /// Nothing that chance does not explain.
    None,
    More,
    Less,
    /// The older side has none of it.
    New,
    /// The newer side has none of it.
    Gone,
}

/// One side of a frame, in the unit of the normalisation.
#[derive(Debug, Clone, Copy)]
pub struct FrameSide {
    pub value: f64,
    pub samples: f64,
    /// The value of one sample.
    pub per_sample: f64,
}

/// Less than that is no change, however certain.
const LEAST_CHANGE: f64 = 0.01;
/// Standard errors from which on a difference is more than chance explains.
const CERTAIN: f64 = 2.0;
/// Samples that a side would have had from which on it is no accident that it has none.
const EXPECTED: f64 = 10.0;
/// Where the next strength begins: doublings, of the newer against the older value.
const STRENGTHS: [f64; 3] = [0.15, 0.4, 0.85];

impl FrameChange {
    /// `run_variance` is that of the logarithm of a ratio, by how runs differ.
    pub fn of(base: FrameSide, new: FrameSide, run_variance: f64) -> Self {
        match (base.value > 0.0, new.value > 0.0) {
            (false, false) => Self::None,
            (false, true) => Self::of_one_side(new, base, Self::New),
            (true, false) => Self::of_one_side(base, new, Self::Gone),
            (true, true) => Self::of_both(base, new, run_variance),
        }
    }

    fn of_one_side(there: FrameSide, missing: FrameSide, change: Self) -> Self {
        match missing.per_sample > 0.0 && there.value / missing.per_sample >= EXPECTED {
            true => change,
            false => Self::None,
        }
    }

    fn of_both(base: FrameSide, new: FrameSide, run_variance: f64) -> Self {
        let ratio = new.value / base.value;
        let error = (1.0 / base.samples + 1.0 / new.samples + run_variance).sqrt();
        if ratio.ln().abs() <= CERTAIN * error || (ratio - 1.0).abs() < LEAST_CHANGE {
            return Self::None;
        }
        match ratio > 1.0 {
            true => Self::More,
            false => Self::Less,
        }
    }

    /// How strongly it is coloured: 0 for no change, else 1 to 4.
    pub fn strength(self, base: f64, new: f64) -> u8 {
        let doublings = match self {
            Self::None => return 0,
            Self::New | Self::Gone => f64::INFINITY,
            Self::More | Self::Less => (new / base).log2().abs(),
        };
        let passed = STRENGTHS.iter().filter(|from| doublings >= **from);
        1 + passed.count() as u8
    }
}

/// Variance of the logarithm of a ratio of two sides with so many captures each, whose runs differ by
/// `spread_pct`.
pub fn run_variance(spread_pct: f64, captures: [usize; 2]) -> f64 {
    let of_side = |count: usize| (spread_pct / 100.0).powi(2) / count.max(1) as f64;
    captures.into_iter().map(of_side).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(samples: f64) -> FrameSide {
        FrameSide {
            value: samples / 10.0,
            samples,
            per_sample: 0.1,
        }
    }

    /// The constants are those of the editor (`extension/src/capture/answers/chance.ts`).
    #[test]
    fn a_frame_is_judged_by_its_samples_and_by_how_runs_differ() {
        let judged = |base, new, variance| FrameChange::of(side(base), side(new), variance);
        assert_eq!(judged(1000.0, 1200.0, 0.0), FrameChange::More);
        assert_eq!(judged(1000.0, 800.0, 0.0), FrameChange::Less);
        assert_eq!(judged(1000.0, 1200.0, 0.05), FrameChange::None);
        assert_eq!(judged(10.0, 12.0, 0.0), FrameChange::None);
        assert_eq!(judged(1e9, 1.005e9, 0.0), FrameChange::None);
        assert_eq!(judged(0.0, 10.0, 0.0), FrameChange::New);
        assert_eq!(judged(0.0, 9.0, 0.0), FrameChange::None);
        assert_eq!(judged(10.0, 0.0, 0.0), FrameChange::Gone);
        assert_eq!(judged(0.0, 0.0, 0.0), FrameChange::None);
    }

    #[test]
    fn the_larger_the_change_the_stronger() {
        let strengths = [1.05, 1.2, 1.5, 2.0].map(|new| FrameChange::More.strength(1.0, new));
        assert_eq!(strengths, [1, 2, 3, 4]);
        assert_eq!(FrameChange::Gone.strength(1.0, 0.0), 4);
        assert_eq!(FrameChange::None.strength(1.0, 2.0), 0);
        assert!((run_variance(10.0, [1, 4]) - 0.0125).abs() < 1e-12);
    }
}
