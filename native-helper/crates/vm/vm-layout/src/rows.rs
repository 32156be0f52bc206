//! The offsets, one row per OTP release and kind of emulator, x86-64. Where a release was configured
//! in ways that make a difference, its main function shows which row holds.
//!
//! A row may be added when its figures are known from the release's own headers (compiled with
//! debug information) and a live VM of that release passes [`super::check`].

use super::{
    AtomName, Flavor, InterpreterLayout, JitLayout, ProcessLayout, SchedulerLayout, StackBottom,
    VmLayout,
};

/// All known layouts.
pub const ROWS: &[VmLayout] = &[
    OTP_25,
    OTP_27,
    OTP_29,
    OTP_23_INTERPRETER,
    OTP_25_INTERPRETER,
    OTP_25_INTERPRETER_ALONE,
    OTP_27_INTERPRETER,
];

const OTP_25: VmLayout = VmLayout {
    otp_release: 25,
    provenance: "debug information of OTP 25.2.3 headers; re-derived live on Debian 12's erts-13.1.5",
    process: ProcessLayout {
        read_bytes: 776,
        id: 0,
        reg: 48,
        htop: 80,
        stop: 88,
        fcalls: 104,
        fcalls_bytes: 8,
        heap: 128,
        hend: 136,
        heap_size_words: 152,
        i: 256,
        initial_call: 448,
        state: 640,
        scheduler_data: 760,
    },
    scheduler: SchedulerLayout {
        registers: 0,
        current_process: 168,
        number: 184,
        dirty_number: 192,
        current_port: 224,
        stride: 41728,
    },
    atom_name: AtomName::Pointer,
    module_md5: Some(80),
    flavor: Flavor::Jit(JitLayout {
        registers_delta: 128,
    }),
};

const OTP_27: VmLayout = VmLayout {
    otp_release: 27,
    provenance: "debug information of OTP 27.3.4 headers; re-derived live on Debian 13's erts-15.2.7",
    process: ProcessLayout {
        read_bytes: 760,
        id: 0,
        reg: 32,
        htop: 80,
        stop: 88,
        fcalls: 120,
        fcalls_bytes: 4,
        heap: 192,
        hend: 200,
        heap_size_words: 216,
        i: 248,
        initial_call: 440,
        state: 624,
        scheduler_data: 744,
    },
    scheduler: SchedulerLayout {
        registers: 0,
        current_process: 168,
        number: 184,
        dirty_number: 192,
        current_port: 224,
        stride: 41792,
    },
    atom_name: AtomName::Pointer,
    module_md5: Some(120),
    flavor: Flavor::Jit(JitLayout {
        registers_delta: 64,
    }),
};

const OTP_29: VmLayout = VmLayout {
    otp_release: 29,
    provenance: "debug information of OTP 29.1.1 headers; re-derived live on Debian sid's erts-17.1.1",
    process: ProcessLayout {
        read_bytes: 768,
        id: 0,
        reg: 32,
        htop: 80,
        stop: 88,
        fcalls: 120,
        fcalls_bytes: 4,
        heap: 192,
        hend: 200,
        heap_size_words: 216,
        i: 248,
        initial_call: 440,
        state: 624,
        scheduler_data: 744,
    },
    scheduler: SchedulerLayout {
        registers: 0,
        current_process: 168,
        number: 184,
        dirty_number: 192,
        current_port: 224,
        stride: 41792,
    },
    atom_name: AtomName::Bitstring,
    module_md5: Some(136),
    flavor: Flavor::Jit(JitLayout {
        registers_delta: 64,
    }),
};

const OTP_23_INTERPRETER: VmLayout = VmLayout {
    otp_release: 23,
    provenance: "debug information of OTP 23.2.6 headers without HiPE; checked live on Debian 11's erts-11.1.8",
    process: ProcessLayout {
        read_bytes: 736,
        id: 0,
        reg: 48,
        htop: 80,
        stop: 88,
        fcalls: 240,
        fcalls_bytes: 8,
        heap: 96,
        hend: 104,
        heap_size_words: 120,
        i: 224,
        initial_call: 432,
        state: 616,
        scheduler_data: 720,
    },
    scheduler: SchedulerLayout {
        registers: 0,
        current_process: 216,
        number: 232,
        dirty_number: 240,
        current_port: 272,
        stride: 41920,
    },
    atom_name: AtomName::Pointer,
    module_md5: Some(80),
    flavor: Flavor::Interpreter(InterpreterLayout {
        line_table: 72,
        functions: 88,
        thread: 40,
        stack_bottom: StackBottom::In("beam_apply", 8),
    }),
};

/// The common layout of OTP 25 and 27.
const INTERPRETER_SINCE_25: InterpreterLayout = InterpreterLayout {
    line_table: 72,
    functions: 96,
    thread: 32,
    stack_bottom: StackBottom::PointedToBy("beam_normal_exit"),
};

const OTP_25_INTERPRETER: VmLayout = VmLayout {
    otp_release: 25,
    provenance: "debug information of OTP 25.2.3 headers; checked live on erts-13.1.5 built with FLAVOR=emu beside the JIT",
    process: OTP_25.process,
    scheduler: OTP_25.scheduler,
    atom_name: AtomName::Pointer,
    module_md5: Some(80),
    flavor: Flavor::Interpreter(INTERPRETER_SINCE_25),
};

/// The same configured without the JIT: processes then have no frame pointer.
const OTP_25_INTERPRETER_ALONE: VmLayout = VmLayout {
    otp_release: 25,
    provenance: "debug information of OTP 25.2.3 configured with --disable-jit; checked live on that erts-13.1.5",
    process: ProcessLayout {
        read_bytes: 768,
        id: 0,
        reg: 48,
        htop: 80,
        stop: 88,
        fcalls: 96,
        fcalls_bytes: 8,
        heap: 120,
        hend: 128,
        heap_size_words: 144,
        i: 248,
        initial_call: 440,
        state: 632,
        scheduler_data: 752,
    },
    scheduler: SchedulerLayout {
        registers: 0,
        current_process: 168,
        number: 184,
        dirty_number: 192,
        current_port: 224,
        stride: 41728,
    },
    atom_name: AtomName::Pointer,
    module_md5: Some(80),
    flavor: Flavor::Interpreter(INTERPRETER_SINCE_25),
};

const OTP_27_INTERPRETER: VmLayout = VmLayout {
    otp_release: 27,
    provenance: "debug information of OTP 27.3.4 built with FLAVOR=emu; checked live on that erts-15.2.7",
    process: OTP_27.process,
    scheduler: OTP_27.scheduler,
    atom_name: AtomName::Pointer,
    module_md5: Some(80),
    flavor: Flavor::Interpreter(INTERPRETER_SINCE_25),
};
