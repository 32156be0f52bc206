//! The ETS tables of a VM.
//!
//! Every normal scheduler has a circle of those that were made on it, and counts them; no symbol of ETS is
//! needed. Tables come and go while it is read: a step is believed when the next table points back, and what
//! contradicts itself is read again from the beginning.

use shared_map::HashSet;
use target_memory::{TargetMemory, address_at, bytes_to_words, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::emulator_image::is_pointer;
use vm_layout::ets::{
    LISTS, STATUS_DELETED, STATUS_PRIVATE, STATUS_PROTECTED, STATUS_PUBLIC, TABLE, TYPE_BAG,
    TYPE_DUPLICATE_BAG, TYPE_NAMED, TYPE_ORDERED_SET, TYPE_SET, TYPE_SHARED_ORDERED_SET,
};
use vm_tables::atoms::AtomTable;
use vm_tables::processes::is_local_pid;
use vm_tables::schedulers::{Scheduler, SchedulerKind};

use crate::counters;

mod names;

pub use names::bytes_of_names;

const WHAT: &str = "ETS tables";
/// How often a circle that changes is walked anew.
const TRIES: usize = 20;
/// Tables of one scheduler; more are not walked.
const MAX_TABLES: u64 = 1 << 18;
/// How many may have come since they were counted.
const COMING: u64 = 1000;
/// Steps from table to table in all, so that nothing is walked for ever.
const MAX_STEPS: u64 = 1 << 20;

/// What a table keeps of each key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableType {
    /// One object.
    Set,
    /// Different objects.
    Bag,
    /// Any objects.
    DuplicateBag,
    /// One object, in order.
    OrderedSet,
}

/// The rights of processes other than its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    Private,
    /// Read.
    Protected,
    /// Read and write.
    Public,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EtsTable {
    /// Where it is.
    pub address: u64,
    /// Its name, an atom.
    pub name: u64,
    /// It can be found by its name.
    pub is_named: bool,
    /// Whose it is, a pid.
    pub owner: u64,
    /// The objects that it keeps for each key.
    pub kind: TableType,
    /// The rights of other processes.
    pub protection: Protection,
    /// Objects in it.
    pub items: u64,
    /// The memory that it takes.
    pub bytes: u64,
}

/// All tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EtsTables {
    /// Each once.
    pub tables: Vec<EtsTable>,
    /// How many more the schedulers count that could not be read: they changed whenever they were.
    pub rejected: u64,
}

/// Where the schedulers of a VM have their tables. That never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EtsLists {
    /// Where the number of tables is, for each scheduler; the first of them is in the word after it.
    counts: Vec<u64>,
}

impl EtsTable {
    /// The table at `address`; `None` when there is none by now.
    pub fn at(memory: &impl TargetMemory, address: u64) -> Option<Self> {
        let head = Head::read(memory, address)?;
        let is_there = head.status & STATUS_DELETED == 0;
        is_there.then(|| head.table(memory, address)).flatten()
    }
}

impl EtsLists {
    /// Finds them from the schedulers: at a known place, else at the only place that leads to tables.
    ///
    /// # Errors
    /// No place leads to tables, or more than one.
    pub fn find(
        memory: &impl TargetMemory,
        schedulers: &[Scheduler],
        stride: usize,
    ) -> Result<Self, TableError> {
        let known = LISTS.iter().map(|(_, offset)| *offset);
        match Self::fitting(memory, schedulers, known).as_slice() {
            [only] => Ok(only.clone()),
            _ => Self::derive(memory, schedulers, stride),
        }
    }

    /// The same without any known place.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn derive(
        memory: &impl TargetMemory,
        schedulers: &[Scheduler],
        stride: usize,
    ) -> Result<Self, TableError> {
        const MAX_STRIDE: usize = 1 << 18;
        let mut places: HashSet<usize> = HashSet::new();
        for scheduler in normal(schedulers) {
            let bytes = memory.read_vec(scheduler.data, stride, MAX_STRIDE)?;
            let words = bytes_to_words(&bytes).enumerate();
            let leading = words.filter(|(_, word)| Head::read(memory, *word).is_some());
            places.extend(
                leading
                    .map(|(index, _)| index * 8)
                    .filter(|place| *place > 0),
            );
        }
        match Self::fitting(memory, schedulers, places.into_iter()).as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(TableError::NotFound {
                table: WHAT,
                wanted: "circle of tables in its schedulers",
            }),
            several => Err(TableError::Ambiguous {
                table: WHAT,
                candidates: several.len(),
            }),
        }
    }

    fn fitting(
        memory: &impl TargetMemory,
        schedulers: &[Scheduler],
        places: impl Iterator<Item = usize>,
    ) -> Vec<Self> {
        let at = |place: usize| {
            let counts: Option<Vec<u64>> = normal(schedulers)
                .map(|scheduler| scheduler.data.checked_add(place as u64 - 8))
                .collect();
            let lists = Self { counts: counts? };
            lists.is_possible(memory).then_some(lists)
        };
        places.filter_map(at).collect()
    }

    /// Where each normal scheduler has the number of its tables.
    pub fn places(&self) -> &[u64] {
        &self.counts
    }

    /// Each scheduler counts none and leads nowhere, or leads to a table; and there is one.
    fn is_possible(&self, memory: &impl TargetMemory) -> bool {
        let mut is_any = false;
        let is_each = self.counts.iter().all(|place| {
            let both = head(memory, *place);
            both.is_ok_and(|(count, first)| match (count, first) {
                (0, 0) => true,
                (1..=MAX_TABLES, first) if Head::read(memory, first).is_some() => {
                    is_any = true;
                    true
                }
                _ => false,
            })
        });
        is_each && is_any
    }

    /// The tables that there are now.
    ///
    /// # Errors
    /// Memory of a scheduler cannot be read.
    pub fn tables(
        &self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
    ) -> Result<EtsTables, TableError> {
        let mut all = EtsTables::default();
        let mut steps_left = MAX_STEPS;
        for place in &self.counts {
            let mut best = Circle::default();
            for attempt in 0..TRIES {
                let circle = Circle::walk(memory, atoms, *place, &mut steps_left)?;
                if attempt == 0 || circle.tables.len() > best.tables.len() || circle.is_whole {
                    best = circle;
                }
                if best.is_whole {
                    break;
                }
            }
            all.rejected = all.rejected.saturating_add(best.missing);
            all.tables.append(&mut best.tables);
        }
        Ok(all)
    }
}

fn normal(schedulers: &[Scheduler]) -> impl Iterator<Item = &Scheduler> {
    let is_normal = |scheduler: &&Scheduler| scheduler.kind == SchedulerKind::Normal;
    schedulers.iter().filter(is_normal)
}

/// How many tables, and where the first is.
fn head(memory: &impl TargetMemory, place: u64) -> Result<(u64, u64), TableError> {
    let first = memory.read_u64(address_at(place, 8)?)?;
    Ok((memory.read_u64(place)?, first))
}

/// The words read of a table.
struct Head {
    next: u64,
    previous: u64,
    kind: u32,
    status: u32,
    owner: u64,
    name: u64,
    is_decentralised: u8,
    items: u64,
    bytes: u64,
}

impl Head {
    /// The table at `address`, if there can be one.
    fn read(memory: &impl TargetMemory, address: u64) -> Option<Self> {
        if !is_pointer(address, 8) {
            return None;
        }
        let mut bytes = [0; TABLE.read_bytes];
        memory.read(address, &mut bytes).ok()?;
        let word = |offset| u64_at(&bytes, offset);
        let half = |offset| u32_at(&bytes, offset);
        let head = Self {
            next: word(TABLE.next)?,
            previous: word(TABLE.previous)?,
            kind: half(TABLE.kind)?,
            status: half(TABLE.status)?,
            owner: word(TABLE.owner)?,
            name: word(TABLE.name)?,
            is_decentralised: *bytes.get(TABLE.is_decentralised)?,
            items: word(TABLE.items)?,
            bytes: word(TABLE.bytes)?,
        };
        let is_one = is_pointer(head.next, 8)
            && is_pointer(head.previous, 8)
            && is_local_pid(head.owner)
            && AtomTable::index_of_term(head.name).is_some()
            && head.is_decentralised <= 1
            && head.table_type().is_some();
        is_one.then_some(head)
    }

    fn table_type(&self) -> Option<TableType> {
        const TYPES: u32 =
            TYPE_SET | TYPE_BAG | TYPE_DUPLICATE_BAG | TYPE_ORDERED_SET | TYPE_SHARED_ORDERED_SET;
        match self.kind & TYPES {
            TYPE_SET => Some(TableType::Set),
            TYPE_BAG => Some(TableType::Bag),
            TYPE_DUPLICATE_BAG => Some(TableType::DuplicateBag),
            TYPE_ORDERED_SET | TYPE_SHARED_ORDERED_SET => Some(TableType::OrderedSet),
            _ => None,
        }
    }

    fn protection(&self) -> Option<Protection> {
        match self.status & (STATUS_PRIVATE | STATUS_PROTECTED | STATUS_PUBLIC) {
            STATUS_PRIVATE => Some(Protection::Private),
            STATUS_PROTECTED => Some(Protection::Protected),
            STATUS_PUBLIC => Some(Protection::Public),
            _ => None,
        }
    }

    fn table(&self, memory: &impl TargetMemory, address: u64) -> Option<EtsTable> {
        let (items, bytes) = match self.is_decentralised {
            0 => (self.items, self.bytes),
            _ => counters::counts(memory, self.items)?,
        };
        Some(EtsTable {
            address,
            name: self.name,
            is_named: self.kind & TYPE_NAMED != 0,
            owner: self.owner,
            kind: self.table_type()?,
            protection: self.protection()?,
            items,
            bytes,
        })
    }
}

/// One walk through the tables of a scheduler.
#[derive(Default)]
struct Circle {
    tables: Vec<EtsTable>,
    /// It came back to where it began, and every table could be read.
    is_whole: bool,
    missing: u64,
}

impl Circle {
    fn walk(
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
        place: u64,
        steps_left: &mut u64,
    ) -> Result<Self, TableError> {
        let (count, first) = head(memory, place)?;
        let most = count.saturating_add(COMING).min(MAX_TABLES);
        let mut circle = Self::default();
        let (mut address, mut previous) = (first, None);
        let (mut seen, mut unreadable) = (0, 0);
        let (mut first_points_back_to, mut is_closed) = (0, count == 0 && first == 0);
        while first != 0 && seen < most && *steps_left > 0 {
            *steps_left -= 1;
            let head = Head::read(memory, address);
            let follows = |head: &Head| previous.is_none_or(|before| head.previous == before);
            let Some(head) = head.filter(follows) else {
                break;
            };
            if previous.is_none() {
                first_points_back_to = head.previous;
            }
            seen += 1;
            // One that is being deleted is none any more, as `ets:all/0` has it.
            if head.status & STATUS_DELETED == 0 {
                let is_named = atoms.name(memory, head.name).is_ok();
                match head.table(memory, address).filter(|_| is_named) {
                    Some(table) => circle.tables.push(table),
                    None => unreadable += 1,
                }
            }
            (previous, address) = (Some(address), head.next);
            if address == first {
                is_closed = previous == Some(first_points_back_to);
                break;
            }
        }
        // How many there were may have changed since they were counted.
        let not_reached = if is_closed {
            0
        } else {
            count.saturating_sub(seen).max(1)
        };
        circle.missing = not_reached + unreadable;
        circle.is_whole = circle.missing == 0;
        Ok(circle)
    }
}

#[cfg(test)]
mod tests;
