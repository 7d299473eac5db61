//! The end: a run ends with a draft that came from the writer and that gates have looked at, or it does not end here.

use super::moves::{self, Move};
use super::{Done, Talk, told};
use crate::pipeline::{Judged, Story};
use run::transcript::{Did, Sent, Transcript};

impl<'a> Talk<'a> {
    /// The last draft, with who wrote it.
    pub(super) fn last_draft<'s>(&self, story: &Story<'s>) -> Result<&'s Sent, String> {
        let written = |sent: &&Sent| {
            sent.report
                .as_ref()
                .is_some_and(|(outcome, report)| outcome.usable() && report.payload.draft.as_ref().is_some())
        };
        match story.drafts().last() {
            None => Err("not done: there is no draft. Hand work out, and then what was found to the writer".into()),
            Some(sent) if written(&sent) => Ok(sent),
            Some(_) => Err("not done: the last call of the writer brought no draft".into()),
        }
    }

    /// A draft before the last one, if gates have looked at it.
    pub(super) fn older<'s>(&self, n: usize, story: &Story<'s>) -> Result<Judged<'s>, String> {
        let draft = story.drafts().nth(n - 1).and_then(|sent| sent.report.as_ref()?.1.payload.draft.as_ref());
        let judged = story.judged().into_iter().find(|judged| draft.is_some_and(|draft| judged.is_of(draft)));
        judged
            .filter(Judged::is_gated)
            .ok_or(format!("not done: draft {n} was not checked, and only the last one can still be"))
    }

    /// Ends with this draft, or the last one, once it has been checked. What has to be mended is told once; who ends with
    /// it all the same ends with the best there is, labelled so.
    pub(super) fn finalized(&self, draft: Option<usize>, before: &Transcript) -> Done {
        let drafts = self.story.drafts().count();
        if let Some(n) = draft.filter(|n| *n < drafts)
            && let Ok(judged) = self.older(n, &self.story)
        {
            return Done::Step(self.story.finish(&judged));
        }
        if !self.story.unasked().is_empty()
            && let Ok(writer) = self.last_draft(&self.story)
        {
            return Done::Step(self.story.check(writer));
        }
        let judged = self.story.judged();
        let Some(last) = judged.last() else { return Done::Told("not done: there is no draft".into(), true) };
        if last.blocking() > 0 && self.story.may_be_revised() && !self.insists(before) {
            let issues = told::of_verdicts(&last.verdicts, told::ROOM);
            let what = "not done: the draft was sent back. Hand it to the writer again, or end all the same: then it is \
                        labelled as what it is";
            return Done::Told(format!("{what}.\n{issues}"), true);
        }
        let gated = judged.iter().rev().filter(|judged| judged.is_gated());
        let best = gated.min_by_key(|judged| judged.blocking()).unwrap_or(last);
        Done::Step(self.story.finish(if last.blocking() == 0 { last } else { best }))
    }

    /// Whether it wanted to end with this draft before, and was told why not.
    fn insists(&self, before: &Transcript) -> bool {
        let turns = &before.turns;
        let is_writer = |sent: &Sent| sent.role.as_str() == run::Role::WRITER;
        let written =
            turns.iter().rposition(|turn| matches!(&turn.did, Did::HandOffs(sent) if sent.iter().any(is_writer)));
        let Some(written) = written else { return false };
        let ends = turns[written..].iter().filter(|turn| match &turn.did {
            Did::Asked(exchange) => exchange.reply().is_some_and(|reply| {
                moves::calls(reply, self.who.team).iter().any(|call| matches!(call.wants, Ok(Move::Finalize { .. })))
            }),
            _ => false,
        });
        ends.count() > 1
    }
}
