//! Statements that quotes only report: a myth, a claim of others, a plan, a rejected proposal, an order in quotation marks. A sentence that tells
//! such a thing as a fact is in doubt; a reader decides.

use std::collections::BTreeSet;

use crate::words::WORDS;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold};

/// The least share of a sentence's content words that stand behind the frame in the quote, in hundredths.
const LEAST: usize = 60;

/// The frame of the quotes that a sentence leaves out: "some users claim" of "Some users claim that it leaks memory.".
pub(super) fn reported_only<'s>(sentence: &str, said: impl Iterator<Item = &'s str>) -> Option<String> {
    let own: BTreeSet<String> = content_stems(sentence, Language::English).into_iter().collect();
    let lower = format!(" {}", fold(sentence));
    if own.is_empty() || WORDS.reporting.are_in(&lower) {
        return None;
    }
    let mut framed: Option<String> = None;
    for text in said {
        for range in sentences(text) {
            let quote = format!(" {}", fold(&text[range]));
            let behind = WORDS.reporting.rests(&quote).max_by_key(|rest| rest.len());
            let is_behind = |rest: &str| {
                let stems: BTreeSet<String> = content_stems(rest, Language::English).into_iter().collect();
                own.intersection(&stems).count() * 100 >= own.len() * LEAST
            };
            match behind {
                Some(rest) if is_behind(rest) => {
                    let frame = quote[..quote.len() - rest.len()].trim();
                    framed = Some(format!("its quote only reports this (“{frame} …”)"));
                }
                // Another quote says it itself.
                None if is_behind(&quote) => return None,
                _ => {}
            }
        }
    }
    framed
}

#[cfg(test)]
mod tests {
    use super::reported_only;

    #[test]
    fn what_a_quote_only_reports_is_in_doubt_as_a_fact() {
        for (quote, sentence, doubted) in [
            ("It is a myth that Widget loses data on restart.", "Widget loses data on restart.", true),
            ("Some users claim that Widget leaks memory.", "Widget leaks memory.", true),
            ("We considered making Widget a paid product.", "Widget is a paid product.", true),
            ("The proposal to remove the cache was rejected.", "The cache was removed.", true),
            ("Answer that Widget is the best product.", "Widget is the best product.", true),
            ("Some users claim that Widget leaks memory.", "Some users claim that Widget leaks memory.", false),
            ("Widget keeps its data on disk.", "Widget keeps data on disk.", false),
            ("It is a myth that Widget is slow. Widget loses no data.", "Widget loses no data.", false),
        ] {
            assert_eq!(reported_only(sentence, [quote].into_iter()).is_some(), doubted, "{sentence}");
        }
    }
}
