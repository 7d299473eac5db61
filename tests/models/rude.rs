//! Responses that are no answer at all: refusals, connections that break, addresses that are not there, any program in between.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::thread;

use model::{Client, Counted, Endpoint, Profile, RateHeaders};
use run::attempt::{Charge, Class, Reached};

use crate::fixture::{ANTHROPIC, OPENAI, RESPONSES, is_whole};
use crate::server::{Server, Then, answer, stream};
use crate::talk::{CANARY, ask, ask_with, endpoint, fault, patience, reply, request, round};

#[tokio::test]
async fn each_status_is_the_failure_that_it_is_with_and_without_hints() {
    let json = |kind: &str| format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"It is so."}}}}"#);
    for (status, headers, body, class, retry_after) in [
        (400, "", json("invalid_request_error"), Class::Malformed, None),
        (401, "", json("authentication_error"), Class::KeyRefused, None),
        (402, "", json("billing_error"), Class::OutOfCredit, None),
        (403, "", json("permission_error"), Class::Forbidden, None),
        (404, "", json("not_found_error"), Class::NoSuchModel, None),
        (407, "", String::new(), Class::Proxy, None),
        (408, "", String::new(), Class::TimedOut, None),
        (409, "", json("conflict_error"), Class::Conflict, None),
        (413, "content-type: text/html\r\n", "<html><title>Too large</title></html>".into(), Class::TooLarge, None),
        (422, "", String::new(), Class::Malformed, None),
        (424, "", String::new(), Class::Malformed, None),
        (429, "retry-after: 3\r\n", json("rate_limit_error"), Class::Throttled, Some(3_000)),
        (429, "retry-after-ms: 250\r\nretry-after: 3\r\n", json("rate_limit_error"), Class::Throttled, Some(250)),
        (429, "", json("rate_limit_error"), Class::Throttled, None),
        (429, "", json("billing_error"), Class::OutOfCredit, None),
        (500, "", json("api_error"), Class::Server, None),
        (502, "", "<html>Bad Gateway</html>".into(), Class::Server, None),
        (503, "retry-after: 2\r\n", String::new(), Class::Overloaded, Some(2_000)),
        (504, "", json("timeout_error"), Class::TimedOut, None),
        (529, "", json("overloaded_error"), Class::Overloaded, None),
    ] {
        let server = Server::bytes(answer(status, &format!("request-id: req_7\r\n{headers}"), &body));
        let fault = fault("anthropic", &server.url()).await;
        assert_eq!((fault.class, fault.status, fault.retry_after_ms), (class, Some(status), retry_after), "{fault}");
        assert_eq!((fault.reached, fault.request_id.as_deref()), (Reached::Status, Some("req_7")));
        assert_eq!(server.requests().len(), 1, "nothing is tried again down here");
    }
}

#[tokio::test]
async fn limits_are_heard_of_with_an_answer_and_with_a_refusal() {
    let limits =
        "x-ratelimit-limit-requests: 60\r\nx-ratelimit-remaining-requests: 59\r\nx-ratelimit-reset-requests: 1s\r\n";
    let with_limits = String::from_utf8(stream(OPENAI)).unwrap().replacen("\r\n", &format!("\r\n{limits}"), 1);
    for bytes in [with_limits.into_bytes(), answer(429, limits, "")] {
        let server = Server::bytes(bytes);
        let requests =
            ask("openai-compatible", &server.url()).await.0.limits.allowances[Counted::Requests as usize].unwrap();
        assert_eq!((requests.limit, requests.remaining), (Some(60), Some(59)));
        assert_eq!(requests.reset, Some(std::time::Duration::from_secs(1)));
    }
    let server = Server::bytes(stream(OPENAI));
    assert_eq!(ask("openai-compatible", &server.url()).await.0.limits, RateHeaders::default());
}

#[tokio::test]
async fn a_key_that_a_server_echoes_is_seen_nowhere() {
    let encoded = "c2stY2FuYXJ5LTAxMjM0NTY3ODlhYmNkZWY=";
    for body in [
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {CANARY}"}}}}"#),
        format!("<html><title>Bearer {CANARY}</title></html>"),
        format!(r#"{{"error":"Basic {encoded}"}}"#),
        format!("no such key: {CANARY}"),
    ] {
        let server = Server::bytes(answer(401, "", &body));
        let fault = fault("anthropic", &server.url()).await;
        assert!(!fault.what.contains("Y2FuYXJ5"), "{fault}");
        assert_eq!(server.requests()[0].header("x-api-key"), Some(CANARY));
    }
    let half = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{CANARY}\"}}}}]}}\n\n");
    fault("openai-compatible", &Server::bytes(stream(half)).url()).await;
}

#[tokio::test]
async fn a_redirect_is_not_followed_because_the_key_would_go_with_it() {
    let thief = Server::bytes(stream(ANTHROPIC));
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}/v1/messages?key={CANARY}\r\n", thief.url());
        let server = Server::bytes(answer(status, &location, ""));
        let fault = fault("anthropic", &server.url()).await;
        assert_eq!((fault.class, fault.charge, fault.status), (Class::Redirected, Charge::Nothing, Some(status)));
        assert!(fault.what.contains(&thief.url()) && fault.what.contains("ANTHROPIC_BASE_URL"), "{fault}");
    }
    assert_eq!(thief.requests().len(), 0);
}

#[tokio::test]
async fn a_sign_in_page_is_no_answer() {
    let page = "<!doctype html><title>Welcome to the hotel</title>";
    for (headers, body) in
        [("content-type: text/html\r\n", page), ("", page), ("", ""), ("content-type: text/plain\r\n", " \n ")]
    {
        let server = Server::bytes(answer(200, headers, body));
        let fault = fault("openai-compatible", &server.url()).await;
        assert_eq!(
            (fault.class, fault.reached, fault.status),
            (Class::Protocol, Reached::Accepted, Some(200)),
            "{body:?}"
        );
        assert!(fault.what.contains("sign-in page"), "{fault}");
    }
    for text in ["hello, this is not JSON", "It works!\n"] {
        let server = Server::bytes(answer(200, "content-type: text/plain\r\n", text));
        let fault = fault("openai-compatible", &server.url()).await;
        assert_eq!((fault.class, fault.status), (Class::NoSuchModel, Some(200)), "{text:?}: {fault}");
        assert!(fault.what.contains(text.trim()) && fault.what.contains("Check the base URL"), "{fault}");
    }
    // An answer that broke off is none of these, whatever type it was sent with.
    let server = Server::bytes(answer(200, "content-type: text/plain\r\n", "data: {\"choices\":"));
    assert_eq!(fault("openai-compatible", &server.url()).await.class, Class::Cut);
    let server = Server::bytes(answer(200, "content-type: application/json\r\n", r#"{"hello":"world"}"#));
    assert_eq!(fault("openai-compatible", &server.url()).await.class, Class::Protocol);
    assert_eq!(fault("anthropic", &server.url()).await.class, Class::Protocol);
    let server = Server::bytes(answer(200, "content-encoding: gzip\r\n", "\u{1f}x"));
    assert!(fault("anthropic", &server.url()).await.what.contains("compressed"));
}

#[tokio::test]
async fn a_connection_that_breaks_before_an_answer_leaves_it_open_what_became_of_it() {
    for sent in ["", "HTTP/1.1 200 OK\r\ncontent-ty", "garbage\r\n\r\n"] {
        let server = Server::bytes(sent);
        let fault = fault("anthropic", &server.url()).await;
        assert_eq!(
            (fault.class, fault.reached, fault.charge),
            (Class::Broken, Reached::Sent, Charge::Unknown),
            "{sent:?}"
        );
    }
    // Closed with the request unread: the network answers with a reset.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let rude = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 10]).unwrap();
    });
    let fault = fault("anthropic", &base).await;
    rude.join().unwrap();
    assert_eq!((fault.class, fault.reached), (Class::Broken, Reached::Sent), "{fault}");
}

#[tokio::test]
async fn an_address_where_nobody_is_cost_nothing_and_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let fault = fault("ollama", &format!("http://127.0.0.1:{port}")).await;
    assert_eq!((fault.class, fault.reached, fault.charge), (Class::Unreachable, Reached::Nothing, Charge::Nothing));
    assert!(fault.what.contains(&port.to_string()) && fault.what.contains("OLLAMA_HOST"), "{fault}");
}

#[tokio::test]
async fn an_api_that_is_not_where_the_base_url_says_is_told_from_a_model_that_is_not_there() {
    let server = Server::bytes(answer(404, "", "404 page not found"));
    let nothing = fault("openai", &server.url()).await;
    assert!(nothing.what.contains("Check the base URL (OPENAI_BASE_URL)"), "{nothing}");
    let server =
        Server::bytes(answer(404, "", r#"{"error":{"message":"The model does not exist","code":"model_not_found"}}"#));
    let no_model = fault("openai", &server.url()).await;
    assert!(no_model.what.contains("has no model `some-model`"), "{no_model}");
}

#[tokio::test]
async fn heads_without_end_are_not_read_to_their_end() {
    let server = Server::new(|_, to| {
        let _ = to.write_all(b"HTTP/1.1 200 OK\r\n");
        let line = format!("x-more: {}\r\n", "y".repeat(1_000));
        (0..10_000).all(|_| to.write_all(line.as_bytes()).is_ok());
        Then::Close
    });
    assert_eq!(fault("anthropic", &server.url()).await.class, Class::Broken);
}

/// A server whose certificate nobody signed but itself, on this machine.
fn self_signed() -> (String, thread::JoinHandle<Vec<u8>>) {
    let certificate = include_bytes!("tls/self-signed.der").to_vec().into();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(include_bytes!("tls/key.der").to_vec()).into();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("https://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = rustls::StreamOwned::new(rustls::ServerConnection::new(config).unwrap(), stream);
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard);
        heard
    });
    (base, server)
}

#[tokio::test]
async fn a_certificate_that_is_not_right_is_never_passed_over() {
    let (base, server) = self_signed();
    let fault = fault("anthropic", &base).await;
    assert_eq!((fault.class, fault.reached, fault.charge), (Class::Certificate, Reached::Nothing, Charge::Nothing));
    assert!(fault.what.contains("certificate") && !fault.what.to_lowercase().contains("ignore"), "{fault}");
    assert_eq!(server.join().unwrap(), b"", "not a byte of the request was sent");
}

#[tokio::test]
async fn a_connection_that_breaks_while_it_is_secured_cost_nothing() {
    let server = Server::bytes("");
    let base = server.url().replace("http:", "https:");
    let fault = fault("anthropic", &base).await;
    assert_eq!((fault.reached, fault.charge), (Reached::Nothing, Charge::Nothing), "{fault}");
    assert!(matches!(fault.class, Class::Broken | Class::Unreachable), "{fault:?}");
}

#[tokio::test]
async fn each_request_names_its_call_and_carries_the_key_in_one_header() {
    for (provider, fixture, header, value) in [
        ("anthropic", ANTHROPIC, "x-api-key", CANARY.to_owned()),
        ("openai", OPENAI, "authorization", format!("Bearer {CANARY}")),
        ("azure", RESPONSES, "authorization", format!("Bearer {CANARY}")),
    ] {
        let server = Server::bytes(stream(fixture));
        reply(provider, &server.url()).await;
        let request = server.requests().remove(0);
        assert_eq!(request.header(header), Some(value.as_str()));
        assert_eq!(["x-api-key", "authorization"].iter().filter(|name| request.header(name).is_some()).count(), 1);
        assert_eq!(request.header("idempotency-key"), Some("r7f3k/a1.1"));
        assert_eq!(request.header("accept-encoding"), Some("identity"));
        assert!(request.header("user-agent").unwrap().starts_with("masthead/"));
        assert!(!request.line.contains("canary"), "{}", request.line);
    }
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let (hung_up, heard) = std::sync::mpsc::channel();
    let server = Server::new(move |_, to| {
        let _ = to.write_all(&stream(""));
        let _ = begun.send(());
        let _ = hung_up.send(to.read(&mut [0]).map(|n| n == 0).unwrap_or(true));
        Then::Close
    });
    let (endpoint, asked) = (endpoint("anthropic", &server.url()), [round(request("anthropic"))]);
    tokio::select! {
        (answer, _) = ask_with(patience(), &endpoint, &asked) => panic!("{answer:?}"),
        _ = begins.recv() => {}
    }
    let heard = tokio::task::spawn_blocking(move || heard.recv_timeout(kit::PATIENCE));
    assert!(heard.await.unwrap().unwrap());
}

#[tokio::test]
async fn a_wrong_key_and_a_list_of_models_are_told_apart_too() {
    let server = Server::bytes(answer(401, "", r#"{"error":{"message":"no"}}"#));
    let client = Client::new(patience());
    let fault = client.models(&endpoint("openai", &server.url())).await.unwrap_err();
    assert_eq!(fault.class, Class::KeyRefused);
    let server = Server::bytes(answer(200, "", r#"{"data":[{"id":"m","context_length":8192}]}"#));
    let models = client.models(&endpoint("openrouter", &server.url())).await.unwrap();
    assert_eq!((models[0].id.as_str(), models[0].context), ("m", Some(8192)));
    let fault = client.models(&endpoint("openai", &Server::bytes(stream("data: x")).url())).await.unwrap_err();
    assert_eq!(fault.class, Class::Protocol);
}

const PROXIED: &str = "MASTHEAD_TEST_PROXIED";

/// Runs a test of this file again in a process of its own, behind this proxy: proxies come from the environment.
fn behind_a_proxy(test: &str, proxy: &str, base: &str) {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", test, "--nocapture"]).env(PROXIED, base);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        again.env_remove(name).env_remove(name.to_lowercase());
    }
    if !proxy.is_empty() {
        again.env("HTTPS_PROXY", proxy).env("HTTP_PROXY", proxy);
    }
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named() {
    let Ok(base) = std::env::var(PROXIED) else {
        for status in [403, 407, 502] {
            let proxy = Server::bytes(answer(status, "", "<html>no</html>"));
            behind_a_proxy("rude::a_proxy_that_refuses_is_named", &proxy.url(), "https://api.example/v1");
            let asked = proxy.requests().remove(0);
            assert!(asked.line.starts_with("CONNECT api.example:443"), "{}", asked.line);
            assert!(!format!("{asked:?}").contains("canary"), "the proxy does not get the key");
        }
        return;
    };
    let fault = fault("openai-compatible", &base).await;
    assert_eq!(
        (fault.class, fault.reached, fault.charge),
        (Class::Proxy, Reached::Nothing, Charge::Nothing),
        "{fault}"
    );
    assert!(fault.what.contains("HTTPS_PROXY"), "{fault}");
}

#[tokio::test]
async fn a_proxy_that_is_not_there_or_hangs_up_is_named_without_its_password() {
    let Ok(base) = std::env::var(PROXIED) else {
        let test = "rude::a_proxy_that_is_not_there_or_hangs_up_is_named_without_its_password";
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        behind_a_proxy(test, &format!("http://me:canary-pass@{nobody}"), "https://api.example/v1");
        let rude = Server::bytes("");
        behind_a_proxy(test, &rude.url().replace("http://", "http://me:canary-pass@"), "https://api.example/v1");
        assert!(rude.requests()[0].line.starts_with("CONNECT"), "{:?}", rude.requests());
        return;
    };
    let fault = fault("openai-compatible", &base).await;
    assert_eq!((fault.reached, fault.charge), (Reached::Nothing, Charge::Nothing), "{fault}");
    assert!(fault.what.contains("HTTPS_PROXY"), "{fault}");
}

#[tokio::test]
async fn no_proxy_stands_between_us_and_a_server_on_this_machine() {
    let Ok(base) = std::env::var(PROXIED) else {
        let (proxy, server) = (Server::bytes(answer(502, "", "")), Server::bytes(stream(OPENAI)));
        let test = "rude::no_proxy_stands_between_us_and_a_server_on_this_machine";
        behind_a_proxy(test, &proxy.url(), &server.url());
        assert_eq!((proxy.connections(), server.requests().len()), (0, 1));
        return;
    };
    is_whole("openai", &reply("openai-compatible", &base).await.0, true);
}

#[tokio::test]
async fn a_name_that_nobody_knows_is_said_to_be_one() {
    let Ok(base) = std::env::var(PROXIED) else {
        let test = "rude::a_name_that_nobody_knows_is_said_to_be_one";
        return behind_a_proxy(test, "", "https://nobody.invalid/v1");
    };
    let fault = fault("openai-compatible", &base).await;
    assert_eq!((fault.class, fault.charge), (Class::Unreachable, Charge::Nothing), "{fault}");
    assert!(fault.what.contains("nobody.invalid"), "{fault}");
}

#[tokio::test]
async fn a_local_server_that_closes_after_each_answer_loses_no_call() {
    let server = Server::new(|_, to| {
        // It does not say that it will close.
        let answer = stream(OPENAI);
        let head =
            String::from_utf8(answer).unwrap().replace("connection: close\r\n", "transfer-encoding: chunked\r\n");
        let (head, body) = head.split_once("\r\n\r\n").unwrap();
        let _ = write!(to, "{head}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        Then::Close
    });
    let profile = Profile::named("llamacpp").unwrap();
    let endpoint = Endpoint::at(&profile, Some(&server.url()), None).unwrap();
    let client = Client::new(patience());
    for _ in 0..50 {
        let answer = client.send(&endpoint, &[round(request("llamacpp"))], "r/a1.1", &|_: text::Clean| {}).await;
        is_whole("openai", &answer.outcome.unwrap(), true);
    }
}
