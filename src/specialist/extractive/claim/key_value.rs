//! Claims of lines `key: value`. A key that names no thing gives none.

use super::above::named_above;
use super::{Claim, running};
use crate::extractive::edit::{full_stop, insert};
use crate::extractive::headings::{is_called, is_signature, leads_elsewhere};
use crate::extractive::standalone::{
    LEAST_WORDS, MOST_WORDS, addresses_machine, count, first_person, is_code_like, is_meta,
};
use crate::extractive::verb::has_verb;
use crate::words::WORDS;
use run::evidence::{Block, SourceRef};
use run::finding::{EditRule, apply};
use text::sentence::sentences;

/// Claims of `key: value`, with the subject named if the line lacks it; then the rest of a long definition. One of fewer than
/// [`LEAST_WORDS`] says something only where its key is asked for.
pub(super) fn claims(source: &SourceRef, block: &Block, subject: Option<&str>) -> Vec<Claim> {
    let text = block.text.as_str();
    let ranges = sentences(text);
    let Some(first) = ranges.first() else { return Vec::new() };
    // "Description: …" is no key of a thing.
    if WORDS.connectives.beginning(text).is_some() {
        return running::claims(source, block, None, subject, None);
    }
    let key = text.split_once(": ").map_or("", |(key, _)| key);
    // A parameter means nothing without its function.
    let parameter = key == "Parameters"
        || count(key) == 1
            && key.starts_with(char::is_lowercase)
            && block.headings.last().is_some_and(|heading| is_signature(heading));
    if parameter || key.starts_with('[') || is_called(key) || leads_elsewhere(key) || addresses_machine(text) {
        return Vec::new();
    }
    // In "Suggests: This is used to …" the key is the referent of "This".
    let mut end = first.end;
    if count(&text[..end]) < 2 * LEAST_WORDS {
        end = ranges.get(1).map_or(end, |second| second.end);
    }
    let quote = &text[..end];
    let said = quote.split_once(": ").map_or(quote, |(_, said)| said);
    let mut found = Vec::new();
    let n = count(quote);
    let is_whole = n < LEAST_WORDS && !key.is_empty() && end == text.len() && ranges.len() == 1;
    let tells = n >= LEAST_WORDS && (has_verb(said) || said.contains(|c: char| c.is_ascii_digit()));
    if (is_whole || tells)
        && n <= MOST_WORDS
        && !is_code_like(said)
        && !is_meta(quote)
        && !first_person(quote)
        && !said.ends_with(['?', ':'])
    {
        let mut edits = Vec::new();
        let missing = subject.filter(|name| !quote.to_lowercase().contains(&name.to_lowercase()));
        if let Some(name) = missing.filter(|name| named_above(name, source, block)) {
            edits.push(insert(EditRule::NameSubject, 0, format!("[{name}] ")));
        }
        edits.extend(full_stop(quote));
        if let Some(text) = apply(quote, &edits) {
            found.push(Claim { range: 0..end, edits, text, nth: 0 });
        }
    }
    let rest = running::claims(source, block, None, subject, None);
    found.extend(rest.into_iter().filter(|claim| claim.range.start >= end));
    found
}

#[cfg(test)]
mod tests {
    use run::evidence::{Block, BlockKind};

    use crate::extractive::claim::claims;
    use crate::extractive::claim::tests::taken;
    use crate::sample::{block, source};

    #[test]
    fn what_a_form_says_is_told_without_its_key() {
        let told = |text: &str| taken(text, BlockKind::KeyValue, None);
        let said = ["You want each request to be sent on to the other server."];
        assert_eq!(told("Description: You want each request to be sent on to the other server."), said);
        assert_eq!(taken("Answer: This needs a second rule.", BlockKind::Paragraph, None), [""; 0]);
        assert_eq!(taken("For help with rules, see questions 1 and 2.", BlockKind::Paragraph, None), [""; 0]);
    }

    #[test]
    fn a_line_is_judged_by_the_sentence_that_is_quoted_of_it() {
        let told = |text: &str| taken(text, BlockKind::KeyValue, None);
        let line = "Ports: a door for the client of the server. They are kept there.";
        assert_eq!(told(line), [""; 0], "no verb in what is quoted");
        let line = "Ports: the server opens two of them at its start. By which rule?";
        assert_eq!(told(line), ["[Qdrant] Ports: the server opens two of them at its start."]);
    }

    #[test]
    fn a_value_that_is_said_behind_a_line_has_its_key() {
        let told = |text: &str, kind: BlockKind| taken(text, kind, None);
        let text = "receive-interval (10-60000): Configures the minimum interval that the system accepts for its packets. \
                    The default value is 300 milliseconds. A peer with less room may ask for more.";
        let last =
            ["[receive-interval]: The default value is 300 milliseconds.", "A peer with less room may ask for more."];
        for kind in [BlockKind::KeyValue, BlockKind::ListItem] {
            let told = told(text, kind);
            assert_eq!(told[told.len() - 2..], last, "{told:?}");
        }
        let plain = "It has one rule: the server waits for each of its clients. The default value is 300 milliseconds.";
        assert!(!told(plain, BlockKind::Paragraph).iter().any(|claim| claim.contains("rule]")));
    }

    #[test]
    fn a_line_on_an_option_or_a_setting_is_told_with_its_name() {
        let told = |text: &str| {
            let block = Block { kind: BlockKind::KeyValue, ..block(text) };
            claims(&source("annex"), &block, None).into_iter().map(|claim| claim.text).collect::<Vec<_>>()
        };
        for line in [
            "--force: Bypasses the safety checks, so that all data can be lost.",
            "retain_min: This is the least number of archives that are kept.",
        ] {
            assert_eq!(told(line), [line]);
        }
        assert_eq!(told("save(path): Writes the file, which is closed after that."), [""; 0], "a path of what?");
    }
}
