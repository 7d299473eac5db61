//! Editions: pages and sections whose names differ only in a number, as in release notes.
//!
//! It reads only names: if a question names the number of one edition, the others are off topic.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::changelog::is_version_note;
use super::near_duplicates::without_brackets;
use super::phrases::is_cue;
use super::question::framed;
use super::topic::Tokens;
use crate::numbers::date_key;
use crate::words::WORDS;
use run::evidence::SourceRef;
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

    /// Whether it has each of these numbers, or a more precise one.
    fn is_of_all(&self, asked: &BTreeSet<String>) -> bool {
        asked.iter().all(|one| self.is_of(&BTreeSet::from([one.clone()])))
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

/// The numbers of editions in a question. A single digit counts only where it is marked as one: "version 3", "v3".
fn asked_for(question: &str) -> BTreeSet<String> {
    let all: Vec<&str> = tokens(question).collect();
    let is_marked = |at: usize| {
        let before = at.checked_sub(1).map(|before| all[before].to_lowercase());
        all[at].starts_with(['v', 'V']) || before.is_some_and(|before| of_version(&before))
    };
    let asked = (0..all.len()).filter_map(|at| Some((at, number(all[at])?)));
    asked.filter(|(at, number)| number.len() > 1 || is_marked(*at)).map(|(_, number)| number.to_owned()).collect()
}

/// Whether a word in small letters stands before the number of an edition.
fn of_version(word: &str) -> bool {
    matches!(word, "version" | "edition" | "release" | "revision")
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

/// The candidates below the name of the edition that a question asks for, and notes on changes in it, if the headings above them
/// contain all names of the question. All of these answer "what is new in 9.0".
pub(super) fn answers(found: &[Candidate], question: &str) -> Vec<usize> {
    let asked = asked_for(question);
    if asked.is_empty() {
        return Vec::new();
    }
    let says_more = |word: &&str| {
        let word = fold(word);
        let is_of_changes = WORDS.of_changes.contains(&*word) || word.starts_with("upgrad");
        !(is_stop(&word) || is_cue(&word) || is_of_changes || number(&word).is_some())
    };
    let question = framed(question).unwrap_or(question);
    let more: Vec<String> = words(question).filter(says_more).map(|word| stem(word, Language::English)).collect();
    let is_answer = |c: &Candidate| {
        let path = || Tokens::of(&c.source.path.replace(|c: char| !c.is_alphanumeric(), " ")).content();
        (over(c).iter().any(|heading| heading.is_of(&asked)) || is_noted(c, &asked))
            && more.iter().all(|stem| c.above.contains(stem) || path().contains(stem))
    };
    let answers: Vec<usize> = (0..found.len()).filter(|at| is_answer(&found[*at])).collect();
    // "Changes between 1.1 and 3.0" answers a question from the one to the other alone.
    let has_all = |at: &usize| over(&found[*at]).iter().any(|heading| asked.len() > 1 && heading.is_of_all(&asked));
    let of_all: Vec<usize> = answers.iter().copied().filter(has_all).collect();
    if of_all.is_empty() { answers } else { of_all }
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

/// The version of a document, as it is compared; in order of age.
pub(super) type Version = Vec<u32>;

/// The versions of two documents whose titles or file names differ in nothing else; None for other documents. A missing
/// version is the lowest. Dates are no versions.
pub(super) fn versions(a: &SourceRef, b: &SourceRef) -> Option<(Version, Version)> {
    let differ = |(name, version): &(String, Option<Version>), (other, its): &(String, Option<Version>)| {
        (name == other && version != its)
            .then(|| (version.clone().unwrap_or_default(), its.clone().unwrap_or_default()))
    };
    let titles = [a, b].map(|source| apart(&source.title));
    if !titles[0].0.contains(char::is_alphabetic) {
        return None;
    }
    if let Some(found) = differ(&titles[0], &titles[1]).filter(|(a, b)| !a.is_empty() && !b.is_empty()) {
        return Some(found);
    }
    let without_ending = |path: &str| path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_owned();
    let paths = [a, b].map(|source| apart(&without_ending(&source.path)));
    if titles[0].0 == titles[1].0 { differ(&paths[0], &paths[1]) } else { None }
}

/// A name without its version, and the version: "leave policy" and 2.1 of "Leave policy 2.1 [draft]" or `leave-policy-2_1`.
fn apart(name: &str) -> (String, Option<Version>) {
    let (mut words, mut found): (Vec<String>, Option<Version>) = (Vec::new(), None);
    let plain = without_asides(name);
    let mut tokens = tokens(&plain).peekable();
    while let Some(token) = tokens.next() {
        let is_marked = token.starts_with(['v', 'V']) || words.last().is_some_and(|word| of_version(word));
        let Some(first) = number(token) else {
            words.push(fold(token).into_owned());
            continue;
        };
        let mut digits = first.to_owned();
        while let Some(next) = tokens.next_if(|next| number(next).is_some()) {
            digits.extend([".", next]);
        }
        let version = date_key(&digits);
        let is_date = version.first().is_some_and(|first| *first >= FIRST_YEAR);
        if found.is_none() && !is_date && (is_marked || digits.contains('.')) {
            found = Some(version);
        } else {
            words.push(digits);
        }
    }
    words.retain(|word| !of_version(word));
    (words.join(" "), found)
}

/// From here on the first number of a version is that of a year.
const FIRST_YEAR: u32 = 1000;

/// A title without its words in brackets, such as its status: "[draft]".
fn without_asides(title: &str) -> String {
    let mut depth = 0_usize;
    let is_outside = |c: &char| match c {
        '(' | '[' => {
            depth += 1;
            false
        }
        ')' | ']' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    };
    title.chars().filter(is_outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_differ_in_a_version_alone_are_editions_of_one() {
        let document = |path: &str, title: &str| SourceRef { path: path.into(), ..source(title) };
        for ((path, title), (other_path, other), wanted) in [
            (("a.md", "Wire format 1.0"), ("b.md", "Wire format 2.0 [draft]"), Some((vec![1, 0], vec![2, 0]))),
            (("leave-v1.md", "Leave"), ("leave-v3.md", "Leave"), Some((vec![1], vec![3]))),
            (("v1.md", "Leave"), ("v3.md", "Leave"), Some((vec![1], vec![3]))),
            (("leave.md", "Leave"), ("leave-v3.md", "Leave"), Some((vec![], vec![3]))),
            (("spec_1_2.md", "Spec"), ("spec_2_0.md", "Spec"), Some((vec![1, 2], vec![2, 0]))),
            (("a.md", "Leave, version 2"), ("b.md", "Leave, version 3"), Some((vec![2], vec![3]))),
            (("a.md", "Wire format 1.0"), ("b.md", "Wire format 2.0 for clients"), None),
            (("a.md", "Chapter 1"), ("b.md", "Chapter 2"), None),
            (("2024-01-02.md", "Meeting"), ("2024-02-03.md", "Meeting"), None),
            (("leave.md", "Leave"), ("sick-v3.md", "Leave"), None),
            (("leave.md", "Leave"), ("old/leave.md", "Leave"), None),
        ] {
            let found = versions(&document(path, title), &document(other_path, other));
            assert_eq!(found, wanted, "{path} {title} {other_path} {other}");
        }
    }

    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::Block;
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
