//! One attached VM.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use native_code::symbols::FunctionName;
use target_memory::{LiveMemory, TargetMemory, bytes_to_words};
use target_proc::process::BeamProcess;
use target_proc::{Mapping, ProcFs};
use vm_tables::TableError;
use vm_tables::anchors::{AnchorSource, Anchors, Finder};
use vm_tables::atoms::{AtomTable, quoted};
use vm_tables::bifs::BifTable;
use vm_tables::callees::{CalleeNames, CodeOfVm};
use vm_tables::code::descriptor::Descriptor;
use vm_tables::code::generations::CodeGenerations;
use vm_tables::layout::check::{LayoutCheck, check};
use vm_tables::layout::derive::{HeapFields, from_fragments, heap_fields};
use vm_tables::layout::{STATE_GC, STATE_RUNNING, VmLayout, layout_for};
use vm_tables::native_tables::NativeTables;
use vm_tables::processes::{ProcessFields, ProcessTable};
use vm_tables::schedulers::{Scheduler, read_schedulers};
use vm_tables::vm_version::VmVersion;

use crate::error::AttachError;
use crate::objects::TargetObjects;

/// Shared fragments are some 8 KiB on every release known.
const MAX_FRAGMENT_BYTES: usize = 1 << 20;
/// Processes at rest that the layout is checked on.
const CHECKED_PROCESSES: usize = 64;
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
pub struct AttachedVm {
    /// What `/proc` says about it.
    pub process: BeamProcess,
    /// Its memory.
    pub memory: LiveMemory,
    /// Binaries and mappings.
    pub objects: TargetObjects,
    /// Release and flavor.
    pub version: VmVersion,
    /// Node name: what the VM says now, else what its command line says.
    pub node: Option<String>,
    /// Field offsets.
    pub layout: &'static VmLayout,
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
    /// Where the VM's global structures are, and how they were found.
    pub anchors: Anchors,
    /// How the list of loaded code was found.
    pub code_source: AnchorSource,
    /// How long attaching took.
    pub times: AttachTimes,
}

impl AttachedVm {
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
    memory: &LiveMemory,
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
fn read_code(memory: &LiveMemory, descriptor: Descriptor) -> Result<CodeGenerations, TableError> {
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

fn read_tables(
    process: BeamProcess,
    memory: LiveMemory,
    objects: TargetObjects,
) -> Result<AttachedVm, TableError> {
    let symbols = |name: &str| objects.emulator_symbol(name);
    let ranges = objects.emulator_ranges();
    let finder = Finder::new(&memory, &symbols, &ranges);
    let version = finder.version()?;
    let layout = layout_for(&version)?;
    let list = finder.descriptor()?;
    let mut code = read_code(
        &memory,
        Descriptor {
            address: list.address,
        },
    )?;
    code.watch_code_index(&memory, objects.emulator_symbol("the_active_code_index"));
    let anchors = finder.anchors()?;
    let process_table = ProcessTable {
        address: anchors.processes.address,
    };
    let layout_check = check_layout(&memory, layout, &code, &process_table)?;
    let schedulers = read_schedulers(&memory, &anchors.schedulers, &layout.scheduler)?;
    let mut atoms = AtomTable::with_names(anchors.atoms.address, anchors.atom_names);
    let is_code = |address: u64| ranges.is_code(address);
    let bifs = BifTable::read(&memory, &mut atoms, anchors.bifs.address, is_code)?;
    let emulator = EmulatorCode {
        objects: &objects,
        bifs: &bifs,
    };
    let callees = callee_names(&memory, &emulator, &code);
    let native_tables = native_tables(&memory, &objects, &code);
    let given = || process.node.as_ref().map(|node| node.name.clone());
    Ok(AttachedVm {
        node: finder.node_name().or_else(given),
        process,
        memory,
        version,
        layout,
        layout_check,
        schedulers,
        code,
        atoms,
        bifs,
        callees,
        native_tables,
        process_table,
        anchors,
        code_source: list.source,
        objects,
        times: AttachTimes::default(),
    })
}

/// What is known of the emulator's C code.
struct EmulatorCode<'a> {
    objects: &'a TargetObjects,
    bifs: &'a BifTable,
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
    memory: &LiveMemory,
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

/// Names that follow from callers. A VM whose fragments cannot be read just has none.
fn callee_names(
    memory: &LiveMemory,
    emulator: &EmulatorCode<'_>,
    code: &CodeGenerations,
) -> CalleeNames {
    let Some(fragments) = code.current().fragments() else {
        return CalleeNames::default();
    };
    let length = fragments.code_bytes as usize;
    match memory.read_vec(fragments.base, length, MAX_FRAGMENT_BYTES) {
        Ok(bytes) => CalleeNames::derive(memory, emulator, fragments, &bytes),
        Err(_) => CalleeNames::default(),
    }
}

/// Holds the layout row against the VM's own code and against processes at rest.
fn check_layout(
    memory: &LiveMemory,
    layout: &VmLayout,
    code: &CodeGenerations,
    table: &ProcessTable,
) -> Result<LayoutCheck, TableError> {
    let fragments = code
        .current()
        .fragments()
        .ok_or_else(|| TableError::malformed("JIT shared fragments", "there are none"))?;
    let bytes = memory.read_vec(
        fragments.base,
        fragments.code_bytes as usize,
        MAX_FRAGMENT_BYTES,
    )?;
    let facts = from_fragments(&bytes, fragments.base);
    let heap = match (facts.htop, facts.stop) {
        (Some(htop), Some(stop)) => heap_candidates(memory, layout, table, htop, stop)?,
        _ => Vec::new(),
    };
    check(layout, &facts, &heap)
}

/// Derives the heap fields from processes that do not run just now.
fn heap_candidates(
    memory: &LiveMemory,
    layout: &VmLayout,
    table: &ProcessTable,
    htop: i64,
    stop: i64,
) -> Result<Vec<HeapFields>, TableError> {
    let (Ok(htop), Ok(stop)) = (usize::try_from(htop), usize::try_from(stop)) else {
        return Ok(Vec::new());
    };
    let addresses = table.addresses(memory, CHECKED_PROCESSES)?;
    let at_rest = |bytes: &Vec<u8>| {
        ProcessFields::from_bytes(&layout.process, bytes)
            .is_some_and(|fields| fields.state & (STATE_RUNNING | STATE_GC) == 0)
    };
    let words: Vec<Vec<u64>> = table
        .read(memory, &addresses, layout.process.read_bytes)
        .iter()
        .filter(|bytes| at_rest(bytes))
        .map(|bytes| bytes_to_words(bytes).collect())
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    Ok(heap_fields(&words, htop, stop))
}
