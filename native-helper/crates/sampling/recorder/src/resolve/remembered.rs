//! Values remembered by address, so as not to find them out again at every sample. A target decides
//! how many addresses there are, in its stacks and registers, so there is a bound.

use std::collections::HashMap;

/// Entries of one map; a busy VM has some thousand.
const MAX_REMEMBERED: usize = 100_000;

/// The map, empty if it was full: a value that is needed again is found out again.
pub fn with_room<K, V>(map: &mut HashMap<K, V>) -> &mut HashMap<K, V> {
    if map.len() >= MAX_REMEMBERED {
        map.clear();
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_never_has_more_entries_than_it_may() {
        let mut map = HashMap::new();
        for address in 0..MAX_REMEMBERED as u64 + 10 {
            with_room(&mut map).insert(address, ());
            assert!(map.len() <= MAX_REMEMBERED);
        }
        assert_eq!(map.len(), 10);
    }
}
