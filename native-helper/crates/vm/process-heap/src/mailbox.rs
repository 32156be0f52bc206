//! The messages that wait for a process.

use std::collections::HashSet;

use erlang_terms::Term;
use target_memory::{TargetMemory, u64_at};
use vm_layout::messages::{MESSAGE_DATA, MESSAGE_NEXT, MESSAGE_TERM};
use vm_processes::{Entry, buffered};

/// Messages of one process that are looked at, in all its lists together: a message takes a system call, and about 100
/// bytes with its entry here.
const MAX_MESSAGES: usize = 1 << 22;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queued {
    /// Its term.
    pub term: u64,
    /// It has memory of its own; else it is on the heap of the process, or no more than a word.
    pub is_off_heap: bool,
}

/// Messages of a process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mailbox {
    /// In the order in which they came.
    pub messages: Vec<Queued>,
    /// There are more than are looked at, or than there is memory for: terms that only these refer to are not
    /// reached.
    pub has_more: bool,
}

/// The messages of a process. Other signals are left out, and so are messages from another node that are not decoded
/// yet. A message that cannot be read ends its list, and so does one that was there before: a list that was torn may
/// bite its tail, and a message waits once.
pub fn mailbox(memory: &impl TargetMemory, entry: &Entry) -> Mailbox {
    mailbox_within(memory, entry, MAX_MESSAGES)
}

/// The same with `max` messages at most, signals that are none included.
fn mailbox_within(memory: &impl TargetMemory, entry: &Entry, max: usize) -> Mailbox {
    let mut found = Vec::new();
    let mut left = max;
    // Buffers that cannot be read are left out, like the rest of a list.
    let buffered = match entry.buffers {
        0 => None,
        array => buffered(memory, &[array]).pop().flatten(),
    };
    let in_buffers = buffered.into_iter().flat_map(|it| it.lists);
    for first in entry.mailbox_lists.into_iter().chain(in_buffers) {
        let before = (found.len(), left);
        let mut end = follow(memory, first, &mut found, &mut left, &mut Rounds::default());
        if end == End::Again {
            // It took a few steps for each message that is counted now, so the limit bounds these steps, too.
            found.truncate(before.0);
            left = before.1;
            end = follow(memory, first, &mut found, &mut left, &mut HashSet::new());
        }
        if end == End::TooFar {
            return Mailbox {
                messages: found,
                has_more: true,
            };
        }
    }
    Mailbox {
        messages: found,
        has_more: false,
    }
}

/// How a list ended.
#[derive(PartialEq, Eq)]
enum End {
    /// The list is at its end, or the next one cannot be read.
    Last,
    /// One was there before.
    Again,
    /// There are more than may be looked at, or than there is memory for.
    TooFar,
}

/// Detects a message that was there before; `None` when there is no memory to do so.
trait Seen {
    fn is_again(&mut self, message: u64) -> Option<bool>;
}

/// Every one of them at once, for a list of which it is known that it goes round.
impl Seen for HashSet<u64> {
    fn is_again(&mut self, message: u64) -> Option<bool> {
        self.try_reserve(1).ok()?;
        Some(!self.insert(message))
    }
}

/// That it goes round, at some time (Brent): for all other lists, which may be long, without memory.
#[derive(Default)]
struct Rounds {
    held: u64,
    steps: usize,
}

impl Seen for Rounds {
    fn is_again(&mut self, message: u64) -> Option<bool> {
        if self.held == message {
            return Some(true);
        }
        self.steps += 1;
        if self.steps.is_power_of_two() {
            self.held = message;
        }
        Some(false)
    }
}

/// Adds the messages of one list, and takes them from how many are `left` to be looked at.
fn follow(
    memory: &impl TargetMemory,
    first: u64,
    found: &mut Vec<Queued>,
    left: &mut usize,
    seen: &mut impl Seen,
) -> End {
    let mut message = first;
    while message != 0 {
        match seen.is_again(message) {
            Some(false) if *left > 0 && found.try_reserve(1).is_ok() => *left -= 1,
            Some(true) => return End::Again,
            _ => return End::TooFar,
        }
        let Ok(bytes) = memory.read_vec(message, MESSAGE_TERM + 8, 64) else {
            return End::Last;
        };
        let term = u64_at(&bytes, MESSAGE_TERM).unwrap_or(0);
        if !matches!(Term::of(term), Term::Other(_)) {
            found.push(Queued {
                term,
                is_off_heap: u64_at(&bytes, MESSAGE_DATA).unwrap_or(0) != 0,
            });
        }
        message = u64_at(&bytes, MESSAGE_NEXT).unwrap_or(0);
    }
    End::Last
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::process_details::PROCESS_DETAILS;
    use vm_layout::rows::ROWS;

    use super::*;

    const AT: u64 = 0x10_0000;
    const EACH: u64 = 32;
    const OFF_HEAP: u64 = 0x7000;

    fn entry(lists: [u64; 3]) -> Entry {
        let layout = &ROWS[1].process;
        let bytes = vec![0; layout.read_bytes];
        let mut entry = Entry::from_bytes(layout, &PROCESS_DETAILS[0], (0, 0), &bytes).unwrap();
        entry.mailbox_lists = lists;
        entry
    }

    const fn at(message: u64) -> u64 {
        AT + message * EACH
    }

    const fn small(number: u64) -> u64 {
        number << 4 | 0xf
    }

    /// Messages by which one comes next; each is its own number.
    fn memory(next: &[u64]) -> SnapshotMemory {
        let words: Vec<u64> = next
            .iter()
            .enumerate()
            .flat_map(|(index, next)| [*next, OFF_HEAP, small(index as u64), 0])
            .collect();
        let mut memory = SnapshotMemory::new();
        memory.map_words(AT, &words);
        memory
    }

    fn terms(memory: &SnapshotMemory, lists: [u64; 3]) -> Vec<u64> {
        let found = mailbox(memory, &entry(lists)).messages;
        assert!(found.iter().all(|it| it.is_off_heap));
        found.iter().map(|it| it.term >> 4).collect()
    }

    #[test]
    fn lists_come_one_after_the_other() {
        let memory = memory(&[at(1), 0, at(3), 0, 0]);
        assert_eq!(terms(&memory, [at(0), at(4), at(2)]), [0, 1, 4, 2, 3]);
        assert_eq!(terms(&memory, [0, 0, 0]), [0; 0]);
    }

    #[test]
    fn a_list_that_bites_its_tail_has_each_message_once() {
        let all: Vec<u64> = (0..100).collect();
        for back_to in [0, 1, 50, 98, 99] {
            let mut next: Vec<u64> = (1..=100).map(at).collect();
            next[99] = at(back_to);
            assert_eq!(terms(&memory(&next), [0, at(0), 0]), all, "{back_to}");
        }
        // The other lists are returned as they are.
        let memory = memory(&[at(0), at(2), 0]);
        assert_eq!(terms(&memory, [at(0), at(1), at(0)]), [0, 1, 2, 0]);
    }

    #[test]
    fn of_more_than_are_looked_at_the_first_are_there_and_it_is_known() {
        let long = |count: usize| {
            let mut next: Vec<u64> = (1..=count as u64).map(at).collect();
            next[count - 1] = 0;
            let found = mailbox(&memory(&next), &entry([0, at(0), 0]));
            (found.messages.len(), found.has_more)
        };
        assert_eq!(long(MAX_MESSAGES), (MAX_MESSAGES, false));
        assert_eq!(long(MAX_MESSAGES + 1), (MAX_MESSAGES, true));
    }

    #[test]
    fn all_lists_together_have_one_limit() {
        let memory = memory(&[at(1), 0, at(3), 0, at(4)]);
        let count = |lists, max| {
            let found = mailbox_within(&memory, &entry(lists), max);
            (found.messages.len(), found.has_more)
        };
        let lists = [at(0), at(2), at(0)];
        assert_eq!(count(lists, 6), (6, false));
        assert_eq!(count(lists, 5), (5, true));
        // One that bites its tail counts each message once.
        assert_eq!(count([at(4), at(0), 0], 3), (3, false));
        assert_eq!(count([at(4), at(0), 0], 2), (2, true));
        assert_eq!(count([0; 3], 0), (0, false));
    }

    #[test]
    fn what_cannot_be_read_ends_its_list() {
        let memory = memory(&[at(1), 0x66_0000, at(3), u64::MAX - 7]);
        assert_eq!(terms(&memory, [at(0), at(2), 0x5]), [0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn garbage_is_followed_to_an_end(next in prop::collection::vec(0u64..40, 1..32), first in any::<[u8; 3]>()) {
            let next: Vec<u64> = next.iter().map(|it| at(*it)).collect();
            let lists = first.map(|it| at(u64::from(it) % 33));
            prop_assert!(mailbox(&memory(&next), &entry(lists)).messages.len() <= 3 * next.len());
        }
    }
}
