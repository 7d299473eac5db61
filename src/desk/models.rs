//! Performs attempts of model calls: each waits for its provider's rate limit, is sent once its start is recorded, and
//! is sent once.

use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use text::locked::Locked;

use tokio::time::Instant;

use super::world::{AttemptReporter, BoxFuture, Clock, Models, Outgoing};
use model::health::{Health, Pass};
use model::prefix::{Prefix, Prefixes, Turn};
use model::prices::{Prices, day};
use model::quota::Need;
use model::rate_limit::{self, Permit, RateLimit, Unavailable, Waiting};
use model::renewing::Renewing;
use model::{Answer, Client, Endpoint, Listener, Patience};
use run::attempt::{About, Class, Fault};
use run::density::Density;
use run::progress::{self, Progress};
use run::transcript::Round;
use run::{At, ModelId, Reply};
use supervisor::Elsewhere;
use text::Clean;

/// The least free bytes on the journal's disk for a call: a paid answer and everything that follows from it must be
/// recorded.
const LEAST_ROOM: u64 = 64 << 20;
/// The most bytes in the journal per token of an answer, including everything that follows from it.
const ROOM_A_TOKEN: u64 = 64;
/// The most tokens of an answer that count for the rate limit: most answers are far shorter than `max_tokens`.
const TYPICAL_ANSWER: u32 = 2_000;
/// The reason why a sibling waits, in words.
const SHARED: &str = "a sibling goes first, so that their shared prefix is cached";

/// The providers that a run may call.
#[derive(Clone)]
pub struct ProviderModels {
    client: Client,
    routes: BTreeMap<Clean, Route>,
    unavailable: BTreeMap<Clean, Clean>,
    prices: Arc<Prices>,
    clock: Arc<dyn Clock>,
    room: Room,
    /// Patience where another model can do the work.
    hurried: Patience,
}

/// Returns the free bytes on the journal's disk; None if unknown.
pub type Room = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

#[derive(Clone)]
struct Route {
    endpoint: Arc<Renewing>,
    rate_limit: Arc<RateLimit>,
    /// The health of its models, by name.
    models: Arc<Mutex<BTreeMap<Clean, Arc<Health>>>>,
    prefixes: Arc<Prefixes>,
}

impl Route {
    fn health(&self, model: &ModelId) -> Arc<Health> {
        let mut models = self.models.locked();
        let new = || Health::new(Clean::line(&model.to_string()));
        models.entry(model.model.clone()).or_insert_with(new).clone()
    }
}

impl ProviderModels {
    /// Without any providers yet.
    pub fn new(client: Client, prices: Arc<Prices>, clock: Arc<dyn Clock>) -> ProviderModels {
        let room: Room = Arc::new(|| None);
        let hurried = Patience::HURRIED;
        ProviderModels { client, routes: BTreeMap::new(), unavailable: BTreeMap::new(), prices, clock, room, hurried }
    }

    /// With this patience where another model can do the work.
    #[must_use]
    pub fn hurried(mut self, patience: Patience) -> ProviderModels {
        self.hurried = patience;
        self
    }

    /// Refuses calls while the disk with the journal is almost full.
    #[must_use]
    pub fn kept_on(mut self, room: Room) -> ProviderModels {
        self.room = room;
        self
    }

    /// Adds a provider; `places` is the most simultaneous requests, if limited.
    #[must_use]
    pub fn with(mut self, endpoint: Endpoint, places: Option<usize>) -> ProviderModels {
        let name = Clean::line(&endpoint.profile.name);
        let rate_limit = RateLimit::new(name.clone(), places);
        let (models, prefixes) = Default::default();
        self.routes.insert(name, Route { endpoint: Arc::new(Renewing::new(endpoint)), rate_limit, models, prefixes });
        self
    }

    /// Adds a provider that cannot be called, with the reason and the remedy.
    #[must_use]
    pub fn without(mut self, provider: Clean, why: Clean) -> ProviderModels {
        self.unavailable.insert(provider, why);
        self
    }

    /// The prefix that this request shares with its siblings, if caching it first saves money.
    fn shared(&self, endpoint: &Endpoint, outgoing: &Outgoing) -> Option<Prefix> {
        if endpoint.profile.local || !endpoint.profile.quirks.caches() {
            return None;
        }
        let known = self.prices.known(&outgoing.request().model, day(self.clock.now()))?;
        let from = known.cache_from.filter(|_| known.rates.cache_read < known.rates.input)?;
        let prefix = self.client.prefix(endpoint, &outgoing.rounds)?;
        (Density::default().tokens(prefix.bytes as u64) >= from).then_some(prefix)
    }

    /// The failure if the disk has no room for the answer.
    fn no_room(&self, outgoing: &Outgoing) -> Option<Fault> {
        let needed = LEAST_ROOM + ROOM_A_TOKEN * u64::from(outgoing.request().max_tokens);
        let left = (self.room)().filter(|left| *left < needed)?;
        let (left, needed) = (left >> 20, needed.div_ceil(1 << 20));
        let what = format!(
            "the disk of the journal has {left} MiB left; a call needs {needed}, so that a paid answer can be recorded: make room"
        );
        Some(Fault::before_sending(Class::NoRoom, what.into()))
    }

    fn no_route(&self, provider: &Clean) -> Fault {
        let why = self.unavailable.get(provider).cloned();
        let why = why.unwrap_or_else(|| format!("{provider} cannot be called: set its key").into());
        Fault::before_sending(Class::KeyRefused, format!("{why}, then resume the run").into())
    }
}

impl Models for ProviderModels {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let provider = &outgoing.request().model.provider;
        let Some(route) = self.routes.get(provider).cloned() else {
            let fault = self.no_route(provider);
            return Box::pin(async move { Err(fault) });
        };
        let health = route.health(&outgoing.request().model);
        let Route { endpoint, rate_limit, prefixes, .. } = route;
        if let Some(fault) = self.no_room(&outgoing) {
            return Box::pin(async move { Err(fault) });
        }
        let shared = self.shared(&endpoint.now(), &outgoing);
        let (client, clock, hurried) = (self.client.clone(), self.clock.clone(), self.hurried);
        Box::pin(async move {
            // Before the rate limit: waiting for a sibling must not take a place there.
            let turn = match shared {
                Some(prefix) => {
                    let tell = |until: Option<Instant>| {
                        reporter.waiting(SHARED.into(), until.map(|until| moment(&*clock, until)));
                    };
                    Some(prefixes.turn(prefix, tell).await)
                }
                None => None,
            };
            let asked = Asked::of(&outgoing);
            let tell =
                |waiting: Waiting| reporter.waiting(waiting.why, waiting.until.map(|until| moment(&*clock, until)));
            let (pass, permit) = asked.permitted(&health, &rate_limit, need(&outgoing.rounds), tell).await?;
            let used = endpoint.renewed().await?;
            if reporter.sending().await.is_err() {
                return Err(Fault::before_sending(Class::Cancelled, "the run stopped before it was sent".into()));
            }
            turn.iter().for_each(Turn::leaves);
            let client = if outgoing.elsewhere.model { client.hurried(hurried) } else { client };
            let gives_up = client.waits_for_first_byte(&used);
            let audience = Audience { reporter: &reporter, turn: turn.as_ref(), heard: Mutex::default(), gives_up };
            let sending = pin!(client.send(&used, &outgoing.rounds, &outgoing.key, &audience));
            let answer = audience.watches(outgoing.request().max_tokens, sending).await;
            let outcome = answer.outcome.map_err(|fault| endpoint.failed(&used, fault));
            if outcome.is_ok() {
                endpoint.accepted(&used);
                turn.iter().for_each(Turn::begins);
            }
            asked.settled(Answer { outcome, ..answer }, pass, permit).outcome
        })
    }
}

/// The request of an attempt, and whether another model could do its work.
struct Asked {
    /// The name of the provider.
    provider: Clean,
    /// The name of the model, with its provider.
    model: Clean,
    elsewhere: Elsewhere,
}

impl Asked {
    fn of(outgoing: &Outgoing) -> Asked {
        let model = &outgoing.request().model;
        let (provider, name) = (model.provider.clone(), Clean::line(&model.to_string()));
        Asked { provider, model: name, elsewhere: outgoing.elsewhere }
    }

    /// Waits until the model is well and the rate limit has room for the request.
    async fn permitted(
        &self,
        health: &Arc<Health>,
        rate_limit: &Arc<RateLimit>,
        need: Need,
        tell: impl Fn(Waiting) + Copy,
    ) -> Result<(Pass, Permit), Fault> {
        loop {
            let pass = health.pass(self.elsewhere.model, tell).await;
            let pass = pass.map_err(|why| refused(&self.model, why, Class::ModelDown))?;
            let permit = rate_limit.acquire(need, self.elsewhere.provider, tell).await;
            let permit = permit.map_err(|why| refused(&self.provider, why, Class::Down))?;
            // The model may have failed elsewhere meanwhile.
            if pass.holds() {
                return Ok((pass, permit));
            }
        }
    }

    /// The answer as it is recorded; model and rate limit learn of it.
    fn settled(&self, answer: Answer, pass: Pass, permit: Permit) -> Answer {
        let Answer { outcome, limits } = answer;
        let fault = outcome.as_ref().err();
        let failed = fault.map(|fault| permit.means(fault, &self.model, self.elsewhere.model));
        let about = failed.map(|failed| failed.about);
        let is_model_down = pass.ended(failed);
        let is_down = permit.ended(failed, &limits);
        let outcome = outcome.map_err(|fault| match about {
            Some(About::Model) => given_up(&self.model, fault, is_model_down, Class::ModelDown),
            _ => given_up(&self.provider, fault, is_down, Class::Down),
        });
        Answer { outcome, limits }
    }
}

/// Receives an answer as it arrives: for the person, and for the siblings that wait for it to begin.
struct Audience<'a> {
    reporter: &'a AttemptReporter,
    turn: Option<&'a Turn>,
    heard: Mutex<Heard>,
    /// The longest wait for anything to come.
    gives_up: Duration,
}

/// Progress of an answer under way.
#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    doing: progress::Doing,
    bytes: u64,
    /// The time at which the first of them came.
    since: Option<Instant>,
}

/// The interval of progress notices.
const TELLING: Duration = Duration::from_secs(1);

impl Audience<'_> {
    /// Waits for an answer, and reports meanwhile how far it is. It borrows the call: a future that it owned would hold it twice.
    async fn watches<T>(&self, most: u32, mut sending: Pin<&mut impl Future<Output = T>>) -> T {
        let began = Instant::now();
        let mut ticks = tokio::time::interval_at(began + TELLING, TELLING);
        loop {
            tokio::select! {
                biased;
                answer = &mut sending => return answer,
                _ = ticks.tick() => self.reporter.goes_on(self.progress(began, most)),
            }
        }
    }

    fn progress(&self, began: Instant, most: u32) -> Progress {
        let Heard { doing, bytes, since } = *self.heard.locked();
        let ms = |since: Instant| u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let tokens = Density::default().tokens(bytes);
        let gives_up_ms = u32::try_from(self.gives_up.as_millis()).unwrap_or(u32::MAX);
        Progress { doing, ms: ms(began), tokens, most, gives_up_ms, writing_ms: since.map_or(0, ms) }
    }
}

impl Listener for Audience<'_> {
    fn begins(&self) {
        self.turn.into_iter().for_each(Turn::begins);
    }

    fn hears(&self, what: progress::Saying, text: Clean) {
        self.reporter.shows(what, text);
    }

    fn is_at(&self, doing: progress::Doing, bytes: usize) {
        let mut heard = self.heard.locked();
        heard.doing = doing;
        heard.bytes = bytes as u64;
        if bytes > 0 {
            heard.since.get_or_insert_with(Instant::now);
        }
    }
}

/// The failure of an attempt that was not sent; `down` is its class if `name` is down.
fn refused(name: &Clean, unavailable: Unavailable, down: Class) -> Fault {
    match unavailable {
        Unavailable::Silent(what) => {
            let class = if down == Class::ModelDown { Class::Server } else { Class::Unreachable };
            let what = format!("{name} does not answer: {what}");
            Fault::before_sending(class, what.into())
        }
        Unavailable::Down(what) => Fault::before_sending(down, down_in_words(name, &what)),
        Unavailable::Paused(pause) => Fault::before_sending(down, pause_in_words(name, pause)),
        Unavailable::Avoided(what) => {
            let what = format!("{name} was not asked, because it fails just now and another can do the work: {what}");
            Fault::before_sending(Class::Avoided, what.into())
        }
    }
}

/// Turns the failure of an attempt into one that parks the run, if `name` is down or asks for too long a pause.
fn given_up(name: &Clean, fault: Fault, is_down: bool, down: Class) -> Fault {
    let asks = matches!(fault.class, Class::Throttled | Class::Overloaded);
    let pause = fault.retry_after_ms.map(Duration::from_millis).filter(|_| asks);
    let what = match pause.filter(|pause| *pause > rate_limit::LONGEST_PAUSE) {
        Some(pause) => format!("{} {}", fault.what, pause_in_words(name, pause)).into(),
        None if is_down => down_in_words(name, &fault.what),
        None => return fault,
    };
    Fault { class: down, what, ..fault }
}

fn down_in_words(name: &Clean, what: &Clean) -> Clean {
    format!("{name} has not answered for minutes: {what} Resume the run when it does").into()
}

fn pause_in_words(name: &Clean, pause: Duration) -> Clean {
    let minutes = pause.as_secs().div_ceil(60);
    let time = if minutes < 60 { format!("{minutes} min") } else { format!("{} h {} min", minutes / 60, minutes % 60) };
    format!("{name} accepts no requests with this key for another {time}. Resume the run then").into()
}

/// The estimated size of a request for the rate limit.
fn need(rounds: &[Round]) -> Need {
    let reported = rounds.iter().rev().find_map(|round| Some(round.reply.as_ref()?.usage.input_total()));
    let messages = rounds.iter().flat_map(|round| &round.request.said);
    let bytes: u64 = messages.map(|message| message.bytes() as u64).sum();
    let most = rounds.last().map_or(0, |round| round.request.max_tokens);
    Need { input: reported.unwrap_or(0).max(Density::default().tokens(bytes)), output: most.min(TYPICAL_ANSWER).into() }
}

/// Converts an instant of the runtime's clock to wall-clock time.
fn moment(clock: &dyn Clock, at: Instant) -> At {
    let from_now = at.saturating_duration_since(Instant::now());
    At(clock.now().0.saturating_add(i64::try_from(from_now.as_millis()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests;
