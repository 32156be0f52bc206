//! One ELF object: the parts of it that name and unwind its code.

use byte_budget::{BudgetSpent, ByteBudget};

pub use crate::build_id::BuildId;
use crate::build_id::BuildIdNote;
use crate::cfi::{CfiError, CfiScratch, UnwindTable};
use object::elf::{PT_GNU_EH_FRAME, PT_LOAD};

use crate::debug_link::DebugLink;
use crate::elf_layout::ElfLayout;
pub use crate::error::ImageError;
use crate::object_part::{Part, PartReader};
use crate::plt::PltTable;
use crate::source::ImageSource;
use crate::source_lines::{SourceFrame, SourceLines};
use crate::symbol_layers::SymbolLayers;
use crate::symbols::{FunctionName, NameSource, NativeFunction, SymbolTable};
use crate::unwind_row::UnwindRow;

#[derive(Debug, Clone, Copy)]
struct LoadedSegment {
    file_offset: u64,
    file_bytes: u64,
    memory_bytes: u64,
    svma: u64,
    is_executable: bool,
    is_writable: bool,
}

/// The place of a part of the object after loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRange {
    /// First address.
    pub svma: u64,
    /// Length in memory, including the part that is zero at first (`.bss`).
    pub memory_bytes: u64,
    /// Holds code.
    pub is_executable: bool,
    /// Holds variables.
    pub is_writable: bool,
}

/// One ELF object. Holds its symbol and unwind tables, some hundred kilobytes; never the file.
#[derive(Debug)]
pub struct ObjectImage {
    build_id: Option<BuildIdNote>,
    segments: Vec<LoadedSegment>,
    pub(crate) symbols: SymbolLayers,
    plt: PltTable,
    unwind: UnwindTable,
    debug_link: Option<DebugLink>,
    /// Address and size of `.text`, which distinguish a debug file from that of another build.
    pub(crate) text: Option<(u64, u64)>,
    omitted: Vec<String>,
    lines: Option<SourceLines>,
}

impl<S: ImageSource + ?Sized> PartReader<'_, S> {
    /// `.eh_frame_hdr` and `.eh_frame`, by section table or else by program headers.
    fn unwind_parts(&mut self) -> (Option<Part>, Option<Part>) {
        let header = self.section(".eh_frame_hdr").or_else(|| {
            let program = *self.layout.program(PT_GNU_EH_FRAME)?;
            self.read(
                "PT_GNU_EH_FRAME",
                program.svma,
                program.file_offset,
                program.file_bytes,
            )
        });
        let frames = self.section(".eh_frame").or_else(|| {
            let header = header.as_ref()?;
            let svma = UnwindTable::eh_frame_address(header)?;
            let holds = |start: u64, bytes| svma >= start && svma - start < bytes;
            let segment = *self.layout.programs.iter().find(|program| {
                program.kind == PT_LOAD && holds(program.svma, program.file_bytes)
            })?;
            let skipped = svma - segment.svma;
            let offset = segment.file_offset.checked_add(skipped)?;
            self.read(".eh_frame", svma, offset, segment.file_bytes - skipped)
        });
        (header, frames)
    }

    fn symbols(&mut self) -> Result<SymbolLayers, BudgetSpent> {
        const TABLES: [(NameSource, &str, &str); 2] = [
            (NameSource::Symtab, ".symtab", ".strtab"),
            (NameSource::Dynsym, ".dynsym", ".dynstr"),
        ];
        let mut layers = SymbolLayers::default();
        for (source, table, strings) in TABLES {
            if let (Some(table), Some(strings)) = (self.section(table), self.section(strings)) {
                let strings = strings.bytes;
                let table = SymbolTable::build(self.budget, source, &table.bytes, strings)?;
                layers.add(table);
            }
        }
        Ok(layers)
    }

    fn plt(&mut self, symbols: &SymbolLayers) -> Result<PltTable, BudgetSpent> {
        const STUBS: [&str; 3] = [".plt", ".plt.sec", ".plt.got"];
        let stubs: Vec<(Part, u64)> = STUBS
            .iter()
            .filter_map(|name| {
                let stub_bytes = self.layout.section(name)?.entry_bytes;
                Some((self.section(name)?, stub_bytes))
            })
            .collect();
        if stubs.is_empty() {
            return Ok(PltTable::default());
        }
        let relocations: Vec<Part> = [".rela.plt", ".rela.dyn"]
            .iter()
            .filter_map(|name| self.section(name))
            .collect();
        let dynamic = self.section(".dynsym").zip(self.section(".dynstr"));
        PltTable::build(self.budget, &stubs, &relocations, dynamic.as_ref(), symbols)
    }
}

impl ObjectImage {
    /// Reads the necessary parts of an object that is of no target, and nothing else.
    ///
    /// # Errors
    /// As [`ObjectImage::read_within`].
    pub fn read(source: &(impl ImageSource + ?Sized)) -> Result<Self, ImageError> {
        Self::read_within(source, &ByteBudget::of_target())
    }

    /// Reads the necessary parts of an object and nothing else, within the budget of its target.
    ///
    /// # Errors
    /// When it is no x86-64 ELF object, or the budget is used up. Parts that are missing, damaged or
    /// too large are left out and listed by [`ObjectImage::omitted`].
    pub fn read_within(
        source: &(impl ImageSource + ?Sized),
        budget: &ByteBudget,
    ) -> Result<Self, ImageError> {
        let layout = ElfLayout::read(source, budget)?;
        let mut reader = PartReader::new(source, &layout, budget);
        let build_id = reader.build_id();
        let symbols = reader.symbols()?;
        let plt = reader.plt(&symbols)?;
        let debug_link = reader
            .section(".gnu_debuglink")
            .and_then(|part| DebugLink::parse(&part.bytes));
        let (header, frames) = reader.unwind_parts();
        let unwind = match frames {
            Some(frames) => UnwindTable::build(budget, header.as_ref(), frames)?,
            None => UnwindTable::default(),
        };
        if let Some(spent) = reader.spent {
            return Err(spent.into());
        }
        let omitted = reader.omitted;
        let segments = layout
            .programs
            .iter()
            .filter(|program| program.kind == PT_LOAD)
            .map(|program| LoadedSegment {
                file_offset: program.file_offset,
                file_bytes: program.file_bytes,
                memory_bytes: program.memory_bytes,
                svma: program.svma,
                is_executable: program.is_executable,
                is_writable: program.is_writable,
            })
            .collect();
        Ok(Self {
            build_id,
            segments,
            symbols,
            plt,
            unwind,
            debug_link,
            text: layout.place_of(".text"),
            omitted,
            lines: None,
        })
    }

    /// Reads where the code was compiled from, out of the object itself or its debug file, unless
    /// that is known. Unusable information is listed by [`ObjectImage::omitted`].
    pub fn add_source_lines(&mut self, file: &(impl ImageSource + ?Sized), budget: &ByteBudget) {
        if self.lines.is_some() {
            return;
        }
        match SourceLines::read(file, budget) {
            Ok(lines) => self.lines = lines,
            Err(error) => self.omitted.push(format!("source lines: {error}")),
        }
    }

    /// The functions at an address by debug information: those that were inlined there, the
    /// innermost first, then the one whose code it is. Empty without debug information.
    #[must_use]
    pub fn source_frames_at(&self, svma: u64) -> Vec<SourceFrame> {
        let lines = self.lines.as_ref();
        lines.map_or_else(Vec::new, |lines| lines.frames_at(svma))
    }

    /// The build id, when the object has one.
    #[must_use]
    pub fn build_id(&self) -> Option<&BuildId> {
        self.build_id.as_ref().map(|note| &note.build_id)
    }

    /// Address and length of the notes that hold the build id: a loaded object has them in memory
    /// too, for [`BuildId::from_notes`].
    #[must_use]
    pub fn build_id_note(&self) -> Option<(u64, usize)> {
        self.build_id.as_ref().map(|note| (note.svma, note.bytes))
    }

    /// The name and checksum of the separate debug file that the object refers to.
    #[must_use]
    pub fn debug_link(&self) -> Option<&DebugLink> {
        self.debug_link.as_ref()
    }

    /// How many functions each symbol table names, best table first.
    pub fn symbol_counts(&self) -> impl Iterator<Item = (NameSource, usize)> + '_ {
        self.symbols.counts()
    }

    /// Whether a full symbol table, its own or that of a debug file, names its functions.
    #[must_use]
    pub fn has_full_names(&self) -> bool {
        let is_full = |source| matches!(source, NameSource::Symtab | NameSource::DebugFile);
        self.symbols.has_functions(is_full)
    }

    /// Parts that are there but could not be used, and why.
    #[must_use]
    pub fn omitted(&self) -> &[String] {
        &self.omitted
    }

    /// Unwind rules.
    #[must_use]
    pub fn unwind_table(&self) -> &UnwindTable {
        &self.unwind
    }

    /// The parts of the object that are loaded, as its program headers have them.
    pub fn loaded_ranges(&self) -> impl Iterator<Item = SegmentRange> + '_ {
        self.segments.iter().map(|segment| SegmentRange {
            svma: segment.svma,
            memory_bytes: segment.memory_bytes,
            is_executable: segment.is_executable,
            is_writable: segment.is_writable,
        })
    }

    /// The bias (`avma - svma`) that follows from one mapping of this object.
    #[must_use]
    pub fn bias_of_mapping(
        &self,
        start_avma: u64,
        file_offset: u64,
        is_executable: bool,
    ) -> Option<u64> {
        const PAGE_BYTES: u64 = 4096;
        let holds = |segment: &&LoadedSegment| {
            let start = segment.file_offset & !(PAGE_BYTES - 1);
            let end = segment.file_offset.saturating_add(segment.file_bytes);
            start <= file_offset && file_offset < end
        };
        // Two segments may share a page of the file; the one with the same use is meant.
        let segment = self
            .segments
            .iter()
            .filter(holds)
            .max_by_key(|segment| segment.is_executable == is_executable)?;
        let svma = segment
            .svma
            .wrapping_add(file_offset.wrapping_sub(segment.file_offset));
        Some(start_avma.wrapping_sub(svma))
    }

    /// The function that holds an address. A symbol covers its own size only; where none does, the
    /// bounds are those of the unwind table.
    #[must_use]
    pub fn function_at(&self, svma: u64) -> Option<NativeFunction<'_>> {
        if let Some(function) = self.symbols.function_covering(svma) {
            return Some(function);
        }
        if let Some(stub) = self.plt.stub_at(svma) {
            return Some(stub);
        }
        let (start_svma, end_svma) = self.unwind.function_bounds(svma)?;
        let (name, source) = match self.symbols.function_starting_at(start_svma) {
            Some((name, source)) => (FunctionName::Symbol(name), source),
            None => (
                FunctionName::Unnamed { start_svma },
                NameSource::UnwindBounds,
            ),
        };
        Some(NativeFunction {
            start_svma,
            end_svma,
            name,
            source,
        })
    }

    /// Address and size in bytes of the function or variable of that name.
    #[must_use]
    pub fn symbol_named(&self, name: &str) -> Option<(u64, u64)> {
        self.symbols.named(name)
    }

    /// The unwind rules at an address.
    ///
    /// # Errors
    /// When the object has none for it, or they are not understood.
    pub fn row_at(&self, scratch: &mut CfiScratch, svma: u64) -> Result<UnwindRow, CfiError> {
        self.unwind.row_at(scratch, svma)
    }

    /// Memory held, bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.symbols.heap_bytes() + self.plt.heap_bytes() + self.unwind.heap_bytes()
    }
}
