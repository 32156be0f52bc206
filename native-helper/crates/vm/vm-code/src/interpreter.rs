//! The interpreter: one C function, `process_main`, that runs the code of all processes.
//!
//! The C compiler puts the values that the JIT keeps in fixed registers where it likes;
//! [`arch::interpreter`] finds them by decoding that function.

use arch::FragmentFacts;
use arch::interpreter::{InterpreterRegisters, Roles};
use vm_layout::ProcessLayout;

/// The name of the interpreter as a source of facts.
pub const MAIN_FUNCTION: &str = "the interpreter's main function";

/// The offsets of `process` that [`arch::interpreter::from_process_main`] has confirmed by finding the
/// registers with them.
pub fn facts(process: &ProcessLayout) -> FragmentFacts {
    let offset = |offset: usize| i64::try_from(offset).ok();
    FragmentFacts {
        htop: offset(process.htop),
        stop: offset(process.stop),
        fcalls: offset(process.fcalls),
        fcalls_bytes: offset(process.fcalls_bytes),
        i: offset(process.i),
        ..FragmentFacts::default()
    }
}

/// The interpreter of one VM; addresses in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpreter {
    /// Start and end of `process_main`.
    pub main: (u64, u64),
    /// Start and end of `erts_schedule`, which it calls when no process runs.
    pub schedule: Option<(u64, u64)>,
    /// The contents of its registers.
    pub registers: InterpreterRegisters,
}

impl Interpreter {
    /// True for an address in `process_main`.
    pub fn is_main(&self, address: u64) -> bool {
        self.main.0 <= address && address < self.main.1
    }

    /// The addresses and offsets needed to find the program counter at some place of
    /// `process_main`.
    pub fn roles(&self, process: &ProcessLayout) -> Roles {
        Roles {
            instruction: self.registers.instruction,
            process: self.registers.process,
            saved_instruction: process.i as u64,
            schedule: self.schedule,
        }
    }

    /// True for an address in `erts_schedule`.
    pub fn is_scheduling(&self, address: u64) -> bool {
        self.schedule
            .is_some_and(|(start, end)| start <= address && address < end)
    }
}
