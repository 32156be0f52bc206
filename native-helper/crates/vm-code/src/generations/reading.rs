//! Reads the list of code again and again, and keeps the states it was in.

use std::sync::Arc;

use retry::{AfterFailure, GaveUp, Retry};
use target_memory::{Range, ReadError, TargetMemory};

use super::{CODE_INDICES, CodeGenerations, LostSight, Mark, Parsed, State, View};
use crate::blob::{Blob, MachineCode, ModuleCode, parse_blob};
use crate::code_map::CodeMap;
use crate::descriptor::{BLOB_HEAD_BYTES, DescriptorEntry, DescriptorMark};
use vm_layout::TableError;

/// Modules that come or go spoil the reading of the list; it is read again.
const WHILE_CODE_CHANGES: Retry = Retry::attempts(4);
/// How long past states are kept for samples that arrive late.
const KEPT_NS: u64 = 10_000_000_000;
/// And how many at most.
const MAX_STATES: usize = 1024;
/// Longest machine code of one module that is kept.
const MAX_KEPT_BYTES: u32 = 1 << 20;
/// Newest entries that are always read again in full: they may be new blobs at old addresses.
const ALWAYS_READ: usize = 16;

impl CodeGenerations {
    /// Looks whether code was loaded since the last call; when it was, reads it and returns true.
    /// `now_ns` is the clock of the samples. Samples can be resolved that were taken before the
    /// call; the shorter the time between two, the fewer of them are ambiguous. After a call that
    /// failed all are that were taken since the last look that did not, unless the code index has
    /// not gone on, or the target is gone: what it ran last is what was there last.
    pub fn refresh(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<bool, TableError> {
        let looked = self.look_again(memory, now_ns);
        let is_lost = match &looked {
            Err(TableError::Read(error)) => !error.target_gone(),
            Err(_) => true,
            Ok(_) => false,
        };
        self.lost_sight = is_lost.then(|| LostSight {
            code_index: self.code_index(memory),
            at_ns: now_ns(),
        });
        looked
    }

    fn look_again(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<bool, TableError> {
        let before_ns = now_ns();
        if !self.has_changed(memory)? {
            if let Some(state) = self.states.back_mut() {
                state.until_ns = before_ns;
            }
            return Ok(false);
        }
        self.reload(memory, now_ns)?;
        Ok(true)
    }

    pub(super) fn code_index(&self, memory: &impl TargetMemory) -> Option<u32> {
        let index = memory.read_u32(self.code_index_at?).ok()?;
        (index < CODE_INDICES).then_some(index)
    }

    fn has_changed(&self, memory: &impl TargetMemory) -> Result<bool, TableError> {
        Ok(self.read_mark(memory)? != self.mark
            || match &self.images {
                Some(images) => images.changed(memory)?,
                None => false,
            })
    }

    fn read_mark(&self, memory: &impl TargetMemory) -> Result<Mark, TableError> {
        let list = match self.images {
            Some(_) => DescriptorMark::default(),
            None => self.descriptor.mark(memory)?,
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
    ) -> Result<(), TableError> {
        let read = || match self.try_reload(memory, now_ns)? {
            true => Ok(()),
            false => Err(TableError::Unstable {
                table: "the list of loaded code",
            }),
        };
        let judge = |error: &TableError| AfterFailure::again_if(!error.target_gone());
        WHILE_CODE_CHANGES
            .run(read, judge)
            .map_err(GaveUp::into_error)
    }

    /// False when the list changed meanwhile.
    fn try_reload(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<bool, TableError> {
        let mark = self.read_mark(memory)?;
        if let Some(images) = &mut self.images {
            let Some(read) = images.reload(memory, now_ns)? else {
                return Ok(false);
            };
            self.unreadable = images.unreadable;
            self.mark = mark;
            self.add_state(State {
                map: CodeMap::new(&read.modules),
                code_index: mark.code_index,
                from_ns: read.from_ns,
                until_ns: read.until_ns,
            });
            return Ok(true);
        }
        let from_ns = now_ns();
        let known: Vec<DescriptorEntry> = self.parsed.keys().copied().collect();
        let entries = self.descriptor.entries(memory, &known)?;
        let replaced = self.replaced(memory, &entries);
        let unread: Vec<DescriptorEntry> = entries
            .iter()
            .enumerate()
            .filter(|(index, entry)| {
                *index < ALWAYS_READ || !self.parsed.contains_key(entry) || replaced.contains(index)
            })
            .map(|(_, entry)| *entry)
            .collect();
        let blobs = self.descriptor.blobs(memory, &unread)?;
        let blobs = blobs
            .iter()
            .map(|bytes| Ok((bytes, self.parse(memory, bytes)?)))
            .collect::<Result<Vec<_>, ReadError>>()?;
        let until_ns = now_ns();
        if self.read_mark(memory)? != mark {
            return Ok(false);
        }
        let mut parsed = std::mem::take(&mut self.parsed);
        for (entry, (bytes, blob)) in unread.iter().zip(blobs) {
            match blob {
                Some(Blob::Emulator {
                    frame_pointers,
                    normal_exit,
                }) => {
                    self.frame_pointers = frame_pointers;
                    self.normal_exit = normal_exit;
                }
                Some(Blob::Module(module)) => {
                    // What is unchanged keeps its identity.
                    match parsed.get(entry) {
                        Some(known) if *known.module == module => {}
                        _ => {
                            let head = bytes.first_chunk().copied().unwrap_or_default();
                            let module = Arc::new(module);
                            parsed.insert(*entry, Parsed { head, module });
                        }
                    }
                }
                None => self.unreadable = self.unreadable.saturating_add(1),
            }
        }
        let newest_first: Vec<Arc<ModuleCode>> = entries
            .iter()
            .filter_map(|entry| Some(Arc::clone(&parsed.get(entry)?.module)))
            .collect();
        self.parsed = entries
            .iter()
            .filter_map(|entry| Some((*entry, parsed.remove(entry)?)))
            .collect();
        self.mark = mark;
        self.add_state(State {
            map: CodeMap::new(&newest_first),
            code_index: mark.code_index,
            from_ns,
            until_ns,
        });
        Ok(true)
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
        if self.states.is_empty() || module.code_bytes > MAX_KEPT_BYTES || !has_room {
            return MachineCode::default();
        }
        let length = module.code_bytes as usize;
        let code = memory.read_held("machine code", module.base, length);
        MachineCode(code.ok().map(Arc::new))
    }

    /// Entries that are where they were and yet begin with other bytes: one that was freed gives
    /// its place to the next of the same size.
    fn replaced(&self, memory: &impl TargetMemory, entries: &[DescriptorEntry]) -> Vec<usize> {
        let known: Vec<(usize, &DescriptorEntry, &Parsed)> = entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index, entry, self.parsed.get(entry)?)))
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

    fn add_state(&mut self, state: State) {
        let oldest_ns = state.from_ns.saturating_sub(KEPT_NS);
        self.states.push_back(state);
        while self.states.len() > MAX_STATES
            || (self.states.len() > 2
                && self.states.front().is_some_and(|s| s.until_ns < oldest_ns))
        {
            self.states.pop_front();
        }
        (self.view, self.runs_as_before) = (View::In(self.states.len() - 1), false);
    }
}
