//! CSV and TSV to blocks: the first row has the column names, each further row is a block.
//!
//! Comment lines are prose above the table. A first row that is like all others names no columns: it is a row.

mod header;

use super::cells::{column_names, is_cut_off};
use super::draft::Draft;
use run::cells::without_lone_bars;
use run::evidence::BlockKind;
use text::Clean;

use header::{Header, is_comment};

pub(super) fn parse(text: &str, draft: &mut Draft) {
    let is_above = |line: &&str| line.trim().is_empty() || is_comment(line);
    let above = text.split_inclusive('\n').take_while(is_above);
    let (length, first) = above.fold((0, 1), |(length, no), line| (length + line.len(), no + 1));
    let (comments, table) = text.split_at(length);
    let separator = separator(table);
    let header = Header::of(comments, table, separator);
    push_comments(comments, header == Header::Comment, draft);
    let mut names: Option<Clean> = header.in_comment(comments, table, separator).map(|row| column_names(&row));
    let table = Rows { rest: table, separator, line: first, has_comments: !comments.trim().is_empty() };
    for (nth, (row, cells, line)) in table.enumerate() {
        if nth == 0 && header == Header::FirstRow {
            let kept = column_names(&row);
            if is_cut_off(&kept) {
                // All names can be searched, also those that are not repeated with each row.
                draft.push(BlockKind::TableRow, None, &row, line);
            }
            names = Some(kept);
        } else if cells == 1 {
            draft.push(BlockKind::Paragraph, None, row.trim_start_matches('#'), line);
        } else {
            draft.push(BlockKind::TableRow, names.clone(), &row, line);
        }
    }
}

/// Adds the comments above a table, a paragraph for the lines between two bare comment signs; without the last line if that has the
/// column names.
fn push_comments(comments: &str, ends_with_names: bool, draft: &mut Draft) {
    let mut lines: Vec<(&str, u32)> =
        comments.lines().map(|line| line.trim_start().trim_start_matches('#').trim()).zip(1..).collect();
    if ends_with_names {
        lines.truncate(lines.iter().rposition(|(line, _)| !line.is_empty()).unwrap_or(0));
    }
    for paragraph in lines.split(|(line, _)| line.is_empty()).filter(|lines| !lines.is_empty()) {
        let text: Vec<&str> = paragraph.iter().map(|(line, _)| *line).collect();
        draft.push(BlockKind::Paragraph, None, &text.join("\n"), paragraph[0].1);
    }
}

/// The rows of a text that begins at this line: the text of each, its cells separated by bars, with the number of cells
/// and the line.
pub(super) fn rows(text: &str, separator: char, line: u32) -> impl Iterator<Item = (String, usize, u32)> {
    Rows { rest: text, separator, line, has_comments: false }
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
    /// Whether a line that begins with a comment sign is no row.
    has_comments: bool,
}

/// Serialised cell by cell: a row may have millions.
impl Iterator for Rows<'_> {
    type Item = (String, usize, u32);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        if self.has_comments && is_comment(self.rest) {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            let begin = self.line;
            (self.rest, self.line) = (rest, begin + 1);
            return Some((line.trim().to_owned(), 1, begin));
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
    use run::evidence::BlockKind::{Paragraph, TableRow};

    /// The blocks of a table as one text each: the column names in brackets before a row.
    fn told(text: &str) -> Vec<String> {
        let table = parse(text.as_bytes(), "a.csv").unwrap();
        let told = |block: &run::evidence::Block| match (block.kind, &block.intro) {
            (TableRow, Some(names)) => format!("{} [{names}] {}", block.line, block.text),
            (TableRow, None) => format!("{} [] {}", block.line, block.text),
            _ => format!("{} {}", block.line, block.text),
        };
        table.blocks.iter().map(told).collect()
    }

    #[test]
    fn comments_above_a_table_are_prose_and_the_row_below_them_has_the_names() {
        let text = "# Taken from \"the list,\nof ports.\n".replace('\n', "\n# ");
        let text = format!(
            "{}\nname,port\nssh,22\n# Since 1994, in use.\nhttps,443\n",
            text.trim_end_matches(['#', ' ', '\n'])
        );
        assert_eq!(
            told(&text),
            [
                "1 Taken from \"the list, of ports.",
                "4 [name | port] ssh | 22",
                "5 Since 1994, in use.",
                "6 [name | port] https | 443"
            ]
        );
        let hash = told("name,note\na,first\n#b,second\nc,third\n");
        assert_eq!(hash[1], "3 [name | note] #b | second", "without comments above, a sign begins a cell");
    }

    #[test]
    fn the_last_comment_line_has_the_names_where_it_has_as_many_cells_as_the_rows() {
        let rows = "AD\t+4230+00131\tEurope/Andorra\nAE\t+2518+05518\tAsia/Dubai\nCH\t+4723+00832\tEurope/Zurich\tall of it\nDE\t+5230+01322\tEurope/Berlin\n";
        let text = format!("# Zones\n#\n#country-\n#code\tcoordinates\tTZ\t\tcomments\n{rows}");
        let told_of = told(&text);
        assert_eq!(told_of[..2], ["1 Zones", "3 country-"]);
        assert_eq!(told_of[2], "5 [code | coordinates | TZ | comments] AD | +4230+00131 | Europe/Andorra");
        assert_eq!(told("#name,city\nAda,Bern\n"), ["2 [name | city] Ada | Bern"]);
        assert_eq!(told("# people, cities\nname,city\nAda,Bern\n"), ["1 people, cities", "3 [name | city] Ada | Bern"]);
    }

    #[test]
    fn a_first_row_like_all_others_names_no_columns() {
        let rows = |first: &str, row: &dyn Fn(u32) -> String| -> String {
            std::iter::once(format!("{first}\n")).chain((1..9).map(|n| row(n) + "\n")).collect()
        };
        let price = |n: u32| format!("item {n},2026-11-0{n},{n}.50");
        for (first, row, has_names) in [
            ("item 0,2026-11-09,0.50", &price as &dyn Fn(u32) -> String, false),
            ("0,Ada,31", &|n| format!("{n},Bo,4{n}"), false),
            ("name,day,price", &price, true),
            ("country,2019,2020", &|n| format!("land,{n}1,{n}2"), true),
            ("name,city", &|_| "Ada,Bern".to_owned(), true),
            ("item,q1,q2", &|n| format!("item,x{n},x{n}"), true),
        ] {
            let told_of = told(&rows(first, row));
            assert_eq!(told_of.len(), if has_names { 8 } else { 9 }, "{told_of:?}");
            assert_eq!(told_of[0].contains("[]"), !has_names, "{told_of:?}");
        }
    }

    #[test]
    fn column_names_that_are_not_kept_with_each_row_can_be_read_in_a_row_of_their_own() {
        let names: Vec<String> = (0..600).map(|n| format!("column{n}")).collect();
        let text = format!("{}\n{}\n", names.join(","), vec!["7"; 600].join(","));
        let table = parse(text.as_bytes(), "wide.csv").unwrap();
        let above: String = table.blocks.iter().filter(|b| b.line == 1).map(|b| b.text.as_str()).collect();
        assert_eq!(above, names.join(" | "));
        assert!(table.blocks.iter().all(|block| block.kind != Paragraph && block.intro.is_some() == (block.line == 2)));
        assert!(told("a,b\n1,2\n")[0].starts_with("2 "), "short names are in no block of their own");
    }

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
