//! Ends a run that a model leads: only with a draft that the gates have checked.

use super::moves::{Called, Move};
use super::{Dialogue, Done, results};
use crate::pipeline::{Judged, Progress, draft_of};
use run::coverage::Point;
use run::transcript::{Did, Sent, Transcript};

impl<'a> Dialogue<'a> {
    /// The hand-off that brought the last draft.
    pub(super) fn last_draft<'s>(&self, progress: &Progress<'s>) -> Result<&'s Sent, String> {
        match progress.drafts().last() {
            None => Err("not done: there is no draft. Hand work out, and then what was found to the writer".into()),
            Some(sent) if draft_of(sent).is_some() => Ok(sent),
            Some(_) => Err("not done: the last call of the writer brought no draft".into()),
        }
    }

    /// An earlier draft, if the gates have checked it.
    pub(super) fn older<'s>(&self, n: usize, progress: &Progress<'s>) -> Result<Judged<'s>, String> {
        let draft = progress.drafts().nth(n - 1).and_then(draft_of);
        let judged = progress.judged().into_iter().find(|judged| draft.is_some_and(|draft| judged.is_of(draft)));
        judged
            .filter(|judged| judged.gated)
            .ok_or(format!("not done: draft {n} was not checked, and only the last one can still be"))
    }

    /// Ends with this draft, or the last one, once it is checked. The model gets the issues of a draft once, with the
    /// points of the question that were not searched for. If it ends all the same, the best draft is the brief, with
    /// its issues and gaps named.
    pub(super) fn finalized(&self, draft: Option<usize>, before: &Transcript) -> Done {
        let drafts = self.progress.drafts().count();
        if let Some(n) = draft.filter(|n| *n < drafts)
            && let Ok(judged) = self.older(n, self.progress)
        {
            return Done::Step(self.progress.end_with(&judged));
        }
        if !self.progress.unasked().is_empty()
            && let Ok(writer) = self.last_draft(self.progress)
        {
            return Done::Step(self.progress.check(writer));
        }
        let judged = self.progress.judged();
        let Some(last) = judged.last() else { return Done::Answer("not done: there is no draft".into(), true) };
        if !self.insists(before) {
            let mut objection = String::new();
            let open = self.progress.not_looked_for();
            // Without another draft, nothing could use its findings.
            if !open.is_empty() && self.progress.may_be_revised() {
                let what =
                    "hand that out, each by its own name, or call `finalize` again: then it stands under the gaps";
                objection =
                    format!("not done: the question names {}, and nobody looked for that; {what}.", listed(&open));
            }
            if last.blocking() > 0 && self.progress.may_be_revised() {
                let issues = results::of_verdicts(&last.verdicts, results::ROOM);
                let what = "not done: the draft was sent back. Hand it to the writer again, or call `finalize` again: it ends with \
                            this draft, labelled as what it is";
                objection = format!("{objection}\n{what}.\n{issues}");
            }
            if !objection.is_empty() {
                return Done::Answer(objection.trim().to_owned(), true);
            }
        }
        let best = self.progress.best(&judged).filter(|_| last.blocking() > 0);
        Done::Step(self.progress.end_with(best.unwrap_or(last)))
    }

    /// Whether it tried to end with this draft before and got the objections.
    fn insists(&self, before: &Transcript) -> bool {
        let turns = &before.turns;
        let is_writer = |sent: &Sent| sent.role.as_str() == self.progress.order().writes();
        let written =
            turns.iter().rposition(|turn| matches!(&turn.did, Did::HandOffs(sent) if sent.iter().any(is_writer)));
        let Some(written) = written else { return false };
        // A draft that there is not was answered with that, and with no objection.
        let drafts = self.progress.drafts().count();
        let may_end =
            |call: &Called| matches!(call.wants, Ok(Move::Finalize { draft }) if draft.is_none_or(|n| n <= drafts));
        self.times(&turns[written..], may_end) > 1
    }
}

/// "a, b and c", each in quotes.
fn listed(points: &[Point]) -> String {
    let quoted: Vec<String> = points.iter().map(|point| format!("“{point}”")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => quoted.concat(),
    }
}
