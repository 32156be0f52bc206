//! Compares the messages that the client got with its requests.

use std::collections::BTreeMap;

use rpc_server::frame::{Frame, FrameReader};
use serde_json::Value;

pub struct Answers(Vec<Value>);

impl Answers {
    /// Every frame is whole, and JSON-RPC.
    pub fn read(bytes: &[u8]) -> Self {
        let mut frames = FrameReader::new(bytes);
        let mut messages = Vec::new();
        loop {
            match frames.next_frame() {
                Frame::Body(body) => {
                    let message: Value = serde_json::from_slice(&body).expect("JSON");
                    assert_eq!(message["jsonrpc"], "2.0");
                    messages.push(message);
                }
                Frame::Rejected(error) => panic!("the server wrote a bad frame: {error}"),
                Frame::End(None) => return Self(messages),
                Frame::End(Some(error)) => panic!("the server's output is cut off: {error}"),
            }
        }
    }

    /// `is_honest`: there was time enough for every answer.
    pub fn hold_against(&self, sent: &[Value], is_honest: bool) {
        let asked = asked_once(sent);
        for (id, is_taken) in &asked {
            let answers = self.0.iter().filter(|message| {
                message.get("method").is_none() && message["id"].to_string() == *id
            });
            let answers: Vec<&Value> = answers.collect();
            assert!(answers.len() <= 1, "answered twice: {id}");
            assert!(
                !is_taken || !is_honest || answers.len() == 1,
                "not answered: {id}"
            );
            for answer in answers {
                let both = (
                    answer.get("result").is_some(),
                    answer.get("error").is_some(),
                );
                assert!(both.0 != both.1, "either a result or an error: {answer}");
            }
        }
        self.expect_captures_in_order();
        self.expect_flights_to_end();
    }

    /// The notifications of a flight recorder come before its end, which comes once.
    fn expect_flights_to_end(&self) {
        let mut ended: Vec<u64> = Vec::new();
        for message in &self.0 {
            let Some(id) = message["params"]["flightId"].as_u64() else {
                continue;
            };
            assert!(!ended.contains(&id), "told after its end: {message}");
            match message["method"].as_str() {
                Some("extrospect/flight/ended") => ended.push(id),
                Some("extrospect/flight/written") => {}
                other => panic!("{other:?} is about a flight recorder"),
            }
        }
    }

    /// Increments in their order, and nothing after the end.
    fn expect_captures_in_order(&self) {
        let mut next: BTreeMap<u64, u64> = BTreeMap::new();
        let mut ended: BTreeMap<u64, bool> = BTreeMap::new();
        for message in &self.0 {
            let params = &message["params"];
            let Some(id) = params["captureId"].as_u64() else {
                continue;
            };
            // A file of a flight recorder is complete when it is reported.
            if params.get("flightId").is_some() {
                continue;
            }
            assert!(!ended.contains_key(&id), "told after its end: {message}");
            match message["method"].as_str() {
                Some("extrospect/capture/ended") => {
                    ended.insert(id, true);
                }
                Some("extrospect/capture/increment") => {
                    let sequence = params["sequence"].as_u64().expect("a number");
                    assert_eq!(sequence, next.get(&id).copied().unwrap_or(0), "{message}");
                    next.insert(id, sequence + 1);
                }
                Some("extrospect/capture/resync") => {
                    let sequence = params["nextSequence"].as_u64().expect("a number");
                    next.insert(id, sequence);
                }
                other => panic!("{other:?} is about a capture"),
            }
        }
    }
}

/// Ids that one request alone has, and whether it came before the end of the conversation.
fn asked_once(sent: &[Value]) -> BTreeMap<String, bool> {
    let mut counts: BTreeMap<String, (u32, bool)> = BTreeMap::new();
    let mut is_over = false;
    for message in sent {
        if message["method"] == "exit" && message.get("id").is_none() {
            is_over = true;
        }
        let (Some(id), Some(_)) = (message.get("id"), message.get("method")) else {
            continue;
        };
        let entry = counts.entry(id.to_string()).or_insert((0, !is_over));
        entry.0 += 1;
    }
    let once = counts.into_iter().filter(|(_, (count, _))| *count == 1);
    once.map(|(id, (_, is_taken))| (id, is_taken)).collect()
}
