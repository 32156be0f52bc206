//! For tests: ELF files (64 bits, little endian, of the processor we run on) whose headers contain
//! whatever a test requires, true or not. The writers in libraries refuse to write false headers,
//! so this crate has its own.

mod bytes;
mod object;
mod segments;

pub use object::{CraftedElf, CraftedFile};
pub use segments::add_untouched_segments;

const HEADER_BYTES: usize = 64;
const PROGRAM_HEADER_BYTES: usize = 56;
const SECTION_HEADER_BYTES: usize = 64;
/// The sections of an object that a profiler reads whole.
pub const SECTIONS_READ: [&str; 6] = [
    ".symtab",
    ".strtab",
    ".dynsym",
    ".dynstr",
    ".eh_frame_hdr",
    ".eh_frame",
];
/// A segment that is mapped.
pub const PT_LOAD: u32 = 1;
/// A segment that holds notes.
pub const PT_NOTE: u32 = 4;

/// The fields of the file header that contain the place and length of the tables.
mod file_header {
    pub const KIND: usize = 16;
    pub const MACHINE: usize = 18;
    pub const VERSION: usize = 20;
    pub const PROGRAM_HEADERS_AT: usize = 32;
    pub const SECTION_HEADERS_AT: usize = 40;
    pub const HEADER_BYTES: usize = 52;
    pub const PROGRAM_HEADER_BYTES: usize = 54;
    pub const PROGRAM_HEADER_COUNT: usize = 56;
    pub const SECTION_HEADER_BYTES: usize = 58;
    pub const SECTION_COUNT: usize = 60;
    pub const SECTION_OF_NAMES: usize = 62;
}

/// The fields of a program header.
mod program_header {
    pub const KIND: usize = 0;
    pub const FLAGS: usize = 4;
    pub const OFFSET: usize = 8;
    pub const ADDRESS: usize = 16;
    pub const PHYSICAL_ADDRESS: usize = 24;
    pub const FILE_BYTES: usize = 32;
    pub const MEMORY_BYTES: usize = 40;
    pub const ALIGNMENT: usize = 48;
}

/// The fields of a section header.
mod section_header {
    pub const NAME: usize = 0;
    pub const KIND: usize = 4;
    pub const FLAGS: usize = 8;
    pub const ADDRESS: usize = 16;
    pub const OFFSET: usize = 24;
    pub const BYTES: usize = 32;
    pub const ENTRY_BYTES: usize = 56;
}
