//! Asking: the common part of every test of this suite.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::{Answer, Client, Endpoint, Key, Patience, Profile, Secret};
use run::attempt::Fault;
use run::model::{Form, ModelRequest, Offer, Reply, Said};
use run::transcript::Round;
use serde_json::json;
use text::Clean;

/// The key of every test. It is looked for wherever something is said.
pub const CANARY: &str = "sk-canary-0123456789abcdef";

/// A provider at the address of a test's server.
pub fn endpoint(name: &str, base: &str) -> Endpoint {
    let profile: Arc<Profile> = Profile::named(name).unwrap();
    let variable = profile.keys[0].clone();
    let secret = Secret::new(CANARY).unwrap().unwrap();
    let key = Key { secret, sent_as: variable.sent_as, from: variable.env };
    Endpoint::at(&profile, Some(base), Some(key)).unwrap()
}

/// Patience for servers that answer at once, but on a busy machine.
pub fn patience() -> Patience {
    Patience {
        connect: Duration::from_secs(60),
        first_byte: Some(Duration::from_secs(60)),
        idle: Duration::from_secs(60),
        whole: Duration::from_secs(120),
    }
}

/// A request that offers two tools.
pub fn request(provider: &str) -> ModelRequest {
    let offer = |name: &str, required: &[&str]| Offer {
        name: name.into(),
        description: "Reads a page.".into(),
        schema: json!({"type": "object", "properties": {"url": {"type": "string"}}, "required": required}).into(),
    };
    ModelRequest {
        model: format!("{provider}/some-model").parse().unwrap(),
        afresh: true,
        said: vec![
            Said::System { text: "You answer briefly.".into() },
            Said::User { text: "Compare a.example and b.example".into() },
        ],
        offers: vec![offer("read_page", &["url"]), offer("list_pages", &[])].into(),
        form: Form::Free,
        max_tokens: 1_000,
        thinking: Default::default(),
    }
}

pub fn round(request: ModelRequest) -> Round {
    Round { request: Arc::new(request), reply: None }
}

/// Everything that is logged while it is there.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Asks once. No text about it, here or in a log of everything, contains the key.
pub async fn ask_through(client: &Client, endpoint: &Endpoint, rounds: &[Round]) -> (Answer, String) {
    let (log, heard) = (Log::default(), Mutex::new(String::new()));
    let to = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || to.clone());
    let logging = tracing::subscriber::set_default(subscriber.finish());
    let answer =
        client.send(endpoint, rounds, "r7f3k/a1.1", &|text: Clean| heard.lock().unwrap().push_str(&text)).await;
    drop(logging);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for said in [format!("{answer:?}"), format!("{client:?}"), format!("{endpoint:?}"), log] {
        assert!(!said.contains("canary"), "{said}");
    }
    if let Err(fault) = &answer.outcome {
        let recorded = serde_json::to_string(fault).unwrap();
        assert!(!recorded.contains("canary"), "{recorded}");
        assert!(fault.what.len() > 20 && !fault.what.contains('\u{1b}'), "{fault}");
    }
    (answer, heard.into_inner().unwrap())
}

/// Asks once, with this patience.
pub async fn ask_with(patience: Patience, endpoint: &Endpoint, rounds: &[Round]) -> (Answer, String) {
    ask_through(&Client::new(patience), endpoint, rounds).await
}

/// Asks a server once.
pub async fn ask(name: &str, base: &str) -> (Answer, String) {
    ask_with(patience(), &endpoint(name, base), &[round(request(name))]).await
}

/// The fault of a server that brings no answer.
pub async fn fault(name: &str, base: &str) -> Fault {
    ask(name, base).await.0.outcome.unwrap_err()
}

/// The answer of a server that brings one.
pub async fn reply(name: &str, base: &str) -> (Reply, String) {
    let (answer, heard) = ask(name, base).await;
    (answer.outcome.unwrap(), heard)
}
