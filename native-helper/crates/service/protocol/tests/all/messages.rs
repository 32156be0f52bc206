//! Texts for terminals and editors.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use protocol::message::{Messages, TEXTS, Text, texts};

#[test]
fn codes_are_unique_and_arguments_are_put_in_once() {
    let codes: BTreeSet<_> = TEXTS.iter().map(|text| text.code).collect();
    assert_eq!(codes.len(), TEXTS.len());
    let text = texts::MAY_NOT_BE_READ.with(&[("pid", &7), ("detail", &"{pid} {detail}")]);
    assert_eq!(text.english, "process 7 may not be read: {pid} {detail}");
    let message = text.message.unwrap();
    assert_eq!(message.code, "mayNotBeRead");
    assert_eq!(message.arguments["detail"], "{pid} {detail}");
}

/// The names in braces, in order.
fn arguments_of(template: &str) -> Vec<&str> {
    let pieces = template.split('{').skip(1);
    let mut names: Vec<_> = pieces.filter_map(|piece| piece.split('}').next()).collect();
    names.sort_unstable();
    names
}

#[test]
fn texts_in_the_editor_do_not_name_the_command_line() {
    for text in TEXTS {
        assert_eq!(
            arguments_of(text.in_editor),
            arguments_of(text.english),
            "{}",
            text.code
        );
        let words: Vec<_> = text
            .in_editor
            .split_whitespace()
            .map(|word| word.trim_matches(['(', ')', ',', '`']))
            .collect();
        let is_option = |word: &&str| {
            word.starts_with("--")
                && !word.starts_with("--cap-add")
                && !word.starts_with("--security-opt")
                || *word == "-o"
        };
        assert!(
            !words.iter().any(is_option),
            "{}: {}",
            text.code,
            text.in_editor
        );
        assert!(!text.in_editor.contains("`extrospect"), "{}", text.code);
        assert!(!text.in_editor.contains("sudo extrospect"), "{}", text.code);
    }
}

#[test]
fn a_text_has_its_message_under_the_name_of_its_member() {
    let mut messages = Messages::new();
    assert_eq!(Text::plain("17").with_message("found", &mut messages), "17");
    assert_eq!(
        texts::FOUND_ALLOWED
            .text()
            .with_message("needed", &mut messages),
        "allowed"
    );
    assert_eq!(messages.keys().collect::<Vec<_>>(), ["needed"]);
}
