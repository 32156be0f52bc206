//! Whatever bytes come, an answer does.
#![allow(clippy::unwrap_used)]

use editor_module::{builds, compare, convert, count, history, history_page, page, read_capture};
use proptest::prelude::*;

fn framed(json: &str, bytes: &[u8]) -> Vec<u8> {
    [&framed_bytes(json.as_bytes()), bytes].concat()
}

fn framed_bytes(part: &[u8]) -> Vec<u8> {
    [&(part.len() as u32).to_le_bytes(), part].concat()
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
    let side =
        |name: &str| format!(r#"{{"name":"{name}","captures":[{{"name":"c","own":null}}]}}"#);
    let (base, new) = (side("a"), side("b"));
    let request = format!(
        r#"{{"base":{base},"new":{new},"measure":null,"base_texts":{{}},"new_texts":{{}},"renamed":[]}}"#
    );
    let with = |captures: &[&[u8]]| kind(&compare(&framed(&request, &captures.concat())));
    assert_eq!(with(&[&[0xff; 4], b"xx"]), "failed");
    assert_eq!(with(&[&[2, 0, 0, 0], b"xx"]), "failed");
    assert_eq!(with(&[]), "failed");
}

#[test]
fn a_file_that_cannot_be_read_fails_with_its_name_and_the_first_one_counts() {
    let side = |name: &str| {
        format!(r#"{{"name":"{name}","captures":[{{"name":"{name}.pb","own":null}}]}}"#)
    };
    let (base, new) = (side("a"), side("b"));
    let request = format!(
        r#"{{"base":{base},"new":{new},"measure":null,"base_texts":{{}},"new_texts":{{}},"renamed":[]}}"#
    );
    let captures = [
        framed_bytes(&read_capture(b"")),
        framed_bytes(&read_capture(b"no profile")),
    ]
    .concat();
    let answer = compare(&framed(&request, &captures));
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
    assert_eq!(
        answer,
        serde_json::json!({
            "type": "unread",
            "value": { "capture": "a.pb", "problem": "empty", "why": "it is empty" },
        })
    );
}

#[test]
fn captures_are_counted_and_become_a_history() {
    assert_eq!(kind(&count(b"")), "failed");
    assert_eq!(kind(&history(b"")), "failed");
    let question = r#"{"functions":["a:b/1","a:b/1"],"measure":null}"#;
    let request = |name: &str, bytes: usize| {
        format!(r#"{{"question":{question},"captures":[{{"name":"{name}","bytes":{bytes}}}]}}"#)
    };
    assert_eq!(kind(&count(&framed(&request("c", 3), b"xx"))), "failed");
    let answer = count(&framed(&request("c", 2), b"xx"));
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let unread = &answer["value"]["unread"][0];
    assert_eq!(unread["capture"], "c");
    assert_eq!(unread["problem"], "notAProfile");
    let recorded = include_bytes!("../../../verdict/compare/tests/recorded/run-00.pb.gz");
    let answer = count(&framed(&request("c", recorded.len()), recorded));
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let counted = &answer["value"]["captures"];
    let made = |captures: &str| {
        let request = format!(r#"{{"question":{question},"captures":{captures},"order":[]}}"#);
        history(&framed(&request, b""))
    };
    let answer: serde_json::Value = serde_json::from_slice(&made(&counted.to_string())).unwrap();
    assert_eq!(answer["type"], "made");
    assert_eq!(answer["value"]["commits"][0]["captures"][0], "c");
    let answer = history_page(&framed(&answer["value"].to_string(), b""));
    let (page, html) = split(&answer);
    assert_eq!(page["type"], "page");
    let html = std::str::from_utf8(html).unwrap();
    assert!(html.contains("<h2>a:b/1, self</h2>"), "{html}");
    assert_eq!(split(&history_page(b"")).0["type"], "failed");
    assert_eq!(kind(&made("[]")), "refused");
    // Counts that fit no question are no counts.
    let mut odd = counted.clone();
    odd[0]["counts"]["sums"] = serde_json::json!([]);
    assert_eq!(kind(&made(&odd.to_string())), "made");
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

/// The JSON of an answer with its length before it, and the rest.
fn split(answer: &[u8]) -> (serde_json::Value, &[u8]) {
    let (length, rest) = answer.split_first_chunk().unwrap_or((&[0; 4], &[]));
    let (json, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
    (serde_json::from_slice(json).unwrap_or_default(), rest)
}

#[test]
fn of_a_recording_of_several_events_one_is_chosen() {
    let text = "beam 1/2 1.5: 250000 cpu-clock: \n\t7f01 one (/usr/lib/beam.smp)\n\n\
                beam 1/2 1.6: 1 page-faults: \n\t7f02 two (/usr/lib/beam.smp)\n\n\
                beam 1/2 1.7: 1 page-faults: \n\t7f02 two (/usr/lib/beam.smp)\n\n";
    let call = |json: &str| convert(&framed(json, text.as_bytes()));
    let answer = call(r#"{"event":null}"#);
    let (several, profile) = split(&answer);
    assert_eq!(
        several,
        serde_json::json!({ "type": "several_events", "events": [
            { "name": "cpu-clock", "samples": 1 },
            { "name": "page-faults", "samples": 2 },
        ] })
    );
    assert!(profile.is_empty());
    let answer = call(r#"{"event":"page-faults"}"#);
    let (chosen, profile) = split(&answer);
    assert_eq!(chosen["type"], "profile");
    assert!(!profile.is_empty());
    let answer = call(r#"{"event":"cycles"}"#);
    let (unread, rest) = split(&answer);
    assert_eq!(unread["type"], "unread");
    assert_eq!(
        unread["reason"],
        serde_json::json!({ "kind": "no_such_event", "event": "cycles" })
    );
    assert!(rest.is_empty());
    assert_eq!(split(&convert(b"")).0["type"], "failed");
}

#[test]
fn a_profile_that_is_not_read_has_a_reason_of_a_kind_and_one_in_english() {
    let call = |file: &str| split(&convert(&framed(r#"{"event":null}"#, file.as_bytes()))).0;
    assert_eq!(
        call(""),
        serde_json::json!({ "type": "unread", "reason": { "kind": "empty" }, "text": "there is nothing in it" })
    );
    assert_eq!(
        call("m:r/0;m:a/0 NaN\n")["reason"],
        serde_json::json!({
            "kind": "damaged",
            "format": "folded stacks",
            "defect": { "kind": "lines", "count": 1, "first": 1 },
        })
    );
    assert_eq!(
        call("{\n,}")["reason"],
        serde_json::json!({
            "kind": "damaged",
            "format": null,
            "defect": { "kind": "json", "line": 2, "column": 1 },
        })
    );
}

#[test]
fn a_capture_becomes_a_page_of_its_own() {
    let recorded = include_bytes!("../../../verdict/compare/tests/recorded/run-00.pb.gz");
    let answer = page(&framed(r#"{"title":"<a> & b","busy":true}"#, recorded));
    let (made, text) = split(&answer);
    assert_eq!(made["type"], "page");
    let text = std::str::from_utf8(text).unwrap();
    assert!(
        text.starts_with("<!DOCTYPE html>"),
        "{}",
        text.get(..40).unwrap_or(text)
    );
    assert!(text.contains("&lt;a&gt; &amp; b"));
    let (failed, rest) = (
        page(&framed(r#"{"title":"","busy":false}"#, b"no profile")),
        page(b""),
    );
    let unread = split(&failed).0;
    assert_eq!(unread["type"], "unread");
    assert_eq!(unread["unread"]["problem"], "notAProfile");
    assert_eq!(split(&rest).0["type"], "failed");
}

/// A capture with processor time and time without a processor.
const OF_TWO_TYPES: &[u8] =
    include_bytes!("../../../../../test/unit/capture/fixtures/blocked.pb.gz");

#[test]
fn the_type_of_samples_of_a_page_is_the_requested_one() {
    let made = |request: &str, file| split(&page(&framed(request, file))).0;
    let request = r#"{"title":"","busy":true,"sample_type":"off-cpu"}"#;
    assert_eq!(made(request, OF_TWO_TYPES)["type"], "page");
    let of_one = include_bytes!("../../../verdict/compare/tests/recorded/run-00.pb.gz");
    let refused = made(request, of_one);
    assert_eq!(refused["type"], "failed");
    assert_eq!(refused["why"], "it has no samples of off-cpu");
}

#[test]
fn the_requested_type_of_samples_is_compared() {
    let read = framed_bytes(&read_capture(OF_TWO_TYPES));
    let captures = [read.clone(), read].concat();
    let compared = |base: &str, new: &str| {
        let side = |name: &str, sample_type: &str| {
            format!(r#"{{"name":"{name}","captures":[{{"name":"c","own":null{sample_type}}}]}}"#)
        };
        let (base, new) = (side("a", base), side("b", new));
        let request = format!(
            r#"{{"base":{base},"new":{new},"measure":"share","base_texts":{{}},"new_texts":{{}},"renamed":[]}}"#
        );
        let answer = compare(&framed(&request, &captures));
        serde_json::from_slice::<serde_json::Value>(&answer).unwrap()
    };
    let of_blocks = r#","sample_type":"off-cpu""#;
    let busiest = |answer: &serde_json::Value| {
        assert_eq!(answer["type"], "compared", "{answer}");
        answer["value"]["comparison"]["functions"].clone()
    };
    let (time, blocks) = (compared("", ""), compared(of_blocks, of_blocks));
    assert_ne!(busiest(&time), busiest(&blocks));
    let refused = compared("", of_blocks);
    assert_eq!(refused["type"], "refused");
    assert_eq!(refused["value"]["kind"], "other_type");
}

/// A pprof message that measures one thing, with these samples.
fn profile(samples: &[u8]) -> Vec<u8> {
    [&b"\x0a\x04\x08\x01\x10\x01\x32\x00\x32\x01a"[..], samples].concat()
}

#[test]
fn each_kind_of_reason_why_a_capture_cannot_be_read_is_found_in_a_file() {
    let below_zero = b"\x12\x0c\x12\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    let of_no_location = b"\x12\x06\x0a\x01\x09\x12\x01\x05";
    for (file, problem) in [
        (Vec::new(), "empty"),
        (b"no profile".to_vec(), "notAProfile"),
        (profile(of_no_location), "damaged"),
        (profile(below_zero), "difference"),
        (profile(&b"\x0a\x00".repeat(1000)), "tooMany"),
    ] {
        let answer = page(&framed(r#"{"title":"","busy":false}"#, &file));
        let made = split(&answer).0;
        let unread = &made["unread"];
        assert_eq!(unread["problem"], problem);
        assert_ne!(unread["why"], "");
        let read = framed_bytes(&read_capture(&file));
        let side = r#"{"name":"a","captures":[{"name":"c","own":null}]}"#;
        let request = format!(
            r#"{{"base":{side},"new":{side},"measure":null,"base_texts":{{}},"new_texts":{{}},"renamed":[]}}"#
        );
        let answer = compare(&framed(&request, &[read.clone(), read].concat()));
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["type"], "unread");
        assert_eq!(answer["value"]["problem"], problem);
        assert_eq!(answer["value"]["why"], unread["why"]);
    }
}

#[test]
fn the_page_of_a_history_has_a_chart_and_shows_hostile_names_as_text() {
    let evil = "</title><script>'\"";
    let point = |value: f64| serde_json::json!({ "value": value, "low": value - 0.5, "high": value * 9e9, "samples": 9, "captures": [value] });
    let commit = |name: &str| serde_json::json!({ "name": name, "commit": "", "dirty": false, "started_unix_ms": 0, "captures": [evil] });
    let step = serde_json::json!({
        "at": 1, "from": 0, "to": 1, "before": 1.0, "after": 3.0, "change_pct": 200.0, "low_pct": 150.0, "high_pct": 250.0,
        "notes": [{ "kind": "host", "values": [], "text": evil }],
    });
    let series = serde_json::json!({
        "of": "self", "function": evil, "measure": "cpu", "unit": "ms", "points": [point(1.0), point(3.0)],
        "steps": [step], "latest": null,
        "noise": { "of_runs_pct": 1.0, "of_commits_pct": 1.0, "is_measured": true },
    });
    let skipped =
        serde_json::json!({ "capture": evil, "reason": { "kind": "memory" }, "text": "memory" });
    let mut history = serde_json::json!({
        "commits": [commit(evil), commit("b")], "series": [series], "frequent": [], "skipped": [skipped],
    });
    let page = |history: &serde_json::Value| {
        let answer = history_page(&framed(&history.to_string(), b""));
        let (made, html) = split(&answer);
        assert_eq!(made["type"], "page");
        String::from_utf8(html.to_vec()).unwrap()
    };
    let html = page(&history);
    assert!(
        !html.contains("<script") && !html.contains("http://") && !html.contains("https://"),
        "{html}"
    );
    assert!(
        html.contains("CPU over 2 commits: &lt;/title&gt;"),
        "{html}"
    );
    assert_eq!(html.matches("<circle").count(), 2);
    assert!(html.contains(">+200.0 %</text>"), "{html}");
    // Positions outside of the history, and none at all.
    history["series"][0]["steps"][0]["at"] = serde_json::json!(u32::MAX);
    assert!(page(&history).ends_with("</html>\n"));
    history["series"][0]["points"] = serde_json::json!([]);
    history["commits"] = serde_json::json!([]);
    assert!(page(&history).contains("CPU over 0 commits"));
}

proptest! {
    #[test]
    fn garbage_gets_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!compare(&bytes).is_empty());
        prop_assert!(!read_capture(&bytes).is_empty());
        prop_assert!(convert(&bytes).len() > 4);
        let request = framed(r#"{"event":null}"#, &bytes);
        prop_assert!(convert(&request).len() > 4);
        prop_assert!(history_page(&bytes).len() > 4);
        let request = framed(r#"{"title":"t","busy":true}"#, &bytes);
        prop_assert!(page(&request).len() > 4);
    }
}
