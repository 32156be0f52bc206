//! All different stacks of a capture in one piece of memory, each once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::StackIndex;
use super::error::ReadError;
use super::parts::Parts;
use crate::wire::put_varint;

/// Stacks of locations, leaf first.
#[derive(Debug, Default, Clone)]
pub(super) struct Stacks {
    /// Those of all stacks, end to end.
    locations: Vec<u32>,
    ends: Vec<u32>,
    /// By their content.
    ids: HashTable<u32>,
    hash: DefaultHashBuilder,
}

impl Stacks {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Locations of all of them.
    pub(super) fn location_count(&self) -> usize {
        self.locations.len()
    }

    /// Of an index of none, nothing.
    #[inline]
    pub(super) fn get(&self, index: StackIndex) -> &[u32] {
        stack(&self.locations, &self.ends, index.as_usize())
    }

    pub(super) fn find(&self, locations: &[u32]) -> Option<StackIndex> {
        let is_same = |index: &u32| self.get(StackIndex(*index)) == locations;
        let found = self.ids.find(self.hash.hash_one(locations), is_same);
        found.map(|index| StackIndex(*index))
    }

    /// Adds one that is not there yet. Limits keep all of them far below what four bytes count.
    pub(super) fn add(&mut self, added: &[u32]) -> StackIndex {
        let Self {
            locations,
            ends,
            ids,
            hash,
        } = self;
        let index = ends.len() as u32;
        locations.extend_from_slice(added);
        ends.push(locations.len() as u32);
        ids.insert_unique(hash.hash_one(added), index, |index| {
            hash.hash_one(stack(locations, ends, *index as usize))
        });
        StackIndex(index)
    }

    /// Appends all of them, as [`take`](Self::take) reads them.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.locations.len() as u64);
        put_varint(out, self.ends.len() as u64);
        for index in 0..self.ends.len() {
            put_stack(out, stack(&self.locations, &self.ends, index));
        }
    }

    /// Stacks of so many locations, to which nothing can be added.
    pub(super) fn take(parts: &mut Parts<'_>, locations: usize) -> Result<Self, ReadError> {
        let mut stacks = Self {
            locations: Vec::with_capacity(parts.length()?),
            ..Self::default()
        };
        stacks.ends = parts.list(|parts| {
            take_stack(parts, locations, &mut stacks.locations)?;
            Ok(stacks.locations.len() as u32)
        })?;
        Ok(stacks)
    }
}

// Not inline: see the samples in decoded.rs.
#[inline(never)]
fn put_stack(out: &mut Vec<u8>, stack: &[u32]) {
    put_varint(out, stack.len() as u64);
    for location in stack {
        put_varint(out, u64::from(*location));
    }
}

#[inline(never)]
fn take_stack(
    parts: &mut Parts<'_>,
    locations: usize,
    into: &mut Vec<u32>,
) -> Result<(), ReadError> {
    for _ in 0..parts.length()? {
        into.push(parts.index(locations)?);
    }
    Ok(())
}

#[inline]
fn stack<'s>(locations: &'s [u32], ends: &[u32], index: usize) -> &'s [u32] {
    let before = index.checked_sub(1).and_then(|before| ends.get(before));
    let start = before.copied().unwrap_or(0) as usize;
    let end = ends.get(index).copied().unwrap_or(0) as usize;
    locations.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_is_there_once_and_stays_what_it_is(
            added in proptest::collection::vec(proptest::collection::vec(0u32..3, 0..5), 0..100)
        ) {
            let mut stacks = Stacks::default();
            let mut indices = Vec::new();
            for locations in &added {
                let index = stacks.find(locations).unwrap_or_else(|| stacks.add(locations));
                indices.push(index);
            }
            for (locations, index) in added.iter().zip(indices) {
                prop_assert_eq!(stacks.get(index), &locations[..]);
            }
            let mut different = added;
            different.sort();
            different.dedup();
            prop_assert_eq!(stacks.len(), different.len());
            prop_assert!(stacks.get(StackIndex(stacks.len() as u32)).is_empty());
        }
    }
}
