//! Walking a C stack, frame by frame, up to the JIT code that called into C.

use crate::cfi::{CfiError, CfiScratch};
use crate::object_map::ObjectMap;
use crate::row_cache::{CachedRow, RowCache};
pub use crate::unwind_row::Registers;
use crate::unwind_row::StepEnd;

/// Deepest C stack that is walked; the C stacks of an Erlang VM are some ten frames deep.
pub const MAX_FRAMES: usize = 64;

/// One C frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeFrame {
    /// Instruction pointer, or return address.
    pub pc_avma: u64,
    /// Whether it is a return address: the call is before it, so look `pc_avma - 1` up.
    pub is_return_address: bool,
}

impl NativeFrame {
    /// The address to look functions and rules up with.
    #[must_use]
    pub fn lookup_avma(self) -> u64 {
        self.pc_avma.wrapping_sub(u64::from(self.is_return_address))
    }
}

/// Why a walk ended. The frames found until then are right in every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnwindEnd {
    /// The next frame is JIT code. The registers are those at that point, with every callee-saved
    /// one as the JIT code left it; the program counter is the return address into it (or the sampled address
    /// when the sample itself is in JIT code).
    ReachedJit,
    /// The outermost frame of the thread.
    EndOfStack,
    /// No object is mapped at the next frame's address.
    NoObject {
        /// That address.
        pc_avma: u64,
    },
    /// The object has no rule for the frame.
    NoFde {
        /// Its address.
        pc_avma: u64,
    },
    /// The rule of the frame is damaged or not understood.
    BadCfi {
        /// Its address.
        pc_avma: u64,
        /// Why.
        error: CfiError,
    },
    /// The stack cannot be read there (usually: beyond the part in the sample).
    StackUnreadable {
        /// Where.
        address: u64,
    },
    /// More than [`MAX_FRAMES`] frames.
    TooDeep,
    /// The caller's frame would lie at or below this one: the stack is damaged.
    NotAdvancing,
}

/// Walks C stacks. Keeps working memory and a cache of rules: after warm-up a step allocates
/// nothing. One per thread that unwinds, one target at a time.
#[derive(Debug)]
pub struct NativeUnwinder {
    cache: RowCache,
    scratch: CfiScratch,
    generation: u64,
}

impl Default for NativeUnwinder {
    fn default() -> Self {
        Self::new()
    }
}

impl NativeUnwinder {
    /// Takes its memory (about half a megabyte) once.
    #[must_use]
    pub fn new() -> Self {
        Self {
            cache: RowCache::new(),
            scratch: CfiScratch::new(),
            generation: 0,
        }
    }

    /// Walks from `registers` up. Appends one frame per C function to `frames`, leaf first, and
    /// leaves `registers` at the frame where it ended.
    ///
    /// `is_jit` is called with look-up addresses (already one below a return address). `read_stack`
    /// gives the 8 bytes at an address, or none.
    pub fn unwind(
        &mut self,
        objects: &ObjectMap,
        registers: &mut Registers,
        mut is_jit: impl FnMut(u64) -> bool,
        mut read_stack: impl FnMut(u64) -> Option<u64>,
        frames: &mut Vec<NativeFrame>,
    ) -> UnwindEnd {
        if self.generation != objects.generation() {
            self.cache.clear();
            self.generation = objects.generation();
        }
        let mut is_return_address = false;
        for _ in 0..MAX_FRAMES {
            let pc_avma = registers.program_counter;
            let frame = NativeFrame {
                pc_avma,
                is_return_address,
            };
            if is_jit(frame.lookup_avma()) {
                return UnwindEnd::ReachedJit;
            }
            // Some thread starts leave a zero instead of an undefined return address.
            if pc_avma == 0 && is_return_address {
                return UnwindEnd::EndOfStack;
            }
            frames.push(frame);
            let scratch = &mut self.scratch;
            let lookup = frame.lookup_avma();
            let row = match self
                .cache
                .row(lookup, || compute_row(objects, scratch, lookup))
            {
                CachedRow::Row(row) => row,
                CachedRow::NoObject => return UnwindEnd::NoObject { pc_avma },
                CachedRow::NoRule(CfiError::NoFde) => return UnwindEnd::NoFde { pc_avma },
                CachedRow::NoRule(error) => {
                    return UnwindEnd::BadCfi {
                        pc_avma,
                        error: *error,
                    };
                }
            };
            *registers = match row.apply(registers, &mut read_stack) {
                Ok(caller) => caller,
                Err(StepEnd::Outermost) => return UnwindEnd::EndOfStack,
                Err(StepEnd::Unreadable(address)) => return UnwindEnd::StackUnreadable { address },
                Err(StepEnd::NotAdvancing) => return UnwindEnd::NotAdvancing,
            };
            is_return_address = !row.is_signal_frame;
        }
        UnwindEnd::TooDeep
    }
}

#[cold]
fn compute_row(objects: &ObjectMap, scratch: &mut CfiScratch, avma: u64) -> CachedRow {
    let Some(object) = objects.object_at(avma) else {
        return CachedRow::NoObject;
    };
    match object.image.row_at(scratch, avma.wrapping_sub(object.bias)) {
        Ok(row) => CachedRow::Row(row),
        Err(error) => CachedRow::NoRule(error),
    }
}
