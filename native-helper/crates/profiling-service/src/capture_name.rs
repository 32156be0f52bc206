//! Names of captures that nobody named.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use attach::AttachedVm;

/// `rabbit@host-1763719200.pb.gz`: the node and the seconds since 1970; `beam-PID` for a VM
/// without a name.
pub fn default_name(vm: &AttachedVm) -> PathBuf {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since_1970.map_or(0, |since| since.as_secs());
    name_at(vm.node.as_deref(), vm.process.pid, seconds)
}

fn name_at(node: Option<&str>, pid: u32, seconds: u64) -> PathBuf {
    let name = node.map_or_else(|| format!("beam-{pid}"), ToOwned::to_owned);
    let is_safe = |c: char| c.is_alphanumeric() || "@._-".contains(c);
    let safe: String = name
        .chars()
        .map(|c| if is_safe(c) { c } else { '_' })
        .collect();
    PathBuf::from(format!("{safe}-{seconds}.pb.gz"))
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
        let name = name_at(Some("a/../b@host"), 7, 12);
        assert_eq!(name, Path::new("a_.._b@host-12.pb.gz"));
        assert_eq!(name_at(None, 7, 12), Path::new("beam-7-12.pb.gz"));
    }

    #[test]
    fn names_that_are_taken_are_numbered() {
        let name = Path::new("a@b-1.pb.gz");
        assert_eq!(numbered(name, 0), name);
        assert_eq!(numbered(name, 2), Path::new("a@b-1-2.pb.gz"));
    }
}
