//! How much a path of the user's has in common with the one that the VM reports.

/// Folders of an application.
const OF_APPLICATION: [&str; 7] = ["c_src", "include", "lib", "native", "priv", "src", "test"];

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

/// Whether a path that the VM reports and a file of the user's can be the same: the file is in the application that the
/// path names, and one of the two paths is the end of the other. Of an absolute one a name alone is too little.
///
/// `whole_paths` are those of the file from the root on. The editor follows the same rules (`path-likeness.ts`), and the
/// tests of both read one table.
pub(crate) fn can_be_same(reported: &str, path: &str, whole_paths: &[String]) -> bool {
    let of_vm = parts(reported);
    if reported.starts_with('/') && whole_paths.iter().any(|whole| parts(whole) == of_vm) {
        return true;
    }
    let (of_vm, of_user) = (without_tools(&of_vm), without_tools(&parts(path)));
    let pairs = of_vm.iter().rev().zip(of_user.iter().rev());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let is_end = common == of_vm.len().min(of_user.len());
    is_end
        && (common > 1 || !reported.starts_with('/'))
        && is_of_its_application(reported, whole_paths)
}

/// Whether a path of the user's ends with all of a path of several parts.
pub(crate) fn ends_with_path(path: &str, end: &str) -> bool {
    let wanted = parts(end).len();
    wanted > 1 && common_parts(path, end) == wanted
}

/// Whether a file of the user's is in the application that a reported path names, if it names one: its path has all
/// from that name on. Each application has an `include` and a `src`, so what follows the name proves nothing.
pub(crate) fn is_of_its_application(reported: &str, whole_paths: &[String]) -> bool {
    let of_vm = parts(reported);
    let Some(at) = application_at(&of_vm) else {
        return true;
    };
    let wanted = without_tools(&of_vm[at..]);
    whole_paths
        .iter()
        .any(|whole| without_tools(&parts(whole)).ends_with(&wanted))
}

/// Where a path has the name of an application: the first one that tools put there, as a dependency may have
/// applications within, else the last one: the folders before it are the place of the project.
fn application_at(parts: &[&str]) -> Option<usize> {
    // A folder, with the one before it.
    let names = 1..parts.len().saturating_sub(1);
    let is_from_tools = |at: usize| {
        matches!(parts[at - 1], "deps" | "_checkouts") || (at >= 3 && parts[at - 3] == "_build")
    };
    // Elixir's sources are below a `lib`, too.
    let is_usual = |at: usize| match parts[at - 1] {
        "apps" => true,
        "lib" => {
            let next = parts[at + 1];
            let is_folder = at + 2 < parts.len();
            without_version(parts[at]) != parts[at] || (is_folder && OF_APPLICATION.contains(&next))
        }
        _ => false,
    };
    let from_tools = names.clone().find(|at| is_from_tools(*at));
    from_tools.or_else(|| names.rev().find(|at| is_usual(*at)))
}

/// The parts of a path without what tools put around an application, and without its version:
/// `_build/default/lib/shop/include/a.hrl` and `shop-1.2/include/a.hrl` are `apps/shop/include/a.hrl`.
fn without_tools<'p>(parts: &[&'p str]) -> Vec<&'p str> {
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        match *part {
            "_build" if parts.get(at + 2) == Some(&"lib") => at += 2,
            "_build" | "apps" | "deps" | "_checkouts" => {}
            part => kept.push(without_version(part)),
        }
        at += 1;
    }
    kept
}

/// `kernel` of `kernel-8.5`.
fn without_version(name: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once('-') {
        Some((before, version)) if version.split('.').all(is_number) => before,
        _ => name,
    }
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
    use shared_map::HashSet;

    #[test]
    fn paths_are_compared_from_their_ends() {
        assert_eq!(common_parts("lib/a.ex", "apps/shop/lib/a.ex"), 2);
        assert_eq!(common_parts("./lib//a.ex", "lib/a.ex"), 2);
        assert_eq!(common_parts("src/a.ex", "lib/a.ex"), 1);
        assert_eq!(common_parts("a.ex", "b.ex"), 0);
        assert_eq!(base_name("/x/a.ex"), "a.ex");
        assert_eq!(base_name("a.ex"), "a.ex");
    }

    /// The editor's tests read the table, too.
    #[test]
    fn paths_are_of_the_same_file_as_in_the_table() {
        let table = "../../../../test/unit/sources/fixtures/same-file.txt";
        let table = std::fs::read_to_string(table).unwrap();
        let rows = table.lines().filter(|row| !row.starts_with('#'));
        let mut answers = HashSet::new();
        for row in rows.filter(|row| !row.is_empty()) {
            let columns: Vec<&str> = row.split_whitespace().collect();
            let [answer, reported, folder, path]: [&str; 4] = columns.try_into().unwrap();
            let is_same = can_be_same(reported, path, &[format!("{folder}/{path}")]);
            assert_eq!(is_same, answer == "same", "{row}");
            answers.insert(answer);
        }
        assert_eq!(answers, HashSet::from(["other", "same"]));
    }

    #[test]
    fn of_paths_that_are_equally_alike_none_is_taken() {
        let paths = ["apps/a/lib/x.ex", "apps/b/lib/x.ex"];
        assert_eq!(most_alike("lib/x.ex", paths), None);
        assert_eq!(most_alike("/build/apps/b/lib/x.ex", paths), Some(paths[1]));
        assert_eq!(most_alike("lib/x.ex", []), None);
    }
}
