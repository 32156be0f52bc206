//! Whether the text of a file defines a module.
//!
//! The text is scanned, not compiled: the output of macros is not known, and a module counts as
//! defined when the names in the text can be put together to its own. The file is one that the VM
//! names for the module, so a name too many does no harm.

use source_texts::{ElixirModule, ElixirModules, erlang_module, is_escript};

/// What a file has to do with a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defines {
    /// It defines the module.
    Module,
    /// It defines the module as a protocol, whose functions only pick an implementation.
    Protocol,
    /// It does not define the module.
    Nothing,
}

/// Whether the text of an Erlang file defines the module; the base name of the file without its
/// extension decides where the text does not.
pub(crate) fn erlang_defines(text: &str, stem: &str, module: &str) -> bool {
    erlang_module(text).unwrap_or(stem) == module
}

/// Whether a script that `escript` runs defines the module. One that does not name its module is a
/// module with the name of its file and a number.
pub(crate) fn escript_defines(text: &str, base_name: &str, module: &str) -> bool {
    if !is_escript(text) {
        return false;
    }
    let is_unnamed = module
        .rsplit_once("__escript__")
        .is_some_and(|(name, _)| name == base_name.replace('.', "_"));
    is_unnamed || erlang_defines(text, "", module)
}

/// What an Elixir file has to do with a module, whose name has no `Elixir.` before it; that of a module
/// called as in Erlang begins with a colon.
pub(crate) fn elixir_defines(modules: &ElixirModules, module: &str) -> Defines {
    let implements = modules.named.iter().any(|named| match named {
        ElixirModule::Implementation(protocol, types) => {
            is_implementation(modules, module, protocol, types)
        }
        _ => false,
    });
    match composed(modules, module) {
        Defines::Nothing if implements => Defines::Module,
        composed => composed,
    }
}

/// Whether an Elixir file may define the module by a macro, judged by its name: it belongs to the
/// same family as one that is in the text, or is made for one of those, or the text names none.
pub(crate) fn elixir_may_define(modules: &ElixirModules, module: &str) -> bool {
    let family = |name: &str| name.split('.').next().map(str::to_owned);
    modules.named.is_empty()
        || modules.named.iter().any(|named| match named {
            ElixirModule::Module(name) | ElixirModule::Protocol(name) => {
                family(name) == family(module) || is_end(module, name)
            }
            ElixirModule::Implementation(..) => false,
        })
}

/// Puts the names together, each after the ones before it: modules within modules.
fn composed(modules: &ElixirModules, module: &str) -> Defines {
    let mut found = Defines::Nothing;
    // How much of the module's name has been put together, in bytes.
    let mut reached = vec![0];
    for named in &modules.named {
        let (name, defines) = match named {
            ElixirModule::Module(name) => (name, Defines::Module),
            ElixirModule::Protocol(name) => (name, Defines::Protocol),
            ElixirModule::Implementation(..) => continue,
        };
        for at in 0..reached.len() {
            let start = reached[at];
            let Some(end) = end_of_name(module, start, name) else {
                continue;
            };
            if end < module.len() && !reached.contains(&end) {
                reached.push(end);
            } else if end == module.len() && found != Defines::Module {
                found = defines;
            }
        }
    }
    found
}

fn is_implementation(
    modules: &ElixirModules,
    module: &str,
    protocol: &str,
    types: &[String],
) -> bool {
    // Protocol and type may be called by aliases: the ends of their names.
    module.match_indices('.').any(|(dot, _)| {
        let (of, for_type) = (&module[..dot], &module[dot + 1..]);
        let is_around = || composed(modules, for_type) != Defines::Nothing;
        is_end(of, protocol)
            && match types {
                [] => is_around(),
                types => types
                    .iter()
                    .any(|name| is_end(for_type, name) || (name == "__MODULE__" && is_around())),
            }
    })
}

/// Where `name` ends in `module`, when it follows there.
fn end_of_name(module: &str, start: usize, name: &str) -> Option<usize> {
    let rest = module.get(start..)?;
    let rest = match start {
        0 => rest,
        _ => rest.strip_prefix('.')?,
    };
    let after = rest.strip_prefix(name)?;
    (after.is_empty() || after.starts_with('.')).then_some(module.len() - after.len())
}

/// Whether a name is called by this alias: it, or its last parts.
fn is_end(name: &str, alias: &str) -> bool {
    name == alias
        || name
            .strip_suffix(alias)
            .is_some_and(|before| before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_put_together_only_at_their_ends() {
        let modules = ElixirModules::of("defmodule A do\ndefmodule B.C do\ndefprotocol P do\n");
        for (module, defines) in [
            ("A", Defines::Module),
            ("A.B.C", Defines::Module),
            ("B.C", Defines::Module),
            ("A.B.C.P", Defines::Protocol),
            ("A.P", Defines::Protocol),
            ("A.B", Defines::Nothing),
            ("AB.C", Defines::Nothing),
            ("B.C.A", Defines::Nothing),
            ("", Defines::Nothing),
        ] {
            assert_eq!(elixir_defines(&modules, module), defines, "{module}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String, module: String) {
            let _ = elixir_defines(&ElixirModules::of(&text), &module);
            let _ = erlang_defines(&text, "a", &module);
        }

        #[test]
        fn garbage_like_source_never_panics(
            lines in proptest::collection::vec("(defmodule|defimpl|defprotocol|\"\"\"|-module)[ (:.,A-Cé\\[\\]']{0,8}(for:)?[A-C. ]{0,4}(do)?", 0..12),
            module in "[A-C.é:]{0,8}",
        ) {
            let modules = ElixirModules::of(&lines.join("\n"));
            let _ = (elixir_defines(&modules, &module), elixir_may_define(&modules, &module));
        }
    }
}
