//! Handoffs: everything that crosses from one specialist to another, in named parts, kept whole.

mod room;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

use super::brief::Draft;
use super::evidence::{Block, Corpus, SourceRef};
use super::finding::Finding;
use super::id::{AssignmentId, HandoffNo, Role};
use super::plan::{Flaw, Group, Plan, Shape, Task, TaskEnd};
use super::verdict::Verdict;
use text::Clean;

pub use room::{LeftOut, fit};

/// What crossed, from whom, to whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its number in the run.
    pub no: HandoffNo,
    /// Who sent it; None for the person.
    pub from: Option<AssignmentId>,
    /// Who received it; None for the person.
    pub to: Option<AssignmentId>,
    /// Sender and receiver by name, as the list shows them.
    pub names: (Clean, Clean),
    /// What it is, in a few words: "pgvector", "6 findings".
    pub title: Clean,
    /// The payload.
    pub parts: Vec<Part>,
}

/// A handoff that was refused before it was sent: nobody received it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsent {
    /// To whom it was to go.
    pub role: Role,
    /// What it was, in a few words.
    pub title: Clean,
    /// The payload as it was built.
    pub parts: Vec<Part>,
}

/// One named part of a payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// What the person asked.
    Question {
        /// To the letter.
        text: Clean,
    },
    /// What there is to search.
    Corpus {
        /// As it was when the run began.
        corpus: Corpus,
    },
    /// One task of the plan.
    Task {
        /// The task.
        task: Task,
        /// The kind of question it comes from.
        shape: Shape,
    },
    /// Who can be given tasks, where there is a choice.
    Team {
        /// The researcher first, then by role.
        members: Vec<Colleague>,
    },
    /// The plan.
    Plan {
        /// The plan.
        plan: Plan,
    },
    /// What is wrong with the plan, for whoever is asked to plan once more.
    Flaws {
        /// All of it.
        flaws: Vec<Flaw>,
    },
    /// How long the brief is to be.
    Length {
        /// About this many words.
        words: u32,
    },
    /// Findings.
    Findings {
        /// In the order in which they are to be used.
        findings: Vec<Finding>,
    },
    /// The stored passages that quotes stand in.
    Passages {
        /// One a passage.
        passages: Vec<Passage>,
    },
    /// A draft.
    Draft {
        /// The draft.
        draft: Draft,
    },
    /// What gates and reviewer said.
    Verdicts {
        /// One each.
        verdicts: Vec<Verdict>,
    },
    /// Tasks that did not end well, for the writer to say so.
    Shortfalls {
        /// One sentence each.
        notes: Vec<Clean>,
    },
    /// How the tasks of the plan are grouped, for whoever leads those who lead them.
    Groups {
        /// In the order of the plan.
        groups: Vec<Group>,
    },
    /// How each task ended that somebody led.
    Ends {
        /// One each, in the order of the plan.
        ends: Vec<TaskEnd>,
    },
    /// A remark in words: the person's wish, a reason for a failure.
    Note {
        /// The remark.
        text: Clean,
    },
    /// What was left out of the other parts because the receiver could not have taken it in.
    LeftOut {
        /// By part.
        left_out: Vec<LeftOut>,
    },
}

/// Somebody a task can be given to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colleague {
    /// The role.
    pub role: Role,
    /// What it does, in a sentence.
    pub description: Clean,
}

/// A stored passage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The document.
    pub source: SourceRef,
    /// The block.
    pub block: Arc<Block>,
}

/// The name of a part, for contracts and for the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// [`Part::Question`]
    Question,
    /// [`Part::Corpus`]
    Corpus,
    /// [`Part::Task`]
    Task,
    /// [`Part::Team`]
    Team,
    /// [`Part::Plan`]
    Plan,
    /// [`Part::Flaws`]
    Flaws,
    /// [`Part::Length`]
    Length,
    /// [`Part::Findings`]
    Findings,
    /// [`Part::Passages`]
    Passages,
    /// [`Part::Draft`]
    Draft,
    /// [`Part::Verdicts`]
    Verdicts,
    /// [`Part::Shortfalls`]
    Shortfalls,
    /// [`Part::Groups`]
    Groups,
    /// [`Part::Ends`]
    Ends,
    /// [`Part::Note`]
    Note,
    /// [`Part::LeftOut`]
    LeftOut,
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PartName::Question => "question",
            PartName::Corpus => "corpus",
            PartName::Task => "task",
            PartName::Team => "team",
            PartName::Plan => "plan",
            PartName::Flaws => "flaws",
            PartName::Length => "length",
            PartName::Findings => "findings",
            PartName::Passages => "passages",
            PartName::Draft => "draft",
            PartName::Verdicts => "verdicts",
            PartName::Shortfalls => "shortfalls",
            PartName::Groups => "groups",
            PartName::Ends => "ends",
            PartName::Note => "note",
            PartName::LeftOut => "left out",
        })
    }
}

impl Part {
    /// Its name.
    pub fn name(&self) -> PartName {
        match self {
            Part::Question { .. } => PartName::Question,
            Part::Corpus { .. } => PartName::Corpus,
            Part::Task { .. } => PartName::Task,
            Part::Team { .. } => PartName::Team,
            Part::Plan { .. } => PartName::Plan,
            Part::Flaws { .. } => PartName::Flaws,
            Part::Length { .. } => PartName::Length,
            Part::Findings { .. } => PartName::Findings,
            Part::Passages { .. } => PartName::Passages,
            Part::Draft { .. } => PartName::Draft,
            Part::Verdicts { .. } => PartName::Verdicts,
            Part::Shortfalls { .. } => PartName::Shortfalls,
            Part::Groups { .. } => PartName::Groups,
            Part::Ends { .. } => PartName::Ends,
            Part::Note { .. } => PartName::Note,
            Part::LeftOut { .. } => PartName::LeftOut,
        }
    }
}

/// Reads the parts of a payload by kind.
pub trait Parts {
    /// All parts.
    fn parts(&self) -> &[Part];

    /// The question.
    fn question(&self) -> Option<&Clean> {
        self.parts().iter().find_map(|p| if let Part::Question { text } = p { Some(text) } else { None })
    }
    /// The corpus.
    fn corpus(&self) -> Option<&Corpus> {
        self.parts().iter().find_map(|p| if let Part::Corpus { corpus } = p { Some(corpus) } else { None })
    }
    /// The task and the kind of question it comes from.
    fn task(&self) -> Option<(&Task, Shape)> {
        self.parts().iter().find_map(|p| if let Part::Task { task, shape } = p { Some((task, *shape)) } else { None })
    }
    /// Who can be given tasks; empty if there is no choice.
    fn team(&self) -> &[Colleague] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Team { members } = p { Some(&members[..]) } else { None })
            .unwrap_or(&[])
    }
    /// The plan.
    fn plan(&self) -> Option<&Plan> {
        self.parts().iter().find_map(|p| if let Part::Plan { plan } = p { Some(plan) } else { None })
    }
    /// What is wrong with the plan; empty if nothing is.
    fn flaws(&self) -> &[Flaw] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Flaws { flaws } = p { Some(&flaws[..]) } else { None })
            .unwrap_or(&[])
    }
    /// The length asked for, in words.
    fn words(&self) -> Option<u32> {
        self.parts().iter().find_map(|p| if let Part::Length { words } = p { Some(*words) } else { None })
    }
    /// The findings; empty if there is no such part.
    fn findings(&self) -> &[Finding] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Findings { findings } = p { Some(&findings[..]) } else { None })
            .unwrap_or(&[])
    }
    /// The passages; empty if there is no such part.
    fn passages(&self) -> &[Passage] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Passages { passages } = p { Some(&passages[..]) } else { None })
            .unwrap_or(&[])
    }
    /// The draft.
    fn draft(&self) -> Option<&Draft> {
        self.parts().iter().find_map(|p| if let Part::Draft { draft } = p { Some(draft) } else { None })
    }
    /// The verdicts; empty if there is no such part.
    fn verdicts(&self) -> &[Verdict] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Verdicts { verdicts } = p { Some(&verdicts[..]) } else { None })
            .unwrap_or(&[])
    }
    /// What fell short; empty if there is no such part.
    fn shortfalls(&self) -> &[Clean] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Shortfalls { notes } = p { Some(&notes[..]) } else { None })
            .unwrap_or(&[])
    }
    /// How the tasks are grouped; empty if they are not.
    fn groups(&self) -> &[Group] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Groups { groups } = p { Some(&groups[..]) } else { None })
            .unwrap_or(&[])
    }
    /// How tasks ended; empty if there is no such part.
    fn ends(&self) -> &[TaskEnd] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::Ends { ends } = p { Some(&ends[..]) } else { None })
            .unwrap_or(&[])
    }
    /// What was left out of the other parts; empty if nothing was.
    fn left_out(&self) -> &[LeftOut] {
        self.parts()
            .iter()
            .find_map(|p| if let Part::LeftOut { left_out } = p { Some(&left_out[..]) } else { None })
            .unwrap_or(&[])
    }
    /// Remarks in words.
    fn notes(&self) -> Vec<&Clean> {
        self.parts().iter().filter_map(|p| if let Part::Note { text } = p { Some(text) } else { None }).collect()
    }
}

impl Parts for Handoff {
    fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Parts for Unsent {
    fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Parts for [Part] {
    fn parts(&self) -> &[Part] {
        self
    }
}

/// What a role takes and gives: checked before a handoff is sent, in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// Parts that have to be there.
    pub needs: &'static [PartName],
    /// Parts that may be there besides.
    pub may: &'static [PartName],
    /// Parts its report has to bring when its outcome is [`Outcome::Done`] or [`Outcome::Partial`].
    pub returns: &'static [PartName],
}

impl Contract {
    /// The contract of a role of the default team. A role this table does not know takes anything.
    pub fn of(role: &Role) -> Option<Contract> {
        use PartName::*;
        let contract = |needs, may, returns| Some(Contract { needs, may, returns });
        match role.as_str() {
            Role::SUPERVISOR => contract(&[Question, Length, Corpus], &[Note], &[Draft, Findings]),
            Role::PLANNER => contract(&[Question, Corpus], &[Team, Plan, Flaws, Note], &[Plan]),
            Role::RESEARCHER => contract(&[Question, Task], &[Findings, Note], &[Findings]),
            Role::SURVEYOR => contract(&[Question, Corpus], &[Team, Plan, Flaws, Note], &[Plan]),
            Role::INSPECTOR => contract(&[Question, Task], &[Findings, Note], &[Findings]),
            Role::EDITOR => contract(&[Question, Plan], &[Groups, Findings, Note], &[Findings, Ends]),
            Role::MERGER => contract(&[Plan, Findings], &[], &[Findings]),
            Role::WRITER => {
                contract(&[Question, Plan, Findings, Length], &[Draft, Verdicts, Shortfalls, Note], &[Draft])
            }
            Role::GATES => contract(&[Draft, Findings, Passages, Length], &[], &[Verdicts]),
            Role::REVIEWER => contract(&[Question, Plan, Draft, Findings, Passages, Length], &[], &[Verdicts]),
            // A question alone asks what is known; with findings or shortfalls it is told what to keep.
            Role::MEMORY => contract(&[Question], &[Findings, Shortfalls], &[]),
            _ => None,
        }
    }

    /// Checks a payload on its way to the role. The error names what is missing, empty or not allowed.
    pub fn check_sent(&self, parts: &[Part]) -> Result<(), String> {
        self.check_needed(self.needs, parts)?;
        // What was left out may be known to everybody.
        let allowed =
            |name: &PartName| self.needs.contains(name) || self.may.contains(name) || *name == PartName::LeftOut;
        match parts.iter().map(Part::name).find(|name| !allowed(name)) {
            Some(name) => Err(format!("the payload carries `{name}`, which the receiver may not see")),
            None => Ok(()),
        }
    }

    /// Checks a report of the role.
    pub fn check_returned(&self, outcome: &Outcome, parts: &[Part]) -> Result<(), String> {
        match outcome {
            Outcome::Done | Outcome::Partial(_) => self.check_needed(self.returns, parts),
            _ => Ok(()),
        }
    }

    fn check_needed(&self, needed: &[PartName], parts: &[Part]) -> Result<(), String> {
        for name in needed {
            let Some(part) = parts.iter().find(|part| part.name() == *name) else {
                return Err(format!("the payload has no `{name}`"));
            };
            let empty = match part {
                Part::Question { text } => text.trim().is_empty(),
                Part::Findings { findings } => findings.is_empty(),
                Part::Plan { plan } => plan.tasks.is_empty(),
                Part::Verdicts { verdicts } => verdicts.is_empty(),
                _ => false,
            };
            if empty {
                return Err(format!("the `{name}` of the payload is empty"));
            }
        }
        Ok(())
    }
}

/// How an assignment ended. Empty is not success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what was asked.
    Done,
    /// It did some of it, for this reason.
    Partial(Clean),
    /// It looked and there is nothing.
    NothingFound,
    /// The ledger refused a call before it could do anything useful.
    OutOfBudget(Clean),
    /// It could not: the error, in words for a person.
    Failed(Clean),
    /// Someone stopped it.
    Cancelled,
}

impl Outcome {
    /// Whether its report may be used.
    pub fn usable(&self) -> bool {
        matches!(self, Outcome::Done | Outcome::Partial(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Done => f.write_str("done"),
            Outcome::Partial(why) => write!(f, "partial: {why}"),
            Outcome::NothingFound => f.write_str("nothing found"),
            Outcome::OutOfBudget(cap) => write!(f, "out of budget: {cap}"),
            Outcome::Failed(why) => write!(f, "failed: {why}"),
            Outcome::Cancelled => f.write_str("cancelled"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_writer_without_findings_is_an_error_and_not_a_prompt() {
        let contract = Contract::of(&Role::new(Role::WRITER)).unwrap();
        let plan = Plan { shape: Shape::Overview, tasks: vec![], why: "".into() };
        let mut parts = vec![Part::Question { text: "why?".into() }, Part::Length { words: 500 }];
        assert_eq!(contract.check_sent(&parts).unwrap_err(), "the payload has no `plan`");
        parts.push(Part::Plan { plan });
        assert_eq!(contract.check_sent(&parts).unwrap_err(), "the `plan` of the payload is empty");
    }

    #[test]
    fn a_researcher_may_not_see_a_draft() {
        let contract = Contract::of(&Role::new(Role::RESEARCHER)).unwrap();
        let mut parts = vec![sample(PartName::Question), sample(PartName::Task)];
        assert_eq!(contract.check_sent(&parts), Ok(()));
        parts.push(sample(PartName::Draft));
        let refused = "the payload carries `draft`, which the receiver may not see";
        assert_eq!(contract.check_sent(&parts).unwrap_err(), refused);
    }

    #[test]
    fn each_role_sees_the_parts_of_its_contract_and_no_others() {
        // A capital letter has to be there, a small one may be, and a dot may not: in the order of the heading.
        let heading = "question corpus task team plan flaws length findings passages draft verdicts shortfalls groups \
                       ends note left_out";
        let names: Vec<PartName> =
            heading.split_whitespace().map(|name| serde_json::from_value(name.into()).unwrap()).collect();
        for (role, row) in [
            (Role::SUPERVISOR, "QC....L.......nl"),
            (Role::PLANNER, "QC.tpf........nl"),
            (Role::RESEARCHER, "Q.T....f......nl"),
            (Role::SURVEYOR, "QC.tpf........nl"),
            (Role::INSPECTOR, "Q.T....f......nl"),
            (Role::EDITOR, "Q...P..f....g.nl"),
            (Role::MERGER, "....P..F.......l"),
            (Role::WRITER, "Q...P.LF.dvs..nl"),
            (Role::GATES, "......LFPD.....l"),
            (Role::REVIEWER, "Q...P.LFPD.....l"),
            (Role::MEMORY, "Q......f...s...l"),
        ] {
            let contract = Contract::of(&Role::new(role)).unwrap();
            let marks: Vec<char> = row.chars().collect();
            assert_eq!(marks.len(), names.len(), "{role}");
            let needed = || marks.iter().zip(&names).filter(|(mark, _)| mark.is_uppercase()).map(|(_, name)| *name);
            let least: Vec<Part> = needed().map(sample).collect();
            assert_eq!(contract.check_sent(&least), Ok(()), "{role}");
            for (mark, name) in marks.iter().zip(&names) {
                if mark.is_uppercase() {
                    let without: Vec<Part> = needed().filter(|needed| needed != name).map(sample).collect();
                    assert_eq!(contract.check_sent(&without), Err(format!("the payload has no `{name}`")), "{role}");
                } else {
                    let with: Vec<Part> = least.iter().cloned().chain([sample(*name)]).collect();
                    let seen = contract.check_sent(&with).is_ok();
                    assert_eq!(seen, *mark != '.', "{role} and `{name}`");
                }
            }
        }
    }

    fn sample(name: PartName) -> Part {
        let task = json!({ "id": 1, "title": "all", "question": "why?", "role": "researcher", "topic": [] });
        let mut json = match name {
            PartName::Question | PartName::Note => json!({ "text": "why?" }),
            PartName::Corpus => json!({ "corpus": Corpus::default() }),
            PartName::Task => json!({ "task": task, "shape": "overview" }),
            PartName::Team => json!({ "members": [] }),
            PartName::Plan => json!({ "plan": { "shape": "overview", "tasks": [task], "why": "" } }),
            PartName::Flaws => json!({ "flaws": [] }),
            PartName::Length => json!({ "words": 500 }),
            PartName::Findings => json!({ "findings": [room::tests::finding(1, 0)] }),
            PartName::Passages => json!({ "passages": [] }),
            PartName::Draft => json!({ "draft": Draft::default() }),
            PartName::Verdicts => json!({ "verdicts": [] }),
            PartName::Shortfalls => json!({ "notes": [] }),
            PartName::Groups => json!({ "groups": [] }),
            PartName::Ends => json!({ "ends": [] }),
            PartName::LeftOut => json!({ "left_out": [] }),
        };
        json["part"] = serde_json::to_value(name).unwrap();
        serde_json::from_value(json).unwrap()
    }
}
