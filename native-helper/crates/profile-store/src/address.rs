//! Where a store is.

use std::fmt;

const MAX_ADDRESS_BYTES: usize = 2048;

/// The address of a store: `http://` or `https://`, a host, perhaps a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreAddress(String);

/// Why an address is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Something else than HTTP.
    #[error("it begins with neither http:// nor https://")]
    OtherScheme,
    /// There is nothing behind the scheme.
    #[error("it names no host")]
    NoHost,
    /// A space, a quote, `?`, `#` or the like.
    #[error("it has a character that no address of a store has")]
    OddCharacter,
    /// Everybody sees arguments.
    #[error("it holds a name or password, which everybody would see; use --credentials FILE")]
    Credentials,
    /// Longer than any.
    #[error("it is longer than {MAX_ADDRESS_BYTES} bytes")]
    TooLong,
}

impl StoreAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// When it is none that anything is sent to.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > MAX_ADDRESS_BYTES {
            return Err(AddressError::TooLong);
        }
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::OtherScheme)?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(AddressError::OtherScheme);
        }
        let is_odd = |c: char| !c.is_ascii_graphic() || "\"'\\<>{}|^`?#".contains(c);
        if rest.contains(is_odd) {
            return Err(AddressError::OddCharacter);
        }
        let rest = rest.trim_end_matches('/');
        let host = rest.split('/').next().unwrap_or_default();
        if host.contains('@') {
            return Err(AddressError::Credentials);
        }
        if host.is_empty() || host.starts_with(':') {
            return Err(AddressError::NoHost);
        }
        Ok(Self(format!("{scheme}://{rest}")))
    }

    /// Whether what is sent is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.starts_with("https:")
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_http_and_hold_no_secret() {
        let shown = |text: &str| StoreAddress::parse(text).map(|it| it.to_string());
        assert_eq!(shown("HTTP://h:4040/x//"), Ok("http://h:4040/x".to_owned()));
        for (text, error) in [
            ("ftp://h", AddressError::OtherScheme),
            ("h:4040", AddressError::OtherScheme),
            ("http://", AddressError::NoHost),
            ("http://:1", AddressError::NoHost),
            ("http://a:b@h", AddressError::Credentials),
            ("http://h/?x", AddressError::OddCharacter),
            ("http://h\nurl=x", AddressError::OddCharacter),
        ] {
            assert_eq!(shown(text), Err(error), "{text}");
        }
    }
}
