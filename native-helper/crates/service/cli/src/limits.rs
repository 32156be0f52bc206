//! Limits of the shell (`ulimit`) that would end the program without a word.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit, setrlimit};
use signal_hook::consts::SIGXFSZ;

use crate::failure::{Exit, Failure};

const KIB: u64 = 1024;
/// What the first thread needs for the deepest of its work, with room to spare.
const LEAST_STACK: u64 = 1024 * KIB;
/// The program itself, and a process beside it that reads symbols.
const LEAST_ADDRESSES: u64 = 128 * 1024 * KIB;
/// Heap and stacks of threads, of the least VM.
const LEAST_DATA: u64 = 20 * 1024 * KIB;
/// Files, pipes and rings without a single event.
const LEAST_FILES: u64 = 24;

/// Makes a limit on the size of files an error of the write that meets it, and refuses limits with which
/// nothing can be done.
pub fn expect_enough() -> Result<(), Failure> {
    // With a handler the signal interrupts nothing, and the write fails.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    raise_stack();
    let limits = [
        (Resource::Stack, LEAST_STACK, "stack is", "-s 8192"),
        (
            Resource::As,
            LEAST_ADDRESSES,
            "address space is",
            "-v unlimited",
        ),
        (Resource::Data, LEAST_DATA, "data is", "-d unlimited"),
        (Resource::Nofile, LEAST_FILES, "open files are", "-n 65536"),
    ];
    for (resource, least, what, option) in limits {
        let shown = |limit: u64| match resource {
            Resource::Nofile => limit.to_string(),
            _ => format!("{} KiB", limit / KIB),
        };
        if let Some(limit) = getrlimit(resource).current.filter(|limit| *limit < least) {
            return Err(Failure::new(
                Exit::Other,
                format!("the {what} limited to {}", shown(limit)),
                format!("{} are needed", shown(least)),
                format!("raise the limit in the shell that starts it: ulimit {option}"),
            ));
        }
    }
    Ok(())
}

/// The first thread's stack grows as far as the limit is now, not as it was at the start.
fn raise_stack() {
    let mut limit = getrlimit(Resource::Stack);
    if limit.current.is_some_and(|current| current < LEAST_STACK) {
        limit.current = limit.maximum;
        // If it cannot be raised, that is reported below.
        let _ = setrlimit(Resource::Stack, limit);
    }
}
