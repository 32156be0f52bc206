//! Objects whose parts are each in order and whose sum is not: the cost of one target is bounded
//! all the same.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs)] // A test: an unmet expectation is its failure.

use std::io;

use byte_budget::ByteBudget;
use crafted_elf::{CraftedElf, CraftedFile, PT_LOAD, PT_NOTE, SECTIONS_READ};
use native_code::image::ImageError;
use native_code::{ImageSource, ObjectImage};

const MIB: usize = 1 << 20;
/// A crafted file as the reader of objects gets it.
struct Object(CraftedFile);

impl ImageSource for Object {
    fn length_bytes(&self) -> io::Result<u64> {
        Ok(self.0.length_bytes())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_at(offset, buffer);
        Ok(())
    }
}

fn finished(elf: &CraftedElf) -> Object {
    Object(elf.finish())
}

fn spent(object: &Object, budget: &ByteBudget) -> String {
    match ObjectImage::read_within(object, budget) {
        Err(ImageError::BudgetSpent(spent)) => spent.to_string(),
        other => panic!("{:?}", other.map(|image| image.heap_bytes())),
    }
}

#[test]
fn a_crafted_object_is_read() {
    let mut elf = CraftedElf::default();
    elf.segment(PT_LOAD, 0, 0x2000);
    for section in SECTIONS_READ {
        elf.section(section, Vec::new(), 0x100);
    }
    let budget = ByteBudget::of(MIB);
    let image = ObjectImage::read_within(&finished(&elf), &budget).unwrap();
    assert_eq!(image.loaded_ranges().count(), 1);
    assert!(budget.held_bytes() >= image.heap_bytes());
    drop(image);
    assert_eq!(budget.held_bytes(), 0);
}

#[test]
fn program_headers_that_repeat_are_refused() {
    let mut elf = CraftedElf::default();
    for _ in 0..60_000 {
        elf.segment(PT_LOAD, 0, 60 << 20);
    }
    let error = ObjectImage::read(&finished(&elf)).unwrap_err();
    assert!(
        matches!(error, ImageError::TooManyHeaders { count: 60_000 }),
        "{error}"
    );
}

#[test]
fn notes_that_are_none_are_not_read() {
    let mut elf = CraftedElf::default();
    for _ in 0..200 {
        elf.segment(PT_NOTE, 0, 20 << 20);
    }
    elf.section(".symtab", Vec::new(), 20 << 20);
    let budget = ByteBudget::of(4 * MIB);
    // Only the symbols are too much: two hundred notes cost nothing.
    assert!(spent(&finished(&elf), &budget).contains(".symtab"));
}

#[test]
fn parts_that_are_large_together_use_the_budget_up() {
    let mut elf = CraftedElf::default();
    for section in SECTIONS_READ {
        elf.section(section, Vec::new(), 20 << 20);
    }
    let object = finished(&elf);
    let budget = ByteBudget::of(64 * MIB);
    let refusal = spent(&object, &budget);
    assert!(refusal.contains("no more than 64 MiB is held"), "{refusal}");
    assert_eq!(budget.held_bytes(), 0, "what was read is given back");
}

#[test]
fn objects_that_are_kept_use_the_budget_up_together() {
    let mut elf = CraftedElf::default();
    elf.section(".eh_frame", Vec::new(), 20 << 20);
    let object = finished(&elf);
    let budget = ByteBudget::of(64 * MIB);
    let kept: Vec<ObjectImage> = (0..3)
        .map(|_| ObjectImage::read_within(&object, &budget).unwrap())
        .collect();
    assert!(spent(&object, &budget).contains(".eh_frame"));
    drop(kept);
    assert!(ObjectImage::read_within(&object, &budget).is_ok());
}

/// 24 bytes of a symbol table: a function with the name at `name`.
fn symbol(name: u32, value: u64) -> Vec<u8> {
    let mut entry = vec![0; 24];
    entry[..4].copy_from_slice(&name.to_le_bytes());
    entry[4] = 0x12;
    entry[6..8].copy_from_slice(&1u16.to_le_bytes());
    entry[8..16].copy_from_slice(&value.to_le_bytes());
    entry[16..].copy_from_slice(&16u64.to_le_bytes());
    entry
}

#[test]
fn stubs_that_share_one_long_name_do_not_multiply_it() {
    const STUBS: u64 = 20_000;
    const NAME_BYTES: usize = 4000;
    let mut strings = vec![b'x'; NAME_BYTES];
    (strings[0], strings[NAME_BYTES - 1]) = (0, 0);
    let (mut code, mut relocations) = (Vec::new(), Vec::new());
    for index in 0..STUBS {
        let (start, slot) = (0x1000 + index * 8, 0x100_0000 + index * 8);
        let displacement = (slot - (start + 6)) as u32;
        code.extend([0xff, 0x25]);
        code.extend(displacement.to_le_bytes());
        code.extend([0x90, 0x90]);
        for word in [slot, 6, 0] {
            relocations.extend(word.to_le_bytes());
        }
    }
    let mut elf = CraftedElf::default();
    elf.section(".plt", code, 0)
        .section(".rela.plt", relocations, 0)
        .section(".dynsym", symbol(1, 0x9000), 0)
        .section(".dynstr", strings, 0);
    let object = finished(&elf);
    let roomy = ObjectImage::read_within(&object, &ByteBudget::of(128 * MIB)).unwrap();
    assert!(roomy.heap_bytes() > STUBS as usize * (NAME_BYTES - 2));
    let refusal = spent(&object, &ByteBudget::of(32 * MIB));
    assert!(refusal.contains("procedure linkage table"), "{refusal}");
}

#[test]
fn a_string_table_without_an_end_gives_no_names() {
    let symbols: Vec<u8> = (0..100_000)
        .flat_map(|index| symbol(index + 1, 0x9000))
        .collect();
    let mut elf = CraftedElf::default();
    elf.section(".symtab", symbols, 0)
        .section(".strtab", vec![b'x'; 8 * MIB], 0);
    let image = ObjectImage::read(&finished(&elf)).unwrap();
    assert_eq!(
        image.symbol_counts().map(|(_, count)| count).sum::<usize>(),
        0
    );
}
