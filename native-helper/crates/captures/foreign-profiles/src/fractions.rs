//! Weights that are no whole numbers: a capture counts whole things, so these are counted in parts. And times of
//! samples as multiples of one period.

use profile_builder::Measure;

const MILLIONTHS: f64 = 1e6;
const THOUSANDTHS: f64 = 1e3;
/// Times that differ by multiples of less than this are no distance between samples.
const LEAST_PERIOD_NS: u64 = 10_000;
/// What a product may be away from a whole number, as a share of it.
const ROUNDING: f64 = 1e-9;

/// How many parts of one are counted, so that no weight is rounded to nothing: 1 when all are whole.
pub(crate) fn scale(weights: impl Iterator<Item = f64>) -> f64 {
    let mut scale = 1.0;
    for weight in weights {
        while scale < MILLIONTHS && !is_whole(weight * scale) {
            scale *= THOUSANDTHS;
        }
    }
    scale
}

/// The time that one sample stands for: what all times, in nanoseconds, are multiples of.
pub(crate) fn period(times: impl Iterator<Item = u64>) -> Option<u64> {
    let mut common = 0_u64;
    for time in times {
        let (mut a, mut b) = (common, time);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        common = a;
    }
    (common >= LEAST_PERIOD_NS).then_some(common)
}

fn is_whole(number: f64) -> bool {
    !number.is_finite() || (number - number.round()).abs() <= number.abs() * ROUNDING
}

/// The sample type for such a scale; `None` when it is that of the weights.
pub(crate) fn measure(scale: f64) -> Option<Measure> {
    let unit = match scale {
        scale if scale >= MILLIONTHS => "millionths",
        scale if scale >= THOUSANDTHS => "thousandths",
        _ => return None,
    };
    Some(Measure::Other {
        name: "samples".to_owned(),
        unit: unit.to_owned(),
    })
}
