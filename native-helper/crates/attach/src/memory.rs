//! What the memory of an attached VM is for.

use std::fs::File;

use target_memory::TargetMemory;
use target_proc::resident::{Resident, resident_of_ranges};
use vm_anchors::Finder;
use vm_layout::{Flavor, TableError};
use vm_memory::AllocatorTable;
use vm_memory::allocators::{Allocator, Allocators, allocators};
use vm_memory::ets::{EtsLists, EtsTables};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Carriers whose pages are counted; of more than this, all together, it is not said what is in memory.
const MAX_COUNTED_BYTES: u64 = 64 << 30;

/// What the memory of a VM is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryInUse {
    /// Allocators, with the sums of their blocks by what they are for.
    pub allocators: Allocators,
    /// What is in memory, by the order of `allocators`; `None` as above.
    pub resident_of_allocators: Vec<Option<u64>>,
    /// ETS tables.
    pub ets: EtsTables,
    /// What is in memory of all of it; `None` when the kernel does not say.
    pub resident: Option<Resident>,
    /// What the JIT has made, bytes; `None` where code is interpreted, which is in blocks like all else.
    pub jit_code_bytes: Option<u64>,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// What its memory is for now.
    ///
    /// # Errors
    /// A table cannot be found or read, or the process is not the one that was attached to any more.
    pub fn memory_in_use(&mut self) -> Result<MemoryInUse, AttachError> {
        self.look(|vm| {
            let (allocators, ets) = vm.read_memory()?;
            let rollup = vm.open_file("smaps_rollup");
            Ok(MemoryInUse {
                resident_of_allocators: vm.resident_of(&allocators.allocators),
                resident: rollup.and_then(|rollup| Resident::read(&rollup).ok()),
                jit_code_bytes: vm.jit_code_bytes(),
                allocators,
                ets,
            })
        })
    }

    /// Where the VM has the table of its allocators: what the symbol says, if there is one, and what looks
    /// like it. For checks: the two have to be the same.
    ///
    /// # Errors
    /// The emulator's variables cannot be read.
    pub fn allocator_anchors(&self) -> Result<(Option<u64>, Vec<u64>), TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let finder = Finder::new(&self.memory, &symbols, &ranges);
        Ok((symbols("erts_allctrs_info"), finder.scan_allocators()?))
    }

    fn read_memory(&mut self) -> Result<(Allocators, EtsTables), TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let finder = Finder::new(&self.memory, &symbols, &ranges);
        let table = AllocatorTable::read(&self.memory, finder.allocators()?.address)?;
        let allocators = allocators(&self.memory, &table)?;
        let stride = self.layout.scheduler.stride;
        let lists = EtsLists::find(&self.memory, &self.schedulers, stride)?;
        let ets = lists.tables(&self.memory, &mut self.atoms)?;
        Ok((allocators, ets))
    }

    /// A file of its folder in `/proc`; `None` when the kernel refuses it.
    fn open_file(&self, name: &str) -> Option<File> {
        self.target.as_ref()?.open_file(name).ok()
    }

    fn resident_of(&self, allocators: &[Allocator]) -> Vec<Option<u64>> {
        let pagemap = self.open_file("pagemap");
        let mut left = MAX_COUNTED_BYTES;
        let mut resident = |allocator: &Allocator| {
            let ranges = allocator.found.iter().map(|it| (it.address, it.bytes));
            let ranges: Vec<(u64, u64)> = ranges.collect();
            let counted = resident_of_ranges(pagemap.as_ref()?, &ranges, left)?;
            left = left.saturating_sub(allocator.carriers_bytes);
            Some(counted)
        };
        allocators.iter().map(&mut resident).collect()
    }

    fn jit_code_bytes(&self) -> Option<u64> {
        match self.flavor {
            Flavor::Jit(_) => {
                let lengths = self.code.current().bounds();
                let lengths = lengths.map(|(start, end)| end.saturating_sub(start));
                Some(lengths.fold(0, u64::saturating_add))
            }
            Flavor::Interpreter(_) => None,
        }
    }
}
