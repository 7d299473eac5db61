//! CSV and TSV to blocks: the first row has the column names, each further row is a block.

use super::cells::column_names;
use super::draft::Draft;
use run::cells::without_lone_bars;
use run::evidence::BlockKind;
use text::Clean;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    let separator = separator(text);
    let mut header: Option<Clean> = None;
    for (row, cells, line) in rows(text, separator, 1) {
        if header.is_none() {
            header = Some(column_names(&row));
        } else if cells == 1 {
            draft.push(BlockKind::Paragraph, None, &row, line);
        } else {
            draft.push(BlockKind::TableRow, header.clone(), &row, line);
        }
    }
}

/// The rows of a text that begins at this line: the text of each, its cells separated by bars, with the number of cells
/// and the line.
pub(super) fn rows(text: &str, separator: char, line: u32) -> impl Iterator<Item = (String, usize, u32)> {
    Rows { rest: text, separator, line }
}

/// The separator: the most frequent candidate in the first line.
fn separator(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let count = |separator: char| first.matches(separator).count();
    [',', '\t', ';'].into_iter().rev().max_by_key(|separator| count(*separator)).unwrap_or(',')
}

struct Rows<'a> {
    rest: &'a str,
    separator: char,
    line: u32,
}

/// Serialised cell by cell: a row may have millions.
impl Iterator for Rows<'_> {
    type Item = (String, usize, u32);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut row, mut cells, mut cell, mut quoted) = (String::new(), 1, String::new(), false);
        let begin = self.line;
        let mut end = self.rest.len();
        let mut chars = self.rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            self.line += u32::from(c == '\n');
            match c {
                // A doubled quotation mark within quotes stands for one.
                '"' if quoted && chars.next_if(|(_, next)| *next == '"').is_some() => cell.push('"'),
                '"' if quoted => quoted = false,
                '"' if cell.trim().is_empty() => quoted = true,
                '\n' if !quoted => {
                    end = at + 1;
                    break;
                }
                c if c == self.separator && !quoted => {
                    add(&mut row, &mut cell);
                    row.push_str(" | ");
                    cells += 1;
                }
                c => cell.push(c),
            }
        }
        add(&mut row, &mut cell);
        self.rest = &self.rest[end..];
        Some((row, cells, begin))
    }
}

/// Moves the words of a cell to its row.
fn add(row: &mut String, cell: &mut String) {
    for (word, at) in without_lone_bars(cell).split_whitespace().zip(0..) {
        if at > 0 {
            row.push(' ');
        }
        row.push_str(word);
    }
    cell.clear();
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use run::evidence::BlockKind::TableRow;

    #[test]
    fn rows_stand_under_the_names_of_their_columns() {
        for text in [
            "name,size,note\nsmall,1 kB,\"a, \"\"b\"\"\nand c\"\nlarge,1 MB,\n",
            "name\tsize\tnote\nsmall\t1 kB\ta, \"b\" and c\nlarge\t1 MB\t\n",
        ] {
            let table = parse(text.as_bytes(), "a.csv").unwrap();
            let rows: Vec<&str> = table.blocks.iter().map(|block| block.text.as_str()).collect();
            assert_eq!(rows, ["small | 1 kB | a, \"b\" and c", "large | 1 MB |"]);
            assert!(
                table.blocks.iter().all(|b| b.kind == TableRow && b.intro.as_deref() == Some("name | size | note"))
            );
            assert_eq!(table.blocks[0].line, 2);
        }
    }
}
