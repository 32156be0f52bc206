//! A process that waits in a call.

use erlang_terms::Term;
use shared_map::HashSet;
use vm_tables::processes::is_local_pid;

use crate::entry::Entry;

/// With the data that show the awaited one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiter {
    /// Its struct as it was when its stack was read.
    pub entry: Entry,
    /// The words of its innermost frame.
    pub variables: Vec<u64>,
}

impl Waiter {
    /// The one process of this node, other than itself, whose pid is in its frame.
    pub fn only_pid(&self) -> Option<u64> {
        let pids = self
            .variables
            .iter()
            .filter_map(|word| match Term::of(*word) {
                Term::Pid(id) if is_local_pid(id) && id != self.entry.id => Some(id),
                _ => None,
            });
        let mut pids = pids.collect::<HashSet<u64>>().into_iter();
        pids.next().filter(|_| pids.next().is_none())
    }
}
