//! Where a store is.

use std::fmt;

use outside_programs::WebAddress;

/// The address of a store: `http://` or `https://`, a host, perhaps a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreAddress(WebAddress);

/// Why an address is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The text is not an address.
    #[error(transparent)]
    Web(#[from] outside_programs::AddressError),
    /// It has a query: paths are added to it.
    #[error("it has a `?`, which no address of a store has")]
    Query,
    /// Everybody sees arguments.
    #[error("it holds a name or password, which everybody would see; use --credentials FILE")]
    Credentials,
}

impl StoreAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// When no data can be sent to it.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let address = WebAddress::parse(text)?;
        if address.has_query() {
            return Err(AddressError::Query);
        }
        if address.has_credentials() {
            return Err(AddressError::Credentials);
        }
        // The paths added to it begin with one.
        let without_slash = address.as_str().trim_end_matches('/');
        Ok(Self(WebAddress::parse(without_slash)?))
    }

    /// Whether the transfer is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.is_encrypted()
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_http_and_hold_no_secret() {
        use outside_programs::AddressError::{NoHost, OddCharacter, OtherScheme};
        let shown = |text: &str| StoreAddress::parse(text).map(|it| it.to_string());
        assert_eq!(shown("HTTP://h:4040/x//"), Ok("http://h:4040/x".to_owned()));
        for (text, error) in [
            ("ftp://h", OtherScheme.into()),
            ("http://", NoHost.into()),
            ("http://:1", NoHost.into()),
            ("http://h\nurl=x", OddCharacter.into()),
            ("http://a:b@h", AddressError::Credentials),
            ("http://h/?x", AddressError::Query),
        ] {
            assert_eq!(shown(text), Err(error), "{text}");
        }
    }
}
