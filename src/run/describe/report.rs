//! The end of an assignment in words: its result, its time, its calls and its cost.

use super::line::{Line, ended};
use super::name;
use crate::budget::{Account, Cap};
use crate::event::Envelope;
use crate::handoff::{Handoff, Outcome};
use crate::mark::Mark::{self, SentBack};
use crate::model::ModelId;
use crate::stage::{Conversation, Stage};
use crate::transcript::Did;
use crate::{Assignment, Run};
use text::count;

/// The end of an assignment. A check that finds something wrong has done its work, and sends the draft back.
pub(super) fn reported(by: &Assignment, outcome: &Outcome, handoff: &Handoff, envelope: &Envelope, run: &Run) -> Line {
    let end = ended(name(by), outcome, report(by, outcome, handoff, envelope, run));
    match Mark::of_ended(by) {
        Some(SentBack) => Line { mark: SentBack, word: SentBack.word(), ..end },
        _ => end,
    }
}

/// The result of an assignment, its time and its cost.
pub(super) fn report(by: &Assignment, outcome: &Outcome, handoff: &Handoff, envelope: &Envelope, run: &Run) -> String {
    let back = match handoff.payload.verdicts().first() {
        Some(verdict) => verdict.to_string(),
        None => handoff.title.to_string(),
    };
    let back = match outcome {
        Outcome::Done => back,
        // The line already says "failed", and the payload is empty.
        Outcome::Failed(why) => why.to_string(),
        Outcome::Partial(why) => format!("{why} · {back}"),
        outcome => came_to(outcome, &back),
    };
    let took = run.worked(envelope.at).saturating_sub(by.worked().start);
    let Account { spent: cost, in_doubt, .. } = run.ledger.assignment(by.id);
    let asked = asked(by, run, cost.plus(in_doubt).get(Cap::Calls));
    let calls = count(cost.get(Cap::ToolCalls), "tool call") + &by_program(by);
    let money = if run.is_imported() { by.pricing.to_string() } else { cost.money().to_string() };
    after(back, format!("{took} ms · {calls}{asked} · {} tok · {money}", cost.tokens()))
}

/// The number of tool calls of a specialist with a model that the program made for it: ", 2 by the program".
fn by_program(by: &Assignment) -> String {
    let stages = [Conversation::LookUp, Conversation::Verify].map(Stage::from);
    let made = by.transcript.turns.iter().filter(|turn| stages.contains(&turn.stage));
    let calls = made.map(|turn| if let Did::Tools(calls) = &turn.did { calls.len() } else { 0 });
    match calls.sum::<usize>() {
        0 => String::new(),
        n => format!(", {n} by the program"),
    }
}

/// The models that an assignment and those below it asked, and the number of times, as the ledger counts, calls in doubt included:
/// " · 3 × acme/large, 1 × acme/small".
pub(super) fn asked(by: &Assignment, run: &Run, calls: u64) -> String {
    let below = run.assignments().filter(|other| other.id.is_below(by.id));
    let mut models: Vec<(&ModelId, usize)> = Vec::new();
    for exchange in std::iter::once(by).chain(below).flat_map(|one| one.transcript.exchanges()) {
        let model = &exchange.request.model;
        let sent = exchange.attempts.iter().filter(|attempt| attempt.sent_at.is_some()).count();
        match models.iter_mut().find(|(known, _)| *known == model) {
            Some((_, times)) => *times += sent,
            None => models.push((model, sent)),
        }
    }
    match &models[..] {
        [] => String::new(),
        [(model, _)] => format!(" · {calls} × {model}"),
        several => {
            let each: Vec<String> = several.iter().map(|(model, times)| format!("{times} × {model}")).collect();
            format!(" · {}", each.join(", "))
        }
    }
}

/// The outcome and the result, without repeating the outcome. "Nothing found" is already the word before the sentence.
pub(super) fn came_to(outcome: &Outcome, back: &str) -> String {
    let ended = outcome.to_string();
    match (outcome, ended.starts_with(back)) {
        (Outcome::NothingFound, true) => String::new(),
        (Outcome::NothingFound, false) => back.to_owned(),
        (_, true) => ended,
        (_, false) => format!("{ended} · {back}"),
    }
}

/// A sentence followed by figures; only the figures if the sentence is empty.
pub(super) fn after(sentence: String, figures: String) -> String {
    if sentence.is_empty() { figures } else { format!("{sentence} · {figures}") }
}
