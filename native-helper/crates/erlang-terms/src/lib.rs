//! Terms of a running BEAM, read from outside: what a word is ([`Term`]), and what a term looks like as
//! Erlang's shell shows it ([`TermText`]), or its shape alone, up to so many elements, levels and reads.
//!
//! Every word may be garbage: lists may bite their tail, tuples claim any arity, pointers lead anywhere.

mod shape;
mod text;
mod word;

pub use text::{Limits, TermText};
pub use word::{Boxed, Term};
