use super::*;
use target_memory::SnapshotMemory;

/// Three atoms, as a table has them from OTP 27 on and before: index, length, name.
const NAMES: [&str; 3] = ["false", "system", "my_nif"];
const ATOMS: u64 = 0x1000;
const BINARIES: usize = 9;
const TYPE: u64 = 218;
const SYSTEM_WORD: u64 = 1 << 8 | TYPE;
const NIF_WORD: u64 = 2 << 8 | TYPE;
const ONE: u64 = 77 << 4 | PID;
const A_PORT: u64 = 5 << 4 | PORT;

fn atoms(memory: &mut SnapshotMemory) -> AtomTable {
    let mut table = [0_u64; 17];
    table[14] = 3 << 32 | 3;
    table[15] = ATOMS + 0x100;
    memory.map_words(ATOMS, &table);
    memory.map_words(ATOMS + 0x100, &[ATOMS + 0x200]);
    let places: Vec<u64> = (0..3).map(|index| ATOMS + 0x300 + index * 0x100).collect();
    memory.map_words(ATOMS + 0x200, &places);
    for ((index, place), name) in (0..).zip(places).zip(NAMES) {
        let mut text = [0; 8];
        text[..name.len()].copy_from_slice(name.as_bytes());
        vm_tables_atom(memory, place, index, name.len() as u16);
        memory.map(place + 0x80, text.to_vec());
    }
    AtomTable::new(ATOMS)
}

fn vm_tables_atom(memory: &mut SnapshotMemory, place: u64, index: u32, length: u16) {
    let mut bytes = vec![0; 0x40];
    bytes[16..20].copy_from_slice(&index.to_le_bytes());
    bytes[24..26].copy_from_slice(&length.to_le_bytes());
    bytes[32..40].copy_from_slice(&(place + 0x80).to_le_bytes());
    memory.map(place, bytes);
}

fn allocated(ends: &[[u64; 2]]) -> Result<AllocatedBlocks, TableError> {
    let mut memory = SnapshotMemory::new();
    let mut atoms = atoms(&mut memory);
    let mut raw = Raw::default();
    let blocks: Vec<Block> = ends
        .iter()
        .map(|end| Block {
            bytes: 100,
            end: Some(*end),
        })
        .collect();
    raw.add(BINARIES, &blocks);
    raw.add(
        BINARIES,
        &[Block {
            bytes: 7,
            end: None,
        }],
    );
    raw.by_owner(&memory, &mut atoms)
}

fn sum_of(all: &AllocatedBlocks, by: Allocator, library: Option<u64>) -> (u64, u64) {
    let wanted = Some(Allocated { by, library });
    let found = all.sums.iter().find(|it| it.allocated == wanted);
    found.map_or((0, 0), |it| (it.blocks, it.bytes))
}

#[test]
fn tags_of_two_words_have_the_owner() {
    let mut ends = vec![[SYSTEM_WORD, ONE]; 30];
    ends.extend([[SYSTEM_WORD, 0], [NIF_WORD, ONE], [SYSTEM_WORD, A_PORT]]);
    let all = allocated(&ends).unwrap();
    let library = Some(2 << ATOM_SHIFT | ATOM_TAG);
    assert_eq!(all.format, TagFormat::Process);
    assert_eq!(sum_of(&all, Allocator::Process(ONE), None), (30, 3000));
    assert_eq!(sum_of(&all, Allocator::Process(ONE), library), (1, 100));
    assert_eq!(sum_of(&all, Allocator::Neither, None), (1, 100));
    assert_eq!(sum_of(&all, Allocator::Port(A_PORT), None), (1, 100));
    let untagged = all.sums.iter().find(|it| it.allocated.is_none());
    assert_eq!(untagged.map(|it| (it.blocks, it.bytes)), Some((1, 7)));
}

#[test]
fn a_tag_of_one_word_has_the_library() {
    let ends: Vec<[u64; 2]> = (0..40)
        .map(|text| [text * 0x0101_0101, SYSTEM_WORD])
        .collect();
    let all = allocated(&ends).unwrap();
    assert_eq!(all.format, TagFormat::Library);
    assert_eq!(sum_of(&all, Allocator::Neither, None), (40, 4000));
}

#[test]
fn impossible_tags_are_not_reported() {
    assert!(allocated(&[[0x5555_5555, 0x7777_7777]; 9]).is_err());
    // A tag that is just being written belongs to no process.
    let mut ends = vec![[SYSTEM_WORD, ONE]; 30];
    ends.push([0x5555_5555_5555, 0x5555]);
    let all = allocated(&ends).unwrap();
    let unknown: u64 = all
        .sums
        .iter()
        .filter(|it| it.allocated.is_none())
        .map(|it| it.blocks)
        .sum();
    assert_eq!(unknown, 2);
}

#[test]
fn a_vm_without_tags_is_marked_as_such() {
    assert_eq!(allocated(&[]).unwrap().format, TagFormat::Untagged);
}
