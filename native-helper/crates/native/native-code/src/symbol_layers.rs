//! The symbol tables of one object, the fullest first.

use std::collections::HashSet;

use shared_sort::SharedSort;

use crate::symbols::{NameSource, NativeFunction, SymbolTable};

/// Every table there is; a later one answers only where the earlier ones do not.
#[derive(Debug, Default)]
pub(crate) struct SymbolLayers {
    tables: Vec<SymbolTable>,
}

impl SymbolLayers {
    /// Adds a table in its place. A table without new symbols is not kept: the exported symbols of
    /// an object that was not stripped are in its full table too.
    pub fn add(&mut self, table: SymbolTable) {
        self.tables.push(table);
        self.tables.shared_sort_by_key(SymbolTable::source);
        if self.tables.len() == 1 {
            self.tables.retain(|table| table.starts().next().is_some());
            return;
        }
        let mut known: HashSet<u64> = HashSet::new();
        self.tables.retain(|table| {
            let before = known.len();
            known.extend(table.starts());
            known.len() > before
        });
    }

    pub fn function_covering(&self, svma: u64) -> Option<NativeFunction<'_>> {
        self.tables
            .iter()
            .find_map(|table| table.function_covering(svma))
    }

    pub fn function_starting_at(&self, svma: u64) -> Option<(&str, NameSource)> {
        self.tables
            .iter()
            .find_map(|table| Some((table.function_starting_at(svma)?, table.source())))
    }

    pub fn named(&self, name: &str) -> Option<(u64, u64)> {
        self.tables.iter().find_map(|table| table.named(name))
    }

    /// Whether a table of such a source names functions.
    pub fn has_functions(&self, is_wanted: impl Fn(NameSource) -> bool) -> bool {
        self.tables
            .iter()
            .any(|table| is_wanted(table.source()) && table.functions().next().is_some())
    }

    /// Functions of each table, those of an earlier one not counted again.
    pub fn counts(&self) -> impl Iterator<Item = (NameSource, usize)> + '_ {
        let mut known: HashSet<u64> = HashSet::new();
        self.tables.iter().map(move |table| {
            let new = table
                .functions()
                .filter(|(_, start_svma, _)| known.insert(*start_svma));
            (table.source(), new.count())
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.tables.iter().map(SymbolTable::heap_bytes).sum()
    }
}
