//! Sorting by code that the program holds once.
//!
//! The sorts of the standard library are compiled anew for each type and each order, some 4 KB
//! each. The methods of [`SharedSort`] compile to some hundred bytes for each: they sort the
//! places of the items by one algorithm for all, and then put each item in its place. An item is
//! compared through a pointer to a function, so they are for rows of a result, sorted once. Lists
//! that are sorted for each sample, function or block keep the sorts of the standard library.
//!
//! An ordered collection is made by such a sort, too, unless its items are put in one by one
//! ([`Inserted`]).

use std::cmp::Ordering;

/// Stable sorts of a slice: equal items stay in their order.
pub trait SharedSort {
    /// An item of the slice.
    type Item;

    /// Sorts by `compare`, which must be a total order; otherwise the order is unspecified.
    fn shared_sort_by(&mut self, compare: impl FnMut(&Self::Item, &Self::Item) -> Ordering);

    /// Sorts by the key of an item, which is taken at each comparison.
    fn shared_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&Self::Item) -> K);

    /// Sorts by the order of the items.
    fn shared_sort(&mut self)
    where
        Self::Item: Ord;
}

impl<T> SharedSort for [T] {
    type Item = T;

    fn shared_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = order(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        arrange(order, &mut |a, b| self.swap(a, b));
    }

    fn shared_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.shared_sort_by(|a, b| key(a).cmp(&key(b)));
    }

    fn shared_sort(&mut self)
    where
        T: Ord,
    {
        self.shared_sort_by(T::cmp);
    }
}

/// Ordered collections of few items.
pub trait Inserted: Iterator + Sized {
    /// The items in a `BTreeMap` or `BTreeSet`, put in one by one: of equal keys the last value
    /// counts, as with `collect`. That one sorts the items before, by code of 4 KB for each type.
    fn inserted<C: Default + Extend<Self::Item>>(self) -> C {
        let mut all = C::default();
        all.extend(self);
        all
    }
}

impl<I: Iterator> Inserted for I {}

/// The places 0 to `count` - 1, sorted by the items in them.
#[inline(never)]
fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Brings into each place the item of the place that `order` has there, by swaps.
#[inline(never)]
fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        // Places that go around in a ring: each gets the item of the next.
        let mut place = first;
        loop {
            let next = std::mem::replace(&mut order[place], place);
            if next == first || next == place {
                break;
            }
            swap(place, next);
            place = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use std::collections::{BTreeMap, BTreeSet};

    use super::{Inserted, SharedSort};

    /// Numbers that look random, each below `below`.
    fn numbers(count: usize, below: u32) -> Vec<(u32, usize)> {
        let mut state = 1_u32;
        (0..count)
            .map(|place| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 8) % below, place)
            })
            .collect()
    }

    #[test]
    fn sorts_as_the_standard_library_does() {
        for count in [0, 1, 2, 3, 20, 21, 100, 5000] {
            for below in [1, 2, 10, 1 << 20] {
                let found = numbers(count, below);
                let (mut shared, mut expected) = (found.clone(), found.clone());
                shared.shared_sort_by_key(|it| it.0);
                expected.sort_by_key(|it| it.0);
                assert_eq!(shared, expected);
                let (mut shared, mut expected) = (found.clone(), found);
                shared.shared_sort_by(|a, b| b.0.cmp(&a.0));
                expected.sort_by_key(|it| Reverse(it.0));
                assert_eq!(shared, expected);
            }
        }
    }

    #[test]
    fn items_need_no_copy() {
        let mut names: Vec<Box<str>> = ["c", "a", "b", "a"].map(Into::into).into();
        names.shared_sort();
        assert_eq!(names.iter().map(|it| &**it).collect::<String>(), "aabc");
    }

    #[test]
    fn what_is_inserted_is_what_is_collected() {
        let found = numbers(100, 10);
        let inserted: BTreeMap<u32, usize> = found.iter().copied().inserted();
        assert_eq!(inserted, found.iter().copied().collect());
        let inserted: BTreeSet<u32> = found.iter().map(|it| it.0).inserted();
        assert_eq!(inserted, found.iter().map(|it| it.0).collect());
    }

    #[test]
    fn sorted_items_stay_where_they_are() {
        let mut sorted: Vec<u32> = (0..100).collect();
        sorted.shared_sort();
        assert!(sorted.is_sorted());
        let mut reversed: Vec<u32> = (0..100).rev().collect();
        reversed.shared_sort();
        assert_eq!(reversed, sorted);
    }
}
