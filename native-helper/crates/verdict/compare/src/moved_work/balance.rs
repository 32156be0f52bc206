//! Whether what one place lost is what another gained.

use crate::pair::Pair;
use crate::special_functions::t_quantile;
use crate::spread::Spread;

/// A change in the unit of the normalisation, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// New less base.
    pub value: f64,
    variance: f64,
    degrees: f64,
}

impl Difference {
    pub fn of(pair: &Pair, spread: &Spread) -> Self {
        let (between, degrees) = spread.of(&pair.base, &pair.new);
        let variance = [&pair.base, &pair.new].map(|side| {
            // A side without samples has no variance.
            let of_log = if side.samples > 0.0 {
                side.variance(between)
            } else {
                0.0
            };
            side.value * side.value * of_log
        });
        Self {
            value: pair.new.value - pair.base.value,
            variance: variance.iter().sum(),
            degrees,
        }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            variance: self.variance + other.variance,
            degrees: self.degrees.min(other.degrees),
        }
    }

    /// Whether a gain and a loss are the same work: their sum may be nothing, and neither is more than
    /// twice the other, which the intervals of small figures would allow.
    pub fn balances(self, loss: Self) -> bool {
        let sum = self.and(loss);
        let margin = t_quantile(0.975, sum.degrees) * sum.variance.sqrt();
        let (came, went) = (self.value, -loss.value);
        let is_as_much = came > 0.0 && went > 0.0 && came <= 2.0 * went && went <= 2.0 * came;
        is_as_much && sum.value.abs() <= margin
    }
}
