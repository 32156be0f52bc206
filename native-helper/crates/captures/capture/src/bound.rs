//! The right side of a comparison, as in `memory > 8 GB` and `slower > 2 %`: an operator, a number, a unit. Conditions of
//! `record --when`, `diff --fail-if` and `diff --history` have it in common.

/// A larger number is none of anything.
const MOST: f64 = 1e18;

/// How a value is compared with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// It is as large, or larger.
    AtLeast,
    /// It is as small, or smaller.
    AtMost,
    /// It is larger.
    Above,
    /// It is smaller.
    Below,
}

/// As they are written, those with two signs first.
pub const OPERATORS: [(&str, Operator); 4] = [
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    (">", Operator::Above),
    ("<", Operator::Below),
];

impl Operator {
    /// Whether a value is so compared with the bound.
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::AtLeast => value >= bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::Below => value < bound,
        }
    }
}

/// The number that a text begins with, 0 or more, and its length in bytes: digits, a dot among them, an exponent.
pub fn number(text: &str) -> Option<(f64, usize)> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let behind = text.trim_start_matches(is_part);
    let length = text.len() - behind.len() + exponent(behind);
    let value: f64 = text.get(..length)?.parse().ok()?;
    (value <= MOST).then_some((value, length))
}

/// Its length in bytes; 0 where there is none.
fn exponent(text: &str) -> usize {
    let Some(power) = text.strip_prefix(['e', 'E']) else {
        return 0;
    };
    let digits = power.strip_prefix(['+', '-']).unwrap_or(power);
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    match behind.len() < digits.len() {
        true => text.len() - behind.len(),
        false => 0,
    }
}

/// The text behind a name or a unit that a text begins with, in whatever case; `None` where it does not, or where that is
/// the beginning of a longer word.
pub fn behind_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (here, behind) = text.split_at_checked(word.len())?;
    let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '_');
    (!goes_on && here.eq_ignore_ascii_case(word)).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_before_its_unit() {
        for (text, read) in [
            ("8GB", Some((8.0, 1))),
            ("0.5 pp", Some((0.5, 3))),
            ("1e3us", Some((1_000.0, 3))),
            ("2.5E-1%", Some((0.25, 6))),
            ("1e", Some((1.0, 1))),
            ("1e+", Some((1.0, 1))),
            ("", None),
            ("-1", None),
            ("inf", None),
            ("1.2.3", None),
            ("1e19", None),
        ] {
            assert_eq!(number(text), read, "{text}");
        }
    }

    #[test]
    fn a_word_is_whole_and_in_whatever_case() {
        assert_eq!(behind_word("gb or", "GB"), Some(" or"));
        assert_eq!(behind_word("%", "%"), Some(""));
        for text in ["GB/s", "GBü", "G", "ü", ""] {
            assert_eq!(behind_word(text, "GB"), None, "{text}");
        }
    }
}
