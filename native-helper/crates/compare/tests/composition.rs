//! What sides are made of: each capture once, one commit, one project.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

mod simulated;

use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{Comment, NoteKind, Options, Refusal, compare, markdown};
use simulated::{Program, side};

const SHOP: &str = "https://example.org/some/shop.git";

fn program() -> Program {
    Program {
        seconds: 2,
        ..Program::ordinary()
    }
}

fn of_commit(commit: &str, seeds: std::ops::Range<u64>) -> Vec<Capture> {
    let program = program().of_commit(SHOP, commit);
    seeds.map(|seed| program.capture(seed)).collect()
}

fn compared(base: &[Capture], new: &[Capture], anyway: bool) -> Result<Comparison, Refusal> {
    let options = Options {
        anyway,
        ..Options::default()
    };
    compare(&side("base", base), &side("new", new), &options)
}

fn has(comparison: &Comparison, kind: NoteKind) -> bool {
    comparison.notes.iter().any(|note| note.kind == kind)
}

#[test]
fn a_capture_counts_once_however_often_it_is_given() {
    let (one, other) = (of_commit("a", 1..2), of_commit("b", 2..3));
    let bytes = program().of_commit(SHOP, "a").capture_bytes(1);
    let again: Vec<Capture> = (0..3)
        .map(|_| Capture::from_bytes(&bytes).unwrap())
        .collect();
    let once = compared(&one, &other, false).unwrap();
    let thrice = compared(&again, &other, false).unwrap();
    assert_eq!(thrice.base.captures, 1);
    assert_eq!(thrice.functions, once.functions);
    assert!(has(&thrice, NoteKind::SameCapture));
    assert!(has(&thrice, NoteKind::OneCapture));
    assert!(!has(&once, NoteKind::SameCapture));
}

#[test]
fn a_title_names_the_commits_where_they_tell_the_sides_apart() {
    let title = |base: &[Capture], new: &[Capture]| {
        let comparison = compared(base, new, false).unwrap();
        let text = markdown(&comparison, &Comment::default());
        text.lines().next().unwrap().to_owned()
    };
    let (one, other) = (of_commit("a", 1..2), of_commit("b", 2..3));
    assert_eq!(title(&one, &other), "### CPU: aaaaaaaaa → bbbbbbbbb");
    assert_eq!(title(&one, &of_commit("a", 3..4)), "### CPU: base → new");
}

#[test]
fn a_capture_of_both_sides_is_named() {
    let captures = of_commit("a", 1..3);
    let same = compared(&captures, &captures, false).unwrap();
    assert!(has(&same, NoteKind::OnBothSides));
    let apart = compared(&captures[..1], &captures[1..], false).unwrap();
    assert!(!has(&apart, NoteKind::OnBothSides));
    assert!(has(&apart, NoteKind::SameCommit));
}

#[test]
fn captures_of_equal_counts_and_other_functions_are_two() {
    let program = program();
    let renamed = program.clone().rename(0, "shop:other/1");
    let pair = [program.capture(1), renamed.capture(1)];
    let comparison = compared(&pair[..1], &pair[1..], false).unwrap();
    assert!(!has(&comparison, NoteKind::OnBothSides));
}

#[test]
fn a_side_of_two_commits_is_refused() {
    let mut mixed = of_commit("a", 1..2);
    mixed.extend(of_commit("b", 2..3));
    let other = of_commit("b", 3..5);
    let refused = compared(&mixed, &other, false);
    assert!(matches!(refused, Err(Refusal::SeveralCommits { .. })));
    let anyway = compared(&mixed, &other, true).unwrap();
    assert!(has(&anyway, NoteKind::SeveralCommits));
    assert!(anyway.base.version.is_none());
    assert!(anyway.new.version.is_some());
}

#[test]
fn captures_of_two_projects_are_refused() {
    let shop = of_commit("a", 1..2);
    let elsewhere = |address: &str| vec![program().of_commit(address, "b").capture(2)];
    let other = compared(&shop, &elsewhere("https://example.org/some/bank"), false);
    assert!(matches!(other, Err(Refusal::OtherProject { .. })));
    for fork in [
        "git@example.com:somebody/shop",
        "https://example.org/some/shop/",
    ] {
        assert!(compared(&shop, &elsewhere(fork), false).is_ok(), "{fork}");
    }
}

#[test]
fn pairs_need_as_many_captures_on_both_sides() {
    let options = Options {
        paired: true,
        ..Options::default()
    };
    let of = |base: u64, new: u64| {
        let (base, new) = (of_commit("a", 0..base), of_commit("b", 10..10 + new));
        compare(&side("base", &base), &side("new", &new), &options)
    };
    assert!(matches!(of(1, 1), Err(Refusal::NoPairs { .. })));
    assert!(matches!(of(3, 2), Err(Refusal::NoPairs { .. })));
    assert!(of(3, 3).unwrap().method.paired);
}
