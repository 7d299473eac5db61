//! The built-in gates: checks of a draft in code, with a veto. They trust neither the writer nor the researchers.

use std::collections::{BTreeMap, BTreeSet};

use super::label::{Stating, named_in, unfounded};
use super::missing::{is_found, is_in_a_shortfall};
use super::paraphrase::{
    Objection, names_of, objection, objection_to_cell, objection_to_comparison, other_language_than, unknown,
};
use super::subject::Quoted;
use super::terms::{has_term, unknown_term};
use super::{subtopics, support};
use crate::{Assigned, Specialist, Step};
use run::brief::{Draft, Sentence, Wording};
use run::coverage::Coverage;
use run::finding::{Finding, WordsOf};
use run::handoff::{Passage, Payload};
use run::id::FindingId;
use run::transcript::Transcript;
use run::verdict::{Check, Concern, Issue, Verdict};
use text::Clean;

/// The gates, with the checks to run.
pub(super) struct Gates<'a>(pub &'a [Concern]);

pub(super) const ALL: &[Concern] = &[
    Concern::Citations,
    Concern::Quotes,
    Concern::Cited,
    Concern::Support,
    Concern::NumbersAndNames,
    Concern::Length,
    Concern::Coverage,
];

impl Specialist for Gates<'_> {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let handoff = assigned.handoff;
        let (Some(draft), Some(words)) = (handoff.payload.draft.as_ref(), handoff.payload.length) else {
            return Step::failed("the handoff lacks the draft or the length");
        };
        let (findings, passages) = (handoff.payload.findings(), handoff.payload.passages());
        let (things, named) = (handoff.payload.things(), named_in(&handoff.payload));
        let question = handoff.payload.question.as_deref().unwrap_or_default();
        let mut bench = Bench::new(draft, findings, passages, things, (question, named));
        bench.judge(self.0, words as usize);
        let mut verdict = bench.in_order();
        if self.0.contains(&Concern::Coverage) {
            no_gap_was_found(draft, &handoff.payload, &mut verdict);
            whole(draft, &handoff.payload, &mut verdict);
            subtopics::cited(draft, &handoff.payload, &mut verdict);
        }
        Step::judged(verdict)
    }
}

/// A draft must be shortened if it is longer than this multiple of the requested length.
const TOO_LONG: f64 = 1.25;

/// Checks that no gap says something is missing that a finding states.
fn no_gap_was_found(draft: &Draft, payload: &Payload, verdict: &mut Verdict) {
    for gap in draft.gaps.iter().filter(|gap| !payload.shortfalls().contains(gap)) {
        let mut usable = payload.findings().iter().filter(|finding| finding.usable());
        let Some(finding) = usable.find(|finding| is_found(gap, finding, payload.things())) else { continue };
        let what = format!("the gaps say “{gap}”, but a finding says “{}”", finding.claim);
        verdict.issues.push(Issue::new(Concern::Coverage, what, None, vec![finding.id]));
    }
}

/// Checks that each thing that the question names has a cited sentence or a line under the gaps, and that no gap claims
/// more than was searched for.
fn whole(draft: &Draft, payload: &Payload, verdict: &mut Verdict) {
    let Some(named) = payload.named.as_ref().filter(|named| !named.is_empty()) else { return };
    let coverage = Coverage::of(named, payload.plan.as_ref());
    let usable = || payload.findings().iter().filter(|finding| finding.usable());
    let mut open = coverage.unanswered(draft, usable());
    open.retain(|point| !payload.withheld().contains(point));
    let subjects = coverage.reads(usable());
    for point in &open {
        let own: Vec<FindingId> = coverage.about(point, &subjects).iter().map(|finding| finding.id).collect();
        let what = match own.is_empty() {
            true => format!("{point} is asked for: nothing is cited on it, and the gaps do not say that it is missing"),
            false => format!("{point} is asked for and there are findings on it, but none is cited"),
        };
        verdict.issues.push(Issue::new(Concern::Coverage, what, None, own));
    }
    let without_gaps = Draft { gaps: vec![], ..draft.clone() };
    let unanswered = coverage.unanswered(&without_gaps, usable());
    for gap in draft.gaps.iter().filter(|gap| !is_in_a_shortfall(gap, payload.shortfalls())) {
        let missing = coverage.named_in(gap).into_iter().filter(|point| unanswered.contains(point));
        for point in missing.into_iter().filter(|point| !payload.searched().contains(point)) {
            let what = format!("the gaps say that {point} is missing, but it was never searched for by its own name");
            verdict.issues.push(Issue::new(Concern::Coverage, what, None, vec![]));
        }
    }
    let all = coverage.points().count();
    let what = "points that the question names are cited or under the gaps";
    verdict.checks.push(Check::counted(Concern::Coverage, all - open.len(), all, what));
}

struct Bench<'a> {
    draft: &'a Draft,
    findings: &'a [Finding],
    passages: &'a [Passage],
    /// The things that the question names.
    things: &'a [Clean],
    question: &'a str,
    /// What the question, the plan and the sources' own headings name.
    named: String,
    /// The names that the findings have.
    names: BTreeSet<String>,
    verdict: Verdict,
    /// Whether it is in another language than its quotes.
    is_foreign: bool,
    /// The place of each issue in the draft.
    places: Vec<usize>,
    /// The counts for the checks.
    counts: BTreeMap<Concern, Counted>,
}

/// Of all items of a check, how many hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Items that hold.
    pub good: usize,
    /// All items.
    pub all: usize,
}

/// The numbers of a draft's resolved citations, verbatim quotes and supported claims, for any gates of its team; `things` are the
/// names in its question.
pub fn measured(
    draft: &Draft,
    findings: &[Finding],
    passages: &[Passage],
    things: &[Clean],
) -> BTreeMap<Concern, Counted> {
    // What may be named counts for labels alone, which none of these looks at.
    let asked = things.iter().map(Clean::as_str).collect::<Vec<_>>().join(" ");
    let mut bench = Bench::new(draft, findings, passages, things, (asked.as_str(), String::new()));
    bench.judge(&[Concern::Citations, Concern::Quotes, Concern::Support], draft.words());
    bench.counts
}

impl<'a> Bench<'a> {
    fn new(
        draft: &'a Draft,
        findings: &'a [Finding],
        passages: &'a [Passage],
        things: &'a [Clean],
        (question, named): (&'a str, String),
    ) -> Bench<'a> {
        let told = findings.iter().flat_map(|finding| [&finding.claim, &finding.quote]);
        let names = names_of(told.chain(things).map(|text| text.as_str()));
        let (verdict, is_foreign, places, counts) = Default::default();
        Bench { draft, findings, passages, things, question, named, names, verdict, is_foreign, places, counts }
    }

    /// Checks these concerns of a draft with a requested length in words.
    fn judge(&mut self, concerns: &[Concern], asked: usize) {
        let compares = |concern: &&Concern| matches!(concern, Concern::Support | Concern::NumbersAndNames);
        if let (Some(what), Some(concern)) = (self.other_language(), concerns.iter().find(compares)) {
            self.issue(*concern, what, None, vec![]);
            self.is_foreign = true;
        }
        for concern in concerns {
            match concern {
                Concern::Support | Concern::NumbersAndNames if self.is_foreign => {
                    self.check(
                        *concern,
                        0,
                        self.draft.sentences().count(),
                        "statements are in the language of their quotes",
                    );
                }
                Concern::Citations => self.citations(),
                Concern::Quotes => self.quotes(),
                Concern::Cited => self.cited(),
                Concern::Support => self.support(),
                Concern::NumbersAndNames => self.numbers_and_names(),
                Concern::Length => self.length(asked),
                // The reviewer and custom gates check these; coverage is checked against the question.
                Concern::Coverage | Concern::Relevance | Concern::Clarity => {}
                Concern::Style | Concern::House | Concern::Person => {}
            }
        }
    }

    /// Says that a draft in a writer's own words is, as a whole, in another language than its quotes.
    fn other_language(&self) -> Option<String> {
        let join = |texts: Vec<&str>| texts.join(" ");
        let said = join(self.used().iter().map(|finding| finding.quote.as_str()).collect());
        let stated = join(self.draft.sentences().map(|sentence| sentence.text.as_str()).collect());
        other_language_than(&stated, &said).filter(|_| self.draft.wording == Wording::Reworded)
    }

    fn finding(&self, id: FindingId) -> Option<&'a Finding> {
        self.findings.iter().find(|finding| finding.id == id)
    }

    /// The findings that the draft cites, each once.
    fn used(&self) -> Vec<&'a Finding> {
        let ids: BTreeSet<FindingId> = self.draft.cited().collect();
        ids.into_iter().filter_map(|id| self.finding(id)).collect()
    }

    fn issue(&mut self, concern: Concern, what: String, sentence: Option<&Sentence>, findings: Vec<FindingId>) {
        let is_it = |of: &Sentence| sentence.is_some_and(|sentence| std::ptr::eq(of, sentence));
        self.places.push(self.draft.sentences().position(is_it).unwrap_or(usize::MAX));
        self.verdict.issues.push(Issue::new(concern, what, sentence, findings));
    }

    /// Reports an objection of code to a sentence.
    fn objects(&mut self, objection: Objection, sentence: &Sentence, findings: Vec<FindingId>) {
        self.issue(Concern::Support, objection.what, Some(sentence), findings);
        if objection.is_doubt
            && let Some(issue) = self.verdict.issues.pop()
        {
            self.verdict.issues.push(issue.in_doubt());
        }
    }

    /// The verdict with one issue for each sentence, in the order of the draft: its first that is certain, or else its first doubt.
    /// Issues with the whole draft are last.
    fn in_order(mut self) -> Verdict {
        let mut issues: Vec<(usize, Issue)> = self.places.into_iter().zip(self.verdict.issues).collect();
        issues.sort_by_key(|(at, issue)| (*at, issue.doubt));
        let mut told: BTreeSet<(usize, Clean)> = BTreeSet::new();
        issues.retain(|(at, issue)| issue.sentence.clone().is_none_or(|sentence| told.insert((*at, sentence))));
        self.verdict.issues = issues.into_iter().map(|(_, issue)| issue).collect();
        self.verdict
    }

    fn check(&mut self, concern: Concern, good: usize, all: usize, what: &str) {
        self.counts.insert(concern, Counted { good, all });
        self.verdict.checks.push(Check::counted(concern, good, all, what));
    }

    fn citations(&mut self) {
        let (mut good, mut all) = (0, 0);
        for sentence in self.draft.sentences() {
            for id in &sentence.cites {
                all += 1;
                let wrong = match self.finding(*id) {
                    Some(finding) if !finding.usable() => "was taken out or has no quote",
                    Some(finding) if finding.place.is_some() || finding.words_of == WordsOf::Person => {
                        good += 1;
                        continue;
                    }
                    _ => "leads to no source",
                };
                let what = match *id {
                    FindingId::NOWHERE => "cites a number that no finding has".to_owned(),
                    id => format!("cites {id}, which {wrong}"),
                };
                self.issue(Concern::Citations, what, Some(sentence), vec![*id]);
            }
        }
        self.check(Concern::Citations, good, all, "citations resolve");
    }

    fn quotes(&mut self) {
        let used = self.used();
        let mut good = 0;
        for finding in &used {
            match support::quoted(finding, self.passages) {
                Ok(()) => good += 1,
                Err(why) => self.issue(Concern::Quotes, why, None, vec![finding.id]),
            }
        }
        self.check(Concern::Quotes, good, used.len(), "quotes found to the letter");
    }

    fn cited(&mut self) {
        let (mut good, mut all) = (0, 0);
        for sentence in self.draft.sentences() {
            all += 1;
            if sentence.cites.is_empty() {
                let what = "a statement without a citation: end it with the number of its finding, as in [2]";
                self.issue(Concern::Cited, what.into(), Some(sentence), vec![]);
            } else {
                good += 1;
            }
        }
        all += self.labels();
        self.check(Concern::Cited, good, all, "statements cited");
    }

    /// Reports titles, headings and names in tables of a writer's own that state what no quote of the draft says; how many do for certain.
    fn labels(&mut self) -> usize {
        if self.draft.wording == Wording::Quoted || self.is_foreign {
            return 0;
        }
        let mut stating = 0;
        let quoted: Vec<Quoted> = self.draft.sentences().flat_map(|sentence| self.quoted(sentence)).collect();
        for (label, below) in self.draft.labels() {
            let Some(Stating { word, is_doubt }) = unfounded(label, &self.named, &quoted, self.things) else {
                continue;
            };
            stating += usize::from(!is_doubt);
            let what = format!("a heading or a name in a table states something (“{word}”) that no quote says");
            self.issue(Concern::Cited, what, below.first().copied(), vec![]);
            if let Some(issue) = self.verdict.issues.pop() {
                let issue = Issue { sentence: Some(label.clone()), ..issue };
                self.verdict.issues.push(if is_doubt { issue.in_doubt() } else { issue });
            }
        }
        stating
    }

    fn support(&mut self) {
        let (mut good, mut all, mut own) = (0, 0, 0);
        for sentence in self.draft.sentences() {
            for id in &sentence.cites {
                let Some(finding) = self.finding(*id) else { continue };
                all += 1;
                own += usize::from(finding.words_of.is_of_person());
                let stated = self.draft.wording == Wording::Reworded
                    || states(sentence, finding)
                    || self.draft.is_yours(sentence);
                match support::strict(finding, self.passages, self.things, self.question) {
                    Ok(()) if stated => good += 1,
                    Ok(()) => self.issue(
                        Concern::Support,
                        format!("the sentence is not the claim of {}, which it cites", finding.id),
                        Some(sentence),
                        vec![finding.id],
                    ),
                    Err(why) => self.objects(why, sentence, vec![finding.id]),
                }
            }
        }
        if self.draft.wording == Wording::Reworded {
            return self.reworded();
        }
        let by_person =
            if own == 0 { String::new() } else { format!(" ({own} in the person's own words, not checked)") };
        self.check(Concern::Support, good, all, &format!("claims are their quotes after logged edits{by_person}"));
    }

    /// Checks that sentences in the writer's own words say no more than their quotes, as far as code can tell.
    fn reworded(&mut self) {
        let (mut good, mut all, mut doubted) = (0, 0, 0);
        for sentence in self.cited_sentences() {
            if self.draft.is_yours(sentence) {
                continue;
            }
            all += 1;
            let quoted = self.quoted(sentence);
            let compares = self.draft.disagreements.iter().any(|one| std::ptr::eq(one, sentence));
            let objection = match self.draft.cell(sentence) {
                Some((name, column)) => objection_to_cell((name, column), &sentence.text, &quoted, self.things),
                None if compares => objection_to_comparison(&sentence.text, &quoted, self.things),
                None => objection(&sentence.text, &quoted, self.things),
            };
            let objection = objection.or_else(|| self.objection_to_terms(sentence, &quoted));
            let Some(objection) = objection else {
                good += 1;
                continue;
            };
            doubted += usize::from(objection.is_doubt);
            self.objects(objection, sentence, sentence.cites.clone());
        }
        let in_doubt = if doubted == 0 { String::new() } else { format!(" ({doubted} in doubt by their words)") };
        let what = format!("reworded statements say no more than their quotes{in_doubt}");
        self.check(Concern::Support, good, all, &what);
        if let Some(check) = self.verdict.checks.last_mut() {
            check.holds = good + doubted == all;
        }
    }

    /// What speaks against a command, an option or another term of program text that none of a sentence's quotes has: where another finding
    /// has it, the sentence may only lack a citation.
    fn objection_to_terms(&self, sentence: &Sentence, quoted: &[Quoted]) -> Option<Objection> {
        let is_code = self.draft.is_code(sentence);
        let term = unknown_term(&sentence.text, is_code, quoted, self.things)?;
        let has_it =
            |finding: &&Finding| finding.usable() && has_term(&format!("{} {}", finding.said(), finding.claim), term);
        Some(match self.findings.iter().find(has_it) {
            None => Objection::certain(format!("“{term}” stands in none of the quotes")),
            Some(other) => {
                Objection::doubt(format!("“{term}” stands in none of its quotes, only in “{}”", other.claim))
            }
        })
    }

    /// The sentences that cite findings: of the others that is told, and nothing else.
    fn cited_sentences(&self) -> Vec<&'a Sentence> {
        let is_cited = |sentence: &&Sentence| sentence.cites.iter().any(|id| self.finding(*id).is_some());
        self.draft.sentences().filter(is_cited).collect()
    }

    /// The quotes of a sentence, each with its context.
    fn quoted(&self, sentence: &Sentence) -> Vec<Quoted> {
        let cited = sentence.cites.iter().filter_map(|id| self.finding(*id));
        let quoted = |finding: &Finding| {
            let passage = support::passage_of(finding, self.passages);
            let mut quoted =
                Quoted::new(&finding.quote, finding.place.as_ref(), passage.map(|passage| &*passage.block))
                    .announcing(&finding.announced)
                    .answering(self.question, self.things);
            if finding.words_of.is_more_than_its_quote() {
                quoted.said = format!("{} {}", quoted.said, finding.claim);
            }
            finding.also_at.iter().for_each(|place| quoted.stands_at(place));
            finding.conflicts.iter().for_each(|conflict| quoted.stands_below(&conflict.reason));
            quoted
        };
        cited.map(quoted).collect()
    }

    /// Checks that every number and name of a sentence is in its quotes, headings or titles.
    fn numbers_and_names(&mut self) {
        let (mut good, mut all) = (0, 0);
        for sentence in self.cited_sentences() {
            all += 1;
            let mut cited = sentence.cites.iter().filter_map(|id| self.finding(*id));
            if self.draft.is_yours(sentence) || cited.any(|finding| finding.words_of.is_of_person()) {
                good += 1;
                continue;
            }
            match unknown(&sentence.text, &self.quoted(sentence), &self.names) {
                None => good += 1,
                Some(what) => {
                    let what = format!("“{what}” stands in none of the quotes");
                    self.issue(Concern::NumbersAndNames, what, Some(sentence), sentence.cites.clone());
                }
            }
        }
        self.check(Concern::NumbersAndNames, good, all, "statements have no number or name of their own");
    }

    fn length(&mut self, asked: usize) {
        let words = self.draft.words();
        let holds = words as f64 <= asked as f64 * TOO_LONG;
        if !holds {
            self.issue(Concern::Length, format!("{words} words where about {asked} were asked for"), None, vec![]);
        }
        self.verdict.checks.push(Check {
            concern: Concern::Length,
            result: format!("{words} words of about {asked}").into(),
            holds,
        });
    }
}

/// Whether a sentence states a finding verbatim: its claim, its quote in a table cell, or both sides of a disagreement.
fn states(sentence: &Sentence, finding: &Finding) -> bool {
    let text = sentence.text.as_str();
    text == finding.claim.as_str()
        || (finding.words_of == WordsOf::Source && text == finding.quote.as_str())
        || (sentence.cites.len() > 1 && text.contains(finding.claim.as_str()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sample::{block, finding, source};
    use run::brief::{Piece, Section};
    use run::finding::Standing;

    const SAID: &str = "Qdrant stores points in collections of 3 shards.";

    fn verdict(change: impl Fn(&mut Draft, &mut Finding), asked: usize) -> Verdict {
        let mut found = finding(0, "Qdrant", SAID);
        let sentence = Sentence { text: SAID.into(), cites: vec![found.id] };
        let pieces = vec![Piece::Paragraph { sentences: vec![sentence] }];
        let mut draft = Draft { sections: vec![Section { heading: "Qdrant".into(), pieces }], ..Draft::default() };
        change(&mut draft, &mut found);
        let passages = [Passage { source: source("Qdrant"), block: Arc::new(block(SAID)) }];
        let (findings, things) = ([found], [Clean::from("Pinecone")]);
        let mut bench = Bench::new(&draft, &findings, &passages, &things, ("", "What is Qdrant?".into()));
        bench.judge(ALL, asked);
        bench.verdict
    }

    fn only(draft: &mut Draft) -> &mut Sentence {
        let Piece::Paragraph { sentences } = &mut draft.sections[0].pieces[0] else { unreachable!("made above") };
        &mut sentences[0]
    }

    #[test]
    fn each_gate_has_its_veto() {
        assert!(verdict(|_, _| {}, 100).passes());
        type Change = fn(&mut Draft, &mut Finding);
        let cases: [(Concern, Change, usize); 7] = [
            (Concern::Citations, |draft, _| only(draft).cites = vec!["f0.9/9".parse().unwrap()], 100),
            (Concern::Citations, |_, found| found.standing = Standing::Dropped, 100),
            (Concern::Quotes, |_, found| found.quote = "Qdrant stores points in collections of 4 shards.".into(), 100),
            (Concern::Cited, |draft, _| only(draft).cites.clear(), 100),
            (Concern::Support, |draft, _| only(draft).text = "Qdrant stores no points in collections.".into(), 100),
            (Concern::NumbersAndNames, |draft, _| only(draft).text = "Qdrant stores points in 4 shards.".into(), 100),
            (Concern::Length, |_, _| {}, 4),
        ];
        for (concern, change, asked) in cases {
            let verdict = verdict(change, asked);
            assert!(!verdict.passes(), "{concern}");
            let failed = verdict.checks.iter().find(|check| check.concern == concern).unwrap();
            assert!(
                !failed.holds && verdict.issues.iter().any(|issue| issue.concern == concern),
                "{concern}: {failed:?}"
            );
        }
    }

    #[test]
    fn a_heading_title_or_name_in_a_table_that_states_something_is_an_uncited_statement() {
        fn table(draft: &mut Draft) -> (&mut Vec<Clean>, &mut Vec<(Clean, Vec<Sentence>)>) {
            let sentence = only(draft).clone();
            let rows = vec![("Shards".into(), vec![sentence])];
            draft.sections[0].pieces =
                vec![Piece::Table { label: None, header: vec!["Aspect".into(), "Qdrant".into()], rows }];
            let Piece::Table { header, rows, .. } = &mut draft.sections[0].pieces[0] else {
                unreachable!("made above")
            };
            (header, rows)
        }
        type Change = fn(&mut Draft);
        let cases: [(Change, &str); 5] = [
            (|draft| draft.title = "Qdrant beats pgvector".into(), "Qdrant beats pgvector"),
            (|draft| draft.sections[0].heading = "Qdrant is fastest".into(), "Qdrant is fastest"),
            (|draft| table(draft).0[1] = "Qdrant, the best".into(), "Qdrant, the best"),
            (|draft| table(draft).1[0].0 = "Limit: 2,000 dims".into(), "Limit: 2,000 dims"),
            (|draft| table(draft).1[0].0 = "Points".into(), ""),
        ];
        for (change, label) in cases {
            let verdict = verdict(
                |draft, _| {
                    draft.wording = Wording::Reworded;
                    change(draft);
                },
                100,
            );
            let labels: Vec<&str> = verdict.issues.iter().filter_map(|issue| issue.sentence.as_deref()).collect();
            assert_eq!(labels, if label.is_empty() { vec![] } else { vec![label] });
            let cited = verdict.checks.iter().find(|check| check.concern == Concern::Cited).unwrap();
            let is_doubt = label == "Qdrant beats pgvector";
            assert_eq!(
                (cited.holds, verdict.passes()),
                (label.is_empty() || is_doubt, label.is_empty() || is_doubt),
                "{cited:?}"
            );
        }
    }

    /// The verdict on sentences of a writer's own, each with whether it cites the finding.
    fn told(said: &str, sentences: &[(&str, bool)]) -> Verdict {
        let found = finding(0, "Qdrant", said);
        let sentence = |(text, cites): &(&str, bool)| {
            let cites = if *cites { vec![found.id] } else { vec![] };
            Sentence { text: (*text).into(), cites }
        };
        let pieces = vec![Piece::Paragraph { sentences: sentences.iter().map(sentence).collect() }];
        let sections = vec![Section { heading: "Qdrant".into(), pieces }];
        let draft = Draft { sections, wording: Wording::Reworded, ..Draft::default() };
        let passages = [Passage { source: source("Qdrant"), block: Arc::new(block(said)) }];
        let findings = [found];
        let mut bench = Bench::new(&draft, &findings, &passages, &[], ("", "What is Qdrant?".into()));
        bench.judge(ALL, 100);
        bench.in_order()
    }

    #[test]
    fn each_sentence_has_one_issue_in_the_order_of_the_draft() {
        let verdict = told(
            SAID,
            &[
                ("Qdrant stores points in 4 shards of Redis.", true),
                ("Collections of Qdrant have 3 shards.", true),
                ("Qdrant is owned by 7 people of Berlin.", false),
                ("Points do not stand in collections.", true),
            ],
        );
        let issues: Vec<(Concern, &str)> =
            verdict.issues.iter().map(|issue| (issue.concern, issue.sentence.as_deref().unwrap_or_default())).collect();
        let wanted = [
            (Concern::Support, "Qdrant stores points in 4 shards of Redis."),
            (Concern::Cited, "Qdrant is owned by 7 people of Berlin."),
            (Concern::Support, "Points do not stand in collections."),
        ];
        assert_eq!(issues, wanted);
    }

    #[test]
    fn a_doubt_does_not_send_a_draft_back_is_counted_apart_and_gives_way_to_what_is_certain() {
        let doubted = ("Points do not stand in collections.", true);
        let verdict = told(SAID, &[("Collections of Qdrant have 3 shards.", true), doubted]);
        assert!(verdict.passes() && verdict.doubts().count() == 1, "{verdict:?}");
        assert_eq!(verdict.to_string(), "PASS, 1 doubt");
        let support = verdict.checks.iter().find(|check| check.concern == Concern::Support).unwrap();
        assert!(support.holds && support.result.starts_with("1 of 2 "), "{support:?}");
        assert!(support.result.contains("(1 in doubt by their words)"), "{support:?}");
        let verdict = told(SAID, &[("Points do not stand in 4 collections of Redis.", true), doubted]);
        assert_eq!(verdict.to_string(), "REVISE: 1 issue, 1 doubt");
    }

    #[test]
    fn an_option_that_no_quote_has_is_an_issue_and_one_of_another_finding_a_doubt() {
        let [first, other] = ["Qdrant is started with `qdrant --config-path file`.", "Set `--read-only` to lock it."];
        let findings = [finding(0, "Qdrant", first), finding(1, "Qdrant", other)];
        let told = |text: &str| {
            let sentence = Sentence { text: text.into(), cites: vec![findings[0].id] };
            let pieces = vec![Piece::Paragraph { sentences: vec![sentence] }];
            let sections = vec![Section { heading: "Qdrant".into(), pieces }];
            let draft = Draft { sections, wording: Wording::Reworded, ..Draft::default() };
            let passages =
                [first, other].map(|said| Passage { source: source("Qdrant"), block: Arc::new(block(said)) });
            let mut bench = Bench::new(&draft, &findings, &passages[..1], &[], ("", String::new()));
            bench.judge(&[Concern::Support], 100);
            bench.in_order().to_string()
        };
        assert_eq!(told("Qdrant is started with `qdrant --config-path file`."), "PASS");
        assert_eq!(told("Qdrant is started with `--force`."), "REVISE: 1 issue");
        assert_eq!(told("Qdrant is started with `--read-only`."), "PASS, 1 doubt");
    }

    #[test]
    fn a_disagreement_may_tell_the_figures_of_both_sides() {
        let [gc, manual] =
            ["Reflog entries stay 90 days by default.", "Reflog entries of users stay for 30 days by default."];
        let findings = [finding(0, "git gc", gc), finding(1, "User manual", manual)];
        let sentence = Sentence {
            text:
                "One page says that reflog entries stay 90 days by default, another that those of users stay 30 days."
                    .into(),
            cites: findings.iter().map(|finding| finding.id).collect(),
        };
        let passages = [("git gc", gc, 0), ("User manual", manual, 1)].map(|(title, said, no)| Passage {
            source: source(title),
            block: Arc::new(run::evidence::Block { no, ..block(said) }),
        });
        let draft = Draft { disagreements: vec![sentence], wording: Wording::Reworded, ..Draft::default() };
        let mut bench = Bench::new(&draft, &findings, &passages, &[], ("", String::new()));
        bench.judge(&[Concern::Support], 100);
        assert!(bench.in_order().passes());
    }

    #[test]
    fn a_draft_in_another_language_than_its_quotes_has_one_issue() {
        let said = "A queue holds at most 50,000 jobs, and it keeps them for 14 days after they have failed.";
        let german = [
            ("Eine Warteschlange fasst höchstens 50.000 Jobs.", true),
            ("Sie bleiben nach dem letzten Fehler noch 14 Tage in der Warteschlange.", true),
        ];
        let verdict = told(said, &german);
        let what: Vec<&str> = verdict.issues.iter().map(|issue| issue.what.as_str()).collect();
        assert_eq!(what, ["it is in German, and its quotes are in English: write it in English"]);
        let mixed =
            [("A queue holds at most 50,000 jobs.", true), ("Sie bleiben noch 14 Tage in der Warteschlange.", true)];
        let verdict = told(said, &mixed);
        assert_eq!(verdict.issues.len(), 1);
        assert!(verdict.issues[0].what.contains("is in German"), "{verdict:?}");
    }

    #[test]
    fn words_of_the_person_pass_and_are_reported() {
        let edit = |draft: &mut Draft, found: &mut Finding| {
            found.words_of = WordsOf::PersonEdited;
            found.claim = "It has 99 lives.".into();
            only(draft).text = "It has 99 lives.".into();
        };
        let verdict = verdict(edit, 100);
        assert!(verdict.passes(), "{:?}", verdict.issues);
        assert!(verdict.checks.iter().any(|check| check.result.contains("1 in the person's own words")));
    }
}
