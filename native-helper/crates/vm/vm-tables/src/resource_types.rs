//! The types of resources that the NIF libraries of a VM have made, with their destructors.

use target_memory::{TargetMemory, u64_at};
use vm_layout::emulator_image::is_pointer;
use vm_layout::resource_types::{BYTES, NEXT, OWNER, PREVIOUS, ResourceTypeLayout};

use crate::atoms::{AtomTable, quoted};

/// Types of one VM; it has some dozen.
const MAX_TYPES: usize = 4096;

/// Where a VM has its types. It never moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceTypes {
    /// The variable at which their circle begins and ends.
    pub head: u64,
    /// Where each has its fields.
    pub layout: &'static ResourceTypeLayout,
}

/// A type with a destructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceType {
    /// Its module and its name, `img:picture`.
    pub name: String,
    /// Where its destructor starts.
    pub destructor: u64,
}

impl ResourceTypes {
    /// The types that have destructors. `is_code` returns whether an address is in the code of a mapped file. `None` for
    /// a circle that does not close, has other contents or cannot be read: it is being changed, or is none.
    pub fn read(
        &self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
        is_code: impl Fn(u64) -> bool,
    ) -> Option<Vec<ResourceType>> {
        let mut found = Vec::new();
        let (mut before, mut here) = (self.head, memory.read_u64(self.head).ok()?);
        for _ in 0..MAX_TYPES {
            if here == self.head {
                let last = memory.read_u64_at(here, PREVIOUS as u64).ok()?;
                return (last == before).then_some(found);
            }
            if !is_pointer(here, 8) {
                return None;
            }
            // The struct is shorter on OTP 23, and the last one may end where its memory does.
            let mut bytes = [0; BYTES];
            let used = bytes.get_mut(..self.layout.name + 8)?;
            memory.read(here, used).ok()?;
            let word = |offset| u64_at(&bytes, offset).unwrap_or(0);
            if word(PREVIOUS) != before || !is_pointer(word(OWNER), 8) {
                return None;
            }
            let mut atom = |offset| Some(quoted(atoms.name(memory, word(offset)).ok()?));
            let name = format!("{}:{}", atom(self.layout.module)?, atom(self.layout.name)?);
            let destructor = word(self.layout.destructor);
            if destructor != 0 {
                if !is_code(destructor) {
                    return None;
                }
                found.push(ResourceType { name, destructor });
            }
            (before, here) = (here, word(NEXT));
        }
        None
    }
}

/// The type that a function is the destructor of; `None` for a function of several types, or of none.
pub fn type_of(types: &[ResourceType], function: u64) -> Option<&ResourceType> {
    let mut of_function = types.iter().filter(|known| known.destructor == function);
    let found = of_function.next();
    found.filter(|_| of_function.next().is_none())
}

#[cfg(test)]
mod tests;
