//! Erlang processes: one by its address, or all of them by the process table.

use target_memory::{Range, TargetMemory, bytes_to_words, element_at, u32_at, u64_at};

use crate::atoms::{AtomTable, quoted};
use crate::fill::Fill;
use crate::registered::registered_name;
use vm_layout::ProcessLayout;
use vm_layout::TableError;

/// A process struct is at most this long on every release known.
pub const MAX_PROCESS_BYTES: usize = 1024;
/// The largest process table that a VM can be started with.
const MAX_TABLE: u32 = 1 << 27;
/// Pointers read from the table at once.
const TABLE_CHUNK: usize = 4096;

/// The fields of one process that stacks and names need, as read at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessFields {
    /// Pid term.
    pub id: u64,
    /// `RegProc *` or 0.
    pub reg: u64,
    /// Top of the heap.
    pub htop: u64,
    /// Top of the stack.
    pub stop: u64,
    /// Reductions left, sign-extended from its own width.
    pub fcalls: i64,
    /// Start of the heap block.
    pub heap: u64,
    /// End of the heap block.
    pub hend: u64,
    /// Its size in words.
    pub heap_size_words: u64,
    /// Saved program counter.
    pub i: u64,
    /// State flags.
    pub state: u32,
}

impl ProcessFields {
    /// Picks the fields out of a process struct; `None` when `bytes` is too short.
    pub fn from_bytes(layout: &ProcessLayout, bytes: &[u8]) -> Option<Self> {
        let word = |offset| u64_at(bytes, offset);
        Some(Self {
            id: word(layout.id)?,
            reg: word(layout.reg)?,
            htop: word(layout.htop)?,
            stop: word(layout.stop)?,
            fcalls: match layout.fcalls_bytes {
                4 => i64::from(u32_at(bytes, layout.fcalls)?.cast_signed()),
                _ => word(layout.fcalls)?.cast_signed(),
            },
            heap: word(layout.heap)?,
            hend: word(layout.hend)?,
            heap_size_words: word(layout.heap_size_words)?,
            i: word(layout.i)?,
            state: u32_at(bytes, layout.state)?,
        })
    }

    /// True when this can be a live process: a pid, and heap fields that agree with each other.
    pub fn is_consistent(&self) -> bool {
        is_local_pid(self.id)
            && self.heap > 4096
            && self.heap.is_multiple_of(8)
            && self.heap <= self.htop
            && self.htop <= self.stop
            && self.stop < self.hend
            && self.stop.is_multiple_of(8)
            && self.hend.checked_sub(self.heap) == self.heap_size_words.checked_mul(8)
    }
}

/// The lower half of the pid term that stands for no process: all bits of a pid are set, which are
/// 28 on OTP 25 and all there are on OTP 27.
const NO_PID: u64 = 0xffff_fff3;

/// True for the term of a pid of this node.
pub fn is_local_pid(term: u64) -> bool {
    term & 0xf == 3 && term & 0xffff_ffff != NO_PID
}

/// Registered name of the process at `address` whose struct is `process`, or its initial call when it
/// has none.
pub fn process_name(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    layout: &ProcessLayout,
    (address, process): (u64, &[u8]),
) -> Option<String> {
    let entry = u64_at(process, layout.reg)?;
    if let Some(name) = registered_name(memory, atoms, entry, address) {
        return Some(name);
    }
    let raw = initial_call(memory, atoms, layout, process)?;
    Some(crate::names::display_mfa(&raw))
}

/// The function that a process began with, as the VM spells it.
pub fn initial_call(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    layout: &ProcessLayout,
    process: &[u8],
) -> Option<String> {
    let word = |index: usize| u64_at(process, layout.initial_call + index * 8);
    let module = quoted(atoms.name(memory, word(0)?).ok()?);
    let function = quoted(atoms.name(memory, word(1)?).ok()?);
    Some(format!("{module}:{function}/{}", word(2)? & 0xff))
}

/// The process table (symbol `erts_proc`): count at 136, slots at 192, their number at 208.
#[derive(Debug, Clone, Copy)]
pub struct ProcessTable {
    /// Address of the table.
    pub address: u64,
}

/// A part of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupied {
    /// Place and address of each, in the order of the table.
    pub places: Vec<(u64, u64)>,
    /// The next place that is taken, when there are more.
    pub next: Option<u64>,
}

/// Whether a word of the table is an element. A free place has a small number or nothing in it.
fn is_place(address: u64) -> bool {
    address > 4096
}

/// The figures in the head of the table, each read once: a number that was checked is the one that is used.
struct TableHead {
    address: u64,
    /// What changes with each element that comes or goes, the number of elements among it.
    changing: [u8; Self::CHANGING_BYTES],
    count: u32,
    slots: u32,
    elements: u64,
}

impl TableHead {
    /// Where the part that changes begins: the number of elements (u32), and how many identifiers were taken out of the
    /// ring of free ones (u32) and given back (u32), since the VM began.
    const CHANGING: u64 = 136;
    const CHANGING_BYTES: usize = 12;
    const ELEMENTS: u64 = 192;
    const SLOTS: u64 = 208;

    fn read(memory: &impl TargetMemory, table: u64) -> Result<Self, TableError> {
        let changing = Self::changing(memory, table)?;
        let head = Self {
            address: table,
            changing,
            count: u32_at(&changing, 0).unwrap_or(0),
            slots: memory.read_u32_at(table, Self::SLOTS)?,
            elements: memory.read_u64_at(table, Self::ELEMENTS)?,
        };
        let Self { count, slots, .. } = head;
        if !slots.is_power_of_two() || slots > MAX_TABLE || count == 0 || count > slots {
            return Err(TableError::malformed(
                "process table",
                format!("{count} of {slots} slots"),
            ));
        }
        Ok(head)
    }

    fn changing(
        memory: &impl TargetMemory,
        table: u64,
    ) -> Result<[u8; Self::CHANGING_BYTES], TableError> {
        let mut bytes = [0; Self::CHANGING_BYTES];
        memory.read(table.wrapping_add(Self::CHANGING), &mut bytes)?;
        Ok(bytes)
    }

    /// Whether no element is just coming or going, by the table's own numbers.
    fn is_settled(&self) -> bool {
        let number = |at| u32_at(&self.changing, at).unwrap_or(0);
        number(4).wrapping_sub(number(8)) == self.count
    }

    /// The first so many places that are taken. No more of the table is read than has them: a table without them has
    /// millions of places. All are found when so many are as the table has, and no element came or went during the
    /// read. Where one came, it may be among those found, in the place of one that is further behind.
    fn occupied(
        &self,
        memory: &impl TargetMemory,
        first: u64,
        wanted: usize,
    ) -> Result<Vec<(u64, u64)>, TableError> {
        let slots = u64::from(self.slots);
        let first = first.min(slots);
        let mut chunk = vec![0; TABLE_CHUNK * 8];
        let mut found = Vec::with_capacity(wanted.min(TABLE_CHUNK));
        let mut in_front = (first == 0).then_some(0);
        let mut may_be_all = self.is_settled() && first <= slots / 2;
        for at in (first..slots).step_by(TABLE_CHUNK) {
            let known = found.len();
            found.extend(self.places(memory, at..slots, &mut chunk)?);
            if found.len() >= wanted {
                break;
            }
            // Those in front of the first place are counted when it seems that none is behind.
            if may_be_all && in_front.is_none() && found.len() == known {
                let mut count = 0;
                for at in (0..first).step_by(TABLE_CHUNK) {
                    count += self.places(memory, at..first, &mut chunk)?.count();
                }
                in_front = Some(count);
            }
            let is_all =
                in_front.is_some_and(|in_front| in_front + found.len() >= self.count as usize);
            if may_be_all && is_all {
                may_be_all = Self::changing(memory, self.address)? == self.changing;
                if may_be_all {
                    break;
                }
            }
        }
        found.truncate(wanted);
        Ok(found)
    }

    /// Those of a range of places that are taken, as far as the room for them goes.
    fn places<'c, M: TargetMemory>(
        &self,
        memory: &M,
        range: std::ops::Range<u64>,
        chunk: &'c mut [u8],
    ) -> Result<impl Iterator<Item = (u64, u64)> + use<'c, M>, TableError> {
        let here = (TABLE_CHUNK as u64).min(range.end - range.start) as usize * 8;
        memory.read(
            element_at(self.elements, range.start, 8)?,
            &mut chunk[..here],
        )?;
        let numbered = (range.start..).zip(bytes_to_words(&chunk[..here]));
        Ok(numbered.filter(|(_, address)| is_place(*address)))
    }
}

impl ProcessTable {
    /// Places it has: a power of two.
    pub fn slots(&self, memory: &impl TargetMemory) -> Result<u32, TableError> {
        Ok(TableHead::read(memory, self.address)?.slots)
    }

    /// Number of live processes.
    pub fn count(&self, memory: &impl TargetMemory) -> Result<u32, TableError> {
        Ok(TableHead::read(memory, self.address)?.count)
    }

    /// Addresses of up to `limit` processes, in table order.
    pub fn addresses(
        &self,
        memory: &impl TargetMemory,
        limit: usize,
    ) -> Result<Vec<u64>, TableError> {
        let found = self.occupied(memory, limit)?;
        Ok(found.into_iter().map(|(_, address)| address).collect())
    }

    /// Places and addresses of up to `limit` processes, in table order.
    pub fn occupied(
        &self,
        memory: &impl TargetMemory,
        limit: usize,
    ) -> Result<Vec<(u64, u64)>, TableError> {
        TableHead::read(memory, self.address)?.occupied(memory, 0, limit)
    }

    /// Places and addresses of up to `limit` processes from a place on.
    pub fn occupied_from(
        &self,
        memory: &impl TargetMemory,
        first: u64,
        limit: usize,
    ) -> Result<Occupied, TableError> {
        let head = TableHead::read(memory, self.address)?;
        // The next place is known when one more is found than is wanted.
        let mut places = head.occupied(memory, first, limit.saturating_add(1))?;
        let next = places.get(limit).map(|(slot, _)| *slot);
        places.truncate(limit);
        Ok(Occupied { places, next })
    }

    /// The process at a place now; `None` when there is none.
    pub fn occupant(
        &self,
        memory: &impl TargetMemory,
        slot: u64,
    ) -> Result<Option<u64>, TableError> {
        let head = TableHead::read(memory, self.address)?;
        let address = memory.read_u64(element_at(head.elements, slot, 8)?)?;
        Ok((slot < u64::from(head.slots) && is_place(address)).then_some(address))
    }

    /// How many there are, and how many there may be.
    pub fn fill(&self, memory: &impl TargetMemory) -> Result<Fill, TableError> {
        let head = TableHead::read(memory, self.address)?;
        Ok(Fill {
            count: head.count,
            limit: head.slots,
        })
    }

    /// The first `len_bytes` of each process at `addresses`; those that ended since then are left
    /// out.
    pub fn read(
        &self,
        memory: &impl TargetMemory,
        addresses: &[u64],
        len_bytes: usize,
    ) -> Vec<Vec<u8>> {
        let ranges = Range::at_each(addresses.iter().copied(), len_bytes);
        let mut all = vec![0; ranges.len().saturating_mul(len_bytes)];
        if memory.read_many(&ranges, &mut all).is_ok() {
            return all
                .chunks_exact(len_bytes.max(1))
                .map(<[u8]>::to_vec)
                .collect();
        }
        let limit = MAX_PROCESS_BYTES;
        let one = |address: &u64| memory.read_vec(*address, len_bytes, limit).ok();
        addresses.iter().filter_map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;
    use target_memory::{ReadError, SnapshotMemory};
    use vm_layout::rows::ROWS;

    #[test]
    fn a_pid_is_distinguished_from_a_port() {
        assert!(
            is_local_pid(0x6b3) && !is_local_pid(0x6b7) && !is_local_pid(0u64.wrapping_sub(13))
        );
    }

    /// Counts the bytes that are read, and counts up a number of the table when its places are.
    struct Watched {
        memory: SnapshotMemory,
        comes: bool,
        read_bytes: Cell<usize>,
    }

    impl TargetMemory for Watched {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
            self.memory.read(address, buffer)?;
            let read_before = self.read_bytes.get();
            self.read_bytes.set(read_before + buffer.len());
            if self.comes && address == 0x1088 && read_before > TABLE_CHUNK {
                // One came and one went: their number is the same as before.
                (buffer[4], buffer[8]) = (8, 6);
            }
            Ok(())
        }
    }

    #[test]
    fn a_large_table_is_read_to_its_last_element_and_to_its_end_when_one_came() {
        const SLOTS: usize = 16 * TABLE_CHUNK;
        let found = |first, comes| {
            let mut memory = SnapshotMemory::new();
            let mut table = vec![0u64; 27];
            (table[17], table[18]) = (2 | 7 << 32, 5);
            (table[24], table[26]) = (0x9000, SLOTS as u64);
            let mut slots = vec![0u64; SLOTS];
            (slots[1], slots[5]) = (0x11_000, 0x12_000);
            // Only a read to the end finds this element.
            slots[SLOTS - 1] = 0x13_000;
            memory.map_words(0x1000, &table).map_words(0x9000, &slots);
            let memory = Watched {
                memory,
                comes,
                read_bytes: Cell::new(0),
            };
            let table = ProcessTable { address: 0x1000 };
            let Occupied { places, next } = table.occupied_from(&memory, first, 1000).unwrap();
            assert_eq!(next, None);
            (places.len(), memory.read_bytes.get() / (8 * TABLE_CHUNK))
        };
        assert_eq!(found(0, false), (2, 1));
        assert_eq!(found(0, true), (3, 16));
        // Behind the first one: a part without any leads to counting those in front.
        assert_eq!(found(2, false), (1, 2));
        assert_eq!(found(2, true), (2, 16));
    }

    #[test]
    fn addresses_skip_free_slots() {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 27];
        (table[17], table[24], table[26]) = (2, 0x9000, 8);
        memory.map_words(0x1000, &table);
        memory.map_words(0x9000, &[0, 0x11_000, 0, 0, 0x12_000, 0, 0, 0]);
        let table = ProcessTable { address: 0x1000 };
        assert_eq!(table.addresses(&memory, 100).unwrap(), [0x11_000, 0x12_000]);
        assert_eq!(table.addresses(&memory, 1).unwrap(), [0x11_000]);
        let part = |first, limit| {
            let Occupied { places, next } = table.occupied_from(&memory, first, limit).unwrap();
            (places, next)
        };
        assert_eq!(part(0, 1), (vec![(1, 0x11_000)], Some(4)));
        assert_eq!(part(4, 1), (vec![(4, 0x12_000)], None));
        assert_eq!(part(8, 9), (vec![], None));
        assert_eq!(table.occupant(&memory, 4).unwrap(), Some(0x12_000));
        assert_eq!(table.occupant(&memory, 5).unwrap(), None);
        let fill = Fill { count: 2, limit: 8 };
        assert_eq!(table.fill(&memory).unwrap(), fill);
    }

    /// A memory in which the number of slots is another at each read.
    struct Growing(SnapshotMemory, Cell<u32>);

    impl TargetMemory for Growing {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
            self.0.read(address, buffer)?;
            let slots = 0x1000 + 208u64;
            let at = slots.checked_sub(address).unwrap_or(u64::MAX) as usize;
            if let Some(slots) = buffer.get_mut(at..at.saturating_add(4)) {
                slots.copy_from_slice(&self.1.get().to_le_bytes());
                self.1.set(self.1.get() * 2);
            }
            Ok(())
        }
    }

    #[test]
    fn the_number_of_slots_that_was_checked_is_the_one_that_is_used() {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 27];
        (table[17], table[24], table[26]) = (2, 0x9000, 2);
        memory.map_words(0x1000, &table);
        memory.map_words(0x9000, &[0x11_000, 0]);
        let memory = Growing(memory, Cell::new(2));
        let table = ProcessTable { address: 0x1000 };
        // Beyond the two slots there is nothing to be read.
        assert_eq!(table.addresses(&memory, 100).unwrap(), [0x11_000]);
    }

    #[test]
    fn a_table_at_the_end_of_memory_is_an_error() {
        let table = ProcessTable {
            address: u64::MAX - 100,
        };
        assert!(table.count(&SnapshotMemory::new()).is_err());
    }

    proptest! {
        #[test]
        fn garbage_is_no_process(bytes in prop::collection::vec(any::<u8>(), 0..800)) {
            for row in ROWS {
                if let Some(fields) = ProcessFields::from_bytes(&row.process, &bytes) {
                    let _ = fields.is_consistent();
                }
            }
        }
    }
}
