//! How much the VM has given away in blocks, again and again: no carrier is walked for it.

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_layout::allocators::{AllocatorLayout, NAME_PREFIXES};

use crate::fitting_layout::fitting_layout;
use crate::instance::AllocatorTable;

/// Where a VM counts its blocks. That never changes.
#[derive(Debug, Clone)]
pub struct LastingBlocks {
    table: AllocatorTable,
    layout: &'static AllocatorLayout,
}

impl LastingBlocks {
    /// Finds out which layout holds for these allocators.
    ///
    /// # Errors
    /// They cannot be read, or no layout fits their carriers.
    pub fn of(memory: &impl TargetMemory, table: AllocatorTable) -> Result<Self, TableError> {
        let layout = fitting_layout(memory, &table)?;
        Ok(Self { table, layout })
    }

    /// Bytes in blocks of all allocators except those for data that lasts no longer than a call. Of an
    /// instance that contradicts itself whenever it is read nothing is in it, so then there is no sum.
    ///
    /// # Errors
    /// Memory cannot be read, or one of these allocators is switched off, so that malloc has its blocks.
    pub fn bytes(&self, memory: &impl TargetMemory) -> Result<Option<u64>, TableError> {
        let (instances, rejected) = self.table.sums(memory, self.layout)?;
        let is_lasting = |kind: usize| {
            let name = NAME_PREFIXES.get(kind);
            name.is_some_and(|name| !matches!(*name, "temp_" | "test_"))
        };
        if self
            .table
            .switched_off()
            .iter()
            .any(|kind| is_lasting(*kind))
        {
            return Err(TableError::SwitchedOff);
        }
        let lasting = instances.iter().filter(|it| is_lasting(it.kind));
        let sums = lasting.flat_map(|it| [&it.many_blocks, &it.one_block, &it.pooled]);
        let bytes = sums.fold(0, |all: u64, it| all.saturating_add(it.all_blocks_bytes()));
        Ok((rejected == 0).then_some(bytes))
    }
}

#[cfg(test)]
mod tests;
