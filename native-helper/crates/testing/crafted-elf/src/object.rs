//! A shared object, put together from segments and sections.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::bytes::put;
use crate::{
    HEADER_BYTES, PROGRAM_HEADER_BYTES, SECTION_HEADER_BYTES, file_header, program_header,
    section_header,
};

const MAGIC_LITTLE_ENDIAN_64: [u8; 8] = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0];
const SHARED_OBJECT: u16 = 3;
const READ_AND_EXECUTE: u32 = 5;
const SHT_PROGBITS: u32 = 1;
const SHF_COMPRESSED: u64 = 1 << 11;
/// The load address in the header of every section.
const SECTION_ADDRESS: u64 = 0x1000;

/// A shared object in the making.
#[derive(Debug, Default)]
pub struct CraftedElf {
    segments: Vec<Segment>,
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Segment {
    kind: u32,
    offset: u64,
    bytes: u64,
}

#[derive(Debug)]
struct Section {
    name: &'static str,
    content: Vec<u8>,
    claimed_bytes: u64,
    flags: u64,
}

/// The file: the bytes written, and zeros (holes, on a disk) after them.
#[derive(Debug)]
pub struct CraftedFile {
    written: Vec<u8>,
    length_bytes: u64,
}

impl CraftedElf {
    /// Adds a program header of `kind` over `bytes` at `offset` of the file.
    pub fn segment(&mut self, kind: u32, offset: u64, bytes: u64) -> &mut Self {
        self.segments.push(Segment {
            kind,
            offset,
            bytes,
        });
        self
    }

    /// Adds a section whose header claims at least `claimed_bytes`: `content` is followed by the
    /// next sections and then zeros.
    pub fn section(
        &mut self,
        name: &'static str,
        content: Vec<u8>,
        claimed_bytes: usize,
    ) -> &mut Self {
        self.sections.push(Section {
            name,
            content,
            claimed_bytes: claimed_bytes as u64,
            flags: 0,
        });
        self
    }

    /// Adds a section whose header marks it as compressed: `content` begins with the method.
    pub fn compressed_section(&mut self, name: &'static str, content: Vec<u8>) -> &mut Self {
        self.sections.push(Section {
            name,
            content,
            claimed_bytes: 0,
            flags: SHF_COMPRESSED,
        });
        self
    }

    /// The file: headers, program headers, section headers, contents, and the names of sections.
    pub fn finish(&self) -> CraftedFile {
        let (names, name_offsets) = self.section_names();
        let of_names = Section {
            name: "",
            content: names,
            claimed_bytes: 0,
            flags: 0,
        };
        let sections_at = HEADER_BYTES + self.segments.len() * PROGRAM_HEADER_BYTES;
        let mut content_at = sections_at + (self.sections.len() + 1) * SECTION_HEADER_BYTES;
        let mut written = vec![0; content_at];
        self.write_file_header(&mut written, sections_at);
        for (index, segment) in self.segments.iter().enumerate() {
            let at = HEADER_BYTES + index * PROGRAM_HEADER_BYTES;
            segment.write(&mut written[at..at + PROGRAM_HEADER_BYTES]);
        }
        let mut longest = 0;
        for (index, section) in self.sections.iter().chain([&of_names]).enumerate() {
            let name = name_offsets.get(index).copied().unwrap_or(0);
            let bytes = section.claimed_bytes.max(section.content.len() as u64);
            let at = sections_at + index * SECTION_HEADER_BYTES;
            let header = &mut written[at..at + SECTION_HEADER_BYTES];
            write_section_header(header, (name, section.flags), content_at as u64, bytes);
            written.extend(&section.content);
            content_at += section.content.len();
            longest = longest.max(bytes);
        }
        CraftedFile {
            length_bytes: written.len() as u64 + longest,
            written,
        }
    }

    /// The string table of section names, and where in it each section's name is.
    fn section_names(&self) -> (Vec<u8>, Vec<u32>) {
        let mut names = vec![0];
        let mut offsets = Vec::new();
        for section in &self.sections {
            offsets.push(names.len() as u32);
            names.extend(section.name.as_bytes());
            names.push(0);
        }
        (names, offsets)
    }

    fn write_file_header(&self, file: &mut [u8], sections_at: usize) {
        put(file, 0, &MAGIC_LITTLE_ENDIAN_64);
        put(file, file_header::VERSION, &1u32.to_le_bytes());
        for (at, value) in [
            (file_header::PROGRAM_HEADERS_AT, HEADER_BYTES as u64),
            (file_header::SECTION_HEADERS_AT, sections_at as u64),
        ] {
            put(file, at, &value.to_le_bytes());
        }
        for (at, value) in [
            (file_header::KIND, SHARED_OBJECT),
            (file_header::MACHINE, arch::elf::MACHINE),
            (file_header::HEADER_BYTES, HEADER_BYTES as u16),
            (
                file_header::PROGRAM_HEADER_BYTES,
                PROGRAM_HEADER_BYTES as u16,
            ),
            (
                file_header::PROGRAM_HEADER_COUNT,
                self.segments.len() as u16,
            ),
            (
                file_header::SECTION_HEADER_BYTES,
                SECTION_HEADER_BYTES as u16,
            ),
            (file_header::SECTION_COUNT, self.sections.len() as u16 + 1),
            (file_header::SECTION_OF_NAMES, self.sections.len() as u16),
        ] {
            put(file, at, &value.to_le_bytes());
        }
    }
}

impl Segment {
    fn write(&self, header: &mut [u8]) {
        put(header, program_header::KIND, &self.kind.to_le_bytes());
        put(
            header,
            program_header::FLAGS,
            &READ_AND_EXECUTE.to_le_bytes(),
        );
        for (at, value) in [
            (program_header::OFFSET, self.offset),
            (program_header::ADDRESS, self.offset),
            (program_header::FILE_BYTES, self.bytes),
            (program_header::MEMORY_BYTES, self.bytes),
        ] {
            put(header, at, &value.to_le_bytes());
        }
    }
}

fn write_section_header(header: &mut [u8], (name, flags): (u32, u64), offset: u64, bytes: u64) {
    put(header, section_header::NAME, &name.to_le_bytes());
    put(header, section_header::KIND, &SHT_PROGBITS.to_le_bytes());
    for (at, value) in [
        (section_header::FLAGS, flags),
        (section_header::ADDRESS, SECTION_ADDRESS),
        (section_header::OFFSET, offset),
        (section_header::BYTES, bytes),
        (section_header::ENTRY_BYTES, 8),
    ] {
        put(header, at, &value.to_le_bytes());
    }
}

impl CraftedFile {
    /// How long the file is, the zeros at its end included.
    pub fn length_bytes(&self) -> u64 {
        self.length_bytes
    }

    /// Fills `buffer` with the bytes at `offset`; with zeros beyond the written ones.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) {
        let written = self.written.get(offset as usize..).unwrap_or_default();
        let written = &written[..written.len().min(buffer.len())];
        buffer.fill(0);
        buffer[..written.len()].copy_from_slice(written);
    }

    /// Makes it a file of the disk, where the zeros take no room.
    pub fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(&self.written)?;
        file.set_len(self.length_bytes)
    }
}
