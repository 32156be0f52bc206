//! From the bytes of one body to a request, a notification or a response.

use lsp_server::{Notification, Request, RequestId};
use protocol::error::{INVALID_REQUEST, PARSE_ERROR};
use serde_json::{Map, Value};

/// What one body holds.
#[derive(Debug)]
pub enum Incoming {
    /// To be answered.
    Request(Request),
    /// Not to be answered.
    Notification(Notification),
    /// An answer; the helper sends no requests, so no caller waits for it.
    Response,
    /// None of these; the answer is an error.
    Invalid(Invalid),
}

/// A body that is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Error code: no JSON, or no request.
    pub code: i32,
    /// The request's id, if it is known.
    pub id: Option<RequestId>,
    /// The defect.
    pub why: String,
}

/// Reads one body. Never panics; nesting is bounded by the JSON parser.
pub fn classify(body: &[u8]) -> Incoming {
    match named_members::from_slice::<Value>(body) {
        Ok(Value::Object(members)) => classify_object(members),
        Ok(Value::Array(_)) => invalid(None, "batches are not supported: send one by one"),
        Ok(_) => invalid(None, "a message is a JSON object"),
        Err(error) => Incoming::Invalid(Invalid {
            code: PARSE_ERROR,
            id: None,
            why: format!("the message is not JSON: {error}"),
        }),
    }
}

fn classify_object(mut members: Map<String, Value>) -> Incoming {
    let id = members.remove("id");
    let known_id = id.as_ref().and_then(request_id);
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(known_id, "the member \"jsonrpc\" must be \"2.0\"");
    }
    let Some(method) = members.remove("method") else {
        return if members.contains_key("result") || members.contains_key("error") {
            Incoming::Response
        } else {
            invalid(known_id, "the member \"method\" is missing")
        };
    };
    let Value::String(method) = method else {
        return invalid(known_id, "the member \"method\" must be a string");
    };
    let params = members.remove("params").unwrap_or_default();
    match (id, known_id) {
        (None, _) => Incoming::Notification(Notification { method, params }),
        (Some(_), Some(id)) => Incoming::Request(Request { id, method, params }),
        (Some(_), None) => invalid(
            None,
            "the member \"id\" must be a 32-bit integer or a string",
        ),
    }
}

fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => Some(RequestId::from(text.clone())),
        Value::Number(number) => {
            let number = number
                .as_i64()
                .and_then(|number| i32::try_from(number).ok())?;
            Some(RequestId::from(number))
        }
        _ => None,
    }
}

fn invalid(id: Option<RequestId>, why: &str) -> Incoming {
    Incoming::Invalid(Invalid {
        code: INVALID_REQUEST,
        id,
        why: why.to_owned(),
    })
}
