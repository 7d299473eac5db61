//! Replays the recorded answers of a run: the same team at no cost, without models, documents or a network.
//!
//! A request that differs from the recorded one fails with the difference, and the run stops.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::world::{Doing, Failed, Line, Models, Outgoing, Reading, Tools};
use run::attempt::{Class, Fault};
use run::evidence::Corpus;
use run::model::Said;
use run::transcript::{CallEnd, Exchange, ExchangeEnd};
use run::{CallId, ModelRequest, Reply, Run, ToolCall, ToolResult};
use text::Clean;
use text::difference::{self, Difference};

/// The recorded answers of a run: of models by call, of tools by request.
#[derive(Clone, Debug)]
pub struct Recorded {
    name: Clean,
    corpus: Option<Arc<Corpus>>,
    answers: Arc<BTreeMap<CallId, Exchange>>,
    results: Arc<HashMap<String, Result<Arc<ToolResult>, Clean>>>,
}

impl Recorded {
    /// The answers of this run, finished or not.
    pub fn of(run: &Run) -> Recorded {
        let transcripts = || run.assignments.iter().map(|assignment| &assignment.transcript);
        let exchanges = transcripts().flat_map(|transcript| transcript.exchanges());
        let answers = exchanges.map(|exchange| (exchange.call, exchange.clone())).collect();
        let mut results = HashMap::new();
        for call in transcripts().flat_map(|transcript| transcript.calls()) {
            let result = match &call.end {
                CallEnd::Returned(result) => Ok(result.clone()),
                CallEnd::Failed(why) => Err(why.clone()),
                CallEnd::Queued | CallEnd::Pending | CallEnd::InDoubt | CallEnd::Refused(_) => continue,
            };
            // A success counts, even if the same request failed elsewhere.
            let known = results.entry(name_of(&call.request)).or_insert_with(|| result.clone());
            if known.is_err() {
                *known = result;
            }
        }
        let name = run.opening.as_ref().map_or_else(Clean::default, |opening| opening.run.as_str().into());
        Recorded { name, corpus: run.corpus.clone(), answers: Arc::new(answers), results: Arc::new(results) }
    }

    fn answer(&self, outgoing: &Outgoing) -> Result<Reply, Box<Fault>> {
        let (call, run) = (outgoing.call, &self.name);
        let refused = |class, what: Clean| Err(Box::new(Fault::before_sending(class, what)));
        let differs = |what: String| refused(Class::Differs, what.into());
        let Some(recorded) = self.answers.get(&call) else {
            return differs(format!("run {run} made no call {call}: this run goes another way"));
        };
        let request = outgoing.request();
        // How long an answer could be depends on what was left of a cap when it was asked for: the recorded one is there.
        if !recorded.request.asks_like(request) {
            let difference = difference(&recorded.request, request);
            return differs(format!("call {call} does not ask what it asked in run {run}: {difference}"));
        }
        match &recorded.end {
            ExchangeEnd::Answered(reply) => Ok((**reply).clone()),
            ExchangeEnd::Failed(why) => {
                let for_good = recorded.fault().is_some_and(|fault| fault.class.is_permanent());
                refused(if for_good { Class::GivenUpForGood } else { Class::GivenUp }, why.clone())
            }
            ExchangeEnd::Queued | ExchangeEnd::Pending | ExchangeEnd::InDoubt | ExchangeEnd::Refused(_) => {
                differs(format!("call {call} was never answered in run {run}"))
            }
        }
    }
}

impl Models for Recorded {
    fn attempt(&self, outgoing: Outgoing, line: Line) -> Doing<Result<Reply, Fault>> {
        let recorded = self.clone();
        Box::pin(async move {
            // A difference is not recorded as sent; an answer is recorded like any other.
            let reply = recorded.answer(&outgoing).map_err(|fault| *fault)?;
            match line.sending().await {
                Ok(()) => Ok(reply),
                Err(_) => Err(Fault::before_sending(Class::Cancelled, "the run stopped before it was sent".into())),
            }
        })
    }
}

impl Tools for Recorded {
    fn read_sources(&self, _: Reading) -> Doing<Result<Corpus, Clean>> {
        let corpus = self.corpus.as_deref().cloned();
        let unread = format!("run {} had not read its sources when its recording ends", self.name);
        Box::pin(async move { corpus.ok_or_else(|| unread.into()) })
    }

    fn perform(&self, request: Arc<ToolCall>) -> Doing<Result<ToolResult, Failed>> {
        let result = self.results.get(&name_of(&request)).cloned();
        let unlike = format!("run {} did not use `{}` like this: this run goes another way", self.name, request.name);
        Box::pin(async move { Ok((*result.unwrap_or_else(|| Err(unlike.into()))?).clone()) })
    }
}

fn name_of(request: &ToolCall) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

/// The first difference between two requests, as a message.
fn difference<'a>(recorded: &'a ModelRequest, now: &'a ModelRequest) -> String {
    if recorded.model != now.model {
        return format!("it asked {}, and this one asks {}", recorded.model, now.model);
    }
    let lines = |request: &'a ModelRequest| {
        let texts = request.said.iter().flat_map(|said| match said {
            Said::System { text } | Said::User { text } => vec![text.as_str()],
            Said::Results { results } => results.iter().map(|result| result.text.as_str()).collect(),
        });
        texts.flat_map(str::lines)
    };
    match difference::of(lines(recorded), lines(now)) {
        Some(Difference { line, first, second }) => {
            format!("in line {line} it said {first}, and this one says {second}")
        }
        None => "it offered other tools, or asked for another form or length of the answer".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::model::Form;

    #[test]
    fn where_two_requests_part_is_shown() {
        let request = |text: &str| ModelRequest {
            model: "a/b".parse().unwrap(),
            afresh: true,
            said: vec![Said::User { text: text.into() }],
            offers: vec![].into(),
            form: Form::Free,
            max_tokens: 9,
            thinking: Default::default(),
        };
        let differ = |then: &str, now: &str| difference(&request(then), &request(now));
        assert_eq!(differ("a", "a\nb"), "in line 2 it said nothing, and this one says “b”");
        let other = ModelRequest { model: "a/c".parse().unwrap(), ..request("a") };
        assert_eq!(difference(&request("a"), &other), "it asked a/b, and this one asks a/c");
        let longer = ModelRequest { max_tokens: 10, ..request("a") };
        assert!(difference(&request("a"), &longer).contains("another form or length"));
    }
}
