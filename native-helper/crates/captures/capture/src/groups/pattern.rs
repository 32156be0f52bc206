//! Names, and how they are matched.

/// How a name is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// The whole name.
    Exact(&'static str),
    /// The start of the name.
    Prefix(&'static str),
    /// The end of the name.
    Suffix(&'static str),
}

/// Whether one of the patterns fits the name that the function has in its source.
pub(crate) fn matches_any(patterns: &[Pattern], name: &str) -> bool {
    let name = base_name(name);
    patterns.iter().any(|pattern| match pattern {
        Pattern::Exact(exact) => name == *exact,
        Pattern::Prefix(prefix) => name.starts_with(prefix),
        Pattern::Suffix(suffix) => name.ends_with(suffix),
    })
}

/// How names that follow from a caller go on, see `vm_code::callees`.
const CALLED_BY: &str = " (called by ";

/// The name in the source: without what compilers append (`copy_struct_x.part.0`), and out of a
/// plain mangled C++ name (`_Z26beam_jit_take_receive_lockP7process`).
pub(crate) fn base_name(name: &str) -> &str {
    let name = name.split_once(CALLED_BY).map_or(name, |(name, _)| name);
    // A dot or a colon inside an Erlang name is no suffix.
    let name = match name.split_once('.') {
        Some((base, _)) if !base.is_empty() && !name.contains([':', '!', '/']) => base,
        _ => name,
    };
    let Some(mangled) = name.strip_prefix("_Z") else {
        return name;
    };
    let digits = mangled.len()
        - mangled
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let (length, rest) = mangled.split_at(digits);
    length
        .parse()
        .ok()
        .and_then(|length: usize| rest.get(..length))
        .unwrap_or(name)
}
