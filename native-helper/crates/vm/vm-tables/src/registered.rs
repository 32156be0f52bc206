//! The names that processes are registered under.

use target_memory::{TargetMemory, u64_at};
use vm_layout::process_details::{REGISTERED_BYTES, REGISTERED_NAME, REGISTERED_PROCESS};

use crate::atoms::{AtomTable, quoted};

/// The name in a `RegProc` that the process at `process` points to. `None` when the entry does not
/// point back: by now it belongs to another process, or to none.
pub fn name_in_entry(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    entry: &[u8],
    process: u64,
) -> Option<String> {
    let is_its_own = u64_at(entry, REGISTERED_PROCESS)? == process;
    let name = u64_at(entry, REGISTERED_NAME).filter(|_| is_its_own)?;
    Some(quoted(atoms.name(memory, name).ok()?))
}

/// The name that the process at `process` is registered under, by the `RegProc *` in its struct.
pub fn registered_name(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    entry: u64,
    process: u64,
) -> Option<String> {
    let mut bytes = [0; REGISTERED_BYTES];
    if entry == 0 {
        return None;
    }
    memory.read(entry, &mut bytes).ok()?;
    name_in_entry(memory, atoms, &bytes, process)
}
