//! Whatever bytes come, an answer does.

use editor_module::{builds, compare, convert};
use proptest::prelude::*;

fn framed(json: &str, bytes: &[u8]) -> Vec<u8> {
    let length = (json.len() as u32).to_le_bytes();
    [&length[..], json.as_bytes(), bytes].concat()
}

fn kind(answer: &[u8]) -> String {
    let answer: serde_json::Value = serde_json::from_slice(answer).unwrap_or_default();
    answer["type"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_request_that_makes_no_sense_fails_in_words() {
    assert_eq!(kind(&compare(b"")), "failed");
    assert_eq!(kind(&compare(&[0xff; 8])), "failed");
    assert_eq!(kind(&compare(&framed("{}", b""))), "failed");
    let side = |name: &str, bytes: usize| {
        format!(r#"{{"name":"{name}","captures":[{{"name":"c","bytes":{bytes},"own":null}}]}}"#)
    };
    let request = |bytes| {
        let (base, new) = (side("a", bytes), side("b", bytes));
        format!(
            r#"{{"base":{base},"new":{new},"measure":null,"base_texts":{{}},"new_texts":{{}},"renamed":[]}}"#
        )
    };
    assert_eq!(
        kind(&compare(&framed(&request(usize::MAX), b"xx"))),
        "failed"
    );
    assert_eq!(kind(&compare(&framed(&request(2), b"xxyy"))), "failed");
    assert_eq!(kind(&compare(&framed(&request(0), b""))), "failed");
}

#[test]
fn a_request_for_builds_is_held_to_its_bytes() {
    assert_eq!(kind(&builds(b"")), "failed");
    let request = |bytes: usize| {
        format!(r#"{{"facts":{{}},"files":[{{"path":"a.beam","modified_ms":1,"bytes":{bytes}}}]}}"#)
    };
    assert_eq!(
        kind(&builds(&framed(&request(usize::MAX), b"xx"))),
        "failed"
    );
    assert_eq!(kind(&builds(&framed(&request(2), b"xx"))), "found");
}

proptest! {
    #[test]
    fn garbage_gets_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!compare(&bytes).is_empty());
        prop_assert!(convert(&bytes).len() > 4);
    }
}
