//! Every limit that takes effect is a note with the number that it left out.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use std::fmt::Write;

use crate::named::{capture, compared, texts};
use crate::simulated::{Function, Program, side};
use compare::answer::Comparison;
use compare::{
    Comment, CommitOrder, Condition, HistoryQuestion, Note, NoteKind, Options, Page, SourceFile,
    SourceTexts, compare, difference_page, history, history_markdown, markdown, shown_rows,
};

const FILE: &str = "src/shop.erl";

/// How many a limit of a kind left out, and the limit.
fn cut(notes: &[Note], kind: NoteKind) -> Option<[String; 2]> {
    let note = notes.iter().find(|note| note.kind == kind)?;
    for value in &note.values[..1] {
        assert!(note.text.contains(value.as_str()), "{}", note.text);
    }
    Some([note.values[0].clone(), note.values[1].clone()])
}

fn numbers(left_out: usize, limit: usize) -> Option<[String; 2]> {
    Some([left_out.to_string(), limit.to_string()])
}

/// Both sides have a text of one file, and samples of one function each.
fn with(file: &str, base: (&str, &str), new: (&str, &str)) -> Comparison {
    let (old, newer) = (capture(&[(base.0, file, 1)]), capture(&[(new.0, file, 1)]));
    compared(
        &old,
        &newer,
        texts(&[(file, base.1)], &[(file, new.1)], &[]),
    )
}

#[test]
fn lines_of_long_functions() {
    let text = |name: &str, lines: usize| {
        let lines = "    step(Item),\n".repeat(lines);
        format!("{name}(Item) ->\n{lines}    {{{name}, Item}}.\n")
    };
    let of = |lines: usize| {
        let (base, new) = (text("old", lines), text("new", lines));
        let comparison = with(FILE, ("shop:old/1", &base), ("shop:new/1", &new));
        cut(&comparison.notes, NoteKind::LinesCut)
    };
    assert_eq!(of(1_998), None);
    // Two lines more than are compared, on each side.
    assert_eq!(of(2_000), numbers(4, 2_000));
}

#[test]
fn words_of_long_functions() {
    let text = |words: usize, last: &str| {
        let words = "word, ".repeat(words);
        format!("f(Item) -> [{words}Item].\nf(Item, Other) -> {{Item, Other, {last}}}.\n")
    };
    let of = |words: usize| {
        let (base, new) = (text(words, "one"), text(words, "other"));
        let comparison = with(FILE, ("shop:f/1", &base), ("shop:f/1", &new));
        cut(&comparison.notes, NoteKind::WordsCut)
    };
    assert_eq!(of(4_998), None);
    assert_eq!(of(5_001), numbers(6, 5_000));
}

#[test]
fn members_of_large_families() {
    let text = |members: usize, last: &str| {
        let arities = 1..=members;
        arities.fold(String::new(), |mut text, arity| {
            let arguments = vec!["X"; arity].join(", ");
            let _ = writeln!(text, "f({arguments}) -> {{X, {last}}}.");
            text
        })
    };
    let of = |members: usize| {
        let (base, new) = (text(members, "one"), text(members, "other"));
        let comparison = with(FILE, ("shop:f/1", &base), ("shop:f/1", &new));
        cut(&comparison.notes, NoteKind::FamiliesCut)
    };
    assert_eq!(of(12), None);
    assert_eq!(of(13), numbers(13, 12));
}

#[test]
fn modules_of_files_with_many() {
    let text = |modules: usize, name: &str| {
        let modules = 0..modules;
        modules.fold(String::new(), |mut text, number| {
            let _ = writeln!(text, "defmodule M{number} do def {name}(x), do: x end");
            text
        })
    };
    let of = |modules: usize| {
        let (base, new) = (text(modules, "old"), text(modules, "new"));
        let (old, newer) = ("'Elixir.M0':old/1", "'Elixir.M0':new/1");
        let comparison = with("lib/many.ex", (old, &base), (newer, &new));
        cut(&comparison.notes, NoteKind::ModulesCut)
    };
    assert_eq!(of(1_000), None);
    assert_eq!(of(1_001), numbers(2_002, 1_000));
}

#[test]
fn texts_that_are_not_read_to_their_end() {
    let of = |base: &str| {
        let new = "new(Item) -> {Item, \"closed\"}.\n";
        let comparison = with(FILE, ("shop:old/1", base), ("shop:new/1", new));
        cut(&comparison.notes, NoteKind::TextsCut).map(|[left_out, _]| left_out)
    };
    assert_eq!(of("old(Item) -> {Item, \"closed\"}.\n"), None);
    assert_eq!(of("old(Item) -> {Item, \"open}.\n"), Some("1".to_owned()));
    let long = format!("old([{}Item]) -> Item.\n", "x, ".repeat(1_100));
    assert_eq!(of(&long), Some("1".to_owned()), "a head");
}

/// A comparison of one text without a change, beside headers and files of Elixir that changed or may use changed ones.
fn beside(files: SourceTexts) -> Comparison {
    let text = [(FILE, "f(X) -> X.\n")];
    let same = capture(&[("shop:f/1", FILE, 1)]);
    let SourceTexts { base, new, .. } = texts(&text, &text, &[]);
    compared(&same, &same, SourceTexts { base, new, ..files })
}

fn elixir(text: &str) -> SourceFile {
    SourceFile {
        path: "lib/macros.ex".to_owned(),
        text: text.to_owned(),
    }
}

/// Whether a gate on what the commit touched cannot tell since macros that changed may not be known.
fn is_doubted(comparison: &Comparison) -> bool {
    let touched: Condition = "touched.slower>5%".parse().unwrap();
    let text = touched.judge(comparison, None).unwrap().text();
    text.contains("functions of files that use a changed macro may count as the same")
}

const MACRO: &str = "  defmacro priced(page), do: page\n";

#[test]
fn macros_of_files_with_many_modules() {
    let of = |modules: usize, macros: &str| {
        let mut text = format!("defmodule Shop do\n{macros}end\n");
        (1..modules).for_each(|number| {
            let _ = writeln!(text, "defmodule M{number} do end");
        });
        let comparison = beside(SourceTexts {
            changed_elixir: vec![elixir(&text)],
            ..SourceTexts::default()
        });
        let note = cut(&comparison.notes, NoteKind::MacroNamesCut);
        assert_eq!(is_doubted(&comparison), note.is_some());
        note
    };
    assert_eq!(of(2_000, MACRO), None);
    assert_eq!(of(2_001, MACRO), numbers(1, 2_000));
    // Functions write no code of other files.
    assert_eq!(of(2_001, "  def priced(page), do: page\n"), None);
}

#[test]
fn macros_of_files_that_are_not_read_to_their_end() {
    let of = |rest: &str| {
        let comparison = beside(SourceTexts {
            changed_elixir: vec![elixir(&format!("defmodule Shop do\n{MACRO}end\n{rest}"))],
            ..SourceTexts::default()
        });
        let note = cut(&comparison.notes, NoteKind::MacrosUnread);
        assert_eq!(is_doubted(&comparison), note.is_some());
        note.map(|[left_out, _]| left_out)
    };
    assert_eq!(of(""), None);
    // The scanner continues on the next line behind some of them.
    assert_eq!(of("~s(\n"), None);
    assert_eq!(of(&"~s(\n".repeat(20)), Some("1".to_owned()));
}

#[test]
fn headers_and_files_with_macros_that_cannot_be_read_count_as_changed() {
    let of = |header: &str, other: &str| {
        let header = SourceFile {
            path: "include/cart.hrl".to_owned(),
            text: header.to_owned(),
        };
        let comparison = beside(SourceTexts {
            changed_headers: vec!["include/deep.hrl".to_owned()],
            headers: vec![header],
            changed_elixir: vec![elixir(&format!("defmodule Shop do\n{MACRO}end\n"))],
            other_elixir: vec![elixir(&format!("defmodule Web do\n{MACRO}{other}end\n"))],
            ..SourceTexts::default()
        });
        assert!(!is_doubted(&comparison));
        cut(&comparison.notes, NoteKind::IncludesUnread).map(|[count, _]| count)
    };
    assert_eq!(of("-define(A, 1).\n", ""), None);
    assert_eq!(of("-define(A, \"open).\n", ""), Some("1".to_owned()));
    assert_eq!(
        of("-define(A, \"open).\n", "  @a \"open\n"),
        Some("2".to_owned())
    );
}

#[test]
fn findings_of_work_that_moved() {
    let moves = |count: usize| {
        let program = |caller: &str| {
            let functions = (0..count).flat_map(|number| {
                let caller = format!("shop:{caller}_{number}/1");
                let format = format!("lib:format_{number}/2");
                let before = |name: &str| {
                    let name = format!("shop:{name}_{number}/1");
                    Function::new(&name, 0.2).below(&["shop:loop/1"])
                };
                let callers = [caller.as_str(), "shop:loop/1"];
                let moved = Function::new(&format, 0.6).below(&callers);
                [before("page"), before("mail"), moved]
            });
            let functions: Vec<_> = functions.collect();
            Program {
                seconds: 30,
                ..Program::ordinary().counting("orders")
            }
            .with(&functions)
        };
        let captures = |program: &Program, seed: u64| {
            let seeds = seed..seed + 3;
            seeds.map(|seed| program.capture(seed)).collect::<Vec<_>>()
        };
        let (base, new) = (
            captures(&program("page"), 1),
            captures(&program("mail"), 11),
        );
        compare(
            &side("base", &base),
            &side("new", &new),
            &Options::default(),
        )
        .unwrap()
    };
    let few = moves(3);
    assert_eq!(few.moved.len(), 3);
    assert_eq!(cut(&few.notes, NoteKind::FindingsCut), None);
    let many = moves(22);
    assert_eq!(many.moved.len(), 20);
    assert_eq!(cut(&many.notes, NoteKind::FindingsCut), numbers(2, 20));
}

/// A program that runs for this long, sampled twice a second.
fn lasting(seconds: u64) -> Program {
    Program {
        seconds,
        frequency_hz: 2,
        ..Program::ordinary()
    }
}

#[test]
fn the_time_of_long_captures() {
    let of = |seconds: u64| {
        let (base, new) = ([lasting(seconds).capture(1)], [lasting(seconds).capture(2)]);
        let sides = (side("base", &base), side("new", &new));
        let comparison = compare(&sides.0, &sides.1, &Options::default()).unwrap();
        cut(&comparison.notes, NoteKind::TimesCut)
    };
    assert_eq!(of(600), None);
    assert_eq!(of(620), numbers(40, 600));
}

#[test]
fn the_time_of_long_captures_of_a_history() {
    let of = |seconds: u64| {
        let question = HistoryQuestion::default();
        let counted = (1..4).map(|seed| {
            let capture = lasting(seconds).capture(seed);
            question.count(&format!("c{seed}"), &capture)
        });
        history(&question, counted.collect(), &[], &CommitOrder::default()).unwrap()
    };
    assert_eq!(cut(&of(600).notes, NoteKind::TimesCut), None);
    let long = of(615);
    assert_eq!(cut(&long.notes, NoteKind::TimesCut), numbers(45, 600));
    let comment = history_markdown(&long, &[]);
    assert!(comment.contains(&long.notes[0].text), "{comment}");
}

#[test]
fn sources_whose_texts_were_not_read_are_in_each_output() {
    let program = Program {
        seconds: 2,
        ..Program::ordinary()
    };
    let (base, new) = ([program.capture(1)], [program.capture(2)]);
    let (base, new) = (side("base", &base), side("new", &new));
    let options = |unread: usize| Options {
        texts: SourceTexts {
            unread,
            most_files: 500,
            ..SourceTexts::default()
        },
        ..Options::default()
    };
    let all = compare(&base, &new, &options(0)).unwrap();
    assert_eq!(cut(&all.notes, NoteKind::SourcesCut), None);
    let comparison = compare(&base, &new, &options(7)).unwrap();
    let notes = &comparison.notes;
    assert_eq!(cut(notes, NoteKind::SourcesCut), numbers(7, 500));
    let mut of_kind = notes.iter().filter(|it| it.kind == NoteKind::SourcesCut);
    let text = of_kind.next().unwrap().text.as_str();
    let comment = markdown(&comparison, &Comment::default());
    assert!(comment.replace('\\', "").contains(text), "{comment}");
    let page = Page {
        comparison: &comparison,
        gates: &[],
        shown: &shown_rows(&comparison, compare::Choice::default()),
    };
    let page = difference_page((&base, &new), &page).unwrap();
    assert!(page.contains(text));
}
