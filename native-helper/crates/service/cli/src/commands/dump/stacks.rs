//! `dump --what stacks`: one line per process that does not run, in the order of the process
//! table: the words of its stack from the top on, and the frames found among them.

use arch::{BYTES_BEFORE_RETURN, ends_in_call};
use attach::AttachedVm;
use erlang_stack::walk;
use serde::Serialize;
use target_memory::{TargetMemory, bytes_to_words};
use vm_layout::{INTERPRETER, STATE_BUSY};
use vm_tables::processes::ProcessFields;

use super::processes::all;
use super::{Lines, hex};
use crate::failure::Failure;

/// The longest stack that is written, 1 MiB.
const MAX_STACK_BYTES: usize = 1 << 20;

#[derive(Serialize)]
struct StackLine {
    /// Absent when it is not known how this VM makes pids.
    pid: Option<String>,
    stop: String,
    hend: String,
    words: Vec<String>,
    /// Where it goes on.
    current: Option<Place>,
    frames: Vec<FrameLine>,
    complete: bool,
    stray_words: u32,
}

#[derive(Serialize)]
struct FrameLine {
    return_address: String,
    depth_bytes: u64,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    function: String,
    file: Box<str>,
    line: u32,
}

pub fn write(vm: &AttachedVm, lines: &mut Lines) -> Result<(), Failure> {
    for (_, _, fields) in all(vm, lines.limit)? {
        let rests = fields.state & STATE_BUSY == 0 && fields.is_consistent();
        let Some(line) = rests.then(|| stack(vm, &fields)).flatten() else {
            continue;
        };
        if !lines.put(&line)? {
            break;
        }
    }
    Ok(())
}

/// `None` when the stack cannot be read, or is too long.
fn stack(vm: &AttachedVm, fields: &ProcessFields) -> Option<StackLine> {
    let len_bytes = usize::try_from(fields.hend.checked_sub(fields.stop)?).ok()?;
    let bytes = vm
        .memory
        .read_vec(fields.stop, len_bytes, MAX_STACK_BYTES)
        .ok()?;
    let rules = vm.code.vm_words().rules(fields.stop, fields.hend);
    let mut frames = Vec::new();
    let is_return = |address| is_return_address(vm, address);
    let end = walk(&rules, bytes_to_words(&bytes), is_return, &mut frames);
    Some(StackLine {
        pid: vm.pids.map(|pids| pids.text(fields.id)),
        stop: hex(fields.stop),
        hend: hex(fields.hend),
        words: bytes_to_words(&bytes).map(hex).collect(),
        current: place(vm, fields.i),
        frames: frames
            .iter()
            .map(|frame| FrameLine {
                return_address: hex(frame.return_address),
                depth_bytes: frame.depth_bytes,
                place: place(vm, frame.return_address.wrapping_sub(1)),
            })
            .collect(),
        complete: end.complete,
        stray_words: end.stray_words,
    })
}

fn is_return_address(vm: &AttachedVm, address: u64) -> bool {
    if vm.flavor.kind() == INTERPRETER {
        return vm.code.is_continuation(address);
    }
    let is_jit = |(start, end): &(u64, u64)| (*start..*end).contains(&address);
    let mut before = [0; BYTES_BEFORE_RETURN];
    let start = address.wrapping_sub(BYTES_BEFORE_RETURN as u64);
    vm.runs_erlang().iter().any(is_jit)
        && vm.memory.read(start, &mut before).is_ok()
        && ends_in_call(&before)
}

fn place(vm: &AttachedVm, pc: u64) -> Option<Place> {
    let found = vm.code.current().locate(pc)?;
    Some(Place {
        function: found.name.raw().to_owned(),
        file: found.file,
        line: found.line,
    })
}
