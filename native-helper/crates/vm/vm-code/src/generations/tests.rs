use super::super::blob::tests::module_blob;
use super::*;
use target_memory::{ByteBudget, ReadError, ReadErrorKind, SnapshotMemory};

const DESCRIPTOR: Descriptor = Descriptor { address: 0x100 };
const CODE_INDEX: u64 = 0x8000_0000;

fn emulator_blob() -> Vec<u8> {
    [0u64, 0, 0xe417, 0]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

/// Modules newest first as (blob), then the emulator record.
fn vm(blobs: &[Vec<u8>]) -> SnapshotMemory {
    let mut memory = SnapshotMemory::new();
    let all: Vec<Vec<u8>> = blobs.iter().cloned().chain([emulator_blob()]).collect();
    let entry = |index: usize| 0x1000 * (all.len() - index) as u64;
    memory.map_words(0x100, &[1, 0, entry(0)]);
    for (index, blob) in all.iter().enumerate() {
        let next = if index + 1 < all.len() {
            entry(index + 1)
        } else {
            0
        };
        let previous = if index > 0 { entry(index - 1) } else { 0 };
        let at = 0x10_0000 + entry(index);
        memory
            .map_words(entry(index), &[next, previous, at, blob.len() as u64])
            .map(at, blob.clone());
    }
    memory
}

fn name_at(code: &CodeGenerations, pc: u64) -> String {
    match code.locate(pc) {
        Located::Known(location) => location.name.raw().to_owned(),
        other => format!("{other:?}"),
    }
}

/// Start, end, name, lines.
type RangeFacts = (u32, u32, &'static str, &'static [(u32, u32)]);
const OLD: [RangeFacts; 1] = [(0, 64, "m:old/0", &[])];
const NEW: [RangeFacts; 1] = [(0, 64, "m:new/0", &[])];

/// Why an address is not named, as `name_at` spells it.
const BETWEEN: &str = "Ambiguous(BetweenReadings)";
const BEFORE: &str = "Ambiguous(BeforeReadings)";
const PURGED: &str = "Ambiguous(JustPurged)";
const ENDING: &str = "Ambiguous(Ending)";

fn refresh(code: &mut CodeGenerations, memory: &SnapshotMemory, now_ns: u64) -> bool {
    code.refresh(memory, &|| now_ns).unwrap()
}

fn name_then(code: &mut CodeGenerations, time_ns: u64, pc: u64) -> String {
    code.look_at(Moment {
        time_ns,
        ..Moment::default()
    });
    name_at(code, pc)
}

#[test]
fn between_two_looks_an_address_of_two_generations_is_not_named() {
    let old = module_blob("m", 0x50_0000, 64, &OLD);
    let other = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
    let memory = vm(&[old.clone(), other.clone()]);
    let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
    assert_eq!(code.normal_exit, 0xe417);
    assert!(!refresh(&mut code, &memory, 1000));

    let memory = vm(&[module_blob("m", 0x50_0000, 64, &NEW), old, other]);
    assert!(refresh(&mut code, &memory, 2000));
    assert!(!refresh(&mut code, &memory, 3000));
    for (time_ns, name) in [
        (1000, "m:old/0"),
        (1001, BETWEEN),
        (1999, BETWEEN),
        (2000, "m:new/0"),
        (9000, "m:new/0"),
    ] {
        assert_eq!(name_then(&mut code, time_ns, 0x50_0000), name, "{time_ns}");
        assert_eq!(name_then(&mut code, time_ns, 0x60_0000), "n:f/0");
    }
}

#[test]
fn where_a_process_ends_an_address_that_had_two_generations_is_not_named() {
    let memory = |ranges: &[RangeFacts]| vm(&[module_blob("m", 0x50_0000, 64, ranges)]);
    let mut code = CodeGenerations::read(&memory(&OLD), DESCRIPTOR).unwrap();
    assert!(!refresh(&mut code, &memory(&OLD), 1000));
    assert!(refresh(&mut code, &memory(&NEW), 2000));
    let mut name_of = |time_ns, is_ending| {
        code.look_at(Moment {
            time_ns,
            is_ending,
            ..Moment::default()
        });
        name_at(&code, 0x50_0000)
    };
    assert_eq!(name_of(3000, false), "m:new/0");
    assert_eq!(name_of(3000, true), ENDING);
    // It is gone for good by then.
    assert_eq!(name_of(2001 + ENDING_NS, true), "m:new/0");
}

#[test]
fn what_was_sampled_while_the_list_could_not_be_read_is_not_named() {
    let whole = vm(&[module_blob("m", 0x50_0000, 64, &OLD)]);
    let mut code = CodeGenerations::read(&whole, DESCRIPTOR).unwrap();
    assert!(!refresh(&mut code, &whole, 1000));
    assert!(code.refresh(&SnapshotMemory::new(), &|| 2000).is_err());
    assert_eq!(name_then(&mut code, 1000, 0x50_0000), "m:old/0");
    assert_eq!(name_then(&mut code, 1001, 0x50_0000), BETWEEN);
    assert!(!refresh(&mut code, &whole, 3000));
    assert_eq!(name_then(&mut code, 1001, 0x50_0000), "m:old/0");
    // The last known code of a target that has ended was there to the end.
    assert!(code.refresh(&Gone, &|| 4000).is_err());
    assert_eq!(name_then(&mut code, 3500, 0x50_0000), "m:old/0");
}

#[test]
fn while_the_list_cannot_be_read_the_code_index_alone_names_nothing() {
    // An index that is the same may have gone round.
    for index_then in [1, 2, 0] {
        let mut memory = vm(&[module_blob("m", 0x50_0000, 64, &OLD)]);
        memory.map(CODE_INDEX, vec![1, 0, 0, 0]);
        let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
        code.watch_code_index(&memory, Some(CODE_INDEX));
        assert!(!refresh(&mut code, &memory, 1000));
        let mut only_index = SnapshotMemory::new();
        only_index.map(CODE_INDEX, vec![index_then, 0, 0, 0]);
        assert!(code.refresh(&only_index, &|| 2000).is_err());
        assert_eq!(name_then(&mut code, 1500, 0x50_0000), BETWEEN);
        assert_eq!(name_then(&mut code, 1500, 0x70_0000), BETWEEN);
    }
}

/// The memory of a target that has ended.
struct Gone;

impl TargetMemory for Gone {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        Err(ReadError::new(address, buffer.len(), ReadErrorKind::Gone))
    }
}

#[test]
fn code_that_came_or_went_is_named_when_nothing_else_can_have_been_there() {
    let gone = module_blob("m", 0x50_0000, 64, &OLD);
    let came = module_blob("m", 0x70_0000, 64, &NEW);
    let stays = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
    // (advances of the code index, time between the readings, whether it is named)
    for (loads, nanoseconds, named) in [
        (Some(1), 1_000_000, true),
        (Some(2), 1_000_000, false),
        (Some(1), 50_000_000, false),
        (None, 1_000_000, false),
    ] {
        let mut memory = vm(&[gone.clone(), stays.clone()]);
        memory.map(CODE_INDEX, vec![2, 0, 0, 0]);
        let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
        code.watch_code_index(&memory, loads.map(|_| CODE_INDEX));
        assert!(!refresh(&mut code, &memory, 10));
        let mut memory = vm(&[came.clone(), stays.clone()]);
        memory.map(CODE_INDEX, vec![(2 + loads.unwrap_or(0)) % 3, 0, 0, 0]);
        assert!(refresh(&mut code, &memory, 10 + nanoseconds));
        let expected = |name: &str| if named { name } else { BETWEEN }.to_owned();
        assert_eq!(name_then(&mut code, 11, 0x50_0000), expected("m:old/0"));
        assert_eq!(name_then(&mut code, 11, 0x70_0000), expected("m:new/0"));
        assert_eq!(name_then(&mut code, 11, 0x60_0000), "n:f/0");
    }
}

fn running_at(pc: u64, code_index: u64) -> Option<Running> {
    Some(Running { pc, code_index })
}

#[test]
fn code_in_the_place_of_other_code_runs_only_after_the_code_index_went_on() {
    let fragments = module_blob(
        "global",
        0x90_0000,
        64,
        &[(0, 64, "global::garbage_collect", &[])],
    );
    let prepared = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
    let old = [
        module_blob("m", 0x50_0000, 64, &OLD),
        prepared.clone(),
        fragments.clone(),
    ];
    let new = [
        module_blob("m", 0x50_0000, 64, &NEW),
        old[0].clone(),
        prepared,
        fragments,
    ];
    let in_module = |code_index| running_at(0x60_0000, code_index);
    let in_fragments = |code_index| running_at(0x90_0010, code_index);
    // (advances of the code index, time between the readings, running code, expected owner)
    for (loads, nanoseconds, running, name) in [
        (0, 1_000_000, None, "m:old/0"),
        (0, 50_000_000, None, BETWEEN),
        (1, 1_000_000, None, BETWEEN),
        (1, 1_000_000, in_module(2), "m:old/0"),
        (2, 1_000_000, in_module(2), "m:old/0"),
        (1, 50_000_000, in_module(2), BETWEEN),
        (1, 1_000_000, in_module(0), BETWEEN),
        (1, 1_000_000, in_module(3), BETWEEN),
        (1, 1_000_000, in_module(1 << 32 | 2), BETWEEN),
        (1, 1_000_000, in_fragments(2), BETWEEN),
    ] {
        let mut memory = vm(&old);
        memory.map(CODE_INDEX, vec![2, 0, 0, 0]);
        let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
        code.watch_code_index(&memory, Some(CODE_INDEX));
        let name_of = |code: &mut CodeGenerations, time_ns| {
            code.look_at(Moment {
                time_ns,
                running,
                is_ending: false,
            });
            name_at(code, 0x50_0000)
        };
        assert!(!refresh(&mut code, &memory, 10));
        let mut memory = vm(&new);
        memory.map(CODE_INDEX, vec![(2 + loads) % 3, 0, 0, 0]);
        assert!(refresh(&mut code, &memory, 10 + nanoseconds));
        // Where the register is not known to contain the index, it is not used.
        let unknown = if loads == 0 { name } else { BETWEEN };
        assert_eq!(name_of(&mut code, 11), unknown, "{loads} {running:x?}");
        code.expect_code_index_in_register();
        assert_eq!(name_of(&mut code, 11), name, "{loads} {running:x?}");
        assert_eq!(name_of(&mut code, 10), "m:old/0");
        assert_eq!(name_of(&mut code, 10 + nanoseconds), "m:new/0");
    }
}

/// The name of `0x50_0000` between two readings, when a process runs with code index 2, as at the
/// first.
fn name_between(indices_seen: &[u32], new: &[Vec<u8>]) -> String {
    let fragments: RangeFacts = (0, 64, "global::garbage_collect", &[]);
    let before = [
        module_blob("m", 0x50_0000, 64, &OLD),
        module_blob("global", 0x90_0000, 64, &[fragments]),
    ];
    let mut memory = vm(&before);
    memory.map(CODE_INDEX, vec![2, 0, 0, 0]);
    let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
    code.watch_code_index(&memory, Some(CODE_INDEX));
    code.expect_code_index_in_register();
    assert!(!refresh(&mut code, &memory, 10));
    let mut at_ns = 10;
    for index in indices_seen {
        at_ns += 1_000_000;
        code.note_code_index(at_ns, Some(*index));
    }
    let mut memory = vm(&[new, &before].concat());
    let last = indices_seen.last().map_or(2, |index| *index as u8);
    memory.map(CODE_INDEX, vec![last, 0, 0, 0]);
    assert!(refresh(&mut code, &memory, at_ns + 1_000_000));
    code.look_at(Moment {
        time_ns: at_ns + 1,
        running: Some(Running {
            pc: 0x60_0000,
            code_index: 2,
        }),
        is_ending: false,
    });
    name_at(&code, 0x50_0000)
}

#[test]
fn a_code_index_that_has_gone_round_does_not_show_whose_code_runs() {
    let new = module_blob("m", 0x50_0000, 64, &NEW);
    let other = |index: u64| module_blob("n", 0x60_0000 + index * 64, 64, &OLD);
    let one = std::slice::from_ref(&new);
    assert_eq!(name_between(&[0], one), "m:old/0");
    assert_eq!(name_between(&[0, 1], one), "m:old/0");
    // It was seen to go round.
    let three = [new.clone(), other(0), other(1)];
    assert_eq!(name_between(&[0, 1, 2], &three), BETWEEN);
    // It was not, but the list has three modules more.
    assert_eq!(name_between(&[2], one), "m:old/0");
    assert_eq!(name_between(&[2], &three), BETWEEN);
    assert_eq!(name_between(&[], &three), BETWEEN);
}

#[test]
fn machine_code_that_is_gone_is_remembered_and_of_two_generations_must_agree() {
    let decoded = |code: &mut CodeGenerations, memory: &SnapshotMemory, time_ns: u64| {
        code.look_at(Moment {
            time_ns,
            ..Moment::default()
        });
        code.decode_code(memory, 0x50_0000, 2, <[u8]>::to_vec)
    };
    let stage = |ranges, bytes: [u8; 2]| {
        let mut memory = vm(&[module_blob("m", 0x50_0000, 64, ranges)]);
        memory.map(0x50_0000, [&bytes[..], &[0; 62]].concat());
        memory
    };
    // Read before the watching began, so from memory, and only as long as memory has it. Code that
    // was read in time is remembered.
    let first = stage(&OLD, [1, 1]);
    let mut code = CodeGenerations::read(&first, DESCRIPTOR).unwrap();
    assert_eq!(decoded(&mut code, &first, 5), Some(vec![1, 1]));
    let mut late = CodeGenerations::read(&first, DESCRIPTOR).unwrap();
    let second = stage(&NEW, [2, 2]);
    assert!(refresh(&mut code, &second, 10));
    let third = stage(&OLD, [3, 3]);
    assert!(refresh(&mut code, &third, 20));
    let fourth = stage(&NEW, [3, 3]);
    assert!(refresh(&mut code, &fourth, 30));
    for (at_ns, memory) in [(10, &second), (20, &third), (30, &fourth)] {
        assert!(refresh(&mut late, memory, at_ns));
    }
    assert_eq!(decoded(&mut late, &fourth, 0), None);
    for (time_ns, bytes) in [
        (0, Some(vec![1, 1])),
        (10, Some(vec![2, 2])),
        (15, None),
        (20, Some(vec![3, 3])),
        (25, Some(vec![3, 3])),
    ] {
        assert_eq!(decoded(&mut code, &fourth, time_ns), bytes, "{time_ns}");
    }
}

#[test]
fn past_states_are_kept_for_samples_that_arrive_late() {
    let blobs = [OLD, NEW].map(|ranges| module_blob("m", 0x50_0000, 64, &ranges));
    let mut code = CodeGenerations::read(&vm(&blobs[..1]), DESCRIPTOR).unwrap();
    for second in 1..30 {
        let memory = vm(&blobs[second % 2..][..1]);
        assert!(refresh(&mut code, &memory, second as u64 * 1_000_000_000));
        assert!(!refresh(
            &mut code,
            &memory,
            second as u64 * 1_000_000_000 + 500
        ));
    }
    for second in 20..30 {
        let name = ["m:old/0", "m:new/0"][second % 2];
        let time_ns = second as u64 * 1_000_000_000 + 200;
        assert_eq!(name_then(&mut code, time_ns, 0x50_0000), name);
    }
    assert!(code.states.len() <= 12);
    // Of the time before nothing is known, unless it is the same in all states that are.
    assert_eq!(name_then(&mut code, 3_000_000_200, 0x50_0000), BEFORE);
}

#[test]
fn what_came_after_a_forgotten_time_did_not_run_then() {
    let there = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
    let memory = vm(std::slice::from_ref(&there));
    let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
    // The first reading ends long after sampling began, and finds code that was not there at that
    // time.
    let came = module_blob("m", 0x50_0000, 64, &NEW);
    let long_after = 2 * KEPT_NS;
    let memory = vm(&[came.clone(), there.clone()]);
    assert!(refresh(&mut code, &memory, long_after));
    let another = module_blob("o", 0x70_0000, 64, &OLD);
    assert!(refresh(
        &mut code,
        &vm(&[another, came, there]),
        long_after + 1
    ));
    assert_eq!(name_then(&mut code, 1000, 0x50_0000), BEFORE);
    assert_eq!(name_then(&mut code, 1000, 0x60_0000), "n:f/0");
}

#[test]
fn a_blob_that_took_the_place_of_another_is_read_again_however_old_its_entry_looks() {
    let filler = |index: u64| {
        let base = 0x100_0000 + index * 0x1000;
        module_blob(&format!("f{index}"), base, 64, &[(0, 64, "f:f/0", &[])])
    };
    let mut blobs: Vec<Vec<u8>> = (0..40).map(filler).collect();
    let mut code = CodeGenerations::read(&vm(&blobs), DESCRIPTOR).unwrap();
    // Same length, another place; and the newest is another too, so that it is noticed.
    blobs[30] = module_blob("f30", 0x900_0000, 64, &[(0, 64, "f:g/0", &[])]);
    blobs[0] = module_blob("f0", 0x910_0000, 64, &[(0, 64, "f:h/0", &[])]);
    assert!(refresh(&mut code, &vm(&blobs), 5));
    assert_eq!(name_then(&mut code, 5, 0x900_0000), "f:g/0");
    let gone = name_then(&mut code, 5, 0x100_0000 + 30 * 0x1000);
    assert_eq!(gone, PURGED, "it may have been purged just now");
}

#[test]
fn code_for_which_there_is_no_room_is_an_error_and_not_left_out() {
    let module = |base, lines: u32| {
        let lines: Vec<(u32, u32)> = (0..lines).map(|line| (line % 64, 1)).collect();
        module_blob("m", base, 64, &[(0, 64, "m:f/0", &lines)])
    };
    let budget = ByteBudget::of(1 << 20);
    let mut memory = vm(&[module(0x50_0000, 10)]);
    memory.within(budget.clone());
    let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
    let held = budget.held_bytes();
    assert!(held > 0, "what is kept is counted");

    let mut memory = vm(&[module(0x60_0000, 30_000), module(0x50_0000, 10)]);
    memory.within(budget.clone());
    let error = code.refresh(&memory, &|| 2000).unwrap_err().to_string();
    assert!(error.contains("more of its loaded code"), "{error}");
    assert_eq!(budget.held_bytes(), held, "nothing is left of the try");
    assert_eq!(name_then(&mut code, 3000, 0x60_0000), BETWEEN);
    drop(code);
    assert_eq!(budget.held_bytes(), 0);
}

#[test]
fn machine_code_that_is_kept_is_within_the_budget() {
    let budget = ByteBudget::of(8 << 20);
    let old = module_blob("m", 0x50_0000, 64, &OLD);
    let new = |index: u64| {
        let base = 0x1_0000_0000 + (index << 20);
        module_blob(
            &format!("m{index}"),
            base,
            1 << 20,
            &[(0, 64, "m:f/0", &[])],
        )
    };
    let mut memory = vm(std::slice::from_ref(&old));
    memory.within(budget.clone());
    let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
    let mut blobs: Vec<Vec<u8>> = (0..20).map(new).collect();
    blobs.push(old);
    let mut memory = vm(&blobs);
    memory
        .map(0x1_0000_0000, vec![0x90; 20 << 20])
        .within(budget.clone());
    // Of twenty megabytes, the part that fits into half of eight is kept; all modules are known.
    assert!(refresh(&mut code, &memory, 2000));
    assert!((4 << 20..6 << 20).contains(&budget.held_bytes()));
    let kept = code
        .current()
        .modules()
        .filter(|module| module.machine_code.is_whole());
    assert_eq!(kept.count(), 4);
    assert_eq!(code.current().modules().count(), 21);
}

/// Entries of the list in [`beside`].
const NEWER: u64 = 0x4000;
const BYSTANDER: u64 = 0x3000;
const OLDER: u64 = 0x2000;
const EMULATOR: u64 = 0x1000;

fn of_module(name: &str, base: u64) -> Vec<u8> {
    let function = format!("{name}:f/0");
    module_blob(name, base, 64, &[(0, 64, &function, &[])])
}

/// A VM with a module that nothing happens to, at `0x60_0000`, one that is newer and one that is
/// older.
fn beside(newer: &[Vec<u8>], code_index: u8) -> SnapshotMemory {
    let modules = [
        of_module("newer", 0x65_0000),
        of_module("n", 0x60_0000),
        of_module("older", 0x50_0000),
    ];
    let mut memory = vm(&[newer, &modules].concat());
    memory.map(CODE_INDEX, vec![code_index, 0, 0, 0]);
    memory.map(0x60_0000, vec![7; 64]);
    memory
}

/// Makes an entry of the list lead to another one, and back.
fn link(memory: &mut SnapshotMemory, at: u64, next: u64, previous: u64) {
    let blob: Vec<u64> = [16, 24].map(|of| memory.read_u64(at + of).unwrap()).into();
    memory.map_words(at, &[next, previous, blob[0], blob[1]]);
}

fn read_with_index(memory: &SnapshotMemory) -> CodeGenerations {
    let mut code = CodeGenerations::read(memory, DESCRIPTOR).unwrap();
    code.watch_code_index(memory, Some(CODE_INDEX));
    assert!(!refresh(&mut code, memory, 10));
    code
}

fn decoded_of_bystander(code: &mut CodeGenerations, memory: &SnapshotMemory) -> Option<u8> {
    code.look_at(Moment {
        time_ns: 5,
        ..Moment::default()
    });
    code.decode_code(memory, 0x60_0010, 4, |bytes| bytes[0])
}

#[test]
fn code_of_a_module_that_stays_is_read_while_others_come_and_go() {
    let mut code = read_with_index(&beside(&[], 0));
    // Others came since the last reading of the list, and one went.
    let came = [of_module("came", 0x70_0000), of_module("new", 0x71_0000)];
    let mut now = beside(&came, 2);
    link(&mut now, BYSTANDER, EMULATOR, NEWER);
    link(&mut now, EMULATOR, 0, BYSTANDER);
    assert_eq!(decoded_of_bystander(&mut code, &now), Some(7));
    // Code that was proven once needs no memory any longer, in whichever state it is looked up.
    assert!(refresh(&mut code, &now, 20));
    let nothing = SnapshotMemory::new();
    assert_eq!(decoded_of_bystander(&mut code, &nothing), Some(7));
}

#[test]
fn code_is_not_taken_for_that_of_a_module_that_may_be_gone() {
    let came = [of_module("came", 0x70_0000)];
    let many: Vec<_> = (0..100)
        .map(|index| of_module(&format!("m{index}"), 0x70_0000 + index * 64))
        .collect();
    // Its entry and its description are still in memory, but one neighbour leads past it.
    let mut taken_out = [beside(&came, 2), beside(&came, 2)];
    link(&mut taken_out[0], NEWER, OLDER, 0);
    link(&mut taken_out[1], OLDER, EMULATOR, NEWER);
    let mut other_blob = beside(&came, 2);
    other_blob.map(0x10_0000 + BYSTANDER, of_module("N", 0x60_0000));
    let mut first = beside(&[], 2);
    first.map_words(0x100, &[1, 0, BYSTANDER]);
    link(&mut first, BYSTANDER, OLDER, 0);
    let [before_it, behind_it] = taken_out;
    for (what, now) in [
        ("replaced", beside(&[of_module("n", 0x70_0000)], 2)),
        ("overlaid", beside(&[of_module("thief", 0x60_0000)], 2)),
        (
            "overlaid in part",
            beside(&[of_module("thief", 0x60_0020)], 2),
        ),
        ("too much to look through", beside(&many, 2)),
        ("not led to from before it", before_it),
        ("not led to from behind it", behind_it),
        ("another description", other_blob),
        ("perhaps here once more", first),
        ("no list", SnapshotMemory::new()),
    ] {
        let mut code = read_with_index(&beside(&[], 0));
        assert_eq!(decoded_of_bystander(&mut code, &now), None, "{what}");
        // Nothing of it was kept.
        assert_eq!(decoded_of_bystander(&mut code, &beside(&[], 0)), Some(7));
    }
}

#[test]
fn a_module_stays_the_same_when_the_one_behind_it_in_the_list_goes() {
    let mut memory = beside(&[of_module("came", 0x70_0000)], 0);
    let mut code = read_with_index(&memory);
    let identity = code.current().identity_at(0x60_0000);
    link(&mut memory, BYSTANDER, EMULATOR, NEWER);
    link(&mut memory, EMULATOR, 0, BYSTANDER);
    memory.map(CODE_INDEX, vec![1, 0, 0, 0]);
    assert!(refresh(&mut code, &memory, 20));
    assert_eq!(code.current().identity_at(0x60_0000), identity);
    assert_eq!(code.current().identity_at(0x50_0000), None);
    // Between the two readings, too.
    assert_eq!(name_then(&mut code, 15, 0x60_0000), "n:f/0");
}

/// A list of such entries, newest first, and the emulator's record.
fn list_of(entries: &[(u64, Vec<u8>)]) -> SnapshotMemory {
    let all: Vec<_> = entries
        .iter()
        .cloned()
        .chain([(EMULATOR, emulator_blob())])
        .collect();
    let mut memory = SnapshotMemory::new();
    memory.map_words(0x100, &[1, 0, all[0].0]);
    for (index, (entry, blob)) in all.iter().enumerate() {
        let next = all.get(index + 1).map_or(0, |(entry, _)| *entry);
        let previous = index.checked_sub(1).map_or(0, |before| all[before].0);
        let at = 0x10_0000 + entry;
        memory
            .map_words(*entry, &[next, previous, at, blob.len() as u64])
            .map(at, blob.clone());
    }
    memory
}

#[test]
fn an_entry_that_stands_before_a_new_one_is_read_again_however_known_it_looks() {
    let kept = (0x2000, of_module("n", 0x60_0000));
    let generation = |ranges| (0x3000, module_blob("m", 0x50_0000, 64, ranges));
    let before = list_of(&[generation(&OLD), kept.clone()]);
    let mut code = CodeGenerations::read(&before, DESCRIPTOR).unwrap();
    let identity = code.current().identity_at(0x60_0000);
    // More new ones than are always read, then the entry of the old generation, for another one of
    // which the description begins in the same way, then one more that is new.
    let others = |from: u64, count: u64| {
        (from..from + count).map(|index| {
            let base = 0x70_0000 + index * 64;
            (
                0x8000 + index * 0x100,
                of_module(&format!("f{index}"), base),
            )
        })
    };
    let after: Vec<_> = others(0, 20)
        .chain([generation(&NEW)])
        .chain(others(20, 1))
        .chain([kept])
        .collect();
    assert!(refresh(&mut code, &list_of(&after), 10));
    assert_eq!(name_then(&mut code, 10, 0x50_0000), "m:new/0");
    assert_eq!(code.current().identity_at(0x60_0000), identity);
}

#[test]
fn a_vm_that_lists_what_it_purged_for_ever_takes_no_more_room_with_each_load() {
    let mut entries = vec![(0x2000, of_module("n", 0x60_0000))];
    let mut code = CodeGenerations::read(&list_of(&entries), DESCRIPTOR).unwrap();
    let identity = code.current().identity_at(0x60_0000);
    for load in 0..100 {
        // Two places, one after the other.
        let blob = of_module("m", 0x70_0000 + load % 2 * 0x100);
        entries.insert(0, (0x1_0000 + load * 0x100, blob));
        assert!(refresh(&mut code, &list_of(&entries), 1000 * (load + 1)));
        assert!(code.listed.len() <= 6, "{} after {load}", code.listed.len());
    }
    assert_eq!(name_then(&mut code, 100_000, 0x70_0000), "m:f/0");
    assert_eq!(name_then(&mut code, 100_000, 0x70_0100), "m:f/0");
    assert_eq!(code.current().identity_at(0x60_0000), identity);
}
