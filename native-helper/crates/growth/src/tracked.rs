//! Many things, followed over snapshots and told by what they are called.

use std::collections::HashMap;

use shared_sort::SharedSort;

use crate::{Growth, Least, growth};

/// A measure of things that have an identity (a pid) and a name that several may share.
#[derive(Debug, Clone, Default)]
pub struct Tracked {
    things: HashMap<Box<str>, Thing>,
    snapshots: usize,
}

#[derive(Debug, Clone)]
struct Thing {
    name: Box<str>,
    /// One for each snapshot from the first on, as long as it was in each; `None` where it could not be told.
    values: Vec<Option<u64>>,
}

/// What grew, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grown {
    /// What the things are called.
    pub name: String,
    /// How many of them there were all the time.
    pub things: usize,
    /// All of them together.
    pub growth: Growth,
}

impl Thing {
    /// A value for each snapshot: where it could not be told, the one before, and at first the one after.
    fn filled(&self) -> impl Iterator<Item = u64> + '_ {
        let mut last = self.values.iter().flatten().next().copied().unwrap_or(0);
        self.values.iter().map(move |value| {
            last = value.unwrap_or(last);
            last
        })
    }
}

impl Tracked {
    /// Takes in the next snapshot: identity, name and value of each thing, where that can be told. What was not there from the first
    /// snapshot on is not followed; what is missing in one is followed no longer.
    pub fn add<'t>(&mut self, things: impl IntoIterator<Item = (&'t str, &'t str, Option<u64>)>) {
        let is_first = self.snapshots == 0;
        for (identity, name, value) in things {
            match self.things.get_mut(identity) {
                Some(thing) if thing.values.len() == self.snapshots => thing.values.push(value),
                None if is_first => {
                    let thing = Thing {
                        name: name.into(),
                        values: vec![value],
                    };
                    self.things.insert(identity.into(), thing);
                }
                _ => {}
            }
        }
        self.snapshots += 1;
        self.things
            .retain(|_, thing| thing.values.len() == self.snapshots);
    }

    /// What grew, by name, the most first. Things of one name are summed at each snapshot: where many swing,
    /// their sum does not.
    pub fn grown(&self, least: Least) -> Vec<Grown> {
        let mut sums: HashMap<&str, (usize, Vec<u64>)> = HashMap::new();
        for thing in self.things.values() {
            let (things, sum) = sums
                .entry(&thing.name)
                .or_insert_with(|| (0, vec![0; self.snapshots]));
            *things += 1;
            for (sum, value) in sum.iter_mut().zip(thing.filled()) {
                *sum = sum.saturating_add(value);
            }
        }
        let mut grown: Vec<Grown> = sums
            .into_iter()
            .filter_map(|(name, (things, sum))| {
                Some(Grown {
                    name: name.to_owned(),
                    things,
                    growth: growth(&sum, least)?,
                })
            })
            .collect();
        grown.shared_sort_by(|one, other| {
            let by = |it: &Grown| it.growth.after - it.growth.before;
            by(other)
                .cmp(&by(one))
                .then_with(|| one.name.cmp(&other.name))
        });
        grown
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
            // One that cannot be told now and then is followed.
            let told = (at % 4 != 0).then_some(5);
            let mut things = vec![
                ("a", "worker", Some(10 * at)),
                ("b", "worker", told),
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
        assert_eq!(tracked.grown(ANY), [expected]);
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
        assert_eq!(tracked.grown(worth), []);
    }
}
