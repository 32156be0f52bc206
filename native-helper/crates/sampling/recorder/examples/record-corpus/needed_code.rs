//! Of the VM's list of code what the samples may run in.

use std::collections::HashSet;

use target_memory::TargetMemory;
use vm_code::blob::{Blob, parse_blob};
use vm_code::descriptor::Descriptor;
use vm_layout::INTERPRETER;

use crate::Result;

/// Words to exchange so that the VM's list of code holds only what the samples may run in.
pub fn needed_code_only(vm: &attach::AttachedVm, words: &HashSet<u64>) -> Result<Vec<(u64, u64)>> {
    if vm.flavor.kind() == INTERPRETER {
        return needed_images_only(vm, words);
    }
    let descriptor = Descriptor {
        address: vm.code_list.address,
    };
    let fragments = vm.code.current().fragments().map(|module| module.base);
    let mut kept = Vec::new();
    for entry in descriptor.entries(&vm.memory, &[])? {
        let blob = vm
            .memory
            .read_vec(entry.blob, entry.blob_bytes as usize, 64 << 20)?;
        let is_needed = match parse_blob(&blob) {
            Ok(Blob::Emulator { .. }) => true,
            Ok(Blob::Module(module)) => {
                let code = module.base..module.base + u64::from(module.code_bytes);
                fragments == Some(module.base) || words.iter().any(|word| code.contains(word))
            }
            Err(_) => false,
        };
        if is_needed {
            kept.push(entry.address);
        }
    }
    let mut patches = vec![(descriptor.address + 16, kept.first().copied().unwrap_or(0))];
    for (index, entry) in kept.iter().enumerate() {
        let next = kept.get(index + 1).copied().unwrap_or(0);
        let previous = index.checked_sub(1).and_then(|before| kept.get(before));
        patches.push((*entry, next));
        patches.push((entry + 8, previous.copied().unwrap_or(0)));
    }
    Ok(patches)
}

/// The same for an interpreter: a module whose range is empty was purged. The first one stays, by
/// which the index is known.
fn needed_images_only(vm: &attach::AttachedVm, words: &HashSet<u64>) -> Result<Vec<(u64, u64)>> {
    const COPIES: u64 = 3;
    const COPY_BYTES: u64 = 32;
    let mut patches = Vec::new();
    for copy in 0..COPIES {
        let index = vm.code_list.address + copy * COPY_BYTES;
        let (modules, count) = (
            vm.memory.read_u64(index)?,
            vm.memory.read_u64(index + 8)?.min(100_000),
        );
        let mut is_first = true;
        for entry in (0..count).map(|number| modules + number * 16) {
            let (start, end) = (vm.memory.read_u64(entry)?, vm.memory.read_u64(entry + 8)?);
            let is_needed = is_first || words.iter().any(|word| (start..end).contains(word));
            is_first &= start == end;
            if !is_needed {
                patches.push((entry + 8, start));
            }
        }
    }
    Ok(patches)
}
