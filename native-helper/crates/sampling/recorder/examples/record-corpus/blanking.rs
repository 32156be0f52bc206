//! Zeros in the place of memory that makes no difference.

use attach::TargetObjects;
use corpus::Snapshot;

use crate::replaying::{resolve, resolver_of};
use crate::{Result, Situations, Stacks};

/// Pieces of memory shorter than this stay as they are.
const LARGE_BYTES: usize = 16 << 10;
/// So do parts of a piece.
const SMALLEST_PART_BYTES: usize = 4096;

/// Attaching searches all variables and constants of the emulator for those that it needs. Parts
/// that make no difference when they are zero become zero, which packs to nothing.
pub fn blank_what_does_not_matter<M>(
    memory: &mut [(u64, Vec<u8>)],
    vm: &attach::AttachedVm<M>,
    threads: &[(u32, String)],
    chosen: &Situations,
    live: &[Stacks],
) -> Result<()> {
    let makes_no_difference =
        |memory: &[(u64, Vec<u8>)]| is_the_same(memory, vm, threads, chosen, live);
    if !makes_no_difference(memory) {
        return Err("what was read is not enough to attach and resolve again".into());
    }
    for piece in 0..memory.len() {
        let mut open = vec![(0, memory[piece].1.len())];
        while let Some((start, end)) = open.pop() {
            if end - start < SMALLEST_PART_BYTES || memory[piece].1.len() < LARGE_BYTES {
                continue;
            }
            let before = memory[piece].1[start..end].to_vec();
            memory[piece].1[start..end].fill(0);
            if !makes_no_difference(memory) {
                memory[piece].1[start..end].copy_from_slice(&before);
                let middle = start + (end - start) / 2;
                open.extend([(start, middle), (middle, end)]);
            }
        }
    }
    Ok(())
}

/// Whether attaching to that memory gives the same tables, and the samples the same stacks.
fn is_the_same<M>(
    memory: &[(u64, Vec<u8>)],
    vm: &attach::AttachedVm<M>,
    threads: &[(u32, String)],
    chosen: &Situations,
    live: &[Stacks],
) -> bool {
    let snapshot = Snapshot {
        memory: memory.to_vec(),
        ..Snapshot::default()
    };
    let objects =
        TargetObjects::from_parts(vm.objects.map.clone(), vm.objects.jit_mappings.clone());
    let Ok(process) = snapshot.process() else {
        return false;
    };
    let Ok(again) = attach::read_tables(process, snapshot.memory(), objects) else {
        return false;
    };
    let same_tables = again.anchors == vm.anchors
        && again.layout == vm.layout
        && again.bifs.len() == vm.bifs.len()
        && again.pids == vm.pids
        && again.node == vm.node;
    let mut resolver = resolver_of(again, threads);
    same_tables
        && chosen.iter().zip(live).all(|((_, samples), live)| {
            resolver.refresh_code().is_ok()
                && samples
                    .iter()
                    .zip(live)
                    .all(|(words, live)| resolve(&mut resolver, words) == *live)
        })
}
