//! Where code was compiled from: files, lines and inlined functions, by debug information.
//!
//! The information may be the target's own making. Bytes read of it are counted and limited
//! ([`metered`]), and tables made from it are measured first ([`tables`]); both within the budget
//! of the target, of which half stays for more important data.

mod declarations;
mod metered;
mod sections;
mod tables;
mod units;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use addr2line::{Context, LookupResult};
use byte_budget::{ByteBudget, Held};
use gimli::Reader;

use crate::elf_layout::ElfLayout;
use crate::error::ImageError;
use crate::source::ImageSource;
use declarations::{Declaration, Declarations};
use metered::Metered;
use sections::PackedSections;
use units::Units;

/// Functions inlined into each other deeper than this are not told apart.
const MAX_INLINED: usize = 64;
/// Longer names and paths are left out.
const MAX_TEXT_BYTES: usize = 4096;

/// Why lines are not known although there is debug information.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinesError {
    /// A section cannot be read.
    #[error(transparent)]
    Section(#[from] ImageError),
    /// A section is compressed in a way that is not understood.
    #[error("{section} is compressed in a way that is not understood")]
    Compression {
        /// Its name.
        section: &'static str,
    },
    /// The rest of the budget is for more important data.
    #[error("there is no room for it")]
    NoRoom,
    /// It contradicts itself, or leads in circles.
    #[error("debug information: {0}")]
    Damaged(#[from] gimli::Error),
    /// Scopes are nested deeper than compilers do.
    #[error("debug information: scopes nested too deep")]
    TooDeep,
    /// Entries have more attributes than compilers give them.
    #[error("debug information: too many attributes")]
    TooManyAttributes,
}

/// One function at an address: the one whose code it is, or one that was inlined there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFrame {
    /// As the linker or the compiler spells it; empty when neither names it.
    pub name: String,
    /// File of the function's head, as the compiler had it: absolute, or below the replacement that
    /// the compiler's options give for its folder; empty when unknown.
    pub file: String,
    /// Line of the function's head; 0 when unknown.
    pub head_line: u32,
    /// Line of the address, or of the call that was inlined; 0 when it is not known or in another
    /// file than the head (an included one).
    pub line: u32,
}

/// Lines of one object.
pub struct SourceLines(Mutex<State>);

impl fmt::Debug for SourceLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceLines").finish_non_exhaustive()
    }
}

enum State {
    /// Read, and not yet parsed: most objects of a VM are never sampled.
    Packed {
        sections: PackedSections,
        budget: ByteBudget,
    },
    Ready(Box<Ready>),
    Unusable(LinesError),
}

struct Ready {
    units: Units,
    declarations: Declarations,
    _held: Held,
}

impl SourceLines {
    /// Reads the debug information of a file; `None` when it has none.
    ///
    /// # Errors
    /// When it cannot be read, or there is no room for it.
    pub fn read(
        source: &(impl ImageSource + ?Sized),
        budget: &ByteBudget,
    ) -> Result<Option<Self>, LinesError> {
        let layout = ElfLayout::read(source, budget)?;
        if !sections::has_lines(&layout) {
            return Ok(None);
        }
        let sections = PackedSections::read(source, &layout, budget)?;
        let budget = budget.clone();
        Ok(Some(Self(Mutex::new(State::Packed { sections, budget }))))
    }

    /// The functions at an address, the innermost first. Empty when nothing is known; the last one
    /// is the function whose code it is.
    #[must_use]
    pub fn frames_at(&self, svma: u64) -> Vec<SourceFrame> {
        // No code is at the last address, and addr2line looks at the one after it.
        if svma == u64::MAX {
            return Vec::new();
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.get_ready();
        match &mut *state {
            State::Ready(ready) => ready.frames_at(svma).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Why nothing is known, when that showed.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            State::Unusable(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

impl State {
    fn get_ready(&mut self) {
        let state = std::mem::replace(self, Self::Unusable(LinesError::NoRoom));
        *self = match state {
            Self::Packed { sections, budget } => match Ready::of(sections, &budget) {
                Ok(ready) => Self::Ready(Box::new(ready)),
                Err(error) => Self::Unusable(error),
            },
            ready_or_not => ready_or_not,
        };
    }
}

impl Ready {
    fn of(packed: PackedSections, budget: &ByteBudget) -> Result<Self, LinesError> {
        let (sections, meter) = packed.inflated(budget)?;
        let dwarf = Arc::new(sections.all());
        let measured = tables::measure(&dwarf, &meter, budget)?;
        Ok(Self {
            units: Units::new(sections, dwarf, measured.index),
            declarations: Declarations::new(measured.units),
            _held: measured.held,
        })
    }

    fn frames_at(&mut self, svma: u64) -> Result<Vec<SourceFrame>, LinesError> {
        let (units, declarations) = (&mut self.units, &mut self.declarations);
        let headers = declarations.units();
        let frames = units.look_up(&headers, svma, |context| {
            let frames = frames_in(context, declarations, svma)?;
            Ok((!frames.is_empty()).then_some(frames))
        });
        Ok(frames?.unwrap_or_default())
    }
}

fn frames_in(
    context: &Context<Metered>,
    declarations: &mut Declarations,
    svma: u64,
) -> gimli::Result<Vec<SourceFrame>> {
    // Debug information that was split off is not looked for.
    let LookupResult::Output(found) = context.find_frames(svma) else {
        return Ok(Vec::new());
    };
    let LookupResult::Output(unit) = context.find_dwarf_and_unit(svma) else {
        return Ok(Vec::new());
    };
    let mut found = found?;
    let mut frames = Vec::new();
    while let Some(frame) = found.next()? {
        if frames.len() == MAX_INLINED {
            return Ok(Vec::new());
        }
        let declared = match (unit, frame.dw_die_offset) {
            (Some(unit), Some(entry)) => declarations.of(unit, entry)?,
            _ => None,
        };
        let name = frame.function.as_ref().map(|function| &function.name);
        let name = match name.filter(|name| name.len() <= MAX_TEXT_BYTES) {
            Some(name) => name.to_string_lossy()?.into_owned(),
            None => String::new(),
        };
        frames.push(frame_of(name, frame.location, declared));
    }
    Ok(frames)
}

/// A place counts only with the function's own: that gives the file of the line.
fn frame_of(
    name: String,
    place: Option<addr2line::Location<'_>>,
    declared: Option<Declaration>,
) -> SourceFrame {
    let Some(declared) = declared else {
        return SourceFrame {
            name,
            ..SourceFrame::default()
        };
    };
    let line = place.and_then(|place| {
        let is_there = place.file.is_some_and(|file| declared.is_in(file));
        place.line.filter(|_| is_there)
    });
    SourceFrame {
        name,
        file: declared.file,
        head_line: declared.line,
        line: line.unwrap_or(0),
    }
}
