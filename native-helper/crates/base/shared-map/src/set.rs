//! The set.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;

use crate::{HashMap, Keys};

/// As `std::collections::HashSet`, in the order of insertion until an item is removed.
#[derive(Clone)]
pub struct HashSet<T>(HashMap<T, ()>);

impl<T> Default for HashSet<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T> HashSet<T> {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty one with room for so many items.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self(HashMap::with_capacity(count))
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The items.
    #[must_use]
    pub fn iter(&self) -> Keys<'_, T, ()> {
        self.0.keys()
    }

    /// Keeps the items for which `keeps` holds.
    pub fn retain(&mut self, mut keeps: impl FnMut(&T) -> bool) {
        self.0.retain(|item, ()| keeps(item));
    }
}

impl<T: Hash + Eq> HashSet<T> {
    /// Whether the item is in the set.
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    /// The item in the set that equals this one.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.0.get_key_value(item).map(|(item, ())| item)
    }

    /// Adds an item: whether it was not in the set.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    /// Removes an item: whether it was in the set.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }

    /// The items that are in the other set, too.
    pub fn intersection<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s T> + Clone {
        self.iter().filter(|item| other.contains(*item))
    }

    /// The items that are not in the other set.
    pub fn difference<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s T> + Clone {
        self.iter().filter(|item| !other.contains(*item))
    }
}

impl<T: Hash + Eq> Extend<T> for HashSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        for item in more {
            self.insert(item);
        }
    }
}

impl<'i, T: Hash + Eq + Copy + 'i> Extend<&'i T> for HashSet<T> {
    fn extend<I: IntoIterator<Item = &'i T>>(&mut self, more: I) {
        for item in more {
            self.insert(*item);
        }
    }
}

impl<T: Hash + Eq> FromIterator<T> for HashSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().map(|item| (item, ())).collect())
    }
}

impl<T: Hash + Eq, const N: usize> From<[T; N]> for HashSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Hash + Eq> PartialEq for HashSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Hash + Eq> Eq for HashSet<T> {}

impl<T: fmt::Debug> fmt::Debug for HashSet<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

impl<'s, T> IntoIterator for &'s HashSet<T> {
    type Item = &'s T;
    type IntoIter = Keys<'s, T, ()>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for HashSet<T> {
    type Item = T;
    type IntoIter = IntoItems<T>;

    fn into_iter(self) -> IntoItems<T> {
        IntoItems(self.0.into_iter())
    }
}

/// The items of a consumed set.
pub struct IntoItems<T>(std::vec::IntoIter<(T, ())>);

impl<T> Iterator for IntoItems<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next().map(|(item, ())| item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for IntoItems<T> {}
