//! The processes of a command: which of them have become Erlang VMs.

use std::collections::HashSet;
use std::time::Duration;

use target_proc::ProcFs;

/// Looking takes no more than this share of a processor: one part in so many.
const SHARE: u32 = 20;

/// A command and all that it has started. What is orphaned becomes a child of ours (see `Started`), so
/// nothing leaves the tree.
#[derive(Debug)]
pub(super) struct Tree {
    proc_fs: ProcFs,
    command: u32,
    /// Processes of the last look that are no VM (yet: a shell becomes one by `exec`).
    others: Vec<u32>,
    /// VMs that were handed out.
    vms: HashSet<u32>,
    /// The newest process of the machine at the last look.
    newest: Option<u32>,
}

impl Tree {
    /// The tree below `command`, a child of ours.
    pub fn of(command: u32) -> Self {
        Self {
            proc_fs: ProcFs::live(),
            command,
            others: vec![command],
            vms: HashSet::new(),
            newest: None,
        }
    }

    /// VMs that were not there before.
    pub fn new_vms(&mut self) -> Vec<u32> {
        let newest = self.proc_fs.newest_id();
        if newest.is_none() || newest != self.newest {
            self.newest = newest;
            self.look();
        }
        let proc_fs = &self.proc_fs;
        let (vms, others) = self
            .others
            .iter()
            .partition(|&&pid| proc_fs.runs_emulator(pid));
        self.others = others;
        self.vms.extend(&vms);
        vms
    }

    /// How long to wait after a look that took so long.
    pub fn pause_after(&self, look: Duration) -> Duration {
        look * SHARE
    }

    fn look(&mut self) {
        let mut roots = self.orphans();
        roots.push(self.command);
        let found = self.proc_fs.with_descendants(&roots);
        // The number of one that has ended may be given to another.
        self.vms.retain(|pid| found.contains(pid));
        self.others = found;
        self.others.retain(|pid| !self.vms.contains(pid));
    }

    /// Children of ours that are the command's orphans, and not the processes that sample, which run this
    /// very program.
    fn orphans(&self) -> Vec<u32> {
        let own = self.proc_fs.program(std::process::id());
        let children = self.proc_fs.children(std::process::id());
        let mut orphans = children.unwrap_or_default();
        orphans.retain(|&pid| {
            let program = self.proc_fs.program(pid);
            pid != self.command && program.is_some() && program != own
        });
        orphans
    }
}
