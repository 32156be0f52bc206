//! Tables made from debug information take more room than the information: a byte may stand for a
//! line. So their size is measured before they are made.

use byte_budget::{ByteBudget, Held};
use gimli::{AttributeValue, Dwarf, Reader, Unit, UnitHeader, UnitRef, constants};

use super::LinesError;
use super::metered::{Meter, Metered};
use super::units::{UnitIndex, may_have_code};

/// Abbreviations and files of one unit; compilers need some ten thousand bytes.
const UNIT_TABLES_READ_BYTES: u64 = 2 << 20;
/// What a byte of those takes at most, once it is read.
const BYTES_PER_BYTE: usize = 64;
const BYTES_PER_ROW: usize = 48;
const BYTES_PER_RANGE: usize = 96;
const BYTES_PER_FUNCTION: usize = 256;
const BYTES_PER_FILE: usize = 64;
const BYTES_PER_UNIT: usize = 1024;
/// Scopes in scopes, and functions inlined into inlined ones: each is a call of the parser by itself.
const MAX_DEPTH: isize = 200;
/// Attributes that take no byte at an entry could be thousands.
const MAX_ATTRIBUTES: usize = 128;

/// All units of an object, by where their entries begin, and room for the tables made from them.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) units: Vec<UnitHeader<Metered>>,
    /// Where their code is, by their places in `units`.
    pub(super) index: UnitIndex,
    pub(super) held: Held,
}

/// Measures everything.
///
/// # Errors
/// When there is no room for it, or nothing can be made of it.
pub(super) fn measure(
    dwarf: &Dwarf<Metered>,
    meter: &Meter,
    budget: &ByteBudget,
) -> Result<Measured, LinesError> {
    const WHAT: &str = "source lines";
    let mut measured = Measured {
        units: Vec::new(),
        index: UnitIndex::default(),
        held: budget.hold(WHAT, 0).map_err(|_| LinesError::NoRoom)?,
    };
    let listed = listed_ranges(dwarf, &mut measured.held)?;
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let before = meter.read_bytes();
        let unit = meter.within(UNIT_TABLES_READ_BYTES, || dwarf.unit(header.clone()));
        let read = usize::try_from(meter.read_bytes() - before).unwrap_or(usize::MAX);
        let mut hold = |count: usize, bytes: usize| {
            if budget.is_half_used() {
                return Err(LinesError::NoRoom);
            }
            let bytes = count.saturating_mul(bytes);
            measured
                .held
                .grow(WHAT, bytes)
                .map_err(|_| LinesError::NoRoom)
        };
        hold(1, BYTES_PER_UNIT)?;
        hold(read, BYTES_PER_BYTE)?;
        let unit = unit?;
        measure_lines(UnitRef::new(dwarf, &unit), &mut hold)?;
        measure_functions(dwarf, &unit, &mut hold)?;
        if may_have_code(&header) {
            let place = measured.units.len();
            index_unit(dwarf, &unit, &listed, (&mut measured.index, place))?;
        }
        measured.units.push(header);
    }
    measured.index.finish();
    Ok(measured)
}

/// Where a unit begins, and a range of addresses that is listed for it.
type Listed = Vec<(usize, (u64, u64))>;

/// What `.debug_aranges` lists, by unit.
fn listed_ranges(dwarf: &Dwarf<Metered>, held: &mut Held) -> Result<Listed, LinesError> {
    let mut listed = Listed::new();
    let mut headers = dwarf.debug_aranges.headers();
    while let Some(header) = headers.next()? {
        let unit = header.debug_info_offset().0;
        let mut entries = header.entries();
        while let Some(entry) = entries.next().transpose() {
            // One that overflows; the others are good.
            let Ok(entry) = entry else { continue };
            held.grow("source lines", BYTES_PER_RANGE)
                .map_err(|_| LinesError::NoRoom)?;
            let range = entry.range();
            listed.push((unit, (range.begin, range.end)));
        }
    }
    listed.sort_unstable_by_key(|(unit, _)| *unit);
    Ok(listed)
}

/// Adds the addresses of a unit's code, from the unit itself and from the lists.
fn index_unit(
    dwarf: &Dwarf<Metered>,
    unit: &Unit<Metered>,
    listed: &Listed,
    (index, place): (&mut UnitIndex, usize),
) -> Result<(), LinesError> {
    let mut has_any = false;
    let mut own = dwarf.unit_ranges(unit)?;
    while let Some(range) = own.next()? {
        has_any |= range.begin < range.end;
        index.add(place, (range.begin, range.end));
    }
    if let Some(begins) = unit.header.debug_info_offset() {
        let first = listed.partition_point(|(unit, _)| *unit < begins.0);
        let of_unit = listed.iter().skip(first);
        for (_, range) in of_unit.take_while(|(unit, _)| *unit == begins.0) {
            has_any |= range.0 < range.1;
            index.add(place, *range);
        }
    }
    if !has_any {
        index.add_elsewhere(place);
    }
    Ok(())
}

/// Rows of the line program and paths of its files.
fn measure_lines(
    unit: UnitRef<'_, Metered>,
    hold: &mut impl FnMut(usize, usize) -> Result<(), LinesError>,
) -> Result<(), LinesError> {
    /// Budgets are shared with others: not called for each row.
    const ROWS_AT_A_TIME: usize = 4096;
    let Some(program) = unit.line_program.clone() else {
        return Ok(());
    };
    let folder = unit.comp_dir.as_ref().map_or(0, Reader::len);
    for file in program.header().file_names() {
        let length = |value| unit.attr_string(value).map_or(0, |text| text.len());
        let below = file.directory(program.header()).map_or(0, length);
        let path = folder
            .saturating_add(below)
            .saturating_add(length(file.path_name()));
        hold(1, BYTES_PER_FILE.saturating_add(path.saturating_mul(2)))?;
    }
    let mut rows = program.rows();
    let mut since = 0;
    while rows.next_row()?.is_some() {
        since += 1;
        if since == ROWS_AT_A_TIME {
            hold(since, BYTES_PER_ROW)?;
            since = 0;
        }
    }
    hold(since, BYTES_PER_ROW)
}

/// Functions, those that were inlined, and the ranges of addresses of both.
fn measure_functions(
    dwarf: &Dwarf<Metered>,
    unit: &Unit<Metered>,
    hold: &mut impl FnMut(usize, usize) -> Result<(), LinesError>,
) -> Result<(), LinesError> {
    let mut entries = unit.entries_raw(None)?;
    while !entries.is_empty() {
        if entries.next_depth() > MAX_DEPTH {
            return Err(LinesError::TooDeep);
        }
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if abbreviation.attributes().len() > MAX_ATTRIBUTES {
            return Err(LinesError::TooManyAttributes);
        }
        let has_code = matches!(
            abbreviation.tag(),
            constants::DW_TAG_subprogram
                | constants::DW_TAG_inlined_subroutine
                | constants::DW_TAG_compile_unit
        );
        if !has_code {
            entries.skip_attributes(abbreviation.attributes())?;
            continue;
        }
        hold(1, BYTES_PER_FUNCTION)?;
        for attribute in abbreviation.attributes() {
            let read = entries.read_attribute(*attribute)?;
            if read.name() == constants::DW_AT_ranges {
                let ranges = count_ranges(dwarf, unit, read.value())?;
                hold(ranges, BYTES_PER_RANGE)?;
            }
        }
    }
    Ok(())
}

fn count_ranges(
    dwarf: &Dwarf<Metered>,
    unit: &Unit<Metered>,
    list: AttributeValue<Metered>,
) -> gimli::Result<usize> {
    let mut count = 0;
    if let Some(mut ranges) = dwarf.attr_ranges(unit, list)? {
        while ranges.next()?.is_some() {
            count += 1;
        }
    }
    Ok(count)
}
