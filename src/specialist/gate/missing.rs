//! Whether the thing that a gap reports missing was found: a gap that names one thing, all of whose words are in a finding.

use std::collections::BTreeSet;

use super::denial::{clauses, denies_firmly, negates};
use super::figures::figures;
use crate::words::WORDS;
use run::finding::Finding;
use text::Clean;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, word_indices, words};

/// Whether a finding states what a gap says is missing altogether. A gap that asks for more, or why and how, may be one all the same.
pub fn is_found(gap: &str, finding: &Finding, things: &[Clean]) -> bool {
    let Some(missing) = Missing::of(gap, things) else { return false };
    let claim = finding.claim.as_str();
    if !missing.is_of_its_thing(finding) {
        return false;
    }
    let headings = finding.place.as_ref().map(|place| place.headings.join(" ")).unwrap_or_default();
    let affirmed = sentences(claim).into_iter().map(|at| &claim[at]).flat_map(|said| match denies_firmly(said) {
        true => clauses(said),
        false => vec![said],
    });
    let mut said = affirmed.map(|said| match (missing.asks_for_rules, denial_in(said)) {
        (false, Some(at)) => (said, &said[at..]),
        _ => (said, said),
    });
    said.any(|(whole, said)| missing.is_in(whole, said, &headings))
}

/// Whether one of these lines on things not found names all that a gap reports missing.
pub(super) fn is_in_a_shortfall(gap: &str, shortfalls: &[Clean]) -> bool {
    let own: BTreeSet<String> = own_words(gap).iter().map(|word| stem(word, Language::English)).collect();
    let names = |line: &Clean| own.is_subset(&stems_of(line));
    !own.is_empty() && shortfalls.iter().any(names)
}

/// The place where the denial of a text begins: "there is no water" tells of water, "backups do not" nothing of backups.
fn denial_in(text: &str) -> Option<usize> {
    word_indices(text).find(|(_, word)| negates(word)).map(|(at, _)| at)
}

fn stems_of(text: &str) -> BTreeSet<String> {
    content_stems(text, Language::English).into_iter().collect()
}

/// The words of a gap that name the missing thing.
fn own_words(gap: &str) -> Vec<String> {
    let lists = [&WORDS.lacks, &WORDS.told, &WORDS.of_what_was_read, &WORDS.of_gaps, &WORDS.measures];
    let is_own = |word: &String| !is_stop(word) && !negates(word) && !lists.iter().any(|list| list.contains(word));
    words(gap).map(|word| fold(word).into_owned()).filter(is_own).collect()
}

/// The thing that a gap reports missing.
struct Missing {
    /// The stems of its words, without those of the things that the question names.
    stems: BTreeSet<String>,
    /// The stems of each of these things that it names.
    things: Vec<BTreeSet<String>>,
    /// All its words in lower case.
    words: Vec<String>,
    asks_for_price: bool,
    asks_for_rules: bool,
}

impl Missing {
    /// None for a gap that may be narrower than the findings.
    fn of(gap: &str, things: &[Clean]) -> Option<Missing> {
        let all: Vec<String> = words(gap).map(|word| fold(word).into_owned()).collect();
        let is_measure = |n: usize| all.get(n + 1).is_some_and(|next| WORDS.measures.contains(next));
        let narrows = |n: usize, word: &str| match word {
            "how" => !is_measure(n),
            "who" | "when" => false,
            _ => WORDS.narrows_a_gap.contains(word),
        };
        if all.iter().enumerate().any(|(n, word)| narrows(n, word)) {
            return None;
        }
        let things: Vec<BTreeSet<String>> = things.iter().map(|thing| stems_of(thing)).collect();
        let of_things: BTreeSet<String> = things.iter().flatten().cloned().collect();
        let own = own_words(gap);
        let named = |thing: &BTreeSet<String>| !thing.is_empty() && thing.is_subset(&stems_of(gap));
        let things = things.into_iter().filter(named).collect();
        let has = |list: &BTreeSet<String>| own.iter().any(|word| list.contains(word));
        let (asks_for_price, asks_for_rules) = (has(&WORDS.prices), own.iter().any(|word| word.starts_with("rule")));
        let is_told_apart = |word: &&String| !WORDS.prices.contains(*word) && !word.starts_with("rule");
        let stems = own.iter().filter(is_told_apart).map(|word| stem(word, Language::English));
        let stems: BTreeSet<String> = stems.filter(|stem| !of_things.contains(stem)).collect();
        (!stems.is_empty()).then_some(Missing { stems, things, words: all, asks_for_price, asks_for_rules })
    }

    /// Whether a finding is of a thing that it names, if it names any: its task, what stands above it or its claim has the name.
    fn is_of_its_thing(&self, finding: &Finding) -> bool {
        let above = finding.places().flat_map(|place| place.headings.iter().chain([&place.source.title]));
        let named: BTreeSet<String> =
            above.chain([&finding.subtopic, &finding.claim]).flat_map(|text| stems_of(text)).collect();
        self.things.is_empty() || self.things.iter().any(|thing| thing.is_subset(&named))
    }

    /// Whether a text has all its words, one at least not only in the headings above it, and answers its question.
    fn is_in(&self, whole: &str, said: &str, headings: &str) -> bool {
        let (own, above) = (stems_of(said), stems_of(headings));
        let has = |list: &BTreeSet<String>| words(whole).any(|word| list.contains(&*fold(word)));
        self.stems.iter().all(|stem| own.contains(stem) || above.contains(stem))
            && !self.stems.is_disjoint(&own)
            && (!self.asks_for_price || says_a_price(whole))
            && (!self.asks_for_rules || has(&WORDS.rules) || has(&WORDS.bans))
            && self.is_answered_by(whole)
    }

    /// Whether a text has the name, the number or the date that a question word asks for.
    fn is_answered_by(&self, said: &str) -> bool {
        let is_asked = |word: &str| self.words.iter().any(|own| own == word);
        let is_new = |written: &str| !words(written).any(|word| self.words.contains(&fold(word).into_owned()));
        let has_figure = || figures(said).iter().any(|figure| is_new(figure.written));
        let is_name =
            |word: &str| word.starts_with(char::is_uppercase) && !self.words.contains(&fold(word).into_owned());
        let names = || words(said).skip(1).any(|word| !is_stop(word) && is_name(word));
        let limits = || words(said).any(|word| fold(word) == "only");
        (!is_asked("how") && !is_asked("when") || has_figure()) && (!is_asked("who") || names() || limits())
    }
}

/// Whether a text says what something costs: "paid leave" and "at full pay" do not, without an amount.
fn says_a_price(text: &str) -> bool {
    const PAID: [&str; 3] = ["paid", "pay", "pays"];
    let is_price = |word: &str| word == "free" || WORDS.prices.contains(word) && !PAID.contains(&word);
    text.contains(['$', '€', '£']) || words(text).any(|word| is_price(&fold(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::finding;

    #[test]
    fn paid_leave_says_nothing_of_a_cost_and_an_amount_does() {
        for (claim, wanted) in [
            ("Parents get six weeks of leave at full pay.", false),
            ("Every three years they may take a paid sabbatical.", false),
            ("A night costs 42 euros.", true),
            ("They pay $500 a month.", true),
            ("It is free for students.", true),
        ] {
            assert_eq!(says_a_price(claim), wanted, "{claim}");
        }
    }

    #[test]
    fn a_gap_that_tells_a_part_of_a_shortfall_is_in_it() {
        let shortfalls = ["Ferrobox: No figures of memory per index, and no recall figures.".into()];
        assert!(is_in_a_shortfall("Not stated: memory per index in Ferrobox.", &shortfalls));
        assert!(!is_in_a_shortfall("Not stated: memory of a snapshot in Ferrobox.", &shortfalls));
        assert!(!is_in_a_shortfall("Nothing was found.", &shortfalls));
    }

    #[test]
    fn a_finding_is_about_what_the_headings_above_it_name() {
        let mut found = finding(0, "Prices", "A night costs 42 euros with breakfast.");
        let gap = "The price of a night at Birch House.";
        assert!(!super::is_found(gap, &found, &[]));
        if let Some(place) = &mut found.place {
            place.headings = ["Birch House".into()].into();
        }
        assert!(super::is_found(gap, &found, &[]));
    }

    #[test]
    fn a_gap_on_one_thing_is_met_by_a_finding_on_that_thing_alone() {
        let things = ["smtpd_client_restrictions", "smtpd_recipient_restrictions"].map(Clean::from);
        let gap = "Not stated: the default of smtpd_recipient_restrictions.";
        let said = |claim: &str, subtopic: &str| {
            let found = Finding { claim: claim.into(), subtopic: subtopic.into(), ..finding(0, "postconf", claim) };
            super::is_found(gap, &found, &things)
        };
        assert!(!said(
            "The default of smtpd_client_restrictions is to allow all requests.",
            "smtpd_client_restrictions"
        ));
        assert!(said("The default of smtpd_recipient_restrictions is empty.", "others"));
        assert!(said("The default is empty.", "smtpd_recipient_restrictions"));
    }

    #[test]
    fn a_gap_whose_words_are_all_in_a_finding_is_none() {
        let things = [Clean::from("Ferrobox")];
        let is_found = |gap: &str, claim: &str| {
            let found = Finding { claim: claim.into(), ..finding(0, "Ferrobox", claim) };
            super::is_found(gap, &found, &things)
        };
        for (gap, claim) in [
            ("Nothing was found about retries.", "A failed job is retried up to five times."),
            (
                "Nothing was found about encryption at rest.",
                "Ferrobox encrypts payloads at rest on the team plan only.",
            ),
            ("The documents do not say what the team plan costs.", "The team plan of Ferrobox costs $199."),
            (
                "The documents do not say how many nodes the small plan has.",
                "The small plan has 24 nodes and no support.",
            ),
            ("Not stated: the price of a migration.", "A migration by the vendor costs about 3,500 euros."),
            ("Nothing was found about cold storage.", "There is no cold storage in the first region."),
            ("Who maintains the driver is not mentioned.", "The driver has 36 options and is maintained by Ann Brand."),
            ("Not stated: who may delete a queue.", "Only admins may delete a queue."),
            ("Not stated: rules for guests.", "Guests are not allowed in the pool, except auditors."),
            ("When version 3 was released is not stated.", "Version 3 was released on 4 March 2024."),
        ] {
            assert!(is_found(gap, claim), "{gap}");
        }
        for (gap, claim) in [
            ("Nothing was found about retries of snapshots.", "A failed job is retried up to five times."),
            ("Why failed jobs are retried is not known.", "A failed job is retried up to five times."),
            ("Nothing further was found about retries.", "A failed job is retried up to five times."),
            ("How Ferrobox compares with RabbitMQ is not said.", "Ferrobox holds 50,000 jobs."),
            ("Nothing was found about backups.", "Backups do not include the queue."),
            ("Nothing was found about Ferrobox.", "Ferrobox is a queue."),
            ("The documents do not say how many nodes the small plan has.", "The small plan has nodes."),
            ("Not stated: the price of a migration.", "A migration by the vendor takes 3 days."),
            ("Who maintains the driver is not mentioned.", "The driver is maintained well."),
            ("When version 3 was released is not stated.", "Version 3 was released late."),
            ("Not stated: rules for guests.", "Guests like the pool."),
        ] {
            assert!(!is_found(gap, claim), "{gap}");
        }
    }
}
