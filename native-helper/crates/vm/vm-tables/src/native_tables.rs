//! The tables of NIF libraries and drivers: which C function is which Erlang function.
//!
//! A library's `nif_init` returns a static `ErlNifEntry` {i32 major, i32 minor; char *name;
//! i32 functions; ErlNifFunc *functions; ... ; char *vm_variant at 64} and each `ErlNifFunc` is
//! {char *name; u32 arity; function; u32 flags}. A driver is an `ErlDrvEntry` of callbacks. Both
//! are public interfaces (`erl_nif.h`, `erl_driver.h`), the same on every release, and the dynamic
//! linker has filled in the pointers: so they are found in the library's own variables, without
//! the VM's tables and without symbols.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use shared_sort::SharedSort;
use target_memory::{TargetMemory, bytes_to_words, u32_at, u64_at};

use crate::atoms::quoted;
use vm_layout::emulator_image::ImageRanges;

/// Of more variables than this the first are searched: initialised ones come first.
const MAX_VARIABLES_BYTES: usize = 32 << 20;
const MAX_NAME_BYTES: usize = 255;
const MAX_FUNCTIONS: usize = 4096;
/// Libraries and drivers of one object: the emulator has some twenty.
const MAX_TABLES: usize = 256;
/// Strings looked at in all objects of a VM: the emulator's tables have some hundred.
const MAX_STRINGS: u32 = 1 << 16;
/// C functions known by one address that are all listed; of more the first are.
const MAX_LISTED: usize = 3;

/// `sizeof(ErlNifEntry)` without the fields that are not read.
const NIF_ENTRY_BYTES: usize = 72;
const NIF_MAJOR: u32 = 2;
/// Since 2.7 (R17.3) `ErlNifFunc` has its flags, and so its present size.
const NIF_MINORS: std::ops::RangeInclusive<u32> = 7..=99;
const NIF_FUNCTION_BYTES: usize = 32;
/// Normal, dirty CPU, dirty I/O.
const MAX_NIF_FLAG: u32 = 2;
const VM_VARIANT: &str = "beam.vanilla";

/// Offset of `extended_marker`, after which come i32 major, minor and flags.
const DRIVER_MARKER_AT: usize = 128;
const DRIVER_ENTRY_BYTES: usize = 176;
const DRIVER_MARKER: u32 = 0xfeee_eeed;
const DRIVER_MAJOR: u32 = 3;
const DRIVER_NAME_AT: usize = 48;
const DRIVER_CALLBACKS: [(usize, &str); 16] = [
    (0, "init"),
    (8, "start"),
    (16, "stop"),
    (24, "output"),
    (32, "ready_input"),
    (40, "ready_output"),
    (56, "finish"),
    (72, "control"),
    (80, "timeout"),
    (88, "outputv"),
    (96, "ready_async"),
    (104, "flush"),
    (112, "call"),
    (152, "process_exit"),
    (160, "stop_select"),
    (168, "emergency_close"),
];

/// What a C function is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableKind {
    /// A native function of an Erlang module.
    Nif,
    /// A callback of a driver.
    Driver,
}

/// The name of a C function by a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    /// `gt_nif:busy/1`, or `udp_inet:output (driver)`; of a function known by several names all.
    pub shown: Box<str>,
    /// Which table.
    pub kind: TableKind,
}

/// An object with tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeLibrary {
    /// The last part of its path.
    pub file: String,
    /// Erlang modules that it has NIFs of, those that are loaded.
    pub modules: Vec<String>,
    /// Drivers that it has.
    pub drivers: Vec<String>,
}

/// The names that the tables of all objects give.
#[derive(Debug, Clone, Default)]
pub struct NativeTables {
    names: HashMap<u64, TableName>,
    /// The objects that have any.
    pub libraries: Vec<NativeLibrary>,
    /// Erlang modules with a table of NIFs.
    pub modules: Vec<String>,
    /// Drivers with a table of callbacks.
    pub drivers: Vec<String>,
    /// Tables whose module is not loaded: none of their names is used.
    pub unconfirmed: Vec<String>,
}

impl NativeTables {
    /// Searches the variables of objects, each with the name of its file. `is_loaded` returns whether the VM has a
    /// module of that name: a table for any other is not believed.
    pub fn read(
        memory: &impl TargetMemory,
        objects: &[(String, ImageRanges)],
        is_loaded: impl Fn(&str) -> bool,
    ) -> Self {
        let mut tables = Self::default();
        let mut found: BTreeMap<u64, Vec<Function>> = BTreeMap::new();
        let strings_left = Cell::new(MAX_STRINGS);
        for (file, ranges) in objects {
            let object = Object {
                memory,
                ranges,
                strings_left: &strings_left,
            };
            let mut library = NativeLibrary {
                file: file.clone(),
                modules: Vec::new(),
                drivers: Vec::new(),
            };
            for (module, functions) in object.nif_libraries() {
                if !is_loaded(&module) {
                    tables.unconfirmed.push(module);
                    continue;
                }
                library.modules.push(module.clone());
                tables.modules.push(module);
                for (start, function) in functions {
                    found.entry(start).or_default().push(function);
                }
            }
            for (driver, functions) in object.drivers() {
                library.drivers.push(driver.clone());
                tables.drivers.push(driver);
                for (start, function) in functions {
                    found.entry(start).or_default().push(function);
                }
            }
            // A file may be mapped in several pieces.
            let has_any = !library.modules.is_empty() || !library.drivers.is_empty();
            if has_any && !tables.libraries.contains(&library) {
                tables.libraries.push(library);
            }
        }
        tables.names = found
            .into_iter()
            .filter_map(|(start, functions)| Some((start, name_of_all(functions)?)))
            .collect();
        tables
    }

    /// The name of the C function that starts at an address.
    pub fn name_of(&self, function_start: u64) -> Option<&TableName> {
        self.names.get(&function_start)
    }

    /// Number of C functions named.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True when nothing is named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    kind: TableKind,
    /// `gt_nif:busy` or `udp_inet:output`.
    name: String,
    /// Of a NIF.
    arity: Option<u32>,
}

/// One C function may implement several Erlang functions; which of them is meant it alone knows.
fn name_of_all(mut functions: Vec<Function>) -> Option<TableName> {
    functions.shared_sort();
    functions.dedup();
    let kind = functions.first()?.kind;
    let mut shown = String::new();
    let mut last_name = "";
    for (index, function) in functions.iter().enumerate() {
        if index == MAX_LISTED {
            shown.push_str(" or others");
            break;
        }
        if index > 0 {
            shown.push_str(" or ");
        }
        if function.name != last_name {
            shown.push_str(&function.name);
        }
        last_name = &function.name;
        match function.arity {
            Some(arity) => shown.push_str(&format!("/{arity}")),
            None => shown.push_str(" (driver)"),
        }
    }
    Some(TableName {
        shown: shown.into(),
        kind,
    })
}

/// A name, and its functions with where they start.
type Table = (String, Vec<(u64, Function)>);

struct Object<'a, M> {
    memory: &'a M,
    ranges: &'a ImageRanges,
    strings_left: &'a Cell<u32>,
}

impl<M: TargetMemory> Object<'_, M> {
    fn nif_libraries(&self) -> Vec<Table> {
        let begins =
            |word: u64| word as u32 == NIF_MAJOR && NIF_MINORS.contains(&((word >> 32) as u32));
        self.entries(0, NIF_ENTRY_BYTES, begins, |entry| self.nif_library(entry))
    }

    fn drivers(&self) -> Vec<Table> {
        let marked =
            |word: u64| word as u32 == DRIVER_MARKER && (word >> 32) as u32 == DRIVER_MAJOR;
        self.entries(DRIVER_MARKER_AT, DRIVER_ENTRY_BYTES, marked, |entry| {
            self.driver(entry)
        })
    }

    /// Entries of `bytes` bytes among the variables whose word at `mark_at` looks right and that
    /// `parse` accepts.
    fn entries(
        &self,
        mark_at: usize,
        bytes: usize,
        looks_right: impl Fn(u64) -> bool,
        parse: impl Fn(&[u8]) -> Option<Table>,
    ) -> Vec<Table> {
        let mut found = Vec::new();
        for &(start, end) in &self.ranges.variables {
            let first = start.checked_next_multiple_of(8).unwrap_or(end);
            let length = end.saturating_sub(first).min(MAX_VARIABLES_BYTES as u64) as usize;
            let Ok(variables) = self.memory.read_vec(first, length, MAX_VARIABLES_BYTES) else {
                continue;
            };
            for (index, word) in bytes_to_words(&variables).enumerate() {
                let entry = (index * 8)
                    .checked_sub(mark_at)
                    .filter(|_| looks_right(word))
                    .and_then(|at| variables.get(at..at.checked_add(bytes)?));
                if found.len() < MAX_TABLES
                    && let Some(table) = entry.and_then(&parse)
                {
                    found.push(table);
                }
            }
        }
        found
    }

    fn nif_library(&self, entry: &[u8]) -> Option<Table> {
        let variant = self.string(u64_at(entry, 64)?)?;
        let module = self.string(u64_at(entry, 8)?)?;
        let count = u32_at(entry, 16)? as usize;
        let [functions, load, reload, upgrade, unload] =
            [24, 32, 40, 48, 56].map(|at| u64_at(entry, at).unwrap_or(u64::MAX));
        let callbacks = [load, reload, upgrade, unload];
        if variant != VM_VARIANT
            || count > MAX_FUNCTIONS
            || !callbacks
                .iter()
                .all(|&at| at == 0 || self.ranges.is_code(at))
        {
            return None;
        }
        let bytes = count * NIF_FUNCTION_BYTES;
        let array = match count {
            0 => Vec::new(),
            _ => self.memory.read_vec(functions, bytes, bytes).ok()?,
        };
        let shown_module = quoted(&module);
        let functions = array
            .chunks_exact(NIF_FUNCTION_BYTES)
            .map(|function| self.nif_function(&shown_module, function))
            .collect::<Option<Vec<_>>>()?;
        Some((module, functions))
    }

    fn nif_function(&self, module: &str, function: &[u8]) -> Option<(u64, Function)> {
        let name = self.string(u64_at(function, 0)?)?;
        let (arity, start, flags) = (
            u32_at(function, 8)?,
            u64_at(function, 16)?,
            u32_at(function, 24)?,
        );
        if name.is_empty() || arity > 255 || flags > MAX_NIF_FLAG || !self.ranges.is_code(start) {
            return None;
        }
        let function = Function {
            kind: TableKind::Nif,
            name: format!("{module}:{}", quoted(&name)),
            arity: Some(arity),
        };
        Some((start, function))
    }

    fn driver(&self, entry: &[u8]) -> Option<Table> {
        let driver = self.string(u64_at(entry, DRIVER_NAME_AT)?)?;
        if driver.is_empty() {
            return None;
        }
        let mut functions = Vec::new();
        for (at, callback) in DRIVER_CALLBACKS {
            let start = u64_at(entry, at)?;
            if start == 0 {
                continue;
            }
            if !self.ranges.is_code(start) {
                return None;
            }
            let function = Function {
                kind: TableKind::Driver,
                name: format!("{driver}:{callback}"),
                arity: None,
            };
            functions.push((start, function));
        }
        // Without any callback it is not a driver but a coincidence.
        (!functions.is_empty()).then_some((driver, functions))
    }

    /// A C string of the object's own, printable and not long.
    fn string(&self, address: u64) -> Option<String> {
        self.strings_left
            .set(self.strings_left.get().checked_sub(1)?);
        let ranges = self.ranges;
        let parts = [&ranges.constants, &ranges.variables, &ranges.code];
        let (_, end) = parts
            .iter()
            .flat_map(|parts| parts.iter())
            .find(|(start, end)| (*start..*end).contains(&address))?;
        let longest = (end - address).min(MAX_NAME_BYTES as u64 + 1) as usize;
        let bytes = self.memory.read_vec(address, longest, longest).ok()?;
        let length = bytes.iter().position(|&byte| byte == 0)?;
        let text = str::from_utf8(bytes.get(..length)?).ok()?;
        (!text.chars().any(char::is_control)).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests;
