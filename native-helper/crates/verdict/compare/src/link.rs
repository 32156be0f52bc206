//! Where the page with the flame graph will be: a link in a comment, that leads to the web or to a file
//! beside the comment, and nowhere else.

use std::fmt;
use std::str::FromStr;

/// An address as it stands in Markdown: nothing in it ends the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link(String);

/// Why a text is no [`Link`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no link for a comment: give an address with https:// or http://, or a relative path"
)]
pub struct LinkError(String);

impl FromStr for Link {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        let is_harmless =
            !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control());
        match is_harmless && (is_of_the_web(text) || is_relative(text)) {
            true => Ok(Self(text.to_owned())),
            false => Err(LinkError(text.to_owned())),
        }
    }
}

fn is_of_the_web(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let host = lower
        .strip_prefix("https://")
        .or_else(|| lower.strip_prefix("http://"));
    host.is_some_and(|host| host.starts_with(char::is_alphanumeric))
}

/// Without a scheme and without a host.
fn is_relative(text: &str) -> bool {
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    !first.contains(':') && !text.starts_with("//") && !text.contains('\\')
}

impl fmt::Display for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'&' => out.write_str("&amp;")?,
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => write!(out, "{}", byte as char)?,
                b'-' | b'.' | b'_' | b'~' | b':' | b'/' | b'?' | b'#' | b'@' | b'!' | b'$'
                | b'\'' | b'+' | b',' | b';' | b'=' | b'%' => write!(out, "{}", byte as char)?,
                _ => write!(out, "%{byte:02X}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_and_files_beside_are_linked() {
        for good in [
            "https://ci.example/job/7/profile.html?a=1&b=2#x",
            "HTTP://ci.example:8080/x",
            "artifacts/profile.html",
            "./a:b.html",
            "/profile.html",
        ] {
            assert!(good.parse::<Link>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "javascript:alert(1)",
            "data:text/html,x",
            "command:x",
            "//evil.example/x",
            "\\\\evil.example\\x",
            "/\\evil.example",
            "https://",
            "https:///x",
            "a b",
            "a\nb",
            "\u{1}javascript:x",
        ] {
            assert!(bad.parse::<Link>().is_err(), "{bad}");
        }
    }

    #[test]
    fn nothing_in_an_address_ends_the_link() {
        let link: Link = "https://x.example/a)<b>[c]`|*\"é&copy;".parse().unwrap();
        assert_eq!(
            link.to_string(),
            "https://x.example/a%29%3Cb%3E%5Bc%5D%60%7C%2A%22%C3%A9&amp;copy;"
        );
    }
}
