//! How much a path of the user's has in common with the one that the VM reports.

/// The last part of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// How many parts two paths have in common, from the last one on.
pub(crate) fn common_parts(a: &str, b: &str) -> usize {
    let (a, b) = (parts(a), parts(b));
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

/// Whether a path that the VM reports and one of the user's can be the same: one is the end of the other. Of an
/// absolute one a name alone is too little.
pub(crate) fn is_end_of_other(reported: &str, path: &str) -> bool {
    let (of_vm, of_user) = (without_tools(reported), without_tools(path));
    let pairs = of_vm.iter().rev().zip(of_user.iter().rev());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let is_end = common == of_vm.len().min(of_user.len());
    is_end && (common > 1 || !reported.starts_with('/'))
}

/// The parts of a path without what tools put around an application: `_build/default/lib/shop/include/a.hrl` is
/// `apps/shop/include/a.hrl`.
fn without_tools(path: &str) -> Vec<&str> {
    let parts = parts(path);
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        match *part {
            "_build" if parts.get(at + 2) == Some(&"lib") => at += 2,
            "_build" | "apps" | "deps" | "_checkouts" => {}
            part => kept.push(part),
        }
        at += 1;
    }
    kept
}

/// The folders of a path and its name, without detours: `src/../include/a.hrl` is `include/a.hrl`.
fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// The one that has most in common with `reported`; `None` when several have as much.
pub fn most_alike<'p>(reported: &str, paths: impl IntoIterator<Item = &'p str>) -> Option<&'p str> {
    let mut best: Option<(usize, &str)> = None;
    let mut is_only = false;
    for path in paths {
        let common = common_parts(reported, path);
        match best {
            Some((most, _)) if common < most => {}
            Some((most, _)) if common == most => is_only = false,
            _ => (best, is_only) = (Some((common, path)), true),
        }
    }
    best.filter(|_| is_only).map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_from_their_ends() {
        assert_eq!(common_parts("lib/a.ex", "apps/shop/lib/a.ex"), 2);
        assert_eq!(common_parts("./lib//a.ex", "lib/a.ex"), 2);
        assert_eq!(common_parts("src/a.ex", "lib/a.ex"), 1);
        assert_eq!(common_parts("a.ex", "b.ex"), 0);
        assert_eq!(base_name("/x/a.ex"), "a.ex");
        assert_eq!(base_name("a.ex"), "a.ex");
    }

    #[test]
    fn one_path_is_the_end_of_the_other() {
        assert!(is_end_of_other("lib/a.eex", "apps/shop/lib/a.eex"));
        assert!(is_end_of_other("/ci/shop/lib/a.eex", "lib/a.eex"));
        assert!(is_end_of_other("./a.peg", "spec/a.peg"));
        assert!(!is_end_of_other("dep/lib/a.eex", "shop/lib/a.eex"));
        assert!(!is_end_of_other("/usr/include/a.hrl", "a.hrl"));
        assert!(is_end_of_other("../include/a.hrl", "include/a.hrl"));
        let built = "/ci/_build/default/lib/shop/include/a.hrl";
        assert!(is_end_of_other(built, "apps/shop/include/a.hrl"));
        assert!(!is_end_of_other(built, "apps/stock/include/a.hrl"));
        assert!(is_end_of_other("/ci/src/../include/a.hrl", "include/a.hrl"));
    }

    #[test]
    fn of_paths_that_are_equally_alike_none_is_taken() {
        let paths = ["apps/a/lib/x.ex", "apps/b/lib/x.ex"];
        assert_eq!(most_alike("lib/x.ex", paths), None);
        assert_eq!(most_alike("/build/apps/b/lib/x.ex", paths), Some(paths[1]));
        assert_eq!(most_alike("lib/x.ex", []), None);
    }
}
