//! The tokens of a text.

/// Something in a text does not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endless;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name, a keyword or a number.
    Word,
    /// A name in quotes, without them.
    Quoted,
    /// A text, a character or an atom after a colon.
    Value,
    /// A bracket, an operator, a comma.
    Sign,
    /// The dot that ends a form of Erlang.
    End,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its kind.
    pub kind: Kind,
    /// As it is written; a name in quotes without them.
    pub text: &'t str,
    /// From 1.
    pub line: u32,
    /// Byte that it begins at.
    pub start: usize,
}

impl Token<'_> {
    pub(crate) fn is_sign(&self, text: &str) -> bool {
        self.kind == Kind::Sign && self.text == text
    }

    pub(crate) fn is_word(&self, text: &str) -> bool {
        self.kind == Kind::Word && self.text == text
    }

    /// Byte behind it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// A place in a text that moves towards its end.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'t> {
    pub text: &'t str,
    pub at: usize,
    /// From 1.
    pub line: u32,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub fn is_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Goes past one character.
    pub fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        self.line += u32::from(next == '\n');
        Some(next)
    }

    /// Goes past so many characters; fewer where the text ends.
    pub fn skip(&mut self, characters: usize) {
        for _ in 0..characters {
            self.next();
        }
    }

    pub fn skip_while(&mut self, is_part: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_part) {
            self.next();
        }
    }

    /// A word from here: letters, digits, underlines and `@`.
    pub fn skip_word(&mut self) {
        self.skip_while(|c| c.is_alphanumeric() || c == '_' || c == '@');
    }

    /// The text between an earlier place and this one.
    pub fn token(&self, kind: Kind, from: &Self) -> Token<'t> {
        Token {
            kind,
            text: self.text.get(from.at..self.at).unwrap_or_default(),
            line: from.line,
            start: from.at,
        }
    }
}
