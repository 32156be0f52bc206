use std::cell::Cell;

use proptest::prelude::*;
use target_memory::{ReadError, SnapshotMemory};
use vm_layout::allocators::ALLOCATORS;

use super::*;
use crate::crafted_vm::{BINARY, BINARY_KIND, LISTED, OF_SECOND, OF_TEMP, TABLE, TEMP, Vm};

/// What the two instances of binary_alloc have in blocks.
const LASTING: u64 = 2800;

/// A VM whose second instance of binary_alloc reads as it does in another one for so many reads.
struct Torn {
    settled: SnapshotMemory,
    torn: SnapshotMemory,
    torn_reads: Cell<u32>,
}

impl TargetMemory for Torn {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        if address == BINARY[1] && self.torn_reads.get() > 0 {
            self.torn_reads.set(self.torn_reads.get() - 1);
            return self.torn.read(address, buffer);
        }
        self.settled.read(address, buffer)
    }
}

fn of(vm: &Vm) -> Result<LastingBlocks, TableError> {
    let memory = vm.memory();
    LastingBlocks::of(&memory, AllocatorTable::read(&memory, TABLE)?)
}

fn bytes(vm: &Vm) -> Result<Option<u64>, TableError> {
    of(vm)?.bytes(&vm.memory())
}

/// Sets the stated sums of the second instance of binary_alloc for its carriers with many blocks.
fn set_second(vm: &mut Vm, carriers_bytes: u64, blocks_bytes: u64) {
    let fields = &vm.layout.allocator;
    let (bytes, blocks) = (fields.sums_carriers + 8, fields.sums_blocks);
    let sums = fields.many_blocks;
    vm.set(BINARY[1], sums + bytes, carriers_bytes);
    vm.set(
        BINARY[1],
        sums + blocks + BINARY_KIND * 48 + 8,
        blocks_bytes,
    );
}

#[test]
fn what_lasts_is_added_up_and_blocks_of_one_call_are_not_in_it() {
    for layout in &ALLOCATORS {
        let vm = Vm::new(layout);
        assert_eq!(bytes(&vm).unwrap(), Some(LASTING));
        let mut grown = vm.clone();
        let sums = layout.allocator.many_blocks + layout.allocator.sums_blocks;
        grown.set(TEMP, sums + 48 + 8, OF_TEMP.1);
        let lasting = of(&vm).unwrap();
        assert_eq!(lasting.bytes(&grown.memory()).unwrap(), Some(LASTING));
        set_second(&mut grown, OF_SECOND.1, OF_SECOND.2 + 50);
        assert_eq!(
            lasting.bytes(&grown.memory()).unwrap(),
            Some(LASTING + 50),
            "blocks are counted anew each time"
        );
    }
}

#[test]
fn an_instance_that_is_torn_when_it_is_read_is_read_again_and_without_it_there_is_no_sum() {
    for layout in &ALLOCATORS {
        let settled = Vm::new(layout);
        let lasting = of(&settled).unwrap();
        let mut torn = settled.clone();
        set_second(&mut torn, OF_SECOND.1, OF_SECOND.1 + 1);
        let after = |torn_reads| {
            let memory = Torn {
                settled: settled.memory(),
                torn: torn.memory(),
                torn_reads: Cell::new(torn_reads),
            };
            lasting.bytes(&memory).unwrap()
        };
        assert_eq!(after(1), Some(LASTING));
        assert_eq!(after(4), Some(LASTING));
        assert_eq!(after(5), None, "the sum of the others would be too low");
        assert_eq!(after(u32::MAX), None);
    }
}

#[test]
fn without_an_allocator_that_is_switched_off_there_is_no_sum() {
    for layout in &ALLOCATORS {
        let off = |kind| {
            let mut vm = Vm::new(layout);
            vm.switch_off(kind);
            bytes(&vm)
        };
        assert_eq!(off(6), Err(TableError::SwitchedOff), "ETS is malloc's");
        assert_eq!(off(1), Ok(Some(LASTING)), "temp_alloc is in no sum");
        assert_eq!(off(0), Ok(Some(LASTING)), "malloc has no carriers");
    }
}

#[test]
fn more_bytes_than_there_are_addresses_do_not_wrap() {
    for layout in &ALLOCATORS {
        let lasting = of(&Vm::new(layout)).unwrap();
        let of_second = |carriers_bytes, blocks_bytes| {
            let mut vm = Vm::new(layout);
            set_second(&mut vm, carriers_bytes, blocks_bytes);
            lasting.bytes(&vm.memory()).unwrap()
        };
        let rest = LASTING - OF_SECOND.2;
        assert_eq!(of_second(1 << 60, 1 << 60), Some(rest + (1 << 60)));
        assert_eq!(of_second(u64::MAX, u64::MAX), Some(u64::MAX));
        assert_eq!(of_second(1000, 1 << 60), None, "more than in its carriers");
    }
}

#[test]
fn a_list_of_carriers_that_bites_its_tail_costs_its_own_instance_only() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        vm.set(LISTED[1].0, layout.carrier.next, LISTED[0].0);
        assert_eq!(bytes(&vm).unwrap(), Some(LASTING), "two of three add up");
        for (carrier, _, _, _) in [OF_SECOND, OF_TEMP] {
            vm.set(carrier, layout.carrier.next, carrier);
        }
        let error = of(&vm).unwrap_err().to_string();
        assert!(error.contains("0 layouts fit"), "{error}");
    }
}

#[test]
fn what_cannot_be_read_any_more_is_an_error_and_no_sum() {
    let vm = Vm::new(&ALLOCATORS[0]);
    let lasting = of(&vm).unwrap();
    for instance in [BINARY[0], BINARY[1], TEMP] {
        let mut gone = vm.clone();
        gone.pieces.retain(|(at, _)| *at != instance);
        assert!(lasting.bytes(&gone.memory()).is_err(), "{instance:#x}");
    }
    assert!(lasting.bytes(&SnapshotMemory::new()).is_err());
}

#[test]
fn a_table_at_the_end_of_memory_is_an_error() {
    for address in [u64::MAX, u64::MAX - 23, u64::MAX - 100] {
        let table = AllocatorTable::read(&Vm::new(&ALLOCATORS[0]).memory(), address);
        assert!(table.is_err(), "{address:#x}");
    }
}

proptest! {
    /// Sums of a VM that changes in any way after it was looked at for the first time.
    #[test]
    fn any_words_have_a_sum_or_none(changes in prop::collection::vec((0usize..3, any::<prop::sample::Index>(), any::<u64>()), 0..40)) {
        for layout in &ALLOCATORS {
            let mut vm = Vm::new(layout);
            let lasting = of(&vm).unwrap();
            for (instance, word, value) in &changes {
                let offset = word.index(layout.allocator.read_bytes / 8) * 8;
                vm.set([BINARY[0], BINARY[1], TEMP][*instance], offset, *value);
            }
            prop_assert!(lasting.bytes(&vm.memory()).is_ok());
        }
    }
}
