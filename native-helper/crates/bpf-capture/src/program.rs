//! The program: what runs in the kernel at every sample of a scheduler's thread.
//!
//! It is emitted for one VM, because that is what is known only at run time: where the fields of
//! the VM's structures are (data, found at attach) and which register holds the Erlang stack
//! pointer. No compiler and no type information of the kernel is needed for that: it reads the
//! memory of a user process and nothing of the kernel's.
//!
//! In short: who runs (thread to scheduler, by a map that user space keeps); what it runs (current
//! process and port, the word where the JIT leaves its return address); where its stack is; then
//! one record of the smallest class that holds the stack. Every loop is unrolled, every copy
//! bounded.

use crate::assembler::{AssembleError, Assembler, FRAME, Label, Register, When};
use crate::namespace::PidNamespace;
use crate::record::{
    BELOW_BYTES, BELOW_STEP_BYTES, HEADER_BYTES, KIND_SAMPLE, KIND_TAIL, PAGE_BYTES, PAGES_CLASSES,
    PROCESS_OFFSET, STACK_ROOM_BYTES, Status, TAIL_PAGES, offset, stack_offset,
};

// Helper functions of the kernel, by number (include/uapi/linux/bpf.h).
const MAP_LOOKUP_ELEM: i32 = 1;
const KTIME_GET_NS: i32 = 5;
const PROBE_READ_USER: i32 = 112;
const GET_NS_CURRENT_PID_TGID: i32 = 120;
const RINGBUF_RESERVE: i32 = 131;
const RINGBUF_SUBMIT: i32 = 132;
const RINGBUF_DISCARD: i32 = 133;
const RINGBUF_QUERY: i32 = 134;
const GET_CURRENT_TASK_BTF: i32 = 158;
const TASK_PT_REGS: i32 = 175;

const RINGBUF_NO_WAKEUP: i32 = 1;
const RINGBUF_FORCE_WAKEUP: i32 = 2;

/// Lets the kernel keep the sample itself.
const KEEP_SAMPLE: i32 = 1;

// Places in the program's own stack, from its frame pointer down.
const PID: i16 = -8;
/// What the thread is known by, once its pid has been looked up.
const THREAD: i16 = PID;
const TIME: i16 = -16;
const PROCESS: i16 = -24;
const PORT: i16 = -32;
const CALL_SLOT: i16 = -40;
const SCHEDULER: i16 = -48;
const REGISTERS: i16 = -56;
const TID: i16 = -64;
const STATUS: i16 = -72;
const WANTED: i16 = -80;
const USER_SP: i16 = -88;
const USER_BP: i16 = -96;
const STACK_POINTER: i16 = -104;
const USER_DI: i16 = -112;
const LOOKED_AT: i16 = -120;
const FIELDS: i16 = -120;
/// The kernel gives a program 512 bytes of stack.
const MAX_FIELDS_BYTES: usize = 384;

/// What a thread is known by: scheduler, registers, its number outside, and the process it ran last.
const LAST_PROCESS: i16 = 24;
/// The pid of what is no process: all bits but those of the tag are set.
const NO_PID: i32 = !0xf | 3;
/// The same where pids have 28 bits (OTP 25).
const NARROW_NO_PID: u64 = 0xffff_fff3;

// Registers that calls keep.
const CONTEXT: Register = 6;
const RECORD: Register = 7;
const LOW: Register = 8;
const LEN: Register = 9;

/// How far below the end of the memory that a shortened heap block keeps its stack may end.
const BLOCK_SLACK_BYTES: i32 = 48 << 10;
/// Longer than this, a C stack is not held by the sample.
const SAMPLED_STACK_BYTES: i32 = 4096;
/// A stack grows by less than this between two of the moments when the process is told.
const MAX_HINT_BYTES: i32 = 256 << 10;
/// Longer than this is no C stack of a scheduler.
const MAX_C_STACK_BYTES: i32 = 1 << 20;

/// A register of the interrupted code, by its place in the kernel's `struct pt_regs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledRegister(i16);

impl SampledRegister {
    /// r13.
    pub const R13: Self = Self(16);
    /// rbp.
    pub const RBP: Self = Self(32);
    /// rdi.
    pub const RDI: Self = Self(112);
    /// rip.
    pub const RIP: Self = Self(128);
    /// cs; its two low bits are 0 in the kernel.
    pub const CS: Self = Self(136);
    /// rsp.
    pub const RSP: Self = Self(152);

    /// A register that C functions leave as it was, by its number in DWARF.
    pub fn preserved(dwarf: u8) -> Self {
        match dwarf {
            3 => Self(40),
            6 => Self::RBP,
            12 => Self(24),
            14 => Self(8),
            15 => Self(0),
            _ => Self::R13,
        }
    }
}

/// Which register of the sampled thread may hold the Erlang stack pointer. It counts only when it
/// points into the heap block of the current process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackPointer {
    /// This one does in Erlang code, and never points there otherwise (rsp of the JIT).
    Exact(SampledRegister),
    /// This one does in Erlang code, but in C code it may hold anything, pointers to terms
    /// included (r13 of the interpreter): the lower of it and Process.stop is taken.
    Hint(SampledRegister),
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
}

impl TargetOffsets {
    /// First byte and length of the part of the process struct that holds stop, heap and hend.
    fn fields(&self) -> (usize, usize) {
        let first = self.stop.min(self.heap).min(self.hend);
        let last = self.stop.max(self.heap).max(self.hend);
        (first, last + 8 - first)
    }

    /// True when a program can be made of these offsets.
    pub fn is_usable(&self) -> bool {
        self.fields().1 <= MAX_FIELDS_BYTES
            && self.process_bytes <= 4096
            && self.collecting.cast_signed() > 0
            && [self.id, self.stop, self.heap, self.hend, self.state]
                .iter()
                .all(|field| field.is_multiple_of(8) && field + 8 <= self.process_bytes)
    }
}

/// Descriptors of the maps, and where threads are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramMaps {
    /// Hash of thread id to scheduler; see [`crate::engine::ThreadFacts`].
    pub threads_fd: i32,
    /// The ring.
    pub ring_fd: i32,
    /// Length of the ring.
    pub ring_bytes: usize,
    /// An array of one value that holds, for each CPU, how many captures found their ring full.
    pub dropped_fd: i32,
    /// Place of this program's count in it, bytes.
    pub dropped_offset: u32,
    /// Pid namespace of the target; the ids of its threads in it are the keys of the hash.
    pub namespace: PidNamespace,
}

/// Length of a record of class `class`; the kernel adds a header of 8 bytes.
pub fn record_bytes(process_bytes: usize, class: usize) -> usize {
    stack_offset(process_bytes) + STACK_ROOM_BYTES.get(class).copied().unwrap_or(0)
}

const TAIL_BYTES: usize = HEADER_BYTES + TAIL_PAGES * PAGE_BYTES;

/// Whether the program may ask for the user-space registers of a thread that is in the kernel.
/// That takes Linux 5.15 and type information of the kernel (its own, nothing to be brought).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelSamples {
    /// It asks.
    WithRegisters,
    /// It does without: the stack is then taken from Process.stop on.
    WithoutRegisters,
}

/// Emits the program.
pub fn emit(
    target: &TargetOffsets,
    maps: &ProgramMaps,
    kernel_samples: KernelSamples,
) -> Result<Vec<u64>, AssembleError> {
    let mut assembler = Assembler::default();
    let (keep, full) = (assembler.label(), assembler.label());
    let mut program = Program {
        code: assembler,
        target,
        maps,
        kernel_samples,
        keep,
        full,
    };
    program.find_scheduler();
    program.read_scheduler();
    program.read_user_registers();
    program.replace_stand_in();
    program.copy_stack_tail();
    program.copy_process();
    program.count_dropped();
    let mut code = program.code;
    code.place(keep);
    code.end(KEEP_SAMPLE);
    code.finish()
}

struct Program<'a> {
    code: Assembler,
    target: &'a TargetOffsets,
    maps: &'a ProgramMaps,
    kernel_samples: KernelSamples,
    /// Ends the program.
    keep: Label,
    /// Counts what the ring had no room for, and ends the program.
    full: Label,
}

impl Program<'_> {
    /// Which thread is this, and which scheduler?
    fn find_scheduler(&mut self) {
        let (code, maps) = (&mut self.code, self.maps);
        code.copy(CONTEXT, 1);
        code.set_wide(1, maps.namespace.device);
        code.set_wide(2, maps.namespace.inode);
        code.copy(3, FRAME);
        code.add(3, PID.into());
        code.set(4, 8);
        code.call(GET_NS_CURRENT_PID_TGID);
        code.jump_if(0, When::NotEqual, 0, self.keep);
        code.set_map(1, maps.threads_fd);
        code.copy(2, FRAME);
        code.add(2, PID.into());
        code.call(MAP_LOOKUP_ELEM);
        code.jump_if(0, When::Equal, 0, self.keep);
        for (index, place) in [SCHEDULER, REGISTERS, TID].into_iter().enumerate() {
            code.load(1, 0, index as i16 * 8);
            code.store(FRAME, place, 1);
        }
        code.store(FRAME, THREAD, 0);
    }

    /// What does it run?
    fn read_scheduler(&mut self) {
        self.code.call(KTIME_GET_NS);
        self.code.store(FRAME, TIME, 0);
        for (place, field) in [
            (PROCESS, self.target.current_process),
            (PORT, self.target.current_port),
        ] {
            self.code.load(3, FRAME, SCHEDULER);
            self.code.add(3, field as i32);
            self.read_word_to(place);
            self.code.jump_if(0, When::NotEqual, 0, self.keep);
        }
        let code = &mut self.code;
        let no_slot = code.label();
        code.store_value(FRAME, CALL_SLOT, 0);
        code.load(3, FRAME, REGISTERS);
        code.jump_if(3, When::Equal, 0, no_slot);
        code.add(3, -8);
        self.read_word_to(CALL_SLOT);
        let code = &mut self.code;
        code.place(no_slot);
    }

    /// The registers of user space that are needed later, when they can be had.
    fn read_user_registers(&mut self) {
        let (StackPointer::Exact(stack_pointer) | StackPointer::Hint(stack_pointer)) =
            self.target.stack_pointer;
        let wanted = [
            (SampledRegister::RSP, USER_SP),
            (SampledRegister::RBP, USER_BP),
            (SampledRegister::RDI, USER_DI),
            (stack_pointer, STACK_POINTER),
        ];
        let code = &mut self.code;
        let (in_kernel, done) = (code.label(), code.label());
        code.store_value(FRAME, STATUS, 0);
        for (_, place) in wanted {
            code.store_value(FRAME, place, 0);
        }
        code.load(1, CONTEXT, SampledRegister::CS.0);
        code.and(1, 3);
        code.jump_if(1, When::Equal, 0, in_kernel);
        for (register, place) in wanted {
            code.load(1, CONTEXT, register.0);
            code.store(FRAME, place, 1);
        }
        code.store_value(FRAME, STATUS, Status::USER as i32);
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
            code.store_value(FRAME, STATUS, Status::USER as i32);
        }
        code.place(done);
    }

    /// While it matches terms, ETS puts a process of its own in the place of the real one: it has no
    /// pid. The real one is that which the thread ran before; whoever reads the record can tell.
    fn replace_stand_in(&mut self) {
        let (real, done) = (self.code.label(), self.code.label());
        let stand_in = self.code.label();
        let code = &mut self.code;
        code.load(3, FRAME, PROCESS);
        code.jump_if(3, When::Equal, 0, done);
        code.add(3, self.target.id as i32);
        self.read_word_to(WANTED);
        let code = &mut self.code;
        code.jump_if(0, When::NotEqual, 0, done);
        code.load(1, FRAME, WANTED);
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
        let code = &mut self.code;
        code.jump(done);
        code.place(real);
        code.store(2, LAST_PROCESS, 3);
        code.place(done);
    }

    /// Copies the word at r3 to a place of our stack; zero when that fails.
    fn read_word_to(&mut self, place: i16) {
        let code = &mut self.code;
        code.copy(1, FRAME);
        code.add(1, place.into());
        code.set(2, 8);
        code.call(PROBE_READ_USER);
    }

    /// Jumps when a bit of the status is not set.
    fn unless_status(&mut self, bit: u64, label: Label) {
        self.code.load(1, FRAME, STATUS);
        self.code.and(1, bit as i32);
        self.code.jump_if(1, When::Equal, 0, label);
    }

    fn add_status(&mut self, bit: u64) {
        self.code.load(1, FRAME, STATUS);
        self.code.or(1, bit as i32);
        self.code.store(FRAME, STATUS, 1);
    }

    /// `RECORD` = a new record of `bytes`, its header filled; `otherwise` when the ring is full.
    fn reserve(&mut self, bytes: usize, otherwise: Label) {
        let code = &mut self.code;
        code.set_map(1, self.maps.ring_fd);
        code.set(2, bytes as i32);
        code.set(3, 0);
        code.call(RINGBUF_RESERVE);
        code.jump_if(0, When::Equal, 0, otherwise);
        code.copy(RECORD, 0);
    }

    /// Stores what every record begins with.
    fn fill_header(&mut self, kind: i32) {
        let code = &mut self.code;
        code.store_half_value(RECORD, offset::KIND, kind);
        code.load(1, FRAME, TID);
        code.store_half(RECORD, offset::TID, 1);
        code.load(1, FRAME, TIME);
        code.store(RECORD, offset::TIME, 1);
    }

    /// Stores what the header of a sample holds beyond that.
    fn fill_sample_header(&mut self) {
        self.fill_header(KIND_SAMPLE);
        let code = &mut self.code;
        code.load(1, CONTEXT, SampledRegister::RIP.0);
        code.store(RECORD, offset::IP, 1);
        for (own, place) in [
            (STATUS, offset::STATUS),
            (PROCESS, offset::PROCESS),
            (PORT, offset::PORT),
            (CALL_SLOT, offset::CALL_SLOT),
            (USER_SP, offset::SP),
            (USER_BP, offset::BP),
        ] {
            code.load(1, FRAME, own);
            code.store(RECORD, place, 1);
        }
        for place in [offset::LEN, offset::WANTED, offset::BELOW] {
            code.store_value(RECORD, place, 0);
        }
        code.store(RECORD, offset::LOW, LOW);
    }

    /// Hands the record over. The reader is woken only when the ring fills up.
    fn submit(&mut self) {
        let code = &mut self.code;
        let sleep = code.label();
        code.set_map(1, self.maps.ring_fd);
        code.set(2, 0); // BPF_RB_AVAIL_DATA
        code.call(RINGBUF_QUERY);
        code.set(2, RINGBUF_NO_WAKEUP);
        code.jump_if(0, When::NotAbove, (self.maps.ring_bytes / 4) as i32, sleep);
        code.set(2, RINGBUF_FORCE_WAKEUP);
        code.place(sleep);
        code.copy(1, RECORD);
        code.call(RINGBUF_SUBMIT);
    }

    /// A C stack that is longer than a sample holds: its upper pages. Pages that were never
    /// touched (big buffers) are not there and are left out.
    fn copy_stack_tail(&mut self) {
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

    /// The process and its stack, or the bare header when no process runs.
    fn copy_process(&mut self) {
        let (heap, hend) = (
            self.place_of(self.target.heap),
            self.place_of(self.target.hend),
        );
        let (bare, unbounded) = (self.code.label(), self.code.label());
        let pages = self.code.label();
        self.find_stack(bare, unbounded);
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
        self.reserve(HEADER_BYTES, self.full);
        self.fill_sample_header();
        self.submit();
    }

    /// Hands over a record with the `LEN` bytes of stack at `LOW`, and ends. With `unreadable`
    /// jumps there, with the record unfinished, when they begin at the hint and cannot be read.
    fn copy_stack(&mut self, unreadable: Option<Label>) {
        let fill = self.code.label();
        self.reserve_by_length(fill);
        self.code.place(fill);
        self.fill_record(unreadable);
        self.submit();
        self.code.jump(self.keep);
    }

    /// `LOW` and `LEN` by Process.stop.
    fn take_stop(&mut self, unbounded: Label) {
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

    /// Where in our stack a field of the process struct lies.
    fn place_of(&self, field: usize) -> i16 {
        let (first, len) = self.target.fields();
        FIELDS - len as i16 + (field - first) as i16
    }

    /// `LOW` and `LEN`: where the stack begins and how long it is.
    fn find_stack(&mut self, bare: Label, unbounded: Label) {
        let (first, len) = self.target.fields();
        let place = FIELDS - len as i16;
        let (heap, hend) = (
            self.place_of(self.target.heap),
            self.place_of(self.target.hend),
        );
        let stop = self.place_of(self.target.stop);
        let code = &mut self.code;
        let (use_stop, found) = (code.label(), code.label());
        code.load(3, FRAME, PROCESS);
        code.jump_if(3, When::Equal, 0, bare);
        code.add(3, first as i32);
        code.copy(1, FRAME);
        code.add(1, place.into());
        code.set(2, len as i32);
        code.call(PROBE_READ_USER);
        code.jump_if(0, When::NotEqual, 0, bare);
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

    /// While a collector shortens the heap block, it has moved the stack down in the block, given
    /// back what lay behind it, and not yet told the process. Then the bottom word is not where the
    /// process says. If so, `LOW` and `LEN` are where the stack may be, and `pages` comes next.
    fn find_moved_stack(&mut self, pages: Label) {
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
        // The kernel unmaps what rdi says and all behind it: the stack ends just before that.
        code.load(1, CONTEXT, SampledRegister::CS.0);
        code.and(1, 3);
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

    /// The smallest record that holds `LEN` bytes of stack; a longer stack is cut.
    fn reserve_by_length(&mut self, fill: Label) {
        let last = STACK_ROOM_BYTES.len() - 1;
        for (class, room) in STACK_ROOM_BYTES.into_iter().enumerate() {
            let next = self.code.label();
            if class < last {
                self.code.jump_if(LEN, When::Above, room as i32, next);
            } else {
                let whole = self.code.label();
                self.code.jump_if(LEN, When::NotAbove, room as i32, whole);
                self.code.set(LEN, room as i32);
                self.add_status(Status::CUT);
                self.code.place(whole);
            }
            let bytes = record_bytes(self.target.process_bytes, class);
            self.reserve(bytes, self.full);
            if class < last {
                self.code.jump(fill);
            }
            self.code.place(next);
        }
    }

    fn read_process(&mut self) {
        let code = &mut self.code;
        let failed = code.label();
        code.copy(1, RECORD);
        code.add(1, PROCESS_OFFSET as i32);
        code.set(2, self.target.process_bytes as i32);
        code.load(3, FRAME, PROCESS);
        code.call(PROBE_READ_USER);
        code.jump_if(0, When::NotEqual, 0, failed);
        self.add_record_status(Status::HAS_PROCESS);
        self.code.place(failed);
    }

    fn add_record_status(&mut self, bit: u64) {
        self.code.load(1, RECORD, offset::STATUS);
        self.code.or(1, bit as i32);
        self.code.store(RECORD, offset::STATUS, 1);
    }

    fn fill_record(&mut self, unreadable: Option<Label>) {
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
        let code = &mut self.code;
        code.jump(no_stack);
        code.place(has_stack);
        self.add_record_status(Status::HAS_STACK);
        self.unless_status(Status::FROM_STOP, done);
        let code = &mut self.code;
        for step in 1..=BELOW_BYTES / BELOW_STEP_BYTES {
            let below = (step * BELOW_STEP_BYTES) as i32;
            code.copy(1, RECORD);
            code.add(1, stack - below);
            code.set(2, BELOW_STEP_BYTES as i32);
            code.copy(3, LOW);
            code.add(3, -below);
            code.call(PROBE_READ_USER);
            code.jump_if(0, When::NotEqual, 0, done);
            code.store_value(RECORD, offset::BELOW, below);
        }
        code.place(no_stack);
        code.place(done);
    }

    /// The collector has moved the stack but not yet said where the new heap ends: whole pages
    /// from the one with the top of the stack on. User space looks for the bottom in them. The
    /// stack was in the old heap block, so it is no longer than that.
    fn copy_unbounded(&mut self, heap: i16, hend: i16, pages: Label) {
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
    fn copy_pages(&mut self, class: usize) {
        let process_bytes = self.target.process_bytes;
        self.reserve(record_bytes(process_bytes, class), self.full);
        self.fill_sample_header();
        self.read_process();
        self.add_record_status(Status::HAS_STACK);
        let stack = stack_offset(process_bytes);
        let code = &mut self.code;
        let done = code.label();
        let room = STACK_ROOM_BYTES.get(class).copied().unwrap_or(0);
        for page in 0..room / PAGE_BYTES {
            code.copy(1, RECORD);
            code.add(1, (stack + page * PAGE_BYTES) as i32);
            code.set(2, PAGE_BYTES as i32);
            code.copy(3, LOW);
            code.add(3, (page * PAGE_BYTES) as i32);
            code.call(PROBE_READ_USER);
            code.store_value(RECORD, offset::LEN, ((page + 1) * PAGE_BYTES) as i32);
            // One page more than what is wanted: the first is not wholly of it.
            code.jump_if(LEN, When::Below, (page * PAGE_BYTES) as i32, done);
        }
        code.place(done);
        self.submit();
        self.code.jump(self.keep);
    }

    /// The ring had no room.
    fn count_dropped(&mut self) {
        let code = &mut self.code;
        code.jump(self.keep);
        code.place(self.full);
        code.set_map_value(1, self.maps.dropped_fd, self.maps.dropped_offset);
        code.load(2, 1, 0);
        code.add(2, 1);
        code.store(1, 0, 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> TargetOffsets {
        TargetOffsets {
            current_process: 168,
            current_port: 224,
            process_bytes: 776,
            id: 0,
            stop: 88,
            heap: 128,
            hend: 136,
            state: 640,
            collecting: 0x2_0000,
            bottom_word: 0x7f00_0000_0308,
            stack_pointer: StackPointer::Exact(SampledRegister::RSP),
        }
    }

    const MAPS: ProgramMaps = ProgramMaps {
        threads_fd: 3,
        ring_fd: 4,
        ring_bytes: 1 << 22,
        dropped_fd: 5,
        dropped_offset: 8,
        namespace: PidNamespace {
            device: 4,
            inode: 4_026_531_836,
        },
    };

    fn calls(code: &[u64]) -> Vec<i32> {
        let is_call = |word: &&u64| **word & 0xff == 0x85;
        code.iter()
            .filter(is_call)
            .map(|word| ((word >> 32) as u32).cast_signed())
            .collect()
    }

    #[test]
    fn the_kernel_s_own_registers_are_asked_for_only_when_it_knows_how() {
        let emitted = |samples| emit(&target(), &MAPS, samples).unwrap();
        assert!(calls(&emitted(KernelSamples::WithRegisters)).contains(&TASK_PT_REGS));
        let without = calls(&emitted(KernelSamples::WithoutRegisters));
        // Nothing newer than Linux 5.8 has.
        assert!(without.iter().all(|helper| *helper <= RINGBUF_QUERY));
    }

    #[test]
    fn every_class_of_record_is_reserved() {
        let code = emit(&target(), &MAPS, KernelSamples::WithoutRegisters).unwrap();
        for class in 0..STACK_ROOM_BYTES.len() {
            let wanted = record_bytes(776, class) as u64;
            let set_r2 = |word: &u64| *word & 0xfff == 0x2b7 && *word >> 32 == wanted;
            assert!(code.iter().any(set_r2), "class {class}");
        }
        assert!(code.len() < 4096, "{} instructions", code.len());
    }

    #[test]
    fn offsets_that_do_not_fit_are_refused() {
        assert!(target().is_usable());
        for bad in [
            TargetOffsets {
                hend: 772,
                ..target()
            },
            TargetOffsets {
                hend: 132,
                ..target()
            },
            TargetOffsets {
                stop: 8,
                heap: 600,
                ..target()
            },
            TargetOffsets {
                process_bytes: 1 << 20,
                ..target()
            },
        ] {
            assert!(!bad.is_usable(), "{bad:?}");
        }
    }
}
