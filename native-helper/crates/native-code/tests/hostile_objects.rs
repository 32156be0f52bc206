//! Objects whose parts are each in order and whose sum is not: what one target costs is bounded all
//! the same.

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)] // A test: an unmet expectation is its failure.

use std::io;

use byte_budget::ByteBudget;
use native_code::image::ImageError;
use native_code::{ImageSource, ObjectImage};

const MIB: usize = 1 << 20;
const HEADER_BYTES: usize = 64;
const PROGRAM_BYTES: usize = 56;
const SECTION_BYTES: usize = 64;
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const SHT_PROGBITS: u32 = 1;

/// Writes an ELF object: headers, program headers, sections, and what the sections hold.
#[derive(Default)]
struct Writer {
    programs: Vec<(u32, u64, u64)>,
    sections: Vec<(&'static str, Vec<u8>, u64)>,
}

impl Writer {
    /// A program header of that kind over `bytes` at `offset` of the file.
    fn program(&mut self, kind: u32, offset: u64, bytes: u64) -> &mut Self {
        self.programs.push((kind, offset, bytes));
        self
    }

    /// A section that says it is longer than what it holds: what follows are zeros.
    fn section(&mut self, name: &'static str, content: Vec<u8>, says_bytes: usize) -> &mut Self {
        self.sections.push((name, content, says_bytes as u64));
        self
    }

    fn finish(&self) -> Object {
        let mut names = vec![0];
        let mut name_at = Vec::new();
        for (name, ..) in &self.sections {
            name_at.push(names.len() as u32);
            names.extend(name.as_bytes());
            names.push(0);
        }
        let sections_at = HEADER_BYTES + self.programs.len() * PROGRAM_BYTES;
        let mut content_at = sections_at + (self.sections.len() + 1) * SECTION_BYTES;
        let mut head = vec![0; content_at];
        head[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0]);
        put(&mut head, 16, &3u16.to_le_bytes());
        put(&mut head, 18, &62u16.to_le_bytes());
        put(&mut head, 20, &1u32.to_le_bytes());
        put(&mut head, 32, &(HEADER_BYTES as u64).to_le_bytes());
        put(&mut head, 40, &(sections_at as u64).to_le_bytes());
        for (at, value) in [
            (52, HEADER_BYTES),
            (54, PROGRAM_BYTES),
            (56, self.programs.len()),
            (58, SECTION_BYTES),
            (60, self.sections.len() + 1),
            (62, self.sections.len()),
        ] {
            put(&mut head, at, &(value as u16).to_le_bytes());
        }
        for (index, (kind, offset, bytes)) in self.programs.iter().enumerate() {
            let at = HEADER_BYTES + index * PROGRAM_BYTES;
            put(&mut head, at, &kind.to_le_bytes());
            for (word, value) in [(8, offset), (16, offset), (32, bytes), (40, bytes)] {
                put(&mut head, at + word, &value.to_le_bytes());
            }
        }
        let mut longest = 0;
        let own_names = ("", names, 0);
        for (index, (_, content, says)) in self.sections.iter().chain([&own_names]).enumerate() {
            let at = sections_at + index * SECTION_BYTES;
            let bytes = (*says).max(content.len() as u64);
            put(
                &mut head,
                at,
                &name_at.get(index).copied().unwrap_or(0).to_le_bytes(),
            );
            put(&mut head, at + 4, &SHT_PROGBITS.to_le_bytes());
            for (word, value) in [(16, 0x1000), (24, content_at as u64), (32, bytes)] {
                put(&mut head, at + word, &value.to_le_bytes());
            }
            put(&mut head, at + 56, &8u64.to_le_bytes());
            head.extend(content);
            content_at += content.len();
            longest = longest.max(bytes);
        }
        Object {
            length_bytes: head.len() as u64 + longest,
            head,
        }
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// The object, zeros after what was written.
struct Object {
    head: Vec<u8>,
    length_bytes: u64,
}

impl ImageSource for Object {
    fn length_bytes(&self) -> io::Result<u64> {
        Ok(self.length_bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let written = self.head.get(offset as usize..).unwrap_or_default();
        let written = &written[..written.len().min(buffer.len())];
        buffer.fill(0);
        buffer[..written.len()].copy_from_slice(written);
        Ok(())
    }
}

const SECTIONS: [&str; 6] = [
    ".symtab",
    ".strtab",
    ".dynsym",
    ".dynstr",
    ".eh_frame_hdr",
    ".eh_frame",
];

fn spent(object: &Object, budget: &ByteBudget) -> String {
    match ObjectImage::read_within(object, budget) {
        Err(ImageError::BudgetSpent(spent)) => spent.to_string(),
        other => panic!("{:?}", other.map(|image| image.heap_bytes())),
    }
}

#[test]
fn an_object_of_the_writer_is_read() {
    let mut writer = Writer::default();
    writer.program(PT_LOAD, 0, 0x2000);
    for section in SECTIONS {
        writer.section(section, Vec::new(), 0x100);
    }
    let budget = ByteBudget::of(MIB);
    let image = ObjectImage::read_within(&writer.finish(), &budget).unwrap();
    assert_eq!(image.loaded_ranges().count(), 1);
    assert!(budget.held_bytes() >= image.heap_bytes());
    drop(image);
    assert_eq!(budget.held_bytes(), 0);
}

#[test]
fn program_headers_that_repeat_are_refused() {
    let mut writer = Writer::default();
    for _ in 0..60_000 {
        writer.program(PT_LOAD, 0, 60 << 20);
    }
    let error = ObjectImage::read(&writer.finish()).unwrap_err();
    assert!(
        matches!(error, ImageError::TooManyHeaders { count: 60_000 }),
        "{error}"
    );
}

#[test]
fn notes_that_are_none_are_not_read() {
    let mut writer = Writer::default();
    for _ in 0..200 {
        writer.program(PT_NOTE, 0, 20 << 20);
    }
    writer.section(".symtab", Vec::new(), 20 << 20);
    let budget = ByteBudget::of(4 * MIB);
    // Only the symbols are too much: two hundred notes cost nothing.
    assert!(spent(&writer.finish(), &budget).contains(".symtab"));
}

#[test]
fn parts_that_are_large_together_use_the_budget_up() {
    let mut writer = Writer::default();
    for section in SECTIONS {
        writer.section(section, Vec::new(), 20 << 20);
    }
    let object = writer.finish();
    let budget = ByteBudget::of(64 * MIB);
    let said = spent(&object, &budget);
    assert!(said.contains("no more than 64 MiB is held"), "{said}");
    assert_eq!(budget.held_bytes(), 0, "what was read is given back");
}

#[test]
fn objects_that_are_kept_use_the_budget_up_together() {
    let mut writer = Writer::default();
    writer.section(".eh_frame", Vec::new(), 20 << 20);
    let object = writer.finish();
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
    put(&mut entry, 0, &name.to_le_bytes());
    entry[4] = 0x12;
    put(&mut entry, 6, &1u16.to_le_bytes());
    put(&mut entry, 8, &value.to_le_bytes());
    put(&mut entry, 16, &16u64.to_le_bytes());
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
    let mut writer = Writer::default();
    writer
        .section(".plt", code, 0)
        .section(".rela.plt", relocations, 0)
        .section(".dynsym", symbol(1, 0x9000), 0)
        .section(".dynstr", strings, 0);
    let object = writer.finish();
    let roomy = ObjectImage::read_within(&object, &ByteBudget::of(128 * MIB)).unwrap();
    assert!(roomy.heap_bytes() > STUBS as usize * (NAME_BYTES - 2));
    let said = spent(&object, &ByteBudget::of(32 * MIB));
    assert!(said.contains("procedure linkage table"), "{said}");
}

#[test]
fn a_string_table_without_an_end_gives_no_names() {
    let symbols: Vec<u8> = (0..100_000)
        .flat_map(|index| symbol(index + 1, 0x9000))
        .collect();
    let mut writer = Writer::default();
    writer
        .section(".symtab", symbols, 0)
        .section(".strtab", vec![b'x'; 8 * MIB], 0);
    let image = ObjectImage::read(&writer.finish()).unwrap();
    assert_eq!(
        image.symbol_counts().map(|(_, count)| count).sum::<usize>(),
        0
    );
}
