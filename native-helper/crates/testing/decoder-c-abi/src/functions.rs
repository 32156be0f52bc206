//! The C functions. All `unsafe` of this crate is here.
//!
//! Contract of every function, for the caller: `input` points at `input_bytes` readable bytes (or
//! is null with a length of 0), `output` at `output_bytes` writable ones, `written` at a size, and
//! none of them overlap. The answer is JSON without a NUL. [`Status::BufferTooSmall`] leaves the
//! length wanted in `written`, and calling again with that much room works.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;

use crate::{Status, answers, pieces};

/// Raised when a function changes its meaning.
const VERSION: u32 = 1;
/// Longest input; a full snapshot of a large node is some hundred MiB.
const MAX_INPUT_BYTES: usize = 1 << 31;

/// Version of this interface.
#[unsafe(no_mangle)]
pub extern "C" fn extrospect_decoder_version() -> u32 {
    VERSION
}

/// Reads a blob of the JIT's list; see [`answers::blob`].
///
/// # Safety
/// The contract of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extrospect_decode_blob(
    input: *const u8,
    input_bytes: usize,
    output: *mut u8,
    output_bytes: usize,
    written: *mut usize,
) -> i32 {
    // SAFETY: the caller keeps the contract.
    let (input, output) = unsafe {
        (
            input_of(input, input_bytes),
            Output::new(output, output_bytes, written),
        )
    };
    answer(output, || answers::blob(input?))
}

/// Looks up program counters in the code of blobs; see [`answers::places`] and [`pieces::blobs`].
/// `pcs` is bytes, too: 8 of them, little endian, per program counter.
///
/// # Safety
/// The contract of this module, for `pcs` as for `input`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extrospect_decode_places(
    input: *const u8,
    input_bytes: usize,
    pcs: *const u8,
    pcs_bytes: usize,
    output: *mut u8,
    output_bytes: usize,
    written: *mut usize,
) -> i32 {
    // SAFETY: the caller keeps the contract.
    let (input, pcs) = unsafe { (input_of(input, input_bytes), input_of(pcs, pcs_bytes)) };
    // SAFETY: the caller keeps the contract.
    let output = unsafe { Output::new(output, output_bytes, written) };
    answer(output, || {
        let pcs: Vec<u64> = target_memory::bytes_to_words(pcs?).collect();
        answers::places(&pieces::blobs(input?)?, &pcs)
    })
}

/// Walks the stack of a process in a snapshot; see [`answers::stack`] and [`pieces::snapshot`].
///
/// # Safety
/// The contract of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extrospect_decode_stack(
    input: *const u8,
    input_bytes: usize,
    otp_release: u32,
    descriptor: u64,
    process: u64,
    output: *mut u8,
    output_bytes: usize,
    written: *mut usize,
) -> i32 {
    // SAFETY: the caller keeps the contract.
    let (input, output) = unsafe {
        (
            input_of(input, input_bytes),
            Output::new(output, output_bytes, written),
        )
    };
    answer(output, || {
        let memory = pieces::snapshot(input?)?;
        answers::stack(&memory, otp_release, descriptor, process)
    })
}

/// Runs `work` and writes its result. A panic ends here: unwinding into C is undefined.
fn answer<T: Serialize>(
    output: Result<Output<'_>, Status>,
    work: impl FnOnce() -> Result<T, Status>,
) -> i32 {
    let run = || -> Result<(), Status> {
        let output = output?;
        let text = serde_json::to_vec(&work()?).map_err(|_| Status::Malformed)?;
        output.put(&text)
    };
    let status = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Panicked,
    };
    status as i32
}

/// Bytes of the caller's.
///
/// # Safety
/// The contract of this module.
unsafe fn input_of<'a>(bytes: *const u8, len: usize) -> Result<&'a [u8], Status> {
    match (bytes.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Status::NullPointer),
        (false, _) if len > MAX_INPUT_BYTES => Err(Status::TooLong),
        // SAFETY: not null, and the caller guarantees that so many bytes are there and that no code
        // writes to them before the call returns; the length is far below isize::MAX.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(bytes, len) }),
    }
}

/// Where the answer goes.
struct Output<'a> {
    room: &'a mut [u8],
    written: &'a mut usize,
}

impl<'a> Output<'a> {
    /// # Safety
    /// The contract of this module.
    unsafe fn new(bytes: *mut u8, len: usize, written: *mut usize) -> Result<Self, Status> {
        if written.is_null() || !written.is_aligned() || (bytes.is_null() && len > 0) {
            return Err(Status::NullPointer);
        }
        if len > MAX_INPUT_BYTES {
            return Err(Status::TooLong);
        }
        let room: &mut [u8] = match len {
            0 => &mut [],
            // SAFETY: not null, and the caller guarantees that so many bytes are there for this
            // call alone; they are bytes of a buffer, so any content is a valid value; the length
            // is in bounds.
            _ => unsafe { std::slice::from_raw_parts_mut(bytes, len) },
        };
        // SAFETY: not null, aligned, and the caller guarantees that it is a size for this call
        // alone.
        let written = unsafe { &mut *written };
        *written = 0;
        Ok(Self { room, written })
    }

    fn put(self, text: &[u8]) -> Result<(), Status> {
        *self.written = text.len();
        let room = self.room.get_mut(..text.len());
        room.ok_or(Status::BufferTooSmall)?.copy_from_slice(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(room: &mut [u8], work: impl FnOnce() -> Result<u32, Status>) -> (i32, usize) {
        let mut written = 7;
        let (bytes, len) = (room.as_mut_ptr(), room.len());
        // SAFETY: both point at values that are borrowed here for as long as the call takes.
        let output = unsafe { Output::new(bytes, len, &mut written) };
        (answer(output, work), written)
    }

    #[test]
    fn a_panic_ends_at_the_boundary() {
        let status = call(&mut [0; 8], || panic!("a mistake")).0;
        assert_eq!(status, Status::Panicked as i32);
    }

    #[test]
    fn an_answer_that_is_too_long_has_its_length() {
        let mut room = [0; 5];
        assert_eq!(call(&mut room, || Ok(123)), (Status::Ok as i32, 3));
        assert_eq!(&room, b"123\0\0");
        let too_small = (Status::BufferTooSmall as i32, 6);
        assert_eq!(call(&mut room, || Ok(123_456)), too_small);
        assert_eq!(
            call(&mut [], || Err(Status::Malformed)),
            (Status::Malformed as i32, 0)
        );
    }

    #[test]
    fn null_and_impossible_lengths_are_refused() {
        let mut written = 0;
        let blob = |input, input_bytes, output, output_bytes, written: *mut usize| {
            // SAFETY: an input that is null or too long is never read, as this test checks.
            unsafe { extrospect_decode_blob(input, input_bytes, output, output_bytes, written) }
        };
        let (mut room, null) = ([0u8; 8], std::ptr::null_mut());
        let (input, output) = (room.as_ptr(), room.as_mut_ptr());
        let refused = Status::NullPointer as i32;
        assert_eq!(blob(null, 8, output, 0, &mut written), refused);
        assert_eq!(blob(input, 0, null, 8, &mut written), refused);
        assert_eq!(blob(input, 0, output, 0, std::ptr::null_mut()), refused);
        let too_long = Status::TooLong as i32;
        assert_eq!(blob(input, usize::MAX, output, 0, &mut written), too_long);
        assert_eq!(blob(input, 0, output, usize::MAX, &mut written), too_long);
        let malformed = Status::Malformed as i32;
        assert_eq!(
            blob(null, 0, null, 0, &mut written),
            malformed,
            "nothing is no blob"
        );
    }
}
