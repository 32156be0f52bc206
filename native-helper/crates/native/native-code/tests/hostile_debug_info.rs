//! Debug information made to cost more than it is: few bytes that stand for many, parts that many
//! share. Whatever it is, reading it ends, within the budget, and all of that is given back.

#![allow(clippy::expect_used, clippy::unwrap_used)] // A test: an unmet expectation is its failure.

use byte_budget::ByteBudget;
use crafted_elf::CraftedElf;
use native_code::SourceLines;
use native_code::source_lines::LinesError;

const MIB: usize = 1 << 20;

const TAG_COMPILE_UNIT: u8 = 0x11;
const TAG_LEXICAL_BLOCK: u8 = 0x0b;
const TAG_SUBPROGRAM: u8 = 0x2e;
const AT_STMT_LIST: u8 = 0x10;
const AT_RANGES: u8 = 0x55;
const AT_EXTERNAL: u8 = 0x3f;
const FORM_SEC_OFFSET: u8 = 0x17;
const FORM_FLAG_PRESENT: u8 = 0x19;

/// The sections of one object.
#[derive(Default, Clone)]
struct DebugInfo {
    abbreviations: Vec<u8>,
    info: Vec<u8>,
    lines: Vec<u8>,
    range_lists: Vec<u8>,
}

impl DebugInfo {
    /// An entry of the one table of abbreviations there is.
    fn abbreviation(&mut self, code: u8, tag: u8, has_children: bool, attributes: &[(u8, u8)]) {
        self.abbreviations.extend([code, tag, has_children.into()]);
        for (name, form) in attributes {
            self.abbreviations.extend([*name, *form]);
        }
        self.abbreviations.extend([0, 0]);
    }

    /// A unit of DWARF 5 whose abbreviations begin at `table`.
    fn unit(&mut self, table: u32, entries: &[u8]) {
        let length = entries.len() as u32 + 8;
        self.info.extend(length.to_le_bytes());
        self.info.extend([5, 0, 1, 8]);
        self.info.extend(table.to_le_bytes());
        self.info.extend(entries);
    }

    fn read(&self, budget: &ByteBudget) -> Result<SourceLines, LinesError> {
        let mut elf = CraftedElf::default();
        elf.section(".debug_abbrev", self.abbreviations.clone(), 0)
            .section(".debug_info", self.info.clone(), 0)
            .section(".debug_line", self.lines.clone(), 0)
            .section(".debug_rnglists", self.range_lists.clone(), 0);
        SourceLines::read(file_of(&elf).as_slice(), budget).map(|lines| lines.unwrap())
    }

    /// Why there is no result, after the first request.
    fn fault(&self) -> String {
        let budget = ByteBudget::of(256 * MIB);
        let lines = self.read(&budget).unwrap();
        assert_eq!(lines.frames_at(0x1000), []);
        let fault = lines.fault().expect("a fault");
        assert!(budget.held_bytes() < 64 * MIB, "{}", budget.held_bytes());
        drop(lines);
        assert_eq!(budget.held_bytes(), 0);
        fault
    }
}

fn file_of(elf: &CraftedElf) -> Vec<u8> {
    let file = elf.finish();
    let mut bytes = vec![0; usize::try_from(file.length_bytes()).unwrap()];
    file.read_at(0, &mut bytes);
    bytes
}

#[test]
fn units_that_share_one_large_table_are_not_all_read() {
    let mut hostile = DebugInfo::default();
    hostile.abbreviation(1, TAG_COMPILE_UNIT, false, &[]);
    // Codes of two bytes, each of which may stand there once.
    for code in 128..16_384u16 {
        let code = [(code & 0x7f) as u8 | 0x80, (code >> 7) as u8];
        hostile.abbreviations.extend(code);
        let entry = [TAG_SUBPROGRAM, 0, AT_EXTERNAL, FORM_FLAG_PRESENT, 0, 0];
        hostile.abbreviations.extend(entry);
    }
    hostile.abbreviations.push(0);
    for _ in 0..50_000 {
        hostile.unit(0, &[1]);
    }
    // 6 GB of table in all.
    let fault = hostile.fault();
    assert!(
        fault.contains("no room") || fault.contains("end of input"),
        "{fault}"
    );
}

#[test]
fn scopes_in_scopes_without_end_are_refused() {
    let mut hostile = DebugInfo::default();
    hostile.abbreviation(1, TAG_COMPILE_UNIT, true, &[]);
    hostile.abbreviation(2, TAG_LEXICAL_BLOCK, true, &[]);
    hostile.abbreviations.push(0);
    let mut entries = vec![1];
    entries.resize(1_000_000, 2);
    hostile.unit(0, &entries);
    assert!(hostile.fault().contains("too deep"));
}

#[test]
fn functions_that_share_one_long_list_of_ranges_are_not_all_read() {
    const START_LENGTH: u8 = 7;
    let mut hostile = DebugInfo::default();
    hostile.abbreviation(1, TAG_COMPILE_UNIT, true, &[]);
    hostile.abbreviation(2, TAG_SUBPROGRAM, false, &[(AT_RANGES, FORM_SEC_OFFSET)]);
    hostile.abbreviations.push(0);
    let mut entries = vec![1];
    for _ in 0..100_000 {
        entries.extend([2, 12, 0, 0, 0]);
    }
    hostile.unit(0, &entries);
    let ranges = 100_000;
    hostile
        .range_lists
        .extend((8 + ranges * 10u32 + 1).to_le_bytes());
    hostile.range_lists.extend([5, 0, 8, 0, 0, 0, 0, 0]);
    for index in 0..u64::from(ranges) {
        hostile.range_lists.push(START_LENGTH);
        hostile.range_lists.extend((0x1000 + index).to_le_bytes());
        hostile.range_lists.push(1);
    }
    hostile.range_lists.push(0);
    let fault = hostile.fault();
    assert!(
        fault.contains("no room") || fault.contains("end of input"),
        "{fault}"
    );
}

#[test]
fn attributes_that_take_no_byte_are_counted() {
    let mut hostile = DebugInfo::default();
    hostile.abbreviation(1, TAG_COMPILE_UNIT, true, &[]);
    let many = vec![(AT_EXTERNAL, FORM_FLAG_PRESENT); 100_000];
    hostile.abbreviation(2, TAG_SUBPROGRAM, false, &many);
    hostile.abbreviations.push(0);
    let mut entries = vec![1];
    entries.resize(4 * MIB, 2);
    hostile.unit(0, &entries);
    assert!(hostile.fault().contains("too many attributes"));
}

#[test]
fn a_program_of_lines_that_is_all_lines_finds_no_room() {
    let mut hostile = DebugInfo::default();
    hostile.abbreviation(
        1,
        TAG_COMPILE_UNIT,
        false,
        &[(AT_STMT_LIST, FORM_SEC_OFFSET)],
    );
    hostile.abbreviations.push(0);
    hostile.unit(0, &[1, 0, 0, 0, 0]);
    // DWARF 4: no files, opcode base 1, so that each byte is a line of its own.
    let header = [1, 1, 1, 0, 14, 1, 0, 0];
    let program = vec![20; 16 * MIB];
    let length = 2 + 4 + header.len() as u32 + program.len() as u32;
    hostile.lines.extend(length.to_le_bytes());
    hostile.lines.extend([4, 0]);
    hostile.lines.extend((header.len() as u32).to_le_bytes());
    hostile.lines.extend(header);
    hostile.lines.extend(program);
    assert!(hostile.fault().contains("no room"));
}

#[test]
fn what_inflates_to_more_than_it_may_is_not_inflated() {
    let compressed = |claimed: u64, how: u32, bytes: &[u8]| {
        let mut section = how.to_le_bytes().to_vec();
        section.extend(0u32.to_le_bytes());
        section.extend(claimed.to_le_bytes());
        section.extend(1u64.to_le_bytes());
        section.extend(bytes);
        let mut elf = CraftedElf::default();
        elf.section(".debug_line", vec![0; 8], 0)
            .compressed_section(".debug_info", section);
        let budget = ByteBudget::of(64 * MIB);
        // What the header claims shows at once, all else at the first look.
        let fault = match SourceLines::read(file_of(&elf).as_slice(), &budget) {
            Err(error) => error.to_string(),
            Ok(lines) => {
                let lines = lines.unwrap();
                assert!(budget.held_bytes() < 1000, "{}", budget.held_bytes());
                assert_eq!(lines.frames_at(0x1000), []);
                lines.fault().expect("a fault")
            }
        };
        assert_eq!(budget.held_bytes(), 0);
        fault
    };
    assert!(compressed(1 << 40, 1, &[]).contains("too large"));
    assert!(compressed(100 << 20, 1, &[]).contains("no room"));
    assert!(compressed(1000, 1, &[0x78, 0x9c, 1, 2, 3]).contains("reading"));
    assert!(compressed(1000, 2, &[]).contains("not understood"));
}
