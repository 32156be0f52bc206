//! Functions of statistics. Student's distribution is `statrs`'; trigamma is in no small crate.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// How likely a value at least as far from 0 is, by Student's distribution.
pub fn two_sided_p(t: f64, degrees: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) if t.is_finite() => 2.0 * student.cdf(-t.abs()),
        _ => 1.0,
    }
}

/// The value that this part of Student's distribution is below.
pub fn t_quantile(part: f64, degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |student| student.inverse_cdf(part))
}

/// The second derivative of the logarithm of the gamma function, for `x` > 0.
pub fn trigamma(x: f64) -> f64 {
    // The asymptotic series is good from 6 on; below, the recurrence leads there.
    let (mut x, mut sum) = (x, 0.0);
    while x < 6.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    sum + inverse
        * (1.0 + inverse / 2.0 + square * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0)))
}

/// Where trigamma, which only falls, has this value; between 0.001 and 1,000.
pub fn trigamma_inverse(value: f64) -> f64 {
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..80 {
        let middle = f64::sqrt(low * high);
        match trigamma(middle) > value {
            true => low = middle,
            false => high = middle,
        }
    }
    f64::sqrt(low * high)
}

/// The median of `chi-square / degrees`, by Wilson and Hilferty.
pub fn median_of_scaled_chi_square(degrees: f64) -> f64 {
    (1.0 - 2.0 / (9.0 * degrees)).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // trigamma(1) is pi squared by 6.
        assert!((trigamma(1.0) - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-7);
        assert!((trigamma_inverse(trigamma(3.5)) - 3.5).abs() < 1e-6);
        assert!((t_quantile(0.975, 4.0) - 2.776_445).abs() < 1e-4);
        assert!((two_sided_p(2.776_445, 4.0) - 0.05).abs() < 1e-5);
        assert!((two_sided_p(f64::NAN, 4.0) - 1.0).abs() < f64::EPSILON);
        assert!((median_of_scaled_chi_square(4.0) - 0.8392).abs() < 5e-3);
    }
}
