//! One look for all anchors.

use std::cell::OnceCell;

use retry::{AfterFailure, GaveUp, Retry};
use target_memory::TargetMemory;

use super::atom_table::INDEX_NAME;
use super::element_table::{self, ElementKind};
use super::scheduler_arrays::{self, SchedulerScan};
use super::{
    allocator_table, atom_table, bif_table, descriptor, node_name, node_table, registered, release,
    resource_types, scheduling,
};
use arch::code_index_address;
use vm_code::ranges::find_ranges;
use vm_layout::breakpoints::EXPORT_INDICES;
use vm_layout::emulator_image::{EmulatorImage, ImageRanges};
use vm_layout::vm_version::{VmVersion, read_node_name, read_version};
use vm_layout::{AtomName, InterpreterLayout};
use vm_layout::{EmulatorSymbols, TableError};
use vm_tables::atoms::AtomTable;
use vm_tables::nodes::IdleEntry;
use vm_tables::resource_types::ResourceTypes;
use vm_tables::schedulers::{SchedulerArray, arrays_by_symbols};
use vm_tables::scheduling::{SchedulerNumbers, SchedulingTable};

/// How a structure was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorSource {
    /// By its symbol.
    Symbol,
    /// By its appearance.
    Scan,
}

/// One structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// Address in the target.
    pub address: u64,
    /// How it was found.
    pub source: AnchorSource,
}

/// Where everything is that attaching needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchors {
    /// Atom table.
    pub atoms: Anchor,
    /// How it holds names.
    pub atom_names: AtomName,
    /// Table of built-in functions.
    pub bifs: Anchor,
    /// Process table.
    pub processes: Anchor,
    /// Port table, when found.
    pub ports: Option<Anchor>,
    /// Normal, dirty CPU and dirty I/O schedulers.
    pub schedulers: [SchedulerArray; 3],
    /// How those were found.
    pub scheduler_source: AnchorSource,
}

/// Pauses between looks at an index of code that is just being changed.
const WHILE_CODE_IS_LOADED: Retry = Retry::after_pauses_ms(&[1, 3, 7, 15, 30, 60]);

/// Looks for structures, by symbol first. The emulator's variables are read when first needed.
pub struct Finder<'a, M, S> {
    memory: &'a M,
    symbols: &'a S,
    ranges: &'a ImageRanges,
    image: OnceCell<EmulatorImage>,
}

impl<'a, M: TargetMemory, S: EmulatorSymbols> Finder<'a, M, S> {
    /// A look at the VM whose emulator is loaded at `ranges`.
    pub fn new(memory: &'a M, symbols: &'a S, ranges: &'a ImageRanges) -> Self {
        Self {
            memory,
            symbols,
            ranges,
            image: OnceCell::new(),
        }
    }

    fn image(&self) -> Result<&EmulatorImage, TableError> {
        if let Some(image) = self.image.get() {
            return Ok(image);
        }
        let image = EmulatorImage::read(self.memory, self.ranges)?;
        Ok(self.image.get_or_init(|| image))
    }

    /// Release and flavor.
    pub fn version(&self) -> Result<VmVersion, TableError> {
        match read_version(self.memory, self.symbols) {
            Err(TableError::NoSymbol { .. }) => release::release_of(self.image()?),
            result => result,
        }
    }

    /// The name of the node, when it has one.
    pub fn node_name(&self) -> Option<String> {
        match self.symbols.address_of("erts_this_node_sysname") {
            Some(_) => read_node_name(self.memory, self.symbols),
            None => node_name::node_name(self.image().ok()?),
        }
    }

    /// The JIT's list of loaded code.
    pub fn descriptor(&self) -> Result<Anchor, TableError> {
        self.one(
            "__jit_debug_descriptor",
            "the JIT's list of loaded code",
            "chain of code descriptions that holds the emulator's own",
            |image| Ok(descriptor::candidates(self.memory, image)),
        )
    }

    /// Where the JIT's shared fragments at `base` load the number of the active code index from.
    /// `None` when they do not agree, or when the address is no variable.
    pub fn code_index_of_fragments(&self, code: &[u8], base: u64) -> Option<u64> {
        code_index_address(code, base).filter(|address| self.ranges.is_variable(*address))
    }

    /// The number of the active code index: by symbol, else the place that the fragments load it from.
    pub fn code_index(&self, by_fragments: Option<u64>) -> Option<Anchor> {
        let (address, source) = match self.symbols.address_of("the_active_code_index") {
            Some(address) => (address, AnchorSource::Symbol),
            None => (by_fragments?, AnchorSource::Scan),
        };
        Some(Anchor { address, source })
    }

    /// The index of module images, which no emulator exports.
    pub fn module_images(&self, layout: InterpreterLayout) -> Result<Anchor, TableError> {
        let mut is_first = true;
        let look = || {
            if std::mem::take(&mut is_first) {
                return find_ranges(self.memory, self.image()?, layout);
            }
            let image = EmulatorImage::read(self.memory, self.ranges)?;
            find_ranges(self.memory, &image, layout)
        };
        // One of its copies is rebuilt whenever a module is loaded; a moment later it is whole.
        let found = WHILE_CODE_IS_LOADED.run(look, |error| {
            AfterFailure::again_if(matches!(error, TableError::NotFound { .. }))
        });
        let source = AnchorSource::Scan;
        found
            .map(|address| Anchor { address, source })
            .map_err(GaveUp::into_error)
    }

    /// Everything but the list of code.
    pub fn anchors(&self) -> Result<Anchors, TableError> {
        let (atoms, atom_names) = self.atoms()?;
        let (schedulers, scheduler_source) = self.schedulers()?;
        let bifs = self.one(
            "bif_table",
            "the table of built-in functions",
            "long run of entries of atoms and code",
            |image| {
                let mut table = AtomTable::with_names(atoms.address, atom_names);
                let mut runs = bif_table::candidates(self.memory, image, &mut table);
                // The longest run is it: the others are parts of other tables.
                runs.truncate(1);
                Ok(runs)
            },
        )?;
        Ok(Anchors {
            atoms,
            atom_names,
            bifs,
            processes: self.elements("erts_proc", "the process table", ElementKind::Process)?,
            ports: self
                .elements("erts_port", "the port table", ElementKind::Port)
                .ok(),
            schedulers,
            scheduler_source,
        })
    }

    fn atoms(&self) -> Result<(Anchor, AtomName), TableError> {
        if let Some(address) = self.symbols.address_of("erts_atom_table") {
            let names = AtomTable::detect_names(self.memory, address).ok_or_else(|| {
                TableError::malformed("atom table", "the first atoms are not false and true")
            })?;
            let source = AnchorSource::Symbol;
            return Ok((Anchor { address, source }, names));
        }
        let found = atom_table::candidates(self.memory, self.image()?);
        let wanted = "index table called atom_tab whose first atoms are false and true";
        let address = only(
            found.iter().map(|(address, _)| *address).collect(),
            "the atom table",
            wanted,
        )?;
        let names = found.first().map_or(AtomName::Pointer, |(_, form)| *form);
        let source = AnchorSource::Scan;
        Ok((Anchor { address, source }, names))
    }

    fn elements(
        &self,
        symbol: &str,
        table: &'static str,
        kind: ElementKind,
    ) -> Result<Anchor, TableError> {
        let wanted = "aligned table whose elements all have identifiers of one kind";
        self.one(symbol, table, wanted, |image| {
            Ok(element_table::candidates(self.memory, image, kind))
        })
    }

    /// The table of registered names. It is a static variable, so no release exports it.
    pub fn registered(&self) -> Result<Anchor, TableError> {
        let wanted = "hash table called process_reg that holds a process";
        self.one("process_reg", "the registered names", wanted, |image| {
            Ok(registered::candidates(self.memory, image))
        })
    }

    /// Segments and size of the index of exported functions: of its copies, one for each code index, the one that
    /// knows most of them. It is a static variable, so no release exports it.
    pub fn exports(&self) -> Option<(u64, u32)> {
        let image = self.image().ok()?;
        let names = EXPORT_INDICES.map(|name| image.addresses_of_string(name));
        let copies = image.words().filter_map(|(address, word)| {
            let is_name = names.iter().any(|places| places.contains(&word));
            let index = address.checked_sub(INDEX_NAME).filter(|_| is_name)?;
            // An index like that of atoms.
            let count = AtomTable::new(index).count(self.memory).ok()?;
            Some((count, self.memory.read_u64_at(index, 120).ok()?))
        });
        copies.max().map(|(count, segments)| (segments, count))
    }

    /// The table of nodes.
    pub fn nodes(&self) -> Result<Anchor, TableError> {
        let wanted = "hash table called dist_table that holds the VM itself";
        self.one("erts_dist_table", "the table of nodes", wanted, |image| {
            Ok(node_table::candidates(self.memory, image))
        })
    }

    /// What the VM knows of its allocators.
    pub fn allocators(&self) -> Result<Anchor, TableError> {
        let wanted = "table whose entries lead to allocators of their own number";
        self.one("erts_allctrs_info", "the allocators", wanted, |image| {
            Ok(allocator_table::candidates(self.memory, image))
        })
    }

    /// The same by its appearance, whether or not a symbol leads to it.
    pub fn scan_allocators(&self) -> Result<Vec<u64>, TableError> {
        Ok(allocator_table::candidates(self.memory, self.image()?))
    }

    /// Where the VM counts the schedulers online, of all these. It is a static variable that begins with a mutex of
    /// unknown length, so its symbol would not lead to the counters.
    pub fn scheduling(&self, arrays: &[SchedulerArray; 3]) -> Result<SchedulingTable, TableError> {
        let all = SchedulerNumbers::of(arrays);
        let wanted = "variable that counts no more schedulers online than there are";
        let found = scheduling::candidates(self.image()?, &all);
        let address = only(found, "the schedulers online", wanted)?;
        Ok(SchedulingTable { address, all })
    }

    /// The types of resources, whose variable no release exports. `is_code` returns whether an address is in the code of
    /// a mapped file.
    pub fn resource_types(
        &self,
        atoms: &mut AtomTable,
        is_code: impl Fn(u64) -> bool,
    ) -> Result<ResourceTypes, TableError> {
        let wanted = "circle of types with names and destructors";
        let found = resource_types::candidates(self.memory, self.image()?, atoms, is_code);
        only(found, "the types of resources", wanted)
    }

    /// The entry of the VM itself in the table of nodes: the target of its variable; without symbols, the
    /// only one of `idle` that more variables point to than the one for their list.
    pub fn own_node(&self, idle: &[IdleEntry]) -> Option<u64> {
        match self.symbols.address_of("erts_this_dist_entry") {
            Some(address) => self.memory.read_u64(address).ok(),
            None => node_table::own_entry(self.image().ok()?, idle),
        }
    }

    fn schedulers(&self) -> Result<([SchedulerArray; 3], AnchorSource), TableError> {
        match arrays_by_symbols(self.memory, self.symbols) {
            Ok(arrays) => Ok((arrays, AnchorSource::Symbol)),
            Err(TableError::NoSymbol { .. }) => {
                Ok((self.scan_schedulers()?.arrays, AnchorSource::Scan))
            }
            Err(error) => Err(error),
        }
    }

    /// The facts in the scheduler structs about themselves, whether or not symbols lead to them.
    pub fn scan_schedulers(&self) -> Result<SchedulerScan, TableError> {
        scheduler_arrays::scan(self.memory, self.image()?)
    }

    fn one(
        &self,
        symbol: &str,
        table: &'static str,
        wanted: &'static str,
        scan: impl Fn(&EmulatorImage) -> Result<Vec<u64>, TableError>,
    ) -> Result<Anchor, TableError> {
        if let Some(address) = self.symbols.address_of(symbol) {
            let source = AnchorSource::Symbol;
            return Ok(Anchor { address, source });
        }
        let address = only(scan(self.image()?)?, table, wanted)?;
        let source = AnchorSource::Scan;
        Ok(Anchor { address, source })
    }
}

/// The candidate, when there is just one.
fn only<T: Copy>(
    candidates: Vec<T>,
    table: &'static str,
    wanted: &'static str,
) -> Result<T, TableError> {
    match *candidates.as_slice() {
        [only] => Ok(only),
        [] => Err(TableError::NotFound { table, wanted }),
        _ => Err(TableError::Ambiguous {
            table,
            candidates: candidates.len(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    /// A list of code at 0x10000, and a second one at 0x10020 when `twice`.
    fn vm(twice: bool) -> (SnapshotMemory, ImageRanges) {
        let mut memory = SnapshotMemory::new();
        let second = if twice { [1, 0, 0x20_000] } else { [0, 0, 0] };
        let list = [[1, 0, 0x20_000], second].concat();
        let variables = [&list[..3], &[0], &list[3..], &[0]].concat();
        memory
            .map_words(0x10_000, &variables)
            .map_words(0x20_000, &[0, 0, 0x21_000, 32])
            .map_words(0x21_000, &[0, 0, 0xe417, 0]);
        let ranges = ImageRanges {
            variables: vec![(0x10_000, 0x10_040)],
            ..ImageRanges::default()
        };
        (memory, ranges)
    }

    #[test]
    fn a_symbol_is_believed_and_nothing_else_read() {
        let (memory, ranges) = (SnapshotMemory::new(), ImageRanges::default());
        let symbols = |name: &str| (name == "__jit_debug_descriptor").then_some(0x77);
        let found = Finder::new(&memory, &symbols, &ranges)
            .descriptor()
            .unwrap();
        let source = AnchorSource::Symbol;
        assert_eq!(
            found,
            Anchor {
                address: 0x77,
                source
            }
        );
    }

    #[test]
    fn without_one_the_only_place_that_fits_is_taken_and_of_two_none() {
        let no_symbols = |_: &str| None::<u64>;
        let (memory, ranges) = vm(false);
        let found = Finder::new(&memory, &no_symbols, &ranges)
            .descriptor()
            .unwrap();
        let source = AnchorSource::Scan;
        assert_eq!(
            found,
            Anchor {
                address: 0x10_000,
                source
            }
        );
        let (memory, ranges) = vm(true);
        let error = Finder::new(&memory, &no_symbols, &ranges)
            .descriptor()
            .unwrap_err();
        assert!(
            matches!(error, TableError::Ambiguous { candidates: 2, .. }),
            "{error}"
        );
    }

    #[test]
    fn what_is_not_there_is_named() {
        let no_symbols = |_: &str| None::<u64>;
        let (memory, ranges) = vm(false);
        let finder = Finder::new(&memory, &no_symbols, &ranges);
        let error = finder.anchors().unwrap_err().to_string();
        assert!(error.starts_with("cannot find the atom table"), "{error}");
        let error = finder.version().unwrap_err().to_string();
        assert!(error.starts_with("cannot find the release"), "{error}");
        assert_eq!(finder.node_name(), None);
    }
}
