//! Names of Erlang functions, as the VM spells them and as people read them.

mod display;
mod inner_function;

pub use display::{display_mfa, display_module_data};

/// Module, function and arity of `raw`, with the quotes still on.
pub fn split_mfa(raw: &str) -> Option<(&str, &str, u8)> {
    let colon = atom_end(raw)?;
    let (module, rest) = (raw.get(..colon)?, raw.get(colon..)?.strip_prefix(':')?);
    let slash = atom_end(rest)?;
    let arity = rest.get(slash..)?.strip_prefix('/')?.parse().ok()?;
    (!module.is_empty() && slash > 0).then_some((module, rest.get(..slash)?, arity))
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
