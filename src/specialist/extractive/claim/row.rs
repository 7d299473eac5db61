//! Claims of the rows of tables, a cell each.

use super::Claim;
use crate::extractive::edit::{full_stop, insert};
use crate::extractive::headings::NO_LABEL;
use crate::extractive::standalone::{LEAST_WORDS, MOST_WORDS, addresses_machine, count, is_code_like};
use crate::words::WORDS;
use run::cells::parted;
use run::evidence::Block;
use run::finding::{EditRule, apply};
use text::words::{fold, words};

/// One claim for each meaningful cell of a row, labelled with row and column.
pub(super) fn claims(block: &Block) -> Vec<Claim> {
    let cells = parted(&block.text);
    let header: Vec<&str> = block
        .intro
        .as_deref()
        .map(|intro| parted(intro).into_iter().map(|(_, cell)| cell).collect())
        .unwrap_or_default();
    let Some((mut first, &(_, name))) = cells.iter().enumerate().find(|(_, (_, cell))| !cell.is_empty()) else {
        return Vec::new();
    };
    let is_bare = !name.contains(char::is_alphabetic);
    // A row that only has a number is told by the cell that describes it, where other cells say something of that.
    let describes =
        |at: usize| header.get(at).is_some_and(|column| WORDS.describing_columns.contains(&*fold(column.trim())));
    let described = cells.get(first + 1).filter(|_| is_bare && describes(first + 1) && cells.len() > first + 2);
    first += usize::from(described.is_some());
    let name = described.map_or(name, |(_, cell)| *cell);
    // A bare number or sign is named by its column: "Argument 0".
    let name = match header.get(first).filter(|column| !column.is_empty()) {
        Some(column) if !name.contains(char::is_alphabetic) => format!("{column} {}", name.trim()),
        _ => name.trim().trim_end_matches(':').to_string(),
    };
    let name = name.as_str();
    if cells.len() < 2 || words(name).next().is_none() || count(name) > 20 || name.contains(NO_LABEL) {
        return Vec::new();
    }
    let is_long = |quote: &str| count(quote) >= LEAST_WORDS + 2;
    let sentences = cells.iter().skip(first + 1).filter(|(_, quote)| is_long(quote)).count();
    let mut found = Vec::new();
    for (nth, (start, quote)) in cells.iter().copied().enumerate().skip(first + 1) {
        let says = is_long(quote);
        let named =
            header.get(nth).is_some_and(|column| !column.trim().is_empty()) || header.is_empty() && cells.len() == 2;
        if quote.is_empty()
            || !(says || named || count(name) > 2)
            || is_code_like(quote) && count(quote) > 3
            || count(quote) > MOST_WORDS
            || addresses_machine(quote)
        {
            continue;
        }
        // If a row has several sentences, only the column tells the subject of each.
        let column = header
            .get(nth)
            .filter(|_| !says || sentences > 1)
            .map(|h| h.trim())
            .filter(|h| !h.is_empty() && !h.contains(['[', ']']) && !WORDS.describing_columns.contains(&*fold(h)));
        let label = column.map_or_else(|| name.to_string(), |column| format!("{column}, {name}"));
        let mut edits = vec![insert(EditRule::NameSubject, 0, format!("[{label}]: "))];
        edits.extend(full_stop(quote));
        if let Some(claim) = apply(quote, &edits) {
            found.push(Claim { range: start..start + quote.len(), edits, text: claim, nth });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use run::evidence::BlockKind;

    use crate::extractive::claim::tests::taken;

    #[test]
    fn a_row_without_a_name_is_told_by_its_first_cell_and_blank_cells_are_none() {
        let row = |text: &str, names: &str| taken(text, BlockKind::TableRow, Some(names));
        let said = "The branch is overwritten on the other side.";
        assert_eq!(row(&format!("| --force | {said}"), "Short | Long | Meaning"), [format!("[--force]: {said}")]);
        assert_eq!(row(&format!("-f | | {said}"), "Short | Long | Meaning"), [format!("[-f]: {said}")]);
        let said = "Leads the response to incidents and resolves them.";
        assert_eq!(row(&format!("On-call | {said}"), "Category | Duty"), [format!("[On-call]: {said}")]);
        assert_eq!(
            row(&format!("On-call | Follows the shifts of others for weeks | {said}"), "Category | Junior | Senior"),
            [
                "[Junior, On-call]: Follows the shifts of others for weeks.".to_owned(),
                format!("[Senior, On-call]: {said}")
            ]
        );
        assert_eq!(
            row("1 | Unpatched Linux | Currently yes; stays yes", "Case | Description | Install permitted"),
            ["[Install permitted, Unpatched Linux]: Currently yes; stays yes."]
        );
        assert_eq!(row(&format!("1 | {said}"), "Level | Description"), [format!("[Level 1]: {said}")]);
        assert_eq!(
            row("Max dimensions | | 20,000", "Aspect | pgvector | Pinecone"),
            ["[Pinecone, Max dimensions]: 20,000."]
        );
    }
}
