//! How many timers are set, and whose time is over: each normal scheduler has a wheel of them and counts its content.
//!
//! All kinds are in it: those of `erlang:send_after/3` and `erlang:start_timer/3`, `receive … after`, those of
//! ports, and some of the VM itself. Timers that are due later than the wheel turns once, in 37 hours, are in a
//! tree, for which the wheel has one timer.

use shared_sort::SharedSort;
use target_memory::{Range, TargetMemory, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::emulator_image::is_pointer;
use vm_layout::timers::{MESSAGE_TIMER, PROCESS_TIMER, TIMER_WHEEL};

use crate::schedulers::{Scheduler, SchedulerKind};

const TABLE: &str = "timers";
/// No VM has memory for more.
const MAX_TIMERS: u64 = 1 << 40;
/// No VM runs that long, milliseconds.
const MAX_TIME: u64 = 1 << 53;
/// How often counts are read that change during a read.
const TRIES: usize = 5;
/// Timers of a wheel that are looked at for those whose time is over.
const MOST_LOOKED_AT: usize = 4096;
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
        let times = self.wheels.iter().map(|wheel| time(memory, *wheel));
        times.collect()
    }

    /// The timers of messages that a normal scheduler's wheel has not come to and whose time is over at `until`,
    /// milliseconds. They belong together if the wheel has the same time before and after. There may be more: those that
    /// were due more than 37 hours after they were set are not among them, nor those of a list behind the one that does
    /// not point back to the one before, nor more than are looked at.
    ///
    /// # Errors
    /// Memory of the wheel cannot be read, it has no time, or not all were looked at and none of those that were is such.
    pub fn overdue(
        &self,
        memory: &impl TargetMemory,
        scheduler: u32,
        until: u64,
    ) -> Result<Vec<MessageTimer>, TableError> {
        let index = (scheduler as usize).checked_sub(1);
        let Some(wheel) = index.and_then(|index| self.wheels.get(index)) else {
            return Ok(Vec::new());
        };
        let mut overdue = Overdue {
            scheduler,
            after: time(memory, *wheel)?,
            until,
            left: MOST_LOOKED_AT,
            is_whole: true,
            timers: Vec::new(),
        };
        let at_once = memory.read_u64_at(*wheel, TIMER_WHEEL.at_once as u64)?;
        overdue.look(memory, at_once);
        for (first, slots) in overdue.slots() {
            let len = slots as usize * 8;
            let offset = TIMER_WHEEL.slots as u64 + first * 8;
            let most = TIMER_WHEEL.turn as usize * 8;
            let bytes = memory.read_vec(wheel.wrapping_add(offset), len, most)?;
            for slot in (0..len).step_by(8).filter_map(|at| u64_at(&bytes, at)) {
                overdue.look(memory, slot);
            }
        }
        match overdue.is_whole || !overdue.timers.is_empty() {
            true => Ok(overdue.timers),
            false => Err(TableError::Unstable { table: TABLE }),
        }
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

/// A timer of `erlang:send_after/3` or `erlang:start_timer/3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTimer {
    /// When it is due, milliseconds, as the time of a wheel.
    pub due_ms: u64,
    /// Where the process has its struct to which the message goes; `None`: to that with a name.
    pub receiver: Option<u64>,
}

/// The search for timers whose time is over, in a wheel that may go on during it.
struct Overdue {
    scheduler: u32,
    /// The time of the wheel.
    after: u64,
    until: u64,
    /// Timers that may still be looked at.
    left: usize,
    /// All were looked at.
    is_whole: bool,
    timers: Vec<MessageTimer>,
}

impl Overdue {
    /// The slots that may have one: the first of a row, and how many.
    fn slots(&self) -> Vec<(u64, u64)> {
        let turn = TIMER_WHEEL.turn;
        let mut rows = Vec::new();
        let mut add = |kind: u64, first: u64, slots: u64| {
            let (first, slots) = (first % turn, slots.min(turn));
            let straight = slots.min(turn - first);
            rows.extend([(kind + first, straight), (kind, slots - straight)]);
        };
        if let Some(ticks) = self.until.checked_sub(self.after) {
            add(0, self.after + 1, ticks);
            let first = self.after >> TIMER_WHEEL.later_shift;
            let last = self.until >> TIMER_WHEEL.later_shift;
            add(turn, first, last - first + 1);
        }
        rows.retain(|(_, slots)| *slots > 0);
        rows
    }

    /// Adds those of the circle of timers that a slot points to.
    fn look(&mut self, memory: &impl TargetMemory, slot: u64) {
        let (mut at, mut before) = (slot, None);
        while at != 0 {
            let Some(timer) = self.timer_at(memory, at, before) else {
                self.is_whole = false;
                return;
            };
            self.timers.extend(self.overdue(&timer));
            before = Some(at);
            at = u64_at(&timer, MESSAGE_TIMER.next).unwrap_or(0);
            if at == slot {
                return;
            }
        }
        self.is_whole &= slot == 0;
    }

    /// The timer there, if one more may be looked at and it points back to the one before: so a circle that does not lead
    /// back to its slot ends, and a list that changes under the reader is left.
    fn timer_at(
        &mut self,
        memory: &impl TargetMemory,
        at: u64,
        before: Option<u64>,
    ) -> Option<[u8; MESSAGE_TIMER.bytes]> {
        self.left = self.left.checked_sub(1)?;
        let at = Some(at).filter(|at| is_pointer(*at, 8))?;
        let mut timer = [0; MESSAGE_TIMER.bytes];
        let begin = at - MESSAGE_TIMER.entry as u64;
        memory.read(begin, &mut timer).ok()?;
        let points_back = u64_at(&timer, MESSAGE_TIMER.before);
        (before.is_none() || points_back == before).then_some(timer)
    }

    /// The timer there, if it is that of a message, set, and its time is over.
    fn overdue(&self, timer: &[u8]) -> Option<MessageTimer> {
        let flags = u32_at(timer, PROCESS_TIMER.flags)?;
        let kinds =
            MESSAGE_TIMER.is_in_tree | MESSAGE_TIMER.is_of_message | PROCESS_TIMER.is_paused;
        let is_of_wheel = flags & (kinds | PROCESS_TIMER.scheduler_mask)
            == MESSAGE_TIMER.is_of_message | self.scheduler;
        let due_ms = u64_at(timer, PROCESS_TIMER.due)?;
        // One that is due at once has the time of the wheel.
        let is_overdue = (self.after..=self.until).contains(&due_ms);
        let is_set = u32_at(timer, MESSAGE_TIMER.state)? == 0;
        let receiver = u64_at(timer, PROCESS_TIMER.process)?;
        (is_of_wheel && is_overdue && is_set).then_some(MessageTimer {
            due_ms,
            receiver: (flags & PROCESS_TIMER.is_of_process != 0).then_some(receiver),
        })
    }
}

fn time(memory: &impl TargetMemory, wheel: u64) -> Result<u64, TableError> {
    let time = memory.read_u64_at(wheel, TIMER_WHEEL.time as u64)?;
    match time < MAX_TIME {
        true => Ok(time),
        false => Err(TableError::Unstable { table: TABLE }),
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

    const TIME: u64 = 100_000;

    /// A wheel at that time with a timer in a slot of each of these numbers, the one for at once before 0: where the timer
    /// is, and its words.
    fn wheel_with(timers: &[(u64, u64, [u64; 10])]) -> (SnapshotMemory, TimerWheels) {
        let mut memory = SnapshotMemory::new();
        let first = TIMER_WHEEL.at_once;
        let mut words = vec![0; (TIMER_WHEEL.parts[2] + 8 - first) / 8];
        words[(TIMER_WHEEL.time - first) / 8] = TIME;
        for (slot, at, timer) in timers {
            words[slot.wrapping_add(1) as usize] = *at;
            memory.map_words(at - MESSAGE_TIMER.entry as u64, timer);
        }
        memory.map_words(WHEELS[0] + first as u64, &words);
        let wheels = TimerWheels {
            wheels: vec![WHEELS[0]],
        };
        (memory, wheels)
    }

    /// Words of a timer: flags, receiver, when it is due, the next one, which is also the one before, and its state.
    fn timer(flags: u32, receiver: u64, due: u64, next: u64, state: u64) -> [u64; 10] {
        let flags = u64::from(flags) | 1 << 32;
        [flags, 0, receiver, due, next, next, 0, 0, 0, state]
    }

    const AT_ONCE: u64 = u64::MAX;
    const SLOT: u64 = TIME % TIMER_WHEEL.turn;
    /// Of scheduler 1, to a process, to a name.
    const TO_PROCESS: u32 = MESSAGE_TIMER.is_of_message | PROCESS_TIMER.is_of_process | 1;
    const TO_NAME: u32 = MESSAGE_TIMER.is_of_message | 1 << 14 | 1;

    #[test]
    fn timers_whose_time_is_over_are_those_the_wheel_has_not_come_to() {
        let at = |index: u64| 0x70_0000 + index * 0x100;
        let turn = TIMER_WHEEL.turn;
        let later = |due: u64| turn + (due >> TIMER_WHEEL.later_shift) % turn;
        let (memory, wheels) = wheel_with(&[
            // Two of one slot.
            (
                SLOT + 7,
                at(0),
                timer(TO_PROCESS, 0x9000, TIME + 7, at(1), 0),
            ),
            (SLOT + 7, at(1), timer(TO_NAME, 0x54b, TIME + 7, at(0), 0)),
            // Behind the last slot of the turn comes the first one.
            (
                (TIME + 16_000) % turn,
                at(2),
                timer(TO_PROCESS, 0x9008, TIME + 16_000, at(2), 0),
            ),
            (
                later(TIME + 30_000),
                at(3),
                timer(TO_PROCESS, 0x9010, TIME + 30_000, at(3), 0),
            ),
        ]);
        let due = |until| {
            let timers = wheels.overdue(&memory, 1, until).unwrap();
            let due = timers.iter().map(|it| (it.due_ms - TIME, it.receiver));
            due.collect::<Vec<_>>()
        };
        assert!(due(TIME - 1).is_empty() && due(TIME + 6).is_empty());
        let two = [(7, None), (7, Some(0x9000))];
        assert_eq!(due(TIME + 7), two);
        assert_eq!(
            due(TIME + 29_999),
            [&two[..], &[(16_000, Some(0x9008))][..]].concat()
        );
        assert_eq!(due(TIME + 30_000).len(), 4);
        assert_eq!(due(u64::MAX).len(), 4);
        assert_eq!(wheels.overdue(&memory, 0, TIME + 7), Ok(Vec::new()));
        assert_eq!(wheels.overdue(&memory, 2, TIME + 7), Ok(Vec::new()));
    }

    #[test]
    fn cancelled_timers_and_those_of_no_message_are_not_overdue() {
        let at = 0x70_0000;
        let overdue = |words: [u64; 10]| {
            let (memory, wheels) = wheel_with(&[(SLOT + 7, at, words)]);
            wheels.overdue(&memory, 1, TIME + 500).unwrap().len()
        };
        assert_eq!(overdue(timer(TO_PROCESS, 0x9000, TIME + 7, at, 0)), 1);
        for words in [
            timer(TO_PROCESS, 0x9000, TIME + 7, at, 1),
            timer(PROCESS_TIMER.is_of_process | 1, 0x9000, TIME + 7, at, 0),
            timer(
                TO_PROCESS | PROCESS_TIMER.is_paused,
                0x9000,
                TIME + 7,
                at,
                0,
            ),
            timer(
                TO_PROCESS | MESSAGE_TIMER.is_in_tree,
                0x9000,
                TIME + 7,
                at,
                0,
            ),
            timer(TO_PROCESS + 1, 0x9000, TIME + 7, at, 0),
            timer(TO_PROCESS, 0x9000, TIME + 7 + TIMER_WHEEL.turn, at, 0),
            timer(TO_PROCESS, 0x9000, TIME - 1, at, 0),
        ] {
            assert_eq!(overdue(words), 0, "{words:x?}");
        }
    }

    #[test]
    fn one_that_was_due_at_once_is_overdue_while_the_wheel_stands_still() {
        let at = 0x70_0000;
        let words = timer(TO_PROCESS, 0x9000, TIME, at, 0);
        let (memory, wheels) = wheel_with(&[(AT_ONCE, at, words)]);
        let due = |until| wheels.overdue(&memory, 1, until).unwrap().len();
        assert_eq!((due(TIME - 1), due(TIME + 200)), (0, 1));
    }

    /// How many are overdue of a slot's first timer, with these flags, and the second one, to which it leads.
    fn overdue_of_two(flags: u32, second: [u64; 10]) -> Result<usize, TableError> {
        let [at, next] = [0x70_0000, 0x70_0100];
        let (memory, wheels) = wheel_with(&[
            (SLOT + 7, next, second),
            (SLOT + 7, at, timer(flags, 0x9000, TIME + 7, next, 0)),
        ]);
        let timers = wheels.overdue(&memory, 1, TIME + 500);
        timers.map(|it| it.len())
    }

    #[test]
    fn a_list_is_left_where_it_does_not_point_back() {
        let [first, second] = [0x70_0000, 0x70_0100];
        let leads_to = |next| timer(TO_PROCESS, 0x9000, TIME + 7, next, 0);
        assert_eq!(overdue_of_two(TO_PROCESS, leads_to(first)), Ok(2));
        // One that leads to itself, and one that ends.
        for next in [second, 0] {
            assert_eq!(overdue_of_two(TO_PROCESS, leads_to(next)), Ok(1));
        }
    }

    #[test]
    fn where_not_all_were_looked_at_that_none_is_overdue_is_not_known() {
        let of_process = PROCESS_TIMER.is_of_process | 1;
        let ends = timer(TO_PROCESS, 0x9000, TIME + 7, 0x70_0108, 0);
        assert!(overdue_of_two(of_process, ends).is_err());
        let closed = timer(of_process, 0x9000, TIME + 7, 0x70_0000, 0);
        assert_eq!(overdue_of_two(of_process, closed), Ok(0));
        // A slot without a pointer, and a timer that leads to memory that is not there.
        for (at, next) in [(0x70_0004, 0x70_0004), (0x70_0000, 0x7777_0000)] {
            let words = timer(of_process, 0x9000, TIME + 7, next, 0);
            let (memory, wheels) = wheel_with(&[(SLOT + 7, at, words)]);
            assert!(wheels.overdue(&memory, 1, TIME + 500).is_err());
        }
    }

    #[test]
    fn so_many_timers_are_looked_at_at_most() {
        let at = |index: u64| 0x70_0000 + index * 0x100;
        let timers: Vec<_> = (0..=MOST_LOOKED_AT as u64)
            .map(|index| {
                let mut words = timer(TO_PROCESS, 0x9000, TIME + 7, at(index + 1), 0);
                words[MESSAGE_TIMER.before / 8] = at(index) - 0x100;
                (SLOT + 7, at(index), words)
            })
            .rev()
            .collect();
        let (memory, wheels) = wheel_with(&timers);
        let timers = wheels.overdue(&memory, 1, TIME + 500).unwrap();
        assert_eq!(timers.len(), MOST_LOOKED_AT);
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
