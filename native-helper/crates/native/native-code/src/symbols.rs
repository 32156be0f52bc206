//! Symbol tables: which function holds an address, and where a name is.

mod function_name;

use std::cmp::Reverse;

use byte_budget::{BudgetSpent, ByteBudget, Held, HeldBytes};
use object::LittleEndian;
use object::elf::{STB_LOCAL, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT, Sym64, SymbolType};
use object::pod::slice_from_all_bytes;
use object::read::elf::Sym;

use crate::elf_layout::LE;
pub use function_name::{FunctionName, NameSource, NativeFunction};

#[derive(Debug, Clone, Copy)]
struct Symbol {
    start_svma: u64,
    bytes: u64,
    /// Offset into the strings, checked to be a name when the table was built.
    name_at: u32,
    name_bytes: u32,
}

/// The symbols of one object, sorted.
#[derive(Debug)]
pub struct SymbolTable {
    source: NameSource,
    strings: HeldBytes,
    _held: Held,
    /// By start; among equal starts the best name first.
    functions: Vec<Symbol>,
    variables: Vec<Symbol>,
}

/// One entry of a symbol table.
pub(crate) type SymbolEntry = Sym64<LittleEndian>;

/// Symbols that start before an address and yet cover it can only be followed by symbols nested in
/// them; more than this many is no compiler's work.
const MAX_NESTED: usize = 32;
/// Longer names are left out: looking for the end of each in a table that has only one end would
/// take minutes, and they are unreadable.
const MAX_NAME_BYTES: usize = 4096;

impl SymbolTable {
    /// Sorts a symbol table (`.symtab` or `.dynsym`) and its strings.
    ///
    /// # Errors
    /// When the budget has no room for it.
    pub fn build(
        budget: &ByteBudget,
        source: NameSource,
        table: &[u8],
        strings: HeldBytes,
    ) -> Result<Self, BudgetSpent> {
        const WHAT: &str = "symbols";
        let mut functions: Vec<(Symbol, bool)> = Vec::new();
        let mut variables = Vec::new();
        let entries = entries_of::<SymbolEntry>(table);
        // Vectors that grow take up to twice the size of their content.
        let most_bytes = entries
            .len()
            .saturating_mul(2 * size_of::<(Symbol, bool)>());
        let while_sorting = budget.hold(WHAT, most_bytes)?;
        for entry in entries {
            let Some((symbol, kind, is_local)) = parse_symbol(entry, &strings) else {
                continue;
            };
            match kind {
                STT_FUNC | STT_GNU_IFUNC => functions.push((symbol, is_local)),
                STT_OBJECT => variables.push(symbol),
                // Assembler labels; only exported ones are worth a look-up by name.
                STT_NOTYPE if !is_local => variables.push(symbol),
                _ => {}
            }
        }
        let rank = |&(symbol, is_local): &(Symbol, bool)| {
            let name = name_bytes_in(&strings, symbol);
            let underscores = name.iter().take_while(|&&byte| byte == b'_').count();
            (
                symbol.bytes == 0,
                underscores,
                is_local,
                name.len(),
                Reverse(symbol.bytes),
                symbol.name_at,
            )
        };
        // Few symbols share a start, so few names are looked at.
        functions.sort_unstable_by(|one, other| {
            let by_start = one.0.start_svma.cmp(&other.0.start_svma);
            by_start.then_with(|| rank(one).cmp(&rank(other)))
        });
        let mut functions: Vec<Symbol> = functions.into_iter().map(|(symbol, _)| symbol).collect();
        functions.shrink_to_fit();
        variables.shrink_to_fit();
        let kept = functions.capacity().saturating_add(variables.capacity());
        drop(while_sorting);
        Ok(Self {
            _held: budget.hold(WHAT, kept.saturating_mul(size_of::<Symbol>()))?,
            source,
            strings,
            functions,
            variables,
        })
    }

    /// What the table was read from.
    #[must_use]
    pub fn source(&self) -> NameSource {
        self.source
    }

    /// Where named functions and variables start.
    pub(crate) fn starts(&self) -> impl Iterator<Item = u64> {
        let all = self.functions.iter().chain(&self.variables);
        all.map(|symbol| symbol.start_svma)
    }

    /// The function whose symbol covers the address; the innermost when they nest, the best name
    /// when several symbols name it.
    #[must_use]
    pub fn function_covering(&self, svma: u64) -> Option<NativeFunction<'_>> {
        let after = self
            .functions
            .partition_point(|symbol| symbol.start_svma <= svma);
        let before = self
            .functions
            .get(after.saturating_sub(MAX_NESTED)..after)?;
        let covers = |symbol: &&Symbol| svma - symbol.start_svma < symbol.bytes;
        let innermost = before.iter().rev().find(covers)?;
        let first = before
            .iter()
            .find(|symbol| symbol.start_svma == innermost.start_svma && covers(symbol))
            .unwrap_or(innermost);
        Some(NativeFunction {
            start_svma: first.start_svma,
            end_svma: first.start_svma.saturating_add(first.bytes),
            name: FunctionName::Symbol(name_in(&self.strings, *first)),
            source: self.source,
        })
    }

    /// The best name of the function that starts exactly there, whatever size it claims.
    #[must_use]
    pub fn function_starting_at(&self, svma: u64) -> Option<&str> {
        let at = self
            .functions
            .partition_point(|symbol| symbol.start_svma < svma);
        let symbol = self
            .functions
            .get(at)
            .filter(|symbol| symbol.start_svma == svma)?;
        Some(name_in(&self.strings, *symbol))
    }

    /// Address and size in bytes of the function or variable of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<(u64, u64)> {
        self.functions
            .iter()
            .chain(&self.variables)
            .find(|&&symbol| name_bytes_in(&self.strings, symbol) == name.as_bytes())
            .map(|symbol| (symbol.start_svma, symbol.bytes))
    }

    /// Names and addresses of all functions, by address.
    pub fn functions(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.functions.iter().map(|&symbol| {
            (
                name_in(&self.strings, symbol),
                symbol.start_svma,
                symbol.bytes,
            )
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.strings.len()
            + (self.functions.capacity() + self.variables.capacity()) * size_of::<Symbol>()
    }
}

/// The whole entries of a table of plain structs.
pub(crate) fn entries_of<T: object::pod::Pod>(table: &[u8]) -> &[T] {
    let whole = table.len() - table.len() % size_of::<T>();
    table
        .get(..whole)
        .and_then(|table| slice_from_all_bytes(table).ok())
        .unwrap_or_default()
}

/// A defined symbol with a name, its type, and whether it is local.
fn parse_symbol(entry: &SymbolEntry, strings: &[u8]) -> Option<(Symbol, SymbolType, bool)> {
    let name_at = entry.st_name(LE);
    let name = symbol_name(strings, name_at)?;
    let symbol = Symbol {
        start_svma: entry.st_value(LE),
        bytes: entry.st_size(LE),
        name_at,
        name_bytes: u32::try_from(name.len()).ok()?,
    };
    let is_local = entry.st_bind() == STB_LOCAL;
    (!entry.is_undefined(LE)).then_some((symbol, entry.st_type(), is_local))
}

/// The name at an offset of a string table, without version (`memcpy@@GLIBC_2.14`).
pub(crate) fn symbol_name(strings: &[u8], at: u32) -> Option<&str> {
    let rest = strings.get(at as usize..)?;
    let bounded = rest.get(..MAX_NAME_BYTES).unwrap_or(rest);
    let end = bounded.iter().position(|&byte| byte == 0 || byte == b'@')?;
    str::from_utf8(rest.get(..end)?)
        .ok()
        .filter(|name| !name.is_empty())
}

fn name_bytes_in(strings: &[u8], symbol: Symbol) -> &[u8] {
    let start = symbol.name_at as usize;
    strings
        .get(start..start + symbol.name_bytes as usize)
        .unwrap_or_default()
}

fn name_in(strings: &[u8], symbol: Symbol) -> &str {
    str::from_utf8(name_bytes_in(strings, symbol)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(symbols: &[(&str, u8, u64, u64)]) -> SymbolTable {
        let (mut entries, mut strings) = (Vec::new(), vec![0]);
        for &(name, info, start, bytes) in symbols {
            entries.extend((strings.len() as u32).to_le_bytes());
            entries.extend([info, 0, 1, 0]);
            entries.extend(start.to_le_bytes());
            entries.extend(bytes.to_le_bytes());
            strings.extend(name.as_bytes());
            strings.push(0);
        }
        build(&entries, strings)
    }

    fn build(entries: &[u8], strings: Vec<u8>) -> SymbolTable {
        let budget = ByteBudget::of_no_target();
        let strings = budget.keep("strings", strings).unwrap();
        SymbolTable::build(budget, NameSource::Symtab, entries, strings).unwrap()
    }

    const GLOBAL_FUNCTION: u8 = 0x12;
    const LOCAL_FUNCTION: u8 = 0x02;

    fn name_at(table: &SymbolTable, svma: u64) -> Option<String> {
        table
            .function_covering(svma)
            .map(|function| function.name.shown("x"))
    }

    #[test]
    fn a_symbol_covers_its_own_size_and_no_more() {
        let table = table(&[
            ("a", GLOBAL_FUNCTION, 0x10, 0x10),
            ("b", LOCAL_FUNCTION, 0x30, 8),
        ]);
        assert_eq!(name_at(&table, 0xf), None);
        assert_eq!(name_at(&table, 0x1f).as_deref(), Some("a"));
        assert_eq!(name_at(&table, 0x20), None);
        assert_eq!(name_at(&table, 0x30).as_deref(), Some("b"));
        assert_eq!(name_at(&table, u64::MAX), None);
    }

    #[test]
    fn the_plainest_of_several_names_is_shown() {
        let table = table(&[
            ("__libc_malloc", GLOBAL_FUNCTION, 0x10, 0x10),
            ("malloc@@GLIBC_2.2.5", GLOBAL_FUNCTION, 0x10, 0x10),
            ("outer", GLOBAL_FUNCTION, 0x100, 0x100),
            ("inner", GLOBAL_FUNCTION, 0x140, 0x10),
        ]);
        assert_eq!(name_at(&table, 0x18).as_deref(), Some("malloc"));
        assert_eq!(table.named("__libc_malloc"), Some((0x10, 0x10)));
        assert_eq!(name_at(&table, 0x148).as_deref(), Some("inner"));
        assert_eq!(name_at(&table, 0x150).as_deref(), Some("outer"));
    }

    #[test]
    fn symbols_without_size_name_only_their_start() {
        let table = table(&[("start", GLOBAL_FUNCTION, 0x10, 0)]);
        assert_eq!(name_at(&table, 0x10), None);
        assert_eq!(table.function_starting_at(0x10), Some("start"));
        assert_eq!(table.function_starting_at(0x11), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            entries in proptest::collection::vec(any::<u8>(), 0..240),
            strings in proptest::collection::vec(any::<u8>(), 0..64),
            svma in any::<u64>(),
        ) {
            let table = build(&entries, strings);
            if let Some(function) = table.function_covering(svma) {
                prop_assert!(function.start_svma <= svma);
                prop_assert!(svma < function.end_svma || function.end_svma == u64::MAX);
            }
            let _ = table.function_starting_at(svma);
            let _ = table.named("x");
        }
    }
}
