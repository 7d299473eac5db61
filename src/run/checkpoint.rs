//! A pause for the person: what they see, what they may do to it, and what they left.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::finding::{Finding, FindingKind, Standing, WordsOf};
use super::id::{AssignmentId, CheckpointId, FindingId, TaskId};
use text::Clean;

/// A findings checkpoint. (Plan, draft, budget and failure are to come.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its number.
    pub id: CheckpointId,
    /// Who paused.
    pub assignment: AssignmentId,
    /// The findings as they were put before the person.
    pub put: Vec<Finding>,
    /// What the person did, in order, taken back acts left out.
    pub acts: Vec<Act>,
    /// The findings as the person has left them so far.
    pub findings: Vec<Finding>,
    /// How it was closed; None while it is open.
    pub answer: Option<Answer>,
}

/// What a person does at a findings checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Act {
    /// Takes a finding out.
    Drop {
        /// Which.
        finding: FindingId,
    },
    /// Puts it back in.
    Keep {
        /// Which.
        finding: FindingId,
    },
    /// Puts the claim into other words.
    Edit {
        /// Which.
        finding: FindingId,
        /// The new words.
        claim: Clean,
    },
    /// Adds a fact of their own.
    Add {
        /// The task it belongs to, if any.
        task: Option<TaskId>,
        /// The fact.
        claim: Clean,
    },
    /// Takes the last act back.
    Undo,
}

/// How a checkpoint was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Write with what is left.
    Approved {
        /// Who: a person, or the policy `--yes`.
        by: Approver,
        /// SHA-256 (hexadecimal) over the findings as they were left; what the writer gets has the same.
        digest: Clean,
    },
    /// Look further first.
    More {
        /// For which task; None for all of the question.
        task: Option<TaskId>,
        /// What is wanted, in the person's words; may be empty.
        wish: Clean,
    },
}

/// Who approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approver {
    /// A person at the screen.
    Person,
    /// `--yes`.
    Policy,
}

impl Checkpoint {
    /// A checkpoint just opened.
    pub fn open(id: CheckpointId, assignment: AssignmentId, findings: Vec<Finding>) -> Checkpoint {
        Checkpoint { id, assignment, put: findings.clone(), acts: Vec::new(), findings, answer: None }
    }

    /// Whether an act makes sense here; the error says why not, for the person.
    pub fn accepts(&self, act: &Act) -> Result<(), String> {
        if self.answer.is_some() {
            return Err("this checkpoint is closed".into());
        }
        let find = |id: &FindingId| {
            self.findings
                .iter()
                .find(|f| f.id == *id)
                .ok_or_else(|| format!("there is no finding {id} at this checkpoint"))
        };
        match act {
            Act::Drop { finding } => find(finding).map(drop),
            Act::Keep { finding } => match self.kept(find(finding)?) {
                Standing::Unquoted => Err("its quote is in no source that was read, so it may not reach the brief; e puts it in your own words".into()),
                _ => Ok(()),
            },
            Act::Edit { finding, claim } => {
                find(finding)?;
                non_empty(claim)
            }
            Act::Add { claim, .. } => non_empty(claim),
            Act::Undo if self.acts.is_empty() => Err("nothing to undo".into()),
            Act::Undo => Ok(()),
        }
    }

    /// Applies an act that was recorded.
    pub fn apply(&mut self, act: Act) {
        if act == Act::Undo {
            self.acts.pop();
            self.findings = self.put.clone();
            for act in self.acts.clone() {
                self.take(&act);
            }
        } else {
            self.take(&act);
            self.acts.push(act);
        }
    }

    /// How a finding stands when it is taken back in: dropping it does not give it the quote it never had.
    fn kept(&self, finding: &Finding) -> Standing {
        let unquoted = self.put.iter().any(|put| put.id == finding.id && put.standing == Standing::Unquoted);
        if unquoted && finding.words_of != WordsOf::Person { Standing::Unquoted } else { Standing::Proposed }
    }

    fn take(&mut self, act: &Act) {
        let id = match act {
            Act::Drop { finding } | Act::Keep { finding } | Act::Edit { finding, .. } => *finding,
            Act::Add { task, claim } => return self.add(*task, claim),
            Act::Undo => return,
        };
        let Some(at) = self.findings.iter().position(|f| f.id == id) else { return };
        let kept = self.kept(&self.findings[at]);
        let finding = &mut self.findings[at];
        match act {
            // What has no quote is out already, and stays known for it at the next checkpoint.
            Act::Drop { .. } if kept == Standing::Unquoted => {}
            Act::Drop { .. } => finding.standing = Standing::Dropped,
            Act::Keep { .. } => finding.standing = kept,
            Act::Edit { claim, .. } => {
                finding.claim = claim.clone();
                finding.edits.clear();
                if kept == Standing::Unquoted {
                    // Without a passage, the words are the person's alone.
                    finding.words_of = WordsOf::Person;
                    finding.quote = Clean::default();
                    finding.place = None;
                } else if finding.words_of != WordsOf::Person {
                    finding.words_of = WordsOf::PersonEdited;
                }
                finding.standing = Standing::Proposed;
            }
            Act::Add { .. } | Act::Undo => {}
        }
    }

    fn add(&mut self, task: Option<TaskId>, claim: &Clean) {
        let n =
            self.findings.iter().filter(|f| f.id.assignment == AssignmentId::ROOT).map(|f| f.id.n).max().unwrap_or(0)
                + 1;
        let subtopic = self.findings.iter().find(|f| f.task == task).map(|f| f.subtopic.clone()).unwrap_or_default();
        let last_of_task = self.findings.iter().rposition(|f| f.task == task).map_or(self.findings.len(), |at| at + 1);
        self.findings.insert(
            last_of_task,
            Finding {
                id: FindingId::new(AssignmentId::ROOT, n),
                task,
                subtopic,
                claim: claim.clone(),
                edits: Vec::new(),
                quote: Clean::default(),
                place: None,
                kind: FindingKind::Fact,
                numbers: Vec::new(),
                date: None,
                score: i32::MAX,
                also: Vec::new(),
                also_at: Vec::new(),
                conflicts: Vec::new(),
                standing: Standing::Proposed,
                words_of: WordsOf::Person,
                kept_from: None,
            },
        );
    }

    /// The findings the writer may use, as they were left.
    pub fn approved(&self) -> Vec<Finding> {
        self.findings.iter().filter(|f| f.usable()).cloned().collect()
    }
}

fn non_empty(claim: &Clean) -> Result<(), String> {
    if claim.trim().is_empty() { Err("a claim needs words".into()) } else { Ok(()) }
}

/// SHA-256 over findings as they are recorded, in hexadecimal: equal exactly if they are equal to the byte.
pub fn digest(findings: &[Finding]) -> Clean {
    // Plain data with string keys: writing it as JSON cannot fail.
    let bytes = serde_json::to_vec(findings).unwrap_or_default();
    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(n: u32, standing: Standing) -> Finding {
        let claim = format!("Fact {n}.");
        Finding {
            id: FindingId::new(AssignmentId(2), n),
            task: Some(TaskId(1)),
            subtopic: "a topic".into(),
            claim: claim.as_str().into(),
            edits: vec![],
            quote: claim.as_str().into(),
            place: None,
            kind: FindingKind::Fact,
            numbers: vec![],
            date: None,
            score: 1,
            also: vec![],
            also_at: vec![],
            conflicts: vec![],
            standing,
            words_of: WordsOf::Source,
            kept_from: None,
        }
    }

    fn checkpoint() -> Checkpoint {
        let findings =
            vec![finding(1, Standing::Proposed), finding(2, Standing::Unquoted), finding(3, Standing::Proposed)];
        Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, findings)
    }

    fn id(n: u32) -> FindingId {
        FindingId::new(AssignmentId(2), n)
    }

    fn approved(checkpoint: &Checkpoint) -> Vec<String> {
        checkpoint.approved().iter().map(|finding| finding.claim.to_string()).collect()
    }

    #[test]
    fn only_what_is_left_and_quoted_is_approved_and_every_act_can_be_taken_back() {
        let mut it = checkpoint();
        assert_eq!(approved(&it), ["Fact 1.", "Fact 3."]);
        it.apply(Act::Drop { finding: id(1) });
        it.apply(Act::Edit { finding: id(3), claim: "My words.".into() });
        it.apply(Act::Add { task: Some(TaskId(1)), claim: "I know.".into() });
        assert_eq!(approved(&it), ["My words.", "I know."]);
        assert_eq!(it.findings[2].words_of, WordsOf::PersonEdited);
        for left in [vec!["My words."], vec!["Fact 3."], vec!["Fact 1.", "Fact 3."]] {
            assert_eq!(it.accepts(&Act::Undo), Ok(()));
            it.apply(Act::Undo);
            assert_eq!(approved(&it), left);
        }
        assert!(it.accepts(&Act::Undo).is_err());
    }

    #[test]
    fn a_finding_without_its_quote_comes_in_by_no_way_but_the_persons_own_words() {
        let mut it = checkpoint();
        assert!(it.accepts(&Act::Keep { finding: id(2) }).is_err());
        it.apply(Act::Drop { finding: id(2) });
        assert!(it.accepts(&Act::Keep { finding: id(2) }).is_err());
        it.apply(Act::Keep { finding: id(2) });
        assert_eq!(approved(&it), ["Fact 1.", "Fact 3."]);
        it.apply(Act::Edit { finding: id(2), claim: "I say so.".into() });
        assert_eq!(it.findings[1].words_of, WordsOf::Person);
        it.apply(Act::Drop { finding: id(2) });
        assert_eq!(it.accepts(&Act::Keep { finding: id(2) }), Ok(()));
    }

    #[test]
    fn taking_a_finding_out_first_does_not_give_it_a_quote() {
        let mut it = checkpoint();
        it.apply(Act::Drop { finding: id(2) });
        it.apply(Act::Edit { finding: id(2), claim: "I say so.".into() });
        assert_eq!((it.findings[1].words_of, &it.findings[1].place), (WordsOf::Person, &None));
    }

    #[test]
    fn a_claim_needs_words_and_a_finding_has_to_be_there() {
        let it = checkpoint();
        assert!(it.accepts(&Act::Edit { finding: id(1), claim: "  ".into() }).is_err());
        assert!(it.accepts(&Act::Drop { finding: id(9) }).is_err());
    }
}
