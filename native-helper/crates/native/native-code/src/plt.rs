//! Stubs of the procedure linkage table: which function a jump through the GOT leads to.

use arch::elf::{INDIRECT_FUNCTION, LINKAGE_SLOT, SYMBOL_ADDRESS, jump_slot};
use byte_budget::{BudgetSpent, ByteBudget, Held};
use object::LittleEndian;
use object::elf::Rela64;
use object::read::elf::Sym;
use shared_sort::SharedSort;

use crate::elf_layout::LE;
use crate::object_part::Part;
use crate::symbol_layers::SymbolLayers;
use crate::symbols::{
    FunctionName, NameSource, NativeFunction, SymbolEntry, entries_of, symbol_name,
};

type Relocation = Rela64<LittleEndian>;

#[derive(Debug)]
struct Stub {
    start_svma: u64,
    name: Option<Box<str>>,
}

#[derive(Debug)]
struct StubSection {
    start_svma: u64,
    end_svma: u64,
    stub_bytes: u64,
}

/// The stubs of one object.
#[derive(Debug, Default)]
pub struct PltTable {
    sections: Vec<StubSection>,
    /// Those with a known target, by start.
    stubs: Vec<Stub>,
    _held: Option<Held>,
}

impl PltTable {
    /// Decodes the jump in each stub and looks its GOT slot up in the relocations: unlike counting
    /// entries, this holds for every linker and every kind of PLT.
    pub(crate) fn build(
        budget: &ByteBudget,
        sections: &[(Part, u64)],
        relocations: &[Part],
        dynamic: Option<&(Part, Part)>,
        symbols: &SymbolLayers,
    ) -> Result<Self, BudgetSpent> {
        const WHAT: &str = "stubs of the procedure linkage table";
        let entries = relocations.iter().map(|part| part.bytes.len());
        let _slots = budget.hold(
            WHAT,
            entries.fold(0, usize::saturating_add).saturating_mul(2),
        )?;
        let mut held = budget.hold(WHAT, 0)?;
        let slots = slots(relocations, dynamic, symbols);
        let mut table = Self::default();
        for (part, entry_bytes) in sections {
            let stub_bytes = if *entry_bytes == 8 { 8 } else { 16 };
            table.sections.push(StubSection {
                start_svma: part.svma,
                end_svma: part.svma.saturating_add(part.bytes.len() as u64),
                stub_bytes,
            });
            let mut start_svma = part.svma;
            for code in part.bytes.chunks_exact(stub_bytes as usize) {
                if let Some(slot) = jump_slot(code, start_svma)
                    && let Ok(at) = slots.binary_search_by_key(&slot, |&(slot, _)| slot)
                    && let Some((_, name)) = slots.get(at)
                {
                    // A vector that grows takes up to twice the size of its content.
                    held.grow(WHAT, (2 * size_of::<Stub>()).saturating_add(name.len()))?;
                    table.stubs.push(Stub {
                        start_svma,
                        name: Some((*name).into()),
                    });
                }
                start_svma = start_svma.wrapping_add(stub_bytes);
            }
        }
        table.stubs.shared_sort_by_key(|stub| stub.start_svma);
        table._held = Some(held);
        Ok(table)
    }

    /// The stub that holds an address.
    #[must_use]
    pub fn stub_at(&self, svma: u64) -> Option<NativeFunction<'_>> {
        let section = self
            .sections
            .iter()
            .find(|section| section.start_svma <= svma && svma < section.end_svma)?;
        let start_svma = svma - (svma - section.start_svma) % section.stub_bytes;
        let name = self
            .stubs
            .binary_search_by_key(&start_svma, |stub| stub.start_svma)
            .ok()
            .and_then(|at| self.stubs.get(at)?.name.as_deref());
        Some(NativeFunction {
            start_svma,
            end_svma: start_svma.saturating_add(section.stub_bytes),
            name: FunctionName::Plt(name),
            source: NameSource::Plt,
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let names: usize = self
            .stubs
            .iter()
            .map(|stub| stub.name.as_ref().map_or(0, |n| n.len()))
            .sum();
        names + self.stubs.capacity() * size_of::<Stub>()
    }
}

/// GOT slots and the names of the functions that they will point to, by slot.
fn slots<'a>(
    relocations: &[Part],
    dynamic: Option<&'a (Part, Part)>,
    symbols: &'a SymbolLayers,
) -> Vec<(u64, &'a str)> {
    let named = |index: u32| {
        let (table, strings) = dynamic?;
        let entry = entries_of::<SymbolEntry>(&table.bytes).get(index as usize)?;
        symbol_name(&strings.bytes, entry.st_name(LE))
    };
    let mut slots: Vec<(u64, &str)> = relocations
        .iter()
        .flat_map(|part| entries_of::<Relocation>(&part.bytes))
        .filter_map(|entry| {
            let slot = entry.r_offset.get(LE);
            let name = match entry.r_type(LE, false).0 {
                SYMBOL_ADDRESS | LINKAGE_SLOT => named(entry.r_sym(LE, false))?,
                INDIRECT_FUNCTION => {
                    let resolver = entry.r_addend.get(LE).cast_unsigned();
                    symbols.function_starting_at(resolver)?.0
                }
                _ => return None,
            };
            Some((slot, name))
        })
        .collect();
    slots.shared_sort();
    slots.dedup_by_key(|&mut (slot, _)| slot);
    slots
}
