//! The word lists of `prompts/words.toml`, which gives the purpose of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let lists = toml::from_str(include_str!("prompts/words.toml"));
    lists.expect("the file is built in, and a test reads it")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub cues: BTreeSet<String>,
    pub frames: Cues,
    pub qualifiers: BTreeSet<String>,
    pub actions: BTreeSet<String>,
    pub history: Cues,
    pub how_so_far: Cues,
    pub developments: Cues,
    pub changes: Cues,
    pub of_changes: BTreeSet<String>,
    pub version_notes: Cues,
    pub origins: Cues,
    pub pros_and_cons: Cues,
    pub causes: Cues,
    pub procedures: Cues,
    pub program_text: BTreeSet<String>,
    pub finite_verbs: BTreeSet<String>,
    pub requests: BTreeSet<String>,
    pub of_headings: BTreeSet<String>,
    pub asking: BTreeSet<String>,
    pub ranks: BTreeSet<String>,
    pub connectives: Cues,
    pub also_known_as: Cues,
    pub proposals: BTreeSet<String>,
    pub restrictions: Cues,
    pub of_other_languages: BTreeSet<String>,
    pub of_nothing_before: BTreeSet<String>,
    pub of_the_page: Cues,
    pub of_the_page_first: Cues,
    pub first_person: BTreeSet<String>,
    pub machines: Cues,
    pub orders: Cues,
    pub elsewhere: BTreeSet<String>,
    pub legal: BTreeSet<String>,
    pub asks_for_law: Cues,
    pub furniture: BTreeSet<String>,
    pub turning: BTreeSet<String>,
    pub turning_first: BTreeSet<String>,
    pub turning_introductions: Cues,
    pub describing_columns: BTreeSet<String>,
    pub kinds: BTreeSet<String>,
    pub asks_for_entries: BTreeSet<String>,
    pub defining_verbs: BTreeSet<String>,
    pub asks_for_a_number: Cues,
    pub units_of_time: BTreeSet<String>,
    pub number_words: BTreeSet<String>,
    pub asks_for_a_definition: Cues,
    pub asks_what_it_does: Cues,
    pub does: Cues,
    pub asked_of_a_thing: BTreeSet<String>,
    pub asks_for_a_limit: Cues,
    pub limits: Cues,
    pub asks_for_removals: Cues,
    pub not_for_removals: Cues,
    pub removals: Cues,
    pub asks_for_documents: BTreeSet<String>,
    pub overviews: BTreeSet<String>,
    pub of_documents: BTreeSet<String>,
    pub beside_overviews: BTreeSet<String>,
    pub leaning: BTreeSet<String>,
    pub pronouns: BTreeSet<String>,
    pub tell_about: Cues,
    pub would_know: Cues,
    pub before_a_question: BTreeSet<String>,
    pub measures: BTreeSet<String>,
    pub of_any_setting: BTreeSet<String>,
    pub auxiliaries: BTreeSet<String>,
    pub of_sentences: BTreeSet<String>,
    pub asks_which: BTreeSet<String>,
    pub choosing: BTreeSet<String>,
    pub before_kinds: BTreeSet<String>,
    pub kinds_of: BTreeSet<String>,
    pub there_are: BTreeSet<String>,
    pub after_kinds: BTreeSet<String>,
    pub before_names: Cues,
    pub contrasts: Cues,
    pub held_against: BTreeSet<String>,
    pub over_drawbacks: BTreeSet<String>,
    pub drawbacks: Cues,
    pub over_advantages: BTreeSet<String>,
    pub advantages: Cues,
    pub of_use: Cues,
    pub because: Cues,
    pub steps: Cues,
    pub of_what_was_read: BTreeSet<String>,
    pub told: BTreeSet<String>,
    pub lacks: BTreeSet<String>,
    pub of_finding: BTreeSet<String>,
    pub of_more: BTreeSet<String>,
    pub leaving_out: BTreeSet<String>,
    pub telling: BTreeSet<String>,
    pub found: BTreeSet<String>,
    pub of_clauses: BTreeSet<String>,
    pub subjects: BTreeSet<String>,
    pub prepositions: BTreeSet<String>,
    pub before_objects: BTreeSet<String>,
    pub relating: Cues,
    pub pointing_back: BTreeSet<String>,
    pub languages: BTreeMap<String, BTreeSet<String>>,
    pub of_gaps: BTreeSet<String>,
    pub narrows_a_gap: BTreeSet<String>,
    pub prices: BTreeSet<String>,
    pub general: BTreeSet<String>,
    pub modals: BTreeSet<String>,
    pub sure: BTreeSet<String>,
    pub weakeners: BTreeSet<String>,
    pub opposites: Vec<BTreeSet<String>>,
    pub contraries: Vec<BTreeSet<String>>,
    pub beyond: BTreeSet<String>,
    pub parts: BTreeSet<String>,
    pub hedges: BTreeSet<String>,
    pub hedged: BTreeSet<String>,
    pub denials: BTreeSet<String>,
    pub bans: BTreeSet<String>,
    pub denying_phrases: Cues,
    pub in_place_of: Cues,
    pub bare_answers: BTreeSet<String>,
    pub unsaid: BTreeSet<String>,
    pub courtesies: Cues,
    pub lists_of_changes: BTreeSet<String>,
    pub being_there: BTreeSet<String>,
    pub denying: BTreeSet<String>,
    pub leaving_open: BTreeSet<String>,
    pub unsure: BTreeSet<String>,
    pub knowing: BTreeSet<String>,
    pub advice: BTreeSet<String>,
    pub rules: BTreeSet<String>,
    pub usual: BTreeSet<String>,
    pub consents: BTreeSet<String>,
    pub computing: BTreeSet<String>,
    pub reporting: Cues,
    pub summing_up: Cues,
    pub roughly: BTreeSet<String>,
    pub periods: BTreeMap<String, BTreeSet<String>>,
    pub modal_answers: BTreeMap<String, BTreeSet<String>>,
    pub quantities: BTreeMap<String, i64>,
    pub ordinals: BTreeMap<String, u64>,
    pub fractions: BTreeMap<String, u64>,
    pub numerals: BTreeMap<String, u64>,
    pub multiples: BTreeMap<String, u32>,
}

/// Phrases that are looked for within a text.
#[derive(Deserialize)]
pub(super) struct Cues(Vec<String>);

impl Cues {
    /// Whether one of them stands anywhere in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.0.iter().any(|cue| text.contains(cue.as_str()))
    }

    /// The rest of a text after each cue that stands in it.
    pub fn rests<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.splits(text).map(|(_, rest)| rest)
    }

    /// The text before and after the first place of each cue that stands in it.
    pub fn splits<'t>(&self, text: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.0.iter().filter_map(|cue| text.split_once(cue.as_str()))
    }

    /// Whether a text ends with one of them.
    pub fn end(&self, text: &str) -> bool {
        self.0.iter().any(|cue| text.ends_with(cue.as_str()))
    }

    /// The first of them that a text begins with.
    pub fn beginning(&self, text: &str) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|cue| text.starts_with(cue))
    }
}

/// Whether one of the first words of a text is in a list.
pub(super) fn has_word(text: &str, first: usize, list: &BTreeSet<String>) -> bool {
    text::words::words(text).take(first).any(|word| list.contains(text::words::fold(word).as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        assert!(WORDS.cues.contains("compare") && WORDS.of_the_page.are_in("click here"));
    }
}
