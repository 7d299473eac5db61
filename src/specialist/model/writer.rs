//! The writer's craft: a brief in Markdown over numbered findings, parsed into sentences with their citations.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::craft::{Craft, Made, Report, Unfit};
use super::fence::{Element, attribute, by, fenced, without_tags};
use super::markdown;
use crate::Assigned;
use crate::gate::gap::is_gap;
use crate::gate::label::named_in;
use crate::words::WORDS;
use run::brief::{self, Draft, Form, Sentence};
use run::finding::Finding;
use run::verdict::remarks;
use run::{FindingId, Outcome, Payload, Transcript};
use text::listed::title_of;
use text::words::{Language, fold, is_stop, stem, stems, words};
use text::{Clean, count};

/// The note under the title of every brief written by a model.
const NOTE: &str = "Written by a language model from the findings; every quote was checked against its stored source.";

pub(super) struct Writer;

/// The most contradictions that are told of a finding: with more, the request would grow with the square of the findings.
const MOST_CONTRADICTIONS: usize = 3;

/// The tags in its prompt.
const TAGS: &[&str] = &["question", "finding", "quote", "gaps", "draft", "wish"];

impl Craft for Writer {
    fn schema(&self, _: &Assigned<'_>) -> Option<Arc<Value>> {
        None
    }

    fn heeding(&self) -> &'static str {
        "Act on it in the draft, and give the draft whole. Do not mention this message in it."
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let handoff = assigned.handoff;
        let question = handoff.payload.question.clone().unwrap_or_default();
        let mut task = format!("The question:\n{}\n\n", fenced(Element::Question, "", &question));
        let _ =
            writeln!(task, "Write about {} words. The findings, by sub-topic:", handoff.payload.length.unwrap_or(500));
        let mut subtopic = None;
        let numbers: BTreeMap<FindingId, usize> = numbered(assigned).map(|(n, finding)| (finding.id, n)).collect();
        for (n, finding) in numbered(assigned) {
            if subtopic != Some(&finding.subtopic) {
                let _ = writeln!(task, "\n{}:", finding.subtopic);
                subtopic = Some(&finding.subtopic);
            }
            let attributes: Vec<String> = [by(finding.words_of).to_owned(), from(finding)].into();
            let attributes = attributes.join(" ");
            let _ = writeln!(task, "[{n}] {}", fenced(Element::Finding, attributes.trim(), &finding.claim));
            let said = finding.said();
            if finding.columns.is_some() || adds_words(&said, &finding.claim) {
                let columns = finding.columns.as_ref().map(|columns| format!("columns=\"{}\"", attribute(columns)));
                let _ = writeln!(task, "    {}", fenced(Element::Quote, &columns.unwrap_or_default(), &said));
            }
            if let Some(caveat) = finding.caveat() {
                let _ = writeln!(task, "    its source no longer holds, {}", fenced(Element::Superseded, "", &caveat));
            }
            contradictions(finding, &numbers, &mut task);
        }
        let shortfalls = handoff.payload.shortfalls();
        if !shortfalls.is_empty() {
            let _ = writeln!(
                task,
                "\nWhat could not be found out; say so under “Gaps”:\n{}",
                fenced(Element::Gaps, "", &shortfalls.join("\n"))
            );
        }
        if let Some(draft) = handoff.payload.draft.as_ref() {
            let _ = writeln!(
                task,
                "\nYour draft was sent back. It read:\n{}",
                fenced(Element::Draft, "", &in_numbers(draft, assigned))
            );
            if assigned.issues().next().is_some() {
                task.push_str("What is to be mended, and nothing else:\n");
            }
            for issue in assigned.issues() {
                let about = issue.sentence.as_ref().map(|sentence| format!(" In: “{sentence}”")).unwrap_or_default();
                let _ = writeln!(task, "- {}: {}{about}", issue.concern, with_full_stop(&issue.what));
            }
            for line in &draft.no_gaps {
                let _ =
                    writeln!(task, "- gaps: name what is missing, as in “Not stated: …”. “{line}” states something");
            }
            task.push_str(&of_the_person(draft, assigned));
        }
        for note in handoff.payload.notes() {
            let _ = writeln!(task, "\nTo mind, within your rules:\n{}", fenced(Element::Wish, "", note));
        }
        task
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, _: &Transcript) -> Result<Made, Unfit> {
        let Report::Text(text) = report else { return Err("it has to be Markdown, not JSON".into()) };
        let ids: Vec<FindingId> = numbered(assigned).map(|(_, finding)| finding.id).collect();
        let draft = draft(text, &ids, assigned.handoff.payload.findings(), assigned)?;
        let title = format!("draft, {}", count(draft.words(), "word"));
        Ok(Made {
            outcome: Outcome::Done,
            title,
            payload: Payload { draft: Some(draft), ..Payload::default() },
            unread: Vec::new(),
            lacks: None,
        })
    }
}

/// Adds the findings that one contradicts, by their numbers.
fn contradictions(finding: &Finding, numbers: &BTreeMap<FindingId, usize>, task: &mut String) {
    let mut others = finding.conflicts.iter().filter_map(|conflict| Some((numbers.get(&conflict.with)?, conflict)));
    for (other, conflict) in others.by_ref().take(MOST_CONTRADICTIONS) {
        let _ = writeln!(task, "    contradicts [{other}]: {}", conflict.reason);
    }
    let more = others.count();
    if more > 0 {
        let _ = writeln!(task, "    and contradicts {more} more");
    }
}

/// Parses a draft whose citations are the numbers of these findings, from 1.
///
/// # Errors
/// No sentence cites a finding, or it is only a part of the draft that was to be mended. The text is for the model.
pub(super) fn draft(
    text: &str,
    ids: &[FindingId],
    findings: &[Finding],
    assigned: &Assigned<'_>,
) -> Result<Draft, Unfit> {
    let mut draft = markdown::draft(&without_tags(text, TAGS), ids, findings);
    if draft.sentences().all(|sentence| sentence.cites.is_empty()) {
        let mend = "put the number of its finding in square brackets behind each, as in [2]";
        return Err(Unfit::new("no sentence cites a finding", mend));
    }
    let payload = &assigned.handoff.payload;
    let is_part = |before: &Draft| draft.title.is_empty() && draft.words() * 2 < before.words();
    if payload.draft.as_ref().is_some_and(is_part) {
        return Err(Unfit::new("it is only a part of the draft", "give the whole brief again, with its title"));
    }
    if draft.title.is_empty() {
        draft.title = title_of(payload.question.as_deref().unwrap_or_default());
    }
    draft.notes = vec![NOTE.into()];
    // Gates do not check gaps: anything else listed there would be a claim without a quote.
    let known = known_to(payload);
    let is_kept = |gap: &Clean| payload.shortfalls().contains(gap) || is_gap(gap, &known);
    (draft.gaps, draft.no_gaps) = std::mem::take(&mut draft.gaps).into_iter().partition(is_kept);
    if !draft.no_gaps.is_empty() {
        let left_out = draft.no_gaps.len();
        let left_out = if left_out == 1 { "one line".to_owned() } else { format!("{left_out} lines") };
        draft.notes.push(format!("Left out of the gaps: {left_out} that did not say what is missing.").into());
    }
    if draft.gaps.is_empty() {
        draft.gaps.extend(payload.shortfalls().iter().cloned());
    }
    Ok(draft)
}

/// The duty of a revision: to keep the person's own sentences, but for those remarked on, and to leave out those that they took
/// out.
fn of_the_person(draft: &Draft, assigned: &Assigned<'_>) -> String {
    let kept = draft.yours.iter().filter(|text| !remarks(assigned.handoff.payload.verdicts()).any(|on| on == *text));
    let kept: Vec<&str> = kept.map(|text| text.as_str()).collect();
    let struck: Vec<&str> = draft.struck.iter().map(|text| text.as_str()).collect();
    let told = [
        (kept, "The person wrote these sentences; keep each to the letter, with what it cites:"),
        (struck, "The person took these out; do not bring them back, in other words neither:"),
    ];
    let told = told.iter().filter(|(sentences, _)| !sentences.is_empty());
    let told = told.map(|(sentences, what)| format!("{what}\n{}\n", fenced(Element::Wish, "", &sentences.join("\n"))));
    told.collect()
}

/// A sentence of somebody else, with a full stop if it ends with no mark of its own.
fn with_full_stop(said: &str) -> String {
    let said = said.trim_end();
    let is_ended = said.trim_end_matches(['”', '"', ')']).ends_with(['.', '!', '?', '…']);
    if is_ended { said.to_owned() } else { format!("{said}.") }
}

/// All that a writer was told: the question, the tasks, the findings with their places, and the gaps.
fn known_to(payload: &Payload) -> String {
    let found = payload.findings().iter().flat_map(|finding| [&finding.claim, &finding.quote]);
    let missed =
        payload.verdicts().iter().flat_map(|verdict| &verdict.issues).filter_map(|issue| issue.missing.as_ref());
    found.chain(payload.shortfalls()).chain(missed).fold(named_in(payload), |known, text| known + " " + text)
}

/// The findings with the numbers that the model sees, from 1.
fn numbered<'a>(assigned: &Assigned<'a>) -> impl Iterator<Item = (usize, &'a Finding)> {
    assigned.handoff.payload.findings().iter().enumerate().map(|(at, finding)| (at + 1, finding))
}

/// The place of a finding, as an attribute, if its claim does not have the first word of the heading.
fn from(finding: &Finding) -> String {
    let place = finding.place.as_ref().filter(|_| !finding.words_of.is_of_person());
    let headed = place.and_then(|place| Some((place, place.headings.last()?)));
    let has = |first: &str| words(&finding.claim).any(|word| fold(word) == fold(first));
    let headed = headed.filter(|(_, heading)| !words(heading).find(|word| !is_stop(word)).is_some_and(has));
    headed.map_or(String::new(), |(place, heading)| {
        format!("from=\"{}: {}\"", attribute(&place.source.path), attribute(heading))
    })
}

/// Whether a quote has words that its claim has in no form; articles and pronouns do not count.
fn adds_words(quote: &str, claim: &str) -> bool {
    let language = Language::of(quote);
    let claimed = stems(claim, language);
    let tells = |word: &&str| {
        let word = fold(word);
        !matches!(&*word, "a" | "an" | "the") && !WORDS.pronouns.contains(&*word)
    };
    words(quote).filter(tells).any(|word| !claimed.contains(&stem(word, language)))
}

/// A draft as the model sees it: laid out as it wrote it, with the numbers of findings as citations.
fn in_numbers(draft: &Draft, assigned: &Assigned<'_>) -> String {
    let number = |id: &FindingId| numbered(assigned).find(|(_, finding)| finding.id == *id).map(|(n, _)| n);
    let marks = |sentence: &Sentence| sentence.cites.iter().filter_map(number).map(|n| format!("[{n}]")).collect();
    format!("# {}\n{}", draft.title, brief::body(draft, Form::Draft, marks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::finding::{Conflict, WordsOf};
    use run::verdict::{Concern, Issue, Verdict};

    #[test]
    fn a_draft_that_is_sent_back_is_shown_as_it_was_written() {
        let finding = |n| crate::sample::finding(n, "Widget", "Widget supports joins.");
        let payload = Payload { findings: Some((1..=3).map(finding).collect()), ..Payload::default() };
        let handoff = crate::sample::handoff(payload);
        let assigned = crate::sample::assigned(&handoff);
        let ids: Vec<FindingId> = numbered(&assigned).map(|(_, finding)| finding.id).collect();
        for text in [
            "# Title\n\nA lead [1].\n\n## Speed\n\nIt is fast [1][2]. It was so in 1936 \\[3].\n\nMore [3].\n",
            "# Title\n\n## Plans\n\n- One [1]\n- Two [2][3]\n\n## Gaps\n\n- Nothing on price.\n",
            "# Title\n\n## Plans\n\n| plan | queues |\n|---|---|\n| free | three [1] |\n| pro | – |\n| team | a\\|b [2] |\n",
            "# Title\n\n## Plans\n\nIt may fail [2]. By plan:\n\n| plan | queues | days |\n|---|---|---|\n| free | three | 2 [1] |\n\nNot these [1]:\n\n* five\\_six [2]\n",
            "# Title\n\n## Plans\n\n1. Run it [1]:\n\n   ```\n   go\n   ```\n\n   It waits [2].\n2. Stop it [3]. To see it:\n\n   ```\n   ls\n   ```\n3. End.\n",
            "# Title\n\n## Plans\n\nKinds:\n\n- One [1]\n- Pairs:\n  - a [2]\n- Three [3]\n\n[2]\n\n```\ngo\n```\n",
            "# Title\n\n## Plans\n\nIt is fast [1].\n\n## Gaps\n\n- Nothing on price.\n\n## Disagreements\n\n- It is slow [2].\n",
        ] {
            let draft = markdown::draft(text, &ids, &[]);
            let shown = in_numbers(&draft, &assigned);
            assert_eq!(markdown::draft(&shown, &ids, &[]), draft, "{shown}");
            for part in ["## Speed", "- Two", "| free | three", "## Gaps", "## Disagreements"] {
                assert_eq!(shown.contains(part), text.contains(part), "{shown}");
            }
            assert!(!shown.contains("## \n"), "{shown}");
        }
    }

    /// A handoff to the writer of these findings and this draft.
    fn handed(findings: Vec<Finding>, draft: Option<Draft>) -> Arc<run::handoff::Handoff> {
        crate::sample::handoff(Payload { findings: Some(findings), draft, ..Payload::default() })
    }

    #[test]
    fn a_finding_comes_with_who_says_it_where_it_stands_and_what_its_quote_adds() {
        let found = |n, claim: &str, quote: &str, words_of, heading: &str| {
            let mut finding = crate::sample::finding(n, "Huts", quote);
            (finding.claim, finding.words_of) = (claim.into(), words_of);
            finding.place.as_mut().unwrap().headings = [Clean::from(heading)].into();
            finding
        };
        let findings = vec![
            found(1, "A night costs 42 euros.", "A night costs 42 euros with breakfast.", WordsOf::Model, "Torran Hut"),
            found(2, "In Torran Hut, a night costs 42 euros.", "A night costs 42 euros.", WordsOf::Model, "Torran Hut"),
            found(3, "Torran Hut sells beds.", "Torran Hut does not sell beds.", WordsOf::Model, "Torran Hut"),
            found(5, "Torran Hut opens in May.", "The Torran Hut opens only in May.", WordsOf::Model, "Torran Hut"),
            found(4, "Dogs may stay.", "Dogs are allowed.", WordsOf::PersonEdited, "Birk Hut"),
        ];
        let handoff = handed(findings, None);
        let task = Writer.task(&crate::sample::assigned(&handoff));
        let path = crate::sample::source("Huts").path;
        for told in [
            format!("[1] <finding from=\"{path}: Torran Hut\">\nA night costs 42 euros.\n"),
            "[2] <finding>\nIn Torran Hut, a night costs 42 euros.\n</finding>\n[3]".to_owned(),
            "\nTorran Hut does not sell beds.\n</quote>".to_owned(),
            "\nThe Torran Hut opens only in May.\n</quote>".to_owned(),
            "[5] <finding by=\"the person\">\nDogs may stay.\n".to_owned(),
        ] {
            assert!(task.contains(&told), "{told}: {task}");
        }
    }

    #[test]
    fn a_part_of_the_draft_is_no_revision_of_it() {
        let finding = crate::sample::finding(1, "Widget", "Widget supports joins.");
        let ids = [finding.id];
        let before = "# T\n\nWidget joins two tables or three [1]. It supports joins of all kinds [1].\n";
        let before = markdown::draft(before, &ids, &[]);
        let read = |text: &str, before: Option<Draft>| {
            let handoff = handed(vec![finding.clone()], before);
            draft(text, &ids, &[], &crate::sample::assigned(&handoff)).map_err(|unfit| unfit.to_string())
        };
        let part = "Widget joins tables [1].\n";
        assert!(read(part, Some(before.clone())).unwrap_err().contains("whole brief"));
        assert!(read(part, None).is_ok(), "a first draft may be short");
        assert!(read(&format!("# T\n\n{part}"), Some(before.clone())).is_ok(), "it is shorter, and whole");
        assert!(
            read("Widget joins two tables or three or four [1].\n", Some(before)).is_ok(),
            "it is most of the draft"
        );
    }

    #[test]
    fn a_revision_is_told_what_the_person_wrote_and_what_they_took_out() {
        let sentence = |text: &str| Sentence { text: text.into(), cites: vec![] };
        let pieces =
            vec![brief::Piece::Paragraph { sentences: vec![sentence("As we like it."), sentence("It is small.")] }];
        let draft = Draft { sections: vec![brief::Section { heading: "S".into(), pieces }], ..Draft::default() };
        let told = |yours: &[&str], struck: &[&str], remarked: &str| {
            let all = |texts: &[&str]| texts.iter().map(|text| Clean::from(*text)).collect();
            let draft = Draft { yours: all(yours), struck: all(struck), ..draft.clone() };
            let issue = Issue::new(Concern::Person, "shorter", Some(&sentence(remarked)), vec![]);
            let verdicts = Some(vec![Verdict { issues: vec![issue], checks: vec![] }]);
            let handoff = crate::sample::handoff(Payload { draft: Some(draft), verdicts, ..Payload::default() });
            Writer.task(&crate::sample::assigned(&handoff))
        };
        let (kept, out) = (
            "keep each to the letter, with what it cites:\n<wish>\nAs we like it.\n</wish>",
            "The person took these out",
        );
        let task = told(&["As we like it."], &["It stores tables."], "It is small.");
        assert!(
            task.contains(kept) && task.contains(out) && task.contains("<wish>\nIt stores tables.\n</wish>"),
            "{task}"
        );
        let task = told(&["As we like it."], &[], "As we like it.");
        assert!(!task.contains("keep each to the letter") && !task.contains(out), "they asked for another: {task}");
    }

    #[test]
    fn three_contradictions_of_a_finding_are_told_and_the_others_are_counted() {
        let request = |findings: u32, others: u32| {
            let by = run::AssignmentId::nth(1);
            let finding = |n: u32| Finding {
                conflicts: (1..=others)
                    .filter(|other| *other != n)
                    .map(|other| Conflict { with: FindingId::new(by, other), reason: format!("{other} here").into() })
                    .collect(),
                ..Finding::new(FindingId::new(by, n), format!("claim {n}").into())
            };
            Writer.task(&crate::sample::assigned(&handed((1..=findings).map(finding).collect(), None)))
        };
        let told = request(5, 5);
        assert!(told.contains("contradicts [2]: 2 here") && told.contains("and contradicts 1 more"), "{told}");
        assert_eq!((told.matches("contradicts [").count(), told.matches("and contradicts").count()), (15, 5), "{told}");
        let told = request(4, 4);
        assert_eq!((told.matches("contradicts [").count(), told.matches("and contradicts").count()), (12, 0), "{told}");
        // One that the writer does not have is neither told nor counted.
        assert!(!request(1, 9).contains("contradicts"));
        let [few, many] = [50, 100].map(|n| request(n, n).len());
        assert!(many < 3 * few, "{few} and {many} bytes");
    }

    #[test]
    fn a_note_to_the_writer_stands_in_its_request_with_the_draft_that_it_is_about() {
        let request = |notes: &[&str]| {
            let draft = Some(Draft { title: "Old title".into(), ..Draft::default() });
            let notes = notes.iter().map(|note| Clean::from(*note));
            let payload = Payload { draft, ..Payload::default() }.with_notes(notes);
            let (no, names) = (run::HandoffNo(1), ("supervisor".into(), "writer".into()));
            let handoff =
                Arc::new(run::handoff::Handoff { no, from: None, to: None, names, title: "x".into(), payload });
            let (id, left) = (run::AssignmentId::nth(1), run::Limits::default());
            Writer.task(&Assigned { id, handoff: &handoff, turns_left: 8, is_over: false, left, known: None })
        };
        let told = request(&["The supervisor asks: shorter"]);
        assert!(told.contains("Old title") && told.contains("<wish>\nThe supervisor asks: shorter\n</wish>"), "{told}");
        assert!(!told.contains("What is to be mended"), "nothing is wrong with it: {told}");
        assert!(!request(&[]).contains("<wish>"));
    }
}
