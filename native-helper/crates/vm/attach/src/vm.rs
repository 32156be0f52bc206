//! One attached VM.

use std::time::{Duration, Instant};

use permitted_target::PermittedTarget;
use target_memory::{LiveMemory, TargetMemory};
use target_proc::process::BeamProcess;
use target_proc::{Mapping, ProcFs, ProcRights, TARGET_PATIENCE, WaitLimit};
use vm_anchors::{Anchor, AnchorSource, Anchors, Finder};
use vm_code::callees::CalleeName;
use vm_code::generations::CodeGenerations;
use vm_code::interpreter::{Interpreter, facts};
use vm_layout::TableError;
use vm_layout::check::LayoutCheck;
use vm_layout::vm_version::VmVersion;
use vm_layout::{Flavor, VmLayout};
use vm_tables::atoms::AtomTable;
use vm_tables::bifs::BifTable;
use vm_tables::native_tables::NativeTables;
use vm_tables::pids::PidFormat;
use vm_tables::processes::ProcessTable;
use vm_tables::resource_types::ResourceTypes;
use vm_tables::schedulers::Scheduler;
use vm_tables::scheduling::SchedulingTable;

use crate::emulator_code::EmulatorCode;
use crate::erlang_code::{Jit, facts_source, fragments};
use crate::error::AttachError;
use crate::layout::{Depth, LayoutLook};
use crate::objects::TargetObjects;
use crate::patience::patiently;
use crate::reading::{self, native_tables, schedule};

/// How long the parts of attaching took.
#[derive(Debug, Clone, Copy, Default)]
pub struct AttachTimes {
    /// Mappings, binaries and symbols.
    pub objects: Duration,
    /// The VM's own tables.
    pub tables: Duration,
    /// All of it.
    pub total: Duration,
}

/// A VM that is understood well enough to sample it.
#[derive(Debug)]
pub struct AttachedVm<M = LiveMemory> {
    /// The permission to read it; `None` for recorded data of a VM.
    pub target: Option<PermittedTarget>,
    /// The facts in `/proc` about it.
    pub process: BeamProcess,
    /// Its memory.
    pub memory: M,
    /// Binaries and mappings.
    pub objects: TargetObjects,
    /// Release and flavor.
    pub version: VmVersion,
    /// Node name: the current one from the VM, else the one from its command line.
    pub node: Option<String>,
    /// Field offsets.
    pub layout: Box<VmLayout>,
    /// How far the VM itself confirms them.
    pub layout_check: LayoutCheck,
    /// Schedulers.
    pub schedulers: Vec<Scheduler>,
    /// Loaded code.
    pub code: CodeGenerations,
    /// The code that runs it.
    pub flavor: Flavor<Jit, Interpreter>,
    /// Atoms.
    pub atoms: AtomTable,
    /// BIF names.
    pub bifs: BifTable,
    /// Names of C functions by the tables of NIF libraries and drivers.
    pub native_tables: NativeTables,
    /// Processes.
    pub process_table: ProcessTable,
    /// How it makes pids; `None` when its processes do not agree on that.
    pub pids: Option<PidFormat>,
    /// Where the VM's global structures are, and how they were found.
    pub anchors: Anchors,
    /// Where the list of loaded code is.
    pub code_list: Anchor,
    /// Where the number of the active code index is, when it could be found.
    pub code_index: Option<Anchor>,
    /// The table of the names of ETS tables, bytes, once it was found.
    pub ets_names_bytes: Option<u64>,
    /// Where it counts the schedulers online, once that was found.
    pub scheduling: Option<SchedulingTable>,
    /// Where it has its types of resources, once that was found.
    pub resource_types: Option<ResourceTypes>,
    /// How the release was found out.
    pub version_source: AnchorSource,
    /// How long attaching took.
    pub times: AttachTimes,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// Derives the layout once more, with all evidence of the VM, and compares it with the one in
    /// use.
    pub fn check_layout(&self) -> Result<LayoutCheck, TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let emulator = EmulatorCode {
            objects: &self.objects,
            command_line: &self.process.command_line,
            bifs: &self.bifs,
        };
        let (facts, erlang_code) = match &self.flavor {
            Flavor::Jit(_) => (
                fragments(&self.memory, &self.code, &emulator)?.0,
                self.objects.jit_mappings.clone(),
            ),
            Flavor::Interpreter(_) => (
                facts(&self.layout.process),
                self.code.current().bounds().collect(),
            ),
        };
        let look = LayoutLook {
            memory: &self.memory,
            finder: &Finder::new(&self.memory, &symbols, &ranges),
            anchors: &self.anchors,
            facts,
            facts_source: facts_source(&self.flavor),
            schedule: schedule(&emulator, &self.flavor),
            erlang_code: &erlang_code,
        };
        look.checked(&self.layout, Depth::Derive)
    }

    /// Reads something of the VM, and checks that it was this VM's.
    ///
    /// # Errors
    /// The error of `read`, or that the process is not the one that was attached to any more.
    pub fn look<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, TableError>,
    ) -> Result<T, AttachError> {
        let pid = self.process.pid;
        // Only its memory and the files of its folder are read with the raised rights.
        let found = read(self).map_err(|error| AttachError::from_table(pid, error))?;
        // The data read were its own if it still is the same process.
        if let Some(target) = &self.target {
            target.check()?;
        }
        Ok(found)
    }

    /// As [`Self::look`], for large readings: in portions, with pauses, so that no portion takes long. If data
    /// have to be of one moment, `read` checks them again afterwards, as in any other reading.
    ///
    /// # Errors
    /// As for [`Self::look`].
    pub fn look_with_pauses<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, TableError>,
    ) -> Result<T, AttachError> {
        self.memory.set_pauses(true);
        let found = self.look(read);
        self.memory.set_pauses(false);
        found
    }

    /// Where the machine code is that runs Erlang code, as start and end, by address: the code of
    /// the JIT, or the interpreter's main function. C code that it calls ends there.
    pub fn runs_erlang(&self) -> &[(u64, u64)] {
        match &self.flavor {
            Flavor::Jit(_) => &self.objects.jit_mappings,
            Flavor::Interpreter(interpreter) => std::slice::from_ref(&interpreter.main),
        }
    }

    /// Reads the tables of NIF libraries and drivers again: after some were mapped, or when the
    /// module of one whose table was not accepted may be loaded by now.
    pub fn refresh_native_tables(&mut self) {
        self.native_tables = native_tables(&self.memory, &self.objects, &self.code);
    }
}

impl<M> AttachedVm<M> {
    /// The name of the C function at `start`, by its callers.
    pub fn callee_name(&self, start: u64) -> Option<&CalleeName> {
        match &self.flavor {
            Flavor::Jit(jit) => jit.callees.name_of(start),
            Flavor::Interpreter(_) => None,
        }
    }
}

/// Attaches to `pid`; to a VM that is just starting as soon as it is up, if that takes no longer
/// than a second.
pub fn attach(pid: u32) -> Result<AttachedVm, AttachError> {
    let proc_fs = ProcFs::live();
    let attached = patiently(pid, &proc_fs, || attach_once(pid, &proc_fs));
    attached.map_err(|error| match error {
        // A process that ends during the attach has unreadable data for that reason.
        AttachError::Binary(_)
        | AttachError::Unsupported(_)
        | AttachError::Proc(_)
        | AttachError::StillStarting { .. }
            if proc_fs.has_ended(pid) =>
        {
            AttachError::TargetGone { pid }
        }
        error => error,
    })
}

fn attach_once(pid: u32, proc_fs: &ProcFs) -> Result<AttachedVm, AttachError> {
    let started = Instant::now();
    let target = PermittedTarget::open(pid)?;
    let process = target
        .within(|| proc_fs.beam(pid))
        .map_err(|error| AttachError::from_proc(pid, error))?
        .filter(|process| !process.status.is_zombie())
        .ok_or(AttachError::NotABeam { pid })?;
    let memory = target.memory()?;
    let mappings = target
        .within(|| proc_fs.maps(pid))
        .map_err(|error| AttachError::from_proc(pid, error))?;
    let mut objects = TargetObjects::of_target(&target);
    let files = objects.patience();
    objects.refresh(&memory, &mappings);
    if let Some(spent) = objects.spent {
        return Err(AttachError::BudgetSpent { pid, spent });
    }
    if objects.emulator().is_none() {
        return Err(unless_silent(
            &files,
            no_binary(pid, &memory, &mappings, &objects),
            pid,
        ));
    }
    let objects_time = started.elapsed();

    let tables_started = Instant::now();
    let mut vm = read_tables(process, memory, objects)
        .map_err(|error| unless_silent(&files, AttachError::from_table(pid, error), pid))?;
    vm.times = AttachTimes {
        objects: objects_time,
        tables: tables_started.elapsed(),
        total: started.elapsed(),
    };
    // The files opened by its process id were its own if it still is the same process.
    target.check()?;
    vm.target = Some(target);
    Ok(vm)
}

/// Missing data may be in a file that has not answered: then that is the reason.
fn unless_silent(files: &WaitLimit, error: AttachError, pid: u32) -> AttachError {
    match error {
        AttachError::Unsupported(_) | AttachError::Binary(_) if files.is_over() => {
            AttachError::NoAnswer {
                pid,
                within: TARGET_PATIENCE,
            }
        }
        other => other,
    }
}

/// Why the emulator's binary is not among the objects.
fn no_binary(
    pid: u32,
    memory: &impl TargetMemory,
    mappings: &[Mapping],
    objects: &TargetObjects,
) -> AttachError {
    let first = mappings.first().map_or(0, |mapping| mapping.start);
    if let Err(error) = memory.read_u64(first)
        && error.kind == target_memory::ReadErrorKind::Denied
    {
        return AttachError::NotPermitted {
            pid,
            detail: "its memory (process_vm_readv)".into(),
        };
    }
    match objects
        .unreadable
        .iter()
        .find(|reason| reason.contains("beam"))
    {
        Some(reason) => AttachError::Binary(reason.clone()),
        None => AttachError::Binary("it is not mapped".to_owned()),
    }
}

/// Reads the tables of a VM whose binaries are known: attaching, except for the facts in `/proc`.
/// Works on any memory, so that recorded data of a VM can be attached to again.
pub fn read_tables<M: TargetMemory>(
    process: BeamProcess,
    memory: M,
    objects: TargetObjects,
) -> Result<AttachedVm<M>, TableError> {
    let tables = reading::read(&memory, &process, &objects)?;
    let (global, code) = (tables.global, tables.code);
    Ok(AttachedVm {
        target: None,
        node: tables.node,
        process,
        memory,
        version: tables.version,
        layout: Box::new(tables.layout),
        layout_check: tables.layout_check,
        schedulers: tables.schedulers,
        code: code.code,
        atoms: global.atoms,
        bifs: global.bifs,
        flavor: code.flavor,
        pids: tables.pids,
        native_tables: tables.native_tables,
        process_table: global.process_table,
        anchors: global.anchors,
        code_list: code.list,
        code_index: code.code_index,
        ets_names_bytes: None,
        scheduling: None,
        resource_types: None,
        version_source: tables.version_source,
        objects,
        times: AttachTimes::default(),
    })
}
