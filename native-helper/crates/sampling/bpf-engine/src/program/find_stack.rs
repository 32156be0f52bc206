//! Where the Erlang stack is at this very moment.

use super::frame::{
    CONTEXT, FIELDS, LEN, LOOKED_AT, LOW, PROCESS, STACK_POINTER, STATUS, USER_DI, WANTED,
};
use super::{Program, StackPointer};
use crate::assembler::{FRAME, Label, When};
use crate::record::{PAGE_BYTES, Status};
use arch::interrupted::{KERNEL_MODE_MASK, SavedRegister};

/// How far below the end of the memory that a shortened heap block keeps its stack may end.
const BLOCK_SLACK_BYTES: i32 = 48 << 10;
/// A stack grows by less than this between two updates of the process struct.
const MAX_HINT_BYTES: i32 = 256 << 10;

impl Program<'_> {
    /// Where in our stack a field of the process struct lies.
    pub(super) fn place_of(&self, field: usize) -> i16 {
        let (first, len) = self.target.fields();
        FIELDS - len as i16 + (field - first) as i16
    }

    /// `LOW` and `LEN`: where the stack begins and how long it is.
    pub(super) fn find_stack(&mut self, unbounded: Label) {
        let (heap, hend) = (
            self.place_of(self.target.heap),
            self.place_of(self.target.hend),
        );
        let stop = self.place_of(self.target.stop);
        let code = &mut self.code;
        let (use_stop, found) = (code.label(), code.label());
        code.load(1, FRAME, STATUS);
        code.and(1, Status::USER as i32);
        code.jump_if(1, When::Equal, 0, use_stop);
        code.load(LOW, FRAME, STACK_POINTER);
        code.load(1, FRAME, heap);
        code.load(2, FRAME, hend);
        code.jump_if_register(LOW, When::Below, 1, use_stop);
        code.jump_if_register(LOW, When::Above, 2, use_stop);
        if matches!(self.target.stack_pointer, StackPointer::Hint(_)) {
            // Pointers to terms have a tag, and most of them point far below the stack.
            code.copy(3, LOW);
            code.and(3, 7);
            code.jump_if(3, When::NotEqual, 0, use_stop);
            code.load(3, FRAME, stop);
            code.jump_if_register(3, When::Below, LOW, use_stop);
            code.subtract_register(3, LOW);
            code.jump_if(3, When::Above, MAX_HINT_BYTES, use_stop);
        }
        code.load(LEN, FRAME, hend);
        code.subtract_register(LEN, LOW);
        code.store(FRAME, WANTED, LEN);
        code.jump(found);

        code.place(use_stop);
        self.take_stop(unbounded);
        self.code.place(found);
    }

    /// `LOW` and `LEN` by Process.stop.
    pub(super) fn take_stop(&mut self, unbounded: Label) {
        let (heap, hend, stop) = (
            self.place_of(self.target.heap),
            self.place_of(self.target.hend),
            self.place_of(self.target.stop),
        );
        let code = &mut self.code;
        code.load(LOW, FRAME, stop);
        self.add_status(Status::FROM_STOP);
        let code = &mut self.code;
        code.load(1, FRAME, heap);
        code.load(2, FRAME, hend);
        code.jump_if_register(LOW, When::Below, 1, unbounded);
        code.jump_if_register(LOW, When::Above, 2, unbounded);
        code.load(LEN, FRAME, hend);
        code.subtract_register(LEN, LOW);
        code.store(FRAME, WANTED, LEN);
    }

    /// While a collector shortens the heap block, it has moved the stack down in the block, given
    /// back the memory behind it, and not yet updated the process struct. Then the bottom word is
    /// not at the address in the struct. If so, `LOW` and `LEN` are where the stack may be, and
    /// `pages` comes next.
    pub(super) fn find_moved_stack(&mut self, pages: Label) {
        let (heap, hend) = (
            self.place_of(self.target.heap),
            self.place_of(self.target.hend),
        );
        let (whole, moved, in_user) = (self.code.label(), self.code.label(), self.code.label());
        let unclear = self.code.label();
        let code = &mut self.code;
        code.jump_if(LEN, When::Equal, 0, whole);
        code.load(3, FRAME, hend);
        code.add(3, -8);
        self.read_word_to(LOOKED_AT);
        let code = &mut self.code;
        code.jump_if(0, When::NotEqual, 0, unclear);
        code.load(1, FRAME, LOOKED_AT);
        code.set_wide(2, self.target.bottom_word);
        code.jump_if_register(1, When::Equal, 2, whole);
        code.place(unclear);
        code.load(3, FRAME, PROCESS);
        code.add(3, self.target.state as i32);
        self.read_word_to(LOOKED_AT);
        let code = &mut self.code;
        code.jump_if(0, When::NotEqual, 0, whole);
        code.load(1, FRAME, LOOKED_AT);
        code.and(1, self.target.collecting.cast_signed());
        code.jump_if(1, When::Equal, 0, whole);
        // The kernel unmaps memory from the first argument on: the stack ends just before that.
        code.load(1, CONTEXT, SavedRegister::MODE.0);
        code.and(1, KERNEL_MODE_MASK);
        code.jump_if(1, When::NotEqual, 0, in_user);
        code.load(LOW, FRAME, USER_DI);
        code.load(1, FRAME, heap);
        code.load(2, FRAME, hend);
        code.jump_if_register(LOW, When::NotAbove, 1, in_user);
        code.jump_if_register(LOW, When::Above, 2, in_user);
        code.add(LEN, BLOCK_SLACK_BYTES);
        code.subtract_register(LOW, LEN);
        code.and(LOW, -(PAGE_BYTES as i32));
        code.jump_if_register(LOW, When::Above, 1, moved);
        code.copy(LOW, 1);
        code.and(LOW, -(PAGE_BYTES as i32));
        code.jump(moved);

        // It is somewhere in the block, of which nothing has been unmapped.
        code.place(in_user);
        code.load(LOW, FRAME, heap);
        code.load(LEN, FRAME, hend);
        code.subtract_register(LEN, LOW);
        code.and(LOW, -(PAGE_BYTES as i32));
        code.place(moved);
        self.add_status(Status::MOVED);
        self.code.jump(pages);
        self.code.place(whole);
    }
}
