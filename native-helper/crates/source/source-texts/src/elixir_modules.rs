//! The modules that an Elixir text names.

use crate::elixir_tokens;
use crate::token::{Kind, Reader, Token};

/// Names taken from one text.
pub const MOST_NAMES: usize = 2_000;
/// Pieces without an end after which a text is read on, each from its next line.
const MOST_ENDLESS: usize = 16;

/// What begins a module.
const MODULE: &str = "defmodule";
const PROTOCOL: &str = "defprotocol";
const IMPLEMENTATION: &str = "defimpl";

/// The modules that a text names, in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ElixirModules {
    /// At most [`MOST_NAMES`].
    pub named: Vec<ElixirModule>,
    /// The text names more.
    pub is_cut: bool,
    /// Too much in it does not end for it to be read to its own end.
    pub is_endless: bool,
    /// It has macros: its code may be in modules of other texts.
    pub has_macros: bool,
}

/// A module as the text names it. A name has no `Elixir.` or `__MODULE__.` before it, and may lack those of the modules
/// around; that of a module called as in Erlang begins with a colon.
#[derive(Debug, PartialEq, Eq)]
pub enum ElixirModule {
    /// A plain one.
    Module(String),
    /// A protocol.
    Protocol(String),
    /// A protocol, and the types it is implemented for; none for the module around.
    Implementation(String, Vec<String>),
}

/// Whether a word begins a module.
pub(crate) fn begins_module(word: &str) -> bool {
    [MODULE, PROTOCOL, IMPLEMENTATION].contains(&word)
}

impl ElixirModules {
    /// Takes the names from a text. It may be cut, or lack the end of something: reading continues on the next line.
    pub fn of(text: &str) -> Self {
        let (tokens, is_endless) = tokens(text);
        let mut found = Self {
            is_endless,
            ..Self::default()
        };
        let mut after_dot = false;
        for (at, token) in tokens.iter().enumerate() {
            let is_qualified = std::mem::replace(&mut after_dot, token.is_sign("."));
            if is_qualified || token.kind != Kind::Word {
                continue;
            }
            found.has_macros |= matches!(token.text, "defmacro" | "defmacrop");
            if begins_module(token.text)
                && let Some(module) = module(token.text, &tokens[at + 1..])
            {
                match found.named.len() {
                    MOST_NAMES => found.is_cut = true,
                    _ => found.named.push(module),
                }
            }
        }
        found
    }
}

/// The tokens of a text, and whether it was not read to its end.
fn tokens(text: &str) -> (Vec<Token<'_>>, bool) {
    let mut reader = Reader::new(text);
    let mut tokens = Vec::new();
    let mut endless = 0;
    loop {
        let from = reader;
        match elixir_tokens::next(&mut reader) {
            Some(Ok(token)) => tokens.push(token),
            Some(Err(_)) if endless < MOST_ENDLESS => {
                endless += 1;
                reader = from;
                elixir_tokens::skip_layout(&mut reader);
                reader.skip_while(|c| c != '\n');
            }
            Some(Err(_)) => return (tokens, true),
            None => return (tokens, false),
        }
    }
}

/// The module that a word begins, by the tokens behind it.
fn module(word: &str, head: &[Token<'_>]) -> Option<ElixirModule> {
    let name = match head {
        [bracket, name @ ..] if bracket.is_sign("(") => name,
        name => name,
    };
    let name = alias(name)?;
    Some(match word {
        PROTOCOL => ElixirModule::Protocol(name),
        IMPLEMENTATION => ElixirModule::Implementation(name, targets(head)),
        _ => ElixirModule::Module(name),
    })
}

/// The name that tokens begin with.
fn alias(tokens: &[Token<'_>]) -> Option<String> {
    let (first, rest) = tokens.split_first()?;
    if first.kind == Kind::Value {
        let atom = first.text.strip_prefix(':')?.trim_matches(['"', '\'']);
        let alias = atom.strip_prefix("Elixir.").map(str::to_owned);
        return Some(alias.unwrap_or_else(|| format!(":{atom}")));
    }
    let is_alias = first.kind == Kind::Word && first.text.starts_with(char::is_uppercase);
    let is_around = first.is_word("__MODULE__");
    if !is_alias && !is_around {
        return None;
    }
    let parts = rest.chunks_exact(2);
    let parts = parts.take_while(|pair| pair[0].is_sign(".") && pair[1].kind == Kind::Word);
    let mut parts: Vec<&str> = parts.map(|pair| pair[1].text).collect();
    let is_implied = is_around || first.is_word("Elixir");
    if parts.is_empty() || !is_implied {
        parts.insert(0, first.text);
    }
    Some(parts.join("."))
}

/// The types that an implementation is for, by the tokens of its head.
fn targets(head: &[Token<'_>]) -> Vec<String> {
    let is_end = |token: &Token<'_>| {
        token.kind == Kind::Word
            && (matches!(token.text, "do" | "do:") || begins_module(token.text))
    };
    let end = head.iter().position(is_end).unwrap_or(head.len());
    let head = &head[..end];
    let Some(key) = head.iter().position(|token| token.is_word("for:")) else {
        return Vec::new();
    };
    let starts = (key + 1..end).filter(|at| !head[at - 1].is_sign("."));
    starts.filter_map(|at| alias(&head[at..])).collect()
}

#[cfg(test)]
mod tests {
    use super::ElixirModule::{Implementation, Module, Protocol};
    use super::*;
    use proptest::prelude::*;

    fn named(text: &str) -> Vec<ElixirModule> {
        ElixirModules::of(text).named
    }

    fn modules(names: &[&str]) -> Vec<ElixirModule> {
        names.iter().map(|name| Module((*name).into())).collect()
    }

    #[test]
    fn names_are_as_in_the_text() {
        for (text, name) in [
            ("defmodule Shop.Cart do\nend\n", "Shop.Cart"),
            ("defmodule(Shop, do: nil)\n", "Shop"),
            ("defmodule Elixir.Shop do\nend\n", "Shop"),
            ("defmodule __MODULE__.Item do\nend\n", "Item"),
            ("defmodule :shop_nif do\nend\n", ":shop_nif"),
            ("defmodule :\"shop nif\" do\nend\n", ":shop nif"),
            ("defmodule :\"Elixir.Shop\" do\nend\n", "Shop"),
            ("defmodule Éclair do\nend\n", "Éclair"),
            ("defmodule\n  Shop do\nend\n", "Shop"),
        ] {
            assert_eq!(named(text), modules(&[name]), "{text}");
        }
        for text in [
            "defmodule name do\nend\n",
            "defmodule unquote(name) do\nend\n",
            "Kernel.defmodule Shop do\nend\n",
            "import Kernel, except: [defmodule: 2]\n",
            "defmodule",
            "",
        ] {
            assert_eq!(named(text), [], "{text}");
        }
    }

    #[test]
    fn an_implementation_has_its_types() {
        let types = |head: &str| match named(&format!("{head}\nend\n")).pop() {
            Some(Implementation(protocol, types)) => (protocol, types.join(" ")),
            other => panic!("{other:?}"),
        };
        let expected = |types: &str| ("P.Q".to_owned(), types.to_owned());
        assert_eq!(types("defimpl P.Q do"), expected(""));
        assert_eq!(types("defimpl P.Q, for: A.B do"), expected("A.B"));
        assert_eq!(types("defimpl(P.Q, for: A, do: nil)"), expected("A"));
        let several = "defimpl P.Q,\n  # for: X\n  for: [\n    A.B,\n    :c,\n    __MODULE__,\n    __MODULE__.D\n  ] do";
        assert_eq!(types(several), expected("A.B :c __MODULE__ D"));
        // The head of a text that is cut ends with the next module.
        let cut = named("defimpl P\ndefimpl Q, for: A\ndefprotocol R");
        let of = |name: &str, types: Vec<String>| Implementation(name.into(), types);
        let expected = [
            of("P", vec![]),
            of("Q", vec!["A".into()]),
            Protocol("R".into()),
        ];
        assert_eq!(cut, expected);
    }

    #[test]
    fn texts_and_comments_name_nothing() {
        let text = "# defmodule A do\n@doc \"\ndefmodule B do\n\"\n@doc ~S\"\"\"\ndefmodule C do\n\"\"\"\n'\ndefmodule D do\n'\ndefmodule E do # defmodule F\nend\n";
        assert_eq!(named(text), modules(&["E"]));
    }

    #[test]
    fn a_text_without_an_end_is_read_on_from_its_next_line() {
        let text = "defmodule A do\n  x = \"open\n  defmodule B do\n  end\nend\n";
        assert_eq!(named(text), modules(&["A", "B"]));
        assert!(!ElixirModules::of(text).is_endless);
        let endless = format!("defmodule A do\n{}", "~s(\n".repeat(20_000));
        assert_eq!(named(&endless), modules(&["A"]));
        assert!(ElixirModules::of(&endless).is_endless);
    }

    #[test]
    fn macros_are_found_and_no_words_like_them() {
        let has_macros = |text: &str| ElixirModules::of(text).has_macros;
        assert!(has_macros("defmodule A do\n  defmacro b(x), do: x\nend\n"));
        assert!(has_macros("defmacrop b(x), do: x\n"));
        assert!(!has_macros("# defmacro b(x)\nx = \"defmacro\"\n"));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String) {
            let _ = ElixirModules::of(&text);
        }

        #[test]
        fn garbage_like_source_never_panics(
            lines in proptest::collection::vec("(defmodule|defimpl|defprotocol|\"\"\"|~s\\()[ (:.,A-Cé\\[\\]'\"]{0,8}(for:)?[A-C. ]{0,4}(do)?", 0..12),
        ) {
            let _ = ElixirModules::of(&lines.join("\n"));
        }
    }
}
