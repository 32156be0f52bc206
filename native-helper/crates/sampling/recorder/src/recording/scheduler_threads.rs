//! Which threads of the target are its schedulers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use attach::AttachedVm;
use bpf_engine::namespace::innermost_tid;
use shared_sort::Inserted;
use target_memory::TargetMemory;
use target_proc::threads::Thread;
use vm_tables::scheduler_threads::{LiveThread, ThreadNumbers};
use vm_tables::schedulers::{Scheduler, scheduler_of_thread_name};

/// Looks in a row at which some scheduler had no thread: a VM that boots is complete long before.
const MAX_VAIN_LOOKS: u32 = 100;

/// The threads that are schedulers, by the VM's own tables. Where these do not lead to the kernel's
/// numbers of threads, by a name that no other thread has: the VM gives each scheduler its name, and a
/// scheduler lives as long as the VM.
#[derive(Debug, Default)]
pub struct SchedulerThreads {
    numbers: Option<ThreadNumbers>,
    by_tid: HashMap<u32, Scheduler>,
    is_complete: bool,
    vain_looks: u32,
}

impl SchedulerThreads {
    /// True when another look may find the thread of a scheduler that has none yet.
    pub(super) fn may_find_more(&self) -> bool {
        !self.is_complete && self.vain_looks < MAX_VAIN_LOOKS
    }

    /// A thread got another name.
    pub(super) fn note_new_name(&mut self) {
        self.vain_looks = 0;
    }

    /// Forgets threads that have ended.
    pub(super) fn retain(&mut self, alive: &HashSet<u32>) {
        let before = self.by_tid.len();
        self.by_tid.retain(|tid, _| alive.contains(tid));
        self.is_complete &= self.by_tid.len() == before;
    }

    /// The scheduler that a thread is.
    pub fn get(&self, tid: u32) -> Option<&Scheduler> {
        self.by_tid.get(&tid)
    }

    /// Looks which of `threads`, all those of `vm`, are its schedulers.
    pub fn look_at(&mut self, vm: &AttachedVm, threads: &[Thread]) {
        let pid = vm.process.pid;
        let is_nested = vm.process.status.namespace_pids.len() > 1;
        let number_of = |tid| match is_nested {
            true => innermost_tid(pid, tid),
            false => Some(tid),
        };
        self.look(&vm.memory, &vm.schedulers, threads, number_of);
    }

    /// Looks which of `threads` are `schedulers`. `number_of` gives the number of a thread in the pid
    /// namespace of the target.
    fn look(
        &mut self,
        memory: &impl TargetMemory,
        schedulers: &[Scheduler],
        threads: &[Thread],
        number_of: impl Fn(u32) -> Option<u32>,
    ) {
        if self.numbers.is_some() && self.is_complete {
            return;
        }
        let numbered: Vec<(u32, LiveThread)> = threads
            .iter()
            .filter_map(|thread| {
                let live = LiveThread {
                    number: number_of(thread.tid)?,
                    called: scheduler_of_thread_name(&thread.comm),
                };
                Some((thread.tid, live))
            })
            .collect();
        if self.numbers.is_none() {
            let live: Vec<LiveThread> = numbered.iter().map(|(_, live)| *live).collect();
            self.numbers = ThreadNumbers::find(memory, schedulers, &live);
        }
        self.by_tid = match &self.numbers {
            Some(numbers) => by_numbers(numbers, memory, schedulers, &numbered),
            None => by_unique_names(schedulers, threads),
        };
        self.is_complete = self.by_tid.len() == schedulers.len();
        self.vain_looks = match self.is_complete {
            true => 0,
            false => self.vain_looks.saturating_add(1),
        };
    }
}

fn by_numbers(
    numbers: &ThreadNumbers,
    memory: &impl TargetMemory,
    schedulers: &[Scheduler],
    threads: &[(u32, LiveThread)],
) -> HashMap<u32, Scheduler> {
    let tids: BTreeMap<u32, u32> = threads
        .iter()
        .map(|(tid, live)| (live.number, *tid))
        .inserted();
    let thread_of = |scheduler: &Scheduler| {
        let number = numbers.of(memory, scheduler)?;
        Some((*tids.get(&number)?, *scheduler))
    };
    schedulers.iter().filter_map(thread_of).collect()
}

fn by_unique_names(schedulers: &[Scheduler], threads: &[Thread]) -> HashMap<u32, Scheduler> {
    let (mut first, mut others) = (HashMap::new(), BTreeSet::new());
    for thread in threads {
        let Some(name) = scheduler_of_thread_name(&thread.comm) else {
            continue;
        };
        if first.insert(name, thread.tid).is_some() {
            others.insert(thread.comm.as_str());
        }
    }
    let is_unique = |tid: &u32| {
        threads
            .iter()
            .any(|thread| thread.tid == *tid && !others.contains(thread.comm.as_str()))
    };
    let thread_of = |scheduler: &Scheduler| {
        let tid = first.get(&(scheduler.kind, scheduler.number))?;
        is_unique(tid).then_some((*tid, *scheduler))
    };
    schedulers.iter().filter_map(thread_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;
    use vm_tables::schedulers::SchedulerKind;

    fn thread(tid: u32, comm: &str) -> Thread {
        Thread {
            tid,
            comm: comm.to_owned(),
        }
    }

    /// Two schedulers whose threads are 11 and 12 of the VM's namespace.
    fn vm() -> (SnapshotMemory, [Scheduler; 2]) {
        let mut memory = SnapshotMemory::new();
        let schedulers = [1, 2].map(|number| {
            let data = 0x10_0000 * u64::from(number);
            let (mut head, mut block) = ([0; 64], [0; 128]);
            head[4] = data + 0x8000;
            block[90] = 10 + u64::from(number);
            memory.map_words(data, &head);
            memory.map_words(data + 0x8000, &block);
            Scheduler {
                kind: SchedulerKind::Normal,
                number,
                data,
                registers: 0x7000_0000,
            }
        });
        (memory, schedulers)
    }

    fn schedulers_of(found: &SchedulerThreads, tids: &[u32]) -> Vec<Option<u32>> {
        let number = |tid: &u32| found.get(*tid).map(|scheduler| scheduler.number);
        tids.iter().map(number).collect()
    }

    #[test]
    fn a_pool_with_the_name_of_a_scheduler_is_none() {
        let (memory, schedulers) = vm();
        // Sorted by number in our namespace, which may begin anew at any time.
        let threads = [
            thread(5, "erts_sched_1"),
            thread(71, "erts_sched_1"),
            thread(72, "erts_sched_2"),
            thread(90, "erts_sched_2"),
        ];
        let mut found = SchedulerThreads::default();
        let number_of = |tid: u32| Some(tid.checked_sub(60).unwrap_or(tid));
        found.look(&memory, &schedulers, &threads, number_of);
        assert_eq!(
            schedulers_of(&found, &[5, 71, 72, 90]),
            [None, Some(1), Some(2), None]
        );
        assert!(!found.may_find_more());
    }

    #[test]
    fn without_proof_only_a_name_that_one_thread_has_counts() {
        let (_, schedulers) = vm();
        let threads = [
            thread(71, "erts_sched_1"),
            thread(72, "erts_sched_2"),
            thread(90, "erts_sched_2"),
        ];
        let mut found = SchedulerThreads::default();
        found.look(&SnapshotMemory::new(), &schedulers, &threads, Some);
        assert_eq!(schedulers_of(&found, &[71, 72, 90]), [Some(1), None, None]);
        assert!(found.may_find_more());
        found.look(&SnapshotMemory::new(), &schedulers, &threads[..2], Some);
        assert_eq!(
            schedulers_of(&found, &[71, 72, 90]),
            [Some(1), Some(2), None]
        );
    }

    #[test]
    fn a_scheduler_that_is_named_later_is_one_from_then_on() {
        let (memory, schedulers) = vm();
        let mut found = SchedulerThreads::default();
        let threads = |name: &str| [thread(11, name), thread(12, name)];
        found.look(&memory, &schedulers, &threads("beam.smp"), Some);
        assert_eq!(schedulers_of(&found, &[11, 12]), [None, None]);
        assert!(found.may_find_more());
        let named = [thread(11, "erts_sched_1"), thread(12, "beam.smp")];
        found.look(&memory, &schedulers, &named, Some);
        assert_eq!(schedulers_of(&found, &[11, 12]), [Some(1), Some(2)]);
    }

    #[test]
    fn a_thread_that_ended_is_no_scheduler() {
        let (memory, schedulers) = vm();
        let mut found = SchedulerThreads::default();
        let threads = [thread(11, "erts_sched_1"), thread(12, "erts_sched_2")];
        found.look(&memory, &schedulers, &threads, Some);
        assert!(!found.may_find_more());
        found.retain(&HashSet::from([11]));
        assert_eq!(schedulers_of(&found, &[11, 12]), [Some(1), None]);
        assert!(found.may_find_more());
    }
}
