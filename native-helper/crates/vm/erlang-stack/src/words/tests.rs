use proptest::prelude::*;

use super::*;
use StackWord::{Bottom, EarlyBottom, Frame, SavedFramePointer, Stray, TraceReturn, Variable};

const TOP: u64 = 0x7000;
const EXIT: u64 = 0xe000;
const NIL: u64 = 0x3b;
/// The VM's instructions below a traced call: of the first a pointer follows.
const RETURN_TRACE: u64 = 0xe100;
const RETURN_TO: u64 = 0xe200;

const PLAIN: VmWords = VmWords {
    normal_exit: EXIT,
    traces: TraceReturns {
        known: [
            (RETURN_TRACE, true),
            (RETURN_TO, false),
            (0, true),
            (0, false),
        ],
    },
    frame_pointers: false,
};
const WITH_FRAME_POINTERS: VmWords = VmWords {
    frame_pointers: true,
    ..PLAIN
};

fn is_code(address: u64) -> bool {
    address >> 12 == 0xc
}

fn with_addresses(rules: &WalkRules, words: &[u64]) -> Vec<(u64, StackWord)> {
    stack_words(rules, words.iter().copied(), is_code).collect()
}

fn kinds_by(rules: &WalkRules, words: &[u64]) -> Vec<StackWord> {
    let found = with_addresses(rules, words).into_iter();
    found.map(|(_, word)| word).collect()
}

/// Of a stack that these are all words of.
fn kinds(vm: VmWords, words: &[u64]) -> Vec<StackWord> {
    kinds_by(&vm.rules(TOP, TOP + words.len() as u64 * 8), words)
}

#[test]
fn each_word_has_its_kind_and_its_address() {
    let words = [NIL, 0xc010, 0x5000, RETURN_TO, 0x1b, 0xc020, EXIT];
    let expected = [
        (TOP, Variable(NIL)),
        (TOP + 8, Frame(0xc010)),
        (TOP + 16, Stray(0x5000)),
        (TOP + 24, TraceReturn),
        (TOP + 32, Variable(0x1b)),
        (TOP + 40, Frame(0xc020)),
        (TOP + 48, Bottom),
    ];
    for end in [TOP + 56, 0] {
        assert_eq!(with_addresses(&PLAIN.rules(TOP, end), &words), expected);
    }
}

#[test]
fn no_word_comes_after_the_bottom_or_from_beyond_the_end() {
    // Where the end is not known, the bottom is it; the words behind are the heap of another process.
    let words = [0xc010, EXIT, 0xc020, EXIT];
    let unknown = kinds_by(&PLAIN.rules(TOP, 0), &words);
    assert_eq!(unknown, [Frame(0xc010), Bottom]);
    assert_eq!(
        kinds(PLAIN, &words),
        [Frame(0xc010), EarlyBottom, Frame(0xc020), Bottom]
    );
    let beyond = kinds_by(&PLAIN.rules(TOP, TOP + 8), &words);
    assert_eq!(beyond, [Frame(0xc010)]);
    // It stays over, also for a caller that goes on.
    let rules = PLAIN.rules(TOP, 0);
    let mut asked = stack_words(&rules, words.into_iter(), is_code);
    assert_eq!(asked.by_ref().count(), 2);
    assert_eq!(asked.next(), None);
}

#[test]
fn the_pointer_of_a_traced_call_is_no_word_and_what_is_no_pointer_is_one() {
    let kinds = |words: &[u64]| kinds(PLAIN, words);
    // It may look like a frame, or like another traced call.
    for pointer in [0xc0e8, 0x50e8, RETURN_TO, 0] {
        let words = [RETURN_TRACE, pointer, NIL, 0xc010, EXIT];
        assert_eq!(
            kinds(&words),
            [TraceReturn, Variable(NIL), Frame(0xc010), Bottom]
        );
    }
    let nothing_follows = [RETURN_TO, 0xc010, EXIT];
    assert_eq!(
        kinds(&nothing_follows),
        [TraceReturn, Frame(0xc010), Bottom]
    );
    let is_null = [RETURN_TRACE, NIL, 0xc010, EXIT];
    assert_eq!(
        kinds(&is_null),
        [TraceReturn, Variable(NIL), Frame(0xc010), Bottom]
    );
    assert_eq!(kinds(&[RETURN_TRACE, EXIT]), [TraceReturn, Bottom]);
    assert_eq!(kinds(&[RETURN_TRACE]), [TraceReturn]);
    // The addresses of the words below count it.
    let rules = PLAIN.rules(TOP, 0);
    let found = with_addresses(&rules, &[RETURN_TRACE, 0x50e8, 0xc010]);
    assert_eq!(found, [(TOP, TraceReturn), (TOP + 16, Frame(0xc010))]);
}

#[test]
fn a_saved_frame_pointer_leads_down_on_the_same_stack_and_only_the_outermost_is_null() {
    let words = [TOP + 24, 0xc010, NIL, 0, EXIT];
    assert_eq!(
        kinds(WITH_FRAME_POINTERS, &words),
        [
            SavedFramePointer,
            Frame(0xc010),
            Variable(NIL),
            SavedFramePointer,
            Bottom
        ]
    );
    assert_eq!(
        kinds(PLAIN, &words),
        [
            Stray(TOP + 24),
            Frame(0xc010),
            Variable(NIL),
            Stray(0),
            Bottom
        ]
    );
    // Null further up, itself, upwards, behind the end.
    let words = [0, TOP + 8, TOP + 8, TOP + 41, TOP + 48, 0xc010, EXIT];
    let end = TOP + 40;
    assert_eq!(
        kinds_by(&WITH_FRAME_POINTERS.rules(TOP, end), &words),
        [
            Stray(0),
            Stray(TOP + 8),
            Stray(TOP + 8),
            Variable(TOP + 41),
            Stray(TOP + 48)
        ]
    );
    // To the end itself.
    assert_eq!(
        kinds_by(&WITH_FRAME_POINTERS.rules(TOP, TOP + 16), &[TOP + 16, NIL]),
        [SavedFramePointer, Variable(NIL)]
    );
}

#[test]
fn frame_pointers_are_known_by_the_bottom_or_not_at_all() {
    let rules = WITH_FRAME_POINTERS.rules(TOP, 0);
    let end = |words: &[u64]| stack_words(&rules, words.iter().copied(), is_code).end();
    let whole = [TOP + 16, 0xc010, 0, EXIT, NIL];
    assert_eq!(end(&whole), TOP + 32);
    assert_eq!(
        kinds_by(&rules, &whole),
        [SavedFramePointer, Frame(0xc010), SavedFramePointer, Bottom]
    );
    // Without a bottom the content of the stack is not known.
    let cut = [TOP + 16, 0xc010, 0];
    assert_eq!(end(&cut), 0);
    assert_eq!(
        kinds_by(&rules, &cut),
        [Stray(TOP + 16), Frame(0xc010), Stray(0)]
    );
}

#[test]
fn frame_pointers_of_a_stack_that_was_moved_lead_to_where_it_was() {
    let rules = WalkRules {
        moved_down_bytes: 0x2000,
        ..WITH_FRAME_POINTERS.rules(TOP, TOP + 24)
    };
    let found = kinds_by(&rules, &[TOP + 0x2010, TOP + 16, EXIT]);
    assert_eq!(found, [SavedFramePointer, Stray(TOP + 16), Bottom]);
}

#[test]
fn only_the_first_word_may_be_an_unaligned_return_address() {
    let found = kinds(PLAIN, &[0xc011, 0xc021, EXIT]);
    assert_eq!(found, [Frame(0xc011), Variable(0xc021), Bottom]);
    assert_eq!(kinds(PLAIN, &[0x5011, EXIT]), [Variable(0x5011), Bottom]);
}

#[test]
fn there_is_nothing_on_an_empty_stack() {
    for vm in [PLAIN, WITH_FRAME_POINTERS] {
        assert!(kinds(vm, &[]).is_empty());
        assert!(kinds_by(&vm.rules(TOP, 0), &[]).is_empty());
        // A top at or behind the end.
        for end in [TOP, 8] {
            assert!(kinds_by(&vm.rules(TOP, end), &[0xc010, EXIT]).is_empty());
        }
    }
}

#[test]
fn a_place_that_is_no_multiple_of_a_word_and_one_that_wraps_are_as_any() {
    let rules = WITH_FRAME_POINTERS.rules(TOP + 3, 0);
    let found = with_addresses(&rules, &[TOP + 16, 0xc010, EXIT]);
    assert_eq!(
        found,
        [
            (TOP + 3, SavedFramePointer),
            (TOP + 11, Frame(0xc010)),
            (TOP + 19, Bottom)
        ]
    );
    // An end that is no whole words away has no word next to it: none is the bottom.
    let beside = kinds_by(&PLAIN.rules(TOP + 3, TOP + 16), &[EXIT, EXIT]);
    assert_eq!(beside, [EarlyBottom, EarlyBottom]);
    let wrapping = with_addresses(&PLAIN.rules(u64::MAX - 7, 0), &[0xc010, EXIT]);
    assert_eq!(wrapping, [(u64::MAX - 7, Frame(0xc010)), (0, Bottom)]);
}

proptest! {
    /// Each word is classified at most once, in order, and the class of each fits its value.
    #[test]
    fn of_garbage_each_word_has_one_kind(words in prop::collection::vec(prop_oneof![any::<u64>(), 0xc000u64..0xc010, (0u64..32).prop_map(|word| TOP + word), Just(EXIT), Just(RETURN_TRACE), Just(0)], 0..32), top in prop_oneof![any::<u64>(), Just(TOP)], end in prop_oneof![any::<u64>(), Just(0), (0u64..40).prop_map(|word| TOP + word * 8)], frame_pointers: bool) {
        let vm = VmWords { frame_pointers, ..PLAIN };
        let found = with_addresses(&vm.rules(top, end), &words);
        prop_assert!(found.len() <= words.len());
        let mut after = 0;
        for (place, (address, kind)) in found.iter().enumerate() {
            let index = (address.wrapping_sub(top) / 8) as usize;
            prop_assert!(index >= after);
            after = index + 1;
            let word = words[index];
            let fits = match *kind {
                Frame(address) => address == word && is_code(word),
                TraceReturn => word == RETURN_TRACE || word == RETURN_TO,
                SavedFramePointer => frame_pointers && word & 3 == 0,
                Bottom => word == EXIT && place + 1 == found.len(),
                EarlyBottom => word == EXIT && end != 0,
                Variable(term) => term == word && word & 3 != 0,
                Stray(stray) => stray == word && word & 3 == 0 && !is_code(word),
            };
            prop_assert!(fits, "{kind:?} of {word:#x}");
        }
    }
}
