//! One class for each sample.
//!
//! Precedence, highest first:
//!
//! 1. A thread that is no scheduler is [`SampleClass::OtherThread`]; a task of a port is
//!    [`SampleClass::Port`]: whose time it is matters more than the activity.
//! 2. Garbage collection, wherever it is above the Erlang code: it moves, allocates and frees on
//!    its own account, and only less collecting would avoid that.
//! 3. Copying, for the same reason: an ETS lookup that copies is a copy.
//! 4. The frame nearest to the leaf that identifies a class, among compare, ETS, binary, lock,
//!    alloc, NIF and port: a lock taken inside ETS is a lock, ETS code around it shows up in `blame`.
//!    Waiting inside a mutex is a lock also on a scheduler that runs no process. A process that calls a port runs
//!    the driver's code itself, and that is [`SampleClass::Port`]; the functions of a driver that is a library look
//!    like those of a NIF, so a port further out decides.
//! 5. A BIF, when one is above the Erlang code.
//! 6. A kernel leaf that none of these explains is [`SampleClass::Kernel`] (a page fault in Erlang
//!    code). Kernel frames never hide a class above them: a futex under a mutex is a lock.
//! 7. Without a process: [`SampleClass::BusyWait`] where the VM itself counts the scheduler as waiting
//!    and it makes no system call to sleep; else [`SampleClass::Scheduler`]. On the clock of a processor a
//!    thread that sleeps has no samples: those in a call that sleeps are what going to sleep and waking up
//!    cost, or a poll that found something. Only where the VM's word is not known,
//!    a function that waits makes a sample [`SampleClass::Idle`].
//!    With a process C code is [`SampleClass::Runtime`], and Erlang code or a JIT fragment
//!    [`SampleClass::Erlang`].

use crate::groups::{GROUPS, IDLE, SCHEDULING, SLEEPING, matches_any};
use crate::reader::FunctionView;
use crate::sample::{FrameKind, SampleClass};

/// The work that the thread was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunContext {
    /// A scheduler, normal or dirty, running a process.
    Process,
    /// A scheduler running a task of a port, for no process.
    Port,
    /// A scheduler that runs neither. Whether it waits is not known.
    NoProcess,
    /// A scheduler that runs neither and does not wait, by the VM's own count.
    Schedules,
    /// A scheduler that runs neither and waits until it has something to run, by the VM's own count.
    Waits,
    /// A thread that is no scheduler.
    OtherThread,
}

/// The class of a sample from its frames, leaf first; see the module for the precedence.
pub fn classify<'f>(
    frames: impl IntoIterator<Item = FunctionView<'f>>,
    context: RunContext,
) -> SampleClass {
    match context {
        RunContext::OtherThread => return SampleClass::OtherThread,
        RunContext::Port => return SampleClass::Port,
        _ => {}
    }
    let seen = Seen::above_erlang(frames, context != RunContext::Process);
    if let Some(class) = seen.overriding.or(seen.nearest) {
        return class;
    }
    match context {
        RunContext::Waits if !seen.sleeps => SampleClass::BusyWait,
        RunContext::Waits => SampleClass::Scheduler,
        RunContext::NoProcess if seen.waits => SampleClass::Idle,
        RunContext::NoProcess | RunContext::Schedules
            if seen.kernel && !seen.schedules && !seen.waits =>
        {
            SampleClass::Kernel
        }
        RunContext::NoProcess | RunContext::Schedules => SampleClass::Scheduler,
        _ if seen.bif => SampleClass::Bif,
        _ if seen.kernel => SampleClass::Kernel,
        _ if seen.native => SampleClass::Runtime,
        _ => SampleClass::Erlang,
    }
}

/// The evidence in the frames above the Erlang code.
#[derive(Debug, Default)]
struct Seen {
    /// Garbage collection, else copying.
    overriding: Option<SampleClass>,
    /// The class of the frame nearest to the leaf that has one.
    nearest: Option<SampleClass>,
    waits: bool,
    sleeps: bool,
    schedules: bool,
    bif: bool,
    kernel: bool,
    native: bool,
}

impl Seen {
    fn above_erlang<'f>(
        frames: impl IntoIterator<Item = FunctionView<'f>>,
        without_process: bool,
    ) -> Self {
        let mut seen = Self::default();
        for frame in frames {
            match frame.kind {
                FrameKind::Erlang => break,
                FrameKind::Marker => continue,
                FrameKind::Kernel => {
                    seen.kernel = true;
                    continue;
                }
                FrameKind::Bif => seen.bif = true,
                FrameKind::Native | FrameKind::Nif => seen.native = true,
                FrameKind::Fragment => {}
            }
            if without_process {
                seen.sleeps |= matches_any(SLEEPING, frame.name);
                if matches_any(IDLE, frame.name) {
                    // Not a class yet: it may be a mutex further on that waits.
                    seen.waits = true;
                    continue;
                }
            }
            seen.schedules |= matches_any(SCHEDULING, frame.name);
            seen.note(class_of(&frame));
        }
        seen
    }

    fn note(&mut self, class: Option<SampleClass>) {
        match class {
            Some(SampleClass::Gc) => self.overriding = Some(SampleClass::Gc),
            Some(SampleClass::Copy) => {
                self.overriding.get_or_insert(SampleClass::Copy);
            }
            Some(SampleClass::Port) if self.nearest == Some(SampleClass::Nif) => {
                self.nearest = Some(SampleClass::Port);
            }
            Some(class) => {
                self.nearest.get_or_insert(class);
            }
            None => {}
        }
    }
}

fn class_of(frame: &FunctionView<'_>) -> Option<SampleClass> {
    let group = GROUPS
        .iter()
        .find(|group| group.contains(frame))
        .map(|group| group.class);
    group.or((frame.kind == FrameKind::Nif).then_some(SampleClass::Nif))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case<'c> = (RunContext, &'c [(FrameKind, &'c str)], SampleClass);

    fn class(context: RunContext, frames: &[(FrameKind, &str)]) -> SampleClass {
        let views = frames.iter().map(|&(kind, name)| FunctionView {
            name,
            raw_name: name,
            kind,
            file: "",
            head_line: 0,
            object: "",
        });
        classify(views, context)
    }

    use FrameKind::{Bif, Erlang, Fragment, Kernel, Native, Nif};
    use RunContext::{NoProcess, OtherThread, Port, Process, Schedules, Waits};

    const ERLANG: (FrameKind, &str) = (Erlang, "m:f/1");
    const CASES: &[Case<'_>] = &[
        (Process, &[ERLANG], SampleClass::Erlang),
        (
            Process,
            &[(Fragment, "global::i_length_body_shared"), ERLANG],
            SampleClass::Erlang,
        ),
        (
            Process,
            &[(Kernel, "exc_page_fault"), ERLANG],
            SampleClass::Kernel,
        ),
        (
            Process,
            &[
                (Kernel, "futex_wait"),
                (Native, "ethr_rwmutex_rlock"),
                (Native, "db_get_hash"),
                (Bif, "ets:lookup/2"),
                ERLANG,
            ],
            SampleClass::Lock,
        ),
        (
            Process,
            &[
                (Native, "copy_struct_x"),
                (Native, "db_get_hash"),
                (Bif, "ets:lookup/2"),
                ERLANG,
            ],
            SampleClass::Copy,
        ),
        (
            Process,
            &[
                (Native, "copy_struct_x"),
                (Native, "erts_garbage_collect"),
                ERLANG,
            ],
            SampleClass::Gc,
        ),
        (
            Process,
            &[
                (Native, "erts_alcu_alloc"),
                (Bif, "erlang:term_to_binary/1"),
                ERLANG,
            ],
            SampleClass::Alloc,
        ),
        (
            Process,
            &[(Native, "memcpy"), (Nif, "hash"), ERLANG],
            SampleClass::Nif,
        ),
        (
            Process,
            &[(Native, "x"), (Bif, "lists:reverse/2"), ERLANG],
            SampleClass::Bif,
        ),
        (
            Process,
            &[(Native, "beam.smp!fn@0x10"), ERLANG],
            SampleClass::Runtime,
        ),
        // What a process sends or controls a port with, in the driver's own code and in the kernel.
        (
            Process,
            &[
                (Kernel, "tcp_sendmsg"),
                (Native, "writev"),
                (Native, "tcp_inet_commandv"),
                (Native, "erts_port_output"),
                (Bif, "erts_internal:port_command/3"),
                ERLANG,
            ],
            SampleClass::Port,
        ),
        (
            Process,
            &[
                (Native, "beam.smp!fn@0x10"),
                (Native, "tcp_inet:outputv (driver)"),
                (Native, "beam.smp!fn@0x20"),
                (Fragment, "global::i_send"),
                ERLANG,
            ],
            SampleClass::Port,
        ),
        (
            Process,
            &[
                (Nif, "driver_steps"),
                (Nif, "on_output"),
                (Native, "erts_port_output"),
                (Bif, "erts_internal:port_command/3"),
                ERLANG,
            ],
            SampleClass::Port,
        ),
        (
            Process,
            &[
                (Native, "erts_alcu_alloc"),
                (Native, "udp_inet:control (driver)"),
                (Bif, "erts_internal:port_control/3"),
                ERLANG,
            ],
            SampleClass::Alloc,
        ),
        // A scheduler that only picks the port whose task is next.
        (
            Schedules,
            &[
                (Native, "erts_port_task_execute"),
                (Native, "erts_schedule"),
            ],
            SampleClass::Scheduler,
        ),
        // Frames below the Erlang code do not count.
        (
            Process,
            &[ERLANG, (Native, "erts_garbage_collect")],
            SampleClass::Erlang,
        ),
        (
            NoProcess,
            &[(Native, "erts_schedule")],
            SampleClass::Scheduler,
        ),
        (
            NoProcess,
            &[
                (Kernel, "futex_wait"),
                (Native, "ethr_event_twait"),
                (Native, "erts_schedule"),
            ],
            SampleClass::Idle,
        ),
        (
            NoProcess,
            &[
                (Native, "ethr_event_wait"),
                (Native, "ethr_mutex_lock"),
                (Native, "erts_schedule"),
            ],
            SampleClass::Lock,
        ),
        (NoProcess, &[(Kernel, "do_sys")], SampleClass::Kernel),
        // A spinning poll loop: each call is made because there is work, and none of them sleeps.
        (
            Schedules,
            &[
                (Kernel, "do_epoll_wait"),
                (Native, "epoll_wait"),
                (Native, "erts_schedule"),
            ],
            SampleClass::Scheduler,
        ),
        (
            Waits,
            &[(Native, "epoll_wait"), (Native, "erts_schedule")],
            SampleClass::Scheduler,
        ),
        // The busy wait: in the emulator's own code, which may have no name, and giving way to others.
        (Waits, &[(Native, "erts_schedule")], SampleClass::BusyWait),
        (
            Waits,
            &[(Native, "beam.smp!fn@0x10")],
            SampleClass::BusyWait,
        ),
        (
            Waits,
            &[
                (Kernel, "do_sched_yield"),
                (Native, "sched_yield"),
                (Native, "erts_schedule"),
            ],
            SampleClass::BusyWait,
        ),
        (
            Schedules,
            &[(Native, "sched_spin_wait")],
            SampleClass::Scheduler,
        ),
        // Work that it does while it waits is work.
        (
            Waits,
            &[
                (Native, "erts_alcu_free_thr_pref"),
                (Native, "handle_aux_work"),
                (Native, "erts_schedule"),
            ],
            SampleClass::Alloc,
        ),
        (
            Waits,
            &[
                (Kernel, "futex_wait"),
                (Native, "syscall"),
                (Native, "ethr_mutex_lock_wait"),
            ],
            SampleClass::Lock,
        ),
        (
            Port,
            &[(Kernel, "tcp_sendmsg"), (Native, "writev")],
            SampleClass::Port,
        ),
        (
            OtherThread,
            &[(Native, "erts_garbage_collect")],
            SampleClass::OtherThread,
        ),
    ];

    #[test]
    fn precedence_is_as_documented() {
        for (context, frames, expected) in CASES {
            assert_eq!(class(*context, frames), *expected, "{frames:?}");
        }
    }
}
