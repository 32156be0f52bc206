//! The heap of one process of an attached VM.

use std::time::Duration;

use process_heap::{CopyError, HeapCopy, KindCount, Reached, Roots, kinds, reach};
use target_memory::{Range, ReadErrorKind, TargetMemory, read_each, u64_at};
use vm_layout::TableError;
use vm_processes::{Entry, ProcessReader, current_calls};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Processes whose pids are read at once.
const PIDS_AT_ONCE: usize = 4096;
/// Looks at a process that is at work each time, and the pause between two.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// What there is of a process's heap.
#[derive(Debug)]
pub enum HeapLook {
    /// The VM has no such process.
    NoProcess,
    /// It never rested while its heap was copied.
    NeverRests,
    /// It cannot be copied.
    NoCopy(CopyError),
    /// Things on it are not made as it is known here.
    Unknown,
    /// This is on it.
    Heap(Box<ProcessHeap>),
}

/// A heap, looked through.
#[derive(Debug)]
pub struct ProcessHeap {
    /// The process.
    pub entry: Entry,
    /// The function it says it is in; holds where its program counter is in the emulator's own code.
    pub current_call: Option<String>,
    /// What keeps things alive.
    pub roots: Roots,
    /// And how much.
    pub reached: Reached,
    /// What it is made of, garbage among it.
    pub kinds: Vec<KindCount>,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// Looks through the heap of a process, by its pid as the node prints it.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn heap(&mut self, pid: &str) -> Result<HeapLook, AttachError> {
        self.look(|vm| vm.read_heap(pid))
    }

    fn read_heap(&mut self, pid: &str) -> Result<HeapLook, TableError> {
        let Some(place) = self.place_of(pid)? else {
            return Ok(HeapLook::NoProcess);
        };
        let mut reader = self.process_reader()?;
        for _ in 0..LOOKS {
            let Some(before) = reader.entry(place) else {
                return Ok(HeapLook::NoProcess);
            };
            if let Some(look) = look_once(&mut reader, &before, place)? {
                return Ok(look);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(HeapLook::NeverRests)
    }

    /// The place of a process in the table. Where a pid does not say its place, all are asked.
    fn place_of(&self, pid: &str) -> Result<Option<(u64, u64)>, TableError> {
        let pids = self.pid_format()?;
        let mut next = Some(0);
        while let Some(first) = next {
            let occupied = self
                .process_table
                .occupied_from(&self.memory, first, PIDS_AT_ONCE)?;
            let ranges: Vec<Range> = occupied
                .places
                .iter()
                .map(|(_, address)| Range {
                    address: *address,
                    len_bytes: 8,
                })
                .collect();
            let ids = read_each(&self.memory, &ranges, PIDS_AT_ONCE * 8);
            let is_it = |id: &Option<Vec<u8>>| {
                let id = id.as_deref().and_then(|id| u64_at(id, 0));
                id.is_some_and(|id| pids.text(id) == pid)
            };
            if let Some(index) = ids.iter().position(is_it) {
                return Ok(occupied.places.get(index).copied());
            }
            next = occupied.next.filter(|next| *next > first);
        }
        Ok(None)
    }
}

/// One look; `None` when the process was at work.
fn look_once<M: TargetMemory>(
    reader: &mut ProcessReader<'_, M>,
    before: &Entry,
    place: (u64, u64),
) -> Result<Option<HeapLook>, TableError> {
    if !before.rested_since(before) || before.abandoned_heap != 0 {
        return Ok(None);
    }
    let memory = reader.memory;
    let copied = HeapCopy::take(memory, before)
        .and_then(|copy| Roots::of(memory, before, &copy).map(|roots| (copy, roots)));
    let rested = |after: Entry| after.rested_since(before);
    let current_call = current_calls(memory, reader.atoms, &[*before])
        .pop()
        .flatten();
    let (copy, roots) = match copied {
        Ok(copied) => copied,
        Err(CopyError::Read(error)) if error.kind == ReadErrorKind::Gone => {
            return Err(error.into());
        }
        // What is wrong with a heap that was moved meanwhile says nothing.
        Err(error) => {
            let is_its_own = reader.entry(place).is_some_and(rested);
            return Ok(is_its_own.then_some(HeapLook::NoCopy(error)));
        }
    };
    if !reader.entry(place).is_some_and(rested) {
        return Ok(None);
    }
    let details = reader.details;
    let reached = reach(&copy, &details.heap, &roots.roots);
    let kinds = kinds(&copy, &details.heap, details.binary);
    Ok(Some(match reached.zip(kinds) {
        Some((reached, kinds)) => HeapLook::Heap(Box::new(ProcessHeap {
            entry: *before,
            current_call,
            roots,
            reached,
            kinds,
        })),
        None => HeapLook::Unknown,
    }))
}
