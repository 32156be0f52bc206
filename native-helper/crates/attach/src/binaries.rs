//! The binaries of an attached VM: who holds them, who has allocated them, and what of them is in use.

use std::collections::{HashMap, HashSet};

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_memory::tagged_blocks::{AllocatedBlocks, Allocator, allocated_blocks};
use vm_processes::{Entry, HeldBinary, MAX_PAGE, MessageLimits, ProcessFacts};
use vm_tables::pids::PidFormat;

use crate::error::AttachError;
use crate::vm::AttachedVm;

mod kept;

pub use kept::{KeptBinary, LookedInto};

/// References of all processes that are remembered; of processes beyond that it is only said how many there are.
const MAX_REMEMBERED: usize = 2_000_000;
/// Processes that are left out and named.
const MOST_NAMED_LEFT_OUT: usize = 20;
/// More than any process table has.
const MAX_PAGES: usize = 1 << 18;

/// What there is of binaries outside of heaps.
#[derive(Debug)]
pub struct BinariesInUse {
    /// Who holds them, in the order of the table.
    pub holders: Vec<BinaryHolder>,
    /// Binaries of which little is in use by the processes that were looked into.
    pub kept: LookedInto,
    /// Who has allocated what is in use; `Err` says why that is not known.
    pub allocated: Result<AllocatedBlocks, String>,
    /// Those of them that are processes, by pid.
    pub allocators: HashMap<u64, AllocatedBy>,
    /// Processes that worked whenever they were looked at, or hold more than can be said.
    pub restless: u64,
    /// The first of these, as they were last.
    pub left_out: Vec<(Entry, Named)>,
    /// Messages that wait and could not be read, at least: what they hold is in no sum.
    pub unread_messages: u64,
    /// Entries of the table that are no processes: ended, contradictory.
    pub rejected: (u64, u64),
}

/// A process that holds binaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryHolder {
    /// Its struct, as it was.
    pub entry: Entry,
    /// What it is called.
    pub named: Named,
    /// What it and the messages that wait for it hold.
    pub held: Vec<HeldBinary>,
}

/// What a process is called: its name, else its label, else what it was started with.
pub type Named = Option<String>;

/// A process that has allocated something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllocatedBy {
    /// It is there.
    Living(Named),
    /// It has ended.
    Ended,
    /// It could not be found out.
    Unknown,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// What it has of binaries outside of heaps. The heaps of up to `looked_into` processes that hold most are
    /// looked through.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn binaries_in_use(&mut self, looked_into: usize) -> Result<BinariesInUse, AttachError> {
        self.look_with_pauses(|vm| vm.read_binaries(looked_into))
    }

    fn read_binaries(&mut self, looked_into: usize) -> Result<BinariesInUse, TableError> {
        // Whoever has allocated something and is not in the table afterwards has ended.
        let table = self.allocator_table();
        let allocated = table.and_then(|it| allocated_blocks(&self.memory, &it, &mut self.atoms));
        let mut allocators: HashMap<u64, AllocatedBy> = HashMap::new();
        for sum in allocated.iter().flat_map(|all| &all.sums) {
            if let Some(Allocator::Process(id)) = sum.allocated.map(|it| it.by) {
                allocators.insert(id, AllocatedBy::Unknown);
            }
        }
        let mut all = BinariesInUse {
            holders: Vec::new(),
            kept: LookedInto::default(),
            allocated: allocated.map_err(|error| error.to_string()),
            allocators,
            restless: 0,
            left_out: Vec::new(),
            unread_messages: 0,
            rejected: (0, 0),
        };
        self.read_holders(&mut all)?;
        self.settle_ended(&mut all.allocators)?;
        all.kept = self.look_into(&all.holders, looked_into)?;
        Ok(all)
    }

    /// Goes through the process table.
    fn read_holders(&mut self, all: &mut BinariesInUse) -> Result<(), TableError> {
        let mut reader = self.process_reader()?;
        let (mut next, mut remembered) = (Some(0), 0_usize);
        let mut limits = MessageLimits::default();
        for _ in 0..MAX_PAGES {
            let Some(first) = next else { break };
            let page = reader.entry_page(first, MAX_PAGE)?;
            next = page.next.filter(|next| *next > first);
            all.rejected.0 += u64::from(page.rejected.freed);
            all.rejected.1 += u64::from(page.rejected.torn);
            let is_allocator = |entry: &&Entry| all.allocators.contains_key(&entry.id);
            let allocating: Vec<Entry> =
                page.entries.iter().filter(is_allocator).copied().collect();
            for facts in reader.facts_of(allocating) {
                let living = AllocatedBy::Living(called(&facts));
                all.allocators.insert(facts.entry.id, living);
            }
            let has_some =
                |entry: &Entry| entry.off_heap != 0 || entry.appended != 0 || awaits(entry) > 0;
            let holding: Vec<Entry> = page.entries.into_iter().filter(has_some).collect();
            let found = if remembered < MAX_REMEMBERED {
                reader.held_binaries(holding.clone(), &mut limits)
            } else {
                Vec::new()
            };
            let known: HashSet<u64> = found.iter().map(|(entry, _)| entry.id).collect();
            let left_out: Vec<Entry> = holding
                .into_iter()
                .filter(|it| !known.contains(&it.id))
                .collect();
            all.restless += left_out.len() as u64;
            let unread = found.iter().map(|(_, held)| held.unread_messages);
            let unread = unread.chain(left_out.iter().map(awaits));
            all.unread_messages = unread.fold(all.unread_messages, u64::saturating_add);
            let room = MOST_NAMED_LEFT_OUT.saturating_sub(all.left_out.len());
            let left_out = reader.facts_of(left_out.into_iter().take(room).collect());
            let left_out = left_out.into_iter();
            all.left_out
                .extend(left_out.map(|facts| (facts.entry, called(&facts))));
            let held = found
                .into_iter()
                .map(|(entry, held)| (entry, held.binaries));
            let held: Vec<(Entry, Vec<HeldBinary>)> =
                held.filter(|(_, held)| !held.is_empty()).collect();
            let entries = held.iter().map(|(entry, _)| *entry).collect();
            let mut names: HashMap<u64, Named> = HashMap::new();
            for facts in reader.facts_of(entries) {
                names.insert(facts.entry.id, called(&facts));
            }
            for (entry, held) in held {
                remembered = remembered.saturating_add(held.len());
                all.holders.push(BinaryHolder {
                    entry,
                    named: names.remove(&entry.id).flatten(),
                    held,
                });
            }
        }
        Ok(())
    }

    /// Those that were not in the table, and whose place there has nobody or another one.
    fn settle_ended(&self, allocators: &mut HashMap<u64, AllocatedBy>) -> Result<(), TableError> {
        let pids: PidFormat = self.pid_format()?;
        for (id, found) in allocators {
            if *found == AllocatedBy::Unknown {
                let occupant = self.process_table.occupant(&self.memory, pids.slot(*id))?;
                let is_there = occupant
                    .is_some_and(|address| self.memory.read_u64(address).is_ok_and(|it| it == *id));
                if !is_there {
                    *found = AllocatedBy::Ended;
                }
            }
        }
        Ok(())
    }
}

/// Messages that wait for a process, at least: buffers that cannot be read may have one.
fn awaits(entry: &Entry) -> u64 {
    entry
        .mailbox
        .saturating_add(u64::from(!entry.is_mailbox_whole))
}

fn called(facts: &ProcessFacts) -> Named {
    let ways = [&facts.name, &facts.label, &facts.initial_call];
    ways.into_iter().flatten().next().cloned()
}
