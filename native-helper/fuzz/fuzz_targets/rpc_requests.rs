//! Whole conversations with the server: requests of every method, well-formed, with any values in their
//! parameters and in any order, to the session itself. The backend does no harm and checks the promises
//! that the server makes to it; the messages that the client gets are compared with its requests.

#![no_main]

#[macro_use]
#[path = "../rpc_requests/plain_answers.rs"]
mod plain_answers;

#[path = "../rpc_requests/answers.rs"]
mod answers;
#[path = "../rpc_requests/backend.rs"]
mod backend;
#[path = "../rpc_requests/conversation.rs"]
mod conversation;
#[path = "../rpc_requests/json.rs"]
mod json;

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use rpc_server::serve;

use answers::Answers;
use backend::HarmlessBackend;
use conversation::Conversation;

/// The server waits for answers for some seconds at its end. A machine that takes a good part of that for
/// a conversation may have lost some.
const MAX_HONEST: Duration = Duration::from_secs(1);

/// What the client reads.
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

fuzz_target!(|conversation: Conversation| {
    let sent = conversation.messages();
    let mut input = Vec::new();
    for message in &sent {
        let body = message.to_string();
        input.extend_from_slice(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }
    let output = Output::default();
    let backend = Arc::new(HarmlessBackend::default());
    let begun = Instant::now();
    let served = serve(Cursor::new(input), output.clone(), backend.clone());
    served.expect("threads can be started");
    let is_honest = begun.elapsed() < MAX_HONEST;
    backend.expect_closed_once();
    let bytes = output.0.lock().unwrap().clone();
    Answers::read(&bytes).hold_against(&sent, is_honest);
});
