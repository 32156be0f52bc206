//! Reads the list of code again and again. A look takes one system call while nothing happens, so
//! that a thread of its own can look often.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use retry::{AfterFailure, GaveUp, Retry};
use target_memory::{Range, ReadError, TargetMemory};

use super::{CODE_INDICES, Mark};
use crate::blob::{Blob, BlobHead, ModuleCode, parse_blob};
use crate::code_map::is_fragments;
use crate::descriptor::{BLOB_HEAD_BYTES, BlobPlace, Descriptor, DescriptorEntry, DescriptorMark};
use crate::machine_code::MachineCode;
use crate::ranges::{ImagesSeen, ModuleRanges};
use vm_layout::TableError;

/// Modules that come or go spoil the reading of the list; it is read again.
const WHILE_CODE_CHANGES: Retry = Retry::attempts(16);
/// Longest machine code of one module that is kept.
const MAX_KEPT_BYTES: u32 = 1 << 20;
/// Newest entries that are always read again in full: they may be new blobs at old addresses.
const ALWAYS_READ: usize = 16;

/// A description that was read, the bytes it began with, and a hash of all of them.
#[derive(Debug)]
struct Parsed {
    /// Where it was in the list, from the front.
    rank: usize,
    head: [u8; BLOB_HEAD_BYTES],
    hash: u64,
    /// None for what the emulator says of itself, and for what is no description.
    module: Option<Arc<ModuleCode>>,
}

/// Where the VM says which code is loaded.
#[derive(Debug)]
pub(super) enum CodeSource {
    /// In the list that the JIT keeps for debuggers.
    Descriptor(Descriptor),
    /// In an interpreter's index of module images.
    Images(ModuleRanges),
}

/// Reads the VM's list of code.
#[derive(Debug)]
pub struct CodeReader {
    source: CodeSource,
    pub(super) code_index_at: Option<u64>,
    pub(super) mark: Mark,
    parsed: HashMap<BlobPlace, Parsed>,
    facts: ListFacts,
    /// The first read takes all there is; the code of what comes later is kept.
    has_read: bool,
}

/// What the list says beside its modules.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ListFacts {
    pub normal_exit: u64,
    pub frame_pointers: bool,
    pub unreadable: u32,
}

/// What the list was when it was read, to tell whether it still is.
#[derive(Debug)]
pub(super) enum ListSeen {
    Descriptor {
        descriptor: Descriptor,
        mark: DescriptorMark,
        /// Where each module that was listed is described.
        places: Vec<BlobPlace>,
    },
    Images(ImagesSeen),
}

impl ListSeen {
    pub fn still_holds(&self, memory: &impl TargetMemory) -> bool {
        match self {
            Self::Descriptor {
                descriptor, mark, ..
            } => descriptor.begins_as(memory, mark),
            Self::Images(images) => images.still_hold(memory),
        }
    }

    /// Whether code at these addresses is still that of the module it was: of one of `listed`,
    /// which were read then. Others may have come and gone meanwhile. `no_load`: nothing was loaded
    /// since, as far as the code index tells.
    pub fn still_lists(
        &self,
        memory: &impl TargetMemory,
        listed: &[Arc<ModuleCode>],
        (module, addresses): (&Arc<ModuleCode>, &std::ops::Range<u64>),
        no_load: bool,
    ) -> bool {
        match self {
            Self::Images(images) => images.still_holds(memory, module),
            Self::Descriptor {
                descriptor, places, ..
            } => {
                let index = listed.iter().position(|listed| Arc::ptr_eq(listed, module));
                let place = index.and_then(|index| Some((index, places.get(index)?)));
                let Some((index, place)) = place else {
                    return false;
                };
                let newer = listed.get(..index).unwrap_or_default();
                // One that another took the place of may be purged at any time, and OTP 25 goes on
                // listing it.
                is_newest(module, newer.iter().map(|newer| &*newer.name))
                    && descriptor
                        .still_lists(memory, place, module)
                        .unwrap_or(false)
                    && is_untouched(
                        memory,
                        (descriptor, places),
                        (module, place, addresses),
                        no_load,
                    )
            }
        }
    }
}

/// No module of the same name is newer. The fragments share theirs with a module.
fn is_newest<'a>(module: &ModuleCode, mut newer: impl Iterator<Item = &'a str>) -> bool {
    is_fragments(module) || !newer.any(|newer| newer == &*module.name)
}

/// Whether nothing that came into the list since is in the place of a module. One that is listed
/// where it was because it came back stands in front of all others.
fn is_untouched(
    memory: &impl TargetMemory,
    (descriptor, known): (&Descriptor, &[BlobPlace]),
    (module, place, addresses): (&ModuleCode, &BlobPlace, &std::ops::Range<u64>),
    no_load: bool,
) -> bool {
    let known: HashSet<&BlobPlace> = known.iter().collect();
    let Ok(Some(front)) = descriptor.in_front(memory, |place| known.contains(place)) else {
        return false;
    };
    let overlaps = |head: &BlobHead| {
        let end = head.base.saturating_add(u64::from(head.code_bytes));
        head.base < addresses.end && addresses.start < end
    };
    is_newest(module, front.heads.iter().map(|head| &*head.name))
        && !front.heads.iter().any(overlaps)
        && (no_load || front.first_known != *place)
}

/// One look at the list of code, for [`super::CodeGenerations::absorb`].
#[derive(Debug)]
pub struct Look(pub(super) Seen);

#[derive(Debug)]
pub(super) enum Seen {
    /// What the look before saw.
    Same { at_ns: u64, code_index: Option<u32> },
    /// Something else.
    Changed(Box<ListRead>),
    /// Nothing, but perhaps the code index.
    Failed {
        at_ns: u64,
        code_index: Option<u32>,
        error: TableError,
    },
    /// The target is no more.
    Gone(TableError),
}

/// A list that was read.
#[derive(Debug)]
pub(super) struct ListRead {
    /// All it names, newest first, what is older than any generation that lives among it.
    pub listed: Vec<Arc<ModuleCode>>,
    pub code_index: Option<u32>,
    /// It said this all the time from then.
    pub from_ns: u64,
    /// Until then.
    pub until_ns: u64,
    pub seen: ListSeen,
    pub facts: ListFacts,
}

impl Look {
    /// The list was another than at the look before.
    pub fn is_change(&self) -> bool {
        matches!(self.0, Seen::Changed(_))
    }

    /// From when on it says what was there. All that was sampled before is covered by it.
    pub fn time_ns(&self) -> u64 {
        match &self.0 {
            Seen::Same { at_ns, .. } | Seen::Failed { at_ns, .. } => *at_ns,
            Seen::Changed(read) => read.from_ns,
            Seen::Gone(_) => u64::MAX,
        }
    }

    /// The list was read, whether or not it was another.
    pub fn is_success(&self) -> bool {
        matches!(self.0, Seen::Changed(_) | Seen::Same { .. })
    }
}

impl CodeReader {
    /// A reader of the JIT's list.
    pub(super) fn of_descriptor(descriptor: Descriptor) -> Self {
        Self::new(CodeSource::Descriptor(descriptor), ListFacts::default())
    }

    /// A reader of an interpreter's index, whose stacks end in `normal_exit`.
    pub(super) fn of_images(images: ModuleRanges, normal_exit: u64) -> Self {
        let facts = ListFacts {
            normal_exit,
            ..ListFacts::default()
        };
        Self::new(CodeSource::Images(images), facts)
    }

    fn new(source: CodeSource, facts: ListFacts) -> Self {
        Self {
            source,
            code_index_at: None,
            mark: Mark::default(),
            parsed: HashMap::new(),
            facts,
            has_read: false,
        }
    }

    /// Looks at the list; when it is another than before, reads it. `now_ns` is the clock of the
    /// samples.
    pub fn look(&mut self, memory: &impl TargetMemory, now_ns: &impl Fn() -> u64) -> Look {
        let at_ns = now_ns();
        let looked = match self.has_changed(memory) {
            Ok(false) => {
                return Look(Seen::Same {
                    at_ns,
                    code_index: self.mark.code_index,
                });
            }
            Ok(true) => self.reload(memory, now_ns),
            Err(error) => Err(error),
        };
        Look(match looked {
            Ok(read) => Seen::Changed(Box::new(read)),
            Err(TableError::Read(error)) if error.target_gone() => Seen::Gone(error.into()),
            Err(error) => Seen::Failed {
                code_index: self.code_index(memory),
                at_ns: now_ns(),
                error,
            },
        })
    }

    pub(super) fn code_index(&self, memory: &impl TargetMemory) -> Option<u32> {
        code_index(memory, self.code_index_at)
    }

    /// A list that begins with the same entry is the same as long as the code index has not gone
    /// on: what was put in the place of an entry that was never used has not run either.
    fn has_changed(&self, memory: &impl TargetMemory) -> Result<bool, TableError> {
        let descriptor = match &self.source {
            CodeSource::Descriptor(descriptor) => descriptor,
            CodeSource::Images(images) => {
                let index = self.code_index(memory);
                return Ok(index != self.mark.code_index || images.changed(memory)?);
            }
        };
        match (self.code_index_at, self.mark.code_index, &self.mark.list) {
            (Some(at), Some(index), Some(list)) => {
                match descriptor.begins_with(memory, list, (at, index)) {
                    Ok(is_same) => Ok(!is_same),
                    Err(TableError::Read(error)) if error.target_gone() => Err(error.into()),
                    // The entry it began with may be gone.
                    Err(_) => Ok(self.read_mark(memory)? != self.mark),
                }
            }
            _ => Ok(self.read_mark(memory)? != self.mark),
        }
    }

    fn read_mark(&self, memory: &impl TargetMemory) -> Result<Mark, TableError> {
        let list = match &self.source {
            CodeSource::Descriptor(descriptor) => Some(descriptor.mark(memory)?),
            CodeSource::Images(_) => None,
        };
        Ok(Mark {
            list,
            code_index: self.code_index(memory),
        })
    }

    pub(super) fn reload(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<ListRead, TableError> {
        let read = || {
            self.try_reload(memory, now_ns)?
                .ok_or(TableError::Unstable {
                    table: "the list of loaded code",
                })
        };
        let judge = |error: &TableError| AfterFailure::again_if(!error.target_gone());
        let read = WHILE_CODE_CHANGES.run(read, judge);
        let read = read.map_err(GaveUp::into_error)?;
        self.has_read = true;
        Ok(read)
    }

    /// `None` when the list changed meanwhile.
    fn try_reload(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<Option<ListRead>, TableError> {
        let mark = self.read_mark(memory)?;
        let descriptor = match &mut self.source {
            CodeSource::Descriptor(descriptor) => *descriptor,
            CodeSource::Images(images) => {
                let Some(read) = images.reload(memory, now_ns)? else {
                    return Ok(None);
                };
                self.facts.unreadable = images.unreadable;
                let seen = ListSeen::Images(images.seen());
                let held_ns = (read.from_ns, read.until_ns);
                return Ok(Some(self.list_read(mark, held_ns, seen, read.modules)));
            }
        };
        let from_ns = now_ns();
        let known: Vec<u64> = self.parsed.keys().map(|place| place.entry).collect();
        let entries = descriptor.entries(memory, &known)?;
        let unreadable = self.read_blobs(memory, descriptor, &entries)?;
        let until_ns = now_ns();
        if self.read_mark(memory)? != mark {
            // An entry that is still in the list was there all the time, so what was read of it
            // holds: the next try has less to read, and so a chance against a VM that loads
            // modules all the time.
            return Ok(None);
        }
        self.facts.unreadable = self.facts.unreadable.saturating_add(unreadable);
        let parsed = |entry: &DescriptorEntry| {
            let place = entry.place();
            Some((place, Arc::clone(self.parsed.get(&place)?.module.as_ref()?)))
        };
        let (places, newest_first) = entries.iter().filter_map(parsed).unzip();
        let seen = ListSeen::Descriptor {
            descriptor,
            mark: mark.list.unwrap_or_default(),
            places,
        };
        Ok(Some(self.list_read(
            mark,
            (from_ns, until_ns),
            seen,
            newest_first,
        )))
    }

    fn list_read(
        &mut self,
        mark: Mark,
        (from_ns, until_ns): (u64, u64),
        seen: ListSeen,
        listed: Vec<Arc<ModuleCode>>,
    ) -> ListRead {
        let code_index = mark.code_index;
        self.mark = mark;
        ListRead {
            listed,
            code_index,
            from_ns,
            until_ns,
            seen,
            facts: self.facts,
        }
    }

    /// Reads what is not known of `entries` and forgets all others. Gives the number of those that
    /// could not be understood.
    fn read_blobs(
        &mut self,
        memory: &impl TargetMemory,
        descriptor: Descriptor,
        entries: &[DescriptorEntry],
    ) -> Result<u32, TableError> {
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
        let blobs = descriptor.blobs(memory, &unread)?;
        let mut unreadable = 0u32;
        for (entry, bytes) in unread.iter().zip(blobs.iter()) {
            let hash = hash_of(bytes);
            // What is unchanged keeps its identity.
            let place = entry.place();
            if self
                .parsed
                .get(&place)
                .is_some_and(|known| known.hash == hash)
            {
                continue;
            }
            let before = self.parsed.remove(&place);
            let module = match self.parse(memory, bytes)? {
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
                None => {
                    unreadable = unreadable.saturating_add(1);
                    None
                }
            };
            let parsed = Parsed {
                rank: 0,
                head: bytes.first_chunk().copied().unwrap_or_default(),
                hash,
                module,
            };
            self.parsed.insert(place, parsed);
        }
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
        Ok(unreadable)
    }

    /// Index of the first entry from which on all were in the list before, in this order. What
    /// comes is put in front, so an entry that is known and stands before one that is not was freed
    /// and used again.
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

    /// What a description says, `None` when it is none. Fails only when the target's budget has no
    /// room for it: code that is left out would let other code be taken for it.
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

    /// Reads the machine code of a module that was loaded while we looked on: it may well be gone
    /// by the time a sample in it is resolved. Without room for it, as without right to read it, it
    /// is not kept, and what it would tell is not known then.
    fn code_to_keep(&self, memory: &impl TargetMemory, module: &ModuleCode) -> MachineCode {
        // The other half is for what every module needs: where its functions are.
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
        let ranges: Vec<Range> = known
            .iter()
            .map(|(_, entry, _)| Range {
                address: entry.blob,
                len_bytes: BLOB_HEAD_BYTES,
            })
            .collect();
        let mut heads = vec![0; ranges.len() * BLOB_HEAD_BYTES];
        if memory.read_many(&ranges, &mut heads).is_err() {
            // Some went away just now; what is unsure is read again.
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

/// The number of the active copy of the VM's code tables, at `address`.
pub(super) fn code_index(memory: &impl TargetMemory, address: Option<u64>) -> Option<u32> {
    let index = memory.read_u32(address?).ok()?;
    (index < CODE_INDICES).then_some(index)
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
