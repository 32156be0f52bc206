//! The attach self-check: its findings and their sources, in words, for `doctor`. Nothing is
//! sampled, so an idle VM is checked as well as a busy one.

use vm_code::callees::CalleeNames;
use vm_layout::Flavor;
use vm_layout::check::FieldOrigin;
use vm_layout::fields::Field;
use vm_tables::scheduler_waits::{flags_pointer, flags_pointers};

mod check;
mod names;
mod structures;

use std::collections::BTreeMap;

pub use check::Check;

use crate::vm::AttachedVm;
use structures::structures;

/// Atoms that are decoded to prove the atom table.
const CHECKED_ATOMS: u32 = 2000;
/// Modules every OTP node has.
const KNOWN_MODULES: [&str; 5] = ["erlang", "lists", "gen_server", "init", "code"];

/// One row of the self-check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRow {
    /// The subject of the check.
    pub check: Check,
    /// The finding.
    pub found: String,
    /// Whether the finding is as it has to be.
    pub ok: bool,
}

/// Checks an attached VM. Takes milliseconds and samples nothing.
pub fn self_check(vm: &mut AttachedVm) -> Vec<CheckRow> {
    vec![
        release(vm),
        binary(vm),
        structures(vm),
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

fn row(check: Check, ok: bool, found: String) -> CheckRow {
    CheckRow { check, found, ok }
}

fn release(vm: &AttachedVm) -> CheckRow {
    let version = &vm.version;
    let mut found = format!(
        "OTP {}, ERTS {}, {}",
        version.otp_release,
        version.erts_version,
        version.flavor.name()
    );
    if !version.build.shown().is_empty() {
        found = format!("{found}, {}", version.build.shown());
    }
    row(Check::Release, true, found)
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
    row(Check::Binaries, unreadable.is_empty(), found)
}

/// Every field of the layout, derived anew as closely as can be.
fn layout(vm: &AttachedVm) -> CheckRow {
    let (check, ok) = match vm.check_layout() {
        Ok(check) => (check, true),
        Err(error) => {
            return row(
                Check::Layout,
                false,
                format!("{}; {error}", vm.layout.provenance),
            );
        }
    };
    let without_data = vm.layout_check.of(FieldOrigin::Derived) == Field::ALL;
    let mut found = vm.layout.provenance.to_owned();
    for (origin, how) in [
        (FieldOrigin::Both, "confirmed by the VM"),
        (FieldOrigin::Data, "not confirmed"),
    ] {
        let fields: Vec<String> = check
            .fields
            .iter()
            .filter(|report| report.origin == origin)
            .map(|report| format!("{} {}", report.field, report.value))
            .collect();
        let how = if without_data { "derived" } else { how };
        if !fields.is_empty() {
            found = format!("{found}; {how}: {}", fields.join(", "));
        }
    }
    row(Check::Layout, ok, found)
}

fn code(vm: &AttachedVm) -> CheckRow {
    let map = vm.code.current();
    let modules = map.modules().count();
    let functions: usize = map.modules().map(|module| module.ranges.len()).sum();
    // The JIT describes the start of a function and the rest of it apart.
    let functions = match vm.flavor {
        Flavor::Jit(_) => functions / 2,
        Flavor::Interpreter(_) => functions,
    };
    let lines: usize = map.modules().map(|module| module.lines.len()).sum();
    row(
        Check::Code,
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
    row(Check::KnownModules, missing.is_empty(), found)
}

fn atoms(vm: &AttachedVm) -> CheckRow {
    match vm.atoms.read_first(&vm.memory, CHECKED_ATOMS) {
        Ok(names) => row(
            Check::Atoms,
            names.len() >= 1000 && names.first().is_some_and(|first| &**first == "false"),
            format!("{} decoded, the first is {:?}", names.len(), names.first()),
        ),
        Err(error) => row(Check::Atoms, false, error.to_string()),
    }
}

fn bifs(vm: &AttachedVm) -> CheckRow {
    row(
        Check::Bifs,
        vm.bifs.len() > 300,
        format!("{} C functions named", vm.bifs.len()),
    )
}

/// On a VM that exports its symbols each name that follows from callers has to be the symbol's.
fn callees(vm: &AttachedVm) -> CheckRow {
    let mut wrong: Vec<String> = Vec::new();
    let mut checked = 0;
    let callees = match &vm.flavor {
        Flavor::Jit(jit) => Some(&jit.callees),
        Flavor::Interpreter(_) => None,
    };
    for (address, name) in callees.into_iter().flat_map(CalleeNames::iter) {
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
        callees
            .into_iter()
            .flat_map(|callees| &callees.contradicted)
            .map(|role| format!("{role}: its callers disagree")),
    );
    let mut found = format!(
        "{} C functions named by their callers, {checked} of them have symbols",
        callees.map_or(0, CalleeNames::len)
    );
    if !wrong.is_empty() {
        found = format!("{found}; {}", wrong.join(", "));
    }
    row(Check::Callees, wrong.is_empty(), found)
}

fn schedulers(vm: &AttachedVm) -> CheckRow {
    use vm_tables::schedulers::SchedulerKind::{DirtyCpu, DirtyIo, Normal};
    let count = |kind| vm.schedulers.iter().filter(|s| s.kind == kind).count();
    // Where each has flags of its own, by the VM alone and by the layout.
    let flags = match *flags_pointers(&vm.memory, &vm.schedulers) {
        [place] if Some(place) == flags_pointer(&vm.layout) => "each shows whether it waits",
        _ => "of dirty ones it is not known which of them wait",
    };
    row(
        Check::Schedulers,
        count(Normal) > 0,
        format!(
            "{} normal, {} dirty CPU, {} dirty I/O; {flags}",
            count(Normal),
            count(DirtyCpu),
            count(DirtyIo)
        ),
    )
}

fn processes(vm: &AttachedVm) -> CheckRow {
    match vm.process_table.count(&vm.memory) {
        Ok(count) => row(Check::Processes, true, format!("{count}")),
        Err(error) => row(Check::Processes, false, error.to_string()),
    }
}
