//! What the body of an error says, in whichever of its shapes it comes.

use serde_json::Value;

use text::Clean;

/// What the body of an error says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Whether it is JSON at all.
    pub is_json: bool,
    /// The words for a person.
    pub message: Option<String>,
    /// Everything in it that is a code or a kind, in small letters.
    pub codes: Vec<String>,
    /// A status that it gives.
    pub status: Option<u16>,
    /// A wait that it asks for, as it is written.
    pub retry_delay: Option<String>,
    /// The server's name for the request.
    pub request_id: Option<String>,
}

impl Said {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Said {
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            return Said { is_json: true, ..Said::of(&value) };
        }
        let text = String::from_utf8_lossy(body);
        let message = match text.trim_start().starts_with('<') {
            true => title(&text),
            false => Some(text.trim().to_owned()),
        };
        Said { message: message.filter(|message| !message.is_empty()), ..Said::default() }
    }

    /// Reads JSON: an object with an `error`, a list of such, an error without a cover, or what a validator found.
    pub fn of(value: &Value) -> Said {
        let outer = match value {
            Value::Array(items) => items.first().unwrap_or(value),
            _ => value,
        };
        let error = outer.get("error").filter(|error| !error.is_null()).unwrap_or(outer);
        let mut said = Said { is_json: true, ..Said::default() };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        said.message = text(error)
            .or_else(|| text(&error["message"]))
            .or_else(|| text(&outer["message"]))
            .or_else(|| text(&outer["detail"]))
            .or_else(|| found(&outer["detail"]));
        let metadata = &error["metadata"];
        // A gateway tucks away what the provider behind it said.
        if let Some(behind) = metadata["raw"].as_str() {
            let message = said.message.take().unwrap_or_default();
            said.message = Some(format!("{message}: {behind}"));
        }
        let kinds = [
            &error["details"]["error_code"],
            &error["code"],
            &error["type"],
            &error["status"],
            &metadata["error_type"],
            &metadata["provider_code"],
        ];
        said.codes = kinds.iter().filter_map(|kind| kind.as_str()).map(str::to_lowercase).collect();
        let number = error["code"].as_u64().or_else(|| error["code"].as_str()?.parse().ok());
        said.status = number.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
        let details = error["details"].as_array().into_iter().flatten();
        let delay = |detail: &Value| detail["retryDelay"].as_str().map(str::to_owned);
        let reasons = details.clone().filter_map(|detail| detail["reason"].as_str()).map(str::to_lowercase);
        said.codes.extend(reasons);
        said.retry_delay = details.filter_map(delay).next();
        said.request_id = text(&outer["request_id"]).map(|id| Clean::line(&id).to_string());
        said
    }
}

/// What a validator found: where, and what.
fn found(detail: &Value) -> Option<String> {
    let first = detail.as_array()?.first()?;
    let place = first["loc"].as_array().into_iter().flatten().map(|part| match part {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    });
    Some(format!("{}: {}", place.collect::<Vec<_>>().join("."), first["msg"].as_str()?))
}

/// The title of an HTML page.
fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(format!("a web page, \u{201c}{}\u{201d}", page[start..end].trim()))
}

/// Words of a server as they are shown: one line, cleaned, cut, without a full stop of their own.
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
            assert_eq!(Said::read(body.as_bytes()).message.as_deref(), Some(message), "{body}");
        }
        for body in ["", "[]", "{}", "null", "7", "<html>", r#"{"error":{}}"#, r#"{"error":null}"#] {
            assert_eq!(Said::read(body.as_bytes()).message, None, "{body}");
        }
    }
}
