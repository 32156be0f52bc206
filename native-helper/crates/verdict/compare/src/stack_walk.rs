//! The calls in a stack.

/// A function, and one that it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call<F> {
    pub caller: F,
    pub callee: F,
}

/// The calls in a stack, leaf first, each once, between functions of which `is_erlang` holds:
/// frames between them (fragments of the JIT, C code) are passed over. A function that calls itself
/// is no call.
pub fn calls_in<F: Copy + Ord>(stack: &[F], is_erlang: impl Fn(F) -> bool) -> Vec<Call<F>> {
    let mut calls = Vec::new();
    let mut callee = None;
    for &caller in stack {
        if callee == Some(caller) || !is_erlang(caller) {
            continue;
        }
        calls.extend(callee.map(|callee| Call { caller, callee }));
        callee = Some(caller);
    }
    // A recursion thousands of frames deep has few different calls.
    calls.sort_unstable();
    calls.dedup();
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(stack: &[u32]) -> Vec<(u32, u32)> {
        let calls = calls_in(stack, |function| function < 100).into_iter();
        calls.map(|call| (call.caller, call.callee)).collect()
    }

    #[test]
    fn each_call_counts_once_and_only_between_functions_of_erlang() {
        assert_eq!(calls(&[]), []);
        assert_eq!(calls(&[200, 1, 201, 2, 3]), [(2, 1), (3, 2)]);
        assert_eq!(calls(&[1, 1, 1, 2]), [(2, 1)]);
        assert_eq!(calls(&[1, 2, 1, 2, 3]), [(1, 2), (2, 1), (3, 2)]);
    }

    #[test]
    fn a_recursion_of_fifty_thousand_frames_is_a_few_calls() {
        let stack: Vec<u32> = (0..50_000).map(|frame| frame % 2).collect();
        assert_eq!(calls(&stack), [(0, 1), (1, 0)]);
    }
}
