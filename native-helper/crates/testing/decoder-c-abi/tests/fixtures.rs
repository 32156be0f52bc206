//! Decodes the fixtures through the Rust interface. test/oracles does the same through the C
//! functions of the library, and describes how the fixtures are made.

#![allow(clippy::unwrap_used)] // A test: an unmet expectation is its failure.

use std::path::Path;

use decoder_c_abi::{Status, answers, pieces};
use serde_json::Value;

fn fixture(name: &str) -> Value {
    let path = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("fixtures")
        .join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn bytes(case: &Value) -> Vec<u8> {
    let hex = case["bytes"].as_str().unwrap().as_bytes();
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    hex.chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

fn address(text: &Value) -> u64 {
    let text = text.as_str().unwrap();
    u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

/// The expectation of a fixture: an answer, or the number of a status.
fn outcome<T: serde::Serialize>(result: Result<T, Status>) -> Value {
    match result {
        Ok(answer) => serde_json::json!({ "answer": answer }),
        Err(status) => serde_json::json!({ "status": status as i32 }),
    }
}

#[test]
fn blobs() {
    let cases = fixture("blobs.json");
    for case in cases.as_array().unwrap() {
        let seen = outcome(answers::blob(&bytes(case)));
        assert_eq!(seen, case["expect"], "{}", case["name"]);
    }
    assert!(cases.as_array().unwrap().len() > 5);
}

#[test]
fn stacks() {
    for release in ["25", "27", "29"] {
        let cases = fixture(&format!("stacks-{release}.json"));
        for case in cases.as_array().unwrap() {
            let number = |key: &str| address(&case[key]);
            let release = u32::try_from(case["otp"].as_u64().unwrap()).unwrap();
            let seen = pieces::snapshot(&bytes(case)).and_then(|memory| {
                answers::stack(&memory, release, number("descriptor"), number("process"))
            });
            assert_eq!(outcome(seen), case["expect"], "{}", case["name"]);
        }
        assert!(cases.as_array().unwrap().len() > 3);
    }
}
