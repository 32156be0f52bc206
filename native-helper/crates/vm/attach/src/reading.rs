//! The phases of reading a VM whose binaries are known: release and flavor, the tables that need no
//! layout, the code, the layout that fits to it, and the tables that need that layout.

use shared_map::HashSet;
use target_memory::TargetMemory;
use target_proc::process::BeamProcess;
use vm_anchors::{AnchorSource, Anchors, Finder};
use vm_code::generations::CodeGenerations;
use vm_code::interpreter::Interpreter;
use vm_layout::check::LayoutCheck;
use vm_layout::vm_version::VmVersion;
use vm_layout::{EmulatorSymbols, Flavor, TableError, VmLayout};
use vm_tables::atoms::{AtomTable, quoted};
use vm_tables::bifs::BifTable;
use vm_tables::native_tables::NativeTables;
use vm_tables::pids::PidFormat;
use vm_tables::processes::ProcessTable;
use vm_tables::schedulers::{Scheduler, read_schedulers};

use crate::emulator_code::EmulatorCode;
use crate::erlang_code::{Jit, LoadedCode, compiled, facts_source, interpreted, row_of};
use crate::forget::Forget;
use crate::layout::LayoutLook;
use crate::objects::TargetObjects;

/// All that was read.
pub(crate) struct Tables {
    pub version: VmVersion,
    pub version_source: AnchorSource,
    /// The current name from the VM, else the one from its command line.
    pub node: Option<String>,
    pub global: GlobalTables,
    pub code: LoadedCode,
    pub layout: VmLayout,
    pub layout_check: LayoutCheck,
    pub schedulers: Vec<Scheduler>,
    pub pids: Option<PidFormat>,
    pub native_tables: NativeTables,
}

/// The tables that can be read without a layout.
pub(crate) struct GlobalTables {
    pub anchors: Anchors,
    pub process_table: ProcessTable,
    pub atoms: AtomTable,
    pub bifs: BifTable,
}

/// Reads all of it.
pub(crate) fn read<M: TargetMemory>(
    memory: &M,
    process: &BeamProcess,
    objects: &TargetObjects,
) -> Result<Tables, TableError> {
    let forget = Forget::asked();
    let symbols = |name: &str| forget.symbol(name, || objects.emulator_symbol(name));
    let ranges = objects.emulator_ranges();
    let finder = &Finder::new(memory, &symbols, &ranges);
    let version = finder.version()?;
    let vm = KnownVm {
        memory,
        finder,
        symbols: &symbols,
        process,
        objects,
        rows: forget.rows(&version),
        version,
    };
    let build = vm.version.build;
    vm.read(|address| ranges.is_code(address))
        .map_err(|error| error.of_build(build))
}

/// A VM whose release and flavor are known.
struct KnownVm<'a, M, S> {
    memory: &'a M,
    finder: &'a Finder<'a, M, S>,
    symbols: &'a S,
    process: &'a BeamProcess,
    objects: &'a TargetObjects,
    /// The layouts of its release that are kept as data.
    rows: Vec<&'static VmLayout>,
    version: VmVersion,
}

impl<M: TargetMemory, S: EmulatorSymbols> KnownVm<'_, M, S> {
    fn read(self, is_code: impl Fn(u64) -> bool) -> Result<Tables, TableError> {
        let global = self.global_tables(is_code)?;
        let (code, layout, layout_check) = self.code_and_layout(&global)?;
        let schedulers = read_schedulers(self.memory, &global.anchors.schedulers, &layout)?;
        let pids = PidFormat::derive(self.memory, &global.process_table)?;
        let native_tables = native_tables(self.memory, self.objects, &code.code);
        let given = || self.process.node.as_ref().map(|node| node.name.clone());
        let version_source = match self.symbols.address_of("etp_otp_release") {
            Some(_) => AnchorSource::Symbol,
            None => AnchorSource::Scan,
        };
        Ok(Tables {
            version_source,
            node: self.finder.node_name().or_else(given),
            version: self.version,
            global,
            code,
            layout,
            layout_check,
            schedulers,
            pids,
            native_tables,
        })
    }

    fn global_tables(&self, is_code: impl Fn(u64) -> bool) -> Result<GlobalTables, TableError> {
        let anchors = self.finder.anchors()?;
        let process_table = ProcessTable {
            address: anchors.processes.address,
        };
        let mut atoms = AtomTable::with_names(anchors.atoms.address, anchors.atom_names);
        let bifs = BifTable::read(self.memory, &mut atoms, anchors.bifs.address, is_code)?;
        Ok(GlobalTables {
            anchors,
            process_table,
            atoms,
            bifs,
        })
    }

    /// Loaded code, and a layout that it does not contradict.
    fn code_and_layout(
        &self,
        global: &GlobalTables,
    ) -> Result<(LoadedCode, VmLayout, LayoutCheck), TableError> {
        let (memory, finder, anchors) = (self.memory, self.finder, &global.anchors);
        let emulator = EmulatorCode {
            objects: self.objects,
            command_line: &self.process.command_line,
            bifs: &global.bifs,
        };
        let row = row_of(memory, self.symbols, &emulator, &self.rows);
        let code = match self.version.flavor {
            Flavor::Jit(()) => compiled(memory, finder, &emulator, &self.objects.jit_mappings)?,
            Flavor::Interpreter(()) => {
                let known = (&self.version, row);
                interpreted(memory, finder, self.symbols, &emulator, anchors, known)?
            }
        };
        let look = LayoutLook {
            memory,
            finder,
            anchors,
            facts: code.facts,
            facts_source: facts_source(&code.flavor),
            schedule: schedule(&emulator, &code.flavor),
            erlang_code: &code.places,
        };
        let (layout, check) = look.settle(&self.version, row)?;
        Ok((code, layout, check))
    }
}

/// Start and end of the scheduling function.
pub(crate) fn schedule(
    emulator: &EmulatorCode<'_>,
    flavor: &Flavor<Jit, Interpreter>,
) -> Option<(u64, u64)> {
    match flavor {
        Flavor::Jit(jit) => emulator.schedule(&jit.callees),
        Flavor::Interpreter(interpreter) => interpreter.schedule,
    }
}

/// The tables of native functions of every object, as far as their modules are loaded.
pub(crate) fn native_tables(
    memory: &dyn TargetMemory,
    objects: &TargetObjects,
    code: &CodeGenerations,
) -> NativeTables {
    let modules: HashSet<&str> = code
        .current()
        .modules()
        .map(|module| &*module.name)
        .collect();
    let is_loaded = |name: &str| modules.contains(name) || modules.contains(&*quoted(name));
    NativeTables::read(&memory, &objects.native_table_ranges(), is_loaded)
}
