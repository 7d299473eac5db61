//! The brief as Markdown. The page of a screen and that of a browser are laid out elsewhere.

use std::fmt::Write as _;

use super::{Cited, Draft, Item, Numbering, Piece, Sentence, YOURS_MEANS, by_words, places, yours};
use crate::evidence::{Place, SourceRef};
use crate::finding::Finding;
use crate::id::FindingId;
use text::Clean;

/// A text in whose own words no number in brackets reads as one of the brief's citations.
pub(super) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let inner = rest[at + 1..].split(']').next().unwrap_or("");
        let is_mark =
            !inner.is_empty() && inner.len() < rest.len() - at - 1 && inner.bytes().all(|b| b.is_ascii_digit());
        out.push_str(&rest[..at]);
        out.push_str(if is_mark { "\\[" } else { "[" });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out
}

/// A name from outside, in which nothing is a link.
fn without_links(name: &str) -> String {
    name.replace("](", "]\\(")
}

/// The two forms of a draft in Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a brief: citations behind the sentence and in each cell, lead-ins of lists and tables in bold.
    Brief,
    /// As its writer writes it: citations before the last mark of the sentence, once for a row whose cells have the same, and a colon
    /// behind each lead-in.
    Draft,
}

/// The pieces of a draft as Markdown.
struct Written<'s> {
    form: Form,
    /// The citations of a sentence, as they are written.
    signs: &'s dyn Fn(&Sentence) -> String,
}

impl Written<'_> {
    /// A sentence with its citations.
    fn cited(&self, sentence: &Sentence) -> String {
        let text = without_marks(&sentence.text);
        let signs = (self.signs)(sentence);
        let last = text.char_indices().next_back().filter(|(_, c)| self.form == Form::Draft && ".!?:".contains(*c));
        match last {
            _ if signs.is_empty() => text,
            Some((at, last)) => format!("{} {signs}{last}", &text[..at]),
            None => format!("{text} {signs}"),
        }
    }

    /// Sentences that run on.
    fn run_on(&self, sentences: &[Sentence]) -> String {
        sentences.iter().map(|sentence| self.cited(sentence)).collect::<Vec<_>>().join(" ")
    }

    /// The introduction of a list or a table, on a line of its own.
    fn lead_in(&self, label: Option<&Clean>) -> String {
        match (label.map(|label| without_marks(label)), self.form) {
            (None, _) => String::new(),
            (Some(label), Form::Brief) => format!("**{label}**\n\n"),
            (Some(label), Form::Draft) => format!("{label}:\n\n"),
        }
    }

    /// A piece; `before` is the one that it follows in its section.
    fn piece(&self, piece: &Piece, before: Option<&Piece>) -> String {
        match piece {
            Piece::Paragraph { sentences } => format!("{}\n", self.run_on(sentences)),
            Piece::List { label, first, items } => {
                // Another sign parts a list from that before it when the draft is read again.
                let follows = self.form == Form::Draft
                    && label.is_none()
                    && matches!(before, Some(Piece::List { first: None, .. }));
                let bullet = if follows { "*" } else { "-" };
                let item = |(n, Item(sentences)): (u64, &Item)| {
                    let mark = first.map_or(bullet.into(), |first| format!("{}.", first + n));
                    format!("{mark} {}\n", self.run_on(sentences))
                };
                self.lead_in(label.as_ref()) + &(0..).zip(items).map(item).collect::<String>()
            }
            Piece::Table { label, header, rows } => self.lead_in(label.as_ref()) + &self.table(header, rows),
            Piece::Code { label, sentence } => self.code(label.as_ref(), sentence, before),
        }
    }

    fn table(&self, header: &[Clean], rows: &[(Clean, Vec<Sentence>)]) -> String {
        let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = line(header.iter().map(|name| cell(&without_marks(name))).collect());
        out.push_str(&line(header.iter().map(|_| "---".to_string()).collect()));
        for (name, cells) in rows {
            let mut told = cells.iter().filter(|cell| !cell.text.is_empty()).map(self.signs);
            let signs = told.next().unwrap_or_default();
            let holds_for_all = self.form == Form::Draft && told.all(|other| other == signs);
            let last = cells.iter().rposition(|cell| !cell.text.is_empty());
            let in_row = |(at, one): (usize, &Sentence)| match one.text.is_empty() {
                true => "–".into(),
                false if holds_for_all && Some(at) != last => cell(&without_marks(&one.text)),
                false => cell(&self.cited(one)),
            };
            let cells = cells.iter().enumerate().map(in_row);
            out.push_str(&line(std::iter::once(cell(&without_marks(name))).chain(cells).collect()));
        }
        out
    }

    /// Program text, below the line that introduces it and its citations: these are not said again where the sentence above has the
    /// same.
    fn code(&self, label: Option<&Clean>, sentence: &Sentence, before: Option<&Piece>) -> String {
        let signs = (self.signs)(sentence);
        let is_said = matches!(before, Some(Piece::Paragraph { .. } | Piece::List { .. }))
            && before.and_then(|before| before.sentences().last()).is_some_and(|last| (self.signs)(last) == signs);
        let above = match (label.map(|label| without_marks(label)), self.form) {
            (Some(label), Form::Draft) => label,
            (Some(label), Form::Brief) => format!("{label} {signs}"),
            (None, _) if is_said => String::new(),
            (None, _) => signs,
        };
        let above = if above.is_empty() { above } else { format!("{}\n\n", above.trim()) };
        let (fence, code) = (fence(&sentence.text), code_lines(&sentence.text).join("\n"));
        format!("{above}{fence}\n{code}\n{fence}\n")
    }
}

/// The body of a draft as Markdown: sections, gaps, disagreements. `signs` are the citations of a sentence.
pub fn body(draft: &Draft, form: Form, signs: impl Fn(&Sentence) -> String) -> String {
    let mut out = String::new();
    let written = Written { form, signs: &signs };
    for section in &draft.sections {
        // The lead of a model's brief stands above the first heading.
        if !section.heading.is_empty() {
            let _ = write!(out, "\n## {}\n", without_marks(&section.heading));
        }
        for (at, piece) in section.pieces.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &section.pieces[before]);
            let _ = write!(out, "\n{}", written.piece(piece, before));
        }
    }
    if !draft.gaps.is_empty() {
        out.push_str("\n## Gaps\n\n");
        for gap in &draft.gaps {
            let _ = writeln!(out, "- {}", without_marks(gap));
        }
    }
    if !draft.disagreements.is_empty() {
        out.push_str("\n## Disagreements\n\n");
        for sentence in &draft.disagreements {
            let _ = writeln!(out, "- {}", written.cited(sentence));
        }
    }
    out
}

/// The brief as Markdown: title, notes, sections, gaps, disagreements, sources. Nothing in it depends on the clock.
pub fn markdown<'a>(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let findings: Vec<&Finding> = findings.into_iter().collect();
    let numbering = Numbering::new(draft, findings.iter().copied());
    let mut out = format!("# {}\n", without_marks(&draft.title));
    for note in &draft.notes {
        let _ = write!(out, "\n_{note}_\n");
    }
    out.push_str(&body(draft, Form::Brief, |sentence| numbering.signs(sentence)));
    let yours = yours(draft, findings.iter().copied());
    if !yours.is_empty() {
        let _ = write!(out, "\n## In your words\n\n{YOURS_MEANS}\n\n");
        for (words, sources) in by_words(&yours) {
            let said = |(finding, original): &(FindingId, &Clean)| {
                let number = numbering.of(*finding).map_or(String::new(), |n| format!(" [{n}]"));
                format!("{number} “{}”", without_marks(&one_line(original)))
            };
            let words = without_marks(words);
            let _ = match sources.is_empty() {
                false => writeln!(out, "- “{words}” The source says:{}", sources.iter().map(said).collect::<String>()),
                true => writeln!(out, "- “{words}” You wrote it, without a source."),
            };
        }
    }
    if numbering.sources().next().is_some() {
        let places = |source: &SourceRef| -> Vec<&Place> {
            let cited = draft.sentences().flat_map(|sentence| &sentence.cites).filter_map(|id| numbering.finding(*id));
            cited.filter_map(|finding| finding.place.as_ref()).filter(|place| place.source.id == source.id).collect()
        };
        out.push_str("\n## Sources\n\n");
        for (n, cited) in numbering.sources().enumerate() {
            let _ = match cited {
                Cited::Document(source) => {
                    let caveat = source.caveat().map(|caveat| format!(" ({caveat})")).unwrap_or_default();
                    // A file without a title is called by its name.
                    let title = if source.title == source.path { "" } else { &format!(": {}", source.title) };
                    let named = without_links(&format!("{}{title}", source.path));
                    writeln!(out, "[{}] {named}{caveat}{}", n + 1, places::in_short(&places(source)))
                }
                Cited::Person => writeln!(out, "[{}] you, without a source", n + 1),
            };
        }
    }
    out
}

/// The lines of program text, without the indentation that all of them have.
pub fn code_lines(code: &str) -> Vec<&str> {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let shared = code.lines().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    code.lines().map(|line| line.get(shared..).unwrap_or("").trim_end()).collect()
}

/// The line above and below program text in Markdown: longer than any run of its own backticks.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// A quote as one line: it may span lines of its source.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::Section;
    use crate::finding::WordsOf;
    use crate::id::AssignmentId;

    #[test]
    fn the_name_of_a_file_is_no_link() {
        let id = FindingId::new(AssignmentId::nth(2), 1);
        let source = SourceRef::sample("[link](http:a.example)", "A [b](c) d");
        let place = Place { source, block: 0, headings: [].into(), line: 1, start: 0, end: 9 };
        let finding = Finding { place: Some(place), ..Finding::new(id, "So.".into()) };
        let says = Sentence { text: "So.".into(), cites: vec![id] };
        let pieces = vec![Piece::Paragraph { sentences: vec![says] }];
        let draft = Draft { sections: vec![Section { heading: "S".into(), pieces }], ..Draft::default() };
        let brief = markdown(&draft, [&finding]);
        assert!(brief.contains("[link]\\(http:a.example).md: A [b]\\(c) d"), "{brief}");
    }

    #[test]
    fn words_of_the_person_are_marked_as_theirs_with_the_original_beside() {
        let id = |n| FindingId::new(AssignmentId::nth(2), n);
        let source = SourceRef::sample("a", "A");
        let place = Place { source, block: 0, headings: [].into(), line: 1, start: 0, end: 9 };
        let found = |n, claim: &str, words_of| Finding {
            quote: "It stores up to\n2,000 dimensions [3].".into(),
            place: (words_of != WordsOf::Person).then(|| place.clone()),
            words_of,
            ..Finding::new(id(n), claim.into())
        };
        let findings = [
            found(1, "As it is said.", WordsOf::Source),
            found(2, "It takes 2,000.", WordsOf::PersonEdited),
            found(3, "We know better.", WordsOf::Person),
        ];
        let says = |n: u32| Sentence { text: findings[n as usize - 1].claim.clone(), cites: vec![id(n)] };
        let piece = Piece::Paragraph { sentences: vec![says(1), says(2), says(3)] };
        let draft = Draft {
            title: "T".into(),
            sections: vec![Section { heading: "S".into(), pieces: vec![piece] }],
            ..Draft::default()
        };
        let brief = markdown(&draft, &findings);
        assert!(brief.contains("As it is said. [1] It takes 2,000. ✎ [1] We know better. ✎ [2]\n"), "{brief}");
        let listed = "- “It takes 2,000.” The source says: [1] “It stores up to 2,000 dimensions \\[3].”\n\
                      - “We know better.” You wrote it, without a source.\n";
        assert!(brief.contains(YOURS_MEANS) && brief.contains(listed), "{brief}");
        let quoted = Sentence { text: "It stores up to 2,000 dimensions [3].".into(), cites: vec![id(2)] };
        for (sentences, marked) in [(vec![quoted.clone()], false), (vec![quoted, says(2)], true)] {
            let sections = vec![Section { heading: "S".into(), pieces: vec![Piece::Paragraph { sentences }] }];
            let brief = markdown(&Draft { sections, ..draft.clone() }, &findings);
            assert!(!brief.contains("[3]. ✎") && brief.contains(YOURS_MEANS) == marked, "{brief}");
        }
        let draft = Draft { sections: vec![], disagreements: vec![says(1)], ..draft };
        assert!(!markdown(&draft, &findings).contains('✎'), "what is the sources' is not marked");
    }

    #[test]
    fn a_sentence_of_the_person_cites_no_source_and_stands_beside_what_the_sources_say() {
        let id = |n| FindingId::new(AssignmentId::nth(2), n);
        let source = |name: &str| SourceRef::sample(name, name);
        let found = |n, name: &str, quote: &str| Finding {
            quote: quote.into(),
            place: Some(Place { source: source(name), block: 0, headings: [].into(), line: 1, start: 0, end: 9 }),
            ..Finding::new(id(n), quote.into())
        };
        let own = Finding { words_of: WordsOf::Person, ..Finding::new(id(3), "We run it.".into()) };
        let findings = [found(1, "a", "It is isolated."), found(2, "b", "It is fast."), own];
        let brief = |text: &str, cites: &[u32], yours: &[&str]| {
            let ours = Sentence { text: text.into(), cites: cites.iter().map(|n| id(*n)).collect() };
            let theirs = Sentence { text: "It is fast.".into(), cites: vec![id(2)] };
            let pieces = vec![Piece::Paragraph { sentences: vec![ours, theirs] }];
            let yours = yours.iter().map(|text| Clean::from(*text)).collect();
            let sections = vec![Section { heading: "S".into(), pieces }];
            markdown(&Draft { sections, yours, ..Draft::default() }, &findings)
        };
        let told = brief("It dies at night.", &[1, 2], &["It dies at night."]);
        assert!(told.contains("\nIt dies at night. ✎ It is fast. [2]\n"), "{told}");
        let listed = "- “It dies at night.” The source says: [1] “It is isolated.” [2] “It is fast.”\n";
        assert!(told.contains(YOURS_MEANS) && told.contains(listed) && told.contains("\n[1] a.md: a"), "{told}");
        for cites in [&[3][..], &[]] {
            let told = brief("It dies at night.", cites, &["It dies at night."]);
            assert!(told.contains("- “It dies at night.” You wrote it, without a source.\n"), "{told}");
        }
        // A source's sentence is the source's, also if the person typed it; and a writer's is not the person's.
        for (text, yours) in [("It is isolated.", &["It is isolated."][..]), ("It dies at night.", &[])] {
            let told = brief(text, &[1], yours);
            assert!(!told.contains('✎') && told.contains(&format!("{text} [1]")), "{told}");
        }
    }

    #[test]
    fn program_text_stands_line_by_line_below_its_label_and_breaks_out_of_no_fence() {
        let source = SourceRef::sample("a", "A");
        let id = FindingId::new(AssignmentId::nth(2), 1);
        let code = "    if it:\n\n        print(```a```)\n";
        let place = Place { source, block: 0, headings: [].into(), line: 1, start: 0, end: code.len() as u32 };
        let finding = Finding { quote: code.into(), place: Some(place), ..Finding::new(id, code.into()) };
        let piece = |label: Option<&str>| Piece::Code {
            label: label.map(Clean::from),
            sentence: Sentence { text: code.into(), cites: vec![id] },
        };
        let pieces = vec![piece(Some("To show a[1]:")), piece(None)];
        let mut draft = Draft { sections: vec![Section { heading: "S".into(), pieces }], ..Draft::default() };
        let labels: Vec<Option<&str>> = draft.sections[0].pieces.iter().map(|p| p.label().map(Clean::as_str)).collect();
        assert_eq!(labels, [Some("To show a[1]:"), None]);
        let brief = markdown(&draft, [&finding]);
        let fenced = "````\nif it:\n\n    print(```a```)\n````\n";
        assert!(brief.contains(&format!("\nTo show a\\[1]: [1]\n\n{fenced}\n[1]\n\n{fenced}")), "{brief}");
        let mut reworded = draft.clone();
        reworded.sentences_mut().take(1).for_each(|sentence| sentence.text = "Print it.".into());
        reworded.yours = vec!["Print it.".into()];
        reworded.unfence_yours();
        let own = markdown(&reworded, [&finding]);
        assert!(own.contains("\nPrint it. ✎\n") && own.matches("````\n").count() == 2, "{own}");
        assert_eq!((draft.sentences().count(), draft.strike(|sentence| sentence.text == *code)), (2, 2));
        assert!(draft.sections.is_empty());
    }

    /// A draft with a fence below a step, a table with one citation for a row, and a list behind another.
    fn laid_out() -> Draft {
        let says =
            |text: &str, n: u32| Sentence { text: text.into(), cites: vec![FindingId::new(AssignmentId::nth(2), n)] };
        let list = |label: Option<&str>, first, text: &str| Piece::List {
            label: label.map(Clean::from),
            first,
            items: vec![says(text, 1).into()],
        };
        let code = |label: Option<&str>, n| Piece::Code { label: label.map(Clean::from), sentence: says("run", n) };
        let row = vec![says("5", 2), Sentence::default(), says("6", 2)];
        let table = Piece::Table {
            label: Some("By plan".into()),
            header: ["plan", "a", "b", "c"].map(Clean::from).to_vec(),
            rows: vec![("free".into(), row), ("pro".into(), vec![says("7", 1), says("8", 2)])],
        };
        let pieces = vec![
            list(None, Some(1), "Stop it:"),
            code(None, 1),
            code(None, 2),
            code(Some("Then:"), 2),
            list(Some("Kinds"), None, "One"),
            list(None, None, "Two."),
            table,
        ];
        Draft { sections: vec![Section { heading: "S".into(), pieces }], ..Draft::default() }
    }

    #[test]
    fn a_draft_is_written_as_a_brief_or_as_its_writer_writes_it() {
        let signs = |sentence: &Sentence| sentence.cites.iter().map(|id| format!("[{}]", id.n)).collect::<String>();
        let fence = "```\nrun\n```\n";
        let tables = "| plan | a | b | c |\n| --- | --- | --- | --- |\n";
        assert_eq!(
            body(&laid_out(), Form::Draft, signs),
            format!(
                "\n## S\n\n1. Stop it [1]:\n\n{fence}\n[2]\n\n{fence}\nThen:\n\n{fence}\nKinds:\n\n- One [1]\n\n\
                 * Two [1].\n\nBy plan:\n\n{tables}| free | 5 | – | 6 [2] |\n| pro | 7 [1] | 8 [2] |\n"
            )
        );
        assert_eq!(
            body(&laid_out(), Form::Brief, signs),
            format!(
                "\n## S\n\n1. Stop it: [1]\n\n{fence}\n[2]\n\n{fence}\nThen: [2]\n\n{fence}\n**Kinds**\n\n- One [1]\n\n\
                 - Two. [1]\n\n**By plan**\n\n{tables}| free | 5 [2] | – | 6 [2] |\n| pro | 7 [1] | 8 [2] |\n"
            )
        );
    }

    #[test]
    fn a_number_in_brackets_within_a_sentence_is_no_citation() {
        assert_eq!(
            without_marks("It was shown in 1936 [3] and again [12]."),
            "It was shown in 1936 \\[3] and again \\[12]."
        );
        assert_eq!(without_marks("[Qdrant] takes argv[n] and []."), "[Qdrant] takes argv[n] and [].");
    }
}
