//! How many schedulers of a VM are online, and whether multi-scheduling is blocked: by the VM's own variable.

use std::collections::BTreeSet;

use target_memory::{TargetMemory, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::emulator_image::is_pointer;
use vm_layout::scheduling::{
    ACTIVE, ALL_CHANGES, ATOM_FALSE, BLOCK, BLOCK_QUEUE, BLOCKERS, BYTES, CHANGE_QUEUE, CHANGER,
    CHANGING, ENTRY_NEXT, ENTRY_PID, LAST_DIRTY, NORMAL_BLOCK, NOW_ONLINE, ONLINE,
};

use crate::processes::is_local_pid;
use crate::schedulers::{MAX_SCHEDULERS, SchedulerArray, SchedulerKind};

const TABLE: &str = "schedulers online";
/// Blockers that are read: a VM with more has a process that blocks again and again.
const MAX_BLOCKERS: usize = 16;

/// Numbers of schedulers: normal, dirty CPU, dirty I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchedulerNumbers {
    /// Normal ones.
    pub normal: u32,
    /// Dirty CPU schedulers.
    pub dirty_cpu: u32,
    /// Dirty I/O schedulers.
    pub dirty_io: u32,
}

impl SchedulerNumbers {
    /// How many of these arrays there are.
    pub fn of(arrays: &[SchedulerArray; 3]) -> Self {
        let count = |kind| {
            let of_kind = arrays.iter().find(|array| array.kind == kind);
            of_kind.map_or(0, |array| array.count)
        };
        Self {
            normal: count(SchedulerKind::Normal),
            dirty_cpu: count(SchedulerKind::DirtyCpu),
            dirty_io: count(SchedulerKind::DirtyIo),
        }
    }

    fn read(bytes: &[u8], offset: usize) -> Option<Self> {
        Some(Self {
            normal: u32_at(bytes, offset)?,
            dirty_cpu: u32_at(bytes, offset + 4)?,
            dirty_io: u32_at(bytes, offset + 8)?,
        })
    }

    /// The number of this kind.
    pub fn of_kind(&self, kind: SchedulerKind) -> u32 {
        match kind {
            SchedulerKind::Normal => self.normal,
            SchedulerKind::DirtyCpu => self.dirty_cpu,
            SchedulerKind::DirtyIo => self.dirty_io,
        }
    }

    fn within(&self, all: &Self) -> bool {
        self.normal <= all.normal
            && self.dirty_cpu <= all.dirty_cpu
            && self.dirty_io <= all.dirty_io
    }
}

/// Which schedulers multi-scheduling is blocked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockedKind {
    /// Only one scheduler of any kind runs at a time.
    All,
    /// Only one of the normal ones does.
    Normal,
}

/// Whether a scheduler may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Online,
    /// It is offline: `schedulers_online` leaves it out.
    Offline,
    /// A process blocks multi-scheduling.
    Blocked,
}

/// What a VM has decided about its schedulers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduling {
    /// All schedulers there are.
    pub all: SchedulerNumbers,
    /// Those that are online.
    pub online: SchedulerNumbers,
    /// Those that may run.
    pub active: SchedulerNumbers,
    /// For which schedulers multi-scheduling is blocked.
    pub blocked: Option<BlockedKind>,
    /// The pid terms of the processes that block it, each once.
    pub blockers: Vec<u64>,
}

impl Scheduling {
    /// Whether a scheduler may run. Those with the lowest numbers may.
    pub fn standing(&self, kind: SchedulerKind, number: u32) -> Standing {
        let is_normal = kind == SchedulerKind::Normal;
        let blocks = match self.blocked {
            Some(BlockedKind::All) => true,
            Some(BlockedKind::Normal) => is_normal,
            None => false,
        };
        if number > self.online.of_kind(kind) {
            Standing::Offline
        } else if blocks && number > self.active.of_kind(kind) {
            Standing::Blocked
        } else {
            Standing::Online
        }
    }
}

/// Where a VM has the variable. It never moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulingTable {
    /// The address of its first counter.
    pub address: u64,
    /// All schedulers there are.
    pub all: SchedulerNumbers,
}

impl SchedulingTable {
    /// What the VM has decided by now.
    ///
    /// # Errors
    /// Memory cannot be read, or the variable contradicts itself.
    pub fn read(&self, memory: &impl TargetMemory) -> Result<Scheduling, TableError> {
        let mut bytes = [0; BYTES];
        memory.read(self.address, &mut bytes)?;
        if !is_scheduling(&bytes, &self.all) {
            return Err(TableError::malformed(TABLE, "they contradict themselves"));
        }
        let is_ongoing = |block| u32_at(&bytes, block).is_some_and(|ongoing| ongoing != 0);
        let blocked = match (is_ongoing(BLOCK), is_ongoing(NORMAL_BLOCK)) {
            (true, _) => Some(BlockedKind::All),
            (false, true) => Some(BlockedKind::Normal),
            (false, false) => None,
        };
        let mut blockers = BTreeSet::new();
        for block in [BLOCK, NORMAL_BLOCK] {
            if let Some(first) = u64_at(&bytes, block + BLOCKERS).filter(|first| *first != 0) {
                add_processes(memory, first, &mut blockers);
            }
        }
        let counts = |offset| SchedulerNumbers::read(&bytes, offset).unwrap_or_default();
        Ok(Scheduling {
            all: self.all,
            online: counts(NOW_ONLINE),
            active: counts(ACTIVE),
            blocked,
            blockers: blockers.into_iter().collect(),
        })
    }
}

/// Adds the pids of a list, which ends where it begins. The VM may change the list in the meantime, so any end will do.
fn add_processes(memory: &impl TargetMemory, first: u64, pids: &mut BTreeSet<u64>) {
    let mut entry = first;
    for _ in 0..MAX_BLOCKERS {
        let word = |offset| memory.read_u64_at(entry, offset).ok();
        let (Some(pid), Some(next)) = (word(ENTRY_PID), word(ENTRY_NEXT)) else {
            return;
        };
        if !is_local_pid(pid) {
            return;
        }
        pids.insert(pid);
        if next == first || !is_pointer(next, 8) {
            return;
        }
        entry = next;
    }
}

/// Whether these bytes can be the variable of a VM with so many schedulers.
pub fn is_scheduling(bytes: &[u8], all: &SchedulerNumbers) -> bool {
    can_be_scheduling(bytes, all).unwrap_or(false)
}

fn can_be_scheduling(bytes: &[u8], all: &SchedulerNumbers) -> Option<bool> {
    let counts = |offset| SchedulerNumbers::read(bytes, offset);
    let (online, now, active) = (counts(ONLINE)?, counts(NOW_ONLINE)?, counts(ACTIVE)?);
    let some_run = |numbers: &SchedulerNumbers| {
        // Dirty I/O schedulers are all online at all times.
        numbers.normal > 0 && numbers.dirty_io == all.dirty_io && numbers.within(all)
    };
    let is_list = |offset| {
        let pointer = u64_at(bytes, offset)?;
        Some(pointer == 0 || is_pointer(pointer, 8))
    };
    let is_block = |block: usize| {
        let is_there = u32_at(bytes, block)?;
        let padding = u32_at(bytes, block + 4)?;
        let lists = is_list(block + BLOCKERS)? && is_list(block + BLOCK_QUEUE)?;
        Some(is_there <= 1 && padding == 0 && lists)
    };
    let changer = u64_at(bytes, CHANGER)?;
    Some(
        all.normal > 0
            && all.normal <= MAX_SCHEDULERS
            && some_run(&online)
            && some_run(&now)
            && active.within(all)
            && u32_at(bytes, CHANGING)? & !ALL_CHANGES == 0
            && is_list(CHANGE_QUEUE)?
            && (changer == ATOM_FALSE || is_local_pid(changer))
            && is_block(NORMAL_BLOCK)?
            && is_block(BLOCK)?
            && matches!(u32_at(bytes, LAST_DIRTY)?, 1 | 2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    const HERE: u64 = 0x10_000;
    const LIST: u64 = 0x20_000;
    const ALL: SchedulerNumbers = SchedulerNumbers {
        normal: 4,
        dirty_cpu: 4,
        dirty_io: 10,
    };

    fn words(counters: [u32; 10], blocks: [u64; 6]) -> Vec<u64> {
        let mut words: Vec<u64> = counters
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
            .collect();
        words.extend([0, ATOM_FALSE]);
        words.extend(blocks);
        words.push(2);
        words
    }

    fn read(words: &[u64], memory: &mut SnapshotMemory) -> Result<Scheduling, TableError> {
        memory.map_words(HERE, words);
        let table = SchedulingTable {
            address: HERE,
            all: ALL,
        };
        table.read(memory)
    }

    /// As `erl +S 4 +SDcpu 4:4` of Debian 12 had it after `system_flag(schedulers_online, 1)`.
    const ONE_ONLINE: [u32; 10] = [1, 1, 10, 1, 1, 10, 1, 1, 10, 0];
    /// As it had it with two online while a process blocked.
    const BLOCKED: [u32; 10] = [2, 2, 10, 2, 2, 10, 1, 0, 0, 0];

    #[test]
    fn those_with_numbers_above_the_number_online_are_offline() {
        let found = read(&words(ONE_ONLINE, [0; 6]), &mut SnapshotMemory::new()).unwrap();
        assert_eq!((found.online.normal, found.blocked), (1, None));
        let standing = |kind, number| found.standing(kind, number);
        use SchedulerKind::{DirtyCpu, DirtyIo, Normal};
        assert_eq!(standing(Normal, 1), Standing::Online);
        assert_eq!(standing(Normal, 2), Standing::Offline);
        assert_eq!(standing(DirtyCpu, 2), Standing::Offline);
        assert_eq!(standing(DirtyIo, 10), Standing::Online);
    }

    #[test]
    fn who_blocks_is_known_and_the_others_are_blocked() {
        let mut memory = SnapshotMemory::new();
        // Two processes, one of which blocks twice.
        memory.map_words(LIST, &[0x2903, 0, LIST + 0x40, 0]);
        memory.map_words(LIST + 0x40, &[0x2913, 0, LIST + 0x80, 0]);
        memory.map_words(LIST + 0x80, &[0x2903, 0, LIST, 0]);
        let blocked = words(BLOCKED, [0, 0, 0, 1, LIST, 0]);
        let found = read(&blocked, &mut memory).unwrap();
        assert_eq!(found.blocked, Some(BlockedKind::All));
        assert_eq!(found.blockers, [0x2903, 0x2913]);
        use SchedulerKind::{DirtyIo, Normal};
        assert_eq!(found.standing(Normal, 1), Standing::Online);
        assert_eq!(found.standing(Normal, 2), Standing::Blocked);
        assert_eq!(found.standing(Normal, 3), Standing::Offline);
        assert_eq!(found.standing(DirtyIo, 1), Standing::Blocked);
        let mut memory = SnapshotMemory::new();
        let normal = words([2, 2, 10, 2, 2, 10, 1, 2, 10, 0], [1, LIST, 0, 0, 0, 0]);
        let found = read(&normal, &mut memory).unwrap();
        assert_eq!(found.blocked, Some(BlockedKind::Normal));
        assert!(found.blockers.is_empty(), "the list cannot be read");
        assert_eq!(found.standing(Normal, 2), Standing::Blocked);
        assert_eq!(found.standing(DirtyIo, 1), Standing::Online);
    }

    #[test]
    fn a_list_that_leads_nowhere_ends() {
        for (pid, next) in [(7, LIST), (0x2903, 0), (0x2903, 3), (0x2903, LIST + 0x40)] {
            let mut memory = SnapshotMemory::new();
            memory.map_words(LIST, &[pid, 0, next, 0]);
            // One that leads to itself and never to its beginning.
            memory.map_words(LIST + 0x40, &[0x2913, 0, LIST + 0x40, 0]);
            let blocked = words(BLOCKED, [0, 0, 0, 1, LIST, 0]);
            assert!(read(&blocked, &mut memory).unwrap().blockers.len() <= 2);
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let good = words(ONE_ONLINE, [0; 6]);
        assert!(read(&good, &mut SnapshotMemory::new()).is_ok());
        for (index, word) in [
            // No scheduler online, more than there are, dirty I/O schedulers offline, an unknown change.
            (0, 0),
            (0, 5 | 1 << 32),
            (1, 9 | 1 << 32),
            (4, 10 | 0x10 << 32),
            (5, 3),
            (6, 0),
            (7, 2),
            (7, 1 << 32),
            (8, 7),
            (13, 0),
        ] {
            let mut bad = good.clone();
            bad[index] = word;
            assert!(
                read(&bad, &mut SnapshotMemory::new()).is_err(),
                "{index} {word:#x}"
            );
        }
        assert!(!is_scheduling(&[0; BYTES - 1], &ALL));
        assert!(!is_scheduling(&[0; BYTES], &SchedulerNumbers::default()));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words in prop::collection::vec(any::<u64>(), 14..20)) {
            let _ = read(&words, &mut SnapshotMemory::new());
        }
    }
}
