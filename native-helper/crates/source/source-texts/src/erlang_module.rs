//! The module that an Erlang text names, and scripts.

use crate::erlang_tokens;
use crate::token::{Kind, Reader, Token};

/// Tokens of `-module(name`.
const HEAD_TOKENS: usize = 4;

/// The name that the text of an Erlang file gives its module; `None` where it gives none, or one that only the compiler
/// knows.
pub fn erlang_module(text: &str) -> Option<&str> {
    let mut reader = Reader::new(text);
    let mut form: Vec<Token<'_>> = Vec::new();
    loop {
        let token = erlang_tokens::next(&mut reader)?.ok()?;
        match token.kind {
            Kind::End => form.clear(),
            _ if form.len() < HEAD_TOKENS => form.push(token),
            _ => continue,
        }
        if let [dash, attribute, bracket, name] = form.as_slice()
            && dash.is_sign("-")
            && attribute.is_word("module")
            && bracket.is_sign("(")
        {
            let is_known = match name.kind {
                Kind::Quoted => !name.text.contains('\\'),
                kind => kind == Kind::Word,
            };
            return is_known.then_some(name.text);
        }
    }
}

/// The modules that a text, of a module or of settings, names as parse transforms; `None` when it cannot be read.
pub fn parse_transforms(text: &str) -> Option<Vec<&str>> {
    let tokens = erlang_tokens::of(text)?;
    let named = tokens.windows(3).filter_map(|it| match it {
        [key, comma, module] if key.is_word("parse_transform") && comma.is_sign(",") => {
            Some(module.text)
        }
        _ => None,
    });
    Some(named.collect())
}

/// Whether a text, or the beginning of one, is a script that `escript` runs.
pub fn is_escript(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with("#!") && first.contains("escript")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parse_transforms_are_named_by_modules_and_settings() {
        for (text, named) in [
            ("-compile({parse_transform, shop_log}).\n", vec!["shop_log"]),
            (
                "{erl_opts, [debug_info, {parse_transform, 'shop log'},\n  {parse_transform,other}]}.\n",
                vec!["shop log", "other"],
            ),
            (
                "% {parse_transform, a}\nf() -> \"parse_transform, b\".\n",
                vec![],
            ),
        ] {
            assert_eq!(parse_transforms(text), Some(named), "{text}");
        }
        assert_eq!(parse_transforms("{parse_transform, \"open"), None);
    }

    #[test]
    fn a_module_has_the_name_of_its_attribute() {
        for (text, name) in [
            ("%% -module(not).\n-module(shop).\n", Some("shop")),
            ("-file(\"a. -module(b).\", 1).\n-module(c).", Some("c")),
            ("- module\n(\n  'odd name' ).", Some("odd name")),
            (
                "#!/usr/bin/escript\n%%! -smp\n-module(tool).\n",
                Some("tool"),
            ),
            // A text over several lines.
            (
                "-doc(\"\n-module(quoted).\n\").\n-module(real).\n",
                Some("real"),
            ),
            ("-module(?NAME).\n", None),
            ("-module('a\\'b').\n", None),
            ("f() -> g(-module(a)).\n", None),
            ("-modules(a).\n", None),
            ("-record(a, {b = \"open}).\n-module(a).\n", None),
            ("-module(", None),
            ("", None),
        ] {
            assert_eq!(erlang_module(text), name, "{text}");
        }
    }

    #[test]
    fn a_script_has_its_first_line() {
        assert!(is_escript("#!/usr/bin/env escript\nmain(_) -> ok.\n"));
        assert!(!is_escript("#!/bin/sh\n# escript\n"));
        assert!(!is_escript("escript\n"));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String) {
            let _ = (erlang_module(&text), is_escript(&text));
        }

        #[test]
        fn garbage_like_source_never_panics(
            pieces in proptest::collection::vec("-|module|\\(|\\)|'|\"|%|\\.|\\\\|\\$|\n|#!|é|a", 0..20)
        ) {
            let _ = erlang_module(&pieces.concat());
        }
    }
}
