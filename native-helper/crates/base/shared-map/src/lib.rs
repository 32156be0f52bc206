//! Hash maps and sets by code that the program holds once.
//!
//! The table of the standard library's is compiled anew for each type of key and value, some
//! 1.2 KB each. Here the entries are in a list, and one table, the same for all types, knows the
//! places of their hashes. So they take 17 bytes more for each entry. They are for rare
//! lookups; maps with a lookup for each sample, function or block keep the standard library's.
//!
//! They hash as those do, by a key of each map: keys that a target chooses cannot be made to collide.

mod map;
mod places;
mod set;

pub use map::{Entry, HashMap, Iter, Keys};
pub use set::{HashSet, IntoItems};

#[cfg(test)]
mod tests;
