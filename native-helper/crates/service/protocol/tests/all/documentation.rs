//! The generated TypeScript file and `docs/protocol.md` keep up with the types.

// A test may fall; the lint only knows that of functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use protocol::method::{MethodVisitor, Notification, Request, visit_methods};
use protocol::typescript::{GENERATE_COMMAND, generate, stable_hash};

fn in_repository(path: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../../..")
        .join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_generated_file_is_what_the_types_generate() {
    let checked_in = read("contract/protocol.generated.ts");
    assert!(
        checked_in == generate(),
        "contract/protocol.generated.ts is out of date; in native-helper/ run: {GENERATE_COMMAND}"
    );
}

#[test]
fn the_document_was_read_against_the_generated_file() {
    let hash = format!("{:016x}", stable_hash(&generate()));
    let document = read("docs/protocol.md");
    let pinned = document
        .lines()
        .find_map(|line| line.strip_prefix("<!-- protocol.generated.ts: "))
        .and_then(|rest| rest.strip_suffix(" -->"))
        .expect("docs/protocol.md pins no hash");
    assert_eq!(
        pinned, hash,
        "the protocol changed: bring docs/protocol.md up to date, then pin {hash} in it"
    );
}

#[test]
fn the_document_has_the_highest_frequency() {
    let highest = protocol::lifecycle::MAX_FREQUENCY_HZ;
    let example = format!("\"maxFrequencyHz\": {highest},");
    assert!(read("docs/protocol.md").contains(&example), "{example}");
}

struct Mentioned(String);

impl Mentioned {
    fn check(&self, method: &str) {
        assert!(
            self.0.contains(&format!("`{method}`")),
            "docs/protocol.md does not tell of {method}"
        );
    }
}

impl MethodVisitor for Mentioned {
    fn request<R: Request>(&mut self) {
        self.check(R::METHOD);
    }

    fn client_notification<N: Notification>(&mut self) {
        self.check(N::METHOD);
    }

    fn helper_notification<N: Notification>(&mut self) {
        self.check(N::METHOD);
    }
}

#[test]
fn the_document_has_every_method_and_error_code() {
    let document = read("docs/protocol.md");
    for (name, code, _) in protocol::error::ERROR_CODES {
        let row = format!("| {code} | `{name}` |");
        assert!(
            document.contains(&row),
            "docs/protocol.md misses the row {row}"
        );
    }
    visit_methods(&mut Mentioned(document));
}

/// Reads an example as `T` and writes it again: lost members were not part of the type.
fn round_trip<T>(name: &str, example: serde_json::Value)
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let value: T = serde_json::from_value(example.clone())
        .unwrap_or_else(|error| panic!("the example {name} does not fit: {error}"));
    assert_eq!(
        serde_json::to_value(value).unwrap(),
        example,
        "the example {name}"
    );
}

/// Those of captures that continue without a client.
fn detached_example(name: &str) -> Option<fn(&str, serde_json::Value)> {
    use protocol::detached::*;
    Some(match name {
        "DetachedStartParams" => round_trip::<DetachedStartParams>,
        "DetachedCapture" => round_trip::<DetachedCapture>,
        "DetachedReadParams" => round_trip::<DetachedReadParams>,
        "DetachedReadResult" => round_trip::<DetachedReadResult>,
        _ => return None,
    })
}

/// Of a flight recorder's types.
fn flight_example(name: &str) -> Option<fn(&str, serde_json::Value)> {
    use protocol::flight::*;
    Some(match name {
        "FlightCheckResult" => round_trip::<FlightCheckResult>,
        "FlightStartParams" => round_trip::<FlightStartParams>,
        "FlightStartResult" => round_trip::<FlightStartResult>,
        "FlightLookedParams" => round_trip::<FlightLookedParams>,
        "FlightWrittenParams" => round_trip::<FlightWrittenParams>,
        "FlightEndedParams" => round_trip::<FlightEndedParams>,
        _ => return None,
    })
}

#[test]
fn the_examples_of_the_document_fit_the_types() {
    use protocol::{
        attachment::*, debug_files::*, discovery::*, error::*, inside::*, lifecycle::*, node::*,
        nodes::*, pstack::*, recording::*, waits::*,
    };
    let mut count = 0;
    for block in read("docs/protocol.md").split("```json ").skip(1) {
        let (name, rest) = block.split_once('\n').unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        let example = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let check = match name {
            "InitializeParams" => round_trip::<InitializeParams>,
            "InitializeResult" => round_trip::<InitializeResult>,
            "ListResult" => round_trip::<ListResult>,
            "DoctorResult" => round_trip::<DoctorResult>,
            "DebugFilesParams" => round_trip::<DebugFilesParams>,
            "DebugFilesResult" => round_trip::<DebugFilesResult>,
            "AttachResult" => round_trip::<AttachResult>,
            "CaptureStartParams" => round_trip::<CaptureStartParams>,
            "CaptureStartResult" => round_trip::<CaptureStartResult>,
            "CaptureIncrementParams" => round_trip::<CaptureIncrementParams>,
            "CaptureResyncParams" => round_trip::<CaptureResyncParams>,
            "CaptureReadParams" => round_trip::<CaptureReadParams>,
            "CaptureReadResult" => round_trip::<CaptureReadResult>,
            "PstackParams" => round_trip::<PstackParams>,
            "PstackResult" => round_trip::<PstackResult>,
            "NodesResult" => round_trip::<NodesResult>,
            "InsideProcessesParams" => round_trip::<InsideProcessesParams>,
            "InsideProcessesResult" => round_trip::<InsideProcessesResult>,
            "InsideHeapParams" => round_trip::<InsideHeapParams>,
            "WaitsLook" => round_trip::<WaitsLook>,
            "InsideBinariesParams" => round_trip::<InsideBinariesParams>,
            "InsideNodeParams" => round_trip::<InsideNodeParams>,
            "NodeResult" => round_trip::<NodeResult>,
            "ProgressParams" => round_trip::<ProgressParams>,
            "ErrorData" => round_trip::<ErrorData>,
            other => flight_example(other)
                .or_else(|| detached_example(other))
                .unwrap_or_else(|| panic!("docs/protocol.md has an example of an unknown {other}")),
        };
        check(name, example);
        count += 1;
    }
    assert_eq!(count, 35, "examples went missing");
}
