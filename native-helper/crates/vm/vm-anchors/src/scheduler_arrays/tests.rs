use super::*;
use crate::counted_memory::CountedMemory;
use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::emulator_image::ImageRanges;

const STRIDE: u64 = 0x2000;
const THREADS: u64 = 0x9000_0000;

/// Arrays of the given lengths; `number` is 24 bytes after the start of the kind's word.
fn vm(lengths: [u64; 3]) -> (SnapshotMemory, EmulatorImage) {
    vm_with_threads(lengths, THREADS)
}

fn vm_with_threads(lengths: [u64; 3], threads: u64) -> (SnapshotMemory, EmulatorImage) {
    let mut memory = SnapshotMemory::new();
    let mut thread = threads;
    let starts = [0x100_0000u64, 0x200_0040, 0x300_0080];
    for (kind, (start, length)) in starts.iter().zip(lengths).enumerate() {
        let mut words = vec![0u64; (length * STRIDE) as usize / 8 + 128];
        for index in 0..length {
            let at = (index * STRIDE) as usize / 8;
            memory.map_words(thread, &[thread, 5, thread, 0]);
            words[at] = 0x5555;
            words[at + 4] = thread;
            words[at + 22] = kind as u64;
            let number = if kind == 0 { at + 23 } else { at + 24 };
            words[number] = index + 1;
            words[at + 25] = if kind == 0 { index + 1 } else { 0 };
            thread += 0x1000;
        }
        memory.map_words(*start, &words);
    }
    memory.map_words(
        0x10000,
        &[starts[2], 7, starts[0], starts[1], starts[0], threads],
    );
    let ranges = ImageRanges {
        variables: vec![(0x10000, 0x10030)],
        ..ImageRanges::default()
    };
    let image = EmulatorImage::read(&memory, &ranges).unwrap();
    (memory, image)
}

#[test]
fn a_scan_takes_calls_for_each_scheduler_and_not_for_each_word_of_it() {
    let (memory, image) = vm([2, 2, 10]);
    let memory = CountedMemory::new(memory);
    scan(&memory, &image).unwrap();
    // Three for each of the 14: the word, the thread that it leads to, the head of the struct.
    let calls = memory.take_calls();
    assert!(calls < 80, "{calls}");
}

#[test]
fn the_end_of_mapped_memory_ends_the_search_for_the_next_struct() {
    let start = 0x100_0000;
    // In the sixth page is the thread of another struct.
    let mut words = vec![0u64; 12 * 256];
    words[4] = THREADS;
    words[10 * 256 + 4] = THREADS + 0x1000;
    let gap_in = |words: &[u64]| {
        let mut memory = SnapshotMemory::new();
        for thread in [THREADS, THREADS + 0x1000] {
            memory.map_words(thread, &[thread, 5, thread, 0]);
        }
        memory.map_words(start, words);
        gap_to_next(&memory, start, 32)
    };
    assert_eq!(gap_in(&words[..10 * 256]), None);
    assert_eq!(gap_in(&words), Some(10 * 256 * 8));
}

#[test]
fn the_three_arrays_describe_themselves() {
    let (memory, image) = vm([2, 2, 10]);
    let scan = scan(&memory, &image).unwrap();
    assert_eq!(
        scan.arrays.map(|array| (array.first, array.count)),
        [(0x100_0000, 2), (0x200_0040, 2), (0x300_0080, 10)]
    );
    assert_eq!(scan.fields.stride, Some(STRIDE as usize));
    assert_eq!(
        (
            scan.thread,
            scan.kind,
            scan.fields.number,
            scan.fields.dirty_number
        ),
        (32, 176, 184, 192)
    );
}

#[test]
fn one_scheduler_of_each_kind_needs_no_stride() {
    let (memory, image) = vm([1, 1, 1]);
    let scan = scan(&memory, &image).unwrap();
    assert_eq!(scan.arrays.map(|array| array.count), [1, 1, 1]);
    assert_eq!(scan.fields.stride, None);
    assert_eq!((scan.fields.number, scan.fields.dirty_number), (184, 192));
}

#[test]
fn threads_of_another_c_library_are_threads() {
    // It aligns them to a word.
    let threads = THREADS + 8;
    let (mut memory, image) = vm_with_threads([2, 2, 10], threads);
    for index in 0..14u64 {
        let at = |index: u64| threads + (index % 14) * 0x1000;
        let ring = [at(index), 5, at(index + 13), at(index + 1)];
        memory.map_words(at(index), &ring);
    }
    let found = scan(&memory, &image).unwrap();
    assert_eq!(found.arrays.map(|array| array.count), [2, 2, 10]);
    // One that does not lead back is none.
    memory.map_words(threads, &[threads, 5, threads + 0x2000, threads + 0x1000]);
    assert!(scan(&memory, &image).is_err());
}

#[test]
fn two_arrays_are_not_enough() {
    let (memory, _) = vm([1, 1, 1]);
    let mut memory = memory;
    memory.map_words(0x10000, &[0x100_0000, 0x200_0040, 0, 0, 0, 0]);
    let ranges = ImageRanges {
        variables: vec![(0x10000, 0x10030)],
        ..ImageRanges::default()
    };
    let image = EmulatorImage::read(&memory, &ranges).unwrap();
    assert!(matches!(
        scan(&memory, &image),
        Err(TableError::NotFound { .. })
    ));
}

proptest! {
    #[test]
    fn garbage_never_panics(
        words in prop::collection::vec(0x10000u64..0x10400, 0..128),
    ) {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x10000, &words);
        let ranges = ImageRanges {
            variables: vec![(0x10000, 0x10000 + words.len() as u64 * 8)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        let _ = scan(&memory, &image);
    }
}
