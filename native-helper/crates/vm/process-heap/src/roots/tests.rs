use erlang_stack::TraceReturns;
use proptest::prelude::*;
use target_memory::{ByteBudget, SnapshotMemory};
use vm_layout::process_details::PROCESS_DETAILS;
use vm_layout::rows::ROWS;

use super::*;

const HEAP: u64 = 0x10_000;
const STACK: u64 = 0x50_000;
/// Where there is room for more words than elsewhere.
const LONG_STACK: u64 = 0x1000_0000;
const ARGUMENTS: u64 = 0x60_000;
const DICTIONARY: u64 = 0x70_000;
const NIL: u64 = 0x3b;
const PAIR: u64 = 2 << 6;
/// Where it goes on.
const NEXT: u64 = 0xc0de_0000;

/// The VM's instructions below a traced call: of the first a pointer follows.
const RETURN_TRACE: u64 = 0xe000;
const RETURN_TO: u64 = 0xe010;

/// At the bottom of all stacks.
const EXIT: u64 = 0xe020;

const fn atom(number: u64) -> u64 {
    number << 6 | 0xb
}

const fn list_at(word: u64) -> u64 {
    HEAP + word * 8 + 1
}

const fn boxed_at(word: u64) -> u64 {
    HEAP + word * 8 + 2
}

/// A process of OTP 27 with a heap, a stack, arguments and a dictionary, as far as there are any.
#[derive(Default)]
struct Process {
    heap: Vec<u64>,
    stack: Vec<u64>,
    arguments: Vec<u64>,
    /// Slots in use, slots.
    slots: Option<(u32, u32)>,
    dictionary: Vec<u64>,
    /// In a VM that keeps them.
    frame_pointers: bool,
}

impl Process {
    fn vm_words(&self) -> VmWords {
        VmWords {
            normal_exit: EXIT,
            traces: TraceReturns::new([(RETURN_TRACE, true), (RETURN_TO, false)]),
            frame_pointers: self.frame_pointers,
        }
    }

    fn memory(&self) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        memory.map_words(HEAP, &self.heap);
        memory.map_words(STACK, &self.stack);
        memory.map_words(ARGUMENTS, &self.arguments);
        memory.map_words(DICTIONARY, &self.dictionary_words());
        memory.within(ByteBudget::of(1 << 20));
        memory
    }

    fn dictionary_words(&self) -> Vec<u64> {
        let (used, all) = self.slots.unwrap_or_default();
        let head = [u64::from(used) << 32, u64::from(all), 0];
        head.iter().chain(&self.dictionary).copied().collect()
    }

    fn entry(&self) -> Entry {
        let layout = &ROWS[1].process;
        let bytes = vec![0; layout.read_bytes];
        let mut entry = Entry::from_bytes(layout, &PROCESS_DETAILS[0], (0, 0), &bytes).unwrap();
        let end = |start: u64, words: &[u64]| start + words.len() as u64 * 8;
        (entry.heap, entry.htop) = (HEAP, end(HEAP, &self.heap));
        (entry.stop, entry.hend) = (STACK, end(STACK, &self.stack));
        (entry.arguments, entry.arity) = (ARGUMENTS, self.arguments.len() as u64);
        entry.dictionary = self.slots.map_or(0, |_| DICTIONARY);
        entry.i = NEXT;
        entry
    }

    /// Its roots, with other fields of its struct changed.
    fn with(&self, change: impl FnOnce(&mut Entry)) -> Result<Roots, CopyError> {
        let (memory, mut entry) = (self.memory(), self.entry());
        let copy = HeapCopy::take(&memory, &entry, &|_, _| true).unwrap();
        change(&mut entry);
        Roots::of(&memory, &entry, &copy, &[], self.vm_words())
    }

    fn roots(&self) -> Vec<(Owner, u64)> {
        let found = self.with(|_| {}).unwrap();
        found.roots.iter().map(|it| (it.owner, it.term)).collect()
    }
}

fn with_dictionary(heap: &[u64], slots: &[u64]) -> Process {
    let count = slots.len() as u32;
    Process {
        heap: heap.to_vec(),
        slots: Some((count, count)),
        dictionary: slots.to_vec(),
        ..Process::default()
    }
}

#[test]
fn words_above_a_return_address_belong_to_the_frame_inside() {
    let process = Process {
        stack: vec![
            boxed_at(0),
            atom(1),
            list_at(3),
            0xa000,
            0xb000,
            NIL,
            list_at(5),
            0xc000,
            boxed_at(7),
        ],
        ..Process::default()
    };
    let at = |frame, slot| Owner::Stack { frame, slot };
    assert_eq!(
        process.roots(),
        [
            (at(0, 0), boxed_at(0)),
            (at(0, 2), list_at(3)),
            (at(2, 1), list_at(5)),
            (at(3, 0), boxed_at(7))
        ]
    );
    let frames = process.with(|_| {}).unwrap().frames;
    assert_eq!(frames, [NEXT, 0xa000, 0xb000, 0xc000]);
}

#[test]
fn what_tracing_puts_below_a_call_is_no_frame_and_no_variable() {
    let process = Process {
        stack: vec![
            boxed_at(0),
            // The call's pointer to its names, and its tracer.
            RETURN_TRACE,
            0xf000,
            list_at(3),
            0xa000,
            boxed_at(5),
            // Without a pointer.
            RETURN_TO,
            0xb000,
            boxed_at(7),
            // Its pointer was null: that is a term.
            RETURN_TRACE,
            NIL,
            0xc000,
            boxed_at(9),
        ],
        ..Process::default()
    };
    let at = |frame| Owner::Stack { frame, slot: 0 };
    assert_eq!(
        process.roots(),
        [
            (at(0), boxed_at(0)),
            (Owner::Tracing, list_at(3)),
            (at(1), boxed_at(5)),
            (at(2), boxed_at(7)),
            (at(3), boxed_at(9))
        ]
    );
    let frames = process.with(|_| {}).unwrap().frames;
    assert_eq!(frames, [NEXT, 0xa000, 0xb000, 0xc000]);
}

#[test]
fn a_frame_pointer_is_no_frame_and_takes_no_slot() {
    // As with +JPperf true: each frame holds the place of the next one's, the outermost null.
    let process = Process {
        stack: vec![
            boxed_at(0),
            STACK + 4 * 8,
            0xa000,
            list_at(3),
            STACK + 6 * 8,
            0xb000,
            0,
            EXIT,
        ],
        frame_pointers: true,
        ..Process::default()
    };
    let at = |frame, slot| Owner::Stack { frame, slot };
    assert_eq!(
        process.roots(),
        [(at(0, 0), boxed_at(0)), (at(1, 0), list_at(3))]
    );
    let frames = process.with(|_| {}).unwrap().frames;
    assert_eq!(frames, [NEXT, 0xa000, 0xb000, EXIT]);
}

#[test]
fn what_is_a_frame_pointer_in_another_vm_or_elsewhere_has_the_place_of_a_variable() {
    let at = |frame, slot| Owner::Stack { frame, slot };
    let null = [boxed_at(0), 0, boxed_at(3), 0xa000, 0, list_at(5), EXIT];
    let pointer = [
        boxed_at(0),
        STACK + 3 * 8,
        boxed_at(3),
        0xa000,
        STACK,
        list_at(5),
        EXIT,
    ];
    for (stack, frame_pointers) in [(null, false), (null, true), (pointer, false)] {
        let process = Process {
            stack: stack.to_vec(),
            frame_pointers,
            ..Process::default()
        };
        let expected = [
            (at(0, 0), boxed_at(0)),
            (at(0, 2), boxed_at(3)),
            (at(1, 1), list_at(5)),
        ];
        assert_eq!(process.roots(), expected, "{stack:x?}");
        let frames = process.with(|_| {}).unwrap().frames;
        assert_eq!(frames, [NEXT, 0xa000, EXIT]);
    }
}

#[test]
fn the_bottom_is_a_frame_like_any_also_below_a_traced_call_and_further_up() {
    let frames_of = |stack: &[u64]| {
        let process = Process {
            stack: stack.to_vec(),
            ..Process::default()
        };
        process.with(|_| {}).unwrap().frames
    };
    assert_eq!(frames_of(&[0xa000, EXIT]), [NEXT, 0xa000, EXIT]);
    assert_eq!(frames_of(&[RETURN_TRACE, EXIT]), [NEXT, EXIT]);
    assert_eq!(frames_of(&[EXIT, boxed_at(0), EXIT]), [NEXT, EXIT, EXIT]);
    assert_eq!(frames_of(&[]), [NEXT]);
}

/// The rest of a stack that is read in part would be taken for garbage: the longest that is walked for a sample is no limit here.
#[test]
fn a_stack_of_more_words_than_a_sample_has_is_looked_through_to_its_end() {
    let words = (1 << 20) + 2;
    let mut process = Process {
        stack: vec![NIL; words],
        ..Process::default()
    };
    process.stack[words - 2] = boxed_at(7);
    process.stack[words - 1] = EXIT;
    let (mut memory, mut entry) = (SnapshotMemory::new(), process.entry());
    memory.map_words(LONG_STACK, &process.stack);
    (entry.stop, entry.hend) = (LONG_STACK, LONG_STACK + words as u64 * 8);
    let copy = HeapCopy::take(&memory, &entry, &|_, _| true).unwrap();
    let found = Roots::of(&memory, &entry, &copy, &[], process.vm_words()).unwrap();
    let owner = Owner::Stack {
        frame: 0,
        slot: words - 2,
    };
    let term = boxed_at(7);
    assert_eq!(found.roots, [Root { owner, term }]);
}

#[test]
fn of_arguments_those_that_lead_somewhere_are_roots() {
    let process = Process {
        arguments: vec![atom(1), list_at(0), NIL, boxed_at(2), PAIR],
        ..Process::default()
    };
    let expected = [
        (Owner::Argument(1), list_at(0)),
        (Owner::Argument(3), boxed_at(2)),
    ];
    assert_eq!(process.roots(), expected);
    assert_eq!(process.with(|it| it.arity = 2).unwrap().roots.len(), 1);
}

#[test]
fn more_arguments_than_a_function_has_are_none() {
    let process = Process {
        arguments: vec![list_at(0); 256],
        ..Process::default()
    };
    let with = |arity: u64| process.with(|it| it.arity = arity).unwrap().roots.len();
    assert_eq!((with(0), with(255)), (0, 255));
    assert_eq!((with(256), with(1 << 60), with(u64::MAX)), (0, 0, 0));
}

#[test]
fn pairs_of_a_dictionary_are_shown_by_their_keys() {
    // Pairs at 0, 3 and 6; a list of the last two at 9. The last slot is not in use.
    let heap = [
        PAIR,
        atom(1),
        NIL,
        PAIR,
        atom(2),
        NIL,
        PAIR,
        list_at(9),
        NIL,
        boxed_at(3),
        list_at(11),
        boxed_at(6),
        NIL,
    ];
    let mut process = with_dictionary(&heap, &[boxed_at(0), NIL, list_at(9), boxed_at(3)]);
    process.slots = Some((3, 4));
    let key = |key| Owner::Dictionary(Some(key));
    assert_eq!(
        process.roots(),
        [
            (key(atom(1)), boxed_at(0)),
            (key(atom(2)), boxed_at(3)),
            (key(list_at(9)), boxed_at(6)),
            (Owner::Dictionary(None), list_at(9))
        ]
    );
}

#[test]
fn what_is_no_pair_of_this_heap_is_a_root_without_a_key() {
    let elsewhere = 0x99_0002;
    let heap = [3 << 6, atom(1), NIL, NIL, PAIR];
    let slots = [boxed_at(0), boxed_at(4), elsewhere, list_at(4)];
    let found = with_dictionary(&heap, &slots).roots();
    assert_eq!(found, slots.map(|slot| (Owner::Dictionary(None), slot)));
}

#[test]
fn slots_in_use_are_no_more_than_there_are() {
    let mut process = with_dictionary(&[], &[boxed_at(0), boxed_at(0)]);
    process.slots = Some((u32::MAX, 2));
    assert_eq!(process.roots().len(), 2);
    process.slots = Some((u32::MAX, 0));
    assert_eq!(process.roots().len(), 0);
}

#[test]
fn a_dictionary_that_is_not_read_to_its_end_is_reported_as_too_long() {
    let with = |slots: u32| {
        let mut process = with_dictionary(&[], &[]);
        process.slots = Some((slots, slots));
        process.with(|_| {}).unwrap_err()
    };
    assert_eq!(with(u32::MAX), CopyError::DictionaryTooLong);
    assert_eq!(with(MAX_SLOTS + 1), CopyError::DictionaryTooLong);
    let longest = with(MAX_SLOTS);
    assert!(
        matches!(longest, CopyError::Read(_)),
        "too long for this budget"
    );
}

#[test]
fn lists_of_pairs_that_bite_their_tail_have_an_end_all_together() {
    // A cell that is its own tail, and each slot leads there.
    let heap = [boxed_at(2), list_at(0), PAIR, atom(1), NIL];
    let of = |slots: usize| with_dictionary(&heap, &vec![list_at(0); slots]).with(|_| {});
    for slots in [1, 64, 65, 20_000] {
        assert_eq!(of(slots), Err(CopyError::DictionaryTooLong), "{slots}");
    }
}

#[test]
fn as_many_pairs_as_there_are_slots_may_all_share_one() {
    let count = 100;
    let mut heap: Vec<u64> = Vec::new();
    for pair in 0..count {
        let next = if pair + 1 < count {
            list_at((pair + 1) * 5)
        } else {
            NIL
        };
        heap.extend([boxed_at(pair * 5 + 2), next, PAIR, atom(pair), NIL]);
    }
    let mut slots = vec![NIL; count as usize];
    slots[7] = list_at(0);
    let found = with_dictionary(&heap, &slots).roots();
    assert_eq!(found.len(), count as usize + 1);
    assert!(found.contains(&(Owner::Dictionary(Some(atom(99))), boxed_at(497))));
}

#[test]
fn half_a_cell_ends_its_list() {
    let heap = [PAIR, atom(1), NIL, boxed_at(0), list_at(5), boxed_at(0)];
    let found = with_dictionary(&heap, &[list_at(3)]).roots();
    let with_key = (Owner::Dictionary(Some(atom(1))), boxed_at(0));
    assert_eq!(found, [with_key, (Owner::Dictionary(None), list_at(3))]);
}

#[test]
fn what_is_freed_meanwhile_is_an_error_and_not_fewer_roots() {
    let mut process = with_dictionary(&[], &[NIL; 4]);
    process.arguments = vec![NIL];
    let fails = |change: fn(&mut Entry)| process.with(change).is_err();
    assert!(!fails(|_| {}));
    assert!(fails(|it| it.dictionary = 0x66_0000));
    assert!(fails(|it| it.arguments = 0x66_0000));
    // Its head is there, and not all of its slots are.
    process.slots = Some((5, 5));
    assert!(process.with(|_| {}).is_err());
}

#[test]
fn addresses_that_wrap_are_an_error() {
    let process = with_dictionary(&[], &[NIL]);
    for address in [u64::MAX, u64::MAX - 7, u64::MAX - 23] {
        let of_arguments = process.with(|it| (it.arity, it.arguments) = (255, address));
        assert!(matches!(of_arguments, Err(CopyError::Read(_))));
        let of_dictionary = process.with(|it| it.dictionary = address);
        assert!(matches!(of_dictionary, Err(CopyError::Read(_))));
    }
    // The head is the last that there is, so that no slot can be behind it.
    let (mut memory, mut entry) = (process.memory(), process.entry());
    memory.map_words(u64::MAX - 23, &process.dictionary_words()[..3]);
    entry.dictionary = u64::MAX - 23;
    let copy = HeapCopy::take(&memory, &entry, &|_, _| true).unwrap();
    let found = Roots::of(&memory, &entry, &copy, &[], process.vm_words());
    assert!(matches!(found, Err(CopyError::Read(_))));
    // So are a cell and a pair.
    let slots = [u64::MAX - 6, u64::MAX - 5, u64::MAX - 14];
    assert_eq!(with_dictionary(&[], &slots).roots().len(), slots.len());
}

#[test]
fn messages_come_last_and_those_that_are_a_word_are_no_roots() {
    let mut process = with_dictionary(&[], &[boxed_at(1)]);
    process.stack = vec![boxed_at(0)];
    let (memory, entry) = (process.memory(), process.entry());
    let copy = HeapCopy::take(&memory, &entry, &|_, _| true).unwrap();
    let queued = [boxed_at(2), atom(1), 0, PAIR, list_at(3)].map(|term| Queued {
        term,
        is_off_heap: false,
    });
    let found = Roots::of(&memory, &entry, &copy, &queued, process.vm_words()).unwrap();
    let terms: Vec<u64> = found.roots.iter().map(|it| it.term).collect();
    assert_eq!(terms, [boxed_at(0), boxed_at(1), boxed_at(2), list_at(3)]);
    assert_eq!(found.roots[3].owner, Owner::Mailbox);
}

proptest! {
    /// Words of which many lead to other ones, as heap, stack, arguments and dictionary.
    #[test]
    fn garbage_has_so_many_roots_at_most(words in prop::collection::vec(prop_oneof![any::<u64>(), (0u64..64, 0u64..8).prop_map(|(word, tag)| HEAP + word * 8 + tag)], 4..64), used: u32, all in prop_oneof![any::<u32>(), 0u32..64], frame_pointers: bool) {
        let process = Process {
            heap: words.clone(),
            stack: words.clone(),
            arguments: words.clone(),
            slots: Some((used, all)),
            dictionary: words.clone(),
            frame_pointers,
        };
        if let Ok(found) = process.with(|_| {}) {
            prop_assert!(found.roots.len() <= (3 + PAIRS_OF_SLOT) * words.len() + PAIRS_AT_LEAST);
            prop_assert!(found.frames.len() <= 1 + words.len());
        }
    }
}
