//! Units of debug information by address, and a parser for each unit in use.
//!
//! A parser of a whole object keeps tables of all its units: 20 MB for libc, of which a VM runs a few
//! functions. So each unit has a parser of its own, made at the first address in it. To that parser the
//! other units have no abbreviations, so it passes over them. Where one unit refers to another, all are
//! parsed together after all.

use std::sync::Arc;

use addr2line::Context;
use gimli::{AbbreviationsCache, Dwarf, UnitHeader, UnitType};
use shared_map::HashMap;

use super::LinesError;
use super::metered::Metered;
use super::sections::Sections;

/// Which units may have code at an address.
#[derive(Debug, Default)]
pub(super) struct UnitIndex {
    ranges: Vec<UnitRange>,
    /// Units that do not contain the addresses of their code.
    elsewhere: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct UnitRange {
    begin: u64,
    end: u64,
    /// The largest end of this and all ranges before it.
    last_end: u64,
    unit: usize,
}

impl UnitIndex {
    /// Adds where the code of a unit is.
    pub(super) fn add(&mut self, unit: usize, (begin, end): (u64, u64)) {
        if begin < end {
            self.ranges.push(UnitRange {
                begin,
                end,
                last_end: end,
                unit,
            });
        }
    }

    /// Adds a unit of which [`UnitIndex::add`] knows nothing.
    pub(super) fn add_elsewhere(&mut self, unit: usize) {
        self.elsewhere.push(unit);
    }

    /// To be called when everything is added.
    pub(super) fn finish(&mut self) {
        self.ranges.sort_unstable_by_key(|range| range.begin);
        let mut last_end = 0;
        for range in &mut self.ranges {
            last_end = range.end.max(last_end);
            range.last_end = last_end;
        }
    }

    /// The units with code at `svma` by their own data, the closest begin first.
    fn at(&self, svma: u64) -> impl Iterator<Item = usize> + '_ {
        let after = self.ranges.partition_point(|range| range.begin <= svma);
        let before = self.ranges.get(..after).unwrap_or_default();
        let reaching = before.iter().rev().take_while(move |it| it.last_end > svma);
        reaching.filter(move |it| it.end > svma).map(|it| it.unit)
    }
}

/// Parsers of the units used so far.
pub(super) struct Units {
    sections: Sections,
    dwarf: Arc<Dwarf<Metered>>,
    index: UnitIndex,
    by_unit: HashMap<usize, Context<Metered>>,
    elsewhere: Option<Context<Metered>>,
    whole: Option<Context<Metered>>,
}

impl Units {
    pub(super) fn new(sections: Sections, dwarf: Arc<Dwarf<Metered>>, index: UnitIndex) -> Self {
        Self {
            sections,
            dwarf,
            index,
            by_unit: HashMap::new(),
            elsewhere: None,
            whole: None,
        }
    }

    /// Looks `svma` up by `look` in each unit that may have it, until one does; and in all together
    /// where that leads into another unit.
    pub(super) fn look_up<T>(
        &mut self,
        headers: &[UnitHeader<Metered>],
        svma: u64,
        mut look: impl FnMut(&Context<Metered>) -> gimli::Result<Option<T>>,
    ) -> Result<Option<T>, LinesError> {
        let candidates: Vec<usize> = self.index.at(svma).collect();
        for unit in candidates {
            if !self.by_unit.contains_key(&unit) {
                let context = self.context_of(headers, &[unit])?;
                self.by_unit.insert(unit, context);
            }
            let found = self.by_unit.get(&unit).map(&mut look).transpose();
            match found.map(Option::flatten) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
                Err(_) => return self.look_up_in_all(look),
            }
        }
        if self.index.elsewhere.is_empty() {
            return Ok(None);
        }
        if self.elsewhere.is_none() {
            self.elsewhere = Some(self.context_of(headers, &self.index.elsewhere)?);
        }
        match self.elsewhere.as_ref().map(&mut look).transpose() {
            Ok(found) => Ok(found.flatten()),
            Err(_) => self.look_up_in_all(look),
        }
    }

    fn look_up_in_all<T>(
        &mut self,
        mut look: impl FnMut(&Context<Metered>) -> gimli::Result<Option<T>>,
    ) -> Result<Option<T>, LinesError> {
        if self.whole.is_none() {
            self.whole = Some(Context::from_arc_dwarf(Arc::clone(&self.dwarf))?);
        }
        Ok(self.whole.as_ref().map(&mut look).transpose()?.flatten())
    }

    /// A parser that knows these units and no others.
    fn context_of(
        &self,
        headers: &[UnitHeader<Metered>],
        units: &[usize],
    ) -> Result<Context<Metered>, LinesError> {
        let mut known = AbbreviationsCache::new();
        for header in units.iter().filter_map(|unit| headers.get(*unit)) {
            let abbreviations = self.dwarf.abbreviations(header)?;
            known.set::<Metered>(header.debug_abbrev_offset(), abbreviations);
        }
        let dwarf = self.sections.with_abbreviations(known);
        Ok(Context::from_arc_dwarf(Arc::new(dwarf))?)
    }
}

/// Whether a unit may have code of its own.
pub(super) fn may_have_code(header: &UnitHeader<Metered>) -> bool {
    !matches!(
        header.type_(),
        UnitType::Type { .. } | UnitType::SplitType { .. } | UnitType::Partial
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_by_address_also_where_their_ranges_overlap() {
        let mut index = UnitIndex::default();
        for (unit, range) in [
            (1, (0x100, 0x900)),
            (2, (0x200, 0x300)),
            (3, (0x400, 0x400)),
        ] {
            index.add(unit, range);
        }
        index.add(4, (0x2000, 0x3000));
        index.finish();
        let at = |svma| index.at(svma).collect::<Vec<_>>();
        assert_eq!(at(0x250), [2, 1]);
        assert_eq!(at(0x300), [1]);
        assert_eq!(at(0x400), [1], "an empty range holds nothing");
        assert_eq!(at(0x2fff), [4]);
        assert!(at(0xff).is_empty() && at(0x900).is_empty() && at(0x3000).is_empty());
    }
}
