//! The part of the self-check that is about where the VM's structures are.

use vm_anchors::{AnchorSource, Finder};
use vm_layout::Flavor;
use vm_layout::TableError;

use crate::erlang_code::code_index;
use crate::self_check::{Check, CheckRow, row};
use crate::vm::AttachedVm;

/// Where the VM's structures are. What a symbol led to has to be what the scan finds as well.
pub(crate) fn structures(vm: &AttachedVm) -> CheckRow {
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
    if let (Flavor::Jit, Some(known)) = (vm.layout.flavor, vm.code_index) {
        let same =
            code_index(&vm.memory, &finder, &vm.code).map(|(_, said)| said == Some(known.address));
        compare("code index", known.source, same);
    }
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
    if vm.code_index.is_none() {
        found.push("no code index: more is marked [code reloaded] while modules are loaded".into());
    }
    let ok = wrong.is_empty();
    if !ok {
        found = [format!("by symbol: {}", by_symbol.join(", "))].to_vec();
        found.push(format!("by scan: {}", by_scan.join(", ")));
        found.extend(wrong);
    }
    row(Check::Structures, ok, found.join("; "))
}
