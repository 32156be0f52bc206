//! Names as their authors wrote them: C++ and Rust add more to the names of the linker.

use std::fmt::{self, Write};

/// Longer names stay as the linker has them: they are unreadable either way.
const MAX_SHOWN_BYTES: usize = 1024;

/// `_ZN7asmjit10CodeHolder4initEv` becomes `asmjit::CodeHolder::init`; any other name is returned
/// unchanged.
#[must_use]
pub fn demangle(name: &str) -> String {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.to_owned();
    }
    rust_name(name)
        .or_else(|| cpp_name(name))
        .unwrap_or_else(|| name.to_owned())
}

/// Without the hash at its end.
fn rust_name(name: &str) -> Option<String> {
    let known = rustc_demangle::try_demangle(name).ok()?;
    let mut shown = Bounded::default();
    write!(shown, "{known:#}").ok()?;
    Some(shown.0)
}

/// Without parameters and return type: functions are told apart well enough.
fn cpp_name(name: &str) -> Option<String> {
    let known = cpp_demangle::Symbol::new(name).ok()?;
    let options = cpp_demangle::DemangleOptions::new()
        .no_params()
        .no_return_type();
    let mut shown = Bounded::default();
    known.structured_demangle(&mut shown, &options).ok()?;
    Some(shown.0)
}

/// Text that refuses to grow too long: a few letters of a name may stand for a book.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len().saturating_add(text.len()) > MAX_SHOWN_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_cpp_are_spelt_out_without_parameters() {
        assert_eq!(
            demangle("_ZN6asmjit10CodeHolder4initERKNS_11EnvironmentE"),
            "asmjit::CodeHolder::init"
        );
        assert_eq!(demangle("_ZNK6asmjit4Zone5allocEm"), "asmjit::Zone::alloc");
        assert_eq!(demangle("_Z3fooi"), "foo");
        assert_eq!(
            demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"),
            "std::vector<int, std::allocator<int> >::push_back"
        );
    }

    #[test]
    fn names_of_rust_are_spelt_out_without_hashes() {
        assert_eq!(
            demangle("_ZN4core3fmt5write17h0123456789abcdefE"),
            "core::fmt::write"
        );
        assert_eq!(
            demangle("_ZN33_$LT$T$u20$as$u20$demo..Shape$GT$4area17h0123456789abcdefE"),
            "<T as demo::Shape>::area"
        );
        assert_eq!(
            demangle("_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate"),
            "<std::path::PathBuf>::new"
        );
    }

    #[test]
    fn the_rest_is_left_alone() {
        for name in ["copy_struct_x", "_ZN3fo", "_Z", "_ZN99a", "_R", ""] {
            assert_eq!(demangle(name), name);
        }
    }

    #[test]
    fn a_name_that_stands_for_a_book_stays_as_it_is() {
        // Each substitution names the one before it twice.
        let mut name = "_Z1fI1AE".to_owned();
        name.push_str(&"SaIS_S_E".repeat(60));
        assert!(demangle(&name).len() <= MAX_SHOWN_BYTES.max(name.len()));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in "_(Z|ZN|R|RN|)\\PC{0,40}") {
            let shown = demangle(&text);
            prop_assert!(shown.len() <= MAX_SHOWN_BYTES.max(text.len()));
        }
    }
}
