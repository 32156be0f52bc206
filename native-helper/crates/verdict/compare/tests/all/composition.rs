//! The composition of sides: each capture once, one commit, one project.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use crate::simulated::{Program, side};
use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{
    Comment, NoteKind, Options, Refusal, Side, SourceFile, SourceTexts, compare, markdown,
    name_of_captures,
};
use shared_map::HashMap;

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
    // One name is one note, however often it is given, and each name has its own.
    let notes_of = |names: &[&str]| {
        let named = called_by_captures(&again, names);
        let comparison = compare(&named, &side("new", &other), &Options::default()).unwrap();
        let notes = comparison.notes.iter();
        notes
            .filter(|note| note.kind == NoteKind::SameCapture)
            .count()
    };
    assert_eq!(notes_of(&["A.pb.gz"; 3]), 1);
    assert_eq!(notes_of(&["A.pb.gz", "B.pb.gz", "C.pb.gz"]), 2);
}

/// As the command line calls sides: by their captures.
fn called_by_captures<'a>(captures: &'a [Capture], names: &[&str]) -> Side<'a> {
    let mut side = side(&name_of_captures(names), captures);
    for (given, name) in side.captures.iter_mut().zip(names) {
        (*name).clone_into(&mut given.name);
    }
    side
}

#[test]
fn a_title_names_what_counts() {
    let bytes = program().of_commit(SHOP, "a").capture_bytes(1);
    let other = program().of_commit(SHOP, "a").capture_bytes(2);
    let read = |bytes: &[u8]| Capture::from_bytes(bytes).unwrap();
    let base = [read(&bytes), read(&bytes), read(&bytes)];
    let new = [read(&other), read(&bytes), read(&other)];
    let base = called_by_captures(&base, &["A1.pb.gz", "link.pb.gz", "copy.pb.gz"]);
    let new = called_by_captures(&new, &["B1.pb.gz", "A1.pb.gz", "B1.pb.gz"]);
    let comparison = compare(&base, &new, &Options::default()).unwrap();
    assert_eq!(comparison.base.name, "A1.pb.gz");
    assert_eq!(comparison.new.name, "B1.pb.gz and 1 more");
    let named = Side {
        name: "v1".to_owned(),
        ..base
    };
    let comparison = compare(&named, &new, &Options::default()).unwrap();
    assert_eq!(comparison.base.name, "v1");
}

/// A profile of another tool.
fn imported(text: &str) -> [Capture; 1] {
    let limits = foreign_profiles::Limits::default();
    let converted = foreign_profiles::convert(text.as_bytes(), &limits);
    [Capture::from_bytes(&converted.unwrap().unwrap().message).unwrap()]
}

#[test]
fn sides_without_a_function_in_common_are_compared_where_that_is_wanted() {
    let (base, new) = (
        imported("m:r/0;m:a/0 500\nm:r/0;m:b/0 400\n"),
        imported("n:s/0;n:c/0 700\nn:s/0;n:d/0 300\n"),
    );
    let refused = compared(&base, &new, false).unwrap_err();
    assert!(matches!(refused, Refusal::NothingInCommon { .. }));
    let comparison = compared(&base, &new, true).unwrap();
    assert!(has(&comparison, NoteKind::NothingInCommon));
    assert_eq!(comparison.functions.len(), 6);
    for row in &comparison.functions {
        assert!(row.total.base_samples == 0 || row.total.new_samples == 0);
    }
    assert!(!has(
        &compared(&base, &base, true).unwrap(),
        NoteKind::NothingInCommon
    ));
}

#[test]
fn a_profile_of_another_language_is_another_program() {
    let erlang = imported("m:r/0;m:a/0;copy_struct 500\n");
    let go = imported("main.main;main.work 500\n");
    let refused = compared(&erlang, &go, false).unwrap_err();
    assert!(matches!(refused, Refusal::NothingInCommon { .. }));
    // One of C alone has the runtime in common.
    let c = imported("process_main;copy_struct 500\n");
    assert!(compared(&erlang, &c, false).is_ok());
}

#[test]
fn a_profile_of_memory_is_not_compared() {
    let speedscope = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"m:f/1"}]},"profiles":[
        {"type":"sampled","name":"x","unit":"bytes","startValue":0,"endValue":1,"samples":[[0]],"weights":[4096]}]}"#;
    let heap = imported(speedscope);
    let time = of_commit("a", 1..2);
    for (base, new) in [(&heap, &time[..]), (&heap, &heap)] {
        let refused = compared(base, new, true).unwrap_err();
        assert!(matches!(refused, Refusal::Memory { .. }));
    }
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
fn all_captures_with_changes_are_named() {
    let changed = |seed: u64| {
        let mut program = program().of_commit(SHOP, "a");
        program.origin.as_mut().unwrap().dirty = true;
        program.capture(seed)
    };
    let base = [
        changed(1),
        changed(2),
        program().of_commit(SHOP, "a").capture(3),
        changed(4),
    ];
    let new = of_commit("b", 5..6);
    let base = called_by_captures(&base, &["1.pb.gz", "2.pb.gz", "3.pb.gz", "4.pb.gz"]);
    let new = side("new", &new);
    // One side is one version: those with changes and the one without are two.
    let refused = compare(&base, &new, &Options::default()).unwrap_err();
    assert!(
        matches!(refused, Refusal::SeveralCommits { .. }),
        "{refused}"
    );
    let options = Options {
        anyway: true,
        ..Options::default()
    };
    let comparison = compare(&base, &new, &options).unwrap();
    let several = comparison.notes.iter();
    let mut several = several.filter(|note| note.kind == NoteKind::SeveralCommits);
    let versions = "aaaaaaaaa, aaaaaaaaa with changes";
    assert_eq!(several.next().unwrap().values[1], versions);
    let notes = comparison.notes.iter();
    let changed: Vec<_> = notes.filter(|note| note.kind == NoteKind::Dirty).collect();
    let [only] = changed[..] else {
        panic!("{changed:?}");
    };
    assert_eq!(
        only.text,
        "taken with changes to aaaaaaaaa that were not committed: 1.pb.gz and 2 more"
    );
    assert_eq!(only.values, ["1.pb.gz and 2 more", "aaaaaaaaa"]);
}

#[test]
fn headers_of_captures_with_changes_are_not_compared_and_a_note_states_it() {
    let capture = |commit: &str, is_dirty: bool, seed: u64| {
        let mut program = program().of_commit(SHOP, commit);
        program.origin.as_mut().unwrap().dirty = is_dirty;
        [program.capture(seed)]
    };
    let of = |is_dirty: bool, texts: SourceTexts| {
        let (base, new) = (capture("a", false, 1), capture("b", is_dirty, 2));
        let options = Options {
            texts,
            ..Options::default()
        };
        let comparison = compare(&side("base", &base), &side("new", &new), &options).unwrap();
        let mut notes = comparison.notes.iter();
        notes.any(|note| note.kind == NoteKind::UncommittedHeaders)
    };
    let file = SourceFile {
        path: "src/shop.erl".to_owned(),
        text: "-module(shop).\n-include(\"shop.hrl\").\n".to_owned(),
    };
    let files = HashMap::from([("src/shop.erl".to_owned(), file)]);
    let texts = || SourceTexts {
        base: files.clone(),
        new: files.clone(),
        ..SourceTexts::default()
    };
    assert!(of(true, texts()));
    assert!(!of(false, texts()));
    // Without texts, nothing counts as the same by them.
    assert!(!of(true, SourceTexts::default()));
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

/// Captures that were taken one after the other, with ten seconds of the sixty between their starts.
fn paired(base: &[u64], new: &[u64], anyway: bool) -> Result<Comparison, Refusal> {
    let of = |commit: &str, starts: &[u64]| -> Vec<Capture> {
        let program = program().of_commit("https://example.org/some/shop", commit);
        starts.iter().map(|start| program.capture(*start)).collect()
    };
    let (base, new) = (of("a", base), of("b", new));
    let options = Options {
        paired: true,
        anyway,
        each_capture: true,
        ..Options::default()
    };
    compare(&side("base", &base), &side("new", &new), &options)
}

#[test]
fn pairs_need_as_many_captures_on_both_sides() {
    let of = |base: &[u64], new: &[u64]| paired(base, new, false);
    assert!(matches!(of(&[0], &[1]), Err(Refusal::NoPairs { .. })));
    assert!(matches!(
        of(&[0, 3, 4], &[1, 2]),
        Err(Refusal::NoPairs { .. })
    ));
    let anyway = paired(&[0, 3, 4], &[1, 2], true);
    assert!(matches!(anyway, Err(Refusal::NoPairs { .. })));
    assert!(of(&[0, 3, 4], &[1, 2, 5]).unwrap().method.paired);
}

#[test]
fn pairs_are_by_the_time_at_which_they_were_taken() {
    let in_order = paired(&[0, 3, 4, 7], &[1, 2, 5, 6], false).unwrap();
    // As a shell lists `base-1`, `base-10`, `base-2`.
    let by_name = paired(&[0, 7, 3, 4], &[1, 6, 2, 5], false).unwrap();
    let whole = |comparison: &Comparison| comparison.whole.clone().unwrap();
    assert_eq!(whole(&in_order), whole(&by_name));
    assert_eq!(in_order.functions, by_name.functions);
}

#[test]
fn captures_that_do_not_follow_each_other_are_no_pairs() {
    for (base, new, names) in [
        // All of one side before the other.
        (&[0, 1, 2][..], &[3, 4, 5][..], ["base 1", "base 2"]),
        // The first of the one side and the last of the other are missing.
        (&[0, 3, 4], &[2, 5, 6], ["base 2", "base 3"]),
    ] {
        let Err(Refusal::WrongPairs { one, other }) = paired(base, new, false) else {
            panic!("{base:?} and {new:?} are no pairs");
        };
        assert_eq!([one.as_str(), other.as_str()], names);
        let anyway = paired(base, new, true).unwrap();
        assert!(has(&anyway, NoteKind::WrongPairs));
        assert!(anyway.method.paired);
    }
    let right = paired(&[0, 3], &[1, 2], false).unwrap();
    assert!(!has(&right, NoteKind::WrongPairs) && !has(&right, NoteKind::PairsAsGiven));
}

#[test]
fn pairs_of_several_machines_are_refused() {
    let on = |host: &str, cpu_model: &str, start: u64| {
        let program = Program {
            host: Some((host.to_owned(), cpu_model.to_owned())),
            ..program()
        };
        program.capture(start)
    };
    let compared = |of_last: (&str, &str), anyway: bool, paired: bool| {
        let base = vec![on("one", "EPYC", 0), on(of_last.0, of_last.1, 3)];
        let new = vec![on("one", "EPYC", 1), on("one", "", 2)];
        let options = Options {
            paired,
            anyway,
            ..Options::default()
        };
        compare(&side("base", &base), &side("new", &new), &options)
    };
    assert!(compared(("one", "EPYC"), false, true).is_ok());
    for (last, shown) in [(("two", "EPYC"), "two"), (("one", "Xeon"), "Xeon")] {
        let refused = compared(last, false, true).unwrap_err();
        let text = refused.to_string();
        assert!(matches!(refused, Refusal::OtherMachine { .. }), "{text}");
        assert!(text.contains("base 1") && text.contains("base 2"), "{text}");
        assert!(text.contains(shown), "{text}");
        let anyway = compared(last, true, true).unwrap();
        assert!(has(&anyway, NoteKind::OtherMachine));
        let not_pairs = compared(last, false, false).unwrap();
        assert!(has(&not_pairs, NoteKind::OtherMachine), "not as pairs");
    }
}
