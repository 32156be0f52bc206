//! The ELF header, program headers and section table: the position of each part in the file.

use byte_budget::{ByteBudget, Held, HeldBytes};
use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64, SectionHeader64};
use object::pod::{from_bytes, slice_from_bytes};
use object::read::elf::{FileHeader, ProgramHeader as _, SectionHeader as _};

use crate::error::ImageError;
use crate::source::ImageSource;

/// x86-64 has one byte order.
pub(crate) const LE: LittleEndian = LittleEndian;

/// Parts longer than this are left out: no object that an Erlang VM loads needs more to be named
/// and unwound, and the helper's own memory has a bound.
pub(crate) const MAX_PART_BYTES: u64 = 24 << 20;

/// Linkers make a dozen.
const MAX_PROGRAM_HEADERS: usize = 256;
/// Section names that are longer are not ours to know.
const MAX_NAME_BYTES: usize = 64;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramHeader {
    pub kind: elf::ProgramType,
    pub is_executable: bool,
    pub is_writable: bool,
    pub file_offset: u64,
    pub svma: u64,
    pub file_bytes: u64,
    pub memory_bytes: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub name: Vec<u8>,
    pub kind: elf::SectionType,
    pub svma: u64,
    pub file_offset: u64,
    pub bytes: u64,
    pub entry_bytes: u64,
    pub is_compressed: bool,
}

#[derive(Debug)]
pub(crate) struct ElfLayout {
    pub programs: Vec<ProgramHeader>,
    pub sections: Vec<Section>,
    _held: Option<Held>,
}

impl ElfLayout {
    pub(crate) fn read(
        source: &(impl ImageSource + ?Sized),
        budget: &ByteBudget,
    ) -> Result<Self, ImageError> {
        let source = (source, budget);
        let bytes = read_part(
            source,
            "ELF header",
            0,
            size_of::<FileHeader64<LittleEndian>>() as u64,
        )?;
        let (header, _) =
            from_bytes::<FileHeader64<LittleEndian>>(&bytes).map_err(|()| ImageError::NotElf)?;
        if header.e_ident.magic != elf::ELFMAG {
            return Err(ImageError::NotElf);
        }
        if !header.is_supported() || header.e_machine(LE) != elf::Machine(arch::elf::MACHINE) {
            return Err(ImageError::OtherProcessor);
        }
        if usize::from(header.e_phentsize(LE)) != size_of::<ProgramHeader64<LittleEndian>>() {
            return Err(ImageError::BadHeader);
        }
        let (offset, count) = (header.e_phoff(LE), usize::from(header.e_phnum(LE)));
        if count > MAX_PROGRAM_HEADERS {
            return Err(ImageError::TooManyHeaders { count });
        }
        let programs = read_table::<ProgramHeader64<LittleEndian>>(source, offset, count)?;
        let programs = programs.iter().map(program).collect();
        // The section table is not needed to run, so it may be missing or cut off: then program
        // headers have to do.
        let entry_bytes = usize::from(header.e_shentsize(LE));
        let (sections, held) = if entry_bytes == size_of::<SectionHeader64<LittleEndian>>() {
            match read_sections(source, header) {
                Ok((sections, held)) => (sections, Some(held)),
                Err(error @ ImageError::BudgetSpent(_)) => return Err(error),
                Err(_) => (Vec::new(), None),
            }
        } else {
            (Vec::new(), None)
        };
        Ok(Self {
            programs,
            sections,
            _held: held,
        })
    }

    pub(crate) fn section(&self, name: &str) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.name == name.as_bytes() && section.kind != elf::SHT_NOBITS)
    }

    /// Address and size of a section, whether or not its bytes are in this file.
    pub(crate) fn place_of(&self, name: &str) -> Option<(u64, u64)> {
        let section = self
            .sections
            .iter()
            .find(|section| section.name == name.as_bytes())?;
        Some((section.svma, section.bytes))
    }

    pub(crate) fn program(&self, kind: elf::ProgramType) -> Option<&ProgramHeader> {
        self.programs.iter().find(|program| program.kind == kind)
    }
}

fn read_sections(
    source: (&(impl ImageSource + ?Sized), &ByteBudget),
    header: &FileHeader64<LittleEndian>,
) -> Result<(Vec<Section>, Held), ImageError> {
    let (offset, count) = (header.e_shoff(LE), usize::from(header.e_shnum(LE)));
    let entries = read_table::<SectionHeader64<LittleEndian>>(source, offset, count)?;
    let names = entries
        .get(usize::from(header.e_shstrndx(LE).0))
        .ok_or(ImageError::BadHeader)?;
    let names = read_part(
        source,
        "section names",
        names.sh_offset(LE),
        names.sh_size(LE),
    )?;
    let held_bytes = count.saturating_mul(size_of::<Section>() + MAX_NAME_BYTES);
    let held = source.1.hold("section names", held_bytes)?;
    let sections = entries.iter().map(|entry| section(entry, &names));
    Ok((sections.collect(), held))
}

/// Reads `count` entries of a table of plain structs.
fn read_table<T: object::pod::Pod + Copy>(
    source: (&(impl ImageSource + ?Sized), &ByteBudget),
    offset: u64,
    count: usize,
) -> Result<Vec<T>, ImageError> {
    let bytes = read_part(source, "headers", offset, (count * size_of::<T>()) as u64)?;
    let (entries, _) = slice_from_bytes::<T>(&bytes, count).map_err(|()| ImageError::BadHeader)?;
    Ok(entries.to_vec())
}

fn program(entry: &ProgramHeader64<LittleEndian>) -> ProgramHeader {
    ProgramHeader {
        kind: entry.p_type(LE),
        is_executable: entry.p_flags(LE).0 & elf::PF_X.0 != 0,
        is_writable: entry.p_flags(LE).0 & elf::PF_W.0 != 0,
        file_offset: entry.p_offset(LE),
        svma: entry.p_vaddr(LE),
        file_bytes: entry.p_filesz(LE),
        memory_bytes: entry.p_memsz(LE),
    }
}

fn section(entry: &SectionHeader64<LittleEndian>, names: &[u8]) -> Section {
    let name = names
        .get(entry.sh_name(LE) as usize..)
        .unwrap_or_default()
        .iter()
        .copied()
        .take(MAX_NAME_BYTES)
        .take_while(|&byte| byte != 0)
        .collect();
    Section {
        name,
        kind: entry.sh_type(LE),
        svma: entry.sh_addr(LE),
        file_offset: entry.sh_offset(LE),
        bytes: entry.sh_size(LE),
        entry_bytes: entry.sh_entsize(LE),
        is_compressed: entry.sh_flags(LE).0 & elf::SHF_COMPRESSED.0 != 0,
    }
}

/// Reads one part of the file; the length is checked against the file and the budget before any
/// memory is taken.
pub(crate) fn read_part(
    source: (&(impl ImageSource + ?Sized), &ByteBudget),
    what: &'static str,
    offset: u64,
    bytes: u64,
) -> Result<HeldBytes, ImageError> {
    read_part_up_to(MAX_PART_BYTES, source, what, offset, bytes)
}

/// The same for parts that may be longer, or must be shorter, than most.
pub(crate) fn read_part_up_to(
    most_bytes: u64,
    (source, budget): (&(impl ImageSource + ?Sized), &ByteBudget),
    what: &'static str,
    offset: u64,
    bytes: u64,
) -> Result<HeldBytes, ImageError> {
    let end = offset.checked_add(bytes).ok_or(ImageError::Truncated)?;
    if end > source.length_bytes()? {
        return Err(ImageError::Truncated);
    }
    if bytes > most_bytes {
        return Err(ImageError::TooLarge { bytes });
    }
    let bytes = usize::try_from(bytes).map_err(|_| ImageError::Truncated)?;
    let mut part = budget.zeros(what, bytes)?;
    source.read_at(offset, &mut part)?;
    Ok(part)
}
