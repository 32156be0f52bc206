//! Decoded values, by the bytes they were decoded from. Members of a file repeat each other's
//! stacks and labels, so the values outlive the message that first contained them.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Bytes held of one kind; at the limit all entries are forgotten, and added again when they recur.
const MOST_BYTES: usize = 16 << 20;
/// The assumed size of an entry beside its bytes.
const ENTRY_BYTES: usize = 32;

/// Values by bytes.
#[derive(Debug)]
pub(super) struct KnownBytes<V> {
    /// Those of all entries, end to end.
    bytes: Vec<u8>,
    entries: HashTable<Entry<V>>,
    hash: DefaultHashBuilder,
    most_bytes: usize,
}

#[derive(Debug)]
struct Entry<V> {
    start: u32,
    end: u32,
    value: V,
}

impl<V> Default for KnownBytes<V> {
    fn default() -> Self {
        Self::holding(MOST_BYTES)
    }
}

impl<V> KnownBytes<V> {
    fn holding(most_bytes: usize) -> Self {
        Self {
            bytes: Vec::new(),
            entries: HashTable::new(),
            hash: DefaultHashBuilder::default(),
            most_bytes,
        }
    }
}

impl<V: Copy> KnownBytes<V> {
    #[inline]
    pub(super) fn get(&self, bytes: &[u8]) -> Option<V> {
        let is_same = |entry: &Entry<V>| are_equal(entry.of(&self.bytes), bytes);
        let entry = self.entries.find(self.hash.hash_one(bytes), is_same);
        entry.map(|entry| entry.value)
    }

    /// Remembers the value for bytes that are not known.
    pub(super) fn insert(&mut self, bytes: &[u8], value: V) {
        let more = bytes.len() + ENTRY_BYTES;
        if more > self.most_bytes {
            return;
        }
        if self.bytes.len() + self.entries.len() * ENTRY_BYTES + more > self.most_bytes {
            self.bytes.clear();
            self.entries.clear();
        }
        let Self {
            bytes: all,
            entries,
            hash,
            ..
        } = self;
        let start = all.len() as u32;
        all.extend_from_slice(bytes);
        let end = all.len() as u32;
        let entry = Entry { start, end, value };
        entries.insert_unique(hash.hash_one(bytes), entry, |entry| {
            hash.hash_one(entry.of(all))
        });
    }
}

impl<V> Entry<V> {
    fn of<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        bytes
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// The same as `a == b`, which WebAssembly does byte by byte.
#[inline]
fn are_equal(a: &[u8], b: &[u8]) -> bool {
    let (a_words, a_rest) = a.as_chunks();
    let (b_words, b_rest) = b.as_chunks();
    let mut words = a_words.iter().zip(b_words);
    a.len() == b.len()
        && words.all(|(a, b)| u64::from_ne_bytes(*a) == u64::from_ne_bytes(*b))
        && a_rest == b_rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn known_values_are_those_that_were_inserted(
            given in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..20), 0..200),
            most_bytes in 0usize..3000,
        ) {
            let mut known = KnownBytes::holding(most_bytes);
            let mut model: HashMap<&[u8], usize> = HashMap::new();
            for (value, bytes) in given.iter().enumerate() {
                if let Some(found) = known.get(bytes) {
                    prop_assert_eq!(Some(&found), model.get(&bytes[..]));
                } else {
                    known.insert(bytes, value);
                    model.insert(bytes, value);
                }
                prop_assert!(known.bytes.len() <= most_bytes);
            }
        }
    }

    #[test]
    fn nothing_is_forgotten_while_there_is_room() {
        let mut known = KnownBytes::default();
        for value in 0u32..5000 {
            known.insert(&value.to_le_bytes(), value);
        }
        for value in 0u32..5000 {
            assert_eq!(known.get(&value.to_le_bytes()), Some(value));
        }
    }

    #[test]
    fn equal_is_equal_in_every_byte() {
        let bytes: Vec<u8> = (0..21).collect();
        assert!(are_equal(&bytes, &bytes.clone()));
        assert!(!are_equal(&bytes, &bytes[..20]));
        for position in 0..bytes.len() {
            let mut other = bytes.clone();
            other[position] ^= 0x80;
            assert!(!are_equal(&bytes, &other), "byte {position}");
        }
    }
}
