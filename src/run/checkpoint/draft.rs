//! The draft checkpoint: the person reads the draft before it goes out, changes sentences, and accepts it, or sends it back to
//! the writer with remarks.
//!
//! A remark is an issue of theirs, and reaches the writer as those of the reviewer do. Each sentence keeps its citations.

use serde::{Deserialize, Serialize};

use super::{Answered, Checkpoint, Subject, Topic};
use crate::Run;
use crate::brief::Draft;
use crate::stage::Leading;
use crate::transcript::Pause;
use crate::verdict::{Check, Concern, Issue, Verdict};
use text::{Clean, count};

/// A draft before the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The draft as they have left it.
    pub draft: Draft,
    /// The verdicts of gates and reviewer.
    pub verdicts: Vec<Verdict>,
    /// The person's remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The number of sentences that they reworded, also in earlier drafts, or took out.
    #[serde(default)]
    pub changed: u32,
    /// The texts of sentences and headings that code takes out of the brief if they stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vetoed: Vec<Clean>,
}

/// One fault that a person wants to be mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The sentence it is about; None for the whole draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<Clean>,
    /// The fault, in their words.
    pub what: Clean,
}

/// A sentence or a heading of a draft that code takes out of the brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<'a> {
    /// Its place among the sentences, from 0; None for a heading.
    pub at: Option<u32>,
    /// The sentence or the heading.
    pub text: &'a Clean,
    /// The issue that code has with it, in words.
    pub why: Option<&'a Clean>,
}

/// A change of a draft by a person. Sentences are counted from 0, through the body and the disagreements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum Edit {
    /// Puts a sentence into their own words; it keeps its citations.
    Reword { of: u32, text: Clean },
    /// Takes a sentence out, of a table the whole row.
    Strike { of: u32 },
    /// Remarks on a sentence, or on the whole draft.
    Remark {
        /// The sentence; None for the whole draft.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u32>,
        what: Clean,
    },
}

/// A person's answer to a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It goes out as they left it.
    Accepted,
    /// It goes back to the writer with their remarks.
    Revise,
}

impl Review {
    /// A draft as it is put before the person.
    pub fn of(draft: Draft, verdicts: Vec<Verdict>) -> Review {
        let reworded = draft.yours.iter().filter(|text| draft.has(text)).count();
        let changed = u32::try_from(reworded + draft.struck.len()).unwrap_or(u32::MAX);
        Review { draft, verdicts, remarks: Vec::new(), changed, vetoed: Vec::new() }
    }

    /// The person's remarks as a verdict of theirs.
    pub fn verdict(&self) -> Verdict {
        let issue = |remark: &Remark| Issue {
            concern: Concern::Person,
            what: remark.what.clone(),
            sentence: remark.sentence.clone(),
            findings: Vec::new(),
            missing: None,
            blocking: true,
            doubt: false,
        };
        let result = count(self.remarks.len(), "remark").into();
        let checks = vec![Check { concern: Concern::Person, result, holds: self.remarks.is_empty() }];
        Verdict { issues: self.remarks.iter().map(issue).collect(), checks }
    }

    /// The verdicts of gates and reviewer that concern a sentence or a heading that is still there, or all of it.
    pub fn standing(&self) -> Vec<Verdict> {
        let mut verdicts = self.verdicts.clone();
        for verdict in &mut verdicts {
            verdict.issues.retain(|issue| issue.sentence.as_ref().is_none_or(|text| self.draft.holds(text)));
        }
        verdicts
    }

    /// The sentences and headings that accepting the draft would take out, in order, each with the issue that code has with it; a
    /// sentence also has its place among the sentences.
    pub fn would_take_out(&self) -> Vec<Refused<'_>> {
        let why = |text: &Clean| {
            let mut issues = self.verdicts.iter().flat_map(|verdict| &verdict.issues);
            issues.find(|issue| issue.blocking && issue.sentence.as_ref() == Some(text)).map(|issue| &issue.what)
        };
        let labels = self.draft.labels().into_iter().map(|(label, _)| (None, label));
        let sentences = (0..).map(Some).zip(self.draft.sentences().map(|sentence| &sentence.text));
        let out = labels.chain(sentences).filter(|(_, text)| self.vetoed.contains(text));
        out.map(|(at, text)| Refused { at, text, why: why(text) }).collect()
    }

    fn sentence(&self, of: u32) -> Result<&Clean, String> {
        let sentence = self.draft.sentences().nth(of as usize);
        sentence.map(|sentence| &sentence.text).ok_or_else(|| "there is no such sentence in the draft".into())
    }
}

impl Topic for Review {
    type Edit = Edit;
    type Answer = Answer;

    fn stage(&self) -> Leading {
        Leading::Approve
    }

    fn why(&self) -> &'static str {
        "the person reads the draft before it goes out"
    }

    fn title(&self) -> Clean {
        "draft".into()
    }

    fn asked(&self) -> String {
        let verdict = self.verdicts.iter().map(|one| one.issues.iter().filter(|issue| issue.blocking).count());
        let open = match verdict.sum::<usize>() {
            0 => String::new(),
            n => format!(", {} of the checks open", count(n, "issue")),
        };
        format!("a draft of {} to accept{open}", count(self.draft.words(), "word"))
    }

    fn said(&self, answer: &Answer) -> String {
        match answer {
            Answer::Accepted if self.changed > 0 => {
                format!("accepted, with {} of yours", count(self.changed as usize, "change"))
            }
            Answer::Accepted => "accepted".into(),
            Answer::Revise => format!("sent back to the writer with {}", count(self.remarks.len(), "remark")),
        }
    }

    fn approval(&self) -> Answer {
        Answer::Accepted
    }

    fn by_policy(&self) -> String {
        "accepts the draft, `--headless --remark [N=]TEXT` sends it back to the writer".into()
    }

    fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
        match answer {
            Answer::Accepted if self.draft.sentences().next().is_none() => {
                Err("nothing is left of the draft: take a change back, or send it back with a remark".into())
            }
            Answer::Accepted => Ok(()),
            Answer::Revise if self.remarks.is_empty() => {
                Err("remark first what is to be mended: the writer reads it".into())
            }
            Answer::Revise => may_send_back(run),
        }
    }

    fn accepts(&self, edit: &Edit, _at: &Checkpoint, _run: &Run) -> Result<(), String> {
        match edit {
            Edit::Reword { text, .. } if text.trim().is_empty() => Err("a sentence needs words".into()),
            Edit::Remark { what, .. } if what.trim().is_empty() => Err("a remark needs words".into()),
            Edit::Reword { of, text } if self.sentence(*of)? == text => Err("that is how it is already".into()),
            Edit::Reword { of, .. } | Edit::Strike { of } | Edit::Remark { of: Some(of), .. } => {
                self.sentence(*of).map(drop)
            }
            Edit::Remark { of: None, .. } => Ok(()),
        }
    }

    fn take(&mut self, edit: &Edit) -> Option<()> {
        match edit {
            Edit::Reword { of, text } => {
                let was = self.sentence(*of).ok()?.clone();
                self.draft.sentences_mut().nth(*of as usize)?.text = text.clone();
                for remark in self.remarks.iter_mut().filter(|remark| remark.sentence.as_ref() == Some(&was)) {
                    remark.sentence = Some(text.clone());
                }
                let before = self.draft.yours.len();
                self.draft.yours.retain(|own| *own != was);
                // A sentence that is theirs already is changed once.
                self.changed += u32::from(self.draft.yours.len() == before);
                self.draft.yours.push(text.clone());
                self.draft.struck.retain(|struck| struck != text);
                self.draft.unfence_yours();
            }
            Edit::Strike { of } => {
                let before = self.draft.clone();
                let struck = self.draft.strike_at(*of as usize)?;
                let is_gone = |text: &Clean| before.has(text) && !self.draft.has(text);
                self.remarks.retain(|remark| !remark.sentence.as_ref().is_some_and(is_gone));
                let mut yours = before.yours.clone();
                yours.retain(|own| !is_gone(own));
                // A sentence that is theirs already is changed once.
                self.changed += u32::from(yours.len() == before.yours.len());
                self.draft.yours = yours;
                self.draft.struck.push(struck);
            }
            Edit::Remark { of, what } => {
                let sentence = match of {
                    Some(of) => Some(self.sentence(*of).ok()?.clone()),
                    None => None,
                };
                self.remarks.push(Remark { sentence, what: what.clone() });
            }
        }
        Some(())
    }

    fn details(&self, run: &Run) -> Vec<String> {
        let _ = run;
        let issues = self.verdicts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.blocking);
        let issues = issues.map(|issue| format!("{}: {}", issue.concern, issue.what));
        (1..).zip(self.draft.sentences()).map(|(n, one)| format!("{n}. {}", one.text)).chain(issues).collect()
    }
}

/// The number of times that the person has sent a draft back.
pub fn rounds(run: &Run) -> usize {
    let is_sent_back =
        |one: &&Checkpoint| matches!(one.answer, Some(Answered { answer: super::Answer::Draft(Answer::Revise), .. }));
    run.checkpoints.iter().filter(is_sent_back).count()
}

/// Whether a draft may be sent back once more.
///
/// # Errors
/// The limit of the team is reached.
pub(crate) fn may_send_back(run: &Run) -> Result<(), String> {
    let most = run.opening.as_ref().map_or(0, |opening| opening.team.more_rounds) as usize;
    match rounds(run) {
        sent if sent >= most => Err(format!(
            "drafts were sent back {sent} times, which is the team's limit (more_rounds): change the sentences yourself, and accept it"
        )),
        _ => Ok(()),
    }
}

impl Checkpoint {
    /// The draft as the person has left it, if it is about one.
    pub fn review(&self) -> Option<&Review> {
        if let Subject::Draft(review) = &*self.subject { Some(review) } else { None }
    }
}

impl Pause {
    /// The person's answer to a draft, and the draft as they left it.
    pub fn of_draft(&self) -> Option<(&Answer, &Review)> {
        match (&*self.subject, self.answer.as_ref()?) {
            (Subject::Draft(review), super::Answer::Draft(answer)) => Some((answer, review)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::brief::{Piece, Section, Sentence};
    use crate::checkpoint::Edit as Any;
    use crate::id::{AssignmentId, CheckpointId, FindingId};

    fn checkpoint() -> Checkpoint {
        let sentence = |n: u32| Sentence {
            text: format!("Fact {n}.").into(),
            cites: vec![FindingId::new(AssignmentId::nth(2), n)],
        };
        let pieces = vec![Piece::Paragraph { sentences: (1..=3).map(sentence).collect() }];
        let draft = Draft { sections: vec![Section { heading: "A".into(), pieces }], ..Draft::default() };
        let issue = Issue::new(Concern::Clarity, "it is short", draft.sentences().next(), Vec::new());
        let review = Review::of(draft, vec![Verdict { issues: vec![issue], checks: vec![] }]);
        Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(Subject::Draft(review)))
    }

    fn texts(it: &Checkpoint) -> Vec<String> {
        it.review().unwrap().draft.sentences().map(|one| one.text.to_string()).collect()
    }

    #[test]
    fn a_sentence_in_the_persons_words_keeps_its_citation_and_every_change_can_be_taken_back() {
        let mut it = checkpoint();
        let cites = |it: &Checkpoint| it.review().unwrap().draft.sentences().next().unwrap().cites.clone();
        let before = cites(&it);
        it.edited(&Any::Draft(Edit::Reword { of: 0, text: "It is one.".into() })).unwrap();
        it.edited(&Any::Draft(Edit::Strike { of: 1 })).unwrap();
        assert_eq!((texts(&it), cites(&it)), (vec!["It is one.".into(), "Fact 3.".into()], before));
        assert_eq!(it.review().unwrap().standing()[0].issues, [], "what was said of the old words stands no more");
        assert_eq!(it.review().unwrap().changed, 2);
        it.edited(&Any::Undo).unwrap();
        it.edited(&Any::Undo).unwrap();
        assert_eq!(texts(&it), ["Fact 1.", "Fact 2.", "Fact 3."]);
    }

    #[test]
    fn of_a_table_the_row_is_taken_out_and_no_other_row_with_an_equal_cell() {
        let cell = |text: &str| Sentence { text: text.into(), cites: vec![] };
        let row = |name: &str, one: &str, other: &str| (name.into(), vec![cell(one), cell(other)]);
        let rows = vec![row("free", "yes", "no"), row("pro", "yes", "ten"), row("team", "", "ten")];
        let table = Piece::Table { label: None, header: vec!["plan".into(), "web".into(), "queues".into()], rows };
        let sections = vec![Section { heading: "A".into(), pieces: vec![table] }];
        let review = Review::of(Draft { sections, ..Draft::default() }, vec![]);
        let mut it = Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(Subject::Draft(review)));
        it.edited(&Any::Draft(Edit::Strike { of: 3 })).unwrap();
        assert_eq!(texts(&it), ["yes", "no", "ten"], "the row of the second ten, and not that of the third");
        let draft = &it.review().unwrap().draft;
        assert_eq!(draft.struck, ["plan: pro; web: yes; queues: ten"]);
        let mut next = Draft { struck: vec![], ..it.review().unwrap().draft.clone() };
        let Piece::Table { rows, .. } = &mut next.sections[0].pieces[0] else { panic!("it is a table") };
        rows.push(row("pro", "yes", "ten"));
        next.hold_to(Some(draft), |_| false);
        assert_eq!(next.sentences().count(), 3, "the row that came back is out again: {next:?}");
    }

    #[test]
    fn what_the_person_wrote_and_took_out_holds_for_the_next_draft() {
        let mut it = checkpoint();
        it.edited(&Any::Draft(Edit::Reword { of: 0, text: "It is one.".into() })).unwrap();
        it.edited(&Any::Draft(Edit::Strike { of: 1 })).unwrap();
        let before = it.review().unwrap().draft.clone();
        assert_eq!(before.struck, ["Fact 2."]);
        let piece = |texts: &[&str]| Piece::Paragraph {
            sentences: texts.iter().map(|text| Sentence { text: (*text).into(), cites: vec![] }).collect(),
        };
        let next = |texts: &[&str], open: &str| {
            let sections = vec![Section { heading: "A".into(), pieces: vec![piece(texts)] }];
            let mut next = Draft { sections, yours: vec!["Fact 3.".into()], ..Draft::default() };
            next.hold_to(Some(&before), |text| text.as_str() == open);
            let texts: Vec<String> = next.sentences().map(|one| one.text.to_string()).collect();
            (texts, next.yours)
        };
        let (left, yours) = next(&["It is one.", "fact  2", "Fact 3.", "Fact 2 of them."], "");
        assert_eq!(
            left,
            ["It is one.", "Fact 3.", "Fact 2 of them."],
            "what was taken out stays out, and nothing else"
        );
        assert_eq!(yours, ["It is one."], "what a writer calls the person's is not");
        assert_eq!(next(&["It is 1."], "").1, ["It is one."], "a lost sentence is theirs still");
        assert!(next(&["It is 1."], "It is one.").1.is_empty(), "but not if they asked for another");
        it.edited(&Any::Draft(Edit::Reword { of: 1, text: "Fact 2.".into() })).unwrap();
        assert!(it.review().unwrap().draft.struck.is_empty(), "they put it back");
    }

    #[test]
    fn what_accepting_would_take_out_is_what_code_refuses_and_still_stands() {
        let mut it = checkpoint();
        let review = Arc::make_mut(&mut it.subject);
        let Subject::Draft(review) = review else { panic!("it is a draft") };
        review.vetoed = vec!["Fact 1.".into(), "Fact 3.".into(), "A".into(), "Fact 9.".into()];
        let out = |it: &Checkpoint| {
            let out = it.review().unwrap().would_take_out();
            out.iter().map(|one| (one.at, one.text.to_string(), one.why.map(ToString::to_string))).collect::<Vec<_>>()
        };
        let fact = |at, n: u32, why: Option<&str>| (Some(at), format!("Fact {n}."), why.map(str::to_owned));
        assert_eq!(out(&it), [(None, "A".into(), None), fact(0, 1, Some("it is short")), fact(2, 3, None)]);
        it.edited(&Any::Draft(Edit::Reword { of: 0, text: "It is one.".into() })).unwrap();
        assert_eq!(out(&it), [(None, "A".into(), None), fact(2, 3, None)], "what they wrote is theirs");
    }

    #[test]
    fn remarks_are_issues_and_without_one_nothing_is_sent_back() {
        let (mut it, run) = (checkpoint(), Run::default());
        assert!(it.allows(&super::super::Answer::Draft(Answer::Revise), &run).unwrap_err().contains("remark first"));
        it.edited(&Any::Draft(Edit::Remark { of: Some(1), what: "of when?".into() })).unwrap();
        it.edited(&Any::Draft(Edit::Remark { of: None, what: "too dry".into() })).unwrap();
        let verdict = it.review().unwrap().verdict();
        assert!(!verdict.passes());
        assert_eq!(verdict.issues[0].sentence.as_deref(), Some("Fact 2."));
        assert_eq!((verdict.issues[1].concern, &verdict.issues[1].sentence), (Concern::Person, &None));
        assert!(it.allows(&super::super::Answer::Draft(Answer::Revise), &run).is_err(), "a team has a limit");
    }

    #[test]
    fn what_is_not_there_is_not_changed_and_an_empty_draft_is_not_accepted() {
        let (mut it, run) = (checkpoint(), Run::default());
        for edit in [
            Edit::Strike { of: 3 },
            Edit::Reword { of: 0, text: " ".into() },
            Edit::Reword { of: 0, text: "Fact 1.".into() },
            Edit::Remark { of: Some(9), what: "?".into() },
            Edit::Remark { of: None, what: "".into() },
        ] {
            assert!(it.accepts(&Any::Draft(edit.clone()), &run).is_err(), "{edit:?}");
        }
        for _ in 0..3 {
            it.edited(&Any::Draft(Edit::Strike { of: 0 })).unwrap();
        }
        let accepted = super::super::Answer::Draft(Answer::Accepted);
        assert!(it.allows(&accepted, &run).unwrap_err().contains("nothing is left"));
    }
}
