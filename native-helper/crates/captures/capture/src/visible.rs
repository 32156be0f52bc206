//! Text of a target as text: nothing in it is obeyed by whatever shows it.
//!
//! Others choose the names of functions, files, nodes, processes and symbols. In a terminal an
//! escape sequence among them moves the cursor, makes a link or sets the title, and a bidirectional
//! control lets one name look like another.

use std::borrow::Cow;

/// The text with every character that is obeyed rather than shown written out, as `\u{1b}`: control
/// characters with line breaks, bidirectional controls and others without a shape of their own.
/// Text that has none comes back as it is, and so does what this function has made.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_obeyed(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The characters of a name that people are shown: a longer one makes every row of its table as wide as
/// itself, and a comment too long for its receiver.
pub const LONGEST_NAME: usize = 200;

/// A name for people: visible, and cut with `…` where it is longer than [`LONGEST_NAME`]. JSON has whole
/// names.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    let shown = visible(name);
    if shown.char_indices().nth(LONGEST_NAME).is_none() {
        return shown;
    }
    let kept = shown.chars().take(LONGEST_NAME - 1);
    Cow::Owned(kept.chain(['…']).collect())
}

/// The same as [`visible`] for a document of JSON without line breaks: such characters stand in its strings only, and
/// JSON has its own way to write them, which every reader of JSON takes for the character. Writers of JSON do so for
/// the lowest 32 only.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_obeyed) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if !is_obeyed(c) {
            shown.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            shown.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(shown)
}

/// True for characters that do something where they are shown, instead of being shown.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_obeyed_is_written_out() {
        let shown = |text: &str| visible(text).into_owned();
        assert_eq!(shown("a\u{1b}[31mb"), r"a\u{1b}[31mb");
        assert_eq!(
            shown("\u{1b}]8;;http://x\u{7}y\u{9b}0m"),
            r"\u{1b}]8;;http://x\u{7}y\u{9b}0m"
        );
        assert_eq!(shown("two\nlines\r\t"), r"two\nlines\r\t");
        assert_eq!(
            shown("\u{202e}cod.elif\u{2069}\u{7f}"),
            r"\u{202e}cod.elif\u{2069}\u{7f}"
        );
        assert_eq!(
            shown("\u{2028}\u{feff}\u{200d}"),
            r"\u{2028}\u{feff}\u{200d}"
        );
    }

    #[test]
    fn json_is_the_same_document_and_shows_nothing_that_is_obeyed() {
        let json = "{\"a\\n\":\"\u{9b}31m\u{202e}\u{7f}\u{e0041}\u{1f980}\"}";
        let shown = visible_json(json);
        assert_eq!(shown, r#"{"a\n":"\u009b31m\u202e\u007f\udb40\udc41🦀"}"#);
        assert!(!shown.chars().any(is_obeyed));
        assert!(matches!(visible_json("{}"), Cow::Borrowed("{}")));
    }

    #[test]
    fn a_name_that_is_too_long_is_cut_and_marked() {
        for (longest, name) in [
            ("m:f/1".to_owned(), "m:f/1"),
            ("ä".repeat(LONGEST_NAME), &"ä".repeat(LONGEST_NAME)),
            (
                format!("{}…", "ä".repeat(LONGEST_NAME - 1)),
                &"ä".repeat(LONGEST_NAME + 1),
            ),
            (
                format!("{}…", "x".repeat(LONGEST_NAME - 1)),
                &"x".repeat(1 << 20),
            ),
        ] {
            assert_eq!(shown_name(name), longest);
            assert_eq!(shown_name(&longest), longest);
        }
        let escaped = shown_name(&"\u{1b}".repeat(LONGEST_NAME)).into_owned();
        assert_eq!(escaped.chars().count(), LONGEST_NAME);
    }

    #[test]
    fn what_is_shown_stays_and_twice_is_once() {
        for text in ["'Elixir.Größe':naïve/1", r"C:\new \u{1b}", "日本語 🦀", ""] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
        let once = visible("a\u{1b}b\n").into_owned();
        assert_eq!(visible(&once), once);
    }
}
