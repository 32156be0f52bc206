//! ELF objects and C frames.
//!
//! Bytes in, names and frames out: an [`ObjectImage`] is read from an [`ImageSource`] (a file, or
//! the bytes of the vdso), an [`ObjectMap`] holds the addresses where images are mapped, and a
//! [`NativeUnwinder`] walks a C stack through them, restoring every callee-saved register, until it
//! meets JIT code.
//!
//! Addresses: `svma` is as the linker laid the object out, `avma` is where it really is;
//! `avma = svma + bias`.
//!
//! Everything read is hostile: sizes are capped, offsets checked, loops bounded.

mod build_id;
pub mod cfi;
pub mod debug_file;
pub mod debug_link;
pub mod demangle;
mod elf_layout;
mod error;
pub mod image;
pub mod kernel_symbols;
pub mod object_map;
mod object_part;
pub mod plt;
mod row_cache;
pub mod source;
pub mod source_lines;
mod symbol_layers;
pub mod symbols;
pub mod unwind_c;
pub mod unwind_row;

pub use error::ImageError;
pub use image::{BuildId, ObjectImage};
pub use object_map::{MappedObject, ObjectMap};
pub use source::ImageSource;
pub use source_lines::{SourceFrame, SourceLines};
pub use symbols::{FunctionName, NameSource, NativeFunction};
pub use unwind_c::{NativeFrame, NativeUnwinder, Registers, UnwindEnd};
