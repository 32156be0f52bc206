//! The functions that the host of the WebAssembly calls.
#![allow(unsafe_code)]

/// Room for a message of the host's.
#[unsafe(no_mangle)]
extern "C" fn allocate(length: usize) -> *mut u8 {
    let message = vec![0u8; length].into_boxed_slice();
    Box::into_raw(message).cast()
}

/// See [`crate::read_capture`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn read_capture(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::read_capture(&message))
}

/// See [`crate::compare`].
///
/// # Safety
/// `message` is what [`allocate`] gave for `length`, and is not used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn compare(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::compare(&message))
}

/// See [`crate::convert`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn convert(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::convert(&message))
}

/// See [`crate::builds`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn builds(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::builds(&message))
}

/// See [`crate::count`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn count(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::count(&message))
}

/// See [`crate::history`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn history(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::history(&message))
}

/// See [`crate::history_page`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn history_page(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::history_page(&message))
}

/// See [`crate::page`].
///
/// # Safety
/// As for [`compare`].
#[unsafe(no_mangle)]
unsafe extern "C" fn page(message: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let message = unsafe { taken(message, length) };
    handed_over(crate::page(&message))
}

/// # Safety
/// `message` is what [`allocate`] gave for `length`, and is not used again.
unsafe fn taken(message: *mut u8, length: usize) -> Box<[u8]> {
    let slice = std::ptr::slice_from_raw_parts_mut(message, length);
    // SAFETY: `allocate` made a box of a slice of this length, and no other code has it.
    unsafe { Box::from_raw(slice) }
}

/// The answer, its length before it. It is never given back: the instance ends with the call.
fn handed_over(answer: Vec<u8>) -> *const u8 {
    let message = crate::with_length(&answer).into_boxed_slice();
    Box::leak(message).as_ptr()
}
