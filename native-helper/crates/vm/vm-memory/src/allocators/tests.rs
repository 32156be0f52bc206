use super::*;
use crate::crafted_vm::{
    BINARY, BINARY_KIND, LISTED, NAMES, OF_TEMP, POOLED, TABLE, TEMP, TEMP_KIND, Vm,
};
use proptest::prelude::*;
use vm_layout::allocators::{ALLOCATORS, IDENTITY};

fn read(vm: &Vm) -> Result<Allocators, TableError> {
    let memory = vm.memory();
    let table = AllocatorTable::read(&memory, TABLE)?;
    allocators(&memory, &table)
}

fn binary(all: &Allocators) -> &Allocator {
    all.allocators
        .iter()
        .find(|it| it.name == "binary_alloc")
        .unwrap()
}

#[test]
fn instances_are_added_up_and_what_is_lent_counts_with_its_owner() {
    for layout in &ALLOCATORS {
        let all = read(&Vm::new(layout)).unwrap();
        let binary = binary(&all);
        assert_eq!(binary.carriers, 5);
        assert_eq!(binary.carriers_bytes, 1000 + 2000 + 4000 + 800 + 1000);
        assert_eq!(binary.blocks_bytes, 600 + 100 + 500 + 700 + 900);
        assert_eq!(
            (binary.pooled_carriers, binary.one_block_carriers_bytes),
            (1, 800)
        );
        assert_eq!(binary.largest_free_bytes, Some(2496), "without its flags");
        let free = (8800 - 2800) as f64;
        assert_eq!(binary.fragmentation(), Some((free - 2496.0) / free));
        assert_eq!(binary.found.len(), 5);
        assert_eq!(all.blocks_bytes[BINARY_KIND], 2800);
        assert_eq!(all.rejected, Rejected::default());
    }
}

#[test]
fn a_disabled_allocator_is_reported_and_is_not_zero() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        assert_eq!(read(&vm).unwrap().switched_off, []);
        vm.switch_off(5);
        let all = read(&vm).unwrap();
        assert_eq!(all.switched_off, [("eheap_alloc".to_owned(), 5)]);
        assert!(all.allocators.iter().all(|it| it.name != "eheap_alloc"));
    }
}

#[test]
fn where_no_carrier_knows_its_blocks_are_looked_at() {
    for layout in &ALLOCATORS {
        let all = read(&Vm::new(layout)).unwrap();
        assert_eq!(
            (
                all.allocators[0].name.as_str(),
                all.allocators[0].largest_free_bytes
            ),
            ("temp_alloc", Some(512))
        );
        let mut torn = Vm::new(layout);
        torn.set(OF_TEMP.0, layout.carrier.read_bytes / 8 * 8, 8);
        let all = read(&torn).unwrap();
        assert_eq!(
            (
                all.allocators[0].largest_free_bytes,
                all.allocators[0].fragmentation()
            ),
            (None, None)
        );
        assert_eq!(all.allocators[0].carriers_bytes, OF_TEMP.1);
    }
}

#[test]
fn one_that_another_instance_has_taken_is_not_in_the_pool_any_more() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        vm.set(POOLED.0, layout.carrier.allocator, BINARY[1]);
        vm.set(BINARY[0], layout.allocator.pooled_count, 0);
        vm.set(BINARY[0], layout.allocator.pooled_bytes, 0);
        vm.set(
            BINARY[0],
            layout.allocator.pooled_blocks_bytes + BINARY_KIND * 8,
            0,
        );
        let all = read(&vm).unwrap();
        assert_eq!(
            (binary(&all).carriers, binary(&all).largest_free_bytes),
            (4, Some(896))
        );
        assert_eq!(all.rejected, Rejected::default());
    }
}

#[test]
fn carriers_that_contradict_themselves_are_counted_and_the_sums_stay() {
    for layout in &ALLOCATORS {
        let carrier = &layout.carrier;
        // Lists that bite their tail, that do not join, of another instance, with more in it than it holds, nowhere.
        let changes = [
            (LISTED[1].0, carrier.next, LISTED[0].0),
            (LISTED[1].0, carrier.next, LISTED[1].0),
            (LISTED[1].0, carrier.previous, 0x7000),
            (LISTED[1].0, carrier.allocator, TEMP),
            (LISTED[1].0, carrier.blocks_bytes, 2001),
            (LISTED[1].0, carrier.largest_free, 4096),
            (LISTED[0].0, carrier.next, 0x7f00_0000_0000),
            (
                POOLED.0,
                carrier.tree_node + carrier.left,
                POOLED.0 + carrier.tree_node as u64,
            ),
        ];
        for (piece, offset, word) in changes {
            let mut vm = Vm::new(layout);
            vm.set(piece, offset, word);
            let all = read(&vm).unwrap();
            assert_eq!(
                (binary(&all).carriers_bytes, all.rejected.walks),
                (8800, 1),
                "{piece:#x} {offset}"
            );
        }
    }
}

#[test]
fn an_instance_that_has_more_in_blocks_than_in_carriers_is_in_no_sum() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        let fields = &layout.allocator;
        vm.set(
            BINARY[1],
            fields.many_blocks + fields.sums_blocks + 8,
            u64::MAX,
        );
        let all = read(&vm).unwrap();
        assert_eq!(
            (binary(&all).carriers_bytes, all.rejected.instances),
            (7800, 1)
        );
    }
}

#[test]
fn an_instance_of_another_allocator_is_refused() {
    for (field, word) in [
        (IDENTITY.number, 3),
        (IDENTITY.instance, 7),
        (IDENTITY.name_prefix, NAMES + 64),
    ] {
        let mut vm = Vm::new(&ALLOCATORS[0]);
        vm.set(BINARY[1], field, word);
        let error = read(&vm).unwrap_err().to_string();
        assert!(error.contains("number 2 of binary_alloc is not"), "{error}");
    }
    let mut off = Vm::new(&ALLOCATORS[0]);
    off.set(TABLE, 24 * (BINARY_KIND + 1), 1);
    off.set(TABLE, 24 * (TEMP_KIND + 1), 1);
    assert!(read(&off).is_err(), "there is none");
}

/// As of most instances of a VM with many schedulers: first and last of all lists are the same, or there is none.
#[test]
fn a_single_carrier_shows_the_layout() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        let fields = &layout.allocator;
        vm.set(TABLE, 24 * (BINARY_KIND + 1), 0);
        for other in &ALLOCATORS {
            vm.set(TEMP, other.allocator.many_block_carriers, OF_TEMP.0);
            for list in [
                other.allocator.one_block_carriers,
                other.allocator.carriers_to_free,
            ] {
                vm.set(TEMP, list, 0);
            }
        }
        vm.set(TEMP, fields.knows_largest_free, 0x5555);
        let all = read(&vm).unwrap();
        assert_eq!(all.allocators[0].largest_free_bytes, Some(512));
        assert_eq!(all.rejected, Rejected::default());
    }
}

#[test]
fn carriers_that_no_layout_explains_are_refused() {
    let mut vm = Vm::new(&ALLOCATORS[0]);
    for instance in [BINARY[0], BINARY[1], TEMP] {
        vm.set(instance, ALLOCATORS[0].allocator.many_block_carriers, 0);
    }
    let error = read(&vm).unwrap_err().to_string();
    assert!(error.contains("0 layouts fit"), "{error}");
}

proptest! {
    #[test]
    fn any_words_anywhere_never_panic(
        changes in prop::collection::vec((0usize..12, 0usize..300, prop_oneof![
            any::<u64>(), 0u64..64, Just(0x100_000u64), Just(0x102_130), Just(0x101_000), Just(BINARY[0]), Just(u64::MAX),
        ]), 1..40),
    ) {
        let mut vm = Vm::new(&ALLOCATORS[0]);
        for (piece, word, value) in changes {
            let pieces = vm.pieces.len();
            let words = &mut vm.pieces[piece % pieces].1;
            let length = words.len();
            words[word % length] = value;
        }
        if let Ok(all) = read(&vm) {
            for allocator in &all.allocators {
                let _ = allocator.fragmentation();
            }
        }
    }
}
