//! Where the fields of this VM's structs are: gathers evidence from the VM and compares it with the
//! row of data, or derives the layout without one.

use arch::FragmentFacts;
use arch::{ScheduleFacts, from_schedule};
use retry::{AfterFailure, GaveUp, Retry};
use shared_sort::SharedSort;
use target_memory::{TargetMemory, bytes_to_words, u32_at, u64_at};
use vm_anchors::registered::registered;
use vm_anchors::{Anchors, Finder, element_bytes};
use vm_layout::check::{LayoutCheck, check, derived};
use vm_layout::derive::SchedulerFields;
use vm_layout::derive::processes::RegisteredProcess;
use vm_layout::derive::processes::SeenProcess;
use vm_layout::derive::{Evidence, Finding, findings};
use vm_layout::vm_version::VmVersion;
use vm_layout::{EmulatorSymbols, TableError};
use vm_layout::{STATE_BUSY, STATE_ENDING, VmLayout, unknown};
use vm_tables::atoms::AtomTable;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessTable, is_local_pid};

/// Processes that a row is checked on.
const CHECKED_PROCESSES: usize = 64;
/// Processes that a layout is derived from, besides the registered ones.
const LOOKED_AT_PROCESSES: usize = 512;
/// Ports that may be some scheduler's.
const MAX_PORTS: usize = 10_000;
/// The first fields of ErtsSchedulerData.
const SCHEDULER_HEAD_BYTES: usize = 512;
/// The scheduling function is some 12 KiB on every release known.
const MAX_SCHEDULE_BYTES: usize = 128 << 10;
/// A VM at work changes between two reads, which can look like a contradiction.
const WHILE_PROCESSES_RUN: Retry = Retry::attempts(4);

/// The depth of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Enough to compare a row with the VM: some milliseconds.
    Check,
    /// All evidence of the VM: some ten milliseconds more.
    Derive,
}

/// The known facts about the VM before its layout is.
pub(crate) struct LayoutLook<'a, M, S> {
    pub memory: &'a M,
    pub finder: &'a Finder<'a, M, S>,
    pub anchors: &'a Anchors,
    /// The facts in the code that runs all processes, and the kind of that code.
    pub facts: FragmentFacts,
    pub facts_source: &'static str,
    /// Start and end of the scheduling function.
    pub schedule: Option<(u64, u64)>,
    /// Where Erlang code is: mappings of JIT code, or module images.
    pub erlang_code: &'a [(u64, u64)],
}

impl<M: TargetMemory, S: EmulatorSymbols> LayoutLook<'_, M, S> {
    /// The layout to use: `row`, when the VM does not contradict it; the one derived from the VM,
    /// when there is no row.
    pub fn settle(
        &self,
        version: &VmVersion,
        row: Option<&VmLayout>,
    ) -> Result<(VmLayout, LayoutCheck), TableError> {
        let Some(row) = row else {
            return self.derive(version);
        };
        if row.atom_name != self.anchors.atom_names {
            return Err(TableError::malformed(
                "atom table",
                "it holds names in another form than this release does",
            ));
        }
        let checked = self.checked(row, Depth::Check)?;
        Ok((*row, checked))
    }

    /// Compares `row` with the VM's evidence at that depth.
    pub fn checked(&self, row: &VmLayout, depth: Depth) -> Result<LayoutCheck, TableError> {
        retried(|| check(row, &self.findings(Some(row), depth)?))
    }

    fn derive(&self, version: &VmVersion) -> Result<(VmLayout, LayoutCheck), TableError> {
        let release = version.otp_release.parse().unwrap_or(0);
        retried(|| {
            let findings = self.findings(None, Depth::Derive)?;
            derived(&findings, release, self.anchors.atom_names)
        })
        .map_err(|error| match error {
            TableError::Read(_) => error,
            _ => unknown(version, error.to_string()),
        })
    }

    fn findings(&self, row: Option<&VmLayout>, depth: Depth) -> Result<Vec<Finding>, TableError> {
        let memory = self.memory;
        let facts = self.facts;
        let table = ProcessTable {
            address: self.anchors.processes.address,
        };
        let process_bytes = element_bytes(memory, table.address);
        let state = row
            .map(|row| row.process.state)
            .or_else(|| usize::try_from(facts.state?).ok());
        let read_bytes = row
            .map(|row| row.process.read_bytes)
            .or(process_bytes)
            .unwrap_or(0)
            .min(MAX_PROCESS_BYTES);
        let registered = match depth {
            Depth::Derive => self
                .finder
                .registered()
                .map(|names| registered(memory, names.address))
                .unwrap_or_default(),
            Depth::Check => Vec::new(),
        };
        let addresses = addresses(memory, table, depth, &registered)?;
        let (processes, at_rest) = seen(memory, &addresses, read_bytes, state);
        let schedulers = match depth {
            Depth::Derive => self.finder.scan_schedulers().ok().map(|scan| scan.fields),
            Depth::Check => None,
        };
        let stride = row
            .map(|row| row.scheduler.stride)
            .or_else(|| schedulers?.stride);
        let atoms = AtomTable::with_names(self.anchors.atoms.address, self.anchors.atom_names);
        let schedule = self.schedule_facts();
        let heads = self.scheduler_heads(stride);
        let evidence = Evidence {
            fragments: facts,
            fragments_source: self.facts_source,
            scheduled: &self.scheduled(&schedule, &heads),
            schedule,
            at_rest: &at_rest,
            processes: &processes,
            process_bytes,
            atom_count: atoms.count(memory)?,
            registered: &registered,
            schedulers: schedulers.map(|scan| with_stride(scan, row)),
            scheduler_heads: &heads,
            ports: &self.ports(),
        };
        let is_jit = |address: u64| {
            self.erlang_code
                .iter()
                .any(|(start, end)| *start <= address && address < *end)
        };
        Ok(findings(&evidence, is_jit))
    }

    fn schedule_facts(&self) -> ScheduleFacts {
        let code = self.schedule.and_then(|(start, end)| {
            let len_bytes = usize::try_from(end.checked_sub(start)?).ok()?;
            let bytes = self.memory.read_vec(start, len_bytes, MAX_SCHEDULE_BYTES);
            Some((bytes.ok()?, start))
        });
        code.map_or_else(ScheduleFacts::default, |(bytes, start)| {
            from_schedule(&bytes, start)
        })
    }

    /// The first bytes of every scheduler; without a stride, of the first one of each kind.
    fn scheduler_heads(&self, stride: Option<usize>) -> Vec<(u64, Vec<u8>)> {
        let mut heads = Vec::new();
        for array in self.anchors.schedulers {
            let count = if stride.is_some() { array.count } else { 1 };
            for index in 0..u64::from(count.min(1024)) {
                let address = array
                    .first
                    .wrapping_add(index.wrapping_mul(stride.unwrap_or(0) as u64));
                let head =
                    self.memory
                        .read_vec(address, SCHEDULER_HEAD_BYTES, SCHEDULER_HEAD_BYTES);
                heads.extend(head.map(|head| (address, head)));
            }
        }
        heads
    }

    /// The words at the candidates for `current_process` that point to the identifier of a process.
    fn scheduled(&self, schedule: &ScheduleFacts, heads: &[(u64, Vec<u8>)]) -> Vec<u64> {
        schedule
            .links
            .iter()
            .flat_map(|(current, _)| heads.iter().filter_map(|head| u64_at(&head.1, *current)))
            .filter(|word| *word != 0 && self.memory.read_u64(*word).is_ok_and(is_local_pid))
            .collect()
    }

    fn ports(&self) -> Vec<u64> {
        let table = self.anchors.ports.map(|ports| ProcessTable {
            address: ports.address,
        });
        table
            .and_then(|table| table.addresses(self.memory, MAX_PORTS).ok())
            .unwrap_or_default()
    }
}

/// If no kind has two schedulers, the distance between them does not matter, and the row's is as
/// good as any.
fn with_stride(scan: SchedulerFields, row: Option<&VmLayout>) -> SchedulerFields {
    SchedulerFields {
        stride: scan
            .stride
            .or_else(|| row.map(|row| row.scheduler.stride))
            .or(Some(0)),
        ..scan
    }
}

fn addresses(
    memory: &impl TargetMemory,
    table: ProcessTable,
    depth: Depth,
    registered: &[RegisteredProcess],
) -> Result<Vec<u64>, TableError> {
    let limit = match depth {
        Depth::Check => CHECKED_PROCESSES,
        Depth::Derive => LOOKED_AT_PROCESSES,
    };
    let mut addresses = table.addresses(memory, limit)?;
    addresses.extend(registered.iter().map(|entry| entry.process));
    addresses.shared_sort();
    addresses.dedup();
    Ok(addresses)
}

/// The live processes, and those of them that were at rest while they were read twice.
fn seen(
    memory: &impl TargetMemory,
    addresses: &[u64],
    read_bytes: usize,
    state: Option<usize>,
) -> (Vec<SeenProcess>, Vec<SeenProcess>) {
    let read = |address: u64| memory.read_vec(address, read_bytes, MAX_PROCESS_BYTES).ok();
    let first: Vec<Option<Vec<u8>>> = addresses.iter().map(|address| read(*address)).collect();
    let (mut live, mut at_rest) = (Vec::new(), Vec::new());
    for (address, before) in addresses.iter().zip(first) {
        let (Some(before), Some(after)) = (before, read(*address)) else {
            continue;
        };
        let state = state.and_then(|state| u32_at(&after, state)).unwrap_or(0);
        // The identifier of a process whose struct is used again is another one.
        if state & STATE_ENDING != 0 || before.get(..8) != after.get(..8) {
            continue;
        }
        let process = SeenProcess {
            address: *address,
            words: bytes_to_words(&after).collect(),
        };
        if state & STATE_BUSY == 0 && before == after {
            at_rest.push(process.clone());
        }
        live.push(process);
    }
    (live, at_rest)
}

fn retried<T>(look: impl Fn() -> Result<T, TableError>) -> Result<T, TableError> {
    let may_pass = |error: &TableError| {
        AfterFailure::again_if(matches!(
            error,
            TableError::LayoutContradicted { .. } | TableError::FieldUnknown { .. }
        ))
    };
    WHILE_PROCESSES_RUN
        .run(look, may_pass)
        .map_err(GaveUp::into_error)
}
