//! Which libraries and modules are the workspace's own, and how new their sources are.

use std::collections::BTreeMap;

use shared_map::HashMap;
use source_texts::{CALLED_LIKE_MODULES, gleam_module};

use crate::file::WorkspaceFile;

/// Everything that modules are compiled from.
const SOURCES: [&str; 10] = [
    "erl", "yrl", "xrl", "lfe", "hrl", "ex", "eex", "heex", "leex", "gleam",
];
/// Sources that are in no build that runs.
const TESTS: [&str; 2] = ["test", "tests"];

/// A source and when it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Path below the workspace.
    pub path: String,
    /// Milliseconds since 1970.
    pub modified_ms: u64,
}

/// The facts in a workspace's files.
#[derive(Debug, Default)]
pub struct Projects {
    /// Folder of each library.
    libraries: BTreeMap<String, String>,
    sources: Vec<Source>,
    by_module: HashMap<String, Source>,
}

impl Projects {
    /// Looks through the files.
    pub fn of(files: &[WorkspaceFile<'_>]) -> Self {
        let mut projects = Self::default();
        for file in files.iter().filter(|file| !is_ignored(file.path)) {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
            let library = match name {
                "mix.exs" => file.content.and_then(mix_application),
                "gleam.toml" => file.content.and_then(gleam_name),
                name => name.strip_suffix(".app.src").map(str::to_owned),
            };
            if let Some(library) = library {
                let top = match folder {
                    "src" => "",
                    folder => folder.strip_suffix("/src").unwrap_or(folder),
                };
                projects.libraries.insert(library, top.to_owned());
            }
            projects.add_source(file, name);
        }
        projects
    }

    fn add_source(&mut self, file: &WorkspaceFile<'_>, name: &str) {
        let Some((stem, extension)) = name.rsplit_once('.') else {
            return;
        };
        if !SOURCES.contains(&extension) {
            return;
        }
        let source = Source {
            path: file.path.to_owned(),
            modified_ms: file.modified_ms,
        };
        let module = match extension {
            extension if CALLED_LIKE_MODULES.contains(&extension) => Some(stem.to_owned()),
            "gleam" => gleam_module(file.path),
            _ => None,
        };
        if let Some(module) = module {
            let known = self
                .by_module
                .entry(module)
                .or_insert_with(|| source.clone());
            if known.modified_ms < source.modified_ms {
                known.clone_from(&source);
            }
        }
        self.sources.push(source);
    }

    /// Whether the library is made of sources of the workspace.
    pub fn is_own(&self, library: &str) -> bool {
        self.libraries.contains_key(library)
    }

    /// The source of a module, where files are called after modules.
    pub fn source_of(&self, module: &str) -> Option<&Source> {
        self.by_module.get(module)
    }

    /// The newest source of a library of the workspace.
    pub fn newest_of(&self, library: &str) -> Option<&Source> {
        let folder = self.libraries.get(library)?;
        let inner: Vec<&String> = self
            .libraries
            .values()
            .filter(|other| is_below(other, folder) && *other != folder)
            .collect();
        let sources = self.sources.iter().filter(|source| {
            is_below(&source.path, folder)
                && !inner.iter().any(|inner| is_below(&source.path, inner))
                && !source.path[folder.len()..]
                    .split('/')
                    .any(|part| TESTS.contains(&part))
        });
        sources.max_by_key(|source| source.modified_ms)
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_ignored(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(source_texts::is_ignored)
}

fn mix_application(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    source_texts::mix_application(&text).map(str::to_owned)
}

/// `shop` of `name = "shop"`.
fn gleam_name(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().find_map(|line| {
        let value = line.strip_prefix("name")?.trim_start().strip_prefix('=')?;
        let name = value.trim_start().strip_prefix('"')?.split('"').next()?;
        (!name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'a>(path: &'a str, modified_ms: u64, text: &'a str) -> WorkspaceFile<'a> {
        WorkspaceFile {
            path,
            modified_ms,
            content: Some(text.as_bytes()),
        }
    }

    #[test]
    fn libraries_are_own_by_their_projects_and_not_by_those_of_dependencies() {
        let files = [
            file("mix.exs", 1, "def project do\n  [apps_path: \"apps\"]\n"),
            file(
                "apps/cart/mix.exs",
                1,
                "@doc \"\n[app: :x]\n\"\n  [app:\n   :cart,\n",
            ),
            file("apps/cart/lib/cart.ex", 5, ""),
            file("apps/cart/test/support.ex", 9, ""),
            file("deps/jason/mix.exs", 1, "[app: :jason]"),
            file("src/shop.app.src", 1, ""),
            file("src/shop.erl", 3, ""),
            file("include/shop.hrl", 4, ""),
            file("_build/default/lib/x/src/x.app.src", 1, ""),
            file("g/gleam.toml", 1, "name = \"glow\"\n"),
            file("g/src/glow/deep.gleam", 2, ""),
        ];
        let projects = Projects::of(&files);
        for (library, is_own) in [
            ("cart", true),
            ("jason", false),
            ("shop", true),
            ("x", false),
            ("glow", true),
        ] {
            assert_eq!(projects.is_own(library), is_own, "{library}");
        }
        assert_eq!(
            projects.newest_of("cart").unwrap().path,
            "apps/cart/lib/cart.ex"
        );
        assert_eq!(
            projects.newest_of("shop").unwrap().path,
            "include/shop.hrl",
            "not what another project within it has"
        );
        assert_eq!(projects.source_of("shop").unwrap().modified_ms, 3);
        assert_eq!(
            projects.source_of("glow@deep").unwrap().path,
            "g/src/glow/deep.gleam"
        );
        assert_eq!(projects.source_of("nothing"), None);
    }
}
