//! Parts of an object file: sections, and what its program headers name.

use crate::elf_layout::{ElfLayout, Section, read_part};
use crate::source::ImageSource;

/// Address and bytes of a part that is there and readable.
pub(crate) struct Part {
    pub svma: u64,
    pub bytes: Vec<u8>,
}

/// Reads parts, and remembers those that are there but unusable.
pub(crate) struct PartReader<'a, S: ?Sized> {
    pub source: &'a S,
    pub layout: &'a ElfLayout,
    pub omitted: Vec<String>,
}

impl<S: ImageSource + ?Sized> PartReader<'_, S> {
    pub(crate) fn section(&mut self, name: &str) -> Option<Part> {
        let Section {
            svma,
            file_offset,
            bytes,
            ..
        } = *self.layout.section(name)?;
        self.read(name, svma, file_offset, bytes)
    }

    pub(crate) fn read(&mut self, name: &str, svma: u64, offset: u64, bytes: u64) -> Option<Part> {
        match read_part(self.source, offset, bytes) {
            Ok(bytes) => Some(Part { svma, bytes }),
            Err(error) => {
                self.omitted.push(format!("{name}: {error}"));
                None
            }
        }
    }
}
