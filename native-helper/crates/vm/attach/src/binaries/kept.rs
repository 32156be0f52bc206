//! Binaries that are kept by small parts of them, or by nothing but garbage.

use std::cmp::Reverse;
use std::ops::Range;
use std::time::{Duration, Instant};

use erlang_stack::VmWords;
use process_heap::{BinaryUse, HeapCopy, Roots, binary_uses, mailbox};
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_processes::{Entry, ProcessReader, binary_heads};

use super::BinaryHolder;
use crate::vm::AttachedVm;

/// How often a process that is at work is read, and the pause between two readings.
const LOOKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(2);
/// The longest time for reading heaps, all together.
const MAX_TIME: Duration = Duration::from_secs(3);
/// Messages are read one by one; the heap of a process with more is not read.
const MAX_MESSAGES: u64 = 20_000;
/// The unused part is at least this large, and half of the binary.
const WORTH_BYTES: u64 = 4096;
/// Bytes of the heaps that are read, without stacks.
const MAX_HEAP_BYTES: u64 = 256 << 20;

/// A binary of which less than half is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBinary {
    /// Where it is.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// The bytes that live terms of the processes whose heaps were read refer to.
    pub used_bytes: u64,
    /// The binary's own reference count.
    pub reference_count: u64,
    /// References of the processes whose heaps were read, garbage among them.
    pub references: u64,
    /// Those of them that live.
    pub live_references: u64,
    /// Whose they are: places in the list of holders.
    pub holders: Vec<usize>,
}

/// The result of reading the heaps of processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedInto {
    /// Binaries that are little used or unused, in no order.
    pub kept: Vec<KeptBinary>,
    /// Places in the list of holders of the processes whose heaps were read.
    pub processes: HashSet<usize>,
    /// Processes that were to be read, and were not: they never rested, are too large, or time was
    /// up.
    pub given_up: u64,
}

/// The use of a binary by all of them.
#[derive(Default)]
struct Merged {
    bytes: u64,
    reference_count: u64,
    references: u64,
    live_references: u64,
    used: Option<Vec<Range<u64>>>,
    holders: Vec<usize>,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// Reads the heaps of the processes that hold most.
    pub(super) fn look_into(
        &mut self,
        holders: &[BinaryHolder],
        most: usize,
    ) -> Result<LookedInto, TableError> {
        let held_bytes = |holder: &BinaryHolder| {
            let bytes = holder.held.iter().map(|it| it.bytes);
            bytes.fold(0, u64::saturating_add)
        };
        let bytes: Vec<u64> = holders.iter().map(held_bytes).collect();
        let mut order: Vec<usize> = (0..holders.len()).collect();
        order.shared_sort_by_key(|place| bytes.get(*place).map(|it| Reverse(*it)));
        let vm_words = self.code.vm_words();
        let mut reader = self.process_reader()?;
        let (began, mut heap_bytes) = (Instant::now(), 0_u64);
        let mut all: HashMap<u64, Merged> = HashMap::new();
        let mut found = LookedInto::default();
        for place in order.into_iter().take(most) {
            let Some(holder) = holders.get(place) else {
                continue;
            };
            heap_bytes = heap_bytes.saturating_add(holder.entry.heap_used_words() * 8);
            let is_allowed = began.elapsed() < MAX_TIME && heap_bytes < MAX_HEAP_BYTES;
            match is_allowed
                .then(|| uses(&mut reader, &holder.entry, vm_words))
                .flatten()
            {
                Some(uses) => {
                    found.processes.insert(place);
                    for (address, (used, head)) in uses {
                        all.entry(address).or_default().add(used, head, place);
                    }
                }
                None => found.given_up += 1,
            }
        }
        found.kept = all
            .into_iter()
            .filter_map(|(address, merged)| merged.kept(address))
            .collect();
        Ok(found)
    }
}

impl Merged {
    fn add(&mut self, found: BinaryUse, (bytes, reference_count): (u64, u64), place: usize) {
        // Those of another process may be in use, too.
        let is_first = self.holders.is_empty();
        (self.bytes, self.reference_count) = (bytes, reference_count);
        self.references = self.references.saturating_add(found.references);
        self.live_references = self.live_references.saturating_add(found.live_references);
        self.holders.push(place);
        // The live references lead to a part that was read, or to all of it.
        let of_this = found
            .used
            .filter(|ranges| !ranges.is_empty() || found.live_references == 0);
        self.used = match (self.used.take(), of_this) {
            (None, ranges) if is_first => ranges,
            (Some(mut ranges), Some(more)) => {
                ranges.extend(more);
                Some(ranges)
            }
            _ => None,
        };
    }

    fn kept(self, address: u64) -> Option<KeptBinary> {
        let used_bytes = union_bytes(self.used?, self.bytes)?;
        let waste = self.bytes.checked_sub(used_bytes)?;
        let is_worth_it = waste >= WORTH_BYTES && waste >= self.bytes / 2;
        is_worth_it.then_some(KeptBinary {
            address,
            bytes: self.bytes,
            used_bytes,
            reference_count: self.reference_count,
            references: self.references,
            live_references: self.live_references,
            holders: self.holders,
        })
    }
}

/// Bytes in any of the ranges; `None` when one is not within `bytes`.
fn union_bytes(mut ranges: Vec<Range<u64>>, bytes: u64) -> Option<u64> {
    ranges.shared_sort_by_key(|range| range.start);
    let (mut sum, mut end) = (0, 0);
    for range in ranges {
        if range.end > bytes {
            return None;
        }
        sum += range.end.saturating_sub(range.start.max(end));
        end = end.max(range.end);
    }
    Some(sum)
}

/// By binary, its use in the heap of a process, with its length and its reference count at that
/// moment.
type Uses = HashMap<u64, (BinaryUse, (u64, u64))>;

/// The uses by a process, if it rested for long enough.
fn uses<M: TargetMemory>(
    reader: &mut ProcessReader<'_, M>,
    process: &Entry,
    vm_words: VmWords,
) -> Option<Uses> {
    let place = (process.slot, process.address);
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(PAUSE);
        }
        let before = reader.entry(place).filter(|it| it.id == process.id)?;
        if !before.rested_since(&before) || before.abandoned_heap != 0 {
            continue;
        }
        if before.mailbox > MAX_MESSAGES {
            return None;
        }
        let found = uses_once(reader, &before, vm_words);
        if reader
            .entry(place)
            .is_some_and(|after| after.rested_since(&before))
        {
            return found;
        }
    }
    None
}

fn uses_once<M: TargetMemory>(
    reader: &ProcessReader<'_, M>,
    process: &Entry,
    vm_words: VmWords,
) -> Option<Uses> {
    let (memory, details) = (reader.memory, reader.details);
    let queued = mailbox(memory, process);
    let copy = HeapCopy::take(memory, process, &|_, _| true).ok()?;
    let roots = Roots::of(memory, process, &copy, &queued.messages, vm_words).ok()?;
    let found = binary_uses(&copy, &details.heap, details.binary, &roots.roots)?;
    if queued.has_more || copy.fault().is_some() {
        return None;
    }
    let mut heads = binary_heads(memory, details.binary, found.keys().copied());
    let with_head = |(address, used)| Some((address, (used, heads.remove(&address)?)));
    Some(found.into_iter().filter_map(with_head).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_two_parts_is_in_use_once() {
        assert_eq!(union_bytes(vec![10..20, 0..5, 15..30], 30), Some(25));
        assert_eq!(union_bytes(vec![0..40, 10..20], 40), Some(40));
        assert_eq!(union_bytes(Vec::new(), 40), Some(0));
        assert_eq!(union_bytes(vec![0..41, 0..1], 40), None, "beyond its end");
    }

    fn used(references: u64, live: u64, used: Option<Vec<Range<u64>>>) -> BinaryUse {
        BinaryUse {
            references,
            live_references: live,
            used,
        }
    }

    #[test]
    fn what_one_of_them_uses_is_in_use() {
        let merged = |found: Vec<BinaryUse>| {
            let mut merged = Merged::default();
            for (place, one) in found.into_iter().enumerate() {
                merged.add(one, (100_000, 3), place);
            }
            merged.kept(8)
        };
        let part = |range| used(1, 1, Some(vec![range]));
        let kept = merged(vec![part(0..10), part(5..30)]).unwrap();
        assert_eq!(
            (kept.used_bytes, kept.references, kept.holders),
            (30, 2, vec![0, 1])
        );
        assert_eq!(merged(vec![part(0..10), used(1, 1, None)]), None);
        assert_eq!(merged(vec![used(1, 1, None), part(0..10)]), None);
        assert_eq!(merged(vec![part(0..60_000)]), None, "more than half");
        let garbage = merged(vec![used(2, 0, Some(Vec::new()))]).unwrap();
        assert_eq!((garbage.used_bytes, garbage.live_references), (0, 0));
        assert_eq!(
            merged(vec![used(1, 1, Some(Vec::new()))]),
            None,
            "it lives somehow"
        );
    }
}
