//! Crafted ELF files: each of their parts is in order.

const HEADER_BYTES: usize = 64;
const PROGRAM_BYTES: usize = 56;
const SECTION_BYTES: usize = 64;
const PART_BYTES: u64 = 20 << 20;
const PARTS: [&str; 6] = [
    ".symtab",
    ".strtab",
    ".dynsym",
    ".dynstr",
    ".eh_frame_hdr",
    ".eh_frame",
];

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The headers of an object with parts of 20 MiB each, all of them the same zeros of the file, and
/// how long that file is.
pub fn large_parts() -> (Vec<u8>, u64) {
    let mut names = vec![0];
    let mut name_at = Vec::new();
    for name in PARTS {
        name_at.push(names.len() as u32);
        names.extend(name.as_bytes());
        names.push(0);
    }
    let sections_at = HEADER_BYTES + PROGRAM_BYTES;
    let names_at = sections_at + (PARTS.len() + 1) * SECTION_BYTES;
    let mut head = vec![0; names_at];
    head[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0]);
    put(&mut head, 16, &3u16.to_le_bytes());
    put(&mut head, 18, &62u16.to_le_bytes());
    put(&mut head, 32, &(HEADER_BYTES as u64).to_le_bytes());
    put(&mut head, 40, &(sections_at as u64).to_le_bytes());
    for (at, value) in [
        (52, HEADER_BYTES),
        (54, PROGRAM_BYTES),
        (56, 1),
        (58, SECTION_BYTES),
        (60, PARTS.len() + 1),
        (62, PARTS.len()),
    ] {
        put(&mut head, at, &(value as u16).to_le_bytes());
    }
    // One segment of code, which begins with the file.
    put(&mut head, HEADER_BYTES, &1u32.to_le_bytes());
    put(&mut head, HEADER_BYTES + 4, &5u32.to_le_bytes());
    for at in [32, 40] {
        put(&mut head, HEADER_BYTES + at, &0x1000u64.to_le_bytes());
    }
    let zeros_at = 0x1000u64;
    for index in 0..=PARTS.len() {
        let at = sections_at + index * SECTION_BYTES;
        let (offset, bytes) = match index == PARTS.len() {
            true => (names_at as u64, names.len() as u64),
            false => (zeros_at, PART_BYTES),
        };
        let name = name_at.get(index).copied().unwrap_or(0);
        put(&mut head, at, &name.to_le_bytes());
        put(&mut head, at + 4, &1u32.to_le_bytes());
        put(&mut head, at + 24, &offset.to_le_bytes());
        put(&mut head, at + 32, &bytes.to_le_bytes());
    }
    head.extend(names);
    (head, zeros_at + PART_BYTES)
}

/// Gives a program that many more writable segments, far from its own and from each other: the
/// kernel maps them and nobody touches them.
pub fn repeat_program_headers(program: &mut Vec<u8>, more: usize, bytes_each: u64) {
    const FIRST_AT: u64 = 1 << 33;
    let at = word(program, 32) as usize;
    let count = usize::from(u16::from_le_bytes([program[56], program[57]]));
    let mut headers = program[at..at + count * PROGRAM_BYTES].to_vec();
    // The table has to be mapped itself for the C library to find it; it does without.
    for index in 0..more as u64 {
        let mut header = vec![0; PROGRAM_BYTES];
        let address = FIRST_AT + index * bytes_each.next_multiple_of(1 << 21);
        put(&mut header, 0, &1u32.to_le_bytes());
        put(&mut header, 4, &6u32.to_le_bytes());
        for word in [16, 24] {
            put(&mut header, word, &address.to_le_bytes());
        }
        put(&mut header, 40, &bytes_each.to_le_bytes());
        put(&mut header, 48, &0x1000u64.to_le_bytes());
        headers.extend(header);
    }
    let new_at = program.len().next_multiple_of(8);
    program.resize(new_at, 0);
    program.extend(&headers);
    put(program, 32, &(new_at as u64).to_le_bytes());
    put(program, 56, &((count + more) as u16).to_le_bytes());
}
