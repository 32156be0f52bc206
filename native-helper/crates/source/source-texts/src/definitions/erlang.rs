//! Functions of an Erlang text: each form that begins with a name and a bracket.

use super::{Declarations, Definition, Found, arguments};
use crate::erlang_tokens;
use crate::token::Kind;

/// Forms that change what functions mean.
const DECLARING: [&str; 13] = [
    "define",
    "undef",
    "record",
    "include",
    "include_lib",
    "compile",
    "import",
    "ifdef",
    "ifndef",
    "if",
    "elif",
    "else",
    "endif",
];

/// The definitions in a text, in its order, and its declarations; `None` when it cannot be read.
pub fn scanned(text: &str) -> Option<(Vec<Definition<'_>>, Declarations<'_>)> {
    let tokens = erlang_tokens::of(text)?;
    let module = 1..u32::MAX;
    let mut found = Found::default();
    let mut declarations = Declarations::new();
    for form in tokens.split(|token| token.kind == Kind::End) {
        let [head, after, ..] = form else { continue };
        if head.is_sign("-") && DECLARING.contains(&after.text) {
            declarations.push(form.iter().map(|token| token.text).collect());
        }
        let is_name = match head.kind {
            Kind::Quoted => true,
            Kind::Word => head.text.starts_with(char::is_lowercase),
            _ => false,
        };
        if is_name && after.is_sign("(") {
            let arity = arguments(&form[1..], false)?.count;
            found.add(head.text, arity, head.line, &module, &form[1..]);
        }
    }
    Some((found.definitions, declarations))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<(String, u8, u32)>> {
        let definitions = scanned(text)?.0.into_iter();
        Some(definitions.map(|it| (it.name, it.arity, it.line)).collect())
    }

    #[test]
    fn each_function_is_found_once_with_its_line() {
        let text = r#"-module(shop).
-export([total/1, 'odd name'/2]).
-define(TAX(X), (X * 1.5)).
%% total(A, B, C) is no function.
total([]) -> 0;
total([#item{price = P} | Rest]) ->
    P + total(Rest).

total(List, <<_:8, Rest/binary>>) -> [$., $,, $", $\\, $\^a, List, Rest].
'odd name'({A, B}, fun_of) -> "text. with(a, dot).
and a line", A + B.
none() -> 16#ff + 1.5e3 + "".
"#;
        let expected = [
            ("total", 1, 5),
            ("total", 2, 9),
            ("odd name", 2, 10),
            ("none", 0, 12),
        ];
        let expected = expected.map(|(name, arity, line)| (name.to_owned(), arity, line));
        assert_eq!(found(text), Some(expected.to_vec()));
    }

    #[test]
    fn texts_of_later_releases_are_texts() {
        let text = "f() -> \"\"\"\n  g(X) -> X.\n  \"\"\".\nh() -> ~S(a\\), ~\"b(\", ok.\n";
        let names: Vec<_> = found(text).unwrap().into_iter().map(|it| it.0).collect();
        assert_eq!(names, ["f", "h"]);
    }

    #[test]
    fn what_does_not_end_is_not_read() {
        assert_eq!(found("f() -> \"open."), None);
        assert_eq!(found("f(A, B."), None);
        assert_eq!(found(""), Some(vec![]));
    }
}
