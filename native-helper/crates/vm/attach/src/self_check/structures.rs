//! The part of the self-check that is about where the VM's structures are.

use vm_anchors::{AnchorSource, Anchors, Finder};
use vm_layout::Flavor;
use vm_layout::TableError;

use super::{Check, CheckRow, row};
use crate::erlang_code::code_index;
use crate::vm::AttachedVm;

/// Where the VM's structures are. The scan has to find the same addresses as the symbols.
pub(super) fn structures(vm: &AttachedVm) -> CheckRow {
    let ranges = vm.objects.emulator_ranges();
    let no_symbols = |_: &str| None::<u64>;
    let finder = Finder::new(&vm.memory, &no_symbols, &ranges);
    let mut comparison = Comparison::default();
    let mut compare = |name, source, same| comparison.add(name, source, same);
    let version = finder.version().map(|version| version == vm.version);
    compare("release", vm.version_source, version);
    let list = match vm.layout.flavor {
        Flavor::Jit(_) => finder.descriptor(),
        Flavor::Interpreter(layout) => finder.module_images(layout),
    };
    let same = list.map(|list| list.address == vm.code_list.address);
    compare("list of code", vm.code_list.source, same);
    if let (Flavor::Jit(_), Some(known)) = (&vm.flavor, vm.code_index) {
        let same = code_index(&vm.memory, &finder, &vm.code)
            .map(|(_, by_fragments)| by_fragments == Some(known.address));
        compare("code index", known.source, same);
    }
    compare_tables(vm, finder.anchors(), &mut comparison);
    let ok = comparison.wrong.is_empty();
    let mut found = comparison.found();
    if ok && vm.code_index.is_none() {
        found.push("no code index: more is marked [code reloaded] while modules are loaded".into());
    }
    row(Check::Structures, ok, found.join("; "))
}

/// The tables that lie among the emulator's variables.
fn compare_tables(
    vm: &AttachedVm,
    scanned: Result<Anchors, TableError>,
    comparison: &mut Comparison,
) {
    let known = &vm.anchors;
    let scanned = match scanned {
        Ok(scanned) => scanned,
        Err(error) => return comparison.add("tables", known.atoms.source, Err(error)),
    };
    for (name, known, scanned) in [
        ("atoms", Some(known.atoms), Some(scanned.atoms)),
        ("BIFs", Some(known.bifs), Some(scanned.bifs)),
        ("processes", Some(known.processes), Some(scanned.processes)),
        ("ports", known.ports, scanned.ports),
    ] {
        let source = known.map_or(AnchorSource::Scan, |anchor| anchor.source);
        let same = known.map(|anchor| anchor.address) == scanned.map(|it| it.address);
        comparison.add(name, source, Ok(same && known.is_some()));
    }
    let same = known.schedulers == scanned.schedulers;
    comparison.add("schedulers", known.scheduler_source, Ok(same));
}

/// How structures were found when attaching, and which of them the scan does not find there.
#[derive(Default)]
struct Comparison {
    by_symbol: Vec<&'static str>,
    by_scan: Vec<&'static str>,
    wrong: Vec<String>,
}

impl Comparison {
    fn add(&mut self, name: &'static str, source: AnchorSource, same: Result<bool, TableError>) {
        match source {
            AnchorSource::Symbol => self.by_symbol.push(name),
            AnchorSource::Scan => self.by_scan.push(name),
        }
        match same {
            Ok(true) => {}
            Ok(false) => self
                .wrong
                .push(format!("{name}: the scan finds another place")),
            Err(error) => self.wrong.push(format!("{name}: {error}")),
        }
    }

    fn found(&self) -> Vec<String> {
        let (by_symbol, by_scan) = (self.by_symbol.join(", "), self.by_scan.join(", "));
        if !self.wrong.is_empty() {
            let ways = [
                format!("by symbol: {by_symbol}"),
                format!("by scan: {by_scan}"),
            ];
            return ways.into_iter().chain(self.wrong.iter().cloned()).collect();
        }
        let mut found = Vec::new();
        if !by_symbol.is_empty() {
            found.push(format!("by symbol, and the scan agrees: {by_symbol}"));
        }
        if !by_scan.is_empty() {
            found.push(format!("by scan: {by_scan}"));
        }
        found
    }
}
