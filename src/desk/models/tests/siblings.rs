//! Siblings of a fan-out: one goes first, so that their common beginning is paid for once.

use std::sync::mpsc;
use std::time::Duration;

use super::*;
use model::profile::SentAs;
use model::{Key, Secret};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const STARTS: &str = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"m\",\"content\":[],\
                      \"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n";
/// Thinking that is kept from us: not a word of it, and the answer has begun all the same.
const BEGINS: &str = "data: {\"type\":\"content_block_start\",\"index\":0,\
                      \"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}}\n\n";
const ENDS: &str = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
                    data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n\
                    data: {\"type\":\"message_stop\"}\n\n";

/// A request that has arrived, and the way to answer it.
struct Arrived {
    body: serde_json::Value,
    stream: std::net::TcpStream,
}

impl Arrived {
    fn says(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }
}

/// A server whose answers, and their times, the test decides.
fn patient_server() -> (String, mpsc::Receiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (arrived, arrivals) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, arrived) = (stream.unwrap(), arrived.clone());
            std::thread::spawn(move || {
                let mut stream = stream;
                let body = serde_json::from_slice(&read_request(&mut stream)).unwrap();
                let _ = arrived.send(Arrived { body, stream });
            });
        }
    });
    (url, arrivals)
}

fn asks(provider: &str, model: &str, system: &str, task: &str) -> Outgoing {
    let mut outgoing = outgoing(provider);
    let request = Arc::make_mut(&mut outgoing.rounds[0].request);
    request.model = format!("{provider}/{model}").parse().unwrap();
    request.said.insert(0, Said::System { text: system.into() });
    request.said[1] = Said::User { text: task.into() };
    outgoing
}

fn claude(url: &str) -> ProviderModels {
    let key =
        Key { secret: Secret::new("sk-x-0123456789").unwrap().unwrap(), sent_as: SentAs::XApiKey, from: "K".into() };
    models_at(Endpoint::at(&Profile::named("anthropic").unwrap(), Some(url), Some(key)).unwrap(), None)
}

type Attempt = tokio::task::JoinHandle<Result<Reply, Fault>>;

struct Siblings {
    arrivals: mpsc::Receiver<Arrived>,
    attempts: Vec<Attempt>,
    waits: Vec<Arc<Mutex<Vec<Notice>>>>,
}

/// Four of a kind, all of which want to leave at once.
fn four(model: &str, system: &str) -> Siblings {
    let (url, arrivals) = patient_server();
    let models = claude(&url);
    let (mut attempts, mut waits) = (Vec::new(), Vec::new());
    for task in ["one", "two", "three", "four"] {
        let (reporter, heard) = open_reporter();
        attempts.push(tokio::spawn(models.attempt(asks("anthropic", model, system, task), reporter)));
        waits.push(heard);
    }
    Siblings { arrivals, attempts, waits }
}

impl Siblings {
    async fn next(&mut self) -> Arrived {
        self.within(Duration::from_secs(120)).await.expect("a request")
    }

    /// The next request that comes in this time. This wait is not polled, so the runtime goes on.
    async fn within(&mut self, time: Duration) -> Option<Arrived> {
        let arrivals = std::mem::replace(&mut self.arrivals, mpsc::channel().1);
        let (got, arrivals) =
            tokio::task::spawn_blocking(move || (arrivals.recv_timeout(time).ok(), arrivals)).await.unwrap();
        self.arrivals = arrivals;
        got
    }
}

const LITTLE: Duration = Duration::from_millis(150);

#[tokio::test]
async fn the_first_sibling_leaves_alone_and_the_others_when_its_answer_has_begun() {
    let shared = "Instructions. ".repeat(300);
    let mut siblings = four("claude-haiku-5-5", &shared);
    let mut first = siblings.next().await;
    first.says(HEAD);
    first.says(STARTS);
    assert!(siblings.within(LITTLE).await.is_none(), "nothing of the answer itself is there yet");
    let waiting: Vec<Notice> = siblings.waits.iter().flat_map(|heard| heard.lock().unwrap().clone()).collect();
    assert!(waiting.iter().all(|notice| matches!(notice, Notice::Waiting { why, .. } if why.contains("sibling"))));
    assert!(waiting.iter().any(|notice| matches!(notice, Notice::Waiting { until: Some(_), .. })), "{waiting:?}");
    first.says(BEGINS);
    let mut all = vec![first, siblings.next().await, siblings.next().await, siblings.next().await];
    let begins: Vec<String> =
        all.iter().map(|arrived| format!("{}{}", arrived.body["tools"], arrived.body["system"])).collect();
    assert!(begins.iter().all(|begin| *begin == begins[0] && begin.contains("cache_control")), "{begins:?}");
    let tasks: std::collections::BTreeSet<String> = all.iter().map(|a| a.body["messages"].to_string()).collect();
    assert_eq!(tasks.len(), 4, "each has a task of its own");
    all[0].says(ENDS);
    all[1..].iter_mut().for_each(|sibling| sibling.says(&[HEAD, STARTS, BEGINS, ENDS].concat()));
    drop(all);
    for attempt in siblings.attempts {
        attempt.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_sibling_that_fails_lets_the_next_one_go_first() {
    let mut siblings = four("claude-haiku-5-5", &"Instructions. ".repeat(300));
    let mut first = siblings.next().await;
    first.says("HTTP/1.1 500 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    drop(first);
    let mut second = siblings.next().await;
    assert!(siblings.within(LITTLE).await.is_none());
    // It goes away in the middle of its head, which is a failure too.
    second.says("HTTP/1.1 200");
    drop(second);
    let mut third = siblings.next().await;
    assert!(siblings.within(LITTLE).await.is_none());
    third.says(&[HEAD, STARTS, BEGINS, ENDS].concat());
    drop(third);
    siblings.next().await.says(&[HEAD, STARTS, BEGINS, ENDS].concat());
    let mut ends = Vec::new();
    for attempt in siblings.attempts {
        ends.push(attempt.await.unwrap().is_ok());
    }
    assert_eq!(ends.iter().filter(|ok| **ok).count(), 2, "{ends:?}");
}

#[tokio::test]
async fn nobody_waits_where_it_would_bring_nothing() {
    let long = "Instructions. ".repeat(300);
    for (model, system) in [
        // Too short for any cache, too short for this model's, and a model of which nothing is known.
        ("claude-haiku-5-5", "Be brief."),
        ("claude-haiku-4-5", long.as_str()),
        ("some-model", long.as_str()),
    ] {
        let mut siblings = four(model, system);
        for _ in 0..4 {
            siblings.next().await;
        }
    }
}

#[test]
fn what_pays_is_told_by_the_profile_and_the_price() {
    let long = "Instructions. ".repeat(400);
    for (provider, base, model, waits) in [
        ("openai", "https://api.openai.com/v1", "gpt-6-sol", true),
        // Another server behind the same variable, one on this machine, one whose habits nobody knows.
        ("openai", "https://elsewhere.example/v1", "gpt-6-sol", false),
        ("ollama", "http://127.0.0.1:11434/v1", "gpt-6-sol", false),
        ("openrouter", "https://openrouter.ai/api/v1", "anthropic/claude-haiku-5-5", false),
    ] {
        let profile = Profile::named(provider).unwrap();
        let key = profile.keys.first().map(|key| Key {
            secret: Secret::new("sk-x-0123456789").unwrap().unwrap(),
            sent_as: key.sent_as,
            from: key.env.clone(),
        });
        let endpoint = Endpoint::at(&profile, Some(base), key).unwrap();
        let models = models_at(endpoint.clone(), None);
        let shared = models.shared(&endpoint, &asks(provider, model, &long, "one"));
        assert_eq!(shared.is_some(), waits, "{provider} at {base}");
        assert_eq!(shared, models.shared(&endpoint, &asks(provider, model, &long, "two")));
        let other = models.shared(&endpoint, &asks(provider, model, &format!("{long}!"), "one"));
        assert!(shared.is_none() || shared != other);
    }
}

#[tokio::test]
async fn one_who_waits_for_a_sibling_can_be_stopped_and_has_not_left() {
    let (url, arrivals) = patient_server();
    let (models, shared) = (claude(&url), "Instructions. ".repeat(300));
    let (first, _) = open_reporter();
    let _first = tokio::spawn(models.attempt(asks("anthropic", "claude-haiku-5-5", &shared, "one"), first));
    let arrived = tokio::task::spawn_blocking(move || arrivals.recv().unwrap()).await.unwrap();
    let (reporter, mut left, heard) = reporter();
    let attempt = tokio::spawn(models.attempt(asks("anthropic", "claude-haiku-5-5", &shared, "two"), reporter));
    while heard.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    attempt.abort();
    assert!(attempt.await.unwrap_err().is_cancelled());
    assert!(left.recv().await.is_none(), "it was never recorded as sent");
    drop(arrived);
}
