//! The processes of a command: which of them have become Erlang VMs.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use shared_map::HashMap;
use target_proc::ProcFs;

/// Looking takes no more than this share of a processor: one part in so many.
const SHARE: u32 = 20;

/// The program that the first VM with a node name leaves behind.
const PORT_MAPPER: &str = "epmd";

/// A command and all that it has started. An orphan becomes a child of this process (see `Started`),
/// so nothing leaves the tree.
#[derive(Debug)]
pub(super) struct Tree {
    proc_fs: ProcFs,
    command: u32,
    /// Processes of the last look that are no VM (yet: a shell becomes one by `exec`).
    others: Vec<u32>,
    /// VMs that were handed out, and when each was started: numbers are given again.
    vms: HashMap<u32, u64>,
    /// The newest process of the machine at the last look.
    newest: Option<u32>,
    /// At each look, all processes of the tree were listed.
    sees_all: bool,
}

/// A program that the command has left behind.
#[derive(Debug, Serialize)]
pub(super) struct LeftProgram {
    pub pid: u32,
    pub program: String,
}

impl fmt::Display for LeftProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program, self.pid)
    }
}

impl Tree {
    /// The tree below `command`, a child of this process.
    pub fn of(command: u32) -> Self {
        Self {
            proc_fs: ProcFs::live(),
            command,
            others: vec![command],
            vms: HashMap::new(),
            newest: None,
            sees_all: true,
        }
    }

    /// Whether all processes of the tree could be listed so far: among others there may have been a VM.
    pub fn sees_all(&self) -> bool {
        self.sees_all
    }

    /// VMs that were not there before.
    pub fn new_vms(&mut self) -> Vec<u32> {
        let newest = self.proc_fs.newest_id();
        if newest.is_none() || newest != self.newest {
            self.newest = newest;
            self.look();
        }
        let (vms, others) = self.others.iter().partition(|&&pid| self.is_vm(pid));
        self.others = others;
        for pid in &vms {
            let started = self.proc_fs.start_ticks(*pid).unwrap_or(0);
            self.vms.insert(*pid, started);
        }
        vms
    }

    /// Children of this process that the command has left behind, running or ended. The processes
    /// that sample are children of other threads.
    pub fn orphans(&self) -> Vec<u32> {
        self.listed_orphans().unwrap_or_default()
    }

    /// `None` where they cannot be listed.
    fn listed_orphans(&self) -> Option<Vec<u32>> {
        let own = std::process::id();
        let mut orphans = self.proc_fs.children_of_thread(own, own).ok()?;
        orphans.retain(|pid| *pid != self.command);
        Some(orphans)
    }

    /// Programs that the command has left behind and that may still execute a VM.
    pub fn may_become_vms(&self) -> Vec<LeftProgram> {
        // The program of another user's process is hidden, its command line is not.
        let hidden = |pid: u32| {
            let words = self.proc_fs.command_line(pid).ok()?;
            words.into_iter().next().map(PathBuf::from)
        };
        let other = |pid: u32| {
            let program = self.proc_fs.program(pid).or_else(|| hidden(pid))?;
            let program = program.file_name()?.to_string_lossy().into_owned();
            let is_other = !self.vms.contains_key(&pid) && program != PORT_MAPPER;
            is_other.then_some(LeftProgram { pid, program })
        };
        self.orphans().into_iter().filter_map(other).collect()
    }

    /// Whether the command has left nothing behind that may still execute a VM. A process that is just ending has no
    /// program, while its children are not yet those of this process.
    pub fn has_no_vms_to_come(&self) -> bool {
        let is_ending = |pid: u32| self.proc_fs.has_ended(pid);
        self.sees_all
            && self.may_become_vms().is_empty()
            && !self.orphans().into_iter().any(is_ending)
    }

    /// How long to wait after a look that took so long.
    pub fn pause_after(&self, look: Duration) -> Duration {
        look * SHARE
    }

    /// A process that a VM has forked runs the VM's program until it executes its own.
    fn is_vm(&self, pid: u32) -> bool {
        let runs_emulator = |pid| self.proc_fs.runs_emulator(pid);
        let parent = || self.proc_fs.parent(pid);
        runs_emulator(pid) && !parent().is_some_and(runs_emulator)
    }

    /// Looks at all processes of the tree.
    pub fn look(&mut self) {
        let orphans = self.listed_orphans();
        self.sees_all &= orphans.is_some();
        let mut roots = orphans.unwrap_or_default();
        roots.push(self.command);
        let proc_fs = &self.proc_fs;
        // A look may miss one that lives: its parent has just ended.
        self.vms
            .retain(|pid, started| proc_fs.start_ticks(*pid).is_ok_and(|now| now == *started));
        let found = proc_fs.with_descendants(&roots);
        self.sees_all &= found.are_all;
        self.others = found.pids;
        self.others.retain(|pid| !self.vms.contains_key(pid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_cannot_be_listed_may_have_vms_to_come() {
        let mut tree = Tree::of(u32::MAX);
        assert!(tree.sees_all());
        // As where the kernel lists no children: not even this process is there.
        tree.proc_fs = ProcFs::at("/nowhere");
        tree.look();
        assert!(!tree.sees_all() && !tree.has_no_vms_to_come());
    }
}
