//! Where a process has the fields that stacks do not need: mailbox, old heap, dictionary, counters.
//!
//! The figures are data like those of [`super::rows`], and like those they are per way of configuring an
//! emulator. The right ones are chosen by the fields that [`super::VmLayout`] already has, which the VM
//! itself confirms; a reader of processes checks every one of them by the consistency of its fields.

use crate::ProcessLayout;

/// Offsets in `Process`, bytes, and sizes that belong to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessDetails {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// The fields of the process that go with these: heap, i, initial call, state.
    pub beside: [usize; 4],
    /// Bytes of the process these were found with. Another release may have as many fields and a longer end.
    pub process_bytes: usize,
    /// The block that a delayed collection has left, or null.
    pub abandoned_heap: usize,
    /// The function it is in while `i` is in code of the emulator's own: a pointer to module, function, arity.
    pub current: usize,
    /// The process that started it: a pid, or `[]`.
    pub parent: usize,
    /// Reductions of its whole life, as of when it was last scheduled.
    pub reductions: usize,
    /// `ProcDict *`, or null.
    pub dictionary: usize,
    /// End of the old heap's block.
    pub old_hend: usize,
    /// Top of the old heap.
    pub old_htop: usize,
    /// Start of the old heap, or null.
    pub old_heap: usize,
    /// Minor collections since the last one of all, 16 bits.
    pub minor_gcs: usize,
    /// The list of data outside of the heap.
    pub off_heap: usize,
    /// A second list, of binaries that are being appended to.
    pub appended: Option<usize>,
    /// Words of heap fragments.
    pub fragments_words: usize,
    /// `ErtsPSD *`, or null.
    pub specific: usize,
    /// Bytes of an `ErtsPSD`.
    pub specific_bytes: u64,
    /// Numbers of messages, 64 bits each, whose sum is the length of the mailbox.
    pub mailbox: &'static [usize],
    /// First messages of the lists that a mailbox is made of.
    pub mailbox_lists: [usize; 3],
    /// `ErtsSignalInQueueBufferArray *`, or null: further lists of messages, one for each group of senders. A
    /// release without them has no field.
    pub buffers: Option<usize>,
    /// The number of argument words that a process which does not run keeps: offset, and size in bytes.
    pub arity: (usize, usize),
    /// Where these words are.
    pub arguments: usize,
    /// The first heap fragment, or null.
    pub fragments: usize,
    /// The timer of a `receive` with a time limit: a pointer; null without one, 1 after its time.
    pub timer: usize,
    /// Its trace flags, 32 bits: see [`crate::trace_flags`].
    pub trace_flags: usize,
    /// The tree of links, or null.
    pub links: usize,
    /// The tree of the monitors that it has set, or null.
    pub monitors: usize,
    /// The ring of the monitors that others have set on it, or null.
    pub monitored_by: usize,
    /// The bytes that the VM counts for a link and for a monitor on either side, and for an alias.
    pub relation_bytes: RelationBytes,
    /// In a node of these trees: the other process. How far the key is from the node's start, 16 bits, is
    /// [`RELATION_KEY_BEHIND`] bytes behind.
    pub relation_other: usize,
    /// How binaries are made.
    pub binary: BinaryFormat,
    /// How everything else on a heap is made.
    pub heap: HeapFormat,
}

/// The bytes that the VM counts of a link or a monitor for one of its two processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationBytes {
    /// A link.
    pub link: u64,
    /// A monitor, for the process that has set it and for the other one.
    pub monitor: u64,
    /// An alias, which is a monitor that a process has set on itself.
    pub alias: u64,
    /// The further bytes of a monitor by name, for either process.
    pub named: u64,
    /// The flag of a monitor by name: see [`RELATION_FLAGS_BEHIND`].
    pub named_flag: u32,
}

/// How data on a heap give their length, and where they hold terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapFormat {
    /// Subtags of data that consist of a header and as many terms as it gives.
    pub tuples: &'static [u64],
    /// Subtag of maps and their nodes.
    pub map: u64,
    /// How funs give the number of their terms.
    pub fun: FunFormat,
    /// Subtag of a part of a binary whose last word is a term that its header does not count.
    pub term_behind: Option<u64>,
    /// Subtag of a part of a binary whose last counted word is a term.
    pub term_last: Option<u64>,
    /// Subtag of a binary that is being matched, whose first word behind the header is a term.
    pub term_first: Option<u64>,
}

/// Subtag of a fun.
pub const FUN_SUBTAG: u64 = 5;

/// How a fun gives the number of its terms, after its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunFormat {
    /// In its header, from that bit on; its own is one word.
    InHeader(u32),
    /// In a word of its own: which, from which bit on. Its own are the words that its header counts, and its
    /// creator follows, a term.
    InWord(usize, u32),
}

/// In a node of a tree of links or monitors: the two below it.
pub const RELATION_BELOW: [usize; 2] = [8, 16];
/// In such a node, behind the other process: flags, of which [`RelationBytes::named_flag`] is one, 32 bits.
pub const RELATION_FLAGS_BEHIND: usize = 12;
/// In a monitor that another process has set, from the ring of these on: the next one.
pub const RELATION_NEXT: usize = 0;
/// In such a node, behind the other process: how far its key is from its start, 16 bits.
pub const RELATION_KEY_BEHIND: usize = 10;

/// From [`ProcessDetails::fragments`]: the first of the messages that the process has taken with data outside of its heap,
/// or null. These are its own data until the next collection. The count of the words of both follows.
pub const TAKEN_MESSAGES_BEHIND: usize = 16;

/// How a heap refers to binaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinaryFormat {
    /// Subtag of a reference to a binary outside of the heap.
    pub reference_subtag: u64,
    /// In the reference: `Binary *`.
    pub binary: usize,
    /// In `Binary`: its bytes.
    pub size: usize,
    /// In `Binary`: how many refer to it.
    pub reference_count: usize,
    /// In `Binary`: where its bytes begin.
    pub content: usize,
    /// How a part of a binary gives its range.
    pub part: PartFormat,
    /// Subtag of a binary on the heap itself; its second word is its size.
    pub on_heap_subtag: u64,
    /// Bits that such a size counts in: 1 or 8.
    pub on_heap_unit_bits: u64,
}

/// How a part of a binary gives its range, by words from its header on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartFormat {
    /// Bytes at 1, from the byte at 2 on, and at 3 how many bits more and how many later, a byte each; of
    /// [`HeapFormat::term_behind`]. They count from the address in the reference. A binary that is being
    /// matched, of [`HeapFormat::term_first`], has at 4 the bit that it ends with.
    OfReference {
        /// In the reference: the address that they count from.
        content: usize,
    },
    /// Where bits are counted from at 1, with flags in the lowest two bits; from the bit at 2 to the one at 3; of
    /// [`HeapFormat::term_last`].
    OfAddress,
}

/// Flags of a part that has [`PartFormat::OfAddress`].
pub const PART_FLAGS: u64 = 3;
/// The only flag of a binary that is being matched.
pub const PART_IS_MATCHED: u64 = 1;
/// Its bytes may have moved since: they are at the address in the binary.
pub const PART_MAY_MOVE: u64 = 2;

/// In an element of the list of data outside of the heap: the next one.
pub const OFF_HEAP_NEXT: usize = 16;
/// In `RegProc`: the process that has the name.
pub const REGISTERED_PROCESS: usize = 16;
/// In `RegProc`: the name, an atom.
pub const REGISTERED_NAME: usize = 32;
/// Bytes of a `RegProc`.
pub const REGISTERED_BYTES: usize = 40;
/// Bytes of `ProcDict` before its slots: mask, used slots, slots, split position (32 bits each), elements.
pub const DICTIONARY_HEAD_BYTES: usize = 24;
/// In `ProcDict`: how many slots are in use, 32 bits.
pub const DICTIONARY_USED: usize = 4;
/// In `ProcDict`: how many slots there are, 32 bits.
pub const DICTIONARY_SLOTS: usize = 8;

/// The details that go with a layout.
pub fn details_for(process: &ProcessLayout) -> Option<&'static ProcessDetails> {
    let known = [process.heap, process.i, process.initial_call, process.state];
    let fitting = || PROCESS_DETAILS.iter().filter(|row| row.beside == known);
    let as_long = fitting().find(|row| row.process_bytes == process.read_bytes);
    as_long.or_else(|| fitting().next())
}

const PROC_BIN: BinaryFormat = BinaryFormat {
    reference_subtag: 8,
    binary: 24,
    size: 16,
    reference_count: 8,
    content: 24,
    part: PartFormat::OfReference { content: 32 },
    on_heap_subtag: 9,
    on_heap_unit_bits: 8,
};

const HEAP_27: HeapFormat = HeapFormat {
    tuples: &[0],
    map: 11,
    fun: FunFormat::InHeader(16),
    term_behind: None,
    term_last: Some(9),
    term_first: None,
};

const HEAP_25: HeapFormat = HeapFormat {
    tuples: &[0],
    map: 15,
    fun: FunFormat::InWord(3, 8),
    term_behind: Some(10),
    term_last: None,
    term_first: Some(1),
};

const HEAP_23: HeapFormat = HeapFormat {
    fun: FunFormat::InWord(4, 0),
    ..HEAP_25
};

const RELATIONS_25: RelationBytes = RelationBytes {
    link: 40,
    monitor: 64,
    alias: 96,
    named: 8,
    named_flag: 1 << 3,
};

const OTP_27: ProcessDetails = ProcessDetails {
    provenance: "debug information of OTP 27.3.4 headers; read live on Debian 13's",
    beside: [192, 248, 440, 624],
    process_bytes: 760,
    abandoned_heap: 208,
    current: 464,
    parent: 472,
    reductions: 272,
    dictionary: 408,
    old_hend: 496,
    old_htop: 504,
    old_heap: 512,
    minor_gcs: 484,
    off_heap: 520,
    appended: Some(536),
    fragments_words: 568,
    specific: 576,
    specific_bytes: 96,
    mailbox: &[336, 376, 656],
    mailbox_lists: [312, 344, 640],
    buffers: Some(680),
    arity: (133, 1),
    arguments: 136,
    fragments: 544,
    timer: 16,
    trace_flags: 64,
    links: 40,
    monitors: 56,
    monitored_by: 48,
    relation_bytes: RelationBytes {
        link: 48,
        monitor: 72,
        alias: 112,
        named: 8,
        named_flag: 1 << 3,
    },
    relation_other: 32,
    heap: HEAP_27,
    binary: BinaryFormat {
        reference_subtag: 10,
        binary: 8,
        size: 24,
        reference_count: 16,
        content: 32,
        part: PartFormat::OfAddress,
        on_heap_subtag: 8,
        on_heap_unit_bits: 1,
    },
};

/// All that are known.
pub const PROCESS_DETAILS: &[ProcessDetails] = &[
    OTP_27,
    ProcessDetails {
        provenance: "debug information of OTP 29.1.1 headers; read live on Debian sid's",
        process_bytes: 768,
        specific_bytes: 112,
        relation_bytes: RelationBytes {
            named_flag: 1 << 10,
            ..OTP_27.relation_bytes
        },
        heap: HeapFormat {
            tuples: &[0, 7],
            ..HEAP_27
        },
        ..OTP_27
    },
    ProcessDetails {
        provenance: "debug information of OTP 25.2.3 headers; read live on Debian 12's",
        beside: [128, 256, 448, 640],
        process_bytes: 776,
        abandoned_heap: 144,
        current: 472,
        parent: 480,
        reductions: 280,
        dictionary: 416,
        old_hend: 504,
        old_htop: 512,
        old_heap: 520,
        minor_gcs: 528,
        off_heap: 536,
        appended: Some(552),
        fragments_words: 584,
        specific: 592,
        specific_bytes: 80,
        mailbox: &[392, 672],
        mailbox_lists: [328, 352, 656],
        buffers: Some(696),
        arity: (184, 8),
        arguments: 192,
        fragments: 560,
        timer: 32,
        trace_flags: 24,
        links: 56,
        monitors: 72,
        monitored_by: 64,
        relation_bytes: RELATIONS_25,
        relation_other: 24,
        heap: HEAP_25,
        binary: PROC_BIN,
    },
    ProcessDetails {
        provenance: "those of OTP 25 without a frame pointer; read live on erts-13.1.5 configured without the JIT",
        beside: [120, 248, 440, 632],
        process_bytes: 768,
        abandoned_heap: 136,
        current: 464,
        parent: 472,
        reductions: 272,
        dictionary: 408,
        old_hend: 496,
        old_htop: 504,
        old_heap: 512,
        minor_gcs: 520,
        off_heap: 528,
        appended: Some(544),
        fragments_words: 576,
        specific: 584,
        specific_bytes: 80,
        mailbox: &[384, 664],
        mailbox_lists: [320, 344, 648],
        buffers: Some(688),
        arity: (176, 8),
        arguments: 184,
        fragments: 552,
        timer: 32,
        trace_flags: 24,
        links: 56,
        monitors: 72,
        monitored_by: 64,
        relation_bytes: RELATIONS_25,
        relation_other: 24,
        heap: HEAP_25,
        binary: PROC_BIN,
    },
    ProcessDetails {
        provenance: "OTP 23.2.6 headers; read live on Debian 11's erts-11.1.8",
        beside: [96, 224, 432, 616],
        process_bytes: 736,
        abandoned_heap: 112,
        current: 456,
        parent: 464,
        reductions: 256,
        dictionary: 400,
        old_hend: 488,
        old_htop: 496,
        old_heap: 504,
        minor_gcs: 512,
        off_heap: 520,
        appended: None,
        fragments_words: 560,
        specific: 568,
        specific_bytes: 80,
        mailbox: &[376, 648],
        mailbox_lists: [312, 336, 632],
        buffers: None,
        arity: (152, 8),
        arguments: 160,
        fragments: 536,
        timer: 32,
        trace_flags: 24,
        links: 56,
        monitors: 72,
        monitored_by: 64,
        relation_bytes: RelationBytes {
            link: 44,
            monitor: 60,
            alias: 60,
            named: 12,
            named_flag: 1 << 3,
        },
        relation_other: 24,
        heap: HEAP_23,
        binary: PROC_BIN,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::ROWS;

    #[test]
    fn every_row_has_details_that_lie_within_the_process() {
        for row in ROWS {
            let details = details_for(&row.process).unwrap();
            assert_eq!(details.process_bytes, row.process.read_bytes);
            let offsets = [
                details.abandoned_heap,
                details.current,
                details.parent,
                details.reductions,
                details.dictionary,
                details.old_hend,
                details.old_htop,
                details.old_heap,
                details.minor_gcs,
                details.off_heap,
                details.fragments_words,
                details.specific,
                details.timer,
                details.trace_flags,
                details.links,
                details.monitors,
                details.monitored_by,
            ];
            let all = offsets
                .iter()
                .chain(details.mailbox)
                .chain(&details.appended)
                .chain(&details.buffers);
            assert!(
                all.into_iter()
                    .all(|offset| *offset + 8 <= row.process.read_bytes)
            );
            let taken = details.fragments + TAKEN_MESSAGES_BEHIND;
            assert_eq!(taken + 8, details.fragments_words, "of both");
        }
    }

    #[test]
    fn a_layout_with_other_fields_has_none() {
        let mut process = ROWS[0].process;
        process.state += 8;
        assert_eq!(details_for(&process), None);
    }
}
