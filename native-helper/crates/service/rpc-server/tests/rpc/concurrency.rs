//! Cancellation, progress, tracing, and requests that wait for each other or do not.

use std::time::Duration;

use serde_json::{Value, json};

use crate::backend::{SLOW_PID, TALKATIVE_PID};
use crate::client::Client;

#[test]
fn a_slow_request_blocks_nothing_and_can_be_cancelled() {
    let mut client = Client::initialized();
    client.request(1, "extrospect/doctor", json!({ "pid": SLOW_PID }));
    assert!(
        client
            .call(2, "extrospect/list", json!({}))
            .get("result")
            .is_some()
    );
    client.notify("$/cancelRequest", json!({ "id": "1" }));
    client.notify("$/cancelRequest", json!({ "id": 77 }));
    assert!(
        client
            .call(3, "extrospect/list", json!({}))
            .get("result")
            .is_some()
    );
    client.notify("$/cancelRequest", json!({ "id": 1 }));
    assert_eq!(client.response(&json!(1))["error"]["code"], -32800);
}

#[test]
fn an_id_in_use_is_refused_without_spoiling_the_first_answer() {
    let mut client = Client::initialized();
    client.request(1, "extrospect/doctor", json!({ "pid": SLOW_PID }));
    client.request(1, "extrospect/list", json!({}));
    assert_eq!(client.response(&Value::Null)["error"]["code"], -32600);
    client.notify("$/cancelRequest", json!({ "id": 1 }));
    assert_eq!(client.response(&json!(1))["error"]["code"], -32800);
    assert!(
        client
            .call(1, "extrospect/list", json!({}))
            .get("result")
            .is_some()
    );
}

#[test]
fn too_many_requests_at_a_time_are_refused() {
    let mut client = Client::initialized();
    for id in 0..65 {
        client.request(id, "extrospect/doctor", json!({ "pid": SLOW_PID }));
    }
    assert_eq!(client.response(&json!(64))["error"]["code"], 1007);
    client.notify("$/cancelRequest", json!({ "id": 0 }));
    assert_eq!(client.response(&json!(0))["error"]["code"], -32800);
    // The place is free some moments after the answer; it never stays taken.
    let is_answered = |id| {
        std::thread::sleep(Duration::from_millis(10));
        let answer = client.call(id, "extrospect/list", json!({}));
        answer.get("result").is_some()
    };
    assert!((65..10_065).any(is_answered));
}

#[test]
fn shutdown_cancels_what_is_waited_for() {
    let mut client = Client::initialized();
    client.request(1, "extrospect/doctor", json!({ "pid": SLOW_PID }));
    assert_eq!(
        client.call(2, "shutdown", Value::Null)["result"],
        Value::Null
    );
    assert_eq!(client.response(&json!(1))["error"]["code"], -32800);
}

#[test]
fn progress_comes_under_the_token_and_ends_before_the_answer() {
    let mut client = Client::initialized();
    let params = json!({ "pid": TALKATIVE_PID, "workDoneToken": "t1" });
    client.request(1, "extrospect/doctor", params);
    let mut kinds = Vec::new();
    loop {
        let message = client.wait_for(|_| true);
        if message["id"] == 1 {
            break;
        }
        if message["method"] == "$/progress" {
            assert_eq!(message["params"]["token"], "t1");
            kinds.push(message["params"]["value"].clone());
        }
    }
    let expected = [
        json!({ "kind": "begin", "title": "Reading atoms" }),
        json!({ "kind": "report", "message": "Reading atoms", "percentage": 40 }),
        json!({ "kind": "report", "message": "Reading modules" }),
        json!({ "kind": "end" }),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn without_a_token_there_is_no_progress_but_a_log() {
    let mut client = Client::initialized();
    client.call(1, "extrospect/doctor", json!({ "pid": TALKATIVE_PID }));
    let (rest, _) = client.rest();
    let expected = json!({ "type": 2, "message": "few modules" });
    assert!(
        rest.iter().any(|message| message["params"] == expected),
        "{rest:?}"
    );
    assert!(
        rest.iter().all(|message| message["method"] != "$/progress"),
        "{rest:?}"
    );
}

#[test]
fn trace_is_off_until_requested() {
    let mut client = Client::initialized();
    client.call(1, "extrospect/list", json!({}));
    client.notify("$/setTrace", json!({ "value": "loud" }));
    client.call(2, "extrospect/list", json!({}));
    client.notify("$/setTrace", json!({ "value": "messages" }));
    client.call(3, "extrospect/pstack", json!({ "pid": 1 }));
    let traced = client.notification("$/logTrace");
    assert!(
        traced["message"]
            .as_str()
            .unwrap()
            .starts_with("extrospect/pstack answered")
    );
}
