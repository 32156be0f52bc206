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

/// The sections that are read. Those of types, locations of variables and macros are not.
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

/// True when a file contains the source lines of its code.
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

/// The sections as the file has them. Most objects of a VM are never sampled, and to inflate the debug information
/// of a C library takes longer than all else of attaching.
#[derive(Debug)]
pub(super) struct PackedSections(Vec<Packed>);

#[derive(Debug)]
struct Packed {
    id: SectionId,
    bytes: HeldBytes,
    /// Length once it is inflated, for a section that is compressed.
    inflated_bytes: Option<usize>,
}

impl PackedSections {
    /// Reads them all, within the budget of the target.
    pub(super) fn read(
        source: &(impl ImageSource + ?Sized),
        layout: &ElfLayout,
        budget: &ByteBudget,
    ) -> Result<Self, LinesError> {
        let mut left_bytes = MAX_OBJECT_BYTES;
        let mut read = Vec::new();
        for id in WANTED {
            if budget.is_half_used() {
                return Err(LinesError::NoRoom);
            }
            let Some(section) = read_section(source, layout, budget, (id, left_bytes))? else {
                continue;
            };
            let bytes = section.inflated_bytes.unwrap_or(section.bytes.len());
            left_bytes = left_bytes.saturating_sub(bytes);
            read.push(section);
        }
        Ok(Self(read))
    }

    /// Inflates those that are compressed, within the budget of the target.
    pub(super) fn inflated(
        self,
        budget: &ByteBudget,
    ) -> Result<(Sections, Arc<Meter>), LinesError> {
        let mut whole = Vec::new();
        let mut total: u64 = 0;
        for Packed {
            id,
            bytes,
            inflated_bytes,
        } in self.0
        {
            let bytes = match inflated_bytes {
                Some(_) if budget.is_half_used() => return Err(LinesError::NoRoom),
                Some(length) => inflated(&bytes, budget, (id.name(), length))?,
                None => bytes,
            };
            total = total.saturating_add(bytes.len() as u64);
            whole.push((id, bytes));
        }
        let meter = Meter::with_limit(total.saturating_mul(TIMES_READ) + LEAST_READ_BYTES);
        let read = whole
            .into_iter()
            .map(|(id, bytes)| (id, Metered::new(Some(bytes), &meter)))
            .collect();
        let sections = Sections {
            read,
            meter: Arc::clone(&meter),
        };
        Ok((sections, meter))
    }
}

fn read_section(
    source: &(impl ImageSource + ?Sized),
    layout: &ElfLayout,
    budget: &ByteBudget,
    (id, most_bytes): (SectionId, usize),
) -> Result<Option<Packed>, LinesError> {
    let name = id.name();
    let Some(section) = layout.section(name) else {
        return Ok(None);
    };
    let (offset, bytes) = (section.file_offset, section.bytes);
    let bytes = read_part_up_to(most_bytes as u64, (source, budget), name, offset, bytes)?;
    let inflated_bytes = match section.is_compressed {
        true => Some(inflated_length(&bytes, (name, most_bytes))?),
        false => None,
    };
    Ok(Some(Packed {
        id,
        bytes,
        inflated_bytes,
    }))
}

/// How long a compressed section is once it is inflated, as its header has it.
fn inflated_length(
    part: &[u8],
    (name, most_bytes): (&'static str, usize),
) -> Result<usize, LinesError> {
    let (header, _) = from_bytes::<CompressionHeader64<LittleEndian>>(part)
        .map_err(|()| ImageError::Truncated)?;
    if header.ch_type.get(LE) != ELFCOMPRESS_ZLIB {
        return Err(LinesError::Compression { section: name });
    }
    let bytes = header.ch_size.get(LE);
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    match length <= most_bytes {
        true => Ok(length),
        false => Err(ImageError::TooLarge { bytes }.into()),
    }
}

fn inflated(
    part: &[u8],
    budget: &ByteBudget,
    (name, length): (&'static str, usize),
) -> Result<HeldBytes, LinesError> {
    let (_, compressed) = from_bytes::<CompressionHeader64<LittleEndian>>(part)
        .map_err(|()| ImageError::Truncated)?;
    let mut whole = budget.zeros(name, length).map_err(ImageError::from)?;
    ZlibDecoder::new(compressed)
        .read_exact(&mut whole)
        .map_err(ImageError::from)?;
    Ok(whole)
}
