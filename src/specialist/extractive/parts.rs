//! Assigns each finding to the part of the question that it answers, where readers look for it, whichever task found
//! it.

use std::collections::BTreeMap;

use super::alike::Asked;
use super::near_duplicates::without_brackets;
use super::pros_and_cons::side_of;
use super::topic::{Tokens, Topic};
use run::finding::{Finding, FindingKind};
use run::id::{FindingId, TaskId};
use run::plan::{Plan, Shape, Task};
use text::words::{Language, stem};

/// The advantage of the finding's own part: a finding moves to another only if it clearly belongs there.
const OWN_PART: f64 = 0.2;

/// The part of the question that each finding answers best, if that is known: for compared things, and for a question
/// cut into parts with a task for the whole.
pub(super) fn parts(question: &str, plan: &Plan, findings: &[&Finding]) -> BTreeMap<FindingId, TaskId> {
    if plan.shape == Shape::Comparison {
        return things(plan, findings);
    }
    let (whole, parts): (Vec<&Task>, Vec<&Task>) = plan.tasks.iter().partition(|task| task.question == *question);
    if whole.len() != 1 || parts.len() < 2 {
        return BTreeMap::new();
    }
    // A list stands whole below its part.
    let stays = |f: &Finding| {
        f.words_of.is_of_person() || f.kind == FindingKind::Member && f.task.is_none_or(|task| task != whole[0].id)
    };
    let planned = |f: &&&Finding| f.task.is_some_and(|id| plan.task(id).is_some()) && !stays(f);
    let findings: Vec<&Finding> = findings.iter().filter(planned).copied().collect();
    let mut best: Vec<(f64, Option<TaskId>)> = vec![(f64::MIN, None); findings.len()];
    for part in &parts {
        for ((finding, best), answers) in findings.iter().zip(&mut best).zip(answers(part, &findings)) {
            let is_own = finding.task == Some(part.id);
            // A drawback belongs to the part that asks for drawbacks, even if it shares no word with it; other findings
            // are not moved there.
            let own = match side_of(&part.question) {
                Some(side) if finding.kind == side => f64::INFINITY,
                Some(_) if !is_own => continue,
                _ if is_own => OWN_PART,
                _ => 0.0,
            };
            let answers = answers + own;
            if answers > best.0 {
                *best = (answers, Some(part.id));
            }
        }
    }
    let mut assigned: BTreeMap<FindingId, TaskId> =
        findings.iter().zip(best).filter_map(|(finding, (_, part))| Some((finding.id, part?))).collect();
    // No part with findings is left empty.
    for part in parts.iter().filter(|part| !assigned.values().any(|id| *id == part.id)).collect::<Vec<_>>() {
        assigned.extend(findings.iter().filter(|f| f.task == Some(part.id)).map(|finding| (finding.id, part.id)));
    }
    assigned
}

/// The number of first words of a sentence that may contain its subject.
const SUBJECT: usize = 4;

/// For compared things: a sentence that begins with the name of one belongs to it. So does a sentence right below its
/// heading, unless the sentence names the thing it was found for.
fn things(plan: &Plan, findings: &[&Finding]) -> BTreeMap<FindingId, TaskId> {
    let topic = |task: &Task| Topic::new(task.topic.iter().map(|name| name.as_str()), [""; 0]);
    let things: Vec<(TaskId, Topic)> = plan.tasks.iter().map(|task| (task.id, topic(task))).collect();
    let only = |text: &str| {
        let text = Tokens::of(text);
        let mut named = things.iter().filter(|(_, topic)| topic.named(&text)).map(|(task, _)| *task);
        named.next().filter(|_| named.next().is_none())
    };
    let home = |finding: &&Finding| {
        // A list stands whole.
        let stays = finding.words_of.is_of_person() || finding.kind == FindingKind::Member;
        let place = finding.place.as_ref().filter(|_| !stays)?;
        let text = without_brackets(&finding.claim);
        let subject: Vec<&str> = text.split_whitespace().take(SUBJECT).collect();
        let own = things.iter().filter(|(task, _)| finding.task == Some(*task));
        let names_own = own.map(|(_, topic)| topic).any(|topic| topic.named(&Tokens::of(&text)));
        let over = || only(place.headings.last().unwrap_or(&place.source.title)).filter(|_| !names_own);
        Some((finding.id, only(&subject.join(" ")).or_else(over)?))
    };
    findings.iter().filter_map(home).collect()
}

/// The value of each finding as an answer to a part: its likeness, plus the weight of the words that both have.
fn answers(part: &Task, findings: &[&Finding]) -> Vec<f64> {
    let claims: Vec<&str> = findings.iter().map(|finding| finding.claim.as_str()).collect();
    let alike = Asked::of(vec![part.question.to_string()]).likenesses(&claims);
    let alike = alike.into_iter().chain(std::iter::repeat(0.0));
    let shared = |finding: &&Finding| {
        let stems = Tokens::of(&finding.claim).content();
        let has = |word: &str| stems.contains(&stem(word, Language::English));
        part.words.iter().filter(|asked| has(&asked.word)).map(|asked| f64::from(asked.weight) / 1000.0).sum::<f64>()
    };
    findings.iter().map(shared).zip(alike).map(|(shared, alike)| shared + alike).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::finding;
    use run::plan::AskedWord;

    fn task(id: u32, question: &str) -> Task {
        let asked =
            |word: &str| AskedWord { word: word.into(), weight: 300, read_as: None, nowhere: false, instead: None };
        let words = question.split(' ').filter(|word| word.len() > 4).map(asked).collect();
        Task { words, ..Task::new(TaskId(id), question.into(), question.into()) }
    }

    #[test]
    fn what_was_found_for_the_whole_question_goes_to_the_part_that_it_answers() {
        let question = "Where does the output go? How do I stop the mails?";
        let tasks = vec![task(1, "Where does the output go"), task(2, "How do I stop the mails"), task(3, question)];
        let mut plan = Plan { shape: Shape::Overview, tasks, why: "".into() };
        let mut found =
            [finding(1, "cron", "All output is sent to the owner."), finding(2, "cron", "No mails are sent then.")];
        found.iter_mut().for_each(|finding| finding.task = Some(TaskId(3)));
        let homes = |plan: &Plan| parts(question, plan, &found.iter().collect::<Vec<_>>());
        assert_eq!(homes(&plan), [(found[0].id, TaskId(1)), (found[1].id, TaskId(2))].into());
        plan.tasks.pop();
        assert!(homes(&plan).is_empty(), "no task asks the whole");
    }

    #[test]
    fn what_stands_under_the_name_of_one_of_the_compared_things_is_told_of_it_whichever_task_found_it() {
        let thing = |id: u32, name: &str| Task { topic: vec![name.into()], ..task(id, name) };
        let tasks = vec![thing(1, "SYN scan"), thing(2, "connect scan")];
        let plan = Plan { shape: Shape::Comparison, tasks, why: "".into() };
        let under = |n: u32, heading: &str, text: &str| {
            let mut finding = finding(n, "Port scanning", text);
            finding.place.as_mut().unwrap().headings = std::sync::Arc::new(["Scans".into(), heading.into()]);
            Finding { task: Some(TaskId(2)), ..finding }
        };
        for (heading, text, home) in [
            ("-sS (TCP SYN scan)", "It is the default for good reasons.", Some(TaskId(1))),
            ("-sS (TCP SYN scan)", "Unlike it, a connect scan is logged.", None),
            ("-sT (TCP connect scan)", "A SYN scan is the better choice.", Some(TaskId(1))),
            ("SYN scan or connect scan", "It is the default for good reasons.", None),
            ("Timing", "It is the default for good reasons.", None),
        ] {
            let found = under(1, heading, text);
            assert_eq!(parts("?", &plan, &[&found]).get(&found.id).copied(), home, "{heading}: {text}");
        }
    }
}
