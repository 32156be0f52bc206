//! One module image: its header, the names of its functions, its lines.
//!
//! `BeamCodeHeader` starts with the number of functions; its last member is an array of pointers
//! to them, one more than there are functions, the last one to the end of the code. A function
//! starts with its `ErtsCodeInfo` (40 bytes: module at 16, function at 24, arity at 32).
//!
//! The line table is {file names, i32 size of a location at 8, locations at 16, per function a
//! pointer into one array of code addresses at 24}. A location is a line in its low 24 bits and
//! the number of its file above: 0 for the module's own, else one more than the index of its name.

use target_memory::{TargetMemory, bytes_to_words, u16_at, u32_at, u64_at};

use crate::blob::{LineEntry, ModuleCode, NewRange};
use vm_layout::InterpreterLayout;
use vm_layout::TableError;
use vm_tables::atoms::{AtomTable, quoted};

const TABLE: &str = "module image";
/// Bytes of `ErtsCodeInfo`, before the first instruction of a function.
pub(crate) const CODE_INFO_BYTES: u32 = 40;
/// Fields of a line table before its array of functions.
const LINE_HEAD_BYTES: u64 = 24;
/// Most accepted lines of one module, and the longest accepted name of a source file.
const MAX_LINES: u64 = 1 << 20;
const MAX_FILE_CHARS: usize = 1024;
const MAX_FILES: usize = 4096;
const LINE_BITS: u32 = 24;
const NIL: u64 = 0x3b;

fn malformed(detail: &str) -> TableError {
    TableError::malformed(TABLE, detail)
}

/// True when the range starts with a code header.
pub(super) fn is_header(
    memory: &impl TargetMemory,
    layout: InterpreterLayout,
    start: u64,
    end: u64,
) -> bool {
    let first = memory.read_u64(start.wrapping_add(layout.functions as u64));
    let count = memory.read_u64(start);
    let (Ok(count), Ok(first)) = (count, first) else {
        return false;
    };
    let pointers = count
        .checked_add(1)
        .and_then(|count| count.checked_mul(8))
        .and_then(|bytes| bytes.checked_add(layout.functions as u64));
    // The functions follow right after the pointers to them.
    count > 0 && pointers.is_some_and(|bytes| first == start.wrapping_add(bytes)) && first < end
}

/// Reads the module whose `image` is at `base`. Fails, without panicking, on anything else.
pub fn parse_module(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    layout: InterpreterLayout,
    base: u64,
    image: &[u8],
) -> Result<ModuleCode, TableError> {
    let code_bytes = u32::try_from(image.len()).map_err(|_| malformed("too big"))?;
    let count = u64_at(image, 0).ok_or_else(|| malformed("cut header"))?;
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count < image.len() / 8)
        .ok_or_else(|| malformed("more functions than words"))?;
    let starts: Vec<u32> = (0..=count)
        .map(|index| {
            let pointer = u64_at(image, layout.functions.checked_add(index * 8)?)?;
            let offset = u32::try_from(pointer.checked_sub(base)?).ok()?;
            (offset <= code_bytes).then_some(offset)
        })
        .collect::<Option<_>>()
        .ok_or_else(|| malformed("a function outside of it"))?;
    if !starts.is_sorted() {
        return Err(malformed("functions out of order"));
    }
    let (mut ranges, mut module_name) = (Vec::with_capacity(count), String::new());
    for pair in starts.windows(2) {
        let &[start, end] = pair else { continue };
        let info = start as usize;
        let mut atom = |offset: usize| {
            let term = u64_at(image, info + offset).ok_or_else(|| malformed("cut function"))?;
            atoms.name(memory, term).map(str::to_owned)
        };
        let (module, function) = (atom(16)?, atom(24)?);
        let arity = u64_at(image, info + 32).ok_or_else(|| malformed("cut function"))? & 0xff;
        if module_name.is_empty() {
            module_name.clone_from(&module);
        }
        ranges.push(NewRange {
            start,
            end,
            name: format!("{}:{}/{arity}", quoted(&module), quoted(&function)),
            lines: Vec::new(),
        });
    }
    let lines_at = u64_at(image, layout.line_table).ok_or_else(|| malformed("cut header"))?;
    let mut files = vec![format!("{module_name}.erl").into_boxed_str()];
    if lines_at != 0 {
        let table = LineTable {
            memory,
            base,
            code_bytes,
        };
        match table.add_lines(atoms, lines_at, &mut ranges) {
            Ok(names) => files.extend(names),
            // It is there, and may be readable the next time.
            Err(error @ TableError::Read(_)) => return Err(error),
            // An invalid table is as good as none: the functions stay.
            Err(_) => ranges.iter_mut().for_each(|range| range.lines.clear()),
        }
    }
    ModuleCode::assemble(&quoted(&module_name), base, code_bytes, ranges, files)
        .ok_or_else(|| malformed("too big"))
}

struct LineTable<'a, M> {
    memory: &'a M,
    base: u64,
    code_bytes: u32,
}

impl<M: TargetMemory> LineTable<'_, M> {
    /// Gives each range its lines; returns the names of the files numbered from 1 on.
    fn add_lines(
        &self,
        atoms: &mut AtomTable,
        address: u64,
        ranges: &mut [NewRange],
    ) -> Result<Vec<Box<str>>, TableError> {
        let head_bytes = LINE_HEAD_BYTES as usize + (ranges.len() + 1) * 8;
        let head = self.memory.read_vec(address, head_bytes, head_bytes)?;
        let word = |offset: usize| u64_at(&head, offset).unwrap_or(0);
        let (names, locations) = (word(0), word(16));
        let location_bytes = match u32_at(&head, 8) {
            Some(2) => 2,
            Some(4) => 4,
            _ => return Err(malformed("size of a location")),
        };
        let pointers: Vec<u64> = bytes_to_words(&head)
            .skip(LINE_HEAD_BYTES as usize / 8)
            .collect();
        let first = pointers.first().copied().unwrap_or(0);
        let total = pointers
            .last()
            .and_then(|last| last.checked_sub(first))
            .map(|bytes| bytes / 8)
            .filter(|total| *total <= MAX_LINES && pointers.is_sorted())
            .ok_or_else(|| malformed("lines of its functions"))? as usize;
        let addresses = self.memory.read_vec(first, total * 8, total * 8)?;
        let addresses: Vec<u64> = bytes_to_words(&addresses).collect();
        let bytes = total * location_bytes;
        let locations = self.memory.read_vec(locations, bytes, bytes)?;
        let mut last_file = 0;
        for (range, bounds) in ranges.iter_mut().zip(pointers.windows(2)) {
            let index_of = |pointer: u64| ((pointer - first) / 8) as usize;
            for index in index_of(bounds[0])..index_of(bounds[1]) {
                let location = match location_bytes {
                    2 => u16_at(&locations, index * 2).map(u32::from),
                    _ => u32_at(&locations, index * 4),
                };
                let offset = addresses
                    .get(index)
                    .and_then(|address| address.checked_sub(self.base))
                    .and_then(|offset| u32::try_from(offset).ok());
                let (Some(location), Some(offset)) = (location, offset) else {
                    return Err(malformed("cut line table"));
                };
                let line = location & ((1 << LINE_BITS) - 1);
                if line == 0 || offset >= self.code_bytes {
                    continue;
                }
                let file = (location >> LINE_BITS) as u16;
                last_file = last_file.max(file);
                range.lines.push(LineEntry { offset, line, file });
            }
            range.lines.sort_by_key(|entry| entry.offset);
        }
        let count = usize::from(last_file).min(MAX_FILES);
        (0..count)
            .map(|index| self.file_name(atoms, names.wrapping_add(index as u64 * 8)))
            .collect()
    }

    /// The name at `address`: an atom, or a list of characters.
    fn file_name(&self, atoms: &mut AtomTable, address: u64) -> Result<Box<str>, TableError> {
        let mut term = self.memory.read_u64(address)?;
        if AtomTable::index_of_term(term).is_some() {
            return Ok(atoms.name(self.memory, term)?.into());
        }
        let mut name = String::new();
        for _ in 0..MAX_FILE_CHARS {
            if term == NIL {
                return Ok(name.into());
            }
            if term & 3 != 1 {
                break;
            }
            let cell = term - 1;
            let character = self.memory.read_u64(cell)?;
            let character = u32::try_from(character >> 4).ok().and_then(char::from_u32);
            name.push(character.ok_or_else(|| malformed("name of a file"))?);
            term = self.memory.read_u64(cell.wrapping_add(8))?;
        }
        Err(malformed("name of a file"))
    }
}
