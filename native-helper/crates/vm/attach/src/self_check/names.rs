//! Where the names of C functions come from.

use std::collections::BTreeMap;

use native_code::NameSource;
use shared_sort::SharedSort;

use super::{Check, CheckRow, row};
use crate::debug_symbols::DebugSymbols;
use crate::vm::AttachedVm;

/// Most names listed of a set.
const LISTED: usize = 12;

/// The tables of NIF libraries and drivers, those linked with the emulator among them.
pub fn native_tables(vm: &AttachedVm) -> CheckRow {
    let tables = &vm.native_tables;
    let mut found = format!(
        "{} C functions named by the tables of {} NIF modules ({}) and {} drivers ({})",
        tables.len(),
        tables.modules.len(),
        listed(&tables.modules),
        tables.drivers.len(),
        listed(&tables.drivers),
    );
    if !tables.unconfirmed.is_empty() {
        let unconfirmed = listed(&tables.unconfirmed);
        found = format!("{found}; not used, as the modules are not loaded: {unconfirmed}");
    }
    row(Check::NativeTables, true, found)
}

fn listed(names: &[String]) -> String {
    let mut text = names
        .iter()
        .take(LISTED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > LISTED {
        text.push_str(", ...");
    }
    text
}

/// How many functions of the emulator have names, and the sources of the names.
pub fn names(vm: &AttachedVm) -> CheckRow {
    let Some(emulator) = vm.objects.emulator() else {
        return row(Check::Names, false, "there is no emulator".to_owned());
    };
    let mut sources: BTreeMap<String, usize> = BTreeMap::new();
    let (mut functions, mut named) = (0, 0);
    for start_svma in emulator.image.unwind_table().function_starts() {
        let Some(function) = emulator.image.function_at(start_svma) else {
            continue;
        };
        let start_avma = function.start_svma.wrapping_add(emulator.bias);
        let source = match function.source {
            NameSource::UnwindBounds if vm.bifs.name_of(start_avma).is_some() => "BIF table".into(),
            NameSource::UnwindBounds if vm.native_tables.name_of(start_avma).is_some() => {
                "NIF and driver tables".into()
            }
            NameSource::UnwindBounds if vm.callee_name(start_avma).is_some() => "callers".into(),
            source => source.to_string(),
        };
        functions += 1;
        named += usize::from(source != NameSource::UnwindBounds.to_string());
        *sources.entry(source).or_default() += 1;
    }
    let mut parts: Vec<(String, usize)> = sources.into_iter().collect();
    parts.shared_sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let parts: Vec<String> = parts
        .iter()
        .map(|(source, count)| format!("{count} {source}"))
        .collect();
    row(
        Check::Names,
        functions > 0,
        format!(
            "{functions} functions of the emulator, {named} named: {}",
            parts.join(", ")
        ),
    )
}

/// Separate debug files. One that was refused is worth a warning: someone put it there to be used.
pub fn debug_files(vm: &AttachedVm) -> CheckRow {
    let (mut used, mut refused) = (Vec::new(), Vec::new());
    for object in &vm.objects.read {
        match &object.debug {
            DebugSymbols::Added { path, functions } => {
                used.push(format!("{} ({functions} functions)", path.display()));
            }
            DebugSymbols::Refused(reasons) => refused.extend(reasons.iter().cloned()),
            DebugSymbols::NotNeeded | DebugSymbols::Absent => {}
        }
    }
    let mut found = match used.is_empty() {
        true => "none found".to_owned(),
        false => listed(&used),
    };
    if !refused.is_empty() {
        found = format!("{found}; refused: {}", listed(&refused));
    }
    row(Check::DebugFiles, refused.is_empty(), found)
}
