//! The descriptions in the JIT's list of code, and their contents. Of a description that was read
//! before, only the beginning is read.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use shared_map::HashMap;
use target_memory::{Range, ReadError, TargetMemory};

use crate::blob::{Blob, ModuleCode, parse_blob};
use crate::code_map::is_fragments;
use crate::descriptor::{BLOB_HEAD_BYTES, BlobPlace, Descriptor, DescriptorEntry};
use crate::machine_code::MachineCode;
use vm_layout::TableError;

/// Longest machine code of one module that is kept.
const MAX_KEPT_BYTES: u32 = 1 << 20;
/// Newest entries that are always read again in full: they may be new blobs at old addresses.
const ALWAYS_READ: usize = 16;
/// A VM has two generations of a module, and some more while they are being loaded. Of one that
/// lists them for ever no more than these are kept.
const MOST_GENERATIONS: usize = 4;

/// A description that was read, the bytes it began with, and a hash of all of them.
#[derive(Debug)]
struct Parsed {
    /// Where it was in the list, from the front.
    rank: usize,
    head: [u8; BLOB_HEAD_BYTES],
    hash: u64,
    is_unreadable: bool,
    /// None for the emulator's own description, and for invalid ones.
    module: Option<Arc<ModuleCode>>,
}

/// The facts in the list beside its modules.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ListFacts {
    pub normal_exit: u64,
    pub frame_pointers: bool,
    pub unreadable: u32,
}

/// All descriptions that are listed.
#[derive(Debug)]
pub(super) struct Descriptions {
    pub facts: ListFacts,
    /// The first read takes the whole list; the code of later modules is kept.
    pub has_read: bool,
    /// As of the last read, newest first.
    entries: Vec<DescriptorEntry>,
    parsed: HashMap<BlobPlace, Parsed>,
    /// The VM continues to list code that it has purged.
    keeps_purged: bool,
}

impl Descriptions {
    pub fn new(facts: ListFacts) -> Self {
        Self {
            facts,
            has_read: false,
            entries: Vec::new(),
            parsed: HashMap::new(),
            keeps_purged: false,
        }
    }

    /// Reads those that are listed now; of any memory by the same code, which is large.
    pub fn read(
        &mut self,
        memory: &dyn TargetMemory,
        descriptor: Descriptor,
    ) -> Result<(), TableError> {
        let memory = &memory;
        let since = match self.keeps_purged {
            true => descriptor.entries_since(memory, &self.entries).ok(),
            false => None,
        };
        let entries = since.map_or_else(
            || {
                let known: Vec<u64> = self.parsed.keys().map(|place| place.entry).collect();
                descriptor.entries(memory, &known)
            },
            Ok,
        )?;
        self.read_blobs(memory, descriptor, &entries)?;
        self.entries = entries;
        Ok(())
    }

    /// Accepts the data read, after the list did not change during the reading.
    pub fn settle(&mut self) {
        self.leave_out_the_dead();
        let unreadable = self.parsed.values().filter(|known| known.is_unreadable);
        self.facts.unreadable = u32::try_from(unreadable.count()).unwrap_or(u32::MAX);
    }

    /// The modules, newest first, and where they are described.
    pub fn modules(&self) -> impl Iterator<Item = (BlobPlace, Arc<ModuleCode>)> {
        self.entries.iter().filter_map(|entry| {
            let place = entry.place();
            let module = self.parsed.get(&place)?.module.as_ref()?;
            Some((place, Arc::clone(module)))
        })
    }

    /// OTP 25 lists code that it has purged for ever, so its list grows with each load. The sign is
    /// code at the addresses of other listed code. Of such a VM, generations purged long ago are
    /// left out, and the list is read from its front to the first known entry.
    fn leave_out_the_dead(&mut self) {
        self.keeps_purged |= self.is_code_on_code();
        if !self.keeps_purged {
            return;
        }
        let mut generations: HashMap<Box<str>, usize> = HashMap::new();
        let parsed = &mut self.parsed;
        self.entries.retain(|entry| {
            let place = entry.place();
            let module = parsed.get(&place).and_then(|known| known.module.as_ref());
            let Some(module) = module.filter(|module| !is_fragments(module)) else {
                return true;
            };
            let generation = generations.entry(module.name.clone()).or_default();
            *generation += 1;
            let is_kept = *generation <= MOST_GENERATIONS;
            if !is_kept {
                parsed.remove(&place);
            }
            is_kept
        });
    }

    fn is_code_on_code(&self) -> bool {
        let mut places: Vec<(u64, u64)> = self
            .modules()
            .map(|(_, module)| {
                let end = module.base.saturating_add(u64::from(module.code_bytes));
                (module.base, end)
            })
            .collect();
        places.sort_unstable();
        !places.is_sorted_by(|before, after| before.1 <= after.0)
    }

    /// Reads the unknown ones of `entries` and forgets all others.
    fn read_blobs(
        &mut self,
        memory: &impl TargetMemory,
        descriptor: Descriptor,
        entries: &[DescriptorEntry],
    ) -> Result<(), TableError> {
        let replaced = self.replaced(memory, entries);
        let always_read = ALWAYS_READ.max(self.first_that_stayed(entries));
        let unread: Vec<DescriptorEntry> = entries
            .iter()
            .enumerate()
            .filter(|(index, entry)| {
                *index < always_read
                    || !self.parsed.contains_key(&entry.place())
                    || replaced.contains(index)
            })
            .map(|(_, entry)| *entry)
            .collect();
        descriptor.each_blob(memory, &unread, |entry, bytes| {
            let hash = hash_of(bytes);
            // An unchanged module keeps its identity.
            let place = entry.place();
            let known = self.parsed.get(&place);
            if known.is_none_or(|known| known.hash != hash) {
                let before = self.parsed.remove(&place);
                let described = self.describe(memory, (bytes, hash), before)?;
                self.parsed.insert(place, described);
            }
            Ok(())
        })?;
        let mut parsed = std::mem::take(&mut self.parsed);
        self.parsed = entries
            .iter()
            .enumerate()
            .filter_map(|(rank, entry)| {
                let place = entry.place();
                let known = parsed.remove(&place)?;
                Some((place, Parsed { rank, ..known }))
            })
            .collect();
        Ok(())
    }

    /// Parses the bytes of a description; the same module as before if its contents are the same.
    fn describe(
        &mut self,
        memory: &impl TargetMemory,
        (bytes, hash): (&[u8], u64),
        before: Option<Parsed>,
    ) -> Result<Parsed, TableError> {
        let blob = self.parse(memory, bytes)?;
        let is_unreadable = blob.is_none();
        let module = match blob {
            Some(Blob::Emulator {
                frame_pointers,
                normal_exit,
            }) => {
                self.facts.frame_pointers = frame_pointers;
                self.facts.normal_exit = normal_exit;
                None
            }
            Some(Blob::Module(module)) => {
                let before = before.and_then(|known| known.module);
                let same = before.filter(|known| **known == module);
                Some(same.unwrap_or_else(|| Arc::new(module)))
            }
            None => None,
        };
        Ok(Parsed {
            rank: 0,
            head: bytes.first_chunk().copied().unwrap_or_default(),
            hash,
            is_unreadable,
            module,
        })
    }

    /// Index of the first entry from which on all were in the list before, in this order. New
    /// entries are put in front, so a known entry before an unknown one was freed and used again.
    fn first_that_stayed(&self, entries: &[DescriptorEntry]) -> usize {
        let mut behind = usize::MAX;
        let stayed = entries.iter().rev().take_while(|entry| {
            let known = self.parsed.get(&entry.place());
            let is_in_order = known.is_some_and(|known| known.rank < behind);
            behind = known.map_or(behind, |known| known.rank);
            is_in_order
        });
        entries.len() - stayed.count()
    }

    /// The contents of a description, `None` when it is invalid. Fails only when the target's
    /// budget has no room for it: if code were left out, other code would be taken for it.
    fn parse(&self, memory: &impl TargetMemory, bytes: &[u8]) -> Result<Option<Blob>, ReadError> {
        let spent = |spent| ReadError::spent(0, spent);
        let budget = memory.budget();
        // While it is parsed, each of its numbers takes up to twice the room, in vectors that grow.
        let parsing = budget.hold("loaded code", bytes.len().saturating_mul(4));
        let parsing = parsing.map_err(spent)?;
        let Ok(blob) = parse_blob(bytes) else {
            return Ok(None);
        };
        drop(parsing);
        let Blob::Module(mut module) = blob else {
            return Ok(Some(blob));
        };
        module.machine_code = self.code_to_keep(memory, &module);
        let module = module.held_within(budget).map_err(spent)?;
        Ok(Some(Blob::Module(module)))
    }

    /// Reads the machine code of a module that was loaded after the first reading: the module may
    /// be purged by the time a sample in it is resolved. Without room for the code, or the right to
    /// read it, it is not kept, and facts that need it are unknown then.
    fn code_to_keep(&self, memory: &impl TargetMemory, module: &ModuleCode) -> MachineCode {
        // The other half is for the places of functions, which every module needs.
        let has_room = !memory.budget().is_half_used();
        if !self.has_read || module.code_bytes > MAX_KEPT_BYTES || !has_room {
            return MachineCode::default();
        }
        let length = module.code_bytes as usize;
        let code = memory.read_held("machine code", module.base, length);
        MachineCode::whole(code.ok())
    }

    /// Entries that are where they were and yet begin with other bytes: one that was freed gives
    /// its place to the next of the same size.
    fn replaced(&self, memory: &impl TargetMemory, entries: &[DescriptorEntry]) -> Vec<usize> {
        let known: Vec<(usize, &DescriptorEntry, &Parsed)> = entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index, entry, self.parsed.get(&entry.place())?)))
            .collect();
        let ranges = Range::at_each(
            known.iter().map(|(_, entry, _)| entry.blob),
            BLOB_HEAD_BYTES,
        );
        let mut heads = vec![0; ranges.len() * BLOB_HEAD_BYTES];
        if memory.read_many(&ranges, &mut heads).is_err() {
            // Some were freed just now; uncertain ones are read again.
            return known.iter().map(|(index, ..)| *index).collect();
        }
        known
            .iter()
            .zip(heads.chunks_exact(BLOB_HEAD_BYTES))
            .filter(|((_, _, parsed), head)| parsed.head != **head)
            .map(|((index, ..), _)| *index)
            .collect()
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
