//! What the program has to know of one VM.

use arch::interrupted::SavedRegister;

use super::frame::MAX_FIELDS_BYTES;

/// Which register of the sampled thread may hold the Erlang stack pointer. It counts only when it
/// points into the heap block of the current process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackPointer {
    /// This one does in Erlang code, and never points there otherwise (the processor's own, of the JIT).
    Exact(SavedRegister),
    /// This one does in Erlang code, but in C code it may hold anything, pointers to terms
    /// included (that of the interpreter): the lower of it and Process.stop is taken.
    Hint(SavedRegister),
}

/// What the program has to know of one VM. Offsets in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetOffsets {
    /// Where a scheduler has its current process.
    pub current_process: usize,
    /// And its current port.
    pub current_port: usize,
    /// Length of the process struct, as far as it is wanted.
    pub process_bytes: usize,
    /// Length of the struct of a port, as far as it is wanted.
    pub port_bytes: usize,
    /// Process.common.id.
    pub id: usize,
    /// Process.stop.
    pub stop: usize,
    /// Process.heap.
    pub heap: usize,
    /// Process.hend.
    pub hend: usize,
    /// Process.state.
    pub state: usize,
    /// The bit of it that is set while a collector works on the process.
    pub collecting: u32,
    /// The word at the bottom of every stack.
    pub bottom_word: u64,
    /// The register with the stack pointer.
    pub stack_pointer: StackPointer,
    /// Address of the number of the active code index, where that is known.
    pub code_index: Option<u64>,
}

impl TargetOffsets {
    /// First byte and length of the part of the process struct that holds id, stop, heap and hend.
    pub(super) fn fields(&self) -> (usize, usize) {
        span(&[self.id, self.stop, self.heap, self.hend])
    }

    /// First byte and length of the part of a scheduler that holds its current process and port.
    pub(super) fn running(&self) -> (usize, usize) {
        span(&[self.current_process, self.current_port])
    }

    /// Whether these offsets are sufficient for a program.
    pub fn is_usable(&self) -> bool {
        self.fields().1 <= MAX_FIELDS_BYTES
            && self.running().1 <= MAX_FIELDS_BYTES
            && self.running().1.is_multiple_of(8)
            && self.process_bytes <= 4096
            && self.port_bytes <= 4096
            && self.port_bytes.is_multiple_of(8)
            && self.collecting.cast_signed() > 0
            && [self.id, self.stop, self.heap, self.hend, self.state]
                .iter()
                .all(|field| field.is_multiple_of(8) && field + 8 <= self.process_bytes)
    }
}

/// First byte and length of the range with these words.
fn span(words: &[usize]) -> (usize, usize) {
    let first = words.iter().copied().min().unwrap_or(0);
    let last = words.iter().copied().max().unwrap_or(0);
    (first, last.saturating_add(8) - first)
}
