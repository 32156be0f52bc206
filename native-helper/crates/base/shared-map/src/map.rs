//! The map.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::ops::Index;

use crate::places::Places;

/// As `std::collections::HashMap`, in the order of insertion until an entry is removed.
#[derive(Clone)]
pub struct HashMap<K, V> {
    entries: Vec<(K, V)>,
    places: Places,
    state: RandomState,
}

impl<K, V> Default for HashMap<K, V> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl<K, V> HashMap<K, V> {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty one with room for so many entries.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self {
            entries: Vec::with_capacity(count),
            places: Places::with_capacity(count),
            state: RandomState::new(),
        }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.places.clear();
        self.entries.clear();
    }

    /// Keys with values.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.entries.iter())
    }

    /// Keys with values that can be changed.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.entries.iter())
    }

    /// The values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The values alone.
    pub fn into_values(self) -> impl ExactSizeIterator<Item = V> {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// Takes all entries out.
    pub fn drain(&mut self) -> std::vec::Drain<'_, (K, V)> {
        self.places.clear();
        self.entries.drain(..)
    }

    /// Keeps the entries for which `keeps` holds.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        let mut now = Vec::with_capacity(self.entries.len());
        let mut kept = 0;
        self.entries.retain_mut(|(key, value)| {
            let is_kept = keeps(key, value);
            now.push(is_kept.then_some(kept));
            kept += usize::from(is_kept);
            is_kept
        });
        self.places.renumber(&now);
    }
}

impl<K: Hash + Eq, V> HashMap<K, V> {
    fn place<Q: Hash + Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.places
            .find(hash, &|place| self.entries[place].0.borrow() == key)
    }

    fn place_of<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        match self.is_empty() {
            true => None,
            false => self.place(self.state.hash_one(key), key),
        }
    }

    fn push(&mut self, hash: u64, key: K, value: V) -> usize {
        let place = self.entries.len();
        self.entries.push((key, value));
        self.places.add(hash, place);
        place
    }

    /// The value of the key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// The key in the map and its value.
    pub fn get_key_value<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (key, value) = &self.entries[self.place_of(key)?];
        Some((key, value))
    }

    /// The value of the key, to be changed.
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place_of(key)?;
        Some(&mut self.entries[place].1)
    }

    /// Whether the key has a value.
    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place_of(key).is_some()
    }

    /// Sets the value of the key: the one before, if there was one. The key in the map stays.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = self.state.hash_one(&key);
        match self.place(hash, &key) {
            Some(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            None => {
                self.push(hash, key, value);
                None
            }
        }
    }

    /// Removes the key with its value.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let hash = self.state.hash_one(key);
        let place = self.place(hash, key)?;
        self.places.change(hash, place, None);
        let (_, value) = self.entries.swap_remove(place);
        // The last entry has its place now.
        if let Some((moved, _)) = self.entries.get(place) {
            let hash = self.state.hash_one(moved);
            self.places.change(hash, self.entries.len(), Some(place));
        }
        Some(value)
    }

    /// The key's value, or the room for one.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let hash = self.state.hash_one(&key);
        Entry {
            place: self.place(hash, &key),
            map: self,
            hash,
            key,
        }
    }
}

/// The key's value, or the room for one.
pub struct Entry<'m, K, V> {
    map: &'m mut HashMap<K, V>,
    hash: u64,
    key: K,
    place: Option<usize>,
}

impl<'m, K: Hash + Eq, V> Entry<'m, K, V> {
    /// The value, which is set if there was none.
    pub fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    /// The value, which is made if there was none.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'m mut V {
        self.or_insert_with_key(|_| make())
    }

    /// The value, which is made of the key if there was none.
    pub fn or_insert_with_key(self, make: impl FnOnce(&K) -> V) -> &'m mut V {
        let place = match self.place {
            Some(place) => place,
            None => {
                let value = make(&self.key);
                self.map.push(self.hash, self.key, value)
            }
        };
        &mut self.map.entries[place].1
    }

    /// The value, which is its type's default if there was none.
    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Some(place) = self.place {
            change(&mut self.map.entries[place].1);
        }
        self
    }
}

impl<K: Hash + Eq, V> Extend<(K, V)> for HashMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, more: I) {
        for (key, value) in more {
            self.insert(key, value);
        }
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for HashMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut map = Self::new();
        map.places.reserve(entries.size_hint().0);
        map.extend(entries);
        map
    }
}

impl<K: Hash + Eq, V, const N: usize> From<[(K, V); N]> for HashMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Hash + Eq + Borrow<Q>, Q: Hash + Eq + ?Sized, V> Index<&Q> for HashMap<K, V> {
    type Output = V;

    /// # Panics
    /// The key has no value, as with the standard library's.
    #[expect(clippy::expect_used, reason = "as with the standard library's")]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry found for key")
    }
}

impl<K: Hash + Eq, V: PartialEq> PartialEq for HashMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let is_there = |(key, value)| other.get(key) == Some(value);
        self.len() == other.len() && self.iter().all(is_there)
    }
}

impl<K: Hash + Eq, V: Eq> Eq for HashMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for HashMap<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl<K, V> IntoIterator for HashMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'m, K, V> IntoIterator for &'m HashMap<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Keys with values.
pub struct Iter<'m, K, V>(std::slice::Iter<'m, (K, V)>);

/// The keys of a map.
pub struct Keys<'m, K, V>(std::slice::Iter<'m, (K, V)>);

macro_rules! of_entries {
    ($($name:ident: $item:ty, $of:expr;)*) => {$(
        impl<'m, K, V> Iterator for $name<'m, K, V> {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                self.0.next().map($of)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<K, V> ExactSizeIterator for $name<'_, K, V> {}

        impl<K, V> Clone for $name<'_, K, V> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }
    )*};
}

of_entries! {
    Iter: (&'m K, &'m V), |(key, value)| (key, value);
    Keys: &'m K, |(key, _)| key;
}
