//! A model that leads: it hands work to the members of its team, asks the person, and ends with a draft of the writer.
//!
//! A pure step over its own transcript, like everybody. What it says is checked here (`moves.rs`), what comes back is told
//! it compacted (`told.rs`), and some rules are none of its business: the person goes through the findings before the
//! writer has them, gates look at a draft before it is the brief, and where the model does not get on, it is relieved and
//! the pipeline goes on from the same transcript. It never sees the transcript of another, and never writes a sentence of
//! the brief itself.

mod finish;
mod moves;
mod told;
mod work;

use self::moves::{Called, FINALIZE, HANDOFF, Move};
use super::Pipeline;
use super::pipeline::Story;
use run::model::{Form, Offer, Reply, Said, Stop};
use run::stage::Conversation;
use run::team::{AssignedModel, Order, StructuredOutput, Team};
use run::transcript::{Did, Exchange, Transcript, Turn};
use specialist::model::{Asking, Converses, End, add, answer, answer_all, fenced, object};
use specialist::{Assigned, MOST_REFUSALS, Specialist, Step};
use text::{Clean, count};

/// Answers of the model in one run.
const MOST_ANSWERS: usize = 30;
/// Answers that are left when it is told so.
const SHORT: usize = 4;
/// Answers one after the other that led to nothing.
const MOST_IDLE: usize = 3;
/// Turns that are kept for the rules to land the run.
const LANDING: u32 = 16;

/// Why the model is asked at a stage, in a sentence.
fn in_words(stage: Conversation) -> &'static str {
    match stage {
        Conversation::Begin => "the model that leads is handed the question",
        Conversation::Nudge => "nothing came of what it said",
        Conversation::Continue => "its provider paused the answer, which goes on",
        Conversation::Restart => "the conversation grew too long: it begins anew with what was read",
        _ => "what was handed out has come back",
    }
}

/// Leads a run by asking a model.
#[derive(Clone, Copy)]
pub struct Lead<'a> {
    team: &'a Team,
    model: &'a AssignedModel,
}

impl<'a> Lead<'a> {
    /// Leads this team with the model of its supervisor.
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
        let talk = Talk { who: *self, assigned, transcript, story: Story { transcript, team: self.team } };
        talk.story.remembering(assigned.turns_left, talk.next())
    }
}

impl Talk<'_> {
    fn next(&self) -> Step {
        let Some(last) = self.transcript.turns.last() else {
            return self.story.asking_memory().unwrap_or_else(|| self.begin());
        };
        if self.transcript.sent().any(|sent| sent.report.is_none()) {
            return self.story.tried_again(self.answered().map_or(0, |at| at + 1)).unwrap_or(Step::Wait);
        }
        if last.pending() {
            return Step::Wait;
        }
        if let Some(why) = self.is_at_its_end() {
            return Step::Relieve(why.into());
        }
        match &last.did {
            Did::Asked(exchange) => self.hear(exchange),
            _ => self.go_on(),
        }
    }
}

/// One run's talk with the model that leads it.
struct Talk<'a> {
    who: Lead<'a>,
    assigned: Assigned<'a>,
    transcript: &'a Transcript,
    story: Story<'a>,
}

/// What became of a call.
#[expect(clippy::large_enum_variant, reason = "made once a turn and moved, never kept")]
enum Done {
    /// It asks for this step first.
    Step(Step),
    /// The model is told this; whether it failed.
    Told(String, bool),
}

impl<'a> Converses<'a> for Talk<'a> {
    fn asking(&self) -> Asking<'a> {
        Asking { model: self.who.model, transcript: self.transcript }
    }

    fn offers(&self) -> Vec<Offer> {
        moves::offers(self.who.team)
    }

    /// The question, the team, and what there is to search.
    fn opening(&self, besides: String) -> Vec<Said> {
        let corpus = self.transcript.handoff.payload.corpus.clone().unwrap_or_default();
        let searched = match corpus.web.is_empty() {
            true => format!("There are {} documents with {} passages to search.", corpus.documents, corpus.blocks),
            false => format!("There is to search: {}.", corpus.searched()),
        };
        let task = format!(
            "The person asks:\n{}\n\n{searched} They want a {} of about {} words.{besides}\n\nYou act by calling tools, and by \
             nothing else.",
            fenced("question", "", &self.story.question()),
            if self.story.order() == Order::Brief { "brief" } else { "report" },
            self.story.words(),
        );
        vec![Said::System { text: self.who.model.prompt.clone() }, Said::User { text: task.into() }]
    }

    fn so_far(&self, mut room: usize) -> String {
        let (mut drafts, mut notes) = (0, Vec::new());
        for sent in self.transcript.sent() {
            drafts += usize::from(sent.role.as_str() == run::Role::WRITER);
            let brought = told::of_sent(sent, drafts, told::ROOM / 3).0;
            notes.push(format!(
                "\n\nYou handed to the {} ({}), which brought:\n{brought}",
                sent.role, sent.handoff.title
            ));
        }
        // What came last says the most.
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

    fn wind_down(&self, stage: Conversation, afresh: bool, said: &mut Vec<Said>) -> Result<Form, Box<Step>> {
        let left = MOST_ANSWERS.saturating_sub(self.answers());
        if left == 0 {
            let why = format!("it had not come to an end after {MOST_ANSWERS} answers");
            return Err(Box::new(Step::Relieve(why.into())));
        }
        if left <= SHORT && !afresh {
            let words = format!("{} left to you: come to an end, by `{FINALIZE}`.", count(left, "answer"));
            add(said, &words);
        }
        let held = stage == Conversation::Nudge || left <= 2;
        Ok(if held { self.held_to() } else { Form::Free })
    }

    fn in_words(&self, stage: Conversation) -> &'static str {
        in_words(stage)
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
            End::OutOfBudget(refusal) => format!("{refusal} was reached"),
        };
        Step::Relieve(why.into())
    }
}

impl<'a> Talk<'a> {
    fn begin(&self) -> Step {
        let known = self.story.recalled().map_or(&[][..], |report| report.payload.findings());
        let besides = match known.is_empty() {
            true => String::new(),
            false => format!(
                "\n\nEarlier runs have kept this, and it still stands; it goes before the person with what is found now:\n{}",
                told::of_findings(known, told::ROOM / 2)
            ),
        };
        self.begin_with(besides)
    }

    fn answers(&self) -> usize {
        self.transcript.exchanges().filter(|exchange| exchange.reply().is_some()).count()
    }

    /// The form of a call of the tool that is next by the order of the team.
    fn held_to(&self) -> Form {
        let next = match () {
            () if self.story.drafts().next().is_some() => FINALIZE.to_owned(),
            () if self
                .story
                .researchers()
                .any(|sent| sent.report.as_ref().is_some_and(|(_, r)| !r.payload.findings().is_empty())) =>
            {
                format!("{HANDOFF}writer")
            }
            () => format!("{HANDOFF}{}", self.story.order().looks()),
        };
        let Some(offer) = self.offers().into_iter().find(|offer| offer.name.as_str() == next) else {
            return Form::Free;
        };
        match self.who.model.structured_output {
            StructuredOutput::Tool => Form::Tool { name: offer.name },
            StructuredOutput::Schema => {
                let mut offer = offer;
                // Where a plan is there, its tasks are what can be handed out: a weak model need not find the words.
                let titles: Vec<&str> =
                    self.story.planned_and_not_handed_out().into_iter().map(|task| &*task.title).collect();
                if !titles.is_empty() && offer.schema["properties"]["title"].is_object() {
                    offer.schema["properties"]["title"]["enum"] = titles.into();
                }
                let name = serde_json::json!({ "type": "string", "enum": [next] });
                let schema = object(serde_json::json!({ "name": name, "arguments": offer.schema }));
                Form::Json { name: "call".into(), schema }
            }
            StructuredOutput::Text => Form::Free,
        }
    }

    /// Why it may lead no further, if it may not.
    fn is_at_its_end(&self) -> Option<String> {
        if self.assigned.turns_left <= LANDING {
            return Some("few of the supervisor's turns are left".into());
        }
        if self.transcript.refused_steps() >= MOST_REFUSALS {
            return Some("its steps were refused again and again".into());
        }
        None
    }

    /// The turn of the model's last answer.
    fn answered(&self) -> Option<usize> {
        self.transcript.turns.iter().rposition(|turn| matches!(&turn.did, Did::Asked(e) if e.reply().is_some()))
    }

    /// Does what the last answer calls for, one step after the other; when all is done, says what came of it.
    fn go_on(&self) -> Step {
        let turns = &self.transcript.turns;
        let Some(at) = self.answered() else { return self.begin() };
        let (Some(reply), since) = (self.asking().last_reply(), &turns[at + 1..]) else { return Step::Wait };
        let before = Transcript { turns: turns[..=at].to_vec(), ..self.transcript.clone() };
        let calls = match &reply.stop {
            // What ended nobody knows how may not be whole.
            Stop::Other(_) => Vec::new(),
            _ => self.checked(moves::calls(reply, self.who.team), &before),
        };
        if self.finalises_with_nothing(&calls) {
            return Step::Relieve("it wanted to end twice without a draft".into());
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
        if let Some(step) = self.story.tried_again(at + 1) {
            return step;
        }
        let mut results = Vec::with_capacity(calls.len());
        for (call, wants) in &calls {
            let done = match (wants, refused) {
                (Err(why), _) => Done::Told(why.clone(), true),
                (Ok(_), Some(why)) => Done::Told(format!("not done: {why}"), true),
                (Ok(wants), None) => self.done(wants, &calls, &before, since),
            };
            match done {
                Done::Step(step) => return step,
                Done::Told(text, failed) => results.push((call.id.clone(), call.name.clone(), text, failed)),
            }
        }
        self.tell(reply, results)
    }

    /// Whether it calls for the end a second time while nobody has written anything.
    fn finalises_with_nothing(&self, calls: &[(Called, Result<Move, String>)]) -> bool {
        let wants_to_end = |call: &Called| call.name.as_str() == FINALIZE;
        let now = calls.iter().any(|(call, _)| wants_to_end(call));
        let ends = |exchange: &Exchange| {
            exchange.reply().is_some_and(|reply| moves::calls(reply, self.who.team).iter().any(wants_to_end))
        };
        now && self.story.drafts().next().is_none() && self.transcript.exchanges().filter(|e| ends(e)).count() > 1
    }

    /// Gives the model one answer for each of its calls, in their order; or says that nothing came of what it said.
    fn tell(&self, reply: &Reply, results: Vec<(Option<Clean>, Clean, String, bool)>) -> Step {
        let idle = self.idle();
        if idle >= MOST_IDLE {
            let why = results.last().map_or("it called no tool".to_owned(), |(_, _, why, _)| why.clone());
            let why = Clean::line(&why).chars().take(200).collect::<String>();
            return Step::Relieve(format!("{MOST_IDLE} answers led to nothing; the last: {why}").into());
        }
        let stage = if idle == 0 { Conversation::Results } else { Conversation::Nudge };
        if results.is_empty() {
            let what = match (&reply.stop, reply.content.is_empty()) {
                (Stop::Length, _) => "Your answer was cut at its token limit, and nothing was done.".to_owned(),
                (Stop::Other(reason), _) => {
                    format!("Your answer ended in an unknown way ({reason}), and nothing was done.")
                }
                (_, true) => "Your answer was empty.".to_owned(),
                _ => "Nothing was done: you called no tool.".to_owned(),
            };
            let what = format!("{what} Call one: hand work out, or end with `{FINALIZE}`.");
            return self.ask(stage, vec![answer_all(reply, &what)], false);
        }
        let said = match results.iter().all(|(id, ..)| id.is_some()) {
            true => {
                let answers = results
                    .into_iter()
                    .map(|(id, name, text, failed)| answer(&id.unwrap_or_default(), &name, text, failed));
                Said::Results { results: answers.collect() }
            }
            false => {
                let told: Vec<String> =
                    results.into_iter().map(|(_, name, text, _)| format!("{name}:\n{text}")).collect();
                Said::User { text: told.join("\n\n").into() }
            }
        };
        self.ask(stage, vec![said], false)
    }

    /// How many answers in a row, up to the last, led to nothing.
    fn idle(&self) -> usize {
        let led = |turn: &Turn| !matches!(turn.did, Did::Asked(_) | Did::Refused { .. });
        let since = self.transcript.turns.iter().rev().take_while(|turn| !led(turn));
        since.filter(|turn| matches!(&turn.did, Did::Asked(exchange) if exchange.reply().is_some())).count()
    }
}
