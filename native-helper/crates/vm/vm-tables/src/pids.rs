//! From the term of a local pid to the text the node itself prints for it.
//!
//! A pid term holds its process's place in the process table, in one of two ways. The format of a
//! VM is not looked up by release: its own table shows it, where every process has a known place.

use target_memory::TargetMemory;

use crate::processes::{ProcessTable, is_local_pid};
use vm_layout::TableError;

/// Processes whose place is compared.
const COMPARED: usize = 64;
/// Tag bits of a pid term.
const TAG_BITS: u32 = 4;
/// Neighbouring numbers lie this many cache lines' worth of slots apart: 8 slots fill one line.
const LINE_SLOTS_BITS: u32 = 3;

/// How a VM makes pid terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PidFormat {
    /// The place is in the upper half; 15 bits of number and 13 of serial in the lower (OTP 25).
    SlotAbove,
    /// The place is in the lowest bits, in the order of the table's cache lines; the value it was
    /// made from consists of the number, of 28 bits, and the serial (OTP 27).
    SlotInside {
        /// Slots of the table, as a power of two.
        slot_bits: u32,
    },
}

impl PidFormat {
    /// Derives the format from the process table. `None` when its processes do not agree on one
    /// format.
    pub fn derive(
        memory: &impl TargetMemory,
        table: &ProcessTable,
    ) -> Result<Option<Self>, TableError> {
        let slot_bits = table.slots(memory)?.ilog2();
        let formats = [Self::SlotAbove, Self::SlotInside { slot_bits }];
        let mut agreeing = [0usize; 2];
        let mut compared = 0;
        for (slot, address) in table.occupied(memory, COMPARED)? {
            // A process may have ended since then, and its memory with it.
            let Some(id) = memory.read_u64(address).ok().filter(|id| is_local_pid(*id)) else {
                continue;
            };
            compared += 1;
            for (count, format) in agreeing.iter_mut().zip(formats) {
                *count += usize::from(format.slot(id) == slot);
            }
        }
        let mut fitting = formats
            .iter()
            .zip(agreeing)
            .filter(|(_, count)| compared > 0 && *count * 10 >= compared * 9);
        Ok(match (fitting.next(), fitting.next()) {
            (Some((format, _)), None) => Some(*format),
            _ => None,
        })
    }

    /// The place in the process table.
    pub fn slot(self, id: u64) -> u64 {
        match self {
            Self::SlotAbove => id >> 32,
            Self::SlotInside { slot_bits } => (id >> TAG_BITS) & low_bits(slot_bits),
        }
    }

    /// `<0.NUMBER.SERIAL>`, as the node prints it.
    pub fn text(self, id: u64) -> String {
        let (number, serial) = self.number_and_serial(id);
        format!("<0.{number}.{serial}>")
    }

    /// A number that grows with the order in which processes were made, until the serial begins anew.
    pub fn number(self, id: u64) -> u64 {
        let (number, serial) = self.number_and_serial(id);
        serial << 28 | number
    }

    /// Of a port's id, in a table whose format this is: the number behind the dot of `#Port<0.4>`.
    pub fn port_number(self, id: u64) -> u64 {
        match self {
            Self::SlotAbove => (id >> TAG_BITS) & low_bits(28),
            Self::SlotInside { slot_bits } => from_line_order(id >> TAG_BITS, slot_bits),
        }
    }

    fn number_and_serial(self, id: u64) -> (u64, u64) {
        match self {
            Self::SlotAbove => {
                let data = (id >> TAG_BITS) & low_bits(28);
                (data & low_bits(15), data >> 15)
            }
            Self::SlotInside { slot_bits } => {
                let data = from_line_order(id >> TAG_BITS, slot_bits);
                (data & low_bits(28), data >> 28)
            }
        }
    }
}

/// Undoes the order of cache lines: there, the next number is one line further, and the lines
/// are filled one slot at a time.
fn from_line_order(data: u64, slot_bits: u32) -> u64 {
    let line_bits = slot_bits.saturating_sub(LINE_SLOTS_BITS);
    let slot = data & low_bits(slot_bits);
    let above = data & !low_bits(slot_bits);
    let line = (slot >> LINE_SLOTS_BITS) & low_bits(line_bits);
    let within = slot & low_bits(LINE_SLOTS_BITS.min(slot_bits));
    above | line | within << line_bits
}

fn low_bits(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    const INSIDE: PidFormat = PidFormat::SlotInside { slot_bits: 20 };

    #[test]
    fn pids_read_as_the_node_prints_them() {
        // As seen on live nodes: the term, and the output of pid_to_list/1.
        let above = |number: u64, slot: u64| slot << 32 | number << 4 | 3;
        assert_eq!(PidFormat::SlotAbove.text(above(79, 632)), "<0.79.0>");
        assert_eq!(
            PidFormat::SlotAbove.text(above(40_080, 58_497)),
            "<0.7312.1>"
        );
        assert_eq!(INSIDE.text(664 << 4 | 3), "<0.83.0>");
        assert_eq!(INSIDE.text(320_672 << 4 | 3), "<0.40084.0>");
        // Beyond one turn of the table: 1,200,125 is 151,549 in the second turn.
        let second_turn = 1 << 20 | 20_477 << 3 | 1;
        assert_eq!(INSIDE.text(second_turn << 4 | 3), "<0.1200125.0>");
    }

    /// A table of 16 slots at 0x1000 with processes at these slots.
    fn vm(ids: &[(u64, u64)]) -> (SnapshotMemory, ProcessTable) {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 27];
        (table[17], table[24], table[26]) = (ids.len() as u64, 0x9000, 16);
        let mut slots = [0u64; 16];
        for (index, (slot, id)) in ids.iter().enumerate() {
            let address = 0x10_000 + index as u64 * 0x100;
            slots[*slot as usize] = address;
            memory.map_words(address, &[*id]);
        }
        memory.map_words(0x1000, &table).map_words(0x9000, &slots);
        (memory, ProcessTable { address: 0x1000 })
    }

    #[test]
    fn the_table_shows_the_format() {
        let derived = |ids: &[(u64, u64)]| {
            let (memory, table) = vm(ids);
            PidFormat::derive(&memory, &table).unwrap()
        };
        let inside = PidFormat::SlotInside { slot_bits: 4 };
        assert_eq!(derived(&[(8, 8 << 4 | 3), (1, 1 << 4 | 3)]), Some(inside));
        let above = [(8, 8 << 32 | 1 << 4 | 3), (9, 9 << 32 | 3 << 4 | 3)];
        assert_eq!(derived(&above), Some(PidFormat::SlotAbove));
        assert_eq!(derived(&[(8, 5 << 4 | 3)]), None, "neither fits");
        assert_eq!(derived(&[(0, 3)]), None, "both fit");
        assert_eq!(derived(&[(8, 7)]), None, "no pid at all");
    }

    proptest! {
        #[test]
        fn any_term_has_a_text(id: u64, slot_bits in 0u32..=64) {
            PidFormat::SlotInside { slot_bits }.text(id);
            PidFormat::SlotAbove.text(id);
        }
    }
}
