//! Another run's recorded answers, given again: the same team at no cost, and without a network.
//!
//! A request that differs from the recorded one is not answered: the difference is shown, and the run stops there.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::world::{Doing, Line, Models, Outgoing, Reading, Tools};
use crate::run::attempt::{Class, Fault};
use crate::run::evidence::Corpus;
use crate::run::model::Said;
use crate::run::transcript::{CallEnd, Exchange, Round};
use crate::run::{CallId, ModelRequest, Reply, Run, ToolRequest, ToolResult};
use crate::text::Clean;

/// What a run was answered: by models, call by call, and by tools.
#[derive(Clone)]
pub struct Recorded {
    name: Clean,
    corpus: Option<Arc<Corpus>>,
    answers: Arc<BTreeMap<CallId, Round>>,
    results: Arc<HashMap<String, Arc<ToolResult>>>,
    tools: Option<Arc<dyn Tools>>,
}

impl Recorded {
    /// The answers of this run. What its tools were not asked is asked of `tools`, if there are any.
    pub fn of(run: &Run, tools: Option<Arc<dyn Tools>>) -> Recorded {
        let transcripts = || run.assignments.iter().map(|assignment| &assignment.transcript);
        let round = |exchange: &Exchange| Round { request: exchange.request.clone(), reply: exchange.reply().cloned() };
        let answer = |exchange: &Exchange| (exchange.call, round(exchange));
        let answers = transcripts().flat_map(|transcript| transcript.exchanges().map(answer)).collect();
        let mut results = HashMap::new();
        for call in transcripts().flat_map(|transcript| transcript.calls()) {
            if let CallEnd::Returned(result) = &call.end {
                results.entry(name_of(&call.request)).or_insert_with(|| result.clone());
            }
        }
        let name = run.opening.as_ref().map_or_else(Clean::default, |opening| opening.run.as_str().into());
        Recorded { name, corpus: run.corpus.clone(), answers: Arc::new(answers), results: Arc::new(results), tools }
    }

    fn answer(&self, outgoing: &Outgoing) -> Result<Reply, Box<Fault>> {
        let differs = |what: String| Err(Box::new(Fault::before_sending(Class::Differs, what.into())));
        let request = outgoing.request();
        match self.answers.get(&outgoing.call) {
            Some(Round { request: recorded, reply: Some(reply) }) if **recorded == *request => Ok((**reply).clone()),
            Some(Round { request: recorded, .. }) if **recorded != *request => {
                let difference = difference(recorded, request);
                differs(format!(
                    "the request of call {} is not the one that run {} recorded: {difference}",
                    outgoing.call, self.name
                ))
            }
            Some(_) => differs(format!("call {} was not answered in run {}", outgoing.call, self.name)),
            None => differs(format!("run {} made no call {}: this run goes another way", self.name, outgoing.call)),
        }
    }
}

impl Models for Recorded {
    fn attempt(&self, outgoing: Outgoing, line: Line) -> Doing<Result<Reply, Fault>> {
        let recorded = self.clone();
        Box::pin(async move {
            if line.leaving().await.is_err() {
                return Err(Fault::before_sending(Class::Cancelled, "stopped".into()));
            }
            recorded.answer(&outgoing).map_err(|fault| *fault)
        })
    }
}

impl Tools for Recorded {
    fn read_sources(&self, reading: Reading) -> Doing<Result<Corpus, Clean>> {
        match (&self.tools, self.corpus.clone()) {
            (Some(tools), _) => tools.read_sources(reading),
            (None, Some(corpus)) => Box::pin(async move { Ok((*corpus).clone()) }),
            (None, None) => Box::pin(async { Err("the recorded run had not read its sources".into()) }),
        }
    }

    fn perform(&self, request: Arc<ToolRequest>) -> Doing<Result<ToolResult, Clean>> {
        match (self.results.get(&name_of(&request)).cloned(), &self.tools) {
            (Some(result), _) => Box::pin(async move { Ok((*result).clone()) }),
            (None, Some(tools)) => tools.perform(request),
            (None, None) => {
                let why = format!("run {} did not use `{}` like this", self.name, request.name());
                Box::pin(async move { Err(why.into()) })
            }
        }
    }
}

fn name_of(request: &ToolRequest) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

/// Where two requests part, in words for a person.
fn difference(recorded: &ModelRequest, now: &ModelRequest) -> String {
    if recorded.model != now.model {
        return format!("it asked {}, and this one asks {}", recorded.model, now.model);
    }
    let lines = |request: &ModelRequest| -> Vec<String> {
        let texts = request.said.iter().flat_map(|said| match said {
            Said::System { text } | Said::User { text } => vec![text.to_string()],
            Said::Results { results } => results.iter().map(|result| result.text.to_string()).collect(),
        });
        texts.flat_map(|text| text.lines().map(String::from).collect::<Vec<_>>()).collect()
    };
    let (then, now_said) = (lines(recorded), lines(now));
    let at = then.iter().zip(&now_said).take_while(|(a, b)| a == b).count();
    let line = |lines: &[String]| lines.get(at).map_or("nothing".to_string(), |line| format!("“{}”", cut(line)));
    if at < then.len().max(now_said.len()) {
        return format!("in line {} it said {}, and this one says {}", at + 1, line(&then), line(&now_said));
    }
    "it offered other tools, or asked for another form or length of the answer".into()
}

fn cut(line: &str) -> String {
    let mut cut: String = line.chars().take(120).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}
