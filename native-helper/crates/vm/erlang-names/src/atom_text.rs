//! Atoms as the VM writes them, in quotes where they need some.

use std::borrow::Cow;

/// The text of an atom as the VM writes it.
pub(super) fn unquoted(atom: &str) -> Cow<'_, str> {
    let inside = atom
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    match inside {
        Some(inside) if inside.contains('\\') => {
            let mut escaped = false;
            inside
                .chars()
                .filter(|&c| {
                    escaped = c == '\\' && !escaped;
                    !escaped
                })
                .collect::<String>()
                .into()
        }
        Some(inside) => inside.into(),
        None => atom.into(),
    }
}
