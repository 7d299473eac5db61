//! The rows of tables as text: a bar that stands alone parts two cells.

use std::borrow::Cow;

use text::Clean;

/// The last column name of a table that has more of them than are kept.
pub const CUT_OFF: &str = "…";

/// A row as text: its cells between bars. The last cells may be blank.
pub fn written<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let written = |cell: S| without_lone_bars(cell.as_ref()).into_owned();
    cells.into_iter().map(written).collect::<Vec<_>>().join(" | ")
}

/// The cells of a row, each with its place in it, in bytes. Some may be blank.
pub fn parted(row: &str) -> Vec<(usize, &str)> {
    let is_bar =
        |at: &usize| (*at == 0 || row[..*at].ends_with(' ')) && matches!(row.as_bytes().get(at + 1), None | Some(b' '));
    let bars = row.match_indices('|').map(|(at, _)| at).filter(is_bar);
    let mut from = 0;
    let mut found = Vec::new();
    for bar in bars.chain([row.len()]) {
        let cell = &row[from..bar];
        found.push((from + cell.len() - cell.trim_start().len(), cell.trim()));
        from = (bar + 1).min(row.len());
    }
    found
}

/// A cell in which no bar stands alone, which would part it: "number | null" becomes "number|null", and a bar alone is
/// quoted.
pub fn without_lone_bars(cell: &str) -> Cow<'_, str> {
    if !cell.contains('|') {
        return cell.trim().into();
    }
    // Cleaned first: a hidden character beside a bar would go later and leave it alone.
    let cell = Clean::line(cell);
    let mut out = String::with_capacity(cell.len());
    let mut is_behind_bar = true;
    for word in cell.split(' ') {
        if word != "|" && !is_behind_bar {
            out.push(' ');
        }
        out.push_str(word);
        is_behind_bar = word == "|";
    }
    if out == "|" { "\"|\"".into() } else { out.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(row: &str) -> Vec<&str> {
        parted(row).into_iter().map(|(_, cell)| cell).collect()
    }

    #[test]
    fn a_bar_parts_cells_only_where_it_stands_alone() {
        for (row, wanted) in [
            ("a | b", &["a", "b"][..]),
            ("1 | 2 |", &["1", "2", ""]),
            ("1 | |", &["1", "", ""]),
            ("| --force | x", &["", "--force", "x"]),
            ("red|blue | x||y", &["red|blue", "x||y"]),
            ("", &[""]),
        ] {
            assert_eq!(cells(row), wanted, "{row}");
        }
        for (cell, wanted) in [
            ("number | null", "number|null"),
            ("|", "\"|\""),
            ("a |", "a|"),
            ("a \u{200b}|\u{200b} b", "a|b"),
            (" x ", "x"),
        ] {
            assert_eq!(without_lone_bars(cell), wanted, "{cell:?}");
        }
    }

    proptest! {
        #[test]
        fn a_row_that_is_written_has_as_many_cells_as_were_given(
            row in proptest::collection::vec("( |\\||[a-z]{1,3}|\u{200b}|\u{a0}|é){0,6}", 1..6)
        ) {
            let text = Clean::line(&written(&row));
            prop_assert_eq!(parted(&text).len(), row.len(), "{}", text);
            for (at, cell) in parted(&text) {
                prop_assert_eq!(&text[at..at + cell.len()], cell);
            }
            let again = Clean::line(&written(cells(&text)));
            prop_assert_eq!(again, text);
        }
    }
}
