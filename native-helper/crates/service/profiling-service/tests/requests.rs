//! The service behind the real server, queried by a client. Nothing here is an Erlang VM: the tests
//! check the answers that an editor receives when something does not exist.
#![allow(clippy::unwrap_used)] // A test: an unmet expectation is its failure.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::thread::JoinHandle;

use profiling_service::HelperBackend;
use protocol::error::INVALID_PARAMS;
use rpc_server::ExitStatus;
use serde_json::{Value, json};

struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    last_id: i32,
    server: JoinHandle<ExitStatus>,
}

impl Client {
    fn initialized() -> Self {
        let (server_input, input) = pipe().unwrap();
        let (output, server_output) = pipe().unwrap();
        let server = std::thread::spawn(move || {
            let backend = Arc::new(HelperBackend::new("/proc/self/exe".into()));
            rpc_server::serve(BufReader::new(server_input), server_output, backend).unwrap()
        });
        let mut client = Self {
            input,
            output: BufReader::new(output),
            last_id: 0,
            server,
        };
        let params = json!({
            "processId": 1, "rootUri": null, "capabilities": {},
            "clientInfo": { "name": "test" },
            "initializationOptions": {
                "protocolVersion": protocol::PROTOCOL_VERSION,
                "capabilities": { "increments": true },
            },
        });
        let answer = client.call("initialize", params);
        assert!(answer["result"].is_object(), "{answer}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        client
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            match line.trim().split_once(": ") {
                Some(("Content-Length", digits)) => length = digits.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

#[test]
fn what_is_not_there_is_refused_with_a_code_and_what_to_do() {
    let mut client = Client::initialized();
    for (method, params, code) in [
        (
            "extrospect/capture/start",
            json!({ "attachmentId": 1, "frequencyHz": 99, "durationSeconds": 0 }),
            INVALID_PARAMS,
        ),
        (
            "extrospect/capture/stop",
            json!({ "captureId": 1 }),
            INVALID_PARAMS,
        ),
        (
            "extrospect/detach",
            json!({ "attachmentId": 1 }),
            INVALID_PARAMS,
        ),
    ] {
        let answer = client.call(method, params);
        let error = &answer["error"];
        assert_eq!(error["code"], code, "{method}: {answer}");
        let fix = error["data"]["fix"].as_str();
        assert!(fix.is_some_and(|fix| !fix.is_empty()), "{method}: {answer}");
    }
}

#[test]
fn the_service_ends_with_its_client_and_keeps_no_capture_waiting() {
    let mut client = Client::initialized();
    let answer = client.call("shutdown", Value::Null);
    assert!(answer["error"].is_null(), "{answer}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
    drop(client.input);
    assert_eq!(client.server.join().unwrap().code(), 0);
}
