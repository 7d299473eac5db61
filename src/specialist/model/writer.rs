//! The writer's craft: a brief in Markdown over numbered findings, parsed into sentences with their citations.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::craft::{Craft, Made, Report, Unfit};
use super::fence::{Element, fenced, without_tags};
use crate::Assigned;
use crate::gate::label::named_in;
use crate::gate::paraphrase::{states_a_gap, unknown_in_gap};
use run::brief::{Draft, Piece, Section, Sentence, Wording};
use run::finding::Finding;
use run::{FindingId, Outcome, Payload, Transcript};
use text::listed::title_of;
use text::sentence::sentences;
use text::{Clean, count};

/// The note under the title of every brief written by a model.
const NOTE: &str = "Written by a language model from the findings; every quote was checked against its stored source.";

pub(super) struct Writer;

/// The tags in its prompt.
const TAGS: &[&str] = &["question", "finding", "quote", "gaps", "draft"];

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
        for (n, finding) in numbered(assigned) {
            if subtopic != Some(&finding.subtopic) {
                let _ = writeln!(task, "\n{}:", finding.subtopic);
                subtopic = Some(&finding.subtopic);
            }
            let _ = writeln!(task, "[{n}] {}", fenced(Element::Finding, "", &finding.claim));
            if finding.claim != finding.quote && !finding.quote.is_empty() {
                let _ = writeln!(task, "    {}", fenced(Element::Quote, "", &finding.quote));
            }
            if let Some(caveat) = finding.caveat() {
                let _ = writeln!(task, "    its source no longer holds, {}", fenced(Element::Superseded, "", &caveat));
            }
            for conflict in &finding.conflicts {
                let other = numbered(assigned).find(|(_, other)| other.id == conflict.with);
                if let Some((other, _)) = other {
                    let _ = writeln!(task, "    contradicts [{other}]: {}", conflict.reason);
                }
            }
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
            task.push_str("What is to be mended, and nothing else:\n");
            for issue in assigned.issues() {
                let about = issue.sentence.as_ref().map(|sentence| format!(" In: “{sentence}”")).unwrap_or_default();
                let _ = writeln!(task, "- {}: {}.{about}", issue.concern, issue.what);
            }
        }
        task
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, _: &Transcript) -> Result<Made, Unfit> {
        let Report::Text(text) = report else { return Err("it has to be Markdown, not JSON".into()) };
        let ids: Vec<FindingId> = numbered(assigned).map(|(_, finding)| finding.id).collect();
        let draft = draft(text, &ids, assigned)?;
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

/// Parses a draft whose citations are the numbers of these findings, from 1.
///
/// # Errors
/// No sentence cites a finding. The text is for the model.
pub(super) fn draft(text: &str, ids: &[FindingId], assigned: &Assigned<'_>) -> Result<Draft, Unfit> {
    let mut draft = parse(&without_tags(text, TAGS), ids);
    if draft.sentences().all(|sentence| sentence.cites.is_empty()) {
        let mend = "put the number of its finding in square brackets behind each, as in [2]";
        return Err(Unfit::new("no sentence cites a finding", mend));
    }
    let payload = &assigned.handoff.payload;
    if draft.title.is_empty() {
        draft.title = title_of(payload.question.as_deref().unwrap_or_default());
    }
    draft.notes = vec![NOTE.into()];
    // Gates do not check gaps: anything else listed there would be a claim without a quote.
    let lines = draft.gaps.len();
    let known = known_to(payload);
    let is_gap = |gap: &Clean| states_a_gap(gap) && unknown_in_gap(gap, &known).is_none();
    draft.gaps.retain(|gap| payload.shortfalls().contains(gap) || is_gap(gap));
    if draft.gaps.len() < lines {
        let left_out = lines - draft.gaps.len();
        let left_out = if left_out == 1 { "one line".to_owned() } else { format!("{left_out} lines") };
        draft.notes.push(format!("Left out of the gaps: {left_out} that did not say what is missing.").into());
    }
    if draft.gaps.is_empty() {
        draft.gaps.extend(payload.shortfalls().iter().cloned());
    }
    Ok(draft)
}

/// All that a writer was told: the question, the tasks, what was found and where, and what was not.
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

/// A draft as the model sees it: citations are numbers of findings.
fn in_numbers(draft: &Draft, assigned: &Assigned<'_>) -> String {
    let number = |id: &FindingId| numbered(assigned).find(|(_, finding)| finding.id == *id).map(|(n, _)| n);
    let line = |sentence: &Sentence| {
        let marks: String = sentence.cites.iter().filter_map(number).map(|n| format!("[{n}]")).collect();
        format!("{} {marks}", sentence.text)
    };
    let mut text = format!("# {}\n", draft.title);
    for section in &draft.sections {
        let _ = writeln!(text, "\n## {}\n", section.heading);
        for piece in &section.pieces {
            text.push_str(&piece.sentences().map(line).collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
    }
    text
}

/// Parses the Markdown that briefs use: a title, headings, paragraphs, lists, tables. `ids` maps the numbers in
/// brackets to findings; an unknown number is kept as a citation of nothing, which the gates veto.
fn parse(text: &str, ids: &[FindingId]) -> Draft {
    let mut draft = Draft { wording: Wording::Reworded, ..Draft::default() };
    let mut heading = Clean::default();
    let mut paragraph = String::new();
    let mut table: Vec<Vec<String>> = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_fence = |line: &str| line.starts_with("```");
    let mut in_code = false;
    for (at, line) in lines.iter().copied().chain([""]).enumerate() {
        if is_fence(line) {
            // One that is never closed opens nothing.
            in_code = !in_code && lines[at + 1..].iter().any(|line| is_fence(line));
            continue;
        }
        if in_code {
            paragraph.push_str(line);
            paragraph.push(' ');
            continue;
        }
        let item =
            ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).or_else(|| numbered_item(line));
        let is_row = line.starts_with('|');
        if line.is_empty() || line.starts_with('#') || item.is_some() || is_row {
            let sentences = cited_sentences(&std::mem::take(&mut paragraph), ids);
            add(&mut draft, &heading, sentences, |sentences| Piece::Paragraph { sentences });
        }
        if !is_row && !table.is_empty() {
            add_table(&mut draft, &heading, std::mem::take(&mut table), ids);
        }
        let title = line.strip_prefix("# ").filter(|title| draft.title.is_empty() && !is_part(title));
        if let Some(title) = title {
            draft.title = label(title);
            heading = Clean::default();
        } else if line.starts_with('#') {
            heading = label(line.trim_start_matches('#').trim_matches(['*', ' ', ':']));
        } else if is_row {
            table.push(cells_of(line));
        } else if let Some(item) = item {
            add(&mut draft, &heading, cited_sentences(item, ids), |sentences| Piece::List { label: None, sentences });
        } else if !line.is_empty() {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    draft
}

/// The headings of the parts that every brief may have.
const GAPS: [&str; 3] = ["gaps", "gaps and limitations", "limitations"];
const DISAGREEMENTS: [&str; 2] = ["disagreements", "contradictions"];
const SOURCES: [&str; 3] = ["sources", "references", "citations"];

/// Whether a heading is that of such a part, and no title.
fn is_part(heading: &str) -> bool {
    let heading = heading.trim_matches(['*', ' ', ':']).to_lowercase();
    [&GAPS[..], &DISAGREEMENTS, &SOURCES].iter().any(|part| part.contains(&heading.as_str()))
}

/// Adds sentences to the section of their heading.
fn add(draft: &mut Draft, heading: &Clean, mut new: Vec<Sentence>, piece: impl Fn(Vec<Sentence>) -> Piece) {
    if new.is_empty() {
        return;
    }
    match heading.to_lowercase().as_str() {
        heading if GAPS.contains(&heading) => draft.gaps.extend(new.into_iter().map(|sentence| sentence.text)),
        heading if DISAGREEMENTS.contains(&heading) => draft.disagreements.append(&mut new),
        // The program lists the sources itself.
        heading if SOURCES.contains(&heading) => {}
        _ => {
            if draft.sections.last().is_none_or(|section| section.heading != *heading) {
                draft.sections.push(Section { heading: heading.clone(), pieces: Vec::new() });
            }
            let Some(section) = draft.sections.last_mut() else { return };
            match (section.pieces.last_mut(), piece(new)) {
                (Some(Piece::List { sentences, .. }), Piece::List { sentences: more, .. }) => sentences.extend(more),
                (_, piece) => section.pieces.push(piece),
            }
        }
    }
}

/// A title, a heading or a name in a table: it cites nothing.
fn label(text: &str) -> Clean {
    Clean::line(&without_marks(text).0)
}

/// The cells of a row: what stands between its pipes. One behind a backslash is text, as the brief itself writes it.
fn cells_of(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = line.strip_prefix('|').unwrap_or(line).chars().peekable();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('\\', Some(cell)) if chars.next_if_eq(&'|').is_some() => cell.push('|'),
            ('|', _) if chars.peek().is_none() => {}
            ('|', _) => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            // There is always a last cell.
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Adds a table whose first row names the columns; the others are cut or filled to its width.
fn add_table(draft: &mut Draft, heading: &Clean, rows: Vec<Vec<String>>, ids: &[FindingId]) {
    let is_rule =
        |row: &Vec<String>| row.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| "-: ".contains(c)));
    let mut rows = rows.into_iter().filter(|row| !is_rule(row));
    let Some(header) = rows.next() else { return };
    let cell = |text: &String| {
        let mut sentences = cited_sentences(text, ids);
        let cites = sentences.iter().flat_map(|sentence| sentence.cites.clone()).collect();
        match sentences.len() {
            0 => Sentence::default(),
            1 => sentences.remove(0),
            _ => Sentence { text: sentences.iter().map(|s| &*s.text).collect::<Vec<_>>().join(" ").into(), cites },
        }
    };
    let row = |mut row: Vec<String>| {
        row.resize(header.len(), String::new());
        (label(&row[0]), row.iter().skip(1).map(cell).collect())
    };
    let rows = rows.map(row).collect();
    let header = header.iter().map(|cell| label(cell)).collect();
    if draft.sections.last().is_none_or(|section| section.heading != *heading) {
        draft.sections.push(Section { heading: heading.clone(), pieces: Vec::new() });
    }
    if let Some(section) = draft.sections.last_mut() {
        section.pieces.push(Piece::Table { header, rows });
    }
}

/// `1. text`
fn numbered_item(line: &str) -> Option<&str> {
    let digits = line.find(|c: char| !c.is_ascii_digit()).filter(|n| (1..=2).contains(n))?;
    line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "))
}

/// Sentences with their citations. A citation belongs to the sentence that contains it or that it directly follows.
fn cited_sentences(text: &str, ids: &[FindingId]) -> Vec<Sentence> {
    // Emphasis goes first: the places of the citations are those in the text without it.
    let (bare, marks) = without_marks(&without_emphasis(text));
    let ranges = sentences(&bare);
    let mut found: Vec<Sentence> =
        ranges.iter().map(|range| Sentence { text: Clean::line(&bare[range.clone()]), cites: Vec::new() }).collect();
    for (at, numbers) in marks {
        let of = ranges.iter().rposition(|range| range.start < at).unwrap_or(0);
        let Some(sentence) = found.get_mut(of) else { continue };
        for n in numbers {
            let id = n.checked_sub(1).and_then(|at| ids.get(at).copied()).unwrap_or(FindingId::NOWHERE);
            if !sentence.cites.contains(&id) {
                sentence.cites.push(id);
            }
        }
    }
    found
}

/// The text without its citations, and the place of each. Brackets in program text are no citations.
fn without_marks(text: &str) -> (String, Vec<(usize, Vec<usize>)>) {
    let code = program_text(text);
    let (mut bare, mut marks) = (String::with_capacity(text.len()), Vec::new());
    // Up to where the text is read, and from where a bracket is looked for.
    let (mut read, mut from) = (0, 0);
    while let Some(open) = text[from..].find('[').map(|at| from + at) {
        from = open + 1;
        if code.iter().any(|code| code.contains(&open)) {
            continue;
        }
        let Some(close) = text[from..].find(']').map(|at| from + at) else { break };
        let numbers: Option<Vec<usize>> = text[from..close].split([',', ';']).map(|n| n.trim().parse().ok()).collect();
        let Some(numbers) = numbers else { continue };
        bare.push_str(&text[read..open]);
        (read, from) = (close + 1, close + 1);
        let trimmed = bare.trim_end().len();
        let after = &text[read..];
        // "is fast [1]." loses the space; "is fast. [1] It" keeps one.
        if after.is_empty() || after.starts_with(['.', ',', ';', ':', '!', '?', ')', '[', ' ']) {
            bare.truncate(trimmed);
        }
        marks.push((trimmed, numbers));
    }
    bare.push_str(&text[read..]);
    (bare, marks)
}

/// The text without the marks of strong emphasis. Program text and operators (`2**8`) keep theirs: only a pair of marks
/// that stand at the borders of words is emphasis.
fn without_emphasis(text: &str) -> String {
    let code = program_text(text);
    let mut bare = String::with_capacity(text.len());
    // The open mark and the place behind it in `bare`.
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let mark = ["**", "__"].into_iter().find(|mark| rest.starts_with(mark));
        let Some(mark) = mark.filter(|_| !code.iter().any(|code| code.contains(&at))) else {
            let Some(c) = rest.chars().next() else { break };
            bare.push(c);
            at += c.len_utf8();
            continue;
        };
        at += mark.len();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (before, behind) = (bare.chars().next_back(), text[at..].chars().next());
        match open {
            Some((opening, from)) if opening == mark && !is_blank(before) && !is_word(behind) => {
                // `__init__` is a name.
                let inner = &bare[from..];
                let is_name = mark == "__" && !inner.contains(|c: char| c != '_' && !c.is_ascii_lowercase());
                match is_name {
                    true => bare.push_str(mark),
                    false => drop(bare.drain(from - mark.len()..from)),
                }
                open = None;
            }
            _ => {
                bare.push_str(mark);
                if !is_word(before) && !is_blank(behind) {
                    open = Some((mark, bare.len()));
                }
            }
        }
    }
    bare
}

/// The places of program text: what stands between two equal runs of backticks, with these.
fn program_text(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(from) = text[at..].find('`').map(|n| at + n) {
        let run = |from: usize| text[from..].len() - text[from..].trim_start_matches('`').len();
        let ticks = run(from);
        at = from + ticks;
        let mut close = at;
        while let Some(next) = text[close..].find('`').map(|n| close + n) {
            close = next + run(next);
            if close - next == ticks {
                found.push(from..close);
                at = close;
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::AssignmentId;

    fn ids() -> Vec<FindingId> {
        (1..=3).map(|n| FindingId::new(AssignmentId::nth(4), n)).collect()
    }

    #[test]
    fn a_citation_belongs_to_the_sentence_it_stands_in_or_behind() {
        let cases = [
            (
                "It stores vectors [1]. It filters [2][3].",
                vec![("It stores vectors.", vec![1]), ("It filters.", vec![2, 3])],
            ),
            (
                "It stores vectors. [1] It filters. [2, 3]",
                vec![("It stores vectors.", vec![1]), ("It filters.", vec![2, 3])],
            ),
            ("**Fast** and small [1], says v0.5.0 [x].", vec![("Fast and small, says v0.5.0 [x].", vec![1])]),
            ("It is said.", vec![("It is said.", vec![])]),
            (
                "The default value of **retries** is 1.5 seconds per request [1]. Joins are __not supported__ by Widget [2].",
                vec![
                    ("The default value of retries is 1.5 seconds per request.", vec![1]),
                    ("Joins are not supported by Widget.", vec![2]),
                ],
            ),
            ("**Widget** waits. [1] **It** stops. [2]", vec![("Widget waits.", vec![1]), ("It stops.", vec![2])]),
        ];
        for (text, expected) in cases {
            let found = cited_sentences(text, &ids());
            let found: Vec<(&str, Vec<usize>)> =
                found.iter().map(|s| (&*s.text, s.cites.iter().map(|id| id.n as usize).collect())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn brackets_and_stars_of_program_text_are_left_alone() {
        for (text, expected, cited) in [
            (
                "The `__init__` method is called once, and `argv[1]` holds the **first** argument [3].",
                "The `__init__` method is called once, and `argv[1]` holds the first argument.",
                vec![3],
            ),
            ("``a[0] ` **b**`` is 2**8, says __init__ [1].", "``a[0] ` **b**`` is 2**8, says __init__.", vec![1]),
            ("A lone ` or ** or [ is text [2].", "A lone ` or ** or [ is text.", vec![2]),
            ("***Both*** and **two words** [1].", "*Both* and two words.", vec![1]),
        ] {
            let found = &cited_sentences(text, &ids())[0];
            let cites: Vec<u32> = found.cites.iter().map(|id| id.n).collect();
            assert_eq!((&*found.text, cites), (expected, cited));
        }
    }

    #[test]
    fn a_citation_of_nothing_is_kept_for_the_gates_to_see() {
        assert_eq!(cited_sentences("It flies [9].", &ids())[0].cites, [FindingId::NOWHERE]);
    }

    #[test]
    fn the_title_is_the_first_heading_that_is_no_part_of_the_brief_nor_program_text() {
        for (text, title) in [
            ("# Title\n\nIt flies [1].\n\n```sh\n# not the title\nrun it\n```\n", "Title"),
            ("# Title\n\nIt flies [1].\n\n# Gaps\n\n- Nothing on price.\n", "Title"),
            ("# Gaps\n\n- Nothing on price.\n\n# Title\n\nIt flies [1].\n", "Title"),
            ("# Title\n\nIt flies [1].\n\n# Speed\n\nIt is fast [2].\n", "Title"),
            ("```\n\n# Title\n\nIt flies [1].\n", "Title"),
        ] {
            let draft = parse(text, &ids());
            assert_eq!(draft.title.as_str(), title, "{text}");
            assert_eq!(draft.gaps.len(), text.matches("Nothing on").count(), "{text}");
        }
    }

    #[test]
    fn a_cell_stays_in_its_column_and_names_cite_nothing() {
        let text = "# Title [1]\n\n## Limits [2]\n\n|| A [1] | B |\n|---|---|---|\n|| 5 [1] | 6 [2] |\n| `a \\| b` [3] | x \\| y [1] |\n| long | 1 [1] | 2 [2] | 3 [3] |\n";
        let draft = parse(text, &ids());
        assert_eq!((draft.title.as_str(), draft.sections[0].heading.as_str()), ("Title", "Limits"));
        let Piece::Table { header, rows } = &draft.sections[0].pieces[0] else { panic!("{draft:?}") };
        assert_eq!(header.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["", "A", "B"]);
        let row = |(name, cells): &(Clean, Vec<Sentence>)| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.text.to_string()).collect();
            format!("{name}: {}", cells.join(", "))
        };
        assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [": 5, 6", "`a | b`: x | y, ", "long: 1, 2"]);
    }

    #[test]
    fn markdown_is_read_as_briefs_use_it() {
        let text = "# Title\n\nLead [1].\n\n## Speed\n\nFirst line\nof a sentence [2].\n\n- One [1]\n- Two [3]\n\n| | A |\n|---|---|\n| x | 40 [1] |\n\n## Gaps\n\n- Nothing on price.\n\n## Sources\n\n[1] a.md\n";
        let draft = parse(text, &ids());
        assert_eq!((draft.title.as_str(), draft.gaps.len(), draft.sections.len()), ("Title", 1, 2));
        let speed = &draft.sections[1];
        assert_eq!(speed.heading.as_str(), "Speed");
        assert!(
            matches!(&speed.pieces[..], [Piece::Paragraph { .. }, Piece::List { sentences, .. }, Piece::Table { rows, .. }] if sentences.len() == 2 && rows.len() == 1)
        );
        assert_eq!(draft.sentences().filter(|sentence| sentence.cites.is_empty()).count(), 0);
    }
}
