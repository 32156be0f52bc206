//! A client at the other end of two pipes.

use std::io::{BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rpc_server::{ExitStatus, QueueLimits, serve_with_limits};
use serde_json::{Value, json};

use crate::backend::SteeredBackend;

/// Far longer than anything takes, so that a hang fails instead of hanging.
/// For whatever is waited for: the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(300);

pub struct Client {
    pub backend: Arc<SteeredBackend>,
    input: Option<PipeWriter>,
    unread: Option<PipeReader>,
    incoming: Option<mpsc::Receiver<Value>>,
    /// Received while something else was waited for.
    put_by: Vec<Value>,
    server: JoinHandle<ExitStatus>,
}

impl Client {
    pub fn new() -> Self {
        let mut client = Self::unread(QueueLimits::default());
        client.read();
        client
    }

    /// A client that does not read yet.
    pub fn unread(limits: QueueLimits) -> Self {
        let (server_input, input) = pipe().unwrap();
        let (output, server_output) = pipe().unwrap();
        let backend = Arc::new(SteeredBackend::default());
        let served: Arc<SteeredBackend> = Arc::clone(&backend);
        let server = std::thread::spawn(move || {
            serve_with_limits(BufReader::new(server_input), server_output, served, limits).unwrap()
        });
        let (input, unread) = (Some(input), Some(output));
        Self {
            backend,
            input,
            unread,
            incoming: None,
            put_by: Vec::new(),
            server,
        }
    }

    /// Begins to read.
    pub fn read(&mut self) {
        let mut output = BufReader::new(self.unread.take().unwrap());
        let (sender, receiver) = mpsc::channel();
        self.incoming = Some(receiver);
        std::thread::spawn(move || {
            while let Some(message) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
    }

    /// The output, for a test that reads it itself.
    pub fn take_output(&mut self) -> PipeReader {
        self.unread.take().unwrap()
    }

    /// Stops reading for good: the server gets a broken pipe.
    pub fn close_output(&mut self) {
        self.unread = None;
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    pub fn initialized() -> Self {
        let mut client = Self::new();
        client.initialize();
        client
    }

    pub fn initialize(&mut self) -> Value {
        self.send(&initialize());
        self.response(&json!("init"))
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_raw(&frame(message.to_string().as_bytes()));
    }

    pub fn request(&mut self, id: i32, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message);
    }

    pub fn call(&mut self, id: i32, method: &str, params: Value) -> Value {
        self.request(id, method, params);
        self.response(&json!(id))
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Waits for the next message that `wanted` likes and keeps the others for later.
    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(position) = self.put_by.iter().position(&wanted) {
            return self.put_by.remove(position);
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.incoming.as_ref().unwrap().recv_timeout(left);
            let message = message.unwrap_or_else(|_| panic!("only came: {:?}", self.put_by));
            if wanted(&message) {
                return message;
            }
            self.put_by.push(message);
        }
    }

    pub fn response(&mut self, id: &Value) -> Value {
        self.wait_for(|message| message.get("method").is_none() && message.get("id") == Some(id))
    }

    pub fn notification(&mut self, method: &str) -> Value {
        let message = self.wait_for(|message| message["method"] == method);
        message["params"].clone()
    }

    /// Everything from now to the end of the stream.
    pub fn rest(mut self) -> (Vec<Value>, ExitStatus) {
        self.input = None;
        let mut messages = std::mem::take(&mut self.put_by);
        messages.extend(self.incoming.take().unwrap().iter());
        (messages, self.exit_status())
    }

    /// Waits for the server to return.
    pub fn exit_status(self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while !self.server.is_finished() {
            assert!(Instant::now() < deadline, "the server does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.server.join().unwrap()
    }
}

pub fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": "init", "method": "initialize",
        "params": {
            "processId": 1, "rootUri": null, "capabilities": { "window": {} },
            "clientInfo": { "name": "test" },
            "initializationOptions": {
                "protocolVersion": protocol::PROTOCOL_VERSION,
                "capabilities": { "increments": true },
            },
        },
    })
}

pub fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// Reads one message strictly: the server's framing has no freedom.
pub fn read_message(input: &mut impl Read) -> Option<Value> {
    let mut header = Vec::new();
    while !header.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if input.read(&mut byte).unwrap_or(0) == 0 {
            assert!(header.is_empty(), "the output ends inside a header");
            return None;
        }
        header.push(byte[0]);
    }
    let header = String::from_utf8(header).unwrap();
    let length = header.strip_prefix("Content-Length: ").unwrap().trim_end();
    let mut body = vec![0; length.parse().unwrap()];
    input.read_exact(&mut body).unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(message["jsonrpc"], "2.0");
    Some(message)
}
