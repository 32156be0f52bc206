//! The system's `curl`, and its configuration.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use unprivileged_child::{ChildUser, plain_command};

use crate::request::{Bounds, Post};

const PROGRAM: &str = "curl";
/// Variables that may matter to a transfer: the way out of this network, and whose certificates
/// count.
const PASSED_ON: [&str; 10] = [
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
];
const MAX_REDIRECTS: u32 = 5;
/// Begins the line that curl ends its messages with.
pub(crate) const STATUS: &str = "http status ";

/// Where it is.
#[must_use]
pub fn find() -> Option<PathBuf> {
    unprivileged_child::find_program(PROGRAM)
}

/// The command that writes a server's answer to its stdout. It reads its task from its stdin
/// ([`configuration`]): addresses may hold passwords, and every user sees arguments.
pub(crate) fn command(program: &Path, user: Option<ChildUser>) -> Command {
    let mut command = plain_command(program, &PASSED_ON);
    command
        // First, or the user's own configuration is read.
        .args(["--disable", "--config", "-"])
        .current_dir("/");
    if let Some(user) = user {
        user.put_on(&mut command);
    }
    command
}

/// What curl is to do: fetch `url`, or send it `post`, and nothing else by any other protocol.
pub(crate) fn configuration(
    url: &str,
    is_encrypted: bool,
    bounds: &Bounds,
    post: Option<&Post<'_>>,
) -> io::Result<String> {
    let url = quoted(url)?;
    let seconds = |time: Duration| time.as_secs().max(1);
    let what = match post {
        None => fetching(is_encrypted),
        Some(post) => sending(post)?,
    };
    Ok(format!(
        "url = {url}\n\
         proto = \"=http,https\"\n\
         {what}\
         globoff\n\
         silent\n\
         show-error\n\
         user-agent = \"extrospect/{version}\"\n\
         connect-timeout = {connect}\n\
         speed-limit = {slowest}\n\
         speed-time = {silence}\n\
         max-time = {time}\n\
         max-filesize = {bytes}\n\
         write-out = \"%{{stderr}}\\n{STATUS}%{{http_code}}\\n\"\n",
        version = env!("CARGO_PKG_VERSION"),
        connect = seconds(bounds.connect),
        slowest = bounds.slowest,
        silence = seconds(bounds.silence),
        time = seconds(bounds.time),
        // curl reads a signed number.
        bytes = bounds.reply_bytes.min(i64::MAX.unsigned_abs()),
    ))
}

fn fetching(is_encrypted: bool) -> String {
    // A redirect does not lead away from encryption that the caller requires.
    let after_redirect = if is_encrypted {
        "=https"
    } else {
        "=http,https"
    };
    format!("proto-redir = \"{after_redirect}\"\nlocation\nmax-redirs = {MAX_REDIRECTS}\nfail\n")
}

/// The data goes to the named server and no other: redirects are not followed.
fn sending(post: &Post<'_>) -> io::Result<String> {
    let mut text = format!(
        "fail-with-body\ndata-binary = {}\nheader = \"Expect:\"\n",
        quoted(&format!("@{}", post.body_path()))?
    );
    for header in post.headers {
        text += &format!("header = {}\n", quoted(header)?);
    }
    Ok(text)
}

/// A value between quotes. A line of its own would be an option of its own.
fn quoted(text: &str) -> io::Result<String> {
    if text.contains(char::is_control) {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let escaped = text.replace('\\', r"\\").replace('"', "\\\"");
    Ok(format!("\"{escaped}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn an_address_is_never_an_option() {
        let bounds = Bounds::default();
        let configured = |url: &str| configuration(url, true, &bounds, None);
        let text = configured("https://host/buildid/ab/debuginfo").unwrap();
        assert!(text.starts_with("url = \"https://host/buildid/ab/debuginfo\"\n"));
        assert!(text.contains("proto-redir = \"=https\"\n"));
        assert!(
            text.contains("write-out = \"%{stderr}\\nhttp status %{http_code}\\n\"\n"),
            "{text}"
        );
        for odd in ["http://a\nurl = b", "http://a\n-o x", "http://a\r"] {
            assert!(configured(odd).is_err());
        }
        let text = configured("http://a\"\\x").unwrap();
        assert!(text.starts_with("url = \"http://a\\\"\\\\x\"\n"), "{text}");
    }

    #[test]
    fn what_is_sent_is_not_an_argument_and_goes_nowhere_else() {
        let body = crate::request::body(b"x").unwrap();
        let headers = ["Authorization: Bearer secret".to_owned()];
        let post = Post::new(&body, &headers);
        let text = configuration("http://h", false, &Bounds::default(), Some(&post)).unwrap();
        assert!(text.contains("header = \"Authorization: Bearer secret\"\n"));
        assert!(text.contains("data-binary = \"@/proc/self/fd/"), "{text}");
        assert!(!text.contains("location"), "{text}");
    }

    #[test]
    fn the_child_gets_little_of_our_environment() {
        let command = command(Path::new("/usr/bin/curl"), None);
        let names: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| value.and(name.to_str()))
            .collect();
        assert!(
            names.contains(&"PATH") && !names.contains(&"HOME"),
            "{names:?}"
        );
        assert!(names.len() <= PASSED_ON.len() + 2, "{names:?}");
        let first = command.get_args().next();
        assert_eq!(first, Some(OsStr::new("--disable")));
    }
}
