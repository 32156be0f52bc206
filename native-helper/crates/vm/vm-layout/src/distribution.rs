//! Where an entry of the VM's table of nodes has its fields, and the same from the evidence of
//! entries.
//!
//! The figures are data like those of [`super::rows`], and one row holds for all releases whose headers were read (25,
//! 27, 29) and for OTP 23, whose entries were. It is compared with every table that is read: where the VM's own entries
//! show other offsets, the row is not used.

use target_memory::{bytes_to_words, u32_at, u64_at};

use crate::TableError;

/// Offsets in `DistEntry`, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistributionLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Bytes to read to have every field below.
    pub read_bytes: usize,
    /// The next entry in the list of its kind, or null.
    pub next: usize,
    /// The one before it, or null.
    pub previous: usize,
    /// Name, an atom.
    pub name: usize,
    /// The holder of the connection: a port or a process, or `[]`.
    pub connection: usize,
    /// The state of the connection, 32 bits: one of `STATE_`.
    pub state: usize,
    /// The flags that the two ends agreed on, 64 bits, [`FLAG_PUBLISHED`] among them.
    pub flags: usize,
    /// The state of its queue, 32 bits: [`QUEUE_BUSY`].
    pub queue_flags: usize,
    /// Bytes that wait to be sent, 64 bits.
    pub queue_bytes: usize,
    /// Where the list of those that it keeps from sending may begin: at the first of these up to OTP 25, at the second
    /// from OTP 26 on, which has a counter more. The list itself shows a reader which of them it is.
    pub suspended: [usize; 2],
}

/// In an element of that list: the pid.
pub const SUSPENDED_PID: usize = 0;
/// In an element of that list, which is a circle: the next one.
pub const SUSPENDED_NEXT: usize = 16;
/// In an element of that list: the one before it.
pub const SUSPENDED_PREVIOUS: usize = 24;

/// The layout of OTP 23 to 29.
pub const DISTRIBUTION: DistributionLayout = DistributionLayout {
    provenance: "debug information of OTP 25.2.3, 27.3.4 and 29.1.1 headers; read live on Debian's 23, 25, 27 and 29",
    read_bytes: 296,
    next: 16,
    previous: 24,
    name: 112,
    connection: 136,
    state: 148,
    flags: 168,
    queue_flags: 232,
    queue_bytes: 240,
    suspended: [280, 288],
};

/// Not connected.
pub const STATE_IDLE: u32 = 0;
/// The two ends are about to agree.
pub const STATE_PENDING: u32 = 1;
/// Connected.
pub const STATE_CONNECTED: u32 = 2;
/// The connection is being given up.
pub const STATE_EXITING: u32 = 3;
/// A connection that nodes report to each other; one without it is hidden.
pub const FLAG_PUBLISHED: u64 = 1;

/// So much data waits that a sender is suspended.
pub const QUEUE_BUSY: u32 = 1;

/// `[]`: from OTP 25 on, and with every bit above the tag set before. No process and no port is either.
const NILS: [u64; 2] = [0x3b, !0x4];

/// True when an entry in that state can have that connection.
pub fn is_connection(word: u64, state: u32) -> bool {
    let is_held = matches!(word & 0xf, 0x3 | 0x7);
    match state {
        STATE_IDLE | STATE_PENDING => NILS.contains(&word),
        STATE_CONNECTED => is_held,
        STATE_EXITING => is_held || NILS.contains(&word),
        _ => false,
    }
}

/// Compares the layout with the entries of a table, which are its first bytes each. `is_name` returns
/// whether a word is the name of a node.
///
/// # Errors
/// The entries show that a field lies elsewhere.
pub fn check_distribution(
    layout: &DistributionLayout,
    entries: &[Vec<u8>],
    is_name: impl FnMut(u64) -> bool,
) -> Result<(), TableError> {
    let names = name_offsets(entries, is_name);
    let states = state_offsets(entries, layout.connection);
    let derived = [
        ("name", names, layout.name),
        ("state", states, layout.state),
    ];
    for (field, offsets, expected) in derived {
        if !offsets.contains(&expected) {
            return Err(TableError::malformed(
                "table of nodes",
                format!("the {field} should be at {expected}, its entries say {offsets:?}"),
            ));
        }
    }
    Ok(())
}

/// Where every entry has the name of a node.
pub fn name_offsets(entries: &[Vec<u8>], mut is_name: impl FnMut(u64) -> bool) -> Vec<usize> {
    let words = shortest(entries) / 8;
    let mut offsets: Vec<usize> = (0..words).map(|index| index * 8).collect();
    for entry in entries {
        let words: Vec<u64> = bytes_to_words(entry).collect();
        offsets.retain(|offset| words.get(offset / 8).is_some_and(|word| is_name(*word)));
    }
    offsets
}

/// Where every entry has a state that goes with its connection.
pub fn state_offsets(entries: &[Vec<u8>], connection: usize) -> Vec<usize> {
    let fits = |entry: &Vec<u8>, offset: usize| {
        let both = u64_at(entry, connection).zip(u32_at(entry, offset));
        both.is_some_and(|(connection, state)| is_connection(connection, state))
    };
    (0..shortest(entries) / 4)
        .map(|index| index * 4)
        .filter(|offset| entries.iter().all(|entry| fits(entry, *offset)))
        .collect()
}

fn shortest(entries: &[Vec<u8>]) -> usize {
    entries.iter().map(Vec::len).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry with that name, connection and state.
    fn entry(name: u64, connection: u64, state: u64) -> Vec<u8> {
        let mut words = [0x7000_u64; 31];
        (words[14], words[17], words[18]) = (name, connection, state << 32 | 9);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    const NAMES: [u64; 2] = [0x1_0cb, 0x2_0cb];

    #[test]
    fn entries_show_where_their_fields_are() {
        for nil in NILS {
            let entries = [entry(NAMES[0], nil, 0), entry(NAMES[1], 0x6b3, 2)];
            let is_name = |word| NAMES.contains(&word);
            assert_eq!(name_offsets(&entries, is_name), [DISTRIBUTION.name]);
            assert_eq!(
                state_offsets(&entries, DISTRIBUTION.connection),
                [DISTRIBUTION.state]
            );
            assert_eq!(check_distribution(&DISTRIBUTION, &entries, is_name), Ok(()));
        }
    }

    #[test]
    fn a_layout_that_the_entries_contradict_is_refused() {
        let is_name = |word| NAMES.contains(&word);
        let nil = NILS[0];
        let entries = [entry(NAMES[0], nil, 0), entry(NAMES[1], 0x6b3, 2)];
        let elsewhere = DistributionLayout {
            name: 120,
            ..DISTRIBUTION
        };
        let error = check_distribution(&elsewhere, &entries, is_name).unwrap_err();
        assert!(error.to_string().contains("say [112]"), "{error}");
        for impossible in [
            entry(NAMES[0], nil, 2),
            entry(NAMES[0], 0x6b3, 0),
            entry(NAMES[0], nil, 4),
            entry(0x40, nil, 0),
            vec![0; 100],
        ] {
            assert!(check_distribution(&DISTRIBUTION, &[impossible], is_name).is_err());
        }
    }
}
