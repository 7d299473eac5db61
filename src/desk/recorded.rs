//! Replays the recorded answers of runs: the same team at no cost, without models, documents or a network.
//!
//! A request that was not recorded fails with the difference, and the run stops. A fork with permission sends it to the
//! model instead, and reports the difference.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use text::locked::Locked;

use super::world::{AttemptReporter, BoxFuture, Models, OnProgress, Outgoing, ToolError, Tools};
use run::attempt::{Class, Fault};
use run::deed::Deed;
use run::evidence::Corpus;
use run::transcript::{CallEnd, Exchange, ExchangeEnd};
use run::{AssignmentId, CallId, Reply, Run, ToolCall, ToolResult, Transcript, unlike};
use text::Clean;

/// The most characters of a tool's arguments that are shown.
const MOST_SHOWN: usize = 300;

type Digest = [u8; 32];
/// Answers by the digest of the conversation before them, each with its call.
type Answers = HashMap<Digest, Vec<(CallId, Arc<Reply>)>>;
type Results = HashMap<String, Result<Arc<ToolResult>, Clean>>;

/// The recorded answers of a run and its fork ancestors: of models by conversation, of tools by request.
#[derive(Clone)]
pub struct Recorded {
    record: Arc<Record>,
    /// The answers replayed so far: each is replayed once, except to its own call.
    replayed: Arc<Mutex<HashSet<(Digest, CallId)>>>,
    models: Option<Arc<dyn Models>>,
    tools: Option<Arc<dyn Tools>>,
    /// Whether the first difference has been reported.
    reported: Arc<AtomicBool>,
    /// The first use of a tool that is not in the record, in a sentence: later requests differ because of it.
    unlike_tool: Arc<OnceLock<String>>,
}

struct Record {
    name: Clean,
    /// The first thing that the person did in the nearest run and that `--yes` does not do, in a sentence.
    led_by_person: Option<String>,
    corpus: Option<Arc<Corpus>>,
    /// The nearest run first.
    runs: Vec<BTreeMap<AssignmentId, Arc<Transcript>>>,
    /// Answers by conversation; indexed on first use.
    answers: OnceLock<Answers>,
    results: Results,
}

/// The reason why a request has no recorded answer.
enum Missing {
    /// No recorded request is equal; the text is the first difference.
    Unlike(String),
    /// The recorded call was given up.
    GivenUp(Class, Clean),
}

impl Recorded {
    /// The answers of this run, finished or not.
    pub fn of(run: &Run) -> Recorded {
        Recorded::of_all([run])
    }

    /// The answers of these runs, the nearest first.
    pub fn of_all<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Recorded {
        let (mut name, mut led_by_person) = (Clean::default(), None);
        let (mut corpus, mut transcripts, mut results) = (None, Vec::new(), HashMap::new());
        for run in runs {
            if transcripts.is_empty() {
                name = run.opening.as_ref().map_or_else(Clean::default, |opening| opening.run.as_str().into());
                led_by_person = run.deeds().first().map(|Deed { at, words, .. }| {
                    format!(
                        "its person led it another way (at {at}: {words}), which a record does not do again; \
                         `masthead fork {name} --at SEQ`, from an event after that, goes on with the same answers, free"
                    )
                });
            }
            corpus = corpus.or_else(|| run.corpus.clone());
            let mut of_run = BTreeMap::new();
            for assignment in run.assignments() {
                take_results(&assignment.transcript, &mut results);
                of_run.insert(assignment.id, assignment.transcript.clone());
            }
            transcripts.push(of_run);
        }
        let record = Record { name, led_by_person, corpus, runs: transcripts, answers: OnceLock::new(), results };
        let (replayed, reported, unlike_tool) = Default::default();
        Recorded { record: Arc::new(record), replayed, models: None, tools: None, reported, unlike_tool }
    }

    /// Sends unrecorded requests to these models. Answers already used in `run` are not replayed to another call.
    #[must_use]
    pub fn else_asking(mut self, models: Arc<dyn Models>, run: &Run) -> Recorded {
        self.models = Some(models);
        self.replayed = Arc::new(Mutex::new(replayed_in(run)));
        self
    }

    /// Runs unrecorded tool calls with these tools.
    #[must_use]
    pub fn else_using(mut self, tools: Arc<dyn Tools>) -> Recorded {
        self.tools = Some(tools);
        self
    }

    fn answer(&self, outgoing: &Outgoing) -> Result<Reply, Missing> {
        let Record { name, runs, .. } = &*self.record;
        let call = outgoing.call;
        let digest = unlike::digest(&outgoing.rounds);
        let answers = self.record.answers();
        let mut replayed = self.replayed.locked();
        let fits = answers.get(&digest).map_or(&[][..], Vec::as_slice);
        let own = fits.iter().find(|(recorded, _)| *recorded == call);
        let found = own.or_else(|| fits.iter().find(|(recorded, _)| !replayed.contains(&(digest, *recorded))));
        if let Some((recorded, reply)) = found {
            replayed.insert((digest, *recorded));
            return Ok(Reply { recorded: Some(*recorded), ..(**reply).clone() });
        }
        drop(replayed);
        let transcript = || {
            runs.iter()
                .find_map(|run| run.get(&call.assignment).filter(|transcript| exchange(transcript, call).is_some()))
        };
        let Some((transcript, recorded)) =
            transcript().and_then(|transcript| Some((transcript, exchange(transcript, call)?)))
        else {
            return Err(Missing::Unlike(format!("run {name} made no call {call}: this run goes another way")));
        };
        if let Some(unlike) = unlike::of(&transcript.conversation(call), &outgoing.rounds) {
            return Err(Missing::Unlike(format!("call {call} does not ask what it asked in run {name}: {unlike}")));
        }
        Err(match &recorded.end {
            ExchangeEnd::Failed(why) => {
                let for_good = recorded.fault().is_some_and(|fault| fault.class.is_final());
                Missing::GivenUp(if for_good { Class::GivenUpForGood } else { Class::GivenUp }, why.clone())
            }
            _ => Missing::Unlike(format!("call {call} was never answered in run {name}")),
        })
    }
}

fn exchange(transcript: &Transcript, call: CallId) -> Option<&Exchange> {
    transcript.exchanges().find(|exchange| exchange.call == call)
}

fn take_results(transcript: &Transcript, results: &mut Results) {
    for call in transcript.calls() {
        let result = match &call.end {
            CallEnd::Returned(result) => Ok(result.clone()),
            CallEnd::Failed(why) => Err(why.clone()),
            CallEnd::Queued | CallEnd::Pending | CallEnd::InDoubt | CallEnd::Refused(_) => continue,
        };
        // A success counts, even if the same request failed elsewhere.
        let Some(name) = name_of(&call.request) else { continue };
        let known = results.entry(name).or_insert_with(|| result.clone());
        if known.is_err() {
            *known = result;
        }
    }
}

/// Every answered call of a transcript, with the digest of its conversation.
fn digests(transcript: &Transcript) -> impl Iterator<Item = (Digest, CallId, &Arc<Reply>)> {
    let mut before: Digest = [0; 32];
    transcript.exchanges().filter_map(move |exchange| {
        if exchange.request.afresh {
            before = [0; 32];
        }
        let reply = exchange.reply()?;
        let asked = unlike::after(before, &exchange.request, None);
        before = unlike::after(before, &exchange.request, Some(reply));
        Some((asked, exchange.call, reply))
    })
}

fn replayed_in(run: &Run) -> HashSet<(Digest, CallId)> {
    let answers = run.assignments().flat_map(|assignment| digests(&assignment.transcript));
    answers.map(|(digest, call, reply)| (digest, reply.recorded.unwrap_or(call))).collect()
}

impl Record {
    fn answers(&self) -> &Answers {
        self.answers.get_or_init(|| {
            let mut answers = Answers::new();
            for (digest, call, reply) in
                self.runs.iter().flat_map(BTreeMap::values).flat_map(|transcript| digests(transcript))
            {
                let alike = answers.entry(digest).or_default();
                if alike.iter().all(|(known, _)| *known != call) {
                    alike.push((call, reply.clone()));
                }
            }
            answers
        })
    }
}

impl Models for Recorded {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let recorded = self.clone();
        Box::pin(async move {
            // A difference is not recorded as sent; an answer is recorded like any other.
            let reply = match (recorded.answer(&outgoing), &recorded.models) {
                (Ok(reply), _) => reply,
                (Err(missing), Some(models)) => {
                    if !recorded.reported.swap(true, Ordering::Relaxed) {
                        reporter.says(
                            format!("{}. From here on what differs is asked anew", missing.in_words(outgoing.call))
                                .into(),
                        );
                    }
                    return models.attempt(outgoing, reporter).await;
                }
                (Err(Missing::Unlike(what)), None) => {
                    let what = match recorded.unlike_tool.get() {
                        Some(first) => format!("{first}. After that: {what}"),
                        None => what,
                    };
                    let led = recorded.record.led_by_person.iter().map(|why| format!("; {why}"));
                    let what = led.fold(what, |what, why| what + &why);
                    return Err(Fault::before_sending(Class::Differs, what.into()));
                }
                (Err(Missing::GivenUp(class, why)), None) => return Err(Fault::before_sending(class, why)),
            };
            match reporter.sending().await {
                Ok(()) => Ok(reply),
                Err(_) => Err(Fault::before_sending(Class::Cancelled, "the run stopped before it was sent".into())),
            }
        })
    }
}

impl Missing {
    fn in_words(&self, call: CallId) -> String {
        match self {
            Missing::Unlike(what) => what.clone(),
            Missing::GivenUp(_, why) => format!("call {call} was given up then: {why}"),
        }
    }
}

impl Tools for Recorded {
    fn read_sources(&self, on_progress: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        let corpus = self.record.corpus.as_deref().cloned();
        if let (None, Some(tools)) = (&corpus, &self.tools) {
            return tools.read_sources(on_progress);
        }
        let unread = format!("run {} had not read its sources when its recording ends", self.record.name);
        Box::pin(async move { corpus.ok_or_else(|| unread.into()) })
    }

    fn perform(&self, request: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        let result = name_of(&request).and_then(|name| self.record.results.get(&name)).cloned();
        match (result, &self.tools) {
            (Some(Ok(result)), _) => Box::pin(async move { Ok((*result).clone()) }),
            (_, Some(tools)) => tools.perform(request),
            (Some(Err(why)), None) => Box::pin(async move { Err(why.into()) }),
            (None, None) => {
                let (name, tool) = (&self.record.name, &request.name);
                let arguments: String = request.arguments.get().to_string().chars().take(MOST_SHOWN).collect();
                let first = || format!("`{tool}` is used with {arguments}, and never was in run {name}");
                self.unlike_tool.get_or_init(first);
                let unlike: Clean =
                    format!("run {name} did not use `{tool}` like this: this run goes another way").into();
                Box::pin(async move { Err(unlike.into()) })
            }
        }
    }

    fn take_remark(&self) -> Option<Clean> {
        self.tools.as_ref()?.take_remark()
    }

    fn patience(&self, call: &ToolCall) -> Duration {
        self.tools.as_ref().map_or(tool::PATIENCE, |tools| tools.patience(call))
    }
}

/// The key of a request among the recorded ones; None if it cannot be serialised: then it matches none.
fn name_of(request: &ToolCall) -> Option<String> {
    serde_json::to_string(request).ok()
}
