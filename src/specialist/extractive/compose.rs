//! Composes a brief: which findings it contains, in which order and form, within a number of words.
//!
//! It stops when the findings get weak rather than pad, and never changes a word of a claim.

use std::collections::{BTreeMap, BTreeSet};

use super::headings::{bare, is_furniture};
use super::numbers::date_key;
use super::pros_and_cons::side_of;
use super::question_list;
use super::topic::Tokens;
use run::brief::{self, Draft, Piece, Section, Sentence};
use run::evidence::Corpus;
use run::finding::{EditRule, Finding, FindingKind, WordsOf};
use run::id::{FindingId, TaskId};
use run::plan::{AskedWord, Plan, Shape, Task};
use text::Clean;
use text::words::{Language, stem};

/// The note under the title of every extractive brief.
pub(super) const NOTE: &str = "Extractive: every sentence is taken from the sources, edited only as marked.";
const NOTE_BUT_YOURS: &str =
    "Extractive: every sentence is taken from the sources, edited only as marked, but those marked ✎: these are yours.";
/// The least score of a finding, as a share of the best one of its task; weaker ones are filler.
const FILLER: f64 = 0.35;
/// A section with more sentences is parted by the headings of the sources, after so many that answer best.
const LONG: usize = 9;
const FIRST: usize = 6;
/// A paragraph of so many sentences ends where the next is of another section of the sources.
const LEAST_OF_PARAGRAPH: usize = 3;
/// The heading of the first section where the only task has the title of the brief.
const ANSWER: &str = "What the sources say";

/// The input of a brief.
pub(super) struct Commission<'a> {
    pub question: &'a Clean,
    pub plan: &'a Plan,
    /// The usable findings.
    pub findings: Vec<&'a Finding>,
    pub words: usize,
    pub shortfalls: &'a [Clean],
    /// Findings that must be included, whatever their score.
    pub required: BTreeSet<FindingId>,
    /// The task that a finding is told under, where it is another than the one that it was found for.
    pub parts: BTreeMap<FindingId, TaskId>,
}

/// The brief if nothing was found: short, and saying so.
pub fn nothing_found(question: &Clean, plan: &Plan, corpus: &Corpus, looked_for: &[Clean]) -> Draft {
    let mut gaps: Vec<Clean> =
        vec![format!("Nothing in the sources ({}) answers the question.", corpus.searched()).into()];
    gaps.extend(nowhere(plan, &[]));
    if !looked_for.is_empty() {
        let names: Vec<String> = looked_for.iter().map(|name| format!("“{name}”")).collect();
        gaps.push(format!("Looked for: {}.", names.join(", ")).into());
    }
    if corpus.skipped_count > 0 {
        gaps.push(format!("{} files could not be read and may hold the answer.", corpus.skipped_count).into());
    }
    Draft { title: title(question), notes: notes(plan), sections: vec![], gaps, ..Draft::default() }
}

/// What stands under the title: how the brief was made, and how misspelt words of the question were read.
fn notes(plan: &Plan) -> Vec<Clean> {
    let mut notes: Vec<Clean> = vec![NOTE.into()];
    for asked in plan.tasks.iter().flat_map(|task| &task.words) {
        let Some(meant) = &asked.read_as else { continue };
        let note = Clean::from(format!(
            "Read “{}” as “{meant}”: the sources do not have the word as it was typed.",
            asked.word
        ));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// The words of the question that the sources do not have, and no finding either, in a sentence.
fn nowhere(plan: &Plan, findings: &[&Finding]) -> Option<Clean> {
    let said: BTreeSet<String> = findings.iter().flat_map(|finding| words_of(finding)).collect();
    let mut words: Vec<String> = Vec::new();
    let missing = |asked: &&AskedWord| asked.nowhere && !said.contains(&stem(&asked.word, Language::English));
    for asked in plan.tasks.iter().flat_map(|task| &task.words).filter(missing) {
        let word = format!("“{}”", asked.word);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let (last, others) = words.split_last()?;
    Some(match others {
        [] => format!("The word {last} stands nowhere in the sources.").into(),
        _ => format!("The words {} and {last} stand nowhere in the sources.", others.join(", ")).into(),
    })
}

fn title(question: &Clean) -> Clean {
    let line = question_list::title(question).unwrap_or_else(|| Clean::line(question));
    let mut chars = line.chars();
    chars
        .next()
        .map_or_else(|| line.clone(), |first| first.to_uppercase().chain(chars).collect::<String>().as_str().into())
}

impl Commission<'_> {
    /// The task that a finding is told under.
    fn task_of(&self, finding: &Finding) -> Option<TaskId> {
        self.parts.get(&finding.id).copied().or(finding.task)
    }

    pub fn compose(&self) -> Draft {
        let disagreements = self.disagreements();
        let contested: BTreeSet<FindingId> = self.contested();
        let gaps = self.gaps();
        let count = |text: &str| text.split_whitespace().count();
        let spent =
            disagreements.iter().map(|s| count(&s.text)).sum::<usize>() + gaps.iter().map(|g| count(g)).sum::<usize>();
        let table = self.table(&contested);
        let in_table: BTreeSet<FindingId> = table.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
        let table_words = table.as_ref().map_or(0, |(piece, _)| piece.sentences().map(|s| count(&s.text)).sum());
        let body = self.words.saturating_sub(spent + table_words);
        let open: Vec<&Finding> = self
            .findings
            .iter()
            .copied()
            .filter(|f| !in_table.contains(&f.id) && !contested.contains(&f.id) && !self.is_bare_cell(f))
            .collect();
        let chosen = self.choose(&open, body);
        let mut sections: Vec<Section> = Vec::new();
        for task in &self.plan.tasks {
            let own: Vec<&Finding> = chosen.iter().copied().filter(|f| self.task_of(f) == Some(task.id)).collect();
            sections.extend(self.sections(&task.title, own));
        }
        let known: BTreeSet<_> = self.plan.tasks.iter().map(|task| task.id).collect();
        let others: Vec<&Finding> =
            chosen.iter().copied().filter(|f| self.task_of(f).is_none_or(|task| !known.contains(&task))).collect();
        if !others.is_empty() {
            sections.push(Section { heading: "Besides".into(), pieces: self.pieces(others) });
        }
        if let Some((piece, _)) = table {
            sections.push(Section { heading: "Numbers side by side".into(), pieces: vec![piece] });
        }
        let mut draft = Draft {
            title: title(self.question),
            notes: notes(self.plan),
            sections,
            gaps,
            disagreements,
            ..Draft::default()
        };
        // The note must stay true of words that are the person's.
        if !brief::yours(&draft, self.findings.iter().copied()).is_empty() {
            draft.notes[0] = NOTE_BUT_YOURS.into();
        }
        draft
    }

    /// Chooses findings for the body: each task has its share of the words; unused words go to the others.
    fn choose<'f>(&self, open: &[&'f Finding], words: usize) -> Vec<&'f Finding> {
        let count = |finding: &Finding| finding.claim.split_whitespace().count();
        let mut groups: Vec<Vec<&Finding>> = self
            .plan
            .tasks
            .iter()
            .map(|task| open.iter().copied().filter(|f| self.task_of(f) == Some(task.id)).collect())
            .collect();
        let known: BTreeSet<_> = self.plan.tasks.iter().map(|task| task.id).collect();
        groups
            .push(open.iter().copied().filter(|f| self.task_of(f).is_none_or(|task| !known.contains(&task))).collect());
        groups.retain(|group| !group.is_empty());
        let mut chosen: Vec<&Finding> = Vec::new();
        let mut left = words;
        for group in &mut groups {
            // The person's own findings and those a reviewer asked for come first, then what the thing is, then the best.
            let definition = group.iter().filter(|f| f.kind == FindingKind::Definition).max_by_key(|f| (f.score, f.id));
            let definition = definition.map(|f| f.id);
            group.sort_by_key(|f| {
                let asked = f.words_of.is_of_person() || self.required.contains(&f.id);
                (!asked, Some(f.id) != definition, std::cmp::Reverse(f.score), f.id)
            });
            // Findings of the person's have no comparable score.
            let scored = group.iter().filter(|f| f.words_of != WordsOf::Person);
            let best = scored.map(|f| f.score).max().unwrap_or(0);
            group.retain(|f| {
                f.words_of.is_of_person()
                    || self.required.contains(&f.id)
                    || f64::from(f.score) >= FILLER * f64::from(best)
            });
        }
        let share = words / groups.len().max(1);
        let mut rest: Vec<&Finding> = Vec::new();
        for group in &groups {
            let mut own = share;
            for finding in group {
                let n = count(finding);
                let must = finding.words_of.is_of_person() || self.required.contains(&finding.id);
                if must || (n <= own && n <= left) {
                    own = own.saturating_sub(n);
                    left = left.saturating_sub(n);
                    chosen.push(finding);
                } else {
                    rest.push(finding);
                }
            }
        }
        rest.sort_by_key(|f| (std::cmp::Reverse(f.score), f.id));
        for finding in rest {
            let n = count(finding);
            if n <= left {
                left -= n;
                chosen.push(finding);
            }
        }
        chosen
    }

    /// Lays out the findings of one task: what answers best, then where there is more than a paragraph of it, what the sections
    /// of the sources add, under their headings.
    fn sections(&self, title: &Clean, mut own: Vec<&Finding>) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut below: Vec<(Clean, Vec<&Finding>)> = Vec::new();
        let mut further: Vec<&Finding> = Vec::new();
        let is_alone = self.plan.tasks.len() == 1 && !matches!(self.plan.shape, Shape::History | Shape::Comparison);
        if is_alone && own.len() > LONG {
            own.sort_by_key(|f| (!f.words_of.is_of_person(), std::cmp::Reverse(f.score), f.id));
            let rest = own.split_off(FIRST);
            // A list stands whole.
            let (with, rest): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|f| own.iter().any(|o| are_of_a_list(o, f)));
            own.extend(with);
            for finding in rest {
                let heading = heading(finding);
                match below.iter_mut().find(|(known, _)| *known == heading) {
                    Some((_, group)) => group.push(finding),
                    None => below.push((heading, vec![finding])),
                }
            }
            // One sentence makes no section: it stands after what answers best.
            let (groups, single): (Vec<_>, Vec<_>) = below.into_iter().partition(|(_, group)| group.len() > 1);
            further.extend(single.into_iter().flat_map(|(_, group)| group));
            below = groups;
        }
        if !own.is_empty() {
            let mut pieces = self.pieces(own);
            if !further.is_empty() {
                pieces.extend(self.pieces(further));
            }
            let is_question = self::title(self.question).starts_with(title.trim_end_matches([' ', '…']));
            let heading = if is_alone && is_question { ANSWER.into() } else { title.clone() };
            sections.push(Section { heading, pieces });
        }
        let below = below.into_iter().map(|(heading, own)| Section { heading, pieces: self.pieces(own) });
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

    /// Lays out the findings of one section.
    fn pieces(&self, mut own: Vec<&Finding>) -> Vec<Piece> {
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
        own.sort_by_key(|f| {
            (
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
        // An entry that says what the thing is goes before all else, and not down into the list of items.
        let first = rest.first().filter(|f| f.kind == FindingKind::Definition).map(|f| f.id);
        let (items, running): (Vec<&Finding>, Vec<&Finding>) =
            rest.into_iter().partition(|f| is_labelled(f) && !is_code(f) && Some(f.id) != first);
        let mut pieces = paragraphs(&running);
        pieces.extend(lists(&items));
        for (label, side) in [("Advantages", pros), ("Disadvantages", cons)] {
            if !side.is_empty() {
                pieces.push(list(Some(label), &side));
            }
        }
        pieces
    }

    /// A table of numbers that several of the compared things have: a row an item, a column an aspect.
    fn table(&self, contested: &BTreeSet<FindingId>) -> Option<(Piece, Vec<FindingId>)> {
        if self.plan.shape != Shape::Comparison {
            return None;
        }
        let mut aspects: Vec<String> = Vec::new();
        let mut cells: BTreeMap<(usize, String), &Finding> = BTreeMap::new();
        for finding in self.findings.iter().filter(|f| !contested.contains(&f.id) && !f.words_of.is_of_person()) {
            let Some((column, aspect)) = cell_of(finding) else { continue };
            let Some(item) = self
                .plan
                .tasks
                .iter()
                .position(|task| task.topic.iter().any(|name| name.eq_ignore_ascii_case(&column)))
            else {
                continue;
            };
            if !finding.quote.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            if !aspects.contains(&aspect) {
                aspects.push(aspect.clone());
            }
            cells.entry((item, aspect)).or_insert(finding);
        }
        aspects.retain(|aspect| cells.keys().filter(|(_, known)| known == aspect).count() >= 2);
        aspects.truncate(5);
        let items: Vec<(usize, &Task)> = self
            .plan
            .tasks
            .iter()
            .enumerate()
            .filter(|(at, _)| cells.keys().any(|(item, aspect)| item == at && aspects.contains(aspect)))
            .collect();
        if aspects.is_empty() || items.len() < 2 {
            return None;
        }
        let mut used = Vec::new();
        let rows = items
            .into_iter()
            .map(|(at, task)| {
                let row = aspects
                    .iter()
                    .map(|aspect| match cells.get(&(at, aspect.clone())) {
                        Some(finding) => {
                            used.push(finding.id);
                            Sentence { text: finding.quote.clone(), cites: vec![finding.id] }
                        }
                        None => Sentence::default(),
                    })
                    .collect();
                (task.title.clone(), row)
            })
            .collect();
        let header = std::iter::once(Clean::default()).chain(aspects.iter().map(|a| a.as_str().into())).collect();
        Some((Piece::Table { header, rows }, used))
    }

    /// Whether a finding is a table cell that the table does not show and that says too little alone.
    fn is_bare_cell(&self, finding: &Finding) -> bool {
        !finding.words_of.is_of_person()
            && cell_of(finding).is_some()
            && finding.quote.split_whitespace().count() < 5
            && self.plan.shape == Shape::Comparison
    }

    /// One sentence for each group of findings that contradict each other: in forty versions of a document that is one sentence,
    /// and not one for each pair of versions.
    fn disagreements(&self) -> Vec<Sentence> {
        let mut seen: BTreeSet<FindingId> = BTreeSet::new();
        let mut found = Vec::new();
        for finding in &self.findings {
            let mut group = vec![*finding];
            let mut at = 0;
            while at < group.len() {
                let with = |f: &&&Finding| group[at].conflicts.iter().any(|conflict| conflict.with == f.id);
                let is_new = |f: &&&Finding| !group.iter().any(|known| known.id == f.id);
                let more: Vec<&Finding> = self.findings.iter().filter(with).filter(is_new).copied().collect();
                group.extend(more);
                at += 1;
            }
            if group.len() > 1 && !group.iter().any(|f| seen.contains(&f.id)) {
                seen.extend(group.iter().map(|f| f.id));
                found.push(disagreement(group));
            }
        }
        found
    }

    /// Both sides of all contradictions: reported once as a disagreement, and not also as facts.
    fn contested(&self) -> BTreeSet<FindingId> {
        let there = |id: FindingId| self.findings.iter().any(|other| other.id == id);
        self.findings
            .iter()
            .filter(|f| !f.words_of.is_of_person() && f.conflicts.iter().any(|conflict| there(conflict.with)))
            .map(|f| f.id)
            .collect()
    }

    /// What was asked and not found. What the question names and nothing was found on is among the shortfalls.
    fn gaps(&self) -> Vec<Clean> {
        let mut gaps: Vec<Clean> =
            nowhere(self.plan, &self.findings).into_iter().chain(self.shortfalls.iter().cloned()).collect();
        let reporting: BTreeSet<_> = self.findings.iter().map(|finding| finding.id.assignment).collect();
        let elsewhere = self.findings.iter().flat_map(|f| &f.also).any(|id| !reporting.contains(&id.assignment));
        for task in &self.plan.tasks {
            // What is found for a part is found for the whole.
            let is_found =
                task.question == *self.question || self.findings.iter().any(|f| self.task_of(f) == Some(task.id));
            if !is_found {
                // Its findings may have been merged into those of another task.
                let title = Tokens::of(&task.title).content();
                if elsewhere || self.findings.iter().any(|finding| title.is_subset(&words_of(finding))) {
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

/// The most sides of a contradiction that are told.
const MOST_SIDES: usize = 4;

/// One sentence for findings that contradict each other. Of many sides, those of the highest version or the latest date in their paths go first.
fn disagreement(mut group: Vec<&Finding>) -> Sentence {
    let place = |f: &Finding| f.place.as_ref().map_or_else(|| "you".to_string(), |place| place.source.path.to_string());
    if group.len() > 2 {
        group.sort_by_key(|f| (std::cmp::Reverse(date_key(&place(f))), f.id));
        // The second has to contradict the first itself: the reason is that of these two.
        let first = group[0];
        group[1..].sort_by_key(|f| !first.conflicts.iter().any(|conflict| conflict.with == f.id));
    }
    let said = |f: &Finding| format!("“{}” ({})", f.claim, place(f));
    let (first, second) = (group[0], group[1]);
    let reason = first.conflicts.iter().find(|conflict| conflict.with == second.id).map(|conflict| &conflict.reason);
    let mut text = format!("{} against {}", said(first), said(second));
    if let Some(reason) = reason {
        text.push_str(&format!(": {reason}"));
    }
    let told = group.len().min(MOST_SIDES);
    if told > 2 {
        let others: Vec<String> = group[2..told].iter().map(|f| said(f)).collect();
        text.push_str(&format!("; others say {}", others.join(", ")));
    }
    if group.len() > told {
        text.push_str(&format!("; {} more say otherwise", group.len() - told));
    }
    text.push('.');
    Sentence { text: text.into(), cites: group[..told].iter().map(|f| f.id).collect() }
}

/// Words of a claim and of its headings.
fn words_of(finding: &Finding) -> BTreeSet<String> {
    let mut stems = Tokens::of(&finding.claim).content();
    for text in finding.place.iter().flat_map(|place| place.headings.iter().chain([&place.source.title])) {
        stems.extend(Tokens::of(text).content());
    }
    stems
}

/// The section that a finding stands in, as its page calls it.
fn heading(finding: &Finding) -> Clean {
    let place = finding.place.as_ref();
    let title = place.map_or_else(Clean::default, |place| place.source.title.clone());
    let last = place.and_then(|place| place.headings.first()).filter(|heading| !is_furniture(heading));
    Clean::line(&bare(last.unwrap_or(&title)))
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
    let is_one_list = |a: &&Finding, b: &&Finding| label(a) == label(b) && section_key(a).0 == section_key(b).0;
    let mut lists: Vec<Piece> = Vec::new();
    for group in findings.chunk_by(is_one_list) {
        let stated = |f: &&Finding| Sentence { text: f.quote.clone(), cites: vec![f.id] };
        match (&mut lists[..], group) {
            ([.., Piece::List { label: None, sentences }], [single]) => sentences.push(sentence(single)),
            (_, [single]) => lists.push(list(None, &[single])),
            _ => lists.push(Piece::List {
                label: label(group[0]).map(Clean::line),
                sentences: group.iter().map(stated).collect(),
            }),
        }
    }
    lists
}

/// Whether two findings are items of one list, whose introduction both are labelled with.
fn are_of_a_list(a: &Finding, b: &Finding) -> bool {
    let headings = a.place.iter().flat_map(|place| place.headings.iter());
    let is_heading = |label: &str| headings.clone().any(|heading| heading.contains(label));
    section_key(a) == section_key(b) && label(a) == label(b) && label(a).is_some_and(|label| !is_heading(label))
}

/// The words in brackets before a claim that is labelled.
fn label(finding: &Finding) -> Option<&str> {
    let edit = finding.edits.iter().find(|edit| edit.rule == EditRule::NameSubject && edit.at == 0)?;
    edit.inserted.strip_prefix('[')?.strip_suffix("]: ")
}

fn list(label: Option<&str>, findings: &[&Finding]) -> Piece {
    Piece::List { label: label.map(Clean::line), sentences: findings.iter().map(|f| sentence(f)).collect() }
}

/// A claim as a sentence with its citations.
fn sentence(finding: &Finding) -> Sentence {
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

/// Column and row of a claim that is a table cell: `[pgvector, Max dimensions]: 2,000`.
fn cell_of(finding: &Finding) -> Option<(String, String)> {
    let (column, row) = label(finding)?.split_once(", ")?;
    Some((column.to_string(), row.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::edit::insert;
    use super::super::sample::finding;
    use super::*;

    /// A finding that is told with a label, if it has one.
    fn labelled(n: u32, quote: &str, label: &str) -> Finding {
        let mut finding = finding(n, "Networks", quote);
        if !label.is_empty() {
            finding.edits = vec![insert(EditRule::NameSubject, 0, format!("[{label}]: "))];
            finding.claim = Clean::line(&format!("[{label}]: {quote}"));
        }
        finding
    }

    fn told(findings: &[Finding], heading: &str) -> String {
        let plan = Plan {
            shape: Shape::Procedure,
            tasks: vec![Task::new(TaskId(1), heading.into(), "?".into())],
            why: "".into(),
        };
        let question = Clean::from("How do I join a network?");
        let (required, parts) = (BTreeSet::new(), BTreeMap::new());
        let findings: Vec<&Finding> = findings.iter().collect();
        let all = findings.clone();
        let draft =
            Commission { question: &question, plan: &plan, findings, words: 500, shortfalls: &[], required, parts }
                .compose();
        brief::markdown(&draft, all)
    }

    #[test]
    fn where_words_are_short_the_finding_that_answers_best_is_told_however_long() {
        let long = format!("A network is hidden {}if it does not send its name.", "from all of them ".repeat(122));
        let mut findings = [labelled(1, &long, ""), labelled(2, "A network has a name.", "")];
        (findings[0].score, findings[1].score) = (4_000, 3_900);
        let brief = told(&findings, "Joining");
        assert!(brief.contains("is hidden") && !brief.contains("has a name"), "{brief}");
    }

    #[test]
    fn items_of_one_label_stand_below_it_once() {
        let steps = [
            labelled(1, "Open the menu.", "To join"),
            labelled(2, "Choose the network.", "To join"),
            labelled(3, "6 to 24 hours", "Time"),
        ];
        let list = "**To join**\n\n- Open the menu. [1]\n- Choose the network. [1]\n\n- [Time]: 6 to 24 hours [1]\n";
        assert!(told(&steps, "Joining").contains(list), "{}", told(&steps, "Joining"));
        let below = told(&steps, "To join");
        assert!(below.contains("## To join\n\n- Open the menu. [1]\n- Choose"), "the heading says it already: {below}");
    }

    #[test]
    fn program_text_is_a_piece_of_its_own_below_its_label() {
        let mut command = labelled(2, "nmcli connect home", "To connect it");
        command.kind = FindingKind::Code;
        let brief = told(&[labelled(1, "A network has a name.", ""), command.clone()], "Joining");
        assert!(
            brief.contains("A network has a name. [1]\n\nTo connect it: [1]\n\n```\nnmcli connect home\n```\n"),
            "{brief}"
        );
        (command.words_of, command.claim) = (WordsOf::PersonEdited, "Use nmcli.".into());
        let brief = told(&[command], "Joining");
        assert!(
            !brief.contains("```") && brief.contains("Use nmcli. [1] \u{270e}"),
            "words of the person are no code: {brief}"
        );
    }
}
