//! The word on top of a stack while the VM reports a traced call.
//!
//! If a traced function was called as the last thing that another traced function does, the return address on top is
//! that of an instruction of the VM. Before match specifications run, the VM writes in its place the address where
//! code of the process will continue, so that they see the caller, and keeps the other one in a register or on the C
//! stack until the report is sent (`fixup_cp_before_trace`, OTP 25 to 29). The rest of the instruction's frame stays
//! below it.

use crate::words::VmWords;

/// The most terms in the frame of a traced call: the tracer or the kinds of counting, and the session. Where no pointer
/// follows, the session alone.
const MOST_TERMS: usize = 2;

/// Bytes on top of the stack that are no frame of their own: the exchanged word, with the frame pointer above it where the
/// VM keeps them, and the pointer that follows the one that it replaces, where one does. 0 where no word was exchanged, as
/// far as is known.
///
/// `words`: the stack from its top on. `saved`: the registers that calls preserve, and the words of the C stack, of the
/// functions that report the call. Words that earlier calls left there are among them, so the words below have
/// to be exactly the rest of such a frame.
pub fn exchanged_top_bytes(vm: &VmWords, saved: impl Iterator<Item = u64>, words: &[u64]) -> u64 {
    let Some((top, below)) = words.split_at_checked(return_words(vm)) else {
        return 0;
    };
    let is_exchanged =
        |address: u64| address & 3 == 0 && vm.traces.pointer_follows(address).is_none();
    if !top.last().copied().is_some_and(is_exchanged) {
        return 0;
    }
    let (mut with_pointer, mut without) = (false, false);
    for pointer_follows in saved.filter_map(|word| vm.traces.pointer_follows(word)) {
        with_pointer |= pointer_follows;
        without |= !pointer_follows;
    }
    [(with_pointer, true), (without, false)]
        .into_iter()
        .filter(|(is_saved, _)| *is_saved)
        .find_map(|(_, pointer_follows)| {
            let frame = TraceFrame::of(vm, pointer_follows, below)?;
            let skipped = top.len() + usize::from(frame.has_pointer);
            (continues(vm, pointer_follows, frame)? == top).then_some(skipped as u64 * 8)
        })
        .unwrap_or(0)
}

/// Words of a return address: with frame pointers, one of those is above it.
fn return_words(vm: &VmWords) -> usize {
    1 + usize::from(vm.frame_pointers)
}

/// The frame below the return address of a traced call.
struct TraceFrame<'a> {
    /// It begins with a pointer that is not null in C: that is a term.
    has_pointer: bool,
    /// The words below it.
    below: &'a [u64],
}

impl<'a> TraceFrame<'a> {
    /// `None` if the words are none.
    fn of(vm: &VmWords, pointer_follows: bool, words: &'a [u64]) -> Option<Self> {
        let first = *words.first()?;
        let has_pointer = pointer_follows && first & 3 == 0;
        if has_pointer && (first == vm.normal_exit || vm.traces.pointer_follows(first).is_some()) {
            return None;
        }
        let most = match (pointer_follows, has_pointer) {
            (true, true) => MOST_TERMS,
            (true, false) => 1 + MOST_TERMS,
            (false, _) => 1,
        };
        let words = words.get(usize::from(has_pointer)..)?;
        let terms = words.iter().take_while(|word| **word & 3 != 0).count();
        (terms <= most).then_some(Self {
            has_pointer,
            below: words.get(terms..)?,
        })
    }
}

/// The return address, as it is on the stack, where code of the process continues below the frame of a traced call, and
/// below those of further ones.
fn continues<'a>(
    vm: &VmWords,
    mut pointer_follows: bool,
    mut frame: TraceFrame<'a>,
) -> Option<&'a [u64]> {
    let mut returns_to = false;
    loop {
        let (address, below) = frame.below.split_at_checked(return_words(vm))?;
        let Some(next) = vm.traces.pointer_follows(*address.last()?) else {
            return Some(address);
        };
        // The VM counts a call, which alone may have no pointer, above code of the process only; and it has one
        // `return_to` at a time.
        returns_to |= !pointer_follows;
        if (pointer_follows && !frame.has_pointer) || (returns_to && !next) {
            return None;
        }
        (pointer_follows, frame) = (next, TraceFrame::of(vm, next, below)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::TraceReturns;

    const EXIT: u64 = 0xe000;
    const RETURN_TRACE: u64 = 0xe100;
    const RETURN_TO: u64 = 0xe200;
    const NIL: u64 = 0x3b;
    const CALLER: u64 = 0xc010;
    /// The description of a traced function.
    const DESCRIPTION: u64 = 0xd0e8;
    const TRACER: u64 = 0x4b;
    const SESSION: u64 = 0x2d0b;

    fn exchanged_in(frame_pointers: bool, saved: &[u64], words: &[u64]) -> u64 {
        let vm = VmWords {
            normal_exit: EXIT,
            traces: TraceReturns::new([(RETURN_TRACE, true), (RETURN_TO, false)]),
            frame_pointers,
        };
        exchanged_top_bytes(&vm, saved.iter().copied(), words)
    }

    fn exchanged(saved: &[u64], words: &[u64]) -> u64 {
        exchanged_in(false, saved, words)
    }

    #[test]
    fn the_word_in_the_place_of_a_trace_return_is_no_frame_and_neither_is_the_pointer_below_it() {
        let words = [CALLER, DESCRIPTION, TRACER, SESSION, CALLER, NIL, EXIT];
        assert_eq!(exchanged(&[1, RETURN_TRACE, 2], &words), 16);
        // More of them below, of both kinds; a pointer that is null in C is a term.
        let nested = [
            CALLER,
            DESCRIPTION,
            TRACER,
            RETURN_TRACE,
            DESCRIPTION,
            TRACER,
            RETURN_TO,
            RETURN_TRACE,
            NIL,
            CALLER,
            EXIT,
        ];
        assert_eq!(exchanged(&[RETURN_TRACE], &nested), 16);
        // The process began with the traced function.
        let bottom = [EXIT, DESCRIPTION, TRACER, EXIT];
        assert_eq!(exchanged(&[RETURN_TRACE], &bottom), 16);
    }

    #[test]
    fn the_caller_is_not_shown_twice_where_no_pointer_follows() {
        assert_eq!(exchanged(&[RETURN_TO], &[CALLER, CALLER, EXIT]), 8);
        assert_eq!(exchanged(&[RETURN_TO], &[CALLER, SESSION, CALLER, EXIT]), 8);
        // Both are on the C stack; only one fits.
        let both = [RETURN_TRACE, RETURN_TO];
        assert_eq!(exchanged(&both, &[CALLER, CALLER, EXIT]), 8);
    }

    #[test]
    fn a_word_that_was_not_exchanged_is_a_frame() {
        // A function that calls itself; nothing is kept on the C stack.
        assert_eq!(exchanged(&[1, 2], &[CALLER, NIL, CALLER, EXIT]), 0);
        // The word that is kept is of a call before.
        assert_eq!(exchanged(&[RETURN_TO], &[CALLER, NIL, 0xc020, EXIT]), 0);
        assert_eq!(exchanged(&[RETURN_TRACE], &[CALLER, NIL]), 0);
        assert_eq!(exchanged(&[RETURN_TO], &[RETURN_TO, CALLER, EXIT]), 0);
        assert_eq!(exchanged(&[RETURN_TO], &[NIL, CALLER, EXIT]), 0);
        assert_eq!(exchanged(&[RETURN_TO], &[]), 0);
    }

    #[test]
    fn the_frame_of_a_function_that_calls_itself_is_none_of_a_trace_whatever_earlier_calls_left() {
        // Its variables, and frames of its own traced calls below them.
        let traced = [CALLER, NIL, RETURN_TRACE, DESCRIPTION, TRACER, CALLER, EXIT];
        assert_eq!(exchanged(&[RETURN_TRACE], &traced), 0);
        let returns = [CALLER, SESSION, RETURN_TO, SESSION, CALLER, EXIT];
        assert_eq!(exchanged(&[RETURN_TO], &returns), 0);
        // More variables than such a frame has terms.
        let two = [CALLER, NIL, NIL, CALLER, EXIT];
        assert_eq!(exchanged(&[RETURN_TO], &two), 0);
        let four = [CALLER, NIL, NIL, NIL, NIL, CALLER, EXIT];
        assert_eq!(exchanged(&[RETURN_TRACE], &four), 0);
    }

    #[test]
    fn frame_pointers_are_exchanged_with_the_addresses() {
        let caller = [0x7048, CALLER];
        let words = |frame: &[u64]| [&caller[..], frame, &caller, &[NIL, 0, EXIT]].concat();
        let exchanged = |saved: u64, words: &[u64]| exchanged_in(true, &[saved], words);
        let described = words(&[DESCRIPTION, TRACER, SESSION]);
        assert_eq!(exchanged(RETURN_TRACE, &described), 24);
        assert_eq!(exchanged(RETURN_TO, &words(&[SESSION])), 16);
        assert_eq!(exchanged(RETURN_TO, &words(&[])), 16);
        // One that calls itself has a frame pointer of its own.
        let itself = [0x7018, CALLER, NIL, 0x7048, CALLER, NIL, 0, EXIT];
        assert_eq!(exchanged(RETURN_TO, &itself), 0);
        assert_eq!(exchanged(RETURN_TO, &[0x7018]), 0);
    }
}
