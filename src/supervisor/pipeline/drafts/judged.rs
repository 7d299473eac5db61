//! A draft with its verdicts: what blocks it, what is still to be judged in it, and how much of it stays. It decides no step.

use std::collections::BTreeSet;

use crate::pipeline::reviewed::Reviewed;
use run::Outcome;
use run::brief::{Draft, Sentence, Wording};
use run::checkpoint::draft::Review;
use run::id::Role;
use run::verdict::{Concern, Issue, Verdict};
use text::Clean;

/// So many times the faulted sentences of a draft are fewer than all: then a model reviews the others before it is revised.
const FEW: usize = 3;

/// A draft with its verdicts.
pub(crate) struct Judged<'a> {
    pub(in crate::pipeline) draft: &'a Draft,
    pub(crate) verdicts: Vec<Verdict>,
    /// Sentences that a code gate vetoes: only sentences that lead to a passage may reach a brief. A doubt is a veto if the
    /// reviewer shares it, or if no model can be asked.
    pub(in crate::pipeline) vetoed: BTreeSet<Clean>,
    /// Sentences that code doubts, and that a model is still to judge.
    pub(in crate::pipeline) undecided: BTreeSet<Clean>,
    /// The objections to single sentences of the models that reviewed it.
    pub(in crate::pipeline) noes: Vec<Issue>,
    /// The check that could not be run, and how it ended.
    pub(in crate::pipeline) unchecked: Option<(Role, Outcome)>,
    /// Whether the gates have checked it.
    pub(crate) gated: bool,
    /// Whether it was reviewed, or all that is to judge in it was judged in other drafts.
    pub(in crate::pipeline) reviewed: bool,
    /// The number of issues that block it and come from code.
    pub(super) in_code: usize,
    /// The number of sentences that the person has changed or removed.
    pub(in crate::pipeline) changed: u32,
}

/// A draft as the person has accepted it, with the verdicts on the rest of it. They were told which sentences code takes out, and
/// their own stand as they accepted them: neither are open any more.
pub(super) fn accepted<'r>(judged: &'r Judged<'_>, review: &'r Review) -> Judged<'r> {
    let Judged { vetoed, undecided, noes, unchecked, gated, reviewed, in_code, .. } = judged;
    let mut accepted = Judged {
        draft: &review.draft,
        verdicts: review.standing(),
        vetoed: vetoed.clone(),
        undecided: undecided.clone(),
        noes: noes.clone(),
        unchecked: unchecked.clone(),
        changed: review.changed,
        ..Judged { gated: *gated, reviewed: *reviewed, in_code: *in_code, ..Judged::of(&review.draft) }
    };
    let told: Vec<Clean> = review.would_take_out().into_iter().map(|out| out.text.clone()).collect();
    let is_open = |issue: &Issue| {
        issue.concern != Concern::Person && issue.sentence.as_ref().is_none_or(|text| !told.contains(text))
    };
    accepted.verdicts.iter_mut().for_each(|verdict| verdict.issues.retain(is_open));
    accepted
}

impl<'a> Judged<'a> {
    /// A draft without verdicts yet.
    pub(super) fn of(draft: &'a Draft) -> Judged<'a> {
        let (verdicts, vetoed, undecided, noes) = Default::default();
        let (unchecked, gated, reviewed, in_code, changed) = Default::default();
        Judged { draft, verdicts, vetoed, undecided, noes, unchecked, gated, reviewed, in_code, changed }
    }
}

impl Judged<'_> {
    /// Whether it judges this draft.
    pub(crate) fn is_of(&self, draft: &Draft) -> bool {
        std::ptr::eq(self.draft, draft)
    }

    /// The issues that block it.
    pub(in crate::pipeline) fn issues(&self) -> impl Iterator<Item = &Issue> {
        self.verdicts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.blocking)
    }

    /// The number of issues that block it.
    pub(crate) fn blocking(&self) -> usize {
        self.issues().count()
    }

    /// Whether a sentence may not go out unjudged: code doubts it, and no model has judged it.
    pub(in crate::pipeline) fn is_undecided(&self, sentence: &Sentence) -> bool {
        self.draft.wording == Wording::Reworded && self.undecided.contains(&sentence.text)
    }

    /// Adds the reviews, and settles the doubts of code by them. `is_awaited`: whether a model will still judge the rest; if not, a
    /// doubt is an issue.
    pub(super) fn settle(&mut self, reviewed: Reviewed, is_awaited: bool) {
        self.reviewed |= reviewed.is_whole;
        self.verdicts.splice(0..0, reviewed.verdict);
        for doubt in self.verdicts.iter_mut().flat_map(|verdict| &mut verdict.issues).filter(|issue| issue.doubt) {
            let Some(sentence) = doubt.sentence.clone() else { continue };
            let is_refused = reviewed.refused.contains(&sentence);
            let is_judged = is_refused || reviewed.borne_out.contains(&sentence);
            if !is_judged && is_awaited {
                self.undecided.insert(sentence);
                continue;
            }
            // The reviewer's word on it is an issue already.
            doubt.blocking = !is_judged;
            self.in_code += usize::from(!is_judged);
            if is_refused || !is_judged {
                self.vetoed.insert(sentence);
            }
        }
    }

    /// Whether code takes a sentence out of the brief.
    pub(in crate::pipeline) fn is_struck(&self, sentence: &Sentence) -> bool {
        self.draft.wording == Wording::Reworded && self.vetoed.contains(&sentence.text)
    }

    /// The statements of which a sentence has an issue that blocks.
    pub(super) fn faulted(&self) -> Vec<Sentence> {
        let texts: BTreeSet<&Clean> = self.issues().filter_map(|issue| issue.sentence.as_ref()).collect();
        let has_one = |sentences: &[&Sentence]| sentences.iter().any(|sentence| texts.contains(&sentence.text));
        let units = self.draft.judged_together().into_iter();
        units.filter(|(_, sentences)| has_one(sentences)).map(|(statement, _)| statement).collect()
    }

    /// Whether what blocks it are single sentences, or labels, and less than a third of all: the others can be judged at once.
    pub(super) fn is_mostly_sound(&self) -> bool {
        let single: Option<BTreeSet<&Clean>> = self.issues().map(|issue| issue.sentence.as_ref()).collect();
        single.is_some_and(|single| single.len() * FEW < self.draft.statements().len())
    }

    /// The number of words that stay: of those that were asked for and nobody faults, less those that stay though somebody does,
    /// and those beyond the length. An issue with the whole of it weighs a tenth of the length.
    pub(super) fn worth(&self, asked: usize) -> i64 {
        let words = |sentence: &Sentence| sentence.text.split_whitespace().count();
        let faulted: BTreeSet<&Clean> = self.issues().filter_map(|issue| issue.sentence.as_ref()).collect();
        let stays = self.draft.sentences().filter(|sentence| !self.is_struck(sentence));
        let (faulty, sound): (Vec<&Sentence>, Vec<&Sentence>) =
            stays.partition(|sentence| faulted.contains(&sentence.text));
        let count = |of: &[&Sentence]| of.iter().map(|sentence| words(sentence)).sum::<usize>();
        let (faulty, sound) = (count(&faulty), count(&sound));
        let of_whole = |length: bool| {
            let whole = self.issues().filter(|issue| issue.sentence.is_none());
            whole.filter(|issue| (issue.concern == Concern::Length) == length).count()
        };
        let beyond = if of_whole(true) > 0 { (faulty + sound).saturating_sub(asked) } else { 0 };
        sound.min(asked) as i64 - (faulty + beyond + of_whole(false) * asked / 10) as i64
    }
}
