//! Readings of what a VM counts, and of what the kernel counts for its OS process.

use std::array::from_fn;
use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, EachScheduler, NodeReader};
use capture::sample::SchedulerId;
use diagnose::standstill::standstill;
use protocol::node::{NodeCounters, RunQueues};
use recorder::SchedulerThreads;
use target_proc::activity::{Activity, PageFaults};
use target_proc::{ProcFs, ProcRights};
use vm_tables::run_queues::QueueCounts;
use vm_tables::schedulers::SchedulerKind;

use crate::circumstances::UnknownFacts;
use crate::counter_reading::{CountedPart, CounterReading, OsCounters, PartOfVm};
use crate::event_counts::{EVENTS, EventWatch};
use crate::node::{OF_COUNTERS, counters, run_queues};
use crate::schedulers::id_of;

/// Members that come from the run queues.
const OF_QUEUES: [&str; 3] = ["run_queue", "reductions", "context_switches"];
const OF_FAULTS: [&str; 2] = ["minor_faults", "major_faults"];
/// A clock tick of `/proc`, milliseconds.
const TICK_MS: u64 = 10;
const NOT_REPORTED: &str = "the kernel does not report it";

/// The readings so far.
#[derive(Debug, Default)]
pub(crate) struct CounterWatch {
    began: Option<Instant>,
    threads: ThreadSums,
    events: EventWatch,
}

/// Reads all of it now.
pub(crate) fn counter_reading(
    vm: &mut AttachedVm,
    (reader, watch): (&mut Option<NodeReader>, &mut CounterWatch),
    per_scheduler: bool,
) -> Result<CounterReading, AttachError> {
    if per_scheduler && watch.began.is_none() {
        watch.threads.schedulers = scheduler_threads(vm)?;
    }
    let numbers = vm.node_numbers(reader)?;
    let now = Instant::now();
    let began = *watch.began.get_or_insert(now);
    let pid = vm.process.pid;
    let (threads, of_process) = os_reading(vm, &mut watch.events)?;
    // Last: of a VM that has ended in between nothing is read, and nothing above is unknown for that reason.
    let counts = vm.node_counts()?;
    let mut unknown = Vec::new();
    let mut facts = UnknownFacts(&mut unknown);
    let halted = facts.known("standstill", standstill(pid).map_err(|why| why.what));
    let queues = facts.known_by(&OF_QUEUES, numbers.queues);
    let counted = facts.known_by(&OF_COUNTERS, numbers.counters);
    let by_part = watch.threads.add(threads);
    let os = os_of_all(&mut facts, of_process, (&by_part, &*watch));
    let parts = match per_scheduler {
        true => parts(vm, &numbers.each, (&watch.threads.schedulers, &by_part)),
        false => Vec::new(),
    };
    let missing = (vm.schedulers.len()).saturating_sub(watch.threads.schedulers.len());
    if per_scheduler && missing > 0 {
        let why = format!("the threads of {missing} of them are not known");
        facts.known::<()>("schedulers", Err(why));
    }
    let lengths = queues.map(run_queues);
    Ok(CounterReading {
        at_us: u64::try_from((now - began).as_micros()).unwrap_or(u64::MAX),
        vm: counters(counted, queues),
        os,
        run_queue: lengths.map(RunQueues::total),
        processes: counts.processes.count.into(),
        memory_bytes: facts.known("memory_bytes", numbers.memory_bytes),
        rss_bytes: facts.known("rss_bytes", numbers.rss_bytes.ok_or(NOT_REPORTED)),
        is_halted: halted.flatten().is_some(),
        parts,
        unknown,
    })
}

/// Of an OS process, in its `stat`.
type OfProcess = (Option<Activity>, Option<PageFaults>);

/// The counts of each thread, with those of its events, and of the process as a whole.
fn os_reading(
    vm: &mut AttachedVm,
    events: &mut EventWatch,
) -> Result<(Vec<(u32, Counts)>, OfProcess), AttachError> {
    let pid = vm.process.pid;
    let proc_fs = ProcFs::live();
    let read = || {
        let of_process = (proc_fs.activity(pid), proc_fs.page_faults(pid));
        (thread_counts(&proc_fs, pid), of_process)
    };
    let (mut threads, of_process) = vm.look(|vm| match &vm.target {
        Some(target) => Ok(target.within(read)),
        None => Ok(read()),
    })?;
    if let Some(target) = &vm.target {
        let tids: Vec<u32> = threads.iter().map(|(tid, _)| *tid).collect();
        for ((_, counts), events) in threads.iter_mut().zip(events.read(target, &tids)) {
            counts[OF_PROC..].copy_from_slice(&events);
        }
    }
    Ok((threads, of_process))
}

/// The counts of the process and of all its threads. `by_part`: the sums of threads.
fn os_of_all(
    facts: &mut UnknownFacts<'_>,
    (activity, faults): OfProcess,
    (by_part, watch): (&[Counts], &CounterWatch),
) -> OsCounters {
    let of_all = whole(by_part);
    let of_threads = os_counters(of_all);
    let ticks = activity.map(|it| it.cpu_ticks).ok_or(NOT_REPORTED);
    let ticks = facts.known("cpu_ms", ticks);
    let faults = facts.known_by(&OF_FAULTS, faults.ok_or(NOT_REPORTED));
    for (name, count) in [
        ("voluntary_switches", of_threads.voluntary_switches),
        ("involuntary_switches", of_threads.involuntary_switches),
        ("processor_wait_ms", of_threads.processor_wait_ms),
    ] {
        facts.known(name, count.ok_or(NOT_REPORTED));
    }
    for (index, ((name, _), counted)) in EVENTS.iter().zip(&of_all[OF_PROC..]).enumerate() {
        facts.known(name, counted.ok_or_else(|| watch.events.why(index)));
    }
    OsCounters {
        cpu_ms: ticks.map(|ticks| ticks.saturating_mul(TICK_MS)),
        minor_faults: faults.map(|it| it.minor),
        major_faults: faults.map(|it| it.major),
        hardware_ns: watch.events.hardware_ns,
        is_user_only: watch.events.is_user_only(),
        ended_threads: watch.threads.ended,
        began_threads: watch.events.began,
        ..of_threads
    }
}

/// The threads of the schedulers, sorted by their ids. They live as long as the VM.
fn scheduler_threads(vm: &mut AttachedVm) -> Result<Vec<(u32, SchedulerId)>, AttachError> {
    let threads = ProcFs::live().threads(vm.process.pid).unwrap_or_default();
    let mut found = SchedulerThreads::default();
    vm.look(|vm| {
        found.look_at(vm, &threads);
        Ok(())
    })?;
    let threads = threads.iter();
    let schedulers = threads.filter_map(|it| Some((it.tid, id_of(found.get(it.tid)?))));
    Ok(schedulers.collect())
}

/// Each scheduler, the queues that dirty ones share, and all other threads. `by_part`: of the threads of schedulers, and
/// of the others.
fn parts(
    vm: &AttachedVm,
    each: &EachScheduler,
    (threads, by_part): (&[(u32, SchedulerId)], &[Counts]),
) -> Vec<CountedPart> {
    let of_queue = |of, queue: Option<&QueueCounts>| CountedPart {
        of,
        vm: NodeCounters {
            reductions: queue.map(|queue| queue.reductions),
            context_switches: queue.map(|queue| queue.context_switches),
            ..NodeCounters::default()
        },
        os: OsCounters::default(),
        run_queue: queue.map(|queue| queue.length),
    };
    let scheduler = |id: SchedulerId, queue, counted| {
        let thread = threads.iter().position(|(_, of)| *of == id);
        let counts = thread.and_then(|thread| by_part.get(thread));
        let part = of_queue(PartOfVm::Scheduler(id), queue);
        let NodeCounters {
            collections,
            reclaimed_words,
            io_in_bytes,
            io_out_bytes,
            ..
        } = counters(counted, None);
        CountedPart {
            vm: NodeCounters {
                collections,
                reclaimed_words,
                io_in_bytes,
                io_out_bytes,
                ..part.vm
            },
            os: os_counters(counts.copied().unwrap_or_default()),
            ..part
        }
    };
    let (own, shared) = each.queues.split_at(each.queues.len().saturating_sub(2));
    let schedulers = vm.schedulers.iter().map(|it| match it.kind {
        SchedulerKind::Normal => {
            let place = it.number.saturating_sub(1) as usize;
            let counted = each.counters.get(place).copied();
            scheduler(id_of(it), own.get(place), counted)
        }
        SchedulerKind::DirtyCpu | SchedulerKind::DirtyIo => scheduler(id_of(it), None, None),
    });
    let others = by_part.last().copied().unwrap_or_default();
    let more = [
        of_queue(PartOfVm::DirtyCpuQueue, shared.first()),
        of_queue(PartOfVm::DirtyIoQueue, shared.get(1)),
        CountedPart {
            os: os_counters(others),
            ..of_queue(PartOfVm::OtherThreads, None)
        },
    ];
    schedulers.chain(more).collect()
}

/// Those of threads.
fn os_counters(counts: Counts) -> OsCounters {
    let [voluntary, involuntary, waited_ns, ran_ns, events @ ..] = counts;
    let [
        migrations,
        cycles,
        instructions,
        cache_misses,
        branch_misses,
    ] = events;
    OsCounters {
        cpu_ms: ran_ns.map(|ns| ns / NS_PER_MS),
        voluntary_switches: voluntary,
        involuntary_switches: involuntary,
        processor_wait_ms: waited_ns.map(|ns| ns / NS_PER_MS),
        migrations,
        cycles,
        instructions,
        cache_misses,
        branch_misses,
        ..OsCounters::default()
    }
}

const NS_PER_MS: u64 = 1_000_000;

/// Voluntary switches, involuntary ones, nanoseconds of waiting and on a processor, and the [`EVENTS`], of one thread or of
/// several.
type Counts = [Option<u64>; COUNTS];
/// Those that `/proc` has.
const OF_PROC: usize = 4;
const COUNTS: usize = OF_PROC + EVENTS.len();

/// The threads of an OS process by their ids. One that ends at that moment is left out.
fn thread_counts(proc_fs: &ProcFs, pid: u32) -> Vec<(u32, Counts)> {
    let threads = proc_fs.thread_ids(pid).unwrap_or_default().into_iter();
    let counts = threads.filter_map(|tid| {
        let switches = proc_fs.thread_switches(pid, tid);
        let time = proc_fs.processor_time(pid, tid);
        let mut counts = Counts::default();
        counts[0] = switches.map(|it| it.voluntary);
        counts[1] = switches.map(|it| it.involuntary);
        counts[2] = time.map(|it| nanoseconds(it.waited));
        counts[3] = time.map(|it| nanoseconds(it.ran));
        counts.iter().any(Option::is_some).then_some((tid, counts))
    });
    counts.collect()
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// All parts together. What none has is not known.
fn whole(parts: &[Counts]) -> Counts {
    from_fn(|index| {
        let known = parts.iter().filter_map(|part| part[index]);
        known.reduce(u64::saturating_add)
    })
}

/// What threads have counted since the first reading. The kernel forgets the counts of one that has ended, so those
/// that were read before stay in the sums.
#[derive(Debug, Default)]
struct ThreadSums {
    /// As of the last reading.
    threads: Vec<(u32, Counts)>,
    /// Those with sums of their own, sorted by their ids.
    schedulers: Vec<(u32, SchedulerId)>,
    /// Of each of these, and of all others.
    sums: Vec<[u64; COUNTS]>,
    ended: u64,
}

impl ThreadSums {
    /// Adds a reading, by thread id; the sums by then of each scheduler, and of all other threads. What no thread of these
    /// has is not known.
    fn add(&mut self, mut threads: Vec<(u32, Counts)>) -> Vec<Counts> {
        let parts = self.schedulers.len() + 1;
        if threads.is_empty() {
            return vec![Counts::default(); parts];
        }
        self.sums.resize(parts, [0; COUNTS]);
        let mut known = vec![[false; COUNTS]; parts];
        let before = std::mem::take(&mut self.threads);
        let is_first = before.is_empty();
        let mut stayed = 0;
        for (tid, counts) in &mut threads {
            let scheduler = self.schedulers.binary_search_by_key(tid, |(tid, _)| *tid);
            let part = scheduler.unwrap_or(parts - 1);
            for (is_known, count) in known[part].iter_mut().zip(counts.iter()) {
                *is_known |= count.is_some();
            }
            let earlier = before.binary_search_by_key(tid, |(tid, _)| *tid);
            let earlier = earlier.ok().map(|at| before[at].1);
            // The id of a thread that has ended may be another one's by now.
            let earlier = earlier.filter(|earlier| !has_fallen(earlier, counts));
            stayed += usize::from(earlier.is_some());
            let since = match earlier {
                Some(earlier) => earlier,
                None if is_first => *counts,
                None => [Some(0); COUNTS],
            };
            for ((sum, since), count) in self.sums[part].iter_mut().zip(since).zip(counts) {
                *count = count.or(since);
                let added = count.zip(since).map(|(by_now, since)| by_now - since);
                *sum = sum.saturating_add(added.unwrap_or(0));
            }
        }
        self.ended += (before.len() - stayed) as u64;
        self.threads = threads;
        let sums = known.iter().zip(&self.sums);
        let sums = sums.map(|(known, sums)| from_fn(|index| known[index].then_some(sums[index])));
        sums.collect()
    }
}

fn has_fallen(before: &Counts, now: &Counts) -> bool {
    let mut both = before.iter().zip(now);
    both.any(|(before, now)| before.zip(*now).is_some_and(|(before, now)| now < before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(voluntary: u64, involuntary: u64, waited: u64) -> Counts {
        let mut counts = [Some(0); COUNTS];
        counts[..3].copy_from_slice(&[Some(voluntary), Some(involuntary), Some(waited)]);
        counts
    }

    fn add(sums: &mut ThreadSums, threads: Vec<(u32, Counts)>) -> Counts {
        whole(&sums.add(threads))
    }

    #[test]
    fn what_threads_count_from_the_first_reading_on_is_added_up() {
        let mut sums = ThreadSums::default();
        let first = vec![(3, counts(100, 10, 900)), (5, counts(50, 5, 90))];
        assert_eq!(add(&mut sums, first), counts(0, 0, 0));
        // The last one began since then.
        let second = vec![
            (3, counts(101, 10, 950)),
            (5, counts(52, 6, 90)),
            (7, counts(4, 0, 1)),
        ];
        assert_eq!(add(&mut sums, second), counts(7, 1, 51));
        assert_eq!(sums.ended, 0);
    }

    #[test]
    fn each_scheduler_and_the_other_threads_have_sums_that_are_those_of_all() {
        let mut sums = ThreadSums {
            schedulers: vec![(3, SchedulerId::Normal(1)), (7, SchedulerId::Normal(2))],
            ..ThreadSums::default()
        };
        let first = vec![
            (3, counts(100, 10, 900)),
            (5, counts(50, 5, 90)),
            (7, counts(9, 9, 9)),
        ];
        assert_eq!(sums.add(first), [counts(0, 0, 0); 3]);
        let mut unread = Counts::default();
        (unread[0], unread[2]) = (Some(55), Some(95));
        let second = vec![
            (3, counts(101, 12, 903)),
            (5, unread),
            (7, counts(13, 9, 9)),
            (8, counts(2, 2, 2)),
        ];
        let parts = sums.add(second);
        assert_eq!(parts[0], counts(1, 2, 3));
        assert_eq!(parts[1], counts(4, 0, 0));
        assert_eq!(parts[2], counts(7, 2, 7), "of the threads 5 and 8");
        assert_eq!(whole(&parts), counts(12, 4, 10));
        let gone = sums.add(vec![(5, counts(56, 5, 95))]);
        assert_eq!(gone[..2], [Counts::default(); 2]);
        assert_eq!(gone[2], counts(8, 2, 7));
        assert_eq!(sums.ended, 3);
    }

    #[test]
    fn a_thread_that_ends_takes_nothing_from_the_sums_and_is_counted() {
        let mut sums = ThreadSums::default();
        let first = vec![(3, counts(100, 10, 900)), (5, counts(50, 5, 90))];
        add(&mut sums, first);
        let second = vec![(3, counts(101, 10, 900)), (5, counts(60, 5, 90))];
        add(&mut sums, second);
        let third = vec![(3, counts(102, 10, 900))];
        assert_eq!(add(&mut sums, third), counts(12, 0, 0));
        assert_eq!(sums.ended, 1);
        // Another thread has its id.
        let reused = vec![(3, counts(1, 1, 1))];
        assert_eq!(add(&mut sums, reused), counts(13, 1, 1));
        assert_eq!(sums.ended, 2);
    }

    #[test]
    fn what_no_thread_has_is_not_known() {
        let mut sums = ThreadSums::default();
        let switches = |voluntary| {
            let mut counts = Counts::default();
            (counts[0], counts[1]) = (Some(voluntary), Some(0));
            counts
        };
        assert_eq!(add(&mut sums, vec![(3, switches(9))]), switches(0));
        assert_eq!(add(&mut sums, Vec::new()), Counts::default());
        assert_eq!(add(&mut sums, vec![(3, switches(11))]), switches(2));
        assert_eq!(sums.ended, 0, "a reading without threads is none");
    }
}
