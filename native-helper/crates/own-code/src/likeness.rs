//! How much a path of the user's has in common with the one that the VM reports.

/// The last part of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// How many parts two paths have in common, from the last one on.
pub(crate) fn common_parts(a: &str, b: &str) -> usize {
    let parts = |path: &str| {
        let parts: Vec<String> = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect();
        parts
    };
    let (a, b) = (parts(a), parts(b));
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
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
    fn of_paths_that_are_equally_alike_none_is_taken() {
        let paths = ["apps/a/lib/x.ex", "apps/b/lib/x.ex"];
        assert_eq!(most_alike("lib/x.ex", paths), None);
        assert_eq!(most_alike("/build/apps/b/lib/x.ex", paths), Some(paths[1]));
        assert_eq!(most_alike("lib/x.ex", []), None);
    }
}
