//! The table of all maps: which of a map's entries have a hash.

use hashbrown::HashTable;

#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    /// Of the entry in the map's list.
    place: usize,
}

/// It knows no key, so that its code is the same for all maps: they compare keys for it.
#[derive(Clone, Default)]
pub(crate) struct Places(HashTable<Slot>);

impl Places {
    pub fn with_capacity(count: usize) -> Self {
        Self(HashTable::with_capacity(count))
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes room for so many more.
    #[inline(never)]
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more, |slot| slot.hash);
    }

    /// The place of the entry with this hash for which `is_it` holds.
    #[inline(never)]
    pub fn find(&self, hash: u64, is_it: &dyn Fn(usize) -> bool) -> Option<usize> {
        let fits = |slot: &Slot| slot.hash == hash && is_it(slot.place);
        self.0.find(hash, fits).map(|slot| slot.place)
    }

    #[inline(never)]
    pub fn add(&mut self, hash: u64, place: usize) {
        self.0
            .insert_unique(hash, Slot { hash, place }, |slot| slot.hash);
    }

    /// The entry with this hash is removed, or is at the place `now`.
    #[inline(never)]
    pub fn change(&mut self, hash: u64, place: usize, now: Option<usize>) {
        let found = self.0.find_entry(hash, |slot| slot.place == place);
        match (found, now) {
            (Ok(mut found), Some(now)) => found.get_mut().place = now,
            (Ok(found), None) => drop(found.remove()),
            (Err(_), _) => {}
        }
    }

    /// The new place of each entry by its old one; `None`: it is removed.
    #[inline(never)]
    pub fn renumber(&mut self, now: &[Option<usize>]) {
        self.0.retain(|slot| match now.get(slot.place) {
            Some(Some(place)) => {
                slot.place = *place;
                true
            }
            _ => false,
        });
    }
}
