//! The content of a handoff: a struct with a field for each part, so that a contract is a set of fields.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::LeftOut;
use crate::brief::{Draft, Sentence};
use crate::coverage::Point;
use crate::evidence::{Block, Corpus, SourceRef};
use crate::finding::Finding;
use crate::id::Role;
use crate::plan::{Flaw, Group, Plan, Shape, Task, TaskEnd};
use crate::preference::Preference;
use crate::tool::CleanJson;
use crate::verdict::Verdict;
use text::{Clean, Named};

/// Makes the payload, the names of its parts, and the walk over those that are there, from one table. Parts are kept
/// and shown in the order of the table.
macro_rules! payload {
    ($($(#[doc = $doc:literal])+ $field:ident: $Part:ident($Type:ty) = $name:literal,)+) => {
        /// The payload of a handoff. A part that is there and empty is not the same as one that is not there.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Payload {
            $(
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$Type>,
            )+
        }

        /// The name of a part, for contracts and for the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum PartName {
            $($(#[doc = $doc])+ $Part,)+
        }

        /// One part of a payload, to read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Part<'a> {
            $($(#[doc = $doc])+ $Part(&'a $Type),)+
        }

        impl fmt::Display for PartName {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(PartName::$Part => $name,)+ })
            }
        }

        impl Part<'_> {
            /// Its name.
            pub fn name(self) -> PartName {
                match self { $(Part::$Part(_) => PartName::$Part,)+ }
            }
        }

        impl Payload {
            /// The fields of a written payload.
            const FIELDS: &[&str] = &[$(stringify!($field),)+];

            /// The parts that are there.
            pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
                [$(self.$field.as_ref().map(Part::$Part),)+].into_iter().flatten()
            }
        }
    };
}

payload! {
    /// The person's question, to the letter; for one of many assignments on a long list, the part of it that is near.
    question: Question(Clean) = "question",
    /// The names in the question, read once, before the run is planned. Not there: it was not read, and nothing is checked.
    named: Named(Named) = "named",
    /// The sources that can be searched, as they were when the run began.
    corpus: Corpus(Corpus) = "corpus",
    /// One task of the plan.
    task: Task(PlannedTask) = "task",
    /// The members that tasks can be given to, the researcher first, where there is a choice.
    team: Team(Vec<Colleague>) = "team",
    /// The plan.
    plan: Plan(Plan) = "plan",
    /// All flaws of the plan, for a planner that is asked once more.
    flaws: Flaws(Vec<Flaw>) = "flaws",
    /// The groups of the tasks, in the order of the plan, for an editor of editors.
    groups: Groups(Vec<Group>) = "groups",
    /// A draft.
    draft: Draft(Draft) = "draft",
    /// Findings, in the order in which they are to be used.
    findings: Findings(Vec<Finding>) = "findings",
    /// The stored passages that quotes are taken from.
    passages: Passages(Vec<Passage>) = "passages",
    /// The length the brief is to have, in words.
    length: Length(u32) = "length",
    /// The verdicts of gates and reviewer, one each; for a reviewer, the doubts of code about the draft.
    verdicts: Verdicts(Vec<Verdict>) = "verdicts",
    /// Tasks that did not end well, a sentence each, for the writer to say so.
    shortfalls: Shortfalls(Vec<Clean>) = "shortfalls",
    /// The end of each delegated task, in the order of the plan.
    ends: Ends(Vec<TaskEnd>) = "ends",
    /// The things of the question that a report, or the run so far, has searched for by name: from the recorded calls.
    searched: Searched(Vec<Point>) = "searched",
    /// The points of the question that only approved findings tell of which did not fit into the writer's input: its draft need
    /// not tell of it.
    withheld: Withheld(Vec<Point>) = "not handed to the writer",
    /// Sentences of the draft that the reviewer has judged before, with the same quotes: they are not judged again.
    settled: Settled(Vec<Sentence>) = "judged before",
    /// Two briefs on the same question, as Markdown, in the order in which they are to be read.
    briefs: Briefs([Clean; 2]) = "briefs",
    /// The preferences of a judge between two briefs, in each order in which it has read them.
    preferences: Preferences(Vec<Preference>) = "preferred",
    /// Remarks in words: the person's wish, the reason for a failure.
    notes: Notes(Vec<Clean>) = "note",
    /// The reason why the rules of the role made this report in place of its model, in words for a person.
    by_rule: ByRule(Clean) = "by rule",
    /// Data that another program handed over, in an imported run.
    data: Data(CleanJson) = "data",
    /// The content that was left out of the other parts because it did not fit into the receiver's context.
    left_out: LeftOut(Vec<LeftOut>) = "left out",
}

/// A task with the kind of question its plan answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTask {
    /// The task.
    pub task: Task,
    /// The kind of question.
    pub shape: Shape,
}

/// A member that a task can be given to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colleague {
    /// The role.
    pub role: Role,
    /// Its work, in a sentence.
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

/// A person's text that is no payload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, `{words}`: {why}")]
pub struct NoPayload {
    /// The line at which that shows, from 1.
    pub line: usize,
    /// The words of that line, as far as a message has room for them.
    pub words: Clean,
    /// The fault there.
    pub why: String,
}

impl Payload {
    /// Reads a payload that a person wrote as JSON.
    ///
    /// # Errors
    /// It is no JSON, not that of a payload, or has a part that no payload has.
    pub fn read(json: &str) -> Result<Payload, NoPayload> {
        let wrong = |line: usize, why: String| {
            let words = json.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
            NoPayload { line, words: Clean::line(&words.chars().take(48).collect::<String>()), why }
        };
        let unreadable = |error: serde_json::Error| {
            let says = error.to_string();
            // The place is told beside it.
            let why = says.rsplit_once(" at line ").map_or(says.as_str(), |(why, _)| why);
            wrong(error.line().max(1), Clean::line(why).to_string())
        };
        let payload: Payload = serde_json::from_str(json).map_err(unreadable)?;
        let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json).map_err(unreadable)?;
        match fields.keys().find(|field| !Self::FIELDS.contains(&field.as_str())) {
            None => Ok(payload),
            Some(unknown) => {
                let quoted = serde_json::to_string(unknown).unwrap_or_default();
                let line = json.lines().position(|line| line.contains(&quoted)).unwrap_or(0) + 1;
                Err(wrong(line, format!("no payload has such a part; there are: {}", Self::FIELDS.join(", "))))
            }
        }
    }

    /// A payload of one remark.
    pub fn note(text: impl Into<Clean>) -> Payload {
        Payload { notes: Some(vec![text.into()]), ..Payload::default() }
    }

    /// The payload with these remarks after its own.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = Clean>) -> Payload {
        let mut all = self.notes.take().unwrap_or_default();
        all.extend(notes);
        self.notes = Some(all).filter(|notes| !notes.is_empty());
        self
    }

    /// Whether it carries nothing.
    pub fn is_empty(&self) -> bool {
        self.parts().next().is_none()
    }

    /// The task.
    pub fn task(&self) -> Option<&Task> {
        self.task.as_ref().map(|planned| &planned.task)
    }

    /// The members that tasks can be given to; empty if there is no choice.
    pub fn team(&self) -> &[Colleague] {
        self.team.as_deref().unwrap_or_default()
    }

    /// The flaws of the plan; empty if it has none.
    pub fn flaws(&self) -> &[Flaw] {
        self.flaws.as_deref().unwrap_or_default()
    }

    /// The findings; empty if there is no such part.
    pub fn findings(&self) -> &[Finding] {
        self.findings.as_deref().unwrap_or_default()
    }

    /// The things that the question names; empty if there is no such part.
    pub fn things(&self) -> &[Clean] {
        self.named.as_ref().map_or(&[], |named| &named.things)
    }

    /// The passages; empty if there is no such part.
    pub fn passages(&self) -> &[Passage] {
        self.passages.as_deref().unwrap_or_default()
    }

    /// The verdicts; empty if there is no such part.
    pub fn verdicts(&self) -> &[Verdict] {
        self.verdicts.as_deref().unwrap_or_default()
    }

    /// The tasks that did not end well; empty if there is no such part.
    pub fn shortfalls(&self) -> &[Clean] {
        self.shortfalls.as_deref().unwrap_or_default()
    }

    /// The groups of the tasks; empty if there are none.
    pub fn groups(&self) -> &[Group] {
        self.groups.as_deref().unwrap_or_default()
    }

    /// The ends of the tasks; empty if there is no such part.
    pub fn ends(&self) -> &[TaskEnd] {
        self.ends.as_deref().unwrap_or_default()
    }

    /// The things that were searched for by their own name; empty if there are none.
    pub fn searched(&self) -> &[Point] {
        self.searched.as_deref().unwrap_or_default()
    }

    /// The points that only findings tell of that the writer was not handed; empty if there are none.
    pub fn withheld(&self) -> &[Point] {
        self.withheld.as_deref().unwrap_or_default()
    }

    /// The sentences of the draft that were judged before; empty if none were.
    pub fn settled(&self) -> &[Sentence] {
        self.settled.as_deref().unwrap_or_default()
    }

    /// The remarks; empty if there are none.
    pub fn notes(&self) -> &[Clean] {
        self.notes.as_deref().unwrap_or_default()
    }

    /// The content left out of the other parts; empty if there is none.
    pub fn left_out(&self) -> &[LeftOut] {
        self.left_out.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_payload_is_told_with_its_line() {
        assert_eq!(Payload::read("{\"notes\": [\"a\"]}"), Ok(Payload::note("a")));
        for (json, line, says) in [
            ("{\n  \"question\": \"Why?\"\n  \"length\": 3\n}", 3, "line 3, `\"length\": 3`: expected `,` or `}`"),
            (
                "{\n  \"length\": \"long\"\n}",
                2,
                "line 2, `\"length\": \"long\"`: invalid type: string \"long\", expected u32",
            ),
            ("{\n\n  \"questoin\": \"Why?\"\n}", 3, "no payload has such a part; there are: question, named"),
            ("", 1, "EOF"),
            ("[]", 1, "invalid"),
        ] {
            let error = Payload::read(json).unwrap_err();
            assert!(error.line == line && error.to_string().contains(says), "{error}");
        }
    }
}
