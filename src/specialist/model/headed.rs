//! Sentences that only head what follows them: "Two limits remain." They rest on what that rests on.

use crate::gate::denial::negates;
use crate::words::WORDS;
use run::FindingId;
use run::brief::{Piece, Sentence};
use text::identifiers::identifiers;
use text::words::{fold, words};

/// The most words of such a sentence.
const MOST_WORDS: usize = 6;

/// Gives the sentences that head the rest of their paragraph, or the list, table or program text behind it, the citations of that.
pub(super) fn cite(pieces: &mut [Piece]) {
    for at in 0..pieces.len() {
        let (before, behind) = pieces.split_at_mut(at + 1);
        let Some(Piece::Paragraph { sentences }) = before.last_mut() else { continue };
        let Some((first, rest)) = sentences.split_first_mut() else { continue };
        let next = behind.first().filter(|next| rest.is_empty() && is_headed_by_nothing_else(next));
        let below: Vec<&Sentence> = rest.iter().chain(next.into_iter().flat_map(Piece::sentences)).collect();
        if heads(first) && below.iter().all(|sentence| !sentence.cites.is_empty()) {
            first.cites = cited_by(&below);
        }
    }
}

/// Whether a list, a table or program text has no line of its own that introduces it.
fn is_headed_by_nothing_else(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::List { label: None, .. } | Piece::Table { label: None, .. } | Piece::Code { label: None, .. }
    )
}

/// The findings that sentences cite, each once.
fn cited_by(sentences: &[&Sentence]) -> Vec<FindingId> {
    let mut all = Vec::new();
    for id in sentences.iter().flat_map(|sentence| &sentence.cites) {
        if !all.contains(id) {
            all.push(*id);
        }
    }
    all
}

/// Whether a sentence without a citation is short, and has no figure, no name, no rank and no denial that would need one of its own.
fn heads(sentence: &Sentence) -> bool {
    let text = sentence.text.as_str();
    let is_name = |word: &str| word.starts_with(char::is_uppercase);
    let needs_its_own = |word: &str| word.contains(|c: char| c.is_ascii_digit()) || WORDS.ranks.contains(&*fold(word));
    sentence.cites.is_empty()
        && words(text).count() <= MOST_WORDS
        && !text.contains('`')
        && !negates(text)
        && identifiers(text).next().is_none()
        && !words(text).skip(1).any(is_name)
        && !words(text).any(needs_its_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::AssignmentId;

    fn says(text: &str, cites: &[u32]) -> Sentence {
        let cites = cites.iter().map(|n| FindingId::new(AssignmentId::nth(1), *n)).collect();
        Sentence { text: text.into(), cites }
    }

    #[test]
    fn a_short_sentence_before_others_rests_on_what_they_rest_on() {
        let cited = |first: &str, rest: &[Sentence], behind: Option<Piece>| {
            let sentences = std::iter::once(says(first, &[])).chain(rest.iter().cloned()).collect();
            let mut pieces: Vec<Piece> = std::iter::once(Piece::Paragraph { sentences }).chain(behind).collect();
            cite(&mut pieces);
            pieces[0].sentences().next().unwrap().cites.iter().map(|id| id.n).collect::<Vec<_>>()
        };
        let rest = [says("It is slow.", &[1, 2]), says("It is large.", &[2])];
        let list = || Some(Piece::List { label: None, first: None, items: vec![says("It is slow", &[3]).into()] });
        let paragraph = || Some(Piece::Paragraph { sentences: vec![says("It is slow.", &[3])] });
        assert_eq!(cited("Two limits remain.", &rest, None), [1, 2]);
        assert_eq!(cited("Two limits remain.", &[], list()), [3]);
        assert!(cited("Two limits remain.", &[], paragraph()).is_empty(), "it stands alone");
        assert!(cited("Two limits remain.", &[says("It is slow.", &[])], None).is_empty());
        for first in [
            "There are 2 limits.",
            "It is the fastest.",
            "No limit remains.",
            "Then Qdrant is right.",
            "Use `work` then.",
            "All of these limits remain where nothing else was set before.",
        ] {
            assert!(cited(first, &rest, None).is_empty(), "{first}");
        }
    }
}
