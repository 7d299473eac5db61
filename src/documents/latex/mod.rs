//! LaTeX to blocks: sections, lists, tables, verbatim text; formulas unchanged.
//!
//! Supports the syntax of papers and manuals, not the whole language: expands no macro and includes no other file. The arguments of
//! unknown commands are kept as text.

mod character;
mod source;
#[cfg(test)]
mod tests;

use super::cells::{column_names, table_row};
use super::draft::{Draft, TERM_LEVEL};
use super::lists::Lists;
use super::raised::Shift;
use run::evidence::BlockKind;
use source::Source;
use text::Clean;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    // The preamble is no text; a chapter has none.
    let is_preamble = || text.contains("\\documentclass");
    let body = text.find(BEGIN).map_or_else(|| if is_preamble() { text.len() } else { 0 }, |at| at + BEGIN.len());
    if let Some(title) = title(text) {
        draft.page_title(&title);
    }
    let mut reader = Reader::new(text, draft);
    reader.source.skip(body);
    reader.read();
    reader.flush();
}

const BEGIN: &str = "\\begin{document}";
const TITLE: &str = "\\title";

/// The levels of headings.
const SECTIONS: [(&str, u8); 7] = [
    ("part", 1),
    ("chapter", 2),
    ("section", 3),
    ("subsection", 4),
    ("subsubsection", 5),
    ("paragraph", 6),
    ("subparagraph", 7),
];
/// Commands whose arguments are not text.
const SILENT: [&str; 36] = [
    "addbibresource",
    "addcontentsline",
    "addtocounter",
    "affiliation",
    "author",
    "autocite",
    "bibliography",
    "bibliographystyle",
    "caption",
    "date",
    "documentclass",
    "footcite",
    "footnote",
    "footnotemark",
    "footnotetext",
    "geometry",
    "graphicspath",
    "hspace",
    "hypersetup",
    "include",
    "includegraphics",
    "input",
    "label",
    "markboth",
    "nocite",
    "pagestyle",
    "parencite",
    "resizebox",
    "setcounter",
    "setlength",
    "textcite",
    "thanks",
    "thispagestyle",
    "title",
    "usepackage",
    "vspace",
];
/// Prefixes of such commands.
const OF_CITATIONS: [&str; 2] = ["cite", "index"];
/// Commands for the number of a label's target; they are replaced by the label.
const REFERENCES: [&str; 8] = ["Cref", "autoref", "cref", "eqref", "nameref", "pageref", "ref", "vref"];
/// Commands that define others.
const DEFINITIONS: [&str; 10] = [
    "newcommand",
    "renewcommand",
    "providecommand",
    "DeclareRobustCommand",
    "DeclareMathOperator",
    "newenvironment",
    "renewenvironment",
    "newtheorem",
    "newlength",
    "newcounter",
];
/// Environments of program text.
const VERBATIM: [&str; 6] = ["verbatim", "Verbatim", "lstlisting", "minted", "alltt", "code"];
/// Environments that have no text.
const WITHOUT_TEXT: [&str; 5] = ["comment", "thebibliography", "tikzpicture", "filecontents", "picture"];
const FORMULAS: [&str; 8] = ["equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "alignat"];
const LISTS: [&str; 3] = ["itemize", "enumerate", "description"];
const TABLES: [&str; 5] = ["tabular", "tabularx", "longtable", "tabulary", "supertabular"];
/// Lines of a table.
const RULES: [&str; 5] = ["hline", "midrule", "toprule", "bottomrule", "endhead"];

/// The most nested formulas, each part of a fraction; deeper ones are kept unchanged.
const DEEPEST: u8 = 8;

/// The title, which may be declared before the text begins.
fn title(text: &str) -> Option<String> {
    let mut commands = text.match_indices(TITLE).map(|(at, _)| &text[at + TITLE.len()..]);
    let mut source = Source::new(commands.find(|below| below.trim_start().starts_with(['{', '[']))?);
    source.option();
    Some(plain(source.argument()?))
}

/// The text of an argument, which contains no section and no list.
fn plain(raw: &str) -> String {
    let mut draft = Draft::default();
    let mut reader = Reader::new(raw, &mut draft);
    reader.is_argument = true;
    reader.read();
    reader.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Reader<'d, 't> {
    draft: &'d mut Draft,
    source: Source<'t>,
    is_argument: bool,
    /// The number of enclosing formulas; in a formula the names of commands are the text.
    formulas: u8,
    text: String,
    line: u32,
    lists: Lists,
    table: Option<Table>,
}

#[derive(Default)]
struct Table {
    names: Option<Clean>,
    cells: Vec<String>,
    /// The first row, until a line below it shows that it contains the names of the columns.
    first: Option<(String, u32)>,
    has_rows: bool,
}

impl<'d, 't> Reader<'d, 't> {
    fn new(text: &'t str, draft: &'d mut Draft) -> Reader<'d, 't> {
        let source = Source::new(text);
        let (text, lists, table) = (String::new(), Lists::default(), None);
        Reader { draft, source, is_argument: false, formulas: 0, text, line: 1, lists, table }
    }

    fn read(&mut self) {
        loop {
            let words = self.source.words();
            self.add(words);
            let Some(next) = self.source.next() else { return };
            match next {
                '%' => self.source.comment(),
                '\\' => self.command(),
                '{' | '}' => {}
                '$' => self.formula(),
                '~' => self.space(),
                '&' if self.table.is_some() => self.cell(),
                '\n' if self.source.ends_paragraph() && self.table.is_none() && !self.is_argument => self.flush(),
                '\n' => self.space(),
                '-' if self.source.take("--") => self.add("\u{2014}"),
                '-' if self.source.take("-") => self.add("\u{2013}"),
                '`' if self.source.take("`") => self.add("\u{201c}"),
                '\'' if self.source.take("'") => self.add("\u{201d}"),
                other => self.add(other.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn add(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        if words.trim().is_empty() {
            return self.space();
        }
        if self.text.trim().is_empty() {
            self.line = self.source.line();
        }
        self.text.push_str(words);
    }

    fn space(&mut self) {
        if !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    /// A formula between dollars; two make it a block.
    fn formula(&mut self) {
        let mark = if self.source.take("$") { "$$" } else { "$" };
        match self.source.until(mark) {
            Some(formula) => self.add_formula(formula),
            None => self.add("$"),
        }
    }

    /// A formula continues its sentence.
    fn add_formula(&mut self, formula: &str) {
        if self.formulas == DEEPEST {
            return self.add(formula);
        }
        let mut draft = Draft::default();
        let mut reader = Reader::new(formula, &mut draft);
        (reader.is_argument, reader.formulas) = (true, self.formulas + 1);
        reader.read();
        let said = reader.text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.add(&said);
    }

    fn command(&mut self) {
        let name = self.source.name();
        // Spaces behind a word belong to it.
        if self.formulas == 0 && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.source.spaces();
        }
        if let Some(shown) = character::named(name) {
            return self.add(shown);
        }
        if let Some(accent) = name.chars().next().filter(|c| character::is_accent(*c) && name.len() == 1) {
            return self.accented(accent);
        }
        match name {
            "\\" if self.table.is_some() => self.row(),
            "\\" | "newline" | "tabularnewline" | "par" => {
                self.source.option();
                self.space();
            }
            "(" => self.source.until("\\)").into_iter().for_each(|formula| self.add_formula(formula)),
            "[" => self.source.until("\\]").into_iter().for_each(|formula| self.add_formula(formula)),
            "verb" | "lstinline" => self.verb(),
            // The first argument is an address, or the second with formulas.
            "href" | "texorpdfstring" => drop(self.source.argument()),
            "def" | "edef" | "gdef" | "xdef" => self.source.definition(),
            "let" => self.source.comment(),
            _ if DEFINITIONS.contains(&name) => {
                self.source.spaces();
                if self.source.take("\\") {
                    self.source.name();
                }
                self.source.arguments();
            }
            _ if let Some(shift) = Shift::of(name.as_bytes()) => {
                let shown = self.source.argument().map(plain).unwrap_or_default();
                let from = self.text.len();
                self.add(&shown);
                shift.write(&mut self.text, from);
            }
            "frac" | "tfrac" | "dfrac" => self.fraction(),
            _ if SILENT.contains(&name) || OF_CITATIONS.iter().any(|begin| name.starts_with(begin)) => {
                self.source.arguments();
                // "as in~\cite{…}.": no space stays before the full stop.
                if self.source.rest().starts_with(['.', ',', ';', ':', '!', '?', ')']) {
                    self.text.truncate(self.text.trim_end().len());
                }
            }
            _ if REFERENCES.contains(&name) => {
                let label = self.source.argument().unwrap_or_default();
                self.add(label.rsplit(':').next().unwrap_or(label));
            }
            _ if RULES.contains(&name) => self.rule(),
            // The names of functions are read: \log, \max.
            _ if self.formulas > 0 => {
                if !["left", "right", "text", "mathrm", "mathbf", "mathcal", "operatorname", "limits"].contains(&name) {
                    if self.text.ends_with(char::is_alphanumeric) {
                        self.text.push(' ');
                    }
                    self.add(name);
                }
            }
            _ if self.is_argument => {}
            "begin" => self.begin(),
            "end" => self.end(),
            "item" => self.item(),
            _ => {
                let level = SECTIONS.iter().find(|(known, _)| *known == name).map(|(_, level)| *level);
                level.into_iter().for_each(|level| self.section(level));
            }
        }
    }

    fn accented(&mut self, accent: char) {
        let letter = self.source.argument().and_then(|inside| inside.trim_start_matches('\\').chars().next());
        let Some(letter) = letter.or_else(|| self.source.next()) else { return };
        self.add(character::accented(accent, letter).encode_utf8(&mut [0; 4]));
    }

    fn verb(&mut self) {
        self.source.option();
        let text = match self.source.argument() {
            Some(inside) => Some(inside),
            None => self.source.next().and_then(|mark| self.source.until(mark.encode_utf8(&mut [0; 4]))),
        };
        text.into_iter().for_each(|text| self.add(text));
    }

    fn fraction(&mut self) {
        let (over, under) = (self.source.argument(), self.source.argument());
        if let (Some(over), Some(under)) = (over, under) {
            self.add("(");
            self.add_formula(over);
            self.add(")/(");
            self.add_formula(under);
            self.add(")");
        }
    }

    fn section(&mut self, level: u8) {
        self.flush();
        self.lists.clear();
        self.source.option();
        if let Some(title) = self.source.argument() {
            self.draft.heading(level, &plain(title));
        }
    }

    fn begin(&mut self) {
        let Some(name) = self.source.argument() else { return };
        let name = name.trim_end_matches('*');
        if FORMULAS.contains(&name) {
            let formula = self.source.environment(name);
            return self.add_formula(formula);
        }
        self.flush();
        if VERBATIM.contains(&name) {
            let line = self.source.line();
            self.source.option();
            if name == "minted" {
                self.source.argument();
            }
            let code = self.source.environment(name);
            self.draft.push(BlockKind::Code, None, code, line + 1);
        } else if WITHOUT_TEXT.contains(&name) {
            self.source.environment(name);
        } else if LISTS.contains(&name) {
            self.lists.begin(self.draft);
            self.source.arguments();
        } else if TABLES.contains(&name) {
            self.table = Some(Table::default());
            self.source.arguments();
        } else {
            if name == "abstract" {
                self.draft.term(TERM_LEVEL, "Abstract");
            }
            self.source.option();
        }
    }

    fn end(&mut self) {
        let Some(name) = self.source.argument() else { return };
        let name = name.trim_end_matches('*');
        if TABLES.contains(&name) {
            self.row();
            self.rule();
            self.table = None;
            return;
        }
        self.flush();
        if name == "abstract" {
            self.draft.close(TERM_LEVEL);
        }
        if LISTS.contains(&name) {
            self.lists.end(self.draft);
        }
    }

    fn item(&mut self) {
        self.flush();
        match self.source.option().map(plain).filter(|term| term.chars().any(char::is_alphanumeric)) {
            Some(term) => self.lists.term(self.draft, &term),
            None => self.lists.item(self.draft),
        }
    }

    /// Ends the running text.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() && !self.is_argument {
            self.lists.text(self.draft, &text, self.line);
        }
    }

    fn cell(&mut self) {
        let cell = std::mem::take(&mut self.text);
        if let Some(table) = &mut self.table {
            table.cells.push(cell.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    fn row(&mut self) {
        self.source.option();
        self.cell();
        let Some(table) = &mut self.table else { return };
        let row = table_row(std::mem::take(&mut table.cells));
        if table.first.is_none() && !table.has_rows {
            table.first = Some((row, self.line));
            return;
        }
        // No line stands between the first row and this one.
        let first = table.first.take();
        table.has_rows = true;
        for (row, line) in first.into_iter().chain([(row, self.line)]) {
            self.draft.push(BlockKind::TableRow, table.names.clone(), &row, line);
        }
    }

    /// A line of a table: it makes the first row above it the names of the columns.
    fn rule(&mut self) {
        if let Some(table) = &mut self.table
            && let Some((row, _)) = table.first.take()
        {
            (table.names, table.has_rows) = (Some(column_names(&row)), true);
        }
    }
}
