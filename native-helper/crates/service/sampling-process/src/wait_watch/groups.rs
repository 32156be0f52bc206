//! Processes with the same stack, and the report on them.

use std::rc::Rc;
use std::time::Duration;

use profile_builder::StackId;
use protocol::waits::WaitingGroup;
use shared_map::HashMap;
use shared_sort::SharedSort;

/// Reported stacks, and reported names of each.
const SHOWN_STACKS: usize = 1000;
const SHOWN_NAMES: usize = 5;
/// Names of one stack that are counted: processes with labels of their own have one each.
const MOST_NAMES: usize = 10_000;

/// Processes with the same stack.
#[derive(Default)]
pub(super) struct Group {
    /// Names of its frames, innermost first.
    pub stack: Vec<Rc<str>>,
    nanoseconds: u64,
    in_last_look: u64,
    names: HashMap<Rc<str>, u64>,
}

/// All groups, and the group of each process of the last snapshot.
#[derive(Default)]
pub(super) struct Groups {
    by_stack: HashMap<StackId, Group>,
    waits_in: HashMap<u64, StackId>,
}

impl Groups {
    /// Begins a snapshot.
    pub fn begin_look(&mut self) {
        for group in self.by_stack.values_mut() {
            group.in_last_look = 0;
        }
        self.waits_in.clear();
    }

    /// Adds a process that waits with this stack. `names` is called when the stack is new.
    pub fn add(
        &mut self,
        (id, called): (u64, &str),
        at: StackId,
        waited_ns: u64,
        names: impl FnOnce() -> Vec<Rc<str>>,
    ) -> &Group {
        self.waits_in.insert(id, at);
        let group = self.by_stack.entry(at).or_insert_with(|| Group {
            stack: names(),
            ..Group::default()
        });
        group.nanoseconds = group.nanoseconds.saturating_add(waited_ns);
        group.in_last_look += 1;
        if group.names.len() < MOST_NAMES || group.names.contains_key(called) {
            *group.names.entry(called.into()).or_default() += 1;
        }
        group
    }

    /// Where a process of the last snapshot waits.
    pub fn of_process(&self, id: u64) -> Option<&Group> {
        self.by_stack.get(self.waits_in.get(&id)?)
    }

    /// The groups with the most time, and the number of the others.
    pub fn largest(self) -> (Vec<WaitingGroup>, u64) {
        let mut groups: Vec<Group> = self.by_stack.into_values().collect();
        groups.shared_sort_by(|a, b| (b.nanoseconds, &a.stack).cmp(&(a.nanoseconds, &b.stack)));
        let left_out = groups.len().saturating_sub(SHOWN_STACKS) as u64;
        groups.truncate(SHOWN_STACKS);
        let shown = groups.into_iter().map(|group| {
            let mut names: Vec<(Rc<str>, u64)> = group.names.into_iter().collect();
            names.shared_sort_by(|(a, more), (b, less)| less.cmp(more).then_with(|| a.cmp(b)));
            names.truncate(SHOWN_NAMES);
            WaitingGroup {
                seconds: Duration::from_nanos(group.nanoseconds).as_secs_f64(),
                processes: group.in_last_look,
                names: names.iter().map(|(name, _)| name.to_string()).collect(),
                stack: group.stack.iter().map(ToString::to_string).collect(),
            }
        });
        (shown.collect(), left_out)
    }
}

#[cfg(test)]
mod tests {
    use capture::sample::FunctionFacts;
    use profile_builder::{Bounds, ProfileBuilder};

    use super::*;

    #[test]
    fn time_adds_up_over_looks_and_processes_are_those_of_the_last() {
        let mut profile = ProfileBuilder::new(Bounds {
            max_samples: 10,
            max_depth: 10,
            max_frames: 10,
        });
        let mut stack = |name: &str| {
            let frame = profile.frame(FunctionFacts::marker(name), 0);
            profile.call(ProfileBuilder::EMPTY, frame)
        };
        let (one, other) = (stack("[one]"), stack("[other]"));
        let mut groups = Groups::default();
        groups.begin_look();
        for (id, called) in [(1, "b"), (2, "a"), (3, "a")] {
            groups.add((id, called), one, 1_000_000_000, || vec!["one".into()]);
        }
        groups.begin_look();
        groups.add((2, "a"), one, 500_000_000, || panic!("it is known"));
        groups.add((3, "c"), other, 500_000_000, || vec!["other".into()]);
        assert!(groups.of_process(1).is_none());
        assert_eq!(&*groups.of_process(3).unwrap().stack[0], "other");
        let (shown, left_out) = groups.largest();
        assert_eq!(left_out, 0);
        let rows = shown
            .iter()
            .map(|it| (it.stack[0].as_str(), it.seconds, it.processes));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [("one", 3.5, 1), ("other", 0.5, 1)]
        );
        assert_eq!(shown[0].names, ["a", "b"], "who is there most is first");
    }
}
