use super::*;
use proptest::prelude::*;
use target_memory::SnapshotMemory;

const VARIABLES: u64 = 0x1_0000;
const CONSTANTS: u64 = 0x2_0000;
const CODE: u64 = 0x3_0000;

/// An object with these words as variables and these strings, each in 32 bytes, as constants.
fn object(words: &[u64], strings: &[&str]) -> (SnapshotMemory, ImageRanges) {
    let mut memory = SnapshotMemory::new();
    memory.map_words(VARIABLES, words);
    let mut constants = Vec::new();
    for text in strings {
        let mut place = [0; 32];
        place[..text.len()].copy_from_slice(text.as_bytes());
        constants.extend(place);
    }
    let ranges = ImageRanges {
        variables: vec![(VARIABLES, VARIABLES + words.len() as u64 * 8)],
        constants: vec![(CONSTANTS, CONSTANTS + constants.len() as u64)],
        code: vec![(CODE, CODE + 0x1000)],
    };
    memory.map(CONSTANTS, constants);
    (memory, ranges)
}

fn string(index: u64) -> u64 {
    CONSTANTS + index * 32
}

/// An entry at the second word and its two functions after it.
fn nif_words() -> Vec<u64> {
    let functions = VARIABLES + 8 * 11;
    let mut words = vec![0xdead];
    words.extend([
        2 | 17 << 32,
        string(0),
        2,
        functions,
        CODE,
        0,
        0,
        0,
        string(1),
        0,
    ]);
    words.extend([string(2), 1, CODE + 0x10, 0]);
    words.extend([string(3), 2, CODE + 0x20, 1]);
    words
}

const NIF_STRINGS: [&str; 4] = ["gt_nif", "beam.vanilla", "busy", "Odd name"];

fn read(words: &[u64], strings: &[&str]) -> NativeTables {
    let (memory, ranges) = object(words, strings);
    NativeTables::read(&memory, &[("gt.so".to_owned(), ranges)], |_| true)
}

fn shown(tables: &NativeTables, start: u64) -> Option<&str> {
    tables.name_of(start).map(|name| &*name.shown)
}

#[test]
fn functions_of_a_library_are_named_by_its_own_table() {
    let tables = read(&nif_words(), &NIF_STRINGS);
    assert_eq!(tables.modules, ["gt_nif"]);
    let library = NativeLibrary {
        file: "gt.so".to_owned(),
        modules: vec!["gt_nif".to_owned()],
        drivers: Vec::new(),
    };
    assert_eq!(tables.libraries, [library]);
    assert_eq!(shown(&tables, CODE + 0x10), Some("gt_nif:busy/1"));
    assert_eq!(shown(&tables, CODE + 0x20), Some("gt_nif:'Odd name'/2"));
    assert_eq!(shown(&tables, CODE), None, "load is no Erlang function");
}

#[test]
fn a_function_with_several_names_gets_all_of_them() {
    let mut words = nif_words();
    words[17] = CODE + 0x10;
    let tables = read(&words, &["m", VM_VARIANT, "f", "f"]);
    assert_eq!(shown(&tables, CODE + 0x10), Some("m:f/1 or /2"));
    let tables = read(&words, &["m", VM_VARIANT, "f", "g"]);
    assert_eq!(shown(&tables, CODE + 0x10), Some("m:f/1 or m:g/2"));
}

#[test]
fn a_table_of_a_module_that_is_not_loaded_is_not_believed() {
    let (memory, ranges) = object(&nif_words(), &NIF_STRINGS);
    let tables = NativeTables::read(&memory, &[("gt.so".to_owned(), ranges)], |_| false);
    assert!(tables.is_empty());
    assert_eq!(tables.unconfirmed, ["gt_nif"]);
}

#[test]
fn what_only_resembles_a_table_is_none() {
    for (index, wrong) in [
        (1, 2 | 3 << 32),    // a version with shorter functions
        (1, 3 | 17 << 32),   // another major version
        (2, 0x77),           // a name that is nowhere
        (3, 100_000),        // too many functions
        (4, 0x77),           // functions that are nowhere
        (5, CONSTANTS),      // a callback that is no code
        (9, string(0)),      // made for another VM
        (12, 256),           // an arity there is none
        (13, CODE + 0x1000), // a function beyond the code
        (14, 3),             // flags there are none
    ] {
        let mut words = nif_words();
        words[index] = wrong;
        assert!(read(&words, &NIF_STRINGS).is_empty(), "word {index}");
    }
}

#[test]
fn callbacks_of_a_driver_are_named() {
    let mut words = vec![0; 22];
    words[0] = CODE;
    words[3] = CODE + 0x40;
    words[6] = string(0);
    words[16] = u64::from(DRIVER_MARKER) | 3 << 32;
    let tables = read(&words, &["udp_inet"]);
    assert_eq!(tables.drivers, ["udp_inet"]);
    assert_eq!(
        shown(&tables, CODE + 0x40),
        Some("udp_inet:output (driver)")
    );
    assert_eq!(tables.name_of(CODE).unwrap().kind, TableKind::Driver);
    words[3] = 0x77;
    assert!(
        read(&words, &["udp_inet"]).is_empty(),
        "a callback that is no code"
    );
}

proptest! {
    #[test]
    fn damaged_tables_never_panic(
        damage in prop::collection::vec((0usize..19, any::<u64>()), 1..6),
        small in prop::collection::vec((0usize..19, 0x1_0000u64..0x3_1010), 0..4),
    ) {
        let mut words = nif_words();
        for (at, word) in damage.into_iter().chain(small) {
            words[at] = word;
        }
        let _ = read(&words, &NIF_STRINGS);
    }
}
