//! Parts of an object file: sections, and the parts that its program headers name.

use byte_budget::{BudgetSpent, ByteBudget, HeldBytes};

use crate::elf_layout::{ElfLayout, Section, read_part};
use crate::error::ImageError;
use crate::source::ImageSource;

/// Address and bytes of a part that is there and readable.
pub(crate) struct Part {
    pub svma: u64,
    pub bytes: HeldBytes,
}

/// Reads parts, and remembers those that are there but unusable.
pub(crate) struct PartReader<'a, S: ?Sized> {
    pub source: &'a S,
    pub layout: &'a ElfLayout,
    pub budget: &'a ByteBudget,
    pub omitted: Vec<String>,
    /// There was no room for a part, so there is none for the object.
    pub spent: Option<BudgetSpent>,
}

impl<'a, S: ImageSource + ?Sized> PartReader<'a, S> {
    pub(crate) fn new(source: &'a S, layout: &'a ElfLayout, budget: &'a ByteBudget) -> Self {
        Self {
            source,
            layout,
            budget,
            omitted: Vec::new(),
            spent: None,
        }
    }

    pub(crate) fn section(&mut self, name: &'static str) -> Option<Part> {
        let Section {
            svma,
            file_offset,
            bytes,
            ..
        } = *self.layout.section(name)?;
        self.read(name, svma, file_offset, bytes)
    }

    pub(crate) fn read(
        &mut self,
        name: &'static str,
        svma: u64,
        offset: u64,
        bytes: u64,
    ) -> Option<Part> {
        match read_part((self.source, self.budget), name, offset, bytes) {
            Ok(bytes) => Some(Part { svma, bytes }),
            Err(ImageError::BudgetSpent(spent)) => {
                self.spent.get_or_insert(spent);
                None
            }
            Err(error) => {
                self.omitted.push(format!("{name}: {error}"));
                None
            }
        }
    }
}
