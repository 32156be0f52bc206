//! The one number that a command prints.

/// Longer texts cannot be a genuine number.
const MAX_DIGITS: usize = 64;

/// The number that is all of a text, whole or with decimals, blanks and line ends around it left out;
/// `None` for anything else, `inf` and `nan` among it.
pub fn one_number(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if text.len() > MAX_DIGITS || !text.bytes().all(is_plain) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_one_and_anything_more_is_none() {
        let all = |text: &str| one_number(text.as_bytes());
        assert_eq!(all("12300\n"), Some(12_300.0));
        assert_eq!(all(" -1.5 "), Some(-1.5));
        assert_eq!(all("1.2e+06"), Some(1.2e6));
        for odd in [
            "",
            "\n",
            "1 2",
            "1\n2",
            "1,000",
            "nan",
            "inf",
            "1e999",
            "0x10",
            "12 orders",
            "1_000",
            "--1",
            ".",
            "e",
        ] {
            assert_eq!(all(odd), None, "{odd:?}");
        }
        assert_eq!(one_number(&[0xff, b'1']), None);
        assert_eq!(one_number(&[b'1'; 100]), None);
    }

    proptest! {
        #[test]
        fn garbage_is_a_finite_number_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(one_number(&bytes).is_none_or(f64::is_finite));
        }

        #[test]
        fn what_a_program_prints_comes_back(value in -1e15..1e15f64) {
            prop_assert_eq!(one_number(format!("{value}\n").as_bytes()), Some(value));
        }
    }
}
