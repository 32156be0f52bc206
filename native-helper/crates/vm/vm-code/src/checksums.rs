//! The checksum (MD5) that the VM keeps of each loaded module: which build of it runs.
//!
//! A module starts with its `BeamCodeHeader`: the number of functions, and as its last member an array
//! of pointers to them, one more than there are functions, the last one to the end of the code. Some
//! words before that array is the pointer to the checksum, 16 bytes behind the code of the module.
//! Where the two are follows from the modules themselves ([`ModuleHeader::derive`]); a row of data, where
//! there is one, has to say the same.

use target_memory::{TargetMemory, bytes_to_words, u64_at};
use vm_tables::atoms::{AtomTable, quoted};

use crate::blob::ModuleCode;
use crate::ranges::CODE_INFO_BYTES;

/// An MD5.
pub type Checksum = [u8; 16];

/// The first member of the header that differs between releases comes behind these.
const COMMON_BYTES: usize = 72;
/// No release has a longer header before its functions.
const MAX_HEADER_BYTES: usize = 256;
/// Fewer functions could be in order by chance.
const MIN_FUNCTIONS: usize = 6;
/// More functions than any module has.
const MAX_FUNCTIONS: usize = 65_536;
/// Modules that are tried, and how many of them have to give an answer.
const ASKED: usize = 64;
const MIN_ANSWERS: usize = 4;

/// Where two members of the header of a module are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModuleHeader {
    /// The pointer to the checksum.
    pub md5: usize,
    /// The pointers to the functions.
    pub functions: usize,
}

impl ModuleHeader {
    /// The offsets that the modules give. `None` when the modules are too few, or do not agree with
    /// each other or with the known offset of the checksum of the release.
    pub fn derive<'m>(
        memory: &impl TargetMemory,
        modules: impl Iterator<Item = &'m ModuleCode>,
        known_md5: Option<usize>,
    ) -> Option<Self> {
        let mut answers = 0;
        let mut agreed = None;
        for answer in modules
            .take(ASKED)
            .filter_map(|module| Self::of_module(memory, module))
        {
            if *agreed.get_or_insert(answer) != answer {
                return None;
            }
            answers += 1;
        }
        agreed
            .filter(|_| answers >= MIN_ANSWERS)
            .filter(|header| known_md5.is_none_or(|known| known == header.md5))
    }

    fn of_module(memory: &impl TargetMemory, module: &ModuleCode) -> Option<Self> {
        let count = usize::try_from(memory.read_u64(module.base).ok()?).ok()?;
        if !(MIN_FUNCTIONS..=MAX_FUNCTIONS).contains(&count) {
            return None;
        }
        let bytes = MAX_HEADER_BYTES + (count + 1) * 8;
        let bytes = bytes.min(module.code_bytes as usize);
        let head = memory.read_vec(module.base, bytes, bytes).ok()?;
        let words: Vec<u64> = bytes_to_words(&head).collect();
        let end = module.base + u64::from(module.code_bytes);
        let are_functions = |at: &usize| {
            words.get(*at..*at + count + 1).is_some_and(|pointers| {
                pointers.is_sorted_by(|before, after| before < after)
                    && pointers.first().is_some_and(|first| *first > module.base)
                    && pointers.last().is_some_and(|last| *last <= end)
            })
        };
        let functions = (COMMON_BYTES / 8..MAX_HEADER_BYTES / 8).find(are_functions)?;
        let code_end = *words.get(functions + count)?;
        // Behind the code of the module, within its image, with room for a checksum.
        let is_checksum = |at: &usize| {
            let pointer = words.get(*at).copied().unwrap_or(0);
            code_end <= pointer && pointer.checked_add(16).is_some_and(|after| after <= end)
        };
        let md5 = (COMMON_BYTES / 8..functions).rev().find(is_checksum)?;
        Some(Self {
            md5: md5 * 8,
            functions: functions * 8,
        })
    }

    /// Name (without quotes) and checksum of a module that is loaded now. `None` where another module took its place,
    /// or the pointers do not lead to a checksum.
    pub fn checksum(
        &self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
        module: &ModuleCode,
    ) -> Option<(String, Checksum)> {
        let bytes = self.functions.max(self.md5) + 8;
        let head = memory
            .read_vec(module.base, bytes, MAX_HEADER_BYTES + 8)
            .ok()?;
        let end = module.base.checked_add(u64::from(module.code_bytes))?;
        let inside = |pointer: u64, bytes: u64| {
            let after = pointer.checked_add(bytes);
            module.base < pointer && after.is_some_and(|after| after <= end)
        };
        let (md5, first) = (u64_at(&head, self.md5)?, u64_at(&head, self.functions)?);
        if !inside(md5, 16) || !inside(first, u64::from(CODE_INFO_BYTES)) {
            return None;
        }
        let name = memory.read_u64_at(first, 16).ok()?;
        let mut checksum = Checksum::default();
        memory.read(md5, &mut checksum).ok()?;
        // It may have been purged during the reading, and its place taken.
        let again = memory.read_vec(module.base, bytes, bytes).ok()?;
        let name = atoms.name(memory, name).ok()?;
        let is_it = quoted(name) == *module.name && again == head;
        (is_it && checksum != Checksum::default()).then(|| (name.to_owned(), checksum))
    }
}

#[cfg(test)]
mod tests;
