//! Files of source texts by their names.

/// Folders of these names hold what others wrote or tools made.
const IGNORED: [&str; 4] = ["deps", "_build", "_checkouts", "node_modules"];
/// Folders of a Gleam project that module names begin below.
const OF_GLEAM: [&str; 3] = ["src", "test", "dev"];

/// Endings of sources that are called like their module.
pub const CALLED_LIKE_MODULES: [&str; 4] = ["erl", "lfe", "xrl", "yrl"];

/// Whether a folder of this name holds nothing that the user writes.
pub fn is_ignored(folder: &str) -> bool {
    folder.starts_with('.') || IGNORED.contains(&folder)
}

/// `shop@cart` of `src/shop/cart.gleam`; of a path without the project's folder, its own.
pub fn gleam_module(path: &str) -> Option<String> {
    let path = path.strip_suffix(".gleam")?;
    let parts: Vec<&str> = path.split('/').collect();
    let (_, folders) = parts.split_last()?;
    let top = folders.iter().rposition(|part| OF_GLEAM.contains(part));
    Some(parts[top.map_or(0, |top| top + 1)..].join("@"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gleam_module_has_its_path_below_the_project() {
        let module = |path: &str| gleam_module(path);
        assert_eq!(module("apps/a/src/shop/cart.gleam").unwrap(), "shop@cart");
        assert_eq!(module("test/cart.gleam").unwrap(), "cart");
        assert_eq!(module("shop/src.gleam").unwrap(), "shop@src");
        assert_eq!(module("src/cart.erl"), None);
    }

    #[test]
    fn folders_of_others_are_ignored() {
        assert!(is_ignored(".git") && is_ignored("_build") && !is_ignored("src"));
    }
}
