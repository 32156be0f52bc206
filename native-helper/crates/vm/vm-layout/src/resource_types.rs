//! Where a type of resources, which NIF libraries make, has its fields.
//!
//! The figures are data like those of [`super::rows`]. All types of a VM are in one circle, which begins at a variable
//! of the emulator. Which row holds is not looked up by release: under it, each type of the circle has two names and
//! a destructor in code.

/// Offsets in `ErlNifResourceType`, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceTypeLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Its own destructor, or null. (Before that is the function that is called, which is another one while a newer
    /// library takes the type over.)
    pub destructor: usize,
    /// The module whose library made it, an atom.
    pub module: usize,
    /// Its name, an atom.
    pub name: usize,
}

/// The next type, or the variable behind the last one.
pub const NEXT: usize = 0;
/// The type before, or the variable before the first one.
pub const PREVIOUS: usize = 8;
/// The library that it belongs to; null in the variable alone.
pub const OWNER: usize = 16;
/// The destructor that is called; null in the variable.
pub const CALLED: usize = 24;
/// Bytes to read to have every field.
pub const BYTES: usize = 128;

/// By release.
pub const RESOURCE_TYPES: [ResourceTypeLayout; 2] = [
    ResourceTypeLayout {
        provenance: "source of OTP 24 and later; read live on Debian's 25, 27 and 29",
        destructor: 64,
        module: 112,
        name: 120,
    },
    ResourceTypeLayout {
        provenance: "read live on Debian's 23",
        destructor: 48,
        module: 80,
        name: 88,
    },
];
