//! A line together with its file.

/// A source file, and a line of it. Neither can be changed without the other: a line means nothing in another file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place<'a> {
    file: &'a str,
    line: u32,
}

impl<'a> Place<'a> {
    /// A line of a file, 0 when not known. Without a file there is no line.
    pub fn new(file: &'a str, line: u32) -> Self {
        match file {
            "" => Self::default(),
            _ => Self { file, line },
        }
    }

    /// A file, no line of which is known.
    pub fn somewhere_in(file: &'a str) -> Self {
        Self { file, line: 0 }
    }

    /// The file; empty when not known.
    pub fn file(self) -> &'a str {
        self.file
    }

    /// The line; 0 when not known.
    pub fn line(self) -> u32 {
        self.line
    }

    /// The same line of the same file, where the user has that file at another path.
    pub fn of_file_at(self, path: &'a str) -> Self {
        Self::new(path, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_file_there_is_no_line() {
        assert_eq!(Place::new("", 7), Place::default());
        assert_eq!(Place::new("a.erl", 7).line(), 7);
        assert_eq!(
            Place::new("a.erl", 7).of_file_at("src/a.erl"),
            Place::new("src/a.erl", 7)
        );
        assert_eq!(Place::new("a.erl", 7).of_file_at(""), Place::default());
    }
}
