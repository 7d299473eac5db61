//! Other names of what a question names, which the sources themselves tell: "informally known as “the walrus operator”" on a page with the
//! title "Assignment Expressions".

use std::collections::BTreeSet;

use super::headings::{is_a_name, member, unnumbered};
use super::tool_results::ToolResults;
use super::topic::Tokens;
use crate::words::WORDS;
use run::evidence::SourceRef;
use text::common::is_common;
use text::words::{fold, is_stop, words};

/// The most words of a name.
const MOST_WORDS: usize = 4;

/// A name in a question, in small letters, and the name that the sources use for the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alias {
    pub asked: String,
    pub called: String,
}

/// The names in a question for which the sources that were found tell another name.
pub(super) fn aliases(question: &str, results: &ToolResults) -> BTreeSet<Alias> {
    let question = apart(question);
    let hits = results.hits().flat_map(|(_, hits)| hits.hits.iter().map(|hit| (&hit.source, hit.snippet.as_str())));
    let blocks = results.blocks.values().map(|(source, block)| (source, block.text.as_str()));
    hits.chain(blocks).flat_map(|(source, text)| told(&question, source, text)).collect()
}

/// The other names that a text tells for names in a question, which is in small letters.
fn told(question: &str, source: &SourceRef, text: &str) -> Vec<Alias> {
    let lower = fold(text);
    let named = WORDS.also_known_as.splits(&lower).filter_map(|(before, rest)| {
        let asked = name_in(rest).filter(|name| question.contains(&format!(" {name} ")))?;
        let called = called(before).unwrap_or_else(|| title(source));
        let is_other = is_a_name(&called) && !Tokens::of(&called).content().is_subset(&Tokens::of(&asked).content());
        is_other.then_some(Alias { asked, called })
    });
    named.collect()
}

/// The name with which a text begins: up to a mark or a function word.
fn name_in(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['“', '"', '\'', '‘', '`']);
    let text = ["the ", "a ", "an "].iter().find_map(|article| text.strip_prefix(article)).unwrap_or(text);
    let end = text.find(|c: char| !c.is_alphanumeric() && c != ' ' && c != '-').unwrap_or(text.len());
    let name: Vec<&str> = words(&text[..end]).take_while(|word| !is_stop(word)).collect();
    let says = name.iter().any(|word| !is_common(word));
    (says && name.len() <= MOST_WORDS).then(|| name.join(" "))
}

/// The name right before "also known as", if it is one in words of its own.
fn called(before: &str) -> Option<String> {
    let before = before.trim_end().strip_suffix([',', '(', '–', '—'])?.trim_end();
    let clause = before.rsplit(['.', ',', ';', ':', '(', ')', '“', '”']).next()?;
    let name: Vec<&str> = words(clause).collect();
    let from = name.iter().rposition(|word| is_stop(word)).map_or(0, |at| at + 1);
    let name = &name[from..];
    let says = name.len() > 1 || name.iter().any(|word| !is_common(word));
    (says && (1..=MOST_WORDS).contains(&name.len())).then(|| name.join(" "))
}

/// The title of a page without the number in front of it: "Assignment Expressions" of "PEP 572: Assignment Expressions".
fn title(source: &SourceRef) -> String {
    let title = unnumbered(&source.title);
    let is_number = |before: &str| before.ends_with(|c: char| c.is_ascii_digit());
    match title.split_once(": ") {
        Some((before, name)) if is_number(before) => name.to_owned(),
        _ => member(title).to_owned(),
    }
}

/// The words of a text in small letters, each between spaces.
fn apart(text: &str) -> String {
    let mut apart = String::from(" ");
    for word in words(text) {
        apart.push_str(&fold(word));
        apart.push(' ');
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::source;

    #[test]
    fn a_name_that_the_sources_tell_beside_another_stands_for_it() {
        let question = apart("Where is the walrus operator not allowed?");
        let page = SourceRef { title: "PEP 572: Assignment Expressions".into(), ..source("x") };
        let of = |text: &str| told(&question, &page, text).into_iter().map(|alias| alias.called).collect::<Vec<_>>();
        assert_eq!(
            of("The operator became informally known as “the walrus operator”. It is new."),
            ["Assignment Expressions"]
        );
        assert_eq!(of("A named expression (also known as the walrus operator) has a value."), ["named expression"]);
        for other in [
            "It is also known as the walrus operator library.",
            "It is also known as an operator.",
            "The walrus operator is new.",
        ] {
            assert!(of(other).is_empty(), "{other}");
        }
    }
}
