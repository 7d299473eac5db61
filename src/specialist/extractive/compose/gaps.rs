//! The gaps of a brief: what the question names and no finding says. Claims none that was not looked for.

use std::collections::BTreeSet;

use super::Commission;
use crate::extractive::alike::Asked;
use crate::extractive::english::other_language;
use crate::extractive::numbered::numbered;
use crate::extractive::phrases::is_cue;
use crate::extractive::said::{is_missing, words_of};
use crate::extractive::topic::Tokens;
use run::evidence::heading_path;
use run::finding::{Finding, FindingKind};
use run::plan::{AskedWord, Plan, Shape, Task};
use text::Clean;
use text::words::{numeral, words};

/// The least weight of a word, in thousandths of its task, for the task to be about it, and the likeness of a finding to
/// the question from which it answers without it.
const LEAST_UNSAID: u16 = 500;
const SURE_FROM: f64 = 0.65;

/// The words of the question that the sources do not have, and no finding either, in a sentence.
pub(super) fn nowhere(question: &str, plan: &Plan, findings: &[&Finding]) -> Option<Clean> {
    let said: BTreeSet<String> = findings.iter().flat_map(|finding| words_of(finding)).collect();
    // Of a question in another language the function words would be missing as well.
    let is_missing = |asked: &AskedWord| is_missing(asked, &said);
    if plan.tasks.iter().flat_map(|task| &task.words).any(is_missing)
        && let Some(language) = other_language(question)
    {
        return Some(format!("The question seems to be in {language}, and not all of its words occur in the sources: only English is read, and nothing is translated.").into());
    }
    let mut words: Vec<String> = Vec::new();
    for asked in plan.tasks.iter().flat_map(|task| &task.words).filter(|asked| is_missing(asked)) {
        let word = format!("“{}”", asked.word);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let (last, others) = words.split_last()?;
    Some(match others {
        [] => format!("{last} does not occur in the sources.").into(),
        _ => format!("{} and {last} do not occur in the sources.", others.join(", ")).into(),
    })
}

impl Commission<'_> {
    /// The word that a task is about, if the sources have it and no finding has, nor the headings above one, nor a gap, and
    /// no finding is close to the question in meaning.
    fn unsaid(&self, gaps: &[Clean]) -> Option<Clean> {
        let heaviest = |task: &'_ Task| {
            let is_asked = |asked: &&AskedWord| !asked.nowhere && asked.weight >= LEAST_UNSAID && !is_cue(&asked.word);
            let words = task.words.iter().filter(is_asked);
            words.max_by_key(|asked| asked.weight).cloned()
        };
        // Members of a list that is told whole are named by the words above it.
        if self.findings.iter().any(|finding| finding.kind == FindingKind::Member) {
            return None;
        }
        let mut heaviest = self.plan.tasks.iter().filter_map(heaviest).filter(|_| !self.findings.is_empty()).peekable();
        heaviest.peek()?;
        let mut said: BTreeSet<String> = self.findings.iter().flat_map(|finding| words_of(finding)).collect();
        said.extend(gaps.iter().flat_map(|gap| Tokens::of(gap).content()));
        let is_said = |asked: &AskedWord| {
            let as_read = asked.in_sources();
            let in_digits = numeral(as_read).map(|value| value.to_string());
            in_digits.is_some_and(|digits| said.contains(&digits))
                || Tokens::of(as_read).content().iter().all(|stem| said.contains(stem))
        };
        let word = heaviest.find(|asked| !is_said(asked))?.word;
        let claims: Vec<&str> = self.findings.iter().map(|finding| finding.claim.as_str()).collect();
        let alike = Asked::of(vec![self.question.to_string()]).likenesses(&claims);
        let is_answered = alike.into_iter().any(|likeness| likeness >= SURE_FROM);
        (!is_answered).then(|| format!("No sentence that was found says “{word}”.").into())
    }

    /// The things that the question names by a number that no finding has, nor the words above it.
    fn unsaid_numbers(&self) -> Vec<Clean> {
        let above = |finding: &'_ Finding| {
            let place = finding.place.as_ref();
            place.map_or_else(String::new, |place| {
                format!("{} {}", heading_path(place.headings.iter()), place.source.title)
            })
        };
        let said: BTreeSet<String> = self
            .findings
            .iter()
            .flat_map(|finding| {
                words(&format!("{} {}", finding.claim, above(finding))).map(String::from).collect::<Vec<_>>()
            })
            .collect();
        let unsaid = numbered(self.question).into_iter().filter(|_| !self.findings.is_empty());
        let unsaid = unsaid.filter(|thing| !said.contains(thing.number));
        unsaid
            .map(|thing| format!("No sentence that was found says “{} {}”.", thing.noun, thing.number).into())
            .collect()
    }

    /// The questions without a finding. Names in the question without a finding are among the shortfalls.
    pub(super) fn gaps(&self) -> Vec<Clean> {
        let mut gaps: Vec<Clean> = nowhere(self.question, self.plan, &self.findings)
            .into_iter()
            .chain(self.shortfalls.iter().cloned())
            .collect();
        let unsaid = self.unsaid(&gaps);
        gaps.extend(unsaid);
        gaps.extend(self.unsaid_numbers());
        let reporting: BTreeSet<_> = self.findings.iter().map(|finding| finding.id.assignment).collect();
        let elsewhere = self.findings.iter().flat_map(|f| &f.also).any(|id| !reporting.contains(&id.assignment));
        for task in &self.plan.tasks {
            // A finding for a part is one for the whole.
            let is_found =
                task.question == *self.question || self.findings.iter().any(|f| self.task_of(f) == Some(task.id));
            if !is_found {
                // Its findings may have been merged into those of another task. Of things that are compared each has its own: a
                // sentence on another may have its name.
                let title = Tokens::of(&task.title).content();
                let is_told = |finding: &&Finding| match self.plan.shape {
                    Shape::Comparison => finding.subtopic == task.title,
                    _ => title.is_subset(&words_of(finding)),
                };
                if elsewhere || self.findings.iter().any(is_told) {
                    continue;
                }
                let asked = task.title.trim_end_matches('?');
                if !gaps.iter().any(|gap| gap.contains(asked)) {
                    gaps.push(format!("Nothing was found on “{asked}”.").into());
                }
            }
        }
        gaps
    }
}
