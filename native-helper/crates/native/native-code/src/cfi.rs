//! Call frame information: from `.eh_frame` to [`UnwindRow`]s.

use std::fmt;

use arch::unwind::{GENERAL_COUNT, RETURN_ADDRESS, STACK_POINTER};
use byte_budget::{BudgetSpent, ByteBudget, Held, HeldBytes};
use gimli::{
    BaseAddresses, CieOrFde, EhFrame, EhFrameHdr, EhFrameOffset, EndianSlice, LittleEndian,
    Operation, UnwindContext, UnwindExpression, UnwindSection,
};

use crate::object_part::Part;
use crate::unwind_row::{CfaRule, RegisterRule, UnwindRow};

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Why there is no rule for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CfiError {
    /// The object has no information about it.
    #[error("no unwind information")]
    NoFde,
    /// The table is damaged.
    #[error("damaged unwind table: {0}")]
    Damaged(gimli::Error),
    /// A rule of a kind that compilers for x86-64 do not emit.
    #[error("unknown kind of unwind rule")]
    Unsupported,
}

impl From<gimli::Error> for CfiError {
    fn from(error: gimli::Error) -> Self {
        Self::Damaged(error)
    }
}

/// Working memory for evaluating unwind tables, to be kept and used again.
pub struct CfiScratch(UnwindContext<usize>);

impl CfiScratch {
    /// Takes the memory once.
    #[must_use]
    pub fn new() -> Self {
        Self(UnwindContext::new())
    }
}

impl Default for CfiScratch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for CfiScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CfiScratch")
    }
}

#[derive(Debug, Clone, Copy)]
struct FdeStart {
    svma: u64,
    /// In `.eh_frame`, bytes.
    offset: u32,
}

/// The unwind rules of one object.
#[derive(Debug, Default)]
pub struct UnwindTable {
    eh_frame: Option<HeldBytes>,
    _held: Option<Held>,
    bases: BaseAddresses,
    /// By address.
    fdes: Vec<FdeStart>,
}

/// More functions than any object has; a bound on memory for a damaged table.
const MAX_FDES: usize = 1 << 20;

impl UnwindTable {
    /// The address of `.eh_frame` that `.eh_frame_hdr` contains.
    pub(crate) fn eh_frame_address(header: &Part) -> Option<u64> {
        let bases = BaseAddresses::default().set_eh_frame_hdr(header.svma);
        let parsed = EhFrameHdr::new(&header.bytes, LittleEndian)
            .parse(&bases, 8)
            .ok()?;
        parsed.eh_frame_ptr().direct().ok()
    }

    /// Lists the functions by the linker's sorted table when there is one, else by a scan.
    pub(crate) fn build(
        budget: &ByteBudget,
        header: Option<&Part>,
        frames: Part,
    ) -> Result<Self, BudgetSpent> {
        let mut bases = BaseAddresses::default().set_eh_frame(frames.svma);
        if let Some(header) = header {
            bases = bases.set_eh_frame_hdr(header.svma);
        }
        let listed = header.and_then(|header| listed_fdes(header, &frames, &bases));
        let mut fdes = listed.unwrap_or_else(|| scanned_fdes(&frames, &bases));
        if !fdes.is_sorted_by_key(|fde| fde.svma) {
            fdes.sort_unstable_by_key(|fde| fde.svma);
        }
        fdes.shrink_to_fit();
        let held = budget.hold(
            "unwind tables",
            fdes.capacity().saturating_mul(size_of::<FdeStart>()),
        )?;
        Ok(Self {
            eh_frame: Some(frames.bytes),
            _held: Some(held),
            bases,
            fdes,
        })
    }

    /// Number of functions the table knows.
    #[must_use]
    pub fn function_count(&self) -> usize {
        self.fdes.len()
    }

    /// Where the functions start that the table knows, in order.
    pub fn function_starts(&self) -> impl Iterator<Item = u64> + '_ {
        self.fdes.iter().map(|fde| fde.svma)
    }

    fn eh_frame(&self) -> &[u8] {
        self.eh_frame.as_deref().unwrap_or_default()
    }

    fn section(&self) -> EhFrame<Slice<'_>> {
        EhFrame::new(self.eh_frame(), LittleEndian)
    }

    fn fde_at(&self, svma: u64) -> Result<gimli::FrameDescriptionEntry<Slice<'_>>, CfiError> {
        let after = self.fdes.partition_point(|fde| fde.svma <= svma);
        let entry = after
            .checked_sub(1)
            .and_then(|at| self.fdes.get(at))
            .ok_or(CfiError::NoFde)?;
        let offset = EhFrameOffset(entry.offset as usize);
        let fde = self
            .section()
            .fde_from_offset(&self.bases, offset, EhFrame::cie_from_offset)?;
        if fde.contains(svma) {
            Ok(fde)
        } else {
            Err(CfiError::NoFde)
        }
    }

    /// First address of the function that holds an address, and first address after it.
    #[must_use]
    pub fn function_bounds(&self, svma: u64) -> Option<(u64, u64)> {
        let fde = self.fde_at(svma).ok()?;
        Some((fde.initial_address(), fde.end_address()))
    }

    /// The rules at an address.
    ///
    /// # Errors
    /// When there are none, or they are damaged or of an unknown kind.
    pub fn row_at(&self, scratch: &mut CfiScratch, svma: u64) -> Result<UnwindRow, CfiError> {
        let fde = self.fde_at(svma)?;
        let section = self.section();
        let row = fde.unwind_info_for_address(&section, &self.bases, &mut scratch.0, svma)?;
        let mut result = UnwindRow {
            cfa: cfa_rule(row.cfa(), &section, fde.cie().encoding())?,
            registers: [RegisterRule::SameValue; GENERAL_COUNT],
            changed: 0,
            return_address: RegisterRule::Undefined,
            is_signal_frame: fde.is_signal_trampoline(),
        };
        for (register, rule) in row.registers() {
            let rule = register_rule(rule, &section, fde.cie().encoding());
            if *register == fde.cie().return_address_register() {
                result.return_address = rule?;
            } else if let Some(place) = result.registers.get_mut(usize::from(register.0)) {
                *place = rule?;
                result.changed |= 1 << register.0;
            }
        }
        Ok(result)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.eh_frame().len() + self.fdes.capacity() * size_of::<FdeStart>()
    }
}

/// From the sorted table in `.eh_frame_hdr`; none when it has none or contradicts `.eh_frame`.
fn listed_fdes(header: &Part, frames: &Part, bases: &BaseAddresses) -> Option<Vec<FdeStart>> {
    let parsed = EhFrameHdr::new(&header.bytes, LittleEndian)
        .parse(bases, 8)
        .ok()?;
    let table = parsed.table()?;
    let mut entries = table.iter(bases);
    let mut fdes = Vec::new();
    while let Some((svma, fde)) = entries.next().ok()? {
        let offset = fde.direct().ok()?.checked_sub(frames.svma)?;
        let offset = u32::try_from(offset)
            .ok()
            .filter(|&at| (at as usize) < frames.bytes.len())?;
        if fdes.len() >= MAX_FDES {
            return None;
        }
        fdes.push(FdeStart {
            svma: svma.direct().ok()?,
            offset,
        });
    }
    (!fdes.is_empty()).then_some(fdes)
}

/// From `.eh_frame` itself, up to the first damage.
fn scanned_fdes(frames: &Part, bases: &BaseAddresses) -> Vec<FdeStart> {
    let section = EhFrame::new(&frames.bytes, LittleEndian);
    let mut entries = section.entries(bases);
    let mut fdes = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        if fdes.len() >= MAX_FDES {
            break;
        }
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else {
            continue;
        };
        // Functions that the linker dropped keep an entry at address 0.
        if let Ok(offset) = u32::try_from(fde.offset())
            && fde.initial_address() != 0
        {
            fdes.push(FdeStart {
                svma: fde.initial_address(),
                offset,
            });
        }
    }
    fdes
}

fn small(offset: i64) -> Result<i32, CfiError> {
    i32::try_from(offset).map_err(|_| CfiError::Unsupported)
}

fn general(register: gimli::Register) -> Result<u8, CfiError> {
    u8::try_from(register.0)
        .ok()
        .filter(|&number| number <= RETURN_ADDRESS)
        .ok_or(CfiError::Unsupported)
}

fn cfa_rule(
    rule: &gimli::CfaRule<usize>,
    section: &EhFrame<Slice<'_>>,
    encoding: gimli::Encoding,
) -> Result<CfaRule, CfiError> {
    let expression = match rule {
        gimli::CfaRule::RegisterAndOffset { register, offset } => {
            return Ok(CfaRule::Register {
                register: general(*register)?,
                offset: small(*offset)?,
            });
        }
        gimli::CfaRule::Expression(expression) => expression,
    };
    if let Some(pushed_from) = plt_expression(expression, section)? {
        return Ok(CfaRule::Plt { pushed_from });
    }
    match register_expression(expression, section, encoding)? {
        (register, offset, false) => Ok(CfaRule::Register { register, offset }),
        (register, offset, true) => Ok(CfaRule::Deref { register, offset }),
    }
}

fn register_rule(
    rule: &gimli::RegisterRule<usize>,
    section: &EhFrame<Slice<'_>>,
    encoding: gimli::Encoding,
) -> Result<RegisterRule, CfiError> {
    use gimli::RegisterRule as Theirs;
    Ok(match rule {
        Theirs::Undefined => RegisterRule::Undefined,
        Theirs::SameValue => RegisterRule::SameValue,
        Theirs::Offset(offset) => RegisterRule::AtCfa(small(*offset)?),
        Theirs::ValOffset(offset) => RegisterRule::CfaPlus(small(*offset)?),
        Theirs::Register(register) => RegisterRule::Register(general(*register)?),
        Theirs::Expression(expression) => {
            match register_expression(expression, section, encoding)? {
                (register, offset, false) => RegisterRule::AtRegister { register, offset },
                (_, _, true) => return Err(CfiError::Unsupported),
            }
        }
        _ => return Err(CfiError::Unsupported),
    })
}

/// `DW_OP_breg`, or that and `DW_OP_deref`: (register, offset, whether dereferenced). Compilers
/// emit nothing else for x86-64 but the PLT expression.
fn register_expression(
    expression: &UnwindExpression<usize>,
    section: &EhFrame<Slice<'_>>,
    encoding: gimli::Encoding,
) -> Result<(u8, i32, bool), CfiError> {
    let mut operations = expression.get(section)?.operations(encoding);
    let Some(Operation::RegisterOffset {
        register, offset, ..
    }) = operations.next()?
    else {
        return Err(CfiError::Unsupported);
    };
    let is_deref = match operations.next()? {
        None => false,
        Some(Operation::Deref {
            size: 8,
            space: false,
            ..
        }) if operations.next()?.is_none() => true,
        Some(_) => return Err(CfiError::Unsupported),
    };
    Ok((general(register)?, small(offset)?, is_deref))
}

/// What linkers write for `.plt`: breg7 8, breg16 0, lit15, and, lit N, ge, lit3, shl, plus.
fn plt_expression(
    expression: &UnwindExpression<usize>,
    section: &EhFrame<Slice<'_>>,
) -> Result<Option<u8>, CfiError> {
    const LITERAL_0: u8 = 0x30;
    let bytes = expression.get(section)?.0;
    let [
        0x77,
        8,
        0x80,
        0,
        0x3f,
        0x1a,
        literal,
        0x2a,
        0x33,
        0x24,
        0x22,
    ] = *bytes.slice()
    else {
        return Ok(None);
    };
    Ok(literal.checked_sub(LITERAL_0).filter(|&number| number < 16))
}

const _: () = assert!((STACK_POINTER as usize) < GENERAL_COUNT);
