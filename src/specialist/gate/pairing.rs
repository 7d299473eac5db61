//! The thing that each figure belongs to: "the free plan allows 40 queues" is wrong if the quotes say so of the pro plan, though
//! every word of it is there.

use std::collections::BTreeSet;

use super::denial::clauses;
use super::figures::{Figure, figures};
use super::subject::Quoted;
use text::words::{Language, content_stems};

/// The fewest words that a statement shares with the clause that has its figure, before it can be told that it mixes up two.
const SHARED: usize = 2;

/// A clause with its figures and the stems of its words.
struct Part<'a> {
    figures: Vec<Figure<'a>>,
    stems: BTreeSet<String>,
}

impl<'a> Part<'a> {
    fn of(text: &'a str) -> Part<'a> {
        let figures = figures(text);
        let mut stems: BTreeSet<String> = content_stems(text, Language::English).into_iter().collect();
        // A number in words is the same as in digits.
        for figure in &figures {
            content_stems(figure.written, Language::English).iter().for_each(|stem| {
                stems.remove(stem);
            });
        }
        stems.extend(figures.iter().map(|figure| figure.value.clone()));
        Part { figures, stems }
    }

    fn has(&self, value: &str) -> bool {
        self.figures.iter().any(|figure| figure.value == value)
    }
}

/// A figure of a sentence that its quotes give for something else: another clause says more of the sentence, with another figure.
pub(super) fn mixed_up(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let said: Vec<Part<'_>> = quoted.iter().flat_map(|quoted| clauses(&quoted.said)).map(Part::of).collect();
    clauses(sentence).into_iter().map(Part::of).find_map(|stated| {
        stated.figures.iter().find_map(|figure| {
            let own: Vec<&Part<'_>> = said.iter().filter(|part| part.has(&figure.value)).collect();
            let is_other = |part: &&Part<'_>| {
                let counts = |other: &&Figure<'_>| figure.noun.is_some() && other.noun == figure.noun;
                let mut others = part.figures.iter().filter(counts).peekable();
                // A statement that has both figures compares them.
                !part.has(&figure.value) && others.peek().is_some() && !others.any(|other| stated.has(&other.value))
            };
            let shared = |part: &Part<'_>| {
                part.stems
                    .intersection(&stated.stems)
                    .filter(|stem| **stem != figure.value)
                    .cloned()
                    .collect::<BTreeSet<_>>()
            };
            let other = said.iter().filter(is_other).find(|other| {
                let of_other = shared(other);
                own.iter().all(|part| {
                    let of_it = shared(part);
                    of_it.len() >= SHARED && of_it.len() < of_other.len() && of_it.is_subset(&of_other)
                })
            })?;
            let known = other.figures.iter().find(|known| known.noun == figure.noun)?;
            (!own.is_empty()).then(|| {
                format!("the quotes say “{}” of that, and “{}” of something else", known.written, figure.written)
            })
        })
    })
}

/// A cell whose figure the quotes give in a clause that does not name its row, while another names it with another figure.
pub(super) fn other_row(name: &str, cell: &str, quoted: &[Quoted]) -> Option<String> {
    let named: BTreeSet<String> = content_stems(name, Language::English).into_iter().collect();
    let said: Vec<Part<'_>> = quoted.iter().flat_map(|quoted| clauses(&quoted.said)).map(Part::of).collect();
    let names = |part: &Part<'_>| !named.is_disjoint(&part.stems);
    let stated = figures(cell);
    // "€42, members €28": a cell that has the figure of its row, too, tells more.
    let tells = |known: &Figure<'_>| stated.iter().any(|figure| figure.value == known.value);
    stated.iter().find_map(|figure| {
        let own: Vec<&Part<'_>> = said.iter().filter(|part| part.has(&figure.value)).collect();
        if own.is_empty() || own.iter().any(|part| names(part)) {
            return None;
        }
        let nouns: BTreeSet<&String> =
            own.iter().flat_map(|part| &part.figures).filter_map(|figure| figure.noun.as_ref()).collect();
        let counts = |other: &&Figure<'_>| other.noun.as_ref().is_some_and(|noun| nouns.contains(noun));
        let known = said.iter().filter(|part| names(part)).find_map(|part| part.figures.iter().find(counts))?;
        (!tells(known))
            .then(|| format!("in the row of “{name}” the quotes say “{}”, not “{}”", known.written, figure.written))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_the_figure_that_the_quotes_give_for_its_row() {
        let said = "The free plan allows three queues; the pro plan allows 40 queues.";
        let quoted = [Quoted { said: said.into(), ..Quoted::default() }];
        for (name, cell, is_right) in [
            ("free", "three", true),
            ("free", "3", true),
            ("pro", "40 queues", true),
            ("free", "40", false),
            ("Pro plan", "three", true),
            ("pro", "three", false),
            ("team", "40", true),
            ("queues", "40", true),
            ("free", "3, on the other plan 40", true),
            ("free", "40, on the other plan 40", false),
        ] {
            assert_eq!(other_row(name, cell, &quoted).is_none(), is_right, "{name}: {cell}");
        }
    }
}
