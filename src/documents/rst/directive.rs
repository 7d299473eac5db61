//! Explicit markup, which begins with two dots: directives, footnotes, targets, comments.

use super::super::cells::{column_names, table_row};
use super::{Line, Place, Reader, TERM_LEVEL, field, inline, running};
use run::evidence::BlockKind;

impl Reader<'_> {
    pub(super) fn explicit(&mut self, rest: &str, lines: &[Line<'_>], place: Place<'_>) {
        if let Some(note) = rest.strip_prefix('[') {
            // A footnote or a citation.
            let Some((_, text)) = note.split_once("] ") else { return };
            let (below, _) = running(&lines[1..]);
            return self.paragraph(&inline::plain(&format!("{text} {below}")), lines[0].no, place);
        }
        let Some((name, argument)) = rest.split_once("::") else { return };
        if name.contains(' ') || name.starts_with(['_', '|']) {
            return;
        }
        let argument = argument.trim();
        // Options come first; an argument may span several lines.
        let options = lines[1..].iter().take_while(|l| !l.is_blank() && field(l.words()).is_some()).count();
        let content = &lines[1 + options..];
        let within = Place::Within(place.depth() + 1);
        let name = name.rsplit(':').next().unwrap_or(name);
        match name {
            "code-block" | "code" | "sourcecode" | "highlight" | "doctest" | "testcode" | "testoutput"
            | "parsed-literal" | "productionlist" | "math" | "prompt" => self.code(content),
            "note" | "tip" | "hint" | "important" | "warning" | "caution" | "attention" | "danger" | "error"
            | "admonition" | "topic" | "epigraph" | "highlights" | "pull-quote" | "container" | "compound"
            | "centered" => {
                if !argument.is_empty() && !matches!(name, "admonition" | "topic" | "container") {
                    let (below, rest) = running(content);
                    self.paragraph(&inline::plain(&format!("{argument} {below}")), lines[0].no, within);
                    return self.body(rest, within);
                }
                self.body(content, within);
            }
            "versionadded" | "versionchanged" | "deprecated" | "versionremoved" => {
                let what = match name {
                    "versionadded" => "New in version",
                    "versionchanged" => "Changed in version",
                    "deprecated" => "Deprecated since version",
                    _ => "Removed in version",
                };
                let (below, rest) = running(content);
                let (version, more) = argument.split_once(' ').unwrap_or((argument, ""));
                let text = format!("{more} {below}");
                let end = if text.trim().is_empty() { "." } else { ": " };
                let text = inline::plain(&format!("{what} {version}{end}{}", text.trim()));
                self.paragraph(&text, lines[0].no, within);
                self.body(rest, within);
            }
            "rubric" => self.draft.heading(TERM_LEVEL - 1, &inline::plain(argument)),
            "glossary" | "table" => self.body(content, within),
            "list-table" => self.list_table(content),
            "title" => self.draft.page_title(argument),
            // Pictures, menus, machinery, and content for other readers.
            "csv-table" | "toctree" | "contents" | "image" | "figure" | "include" | "literalinclude" | "raw"
            | "only" | "index" | "module" | "currentmodule" | "seealso" | "sectionauthor" | "moduleauthor" | "role"
            | "default-role" | "meta" | "tabularcolumns" | "sidebar" | "graphviz" | "digraph" | "autosummary"
            | "unicode" | "replace" | "date" | "target-notes" | "header" | "footer" | "class" => {}
            // Descriptions of functions, classes, options: the signature is the term.
            _ if !argument.is_empty() && lines.len() > 1 => self.definition(&inline::plain(argument), content, place),
            _ => {}
        }
    }

    /// A table written as a list of lists.
    fn list_table(&mut self, lines: &[Line<'_>]) {
        let mut rows: Vec<(Vec<String>, u32)> = Vec::new();
        for line in lines.iter().filter(|l| !l.is_blank()) {
            let words = line.words();
            if let Some(cell) = words.strip_prefix("* -") {
                rows.push((vec![cell.trim().to_owned()], line.no));
            } else if let Some((cells, _)) = rows.last_mut() {
                if let Some(cell) = words.strip_prefix('-').filter(|c| c.is_empty() || c.starts_with(' ')) {
                    cells.push(cell.trim().to_owned());
                } else if let Some(cell) = cells.last_mut() {
                    cell.push(' ');
                    cell.push_str(words);
                }
            }
        }
        let row = |cells: &[String]| table_row(cells.iter().map(|cell| inline::plain(cell)));
        let Some(((header, _), rows)) = rows.split_first() else { return };
        let header = Some(column_names(&row(header)));
        rows.iter().for_each(|(cells, no)| self.draft.push(BlockKind::TableRow, header.clone(), &row(cells), *no));
    }
}
