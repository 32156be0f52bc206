//! Any bytes as the memory of a VM: code descriptions, atoms, machine code, stacks, allocators, ETS tables.
#![no_main]
use arch::interpreter::{Place, Roles, from_process_main, instruction_holders};
use arch::{
    calls_through_words, code_index_address, direct_calls, ends_in_call, from_fragments,
    from_schedule, reserved_stack_bytes, stack_pointer_home,
};
use erlang_stack::{Strays, TraceReturns, WalkRules, walk};
use libfuzzer_sys::fuzz_target;
use target_memory::SnapshotMemory;
use vm_anchors::registered::registered;
use vm_anchors::{Finder, element_bytes, scheduler_arrays};
use vm_code::blob::parse_blob;
use vm_code::descriptor::Descriptor;
use vm_code::generations::CodeGenerations;
use vm_code::ranges::{ModuleRanges, parse_module};
use vm_layout::derive::processes::SeenProcess;
use vm_layout::derive::{Evidence, findings};
use vm_layout::emulator_image::{EmulatorImage, ImageRanges};
use vm_layout::rows::ROWS;
use vm_layout::{AtomName, Flavor};
use vm_memory::AllocatorTable;
use vm_memory::allocators::allocators;
use vm_memory::ets::EtsLists;
use vm_memory::tagged_blocks::allocated_blocks;
use vm_tables::atoms::AtomTable;
use vm_tables::names::display_mfa;
use vm_tables::native_tables::NativeTables;
use vm_tables::nodes::{IdleEntry, known_nodes};
use vm_tables::processes::{ProcessFields, ProcessTable};
use vm_tables::schedulers::{Scheduler, SchedulerKind};

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_blob(bytes);
    let _ = ends_in_call(bytes);
    let _ = stack_pointer_home(bytes, 88);
    let _ = reserved_stack_bytes(bytes);
    let fragments = from_fragments(bytes, 0);
    let schedule = from_schedule(bytes, 0);
    let _ = direct_calls(bytes, 0x1000);
    let _ = calls_through_words(bytes, 0x1000, Some);
    anchors(bytes);
    let mut memory = SnapshotMemory::new();
    memory.map(0, bytes.to_vec());
    let _ = AtomTable::new(0).read_first(&memory, 5000);
    let _ = AtomTable::with_names(0, AtomName::Bitstring).read_first(&memory, 5000);
    let processes: Vec<SeenProcess> = bytes
        .chunks(bytes.len() / 3 + 1)
        .map(|chunk| SeenProcess {
            address: 8,
            words: target_memory::bytes_to_words(chunk).collect(),
        })
        .collect();
    let evidence = Evidence {
        fragments,
        schedule,
        at_rest: &processes,
        processes: &processes,
        atom_count: 1000,
        registered: &registered(&memory, 0),
        scheduler_heads: &[(8, bytes.to_vec())],
        ..Evidence::default()
    };
    let _ = findings(&evidence, |word| word & 1 == 1);
    let _ = CodeGenerations::read(&memory, Descriptor { address: 0 });
    let _ = ProcessTable { address: 0 }.addresses(&memory, 1000);
    let _ = known_nodes(&memory, 0, &mut AtomTable::new(0), |idle| {
        Some(idle.first()?.address)
    });
    for process in [Place::Register(13), Place::Slot(8)] {
        let roles = Roles {
            instruction: 3,
            process,
            saved_instruction: 248,
            schedule: Some((0, 64)),
        };
        for after_call in [false, true] {
            let _ = instruction_holders((bytes, 0), roles, 0, after_call);
        }
    }
    let _ = code_index_address(bytes, 0x1000);
    let half = bytes.len() as u64 / 2;
    let ranges = ImageRanges {
        variables: vec![(0, half)],
        constants: vec![(half, bytes.len() as u64)],
        code: vec![(0, half)],
    };
    let _ = NativeTables::read(&memory, &[("object.so".to_owned(), ranges)], |_| true);
    let _ = display_mfa(&String::from_utf8_lossy(bytes));
    for row in ROWS {
        let _ = from_process_main(bytes, 0, row.process.interpreted(), Some((0, 64)));
        if let Flavor::Interpreter(layout) = row.flavor {
            let _ = parse_module(&memory, &mut AtomTable::new(0), layout, 0, bytes);
            let _ = ModuleRanges::new(0, None, layout, AtomTable::new(0)).reload(&memory, &|| 0);
        }
        let _ = ProcessFields::from_bytes(&row.process, bytes).map(|fields| fields.is_consistent());
    }
    let rules = WalkRules {
        normal_exit: 8,
        traces: TraceReturns::new([(0x100, true), (0x200, false)]),
        top: 0x1000,
        end: 0x2000,
        strays: Strays::Suspect,
        frame_pointers: bytes.first().is_some_and(|byte| byte & 1 == 1),
        moved_down_bytes: 0,
    };
    let words = target_memory::bytes_to_words(bytes);
    walk(&rules, words, |word| word & 8 == 0, &mut Vec::new());
});

/// The same bytes as the variables and the constants of an emulator that exports nothing.
fn anchors(bytes: &[u8]) {
    const AT: u64 = 0x1_0000;
    let mut memory = SnapshotMemory::new();
    memory.map(AT, bytes.to_vec());
    let everything = vec![(AT, AT + bytes.len() as u64)];
    let ranges = ImageRanges {
        variables: everything.clone(),
        constants: everything.clone(),
        code: everything,
    };
    let no_symbols = |_: &str| None::<u64>;
    let finder = Finder::new(&memory, &no_symbols, &ranges);
    let _ = finder.version();
    let _ = finder.node_name();
    let _ = finder.descriptor();
    let _ = finder.anchors();
    let _ = finder.registered();
    let _ = finder.nodes();
    let _ = finder.own_node(&[IdleEntry {
        address: AT,
        is_first: true,
    }]);
    let _ = element_bytes(&memory, AT);
    let _ = finder.allocators();
    let _ = finder.resource_types(&mut AtomTable::new(AT), |_| true);
    if let Ok(table) = AllocatorTable::read(&memory, AT) {
        let _ = allocators(&memory, &table);
        let _ = allocated_blocks(&memory, &table, &mut AtomTable::new(AT));
    }
    let scheduler = Scheduler {
        kind: SchedulerKind::Normal,
        number: 1,
        data: AT,
        registers: 0,
    };
    if let Ok(lists) = EtsLists::find(&memory, &[scheduler], bytes.len()) {
        let _ = lists.tables(&memory, &mut AtomTable::new(AT));
    }
    if let Ok(image) = EmulatorImage::read(&memory, &ranges) {
        let _ = scheduler_arrays::scan(&memory, &image);
    }
}
