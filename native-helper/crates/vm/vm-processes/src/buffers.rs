//! Messages that wait in buffers, not yet in the queue of their process.
//!
//! A process that keeps its messages off its heap and has many senders gets 64 buffers, each with a list and a lock of
//! its own. The size of the lock before the fields of a buffer depends on how the emulator was configured. So nothing
//! is taken for granted: an empty buffer points at itself, and any other one has a first message and a length.
//! Anything else gives no number.

use target_memory::{Range, TargetMemory, address_at, read_each, u32_at, u64_at};
use vm_layout::messages::{
    BUFFER_BYTES, BUFFER_FIRST, BUFFER_IN_USE, BUFFER_LAST, BUFFER_LENGTH, BUFFERS,
};

const ARRAY_BYTES: usize = BUFFERS * BUFFER_BYTES;
/// Of all processes that are read together.
const MAX_BYTES: usize = 16 << 20;
/// More messages than memory can hold.
const MAX_MESSAGES: u64 = 1 << 32;
/// A sender may be at work in a buffer while it is copied.
const LOOKS: u32 = 4;

/// The messages in the buffers of one process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buffered {
    /// How many messages.
    pub messages: u64,
    /// The first message of each buffer that has some.
    pub lists: Vec<u64>,
}

/// The messages in each of these arrays of buffers; `None` for one that cannot be read or contradicts
/// itself.
pub fn buffered(memory: &impl TargetMemory, arrays: &[u64]) -> Vec<Option<Buffered>> {
    let mut found = vec![None; arrays.len()];
    let mut left: Vec<usize> = (0..arrays.len()).collect();
    for _ in 0..LOOKS {
        let ranges = Range::at_each(left.iter().map(|place| arrays[*place]), ARRAY_BYTES);
        let read = read_each(memory, &ranges, MAX_BYTES);
        left = left
            .into_iter()
            .zip(read)
            .filter_map(|(place, bytes)| {
                found[place] = parse(arrays[place], &bytes?);
                found[place].is_none().then_some(place)
            })
            .collect();
        if left.is_empty() {
            break;
        }
    }
    found
}

fn parse(address: u64, array: &[u8]) -> Option<Buffered> {
    let mut found = Buffered::default();
    for (place, buffer) in array.chunks_exact(BUFFER_BYTES).enumerate() {
        let word = |offset| u64_at(buffer, offset);
        let (first, last, length) = (
            word(BUFFER_FIRST)?,
            word(BUFFER_LAST)?,
            word(BUFFER_LENGTH)?,
        );
        let own = address_at(address, (place * BUFFER_BYTES + BUFFER_FIRST) as u64).ok()?;
        let is_sane = u32_at(buffer, BUFFER_IN_USE)? <= 1 && length < MAX_MESSAGES;
        match (first, last == own) {
            (0, true) if is_sane && length == 0 => {}
            // Signals that are no messages are in the lists, too, and in no length.
            (1.., false) if is_sane && last != 0 => {
                found.messages += length;
                found.lists.push(first);
            }
            _ => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    use super::*;

    const AT: u64 = 0x10_0000;

    fn put(array: &mut [u8], buffer: usize, offset: usize, value: u64) {
        let at = buffer * BUFFER_BYTES + offset;
        array[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }

    /// Buffers in use, each with its number of messages.
    fn array(lengths: &[(usize, u64)]) -> Vec<u8> {
        let mut array = vec![0; ARRAY_BYTES];
        for buffer in 0..BUFFERS {
            let own = AT + (buffer * BUFFER_BYTES + BUFFER_FIRST) as u64;
            put(&mut array, buffer, BUFFER_IN_USE, 1);
            put(&mut array, buffer, BUFFER_LAST, own);
        }
        for (buffer, length) in lengths {
            put(
                &mut array,
                *buffer,
                BUFFER_FIRST,
                0x7000 + *buffer as u64 * 8,
            );
            put(&mut array, *buffer, BUFFER_LAST, 0x9000);
            put(&mut array, *buffer, BUFFER_LENGTH, *length);
        }
        array
    }

    fn read(array: Vec<u8>) -> Option<Buffered> {
        let mut memory = SnapshotMemory::new();
        memory.map(AT, array);
        buffered(&memory, &[AT]).pop().unwrap()
    }

    #[test]
    fn messages_of_all_buffers_are_counted() {
        let found = read(array(&[(0, 1000), (63, 7), (13, 0)])).unwrap();
        assert_eq!(found.messages, 1007);
        assert_eq!(found.lists, [0x7000, 0x7000 + 13 * 8, 0x7000 + 63 * 8]);
        assert_eq!(read(array(&[])), Some(Buffered::default()));
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        let with = |buffer, offset, value| {
            let mut array = array(&[(1, 5)]);
            put(&mut array, buffer, offset, value);
            read(array)
        };
        assert_eq!(
            with(2, BUFFER_LENGTH, 5),
            None,
            "an empty one with a length"
        );
        assert_eq!(
            with(2, BUFFER_FIRST, 0x8000),
            None,
            "its end is its beginning"
        );
        assert_eq!(with(1, BUFFER_FIRST, 0), None, "a length without a message");
        assert_eq!(with(1, BUFFER_LENGTH, u64::MAX), None);
        assert_eq!(with(9, BUFFER_IN_USE, 7), None);
        // Where a lock is longer, all fields lie behind.
        let mut moved = array(&[(1, 5)]);
        moved.rotate_right(8);
        assert_eq!(read(moved), None);
    }

    #[test]
    fn what_cannot_be_read_is_no_number_and_costs_no_other() {
        let mut memory = SnapshotMemory::new();
        memory.map(AT, array(&[(3, 4)]));
        let found = buffered(&memory, &[0x66_0000, AT, u64::MAX - 7]);
        assert_eq!(found[0], None);
        assert_eq!(found[1].as_ref().map(|it| it.messages), Some(4));
        assert_eq!(found[2], None);
    }

    proptest! {
        #[test]
        fn garbage_is_no_number(bytes in prop::collection::vec(any::<u8>(), ARRAY_BYTES)) {
            prop_assert_eq!(read(bytes), None);
        }
    }
}
