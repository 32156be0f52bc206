//! Where functions are declared: the line of a function's head.

use std::path::Path;
use std::sync::Arc;

use gimli::{AttributeValue, DebugInfoOffset, Reader, UnitHeader, UnitOffset, UnitRef, constants};
use shared_map::HashMap;

use super::MAX_TEXT_BYTES;
use super::metered::Metered;

/// An entry may refer to another one for the answer, and that to a third: a copy, its function, its
/// earlier declaration.
const MAX_STEPS: usize = 8;

/// Where a function's head is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declaration {
    pub(super) file: String,
    pub(super) line: u32,
}

impl Declaration {
    pub(super) fn is_in(&self, file: &str) -> bool {
        // Compilers write one path in several ways (`/a/./b`).
        Path::new(&self.file) == Path::new(file)
    }
}

/// The lookups so far, by the place of the function's entry.
#[derive(Debug)]
pub(super) struct Declarations {
    units: Arc<[UnitHeader<Metered>]>,
    known: HashMap<usize, Option<Declaration>>,
}

/// The answer that an entry gives.
enum DeclaredPlace {
    Here(Declaration),
    /// Another entry of the unit has it.
    There(UnitOffset),
    /// An entry of any unit does.
    Elsewhere(DebugInfoOffset),
    Nothing,
}

impl Declarations {
    pub(super) fn new(units: Vec<UnitHeader<Metered>>) -> Self {
        let known = HashMap::new();
        Self {
            units: units.into(),
            known,
        }
    }

    /// All units, by where their entries begin.
    pub(super) fn units(&self) -> Arc<[UnitHeader<Metered>]> {
        Arc::clone(&self.units)
    }

    /// Where the function of an entry is declared.
    pub(super) fn of(
        &mut self,
        unit: UnitRef<'_, Metered>,
        entry: UnitOffset,
    ) -> gimli::Result<Option<Declaration>> {
        let Some(place) = entry.to_debug_info_offset(&unit.header) else {
            return Ok(None);
        };
        if let Some(known) = self.known.get(&place.0) {
            return Ok(known.clone());
        }
        let found = self.look_up(unit, entry)?;
        self.known.insert(place.0, found.clone());
        Ok(found)
    }

    fn look_up(
        &self,
        unit: UnitRef<'_, Metered>,
        entry: UnitOffset,
    ) -> gimli::Result<Option<Declaration>> {
        let mut place_of_entry = declared_at(unit, entry)?;
        let mut other = None;
        for _ in 0..MAX_STEPS {
            place_of_entry = match place_of_entry {
                DeclaredPlace::Here(found) => return Ok(Some(found)),
                DeclaredPlace::Nothing => return Ok(None),
                DeclaredPlace::There(entry) => {
                    let unit = other
                        .as_ref()
                        .map_or(unit, |other| UnitRef::new(unit.dwarf, other));
                    declared_at(unit, entry)?
                }
                DeclaredPlace::Elsewhere(place) => {
                    let Some((header, entry)) = self.unit_at(place) else {
                        return Ok(None);
                    };
                    let there = other.insert(unit.dwarf.unit(header.clone())?);
                    declared_at(UnitRef::new(unit.dwarf, there), entry)?
                }
            };
        }
        Ok(None)
    }

    /// The unit that holds a place, and where in it that is.
    fn unit_at(&self, place: DebugInfoOffset) -> Option<(&UnitHeader<Metered>, UnitOffset)> {
        let begins = |header: &UnitHeader<Metered>| header.debug_info_offset();
        let after = self
            .units
            .partition_point(|header| begins(header).is_some_and(|begin| begin.0 <= place.0));
        let header = self.units.get(after.checked_sub(1)?)?;
        Some((header, place.to_unit_offset(header)?))
    }
}

fn declared_at(unit: UnitRef<'_, Metered>, entry: UnitOffset) -> gimli::Result<DeclaredPlace> {
    let entry = unit.entry(entry)?;
    let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
    let line = number(constants::DW_AT_decl_line).and_then(|line| u32::try_from(line).ok());
    let file = match entry.attr_value(constants::DW_AT_decl_file) {
        Some(AttributeValue::FileIndex(index)) => Some(index),
        Some(value) => value.udata_value(),
        None => None,
    };
    if let (Some(line), Some(file)) = (line, file) {
        let file = path_of(unit, file)?;
        return Ok(file.map_or(DeclaredPlace::Nothing, |file| {
            DeclaredPlace::Here(Declaration { file, line })
        }));
    }
    let names = [
        constants::DW_AT_abstract_origin,
        constants::DW_AT_specification,
    ];
    let other = names.into_iter().find_map(|name| entry.attr_value(name));
    Ok(match other {
        Some(AttributeValue::UnitRef(entry)) => DeclaredPlace::There(entry),
        Some(AttributeValue::DebugInfoRef(place)) => DeclaredPlace::Elsewhere(place),
        _ => DeclaredPlace::Nothing,
    })
}

/// The path of a file of the unit: the folder it was compiled in, that of the file, its name; an
/// absolute part replaces the parts before it.
fn path_of(unit: UnitRef<'_, Metered>, file: u64) -> gimli::Result<Option<String>> {
    let Some(program) = &unit.line_program else {
        return Ok(None);
    };
    let Some(file) = program.header().file(file) else {
        return Ok(None);
    };
    let folder = match file.directory_index() {
        0 => None,
        _ => file.directory(program.header()),
    };
    let mut path = std::path::PathBuf::new();
    let parts = [folder, Some(file.path_name())];
    let parts = parts
        .into_iter()
        .flatten()
        .map(|part| unit.attr_string(part));
    for part in unit.comp_dir.clone().map(Ok).into_iter().chain(parts) {
        let part = part?;
        if part.len() > MAX_TEXT_BYTES {
            return Ok(None);
        }
        path.push(&*part.to_string_lossy()?);
    }
    let path = path.to_str().filter(|path| path.len() <= MAX_TEXT_BYTES);
    Ok(path.map(str::to_owned))
}
