//! The room of a conversation: passages carried into a new one, results that the budget pays for, and the claims that a report
//! may make where there was too little.

use std::sync::Arc;

use super::super::conversation::{Converses, answer};
use super::super::located::{self, Passage};
use super::super::reading;
use super::Talk;
use run::model::Said;
use run::stage::{Conversation, Stage};
use run::tool::builtin::{BuiltIn, Search};
use run::transcript::{Did, Turn};
use run::{Outcome, Payload};
use text::count;

/// Bytes of the sentence on passages for which there was no room.
const LEFT_OUT_BYTES: usize = 60;

impl Talk<'_> {
    /// The best passages that were found, as many as there is room for (in bytes), below a heading; None if none were.
    pub(super) fn passages(&self, heading: &str, room: usize) -> Option<String> {
        let found = located::passages(&self.transcript.turns);
        if found.is_empty() {
            return None;
        }
        let mut left = room.saturating_sub(heading.len() + LEFT_OUT_BYTES);
        let in_words = |one: &Passage<'_>| reading::passage(one) + "\n";
        let fits = |passage: &String| left.checked_sub(passage.len()).map(|rest| left = rest).is_some();
        let all = found.len();
        let kept: Vec<String> = found.iter().map(in_words).filter(fits).collect();
        let heading = if kept.is_empty() { "" } else { heading };
        let more = match all - kept.len() {
            0 => String::new(),
            n => format!("There is no room for {} of what was found.\n", count(n, "passage")),
        };
        Some(format!("\n\n{heading}\n{}{more}", kept.concat()))
    }

    /// The searches so far, for a conversation that begins anew; empty if there were none.
    pub(super) fn searched_for(&self) -> String {
        let searches = self.transcript.calls().map(|call| &call.request).filter(|request| request.name == Search::NAME);
        let queries = searches.filter_map(|request| request.of::<Search>());
        let queries: Vec<String> = queries.map(|search| format!("“{}”", search.query)).collect();
        match queries.is_empty() {
            true => String::new(),
            false => {
                format!("\nYou have searched for these; the same search is not made again: {}\n", queries.join(", "))
            }
        }
    }

    /// The text that the model was told in the conversation as it stands, besides its instructions.
    pub(super) fn told(&self) -> String {
        let turns = &self.transcript.turns;
        let is_afresh = |turn: &Arc<Turn>| matches!(&turn.did, Did::Asked(exchange) if exchange.request.afresh);
        let begins = turns.iter().rposition(is_afresh).unwrap_or(turns.len());
        let mut told = String::new();
        for turn in &turns[begins..] {
            let Did::Asked(exchange) = &turn.did else { continue };
            exchange.request.said.iter().for_each(|said| match said {
                Said::System { .. } => {}
                Said::User { text } => told.push_str(text),
                Said::Results { results } => results.iter().for_each(|result| told.push_str(&result.text)),
            });
        }
        told
    }

    /// The number of passages found of which the conversation as it stands has nothing: there was no room for them.
    fn passages_without_room(&self) -> usize {
        let turns = &self.transcript.turns;
        let told = self.told();
        if told.is_empty() {
            return 0;
        }
        // Text that was read to check quotes is not shown to the model.
        let looked: Vec<Arc<Turn>> =
            turns.iter().filter(|turn| turn.stage != Conversation::Verify.into()).cloned().collect();
        let found = located::passages(&looked);
        let is_told = |one: &Passage<'_>| reading::is_told(&told, &one.source.id, one.block, one.text);
        found.iter().filter(|passage| !is_told(passage)).count()
    }

    /// Whether its last look-up was its last because of the budget.
    fn is_cut_by_budget(&self) -> bool {
        let looks =
            [Conversation::Begin, Conversation::Results, Conversation::Restart, Conversation::Last].map(Stage::from);
        let asked = |turn: &&Arc<Turn>| matches!(turn.did, Did::Asked(_)) && looks.contains(&turn.stage);
        self.transcript.turns.iter().rev().find(asked).is_some_and(|turn| turn.stage == Conversation::Last.into())
    }

    /// Leaves out the last results where the budget would not pay for an answer to all of them.
    pub(super) fn keep_within_budget(&self, said: &mut [Said]) {
        let long = self.specialist.long_answer;
        let affords = |said: &[Said]| self.asking().affords(&self.coming(said, false), self.assigned.left, (1, long));
        for at in 0..said.len() {
            let Said::Results { results } = &said[at] else { continue };
            for n in (0..results.len()).rev() {
                if affords(said) {
                    return;
                }
                let Said::Results { results } = &mut said[at] else { return };
                let (call, name) = (results[n].call.clone(), results[n].name.clone());
                results[n] = answer(&call, &name, "left out: the budget has no room for it".into(), true);
            }
        }
    }

    /// The outcome of a report, which is partial where a cap ended the research. Nothing is said to be missing from the
    /// sources where not all that was found could be looked at.
    pub(super) fn whole(&self, outcome: Outcome, payload: &Payload) -> Outcome {
        let no_room = || "the cap left no room for more research".into();
        match outcome {
            Outcome::Done if payload.findings.is_some() && self.is_cut_by_budget() => Outcome::Partial(no_room()),
            Outcome::NothingFound if self.is_cut_by_budget() => Outcome::OutOfBudget(no_room()),
            // Without a finding there is nothing that would be a part.
            Outcome::NothingFound if let Some(why) = self.unasked() => Outcome::Failed(why),
            Outcome::Done
                if payload.findings.is_some()
                    && let Some(why) = self.unasked() =>
            {
                Outcome::Partial(why)
            }
            Outcome::NothingFound => match self.passages_without_room() {
                0 => Outcome::NothingFound,
                n => {
                    let (n, model) = (count(n, "passage"), &self.specialist.model.id);
                    let why = format!("the conversation with {model} had no room for {n} of what was found");
                    Outcome::OutOfBudget(why.into())
                }
            },
            outcome => outcome,
        }
    }
}
