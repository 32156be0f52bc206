//! Mailboxes of all processes, looked at a page of the process table at a time, so that the cost stays at a
//! small part of a processor however many processes there are.

use std::time::Duration;

use vm_layout::TableError;
use vm_processes::EntryPage;

/// The share of a processor that looks may take.
const SHARE: f64 = 0.006;
/// The most that is saved up, nanoseconds: for so long nothing else is done.
const MOST_SAVED_NS: f64 = 5e6;
/// Processes of a page.
pub(super) const PAGE: usize = 500;

/// Counts of the messages in the mailboxes of a VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mailboxes {
    /// Messages in all of them.
    pub messages: u64,
    /// Messages in the largest.
    pub largest: u64,
    /// Pid term of whose it is; 0 when all are empty.
    pub owner: u64,
    /// Some messages could not be counted: there may be more in all, and a larger mailbox.
    pub are_at_least: bool,
}

/// A look at all of them that is taken bit by bit.
#[derive(Debug)]
pub(super) struct MailboxLook {
    interval: Duration,
    /// When the next look begins.
    next: Duration,
    /// Where in the table it goes on, while one is being taken.
    place: Option<u64>,
    seen: Mailboxes,
    /// The time that may be spent, nanoseconds; below 0 when the last page took more.
    saved_ns: f64,
    last: Duration,
}

impl MailboxLook {
    pub(super) fn every(interval: Duration) -> Self {
        Self {
            interval,
            next: Duration::ZERO,
            place: None,
            seen: Mailboxes::default(),
            saved_ns: MOST_SAVED_NS,
            last: Duration::ZERO,
        }
    }

    /// Goes on as far as may be paid for; the mailboxes when the look is complete. `page` reads the table from
    /// a place on, `clock` gives the cost of that, nanoseconds.
    pub(super) fn go_on(
        &mut self,
        now: Duration,
        clock: impl Fn() -> u64,
        mut page: impl FnMut(u64) -> Result<EntryPage, TableError>,
    ) -> Option<Mailboxes> {
        let passed_ns = now.saturating_sub(self.last).as_nanos() as f64;
        self.saved_ns = (self.saved_ns + passed_ns * SHARE).min(MOST_SAVED_NS);
        self.last = now;
        if self.place.is_none() && now >= self.next {
            self.next = now + self.interval;
            self.place = Some(0);
            self.seen = Mailboxes::default();
        }
        while let Some(place) = self.place.filter(|_| self.saved_ns > 0.0) {
            let before_ns = clock();
            let read = page(place);
            self.saved_ns -= clock().saturating_sub(before_ns) as f64;
            // The target may be ending, or the table is just being changed: the next look decides anew.
            let Ok(read) = read else {
                self.place = None;
                break;
            };
            for entry in &read.entries {
                self.seen.messages = self.seen.messages.saturating_add(entry.mailbox);
                self.seen.are_at_least |= !entry.is_mailbox_whole;
                if entry.mailbox > self.seen.largest {
                    (self.seen.largest, self.seen.owner) = (entry.mailbox, entry.id);
                }
            }
            self.place = read.next;
            if self.place.is_none() {
                return Some(self.seen);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Looks at a table of so many pages, each of which takes that long, every 50 ms for so long. How many looks
    /// were completed, and the time all of it took.
    fn looks(pages: u64, page_ns: u64, seconds: u64) -> (u64, u64) {
        let mut look = MailboxLook::every(Duration::from_secs(1));
        let spent = Cell::new(0);
        let mut done = 0;
        for tick in 0..seconds * 20 {
            let page = |place: u64| {
                spent.set(spent.get() + page_ns);
                Ok(EntryPage {
                    entries: Vec::new(),
                    rejected: vm_processes::Rejected::default(),
                    next: Some(place + 1).filter(|next| *next < pages),
                })
            };
            let now = Duration::from_millis(tick * 50);
            done += u64::from(look.go_on(now, || spent.get(), page).is_some());
        }
        (done, spent.get())
    }

    #[test]
    fn few_processes_are_looked_at_each_second() {
        assert_eq!(looks(2, 300_000, 10).0, 10);
    }

    #[test]
    fn many_are_read_less_often_and_cost_the_same() {
        // A million processes: 0.6 s for one look.
        let (done, spent_ns) = looks(2000, 300_000, 600);
        assert!((5..=6).contains(&done), "{done}");
        assert!(spent_ns < 600 * 6_100_000, "{spent_ns}");
    }

    #[test]
    fn a_look_that_fails_is_begun_anew() {
        let mut look = MailboxLook::every(Duration::from_secs(1));
        let fails = |_| Err(TableError::malformed("processes", "none"));
        assert_eq!(look.go_on(Duration::ZERO, || 0, fails), None);
        let last = |_| {
            Ok(EntryPage {
                entries: Vec::new(),
                rejected: vm_processes::Rejected::default(),
                next: None,
            })
        };
        assert_eq!(look.go_on(Duration::from_millis(50), || 0, last), None);
        let now = Duration::from_secs(1);
        assert_eq!(look.go_on(now, || 0, last), Some(Mailboxes::default()));
    }
}
