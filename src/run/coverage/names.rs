//! The words by which a text names a thing or a side. Reads words only.

use std::sync::LazyLock;

use crate::plan::{Wording, content};
use text::common::share;

/// The words of a common side, each group as one line: a text with any of them is about the side.
const SIDES: &str = "
    speed fast faster slow slower quick performance latency throughput overhead efficient
    cost price fee charge billing expensive cheap
    limit maximum max restriction constraint exceed
    size large small space
    security secure encryption attack vulnerability
    failure fail";

/// A shorter word names no thing without the rest of its name.
const SHORTEST: usize = 3;

static GROUPS: LazyLock<Vec<Wording>> =
    LazyLock::new(|| SIDES.lines().map(Wording::of_stems).filter(|group| !group.is_empty()).collect());

/// The other words by which texts tell of a side; none for most.
pub(super) fn other_words(side: &Wording) -> Wording {
    let group = GROUPS.iter().find(|group| group.names(side));
    group.map_or_else(Wording::default, |group| group.without(side))
}

/// The words by which texts name a thing beside the others: sources say "rollback mode" and "the rollback journal" where a question
/// has "rollback journal mode" beside "WAL mode". The word that two things share tells them not apart, and of the others the rarest
/// one is enough.
pub(super) fn of_thing<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Wording {
    let own = Wording::of_stems(name);
    let others = all.map(Wording::of_stems).filter(|other| *other != own);
    let rest = others.fold(own.clone(), |rest, other| rest.without(&other));
    if rest == own || rest.is_empty() {
        return own;
    }
    let left: Vec<String> = content(name).filter(|word| rest.meets(&Wording::of_stems(word))).collect();
    // "Engine 3" is not named by a 3.
    let is_word = |word: &String| word.chars().nth(SHORTEST - 1).is_some() && word.chars().all(char::is_alphabetic);
    if !left.iter().all(is_word) {
        return own;
    }
    let rarest = left.iter().min_by(|a, b| share(a).total_cmp(&share(b)));
    rarest.map_or(own, |word| Wording::of_stems(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_that_share_a_word_are_told_apart_by_the_rarest_of_the_others() {
        for (name, others, named, unnamed) in [
            ("rollback journal mode", "WAL mode", "In rollback mode readers wait.", "In WAL mode nobody waits."),
            ("WAL mode", "rollback journal mode", "WAL is faster.", "The mode is set once."),
            ("logical replication", "physical replication", "A logical slot keeps files.", "Replication lags."),
            ("Engine 3", "Engine 4", "Engine 3 is old.", "It has 3 parts."),
            ("pgvector", "Qdrant", "pgvector is small.", "Qdrant is fast."),
        ] {
            let thing = of_thing(name, [name, others].into_iter());
            assert!(Wording::of_stems(named).names(&thing), "{name}: {named}");
            assert!(!Wording::of_stems(unnamed).names(&thing), "{name}: {unnamed}");
        }
    }

    #[test]
    fn a_common_side_has_other_words_and_any_other_has_none() {
        let tells = |side: &str, text: &str| Wording::of_stems(text).meets(&other_words(&Wording::of_stems(side)));
        assert!(tells("speed", "WAL is significantly faster."));
        assert!(tells("limits", "At most one, the maximum."));
        assert!(!tells("licence", "It is fast and cheap."));
        assert!(!tells("speed", "It is cheap."));
    }
}
