//! The messages of a connection: parses a server's bytes into messages of `rmcp`, and serialises messages to it.
//!
//! Parsing is more lenient than `rmcp`: an answer is kept as received. So one wrong field of one tool costs that tool and not the
//! list, and the digests of approved tools cover the bytes that were sent.

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

/// A parsed message of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// An answer to the request with this number: its result, null if there is none, or an error.
    Answer(i64, Result<Value, ErrorData>),
    /// A request from the server: its id and its method.
    Request(RequestId, String),
    /// Its tools have changed.
    ToolsChanged,
    /// Any other notification.
    Notification,
    /// Not a valid message.
    Invalid,
}

/// The messages of a line or a body: one, or several if a server still sends batches.
pub(super) fn messages(text: &[u8]) -> Vec<Message> {
    match serde_json::from_slice::<Value>(text) {
        Ok(Value::Array(all)) => all.into_iter().map(message).collect(),
        Ok(value) => vec![message(value)],
        Err(_) => vec![Message::Invalid],
    }
}

fn message(mut value: Value) -> Message {
    match (value["method"].as_str(), value.get("id")) {
        (Some("notifications/tools/list_changed"), None | Some(Value::Null)) => Message::ToolsChanged,
        (Some(_), None | Some(Value::Null)) => Message::Notification,
        (Some(method), Some(id)) => match serde_json::from_value(id.clone()) {
            Ok(id) => Message::Request(id, method.to_owned()),
            Err(_) => Message::Invalid,
        },
        (None, Some(id)) => match (id.as_i64(), value.get("error")) {
            (Some(id), Some(error)) if error.is_object() => Message::Answer(id, Err(error_of_theirs(error))),
            (Some(id), _) => Message::Answer(id, Ok(value.get_mut("result").map(Value::take).unwrap_or_default())),
            (None, _) => Message::Invalid,
        },
        (None, None) => Message::Invalid,
    }
}

fn error_of_theirs(error: &Value) -> ErrorData {
    let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(0);
    ErrorData::new(ErrorCode(code), words(error["message"].as_str().unwrap_or("without a message")), None)
}

/// A server's request for `rmcp`. Its parameters are dropped: nothing is offered but a ping.
pub(super) fn request(id: RequestId, method: String) -> Incoming {
    let request = match method.as_str() {
        "ping" => ServerRequest::PingRequest(PingRequest::default()),
        _ => ServerRequest::CustomRequest(CustomRequest::new(method, None)),
    };
    Incoming::request(request, id)
}

/// An answer for `rmcp`: typed for the handshake, else as received.
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

/// The version of the protocol in an answer to the handshake.
pub(super) fn agreed_on(result: &Value) -> &str {
    result["protocolVersion"].as_str().unwrap_or_default()
}

/// A version of the protocol: any text may be one; whether it is supported is checked later.
pub(super) fn version(name: &str) -> ProtocolVersion {
    serde_json::from_value(name.into()).unwrap_or_default()
}

/// A serialised message to a server.
pub(super) struct Sent {
    /// Its bytes, on one line without a line end.
    pub bytes: Vec<u8>,
    /// Its kind.
    pub meaning: Meaning,
}

/// The kind of a message to a server, as far as a transport needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A request with this number.
    Request { id: i64, is_handshake: bool },
    /// The cancellation of the request with this number.
    Cancel(i64),
    /// Anything else.
    Other,
}

impl Sent {
    /// Serialises a message.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn new(mut message: Outgoing) -> Result<Sent, Trouble> {
        let meaning = match &mut message {
            Outgoing::Request(asks) => {
                // A progress token would make it report its progress, which nothing here reads.
                asks.request.extensions_mut().remove::<RequestMetaObject>();
                let is_handshake = matches!(asks.request, ClientRequest::InitializeRequest(_));
                match asks.id {
                    RequestId::Number(id) => Meaning::Request { id, is_handshake },
                    RequestId::String(_) => Meaning::Other,
                }
            }
            Outgoing::Notification(tells) => match &tells.notification {
                ClientNotification::CancelledNotification(cancelled) => match cancelled.params.request_id {
                    Some(RequestId::Number(id)) => Meaning::Cancel(id),
                    _ => Meaning::Other,
                },
                _ => Meaning::Other,
            },
            Outgoing::Response(_) | Outgoing::Error(_) => Meaning::Other,
        };
        let bytes = serde_json::to_vec(&message);
        let bytes = bytes.map_err(|error| Trouble::Wrong(format!("a message to it cannot be written: {error}")))?;
        Ok(Sent { bytes, meaning })
    }
}

/// Text of a server on one line, cut if it is long.
pub(super) fn words(text: &str) -> String {
    let line = Clean::line(text);
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
        /// Any bytes of a server are messages or none.
        #[test]
        fn any_bytes_are_read(line in "[\\[\\]{}\",:0-9a-z\\x00-\\x1f]{0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            for line in [line.as_bytes(), &bytes] {
                let strange = messages(line).iter().all(|message| *message == Message::Invalid);
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
            (r#"{"id":"1","result":{}}"#, vec![Message::Invalid]),
            (r#"{"id":1.5,"result":{}}"#, vec![Message::Invalid]),
            (r#"{"id":null,"result":{}}"#, vec![Message::Invalid]),
            (r#"{"id":"a","method":"ping"}"#, vec![Message::Request(RequestId::String("a".into()), "ping".into())]),
            (r#"{"id":[],"method":"ping"}"#, vec![Message::Invalid]),
            (r#"{"method":"x"}"#, vec![Message::Notification]),
            (
                r#"[{"method":"notifications/tools/list_changed"},{"id":2,"result":{}}]"#,
                vec![Message::ToolsChanged, Message::Answer(2, Ok(json!({})))],
            ),
            ("[]", vec![]),
            ("7", vec![Message::Invalid]),
            ("Server running on stdio", vec![Message::Invalid]),
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
                Meaning::Request { id: 7, is_handshake: false },
            ),
            (
                Outgoing::notification(cancelled),
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
                Meaning::Cancel(7),
            ),
            (
                Outgoing::response(ClientResult::empty(()), RequestId::String("a".into())),
                r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
                Meaning::Other,
            ),
        ] {
            let sent = Sent::new(message).unwrap();
            assert_eq!((String::from_utf8(sent.bytes).unwrap().as_str(), sent.meaning), (bytes, meaning));
        }
    }
}
