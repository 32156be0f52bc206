//! `binaries`: the processes that hold the binaries of a VM, those that have allocated them, and the
//! binaries that small parts keep alive.

use capture::counted::counted;
use protocol::binaries::{
    AllocatedByWhom, AllocatedRow, AllocationTags, BinariesResult, BinariesWanted, BinaryHolder,
    BinaryProcess, BinaryRow, KeptBinaryRow,
};
use sampling_process::questions;
use serde::Serialize;

use crate::arguments::inside::Binaries;
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, megabytes, render};
use crate::terminal::print_lines;

/// Default number of rows of each table, for the terminal and in JSON.
const SHOWN_ROWS: u32 = 12;
const JSON_ROWS: u32 = 1000;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed<'r> {
    #[serde(flatten)]
    result: &'r BinariesResult,
    circumstances: Circumstances,
}

/// Runs `binaries`.
pub fn run(arguments: &Binaries) -> Result<(), Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    let usual = if arguments.json {
        JSON_ROWS
    } else {
        SHOWN_ROWS
    };
    let wanted = BinariesWanted {
        rows: arguments.rows.unwrap_or(usual),
        look_into: arguments.look_into,
    };
    let result = sampler.ask(questions::Binaries { wanted }, &|| false)?;
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

fn lines(result: &BinariesResult) -> Vec<String> {
    let held = &result.held;
    let mut lines = vec![match result.vm_bytes {
        Some(bytes) => format!("{} MB are binaries of this VM", megabytes(bytes)),
        None => {
            "how many bytes of this VM are binaries is not known: it does not count them".to_owned()
        }
    }];
    let left_out = &result.rejected;
    let is_at_least = left_out.restless > 0 || left_out.messages > 0 || left_out.entries.torn > 0;
    lines.push(format!(
        "{}{} binaries outside of heaps, {} MB, held by {} with {}",
        if is_at_least { "at least " } else { "" },
        held.binaries,
        megabytes(held.bytes),
        counted(held.processes, "process"),
        counted(held.references, "reference"),
    ));
    if let Some(bytes) = result.unheld_bytes.filter(|bytes| *bytes > 0) {
        lines.push(format!(
            "at most {} MB are held by no process that could be read: they are in ETS tables, of NIFs, ports and the VM \
             itself, or what the allocator adds to each block",
            megabytes(bytes)
        ));
    }
    if !result.processes.is_empty() {
        lines.push(String::new());
        lines.extend(processes(&result.processes));
        lines.extend(more(result.processes_left_out));
        lines.push(String::new());
        lines.extend(binaries(&result.binaries));
        lines.extend(more(result.binaries_left_out));
    }
    lines.push(String::new());
    lines.extend(kept(result));
    lines.push(String::new());
    lines.extend(allocated(result));
    lines.extend(rejected(result));
    lines
}

fn more(left_out: u64) -> Option<String> {
    (left_out > 0).then(|| format!("and {left_out} smaller ones"))
}

const NOT_KNOWN: &str = "?";

fn processes(rows: &[BinaryProcess]) -> Vec<String> {
    let cells = |row: &BinaryProcess| {
        vec![
            row.pid.clone(),
            row.name.clone().unwrap_or_default(),
            row.references.to_string(),
            row.binaries.to_string(),
            megabytes(row.bytes),
            megabytes(row.own_bytes),
        ]
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let columns = [
        ("held by", Align::Left),
        ("name", Align::Left),
        ("references", Align::Right),
        ("binaries", Align::Right),
        ("MB", Align::Right),
        ("MB of it alone", Align::Right),
    ];
    render(&columns, &rows)
}

fn binaries(rows: &[BinaryRow]) -> Vec<String> {
    let cells = |row: &BinaryRow| {
        let others = row.other_references.map(|it| it.to_string());
        let appended = if row.appended { ", appended to" } else { "" };
        let holders = holders(&row.holders, row.holders_left_out);
        vec![
            row.id.clone(),
            megabytes(row.bytes),
            row.refc.to_string(),
            row.references.to_string(),
            others.unwrap_or_else(|| NOT_KNOWN.to_owned()),
            format!("{holders}{appended}"),
        ]
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let columns = [
        ("binary", Align::Left),
        ("MB", Align::Right),
        ("references", Align::Right),
        ("of processes", Align::Right),
        ("of others", Align::Right),
        ("held by", Align::Left),
    ];
    render(&columns, &rows)
}

fn holders(holders: &[BinaryHolder], left_out: u64) -> String {
    let text = |holder: &BinaryHolder| match &holder.name {
        Some(name) => format!("{} {name}", holder.pid),
        None => holder.pid.clone(),
    };
    let all: Vec<String> = holders.iter().map(text).collect();
    let all = all.join(", ");
    match left_out {
        0 => all,
        more => format!("{all} and {more} more"),
    }
}

/// Binaries kept for small parts, and the remedy.
fn kept(result: &BinariesResult) -> Vec<String> {
    let looked_into = &result.looked_into;
    let mut given_up = String::new();
    if looked_into.given_up > 0 {
        let count = looked_into.given_up;
        given_up = format!("; {count} more never rested, are too large, or it took too long");
    }
    let scope = format!(
        "heaps read: those of {}, which hold {} of {} MB{given_up}",
        counted(looked_into.processes, "process"),
        megabytes(looked_into.bytes),
        megabytes(result.held.bytes),
    );
    if result.kept.is_empty() {
        return vec![format!(
            "no heap that was read keeps a binary for less than half of its bytes; {scope}"
        )];
    }
    let cells = |row: &KeptBinaryRow| {
        vec![
            row.id.clone(),
            megabytes(row.bytes),
            row.used_bytes.to_string(),
            megabytes(row.bytes.saturating_sub(row.used_bytes)),
            row.live_references.to_string(),
            row.refc.saturating_sub(row.references).to_string(),
            holders(&row.holders, row.holders_left_out),
        ]
    };
    let rows: Vec<Vec<String>> = result.kept.iter().map(cells).collect();
    let columns = [
        ("kept for little", Align::Left),
        ("MB", Align::Right),
        ("bytes in use", Align::Right),
        ("MB for nothing", Align::Right),
        ("live references", Align::Right),
        ("not inspected", Align::Right),
        ("kept by", Align::Left),
    ];
    let mut lines = render(&columns, &rows);
    lines.extend(more(result.kept_left_out));
    lines.push(scope);
    if result.kept.iter().any(|row| row.live_references > 0) {
        lines.push(
            "a part of a binary keeps all of it alive: binary:copy/1 of the part that is needed releases the rest"
                .to_owned(),
        );
    }
    if result.kept.iter().any(|row| row.live_references == 0) {
        lines.push(
            "where no reference lives it is garbage that waits for a collection: a process that rarely works, or only \
             passes binaries on, may need one (erlang:garbage_collect/1, hibernate, fullsweep_after)"
                .to_owned(),
        );
    }
    lines
}

fn allocated(result: &BinariesResult) -> Vec<String> {
    let allocated = &result.allocated;
    let cells = |row: &AllocatedRow| {
        vec![
            allocator_of(row),
            row.library.clone().unwrap_or_default(),
            row.allocator.clone(),
            row.blocks.to_string(),
            megabytes(row.bytes),
        ]
    };
    let rows: Vec<Vec<String>> = allocated.by.iter().map(cells).collect();
    let columns = [
        ("allocated by", Align::Left),
        ("library", Align::Left),
        ("allocator", Align::Left),
        ("blocks", Align::Right),
        ("MB", Align::Right),
    ];
    let mut lines = match allocated.tags {
        AllocationTags::Unknown => Vec::new(),
        _ => render(&columns, &rows),
    };
    lines.extend(more(allocated.left_out));
    let note = match allocated.tags {
        AllocationTags::Process => None,
        AllocationTags::Library => Some(
            "a VM records which process has allocated a block from OTP 26 on: this VM records only the library",
        ),
        AllocationTags::None if !allocated.not_managed.is_empty() => None,
        AllocationTags::None => Some(
            "this VM does not record allocating processes: it was started with +MBatags false, or has no such blocks",
        ),
        AllocationTags::Unknown => Some("their allocating processes could not be determined"),
    };
    lines.extend(note.map(str::to_owned));
    if !allocated.not_managed.is_empty() {
        lines.push(format!(
            "{} (disabled, so that malloc has the memory): its owners are not recorded",
            allocated.not_managed.join(", ")
        ));
    }
    lines
}

fn allocator_of(row: &AllocatedRow) -> String {
    let pid = row.pid.clone().unwrap_or_default();
    match (row.by, row.ended, &row.name) {
        (AllocatedByWhom::Process, Some(true), _) => format!("{pid} (ended)"),
        (AllocatedByWhom::Process, _, Some(name)) => format!("{pid} {name}"),
        (AllocatedByWhom::Process, _, None) => pid,
        (AllocatedByWhom::Port, ..) => "a port".to_owned(),
        (AllocatedByWhom::System, ..) => "the VM".to_owned(),
        (AllocatedByWhom::Unknown, ..) => NOT_KNOWN.to_owned(),
    }
}

fn rejected(result: &BinariesResult) -> Vec<String> {
    let rejected = &result.rejected;
    let reasons = [
        (
            rejected.restless,
            "processes are excluded: they were running on every reading, or hold more than 262,144",
        ),
        (
            rejected.messages,
            "waiting messages could not be read: binaries that only they refer to are missing from the sums of holders (ps shows the mailboxes)",
        ),
        (
            rejected.entries.freed,
            "processes ended while they were read",
        ),
        (
            rejected.entries.torn,
            "processes had inconsistent data on every reading",
        ),
        (
            result.allocated.unread_carriers,
            "carriers changed on every reading, or are too many: the owners of their blocks are not listed",
        ),
    ];
    let some = reasons.iter().filter(|(count, _)| *count > 0);
    let some = some.map(|(count, why)| format!("{count} {why}"));
    let names = result.left_out_holders.iter().map(|holder| {
        let name = holder.name.as_deref().unwrap_or(NOT_KNOWN);
        format!("{} {name} ({})", holder.pid, holder.status)
    });
    let names: Vec<String> = names.collect();
    let names = (!names.is_empty()).then(|| format!("in no sum: {}", names.join(", ")));
    some.chain(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::binaries::{
        AllocatedBinaries, HeldBinaries, LeftOutHolder, LookedIntoHeaps, RejectedBinaries,
    };
    use protocol::processes::RejectedEntries;

    fn holder() -> BinaryHolder {
        BinaryHolder {
            pid: "<0.83.0>".to_owned(),
            name: Some("cache".to_owned()),
        }
    }

    fn result() -> BinariesResult {
        BinariesResult {
            vm_bytes: Some(53_000_000),
            unheld_bytes: Some(50_000_000),
            held: HeldBinaries {
                processes: 1,
                references: 3,
                binaries: 2,
                bytes: 3_000_000,
            },
            processes: vec![BinaryProcess {
                pid: "<0.83.0>".to_owned(),
                name: Some("cache".to_owned()),
                references: 3,
                binaries: 2,
                bytes: 3_000_000,
                own_bytes: 1_000_000,
                looked_into: true,
            }],
            binaries: vec![BinaryRow {
                id: "0x7f00".to_owned(),
                bytes: 2_000_000,
                refc: 4,
                references: 2,
                other_references: Some(2),
                appended: true,
                holders: vec![holder()],
                holders_left_out: 7,
            }],
            kept: vec![KeptBinaryRow {
                id: "0x7f00".to_owned(),
                bytes: 2_000_000,
                used_bytes: 10,
                refc: 4,
                references: 2,
                live_references: 1,
                holders: vec![holder()],
                holders_left_out: 0,
            }],
            looked_into: LookedIntoHeaps {
                processes: 1,
                bytes: 3_000_000,
                given_up: 2,
            },
            allocated: AllocatedBinaries {
                tags: AllocationTags::Process,
                by: vec![AllocatedRow {
                    allocator: "binary_alloc".to_owned(),
                    by: AllocatedByWhom::Process,
                    pid: Some("<0.99.0>".to_owned()),
                    ended: Some(true),
                    blocks: 2,
                    bytes: 3_000_128,
                    ..AllocatedRow::default()
                }],
                ..AllocatedBinaries::default()
            },
            ..BinariesResult::default()
        }
    }

    #[test]
    fn holders_keepers_and_allocating_processes_are_shown() {
        let text = lines(&result()).join("\n");
        for wanted in [
            "53.00 MB are binaries of this VM\n2 binaries outside of heaps, 3.00 MB, held by 1 process with 3 references\n\
             at most 50.00 MB are held by no process",
            "<0.83.0>  cache           3         2  3.00            1.00\n",
            "<0.83.0> cache and 7 more, appended to",
            "0x7f00           2.00            10            2.00                1              2  <0.83.0> cache",
            "which hold 3.00 of 3.00 MB; 2 more never rested",
            "binary:copy/1",
            "<0.99.0> (ended)           binary_alloc       2  3.00",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
        assert!(!text.contains("garbage that waits"), "{text}");
    }

    #[test]
    fn unknown_facts_are_named() {
        let mut some = result();
        some.binaries[0].other_references = None;
        (some.vm_bytes, some.unheld_bytes) = (None, None);
        some.kept[0].live_references = 0;
        some.allocated = AllocatedBinaries {
            tags: AllocationTags::None,
            unread_carriers: 3,
            not_managed: vec!["binary_alloc".to_owned()],
            ..AllocatedBinaries::default()
        };
        some.rejected = RejectedBinaries {
            restless: 2,
            ..RejectedBinaries::default()
        };
        some.left_out_holders.push(LeftOutHolder {
            pid: "<0.95.0>".to_owned(),
            name: Some("busy".to_owned()),
            status: "running".to_owned(),
        });
        let text = lines(&some).join("\n");
        assert!(text.contains("2          ?  <0.83.0>"), "{text}");
        assert!(text.starts_with("how many bytes"), "{text}");
        assert!(text.contains("garbage that waits"), "{text}");
        assert!(
            text.contains(
                "\nbinary_alloc (disabled, so that malloc has the memory): its owners are not recorded\n2 processes are excluded"
            ),
            "{text}"
        );
        assert!(text.contains("\n3 carriers changed"), "{text}");
        assert!(text.contains("\nat least "), "{text}");
        assert!(
            text.contains("in no sum: <0.95.0> busy (running)"),
            "{text}"
        );
        some.rejected = RejectedBinaries {
            messages: 100,
            ..RejectedBinaries::default()
        };
        let text = lines(&some).join("\n");
        assert!(text.contains("\nat least "), "{text}");
        assert!(
            text.contains("\n100 waiting messages could not be read"),
            "{text}"
        );
        let nothing = lines(&BinariesResult::default()).join("\n");
        let none = "no heap that was read keeps a binary for less than half of its bytes; heaps read: those of \
                    0 processes, which hold 0.00 of 0.00 MB";
        assert!(nothing.contains(none), "{nothing}");
        assert!(!nothing.contains("at least "), "{nothing}");
        let torn = BinariesResult {
            rejected: RejectedBinaries {
                entries: RejectedEntries { freed: 0, torn: 1 },
                ..RejectedBinaries::default()
            },
            ..BinariesResult::default()
        };
        let text = lines(&torn).join("\n");
        assert!(text.contains("\nat least 0 binaries"), "{text}");
    }
}
