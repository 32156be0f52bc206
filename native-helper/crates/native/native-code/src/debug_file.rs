//! Symbols from a separate debug file: taken only when it is proven to be of this very build.

use std::io;

use byte_budget::{BudgetSpent, ByteBudget};

use crate::debug_link::crc32_of;
use crate::elf_layout::ElfLayout;
use crate::error::ImageError;
use crate::image::{BuildId, ObjectImage};
use crate::object_part::PartReader;
use crate::source::ImageSource;
use crate::symbols::{NameSource, SymbolTable};

/// What proves that a debug file belongs to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugProof {
    /// Both have the same build id.
    BuildId,
    /// The file's checksum is the one in the object's `.gnu_debuglink`; and where both have a
    /// build id, these are the same.
    Checksum,
}

/// Why a debug file was not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DebugFileError {
    /// It is no ELF object that can be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// It is of another build, or does not identify its build.
    #[error("its build id is {}, not {expected}", found.as_ref().map_or_else(|| "missing".to_owned(), ToString::to_string))]
    OtherBuildId {
        /// The object's.
        expected: BuildId,
        /// The file's.
        found: Option<BuildId>,
    },
    /// The object has nothing to recognise it by.
    #[error("the object has neither a build id nor a debug link")]
    Unrecognisable,
    /// It is not the file that the object was stripped to.
    #[error("its checksum is {found:08x}, not {expected:08x}")]
    OtherChecksum {
        /// The checksum that the object states.
        expected: u32,
        /// What the file has.
        found: u32,
    },
    /// Its code is laid out otherwise.
    #[error("its code lies elsewhere than the object's")]
    OtherLayout,
    /// It has no symbol table.
    #[error("it names no function")]
    NoSymbols,
    /// The byte budget of the target has no room for its symbols.
    #[error(transparent)]
    BudgetSpent(#[from] BudgetSpent),
    /// Reading it failed.
    #[error("reading it: {0}")]
    Io(#[from] io::Error),
}

/// Checks that a file is an object with that build id, within the budget; the rest of the file is
/// not examined.
///
/// # Errors
/// When it is not.
pub fn has_build_id(
    file: &(impl ImageSource + ?Sized),
    expected: &BuildId,
    budget: &ByteBudget,
) -> Result<(), DebugFileError> {
    let layout = ElfLayout::read(file, budget)?;
    let mut reader = PartReader::new(file, &layout, budget);
    let found = reader.build_id().map(|note| note.build_id);
    match (reader.spent, found) {
        (Some(spent), _) => Err(spent.into()),
        (None, Some(found)) if found == *expected => Ok(()),
        (None, found) => Err(DebugFileError::OtherBuildId {
            expected: expected.clone(),
            found,
        }),
    }
}

impl ObjectImage {
    /// Adds the symbols of a debug file, after the requested proof, within the budget of the target. Returns how many
    /// functions the file names.
    ///
    /// # Errors
    /// When the proof fails, there is nothing to add, or the budget is used up; the object then is as
    /// before.
    pub fn add_debug_file(
        &mut self,
        file: &(impl ImageSource + ?Sized),
        proof: DebugProof,
        budget: &ByteBudget,
    ) -> Result<usize, DebugFileError> {
        let layout = ElfLayout::read(file, budget)?;
        let mut reader = PartReader::new(file, &layout, budget);
        let theirs = reader.build_id().map(|note| note.build_id);
        self.check_build_id(theirs, proof)?;
        if proof == DebugProof::Checksum {
            let expected = self
                .debug_link()
                .ok_or(DebugFileError::Unrecognisable)?
                .crc32;
            let found = crc32_of(file)?;
            if found != expected {
                return Err(DebugFileError::OtherChecksum { expected, found });
            }
        }
        if let (Some(own), Some(theirs)) = (self.text, layout.place_of(".text"))
            && own != theirs
        {
            return Err(DebugFileError::OtherLayout);
        }
        let parts = reader.section(".symtab").zip(reader.section(".strtab"));
        if let Some(spent) = reader.spent {
            return Err(spent.into());
        }
        let (table, strings) = parts.ok_or(DebugFileError::NoSymbols)?;
        let source = NameSource::DebugFile;
        let table = SymbolTable::build(budget, source, &table.bytes, strings.bytes)?;
        let functions = table.functions().count();
        if functions == 0 {
            return Err(DebugFileError::NoSymbols);
        }
        self.symbols.add(table);
        Ok(functions)
    }

    fn check_build_id(
        &self,
        found: Option<BuildId>,
        proof: DebugProof,
    ) -> Result<(), DebugFileError> {
        let other = |expected: &BuildId, found| DebugFileError::OtherBuildId {
            expected: expected.clone(),
            found,
        };
        match (self.build_id(), found, proof) {
            (Some(own), Some(theirs), _) if *own == theirs => Ok(()),
            (Some(own), Some(theirs), _) => Err(other(own, Some(theirs))),
            (_, _, DebugProof::Checksum) => Ok(()),
            (Some(own), None, DebugProof::BuildId) => Err(other(own, None)),
            (None, _, DebugProof::BuildId) => Err(DebugFileError::Unrecognisable),
        }
    }
}
