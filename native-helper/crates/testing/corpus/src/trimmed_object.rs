//! An ELF file without unneeded parts: unwind rules and symbols of other addresses.
//!
//! Everything that is kept stays where it is in the file; the rest becomes zero, which packs to
//! nothing. The linker's search table of unwind rules is written anew, for those that are kept.

use std::collections::BTreeSet;

use target_memory::{u16_at, u32_at, u64_at};

const SECTION_HEADER_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
/// Sections that are kept whole: small, or needed to make sense of the others.
const WHOLE: [&str; 6] = [
    ".note.gnu.build-id",
    ".plt",
    ".plt.sec",
    ".plt.got",
    ".rela.plt",
    ".gnu_debuglink",
];

/// Addresses of an object (svma) whose functions have to stay known.
#[derive(Debug, Default)]
pub struct NeededAddresses(BTreeSet<u64>);

/// Which symbols stay beside those of needed functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variables {
    /// Those of variables and imports: they are looked for by name, or name stubs.
    Keep,
    /// None.
    Drop,
}

impl NeededAddresses {
    /// Adds one.
    pub fn insert(&mut self, svma: u64) {
        self.0.insert(svma);
    }

    fn any_in(&self, start: u64, len_bytes: u64) -> bool {
        let end = start.saturating_add(len_bytes.max(1));
        self.0.range(start..end).next().is_some()
    }
}

struct Section {
    name: String,
    svma: u64,
    offset: usize,
    len: usize,
}

/// What makes an object a library of NIFs or a driver.
const ENTRY_POINTS: [&[u8]; 2] = [b"nif_init", b"driver_init"];

type Pieces = Vec<(u64, Vec<u8>)>;

/// Offsets and bytes of the parts of `file` that are kept; `None` when it is no ELF file.
pub fn trim(file: &[u8], needed: &NeededAddresses, variables: Variables) -> Option<Pieces> {
    let sections = sections(file)?;
    let named = |name: &str| sections.iter().find(|section| section.name == name);
    let mut pieces = headers(file)?;
    for section in WHOLE.iter().filter_map(|name| named(name)) {
        pieces.push(whole(file, section)?);
    }
    for (symbols, strings) in [(".symtab", ".strtab"), (".dynsym", ".dynstr")] {
        if let (Some(symbols), Some(strings)) = (named(symbols), named(strings)) {
            pieces.extend(trim_symbols(file, (symbols, strings), needed, variables)?);
        }
    }
    if let Some(frames) = named(".eh_frame") {
        pieces.extend(trim_frames(file, frames, named(".eh_frame_hdr"), needed)?);
    }
    Some(joined(pieces))
}

/// Pieces with a short gap between them are one, with zeros in the gap.
fn joined(mut pieces: Pieces) -> Pieces {
    const SHORT_GAP_BYTES: u64 = 48;
    pieces.sort_unstable();
    let mut joined: Pieces = Vec::new();
    for (offset, bytes) in pieces {
        match joined.last_mut() {
            Some((start, last)) if offset <= *start + last.len() as u64 + SHORT_GAP_BYTES => {
                // Two symbols may share a name, or one's name be the end of the other's.
                let at = (offset - *start) as usize;
                let len = last.len().max(at + bytes.len());
                last.resize(len, 0);
                last[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            _ => joined.push((offset, bytes)),
        }
    }
    joined
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    let table = usize::try_from(u64_at(file, 0x28)?).ok()?;
    let (count, names) = (u16_at(file, 0x3c)?, u16_at(file, 0x3e)?);
    let header = |index: u16| {
        let start = table.checked_add(usize::from(index) * SECTION_HEADER_BYTES)?;
        file.get(start..start + SECTION_HEADER_BYTES)
    };
    let names_at = usize::try_from(u64_at(header(names)?, 0x18)?).ok()?;
    (0..count)
        .map(|index| {
            let header = header(index)?;
            let name = file.get(names_at + u32_at(header, 0)? as usize..)?;
            let name = name.iter().take_while(|byte| **byte != 0);
            Some(Section {
                name: name.map(|byte| char::from(*byte)).collect(),
                svma: u64_at(header, 0x10)?,
                offset: usize::try_from(u64_at(header, 0x18)?).ok()?,
                len: usize::try_from(u64_at(header, 0x20)?).ok()?,
            })
        })
        .collect()
}

/// The file header, program headers, section headers and their names.
fn headers(file: &[u8]) -> Option<Pieces> {
    let part = |start: u64, len: usize| {
        let from = usize::try_from(start).ok()?;
        Some((start, file.get(from..from.checked_add(len)?)?.to_vec()))
    };
    let section_table = u64_at(file, 0x28)?;
    let names = u64::from(u16_at(file, 0x3e)?) * SECTION_HEADER_BYTES as u64;
    let names = usize::try_from(section_table.checked_add(names)?).ok()?;
    let names_len = usize::try_from(u64_at(file, names + 0x20)?).ok()?;
    Some(vec![
        part(0, 64)?,
        part(u64_at(file, 0x20)?, usize::from(u16_at(file, 0x38)?) * 56)?,
        part(
            section_table,
            usize::from(u16_at(file, 0x3c)?) * SECTION_HEADER_BYTES,
        )?,
        part(u64_at(file, names + 0x18)?, names_len)?,
    ])
}

fn whole(file: &[u8], section: &Section) -> Option<(u64, Vec<u8>)> {
    let bytes = file.get(section.offset..section.offset.checked_add(section.len)?)?;
    Some((section.offset as u64, bytes.to_vec()))
}

/// Entry points and functions that hold a needed address, and perhaps imports and variables.
fn trim_symbols(
    file: &[u8],
    (symbols, strings): (&Section, &Section),
    needed: &NeededAddresses,
    variables: Variables,
) -> Option<Pieces> {
    const VARIABLE: u8 = 1;
    let mut pieces = Vec::new();
    for at in (symbols.offset..symbols.offset.checked_add(symbols.len)?).step_by(SYMBOL_BYTES) {
        let symbol = file.get(at..at + SYMBOL_BYTES)?;
        let is_import = u16_at(symbol, 6)? == 0;
        let is_variable = symbol.get(4)? & 0xf == VARIABLE;
        let is_asked_for = variables == Variables::Keep && (is_import || is_variable);
        let name_at = strings.offset.checked_add(u32_at(symbol, 0)? as usize)?;
        let name = file.get(name_at..)?;
        let name = name.get(..name.iter().position(|byte| *byte == 0)?)?;
        let is_needed = needed.any_in(u64_at(symbol, 8)?, u64_at(symbol, 16)?);
        if is_asked_for || is_needed || ENTRY_POINTS.contains(&name) {
            pieces.push((at as u64, symbol.to_vec()));
            pieces.push((name_at as u64, name.to_vec()));
        }
    }
    Some(pieces)
}

/// Shared entries (CIE) all, those of functions (FDE) that hold a needed address.
fn trim_frames(
    file: &[u8],
    frames: &Section,
    search: Option<&Section>,
    needed: &NeededAddresses,
) -> Option<Pieces> {
    let bytes = file.get(frames.offset..frames.offset.checked_add(frames.len)?)?;
    let mut pieces = Vec::new();
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(len) = u32_at(bytes, at).filter(|len| *len != 0 && *len != u32::MAX) {
        let end = at.checked_add(4 + len as usize)?;
        let entry = bytes.get(at..end)?;
        let is_shared = u32_at(entry, 4)? == 0;
        // Relative to the field itself, 32 bits, as every linker for x86-64 writes them.
        let field = frames.svma.wrapping_add(at as u64 + 8);
        let relative = i64::from(u32_at(entry, 8)?.cast_signed());
        let start = field.wrapping_add_signed(relative);
        let is_needed = !is_shared && needed.any_in(start, u64::from(u32_at(entry, 12)?));
        if is_needed {
            kept.push((start, frames.svma.wrapping_add(at as u64)));
        }
        // The length of an omitted entry stays, so that the entries can still be counted through.
        let shown = if is_shared || is_needed {
            entry.len()
        } else {
            8
        };
        let shown = entry.get(..shown)?.to_vec();
        pieces.push(((frames.offset + at) as u64, shown));
        at = end;
    }
    if let Some(search) = search {
        pieces.push((search.offset as u64, search_table(file, search, kept)?));
    }
    Some(pieces)
}

/// The linker's table of functions by address, with these only.
fn search_table(file: &[u8], search: &Section, mut kept: Vec<(u64, u64)>) -> Option<Vec<u8>> {
    kept.sort_unstable();
    let mut table = file.get(search.offset..search.offset + 8)?.to_vec();
    table.extend(u32::try_from(kept.len()).ok()?.to_le_bytes());
    for (start, entry) in kept {
        for svma in [start, entry] {
            let relative = svma.wrapping_sub(search.svma) as u32;
            table.extend(relative.to_le_bytes());
        }
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use native_code::ObjectImage;
    use native_code::cfi::CfiScratch;
    use proptest::prelude::*;

    fn expand(len: usize, pieces: &Pieces) -> Vec<u8> {
        let mut file = vec![0; len];
        for (offset, bytes) in pieces {
            let start = *offset as usize;
            file[start..start + bytes.len()].copy_from_slice(bytes);
        }
        file
    }

    #[test]
    fn what_is_needed_is_as_before_and_the_rest_is_gone() {
        let file = std::fs::read("/proc/self/exe").unwrap();
        let before = ObjectImage::read(file.as_slice()).unwrap();
        // Functions by the table of unwind rules: a static test program has no dynamic symbols.
        let mut scratch = CfiScratch::new();
        let known: Vec<u64> = (0..file.len() as u64)
            .step_by(4099)
            .filter(|svma| before.row_at(&mut scratch, *svma).is_ok())
            .collect();
        assert!(known.len() > 20, "{} functions", known.len());
        let mut needed = NeededAddresses::default();
        known
            .iter()
            .step_by(2)
            .for_each(|svma| needed.insert(*svma));
        let pieces = trim(&file, &needed, Variables::Drop).unwrap();
        let after = ObjectImage::read(expand(file.len(), &pieces).as_slice()).unwrap();
        assert_eq!(after.build_id(), before.build_id());
        for svma in known.iter().step_by(2) {
            let row =
                |image: &ObjectImage| format!("{:?}", image.row_at(&mut CfiScratch::new(), *svma));
            assert_eq!(row(&after), row(&before));
            assert_eq!(
                after.unwind_table().function_bounds(*svma),
                before.unwind_table().function_bounds(*svma)
            );
        }
        assert!(after.unwind_table().function_count() <= known.len().div_ceil(2));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>, needed: u64) {
            let mut addresses = NeededAddresses::default();
            addresses.insert(needed);
            trim(&bytes, &addresses, Variables::Keep);
        }
    }
}
