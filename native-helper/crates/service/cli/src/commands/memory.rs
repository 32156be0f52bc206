//! `memory`: what the memory of a VM is for.

use protocol::memory::{
    AllocatorMemory, EtsTableMemory, MemoryResult, NativeLibrary, ResidentMemory,
};
use sampling_process::questions;
use serde::Serialize;

use crate::arguments::Memory;
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, megabytes, percent, render};
use crate::terminal::print_lines;

mod advice;

/// Allocators of the memory that has no figure of its own.
const OF_THE_REST: [&str; 5] = [
    "driver_alloc",
    "fix_alloc",
    "ll_alloc",
    "sl_alloc",
    "std_alloc",
];
/// Of memory whose allocator is switched off.
pub(super) const NOT_MANAGED: &str = "not managed by the VM";
/// Tables of ETS that a person is shown.
const SHOWN_TABLES: usize = 12;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed<'r> {
    #[serde(flatten)]
    result: &'r MemoryResult,
    circumstances: Circumstances,
}

/// Runs `memory`.
pub fn run(arguments: &Memory) -> Result<(), Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    let result = sampler.ask(questions::Memory {}, &|| false)?;
    let circumstances = Circumstances::of(&mut sampler);
    if arguments.json {
        return print_json(&Printed {
            result: &result,
            circumstances,
        });
    }
    circumstances.print()?;
    Ok(print_lines(lines(&result))?)
}

fn lines(result: &MemoryResult) -> Vec<String> {
    let mut lines = allocators(&result.allocators);
    lines.push(String::new());
    lines.extend(tables(result));
    lines.push(String::new());
    lines.push(counted(result));
    lines.extend(not_managed(result));
    lines.extend(resident(result));
    lines.extend(rejected(result));
    lines.extend(result.advice.iter().flat_map(advice::advice));
    lines
}

fn allocators(allocators: &[AllocatorMemory]) -> Vec<String> {
    const NOT_KNOWN: &str = "?";
    let or_not_known = |text: Option<String>| text.unwrap_or_else(|| NOT_KNOWN.to_owned());
    let cells = |row: &AllocatorMemory| {
        let used = row.blocks_bytes as f64 / row.carriers_bytes.max(1) as f64;
        vec![
            row.name.clone(),
            megabytes(row.carriers_bytes),
            or_not_known(row.resident_bytes.map(megabytes)),
            megabytes(row.blocks_bytes),
            percent(used * 100.0),
            or_not_known(row.largest_free_bytes.map(megabytes)),
            or_not_known(row.fragmentation.map(|it| format!("{it:.2}"))),
        ]
    };
    let rows: Vec<Vec<String>> = allocators.iter().map(cells).collect();
    let columns = [
        ("allocator", Align::Left),
        ("carriers MB", Align::Right),
        ("in memory MB", Align::Right),
        ("blocks MB", Align::Right),
        ("used %", Align::Right),
        ("largest free MB", Align::Right),
        ("fragmentation", Align::Right),
    ];
    render(&columns, &rows)
}

fn tables(result: &MemoryResult) -> Vec<String> {
    let cells = |row: &EtsTableMemory| {
        vec![
            row.name.clone(),
            row.owner.clone(),
            row.table_type.clone(),
            row.protection.clone(),
            row.items.to_string(),
            megabytes(row.bytes),
        ]
    };
    let rows: Vec<Vec<String>> = result.ets.iter().take(SHOWN_TABLES).map(cells).collect();
    let columns = [
        ("ETS table", Align::Left),
        ("owner", Align::Left),
        ("type", Align::Left),
        ("protection", Align::Left),
        ("items", Align::Right),
        ("MB", Align::Right),
    ];
    let mut lines = render(&columns, &rows);
    let more = (result.ets.len() - rows.len()) as u64 + result.ets_left_out;
    if more > 0 {
        lines.push(format!("and {more} smaller ones"));
    }
    lines
}

fn counted(result: &MemoryResult) -> String {
    let memory = &result.memory;
    let code = memory.jit_code.map(megabytes);
    let code = code.map_or_else(String::new, |code| format!(", code of the JIT {code}"));
    let part = |bytes: Option<u64>| bytes.map_or_else(|| NOT_MANAGED.to_owned(), megabytes);
    let at_least = if memory.total_at_least {
        "at least "
    } else {
        ""
    };
    let named = [
        memory.process_heaps,
        memory.binary,
        memory.ets,
        memory.jit_code,
        memory.literals,
    ];
    let rest = memory.total.saturating_sub(named.iter().flatten().sum());
    let lacks_rest = result
        .not_managed
        .iter()
        .any(|name| OF_THE_REST.contains(&&**name));
    let rest = match (lacks_rest, rest) {
        (true, 0) => NOT_MANAGED.to_owned(),
        (true, some) => format!("at least {}", megabytes(some)),
        (false, all) => megabytes(all),
    };
    let ets_at_least = match (memory.ets, memory.ets_names) {
        (Some(_), None) => "at least ",
        _ => "",
    };
    format!(
        "the VM counts {at_least}{} MB: heaps of processes {}, binaries {}, ETS {ets_at_least}{}{code}, literals {}, all else (structs of processes, atoms, tables of the VM) {}",
        megabytes(memory.total),
        part(memory.process_heaps),
        part(memory.binary),
        part(memory.ets),
        part(memory.literals),
        rest,
    )
}

/// Allocators that are switched off.
fn not_managed(result: &MemoryResult) -> Option<String> {
    let names = result.not_managed.join(", ");
    (!names.is_empty()).then(|| {
        format!(
            "{NOT_MANAGED}: {names} (switched off, so that malloc has the memory; it is in RSS)"
        )
    })
}

/// The resident memory, and the part that no carrier explains.
fn resident(result: &MemoryResult) -> Vec<String> {
    let (Some(rss), Some(resident)) = (result.rss_bytes, &result.resident) else {
        return vec!["in memory: not reported by the kernel".to_owned()];
    };
    let mut line = format!(
        "in memory (RSS): {} MB, of which {} in no file",
        megabytes(rss),
        megabytes(resident.anonymous_bytes)
    );
    if let Some(unexplained) = resident.unexplained_bytes {
        let of = elsewhere(resident);
        let text = format!("in no carrier either ({of})");
        line.push_str(&format!(", and {} {text}", megabytes(unexplained)));
    }
    if let Some(code) = resident.jit_code_bytes {
        line.push_str(&format!("; code of the JIT {}", megabytes(code)));
    }
    let mut lines = vec![line];
    lines.extend(libraries(&result.native_libraries).map(|names| {
        format!("libraries with NIFs or drivers, whose malloc is in no carrier: {names}")
    }));
    if resident.lazily_freed_bytes > 0 {
        let freed = megabytes(resident.lazily_freed_bytes);
        lines.push(format!(
            "given back, and the kernel has not taken it yet: {freed} MB"
        ));
    }
    if resident.swapped_bytes > 0 {
        lines.push(format!(
            "on disk instead: {} MB",
            megabytes(resident.swapped_bytes)
        ));
    }
    lines
}

/// Libraries with NIFs or drivers, each with its modules; `None` without any.
pub fn libraries(libraries: &[NativeLibrary]) -> Option<String> {
    let named = libraries.iter().map(|library| {
        let of = library.modules.iter().chain(&library.drivers);
        let of: Vec<&str> = of.map(String::as_str).collect();
        format!("{} ({})", library.file, of.join(", "))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// Memory in no carrier that has none of the other purposes, at most, and whether it is exactly that: all of these are
/// known. `None` where that in no carrier is not known.
pub fn others(resident: &ResidentMemory) -> Option<(u64, bool)> {
    let purposes = purposes(resident).map(|(bytes, _)| bytes);
    let known = purposes.iter().flatten().sum();
    let rest = resident.unexplained_bytes?.saturating_sub(known);
    Some((rest, purposes.iter().all(Option::is_some)))
}

/// Code of the JIT in resident memory: none where code is interpreted, `None` where it is not known.
pub fn jit_code(result: &MemoryResult) -> Option<u64> {
    let is_interpreted = result.code.is_some() && result.memory.jit_code.is_none();
    let resident = result.resident.as_ref()?;
    resident.jit_code_bytes.or(is_interpreted.then_some(0))
}

/// The purposes that memory in no carrier may have, with its bytes.
fn purposes(resident: &ResidentMemory) -> [(Option<u64>, &'static str); 3] {
    [
        (resident.thread_stacks_bytes, "stacks of threads"),
        (resident.malloc_bytes, "malloc"),
        (
            resident.cached_segments_bytes,
            "segments that the VM has freed and keeps",
        ),
    ]
}

/// The purposes of memory in no carrier, as far as they are known.
fn elsewhere(resident: &ResidentMemory) -> String {
    let purposes = purposes(resident);
    let purposes = purposes.iter().map(|(bytes, name)| match bytes {
        Some(bytes) => format!("{name} {}", megabytes(*bytes)),
        None => format!("{name} ?"),
    });
    let rest = others(resident).map(|(bytes, is_exact)| {
        let most = if is_exact { "" } else { "at most " };
        format!("NIFs, drivers and others {most}{}", megabytes(bytes))
    });
    purposes.chain(rest).collect::<Vec<_>>().join(", ")
}

fn rejected(result: &MemoryResult) -> Vec<String> {
    let rejected = &result.rejected;
    let reasons = [
        (
            rejected.allocators,
            "allocator instances are excluded: their sums were inconsistent on every reading",
        ),
        (
            rejected.carriers,
            "allocator instances changed on every reading of their carriers: a free block may be larger than shown",
        ),
        (
            rejected.tables,
            "ETS tables are excluded: they changed on every reading",
        ),
    ];
    let some = reasons.iter().filter(|(count, _)| *count > 0);
    some.map(|(count, why)| format!("{count} {why}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::memory::{MemorySplit, RejectedMemory};

    fn result() -> MemoryResult {
        let table = |name: &str| EtsTableMemory {
            name: name.to_owned(),
            named: true,
            owner: "<0.9.0>".to_owned(),
            table_type: "set".to_owned(),
            items: 7,
            bytes: 4_000_000,
            protection: "public".to_owned(),
        };
        MemoryResult {
            allocators: vec![AllocatorMemory {
                name: "ets_alloc".to_owned(),
                carriers_bytes: 8_000_000,
                blocks_bytes: 6_000_000,
                largest_free_bytes: Some(1_500_000),
                fragmentation: Some(0.25),
                ..AllocatorMemory::default()
            }],
            ets: (0..14)
                .map(|number| table(&format!("shop_{number}")))
                .collect(),
            memory: MemorySplit {
                total: 9_500_000,
                ets: Some(6_000_000),
                ..MemorySplit::default()
            },
            ..MemoryResult::default()
        }
    }

    #[test]
    fn what_cannot_be_had_is_not_zero() {
        let text = lines(&result()).join("\n");
        assert!(text.contains("ets_alloc         8.00             ?       6.00    75.0             1.50           0.25"), "{text}");
        assert!(text.contains("\nand 2 smaller ones\n"), "{text}");
        assert!(
            text.contains("in memory: not reported by the kernel"),
            "{text}"
        );
        assert!(!text.contains("code of the JIT"), "{text}");
    }

    #[test]
    fn what_the_vm_does_not_manage_is_not_zero() {
        let shown = MemoryResult {
            not_managed: vec!["binary_alloc".to_owned()],
            memory: MemorySplit {
                total: 9_500_000,
                total_at_least: true,
                process_heaps: Some(1_000_000),
                ets: Some(6_000_000),
                ..MemorySplit::default()
            },
            ..result()
        };
        let text = lines(&shown).join("\n");
        assert!(text.contains("the VM counts at least 9.50 MB: heaps of processes 1.00, binaries not managed by the VM, ETS at least 6.00, literals not managed by the VM, all else (structs of processes, atoms, tables of the VM) 2.50"), "{text}");
        assert!(
            text.contains("\nnot managed by the VM: binary_alloc (switched off"),
            "{text}"
        );
    }

    #[test]
    fn memory_in_no_carrier_and_rejected_parts_are_named() {
        let shown = MemoryResult {
            rss_bytes: Some(30_000_000),
            resident: Some(ResidentMemory {
                anonymous_bytes: 20_000_000,
                lazily_freed_bytes: 1_000_000,
                swapped_bytes: 0,
                unexplained_bytes: Some(3_000_000),
                thread_stacks_bytes: None,
                cached_segments_bytes: Some(200_000),
                malloc_bytes: Some(2_500_000),
                jit_code_bytes: Some(6_000_000),
            }),
            rejected: RejectedMemory {
                tables: 3,
                ..RejectedMemory::default()
            },
            ..result()
        };
        let library = NativeLibrary {
            file: "leak.so".to_owned(),
            modules: vec!["leak".to_owned()],
            drivers: vec!["leak_drv".to_owned()],
        };
        let shown = MemoryResult {
            native_libraries: vec![library],
            ..shown
        };
        let text = lines(&shown).join("\n");
        assert!(text.contains("in memory (RSS): 30.00 MB, of which 20.00 in no file, and 3.00 in no carrier either (stacks of threads ?, malloc 2.50, segments that the VM has freed and keeps 0.20, NIFs, drivers and others at most 0.30); code of the JIT 6.00"), "{text}");
        let mut all_known = shown.clone();
        all_known.resident.as_mut().unwrap().thread_stacks_bytes = Some(100_000);
        let known = lines(&all_known).join("\n");
        assert!(known.contains("NIFs, drivers and others 0.20)"), "{known}");
        assert!(text.contains("\nlibraries with NIFs or drivers, whose malloc is in no carrier: leak.so (leak, leak_drv)\n"), "{text}");
        assert!(text.contains("has not taken it yet: 1.00 MB"), "{text}");
        assert!(text.contains("\n3 ETS tables are excluded"), "{text}");
        assert!(!text.contains("on disk"), "{text}");
    }
}
