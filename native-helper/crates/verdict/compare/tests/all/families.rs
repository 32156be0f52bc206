//! Functions of one name whose arities shifted: a parameter came or went, and each has the arity that
//! another had.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use crate::named::{capture, capture_of_build, compared, matches, texts};
use compare::answer::Comparison;
use compare::{
    Answer, Certainty, Condition, MatchedBy, NoteKind, Reason, Remark, SourceTexts, Unmatched,
    Verdict,
};

const FILE: &str = "lib/reader.ex";

/// Two readers of texts, each with one parameter for how to make keys and one for values.
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

/// Both functions of the family are sampled, before and after.
fn with_a_parameter_less() -> Comparison {
    let old = capture(&[
        ("'Elixir.Reader':text/6", FILE, 4),
        ("'Elixir.Reader':text/7", FILE, 18),
    ]);
    let new = capture(&[
        ("'Elixir.Reader':text/5", FILE, 4),
        ("'Elixir.Reader':text/6", FILE, 18),
    ]);
    let with = texts(&[(FILE, TWO_DECODERS)], &[(FILE, &one_decoder())], &[]);
    compared(&old, &new, with)
}

#[test]
fn each_of_a_family_that_lost_a_parameter_is_found() {
    let comparison = with_a_parameter_less();
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
fn a_name_in_a_condition_is_that_of_the_newer_side() {
    let comparison = with_a_parameter_less();
    let measured = |condition: &str| {
        let condition: Condition = condition.parse().unwrap();
        let gate = condition.judge(&comparison, None).unwrap();
        gate.measured.map(|finding| finding.name)
    };
    for (named, found) in [
        ("text/6", "text/6"),
        ("text/5", "text/5"),
        ("text/7", "text/6"),
    ] {
        assert_eq!(
            measured(&format!("'Elixir.Reader':{named}.self.slower>1%")),
            Some(format!("'Elixir.Reader':{found}")),
            "{named}"
        );
    }
}

#[test]
fn what_the_code_of_both_sides_has_is_not_new() {
    let file = "src/m.erl";
    let before = "-module(m).\nf(X) -> g(X).\ng(X) -> X.\n";
    let after = before.replace("g(X).", "g({X}).") + "h(X) -> X.\n";
    let old = capture(&[("m:f/1", file, 2)]);
    let new = capture(&[("m:f/1", file, 2), ("m:g/1", file, 3), ("m:h/1", file, 4)]);
    let with = texts(&[(file, before)], &[(file, &after)], &[]);
    let comparison = compared(&old, &new, with);
    let called_now = row(&comparison, "m:g/1");
    assert_eq!(called_now.itself.verdict, Verdict::Slower);
    assert_eq!(called_now.remark, Some(Remark::NotSampledThere));
    assert_eq!(row(&comparison, "m:h/1").itself.verdict, Verdict::New);
    let gone = compared(&new, &old, texts(&[(file, &after)], &[(file, before)], &[]));
    assert_eq!(row(&gone, "m:g/1").itself.verdict, Verdict::Faster);
    assert_eq!(row(&gone, "m:h/1").itself.verdict, Verdict::Gone);
    // It has no interval, and no longer captures would show one.
    let answer = |comparison: &Comparison, condition: &str| {
        let condition: Condition = condition.parse().unwrap();
        let gate = condition.judge(comparison, None).unwrap();
        (gate.answer, gate.certainty)
    };
    let (holds, does_not) = (
        (Answer::Holds, Certainty::Beyond),
        (Answer::DoesNotHold, Certainty::Within),
    );
    for (comparison, [slower, faster]) in
        [(&comparison, [holds, does_not]), (&gone, [does_not, holds])]
    {
        assert_eq!(answer(comparison, "m:g/1.self.slower>5%"), slower);
        assert_eq!(answer(comparison, "m:g/1.self.faster>5%"), faster);
    }
    // Nothing is known without texts.
    let blind = compared(&old, &new, SourceTexts::default());
    assert_eq!(row(&blind, "m:g/1").itself.verdict, Verdict::New);
}

#[test]
fn one_that_was_not_sampled_keeps_its_partner() {
    let old = capture(&[("'Elixir.Reader':text/6", FILE, 4)]);
    let new = capture(&[("'Elixir.Reader':text/6", FILE, 18)]);
    let with = texts(&[(FILE, TWO_DECODERS)], &[(FILE, &one_decoder())], &[]);
    let comparison = compared(&old, &new, with);
    let found = matches(&comparison);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(_, _, by)| by.is_none()), "{found:?}");
}

/// The function that escapes a text and the one that it calls, before both lose their parameter of
/// options.
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

/// A closure takes along the variables that it uses: with one variable less it has one argument
/// less.
#[test]
fn a_closure_goes_with_its_function_also_where_its_own_arity_changed() {
    let file = "src/page.erl";
    let old = |arity: u8| {
        capture(&[
            ("page:escape/4", file, 2),
            ("page:escape/5", file, 9),
            (&format!("page:'-escape/4-fun-0-'/{arity}"), "", 0),
        ])
    };
    let new = capture(&[
        ("page:escape/3", file, 2),
        ("page:escape/4", file, 9),
        ("page:'-escape/3-fun-0-'/3", "", 0),
    ]);
    let later = WITH_OPTIONS
        .replace(", Options, ", ", ")
        .replace(", Options)", ")");
    let with = || texts(&[(file, WITH_OPTIONS)], &[(file, &later)], &[]);
    let comparison = compared(&old(4), &new, with());
    let closure = row(&comparison, "page:'-escape/3-fun-0-'/3");
    assert_eq!(
        closure.base_function.as_deref(),
        Some("page:'-escape/4-fun-0-'/4")
    );
    assert_eq!(closure.matched_by, Some(MatchedBy::Arity));
    // Of two it is not known which: neither is in the code of the other side.
    let two = capture(&[
        ("page:escape/3", file, 2),
        ("page:escape/4", file, 9),
        ("page:'-escape/3-fun-0-'/2", "", 0),
        ("page:'-escape/3-fun-0-'/3", "", 0),
    ]);
    let comparison = compared(&old(4), &two, with());
    let closure = row(&comparison, "page:'-escape/4-fun-0-'/4");
    assert_eq!((closure.matched_by, closure.remark), (None, None));
    assert_eq!(closure.itself.verdict, Verdict::Gone);
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
    let judged = |condition: &str| {
        let condition: Condition = condition.parse().unwrap();
        condition.judge(&comparison, None)
    };
    let gate = |condition: &str| judged(condition).unwrap();
    let any = gate("slower>2%");
    assert_eq!(any.answer, Answer::CannotTell, "{}", any.text());
    assert!(any.unmatched_pct.is_some_and(|pct| pct > 5.0));
    assert!(any.text().contains("it cannot tell"), "{}", any.text());
    for named in ["m:string/7.slower>2%", "m:string/8.gone"] {
        let named = gate(named);
        assert_eq!(named.answer, Answer::CannotTell, "{}", named.text());
        assert_eq!(named.doubts[0].reason, Reason::NotMatched);
    }
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
    // Another build of the module: not known.
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
