//! Finding the index of module images, which is a static variable and so has no symbol.

use target_memory::TargetMemory;

use super::module::is_header;
use super::{COPIES, COPY_WORDS, MAX_MODULES, read_bounds};
use vm_layout::InterpreterLayout;
use vm_layout::TableError;
use vm_layout::emulator_image::{EmulatorImage, is_pointer};

/// Where the index is: the only place among the emulator's variables where three groups of words
/// look like its copies, whose ranges are ascending and begin with code headers.
pub fn find_ranges(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
    layout: InterpreterLayout,
) -> Result<u64, TableError> {
    let candidates: Vec<u64> = image
        .words()
        .filter(|(address, word)| {
            *word != 0 && has_shape(image, *address) && holds(memory, image, *address, layout)
        })
        .map(|(address, _)| address)
        .collect();
    match *candidates.as_slice() {
        [address] => Ok(address),
        [] => Err(TableError::NotFound {
            table: super::TABLE,
            wanted: "three copies of a sorted array of modules",
        }),
        _ => Err(TableError::Ambiguous {
            table: super::TABLE,
            candidates: candidates.len(),
        }),
    }
}

/// The words of one copy.
fn copy_at(image: &EmulatorImage, index: u64, copy: usize) -> Option<[u64; COPY_WORDS]> {
    let mut words = [0; COPY_WORDS];
    for (position, word) in words.iter_mut().enumerate() {
        let offset = ((copy * COPY_WORDS + position) * 8) as u64;
        *word = image.word_at(index.checked_add(offset)?)?;
    }
    Some(words)
}

fn has_shape(image: &EmulatorImage, index: u64) -> bool {
    (0..COPIES).all(|copy| {
        copy_at(image, index, copy).is_some_and(|[modules, count, allocated, middle]| {
            let bytes = count.saturating_mul(16);
            is_pointer(modules, 8)
                && (1..=MAX_MODULES).contains(&count)
                && count <= allocated
                && allocated <= 2 * MAX_MODULES
                && modules <= middle
                && middle < modules.saturating_add(bytes)
                && (middle - modules).is_multiple_of(16)
        })
    })
}

fn holds(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
    index: u64,
    layout: InterpreterLayout,
) -> bool {
    (0..COPIES).all(|copy| {
        let Some([modules, count, ..]) = copy_at(image, index, copy) else {
            return false;
        };
        // A copy that is being staged may change during the reading; its first module stays.
        read_bounds(memory, modules, count).is_ok_and(|bounds| {
            bounds
                .first()
                .is_some_and(|(start, end)| is_header(memory, layout, *start, *end))
        })
    })
}
