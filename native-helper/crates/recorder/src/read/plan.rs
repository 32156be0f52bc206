//! What a reader has to know of the target, replaced as a whole when it changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use vm_layout::VmLayout;

/// What a thread is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadRole {
    /// A normal scheduler.
    Normal {
        /// ErtsSchedulerData.
        data: u64,
        /// Its register block: C code called from Erlang starts its stack just below.
        registers: u64,
        /// The lowest address of the thread's stack.
        c_stack_low: u64,
    },
    /// A dirty scheduler.
    Dirty {
        /// ErtsSchedulerData.
        data: u64,
    },
}

/// What a reader has to know.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    /// Field offsets.
    pub layout: VmLayout,
    /// Return address at the bottom of every Erlang stack.
    pub normal_exit: u64,
    /// Executable mappings that hold JIT code, by address.
    pub jit: Vec<(u64, u64)>,
    /// Of an interpreter: the register with the Erlang stack pointer, an index into those of a
    /// sample.
    pub stack_register: Option<usize>,
    /// Scheduler threads.
    pub roles: HashMap<u32, ThreadRole>,
}

impl ReadPlan {
    /// True when `pc` lies in JIT code.
    pub fn is_jit(&self, pc: u64) -> bool {
        let after = self.jit.partition_point(|(start, _)| *start <= pc);
        after
            .checked_sub(1)
            .and_then(|index| self.jit.get(index))
            .is_some_and(|(_, end)| pc < *end)
    }
}

/// The plan shared with the readers.
#[derive(Debug)]
pub struct PlanCell {
    version: AtomicU64,
    plan: Mutex<Arc<ReadPlan>>,
}

impl PlanCell {
    /// A cell holding `plan`.
    pub fn new(plan: ReadPlan) -> Self {
        Self {
            version: AtomicU64::new(1),
            plan: Mutex::new(Arc::new(plan)),
        }
    }

    /// Replaces the plan; readers see it at their next sample.
    pub fn replace(&self, plan: ReadPlan) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(plan);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The plan as of now.
    pub fn get(&self) -> Arc<ReadPlan> {
        Arc::clone(&self.plan.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A reader's own copy of the plan: one atomic load per sample while nothing changes.
#[derive(Debug)]
pub struct PlanView {
    cell: Arc<PlanCell>,
    version: u64,
    plan: Arc<ReadPlan>,
}

impl PlanView {
    /// A view of `cell`.
    pub fn new(cell: Arc<PlanCell>) -> Self {
        let version = cell.version.load(Ordering::Acquire);
        let plan = cell.get();
        Self {
            cell,
            version,
            plan,
        }
    }

    /// The plan as of now.
    pub fn current(&mut self) -> &ReadPlan {
        let version = self.cell.version.load(Ordering::Acquire);
        if version != self.version {
            self.version = version;
            self.plan = self.cell.get();
        }
        &self.plan
    }
}
