//! The strict support check: a claim is its quote after logged edits, and nothing else.
//!
//! That the words of a claim occur in its passage is not support: a negated claim passes such a check 98 times in 100.

use crate::run::finding::{Finding, WordsOf, apply};
use crate::run::handoff::Passage;

use super::claim::{Around, check_edit};

/// Why a claim is not supported by its quote.
pub(super) type Unsupported = String;

/// Whether the claim is its quote after logged edits, each within its rule. Claims in the person's own words are
/// the person's to answer for and pass.
pub(super) fn strict(finding: &Finding, passages: &[Passage]) -> Result<(), Unsupported> {
    if finding.words_of != WordsOf::Source {
        return Ok(());
    }
    let passage = passage_of(finding, passages);
    let around = passage.map(|passage| Around { title: &passage.source.title, block: &passage.block });
    for edit in &finding.edits {
        check_edit(edit, &finding.quote, around.as_ref())?;
    }
    match apply(&finding.quote, &finding.edits) {
        Some(claim) if claim == finding.claim.as_str() => Ok(()),
        Some(_) => Err("the claim is not what its edits make of the quote".into()),
        None => Err("an edit does not fit the quote".into()),
    }
}

/// Whether the quote stands in the stored passage, to the letter, where the finding says it does.
pub(super) fn quoted(finding: &Finding, passages: &[Passage]) -> Result<(), Unsupported> {
    let Some(place) = &finding.place else {
        return if finding.words_of == WordsOf::Person { Ok(()) } else { Err("it names no place".into()) };
    };
    let Some(passage) = passage_of(finding, passages) else {
        return Err(format!("its passage ({place}) is not among those that this run has read"));
    };
    match passage.block.text.get(place.start as usize..place.end as usize) {
        Some(found) if found == finding.quote.as_str() && !found.is_empty() => Ok(()),
        _ => Err(format!("{place} does not hold the quote to the letter")),
    }
}

/// The stored passage a finding quotes from.
pub(super) fn passage_of<'a>(finding: &Finding, passages: &'a [Passage]) -> Option<&'a Passage> {
    let place = finding.place.as_ref()?;
    passages.iter().find(|passage| passage.source.id == place.source.id && passage.block.no == place.block)
}
