//! Bodies of outgoing messages, as JSON text. A result becomes text in the thread that works on its request: as a tree
//! of values it would take several times the memory, and each type of a result a second serializer.

use lsp_server::RequestId;
use protocol::method::Notification;
use serde::Serialize;

use crate::failure::ReplyError;

/// A JSON value as text.
#[derive(Debug, Clone)]
pub(crate) struct Json(Vec<u8>);

impl Json {
    /// # Errors
    /// When `value` has a map whose keys are no text.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_vec(value).map(Self)
    }

    pub fn null() -> Self {
        Self(b"null".to_vec())
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

pub(crate) fn notification<N: Notification>(params: &N::Params) -> serde_json::Result<Json>
where
    N::Params: Serialize,
{
    let method = Json::of(&N::METHOD)?;
    Ok(message(&[
        ("method", &method),
        ("params", &Json::of(params)?),
    ]))
}

pub(crate) fn answer(id: &RequestId, result: &Json) -> serde_json::Result<Json> {
    Ok(message(&[("id", &Json::of(id)?), ("result", result)]))
}

/// Without an id, which is null then, where the request's could not be read.
pub(crate) fn error(id: Option<&RequestId>, error: &ReplyError) -> serde_json::Result<Json> {
    Ok(message(&[
        ("id", &Json::of(&id)?),
        ("error", &Json::of(error)?),
    ]))
}

fn message(members: &[(&str, &Json)]) -> Json {
    let length = members
        .iter()
        .map(|(name, value)| name.len() + value.0.len());
    let mut text = Vec::with_capacity(length.sum::<usize>() + 32);
    text.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    for (name, value) in members {
        text.extend_from_slice(b",\"");
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":");
        text.extend_from_slice(&value.0);
    }
    text.push(b'}');
    Json(text)
}

#[cfg(test)]
mod tests {
    use protocol::lifecycle::LogTraceParams;
    use protocol::method::LogTrace;

    use super::*;
    use crate::failure::{Failure, FailureKind};

    fn value(body: &Json) -> serde_json::Value {
        serde_json::from_slice(body.bytes()).unwrap()
    }

    #[test]
    fn each_kind_of_message_is_one_json_object() {
        let result = Json::of(&["a \"quoted\" text", "\u{7}"]).unwrap();
        assert_eq!(
            value(&answer(&RequestId::from("a\"b".to_owned()), &result).unwrap()),
            serde_json::json!({"jsonrpc": "2.0", "id": "a\"b", "result": ["a \"quoted\" text", "\u{7}"]})
        );
        assert_eq!(
            value(&answer(&RequestId::from(7), &Json::null()).unwrap()),
            serde_json::json!({"jsonrpc": "2.0", "id": 7, "result": null})
        );
        let message = LogTraceParams {
            message: "a \"quoted\" text".to_owned(),
        };
        assert_eq!(
            value(&notification::<LogTrace>(&message).unwrap()),
            serde_json::json!({"jsonrpc": "2.0", "method": "$/logTrace", "params": message})
        );
    }

    #[test]
    fn an_error_has_its_data_and_an_id_or_null() {
        let failure = Failure::new(FailureKind::TargetGone, "it \"failed\"", "late", "retry");
        let without = value(&error(None, &failure.reply_error()).unwrap());
        assert_eq!(without["id"], serde_json::Value::Null);
        assert_eq!(without["error"]["message"], "it \"failed\": late");
        assert_eq!(without["error"]["data"]["exitCode"], 5);
        let with = value(&error(Some(&RequestId::from(3)), &failure.reply_error()).unwrap());
        assert_eq!(
            (&with["id"], &with["error"]),
            (&serde_json::json!(3), &without["error"])
        );
    }
}
