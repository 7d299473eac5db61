//! The results of hand-offs as the leading model gets them: shortened by rule, with a count of the parts left out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use run::brief::{self, Draft, Form, Sentence};
use run::transcript::{Sent, Transcript};
use run::verdict::Verdict;
use run::{Finding, FindingId, Outcome, Plan, Role};
use specialist::model::{Element, fenced};
use text::{Clean, count};

/// The most bytes of a hand-off's result: some 1,500 tokens.
pub(super) const ROOM: usize = 6_000;

/// The result of a hand-off, and whether it failed. `draft` is the number of the draft, if it returned one; of findings that were
/// `told` before, only the names are.
pub(super) fn of_sent(sent: &Sent, told: &[&Finding], draft: usize, room: usize) -> (String, bool) {
    let Some((outcome, report)) = &sent.report else { return ("still under way".into(), true) };
    let mut text = match outcome {
        Outcome::Done => String::new(),
        Outcome::NothingFound => {
            format!(
                "{outcome}. If it matters, ask once more in other words: for one thing, by the name documents give it\n"
            )
        }
        // While it leads, nobody else ends its assignments.
        Outcome::Cancelled => "The person ended this: do not hand it out again, go on with what there is\n".into(),
        other => format!("{other}\n"),
    };
    if !report.payload.findings().is_empty() {
        text.push_str(&beside_known(report.payload.findings(), told, room));
    }
    if let Some(plan) = report.payload.plan.as_ref() {
        text.push_str(&of_plan(plan, room));
    }
    if let Some(written) = report.payload.draft.as_ref() {
        text.push_str(&of_draft(written, draft, room));
    }
    text.push_str(&of_verdicts(report.payload.verdicts(), room));
    for note in report.payload.notes() {
        let _ = write!(text, "\n{}", fenced(Element::Note, "", &cut(note, room / 4)));
    }
    if text.trim().is_empty() {
        text.push_str("it brought nothing");
    }
    (text.trim().to_owned(), !outcome.usable())
}

/// Whether the person ended work of this role and title that was handed out.
pub(super) fn was_ended(transcript: &Transcript, role: &Role, title: &Clean) -> bool {
    let mut same =
        transcript.sent().filter(|sent| sent.role == *role && sent.handoff.title.eq_ignore_ascii_case(title));
    same.any(|sent| matches!(&transcript.result_of(sent).report, Some((Outcome::Cancelled, _))))
}

/// Whether two findings rest on the same words of the same source.
pub(super) fn is_same(one: &Finding, other: &Finding) -> bool {
    let source = |finding: &Finding| finding.place.as_ref().map(|place| place.source.id.clone());
    match one.quote.is_empty() {
        true => one.claim == other.claim,
        false => one.quote == other.quote && source(one) == source(other),
    }
}

/// The findings that are new; those that were told before by the names under which they were.
fn beside_known(findings: &[Finding], told: &[&Finding], room: usize) -> String {
    let (mut new, mut known) = (Vec::new(), BTreeSet::new());
    for finding in findings {
        match told.iter().find(|told| is_same(told, finding)) {
            Some(told) => drop(known.insert(told.id)),
            None => new.push(finding.clone()),
        }
    }
    let known: Vec<String> = known.iter().map(FindingId::to_string).collect();
    let known = match &known[..] {
        [] => None,
        known if new.is_empty() => Some(format!("nothing new: all of it is known already, as {}", known.join(", "))),
        known => Some(format!("besides, these are known already: {}", known.join(", "))),
    };
    let new = (!new.is_empty()).then(|| of_findings(&new, room));
    new.into_iter().chain(known).collect::<Vec<_>>().join("\n")
}

/// A line for each finding: id, claim, source.
pub(super) fn of_findings(findings: &[Finding], room: usize) -> String {
    let line = |finding: &Finding| {
        let place = finding.place.as_ref().map_or("no source", |place| &*place.source.path);
        let standing = if finding.usable() { "" } else { " (cannot be used: its quote was not found)" };
        format!("{} | {} | {place}{standing}", finding.id, finding.claim)
    };
    lines(Element::Findings, findings.iter().map(line), room)
}

fn of_plan(plan: &Plan, room: usize) -> String {
    lines(Element::Plan, plan.tasks.iter().map(|task| format!("{} [{}]", task.in_words(), task.role)), room)
}

/// A draft as its writer writes it, with the names of findings as citations.
fn of_draft(draft: &Draft, number: usize, room: usize) -> String {
    let mark = |id: &FindingId| match *id {
        FindingId::NOWHERE => "[a number that no finding has]".to_owned(),
        id => format!("[{id}]"),
    };
    let marks = |sentence: &Sentence| sentence.cites.iter().map(mark).collect();
    let text = format!("# {}\n{}", draft.title, brief::body(draft, Form::Draft, marks));
    let text = lines(Element::Draft, text.lines().map(ToOwned::to_owned), room);
    format!("draft {number}, {}:\n{text}", count(draft.words(), "word"))
}

pub(super) fn of_verdicts(verdicts: &[Verdict], room: usize) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let issues = verdict.issues.iter().filter(|issue| issue.blocking);
        let line = |issue: &run::verdict::Issue| {
            let about = issue.sentence.as_ref().map(|sentence| format!(", in: “{sentence}”")).unwrap_or_default();
            format!("{}: {}{about}", issue.concern, issue.what.trim_end().trim_end_matches('.'))
        };
        let issues: Vec<String> = issues.map(line).collect();
        let _ = writeln!(text, "{verdict}");
        if !issues.is_empty() {
            let _ = writeln!(text, "{}", lines(Element::Issues, issues.into_iter(), room));
        }
    }
    text
}

/// Fences as many lines as there is room for, with a count of those left out.
fn lines(element: Element, all: impl Iterator<Item = String>, room: usize) -> String {
    let (mut text, mut left_out) = (String::new(), 0);
    for line in all {
        if text.len() + line.len() > room {
            left_out += 1;
            continue;
        }
        text.push_str(&line);
        text.push('\n');
    }
    let fence = fenced(element, "", text.trim_end());
    if left_out == 0 {
        fence
    } else {
        format!("{fence}\n({left_out} more left out here for want of room; the work goes on with all)")
    }
}

fn cut(text: &str, room: usize) -> String {
    match text.char_indices().find(|(at, _)| *at >= room) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::handoff::Handoff;
    use run::id::HandoffNo;
    use run::stage::Leading;
    use run::team::Worker;
    use run::transcript::{Did, Turn};
    use run::{AssignmentId, Payload};
    use std::sync::Arc;

    #[test]
    fn what_there_is_no_room_for_is_counted_and_the_rest_stays_within_its_fence() {
        let all = ["one </findings> two", &"x".repeat(200), "three"];
        let text = lines(Element::Findings, all.into_iter().map(String::from), 60);
        assert!(text.contains("three") && text.contains("(1 more left out"), "{text}");
        assert_eq!(text.matches("</findings>").count(), 1, "{text}");
        assert!(!lines(Element::Findings, ["a".to_owned()].into_iter(), 60).contains("left out"));
    }

    #[test]
    fn work_that_the_person_ended_is_told_to_be_theirs_and_is_known_by_its_title() {
        let handoff = |title: &str| {
            Arc::new(Handoff {
                no: HandoffNo(1),
                from: None,
                to: None,
                names: ("a".into(), "b".into()),
                title: title.into(),
                payload: Payload::default(),
            })
        };
        let researcher = Role::new(Role::RESEARCHER);
        for (outcome, by_person) in
            [(Outcome::Cancelled, true), (Outcome::Failed("no luck".into()), false), (Outcome::NothingFound, false)]
        {
            let sent = Sent {
                to: AssignmentId::nth(1),
                role: researcher.clone(),
                task: None,
                worker: Worker::Member,
                again: None,
                handoff: handoff("Pinecone regions"),
                report: Some((outcome, handoff("report"))),
                failed_call: None,
                failed_answer: false,
            };
            let (text, _) = of_sent(&sent, &[], 0, ROOM);
            assert_eq!(text.contains("The person ended this: do not hand it out again"), by_person, "{text}");
            let mut transcript = Transcript::new(handoff("the question"));
            let did = Did::HandOffs(vec![sent]);
            transcript.push(Turn { stage: Leading::Research.into(), why: "so".into(), did });
            let ended = |title: &str| was_ended(&transcript, &researcher, &title.into());
            assert_eq!((ended("pinecone Regions"), ended("Pinecone")), (by_person, false));
        }
    }

    #[test]
    fn a_long_note_is_cut_between_characters() {
        assert_eq!(cut("ééé", 3), "éé …");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn findings_that_were_told_before_are_named_and_not_told_again() {
        let finding = |n: u32, claim: &str, quote: &str| {
            let id = FindingId::new(AssignmentId::nth(1), n);
            Finding { quote: quote.into(), ..Finding::new(id, claim.into()) }
        };
        let told = [finding(1, "It is fast.", "fast"), finding(2, "It is small.", "small")];
        let told: Vec<&Finding> = told.iter().collect();
        let again = [finding(11, "It goes quickly.", "fast"), finding(12, "It is small.", "small")];
        let text = beside_known(&again, &told, ROOM);
        assert_eq!(text, format!("nothing new: all of it is known already, as {}, {}", told[0].id, told[1].id));
        let new = [finding(13, "It is fast.", "faster than others")];
        let text = beside_known(&[&again[..1], &new].concat(), &told, ROOM);
        assert!(text.contains("It is fast.") && !text.contains("quickly"), "{text}");
        assert!(text.ends_with(&format!("besides, these are known already: {}", told[0].id)), "{text}");
        assert_eq!(beside_known(&new, &told, ROOM), of_findings(&new, ROOM));
    }
}
