//! Values of tables: no statement may give a quoted row's value in one column as the value of another.

use std::collections::BTreeSet;

use super::figures::figures;
use super::subject::Quoted;
use text::words::{Language, content_stems, fold, words};

/// A value that a cell of a draft, below `column`, takes from another column of the quoted row.
pub(super) fn in_other_column(cell: &str, column: &str, quoted: &[Quoted]) -> Option<String> {
    let (wanted, values) = (folded(cell), figures(cell));
    let has = |there: &str| match values.is_empty() {
        true => folded(there).windows(wanted.len().max(1)).any(|part| part == wanted),
        false => figures(there).iter().any(|known| values.iter().any(|value| known.value == value.value)),
    };
    misplaced(&has, &stems(column), quoted)
        .map(|name| format!("“{cell}” stands under “{name}” in the quoted row, not under “{column}”"))
}

/// A figure that a sentence gives for one column and takes from another: "allows 90 queues" of a row with 200 queues and 90 days.
pub(super) fn of_other_column(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    figures(sentence).into_iter().find_map(|figure| {
        let column = BTreeSet::from([figure.noun.clone()?]);
        let has = |cell: &str| figures(cell).iter().any(|known| known.value == figure.value);
        let name = misplaced(&has, &column, quoted)?;
        // "Stage 2 climbs": the word before the figure is the name of its column.
        let before = words(&sentence[..figure.at.start]).last();
        if before.is_some_and(|word| !stems(word).is_disjoint(&stems(name))) {
            return None;
        }
        Some(format!("“{}” stands under “{name}” in the quoted row", figure.written))
    })
}

/// The column that has a value instead of the one that is named; None if the quotes have it elsewhere, or no column of this name.
fn misplaced<'q>(has: &dyn Fn(&str) -> bool, column: &BTreeSet<String>, quoted: &'q [Quoted]) -> Option<&'q str> {
    if column.is_empty() {
        return None;
    }
    let mut found = None;
    for quoted in quoted {
        let (named, others): (Vec<_>, Vec<_>) =
            quoted.row.iter().partition(|(name, _)| !stems(name).is_disjoint(column));
        let is_elsewhere = quoted.row.is_empty() && has(&quoted.said) || named.iter().any(|(_, cell)| has(cell));
        if is_elsewhere {
            return None;
        }
        let other = others.into_iter().find(|(_, cell)| !named.is_empty() && has(cell));
        found = found.or(other.map(|(name, _)| name.as_str()));
    }
    found
}

fn stems(text: &str) -> BTreeSet<String> {
    content_stems(text, Language::English).into_iter().collect()
}

fn folded(text: &str) -> Vec<String> {
    words(text).map(|word| fold(word).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::evidence::{Block, BlockKind};

    fn quoted(row: &str) -> Quoted {
        let block = Block {
            kind: BlockKind::TableRow,
            intro: Some("plan | queues | retention | price per month".into()),
            ..crate::sample::block(row)
        };
        Quoted::new(row, None, Some(&block))
    }

    #[test]
    fn a_value_stands_in_its_column_of_the_quoted_row() {
        let team = [quoted("team | 200 | 90 days | $199")];
        for (cell, column, is_right) in [
            ("200", "Queues", true),
            ("90", "Queues", false),
            ("90 days", "retention", true),
            ("200 days", "retention", false),
            ("$199", "Price", true),
            ("$199", "Retention", false),
            ("90", "Storage", true),
            ("team", "Plan", true),
            ("", "Queues", true),
        ] {
            assert_eq!(in_other_column(cell, column, &team).is_none(), is_right, "{cell} under {column}");
        }
        let told = Quoted { said: "The team plan allows 90 queues.".into(), ..Quoted::default() };
        assert_eq!(in_other_column("90", "Queues", &[quoted("team | 200 | 90 days | $199"), told]), None);
    }

    #[test]
    fn a_figure_of_a_sentence_is_of_the_column_that_the_sentence_names() {
        let team = [quoted("team | 200 | 90 days | $199")];
        assert!(of_other_column("The team plan allows 90 queues.", &team).is_some());
        for right in [
            "The team plan allows 200 queues.",
            "The team plan has a retention of 90 days and costs $199 per month.",
            "Of the team plan, 200 queues are kept for 90 days.",
            "Retention 90 queues up behind the price.",
        ] {
            assert_eq!(of_other_column(right, &team), None, "{right}");
        }
    }
}
