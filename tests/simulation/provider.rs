//! A provider made of chance: its answers are a function of its input, its failures are not, and it keeps a bill of its own, which
//! nobody else sees.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desk::{AttemptReporter, BoxFuture, Models, Outgoing};
use run::attempt::{Charge, Class, Fault, Reached};
use run::event::Event;
use run::model::{Arguments, Content, Form, ModelRequest, Said, StopReason, Untouched, Usage};
use run::price::Rates;
use run::team::{AssignedModel, FailureStep, Kind, StructuredOutput};
use run::transcript::{ExchangeEnd, Round};
use run::{CallId, Money, Reply, Role, Run, Team};
use serde_json::{Value, json};

use crate::record::{Read, Record};
use crate::world::{Chance, hash};
use crate::{formats, shipped};

/// The provider's charges for each attempt of a call, whether the run knows of it or not.
#[derive(Clone, Default)]
pub struct Bill(Arc<Mutex<BTreeMap<CallId, Vec<Charged>>>>);

/// The charge for one attempt, in pico-dollars.
#[derive(Clone, Copy)]
struct Charged {
    pico: u64,
    /// The part of it above the run's reservation.
    above: u64,
}

impl Bill {
    fn add(&self, call: CallId, pico: u64, reserved: Money) {
        let charged = Charged { pico, above: pico.saturating_sub(reserved.0) };
        self.0.lock().unwrap().entry(call).or_default().push(charged);
    }

    /// Pico-dollars in all.
    pub fn total(&self) -> u64 {
        self.0.lock().unwrap().values().flatten().map(|charged| charged.pico).sum()
    }

    /// Pico-dollars of the calls that were answered, which the run was told of to the last one.
    pub fn answered(&self, run: &Run) -> u64 {
        let bill = self.0.lock().unwrap();
        answered(run).filter_map(|call| Some(bill.get(&call)?.last()?.pico)).sum()
    }

    /// Pico-dollars above reservations that the run has been told of: those of calls that were answered.
    pub fn above(&self, run: &Run) -> u64 {
        let bill = self.0.lock().unwrap();
        answered(run).filter_map(|call| Some(bill.get(&call)?.last()?.above)).sum()
    }

    /// Pico-dollars above reservations of which the run has not been told, and cannot know.
    pub fn unknown_above(&self, run: &Run) -> u64 {
        let all: u64 = self.0.lock().unwrap().values().flatten().map(|charged| charged.above).sum();
        all - self.above(run)
    }

    /// Attempts that were sent, to whichever model.
    fn attempts(&self) -> u64 {
        self.0.lock().unwrap().values().map(|charged| charged.len() as u64).sum()
    }

    fn sent(&self, call: CallId) -> u32 {
        self.0.lock().unwrap().get(&call).map_or(0, |charged| charged.len() as u32)
    }
}

fn answered(run: &Run) -> impl Iterator<Item = CallId> {
    let exchanges = run.assignments().flat_map(|assignment| assignment.transcript.exchanges());
    exchanges.filter(|exchange| matches!(exchange.end, ExchangeEnd::Answered(_))).map(|exchange| exchange.call)
}

pub fn rates() -> Rates {
    Rates {
        input: 2_000_000,
        output: 10_000_000,
        cache_read: 200_000,
        cache_write: 2_500_000,
        as_of: "simulated".into(),
        ..Rates::default()
    }
}

/// The simulated model at work.
pub fn assigned_model(seed: u64) -> AssignedModel {
    let output = [StructuredOutput::Schema, StructuredOutput::Tool, StructuredOutput::Text][(seed % 3) as usize];
    AssignedModel { rates: Some(rates()), max_tokens: 600, structured_output: output, ..kit::assigned_model("sim/one") }
}

/// The models of the provider, each the fallback of those before it.
const MODELS: [&str; 4] = ["one", "two", "three", "four"];

/// The default team, in which each role has all models of the provider.
pub fn team_with_fallbacks(seed: u64) -> Team {
    let mut team = team(seed);
    for member in team.members.values_mut().filter(|member| member.kind == Kind::Model) {
        let Some(first) = member.model.clone() else { continue };
        let other = |name: &&str| AssignedModel { id: format!("sim/{name}").parse().unwrap(), ..first.clone() };
        member.fallbacks = MODELS[1..].iter().map(other).collect();
        // One step of the policy for each.
        member.on_failure = vec![FailureStep::Failover; MODELS.len() - 1];
        member.on_failure.insert(0, FailureStep::Retry);
    }
    team
}

/// The default team, thinking with the simulated model.
pub fn team(seed: u64) -> Team {
    let mut team = shipped::team();
    let model = assigned_model(seed);
    let roles = [Role::PLANNER, Role::RESEARCHER, Role::WRITER, Role::REVIEWER].map(Role::new);
    team::assign_models(&mut team, shipped::prompts(), roles.into_iter().map(|role| (role, model.clone(), vec![])));
    assert!(team.members.values().filter(|member| member.kind == Kind::Model).count() == 4);
    team
}

/// The same team with the simulated model as its lead, which leads as the whim takes it.
pub fn led_team(seed: u64) -> Team {
    let mut team = team(seed);
    team.led_by(Kind::Model);
    let planner = team.members[&Role::new(Role::PLANNER)].model.clone().unwrap();
    team::assign_models(&mut team, shipped::prompts(), [(Role::new(Role::SUPERVISOR), planner, vec![])]);
    team.check_plan = seed.is_multiple_of(5);
    team
}

/// The behaviour of the provider, in percent of attempts.
#[derive(Clone, Copy, Default)]
pub struct Conduct {
    /// The attempts that fail.
    pub failing: u64,
    /// Those whose answer is billed above its reservation.
    pub overbilling: u64,
    /// The number of attempts after which the next model fails for good, one after the other; the last one stays. 0: none does.
    pub falls_every: u64,
}

impl Conduct {
    pub fn failing(failing: u64) -> Conduct {
        Conduct { failing, ..Conduct::default() }
    }
}

pub struct Provider {
    pub seed: u64,
    pub chance: Mutex<Chance>,
    pub conduct: Conduct,
    pub bill: Bill,
    pub record: Arc<Record>,
}

impl Models for Provider {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let (wait, work, fate) = {
            let mut chance = self.chance.lock().unwrap();
            (chance.below(300), chance.below(900), chance.below(100))
        };
        // A second attempt comes through, so that a run's end does not depend on luck.
        let fate = if outgoing.attempt >= 2 || fate >= self.conduct.failing { None } else { Some(fate % 6) };
        let overbilling = self.conduct.overbilling;
        let model = MODELS.iter().position(|model| **model == *outgoing.request().model.model).unwrap_or(0) as u64;
        let falls_every = self.conduct.falls_every;
        let (seed, bill, record) = (self.seed, self.bill.clone(), self.record.clone());
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(wait)).await;
            if fate == Some(0) {
                return Err(Fault::before_sending(Class::Unreachable, "no route".into()));
            }
            if reporter.sending().await.is_err() {
                std::future::pending::<()>().await;
            }
            let call = outgoing.call;
            let reserved = reserved(seed, call, &bill, &record.now());
            let mut reply = answer(seed, &outgoing);
            let part = Usage { output: reply.usage.output / 3, ..reply.usage };
            if hash(seed, &call.to_string()) % 100 < overbilling {
                // It thought for longer than it was allowed to, and charges for it.
                reply.usage.output += 20 * u64::from(outgoing.request().max_tokens);
            }
            let reply = formats::spoken(seed, &outgoing, &reply);
            let whole = rates().cost(&reply.usage).0;
            let fault = |class, reached, charge| Fault {
                reached,
                charge,
                retry_after_ms: None,
                ..Fault::unseen(class, "the simulated provider failed".into())
            };
            let fallen = bill.attempts().checked_div(falls_every).unwrap_or(0).min(MODELS.len() as u64 - 1);
            if model < fallen {
                bill.add(call, 0, reserved);
                // Each fails in its own way: its server, its name, its load.
                let class = [Class::Server, Class::NoSuchModel, Class::Overloaded][(seed + model) as usize % 3];
                return Err(fault(class, Reached::Status, Charge::Nothing));
            }
            match fate {
                Some(1) => {
                    bill.add(call, 0, reserved);
                    Err(fault(Class::Throttled, Reached::Status, Charge::Nothing))
                }
                Some(2) => {
                    // Charges for everything, and nobody is told.
                    bill.add(call, whole, reserved);
                    Err(fault(Class::Cut, Reached::Content, Charge::AtLeast(part)))
                }
                Some(3) => {
                    bill.add(call, whole, reserved);
                    Err(fault(Class::Broken, Reached::Sent, Charge::Unknown))
                }
                Some(4) => {
                    bill.add(call, 0, reserved);
                    Err(fault(Class::KeyRefused, Reached::Status, Charge::Nothing))
                }
                Some(5) => {
                    bill.add(call, whole / 2, reserved);
                    Err(fault(Class::Server, Reached::Status, Charge::Unknown))
                }
                _ => {
                    // Paid for from the moment it leaves, whether anybody is there for the answer or not.
                    bill.add(call, whole, reserved);
                    tokio::time::sleep(Duration::from_millis(work)).await;
                    reporter.shows(run::progress::Saying::Answer, "…".into());
                    Ok(reply)
                }
            }
        })
    }
}

/// The reservation on the disk for a call that leaves now, and may.
fn reserved(seed: u64, call: CallId, bill: &Bill, on_disk: &Read) -> Money {
    // 1. Intent before bytes: this attempt is on disk, and the call was not answered before.
    let Read { events, run } = on_disk;
    let on_record = |wanted: &dyn Fn(&Event) -> bool| events.iter().filter(|e| wanted(&e.event)).count() as u32;
    let sent = on_record(&|event| matches!(event, Event::AttemptSent { call: c, .. } if *c == call));
    assert!(bill.sent(call) < sent, "seed {seed}: {call} left without its leaving on record");
    let answered = on_record(&|event| matches!(event, Event::ModelReplied { call: c, .. } if *c == call));
    assert_eq!(answered, 0, "seed {seed}: {call} is paid for twice");
    // 3. Never again in silence: each repetition stands behind a failure or an answer of the person.
    let reasons = on_record(&|event| match event {
        Event::AttemptFailed { call: c, .. } | Event::DoubtAnswered { call: c, .. } => *c == call,
        _ => false,
    });
    assert!(sent <= 1 + reasons, "seed {seed}: {call} was sent {sent} times for {reasons} reasons");
    // Given up between its leaving and this look at the record, it is in doubt for all that was reserved.
    let in_doubt = || {
        events.iter().rev().find_map(|envelope| match &envelope.event {
            Event::AttemptFailed { call: c, doubt, .. } if *c == call => Some(doubt.money()),
            _ => None,
        })
    };
    let under_way = run.under_way.get(&call).map(|one| one.amounts.money());
    let reserved = under_way.or_else(in_doubt).unwrap_or_default();
    assert!(reserved > Money::default(), "seed {seed}: nothing is reserved for {call}");
    reserved
}

/// The size of all that it is told, in bytes: as many tokens as there could be.
fn told(outgoing: &Outgoing) -> u64 {
    outgoing.rounds.iter().flat_map(|round| &round.request.said).map(|said| said.bytes() as u64).sum()
}

/// The answer of the simulated model.
pub fn answer(seed: u64, outgoing: &Outgoing) -> Reply {
    let first = outgoing.rounds.first().map(|round| &round.request.said[..]).unwrap_or_default();
    let system =
        first.iter().find_map(|said| if let Said::System { text } = said { Some(text.to_string()) } else { None });
    let system = system.unwrap_or_default();
    let request = outgoing.request();
    let whim = hash(seed, &format!("{:?}", request.said));
    let content = if whim.is_multiple_of(17) {
        vec![Content::Text { text: "I would rather talk about the weather.".into() }]
    } else if system.contains("lead a small team") {
        lead(whim, outgoing)
    } else if system.contains("cut a question") {
        let tasks: Vec<Value> = (1..=1 + whim % 5)
            .map(|n| json!({ "title": format!("topic {n}"), "question": format!("what of topic {n}?") }))
            .collect();
        report(request, json!({ "shape": "facets", "tasks": tasks, "why": "so" }))
    } else if system.contains("find facts") {
        research(whim, outgoing)
    } else if system.contains("check a draft") {
        let told = text_of(request);
        let judgements: Vec<Value> = (1..=told.matches("Sentence ").count())
            .map(|n| json!({ "sentence": n, "supported": if (whim + n as u64).is_multiple_of(5) { "no" } else { "yes" }, "why": "" }))
            .collect();
        report(request, json!({ "judgements": judgements, "missing": [] }))
    } else {
        write(whim, request)
    };
    let output = content
        .iter()
        .map(|c| serde_json::to_string(c).unwrap().len() as u64)
        .sum::<u64>()
        .min(request.max_tokens.into());
    // Thoughts beyond its limit are not sent back.
    let sent_back = |round: &Round| Some(round.reply.as_ref()?.usage.output.min(round.request.max_tokens.into()));
    let before: u64 = outgoing.rounds.iter().filter_map(sent_back).sum();
    let input = told(outgoing) + before;
    let usage = Usage { input: input / 2, cache_read: input - input / 2, output, ..Usage::default() };
    let stop =
        if content.iter().any(|c| matches!(c, Content::Call { .. })) { StopReason::Tools } else { StopReason::End };
    Reply {
        content,
        raw: Untouched::from(json!("raw")),
        stop,
        usage,
        served_by: "one".into(),
        request_id: None,
        first_ms: 1,
        whole_ms: 2,
        recorded: None,
    }
}

fn text_of(request: &ModelRequest) -> String {
    let texts = request.said.iter().map(|said| match said {
        Said::System { text } | Said::User { text } => text.to_string(),
        Said::Results { results } => {
            results.iter().map(|result| result.text.to_string()).collect::<Vec<_>>().join("\n")
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn report(request: &ModelRequest, report: Value) -> Vec<Content> {
    match request.offers.iter().any(|offer| offer.name.as_str() == "report") {
        true => vec![call("report", report)],
        false => vec![Content::Text { text: format!("Here it is:\n{report}").into() }],
    }
}

fn call(name: &str, arguments: Value) -> Content {
    Content::Call { id: format!("call-{name}").into(), name: name.into(), arguments: Arguments::Whole(arguments) }
}

/// Leads as the whim takes it: as it ought to, or in one of the ways in which models lead badly.
fn lead(whim: u64, outgoing: &Outgoing) -> Vec<Content> {
    let told = text_of(outgoing.request());
    let research = |n: u64| {
        let title = format!("topic {}", n % 7);
        call(
            "handoff_to_researcher",
            json!({ "title": title, "question": format!("what of {title}, in respect {n}?") }),
        )
    };
    let several = || (0..1 + whim / 7 % 4).map(|n| research(whim % 7 + n)).collect();
    match whim % 25 {
        0 => vec![call("handoff_to_archivist", json!({ "title": "x" })), research(whim % 5)],
        1 => vec![call("handoff_to_researcher", json!({ "title": "topic 1" }))],
        2 => vec![Content::Call {
            id: "cut".into(),
            name: "handoff_to_writer".into(),
            arguments: Arguments::Broken("{\"no".into()),
        }],
        3 => vec![call("finalize", json!({ "draft": "draft 7" }))],
        4 => vec![call("ask_person", json!({ "question": "Which one?", "choices": ["the first", "the second"] }))],
        5 => (0..12).map(research).collect(),
        6 => vec![call("handoff_to_planner", json!({ "note": "be brief" }))],
        7 => vec![call("handoff_to_writer", json!({ "note": "be brief" })), call("finalize", json!({}))],
        8 => vec![call("handoff_to_gates", json!({})), call("handoff_to_reviewer", json!({}))],
        9 => vec![Content::Text { text: "{\"name\": \"handoff_to_writer\", \"arguments\": {}}".into() }],
        10 => Vec::new(),
        11 => vec![research(whim % 3), call("handoff_to_planner", json!({ "note": "" }))],
        12 => vec![call("handoff_to_writer", json!({ "note": format!("be brief, in {} lines", whim % 5) }))],
        13 => {
            let asks = |asks: &str| call("handoff_to_researcher", json!({ "title": "topic 1", "question": asks }));
            vec![asks("What is known of topic 1?"), asks("Which things are known of topic 1?")]
        }
        _ if told.contains("draft 1") || told.contains("draft 2") || told.contains("sent back") => {
            let again = told.contains("sent back") && whim.is_multiple_of(2);
            vec![if again {
                call("handoff_to_writer", json!({ "note": "" }))
            } else {
                call("finalize", json!({ "draft": "last" }))
            }]
        }
        _ if told.contains("<findings>") => vec![call("handoff_to_writer", json!({ "note": "" }))],
        _ => several(),
    }
}

/// Searches, reads its hits, reports: honestly, or with a quote that nobody said.
fn research(whim: u64, outgoing: &Outgoing) -> Vec<Content> {
    let request = outgoing.request();
    let told = text_of(request);
    let last = !matches!(request.form, Form::Free) || told.contains("last answer");
    let source = told.split("source=\"").nth(1).and_then(|rest| rest.split('"').next());
    match (outgoing.rounds.len(), source) {
        (1, _) if !last => {
            let mut calls = vec![call("search", json!({ "query": format!("topic {}", whim % 7) }))];
            if whim.is_multiple_of(3) {
                calls.push(call("dance", json!({})));
                calls.push(Content::Call {
                    id: "cut".into(),
                    name: "read".into(),
                    arguments: Arguments::Broken("{\"sou".into()),
                });
            }
            calls
        }
        (2, Some(source)) if !last => vec![call("read", json!({ "source": source, "from": 0, "to": 3 }))],
        _ => {
            let lines = told.lines().filter(|line| line.starts_with("Document"));
            let mut findings: Vec<Value> = lines
                .take(3)
                .map(|line| {
                    let quote = line.split(". ").next().unwrap_or(line);
                    json!({ "claim": format!("{quote}."), "quote": format!("{quote}."), "source": source.unwrap_or("") })
                })
                .collect();
            if whim.is_multiple_of(2) {
                findings.push(json!({ "claim": "It is 263 miles.", "quote": "Nobody ever said that it is 263 miles.", "source": "" }));
            }
            report(request, json!({ "findings": findings, "gaps": "" }))
        }
    }
}

/// Cites its findings, and now and then says something of its own.
fn write(whim: u64, request: &ModelRequest) -> Vec<Content> {
    let told = text_of(request);
    let mut text = String::from("# A brief\n\n## All\n\n");
    for (line, n) in
        told.lines().skip_while(|line| !line.starts_with("[1]")).filter(|line| line.starts_with("Document")).zip(1..)
    {
        text.push_str(&format!("{} [{n}].\n\n", line.trim_end_matches('.')));
    }
    if whim.is_multiple_of(3) {
        text.push_str("Experts agree that Atlantis has 99 gates [1].\n\nThis is well known.\n");
    }
    vec![Content::Text { text: text.into() }]
}
