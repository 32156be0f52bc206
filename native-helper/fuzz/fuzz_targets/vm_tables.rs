//! Any bytes as the memory of a VM: code descriptions, atoms, machine code, stacks.
#![no_main]
use erlang_stack::{Strays, WalkRules, walk};
use libfuzzer_sys::fuzz_target;
use target_memory::SnapshotMemory;
use vm_tables::atoms::AtomTable;
use vm_tables::code::blob::parse_blob;
use vm_tables::code::descriptor::Descriptor;
use vm_tables::code::generations::CodeGenerations;
use vm_tables::anchors::ImageRanges;
use vm_tables::code::names::display_mfa;
use vm_tables::native_tables::NativeTables;
use vm_tables::code::instructions::{ends_in_call, stack_pointer_home};
use vm_tables::layout::derive::from_fragments;
use vm_tables::layout::rows::ROWS;
use vm_tables::processes::{ProcessFields, ProcessTable};

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_blob(bytes);
    let _ = ends_in_call(bytes);
    let _ = stack_pointer_home(bytes, 88);
    let _ = from_fragments(bytes, 0);
    let mut memory = SnapshotMemory::new();
    memory.map(0, bytes.to_vec());
    let _ = AtomTable::new(0).read_first(&memory, 5000);
    let _ = CodeGenerations::read(&memory, Descriptor { address: 0 });
    let _ = ProcessTable { address: 0 }.addresses(&memory, 1000);
    let half = bytes.len() as u64 / 2;
    let ranges = ImageRanges {
        variables: vec![(0, half)],
        constants: vec![(half, bytes.len() as u64)],
        code: vec![(0, half)],
    };
    let _ = NativeTables::read(&memory, &[ranges], |_| true);
    let _ = display_mfa(&String::from_utf8_lossy(bytes));
    for row in ROWS {
        let _ = ProcessFields::from_bytes(&row.process, bytes).map(|fields| fields.is_consistent());
    }
    let rules = WalkRules { normal_exit: 8, top: 0x1000, end: 0x2000, strays: Strays::Suspect };
    let words = target_memory::bytes_to_words(bytes);
    walk(&rules, words, |word| word & 8 == 0, &mut Vec::new());
});
