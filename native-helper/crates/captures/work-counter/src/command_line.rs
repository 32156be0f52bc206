//! A command as one text, taken apart into program and arguments without a shell.

/// Why a text is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandLineError {
    /// There is nothing in it.
    #[error("it names no program")]
    Empty,
    /// A quote begins and does not end.
    #[error("a quote ({0}) has no end")]
    OpenQuote(char),
    /// A byte that no argument may have.
    #[error("it has a NUL character")]
    Nul,
}

/// Splits at blanks. Text between single or double quotes stays together; every other character, a
/// backslash and `$` among them, is itself.
///
/// # Errors
/// See [`CommandLineError`].
pub fn split(text: &str) -> Result<Vec<String>, CommandLineError> {
    if text.contains('\0') {
        return Err(CommandLineError::Nul);
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                // Nothing between quotes is an argument, too.
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(open) = quote {
        return Err(CommandLineError::OpenQuote(open));
    }
    words.extend(word);
    match words.first().is_some_and(|program| !program.is_empty()) {
        true => Ok(words),
        false => Err(CommandLineError::Empty),
    }
}

/// One text that [`split`] takes apart into these words again, whatever they hold but NUL.
pub fn joined<'words>(words: impl IntoIterator<Item = &'words str>) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push('\'');
        // A quote ends the quoted part, and is itself between quotes of the other kind.
        text.push_str(&word.replace('\'', r#"'"'"'"#));
        text.push('\'');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blanks_part_arguments_and_quotes_hold_them_together() {
        let words = |text: &str| split(text).map(|words| words.join("|"));
        assert_eq!(
            words(" psql  -c 'select 1' "),
            Ok("psql|-c|select 1".into())
        );
        assert_eq!(words("a \"it's\" b''c ''"), Ok("a|it's|bc|".into()));
        assert_eq!(
            words(r"a \n $HOME `id` ;b"),
            Ok(r"a|\n|$HOME|`id`|;b".into())
        );
        assert_eq!(words("  "), Err(CommandLineError::Empty));
        assert_eq!(words("'' a"), Err(CommandLineError::Empty));
        assert_eq!(words("a 'b"), Err(CommandLineError::OpenQuote('\'')));
        assert_eq!(words("a\0"), Err(CommandLineError::Nul));
    }

    proptest! {
        #[test]
        fn joined_words_come_back(words in proptest::collection::vec("['\"]{0,3}[^\0]{0,12}", 1..6)) {
            prop_assume!(!words[0].is_empty());
            prop_assert_eq!(split(&joined(words.iter().map(String::as_str))), Ok(words));
        }

        #[test]
        fn garbage_is_words_or_an_error(text in ".{0,80}") {
            prop_assert!(split(&text).is_err() || !split(&text).unwrap_or_default().is_empty());
        }
    }
}
