//! The approved findings laid out as a brief, for a run in which no sentence of a draft is left.

use run::brief::{Piece, Section, Sentence};
use run::finding::{Finding, WordsOf};
use specialist::model::begins_with_pronoun;

/// The note under the title of such a brief.
pub(super) const NOTE: &str = "What follows are the findings as they were approved, those of a model as their quotes.";

/// A finding as a sentence. Of a model's finding the quote stands there: neither a gate nor a reviewer has looked at the model's
/// wording of it. A finding that the person or a counting tool vouches for stands as approved.
fn sentence(finding: Finding) -> Sentence {
    let text = if finding.words_of == WordsOf::Model { finding.quote } else { finding.claim };
    Sentence { text, cites: vec![finding.id] }
}

/// A finding as a sentence that can stand among others: its claim, which code has held to its quote; not if it begins with a word that
/// points at what stands before it in its source.
pub(super) fn alone(finding: Finding) -> Option<Sentence> {
    let is_alone = !finding.claim.is_empty() && !begins_with_pronoun(&finding.claim);
    is_alone.then(|| Sentence { text: finding.claim, cites: vec![finding.id] })
}

/// A list for each sub-topic.
pub(super) fn sections(findings: Vec<Finding>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for finding in findings {
        let (subtopic, sentence) = (finding.subtopic.clone(), sentence(finding));
        let known = sections.iter_mut().flat_map(|section| &mut section.pieces).find_map(|piece| match piece {
            Piece::List { items, .. } => {
                items.iter_mut().flat_map(|item| &mut item.0).find(|known| known.text == sentence.text)
            }
            _ => None,
        });
        if let Some(same) = known {
            same.cites.extend(sentence.cites);
            continue;
        }
        match sections.last_mut() {
            Some(Section { heading, pieces }) if *heading == subtopic => {
                if let Some(Piece::List { items, .. }) = pieces.last_mut() {
                    items.push(sentence.into());
                }
            }
            _ => sections.push(Section {
                heading: subtopic,
                pieces: vec![Piece::List { label: None, first: None, items: vec![sentence.into()] }],
            }),
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::super::reviewed::tests::finding;
    use super::*;

    #[test]
    fn a_models_finding_stands_as_its_quote_and_once_and_the_persons_as_they_wrote_it() {
        let of = |n: u32, subtopic: &str, quote: &str, words_of: WordsOf| Finding {
            subtopic: subtopic.into(),
            claim: format!("claim {n}").into(),
            words_of,
            ..finding(n, quote)
        };
        let laid = sections(vec![
            of(1, "Retries", "Up to five times.", WordsOf::Model),
            of(2, "Retries", "Up to five times.", WordsOf::Model),
            of(3, "Retries", "Its own quote.", WordsOf::PersonEdited),
            of(4, "Limits", "At most 8.", WordsOf::Source),
        ]);
        let told: Vec<(&str, Vec<(&str, usize)>)> = laid
            .iter()
            .map(|section| {
                let sentences = section.pieces.iter().flat_map(Piece::sentences);
                (section.heading.as_str(), sentences.map(|one| (one.text.as_str(), one.cites.len())).collect())
            })
            .collect();
        assert_eq!(
            told,
            [("Retries", vec![("Up to five times.", 2), ("claim 3", 1)]), ("Limits", vec![("claim 4", 1)])]
        );
    }
}
