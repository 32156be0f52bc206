//! How an attached VM uses its memory.

use std::fs::File;
use std::io::Read;

use shared_sort::SharedSort;
use target_memory::{TargetMemory, bytes_to_words, u64_at};
use target_proc::Mapping;
use target_proc::maps::parse_maps;
use target_proc::process::is_emulator_name;
use target_proc::purpose::{
    Range, malloc_heaps, mappings_of, private_memory, thread_stacks, without,
};
use target_proc::resident::{Pages, Resident, ends_of_guards, resident_of_ranges};
use target_proc::status::parse_status;
use vm_anchors::Finder;
use vm_layout::emulator_image::EmulatorImage;
use vm_layout::{Flavor, TableError};
use vm_memory::AllocatorTable;
use vm_memory::allocators::{Allocator, Allocators, allocators};
use vm_memory::ets::{EtsLists, EtsTables, bytes_of_names};
use vm_memory::literals::literals_of_modules;
use vm_memory::segment_cache::{MOST_NODE_BYTES, cached_segments};
use vm_memory::super_carrier::{super_carrier, wanted_bytes};
use vm_tables::native_tables::NativeLibrary;

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Whose carriers have the literals of modules.
const LITERALS: &str = "literal_alloc";
/// Carriers whose pages are counted; beyond this sum, the resident part is unknown for all.
const MAX_COUNTED_BYTES: u64 = 64 << 30;
/// For a VM with more mappings, some 40,000, the use of those without carriers is unknown.
const MAX_MAPS_BYTES: u64 = 4 << 20;
const MAX_STATUS_BYTES: u64 = 64 << 10;
const MAX_COMMAND_LINE_BYTES: u64 = 2 << 20;

/// How a VM uses its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryInUse {
    /// Allocators, with the sums of their blocks by use.
    pub allocators: Allocators,
    /// The resident bytes, in the order of `allocators`; `None` as above.
    pub resident_of_allocators: Vec<Option<u64>>,
    /// ETS tables.
    pub ets: EtsTables,
    /// The table of their names, bytes; `None` when it was not found.
    pub ets_names_bytes: Option<u64>,
    /// The resident part of all of it; `None` when the kernel does not report it.
    pub resident: Option<Resident>,
    /// Resident memory outside of carriers.
    pub resident_elsewhere: ResidentElsewhere,
    /// Code that the JIT has made, bytes; `None` where code is interpreted, which is in blocks like all else, and
    /// where the list of code could not be read again.
    pub jit_code_bytes: Option<u64>,
    /// Code by module; `None` where the list of code could not be read again.
    pub code: Option<CodeInUse>,
    /// Libraries with NIFs or drivers that are mapped now, without the emulator.
    pub native_libraries: Vec<NativeLibrary>,
}

/// Resident memory of a VM outside of carriers, by use, bytes; `None` when unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResidentElsewhere {
    /// Stacks of threads.
    pub thread_stacks: Option<u64>,
    /// Heaps of the C library's `malloc`.
    pub malloc: Option<u64>,
    /// Segments that the VM has freed and keeps; with a super carrier, also its part outside of carriers.
    pub cached_segments: Option<u64>,
    /// Code that the JIT has made, in shared memory: each of its two mappings counts the pages touched through it,
    /// as in the RSS. `None` where code is interpreted, too.
    pub jit_code: Option<u64>,
}

/// How much code modules have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeInUse {
    /// The newest generation of each.
    pub modules: Vec<ModuleInUse>,
    /// Modules of which it is not known which generation is the newest.
    pub left_out: u64,
}

/// How much code a module has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleInUse {
    /// Its name.
    pub name: String,
    /// Its code, bytes.
    pub bytes: u64,
    /// Its literals, bytes; `None` when they could not be read.
    pub literal_bytes: Option<u64>,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// The current use of its memory.
    ///
    /// # Errors
    /// A table cannot be found or read, or the process is not the one that was attached to any more.
    pub fn memory_in_use(&mut self) -> Result<MemoryInUse, AttachError> {
        let code_is_known = self.refresh_code().is_ok();
        // A process that has ended has no mappings: the look below reports that.
        let mappings = self.mappings_now().unwrap_or_default();
        let has_emulator = mappings.iter().any(|it| is_emulator_name(it.file_name()));
        if has_emulator && self.objects.refresh(&self.memory, &mappings) {
            self.refresh_native_tables();
        }
        self.look_with_pauses(|vm| {
            let (allocators, ets) = vm.read_memory()?;
            let rollup = vm.open_file("smaps_rollup");
            Ok(MemoryInUse {
                resident_of_allocators: vm.resident_of(&allocators.allocators),
                resident_elsewhere: vm.resident_elsewhere(&allocators.allocators),
                resident: rollup.and_then(|rollup| Resident::read(&rollup).ok()),
                jit_code_bytes: vm.jit_code_bytes().filter(|_| code_is_known),
                code: code_is_known.then(|| vm.code_in_use(&allocators.allocators)),
                native_libraries: vm.native_libraries(),
                allocators,
                ets_names_bytes: vm.ets_names(&ets),
                ets,
            })
        })
    }

    fn native_libraries(&self) -> Vec<NativeLibrary> {
        let libraries = self.native_tables.libraries.iter();
        libraries
            .filter(|library| !is_emulator_name(&library.file))
            .cloned()
            .collect()
    }

    /// The address of the VM's table of allocators: the value of the symbol, if there is one, and the
    /// candidates of a scan. For checks: the two have to be the same.
    ///
    /// # Errors
    /// The emulator's variables cannot be read.
    pub fn allocator_anchors(&self) -> Result<(Option<u64>, Vec<u64>), TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let finder = Finder::new(&self.memory, &symbols, &ranges);
        Ok((symbols("erts_allctrs_info"), finder.scan_allocators()?))
    }

    fn read_memory(&mut self) -> Result<(Allocators, EtsTables), TableError> {
        let table = self.allocator_table()?;
        let allocators = allocators(&self.memory, &table)?;
        let stride = self.layout.scheduler.stride;
        let lists = EtsLists::find(&self.memory, &self.schedulers, stride)?;
        let ets = lists.tables(&self.memory, &mut self.atoms)?;
        Ok((allocators, ets))
    }

    /// The length of the table of names, which never changes.
    fn ets_names(&mut self, ets: &EtsTables) -> Option<u64> {
        if self.ets_names_bytes.is_none() {
            let ranges = self.objects.emulator_ranges();
            let image = EmulatorImage::read(&self.memory, &ranges).ok()?;
            let words = image.words().map(|(_, word)| word);
            self.ets_names_bytes = bytes_of_names(&self.memory, words, &ets.tables);
        }
        self.ets_names_bytes
    }

    /// Where it has its allocators.
    ///
    /// # Errors
    /// They cannot be found or read.
    pub(crate) fn allocator_table(&self) -> Result<AllocatorTable, TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let finder = Finder::new(&self.memory, &symbols, &ranges);
        AllocatorTable::read(&self.memory, finder.allocators()?.address)
    }

    /// A file of its folder in `/proc`; `None` when the kernel refuses it.
    fn open_file(&self, name: &str) -> Option<File> {
        self.target.as_ref()?.open_file(name).ok()
    }

    fn resident_of(&self, allocators: &[Allocator]) -> Vec<Option<u64>> {
        let pagemap = self.open_file("pagemap");
        let mut left = MAX_COUNTED_BYTES;
        let mut resident = |allocator: &Allocator| {
            let ranges = allocator.found.iter().map(|it| (it.address, it.bytes));
            let ranges: Vec<(u64, u64)> = ranges.collect();
            let counted = resident_of_ranges(pagemap.as_ref()?, &ranges, Pages::Private, left)?;
            left = left.saturating_sub(allocator.carriers_bytes);
            Some(counted)
        };
        allocators.iter().map(&mut resident).collect()
    }

    fn resident_elsewhere(&self, allocators: &[Allocator]) -> ResidentElsewhere {
        let (Some(pagemap), Some(mappings)) = (self.open_file("pagemap"), self.mappings_now())
        else {
            return ResidentElsewhere::default();
        };
        let found = allocators.iter().flat_map(|it| &it.found);
        let carriers: Vec<Range> = found.map(|it| (it.address, it.bytes)).collect();
        let resident = |ranges: &[Range], pages| {
            resident_of_ranges(&pagemap, ranges, pages, MAX_COUNTED_BYTES)
        };
        let outside = |ranges: &[Range]| resident(&without(ranges, &carriers), Pages::Private);
        let stacks = || {
            let memory = without(&private_memory(&mappings), &carriers);
            let guards = ends_of_guards(&pagemap, &memory, MAX_COUNTED_BYTES)?;
            thread_stacks(&mappings, &guards, self.threads_now()?)
        };
        let jit_code = match self.flavor {
            Flavor::Jit(_) => {
                let bounds = self.code.current().bounds();
                let code = mappings_of(&mappings, bounds.map(|(start, _)| start));
                resident(&code, Pages::Shared).filter(|bytes| *bytes > 0)
            }
            Flavor::Interpreter(_) => None,
        };
        ResidentElsewhere {
            thread_stacks: stacks().and_then(|stacks| outside(&stacks)),
            malloc: outside(&malloc_heaps(&mappings, |address| {
                let bytes = self.memory.read_vec(address, 24, 24).ok()?;
                Some([0, 8, 16].map(|at| u64_at(&bytes, at).unwrap_or(0)))
            })),
            cached_segments: self
                .kept_segments(&mappings, &carriers)
                .and_then(|segments| outside(&segments)),
            jit_code,
        }
    }

    /// Segments that it has freed and keeps. With a super carrier, all of its memory counts; `None` when there is one
    /// and it was not found.
    fn kept_segments(&self, mappings: &[Mapping], carriers: &[Range]) -> Option<Vec<Range>> {
        let cached = self.cached_segments(mappings, carriers)?;
        let command_line = self.text("cmdline", MAX_COMMAND_LINE_BYTES)?;
        let command_line = String::from_utf8_lossy(&command_line);
        let Some(bytes) = wanted_bytes(command_line.split('\0')) else {
            return Some(cached);
        };
        let nameless = nameless_memory(mappings);
        let ranges = self.objects.emulator_ranges();
        let image = EmulatorImage::read(&self.memory, &ranges).ok()?;
        let words = image.words().map(|(_, word)| word);
        let whole = super_carrier(words, bytes, |start, length| {
            is_in(&nameless, start, length)
        })?;
        let mut kept = without(&cached, &[whole]);
        kept.push(whole);
        Some(kept)
    }

    /// Segments that it has freed and keeps; `None` where the program's break cannot be read.
    fn cached_segments(&self, mappings: &[Mapping], carriers: &[Range]) -> Option<Vec<Range>> {
        let start = mappings.iter().find(|it| it.path == "[heap]")?;
        let len_bytes =
            usize::try_from(start.len()).map_or(MOST_NODE_BYTES, |it| it.min(MOST_NODE_BYTES));
        let bytes = self
            .memory
            .read_vec(start.start, len_bytes, MOST_NODE_BYTES)
            .ok()?;
        let words: Vec<u64> = bytes_to_words(&bytes).collect();
        let mut free = without(&private_memory(mappings), carriers);
        free.shared_sort();
        let may_be = |address, bytes| is_in(&free, address, bytes);
        Some(cached_segments(&words, start.start, may_be))
    }

    fn mappings_now(&self) -> Option<Vec<Mapping>> {
        parse_maps(&self.text("maps", MAX_MAPS_BYTES)?).ok()
    }

    fn threads_now(&self) -> Option<u32> {
        let text = self.text("status", MAX_STATUS_BYTES)?;
        Some(parse_status(&text).ok()?.threads)
    }

    /// A file of its folder in `/proc`, whole; `None` when it is longer, or the kernel refuses it.
    fn text(&self, name: &str, most_bytes: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let file = self.open_file(name)?;
        file.take(most_bytes + 1).read_to_end(&mut text).ok()?;
        (text.len() as u64 <= most_bytes).then_some(text)
    }

    fn code_in_use(&self, allocators: &[Allocator]) -> CodeInUse {
        // Images of an interpreter come by address, and not by age.
        let is_by_age = matches!(self.flavor, Flavor::Jit(_));
        let newest = self.code.newest().into_iter();
        let (in_use, left_out): (Vec<_>, Vec<_>) =
            newest.partition(|(_, has_older)| is_by_age || !has_older);
        let headers: Vec<u64> = in_use.iter().map(|(module, _)| module.base).collect();
        let literals = allocators.iter().find(|it| it.name == LITERALS);
        let carriers = literals.map_or(&[][..], |literals| &literals.found);
        let literals = literals_of_modules(&self.memory, &headers, carriers).into_iter();
        let modules = in_use
            .into_iter()
            .zip(literals)
            .map(|((module, _), literal_bytes)| ModuleInUse {
                name: module.name.to_string(),
                bytes: u64::from(module.code_bytes),
                literal_bytes,
            });
        CodeInUse {
            modules: modules.collect(),
            left_out: left_out.len() as u64,
        }
    }

    /// Code that the JIT has made, bytes; `None` where code is interpreted.
    pub(crate) fn jit_code_bytes(&self) -> Option<u64> {
        match self.flavor {
            Flavor::Jit(_) => {
                let lengths = self.code.current().bounds();
                let lengths = lengths.map(|(start, end)| end.saturating_sub(start));
                Some(lengths.fold(0, u64::saturating_add))
            }
            Flavor::Interpreter(_) => None,
        }
    }
}

/// Whether one of `ranges`, which are sorted, has all of it.
fn is_in(ranges: &[Range], address: u64, bytes: u64) -> bool {
    let behind = ranges.partition_point(|(start, _)| *start <= address);
    let range = behind.checked_sub(1).and_then(|index| ranges.get(index));
    range.is_some_and(|(start, length)| {
        address.saturating_add(bytes) <= start.saturating_add(*length)
    })
}

/// Memory of no file, reserved or in use, in pieces that extend to the next gap.
fn nameless_memory(mappings: &[Mapping]) -> Vec<Range> {
    let mut pieces: Vec<Range> = Vec::new();
    for mapping in mappings.iter().filter(|it| it.path.is_empty()) {
        match pieces.last_mut() {
            Some((start, length)) if *start + *length == mapping.start => *length += mapping.len(),
            _ => pieces.push((mapping.start, mapping.len())),
        }
    }
    pieces
}
