//! Finding the frames of an Erlang stack: which of its [words](crate::words) they are, how deep each is, and how much
//! the others speak against the whole.

use crate::words::{StackWord, Strays, WalkRules, stack_words};

/// The most words walked: a stack of 8 MiB, beyond what any reader hands in.
const MAX_WORDS: usize = 1 << 20;

/// One frame: the code at `return_address` runs when the frame above it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErlangFrame {
    /// The return address; the call is before it.
    pub return_address: u64,
    /// Distance of its word from the bottom of the stack, bytes: the same for one frame wherever
    /// the collector moves the stack to.
    pub depth_bytes: u64,
}

/// How a walk ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct WalkEnd {
    /// The bottom frame was reached.
    pub complete: bool,
    /// Words that cannot occur on an Erlang stack. One is enough to distrust all of it.
    pub stray_words: u32,
    /// There are return addresses of traced calls.
    pub traced: bool,
}

impl WalkEnd {
    /// That of a whole stack of which nothing raises doubt.
    pub const WHOLE: Self = Self {
        complete: true,
        stray_words: 0,
        traced: false,
    };
}

/// Walks `words`, the stack from its top (lowest address) on, and appends its frames.
///
/// `is_return_address` returns whether an address follows a call in JIT code. The first word may be
/// one with low bits set: shared fragments are also called at unaligned places.
pub fn walk<W: IntoIterator<Item = u64>>(
    rules: &WalkRules,
    words: W,
    is_return_address: impl FnMut(u64) -> bool,
    frames: &mut Vec<ErlangFrame>,
) -> WalkEnd
where
    W::IntoIter: Clone,
{
    let first_frame = frames.len();
    let mut end = WalkEnd::default();
    let words = words.into_iter().take(MAX_WORDS);
    let words = stack_words(rules, words, is_return_address);
    let stack_end = words.end();
    for (address, word) in words {
        match word {
            StackWord::Variable(_) | StackWord::SavedFramePointer => {}
            // Holds the address of its word until the bottom is known.
            StackWord::Frame(return_address) => frames.push(ErlangFrame {
                return_address,
                depth_bytes: address,
            }),
            StackWord::TraceReturn => end.traced = true,
            StackWord::Bottom => {
                set_depths(&mut frames[first_frame..], address.wrapping_add(8));
                end.complete = true;
                return end;
            }
            // A stray, and never a variable that is not set yet: the frames above it are not dropped.
            StackWord::EarlyBottom => end.stray_words += 1,
            StackWord::Stray(_) => {
                end.stray_words += 1;
                if let Strays::Unset { first_is_frame } = rules.strays {
                    let kept = frames
                        .get(first_frame)
                        .filter(|frame| first_is_frame && frame.depth_bytes == rules.top)
                        .map_or(0, |_| 1);
                    frames.truncate(first_frame + kept);
                }
            }
        }
    }
    set_depths(&mut frames[first_frame..], stack_end);
    end
}

fn set_depths(frames: &mut [ErlangFrame], end: u64) {
    for frame in frames {
        frame.depth_bytes = end.wrapping_sub(frame.depth_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::TraceReturns;
    use proptest::prelude::*;

    const EXIT: u64 = 0xe000;
    const NIL: u64 = 0x3b;

    fn walked(top: u64, end: u64, words: &[u64]) -> (Vec<u64>, WalkEnd) {
        walked_in(false, top, end, words)
    }

    fn walked_in(frame_pointers: bool, top: u64, end: u64, words: &[u64]) -> (Vec<u64>, WalkEnd) {
        let mut frames = Vec::new();
        let rules = WalkRules {
            normal_exit: EXIT,
            traces: TraceReturns::default(),
            top,
            end,
            strays: Strays::Suspect,
            frame_pointers,
            moved_down_bytes: 0,
        };
        let is_code = |address: u64| (0xc000..0xd000).contains(&address);
        let walk_end = walk(&rules, words.iter().copied(), is_code, &mut frames);
        (
            frames.iter().map(|frame| frame.return_address).collect(),
            walk_end,
        )
    }

    #[test]
    fn terms_are_skipped_and_the_bottom_ends_the_walk() {
        // The memory beyond the bottom word is the heap of another process: it is not looked at.
        let words = [0xc010, NIL, 0x1b, 0xc020, NIL, EXIT, 0xc030, 0x4];
        let (frames, end) = walked(0x7000, 0, &words);
        assert_eq!(frames, [0xc010, 0xc020]);
        assert_eq!(end, WalkEnd::WHOLE);
    }

    #[test]
    fn the_frames_of_a_trace_are_no_frames_of_code_and_the_callers_below_are_shown() {
        const RETURN_TRACE: u64 = 0xe100;
        const RETURN_TO: u64 = 0xe200;
        let walked = |traces: TraceReturns, words: &[u64]| {
            let mut frames = Vec::new();
            let rules = WalkRules {
                normal_exit: EXIT,
                traces,
                top: 0x7000,
                end: 0x7000 + words.len() as u64 * 8,
                strays: Strays::Suspect,
                frame_pointers: false,
                moved_down_bytes: 0,
            };
            let is_code = |address: u64| (0xc000..0xd000).contains(&address);
            let end = walk(&rules, words.iter().copied(), is_code, &mut frames);
            let frames: Vec<_> = frames.iter().map(|it| it.return_address).collect();
            (frames, end.complete, end.stray_words, end.traced)
        };
        let traces = TraceReturns::new([(RETURN_TRACE, true), (RETURN_TO, false)]);
        // The function's description (which may pass for a return address), the tracer, the session; no words at all.
        let nested = [
            0xc010,
            RETURN_TRACE,
            0xc0e8,
            0x4b,
            0x2d0b,
            RETURN_TO,
            0xc020,
            NIL,
            RETURN_TRACE,
            NIL,
            0xc030,
            EXIT,
        ];
        assert_eq!(
            walked(traces, &nested),
            (vec![0xc010, 0xc020, 0xc030], true, 0, true)
        );
        // A process that ends in a traced call; a pointer that is not there.
        assert_eq!(
            walked(traces, &[RETURN_TRACE, 0x50e8, 0x4b, EXIT]),
            (vec![], true, 0, true)
        );
        assert_eq!(
            walked(traces, &[0xc010, RETURN_TRACE, EXIT]),
            (vec![0xc010], true, 0, true)
        );
        assert_eq!(
            walked(traces, &[0xc010, RETURN_TRACE]),
            (vec![0xc010], false, 0, true)
        );
        // A VM of which they are not known, and a null word, are in doubt as ever.
        let unknown = walked(
            TraceReturns::default(),
            &[0xc010, RETURN_TRACE, 0x50e8, 0, EXIT],
        );
        assert_eq!(unknown, (vec![0xc010], true, 3, false));
        assert_eq!(
            walked(traces, &[0xc010, 0, EXIT]),
            (vec![0xc010], true, 1, false)
        );
    }

    #[test]
    fn words_beyond_the_end_are_another_process() {
        let (frames, end) = walked(0x7000, 0x7008, &[0xc010, 0xc020, EXIT]);
        assert_eq!(frames, [0xc010]);
        assert!(!end.complete);
        assert_eq!(walked(0x7008, 0x7008, &[0xc020, EXIT]).0, []);
    }

    #[test]
    fn a_bottom_word_above_the_bottom_is_not_the_end() {
        // A stack moved up by two words, over itself.
        let words = [0xc020, EXIT, 0xc020, EXIT];
        let (frames, end) = walked(0x7000, 0x7020, &words);
        assert_eq!(frames, [0xc020, 0xc020]);
        assert!(end.complete && end.stray_words == 1);
    }

    #[test]
    fn only_the_first_word_may_be_an_unaligned_return_address() {
        let (frames, end) = walked(0x7000, 0, &[0xc011, 0xc021, EXIT]);
        assert_eq!(frames, [0xc011]);
        assert!(end.complete);
    }

    #[test]
    fn a_stray_word_is_counted_and_a_frame_pointer_is_not_one() {
        // A VM that keeps no frame pointers has none on its stacks.
        for (frame_pointers, stray_words) in [(true, 1), (false, 2)] {
            let words = [0x7010, 0xc010, 0x5000, EXIT];
            let (_, end) = walked_in(frame_pointers, 0x7000, 0x7020, &words);
            let expected = WalkEnd {
                complete: true,
                stray_words,
                traced: false,
            };
            assert_eq!(end, expected);
        }
    }

    #[test]
    fn the_outermost_frame_saves_a_null_frame_pointer_and_nothing_else_is_null() {
        let walked = |words: &[u64], frame_pointers| {
            let mut frames = Vec::new();
            let rules = WalkRules {
                normal_exit: EXIT,
                traces: TraceReturns::default(),
                top: 0x7000,
                end: 0x7000 + words.len() as u64 * 8,
                strays: Strays::Unset {
                    first_is_frame: false,
                },
                frame_pointers,
                moved_down_bytes: 0,
            };
            let words = words.iter().copied();
            let end = walk(&rules, words, |word| word >> 12 == 0xc, &mut frames);
            (frames.len(), end.stray_words)
        };
        let words = [0x7018, 0xc010, NIL, 0, EXIT];
        assert_eq!(walked(&words, true), (1, 0));
        assert_eq!(walked(&words, false), (0, 2));
        assert_eq!(walked(&[0xc010, 0, NIL, 0, EXIT], true), (0, 1));
    }

    #[test]
    fn frame_pointers_are_known_by_the_bottom_where_the_process_does_not_have_its_place() {
        for strays in [
            Strays::Suspect,
            Strays::Unset {
                first_is_frame: false,
            },
        ] {
            let mut frames = Vec::new();
            let rules = WalkRules {
                normal_exit: EXIT,
                traces: TraceReturns::default(),
                top: 0x7000,
                end: 0,
                strays,
                frame_pointers: true,
                moved_down_bytes: 0,
            };
            // The called function saves the frame of its caller, 0x7018, which saves none.
            let words = [0x7018, 0xc010, NIL, 0x7028, 0xc020, 0, EXIT];
            let end = walk(&rules, words, |word| word >> 12 == 0xc, &mut frames);
            assert_eq!((end.complete, end.stray_words), (true, 0));
            let shown: Vec<u64> = frames.iter().map(|frame| frame.return_address).collect();
            assert_eq!(shown, [0xc010, 0xc020]);
            assert_eq!(frames[0].depth_bytes, 48);
        }
    }

    #[test]
    fn frame_pointers_of_a_stack_that_was_moved_lead_to_where_it_was() {
        let strays = |moved_down_bytes: u64| {
            let rules = WalkRules {
                normal_exit: EXIT,
                traces: TraceReturns::default(),
                top: 0x7000,
                end: 0x7038,
                strays: Strays::Suspect,
                frame_pointers: true,
                moved_down_bytes,
            };
            let words = [0x9018, 0xc010, NIL, 0x9028, 0xc020, 0, EXIT];
            let is_code = |word: u64| word >> 12 == 0xc;
            walk(&rules, words, is_code, &mut Vec::new()).stray_words
        };
        assert_eq!((strays(0x2000), strays(0), strays(0x2030)), (0, 2, 2));
    }

    #[test]
    fn frames_above_an_unset_variable_are_as_old_as_it_is() {
        let frames_of = |first_is_frame| {
            let mut frames = Vec::new();
            let rules = WalkRules {
                normal_exit: EXIT,
                traces: TraceReturns::default(),
                top: 0x7000,
                end: 0,
                strays: Strays::Unset { first_is_frame },
                frame_pointers: false,
                moved_down_bytes: 0,
            };
            let words = [0xc010, 0xc020, 0x5000, NIL, 0xc030, EXIT];
            let end = walk(&rules, words, |word| word >> 12 == 0xc, &mut frames);
            assert!(end.complete);
            frames
                .iter()
                .map(|frame| frame.return_address)
                .collect::<Vec<_>>()
        };
        assert_eq!(frames_of(false), [0xc030]);
        assert_eq!(frames_of(true), [0xc010, 0xc030]);
    }

    #[test]
    fn depth_is_the_same_wherever_the_stack_lies() {
        let depths = |top: u64| {
            let mut frames = Vec::new();
            let rules = WalkRules {
                normal_exit: EXIT,
                traces: TraceReturns::default(),
                top,
                end: 0,
                strays: Strays::Suspect,
                frame_pointers: false,
                moved_down_bytes: 0,
            };
            walk(
                &rules,
                [0xc010, NIL, 0xc020, EXIT],
                |a| a < 0xd000,
                &mut frames,
            );
            frames
                .iter()
                .map(|frame| frame.depth_bytes)
                .collect::<Vec<_>>()
        };
        assert_eq!(depths(0x7000), [32, 16]);
        assert_eq!(depths(0x9990), [32, 16]);
    }

    #[test]
    fn words_that_run_out_are_an_incomplete_walk() {
        let (frames, end) = walked(0x7000, 0x7100, &[0xc010, NIL]);
        assert_eq!((frames.len(), end.complete), (1, false));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words: Vec<u64>, top: u64, end: u64, exit: u64, unset: bool) {
            let mut frames = Vec::new();
            let rules = WalkRules {
                normal_exit: exit,
                traces: TraceReturns::new([(exit ^ 8, unset)]),
                top,
                end,
                strays: match unset {
                    true => Strays::Unset { first_is_frame: unset },
                    false => Strays::Suspect,
                },
                frame_pointers: unset,
                moved_down_bytes: 0,
            };
            walk(&rules, words, |word| word & 4 == 0, &mut frames);
        }
    }
}
