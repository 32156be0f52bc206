//! Watches while the heap of a process is read, and ends the reading when the process is at work, when it takes
//! too long, and when the caller no longer takes its progress.

use std::cell::Cell;
use std::time::{Duration, Instant};

use target_memory::TargetMemory;
use vm_layout::ProcessLayout;
use vm_layout::process_details::ProcessDetails;
use vm_processes::Entry;
use vm_tables::processes::MAX_PROCESS_BYTES;

/// A heap of four gigabytes takes a tenth of it on two processors with other work.
pub(super) const LONGEST_LOOK: Duration = Duration::from_secs(600);
/// How often the process is checked: a reading of a heap that changes is of no use.
const REST_INTERVAL: Duration = Duration::from_millis(10);
/// How often progress is reported.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

const WORD_BYTES: u64 = 8;
/// A word counts once for its kind, and once for its path from a root.
const LOOKS_AT_EACH: u64 = 2;

/// Takes how many bytes of a heap are done, and of how many; each is half done when its kind is known, and done when
/// its path from a root is known. `false` ends the reading.
pub type HeapProgress<'t> = dyn Fn(u64, u64) -> bool + 't;

/// Why a reading was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The process is at work, or no longer exists.
    AtWork,
    /// It took too long.
    TooLong,
    /// The caller no longer takes the progress.
    NotTaken,
}

pub(super) struct HeapWatch<'w, M> {
    pub memory: &'w M,
    pub layout: ProcessLayout,
    pub details: &'static ProcessDetails,
    pub before: Entry,
    pub report: &'w HeapProgress<'w>,
    /// When the first reading began.
    pub began: Instant,
    rest_seen: Cell<Instant>,
    reported_at: Cell<Instant>,
    ended: Cell<Option<Ended>>,
}

impl<'w, M: TargetMemory> HeapWatch<'w, M> {
    pub fn of(
        memory: &'w M,
        (layout, details): (ProcessLayout, &'static ProcessDetails),
        before: Entry,
        (report, began): (&'w HeapProgress<'w>, Instant),
    ) -> Self {
        let now = Instant::now();
        Self {
            memory,
            layout,
            details,
            before,
            report,
            began,
            rest_seen: Cell::new(now),
            reported_at: Cell::new(now),
            ended: Cell::new(None),
        }
    }

    /// Whether the reading continues after this many of all words.
    pub fn goes_on(&self, words: u64, all_words: u64) -> bool {
        let now = Instant::now();
        let is_due = |last: &Cell<Instant>, interval| {
            let is_due = now.saturating_duration_since(last.get()) >= interval;
            if is_due {
                last.set(now);
            }
            is_due
        };
        let ended = if now.saturating_duration_since(self.began) > LONGEST_LOOK {
            Some(Ended::TooLong)
        } else if is_due(&self.rest_seen, REST_INTERVAL) && !self.rests() {
            Some(Ended::AtWork)
        } else if is_due(&self.reported_at, REPORT_INTERVAL)
            && !(self.report)(
                words.saturating_mul(WORD_BYTES) / LOOKS_AT_EACH,
                all_words.saturating_mul(WORD_BYTES) / LOOKS_AT_EACH,
            )
        {
            Some(Ended::NotTaken)
        } else {
            None
        };
        self.ended.set(ended);
        ended.is_none()
    }

    /// Why it was ended, if it was.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.get()
    }

    fn rests(&self) -> bool {
        let Entry { slot, address, .. } = self.before;
        let len_bytes = self.layout.read_bytes.min(MAX_PROCESS_BYTES);
        let bytes = self.memory.read_vec(address, len_bytes, MAX_PROCESS_BYTES);
        let now = bytes.ok().and_then(|bytes| {
            Entry::from_bytes(&self.layout, self.details, (slot, address), &bytes)
        });
        now.is_some_and(|now| now.rested_since(&self.before))
    }
}
