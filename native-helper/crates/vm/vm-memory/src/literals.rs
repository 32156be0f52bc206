//! Literals of modules: the header of a module's code points to the area that holds its constants.
//!
//! An area is {off-heap list, end, terms...} in a carrier of `literal_alloc`. Which word of the header it is follows from
//! the modules themselves: it is the only one that leads into those carriers, in every module that has literals,
//! and is null in all others.

use std::collections::BTreeSet;

use target_memory::{Range, TargetMemory, bytes_to_words};

use crate::carriers::Carrier;

/// Words of the header among which it is.
const HEADER_WORDS: usize = 16;
/// The list and the end, before the terms.
const AREA_HEADER_BYTES: u64 = 16;
/// Modules that are read in one go.
const AT_ONCE: usize = 512;

/// How much literals each module has, bytes, in the order of the headers' addresses; `None` for all when the modules do
/// not agree on the place of that figure, and for one whose area contradicts itself.
pub fn literals_of_modules(
    memory: &impl TargetMemory,
    headers: &[u64],
    carriers: &[Carrier],
) -> Vec<Option<u64>> {
    let heads = read_words(memory, headers, HEADER_WORDS);
    let place = heads
        .as_ref()
        .and_then(|heads| place_of_areas(heads, carriers));
    let (Some(heads), Some(place)) = (heads, place) else {
        return vec![None; headers.len()];
    };
    let areas: Vec<u64> = heads.iter().map(|head| head[place]).collect();
    let there: Vec<u64> = areas.iter().copied().filter(|area| *area != 0).collect();
    let Some(read) = read_words(memory, &there, 2) else {
        return vec![None; headers.len()];
    };
    let mut ends = read.iter().map(|words| words[1]);
    let mut bytes_of = |area: u64| match area {
        0 => Some(0),
        _ => area_bytes(area, ends.next()?, carriers),
    };
    areas.into_iter().map(&mut bytes_of).collect()
}

/// The only word of the headers that is an area in some module, and nothing else in any other.
fn place_of_areas(heads: &[Vec<u64>], carriers: &[Carrier]) -> Option<usize> {
    let is_area = |word: u64| word.is_multiple_of(8) && carrier_of(word, carriers).is_some();
    let mut places = (0..HEADER_WORDS).filter(|place| {
        let words: BTreeSet<u64> = heads
            .iter()
            .map(|head| head[*place])
            .filter(|word| *word != 0)
            .collect();
        !words.is_empty() && words.iter().all(|word| is_area(*word))
    });
    let place = places.next()?;
    places.next().is_none().then_some(place)
}

fn area_bytes(area: u64, end: u64, carriers: &[Carrier]) -> Option<u64> {
    let carrier = carrier_of(area, carriers)?;
    let bytes = end.checked_sub(area)?.checked_sub(AREA_HEADER_BYTES)?;
    let is_inside = end <= carrier.address.saturating_add(carrier.bytes);
    (is_inside && bytes.is_multiple_of(8)).then_some(bytes)
}

fn carrier_of(address: u64, carriers: &[Carrier]) -> Option<&Carrier> {
    let is_in = |carrier: &&Carrier| {
        address
            .checked_sub(carrier.address)
            .is_some_and(|offset| offset < carrier.bytes)
    };
    carriers.iter().find(is_in)
}

/// So many words from each address.
fn read_words(
    memory: &impl TargetMemory,
    addresses: &[u64],
    count: usize,
) -> Option<Vec<Vec<u64>>> {
    let mut all = Vec::with_capacity(addresses.len());
    for some in addresses.chunks(AT_ONCE) {
        let len_bytes = count * 8;
        let ranges = Range::at_each(some.iter().copied(), len_bytes);
        let mut bytes = vec![0; some.len() * len_bytes];
        memory.read_many(&ranges, &mut bytes).ok()?;
        all.extend(
            bytes
                .chunks(len_bytes)
                .map(|part| bytes_to_words(part).collect()),
        );
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    const CARRIER: Carrier = Carrier {
        address: 0x10_0000,
        bytes: 0x1000,
        used_bytes: None,
        largest_free_bytes: None,
        has_one_block: false,
    };
    const HEADERS: [u64; 3] = [0x2000, 0x3000, 0x4000];
    const AREAS: [u64; 3] = [0x10_0100, 0, 0x10_0800];

    /// @param change of the words at an address
    fn literals(change: impl Fn(u64, &mut Vec<u64>)) -> Vec<Option<u64>> {
        let mut memory = SnapshotMemory::new();
        let mut put = |address: u64, mut words: Vec<u64>| {
            change(address, &mut words);
            memory.map_words(address, &words);
        };
        for (header, area) in HEADERS.into_iter().zip(AREAS) {
            let mut words = vec![3; HEADER_WORDS];
            words[7] = area;
            put(header, words);
            if area != 0 {
                put(area, vec![0, area + AREA_HEADER_BYTES + 40]);
            }
        }
        literals_of_modules(&memory, &HEADERS, &[CARRIER])
    }

    #[test]
    fn the_word_that_leads_to_areas_is_found_and_areas_are_measured() {
        assert_eq!(literals(|_, _| {}), [Some(40), Some(0), Some(40)]);
    }

    #[test]
    fn contradictory_values_are_not_reported() {
        let two_places = literals(|address, words| {
            if HEADERS.contains(&address) {
                words[9] = words[7];
            }
        });
        assert_eq!(two_places, [None; 3]);
        let elsewhere = literals(|address, words| {
            if address == HEADERS[0] {
                words[7] = 0x9000;
            }
        });
        assert_eq!(elsewhere, [None; 3]);
        let endless = literals(|address, words| {
            if address == AREAS[2] {
                words[1] = u64::MAX;
            }
        });
        assert_eq!(endless, [Some(40), Some(0), None]);
    }
}
