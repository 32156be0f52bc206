//! Which process runs the `on_load` function that the caller of the code server waits for.
//!
//! The code server gives those processes no reference. It keeps `{{Loader, Monitor}, Module, [{Caller, Action}]}` of each
//! module that is not done; from OTP 27 on `{File, Caller, Loader}`, and further callers elsewhere, by module, which are
//! not found. Garbage counts, too: as long as the loader lives, no process in such data has an answer.

use erlang_terms::{Term, TermBlock};
use shared_map::{HashMap, HashSet};
use target_memory::{Range, TargetMemory, bytes_to_words, read_each};

use crate::page::ProcessReader;

/// Of the code server's data.
const MAX_BYTES: usize = 64 << 20;
/// Cells of all lists of callers, each counted once for each loader.
const MAX_CELLS: usize = 1 << 18;
/// The header of a tuple of three elements.
const TRIPLE: u64 = 3 << 6;

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The one of these `loaders` that each caller of the code server at this place waits for; pid terms. None if it
    /// worked during the reading.
    pub fn callers_of_loaders(&self, place: (u64, u64), loaders: &[u64]) -> HashMap<u64, u64> {
        let Some(entry) = self.entry(place) else {
            return HashMap::new();
        };
        let heaps = [(entry.heap, entry.htop), (entry.old_heap, entry.old_htop)];
        let heaps = heaps.into_iter().filter(|(start, end)| start < end);
        let (mut ranges, _) = self.own_fragments(&entry);
        ranges.extend(heaps.map(|(address, end)| Range {
            address,
            len_bytes: usize::try_from(end - address).unwrap_or(usize::MAX),
        }));
        let read = read_each(self.memory, &ranges, MAX_BYTES);
        let blocks = ranges.iter().zip(read).filter_map(|(range, bytes)| {
            Some(TermBlock {
                address: range.address,
                words: bytes_to_words(&bytes?).collect(),
            })
        });
        let blocks: Vec<TermBlock> = blocks.collect();
        let after = self.look_again(&[entry]).pop().flatten();
        match after.is_some_and(|after| after.rested_since(&entry)) {
            true => callers(&blocks, loaders),
            false => HashMap::new(),
        }
    }
}

/// By caller the loader, by the data of the code server; without those of several.
fn callers(blocks: &[TermBlock], loaders: &[u64]) -> HashMap<u64, u64> {
    let tuple = |word: u64| blocks.iter().find_map(|block| block.tuple(word));
    let cell = |word: u64| blocks.iter().find_map(|block| block.cell(word));
    let loaders: HashSet<u64> = loaders.iter().copied().collect();
    let mut found: HashMap<u64, Option<u64>> = HashMap::new();
    // A longer list has the cells of a shorter one behind its own: each caller that was added left a triple among garbage.
    let mut seen: HashSet<(u64, u64)> = HashSet::new();
    for block in blocks {
        let triples = block.words.windows(4);
        for triple in triples.filter(|words| words.first() == Some(&TRIPLE)) {
            let [_, by, module, mut callers] = *triple else {
                continue;
            };
            if let (Term::Pid(_), Some(loader)) = (Term::of(module), loaders.get(&callers)) {
                add(&mut found, module, *loader);
                continue;
            }
            let Some([loader, _]) = tuple(by) else {
                continue;
            };
            if !loaders.contains(loader) || !matches!(Term::of(module), Term::Atom(_)) {
                continue;
            }
            while seen.len() < MAX_CELLS && seen.insert((*loader, callers)) {
                let Some([first, rest]) = cell(callers) else {
                    break;
                };
                callers = rest;
                let Some([caller, _]) = tuple(first) else {
                    break;
                };
                // Older releases have `{Caller, call}`.
                let caller = match tuple(*caller) {
                    Some([caller, _]) => *caller,
                    _ => *caller,
                };
                add(&mut found, caller, *loader);
            }
        }
    }
    let known = found.into_iter();
    known
        .filter_map(|(caller, loader)| Some((caller, loader?)))
        .collect()
}

/// None for a caller that seems to wait for two.
fn add(found: &mut HashMap<u64, Option<u64>>, caller: u64, loader: u64) {
    let one = found.entry(caller).or_insert(Some(loader));
    *one = one.filter(|it| *it == loader);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT: u64 = 0x1000;
    const NIL: u64 = 0x3b;
    const ATOM: u64 = 0x4b;

    const fn pid(number: u64) -> u64 {
        number << 4 | 3
    }

    /// The data of a code server: of each module, its loader and those who wait for it.
    fn data(modules: &[(u64, &[u64])], are_in_tuples: bool) -> TermBlock {
        let mut words: Vec<u64> = Vec::new();
        let mut add = |terms: &[u64]| {
            let address = AT + words.len() as u64 * 8;
            words.extend(terms);
            address
        };
        for (loader, callers) in modules {
            let mut list = NIL;
            for caller in *callers {
                let caller = match are_in_tuples {
                    true => add(&[2 << 6, *caller, ATOM]) | 2,
                    false => *caller,
                };
                let action = add(&[2 << 6, caller, NIL]) | 2;
                list = add(&[action, list]) | 1;
            }
            let by = add(&[2 << 6, *loader, NIL]) | 2;
            add(&[TRIPLE, by, ATOM, list]);
        }
        TermBlock { address: AT, words }
    }

    #[test]
    fn each_caller_waits_for_the_loader_of_its_module() {
        let modules: &[(u64, &[u64])] = &[
            (pid(1), &[pid(11), pid(12)]),
            (pid(2), &[pid(21)]),
            (pid(3), &[pid(31)]),
        ];
        let expected = HashMap::from([(pid(11), pid(1)), (pid(12), pid(1)), (pid(21), pid(2))]);
        for are_in_tuples in [true, false] {
            let found = callers(&[data(modules, are_in_tuples)], &[pid(1), pid(2)]);
            assert_eq!(found, expected, "the third one has ended");
        }
    }

    #[test]
    fn from_otp_27_on_the_caller_is_beside_its_loader() {
        let triple = |file, caller, loader| [TRIPLE, file, caller, loader];
        let words = [
            triple(NIL, pid(11), pid(1)),
            triple(NIL, pid(21), pid(2)),
            // It has ended; and no pid.
            triple(NIL, pid(31), pid(3)),
            triple(NIL, ATOM, pid(1)),
        ];
        let block = TermBlock {
            address: AT,
            words: words.concat(),
        };
        let found = callers(&[block], &[pid(1), pid(2)]);
        assert_eq!(found, HashMap::from([(pid(11), pid(1)), (pid(21), pid(2))]));
    }

    #[test]
    fn a_caller_of_two_waits_for_none_that_is_known() {
        let modules: &[(u64, &[u64])] = &[(pid(1), &[pid(11)]), (pid(2), &[pid(11), pid(21)])];
        let found = callers(&[data(modules, false)], &[pid(1), pid(2)]);
        assert_eq!(found, HashMap::from([(pid(21), pid(2))]));
    }

    #[test]
    fn lists_that_share_their_tails_are_read_once() {
        const MANY: u64 = 40_000;
        let mut words = vec![2 << 6, pid(1), NIL];
        let by = AT | 2;
        let mut list = NIL;
        for number in 0..MANY {
            let at = AT + words.len() as u64 * 8;
            let action = at | 2;
            words.extend([2 << 6, pid(number + 10), NIL, action, list]);
            list = (at + 24) | 1;
            words.extend([TRIPLE, by, ATOM, list]);
        }
        let block = TermBlock { address: AT, words };
        let found = callers(&[block], &[pid(1)]);
        assert_eq!(found.len() as u64, MANY, "also the one behind all others");
        assert!(found.values().all(|it| *it == pid(1)));
    }

    #[test]
    fn a_list_without_an_end_ends() {
        let mut block = data(&[(pid(1), &[pid(11)])], false);
        // The tail of its only cell, which is behind the first tuple.
        block.words[4] = (AT + 24) | 1;
        let found = callers(&[block], &[pid(1)]);
        assert_eq!(found, HashMap::from([(pid(11), pid(1))]));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words: Vec<u64>, address: u64) {
            callers(&[TermBlock { address, words }], &[pid(1)]);
        }
    }
}
