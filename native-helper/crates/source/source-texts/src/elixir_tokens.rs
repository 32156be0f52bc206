//! An Elixir text in pieces.

use crate::quoted_text::{self, Quotes};
use crate::token::{Endless, Kind, Reader, Token};

/// Signs of more than one character that mean something here, the longest first.
const LONG_SIGNS: [&str; 9] = ["<<<", ">>>", "~>>", "<<~", "<~>", "<<", ">>", "::", "\\\\"];

/// The tokens of a text; `None` when something in it does not end.
pub fn of(text: &str) -> Option<Vec<Token<'_>>> {
    let mut reader = Reader::new(text);
    let tokens = std::iter::from_fn(|| next(&mut reader));
    tokens.collect::<Result<_, _>>().ok()
}

/// The token that follows; `None` at the end of the text.
pub fn next<'t>(reader: &mut Reader<'t>) -> Option<Result<Token<'t>, Endless>> {
    skip_layout(reader);
    reader.peek()?;
    Some(token(reader).ok_or(Endless))
}

/// Goes behind blanks and comments.
pub fn skip_layout(reader: &mut Reader<'_>) {
    while let Some(here) = reader.peek() {
        match here {
            '#' => reader.skip_while(|c| c != '\n'),
            c if c.is_whitespace() => reader.skip(1),
            _ => return,
        }
    }
}

fn token<'t>(reader: &mut Reader<'t>) -> Option<Token<'t>> {
    let from = *reader;
    let second = reader.peek_second();
    let kind = match reader.peek()? {
        '"' | '\'' => {
            text(reader)?;
            Kind::Value
        }
        '~' if second.is_some_and(char::is_alphabetic) => {
            quoted_text::skip_sigil(reader, true)?;
            Kind::Value
        }
        // A character; behind a name the sign is a part of it.
        '?' if second.is_some_and(|c| !c.is_whitespace()) => {
            reader.next();
            if reader.next() == Some('\\') {
                reader.next()?;
            }
            Kind::Value
        }
        ':' if second.is_some_and(|c| c == '"' || c == '\'') => {
            reader.next();
            text(reader)?;
            Kind::Value
        }
        ':' if second.is_some_and(is_start) => {
            reader.next();
            name(reader);
            Kind::Value
        }
        c if is_start(c) => {
            name(reader);
            // `do:` is a key, `a::b` a type.
            if reader.peek() == Some(':') && reader.peek_second() != Some(':') {
                reader.next();
            }
            Kind::Word
        }
        c if c.is_alphanumeric() => {
            reader.skip_word();
            Kind::Word
        }
        _ => {
            let long = LONG_SIGNS.into_iter().find(|sign| reader.is_at(sign));
            reader.skip(long.map_or(1, str::len));
            Kind::Sign
        }
    };
    Some(reader.token(kind, &from))
}

fn text(reader: &mut Reader<'_>) -> Option<()> {
    for quotes in ["\"\"\"", "'''"] {
        if reader.is_at(quotes) {
            return quoted_text::skip_lines(reader, quotes);
        }
    }
    let quote = reader.next()?;
    quoted_text::skip(reader, Quotes::plain(quote, true))
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// A name with the `?` or `!` that it may end in; `a!=b` has none.
fn name(reader: &mut Reader<'_>) {
    reader.skip_word();
    let ends_so = reader.peek().is_some_and(|c| c == '?' || c == '!');
    if ends_so && reader.peek_second() != Some('=') {
        reader.next();
    }
}
