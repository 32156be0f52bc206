//! The processes of a VM, as the protocol reports them.

use attach::{AttachError, AttachedVm};
use capture::marks::Mark;
use protocol::processes::{ProcessRow, ProcessesPage, ProcessesResult, RejectedEntries};
use recorder::resolve::code_or_mark;
use vm_code::code_map::{CodeLocation, EMULATORS_OWN};
use vm_code::range_names::RangeName;
use vm_processes::{Priority, ProcessFacts, Status};
use vm_tables::pids::PidFormat;

use crate::stride::Stride;

pub(crate) fn processes_result(
    vm: &mut AttachedVm,
    wanted: ProcessesPage,
) -> Result<ProcessesResult, AttachError> {
    let pids = vm.look(|vm| vm.pid_format())?;
    let limit = wanted.limit as usize;
    let mut stride = Stride::default();
    let mut first = wanted.first;
    let mut rejected = RejectedEntries::default();
    let mut processes = Vec::new();
    loop {
        let left = limit.saturating_sub(processes.len());
        let page = stride.read(|many| vm.processes(first, many.min(left)))?;
        rejected.freed += u64::from(page.rejected.freed);
        rejected.torn += u64::from(page.rejected.torn);
        let rows = page.processes.into_iter();
        processes.extend(rows.map(|process| row(vm, pids, process)));
        match page.next {
            Some(next) if next > first && processes.len() < limit => first = next,
            next => {
                return Ok(ProcessesResult {
                    rejected,
                    next,
                    processes,
                });
            }
        }
        stride.pause();
    }
}

fn row(vm: &AttachedVm, pids: PidFormat, process: ProcessFacts) -> ProcessRow {
    let entry = process.entry;
    let status = Status::of(entry.state);
    let place = current(vm, status, entry.i, process.current_call);
    ProcessRow {
        pid: pids.text(entry.id),
        name: process.name,
        label: process.label,
        label_known: process.is_label_known,
        initial_call: process.initial_call,
        current: place.function,
        file: place.file,
        line: place.line,
        status: status.name().to_owned(),
        priority: Priority::of(entry.state).name().to_owned(),
        mailbox: entry.mailbox,
        mailbox_at_least: !entry.is_mailbox_whole,
        memory: process.memory_bytes,
        memory_at_least: !process.is_memory_whole,
        message_bytes: process.message_bytes,
        heap_words: entry.heap_words(),
        heap_used_words: entry.heap_used_words(),
        reductions: entry.reductions,
        minor_gcs: entry.minor_gcs.into(),
        binary_bytes: process.binary_bytes,
        parent: entry.parent().map(|parent| pids.text(parent)),
    }
}

/// A place in Erlang code, as far as it is known.
#[derive(Default)]
pub(crate) struct Place {
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl Place {
    /// Where a caller is, by its return address.
    pub fn of_caller(vm: &AttachedVm, address: u64) -> Self {
        caller(vm, address).map(Self::from).unwrap_or_default()
    }
}

/// The code of a caller, by its return address: that belongs to the call just before it. Where it is not known, the mark
/// that samples have for it.
pub(crate) fn caller(vm: &AttachedVm, address: u64) -> Result<CodeLocation, Mark> {
    code_or_mark(vm.code.locate(address.wrapping_sub(1)))
}

/// The function of a caller as a stack shows it.
pub(crate) fn caller_name(vm: &AttachedVm, address: u64) -> String {
    match caller(vm, address) {
        Ok(code) => code.name.display(),
        Err(mark) => mark.name().to_owned(),
    }
}

impl From<CodeLocation> for Place {
    fn from(code: CodeLocation) -> Self {
        Self {
            function: Some(code.name.display()),
            file: (!code.file.is_empty()).then(|| code.file.into()),
            line: (code.line > 0).then_some(code.line),
        }
    }
}

fn is_of_a_module(code: &CodeLocation) -> bool {
    matches!(code.name, RangeName::Function { .. }) && &*code.module.name != EMULATORS_OWN
}

/// Where a process is, according to its program counter.
pub(crate) enum Where {
    /// There.
    Here(Place),
    /// In the emulator's own code: the process notes the function that it is in.
    Noted,
    /// Unknown.
    Unknown,
}

pub(crate) fn located(vm: &AttachedVm, i: u64) -> Where {
    match code_or_mark(vm.code.locate(i)) {
        Err(Mark::Reloaded(_)) => Where::Unknown,
        Ok(code) if is_of_a_module(&code) => Where::Here(Place::from(code)),
        _ => Where::Noted,
    }
}

/// Whether its program counter gives its place: a running process has its own in a register.
pub(crate) fn tells_where(status: Status) -> bool {
    !matches!(
        status,
        Status::Running | Status::GarbageCollecting | Status::Exiting | Status::Free
    )
}

/// Where a process is. Its program counter gives that, except for processes that run, which have it in a
/// register, and those that wait in the emulator's own code, which note the function they are in.
pub(crate) fn current(vm: &AttachedVm, status: Status, i: u64, noted: Option<String>) -> Place {
    if !tells_where(status) {
        return Place::default();
    }
    match located(vm, i) {
        Where::Here(place) => place,
        Where::Noted => Place {
            function: noted,
            ..Place::default()
        },
        Where::Unknown => Place::default(),
    }
}
