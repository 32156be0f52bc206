//! Which build and which library a `.beam` file belongs to, by its path.

/// A build, and a library in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Folder of the build below the workspace: `_build/prod`, `_build/prod/rel/shop`; empty for the
    /// workspace's own folder.
    pub build: String,
    /// Library: `shop`; empty where the folders do not show it.
    pub library: String,
}

/// Folders of rebar3 and mix that hold libraries within a profile.
const PROFILE_PARTS: [&str; 4] = ["lib", "checkouts", "plugins", "extras"];
/// Folders beside whose contents a project's own modules are loaded.
const LIBRARY_FOLDERS: [&str; 3] = ["lib", "deps", "apps"];

impl Place {
    /// The place of a file; `path` has slashes and begins below the workspace.
    pub fn of(path: &str) -> Self {
        let mut folders: Vec<&str> = path.split('/').collect();
        folders.pop();
        let build = folders.iter().position(|name| *name == "_build");
        if let Some(at) = build
            && folders.len() > at + 1
        {
            return in_profile(&folders, at + 1);
        }
        match folders.as_slice() {
            // Gleam's.
            [
                before @ ..,
                profile,
                "erlang",
                library,
                "ebin" | "_gleam_artefacts",
            ] if before.last() == Some(&"build") => place(&[before, &[*profile]].concat(), library),
            [before @ .., kind, library, "ebin"] if LIBRARY_FOLDERS.contains(kind) => {
                place(before, library)
            }
            [before @ .., "ebin"] => place(before, before.last().unwrap_or(&"")),
            all => place(all, ""),
        }
    }
}

/// `profile` is where the name of the profile is: `_build/prod`.
fn in_profile(folders: &[&str], profile: usize) -> Place {
    let (kind, below) = (folders.get(profile + 1), profile + 2);
    if kind == Some(&"rel") && folders.len() > below {
        let inside = &folders[below + 1..];
        let library = match inside {
            ["lib", library, ..] => library,
            _ => "",
        };
        return place(&folders[..=below], library);
    }
    let library = match kind {
        Some(kind) if PROFILE_PARTS.contains(kind) => folders.get(below).copied(),
        _ => None,
    };
    place(&folders[..=profile], library.unwrap_or(""))
}

fn place(build: &[&str], library: &str) -> Place {
    Place {
        build: build.join("/"),
        library: without_version(library).to_owned(),
    }
}

/// `shop` of `shop-1.2.3`.
fn without_version(library: &str) -> &str {
    match library.split_once('-') {
        Some((name, version)) if version.starts_with(|first: char| first.is_ascii_digit()) => name,
        _ => library,
    }
}

/// Build, name and version of the release that a `.rel` file describes:
/// `_build/prod/rel/shop/releases/1.2.3/shop.rel`.
pub fn release_of(path: &str) -> Option<(String, String, String)> {
    let (folder, file) = path.rsplit_once('/')?;
    let (folder, version) = folder.rsplit_once('/')?;
    let build = match folder {
        "releases" => "",
        folder => folder.strip_suffix("/releases")?,
    };
    let name = file.strip_suffix(".rel")?;
    // relx names its file like the release, mix too; others are made beside it.
    let is_release = !name.is_empty() && !name.starts_with("start");
    is_release.then(|| (build.to_owned(), name.to_owned(), version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_and_libraries_by_the_folders_of_the_usual_tools() {
        for (path, build, library) in [
            (
                "_build/default/lib/shop/ebin/a.beam",
                "_build/default",
                "shop",
            ),
            (
                "x/_build/prod/lib/shop/consolidated/Elixir.A.beam",
                "x/_build/prod",
                "shop",
            ),
            (
                "_build/prod/rel/shop/lib/shop-1.2.3/ebin/a.beam",
                "_build/prod/rel/shop",
                "shop",
            ),
            (
                "_build/prod/rel/shop/releases/1.2.3/consolidated/Elixir.A.beam",
                "_build/prod/rel/shop",
                "",
            ),
            (
                "_build/default/plugins/p/ebin/a.beam",
                "_build/default",
                "p",
            ),
            ("_build/a.beam", "_build", ""),
            ("ebin/a.beam", "", ""),
            ("shop/ebin/a.beam", "shop", "shop"),
            ("deps/cowboy/ebin/a.beam", "", "cowboy"),
            ("apps/cart/ebin/a.beam", "", "cart"),
            ("rel/lib/shop-2-rc1/ebin/a.beam", "rel", "shop"),
            ("build/dev/erlang/shop/ebin/a.beam", "build/dev", "shop"),
            ("out/a.beam", "out", ""),
            ("a.beam", "", ""),
        ] {
            let found = Place::of(path);
            assert_eq!(
                (found.build.as_str(), found.library.as_str()),
                (build, library),
                "{path}"
            );
        }
    }

    #[test]
    fn releases_by_their_files() {
        let found = release_of("_build/prod/rel/shop/releases/1.2.3/shop.rel");
        let (build, name, version) = found.unwrap();
        assert_eq!(
            (build.as_str(), name.as_str(), version.as_str()),
            ("_build/prod/rel/shop", "shop", "1.2.3")
        );
        assert_eq!(release_of("releases/1/a.rel").unwrap().0, "");
        for none in [
            "a.rel",
            "releases/a.rel",
            "xreleases/1/a.rel",
            "releases/1/start_clean.rel",
            "releases/1/.rel",
        ] {
            assert_eq!(release_of(none), None, "{none}");
        }
    }
}
