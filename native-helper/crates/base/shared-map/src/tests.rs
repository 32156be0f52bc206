use std::collections::{BTreeMap, BTreeSet};

use crate::{HashMap, HashSet};

/// Numbers that look random, the same in each run.
fn numbers(count: usize) -> impl Iterator<Item = u64> {
    let next = |number: &u64| {
        Some(
            number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695),
        )
    };
    std::iter::successors(Some(7), next)
        .map(|number| number >> 33)
        .take(count)
}

#[test]
fn has_the_entries_of_an_ordered_map() {
    let (mut map, mut model) = (HashMap::new(), BTreeMap::new());
    for (at, number) in numbers(20_000).enumerate() {
        let key = (number % 701).to_string();
        match number / 701 % 7 {
            0..=2 => assert_eq!(map.insert(key.clone(), at), model.insert(key, at)),
            3 => assert_eq!(
                map.entry(key.clone()).or_insert(at),
                model.entry(key).or_insert(at)
            ),
            4 => {
                *map.entry(key.clone()).or_default() += at;
                *model.entry(key).or_default() += at;
            }
            5 => assert_eq!(map.remove(key.as_str()), model.remove(key.as_str())),
            _ => assert_eq!(map.get(key.as_str()), model.get(key.as_str())),
        }
        if at % 3000 == 2999 {
            map.retain(|_, value| *value % 3 != 0);
            model.retain(|_, value| *value % 3 != 0);
        }
        assert_eq!(map.len(), model.len());
    }
    assert!(model.iter().all(|(key, value)| map[key.as_str()] == *value));
    let entries: BTreeMap<&String, &usize> = map.iter().collect();
    assert_eq!(entries, model.iter().collect());
    assert_eq!(map.into_iter().collect::<BTreeMap<_, _>>(), model);
}

#[test]
fn changes_only_what_is_there() {
    let mut map = HashMap::from([(1, 10), (2, 20)]);
    map.entry(1).and_modify(|it| *it += 1).or_insert(5);
    map.entry(3).and_modify(|it| *it += 1).or_insert(5);
    for (key, value) in map.iter_mut() {
        *value *= key;
    }
    assert_eq!(map, HashMap::from([(3, 15), (1, 11), (2, 40)]));
    assert_eq!(map.drain().collect::<Vec<_>>(), [(1, 11), (2, 40), (3, 15)]);
    assert!(map.is_empty() && !map.contains_key(&1) && map.remove(&1).is_none());
    map.insert(1, 2);
    assert_eq!(map.get_key_value(&1), Some((&1, &2)));
    map.clear();
    assert_eq!(map.get(&1), None);
}

#[test]
fn a_set_has_each_item_once() {
    let items: Vec<u64> = numbers(5000).map(|number| number % 500).collect();
    let set: HashSet<u64> = items.iter().copied().collect();
    let model: BTreeSet<u64> = items.iter().copied().collect();
    assert_eq!(set.iter().copied().collect::<BTreeSet<_>>(), model);
    assert_eq!(set.len(), model.len());
    let even: HashSet<u64> = (0..500).filter(|it| it % 2 == 0).collect();
    let both: BTreeSet<u64> = set.intersection(&even).copied().collect();
    let one: BTreeSet<u64> = set.difference(&even).copied().collect();
    assert!(both.iter().all(|it| it % 2 == 0) && one.iter().all(|it| it % 2 == 1));
    assert_eq!(both.union(&one).copied().collect::<BTreeSet<_>>(), model);
    let mut set = set;
    assert!(set.remove(&items[0]) && set.insert(items[0]) && !set.insert(items[0]));
    set.retain(|it| it % 2 == 0);
    assert_eq!(set, both.into_iter().collect());
}
