//! Where the atom table is: the index table whose name is the constant `atom_tab`.

use target_memory::TargetMemory;

use super::image::EmulatorImage;
use crate::atoms::AtomTable;
use crate::layout::AtomName;

/// Where an index table keeps its name.
const NAME_OFFSET: u64 = 64;
/// Atoms that are compiled into every emulator.
const LEAST_ATOMS: u32 = 500;

/// Tables of that name whose first atoms are those of every VM, and how they hold names.
pub(crate) fn candidates(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
) -> Vec<(u64, AtomName)> {
    let names = image.addresses_of_string("atom_tab");
    image
        .words()
        .filter(|(_, word)| names.contains(word))
        .filter_map(|(address, _)| {
            let address = address.checked_sub(NAME_OFFSET)?;
            let count = AtomTable::new(address).count(memory).ok()?;
            let form = AtomTable::detect_names(memory, address)?;
            (count >= LEAST_ATOMS).then_some((address, form))
        })
        .collect()
}
