//! The C stack of a scheduler that runs C code for Erlang: from its stack pointer up to the
//! register block, and no further.
//!
//! Where the kernel copies user stacks with each sample ([`CStacks::BySample`]), only the part
//! beyond those is copied here.

use super::frame::{LEN, LOW, RECORD, REGISTERS, USER_SP};
use super::kernel::PROBE_READ_USER;
use super::{CStacks, Program};
use crate::assembler::{FRAME, When};
use crate::record::{
    HEADER_BYTES, KIND_C_STACK, KIND_TAIL, NEAR_ROOM_BYTES, NEAR_STEP_BYTES, PAGE_BYTES, Status,
    TAIL_PAGES, offset,
};

/// A C stack longer than this has more than the part nearest to the stack pointer.
const NEAR_BYTES: i32 = 4096;
/// Longer than this is no C stack of a scheduler.
const MAX_C_STACK_BYTES: i32 = 1 << 20;

const TAIL_BYTES: usize = HEADER_BYTES + TAIL_PAGES * PAGE_BYTES;

impl Program<'_> {
    /// One record for the part near the stack pointer, one more for the upper part of a long stack.
    pub(super) fn copy_c_stack(&mut self) {
        let none = self.code.label();
        self.unless_status(Status::USER, none);
        self.find_c_stack();
        self.code.jump_if(LOW, When::Equal, 0, none);
        self.code.jump_if(LEN, When::Above, MAX_C_STACK_BYTES, none);
        if self.c_stacks() == CStacks::ByProgram {
            self.copy_near();
            // The copied part may be less than there is.
            self.find_c_stack();
        }
        self.code.jump_if(LEN, When::NotAbove, NEAR_BYTES, none);
        self.copy_tail();
        self.code.place(none);
    }

    /// `LOW`: where the stack ends, 0 when that is not known. `LEN`: how long it is.
    fn find_c_stack(&mut self) {
        let code = &mut self.code;
        code.load(LOW, FRAME, REGISTERS);
        code.load(1, FRAME, USER_SP);
        code.copy(LEN, LOW);
        code.subtract_register(LEN, 1);
    }

    /// `LEN` bytes from the stack pointer up, or as many as the largest record holds.
    fn copy_near(&mut self) {
        let submit = self.code.label();
        for (index, room) in NEAR_ROOM_BYTES.into_iter().enumerate() {
            let code = &mut self.code;
            let larger = code.label();
            if index + 1 < NEAR_ROOM_BYTES.len() {
                code.jump_if(LEN, When::Above, room as i32, larger);
            } else {
                let fits = code.label();
                code.jump_if(LEN, When::NotAbove, room as i32, fits);
                code.set(LEN, room as i32);
                code.place(fits);
            }
            self.reserve(HEADER_BYTES + room, self.full);
            self.fill_near(room);
            self.code.jump(submit);
            self.code.place(larger);
        }
        self.code.place(submit);
        self.submit_part();
    }

    /// Fills a record with room for `room` bytes. A page that was never touched ends the copy.
    fn fill_near(&mut self, room: usize) {
        self.fill_header(KIND_C_STACK);
        let code = &mut self.code;
        let done = code.label();
        code.load(3, FRAME, USER_SP);
        code.store(RECORD, offset::LOW, 3);
        code.copy(1, RECORD);
        code.add(1, HEADER_BYTES as i32);
        code.copy(2, LEN);
        code.call(PROBE_READ_USER);
        code.store(RECORD, offset::LEN, LEN);
        code.jump_if(0, When::Equal, 0, done);
        code.store_value(RECORD, offset::LEN, 0);
        self.add_status(Status::COPY_FAILED);
        for step in 0..room / NEAR_STEP_BYTES {
            let from = step * NEAR_STEP_BYTES;
            self.code.load(3, FRAME, USER_SP);
            self.code.add(3, from as i32);
            self.read_to_record(HEADER_BYTES + from, NEAR_STEP_BYTES);
            let code = &mut self.code;
            code.jump_if(0, When::NotEqual, 0, done);
            code.store_value(RECORD, offset::LEN, (from + NEAR_STEP_BYTES) as i32);
        }
        self.code.place(done);
    }

    /// The pages from the one with the top of the stack down to the part near the stack pointer.
    /// Pages that were never touched (big buffers) are not there and end it.
    fn copy_tail(&mut self) {
        let (done, none) = (self.code.label(), self.code.label());
        let hole = self.code.label();
        let code = &mut self.code;
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
            self.code.copy(3, LOW);
            self.read_to_record(place, PAGE_BYTES);
            let code = &mut self.code;
            code.jump_if(0, When::NotEqual, 0, hole);
            code.or(LEN, 1 << page);
            // The part below is in the other record, or with the sample.
            code.load(1, FRAME, USER_SP);
            code.add(1, NEAR_BYTES);
            code.jump_if_register(LOW, When::NotAbove, 1, done);
            code.add(LOW, -(PAGE_BYTES as i32));
        }
        self.code.jump(done);
        self.code.place(hole);
        self.add_status(Status::COPY_FAILED);
        self.code.place(done);
        self.code.store(RECORD, offset::LEN, LEN);
        self.submit_part();
        self.code.place(none);
    }
}
