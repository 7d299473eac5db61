//! Citations in a model's text: `[2]`, `[2, 3]`, and the other brackets that models put around the numbers of findings.

use std::ops::Range;

/// The brackets of citations. Those of the second kind are written by models that cite pages.
const BRACKETS: [(char, char); 2] = [('[', ']'), ('【', '】')];

/// The most findings that a range cites: "[2-5]" does, "[1990-2024]" does not.
const MOST: usize = 20;

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

/// The places of program text: what stands between two equal runs of backticks, with these.
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
