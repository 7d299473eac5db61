//! The reviewer's craft: for each claim, whether the quote supports it and whether it is clear; then whether the
//! question is answered whole. Models are good at such yes-or-no questions.

use std::sync::Arc;

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit, line_of};
use super::fence::{Element, fenced};
use super::offer::object;
use crate::Assigned;
use run::brief::{Draft, Sentence};
use run::coverage::{self, Coverage};
use run::finding::{Finding, WordsOf};
use run::verdict::{Check, Concern, Issue, Verdict};
use run::{FindingId, Outcome, Payload, Transcript};
use text::Clean;

pub(super) struct Reviewer;

impl Craft for Reviewer {
    fn schema(&self, _: &Assigned<'_>) -> Option<Arc<Value>> {
        let judgement = object(json!({
            "sentence": { "type": "integer", "description": "the number of the sentence" },
            "supported": { "type": "string", "enum": ["yes", "no"] },
            "clear": { "type": "string", "enum": ["yes", "no"] },
            "why": { "type": "string", "description": "if a no: what the quotes do not say, or what is unclear; else empty" },
        }));
        let missing = object(json!({
            "topic": { "type": "string", "description": "the sub-topic, or what the question names, that the draft leaves out" },
        }));
        Some(Arc::new(object(json!({
            "judgements": { "type": "array", "items": judgement },
            "missing": { "type": "array", "items": missing },
        }))))
    }

    fn heeding(&self) -> &'static str {
        "Mind it in your judgements, and judge every sentence all the same."
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let handoff = assigned.handoff;
        let question = handoff.payload.question.clone().unwrap_or_default();
        let mut task = format!(
            "The question:\n{}\n\nThe draft, sentence by sentence, each with the quotes it cites:\n",
            fenced(Element::Question, "", &question)
        );
        for (n, sentence) in numbered(assigned) {
            task.push_str(&format!("\nSentence {n}:\n{}\n", fenced(Element::Sentence, "", &sentence.text)));
            for finding in cited(sentence, handoff.payload.findings()) {
                for (attributes, quote) in quotes(finding) {
                    task.push_str(&fenced(Element::Quote, attributes, quote));
                    task.push('\n');
                }
            }
        }
        if let Some(plan) = handoff.payload.plan.as_ref() {
            let topics: Vec<&str> = plan.tasks.iter().map(|task| &*task.title).collect();
            task.push_str(&format!("\nThe sub-topics that were asked for: {}\n", topics.join(", ")));
        }
        if let Some(named) = handoff.payload.named.as_ref() {
            let points: Vec<String> = Coverage::of(named, None).points().map(ToString::to_string).collect();
            task.push_str(&format!("\nThe question names: {}\n", points.join(", ")));
        }
        let gaps = handoff.payload.draft.as_ref().map_or(&[][..], |draft| &draft.gaps);
        if !gaps.is_empty() {
            task.push_str(&format!(
                "\nThe draft says that this is missing:\n{}\n",
                fenced(Element::Gaps, "", &gaps.join("\n"))
            ));
        }
        task
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, _: &Transcript) -> Result<Made, Unfit> {
        let Report::Json(report) = report else { return Err("it has to be JSON".into()) };
        let Some(rows) = report["judgements"].as_array() else {
            return Err(Unfit::new("`judgements` is missing", "it is a list, one for each sentence"));
        };
        let sentences: Vec<(usize, &Sentence)> = numbered(assigned).collect();
        let mut verdict = Verdict::default();
        let judged = judgements(rows, sentences.len());
        let seen = judged.iter().flatten().count();
        if seen * 2 < sentences.len() {
            return Err(format!("{seen} of {} sentences were judged; each needs a yes or no", sentences.len()).into());
        }
        for ((_, sentence), judgement) in sentences.iter().zip(&judged) {
            let (concern, else_says, why) = match judgement {
                Some((true, true, _)) => continue,
                Some((true, false, why)) => (Concern::Clarity, "it cannot be understood as it stands", why),
                Some((false, _, why)) => (Concern::Support, "the quotes do not bear this out", why),
                None => (Concern::Support, "the reviewer did not judge it", &None),
            };
            let what = why.clone().unwrap_or_else(|| else_says.into());
            let findings: Vec<FindingId> = sentence.cites.clone();
            verdict.issues.push(Issue::new(concern, what, Some(sentence), findings));
        }
        verdict.issues.extend(missed(report, &sentences, assigned));
        let of = |concern: Concern| verdict.issues.iter().filter(|issue| issue.concern == concern).count();
        let (unsupported, unclear) = (of(Concern::Support), of(Concern::Clarity));
        let all = sentences.len();
        let unjudged = all - seen;
        let what = format!("sentences borne out by their quotes ({seen} judged)");
        verdict.checks.push(Check::counted(Concern::Support, all - unsupported, all, &what));
        let missing = of(Concern::Coverage);
        let topics = assigned.handoff.payload.plan.as_ref().map_or(0, |plan| plan.tasks.len()).max(missing);
        verdict.checks.push(Check::counted(Concern::Coverage, topics - missing, topics, "sub-topics are covered"));
        let what = format!("sentences are clear ({seen} judged)");
        verdict.checks.push(Check::counted(Concern::Clarity, all - unclear - unjudged, all, &what));
        let lacks = (unjudged > 0).then(|| without_judgement(&judged));
        let title = verdict.to_string();
        Ok(Made {
            outcome: Outcome::Done,
            title,
            payload: Payload { verdicts: Some(vec![verdict]), ..Payload::default() },
            unread: Vec::new(),
            lacks,
        })
    }
}

/// What the reviewer misses in the draft, an issue each: what has findings that the draft leaves out, and what is asked for and stands
/// neither in the draft nor under its gaps.
fn missed(report: &Value, sentences: &[(usize, &Sentence)], assigned: &Assigned<'_>) -> Vec<Issue> {
    let payload = &assigned.handoff.payload;
    let plan = payload.plan.as_ref();
    let findings = || payload.findings().iter().filter(|finding| finding.usable());
    let is_cited =
        |own: &[FindingId]| sentences.iter().any(|(_, sentence)| sentence.cites.iter().any(|id| own.contains(id)));
    let coverage = payload.named.as_ref().map(|named| Coverage::of(named, plan));
    let read = coverage.as_ref().map(|coverage| (coverage, coverage.reads(findings())));
    let found_on = |topic: &Clean| -> Vec<FindingId> {
        let point = read.as_ref().and_then(|(coverage, subjects)| {
            let point = coverage.points().find(|point| point.to_string().eq_ignore_ascii_case(topic))?;
            Some(coverage.about(point, subjects).iter().map(|finding| finding.id).collect())
        });
        let of_task = || {
            let task = plan?.tasks.iter().find(|task| task.title.eq_ignore_ascii_case(topic))?;
            Some(findings().filter(|finding| finding.task == Some(task.id)).map(|finding| finding.id).collect())
        };
        point.or_else(of_task).unwrap_or_default()
    };
    let gaps = payload.draft.as_ref().map_or(&[][..], |draft| &draft.gaps);
    let is_asked = |topic: &Clean| {
        let titles = plan.into_iter().flat_map(|plan| &plan.tasks).map(|task| &task.title);
        payload.question.iter().chain(titles).any(|asked| coverage::meets(topic, asked))
    };
    let mut topics: Vec<Clean> = Vec::new();
    for topic in report["missing"].as_array().into_iter().flatten().filter_map(|row| line_of(&row["topic"])) {
        if !topics.iter().any(|known| known.eq_ignore_ascii_case(&topic)) {
            topics.push(topic);
        }
    }
    let issue = |topic: Clean| match found_on(&topic) {
        own if is_cited(&own) => None,
        own if !own.is_empty() => {
            let what = format!("nothing on “{topic}”, though there are findings");
            Some(Issue::new(Concern::Coverage, what, None, own))
        }
        _ if !is_asked(&topic) || coverage::is_told(&topic, gaps) => None,
        _ => {
            let what =
                format!("nothing on “{topic}”: write it from the findings, or say under Gaps that it is missing");
            Some(Issue { missing: Some(topic), ..Issue::new(Concern::Coverage, what, None, vec![]) })
        }
    };
    topics.into_iter().filter_map(issue).collect()
}

/// Whether a sentence is supported, whether it is clear, and why not.
type Judgement = (bool, bool, Option<Clean>);

/// The judgement of each of so many sentences; None of one that was left out.
fn judgements(rows: &[Value], sentences: usize) -> Vec<Option<Judgement>> {
    let mut judged = vec![None; sentences];
    for row in rows {
        let n = row["sentence"].as_u64().and_then(|n| usize::try_from(n).ok());
        let Some(slot) = n.and_then(|n| judged.get_mut(n.checked_sub(1)?)) else { continue };
        // What is no answer is no "yes". Only whether a sentence is clear may be left out.
        let Some(supported) = answer(&row["supported"]) else { continue };
        let clear = if row["clear"].is_null() { Some(true) } else { answer(&row["clear"]) };
        let Some(clear) = clear.or((!supported).then_some(true)) else { continue };
        *slot = Some((supported, clear, line_of(&row["why"])));
    }
    judged
}

/// The numbers of the sentences that have no judgement.
fn without_judgement<T>(judged: &[Option<T>]) -> Unfit {
    let numbers = judged.iter().zip(1..).filter(|(judgement, _)| judgement.is_none());
    let numbers: Vec<String> = numbers.map(|(_, n): (_, usize)| n.to_string()).collect();
    let what = if numbers.len() == 1 { "sentence" } else { "sentences" };
    Unfit::new(format!("no judgement of {what} {}", numbers.join(", ")), "each sentence needs a yes or no")
}

/// A yes or no, however a model writes it; None if it is neither.
fn answer(value: &Value) -> Option<bool> {
    let word = value.as_str().map(|word| word.trim().trim_end_matches('.').to_lowercase());
    match word.as_deref() {
        Some("yes" | "true") => Some(true),
        Some("no" | "false") => Some(false),
        _ => value.as_bool(),
    }
}

/// The cited sentences of the draft with their numbers, from 1. What the person has put into their own words is not judged.
fn numbered<'a>(assigned: &Assigned<'a>) -> impl Iterator<Item = (usize, &'a Sentence)> {
    let draft = assigned.handoff.payload.draft.as_ref();
    let of_draft = |draft: &'a Draft| draft.sentences().filter(|sentence| !draft.is_yours(sentence));
    let sentences = draft.into_iter().flat_map(of_draft).filter(|sentence| !sentence.cites.is_empty());
    sentences.enumerate().map(|(at, sentence)| (at + 1, sentence))
}

/// The texts that a sentence on a finding may rest on, each with the attributes of its element: the words of the source, and what
/// the person or a counting tool vouches for.
fn quotes(finding: &Finding) -> impl Iterator<Item = (&'static str, &Clean)> {
    let by = match finding.words_of {
        WordsOf::PersonEdited | WordsOf::Person => "by=\"the person\"",
        WordsOf::Tool => "by=\"a count over the whole file\"",
        WordsOf::Source | WordsOf::Model => "",
    };
    let vouched = finding.words_of.is_more_than_its_quote().then_some((by, &finding.claim));
    vouched.into_iter().chain((!finding.quote.is_empty()).then_some(("", &finding.quote)))
}

fn cited<'a>(sentence: &'a Sentence, findings: &'a [Finding]) -> impl Iterator<Item = &'a Finding> {
    findings.iter().filter(|finding| sentence.cites.contains(&finding.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::brief::{Piece, Section};
    use run::{AssignmentId, HandoffNo, Limits};

    /// The verdict on two sentences, or why the report cannot be taken.
    fn judged(report: &Value) -> Result<Verdict, Unfit> {
        Ok(made(report)?.payload.verdicts.unwrap().remove(0))
    }

    fn made(report: &Value) -> Result<Made, Unfit> {
        let finding = crate::sample::finding(1, "Widget", "Widget supports joins.");
        let sentence = || Sentence { text: finding.claim.clone(), cites: vec![finding.id] };
        let pieces = vec![Piece::Paragraph { sentences: vec![sentence(), sentence()] }];
        let sections = vec![Section { heading: "Widget".into(), pieces }];
        let payload = Payload {
            draft: Some(Draft { sections, ..Draft::default() }),
            findings: Some(vec![finding.clone()]),
            ..Payload::default()
        };
        with(payload, |assigned| {
            let transcript = Transcript::new(assigned.handoff.clone());
            Reviewer.read(&Report::Json(report.clone()), &assigned, &transcript)
        })
    }

    /// What comes of an assignment that carries this.
    fn with<T>(payload: Payload, of: impl Fn(Assigned<'_>) -> T) -> T {
        let handoff = Arc::new(run::handoff::Handoff {
            no: HandoffNo(1),
            from: None,
            to: None,
            names: ("supervisor".into(), "reviewer".into()),
            title: "draft".into(),
            payload,
        });
        let (id, left) = (AssignmentId::nth(1), Limits::default());
        of(Assigned { id, handoff: &handoff, turns_left: 8, left, known: None })
    }

    /// A draft of these sentences, each on one of these findings.
    fn draft_on(findings: &[Finding], sentences: &[(&str, usize)]) -> Payload {
        let sentence = |(text, of): &(&str, usize)| Sentence { text: (*text).into(), cites: vec![findings[*of].id] };
        let pieces = vec![Piece::Paragraph { sentences: sentences.iter().map(sentence).collect() }];
        let draft = Draft { sections: vec![Section { heading: "Clocks".into(), pieces }], ..Draft::default() };
        Payload { draft: Some(draft), findings: Some(findings.to_vec()), ..Payload::default() }
    }

    #[test]
    fn words_of_the_person_are_a_quote_of_their_own_and_their_own_sentence_is_not_judged() {
        let found = |n, claim: &str, quote: &str, words_of| Finding {
            claim: claim.into(),
            words_of,
            ..crate::sample::finding(n, "Clocks", quote)
        };
        let findings = [
            found(1, "It steps.", "It steps.", WordsOf::Source),
            found(
                2,
                "A negative limit allows any step.",
                "A negative value disables the limit.",
                WordsOf::PersonEdited,
            ),
            found(3, "Our servers have no RTC.", "", WordsOf::Person),
        ];
        let texts = [("It steps.", 0), ("Any step is allowed.", 1), ("There is no RTC.", 2), ("In my words.", 0)];
        let mut payload = draft_on(&findings, &texts);
        payload.draft.as_mut().unwrap().yours = vec!["In my words.".into()];
        let task = with(payload, |assigned| Reviewer.task(&assigned));
        let quote = |attributes: &str, text: &str| fenced(Element::Quote, attributes, text);
        assert!(!task.contains("In my words.") && !task.contains(&quote("", "")), "{task}");
        assert_eq!(task.matches("<quote").count(), 4, "{task}");
        assert_eq!(task.matches(&quote("", "It steps.")).count(), 1, "{task}");
        for of_person in ["A negative limit allows any step.", "Our servers have no RTC."] {
            assert!(task.contains(&quote("by=\"the person\"", of_person)), "{task}");
        }
        assert!(task.contains(&quote("", "A negative value disables the limit.")), "{task}");
    }

    #[test]
    fn what_is_missing_goes_to_the_writer_if_it_is_asked_for_and_not_under_the_gaps() {
        let findings = [crate::sample::finding(1, "pgvector", "It filters late.")];
        let missed = |topic: &str, gap: Option<&str>| {
            let mut payload = draft_on(&findings, &[("It filters late.", 0)]);
            payload.draft.as_mut().unwrap().gaps = gap.into_iter().map(Clean::from).collect();
            payload.question =
                Some("Which filters faster, pgvector or Elasticsearch, and what happens at a restart?".into());
            let report = json!({
                "judgements": [{ "sentence": 1, "supported": "yes", "clear": "yes", "why": "" }],
                "missing": [{ "topic": topic }, { "topic": topic.to_uppercase() }],
            });
            let made = with(payload, |assigned| {
                let transcript = Transcript::new(assigned.handoff.clone());
                Reviewer.read(&Report::Json(report.clone()), &assigned, &transcript).unwrap()
            });
            let issues = made.payload.verdicts.unwrap().remove(0).issues;
            issues.into_iter().map(|issue| (issue.blocking, issue.missing)).collect::<Vec<_>>()
        };
        for (topic, gap, is_missed) in [
            ("Elasticsearch", None, true),
            ("what goes wrong at a restart", None, true),
            ("Elasticsearch", Some("The sources say nothing on Elasticsearch."), false),
            ("restart", Some("The sources say nothing on Elasticsearch."), true),
            ("a conclusion", None, false),
        ] {
            let expected = if is_missed { vec![(true, Some(topic.into()))] } else { vec![] };
            assert_eq!(missed(topic, gap), expected, "{topic} {gap:?}");
        }
    }

    #[test]
    fn a_sentence_without_a_judgement_is_asked_for_and_else_is_not_borne_out() {
        let row = |n: u32, supported: &str| json!({ "sentence": n, "supported": supported, "clear": "yes", "why": "" });
        for rows in [vec![row(1, "yes"), row(2, "perhaps")], vec![row(1, "yes")]] {
            let report = json!({ "judgements": rows });
            let lacks = made(&report).unwrap().lacks.unwrap();
            assert!(lacks.what.contains("sentence 2"), "{lacks}");
            let verdict = judged(&report).unwrap();
            assert!(!verdict.passes());
            let results: Vec<&str> = verdict.checks.iter().map(|check| &*check.result).collect();
            assert!(results[0].starts_with("1 of 2 ") && results[2].starts_with("1 of 2 "), "{results:?}");
        }
        let whole = json!({ "judgements": [row(1, "yes"), row(2, "no")] });
        assert!(made(&whole).unwrap().lacks.is_none());
    }

    #[test]
    fn a_no_is_a_no_however_it_is_written_and_what_is_no_answer_is_not_a_yes() {
        let row = |n: u32, supported: Value, clear: Value| json!({ "sentence": n, "supported": supported, "clear": clear, "why": "" });
        let good = row(2, json!("Yes"), json!(true));
        for no in [json!("no"), json!("No."), json!(" NO "), json!(false), json!("false")] {
            let report = |row: Value| json!({ "judgements": [row, good], "missing": [] });
            let verdict = judged(&report(row(1, no.clone(), json!("yes")))).unwrap();
            assert_eq!(verdict.issues[0].concern, Concern::Support, "{no}");
            let verdict = judged(&report(row(1, json!("yes"), no.clone()))).unwrap();
            assert_eq!(verdict.issues[0].concern, Concern::Clarity, "{no}");
            let verdict = judged(&report(row(1, no, Value::Null))).unwrap();
            assert_eq!(verdict.issues.len(), 1);
        }
        assert!(judged(&json!({ "judgements": [good, row(1, json!("yes"), json!("yes"))] })).unwrap().passes());
        assert!(judged(&json!({ "judgements": [good, row(1, json!("yes"), Value::Null)] })).unwrap().passes());
        for nothing in [json!(3), json!("perhaps"), Value::Null] {
            let rows = [1, 2].map(|n| row(n, nothing.clone(), json!("yes")));
            assert!(judged(&json!({ "judgements": rows })).is_err(), "{nothing}");
        }
        let rows = [1, 2].map(|n| row(n, json!("yes"), json!(3)));
        assert!(judged(&json!({ "judgements": rows })).is_err());
    }
}
