//! Terms of a running BEAM, read from outside: the kind of a word ([`Term`]), and the text of a term as Erlang's
//! shell shows it ([`TermText`]), or its shape alone, up to so many elements, levels and reads; and which of those in
//! a block of their own ([`TermBlock`]) are equal.
//!
//! Every word may be garbage: lists may bite their tail, tuples claim any arity, pointers lead anywhere.

mod block;
mod shape;
mod text;
mod word;

pub use block::TermBlock;
pub use text::{Limits, TermText};
pub use word::{Boxed, Term};
