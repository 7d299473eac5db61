//! The findings checkpoint: the person goes through the findings before the writer has them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use text::sha256::{Sha256, hex};

use super::{Answered, Checkpoint, Subject, Topic};
use crate::finding::{Finding, Standing, WordsOf};
use crate::id::{AssignmentId, FindingId, Role, TaskId};
use crate::stage::Leading;
use crate::transcript::Pause;
use crate::{Payload, Run};
use text::{Clean, count};

/// A change of findings by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum Edit {
    /// Takes a finding out.
    Drop { finding: FindingId },
    /// Puts it back in.
    Keep { finding: FindingId },
    /// Takes several out, or puts them back in: those without their quote stay out.
    Set { findings: Vec<FindingId>, keep: bool },
    /// Puts the claim into other words.
    Reword { finding: FindingId, claim: Clean },
    /// Adds a fact of their own.
    Add {
        /// The task it belongs to, if any.
        task: Option<TaskId>,
        claim: Clean,
    },
}

/// A person's answer to findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Write with the findings that are left.
    Approved {
        /// SHA-256 (hexadecimal) over the findings as they were left; the writer's findings have the same.
        digest: Clean,
    },
    /// Look further first.
    More {
        /// The task; None for all of the question.
        task: Option<TaskId>,
        /// The wish, in the person's words; may be empty.
        wish: Clean,
    },
}

impl Topic for Vec<Finding> {
    type Edit = Edit;
    type Answer = Answer;

    fn stage(&self) -> Leading {
        Leading::Approve
    }

    fn why(&self) -> &'static str {
        "the person decides what the writer may use"
    }

    fn title(&self) -> Clean {
        "findings".into()
    }

    fn asked(&self) -> String {
        let unquoted = self.iter().filter(|finding| !may_be_kept(finding)).count();
        let asked = format!("{} to approve", count(self.len() - unquoted, "finding"));
        if unquoted == 0 { asked } else { format!("{asked}; {unquoted} without a quote in a source left out") }
    }

    fn said(&self, answer: &Answer) -> String {
        match answer {
            Answer::Approved { .. } => format!("{} approved", count(approved(self).len(), "finding")),
            Answer::More { wish, .. } if wish.trim().is_empty() => "more was asked for".into(),
            Answer::More { wish, .. } => format!("more was asked for: {wish}"),
        }
    }

    fn approval(&self) -> Answer {
        Answer::Approved { digest: digest(&approved(self)) }
    }

    fn by_policy(&self) -> String {
        "approves what it found".into()
    }

    fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
        let (task, asked) = match answer {
            approved @ Answer::Approved { .. } if *approved == self.approval() => return Ok(()),
            Answer::Approved { .. } => return Err("the findings have changed since: look at them again".into()),
            Answer::More { task, .. } => (task, rounds(run)),
        };
        let most = run.opening.as_ref().map_or(0, |opening| opening.team.more_rounds) as usize;
        if asked >= most {
            return Err(format!(
                "more was asked for {}, which is the team's limit; approve, or add facts of your own",
                count(asked, "time")
            ));
        }
        if task.is_some_and(|id| run.plan.as_ref().is_none_or(|plan| plan.task(id).is_none())) {
            return Err("the plan has no such task".into());
        }
        Ok(())
    }

    fn accepts(&self, edit: &Edit, _at: &Checkpoint, _run: &Run) -> Result<(), String> {
        if let Edit::Reword { claim, .. } | Edit::Add { claim, .. } = edit
            && claim.trim().is_empty()
        {
            return Err("a claim needs words".into());
        }
        let there = |id: FindingId| {
            let finding = self.iter().find(|finding| finding.id == id);
            finding.ok_or_else(|| format!("there is no finding {id} at this checkpoint"))
        };
        if let Edit::Set { findings, keep } = edit {
            let all = findings.iter().map(|id| there(*id)).collect::<Result<Vec<_>, _>>()?;
            let would_change = |finding: &&Finding| finding.usable() != *keep && may_be_kept(finding);
            return match all.iter().any(would_change) {
                true => Ok(()),
                false => Err(why_unchanged(&all, *keep).into()),
            };
        }
        let Some(id) = edit.finding() else { return Ok(()) };
        let finding = there(id)?;
        match edit {
            Edit::Keep { .. } if !may_be_kept(finding) => Err(
                "its quote is in no source that was read, so it may not reach the brief; e puts it in your own words"
                    .into(),
            ),
            _ => Ok(()),
        }
    }

    fn take(&mut self, edit: &Edit) -> Option<()> {
        if let Edit::Add { task, claim } = edit {
            add(self, *task, claim);
            return Some(());
        }
        if let Edit::Set { findings, keep } = edit {
            if findings.iter().any(|id| self.iter().all(|finding| finding.id != *id)) {
                return None;
            }
            let named = self.iter_mut().filter(|finding| findings.contains(&finding.id) && may_be_kept(finding));
            named.for_each(|finding| {
                finding.standing = if *keep { Standing::Proposed } else { Standing::Dropped };
            });
            return Some(());
        }
        let finding = self.iter_mut().find(|finding| Some(finding.id) == edit.finding())?;
        let may_be_kept = may_be_kept(finding);
        match edit {
            Edit::Add { .. } | Edit::Set { .. } => {}
            // A finding without a quote is out already, and stays marked so at the next checkpoint.
            Edit::Drop { .. } | Edit::Keep { .. } if !may_be_kept => {}
            Edit::Drop { .. } => finding.standing = Standing::Dropped,
            Edit::Keep { .. } => finding.standing = Standing::Proposed,
            Edit::Reword { claim, .. } => {
                finding.claim = claim.clone();
                finding.edits.clear();
                if !may_be_kept {
                    // Without a passage, the words are the person's alone.
                    finding.words_of = WordsOf::Person;
                    finding.quote = Clean::default();
                    finding.place = None;
                } else if finding.words_of != WordsOf::Person {
                    finding.words_of = WordsOf::PersonEdited;
                }
                finding.standing = Standing::Proposed;
            }
        }
        Some(())
    }
}

impl Edit {
    /// The one finding it changes; None where it adds one or changes several.
    fn finding(&self) -> Option<FindingId> {
        match self {
            Edit::Drop { finding } | Edit::Keep { finding } | Edit::Reword { finding, .. } => Some(*finding),
            Edit::Add { .. } | Edit::Set { .. } => None,
        }
    }
}

/// The person's changes of an earlier round, to be taken back: findings as they were before, and added ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Findings that one edit changed, as they were before it.
    before: Vec<Finding>,
    /// The finding that it added.
    added: Option<FindingId>,
}

impl Earlier {
    /// Takes the edit back among the findings of a later round; None if none of its findings is there any more.
    fn take_back(&self, findings: &mut Vec<Finding>) -> Option<()> {
        let mut done = None;
        if let Some(at) = findings.iter().position(|finding| Some(finding.id) == self.added) {
            findings.remove(at);
            done = Some(());
        }
        for before in &self.before {
            let Some(now) = findings.iter_mut().find(|finding| finding.id == before.id) else { continue };
            // The results of merging since then stay: duplicates and contradictions.
            let Finding { claim, edits, quote, place, words_of, standing, .. } = before.clone();
            *now = Finding { claim, edits, quote, place, words_of, standing, ..now.clone() };
            done = Some(());
        }
        done
    }
}

/// The person's changes up to a checkpoint at which they asked for more, the last last.
pub fn earlier(asked_more: &Checkpoint) -> Vec<Earlier> {
    let mut all = asked_more.earlier.clone();
    let Subject::Findings(put) = &*asked_more.put else { return all };
    let mut findings = put.clone();
    for edit in &asked_more.edits {
        let super::Edit::Findings(edit) = edit else { continue };
        let changed = |finding: &&Finding| match edit {
            Edit::Set { findings, .. } => findings.contains(&finding.id),
            one => one.finding() == Some(finding.id),
        };
        let before: Vec<Finding> = findings.iter().filter(changed).cloned().collect();
        let known: Vec<FindingId> = findings.iter().map(|finding| finding.id).collect();
        if findings.take(edit).is_none() {
            continue;
        }
        let added = findings.iter().map(|finding| finding.id).find(|id| !known.contains(id));
        all.push(Earlier { before, added });
    }
    all
}

/// The reason why taking these findings in, or out, changes none of them.
fn why_unchanged(all: &[&Finding], keep: bool) -> &'static str {
    match (all, keep) {
        ([], _) => "there are no findings here",
        (_, false) => "they are all out already",
        (_, true) if all.iter().all(|finding| finding.usable()) => "they are all in already",
        (_, true) if all.iter().any(|finding| finding.usable()) => {
            "they are all in already, but for those whose quotes are in no source that was read"
        }
        (_, true) => "none of these findings can be taken in: their quotes are in no source that was read",
    }
}

/// Whether a finding may be restored: one without a quote in its source may not, dropped or not.
fn may_be_kept(finding: &Finding) -> bool {
    finding.standing != Standing::Unquoted || finding.words_of == WordsOf::Person
}

fn add(findings: &mut Vec<Finding>, task: Option<TaskId>, claim: &Clean) {
    let own = findings.iter().filter(|finding| finding.id.assignment == AssignmentId::ROOT);
    let n = own.map(|finding| finding.id.n).max().unwrap_or(0) + 1;
    let subtopic = findings.iter().find(|f| f.task == task).map(|f| f.subtopic.clone()).unwrap_or_default();
    let after_task = findings.iter().rposition(|f| f.task == task).map_or(findings.len(), |at| at + 1);
    findings.insert(
        after_task,
        Finding {
            task,
            subtopic,
            score: i32::MAX,
            words_of: WordsOf::Person,
            ..Finding::new(FindingId::new(AssignmentId::ROOT, n), claim.clone())
        },
    );
}

/// The findings that the writer may use.
pub fn approved(findings: &[Finding]) -> Vec<Finding> {
    findings.iter().filter(|finding| finding.usable()).cloned().collect()
}

/// The number of times that the person has asked for more.
pub fn rounds(run: &Run) -> usize {
    let more = |checkpoint: &&Checkpoint| {
        matches!(checkpoint.answer, Some(Answered { answer: super::Answer::Findings(Answer::More { .. }), .. }))
    };
    run.checkpoints.iter().filter(more).count()
}

impl Checkpoint {
    /// Takes back the last edit of an earlier round that still can be; None, with nothing changed, if there is none.
    pub(super) fn take_back_earlier(&mut self) -> Option<()> {
        let (mut put, mut earlier) = ((*self.put).clone(), self.earlier.clone());
        let Subject::Findings(findings) = &mut put else { return None };
        while let Some(edit) = earlier.pop() {
            if edit.take_back(findings).is_some() {
                self.put = Arc::new(put);
                (self.subject, self.earlier) = (self.put.clone(), earlier);
                return Some(());
            }
        }
        None
    }

    /// The findings as the person has left them, if it is about findings.
    pub fn findings(&self) -> Option<&[Finding]> {
        if let Subject::Findings(findings) = &*self.subject { Some(findings) } else { None }
    }
}

impl Run {
    /// Every findings checkpoint, in order, with the findings as the person has left them.
    pub fn findings_checkpoints(&self) -> impl DoubleEndedIterator<Item = (&Checkpoint, &[Finding])> {
        self.checkpoints.iter().filter_map(|checkpoint| Some((checkpoint, checkpoint.findings()?)))
    }
}

/// Whether a payload carries to a writer the findings that the person approved, to the byte. Other roles take any.
///
/// # Errors
/// It does not, or nothing was approved yet: in words.
pub fn check_approved(run: &Run, to: &Role, payload: &Payload) -> Result<(), String> {
    if to.as_str() != Role::WRITER {
        return Ok(());
    }
    // Taken anew of the approved findings: reading a journal of version 1 renames its findings, and its digest is of the old names.
    let is_approved = |checkpoint: &Checkpoint| {
        let answer = checkpoint.answer.as_ref().map(|answered| &answered.answer);
        matches!(answer, Some(super::Answer::Findings(Answer::Approved { .. })))
    };
    let approved_last = run.findings_checkpoints().rev().find(|(checkpoint, _)| is_approved(checkpoint));
    match approved_last.map(|(_, left)| digest(&approved(left))) {
        Some(approved) if approved == digest(payload.findings()) => Ok(()),
        Some(_) => Err("its findings are not those that were approved at the findings checkpoint".into()),
        None => Err("no findings have been approved yet".into()),
    }
}

impl Pause {
    /// The person's answer to findings, and the findings (all, whatever their standing) as they left them.
    pub fn of_findings(&self) -> Option<(&Answer, &[Finding])> {
        match (&*self.subject, self.answer.as_ref()?) {
            (Subject::Findings(findings), super::Answer::Findings(answer)) => Some((answer, findings)),
            _ => None,
        }
    }
}

/// SHA-256 over findings as they are recorded, in hexadecimal: equal exactly if they are equal to the byte.
pub fn digest(findings: &[Finding]) -> Clean {
    // Plain data with string keys: writing it as JSON cannot fail.
    let bytes = serde_json::to_vec(findings).unwrap_or_default();
    hex(&Sha256::digest(&bytes)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckpointId;
    use crate::checkpoint::Edit as Any;

    fn finding(n: u32, standing: Standing) -> Finding {
        let claim = format!("Fact {n}.");
        Finding {
            task: Some(TaskId(1)),
            subtopic: "a topic".into(),
            quote: claim.as_str().into(),
            score: 1,
            standing,
            ..Finding::new(FindingId::new(AssignmentId::nth(2), n), claim.as_str().into())
        }
    }

    fn checkpoint() -> Checkpoint {
        let findings =
            vec![finding(1, Standing::Proposed), finding(2, Standing::Unquoted), finding(3, Standing::Proposed)];
        Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(Subject::Findings(findings)))
    }

    fn id(n: u32) -> FindingId {
        FindingId::new(AssignmentId::nth(2), n)
    }

    fn claims(checkpoint: &Checkpoint) -> Vec<String> {
        approved(checkpoint.findings().unwrap()).iter().map(|finding| finding.claim.to_string()).collect()
    }

    fn accepts(checkpoint: &Checkpoint, edit: Edit) -> Result<(), String> {
        checkpoint.accepts(&Any::Findings(edit), &Run::default())
    }

    fn take(checkpoint: &mut Checkpoint, edit: Edit) {
        checkpoint.edited(&Any::Findings(edit)).unwrap();
    }

    #[test]
    fn a_change_of_several_findings_that_changes_none_says_why() {
        let mut it = checkpoint();
        let why = |it: &Checkpoint, ids: &[u32], keep: bool| {
            accepts(it, Edit::Set { findings: ids.iter().map(|n| id(*n)).collect(), keep }).unwrap_err()
        };
        assert_eq!(why(&it, &[], true), "there are no findings here");
        assert_eq!(why(&it, &[], false), "there are no findings here");
        assert_eq!(why(&it, &[1, 3], true), "they are all in already");
        assert!(why(&it, &[1, 2], true).starts_with("they are all in already, but for those whose quotes"));
        assert!(why(&it, &[2], true).starts_with("none of these findings can be taken in"));
        take(&mut it, Edit::Set { findings: vec![id(1), id(3)], keep: false });
        assert_eq!(why(&it, &[1, 2, 3], false), "they are all out already");
    }

    #[test]
    fn what_is_asked_counts_only_what_may_reach_the_writer() {
        let Subject::Findings(findings) = &*checkpoint().subject else { unreachable!() };
        assert_eq!(findings.asked(), "2 findings to approve; 1 without a quote in a source left out");
        assert_eq!(findings[..1].to_vec().asked(), "1 finding to approve");
    }

    #[test]
    fn only_what_is_left_and_quoted_is_approved_and_every_edit_can_be_taken_back() {
        let mut it = checkpoint();
        assert_eq!(claims(&it), ["Fact 1.", "Fact 3."]);
        take(&mut it, Edit::Drop { finding: id(1) });
        take(&mut it, Edit::Reword { finding: id(3), claim: "My words.".into() });
        take(&mut it, Edit::Add { task: Some(TaskId(1)), claim: "I know.".into() });
        assert_eq!(claims(&it), ["My words.", "I know."]);
        assert_eq!(it.findings().unwrap()[2].words_of, WordsOf::PersonEdited);
        for left in [vec!["My words."], vec!["Fact 3."], vec!["Fact 1.", "Fact 3."]] {
            assert_eq!(it.accepts(&Any::Undo, &Run::default()), Ok(()));
            it.edited(&Any::Undo).unwrap();
            assert_eq!(claims(&it), left);
        }
        assert!(it.accepts(&Any::Undo, &Run::default()).is_err());
    }

    #[test]
    fn several_are_taken_out_at_once_and_come_back_at_once_but_for_what_lacks_its_quote() {
        let mut it = checkpoint();
        let all = vec![id(1), id(2), id(3)];
        take(&mut it, Edit::Set { findings: all.clone(), keep: false });
        assert!(claims(&it).is_empty());
        take(&mut it, Edit::Set { findings: all.clone(), keep: true });
        assert_eq!(claims(&it), ["Fact 1.", "Fact 3."]);
        it.edited(&Any::Undo).unwrap();
        assert!(claims(&it).is_empty(), "one key took all of them");
        assert!(accepts(&it, Edit::Set { findings: vec![id(2)], keep: true }).is_err());
        let gone = Edit::Set { findings: vec![id(1), id(9)], keep: false };
        assert!(accepts(&it, gone.clone()).is_err());
        assert_eq!(it.edited(&Any::Findings(gone)), None);
    }

    #[test]
    fn what_was_done_before_more_was_asked_for_can_still_be_taken_back() {
        let mut first = checkpoint();
        take(&mut first, Edit::Reword { finding: id(1), claim: "My words.".into() });
        take(&mut first, Edit::Drop { finding: id(3) });
        take(&mut first, Edit::Add { task: Some(TaskId(1)), claim: "I know.".into() });
        // The next round has them as they were left, one of them gone, and one more.
        let mut findings: Vec<Finding> = first.findings().unwrap().to_vec();
        findings.push(finding(4, Standing::Proposed));
        let mut it = Checkpoint::open(CheckpointId(2), AssignmentId::ROOT, Arc::new(Subject::Findings(findings)));
        it.earlier = earlier(&first);
        take(&mut it, Edit::Drop { finding: id(4) });
        let undone = [
            vec!["My words.", "I know.", "Fact 4."],
            vec!["My words.", "Fact 4."],
            vec!["My words.", "Fact 3.", "Fact 4."],
            vec!["Fact 1.", "Fact 3.", "Fact 4."],
        ];
        for left in undone {
            assert_eq!(it.accepts(&Any::Undo, &Run::default()), Ok(()));
            it.edited(&Any::Undo).unwrap();
            assert_eq!(claims(&it), left);
        }
        assert!(it.accepts(&Any::Undo, &Run::default()).is_err());
        assert_eq!(it.findings().unwrap()[0].words_of, WordsOf::Source);
    }

    #[test]
    fn a_finding_without_its_quote_comes_in_by_no_way_but_the_persons_own_words() {
        let mut it = checkpoint();
        assert!(accepts(&it, Edit::Keep { finding: id(2) }).is_err());
        take(&mut it, Edit::Drop { finding: id(2) });
        assert!(accepts(&it, Edit::Keep { finding: id(2) }).is_err());
        take(&mut it, Edit::Keep { finding: id(2) });
        assert_eq!(claims(&it), ["Fact 1.", "Fact 3."]);
        take(&mut it, Edit::Reword { finding: id(2), claim: "I say so.".into() });
        assert_eq!(it.findings().unwrap()[1].words_of, WordsOf::Person);
        take(&mut it, Edit::Drop { finding: id(2) });
        assert_eq!(accepts(&it, Edit::Keep { finding: id(2) }), Ok(()));
    }

    #[test]
    fn taking_a_finding_out_first_does_not_give_it_a_quote() {
        let mut it = checkpoint();
        take(&mut it, Edit::Drop { finding: id(2) });
        take(&mut it, Edit::Reword { finding: id(2), claim: "I say so.".into() });
        assert_eq!((it.findings().unwrap()[1].words_of, &it.findings().unwrap()[1].place), (WordsOf::Person, &None));
    }

    #[test]
    fn a_claim_needs_words_and_a_finding_has_to_be_there() {
        let it = checkpoint();
        assert!(accepts(&it, Edit::Reword { finding: id(1), claim: "  ".into() }).is_err());
        assert!(accepts(&it, Edit::Drop { finding: id(9) }).is_err());
    }
}
