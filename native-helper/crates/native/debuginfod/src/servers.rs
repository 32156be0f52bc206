//! The servers that are queried.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use native_code::BuildId;
use outside_programs::{AddressError, WebAddress};
use shared_sort::SharedSort;
use target_proc::root_folder::open_regular;

/// Addresses with spaces between, as for every client of debuginfod.
const VARIABLE: &str = "DEBUGINFOD_URLS";
/// Where distributions name their servers, in files `*.urls`.
const SYSTEM_FOLDER: &str = "/etc/debuginfod";
/// Queries the servers of many distributions.
const FEDERATION: &str = "https://debuginfod.elfutils.org";
/// Further servers are not queried.
const MAX_SERVERS: usize = 16;
const MAX_SYSTEM_FILES: usize = 32;
const MAX_SYSTEM_FILE_BYTES: u64 = 64 << 10;

/// The address of a server, without a query.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Server(WebAddress);

impl Server {
    /// Parses an address.
    ///
    /// # Errors
    /// It is not an address of a server.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let address = WebAddress::parse(text)?;
        if address.has_query() {
            return Err(AddressError::OddCharacter);
        }
        let text = address.as_str().trim_end_matches('/');
        // Old clients wanted it in the address.
        let text = text.strip_suffix("/buildid").unwrap_or(text);
        WebAddress::parse(text).map(Self)
    }

    /// Where the debug file of a build is.
    pub(crate) fn url_of(&self, build_id: &BuildId) -> String {
        format!("{}/buildid/{build_id}/debuginfo", self.0.as_str())
    }

    /// Whether the transfer is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.is_encrypted()
    }
}

/// Without name and password, which may be part of it.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({self})")
    }
}

/// The user's choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wish {
    /// No server is queried.
    Never,
    /// The servers of `DEBUGINFOD_URLS` are queried, if it is set.
    #[default]
    IfEnvironmentSays,
    /// Servers are queried: those of this list or, when it is empty, of the environment, else of
    /// the distribution, else elfutils' own.
    Always(Vec<String>),
}

/// The servers to query, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Servers {
    /// Empty when no server is to be queried.
    pub list: Vec<Server>,
    /// Addresses that are not queried, each with the reason.
    pub rejected: Vec<String>,
}

impl Servers {
    /// The servers of a wish.
    ///
    /// `DEBUGINFOD_URLS` counts also when this program has more rights than its caller: it names no
    /// file, the caller could as well name servers by an argument, and the child that talks to them
    /// has none of these rights.
    #[must_use]
    pub fn of(wish: &Wish) -> Self {
        let variable = || std::env::var(VARIABLE).unwrap_or_default();
        match wish {
            Wish::Never => Self::default(),
            Wish::IfEnvironmentSays => Self::of_texts(variable().split_whitespace()),
            Wish::Always(named) if !named.is_empty() => {
                Self::of_texts(named.iter().map(String::as_str))
            }
            Wish::Always(_) => {
                let everywhere = [
                    variable(),
                    of_system(Path::new(SYSTEM_FOLDER)),
                    FEDERATION.to_owned(),
                ];
                let first = everywhere.iter().find(|text| !text.trim().is_empty());
                Self::of_texts(first.into_iter().flat_map(|text| text.split_whitespace()))
            }
        }
    }

    fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut servers = Self::default();
        for text in texts.take(MAX_SERVERS) {
            // A word for clients that check signatures, not an address.
            if text.starts_with("ima:") {
                continue;
            }
            match Server::parse(text) {
                Ok(server) if servers.list.contains(&server) => {}
                Ok(server) => servers.list.push(server),
                Err(error) => {
                    let shown: String = text.chars().take(80).collect();
                    servers.rejected.push(format!("{shown}: {error}"));
                }
            }
        }
        servers
    }
}

/// The addresses in the files of a distribution, by the names of the files.
fn of_system(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "urls")
        })
        .take(MAX_SYSTEM_FILES)
        .collect();
    files.shared_sort();
    let texts = files
        .iter()
        .filter_map(|path| text_of(open_regular(path).ok()?));
    texts.collect::<Vec<_>>().join("\n")
}

fn text_of(file: File) -> Option<String> {
    let mut text = String::new();
    file.take(MAX_SYSTEM_FILE_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_id() -> BuildId {
        let note = [4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0];
        let note = [&note[..], b"GNU\0", &[0xab, 0x01, 0xff, 0]].concat();
        BuildId::from_notes(&note).unwrap()
    }

    #[test]
    fn addresses_are_of_http_and_carry_nothing_else() {
        let url = |text: &str| Server::parse(text).map(|server| server.url_of(&build_id()));
        let expected = "https://d.example:8002/x/buildid/ab01ff/debuginfo";
        for text in [
            "https://d.example:8002/x",
            "HTTPS://d.example:8002/x///",
            "https://d.example:8002/x/buildid",
            "https://d.example:8002/x/buildid/",
        ] {
            assert_eq!(url(text).unwrap(), expected);
        }
        for (text, error) in [
            ("file:///etc", AddressError::OtherScheme),
            ("ftp://host", AddressError::OtherScheme),
            ("host", AddressError::OtherScheme),
            ("-K/etc/passwd", AddressError::OtherScheme),
            ("http://", AddressError::NoHost),
            ("http:///x", AddressError::NoHost),
            ("http:///buildid", AddressError::NoHost),
            ("http://host/a b", AddressError::OddCharacter),
            ("http://host/\n-o/etc/x", AddressError::OddCharacter),
            ("http://host/\"", AddressError::OddCharacter),
            ("http://host/?a=", AddressError::OddCharacter),
            ("http://host/{a,b}", AddressError::OddCharacter),
            ("http://h\u{f6}st", AddressError::OddCharacter),
        ] {
            assert_eq!(Server::parse(text).unwrap_err(), error, "{text}");
        }
        let long = format!("http://{}", "a".repeat(2048));
        assert_eq!(Server::parse(&long).unwrap_err(), AddressError::TooLong);
    }

    #[test]
    fn a_password_is_not_shown() {
        let server = Server::parse("http://me:secret@host/path@x").unwrap();
        assert_eq!(server.to_string(), "http://host/path@x");
        assert!(!format!("{server:?}").contains("secret"));
        assert!(server.url_of(&build_id()).contains("me:secret@"));
    }

    #[test]
    fn a_wish_names_servers_in_order_and_each_once() {
        assert_eq!(Servers::of(&Wish::Never), Servers::default());
        let named = [
            "http://b",
            "http://a/",
            "file:///x",
            "ima:enforcing",
            "http://b/",
        ];
        let servers = Servers::of(&Wish::Always(named.map(str::to_owned).to_vec()));
        let shown: Vec<String> = servers.list.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["http://b", "http://a"]);
        assert_eq!(servers.rejected.len(), 1);
        assert!(servers.rejected[0].starts_with("file:///x: it begins"));
        let many = (0..100).map(|n| format!("http://host{n}")).collect();
        assert_eq!(Servers::of(&Wish::Always(many)).list.len(), MAX_SERVERS);
    }

    #[test]
    fn files_of_the_distribution_are_read_by_name() {
        let folder = std::env::temp_dir().join(format!("debuginfod-urls-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("b.urls"), "https://second\n").unwrap();
        std::fs::write(folder.join("a.urls"), "# ours\nhttps://first\n").unwrap();
        std::fs::write(folder.join("c.text"), "https://none\n").unwrap();
        let found = of_system(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        let words: Vec<&str> = found.split_whitespace().collect();
        assert_eq!(words, ["https://first", "https://second"]);
        assert_eq!(of_system(&folder), "");
    }
}
