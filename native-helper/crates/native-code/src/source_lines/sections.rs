//! The sections of an object that debug information is in, compressed or not.

use std::convert::Infallible;
use std::io::Read;
use std::sync::Arc;

use byte_budget::{ByteBudget, HeldBytes};
use flate2::read::ZlibDecoder;
use gimli::{AbbreviationsCache, Dwarf, SectionId};
use object::LittleEndian;
use object::elf::{CompressionHeader64, ELFCOMPRESS_ZLIB};
use object::pod::from_bytes;

use super::LinesError;
use super::metered::{Meter, Metered};
use crate::elf_layout::{ElfLayout, LE, read_part_up_to};
use crate::error::ImageError;
use crate::source::ImageSource;

/// Of one object, as they are once inflated. The emulator with all its debug information has 20 MiB
/// of it, a library of Rust with many dependencies some 100.
const MAX_OBJECT_BYTES: usize = 192 << 20;
/// Everything may be read this often before an object counts as one that leads in circles.
const TIMES_READ: u64 = 16;
/// Objects with hardly any debug information may be looked at a little, too.
const LEAST_READ_BYTES: u64 = 1 << 20;

/// What is looked at. Types, locations of variables and macros are not.
const WANTED: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

/// True when a file says where its code was compiled from.
pub(super) fn has_lines(layout: &ElfLayout) -> bool {
    [SectionId::DebugInfo, SectionId::DebugLine]
        .iter()
        .all(|id| layout.section(id.name()).is_some())
}

/// The sections that are looked at, one copy of each for all parsers.
#[derive(Debug)]
pub(super) struct Sections {
    read: Vec<(SectionId, Metered)>,
    meter: Arc<Meter>,
}

impl Sections {
    /// For a parser of all of it.
    pub(super) fn all(&self) -> Dwarf<Metered> {
        self.but_for(None)
    }

    /// For a parser of the units that have these abbreviations.
    pub(super) fn with_abbreviations(&self, known: AbbreviationsCache) -> Dwarf<Metered> {
        let mut dwarf = self.but_for(Some(SectionId::DebugAbbrev));
        dwarf.abbreviations_cache = known;
        dwarf
    }

    fn but_for(&self, left_out: Option<SectionId>) -> Dwarf<Metered> {
        let section = |id| {
            let read = self.read.iter().filter(|_| left_out != Some(id));
            let mut of_kind = read.filter(|(other, _)| *other == id);
            let found = of_kind.next().map(|(_, section)| section.clone());
            Ok::<_, Infallible>(found.unwrap_or_else(|| Metered::new(None, &self.meter)))
        };
        match Dwarf::load(section) {
            Ok(dwarf) => dwarf,
            Err(never) => match never {},
        }
    }
}

/// Reads them all, within the budget of the target.
pub(super) fn read_sections(
    source: &(impl ImageSource + ?Sized),
    layout: &ElfLayout,
    budget: &ByteBudget,
) -> Result<(Sections, Arc<Meter>), LinesError> {
    let mut left_bytes = MAX_OBJECT_BYTES;
    let mut read = Vec::new();
    for id in WANTED {
        if budget.is_half_used() {
            return Err(LinesError::NoRoom);
        }
        let Some(bytes) = read_section(source, layout, budget, (id.name(), left_bytes))? else {
            continue;
        };
        left_bytes = left_bytes.saturating_sub(bytes.len());
        read.push((id, bytes));
    }
    let total = (MAX_OBJECT_BYTES - left_bytes) as u64;
    let meter = Meter::with_limit(total.saturating_mul(TIMES_READ) + LEAST_READ_BYTES);
    let read = read
        .into_iter()
        .map(|(id, bytes)| (id, Metered::new(Some(bytes), &meter)))
        .collect();
    let sections = Sections {
        read,
        meter: Arc::clone(&meter),
    };
    Ok((sections, meter))
}

fn read_section(
    source: &(impl ImageSource + ?Sized),
    layout: &ElfLayout,
    budget: &ByteBudget,
    (name, most_bytes): (&'static str, usize),
) -> Result<Option<HeldBytes>, LinesError> {
    let Some(section) = layout.section(name) else {
        return Ok(None);
    };
    let (offset, bytes) = (section.file_offset, section.bytes);
    let part = read_part_up_to(most_bytes as u64, (source, budget), name, offset, bytes)?;
    match section.is_compressed {
        true => inflated(&part, budget, (name, most_bytes)).map(Some),
        false => Ok(Some(part)),
    }
}

fn inflated(
    part: &[u8],
    budget: &ByteBudget,
    (name, most_bytes): (&'static str, usize),
) -> Result<HeldBytes, LinesError> {
    let (header, compressed) = from_bytes::<CompressionHeader64<LittleEndian>>(part)
        .map_err(|()| ImageError::Truncated)?;
    if header.ch_type.get(LE) != ELFCOMPRESS_ZLIB {
        return Err(LinesError::Compression { section: name });
    }
    let bytes = header.ch_size.get(LE);
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    if length > most_bytes {
        return Err(ImageError::TooLarge { bytes }.into());
    }
    let mut whole = budget.zeros(name, length).map_err(ImageError::from)?;
    ZlibDecoder::new(compressed)
        .read_exact(&mut whole)
        .map_err(ImageError::from)?;
    Ok(whole)
}
