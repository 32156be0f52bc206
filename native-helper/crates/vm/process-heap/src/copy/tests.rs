use std::cell::Cell;

use proptest::prelude::*;
use target_memory::{ByteBudget, SnapshotMemory};
use vm_layout::process_details::PROCESS_DETAILS;
use vm_layout::rows::ROWS;

use super::*;

const HEAP: u64 = 0x10_000;
const OLD_HEAP: u64 = 0x30_000;
const STACK: u64 = 0x50_000;
const FRAGMENTS: [u64; 2] = [0x40_000, 0x20_000];
const MIB: usize = 1 << 20;

/// A process of OTP 27 that has nothing.
fn nothing() -> Entry {
    let layout = &ROWS[1].process;
    let bytes = vec![0; layout.read_bytes];
    Entry::from_bytes(layout, &PROCESS_DETAILS[0], (0, 0), &bytes).unwrap()
}

fn process() -> Entry {
    let mut entry = nothing();
    (entry.heap, entry.htop) = (HEAP, HEAP + 24);
    (entry.old_heap, entry.old_htop, entry.old_hend) = (OLD_HEAP, OLD_HEAP + 16, OLD_HEAP + 64);
    (entry.stop, entry.hend) = (STACK, STACK + 16);
    entry.fragments = FRAGMENTS[0];
    entry
}

/// Three words of heap, two of old heap, two and one of fragments, two of stack.
fn memory() -> SnapshotMemory {
    let mut memory = SnapshotMemory::new();
    memory.map_words(HEAP, &[10, 11, 12, 99]);
    memory.map_words(OLD_HEAP, &[20, 21, 99]);
    memory.map_words(FRAGMENTS[0], &[FRAGMENTS[1], 0, 0, 9, 2, 30, 31, 99]);
    memory.map_words(FRAGMENTS[1], &[0, 0, 0, 9, 1, 40, 99]);
    memory.map_words(STACK, &[50, 51, 99]);
    memory.within(ByteBudget::of(MIB));
    memory
}

fn fragment(next: u64, used: u64) -> [u64; 6] {
    [next, 0, 0, 0, used, 77]
}

fn word_at(copy: &HeapCopy<'_>, address: u64) -> Option<u64> {
    copy.word(copy.find(address)?)
}

fn take<'m>(memory: &'m dyn TargetMemory, entry: &Entry) -> Result<HeapCopy<'m>, CopyError> {
    HeapCopy::take(memory, entry, &|_, _| true)
}

/// Requests each of its words.
fn read_all(memory: &dyn TargetMemory, entry: &Entry) -> Result<(), CopyError> {
    let copy = take(memory, entry)?;
    for number in 0..copy.all_words() {
        copy.word(copy.numbered(number));
    }
    copy.fault().map_or(Ok(()), Err)
}

fn too_large(memory: &dyn TargetMemory, entry: &Entry) -> bool {
    matches!(take(memory, entry), Err(CopyError::TooLarge(_)))
}

#[test]
fn heap_old_heap_and_fragments_are_found_by_their_addresses() {
    let memory = memory();
    let copy = take(&memory, &process()).unwrap();
    let words = [
        (HEAP, vec![10, 11, 12]),
        (OLD_HEAP, vec![20, 21]),
        (FRAGMENTS[0] + 40, vec![30, 31]),
        (FRAGMENTS[1] + 40, vec![40]),
    ];
    for (start, words) in words {
        for (address, word) in (start..).step_by(8).zip(&words) {
            assert_eq!(word_at(&copy, address), Some(*word));
            assert_eq!(copy.find(address + 4), None, "between two words");
        }
        assert_eq!(copy.find(start - 8), None);
        assert_eq!(copy.find(start + 8 * words.len() as u64), None);
    }
    assert_eq!((copy.find(0), copy.find(u64::MAX)), (None, None));
    let stack: Vec<u64> = target_memory::bytes_to_words(&copy.stack).collect();
    assert_eq!(stack, [50, 51]);
    assert_eq!(copy.find(STACK), None, "the stack is not of the heap");
}

#[test]
fn nothing_at_all_is_a_copy_without_words() {
    let memory = SnapshotMemory::new();
    let copy = take(&memory, &nothing()).unwrap();
    assert!(copy.blocks.is_empty() && copy.stack.is_empty());
    assert_eq!((copy.find(0), copy.words(0)), (None, 0));
}

/// A memory of which one part is freed by the time that it is read.
struct Freed {
    memory: SnapshotMemory,
    reads_before: Cell<Option<u32>>,
}

impl TargetMemory for Freed {
    fn budget(&self) -> &ByteBudget {
        self.memory.budget()
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let before = self.reads_before.get();
        self.reads_before
            .set(before.and_then(|it| it.checked_sub(1)));
        if before == Some(0) {
            let kind = ReadErrorKind::Unmapped;
            return Err(ReadError::new(address, buffer.len(), kind));
        }
        self.memory.read(address, buffer)
    }
}

#[test]
fn what_is_freed_while_it_is_copied_is_an_error_and_no_part_of_a_heap() {
    let is_copied = |reads_before| {
        let memory = Freed {
            memory: memory(),
            reads_before: Cell::new(Some(reads_before)),
        };
        let is_copied = read_all(&memory, &process()).is_ok();
        assert_eq!(memory.budget().held_bytes(), 0, "all is given back");
        is_copied
    };
    // The stack, two reads for each fragment, and four blocks.
    for read in 0..9 {
        assert!(!is_copied(read), "{read}");
    }
    assert!(is_copied(9));
}

/// A fragment is part of another thing by the time that the next one is requested.
#[test]
fn fragments_whose_memory_is_another_things_meanwhile_come_to_an_end() {
    let mut memory = memory();
    memory.map_words(FRAGMENTS[0], &[0x66_0000, 0, 0, 9, 2, 30, 31]);
    let found = take(&memory, &process());
    assert!(matches!(found, Err(CopyError::Read(_))));
    // Into the middle of something: the word in place of its length is none.
    memory.map_words(FRAGMENTS[0], &[STACK - 16, 0, 0, 9, 2, 30, 31]);
    let found = take(&memory, &process());
    assert!(matches!(found, Err(CopyError::Read(_))));
}

#[test]
fn lengths_that_no_heap_has_take_no_memory() {
    let memory = memory();
    let with = |change: fn(&mut Entry)| {
        let mut entry = process();
        change(&mut entry);
        let is_too_large = too_large(&memory, &entry);
        assert_eq!(memory.budget().held_bytes(), 0);
        is_too_large
    };
    assert!(with(|it| it.htop = it.heap + (1 << 60)));
    assert!(with(|it| it.htop = u64::MAX));
    assert!(with(|it| it.old_htop = it.old_heap + (1 << 60)));
    assert!(!with(|_| {}));
    for used in [1 << 60, 1 << 61, u64::MAX / 8, u64::MAX] {
        let mut memory = self::memory();
        memory.map_words(FRAGMENTS[1], &fragment(0, used));
        assert!(too_large(&memory, &process()), "{used:#x}");
    }
}

#[test]
fn a_stack_that_is_not_read_to_its_end_is_reported_as_too_long() {
    let with = |end: u64| {
        let mut entry = process();
        entry.hend = end;
        take(&memory(), &entry).err().unwrap()
    };
    assert_eq!(with(STACK + (1 << 60)), CopyError::StackTooLong);
    assert_eq!(with(u64::MAX), CopyError::StackTooLong);
    assert_eq!(with(STACK + MAX_STACK_BYTES + 8), CopyError::StackTooLong);
    let longest = with(STACK + MAX_STACK_BYTES);
    assert!(matches!(longest, CopyError::NoRoom(_)), "of this budget");
}

#[test]
fn bounds_that_contradict_each_other_have_nothing_between_them() {
    let mut entry = process();
    entry.htop = entry.heap - 8;
    (entry.old_heap, entry.old_htop) = (0, OLD_HEAP);
    (entry.stop, entry.hend) = (u64::MAX, STACK);
    entry.fragments = 0;
    let memory = memory();
    let copy = take(&memory, &entry).unwrap();
    assert!(copy.blocks.is_empty() && copy.stack.is_empty());
    entry.htop = entry.heap + 15;
    let copy = take(&memory, &entry).unwrap();
    assert_eq!(copy.words(0), 1, "half a word is none");
}

#[test]
fn addresses_that_wrap_are_an_error() {
    let mut entry = process();
    let mut with_last_word = memory();
    with_last_word.map_words(u64::MAX - 7, &[0]);
    for fragments in [u64::MAX, u64::MAX - 31, u64::MAX - 39] {
        entry.fragments = fragments;
        let found = take(&with_last_word, &entry);
        assert!(matches!(found, Err(CopyError::Read(_))), "{fragments:#x}");
    }
    let mut entry = process();
    (entry.heap, entry.htop) = (u64::MAX - 15, u64::MAX);
    let found = read_all(&memory(), &entry);
    assert!(matches!(found, Err(CopyError::Read(_))));
    // The last words that there are can be read, and nothing is behind them.
    let mut memory = memory();
    memory.map_words(u64::MAX - 15, &[60, 61]);
    let copy = take(&memory, &entry).unwrap();
    assert_eq!(word_at(&copy, u64::MAX - 15), Some(60));
    assert_eq!(copy.find(u64::MAX - 7), None, "of half of it at most");
}

#[test]
fn fragments_that_bite_their_tail_are_too_many() {
    for (next, used) in [(FRAGMENTS[0], 0), (FRAGMENTS[1], 1), (FRAGMENTS[0], 1)] {
        let mut memory = memory();
        memory.map_words(FRAGMENTS[1], &fragment(next, used));
        let error = take(&memory, &process()).err().unwrap();
        assert_eq!(error, CopyError::TooManyFragments);
        assert_eq!(memory.budget().held_bytes(), 0);
    }
    // Long ones are larger than any heap long before.
    let mut memory = memory();
    memory.map_words(
        FRAGMENTS[1],
        &fragment(FRAGMENTS[1], MAX_HEAP_BYTES / 8 / 100),
    );
    assert!(too_large(&memory, &process()));
}

#[test]
fn as_many_fragments_as_a_heap_has_at_most_are_copied() {
    let chain = |count: usize| {
        let at = |index: usize| FRAGMENTS[0] + index as u64 * 48;
        let next = |index: usize| if index + 1 < count { at(index + 1) } else { 0 };
        let words: Vec<u64> = (0..count).flat_map(|it| fragment(next(it), 1)).collect();
        let mut memory = SnapshotMemory::new();
        memory.map_words(FRAGMENTS[0], &words);
        let mut entry = nothing();
        entry.fragments = FRAGMENTS[0];
        take(&memory, &entry).map(|copy| copy.blocks.len())
    };
    assert_eq!(chain(MAX_FRAGMENTS), Ok(MAX_FRAGMENTS));
    assert_eq!(chain(MAX_FRAGMENTS + 1), Err(CopyError::TooManyFragments));
}

/// Words that are their own addresses: as much of them as there are addresses, and no memory.
#[derive(Default)]
struct Endless {
    reads: Cell<usize>,
    bytes: Cell<usize>,
}

impl TargetMemory for Endless {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.reads.set(self.reads.get() + 1);
        self.bytes.set(self.bytes.get() + buffer.len());
        for (address, word) in (address..).step_by(8).zip(buffer.chunks_exact_mut(8)) {
            word.copy_from_slice(&address.to_le_bytes());
        }
        Ok(())
    }
}

fn large(bytes: u64) -> Entry {
    let mut entry = nothing();
    (entry.heap, entry.htop) = (1 << 40, (1 << 40) + bytes / 4);
    (entry.old_heap, entry.old_htop) = (1 << 41, (1 << 41) + bytes - bytes / 4);
    entry
}

#[test]
fn a_heap_of_four_gigabytes_is_read_a_page_at_a_time_and_a_larger_one_is_refused_with_its_size() {
    let memory = Endless::default();
    let copy = take(&memory, &large(MAX_HEAP_BYTES)).unwrap();
    assert_eq!(memory.bytes.get(), 0, "nothing was asked for");
    let all = copy.all_words();
    assert_eq!(all, 1 << 29);
    // From both ends, and across the blocks' limit.
    let quarter = all / 4;
    for number in [0, 1, quarter - 1, quarter, all / 2, all - 1] {
        let at = copy.numbered(number);
        assert_eq!(copy.number(at), number);
        let address = match number.checked_sub(quarter) {
            None => (1 << 40) + number as u64 * 8,
            Some(behind) => (1 << 41) + behind as u64 * 8,
        };
        assert_eq!(copy.word(at), Some(address));
        assert_eq!(copy.find(address), Some(at));
    }
    assert_eq!(memory.bytes.get(), 5 * PAGE_WORDS * 8);
    let bytes = MAX_HEAP_BYTES + 8 * 4;
    let error = take(&memory, &large(bytes)).err().unwrap();
    assert_eq!(error, CopyError::TooLarge(bytes));
    assert_eq!(
        error.to_string(),
        "4097 MiB of it are in use, and heaps of up to 4096 MiB are looked through"
    );
}

#[test]
fn of_a_heap_that_is_larger_than_what_is_held_every_word_is_right() {
    let memory = Endless::default();
    let page = PAGE_WORDS * 8;
    let entry = large(64 * page as u64);
    let held = 8 * page;
    let copy = HeapCopy::holding(&memory, &entry, &|_, _| true, held).unwrap();
    let all = copy.all_words();
    let right = |number: usize| {
        let at = copy.numbered(number);
        let block = &copy.blocks[at.block];
        copy.word(at) == Some(block.start + at.index as u64 * 8)
    };
    // In order each page is read once, and jumping about reads no more than it has to.
    assert!((0..all).all(right));
    assert_eq!(memory.reads.get(), 64);
    assert!((0..10_000).all(|it| right(it * 48_271 % all)));
    let mut last_pages = (all - 4 * PAGE_WORDS..all).rev();
    assert!(last_pages.all(right));
    let before = memory.reads.get();
    assert!((all - 4 * PAGE_WORDS..all).all(right));
    assert_eq!(memory.reads.get(), before, "these are held");
}

#[test]
fn who_watches_can_end_it() {
    let memory = Endless::default();
    let heard = Cell::new(0);
    let watch = |_, of: u64| {
        assert_eq!(of, 2 * 64 * PAGE_WORDS as u64, "each word twice");
        heard.set(heard.get() + 1);
        heard.get() < 3
    };
    let entry = large(64 * PAGE_WORDS as u64 * 8);
    let copy = HeapCopy::take(&memory, &entry, &watch).unwrap();
    let word = |page: usize| copy.word(copy.numbered(page * PAGE_WORDS));
    assert!(word(0).is_some() && word(1).is_some());
    assert_eq!((word(2), copy.fault()), (None, Some(CopyError::Ended)));
    assert_eq!(word(3), None);
    assert_eq!(
        (memory.reads.get(), heard.get()),
        (2, 3),
        "it is not asked again"
    );
}

proptest! {
    /// Bounds anywhere, which overlap in any way, in words of which many lead to other ones.
    #[test]
    fn what_is_found_has_a_word(words in prop::collection::vec(prop_oneof![0u64..9, (0u64..64).prop_map(|it| HEAP + it * 8)], 1..64), bounds in any::<[u8; 7]>(), asked in any::<[u8; 8]>()) {
        let mut memory = SnapshotMemory::new();
        memory.map_words(HEAP, &words).within(ByteBudget::of(MIB));
        let mut entry = nothing();
        let at = bounds.map(|it| HEAP + u64::from(it) * 2);
        [entry.heap, entry.htop, entry.old_heap, entry.old_htop, entry.stop, entry.hend, entry.fragments] = at;
        if let Ok(copy) = take(&memory, &entry) {
            for address in asked.map(|it| HEAP + u64::from(it) * 2) {
                if let Some(at) = copy.find(address) {
                    let word = copy.word(at);
                    if copy.fault().is_none() {
                        prop_assert_eq!(word, memory.read_u64(address).ok());
                    }
                }
            }
        }
        prop_assert_eq!(memory.budget().held_bytes(), 0);
    }
}
