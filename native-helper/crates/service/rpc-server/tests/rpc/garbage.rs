//! Whatever comes in, the server answers in proper frames and ends when the input ends.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex, mpsc};

use proptest::collection::vec;
use proptest::prelude::*;
use rpc_server::frame::{Frame, FrameReader};
use rpc_server::message::classify;
use serde_json::{Map, Value, json};

use crate::backend::SteeredBackend;
use crate::client::{PATIENCE, frame, initialize, read_message};

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every message that the server sends in answer to `input`. Fails when it hangs.
fn serve_bytes(input: Vec<u8>) -> Vec<Value> {
    let output = Output::default();
    let written = output.clone();
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || {
        let backend = Arc::new(SteeredBackend::default());
        let _ = done.send(rpc_server::serve(Cursor::new(input), output, backend));
    });
    finished
        .recv_timeout(PATIENCE)
        .expect("the server hangs or fell")
        .unwrap();
    let bytes = std::mem::take(&mut *written.0.lock().unwrap());
    let mut bytes = Cursor::new(bytes);
    std::iter::from_fn(|| read_message(&mut bytes)).collect()
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_name(), inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "pid",
            "all",
            "captureId",
            "attachmentId",
            "frequencyHz",
            "durationSeconds",
            "file",
            "workDoneToken",
            "id",
            "value",
            "initializationOptions",
            "protocolVersion",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ]
}

fn any_method() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "initialize",
            "initialized",
            "extrospect/list",
            "extrospect/doctor",
            "extrospect/attach",
            "extrospect/detach",
            "extrospect/capture/start",
            "extrospect/capture/stop",
            "extrospect/pstack",
            "extrospect/nodes",
            "$/cancelRequest",
            "$/setTrace",
        ])
        .prop_map(str::to_owned),
        ".{0,12}",
    ]
}

/// A message in which each member may be right, wrong or absent.
fn any_message() -> impl Strategy<Value = Value> {
    let member = |likely: BoxedStrategy<Value>| prop_oneof![6 => likely.prop_map(Some), 1 => any_json().prop_map(Some), 1 => Just(None)];
    (
        member(Just(json!("2.0")).boxed()),
        member(any::<i32>().prop_map(Value::from).boxed()),
        member(any_method().prop_map(Value::from).boxed()),
        member(
            vec((any_name(), any_json()), 0..4)
                .prop_map(|m| m.into_iter().collect())
                .boxed(),
        ),
    )
        .prop_map(|(jsonrpc, id, method, params)| {
            let members = [
                ("jsonrpc", jsonrpc),
                ("id", id),
                ("method", method),
                ("params", params),
            ];
            let present = members
                .into_iter()
                .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)));
            Value::Object(present.collect::<Map<String, Value>>())
        })
}

fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => any_message().prop_map(|message| frame(message.to_string().as_bytes())),
        1 => vec(any::<u8>(), 0..80),
        1 => vec(any::<u8>(), 0..80).prop_map(|body| frame(&body)),
        1 => any::<u64>().prop_map(|n| format!("Content-Length: {n}\r\n\r\n").into_bytes()),
        1 => (any_message(), any::<prop::sample::Index>()).prop_map(|(message, cut)| {
            let mut bytes = frame(message.to_string().as_bytes());
            bytes.truncate(cut.index(bytes.len()));
            bytes
        }),
        1 => (0usize..3_000).prop_map(|depth| frame("[{\"a\":".repeat(depth).as_bytes())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_server_survives_anything(pieces in vec(any_piece(), 0..12), greets in any::<bool>()) {
        let mut input = Vec::new();
        if greets {
            input.extend(frame(initialize().to_string().as_bytes()));
        }
        pieces.iter().for_each(|piece| input.extend(piece));
        for message in serve_bytes(input) {
            let is_answer = message.get("id").is_some()
                && (message.get("result").is_some() != message.get("error").is_some());
            prop_assert!(is_answer || message["method"].is_string(), "{}", message);
        }
    }

    #[test]
    fn every_request_gets_exactly_one_answer(
        requests in vec((any_method(), any_json()), 1..40),
    ) {
        let mut input = frame(initialize().to_string().as_bytes());
        for (id, (method, params)) in requests.iter().enumerate() {
            let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            input.extend(frame(message.to_string().as_bytes()));
        }
        let answers = serve_bytes(input);
        for id in 0..requests.len() {
            let count = answers
                .iter()
                .filter(|message| message.get("method").is_none() && message["id"] == json!(id))
                .count();
            prop_assert_eq!(count, 1, "request {} of {:?}: {:?}", id, requests, answers);
        }
    }

    #[test]
    fn frames_are_found_in_any_bytes_and_bodies_are_as_long_as_announced(
        bytes in vec(any::<u8>(), 0..2_000),
    ) {
        let mut frames = FrameReader::new(bytes.as_slice());
        // Every frame takes at least one byte, so there cannot be more of them.
        for _ in 0..=bytes.len() {
            match frames.next_frame() {
                Frame::Body(body) => { classify(&body); }
                Frame::Rejected(_) => {}
                Frame::End(_) => return Ok(()),
            }
        }
        prop_assert!(false, "the reader goes on after the end");
    }
}
