//! What the editor says of captures, each read by a call of its own, is to the byte what the command
//! line says, which compares them where it reads them.
#![allow(clippy::unwrap_used)]

use std::ops::Range;
use std::path::{Path, PathBuf};

use capture::own::{OwnCode, OwnFunction, OwnSource};
use capture::reader::Capture;
use compare::{CaptureToCompare, Options, Side};
use editor_module::{Answer, compare as compare_message, read_capture};
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
    let file = |number| folder("../compare/tests/recorded").join(format!("run-{number:02}.pb.gz"));
    numbers.map(|number| Given::of(&file(number))).collect()
}

fn fixture(name: &str) -> Vec<Given> {
    let file = folder("../../../test/unit/capture/fixtures").join(name);
    vec![Given::of(&file)]
}

fn folder(path: &str) -> PathBuf {
    // Of a running test: what is compiled is kept for other clones.
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
        Ok(comparison) => Answer::Compared(Box::new(comparison)),
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

/// As the editor does it.
fn by_messages(base: &[Given], new: &[Given], has_own: bool) -> Vec<u8> {
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
    });
    let mut message = with_length(request.to_string().as_bytes());
    for given in base.iter().chain(new) {
        message.extend(with_length(&read_capture(&given.file)));
    }
    compare_message(&message)
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
