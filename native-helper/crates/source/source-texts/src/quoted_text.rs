//! Texts in quotes, of both languages: their content is no code.

use crate::token::Reader;

/// Code in texts in code in texts: deeper than in any real program.
const MOST_NESTED: u32 = 40;

/// The characters that a backslash takes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    Anything,
    /// The closing quote alone.
    TheEnd,
    Nothing,
}

/// The end of a text and the meaning of a backslash and `#{` in it.
#[derive(Debug, Clone, Copy)]
pub struct Quotes {
    pub close: char,
    pub escapes: Escapes,
    /// `#{` begins code.
    pub interpolates: bool,
}

impl Quotes {
    /// `"` and `'`.
    pub fn plain(close: char, interpolates: bool) -> Self {
        Self {
            close,
            escapes: Escapes::Anything,
            interpolates,
        }
    }
}

/// Goes behind the quote that closes; the opening one is behind already. `None` when none closes.
pub fn skip(reader: &mut Reader<'_>, quotes: Quotes) -> Option<()> {
    skip_nested(reader, quotes, 0)
}

fn skip_nested(reader: &mut Reader<'_>, quotes: Quotes, depth: u32) -> Option<()> {
    loop {
        let here = reader.next()?;
        if here == quotes.close {
            return Some(());
        }
        let takes_along = match quotes.escapes {
            Escapes::Anything => true,
            Escapes::TheEnd => reader.peek() == Some(quotes.close),
            Escapes::Nothing => false,
        };
        if here == '\\' && takes_along {
            reader.next()?;
        } else if here == '#' && quotes.interpolates && reader.peek() == Some('{') {
            reader.next();
            skip_code(reader, depth + 1)?;
        }
    }
}

/// Goes behind the brace that closes the code of an interpolation.
fn skip_code(reader: &mut Reader<'_>, depth: u32) -> Option<()> {
    let mut braces = 1_u32;
    let is_shallow = depth < MOST_NESTED;
    while braces > 0 {
        match reader.next().filter(|_| is_shallow)? {
            '{' => braces += 1,
            '}' => braces -= 1,
            quote @ ('"' | '\'') => skip_nested(reader, Quotes::plain(quote, true), depth)?,
            '?' if reader.peek().is_some_and(|c| "{}\"'".contains(c)) => reader.skip(1),
            _ => {}
        }
    }
    Some(())
}

/// Goes behind a text of several lines, which ends at a line that begins with its quotes; they are
/// before the reader. `None` when there is no such line.
pub fn skip_lines(reader: &mut Reader<'_>, quotes: &str) -> Option<()> {
    reader.skip(quotes.chars().count());
    loop {
        reader.skip_while(|c| c != '\n');
        reader.next()?;
        reader.skip_while(|c| c == ' ' || c == '\t');
        if reader.is_at(quotes) {
            reader.skip(quotes.chars().count());
            return Some(());
        }
    }
}

/// Goes behind a sigil, `~s(...)`, whose tilde is before the reader. `None` when it does not end.
pub fn skip_sigil(reader: &mut Reader<'_>, is_elixir: bool) -> Option<()> {
    reader.next();
    let is_raw = reader.peek().is_some_and(char::is_uppercase);
    reader.skip_while(char::is_alphanumeric);
    for quotes in ["\"\"\"", "'''"] {
        if reader.is_at(quotes) {
            return skip_lines(reader, quotes);
        }
    }
    let close = match reader.next()? {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        same => same,
    };
    let quotes = Quotes {
        close,
        escapes: match (is_raw, is_elixir) {
            (false, _) => Escapes::Anything,
            (true, true) => Escapes::TheEnd,
            (true, false) => Escapes::Nothing,
        },
        interpolates: is_elixir && !is_raw,
    };
    skip(reader, quotes)
}
