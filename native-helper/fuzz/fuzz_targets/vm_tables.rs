//! Any bytes as the memory of a VM: code descriptions, atoms, machine code, stacks.
#![no_main]
use erlang_stack::{WalkRules, walk};
use libfuzzer_sys::fuzz_target;
use target_memory::SnapshotMemory;
use vm_tables::atoms::AtomTable;
use vm_tables::code::blob::parse_blob;
use vm_tables::code::descriptor::Descriptor;
use vm_tables::code::generations::CodeGenerations;
use vm_tables::code::ranges::{ModuleRanges, parse_module};
use vm_tables::code::instructions::{ends_in_call, stack_pointer_home};
use vm_tables::layout::derive::from_fragments;
use vm_tables::interpreter::from_process_main;
use vm_tables::interpreter::holders::instruction_holders;
use vm_tables::layout::Flavor;
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
    let _ = instruction_holders((bytes, 0), 3, 0, false);
    for row in ROWS {
        let _ = from_process_main(bytes, 0, &row.process);
        if let Flavor::Interpreter(layout) = row.flavor {
            let _ = parse_module(&memory, &mut AtomTable::new(0), layout, 0, bytes);
            let _ = ModuleRanges::new(0, None, layout, AtomTable::new(0)).reload(&memory);
        }
        let _ = ProcessFields::from_bytes(&row.process, bytes).map(|fields| fields.is_consistent());
    }
    let rules = WalkRules { normal_exit: 8, top: 0x1000, end: 0x2000 };
    let words = target_memory::bytes_to_words(bytes);
    walk(&rules, words, |word| word & 8 == 0, &mut Vec::new());
});
