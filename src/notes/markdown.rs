//! The Markdown form of notes: one section a run, with any text of the person's in between.
//!
//! ```text
//! ## How does Qdrant filter?
//!
//! 2026-11-21 · run 7f3k2m
//!
//! - Qdrant filters during the HNSW walk.
//!   > Qdrant filters during the HNSW walk, not after it.
//!   > — qdrant/filtering.md:9
//!
//! Not found:
//!
//! - Nothing was found on “pricing” of Qdrant.
//! ```
//!
//! Parsing never fails: text of another form counts as the person's own words.

use run::RunId;
use run::memory::{Entry, Kept};
use text::Clean;

pub(super) const PREAMBLE: &str = "# Notes of masthead

<!--
What runs found, with the words it rests on and where they stand. Runs on related questions look here first, and use
what still stands in their sources. The file is yours: change, move and delete what you like, and add lines of your own.
masthead only ever adds sections at the end. `masthead memory` says more.
-->

";

/// Introduces the list of gaps.
const NOT_FOUND: &str = "Not found:";

/// The part of the notes below one heading.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The heading: the question of a run, or the person's text.
    pub heading: Clean,
    /// The run that wrote it, if it names one.
    pub run: Option<RunId>,
    /// The findings below it, in order.
    pub findings: Vec<Kept>,
    /// The gaps: things that were looked for and not found, in order.
    pub gaps: Vec<Clean>,
    /// The person's own lines, one paragraph or list item each.
    pub own_words: Vec<Clean>,
    /// Findings with a quote and without a source.
    pub without_source: usize,
}

impl Section {
    /// The heading if the person wrote it: it is the context of their lines.
    pub(super) fn own_heading(&self) -> &str {
        if self.run.is_none() { &self.heading } else { "" }
    }
}

/// Formats the section of a run.
pub(super) fn section(run: &RunId, date: &str, entry: &Entry, known: u32) -> String {
    let known = if known == 0 { String::new() } else { format!(" · {known} more stood in these notes already") };
    let mut text = format!("## {}\n\n{date} · run {run}{known}\n", Clean::line(&entry.question));
    if !entry.findings.is_empty() {
        text.push('\n');
    }
    for finding in &entry.findings {
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        text.push_str(&format!("- {}\n", Clean::line(&finding.claim)));
        with_breaks(&finding.quote).lines().for_each(|quoted| text.push_str(&format!("  > {quoted}\n")));
        text.push_str(&format!("  > — {}{line}\n", Clean::line(&finding.path)));
    }
    if !entry.own_words.is_empty() {
        text.push_str("\nIn your words:\n\n");
        entry.own_words.iter().for_each(|line| text.push_str(&format!("- {}\n", Clean::line(line))));
    }
    if !entry.gaps.is_empty() {
        text.push_str(&format!("\n{NOT_FOUND}\n\n"));
        entry.gaps.iter().for_each(|line| text.push_str(&format!("- {}\n", Clean::line(line))));
    }
    text
}

/// A quote whose line breaks stay, as in Markdown: each line but the last ends with a backslash.
fn with_breaks(quote: &str) -> String {
    quote.lines().collect::<Vec<_>>().join("\\\n")
}

/// The quote of these lines: a backslash at the end of a line keeps its break, others are joined.
fn joined(lines: &[String]) -> String {
    let Some((last, before)) = lines.split_last() else { return String::new() };
    let mut quote = String::new();
    for line in before {
        let (text, end) = line.strip_suffix('\\').map_or((line.as_str(), ' '), |text| (text, '\n'));
        quote.push_str(text);
        quote.push(end);
    }
    quote + last
}

pub(super) fn parse(text: &str) -> Vec<Section> {
    let mut reader = Reader::default();
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    let last_closed = lines.iter().rposition(|line| line.contains("-->"));
    let mut is_comment = false;
    for (line, at) in lines.into_iter().zip(0..) {
        // Comments are skipped; an unclosed one counts as a line of text.
        is_comment |= line.trim_start().starts_with("<!--") && last_closed.is_some_and(|last| at <= last);
        match is_comment {
            true => is_comment = !line.contains("-->"),
            false => reader.take(line),
        }
    }
    reader.end()
}

/// A list item being read.
#[derive(Default)]
struct Item {
    claim: String,
    quote: Vec<String>,
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    section: Section,
    /// Whether anything has been read below the heading.
    begun: bool,
    gaps: bool,
    item: Option<Item>,
    paragraph: String,
    blank: bool,
}

impl Reader {
    fn take(&mut self, line: &str) {
        let text = line.trim_start();
        let after_blank = std::mem::replace(&mut self.blank, text.is_empty());
        if text.is_empty() {
            return self.end_paragraph();
        }
        let is_heading =
            |mark: &str| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        if is_heading("#") || is_heading("##") {
            self.end_section();
            // The title of the file is not a question.
            self.section.heading = Clean::line(line.strip_prefix("##").unwrap_or_default());
            return;
        }
        if !std::mem::replace(&mut self.begun, true)
            && let Some(run) = run_of(text)
        {
            self.section.run = Some(run);
            return;
        }
        if text == NOT_FOUND || text == "In your words:" {
            self.end_item();
            self.end_paragraph();
            self.gaps = text == NOT_FOUND;
            return;
        }
        if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)) {
            self.end_item();
            self.end_paragraph();
            self.item = Some(Item { claim: rest.to_owned(), quote: Vec::new() });
            return;
        }
        if let Some(quoted) = text.strip_prefix('>') {
            self.end_paragraph();
            let item = self.item.get_or_insert_default();
            item.quote.push(quoted.strip_prefix(' ').unwrap_or(quoted).to_owned());
            return;
        }
        // An indented line continues its item.
        let indented = line.len() > text.len();
        match &mut self.item {
            Some(item) if item.quote.is_empty() && (indented || !after_blank) => {
                item.claim.push(' ');
                item.claim.push_str(text);
            }
            _ => {
                self.end_item();
                if !self.paragraph.is_empty() {
                    self.paragraph.push(' ');
                }
                self.paragraph.push_str(text);
            }
        }
    }

    fn end_paragraph(&mut self) {
        let words = Clean::line(&std::mem::take(&mut self.paragraph));
        if !words.is_empty() {
            self.section.own_words.push(words);
        }
    }

    fn end_item(&mut self) {
        let Some(Item { claim, mut quote }) = self.item.take() else { return };
        let attributed = |line: &String| line.starts_with('—') || line.starts_with("--");
        let source = quote.pop_if(|line| attributed(line));
        let quote = Clean::new(joined(&quote).trim());
        let claim = Clean::line(if claim.trim().is_empty() { &quote } else { &claim });
        match source.map(|source| place_of(&source)) {
            _ if claim.is_empty() => {}
            _ if quote.is_empty() && self.gaps => self.section.gaps.push(claim),
            _ if quote.is_empty() => self.section.own_words.push(claim),
            Some((path, line)) if !path.is_empty() => {
                let from = match &self.section.run {
                    Some(run) => format!("run {run}").into(),
                    None => "your notes".into(),
                };
                self.section.findings.push(Kept { claim, quote, path, line, from });
            }
            Some(_) | None => self.section.without_source += 1,
        }
    }

    fn end_section(&mut self) {
        self.end_item();
        self.end_paragraph();
        (self.begun, self.gaps) = (false, false);
        self.sections.push(std::mem::take(&mut self.section));
    }

    fn end(mut self) -> Vec<Section> {
        self.end_section();
        self.sections
    }
}

/// The run named in a line below a heading: `2026-11-21 · run 7f3k2m`.
fn run_of(line: &str) -> Option<RunId> {
    line.split('·').find_map(|part| part.trim().strip_prefix("run ")?.trim().parse().ok())
}

/// Splits `— qdrant/filtering.md:9` into document and line.
fn place_of(source: &str) -> (Clean, Option<u32>) {
    let place = source.trim_start_matches(['—', '-']).trim();
    match place.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?))) {
        Some((path, line)) => (Clean::line(path), Some(line)),
        None => (Clean::line(place), None),
    }
}
