//! The models of the world: each attempt waits for its turn at its provider, leaves when that is on record, and is
//! sent once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::world::{Clock, Doing, Line, Models, Outgoing};
use model::gate::{self, Closed, Gate, Waiting};
use model::prefix::{Prefix, Prefixes, Turn};
use model::prices::{Prices, day};
use model::quota::Need;
use model::{Client, Endpoint, Listener};
use run::attempt::{Class, Fault};
use run::price::bytes_said;
use run::transcript::Round;
use run::{At, Reply};
use text::Clean;

/// Free bytes on the disk below which nothing is asked: an answer that is paid for has to be kept, with all that
/// follows from it.
const LEAST_ROOM: u64 = 64 << 20;
/// Bytes of the journal that a token of an answer takes at the most, with what follows from it.
const ROOM_A_TOKEN: u64 = 64;
/// Bytes of text that make a token, about.
const BYTES_A_TOKEN: u64 = 4;
/// Tokens of an answer that are reckoned with at the rate gate; most are shorter than they might be.
const USUAL_ANSWER: u32 = 2_000;
/// Why a sibling waits.
const SHARED: &str = "a sibling goes first, so that their shared beginning is cached";

/// The models of the providers that a run may ask.
#[derive(Clone)]
pub struct ProviderModels {
    client: Client,
    ways: BTreeMap<Clean, Way>,
    closed: BTreeMap<Clean, Clean>,
    prices: Arc<Prices>,
    clock: Arc<dyn Clock>,
    room: Room,
}

/// How many bytes the disk of the journal has left, as far as that can be known.
pub type Room = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

#[derive(Clone)]
struct Way {
    endpoint: Arc<Endpoint>,
    gate: Arc<Gate>,
    prefixes: Arc<Prefixes>,
}

impl ProviderModels {
    /// Nobody to ask yet.
    pub fn new(client: Client, prices: Arc<Prices>, clock: Arc<dyn Clock>) -> ProviderModels {
        let room: Room = Arc::new(|| None);
        ProviderModels { client, ways: BTreeMap::new(), closed: BTreeMap::new(), prices, clock, room }
    }

    /// Asks nobody while the disk that answers are kept on is as good as full.
    #[must_use]
    pub fn kept_on(mut self, room: Room) -> ProviderModels {
        self.room = room;
        self
    }

    /// Opens the way to a provider; `places` is how many requests it takes at the same time, if there is a limit.
    #[must_use]
    pub fn with(mut self, endpoint: Endpoint, places: Option<usize>) -> ProviderModels {
        let name = Clean::line(&endpoint.profile.name);
        let gate = Gate::new(name.clone(), places);
        self.ways.insert(name, Way { endpoint: Arc::new(endpoint), gate, prefixes: Arc::default() });
        self
    }

    /// Says why a provider that a run may want to ask cannot be asked, and what the person can do.
    #[must_use]
    pub fn without(mut self, provider: Clean, why: Clean) -> ProviderModels {
        self.closed.insert(provider, why);
        self
    }

    /// What this request shares with its siblings, if having it kept by the provider first saves anything.
    fn shared(&self, endpoint: &Endpoint, outgoing: &Outgoing) -> Option<Prefix> {
        if endpoint.profile.local || !endpoint.profile.quirks.caches() {
            return None;
        }
        let known = self.prices.known(&outgoing.request().model, day(self.clock.now()))?;
        let from = known.cache_from.filter(|_| known.rates.cache_read < known.rates.input)?;
        let prefix = self.client.prefix(endpoint, &outgoing.rounds)?;
        (prefix.bytes as u64 / BYTES_A_TOKEN >= from).then_some(prefix)
    }

    /// Why an answer to this could not be kept, if it could not.
    fn no_room(&self, outgoing: &Outgoing) -> Option<Fault> {
        let needed = LEAST_ROOM + ROOM_A_TOKEN * u64::from(outgoing.request().max_tokens);
        let left = (self.room)().filter(|left| *left < needed)?;
        let (left, needed) = (left >> 20, needed.div_ceil(1 << 20));
        let what = format!(
            "the disk of the journal has {left} MiB left, and {needed} are wanted before an answer is paid for that could not be kept: make room"
        );
        Some(Fault::before_sending(Class::NoRoom, what.into()))
    }

    fn no_way(&self, provider: &Clean) -> Fault {
        let why = self.closed.get(provider).cloned();
        let why = why.unwrap_or_else(|| format!("there is no way to {provider}: set its key").into());
        Fault::before_sending(Class::KeyRefused, format!("{why}, then pick the run up again").into())
    }
}

impl Models for ProviderModels {
    fn attempt(&self, outgoing: Outgoing, line: Line) -> Doing<Result<Reply, Fault>> {
        let provider = &outgoing.request().model.provider;
        let Some(Way { endpoint, gate, prefixes }) = self.ways.get(provider).cloned() else {
            let fault = self.no_way(provider);
            return Box::pin(async move { Err(fault) });
        };
        if let Some(fault) = self.no_room(&outgoing) {
            return Box::pin(async move { Err(fault) });
        }
        let shared = self.shared(&endpoint, &outgoing);
        let (client, clock) = (self.client.clone(), self.clock.clone());
        Box::pin(async move {
            // Before the gate: who waits for a sibling takes nobody's place there.
            let turn = match shared {
                Some(prefix) => {
                    let tell = |until: Option<Instant>| {
                        line.waiting(SHARED.into(), until.map(|until| moment(&*clock, until)));
                    };
                    Some(prefixes.turn(prefix, tell).await)
                }
                None => None,
            };
            let name = outgoing.request().model.provider.clone();
            let tell = |waiting: Waiting| line.waiting(waiting.why, waiting.until.map(|until| moment(&*clock, until)));
            let pass = gate.enter(need(&outgoing.rounds), tell).await.map_err(|closed| refused(&name, closed))?;
            if line.leaving().await.is_err() {
                return Err(Fault::before_sending(Class::Cancelled, "the run stopped before it was sent".into()));
            }
            turn.iter().for_each(Turn::leaves);
            let audience = Audience { line: &line, turn: turn.as_ref() };
            let answer = client.send(&endpoint, &outgoing.rounds, &outgoing.key, &audience).await;
            if answer.outcome.is_ok() {
                turn.iter().for_each(Turn::begins);
            }
            pass.ended(answer.outcome.as_ref().err(), &answer.limits);
            answer.outcome.map_err(|fault| left_to_the_person(&name, fault))
        })
    }
}

/// Who hears an answer as it comes: the person, and the siblings that wait for it to begin.
struct Audience<'a> {
    line: &'a Line,
    turn: Option<&'a Turn>,
}

impl Listener for Audience<'_> {
    fn begins(&self) {
        self.turn.into_iter().for_each(Turn::begins);
    }

    fn hears(&self, text: Clean) {
        self.line.shows(text);
    }
}

fn refused(name: &Clean, closed: Closed) -> Fault {
    match closed {
        Closed::Silent(what) => {
            let what = format!("{name} does not answer anybody: {what}");
            Fault::before_sending(Class::Unreachable, what.into())
        }
        Closed::Down(what) => {
            let what = format!("{name} has answered nobody for minutes: {what} Pick the run up again when it does");
            Fault::before_sending(Class::Down, what.into())
        }
        Closed::Paused(pause) => Fault::before_sending(Class::Down, paused(name, pause)),
    }
}

/// A pause that is too long to wait for is one for the person to end: the run keeps its place.
fn left_to_the_person(name: &Clean, fault: Fault) -> Fault {
    match fault.retry_after_ms.map(Duration::from_millis) {
        Some(pause) if fault.class == Class::Throttled && pause > gate::LONGEST_PAUSE => {
            let what = format!("{} {}", fault.what, paused(name, pause));
            Fault { class: Class::Down, what: what.into(), ..fault }
        }
        _ => fault,
    }
}

fn paused(name: &Clean, pause: Duration) -> Clean {
    let minutes = pause.as_secs().div_ceil(60);
    let time = if minutes < 60 { format!("{minutes} min") } else { format!("{} h {} min", minutes / 60, minutes % 60) };
    format!("{name} wants no requests with this key for another {time}. Pick the run up again then").into()
}

/// About what a request takes from the limits of its provider.
fn need(rounds: &[Round]) -> Need {
    let told = rounds.iter().rev().find_map(|round| Some(round.reply.as_ref()?.usage.input_total()));
    let bytes: u64 = rounds.iter().map(|round| bytes_said(&round.request.said)).sum();
    let most = rounds.last().map_or(0, |round| round.request.max_tokens);
    Need { input: told.unwrap_or(0).max(bytes / BYTES_A_TOKEN), output: most.min(USUAL_ANSWER).into() }
}

/// A moment of the runtime's clock on the clock of the wall.
fn moment(clock: &dyn Clock, at: Instant) -> At {
    let from_now = at.saturating_duration_since(Instant::now());
    At(clock.now().0.saturating_add(i64::try_from(from_now.as_millis()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests;
