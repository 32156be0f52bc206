//! The attach self-check: what was found and how, in words, for `doctor`. Nothing is sampled, so an
//! idle VM is checked as well as a busy one.

use vm_tables::TableError;
use vm_tables::anchors::{AnchorSource, Finder};
use vm_tables::layout::Flavor;
use vm_tables::layout::check::FieldOrigin;
use vm_tables::layout::fields::FIELDS;

mod names;

use std::collections::BTreeMap;

use crate::vm::AttachedVm;

/// Atoms decoded to believe in the atom table.
const CHECKED_ATOMS: u32 = 2000;
/// Modules every OTP node has.
const KNOWN_MODULES: [&str; 5] = ["erlang", "lists", "gen_server", "init", "code"];

/// One row of the self-check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRow {
    /// What was checked.
    pub check: &'static str,
    /// What was found.
    pub found: String,
    /// Whether that is as it has to be.
    pub ok: bool,
}

/// Checks an attached VM. Takes milliseconds and samples nothing.
pub fn self_check(vm: &mut AttachedVm) -> Vec<CheckRow> {
    vec![
        release(vm),
        binary(vm),
        anchors(vm),
        layout(vm),
        code(vm),
        modules(vm),
        atoms(vm),
        bifs(vm),
        callees(vm),
        names::native_tables(vm),
        names::names(vm),
        names::debug_files(vm),
        schedulers(vm),
        processes(vm),
    ]
}

fn row(check: &'static str, ok: bool, found: String) -> CheckRow {
    CheckRow { check, found, ok }
}

fn release(vm: &AttachedVm) -> CheckRow {
    let version = &vm.version;
    row(
        "release",
        true,
        format!(
            "OTP {}, ERTS {}, {}",
            version.otp_release,
            version.erts_version,
            version.flavor()
        ),
    )
}

fn binary(vm: &AttachedVm) -> CheckRow {
    let build_id = vm
        .objects
        .emulator()
        .and_then(|emulator| emulator.image.build_id());
    let unreadable = &vm.objects.unreadable;
    let mut found = build_id.map_or_else(
        || "no build id".to_owned(),
        |build_id| format!("build id {build_id}"),
    );
    let mut ways: BTreeMap<String, usize> = BTreeMap::new();
    for object in &vm.objects.read {
        let way = format!("{} (known by {})", object.opened_by, object.known_by);
        *ways.entry(way).or_default() += 1;
    }
    for (way, objects) in ways {
        found = format!("{found}; {objects} files opened by {way}");
    }
    if !unreadable.is_empty() {
        found = format!("{found}; unreadable: {}", unreadable.join(", "));
    }
    row("binaries", unreadable.is_empty(), found)
}

/// Where the VM's structures are. What a symbol led to has to be what the scan finds as well.
fn anchors(vm: &AttachedVm) -> CheckRow {
    let ranges = vm.objects.emulator_ranges();
    let no_symbols = |_: &str| None::<u64>;
    let finder = Finder::new(&vm.memory, &no_symbols, &ranges);
    let mut by_symbol = Vec::new();
    let mut by_scan = Vec::new();
    let mut wrong = Vec::new();
    let mut compare = |name: &'static str, source, same: Result<bool, TableError>| {
        match source {
            AnchorSource::Symbol => by_symbol.push(name),
            AnchorSource::Scan => by_scan.push(name),
        }
        match same {
            Ok(true) => {}
            Ok(false) => wrong.push(format!("{name}: the scan finds another place")),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    };
    let known = &vm.anchors;
    let version = finder.version().map(|version| version == vm.version);
    compare("release", vm.version_source, version);
    let list = match vm.layout.flavor {
        Flavor::Jit => finder.descriptor(),
        Flavor::Interpreter(layout) => finder.module_images(layout),
    };
    let same = list.map(|list| list.address == vm.code_list.address);
    compare("list of code", vm.code_list.source, same);
    match finder.anchors() {
        Err(error) => compare("tables", known.atoms.source, Err(error)),
        Ok(scanned) => {
            for (name, known, scanned) in [
                ("atoms", Some(known.atoms), Some(scanned.atoms)),
                ("BIFs", Some(known.bifs), Some(scanned.bifs)),
                ("processes", Some(known.processes), Some(scanned.processes)),
                ("ports", known.ports, scanned.ports),
            ] {
                let source = known.map_or(AnchorSource::Scan, |anchor| anchor.source);
                let same = known.map(|anchor| anchor.address) == scanned.map(|it| it.address);
                compare(name, source, Ok(same && known.is_some()));
            }
            let same = known.schedulers == scanned.schedulers;
            compare("schedulers", known.scheduler_source, Ok(same));
        }
    }
    let mut found = Vec::new();
    if !by_symbol.is_empty() {
        found.push(format!(
            "by symbol, and the scan agrees: {}",
            by_symbol.join(", ")
        ));
    }
    if !by_scan.is_empty() {
        found.push(format!("by scan: {}", by_scan.join(", ")));
    }
    let ok = wrong.is_empty();
    if !ok {
        found = [format!("by symbol: {}", by_symbol.join(", "))].to_vec();
        found.push(format!("by scan: {}", by_scan.join(", ")));
        found.extend(wrong);
    }
    row("structures", ok, found.join("; "))
}

/// Every field of the layout, derived anew as closely as can be.
fn layout(vm: &AttachedVm) -> CheckRow {
    let (check, ok) = match vm.check_layout() {
        Ok(check) => (check, true),
        Err(error) => {
            return row(
                "layout",
                false,
                format!("{}; {error}", vm.layout.provenance),
            );
        }
    };
    let without_data = vm.layout_check.of(FieldOrigin::Derived).len() == FIELDS.len();
    let mut found = vm.layout.provenance.to_owned();
    for (origin, said) in [
        (FieldOrigin::Both, "confirmed by the VM"),
        (FieldOrigin::Data, "not confirmed"),
    ] {
        let fields: Vec<String> = check
            .fields
            .iter()
            .filter(|field| field.origin == origin)
            .map(|field| format!("{} {}", field.name, field.value))
            .collect();
        let said = if without_data { "derived" } else { said };
        if !fields.is_empty() {
            found = format!("{found}; {said}: {}", fields.join(", "));
        }
    }
    row("layout", ok, found)
}

fn code(vm: &AttachedVm) -> CheckRow {
    let map = vm.code.current();
    let modules = map.modules().count();
    let functions: usize = map.modules().map(|module| module.ranges.len()).sum();
    // The JIT describes the start of a function and the rest of it apart.
    let functions = functions / if vm.interpreter.is_none() { 2 } else { 1 };
    let lines: usize = map.modules().map(|module| module.lines.len()).sum();
    row(
        "code",
        modules > 0 && vm.code.unreadable == 0,
        format!(
            "{modules} modules, about {functions} functions, {lines} lines; {} unreadable",
            vm.code.unreadable
        ),
    )
}

fn modules(vm: &AttachedVm) -> CheckRow {
    let loaded = |name: &&&str| {
        vm.code
            .current()
            .modules()
            .any(|module| &&*module.name == *name)
    };
    let missing: Vec<&str> = KNOWN_MODULES
        .iter()
        .filter(|name| !loaded(name))
        .copied()
        .collect();
    let found = match missing.is_empty() {
        true => format!("{} are loaded", KNOWN_MODULES.join(", ")),
        false => format!("missing: {}", missing.join(", ")),
    };
    row("known modules", missing.is_empty(), found)
}

fn atoms(vm: &AttachedVm) -> CheckRow {
    match vm.atoms.read_first(&vm.memory, CHECKED_ATOMS) {
        Ok(names) => row(
            "atoms",
            names.len() >= 1000 && names.first().is_some_and(|first| &**first == "false"),
            format!("{} decoded, the first is {:?}", names.len(), names.first()),
        ),
        Err(error) => row("atoms", false, error.to_string()),
    }
}

fn bifs(vm: &AttachedVm) -> CheckRow {
    row(
        "BIFs",
        vm.bifs.len() > 300,
        format!("{} C functions named", vm.bifs.len()),
    )
}

/// On a VM that exports its symbols each name that follows from callers has to be the symbol's.
fn callees(vm: &AttachedVm) -> CheckRow {
    let mut wrong: Vec<String> = Vec::new();
    let mut checked = 0;
    for (address, name) in vm.callees.iter() {
        let function = vm
            .objects
            .map
            .object_at(address)
            .and_then(|object| object.function_at(address));
        let symbol = function
            .filter(|function| function.name.is_named())
            .map(|function| function.name.shown(""));
        if let Some(symbol) = symbol {
            checked += 1;
            if symbol != name.function {
                wrong.push(format!("{} is {symbol}", name.function));
            }
        }
    }
    wrong.extend(
        vm.callees
            .contradicted
            .iter()
            .map(|role| format!("{role}: its callers disagree")),
    );
    let mut found = format!(
        "{} C functions named by their callers, {checked} of them have symbols",
        vm.callees.len()
    );
    if !wrong.is_empty() {
        found = format!("{found}; {}", wrong.join(", "));
    }
    row("callees", wrong.is_empty(), found)
}

fn schedulers(vm: &AttachedVm) -> CheckRow {
    use vm_tables::schedulers::SchedulerKind::{DirtyCpu, DirtyIo, Normal};
    let count = |kind| vm.schedulers.iter().filter(|s| s.kind == kind).count();
    row(
        "schedulers",
        count(Normal) > 0,
        format!(
            "{} normal, {} dirty CPU, {} dirty I/O",
            count(Normal),
            count(DirtyCpu),
            count(DirtyIo)
        ),
    )
}

fn processes(vm: &AttachedVm) -> CheckRow {
    match vm.process_table.count(&vm.memory) {
        Ok(count) => row("processes", true, format!("{count}")),
        Err(error) => row("processes", false, error.to_string()),
    }
}
