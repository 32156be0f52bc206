//! The questions, in Rust: bytes in, something to be written as JSON out.

use std::sync::Arc;

use arch::{BYTES_BEFORE_RETURN, ends_in_call};
use erlang_stack::walk;
use serde::Serialize;
use target_memory::{SnapshotMemory, TargetMemory, bytes_to_words};
use vm_code::blob::{Blob, ModuleCode, parse_blob};
use vm_code::code_map::CodeMap;
use vm_code::descriptor::Descriptor;
use vm_code::generations::CodeGenerations;
use vm_layout::rows::ROWS;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessFields};

use crate::Status;

/// The longest stack that is walked, 8 MiB.
const MAX_STACK_BYTES: usize = 8 << 20;

/// The contents of a blob.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlobAnswer {
    /// Facts about the emulator.
    Emulator {
        /// It runs with frame pointers.
        frame_pointers: bool,
        /// Return address at the bottom of every stack.
        normal_exit: String,
    },
    /// One module.
    Module {
        /// Its name.
        name: String,
        /// First address.
        base: String,
        /// Length in bytes.
        code_bytes: u32,
        /// Its ranges.
        ranges: Vec<RangeAnswer>,
    },
}

/// One range; offsets are from the base.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct RangeAnswer {
    /// First offset.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Name as the VM spells it.
    pub name: String,
    /// Offset, line, source file.
    pub lines: Vec<(u32, u32, String)>,
}

/// Where a program counter is.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct PlaceAnswer {
    /// Function or fragment.
    pub function: String,
    /// Source file.
    pub file: String,
    /// Line; 0 when not known.
    pub line: u32,
}

/// A stack out of a snapshot.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct StackAnswer {
    /// The bottom frame was reached.
    pub complete: bool,
    /// Words that no stack can hold.
    pub stray_words: u32,
    /// The position at which the process continues.
    pub current: Option<PlaceAnswer>,
    /// Innermost first.
    pub frames: Vec<FrameAnswer>,
}

/// One frame.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct FrameAnswer {
    /// Return address.
    pub return_address: String,
    /// Its function.
    pub place: Option<PlaceAnswer>,
}

/// Reads one blob of the JIT's list.
pub fn blob(bytes: &[u8]) -> Result<BlobAnswer, Status> {
    Ok(match parse_blob(bytes)? {
        Blob::Emulator {
            frame_pointers,
            normal_exit,
        } => BlobAnswer::Emulator {
            frame_pointers,
            normal_exit: hex(normal_exit),
        },
        Blob::Module(module) => BlobAnswer::Module {
            name: module.name.to_string(),
            base: hex(module.base),
            code_bytes: module.code_bytes,
            ranges: ranges(&module),
        },
    })
}

fn ranges(module: &ModuleCode) -> Vec<RangeAnswer> {
    let file = |index: u16| {
        let file = module.files.get(usize::from(index));
        file.map(ToString::to_string).unwrap_or_default()
    };
    module
        .ranges
        .iter()
        .map(|range| RangeAnswer {
            start: range.start,
            end: range.end,
            name: module.range_name(range).to_owned(),
            lines: module
                .range_lines(range)
                .iter()
                .map(|entry| (entry.offset, entry.line, file(entry.file)))
                .collect(),
        })
        .collect()
}

/// The place of each of `pcs`, given the blobs of all modules, newest first.
pub fn places(blobs: &[&[u8]], pcs: &[u64]) -> Result<Vec<Option<PlaceAnswer>>, Status> {
    let mut modules = Vec::new();
    for bytes in blobs {
        if let Blob::Module(module) = parse_blob(bytes)? {
            modules.push(Arc::new(module));
        }
    }
    let map = CodeMap::new(&modules);
    Ok(pcs.iter().map(|pc| place(&map, *pc)).collect())
}

fn place(map: &CodeMap, pc: u64) -> Option<PlaceAnswer> {
    let found = map.locate(pc)?;
    Some(PlaceAnswer {
        function: found.name.raw().to_owned(),
        file: found.file.into(),
        line: found.line,
    })
}

/// The stack of the process at address `process`, which does not run. `descriptor` is the address
/// of the JIT's list.
pub fn stack(
    memory: &SnapshotMemory,
    otp_release: u32,
    descriptor: u64,
    process: u64,
) -> Result<StackAnswer, Status> {
    let row = ROWS.iter().find(|row| row.otp_release == otp_release);
    let layout = &row.ok_or(Status::UnknownRelease)?.process;
    let descriptor = Descriptor {
        address: descriptor,
    };
    let code = CodeGenerations::read(memory, descriptor)?;
    let read = |address, len_bytes, limit_bytes| {
        memory
            .read_vec(address, len_bytes, limit_bytes)
            .map_err(|_| Status::NotInSnapshot)
    };
    let bytes = read(process, layout.read_bytes, MAX_PROCESS_BYTES)?;
    let fields = ProcessFields::from_bytes(layout, &bytes)
        .filter(ProcessFields::is_consistent)
        .ok_or(Status::Malformed)?;
    let len_bytes = usize::try_from(fields.hend - fields.stop).map_err(|_| Status::TooLong)?;
    let words = read(fields.stop, len_bytes, MAX_STACK_BYTES)?;
    let rules = code.vm_words().rules(fields.stop, fields.hend);
    let map = code.current();
    let is_return = |address: u64| {
        let mut before = [0; BYTES_BEFORE_RETURN];
        let start = address.wrapping_sub(BYTES_BEFORE_RETURN as u64);
        memory.read(start, &mut before).is_ok() && ends_in_call(&before)
    };
    let mut frames = Vec::new();
    let end = walk(&rules, bytes_to_words(&words), is_return, &mut frames);
    Ok(StackAnswer {
        complete: end.complete,
        stray_words: end.stray_words,
        current: place(map, fields.i),
        frames: frames
            .iter()
            .map(|frame| FrameAnswer {
                return_address: hex(frame.return_address),
                place: place(map, frame.return_address.wrapping_sub(1)),
            })
            .collect(),
    })
}

fn hex(word: u64) -> String {
    format!("{word:#x}")
}
