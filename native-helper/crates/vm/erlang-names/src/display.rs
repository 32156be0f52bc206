//! Names as people read them: Elixir functions the Elixir way, closures and comprehensions by their
//! form in the source.

use std::borrow::Cow;

use super::atom_text::unquoted;
use super::inner_function::{InnerFunction, Part};
use super::quoting::quoted;
use super::split_mfa;

const MACRO: &str = "MACRO-";

/// `'Elixir.Enum':map/2` as `Enum.map/2`, `m:'-f/1-lc$^0/1-0-'/1` as `list comprehension in m:f/1`.
/// Other names stay as they are.
pub fn display_mfa(raw: &str) -> String {
    let Some((module, function, arity)) = split_mfa(raw) else {
        return raw.to_owned();
    };
    let (module, function) = (unquoted(module), unquoted(function));
    let language = match module.strip_prefix("Elixir.") {
        Some(module) if !module.is_empty() => Language::Elixir(module),
        _ => Language::Erlang(&module),
    };
    match (InnerFunction::parse(&function), language) {
        (Some(inner), _) => language.inner(&inner, arity),
        (None, Language::Elixir(_)) => language.function(&function, arity),
        (None, Language::Erlang(_)) => raw.to_owned(),
    }
}

/// `Elixir.Code::codeFooter`, the stubs that funs of a module are entered through, as
/// `Code::codeFooter`.
pub fn display_module_data(raw: &str) -> String {
    let Some((module, data)) = raw.rsplit_once("::") else {
        return raw.to_owned();
    };
    match unquoted(module).strip_prefix("Elixir.") {
        Some(module) if !module.is_empty() => format!("{module}::{data}"),
        _ => raw.to_owned(),
    }
}

/// How functions of a module are written.
#[derive(Debug, Clone, Copy)]
enum Language<'m> {
    Erlang(&'m str),
    /// Without the `Elixir.` before it.
    Elixir(&'m str),
}

impl Language<'_> {
    fn function(self, name: &str, arity: u8) -> String {
        match (self, name.strip_prefix(MACRO)) {
            (Self::Erlang(module), _) => format!("{}:{}/{arity}", quoted(module), quoted(name)),
            // A macro has its caller as one argument more.
            (Self::Elixir(module), Some(name)) => format!(
                "{module}.{}/{} (macro)",
                elixir_function(name),
                arity.saturating_sub(1)
            ),
            (Self::Elixir(module), None) => {
                format!("{module}.{}/{arity}", elixir_function(name))
            }
        }
    }

    fn inner(self, inner: &InnerFunction<'_>, arity: u8) -> String {
        let outer = self.function(inner.outer, inner.outer_arity);
        let part = match (&inner.part, self) {
            (Part::Value, Self::Erlang(_)) => return format!("fun {outer}"),
            (Part::Value, Self::Elixir(_)) => return format!("&{outer}"),
            (Part::Copy, _) => return format!("{outer} (inlined)"),
            // As in Elixir's own stack traces, where the arity counts the variables that the
            // closure holds.
            (Part::Fun, Self::Elixir(_)) => format!("anonymous fn/{arity}"),
            (Part::Fun, Self::Erlang(_)) => format!("fun/{arity}"),
            (Part::Comprehension(_), Self::Elixir(_)) => "for".to_owned(),
            (Part::Comprehension(of), Self::Erlang(_)) => format!("{of} comprehension"),
            (Part::NamedFun(name, 2), Self::Elixir(_)) if is_compilers_variable(name) => {
                "for".to_owned()
            }
            (Part::NamedFun(name, arity), _) => format!("fun {name}/{arity}"),
            (Part::After, _) => "after".to_owned(),
            (Part::InlinedCall(module, function, arity), Self::Erlang(_)) => {
                format!("{module}:{function}/{arity} (inlined)")
            }
            (Part::InlinedCall(module, function, arity), Self::Elixir(_)) => {
                format!(":{module}.{function}/{arity} (inlined)")
            }
        };
        match inner.number {
            0 => format!("{part} in {outer}"),
            number => format!("{part} in {outer} #{number}"),
        }
    }
}

/// A variable that a compiler made for itself: `_@4` of Elixir's, `_4` of Erlang's since OTP 29.
fn is_compilers_variable(name: &str) -> bool {
    let number = name.strip_prefix('_').unwrap_or_default();
    let number = number.strip_prefix('@').unwrap_or(number);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A function name after a dot: operators stand as they are, other odd names in quotes.
fn elixir_function(name: &str) -> Cow<'_, str> {
    let is_identifier = name
        .trim_end_matches(['?', '!'])
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_operator = !name.is_empty() && name.chars().all(|c| "+-*/<>=!&|^~@.\\:".contains(c));
    match is_identifier || is_operator {
        true => name.into(),
        false => format!("\"{name}\"").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Raw names as compiled by OTP 25 to 29 and Elixir 1.14 to 1.18, and the names shown for them.
    const SHOWN: &[(&str, &str)] = &[
        ("lists:sort/1", "lists:sort/1"),
        ("m:'odd name'/2", "m:'odd name'/2"),
        ("'odd m':f/2", "'odd m':f/2"),
        (
            "lists:'-filter/2-lc$^0/1-0-'/2",
            "list comprehension in lists:filter/2",
        ),
        ("m:'-f/1-lc$^2/1-3-'/1", "list comprehension in m:f/1 #3"),
        ("m:'-f/1-lbc$^4/2-1-'/2", "binary comprehension in m:f/1 #1"),
        ("m:'-f/1-mc$^0/1-0-'/1", "map comprehension in m:f/1"),
        ("m:'-f/1-fun-0-'/2", "fun/2 in m:f/1"),
        ("m:'-f/1-fun-12-'/2", "fun/2 in m:f/1 #12"),
        ("m:'-h/1-anonymous-2-'/1", "fun/1 in m:h/1 #2"),
        ("m:'-odd name/2-R/1-0-'/3", "fun R/1 in m:'odd name'/2"),
        (
            "m:'-k/1-lists^foldl/2-0-'/3",
            "lists:foldl/3 (inlined) in m:k/1",
        ),
        (
            "m:'-k/1-lists^map/1-2-'/2",
            "lists:map/2 (inlined) in m:k/1 #2",
        ),
        // A variable that Erlang's source may have.
        ("m:'-k/1-_@3/2-0-'/3", "fun _@3/2 in m:k/1"),
        ("m:'-k/1-after$^0/0-0-'/1", "after in m:k/1"),
        ("m:'-fun.g/1-'/1", "fun m:g/1"),
        ("m:'-inlined-g/1-'/1", "m:g/1 (inlined)"),
        // What only begins like one is a function of the source.
        ("m:'-'/2", "m:'-'/2"),
        ("m:'-f/1-what$^0/1-0-'/1", "m:'-f/1-what$^0/1-0-'/1"),
        ("m:'-f-'/1", "m:'-f-'/1"),
        ("m:'-/1-fun-0-'/1", "m:'-/1-fun-0-'/1"),
        // A name that itself looks like one.
        ("m:'-a/1-b/2-fun-0-'/1", "fun/1 in m:'a/1-b'/2"),
        ("m:'-it\\'s/0-fun-0-'/0", "fun/0 in m:'it\\'s'/0"),
        ("'Elixir.Enum':map/2", "Enum.map/2"),
        ("'Elixir.A.B':'empty?'/1", "A.B.empty?/1"),
        ("'Elixir.A.B':'fetch!'/1", "A.B.fetch!/1"),
        ("'Elixir.A':'odd name'/1", "A.\"odd name\"/1"),
        (
            "'Elixir.Enumerable.List':reduce/3",
            "Enumerable.List.reduce/3",
        ),
        ("'Elixir.Kernel':'+'/2", "Kernel.+/2"),
        ("'Elixir.Kernel':'-'/2", "Kernel.-/2"),
        ("'Elixir.Kernel':'MACRO-if'/3", "Kernel.if/2 (macro)"),
        ("'Elixir.Kernel':'MACRO-..//'/4", "Kernel...///3 (macro)"),
        (
            "'Elixir.Enum':'-map/2-fun-0-'/3",
            "anonymous fn/3 in Enum.map/2",
        ),
        (
            "'Elixir.Enum':'-map/2-fun-1-'/3",
            "anonymous fn/3 in Enum.map/2 #1",
        ),
        (
            "'Elixir.A':'-MACRO-m/2-fun-0-'/3",
            "anonymous fn/3 in A.m/1 (macro)",
        ),
        ("'Elixir.A':'-f/1-lc$^0/1-0-'/1", "for in A.f/1"),
        ("'Elixir.A':'-f/1-lbc$^0/2-1-'/2", "for in A.f/1 #1"),
        (
            "'Elixir.Pricing':'-price/1-_@4/2-0-'/3",
            "for in Pricing.price/1",
        ),
        ("'Elixir.A':'-f/1-_3/2-0-'/3", "for in A.f/1"),
        (
            "'Elixir.Kernel':'-binary_slice/2-_@9/2-3-'/4",
            "for in Kernel.binary_slice/2 #3",
        ),
        (
            "'Elixir.Enum':'-sum/1-lists^foldl/2-0-'/2",
            ":lists.foldl/3 (inlined) in Enum.sum/1",
        ),
        (
            "'Elixir.Enum':'-map/2-lists^map/1-0-'/2",
            ":lists.map/2 (inlined) in Enum.map/2",
        ),
        ("'Elixir.Enum':'-fun.slide_any/4-'/4", "&Enum.slide_any/4"),
        (
            "'Elixir.A':'-__info__/1-_@1/1-0-'/2",
            "fun _@1/1 in A.__info__/1",
        ),
        ("'Elixir.A':'-f/1-x@1/2-0-'/2", "fun x@1/2 in A.f/1"),
        ("'Elixir.':f/1", "'Elixir.':f/1"),
    ];

    #[test]
    fn each_kind_of_function_is_shown_as_what_it_is() {
        for (raw, shown) in SHOWN {
            assert_eq!(display_mfa(raw), *shown, "{raw}");
        }
    }

    #[test]
    fn data_of_a_module_is_shown_as_the_modules() {
        for (raw, shown) in [
            ("Elixir.Code::codeFooter", "Code::codeFooter"),
            ("'Elixir.Odd name'::codeHeader", "Odd name::codeHeader"),
            ("lists::codeFooter", "lists::codeFooter"),
            ("Elixir.::codeFooter", "Elixir.::codeFooter"),
            ("what", "what"),
        ] {
            assert_eq!(display_module_data(raw), shown);
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(raw: String) {
            let _ = display_mfa(&raw);
            let _ = display_module_data(&raw);
        }

        #[test]
        fn garbage_like_names_never_panics(name in "[-a-z/0-9$^.#é'\\\\]{0,24}") {
            let _ = display_mfa(&format!("m:'-{name}-'/1"));
            let _ = display_mfa(&format!("'Elixir.{name}':'MACRO-{name}'/0"));
        }
    }
}
