//! Where the fields of the VM's structures are.
//!
//! [`rows`] is the data, one row per OTP release; [`derive`] finds the same facts in the running
//! VM; [`check`] compares the two, or makes a layout of the derived facts when there is no row;
//! [`fields`] is the list of the required facts.

//! [`vm_version`] reads the release and build of an emulator, [`emulator_image`] holds its
//! variables and constants for searches in them.

pub mod allocators;
pub mod breakpoints;
pub mod check;
pub mod derive;
pub mod distribution;
pub mod emulator_image;
pub mod ets;
pub mod fields;
pub mod flavor;
pub mod messages;
pub mod ports;
pub mod process_details;
pub mod resource_types;
pub mod rows;
pub mod run_queues;
pub mod scheduling;
pub mod sleep_info;
pub mod timers;
pub mod trace_flags;
pub mod trace_returns;
pub mod vm_version;

mod build;
mod error;

use arch::interpreter::ProcessOffsets;

pub use error::TableError;
pub use flavor::{Flavor, INTERPRETER, JIT};
use vm_version::{Build, VmVersion};

/// Where the linker put a symbol of the emulator, as an address in the target.
pub trait EmulatorSymbols {
    /// Address of `name`, or `None` when the binary does not export it.
    fn address_of(&self, name: &str) -> Option<u64>;

    /// Address of `name`, or the error that names it.
    fn require(&self, name: &'static str) -> Result<u64, TableError> {
        self.address_of(name).ok_or(TableError::NoSymbol { name })
    }
}

impl<F: Fn(&str) -> Option<u64>> EmulatorSymbols for F {
    fn address_of(&self, name: &str) -> Option<u64> {
        self(name)
    }
}

/// Offsets for one release, bytes unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VmLayout {
    /// OTP release the row is for.
    pub otp_release: u32,
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Process struct.
    pub process: ProcessLayout,
    /// ErtsSchedulerData.
    pub scheduler: SchedulerLayout,
    /// Atom names.
    pub atom_name: AtomName,
    /// `BeamCodeHeader.md5_ptr`, where it is known.
    pub module_md5: Option<usize>,
    /// The kind of emulator, with the offsets that only matter for that kind.
    pub flavor: Flavor<JitLayout, InterpreterLayout>,
}

/// Offsets that only matter for a JIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JitLayout {
    /// From ErtsSchedulerRegisters to where JIT code's register for it points.
    pub registers_delta: usize,
}

/// Offsets that only matter for an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterpreterLayout {
    /// `BeamCodeHeader.line_table`.
    pub line_table: usize,
    /// `BeamCodeHeader.functions`.
    pub functions: usize,
    /// `ErtsSchedulerData.tid`: the thread's own descriptor, which lies at the end of its C stack.
    pub thread: usize,
    /// The bottom of every Erlang stack.
    pub stack_bottom: StackBottom,
}

/// How to find the return address at the bottom of every Erlang stack of an interpreter: the code
/// that ends a process, a variable of the emulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackBottom {
    /// So many bytes into the variable of that name.
    In(&'static str, u64),
    /// The variable of that name points at it.
    PointedToBy(&'static str),
}

/// Offsets in `Process`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessLayout {
    /// Bytes to read to have every field below.
    pub read_bytes: usize,
    /// Pid term.
    pub id: usize,
    /// `RegProc *`, or null.
    pub reg: usize,
    /// Top of the heap.
    pub htop: usize,
    /// Top (lowest address) of the stack.
    pub stop: usize,
    /// Reductions left.
    pub fcalls: usize,
    /// 4 or 8.
    pub fcalls_bytes: usize,
    /// Start of the heap block.
    pub heap: usize,
    /// End of the heap block, bottom of the stack.
    pub hend: usize,
    /// Size of the heap block in words.
    pub heap_size_words: usize,
    /// Saved program counter; valid while not running.
    pub i: usize,
    /// Initial call: three words (module, function, arity).
    pub initial_call: usize,
    /// State flags, 32 bits.
    pub state: usize,
    /// `ErtsSchedulerData *` while running.
    pub scheduler_data: usize,
}

impl ProcessLayout {
    /// The offsets to find in an interpreter's main function.
    pub fn interpreted(&self) -> ProcessOffsets {
        ProcessOffsets {
            htop: self.htop,
            stop: self.stop,
            fcalls: self.fcalls,
            fcalls_bytes: self.fcalls_bytes,
            i: self.i,
        }
    }
}

/// Offsets in `ErtsSchedulerData`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchedulerLayout {
    /// `ErtsSchedulerRegisters *`.
    pub registers: usize,
    /// `Process *` it runs, or null.
    pub current_process: usize,
    /// Number of a normal scheduler, from 1; 0 for a dirty one.
    pub number: usize,
    /// Number of a dirty scheduler, from 1.
    pub dirty_number: usize,
    /// `Port *` it runs, or null.
    pub current_port: usize,
    /// From one scheduler to the next in their array.
    pub stride: usize,
}

/// In the data of a scheduler, behind its process: the `ErlNifEnv *` of the NIF that it is in, or null. Of OTP 23 to
/// 29; a reader checks it by [`NIF_PROCESS`].
pub const NIF_BEHIND_PROCESS: usize = 40;
/// In an `ErlNifEnv`: the process.
pub const NIF_PROCESS: u64 = 8;

/// How an `Atom` holds its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtomName {
    /// A pointer to the bytes.
    #[default]
    Pointer,
    /// A boxed term: a bitstring on a heap. Its header word, its size in bits, its bytes.
    Bitstring,
}

/// The state flag of a process whose heap is being collected.
pub const STATE_GC: u32 = 0x2_0000;
/// State flags of a process that a thread works on: running, collecting garbage, running system
/// tasks, or one of these on a dirty scheduler.
pub const STATE_BUSY: u32 = 0x8000 | STATE_GC | 0x20_0000 | 0x2000_0000 | 0x4000_0000;
/// State flags of a process that ends or has ended.
pub const STATE_ENDING: u32 = 0x400 | 0x800;

/// The rows for `version`, of which one may hold. Rows are for emulators of the usual build.
pub fn rows_for(version: &VmVersion) -> impl Iterator<Item = &'static VmLayout> {
    rows::ROWS.iter().filter(|row| {
        version.build == Build::Optimized
            && version.flavor == row.flavor.kind()
            && version.otp_release == row.otp_release.to_string()
    })
}

/// Why a VM without a row and without a layout of its own cannot be read.
pub fn unknown(version: &VmVersion, reason: String) -> TableError {
    let known = |flavor: Flavor| -> String {
        let mut releases: Vec<String> = rows::ROWS
            .iter()
            .filter(|row| row.flavor.kind() == flavor)
            .map(|row| row.otp_release.to_string())
            .collect();
        releases.dedup();
        releases.join(", ")
    };
    TableError::UnknownLayout {
        release: version.otp_release.clone(),
        flavor: version.flavor.name(),
        known: format!("OTP {} (jit), {} (emu)", known(JIT), known(INTERPRETER)),
        reason,
    }
}
