use super::*;
use proptest::prelude::*;
use target_memory::SnapshotMemory;

const SCHEDULERS_AT: u64 = 0x10_0000;
const QUEUES_AT: u64 = 0x20_0000;
/// More than any layout reads of a scheduler.
const SCHEDULER_BYTES: u64 = 0x400;
const NORMAL: u32 = 3;

fn scheduler(kind: SchedulerKind, number: u32, place: u64) -> Scheduler {
    Scheduler {
        kind,
        number,
        data: SCHEDULERS_AT + place * SCHEDULER_BYTES,
        registers: 0,
    }
}

fn schedulers() -> Vec<Scheduler> {
    let normal =
        (1..=NORMAL).map(|number| scheduler(SchedulerKind::Normal, number, u64::from(number)));
    let dirty = [
        scheduler(SchedulerKind::DirtyCpu, 1, 10),
        scheduler(SchedulerKind::DirtyCpu, 2, 11),
        scheduler(SchedulerKind::DirtyIo, 1, 12),
    ];
    normal.chain(dirty).collect()
}

/// A VM with such queues, the last two those of dirty schedulers; with the given change.
fn vm(
    layout: &RunQueueLayout,
    lengths: [u32; 5],
    change: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>),
) -> SnapshotMemory {
    let (mut of_schedulers, mut queues) = (vec![0; 0x4000], vec![0; 5 * layout.stride]);
    let put = |bytes: &mut Vec<u8>, at: usize, value: &[u8]| {
        bytes[at..at + value.len()].copy_from_slice(value)
    };
    for scheduler in schedulers() {
        let queue = match scheduler.kind {
            SchedulerKind::Normal => scheduler.number - 1,
            SchedulerKind::DirtyCpu => NORMAL,
            SchedulerKind::DirtyIo => NORMAL + 1,
        };
        let at = (scheduler.data - SCHEDULERS_AT) as usize + layout.of_scheduler;
        let address = QUEUES_AT + u64::from(queue) * layout.stride as u64;
        put(&mut of_schedulers, at, &address.to_le_bytes());
        if scheduler.kind == SchedulerKind::Normal {
            let at = queue as usize * layout.stride + layout.scheduler;
            put(&mut queues, at, &scheduler.data.to_le_bytes());
        }
    }
    for (index, length) in (0_u32..).zip(lengths) {
        let at = index as usize * layout.stride;
        put(&mut queues, at + layout.index, &index.to_le_bytes());
        put(&mut queues, at + layout.length, &length.to_le_bytes());
        put(
            &mut queues,
            at + layout.max_length,
            &(length + 7).to_le_bytes(),
        );
    }
    change(&mut of_schedulers, &mut queues);
    let mut memory = SnapshotMemory::new();
    memory.map(SCHEDULERS_AT, of_schedulers);
    memory.map(QUEUES_AT, queues);
    memory
}

#[test]
fn each_layout_is_shown_by_the_vm_itself() {
    for layout in &RUN_QUEUES {
        let memory = vm(layout, [3, 0, 4, 5, 6], |_, _| {});
        let queues = RunQueues::find(&memory, &schedulers()).unwrap();
        assert_eq!(queues.layout, layout);
        let lengths = RunQueueLengths {
            normal: 7,
            dirty_cpu: 5,
            dirty_io: 6,
        };
        assert_eq!(queues.lengths(&memory), Ok(lengths));
    }
}

#[test]
fn the_figures_of_each_queue_add_up_to_those_of_all() {
    for layout in &RUN_QUEUES {
        let memory = vm(layout, [3, 0, 4, 5, 6], |_, queues| {
            for queue in 0..5 {
                let mut put = |offset, value: u64| {
                    let at = queue * layout.stride + offset;
                    queues[at..at + 8].copy_from_slice(&value.to_le_bytes());
                };
                put(layout.context_switches, 10 + queue as u64);
                put(layout.reductions, 1000 * (1 + queue as u64));
            }
        });
        let queues = RunQueues::find(&memory, &schedulers()).unwrap();
        let each = queues.read_each(&memory).unwrap();
        let lengths: Vec<u64> = each.iter().map(|queue| queue.length).collect();
        assert_eq!(lengths, [3, 0, 4, 5, 6]);
        assert_eq!((each[1].context_switches, each[1].reductions), (11, 2000));
        let all = queues.read(&memory).unwrap();
        assert_eq!((all.context_switches, all.reductions), (60, 15_000));
    }
    assert_eq!(RunQueueCounts::of(&[]), RunQueueCounts::default());
}

#[test]
fn what_contradicts_itself_is_refused() {
    for layout in &RUN_QUEUES {
        let second = layout.stride;
        let of_first = SCHEDULER_BYTES as usize + layout.of_scheduler;
        let of_dirty = 11 * SCHEDULER_BYTES as usize + layout.of_scheduler;
        // The index of a queue, its owner, its length, the most it had.
        for at in [
            layout.index,
            layout.scheduler,
            layout.length + 3,
            layout.max_length + 3,
        ] {
            let memory = vm(layout, [1; 5], |_, queues| queues[second + at] ^= 0xf0);
            assert!(RunQueues::find(&memory, &schedulers()).is_err(), "{at}");
        }
        for at in [of_first, of_dirty] {
            let memory = vm(layout, [1; 5], |schedulers, _| schedulers[at] ^= 8);
            assert!(RunQueues::find(&memory, &schedulers()).is_err(), "{at}");
        }
    }
    assert!(RunQueues::find(&SnapshotMemory::new(), &schedulers()).is_err());
    assert!(RunQueues::find(&SnapshotMemory::new(), &[]).is_err());
}

#[test]
fn queues_that_are_no_longer_what_they_were_are_an_error() {
    let layout = &RUN_QUEUES[1];
    let queues = RunQueues::find(&vm(layout, [1; 5], |_, _| {}), &schedulers()).unwrap();
    let memory = vm(layout, [1; 5], |_, queues| queues.fill(0));
    assert!(queues.lengths(&memory).is_err());
    assert!(queues.lengths(&SnapshotMemory::new()).is_err());
}

#[test]
fn schedulers_that_wait_are_counted_in_their_queue() {
    for layout in &RUN_QUEUES {
        // The queue of normal scheduler 2 and that of all dirty CPU schedulers.
        let memory = vm(layout, [0; 5], |_, queues| {
            for (queue, count) in [(1, 1u32), (3, 2)] {
                let at = queue * layout.stride + layout.waiting;
                queues[at..at + 4].copy_from_slice(&count.to_le_bytes());
            }
        });
        let queues = RunQueues::find(&memory, &schedulers()).unwrap();
        let waiting = schedulers()
            .iter()
            .map(|it| memory.read_u32(queues.waiting_at(it)).unwrap())
            .collect::<Vec<_>>();
        assert_eq!(waiting, [0, 1, 0, 2, 2, 0], "{}", layout.provenance);
        let strange = vm(layout, [0; 5], |_, queues| queues[layout.waiting + 2] = 1);
        assert!(RunQueues::find(&strange, &schedulers()).is_err());
    }
}

proptest! {
    #[test]
    fn garbage_is_no_queue(bytes in proptest::collection::vec(any::<u8>(), 0x3000..0x4000)) {
        let mut memory = SnapshotMemory::new();
        memory.map(SCHEDULERS_AT, bytes);
        prop_assert!(RunQueues::find(&memory, &schedulers()).is_err());
    }
}
