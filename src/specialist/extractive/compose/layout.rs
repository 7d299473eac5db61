//! Lays out findings: in sections by the question and by the sources, in paragraphs, lists and program text. It never chooses them.

use std::collections::BTreeMap;

use super::Commission;
use crate::extractive::headings::{bare, is_furniture};
use crate::extractive::kind::is_a;
use crate::extractive::kinds::Kinds;
use crate::extractive::pros_and_cons::side_of;
use crate::extractive::sought::{asks_for_a_limit, gives_a_limit};
use crate::numbers::date_key;
use crate::words::WORDS;
use run::brief::{Piece, Section, Sentence};
use run::finding::{EditRule, Finding, FindingKind, WordsOf};
use run::id::FindingId;
use run::plan::Shape;
use text::Clean;
use text::listed::title_of;
use text::words::{fold, words};

/// A section with more sentences is parted by the headings of the sources, after this many of the best.
const LONG: usize = 9;
const FIRST: usize = 6;
/// The finding that goes first is one of this many of the best.
const BEST: usize = 12;
/// A paragraph of this many sentences ends before one of another section of the sources.
const LEAST_OF_PARAGRAPH: usize = 3;
/// The number of outer headings above a finding that are parts of its document; those below hold a few sentences.
const PARTS: usize = 2;
/// The heading of the first section where the only task has the title of the brief.
const ANSWER: &str = "What the sources say";

impl Commission<'_> {
    /// Lays out the findings of one task: the best answers, then, if they fill more than a paragraph, the additions of the sources'
    /// sections, under their headings.
    pub(super) fn sections(&self, title: &Clean, mut own: Vec<&Finding>) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut below: Vec<(Clean, Vec<&Finding>)> = Vec::new();
        let mut further: Vec<&Finding> = Vec::new();
        let is_alone = self.plan.tasks.len() == 1 && !matches!(self.plan.shape, Shape::History | Shape::Comparison);
        if is_alone && own.len() > LONG {
            let first = self.answer(&own, title);
            own.sort_by_key(|f| (!f.words_of.is_of_person(), Some(f.id) != first, std::cmp::Reverse(f.score), f.id));
            let rest = own.split_off(FIRST);
            // A list stands whole.
            let (with, rest): (Vec<_>, Vec<_>) = rest
                .into_iter()
                .partition(|f| f.kind == FindingKind::Member || own.iter().any(|o| are_of_a_list(o, f)));
            own.extend(with);
            // So do the sentences of a paragraph, as far as there is room.
            let mut room = LONG.saturating_sub(own.len());
            let (with, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|f| {
                let goes_with = room > 0 && own.iter().any(|o| are_of_a_paragraph(o, f));
                room -= usize::from(goes_with);
                goes_with
            });
            own.extend(with);
            for finding in rest {
                let heading = heading(finding);
                match below.iter_mut().find(|(known, _)| *known == heading) {
                    Some((_, group)) => group.push(finding),
                    None => below.push((heading, vec![finding])),
                }
            }
            // One sentence makes no section, nor does a heading that is the title: they follow the best answers.
            let is_section = |(heading, group): &(Clean, Vec<&Finding>)| {
                group.len() > 1 && fold(heading) != fold(title.trim_end_matches('?'))
            };
            let (groups, single): (Vec<_>, Vec<_>) = below.into_iter().partition(is_section);
            further.extend(single.into_iter().flat_map(|(_, group)| group));
            below = groups;
        }
        if !own.is_empty() {
            let mut pieces = self.pieces(own, title);
            if !further.is_empty() {
                pieces.extend(self.pieces(further, title));
            }
            let is_question = title_of(self.question).starts_with(title.trim_end_matches([' ', '…']));
            let heading = if is_alone && is_question { ANSWER.into() } else { title.clone() };
            sections.push(Section { heading, pieces });
        }
        let below = below.into_iter().map(|(heading, own)| Section { pieces: self.pieces(own, &heading), heading });
        sections.extend(below);
        for Section { heading, pieces } in &mut sections {
            for piece in pieces {
                // The heading right above says the same.
                if let Piece::List { label, .. } = piece {
                    let says = |label: &Clean| side_of(label).is_some_and(|side| side_of(heading) == Some(side));
                    label.take_if(|label| label == heading || says(label));
                }
            }
        }
        sections
    }

    /// The finding that goes first: to a question for yes or no the best one that a source answers so itself, or else the best sentence;
    /// in a section on a limit the best one that gives it; to others the best definition.
    fn answer(&self, findings: &[&Finding], title: &str) -> Option<FindingId> {
        let order = |f: &&Finding| (f.score, std::cmp::Reverse(f.id));
        let (members, mut best): (Vec<&Finding>, Vec<&Finding>) =
            findings.iter().copied().partition(|f| f.kind == FindingKind::Member);
        best.sort_by_key(|f| std::cmp::Reverse(order(f)));
        best.truncate(BEST);
        let first = words(self.question).next().map(fold);
        let asks = first.is_some_and(|word| WORDS.auxiliaries.contains(word.as_ref()));
        let says = |f: &&&Finding| label(f).is_some_and(|label| label.ends_with('?'));
        let defines = |f: &&&Finding| f.kind == FindingKind::Definition;
        // The entry of an option hardly says yes or no.
        let is_sentence = |f: &&&Finding| f.edits.iter().all(|edit| edit.rule != EditRule::NameSubject);
        let answers = || best.iter().find(says).or_else(|| best.iter().find(is_sentence));
        let limit = || best.iter().find(|f| gives_a_limit(&f.claim));
        let answer = match asks {
            true => answers(),
            false if asks_for_a_limit(title) => limit(),
            false => None,
        };
        let kinds = Kinds::asked(title);
        let names_kinds = |f: &&&Finding| kinds.as_ref().is_some_and(|kinds| kinds.are_named_in(&f.claim));
        let are_listed = !members.is_empty();
        let is_one = |f: &&&Finding| defines(f) && is_a(&f.claim) && (is_sentence(f) || !are_listed);
        let one = || best.iter().find(names_kinds).or_else(|| best.iter().find(is_one));
        answer.or_else(one).or_else(|| best.iter().find(defines).filter(|_| !are_listed)).map(|f| f.id)
    }

    /// Lays out the findings of one section with this title.
    pub(super) fn pieces(&self, mut own: Vec<&Finding>, title: &str) -> Vec<Piece> {
        if self.plan.shape == Shape::History {
            own.sort_by_key(|f| (f.date.is_none(), f.date.as_deref().map(date_key), place_key(f), f.id));
            return vec![paragraph(&own)];
        }
        // Sections of the sources are ordered by their best finding; within one, findings keep its order.
        let mut sections: BTreeMap<SectionKey<'_>, i32> = BTreeMap::new();
        for finding in &own {
            let best = sections.entry(section_key(finding)).or_insert(i32::MIN);
            *best = (*best).max(finding.score);
        }
        let lead = self.answer(&own, title);
        let with_lead = own.iter().find(|f| Some(f.id) == lead).map(|f| section_key(f));
        own.sort_by_key(|f| {
            (
                Some(f.id) != lead,
                Some(section_key(f)) != with_lead,
                f.kind != FindingKind::Definition,
                f.words_of == WordsOf::Person,
                std::cmp::Reverse(sections[&section_key(f)]),
                place_key(f),
                f.id,
            )
        });
        let weighs = matches!(self.plan.shape, Shape::Comparison | Shape::ProsAndCons);
        let (pros, rest): (Vec<&Finding>, Vec<&Finding>) =
            own.into_iter().partition(|f| weighs && f.kind == FindingKind::Advantage);
        let (cons, rest): (Vec<&Finding>, Vec<&Finding>) =
            rest.into_iter().partition(|f| weighs && f.kind == FindingKind::Drawback);
        let (members, rest): (Vec<&Finding>, Vec<&Finding>) =
            rest.into_iter().partition(|f| f.kind == FindingKind::Member);
        // An entry that defines the thing goes before all else, and not down into the list of items.
        let first = rest.first().filter(|f| Some(f.id) == lead).map(|f| f.id);
        let (items, running): (Vec<&Finding>, Vec<&Finding>) =
            rest.into_iter().partition(|f| is_labelled(f) && !is_code(f) && Some(f.id) != first);
        // The kinds stand below the statement on all of them.
        let over = if members.is_empty() { 0 } else { usize::from(first.is_some()) };
        let mut pieces = paragraphs(&running[..over]);
        pieces.extend(lists(&members));
        pieces.extend(paragraphs(&running[over..]));
        pieces.extend(lists(&items));
        for (label, side) in [("Advantages", pros), ("Disadvantages", cons)] {
            if !side.is_empty() {
                pieces.push(list(Some(label), &side));
            }
        }
        pieces
    }
}

/// The section that a finding stands in, as its page calls it.
fn heading(finding: &Finding) -> Clean {
    let place = finding.place.as_ref();
    let title = place.map_or_else(Clean::default, |place| place.source.title.clone());
    // A manual in one piece stands below its own title.
    let is_of_part = |heading: &&Clean| !is_furniture(heading) && fold(&bare(heading)) != fold(&bare(&title));
    let part = place.and_then(|place| place.headings.iter().take(PARTS).find(is_of_part));
    Clean::line(&bare(part.unwrap_or(&title)))
}

/// Running text, parted where a section of the sources begins and the paragraph before it is long enough, and at program text.
fn paragraphs(findings: &[&Finding]) -> Vec<Piece> {
    let mut parts: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let is_same = |last: &&Finding| section_key(last) == section_key(finding);
        let goes_on = |part: &&mut Vec<&Finding>| {
            !is_code(finding)
                && !part.iter().any(|other| is_code(other))
                && (part.len() < LEAST_OF_PARAGRAPH || part.last().is_some_and(is_same))
        };
        match parts.last_mut().filter(goes_on) {
            Some(part) => part.push(finding),
            None => parts.push(vec![finding]),
        }
    }
    let piece = |part: &Vec<&Finding>| match part[..] {
        [finding] if is_code(finding) => code(finding),
        _ => paragraph(part),
    };
    parts.iter().map(piece).collect()
}

/// Whether a finding is program text as its source has it.
fn is_code(finding: &Finding) -> bool {
    finding.kind == FindingKind::Code && finding.words_of == WordsOf::Source
}

fn code(finding: &Finding) -> Piece {
    let label = label(finding).map(|label| Clean::line(&format!("{label}:")));
    Piece::Code { label, sentence: Sentence { text: finding.quote.clone(), cites: vec![finding.id] } }
}

fn paragraph(findings: &[&Finding]) -> Piece {
    Piece::Paragraph { sentences: findings.iter().map(|f| sentence(f)).collect() }
}

/// Lists of labelled findings: a label that several share stands once, above them.
fn lists(findings: &[&Finding]) -> Vec<Piece> {
    let is_one_list = |a: &&Finding, b: &&Finding| label(a) == label(b) && section_key(a) == section_key(b);
    let mut lists: Vec<Piece> = Vec::new();
    for group in findings.chunk_by(is_one_list) {
        let stated = |f: &&Finding| Sentence { text: f.quote.clone(), cites: vec![f.id] };
        match (&mut lists[..], group) {
            ([.., Piece::List { label: None, items, .. }], [single]) => items.push(sentence(single).into()),
            (_, [single]) => lists.push(list(None, &[single])),
            _ if label(group[0]).is_none() => lists.push(list(None, group)),
            _ => lists.push(Piece::List {
                label: label(group[0]).map(Clean::line),
                first: None,
                items: group.iter().map(|finding| stated(finding).into()).collect(),
            }),
        }
    }
    lists
}

/// Whether two findings are items of one list, whose introduction both are labelled with.
pub(super) fn are_of_a_list(a: &Finding, b: &Finding) -> bool {
    let headings = a.place.iter().flat_map(|place| place.headings.iter());
    let is_heading = |label: &str| headings.clone().any(|heading| heading.contains(label));
    section_key(a) == section_key(b) && label(a) == label(b) && label(a).is_some_and(|label| !is_heading(label))
}

/// Whether two findings are sentences of one paragraph.
fn are_of_a_paragraph(a: &Finding, b: &Finding) -> bool {
    let (Some(a), Some(b)) = (&a.place, &b.place) else { return false };
    a.source.id == b.source.id && a.block == b.block
}

/// The words in brackets before a claim that is labelled.
pub(super) fn label(finding: &Finding) -> Option<&str> {
    let edit = finding.edits.iter().find(|edit| edit.rule == EditRule::NameSubject && edit.at == 0)?;
    edit.inserted.strip_prefix('[')?.strip_suffix("]: ")
}

fn list(label: Option<&str>, findings: &[&Finding]) -> Piece {
    let items = findings.iter().map(|finding| sentence(finding).into()).collect();
    Piece::List { label: label.map(Clean::line), first: None, items }
}

/// A claim as a sentence with its citations.
pub(super) fn sentence(finding: &Finding) -> Sentence {
    Sentence { text: finding.claim.clone(), cites: vec![finding.id] }
}

/// The page of a finding and the headings above it there.
type SectionKey<'f> = (&'f str, &'f [Clean]);

fn section_key(finding: &Finding) -> SectionKey<'_> {
    finding.place.as_ref().map(|place| (&*place.source.path, &*place.headings)).unwrap_or_default()
}

fn place_key(finding: &Finding) -> (String, u32, u32) {
    finding.place.as_ref().map(|p| (p.source.path.to_string(), p.block, p.start)).unwrap_or_default()
}

/// Whether a claim begins with a label in brackets: a list item or a table cell.
fn is_labelled(finding: &Finding) -> bool {
    !finding.words_of.is_of_person() && label(finding).is_some()
}
