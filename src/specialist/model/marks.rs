//! Citations in a model's text: `[2]`, `[2, 3]`, and the other brackets that models put around the numbers of findings.

use std::ops::Range;

use run::FindingId;
use run::brief::Sentence;
use text::Clean;
use text::sentence::sentences;

/// The brackets of citations. Those of the second kind are written by models that cite pages.
const BRACKETS: [(char, char); 2] = [('[', ']'), ('【', '】')];

/// The most findings that a range cites: "[2-5]" does, "[1990-2024]" does not.
const MOST: usize = 20;

/// A title, a heading or a name in a table: it cites nothing.
pub(super) fn label(text: &str) -> Clean {
    Clean::line(&without_marks(text).0)
}

/// The findings whose numbers stand in a text.
pub(super) fn cites_in(text: &str, ids: &[FindingId]) -> Vec<FindingId> {
    without_marks(text).1.iter().flat_map(|(_, numbers)| numbers).map(|n| cited(*n, ids)).collect()
}

/// The finding with a number, from 1.
fn cited(n: usize, ids: &[FindingId]) -> FindingId {
    n.checked_sub(1).and_then(|at| ids.get(at).copied()).unwrap_or(FindingId::NOWHERE)
}

/// Sentences with their citations. A citation belongs to the sentence that contains it or that it directly follows.
pub(super) fn cited_sentences(text: &str, ids: &[FindingId]) -> Vec<Sentence> {
    let (bare, marks) = without_marks(text);
    let ranges = sentences(&bare);
    let mut found: Vec<Sentence> =
        ranges.iter().map(|range| Sentence { text: Clean::line(&bare[range.clone()]), cites: Vec::new() }).collect();
    for (at, numbers) in marks {
        let of = ranges.iter().rposition(|range| range.start < at).unwrap_or(0);
        let Some(sentence) = found.get_mut(of) else { continue };
        for n in numbers {
            let id = cited(n, ids);
            if !sentence.cites.contains(&id) {
                sentence.cites.push(id);
            }
        }
    }
    found
}

/// The text without its citations, and the place of each. Brackets in program text are no citations.
pub(super) fn without_marks(text: &str) -> (String, Vec<(usize, Vec<usize>)>) {
    let code = program_text(text);
    let (mut bare, mut marks) = (String::with_capacity(text.len()), Vec::new());
    // Up to where the text is read, and from where a bracket is looked for.
    let (mut read, mut from) = (0, 0);
    let opening = |c: char| BRACKETS.iter().any(|(open, _)| *open == c);
    while let Some(open) = text[from..].find(opening).map(|at| from + at) {
        let Some((bracket, end)) = BRACKETS.iter().find(|(bracket, _)| text[open..].starts_with(*bracket)) else {
            break;
        };
        from = open + bracket.len_utf8();
        if code.iter().any(|code| code.contains(&open)) {
            continue;
        }
        // As the brief writes a number in brackets that is no citation.
        if let Some(before) = text[read..open].strip_suffix('\\') {
            bare.push_str(before);
            read = open;
            continue;
        }
        let Some(close) = text[from..].find(*end).map(|at| from + at) else { continue };
        let Some(numbers) = numbers_of(&text[from..close]) else { continue };
        bare.push_str(&text[read..open]);
        read = close + end.len_utf8();
        from = read;
        let trimmed = bare.trim_end().len();
        let after = &text[read..];
        // "is fast [1]." loses the space; "is fast. [1] It" keeps one.
        if after.is_empty() || after.starts_with(['.', ',', ';', ':', '!', '?', ')', '[', '【', ' ']) {
            bare.truncate(trimmed);
        }
        marks.push((trimmed, numbers));
    }
    bare.push_str(&text[read..]);
    (bare, marks)
}

/// The numbers between the brackets of a citation: "2", "2, 3", "2-4", "^2", "#2", "Finding 2", "2†source". None if it is no citation.
fn numbers_of(inner: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in inner.split([',', ';']) {
        let part = part.split('†').next().unwrap_or(part).trim();
        let named = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let name = &part[..part.len() - named.len()];
        if !matches!(&*name.to_ascii_lowercase(), "" | "finding" | "findings") {
            return None;
        }
        let digits = named.trim_start().trim_start_matches(['^', '#']);
        match digits.split_once(['-', '–']) {
            Some((first, last)) => {
                let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
                if first > last || last - first >= MOST {
                    return None;
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(digits.parse().ok()?),
        }
    }
    Some(numbers)
}

/// The places of program text: the text between two equal runs of backticks, with these.
pub(super) fn program_text(text: &str) -> Vec<Range<usize>> {
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
            ("It is said.", vec![("It is said.", vec![])]),
        ];
        for (text, expected) in cases {
            let found = cited_sentences(text, &ids());
            let found: Vec<(&str, Vec<usize>)> =
                found.iter().map(|s| (&*s.text, s.cites.iter().map(|id| id.n as usize).collect())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_citation_of_nothing_is_kept_for_the_gates_to_see() {
        assert_eq!(cited_sentences("It flies [9].", &ids())[0].cites, [FindingId::NOWHERE]);
    }

    #[test]
    fn a_citation_is_read_in_all_brackets_that_models_use() {
        for (text, bare, cited) in [
            ("It is fast [2].", "It is fast.", vec![2]),
            ("It is fast【2】.", "It is fast.", vec![2]),
            ("It is fast 【2†source】.", "It is fast.", vec![2]),
            ("It is fast[^2].", "It is fast.", vec![2]),
            ("It is fast [#2].", "It is fast.", vec![2]),
            ("It is fast [Finding 2, Finding 3].", "It is fast.", vec![2, 3]),
            ("It is fast [1-3].", "It is fast.", vec![1, 2, 3]),
            ("It is fast [1–2; 5].", "It is fast.", vec![1, 2, 5]),
        ] {
            let (text, marks) = without_marks(text);
            assert_eq!((text.as_str(), marks.into_iter().flat_map(|(_, n)| n).collect()), (bare, cited));
        }
        for text in ["Seen [1990-2024].", "See [RFC 9110] and [x].", "Version (2) of [3-1]", "A lone 【 or ["] {
            assert_eq!(without_marks(text), (text.to_owned(), vec![]));
        }
    }
}
