//! Labels of a metric: `{queue="orders",vhost="/"}`.

/// A metric with more labels cannot be genuine.
const MAX_LABELS: usize = 64;

/// Name and value.
pub(crate) type Label = (String, String);

/// The labels that a text begins with, none where it begins with no `{`, and the rest of the text;
/// `None` where they make no sense.
pub(crate) fn take_labels(text: &str) -> Option<(Vec<Label>, &str)> {
    let Some(mut rest) = text.strip_prefix('{') else {
        return Some((Vec::new(), text));
    };
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((labels, behind));
        }
        let (name, behind) = take_name(rest, false)?;
        let behind = behind.trim_start().strip_prefix('=')?.trim_start();
        let (value, behind) = take_quoted(behind)?;
        labels.push((name.to_owned(), value));
        if labels.len() > MAX_LABELS {
            return None;
        }
        rest = behind.trim_start_matches([' ', '\t']);
        // One comma may stand before the end.
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None if rest.starts_with('}') => {}
            None => return None,
        }
    }
}

/// The name that a text begins with, and the rest of the text. Those of metrics may have colons.
pub(crate) fn take_name(text: &str, with_colons: bool) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || with_colons && c == ':';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some((name, rest))
}

fn take_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.strip_prefix('"')?.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            // Behind the first quote, which is left out of the positions.
            '"' => return Some((value, &text[position + 2..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                other @ ('\\' | '"') => value.push(other),
                // A format that escapes nothing else: the characters stand for themselves.
                other => value.extend(['\\', other]),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_with_their_escapes_and_what_follows() {
        let taken = |text: &'static str| take_labels(text);
        let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(taken(" 5"), Some((vec![], " 5")));
        assert_eq!(taken("{} 5"), Some((vec![], " 5")));
        assert_eq!(
            taken(r#"{a="x}\"\\\n\d", b = "ü" , } 5"#),
            Some((vec![label("a", "x}\"\\\n\\d"), label("b", "ü")], " 5"))
        );
        for odd in [
            "{",
            "{a}",
            "{a=1}",
            "{a=\"1}",
            "{a=\"1\" b=\"2\"}",
            "{1a=\"\"}",
            "{,}",
        ] {
            assert_eq!(taken(odd), None, "{odd}");
        }
    }
}
