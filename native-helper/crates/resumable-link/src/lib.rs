//! A conversation between an editor and a helper on another machine that outlives the connections that
//! carry it: a line that is cut loses nothing, as long as somebody comes back in time.
//!
//! Each side keeps what the other has not confirmed, and says it again over the next connection from the
//! byte on that the other has not received ([`frame`]). What is said is any stream of bytes; here it is JSON-RPC.
//!
//! | module | what it holds |
//! |---|---|
//! | [`frame`] | what goes over a connection |
//! | `ends` | both streams of one side, without threads or files |
//! | [`link`] | the same with threads: a reader, a writer, and connections that come and go |
//! | [`door`] | the socket by which somebody comes back |
//! | [`relay`] | what carries bytes between a connection and that socket |

pub mod door;
mod ends;
pub mod frame;
pub mod link;
pub mod relay;
