//! Custom gates: a user's rules on the words of a draft, and programs that check it.
//!
//! Quotes cannot be reworded: in a draft of quotes, rules about sentences are advice without a veto.

use crate::{Assigned, Specialist, Step};
use run::brief::{self, Draft, Sentence, Wording};
use run::gate::Rule;
use run::stage;
use run::tool::builtin::RunCommand;
use run::tool::{Ran, ToolResult};
use run::transcript::{CallEnd, Transcript};
use run::verdict::{Check, Concern, Issue, Verdict};
use text::{Clean, count};

/// Checks a draft by the user's rules.
pub(super) struct ByRules<'a>(pub &'a [Rule]);

/// Checks a draft by running the user's program.
pub(super) struct ByCommand<'a>(pub &'a [Clean]);

const NO_DRAFT: &str = "the handoff lacks the draft";

/// The most issues read from a program; further ones are ignored.
const MOST_ISSUES: usize = 50;

impl Specialist for ByRules<'_> {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        match assigned.handoff.payload.draft.as_ref() {
            Some(draft) => Step::judged(judge(draft, self.0)),
            None => Step::failed(NO_DRAFT),
        }
    }
}

fn judge(draft: &Draft, rules: &[Rule]) -> Verdict {
    let mut verdict = Verdict::default();
    let mut broken = 0;
    for rule in rules {
        let issues = broken_by(draft, rule);
        broken += usize::from(!issues.is_empty());
        verdict.issues.extend(issues);
    }
    verdict.checks.push(Check::counted(Concern::Style, rules.len() - broken, rules.len(), "rules kept"));
    verdict
}

/// The issues of a draft under one rule.
fn broken_by(draft: &Draft, rule: &Rule) -> Vec<Issue> {
    let issue = |sentence: Option<&Clean>, what: String| Issue {
        concern: Concern::Style,
        what: format!("{what}: {}", rule.why).into(),
        sentence: sentence.cloned(),
        findings: Vec::new(),
        missing: None,
        blocking: !rule.advice && (sentence.is_none() || draft.wording == Wording::Reworded),
        doubt: false,
    };
    let mut issues = Vec::new();
    for sentence in draft.sentences() {
        if let Some(words) = &rule.forbid
            && says(&sentence.text, words)
        {
            issues.push(issue(Some(&sentence.text), format!("“{words}”")));
        }
        let words = sentence.text.split_whitespace().count();
        if rule.sentence_words.is_some_and(|most| words > most as usize) {
            issues.push(issue(Some(&sentence.text), format!("a sentence of {}", count(words, "word"))));
        }
    }
    let words = draft.words();
    if rule.words.is_some_and(|most| words > most as usize) {
        issues.push(issue(None, count(words, "word")));
    }
    if let Some(wanted) = &rule.heading
        && !draft.sections.iter().any(|section| says(&section.heading, wanted))
    {
        issues.push(issue(None, format!("no heading “{wanted}”")));
    }
    issues
}

/// Whether a sequence of words occurs in a text, as whole words.
fn says(text: &str, words: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (text, words) = (split(text), split(words));
    !words.is_empty() && text.windows(words.len()).any(|window| window == words)
}

impl Specialist for ByCommand<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Some(draft) = assigned.handoff.payload.draft.as_ref() else { return Step::failed(NO_DRAFT) };
        let Some(call) = transcript.calls().last() else {
            let input = brief::markdown(draft, assigned.handoff.payload.findings()).into();
            let request = RunCommand { command: self.0.to_vec(), input };
            let (stage, why) = (stage::Gate::Run.into(), "a program checks the draft".into());
            return Step::Use { stage, why, requests: vec![request.into()] };
        };
        match &call.end {
            CallEnd::Returned(result) => match &**result {
                ToolResult::Ran(ran) => heard(draft, ran),
                _ => Step::failed("the program's answer is not one"),
            },
            CallEnd::Failed(why) => Step::failed(why.clone()),
            CallEnd::Refused(refusal) => Step::failed(refusal.to_string()),
            CallEnd::Queued | CallEnd::Pending | CallEnd::InDoubt => Step::Wait,
        }
    }
}

/// Turns a program's output into a verdict: one issue a line, about the sentence that the line contains.
fn heard(draft: &Draft, ran: &Ran) -> Step {
    let lines = || ran.said.lines().map(str::trim).filter(|line| !line.is_empty());
    let issues: Vec<Issue> = match ran.status {
        0 => Vec::new(),
        1 if lines().next().is_some() => {
            let issue = |line: &str| {
                let named = |sentence: &&Sentence| !sentence.text.is_empty() && line.contains(sentence.text.as_str());
                Issue::new(Concern::House, line, draft.sentences().find(named), Vec::new())
            };
            lines().take(MOST_ISSUES).map(issue).collect()
        }
        status => {
            let said = match (lines().next(), ran.last_words.is_empty()) {
                (None, true) => ": it said nothing".to_owned(),
                (Some(said), true) => format!(": {said}"),
                (None, false) => format!(". Its last words: {}", ran.last_words),
                (Some(said), false) => format!(": {said}. Its last words: {}", ran.last_words),
            };
            return Step::failed(format!("the program ended with {status}{said}"));
        }
    };
    let result = match issues.len() {
        0 => "the program found nothing".into(),
        n => format!("the program found {n}").into(),
    };
    let checks = vec![Check { concern: Concern::House, result, holds: issues.is_empty() }];
    Step::judged(Verdict { issues, checks })
}

#[cfg(test)]
mod tests;
