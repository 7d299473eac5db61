//! Splits text into sentences.
//!
//! UAX 29 alone breaks after `U.S.`, `Dr.`, `e.g.`, `Fig.`, initials and `3. Oktober`, and never before a sentence that
//! begins with a lower-case letter, as program names do. This scanner handles those.

use std::ops::Range;

use super::words::is_stop;

/// Byte ranges of the sentences of `text`, trimmed, in order. No range splits a word.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in ends(text).into_iter().chain([text.len()]) {
        let part = &text[start..end];
        let from = start + (part.len() - part.trim_start().len());
        let to = start + part.trim_end().len();
        if from < to {
            found.push(from..to);
        }
        start = end;
    }
    found
}

/// Offsets after each sentence that another one can follow.
fn ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    let in_brackets = in_brackets(text);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\n' && text[at + 1..].starts_with('\n') {
            ends.push(at);
            start = at;
            continue;
        }
        let wide = matches!(c, '。' | '！' | '？');
        if !wide && !matches!(c, '.' | '!' | '?' | '…') {
            continue;
        }
        // Include further marks, closing quotes and brackets.
        let mut end = at + c.len_utf8();
        while let Some(&(next_at, next)) = chars.peek() {
            if !is_mark(next) && !closes(next) {
                break;
            }
            end = next_at + next.len_utf8();
            chars.next();
        }
        let rest = &text[end..];
        if rest.is_empty() || is_within(&in_brackets, end) || !(wide || rest.starts_with(char::is_whitespace)) {
            continue;
        }
        if wide || is_end(&text[start..at], &text[at..end], rest.trim_start()) {
            ends.push(end);
            start = end;
        }
    }
    ends
}

/// From each opening round bracket to its closing one, in order and without those within others: no sentence ends inside. A
/// bracket without a partner in its paragraph is a sign like any other.
fn in_brackets(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => {
                let Some(from) = open.pop() else { continue };
                while found.last().is_some_and(|inner| inner.start > from) {
                    found.pop();
                }
                found.push(from..at);
            }
            b'\n' if text.as_bytes().get(at + 1) == Some(&b'\n') => open.clear(),
            _ => {}
        }
    }
    found
}

/// Whether a place is within one of these ranges, which are in order.
fn is_within(ranges: &[Range<usize>], place: usize) -> bool {
    let before = ranges.partition_point(|range| range.start < place);
    before.checked_sub(1).is_some_and(|last| place <= ranges[last].end)
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…')
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | '\u{2019}' | '\u{201d}' | '»' | ')' | ']')
}

/// Whether the mark ends a sentence, given the text before and after it.
fn is_end(before: &str, mark: &str, after: &str) -> bool {
    let Some(next) = after.chars().next() else { return false };
    if is_mark(next) || matches!(next, ',' | ';' | ':' | ')' | '}' | '-' | '–' | '—' | '=' | '<' | '>') {
        return false;
    }
    let small = next.is_lowercase();
    if mark.contains(['"', '\'', '\u{2019}', '\u{201d}', '»']) && small {
        return false; // "Why?" he asked.
    }
    // Dots that stand for words left out: "-exec ... +".
    if mark.starts_with("..") && before.ends_with(' ') {
        return next.is_uppercase();
    }
    if !mark.starts_with('.') || mark.starts_with("..") {
        return !small;
    }
    let token = before.rsplit(char::is_whitespace).next().unwrap_or("");
    // A degree is no initial, and a citation is no abbreviation: "25 °C.", "[3]."
    if token.starts_with('°') || is_citation(token) {
        return true;
    }
    let token = token.trim_start_matches(|c: char| !c.is_alphanumeric());
    if token.is_empty() {
        return !small;
    }
    if is_label_of_caption(before, token) {
        return false;
    }
    let begins = before.trim().len() <= token.len() + 1;
    let word = after.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or("");
    // Only a capitalised function word shows that a new sentence begins: "the U.S. The" but not "the U.S. Army".
    let starts_anew = !small && is_stop(word) && word != "I";
    if token.chars().all(|c| c.is_ascii_digit()) {
        return !(begins || (small && token.len() <= 2) || is_ordinal(before, token, word));
    }
    let folded = token.to_lowercase();
    if NEVER_LAST.contains(&folded.as_str()) {
        return is_word_of_its_own(token);
    }
    let before_number = after.starts_with(|c: char| c.is_ascii_digit());
    if BEFORE_A_NUMBER.contains(&folded.as_str()) && before_number {
        return false;
    }
    if (WEEKDAYS.contains(&token) || WITHIN_A_SENTENCE.contains(&folded.as_str())) && (small || before_number) {
        return false;
    }
    let initial = token.chars().count() == 1 && token.chars().all(char::is_uppercase);
    if initial && is_letter_of_its_own(&before[..before.len() - token.len()]) && begins_a_statement(after) {
        return true;
    }
    let dotted = token.contains('.')
        && token.split('.').all(|part| part.chars().count() == 1 && !part.starts_with(|c: char| c.is_ascii_digit()));
    if initial || dotted || MAY_BE_LAST.contains(&folded.as_str()) {
        return starts_anew;
    }
    true
}

/// Whether a text is only the kind and the number of a figure, before its caption: "Figure 20. Results". `token` is its last word.
fn is_label_of_caption(text: &str, token: &str) -> bool {
    let is_number = token.starts_with(|c: char| c.is_ascii_digit())
        && token.chars().all(|c| c.is_ascii_digit() || ".-".contains(c));
    let mut words = text.split_whitespace();
    is_number && words.next().is_some_and(is_kind_of_caption) && words.next() == Some(token) && words.next().is_none()
}

/// Whether a word stands before the number of a caption: "Figure", "Table".
pub fn is_kind_of_caption(word: &str) -> bool {
    ["figure", "fig.", "table", "listing", "example"].iter().any(|kind| word.eq_ignore_ascii_case(kind))
}

/// Whether a word is the number of a citation: "[3]".
fn is_citation(token: &str) -> bool {
    let number = token.strip_suffix(']').and_then(|rest| rest.rsplit('[').next());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the full stop belongs to a German ordinal: `3. Oktober`, `am 3. Tag`.
fn is_ordinal(before: &str, token: &str, next: &str) -> bool {
    if token.len() > 2 {
        return false;
    }
    let previous = before[..before.len() - token.len()].trim_end().rsplit(char::is_whitespace).next().unwrap_or("");
    MONTHS.split(' ').any(|month| month == next)
        || ["am", "der", "dem", "den", "des", "vom", "zum", "im"].contains(&previous)
}

/// German months.
const MONTHS: &str = "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember";

/// Whether an apparent abbreviation is not written as one: "5 ms.", "in an MR.", "with IE."
fn is_word_of_its_own(token: &str) -> bool {
    matches!(token, "ms" | "MS" | "MR" | "DR" | "IE" | "EG")
}

/// Whether a capital after this text is a name of one letter and no initial of a person: "written in C.", "A and B."
fn is_letter_of_its_own(before: &str) -> bool {
    let mut words = before.split_whitespace().rev();
    let last = words.next().unwrap_or("").to_lowercase();
    let joins = matches!(last.as_str(), "and" | "or")
        && words.next().is_some_and(|word| word.len() == 1 && word.starts_with(char::is_uppercase));
    joins || NAMED_BY_A_LETTER.contains(&last.as_str())
}

/// Whether a text begins as a statement does, with one capitalised word and a verb: "Gadget is …".
fn begins_a_statement(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let subject = words.next().is_some_and(|word| word.ends_with(char::is_alphanumeric));
    subject && words.next().is_some_and(|word| VERBS.contains(&word))
}

/// Stand before a name of one letter.
const NAMED_BY_A_LETTER: &[&str] = &[
    "in", "language", "plan", "option", "class", "type", "column", "step", "grade", "category", "group", "point",
    "node", "host", "drive", "phase", "vitamin", "case", "level", "part", "zone", "site", "team",
];

/// Verbs that follow a subject of one word.
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "can", "cannot", "will", "may", "must", "does", "do", "did",
    "should", "would", "could", "needs", "uses", "runs",
];

/// Abbreviations that never end a sentence.
const NEVER_LAST: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "lt", "capt", "hon", "messrs", "mme", "vs", "e.g", "i.e", "eg", "ie", "cf", "viz",
    "approx", "resp", "fig", "figs", "eq", "eqs", "z.b", "d.h", "u.a", "bzw", "vgl", "bspw", "inkl", "p.ex", "esp",
    "usu", "incl",
];

/// Abbreviations only before a number: "No. 5", but "He said no."
const BEFORE_A_NUMBER: &[&str] =
    &["no", "nos", "vol", "ch", "chap", "art", "p", "pp", "pt", "ver", "op", "par", "sec", "sect"];

/// Abbreviations only before a number or a small letter: "max. 5", "min. length", but "It lasts 5 min. Then it ends."
const WITHIN_A_SENTENCE: &[&str] =
    &["min", "max", "mins", "hrs", "est", "ed", "misc", "temp", "tel", "ca", "nr", "abb", "str", "env"];

/// Days of the week as they are shortened, only before a number or a small letter: "Mon. to Fri. 9 to 5".
const WEEKDAYS: &[&str] = &["Mon", "Tue", "Tues", "Wed", "Thu", "Thur", "Thurs", "Fri", "Sat", "Sun"];

/// Abbreviations that can end a sentence.
const MAY_BE_LAST: &[&str] = &[
    "etc", "al", "inc", "ltd", "co", "corp", "jr", "sr", "a.m", "p.m", "u.s", "u.k", "ph.d", "b.c", "a.d", "dept",
    "usw", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sept", "oct", "nov", "dec", "st", "rev", "gen", "sen",
    "rep", "col", "mt", "ave", "sgt",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn hard_cases() {
        for sentences in [
            &["The U.S. Army bought it.", "It works."] as &[&str],
            &["It was made in the U.S.", "The rest came later."],
            &["Dr. Smith met Mr. Jones.", "They talked."],
            &["Use a tool, e.g. Citus, or none.", "It helps."],
            &["Many (i.e. most) agree.", "Some do not."],
            &["A person who knows it; esp. someone who mends it.", "Others ask."],
            &["See Fig. 3 for details.", "Then go on."],
            &["pgvector vs. Qdrant is a hard choice.", "Both work."],
            &["J. R. R. Tolkien wrote it.", "C. S. Lewis read it."],
            &["Am 3. Oktober 1990 war es so weit.", "Danach nicht mehr."],
            &["Version v1.2.3 is out.", "Version 1.2.4 is not."],
            &["Wait... what happened?", "Nothing."],
            &["It stopped...", "Then it went on."],
            &["It stopped ...", "Then it went on."],
            &["It did not take '-exec ... +' until version 4.2.", "It does now."],
            &["Write acl <name> +log { ... } in it.", "Then it is logged."],
            &["\"Why?\" he asked.", "Nobody knew."],
            &["He said \"Stop.\"", "They stopped."],
            &["Edit setup.py and run it.", "Then read README.md."],
            &["This needs Python 3.11.", "Older versions fail."],
            &["See https://example.org/a.b?c=d.e for more.", "It is short."],
            &["It costs 4.5 GB.", "That is much."],
            &["pgvector is an extension.", "pgvector stores vectors in tables."],
            &["It ended in 2009.", "In 2010 it began again."],
            &["Is it open?", "Yes!", "It is."],
            &["Files (see above. They matter) are kept.", "Others go."],
            &["Tables, indexes, etc. are copied.", "Then they are checked."],
            &["Smith et al. found it.", "It was small."],
            &["He answered no.", "She did not."],
            &["Look at No. 5 in the list.", "It is red."],
            &["Figure 20. Results of the wizard.", "They are right."],
            &["It ends there.", "Table 4.2. The keys of all screens."],
            &["Look at Figure 20.", "Then go on with Table 3.", "It is short."],
            &["The file ends in .txt and is small.", "Keep it."],
            &["1. Take a sample of your own queries.", "Compute the answers once."],
            &["It starts at 9 a.m. on Mondays.", "It ends late."],
            &["Acme Inc. makes it.", "The price is high."],
            &["First line\n\n", "Second paragraph."],
            &["Gizmo was released on Mar. 3, 2020 by Acme.", "It sold well."],
            &["The buffer holds max. 64 KB of data.", "A key has min. two letters.", "Both are checked."],
            &["It waits at most 30 sec.", "The lock is released after that."],
            &["The lock lasts 5 min.", "Readers wait for it."],
            &["An answer takes 5 ms.", "Ms. Jones measured it.", "She opened an MR.", "Nobody read it."],
            &["See Sec. 3 for details.", "It is short."],
            &["Gizmo is written in C.", "Gadget is written in Python."],
            &["Take option A or B.", "Gizmo is slower."],
            &["The book by C. Lewis is old.", "A letter to J. Smith was found in it."],
            &["The certificate is signed by a CA.", "Clients check it."],
            &["Es dauert ca. 5 Tage.", "Der Rest folgt in der Str. 7 danach."],
            &["St. Petersburg is large.", "It is on Main St.", "The house is red."],
            &["Gen. Smith came with Col. Jones.", "They left."],
            &["It is open Mon. to Fri. from nine.", "It rises with the sun.", "Planets do not."],
            &["Set the variable env.", "Programs read it."],
            &["The sign ( opens it.", "It is kept.", "It ends (at last)."],
            &["In a pattern, \\( opens a group.", "Groups are numbered.", "It frees them (see the manual)."],
            &["It holds for [0, 1) and no more.", "The rest (see below. It is long) follows (at last. Or not)."],
            &["It is sad :(\n\n", "It was seen.", "It went (at last)."],
            &["Keep it below 25 °C.", "Store it in the dark."],
            &["It falls to −5 °C.", "Walkers over 14 may go."],
            &["It opens at 1 p.m. [8].", "pgvector is open, too [9][10].", "The rest is closed."],
            &["It was found by J. Smith [3].", "Dr. Jones left."],
            &["これは文です。", "もう一つ。"],
        ] {
            let text = sentences.join(" ");
            let wanted: Vec<&str> = sentences.iter().map(|s| s.trim()).collect();
            assert_eq!(split(&text), wanted, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn ranges_are_ordered_in_bounds_and_never_cut_a_word(text in "([A-Za-z0-9äé]{1,6}|[.!?…\"')( \n]|e\\.g\\. |U\\.S\\. ){0,60}") {
            let mut last = 0;
            for range in sentences(&text) {
                prop_assert!(last <= range.start && range.start < range.end && range.end <= text.len());
                prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
                let before = text[..range.start].chars().next_back();
                let first = text[range.start..].chars().next();
                let cut = |a: Option<char>, b: Option<char>| {
                    a.is_some_and(char::is_alphanumeric) && b.is_some_and(char::is_alphanumeric)
                };
                prop_assert!(!cut(before, first));
                prop_assert!(!cut(text[..range.end].chars().next_back(), text[range.end..].chars().next()));
                last = range.end;
            }
            let kept: String = sentences(&text).into_iter().map(|r| text[r].to_string()).collect();
            prop_assert_eq!(
                kept.split_whitespace().collect::<String>(),
                text.split_whitespace().collect::<String>(),
                "nothing but white space is left out"
            );
        }
    }
}
