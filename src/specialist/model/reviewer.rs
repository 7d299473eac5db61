//! The reviewer's craft: for each claim, whether the quote supports it and whether it is clear; then whether the
//! question is answered whole. Models are good at such yes-or-no questions.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit, line_of};
use super::fence::{Element, attribute, by, fenced};
use super::offer::object;
use super::researcher::begins_with_pronoun;
use crate::Assigned;
use run::brief::{self, Draft, Form, Sentence};
use run::coverage::{self, Coverage};
use run::finding::Finding;
use run::verdict::{Check, Concern, Issue, Verdict};
use run::{FindingId, Outcome, Payload, Transcript};
use text::sentence::sentences;
use text::{Clean, count};

/// The issue of a sentence without a judgement.
pub const UNJUDGED: &str = "the reviewer did not judge it";

pub(super) struct Reviewer;

impl Craft for Reviewer {
    fn schema(&self, _: &Assigned<'_>) -> Option<Arc<Value>> {
        let judgement = object(json!({
            "sentence": { "type": "integer", "description": "the number of the sentence" },
            "supported": { "type": "string", "enum": ["yes", "no"] },
            "clear": { "type": "string", "enum": ["yes", "no"] },
            "why": { "type": "string", "description": "what the quotes do not say, or what is unclear" },
        }));
        let missing = object(json!({
            "topic": { "type": "string", "description": "the sub-topic, or what the question names, that the draft leaves out" },
        }));
        Some(Arc::new(object(json!({
            "judged": { "type": "integer", "description": "how many sentences you have judged: all of them" },
            "judgements": { "type": "array", "items": judgement, "description": "only of sentences with a no; empty if there is none" },
            "missing": { "type": "array", "items": missing },
        }))))
    }

    fn heeding(&self) -> &'static str {
        "Mind it in your judgements, and judge every sentence all the same."
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let handoff = assigned.handoff;
        let question = handoff.payload.question.clone().unwrap_or_default();
        let mut task = format!("The question:\n{}\n", fenced(Element::Question, "", &question));
        let judged = open_in(&handoff.payload);
        let all = handoff.payload.draft.as_ref().filter(|draft| judged.len() < statements(draft).count());
        if let Some(draft) = all {
            let whole = Draft { gaps: Vec::new(), ..draft.clone() };
            let text = brief::body(&whole, Form::Draft, |_| String::new());
            task.push_str(&format!(
                "\nThe draft as a whole, for its coverage:\n{}\n",
                fenced(Element::Draft, "", text.trim())
            ));
        }
        let quotes = Quotes::of(&judged, handoff.payload.findings());
        task.push_str(&quotes.in_words());
        task.push_str(match (judged.is_empty(), all) {
            (true, _) => "\nNone of its sentences needs a judgement.\n",
            (false, Some(_)) => "\nOf it these sentences need your judgement, each with the numbers of its quotes:\n",
            (false, None) => "\nThe draft, sentence by sentence, each with the numbers of its quotes:\n",
        });
        for (sentence, n) in judged.iter().zip(1..) {
            let doubt = doubt_of(sentence, &handoff.payload).unwrap_or_default();
            let attributes = [under(sentence, assigned), doubt].join(" ");
            task.push_str(&format!(
                "
Sentence {n}:
{}
",
                fenced(Element::Sentence, attributes.trim(), &sentence.text)
            ));
            task.push_str(&quotes.numbers_of(sentence, handoff.payload.findings()));
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
        let report = report.json()?;
        let Some(rows) = report["judgements"].as_array() else {
            return Err(Unfit::new("`judgements` is missing", "it is a list, one for each sentence with a no"));
        };
        let sentences = open_in(&assigned.handoff.payload);
        let mut verdict = Verdict::default();
        let judged = judgements(rows, &report["judged"], sentences.len());
        let seen = judged.iter().flatten().count();
        if seen * 2 < sentences.len() {
            return Err(without_judgement(&judged, &report["judged"]));
        }
        for (sentence, judgement) in sentences.iter().zip(&judged) {
            let (concern, else_says, why) = match judgement {
                Some((true, true, _)) => continue,
                Some((true, false, why)) => (Concern::Clarity, "the reviewer says that it is not clear", why),
                Some((false, _, why)) => {
                    (Concern::Support, "the reviewer says that the quotes do not bear it out", why)
                }
                None => (Concern::Support, UNJUDGED, &None),
            };
            let what = why.as_ref().map_or_else(|| else_says.to_owned(), |why| format!("the reviewer says: {why}"));
            let findings: Vec<FindingId> = sentence.cites.clone();
            verdict.issues.push(Issue::new(concern, what, Some(sentence), findings));
        }
        verdict.issues.extend(missed(report, assigned));
        let of = |concern: Concern| verdict.issues.iter().filter(|issue| issue.concern == concern).count();
        let (unsupported, unclear) = (of(Concern::Support), of(Concern::Clarity));
        let quoted = |draft: &Draft| {
            statements(draft).filter(|statement| is_quote(statement, assigned.handoff.payload.findings())).count()
        };
        let all = sentences.len() + assigned.handoff.payload.draft.as_ref().map_or(0, quoted);
        let unjudged = sentences.len() - seen;
        let what = format!("sentences borne out by their quotes ({seen} judged)");
        verdict.checks.push(Check::counted(Concern::Support, all - unsupported, all, &what));
        let missing = of(Concern::Coverage);
        let topics = assigned.handoff.payload.plan.as_ref().map_or(0, |plan| plan.tasks.len()).max(missing);
        verdict.checks.push(Check::counted(Concern::Coverage, topics - missing, topics, "sub-topics are covered"));
        let what = format!("sentences are clear ({seen} judged)");
        verdict.checks.push(Check::counted(Concern::Clarity, all - unclear - unjudged, all, &what));
        let lacks = (unjudged > 0).then(|| without_judgement(&judged, &report["judged"]));
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

/// The things that the reviewer misses in the draft, an issue each: those with findings that the draft leaves out, and those that
/// the question asks for and that stand neither in the draft nor under its gaps.
fn missed(report: &Value, assigned: &Assigned<'_>) -> Vec<Issue> {
    let payload = &assigned.handoff.payload;
    let plan = payload.plan.as_ref();
    let findings = || payload.findings().iter().filter(|finding| finding.usable());
    let all_cited = || payload.draft.iter().flat_map(Draft::cited);
    let is_cited = |own: &[FindingId]| all_cited().any(|id| own.contains(&id));
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

/// The judgement of each of `sentences` sentences; None of one that was left out. Of the first ones, as many as were `judged`,
/// those without a row are right.
fn judgements(rows: &[Value], judged_up_to: &Value, sentences: usize) -> Vec<Option<Judgement>> {
    let right = judged_up_to.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0).min(sentences);
    let mut judged = vec![Some((true, true, None)); right];
    judged.resize(sentences, None);
    for row in rows {
        let n = row["sentence"].as_u64().and_then(|n| usize::try_from(n).ok());
        let Some(slot) = n.and_then(|n| judged.get_mut(n.checked_sub(1)?)) else { continue };
        // A row without an answer is no "yes". Only whether a sentence is clear may be left out.
        let Some(supported) = answer(&row["supported"]) else {
            *slot = None;
            continue;
        };
        let clear = if row["clear"].is_null() { Some(true) } else { answer(&row["clear"]) };
        let Some(clear) = clear.or((!supported).then_some(true)) else {
            *slot = None;
            continue;
        };
        *slot = Some((supported, clear, line_of(&row["why"])));
    }
    judged
}

/// The numbers of the sentences that have no judgement, if the report gives the number that were `judged`.
fn without_judgement<T>(judged: &[Option<T>], judged_up_to: &Value) -> Unfit {
    let numbers = judged.iter().zip(1..).filter(|(judgement, _)| judgement.is_none());
    let numbers: Vec<String> = numbers.map(|(_, n): (_, usize)| n.to_string()).collect();
    let what = if numbers.len() == 1 { "sentence" } else { "sentences" };
    let missing = format!("no judgement of {what} {}", numbers.join(", "));
    let all = count(judged.len(), "sentence");
    match judged_up_to.as_u64().filter(|said| *said != judged.len() as u64) {
        Some(said) => Unfit::new(
            format!("`judged` says {said}, and there are {all}: {missing}"),
            "judge each of them, and list those with a no",
        ),
        None => {
            Unfit::new(missing, "each sentence in `judgements` needs a yes or no, and `judged` counts those judged")
        }
    }
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

/// The statements of a draft that a reviewer has to judge: cited ones, but for those that the person wrote, that are their quotes to
/// the letter, or that were judged before; and the labels that code doubts.
pub fn to_judge(draft: &Draft, findings: &[Finding], judged: &[Sentence], doubts: &[Verdict]) -> Vec<Sentence> {
    let all = statements(draft).chain(doubted_labels(draft, doubts));
    let open = all.filter(|statement| !judged.contains(statement));
    open.filter(|statement| !is_quote(statement, findings)).collect()
}

/// The statements of the draft in a handoff that its reviewer has to judge.
fn open_in(payload: &Payload) -> Vec<Sentence> {
    let of = |draft| to_judge(draft, payload.findings(), payload.settled(), payload.verdicts());
    payload.draft.as_ref().map_or_else(Vec::new, of)
}

/// The cited statements of a draft that are not in the person's words.
fn statements(draft: &Draft) -> impl Iterator<Item = Sentence> {
    let all = draft.statements().into_iter();
    all.filter(|statement| !statement.cites.is_empty() && !draft.is_yours(statement))
}

/// The titles, headings and names in tables that code doubts, each once, as a statement on the findings of all that stands below it.
pub fn doubted_labels(draft: &Draft, doubts: &[Verdict]) -> Vec<Sentence> {
    let is_doubted = |label: &Clean| {
        let mut issues = doubts.iter().flat_map(|verdict| &verdict.issues).filter(|issue| issue.doubt);
        issues.any(|issue| issue.sentence.as_ref() == Some(label))
    };
    let mut found: Vec<Sentence> = Vec::new();
    for (label, below) in draft.labels().into_iter().filter(|(label, _)| is_doubted(label)) {
        if found.iter().any(|known| known.text == *label) || draft.has(label) {
            continue;
        }
        let mut cites: Vec<FindingId> = Vec::new();
        for id in below.iter().flat_map(|sentence| &sentence.cites) {
            if !cites.contains(id) {
                cites.push(*id);
            }
        }
        found.push(Sentence { text: label.clone(), cites });
    }
    found.retain(|label| !label.cites.is_empty());
    found
}

/// The doubts of code about a statement, as an attribute.
fn doubt_of(statement: &Sentence, payload: &Payload) -> Option<String> {
    let units = payload.draft.as_ref()?.judged_together();
    let unit = units.into_iter().find(|(unit, _)| unit == statement);
    let sentences = unit.map_or_else(|| vec![statement], |(_, sentences)| sentences);
    let is_of_it = |issue: &&Issue| sentences.iter().any(|sentence| issue.sentence.as_ref() == Some(&sentence.text));
    let doubts = payload.verdicts().iter().flat_map(Verdict::doubts).filter(is_of_it);
    let doubts: Vec<&str> = doubts.map(|issue| issue.what.as_str()).collect();
    (!doubts.is_empty()).then(|| format!("doubt=\"{}\"", attribute(&doubts.join("; "))))
}

/// Whether a sentence is a whole sentence of a quote that it cites, and names its subject: then it needs no judgement.
pub fn is_quote(sentence: &Sentence, findings: &[Finding]) -> bool {
    let bare = |text: &str| text.trim().trim_end_matches('.').to_owned();
    let wanted = bare(&sentence.text);
    let says =
        |quote: &str| bare(quote) == wanted || sentences(quote).into_iter().any(|range| bare(&quote[range]) == wanted);
    !begins_with_pronoun(&sentence.text) && cited(sentence, findings).any(|finding| says(&finding.quote))
}

/// The text above a sentence, as an attribute: the line that introduces it, below its heading, or the heading alone if the sentence
/// names nothing of it.
fn under(sentence: &Sentence, assigned: &Assigned<'_>) -> String {
    let above = assigned.handoff.payload.draft.as_ref().map(|draft| draft.above(sentence)).unwrap_or_default();
    if above.lead_in.is_empty() && (above.heading.is_empty() || coverage::meets(&sentence.text, above.heading)) {
        return String::new();
    }
    let above = [above.heading, above.lead_in].map(|text| text.trim_end_matches([':', ' ']));
    let above: Vec<&str> = above.into_iter().filter(|text| !text.is_empty()).collect();
    format!("under=\"{}\"", attribute(&above.join(" / ")))
}

/// The place of a quote: its document and headings, and the columns of its table.
fn attributes(finding: &Finding) -> String {
    let from = finding.place.as_ref().map(|place| {
        let above = std::iter::once(&place.source.title).chain(place.headings.iter());
        let above = above.map(Clean::as_str).collect::<Vec<_>>().join(" > ");
        format!("from=\"{}: {}\"", attribute(&place.source.path), attribute(&above))
    });
    let columns = finding.columns.as_ref().map(|columns| format!("columns=\"{}\"", attribute(columns)));
    from.into_iter().chain(columns).collect::<Vec<_>>().join(" ")
}

/// The texts that a sentence on a finding may rest on, each with the attributes of its element: what the person or a counting tool
/// vouches for, and the words of the source.
fn quotes(finding: &Finding) -> impl Iterator<Item = (String, Cow<'_, str>)> {
    let is_more = finding.words_of.is_more_than_its_quote();
    let vouched = is_more.then(|| (by(finding.words_of).to_owned(), finding.claim.as_str().into()));
    vouched.into_iter().chain((!finding.quote.is_empty()).then(|| (attributes(finding), finding.said())))
}

/// The quotes that sentences cite, each once, as they are numbered for the reviewer: from 1.
struct Quotes(Vec<String>);

impl Quotes {
    fn of(sentences: &[Sentence], findings: &[Finding]) -> Quotes {
        let mut all = Vec::new();
        for quote in sentences.iter().flat_map(|sentence| cited(sentence, findings)).flat_map(quotes) {
            let quote = fenced(Element::Quote, &quote.0, &quote.1);
            if !all.contains(&quote) {
                all.push(quote);
            }
        }
        Quotes(all)
    }

    fn in_words(&self) -> String {
        let heading = if self.0.is_empty() { "" } else { "\nThe quotes that the sentences below rest on:\n" };
        let numbered = self.0.iter().zip(1..).map(|(quote, n)| format!("\nQuote {n}:\n{quote}\n"));
        heading.to_owned() + &numbered.collect::<String>()
    }

    /// The line below a sentence with the numbers of its quotes.
    fn numbers_of(&self, sentence: &Sentence, findings: &[Finding]) -> String {
        let its = cited(sentence, findings).flat_map(quotes).map(|quote| fenced(Element::Quote, &quote.0, &quote.1));
        let numbers = its.filter_map(|quote| self.0.iter().position(|known| *known == quote));
        let numbers: Vec<String> = numbers.map(|at| (at + 1).to_string()).collect();
        format!("quotes: {}\n", numbers.join(", "))
    }
}

fn cited<'a>(sentence: &'a Sentence, findings: &'a [Finding]) -> impl Iterator<Item = &'a Finding> {
    findings.iter().filter(|finding| sentence.cites.contains(&finding.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::Payload;
    use run::brief::{Piece, Section};
    use run::finding::WordsOf;

    /// The verdict on two sentences, or why the report cannot be taken.
    fn judged(report: &Value) -> Result<Verdict, Unfit> {
        Ok(made(report)?.payload.verdicts.unwrap().remove(0))
    }

    fn made(report: &Value) -> Result<Made, Unfit> {
        let said = |text: &str| Sentence { text: text.into(), cites: vec![finding().id] };
        let sentences = vec![said("Joins are supported by Widget."), said("In Widget there are joins.")];
        let handoff = handoff(vec![Piece::Paragraph { sentences }]);
        let assigned = crate::sample::assigned(&handoff);
        Reviewer.read(&Report::Json(report.clone()), &assigned, &Transcript::new(handoff.clone()))
    }

    fn finding() -> Finding {
        crate::sample::finding(1, "Widget", "Widget supports joins. It is free.")
    }

    fn handoff(pieces: Vec<Piece>) -> Arc<run::handoff::Handoff> {
        let sections = vec![Section { heading: "Widget".into(), pieces }];
        crate::sample::handoff(Payload {
            draft: Some(Draft { sections, ..Draft::default() }),
            findings: Some(vec![
                finding(),
                Finding { columns: Some("plan | queues".into()), ..crate::sample::finding(2, "Plans", "free | 3") },
            ]),
            ..Payload::default()
        })
    }

    #[test]
    fn a_row_is_one_sentence_with_its_columns_and_a_quote_comes_with_its_place() {
        let cell = |text: &str, cites: &[u32]| Sentence {
            text: text.into(),
            cites: cites.iter().map(|n| FindingId::new(run::AssignmentId::nth(1), *n)).collect(),
        };
        let rows = vec![
            ("free".into(), vec![cell("3", &[]), cell("2 days", &[2])]),
            ("pro".into(), vec![cell("40", &[]), cell("", &[])]),
        ];
        let header = ["plan", "queues", "kept"].map(Clean::from).to_vec();
        let handoff = handoff(vec![Piece::Table { label: None, header, rows }]);
        let task = Reviewer.task(&crate::sample::assigned(&handoff));
        let row = "Sentence 1:\n<sentence under=\"Widget\">\nplan: free; queues: 3; kept: 2 days\n</sentence>";
        assert!(task.contains(row), "{task}");
        assert!(task.contains("<quote from=\"plans.md: Plans\" columns=\"plan | queues\">\nfree | 3\n"), "{task}");
        assert!(
            !task.contains("Sentence 2:") && !task.contains("pro"),
            "a row that cites nothing is not judged: {task}"
        );
    }

    #[test]
    fn a_quote_that_several_sentences_cite_stands_there_once_with_its_number() {
        let said = |text: &str, cites: &[u32]| Sentence {
            text: text.into(),
            cites: cites.iter().map(|n| FindingId::new(run::AssignmentId::nth(1), *n)).collect(),
        };
        let sentences = vec![said("Widget joins.", &[1]), said("Free has 3.", &[2]), said("Both are so.", &[1, 2])];
        let handoff = handoff(vec![Piece::Paragraph { sentences }]);
        let task = Reviewer.task(&crate::sample::assigned(&handoff));
        assert_eq!((task.matches("<quote").count(), task.matches("Widget supports joins.").count()), (2, 1), "{task}");
        for told in [
            "\nQuote 2:\n<quote from=",
            "Widget joins.\n</sentence>\nquotes: 1\n",
            "Free has 3.\n</sentence>\nquotes: 2\n",
            "Both are so.\n</sentence>\nquotes: 1, 2\n",
        ] {
            assert!(task.contains(told), "{told}: {task}");
        }
    }

    #[test]
    fn a_sentence_comes_with_what_it_stands_under_where_it_does_not_say_what_it_is_about() {
        let said = |text: &str| Sentence { text: text.into(), cites: vec![finding().id] };
        let list = |label: Option<&str>, text: &str| Piece::List {
            label: label.map(Clean::from),
            first: None,
            items: vec![said(text).into()],
        };
        let pieces = vec![
            list(Some("To be backed up"), "data in ~/"),
            Piece::Paragraph { sentences: vec![said("A widget joins."), said("Not free are these:")] },
            list(None, "joins of two"),
        ];
        let handoff = handoff(pieces);
        let task = Reviewer.task(&crate::sample::assigned(&handoff));
        for sentence in [
            "<sentence under=\"Widget / To be backed up\">\ndata in ~/\n",
            "<sentence>\nA widget joins.\n",
            "<sentence under=\"Widget\">\nNot free are these:\n",
            "<sentence under=\"Widget / Not free are these\">\njoins of two\n",
        ] {
            assert!(task.contains(sentence), "{sentence}: {task}");
        }
    }

    #[test]
    fn a_sentence_that_is_its_quote_to_the_letter_is_not_judged() {
        let said = |text: &str| Sentence { text: text.into(), cites: vec![finding().id] };
        let sentences = vec![said("Widget supports joins"), said("Widget has joins."), said("It is free.")];
        let handoff = handoff(vec![Piece::Paragraph { sentences }]);
        let assigned = crate::sample::assigned(&handoff);
        let task = Reviewer.task(&assigned);
        assert!(task.contains("Sentence 1:\n<sentence>\nWidget has joins."), "{task}");
        assert!(
            task.contains(
                "Sentence 2:
<sentence under=\"Widget\">
It is free."
            ),
            "alone it does not say what is free: {task}"
        );
        let whole = "<draft>
## Widget

Widget supports joins Widget has joins. It is free.
</draft>";
        assert!(task.contains(whole) && task.contains("these sentences need your judgement"), "{task}");
        let row = |n: u32, supported: &str| json!({ "sentence": n, "supported": supported, "clear": "yes", "why": "" });
        let report = json!({ "judgements": [row(1, "no"), row(2, "yes")], "missing": [] });
        let made = Reviewer.read(&Report::Json(report), &assigned, &Transcript::new(handoff.clone())).unwrap();
        let verdict = &made.payload.verdicts()[0];
        assert_eq!(verdict.issues[0].sentence.as_deref(), Some("Widget has joins."));
        assert_eq!(verdict.issues[0].what, "the reviewer says that the quotes do not bear it out");
        assert!(verdict.checks[0].result.starts_with("2 of 3 "), "{verdict:?}");
    }

    #[test]
    fn a_statement_that_was_judged_before_is_not_shown_again_and_needs_no_judgement() {
        let said = |text: &str| Sentence { text: text.into(), cites: vec![finding().id] };
        let pieces =
            vec![Piece::Paragraph { sentences: vec![said("Widget has joins."), said("In Widget there are joins.")] }];
        let handed = |settled: bool| {
            let mut handoff = (*handoff(pieces.clone())).clone();
            let statements = handoff.payload.draft.iter().flat_map(Draft::statements).collect();
            handoff.payload.settled = settled.then_some(statements);
            Arc::new(handoff)
        };
        let (none, all) = (handed(false), handed(true));
        assert!(Reviewer.task(&crate::sample::assigned(&none)).contains("Sentence 2:"));
        let task = Reviewer.task(&crate::sample::assigned(&all));
        assert!(!task.contains("Sentence 1:") && task.contains("None of its sentences needs a judgement"), "{task}");
        assert!(
            task.contains("Widget has joins. In Widget there are joins.\n</draft>"),
            "coverage is of the whole: {task}"
        );
        let report = Report::Json(json!({ "judgements": [], "missing": [] }));
        let made = Reviewer.read(&report, &crate::sample::assigned(&all), &Transcript::new(all.clone())).unwrap();
        assert!(made.lacks.is_none() && made.payload.verdicts.unwrap()[0].passes());
    }

    #[test]
    fn a_doubt_of_code_stands_beside_its_sentence_and_one_that_is_an_issue_does_not() {
        let cell = |text: &str| Sentence { text: text.into(), cites: vec![finding().id] };
        let rows = vec![("free".into(), vec![cell("three \"each\""), cell("none")])];
        let header = ["plan", "queues", "kept"].map(Clean::from).to_vec();
        let table = Piece::Table { label: None, header, rows };
        let plain = Piece::Paragraph { sentences: vec![cell("Widget has joins.")] };
        let mut handoff = (*handoff(vec![table, plain])).clone();
        let doubt = Issue::new(Concern::Support, "it denies \"something\"", Some(&cell("none")), vec![]);
        let issue = Issue::new(Concern::Support, "no", Some(&cell("Widget has joins.")), vec![]);
        handoff.payload.verdicts = Some(vec![Verdict { issues: vec![doubt.in_doubt(), issue], checks: vec![] }]);
        let handoff = Arc::new(handoff);
        let task = Reviewer.task(&crate::sample::assigned(&handoff));
        assert!(task.contains(" doubt=\"it denies  something \">\nplan: free; queues: three"), "{task}");
        assert!(task.contains("<sentence>\nWidget has joins."), "{task}");
    }

    #[test]
    fn a_heading_that_code_doubts_is_judged_once_by_the_quotes_of_what_stands_below_it() {
        let said = |text: &str| Sentence { text: text.into(), cites: vec![finding().id] };
        let sentences = vec![said("Widget has joins."), said("In Widget there are joins.")];
        let mut handoff = (*handoff(vec![Piece::Paragraph { sentences }])).clone();
        let doubt = Issue { sentence: Some("Widget".into()), ..Issue::new(Concern::Cited, "it states", None, vec![]) };
        handoff.payload.verdicts = Some(vec![Verdict { issues: vec![doubt.in_doubt()], checks: vec![] }]);
        let handoff = Arc::new(handoff);
        let assigned = crate::sample::assigned(&handoff);
        let task = Reviewer.task(&assigned);
        let label = "Sentence 3:\n<sentence doubt=\"it states\">\nWidget\n</sentence>\nquotes: 1\n";
        assert!(task.contains(label) && !task.contains("Sentence 4:"), "{task}");
        let row = json!({ "sentence": 3, "supported": "no", "clear": "yes", "why": "it is no widget" });
        let report = Report::Json(json!({ "judged": 3, "judgements": [row], "missing": [] }));
        let made = Reviewer.read(&report, &assigned, &Transcript::new(handoff.clone())).unwrap();
        assert_eq!(made.payload.verdicts()[0].issues[0].sentence.as_deref(), Some("Widget"));
    }

    /// What comes of an assignment that carries this.
    fn with<T>(payload: Payload, of: impl Fn(Assigned<'_>) -> T) -> T {
        let handoff = crate::sample::handoff(payload);
        of(crate::sample::assigned(&handoff))
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
        let texts = [("It may step.", 0), ("Any step is allowed.", 1), ("There is no RTC.", 2), ("In my words.", 0)];
        let mut payload = draft_on(&findings, &texts);
        payload.draft.as_mut().unwrap().yours = vec!["In my words.".into()];
        let task = with(payload, |assigned| Reviewer.task(&assigned));
        let of_person = |text: &str| fenced(Element::Quote, "by=\"the person\"", text);
        let of_source = |text: &str| task.matches(&format!(": Clocks\">\n{text}\n</quote>")).count();
        assert!(!task.contains("In my words.") && of_source("") == 0, "{task}");
        assert_eq!(task.matches("<quote").count(), 4, "{task}");
        assert_eq!((of_source("It steps."), of_source("A negative value disables the limit.")), (1, 1), "{task}");
        for said in ["A negative limit allows any step.", "Our servers have no RTC."] {
            assert!(task.contains(&of_person(said)), "{task}");
        }
    }

    #[test]
    fn what_is_missing_goes_to_the_writer_if_it_is_asked_for_and_not_under_the_gaps() {
        let findings = [crate::sample::finding(1, "pgvector", "It filters late.")];
        let missed = |topic: &str, gap: Option<&str>| {
            let mut payload = draft_on(&findings, &[("pgvector filters late.", 0)]);
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
    fn a_sentence_without_a_row_is_right_if_the_reviewer_says_that_it_judged_it() {
        let row = |n: u32, supported: &str| json!({ "sentence": n, "supported": supported, "clear": "yes", "why": "" });
        let report = |judged: Value, rows: Vec<Value>| json!({ "judged": judged, "judgements": rows, "missing": [] });
        for judged_up_to in [json!(2), json!(7)] {
            let made = made(&report(judged_up_to, vec![])).unwrap();
            assert!(made.lacks.is_none() && made.payload.verdicts.unwrap()[0].passes());
        }
        let verdict = judged(&report(json!(2), vec![row(2, "no")])).unwrap();
        assert_eq!((verdict.issues.len(), verdict.issues[0].concern), (1, Concern::Support));
        for lacking in [report(json!(1), vec![]), report(json!(2), vec![row(2, "perhaps")])] {
            let lacks = made(&lacking).unwrap().lacks.unwrap();
            assert!(lacks.what.contains("sentence 2"), "{lacks}");
        }
        let said = made(&report(json!(1), vec![])).unwrap().lacks.unwrap();
        assert!(said.what.starts_with("`judged` says 1, and there are 2 sentences"), "{said}");
        let perhaps = made(&report(json!(2), vec![row(2, "perhaps")])).unwrap().lacks.unwrap();
        assert!(!perhaps.what.contains("says"), "all were judged, and one row is no answer: {perhaps}");
        for none in [json!(0), json!(-1), json!("two"), Value::Null] {
            assert!(judged(&report(none.clone(), vec![])).is_err(), "{none}");
        }
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
