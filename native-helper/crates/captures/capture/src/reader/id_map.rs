//! From the ids of a file, which may be any numbers, to positions in our own tables.

use std::collections::HashMap;

/// How far ahead of the last id the next one may be and still go into the vector. Small, so that
/// ids far apart cannot make the vector grow out of proportion to the file.
const MAX_GAP: u64 = 8;
const NONE: u32 = u32::MAX;

/// A map for ids that nearly always count up from 1.
#[derive(Debug, Default, Clone)]
pub(super) struct IdMap {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
}

impl IdMap {
    /// Sets the position for an id; false when it has one already.
    pub(super) fn insert(&mut self, id: u64, position: u32) -> bool {
        if self.get(id).is_some() {
            return false;
        }
        if id < self.dense.len() as u64 + MAX_GAP {
            let index = id as usize;
            if index >= self.dense.len() {
                self.dense.resize(index + 1, NONE);
            }
            self.dense[index] = position;
        } else {
            self.sparse.insert(id, position);
        }
        true
    }

    /// The position for an id.
    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        match usize::try_from(id)
            .ok()
            .and_then(|index| self.dense.get(index))
        {
            Some(&position) if position != NONE => Some(position),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&id).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_hash_map(
            ids in proptest::collection::vec(
                prop_oneof![0u64..50, 0u64..5000, any::<u64>()], 0..200)
        ) {
            let (mut map, mut model) = (IdMap::default(), HashMap::new());
            for (position, id) in ids.iter().enumerate() {
                let position = position as u32;
                prop_assert_eq!(map.insert(*id, position), !model.contains_key(id));
                model.entry(*id).or_insert(position);
            }
            for id in ids.iter().copied().chain(0..100) {
                prop_assert_eq!(map.get(id), model.get(&id).copied());
            }
        }
    }
}
