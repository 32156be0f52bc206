//! The word on top of a stack while the VM reports a traced call.
//!
//! If a traced function was called as the last thing that another traced function does, the return address on top is
//! that of an instruction of the VM. Before match specifications run, the VM writes in its place the address where
//! code of the process will continue, so that they see the caller, and keeps the other one in a register or on the C
//! stack until the report is sent (`fixup_cp_before_trace`, OTP 25 to 29). The rest of the instruction's frame stays
//! below it.

use crate::words::VmWords;

/// Bytes on top of the stack that are no frame of their own: the exchanged word, and the pointer that follows the one
/// that it replaces, where one does. 0 where no word was exchanged, as far as is known.
///
/// `words`: the stack from its top on. `saved`: the registers, and the words of the C stack, of the functions that
/// report the call.
pub fn exchanged_top_bytes(vm: &VmWords, saved: impl Iterator<Item = u64>, words: &[u64]) -> u64 {
    let Some((top, below)) = words.split_first() else {
        return 0;
    };
    // With frame pointers, another word is on top.
    if vm.frame_pointers || top & 3 != 0 || vm.traces.pointer_follows(*top).is_some() {
        return 0;
    }
    saved
        .filter_map(|word| vm.traces.pointer_follows(word))
        .find_map(|pointer_follows| {
            let rest = after_trace_return(vm, pointer_follows, below);
            let skipped = words.len() - rest.len();
            continues_at(vm, *top, rest).then_some(skipped as u64 * 8)
        })
        .unwrap_or(0)
}

/// The words after the return address of a traced call, without the pointer that follows it.
fn after_trace_return<'a>(vm: &VmWords, pointer_follows: bool, words: &'a [u64]) -> &'a [u64] {
    match words.split_first() {
        Some((word, rest)) if pointer_follows && word & 3 == 0 && *word != vm.normal_exit => rest,
        _ => words,
    }
}

/// Whether the first word that is neither a term nor of a traced call is this one.
fn continues_at(vm: &VmWords, address: u64, mut words: &[u64]) -> bool {
    while let Some((word, rest)) = words.split_first() {
        words = match vm.traces.pointer_follows(*word) {
            _ if *word == address => return true,
            Some(pointer_follows) => after_trace_return(vm, pointer_follows, rest),
            None if word & 3 == 0 => return false,
            None => rest,
        };
    }
    false
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

    fn exchanged(saved: &[u64], words: &[u64]) -> u64 {
        let vm = VmWords {
            normal_exit: EXIT,
            traces: TraceReturns::new([(RETURN_TRACE, true), (RETURN_TO, false)]),
            frame_pointers: false,
        };
        exchanged_top_bytes(&vm, saved.iter().copied(), words)
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
        // What is kept is of a call before.
        assert_eq!(exchanged(&[RETURN_TO], &[CALLER, NIL, 0xc020, EXIT]), 0);
        assert_eq!(exchanged(&[RETURN_TRACE], &[CALLER, NIL]), 0);
        assert_eq!(exchanged(&[RETURN_TO], &[RETURN_TO, CALLER, EXIT]), 0);
        assert_eq!(exchanged(&[RETURN_TO], &[NIL, CALLER, EXIT]), 0);
        assert_eq!(exchanged(&[RETURN_TO], &[]), 0);
    }
}
