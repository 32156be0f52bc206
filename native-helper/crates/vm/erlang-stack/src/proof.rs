//! Decides which part is proven of an Erlang stack that was not in its sample: read after it
//! ([`prove_late_read`], and [`prove_dirty_read`] on a dirty scheduler), or copied in the kernel
//! with it ([`prove_copied`]).
//!
//! In C code the Erlang stack is not in the sample; it is read as soon as the reader wakes. The
//! process may have gone on by then. Only these rules decide which part may be shown.

use crate::walk::{ErlangFrame, WalkEnd};

/// The observations about one late read. Each item can only ever take trust away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LateReadEvidence {
    /// The read was done so soon after the sample that a coincidence is out of the question.
    pub recent: bool,
    /// The scheduler ran, before and after the read, the process the C code was called for.
    pub same_process: bool,
    /// The sample itself shows which process that is.
    pub process_sampled: bool,
    /// The return address into JIT code is, before and after the read, the one in the sample.
    pub same_call: bool,
    /// The C stack of the sample, and the X registers above it, are still there byte by byte
    /// after the read.
    pub c_stack_unchanged: bool,
    /// The X registers are byte by byte as in the sample; where that does not hold them, the
    /// outermost part of the C stack that it does hold.
    pub same_arguments: bool,
    /// The process has as many reductions left as at the sample.
    pub same_reductions: bool,
    /// Heap and stack bounds of the process agree with each other, before and after the read.
    pub consistent: bool,
    /// How the walk of the stack that was read ended.
    pub walk: WalkEnd,
}

/// The part that may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackProof {
    /// All of it.
    Validated,
    /// Only this many frames, counted from the bottom.
    Bracketed(usize),
    /// Nothing.
    Unproven,
}

/// Decides. `after` is the stack read after the sample (top first), `before` the last stack of
/// the same process proven before it.
///
/// Validated: the scheduler still is in the very call the sample was taken in. Either its C stack
/// and its X registers have not changed by one byte, so the thread has not run on, or the call's
/// return address, the X registers and the reductions left are the same: a second call would have
/// changed them. Reductions alone do not prove it: a process that waits and goes on again and again
/// makes the same call with as many of them left each time, and not always from the same callers.
///
/// Bracketed: frames that were there before and are there after were there in between, unless
/// the process returned through all of them and came back, each at the same depth and call. The
/// process has to be the one of the sample, as the sample itself shows: the thread has run on, and
/// the process that it runs now does not show the one that it ran then.
pub fn prove_late_read(
    evidence: &LateReadEvidence,
    after: &[ErlangFrame],
    before: &[ErlangFrame],
) -> StackProof {
    let readable = evidence.recent
        && evidence.consistent
        && evidence.walk.complete
        && evidence.walk.stray_words == 0;
    if !readable {
        return StackProof::Unproven;
    }
    let same_state = evidence.same_arguments && evidence.same_reductions;
    let unmoved = evidence.c_stack_unchanged || same_state;
    if evidence.same_process && evidence.same_call && unmoved {
        return StackProof::Validated;
    }
    if !(evidence.same_process && evidence.process_sampled) {
        return StackProof::Unproven;
    }
    match common_from_bottom(after, before) {
        0 => StackProof::Unproven,
        common => StackProof::Bracketed(common),
    }
}

/// The observations about the lower part of a stack whose upper part is in the sample: it was read
/// after the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeepReadEvidence {
    /// The read was done so soon after the sample that a coincidence is out of the question.
    pub recent: bool,
    /// After the read the process had the same heap as before it, and the words next to the part
    /// that was read were as sampled.
    pub same_edge: bool,
}

/// Decides whether the lower part of a stack may be shown below the upper one, which is in the
/// sample. It is then as well proven as a stack that is read late as a whole: a process that
/// returned through the sampled words and came back to the same ones, within so short a time, is
/// taken for one that did not.
pub fn prove_deep_read(evidence: &DeepReadEvidence) -> bool {
    evidence.recent && evidence.same_edge
}

/// The observations about one late read of a process that runs on a dirty scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtyReadEvidence {
    /// The read was done so soon after the sample that a coincidence is out of the question.
    pub recent: bool,
    /// The scheduler ran the same process before and after the read.
    pub same_process: bool,
    /// The C stack of the sample is still there byte by byte after the read.
    pub c_stack_unchanged: bool,
    /// Heap and stack bounds of the process agree with each other, before and after the read.
    pub consistent: bool,
    /// How the walk of the stack that was read ended.
    pub walk: WalkEnd,
}

/// Decides whether the whole stack of a process on a dirty scheduler may be shown; there is no
/// part of it that may be shown alone.
///
/// Such a process runs nowhere else during that time and makes no Erlang calls: its Erlang stack is
/// the one of the sample as long as the C function that it called has not returned, which the C
/// stack shows.
pub fn prove_dirty_read(evidence: &DirtyReadEvidence) -> bool {
    evidence.recent
        && evidence.same_process
        && evidence.c_stack_unchanged
        && evidence.consistent
        && evidence.walk.complete
        && evidence.walk.stray_words == 0
}

/// The observations about one stack that was copied in the interrupt that took its sample. There is
/// no race; the only remaining risk is a VM that was just then changing the stack itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedEvidence {
    /// The scheduler ran the process the C code was called for.
    pub same_process: bool,
    /// Heap and stack bounds agree with each other, or the collector is at work on them.
    pub consistent: bool,
    /// The collector is moving this very stack.
    pub being_moved: bool,
    /// The stack is longer than the part that is copied of one: its lower part is missing.
    pub cut: bool,
    /// How the walk of the copied stack ended.
    pub walk: WalkEnd,
}

/// The part of it that may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopiedProof {
    /// All of it.
    Whole,
    /// The frames that were found; those below them are missing.
    Upper,
    /// Nothing.
    Unproven,
}

/// Decides about a stack that was copied with its sample.
pub fn prove_copied(evidence: &CopiedEvidence) -> CopiedProof {
    let readable = evidence.same_process
        && evidence.consistent
        && !evidence.being_moved
        && evidence.walk.stray_words == 0;
    match (readable, evidence.walk.complete) {
        (true, true) => CopiedProof::Whole,
        (true, false) if evidence.cut => CopiedProof::Upper,
        _ => CopiedProof::Unproven,
    }
}

/// Number of equal frames, counted from the bottom.
fn common_from_bottom(after: &[ErlangFrame], before: &[ErlangFrame]) -> usize {
    after
        .iter()
        .rev()
        .zip(before.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: LateReadEvidence = LateReadEvidence {
        recent: true,
        same_process: true,
        process_sampled: true,
        same_call: true,
        c_stack_unchanged: true,
        same_arguments: false,
        same_reductions: false,
        consistent: true,
        walk: WalkEnd::WHOLE,
    };

    #[test]
    fn a_copied_stack_is_whole_unless_it_contradicts_itself() {
        let good = CopiedEvidence {
            same_process: true,
            consistent: true,
            being_moved: false,
            cut: false,
            walk: GOOD.walk,
        };
        assert_eq!(prove_copied(&good), CopiedProof::Whole);
        for bad in [
            CopiedEvidence {
                same_process: false,
                ..good
            },
            CopiedEvidence {
                consistent: false,
                ..good
            },
            CopiedEvidence {
                being_moved: true,
                ..good
            },
            CopiedEvidence {
                walk: WalkEnd {
                    complete: true,
                    stray_words: 1,
                    traced: false,
                },
                ..good
            },
            CopiedEvidence {
                walk: WalkEnd {
                    complete: false,
                    stray_words: 0,
                    traced: false,
                },
                ..good
            },
        ] {
            assert_eq!(prove_copied(&bad), CopiedProof::Unproven, "{bad:?}");
        }
        let walk = WalkEnd {
            complete: false,
            stray_words: 0,
            traced: false,
        };
        let cut = CopiedEvidence {
            cut: true,
            walk,
            ..good
        };
        assert_eq!(prove_copied(&cut), CopiedProof::Upper);
    }

    #[test]
    fn the_lower_part_of_a_sampled_stack_is_shown_when_it_was_read_soon_and_fits_the_upper_one() {
        for (recent, same_edge) in [(true, true), (true, false), (false, true)] {
            let evidence = DeepReadEvidence { recent, same_edge };
            assert_eq!(prove_deep_read(&evidence), recent && same_edge);
        }
    }

    #[test]
    fn a_dirty_stack_is_shown_only_when_nothing_speaks_against_it() {
        let good = DirtyReadEvidence {
            recent: true,
            same_process: true,
            c_stack_unchanged: true,
            consistent: true,
            walk: GOOD.walk,
        };
        assert!(prove_dirty_read(&good));
        let changes: [fn(&mut DirtyReadEvidence); 6] = [
            |evidence| evidence.recent = false,
            |evidence| evidence.same_process = false,
            |evidence| evidence.c_stack_unchanged = false,
            |evidence| evidence.consistent = false,
            |evidence| evidence.walk.complete = false,
            |evidence| evidence.walk.stray_words = 1,
        ];
        for change in changes {
            let mut bad = good;
            change(&mut bad);
            assert!(!prove_dirty_read(&bad), "{bad:?}");
        }
    }

    fn frames(pairs: &[(u64, u64)]) -> Vec<ErlangFrame> {
        pairs
            .iter()
            .map(|&(return_address, depth_bytes)| ErlangFrame {
                return_address,
                depth_bytes,
            })
            .collect()
    }

    #[test]
    fn a_thread_that_has_not_moved_validates_what_was_read() {
        assert_eq!(prove_late_read(&GOOD, &[], &[]), StackProof::Validated);
        let moved = LateReadEvidence {
            c_stack_unchanged: false,
            ..GOOD
        };
        assert_eq!(prove_late_read(&moved, &[], &[]), StackProof::Unproven);
        let late = LateReadEvidence {
            recent: false,
            ..GOOD
        };
        let frame = frames(&[(0xc, 16)]);
        assert_eq!(prove_late_read(&late, &frame, &frame), StackProof::Unproven);
        for (same_arguments, same_reductions) in [(false, true), (true, false), (true, true)] {
            let evidence = LateReadEvidence {
                same_arguments,
                same_reductions,
                ..moved
            };
            let expected = match same_arguments && same_reductions {
                true => StackProof::Validated,
                false => StackProof::Unproven,
            };
            assert_eq!(prove_late_read(&evidence, &[], &[]), expected);
        }
    }

    #[test]
    fn only_deep_frames_common_to_before_and_after_are_kept() {
        let after = frames(&[(0xa, 40), (0xb, 24), (0xc, 16)]);
        let before = frames(&[(0xd, 64), (0xb, 24), (0xc, 16)]);
        let moved = LateReadEvidence {
            same_call: false,
            ..GOOD
        };
        assert_eq!(
            prove_late_read(&moved, &after, &before),
            StackProof::Bracketed(2)
        );
        // The same code at another depth is another frame.
        let elsewhere = frames(&[(0xb, 32), (0xc, 24)]);
        assert_eq!(
            prove_late_read(&moved, &after, &elsewhere),
            StackProof::Unproven
        );
    }

    #[test]
    fn of_another_process_no_frame_is_kept() {
        let same = frames(&[(0xb, 24), (0xc, 16)]);
        let moved = LateReadEvidence {
            same_call: false,
            ..GOOD
        };
        let proof = |evidence| prove_late_read(&evidence, &same, &same);
        assert_eq!(proof(moved), StackProof::Bracketed(2));
        let other = LateReadEvidence {
            same_process: false,
            ..moved
        };
        assert_eq!(proof(other), StackProof::Unproven);
        let unknown = LateReadEvidence {
            process_sampled: false,
            ..moved
        };
        assert_eq!(proof(unknown), StackProof::Unproven);
    }

    #[test]
    fn nothing_is_kept_of_words_that_are_no_stack() {
        let walk = WalkEnd {
            complete: true,
            stray_words: 1,
            traced: false,
        };
        let same = frames(&[(0xc, 16)]);
        assert_eq!(
            prove_late_read(&LateReadEvidence { walk, ..GOOD }, &same, &same),
            StackProof::Unproven
        );
        let torn = LateReadEvidence {
            consistent: false,
            ..GOOD
        };
        assert_eq!(prove_late_read(&torn, &same, &same), StackProof::Unproven);
    }
}
