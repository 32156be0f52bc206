//! Whether a scheduler waits until there is something to run: the word of the VM that changes when it begins and ends
//! to wait.
//!
//! A normal scheduler has a run queue of its own, which counts those that wait for it. Dirty schedulers of a kind have
//! one queue, so for these the flags count that each scheduler has in its own `ErtsSchedulerSleepInfo`.

use target_memory::{TargetMemory, bytes_to_words};
use vm_layout::VmLayout;
use vm_layout::emulator_image::is_pointer;
use vm_layout::sleep_info;

use crate::run_queues::RunQueues;
use crate::schedulers::{Scheduler, SchedulerKind};

/// How much of a scheduler is searched for the pointer to its flags.
const SEARCHED_BYTES: usize = 512;

/// A word of 32 bits, one of whose bits `mask` is set while schedulers wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitWord {
    /// Where it is.
    pub address: u64,
    /// Which bits of it count.
    pub mask: u32,
    /// Other schedulers set these bits as well.
    pub is_shared: bool,
}

impl WaitWord {
    /// The word of `scheduler`; `None` when none is known.
    pub fn find(
        memory: &impl TargetMemory,
        layout: &VmLayout,
        queues: Option<&RunQueues>,
        scheduler: &Scheduler,
    ) -> Option<Self> {
        let is_dirty = scheduler.kind != SchedulerKind::Normal;
        let flags = || Self::own_flags(memory, layout, scheduler);
        is_dirty.then(flags).flatten().or_else(|| {
            Some(Self {
                address: queues?.waiting_at(scheduler),
                mask: u32::MAX,
                is_shared: is_dirty,
            })
        })
    }

    /// Whether the scheduler waits, judged by the word; `None` when the word does not decide that.
    pub fn waits(&self, word: u32) -> Option<bool> {
        self.waits_by_bits(word & self.mask != 0)
    }

    /// The same by whether one of the bits is set.
    pub fn waits_by_bits(&self, is_set: bool) -> Option<bool> {
        (!is_set || !self.is_shared).then_some(is_set)
    }

    /// The scheduler's own flags, when they are where they should be.
    fn own_flags(
        memory: &impl TargetMemory,
        layout: &VmLayout,
        scheduler: &Scheduler,
    ) -> Option<Self> {
        let pointer = flags_pointer(layout)? as u64;
        let info = memory.read_u64_at(scheduler.data, pointer).ok()?;
        if !is_info_of(memory, info, scheduler) {
            return None;
        }
        let flags = memory.read_u32_at(info, sleep_info::FLAGS).ok()?;
        (flags & !sleep_info::ALL == 0).then_some(Self {
            address: info.wrapping_add(sleep_info::FLAGS),
            mask: sleep_info::WAITING,
            is_shared: false,
        })
    }
}

/// Where a scheduler has the pointer to its flags, by the layout.
pub fn flags_pointer(layout: &VmLayout) -> Option<usize> {
    let process = layout.scheduler.current_process;
    process.checked_sub(sleep_info::BEFORE_PROCESS)
}

/// All places that could be that, by the VM alone: at each of them every scheduler points to an aligned struct that
/// points back at it.
pub fn flags_pointers(memory: &impl TargetMemory, schedulers: &[Scheduler]) -> Vec<usize> {
    let heads: Option<Vec<Vec<u64>>> = schedulers
        .iter()
        .map(|scheduler| {
            let head = memory.read_vec(scheduler.data, SEARCHED_BYTES, SEARCHED_BYTES);
            Some(bytes_to_words(&head.ok()?).collect())
        })
        .collect();
    let heads = heads.unwrap_or_default();
    let all_point_back = |index: &usize| {
        let mut each = schedulers.iter().zip(&heads);
        each.all(|(scheduler, head)| {
            head.get(*index)
                .is_some_and(|info| is_info_of(memory, *info, scheduler))
        })
    };
    (0..SEARCHED_BYTES / 8)
        .filter(|_| !heads.is_empty())
        .filter(all_point_back)
        .map(|index| index * 8)
        .collect()
}

fn is_info_of(memory: &impl TargetMemory, info: u64, scheduler: &Scheduler) -> bool {
    is_pointer(info, sleep_info::ALIGN)
        && memory.read_u64_at(info, sleep_info::SCHEDULER).ok() == Some(scheduler.data)
}

#[cfg(test)]
mod tests {
    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;

    use super::*;

    const DATA: u64 = 0x10_0000;
    const INFO: u64 = 0x20_0000;

    fn scheduler(kind: SchedulerKind) -> Scheduler {
        Scheduler {
            kind,
            number: 1,
            data: DATA,
            registers: 0,
        }
    }

    /// A scheduler that points to `info`, and a struct there that points to `owner`.
    fn vm(layout: &VmLayout, info: u64, owner: u64, flags: u64) -> SnapshotMemory {
        let mut head = [0; SEARCHED_BYTES / 8];
        head[flags_pointer(layout).unwrap() / 8] = info;
        let mut memory = SnapshotMemory::new();
        memory.map_words(DATA, &head);
        memory.map_words(INFO, &[owner, 0, 0, flags]);
        memory
    }

    fn found(layout: &VmLayout, memory: &SnapshotMemory, kind: SchedulerKind) -> Option<WaitWord> {
        WaitWord::find(memory, layout, None, &scheduler(kind))
    }

    #[test]
    fn a_dirty_scheduler_has_flags_of_its_own() {
        for row in ROWS {
            // Spinning, sleeping, suspended and spinning; about to suspend, working.
            for (flags, waits) in [
                (0x9, true),
                (0xd, true),
                (0x19, true),
                (0x10, false),
                (0, false),
            ] {
                let memory = vm(row, INFO, DATA, flags);
                for kind in [SchedulerKind::DirtyCpu, SchedulerKind::DirtyIo] {
                    let word = found(row, &memory, kind).unwrap();
                    let read = memory.read_u32(word.address).unwrap();
                    assert_eq!(word.waits(read), Some(waits), "{flags:#x}");
                    assert_eq!(word.waits_by_bits(true), Some(true));
                }
                assert_eq!(
                    flags_pointers(&memory, &[scheduler(SchedulerKind::DirtyCpu)]),
                    [flags_pointer(row).unwrap()]
                );
            }
        }
    }

    #[test]
    fn a_struct_that_is_not_the_schedulers_own_has_no_flags() {
        let row = &ROWS[0];
        for memory in [
            vm(row, INFO, DATA + 64, 0xd),
            vm(row, INFO + 8, DATA, 0xd),
            vm(row, 0, DATA, 0xd),
            // No flag has such a bit.
            vm(row, INFO, DATA, 0x4d),
            SnapshotMemory::new(),
        ] {
            assert_eq!(found(row, &memory, SchedulerKind::DirtyCpu), None);
        }
        // The count of a normal scheduler is that of its queue, and here no queues are known.
        let memory = vm(row, INFO, DATA, 0xd);
        assert_eq!(found(row, &memory, SchedulerKind::Normal), None);
        assert!(flags_pointers(&SnapshotMemory::new(), &[]).is_empty());
    }

    #[test]
    fn that_one_of_several_waits_decides_for_none_of_them() {
        let word = |is_shared| WaitWord {
            address: 0,
            mask: u32::MAX,
            is_shared,
        };
        assert_eq!(word(true).waits(0), Some(false));
        assert_eq!(word(true).waits(2), None);
        assert_eq!(word(false).waits(2), Some(true));
    }
}
