//! The binaries of a VM, as the protocol reports them.

use std::cmp::Reverse;
use std::time::Instant;

use attach::{
    AllocatedBy, AttachError, AttachedVm, BinariesInUse, BinaryHolder as Holder, KeptBinary,
};
use protocol::binaries::{
    AllocatedBinaries, AllocatedByWhom, AllocatedRow, AllocationTags, BinariesLook, BinariesResult,
    BinariesWanted, BinaryHolder, BinaryProcess, BinaryRow, HeldBinaries, KeptBinaryRow,
    LeftOutHolder, LookedIntoHeaps, RejectedBinaries,
};
use protocol::processes::RejectedEntries;
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use vm_layout::allocators::NAME_PREFIXES;
use vm_memory::tagged_blocks::{AllocatedSum, Allocator, TagFormat};
use vm_processes::{HeldBinary, Status};
use vm_tables::pids::PidFormat;

use crate::thread_time::thread_time;

/// Upper bounds of the rows in a list and of the processes whose heaps are read, whatever the
/// request.
const MOST_ROWS: u32 = 1000;
const MOST_LOOKED_INTO: u32 = 200;
/// Reported holders of one binary.
const SHOWN_HOLDERS: usize = 5;

/// A snapshot of all binaries.
pub(crate) fn binaries_result(
    vm: &mut AttachedVm,
    wanted: BinariesWanted,
) -> Result<BinariesResult, AttachError> {
    let (began, cpu_began) = (Instant::now(), thread_time());
    let look_into = wanted.look_into.min(MOST_LOOKED_INTO) as usize;
    let found = vm.binaries_in_use(look_into)?;
    let pids = vm.look(|vm| vm.pid_format())?;
    let rows = wanted.rows.min(MOST_ROWS) as usize;
    let all = All::of(&found);
    let allocated = allocated(vm, &found, pids, rows);
    let telling = Telling {
        found: &found,
        all: &all,
        pids,
        rows,
    };
    let (processes, processes_left_out) = telling.processes();
    let (binaries, binaries_left_out) = telling.binaries();
    let (kept, kept_left_out) = telling.kept();
    let cpu = thread_time().saturating_sub(cpu_began);
    let held = all.sums(&found);
    Ok(BinariesResult {
        vm_bytes: found.all_bytes,
        unheld_bytes: found.all_bytes.map(|all| all.saturating_sub(held.bytes)),
        held,
        processes,
        processes_left_out,
        binaries,
        binaries_left_out,
        kept,
        kept_left_out,
        looked_into: telling.looked_into(),
        allocated,
        rejected: RejectedBinaries {
            restless: found.restless,
            messages: found.unread_messages,
            entries: RejectedEntries {
                freed: found.rejected.0,
                torn: found.rejected.1,
            },
        },
        left_out_holders: found
            .left_out
            .iter()
            .map(|(entry, name)| LeftOutHolder {
                pid: pids.text(entry.id),
                name: name.clone(),
                status: Status::of(entry.state).name().to_owned(),
            })
            .collect(),
        look: BinariesLook {
            took_ms: began.elapsed().as_secs_f64() * 1000.0,
            cpu_ms: cpu.as_secs_f64() * 1000.0,
        },
    })
}

/// A binary, with all its holders.
#[derive(Debug, Default)]
struct Binary {
    bytes: u64,
    /// Its own reference count as read last, and whether two readings of it differed.
    reference_count: u64,
    has_changed: bool,
    references: u64,
    is_appended: bool,
    /// Places in the list of holders: the first ones, and how many there are in all.
    holders: Vec<usize>,
    all_holders: u64,
}

/// All binaries that are held, by address.
struct All(HashMap<u64, Binary>);

impl All {
    fn of(found: &BinariesInUse) -> Self {
        let mut all: HashMap<u64, Binary> = HashMap::new();
        for (place, holder) in found.holders.iter().enumerate() {
            for held in &holder.held {
                all.entry(held.address).or_default().add(place, held);
            }
        }
        Self(all)
    }

    fn sums(&self, found: &BinariesInUse) -> HeldBinaries {
        let sum = |of: fn(&Binary) -> u64| self.0.values().map(of).fold(0, u64::saturating_add);
        HeldBinaries {
            processes: found.holders.len() as u64,
            references: sum(|it| it.references),
            binaries: self.0.len() as u64,
            bytes: sum(|it| it.bytes),
        }
    }
}

impl Binary {
    fn add(&mut self, place: usize, held: &HeldBinary) {
        // Memory of a binary that is gone may be another one's by the time that the next process is read.
        let is_first = self.all_holders == 0;
        let is_same = self.bytes == held.bytes && self.reference_count == held.reference_count;
        self.has_changed |= !is_first && !is_same;
        (self.bytes, self.reference_count) = (held.bytes, held.reference_count);
        self.references = self.references.saturating_add(held.references);
        self.is_appended |= held.is_appended;
        self.all_holders += 1;
        if self.holders.len() < SHOWN_HOLDERS {
            self.holders.push(place);
        }
    }

    /// References that no process's list contains.
    fn other_references(&self) -> Option<u64> {
        let others = self.reference_count.checked_sub(self.references);
        others.filter(|_| !self.has_changed)
    }
}

fn hex(address: u64) -> String {
    format!("{address:#x}")
}

fn bytes_of(held: &[HeldBinary]) -> u64 {
    held.iter().map(|it| it.bytes).fold(0, u64::saturating_add)
}

/// The bytes of binaries that only one process refers to.
fn own_bytes(held: &[HeldBinary]) -> u64 {
    let own = held.iter().filter(|it| it.reference_count == it.references);
    own.map(|it| it.bytes).fold(0, u64::saturating_add)
}

/// Makes the rows of the report.
struct Telling<'f> {
    found: &'f BinariesInUse,
    all: &'f All,
    pids: PidFormat,
    rows: usize,
}

impl Telling<'_> {
    fn processes(&self) -> (Vec<BinaryProcess>, u64) {
        let looked_into = &self.found.kept.processes;
        let row = |(place, holder, bytes): (usize, &Holder, u64)| BinaryProcess {
            pid: self.pids.text(holder.entry.id),
            name: holder.named.clone(),
            references: holder.held.iter().map(|it| it.references).sum(),
            binaries: holder.held.len() as u64,
            bytes,
            own_bytes: own_bytes(&holder.held),
            looked_into: looked_into.contains(&place),
        };
        let holders = self.found.holders.iter().enumerate();
        let mut order: Vec<(usize, &Holder, u64)> = holders
            .map(|(place, holder)| (place, holder, bytes_of(&holder.held)))
            .collect();
        order.shared_sort_by_key(|(_, _, bytes)| Reverse(*bytes));
        let left_out = order.len().saturating_sub(self.rows) as u64;
        let rows = order.into_iter().take(self.rows).map(row);
        (rows.collect(), left_out)
    }

    fn binaries(&self) -> (Vec<BinaryRow>, u64) {
        let mut order: Vec<(&u64, &Binary)> = self.all.0.iter().collect();
        order.shared_sort_by_key(|(address, it)| (Reverse(it.bytes), **address));
        let left_out = order.len().saturating_sub(self.rows) as u64;
        let row = |(address, binary): (&u64, &Binary)| {
            let (holders, _) = self.holders(&binary.holders);
            BinaryRow {
                id: hex(*address),
                bytes: binary.bytes,
                refc: binary.reference_count,
                references: binary.references,
                other_references: binary.other_references(),
                appended: binary.is_appended,
                holders_left_out: binary.all_holders.saturating_sub(holders.len() as u64),
                holders,
            }
        };
        let rows = order.into_iter().take(self.rows).map(row);
        (rows.collect(), left_out)
    }

    fn kept(&self) -> (Vec<KeptBinaryRow>, u64) {
        let mut order: Vec<&KeptBinary> = self.found.kept.kept.iter().collect();
        let wasted = |it: &KeptBinary| it.bytes.saturating_sub(it.used_bytes);
        order.shared_sort_by_key(|it| (Reverse(wasted(it)), it.address));
        let left_out = order.len().saturating_sub(self.rows) as u64;
        let row = |kept: &KeptBinary| {
            let (holders, holders_left_out) = self.holders(&kept.holders);
            KeptBinaryRow {
                id: hex(kept.address),
                bytes: kept.bytes,
                used_bytes: kept.used_bytes,
                refc: kept.reference_count,
                references: kept.references,
                live_references: kept.live_references,
                holders,
                holders_left_out,
            }
        };
        let rows = order.into_iter().take(self.rows).map(row);
        (rows.collect(), left_out)
    }

    fn holders(&self, places: &[usize]) -> (Vec<BinaryHolder>, u64) {
        let holder = |place: &usize| {
            let holder = self.found.holders.get(*place)?;
            Some(BinaryHolder {
                pid: self.pids.text(holder.entry.id),
                name: holder.named.clone(),
            })
        };
        let rows = places.iter().take(SHOWN_HOLDERS).filter_map(holder);
        let left_out = places.len().saturating_sub(SHOWN_HOLDERS) as u64;
        (rows.collect(), left_out)
    }

    fn looked_into(&self) -> LookedIntoHeaps {
        let kept = &self.found.kept;
        let holders = kept.processes.iter();
        let holders = holders.filter_map(|place| self.found.holders.get(*place));
        let mut seen = HashSet::new();
        let held = holders.flat_map(|holder| &holder.held);
        let once = held.filter(|it| seen.insert(it.address));
        LookedIntoHeaps {
            processes: kept.processes.len() as u64,
            bytes: once.map(|it| it.bytes).fold(0, u64::saturating_add),
            given_up: kept.given_up,
        }
    }
}

fn allocated(
    vm: &mut AttachedVm,
    found: &BinariesInUse,
    pids: PidFormat,
    rows: usize,
) -> AllocatedBinaries {
    let Ok(blocks) = &found.allocated else {
        return AllocatedBinaries::default();
    };
    let mut sums: Vec<&AllocatedSum> = blocks.sums.iter().collect();
    sums.shared_sort_by_key(|sum| Reverse(sum.bytes));
    let left_out = sums.len().saturating_sub(rows) as u64;
    sums.truncate(rows);
    AllocatedBinaries {
        tags: match blocks.format {
            TagFormat::Process => AllocationTags::Process,
            TagFormat::Library => AllocationTags::Library,
            TagFormat::Untagged => AllocationTags::None,
        },
        by: sums
            .into_iter()
            .map(|sum| allocated_row(vm, found, pids, sum))
            .collect(),
        left_out,
        unread_carriers: blocks.unread_carriers,
        not_managed: blocks.switched_off.clone(),
    }
}

fn allocated_row(
    vm: &mut AttachedVm,
    found: &BinariesInUse,
    pids: PidFormat,
    sum: &AllocatedSum,
) -> AllocatedRow {
    let prefix = NAME_PREFIXES.get(sum.kind).copied().unwrap_or_default();
    let mut row = AllocatedRow {
        allocator: format!("{prefix}alloc"),
        blocks: sum.blocks,
        bytes: sum.bytes,
        ..AllocatedRow::default()
    };
    let Some(allocated) = sum.allocated else {
        return row;
    };
    row.library = allocated.library.and_then(|atom| {
        let name = vm.atoms.name(&vm.memory, atom);
        name.ok().map(str::to_owned)
    });
    match allocated.by {
        Allocator::Process(id) => {
            row.by = AllocatedByWhom::Process;
            row.pid = Some(pids.text(id));
            (row.name, row.ended) = match found.allocators.get(&id) {
                Some(AllocatedBy::Living(name)) => (name.clone(), Some(false)),
                Some(AllocatedBy::Ended) => (None, Some(true)),
                Some(AllocatedBy::Unknown) | None => (None, None),
            };
        }
        Allocator::Port(_) => row.by = AllocatedByWhom::Port,
        Allocator::Neither => row.by = AllocatedByWhom::System,
    }
    row
}
