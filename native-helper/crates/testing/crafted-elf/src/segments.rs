//! More segments for a program that exists.

use crate::bytes::{put, u16_at, u64_at};
use crate::{PROGRAM_HEADER_BYTES, PT_LOAD, file_header, program_header};

const READ_AND_WRITE: u32 = 6;
/// Far from the segments of any program.
const FIRST_ADDRESS: u64 = 1 << 33;
const PAGE_BYTES: u64 = 0x1000;

/// Gives a program `count` more writable segments without content, of `bytes_each`, far from its own
/// and from each other. The table of program headers moves to the end of the file, where no segment
/// maps it.
pub fn add_untouched_segments(program: &mut Vec<u8>, count: usize, bytes_each: u64) {
    let at = u64_at(program, file_header::PROGRAM_HEADERS_AT) as usize;
    let own = usize::from(u16_at(program, file_header::PROGRAM_HEADER_COUNT));
    let mut headers = program[at..at + own * PROGRAM_HEADER_BYTES].to_vec();
    for index in 0..count as u64 {
        let address = FIRST_ADDRESS + index * bytes_each.next_multiple_of(1 << 21);
        headers.extend(untouched_segment(address, bytes_each));
    }
    let new_at = program.len().next_multiple_of(8);
    program.resize(new_at, 0);
    program.extend(&headers);
    for (field, value) in [
        (
            file_header::PROGRAM_HEADERS_AT,
            (new_at as u64).to_le_bytes().as_slice(),
        ),
        (
            file_header::PROGRAM_HEADER_COUNT,
            &((own + count) as u16).to_le_bytes(),
        ),
    ] {
        put(program, field, value);
    }
}

fn untouched_segment(address: u64, memory_bytes: u64) -> [u8; PROGRAM_HEADER_BYTES] {
    let mut header = [0; PROGRAM_HEADER_BYTES];
    put(&mut header, program_header::KIND, &PT_LOAD.to_le_bytes());
    put(
        &mut header,
        program_header::FLAGS,
        &READ_AND_WRITE.to_le_bytes(),
    );
    for (field, value) in [
        (program_header::ADDRESS, address),
        (program_header::PHYSICAL_ADDRESS, address),
        (program_header::MEMORY_BYTES, memory_bytes),
        (program_header::ALIGNMENT, PAGE_BYTES),
    ] {
        put(&mut header, field, &value.to_le_bytes());
    }
    header
}
