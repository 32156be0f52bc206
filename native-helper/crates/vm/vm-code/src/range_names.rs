//! The kinds of code ranges by name: functions, shared fragments, and data around functions.

use vm_tables::names::{display_mfa, display_module_data, split_mfa};

/// The suffix that the JIT adds to a function's name for the code before its first instruction.
pub(crate) const PROLOGUE: &str = "-CodeInfoPrologue";

/// The meaning of a range of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeName {
    /// A function: its code or its prologue.
    Function {
        /// As the VM spells it: `lists:sort/1`, `'Elixir.Enum':map/2`.
        raw: Box<str>,
    },
    /// A shared fragment, without the `global::` before it.
    Fragment(Box<str>),
    /// Tables and stubs around the functions of a module.
    ModuleData(Box<str>),
}

impl RangeName {
    /// As the VM spells it.
    pub fn raw(&self) -> &str {
        match self {
            Self::Function { raw } | Self::Fragment(raw) | Self::ModuleData(raw) => raw,
        }
    }

    /// As people read it, see [`display_mfa`].
    pub fn display(&self) -> String {
        match self {
            Self::Function { raw } => display_mfa(raw),
            Self::Fragment(name) => format!("global::{name}"),
            Self::ModuleData(raw) => display_module_data(raw),
        }
    }
}

/// Reads a range name. `in_fragments`: the range belongs to the shared fragments.
pub fn parse_range_name(name: &str, in_fragments: bool) -> RangeName {
    if in_fragments {
        return RangeName::Fragment(name.strip_prefix("global::").unwrap_or(name).into());
    }
    // Program counters do land in the prologue; it belongs to its function.
    let name = name.strip_suffix(PROLOGUE).unwrap_or(name);
    match split_mfa(name) {
        Some(_) => RangeName::Function { raw: name.into() },
        None => RangeName::ModuleData(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_distinguished() {
        let name = |raw| parse_range_name(raw, false);
        assert_eq!(
            name("m:f/1-CodeInfoPrologue"),
            RangeName::Function {
                raw: "m:f/1".into()
            }
        );
        assert_eq!(
            name("m::codeHeader"),
            RangeName::ModuleData("m::codeHeader".into())
        );
        assert_eq!(
            name("'a:b':'c/d'/2"),
            RangeName::Function {
                raw: "'a:b':'c/d'/2".into()
            },
        );
        assert_eq!(
            parse_range_name("global::garbage_collect", true),
            RangeName::Fragment("garbage_collect".into())
        );
    }

    proptest! {
        #[test]
        fn garbage_never_panics(raw: String) {
            let _ = parse_range_name(&raw, false).display();
        }

        #[test]
        fn quoted_garbage_never_panics(raw in "'?[-:/'\\\\a-zé]{0,12}'?") {
            let _ = parse_range_name(&raw, false).display();
        }
    }
}
