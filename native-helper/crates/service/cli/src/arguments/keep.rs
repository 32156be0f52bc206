//! `--keep 1h`, `--keep 500MB` and `--max-overhead 1%`.

use std::time::Duration;

use capture::file::kept::Keep;
use capture::trigger::BYTE_UNITS;
use recorder::MaxOverhead;

/// Below that, files would be of less than a second.
const LEAST_AGE: Duration = Duration::from_secs(10);
/// Below that, a file would hold not even the names of what a VM runs.
const LEAST_BYTES: u64 = 1_000_000;
/// How long a unit is, seconds.
const TIMES: [(&str, f64); 4] = [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// One duration or size.
pub(super) fn keep(text: &str) -> Result<Keep, String> {
    let unit_at = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let unit_is = |(name, _): &&(&str, f64)| name.eq_ignore_ascii_case(unit);
    let number = number.trim().parse::<f64>();
    let number = number.ok().filter(|it| it.is_finite() && *it > 0.0);
    let Some(number) = number else {
        return Err("not a duration such as 30min, 1h or 2d, nor a size such as 500MB".to_owned());
    };
    if let Some((_, seconds)) = TIMES.iter().find(unit_is) {
        let age = Duration::try_from_secs_f64(number * seconds).map_err(|it| it.to_string())?;
        return match age >= LEAST_AGE {
            true => Ok(Keep {
                age: Some(age),
                bytes: None,
            }),
            false => Err("ten seconds are the least that is kept".to_owned()),
        };
    }
    if let Some((_, factor)) = BYTE_UNITS.iter().find(unit_is) {
        let bytes = (number * factor) as u64;
        return match bytes >= LEAST_BYTES {
            true => Ok(Keep {
                age: None,
                bytes: Some(bytes),
            }),
            false => Err("1MB is the least that is kept".to_owned()),
        };
    }
    let sizes = BYTE_UNITS.map(|(name, _)| name).join(", ");
    Err(format!("\"{unit}\" is no unit: s, min, h, d; {sizes}"))
}

/// A duration with its unit.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| c.is_alphabetic())?;
    let (number, unit) = text.split_at_checked(unit_at)?;
    let (_, seconds) = TIMES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let number: f64 = number.trim().parse().ok()?;
    Duration::try_from_secs_f64(number * seconds).ok()
}

/// What all of them say together.
pub(super) fn together(wishes: &[Keep]) -> Option<Keep> {
    let all = wishes.iter().fold(Keep::default(), |all, it| Keep {
        age: all.age.into_iter().chain(it.age).min(),
        bytes: all.bytes.into_iter().chain(it.bytes).min(),
    });
    (all != Keep::default()).then_some(all)
}

/// What sampling may cost at most; `None` for anything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverheadLimit(pub Option<MaxOverhead>);

/// The limit of cost of a capture without an end, unless the user sets one.
pub(super) const USUAL_OVERHEAD: MaxOverhead = MaxOverhead(0.01);

/// Percent of a core.
pub(super) fn overhead(text: &str) -> Result<OverheadLimit, String> {
    if text == "off" {
        return Ok(OverheadLimit(None));
    }
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(0.0) => Ok(OverheadLimit(None)),
        Ok(percent) if (0.01..=10_000.0).contains(&percent) => {
            Ok(OverheadLimit(Some(MaxOverhead(percent / 100.0))))
        }
        _ => Err("not a percentage of a core such as 1%, nor \"off\"".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overhead_is_of_a_core_and_can_be_unlimited() {
        let limit = |percent: f64| Ok(OverheadLimit(Some(MaxOverhead(percent / 100.0))));
        assert_eq!(overhead("1%"), limit(1.0));
        assert_eq!(overhead("0.5"), limit(0.5));
        for unlimited in ["off", "0", "0%"] {
            assert_eq!(overhead(unlimited), Ok(OverheadLimit(None)));
        }
        for text in ["", "%", "-1%", "nan", "inf", "1%%", "on", "0.001%"] {
            assert!(overhead(text).is_err(), "{text}");
        }
    }

    fn age(seconds: u64) -> Keep {
        Keep {
            age: Some(Duration::from_secs(seconds)),
            bytes: None,
        }
    }

    fn size(bytes: u64) -> Keep {
        Keep {
            age: None,
            bytes: Some(bytes),
        }
    }

    #[test]
    fn durations_and_sizes() {
        for (text, kept) in [
            ("1h", age(3600)),
            ("90 min", age(5400)),
            ("0.5d", age(43_200)),
            ("30s", age(30)),
            ("500MB", size(500_000_000)),
            ("500mb", size(500_000_000)),
            ("1.5 GiB", size(1_610_612_736)),
            ("2TB", size(2_000_000_000_000)),
        ] {
            assert_eq!(keep(text), Ok(kept), "{text}");
        }
        for text in [
            "", "1", "h", "5m", "-1h", "1e400h", "infs", "NaNh", "9s", "1kB", "1 week", "1h30min",
        ] {
            assert!(keep(text).is_err(), "{text}");
        }
    }

    #[test]
    fn both_may_be_wished_and_the_least_counts() {
        assert_eq!(together(&[]), None);
        let both = Keep {
            age: Some(Duration::from_secs(60)),
            bytes: Some(2_000_000),
        };
        assert_eq!(together(&[age(600), size(2_000_000), age(60)]), Some(both));
    }
}
