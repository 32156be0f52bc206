//! Names of captures for which the user gave none.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use capture::facts::TargetFacts;
use unprivileged_child::{Group, RunLimits, UNCANCELLED, find_program, plain_command, run};

/// Digits of a commit in a name.
const SHORT_COMMIT: usize = 7;
/// Characters of a node's name in a file's: another program chose it.
const MOST_OF_NODE: usize = 60;
/// `date` answers at once.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST_TIME: u64 = 64;

/// `shop-20261121-140312-ab12cd3.pb.gz`: the node without its host, the local time, the start of the
/// commit's name; `beam-PID` for a VM without a name, and no commit where none is known.
pub fn default_name(target: &TargetFacts, commit: &str) -> PathBuf {
    name_at(&target.node, target.pid, &local_time(), commit)
}

fn name_at(node: &str, pid: u32, at: &str, commit: &str) -> PathBuf {
    let name = match node.split('@').next() {
        Some(node) if !node.is_empty() => node.to_owned(),
        _ => format!("beam-{pid}"),
    };
    let is_safe = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let safe: String = name
        .chars()
        .take(MOST_OF_NODE)
        .map(|c| if is_safe(c) { c } else { '_' })
        .collect();
    let commit: String = commit.chars().take(SHORT_COMMIT).collect();
    let commit = match commit.as_str() {
        "" => String::new(),
        commit => format!("-{commit}"),
    };
    PathBuf::from(format!("{safe}-{at}{commit}.pb.gz"))
}

/// `20261121-140312`, where the user is. The system's `date` knows: rules of time zones are files that
/// a program with rights should not read for its caller, and the C library's reader of them is larger
/// than a capture. Without it, seconds since 1970.
fn local_time() -> String {
    let ask = || {
        let mut command = plain_command(&find_program("date")?, &["TZ"]);
        command.arg("+%Y%m%d-%H%M%S");
        let patience = RunLimits::of(PATIENCE, LONGEST_TIME);
        let output = run(&mut command, b"", Group::OfItsOwn, patience, UNCANCELLED).ok()?;
        String::from_utf8(output.output).ok()
    };
    let text = ask().unwrap_or_default();
    let is_time = |text: &&str| {
        text.len() == "20261121-140312".len()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    Some(text.trim()).filter(is_time).map_or_else(
        || {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
            since_1970.map_or(0, |since| since.as_secs()).to_string()
        },
        str::to_owned,
    )
}

/// `a.pb.gz`, `a-1.pb.gz`, `a-2.pb.gz`, ...
pub(crate) fn numbered(name: &Path, attempt: u32) -> PathBuf {
    let text = name.to_string_lossy();
    match (attempt, text.strip_suffix(".pb.gz")) {
        (1.., Some(stem)) => PathBuf::from(format!("{stem}-{attempt}.pb.gz")),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_cannot_name_another_folder() {
        let at = "20261121-140312";
        let name = name_at("a/../b@host", 7, at, "");
        assert_eq!(name, Path::new("a_.._b-20261121-140312.pb.gz"));
        let name = name_at("", 7, at, "ab12cd3456789");
        assert_eq!(name, Path::new("beam-7-20261121-140312-ab12cd3.pb.gz"));
        let name = name_at("@h", 7, at, "");
        assert_eq!(name, Path::new("beam-7-20261121-140312.pb.gz"));
    }

    #[test]
    fn the_name_has_the_local_time() {
        let at = local_time();
        assert_eq!(at.len(), "20261121-140312".len(), "{at}");
        assert!(at.starts_with("20") && at.as_bytes()[8] == b'-', "{at}");
    }

    #[test]
    fn names_that_are_taken_are_numbered() {
        let name = Path::new("a@b-1.pb.gz");
        assert_eq!(numbered(name, 0), name);
        assert_eq!(numbered(name, 2), Path::new("a@b-1-2.pb.gz"));
    }
}
