//! JSON-RPC 2.0 as MCP uses it: what is sent, and what a message of a server is.

use serde_json::{Value, json};
use text::Clean;

use super::Trouble;

/// The most characters of a server's own words in a message for people.
pub(super) const MOST_WORDS: usize = 400;

/// A message of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// An answer to the request of this number.
    Answer(u64, Result<Value, Trouble>),
    /// A request of its own, with its id.
    Request(Value, String),
    /// Something that it tells.
    Told(String),
    /// None of these.
    Strange,
}

/// The messages of a line or a body: one, or several where a server still sends batches.
pub(super) fn messages(text: &[u8]) -> Vec<Message> {
    match serde_json::from_slice::<Value>(text) {
        Ok(Value::Array(all)) => all.iter().map(message).collect(),
        Ok(one) => vec![message(&one)],
        Err(_) => vec![Message::Strange],
    }
}

fn message(value: &Value) -> Message {
    match (value["method"].as_str(), value.get("id")) {
        (Some(method), None | Some(Value::Null)) => Message::Told(method.to_owned()),
        (Some(method), Some(id)) => Message::Request(id.clone(), method.to_owned()),
        (None, Some(id)) => match (id.as_u64(), value.get("result"), value.get("error")) {
            (Some(id), _, Some(error)) if error.is_object() => {
                let message = words(error["message"].as_str().unwrap_or("without a message"));
                Message::Answer(id, Err(Trouble::Refused { code: error["code"].as_i64().unwrap_or(0), message }))
            }
            (Some(id), Some(result), _) if result.is_object() => Message::Answer(id, Ok(result.clone())),
            (Some(id), ..) => {
                Message::Answer(id, Err(Trouble::Wrong("its answer has neither a result nor an error".into())))
            }
            (None, ..) => Message::Strange,
        },
        (None, None) => Message::Strange,
    }
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    match params {
        Value::Null => json!({ "jsonrpc": "2.0", "method": method }),
        params => json!({ "jsonrpc": "2.0", "method": method, "params": params }),
    }
}

/// The word that a request is given up.
pub(super) fn cancelled(id: u64) -> Value {
    notification("notifications/cancelled", &json!({ "requestId": id, "reason": "it is not waited for any more" }))
}

/// The answer to a request of a server: it is told that we are there, and that nothing else is on offer.
pub(super) fn answer(id: &Value, method: &str) -> Value {
    match method {
        "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
        _ => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "not offered here" } }),
    }
}

/// Words of a server on one line, cut where they are long.
pub(super) fn words(said: &str) -> String {
    let line = Clean::line(said);
    match line.char_indices().nth(MOST_WORDS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever bytes a server sends, they are messages or none.
        #[test]
        fn any_bytes_are_read(line in "[\\[\\]{}\",:0-9a-z\\x00-\\x1f]{0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            for line in [line.as_bytes(), &bytes] {
                let strange = messages(line).iter().all(|message| *message == Message::Strange);
                prop_assert!(strange || serde_json::from_slice::<Value>(line).is_ok());
            }
        }
    }

    #[test]
    fn a_message_is_what_it_is_and_a_lie_is_none() {
        let refused = |code, message: &str| Trouble::Refused { code, message: message.into() };
        let no_result = || Trouble::Wrong("its answer has neither a result nor an error".into());
        for (line, is) in [
            (r#"{"id":1,"result":{}}"#, vec![Message::Answer(1, Ok(json!({})))]),
            (
                r#"{"id":1,"error":{"code":-3,"message":"\u001b[31mno"}}"#,
                vec![Message::Answer(1, Err(refused(-3, "no")))],
            ),
            (r#"{"id":1,"error":{}}"#, vec![Message::Answer(1, Err(refused(0, "without a message")))]),
            (r#"{"id":1,"result":[]}"#, vec![Message::Answer(1, Err(no_result()))]),
            (r#"{"id":1}"#, vec![Message::Answer(1, Err(no_result()))]),
            (r#"{"id":"1","result":{}}"#, vec![Message::Strange]),
            (r#"{"id":-1,"result":{}}"#, vec![Message::Strange]),
            (r#"{"id":null,"result":{}}"#, vec![Message::Strange]),
            (r#"{"id":"a","method":"ping"}"#, vec![Message::Request(json!("a"), "ping".into())]),
            (r#"{"method":"x"}"#, vec![Message::Told("x".into())]),
            (
                r#"[{"method":"x"},{"id":2,"result":{}}]"#,
                vec![Message::Told("x".into()), Message::Answer(2, Ok(json!({})))],
            ),
            ("[]", vec![]),
            ("7", vec![Message::Strange]),
            ("Server running on stdio", vec![Message::Strange]),
        ] {
            assert_eq!(messages(line.as_bytes()), is, "{line}");
        }
        assert_eq!(answer(&json!("a"), "ping")["result"], json!({}));
        assert_eq!(answer(&json!(7), "sampling/createMessage")["error"]["code"], json!(-32601));
        assert_eq!(words(&"x".repeat(1_000)).chars().count(), MOST_WORDS + 1);
    }
}
