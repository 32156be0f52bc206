//! One attached VM.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use native_code::symbols::FunctionName;
use target_memory::{LiveMemory, TargetMemory};
use target_proc::process::BeamProcess;
use target_proc::{Mapping, ProcFs};
use vm_tables::TableError;
use vm_tables::anchors::{Anchor, AnchorSource, Anchors, Finder};
use vm_tables::atoms::{AtomTable, quoted};
use vm_tables::bifs::BifTable;
use vm_tables::callees::{CalleeNames, CodeOfVm};
use vm_tables::code::descriptor::Descriptor;
use vm_tables::code::generations::CodeGenerations;
use vm_tables::layout::check::LayoutCheck;
use vm_tables::layout::{VmLayout, unknown};
use vm_tables::native_tables::NativeTables;
use vm_tables::pids::PidFormat;
use vm_tables::processes::ProcessTable;
use vm_tables::schedulers::{Scheduler, read_schedulers};
use vm_tables::vm_version::VmVersion;

use crate::error::AttachError;
use crate::forget::Forget;
use crate::layout::{Depth, LayoutLook};
use crate::objects::TargetObjects;

/// Shared fragments are some 8 KiB on every release known.
const MAX_FRAGMENT_BYTES: usize = 1 << 20;
/// Pauses between tries to read a list of code that is just being changed.
const CODE_LOADING_PAUSES_MS: [u64; 5] = [1, 5, 20, 50, 100];

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
    /// What `/proc` says about it.
    pub process: BeamProcess,
    /// Its memory.
    pub memory: M,
    /// Binaries and mappings.
    pub objects: TargetObjects,
    /// Release and flavor.
    pub version: VmVersion,
    /// Node name: what the VM says now, else what its command line says.
    pub node: Option<String>,
    /// Field offsets.
    pub layout: Box<VmLayout>,
    /// How far the VM itself confirms them.
    pub layout_check: LayoutCheck,
    /// Schedulers.
    pub schedulers: Vec<Scheduler>,
    /// Loaded code.
    pub code: CodeGenerations,
    /// Atoms.
    pub atoms: AtomTable,
    /// BIF names.
    pub bifs: BifTable,
    /// Names of C functions that follow from their callers.
    pub callees: CalleeNames,
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
    /// How the release was found out.
    pub version_source: AnchorSource,
    /// How long attaching took.
    pub times: AttachTimes,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// Derives the layout once more, with all the VM tells, and holds it against the one in use.
    pub fn check_layout(&self) -> Result<LayoutCheck, TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let emulator = EmulatorCode {
            objects: &self.objects,
            bifs: &self.bifs,
        };
        let look = LayoutLook {
            memory: &self.memory,
            finder: &Finder::new(&self.memory, &symbols, &ranges),
            anchors: &self.anchors,
            code: &self.code,
            fragments: &fragment_bytes(&self.memory, &self.code)?,
            schedule: emulator.schedule(&self.callees),
            jit: &self.objects.jit,
        };
        look.checked(&self.layout, Depth::Derive)
    }

    /// Reads the tables of NIF libraries and drivers again: for when some were mapped, or when the
    /// module of one whose table was not believed may be loaded by now.
    pub fn refresh_native_tables(&mut self) {
        self.native_tables = native_tables(&self.memory, &self.objects, &self.code);
    }
}

/// Attaches to `pid`.
pub fn attach(pid: u32) -> Result<AttachedVm, AttachError> {
    let started = Instant::now();
    let proc_fs = ProcFs::live();
    let process = proc_fs
        .beam(pid)
        .map_err(|error| AttachError::from_proc(pid, error))?
        .filter(|process| !process.status.is_zombie())
        .ok_or(AttachError::NotABeam { pid })?;
    let memory = LiveMemory::new(pid);
    let mappings = proc_fs
        .maps(pid)
        .map_err(|error| AttachError::from_proc(pid, error))?;
    let mut objects = TargetObjects::new(pid);
    objects.refresh(&memory, &mappings);
    if objects.emulator().is_none() {
        return Err(no_binary(pid, &memory, &mappings, &objects));
    }
    let objects_time = started.elapsed();

    let tables_started = Instant::now();
    let mut vm = read_tables(process, memory, objects)
        .map_err(|error| AttachError::from_table(pid, error))?;
    vm.times = AttachTimes {
        objects: objects_time,
        tables: tables_started.elapsed(),
        total: started.elapsed(),
    };
    Ok(vm)
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

/// The list of loaded code. While a node starts it loads hundreds of modules a second, and what
/// is read then may be no list; a moment later it is.
fn read_code(
    memory: &impl TargetMemory,
    descriptor: Descriptor,
) -> Result<CodeGenerations, TableError> {
    for pause_ms in CODE_LOADING_PAUSES_MS {
        match CodeGenerations::read(memory, descriptor) {
            Err(TableError::Malformed { .. } | TableError::Unstable { .. }) => {
                std::thread::sleep(Duration::from_millis(pause_ms));
            }
            result => return result,
        }
    }
    CodeGenerations::read(memory, descriptor)
}

/// Reads the tables of a VM whose binaries are known: attaching, but for what `/proc` says. Works
/// on any memory, so that what was once read of a VM can be attached to again.
pub fn read_tables<M: TargetMemory>(
    process: BeamProcess,
    memory: M,
    objects: TargetObjects,
) -> Result<AttachedVm<M>, TableError> {
    let forget = Forget::from_environment();
    let symbols = |name: &str| forget.symbol(name, || objects.emulator_symbol(name));
    let ranges = objects.emulator_ranges();
    let finder = Finder::new(&memory, &symbols, &ranges);
    let version = finder.version()?;
    let version_source = match symbols("etp_otp_release") {
        Some(_) => AnchorSource::Symbol,
        None => AnchorSource::Scan,
    };
    if !version.jit {
        let reason = "its code is interpreted, not compiled".to_owned();
        return Err(unknown(&version, reason));
    }
    let list = finder.descriptor()?;
    let mut code = read_code(
        &memory,
        Descriptor {
            address: list.address,
        },
    )?;
    code.watch_code_index(&memory, objects.emulator_symbol("the_active_code_index"));
    let fragments = fragment_bytes(&memory, &code)?;
    let anchors = finder.anchors()?;
    let process_table = ProcessTable {
        address: anchors.processes.address,
    };
    let mut atoms = AtomTable::with_names(anchors.atoms.address, anchors.atom_names);
    let is_code = |address: u64| ranges.is_code(address);
    let bifs = BifTable::read(&memory, &mut atoms, anchors.bifs.address, is_code)?;
    let emulator = EmulatorCode {
        objects: &objects,
        bifs: &bifs,
    };
    let callees = match code.current().fragments() {
        Some(named) => CalleeNames::derive(&memory, &emulator, named, &fragments),
        None => CalleeNames::default(),
    };
    let look = LayoutLook {
        memory: &memory,
        finder: &finder,
        anchors: &anchors,
        code: &code,
        fragments: &fragments,
        schedule: emulator.schedule(&callees),
        jit: &objects.jit,
    };
    let (layout, layout_check) = look.settle(&version, forget.row(&version))?;
    let schedulers = read_schedulers(&memory, &anchors.schedulers, &layout.scheduler)?;
    let pids = PidFormat::derive(&memory, &process_table)?;
    let native_tables = native_tables(&memory, &objects, &code);
    let given = || process.node.as_ref().map(|node| node.name.clone());
    Ok(AttachedVm {
        node: finder.node_name().or_else(given),
        process,
        memory,
        version,
        layout: Box::new(layout),
        layout_check,
        schedulers,
        code,
        atoms,
        bifs,
        callees,
        pids,
        native_tables,
        process_table,
        anchors,
        code_list: list,
        version_source,
        objects,
        times: AttachTimes::default(),
    })
}

/// What is known of the emulator's C code.
struct EmulatorCode<'a> {
    objects: &'a TargetObjects,
    bifs: &'a BifTable,
}

impl EmulatorCode<'_> {
    /// Start and end of the scheduling function.
    fn schedule(&self, callees: &CalleeNames) -> Option<(u64, u64)> {
        self.bounds(callees.address_of("erts_schedule")?)
    }
}

impl CodeOfVm for EmulatorCode<'_> {
    fn exported(&self, name: &str) -> Option<u64> {
        self.objects.emulator_symbol(name)
    }

    fn bif(&self, name: &str) -> Option<u64> {
        self.bifs.start_of(name)
    }

    fn bounds(&self, address: u64) -> Option<(u64, u64)> {
        let emulator = self.objects.emulator()?;
        let function = emulator.function_at(address)?;
        // A stub for a function of another library is no function of the emulator.
        if matches!(function.name, FunctionName::Plt(_)) {
            return None;
        }
        let start = function.start_svma.wrapping_add(emulator.bias);
        Some((start, function.end_svma.wrapping_add(emulator.bias)))
    }
}

/// The tables of native functions of every object, as far as their modules are loaded.
fn native_tables(
    memory: &impl TargetMemory,
    objects: &TargetObjects,
    code: &CodeGenerations,
) -> NativeTables {
    let modules: HashSet<&str> = code
        .current()
        .modules()
        .map(|module| &*module.name)
        .collect();
    let is_loaded = |name: &str| modules.contains(name) || modules.contains(&*quoted(name));
    NativeTables::read(memory, &objects.native_table_ranges(), is_loaded)
}

/// The JIT's shared fragments as they are in memory.
fn fragment_bytes(
    memory: &impl TargetMemory,
    code: &CodeGenerations,
) -> Result<Vec<u8>, TableError> {
    let fragments = code
        .current()
        .fragments()
        .ok_or_else(|| TableError::malformed("JIT shared fragments", "there are none"))?;
    Ok(memory.read_vec(
        fragments.base,
        fragments.code_bytes as usize,
        MAX_FRAGMENT_BYTES,
    )?)
}
