//! Why rows changed, and which are shown: checked with programs of which the truth is known.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use crate::night_or_day;
use crate::simulated::{Function, Program, own_code, side};
use capture::own::OwnCode;
use capture::reader::Capture;
use capture::sample::SampleClass;
use compare::answer::{Comparison, FunctionChange};
use compare::{
    Answer, Certainty, Choice, Comment, Condition, Gate, Measure, MovedKind, NoteKind, Options,
    Reason, Remark, RenamedFile, RowGroup, SourceFile, SourceTexts, Verdict, compare, markdown,
    shown_rows,
};
use shared_map::HashMap;

/// Everything that is the user's own.
const OWN: &str = "shop";

fn captures(program: &Program, seed: u64) -> Vec<Capture> {
    let numbers = 0..3;
    numbers
        .map(|number| program.capture(seed * 1_000 + number))
        .collect()
}

/// Processor time for a unit of work, so that what one function takes moves no other.
fn compared(base: &[Capture], new: &[Capture], texts: SourceTexts) -> Comparison {
    let own_of = |captures: &[Capture]| -> Vec<OwnCode> {
        let each = captures.iter();
        each.map(|capture| own_code(capture, &[OWN])).collect()
    };
    let (own_of_base, own_of_new) = (own_of(base), own_of(new));
    let (mut base, mut new) = (side("base", base), side("new", new));
    for (side, own) in [(&mut base, &own_of_base), (&mut new, &own_of_new)] {
        for (given, own) in side.captures.iter_mut().zip(own) {
            given.own = Some(own);
        }
    }
    let options = Options {
        measure: Some(Measure::Work),
        texts,
        ..Options::default()
    };
    compare(&base, &new, &options).expect("two sides with samples")
}

fn of_programs(base: &Program, new: &Program, texts: SourceTexts) -> Comparison {
    compared(&captures(base, 1), &captures(new, 2), texts)
}

fn texts(base: &str, new: &str) -> SourceTexts {
    let files = |text: &str| {
        let file = SourceFile {
            path: "src/shop.erl".into(),
            text: text.into(),
        };
        HashMap::from([("src/shop.erl".to_owned(), file)])
    };
    SourceTexts {
        base: files(base),
        new: files(new),
        ..SourceTexts::default()
    }
}

fn row<'c>(comparison: &'c Comparison, name: &str) -> &'c FunctionChange {
    let mut rows = comparison.functions.iter();
    rows.find(|row| row.function == name)
        .unwrap_or_else(|| panic!("no row for {name}"))
}

fn program() -> Program {
    Program::ordinary().counting("orders")
}

const LOOP: &str = "shop:loop/1";
const GC: &str = "erts_garbage_collect";

/// A collection that falls into the time of a function.
fn collection(of: &str, weight: f64) -> Function {
    Function::new(GC, weight)
        .below(&[of, LOOP])
        .of_class(SampleClass::Gc)
}

const PARSING: &str = "-module(shop).\nparse(Header) -> binary:split(Header, <<\",\">>).\nrender(Page) -> iolist_to_binary(Page).\n";

fn parsing(parse: f64, render: f64) -> Program {
    let functions = [
        Function::new("shop:parse/1", 0.6).below(&[LOOP]),
        Function::new("shop:render/1", 0.6).below(&[LOOP]),
        collection("shop:parse/1", parse),
        collection("shop:render/1", render),
    ];
    let heads = [("shop:parse/1", 2), ("shop:render/1", 3)];
    program().with(&functions).at(&heads)
}

#[test]
fn collections_that_moved_are_no_change_of_code_that_did_not() {
    let (base, new) = (parsing(1.2, 0.05), parsing(0.05, 1.2));
    let comparison = of_programs(&base, &new, texts(PARSING, PARSING));
    for name in ["shop:parse/1", "shop:render/1"] {
        let row = row(&comparison, name);
        assert_eq!(row.remark, Some(Remark::CollectionsMoved), "{row:?}");
        let (own, total) = (row.own.as_ref().unwrap(), &row.total);
        assert_eq!(
            (own.verdict, total.verdict),
            (Verdict::Noise, Verdict::Noise)
        );
        assert!(
            (own.change_pct.unwrap()).abs() > 50.0,
            "figures stay: {own:?}"
        );
        assert!(!row.headline().verdict.is_change());
    }
    let gate = judged(&comparison, "shop:render/1.own.slower>50%");
    assert_eq!(
        (gate.answer, gate.certainty),
        (Answer::DoesNotHold, Certainty::Within)
    );
    // By its time beside collections.
    assert!(gate.measured.unwrap().value.unwrap().abs() < 50.0);
}

/// A program with one function that has this time beside collections, and this in collections.
fn collecting(beside: f64, collections: f64) -> Program {
    let functions = [
        Function::new("shop:parse/1", beside).below(&[LOOP]),
        collection("shop:parse/1", collections),
    ];
    program().with(&functions).at(&[("shop:parse/1", 2)])
}

#[test]
fn few_samples_beside_collections_are_no_change_of_code_that_did_not() {
    for (base, new) in [
        // Too few samples without collections for any verdict.
        (collecting(0.004, 0.0), collecting(0.004, 0.3)),
        // A third of the change is left, which chance explains.
        (collecting(0.02, 0.004), collecting(0.034, 0.034)),
    ] {
        let comparison = of_programs(&base, &new, texts(PARSING, PARSING));
        let row = row(&comparison, "shop:parse/1");
        assert_eq!(row.remark, Some(Remark::CollectionsMoved), "{row:?}");
        let own = row.own.as_ref().unwrap();
        assert_eq!(own.verdict, Verdict::Noise);
        assert!(own.low_pct.is_none_or(|low| low > 0.0), "{own:?}");
        let gate = judged(&comparison, "own.slower>20%");
        assert_ne!(gate.answer, Answer::Holds, "{}", gate.text());
        // The gate is on the time that is charged to the function.
        let one = judged(&comparison, "shop:parse/1.own.slower>1000%");
        let measured = one.measured.unwrap().value.unwrap();
        assert!(measured < own.change_pct.unwrap_or(f64::INFINITY));
    }
}

#[test]
fn collections_that_make_the_smaller_part_of_a_change_are_not_its_cause() {
    // Most of what the function takes more is beside collections, and is a change.
    let (base, new) = (collecting(0.6, 0.2), collecting(1.2, 0.5));
    let comparison = of_programs(&base, &new, texts(PARSING, PARSING));
    let row = row(&comparison, "shop:parse/1");
    assert_eq!(row.own.as_ref().unwrap().verdict, Verdict::Slower);
    let of_collections = [Remark::CollectionsMoved, Remark::CollectionsAlone];
    let mut remarks = row.remark.iter();
    assert!(!remarks.any(|it| of_collections.contains(it)), "{row:?}");
}

#[test]
fn a_module_that_was_compiled_in_its_folder_is_not_of_otp() {
    let in_folder = |program: Program| Program {
        folder: String::new(),
        ..program
    };
    let (base, new) = (parsing(1.2, 0.05), parsing(0.05, 1.2));
    let comparison = of_programs(&in_folder(base), &in_folder(new), SourceTexts::default());
    let row = row(&comparison, "shop:render/1");
    assert_eq!(row.remark, Some(Remark::CollectionsAlone), "{row:?}");
    assert_eq!(row.own.as_ref().unwrap().verdict, Verdict::Slower);
}

#[test]
fn what_a_macro_over_two_lines_means_touches_the_functions_of_its_file() {
    let text = |factor: u32| {
        let define = format!("-define(PRICED(Page),\n  price(Page, {factor})).\n");
        CART.replace("parse(", &format!("{define}parse("))
    };
    let touched = |before: String, after: String| {
        let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
        let comparison = of_programs(&base, &new, texts_of_cart(&before, &after));
        row(&comparison, "cart:render/1").touched
    };
    assert_eq!(touched(text(1), text(1)), Some(false));
    assert_eq!(touched(text(1), text(2)), Some(true));
    // So does a changed header that it includes, and no other.
    let included = CART.replace("parse(", "-include(\"cart.hrl\").\nparse(");
    let touched_by = |header: &str, text: &str| {
        let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
        let texts = SourceTexts {
            changed_headers: vec![header.to_owned()],
            ..texts_of_cart(text, text)
        };
        row(&of_programs(&base, &new, texts), "cart:render/1").touched
    };
    assert_eq!(touched_by("include/cart.hrl", &included), Some(true));
    assert_eq!(touched_by("include/shop.hrl", &included), Some(false));
    assert_eq!(touched_by("include/cart.hrl", CART), Some(false));
    // The end of a line in a text is no end of the function.
    let text = |word: &str| {
        CART.replace(
            "iolist_to_binary(Page)",
            &format!("[\"one.\ntwo\", {word}, Page]"),
        )
    };
    assert_eq!(touched(text("one"), text("two")), Some(true));
}

#[test]
fn a_changed_parse_transform_touches_the_functions_of_modules_that_use_it() {
    let touched = |declared: &str, modules: &[&str], settings: (&str, &str)| {
        let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
        let text = CART.replace("parse(", &format!("{declared}parse("));
        let texts = SourceTexts {
            changed_modules: modules.iter().map(|&path| path.to_owned()).collect(),
            settings: vec![SourceFile {
                path: settings.0.to_owned(),
                text: settings.1.to_owned(),
            }],
            ..texts_of_cart(&text, &text)
        };
        row(&of_programs(&base, &new, texts), "cart:render/1").touched
    };
    let none = ("rebar.config", "{erl_opts, [debug_info]}.\n");
    let of_all = "{erl_opts, [debug_info, {parse_transform, shop_log}]}.\n";
    let (log, other) = (["apps/log/src/shop_log.erl"], ["src/shop.erl"]);
    let own = "-compile([{parse_transform, shop_log}]).\n";
    assert_eq!(touched(own, &log, none), Some(true));
    assert_eq!(touched(own, &other, none), Some(false));
    assert_eq!(touched(own, &[], none), Some(false));
    assert_eq!(touched("", &log, none), Some(false));
    // By the settings of a folder around the file.
    assert_eq!(touched("", &log, ("rebar.config", of_all)), Some(true));
    assert_eq!(touched("", &log, ("src/rebar.config", of_all)), Some(true));
    assert_eq!(
        touched("", &log, ("apps/rebar.config", of_all)),
        Some(false)
    );
    assert_eq!(touched("", &other, ("rebar.config", of_all)), Some(false));
    // One that cannot be read may name any.
    let open = "{erl_opts, [{parse_transform, \"open";
    assert_eq!(touched("", &log, ("rebar.config", open)), Some(true));
}

/// Files of the build that differ, beside one text on both sides.
fn texts_of_builds(paths: &[&str]) -> SourceTexts {
    SourceTexts {
        changed_build: paths.iter().map(|&path| path.to_owned()).collect(),
        ..texts_of_cart(CART, CART)
    }
}

#[test]
fn files_of_the_build_that_differ_are_named() {
    let notes = |paths: &[&str]| {
        let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
        let comparison = of_programs(&base, &new, texts_of_builds(paths));
        let notes = comparison.notes.into_iter();
        let of_kind = notes.filter(|note| note.kind == NoteKind::BuildDiffers);
        of_kind.flat_map(|note| note.values).collect::<Vec<_>>()
    };
    assert_eq!(notes(&["mix.lock", "rebar.lock"]), ["mix.lock, rebar.lock"]);
    assert_eq!(notes(&["a", "b", "c", "d", "e"]), ["a, b, c, d, e"]);
    let many = ["a", "b", "c", "d", "e", "f", "g"];
    assert_eq!(notes(&many), ["a, b, c, d, e and 2 more"]);
    assert!(notes(&[]).is_empty());
}

/// A gate on what the commit touched judged nothing where it changed no text of a function.
#[test]
fn another_build_touches_each_function_unless_its_module_is_the_same() {
    for (built, touched) in [
        // Sums of modules decide, where both sides have them.
        ([Some('a'), Some('a')], false),
        ([Some('a'), Some('b')], true),
        ([Some('a'), None], true),
        ([None, None], true),
    ] {
        let of_build = |render: f64, digit: Option<char>| match digit {
            Some(digit) => of_cart(2.0, render).built(&[("cart", digit)]),
            None => of_cart(2.0, render),
        };
        let (base, new) = (of_build(2.0, built[0]), of_build(4.0, built[1]));
        let answer = |paths: &[&str]| {
            let comparison = of_programs(&base, &new, texts_of_builds(paths));
            let gate = judged(&comparison, "touched.slower>30%");
            (row(&comparison, "cart:render/1").touched, gate.answer)
        };
        let expected = match touched {
            true => (Some(true), Answer::Holds),
            false => (Some(false), Answer::DoesNotHold),
        };
        assert_eq!(answer(&["rebar.config"]), expected, "{built:?}");
        // Sums have the path of a checkout in them, and are no reason by themselves.
        let same = (Some(false), Answer::DoesNotHold);
        assert_eq!(answer(&[]), same, "{built:?}");
    }
}

/// Such edits of headers, macros and settings of the build are in no text, and a gate did not hold beside them.
#[test]
fn beside_uncommitted_edits_a_text_does_not_show_that_code_is_the_same() {
    let of = |commit: &str, parse: f64, is_dirty: bool, built: Option<char>| {
        let cart = of_cart(parse, 2.0);
        let mut program = cart.of_commit("https://example.org/some/shop", commit);
        program.origin.as_mut().unwrap().dirty = is_dirty;
        match built {
            Some(digit) => program.built(&[("cart", digit)]),
            None => program,
        }
    };
    let compared = |parse: f64, is_dirty: bool, built: Option<char>, new: &str| {
        let sides = (of("a", 2.0, false, built), of("b", parse, is_dirty, built));
        let comparison = of_programs(&sides.0, &sides.1, texts_of_cart(CART, new));
        let gate = judged(&comparison, "touched.slower>50%");
        (row(&comparison, "cart:parse/1").touched, gate)
    };
    for (parse, is_dirty, built, touched, answer) in [
        (4.0, false, None, Some(false), Answer::DoesNotHold),
        (4.0, true, None, None, Answer::CannotTell),
        // The sum of the module has all edits.
        (4.0, true, Some('a'), Some(false), Answer::DoesNotHold),
        // Whether it was touched or not, it is not slower.
        (2.0, true, None, None, Answer::DoesNotHold),
    ] {
        let (found, gate) = compared(parse, is_dirty, built, CART_RENDERS_TWICE);
        assert_eq!((found, gate.answer), (touched, answer), "{}", gate.text());
        if answer == Answer::CannotTell {
            assert_eq!(gate.doubts[0].reason, Reason::CodeUnknown);
            assert_eq!(gate.doubts[0].values, ["cart:parse/1"]);
        }
    }
    // No text of a function was edited, so that it is known of none.
    let (_, gate) = compared(2.0, true, None, CART);
    assert_eq!(gate.answer, Answer::CannotTell);
    let text = gate.text();
    assert!(text.contains("that were not committed"), "{text}");
    assert!(text.contains("record commits without changes"), "{text}");
}

#[test]
fn a_changed_macro_touches_the_functions_of_files_that_use_its_module() {
    const MACROS: &str = "defmodule Shop.Macros do\n  defmacro priced(page), do: page\nend\n";
    let touched = |declared: &str, changed: &str| {
        let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
        let text = format!(
            "defmodule Cart do\n  def parse(header), do: String.split(header)\n  def render(page), do: to_string(page)\n{declared}end\n"
        );
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let files = HashMap::from([("src/cart.erl".to_owned(), file("lib/cart.ex", &text))]);
        let texts = SourceTexts {
            base: files.clone(),
            new: files,
            changed_elixir: vec![file("lib/macros.ex", changed)],
            ..SourceTexts::default()
        };
        row(&of_programs(&base, &new, texts), "cart:render/1").touched
    };
    for declared in [
        "  use Shop.Macros\n",
        "  alias Shop.Macros, as: M\n  import M\n",
    ] {
        assert_eq!(touched(declared, MACROS), Some(true), "{declared}");
    }
    for declared in ["", "  use Shop.Other\n", "  alias Shop.Macros\n"] {
        assert_eq!(touched(declared, MACROS), Some(false), "{declared}");
    }
    // Functions write no code of other files.
    let functions = MACROS.replace("defmacro", "def");
    assert_eq!(touched("  import Shop.Macros\n", &functions), Some(false));
}

#[test]
fn a_changed_macro_touches_the_functions_of_files_that_use_it_by_other_macros() {
    const CHANGED: &str = "defmodule Shop.Macros do\n  defmacro priced(page), do: page\nend\n";
    let using = |name: &str, other: &str| {
        format!(
            "defmodule {name} do\n  defmacro __using__(_) do\n    quote do\n      import {other}\n    end\n  end\nend\n"
        )
    };
    let touched = |others: &[String]| {
        let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let cart = "defmodule Cart do\n  use Shop.Web\n  def parse(header), do: String.split(header)\n  def render(page), do: to_string(page)\nend\n";
        let files = HashMap::from([("src/cart.erl".to_owned(), file("lib/cart.ex", cart))]);
        let others = others.iter().map(|text| file("lib/other.ex", text));
        let texts = SourceTexts {
            base: files.clone(),
            new: files,
            changed_elixir: vec![file("lib/macros.ex", CHANGED)],
            other_elixir: others.collect(),
            ..SourceTexts::default()
        };
        row(&of_programs(&base, &new, texts), "cart:render/1").touched
    };
    let web = using("Shop.Web", "Shop.Macros");
    assert_eq!(touched(std::slice::from_ref(&web)), Some(true));
    let by_two = [
        using("Shop.Web", "Shop.Base"),
        using("Shop.Base", "Shop.Macros"),
    ];
    assert_eq!(touched(&by_two), Some(true));
    // Functions write no code of other files, and other macros did not change.
    let functions = "defmodule Shop.Web do\n  import Shop.Macros\n  def a, do: 1\nend\n";
    for other in [using("Shop.Web", "Shop.Other"), functions.to_owned()] {
        assert_eq!(
            touched(std::slice::from_ref(&other)),
            Some(false),
            "{other}"
        );
    }
    assert_eq!(touched(&[]), Some(false));
}

const INCLUDES_DEEP: &str = "-include_lib(\"shop/include/deep.hrl\").\n";

/// Whether a changed `deep.hrl` touches the functions of a file that includes `cart.hrl`, with these headers.
fn touched_by_deep(headers: &[(&str, &str)]) -> Option<bool> {
    let included = CART.replace("parse(", "-include(\"cart.hrl\").\nparse(");
    let (base, new) = (of_cart(2.0, 2.0), of_cart(2.0, 2.0));
    let headers = headers.iter().map(|(path, text)| SourceFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    });
    let texts = SourceTexts {
        changed_headers: vec!["include/deep.hrl".to_owned()],
        headers: headers.collect(),
        ..texts_of_cart(&included, &included)
    };
    row(&of_programs(&base, &new, texts), "cart:render/1").touched
}

#[test]
fn a_changed_header_touches_the_functions_of_files_that_include_it_by_others() {
    for (headers, touched) in [
        (&[("include/cart.hrl", INCLUDES_DEEP)][..], true),
        (
            &[
                ("include/cart.hrl", "-define(A, 1).\n"),
                ("include/x.hrl", INCLUDES_DEEP),
            ],
            false,
        ),
        (
            &[
                ("include/cart.hrl", "-include(\"x.hrl\").\n"),
                ("include/x.hrl", INCLUDES_DEEP),
            ],
            true,
        ),
        // In a circle, with the changed one and without it.
        (
            &[
                ("include/cart.hrl", "-include(\"x.hrl\").\n"),
                ("include/x.hrl", "-include(\"cart.hrl\").\n"),
            ],
            false,
        ),
        (
            &[
                (
                    "include/cart.hrl",
                    "-include(\"x.hrl\").\n-include(\"deep.hrl\").\n",
                ),
                ("include/x.hrl", "-include(\"cart.hrl\").\n"),
            ],
            true,
        ),
        // It may include any.
        (&[("include/cart.hrl", "-define(A, \"open).\n")], true),
        // Of a library outside of the project.
        (&[], false),
    ] {
        assert_eq!(touched_by_deep(headers), Some(touched), "{headers:?}");
    }
}

#[test]
fn a_changed_header_touches_functions_however_many_headers_lie_between() {
    let chain: Vec<(String, String)> = (1..40)
        .map(|at| {
            let path = format!("include/h{at}.hrl");
            (path, format!("-include(\"h{}.hrl\").\n", at + 1))
        })
        .collect();
    let between = chain.iter().map(|(path, text)| (&**path, &**text));
    let ends = [
        ("include/cart.hrl", "-include(\"h1.hrl\").\n"),
        ("include/h40.hrl", INCLUDES_DEEP),
    ];
    let headers: Vec<(&str, &str)> = between.chain(ends).collect();
    assert_eq!(touched_by_deep(&headers), Some(true));
}

#[test]
fn who_calls_code_into_which_collections_moved_is_not_slower_either() {
    const PAGES: &str = "-module(shop).\nparse(Header) -> binary:split(Header, <<\",\">>).\nrender(Page) -> iolist_to_binary(Page).\npage(Page) -> {ok, render(Page)}.\n";
    let below_page = &["shop:render/1", "shop:page/1", LOOP];
    let pages = |of_parse: f64, of_render: f64| {
        let functions = [
            Function::new("shop:parse/1", 0.6).below(&[LOOP]),
            Function::new("shop:page/1", 0.3).below(&[LOOP]),
            Function::new("shop:render/1", 0.3).below(&["shop:page/1", LOOP]),
            collection("shop:parse/1", of_parse),
            Function::new(GC, of_render)
                .below(below_page)
                .of_class(SampleClass::Gc),
        ];
        let heads = [
            ("shop:parse/1", 2),
            ("shop:render/1", 3),
            ("shop:page/1", 4),
        ];
        program().with(&functions).at(&heads)
    };
    let (base, new) = (pages(1.2, 0.05), pages(0.05, 1.2));
    let comparison = of_programs(&base, &new, texts(PAGES, PAGES));
    let caller = row(&comparison, "shop:page/1");
    assert_eq!(caller.remark, Some(Remark::CollectionsMoved), "{caller:?}");
    assert_eq!(caller.total.verdict, Verdict::Noise);
    // Its total has no interval beside collections: with them it may be below a limit, and is never above one.
    for (condition, answer) in [
        ("shop:page/1.total.slower>5%", Answer::CannotTell),
        ("shop:page/1.total.slower>1000%", Answer::DoesNotHold),
        ("shop:page/1.total.new>1us/unit", Answer::DoesNotHold),
    ] {
        let gate = judged(&comparison, condition);
        assert_eq!(gate.answer, answer, "{}", gate.text());
        let reasons = gate.doubts.iter().map(|doubt| doubt.reason);
        assert!(reasons.eq((answer == Answer::CannotTell).then_some(Reason::Collections)));
    }
    // Where it was rewritten, it may be the one to blame.
    let rewritten = PAGES.replace("{ok, render(Page)}", "{ok, render(lists:sort(Page))}");
    let comparison = of_programs(&base, &new, texts(PAGES, &rewritten));
    assert_eq!(
        row(&comparison, "shop:page/1").total.verdict,
        Verdict::Slower
    );
}

#[test]
fn who_calls_code_that_takes_longer_beside_collections_is_slower() {
    const PAGES: &str = "-module(shop).\nrender(Page) -> iolist_to_binary(Page).\npage(Page) -> {ok, render(Page)}.\n";
    let pages = |beside: f64, collections: f64| {
        let functions = [
            Function::new("shop:page/1", 0.3).below(&[LOOP]),
            Function::new("shop:render/1", beside).below(&["shop:page/1", LOOP]),
            Function::new(GC, collections)
                .below(&["shop:render/1", "shop:page/1", LOOP])
                .of_class(SampleClass::Gc),
        ];
        let heads = [("shop:render/1", 2), ("shop:page/1", 3)];
        program().with(&functions).at(&heads)
    };
    // Collections make six sevenths of the change, and the rest is a change, too.
    let (base, new) = (pages(0.3, 0.05), pages(0.5, 1.2));
    let comparison = of_programs(&base, &new, texts(PAGES, PAGES));
    let caller = row(&comparison, "shop:page/1");
    assert_eq!(caller.touched, Some(false));
    assert!(!caller.own.as_ref().unwrap().verdict.is_change());
    assert_eq!(caller.total.verdict, Verdict::Slower);
    let gate = judged(&comparison, "shop:page/1.total.slower>20%");
    assert_eq!(gate.answer, Answer::Holds, "{}", gate.text());
}

#[test]
fn own_time_that_collections_moved_into_is_not_slower_although_a_callee_was_rewritten() {
    const PAGES: &str = "-module(shop).\nrender(Page) -> iolist_to_binary(encode(Page)).\nencode(Page) -> lists:map(fun(Part) -> {Part} end, Page).\n";
    let pages = |collections: f64| {
        let functions = [
            Function::new("shop:render/1", 0.6).below(&[LOOP]),
            Function::new("shop:encode/1", 0.3).below(&["shop:render/1", LOOP]),
            collection("shop:render/1", collections),
        ];
        let heads = [("shop:render/1", 2), ("shop:encode/1", 3)];
        program().with(&functions).at(&heads)
    };
    let (base, new) = (pages(0.05), pages(1.2));
    let rewritten = PAGES.replace("{Part}", "[Part]");
    let comparison = of_programs(&base, &new, texts(PAGES, &rewritten));
    assert_eq!(row(&comparison, "shop:encode/1").touched, Some(true));
    let render = row(&comparison, "shop:render/1");
    assert_eq!(render.touched, Some(false));
    assert_eq!(render.remark, Some(Remark::CollectionsMoved), "{render:?}");
    assert_eq!(render.own.as_ref().unwrap().verdict, Verdict::Noise);
    let gate = judged(&comparison, "shop:render/1.own.slower>50%");
    assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
    // Its callee is another code, and may be to blame for them.
    assert_eq!(render.total.verdict, Verdict::Slower);
}

#[test]
fn collections_are_only_named_where_the_code_is_another_or_not_known() {
    let (base, new) = (parsing(1.2, 0.05), parsing(0.05, 1.2));
    let rewritten = PARSING.replace("iolist_to_binary(Page)", "list_to_binary(flatten(Page))");
    for texts in [SourceTexts::default(), texts(PARSING, &rewritten)] {
        let comparison = of_programs(&base, &new, texts);
        let row = row(&comparison, "shop:render/1");
        assert_eq!(row.remark, Some(Remark::CollectionsAlone), "{row:?}");
        assert_eq!(row.own.as_ref().unwrap().verdict, Verdict::Slower);
    }
}

#[test]
fn what_is_slower_itself_is_slower_whatever_the_collections_do() {
    let slower = |weight| {
        let functions = [
            Function::new("shop:parse/1", weight).below(&[LOOP]),
            collection("shop:parse/1", weight),
        ];
        program().with(&functions).at(&[("shop:parse/1", 2)])
    };
    let comparison = of_programs(&slower(0.5), &slower(1.5), texts(PARSING, PARSING));
    let row = row(&comparison, "shop:parse/1");
    assert_eq!(
        (row.remark, row.own.as_ref().unwrap().verdict),
        (None, Verdict::Slower)
    );
}

#[test]
fn callers_with_the_same_change_are_one_line() {
    let below = ["proc_lib:init_p/3", "init:start_em/1", "init:start_it/1"];
    let program = |weight: f64| {
        let mut program = program();
        for (number, function) in program.functions.iter_mut().enumerate() {
            let serve = format!("shop:serve_{}/2", number % 6);
            function.callers = [serve, LOOP.to_owned()].into();
            function.callers.extend(below.map(str::to_owned));
            function.weight *= weight;
        }
        program
    };
    let comparison = of_programs(&program(1.0), &program(0.5), SourceTexts::default());
    for name in below {
        assert_eq!(row(&comparison, name).wrapper_of.as_deref(), Some(LOOP));
    }
    assert_eq!(row(&comparison, LOOP).wrapper_of, None);
    let shown = shown_rows(&comparison, Choice::default());
    let whole = shown.rows.iter().find(|shown| shown.row.function == LOOP);
    assert_eq!(whole.unwrap().callers, below.len());
    assert!(
        shown
            .rows
            .iter()
            .all(|shown| !below.contains(&shown.row.function.as_str()))
    );
    let all = Choice {
        all: true,
        most: None,
    };
    assert_eq!(
        shown_rows(&comparison, all).rows.len(),
        comparison.functions.len()
    );
}

#[test]
fn a_caller_that_became_faster_is_no_part_of_a_row_that_became_slower() {
    let program = |page: f64, encode: f64| {
        program().with(&[
            Function::new("shop:page/1", page).below(&["gen:call/2", LOOP]),
            Function::new("shop:encode/1", encode).below(&["shop:page/1", "gen:call/2", LOOP]),
        ])
    };
    let (base, new) = (program(0.5, 6.0), program(2.0, 1.5));
    let comparison = of_programs(&base, &new, SourceTexts::default());
    let page = row(&comparison, "shop:page/1");
    assert_eq!(page.headline().verdict, Verdict::Slower);
    assert_eq!(page.total.verdict, Verdict::Faster);
    let wrapped = row(&comparison, "gen:call/2").wrapper_of.as_deref();
    assert_eq!(wrapped, Some("shop:page/1"));
    let shown = shown_rows(&comparison, Choice::default());
    for name in ["shop:page/1", "gen:call/2"] {
        let shown = shown.rows.iter().find(|shown| shown.row.function == name);
        assert_eq!(shown.map(|shown| shown.callers), Some(0), "{name}");
    }
}

#[test]
fn a_caller_that_the_commit_touched_is_no_part_of_a_row_that_it_left_alone() {
    // `render/1` does nothing but call `parse/1`, and calls it twice as often.
    let program = |parse: f64| {
        let parse = Function::new("cart:parse/1", parse).below(&["cart:render/1", LOOP]);
        let heads = [("cart:parse/1", 2), ("cart:render/1", 3)];
        program().with(&[parse]).at(&heads)
    };
    let (base, new) = (program(2.0), program(4.0));
    for (after, is_touched) in [(CART_RENDERS_TWICE, true), (CART, false)] {
        let comparison = of_programs(&base, &new, texts_of_cart(CART, after));
        let render = row(&comparison, "cart:render/1");
        assert_eq!(render.wrapper_of.as_deref(), Some("cart:parse/1"));
        assert_eq!(render.touched, Some(is_touched));
        assert_eq!(row(&comparison, "cart:parse/1").touched, Some(false));
        let shown = shown_rows(&comparison, Choice::default());
        let of = |name: &str| shown.rows.iter().find(|shown| shown.row.function == name);
        assert_eq!(of("cart:render/1").is_some(), is_touched);
        let callers = of("cart:parse/1").unwrap().callers;
        assert_eq!(callers, usize::from(!is_touched));
    }
}

#[test]
fn what_the_commit_touched_is_the_first_column_of_a_comment() {
    let (base, new) = (of_cart(2.0, 2.0), of_cart(4.0, 4.0));
    let comparison = of_programs(&base, &new, texts_of_cart(CART, CART_RENDERS_TWICE));
    let comment = markdown(&comparison, &Comment::default());
    assert!(comment.contains("| touched | | function |"), "{comment}");
    for (name, touched) in [("cart:render/1", "yes"), ("cart:parse/1", "no")] {
        let row = comment
            .lines()
            .find(|line| line.contains(&format!("`{name}`")));
        let begins = format!("| {touched} | ▲ slower | `{name}`");
        assert!(row.unwrap().starts_with(&begins), "{comment}");
    }
}

#[test]
fn own_rows_come_first_and_the_inside_of_the_runtime_not_at_all() {
    let program = |factor: f64| {
        let functions = [
            Function::new("shop:price/1", 0.5 * factor).below(&[LOOP]),
            Function::new("lists:sort/1", 2.0 * factor).below(&["gen:loop/1"]),
            Function::new("enif_make_list", 3.0 * factor).below(&["gen:loop/1"]),
        ];
        program().with(&functions)
    };
    let comparison = of_programs(&program(1.0), &program(2.0), SourceTexts::default());
    let groups: Vec<RowGroup> = comparison
        .functions
        .iter()
        .filter(|row| row.headline().verdict.is_change())
        .map(|row| row.group)
        .collect();
    assert!(groups.is_sorted(), "{groups:?}");
    let shown = shown_rows(&comparison, Choice::default());
    assert_eq!(shown.rows[0].row.function, "shop:price/1");
    assert!(
        shown
            .rows
            .iter()
            .all(|shown| shown.row.group != RowGroup::Runtime)
    );
    assert_eq!(shown.inside_runtime, 1);
    let one = Choice {
        all: false,
        most: Some(1),
    };
    let cut = shown_rows(&comparison, one);
    assert_eq!((cut.rows.len(), cut.more), (1, shown.rows.len() - 1));
}

/// `format/1` takes this much below each of the callers.
fn formatting(below: &[(&[&str], f64)]) -> Program {
    let functions = below
        .iter()
        .map(|(callers, weight)| Function::new("io_lib:format/2", *weight).below(callers));
    let functions: Vec<_> = functions
        .chain([
            Function::new("shop:page/1", 0.3).below(&[LOOP]),
            Function::new("shop:mail/1", 0.3).below(&[LOOP]),
            Function::new("io_lib:format/2", 0.4).below(&["shop:log/1", LOOP]),
        ])
        .collect();
    program().with(&functions)
}

#[test]
fn a_function_that_is_called_from_elsewhere_is_one_finding() {
    let base = formatting(&[(&["shop:page/1", LOOP], 1.0)]);
    let new = formatting(&[(&["shop:mail/1", LOOP], 1.0)]);
    let comparison = of_programs(&base, &new, SourceTexts::default());
    let [moved] = comparison.moved.as_slice() else {
        panic!("{:?}", comparison.moved)
    };
    assert_eq!(moved.kind, MovedKind::CalledFromElsewhere);
    assert_eq!(
        moved.text,
        "io_lib:format/2 is called from shop:mail/1 now, not from shop:page/1"
    );
    assert!(moved.came.base == 0.0 && moved.went.new == 0.0);
}

#[test]
fn what_grew_by_something_else_did_not_move() {
    let base = formatting(&[(&["shop:page/1", LOOP], 1.0)]);
    for new in [
        // Much more than was lost elsewhere.
        formatting(&[(&["shop:mail/1", LOOP], 4.0)]),
        // Lost, and not gained.
        formatting(&[]),
        // Gained, and not lost.
        formatting(&[(&["shop:page/1", LOOP], 1.0), (&["shop:mail/1", LOOP], 1.0)]),
        // As much as was lost, and half of the call is still there: "not from it" would be wrong.
        formatting(&[(&["shop:page/1", LOOP], 0.5), (&["shop:mail/1", LOOP], 0.5)]),
        // Two that gained: which is it?
        formatting(&[
            (&["shop:mail/1", LOOP], 0.6),
            (&["shop:work_1/1", LOOP], 0.6),
        ]),
    ] {
        let comparison = of_programs(&base, &new, SourceTexts::default());
        assert_eq!(comparison.moved, []);
    }
}

const TAIL: &str = "-module(shop).\npage(Items) -> [value(Item) || Item <- Items].\nvalue(Item) -> io_lib:format(\"~p\", [Item]).\n";
const NO_TAIL: &str = "-module(shop).\npage(Items) -> [value(Item) || Item <- Items].\nvalue(Item) -> [$\\s | io_lib:format(\"~p\", [Item])].\n";

fn with_value(program: &Program) -> Program {
    let value = Function::new("shop:value/1", 0.3).below(&["shop:page/1", LOOP]);
    let program = program.clone().with(&[value]);
    program.at(&[("shop:page/1", 2), ("shop:value/1", 3)])
}

#[test]
fn a_call_that_is_or_was_the_last_is_named_so_where_the_code_shows_it() {
    let handed_over = with_value(&formatting(&[(&["shop:page/1", LOOP], 1.0)]));
    let waited = with_value(&formatting(&[(
        &["shop:value/1", "shop:page/1", LOOP],
        1.0,
    )]));
    let kinds = |comparison: &Comparison| -> Vec<MovedKind> {
        comparison.moved.iter().map(|moved| moved.kind).collect()
    };
    let comparison = of_programs(&handed_over, &waited, texts(TAIL, NO_TAIL));
    assert_eq!(kinds(&comparison), [MovedKind::NoLongerATailCall]);
    assert_eq!(
        (
            comparison.moved[0].from.as_slice(),
            comparison.moved[0].to.as_str()
        ),
        (&["shop:page/1".to_owned()][..], "shop:value/1")
    );
    let comparison = of_programs(&waited, &handed_over, texts(NO_TAIL, TAIL));
    assert_eq!(kinds(&comparison), [MovedKind::NowATailCall]);
    // Without the code: that it is below `value/1` now is seen; that it no longer is proves
    // nothing.
    let comparison = of_programs(&handed_over, &waited, SourceTexts::default());
    assert_eq!(kinds(&comparison), [MovedKind::CalledFromElsewhere]);
    let comparison = of_programs(&waited, &handed_over, SourceTexts::default());
    assert_eq!(kinds(&comparison), []);
}

/// A call that is no longer the last has as much time as it has, however often it is made.
#[test]
fn a_call_that_was_the_last_is_named_so_when_its_time_grew_too() {
    let twice = TAIL.replace(
        "io_lib:format(\"~p\", [Item]).",
        "_ = io_lib:format(\"~p\", [Item]), io_lib:format(\"~w\", [Item]).",
    );
    let waits: &[&str] = &["shop:value/1", "shop:page/1", LOOP];
    // Some samples were taken while the caller was still on the stack.
    let handed_over = &[(&["shop:page/1", LOOP][..], 1.0), (waits, 0.004)][..];
    let base = with_value(&formatting(handed_over));
    let new = with_value(&formatting(&[(waits, 3.0)]));
    let comparison = of_programs(&base, &new, texts(TAIL, &twice));
    let [moved] = comparison.moved.as_slice() else {
        panic!("{:?}", comparison.moved)
    };
    assert_eq!(
        (moved.kind, moved.function.as_str(), moved.to.as_str()),
        (
            MovedKind::NoLongerATailCall,
            "io_lib:format/2",
            "shop:value/1"
        )
    );
    assert!(moved.came.new > 2.0 * moved.went.base, "{moved:?}");
    let comparison = of_programs(&base, &new, SourceTexts::default());
    assert_eq!(comparison.moved, [], "nothing shows it");
}

#[test]
fn what_moved_comes_before_the_rows_that_it_explains_and_these_after_others() {
    let waits: &[&str] = &["shop:value/1", "shop:page/1", LOOP];
    let base = with_value(&formatting(&[(&["shop:page/1", LOOP], 1.0)]));
    let new = with_value(&formatting(&[(waits, 1.0)])).scale(3, 2.0);
    let comparison = of_programs(&base, &new, texts(TAIL, NO_TAIL));
    assert_eq!(comparison.moved.len(), 1, "{:?}", comparison.moved);
    let shown = shown_rows(&comparison, Choice::default());
    let names: Vec<&str> = shown
        .rows
        .iter()
        .map(|it| it.row.function.as_str())
        .collect();
    let place = |name: &str| names.iter().position(|shown| *shown == name);
    let (explained, other) = (place("shop:value/1"), place("shop:work_3/1"));
    assert!(other.is_some() && other < explained, "{names:?}");
    let size = |name: &str| row(&comparison, name).headline().difference().abs();
    assert!(
        size("shop:value/1") > size("shop:work_3/1"),
        "else it would come first anyway"
    );
    let comment = markdown(&comparison, &Comment::default());
    assert!(
        comment.find("Moved: ") < comment.find("| function |"),
        "{comment}"
    );
}

/// The usual form of a loop in Erlang: functions of one name, of which one begins and the other goes round.
#[test]
fn a_call_of_another_function_of_the_same_name_is_none() {
    let before = "-module(shop).\npage(N) -> value(N).\nvalue(N) -> value(N, 10, 0).\nvalue(_, 0, A) -> A;\nvalue(N, K, A) -> value(N, K - 1, A + N).\n";
    let after = before.replace("value(N, 10, 0)", "value(N, 10, 0) + 1");
    let program = |callers: &[&str]| {
        let page = Function::new("shop:page/1", 1.0).below(&[LOOP]);
        let begins = Function::new("shop:value/1", 0.3).below(&["shop:page/1", LOOP]);
        let goes_round = Function::new("shop:value/3", 4.0).below(callers);
        let program = self::program().with(&[page, begins, goes_round]);
        program.at(&[("shop:page/1", 2), ("shop:value/1", 3), ("shop:value/3", 4)])
    };
    let handed_over = program(&["shop:page/1", LOOP]);
    let waited = program(&["shop:value/1", "shop:page/1", LOOP]);
    let kinds = |comparison: &Comparison| -> Vec<MovedKind> {
        comparison.moved.iter().map(|moved| moved.kind).collect()
    };
    let comparison = of_programs(&handed_over, &waited, texts(before, &after));
    assert_eq!(kinds(&comparison), [MovedKind::NoLongerATailCall]);
    let comparison = of_programs(&waited, &handed_over, texts(&after, before));
    assert_eq!(kinds(&comparison), [MovedKind::NowATailCall]);
}

#[test]
fn a_callee_of_another_name_is_found_below_the_function_that_waits_for_it_now() {
    let short = NO_TAIL.replace("io_lib:format(\"~p\", [Item])", "float_to_binary(Item)");
    let base = with_value(&formatting(&[(&["shop:page/1", LOOP], 1.0)]));
    let new = with_value(&formatting(&[])).with(&[Function::new("erlang:float_to_binary/1", 1.0)
        .below(&["shop:value/1", "shop:page/1", LOOP])]);
    let comparison = of_programs(&base, &new, texts(TAIL, &short));
    let [moved] = comparison.moved.as_slice() else {
        panic!("{:?}", comparison.moved)
    };
    assert_eq!(moved.kind, MovedKind::NoLongerATailCall);
    assert_eq!(
        (moved.function.as_str(), moved.to.as_str()),
        ("erlang:float_to_binary/1", "shop:value/1")
    );
    let comparison = of_programs(&base, &new, SourceTexts::default());
    assert_eq!(comparison.moved, []);
}

const HELPER: &str = "-module(shop).\nquery(Pairs) -> [encode(Pair) || Pair <- Pairs].\nencode({K, V}) -> <<K/binary, $=, V/binary>>.\n";
const MERGED: &str =
    "-module(shop).\nquery(Pairs) -> [<<K/binary, $=, V/binary>> || {K, V} <- Pairs].\n";

fn querying(query: f64, encode: f64) -> Program {
    let mut functions = vec![Function::new("shop:query/1", query).below(&[LOOP])];
    if encode > 0.0 {
        functions.push(Function::new("shop:encode/1", encode).below(&["shop:query/1", LOOP]));
    }
    let heads = [("shop:query/1", 2), ("shop:encode/1", 3)];
    program().with(&functions).at(&heads)
}

#[test]
fn a_helper_that_became_part_of_its_caller_is_one_finding() {
    let base = querying(0.4, 0.9);
    for (text, kind) in [
        (texts(HELPER, MERGED), MovedKind::MergedInto),
        (SourceTexts::default(), MovedKind::MergedInto),
        (
            texts(
                HELPER,
                &format!("{HELPER}-compile({{inline, [encode/1]}}).\n"),
            ),
            MovedKind::Inlined,
        ),
    ] {
        let comparison = of_programs(&base, &querying(1.3, 0.0), text);
        let found: Vec<_> = comparison
            .moved
            .iter()
            .map(|moved| (moved.kind, moved.function.as_str(), moved.to.as_str()))
            .collect();
        assert_eq!(found, [(kind, "shop:encode/1", "shop:query/1")]);
    }
}

#[test]
fn a_helper_that_was_called_as_the_last_thing_and_its_c_code_are_found_in_its_caller() {
    let before = "-module(shop).\nquery(Pairs) -> encode(Pairs, []).\nencode([], Acc) -> Acc;\nencode([Pair | Pairs], Acc) -> encode(Pairs, [Pair | Acc]).\n";
    let after = "-module(shop).\nquery(Pairs) -> lists:reverse(Pairs).\n";
    let heads = [("shop:query/1", 2), ("shop:encode/2", 3)];
    let query = || Function::new("shop:query/1", 0.4).below(&[LOOP]);
    // In itself, and in C code below it.
    for in_c in [false, true] {
        let work = |caller: &str, weight: f64| match in_c {
            true => Function::new("enif_encode", weight).below(&[caller, LOOP]),
            false => Function::new(caller, weight).below(&[LOOP]),
        };
        let base = program()
            .with(&[query(), work("shop:encode/2", 0.9)])
            .at(&heads);
        let new = program()
            .with(&[query(), work("shop:query/1", 0.7)])
            .at(&heads);
        let comparison = of_programs(&base, &new, texts(before, after));
        let found: Vec<_> = comparison
            .moved
            .iter()
            .map(|moved| (moved.kind, moved.function.as_str(), moved.to.as_str()))
            .collect();
        let merged = (MovedKind::MergedInto, "shop:encode/2", "shop:query/1");
        assert_eq!(found, [merged], "in C: {in_c}");
        let comparison = of_programs(&base, &new, SourceTexts::default());
        assert_eq!(comparison.moved, [], "nothing shows it");
    }
}

#[test]
fn a_helper_that_is_still_there_or_only_gone_was_not_merged() {
    let base = querying(0.4, 0.9);
    let comparison = of_programs(&base, &querying(1.3, 0.0), texts(HELPER, HELPER));
    assert_eq!(comparison.moved, [], "it is still defined, and not called");
    let comparison = of_programs(&base, &querying(0.4, 0.0), texts(HELPER, MERGED));
    assert_eq!(comparison.moved, [], "nothing does its work");
    let comparison = of_programs(&base, &querying(3.9, 0.0), SourceTexts::default());
    assert_eq!(comparison.moved, [], "much more came than went");
}

#[test]
fn nothing_moved_in_the_same_program() {
    let program = with_value(&formatting(&[
        (&["shop:page/1", LOOP], 0.4),
        (&["shop:value/1", "shop:page/1", LOOP], 0.1),
        (&["shop:mail/1", LOOP], 0.02),
    ]))
    .with(&[
        collection("shop:page/1", 0.3),
        collection("shop:mail/1", 0.1),
    ]);
    for seed in 1..=night_or_day(100, 16) {
        let (base, new) = (
            captures(&program, seed * 2),
            captures(&program, seed * 2 + 1),
        );
        let comparison = compared(&base, &new, texts(TAIL, TAIL));
        assert_eq!(comparison.moved, [], "seed {seed}");
    }
}

const CART: &str = "-module(cart).\nparse(Header) -> binary:split(Header, <<\",\">>).\nrender(Page) -> iolist_to_binary(Page).\n";
const CART_RENDERS_TWICE: &str = "-module(cart).\nparse(Header) -> binary:split(Header, <<\",\">>).\nrender(Page) -> iolist_to_binary([iolist_to_binary(Page)]).\n";

fn of_cart(parse: f64, render: f64) -> Program {
    let functions = [
        Function::new("cart:parse/1", parse).below(&[LOOP]),
        Function::new("cart:render/1", render).below(&[LOOP]),
    ];
    program()
        .with(&functions)
        .at(&[("cart:parse/1", 2), ("cart:render/1", 3)])
}

fn texts_of_cart(base: &str, new: &str) -> SourceTexts {
    let renamed = |files: HashMap<String, SourceFile>| {
        let of_cart = files.into_values().map(|file| SourceFile {
            path: "src/cart.erl".into(),
            ..file
        });
        let named = of_cart.map(|file| (file.path.clone(), file));
        named.collect()
    };
    let of_shop = texts(base, new);
    SourceTexts {
        base: renamed(of_shop.base),
        new: renamed(of_shop.new),
        ..SourceTexts::default()
    }
}

fn judged(comparison: &Comparison, condition: &str) -> Gate {
    let condition: Condition = condition.parse().expect("a condition");
    condition.judge(comparison, None).expect("it fits")
}

#[test]
fn a_gate_on_what_the_commit_touched_leaves_other_functions_alone() {
    // Both take half as much again: the one by its code, the other by the machine.
    let (base, new) = (of_cart(2.0, 2.0), of_cart(3.0, 3.0));
    let comparison = of_programs(&base, &new, texts_of_cart(CART, CART_RENDERS_TWICE));
    let touched = |name: &str| row(&comparison, name).touched;
    assert_eq!(touched("cart:render/1"), Some(true));
    assert_eq!(touched("cart:parse/1"), Some(false));
    assert_eq!(touched(LOOP), None, "no commit has its text");
    for condition in ["touched.slower>10%", "touched.self.slower>10%"] {
        let gate = judged(&comparison, condition);
        assert_eq!(gate.answer, Answer::Holds, "{}", gate.text());
        let mut names = gate.met_by.iter().map(|finding| finding.name.as_str());
        assert!(names.all(|name| name == "cart:render/1"), "{}", gate.text());
        assert_eq!(gate.touched, Some(1));
    }
    let wide = judged(&comparison, "touched.slower>300%");
    assert_eq!(wide.answer, Answer::DoesNotHold);
    assert!(
        wide.text()
            .contains("of 1 function that the commit touched"),
        "{}",
        wide.text()
    );
    let near = judged(&comparison, "touched.slower>50%");
    assert_eq!(near.answer, Answer::CannotTell, "{}", near.text());
}

#[test]
fn a_commit_that_touched_nothing_that_was_sampled_made_nothing_slower() {
    let (base, new) = (of_cart(2.0, 2.0), of_cart(3.0, 3.0));
    let commented = format!("%% A cart.\n{CART}");
    let comparison = of_programs(&base, &new, texts_of_cart(CART, CART));
    let gate = judged(&comparison, "touched.slower>1%");
    assert_eq!(
        (gate.answer, gate.certainty, gate.touched),
        (Answer::DoesNotHold, Certainty::Within, Some(0))
    );
    assert!(
        gate.text().contains("touched no function"),
        "{}",
        gate.text()
    );
    assert_eq!(judged(&comparison, "slower>1%").answer, Answer::Holds);
    // The lines of heads are those of each side's own text.
    let moved = Program {
        heads: vec![("cart:parse/1".into(), 3), ("cart:render/1".into(), 4)],
        ..new
    };
    let comparison = of_programs(&base, &moved, texts_of_cart(CART, &commented));
    assert_eq!(judged(&comparison, "touched.slower>1%").touched, Some(0));
}

#[test]
fn a_dependency_that_changed_may_be_what_the_commit_touched() {
    let with_dependency = |encode: f64| {
        let function = Function::new("jiffy:encode/1", encode).below(&[LOOP]);
        of_cart(2.0, 2.0).with(&[function])
    };
    let (base, new) = (with_dependency(2.0), with_dependency(4.0));
    for (after, touched) in [(CART, 0), (CART_RENDERS_TWICE, 1)] {
        let comparison = of_programs(&base, &new, texts_of_cart(CART, after));
        assert_eq!(row(&comparison, "jiffy:encode/1").touched, None);
        for condition in ["touched.slower>60%", "touched.total.slower>60%"] {
            let gate = judged(&comparison, condition);
            assert_eq!(
                (gate.answer, gate.certainty, gate.touched),
                (Answer::CannotTell, Certainty::Unknown, Some(touched)),
                "{}",
                gate.text()
            );
            assert_eq!(gate.doubts[0].reason, Reason::CodeUnknown);
            assert_eq!(gate.doubts[0].values, ["jiffy:encode/1"]);
            let doubt = "jiffy:encode/1 changed, and its code is not known";
            assert!(gate.text().contains(doubt), "{}", gate.text());
            assert!(gate.undecided_text().0.contains(doubt));
        }
        // Within the limit, and in the other direction, it is no matter.
        for condition in ["touched.slower>300%", "touched.faster>60%"] {
            let gate = judged(&comparison, condition);
            assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
        }
    }
}

#[test]
fn without_the_texts_of_a_side_the_touched_functions_are_unknown() {
    let (base, new) = (of_cart(2.0, 2.0), of_cart(3.0, 3.0));
    let both = texts_of_cart(CART, CART_RENDERS_TWICE);
    let lacking = [
        SourceTexts::default(),
        SourceTexts {
            base: HashMap::new(),
            ..both.clone()
        },
        SourceTexts {
            new: HashMap::new(),
            ..both
        },
    ];
    for texts in lacking {
        let comparison = of_programs(&base, &new, texts);
        for condition in ["touched.slower>1%", "touched.own.faster>1us/unit"] {
            let gate = judged(&comparison, condition);
            assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
            assert_eq!(gate.doubts[0].reason, Reason::CodeUnknown);
        }
    }
}

#[test]
fn what_the_commit_touched_of_less_than_a_hundredth_is_not_worth_a_doubt() {
    let judged = |weight: f64| {
        let (base, new) = (of_cart(2.0, weight), of_cart(2.0, weight));
        let comparison = of_programs(&base, &new, texts_of_cart(CART, CART_RENDERS_TWICE));
        judged(&comparison, "touched.slower>1%")
    };
    let rare = judged(0.01);
    assert!(rare.touched_pct.unwrap() < 1.0, "{rare:?}");
    assert_eq!(rare.answer, Answer::DoesNotHold, "{}", rare.text());
    assert_eq!(rare.certainty, Certainty::Unknown);
    let text = rare.text();
    assert!(
        text.contains("with all that it calls, less than 1 % of the time"),
        "{text}"
    );
    // A bisection has no answer then.
    let of_bisection = rare.by_intervals();
    assert_eq!(of_bisection.answer, Answer::CannotTell);
    let text = of_bisection.text();
    assert!(text.contains("cannot tell: cart:render/1"), "{text}");
    let more = judged(0.5);
    assert!(more.touched_pct.unwrap() > 1.0, "{more:?}");
    assert_eq!(more.answer, Answer::CannotTell, "{}", more.text());
}

#[test]
fn a_function_that_one_side_sampled_is_touched_if_its_code_is_another() {
    let rare = |program: Program| {
        let function = Function::new("cart:rare/1", 0.5).below(&[LOOP]);
        program.with(&[function]).at(&[("cart:rare/1", 4)])
    };
    let with_rare = |text: &str| format!("{text}rare(Page) -> lists:reverse(Page).\n");
    let (base, new) = (of_cart(2.0, 2.0), rare(of_cart(2.0, 2.0)));
    let touched = |before: String, after: String| {
        let comparison = of_programs(&base, &new, texts_of_cart(&before, &after));
        row(&comparison, "cart:rare/1").touched
    };
    let was_there = touched(with_rare(CART), with_rare(CART_RENDERS_TWICE));
    assert_eq!(was_there, Some(false));
    assert_eq!(touched(CART.to_owned(), with_rare(CART)), Some(true));
}

#[test]
fn functions_of_a_file_that_one_commit_lacks_are_touched() {
    let mail = SourceFile {
        path: "src/mail.erl".into(),
        text: "-module(mail).\nsend(Page) -> iolist_to_binary(Page).\n".into(),
    };
    let with_mail = || {
        let send = Function::new("mail:send/1", 1.0).below(&[LOOP]);
        of_cart(2.0, 2.0).with(&[send]).at(&[("mail:send/1", 2)])
    };
    let listed = |base: &str, new: &str| RenamedFile {
        base: base.to_owned(),
        new: new.to_owned(),
    };
    for (path, touched) in [("src/mail.erl", Some(true)), ("src/other.erl", None)] {
        let mut texts = texts_of_cart(CART, CART);
        texts.new.insert(mail.path.clone(), mail.clone());
        texts.renamed = vec![listed("", path)];
        let comparison = of_programs(&of_cart(2.0, 2.0), &with_mail(), texts);
        assert_eq!(row(&comparison, "mail:send/1").touched, touched);
        let holds = judged(&comparison, "touched.new").answer == Answer::Holds;
        assert_eq!(holds, touched.is_some(), "{path}");
    }
    let mut texts = texts_of_cart(CART, CART);
    texts.base.insert(mail.path.clone(), mail);
    texts.renamed = vec![listed("src/mail.erl", "")];
    let comparison = of_programs(&with_mail(), &of_cart(2.0, 2.0), texts);
    assert_eq!(row(&comparison, "mail:send/1").touched, Some(true));
    let gate = judged(&comparison, "touched.gone");
    assert_eq!(gate.answer, Answer::Holds, "{}", gate.text());
}

#[test]
fn a_function_that_is_new_in_a_renamed_file_is_touched() {
    let text = |rest: &str| format!("-module(till).\nsum(Items) -> lists:sum(Items).\n{rest}");
    let file = |path: &str, text: String| {
        let file = SourceFile {
            path: path.into(),
            text,
        };
        HashMap::from([(path.to_owned(), file)])
    };
    let base = of_cart(2.0, 2.0).with(&[Function::new("desk:sum/1", 2.0).below(&[LOOP])]);
    let functions = ["till:sum/1", "till:tax/1"];
    let functions = functions.map(|name| Function::new(name, 1.0).below(&[LOOP]));
    let new = of_cart(2.0, 2.0).with(&functions);
    for (there, touched) in [("", true), ("tax(Item) -> {Item, 19}.\n", false)] {
        let texts = SourceTexts {
            base: file("src/desk.erl", text(there)),
            new: file("src/till.erl", text("tax(Item) -> {Item, 19}.\n")),
            renamed: vec![RenamedFile {
                base: "src/desk.erl".into(),
                new: "src/till.erl".into(),
            }],
            ..SourceTexts::default()
        };
        let comparison = of_programs(&base, &new, texts);
        assert_eq!(row(&comparison, "till:tax/1").touched, Some(touched));
    }
}
