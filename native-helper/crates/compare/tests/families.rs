//! Functions of one name whose arities shifted: a parameter came or went, and each has the arity that
//! another had.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod named;

use compare::answer::Comparison;
use compare::{Condition, MatchedBy, NoteKind, SourceTexts, Unmatched, Verdict};
use named::{capture, capture_of_build, compared, matches, texts};

const FILE: &str = "lib/reader.ex";

/// Two readers of texts, each with a parameter that says how to make keys and one for values.
const TWO_DECODERS: &str = r#"defmodule Reader do
  def read(data), do: text(data, data, 0, &key/1, &copy/1, 0)

  defp text(<<?", rest::bits>>, all, skip, key, copy, size) do
    part = copy.(binary_part(all, skip, size))
    next(rest, all, skip + size + 1, key, copy, part)
  end

  defp text(<<?\\, rest::bits>>, all, skip, key, copy, size) do
    part = binary_part(all, skip, size)
    escaped(rest, all, skip + size, key, copy, part)
  end

  defp text(<<_, rest::bits>>, all, skip, key, copy, size) do
    text(rest, all, skip, key, copy, size + 1)
  end

  defp text(<<?", rest::bits>>, all, skip, key, copy, done, size) do
    part = copy.(done <> binary_part(all, skip, size))
    next(rest, all, skip + size + 1, key, copy, part)
  end

  defp text(<<?\\, rest::bits>>, all, skip, key, copy, done, size) do
    part = done <> binary_part(all, skip, size)
    escaped(rest, all, skip + size, key, copy, part)
  end

  defp text(<<_, rest::bits>>, all, skip, key, copy, done, size) do
    text(rest, all, skip, key, copy, done, size + 1)
  end
end
"#;

/// One function makes both: every line that passes it on has one parameter less.
fn one_decoder() -> String {
    let text = TWO_DECODERS.replace("&key/1, &copy/1", "&copy/1");
    text.replace("key, copy", "copy")
}

fn row<'c>(comparison: &'c Comparison, name: &str) -> &'c compare::answer::FunctionChange {
    let mut rows = comparison.functions.iter();
    rows.find(|row| row.function == name).unwrap()
}

#[test]
fn each_of_a_family_that_lost_a_parameter_is_found() {
    let old = capture(&[
        ("'Elixir.Reader':text/6", FILE, 4),
        ("'Elixir.Reader':text/7", FILE, 18),
    ]);
    let new = capture(&[
        ("'Elixir.Reader':text/5", FILE, 4),
        ("'Elixir.Reader':text/6", FILE, 18),
    ]);
    let with = texts(&[(FILE, TWO_DECODERS)], &[(FILE, &one_decoder())], &[]);
    let comparison = compared(&old, &new, with);
    let found = matches(&comparison);
    let partner = |was, now| {
        let mut rows = found.iter();
        rows.any(|row| (row.0, row.1) == (Some(was), now) && row.2.is_some())
    };
    assert!(
        partner("'Elixir.Reader':text/6", "'Elixir.Reader':text/5"),
        "{found:?}"
    );
    assert!(
        partner("'Elixir.Reader':text/7", "'Elixir.Reader':text/6"),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
}

#[test]
fn one_that_was_not_sampled_gives_its_partner_to_nobody() {
    let old = capture(&[("'Elixir.Reader':text/6", FILE, 4)]);
    let new = capture(&[("'Elixir.Reader':text/6", FILE, 18)]);
    let with = texts(&[(FILE, TWO_DECODERS)], &[(FILE, &one_decoder())], &[]);
    let comparison = compared(&old, &new, with);
    let found = matches(&comparison);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(_, _, by)| by.is_none()), "{found:?}");
}

/// What escapes a text lost its parameter of options, and what it calls the same.
const WITH_OPTIONS: &str = r#"-module(page).
escape(Text, All, Skip, Options) ->
    case Text of
        <<$<, Rest/binary>> -> [part(All, Skip), "&lt;" | escape(Rest, All, Skip + 1, Options)];
        <<_, Rest/binary>> -> escape(Rest, All, Skip, Options, 1);
        <<>> -> Options
    end.

escape(<<C, Rest/binary>>, All, Skip, Options, Size) when C > $> ->
    escape(Rest, All, Skip, Options, Size + 1);
escape(Rest, All, Skip, Options, Size) ->
    Part = binary:part(All, Skip, Size),
    [Part | escape(Rest, All, Skip + Size, Options)].
"#;

#[test]
fn closures_and_c_code_go_with_the_function_that_they_are_in() {
    let file = "src/page.erl";
    let old = capture(&[
        ("page:escape/4", file, 2),
        ("page:escape/5", file, 9),
        ("page:'-escape/4-fun-0-'/1", "", 0),
    ]);
    let new = capture(&[
        ("page:escape/3", file, 2),
        ("page:escape/4", file, 9),
        ("page:'-escape/3-fun-0-'/1", "", 0),
    ]);
    let later = WITH_OPTIONS
        .replace(", Options, ", ", ")
        .replace(", Options)", ")");
    let with = texts(&[(file, WITH_OPTIONS)], &[(file, &later)], &[]);
    let comparison = compared(&old, &new, with);
    let found = matches(&comparison);
    let pairs: Vec<_> = found.iter().map(|row| (row.0.unwrap(), row.1)).collect();
    assert_eq!(
        pairs,
        [
            ("page:'-escape/4-fun-0-'/1", "page:'-escape/3-fun-0-'/1"),
            ("page:escape/4", "page:escape/3"),
            ("page:escape/5", "page:escape/4"),
        ]
    );
}

#[test]
fn without_texts_several_candidates_are_not_matched_and_nothing_is_claimed() {
    let old = capture(&[("m:string/7", "", 0), ("m:string/8", "", 0)]);
    let new = capture(&[("m:string/6", "", 0), ("m:string/7", "", 0)]);
    let comparison = compared(&old, &new, SourceTexts::default());
    let strings: Vec<_> = comparison
        .functions
        .iter()
        .filter(|row| row.function.starts_with("m:string"))
        .collect();
    assert_eq!(strings.len(), 4);
    for row in strings {
        assert_eq!(row.unmatched, Some(Unmatched::ArityChanged));
        assert_eq!(row.matched_by, None);
        assert!(row.columns().all(|it| it.verdict == Verdict::NotMatched));
    }
    let mut notes = comparison.notes.iter();
    let note = notes.find(|note| note.kind == NoteKind::ArityChanged);
    assert_eq!(note.unwrap().values[0], "4");
    // A condition that does not hold is no promise for them.
    let gate = |condition: &str| {
        let condition: Condition = condition.parse().unwrap();
        condition.judge(&comparison).unwrap()
    };
    let any = gate("slower>2%");
    assert!(!any.holds && any.unmatched_pct.is_some_and(|pct| pct > 5.0));
    assert!(any.text().contains("it cannot tell"), "{}", any.text());
    assert_eq!(gate("m:string/7.slower>2%").unmatched_pct, Some(100.0));
    for other in ["new", "whole.slower>2%"] {
        assert_eq!(gate(other).unmatched_pct, None, "{other}");
    }
}

#[test]
fn what_one_side_has_not_sampled_leaves_names_alone() {
    let old = capture(&[("m:f/1", "", 0), ("m:f/2", "", 0)]);
    let new = capture(&[("m:f/2", "", 0)]);
    let comparison = compared(&old, &new, SourceTexts::default());
    assert_eq!(row(&comparison, "m:f/2").matched_by, Some(MatchedBy::Name));
    assert_eq!(row(&comparison, "m:f/1").unmatched, None);
}

#[test]
fn in_modules_that_did_not_change_names_hold_and_nothing_was_renamed() {
    let old = capture_of_build(&[("m:f/1", "", 0), ("m:f/2", "", 0)], "m", 'a');
    let new = capture_of_build(&[("m:f/2", "", 0), ("m:f/3", "", 0)], "m", 'a');
    let comparison = compared(&old, &new, SourceTexts::default());
    assert_eq!(row(&comparison, "m:f/2").matched_by, Some(MatchedBy::Name));
    let alone = capture_of_build(&[("m:f/3", "", 0)], "m", 'a');
    let comparison = compared(&old, &alone, SourceTexts::default());
    assert!(matches(&comparison).iter().all(|(_, _, by)| by.is_none()));
    // Another build of the module: nobody knows.
    let changed = capture_of_build(&[("m:f/2", "", 0), ("m:f/3", "", 0)], "m", 'b');
    let comparison = compared(&old, &changed, SourceTexts::default());
    let unmatched = row(&comparison, "m:f/2").unmatched;
    assert_eq!(unmatched, Some(Unmatched::ArityChanged));
}

#[test]
fn a_family_is_found_in_a_file_that_was_renamed() {
    let renamed = one_decoder().replace("defmodule Reader", "defmodule Parser");
    let old = capture(&[
        ("'Elixir.Reader':text/6", FILE, 4),
        ("'Elixir.Reader':text/7", FILE, 18),
    ]);
    let new = capture(&[
        ("'Elixir.Parser':text/5", "lib/parser.ex", 4),
        ("'Elixir.Parser':text/6", "lib/parser.ex", 18),
    ]);
    let with = texts(
        &[(FILE, TWO_DECODERS)],
        &[("lib/parser.ex", &renamed)],
        &[(FILE, "lib/parser.ex")],
    );
    let comparison = compared(&old, &new, with);
    let found = matches(&comparison);
    let pairs: Vec<_> = found.iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(
        pairs,
        [
            (Some("'Elixir.Reader':text/6"), "'Elixir.Parser':text/5"),
            (Some("'Elixir.Reader':text/7"), "'Elixir.Parser':text/6"),
        ]
    );
}
