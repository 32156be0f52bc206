//! Reads the list of code repeatedly. A reading takes one system call while nothing happens, so
//! that a thread of its own can read often.

use std::sync::Arc;

use retry::{AfterFailure, GaveUp, Retry};
use shared_map::HashSet;
use target_memory::TargetMemory;

use super::descriptions::{Descriptions, ListFacts};
use super::{CODE_INDICES, Mark};
use crate::blob::{BlobHead, ModuleCode};
use crate::code_map::is_fragments;
use crate::descriptor::{BlobPlace, Descriptor, DescriptorMark};
use crate::ranges::{ImagesSeen, ModuleRanges};
use vm_layout::TableError;

/// Modules that come or go spoil the reading of the list; it is read again.
const WHILE_CODE_CHANGES: Retry = Retry::attempts(16);

/// Where the VM keeps its list of loaded code.
#[derive(Debug)]
pub(super) enum CodeSource {
    /// In the list that the JIT keeps for debuggers.
    Descriptor(Descriptor),
    /// In an interpreter's index of module images.
    Images(Box<ModuleRanges>),
}

/// Reads the VM's list of code.
#[derive(Debug)]
pub struct CodeReader {
    source: CodeSource,
    pub(super) code_index_at: Option<u64>,
    pub(super) mark: Mark,
    descriptions: Descriptions,
}

/// The state of the list when it was read, to check whether it has changed.
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

    /// Whether code at these addresses still belongs to the same module: one of `listed`, which
    /// were read then. Others may have come and gone since. `no_load`: nothing was loaded since,
    /// according to the code index.
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
                // A generation that was replaced may be purged at any time, and OTP 25 continues to
                // list it.
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

/// One reading of the list of code, for [`super::CodeGenerations::absorb`].
#[derive(Debug)]
pub struct Look(pub(super) Seen);

#[derive(Debug)]
pub(super) enum Seen {
    /// The same list as in the reading before.
    Same { at_ns: u64, code_index: Option<u32> },
    /// Another list.
    Changed(Box<ListRead>),
    /// Nothing, except perhaps the code index.
    Failed {
        at_ns: u64,
        code_index: Option<u32>,
        error: TableError,
    },
    /// The target has ended.
    Gone(TableError),
}

/// A list that was read.
#[derive(Debug)]
pub(super) struct ListRead {
    /// All modules in it, newest first, including generations that are older than the live ones.
    pub listed: Vec<Arc<ModuleCode>>,
    pub code_index: Option<u32>,
    /// The list was in this state from then on.
    pub from_ns: u64,
    /// Until then.
    pub until_ns: u64,
    pub seen: ListSeen,
    pub facts: ListFacts,
}

impl Look {
    /// The list differs from that of the reading before.
    pub fn is_change(&self) -> bool {
        matches!(self.0, Seen::Changed(_))
    }

    /// The time from which on it shows the code that was there. It covers all samples before.
    pub fn time_ns(&self) -> u64 {
        match &self.0 {
            Seen::Same { at_ns, .. } | Seen::Failed { at_ns, .. } => *at_ns,
            Seen::Changed(read) => read.from_ns,
            Seen::Gone(_) => u64::MAX,
        }
    }

    /// The list was read, whether or not it differs.
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
        Self::new(CodeSource::Images(Box::new(images)), facts)
    }

    fn new(source: CodeSource, facts: ListFacts) -> Self {
        Self {
            source,
            code_index_at: None,
            mark: Mark::default(),
            descriptions: Descriptions::new(facts),
        }
    }

    /// Checks the list; when it has changed, reads it. `now_ns` is the clock of the samples.
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

    /// A list that begins with the same entry is the same as long as the code index has not
    /// advanced: code that took the place of an entry that was never used has not run either.
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
        self.descriptions.has_read = true;
        Ok(read)
    }

    /// `None` when the list changed during the reading.
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
                self.descriptions.facts.unreadable = images.unreadable;
                let seen = ListSeen::Images(images.seen());
                let held_ns = (read.from_ns, read.until_ns);
                return Ok(Some(self.list_read(mark, held_ns, seen, read.modules)));
            }
        };
        let from_ns = now_ns();
        self.descriptions.read(memory, descriptor)?;
        let until_ns = now_ns();
        if self.read_mark(memory)? != mark {
            // An entry that is still in the list was there all the time, so its data hold: the next
            // try has less to read, and so a chance against a VM that loads modules all the time.
            return Ok(None);
        }
        self.descriptions.settle();
        let (places, newest_first) = self.descriptions.modules().unzip();
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
            facts: self.descriptions.facts,
        }
    }
}

/// The number of the active copy of the VM's code tables, at `address`.
pub(super) fn code_index(memory: &impl TargetMemory, address: Option<u64>) -> Option<u32> {
    let index = memory.read_u32(address?).ok()?;
    (index < CODE_INDICES).then_some(index)
}
