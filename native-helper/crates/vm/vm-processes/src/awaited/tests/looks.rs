//! Processes in memory made for the test, waiters among them, and their changes until the last reading.

use std::cell::Cell;

use target_memory::{ReadError, SnapshotMemory};
use vm_layout::messages::MESSAGE_WITH_FRAGMENT;
use vm_layout::process_details::{
    ProcessDetails, RELATION_BELOW, RELATION_KEY_BEHIND, TAKEN_MESSAGES_BEHIND, details_for,
};
use vm_layout::rows::ROWS;
use vm_layout::{ProcessLayout, STATE_BUSY};
use vm_tables::atoms::AtomTable;
use vm_tables::pids::PidFormat;
use vm_tables::processes::ProcessTable;

use super::super::*;
use crate::handed_on::{HeldReferences, Reference};

const STRUCTS: u64 = 0x10_000;
const NODES: u64 = 0x100_000;
const REFERENCES: u64 = 0x200_000;
const ARGUMENTS: u64 = 0x300_000;
const SLOT_BITS: u32 = 4;
const FREE: u32 = 0x400;
const SUSPENDED: u32 = 0x1_0000;
const LEVELS: usize = 40;

/// The caller, the called process, and an unrelated one.
const CALLER: u64 = 8;
const CALLED: u64 = 9;
const STRANGER: u64 = 10;

const fn pid(number: u64) -> u64 {
    number << 4 | 3
}

const fn port(number: u64) -> u64 {
    number << 4 | 7
}

const fn node(index: u64) -> u64 {
    NODES + index * 64
}

/// The reference with that number, a copy of it each time.
const fn reference(number: u64, copy: u64) -> u64 {
    REFERENCES + number * 0x100 + copy * 24 + 2
}

fn layout() -> (&'static ProcessLayout, &'static ProcessDetails) {
    let layout = &ROWS[1].process;
    (layout, details_for(layout).unwrap())
}

/// A VM at one moment.
#[derive(Clone)]
struct Vm(SnapshotMemory);

impl Vm {
    /// The caller has a monitor on the called process, by the reference 1, in its node 0.
    fn new() -> Self {
        let mut memory = SnapshotMemory::new();
        let header = 2 << 6 | 4 << 2;
        for number in 1..4 {
            let marked = number << 32 | 0xffff_ffff;
            let words = [header, marked, 7, header, marked, 7];
            memory.map_words(reference(number, 0) - 2, &words);
        }
        let mut vm = Self(memory);
        vm.process(CALLER, |_, _| {});
        vm.process(STRANGER, |_, _| {});
        vm.node(0, pid(CALLED), 1, [0, 0]);
        vm
    }

    /// A process at rest, whose pid and place are `number`, and whose tree of monitors begins with the node 0.
    fn process(
        &mut self,
        number: u64,
        change: impl FnOnce(&mut dyn FnMut(usize, u64), &ProcessLayout),
    ) {
        let (layout, details) = layout();
        let mut bytes = vec![0; layout.read_bytes];
        let mut set = |offset: usize, word: u64| {
            bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
        };
        set(layout.id, pid(number));
        for (offset, word) in [
            (layout.heap, 0x9000),
            (layout.htop, 0x9000),
            (layout.stop, 0x9740),
            (layout.hend, 0x9748),
            (layout.heap_size_words, 233),
            (details.parent, 0x3b),
            (details.monitors, node(0)),
        ] {
            set(offset, word);
        }
        change(&mut set, layout);
        self.0.map(STRUCTS + number * 0x1000, bytes);
    }

    /// A monitor by that reference.
    fn node(&mut self, index: u64, other: u64, number: u64, below: [u64; 2]) {
        let (_, details) = layout();
        let mut bytes = vec![0; 64];
        let mut put = |offset: usize, of: &[u8]| {
            bytes[offset..offset + of.len()].copy_from_slice(of);
        };
        for (place, next) in RELATION_BELOW.iter().zip(below) {
            put(*place, &next.to_le_bytes());
        }
        put(details.relation_other, &other.to_le_bytes());
        put(details.relation_other + RELATION_KEY_BEHIND, &[56, 0]);
        put(56, &reference(number, 1).to_le_bytes());
        self.0.map(node(index), bytes);
    }

    fn look<T>(&self, ask: impl FnOnce(&mut ProcessReader<'_, SnapshotMemory>) -> T) -> T {
        look_in(&self.0, ask)
    }

    /// The process, with these words in its innermost frame.
    fn waiter(&self, number: u64, variables: &[u64]) -> Waiter {
        let place = (number, STRUCTS + number * 0x1000);
        Waiter {
            entry: self.look(|reader| reader.entry(place)).unwrap(),
            variables: variables.to_vec(),
        }
    }

    fn awaited(&self, waiter: &Waiter) -> Awaited {
        let waiter = std::slice::from_ref(waiter);
        let mut found = self.look(|reader| reader.awaited(waiter));
        found.pop().unwrap()
    }
}

fn look_in<M, T>(memory: &M, ask: impl FnOnce(&mut ProcessReader<'_, M>) -> T) -> T {
    let (layout, details) = layout();
    ask(&mut ProcessReader {
        memory,
        table: ProcessTable { address: 0x1000 },
        layout: *layout,
        details,
        pids: PidFormat::SlotInside {
            slot_bits: SLOT_BITS,
        },
        atoms: &mut AtomTable::new(0x1000),
    })
}

/// The process that the caller waits for by the reference 1, when the last reading finds its struct with
/// these words.
fn after(change: impl FnOnce(&mut dyn FnMut(usize, u64), &ProcessLayout)) -> Awaited {
    let mut vm = Vm::new();
    let waiter = vm.waiter(CALLER, &[reference(1, 0)]);
    vm.process(CALLER, change);
    vm.awaited(&waiter)
}

const CALLED_ONE: Awaited = Awaited::One(Other::Here(pid(CALLED)));

#[test]
fn a_copy_of_the_monitors_reference_names_the_awaited_process() {
    let vm = Vm::new();
    let asked = |variables: &[u64]| vm.awaited(&vm.waiter(CALLER, variables));
    assert_eq!(asked(&[0x3b, reference(1, 0)]), CALLED_ONE);
    assert_eq!(asked(&[pid(CALLED)]), CALLED_ONE);
    assert_eq!(asked(&[reference(2, 0)]), Awaited::Unproven);
    assert_eq!(asked(&[pid(STRANGER)]), Awaited::Unproven);
    assert_eq!(asked(&[]), Awaited::Unproven);
    assert_eq!(after(|_, _| {}), CALLED_ONE);
}

#[test]
fn a_struct_that_was_freed_since_waits_for_no_process() {
    assert_eq!(
        after(|set, layout| set(layout.state, FREE.into())),
        Awaited::Moved
    );
    let vm = Vm::new();
    let waiter = vm.waiter(CALLER, &[reference(1, 0)]);
    let mut freed = vm.clone();
    freed.0.map(STRUCTS + CALLER * 0x1000, Vec::new());
    assert_eq!(freed.awaited(&waiter), Awaited::Moved);
}

#[test]
fn a_struct_that_is_another_ones_by_now_waits_for_no_process() {
    let with_id = |id: u64| after(|set, layout| set(layout.id, id));
    let same_place = pid(CALLER + (1 << SLOT_BITS));
    assert_eq!(with_id(same_place), Awaited::Moved, "the same place");
    assert_eq!(with_id(pid(STRANGER)), Awaited::Moved, "another place");
    assert_eq!(with_id(0), Awaited::Moved);
}

#[test]
fn one_that_worked_meanwhile_may_wait_for_another_one_by_now() {
    let (_, details) = layout();
    let reductions = details.reductions;
    assert_eq!(after(|set, _| set(reductions, 1)), Awaited::Moved);
    let state = |state: u32| after(|set, layout| set(layout.state, state.into()));
    assert_eq!(state(STATE_BUSY), Awaited::Moved);
    assert_eq!(state(0x2000), CALLED_ONE, "it has been sent something");
    assert_eq!(
        after(|set, layout| set(layout.htop, 0x9010)),
        Awaited::Moved
    );
    assert_eq!(after(|set, layout| set(layout.hend, 8)), Awaited::Moved);
}

#[test]
fn a_node_of_another_process_monitor_proves_nothing() {
    let with_node = |other: u64, number: u64| {
        let mut vm = Vm::new();
        vm.node(0, other, number, [0, 0]);
        vm.awaited(&vm.waiter(CALLER, &[reference(1, 0), pid(CALLED)]))
    };
    assert_eq!(with_node(pid(CALLED), 1), CALLED_ONE);
    assert_eq!(with_node(pid(STRANGER), 2), Awaited::Unproven);
    assert_eq!(with_node(pid(CALLER), 1), Awaited::Unproven, "on itself");
    assert_eq!(with_node(port(1), 1), Awaited::Unproven, "no process");
    assert_eq!(with_node(u64::MAX - 5, 1), Awaited::Unproven, "nowhere");
    assert_eq!(
        with_node(pid(STRANGER), 0x9000),
        Awaited::Unproven,
        "no key"
    );
}

#[test]
fn an_alias_of_its_own_is_no_awaited_process() {
    let mut vm = Vm::new();
    vm.node(0, pid(CALLED), 1, [node(1), 0]);
    vm.node(1, pid(CALLER), 2, [0, 0]);
    let asked = |variables: &[u64]| vm.awaited(&vm.waiter(CALLER, variables));
    assert_eq!(asked(&[reference(1, 0), reference(2, 0)]), CALLED_ONE);
    assert_eq!(asked(&[reference(1, 0), pid(CALLER)]), CALLED_ONE);
    assert_eq!(asked(&[pid(CALLER)]), Awaited::Unproven);
    assert_eq!(asked(&[reference(2, 0)]), Awaited::Unproven);
}

#[test]
fn two_that_a_frame_leads_to_are_none() {
    let mut vm = Vm::new();
    vm.node(0, pid(CALLED), 1, [node(1), 0]);
    vm.node(1, pid(STRANGER), 2, [0, 0]);
    let both = vm.waiter(CALLER, &[reference(1, 0), reference(2, 0)]);
    assert_eq!(vm.awaited(&both), Awaited::Unproven);
}

#[test]
fn a_tree_with_a_circle_proves_nothing_and_spoils_no_other() {
    for below in [[node(0), 0], [node(0), node(0)], [node(1), node(0)]] {
        let mut vm = Vm::new();
        vm.node(1, pid(CALLED), 1, [0, 0]);
        vm.process(STRANGER, |set, _| set(layout().1.monitors, node(1)));
        let waiters = [CALLER, STRANGER].map(|it| vm.waiter(it, &[reference(1, 0)]));
        vm.node(0, pid(CALLED), 1, below);
        let found = vm.look(|reader| reader.awaited(&waiters));
        assert_eq!(found, [Awaited::Unproven, CALLED_ONE], "{below:x?}");
    }
}

#[test]
fn links_in_a_circle_leave_open_whom_a_monitor_proves() {
    let mut vm = Vm::new();
    vm.process(CALLER, |set, _| set(layout().1.links, node(1)));
    vm.node(1, pid(STRANGER), 2, [0, 0]);
    let waiter = vm.waiter(CALLER, &[reference(1, 0)]);
    assert_eq!(vm.awaited(&waiter), CALLED_ONE);
    vm.node(1, pid(STRANGER), 2, [node(1), 0]);
    assert_eq!(vm.awaited(&waiter), Awaited::Unproven);
}

#[test]
fn a_tree_deeper_than_any_that_is_balanced_proves_nothing() {
    let with = |levels: u64| {
        let mut vm = Vm::new();
        for level in 0..levels {
            let next = if level + 1 < levels {
                node(level + 1)
            } else {
                0
            };
            // The wanted one is the last.
            let number = if next == 0 { 1 } else { 2 };
            vm.node(level, pid(CALLED), number, [next, 0]);
        }
        vm.awaited(&vm.waiter(CALLER, &[reference(1, 0)]))
    };
    assert_eq!(with(LEVELS as u64), CALLED_ONE);
    assert_eq!(with(LEVELS as u64 + 1), Awaited::Unproven);
    assert_eq!(with(3000), Awaited::Unproven);
}

#[test]
fn no_more_than_a_page_is_read_at_once() {
    let vm = Vm::new();
    let waiter = vm.waiter(CALLER, &[reference(1, 0)]);
    let waiters = vec![waiter; MAX_PAGE + 1];
    let found = vm.look(|reader| reader.awaited(&waiters));
    assert_eq!(found, vec![CALLED_ONE; MAX_PAGE]);
    let ports = vm.look(|reader| reader.awaited_ports(&waiters, |_| true));
    assert_eq!(ports.len(), MAX_PAGE);
}

/// A process that is suspended with a port among its arguments, and its struct in the last reading.
fn suspended(
    arguments: (u64, u64),
    after: impl FnOnce(&mut dyn FnMut(usize, u64), &ProcessLayout),
) -> Awaited<u64> {
    let mut vm = Vm::new();
    let state = u64::from(SUSPENDED);
    vm.process(CALLER, |set, layout| set(layout.state, state));
    vm.0.map_words(ARGUMENTS, &[0x3b, port(3), pid(CALLED)]);
    let mut waiter = vm.waiter(CALLER, &[]);
    (waiter.entry.arguments, waiter.entry.arity) = arguments;
    vm.process(CALLER, |set, layout| {
        set(layout.state, state);
        after(set, layout);
    });
    let is_busy = |word| word == port(3);
    let mut found = vm.look(|reader| reader.awaited_ports(&[waiter], is_busy));
    found.pop().unwrap()
}

#[test]
fn arguments_name_the_port_that_a_suspended_process_waits_for() {
    let arguments = (ARGUMENTS, 3);
    assert_eq!(suspended(arguments, |_, _| {}), Awaited::One(port(3)));
    let another = pid(CALLER + (1 << SLOT_BITS));
    assert_eq!(
        suspended(arguments, |set, layout| set(layout.id, another)),
        Awaited::Moved
    );
    assert_eq!(
        suspended(arguments, |set, layout| set(layout.state, FREE.into())),
        Awaited::Moved
    );
}

#[test]
fn arguments_that_cannot_be_read_or_are_too_many_prove_nothing() {
    for arguments in [
        (ARGUMENTS, 1),
        (ARGUMENTS, 1 << 60),
        (ARGUMENTS, u64::MAX),
        (0x66_0000, 3),
        (u64::MAX - 7, 3),
    ] {
        assert_eq!(suspended(arguments, |_, _| {}), Awaited::Unproven);
    }
}

#[test]
fn a_reference_that_is_kept_names_the_watched_process_and_a_pid_proves_nothing() {
    let vm = Vm::new();
    let kept = |variables: &[u64]| {
        let waiter = [vm.waiter(CALLER, variables)];
        vm.look(|reader| reader.kept_references(&waiter)).pop()
    };
    let called = Other::Here(pid(CALLED));
    assert_eq!(
        kept(&[0x3b, reference(1, 0)]),
        Some(Kept::MonitorOn(called))
    );
    assert_eq!(
        kept(&[reference(2, 0)]),
        Some(Kept::Reference),
        "of no monitor"
    );
    assert_eq!(kept(&[pid(CALLED), 0x3b]), Some(Kept::Nothing));
}

#[test]
fn the_only_pid_of_a_frame_is_another_process_and_no_second_one() {
    let vm = Vm::new();
    let only = |variables: &[u64]| vm.waiter(CALLER, variables).only_pid();
    let twice = [pid(CALLED), 0x3b, pid(CALLER), pid(CALLED)];
    assert_eq!(only(&twice), Some(pid(CALLED)));
    assert_eq!(only(&[pid(CALLED), pid(STRANGER)]), None);
    assert_eq!(only(&[pid(CALLER), port(CALLED)]), None);
}

#[test]
fn waiting_messages_name_who_sent_them() {
    const MESSAGES: u64 = 0x50_0000;
    const TUPLES: u64 = 0x60_0000;
    let tuple = |number: u64| TUPLES + number * 0x100 + 2;
    let mut vm = Vm::new();
    // A request, one of a pid within a list, an atom, and one whose term is nowhere.
    for (number, term, next) in [
        (0, tuple(0), 1),
        (1, tuple(1), 2),
        (2, 0x4b, 3),
        (3, 0x66_6002, 4),
        (4, tuple(2), 0),
    ] {
        let next = if next == 0 {
            0
        } else {
            MESSAGES + next * 0x100
        };
        vm.0.map_words(MESSAGES + number * 0x100, &[next, 0, term, 0, 0]);
    }
    vm.0.map_words(
        TUPLES,
        &[2 << 6, pid(CALLER), 0x4b, pid(STRANGER), 0, 0, 0, 0, 0],
    );
    vm.0.map_words(
        TUPLES + 0x100,
        &[1 << 6, 0x1001, pid(STRANGER), 0, 0, 0, 0, 0, 0],
    );
    // More elements than are read.
    vm.0.map_words(
        TUPLES + 0x200,
        &[1 << 50, 0x4b, 0x4b, 0, 0, 0, 0, 0, pid(CALLED)],
    );
    let (_, details) = layout();
    vm.process(CALLED, |set, _| set(details.mailbox_lists[0], MESSAGES));
    let named = |vm: &Vm| {
        let places = [
            (STRANGER, STRUCTS + STRANGER * 0x1000),
            (CALLED, STRUCTS + CALLED * 0x1000),
        ];
        vm.look(|reader| reader.named_in_messages(&places))
    };
    assert_eq!(
        named(&vm),
        [HashSet::new(), HashSet::from([pid(CALLER), pid(CALLED)])]
    );
    vm.process(CALLED, |set, layout| {
        set(details.mailbox_lists[0], MESSAGES);
        set(layout.state, STATE_BUSY.into());
    });
    assert_eq!(named(&vm), [HashSet::new(), HashSet::new()], "it works");
    vm.0.map_words(MESSAGES + 0x400, &[MESSAGES, 0, tuple(2), 0, 0]);
    vm.process(CALLED, |set, _| set(details.mailbox_lists[0], MESSAGES));
    assert_eq!(named(&vm)[1].len(), 2, "a list without an end");
}

/// The numbers of a reference.
const fn numbers(number: u64) -> Reference {
    [number << 32 | 0xffff_ffff, 7]
}

/// A heap fragment with a reference in it, and its words in use.
fn fragment(number: u64, used: u64) -> [u64; 8] {
    let [first, second] = numbers(number);
    [0, 0, 0, 3, used, 2 << 6 | 4 << 2, first, second]
}

fn held(vm: &Vm) -> HeldReferences {
    held_by(&vm.0, pid(CALLED))
}

/// Those of the process with that pid, at the place of the called one.
fn held_by(memory: &impl TargetMemory, id: u64) -> HeldReferences {
    let wanted: HashSet<Reference> = (1..9).map(numbers).collect();
    let place = (CALLED, STRUCTS + CALLED * 0x1000);
    look_in(memory, |reader| reader.held_references(place, id, &wanted))
}

/// A VM that is another one from the second reading of the called process on.
struct Changing {
    before: SnapshotMemory,
    after: SnapshotMemory,
    readings: Cell<u32>,
}

impl TargetMemory for Changing {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let is_of_process = address == STRUCTS + CALLED * 0x1000;
        self.readings
            .set(self.readings.get() + u32::from(is_of_process));
        match self.readings.get() {
            0 | 1 => self.before.read(address, buffer),
            _ => self.after.read(address, buffer),
        }
    }
}

#[test]
fn data_that_is_moved_while_it_is_read_may_have_more() {
    type Change = dyn Fn(&mut dyn FnMut(usize, u64), &ProcessLayout);
    let of = |change: &Change| {
        let mut vm = Vm::new();
        for heap in [0x9000, 0xb000] {
            vm.0.map_words(heap, &[0; 233]);
        }
        vm.process(CALLED, |set, layout| change(set, layout));
        vm.0
    };
    let is_whole = |after| {
        let memory = Changing {
            before: of(&|_, _| {}),
            after,
            readings: Cell::new(0),
        };
        held_by(&memory, pid(CALLED)).is_whole
    };
    assert!(is_whole(of(&|_, _| {})));
    let moved = of(&|set, layout| {
        for (offset, word) in [
            (layout.heap, 0xb000),
            (layout.htop, 0xb000),
            (layout.stop, 0xb740),
            (layout.hend, 0xb748),
        ] {
            set(offset, word);
        }
    });
    assert!(!is_whole(moved));
    assert!(
        !is_whole(of(&|set, layout| set(layout.htop, 0x9744))),
        "torn"
    );
    assert!(
        is_whole(of(&|set, layout| set(layout.id, 0))),
        "it has ended"
    );
}

#[test]
fn another_process_at_the_place_of_one_that_has_ended_is_not_read() {
    let mut vm = Vm::new();
    let mut block = [0; 233];
    block[100..102].copy_from_slice(&numbers(1));
    vm.0.map_words(0x9000, &block);
    vm.process(CALLED, |_, _| {});
    // Sixteen places: the next one that is started at that place.
    let ended = pid(CALLED + (1 << SLOT_BITS));
    assert_eq!(held(&vm).own, HashSet::from([numbers(1)]));
    let none = HeldReferences {
        is_whole: true,
        ..HeldReferences::default()
    };
    assert_eq!(held_by(&vm.0, ended), none);
    let place = (CALLED, STRUCTS + CALLED * 0x1000);
    let known = |id| vm.look(|reader| reader.relatives(place, id)).is_some();
    assert_eq!((known(pid(CALLED)), known(ended)), (true, false));
}

#[test]
fn a_process_has_the_references_in_its_data_and_has_yet_to_take_those_in_messages() {
    const HEAP: u64 = 0x9000;
    const FRAGMENT: u64 = 0x70_0000;
    const TAKEN: u64 = 0x71_0000;
    const BESIDE: u64 = 0x72_0000;
    const WAITING: u64 = 0x73_0000;
    let (_, details) = layout();
    let message = |next: u64, data: u64, of_message: [u64; 8]| {
        [&[next, data, 0x4b, 0, 0][..], &of_message].concat()
    };
    let mut vm = Vm::new();
    let none = HeldReferences {
        is_whole: true,
        ..HeldReferences::default()
    };
    assert_eq!(held(&vm), none, "it has ended");
    let mut block = [0; 233];
    block[100..102].copy_from_slice(&numbers(1));
    vm.0.map_words(HEAP, &block);
    vm.0.map_words(FRAGMENT, &fragment(2, 3));
    let next = TAKEN + 0x100;
    vm.0.map_words(TAKEN, &message(next, MESSAGE_WITH_FRAGMENT, fragment(3, 3)));
    vm.0.map_words(next, &message(0, BESIDE, [0; 8]));
    vm.0.map_words(BESIDE, &fragment(4, 3));
    vm.0.map_words(WAITING, &message(0, MESSAGE_WITH_FRAGMENT, fragment(5, 3)));
    vm.process(CALLED, |set, layout| {
        set(layout.state, STATE_BUSY.into());
        set(details.fragments, FRAGMENT);
        set(details.fragments + TAKEN_MESSAGES_BEHIND, TAKEN);
        set(details.mailbox_lists[0], WAITING);
    });
    let all = HeldReferences {
        own: (1..5).map(numbers).collect(),
        waiting: HashSet::from([numbers(5)]),
        is_whole: true,
    };
    assert_eq!(held(&vm), all);
    // The last word of the reference is beyond those in use; one that was freed since then.
    vm.0.map_words(FRAGMENT, &fragment(2, 2));
    vm.0.map_words(BESIDE, &fragment(4, 9));
    let some = HeldReferences {
        own: HashSet::from([numbers(1), numbers(3)]),
        is_whole: false,
        ..all
    };
    assert_eq!(held(&vm), some);
}

#[test]
fn a_part_that_is_longer_than_what_is_read_is_not_whole() {
    const HEAP: u64 = 0x4000_0000;
    const WORDS: u64 = (4 << 20) / 8;
    let mut vm = Vm::new();
    let [first, second] = numbers(1);
    let mut words = vec![0; WORDS as usize];
    words.extend([first, second, 0]);
    vm.0.map_words(HEAP, &words);
    for (more, is_whole) in [(0, true), (3, false)] {
        let end = HEAP + (WORDS + more) * 8;
        vm.process(CALLED, |set, layout| {
            for (offset, word) in [
                (layout.heap, HEAP),
                (layout.htop, HEAP),
                (layout.stop, end),
                (layout.hend, end),
                (layout.heap_size_words, WORDS + more),
            ] {
                set(offset, word);
            }
        });
        let found = held(&vm);
        assert_eq!((found.own.len(), found.is_whole), (0, is_whole));
    }
}
