//! How many timers are set: each normal scheduler has a wheel of them and counts its content.
//!
//! All kinds are in it: those of `erlang:send_after/3` and `erlang:start_timer/3`, `receive … after`, those of
//! ports, and some of the VM itself. Timers that are due later than the wheel turns once, in 37 hours, are in a
//! tree, for which the wheel has one timer.

use shared_sort::SharedSort;
use target_memory::{Range, TargetMemory, u64_at};
use vm_layout::TableError;
use vm_layout::emulator_image::is_pointer;
use vm_layout::timers::TIMER_WHEEL;

use crate::schedulers::{Scheduler, SchedulerKind};

const TABLE: &str = "timers";
/// No VM has memory for more.
const MAX_TIMERS: u64 = 1 << 40;
/// No VM runs that long, milliseconds.
const MAX_TIME: u64 = 1 << 53;
/// How often counts are read that change during a read.
const TRIES: usize = 5;
/// From the count of all timers to the end of the last part's.
const COUNTS_BYTES: usize = TIMER_WHEEL.parts[2] + 8 - TIMER_WHEEL.all;

/// Where the wheels of a VM are. They never move while it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerWheels {
    wheels: Vec<u64>,
}

impl TimerWheels {
    /// The only place at which each normal scheduler points to a wheel of its own.
    ///
    /// # Errors
    /// There is no such place, or more than one, or memory cannot be read.
    pub fn find(memory: &impl TargetMemory, schedulers: &[Scheduler]) -> Result<Self, TableError> {
        let normal = schedulers
            .iter()
            .filter(|it| it.kind == SchedulerKind::Normal);
        let data: Vec<u64> = normal.map(|it| it.data).collect();
        let first = data.first().ok_or(TableError::NotFound {
            table: TABLE,
            wanted: "scheduler",
        })?;
        let bytes = TIMER_WHEEL.search_bytes;
        let bytes = memory.read_vec(*first, bytes, bytes)?;
        let mut found = Vec::new();
        for offset in (0..bytes.len()).step_by(8) {
            let points_to_wheel = u64_at(&bytes, offset).is_some_and(|it| is_wheel(memory, it));
            if points_to_wheel {
                found.extend(wheels_at(memory, &data, offset as u64));
            }
        }
        match found.len() {
            1 => Ok(Self {
                wheels: found.remove(0),
            }),
            0 => Err(TableError::NotFound {
                table: TABLE,
                wanted: "timer wheel of each scheduler",
            }),
            candidates => Err(TableError::Ambiguous {
                table: TABLE,
                candidates,
            }),
        }
    }

    /// The time of each wheel, in the order of the normal schedulers, milliseconds: no timer that is due later has been
    /// triggered. It stands still while its scheduler is kept busy, or sleeps.
    ///
    /// # Errors
    /// Memory cannot be read, or there is no such time.
    pub fn times(&self, memory: &impl TargetMemory) -> Result<Vec<u64>, TableError> {
        let times = self.wheels.iter().map(|wheel| {
            let time = memory.read_u64_at(*wheel, TIMER_WHEEL.time as u64)?;
            match time < MAX_TIME {
                true => Ok(time),
                false => Err(TableError::Unstable { table: TABLE }),
            }
        });
        times.collect()
    }

    /// How many timers are in all wheels now.
    ///
    /// # Errors
    /// Memory cannot be read, or the counts of a wheel do not add up, also when they are read again.
    pub fn count(&self, memory: &impl TargetMemory) -> Result<u64, TableError> {
        let ranges = Range::at_each(
            self.wheels
                .iter()
                .map(|wheel| wheel.wrapping_add(TIMER_WHEEL.all as u64)),
            COUNTS_BYTES,
        );
        let mut bytes = vec![0; COUNTS_BYTES * ranges.len()];
        for _ in 0..TRIES {
            memory.read_many(&ranges, &mut bytes)?;
            let sum = bytes.chunks_exact(COUNTS_BYTES).map(counted).sum();
            if let Some(sum) = sum {
                return Ok(sum);
            }
        }
        Err(TableError::Unstable { table: TABLE })
    }
}

/// The timers that a wheel has by its counts, when they add up.
fn counted(counts: &[u8]) -> Option<u64> {
    let at = |offset: usize| u64_at(counts, offset - TIMER_WHEEL.all);
    let all = at(TIMER_WHEEL.all).filter(|all| *all < MAX_TIMERS)?;
    let parts = TIMER_WHEEL
        .parts
        .iter()
        .try_fold(0, |sum: u64, part| Some(sum.saturating_add(at(*part)?)))?;
    (parts == all).then_some(all)
}

/// Whether there is a wheel: it points to its own slots.
fn is_wheel(memory: &impl TargetMemory, address: u64) -> bool {
    let slots = address.wrapping_add(TIMER_WHEEL.slots as u64);
    let own = memory.read_u64_at(address, TIMER_WHEEL.own_slots as u64);
    is_pointer(address, 8) && own.is_ok_and(|own| own == slots)
}

/// The wheels that all these schedulers point to at one offset, when each has another one.
fn wheels_at(memory: &impl TargetMemory, data: &[u64], offset: u64) -> Option<Vec<u64>> {
    let wheel = |data: &u64| {
        let wheel = memory.read_u64_at(*data, offset).ok()?;
        is_wheel(memory, wheel).then_some(wheel)
    };
    let wheels: Vec<u64> = data.iter().map(wheel).collect::<Option<_>>()?;
    let mut apart = wheels.clone();
    apart.shared_sort();
    apart.dedup();
    (apart.len() == wheels.len()).then_some(wheels)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    use super::*;

    const SCHEDULERS: [u64; 2] = [0x10_0000, 0x20_0000];
    const WHEELS: [u64; 2] = [0x100_0000, 0x200_0000];

    /// Two schedulers that point to these wheels at an offset, and wheels with these counts: all, at once, soon, later.
    fn vm(offset: usize, wheels: [u64; 2], counts: [[u64; 4]; 2]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for (data, wheel) in SCHEDULERS.into_iter().zip(wheels) {
            let mut words = [0; TIMER_WHEEL.search_bytes / 8];
            words[offset / 8] = wheel;
            memory.map_words(data, &words);
        }
        for (wheel, counts) in WHEELS.into_iter().zip(counts) {
            let first = TIMER_WHEEL.own_slots;
            let mut words = vec![0; (TIMER_WHEEL.parts[2] + 8 - first) / 8];
            words[0] = wheel + TIMER_WHEEL.slots as u64;
            let at = [TIMER_WHEEL.all].into_iter().chain(TIMER_WHEEL.parts);
            for (at, count) in at.zip(counts) {
                words[(at - first) / 8] = count;
            }
            memory.map_words(wheel + first as u64, &words);
        }
        memory
    }

    fn schedulers() -> Vec<Scheduler> {
        let scheduler = |data| Scheduler {
            kind: SchedulerKind::Normal,
            number: 1,
            data,
            registers: 0,
        };
        let mut schedulers: Vec<Scheduler> = SCHEDULERS.into_iter().map(scheduler).collect();
        // Dirty schedulers have no wheel.
        schedulers.push(Scheduler {
            kind: SchedulerKind::DirtyCpu,
            ..scheduler(0x30_0000)
        });
        schedulers
    }

    #[test]
    fn timers_of_all_wheels_are_added_up() {
        for offset in [0, 8, 504] {
            let memory = vm(offset, WHEELS, [[1_807, 1, 4, 1_802], [2, 0, 2, 0]]);
            let wheels = TimerWheels::find(&memory, &schedulers()).unwrap();
            assert_eq!(wheels.count(&memory), Ok(1_809));
        }
    }

    #[test]
    fn each_wheel_has_its_time() {
        let mut memory = vm(8, WHEELS, [[1, 0, 1, 0]; 2]);
        let wheels = TimerWheels::find(&memory, &schedulers()).unwrap();
        assert_eq!(wheels.times(&memory), Ok(vec![0, 0]));
        memory.map_words(WHEELS[1] + TIMER_WHEEL.time as u64, &[86_400_000]);
        assert_eq!(wheels.times(&memory), Ok(vec![0, 86_400_000]));
        memory.map_words(WHEELS[1] + TIMER_WHEEL.time as u64, &[u64::MAX]);
        assert!(wheels.times(&memory).is_err());
    }

    #[test]
    fn counts_that_do_not_add_up_are_no_number() {
        let memory = vm(8, WHEELS, [[1_807, 1, 4, 1_801], [2, 0, 2, 0]]);
        let wheels = TimerWheels::find(&memory, &schedulers()).unwrap();
        assert!(wheels.count(&memory).is_err());
    }

    #[test]
    fn where_a_scheduler_has_no_wheel_of_its_own_there_is_none() {
        let counts = [[1, 0, 1, 0]; 2];
        let shared = vm(8, [WHEELS[0]; 2], counts);
        assert!(TimerWheels::find(&shared, &schedulers()).is_err());
        let missing = vm(8, [WHEELS[0], 0x300_0000], counts);
        assert!(TimerWheels::find(&missing, &schedulers()).is_err());
        assert!(TimerWheels::find(&missing, &[]).is_err());
    }

    proptest! {
        #[test]
        fn garbage_is_no_wheel(words: [u64; 64], counts: [u8; COUNTS_BYTES]) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(SCHEDULERS[0], &words);
            prop_assert!(TimerWheels::find(&memory, &schedulers()).is_err());
            prop_assert!(counted(&counts).is_none());
        }
    }
}
