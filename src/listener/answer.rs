//! Answers in the form of the request: the result for its spans, or a `google.rpc.Status` with the fault, as OTLP has it.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::json;

use crate::{Form, Taken};

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) why: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: why.into() }
    }

    /// The number that gRPC has for it.
    fn code(&self) -> u8 {
        match self.status {
            StatusCode::FORBIDDEN => 7,
            StatusCode::NOT_FOUND => 5,
            StatusCode::METHOD_NOT_ALLOWED => 12,
            StatusCode::PAYLOAD_TOO_LARGE => 8,
            StatusCode::REQUEST_TIMEOUT => 4,
            StatusCode::SERVICE_UNAVAILABLE => 14,
            _ => 3,
        }
    }

    pub(crate) fn response(&self, form: Form) -> Response<Full<Bytes>> {
        let body = match form {
            Form::Json => json!({ "code": self.code(), "message": self.why }).to_string().into_bytes(),
            Form::Protobuf => [vec![0x08, self.code()], bytes(2, self.why.as_bytes())].concat(),
        };
        let mut response = response(self.status, form, body);
        let headers = response.headers_mut();
        match self.status {
            StatusCode::METHOD_NOT_ALLOWED => drop(headers.insert(ALLOW, HeaderValue::from_static("POST"))),
            StatusCode::SERVICE_UNAVAILABLE => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
            // The rest of the body is not read.
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}

/// The answer to a request whose spans were taken in.
pub(crate) fn taken(taken: &Taken, form: Form) -> Response<Full<Bytes>> {
    let body = match (form, taken.rejected) {
        (Form::Json, 0) => b"{}".to_vec(),
        (Form::Json, n) => json!({ "partialSuccess": { "rejectedSpans": n.to_string(), "errorMessage": taken.why } })
            .to_string()
            .into_bytes(),
        (Form::Protobuf, 0) => Vec::new(),
        (Form::Protobuf, n) => {
            bytes(1, &[vec![0x08], telemetry::varint(n as u64), bytes(2, taken.why.as_bytes())].concat())
        }
    };
    response(StatusCode::OK, form, body)
}

fn response(status: StatusCode, form: Form, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(form.media()));
    response
}

/// A field of protobuf that holds bytes.
fn bytes(field: u8, value: &[u8]) -> Vec<u8> {
    [vec![field << 3 | 2], telemetry::varint(value.len() as u64), value.to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(response: Response<Full<Bytes>>) -> Vec<u8> {
        let mut body = response.into_body();
        let frame = std::pin::Pin::new(&mut body);
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
        match hyper::body::Body::poll_frame(frame, context) {
            std::task::Poll::Ready(Some(Ok(frame))) => frame.into_data().unwrap_or_default().to_vec(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn spans_without_room_are_told_as_a_partial_success_in_the_form_of_the_request() {
        let rejected = Taken { rejected: 300, why: "no room".into() };
        let expected = json!({"partialSuccess": {"rejectedSpans": "300", "errorMessage": "no room"}});
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&body(taken(&rejected, Form::Json))).ok(),
            Some(expected)
        );
        let expected = [&[0x0a, 12, 0x08, 0xac, 0x02, 0x12, 7][..], b"no room"].concat();
        assert_eq!(body(taken(&rejected, Form::Protobuf)), expected);
        assert_eq!(body(taken(&Taken::default(), Form::Json)), b"{}");
        assert_eq!(body(taken(&Taken::default(), Form::Protobuf)), b"");
    }
}
