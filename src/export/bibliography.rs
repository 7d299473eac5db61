//! The sources of a brief for others to cite: BibTeX, and CSL-JSON.

use std::fmt::Write as _;

use run::Run;
use run::brief::{Cited, Numbering};
use run::evidence::SourceRef;
use serde_json::{Value, json};

/// The sources of the brief in the order of their numbers; None if there is no brief.
fn sources(run: &Run) -> Option<Vec<(usize, SourceRef)>> {
    let (draft, findings) = run.brief()?;
    let numbering = Numbering::new(draft, findings);
    let cited = numbering.sources().zip(1..).filter_map(|(cited, n)| match cited {
        Cited::Document(source) => Some((n, (*source).clone())),
        Cited::Person => None,
    });
    Some(cited.collect())
}

/// The DOI in an address, if it is one.
fn doi(address: &str) -> Option<&str> {
    let (_, doi) = address.split_once("doi.org/")?;
    doi.starts_with("10.").then_some(doi)
}

/// Text within braces, in which TeX reads no command.
fn braced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => out.extend(['\\', c]),
            '^' => out.push_str("\\^{}"),
            '~' => out.push_str("\\~{}"),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The sources as BibTeX: a page by its address, a file by its path and digest.
pub fn bibtex(run: &Run) -> Option<String> {
    let mut out = String::new();
    for (n, source) in sources(run)? {
        let _ = writeln!(out, "@misc{{source{n},\n  title = {{{}}},", braced(&source.title));
        // An address stands as it is: characters that may not stand in braces are written as in addresses.
        let address = source.path.replace('{', "%7B").replace('}', "%7D").replace('\\', "%5C");
        let _ = match (source.is_page(), doi(&source.path)) {
            (true, Some(doi)) => writeln!(out, "  doi = {{{}}},\n  url = {{{address}}},", braced(doi)),
            (true, None) => writeln!(out, "  url = {{{address}}},"),
            (false, _) => writeln!(out, "  howpublished = {{{}}},", braced(&source.path)),
        };
        let _ = writeln!(out, "  note = {{SHA-256 {}}}\n}}\n", source.sha256);
    }
    Some(out)
}

/// The sources as CSL-JSON.
pub fn csl(run: &Run) -> Option<String> {
    let item = |(n, source): (usize, SourceRef)| {
        let mut item = json!({"id": format!("source{n}"), "type": "document", "title": source.title, "note": format!("SHA-256 {}", source.sha256)});
        match source.is_page() {
            true => {
                item["type"] = "webpage".into();
                item["URL"] = source.path.as_str().into();
                if let Some(doi) = doi(&source.path) {
                    item["DOI"] = doi.into();
                }
            }
            false => item["archive_location"] = source.path.as_str().into(),
        }
        item
    };
    let items: Vec<Value> = sources(run)?.into_iter().map(item).collect();
    serde_json::to_string_pretty(&items).ok().map(text::escape_in_json)
}
