//! Reads error bodies of providers in all their shapes.

use serde_json::Value;

use text::Clean;

/// The facts that an error response gives of the error. All of it is optional: providers and the proxies before them differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ErrorBody {
    /// Whether it is JSON, and not a page of a proxy.
    pub is_json: bool,
    /// Its message for a person.
    pub message: Option<String>,
    /// All its codes and kinds, in lower case.
    pub codes: Vec<String>,
    /// The status that it repeats, or has in place of the response's.
    pub status: Option<u16>,
    /// The wait it asks for, as written.
    pub retry_delay: Option<String>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
}

impl ErrorBody {
    /// Reads a body of any form; text that is no JSON becomes the message.
    pub fn read(body: &[u8]) -> ErrorBody {
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            return ErrorBody { is_json: true, ..ErrorBody::of(&value) };
        }
        let text = String::from_utf8_lossy(body);
        let message = match text.trim_start().starts_with('<') {
            true => title(&text),
            false => Some(text.trim().to_owned()),
        };
        ErrorBody { message: message.filter(|message| !message.is_empty()), ..ErrorBody::default() }
    }

    /// Reads JSON: an object with `error`, a list of them, a bare error, or a validation error.
    pub fn of(value: &Value) -> ErrorBody {
        let outer = match value {
            Value::Array(items) => items.first().unwrap_or(value),
            _ => value,
        };
        let error = outer.get("error").filter(|error| !error.is_null()).unwrap_or(outer);
        let mut body = ErrorBody { is_json: true, ..ErrorBody::default() };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        body.message = text(error)
            .or_else(|| text(&error["message"]))
            .or_else(|| text(&outer["message"]))
            .or_else(|| text(&outer["detail"]))
            .or_else(|| found(&outer["detail"]));
        let metadata = &error["metadata"];
        // A gateway puts the upstream provider's message here.
        if let Some(behind) = metadata["raw"].as_str() {
            let message = body.message.take().unwrap_or_default();
            body.message = Some(format!("{message}: {behind}"));
        }
        let kinds = [
            &error["details"]["error_code"],
            &error["code"],
            &error["type"],
            &error["status"],
            &metadata["error_type"],
            &metadata["provider_code"],
        ];
        body.codes = kinds.iter().filter_map(|kind| kind.as_str()).map(str::to_lowercase).collect();
        let number = error["code"].as_u64().or_else(|| error["code"].as_str()?.parse().ok());
        body.status = number.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
        let details = error["details"].as_array().into_iter().flatten();
        let delay = |detail: &Value| detail["retryDelay"].as_str().map(str::to_owned);
        let reasons = details.clone().filter_map(|detail| detail["reason"].as_str()).map(str::to_lowercase);
        body.codes.extend(reasons);
        body.retry_delay = details.filter_map(delay).next();
        body.request_id = text(&outer["request_id"]).map(|id| Clean::line(&id).to_string());
        body
    }
}

/// The first validation error: its place and message.
fn found(detail: &Value) -> Option<String> {
    let first = detail.as_array()?.first()?;
    let place = first["loc"].as_array().into_iter().flatten().map(|part| match part {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    });
    Some(format!("{}: {}", place.collect::<Vec<_>>().join("."), first["msg"].as_str()?))
}

fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(format!("a web page, \u{201c}{}\u{201d}", page[start..end].trim()))
}

/// A server's message as it is shown: one line, cleaned, cut to 400 characters, without a final full stop.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 400;
    let line = Clean::line(&text.chars().take(4 * LONGEST).collect::<String>());
    let mut shown: String = line.chars().take(LONGEST).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_an_error_gives_its_words() {
        for (body, message) in [
            (r#"{"type":"error","error":{"type":"x","message":"one"},"request_id":"req_1"}"#, "one"),
            (r#"{"error":{"message":"two","type":"t","code":null}}"#, "two"),
            (r#"[{"error":{"code":400,"message":"three","status":"INVALID_ARGUMENT"}}]"#, "three"),
            (r#"{"error":"four"}"#, "four"),
            (r#"{"object":"error","message":"five","type":"t","code":"3280"}"#, "five"),
            (r#"{"detail":[{"loc":["body","messages",0],"msg":"six","type":"t"}]}"#, "body.messages.0: six"),
            (r#"{"detail":"seven"}"#, "seven"),
            (r#"{"error":{"code":502,"message":"eight","metadata":{"raw":"behind"}}}"#, "eight: behind"),
            ("<html><head><TITLE> nine </TITLE>", "a web page, \u{201c}nine\u{201d}"),
            ("ten", "ten"),
        ] {
            assert_eq!(ErrorBody::read(body.as_bytes()).message.as_deref(), Some(message), "{body}");
        }
        for body in ["", "[]", "{}", "null", "7", "<html>", r#"{"error":{}}"#, r#"{"error":null}"#] {
            assert_eq!(ErrorBody::read(body.as_bytes()).message, None, "{body}");
        }
    }
}
