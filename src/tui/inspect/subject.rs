//! Anything that can be inspected: a handoff, sent or refused before it was, a model call, a tool call; with its name, its rows
//! and its recorded JSON. A verdict is in the handoff that reports it.

use serde_json::{Value, json};

use super::origin::{From, Origins};
use super::{Kind, Tree, parts};
use crate::prelude::*;
use crate::view::exchange as conversation;
use crate::view::transcript::Step;
use run::attempt::Attempt;
use run::handoff::Unsent;
use run::model::{Arguments, Content, Form, Said};
use run::tool::estimate_tokens;
use run::transcript::{Call, CallEnd, Did, Exchange, ExchangeEnd};
use run::{Assignment, AssignmentId, CallId, Payload, Reply, Role, ToolResult, describe};

/// The words in the upper edge of its page.
#[derive(Clone, Debug)]
pub struct Heading {
    /// "handoff #3", "refused handoff", "call k0.2/1".
    pub name: String,
    /// The sender and the receiver, or the one assignment that it concerns.
    pub route: String,
    pub title: String,
    pub mark: Option<Mark>,
    /// Its place among all of its kind, from 1, and how many there are.
    pub place: (usize, usize),
    /// Whether nothing of it can change any more.
    pub is_settled: bool,
}

/// Its heading; None if the run, as far as it is shown, has no such thing.
pub fn heading(run: &Run, what: Step) -> Option<Heading> {
    let all = all(run, what);
    let place = (all.iter().position(|one| *one == what)? + 1, all.len());
    let bare = |name: String, route: String, title: &str| Heading {
        name,
        route,
        title: flat(title).into_owned(),
        mark: None,
        place,
        is_settled: true,
    };
    Some(match what {
        Step::Handoff(no) => {
            let handoff = run.handoff(no)?;
            let route = format!("{} → {}", flat(&handoff.names.0), flat(&handoff.names.1));
            bare(format!("handoff {no}"), route, &handoff.title)
        }
        Step::Refused(by, turn) => {
            let (_, unsent) = refused(run, by, turn)?;
            let route = format!("{} → {}", run.assignment(by)?.role, unsent.role);
            Heading { mark: Some(Mark::Failed), ..bare("refused handoff".into(), route, &unsent.title) }
        }
        Step::Exchange(call) => {
            let exchange = select::exchange(run, call)?;
            let by = describe::name(run.assignment(call.assignment)?);
            let is_settled = !matches!(exchange.end, ExchangeEnd::Queued | ExchangeEnd::Pending | ExchangeEnd::InDoubt);
            let name = format!("call {call}");
            Heading { is_settled, ..bare(name, flat(&by).into_owned(), &exchange.request.model.to_string()) }
        }
        Step::Call(id) => {
            let called = call(run, id)?;
            let by = flat(&run.called(run.assignment(id.assignment)?)).into_owned();
            Heading { is_settled: !called.end.is_open(), ..bare(flat(&called.request.name).into_owned(), by, "") }
        }
    })
}

/// A tool call.
pub fn call(run: &Run, id: CallId) -> Option<&Call> {
    run.assignment(id.assignment)?.transcript.calls().find(|call| call.id == id)
}

/// A handoff that was refused before it was sent, and why.
pub fn refused(run: &Run, by: AssignmentId, turn: usize) -> Option<(&Clean, &Unsent)> {
    match &run.assignment(by)?.transcript.turns.get(turn)?.did {
        Did::Refused { why, unsent: Some(unsent) } => Some((why, unsent)),
        _ => None,
    }
}

/// The refused handoffs of an assignment.
fn refused_by(by: &Assignment) -> impl Iterator<Item = Step> + '_ {
    let is_refused = |did: &Did| matches!(did, Did::Refused { unsent: Some(_), .. });
    let turns = by.transcript.turns.iter().enumerate();
    turns.filter(move |(_, turn)| is_refused(&turn.did)).map(|(turn, _)| Step::Refused(by.id, turn))
}

/// All of the kind, in order: handoffs with those that were refused behind them, the calls of one assignment.
pub fn all(run: &Run, what: Step) -> Vec<Step> {
    match what {
        Step::Handoff(_) | Step::Refused(..) => {
            let sent = run.handoffs.iter().map(|handoff| Step::Handoff(handoff.no));
            sent.chain(run.assignments().flat_map(refused_by)).collect()
        }
        Step::Exchange(call) => {
            let by = run.assignment(call.assignment);
            by.into_iter().flat_map(|by| by.transcript.exchanges().map(|one| Step::Exchange(one.call))).collect()
        }
        Step::Call(call) => {
            let by = run.assignment(call.assignment);
            by.into_iter().flat_map(|by| by.transcript.calls().map(|one| Step::Call(one.id))).collect()
        }
    }
}

/// Its payload, if it is a handoff.
pub fn payload(run: &Run, what: Step) -> Option<&Payload> {
    match what {
        Step::Handoff(no) => run.handoff(no).map(|handoff| &handoff.payload),
        Step::Refused(by, turn) => refused(run, by, turn).map(|(_, unsent)| &unsent.payload),
        Step::Call(_) | Step::Exchange(_) => None,
    }
}

/// As it was recorded, cleaned: a server's text may hold control characters.
pub fn json(run: &Run, what: Step) -> Option<Clean> {
    // Plain data with string keys: writing it as JSON cannot fail.
    fn written(value: &impl serde::Serialize) -> Clean {
        Clean::new(&serde_json::to_string_pretty(value).unwrap_or_default())
    }
    Some(match what {
        Step::Handoff(no) => written(&**run.handoff(no)?),
        Step::Refused(by, turn) => {
            let (why, unsent) = refused(run, by, turn)?;
            written(&json!({ "refused": why, "handoff": unsent }))
        }
        Step::Exchange(call) => {
            let asked = select::exchange(run, call)?;
            let reply = asked.reply().map(|reply| &**reply);
            written(&json!({ "call": asked.call, "request": &*asked.request, "reply": reply }))
        }
        Step::Call(id) => {
            let call = call(run, id)?;
            written(&json!({ "call": call.id, "request": &*call.request, "result": call.result() }))
        }
    })
}

/// Its rows, with where each part came from.
pub fn tree(run: &Run, what: Step) -> Option<Tree> {
    let mut tree = Tree::default();
    match what {
        Step::Handoff(_) => carried(&mut tree, run, what, payload(run, what)?),
        Step::Refused(by, turn) => {
            let (why, unsent) = refused(run, by, turn)?;
            let turns = &run.assignment(by)?.transcript.turns;
            let model = turns[..turn].iter().rev().find_map(|turn| match &turn.did {
                Did::Asked(exchange) => Some(Step::Exchange(exchange.call)),
                _ => None,
            });
            let from = match model {
                Some(_) => "refused before it was sent; what its model had asked for",
                None => "refused before it was sent",
            };
            parts::refused(&mut tree, why, From::new(from, model));
            carried(&mut tree, run, what, &unsent.payload);
        }
        Step::Exchange(call) => exchange(&mut tree, run, select::exchange(run, call)?, true),
        Step::Call(id) => tool_call(&mut tree, run, call(run, id)?),
    }
    Some(tree)
}

fn carried(tree: &mut Tree, run: &Run, what: Step, payload: &Payload) {
    let origins = Origins::new(run, what, payload);
    parts::payload(tree, origins.payload(), Some(&origins));
}

/// Its rows without their origins and without values that differ each time: to be compared with another of its kind.
pub fn comparable(run: &Run, what: Step) -> Option<Tree> {
    let mut tree = Tree::default();
    match what {
        Step::Handoff(_) | Step::Refused(..) => parts::payload(&mut tree, payload(run, what)?, None),
        Step::Exchange(call) => exchange(&mut tree, run, select::exchange(run, call)?, false),
        Step::Call(id) => tool_call(&mut tree, run, call(run, id)?),
    }
    Some(tree)
}

/// The rows of a payload alone.
pub fn comparable_payload(payload: &Payload) -> Tree {
    let mut tree = Tree::default();
    parts::payload(&mut tree, payload, None);
    tree
}

/// A text with its tokens.
fn told<'t>(tree: &'t mut Tree, name: &str, text: &str) -> &'t mut super::Node {
    let node = tree.text(Kind::Part, name, text);
    node.tokens = Some(estimate_tokens(text.len()));
    node
}

/// A model call; `is_whole` with the values that differ each time: attempts, ids, times.
fn exchange(tree: &mut Tree, run: &Run, asked: &Exchange, is_whole: bool) {
    let by = run.assignment(asked.call.assignment);
    let before = by.map_or(0, |by| by.transcript.conversation(asked.call).len().saturating_sub(1));
    if before > 0 && is_whole {
        tree.leaf(Kind::Part, "said before", format!("{}, sent again", count(before, "round")));
    }
    said(tree, run, by, asked);
    if !asked.request.offers.is_empty() {
        let node = tree.branch(Kind::Part, "tools on offer", |tree| {
            for offer in asked.request.offers.iter() {
                let node = tree.branch(Kind::Item, flat(&offer.name).into_owned(), |tree| {
                    tree.text(Kind::Field, "description", &offer.description);
                    tree.value(Kind::Field, "schema", &offer.schema);
                });
                node.text = super::tree::gist(&offer.description);
            }
        });
        node.note = asked.request.offers.len().to_string();
        node.tokens = Some(estimate_tokens(usize::try_from(asked.request.offers.bulk().bytes()).unwrap_or(usize::MAX)));
    }
    form(tree, asked);
    if is_whole {
        asked.attempts.iter().for_each(|one| attempt(tree, one));
    }
    match &asked.end {
        ExchangeEnd::Answered(reply) => answer(tree, run, by, asked, reply, is_whole),
        ExchangeEnd::Failed(why) => {
            tree.text(Kind::Part, "given up", why);
        }
        ExchangeEnd::Refused(refusal) => {
            tree.leaf(Kind::Part, "not sent", format!("it would have passed {refusal}"));
        }
        ExchangeEnd::InDoubt => {
            tree.leaf(Kind::Part, "in doubt", "it was sent, and its outcome is unknown");
        }
        ExchangeEnd::Queued | ExchangeEnd::Pending => {
            tree.leaf(Kind::Part, "answer", "none yet");
        }
    }
}

fn said(tree: &mut Tree, run: &Run, by: Option<&Assignment>, asked: &Exchange) {
    let mut is_first = by.is_none_or(|by| by.transcript.exchanges().next().is_none_or(|one| one.call == asked.call));
    for said in &asked.request.said {
        match said {
            Said::System { text } => {
                let from = by.map(|by| Box::new(From::new(format!("the prompt of the {}", by.role), None)));
                told(tree, "instructions", text).from = from;
            }
            Said::User { text } => {
                let from = by.and_then(|by| message_from(by, text, is_first)).map(Box::new);
                is_first = false;
                told(tree, "message", text).from = from;
            }
            Said::Results { results } => {
                let calls = by.map(|by| calls_before(by, asked.call)).unwrap_or_default();
                for (n, result) in results.iter().enumerate() {
                    let call = calls.get(n).filter(|call| result.name == *call.request.name);
                    let from = by.zip(call.copied());
                    let from =
                        from.map(|(by, call)| From::new(run.shown_by(by, &call.request), Some(Step::Call(call.id))));
                    let node = told(tree, "result", &result.text);
                    let failed = if result.failed { ", failed" } else { "" };
                    node.note = format!("of {}{failed}  {}", flat(&result.name), node.note);
                    node.from = from.map(Box::new);
                }
            }
        }
    }
}

/// The origin of a message to a model: the person who wrote it, or the handoff of the specialist.
fn message_from(by: &Assignment, text: &str, is_first: bool) -> Option<From> {
    if let Some(message) = by.transcript.messages.iter().find(|message| text.contains(message.text.as_str())) {
        return Some(From::new(format!("with your message: {}", flat(&message.text)), None));
    }
    let handoff = &by.transcript.handoff;
    let says = format!("handoff {} from {}, in words for the model", handoff.no, flat(&handoff.names.0));
    is_first.then(|| From::new(says, Some(Step::Handoff(handoff.no))))
}

/// The tool calls whose results a request tells.
fn calls_before(by: &Assignment, asked: CallId) -> Vec<&Call> {
    let is_asked = |did: &Did| matches!(did, Did::Asked(exchange) if exchange.call == asked);
    let before = by.transcript.turns.iter().take_while(|turn| !is_asked(&turn.did));
    let calls = before.filter_map(|turn| if let Did::Tools(calls) = &turn.did { Some(calls) } else { None });
    calls.last().into_iter().flatten().collect()
}

fn form(tree: &mut Tree, asked: &Exchange) {
    let request = &asked.request;
    let effort = request.thinking.effort.map(|effort| format!(", effort {effort}")).unwrap_or_default();
    // Another program does not always report its limit.
    let most = match request.max_tokens {
        0 => effort,
        most => format!("; at most {most} tokens{effort}"),
    };
    match &request.form {
        Form::Free => {
            tree.leaf(Kind::Part, "form", format!("free{most}"));
        }
        Form::Tool { name } => {
            tree.leaf(Kind::Part, "form", format!("it has to call {}{most}", flat(name)));
        }
        Form::Json { name, schema } => {
            tree.value(Kind::Part, "form", schema).note = format!("JSON of the schema {}{most}", flat(name));
        }
    }
}

fn attempt(tree: &mut Tree, attempt: &Attempt) {
    let Some(fault) = &attempt.fault else { return };
    let value = serde_json::to_value(fault).unwrap_or_default();
    let node = tree.value(Kind::Part, format!("attempt {}", attempt.n), &value);
    node.note = "failed".into();
    node.text = super::tree::gist(&fault.what);
}

fn answer(tree: &mut Tree, run: &Run, by: Option<&Assignment>, asked: &Exchange, reply: &Reply, is_whole: bool) {
    let rates = by.and_then(|by| conversation::rates(run, by));
    let node = tree.branch(Kind::Part, "answer", |tree| {
        for content in &reply.content {
            match content {
                Content::Text { text } => {
                    told_field(tree, "says", text);
                }
                Content::Thinking { text } if text.is_empty() => {}
                Content::Thinking { text } => {
                    told_field(tree, "thinks", text);
                }
                Content::Call { name, arguments: Arguments::Whole(value), id } => {
                    let node = tree.value(Kind::Field, format!("calls {}", flat(name)), value);
                    node.note = if is_whole { flat(id).into_owned() } else { String::new() };
                }
                Content::Call { name, arguments, .. } => {
                    tree.leaf(Kind::Field, "calls", conversation::called(name, arguments));
                }
                Content::Other { kind } => {
                    tree.leaf(Kind::Field, "other", flat(kind).into_owned());
                }
            }
        }
    });
    if !is_whole {
        return;
    }
    node.note = conversation::figures(reply, rates);
    let served = match reply.recorded {
        Some(call) => format!("from the record: {call} of an earlier run"),
        None => format!("{}, as {}", asked.request.model, flat(&reply.served_by)),
    };
    node.from = Some(Box::new(From::new(served, None)));
    let mut usage = json!(reply.usage);
    if let Some(cost) = reply.usage.cost {
        let about = if reply.usage.cost_estimated { "~" } else { "" };
        usage["cost"] = json!(format!("{about}{cost}"));
    }
    let mut told: Value = json!({
        "stop": reply.stop,
        "usage": usage,
        "served by": reply.served_by,
        "request id": reply.request_id,
    });
    // Other programs do not always tell it.
    if reply.first_ms > 0 || !run.is_imported() {
        told["first piece after"] = json!(format!("{} ms", reply.first_ms));
    }
    tree.value(Kind::Part, "as reported", &told);
}

fn told_field<'t>(tree: &'t mut Tree, name: &str, text: &str) -> &'t mut super::Node {
    let node = tree.text(Kind::Field, name, text);
    node.tokens = Some(estimate_tokens(text.len()));
    node
}

fn tool_call(tree: &mut Tree, run: &Run, call: &Call) {
    let asked = asked_for(run, call);
    let mut arguments = serde_json::to_value(&call.request.arguments).unwrap_or_default();
    // A document is told by its path, as everywhere; the recorded JSON has its digest.
    if let (Some(ToolResult::Excerpt(excerpt)), Some(source)) = (call.result(), arguments.get_mut("source")) {
        *source = json!(flat(&excerpt.source.path));
    }
    let node = tree.value(Kind::Part, "arguments", &arguments);
    node.from = asked.map(Box::new);
    match &call.end {
        CallEnd::Returned(back) => result(tree, run, back),
        CallEnd::Failed(why) => {
            tree.text(Kind::Part, "failed", why);
        }
        CallEnd::Refused(refusal) => {
            tree.leaf(Kind::Part, "not sent", format!("it would have passed {refusal}"));
        }
        CallEnd::InDoubt => {
            tree.leaf(Kind::Part, "in doubt", "it was started, and its outcome is unknown");
        }
        CallEnd::Queued => {
            tree.leaf(Kind::Part, "result", "none yet: it waits for room in the budget");
        }
        CallEnd::Pending => {
            tree.leaf(Kind::Part, "result", "none yet: it is under way");
        }
    }
}

/// The caller of a tool: the model in its answer, or the specialist by rule.
fn asked_for(run: &Run, call: &Call) -> Option<From> {
    let by = run.assignment(call.id.assignment)?;
    let is_here = |did: &Did| matches!(did, Did::Tools(calls) if calls.iter().any(|one| one.id == call.id));
    let before = by.transcript.turns.iter().take_while(|turn| !is_here(&turn.did));
    let model =
        before.filter_map(|turn| if let Did::Asked(exchange) = &turn.did { Some(exchange) } else { None }).last();
    let model = model.filter(|exchange| exchange.reply().is_some_and(|reply| reply.calls().next().is_some()));
    Some(match model {
        Some(exchange) => {
            let says = format!("asked for by the {} in its model's {}", by.role, describe::nth(exchange.call));
            From::new(says, Some(Step::Exchange(exchange.call)))
        }
        None => From::new(format!("asked for by the {}", by.role), Some(Step::Handoff(by.transcript.handoff.no))),
    })
}

/// The result: of a search the passages that it found, whole where they are stored.
fn result(tree: &mut Tree, run: &Run, result: &ToolResult) {
    let passage = |tree: &mut Tree, name: String, headings: &[Clean], words: &str| {
        let above: Vec<&str> = headings.iter().map(Clean::as_str).collect();
        let node = tree.branch(Kind::Item, name, |tree| {
            words.lines().for_each(|line| tree.lines(Kind::Line, line));
        });
        node.text = super::tree::gist(words);
        node.note = flat(&above.join(" › ")).into_owned();
        node.tokens = Some(estimate_tokens(words.len()));
    };
    let node = match result {
        ToolResult::Hits(hits) => {
            let node = tree.branch(Kind::Part, "found", |tree| {
                for hit in &hits.hits {
                    let stored = run.sources.get(&hit.source.id).and_then(|stored| stored.blocks.get(&hit.block));
                    let (line, words) = match stored {
                        Some(block) => (format!(":{}", block.line), &block.text),
                        None => (String::new(), &hit.snippet),
                    };
                    passage(tree, format!("{}{line}", flat(&hit.source.path)), &hit.headings, words);
                }
            });
            node.note = count(hits.hits.len(), "passage");
            if hits.hits.is_empty() {
                node.text = "nothing".into();
            }
            let rest = json!({
                "titled": hits.titled,
                "terms": hits.terms,
                "documents": hits.documents,
                "blocks": hits.blocks,
                "notes": hits.notes,
            });
            tree.value(Kind::Part, "searched", &rest)
        }
        ToolResult::Excerpt(excerpt) => {
            let path = flat(&excerpt.source.path).into_owned();
            let node = tree.branch(Kind::Part, "read", |tree| {
                for block in &excerpt.blocks {
                    passage(tree, format!("{path}:{}", block.line), &block.headings, &block.text);
                }
            });
            node.note = format!("{} of {} passages", excerpt.blocks.len(), excerpt.of);
            node
        }
        ToolResult::Text { text } => {
            told(tree, "result", text);
            return;
        }
        ToolResult::Json { value } => tree.value(Kind::Part, "result", value.get()),
        other => tree.value(Kind::Part, "result", &serde_json::to_value(other).unwrap_or_default()),
    };
    let tokens = result.used().tokens();
    if !matches!(result, ToolResult::Hits(_)) {
        node.tokens = Some(tokens);
    }
}

/// The role at one end of a handoff.
pub fn role(run: &Run, of: Option<AssignmentId>) -> Option<&Role> {
    of.and_then(|id| run.assignment(id)).map(|one| &one.role)
}
