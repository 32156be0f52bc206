//! Finds the scheduler of the sampled thread and the process or port that it runs.

use super::frame::{
    CALL_SLOT, CODE_INDEX, CONTEXT, FIELDS, LOW, PID, PORT, PROCESS, REGISTERS, RING, SCHEDULER,
    SEQUENCE, STACK_POINTER, STATUS, THREAD, TID, TIME, USER_BP, USER_DI, USER_SP, WANTED,
};
use super::kernel::{
    GET_CURRENT_PID_TGID, GET_CURRENT_TASK_BTF, GET_NS_CURRENT_PID_TGID, GET_SMP_PROCESSOR_ID,
    KTIME_GET_NS, MAP_LOOKUP_ELEM, PROBE_READ_USER, TASK_PT_REGS,
};
use super::{DROP_SAMPLE, KernelSamples, Program, StackPointer, Trigger};
use crate::assembler::{FRAME, Label, When};
use crate::namespace::ThreadIds;
use crate::record::{NO_CODE_INDEX, Status};
use arch::interrupted::{KERNEL_MODE_MASK, SavedRegister};

/// What a thread is known by: scheduler, registers, its number outside, and the process it ran last.
const LAST_PROCESS: i16 = 24;
/// And the word that shows whether it waits.
const WAITING: i16 = 32;
/// A word that is always zero: no bit of the status is set at first. The verifier must not know that, or it
/// checks the following code once for each status there can be, which takes tens of milliseconds.
const NO_STATUS: i16 = 40;
/// The bits of the word at [`WAITING`] that count.
const WAITING_MASK: i16 = 48;
/// When a block of the thread was left out last.
const LEFT_OUT_AT: i16 = 56;
/// The pid that stands for no process: all bits but those of the tag are set.
const NO_PID: i32 = !0xf | 3;
/// The same where pids have 28 bits (OTP 25).
const NARROW_NO_PID: u64 = 0xffff_fff3;

impl Program<'_> {
    /// What the kernel passes on, which calls lose.
    pub(super) fn keep_context(&mut self) {
        self.code.copy(CONTEXT, 1);
    }

    /// Which thread is this, and which scheduler?
    pub(super) fn find_scheduler(&mut self) {
        let (code, maps) = (&mut self.code, self.maps);
        match maps.thread_ids {
            ThreadIds::OfMachine => {
                // The lower half is the thread's.
                code.call(GET_CURRENT_PID_TGID);
                code.store(FRAME, PID, 0);
            }
            ThreadIds::Of(namespace) => {
                code.set_wide(1, namespace.device);
                code.set_wide(2, namespace.inode);
                code.copy(3, FRAME);
                code.add(3, PID.into());
                code.set(4, 8);
                code.call(GET_NS_CURRENT_PID_TGID);
                code.jump_if(0, When::NotEqual, 0, self.keep);
            }
        }
        code.set_map(1, maps.threads_fd);
        code.copy(2, FRAME);
        code.add(2, PID.into());
        code.call(MAP_LOOKUP_ELEM);
        code.jump_if(0, When::Equal, 0, self.keep);
        for (index, place) in [SCHEDULER, REGISTERS, TID].into_iter().enumerate() {
            code.load(1, 0, index as i16 * 8);
            code.store(FRAME, place, 1);
        }
        code.load(1, 0, NO_STATUS);
        code.store(FRAME, STATUS, 1);
        code.store(FRAME, THREAD, 0);
        // A thread that was taken out again.
        code.load(1, FRAME, SCHEDULER);
        code.jump_if(1, When::Equal, 0, self.keep);
    }

    /// Which sample of this CPU is it, and where does its record go? Each sample of a scheduler that the kernel
    /// keeps has a number, also one whose record has no room.
    pub(super) fn find_ring(&mut self) {
        let (code, maps) = (&mut self.code, self.maps);
        code.store_half_value(FRAME, WANTED, 0);
        code.set_map(1, maps.sequence_fd);
        code.copy(2, FRAME);
        code.add(2, WANTED.into());
        code.call(MAP_LOOKUP_ELEM);
        code.jump_if(0, When::Equal, 0, self.keep);
        code.load(1, 0, 0);
        code.add(1, 1);
        code.store(0, 0, 1);
        code.store(FRAME, SEQUENCE, 1);
        code.call(GET_SMP_PROCESSOR_ID);
        code.store_half(FRAME, WANTED, 0);
        code.set_map(1, maps.rings_fd);
        code.copy(2, FRAME);
        code.add(2, WANTED.into());
        code.call(MAP_LOOKUP_ELEM);
        code.jump_if(0, When::Equal, 0, self.full);
        code.store(FRAME, RING, 0);
    }

    /// What does it run?
    pub(super) fn read_scheduler(&mut self) {
        self.code.call(KTIME_GET_NS);
        self.code.store(FRAME, TIME, 0);
        // One read for both: the kernel leaves zeros where it fails.
        let (first, len) = self.target.running();
        let read = FIELDS - len as i16;
        let code = &mut self.code;
        code.load(3, FRAME, SCHEDULER);
        code.add(3, first as i32);
        code.copy(1, FRAME);
        code.add(1, read.into());
        code.set(2, len as i32);
        code.call(PROBE_READ_USER);
        self.unless_read(Status::NO_SCHEDULER);
        let code = &mut self.code;
        for (place, field) in [
            (PROCESS, self.target.current_process),
            (PORT, self.target.current_port),
        ] {
            code.load(1, FRAME, read + (field - first) as i16);
            code.store(FRAME, place, 1);
        }
        let no_slot = code.label();
        code.store_value(FRAME, CALL_SLOT, 0);
        code.load(3, FRAME, REGISTERS);
        code.jump_if(3, When::Equal, 0, no_slot);
        code.add(3, -8);
        self.read_word_to(CALL_SLOT);
        self.unless_read(Status::COPY_FAILED);
        let code = &mut self.code;
        code.place(no_slot);
        self.read_code_index();
    }

    /// Ends, and has the sample dropped, where the scheduler was read and runs nothing.
    pub(super) fn drop_if_idle(&mut self) {
        let code = &mut self.code;
        let kept = code.label();
        for running in [PROCESS, PORT] {
            code.load(1, FRAME, running);
            code.jump_if(1, When::NotEqual, 0, kept);
        }
        // Zeros were not read then. (This comes last: the verifier then looks at what follows once more only for a
        // scheduler that runs nothing, which is little.)
        code.load(1, FRAME, STATUS);
        code.jump_if(1, When::AnyBit, Status::NO_SCHEDULER as i32, kept);
        code.end(DROP_SAMPLE);
        code.place(kept);
    }

    /// Keeps each n-th sample of this trigger on this CPU, whichever thread it is of, and has the others dropped and counted.
    /// The kept one is the first of the n: a new n holds from the next kept one on. Of a switch, the thread's facts have when
    /// its last block was left out: such a thread is then known not to be idle, as long as it does not come back.
    pub(super) fn thin_out(&mut self, trigger: Trigger) {
        let Some(place) = trigger.thinned() else {
            return;
        };
        let (code, maps) = (&mut self.code, self.maps);
        let (kept, left_out) = (code.label(), code.label());
        let offset = place as u32 * 8;
        // Before the first jump: what follows is then alike for the verifier, whichever way leads there.
        code.store_half_value(FRAME, WANTED, place as i32);
        code.set_map_value(1, maps.each_fd, offset);
        code.load(LOW, 1, 0);
        code.jump_if(LOW, When::NotAbove, 1, kept);
        code.set_map(1, maps.to_leave_out_fd);
        code.copy(2, FRAME);
        code.add(2, WANTED.into());
        code.call(MAP_LOOKUP_ELEM);
        code.jump_if(0, When::Equal, 0, kept);
        code.load(1, 0, 0);
        code.jump_if(1, When::NotEqual, 0, left_out);
        code.add(LOW, -1);
        code.store(0, 0, LOW);
        code.jump(kept);
        code.place(left_out);
        code.add(1, -1);
        code.store(0, 0, 1);
        // At a page fault, neither is known yet.
        if trigger == Trigger::SwitchOut {
            code.load(1, FRAME, THREAD);
            code.load(2, FRAME, TIME);
            code.store(1, LEFT_OUT_AT, 2);
        }
        // Behind that of the samples without room.
        code.set_map_value(1, maps.counts_fd, 8 + offset);
        code.set(2, 1);
        code.add_atomically(1, 0, 2);
        code.end(DROP_SAMPLE);
        code.place(kept);
    }

    /// Which copy of the VM's code tables is in use: loaded code runs only once that changed.
    fn read_code_index(&mut self) {
        let unknown = NO_CODE_INDEX.cast_signed();
        let Some(address) = self.target.code_index else {
            self.code.store_value(FRAME, CODE_INDEX, unknown);
            return;
        };
        self.code.set_wide(3, address);
        self.read_word_to(CODE_INDEX);
        let code = &mut self.code;
        let done = code.label();
        code.jump_if(0, When::Equal, 0, done);
        code.store_value(FRAME, CODE_INDEX, unknown);
        code.place(done);
    }

    /// The registers of user space that are needed later, when they can be had.
    pub(super) fn read_user_registers(&mut self) {
        let (StackPointer::Exact(stack_pointer) | StackPointer::Hint(stack_pointer)) =
            self.target.stack_pointer;
        let wanted = [
            (SavedRegister::STACK_POINTER, USER_SP),
            (SavedRegister::FRAME_POINTER, USER_BP),
            (SavedRegister::FIRST_ARGUMENT, USER_DI),
            (stack_pointer, STACK_POINTER),
        ];
        let code = &mut self.code;
        let (in_kernel, done) = (code.label(), code.label());
        for (_, place) in wanted {
            code.store_value(FRAME, place, 0);
        }
        code.load(1, CONTEXT, SavedRegister::MODE.0);
        code.and(1, KERNEL_MODE_MASK);
        code.jump_if(1, When::Equal, 0, in_kernel);
        for (register, place) in wanted {
            code.load(1, CONTEXT, register.0);
            code.store(FRAME, place, 1);
        }
        self.add_status(Status::USER);
        let code = &mut self.code;
        code.jump(done);
        code.place(in_kernel);
        if self.kernel_samples == KernelSamples::WithRegisters {
            code.call(GET_CURRENT_TASK_BTF);
            code.copy(1, 0);
            code.call(TASK_PT_REGS);
            for (register, place) in wanted {
                code.load(1, 0, register.0);
                code.store(FRAME, place, 1);
            }
            self.add_status(Status::USER);
        }
        self.code.place(done);
    }

    /// A scheduler that runs nothing either waits or is about to run something: a word of the VM shows which.
    pub(super) fn read_waiting(&mut self) {
        let (waits, done) = (self.code.label(), self.code.label());
        let code = &mut self.code;
        for running in [PROCESS, PORT] {
            code.load(1, FRAME, running);
            code.jump_if(1, When::NotEqual, 0, done);
        }
        code.load(2, FRAME, THREAD);
        code.load(3, 2, WAITING);
        code.jump_if(3, When::Equal, 0, done);
        code.store_value(FRAME, WANTED, 0);
        code.copy(1, FRAME);
        code.add(1, WANTED.into());
        code.set(2, 4);
        code.call(PROBE_READ_USER);
        code.jump_if(0, When::NotEqual, 0, done);
        self.add_status(Status::WAIT_KNOWN);
        let code = &mut self.code;
        code.load(1, FRAME, WANTED);
        code.load(2, FRAME, THREAD);
        code.load(4, 2, WAITING_MASK);
        code.jump_if_register(1, When::AnyBit, 4, waits);
        code.jump(done);
        code.place(waits);
        self.add_status(Status::WAITS);
        self.code.place(done);
    }

    /// Reads the fields of the process that locate its stack, and the process's pid with them. Jumps to `none` when no
    /// process runs, or it cannot be read.
    ///
    /// While it matches terms, ETS puts a process of its own in the place of the real one: it has no
    /// pid. The real one is that which the thread ran before; the record shows the substitution to its reader.
    pub(super) fn read_fields(&mut self, none: Label) {
        let id = self.place_of(self.target.id);
        let (real, done) = (self.code.label(), self.code.label());
        let (stand_in, unreadable) = (self.code.label(), self.code.label());
        self.read_fields_once(none);
        let code = &mut self.code;
        code.jump_if(0, When::NotEqual, 0, unreadable);
        code.load(1, FRAME, id);
        code.load(2, FRAME, THREAD);
        code.load(3, FRAME, PROCESS);
        code.jump_if(1, When::Equal, NO_PID, stand_in);
        code.set_wide(4, NARROW_NO_PID);
        code.jump_if_register(1, When::NotEqual, 4, real);
        code.place(stand_in);
        code.load(1, 2, LAST_PROCESS);
        code.jump_if(1, When::Equal, 0, done);
        code.store(FRAME, PROCESS, 1);
        self.add_status(Status::GUESSED);
        self.read_fields_once(none);
        self.code.jump_if(0, When::Equal, 0, done);
        self.code.place(unreadable);
        self.add_status(Status::COPY_FAILED);
        let code = &mut self.code;
        code.jump(none);
        code.place(real);
        code.store(2, LAST_PROCESS, 3);
        code.place(done);
    }

    fn read_fields_once(&mut self, none: Label) {
        let (first, len) = self.target.fields();
        let code = &mut self.code;
        code.load(3, FRAME, PROCESS);
        code.jump_if(3, When::Equal, 0, none);
        code.add(3, first as i32);
        code.copy(1, FRAME);
        code.add(1, (FIELDS - len as i16).into());
        code.set(2, len as i32);
        code.call(PROBE_READ_USER);
    }
}
