//! The emulator's own data, read once: variables to scan, constants to find strings in.

use arch::USER_END;
use target_memory::{HeldBytes, ReadError, ReadErrorKind, TargetMemory, bytes_to_words};

use crate::TableError;

/// Data of an emulator is half a megabyte, its constants some; more than this, all parts together,
/// is no emulator.
const MAX_IMAGE_BYTES: usize = 64 << 20;

/// Where the parts of the emulator's binary are loaded; addresses in the target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageRanges {
    /// Variables (`.data`, `.bss`), as start and end.
    pub variables: Vec<(u64, u64)>,
    /// Constants (`.rodata`), as start and end.
    pub constants: Vec<(u64, u64)>,
    /// Code, as start and end.
    pub code: Vec<(u64, u64)>,
}

impl ImageRanges {
    /// True when `address` lies in the emulator's own code.
    pub fn is_code(&self, address: u64) -> bool {
        contains(&self.code, address)
    }

    /// True when `address` lies among the emulator's variables.
    pub fn is_variable(&self, address: u64) -> bool {
        contains(&self.variables, address)
    }
}

fn contains(ranges: &[(u64, u64)], address: u64) -> bool {
    ranges
        .iter()
        .any(|(start, end)| *start <= address && address < *end)
}

#[derive(Debug)]
struct Part {
    start: u64,
    bytes: HeldBytes,
}

/// Bytes of the emulator's variables and constants at one moment.
#[derive(Debug, Default)]
pub struct EmulatorImage {
    variables: Vec<Part>,
    constants: Vec<Part>,
    ranges: ImageRanges,
}

impl EmulatorImage {
    /// Reads the ranges: one read for each, one to three megabytes together.
    pub fn read(memory: &impl TargetMemory, ranges: &ImageRanges) -> Result<Self, TableError> {
        let mut left_bytes = MAX_IMAGE_BYTES;
        let mut read = |parts: &[(u64, u64)]| -> Result<Vec<Part>, TableError> {
            parts
                .iter()
                .map(|&(start, end)| {
                    let len_bytes = end.saturating_sub(start).min(usize::MAX as u64) as usize;
                    // Below that, no sum of an address in it and a field's offset is too large.
                    if end > USER_END {
                        return Err(
                            ReadError::new(start, len_bytes, ReadErrorKind::Unmapped).into()
                        );
                    }
                    left_bytes = left_bytes.checked_sub(len_bytes).ok_or_else(|| {
                        let limit_bytes = MAX_IMAGE_BYTES;
                        ReadError::new(start, len_bytes, ReadErrorKind::TooLong { limit_bytes })
                    })?;
                    let bytes = memory.read_held("variables and constants", start, len_bytes)?;
                    Ok(Part { start, bytes })
                })
                .collect()
        };
        Ok(Self {
            variables: read(&ranges.variables)?,
            constants: read(&ranges.constants)?,
            ranges: ranges.clone(),
        })
    }

    /// Every aligned word of the variables with its address.
    pub fn words(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.variables.iter().flat_map(|part| {
            let skipped = part.start.wrapping_neg() % 8;
            let aligned = part.bytes.get(skipped as usize..).unwrap_or_default();
            bytes_to_words(aligned)
                .enumerate()
                .map(move |(index, word)| (part.start + skipped + index as u64 * 8, word))
        })
    }

    /// The word at `address` of the variables.
    pub fn word_at(&self, address: u64) -> Option<u64> {
        let (part, offset) = part_at(&self.variables, address)?;
        target_memory::u64_at(&part.bytes, offset)
    }

    /// True when `address` lies among the variables.
    pub fn is_variable(&self, address: u64) -> bool {
        self.ranges.is_variable(address)
    }

    /// True when `address` lies in the emulator's code.
    pub fn is_code(&self, address: u64) -> bool {
        self.ranges.is_code(address)
    }

    /// Addresses of the constant `text`, as a C string of its own.
    pub fn addresses_of_string(&self, text: &str) -> Vec<u64> {
        let pattern: Vec<u8> = [&[0], text.as_bytes(), &[0]].concat();
        self.constants
            .iter()
            .flat_map(|part| {
                find_all(&part.bytes, &pattern).map(|offset| part.start + offset as u64 + 1)
            })
            .collect()
    }

    /// C strings, constant or not, from `prefix` in them to their end, at most `max_bytes` each.
    pub fn strings_with_prefix(&self, prefix: &str, max_bytes: usize) -> Vec<String> {
        self.variables
            .iter()
            .chain(&self.constants)
            .flat_map(|part| {
                find_all(&part.bytes, prefix.as_bytes()).filter_map(|offset| {
                    let text = c_bytes(part.bytes.get(offset..)?, max_bytes)?;
                    String::from_utf8(text.to_vec()).ok()
                })
            })
            .collect()
    }

    /// The C string at `address` of the variables; `None` when it does not end in `max_bytes`.
    pub fn string_at(&self, address: u64, max_bytes: usize) -> Option<String> {
        let (part, offset) = part_at(&self.variables, address)?;
        let text = c_bytes(part.bytes.get(offset..)?, max_bytes)?;
        String::from_utf8(text.to_vec()).ok()
    }
}

/// The bytes before the first NUL, when it comes within `max_bytes`.
fn c_bytes(bytes: &[u8], max_bytes: usize) -> Option<&[u8]> {
    let bounded = bytes.get(..max_bytes.min(bytes.len()))?;
    let end = bounded.iter().position(|byte| *byte == 0)?;
    bounded.get(..end)
}

fn part_at(parts: &[Part], address: u64) -> Option<(&Part, usize)> {
    parts.iter().find_map(|part| {
        let offset = usize::try_from(address.checked_sub(part.start)?).ok()?;
        (offset < part.bytes.len()).then_some((part, offset))
    })
}

fn find_all<'b>(bytes: &'b [u8], pattern: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
    let first = pattern.first().copied().unwrap_or(0);
    bytes
        .iter()
        .enumerate()
        .filter(move |(_, byte)| **byte == first)
        .map(|(offset, _)| offset)
        .filter(move |offset| {
            bytes
                .get(*offset..)
                .is_some_and(|rest| rest.starts_with(pattern))
        })
}

/// True when `word` can be the address of an object in user memory that is aligned to `align`.
pub fn is_pointer(word: u64, align: u64) -> bool {
    word > 0xffff && word < USER_END && word.is_multiple_of(align)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    fn image(variables: &[u64], constants: &[u8]) -> EmulatorImage {
        let mut memory = SnapshotMemory::new();
        memory
            .map_words(0x1000, variables)
            .map(0x9000, constants.to_vec());
        let ranges = ImageRanges {
            variables: vec![(0x1000, 0x1000 + variables.len() as u64 * 8)],
            constants: vec![(0x9000, 0x9000 + constants.len() as u64)],
            code: vec![(0x4000, 0x5000)],
        };
        EmulatorImage::read(&memory, &ranges).unwrap()
    }

    #[test]
    fn words_and_strings_are_found_where_they_are() {
        let image = image(&[7, 8], b"\0atom_tab\0xatom_tab\0Erlang/OTP 29\0");
        assert_eq!(
            image.words().collect::<Vec<_>>(),
            [(0x1000, 7), (0x1008, 8)]
        );
        assert_eq!(image.word_at(0x1008), Some(8));
        assert_eq!(image.word_at(0x1010), None);
        assert_eq!(image.addresses_of_string("atom_tab"), [0x9001]);
        assert_eq!(
            image.strings_with_prefix("Erlang/OTP ", 64),
            ["Erlang/OTP 29"]
        );
        assert!(image.strings_with_prefix("Erlang/OTP ", 5).is_empty());
        assert!(image.is_code(0x4fff) && !image.is_code(0x5000));
    }

    fn held(bytes: Vec<u8>) -> HeldBytes {
        let budget = target_memory::ByteBudget::of_no_target();
        budget.keep("test", bytes).unwrap()
    }

    #[test]
    fn ranges_that_repeat_are_bounded_together() {
        let mut memory = SnapshotMemory::new();
        memory.map(0x1000, vec![0; 1 << 20]);
        let read = |times| {
            let ranges = ImageRanges {
                variables: vec![(0x1000, 0x1000 + (1 << 20)); times],
                ..ImageRanges::default()
            };
            EmulatorImage::read(&memory, &ranges)
        };
        assert!(read(64).is_ok());
        let error = read(65).unwrap_err().to_string();
        assert!(error.contains("longer than the limit"), "{error}");
    }

    #[test]
    fn ranges_beyond_user_memory_are_refused() {
        let mut memory = SnapshotMemory::new();
        memory.map(u64::MAX - 0xfff, vec![0; 0x800]);
        let ranges = ImageRanges {
            variables: vec![(u64::MAX - 0xfff, u64::MAX - 0x7ff)],
            ..ImageRanges::default()
        };
        assert!(EmulatorImage::read(&memory, &ranges).is_err());
    }

    #[test]
    fn an_impossible_range_is_an_error() {
        let ranges = ImageRanges {
            variables: vec![(0, u64::MAX)],
            ..ImageRanges::default()
        };
        assert!(EmulatorImage::read(&SnapshotMemory::new(), &ranges).is_err());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>, text: String, address: u64) {
            let image = EmulatorImage {
                variables: vec![Part { start: 3, bytes: held(bytes.clone()) }],
                constants: vec![Part { start: 0, bytes: held(bytes) }],
                ranges: ImageRanges::default(),
            };
            let _ = image.words().count();
            let _ = image.word_at(address);
            let _ = image.addresses_of_string(&text);
            let _ = image.strings_with_prefix(&text, 9);
            let _ = image.string_at(address, 9);
        }
    }
}
