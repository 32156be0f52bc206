//! The messages between helper and editor over `extrospect serve --stdio`.
//!
//! The types here are the only source of the protocol: `contract/protocol.generated.ts` is printed
//! from them (`cargo run -p protocol --example generate-types`), and `docs/protocol.md` explains
//! them in prose. Tests fail when either of them falls behind.
//!
//! Names are camelCase in JSON, except inside [`capture::quality::QualityRecord`], whose names are
//! the same everywhere.

pub mod attachment;
pub mod base64;
pub mod binaries;
pub mod debug_files;
pub mod detached;
pub mod discovery;
pub mod error;
pub mod explanation;
pub mod flight;
pub mod heap;
pub mod inside;
pub mod lifecycle;
pub mod memory;
pub mod message;
pub mod method;
pub mod node;
pub mod nodes;
pub mod processes;
pub mod pstack;
pub mod recording;
pub mod sampling;
pub mod schedulers;
#[cfg(feature = "ts-rs")]
pub mod typescript;
pub mod waits;

/// Version of the protocol, an integer. It grows with every change that a peer of the version
/// before cannot ignore; a new optional field or a new method does not need that.
pub const PROTOCOL_VERSION: u32 = 1;

/// Longest message body either side may send, bytes.
pub const MAX_MESSAGE_BYTES: u64 = 16 * 1024 * 1024;
