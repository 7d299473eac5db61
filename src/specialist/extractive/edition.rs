//! Editions: pages and sections whose names differ only in a number, as in release notes.
//!
//! It reads only names: if a question names the number of one edition, the others are off topic.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::changelog::is_version_note;
use super::near_duplicates::without_brackets;
use super::phrases::is_cue;
use super::topic::Tokens;
use crate::words::WORDS;
use text::words::{Language, fold, is_stop, stem, words};

/// A heading without its numbers, and the numbers.
#[derive(PartialEq, Eq)]
struct Heading {
    form: String,
    numbers: Vec<String>,
}

impl Heading {
    fn of(text: &str) -> Heading {
        let (mut form, mut numbers) = (String::new(), Vec::new());
        for token in tokens(text) {
            match number(token) {
                // A date counts as one number.
                Some(_) if form.ends_with("# ") => {}
                Some(_) => form.push_str("# "),
                None => form.extend([token.to_lowercase().as_str(), " "]),
            }
            numbers.extend(number(token).map(String::from));
        }
        Heading { form, numbers }
    }

    /// Whether it has one of these numbers, or a more precise one: 2.30.1 belongs to 2.30.
    fn is_of(&self, asked: &BTreeSet<String>) -> bool {
        let of = |number: &String, asked: &String| number.strip_prefix(asked.as_str()).is_some_and(is_finer);
        self.numbers.iter().any(|number| asked.iter().any(|asked| of(number, asked)))
    }
}

fn is_finer(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('.')
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '.')
        .map(|token| token.trim_matches('.'))
        .filter(|it| !it.is_empty())
}

/// A token that is a number or a version: "252", "9.0", "v2.30".
fn number(token: &str) -> Option<&str> {
    let digits = token.strip_prefix(['v', 'V']).unwrap_or(token);
    digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some(digits).filter(|it| !it.is_empty())
}

/// The numbers of editions in a question. A single digit does not count.
fn asked_for(question: &str) -> BTreeSet<String> {
    tokens(question).filter_map(number).filter(|number| number.len() > 1).map(String::from).collect()
}

/// The headings and the title above a candidate.
fn over(c: &Candidate) -> Vec<Heading> {
    let mut over: Vec<Heading> = c.block.headings.iter().map(|heading| Heading::of(heading)).collect();
    // The title of a list of releases may be the name of the first.
    let title = Heading::of(&c.source.title);
    if over.iter().all(|heading| heading.form != title.form) {
        over.push(title);
    }
    over
}

/// The candidates below the name of the edition that a question asks for, and notes on changes in it, if the headings
/// above them contain everything that the question names. All of these answer "what is new in 9.0".
pub(super) fn answers(found: &[Candidate], question: &str) -> Vec<usize> {
    let asked = asked_for(question);
    if asked.is_empty() {
        return Vec::new();
    }
    let says_more = |word: &&str| {
        let word = fold(word);
        !(is_stop(&word) || is_cue(&word) || WORDS.of_changes.contains(&*word) || number(&word).is_some())
    };
    let more: Vec<String> = words(question).filter(says_more).map(|word| stem(word, Language::English)).collect();
    let is_answer = |c: &Candidate| {
        let path = || Tokens::of(&c.source.path.replace(|c: char| !c.is_alphanumeric(), " ")).content();
        (over(c).iter().any(|heading| heading.is_of(&asked)) || is_noted(c, &asked))
            && more.iter().all(|stem| c.above.contains(stem) || path().contains(stem))
    };
    (0..found.len()).filter(|at| is_answer(&found[*at])).collect()
}

/// Whether a candidate notes a change in one of these editions: "Deprecated since version 1.4: …".
fn is_noted(c: &Candidate, asked: &BTreeSet<String>) -> bool {
    let note = is_version_note(&c.claim.text).then(|| without_brackets(&c.claim.text));
    note.is_some_and(|note| {
        Heading::of(note.trim_start_matches(':').split(':').next().unwrap_or_default()).is_of(asked)
    })
}

/// Removes candidates below the name of an edition that the question does not ask for.
pub(super) fn keep_asked(found: &mut Vec<Candidate>, question: &str) {
    let asked = asked_for(question);
    if asked.is_empty() {
        return;
    }
    let mut forms: BTreeSet<String> = BTreeSet::new();
    for candidate in found.iter() {
        forms.extend(over(candidate).into_iter().filter(|heading| heading.is_of(&asked)).map(|heading| heading.form));
    }
    if forms.is_empty() {
        return;
    }
    found.retain(|candidate| {
        let over = over(candidate);
        let is_other = |heading: &Heading| !heading.numbers.is_empty() && forms.contains(&heading.form);
        over.iter().any(|heading| heading.is_of(&asked)) || !over.iter().any(is_other)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::{Block, SourceRef};
    use std::sync::Arc;

    fn found() -> Vec<Candidate> {
        let mut results = ToolResults::default();
        for (no, heading) in [
            (0, "Changes in release 9.0 (2021-09-24) [stable]"),
            (1, "Changes in release 9.0.1 (2021-10-02) [stable]"),
            (2, "Changes in release 8.32 (2020-03-05) [stable]"),
            (3, "How to report a fault"),
        ] {
            let mut block = block(&format!("Sorting is part {no} of it by now."));
            (block.no, block.headings) = (no, Arc::new([heading.into()]));
            results.blocks.insert(("news".into(), no), (source("News"), Arc::new(block)));
        }
        candidates(&results, &Topic::default(), Code::Allowed)
    }

    fn kept(question: &str) -> Vec<String> {
        let mut found = found();
        keep_asked(&mut found, question);
        found.iter().map(|candidate| candidate.block.no.to_string()).collect()
    }

    #[test]
    fn a_list_of_releases_that_is_called_by_its_first_one_has_the_others_as_well() {
        let mut results = ToolResults::default();
        for (no, headings) in [(0, &["Language"][..]), (1, &["Version 1.62.0 (2022-06-30)", "Language"])] {
            let mut block = block(&format!("Sorting is part {no} of it by now."));
            (block.no, block.headings) = (no, headings.iter().map(|heading| (*heading).into()).collect());
            let source = SourceRef { path: "rust-doc/changelog.gz".into(), ..source("Version 1.63.0 (2022-08-11)") };
            results.blocks.insert(("changelog".into(), no), (source, Arc::new(block)));
        }
        let found = candidates(&results, &Topic::default(), Code::Allowed);
        assert_eq!(answers(&found, "What changed in Rust 1.63"), [0]);
        assert_eq!(answers(&found, "What changed in Rust 1.62"), [1]);
    }

    #[test]
    fn a_note_says_in_which_release_something_changed() {
        let mut results = ToolResults::default();
        for (no, text) in [
            (0, "Deprecated since version 1.4: Nested transactions are removed in the next release."),
            (1, "Deprecated since version 1.3: Sequences by name are removed in the next release."),
            (2, "Nested transactions are a feature of version 1.4 and older ones."),
        ] {
            results.blocks.insert(("manual".into(), no), (source("Manual"), Arc::new(Block { no, ..block(text) })));
        }
        let found = candidates(&results, &Topic::default(), Code::Allowed);
        assert_eq!(answers(&found, "which features are deprecated in 1.4"), [0]);
    }

    #[test]
    fn only_the_release_that_is_asked_for_is_told_of() {
        assert_eq!(kept("what's new in 9.0?"), ["0", "1", "3"]);
        assert_eq!(kept("what is new in v8.32, and since when"), ["2", "3"]);
        assert_eq!(
            kept("what is new in 10.1?"),
            ["0", "1", "2", "3"],
            "of an edition that there is not, nothing is known"
        );
        assert_eq!(kept("the 2 ways to sort"), ["0", "1", "2", "3"]);
        let answer = |question: &str| answers(&found(), question).len();
        assert_eq!(answer("What's new in 9.0, and what changed?"), 2);
        assert_eq!(answer("News of version 9.0.1"), 1);
        assert_eq!(answer("how did colours change in 9.0"), 0, "not all that changed is on it");
        assert_eq!(answer("what changed in 10.1"), 0);
    }
}
