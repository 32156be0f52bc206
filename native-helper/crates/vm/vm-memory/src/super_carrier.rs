//! The super carrier (`+MMscs`): one piece of memory that the VM takes when it begins, and has its carriers in. Memory
//! that it has freed there stays with the VM and is in no carrier.
//!
//! The emulator notes its start and its end beside each other. They count when their distance is the size on the
//! command line, and all between them is memory that may be one.

use std::collections::VecDeque;

/// The option, as the emulator gets it.
const OPTION: &str = "-MMscs";
/// The most words that the emulator notes between start and end.
const NEAR_WORDS: usize = 64;
/// Where it may begin.
const ALIGNED_BYTES: u64 = 256 << 10;

/// The size of the one that the emulator's command line requests, bytes; `None` without one.
pub fn wanted_bytes<'a>(mut arguments: impl Iterator<Item = &'a str>) -> Option<u64> {
    let mut wanted = None;
    while let Some(argument) = arguments.next() {
        // What follows is for the program and not for the emulator.
        if argument == "--" {
            break;
        }
        let Some(behind) = argument.strip_prefix(OPTION) else {
            continue;
        };
        let number = match behind {
            "" => arguments.next().unwrap_or_default(),
            number => number,
        };
        // The last one counts.
        wanted = number.parse::<u64>().ok();
    }
    wanted.filter(|it| *it > 0)?.checked_mul(1 << 20)
}

/// Start and length, bytes, of one of that length, by the emulator's variables in their order. `may_be` returns whether
/// a range is memory of the VM.
pub fn super_carrier(
    words: impl Iterator<Item = u64>,
    bytes: u64,
    may_be: impl Fn(u64, u64) -> bool,
) -> Option<(u64, u64)> {
    let mut near: VecDeque<u64> = VecDeque::with_capacity(NEAR_WORDS);
    for word in words {
        let start = word.checked_sub(bytes).filter(|start| {
            start.is_multiple_of(ALIGNED_BYTES) && near.contains(start) && may_be(*start, bytes)
        });
        if let Some(start) = start {
            return Some((start, bytes));
        }
        if near.len() == NEAR_WORDS {
            near.pop_front();
        }
        near.push_back(word);
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: u64 = 0x7f95_d7a0_0000;
    const BYTES: u64 = 512 << 20;

    fn wanted(line: &str) -> Option<u64> {
        wanted_bytes(line.split(' '))
    }

    #[test]
    fn the_command_line_has_its_length() {
        assert_eq!(wanted("beam.smp -MMscs 512 -- -root /usr"), Some(BYTES));
        assert_eq!(wanted("beam.smp -MMscs512 -- -root /usr"), Some(BYTES));
        assert_eq!(wanted("beam.smp -MMscs 1 -MMscs 512"), Some(BYTES));
        assert_eq!(wanted("beam.smp -- -MMscs 512"), None, "for the program");
        for none in [
            "beam.smp",
            "beam.smp -MMscs 0",
            "beam.smp -MMscs",
            "beam.smp -MMscs x",
        ] {
            assert_eq!(wanted(none), None, "{none}");
        }
        assert_eq!(wanted("beam.smp -MMscs 18446744073709551615"), None);
    }

    #[test]
    fn start_and_end_beside_each_other_are_one() {
        let found =
            |words: &[u64], is: bool| super_carrier(words.iter().copied(), BYTES, |_, _| is);
        assert_eq!(
            found(&[1, START, 2, START + BYTES], true),
            Some((START, BYTES))
        );
        assert_eq!(
            found(&[1, START, 2, START + BYTES], false),
            None,
            "no memory"
        );
        assert_eq!(
            found(&[START + BYTES, START], true),
            None,
            "the other way round"
        );
        let mut far = vec![START];
        far.resize(NEAR_WORDS + 1, 0);
        far.push(START + BYTES);
        assert_eq!(found(&far, true), None, "too far apart");
        assert_eq!(
            found(&[START + 8, START + 8 + BYTES], true),
            None,
            "not aligned"
        );
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in prop::collection::vec(any::<u64>(), 0..300), bytes: u64) {
            super_carrier(words.into_iter(), bytes, |_, _| true);
        }
    }
}
