//! Readings of what a VM counts, and of what the kernel counts for its OS process.

use std::array::from_fn;
use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, NodeReader};
use diagnose::standstill::standstill;
use protocol::node::RunQueues;
use target_proc::{ProcFs, ProcRights};

use crate::circumstances::UnknownFacts;
use crate::counter_reading::{CounterReading, OsCounters};
use crate::node::{OF_COUNTERS, counters, run_queues};

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
}

/// Reads all of it now.
pub(crate) fn counter_reading(
    vm: &mut AttachedVm,
    reader: &mut Option<NodeReader>,
    watch: &mut CounterWatch,
) -> Result<CounterReading, AttachError> {
    let numbers = vm.node_numbers(reader)?;
    let now = Instant::now();
    let began = *watch.began.get_or_insert(now);
    let pid = vm.process.pid;
    let proc_fs = ProcFs::live();
    let read = || {
        (
            thread_counts(&proc_fs, pid),
            proc_fs.activity(pid),
            proc_fs.page_faults(pid),
        )
    };
    let (threads, activity, faults) = vm.look(|vm| match &vm.target {
        Some(target) => Ok(target.within(read)),
        None => Ok(read()),
    })?;
    // Last: of a VM that has ended in between nothing is read, and nothing above is unknown for that reason.
    let counts = vm.node_counts()?;
    let mut unknown = Vec::new();
    let mut facts = UnknownFacts(&mut unknown);
    let halted = facts.known("standstill", standstill(pid).map_err(|why| why.what));
    let queues = facts.known_by(&OF_QUEUES, numbers.queues);
    let counted = facts.known_by(&OF_COUNTERS, numbers.counters);
    let faults = facts.known_by(&OF_FAULTS, faults.ok_or(NOT_REPORTED));
    let ticks = activity.map(|it| it.cpu_ticks).ok_or(NOT_REPORTED);
    let [voluntary, involuntary, waited_ns] = watch.threads.add(threads);
    let lengths = queues.map(run_queues);
    Ok(CounterReading {
        at_us: u64::try_from((now - began).as_micros()).unwrap_or(u64::MAX),
        vm: counters(counted, queues),
        os: OsCounters {
            cpu_ms: facts
                .known("cpu_ms", ticks)
                .map(|ticks| ticks.saturating_mul(TICK_MS)),
            minor_faults: faults.map(|it| it.minor),
            major_faults: faults.map(|it| it.major),
            voluntary_switches: facts.known("voluntary_switches", voluntary.ok_or(NOT_REPORTED)),
            involuntary_switches: facts
                .known("involuntary_switches", involuntary.ok_or(NOT_REPORTED)),
            processor_wait_ms: facts
                .known("processor_wait_ms", waited_ns.ok_or(NOT_REPORTED))
                .map(|ns| ns / 1_000_000),
            ended_threads: watch.threads.ended,
        },
        run_queue: lengths.map(RunQueues::total),
        processes: counts.processes.count.into(),
        memory_bytes: facts.known("memory_bytes", numbers.memory_bytes),
        rss_bytes: facts.known("rss_bytes", numbers.rss_bytes.ok_or(NOT_REPORTED)),
        is_halted: halted.flatten().is_some(),
        unknown,
    })
}

/// Voluntary switches, involuntary ones and nanoseconds of waiting, of one thread or of several.
type Counts = [Option<u64>; 3];

/// The threads of an OS process by their ids. One that ends at that moment is left out.
fn thread_counts(proc_fs: &ProcFs, pid: u32) -> Vec<(u32, Counts)> {
    let threads = proc_fs.thread_ids(pid).unwrap_or_default().into_iter();
    let counts = threads.filter_map(|tid| {
        let switches = proc_fs.thread_switches(pid, tid);
        let waited = proc_fs.processor_time(pid, tid).map(|it| it.waited);
        let counts = [
            switches.map(|it| it.voluntary),
            switches.map(|it| it.involuntary),
            waited.map(nanoseconds),
        ];
        counts.iter().any(Option::is_some).then_some((tid, counts))
    });
    counts.collect()
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What threads have counted since the first reading. The kernel forgets the counts of one that has ended, so those
/// that were read before stay in the sums.
#[derive(Debug, Default)]
struct ThreadSums {
    /// As of the last reading.
    threads: Vec<(u32, Counts)>,
    sums: [u64; 3],
    ended: u64,
}

impl ThreadSums {
    /// Adds a reading, by thread id; the sums by then. What no thread has is not known.
    fn add(&mut self, mut threads: Vec<(u32, Counts)>) -> Counts {
        if threads.is_empty() {
            return [None; 3];
        }
        let is_known: [bool; 3] =
            from_fn(|index| threads.iter().any(|(_, counts)| counts[index].is_some()));
        let before = std::mem::take(&mut self.threads);
        let is_first = before.is_empty();
        let mut stayed = 0;
        for (tid, counts) in &mut threads {
            let earlier = before.binary_search_by_key(tid, |(tid, _)| *tid);
            let earlier = earlier.ok().map(|at| before[at].1);
            // The id of a thread that has ended may be another one's by now.
            let earlier = earlier.filter(|earlier| !has_fallen(earlier, counts));
            stayed += usize::from(earlier.is_some());
            let since = match earlier {
                Some(earlier) => earlier,
                None if is_first => *counts,
                None => [Some(0); 3],
            };
            for ((sum, since), count) in self.sums.iter_mut().zip(since).zip(counts) {
                *count = count.or(since);
                let added = count.zip(since).map(|(by_now, since)| by_now - since);
                *sum = sum.saturating_add(added.unwrap_or(0));
            }
        }
        self.ended += (before.len() - stayed) as u64;
        self.threads = threads;
        from_fn(|index| is_known[index].then_some(self.sums[index]))
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
        [Some(voluntary), Some(involuntary), Some(waited)]
    }

    #[test]
    fn what_threads_count_from_the_first_reading_on_is_added_up() {
        let mut sums = ThreadSums::default();
        let first = vec![(3, counts(100, 10, 900)), (5, counts(50, 5, 90))];
        assert_eq!(sums.add(first), counts(0, 0, 0));
        // The last one began since then.
        let second = vec![
            (3, counts(101, 10, 950)),
            (5, counts(52, 6, 90)),
            (7, counts(4, 0, 1)),
        ];
        assert_eq!(sums.add(second), counts(7, 1, 51));
        assert_eq!(sums.ended, 0);
    }

    #[test]
    fn a_thread_that_ends_takes_nothing_from_the_sums_and_is_counted() {
        let mut sums = ThreadSums::default();
        sums.add(vec![(3, counts(100, 10, 900)), (5, counts(50, 5, 90))]);
        sums.add(vec![(3, counts(101, 10, 900)), (5, counts(60, 5, 90))]);
        assert_eq!(sums.add(vec![(3, counts(102, 10, 900))]), counts(12, 0, 0));
        assert_eq!(sums.ended, 1);
        // Another thread has its id.
        let reused = vec![(3, counts(1, 1, 1))];
        assert_eq!(sums.add(reused), counts(13, 1, 1));
        assert_eq!(sums.ended, 2);
    }

    #[test]
    fn what_no_thread_has_is_not_known() {
        let mut sums = ThreadSums::default();
        let switches = |voluntary| [Some(voluntary), Some(0), None];
        assert_eq!(sums.add(vec![(3, switches(9))]), switches(0));
        assert_eq!(sums.add(Vec::new()), [None; 3]);
        assert_eq!(sums.add(vec![(3, switches(11))]), switches(2));
        assert_eq!(sums.ended, 0, "a reading without threads is none");
    }
}
