//! Atoms as Erlang source writes them.

/// An atom as Erlang source would show it: quoted when it has to be.
pub fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_lowercase())
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '@'));
    if plain {
        name.to_owned()
    } else {
        format!("'{}'", name.chars().map(escaped).collect::<String>())
    }
}

/// A character between quotes. An atom may hold any; a line of output must not end in one.
fn escaped(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{b}' => "\\v".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\u{1b}' => "\\e".to_owned(),
        '\u{7f}' => "\\d".to_owned(),
        '\0'..='\u{1f}' => format!("\\{:03o}", u32::from(c)),
        _ => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_follows_erlang() {
        assert_eq!(quoted("init"), "init");
        assert_eq!(quoted("Elixir.Enum"), "'Elixir.Enum'");
        assert_eq!(quoted("rabbit@host"), "rabbit@host");
        assert_eq!(quoted("it's\n\u{1}\\"), r"'it\'s\n\001\\'");
    }
}
