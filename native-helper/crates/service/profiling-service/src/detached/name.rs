//! The name of a detached capture: the name of its folder, which is also shown.

use std::fmt;
use std::str::FromStr;

const MAX_CHARS: usize = 64;

/// A name that is no path, no option, and reads the same wherever it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DetachedName(String);

/// The text is not a valid name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoDetachedName;

impl fmt::Display for NoDetachedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(protocol::message::texts::WHY_NO_DETACHED_NAME.english)
    }
}

impl std::error::Error for NoDetachedName {}

impl FromStr for DetachedName {
    type Err = NoDetachedName;

    fn from_str(text: &str) -> Result<Self, NoDetachedName> {
        let begins_well = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte);
        if begins_well && text.len() <= MAX_CHARS && text.bytes().all(is_allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoDetachedName)
        }
    }
}

impl DetachedName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DetachedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path_no_option_and_no_trick() {
        for good in ["night", "shop@a.b-2026-11-23", "7", &"x".repeat(64)] {
            assert!(good.parse::<DetachedName>().is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            ".night",
            "-o",
            "a/b",
            "../a",
            "a\0",
            "a\n",
            "a b",
            "ä",
            "a\u{202e}b",
            &long,
        ] {
            assert_eq!(bad.parse::<DetachedName>(), Err(NoDetachedName), "{bad:?}");
        }
    }
}
