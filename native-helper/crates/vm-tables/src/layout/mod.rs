//! Where the fields of the VM's structures are.
//!
//! [`rows`] is the data, one row per OTP release; [`derive`] asks the running VM for the same
//! facts; [`check`] holds the two against each other.

pub mod check;
pub mod derive;
pub mod rows;

use crate::TableError;
use crate::vm_version::VmVersion;

/// Offsets for one release, bytes unless said otherwise.
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
    /// rbx in JIT code minus the address of ErtsSchedulerRegisters.
    pub registers_delta: u32,
    /// Atom names.
    pub atom_name: AtomName,
}

/// Offsets in `Process`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Offsets in `ErtsSchedulerData`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// How an `Atom` holds its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomName {
    /// A pointer to the bytes.
    Pointer,
    /// A boxed term: a bitstring on a heap. Its header word, its size in bits, its bytes.
    Bitstring,
}

/// The state flag of a process whose heap is being collected.
pub const STATE_GC: u32 = 0x2_0000;
/// The state flag of a process that is running on a normal scheduler.
pub const STATE_RUNNING: u32 = 0x8000;

/// The row for `version`, or an error that says what is known.
pub fn layout_for(version: &VmVersion) -> Result<&'static VmLayout, TableError> {
    rows::ROWS
        .iter()
        .find(|row| version.jit && version.otp_release == row.otp_release.to_string())
        .ok_or_else(|| TableError::UnknownLayout {
            release: version.otp_release.clone(),
            flavor: version.flavor(),
            known: known(),
        })
}

fn known() -> String {
    let releases: Vec<String> = rows::ROWS
        .iter()
        .map(|row| row.otp_release.to_string())
        .collect();
    format!("OTP {} (jit)", releases.join(", "))
}
