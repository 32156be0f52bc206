//! The plain part of C++ and old Rust name mangling: nested names without templates. Anything
//! else stays as the linker has it, which is still a name people can search for.

/// `_ZN7asmjit4CoreC1Ev` becomes `asmjit::Core`; other names are returned as they are.
#[must_use]
pub fn demangle(name: &str) -> String {
    let parts = name.strip_prefix("_ZN").and_then(nested).or_else(|| {
        let (part, _) = identifier(name.strip_prefix("_Z")?)?;
        Some(vec![part])
    });
    parts.map_or_else(|| name.to_owned(), |parts| parts.join("::"))
}

fn nested(text: &str) -> Option<Vec<&str>> {
    let mut rest = text.trim_start_matches(['K', 'V', 'r']);
    let mut parts = Vec::new();
    while let Some((part, after)) = identifier(rest) {
        parts.push(part);
        rest = after;
    }
    let is_whole = rest.starts_with('E') || is_constructor(rest);
    // Old Rust names end in a hash that says nothing.
    if parts.last().is_some_and(|part| is_rust_hash(part)) {
        parts.pop();
    }
    (is_whole && !parts.is_empty()).then_some(parts)
}

/// Constructors (`C1`..) and destructors (`D0`..) are shown as their class.
fn is_constructor(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    matches!(bytes.next(), Some(b'C' | b'D'))
        && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
        && bytes.next() == Some(b'E')
}

fn is_rust_hash(part: &str) -> bool {
    part.len() == 17
        && part
            .strip_prefix('h')
            .is_some_and(|hash| hash.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A length and that many bytes.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text.get(..digits)?.parse().ok()?;
    let end = digits.checked_add(length)?;
    Some((text.get(digits..end)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nested_names_are_spelt_out() {
        assert_eq!(
            demangle("_ZN6asmjit10CodeHolder4initERKNS_11EnvironmentE"),
            "asmjit::CodeHolder::init"
        );
        assert_eq!(demangle("_ZNK6asmjit4Zone5allocEm"), "asmjit::Zone::alloc");
        assert_eq!(demangle("_ZN6asmjit4CoreC1Ev"), "asmjit::Core");
        assert_eq!(demangle("_Z3fooi"), "foo");
        assert_eq!(
            demangle("_ZN4core3fmt5write17h0123456789abcdefE"),
            "core::fmt::write"
        );
    }

    #[test]
    fn the_rest_is_left_alone() {
        for name in [
            "copy_struct_x",
            "_ZNSt6vectorIiSaIiEE9push_backEOi",
            "_ZN3fo",
            "_Z",
            "_ZN99a",
            "",
        ] {
            assert_eq!(demangle(name), name);
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in "_Z(N|)\\PC{0,40}") {
            let _ = demangle(&text);
        }
    }
}
