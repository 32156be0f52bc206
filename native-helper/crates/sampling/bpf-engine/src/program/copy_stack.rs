//! Copies the process and its Erlang stack into a record of the smallest class.

use super::frame::{LEN, LOW, PORT, PROCESS, RECORD, WANTED};
use super::kernel::{PROBE_READ_USER, RINGBUF_DISCARD, RINGBUF_NO_WAKEUP};
use super::{Program, StackPointer, record_bytes};
use crate::assembler::{FRAME, Label, When};
use crate::record::{
    BELOW_BYTES, BELOW_STEP_BYTES, HEADER_BYTES, OUTER_BYTES, PAGE_BYTES, PAGES_CLASSES,
    PROCESS_OFFSET, STACK_ROOM_BYTES, Status, offset, stack_offset,
};

impl Program<'_> {
    /// The process and its stack; when none runs, the port that is executed, or the bare header.
    pub(super) fn copy_process(&mut self) {
        let (heap, hend) = (
            self.place_of(self.target.heap),
            self.place_of(self.target.hend),
        );
        let (bare, unbounded) = (self.code.label(), self.code.label());
        let pages = self.code.label();
        self.read_fields(bare);
        self.find_stack(unbounded);
        self.find_moved_stack(pages);
        let unreadable = match self.target.stack_pointer {
            StackPointer::Exact(_) => None,
            StackPointer::Hint(_) => Some(self.code.label()),
        };
        self.copy_stack(unreadable);
        if let Some(unreadable) = unreadable {
            // The register held something else, with memory behind it that was never touched.
            self.code.place(unreadable);
            self.code.copy(1, RECORD);
            self.code.set(2, RINGBUF_NO_WAKEUP);
            self.code.call(RINGBUF_DISCARD);
            self.take_stop(unbounded);
            self.find_moved_stack(pages);
            self.copy_stack(None);
        }

        self.code.place(unbounded);
        self.copy_unbounded(heap, hend, pages);

        self.code.place(bare);
        self.code.set(LOW, 0);
        self.copy_port();
        self.reserve(HEADER_BYTES, self.full);
        self.fill_sample_header();
        self.submit();
    }

    /// The port, when a scheduler executes one for no process, and ends.
    fn copy_port(&mut self) {
        let none = self.code.label();
        self.code.load(1, FRAME, PROCESS);
        self.code.jump_if(1, When::NotEqual, 0, none);
        self.code.load(1, FRAME, PORT);
        self.code.jump_if(1, When::Equal, 0, none);
        let port_bytes = self.target.port_bytes;
        self.reserve(PROCESS_OFFSET + port_bytes, self.full);
        self.fill_sample_header();
        self.code.load(3, FRAME, PORT);
        self.read_to_record(PROCESS_OFFSET, port_bytes);
        let failed = self.code.label();
        self.code.jump_if(0, When::NotEqual, 0, failed);
        self.add_record_status(Status::HAS_PORT);
        self.code.place(failed);
        self.submit();
        self.code.jump(self.keep);
        self.code.place(none);
    }

    /// Hands over a record with the `LEN` bytes of stack at `LOW`, and ends. With `unreadable`
    /// jumps there, with the record unfinished, when they begin at the hint and cannot be read.
    pub(super) fn copy_stack(&mut self, unreadable: Option<Label>) {
        let fill = self.code.label();
        self.reserve_by_length(fill);
        self.code.place(fill);
        self.fill_record(unreadable);
        self.submit();
        self.code.jump(self.keep);
    }

    /// The smallest record that holds `LEN` bytes of stack. Of a longer stack both ends are copied.
    pub(super) fn reserve_by_length(&mut self, fill: Label) {
        for (class, room) in STACK_ROOM_BYTES.into_iter().enumerate() {
            let next = self.code.label();
            self.code.jump_if(LEN, When::Above, room as i32, next);
            let bytes = record_bytes(self.target.process_bytes, class);
            self.reserve(bytes, self.full);
            self.code.jump(fill);
            self.code.place(next);
        }
        let class = STACK_ROOM_BYTES.len() - 1;
        let upper = STACK_ROOM_BYTES.last().copied().unwrap_or(0) - OUTER_BYTES;
        self.code.set(LEN, upper as i32);
        self.add_status(Status::CUT);
        self.reserve(record_bytes(self.target.process_bytes, class), self.full);
        let hend = self.place_of(self.target.hend);
        self.code.load(3, FRAME, hend);
        self.code.add(3, -(OUTER_BYTES as i32));
        self.read_to_record(stack_offset(self.target.process_bytes) + upper, OUTER_BYTES);
        // The status goes into the record when that is filled.
        let absent = self.code.label();
        self.code.jump_if(0, When::NotEqual, 0, absent);
        self.add_status(Status::HAS_OUTER);
        self.code.place(absent);
    }

    pub(super) fn fill_record(&mut self, unreadable: Option<Label>) {
        self.fill_sample_header();
        self.code.store(RECORD, offset::LEN, LEN);
        self.code.load(1, FRAME, WANTED);
        self.code.store(RECORD, offset::WANTED, 1);
        self.read_process();
        let stack = stack_offset(self.target.process_bytes) as i32;
        let code = &mut self.code;
        let (no_stack, done, has_stack) = (code.label(), code.label(), code.label());
        code.copy(1, RECORD);
        code.add(1, stack);
        code.copy(2, LEN);
        code.copy(3, LOW);
        code.call(PROBE_READ_USER);
        code.jump_if(0, When::Equal, 0, has_stack);
        if let Some(unreadable) = unreadable {
            self.unless_status(Status::FROM_STOP, unreadable);
        }
        self.add_record_status(Status::COPY_FAILED);
        let code = &mut self.code;
        code.jump(no_stack);
        code.place(has_stack);
        self.add_record_status(Status::HAS_STACK);
        self.unless_status(Status::FROM_STOP, done);
        // All of it with one call where it is all there, else as far as it is.
        let in_steps = self.code.label();
        self.copy_below(BELOW_BYTES, BELOW_BYTES, in_steps);
        self.code.jump(done);
        self.code.place(in_steps);
        for step in 1..=BELOW_BYTES / BELOW_STEP_BYTES {
            self.copy_below(step * BELOW_STEP_BYTES, BELOW_STEP_BYTES, done);
        }
        let code = &mut self.code;
        code.place(no_stack);
        code.place(done);
    }

    /// Copies `len_bytes` from so far `below` the stack on; jumps to `absent` when they are not there.
    fn copy_below(&mut self, below: usize, len_bytes: usize, absent: Label) {
        let stack = stack_offset(self.target.process_bytes);
        self.code.copy(3, LOW);
        self.code.add(3, -(below as i32));
        self.read_to_record(stack - below, len_bytes);
        let code = &mut self.code;
        code.jump_if(0, When::NotEqual, 0, absent);
        code.store_value(RECORD, offset::BELOW, below as i32);
    }

    /// The collector has moved the stack but not yet stored where the new heap ends: whole pages
    /// from the one with the top of the stack on. User space looks for the bottom in them. The
    /// stack was in the old heap block, so it is no longer than that.
    pub(super) fn copy_unbounded(&mut self, heap: i16, hend: i16, pages: Label) {
        self.add_status(Status::UNBOUNDED);
        let code = &mut self.code;
        code.and(LOW, -(PAGE_BYTES as i32));
        code.load(LEN, FRAME, hend);
        code.load(1, FRAME, heap);
        code.subtract_register(LEN, 1);
        code.place(pages);
        for (index, class) in PAGES_CLASSES.into_iter().enumerate() {
            let larger = self.code.label();
            if index + 1 < PAGES_CLASSES.len() {
                // `LOW` may be up to a page too low.
                let most = STACK_ROOM_BYTES
                    .get(class)
                    .map_or(0, |room| room - PAGE_BYTES);
                self.code.jump_if(LEN, When::Above, most as i32, larger);
            }
            self.copy_pages(class);
            self.code.place(larger);
        }
    }

    /// Whole pages into a record of class `class`. Instead of those that are not there (never
    /// touched, or given back) there are zeros.
    pub(super) fn copy_pages(&mut self, class: usize) {
        let process_bytes = self.target.process_bytes;
        self.reserve(record_bytes(process_bytes, class), self.full);
        self.fill_sample_header();
        self.read_process();
        self.add_record_status(Status::HAS_STACK);
        let stack = stack_offset(process_bytes);
        let done = self.code.label();
        let room = STACK_ROOM_BYTES.get(class).copied().unwrap_or(0);
        for page in 0..room / PAGE_BYTES {
            self.code.copy(3, LOW);
            self.code.add(3, (page * PAGE_BYTES) as i32);
            self.read_to_record(stack + page * PAGE_BYTES, PAGE_BYTES);
            let code = &mut self.code;
            code.store_value(RECORD, offset::LEN, ((page + 1) * PAGE_BYTES) as i32);
            // One page more than wanted: the first is not wholly of the stack.
            code.jump_if(LEN, When::Below, (page * PAGE_BYTES) as i32, done);
        }
        self.code.place(done);
        self.submit();
        self.code.jump(self.keep);
    }
}
