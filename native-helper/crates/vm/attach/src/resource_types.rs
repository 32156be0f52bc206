//! Destructors of resources, as stacks show them.

use target_memory::TargetMemory;
use vm_anchors::Finder;
use vm_tables::resource_types::ResourceType;

use crate::vm::AttachedVm;

impl<M: TargetMemory> AttachedVm<M> {
    /// The types of resources that have destructors, as of now; none while the VM changes them. `None` if it is not
    /// known where they are.
    pub fn resource_types(&mut self) -> Option<Vec<ResourceType>> {
        let (memory, objects, atoms) = (&self.memory, &self.objects, &mut self.atoms);
        let is_code = |address| objects.map.object_at(address).is_some();
        let types = match self.resource_types {
            Some(known) => known,
            None => {
                let symbols = |name: &str| objects.emulator_symbol(name);
                let ranges = objects.emulator_ranges();
                let finder = Finder::new(memory, &symbols, &ranges);
                let found = finder.resource_types(atoms, is_code).ok()?;
                *self.resource_types.insert(found)
            }
        };
        Some(types.read(memory, atoms, is_code).unwrap_or_default())
    }
}

/// The marker of a type whose destructor a scheduler calls: `[destructor of img:picture]`.
pub fn destructor_marker(of: &ResourceType) -> String {
    format!("[destructor of {}]", of.name)
}
