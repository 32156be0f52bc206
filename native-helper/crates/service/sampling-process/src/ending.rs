//! A VM that is ending: a process has called `erlang:halt`, or C code writes a crash dump. Then the other schedulers are
//! kept from running for good, which nothing that is read of them shows.

use attach::{AttachError, AttachedVm};
use capture::sample::FrameKind;
use protocol::pstack::PstackFrame;

use crate::in_c::{is_halt, sleeping_now};
use crate::processes::caller_name;

/// Functions of the emulator that write a crash dump, or end it.
const EXIT: [&str; 4] = [
    "erl_crash_dump_v",
    "erts_exit",
    "erts_exit_vv",
    "erts_exit_epilogue",
];
/// Innermost callers among which that function is: it calls next to nothing.
const CALLERS: usize = 16;

/// Whether the thread with these frames ends the VM.
pub(crate) fn ends_vm(frames: &[PstackFrame]) -> bool {
    frames.iter().any(|frame| match frame.kind {
        FrameKind::Erlang | FrameKind::Bif => is_halt(&frame.function),
        FrameKind::Native => EXIT.contains(&&*frame.function),
        _ => false,
    })
}

/// Whether a process that a scheduler runs has called a function that ends the VM.
pub(crate) fn is_ending(vm: &mut AttachedVm) -> Result<bool, AttachError> {
    let mut is_noted = false;
    for running in vm.running()? {
        let Some(stack) = vm.stack_in_c(running.process)? else {
            continue;
        };
        let mut callers = stack.callers.iter().take(CALLERS);
        if callers.any(|it| is_halt(&caller_name(vm, *it))) {
            return Ok(true);
        }
        is_noted |= stack.noted.as_deref().is_some_and(is_halt);
    }
    // An interpreter calls it without a return address: the process notes it, which counts only if its thread sleeps. To see
    // that takes a while.
    if !is_noted {
        return Ok(false);
    }
    let in_c = sleeping_now(vm)?;
    let mut noted = in_c.iter().filter_map(|it| it.facts.function.as_deref());
    Ok(noted.any(is_halt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_in_halt_or_in_a_crash_dump_ends_the_vm() {
        let ends = |kind, function: &str| {
            ends_vm(&[PstackFrame {
                function: function.to_owned(),
                kind,
                file: None,
                line: None,
                object: String::new(),
            }])
        };
        assert!(ends(FrameKind::Erlang, "erlang:halt/1"));
        assert!(ends(FrameKind::Bif, "erlang:halt/2"));
        assert!(ends(FrameKind::Native, "erl_crash_dump_v"));
        assert!(!ends(FrameKind::Erlang, "shop:halt/1"));
        assert!(!ends(FrameKind::Erlang, "erts_exit"));
        assert!(!ends(FrameKind::Native, "halt_2"));
        assert!(!ends_vm(&[]));
    }
}
