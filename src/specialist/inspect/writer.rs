//! Writer of reports: problems, the gravest first; the files inspected; the questions left open.

use std::collections::BTreeMap;

use crate::{Assigned, Specialist, Step};
use run::brief::{Draft, Piece, Section, Sentence};
use run::finding::{Finding, FindingKind};
use run::transcript::Transcript;
use run::verdict::{Concern, Issue};
use text::Clean;

/// The note under the title of every report.
const NOTE: &str = "By rule: each statement was counted by the program over the whole file, and rests on a line of it.";

pub(super) struct Writer;

impl Specialist for Writer {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let handoff = assigned.handoff;
        let (Some(question), Some(words)) = (handoff.payload.question.as_ref(), handoff.payload.length) else {
            return Step::failed("the handoff lacks the question or the length");
        };
        let issues: Vec<&Issue> = assigned.issues().collect();
        let mut findings: Vec<&Finding> =
            handoff.payload.findings().iter().filter(|finding| finding.usable()).collect();
        findings.retain(|finding| !issues.iter().any(|issue| issue.findings.contains(&finding.id)));
        let too_long = issues.iter().any(|issue| issue.concern == Concern::Length);
        let words = if too_long { words * 3 / 4 } else { words };
        let mut draft = report(question, &findings, words, handoff.payload.shortfalls());
        // It says which files were chosen, and how many were not.
        let chosen = handoff.payload.plan.as_ref().filter(|plan| !plan.why.is_empty());
        draft.notes.extend(chosen.map(|plan| Clean::line(&format!("Files: {}.", plan.why.trim_end_matches('.')))));
        Step::drafted(draft)
    }
}

fn report(question: &Clean, findings: &[&Finding], words: u32, shortfalls: &[Clean]) -> Draft {
    // Problems come before everything that is fine.
    let (mut wrong, sound): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|f| f.kind != FindingKind::Fact);
    wrong.sort_by_key(|finding| (-finding.score, finding.id));
    let mut room = words as usize;
    let mut fits = |finding: &&&Finding| {
        let long = finding.claim.split_whitespace().count();
        let fits = long <= room;
        room -= if fits { long } else { 0 };
        fits
    };
    let problems: Vec<&Finding> = wrong.iter().filter(&mut fits).copied().collect();
    let whole: Vec<&Finding> = sound.iter().filter(&mut fits).copied().collect();
    let left_out = wrong.len() - problems.len();
    let mut sections = Vec::new();
    sections.extend(section("What is wrong, the gravest first", by_file(&problems)));
    sections.extend(section("What was looked at", vec![(None, whole)]));
    let mut gaps: Vec<Clean> = shortfalls.to_vec();
    if left_out > 0 {
        let things = if left_out == 1 {
            "1 thing that is wrong is".into()
        } else {
            format!("{left_out} things that are wrong are")
        };
        gaps.push(format!("{things} left out for want of room: --words sets another length.").into());
    }
    if wrong.is_empty() {
        gaps.push(
            "Nothing wrong was counted in what was looked at; what a rule cannot count was not looked for.".into(),
        );
    }
    Draft { title: question.clone(), notes: vec![NOTE.into()], sections, gaps, ..Draft::default() }
}

/// The findings by file, the file with the gravest one first.
fn by_file<'f>(findings: &[&'f Finding]) -> Vec<(Option<Clean>, Vec<&'f Finding>)> {
    let mut order: Vec<&Clean> = Vec::new();
    let mut files: BTreeMap<&Clean, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let file = files.entry(&finding.subtopic).or_insert_with(|| {
            order.push(&finding.subtopic);
            Vec::new()
        });
        file.push(finding);
    }
    order.into_iter().filter_map(|name| Some((Some(name.clone()), files.remove(name)?))).collect()
}

fn section(heading: &str, lists: Vec<(Option<Clean>, Vec<&Finding>)>) -> Option<Section> {
    let sentence = |finding: &Finding| Sentence { text: finding.claim.clone(), cites: vec![finding.id] };
    let list = |(label, findings): (Option<Clean>, Vec<&Finding>)| Piece::List {
        label,
        first: None,
        items: findings.into_iter().map(|finding| sentence(finding).into()).collect(),
    };
    let pieces: Vec<Piece> = lists.into_iter().filter(|(_, findings)| !findings.is_empty()).map(list).collect();
    (!pieces.is_empty()).then(|| Section { heading: heading.into(), pieces })
}
