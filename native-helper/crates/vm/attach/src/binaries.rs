//! The binaries of an attached VM: the processes that hold them, those that allocated them, and the
//! parts in use.

use shared_map::{HashMap, HashSet};
use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_memory::allocators::bytes_of_binaries;
use vm_memory::tagged_blocks::{AllocatedBlocks, Allocator, allocated_blocks};
use vm_processes::{Entry, HeldBinary, MAX_PAGE, MessageLimits, ProcessFacts};
use vm_tables::pids::PidFormat;

use crate::error::AttachError;
use crate::vm::AttachedVm;

mod kept;

pub use kept::{KeptBinary, LookedInto};

/// References of all processes that are remembered; processes beyond that are only counted.
const MAX_REMEMBERED: usize = 2_000_000;
/// Processes that are left out and named.
const MOST_NAMED_LEFT_OUT: usize = 20;
/// More than any process table has.
const MAX_PAGES: usize = 1 << 18;

/// The binaries outside of heaps.
#[derive(Debug)]
pub struct BinariesInUse {
    /// The processes that hold them, in the order of the table.
    pub holders: Vec<BinaryHolder>,
    /// Binaries of which the processes whose heaps were read use little.
    pub kept: LookedInto,
    /// The allocators of the binaries in use; `Err` states why they are not known.
    pub allocated: Result<AllocatedBlocks, String>,
    /// Bytes of all binaries of the VM, those that no process holds among them; `None` where it does not count them.
    pub all_bytes: Option<u64>,
    /// The allocators that are processes, by pid.
    pub allocators: HashMap<u64, AllocatedBy>,
    /// Processes that worked at every reading, or hold more than can be remembered.
    pub restless: u64,
    /// The first of these, as they were last.
    pub left_out: Vec<(Entry, Named)>,
    /// Messages in mailboxes that could not be read, at least: no sum contains the binaries that
    /// they hold.
    pub unread_messages: u64,
    /// Entries of the table that are no processes: ended, contradictory.
    pub rejected: (u64, u64),
}

/// A process that holds binaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryHolder {
    /// Its struct, as it was.
    pub entry: Entry,
    /// Its name.
    pub named: Named,
    /// The binaries that it and the messages in its mailbox hold.
    pub held: Vec<HeldBinary>,
}

/// The name of a process, else its label, else its initial call.
pub type Named = Option<String>;

/// A process that has allocated something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllocatedBy {
    /// It is there.
    Living(Named),
    /// It has ended.
    Ended,
    /// Unknown.
    Unknown,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// Its binaries outside of heaps. The heaps of up to `looked_into` processes that hold most are read.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn binaries_in_use(&mut self, looked_into: usize) -> Result<BinariesInUse, AttachError> {
        self.look_with_pauses(|vm| vm.read_binaries(looked_into))
    }

    fn read_binaries(&mut self, looked_into: usize) -> Result<BinariesInUse, TableError> {
        // A process that has allocated something and is not in the table afterwards has ended.
        let table = self.allocator_table();
        let all_bytes = table.as_ref().ok();
        let all_bytes = all_bytes.and_then(|it| bytes_of_binaries(&self.memory, it).ok().flatten());
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
            all_bytes,
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

    /// Marks those that were not in the table, and whose place there is empty or has another
    /// process.
    fn settle_ended(&self, allocators: &mut HashMap<u64, AllocatedBy>) -> Result<(), TableError> {
        let pids: PidFormat = self.pid_format()?;
        for (id, found) in allocators.iter_mut() {
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
