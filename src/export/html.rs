//! A brief as one HTML file: evidence folded under each citation, its agents as a picture, its cost. No script, and nothing that is
//! loaded from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use run::brief::{self, Cited, Draft, Item, Numbering, Piece, Sentence, YOURS, YOURS_MEANS, code_lines};
use run::finding::WordsOf;
use run::{Amounts, Assignment, AssignmentId, Cap, Finding, FindingId, Mark, Run, describe};
use text::Clean;

use super::svg;

/// The look: readable on paper, in the dark, and on a telephone.
const STYLE: &str = "
:root { color-scheme: light dark; --dim: #6b7280; --line: #d1d5db; --soft: #f3f4f6; --link: #1d4ed8; }
@media (prefers-color-scheme: dark) { :root { --dim: #9ca3af; --line: #374151; --soft: #1f2937; --link: #93c5fd; } }
body { font: 17px/1.6 Georgia, 'Times New Roman', serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.2rem; }
.dim, figcaption, summary, table.facts { color: var(--dim); font-family: system-ui, sans-serif; font-size: .85rem; }
details.cite { display: inline; } details.cite > summary { display: inline; cursor: pointer; color: var(--link); list-style: none; }
details.cite > summary::-webkit-details-marker { display: none; }
details.cite[open] { display: block; } .evidence { border-left: 3px solid var(--line); background: var(--soft); padding: .4rem .8rem; margin: .4rem 0; }
.evidence p { margin: .2rem 0; } blockquote { margin: .3rem 0; font-style: italic; }
pre { background: var(--soft); padding: .5rem .8rem; overflow-x: auto; font-size: .85rem; line-height: 1.4; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
table.facts td, table.facts th { border: 0; border-bottom: 1px solid var(--line); }
figure { margin: 1rem 0; overflow-x: auto; } svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
svg rect { fill: var(--soft); stroke: var(--line); } svg path { fill: none; stroke: var(--dim); }
@media print { details.cite { display: block; } }
";

/// Text as it stands in HTML, also within the quotes of an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The run as a page of its own; None if it has no beginning.
pub fn html(run: &Run) -> Option<String> {
    let opening = run.opening.as_ref()?;
    let brief = run.brief();
    let title = brief.map_or(&opening.question, |(draft, _)| &draft.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        escaped(title.lines().next().unwrap_or_default())
    );
    match brief {
        Some((draft, findings)) => body(&mut out, run, draft, findings),
        None => {
            let _ = writeln!(
                out,
                "<h1>{}</h1>\n<p class=\"dim\">There is no brief: the run is {}.</p>",
                escaped(title),
                run.phase().word()
            );
        }
    }
    if brief.is_some() {
        let _ = writeln!(out, "<p class=\"dim\">Asked: {}</p>", escaped(&opening.question));
    }
    let _ = writeln!(out, "<h2>Who worked on it</h2>\n<figure>{}</figure>", svg::graph(run));
    costs(&mut out, run);
    deeds(&mut out, run);
    skipped(&mut out, run);
    let _ = write!(
        out,
        "<p class=\"dim\">run {} · {} · masthead {}</p>\n</body>\n</html>\n",
        opening.run,
        run.phase().word(),
        escaped(&opening.version)
    );
    Some(out)
}

struct Page<'a> {
    numbering: Numbering<'a>,
    findings: BTreeMap<run::FindingId, &'a Finding>,
    run: &'a Run,
}

fn body(out: &mut String, run: &Run, draft: &Draft, findings: &[Finding]) {
    let page = Page {
        numbering: Numbering::new(draft, findings),
        findings: findings.iter().map(|finding| (finding.id, finding)).collect(),
        run,
    };
    let _ = writeln!(out, "<h1>{}</h1>", escaped(&draft.title));
    for note in &draft.notes {
        let _ = writeln!(out, "<p class=\"dim\">{}</p>", escaped(note));
    }
    for section in &draft.sections {
        if !section.heading.is_empty() {
            let _ = writeln!(out, "<h2>{}</h2>", escaped(&section.heading));
        }
        for piece in &section.pieces {
            page.piece(out, piece);
        }
    }
    let list = |out: &mut String, heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(
                out,
                "<h2>{heading}</h2>\n<ul>\n{}</ul>",
                lines.iter().map(|line| format!("<li>{line}</li>\n")).collect::<String>()
            );
        }
    };
    list(out, "Gaps", draft.gaps.iter().map(|gap| escaped(gap)).collect());
    list(out, "Disagreements", draft.disagreements.iter().map(|sentence| page.sentence(sentence)).collect());
    let yours = brief::yours(draft, findings);
    let line = |(words, sources): (&Clean, Vec<(FindingId, &Clean)>)| {
        let said = |(finding, original): &(FindingId, &Clean)| {
            let number = page.numbering.of(*finding).map_or(String::new(), |n| format!(" [{n}]"));
            format!("{number} {}", escaped(original))
        };
        match sources.is_empty() {
            true => format!("{} <span class=\"dim\">you wrote it, without a source</span>", escaped(words)),
            false => {
                let said: String = sources.iter().map(said).collect();
                format!("{} <span class=\"dim\">the source says:</span>{said}", escaped(words))
            }
        }
    };
    let yours: Vec<String> = brief::by_words(&yours).into_iter().map(line).collect();
    if !yours.is_empty() {
        list(out, "In your words", yours);
        let _ = writeln!(out, "<p class=\"dim\">{}</p>", escaped(YOURS_MEANS));
    }
    let sources = page.numbering.sources().map(|cited| match cited {
        // An address is shown and not linked: nothing on this page leads out of it without a person's doing.
        Cited::Document(source) => {
            let path = Some(&source.path).filter(|path| **path != source.title).map(|path| path.to_string());
            let dim = path.into_iter().chain(source.caveat());
            let dim = dim.map(|text| format!(" <span class=\"dim\">{}</span>", escaped(&text))).collect::<String>();
            format!("{}{dim}", escaped(&source.title))
        }
        Cited::Person => "You, without a source".into(),
    });
    let sources: String = sources.map(|source| format!("<li>{source}</li>\n")).collect();
    if !sources.is_empty() {
        let _ = writeln!(out, "<h2>Sources</h2>\n<ol>\n{sources}</ol>");
    }
}

impl Page<'_> {
    fn piece(&self, out: &mut String, piece: &Piece) {
        let _ = match piece {
            Piece::Paragraph { sentences } => {
                // A fold may not stand in a paragraph: it is a block once it is open.
                writeln!(out, "<div class=\"p\">{}</div>", self.running(sentences))
            }
            Piece::List { label, first, items } => {
                let label = label.as_ref().map(|label| format!("<p><strong>{}</strong></p>\n", escaped(label)));
                let items: String =
                    items.iter().map(|Item(sentences)| format!("<li>{}</li>\n", self.running(sentences))).collect();
                let label = label.unwrap_or_default();
                match first {
                    Some(first) => writeln!(out, "{label}<ol start=\"{first}\">\n{items}</ol>"),
                    None => writeln!(out, "{label}<ul>\n{items}</ul>"),
                }
            }
            Piece::Table { label, header, rows } => {
                let label = label.as_ref().map(|label| format!("<p><strong>{}</strong></p>\n", escaped(label)));
                let label = label.unwrap_or_default();
                let head: String = header.iter().map(|cell| format!("<th>{}</th>", escaped(cell))).collect();
                let row = |(name, cells): &(text::Clean, Vec<Sentence>)| {
                    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", self.sentence(cell))).collect();
                    format!("<tr><th>{}</th>{cells}</tr>\n", escaped(name))
                };
                writeln!(out, "{label}<table>\n<tr>{head}</tr>\n{}</table>", rows.iter().map(row).collect::<String>())
            }
            Piece::Code { label, sentence } => {
                let code = escaped(&code_lines(&sentence.text).join("\n"));
                let label = label.as_ref().map(|label| escaped(label)).unwrap_or_default();
                writeln!(out, "<div class=\"p\">{label} {}</div>\n<pre>{code}</pre>", self.cites(sentence))
            }
        };
    }

    fn running(&self, sentences: &[Sentence]) -> String {
        sentences.iter().map(|sentence| self.sentence(sentence)).collect::<Vec<_>>().join(" ")
    }

    /// A sentence with its citation.
    fn sentence(&self, sentence: &Sentence) -> String {
        let text = escaped(&sentence.text);
        match self.cites(sentence) {
            cites if !cites.is_empty() => format!("{text} {cites}"),
            _ if text.is_empty() => "–".into(),
            _ => text,
        }
    }

    /// The citation of a sentence, under which the evidence is folded; empty if it cites nothing.
    fn cites(&self, sentence: &Sentence) -> String {
        let cited: Vec<&Finding> = sentence.cites.iter().filter_map(|id| self.findings.get(id).copied()).collect();
        if cited.is_empty() {
            return String::new();
        }
        let yours = if self.numbering.is_in_your_words(sentence) { format!("{YOURS} ") } else { String::new() };
        let evidence: String = cited.iter().map(|finding| self.evidence(finding)).collect();
        let marks = self.numbering.marks(sentence);
        let marks = if marks.is_empty() { "[you]".into() } else { marks };
        format!("<details class=\"cite\"><summary>{yours}{marks}</summary>{evidence}</details>")
    }

    fn evidence(&self, finding: &Finding) -> String {
        let mut out = String::from("<div class=\"evidence\">");
        let said = finding.said();
        if finding.claim.as_str() != said {
            let _ = write!(out, "<p>{}</p>", escaped(&finding.claim));
        }
        if let Some(place) = &finding.place {
            let _ = write!(out, "<blockquote>{}</blockquote>", escaped(&said));
            let headings: Vec<String> = place.headings.iter().map(|heading| escaped(heading)).collect();
            let headings = if headings.is_empty() { String::new() } else { format!(" · {}", headings.join(" › ")) };
            let _ = write!(out, "<p class=\"dim\">{}, line {}{headings}</p>", escaped(&place.source.path), place.line);
        }
        let by = self.run.assignment(finding.id.assignment).filter(|by| by.id != AssignmentId::ROOT);
        let by = by.map_or_else(|| "you".into(), |by| escaped(&describe::name(by)));
        // A specialist vouches for its own words, not for a person's.
        let whose = match finding.words_of {
            WordsOf::Person => "in your words, without a source".into(),
            WordsOf::PersonEdited => format!("in your words, found by {by}"),
            WordsOf::Source | WordsOf::Model | WordsOf::Tool => format!("found by {by}"),
        };
        let _ = write!(out, "<p class=\"dim\">{whose} · {}</p></div>", finding.id);
        out
    }
}

/// The person's actions beside approving, folded.
fn deeds(out: &mut String, run: &Run) {
    let deeds = run.deeds();
    if deeds.is_empty() {
        return;
    }
    let items: String =
        deeds.iter().map(|deed| format!("<li>{}: {}</li>\n", escaped(&deed.at), escaped(&deed.words))).collect();
    let _ = writeln!(out, "<details><summary>What you did ({})</summary>\n<ul>\n{items}</ul></details>", deeds.len());
}

/// The files that were not read, folded.
fn skipped(out: &mut String, run: &Run) {
    let Some(corpus) = run.corpus.as_ref().filter(|corpus| corpus.skipped_count > 0) else { return };
    let more = (corpus.skipped_count as usize).saturating_sub(corpus.skipped.len());
    let more = (more > 0).then(|| format!("<li>and {more} more</li>\n"));
    let items: String = corpus
        .skipped
        .iter()
        .map(|s| format!("<li>{}: {}</li>\n", escaped(&s.path), escaped(&s.why)))
        .chain(more)
        .collect();
    let title = format!("Files that were not read ({})", corpus.skipped_count);
    let _ = writeln!(out, "<details><summary>{title}</summary>\n<ul>\n{items}</ul></details>");
}

/// The cost of each, and of all of them.
fn costs(out: &mut String, run: &Run) {
    out.push_str("<h2>What it took</h2>\n<table class=\"facts\">\n<tr><th></th><th></th><th>model calls</th><th>tool calls</th><th>tokens</th><th>cost</th></tr>\n");
    let row = |out: &mut String, name: String, state: String, spent: Amounts, money: String| {
        let (calls, tools) = (spent.get(Cap::Calls), spent.get(Cap::ToolCalls));
        let _ = writeln!(
            out,
            "<tr><td>{name}</td><td>{state}</td><td>{calls}</td><td>{tools}</td><td>{}</td><td>{money}</td></tr>",
            spent.tokens()
        );
    };
    // The cost of leaders is the cost of those below them: each stands with its own.
    for assignment in run.assignments().take(svg::MOST_ROWS) {
        let own = run.ledger.assignment(assignment.id).own;
        let money = if run.is_imported() { assignment.own_pricing().to_string() } else { own.money().to_string() };
        row(out, escaped(&describe::name(assignment)), escaped(&state(assignment)), own, escaped(&money));
    }
    let left_out = run.assignments().count().saturating_sub(svg::MOST_ROWS);
    if left_out > 0 {
        let _ = writeln!(out, "<tr><td>and {left_out} more</td></tr>");
    }
    let all = run.ledger.run().spent;
    let money = run.money_in_words();
    row(out, "<strong>all</strong>".into(), String::new(), all, escaped(&money));
    out.push_str("</table>\n");
}

/// The symbol and the word of its state.
pub(super) fn state(assignment: &Assignment) -> String {
    let mark = Mark::of_ended(assignment).unwrap_or(Mark::Running);
    format!("{} {}", mark.symbol(), mark.word())
}
