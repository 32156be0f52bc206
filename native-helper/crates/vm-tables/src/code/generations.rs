//! Code as it is loaded and purged while a capture runs.
//!
//! A sample is resolved some milliseconds after it was taken. When code changed in between, an
//! address that both generations claim could be either, so it is named by neither.

use std::collections::HashMap;
use std::sync::Arc;

use target_memory::TargetMemory;

use super::blob::{Blob, ModuleCode, parse_blob};
use super::code_map::{CodeLocation, CodeMap};
use super::descriptor::{Descriptor, DescriptorEntry, DescriptorMark};
use super::ranges::{CODE_INFO_BYTES, ModuleRanges};
use crate::TableError;

/// The loaded code, and what it was at the previous look.
#[derive(Debug)]
pub struct CodeGenerations {
    source: CodeSource,
    current: CodeMap,
    /// The map before the last change, while samples from before it may still arrive.
    previous: Option<CodeMap>,
    /// Return address at the bottom of every Erlang stack.
    pub normal_exit: u64,
    /// The VM runs with frame pointers.
    pub frame_pointers: bool,
    /// Descriptions that could not be read as such.
    pub unreadable: u32,
}

/// Where the VM says what it has loaded.
#[derive(Debug)]
enum CodeSource {
    /// The JIT's list for debuggers.
    Descriptions(Descriptions),
    /// The index of module images, which every emulator has.
    Images(ModuleRanges),
}

#[derive(Debug)]
struct Descriptions {
    descriptor: Descriptor,
    mark: DescriptorMark,
    parsed: HashMap<DescriptorEntry, Arc<ModuleCode>>,
}

/// What is known of a program counter.
#[derive(Debug, Clone)]
pub enum Located {
    /// This, and nothing else.
    Known(CodeLocation),
    /// Two generations claim the address, and the sample is from about when one replaced the other.
    Ambiguous,
    /// No module claims it.
    Unknown,
}

impl CodeGenerations {
    /// Reads all code of the VM.
    pub fn read(memory: &impl TargetMemory, descriptor: Descriptor) -> Result<Self, TableError> {
        let mut code = Self {
            source: CodeSource::Descriptions(Descriptions {
                descriptor,
                mark: DescriptorMark::default(),
                parsed: HashMap::new(),
            }),
            current: CodeMap::default(),
            previous: None,
            normal_exit: 0,
            frame_pointers: false,
            unreadable: 0,
        };
        code.reload(memory)?;
        code.previous = None;
        if code.normal_exit == 0 {
            return Err(TableError::malformed(
                "JIT descriptor",
                "no emulator record",
            ));
        }
        Ok(code)
    }

    /// Reads all code of an interpreter, whose stacks end in `normal_exit`.
    pub fn read_images(
        memory: &impl TargetMemory,
        images: ModuleRanges,
        normal_exit: u64,
    ) -> Result<Self, TableError> {
        let mut code = Self {
            source: CodeSource::Images(images),
            current: CodeMap::default(),
            previous: None,
            normal_exit,
            frame_pointers: false,
            unreadable: 0,
        };
        code.reload(memory)?;
        code.previous = None;
        Ok(code)
    }

    /// The code as of the last look.
    pub fn current(&self) -> &CodeMap {
        &self.current
    }

    /// Looks whether code was loaded since the last call; when it was, reads it and returns true.
    /// Call it once per batch of samples, before resolving them: the map before the change is
    /// kept until the next call, for the samples of that batch.
    pub fn refresh(&mut self, memory: &impl TargetMemory) -> Result<bool, TableError> {
        self.previous = None;
        let changed = match &self.source {
            CodeSource::Descriptions(list) => list.descriptor.mark(memory)? != list.mark,
            CodeSource::Images(images) => images.changed(memory)?,
        };
        if changed {
            self.reload(memory)?;
        }
        Ok(changed)
    }

    /// What is at `pc`.
    pub fn locate(&self, pc: u64) -> Located {
        if let Some(previous) = &self.previous {
            let (before, after) = (previous.identity_at(pc), self.current.identity_at(pc));
            if before != after {
                return match (before, after) {
                    (Some(_), Some(_)) => Located::Ambiguous,
                    (Some(_), None) => known(previous.locate(pc)),
                    _ => known(self.current.locate(pc)),
                };
            }
        }
        known(self.current.locate(pc))
    }

    /// Which function is at `address` now: its module's address and its own offset.
    pub fn function_at(&self, address: u64) -> Option<(u64, u32)> {
        let found = self.current.locate(address)?;
        Some((found.module.base, found.range.start))
    }

    /// True when interpreted code may have an instruction at `address`: a word of code behind the
    /// description of its function, in any generation that is known.
    pub fn is_instruction(&self, address: u64) -> bool {
        let is_behind_description = |map: &CodeMap| {
            map.locate(address).is_some_and(|found| {
                let first = u64::from(found.range.start) + u64::from(CODE_INFO_BYTES);
                address.wrapping_sub(found.module.base) >= first
            })
        };
        address.is_multiple_of(8)
            && (is_behind_description(&self.current)
                || self.previous.as_ref().is_some_and(is_behind_description))
    }

    /// True when interpreted code may go on at `address` after a call: a word of code, behind
    /// some instruction of a function, in any generation that is known.
    pub fn is_continuation(&self, address: u64) -> bool {
        let follows = |map: &CodeMap| {
            map.locate(address.wrapping_sub(1)).is_some_and(|found| {
                let first = u64::from(found.range.start) + u64::from(CODE_INFO_BYTES);
                address.wrapping_sub(found.module.base) > first
            })
        };
        address.is_multiple_of(8)
            && (follows(&self.current) || self.previous.as_ref().is_some_and(follows))
    }

    fn reload(&mut self, memory: &impl TargetMemory) -> Result<(), TableError> {
        let mut last_error = TableError::Unstable {
            table: "the list of loaded code",
        };
        for _ in 0..4 {
            match self.try_reload(memory) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(TableError::Read(error)) if error.target_gone() => return Err(error.into()),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    /// False when the list changed meanwhile.
    fn try_reload(&mut self, memory: &impl TargetMemory) -> Result<bool, TableError> {
        let modules = match &mut self.source {
            CodeSource::Descriptions(list) => match list.reload(memory)? {
                Some(read) => {
                    if let Some((frame_pointers, normal_exit)) = read.emulator {
                        self.frame_pointers = frame_pointers;
                        self.normal_exit = normal_exit;
                    }
                    self.unreadable = self.unreadable.saturating_add(read.unreadable);
                    Some(read.newest_first)
                }
                None => None,
            },
            CodeSource::Images(images) => {
                let modules = images.reload(memory)?;
                self.unreadable = images.unreadable;
                modules
            }
        };
        let Some(newest_first) = modules else {
            return Ok(false);
        };
        let new = CodeMap::new(&newest_first);
        self.previous = Some(std::mem::replace(&mut self.current, new));
        Ok(true)
    }
}

/// What one look at the JIT's list brought.
struct DescriptionsRead {
    newest_first: Vec<Arc<ModuleCode>>,
    /// Frame pointers, and the return address at the bottom of every stack.
    emulator: Option<(bool, u64)>,
    unreadable: u32,
}

impl Descriptions {
    /// `None` when the list changed meanwhile.
    fn reload(
        &mut self,
        memory: &impl TargetMemory,
    ) -> Result<Option<DescriptionsRead>, TableError> {
        let mark = self.descriptor.mark(memory)?;
        let entries = self.descriptor.entries(memory)?;
        // The newest entry may be a new blob at an old address, so it is always read again.
        let unread: Vec<DescriptorEntry> = entries
            .iter()
            .enumerate()
            .filter(|(index, entry)| *index == 0 || !self.parsed.contains_key(entry))
            .map(|(_, entry)| *entry)
            .collect();
        let blobs = self.descriptor.blobs(memory, &unread)?;
        if self.descriptor.mark(memory)? != mark {
            return Ok(None);
        }
        let (mut emulator, mut unreadable) = (None, 0u32);
        let mut parsed = std::mem::take(&mut self.parsed);
        for (entry, bytes) in unread.iter().zip(&blobs) {
            match parse_blob(bytes) {
                Ok(Blob::Emulator {
                    frame_pointers,
                    normal_exit,
                }) => emulator = Some((frame_pointers, normal_exit)),
                Ok(Blob::Module(module)) => {
                    // An unchanged newest entry keeps its identity.
                    match parsed.get(entry) {
                        Some(known) if **known == module => {}
                        _ => {
                            parsed.insert(*entry, Arc::new(module));
                        }
                    }
                }
                Err(_) => unreadable = unreadable.saturating_add(1),
            }
        }
        let newest_first: Vec<Arc<ModuleCode>> = entries
            .iter()
            .filter_map(|entry| parsed.get(entry).cloned())
            .collect();
        self.parsed = entries
            .iter()
            .filter_map(|entry| Some((*entry, parsed.remove(entry)?)))
            .collect();
        self.mark = mark;
        Ok(Some(DescriptionsRead {
            newest_first,
            emulator,
            unreadable,
        }))
    }
}

fn known(location: Option<CodeLocation>) -> Located {
    location.map_or(Located::Unknown, Located::Known)
}

#[cfg(test)]
mod tests {
    use super::super::blob::tests::module_blob;
    use super::*;
    use target_memory::SnapshotMemory;

    const DESCRIPTOR: Descriptor = Descriptor { address: 0x100 };

    fn emulator_blob() -> Vec<u8> {
        [0u64, 0, 0xe417, 0]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// Modules newest first as (blob), then the emulator record.
    fn vm(blobs: &[Vec<u8>]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let all: Vec<Vec<u8>> = blobs.iter().cloned().chain([emulator_blob()]).collect();
        let entry = |index: usize| 0x1000 * (all.len() - index) as u64;
        memory.map_words(0x100, &[1, 0, entry(0)]);
        for (index, blob) in all.iter().enumerate() {
            let next = if index + 1 < all.len() {
                entry(index + 1)
            } else {
                0
            };
            let previous = if index > 0 { entry(index - 1) } else { 0 };
            let at = 0x10_0000 + entry(index);
            memory
                .map_words(entry(index), &[next, previous, at, blob.len() as u64])
                .map(at, blob.clone());
        }
        memory
    }

    fn name_at(code: &CodeGenerations, pc: u64) -> String {
        match code.locate(pc) {
            Located::Known(location) => location.name.raw().to_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_load_is_noticed_and_shared_addresses_are_not_named_until_the_next_look() {
        let old = module_blob("m", 0x50_0000, 64, &[(0, 64, "m:old/0", &[])]);
        let other = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
        let memory = vm(&[old.clone(), other.clone()]);
        let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
        assert_eq!(code.normal_exit, 0xe417);
        assert!(!code.refresh(&memory).unwrap());
        assert_eq!(name_at(&code, 0x50_0000), "m:old/0");

        let new = module_blob("m", 0x50_0000, 64, &[(0, 64, "m:new/0", &[])]);
        let memory = vm(&[new, old, other]);
        assert!(code.refresh(&memory).unwrap());
        assert_eq!(name_at(&code, 0x50_0000), "Ambiguous");
        assert_eq!(name_at(&code, 0x60_0000), "n:f/0");
        assert!(!code.refresh(&memory).unwrap());
        assert_eq!(name_at(&code, 0x50_0000), "m:new/0");
    }

    #[test]
    fn code_that_went_away_is_still_named_for_the_batch_it_was_sampled_in() {
        let gone = module_blob("m", 0x50_0000, 64, &[(0, 64, "m:f/0", &[])]);
        let stays = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
        let mut code = CodeGenerations::read(&vm(&[gone, stays.clone()]), DESCRIPTOR).unwrap();
        let memory = vm(&[stays]);
        assert!(code.refresh(&memory).unwrap());
        assert_eq!(name_at(&code, 0x50_0000), "m:f/0");
        code.refresh(&memory).unwrap();
        assert_eq!(name_at(&code, 0x50_0000), "Unknown");
    }
}
