//! Classifies a failure that a server reports: by its error code, then by its status, and without a code by its text.

use super::error_body::ErrorBody;
use run::attempt::Class;

/// Error codes by class, separated by spaces; they count for any status.
const CODES: &[(Class, &str)] = &[
    (
        Class::OutOfCredit,
        "insufficient_quota credit_balance_exhausted organization_spend_limit_exceeded project_spend_limit_exceeded \
         organization_usage_limit_exceeded enforced_spend_limit_reached contract_spend_limit_reached \
         billing_hard_limit_reached billing_not_active billing_error payment_required",
    ),
    (Class::TooLong, "context_length_exceeded exceed_context_size_error token_limit_exceeded string_too_long"),
    (Class::Stale, "invalid_encrypted_content"),
    (Class::NoSuchModel, "model_not_found"),
    (Class::KeyRefused, "authentication_error invalid_api_key authentication api_key_invalid"),
    (
        Class::Forbidden,
        "permission_error permission_denied unsupported_country_region_territory insufficient_permissions",
    ),
    (Class::Throttled, "rate_limit_error rate_limit_exceeded ramp_limit_exceeded resource_exhausted"),
    (
        Class::Overloaded,
        "overloaded_error server_is_overloaded slow_down provider_overloaded provider_unavailable unavailable_error \
         unavailable insufficient_system_resource",
    ),
    (Class::TimedOut, "timeout_error timeout deadline_exceeded"),
    (Class::TooLarge, "request_too_large payload_too_large"),
    (Class::Protocol, "tool_use_failed"),
    (Class::Conflict, "conflict_error"),
    (Class::Malformed, "invalid_request_error invalid_request invalid_prompt content_policy_violation refusal"),
    (Class::Server, "api_error server_error internal_error internal_server_error error"),
];

/// Texts of messages that come without a code.
const PHRASES: &[(Class, &[&str])] = &[
    (Class::OutOfCredit, &["specified api usage limits", "credit balance is too low"]),
    (
        Class::TooLong,
        &[
            "prompt is too long",
            "context length",
            "context window",
            "available context size",
            "input length and `max_tokens` exceed",
        ],
    ),
    (Class::Stale, &["invalid `signature` in `thinking` block", "without its required 'reasoning' item"]),
    (Class::KeyRefused, &["api key not valid"]),
    (Class::NoSuchModel, &["is not a valid model id"]),
];

pub(super) fn class_by_codes(body: &ErrorBody) -> Option<Class> {
    let has = |known: &str| body.codes.iter().any(|code| code == known);
    CODES.iter().find(|(_, codes)| codes.split(' ').any(has)).map(|(class, _)| *class)
}

pub(super) fn class_of(status: u16, body: &ErrorBody) -> Class {
    let by_code = class_by_codes(body);
    let message = body.message.as_deref().unwrap_or_default().to_lowercase();
    let by_words =
        || PHRASES.iter().find(|(_, words)| words.iter().any(|w| message.contains(w))).map(|(class, _)| *class);
    match (status, by_code) {
        // For any status: trying again cannot help.
        (_, Some(class @ (Class::OutOfCredit | Class::TooLong | Class::Stale | Class::NoSuchModel))) => class,
        (400 | 403 | 413 | 422 | 429 | 500, _) if by_words().is_some() => by_words().unwrap_or(Class::Malformed),
        (400, Some(class @ (Class::KeyRefused | Class::Protocol))) => class,
        (401, _) => Class::KeyRefused,
        (402, _) => Class::OutOfCredit,
        // The provider's content filter: another request may pass.
        (403, Some(Class::Malformed)) => Class::Malformed,
        (403, _) => Class::Forbidden,
        (404, _) => Class::NoSuchModel,
        (407, _) => Class::Proxy,
        (408 | 499 | 504 | 522 | 524, _) => Class::TimedOut,
        (409, _) => Class::Conflict,
        (413, _) => Class::TooLarge,
        (429, _) => Class::Throttled,
        (498 | 503 | 529, _) => Class::Overloaded,
        (500.., Some(class @ (Class::Overloaded | Class::Throttled | Class::TimedOut))) => class,
        (501 | 505, _) => Class::Malformed,
        (500.., _) => Class::Server,
        _ => Class::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_refusal_means_is_told_by_its_code_and_then_by_its_status() {
        let anthropic = |kind: &str| format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"m"}}}}"#);
        let spend = r#"{"type":"error","error":{"type":"rate_limit_error","message":"m",
            "details":{"error_code":"enforced_spend_limit_reached"}}}"#;
        let usage_limit = r#"{"type":"error","error":{"type":"invalid_request_error",
            "message":"You have reached your specified API usage limits. You will regain access on 2026-12-01"}}"#;
        let openai = |code: &str| format!(r#"{{"error":{{"message":"m","type":"t","param":null,"code":"{code}"}}}}"#);
        let gemini = r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",
            "status":"INVALID_ARGUMENT"}}]"#;
        let table: &[(&str, u16, String, Class)] = &[
            ("anthropic", 400, anthropic("invalid_request_error"), Class::Malformed),
            ("anthropic", 400, usage_limit.into(), Class::OutOfCredit),
            ("anthropic", 401, anthropic("authentication_error"), Class::KeyRefused),
            ("anthropic", 402, anthropic("billing_error"), Class::OutOfCredit),
            ("anthropic", 403, anthropic("permission_error"), Class::Forbidden),
            ("anthropic", 404, anthropic("not_found_error"), Class::NoSuchModel),
            ("anthropic", 409, anthropic("conflict_error"), Class::Conflict),
            ("anthropic", 413, "<html><title>413 Too Large</title></html>".into(), Class::TooLarge),
            ("anthropic", 429, anthropic("rate_limit_error"), Class::Throttled),
            ("anthropic", 429, spend.into(), Class::OutOfCredit),
            ("anthropic", 500, anthropic("api_error"), Class::Server),
            ("anthropic", 500, anthropic("overloaded_error"), Class::Overloaded),
            ("anthropic", 504, anthropic("timeout_error"), Class::TimedOut),
            ("anthropic", 529, anthropic("overloaded_error"), Class::Overloaded),
            ("openai", 400, openai("context_length_exceeded"), Class::TooLong),
            ("openai", 400, openai("unsupported_parameter"), Class::Malformed),
            ("openai", 400, openai("invalid_encrypted_content"), Class::Stale),
            ("openai", 400, r#"{"error":{"message":"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.","type":"invalid_request_error","code":null}}"#.into(), Class::Stale),
            ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#.into(), Class::Stale),
            ("openai", 401, openai("invalid_api_key"), Class::KeyRefused),
            ("openai", 403, openai("unsupported_country_region_territory"), Class::Forbidden),
            ("openai", 404, openai("model_not_found"), Class::NoSuchModel),
            ("openai", 408, String::new(), Class::TimedOut),
            ("openai", 422, openai("x"), Class::Malformed),
            ("openai", 424, openai("x"), Class::Malformed),
            ("openai", 429, openai("rate_limit_exceeded"), Class::Throttled),
            ("openai", 429, openai("insufficient_quota"), Class::OutOfCredit),
            ("openai", 429, openai("credit_balance_exhausted"), Class::OutOfCredit),
            ("openai", 429, String::new(), Class::Throttled),
            ("openai", 502, "<html>Bad Gateway</html>".into(), Class::Server),
            ("openai", 503, openai("slow_down"), Class::Overloaded),
            ("openai", 520, String::new(), Class::Server),
            ("openai", 418, String::new(), Class::Malformed),
            ("openrouter", 402, r#"{"error":{"code":402,"message":"m"}}"#.into(), Class::OutOfCredit),
            ("openrouter", 403, r#"{"error":{"code":403,"message":"m","metadata":{"error_type":"content_policy_violation"}}}"#.into(), Class::Malformed),
            ("openrouter", 400, r#"{"error":{"code":400,"message":"x is not a valid model ID"}}"#.into(), Class::NoSuchModel),
            ("openrouter", 524, r#"{"error":{"code":524,"message":"m"}}"#.into(), Class::TimedOut),
            ("gemini", 400, gemini.into(), Class::KeyRefused),
            ("groq", 400, openai("tool_use_failed"), Class::Protocol),
            ("groq", 498, openai("flex"), Class::Overloaded),
            ("mistral", 422, r#"{"detail":[{"loc":["body","x"],"msg":"Extra inputs are not permitted","type":"extra"}]}"#.into(), Class::Malformed),
            ("llamacpp", 503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#.into(), Class::Overloaded),
            ("llamacpp", 400, r#"{"error":{"code":400,"message":"m","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}"#.into(), Class::TooLong),
            ("ollama", 404, r#"{"error":{"message":"model 'x' not found","type":"api_error"}}"#.into(), Class::NoSuchModel),
            ("openai", 407, String::new(), Class::Proxy),
        ];
        for (name, status, body, class) in table {
            assert_eq!(class_of(*status, &ErrorBody::read(body.as_bytes())), *class, "{name} {status} {body}");
        }
    }
}
