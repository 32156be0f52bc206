//! How a VM uses its memory, as the protocol reports it.

use std::cmp::Reverse;
use std::time::Instant;

use attach::{AttachError, AttachedVm, CodeInUse, MemoryInUse, ModuleInUse};
use protocol::inside::{CarrierPlace, InsideMemoryResult, MemoryLook};
use protocol::memory::{
    AllocatorMemory, EtsTableMemory, MemoryResult, MemorySplit, ModuleMemory, NativeLibrary,
    RejectedMemory, ResidentMemory,
};
use shared_sort::SharedSort;
use vm_layout::Flavor;
use vm_layout::allocators::NAME_PREFIXES;
use vm_memory::Carrier;
use vm_memory::allocators::Allocator;
use vm_memory::ets::{EtsTable, Protection, TableType};

use crate::process_watch::pause_ms;
use crate::thread_time::thread_time;

mod advice;

/// Reported carriers.
const MOST_CARRIERS: usize = 10_000;
const PAGE_BYTES: u64 = 4096;
/// Reported tables; names of 255 characters each still fit in one message.
const MOST_TABLES: usize = 10_000;
/// Reported modules.
const MOST_MODULES: usize = 10_000;

/// Two snapshots are at least this far apart.
const SHORTEST_PAUSE_MS: f64 = 2000.0;

/// A snapshot with the carriers one by one, and its cost.
pub(crate) fn memory_map_result(vm: &mut AttachedVm) -> Result<InsideMemoryResult, AttachError> {
    let (began, cpu_began) = (Instant::now(), thread_time());
    let memory = vm.memory_in_use()?;
    let (carriers, carriers_left_out) = places(&memory.allocators.allocators);
    let memory = memory_result(vm, memory);
    let cpu = thread_time().saturating_sub(cpu_began);
    Ok(InsideMemoryResult {
        memory,
        carriers,
        carriers_left_out,
        look: MemoryLook {
            took_ms: began.elapsed().as_secs_f64() * 1000.0,
            cpu_ms: cpu.as_secs_f64() * 1000.0,
            next_ms: pause_ms(cpu, SHORTEST_PAUSE_MS),
        },
    })
}

/// The largest carriers by address, and how many others there are.
fn places(allocators: &[Allocator]) -> (Vec<CarrierPlace>, u64) {
    let of_allocator = |(allocator, found): (u32, &Allocator)| {
        let place = move |carrier: &Carrier| CarrierPlace {
            allocator,
            page: carrier.address / PAGE_BYTES,
            bytes: carrier.bytes,
            used_bytes: carrier.used_bytes,
            largest_free_bytes: carrier.largest_free_bytes,
            one_block: carrier.has_one_block,
        };
        found.found.iter().map(place).collect::<Vec<_>>()
    };
    let mut places: Vec<CarrierPlace> = (0..).zip(allocators).flat_map(of_allocator).collect();
    places.shared_sort_by_key(|carrier| Reverse(carrier.bytes));
    let left_out = places.len().saturating_sub(MOST_CARRIERS) as u64;
    places.truncate(MOST_CARRIERS);
    places.shared_sort_by_key(|carrier| carrier.page);
    (places, left_out)
}

pub(crate) fn memory_result(vm: &mut AttachedVm, memory: MemoryInUse) -> MemoryResult {
    let has_jit = matches!(vm.flavor, Flavor::Jit(_));
    let split = split(&memory, has_jit);
    let elsewhere = memory.resident_elsewhere;
    let resident = memory.resident.map(|resident| {
        let carriers = memory.resident_of_allocators.iter();
        let carriers: Option<u64> = carriers.copied().sum();
        ResidentMemory {
            anonymous_bytes: resident
                .anonymous_bytes
                .saturating_sub(resident.lazily_freed_bytes),
            lazily_freed_bytes: resident.lazily_freed_bytes,
            swapped_bytes: resident.swapped_bytes,
            // Memory that was given back lazily still is in its carriers.
            unexplained_bytes: carriers
                .map(|carriers| resident.anonymous_bytes.saturating_sub(carriers)),
            thread_stacks_bytes: elsewhere.thread_stacks,
            malloc_bytes: elsewhere.malloc,
            cached_segments_bytes: elsewhere.cached_segments,
            jit_code_bytes: elsewhere.jit_code,
        }
    });
    let mut tables = memory.ets.tables;
    tables.shared_sort_by_key(|table| Reverse(table.bytes));
    let ets_left_out = tables.len().saturating_sub(MOST_TABLES) as u64;
    tables.truncate(MOST_TABLES);
    let (code, code_left_out) = memory.code.map_or((None, 0), |code| {
        let (modules, left_out) = modules(code);
        (Some(modules), left_out)
    });
    let libraries = memory.native_libraries.into_iter();
    let libraries = libraries.map(|it| NativeLibrary {
        file: it.file,
        modules: it.modules,
        drivers: it.drivers,
    });
    let not_managed = memory.allocators.switched_off.iter();
    let not_managed = not_managed.map(|(name, _)| name.clone()).collect();
    let rejected = RejectedMemory {
        allocators: memory.allocators.rejected.instances,
        carriers: memory.allocators.rejected.walks,
        tables: memory.ets.rejected,
    };
    let allocators = memory.allocators.allocators.into_iter();
    let allocators: Vec<AllocatorMemory> = allocators
        .zip(memory.resident_of_allocators)
        .map(|(allocator, resident)| allocator_memory(allocator, resident))
        .collect();
    MemoryResult {
        advice: advice::advice(&allocators),
        allocators,
        not_managed,
        code,
        code_left_out,
        native_libraries: libraries.collect(),
        rss_bytes: memory.resident.map(|resident| resident.rss_bytes),
        resident,
        memory: split,
        ets: tables.iter().map(|table| table_memory(vm, table)).collect(),
        ets_left_out,
        rejected,
    }
}

/// The largest modules, and how many others there are.
fn modules(code: CodeInUse) -> (Vec<ModuleMemory>, u64) {
    let module_memory = |module: ModuleInUse| ModuleMemory {
        module: module.name,
        bytes: module.bytes,
        literal_bytes: module.literal_bytes,
    };
    let mut modules: Vec<ModuleMemory> = code.modules.into_iter().map(module_memory).collect();
    modules.shared_sort_by(|a, b| (b.bytes, &a.module).cmp(&(a.bytes, &b.module)));
    let left_out = modules.len().saturating_sub(MOST_MODULES) as u64 + code.left_out;
    modules.truncate(MOST_MODULES);
    (modules, left_out)
}

/// `has_jit`: of another emulator, code is in blocks.
fn split(memory: &MemoryInUse, has_jit: bool) -> MemorySplit {
    let found = &memory.allocators;
    let is_managed = |kind: &usize| !found.switched_off.iter().any(|(_, off)| off == kind);
    let blocks_of = |prefix: &str| {
        let kind = NAME_PREFIXES.iter().position(|name| *name == prefix);
        let kind = kind.filter(is_managed)?;
        found.blocks_bytes.get(kind).copied()
    };
    let allocators = memory.allocators.allocators.iter();
    let lasting = allocators.filter(|it| !matches!(&*it.name, "temp_alloc" | "test_alloc"));
    let blocks = lasting.fold(0, |sum: u64, it| sum.saturating_add(it.blocks_bytes));
    MemorySplit {
        total: blocks.saturating_add(memory.jit_code_bytes.unwrap_or(0)),
        total_at_least: !found.switched_off.is_empty()
            || found.rejected.instances > 0
            || has_jit && memory.jit_code_bytes.is_none(),
        process_heaps: blocks_of("eheap_"),
        binary: blocks_of("binary_"),
        ets: blocks_of("ets_").map(|ets| ets.saturating_add(memory.ets_names_bytes.unwrap_or(0))),
        ets_names: memory.ets_names_bytes,
        jit_code: memory.jit_code_bytes,
        literals: blocks_of("literal_"),
    }
}

fn allocator_memory(allocator: Allocator, resident_bytes: Option<u64>) -> AllocatorMemory {
    AllocatorMemory {
        fragmentation: allocator.fragmentation(),
        name: allocator.name,
        carriers_bytes: allocator.carriers_bytes,
        blocks_bytes: allocator.blocks_bytes,
        largest_free_bytes: allocator.largest_free_bytes,
        carriers: allocator.carriers,
        pooled_carriers: allocator.pooled_carriers,
        one_block_carriers_bytes: allocator.one_block_carriers_bytes,
        resident_bytes,
    }
}

fn table_memory(vm: &mut AttachedVm, table: &EtsTable) -> EtsTableMemory {
    // It was an atom of this VM, and atoms stay.
    let name = vm.atoms.name(&vm.memory, table.name).map(str::to_owned);
    EtsTableMemory {
        name: name.unwrap_or_default(),
        named: table.is_named,
        owner: vm
            .pids
            .map_or_else(String::new, |pids| pids.text(table.owner)),
        table_type: match table.kind {
            TableType::Set => "set",
            TableType::OrderedSet => "ordered_set",
            TableType::Bag => "bag",
            TableType::DuplicateBag => "duplicate_bag",
        }
        .to_owned(),
        items: table.items,
        bytes: table.bytes,
        protection: match table.protection {
            Protection::Private => "private",
            Protection::Protected => "protected",
            Protection::Public => "public",
        }
        .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_without_the_code_of_a_jit_is_at_least_that() {
        let memory = |jit_code_bytes| MemoryInUse {
            allocators: vm_memory::allocators::Allocators::default(),
            resident_of_allocators: Vec::new(),
            ets: vm_memory::ets::EtsTables::default(),
            ets_names_bytes: None,
            resident: None,
            resident_elsewhere: Default::default(),
            jit_code_bytes,
            code: None,
            native_libraries: Vec::new(),
        };
        let at_least = |code, has_jit| split(&memory(code), has_jit).total_at_least;
        assert!(at_least(None, true));
        assert!(!at_least(Some(1), true) && !at_least(None, false));
    }
}
