//! Who a sample belongs to: thread, scheduler, Erlang process.

use std::collections::HashMap;

use capture::sample::SchedulerId;
use target_memory::TargetMemory;
use vm_layout::ProcessLayout;
use vm_tables::atoms::AtomTable;
use vm_tables::pids::PidFormat;
use vm_tables::processes::process_name;
use vm_tables::schedulers::{SchedulerKind, scheduler_of_thread_name};

/// Processes whose names are remembered; a spawn storm makes us forget.
const MAX_PROCESSES: usize = 10_000;

/// A thread of the target.
#[derive(Debug, Clone)]
pub struct ThreadIdentity {
    /// Its name.
    pub name: String,
    /// Scheduler, when it is one.
    pub scheduler: Option<SchedulerId>,
}

impl ThreadIdentity {
    /// The identity that follows from a thread's name.
    pub fn from_name(name: String) -> Self {
        let scheduler = scheduler_of_thread_name(&name).map(|(kind, number)| match kind {
            SchedulerKind::Normal => SchedulerId::Normal(number),
            SchedulerKind::DirtyCpu => SchedulerId::DirtyCpu(number),
            SchedulerKind::DirtyIo => SchedulerId::DirtyIo(number),
        });
        Self { name, scheduler }
    }
}

/// Pid and name of a process, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// `<0.123.0>`.
    pub pid: String,
    /// Registered name or initial call.
    pub name: Option<String>,
}

/// Names of the processes seen.
#[derive(Debug, Default)]
pub struct ProcessNames {
    known: HashMap<(u64, u64), ProcessIdentity>,
}

impl ProcessNames {
    /// The identity of the process at `address` whose struct is `bytes`.
    pub fn identify(
        &mut self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
        layout: &ProcessLayout,
        pids: PidFormat,
        (address, id): (u64, u64),
        bytes: &[u8],
    ) -> &ProcessIdentity {
        if self.known.len() >= MAX_PROCESSES && !self.known.contains_key(&(address, id)) {
            self.known.clear();
        }
        self.known
            .entry((address, id))
            .or_insert_with(|| ProcessIdentity {
                pid: pids.text(id),
                name: process_name(memory, atoms, layout, bytes),
            })
    }
}
