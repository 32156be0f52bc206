//! Flight recorders: the accepted parameters, and the order of notifications.

use protocol::flight::{FlightEndReason, FlightLookedParams};
use serde_json::{Value, json};

use crate::backend::FILE;
use crate::client::Client;

fn start_params() -> Value {
    json!({
        "attachmentId": 1, "condition": "mailbox>10", "beforeSeconds": 60, "afterSeconds": 30,
        "maxFiles": 10, "durationSeconds": 3600, "frequencyHz": 99
    })
}

fn looked(flight_id: u32) -> FlightLookedParams {
    FlightLookedParams {
        flight_id,
        elapsed_seconds: 1.5,
        is_writing: false,
        values: Vec::new(),
        unknown: Vec::new(),
        files: 0,
        failed: 0,
    }
}

#[test]
fn what_was_seen_before_the_answer_comes_after_it_and_nothing_after_the_end() {
    let mut client = Client::initialized();
    let answer = client.call(1, "extrospect/flight/start", start_params());
    let engine = json!({ "name": "readv", "reason": "requested" });
    assert_eq!(answer["result"], json!({ "flightId": 1, "engine": engine }));
    let written = client.notification("extrospect/flight/written");
    assert_eq!(
        (&written["flightId"], &written["captureId"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(written["file"], FILE);
    let sink = client.backend.flights.lock().unwrap()[0].clone();
    sink.looked(&looked(1));
    assert_eq!(
        client.notification("extrospect/flight/looked")["elapsedSeconds"],
        1.5
    );
    let stopped = client.call(2, "extrospect/flight/stop", json!({ "flightId": 1 }));
    assert_eq!(stopped["result"]["reason"], "stopped");
    assert_eq!(
        client.notification("extrospect/flight/ended"),
        stopped["result"]
    );
    // It is over: the client receives neither another end nor anything else.
    sink.looked(&looked(1));
    sink.ended(FlightEndReason::Failed, None, (0, 0));
    let next = client.call(3, "extrospect/flight/start", start_params());
    // Ids are never used again, those of files neither.
    assert_eq!(next["result"]["flightId"], 3);
    assert_eq!(
        client.notification("extrospect/flight/written")["flightId"],
        3
    );
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_attached_to() {
    let mut client = Client::initialized();
    for (id, (member, value)) in (1_i32..).zip([
        ("durationSeconds", json!(0)),
        ("durationSeconds", json!(86_401)),
        ("beforeSeconds", json!(0.5)),
        ("afterSeconds", json!(3601)),
        ("maxFiles", json!(0)),
        ("maxFiles", json!(1001)),
        ("frequencyHz", json!(0)),
        ("nodeEveryMs", json!(99)),
        ("types", json!(["cpu", "alloc"])),
        ("file", json!("")),
        ("condition", Value::Null),
        ("attachmentId", json!(2)),
    ]) {
        let mut params = start_params();
        params[member] = value;
        let answer = client.call(id, "extrospect/flight/start", params);
        assert_eq!(answer["error"]["code"], -32602, "{member}: {answer}");
    }
    assert!(client.backend.flights.lock().unwrap().is_empty());
}
