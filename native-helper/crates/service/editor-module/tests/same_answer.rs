//! The editor's answer about captures, each read by a call of its own, equals to the byte the answer
//! of the command line, which compares them where it reads them.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use capture::own::{OwnCode, OwnFunction, OwnSource};
use capture::reader::Capture;
use compare::{
    CaptureToCompare, Choice, Comment, CommitOrder, Condition, CountedCapture, HistoryQuestion,
    Options, Page, Side, difference_page, markdown, shown_rows,
};
use editor_module::{
    Answer, Compared, compare as compare_message, compare_files, count, history, history_page,
    read_capture,
};
use serde_json::json;

/// A capture, and its functions that count as the user's own.
struct Given {
    file: Vec<u8>,
    capture: Capture,
    own: OwnCode,
}

impl Given {
    fn of(path: &Path) -> Self {
        let file = std::fs::read(path).unwrap();
        let capture = Capture::from_bytes(&file).unwrap();
        let function = |index| {
            is_own(capture.function(index).name).then_some(OwnFunction {
                counts_for: index,
                source: OwnSource::AsReported,
            })
        };
        let own = OwnCode::new(capture.function_indices().map(function).collect());
        Self { file, capture, own }
    }

    fn own_names(&self) -> Vec<(&str, &str)> {
        let indices = self.capture.function_indices();
        let views = indices.map(|index| self.capture.function(index));
        let own = views.filter(|view| is_own(view.name));
        own.map(|view| (view.name, view.file)).collect()
    }
}

fn is_own(name: &str) -> bool {
    name.contains("demo")
}

fn recorded(numbers: Range<usize>) -> Vec<Given> {
    let file = |number| {
        folder("../../verdict/compare/tests/recorded").join(format!("run-{number:02}.pb.gz"))
    };
    numbers.map(|number| Given::of(&file(number))).collect()
}

fn fixture(name: &str) -> Vec<Given> {
    let file = folder("../../../../test/unit/capture/fixtures").join(name);
    vec![Given::of(&file)]
}

fn folder(path: &str) -> PathBuf {
    // Read when the test runs, not when it is compiled: other clones use the compiled files, too.
    let this_crate = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    Path::new(&this_crate).join(path)
}

/// As the command line does it.
fn directly(base: &[Given], new: &[Given], has_own: bool) -> Vec<u8> {
    let answer = match compare::compare(
        &side("base", base, has_own),
        &side("new", new, has_own),
        &Options::default(),
    ) {
        Ok(comparison) => Answer::Compared(Box::new(Compared {
            comparison,
            conditions: Vec::new(),
        })),
        Err(refusal) => Answer::Refused(refusal.refused()),
    };
    serde_json::to_vec(&answer).unwrap()
}

fn side<'a>(name: &str, captures: &'a [Given], has_own: bool) -> Side<'a> {
    let captures = captures.iter().map(|given| CaptureToCompare {
        name: "capture".to_owned(),
        capture: &given.capture,
        own: has_own.then_some(&given.own),
    });
    Side {
        name: name.to_owned(),
        captures: captures.collect(),
    }
}

/// As the editor does it, without a helper and with one, which are the same.
fn by_messages(base: &[Given], new: &[Given], has_own: bool) -> Vec<u8> {
    answer_of(base, new, has_own, &[], &json!(null))
}

fn answer_of(
    base: &[Given],
    new: &[Given],
    has_own: bool,
    fail_if: &[&str],
    written: &serde_json::Value,
) -> Vec<u8> {
    let side = |name: &str, captures: &[Given]| {
        let captures = captures
            .iter()
            .map(|given| json!({ "name": "capture", "own": has_own.then(|| given.own_names()) }));
        json!({ "name": name, "captures": captures.collect::<Vec<_>>() })
    };
    let request = json!({
        "base": side("base", base),
        "new": side("new", new),
        "measure": null,
        "base_texts": {},
        "new_texts": {},
        "renamed": [],
        "fail_if": fail_if,
        "written": written,
    });
    let request = with_length(request.to_string().as_bytes());
    let (mut decoded, mut files) = (request.clone(), request);
    for given in base.iter().chain(new) {
        decoded.extend(with_length(&read_capture(&given.file)));
        files.extend(with_length(&given.file));
    }
    let answer = compare_message(&decoded);
    assert!(compare_files(&files) == answer);
    answer
}

#[test]
fn the_first_file_that_is_no_capture_is_named_and_a_message_that_is_cut_is_refused() {
    let capture = fixture("demo.pb.gz").remove(0).file;
    let side = |names: &[&str]| {
        let captures: Vec<_> = names
            .iter()
            .map(|name| json!({ "name": name, "own": null }))
            .collect();
        json!({ "name": "side", "captures": captures })
    };
    let request = json!({
        "base": side(&["whole", "broken"]),
        "new": side(&["broken, too"]),
        "measure": null,
        "base_texts": {},
        "new_texts": {},
        "renamed": [],
    });
    let mut message = with_length(request.to_string().as_bytes());
    for file in [&capture[..], b"no capture", b""] {
        message.extend(with_length(file));
    }
    let answer = |message: &[u8]| String::from_utf8(compare_files(message)).unwrap();
    let unread = answer(&message);
    assert!(
        unread.starts_with(r#"{"type":"unread","value":{"capture":"broken","#),
        "{unread}"
    );
    for length in [0, 3, 5, message.len() - 1, message.len() - 5] {
        let answer = answer(&message[..length]);
        assert!(answer.starts_with(r#"{"type":"failed""#), "{answer}");
    }
}

fn with_length(part: &[u8]) -> Vec<u8> {
    [&(part.len() as u32).to_le_bytes(), part].concat()
}

#[test]
fn several_recorded_captures_a_side() {
    let (base, new) = (recorded(0..4), recorded(4..9));
    for has_own in [false, true] {
        let answer = by_messages(&base, &new, has_own);
        assert!(answer.starts_with(br#"{"type":"compared""#));
        assert!(answer == directly(&base, &new, has_own), "own: {has_own}");
    }
}

#[test]
fn captures_of_other_programs_and_one_that_grew() {
    let all = ["demo.pb.gz", "demo-growing.pb.gz", "go-cpu.pb.gz"].map(fixture);
    for base in &all {
        for new in &all {
            assert!(by_messages(base, new, false) == directly(base, new, false));
        }
    }
}

#[test]
fn a_comparison_becomes_the_page_of_the_command_line() {
    let (base, new) = (recorded(0..4), recorded(4..9));
    let (base_side, new_side) = (side("base", &base, true), side("new", &new, true));
    let comparison = compare::compare(&base_side, &new_side, &Options::default()).unwrap();
    let page = Page {
        comparison: &comparison,
        gates: &[],
        shown: &shown_rows(
            &comparison,
            Choice {
                all: false,
                most: Some(30),
            },
        ),
    };
    let page = difference_page((&base_side, &new_side), &page).unwrap();
    assert!(written(&base, &new, "html", &[], &[]) == page);
    let remarked = written(&base, &new, "html", &["<Renamed> files."], &[]);
    assert!(remarked.contains("<li>&lt;Renamed&gt; files.</li>"));
}

#[test]
fn a_comparison_becomes_the_comment_of_the_command_line() {
    let (base, new) = (recorded(0..4), recorded(4..9));
    let sides = (side("base", &base, true), side("new", &new, true));
    let comparison = compare::compare(&sides.0, &sides.1, &Options::default()).unwrap();
    let comment = markdown(&comparison, &Comment::default());
    assert!(written(&base, &new, "markdown", &[], &[]) == comment);
    let remarked = written(&base, &new, "markdown", &["<Renamed> files."], &[]);
    assert!(remarked.contains("\n- &lt;Renamed&gt; files.\n"));
}

#[test]
fn conditions_have_the_answers_of_the_command_line_and_unreadable_ones_its_sentence() {
    let (base, new) = (recorded(0..4), recorded(4..9));
    let sides = (side("base", &base, true), side("new", &new, true));
    let comparison = compare::compare(&sides.0, &sides.1, &Options::default()).unwrap();
    let judge = |text: &str| {
        let condition: Condition = text.parse().unwrap();
        condition.judge(&comparison, None)
    };
    let fits = ["slower>9000%", "faster>99%", "idle.slower>1%"];
    let gates = fits.map(|text| judge(text).unwrap());
    let unfit = ["slow>2%", "no_such:function/0.slower>2%"];
    let sentences = [
        unfit[0].parse::<Condition>().unwrap_err().to_string(),
        judge(unfit[1]).unwrap_err().to_string(),
    ];
    let conditions = [fits.as_slice(), unfit.as_slice()].concat();
    let answer = answer_of(&base, &new, true, &conditions, &json!(null));
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let judged = answer["value"]["conditions"].as_array().unwrap();
    assert_eq!(judged.len(), conditions.len());
    for ((judged, gate), text) in judged.iter().zip(&gates).zip(fits) {
        assert_eq!(judged["condition"], text);
        assert_eq!(judged["text"], gate.text());
        // Both are read from a text: the last digit of a number may be another one there.
        let gate = serde_json::to_string(gate).unwrap();
        let gate: serde_json::Value = serde_json::from_str(&gate).unwrap();
        assert_eq!(judged["gate"], gate);
    }
    for ((judged, text), sentence) in judged[fits.len()..].iter().zip(unfit).zip(&sentences) {
        assert_eq!(judged["condition"], text);
        assert_eq!(judged["text"], json!(sentence));
        assert_eq!(judged["gate"], json!(null));
    }
    let comment = Comment {
        gates: &gates,
        ..Comment::default()
    };
    let comment = markdown(&comparison, &comment);
    assert!(written(&base, &new, "markdown", &[], &fits) == comment);
    let comment = written(&base, &new, "markdown", &[], &conditions);
    assert!(comment.contains("? **idle.slower&gt;1% cannot tell: idle is no work"));
    assert!(comment.contains("\n- \\`slow&gt;2%\\` is no condition"));
    let page = written(&base, &new, "html", &[], &conditions);
    assert!(page.contains("? idle.slower&gt;1% cannot tell: idle is no work"));
    assert!(page.contains("<li>`slow&gt;2%` is no condition"));
}

/// The text that the editor requests.
fn written(
    base: &[Given],
    new: &[Given],
    format: &str,
    remarks: &[&str],
    fail_if: &[&str],
) -> String {
    let request = json!({ "format": format, "remarks": remarks });
    let answer = answer_of(base, new, true, fail_if, &request);
    let mut answer = serde_json::from_slice::<serde_json::Value>(&answer).unwrap();
    assert_eq!(answer["type"], "written");
    serde_json::from_value(answer["value"].take()).unwrap()
}

#[test]
fn a_history_knows_when_commits_were_made_as_that_of_the_command_line_does() {
    let question = HistoryQuestion::default();
    let given = recorded(0..3);
    let [first, second, later, elsewhere] = ["a", "b", "c", "d"].map(|digit| digit.repeat(40));
    // The repository lacks one, which was captured before the newest of the others was made.
    let taken = [(&first, 1_000), (&elsewhere, 2_000), (&second, 9_000)];
    let captures = given.iter().zip(taken);
    let captures = captures.map(|(given, (commit, started_unix_ms))| CountedCapture {
        commit: commit.clone(),
        started_unix_ms,
        ..question.count(commit, &given.capture)
    });
    let captures: Vec<CountedCapture> = captures.collect();
    let order = CommitOrder {
        names: vec![first.clone(), second.clone()],
        made_unix_ms: [(first.clone(), 500), (second.clone(), 8_000)].into(),
    };
    let directly = compare::history(&question, captures.clone(), &[], &order).unwrap();
    assert_eq!(directly.doubts, []);

    let made = |made_unix_ms: serde_json::Value| {
        let request = json!({
            "question": question,
            "captures": captures,
            // The repository's newest commit, which has no capture, is no matter.
            "order": [&first, &second, &later],
            "made_unix_ms": made_unix_ms,
        });
        let answer = history(&with_length(request.to_string().as_bytes()));
        serde_json::from_slice::<serde_json::Value>(&answer).unwrap()["value"].take()
    };
    let known = [(&first, 500), (&second, 8_000), (&later, 10_000)];
    let known = made(json!(HashMap::from(known)));
    assert_eq!(known["doubts"], json!(null));
    assert_eq!(known["commits"], json!(directly.commits));
    let unknown = made(json!({}));
    assert_eq!(unknown["doubts"][0]["reason"], "order_unknown");
}

#[test]
fn a_history_becomes_the_page_of_the_command_line() {
    let given = recorded(0..4);
    let names: Vec<String> = (0..given.len())
        .map(|number| format!("{number}.pb.gz"))
        .collect();
    let function = "demo_pricing:best_price/2";
    let question = HistoryQuestion::new([function.to_owned()], None);
    let named = || names.iter().zip(&given);
    let counted = named().map(|(name, given)| question.count(name, &given.capture));
    let order = CommitOrder::default();
    let directly = compare::history(&question, counted.collect(), &[], &order).unwrap();
    let directly = compare::history_page(&directly, &[]);

    let question = json!({ "functions": [function], "measure": null });
    let answer = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
    let captures = named().map(|(name, given)| json!({ "name": name, "bytes": given.file.len() }));
    let captures: Vec<_> = captures.collect();
    let request = json!({ "question": question, "captures": captures }).to_string();
    let mut message = with_length(request.as_bytes());
    given
        .iter()
        .for_each(|given| message.extend_from_slice(&given.file));
    let counted = answer(&count(&message));
    let captures = &counted["value"]["captures"];
    let request = json!({ "question": question, "captures": captures, "order": [] }).to_string();
    let made = answer(&history(&with_length(request.as_bytes())));
    assert_eq!(made["type"], "made", "{made}");
    let page = history_page(&with_length(made["value"].to_string().as_bytes()));
    let head = with_length(br#"{"type":"page"}"#);
    assert!(page == [&head, directly.as_bytes()].concat());
}
