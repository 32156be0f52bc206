//! Weights that are no whole numbers: a capture counts whole things, so these are counted in parts.

use profile_builder::Measure;

const MILLIONTHS: f64 = 1e6;
const THOUSANDTHS: f64 = 1e3;
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
