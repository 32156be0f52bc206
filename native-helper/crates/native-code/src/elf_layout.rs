//! The ELF header, program headers and section table: what lies where in the file.

use crate::image::ImageError;
use crate::source::{ImageSource, u16_at, u32_at, u64_at};

const ELF_HEADER_BYTES: usize = 64;
const PROGRAM_HEADER_BYTES: usize = 56;
const SECTION_HEADER_BYTES: usize = 64;
const MACHINE_X86_64: u16 = 62;
const CLASS_64_LITTLE_ENDIAN: [u8; 2] = [2, 1];

/// Parts longer than this are left out: no object that an Erlang VM loads needs more to be named
/// and unwound, and the helper's own memory has a bound.
pub(crate) const MAX_PART_BYTES: u64 = 24 << 20;

pub(crate) const PT_LOAD: u32 = 1;
pub(crate) const PT_NOTE: u32 = 4;
pub(crate) const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PF_X: u32 = 1;
pub(crate) const SHT_NOBITS: u32 = 8;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramHeader {
    pub kind: u32,
    pub is_executable: bool,
    pub file_offset: u64,
    pub svma: u64,
    pub file_bytes: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub name: Vec<u8>,
    pub kind: u32,
    pub svma: u64,
    pub file_offset: u64,
    pub bytes: u64,
    pub entry_bytes: u64,
}

#[derive(Debug)]
pub(crate) struct ElfLayout {
    pub programs: Vec<ProgramHeader>,
    pub sections: Vec<Section>,
}

impl ElfLayout {
    pub(crate) fn read(source: &(impl ImageSource + ?Sized)) -> Result<Self, ImageError> {
        let header = read_part(source, 0, ELF_HEADER_BYTES as u64)?;
        if !header.starts_with(b"\x7fELF") {
            return Err(ImageError::NotElf);
        }
        let half = |at| u16_at(&header, at).unwrap_or_default();
        let long = |at| u64_at(&header, at).unwrap_or_default();
        if header.get(4..6) != Some(&CLASS_64_LITTLE_ENDIAN[..]) || half(18) != MACHINE_X86_64 {
            return Err(ImageError::NotX86_64);
        }
        if usize::from(half(54)) != PROGRAM_HEADER_BYTES {
            return Err(ImageError::BadHeader);
        }
        let programs = read_part(
            source,
            long(32),
            u64::from(half(56)) * PROGRAM_HEADER_BYTES as u64,
        )?;
        let programs = programs
            .chunks_exact(PROGRAM_HEADER_BYTES)
            .filter_map(parse_program)
            .collect();
        // The section table is not needed to run, so it may be missing or cut off: then program
        // headers have to do.
        let sections = if usize::from(half(58)) == SECTION_HEADER_BYTES {
            read_sections(source, long(40), half(60), half(62)).unwrap_or_default()
        } else {
            Vec::new()
        };
        Ok(Self { programs, sections })
    }

    pub(crate) fn section(&self, name: &str) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.name == name.as_bytes() && section.kind != SHT_NOBITS)
    }

    pub(crate) fn program(&self, kind: u32) -> Option<&ProgramHeader> {
        self.programs.iter().find(|program| program.kind == kind)
    }
}

fn read_sections(
    source: &(impl ImageSource + ?Sized),
    offset: u64,
    count: u16,
    names_index: u16,
) -> Result<Vec<Section>, ImageError> {
    let table = read_part(
        source,
        offset,
        u64::from(count) * SECTION_HEADER_BYTES as u64,
    )?;
    let mut entries = table.chunks_exact(SECTION_HEADER_BYTES);
    let names = entries
        .clone()
        .nth(usize::from(names_index))
        .ok_or(ImageError::BadHeader)?;
    let names = read_part(
        source,
        u64_at(names, 24).ok_or(ImageError::BadHeader)?,
        u64_at(names, 32).ok_or(ImageError::BadHeader)?,
    )?;
    entries.try_fold(Vec::new(), |mut sections, entry| {
        sections.push(parse_section(entry, &names).ok_or(ImageError::BadHeader)?);
        Ok(sections)
    })
}

fn parse_program(entry: &[u8]) -> Option<ProgramHeader> {
    Some(ProgramHeader {
        kind: u32_at(entry, 0)?,
        is_executable: u32_at(entry, 4)? & PF_X != 0,
        file_offset: u64_at(entry, 8)?,
        svma: u64_at(entry, 16)?,
        file_bytes: u64_at(entry, 32)?,
    })
}

fn parse_section(entry: &[u8], names: &[u8]) -> Option<Section> {
    /// Longer ones are not ours to know.
    const MAX_NAME_BYTES: usize = 64;
    let name = names.get(u32_at(entry, 0)? as usize..).unwrap_or_default();
    let name = name
        .iter()
        .copied()
        .take(MAX_NAME_BYTES)
        .take_while(|&byte| byte != 0)
        .collect();
    Some(Section {
        name,
        kind: u32_at(entry, 4)?,
        svma: u64_at(entry, 16)?,
        file_offset: u64_at(entry, 24)?,
        bytes: u64_at(entry, 32)?,
        entry_bytes: u64_at(entry, 56)?,
    })
}

/// Reads one part of the file; the length is checked against the file before any memory is taken.
pub(crate) fn read_part(
    source: &(impl ImageSource + ?Sized),
    offset: u64,
    bytes: u64,
) -> Result<Vec<u8>, ImageError> {
    let end = offset.checked_add(bytes).ok_or(ImageError::Truncated)?;
    if end > source.length_bytes()? {
        return Err(ImageError::Truncated);
    }
    if bytes > MAX_PART_BYTES {
        return Err(ImageError::TooLarge { bytes });
    }
    let mut part = vec![0; usize::try_from(bytes).map_err(|_| ImageError::Truncated)?];
    source.read_at(offset, &mut part)?;
    Ok(part)
}
