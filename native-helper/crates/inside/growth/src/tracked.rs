//! Many things, followed over snapshots and identified by their names.

use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::{Growth, Least, Shown, growth};

/// Snapshots that may lack things, at the beginning, whose things are followed: one that is first in a later one would be
/// unknown for longer than one stretch of time.
const FIRST: usize = 4;

/// A measure of things that have an identity (a pid) and a name that several may share.
#[derive(Debug, Clone, Default)]
pub struct Tracked {
    things: HashMap<Box<str>, Thing>,
    snapshots: usize,
    /// One of them had all things.
    had_all: bool,
}

#[derive(Debug, Clone)]
struct Thing {
    name: Box<str>,
    /// One for each snapshot, as long as it was in each that had all things; `None` where it is unknown.
    values: Vec<Option<u64>>,
}

/// The findings about the things that are followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The things that grew, by name, the most first.
    pub grown: Vec<Grown>,
    /// Names of the things that may have grown: they were known too rarely.
    pub unknown: Vec<String>,
}

/// Things that grew, by their name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grown {
    /// The name of the things.
    pub name: String,
    /// How many of them there were all the time.
    pub things: usize,
    /// All of them together.
    pub growth: Growth,
}

/// Things of one name, at each snapshot.
struct Sum {
    things: usize,
    values: Vec<u64>,
    /// Whether any of them was known.
    is_known: Vec<bool>,
}

impl Sum {
    fn new(snapshots: usize) -> Self {
        Self {
            things: 0,
            values: vec![0; snapshots],
            is_known: vec![false; snapshots],
        }
    }

    /// Where one of many is unknown, it counts with the value before, and at first with the one after.
    fn add(&mut self, thing: &Thing) {
        self.things += 1;
        let mut last = thing.values.iter().flatten().next().copied().unwrap_or(0);
        let sums = self.values.iter_mut().zip(&mut self.is_known);
        for ((sum, is_known), value) in sums.zip(&thing.values) {
            last = value.unwrap_or(last);
            *sum = sum.saturating_add(last);
            *is_known |= value.is_some();
        }
    }

    fn known(&self) -> Vec<Option<u64>> {
        let values = self.values.iter().zip(&self.is_known);
        values
            .map(|(value, is_known)| is_known.then_some(*value))
            .collect()
    }
}

impl Tracked {
    /// Takes in the next snapshot, which has all things: identity, name and value of each, where that is known. A thing
    /// that was neither in the first such snapshot nor in one of the first before it is not followed; one that is missing
    /// in such a snapshot is followed no longer.
    pub fn add<'t>(&mut self, things: impl IntoIterator<Item = (&'t str, &'t str, Option<u64>)>) {
        self.add_some(true, things);
    }

    /// The same of a snapshot that may lack things: one that is missing there is unknown in it.
    pub fn add_some<'t>(
        &mut self,
        has_all: bool,
        things: impl IntoIterator<Item = (&'t str, &'t str, Option<u64>)>,
    ) {
        for (identity, name, value) in things {
            match self.things.get_mut(identity) {
                Some(thing) if thing.values.len() == self.snapshots => thing.values.push(value),
                None if !self.had_all && (has_all || self.snapshots < FIRST) => {
                    let mut values = vec![None; self.snapshots];
                    values.push(value);
                    let thing = Thing {
                        name: name.into(),
                        values,
                    };
                    self.things.insert(identity.into(), thing);
                }
                _ => {}
            }
        }
        self.snapshots += 1;
        self.had_all |= has_all;
        if !has_all {
            for thing in self.things.values_mut() {
                thing.values.resize(self.snapshots, None);
            }
        }
        self.things
            .retain(|_, thing| thing.values.len() == self.snapshots);
    }

    /// Whether each snapshot may have lacked a thing, which is not followed then.
    pub fn may_lack_things(&self) -> bool {
        self.snapshots > 0 && !self.had_all
    }

    /// The things that grew. Things of one name are summed at each snapshot: where many swing, their
    /// sum does not.
    pub fn found(&self, least: Least) -> Found {
        let mut sums: HashMap<&str, Sum> = HashMap::new();
        for thing in self.things.values() {
            let of_name = sums.entry(&thing.name);
            of_name
                .or_insert_with(|| Sum::new(self.snapshots))
                .add(thing);
        }
        let mut found = Found::default();
        for (name, sum) in sums {
            let name = name.to_owned();
            match growth(&sum.known(), least) {
                Shown::Grown(growth) => found.grown.push(Grown {
                    name,
                    things: sum.things,
                    growth,
                }),
                Shown::Unknown => found.unknown.push(name),
                Shown::Steady => {}
            }
        }
        found.grown.shared_sort_by(|one, other| {
            let by = |it: &Grown| it.growth.after - it.growth.before;
            by(other)
                .cmp(&by(one))
                .then_with(|| one.name.cmp(&other.name))
        });
        found.unknown.shared_sort();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Least = Least {
        difference: 1,
        percent: 0,
    };

    #[test]
    fn things_are_summed_by_name_and_followed_while_they_are_there() {
        let mut tracked = Tracked::default();
        for at in 0..8 {
            // One that is unknown now and then is followed.
            let sometimes = (at % 4 != 0).then_some(5);
            let mut things = vec![
                ("a", "worker", Some(10 * at)),
                ("b", "worker", sometimes),
                ("c", "idle", Some(7)),
            ];
            if at != 3 {
                things.push(("d", "worker", Some(1000 * at)));
            }
            if at > 0 {
                things.push(("e", "worker", Some(1000 * at)));
            }
            tracked.add(things);
        }
        let expected = Grown {
            name: "worker".to_owned(),
            things: 2,
            growth: Growth {
                before: 5,
                after: 65,
                between: (0, 6),
            },
        };
        assert_eq!(tracked.found(ANY).grown, [expected]);
    }

    #[test]
    fn one_that_a_snapshot_lacked_is_followed_on() {
        let mut tracked = Tracked::default();
        for at in 0..24_u64 {
            let lacks_it = at == 0 || at == 9;
            let mut things = vec![("b", "idle", Some(7))];
            if !lacks_it {
                things.push(("a", "hoarder", Some(100 * at)));
            }
            // One that began after a snapshot with all things.
            if at > 1 {
                things.push(("c", "later", Some(100 * at)));
            }
            tracked.add_some(!lacks_it, things);
            assert_eq!(tracked.may_lack_things(), at == 0);
        }
        let found = tracked.found(ANY);
        let grown: Vec<&str> = found.grown.iter().map(|it| &*it.name).collect();
        assert_eq!(grown, ["hoarder"]);
        assert_eq!(found.grown[0].growth.between, (1, 20));
        assert_eq!(found.unknown, Vec::<String>::new());
    }

    #[test]
    fn where_each_snapshot_lacks_things_later_ones_are_not_followed() {
        let mut tracked = Tracked::default();
        let names: Vec<String> = (0..24).map(|at| format!("<0.{at}.0>")).collect();
        for name in &names {
            tracked.add_some(false, [(&**name, "churn", Some(7))]);
        }
        assert_eq!(tracked.things.len(), FIRST);
        assert!(tracked.may_lack_things());
    }

    #[test]
    fn one_that_works_at_most_looks_is_named_as_not_known() {
        let mut tracked = Tracked::default();
        for at in 0..24_u64 {
            let seldom = (at == 0 || at == 23).then_some(100 * at);
            tracked.add([("a", "hoarder", seldom), ("b", "idle", Some(7))]);
        }
        let expected = Found {
            grown: Vec::new(),
            unknown: vec!["hoarder".to_owned()],
        };
        assert_eq!(tracked.found(ANY), expected);
    }

    #[test]
    fn many_that_swing_do_not_grow() {
        let mut tracked = Tracked::default();
        let names: Vec<String> = (0..100).map(|thing| thing.to_string()).collect();
        for at in 0..24 {
            tracked.add(names.iter().zip(0..).map(|(name, thing)| {
                let swing = (thing * 7 + at * 13) % 29;
                (&**name, "churn", Some(1000 + swing))
            }));
        }
        let worth = Least {
            difference: 1,
            percent: 1,
        };
        assert_eq!(tracked.found(worth), Found::default());
    }
}
