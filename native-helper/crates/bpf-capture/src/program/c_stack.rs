//! The C stack, where it is longer than what the kernel copies with a sample.

use super::Program;
use super::frame::{LEN, LOW, RECORD, REGISTERS, USER_SP};
use super::kernel::PROBE_READ_USER;
use crate::assembler::{FRAME, When};
use crate::record::{HEADER_BYTES, KIND_TAIL, PAGE_BYTES, Status, TAIL_PAGES, offset};

/// Longer than this, a C stack is not held by the sample.
const SAMPLED_STACK_BYTES: i32 = 4096;
/// Longer than this is no C stack of a scheduler.
const MAX_C_STACK_BYTES: i32 = 1 << 20;

const TAIL_BYTES: usize = HEADER_BYTES + TAIL_PAGES * PAGE_BYTES;

impl Program<'_> {
    /// A C stack that is longer than a sample holds: its upper pages. Pages that were never
    /// touched (big buffers) are not there and are left out.
    pub(super) fn copy_stack_tail(&mut self) {
        let (none, done) = (self.code.label(), self.code.label());
        self.unless_status(Status::USER, none);
        let code = &mut self.code;
        code.load(LOW, FRAME, REGISTERS);
        code.jump_if(LOW, When::Equal, 0, none);
        code.load(1, FRAME, USER_SP);
        code.copy(LEN, LOW);
        code.subtract_register(LEN, 1);
        code.jump_if(LEN, When::NotAbove, SAMPLED_STACK_BYTES, none);
        code.jump_if(LEN, When::Above, MAX_C_STACK_BYTES, none);
        code.add(LOW, -8);
        code.and(LOW, -(PAGE_BYTES as i32));
        self.reserve(TAIL_BYTES, none);
        self.fill_header(KIND_TAIL);
        let code = &mut self.code;
        code.copy(1, LOW);
        code.add(1, -((TAIL_PAGES as i32 - 1) * PAGE_BYTES as i32));
        code.store(RECORD, offset::LOW, 1);
        code.set(LEN, 0);
        for page in 0..TAIL_PAGES {
            let place = HEADER_BYTES + (TAIL_PAGES - 1 - page) * PAGE_BYTES;
            code.copy(1, RECORD);
            code.add(1, place as i32);
            code.set(2, PAGE_BYTES as i32);
            code.copy(3, LOW);
            code.call(PROBE_READ_USER);
            code.jump_if(0, When::NotEqual, 0, done);
            code.or(LEN, 1 << page);
            // What lies below the stack pointer is no stack.
            code.load(1, FRAME, USER_SP);
            code.jump_if_register(LOW, When::NotAbove, 1, done);
            code.add(LOW, -(PAGE_BYTES as i32));
        }
        code.place(done);
        code.store(RECORD, offset::LEN, LEN);
        self.submit();
        self.code.place(none);
    }
}
