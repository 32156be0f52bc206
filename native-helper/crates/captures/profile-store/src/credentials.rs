//! The credentials of the sender: lines of HTTP that go before each profile, from a file or the
//! environment. Never from arguments, which every user sees, and never into a capture.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A line such as `Authorization: Bearer …`; several with line breaks between.
pub const VARIABLE: &str = "EXTROSPECT_STORE_HEADERS";
const MAX_BYTES: u64 = 64 << 10;
const MAX_LINES: usize = 32;

/// Lines of HTTP that may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials(Vec<String>);

/// Nothing of it is shown.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({} lines)", self.0.len())
    }
}

impl Credentials {
    /// Those of a file, else of the environment, else none.
    ///
    /// # Errors
    /// When the file cannot be read, or the credentials are no lines of HTTP.
    pub fn find(file: Option<&Path>) -> io::Result<Self> {
        let mut text = String::new();
        match file {
            Some(path) => {
                File::open(path)?
                    .take(MAX_BYTES)
                    .read_to_string(&mut text)?;
            }
            None => text = std::env::var(VARIABLE).unwrap_or_default(),
        }
        Self::parse(&text)
    }

    fn parse(text: &str) -> io::Result<Self> {
        let mut lines = Vec::new();
        let wanted = text.lines().map(str::trim);
        for line in wanted.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // The line itself may be a secret, so the error does not contain it.
            let odd = || {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a line of it is no `Name: value`",
                )
            };
            let (name, _) = line.split_once(':').ok_or_else(odd)?;
            let is_name = !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            if !is_name || line.contains(char::is_control) || lines.len() >= MAX_LINES {
                return Err(odd());
            }
            lines.push(line.to_owned());
        }
        Ok(Self(lines))
    }

    pub(crate) fn lines(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_lines_of_http_and_are_not_shown() {
        let found =
            Credentials::parse("# ours\nAuthorization: Bearer secret\n\nX-Scope-OrgID: a\n");
        let found = found.unwrap();
        assert_eq!(
            found.lines(),
            ["Authorization: Bearer secret", "X-Scope-OrgID: a"]
        );
        assert_eq!(format!("{found:?}"), "Credentials(2 lines)");
        for odd in ["secret", ": x", "a b: c", "a: b\u{1}c"] {
            let error = Credentials::parse(odd).unwrap_err();
            assert!(!error.to_string().contains(odd));
        }
    }
}
