//! The parts of a payload as rows: findings, passages, sentences and verdicts each with its main words and its origin.

use serde_json::Value;

use super::origin::Origins;
use super::{From, Kind, Tree};
use crate::prelude::*;
use run::brief::{Draft, Item, Piece, Sentence};
use run::handoff::{Part, Passage};
use run::tool::estimate_tokens;
use run::{Finding, Payload, Verdict};

/// The rows of a payload. Without origins it says nowhere where a part came from: to be compared with another.
pub fn payload(tree: &mut Tree, payload: &Payload, origins: Option<&Origins<'_>>) {
    for part in payload.parts() {
        let name = part.name().to_string();
        let node = match part {
            Part::Findings(all) => items(tree, name, all, |tree, n, one| finding(tree, n, one, origins)),
            Part::Passages(all) => items(tree, name, all, |tree, n, one| passage(tree, n, one, origins)),
            Part::Verdicts(all) => items(tree, name, all, |tree, n, one| verdict(tree, n, one, origins)),
            Part::Draft(of) => draft(tree, name, of, origins),
            part => tree.value(Kind::Part, name, &as_value(&part)),
        };
        node.tokens = Some(part.tokens());
        node.from = origins.map(|origins| Box::new(origins.part(part)));
        if node.below == 0 && node.text.is_empty() {
            node.text = "(none)".into();
        }
    }
    if payload.is_empty() {
        tree.leaf(Kind::Part, "", "the payload is empty");
    }
}

fn as_value(value: &impl serde::Serialize) -> Value {
    // Plain data with string keys: making JSON of it cannot fail.
    serde_json::to_value(value).unwrap_or_default()
}

fn items<'t, T>(
    tree: &'t mut Tree,
    name: String,
    all: &[T],
    mut item: impl FnMut(&mut Tree, String, &T),
) -> &'t mut super::Node {
    let node = tree.branch(Kind::Part, name, |tree| {
        (1..).zip(all).for_each(|(n, one): (usize, &T)| item(tree, n.to_string(), one));
    });
    node.note = all.len().to_string();
    node
}

fn finding(tree: &mut Tree, n: String, finding: &Finding, origins: Option<&Origins<'_>>) {
    let node = tree.branch(Kind::Item, n, |tree| tree.fields(&as_value(finding)));
    node.text = super::tree::gist(&finding.claim);
    node.tokens = Some(estimate_tokens(finding.claim.len() + finding.quote.len()));
    node.from = origins.map(|origins| Box::new(origins.finding(finding)));
}

fn passage(tree: &mut Tree, n: String, passage: &Passage, origins: Option<&Origins<'_>>) {
    let (source, block) = (&passage.source, &passage.block);
    let node = tree.branch(Kind::Item, n, |tree| {
        tree.text(Kind::Field, "text", &block.text);
        tree.value(Kind::Field, "source", &as_value(source));
        tree.value(Kind::Field, "block", &without_text(as_value(&**block)));
    });
    node.text = format!("{}:{}  {}", flat(&source.path), block.line, super::tree::gist(&block.text));
    node.tokens = Some(estimate_tokens(block.text.len()));
    node.from = origins.and_then(|origins| origins.passage(&source.id, block.no)).map(Box::new);
}

/// A block without its text, which stands above it.
fn without_text(mut block: Value) -> Value {
    block.as_object_mut().map(|fields| fields.remove("text"));
    block
}

fn verdict(tree: &mut Tree, n: String, verdict: &Verdict, origins: Option<&Origins<'_>>) {
    let node = tree.branch(Kind::Item, n, |tree| {
        for issue in &verdict.issues {
            let node = tree.branch(Kind::Item, "issue", |tree| tree.fields(&as_value(issue)));
            node.text = format!("{}: {}", issue.concern, super::tree::gist(&issue.what));
            node.note = match (issue.blocking, issue.doubt) {
                (true, _) => "blocking".into(),
                (false, true) => "doubt".into(),
                (false, false) => String::new(),
            };
            node.from = origins.and_then(|origins| origins.cites(&issue.findings)).map(Box::new);
        }
        for check in &verdict.checks {
            let mark = if check.holds { Mark::Done } else { Mark::Failed };
            let text = format!("{} {}: {}", mark.symbol(), check.concern, flat(&check.result));
            tree.leaf(Kind::Field, "check", text);
        }
    });
    node.note = verdict.to_string();
    node.text = verdict.issues.first().map(|issue| super::tree::gist(&issue.what)).unwrap_or_default();
}

fn draft<'t>(tree: &'t mut Tree, name: String, draft: &Draft, origins: Option<&Origins<'_>>) -> &'t mut super::Node {
    let node = tree.branch(Kind::Part, name, |tree| {
        tree.text(Kind::Field, "title", &draft.title);
        lines(tree, "notes", &draft.notes);
        for section in &draft.sections {
            let node = tree.branch(Kind::Item, "section", |tree| {
                section.pieces.iter().for_each(|piece| self::piece(tree, piece, origins));
            });
            node.text = flat(&section.heading).into_owned();
            node.note = flat(&section.heading).into_owned();
        }
        if !draft.disagreements.is_empty() {
            tree.branch(Kind::Field, "disagreements", |tree| sentences(tree, &draft.disagreements, origins));
        }
        lines(tree, "gaps", &draft.gaps);
        tree.leaf(Kind::Field, "wording", as_value(&draft.wording).as_str().unwrap_or_default());
    });
    node.note = count(draft.words(), "word");
    node.text = super::tree::gist(&draft.title);
    node
}

fn lines(tree: &mut Tree, name: &str, all: &[Clean]) {
    if !all.is_empty() {
        let node = tree.branch(Kind::Field, name, |tree| {
            all.iter().for_each(|line| {
                tree.text(Kind::Item, "", line);
            })
        });
        node.note = all.len().to_string();
    }
}

fn piece(tree: &mut Tree, piece: &Piece, origins: Option<&Origins<'_>>) {
    match piece {
        Piece::Paragraph { sentences: all } => sentences(tree, all, origins),
        Piece::List { label, items, .. } => {
            let node = tree.branch(Kind::Field, "list", |tree| {
                items.iter().for_each(|Item(all)| sentences(tree, all, origins));
            });
            node.note = label.as_ref().map(|label| flat(label).into_owned()).unwrap_or_default();
        }
        Piece::Table { label, header, rows } => {
            let label = label.as_ref().map(|label| format!("{}: ", flat(label))).unwrap_or_default();
            let names: Vec<String> = header.iter().map(|name| flat(name).into_owned()).collect();
            let node = tree.branch(Kind::Field, "table", |tree| {
                for (name, cells) in rows {
                    let node = tree.branch(Kind::Item, "row", |tree| sentences(tree, cells, origins));
                    node.note = flat(name).into_owned();
                }
            });
            node.note = label + &names.join(" | ");
        }
        Piece::Code { label, sentence } => {
            let node =
                tree.branch(Kind::Field, "code", |tree| sentences(tree, std::slice::from_ref(sentence), origins));
            node.note = label.as_ref().map(|label| flat(label).into_owned()).unwrap_or_default();
        }
    }
}

fn sentences(tree: &mut Tree, all: &[Sentence], origins: Option<&Origins<'_>>) {
    for sentence in all {
        let cites: Vec<String> = sentence.cites.iter().map(ToString::to_string).collect();
        let cites = if cites.is_empty() { String::new() } else { format!("  [{}]", cites.join(", ")) };
        let node = tree.text(Kind::Item, "", &format!("{}{cites}", flat(&sentence.text)));
        node.from = origins.and_then(|origins| origins.cites(&sentence.cites)).map(Box::new);
    }
}

/// The reason for a handoff's refusal, above the payload that it would have carried.
pub fn refused(tree: &mut Tree, why: &str, from: From) {
    let node = tree.text(Kind::Part, "refused", why);
    node.from = Some(Box::new(from));
}
