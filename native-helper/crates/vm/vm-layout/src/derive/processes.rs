//! The evidence of the processes in the process table for the layout of a process.

use std::collections::{BTreeSet, HashSet};

/// Words of a struct that are read.
const MAX_WORDS: usize = 128;
/// Low bits of an atom, of a local pid.
const ATOM: (u64, u64) = (0x3f, 0xb);
const LOCAL_PID: (u64, u64) = (0xf, 0x3);
const MAX_ARITY: u64 = 255;
/// The priority bits of a state: actual, user's, queue's.
const PRIORITY_BITS: u32 = 0x3f;
/// Maximal, high, normal and low priority, where the three agree, as they do at rest.
const PRIORITIES: [u32; 4] = [0x00, 0x15, 0x2a, 0x3f];
const NORMAL_PRIORITY: u32 = 0x2a;
/// Flags that no process in the table has: its struct is free.
const STATE_FREE: u32 = 0x400;

/// One process: where it is, and its struct as words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenProcess {
    /// Address of the struct.
    pub address: u64,
    /// Words from its first byte.
    pub words: Vec<u64>,
}

/// A registered process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisteredProcess {
    /// Address of the RegProc, which the process points back to.
    pub entry: u64,
    /// Its process.
    pub process: u64,
    /// Its name, an atom term.
    pub name: u64,
}

fn offsets(processes: &[SeenProcess]) -> impl Iterator<Item = usize> {
    let shortest = processes.iter().map(|process| process.words.len()).min();
    0..shortest.unwrap_or(0).min(MAX_WORDS)
}

fn word(process: &SeenProcess, index: usize) -> u64 {
    process.words.get(index).copied().unwrap_or(0)
}

/// Offsets where every process has a local pid of its own.
pub fn ids(processes: &[SeenProcess]) -> Vec<usize> {
    offsets(processes)
        .filter(|index| {
            let mut seen = HashSet::new();
            processes.iter().all(|process| {
                let id = word(process, *index);
                id & LOCAL_PID.0 == LOCAL_PID.1 && seen.insert(id)
            })
        })
        .map(|index| index * 8)
        .collect()
}

/// Offsets that lead from each registered process to its entry in the table of names, and are
/// zero in all others.
pub fn registrations(processes: &[SeenProcess], registered: &[RegisteredProcess]) -> Vec<usize> {
    let entry_of = |address: u64| {
        registered
            .iter()
            .find(|entry| entry.process == address)
            .map_or(0, |entry| entry.entry)
    };
    let expected: Vec<u64> = processes
        .iter()
        .map(|process| entry_of(process.address))
        .collect();
    if expected.iter().filter(|entry| **entry != 0).count() < 3 {
        return Vec::new();
    }
    offsets(processes)
        .filter(|index| {
            let wrong = processes
                .iter()
                .zip(&expected)
                .filter(|(process, entry)| word(process, *index) != **entry)
                .count();
            // Names come and go between reading the table and the processes.
            wrong * 20 <= processes.len()
        })
        .map(|index| index * 8)
        .collect()
}

/// Offsets of three words that are module, function and arity in every process.
pub fn initial_calls(processes: &[SeenProcess], atom_count: u32) -> Vec<usize> {
    let is_atom =
        |term: u64| term & ATOM.0 == ATOM.1 && term >> 6 < u64::from(atom_count) && term >> 6 > 1;
    offsets(processes)
        .filter(|index| {
            let distinct: BTreeSet<u64> = processes
                .iter()
                .map(|process| word(process, *index))
                .collect();
            distinct.len() > 1
                && processes.iter().all(|process| {
                    is_atom(word(process, *index))
                        && is_atom(word(process, index + 1))
                        && word(process, index + 2) <= MAX_ARITY
                })
        })
        .map(|index| index * 8)
        .collect()
}

/// Offsets of 32 bits that are a state in every process: priorities that agree with each other,
/// most of them normal but not all, and none of them of a struct that is free.
pub fn states(processes: &[SeenProcess]) -> Vec<usize> {
    let half = |process: &SeenProcess, offset: usize| {
        (word(process, offset / 8) >> (8 * (offset % 8))) as u32
    };
    offsets(processes)
        .flat_map(|index| [index * 8, index * 8 + 4])
        .filter(|offset| {
            let states: Vec<u32> = processes
                .iter()
                .map(|process| half(process, *offset))
                .collect();
            let normal = states
                .iter()
                .filter(|state| **state & PRIORITY_BITS == NORMAL_PRIORITY)
                .count();
            normal * 2 > states.len()
                && normal < states.len()
                && agreeing(&states) * 10 >= states.len() * 9
                && states.iter().all(|state| state & STATE_FREE == 0)
        })
        .collect()
}

/// States whose three priorities are the same; they differ while a priority is being changed.
fn agreeing(states: &[u32]) -> usize {
    states
        .iter()
        .filter(|state| PRIORITIES.contains(&(**state & PRIORITY_BITS)))
        .count()
}

/// Offsets that are an address of JIT code in every process.
pub fn program_counters(processes: &[SeenProcess], is_jit: impl Fn(u64) -> bool) -> Vec<usize> {
    offsets(processes)
        .filter(|index| {
            processes
                .iter()
                .all(|process| is_jit(word(process, *index)))
        })
        .map(|index| index * 8)
        .collect()
}

/// Those of `offsets` where every process has zero or one of `schedulers`.
pub fn scheduler_links(
    processes: &[SeenProcess],
    offsets: &[usize],
    schedulers: &[u64],
) -> Vec<usize> {
    offsets
        .iter()
        .copied()
        .filter(|offset| {
            processes.iter().all(|process| {
                let link = word(process, offset / 8);
                link == 0 || schedulers.contains(&link)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn process(address: u64, words: &[(usize, u64)]) -> SeenProcess {
        let mut all = vec![0; 40];
        for (index, word) in words {
            all[*index] = *word;
        }
        SeenProcess {
            address,
            words: all,
        }
    }

    fn atom(index: u64) -> u64 {
        index << 6 | 0xb
    }

    fn vm() -> Vec<SeenProcess> {
        let one = |id: u64, entry: u64, module: u64, state: u64| {
            process(
                id * 0x1000,
                &[
                    (0, id << 4 | 3),
                    (3, 0x23), // the same parent
                    (4, entry),
                    (10, atom(module)),
                    (11, atom(9)),
                    (12, 2),
                    (20, state << 32),
                    (21, 0x7f00_0000_0000 + id),
                ],
            )
        };
        vec![
            one(1, 0xa000, 50, 0x2a),
            one(2, 0xb000, 51, 0x2a),
            one(3, 0xc000, 51, 0x8000 | 0x2a),
            one(4, 0, 51, 0x15),
        ]
    }

    #[test]
    fn every_field_is_found_where_it_is() {
        let processes = vm();
        let registered: Vec<RegisteredProcess> = [(1, 0xa000), (2, 0xb000), (3, 0xc000)]
            .map(|(id, entry)| RegisteredProcess {
                entry,
                process: id * 0x1000,
                name: atom(5),
            })
            .to_vec();
        assert_eq!(ids(&processes), [0]);
        assert_eq!(registrations(&processes, &registered), [32]);
        assert_eq!(initial_calls(&processes, 100), [80]);
        assert_eq!(states(&processes), [164]);
        assert_eq!(
            program_counters(&processes, |word| word > 0x7f00_0000_0000
                && word < 0x7f00_0000_0100),
            [168]
        );
        assert_eq!(scheduler_links(&processes, &[32, 200], &[0xa000]), [200]);
    }

    #[test]
    fn too_little_data_has_no_result() {
        assert!(registrations(&vm(), &[]).is_empty());
        assert!(
            initial_calls(&vm(), 20).is_empty(),
            "atoms that do not exist"
        );
        assert!(states(&vm()[..2]).is_empty(), "all normal");
        assert!(ids(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            words in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..40), 0..5),
        ) {
            let processes: Vec<SeenProcess> = words
                .into_iter()
                .map(|words| SeenProcess { address: 8, words })
                .collect();
            ids(&processes);
            registrations(&processes, &[RegisteredProcess { entry: 1, process: 8, name: 2 }; 3]);
            initial_calls(&processes, 5);
            states(&processes);
            program_counters(&processes, |word| word > 5);
            scheduler_links(&processes, &[0, 8, usize::MAX], &[1]);
        }
    }
}
