//! Names of Erlang functions, as the VM spells them and as people read them, and of its [`threads`].

use std::borrow::Cow;

mod atom_text;
mod display;
mod inner_function;
mod process_name;
mod quoting;
pub mod threads;

use inner_function::InnerFunction;

pub use display::{display_mfa, display_module_data};
pub use process_name::{NoProcessName, ProcessName};
pub use quoting::quoted;

/// Module, function and arity of `raw`, with the quotes still on.
pub fn split_mfa(raw: &str) -> Option<(&str, &str, u8)> {
    let colon = atom_end(raw)?;
    let (module, rest) = (raw.get(..colon)?, raw.get(colon..)?.strip_prefix(':')?);
    let slash = atom_end(rest)?;
    let arity = rest.get(slash..)?.strip_prefix('/')?.parse().ok()?;
    (!module.is_empty() && slash > 0).then_some((module, rest.get(..slash)?, arity))
}

/// The module of `raw` as an atom's text, without quotes.
pub fn module_of(raw: &str) -> Option<Cow<'_, str>> {
    let (module, ..) = split_mfa(raw)?;
    Some(atom_text::unquoted(module))
}

/// Whether the function is a part of another that the compiler made a function of.
pub fn is_inner(raw: &str) -> bool {
    let function = split_mfa(raw).map(|(_, function, _)| atom_text::unquoted(function));
    function.is_some_and(|function| InnerFunction::parse(&function).is_some())
}

/// Where the atom at the start of `text` ends.
fn atom_end(text: &str) -> Option<usize> {
    if !text.starts_with('\'') {
        return text.find([':', '/']);
    }
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'\'' => return Some(index + 1),
            _ => {}
        }
    }
    None
}
