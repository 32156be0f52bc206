//! The system's `curl`, and what it is told.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use target_proc::caller;

use crate::child::ChildUser;
use crate::limits::Limits;

const PROGRAM: &str = "curl";
const USUAL_FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];
/// What may matter to a transfer: the way out of this network, and whose certificates count.
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

/// Where it is. Of `$PATH` only when the environment is to be believed, and last.
pub(crate) fn find() -> Option<PathBuf> {
    let by_path = caller::variable("PATH").unwrap_or_default();
    let usual = USUAL_FOLDERS.iter().map(PathBuf::from);
    usual
        .chain(std::env::split_paths(&by_path).filter(|folder| folder.is_absolute()))
        .map(|folder| folder.join(PROGRAM))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The command that writes to its stdout what a server answers. What it is to do comes by its stdin
/// ([`configuration`]): addresses may hold passwords, and everybody sees arguments.
pub(crate) fn command(program: &Path, user: Option<ChildUser>) -> Command {
    let mut command = Command::new(program);
    command
        // First, or the user's own configuration is read.
        .args(["--disable", "--config", "-"])
        .current_dir("/")
        .env_clear()
        .env("PATH", USUAL_FOLDERS.join(":"))
        .env("LC_ALL", "C")
        .envs(PASSED_ON.iter().filter_map(|name| set(name)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(user) = user {
        user.put_on(&mut command);
    }
    command
}

fn set(name: &str) -> Option<(&OsStr, std::ffi::OsString)> {
    Some((OsStr::new(name), std::env::var_os(name)?))
}

/// What curl is to do: fetch `url`, and nothing else by any other protocol.
pub(crate) fn configuration(url: &str, is_encrypted: bool, limits: &Limits) -> io::Result<String> {
    // Servers are parsed, so this never happens; a line of its own would be an option of its own.
    if url.contains(|character: char| character.is_control() || "\"\\".contains(character)) {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // Who asked for encryption is not led away from it.
    let after_redirect = if is_encrypted {
        "=https"
    } else {
        "=http,https"
    };
    let seconds = |time: Duration| time.as_secs().max(1);
    Ok(format!(
        "url = \"{url}\"\n\
         proto = \"=http,https\"\n\
         proto-redir = \"{after_redirect}\"\n\
         location\n\
         max-redirs = {MAX_REDIRECTS}\n\
         globoff\n\
         fail\n\
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
        connect = seconds(limits.connect),
        slowest = limits.slowest(),
        silence = seconds(limits.silence),
        time = seconds(limits.file_time),
        // curl reads a signed number.
        bytes = limits.file_bytes.min(i64::MAX.unsigned_abs()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_never_an_option() {
        let limits = Limits::default();
        let text = configuration("https://host/buildid/ab/debuginfo", true, &limits).unwrap();
        assert!(text.starts_with("url = \"https://host/buildid/ab/debuginfo\"\n"));
        assert!(text.contains("proto-redir = \"=https\"\n"));
        assert!(
            text.contains("write-out = \"%{stderr}\\nhttp status %{http_code}\\n\"\n"),
            "{text}"
        );
        for odd in [
            "http://a\"\noutput = \"/etc/x",
            "http://a\\",
            "http://a\n-o x",
        ] {
            assert!(configuration(odd, false, &limits).is_err());
        }
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
