//! Leads a run by a model: it hands work to its team, asks the person, and ends with a draft of the writer.
//!
//! A specialist like any other: a pure step over its own transcript. Its calls are checked (`moves.rs`, `work.rs`), and results are
//! returned to it shortened (`results.rs`). Some rules always hold: the person goes through the findings before the writer gets
//! them, gates check a draft before it becomes the brief, and a model that makes no progress is relieved. Its fallback then leads,
//! with a summary of the work so far, or the pipeline continues from the same transcript. The model sees no other transcript and
//! writes no part of the brief.

mod finish;
mod moves;
mod results;
mod work;

use std::ops::Range;
use std::sync::Arc;

use self::moves::{Called, FINALIZE, HANDOFF, Move};
use self::work::Checked;
use super::Pipeline;
use super::delegation::task_handoffs;
use super::pipeline::{Progress, has_findings};
use run::attempt::{About, Fault};
use run::density::Estimate;
use run::model::{Form, Offer, Offers, Reply, Said, StopReason, ToolAnswer};
use run::stage::Conversation;
use run::team::{AssignedModel, Order, StructuredOutput, Team, Worker};
use run::transcript::{Did, Transcript, Turn};
use run::{Limits, Role, Subject};
use serde_json::{Value, json};
use specialist::model::{Asking, Converses, Element, End, Held, add, answer, answer_all, fenced, not_made, object};
use specialist::{Assigned, MOST_REFUSALS, Specialist, Step};
use text::{Clean, count};

/// The most answers of the model in one run.
const MOST_ANSWERS: usize = 30;
/// At this many answers left, the prompt begins to state how many are left.
const SHORT: usize = 4;
/// The most answers in a row without effect.
const MOST_IDLE: usize = 3;
/// From this many answers in a row without effect, the next is held to a call that leads further.
const HELD_FROM: usize = 2;
/// Turns reserved for the rules to land the run.
const LANDING: u32 = 16;

/// Leads a run by asking a model.
#[derive(Clone, Copy)]
pub struct Lead<'a> {
    team: &'a Team,
    model: &'a AssignedModel,
}

impl<'a> Lead<'a> {
    /// Leads this team with its supervisor's model.
    pub fn new(team: &'a Team, model: &'a AssignedModel) -> Lead<'a> {
        Lead { team, model }
    }
}

impl Specialist for Lead<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let empty = transcript.handoff.payload.corpus.as_ref().is_some_and(|corpus| corpus.is_empty());
        if transcript.relieved().is_some() || empty {
            return Pipeline::new(self.team).next(assigned, transcript);
        }
        let progress = Progress::new(transcript, self.team, assigned.turns_left);
        let known = assigned.known.unwrap_or(Estimate::new(self.model.density));
        let dialogue = Dialogue { model: self.model, progress: &progress, left: assigned.left, known };
        progress.keeping(dialogue.next())
    }
}

impl Dialogue<'_> {
    fn next(&self) -> Step {
        let Some(last) = self.progress.transcript.turns.last() else {
            return self.progress.asking_memory().unwrap_or_else(|| self.begin());
        };
        if self.progress.transcript.sent().any(|sent| sent.report.is_none()) {
            let again = self.progress.tried_again(self.last_answer().map_or(0, |at| at + 1));
            return again.or_else(|| self.ask_meanwhile()).unwrap_or(Step::Wait);
        }
        if last.pending() {
            return Step::Wait;
        }
        if let Some(why) = self.is_at_its_end() {
            return Step::Relieve { why: why.into(), to: None };
        }
        match &last.did {
            Did::Asked(exchange) => self.hear(exchange),
            Did::Relieved { .. } => self.begin(),
            _ => self.go_on(),
        }
    }
}

/// The conversation with the model that leads a run.
struct Dialogue<'a> {
    model: &'a AssignedModel,
    progress: &'a Progress<'a>,
    left: Limits,
    known: Estimate,
}

/// The result of a call so far.
#[expect(clippy::large_enum_variant, reason = "made once a turn and moved, never kept")]
enum Done {
    /// This step comes first.
    Step(Step),
    /// The result that the model gets, and whether the call failed.
    Answer(String, bool),
}

impl<'a> Converses<'a> for Dialogue<'a> {
    fn asking(&self) -> Asking<'a> {
        Asking { model: self.model, transcript: self.progress.transcript, known: self.known }
    }

    fn offers(&self) -> Offers {
        moves::offers(self.progress.team).into()
    }

    /// The opening of the conversation: the question, the team, and the sources.
    fn opening(&self, besides: String) -> Vec<Said> {
        let corpus = self.progress.transcript.handoff.payload.corpus.clone().unwrap_or_default();
        let searched = match corpus.web.is_empty() {
            true => format!("There are {} documents with {} passages to search.", corpus.documents, corpus.blocks),
            false => format!("There is to search: {}.", corpus.searched()),
        };
        let task = format!(
            "The person asks:\n{}\n\n{searched} They want a {} of about {} words.{besides}\n\nYou act by calling tools, and by \
             nothing else.",
            fenced(Element::Question, "", &self.progress.question()),
            if self.progress.order() == Order::Brief { "brief" } else { "report" },
            self.progress.words(),
        );
        vec![Said::System { text: self.model.prompt.clone() }, Said::User { text: task.into() }]
    }

    fn so_far(&self, mut room: usize) -> String {
        let (mut drafts, mut notes) = (0, Vec::new());
        for sent in self.progress.transcript.sent() {
            drafts += usize::from(sent.role.as_str() == run::Role::WRITER);
            let brought = results::of_sent(sent, &[], drafts, results::ROOM / 3).0;
            notes.push(format!(
                "\n\nYou handed to the {} ({}), which brought:\n{brought}",
                sent.role, sent.handoff.title
            ));
        }
        // The newest results are the most useful.
        let mut kept: Vec<&String> = notes
            .iter()
            .rev()
            .take_while(|note| {
                let fits = note.len() <= room;
                room = room.saturating_sub(note.len());
                fits
            })
            .collect();
        kept.reverse();
        kept.into_iter().map(String::as_str).collect()
    }

    fn wind_down(&self, stage: Conversation, afresh: bool, said: &mut Vec<Said>) -> Result<Held, Box<Step>> {
        let left = MOST_ANSWERS.saturating_sub(self.answers());
        if left == 0 {
            let why = format!("it had not come to an end after {MOST_ANSWERS} answers");
            return Err(Box::new(self.relieved(why)));
        }
        let open = self.open_tools();
        let next = open.last().filter(|tool| tool.as_str() != FINALIZE);
        let next = next.map(|tool| format!(" Next is `{tool}`.")).unwrap_or_default();
        if left <= SHORT && !afresh {
            let words = format!("{} left to you: come to an end, by `{FINALIZE}`.{next}", count(left, "answer"));
            add(said, &words);
        }
        let form = match stage {
            _ if left <= 2 => self.held_to(open.last().map(std::slice::from_ref).unwrap_or_default()),
            Conversation::Nudge if self.idle() >= HELD_FROM => self.held_to(&open),
            _ => Form::Free,
        };
        Ok((stage, form))
    }

    fn in_words(&self, stage: Conversation) -> &'static str {
        match stage {
            Conversation::Begin => "the model that leads is handed the question",
            Conversation::Nudge => "nothing came of what it said",
            Conversation::Continue => "its provider paused the answer, which goes on",
            Conversation::Room => "its answer was cut at its limit: it is asked again, with more room",
            Conversation::Restart => "the conversation cannot go on: it begins anew with what was read",
            _ => "what was handed out has come back",
        }
    }

    fn heeding(&self) -> &'static str {
        "Act on it: it goes before what was asked at first."
    }

    fn left(&self) -> Limits {
        self.left
    }

    /// The last of several calls may be cut, and cannot be reconstructed.
    fn is_whole(&self, _: &Reply) -> bool {
        false
    }

    fn take(&self, _: &'a Reply) -> Step {
        self.go_on()
    }

    fn end(&self, end: End<'_>) -> Step {
        let why = match end {
            End::Declined(why) if why.is_empty() => "the model declined, and gave no reason".into(),
            End::Declined(why) => format!("the model declined: {why}"),
            End::Paused => "its provider paused the answer again and again".into(),
            End::TooLong => "the conversation does not fit the model's context".into(),
            End::Failed(why) => format!("its model could not be asked: {why}"),
            // Another model would need as much.
            End::OutOfBudget(refusal) => {
                return Step::Relieve { why: format!("{refusal} was reached").into(), to: None };
            }
        };
        self.relieved(why)
    }
}

impl<'a> Dialogue<'a> {
    fn begin(&self) -> Step {
        let known = self.progress.recalled().map_or(&[][..], |report| report.findings());
        let besides = match known.is_empty() {
            true => String::new(),
            false => format!(
                "\n\nEarlier runs have kept this, and it still stands; it goes before the person with what is found now:\n{}",
                results::of_findings(known, results::ROOM / 2)
            ),
        };
        let before = match self.own().start {
            0 => String::new(),
            _ => format!(
                "\n\nAnother led before you and could not go on; what it handed out counts.{}",
                self.so_far(results::ROOM)
            ),
        };
        self.begin_with(besides + &before)
    }

    /// Relieves the model: a fallback leads, or the rules if none is left.
    fn relieved(&self, why: impl Into<Clean>) -> Step {
        let transcript = self.progress.transcript;
        let supervisor = Role::new(Role::SUPERVISOR);
        // A failure about a key or an address concerns every model of the provider.
        let about = transcript.failed_call().map(Fault::about);
        let is_of_provider = matches!(about, Some(About::Key | About::Address));
        let mut tried: Vec<Worker> = transcript.leaders().collect();
        let to = loop {
            let Some(next) = self.progress.team.next_fallback(&supervisor, &tried) else { break None };
            tried.push(next);
            let Some(model) = self.progress.team.model_of(&supervisor, next) else { continue };
            if !is_of_provider || model.id.provider != self.model.id.provider {
                break Some(next);
            }
        };
        Step::Relieve { why: why.into(), to }
    }

    /// The turns since this model began to lead.
    fn own(&self) -> Range<usize> {
        let turns = &self.progress.transcript.turns;
        let from = turns.iter().rposition(|turn| matches!(turn.did, Did::Relieved { .. })).map_or(0, |at| at + 1);
        from..turns.len()
    }

    fn answers(&self) -> usize {
        let own = &self.progress.transcript.turns[self.own()];
        own.iter().filter(|turn| matches!(&turn.did, Did::Asked(exchange) if exchange.reply().is_some())).count()
    }

    /// The tools that lead further now: research, then the writer, then the end.
    fn open_tools(&self) -> Vec<Clean> {
        let (progress, order) = (self.progress, self.progress.order());
        let tasks = progress.adopted().map_or(0, |plan| plan.tasks.len());
        let writes = progress.may_be_revised();
        let tools = [
            (writes && tasks < progress.team.most_tasks as usize, format!("{HANDOFF}{}", order.looks())),
            (writes && task_handoffs(progress.transcript).any(has_findings), format!("{HANDOFF}{}", order.writes())),
            (self.last_draft(progress).is_ok(), FINALIZE.to_owned()),
        ];
        let offers = moves::offers(progress.team);
        let is_offered = |tool: &String| offers.iter().any(|offer| offer.name.as_str() == tool);
        let open = tools.into_iter().filter(|(is_open, tool)| *is_open && is_offered(tool));
        open.map(|(_, tool)| tool.into()).collect()
    }

    /// Requires a call of one of these tools, as far as the model can be held to that.
    fn held_to(&self, tools: &[Clean]) -> Form {
        let offers = moves::offers(self.progress.team).into_iter();
        let offers: Vec<Offer> = offers.filter(|offer| tools.contains(&offer.name)).collect();
        match (self.model.structured_output, &offers[..]) {
            (_, []) | (StructuredOutput::Text, _) => Form::Free,
            (StructuredOutput::Tool, [one]) => Form::Tool { name: one.name.clone() },
            // A provider forces one tool or any: the message names those that lead further.
            (StructuredOutput::Tool, _) => Form::Free,
            (StructuredOutput::Schema | StructuredOutput::ToolThenSchema, _) => {
                let mut arguments: Vec<Value> = offers.iter().map(|offer| self.arguments(offer)).collect();
                let arguments = match arguments.len() {
                    1 => arguments.remove(0),
                    _ => json!({ "anyOf": arguments }),
                };
                let names: Vec<&Clean> = offers.iter().map(|offer| &offer.name).collect();
                let name = json!({ "type": "string", "enum": names });
                Form::Json { name: "call".into(), schema: object(json!({ "name": name, "arguments": arguments })) }
            }
        }
    }

    /// The schema of a tool's arguments. With a plan, tasks can be handed out by title, so that a weak model need not
    /// write questions.
    fn arguments(&self, offer: &Offer) -> Value {
        let mut arguments = (*offer.schema).clone();
        let titles: Vec<Clean> = self.progress.not_handed_out().into_iter().map(|task| task.title).collect();
        if !titles.is_empty() && arguments["properties"]["title"].is_object() {
            arguments["properties"]["title"]["enum"] = json!(titles);
        }
        arguments
    }

    /// The reason why it may not lead any further; None if it may.
    fn is_at_its_end(&self) -> Option<String> {
        if self.progress.turns_left <= LANDING {
            return Some("few of the supervisor's turns are left".into());
        }
        if self.progress.transcript.refused_steps() >= MOST_REFUSALS {
            return Some("its steps were refused again and again".into());
        }
        None
    }

    /// The turn of the model's last answer.
    fn answered(&self) -> Option<usize> {
        self.last_answer().filter(|at| *at >= self.own().start)
    }

    /// The turn of the last answer of any leading model.
    fn last_answer(&self) -> Option<usize> {
        let turns = &self.progress.transcript.turns;
        turns.iter().rposition(|turn| matches!(&turn.did, Did::Asked(e) if e.reply().is_some()))
    }

    /// The calls of an answer, checked against the state in which it was given.
    fn calls(&self, reply: &Reply, before: &Transcript) -> Vec<Checked> {
        match &reply.stop {
            // An answer that ended in an unknown way may be incomplete.
            StopReason::Other(_) => Vec::new(),
            _ => self.checked(moves::calls(reply, self.progress.team), before),
        }
    }

    /// The transcript as the answer of this turn left it.
    fn before(&self, answered: usize) -> Transcript {
        let transcript = self.progress.transcript;
        Transcript { turns: transcript.turns[..=answered].to_vec(), ..transcript.clone() }
    }

    /// Puts the question of the last answer to the person while what the same answer handed out is at work.
    fn ask_meanwhile(&self) -> Option<Step> {
        let (at, reply) = (self.answered()?, self.asking().last_reply()?);
        let since = &self.progress.transcript.turns[at + 1..];
        let was_asked = |turn: &Arc<Turn>| matches!(&turn.did, Did::Checkpoint(pause) if pause.of_question().is_some());
        let was_refused = |turn: &Arc<Turn>| matches!(turn.did, Did::Refused { .. });
        if since.iter().any(|turn| was_asked(turn) || was_refused(turn)) {
            return None;
        }
        self.calls(reply, &self.before(at)).into_iter().find_map(|(_, wants)| match wants {
            Ok(Move::Ask(question)) => Some(Step::Checkpoint(Subject::Question(question))),
            _ => None,
        })
    }

    /// Takes the steps of the last answer one by one; when all are taken, returns their results to the model.
    fn go_on(&self) -> Step {
        let turns = &self.progress.transcript.turns;
        let Some(at) = self.answered() else { return self.begin() };
        let (Some(reply), since) = (self.asking().last_reply(), &turns[at + 1..]) else { return Step::Wait };
        let before = self.before(at);
        let calls = self.calls(reply, &before);
        if self.finalises_with_nothing(&calls) {
            return self.relieved("it wanted to end twice without a draft");
        }
        let refused = since.iter().rev().find_map(|turn| match &turn.did {
            Did::Refused { why, .. } => Some(why),
            _ => None,
        });
        if refused.is_none()
            && let Some(step) = self.hand_out(&calls, &before, since)
        {
            return step;
        }
        if let Some(step) = self.progress.tried_again(at + 1) {
            return step;
        }
        let mut results = Vec::with_capacity(calls.len());
        for (call, wants) in &calls {
            let done = match (wants, refused) {
                (Err(why), _) => Done::Answer(why.clone(), true),
                (Ok(_), Some(why)) => Done::Answer(format!("not done: {why}"), true),
                (Ok(wants), None) => self.done(wants, &calls, &before, since),
            };
            let id = call.id.clone().unwrap_or_default();
            results.push(match done {
                Done::Step(step) => return step,
                Done::Answer(text, _) if wants.is_err() => not_made(&id, &call.name, text),
                Done::Answer(text, failed) => answer(&id, &call.name, text, failed),
            });
        }
        let as_text = calls.iter().any(|(call, _)| call.id.is_none());
        self.return_results(reply, results, as_text)
    }

    /// Whether it tries to end a second time without a draft.
    fn finalises_with_nothing(&self, calls: &[Checked]) -> bool {
        let wants_to_end = |call: &Called| call.name.as_str() == FINALIZE;
        let now = calls.iter().any(|(call, _)| wants_to_end(call));
        let own = &self.progress.transcript.turns[self.own()];
        now && self.progress.drafts().next().is_none() && self.times(own, wants_to_end) > 1
    }

    /// The number of the model's answers in these turns with such a call.
    fn times(&self, turns: &[Arc<Turn>], is: impl Fn(&Called) -> bool) -> usize {
        let replies = turns.iter().filter_map(|turn| if let Did::Asked(it) = &turn.did { it.reply() } else { None });
        replies.filter(|reply| moves::calls(reply, self.progress.team).iter().any(&is)).count()
    }

    /// Returns a result for each call of the model, in order, or the reason why its answer had no effect; `as_text`: whether it
    /// wrote its calls into its text.
    fn return_results(&self, reply: &Reply, results: Vec<ToolAnswer>, as_text: bool) -> Step {
        let idle = self.idle();
        if idle >= MOST_IDLE {
            let why = results.last().map_or("it called no tool".to_owned(), |last| last.text.to_string());
            let why = Clean::line(&why).chars().take(200).collect::<String>();
            return self.relieved(format!("{MOST_IDLE} answers led to nothing; the last: {why}"));
        }
        let stage = if idle == 0 { Conversation::Results } else { Conversation::Nudge };
        if results.is_empty() {
            let what = match (&reply.stop, reply.content.is_empty()) {
                (StopReason::Length, _) => "Your answer was cut at its token limit, and nothing was done.".to_owned(),
                (StopReason::Other(reason), _) => {
                    format!("Your answer ended in an unknown way ({reason}), and nothing was done.")
                }
                (_, true) => "Your answer was empty.".to_owned(),
                _ => "Nothing was done: you called no tool.".to_owned(),
            };
            let open: Vec<String> = self.open_tools().iter().map(|tool| format!("`{tool}`")).collect();
            let what = match &open[..] {
                [] => what,
                [one] => format!("{what} Call {one}."),
                _ => format!("{what} Call one of these: {}.", open.join(", ")),
            };
            return self.ask(stage, vec![answer_all(reply, &what)], false);
        }
        let message = match as_text {
            false => Said::Results { results },
            true => {
                let texts: Vec<String> = results.iter().map(|it| format!("{}:\n{}", it.name, it.text)).collect();
                Said::User { text: texts.join("\n\n").into() }
            }
        };
        self.ask(stage, vec![message], false)
    }

    /// The number of answers in a row, up to the last, without effect.
    fn idle(&self) -> usize {
        let led = |turn: &Turn| !matches!(turn.did, Did::Asked(_) | Did::Refused { .. });
        let since = self.progress.transcript.turns.iter().rev().take_while(|turn| !led(turn));
        since.filter(|turn| matches!(&turn.did, Did::Asked(exchange) if exchange.reply().is_some())).count()
    }
}
