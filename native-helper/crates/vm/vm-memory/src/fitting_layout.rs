//! Which of the known layouts holds for a VM: its own memory shows it.

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_layout::allocators::{ALLOCATORS, AllocatorLayout};

use crate::carriers::walk;
use crate::instance::AllocatorTable;
use crate::limits::WalkLimits;

/// Instances whose carriers are counted.
const COUNTED_INSTANCES: usize = 32;

/// The only layout by which carriers, counted one by one, add up to the sums of their instance, in blocks of each kind
/// too: where nothing is in blocks, or all in one carrier, other layouts would do as well. Some change while they are
/// counted, so not all have to.
///
/// # Errors
/// No layout does, or more than one, or memory cannot be read.
pub(crate) fn fitting_layout(
    memory: &impl TargetMemory,
    table: &AllocatorTable,
) -> Result<&'static AllocatorLayout, TableError> {
    let mut fitting = Vec::new();
    for layout in &ALLOCATORS {
        let (instances, _) = table.sums(memory, layout)?;
        let mut limits = WalkLimits::OF_A_VM;
        let with_carriers = instances
            .iter()
            .filter(|instance| instance.many_blocks.all_blocks_bytes() > 0)
            .take(COUNTED_INSTANCES);
        let are_whole: Vec<bool> = with_carriers
            .map(|instance| walk(memory, instance, &mut limits).is_whole(instance))
            .collect();
        let whole = are_whole.iter().filter(|is_whole| **is_whole).count();
        if whole * 2 > are_whole.len() {
            fitting.push(layout);
        }
    }
    match fitting.as_slice() {
        [only] => Ok(only),
        several => Err(TableError::malformed(
            "allocators",
            format!("{} layouts fit their carriers", several.len()),
        )),
    }
}
