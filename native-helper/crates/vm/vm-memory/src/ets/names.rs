//! The table of the names of ETS tables.
//!
//! A variable of the emulator points to it, and no release exports that variable. It is in a block of an allocator,
//! so the block's header has its length: a power of two of buckets. It counts when named tables are in the buckets of
//! their names.

use shared_sort::SharedSort;
use target_memory::{Range, TargetMemory, read_each, u64_at};
use vm_layout::emulator_image::is_pointer;
use vm_layout::ets::{MIN_NAME_BUCKETS, NAME_BUCKETS, NameBucket};
use vm_tables::atoms::AtomTable;

use super::EtsTable;

/// Bits of a block's header that are its length.
const LENGTH: u64 = (1 << 40) - 8;
const HEADER_BYTES: u64 = 8;
/// Headers that are read at once.
const AT_ONCE: usize = 4096;
/// Named tables that are looked for.
const MOST_NAMES: usize = 64;

/// How long the table of names is, bytes. `words`: the emulator's variables. `None` when there is no named table, or
/// when none of the variables leads to such a table.
pub fn bytes_of_names(
    memory: &impl TargetMemory,
    words: impl Iterator<Item = u64>,
    tables: &[EtsTable],
) -> Option<u64> {
    let named = tables.iter().filter(|table| table.is_named);
    let named: Vec<&EtsTable> = named.take(MOST_NAMES).collect();
    let mut pointers: Vec<u64> = words
        .filter(|word| is_pointer(*word, 8) && *word > HEADER_BYTES)
        .collect();
    pointers.shared_sort();
    pointers.dedup();
    pointers.chunks(AT_ONCE).find_map(|pointers| {
        let headers = Range::at_each(pointers.iter().map(|pointer| pointer - HEADER_BYTES), 8);
        let headers = read_each(memory, &headers, AT_ONCE * 8);
        pointers.iter().zip(headers).find_map(|(pointer, header)| {
            let bytes = (u64_at(&header?, 0)? & LENGTH).checked_sub(HEADER_BYTES)?;
            let is_it = |bucket: &NameBucket| has_names(memory, *pointer, bytes, *bucket, &named);
            NAME_BUCKETS.iter().any(is_it).then_some(bytes)
        })
    })
}

/// More than half of the tables are in the buckets of their names, alone.
fn has_names(
    memory: &impl TargetMemory,
    address: u64,
    bytes: u64,
    bucket: NameBucket,
    named: &[&EtsTable],
) -> bool {
    let buckets = bytes / bucket.bytes;
    let is_length = buckets.is_power_of_two() && buckets * bucket.bytes == bytes;
    if !is_length || buckets < MIN_NAME_BUCKETS {
        return false;
    }
    let is_in = |table: &&&EtsTable| {
        let number = AtomTable::index_of_term(table.name).map(u64::from);
        let place = number.map_or(0, |number| number % buckets) * bucket.bytes + bucket.name;
        let place = address.saturating_add(place);
        memory.read_u64(place).ok() == Some(table.name)
            && memory.read_u64(place.saturating_add(8)).ok() == Some(table.address)
    };
    2 * named.iter().filter(is_in).count() > named.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ets::{Protection, TableType};
    use target_memory::SnapshotMemory;

    const AT: u64 = 0x100_0000;
    const BUCKETS: u64 = 2 * MIN_NAME_BUCKETS;

    fn table(number: u64) -> EtsTable {
        EtsTable {
            address: 0x5000 + number * 0x1000,
            name: number << 6 | 0xb,
            is_named: true,
            owner: 0,
            kind: TableType::Set,
            protection: Protection::Public,
            items: 0,
            bytes: 0,
        }
    }

    /// A block of that length, with two of three tables.
    fn memory(bucket: NameBucket, length: u64) -> SnapshotMemory {
        let mut words = vec![0; (8 + BUCKETS * bucket.bytes) as usize / 8];
        words[0] = length | 3 << 40;
        for table in [table(7), table(BUCKETS / 2 + 9)] {
            let index = (table.name >> 6) % BUCKETS;
            let place = (8 + index * bucket.bytes + bucket.name) as usize / 8;
            (words[place], words[place + 1]) = (table.name, table.address);
        }
        let mut memory = SnapshotMemory::new();
        memory.map_words(AT - 8, &words);
        memory
    }

    fn found(memory: &SnapshotMemory, tables: &[EtsTable]) -> Option<u64> {
        bytes_of_names(memory, [1, AT + 64, AT, 0x77_0000].into_iter(), tables)
    }

    #[test]
    fn it_is_as_long_as_its_block_in_each_release() {
        let tables = [table(7), table(BUCKETS / 2 + 9), table(11)];
        for bucket in NAME_BUCKETS {
            let bytes = BUCKETS * bucket.bytes;
            let there = memory(bucket, bytes + 8);
            assert_eq!(found(&there, &tables), Some(bytes));
            assert_eq!(found(&there, &tables[1..]), None, "not more than half");
            assert_eq!(found(&there, &[]), None, "no named table");
            // Were it shorter, the second one would be in another bucket.
            assert_eq!(found(&memory(bucket, bytes / 2 + 8), &tables), None);
            assert_eq!(found(&memory(bucket, bytes + 16), &tables), None);
        }
        assert_eq!(found(&SnapshotMemory::new(), &tables), None);
    }
}
