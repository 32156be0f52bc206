//! The commit of a side, and where its sources are in the repository.

use std::collections::BTreeMap;

use crate::answer::Version;
use crate::side::Side;

/// Digits of a commit that people read.
const SHORT: usize = 9;

/// A commit as people read it.
pub fn short_commit(commit: &str) -> String {
    commit.chars().take(SHORT).collect()
}

/// The commit of a side, where all its captures are of one.
pub fn version(side: &Side<'_>) -> Option<Version> {
    let mut origins = side.captures.iter().map(|given| given.capture.origin());
    let first = origins.next()??;
    let is_one = !first.commit.is_empty()
        && origins.all(|origin| origin.is_some_and(|it| it.commit == first.commit));
    is_one.then_some(Version {
        commit: first.commit,
        describe: first.describe,
        repository: first.repository,
        dirty: first.dirty,
    })
}

/// The source files that the captures of a side name, below the top of the repository.
#[derive(Debug, Default)]
pub struct SourcePaths {
    /// By file name, each path that ends in it.
    paths: BTreeMap<String, Vec<String>>,
}

impl SourcePaths {
    pub fn of(side: &Side<'_>) -> Self {
        let origins = side
            .captures
            .iter()
            .filter_map(|given| given.capture.origin());
        let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in origins.flat_map(|origin| origin.sources.into_keys()) {
            let of_name = paths.entry(last_part(&path).to_owned()).or_default();
            if !of_name.contains(&path) {
                of_name.push(path);
            }
        }
        Self { paths }
    }

    /// The path of a file that a VM reports, where only one fits.
    pub fn find(&self, reported: &str) -> Option<&str> {
        let candidates = self.paths.get(last_part(reported))?;
        let is_end = |path: &str, of: &str| {
            let rest = of.strip_suffix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let mut fitting = candidates
            .iter()
            .filter(|path| is_end(path, reported) || is_end(reported, path));
        let found = fitting.next()?;
        fitting.next().is_none().then_some(found)
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Version {
    /// `v2.14.0 (cdaac4c)`, or the commit alone.
    pub fn text(&self) -> String {
        let short = short_commit(&self.commit);
        let changed = if self.dirty { " with changes" } else { "" };
        // A description that names no tag is the commit again.
        match self.describe.is_empty() || self.commit.starts_with(&self.describe) {
            true => format!("{short}{changed}"),
            false => format!("{} ({short}){changed}", self.describe),
        }
    }

    /// The page of a line of a file, where the repository is on a server that has such pages.
    pub fn page_of(&self, path: &str, line: u32) -> Option<String> {
        let address = self.repository.trim_end_matches('/');
        let address = address.strip_suffix(".git").unwrap_or(address);
        let rest = match address.split_once("://") {
            Some(("https" | "http" | "ssh" | "git", rest)) => rest,
            Some(_) => return None,
            // As ssh takes it: `git@host:owner/name`.
            None => address,
        };
        let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
        let (host, name) = rest.split_once(['/', ':'])?;
        let is_safe = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-._~/+".contains(c))
        };
        let is_known = host == "github.com" || host.split('.').any(|part| part == "gitlab");
        let is_path = is_safe(path) && !path.split('/').any(|part| part == "..");
        if !is_known || !is_safe(name) || !is_path || !is_safe(&self.commit) {
            return None;
        }
        let blob = if host == "github.com" {
            "blob"
        } else {
            "-/blob"
        };
        let commit = &self.commit;
        Some(format!(
            "https://{host}/{name}/{blob}/{commit}/{path}#L{line}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(repository: &str) -> Version {
        Version {
            commit: "0123456789abcdef".to_owned(),
            describe: "v1.2".to_owned(),
            repository: repository.to_owned(),
            dirty: false,
        }
    }

    #[test]
    fn a_line_has_a_page_where_the_server_is_known() {
        let page = |repository: &str| version(repository).page_of("src/shop.erl", 7);
        let github = "https://github.com/some/shop/blob/0123456789abcdef/src/shop.erl#L7";
        for same in [
            "https://github.com/some/shop.git",
            "git@github.com:some/shop",
            "ssh://git@github.com/some/shop.git",
        ] {
            assert_eq!(page(same).as_deref(), Some(github), "{same}");
        }
        let gitlab = "https://gitlab.example.org/a/b/-/blob/0123456789abcdef/src/shop.erl#L7";
        assert_eq!(
            page("https://gitlab.example.org/a/b").as_deref(),
            Some(gitlab)
        );
        for none in [
            "",
            "https://example.org/a/b",
            "file:///srv/shop",
            "https://github.com/a b",
        ] {
            assert_eq!(page(none), None, "{none}");
        }
        assert_eq!(
            version("https://github.com/a/b").page_of("a/../b) [x](y", 1),
            None
        );
    }

    #[test]
    fn a_version_is_its_tag_and_its_commit() {
        assert_eq!(version("").text(), "v1.2 (012345678)");
        let untagged = Version {
            describe: "0123456".to_owned(),
            ..version("")
        };
        assert_eq!(untagged.text(), "012345678");
    }
}
