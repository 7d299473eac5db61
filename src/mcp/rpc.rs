//! The messages of a connection: what a server sends, made messages of `rmcp`, and what it is sent, as bytes.
//!
//! A server is read more leniently than `rmcp` reads it: an answer stays as it came. One wrong field of one tool then costs
//! that tool and not the list, and the digests of approved tools are made of what was sent.

use rmcp::ErrorData;
use rmcp::model::{
    ClientNotification, ClientRequest, CustomRequest, CustomResult, ErrorCode, GetExtensions, Implementation,
    InitializeResult, PingRequest, ProtocolVersion, RequestId, RequestMetaObject, ServerCapabilities, ServerRequest,
    ServerResult,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;
use text::Clean;

use super::Trouble;

/// The most characters of a server's own words in a message for people.
pub(super) const MOST_WORDS: usize = 400;

/// A message of a server.
pub(super) type Incoming = RxJsonRpcMessage<RoleClient>;
/// A message to a server.
pub(super) type Outgoing = TxJsonRpcMessage<RoleClient>;

/// A message of a server, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// An answer to the request of this number: its result, null where there is none, or an error.
    Answer(i64, Result<Value, ErrorData>),
    /// A request of its own: its id and its method.
    Request(RequestId, String),
    /// It says that its tools have changed.
    ToolsChanged,
    /// Something else that it tells.
    Told,
    /// None of these.
    Strange,
}

/// The messages of a line or a body: one, or several where a server still sends batches.
pub(super) fn messages(text: &[u8]) -> Vec<Message> {
    match serde_json::from_slice::<Value>(text) {
        Ok(Value::Array(all)) => all.into_iter().map(message).collect(),
        Ok(one) => vec![message(one)],
        Err(_) => vec![Message::Strange],
    }
}

fn message(mut value: Value) -> Message {
    match (value["method"].as_str(), value.get("id")) {
        (Some("notifications/tools/list_changed"), None | Some(Value::Null)) => Message::ToolsChanged,
        (Some(_), None | Some(Value::Null)) => Message::Told,
        (Some(method), Some(id)) => match serde_json::from_value(id.clone()) {
            Ok(id) => Message::Request(id, method.to_owned()),
            Err(_) => Message::Strange,
        },
        (None, Some(id)) => match (id.as_i64(), value.get("error")) {
            (Some(id), Some(error)) if error.is_object() => Message::Answer(id, Err(error_of_theirs(error))),
            (Some(id), _) => Message::Answer(id, Ok(value.get_mut("result").map(Value::take).unwrap_or_default())),
            (None, _) => Message::Strange,
        },
        (None, None) => Message::Strange,
    }
}

fn error_of_theirs(error: &Value) -> ErrorData {
    let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(0);
    ErrorData::new(ErrorCode(code), words(error["message"].as_str().unwrap_or("without a message")), None)
}

/// A request of a server as `rmcp` takes it. What it asks for is not read: nothing is on offer but a sign of life.
pub(super) fn request(id: RequestId, method: String) -> Incoming {
    let request = match method.as_str() {
        "ping" => ServerRequest::PingRequest(PingRequest::default()),
        _ => ServerRequest::CustomRequest(CustomRequest::new(method, None)),
    };
    Incoming::request(request, id)
}

/// An answer as `rmcp` takes it: typed where the handshake was answered, else as it came.
pub(super) fn answer(id: i64, is_handshake: bool, answer: Result<Value, ErrorData>) -> Incoming {
    let id = RequestId::Number(id);
    match answer {
        Err(error) => Incoming::error(error, Some(id)),
        Ok(result) if is_handshake && result.is_object() => {
            let agreed = InitializeResult::new(ServerCapabilities::default())
                .with_protocol_version(version(agreed_on(&result)))
                .with_server_info(Implementation::new("", ""));
            Incoming::response(ServerResult::InitializeResult(agreed), id)
        }
        Ok(result) => Incoming::response(ServerResult::CustomResult(CustomResult::new(result)), id),
    }
}

/// The version of the protocol that an answer to the handshake names.
pub(super) fn agreed_on(result: &Value) -> &str {
    result["protocolVersion"].as_str().unwrap_or_default()
}

/// A version of the protocol: any text may be one, and which are spoken is asked later.
pub(super) fn version(name: &str) -> ProtocolVersion {
    serde_json::from_value(name.into()).unwrap_or_default()
}

/// A message to a server, as it is sent.
pub(super) struct Sent {
    /// Its bytes, on one line without its end.
    pub bytes: Vec<u8>,
    pub meaning: Meaning,
}

/// The meaning of a message to a server, as far as a transport has to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The request of this number.
    Asks { id: i64, is_handshake: bool },
    /// It calls the request of this number off.
    CallsOff(i64),
    /// Anything else.
    Tells,
}

impl Sent {
    pub fn new(mut message: Outgoing) -> Result<Sent, Trouble> {
        let meaning = match &mut message {
            Outgoing::Request(asks) => {
                // A token would have it report on its progress, and nobody here follows that.
                asks.request.extensions_mut().remove::<RequestMetaObject>();
                let is_handshake = matches!(asks.request, ClientRequest::InitializeRequest(_));
                match asks.id {
                    RequestId::Number(id) => Meaning::Asks { id, is_handshake },
                    RequestId::String(_) => Meaning::Tells,
                }
            }
            Outgoing::Notification(tells) => match &tells.notification {
                ClientNotification::CancelledNotification(cancelled) => match cancelled.params.request_id {
                    Some(RequestId::Number(id)) => Meaning::CallsOff(id),
                    _ => Meaning::Tells,
                },
                _ => Meaning::Tells,
            },
            Outgoing::Response(_) | Outgoing::Error(_) => Meaning::Tells,
        };
        let bytes = serde_json::to_vec(&message);
        let bytes = bytes.map_err(|error| Trouble::Wrong(format!("a message to it cannot be written: {error}")))?;
        Ok(Sent { bytes, meaning })
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
    use rmcp::model::{
        CancelledNotification, CancelledNotificationParam, ClientResult, GetMeta, NumberOrString, ProgressToken,
    };
    use serde_json::json;

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
        let refused = |id, code, message: &str| {
            Message::Answer(id, Err(ErrorData::new(ErrorCode(code), message.to_owned(), None)))
        };
        for (line, is) in [
            (r#"{"id":1,"result":{}}"#, vec![Message::Answer(1, Ok(json!({})))]),
            (r#"{"id":1,"error":{"code":-3,"message":"\u001b[31mno"}}"#, vec![refused(1, -3, "no")]),
            (r#"{"id":1,"error":{"code":99999999999}}"#, vec![refused(1, 0, "without a message")]),
            (r#"{"id":1,"result":[]}"#, vec![Message::Answer(1, Ok(json!([])))]),
            (r#"{"id":1}"#, vec![Message::Answer(1, Ok(Value::Null))]),
            (r#"{"id":"1","result":{}}"#, vec![Message::Strange]),
            (r#"{"id":1.5,"result":{}}"#, vec![Message::Strange]),
            (r#"{"id":null,"result":{}}"#, vec![Message::Strange]),
            (r#"{"id":"a","method":"ping"}"#, vec![Message::Request(RequestId::String("a".into()), "ping".into())]),
            (r#"{"id":[],"method":"ping"}"#, vec![Message::Strange]),
            (r#"{"method":"x"}"#, vec![Message::Told]),
            (
                r#"[{"method":"notifications/tools/list_changed"},{"id":2,"result":{}}]"#,
                vec![Message::ToolsChanged, Message::Answer(2, Ok(json!({})))],
            ),
            ("[]", vec![]),
            ("7", vec![Message::Strange]),
            ("Server running on stdio", vec![Message::Strange]),
        ] {
            assert_eq!(messages(line.as_bytes()), is, "{line}");
        }
        assert_eq!(words(&"x".repeat(1_000)).chars().count(), MOST_WORDS + 1);
    }

    #[test]
    fn what_is_sent_is_a_line_without_a_token_for_progress_and_known_by_its_number() {
        let mut asks =
            ClientRequest::CustomRequest(CustomRequest::new("tools/list", Some(json!({ "cursor": "more" }))));
        asks.get_meta_mut().set_progress_token(ProgressToken(NumberOrString::Number(3)));
        let cancelled = CancelledNotificationParam::new(Some(RequestId::Number(7)), None);
        let cancelled = ClientNotification::CancelledNotification(CancelledNotification::new(cancelled));
        for (message, bytes, meaning) in [
            (
                Outgoing::request(asks, RequestId::Number(7)),
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"more"}}"#,
                Meaning::Asks { id: 7, is_handshake: false },
            ),
            (
                Outgoing::notification(cancelled),
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
                Meaning::CallsOff(7),
            ),
            (
                Outgoing::response(ClientResult::empty(()), RequestId::String("a".into())),
                r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
                Meaning::Tells,
            ),
        ] {
            let sent = Sent::new(message).unwrap();
            assert_eq!((String::from_utf8(sent.bytes).unwrap().as_str(), sent.meaning), (bytes, meaning));
        }
    }
}
