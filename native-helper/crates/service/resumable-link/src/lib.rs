//! A conversation between an editor and a helper on another machine that outlives the connections that
//! carry it: a cut connection loses nothing, as long as the editor comes back in time.
//!
//! Each side keeps the bytes that the other has not confirmed, and sends them again over the next connection from the
//! first byte that the other has not received ([`frame`]). The conversation is any stream of bytes; here it is
//! JSON-RPC.
//!
//! | module | content |
//! |---|---|
//! | [`frame`] | the format of a connection |
//! | `ends` | both streams of one side, without threads or files |
//! | [`link`] | the same with threads: a reader, a writer, and connections that come and go |
//! | [`door`] | the socket over which a client comes back |
//! | [`relay`] | carries bytes between a connection and that socket |

pub mod door;
mod ends;
pub mod frame;
pub mod link;
pub mod relay;
