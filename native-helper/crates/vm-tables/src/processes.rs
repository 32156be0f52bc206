//! Erlang processes: one by its address, or all of them by the process table.

use target_memory::{Range, TargetMemory, bytes_to_words, u32_at, u64_at};

use crate::TableError;
use crate::atoms::{AtomTable, quoted};
use crate::layout::ProcessLayout;

/// A process struct is at most this long on every release known.
pub const MAX_PROCESS_BYTES: usize = 1024;
/// The largest process table a VM can be told to have.
const MAX_TABLE: u32 = 1 << 27;
/// Pointers read from the table at once.
const TABLE_CHUNK: usize = 4096;
/// Pids that tell how pids are made.
const SCHEME_PIDS: usize = 64;

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

/// True for the term of a pid of this node.
pub fn is_local_pid(term: u64) -> bool {
    term & 0xf == 3
}

/// How pid terms hold the number and serial that the node prints. Either way a term also holds
/// the process's slot in the table, by which [`ProcessTable::pid_scheme`] tells the two apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PidScheme {
    /// The slot is the upper half; below it, above the tag, are 28 bits: 13 of serial and 15 of
    /// number. (OTP 23 and 25.)
    SlotAbove,
    /// The slot, some of whose bits change places, is the low part of 60 bits: serial and 28 of
    /// number. (OTP 27 and 29.)
    SlotInside {
        /// Slots in the table are `1 << slot_bits`.
        slot_bits: u32,
    },
}

impl PidScheme {
    /// `<0.123.0>` for a local pid term.
    pub fn text(&self, id: u64) -> String {
        let (number, serial) = match self {
            Self::SlotAbove => ((id >> 4) & 0x7fff, (id >> 19) & 0x1fff),
            Self::SlotInside { slot_bits } => {
                let slotted = id >> 4;
                let slot = slotted & ((1 << slot_bits) - 1);
                // Numbers that follow each other take slots in different cache lines.
                let (line, in_line) = (slot >> 3, slot & 7);
                let data = (slotted ^ slot) | line | in_line << (slot_bits - 3);
                (data & 0xfff_ffff, data >> 28)
            }
        };
        format!("<0.{number}.{serial}>")
    }

    fn fits(&self, id: u64, slot: u64) -> bool {
        match self {
            Self::SlotAbove => id >> 32 == slot,
            Self::SlotInside { slot_bits } => (id >> 4) & ((1 << slot_bits) - 1) == slot,
        }
    }
}

/// Registered name of a process, or its initial call when it has none.
pub fn process_name(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    layout: &ProcessLayout,
    process: &[u8],
) -> Option<String> {
    let reg = u64_at(process, layout.reg)?;
    // A RegProc starts with its hash bucket (16 bytes); then Process *, Port *, name.
    if reg > 4096
        && let Ok(term) = memory.read_u64(reg.wrapping_add(32))
        && let Ok(name) = atoms.name(memory, term)
    {
        return Some(quoted(name));
    }
    let word = |index: usize| u64_at(process, layout.initial_call + index * 8);
    let module = quoted(atoms.name(memory, word(0)?).ok()?);
    let function = quoted(atoms.name(memory, word(1)?).ok()?);
    let raw = format!("{module}:{function}/{}", word(2)? & 0xff);
    Some(crate::code::names::display_mfa(&raw))
}

/// The process table (symbol `erts_proc`): count at 136, slots at 192, their number at 208.
#[derive(Debug, Clone, Copy)]
pub struct ProcessTable {
    /// Address of the table.
    pub address: u64,
}

impl ProcessTable {
    /// Number of live processes.
    pub fn count(&self, memory: &impl TargetMemory) -> Result<u32, TableError> {
        let (count, max) = (
            memory.read_u32(self.address + 136)?,
            memory.read_u32(self.address + 208)?,
        );
        if !max.is_power_of_two() || max > MAX_TABLE || count == 0 || count > max {
            return Err(TableError::malformed(
                "process table",
                format!("{count} of {max} slots"),
            ));
        }
        Ok(count)
    }

    /// How this VM makes pids: the scheme in which each process's pid says which slot it is in.
    pub fn pid_scheme(&self, memory: &impl TargetMemory) -> Result<PidScheme, TableError> {
        let unclear = |detail: String| TableError::malformed("process table", detail);
        let slot_bits = memory.read_u32(self.address + 208)?.checked_ilog2();
        let slot_bits = slot_bits
            .filter(|bits| (3..28).contains(bits))
            .ok_or_else(|| unclear("an odd number of slots".to_owned()))?;
        let mut schemes = [
            (PidScheme::SlotAbove, 0),
            (PidScheme::SlotInside { slot_bits }, 0),
        ];
        let mut checked = 0;
        for (slot, address) in self.slots(memory, SCHEME_PIDS)? {
            // Slot 0 fits both, and a process may just have gone.
            let Some(id) = memory.read_u64(address).ok().filter(|id| is_local_pid(*id)) else {
                continue;
            };
            if slot != 0 {
                checked += 1;
                for (scheme, fitting) in &mut schemes {
                    *fitting += usize::from(scheme.fits(id, slot));
                }
            }
        }
        // A slot that changed hands between two reads may fit by chance, or not.
        let fits = |(_, fitting): &&(PidScheme, usize)| fitting * 10 >= checked * 9;
        let mut fitting = schemes.iter().filter(fits);
        match (checked, fitting.next(), fitting.next()) {
            (1.., Some((scheme, _)), None) => Ok(*scheme),
            _ => Err(unclear(format!("{checked} pids of no known scheme"))),
        }
    }

    /// Addresses of up to `limit` processes, in table order.
    pub fn addresses(
        &self,
        memory: &impl TargetMemory,
        limit: usize,
    ) -> Result<Vec<u64>, TableError> {
        let slots = self.slots(memory, limit)?;
        Ok(slots.into_iter().map(|(_, address)| address).collect())
    }

    /// Up to `limit` slots that are taken, with the address of the process in each.
    fn slots(
        &self,
        memory: &impl TargetMemory,
        limit: usize,
    ) -> Result<Vec<(u64, u64)>, TableError> {
        let wanted = limit.min(self.count(memory)? as usize);
        let slots = memory.read_u32(self.address + 208)? as usize;
        let table = memory.read_u64(self.address + 192)?;
        let mut found = Vec::with_capacity(wanted);
        let mut chunk = vec![0; TABLE_CHUNK * 8];
        for first in (0..slots).step_by(TABLE_CHUNK) {
            let here = TABLE_CHUNK.min(slots - first);
            memory.read(table.wrapping_add(first as u64 * 8), &mut chunk[..here * 8])?;
            let slots = bytes_to_words(&chunk[..here * 8]).zip(first as u64..);
            found.extend(
                slots
                    .filter(|(pointer, _)| *pointer > 4096)
                    .map(|(pointer, slot)| (slot, pointer)),
            );
            if found.len() >= wanted {
                break;
            }
        }
        found.truncate(wanted);
        Ok(found)
    }

    /// The first `len_bytes` of each process at `addresses`; those gone meanwhile are left out.
    pub fn read(
        &self,
        memory: &impl TargetMemory,
        addresses: &[u64],
        len_bytes: usize,
    ) -> Vec<Vec<u8>> {
        let ranges: Vec<Range> = addresses
            .iter()
            .map(|address| Range {
                address: *address,
                len_bytes,
            })
            .collect();
        let mut all = vec![0; ranges.len() * len_bytes];
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
    use crate::layout::rows::ROWS;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    #[test]
    fn pids_read_as_the_node_prints_them() {
        // Terms seen in VMs, and what those VMs printed.
        let old = PidScheme::SlotAbove;
        assert_eq!(old.text(0x3), "<0.0.0>");
        assert_eq!(old.text(0x8_0000_0013), "<0.1.0>");
        assert_eq!(old.text(0x250_0000_04a3), "<0.74.0>");
        assert_eq!(old.text(0x8_0013), "<0.1.1>");
        let new = PidScheme::SlotInside { slot_bits: 20 };
        assert_eq!(new.text(0x83), "<0.1.0>");
        assert_eq!(new.text(0x2783), "<0.79.0>");
        assert_eq!(new.text(0x93), "<0.131073.0>");
        assert!(is_local_pid(0x6b3) && !is_local_pid(0x6b7));
    }

    #[test]
    fn the_scheme_is_the_one_in_which_pids_name_their_slots() {
        let with = |ids: [u64; 2]| {
            let mut memory = SnapshotMemory::new();
            let mut table = vec![0u64; 27];
            (table[17], table[24], table[26]) = (3, 0x9000, 32);
            let mut slots = vec![0u64; 32];
            (slots[0], slots[8], slots[16]) = (0x11_000, 0x12_000, 0x13_000);
            memory
                .map_words(0x1000, &table)
                .map_words(0x9000, &slots)
                .map_words(0x11_000, &[3])
                .map_words(0x12_000, &[ids[0]])
                .map_words(0x13_000, &[ids[1]]);
            ProcessTable { address: 0x1000 }.pid_scheme(&memory)
        };
        assert_eq!(
            with([0x8_0000_0013, 0x10_0000_0023]).unwrap(),
            PidScheme::SlotAbove
        );
        assert_eq!(
            with([0x83, 0x103]).unwrap(),
            PidScheme::SlotInside { slot_bits: 5 }
        );
        assert!(with([0x13, 0x23]).is_err());
        assert!(with([7, 7]).is_err());
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
