//! What all parts of the program need: words of the target, status bits, records in the ring.

use super::Program;
use super::frame::{
    CALL_SLOT, CODE_INDEX, CONTEXT, LOW, PORT, PROCESS, RECORD, RING, SEQUENCE, STATUS, TID, TIME,
    USER_BP, USER_SP,
};
use super::kernel::{
    PROBE_READ_USER, RINGBUF_FORCE_WAKEUP, RINGBUF_NO_WAKEUP, RINGBUF_QUERY, RINGBUF_RESERVE,
    RINGBUF_SUBMIT,
};
use crate::assembler::{FRAME, Label, When};
use crate::record::{KIND_SAMPLE, PROCESS_OFFSET, Status, offset};
use arch::interrupted::SavedRegister;

impl Program<'_> {
    /// Copies the word at r3 to a place of our stack; zero when that fails.
    pub(super) fn read_word_to(&mut self, place: i16) {
        let code = &mut self.code;
        code.copy(1, FRAME);
        code.add(1, place.into());
        code.set(2, 8);
        code.call(PROBE_READ_USER);
    }

    /// Copies `len_bytes` at r3 to a place of the record; zero when that fails.
    pub(super) fn read_to_record(&mut self, place: usize, len_bytes: usize) {
        let code = &mut self.code;
        code.copy(1, RECORD);
        code.add(1, place as i32);
        code.set(2, len_bytes as i32);
        code.call(PROBE_READ_USER);
    }

    /// Jumps when a bit of the status is not set.
    pub(super) fn unless_status(&mut self, bit: u64, label: Label) {
        self.code.load(1, FRAME, STATUS);
        self.code.and(1, bit as i32);
        self.code.jump_if(1, When::Equal, 0, label);
    }

    /// Adds `bit` to the status when the read just before failed.
    pub(super) fn unless_read(&mut self, bit: u64) {
        let read = self.code.label();
        self.code.jump_if(0, When::Equal, 0, read);
        self.add_status(bit);
        self.code.place(read);
    }

    pub(super) fn add_status(&mut self, bit: u64) {
        self.code.load(1, FRAME, STATUS);
        self.code.or(1, bit as i32);
        self.code.store(FRAME, STATUS, 1);
    }

    /// `RECORD` = a new record of `bytes`, its header filled; `otherwise` when the ring is full.
    pub(super) fn reserve(&mut self, bytes: usize, otherwise: Label) {
        let code = &mut self.code;
        code.load(1, FRAME, RING);
        code.set(2, bytes as i32);
        code.set(3, 0);
        code.call(RINGBUF_RESERVE);
        code.jump_if(0, When::Equal, 0, otherwise);
        code.copy(RECORD, 0);
    }

    /// Stores what every record begins with.
    pub(super) fn fill_header(&mut self, kind: i32) {
        let code = &mut self.code;
        code.store_half_value(RECORD, offset::KIND, kind);
        code.load(1, FRAME, TID);
        code.store_half(RECORD, offset::TID, 1);
        code.load(1, FRAME, TIME);
        code.store(RECORD, offset::TIME, 1);
    }

    /// Stores the other fields in the header of a sample.
    pub(super) fn fill_sample_header(&mut self) {
        self.fill_header(KIND_SAMPLE);
        let code = &mut self.code;
        code.load(1, CONTEXT, SavedRegister::PROGRAM_COUNTER.0);
        code.store(RECORD, offset::IP, 1);
        for (own, place) in [
            (STATUS, offset::STATUS),
            (PROCESS, offset::PROCESS),
            (PORT, offset::PORT),
            (CALL_SLOT, offset::CALL_SLOT),
            (USER_SP, offset::SP),
            (USER_BP, offset::BP),
            (CODE_INDEX, offset::CODE_INDEX),
            (SEQUENCE, offset::SEQUENCE),
        ] {
            code.load(1, FRAME, own);
            code.store(RECORD, place, 1);
        }
        for place in [offset::LEN, offset::WANTED, offset::BELOW] {
            code.store_value(RECORD, place, 0);
        }
        code.store(RECORD, offset::LOW, LOW);
    }

    pub(super) fn add_record_status(&mut self, bit: u64) {
        self.code.load(1, RECORD, offset::STATUS);
        self.code.or(1, bit as i32);
        self.code.store(RECORD, offset::STATUS, 1);
    }

    pub(super) fn read_process(&mut self) {
        let failed = self.code.label();
        self.code.load(3, FRAME, PROCESS);
        self.read_to_record(PROCESS_OFFSET, self.target.process_bytes);
        self.code.jump_if(0, When::NotEqual, 0, failed);
        self.add_record_status(Status::HAS_PROCESS);
        let done = self.code.label();
        self.code.jump(done);
        self.code.place(failed);
        self.add_record_status(Status::COPY_FAILED);
        self.code.place(done);
    }

    /// Hands over a record that the one of its sample follows: whether the reader is woken, that one decides.
    pub(super) fn submit_part(&mut self) {
        let code = &mut self.code;
        code.copy(1, RECORD);
        code.set(2, RINGBUF_NO_WAKEUP);
        code.call(RINGBUF_SUBMIT);
    }

    /// Hands the record over. The reader is woken only when the ring fills up.
    pub(super) fn submit(&mut self) {
        let code = &mut self.code;
        let sleep = code.label();
        code.load(1, FRAME, RING);
        code.set(2, 0); // BPF_RB_AVAIL_DATA
        code.call(RINGBUF_QUERY);
        code.set(2, RINGBUF_NO_WAKEUP);
        code.jump_if(0, When::NotAbove, (self.maps.ring_bytes / 4) as i32, sleep);
        code.set(2, RINGBUF_FORCE_WAKEUP);
        code.place(sleep);
        code.copy(1, RECORD);
        code.call(RINGBUF_SUBMIT);
    }

    /// The ring had no room.
    pub(super) fn count_dropped(&mut self) {
        let code = &mut self.code;
        code.jump(self.keep);
        code.place(self.full);
        code.set_map_value(1, self.maps.counts_fd, 0);
        code.set(2, 1);
        code.add_atomically(1, 0, 2);
    }
}
