//! Which release a VM was started as, by its arguments and its environment.
//!
//! A release lies in `ROOT/releases/VERSION/`; the scripts that start one name files there (`-boot`,
//! `-config`), and those of mix and relx set `RELEASE_NAME` and `RELEASE_VSN`.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{ProcFs, WaitLimit};

/// Name and version; empty when unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Release {
    /// `shop`.
    pub name: String,
    /// `1.2.3`.
    pub version: String,
}

/// The longest environment of a program; only in theory does Linux allow a longer one.
const MAX_ENVIRONMENT_BYTES: u64 = 4 << 20;
const PATIENCE: Duration = Duration::from_secs(2);
const MAX_BYTES: usize = 100;
/// Flags whose value is a file of the release.
const FILE_FLAGS: [&str; 3] = ["-boot", "-config", "-args_file"];
/// Boot files that do not have the name of their release.
const COMMON_BOOT_FILES: [&str; 5] = [
    "start",
    "start_clean",
    "start_sasl",
    "no_dot_erlang",
    "preboot",
];

impl ProcFs {
    /// The release of a VM with these arguments. An unreadable environment counts as empty.
    #[must_use]
    pub fn release(&self, pid: u32, arguments: &[String]) -> Release {
        // The kernel reads it out of the memory of the process, which may be a mapped file.
        let proc_fs = self.clone();
        let read = move || proc_fs.read(pid, "environ", MAX_ENVIRONMENT_BYTES);
        let environment = WaitLimit::of(PATIENCE).wait(read);
        let environment = environment.ok().and_then(Result::ok).unwrap_or_default();
        release_of(arguments, &environment)
    }
}

/// The release by arguments and environment (`NAME=VALUE`, each ended by a zero byte).
#[must_use]
pub fn release_of(arguments: &[String], environment: &[u8]) -> Release {
    let variable = |name: &str| {
        let mut variables = environment.split(|byte| *byte == 0);
        let value = variables.find_map(|entry| {
            let rest = entry.strip_prefix(name.as_bytes())?;
            std::str::from_utf8(rest.strip_prefix(b"=")?).ok()
        });
        value.filter(|value| is_name(value)).map(str::to_owned)
    };
    let own = || {
        arguments
            .iter()
            .take_while(|argument| *argument != "-extra")
    };
    let files = || {
        let pairs = own().zip(own().skip(1));
        pairs.filter(|(flag, _)| FILE_FLAGS.contains(&flag.as_str()))
    };
    let version_by_file = || {
        let mut versions = files().filter_map(|(_, file)| version_folder(file));
        versions.next().map(str::to_owned)
    };
    let name_by_boot_file = || {
        files()
            .filter(|(flag, file)| *flag == "-boot" && version_folder(file).is_some())
            .filter_map(|(_, file)| file.rsplit('/').next())
            .map(|name| name.strip_suffix(".boot").unwrap_or(name))
            .find(|name| is_name(name) && !COMMON_BOOT_FILES.contains(name))
            .map(str::to_owned)
    };
    Release {
        name: variable("RELEASE_NAME")
            .or_else(name_by_boot_file)
            .unwrap_or_default(),
        version: variable("RELEASE_VSN")
            .or_else(version_by_file)
            .unwrap_or_default(),
    }
}

/// `1.2.3` of `/opt/shop/releases/1.2.3/start`.
fn version_folder(file: &str) -> Option<&str> {
    let (_, below) = file.rsplit_once("/releases/")?;
    let (version, _) = below.split_once('/')?;
    is_name(version).then_some(version)
}

/// Adds the library of each path that lies in a folder of one with its version,
/// `…/lib/shop-1.2.3/src/shop.erl`, unless it is known already; at most `most` of them.
pub fn add_libraries<'p>(
    libraries: &mut BTreeMap<String, String>,
    paths: impl IntoIterator<Item = &'p str>,
    most: usize,
) {
    for (name, version) in paths.into_iter().filter_map(library_of) {
        if libraries.len() < most && !libraries.contains_key(name) {
            libraries.insert(name.to_owned(), version.to_owned());
        }
    }
}

fn library_of(path: &str) -> Option<(&str, &str)> {
    let parts: Vec<&str> = path.split('/').take(64).collect();
    let folder = parts.windows(3).rev().find(|window| window[0] == "lib")?[1];
    let (name, version) = folder.split_once('-')?;
    let starts = name.starts_with(|first: char| first.is_ascii_lowercase());
    let is_library = starts && version.starts_with(|first: char| first.is_ascii_digit());
    (is_library && is_name(name) && is_name(version)).then_some((name, version))
}

/// Whether a text can be a name or a version: one that fits on a line.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_BYTES && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by(line: &str, environment: &str) -> (String, String) {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let found = release_of(&arguments, environment.replace(' ', "\0").as_bytes());
        (found.name, found.version)
    }

    fn pair(name: &str, version: &str) -> (String, String) {
        (name.to_owned(), version.to_owned())
    }

    #[test]
    fn the_files_of_a_release_and_its_variables_name_it() {
        let mix = "beam.smp -- -root /o -- -boot /o/shop/releases/0.3.0/start -boot_var RELEASE_LIB /o/shop/lib";
        assert_eq!(by(mix, ""), pair("", "0.3.0"));
        assert_eq!(
            by(mix, "HOME=/root RELEASE_NAME=shop RELEASE_VSN=0.3.1"),
            pair("shop", "0.3.1")
        );
        let relx = "beam.smp -- -boot /o/releases/1.2.3/shop -config /o/releases/1.2.3/sys.config";
        assert_eq!(by(relx, "XRELEASE_NAME=no"), pair("shop", "1.2.3"));
        assert_eq!(
            by("beam.smp -- -config ./releases/2/sys", ""),
            pair("", "2")
        );
        assert_eq!(
            by(
                "beam.smp -- -boot start_sasl -extra -boot /o/releases/9/a",
                ""
            ),
            pair("", "")
        );
        assert_eq!(
            by("beam.smp -boot", "RELEASE_VSN= RELEASE_NAME"),
            pair("", "")
        );
    }

    #[test]
    fn folders_of_libraries_name_their_version() {
        let mut libraries = BTreeMap::new();
        let paths = [
            "/o/lib/shop-1.2.3/src/shop.erl",
            "/o/lib/shop-9/ebin/x",
            "/usr/lib/erlang/lib/stdlib-4.2/ebin",
            "lib/shop/cart.ex",
            "/lib/x86_64-linux/a",
            "/lib/a-/b",
        ];
        add_libraries(&mut libraries, paths, 10);
        let found: Vec<_> = libraries.into_iter().collect();
        assert_eq!(found, [pair("shop", "1.2.3"), pair("stdlib", "4.2")]);
    }

    proptest! {
        #[test]
        fn any_arguments_and_environment(arguments in prop::collection::vec(".{0,60}", 0..9), environment in prop::collection::vec(any::<u8>(), 0..200)) {
            let release = release_of(&arguments, &environment);
            prop_assert!(release.name.len() <= MAX_BYTES && release.version.len() <= MAX_BYTES);
            add_libraries(&mut BTreeMap::new(), arguments.iter().map(String::as_str), 3);
        }
    }
}
