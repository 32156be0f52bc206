//! Names of atoms that are terms: bitstrings on a heap (OTP 29).

use target_memory::{Range, TargetMemory, u64_at};
use vm_layout::TableError;

/// Boxed terms have these low bits.
const BOXED_MASK: u64 = 3;
const BOXED_TAG: u64 = 2;
/// Words of a bitstring that contain the place of its bytes.
const BITSTRING_BYTES: usize = 32;
/// Low bits of the header word: a bitstring with its bytes after it, and one with bytes elsewhere.
const HEADER_MASK: u64 = 0x3f;
const HEAP_BITS: u64 = 0x20;
const SUB_BITS: u64 = 0x24;
/// Flags in the low bits of a pointer to bytes elsewhere.
const BASE_FLAGS: u64 = 3;

/// Where the bytes of the name `term` are, which has to be `len_bytes` long.
pub fn behind_bitstring(
    memory: &impl TargetMemory,
    term: u64,
    len_bytes: usize,
) -> Result<u64, TableError> {
    let mut head = [0; BITSTRING_BYTES];
    memory.read(unboxed(term)?, &mut head)?;
    bytes_of_bitstring(unboxed(term)?, &head, len_bytes)
}

/// Turns names that are terms into where their bytes are, with one read for all.
pub fn behind_bitstrings(
    memory: &impl TargetMemory,
    names: &mut [Range],
) -> Result<(), TableError> {
    let heads = names
        .iter()
        .map(|name| {
            Ok(Range {
                address: unboxed(name.address)?,
                len_bytes: BITSTRING_BYTES,
            })
        })
        .collect::<Result<Vec<Range>, TableError>>()?;
    let mut bytes = vec![0; heads.len() * BITSTRING_BYTES];
    memory.read_many(&heads, &mut bytes)?;
    for ((name, head), bytes) in names
        .iter_mut()
        .zip(&heads)
        .zip(bytes.chunks_exact(BITSTRING_BYTES))
    {
        name.address = bytes_of_bitstring(head.address, bytes, name.len_bytes)?;
    }
    Ok(())
}

fn unboxed(term: u64) -> Result<u64, TableError> {
    if term & BOXED_MASK == BOXED_TAG {
        Ok(term - BOXED_TAG)
    } else {
        Err(TableError::malformed("atom", "its name is no bitstring"))
    }
}

/// Where the bytes of the bitstring at `address` are; it must have the length that the atom states.
/// Short ones follow {header, size in bits}; longer ones are elsewhere, {header, pointer and flags,
/// first bit, end bit}.
fn bytes_of_bitstring(address: u64, head: &[u8], len_bytes: usize) -> Result<u64, TableError> {
    let word = |index: usize| u64_at(head, index * 8).unwrap_or(0);
    let len_bits = len_bytes as u64 * 8;
    let (bits, bytes) = match word(0) & HEADER_MASK {
        HEAP_BITS => (word(1), address.wrapping_add(16)),
        SUB_BITS if word(2).is_multiple_of(8) => (
            word(3).wrapping_sub(word(2)),
            (word(1) & !BASE_FLAGS).wrapping_add(word(2) / 8),
        ),
        _ => return Err(TableError::malformed("atom", "its name is no bitstring")),
    };
    if bits == len_bits {
        Ok(bytes)
    } else {
        Err(TableError::malformed(
            "atom",
            format!("{bits} bits for a name of {len_bytes} bytes"),
        ))
    }
}
