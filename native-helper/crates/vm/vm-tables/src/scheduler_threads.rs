//! Which thread each scheduler is, by the VM's own tables.
//!
//! A thread's name proves nothing: threads that a NIF starts inherit the name of the scheduler that
//! started them. But each ErtsSchedulerData holds the `pthread_t` of its thread, which leads to the C
//! library's block of that thread, and that holds the number that the kernel gave the thread. Both
//! offsets differ between releases and C libraries. They are those at which every scheduler leads to
//! a live thread of its own.

use std::collections::{BTreeMap, BTreeSet};

use shared_sort::{Inserted, SharedSort};
use target_memory::{TargetMemory, u32_at, u64_at};
use vm_layout::emulator_image::is_pointer;

use crate::schedulers::{Scheduler, SchedulerKind};

/// The `pthread_t` is among the first fields of a scheduler.
const THREAD_WITHIN_BYTES: usize = 128;
/// How much of a thread's block is searched. It may lie at the end of a mapping, so that less of it
/// can be read.
const BLOCK_BYTES: [usize; 4] = [1024, 512, 256, 128];
const THREAD_ALIGN: u64 = 8;
/// Schedulers that are searched: enough that an accident cannot hold for all of them.
const SEARCHED: usize = 32;

/// A live thread of the VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveThread {
    /// Its number in the pid namespace of the VM.
    pub number: u32,
    /// The scheduler that it is called after.
    pub called: Option<(SchedulerKind, u32)>,
}

/// Where the kernel's number of a scheduler's thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadNumbers {
    /// In ErtsSchedulerData: the `pthread_t`.
    thread: usize,
    /// In the block that it points to: the number, 32 bits.
    number: usize,
}

impl ThreadNumbers {
    /// Finds the place. `None` when no place leads from every scheduler to a live thread of its own,
    /// most of which are called after their scheduler and none after another one, or when two places
    /// disagree.
    pub fn find(
        memory: &impl TargetMemory,
        schedulers: &[Scheduler],
        threads: &[LiveThread],
    ) -> Option<Self> {
        let called: BTreeMap<u32, _> = threads
            .iter()
            .map(|thread| (thread.number, thread.called))
            .inserted();
        let searched = searched(schedulers);
        let heads: Vec<Vec<u8>> = searched
            .iter()
            .map(|scheduler| {
                let head = THREAD_WITHIN_BYTES;
                memory.read_vec(scheduler.data, head, head).ok()
            })
            .collect::<Option<_>>()?;
        let mut found: Option<(Self, Vec<u32>)> = None;
        for thread in (0..THREAD_WITHIN_BYTES).step_by(8) {
            let Some(blocks) = blocks(memory, &heads, thread) else {
                continue;
            };
            let shortest = blocks.iter().map(Vec::len).min()?;
            for number in (0..shortest).step_by(4) {
                let numbers: Vec<u32> = blocks
                    .iter()
                    .map(|block| u32_at(block, number))
                    .collect::<Option<_>>()?;
                if !are_threads_of(&numbers, &searched, &called) {
                    continue;
                }
                match &found {
                    Some((_, others)) if *others != numbers => return None,
                    Some(_) => {}
                    None => found = Some((Self { thread, number }, numbers)),
                }
            }
        }
        found.map(|(place, _)| place)
    }

    /// The number of a scheduler's thread in the pid namespace of the VM; `None` when memory cannot be
    /// read.
    pub fn of(&self, memory: &impl TargetMemory, scheduler: &Scheduler) -> Option<u32> {
        let block = memory
            .read_u64_at(scheduler.data, self.thread as u64)
            .ok()
            .filter(|block| is_pointer(*block, THREAD_ALIGN))?;
        memory.read_u32_at(block, self.number as u64).ok()
    }
}

/// Some of each kind.
fn searched(schedulers: &[Scheduler]) -> Vec<Scheduler> {
    let mut first: Vec<Scheduler> = schedulers.to_vec();
    first.shared_sort_by_key(|scheduler| scheduler.number);
    first.truncate(SEARCHED);
    first
}

/// What the word at `thread` of each scheduler points to; `None` when one points nowhere, or two to
/// one block.
fn blocks(memory: &impl TargetMemory, heads: &[Vec<u8>], thread: usize) -> Option<Vec<Vec<u8>>> {
    let addresses: Vec<u64> = heads
        .iter()
        .map(|head| u64_at(head, thread).filter(|word| is_pointer(*word, THREAD_ALIGN)))
        .collect::<Option<_>>()?;
    let distinct: BTreeSet<u64> = addresses.iter().copied().inserted();
    if distinct.len() < addresses.len() {
        return None;
    }
    let block = |address: &u64| {
        BLOCK_BYTES
            .iter()
            .find_map(|len| memory.read_vec(*address, *len, *len).ok())
    };
    addresses.iter().map(block).collect()
}

fn are_threads_of(
    numbers: &[u32],
    schedulers: &[Scheduler],
    called: &BTreeMap<u32, Option<(SchedulerKind, u32)>>,
) -> bool {
    let distinct: BTreeSet<u32> = numbers.iter().copied().inserted();
    if distinct.len() < numbers.len() {
        return false;
    }
    let mut agreeing = 0;
    for (number, scheduler) in numbers.iter().zip(schedulers) {
        match called.get(number) {
            Some(Some(name)) if *name == (scheduler.kind, scheduler.number) => agreeing += 1,
            // Code that runs on a scheduler may have given its thread another name.
            Some(None) => {}
            Some(Some(_)) | None => return false,
        }
    }
    agreeing > 0 && agreeing * 2 >= numbers.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    const BLOCKS: u64 = 0x7000_0000;

    fn scheduler(kind: SchedulerKind, number: u32, data: u64) -> Scheduler {
        Scheduler {
            kind,
            number,
            data,
            registers: 0,
        }
    }

    type Vm = (SnapshotMemory, Vec<Scheduler>, Vec<LiveThread>);

    /// Two normal schedulers and one dirty one, which are threads 501 to 503.
    fn vm(number_at: usize) -> Vm {
        vm_with(&[(number_at, 501)])
    }

    /// Each block has these numbers, counted up from one scheduler to the next.
    fn vm_with(numbers: &[(usize, u64)]) -> Vm {
        let kinds = [
            (SchedulerKind::Normal, 1),
            (SchedulerKind::Normal, 2),
            (SchedulerKind::DirtyCpu, 1),
        ];
        let mut memory = SnapshotMemory::new();
        let (mut schedulers, mut threads) = (Vec::new(), Vec::new());
        for (index, (kind, number)) in (0u64..).zip(kinds) {
            let (data, block) = (0x10_0000 + index * 0x1000, BLOCKS + index * 0x1000);
            let mut head = [0; 64];
            // Something else that all of them point to, and something that each has of its own.
            head[1] = 0x9000_0000;
            head[2] = data;
            head[4] = block;
            memory.map_words(data, &head);
            let mut words = [0u64; 128];
            words[0] = block;
            for (at, first) in numbers {
                words[at / 8] = (first + index) << (at % 8 * 8);
            }
            // What every block has: the process.
            words[91] = 500;
            memory.map_words(block, &words);
            schedulers.push(scheduler(kind, number, data));
            threads.push(LiveThread {
                number: 501 + index as u32,
                called: Some((kind, number)),
            });
        }
        // Threads that a NIF started on them.
        let pool = threads.clone().into_iter().map(|thread| LiveThread {
            number: thread.number + 100,
            ..thread
        });
        threads.extend(pool.collect::<Vec<_>>());
        threads.push(LiveThread {
            number: 500,
            called: None,
        });
        (memory, schedulers, threads)
    }

    #[test]
    fn each_scheduler_leads_to_its_own_thread_and_to_none_that_has_its_name() {
        for number_at in [48, 720, 212] {
            let (memory, schedulers, threads) = vm(number_at);
            let place = ThreadNumbers::find(&memory, &schedulers, &threads).unwrap();
            let numbers: Vec<_> = schedulers.iter().map(|it| place.of(&memory, it)).collect();
            assert_eq!(numbers, [Some(501), Some(502), Some(503)], "{number_at}");
        }
    }

    #[test]
    fn a_thread_with_a_name_of_its_own_is_a_scheduler_all_the_same() {
        let (memory, schedulers, mut threads) = vm(720);
        threads[1].called = None;
        assert!(ThreadNumbers::find(&memory, &schedulers, &threads).is_some());
        threads[0].called = None;
        assert_eq!(ThreadNumbers::find(&memory, &schedulers, &threads), None);
    }

    #[test]
    fn a_number_of_no_live_thread_or_of_another_scheduler_is_none() {
        let (memory, schedulers, mut threads) = vm(720);
        threads[0].called = Some((SchedulerKind::Normal, 2));
        assert_eq!(ThreadNumbers::find(&memory, &schedulers, &threads), None);
        threads.remove(0);
        assert_eq!(ThreadNumbers::find(&memory, &schedulers, &threads), None);
    }

    #[test]
    fn two_places_that_disagree_are_no_proof() {
        let (memory, schedulers, threads) = vm_with(&[(720, 501), (256, 601)]);
        assert_eq!(ThreadNumbers::find(&memory, &schedulers, &threads), None);
        let (memory, schedulers, threads) = vm_with(&[(720, 501), (256, 501)]);
        assert!(ThreadNumbers::find(&memory, &schedulers, &threads).is_some());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words in prop::collection::vec(0x10000u64..0x10200, 64)) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x10000, &words);
            let schedulers = [0x10000, 0x10080].map(|data| scheduler(SchedulerKind::Normal, 1, data));
            let threads = [LiveThread { number: 0x10000, called: None }];
            if let Some(place) = ThreadNumbers::find(&memory, &schedulers, &threads) {
                let _ = place.of(&memory, &schedulers[0]);
            }
        }
    }
}
