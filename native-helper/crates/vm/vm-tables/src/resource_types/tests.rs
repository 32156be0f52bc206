use super::*;
use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::resource_types::RESOURCE_TYPES;

const ATOMS: u64 = 0x1_0000;
const HEAD: u64 = 0x10_0000;
const TYPES: [u64; 3] = [0x20_0000, 0x21_0000, 0x22_0000];
const LIBRARY: u64 = 0x30_0000;
const CODE: u64 = 0x50_0000;

/// A word of a type: its index, its offset, and its contents.
type Changed = (usize, usize, u64);

const fn atom(index: u64) -> u64 {
    index << 6 | 0xb
}

/// Three types `false:true`, `false:'Sharp'` and `true:true`, of which the second has no destructor; with some words changed.
struct Circle {
    memory: SnapshotMemory,
    types: ResourceTypes,
}

impl Circle {
    fn new(layout: &'static ResourceTypeLayout, changed: &[Changed]) -> Self {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 16];
        table[14] = 3 << 32 | 1_048_576;
        table[15] = ATOMS + 0x1000;
        memory.map_words(ATOMS, &table);
        memory.map_words(ATOMS + 0x1000, &[ATOMS + 0x2000]);
        let names = ["false", "true", "Sharp"];
        let heads: Vec<u64> = (3..6).map(|page| ATOMS + page * 0x1000).collect();
        memory.map_words(ATOMS + 0x2000, &heads);
        for ((index, name), at) in (0u64..).zip(names).zip(heads) {
            memory.map_words(at, &[0, 0, index, name.len() as u64, at + 0x80]);
            memory.map(at + 0x80, name.as_bytes().to_vec());
        }
        memory.map_words(HEAD, &[TYPES[0], TYPES[2], 0, 0]);
        let contents = [
            (atom(0), atom(1), CODE),
            (atom(0), atom(2), 0),
            (atom(1), atom(1), CODE + 8),
        ];
        for (index, (module, name, destructor)) in contents.into_iter().enumerate() {
            let mut words = [0; BYTES / 8];
            words[NEXT / 8] = TYPES.get(index + 1).copied().unwrap_or(HEAD);
            words[PREVIOUS / 8] = index.checked_sub(1).map_or(HEAD, |before| TYPES[before]);
            words[OWNER / 8] = LIBRARY;
            words[layout.destructor / 8] = destructor;
            words[layout.module / 8] = module;
            words[layout.name / 8] = name;
            for (_, offset, word) in changed.iter().filter(|(of, ..)| *of == index) {
                words[offset / 8] = *word;
            }
            // No more than it has: behind it may be nothing.
            memory.map_words(TYPES[index], &words[..layout.name / 8 + 1]);
        }
        let types = ResourceTypes { head: HEAD, layout };
        Self { memory, types }
    }

    fn read(&self) -> Option<Vec<ResourceType>> {
        let is_code = |address| (CODE..CODE + 0x100).contains(&address);
        let mut atoms = AtomTable::new(ATOMS);
        self.types.read(&self.memory, &mut atoms, is_code)
    }
}

#[test]
fn types_with_destructors_are_listed_by_module_and_name() {
    for layout in &RESOURCE_TYPES {
        let types = Circle::new(layout, &[]).read().unwrap();
        let listed: Vec<_> = types
            .iter()
            .map(|known| (known.name.as_str(), known.destructor))
            .collect();
        assert_eq!(listed, [("false:true", CODE), ("true:true", CODE + 8)]);
        let named = |function| type_of(&types, function).map(|known| known.name.as_str());
        assert_eq!(named(CODE + 8), Some("true:true"));
        assert_eq!((named(CODE + 4), named(0)), (None, None));
    }
}

#[test]
fn names_are_quoted_and_a_function_of_two_types_is_of_none() {
    for layout in &RESOURCE_TYPES {
        let types = Circle::new(layout, &[(1, layout.destructor, CODE)]);
        let types = types.read().unwrap();
        assert_eq!(types[1].name, "false:'Sharp'");
        assert_eq!(type_of(&types, CODE), None);
        assert!(type_of(&types, CODE + 8).is_some());
    }
}

#[test]
fn a_circle_that_contradicts_itself_is_not_known() {
    for layout in &RESOURCE_TYPES {
        for changed in [
            // Back into itself without its head, to nowhere, and past a type.
            (2, NEXT, TYPES[1]),
            (1, NEXT, TYPES[1]),
            (1, NEXT, 0x66_0000),
            (1, NEXT, 0),
            (1, NEXT, TYPES[2] + 4),
            (0, NEXT, TYPES[2]),
            (1, NEXT, HEAD),
            (1, PREVIOUS, HEAD),
            (0, OWNER, 0),
            (1, layout.module, LIBRARY),
            (1, layout.name, atom(3)),
            (2, layout.destructor, CODE + 0x100),
        ] {
            let types = Circle::new(layout, &[changed]).read();
            assert_eq!(types, None, "{changed:x?}");
        }
    }
}

#[test]
fn a_circle_without_an_end_is_given_up() {
    let layout = &RESOURCE_TYPES[0];
    let mut circle = Circle::new(layout, &[]);
    let mut words = vec![0; BYTES / 8];
    for index in 0..MAX_TYPES as u64 + 2 {
        let at = 0x4000_0000 + index * 0x1000;
        words[NEXT / 8] = at + 0x1000;
        words[PREVIOUS / 8] = if index == 0 { HEAD } else { at - 0x1000 };
        words[OWNER / 8] = LIBRARY;
        words[layout.module / 8] = atom(0);
        words[layout.name / 8] = atom(1);
        circle.memory.map_words(at, &words);
    }
    circle.memory.map_words(HEAD, &[0x4000_0000, TYPES[2]]);
    assert_eq!(circle.read(), None);
}

proptest! {
    #[test]
    fn garbage_never_panics(words: Vec<u64>, head in 0u64..0x200) {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0, &words);
        memory.map_words(ATOMS, &words);
        for layout in &RESOURCE_TYPES {
            let types = ResourceTypes { head, layout };
            let _ = types.read(&memory, &mut AtomTable::new(ATOMS), |_| true);
        }
    }
}
