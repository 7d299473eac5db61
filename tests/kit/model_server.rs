//! A model server on loopback for whole runs. It speaks OpenAI's chat completions and Responses, streamed, and does the work
//! of every specialist of a brief well (`answers.rs`), until a test orders otherwise: by model, role, key and count.
//!
//! It never waits, and answers the same to the same question.

mod answers;
mod responses;
pub mod stream;

use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::server::{Asked, Gate, Said, Scripted, Then};
use answers::Planning;
use text::locked::Locked;

/// A model server at work until the process ends.
pub struct ModelServer {
    server: Scripted,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    models: Vec<String>,
    planning: Planning,
    orders: Vec<Order>,
    asked: Vec<Question>,
    /// The text that was read so far, in the order in which providers cache it: tools, choice, form, then the messages.
    read: Vec<String>,
}

/// A question that a model was asked, and how it was answered.
#[derive(Clone, Debug)]
pub struct Question {
    /// The model's name at its provider.
    pub model: String,
    /// The specialist that asked, by the form of its question: `planner`, `researcher`, `writer`, `reviewer`, `supervisor`,
    /// `agent` (which does all), `judge`; `other`.
    pub role: &'static str,
    /// The key that came with it.
    pub key: Option<String>,
    /// The request.
    pub body: Value,
    /// The status that it was answered with.
    pub status: u16,
    /// Tokens of it that were read before as the beginning of another question, and all of them.
    pub cached: (u64, u64),
    /// The request as chat completions would put it, if it came in the other format.
    as_chat: Option<Value>,
}

impl Question {
    /// The question in chat completions.
    fn chat(&self) -> &Value {
        self.as_chat.as_ref().unwrap_or(&self.body)
    }

    fn said(&self, answer: stream::Answer) -> Said {
        if self.as_chat.is_some() { responses::said(&answer) } else { answer.into() }
    }
}

/// An order to the server to answer some questions otherwise than well. Of the orders that concern a question, the first one that
/// is not used up counts.
#[derive(Clone, Debug)]
pub struct Order {
    model: Option<String>,
    role: Option<&'static str>,
    key: Option<String>,
    pass: usize,
    times: usize,
    does: Does,
}

/// A way to misbehave.
#[derive(Clone, Debug)]
pub enum Does {
    /// Refuses or fails with a status, and a `Retry-After` if there is one.
    Status(u16, Option<String>),
    /// Begins to answer and says no more; the connection stays open.
    Stalls,
    /// Closes the connection in the middle of the answer.
    Cuts,
    /// Answers well, and bills this many output tokens.
    Bills(u64),
    /// Answers well, and does not tell what it used (chat completions).
    TellsNoUsage,
    /// Calls a tool with arguments that it does not take. If no tool is on offer it answers with less than nothing.
    CallsWrongly,
    /// Thinks for this many tokens before it answers: if the limit of the answer leaves no room for that, it is cut there.
    Thinks(u64),
    /// As a researcher, searches for the same thing again and again until it is told that an answer is its last.
    KeepsSearching,
    /// As a researcher, calls this tool with these arguments first, and reports the result.
    Uses(String, Value),
    /// Answers in these words.
    Says(String),
    /// Thinks this, and answers well; behind the thought and in the middle of the answer it waits for the gate (chat completions).
    Halts(String, Gate),
    /// Declines to answer.
    Declines,
    /// As a judge, prefers the first one that it reads.
    PrefersFirst,
    /// As a reviewer, finds no sentence supported.
    Vetoes,
    /// As a writer, says it in other words than the findings do, so that there is something to judge.
    Rewords,
    /// As a planner or supervisor, forgets these things.
    LeavesOut(Vec<String>),
}

impl Order {
    /// An order for all questions, for good.
    pub fn all(does: Does) -> Order {
        Order { model: None, role: None, key: None, pass: 0, times: usize::MAX, does }
    }

    /// An order for the questions to this model, for good.
    pub fn model(model: &str, does: Does) -> Order {
        Order { model: Some(model.into()), ..Order::all(does) }
    }

    /// Only with questions of this specialist.
    pub fn of(self, role: &'static str) -> Order {
        Order { role: Some(role), ..self }
    }

    /// Only with questions that come with this key.
    pub fn with_key(self, key: &str) -> Order {
        Order { key: Some(key.into()), ..self }
    }

    /// Only `times` times.
    pub fn times(self, times: usize) -> Order {
        Order { times, ..self }
    }

    /// Not with the first `pass` questions that it concerns.
    pub fn after(self, pass: usize) -> Order {
        Order { pass, ..self }
    }

    fn concerns(&self, question: &Question) -> bool {
        self.model.as_ref().is_none_or(|model| *model == question.model)
            && self.role.is_none_or(|role| role == question.role)
            && (self.key.is_none() || self.key == question.key)
    }
}

impl ModelServer {
    /// A server with these models, all of them good. One that it does not have is answered with 404.
    pub fn start(models: &[&str]) -> ModelServer {
        let models = models.iter().map(ToString::to_string).collect();
        let state = Arc::new(Mutex::new(State { models, ..State::default() }));
        let script = {
            let state = state.clone();
            move |asked: &Asked| lock(&state).answer(asked)
        };
        ModelServer { server: Scripted::start(script), state }
    }

    /// The base URL of its API.
    pub fn url(&self) -> String {
        self.server.url("/v1")
    }

    /// Orders it to misbehave, from now on.
    pub fn order(&self, order: Order) {
        lock(&self.state).orders.push(order);
    }

    /// From now on it answers everything well.
    pub fn mend(&self) {
        lock(&self.state).orders.clear();
    }

    /// As a planner it makes a task of each of these, for any question. Else it reads the things from the question.
    pub fn plan(&self, things: &[impl AsRef<str>]) {
        lock(&self.state).planning.things = things.iter().map(|thing| thing.as_ref().to_owned()).collect();
    }

    /// As a planner it lets each task wait for the one before it.
    pub fn plan_in_turn(&self) {
        lock(&self.state).planning.in_turn = true;
    }

    /// As a planner it gives each task to this role, not to a researcher.
    pub fn plan_for(&self, role: &str) {
        lock(&self.state).planning.role = Some(role.to_owned());
    }

    /// The questions so far, in the order in which they came.
    pub fn asked(&self) -> Vec<Question> {
        lock(&self.state).asked.clone()
    }

    /// The number of questions that this model was asked.
    pub fn asked_of(&self, model: &str) -> usize {
        self.asked().iter().filter(|question| question.model == model).count()
    }

    /// A table of `config.toml` with this server as a provider of this name, free of charge.
    pub fn config(&self, provider: &str) -> String {
        self.config_like(provider, "openai-compatible")
    }

    /// The same, with the profile of a built-in provider: `openai` speaks the Responses API.
    pub fn config_like(&self, provider: &str, like: &str) -> String {
        format!("[providers.{provider}]\nlike = \"{like}\"\nbase_url = \"{}\"\nfree = true\n", self.url())
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.locked()
}

impl State {
    fn answer(&mut self, asked: &Asked) -> Said {
        if asked.path().ends_with("/models") {
            let models: Vec<Value> = self.models.iter().map(|model| json!({ "id": model })).collect();
            return Said::new(200, "application/json", json!({ "data": models }).to_string());
        }
        let speaks = |path: &str| asked.path().ends_with(path);
        let is_known = speaks("/chat/completions") || speaks("/responses");
        let Some(body) = serde_json::from_str::<Value>(&asked.body).ok().filter(|_| is_known) else {
            return error(404, "there is nothing here");
        };
        let as_chat = speaks("/responses").then(|| responses::as_chat(&body));
        let key = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned);
        let model = body["model"].as_str().unwrap_or_default().to_owned();
        let role = answers::role(as_chat.as_ref().unwrap_or(&body));
        let mut question = Question { model, role, key, body, status: 200, cached: (0, 0), as_chat };
        question.cached = self.reads(question.chat());
        let said = self.said(&question);
        question.status = said.status;
        self.asked.push(question);
        said
    }

    /// Reads a question as a provider with a cache does: tokens that are known from the beginning of another one, and all.
    fn reads(&mut self, chat: &Value) -> (u64, u64) {
        let parts = ["tools", "tool_choice", "response_format", "messages"].map(|part| chat[part].to_string());
        let text = format!("{}{}", chat["model"], parts.concat());
        let common = |other: &String| other.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        let known = self.read.iter().map(common).max().unwrap_or(0);
        let tokens = (known as u64 / 4, text.len() as u64 / 4);
        self.read.push(text);
        tokens
    }

    fn said(&mut self, question: &Question) -> Said {
        if !self.models.contains(&question.model) {
            return error(404, "The model does not exist");
        }
        let does = self.orders.iter_mut().filter(|order| order.concerns(question)).find_map(|order| {
            if order.pass > 0 {
                order.pass -= 1;
                return None;
            }
            order.times = order.times.checked_sub(1)?;
            Some(order.does.clone())
        });
        let (cached, _) = question.cached;
        let good = |leave_out: &[String]| answers::good(question, &self.planning, leave_out).cached(cached);
        match does {
            None => question.said(good(&[])),
            Some(Does::Status(status, retry_after)) => {
                let said = error(status, "ordered by the test");
                retry_after.iter().fold(said, |said, wait| said.with("retry-after", wait))
            }
            Some(Does::Stalls) => question.said(good(&[])).then(Then::Stall),
            Some(Does::Cuts) => question.said(good(&[])).then(Then::Cut),
            Some(Does::Bills(tokens)) => question.said(good(&[]).bills(tokens)),
            Some(Does::TellsNoUsage) => question.said(good(&[]).without_usage()),
            Some(Does::CallsWrongly) => question.said(answers::wrong_call(question)),
            Some(Does::Thinks(tokens)) => {
                let limit = question.chat()["max_tokens"].as_u64().unwrap_or(u64::MAX);
                question.said(if limit > tokens { good(&[]) } else { stream::Answer::cut(limit) })
            }
            Some(Does::KeepsSearching) => question.said(answers::searches_again(question)),
            Some(Does::Uses(tool, arguments)) => question.said(answers::uses(question, &tool, arguments)),
            Some(Does::Says(words)) => question.said(stream::Answer::text(words)),
            Some(Does::Halts(thought, gate)) => question.said(good(&[]).halts(thought, gate)),
            Some(Does::Declines) => question.said(stream::Answer::declined()),
            Some(Does::PrefersFirst) if question.role == "judge" => question.said(answers::prefers_first(question)),
            Some(Does::PrefersFirst) => question.said(good(&[])),
            Some(Does::Vetoes) => question.said(answers::vetoes(question)),
            Some(Does::Rewords) => question.said(answers::rewords(question)),
            Some(Does::LeavesOut(things)) => question.said(good(&things)),
        }
    }
}

fn error(status: u16, message: &str) -> Said {
    let code = if status == 404 { json!("model_not_found") } else { Value::Null };
    let error = json!({ "error": { "message": message, "code": code } });
    Said::new(status, "application/json", error.to_string()).with("x-request-id", "r1")
}
