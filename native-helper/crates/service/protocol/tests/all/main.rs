//! The tests of the protocol, as one program beside the library: a library that is compiled for its own tests compiles
//! the declarations of all types once more.
#![allow(missing_docs)]

mod base64;
mod documentation;
mod explanations;
mod messages;
