//! The process that samples: it attaches to one process, and reports its findings.

mod orders;
mod slow_reader;

use std::cell::RefCell;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use attach::{AttachedVm, TargetObjects, attach, self_check};
use diagnose::doctor::self_check_row;
use diagnose::lock_in::{lock_in, unless_needed};
use diagnose::refusal::Refusal;
use lockdown::{Phase, Still, drop_rights};
use permitted_target::PermittedTarget;
use protocol::attachment::SelfCheck;
use recorder::kernel_asks;
use recorder::recording::target_facts;
use recorder::{Recording, RecordingSettings, TargetState, raise_file_limit};
use target_proc::stuck::{Work, name_own_process};
use vm_tables::schedulers::SchedulerKind;

use crate::dialog::{
    self, Attach, Attached, FindNameless, First, Increment, Message, NamelessObject, Note, Opened,
    Order, Question, Running, Sample, Take, write_answer,
};
use crate::frame::{self, Frame, FrameError};
use crate::inside::Inside;
use crate::pstack;
use crate::refusals::asked_out_of_order;
use orders::Orders;
use slow_reader::SlowReader;

/// How often samples are resolved.
const PUMP_INTERVAL: Duration = Duration::from_millis(50);
/// Atoms that are decoded to prove the atom table.
const DECODED_ATOMS: u32 = 2000;

/// Follows the orders from `input` and writes the answers to `out`, until there are no more orders or
/// `input` is closed. `written` are the descriptors to which `out` and error messages are written.
///
/// # Errors
/// The reader of `out` has ended.
pub fn run(
    input: impl Read + AsFd,
    out: impl Write + AsFd,
    written: &[i32],
) -> Result<(), FrameError> {
    let mut sampler = Sampling {
        orders: Orders::of(input),
        out,
        written: written.to_vec(),
    };
    match sampler.orders.wait() {
        Some(Order::First(First::Attach(it))) => sampler.attach(&it),
        Some(Order::First(First::FindNameless(it))) => sampler.find_nameless(&it),
        Some(_) => sampler.refuse(asked_out_of_order()),
        None => Ok(()),
    }
}

struct Sampling<R, W> {
    orders: Orders<R>,
    out: W,
    written: Vec<i32>,
}

impl<R: Read + AsFd, W: Write + AsFd> Sampling<R, W> {
    fn attach(&mut self, first: &Attach) -> Result<(), FrameError> {
        let pid = first.pid;
        name_own_process(Work::Sampler, pid);
        // Before the first byte of it is read.
        if let Err(refusal) = lock_in(pid, self.written.clone(), Phase::Opening) {
            return self.refuse(refusal);
        }
        let mut vm = match attach(pid) {
            Ok(vm) => vm,
            Err(error) => return self.refuse(Refusal::from(&error)),
        };
        self.answer(&first.answered(&attached(&vm))?)?;
        while let Some(order) = self.orders.wait() {
            match order {
                Order::Opened(Opened::Check(it)) => {
                    self.answer(&it.answered(&checked(&mut vm))?)?;
                }
                Order::Opened(Opened::Pstack(it)) => {
                    let looked = pstack::look(vm, it.all, |vm, settings| self.start(vm, settings));
                    return match looked {
                        Ok(stacks) => self.answer(&it.answered(&stacks)?),
                        Err(refusal) => self.refuse(refusal),
                    };
                }
                Order::Opened(Opened::Sample(it)) => {
                    return match self.start(vm, it.settings) {
                        Ok(recording) => self.sample(&it, recording),
                        Err(refusal) => self.refuse(refusal),
                    };
                }
                Order::Inside(question) => return self.look_inside(vm, question),
                _ => return self.refuse(asked_out_of_order()),
            }
        }
        Ok(())
    }

    fn find_nameless(&mut self, first: &FindNameless) -> Result<(), FrameError> {
        let pid = first.pid;
        name_own_process(Work::Sampler, pid);
        if let Err(refusal) = lock_in(pid, self.written.clone(), Phase::Locked) {
            return self.refuse(refusal);
        }
        match TargetObjects::of_process(pid) {
            Ok(objects) => self.answer(&first.answered(&nameless(&objects))?),
            Err(error) => self.refuse(Refusal::from(&error)),
        }
    }

    /// Answers questions about the inside of the VM. For that, only two files of its folder in `/proc` are
    /// opened, for reading.
    fn look_inside(&mut self, vm: AttachedVm, first: dialog::Inside) -> Result<(), FrameError> {
        // Events that count take some for each thread.
        raise_file_limit();
        if let Err(refusal) = lock_in(vm.process.pid, self.written.clone(), Phase::Locked) {
            return self.refuse(refusal);
        }
        let mut inside = Inside::of(vm);
        let mut next = Some(Order::Inside(first));
        while let Some(order) = next {
            let answered = match order {
                Order::Inside(question) => {
                    let out = RefCell::new(&mut self.out);
                    inside.answer(&question, &|bytes, of_bytes| {
                        let progress = Message::HeapProgress { bytes, of_bytes };
                        frame::write(&mut **out.borrow_mut(), &progress).is_ok()
                    })
                }
                _ => Err(asked_out_of_order()),
            };
            match answered {
                Ok(answer) => self.answer(&answer)?,
                Err(refusal) => self.refuse(refusal)?,
            }
            next = self.orders.wait();
        }
        Ok(())
    }

    /// Starts to sample. From then on only what sampling needs is open, and files can be opened for
    /// reading only.
    fn start(&self, vm: AttachedVm, settings: RecordingSettings) -> Result<Recording, Refusal> {
        let pid = vm.process.pid;
        let reads_others = vm
            .target
            .as_ref()
            .is_none_or(PermittedTarget::takes_our_right_to_read);
        let opens_events_as_admin = kernel_asks::asks_for_admin();
        let still = |raises_limits| Still {
            reads_others,
            raises_limits,
            opens_events_as_admin,
        };
        // Before the threads that sample start: they inherit the remaining rights.
        drop_rights(still(true)).or_else(unless_needed)?;
        let recording = Recording::start(vm, settings).map_err(|error| Refusal::from(&error))?;
        drop_rights(still(false)).or_else(unless_needed)?;
        let mut written = self.written.clone();
        written.extend(recording.descriptors_written());
        lock_in(pid, written, Phase::Locked)?;
        Ok(recording)
    }

    fn sample(&mut self, first: &Sample, mut recording: Recording) -> Result<(), FrameError> {
        self.answer(&first.answered(recording.engine())?)?;
        let (mut is_over, mut is_gone) = (false, false);
        loop {
            if !is_over {
                recording.wait(PUMP_INTERVAL);
                if recording.pump() == TargetState::Gone {
                    // Lookups from here on take no time of the capture.
                    recording.stop();
                    (is_over, is_gone) = (true, true);
                    frame::write(&mut self.out, &Message::TargetGone)?;
                }
            }
            while is_over || self.orders.has_news() {
                let Some(order) = self.orders.wait() else {
                    return Ok(());
                };
                match order {
                    Order::Note(note) => heed(&mut recording, note),
                    Order::Running(Running::Functions(it)) => {
                        self.answer(&it.answered(&())?.with(recording.functions()))?;
                    }
                    Order::Running(Running::Take(it)) => {
                        self.hand_out(&it, &mut recording, is_over, is_gone)?;
                    }
                    Order::Running(Running::Stop(it)) => {
                        if !is_over {
                            recording.stop();
                            is_over = true;
                        }
                        self.answer(&it.answered(&elapsed_ns(&recording))?)?;
                    }
                    _ => return self.refuse(asked_out_of_order()),
                }
            }
        }
    }

    fn hand_out(
        &mut self,
        question: &Take,
        recording: &mut Recording,
        is_over: bool,
        is_gone: bool,
    ) -> Result<(), FrameError> {
        let has_next = recording.has_waiting();
        let (member, quality) = recording.take_increment();
        let increment = Increment {
            quality,
            elapsed_ns: elapsed_ns(recording),
            busy_ns: recording.busy_ns(),
            is_gone,
            has_next,
        };
        let answer = question.answered(&increment)?.with(member);
        // Its reader may be stopped before it has all of it: samples are resolved all the same, as when nothing is taken.
        let mut out = SlowReader {
            out: &mut self.out,
            interval: PUMP_INTERVAL,
            work: || {
                if !is_over {
                    recording.pump();
                }
            },
        };
        write_answer(&mut out, &answer)
    }

    fn answer(&mut self, answer: &Frame) -> Result<(), FrameError> {
        write_answer(&mut self.out, answer)
    }

    fn refuse(&mut self, refusal: Refusal) -> Result<(), FrameError> {
        frame::write(&mut self.out, &Message::Refused(refusal))
    }
}

fn heed(recording: &mut Recording, note: Note) {
    match note {
        Note::Origin(origin) => recording.set_origin(origin),
        Note::Work(work) => recording.set_work(work),
        Note::LimitOverhead(most) => recording.limit_overhead(most),
    }
}

fn elapsed_ns(recording: &Recording) -> u64 {
    u64::try_from(recording.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn attached(vm: &AttachedVm) -> Attached {
    let count = |kind| {
        let of_kind = vm.schedulers.iter().filter(|it| it.kind == kind);
        u32::try_from(of_kind.count()).unwrap_or(u32::MAX)
    };
    Attached {
        target: target_facts(vm),
        start_ticks: vm.process.start_ticks,
        took_ms: vm.times.total.as_secs_f64() * 1000.0,
        schedulers: count(SchedulerKind::Normal),
        dirty_cpu_schedulers: count(SchedulerKind::DirtyCpu),
        dirty_io_schedulers: count(SchedulerKind::DirtyIo),
    }
}

fn checked(vm: &mut AttachedVm) -> SelfCheck {
    let rows = self_check(vm).iter().map(self_check_row).collect();
    let decoded = vm.atoms.read_first(&vm.memory, DECODED_ATOMS);
    SelfCheck {
        layout: vm.layout.provenance.to_owned(),
        atoms: decoded.ok().map(|names| names.len() as u64),
        modules: vm.code.current().modules().count() as u64,
        rows,
        took_ms: vm.times.total.as_secs_f64() * 1000.0,
    }
}

/// The objects that can be named to a server.
fn nameless(objects: &TargetObjects) -> Vec<NamelessObject> {
    let nameless = objects.without_names().filter_map(|object| {
        Some(NamelessObject {
            object: object.name().to_owned(),
            build_id: object.build_id.as_ref()?.to_string(),
        })
    });
    nameless.collect()
}
