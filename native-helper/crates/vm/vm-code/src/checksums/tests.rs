use super::*;
use crate::blob::NewRange;
use proptest::prelude::*;
use target_memory::SnapshotMemory;

const ATOMS: u64 = 0x1000;
const FUNCTIONS: u64 = 8;
const MD5: Checksum = *b"0123456789abcdef";

fn with_atoms(names: &[&str]) -> SnapshotMemory {
    let mut memory = SnapshotMemory::new();
    let mut table = vec![0u64; 16];
    (table[14], table[15]) = ((names.len() as u64) << 32 | 1_048_576, 0x2000);
    memory.map_words(ATOMS, &table).map_words(0x2000, &[0x3000]);
    let pointers: Vec<u64> = (0..1024).map(|index| 0x10_000 + index * 0x100).collect();
    memory.map_words(0x3000, &pointers);
    for (index, name) in names.iter().enumerate() {
        let at = 0x10_000 + index as u64 * 0x100;
        memory
            .map_words(at, &[0, 0, index as u64, name.len() as u64, at + 0x80])
            .map(at + 0x80, name.as_bytes().to_vec());
    }
    memory
}

/// A module as OTP 25 has it: functions at 96, the checksum's pointer at 80, a line table behind the
/// code. `name` is the index of an atom.
fn image(base: u64, name: u64) -> Vec<u64> {
    let mut words = vec![0; 12];
    words[0] = FUNCTIONS;
    let first = base + (12 + FUNCTIONS + 1) * 8;
    let end = first + FUNCTIONS * 80;
    (words[9], words[10], words[11]) = (end + 16, end, 0x7000_0000);
    words.extend((0..=FUNCTIONS).map(|index| first + index * 80));
    for _ in 0..FUNCTIONS {
        words.extend([0, 0, name << 6 | 0xb, name << 6 | 0xb, 0, 1, 2, 3, 4, 5]);
    }
    words.extend(
        MD5.chunks(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap())),
    );
    words.extend([0; 4]);
    words
}

fn module(base: u64, name: &str) -> ModuleCode {
    let bytes = image(base, 0).len() as u32 * 8;
    ModuleCode::assemble(name, base, bytes, Vec::<NewRange>::new(), Vec::new()).unwrap()
}

const BASES: [u64; 5] = [0x20_0000, 0x21_0000, 0x22_0000, 0x23_0000, 0x24_0000];
const NAMES: [&str; 5] = ["a", "b", "c", "d", "Elixir.E"];

fn vm() -> (SnapshotMemory, Vec<ModuleCode>) {
    let mut memory = with_atoms(&NAMES);
    for (index, base) in BASES.iter().enumerate() {
        memory.map_words(*base, &image(*base, index as u64));
    }
    let modules = BASES.iter().zip(NAMES);
    let modules = modules.map(|(base, name)| module(*base, &quoted(name)));
    (memory, modules.collect())
}

#[test]
fn the_modules_show_where_the_checksum_is() {
    let (memory, modules) = vm();
    let header = ModuleHeader {
        md5: 80,
        functions: 96,
    };
    let derive = |known| ModuleHeader::derive(&memory, modules.iter(), known);
    assert_eq!(derive(None), Some(header));
    assert_eq!(derive(Some(80)), Some(header));
    assert_eq!(derive(Some(120)), None, "the data says otherwise");
    assert_eq!(
        ModuleHeader::derive(&memory, modules.iter().take(3), None),
        None
    );
    let mut atoms = AtomTable::new(ATOMS);
    for (module, name) in modules.iter().zip(NAMES) {
        let checksum = header.checksum(&memory, &mut atoms, module);
        assert_eq!(checksum, Some((name.to_owned(), MD5)));
    }
}

#[test]
fn another_module_in_its_place_has_no_answer() {
    let (mut memory, modules) = vm();
    let header = ModuleHeader::derive(&memory, modules.iter(), None).unwrap();
    memory.map_words(BASES[0], &image(BASES[0], 3));
    let mut atoms = AtomTable::new(ATOMS);
    assert_eq!(header.checksum(&memory, &mut atoms, &modules[0]), None);
    // Nor where the pointer leads out of the module, or to nothing.
    for pointer in [0, 0x30_0000, u64::MAX - 3, BASES[1] - 8] {
        let mut words = image(BASES[1], 1);
        words[10] = pointer;
        memory.map_words(BASES[1], &words);
        assert_eq!(
            header.checksum(&memory, &mut atoms, &modules[1]),
            None,
            "{pointer:#x}"
        );
    }
}

proptest! {
    #[test]
    fn any_memory_gives_an_answer(words in prop::collection::vec(any::<u64>(), 0..200), count in 0u64..20) {
        let mut memory = with_atoms(&NAMES);
        let mut image = words;
        if let Some(first) = image.first_mut() { *first = count; }
        memory.map_words(BASES[0], &image);
        let modules = [module(BASES[0], "a")];
        let _ = ModuleHeader::derive(&memory, modules.iter().cycle().take(8), None);
        let header = ModuleHeader { md5: 80, functions: 96 };
        let _ = header.checksum(&memory, &mut AtomTable::new(ATOMS), &modules[0]);
    }
}
