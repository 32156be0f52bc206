//! The layout derived from the running VM itself, without knowing its release.
//!
//! Each source has evidence for some fields: the JIT's shared fragments, the emulator's scheduling
//! function, the processes, the registered names, the scheduler structs. The evidence of a source
//! is a [`Finding`]: one offset, or several that it cannot distinguish. [`super::check`] compares
//! findings with each other and with a row of data.

pub mod heap;
pub mod processes;

use arch::{FragmentFacts, ScheduleFacts};
use shared_sort::SharedSort;

use self::heap::HeapFields;
use self::processes::{RegisteredProcess, SeenProcess};
use super::fields::Field;

/// The evidence of one source for one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The field.
    pub field: Field,
    /// Offsets the source cannot distinguish; never empty.
    pub candidates: Vec<usize>,
    /// The source.
    pub source: &'static str,
}

/// The available sources. An absent one gives no evidence.
#[derive(Debug, Default)]
pub struct Evidence<'a> {
    /// The JIT's shared fragments, or their substitute.
    pub fragments: FragmentFacts,
    /// The name of that source.
    pub fragments_source: &'static str,
    /// The scheduling function.
    pub schedule: ScheduleFacts,
    /// Processes that neither run nor collect garbage.
    pub at_rest: &'a [SeenProcess],
    /// All processes seen.
    pub processes: &'a [SeenProcess],
    /// Length of a process struct, as its table has it.
    pub process_bytes: Option<usize>,
    /// Number of atoms.
    pub atom_count: u32,
    /// Registered processes.
    pub registered: &'a [RegisteredProcess],
    /// The scheduler structs' own account.
    pub schedulers: Option<SchedulerFields>,
    /// ErtsSchedulerData of all schedulers with its first bytes.
    pub scheduler_heads: &'a [(u64, Vec<u8>)],
    /// Those addresses among the fields of schedulers that hold a process.
    pub scheduled: &'a [u64],
    /// Ports that are open.
    pub ports: &'a [u64],
}

/// Where the scheduler structs have their own numbers, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerFields {
    /// From one scheduler to the next; `None` when no kind has two.
    pub stride: Option<usize>,
    /// Offset of the number of a normal scheduler.
    pub number: usize,
    /// Offset of the number of a dirty one.
    pub dirty_number: usize,
}

/// The name of [`Evidence::fragments`] of a JIT.
pub const FRAGMENTS: &str = "JIT fragments";
const SCHEDULE: &str = "scheduling function";
const PROCESSES: &str = "processes";
const SCHEDULERS: &str = "scheduler structs";
const NAMES: &str = "registered names";
const TABLE: &str = "process table";

/// The evidence of all sources. `is_jit` returns whether an address is in JIT code.
pub fn findings(evidence: &Evidence<'_>, is_jit: impl Fn(u64) -> bool) -> Vec<Finding> {
    let mut found = Findings::default();
    of_fragments(evidence, &mut found);
    of_processes(evidence, is_jit, &mut found);
    of_schedulers(evidence, &mut found);
    found.0
}

/// The findings so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    /// Nothing, when there are no candidates.
    fn add(&mut self, field: Field, source: &'static str, candidates: Vec<usize>) {
        if !candidates.is_empty() {
            self.0.push(Finding {
                field,
                candidates,
                source,
            });
        }
    }
}

fn of_fragments(evidence: &Evidence<'_>, found: &mut Findings) {
    let facts = &evidence.fragments;
    for (field, offset) in [
        (Field::RegistersDelta, facts.registers_delta),
        (Field::Htop, facts.htop),
        (Field::Stop, facts.stop),
        (Field::Fcalls, facts.fcalls),
        (Field::FcallsBytes, facts.fcalls_bytes),
        (Field::I, facts.i),
        (Field::State, facts.state),
        (Field::SchedulerRegisters, facts.registers),
    ] {
        let offset = offset.and_then(|offset| usize::try_from(offset).ok());
        found.add(
            field,
            evidence.fragments_source,
            offset.into_iter().collect(),
        );
    }
}

/// Evidence of processes, their table and their registered names.
fn of_processes(evidence: &Evidence<'_>, is_jit: impl Fn(u64) -> bool, found: &mut Findings) {
    for (field, candidates) in heap_candidates(evidence) {
        found.add(field, PROCESSES, candidates);
    }
    let process_bytes = evidence.process_bytes.into_iter().collect();
    found.add(Field::ProcessBytes, TABLE, process_bytes);
    let processes = evidence.processes;
    found.add(Field::Id, PROCESSES, processes::ids(processes));
    found.add(Field::State, PROCESSES, processes::states(processes));
    let counters = processes::program_counters(evidence.at_rest, is_jit);
    found.add(Field::I, PROCESSES, counters);
    let calls = processes::initial_calls(processes, evidence.atom_count);
    found.add(Field::InitialCall, PROCESSES, calls);
    let names = processes::registrations(processes, evidence.registered);
    found.add(Field::Reg, NAMES, names);
}

/// Evidence of the scheduling function and the scheduler structs.
fn of_schedulers(evidence: &Evidence<'_>, found: &mut Findings) {
    let (current, data) = links(evidence);
    found.add(Field::CurrentProcess, SCHEDULE, current);
    found.add(Field::SchedulerData, SCHEDULE, data);
    found.add(Field::CurrentPort, SCHEDULE, port_fields(evidence));
    if let Some(scan) = evidence.schedulers {
        let stride = scan.stride.into_iter().collect();
        found.add(Field::Number, SCHEDULERS, vec![scan.number]);
        found.add(Field::DirtyNumber, SCHEDULERS, vec![scan.dirty_number]);
        found.add(Field::Stride, SCHEDULERS, stride);
    }
}

/// Heap bounds from processes at rest, once the fragments have given the offsets of htop and stop.
fn heap_candidates(evidence: &Evidence<'_>) -> [(Field, Vec<usize>); 3] {
    let offset = |offset: Option<i64>| offset.and_then(|offset| usize::try_from(offset).ok());
    let facts = &evidence.fragments;
    let triples: Vec<HeapFields> = match (offset(facts.htop), offset(facts.stop)) {
        (Some(htop), Some(stop)) if !evidence.at_rest.is_empty() => {
            let words: Vec<Vec<u64>> = evidence
                .at_rest
                .iter()
                .map(|process| process.words.clone())
                .collect();
            heap::heap_fields(&words, htop, stop)
        }
        _ => Vec::new(),
    };
    let all = |field: fn(&HeapFields) -> usize| {
        let mut offsets: Vec<usize> = triples.iter().map(field).collect();
        offsets.shared_sort();
        offsets.dedup();
        offsets
    };
    [
        (Field::Heap, all(|triple| triple.heap)),
        (Field::Hend, all(|triple| triple.hend)),
        (Field::HeapSize, all(|triple| triple.heap_size_words)),
    ]
}

/// Both ends of the link between a scheduler and its process: pairs of the scheduling function
/// where every scheduler has none or a process, and every process none or a scheduler.
fn links(evidence: &Evidence<'_>) -> (Vec<usize>, Vec<usize>) {
    let schedulers: Vec<u64> = evidence.scheduler_heads.iter().map(|head| head.0).collect();
    if schedulers.is_empty() || evidence.processes.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let offsets: Vec<usize> = evidence.schedule.links.iter().map(|link| link.1).collect();
    let of_processes = processes::scheduler_links(evidence.processes, &offsets, &schedulers);
    let good: Vec<(usize, usize)> = evidence
        .schedule
        .links
        .iter()
        .copied()
        .filter(|(_, data)| of_processes.contains(data) && in_process(evidence, *data))
        .filter(|(current, _)| {
            head_words(evidence, *current).is_some_and(|words| {
                words
                    .iter()
                    .all(|word| *word == 0 || evidence.scheduled.contains(word))
            })
        })
        .collect();
    (
        good.iter().map(|link| link.0).collect(),
        good.iter().map(|link| link.1).collect(),
    )
}

/// True when a field lies inside a process struct.
fn in_process(evidence: &Evidence<'_>, offset: usize) -> bool {
    let words = evidence.processes.iter().map(|process| process.words.len());
    words.min().is_some_and(|words| offset / 8 < words)
}

/// Fields whose address the scheduling function passes on and that are none or a port in every
/// scheduler.
fn port_fields(evidence: &Evidence<'_>) -> Vec<usize> {
    evidence
        .schedule
        .ports
        .iter()
        .copied()
        .filter(|offset| {
            head_words(evidence, *offset).is_some_and(|words| {
                !words.is_empty()
                    && words
                        .iter()
                        .all(|word| *word == 0 || evidence.ports.contains(word))
            })
        })
        .collect()
}

/// The word at `offset` of every scheduler; `None` when that is not among their first fields.
fn head_words(evidence: &Evidence<'_>, offset: usize) -> Option<Vec<u64>> {
    evidence
        .scheduler_heads
        .iter()
        .map(|(_, head)| target_memory::u64_at(head, offset))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn head(words: &[(usize, u64)]) -> Vec<u8> {
        let mut all = vec![0u64; 64];
        for (offset, word) in words {
            all[offset / 8] = *word;
        }
        all.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn links_have_to_hold_in_every_scheduler_and_process() {
        let process = |address: u64, data: u64| {
            let mut words = vec![0x23; 100];
            (words[93], words[94]) = (data, 0x55_0000);
            SeenProcess { address, words }
        };
        let processes = [process(0x10_0000, 0x70_0000), process(0x11_0000, 0)];
        let heads = [
            (
                0x70_0000,
                head(&[(168, 0x10_0000), (48, 5), (224, 0x90_0000)]),
            ),
            (0x71_0000, head(&[(48, 0x10_0000), (232, 0x70_0000)])),
        ];
        let evidence = Evidence {
            schedule: ScheduleFacts {
                links: BTreeSet::from([(168, 744), (48, 744), (168, 752), (232, 744), (168, 8000)]),
                ports: BTreeSet::from([224, 168, 40_000]),
            },
            processes: &processes,
            scheduler_heads: &heads,
            scheduled: &[0x10_0000],
            ports: &[0x90_0000],
            ..Evidence::default()
        };
        let found = findings(&evidence, |_| false);
        let of = |field| {
            found
                .iter()
                .find(|finding| finding.field == field)
                .map(|finding| finding.candidates.clone())
        };
        assert_eq!(of(Field::CurrentProcess), Some(vec![168]));
        assert_eq!(of(Field::SchedulerData), Some(vec![744]));
        assert_eq!(of(Field::CurrentPort), Some(vec![224]));
    }

    #[test]
    fn nothing_seen_is_nothing_found() {
        assert!(findings(&Evidence::default(), |_| true).is_empty());
    }
}
