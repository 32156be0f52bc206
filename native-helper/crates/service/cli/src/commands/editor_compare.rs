//! `editor-compare`: what the editor's module computes, where the editor has this program.

use std::io::{Read, Write};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::failure::{Exit, Failure};

/// As much as the module can have: files may be made to take more than the machine has.
const MOST_MEMORY: u64 = 4 << 30;

/// Runs `editor-compare`: one message on stdin, its answer on stdout.
pub fn run() -> Result<(), Failure> {
    bound_memory();
    let mut message = Vec::new();
    std::io::stdin()
        .read_to_end(&mut message)
        .map_err(|error| {
            let what = format!("the request cannot be read from stdin: {error}");
            Failure::new(Exit::Other, what, "", "the editor starts this command")
        })?;
    let answer = editor_module::compare_files(&message);
    std::io::stdout().write_all(&answer)?;
    Ok(())
}

/// The program ends where it would need more, and the editor goes on without its answer.
fn bound_memory() {
    let mut limit = getrlimit(Resource::Data);
    if limit.current.is_none_or(|bytes| bytes > MOST_MEMORY) {
        limit.current = Some(MOST_MEMORY);
        // A limit can always be lowered.
        let _ = setrlimit(Resource::Data, limit);
    }
}
