//! One entry of the JIT descriptor: the ranges, names and lines of one module.
//!
//! Records are packed, little endian, without alignment between them:
//! - emulator (kind 0): i32 frame layout at 8, u64 address of `normal_exit` at 16;
//! - module (kind 1): u64 base at 8, u32 range count at 16, u32 code size at 20, u16 name length
//!   (with NUL) at 24, name; then per range u32 start, u32 end, u32 line count, u16 name length,
//!   name; then per line u32 offset, u32 line, u16 file length, file.
//!
//! The VM advances by the size of the C struct plus the length of the name, so each name is
//! followed by as many bytes as the struct has padding: 6, 2 and 2.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use target_memory::{BudgetSpent, ByteBudget, Held, u16_at, u32_at, u64_at};

use super::machine_code::MachineCode;
use vm_layout::TableError;

/// The contents of one blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    /// Facts about the emulator.
    Emulator {
        /// Frame pointers are on (`+JPperf true`).
        frame_pointers: bool,
        /// Return address at the bottom of every Erlang stack.
        normal_exit: u64,
    },
    /// One module.
    Module(ModuleCode),
}

/// Code of one module. Offsets are from `base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleCode {
    /// Module name, as the VM quotes it.
    pub name: Box<str>,
    /// Address of the first byte.
    pub base: u64,
    /// Length in bytes.
    pub code_bytes: u32,
    /// Ranges in ascending order of `start`.
    pub ranges: Box<[CodeRange]>,
    /// Lines of all ranges; `CodeRange::lines` indexes it.
    pub lines: Box<[LineEntry]>,
    /// Names of all ranges, one after the other.
    names: Box<str>,
    /// Source files the lines refer to.
    pub files: Box<[Box<str>]>,
    /// Its machine code, as far as it is kept.
    pub machine_code: MachineCode,
    /// Its part of the target's budget.
    held: HeldForModule,
}

/// The part of a budget that a module takes for as long as one equal to it exists. It does not
/// belong to the contents of the module.
#[derive(Debug, Clone, Default)]
struct HeldForModule {
    _held: Option<Arc<Held>>,
}

impl PartialEq for HeldForModule {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for HeldForModule {}

/// One named range of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRange {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    name_start: u32,
    name_len: u16,
    lines_start: u32,
    lines_len: u32,
}

/// From this offset on, code belongs to this line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEntry {
    /// Offset of the first instruction. May lie a few bytes before its range (function heads).
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Index into `files`.
    pub file: u16,
}

/// A range to be put into a [`ModuleCode`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewRange {
    pub start: u32,
    pub end: u32,
    pub name: String,
    pub lines: Vec<LineEntry>,
}

impl ModuleCode {
    /// A module of `ranges` in ascending order; `None` when it is too big to be one.
    pub(crate) fn assemble(
        name: &str,
        base: u64,
        code_bytes: u32,
        ranges: Vec<NewRange>,
        files: Vec<Box<str>>,
    ) -> Option<Self> {
        let (mut all, mut lines, mut names) = (Vec::new(), Vec::new(), String::new());
        for range in ranges {
            all.push(CodeRange {
                start: range.start,
                end: range.end,
                name_start: u32::try_from(names.len()).ok()?,
                name_len: u16::try_from(range.name.len()).ok()?,
                lines_start: u32::try_from(lines.len()).ok()?,
                lines_len: u32::try_from(range.lines.len()).ok()?,
            });
            names.push_str(&range.name);
            lines.extend(range.lines);
        }
        Some(Self {
            name: name.into(),
            base,
            code_bytes,
            ranges: all.into(),
            lines: lines.into(),
            names: names.into(),
            files: files.into(),
            machine_code: MachineCode::default(),
            held: HeldForModule::default(),
        })
    }

    /// Code of a module of which nothing else is known.
    pub(crate) fn without_functions(base: u64, code_bytes: u32) -> Self {
        Self {
            name: Box::default(),
            base,
            code_bytes,
            ranges: Box::default(),
            lines: Box::default(),
            names: Box::default(),
            files: Box::default(),
            machine_code: MachineCode::default(),
            held: HeldForModule::default(),
        }
    }

    /// The same module, within a budget for as long as it is kept.
    pub(crate) fn held_within(mut self, budget: &ByteBudget) -> Result<Self, BudgetSpent> {
        let held = budget.hold("loaded code", self.memory_bytes())?;
        self.held = HeldForModule {
            _held: Some(Arc::new(held)),
        };
        Ok(self)
    }

    /// Name of `range`, as the VM spells it.
    pub fn range_name(&self, range: &CodeRange) -> &str {
        let start = range.name_start as usize;
        self.names
            .get(start..start + range.name_len as usize)
            .unwrap_or("")
    }

    /// Line entries of `range`.
    pub fn range_lines(&self, range: &CodeRange) -> &[LineEntry] {
        let start = range.lines_start as usize;
        self.lines
            .get(start..start + range.lines_len as usize)
            .unwrap_or(&[])
    }

    /// The range that holds `offset`.
    pub fn range_at(&self, offset: u32) -> Option<&CodeRange> {
        let index = self.ranges.partition_point(|range| range.start <= offset);
        self.ranges
            .get(index.checked_sub(1)?)
            .filter(|range| offset < range.end)
    }

    /// Bytes of heap memory this takes, about.
    pub fn memory_bytes(&self) -> usize {
        self.ranges.len() * size_of::<CodeRange>()
            + self.lines.len() * size_of::<LineEntry>()
            + self.names.len()
            + self.files.iter().map(|file| file.len() + 16).sum::<usize>()
    }
}

/// Reads one blob. Fails, without panicking, on anything that is not one.
pub fn parse_blob(bytes: &[u8]) -> Result<Blob, TableError> {
    let malformed = |detail: &str| TableError::malformed("JIT code description", detail);
    match u32_at(bytes, 0).ok_or_else(|| malformed("empty"))? {
        0 => Ok(Blob::Emulator {
            frame_pointers: u32_at(bytes, 8).ok_or_else(|| malformed("short"))? != 0,
            normal_exit: u64_at(bytes, 16).ok_or_else(|| malformed("short"))?,
        }),
        1 => ModuleParser { bytes, cursor: 8 }
            .module()
            .map(Blob::Module)
            .ok_or_else(|| malformed("cut or inconsistent record")),
        _ => Err(malformed("unknown kind")),
    }
}

/// The beginning of the description of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlobHead {
    /// Address of the first byte of its code.
    pub base: u64,
    /// Length of its code.
    pub code_bytes: u32,
    /// Module name, as the VM quotes it.
    pub name: Box<str>,
}

impl BlobHead {
    /// As many bytes of a blob hold it: an atom has up to 255 characters, quoted and escaped.
    pub const MOST_BYTES: usize = 34 + 255 * 8;

    /// Reads it from the first bytes of a blob; `None` when that is no description of a module.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut parser = ModuleParser { bytes, cursor: 8 };
        let is_module = u32_at(bytes, 0) == Some(1);
        let base = parser.u64().filter(|_| is_module)?;
        let _range_count = parser.u32()?;
        Some(Self {
            base,
            code_bytes: parser.u32()?,
            name: parser.text(6)?.into(),
        })
    }

    /// It is the beginning of this module's description.
    pub fn is_of(&self, module: &ModuleCode) -> bool {
        self.base == module.base && self.code_bytes == module.code_bytes && self.name == module.name
    }
}

struct ModuleParser<'a> {
    bytes: &'a [u8],
    cursor: usize,
}

impl<'a> ModuleParser<'a> {
    fn module(mut self) -> Option<ModuleCode> {
        let base = self.u64()?;
        let range_count = self.u32()? as usize;
        let code_bytes = self.u32()?;
        let name = self.text(6)?;
        // A range takes at least 16 bytes, so a count beyond that is garbage.
        if range_count > self.bytes.len() / 16 || base.checked_add(u64::from(code_bytes)).is_none()
        {
            return None;
        }
        let mut ranges = Vec::with_capacity(range_count);
        let mut lines = Vec::new();
        let mut names = String::new();
        let mut files = SourceFiles::default();
        // Nearly every line has the file of the line before it: it is decoded once.
        let mut last_file: Option<(&[u8], u16)> = None;
        for _ in 0..range_count {
            let (start, end) = (self.u32()?, self.u32()?);
            let line_count = self.u32()? as usize;
            let range_name = self.text(2)?;
            // A line takes at least 12 bytes.
            if start > end || end > code_bytes || line_count > self.bytes.len() / 12 {
                return None;
            }
            let lines_start = lines.len();
            for _ in 0..line_count {
                let (offset, line) = (self.u32()?, self.u32()?);
                let file_bytes = self.text_bytes(2)?;
                // On OTP 25 the last entry may be the head of the next function.
                if offset < end {
                    let file = match last_file {
                        Some((known, index)) if known == file_bytes => index,
                        _ => files.index_of(file_bytes)?,
                    };
                    last_file = Some((file_bytes, file));
                    lines.push(LineEntry { offset, line, file });
                }
            }
            ranges.push(CodeRange {
                start,
                end,
                name_start: u32::try_from(names.len()).ok()?,
                name_len: u16::try_from(range_name.len()).ok()?,
                lines_start: u32::try_from(lines_start).ok()?,
                lines_len: u32::try_from(lines.len() - lines_start).ok()?,
            });
            names.push_str(&range_name);
        }
        if self.cursor != self.bytes.len() {
            return None;
        }
        ranges.sort_by_key(|range| range.start);
        give_heads_to_their_functions(&mut ranges, &lines);
        Some(ModuleCode {
            name: name.into(),
            base,
            code_bytes,
            ranges: ranges.into(),
            lines: lines.into(),
            names: names.into(),
            files: files.names.into(),
            machine_code: MachineCode::default(),
            held: HeldForModule::default(),
        })
    }

    fn u32(&mut self) -> Option<u32> {
        let value = u32_at(self.bytes, self.cursor)?;
        self.cursor += 4;
        Some(value)
    }

    fn u64(&mut self) -> Option<u64> {
        let value = u64_at(self.bytes, self.cursor)?;
        self.cursor += 8;
        Some(value)
    }

    /// A string with its length (NUL included) before it and padding after it.
    fn text(&mut self, padding: usize) -> Option<Cow<'a, str>> {
        self.text_bytes(padding).map(decoded)
    }

    /// The same, not decoded.
    fn text_bytes(&mut self, padding: usize) -> Option<&'a [u8]> {
        let len = u16_at(self.bytes, self.cursor)? as usize;
        let start = self.cursor + 2;
        let bytes = self.bytes.get(start..start + len)?;
        self.cursor = start + len + padding;
        Some(bytes)
    }
}

fn decoded(text: &[u8]) -> Cow<'_, str> {
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    // Checking alone takes a third of the time of a lossy reading, and hardly any name needs that.
    match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(text),
    }
}

/// On OTP 25 a function's head entry lies a few bytes before its prologue, in the padding, and so
/// is listed for the range before as well. There it is no line of that function, which may have
/// none of its own.
fn give_heads_to_their_functions(ranges: &mut [CodeRange], lines: &[LineEntry]) {
    let entry = |index: u32| lines.get(index as usize).copied();
    let mut previous: Option<usize> = None;
    for index in 0..ranges.len() {
        let Some(range) = ranges.get(index).filter(|range| range.lines_len > 0) else {
            continue;
        };
        let head = entry(range.lines_start);
        if let Some(before) = previous.and_then(|previous| ranges.get_mut(previous)) {
            let last = entry((before.lines_start + before.lines_len).saturating_sub(1));
            if last == head && head.is_some_and(|head| head.offset < before.end) {
                before.lines_len = before.lines_len.saturating_sub(1);
            }
        }
        previous = Some(index);
    }
}

/// The source files of a module, each once.
#[derive(Default)]
struct SourceFiles<'a> {
    names: Vec<Box<str>>,
    known: HashMap<&'a [u8], u16>,
}

impl<'a> SourceFiles<'a> {
    /// Honest modules have one or two, others as many as there are numbers for them.
    fn index_of(&mut self, name: &'a [u8]) -> Option<u16> {
        if let Some(index) = self.known.get(name) {
            return Some(*index);
        }
        let index = u16::try_from(self.names.len()).ok()?;
        self.names.push(decoded(name).into());
        self.known.insert(name, index);
        Some(index)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(out: &mut Vec<u8>, text: &str, padding: usize) {
        out.extend(u16::try_from(text.len() + 1).unwrap().to_le_bytes());
        out.extend(text.as_bytes());
        out.push(0);
        out.extend(&[0xaa; 6][..padding]);
    }

    /// Ranges as (start, end, name, lines as (offset, line)), all lines in `m.erl`.
    pub(crate) type TestRange<'a> = (u32, u32, &'a str, &'a [(u32, u32)]);

    pub(crate) fn module_blob(
        name: &str,
        base: u64,
        code_bytes: u32,
        ranges: &[TestRange<'_>],
    ) -> Vec<u8> {
        let mut out = vec![1, 0, 0, 0, 0, 0, 0, 0];
        out.extend(base.to_le_bytes());
        out.extend((ranges.len() as u32).to_le_bytes());
        out.extend(code_bytes.to_le_bytes());
        text(&mut out, name, 6);
        for (start, end, name, lines) in ranges {
            out.extend(start.to_le_bytes());
            out.extend(end.to_le_bytes());
            out.extend((lines.len() as u32).to_le_bytes());
            text(&mut out, name, 2);
            for (offset, line) in *lines {
                out.extend(offset.to_le_bytes());
                out.extend(line.to_le_bytes());
                text(&mut out, "m.erl", 2);
            }
        }
        out
    }

    #[test]
    fn a_module_with_ranges_and_lines() {
        let blob = module_blob(
            "m",
            0x1000,
            100,
            &[
                (0, 40, "m::codeHeader", &[]),
                (40, 100, "m:f/1", &[(38, 7), (60, 8), (100, 12)]),
            ],
        );
        let Blob::Module(module) = parse_blob(&blob).unwrap() else {
            panic!("not a module")
        };
        let range = module.range_at(99).unwrap();
        assert_eq!(module.range_name(range), "m:f/1");
        // The entry at 100 is the next function's head and is dropped.
        let lines: Vec<u32> = module
            .range_lines(range)
            .iter()
            .map(|entry| entry.line)
            .collect();
        assert_eq!(lines, [7, 8]);
        assert_eq!(&*module.files, ["m.erl".into()]);
        assert!(module.range_at(100).is_none());
    }

    #[test]
    fn the_head_of_the_next_function_is_no_line_of_this_one() {
        let ranges: [TestRange<'_>; 5] = [
            (0, 8, "m:f/1-CodeInfoPrologue", &[]),
            (8, 64, "m:f/1", &[(0, 5), (30, 6), (60, 9)]),
            (64, 72, "m:module_info/0", &[]),
            (72, 96, "m:g/0", &[(60, 9), (92, 20)]),
            (96, 120, "m:h/0", &[(92, 20)]),
        ];
        let Blob::Module(module) = parse_blob(&module_blob("m", 0, 120, &ranges)).unwrap() else {
            panic!("not a module")
        };
        let lines = |at: u32| {
            let range = module.range_at(at).unwrap();
            let lines = module.range_lines(range).iter();
            lines.map(|entry| entry.line).collect::<Vec<_>>()
        };
        assert_eq!(
            [lines(8), lines(72), lines(96)],
            [vec![5, 6], vec![9], vec![20]]
        );
    }

    /// A module whose every line is in a file of its own.
    fn module_of_files(count: u32) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(1u32.to_le_bytes());
        out.extend([0; 4]);
        out.extend(0x1000u64.to_le_bytes());
        out.extend(1u32.to_le_bytes());
        out.extend(count.to_le_bytes());
        text(&mut out, "m", 6);
        for number in [0, count, count] {
            out.extend(number.to_le_bytes());
        }
        text(&mut out, "m:f/0", 2);
        for line in 0..count {
            out.extend(line.to_le_bytes());
            out.extend(1u32.to_le_bytes());
            text(&mut out, &format!("{line}.erl"), 2);
        }
        out
    }

    /// With a search through all files before it for each, this takes minutes.
    #[test]
    fn a_module_may_have_as_many_source_files_as_there_are_numbers_for() {
        let most = 1 << 16;
        let Ok(Blob::Module(module)) = parse_blob(&module_of_files(most)) else {
            panic!("not a module")
        };
        assert_eq!(module.files.len(), 1 << 16);
        assert_eq!(&*module.files[usize::from(module.lines[77].file)], "77.erl");
        assert!(parse_blob(&module_of_files(most + 1)).is_err());
    }

    #[test]
    fn a_cut_blob_is_an_error_at_every_length() {
        let blob = module_blob("m", 0, 100, &[(0, 40, "m:f/1", &[(0, 1)])]);
        assert!((0..blob.len()).all(|len| parse_blob(&blob[..len]).is_err()));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(mut bytes: Vec<u8>, kind in 0u8..3) {
            if let Some(first) = bytes.first_mut() { *first = kind; }
            let _ = parse_blob(&bytes);
        }

        #[test]
        fn a_flipped_byte_never_panics(at in 0usize..80, value: u8) {
            let mut blob = module_blob("m", 0, 100, &[(0, 40, "m:f/1", &[(0, 1), (9, 2)])]);
            if let Some(byte) = blob.get_mut(at) { *byte = value; }
            let _ = parse_blob(&blob);
        }
    }
}
