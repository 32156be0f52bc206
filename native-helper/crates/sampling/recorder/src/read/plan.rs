//! The facts that a reader needs about the target, replaced as a whole when they change.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use vm_code::interpreter::Interpreter;
use vm_layout::{Flavor, VmLayout};
use vm_tables::scheduler_waits::WaitWord;

/// The role of a thread for its reader.
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

impl ThreadRole {
    /// ErtsSchedulerData.
    pub fn data(&self) -> u64 {
        match self {
            Self::Normal { data, .. } | Self::Dirty { data } => *data,
        }
    }
}

/// Where the Erlang stack pointer is while Erlang code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackPointer {
    /// In the processor's own, as JIT code has it.
    Own,
    /// In a register that the interpreter keeps it in: an index into those of a sample. In C code
    /// that register may hold anything.
    Kept(usize),
}

impl StackPointer {
    /// Where a VM of that kind has it.
    pub fn of<J>(flavor: &Flavor<J, Interpreter>) -> Self {
        match flavor {
            Flavor::Jit(_) => Self::Own,
            Flavor::Interpreter(interpreter) => {
                Self::Kept(arch::sample::index_of(interpreter.registers.stack))
            }
        }
    }
}

/// The facts that a reader needs.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    /// Field offsets.
    pub layout: VmLayout,
    /// Return address at the bottom of every Erlang stack.
    pub normal_exit: u64,
    /// Where the machine code is that runs Erlang code, by address.
    pub runs_erlang: Vec<(u64, u64)>,
    /// Where it has the Erlang stack pointer.
    pub stack_pointer: StackPointer,
    /// Where the number of the VM's active code index is, when that is known.
    pub code_index: Option<u64>,
    /// Scheduler threads.
    pub roles: HashMap<u32, ThreadRole>,
    /// By scheduler thread: the word that shows whether it waits, when that is known.
    pub waiting: HashMap<u32, WaitWord>,
    /// By scheduler thread that was sampled before it was known as one: CLOCK_MONOTONIC, nanoseconds, from which on
    /// the program of `bpf` may number its samples. It has numbered none before.
    pub numbered_from_ns: HashMap<u32, u64>,
}

impl ReadPlan {
    /// Whether the program of `bpf` has numbered this sample of a scheduler.
    pub fn is_numbered(&self, tid: u32, time_ns: u64) -> bool {
        let from_ns = self.numbered_from_ns.get(&tid);
        from_ns.is_none_or(|from_ns| time_ns >= *from_ns)
    }

    /// True when `pc` lies in code that the JIT made, or in the interpreter's main function.
    pub fn is_erlang(&self, pc: u64) -> bool {
        let after = self.runs_erlang.partition_point(|(start, _)| *start <= pc);
        after
            .checked_sub(1)
            .and_then(|index| self.runs_erlang.get(index))
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

/// The scheduler whose thread was sampled in C code.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerRead {
    /// ErtsSchedulerData.
    pub data: u64,
    /// Register block; `None` for a dirty scheduler.
    pub registers: Option<u64>,
    /// The possible Erlang stack pointer of an interpreter.
    pub stack_hint: Option<u64>,
}
