//! Any bytes as the processes of a VM, their dictionaries, mailboxes, heaps, links and monitors: a valid table of
//! four processes whose structs pass for processes, and all that they point at is made of the bytes.
#![no_main]
use std::ops::Range;

use erlang_stack::{TraceReturns, VmWords};
use erlang_terms::{Limits, TermBlock, TermText};
use libfuzzer_sys::fuzz_target;
use process_heap::{HeapCopy, Roots, binary_uses, kinds, mailbox, reach};
use target_memory::{SnapshotMemory, bytes_to_words};
use vm_layout::ProcessLayout;
use vm_layout::process_details::{ProcessDetails, details_for};
use vm_layout::rows::ROWS;
use vm_memory::ets::EtsTable;
use vm_memory::ordered_set::objects;
use vm_processes::{Awaited, Entry, MessageLimits, Other, ProcessReader, Waiter, locks_awaited};
use vm_tables::atoms::AtomTable;
use vm_tables::pids::PidFormat;
use vm_tables::processes::ProcessTable;

const TABLE: u64 = 0x1000;
const SLOTS_AT: u64 = 0x2000;
const PROCESSES: u64 = 4;
/// Where the structs are, one page each.
const STRUCTS: u64 = 0x1_0000;
/// Where everything is that they point at: pointers of the bytes are made to lead there.
const HEAP: u64 = 0x10_0000;
/// Words that are a place in it, with a tag in their lowest bits.
const PLACES: Range<u64> = 1 << 15..1 << 16;
/// Words of the innermost frame of each process.
const VARIABLES: usize = 8;
const PIDS: PidFormat = PidFormat::SlotInside { slot_bits: 4 };

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else {
        return;
    };
    let row = &ROWS[usize::from(*choice) % ROWS.len()];
    let Some(details) = details_for(&row.process) else {
        return;
    };
    let mut words: Vec<u64> = bytes_to_words(bytes).collect();
    // Smaller words stay as they are: null, headers and lengths, without which nothing comes to an end.
    for word in &mut words {
        if PLACES.contains(word) {
            *word += HEAP - PLACES.start;
        }
    }
    let mut memory = SnapshotMemory::new();
    memory.map_words(HEAP, &words);
    let mut table = [0_u64; 27];
    (table[17], table[24], table[26]) = (PROCESSES, SLOTS_AT, 16);
    memory.map_words(TABLE, &table);
    let mut slots = [0_u64; 16];
    for slot in 0..PROCESSES {
        let address = STRUCTS + slot * 0x1000;
        slots[slot as usize] = address;
        let part = words.get(slot as usize * 128..).unwrap_or(&words);
        memory.map(
            address,
            process(&row.process, details, slot, part, words.len()),
        );
    }
    memory.map_words(SLOTS_AT, &slots);

    let mut atoms = AtomTable::new(HEAP);
    let mut reader = ProcessReader {
        memory: &memory,
        table: ProcessTable { address: TABLE },
        layout: row.process,
        details,
        pids: PIDS,
        atoms: &mut atoms,
    };
    let Ok(page) = reader.page(0, 16) else {
        return;
    };
    let entries = page.processes.iter().map(|process| process.entry);
    for (_, held) in reader.held_binaries(entries.collect(), &mut MessageLimits::default()) {
        assert!(held.binaries.iter().all(|binary| binary.references > 0));
    }
    let entries = page.processes.iter().map(|process| process.entry);
    check_relations(&mut reader, entries.collect(), &words);
    let vm_words = VmWords {
        normal_exit: words.last().copied().unwrap_or(0),
        traces: TraceReturns::new([(words.first().copied().unwrap_or(0), true)]),
        frame_pointers: choice & 0x80 != 0,
    };
    for process in page.processes {
        let queued = mailbox(&memory, &process.entry).messages;
        assert!(queued.len() <= process.entry.mailbox_lists.len() * words.len());
        let Ok(copy) = HeapCopy::take(&memory, &process.entry, &|_, _| true) else {
            continue;
        };
        if let Ok(roots) = Roots::of(&memory, &process.entry, &copy, &queued, vm_words)
            && let Some(reached) = reach(&copy, &details.heap, &roots.roots)
        {
            assert_eq!(reached.words.iter().sum::<u64>(), reached.live_words);
            let uses = binary_uses(&copy, &details.heap, details.binary, &roots.roots);
            for used in uses.iter().flat_map(|uses| uses.values()) {
                assert!(used.live_references <= used.references);
            }
        }
        let _ = kinds(&copy, &details.heap, details.binary);
    }
    let mut text = TermText {
        memory: &memory,
        atoms: &mut atoms,
        pids: PIDS,
        binary: details.binary,
        heap: details.heap,
    };
    for word in words.iter().take(8) {
        assert!(text.show(*word, Limits::LABEL).len() < 1 << 16);
    }
    // A table that lies there, and the same words as an object of it.
    let read = EtsTable::at(&memory, HEAP).and_then(|table| objects(&memory, &table, 1000));
    let waiters: Vec<u64> = (0..PROCESSES).map(|slot| slot << 4 | 3).collect();
    let address = HEAP;
    let of_words = vec![TermBlock { address, words }];
    for objects in read.into_iter().chain([of_words]) {
        let awaited = locks_awaited(&mut text, &objects, &waiters);
        assert_eq!(awaited.len(), waiters.len());
    }
});

/// Nothing moves here, and a process that is waited for has a link or a monitor of the waiting process.
fn check_relations(
    reader: &mut ProcessReader<'_, SnapshotMemory>,
    entries: Vec<Entry>,
    words: &[u64],
) {
    let frame = words.iter().rev().take(VARIABLES).copied();
    let with_frame = |entry| Waiter {
        entry,
        variables: frame.clone().collect(),
    };
    let waiters: Vec<Waiter> = entries.into_iter().map(with_frame).collect();
    let awaited = reader.awaited(&waiters);
    assert_eq!(awaited.len(), waiters.len());
    for (waiter, awaited) in waiters.iter().zip(awaited) {
        let relations = reader.relations(&waiter.entry);
        let of_both = relations.into_iter().flatten().flatten();
        let others: Vec<Other> = of_both.filter_map(|it| reader.other(it)).collect();
        match awaited {
            Awaited::One(other) => assert!(others.contains(&other)),
            Awaited::Unproven => {}
            Awaited::Moved => panic!("{:?}", waiter.entry),
        }
    }
    let is_busy = |port: u64| port & 0x100 == 0;
    for awaited in reader.awaited_ports(&waiters, is_busy) {
        if let Awaited::One(port) = awaited {
            assert!(is_busy(port));
        }
    }
}

/// A struct that passes for the process at `slot`, with its other fields taken from `words`.
fn process(
    layout: &ProcessLayout,
    details: &ProcessDetails,
    slot: u64,
    words: &[u64],
    heap_words: usize,
) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(layout.read_bytes, 0);
    let mut set = |offset: usize, word: u64| {
        if let Some(place) = bytes.get_mut(offset..offset + 8) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    };
    let end = HEAP + heap_words as u64 * 8;
    let top = HEAP + heap_words as u64 / 4 * 3 * 8;
    set(layout.id, slot << 4 | 3);
    set(layout.state, 0);
    set(layout.heap, HEAP);
    set(layout.htop, top);
    set(layout.stop, top);
    set(layout.hend, end);
    set(layout.heap_size_words, heap_words as u64);
    set(details.abandoned_heap, 0);
    for offset in [details.old_heap, details.old_htop, details.old_hend] {
        set(offset, 0);
    }
    set(details.parent, 0x3b);
    for offset in details.mailbox {
        set(*offset, 0);
    }
    bytes
}
