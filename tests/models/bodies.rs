//! Bodies that are too large, packed, of the wrong kind; connections that are reset at every phase.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use run::attempt::{Charge, Class, Reached};
use run::model::StopReason;

use crate::fixture::{ANTHROPIC, OPENAI, RESPONSES, is_whole};
use crate::server::{Server, Then, answer, stream};
use crate::talk::{CANARY, ask, fault, reply};

#[tokio::test]
async fn an_account_that_may_spend_no_more_is_told_from_one_that_goes_too_fast() {
    let anthropic = |detail: &str| {
        format!(
            r#"{{"type":"error","error":{{"type":"rate_limit_error","message":"m","details":{{"error_code":"{detail}"}}}}}}"#
        )
    };
    let openai = |code: &str| format!(r#"{{"error":{{"message":"m","type":"insufficient_quota","code":"{code}"}}}}"#);
    for (provider, body, class) in [
        ("anthropic", anthropic("enforced_spend_limit_reached"), Class::OutOfCredit),
        ("anthropic", anthropic("tokens_per_minute"), Class::Throttled),
        ("openai", openai("insufficient_quota"), Class::OutOfCredit),
        ("openai", openai("credit_balance_exhausted"), Class::OutOfCredit),
        ("openai", openai("organization_spend_limit_exceeded"), Class::OutOfCredit),
        ("openai", openai("project_spend_limit_exceeded"), Class::OutOfCredit),
        ("openai", openai("organization_usage_limit_exceeded"), Class::OutOfCredit),
        (
            "openai",
            r#"{"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}}"#.into(),
            Class::Throttled,
        ),
        ("openai", "Too many requests".into(), Class::Throttled),
    ] {
        // A wait is asked for either way; money does not come back by waiting.
        let server = Server::bytes(answer(429, "retry-after: 2\r\n", &body));
        let fault = fault(provider, &server.url()).await;
        assert_eq!((fault.class, fault.class.latches()), (class, class == Class::OutOfCredit), "{body}");
        assert_eq!(fault.retry_after_ms.is_some(), class == Class::Throttled, "{body}");
    }
    let limit = r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}"#;
    let fault = fault("anthropic", &Server::bytes(answer(400, "", limit)).url()).await;
    assert_eq!((fault.class, fault.charge), (Class::OutOfCredit, Charge::Nothing));
}

#[tokio::test]
async fn a_wait_is_understood_in_seconds_and_as_a_date() {
    let in_an_hour = httpdate::fmt_http_date(std::time::SystemTime::now() + std::time::Duration::from_secs(3_600));
    for (headers, least, most) in [
        ("retry-after: 7\r\n".to_owned(), 7_000, 7_000),
        ("retry-after: 0.5\r\n".into(), 500, 500),
        (format!("retry-after: {in_an_hour}\r\n"), 3_300_000, 3_601_000),
        ("retry-after-ms: 1500\r\nretry-after: 9\r\n".into(), 1_500, 1_500),
    ] {
        let server = Server::bytes(answer(429, &headers, ""));
        let wait = fault("openai", &server.url()).await.retry_after_ms.unwrap();
        assert!((least..=most).contains(&wait), "{headers}: {wait}");
    }
    for senseless in ["retry-after: soon\r\n", "retry-after: -4\r\n", "retry-after: \r\n"] {
        let server = Server::bytes(answer(429, senseless, ""));
        assert_eq!(fault("openai", &server.url()).await.retry_after_ms, None, "{senseless}");
    }
}

#[tokio::test]
async fn an_error_that_is_packed_shows_no_garbage_and_means_what_its_status_says() {
    let packed: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x4a\x2d\x2a\xca\x2f\x52\xb2\xaa\xae\x05\x00";
    for (status, class) in
        [(401, Class::KeyRefused), (429, Class::Throttled), (500, Class::Server), (529, Class::Overloaded)]
    {
        let head = format!("HTTP/1.1 {status} X\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", packed.len());
        let server = Server::bytes([head.as_bytes(), packed].concat());
        let fault = fault("anthropic", &server.url()).await;
        assert_eq!(fault.class, class);
        assert!(fault.what.is_ascii(), "{fault}");
    }
}

#[tokio::test]
async fn an_error_without_end_is_read_as_far_as_it_is_of_use() {
    for begins in [format!(r#"{{"error":{{"message":"{CANARY} "#), format!("<html><title>{CANARY}</title>")] {
        let server = Server::new(move |_, to| {
            let _ = to.write_all(b"HTTP/1.1 500 X\r\nconnection: close\r\n\r\n");
            let _ = to.write_all(begins.as_bytes());
            let block = vec![b'x'; 1 << 16];
            // A reader of all of it never comes back.
            while to.write_all(&block).is_ok() {}
            Then::Close
        });
        let fault = fault("anthropic", &server.url()).await;
        assert_eq!((fault.class, fault.reached, fault.charge), (Class::Server, Reached::Status, Charge::Input));
        assert!(fault.what.len() < 1_000, "{}", fault.what.len());
    }
}

#[tokio::test]
async fn an_answer_in_one_piece_that_never_ends_is_given_up() {
    let server = Server::new(|_, to| {
        let _ = to.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"x\":\"");
        let block = vec![b'x'; 1 << 20];
        (0..80).all(|_| to.write_all(&block).is_ok());
        Then::Close
    });
    let fault = fault("anthropic", &server.url()).await;
    assert_eq!((fault.class, fault.reached), (Class::Protocol, Reached::Accepted), "{fault}");
    assert!(fault.what.contains("64 MiB"), "{fault}");
}

#[tokio::test]
async fn an_answer_of_nothing_but_blanks_is_given_up() {
    let server = Server::new(|_, to| {
        let _ = to.write_all(&stream(""));
        let block = vec![b'\n'; 1 << 20];
        (0..80).all(|_| to.write_all(&block).is_ok());
        Then::Close
    });
    let fault = fault("openai-compatible", &server.url()).await;
    assert_eq!((fault.class, fault.reached), (Class::Protocol, Reached::Accepted), "{fault}");
    assert!(fault.what.contains("64 MiB"), "{fault}");
}

#[tokio::test]
async fn a_stream_without_end_is_given_up() {
    let server = Server::new(|_, to| {
        let _ = to.write_all(&stream(""));
        let block = ": nothing\n\n".repeat(1 << 16);
        (0..200).all(|_| to.write_all(block.as_bytes()).is_ok());
        Then::Close
    });
    let fault = fault("openai-compatible", &server.url()).await;
    assert_eq!((fault.class, fault.reached), (Class::Protocol, Reached::Accepted), "{fault}");
    assert!(fault.what.contains("64 MiB"), "{fault}");
}

#[tokio::test]
async fn what_an_answer_is_shows_by_itself_whatever_type_is_said_of_it() {
    for kind in ["application/json", "text/plain", "application/octet-stream", "nonsense", ""] {
        for (provider, fixture) in [("anthropic", ANTHROPIC), ("openai-compatible", OPENAI), ("azure", RESPONSES)] {
            let bytes = String::from_utf8(stream(fixture)).unwrap().replace("text/event-stream", kind);
            is_whole(provider, &reply(provider, &Server::bytes(bytes).url()).await.0, true);
        }
    }
    let whole = r#"{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}"#;
    let server = Server::bytes(answer(200, "content-type: text/event-stream\r\n", whole));
    let (reply, _) = reply("openai-compatible", &server.url()).await;
    assert_eq!((reply.text().as_str(), reply.stop), ("Hi", StopReason::End));
}

/// A server that reads the beginning of a request, sends `said` and goes away with the rest unread: the network resets the
/// connection.
fn resets_after(said: Vec<u8>) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let rude = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read_exact(&mut [0; 10]);
        let _ = stream.write_all(&said);
    });
    (base, rude)
}

#[tokio::test]
async fn a_reset_at_any_phase_is_a_failure_and_never_an_answer() {
    for (provider, fixture) in [("anthropic", ANTHROPIC), ("openai-compatible", OPENAI), ("azure", RESPONSES)] {
        let whole = stream(fixture);
        let head = stream("").len();
        let content = head + fixture.find("漢字").unwrap();
        for cut in [0, 5, head - 4, head, head + 20, content] {
            let (base, rude) = resets_after(whole[..cut].to_vec());
            let fault = fault(provider, &base).await;
            rude.join().unwrap();
            // Bytes on their way may be lost with the connection, so that the client reached less than was sent.
            assert!(matches!(fault.class, Class::Broken | Class::Cut), "{provider} at {cut}: {fault:?}");
            assert!(fault.reached >= Reached::Sent, "{provider} at {cut}: {fault:?}");
            assert_ne!(fault.charge, Charge::Nothing, "{provider} at {cut}: it may have been at work");
        }
    }
}

#[tokio::test]
async fn a_status_whose_body_breaks_off_is_still_what_it_says() {
    for (status, class) in [(401, Class::KeyRefused), (429, Class::Throttled), (503, Class::Overloaded)] {
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 500\r\n\r\n{{\"error\":{{\"mess");
        let (answer, _) = ask("openai", &Server::bytes(head).url()).await;
        assert_eq!(answer.outcome.unwrap_err().class, class);
    }
}
