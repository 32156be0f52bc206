//! Where a thread of a stopped or frozen process is: the kernel shows its program counter and stack pointer, since it
//! runs nowhere.

use crate::proc_fs::ProcFs;
use crate::proc_rights::ProcRights;

/// A line of nine numbers.
const MAX_SYSCALL_BYTES: u64 = 4096;

/// Where a thread is that does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HaltedThread {
    /// The stack pointer in user space.
    pub stack_pointer: u64,
    /// The program counter in user space.
    pub program_counter: u64,
    /// How often it was taken from a processor: if it is the same at two readings, the thread did not run in between.
    pub switches: u64,
}

/// Stack pointer and program counter in the text of `/proc/PID/task/TID/syscall`: in a system call its number, six
/// arguments and both; else `-1` and both. `None` for a thread that runs, and for one without user space.
#[must_use]
pub fn parse_position(text: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(text).ok()?;
    let fields: Vec<&str> = text.split_ascii_whitespace().take(10).collect();
    let (stack_pointer, program_counter) = match fields[..] {
        ["-1", stack_pointer, program_counter] => (stack_pointer, program_counter),
        [number, _, _, _, _, _, _, stack_pointer, program_counter] => {
            number.parse::<u64>().ok()?;
            (stack_pointer, program_counter)
        }
        _ => return None,
    };
    let address = |field: &str| u64::from_str_radix(field.strip_prefix("0x")?, 16).ok();
    let both = (address(stack_pointer)?, address(program_counter)?);
    (both.0 != 0 && both.1 != 0).then_some(both)
}

impl ProcFs {
    /// Where a thread of a stopped or frozen process is; `None` when it runs, has ended, or the kernel does not show
    /// it.
    #[must_use]
    pub fn halted_thread(
        &self,
        rights: &impl ProcRights,
        pid: u32,
        tid: u32,
    ) -> Option<HaltedThread> {
        let file = format!("task/{tid}/syscall");
        let text = rights.within(|| self.read(pid, &file, MAX_SYSCALL_BYTES));
        let (stack_pointer, program_counter) = parse_position(&text.ok()?)?;
        Some(HaltedThread {
            stack_pointer,
            program_counter,
            switches: self.thread_sleep(pid, tid)?.switches,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Lines of Linux 6.18, of threads of a VM that SIGSTOP had stopped: one in Erlang code, one in `futex`.
    const IN_ERLANG: &[u8] = b"-1 0x7f07b8f01d58 0x7f07f9f0a1c4\n";
    const IN_FUTEX: &[u8] =
        b"202 0x7f07bc0801b8 0x80 0xffffffff 0x0 0x0 0x0 0x7f07b5bfcd10 0x7f0801a9d719\n";

    #[test]
    fn a_thread_that_does_not_run_has_a_place_in_or_outside_a_system_call() {
        assert_eq!(
            parse_position(IN_ERLANG),
            Some((0x7f07_b8f0_1d58, 0x7f07_f9f0_a1c4))
        );
        assert_eq!(
            parse_position(IN_FUTEX),
            Some((0x7f07_b5bf_cd10, 0x7f08_01a9_d719))
        );
    }

    #[test]
    fn one_that_runs_and_a_line_that_is_none_have_no_place() {
        for line in [
            "running\n",
            "",
            "-1",
            "-1 0x1",
            // A thread of the kernel.
            "-1 0x0 0x0\n",
            "-1 1 2",
            "-1 0x1 0x12345678123456781",
            "x 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8",
            "1 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9",
        ] {
            assert_eq!(parse_position(line.as_bytes()), None, "{line}");
        }
        assert_eq!(parse_position(b"-1 \xff 0x1"), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = parse_position(&text);
        }
    }
}
