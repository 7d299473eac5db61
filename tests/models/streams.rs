//! Streams: cut everywhere, split everywhere, stalled, dripping, too large.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use model::{Client, Listener, Patience};
use run::attempt::{Charge, Class, Reached};
use run::progress::{Doing, Saying};
use serde_json::json;
use text::Clean;
use tokio::time::timeout;

use crate::fixture::{ANTHROPIC, OPENAI, RESPONSES, is_whole};
use crate::server::{Server, Then, stream};
use crate::talk::{ask_through, ask_with, endpoint, fault, patience, reply, request, round};

const ALL: [(&str, &str); 3] = [("anthropic", ANTHROPIC), ("openai-compatible", OPENAI), ("azure", RESPONSES)];

#[tokio::test]
async fn a_whole_stream_is_a_whole_answer_and_its_text_was_heard() {
    for (provider, fixture) in ALL {
        let server = Server::bytes(stream(fixture));
        let (reply, heard) = reply(provider, &server.url()).await;
        is_whole(provider, &reply, true);
        assert_eq!(heard, "Größe 漢字 🦀");
        assert_eq!(reply.request_id.as_deref(), Some("req_1"));
    }
}

/// A stream that ends in a close is cut, however it was closed: only the server's own word says that it is whole.
#[tokio::test]
async fn a_stream_that_is_cut_anywhere_is_cut_or_whole_and_nothing_else() {
    for (provider, fixture) in ALL {
        let next = AtomicUsize::new(0);
        let server = Server::new(move |_, to| {
            let cut = next.fetch_add(1, Ordering::SeqCst);
            let _ = to.write_all(&stream(&fixture.as_bytes()[..cut]));
            Then::Close
        });
        let (client, endpoint) = (Client::new(patience()), endpoint(provider, &server.url()));
        let asked = [round(request(provider))];
        let mut whole_from = None;
        for cut in 0..=fixture.len() {
            let (answer, heard) = ask_through(&client, &endpoint, &asked).await;
            match answer.outcome {
                Ok(reply) => {
                    is_whole(provider, &reply, false);
                    whole_from.get_or_insert(cut);
                }
                Err(fault) => {
                    assert_eq!(fault.class, Class::Cut, "{provider} at {cut}: {fault:?}");
                    assert!(whole_from.is_none(), "{provider} at {cut}");
                    assert!("Größe 漢字 🦀".starts_with(&*fault.partial) && *fault.partial == heard);
                    match fault.reached {
                        Reached::Accepted => assert_eq!(&*fault.partial, ""),
                        _ => assert!(matches!(fault.charge, Charge::AtLeast(_)), "{provider} at {cut}: {fault:?}"),
                    }
                }
            }
        }
        // Once everything has been said, only the word that it has may be missing.
        let words = [r#"stop_reason":"tool_use"#, r#""finish_reason":"tool_calls""#, "event: response.completed"];
        let last_word = words.iter().find_map(|word| fixture.find(word));
        assert!(whole_from.unwrap() > last_word.unwrap(), "{provider}");
    }
}

#[tokio::test]
async fn a_stream_in_chunks_that_lacks_its_last_chunk_is_cut() {
    for (provider, fixture) in ALL {
        let half = &fixture[..fixture.find("Größe").unwrap()];
        let body = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{half}\r\n",
            half.len()
        );
        let server = Server::bytes(body);
        let fault = fault(provider, &server.url()).await;
        assert_eq!((fault.class, fault.status), (Class::Cut, Some(200)));
    }
}

#[tokio::test]
async fn characters_and_lines_that_the_network_splits_arrive_whole() {
    for (provider, fixture) in ALL {
        let server = Server::new(move |_, to| {
            to.set_nodelay(true).unwrap();
            for byte in stream(fixture.replace('\n', "\r\n")) {
                let _ = to.write_all(&[byte]);
            }
            Then::Close
        });
        is_whole(provider, &reply(provider, &server.url()).await.0, true);
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_spoil_nothing_but_themselves() {
    // The third format says everything twice: the whole text makes good the spoilt part of a piece.
    for (provider, fixture) in &ALL[..2] {
        let mut bytes = stream(fixture);
        let at = bytes.windows(2).position(|two| two == "ö".as_bytes()).unwrap();
        bytes[at] = 0xff;
        let server = Server::bytes(bytes);
        let (reply, heard) = reply(provider, &server.url()).await;
        assert_eq!(reply.text(), "Gr\u{fffd}\u{fffd}ße 漢字 🦀");
        assert_eq!(heard, reply.text());
    }
}

#[tokio::test]
async fn an_end_that_goes_unsaid_is_borne_once_the_reason_for_it_is_known() {
    let without_done = OPENAI.replace("data: [DONE]\n\n", "");
    is_whole("openai", &reply("openai-compatible", &Server::bytes(stream(without_done)).url()).await.0, true);
    let without_stop = ANTHROPIC.split("event: message_stop").next().unwrap();
    is_whole("anthropic", &reply("anthropic", &Server::bytes(stream(without_stop)).url()).await.0, true);
}

#[tokio::test]
async fn a_server_that_holds_the_line_open_after_the_end_keeps_nobody_waiting() {
    for (provider, fixture) in ALL {
        let server = Server::new(move |_, to| {
            let _ = to.write_all(&stream(fixture));
            Then::Hold
        });
        let (url, patient) = (server.url(), Duration::from_secs(40));
        is_whole(provider, &timeout(patient, reply(provider, &url)).await.unwrap().0, true);
    }
}

#[tokio::test]
async fn a_block_that_never_ended_is_cut_whatever_is_said_of_the_whole() {
    let open =
        ANTHROPIC.replacen("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n", "", 1);
    let fault = fault("anthropic", &Server::bytes(stream(open)).url()).await;
    assert_eq!((fault.class, fault.reached), (Class::Cut, Reached::Content));
}

/// Writes the head of a stream and holds its breath.
fn silent_after(sent: &'static str) -> Server {
    Server::new(move |_, to| {
        let _ = to.write_all(sent.as_bytes());
        Then::Hold
    })
}

#[tokio::test]
async fn silence_before_the_first_byte_is_waited_out_as_long_as_is_said_and_no_longer() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    // The head has to come within the time, also from a busy machine.
    for (sent, millis, reached) in [("", 80, Reached::Sent), (head, 2_000, Reached::Accepted)] {
        let short = Patience { first_byte: Some(Duration::from_millis(millis)), ..patience() };
        let server = silent_after(sent);
        let asked = [round(request("anthropic"))];
        let fault = ask_with(short, &endpoint("anthropic", &server.url()), &asked).await.0.outcome.unwrap_err();
        assert_eq!((fault.class, fault.reached, fault.charge), (Class::Stalled, reached, Charge::Unknown));
    }
}

#[tokio::test]
async fn nothing_for_long_and_then_all_at_once_is_no_stall() {
    // Before the head of the answer, and between its head and its first byte.
    for at in [0, stream("").len()] {
        let server = Server::new(move |_, to| {
            let whole = stream(ANTHROPIC);
            let _ = to.write_all(&whole[..at]);
            thread::sleep(Duration::from_millis(1_500));
            let _ = to.write_all(&whole[at..]);
            Then::Close
        });
        let impatient = Patience { idle: Duration::from_millis(1_000), ..patience() };
        let asked = [round(request("anthropic"))];
        let answer = ask_with(impatient, &endpoint("anthropic", &server.url()), &asked).await.0;
        is_whole("anthropic", &answer.outcome.unwrap(), true);
    }
}

#[tokio::test]
async fn a_stream_that_falls_silent_in_the_middle_is_given_up_with_what_had_come() {
    for (provider, fixture) in ALL {
        let half = fixture.split("漢字").next().unwrap().rsplit_once("\n\n").unwrap().0;
        let sent: &'static str = String::from_utf8(stream(format!("{half}\n\n"))).unwrap().leak();
        let server = silent_after(sent);
        let impatient = Patience { idle: Duration::from_millis(1_000), ..patience() };
        let asked = [round(request(provider))];
        let fault = ask_with(impatient, &endpoint(provider, &server.url()), &asked).await.0.outcome.unwrap_err();
        assert_eq!((fault.class, fault.reached, &*fault.partial), (Class::Stalled, Reached::Content, "Größe "));
        let Charge::AtLeast(usage) = fault.charge else { panic!("{:?}", fault.charge) };
        assert!(usage.estimated && usage.output > 0);
        assert_eq!(usage.input_total(), if provider == "anthropic" { 78 } else { 0 });
    }
}

/// Writes a comment every so often.
fn drip(to: &mut TcpStream, every: Duration, times: usize) -> bool {
    (0..times).all(|_| {
        thread::sleep(every);
        to.write_all(b": still here\n").is_ok()
    })
}

#[tokio::test]
async fn bytes_that_say_nothing_keep_the_line_open() {
    let server = Server::new(|_, to| {
        let whole = stream(ANTHROPIC);
        let at = whole.windows(12).position(|bytes| bytes == b"event: ping\n").unwrap();
        let _ = to.write_all(&whole[..at]);
        drip(to, Duration::from_millis(50), 70);
        let _ = to.write_all(&whole[at..]);
        Then::Close
    });
    let impatient = Patience { idle: Duration::from_secs(3), ..patience() };
    let asked = [round(request("anthropic"))];
    let answer = ask_with(impatient, &endpoint("anthropic", &server.url()), &asked).await.0;
    is_whole("anthropic", &answer.outcome.unwrap(), true);
}

#[tokio::test]
async fn a_server_that_drips_for_ever_is_given_up_in_the_end() {
    let server = Server::new(|_, to| {
        let _ = to.write_all(&stream(""));
        drip(to, Duration::from_millis(20), 500);
        Then::Close
    });
    let end = Patience { whole: Duration::from_secs(2), ..patience() };
    let asked = [round(request("anthropic"))];
    let fault = ask_with(end, &endpoint("anthropic", &server.url()), &asked).await.0.outcome.unwrap_err();
    assert_eq!((fault.class, fault.reached), (Class::Stalled, Reached::Accepted));
    assert!(fault.what.contains("did not finish within"), "{fault}");
}

#[tokio::test]
async fn an_event_that_never_ends_is_given_up() {
    let server = Server::new(|_, to| {
        let block = vec![b'x'; 1 << 20];
        let _ = to.write_all(&stream("data: "));
        (0..12).all(|_| to.write_all(&block).is_ok());
        Then::Close
    });
    let fault = fault("openai-compatible", &server.url()).await;
    assert_eq!((fault.class, fault.reached), (Class::Protocol, Reached::Accepted));
    assert!(fault.what.contains("8 MiB"), "{fault}");
}

#[tokio::test]
async fn an_error_within_a_stream_is_the_error_that_it_says_it_is() {
    let half = |fixture: &str| fixture.split("漢字").next().unwrap().rsplit_once("\n\n").unwrap().0.to_owned();
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_9"}"#;
    for (provider, before, error, class) in [
        ("anthropic", half(ANTHROPIC), format!("event: error\ndata: {overloaded}"), Class::Overloaded),
        ("anthropic", String::new(), format!("event: error\ndata: {overloaded}"), Class::Overloaded),
        (
            "openai-compatible",
            half(OPENAI),
            r#"data: {"error":{"message":"m","type":"server_error"}}"#.into(),
            Class::Server,
        ),
        (
            "openrouter",
            half(OPENAI),
            r#"data: {"error":{"code":429,"message":"m"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#
                .into(),
            Class::Throttled,
        ),
        ("groq", half(OPENAI), r#"data: {"x_groq":{"error":"over capacity"},"choices":[]}"#.into(), Class::Server),
        (
            "deepseek",
            half(OPENAI),
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}"#.into(),
            Class::Overloaded,
        ),
    ] {
        let text = if before.is_empty() { "" } else { "Größe " };
        let server = Server::bytes(stream(format!("{before}\n\n{error}\n\n")));
        let fault = fault(provider, &server.url()).await;
        assert_eq!((fault.class, &*fault.partial, fault.status), (class, text, Some(200)), "{provider}");
        assert_eq!(matches!(fault.charge, Charge::AtLeast(_)), !text.is_empty(), "{provider}: {:?}", fault.charge);
    }
}

#[tokio::test]
async fn events_that_make_no_sense_are_told_apart_from_those_nobody_knows() {
    let start = ANTHROPIC.split("event: content_block_start").next().unwrap();
    let block = r#"event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

"#;
    let stop = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let grows = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    for nonsense in [
        format!("{start}{start}"),
        format!("{start}{block}{block}"),
        format!("{start}{block}{stop}{stop}"),
        format!("{start}{block}{stop}{grows}"),
        format!("{start}{grows}"),
        format!("{start}event: content_block_delta\ndata: {{\"type\":\n\n"),
    ] {
        let server = Server::bytes(stream(&nonsense));
        let fault = fault("anthropic", &server.url()).await;
        assert_eq!(fault.class, Class::Protocol, "{nonsense}");
    }
    let unknown = "event: new_thing\ndata: {\"type\":\"new_thing\",\"x\":1}\n\nevent: ping\ndata: {not json\n\n";
    let odd_delta = r#"event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"new_delta","x":1}}

"#;
    let stream_with = ANTHROPIC
        .replace("event: ping", &format!("{unknown}{odd_delta}event: ping"))
        .replace(r#""output_tokens":64}"#, r#""output_tokens":64,"new":{"x":1}},"new":true"#);
    is_whole("anthropic", &reply("anthropic", &Server::bytes(stream(stream_with)).url()).await.0, true);
    let server = Server::bytes(stream("data: {\"id\":\n\n"));
    assert_eq!(fault("openai-compatible", &server.url()).await.class, Class::Protocol);
}

/// Hears the model's actions, in the order in which they are told.
#[derive(Default)]
struct Doings(Mutex<Vec<Doing>>);

impl Listener for Doings {
    fn is_at(&self, doing: Doing, _: usize) {
        self.0.lock().unwrap().push(doing);
    }

    fn hears(&self, _: Saying, _: Clean) {}
}

#[tokio::test]
async fn how_far_an_answer_is_is_told_while_it_comes() {
    let server = Server::new(|request, to| {
        assert_eq!(request.json()["return_progress"], true);
        let _ = to.write_all(&stream(""));
        let chunk = |delta: &str, more: &str| {
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]{more}}}\n\n")
        };
        let reads = r#","prompt_progress":{"total":900,"cache":0,"processed":300,"time_ms":5}"#;
        for event in
            [chunk("{}", reads), chunk(r#"{"reasoning_content":"hm"}"#, ""), chunk(r#"{"content":"Yes."}"#, "")]
        {
            let _ = to.write_all(event.as_bytes());
            thread::sleep(Duration::from_millis(300));
        }
        let _ = to.write_all(
            b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        );
        Then::Close
    });
    let doings = Doings::default();
    let client = Client::new(patience());
    let answer = client.send(&endpoint("llamacpp", &server.url()), &[round(request("llamacpp"))], "k", &doings).await;
    assert_eq!(answer.outcome.unwrap().text(), "Yes.");
    let doings = doings.0.into_inner().unwrap();
    // The reports depend on the times of the network's deliveries, but they are in order.
    let order = |doing: &Doing| match doing {
        Doing::Waits => 0,
        Doing::Reads { done: 300, all: 900 } => 1,
        Doing::Thinks => 2,
        Doing::Answers => 3,
        other => panic!("{other:?}"),
    };
    assert!(!doings.is_empty() && doings.is_sorted_by_key(order), "{doings:?}");
}

#[tokio::test]
async fn a_stream_that_says_the_same_again_and_again_is_ended_before_its_limit_and_paid_for_what_came() {
    for (provider, opening, piece) in [
        (
            "openai-compatible",
            String::new(),
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is fast. \"},\"finish_reason\":null}]}\n\n",
        ),
        (
            "azure",
            RESPONSES.split("event: response.output_text.delta").next().unwrap().to_owned(),
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"It is fast. \"}\n\n",
        ),
        // Refusals, too.
        (
            "openai-compatible",
            String::new(),
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"I cannot. \"},\"finish_reason\":null}]}\n\n",
        ),
        (
            "azure",
            RESPONSES.split("event: response.output_text.delta").next().unwrap().to_owned(),
            "event: response.refusal.delta\ndata: {\"type\":\"response.refusal.delta\",\"output_index\":1,\"delta\":\"I cannot. \"}\n\n",
        ),
    ] {
        let server = Server::new(move |_, to| {
            let _ = to.write_all(&stream(&opening));
            // For ever, if nobody ends it.
            while to.write_all(piece.repeat(40).as_bytes()).is_ok() {
                thread::sleep(Duration::from_millis(60));
            }
            Then::Close
        });
        let fault = fault(provider, &server.url()).await;
        assert_eq!((fault.class, fault.reached), (Class::Repeats, Reached::Content), "{provider}: {fault}");
        assert!(fault.what.contains("the same again and again") && fault.what.contains("of at most 1000"), "{fault}");
        assert!(matches!(fault.charge, Charge::AtLeast(_)) && fault.class.is_permanent(), "{:?}", fault.charge);
    }
}

#[tokio::test]
async fn an_answer_far_beyond_its_limit_is_ended_and_paid_for_what_came_whatever_usage_it_would_have_told() {
    let server = Server::new(move |_, to| {
        let _ = to.write_all(&stream(""));
        let words = (0..20_000).map(|n| format!("word{n} is not word{}. ", n * 7));
        let piece =
            |text: String| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
        for text in words {
            if to.write_all(format!("data: {}\n\n", piece(text)).as_bytes()).is_err() {
                break;
            }
        }
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 50}});
        let _ = to.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes());
        Then::Close
    });
    let fault = fault("openai-compatible", &server.url()).await;
    assert_eq!((fault.class, fault.reached), (Class::Endless, Reached::Content), "{fault}");
    assert!(
        fault.what.contains("does not keep to the limit of its answer") && fault.what.contains("at most 1000"),
        "{fault}"
    );
    // 16 bytes a token of the limit, and some; at least a token for each eight bytes.
    assert!(
        matches!(fault.charge, Charge::AtLeast(usage) if (2_000..20_000).contains(&usage.output)),
        "{:?}",
        fault.charge
    );
}
