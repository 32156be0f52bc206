//! An Erlang text in pieces.

use crate::quoted_text::{self, Quotes};
use crate::token::{Endless, Kind, Reader, Token};

/// Signs of more than one character that mean something here.
const LONG_SIGNS: [&str; 4] = ["...", "..", "<<", ">>"];

/// The tokens of a text; `None` when something in it does not end.
pub fn of(text: &str) -> Option<Vec<Token<'_>>> {
    let mut reader = Reader::new(text);
    let tokens = std::iter::from_fn(|| next(&mut reader));
    tokens.collect::<Result<_, _>>().ok()
}

/// The token that follows; `None` at the end of the text.
pub fn next<'t>(reader: &mut Reader<'t>) -> Option<Result<Token<'t>, Endless>> {
    skip_layout(reader);
    let from = *reader;
    let token = match reader.peek()? {
        '"' | '\'' | '~' | '$' => value(reader),
        c if c.is_alphanumeric() || c == '_' || c == '@' => {
            word(reader);
            Some(reader.token(Kind::Word, &from))
        }
        '.' if is_end(reader) => {
            reader.next();
            Some(reader.token(Kind::End, &from))
        }
        _ => {
            let long = LONG_SIGNS.into_iter().find(|sign| reader.is_at(sign));
            reader.skip(long.map_or(1, str::len));
            Some(reader.token(Kind::Sign, &from))
        }
    };
    Some(token.ok_or(Endless))
}

/// Blanks, comments, and the first line of a script.
fn skip_layout(reader: &mut Reader<'_>) {
    if reader.at == 0 && reader.is_at("#!") {
        reader.skip_while(|c| c != '\n');
    }
    while let Some(here) = reader.peek() {
        match here {
            '%' => reader.skip_while(|c| c != '\n'),
            c if c.is_whitespace() => reader.skip(1),
            _ => return,
        }
    }
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
