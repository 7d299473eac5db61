//! Turns failed attempts into faults: their remedies, and a message for the person that never contains a key.

use std::time::SystemTime;

use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use serde_json::Value;

use super::cause::{certificate, is_tls, proxy_variable, why};
use super::class::{class_by_codes, class_of};
use super::endpoint::Endpoint;
use super::error_body::{ErrorBody, quoted};
use super::limits::{self, RateHeaders};
use run::attempt::{Charge, Class, Fault, Reached};
use text::Clean;

/// The endpoint and model of a request, named in every message about its failure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    /// The provider.
    pub endpoint: &'a Endpoint,
    /// The model; empty for requests that call none.
    pub model: &'a str,
}

impl Scene<'_> {
    /// The fault of an error response.
    pub fn status(&self, status: u16, headers: &HeaderMap, body: &[u8], now: SystemTime) -> Fault {
        if (300..400).contains(&status) {
            return self.redirect(status, headers);
        }
        // A compressed body, which was not asked for, is not read: the status has to do.
        let packed = headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
        let error = if packed { ErrorBody::default() } else { ErrorBody::read(body) };
        let class = class_of(status, &error);
        let rates = RateHeaders::read(headers, now);
        let throttled = matches!(class, Class::Throttled | Class::Overloaded);
        let until_room = || if class == Class::Throttled { rates.until_room() } else { None };
        let from_body = || error.retry_delay.as_deref().and_then(|delay| limits::wait(delay, now));
        let retry_after =
            rates.retry_after.or_else(until_room).or_else(from_body).filter(|_| throttled || status >= 500);
        Fault {
            reached: Reached::Status,
            status: Some(status),
            request_id: request_id(headers).or_else(|| error.request_id.clone().map(Clean::from)),
            retry_after_ms: retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            charge: charge(status, class, class_by_codes(&error)),
            ..Fault::before_sending(class, self.words(class, Some(status), &error))
        }
    }

    /// The fault of an error event within a successful response.
    pub fn reported(&self, body: &Value) -> Fault {
        let error = ErrorBody::of(body);
        let class = match class_by_codes(&error) {
            Some(class) => class,
            None => error.status.map_or(Class::Server, |status| class_of(status, &error)),
        };
        let delay = error.retry_delay.as_deref().and_then(|delay| limits::wait(delay, SystemTime::now()));
        Fault {
            reached: Reached::Accepted,
            request_id: error.request_id.clone().map(Clean::from),
            retry_after_ms: delay.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            charge: if was_refused(class) { Charge::Nothing } else { Charge::Unknown },
            ..Fault::before_sending(class, self.words(class, None, &error))
        }
    }

    /// The fault of a redirect. It is never followed: the key would go with it.
    fn redirect(&self, status: u16, headers: &HeaderMap) -> Fault {
        let to = headers.get("location").and_then(|to| to.to_str().ok()).unwrap_or("somewhere else");
        let to = to.split(['?', '#']).next().unwrap_or_default();
        let what = format!(
            "{} sends the request on to {} ({status}), where the key would go with it: it was not followed. If that \
             is where the API is, make it the base URL{}.",
            self.who(),
            quoted(&self.endpoint.redact(to)),
            self.base_from(),
        );
        Fault {
            reached: Reached::Status,
            status: Some(status),
            request_id: request_id(headers),
            ..Fault::before_sending(Class::Redirected, what.into())
        }
    }

    /// The fault of a request that failed on the network before its answer began.
    pub fn transport(&self, error: &reqwest::Error) -> Fault {
        let (class, reached, what) = self.transport_words(error);
        let charge = if reached == Reached::Nothing { Charge::Nothing } else { Charge::Unknown };
        Fault { reached, charge, ..Fault::before_sending(class, self.endpoint.redact(&what).into()) }
    }

    fn transport_words(&self, error: &reqwest::Error) -> (Class, Reached, String) {
        let who = self.who();
        if error.is_builder() {
            return (
                Class::Malformed,
                Reached::Nothing,
                format!("The request to {who} cannot be made: {}.", why(error)),
            );
        }
        if let Some(reason) = certificate(error) {
            let what = format!(
                "The certificate of {who} is not right: {reason}. Nothing was sent. A wrong clock, a proxy that \
                 intercepts or an attack look like this; a company's own certificate has to be trusted by the system."
            );
            return (Class::Certificate, Reached::Nothing, what);
        }
        let reason = why(error);
        if reason.contains("tunnel error") || reason.contains("proxy") && error.is_connect() {
            let what = format!(
                "The proxy{} does not let the request through to {who}: {reason}. Set the proxy right, or name the \
                 host in NO_PROXY.",
                proxy_variable(),
            );
            return (Class::Proxy, Reached::Nothing, what);
        }
        if error.is_connect() || error.is_dns() {
            let tls = is_tls(error) || reason.contains("handshake");
            let advice = match (error.is_dns(), self.endpoint.base.is_near(), tls) {
                (true, ..) => format!("Check the network, and the base URL{}.", self.base_from()),
                (_, true, _) => format!("Is the server running? Start it, or say where it is{}.", self.base_from()),
                (_, _, true) => "The TLS handshake failed.".to_owned(),
                _ => format!("Check the network and the proxy{}.", proxy_variable()),
            };
            let class = if tls { Class::Broken } else { Class::Unreachable };
            return (class, Reached::Nothing, format!("{who} cannot be reached: {reason}. {advice}"));
        }
        let what =
            format!("The connection to {who} broke before an answer began: {reason}. It may have done the work.");
        (Class::Broken, Reached::Sent, what)
    }

    /// The fault of a timeout.
    pub fn stalled(&self, reached: Reached, waited: std::time::Duration, whole: bool) -> Fault {
        let waited = if waited.as_secs() > 0 { format!("{} s", waited.as_secs()) } else { format!("{waited:?}") };
        let what = match (whole, reached) {
            (true, _) => format!("{} did not finish within {waited}: the call was cancelled.", self.who()),
            (false, Reached::Sent | Reached::Accepted) => {
                format!("{} sent nothing within {waited}: the call was cancelled.", self.who())
            }
            (false, _) => format!("{} stopped in the middle of its answer and sent nothing for {waited}.", self.who()),
        };
        Fault { reached, ..Fault::unseen(Class::Stalled, what.into()) }
    }

    /// The fault of an answer that breaks off.
    pub fn cut(&self, reached: Reached, error: Option<&reqwest::Error>) -> Fault {
        let why = error.map(|error| format!(" ({})", why(error))).unwrap_or_default();
        let what = format!("The answer of {} broke off before its end{why}.", self.who());
        Fault { reached, ..Fault::unseen(Class::Cut, self.endpoint.redact(&what).into()) }
    }

    /// The fault of an answer that violates the protocol.
    pub fn protocol(&self, reached: Reached, why: &str) -> Fault {
        let what = format!(
            "The answer of {} is not what it should be: {why}. Check that the base URL{} is that of its API, and that \
             no network sign-in page stands between.",
            self.who(),
            self.base_from(),
        );
        Fault { reached, ..Fault::unseen(Class::Protocol, self.endpoint.redact(&what).into()) }
    }

    /// The fault of text in place of an answer: what stands at this address is not the API.
    pub fn no_api(&self, text: &str) -> Fault {
        let what = format!(
            "What {} answers is no answer of a model: {}. Check the base URL{}.",
            self.who(),
            quoted(&self.endpoint.redact(text)),
            self.base_from(),
        );
        Fault { reached: Reached::Accepted, status: Some(200), ..Fault::unseen(Class::NoSuchModel, what.into()) }
    }

    /// The fault of an answer that says the same again and again.
    pub fn repeats(&self, bytes: usize, most: u32) -> Fault {
        let what = format!(
            "{} at {} says the same again and again: its answer was ended after about {} of at most {most} tokens.",
            Clean::line(self.model),
            self.who(),
            bytes / 4,
        );
        Fault { reached: Reached::Content, ..Fault::unseen(Class::Repeats, what.into()) }
    }

    /// The fault of an answer that goes far beyond the limit that was asked for.
    pub fn endless(&self, bytes: usize, most: u32) -> Fault {
        let what = format!(
            "{} at {} does not keep to the limit of its answer: it was ended after about {} tokens, where at most {most} were asked \
             for.",
            Clean::line(self.model),
            self.who(),
            bytes / 4,
        );
        Fault { reached: Reached::Content, ..Fault::unseen(Class::Endless, what.into()) }
    }

    /// The provider and its host.
    fn who(&self) -> String {
        format!("{} ({})", self.endpoint.profile.title, self.endpoint.base.host())
    }

    fn base_from(&self) -> String {
        let variables = &self.endpoint.profile.base_env;
        let variable = self.endpoint.base_from.as_ref().or(self.endpoint.profile.host_env.as_ref());
        variable.or(variables.first()).map(|name| format!(" ({name})")).unwrap_or_default()
    }

    /// The message: the event, the server's report, the remedy.
    fn words(&self, class: Class, status: Option<u16>, error: &ErrorBody) -> Clean {
        let who = self.who();
        let model = Clean::line(self.model);
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        let message = error.message.as_ref().map(|message| format!(": {}", quoted(&self.endpoint.redact(message))));
        let message = message.unwrap_or_default();
        let key = self.endpoint.key.as_ref().map(|key| key.from.as_str());
        let variable = self.endpoint.profile.keys.first().map_or("its key", |key| key.env.as_str());
        let what = match class {
            Class::KeyRefused => match key {
                Some(from) => {
                    format!("{who} refuses the key from {from}{status}{message}. Give {from} a key that works.")
                }
                None => format!("{who} wants a key{status}{message}. Set {variable}."),
            },
            Class::Forbidden => format!(
                "{who} does not let this key use {model}{status}{message}. Allow it there, or choose another model."
            ),
            Class::OutOfCredit => format!(
                "At {who} there is no credit left, or a spending limit is reached{status}{message}. Add credit or raise \
                 the limit there, then go on."
            ),
            Class::NoSuchModel if !error.is_json => format!(
                "At {}, where the API of {who} should be, there is nothing{status}. Check the base URL{}.",
                self.endpoint.base,
                self.base_from(),
            ),
            Class::NoSuchModel => format!(
                "{who} has no model `{model}`{status}{message}. Choose one that it has; `masthead doctor` lists them."
            ),
            Class::TooLong => format!(
                "The conversation is longer than {model} at {who} takes{status}{message}. It has to be shortened, or a \
                 model with a longer context chosen."
            ),
            Class::Stale => format!(
                "{who} does not take back the reasoning that {model} wrote earlier{status}{message}. The conversation \
                 begins anew with what was read."
            ),
            Class::TooLarge => {
                format!("The request is larger than {who} takes{status}{message}. It has to be shortened.")
            }
            Class::Throttled => {
                format!("{who} takes no more requests for now{status}{message}. It is tried again later.")
            }
            Class::Overloaded => {
                format!("{who} is overloaded or still loading{status}{message}. It is tried again later.")
            }
            Class::Server => format!("{who} failed{status}{message}."),
            Class::TimedOut => format!("{who} gave up waiting{status}{message}. It may have done the work."),
            Class::Conflict => format!("{who} is already processing the same request{status}{message}."),
            Class::Proxy => format!(
                "The proxy{} requires authentication{status}{message}. Put a name and a password into its address.",
                proxy_variable()
            ),
            Class::Protocol => format!("{model} at {who} wrote something that {who} could not read{status}{message}."),
            _ if message.contains("tool-call-parser") => format!(
                "{who} was started without tools{status}{message}. Start it with --enable-auto-tool-choice and \
                 --tool-call-parser."
            ),
            _ => format!(
                "{who} does not understand the request for {model}{status}{message}. If the model cannot do what is asked \
                 of it (tools, a form of answer), choose another."
            ),
        };
        what.into()
    }
}

/// The probable cost of an error status in place of an answer. No output was sent, so an error is no completion.
fn charge(status: u16, class: Class, by_code: Option<Class>) -> Charge {
    match (class, status) {
        // A gateway that gave up does not know how far the server behind it had come.
        (Class::TimedOut, _) | (Class::Server, 502 | 505..) => Charge::Unknown,
        // The server itself failed at a request that it had read.
        (Class::Server, _) => Charge::Input,
        // Providers that say so by a code of overload or by 529 document that they did no work; others may have read the request.
        (Class::Overloaded, 503) if !matches!(by_code, Some(Class::Overloaded | Class::Throttled)) => Charge::Input,
        _ => Charge::Nothing,
    }
}

/// Whether a failure of this class means that the provider did no work.
fn was_refused(class: Class) -> bool {
    !matches!(class, Class::Server | Class::TimedOut | Class::Protocol)
}

/// The server's id of a request.
pub(super) fn request_id(headers: &HeaderMap) -> Option<Clean> {
    let names = ["request-id", "x-request-id", "x-groq-id", "cf-ray"];
    let id = names.iter().find_map(|name| headers.get(*name)?.to_str().ok())?;
    Some(Clean::line(&id.chars().take(120).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Key, Profile, Secret};

    const KEY: &str = "sk-canary-0123456789abcdef";

    fn endpoint(name: &str) -> Endpoint {
        let profile: Arc<Profile> = Profile::named(name).unwrap();
        let variable = profile.keys[0].clone();
        let secret = Secret::new(KEY).unwrap().unwrap();
        let key = Key { secret, sent_as: variable.sent_as, from: variable.env };
        Endpoint::at(&profile, None, Some(key)).unwrap()
    }

    fn fault(name: &str, status: u16, headers: &[(&'static str, &str)], body: &str) -> Fault {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let endpoint = endpoint(name);
        Scene { endpoint: &endpoint, model: "some-model" }.status(
            status,
            &headers,
            body.as_bytes(),
            SystemTime::UNIX_EPOCH,
        )
    }

    #[test]
    fn only_what_may_have_been_worked_on_may_have_cost_something() {
        let says = |code: &str| format!(r#"{{"error":{{"message":"m","type":"{code}"}}}}"#);
        for (status, body, charge) in [
            (400, "", Charge::Nothing),
            (401, "", Charge::Nothing),
            (408, "", Charge::Unknown),
            (429, "", Charge::Nothing),
            // No output was sent.
            (500, "", Charge::Input),
            (500, &says("server_error"), Charge::Input),
            (500, &says("overloaded_error"), Charge::Nothing),
            (500, &says("context_length_exceeded"), Charge::Nothing),
            (502, "", Charge::Unknown),
            (503, "", Charge::Input),
            (503, &says("server_error"), Charge::Input),
            (503, &says("server_is_overloaded"), Charge::Nothing),
            (504, "", Charge::Unknown),
            (524, "", Charge::Unknown),
            (529, "", Charge::Nothing),
        ] {
            assert_eq!(fault("openai", status, &[], body).charge, charge, "{status} {body}");
        }
    }

    #[test]
    fn a_refusal_tells_how_long_to_wait_wherever_it_says_so() {
        let gemini = r#"[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED",
            "details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]"#;
        assert_eq!(fault("gemini", 429, &[], gemini).retry_after_ms, Some(34_000));
        assert_eq!(fault("openai", 429, &[("retry-after", "20")], "").retry_after_ms, Some(20_000));
        assert_eq!(fault("openai", 503, &[("retry-after-ms", "20")], "").retry_after_ms, Some(20));
        let used_up = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6s")];
        assert_eq!(fault("openai", 429, &used_up, "").retry_after_ms, Some(6_000));
        assert_eq!(fault("openai", 429, &[], "").retry_after_ms, None);
        assert_eq!(fault("openai", 400, &[("retry-after", "20")], "").retry_after_ms, None);
    }

    #[test]
    fn a_message_says_what_to_do_and_never_holds_the_key() {
        let echo =
            format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}.","code":"invalid_api_key"}}}}"#);
        let refused = fault("openai", 401, &[("x-request-id", "req_7")], &echo);
        assert!(refused.what.contains("Give OPENAI_API_KEY a key that works"), "{refused}");
        assert_eq!(refused.request_id.as_deref(), Some("req_7"));
        let hostile = format!("{{\"error\":\"\\u001b]0;x\\u0007{KEY}{}\"}}", "y".repeat(5_000));
        let cut = fault("openai", 500, &[], &hostile);
        assert!(cut.what.len() < 700 && !cut.what.contains('\u{1b}'), "{cut}");
        let moved = fault("openai", 307, &[("location", &format!("https://evil.example/?key={KEY}"))], "");
        assert_eq!(moved.class, Class::Redirected);
        assert!(moved.what.contains("evil.example") && moved.what.contains("not followed"), "{moved}");
        let nothing_there = fault("openai", 404, &[], "404 page not found");
        assert!(nothing_there.what.contains("Check the base URL (OPENAI_BASE_URL)"), "{nothing_there}");
        for fault in [refused, cut, moved, nothing_there] {
            assert!(!format!("{fault:?}").contains("canary"), "{fault:?}");
        }
    }

    #[test]
    fn an_error_within_an_answer_means_what_it_says() {
        let endpoint = endpoint("openai");
        let scene = Scene { endpoint: &endpoint, model: "m" };
        for (body, class) in [
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Class::Overloaded),
            (r#"{"error":{"message":"m","type":"server_error","code":null}}"#, Class::Server),
            (r#"{"error":{"code":429,"message":"m"}}"#, Class::Throttled),
            (
                r#"{"error":{"code":502,"message":"m","metadata":{"error_type":"provider_unavailable"}}}"#,
                Class::Overloaded,
            ),
            (r#"{"error":"the runner has stopped"}"#, Class::Server),
            (r#"{"error":{"type":"insufficient_system_resource","message":"m"}}"#, Class::Overloaded),
        ] {
            assert_eq!(scene.reported(&serde_json::from_str(body).unwrap()).class, class, "{body}");
        }
    }
}
