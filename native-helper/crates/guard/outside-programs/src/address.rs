//! Addresses of the web that we fetch from or send to.

use std::fmt;

const MAX_BYTES: usize = 2048;

/// An address: `http://` or `https://`, a host, and characters without a meaning to other programs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WebAddress(String);

/// Why an address is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Files and other schemes are not fetched.
    #[error("it begins with neither http:// nor https://")]
    OtherScheme,
    /// There is nothing behind the scheme.
    #[error("it names no host")]
    NoHost,
    /// A space, a quote or the like.
    #[error("it has a character that no address of a server has")]
    OddCharacter,
    /// Longer than any.
    #[error("it is longer than {MAX_BYTES} bytes")]
    TooLong,
}

impl WebAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// When it is not one that may be fetched.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > MAX_BYTES {
            return Err(AddressError::TooLong);
        }
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::OtherScheme)?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(AddressError::OtherScheme);
        }
        let is_odd =
            |character: char| !character.is_ascii_graphic() || "\"'\\<>{}|^`#".contains(character);
        if rest.contains(is_odd) {
            return Err(AddressError::OddCharacter);
        }
        if rest.is_empty() || rest.starts_with(['/', ':', '@', '?']) {
            return Err(AddressError::NoHost);
        }
        Ok(Self(format!("{scheme}://{rest}")))
    }

    /// All of it, with name and password where it has some.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the transfer is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.0.starts_with("https:")
    }

    /// Whether a name or a password is part of it.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        self.parts().1.contains('@')
    }

    /// Whether it has a query: `?family=queue`.
    #[must_use]
    pub fn has_query(&self) -> bool {
        self.0.contains('?')
    }

    /// Scheme, host with the part before it, and the rest.
    fn parts(&self) -> (&str, &str, &str) {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("", &self.0));
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        (scheme, authority, path)
    }
}

/// Without name and password, which may be part of it.
impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, authority, path) = self.parts();
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        write!(f, "{scheme}://{host}{path}")
    }
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_http_and_show_no_password() {
        let address = WebAddress::parse("HTTPS://me:secret@h:1/x?a=b@c").unwrap();
        assert_eq!(address.to_string(), "https://h:1/x?a=b@c");
        assert!(!format!("{address:?}").contains("secret"));
        assert_eq!(address.as_str(), "https://me:secret@h:1/x?a=b@c");
        assert!(address.has_credentials() && address.has_query() && address.is_encrypted());
        let address = WebAddress::parse("http://h/x@y").unwrap();
        assert!(!address.has_credentials() && !address.has_query() && !address.is_encrypted());
        for (text, error) in [
            ("file:///etc/passwd", AddressError::OtherScheme),
            ("h:1", AddressError::OtherScheme),
            ("http://", AddressError::NoHost),
            ("http:///x", AddressError::NoHost),
            ("http://h/a b", AddressError::OddCharacter),
            ("http://h\nurl=x", AddressError::OddCharacter),
        ] {
            assert_eq!(WebAddress::parse(text), Err(error), "{text}");
        }
        let long = format!("http://{}", "h".repeat(3000));
        assert_eq!(WebAddress::parse(&long), Err(AddressError::TooLong));
    }
}
