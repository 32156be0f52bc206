use super::*;
use crate::blob::NewRange;
use crate::code_map::CodeMap;
use proptest::prelude::*;
use std::cell::Cell;
use target_memory::{ReadError, ReadErrorKind, SnapshotMemory};
use vm_layout::emulator_image::EmulatorImage;
use vm_layout::emulator_image::ImageRanges;

const LAYOUT: InterpreterLayout = InterpreterLayout {
    line_table: 72,
    functions: 88,
    thread: 40,
    stack_bottom: vm_layout::StackBottom::In("beam_apply", 8),
};
const ATOMS: u64 = 0x1000;
const INDEX: u64 = 0x8000;
const ACTIVE: u64 = 0x8100;
const NAMES: [&str; 6] = ["false", "true", "m", "f", "g", "inc/other.hrl"];

fn atom(index: u64) -> u64 {
    index << 6 | 0xb
}

fn with_atoms() -> SnapshotMemory {
    let mut memory = SnapshotMemory::new();
    let mut table = vec![0u64; 16];
    (table[14], table[15]) = ((NAMES.len() as u64) << 32 | 1_048_576, 0x2000);
    memory.map_words(ATOMS, &table).map_words(0x2000, &[0x3000]);
    let pointers: Vec<u64> = (0..1024).map(|index| 0x10_000 + index * 0x100).collect();
    memory.map_words(0x3000, &pointers);
    for (index, name) in NAMES.iter().enumerate() {
        let at = 0x10_000 + index as u64 * 0x100;
        memory
            .map_words(at, &[0, 0, index as u64, name.len() as u64, at + 0x80])
            .map(at + 0x80, name.as_bytes().to_vec());
    }
    memory
}

/// m:f/2 and m:g/0 of ten words each, with lines at `lines` when that is not 0.
fn image(base: u64, lines: u64) -> Vec<u64> {
    let mut words = vec![0; 11];
    (words[0], words[9]) = (2, lines);
    let first = base + (11 + 3) * 8;
    words.extend([first, first + 80, first + 160]);
    for (name, arity) in [(3, 2), (4, 0)] {
        words.extend([0, 0, atom(2), atom(name), arity, 1, 2, 3, 4, 5]);
    }
    words
}

/// One module at `base` in all three copies.
fn vm(base: u64) -> SnapshotMemory {
    let mut memory = with_atoms();
    let words = image(base, 0x5000);
    let end = base + words.len() as u64 * 8;
    let copy = [0x40_000, 1, 8, 0x40_000];
    memory
        .map_words(INDEX, &[copy, copy, copy].concat())
        .map_words(ACTIVE, &[1])
        .map_words(0x40_000, &[base, end])
        .map_words(base, &words);
    let f = base + 14 * 8;
    let g = f + 80;
    // f: head at line 10, line 12 of the other file; g: head at line 20, nothing, line 21.
    memory
        .map_words(0x5000, &[0x5100, 4, 0x5200, 0x5300, 0x5310, 0x5328])
        .map_words(0x5100, &[atom(5)])
        .map_words(0x5200, &[10 | (1 << 24 | 12) << 32, 20, 21])
        .map_words(0x5300, &[f, f + 56, g, g + 48, g + 64, g + 80]);
    memory
}

fn ranges() -> ModuleRanges {
    ModuleRanges::new(INDEX, Some(ACTIVE), LAYOUT, AtomTable::new(ATOMS))
}

#[test]
fn a_module_has_its_functions_and_lines() {
    let memory = vm(0x20_0000);
    let mut ranges = ranges();
    let modules = ranges.reload(&memory, &|| 0).unwrap().unwrap().modules;
    assert!(!ranges.changed(&memory).unwrap());
    let module = &modules[0];
    assert_eq!(&*module.name, "m");
    let names: Vec<&str> = module
        .ranges
        .iter()
        .map(|range| module.range_name(range))
        .collect();
    assert_eq!(names, ["m:f/2", "m:g/0"]);
    let lines = |index: usize| -> Vec<(u32, u16)> {
        module
            .range_lines(&module.ranges[index])
            .iter()
            .map(|entry| (entry.line, entry.file))
            .collect()
    };
    assert_eq!(
        (lines(0), lines(1)),
        (vec![(10, 0), (12, 1)], vec![(20, 0), (21, 0)])
    );
    assert_eq!(*module.files, ["m.erl".into(), "inc/other.hrl".into()]);
}

#[test]
fn a_module_that_takes_the_place_of_another_is_noticed() {
    let mut ranges = ranges();
    let before = ranges
        .reload(&vm(0x20_0000), &|| 0)
        .unwrap()
        .unwrap()
        .modules;
    let mut memory = vm(0x20_0000);
    // The same bounds, another line table.
    memory.map_words(0x20_0000, &image(0x20_0000, 0));
    assert!(ranges.changed(&memory).unwrap());
    let after = ranges.reload(&memory, &|| 0).unwrap().unwrap().modules;
    assert!(!Arc::ptr_eq(&before[0], &after[0]));
    assert!(after[0].lines.is_empty());
}

/// A memory of which one read fails.
struct FailsOnce<'a> {
    memory: &'a SnapshotMemory,
    left: Cell<u32>,
}

impl TargetMemory for FailsOnce<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let left = self.left.get();
        self.left.set(left.wrapping_sub(1));
        match left {
            0 => Err(ReadError::new(
                address,
                buffer.len(),
                ReadErrorKind::Unmapped,
            )),
            _ => self.memory.read(address, buffer),
        }
    }
}

#[test]
fn a_read_that_fails_leaves_out_no_module_and_no_line() {
    let memory = vm(0x20_0000);
    let whole = ranges().reload(&memory, &|| 0).unwrap().unwrap().modules;
    let mut failed = 0;
    loop {
        let memory = FailsOnce {
            memory: &memory,
            left: Cell::new(failed),
        };
        let mut ranges = ranges();
        let read = ranges.reload(&memory, &|| 0);
        let has_failed = memory.left.get() > failed;
        assert_eq!(
            matches!(read, Err(TableError::Read(_))),
            has_failed,
            "read {failed}: {read:?}"
        );
        let Err(_) = read else {
            assert_eq!(read.unwrap().unwrap().modules, whole);
            break;
        };
        // The next try has all of it.
        let modules = ranges.reload(&memory, &|| 0).unwrap().unwrap().modules;
        assert_eq!(modules, whole, "read {failed}");
        failed += 1;
    }
    assert!(failed > 20, "{failed} reads");
}

#[test]
fn code_of_a_module_that_is_none_is_known_to_be_code() {
    let base = 0x20_0000;
    let mut memory = vm(base);
    // More functions than the image has words.
    let mut words = image(base, 0x5000);
    words[0] = 1 << 20;
    memory.map_words(base, &words);
    let mut ranges = ranges();
    let modules = ranges.reload(&memory, &|| 0).unwrap().unwrap().modules;
    assert_eq!(ranges.unreadable, 1);
    let map = CodeMap::new(&modules);
    assert!(map.is_unknown_code(base + 80) && map.locate(base + 80).is_none());
    assert!(!map.is_unknown_code(base - 8));
    // It is read again with the next change.
    ranges.reload(&memory, &|| 0).unwrap().unwrap();
    assert_eq!(ranges.unreadable, 1);
}

#[test]
fn the_index_is_found_by_what_it_looks_like() {
    let memory = vm(0x20_0000);
    let found = |start: u64| {
        let variables = vec![(start, INDEX + 96)];
        let ranges = ImageRanges {
            variables,
            ..ImageRanges::default()
        };
        find_ranges(
            &memory,
            &EmulatorImage::read(&memory, &ranges).unwrap(),
            LAYOUT,
        )
    };
    assert_eq!(found(INDEX), Ok(INDEX));
    assert!(matches!(found(INDEX + 8), Err(TableError::NotFound { .. })));
}

#[test]
fn ranges_that_overlap_are_none() {
    let mut memory = SnapshotMemory::new();
    memory.map_words(0x4000, &[0x1000, 0x3000, 0x2000, 0x4000]);
    assert!(read_bounds(&memory, 0x4000, 2).is_err());
    memory.map_words(0x4000, &[0x1000, 0x1000, 0x2000, 0x4000]);
    assert_eq!(read_bounds(&memory, 0x4000, 2).unwrap(), [(0x2000, 0x4000)]);
}

#[test]
fn a_module_without_ranges_is_assembled() {
    assert!(ModuleCode::assemble("m", 0, 0, Vec::<NewRange>::new(), Vec::new()).is_some());
}

proptest! {
    #[test]
    fn a_changed_word_never_panics(at in 0usize..34, value: u64, lines_at in 0usize..6) {
        let mut memory = vm(0x20_0000);
        let mut words = image(0x20_0000, 0x5000);
        if let Some(word) = words.get_mut(at) { *word = value; }
        let mut table = [0x5100, 4, 0x5200, 0x5300, 0x5310, 0x5328];
        table[lines_at] = value;
        memory.map_words(0x20_0000, &words).map_words(0x5000, &table);
        let _ = ranges().reload(&memory, &|| 0);
    }

    #[test]
    fn garbage_never_panics(image: Vec<u8>, base: u64, words: [u64; 12]) {
        let mut memory = with_atoms();
        let _ = parse_module(&memory, &mut AtomTable::new(ATOMS), LAYOUT, base, &image);
        memory.map_words(INDEX, &words).map_words(ACTIVE, &[words[0] % 4]);
        let _ = ranges().reload(&memory, &|| 0);
    }
}
