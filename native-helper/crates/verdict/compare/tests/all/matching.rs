//! Which function is which, where names alone do not show it.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use crate::named::{capture, capture_of, capture_of_calls, compared, matches, side, texts};
use capture::sample::{FrameKind, FunctionFacts};
use compare::{MatchedBy, NoteKind, Options, Refusal, Side, SourceTexts, compare};

const OLD: &str = "-module(shop).\n\
total(L) ->\n\
    lists:sum(lists:map(fun(X) -> X * 2 end, L)).\n\
\n\
rank(L) ->\n\
    lists:sort(fun(A, B) -> A =< B end, L).\n";

/// `total/1` is the same and further down; a closure of `rank/1` was put before the one it had.
const NEW: &str = "-module(shop).\n\
\n\
%% Twice the sum.\n\
total(L) ->\n\
    lists:sum(lists:map(fun(X) -> X * 2 end, L)).\n\
\n\
rank(L) ->\n\
    lists:filter(fun(X) -> X > 0 end, L),\n\
    lists:sort(fun(A, B) -> A =< B end, L).\n";

#[test]
fn a_closure_is_found_by_its_line_when_its_number_is_anothers() {
    let file = "src/shop.erl";
    let base = capture(&[
        ("shop:'-rank/1-fun-0-'/2", file, 6),
        ("shop:'-total/1-fun-0-'/1", file, 3),
    ]);
    let new = capture(&[
        ("shop:'-rank/1-fun-0-'/1", file, 8),
        ("shop:'-rank/1-fun-1-'/2", file, 9),
        ("shop:'-total/1-fun-0-'/1", file, 5),
    ]);
    let comparison = compared(&base, &new, texts(&[(file, OLD)], &[(file, NEW)], &[]));
    assert_eq!(
        matches(&comparison),
        [
            (None, "shop:'-rank/1-fun-0-'/1", None),
            (
                Some("shop:'-rank/1-fun-0-'/2"),
                "shop:'-rank/1-fun-1-'/2",
                Some(MatchedBy::Closure)
            ),
            (None, "shop:'-total/1-fun-0-'/1", Some(MatchedBy::Name)),
        ]
    );
}

#[test]
fn a_renamed_file_takes_its_functions_along() {
    let base = capture(&[("shop:total/1", "src/shop.erl", 2)]);
    let new = capture(&[("store:total/1", "src/store.erl", 2)]);
    let renamed = [("src/shop.erl", "src/store.erl")];
    let with = texts(
        &[("src/shop.erl", OLD)],
        &[("src/store.erl", OLD)],
        &renamed,
    );
    let comparison = compared(&base, &new, with);
    assert_eq!(
        matches(&comparison),
        [(
            Some("shop:total/1"),
            "store:total/1",
            Some(MatchedBy::RenamedFile)
        )]
    );
}

#[test]
fn a_function_that_was_renamed_or_moved_is_found_by_its_lines() {
    let old =
        "price(Item, Tax) ->\n    Base = maps:get(cents, Item),\n    Base + Base * Tax div 100.\n";
    let new = "-module(money).\n\ngross(Item, Tax) ->\n    Base = maps:get(cents, Item),\n    Base + Base * Tax div 100.\n";
    let base = capture(&[("shop:price/2", "src/shop.erl", 1)]);
    let newer = capture(&[("money:gross/2", "src/money.erl", 3)]);
    let comparison = compared(
        &base,
        &newer,
        texts(&[("src/shop.erl", old)], &[("src/money.erl", new)], &[]),
    );
    assert_eq!(
        matches(&comparison),
        [(Some("shop:price/2"), "money:gross/2", Some(MatchedBy::Body))]
    );
}

#[test]
fn functions_whose_text_is_not_compared_are_counted() {
    let noted = |count: u32| {
        let side = |prefix: &str| {
            let names: Vec<String> = (1..=count).map(|it| format!("{prefix}_{it}")).collect();
            let forms = names.iter().map(|name| {
                format!("{name}(Item, Tax) -> Base = maps:get({name}, Item), Base + Base * Tax.\n")
            });
            let text: String = forms.collect();
            let functions: Vec<String> =
                names.iter().map(|name| format!("shop:{name}/2")).collect();
            (functions, text)
        };
        let (base, new) = (side("old"), side("new"));
        let file = "src/shop.erl";
        let of = |functions: &[String]| {
            let lines = functions.iter().zip(1..);
            let placed: Vec<_> = lines
                .map(|(name, line)| (name.as_str(), file, line))
                .collect();
            capture(&placed)
        };
        let with = texts(&[(file, &base.1)], &[(file, &new.1)], &[]);
        let comparison = compared(&of(&base.0), &of(&new.0), with);
        let mut notes = comparison.notes.into_iter();
        notes.find(|note| note.kind == NoteKind::MatchingCut)
    };
    assert_eq!(noted(300), None);
    let note = noted(302).expect("a note");
    assert_eq!(note.values, ["2", "300"]);
    assert!(
        note.text.contains("the text of 2 functions"),
        "{}",
        note.text
    );
}

#[test]
fn of_two_with_the_same_lines_neither_is_taken() {
    let body =
        "(Item, Tax) ->\n    Base = maps:get(cents, Item),\n    Base + Base * Tax div 100.\n";
    let old = format!("price{body}");
    let new = format!("gross{body}\nnet{body}");
    let base = capture(&[("shop:price/2", "a.erl", 1)]);
    let newer = capture(&[("shop:gross/2", "a.erl", 1), ("shop:net/2", "a.erl", 5)]);
    let comparison = compared(
        &base,
        &newer,
        texts(&[("a.erl", &old)], &[("a.erl", &new)], &[]),
    );
    assert!(matches(&comparison).iter().all(|(_, _, by)| by.is_none()));
}

#[test]
fn another_arity_is_the_same_function_when_there_is_but_one() {
    let base = capture(&[("shop:price/2", "a.erl", 1), ("shop:tax/1", "a.erl", 9)]);
    let new = capture(&[
        ("shop:price/3", "a.erl", 1),
        ("shop:tax/2", "a.erl", 9),
        ("shop:tax/3", "a.erl", 12),
    ]);
    let comparison = compared(&base, &new, SourceTexts::default());
    let found = matches(&comparison);
    assert!(
        found.contains(&(Some("shop:price/2"), "shop:price/3", Some(MatchedBy::Arity))),
        "{found:?}"
    );
    assert!(
        found.contains(&(None, "shop:tax/2", None)) && found.contains(&(None, "shop:tax/1", None))
    );
}

#[test]
fn c_code_without_a_name_is_matched_by_its_caller() {
    let native = |name: &str| FunctionFacts {
        name: name.into(),
        raw_name: name.into(),
        kind: FrameKind::Native,
        file: String::new(),
        head_line: 0,
        object: "beam.smp".into(),
    };
    let base = capture_of(&[native("beam.smp!fn@0x1000")]);
    let new = capture_of(&[native("beam.smp!fn@0x2000")]);
    let comparison = compared(&base, &new, SourceTexts::default());
    assert_eq!(
        matches(&comparison),
        [(None, "(inside shop:loop/1)", Some(MatchedBy::Caller))]
    );
}

#[test]
fn captures_of_different_programs_are_refused() {
    let one = capture_of(&[]);
    let base = capture(&[("shop:price/2", "a.erl", 1)]);
    let error = compare(&side("a", &base), &side("b", &one), &Options::default());
    assert_eq!(error, Err(Refusal::NoSamples { side: "b".into() }));
    let none = Side {
        name: "b".into(),
        captures: Vec::new(),
    };
    let error = compare(&side("a", &base), &none, &Options::default());
    assert_eq!(error, Err(Refusal::NoCapture { side: "b".into() }));
}

#[test]
fn c_code_without_a_name_goes_with_a_caller_that_was_renamed() {
    let caller = |name: &str| FunctionFacts {
        name: name.into(),
        raw_name: name.into(),
        kind: FrameKind::Erlang,
        file: format!("src/{}.erl", name.split(':').next().unwrap()),
        head_line: 2,
        object: "[erlang]".into(),
    };
    let base = capture_of_calls(&caller("shop:total/1"), "beam.smp!fn@0x1000");
    let new = capture_of_calls(&caller("store:total/1"), "beam.smp!fn@0x2000");
    let renamed = [("src/shop.erl", "src/store.erl")];
    let with = texts(
        &[("src/shop.erl", OLD)],
        &[("src/store.erl", OLD)],
        &renamed,
    );
    let comparison = compared(&base, &new, with);
    let (was, now) = ("(inside shop:total/1)", "(inside store:total/1)");
    assert!(matches(&comparison).contains(&(Some(was), now, Some(MatchedBy::Caller))));
}

#[test]
fn a_function_that_was_only_not_sampled_is_no_other_with_its_arity() {
    let text = "total(L) -> total(L, 0).\n\ntotal([], Sum) -> Sum;\ntotal([X | L], Sum) -> total(L, Sum + X).\n";
    let later = format!("%% Changed.\n{text}");
    let base = capture(&[("shop:total/2", "shop.erl", 3)]);
    let new = capture(&[("shop:total/1", "shop.erl", 2)]);
    let with = texts(&[("shop.erl", text)], &[("shop.erl", &later)], &[]);
    let comparison = compared(&base, &new, with);
    assert!(matches(&comparison).iter().all(|(_, _, by)| by.is_none()));
}
