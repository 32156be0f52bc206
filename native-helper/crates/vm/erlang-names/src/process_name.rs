//! A process as people write it down: its pid or the name that it is registered under.

use std::fmt;
use std::str::FromStr;

use crate::atom_text::unquoted;

/// No atom is longer.
const MAX_NAME_CHARS: usize = 255;

/// Which process is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessName {
    /// By its pid, as its node prints it: `<0.83.0>`.
    Pid(String),
    /// By its registered name, an atom without quotes.
    Registered(String),
}

/// The text is neither a pid nor a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoProcessName;

impl fmt::Display for NoProcessName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a pid, as in <0.83.0>, 0.83.0 or #PID<0.83.0>, or a registered name")
    }
}

impl std::error::Error for NoProcessName {}

impl FromStr for ProcessName {
    type Err = NoProcessName;

    /// Reads `<0.83.0>`, `0.83.0`, `#PID<0.83.0>`, or a name: `shop`, `'my shop'`, and as Elixir writes them `:shop`
    /// and `Shop.Cart`.
    fn from_str(text: &str) -> Result<Self, NoProcessName> {
        let text = text.trim();
        if let Some(pid) = pid(text) {
            return Ok(Self::Pid(pid));
        }
        // What begins like a pid and is none is a slip, and no atom begins so unless it has quotes.
        let begins_like_a_pid = |first: char| first.is_ascii_digit() || "<#-".contains(first);
        match text.chars().next() {
            None => Err(NoProcessName),
            Some(first) if begins_like_a_pid(first) => Err(NoProcessName),
            Some(_) => name(text).map(Self::Registered).ok_or(NoProcessName),
        }
    }
}

fn pid(text: &str) -> Option<String> {
    let bare = text.strip_prefix("#PID").unwrap_or(text);
    let inside = match bare.strip_prefix('<') {
        Some(inside) => inside.strip_suffix('>')?,
        None if bare.len() == text.len() => bare,
        None => return None,
    };
    let mut numbers = inside.split('.');
    let mut number = || {
        let digits = numbers.next()?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|_| is_number)
    };
    let (node, number, serial) = (number()?, number()?, number()?);
    numbers
        .next()
        .is_none()
        .then(|| format!("<{node}.{number}.{serial}>"))
}

fn name(text: &str) -> Option<String> {
    let name = match text.strip_prefix(':') {
        Some(atom) => match atom.strip_prefix('"') {
            Some(quoted) => quoted.strip_suffix('"')?.to_owned(),
            None => atom.to_owned(),
        },
        // A module of Elixir is an atom with that prefix.
        None if text.starts_with(|first: char| first.is_uppercase()) => {
            let module = text.strip_prefix("Elixir.").unwrap_or(text);
            format!("Elixir.{module}")
        }
        None => unquoted(text).into_owned(),
    };
    let is_name = !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS;
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pids_are_read_as_people_have_them() {
        for text in ["<0.83.0>", "0.83.0", "#PID<0.83.0>", " <0.83.0>\n"] {
            let pid = ProcessName::Pid("<0.83.0>".to_owned());
            assert_eq!(text.parse(), Ok(pid), "{text}");
        }
        let other_node = ProcessName::Pid("<9042.83.1>".to_owned());
        assert_eq!("<9042.83.1>".parse(), Ok(other_node));
    }

    #[test]
    fn names_are_read_as_either_language_writes_them() {
        for (text, name) in [
            ("shop", "shop"),
            ("'my shop'", "my shop"),
            (r"'it\'s'", "it's"),
            (":shop", "shop"),
            (":\"my shop\"", "my shop"),
            ("Shop.Cart", "Elixir.Shop.Cart"),
            ("Elixir.Shop.Cart", "Elixir.Shop.Cart"),
            ("'Elixir.Shop.Cart'", "Elixir.Shop.Cart"),
            ("'0.83.0'", "0.83.0"),
        ] {
            let name = ProcessName::Registered(name.to_owned());
            assert_eq!(text.parse(), Ok(name), "{text}");
        }
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in [
            "",
            " ",
            "83",
            "<0.83>",
            "<0.-1.0>",
            "0.83.0.1",
            "#PID0.83.0",
            "<0.83.0",
            "-1",
            "''",
            ":",
            "#Port<0.4>",
            "0.+3.0",
            "<0.99999999999999999999.0>",
            "<..>",
        ] {
            assert_eq!(text.parse::<ProcessName>(), Err(NoProcessName), "{text}");
        }
        assert_eq!("a".repeat(256).parse::<ProcessName>(), Err(NoProcessName));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text: String) {
            if let Ok(ProcessName::Pid(pid)) = text.parse() {
                prop_assert!(pid.starts_with('<') && pid.ends_with('>'));
            }
        }
    }
}
