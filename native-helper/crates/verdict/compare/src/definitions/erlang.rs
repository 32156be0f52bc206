//! Functions of an Erlang text: each form that begins with a name and a bracket.

use super::quoted_text::{self, Quotes};
use super::token::{Kind, Reader, Token};
use super::{Declarations, Definition, Found, arguments};

/// Signs of more than one character that mean something here.
const LONG_SIGNS: [&str; 4] = ["...", "..", "<<", ">>"];

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
    let tokens = tokens(text)?;
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

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut reader = Reader::new(text);
    if reader.is_at("#!") {
        reader.skip_while(|c| c != '\n');
    }
    let mut tokens = Vec::new();
    while let Some(here) = reader.peek() {
        let from = reader;
        match here {
            c if c.is_whitespace() => {
                reader.next();
            }
            '%' => reader.skip_while(|c| c != '\n'),
            '"' | '\'' | '~' | '$' => tokens.push(value(&mut reader)?),
            c if c.is_alphanumeric() || c == '_' || c == '@' => {
                word(&mut reader);
                tokens.push(reader.token(Kind::Word, &from));
            }
            '.' if is_end(&reader) => {
                reader.next();
                tokens.push(reader.token(Kind::End, &from));
            }
            _ => {
                let long = LONG_SIGNS.into_iter().find(|sign| reader.is_at(sign));
                reader.skip(long.map_or(1, str::len));
                tokens.push(reader.token(Kind::Sign, &from));
            }
        }
    }
    Some(tokens)
}

/// A name or a number, `1.5e-3` included.
fn word(reader: &mut Reader<'_>) {
    let is_number = reader.peek().is_some_and(|c| c.is_ascii_digit());
    reader.skip_word();
    let is_fraction = is_number
        && reader.peek() == Some('.')
        && reader.peek_second().is_some_and(|c| c.is_ascii_digit());
    if is_fraction {
        reader.next();
        reader.skip_word();
    }
}

fn is_end(reader: &Reader<'_>) -> bool {
    reader
        .peek_second()
        .is_none_or(|c| c.is_whitespace() || c == '%')
}

/// A text, an atom in quotes, a sigil or a character.
fn value<'t>(reader: &mut Reader<'t>) -> Option<Token<'t>> {
    let from = *reader;
    match reader.peek()? {
        '$' => {
            reader.next();
            // `$\^a` is one character, too.
            if reader.next()? == '\\' && reader.next()? == '^' {
                reader.next()?;
            }
            Some(reader.token(Kind::Value, &from))
        }
        '~' if is_sigil(reader) => {
            quoted_text::skip_sigil(reader, false)?;
            Some(reader.token(Kind::Value, &from))
        }
        '"' if is_text_of_lines(reader) => {
            quoted_text::skip_lines(reader, "\"\"\"")?;
            Some(reader.token(Kind::Value, &from))
        }
        quote @ ('"' | '\'') => {
            reader.next();
            let inside = *reader;
            quoted_text::skip(reader, Quotes::plain(quote, false))?;
            let whole = reader.token(Kind::Value, &from);
            let Some(text) = whole.text.get(1..whole.text.len() - 1) else {
                return Some(whole);
            };
            Some(match quote {
                '\'' => Token {
                    kind: Kind::Quoted,
                    text,
                    line: from.line,
                    start: inside.at,
                },
                _ => whole,
            })
        }
        _ => {
            reader.next();
            Some(reader.token(Kind::Sign, &from))
        }
    }
}

/// `~"`, `~b"`, `~S(`; a tilde alone is nothing in Erlang.
fn is_sigil(reader: &Reader<'_>) -> bool {
    let after = reader.rest().strip_prefix('~').unwrap_or_default();
    let quotes = after.trim_start_matches(char::is_alphabetic);
    quotes.starts_with(['"', '\'', '(', '[', '{', '<', '/', '|', '`', '#'])
}

/// Three quotes and nothing else on the line; three quotes before a text are an empty text before it.
fn is_text_of_lines(reader: &Reader<'_>) -> bool {
    let after = reader.rest().strip_prefix("\"\"\"").unwrap_or_default();
    after
        .trim_start_matches([' ', '\t', '\r'])
        .starts_with('\n')
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
