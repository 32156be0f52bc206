//! Which message may come when, and what bad ones are answered.

use std::sync::atomic::Ordering;

use rpc_server::ExitStatus;
use serde_json::{Value, json};

use crate::backend::PANIC_PID;
use crate::client::{Client, frame, initialize};

fn code(response: &Value) -> i64 {
    response["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {response}"))
}

#[test]
fn a_whole_conversation() {
    let mut client = Client::new();
    let answer = client.initialize();
    assert_eq!(
        answer["result"]["serverInfo"],
        json!({ "name": "extrospect", "version": "9.8.7" })
    );
    assert_eq!(
        answer["result"]["protocolVersion"],
        protocol::PROTOCOL_VERSION
    );
    assert_eq!(
        answer["result"]["capabilities"]["experimental"]["maxFrequencyHz"],
        10_000
    );
    assert_eq!(
        answer["result"]["capabilities"]["experimental"]["sampleTypes"],
        json!(["cpu", "off-cpu", "faults"])
    );
    client.notify("initialized", json!({}));
    assert_eq!(
        client.call(1, "extrospect/list", Value::Null)["result"],
        json!({ "beams": [] })
    );
    let rows = client.call(2, "extrospect/doctor", json!({}))["result"]["rows"].clone();
    assert_eq!(rows[0]["status"], "fail");
    assert_eq!(
        client.call(3, "shutdown", Value::Null)["result"],
        Value::Null
    );
    assert_eq!(client.backend.closes.load(Ordering::SeqCst), 1);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_status(), ExitStatus::Clean);
}

#[test]
fn exit_without_shutdown_has_its_own_code() {
    let mut client = Client::initialized();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_status().code(), 1);
}

#[test]
fn shutdown_and_exit_in_one_go_still_answer() {
    let mut client = Client::initialized();
    client.request(1, "shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.response(&json!(1))["result"], Value::Null);
    assert_eq!(client.exit_status().code(), 0);
}

#[test]
fn nothing_before_initialize_and_nothing_after_shutdown() {
    let mut client = Client::new();
    assert_eq!(code(&client.call(1, "extrospect/list", json!({}))), -32002);
    assert_eq!(code(&client.call(2, "no/such/method", json!({}))), -32002);
    client.initialize();
    assert_eq!(
        code(&client.call(3, "initialize", initialize()["params"].clone())),
        -32600
    );
    client.call(4, "shutdown", Value::Null);
    assert_eq!(code(&client.call(5, "extrospect/list", json!({}))), -32600);
    assert_eq!(code(&client.call(6, "shutdown", json!({}))), -32600);
}

#[test]
fn another_protocol_version_is_refused_and_the_client_may_try_again() {
    let mut client = Client::new();
    let options = json!({ "initializationOptions": { "protocolVersion": 77 } });
    let answer = client.call(1, "initialize", options);
    assert_eq!(code(&answer), 1006);
    assert!(
        answer["error"]["data"]["why"]
            .as_str()
            .unwrap()
            .contains("77")
    );
    let answer = client.call(2, "initialize", json!({}));
    assert_eq!(code(&answer), -32602);
    let why = answer["error"]["data"]["why"].as_str().unwrap();
    assert!(why.contains("initializationOptions"), "{why}");
    assert!(client.initialize().get("result").is_some());
}

#[test]
fn bad_parameters_are_named() {
    let mut client = Client::initialized();
    let start = |change: Value| {
        let mut params = json!({ "attachmentId": 1, "frequencyHz": 99, "durationSeconds": 1 });
        params
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        params
    };
    let starts = [
        (json!({ "frequencyHz": 0 }), "frequencyHz"),
        (json!({ "frequencyHz": 10_001 }), "frequencyHz"),
        (json!({ "durationSeconds": -0.5 }), "durationSeconds"),
        (json!({ "durationSeconds": 1e300 }), "durationSeconds"),
        (json!({ "includeKernel": true }), "includeKernel"),
        (json!({ "file": "" }), "file"),
        (json!({ "attachmentId": 9 }), "attachment"),
    ]
    .map(|(change, named)| ("extrospect/capture/start", start(change), named));
    let no_capture = json!({ "captureId": 9 });
    let odd_all = json!({ "pid": 1, "all": "yes" });
    let others = [
        ("extrospect/attach", json!({ "pid": "one" }), "pid"),
        ("extrospect/attach", json!({ "pid": -1 }), "pid"),
        ("extrospect/attach", json!({}), "pid"),
        ("extrospect/attach", json!([1]), "object"),
        ("extrospect/attach", json!(1), "object"),
        ("extrospect/capture/stop", no_capture, "capture"),
        ("extrospect/pstack", odd_all, "all"),
    ];
    let cases = starts.into_iter().chain(others);
    for (id, (method, params, named)) in (1..).zip(cases) {
        let answer = client.call(id, method, params.clone());
        assert_eq!(code(&answer), -32602, "{method} {params}");
        let data = &answer["error"]["data"];
        assert!(
            data["why"].as_str().unwrap().contains(named),
            "{method} {params}: {data}"
        );
        assert_eq!(data["exitCode"], 2);
    }
}

#[test]
fn bad_parameters_of_sampling_are_named_wherever_they_are() {
    let mut client = Client::initialized();
    let work = json!({ "source": { "type": "command", "command": ["orders"] } });
    let starts = [
        (
            "extrospect/capture/start",
            json!({ "attachmentId": 1, "durationSeconds": 1, "work": work }),
        ),
        (
            "extrospect/flight/start",
            json!({
                "attachmentId": 1, "condition": "mailbox>10", "beforeSeconds": 60, "afterSeconds": 30,
                "maxFiles": 10, "durationSeconds": 3600
            }),
        ),
        (
            "extrospect/detached/start",
            json!({ "name": "night", "pid": 1, "durationSeconds": 0, "work": work }),
        ),
    ];
    let mut id = 0;
    let unknown_type = "types must be of cpu, off-cpu, faults, not alloc";
    for (method, params) in starts {
        let mut why = |change: Value| {
            let mut params = params.clone();
            params["frequencyHz"] = json!(99);
            let params_by_name = params.as_object_mut().unwrap();
            params_by_name.extend(change.as_object().unwrap().clone());
            id += 1;
            let answer = client.call(id, method, params);
            assert_eq!(code(&answer), -32602, "{method} {change}");
            answer["error"]["data"]["why"].as_str().unwrap().to_owned()
        };
        for (change, named) in [
            (json!({ "frequencyHz": "fast" }), "frequencyHz: invalid"),
            (json!({ "frequencyHz": 0 }), "frequencyHz must be"),
            (json!({ "durationSeconds": "long" }), "durationSeconds"),
            (json!({ "engine": "none" }), "engine: unknown"),
            (json!({ "nodeEveryMs": 99 }), "nodeEveryMs must be"),
            (
                json!({ "types": ["off-cpu"], "minBlockUs": 60_000_001 }),
                "minBlockUs must be 0 to 60000000",
            ),
            (
                json!({ "types": ["cpu"], "minBlockUs": 100 }),
                "minBlockUs is for the type off-cpu",
            ),
            (json!({ "types": "cpu" }), "types: invalid"),
            (json!({ "types": ["cpu", 1] }), "types[1]: invalid"),
            (json!({ "types": ["cpu", "alloc"] }), unknown_type),
        ] {
            let why = why(change.clone());
            assert!(why.contains(named), "{method} {change}: {why}");
        }
        if params.get("work").is_some() {
            let why = why(json!({ "types": ["off-cpu"] }));
            assert!(why.starts_with("types must have cpu"), "{method}: {why}");
        }
    }
}

#[test]
fn failures_have_problem_reason_and_remedy() {
    let mut client = Client::initialized();
    let answer = client.call(1, "extrospect/attach", json!({ "pid": 1 }));
    assert_eq!(code(&answer), 1004);
    let expected = json!({
        "what": "Cannot attach",
        "why": "the process belongs to another user",
        "fix": "run as that user",
        "exitCode": 4,
    });
    assert_eq!(answer["error"]["data"], expected);
}

#[test]
fn a_panic_costs_one_request() {
    let mut client = Client::initialized();
    let answer = client.call(1, "extrospect/attach", json!({ "pid": PANIC_PID }));
    assert_eq!(code(&answer), -32603);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("a mistake for the test")
    );
    assert!(
        client
            .call(1, "extrospect/list", json!({}))
            .get("result")
            .is_some()
    );
}

#[test]
fn what_is_no_request_is_answered_and_the_next_one_works() {
    let mut client = Client::initialized();
    let cases: [(&[u8], i64, Value); 10] = [
        (b"{", -32700, Value::Null),
        (b"\xff\xfe", -32700, Value::Null),
        (b"", -32700, Value::Null),
        (b"12", -32600, Value::Null),
        (
            br#"[{"jsonrpc":"2.0","id":1,"method":"extrospect/list"}]"#,
            -32600,
            Value::Null,
        ),
        (br#"{"id":7,"method":"extrospect/list"}"#, -32600, json!(7)),
        (br#"{"jsonrpc":"2.0","id":8}"#, -32600, json!(8)),
        (
            br#"{"jsonrpc":"2.0","id":"x","method":3}"#,
            -32600,
            json!("x"),
        ),
        (
            br#"{"jsonrpc":"2.0","id":1.5,"method":"extrospect/list"}"#,
            -32600,
            Value::Null,
        ),
        (
            br#"{"jsonrpc":"2.0","id":9,"method":"no/such"}"#,
            -32601,
            json!(9),
        ),
    ];
    for (body, expected, id) in cases {
        client.send_raw(&frame(body));
        let answer = client.response(&id);
        assert_eq!(code(&answer), expected, "{}", String::from_utf8_lossy(body));
    }
    let deep = "[".repeat(200_000);
    client.send_raw(&frame(deep.as_bytes()));
    assert_eq!(code(&client.response(&Value::Null)), -32700);
    client.send_raw(&frame(br#"{"jsonrpc":"2.0","id":1,"result":5}"#));
    client.notify("no/such/notification", json!([]));
    client.notify("$/cancelRequest", json!({ "id": {} }));
    assert!(
        client
            .call(10, "extrospect/list", json!({}))
            .get("result")
            .is_some()
    );
}

#[test]
fn broken_framing_is_answered_once_and_the_next_message_is_found() {
    let list = br#"{"jsonrpc":"2.0","id":1,"method":"extrospect/list"}"#;
    let long_line = vec![b'x'; 3 * 1024 * 1024];
    let cases: [&[u8]; 7] = [
        b"hello\nworld\nagain\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
        b"Content-Type: text/plain\r\n\r\n",
        b"\x00\xff\x00\r\n",
        &[&long_line[..], b"\r\n"].concat(),
    ];
    for garbage in cases {
        let mut client = Client::initialized();
        client.send_raw(garbage);
        client.send_raw(&frame(list));
        assert!(client.response(&json!(1)).get("result").is_some());
        let (rest, _) = client.rest();
        let errors = rest
            .iter()
            .filter(|message| message.get("error").is_some())
            .count();
        assert_eq!(
            errors,
            1,
            "{}",
            String::from_utf8_lossy(&garbage[..garbage.len().min(60)])
        );
    }
}

#[test]
fn a_message_too_long_is_skipped() {
    let mut client = Client::initialized();
    let body = vec![b' '; usize::try_from(protocol::MAX_MESSAGE_BYTES).unwrap() + 1];
    client.send_raw(&frame(&body));
    assert_eq!(code(&client.response(&Value::Null)), -32700);
    assert!(
        client
            .call(1, "extrospect/list", json!({}))
            .get("result")
            .is_some()
    );
}

#[test]
fn an_impossible_length_ends_the_conversation() {
    let mut client = Client::initialized();
    client.send_raw(b"Content-Length: 18446744073709551615\r\n\r\n");
    assert_eq!(code(&client.response(&Value::Null)), -32700);
    assert_eq!(client.exit_status(), ExitStatus::WithoutShutdown);
}
