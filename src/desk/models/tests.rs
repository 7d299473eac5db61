mod siblings;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

use super::*;
use crate::world::{PendingSend, SystemClock};
use model::Profile;
use run::Notice;
use run::model::{Form, Said};
use run::{AssignmentId, CallId, ModelRequest};
use supervisor::Elsewhere;

const ANSWER: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\n\
                      data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n";

/// A server that answers each request with the next of these, and the last of them ever after; and the number of requests.
fn server(answers: Vec<String>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let n = counted.fetch_add(1, Ordering::SeqCst);
            read_request(&mut stream);
            let _ = stream.write_all(answers[n.min(answers.len() - 1)].as_bytes());
        }
    });
    (url, asked)
}

/// Reads a request; its body.
fn read_request(stream: &mut std::net::TcpStream) -> Vec<u8> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    body
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn outgoing(provider: &str) -> Outgoing {
    let request = ModelRequest {
        model: format!("{provider}/m").parse().unwrap(),
        afresh: false,
        said: vec![Said::User { text: "well?".into() }],
        offers: vec![].into(),
        form: Form::Free,
        max_tokens: 50,
        thinking: Default::default(),
    };
    let call = CallId::new(AssignmentId::nth(1), 1);
    Outgoing {
        call,
        key: "masthead-x".into(),
        attempt: 1,
        rounds: vec![Round { request: Arc::new(request), reply: None }],
        elsewhere: Elsewhere::default(),
    }
}

fn models(url: &str, places: Option<usize>) -> ProviderModels {
    models_at(Endpoint::at(&Profile::named("openai-compatible").unwrap(), Some(url), None).unwrap(), places)
}

fn models_at(endpoint: Endpoint, places: Option<usize>) -> ProviderModels {
    let prices = Arc::new(Prices::built_in());
    ProviderModels::new(Client::new(Patience::default()), prices, Arc::new(SystemClock)).with(endpoint, places)
}

/// A reporter, its messages to the desk, and the notices that the audience heard.
fn reporter() -> (AttemptReporter, mpsc::UnboundedReceiver<PendingSend>, Arc<Mutex<Vec<Notice>>>) {
    let (sending, sent) = mpsc::unbounded_channel();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let audience = {
        let heard = heard.clone();
        Arc::new(move |notice| heard.lock().unwrap().push(notice))
    };
    (AttemptReporter { call: CallId::new(AssignmentId::nth(1), 1), attempt: 1, sending, audience }, sent, heard)
}

/// A reporter whose desk lets everything go.
fn open_reporter() -> (AttemptReporter, Arc<Mutex<Vec<Notice>>>) {
    let (reporter, mut left, heard) = reporter();
    tokio::spawn(async move {
        while let Some(sending) = left.recv().await {
            let _ = sending.recorded.send(());
        }
    });
    (reporter, heard)
}

#[tokio::test]
async fn nothing_is_sent_before_it_is_recorded() {
    let (url, asked) = server(vec![answer("200 OK", "", ANSWER)]);
    let (reporter, mut left, heard) = reporter();
    let attempt = tokio::spawn(models(&url, None).attempt(outgoing("openai-compatible"), reporter));
    let sending = left.recv().await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    sending.recorded.send(()).unwrap();
    let reply = attempt.await.unwrap().unwrap();
    assert_eq!((reply.text().as_str(), asked.load(Ordering::SeqCst)), ("yes", 1));
    assert!(heard.lock().unwrap().iter().any(|notice| matches!(notice, Notice::Heard { text, .. } if text == "yes")));
}

#[tokio::test]
async fn a_desk_that_has_stopped_lets_nothing_out() {
    let (url, asked) = server(vec![answer("200 OK", "", ANSWER)]);
    let (reporter, left, _) = reporter();
    drop(left);
    let fault = models(&url, None).attempt(outgoing("openai-compatible"), reporter).await.unwrap_err();
    assert_eq!((fault.class, asked.load(Ordering::SeqCst)), (Class::Cancelled, 0));
}

#[tokio::test]
async fn a_run_without_the_key_it_was_begun_with_says_what_to_set_before_anything_leaves() {
    let (reporter, mut left, _) = reporter();
    let models = models("http://127.0.0.1:9/v1", None)
        .without("openai".into(), "there is no key for openai: set OPENAI_API_KEY".into());
    let fault = models.attempt(outgoing("openai"), reporter).await.unwrap_err();
    assert!(fault.class == Class::KeyRefused && fault.what.contains("OPENAI_API_KEY"), "{fault}");
    assert!(left.recv().await.is_none());
}

/// An endpoint with a key that a command printed, and how often that command was run to renew it.
fn with_key_command(url: &str, log: &std::path::Path) -> (Endpoint, impl Fn() -> usize + use<>) {
    let secret = || model::Secret::new("sk-canary-first").unwrap().unwrap();
    let key = model::Key { secret: secret(), sent_as: model::profile::SentAs::Bearer, from: "api_key_cmd `sh`".into() };
    let mut endpoint = Endpoint::at(&Profile::named("openai-compatible").unwrap(), Some(url), Some(key)).unwrap();
    let line = format!("echo x >> '{}'; echo sk-canary-again", log.display());
    let command = model::key_command::KeyCommand::new("mine", &["sh".into(), "-c".into(), line]);
    endpoint.key_command = Some((command, std::time::Instant::now()));
    let log = log.to_owned();
    (endpoint, move || std::fs::read_to_string(&log).map_or(0, |log| log.lines().count()))
}

#[tokio::test]
async fn a_key_that_has_ended_is_renewed_by_its_command_before_the_next_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let (well, refused) = (answer("200 OK", "", ANSWER), answer("401 Unauthorized", "", "{}"));
    let (url, asked) = server(vec![well.clone(), refused.clone(), well, refused]);
    let (endpoint, renewed) = with_key_command(&url, &folder.path().join("log"));
    let models = models_at(endpoint, None);
    let attempt =
        async || models.attempt(outgoing("openai-compatible"), open_reporter().0).await.map_err(|fault| fault.class);
    assert!(attempt().await.is_ok());
    assert_eq!((attempt().await.unwrap_err(), renewed()), (Class::KeyEnded, 0), "it had worked");
    assert!(attempt().await.is_ok());
    assert_eq!((renewed(), asked.load(Ordering::SeqCst)), (1, 3));
}

#[tokio::test]
async fn a_new_key_that_never_worked_is_the_persons_to_mend_and_then_the_command_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (well, refused) = (answer("200 OK", "", ANSWER), answer("401 Unauthorized", "", "{}"));
    let (url, _) = server(vec![refused, well]);
    let (endpoint, renewed) = with_key_command(&url, &folder.path().join("log"));
    let models = models_at(endpoint, None);
    let attempt =
        async || models.attempt(outgoing("openai-compatible"), open_reporter().0).await.map_err(|fault| fault.class);
    assert_eq!((attempt().await.unwrap_err(), renewed()), (Class::KeyRefused, 0));
    assert!(attempt().await.is_ok());
    assert_eq!(renewed(), 1);
}

#[tokio::test]
async fn what_one_is_told_holds_for_the_next_who_hears_until_when() {
    let throttle = answer("429 Too Many Requests", "retry-after: 500\r\n", "{\"error\":{\"message\":\"slow down\"}}");
    let (url, asked) = server(vec![throttle, answer("200 OK", "", ANSWER)]);
    let models = models(&url, None);
    let (reporter, _) = open_reporter();
    let fault = models.attempt(outgoing("openai-compatible"), reporter).await.unwrap_err();
    assert_eq!((fault.class, fault.retry_after_ms), (Class::Throttled, Some(500_000)));
    let before = SystemClock.now();
    let (reporter, heard) = open_reporter();
    let next = models.attempt(outgoing("openai-compatible"), reporter);
    // As soon as it waits.
    tokio::select! {
        biased;
        _ = next => panic!("it did not wait"),
        () = tokio::task::yield_now() => {}
    }
    let heard = heard.lock().unwrap();
    let Notice::Waiting { why, until: Some(until), .. } = &heard[0] else { panic!("{heard:?}") };
    assert!(why.contains("asked for a pause") && until.since(before) > 490_000, "{why}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_provider_that_wants_nobody_for_an_hour_is_not_asked_by_the_next() {
    let throttle = answer("429 Too Many Requests", "retry-after: 3600\r\n", "{\"error\":{\"message\":\"tomorrow\"}}");
    let (url, asked) = server(vec![throttle]);
    let models = models(&url, None);
    let (reporter, _) = open_reporter();
    let told = models.attempt(outgoing("openai-compatible"), reporter).await.unwrap_err();
    let (reporter, _) = open_reporter();
    let spared = models.attempt(outgoing("openai-compatible"), reporter).await.unwrap_err();
    for fault in [told, spared] {
        assert!(fault.class == Class::Down && fault.class.latches(), "the run waits for the person: {fault:?}");
        assert!(fault.what.contains("another 1 h 0 min. Resume the run"), "{fault}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_is_asked_whose_answer_could_not_be_kept() {
    let (url, asked) = server(vec![answer("200 OK", "", ANSWER)]);
    let left = Arc::new(std::sync::atomic::AtomicU64::new(63 << 20));
    let room: Room = {
        let left = left.clone();
        Arc::new(move || Some(left.load(Ordering::SeqCst)))
    };
    let models = models(&url, None).kept_on(room);
    let (reporter, _) = open_reporter();
    let fault = models.attempt(outgoing("openai-compatible"), reporter).await.unwrap_err();
    assert!(fault.class == Class::NoRoom && fault.class.latches(), "{fault:?}");
    assert!(fault.what.contains("has 63 MiB left") && fault.what.contains("make room"), "{fault}");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    left.store(1 << 30, Ordering::SeqCst);
    let (reporter, _) = open_reporter();
    models.attempt(outgoing("openai-compatible"), reporter).await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_model_that_fails_is_left_alone_and_another_one_with_the_same_key_is_asked() {
    let failing = answer("500 Internal Server Error", "", "{}");
    let (url, asked) = server([vec![failing; 5], vec![answer("200 OK", "", ANSWER)]].concat());
    let models = models(&url, None);
    for _ in 0..5 {
        let (reporter, _) = open_reporter();
        let fault = models.attempt(outgoing("openai-compatible"), reporter).await.unwrap_err();
        assert_eq!(fault.class, Class::Server);
    }
    let (reporter, _) = open_reporter();
    let elsewhere = Elsewhere { model: true, provider: false };
    let spared = Outgoing { elsewhere, ..outgoing("openai-compatible") };
    assert_eq!(models.attempt(spared, reporter).await.unwrap_err().class, Class::Avoided);
    assert_eq!(asked.load(Ordering::SeqCst), 5);
    let (reporter, _) = open_reporter();
    let mut other = outgoing("openai-compatible");
    Arc::make_mut(&mut other.rounds[0].request).model = "openai-compatible/n".parse().unwrap();
    models.attempt(other, reporter).await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 6);
}

#[tokio::test]
async fn a_silent_model_is_given_up_soon_and_left_alone_where_another_can_do_the_work() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let patience = Patience { first_byte: Some(std::time::Duration::from_millis(200)), ..Patience::HURRIED };
    let models = models(&url, None).hurried(patience);
    let elsewhere = Elsewhere { model: true, provider: false };
    let hurried = || Outgoing { elsewhere, ..outgoing("openai-compatible") };
    let fault = models.attempt(hurried(), open_reporter().0).await.unwrap_err();
    assert_eq!(fault.class, Class::Stalled, "{fault}");
    // One was enough: the next is not sent, and hears why.
    let fault = models.attempt(hurried(), open_reporter().0).await.unwrap_err();
    assert!(fault.class == Class::Avoided && fault.what.contains("sent nothing within"), "{fault}");
    listener.set_nonblocking(true).unwrap();
    assert_eq!(std::iter::from_fn(|| listener.accept().ok()).count(), 1);
}

#[tokio::test]
async fn a_model_that_is_throttled_leaves_another_with_the_same_key_to_be_asked_and_then_it_is_the_key() {
    let throttle = answer("429 Too Many Requests", "retry-after: 500\r\n", "{\"error\":{\"message\":\"slow down\"}}");
    let (url, asked) = server(vec![throttle]);
    let models = models(&url, None);
    let of = |model: &str, another: bool| {
        let elsewhere = Elsewhere { model: another, provider: false };
        let mut outgoing = Outgoing { elsewhere, ..outgoing("openai-compatible") };
        Arc::make_mut(&mut outgoing.rounds[0].request).model = format!("openai-compatible/{model}").parse().unwrap();
        outgoing
    };
    for (model, class, times) in [("m", Class::Throttled, 1), ("m", Class::Avoided, 1), ("n", Class::Throttled, 2)] {
        let fault = models.attempt(of(model, model == "m"), open_reporter().0).await.unwrap_err();
        assert_eq!((fault.class, asked.load(Ordering::SeqCst)), (class, times), "{model}");
    }
    // Both were throttled: a third waits, as it was asked to.
    let (reporter, heard) = open_reporter();
    let next = models.attempt(of("o", true), reporter);
    tokio::select! {
        biased;
        _ = next => panic!("it did not wait"),
        () = tokio::task::yield_now() => {}
    }
    assert!(matches!(&heard.lock().unwrap()[0], Notice::Waiting { why, .. } if why.contains("with this key")));
}

#[tokio::test(start_paused = true)]
async fn a_lone_caller_hears_after_minutes_that_nobody_answers_and_the_person_is_to_be_asked() {
    // Nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let models = models(&format!("http://127.0.0.1:{port}/v1"), None);
    let began = tokio::time::Instant::now();
    for attempt in 1..=8 {
        let fault = models.attempt(outgoing("openai-compatible"), open_reporter().0).await.unwrap_err();
        if fault.class == Class::Down {
            assert!((5..=8).contains(&attempt), "{attempt}");
            assert!(began.elapsed() < std::time::Duration::from_secs(5 * 60), "{:?}", began.elapsed());
            return;
        }
        assert_eq!(fault.class, Class::Unreachable, "{attempt}");
    }
    panic!("it does not hear of it within the attempts of one call");
}
