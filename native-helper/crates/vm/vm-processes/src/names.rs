//! Names that processes are registered under, and the functions that they point at.

use target_memory::{Range, TargetMemory, read_each_not_null, u64_at};
use vm_layout::process_details::REGISTERED_BYTES;
use vm_tables::atoms::{AtomTable, quoted};
use vm_tables::names::display_mfa;
use vm_tables::registered::name_in_entry;

use crate::entry::Entry;

const CALL_BYTES: usize = 24;
/// More than a page of any of these has.
const MAX_BYTES: usize = 1 << 20;

/// The registered name of each, where it has one.
pub(crate) fn registered_names(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    entries: &[Entry],
) -> Vec<Option<String>> {
    let found = behind(memory, entries, REGISTERED_BYTES, |entry| entry.registered);
    let named = entries
        .iter()
        .zip(found)
        .map(|(entry, registered)| name_in_entry(memory, atoms, &registered?, entry.address));
    named.collect()
}

/// The function that each points at as the one it is in.
pub fn current_calls(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    entries: &[Entry],
) -> Vec<Option<String>> {
    let found = behind(memory, entries, CALL_BYTES, |entry| entry.current);
    let named = found.into_iter().map(|call| {
        let word = |index: usize| u64_at(call.as_deref()?, index * 8);
        call_text(memory, atoms, [word(0)?, word(1)?, word(2)?])
    });
    named.collect()
}

/// Module, function and arity as displayed.
pub(crate) fn call_text(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    [module, function, arity]: [u64; 3],
) -> Option<String> {
    let arity = u8::try_from(arity).ok()?;
    let module = quoted(atoms.name(memory, module).ok()?);
    let function = quoted(atoms.name(memory, function).ok()?);
    Some(display_mfa(&format!("{module}:{function}/{arity}")))
}

/// The data that each points at, if any.
fn behind(
    memory: &impl TargetMemory,
    entries: &[Entry],
    len_bytes: usize,
    pointer: impl Fn(&Entry) -> u64,
) -> Vec<Option<Vec<u8>>> {
    let pointed = Range::at_each(entries.iter().map(pointer), len_bytes);
    read_each_not_null(memory, &pointed, MAX_BYTES)
}
