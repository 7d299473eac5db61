//! Reviewer by rule: support, coverage, relevance, clarity. It says PASS, or REVISE with issues that the writer can fix
//! with the findings there are.

use std::collections::{BTreeMap, BTreeSet};

use super::alike::Asked;
use super::dangling::dangles;
use super::near_duplicates::Shingles;
use super::said::{is_missing, said_with, words_of};
use super::topic::{Name, Tokens, initials};
use crate::gate::support;
use crate::{Assigned, Specialist, Step};
use run::brief::{Draft, Sentence};
use run::finding::{Finding, FindingKind};
use run::handoff::Passage;
use run::id::{FindingId, TaskId};
use run::plan::{AskedWord, Plan, Shape, Task};
use run::transcript::Transcript;
use run::verdict::{Check, Concern, Issue, Verdict};
use text::Clean;
use text::words::{Language, stem, words};

/// The number of best statements that are compared with the question, and the share of it that they hold on average.
const OF_BEST: usize = 3;
const LEAST_ANSWERED: f64 = 0.2;
/// The weight of words that the sources do not contain, in thousandths of each task, from which the brief is about something else.
pub(super) const MOST_NOWHERE: u32 = 280;

/// The fewest letters of a name's initials that stand for it.
const LEAST_INITIALS: usize = 2;

/// The likeness from which a statement counts as about the question, even with other words.
const LEAST_ALIKE: f64 = 0.4;

pub(super) struct Reviewer;

impl Specialist for Reviewer {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let handoff = assigned.handoff;
        let (Some(plan), Some(draft)) = (handoff.payload.plan.as_ref(), handoff.payload.draft.as_ref()) else {
            return Step::failed("the handoff lacks the plan or the draft");
        };
        let payload = &handoff.payload;
        let review = Review::of(plan, draft, payload.findings(), payload.passages(), payload.things());
        Step::judged(review.verdict())
    }
}

/// A draft with all that it is judged by.
struct Review<'a> {
    plan: &'a Plan,
    draft: &'a Draft,
    findings: &'a [Finding],
    passages: &'a [Passage],
    things: &'a [Clean],
    /// The statements under its headings.
    body: Vec<&'a Sentence>,
}

impl<'a> Review<'a> {
    fn of(
        plan: &'a Plan,
        draft: &'a Draft,
        findings: &'a [Finding],
        passages: &'a [Passage],
        things: &'a [Clean],
    ) -> Review<'a> {
        let sentences = draft.sections.iter().flat_map(|s| &s.pieces).flat_map(|p| p.sentences());
        let body = sentences.filter(|s| !s.text.is_empty()).collect();
        Review { plan, draft, findings, passages, things, body }
    }

    fn verdict(&self) -> Verdict {
        let (counted, issues): (Vec<Check>, Vec<Vec<Issue>>) =
            [self.support(), self.coverage(), self.relevance(), self.clarity()].into_iter().unzip();
        let (check, of_question) = self.question();
        Verdict {
            issues: issues.into_iter().flatten().chain(of_question).collect(),
            checks: check.into_iter().chain(counted).collect(),
        }
    }

    fn find(&self, id: &FindingId) -> Option<&'a Finding> {
        self.findings.iter().find(|finding| finding.id == *id)
    }

    /// The findings that a sentence cites.
    fn cited<'s>(&'s self, sentence: &'s Sentence) -> impl Iterator<Item = &'a Finding> + 's {
        sentence.cites.iter().filter_map(|id| self.find(id))
    }

    /// An issue for each statement that cites findings with this fault.
    fn each(&self, concern: Concern, what: &str, is_at_fault: impl Fn(&Finding) -> bool) -> Vec<Issue> {
        let judged = self.body.iter().filter_map(|sentence| {
            let at_fault: Vec<FindingId> = self.cited(sentence).filter(|f| is_at_fault(f)).map(|f| f.id).collect();
            (!at_fault.is_empty()).then(|| Issue::new(concern, what.to_owned(), Some(sentence), at_fault))
        });
        judged.collect()
    }

    /// Support: the claims are checked against their passages again.
    fn support(&self) -> (Check, Vec<Issue>) {
        let is_weak = |f: &Finding| {
            support::strict(f, self.passages, self.things, "").is_err() || support::quoted(f, self.passages).is_err()
        };
        let issues = self.each(Concern::Support, "the passage does not bear this out", is_weak);
        self.counted(Concern::Support, "statements borne out by their passages", issues)
    }

    /// Coverage: the brief cites each task that has findings.
    fn coverage(&self) -> (Check, Vec<Issue>) {
        let cited: BTreeSet<FindingId> = self.draft.cited().collect();
        let (mut all, mut issues) = (0, Vec::new());
        for task in &self.plan.tasks {
            let own: Vec<&Finding> = self.findings.iter().filter(|f| f.usable() && f.task == Some(task.id)).collect();
            let Some(best) = own.iter().max_by_key(|f| (f.score, std::cmp::Reverse(f.id))) else { continue };
            all += 1;
            if !own.iter().any(|f| cited.contains(&f.id)) {
                let what = format!("nothing on “{}”, though there are findings", task.title);
                issues.push(Issue::new(Concern::Coverage, what, None, vec![best.id]));
            }
        }
        let covered = all - issues.len();
        (Check::counted(Concern::Coverage, covered, all, "sub-topics with findings are in the brief"), issues)
    }

    /// Relevance: each statement is about the question of its task.
    fn relevance(&self) -> (Check, Vec<Issue>) {
        let is_astray =
            |f: &Finding| !f.words_of.is_of_person() && f.kind != FindingKind::Closest && !about(self.plan, f);
        let what = "neither the statement nor its heading is about what was asked";
        let issues = self.each(Concern::Relevance, what, is_astray);
        self.counted(Concern::Relevance, "statements are about what was asked", issues)
    }

    /// Clarity: no pronoun without its noun, no repetition within a task: two questions may have one answer.
    fn clarity(&self) -> (Check, Vec<Issue>) {
        let (mut issues, mut seen): (Vec<Issue>, Vec<(Shingles, Option<TaskId>)>) = (Vec::new(), Vec::new());
        for sentence in &self.body {
            let is_of_source = self.cited(sentence).all(|f| !f.words_of.is_of_person());
            let Some(id) = sentence.cites.first().copied().filter(|_| is_of_source) else { continue };
            // In a table, or below a label.
            let is_part = self.find(&id).is_some_and(|f| f.claim != sentence.text);
            let task = self.find(&id).and_then(|finding| finding.task);
            let shingles = Shingles::of(&sentence.text);
            let is_said = || seen.iter().any(|(known, of)| *of == task && known.is_near_duplicate(&shingles));
            let fault = match is_part {
                true => None,
                false if dangles(&sentence.text) => Some("begins with a word that points at something not said"),
                false => is_said().then_some("says again what was said before"),
            };
            match fault {
                Some(what) => issues.push(Issue::new(Concern::Clarity, what.to_owned(), Some(sentence), vec![id])),
                None => seen.push((shingles, task)),
            }
        }
        self.counted(Concern::Clarity, "statements stand alone and are said once", issues)
    }

    /// The question: the statements that answer it best hold enough of its words. A statement of the person is not judged, nor one that is
    /// not told as an answer.
    fn question(&self) -> (Option<Check>, Vec<Issue>) {
        let cited: Vec<&Finding> = self.body.iter().flat_map(|sentence| self.cited(sentence)).collect();
        let are_closest = cited.iter().all(|finding| finding.kind == FindingKind::Closest);
        if are_closest || cited.iter().any(|finding| finding.words_of.is_of_person()) {
            return (None, Vec::new());
        }
        let issue = |what: String| Issue::new(Concern::Coverage, what, None, vec![]);
        let mut issues: Vec<Issue> = self.foreign_subject(&cited).map(issue).into_iter().collect();
        let Some((share, unsaid)) = answered(self.plan, self.draft, &cited) else { return (None, issues) };
        let holds = share >= LEAST_ANSWERED;
        if !holds {
            let unsaid: Vec<String> = unsaid.iter().map(|word| format!("“{word}”")).collect();
            let nothing = if unsaid.is_empty() { String::new() } else { format!("; nothing on {}", unsaid.join(", ")) };
            issues.push(issue(format!("the statements hold little of what was asked{nothing}")));
        }
        let result = format!("{:.0} % of what was asked is in the statements that answer best", 100.0 * share).into();
        (Some(Check { concern: Concern::Coverage, result, holds }), issues)
    }

    /// The complaint that the question is about something that the sources do not mention, and so the statements neither.
    fn foreign_subject(&self, cited: &[&Finding]) -> Option<String> {
        let said: BTreeSet<String> = cited.iter().flat_map(|finding| words_of(finding)).collect();
        let nowhere = |task: &Task| -> (u32, Vec<String>) {
            let missing = task.words.iter().filter(|asked| is_missing(asked, &said));
            let (weights, words): (Vec<u32>, Vec<String>) =
                missing.map(|asked| (u32::from(asked.weight), format!("“{}”", asked.word))).unzip();
            (weights.iter().sum(), words)
        };
        let (weight, words) = self.plan.tasks.iter().map(nowhere).min().filter(|_| !cited.is_empty())?;
        (weight >= MOST_NOWHERE)
            .then(|| format!("the question is about {}, which the sources do not mention", words.join(", ")))
    }

    /// The check that counts the statements without such an issue.
    fn counted(&self, concern: Concern, what: &str, issues: Vec<Issue>) -> (Check, Vec<Issue>) {
        let all = self.body.len();
        (Check::counted(concern, all - issues.len(), all, what), issues)
    }
}

/// The share of a task's words, by their weights, that is in the findings that hold most of it, for the task that is answered best;
/// and the words of it that none of its findings has. Words under the gaps of the draft are left out. None if no words have
/// weights.
fn answered<'p>(plan: &'p Plan, draft: &Draft, cited: &[&Finding]) -> Option<(f64, Vec<&'p str>)> {
    let missing: BTreeSet<String> = draft.gaps.iter().flat_map(|gap| Tokens::of(gap).content()).collect();
    // A task has few words, and a word stands in few findings: a brief on a thousand questions is looked through once.
    let mut said: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, finding) in cited.iter().enumerate() {
        for stem in words_of(finding) {
            said.entry(stem).or_default().push(at);
        }
    }
    let of_task = |task: &'p Task| {
        let mut words: Vec<(String, &'p AskedWord)> = task.words.iter().map(|asked| (stem_of(asked), asked)).collect();
        words.retain(|(stem, _)| !missing.contains(stem));
        let all: f64 = words.iter().map(|(_, asked)| f64::from(asked.weight)).sum::<f64>().max(1.0);
        let mut shares: BTreeMap<usize, f64> = BTreeMap::new();
        for (stem, asked) in &words {
            for at in said.get(stem).into_iter().flatten() {
                *shares.entry(*at).or_default() += f64::from(asked.weight) / all;
            }
        }
        let mut shares: Vec<f64> = shares.into_values().collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        let mean = shares.iter().take(OF_BEST).sum::<f64>() / OF_BEST.min(cited.len()).max(1) as f64;
        let unsaid = words.iter().filter(|(stem, _)| !said.contains_key(stem));
        (!words.is_empty() && !cited.is_empty()).then(|| (mean, unsaid.map(|(_, asked)| asked.word.as_str()).collect()))
    };
    plan.tasks.iter().filter_map(of_task).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Whether a finding is about the question of its task: it, its headings or its page name the topic or have a word of the question,
/// it has the question's meaning, or it contradicts a finding that does. Compared things, and things with a history, have to be named.
fn about(plan: &Plan, finding: &Finding) -> bool {
    let Some(task) = finding.task.and_then(|id| plan.task(id)) else { return true };
    if task.topic.is_empty() || !finding.conflicts.is_empty() {
        return true;
    }
    let text = format!("{} {}", said_with(finding), finding.subtopic);
    let tokens = Tokens::of(&text);
    let is_named = task.topic.iter().any(|name| {
        let initials = initials(name);
        Name::new(name).is_none_or(|n| n.is_in(&tokens))
            || initials.chars().count() >= LEAST_INITIALS && words(&text).any(|word| word == initials)
    });
    if is_named || matches!(plan.shape, Shape::Comparison | Shape::History) {
        return is_named;
    }
    let said = tokens.content();
    let has_word = task.words.iter().any(|asked| said.contains(&stem_of(asked)));
    let alike = || Asked::of(vec![task.question.to_string()]).likenesses(&[&finding.claim]);
    has_word || alike().iter().any(|likeness| *likeness >= LEAST_ALIKE)
}

/// The stem of a word that is asked for, as the sources spell it.
fn stem_of(asked: &AskedWord) -> String {
    stem(asked.in_sources(), Language::English)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::finding;
    use run::brief::{Piece, Section};
    use run::id::TaskId;

    #[test]
    fn a_statement_is_about_a_question_whose_words_it_or_its_heading_has() {
        let asked = AskedWord { word: "log".into(), weight: 500, read_as: None, nowhere: false, instead: None };
        let task = Task {
            topic: vec!["log mode".into()],
            words: vec![asked],
            ..Task::new(TaskId(1), "Log".into(), "log mode: drawbacks".into())
        };
        let mut plan = Plan { shape: Shape::Overview, tasks: vec![task], why: "".into() };
        let found = finding(1, "The log", "All programs run on one machine.");
        assert!(about(&plan, &found), "its heading has the word");
        assert!(!about(&plan, &finding(1, "Colours", "A rose is red.")));
        plan.shape = Shape::Comparison;
        assert!(!about(&plan, &found), "it names another thing, or none");
        assert!(about(&plan, &finding(1, "Modes", "It runs in LM only.")), "its initials");
        assert!(!about(&plan, &finding(1, "Modes", "It runs on an ELM.")), "no word of its own");
        plan.tasks[0].topic = vec!["Ökosystem".into()];
        assert!(!about(&plan, &finding(1, "Modes", "The Ö is a letter.")), "one letter is no short form");
    }

    #[test]
    fn a_draft_on_all_but_the_name_that_was_asked_for_does_not_pass() {
        let found = finding(1, "Drivers", "A driver is installed with the package tool.");
        let of = |nowhere: bool| {
            let asked = |word: &str, weight: u16, nowhere: bool| AskedWord {
                word: word.into(),
                weight,
                read_as: None,
                nowhere,
                instead: None,
            };
            let words = vec![asked("install", 350, false), asked("driver", 350, false), asked("Voodoo", 300, nowhere)];
            let task = Task { words, ..Task::new(TaskId(1), "Driver".into(), "install the Voodoo driver".into()) };
            let plan = Plan { shape: Shape::Overview, tasks: vec![task], why: "".into() };
            let sentences = vec![Sentence { text: found.claim.clone(), cites: vec![found.id] }];
            let section = Section { heading: "Driver".into(), pieces: vec![Piece::Paragraph { sentences }] };
            let draft = Draft { sections: vec![section], ..Draft::default() };
            let verdict = Review::of(&plan, &draft, std::slice::from_ref(&found), &[], &[]).verdict();
            verdict.issues.iter().filter(|issue| issue.what.contains("“Voodoo”")).count()
        };
        assert_eq!((of(true), of(false)), (1, 0));
    }
}
