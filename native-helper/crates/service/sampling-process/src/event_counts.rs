//! Events that count on the processors of a VM's threads: their migrations, and hardware counters.

use std::io::ErrorKind;

use perf_ring::OpenError;
use perf_ring::counting::{Counter, CounterGroup, GroupCounts, MOST_COUNTERS};
use permitted_target::PermittedTarget;

/// The counters by the names of their members, in the order of all counts.
pub(crate) const EVENTS: [(&str, Counter); 5] = [
    ("migrations", Counter::Migrations),
    ("cycles", Counter::Cycles),
    ("instructions", Counter::Instructions),
    ("cache_misses", Counter::CacheMisses),
    ("branch_misses", Counter::BranchMisses),
];
const HARDWARE: usize = 1;
const NO_PLACE: &str = "the processor's counters are in use";

/// Counts of one thread, in the order of [`EVENTS`].
pub(crate) type EventCounts = [Option<u64>; EVENTS.len()];

/// The events of the threads of a VM.
#[derive(Debug, Default)]
pub(crate) struct EventWatch {
    plan: Option<Plan>,
    threads: Vec<ThreadEvents>,
    /// Threads ran when hardware counters were last wanted, and none had a place on a processor.
    has_no_place: bool,
    /// Threads whose events were opened after their beginning.
    pub began: u64,
    /// Time of threads with hardware counters on processors, and the part of it in which these counted, nanoseconds.
    pub hardware_ns: [u64; 2],
}

/// The events that each thread gets.
#[derive(Debug, Default)]
struct Plan {
    /// Positions in [`EVENTS`], by group: each counts at the same times.
    groups: Vec<Vec<usize>>,
    is_user_only: bool,
    /// Why an event is not counted.
    refused: [Option<String>; EVENTS.len()],
}

#[derive(Debug)]
struct ThreadEvents {
    tid: u32,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    /// Positions in [`EVENTS`].
    of: Vec<usize>,
    events: CounterGroup,
    last: GroupCounts,
    /// As of the last reading that could be added.
    added: GroupCounts,
    sums: [u64; MOST_COUNTERS],
}

impl EventWatch {
    /// Reads the events of these threads, sorted by id, and opens those of new ones. Each thread counts from its opening
    /// on.
    pub fn read(&mut self, target: &PermittedTarget, tids: &[u32]) -> Vec<EventCounts> {
        let is_first = self.plan.is_none();
        let mut hardware_ns = [0; 2];
        self.threads
            .retain(|it| tids.binary_search(&it.tid).is_ok());
        for tid in tids {
            if !self.threads.iter().any(|it| it.tid == *tid) && self.add(target, *tid) {
                self.began += u64::from(!is_first);
            }
        }
        let counts = tids.iter().map(|tid| {
            let mut threads = self.threads.iter_mut();
            let thread = threads.find(|it| it.tid == *tid);
            let (Some(thread), Some(plan)) = (thread, &mut self.plan) else {
                return EventCounts::default();
            };
            thread.read(plan, &mut hardware_ns)
        });
        let mut counts: Vec<EventCounts> = counts.collect();
        self.has_no_place = match hardware_ns {
            [0, 0] => self.has_no_place,
            [_, running] => running == 0,
        };
        for (sum, added) in self.hardware_ns.iter_mut().zip(hardware_ns) {
            *sum += added;
        }
        // Of an event that one thread does not have the sum is not known.
        for (index, refused) in self.refused().iter().enumerate() {
            if refused.is_some() || (self.has_no_place && index >= HARDWARE) {
                counts.iter_mut().for_each(|thread| thread[index] = None);
            }
        }
        counts
    }

    /// Why an event is not known, by its position in [`EVENTS`].
    pub fn why(&self, index: usize) -> String {
        let refused = self.refused().get(index).cloned().flatten();
        refused.unwrap_or_else(|| NO_PLACE.to_owned())
    }

    /// Whether hardware counters leave out the time in the kernel.
    pub fn is_user_only(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.is_user_only)
    }

    fn refused(&self) -> &[Option<String>] {
        match &self.plan {
            Some(plan) => &plan.refused,
            None => &[],
        }
    }

    /// Opens the events of a thread; whether it has them now.
    fn add(&mut self, target: &PermittedTarget, tid: u32) -> bool {
        // Events are opened here, by numbers alone.
        let _raised = target.raise_to_sample();
        // By the first thread, which lives as long as the VM.
        let plan = self.plan.get_or_insert_with(|| Plan::by(target.pid()));
        let mut groups = Vec::with_capacity(plan.groups.len());
        for of in plan.groups.clone() {
            match opened(&of, tid, plan.is_user_only) {
                Ok(events) => groups.push(Group::of(of, events)),
                Err(OpenError::ThreadGone) => return false,
                Err(error) => {
                    plan.refuse(&of, &why(&error));
                    close_refused(&mut self.threads, plan);
                }
            }
        }
        // The number may have become that of another process's thread.
        if !target.has_thread(tid) {
            return false;
        }
        for group in &groups {
            if let Err(error) = group.events.enable() {
                plan.refuse(&group.of, &error.to_string());
            }
        }
        self.threads.push(ThreadEvents { tid, groups });
        true
    }
}

impl Plan {
    /// By the events that this thread can have.
    fn by(tid: u32) -> Self {
        let mut plan = Self::default();
        match opened(&[0], tid, false) {
            Ok(_) => plan.groups.push(vec![0]),
            Err(error) => plan.refuse(&[0], &why(&error)),
        }
        let mut hardware = Vec::new();
        for index in HARDWARE..EVENTS.len() {
            hardware.push(index);
            let mut found = opened(&hardware, tid, plan.is_user_only);
            if matches!(found, Err(OpenError::Denied)) && hardware.len() == 1 {
                plan.is_user_only = true;
                found = opened(&hardware, tid, true);
            }
            if let Err(error) = found {
                hardware.pop();
                plan.refuse(&[index], &why(&error));
            }
        }
        plan.is_user_only &= !hardware.is_empty();
        if !hardware.is_empty() {
            plan.groups.push(hardware);
        }
        plan
    }

    fn refuse(&mut self, of: &[usize], why: &str) {
        for index in of {
            self.refused[*index].get_or_insert_with(|| why.to_owned());
        }
        self.groups.retain(|group| group != of);
    }
}

/// Closes the events that other threads have in vain: where files are too few, `/proc` is to be read with these.
fn close_refused(threads: &mut [ThreadEvents], plan: &Plan) {
    for thread in threads {
        thread.groups.retain(|it| plan.groups.contains(&it.of));
    }
}

impl ThreadEvents {
    fn read(&mut self, plan: &mut Plan, hardware_ns: &mut [u64; 2]) -> EventCounts {
        let mut counts = EventCounts::default();
        for group in &mut self.groups {
            let before = group.last;
            if let Err(error) = group.events.read().map(|now| group.add(now)) {
                plan.refuse(&group.of, &error.to_string());
            }
            let now = group.last;
            if group.of.first().is_some_and(|first| *first >= HARDWARE) {
                hardware_ns[0] += now.enabled_ns.saturating_sub(before.enabled_ns);
                hardware_ns[1] += now.running_ns.saturating_sub(before.running_ns);
            }
            for (index, sum) in group.of.iter().zip(group.sums) {
                counts[*index] = Some(sum);
            }
        }
        counts
    }
}

impl Group {
    fn of(of: Vec<usize>, events: CounterGroup) -> Self {
        Self {
            of,
            events,
            last: GroupCounts::default(),
            added: GroupCounts::default(),
            sums: [0; MOST_COUNTERS],
        }
    }

    /// Adds a reading. Times without a place are made up for once there is one again.
    fn add(&mut self, now: GroupCounts) {
        self.last = now;
        let Some(counts) = now.since(&self.added) else {
            return;
        };
        for (sum, count) in self.sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count);
        }
        self.added = now;
    }
}

fn opened(of: &[usize], tid: u32, is_user_only: bool) -> Result<CounterGroup, OpenError> {
    let counters: Vec<Counter> = of.iter().map(|index| EVENTS[*index].1).collect();
    CounterGroup::open(&counters, tid, is_user_only)
}

fn why(error: &OpenError) -> String {
    match error {
        OpenError::Denied => "the kernel does not allow counting it".to_owned(),
        OpenError::Unsupported => "this machine has no such counter".to_owned(),
        OpenError::Os(error) if error.kind() == ErrorKind::InvalidInput => NO_PLACE.to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(enabled_ns: u64, running_ns: u64, first: u64) -> GroupCounts {
        let mut counts = [0; MOST_COUNTERS];
        counts[0] = first;
        GroupCounts {
            enabled_ns,
            running_ns,
            counts,
        }
    }

    #[test]
    fn an_event_that_one_thread_lacks_has_its_first_reason_and_is_opened_no_more() {
        let mut plan = Plan {
            groups: vec![vec![0], vec![1, 2]],
            ..Plan::default()
        };
        plan.refuse(&[1, 2], "too many open files");
        plan.refuse(&[1, 2], "another reason");
        assert_eq!(plan.groups, [vec![0]]);
        let watch = EventWatch {
            plan: Some(plan),
            ..EventWatch::default()
        };
        assert_eq!(watch.why(2), "too many open files");
        assert_eq!(watch.why(0), NO_PLACE);
        assert_eq!(EventWatch::default().why(0), NO_PLACE);
    }

    fn group_without_events(of: Vec<usize>) -> Group {
        let Ok(events) = CounterGroup::open(&[], std::process::id(), true) else {
            unreachable!("no event needs no right");
        };
        Group::of(of, events)
    }

    #[test]
    fn events_that_one_thread_lacks_are_closed_of_the_others() {
        let mut plan = Plan {
            groups: vec![vec![0], vec![1, 2]],
            ..Plan::default()
        };
        let groups = plan.groups.iter().cloned().map(group_without_events);
        let mut threads = [ThreadEvents {
            tid: 1,
            groups: groups.collect(),
        }];
        close_refused(&mut threads, &plan);
        assert_eq!(threads[0].groups.len(), 2);
        plan.refuse(&[1, 2], "too many open files");
        close_refused(&mut threads, &plan);
        let [left] = &threads[0].groups[..] else {
            panic!("{threads:?}");
        };
        assert_eq!(left.of, [0]);
    }

    #[test]
    fn times_without_a_place_are_made_up_for_later() {
        let mut it = group_without_events(vec![1]);
        it.add(group(100, 0, 0));
        assert_eq!((it.sums[0], it.last.enabled_ns), (0, 100));
        it.add(group(200, 50, 10));
        assert_eq!(it.sums[0], 40);
        it.add(group(300, 50, 10));
        it.add(group(400, 150, 20));
        assert_eq!(it.sums[0], 60);
    }

    #[test]
    fn each_counter_is_counted_or_has_a_reason() {
        let plan = Plan::by(std::process::id());
        for (index, (name, _)) in EVENTS.iter().enumerate() {
            let is_counted = plan.groups.iter().flatten().any(|it| *it == index);
            assert_ne!(is_counted, plan.refused[index].is_some(), "{name}");
        }
    }
}
