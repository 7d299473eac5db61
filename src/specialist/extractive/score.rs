//! How well a claim answers: the sum of what speaks for it less what speaks against it.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::Candidate;
use super::material::Material;
use super::question::is_cue;
use super::topic::{Tie, Tokens, Topic};
use crate::run::evidence::BlockKind;
use crate::run::finding::FindingKind;
use crate::run::plan::{Shape, Task};
use crate::text::words::{Language, fold, is_stop, stem, words};

/// What a task asks for, weighed.
pub(super) struct Wanted {
    shape: Shape,
    /// Stems of the question and the aspects with their weights.
    terms: BTreeMap<String, f64>,
    /// Stems of each aspect.
    aspects: Vec<BTreeSet<String>>,
    /// Heaviest sum of terms that a sentence could reach in reason.
    full: f64,
}

impl Wanted {
    /// Of a task, with the words of the question and of what the person wished besides.
    pub fn of(
        task: &Task,
        shape: Shape,
        question: &str,
        wishes: &[String],
        topic: &Topic,
        material: &Material,
    ) -> Wanted {
        let own: BTreeSet<&str> = topic.names.iter().flat_map(|name| name.stems()).collect();
        let mut terms = BTreeMap::new();
        let mut add = |text: &str, weight: f64| {
            for word in words(text).filter(|word| !is_stop(word) && !is_cue(word)) {
                let stem = stem(word, Language::English);
                // The topic itself is what all candidates have in common; it tells little between them.
                let weight =
                    weight * material.idf(&stem).clamp(0.5, 6.0) * if own.contains(stem.as_str()) { 0.4 } else { 1.0 };
                let known = terms.entry(stem).or_insert(0.0);
                *known = f64::max(*known, weight);
            }
        };
        add(question, 0.5);
        add(&task.question, 1.0);
        task.aspects.iter().for_each(|aspect| add(aspect, 1.6));
        wishes.iter().for_each(|wish| add(wish, 2.0));
        let mut weights: Vec<f64> = terms.values().copied().collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        let full = weights.iter().take(4).sum::<f64>().max(1.0);
        let aspects = task
            .aspects
            .iter()
            .chain(wishes.iter().map(|w| w.as_str().into()).collect::<Vec<_>>().iter())
            .map(|a| Tokens::of(a).content())
            .collect();
        Wanted { shape, terms, aspects, full }
    }

    fn share(&self, stems: &BTreeSet<String>) -> f64 {
        let sum: f64 = stems.iter().filter_map(|stem| self.terms.get(stem)).sum();
        (sum / self.full).min(1.0)
    }

    /// Which aspects a candidate speaks to, in its words or in its heading.
    pub fn speaks_to(&self, candidate: &Candidate) -> Vec<usize> {
        let content = candidate.tokens.content();
        let speaks = |aspect: &BTreeSet<String>| {
            !aspect.is_empty() && aspect.iter().all(|stem| content.contains(stem) || candidate.above.contains(stem))
        };
        (0..self.aspects.len()).filter(|at| speaks(&self.aspects[*at])).collect()
    }

    /// Scores every candidate.
    pub fn score(&self, candidates: &mut [Candidate], topic: &Topic, material: &Material) {
        let passages = material.passage_scores();
        // A section is as good as its best passages: what stands beside them is likely to belong to the answer.
        let mut sections: BTreeMap<(String, String), f64> = BTreeMap::new();
        for (key, (source, block)) in &material.blocks {
            if let Some(score) = passages.get(key) {
                let place = (source.path.to_string(), heading_path(block));
                let best = sections.entry(place).or_insert(0.0);
                *best = f64::max(*best, *score);
            }
        }
        for candidate in candidates.iter_mut() {
            let place = (candidate.source.path.to_string(), candidate.block.no);
            let section = (candidate.source.path.to_string(), heading_path(&candidate.block));
            let passage = passages.get(&place).copied().unwrap_or(0.0);
            let section = sections.get(&section).copied().unwrap_or(0.0);
            candidate.score = self.one(candidate, topic, passage, section);
        }
    }

    fn one(&self, c: &Candidate, topic: &Topic, passage: f64, section: f64) -> f64 {
        let content = c.tokens.content();
        let mut score = 0.35 * passage + 0.25 * section + 0.45 * self.share(&content) + 0.25 * self.share(&c.above);
        score += match c.tie {
            Tie::Subject => 0.20,
            Tie::Sentence => 0.10,
            Tie::Heading => 0.08,
            Tie::Title => 0.0,
        };
        if c.home {
            score += 0.10;
        }
        if c.block.lead && c.claim.nth == 0 {
            score += 0.12;
        }
        if self.aspects.iter().any(|aspect| !aspect.is_empty() && aspect.is_subset(&c.heading)) {
            score += 0.30;
        } else if !self.speaks_to(c).is_empty() {
            score += 0.12;
        }
        let kind = kind(c, topic);
        score += match (self.shape, kind) {
            (_, FindingKind::Definition) => 0.22,
            (Shape::Comparison | Shape::ProsAndCons, FindingKind::Advantage | FindingKind::Drawback) => 0.45,
            (Shape::History, FindingKind::Event) => 0.35,
            (Shape::Causes, FindingKind::Cause) => 0.20,
            (Shape::Procedure, FindingKind::Step) => 0.12,
            _ => 0.0,
        };
        if self.shape == Shape::Comparison && is_contrast(&c.claim.text) {
            score += 0.20;
        }
        score - against(c)
    }
}

/// What speaks against a claim, whatever was asked.
fn against(c: &Candidate) -> f64 {
    let text = &c.claim.text;
    let lower = text.to_lowercase();
    let mut minus = 0.0;
    let n = text.split_whitespace().count();
    if n < 7 && c.block.kind == BlockKind::Paragraph {
        minus += 0.10;
    }
    if n > 40 {
        minus += 0.12;
    }
    if c.block.kind == BlockKind::TableRow {
        minus += 0.05;
    }
    if words(text).any(|word| matches!(fold(word).as_ref(), "you" | "your" | "you'll" | "you're")) {
        minus += 0.04;
    }
    let identifiers =
        text.split_whitespace().filter(|t| t.contains('_') || t.contains("()") || t.contains('/')).count();
    minus += 0.03 * identifiers.min(4) as f64;
    // A restriction of a part ("the second argument") or an aside is not what someone asks for first.
    if ["deprecated", "for example", "for instance", "e.g."].iter().any(|cue| lower.contains(cue)) {
        minus += 0.06;
    }
    if ["remember", "recall that", "as you", "let's", "suppose", "imagine", "consider "]
        .iter()
        .any(|cue| lower.starts_with(cue))
    {
        minus += 0.20;
    }
    minus
}

fn is_contrast(text: &str) -> bool {
    let lower = text.to_lowercase();
    [" whereas ", " while ", " unlike ", " than ", "trade-off", " instead of ", "compared ", " but "]
        .iter()
        .any(|cue| lower.contains(cue))
}

/// The headings above a block as one text.
pub(super) fn heading_path(block: &crate::run::evidence::Block) -> String {
    block.headings.iter().map(|h| h.as_str()).collect::<Vec<_>>().join(" / ")
}

/// What sort of statement a candidate is.
pub(super) fn kind(c: &Candidate, topic: &Topic) -> FindingKind {
    let lower = c.claim.text.to_lowercase();
    let over =
        format!("{} {}", c.block.intro.as_deref().unwrap_or(""), c.block.headings.last().map_or("", |h| h.as_str()))
            .to_lowercase();
    let list = c.block.kind == BlockKind::ListItem;
    let says = |text: &str, cues: &[&str]| cues.iter().any(|cue| text.contains(cue));
    if (list && says(&over, &["disadvantage", "drawback", "limitation", "weakness", "cons ", "downside"]))
        || says(&lower, &["disadvantage of", "drawback of", "downside", "at the cost of", "at the price of"])
    {
        return FindingKind::Drawback;
    }
    if (list && says(&over, &["advantage", "benefit", "strength", "pros "]))
        || says(&lower, &["advantage of", "benefit of", "main advantage"])
    {
        return FindingKind::Advantage;
    }
    if c.tie == Tie::Subject && defines(&c.claim.text, topic) {
        return FindingKind::Definition;
    }
    if super::number::date(&c.claim.text).is_some() {
        return FindingKind::Event;
    }
    if says(&lower, &["because", "due to", "caused by", "the reason", "as a result", "therefore", "since "]) {
        return FindingKind::Cause;
    }
    if says(&lower, &["you can ", "to create", "run ", "use the", "must be", "should be", "by running", "command"]) {
        return FindingKind::Step;
    }
    FindingKind::Fact
}

/// "X is a …", "X stores …": the topic right at the beginning, then a verb that says what it is or does.
fn defines(text: &str, topic: &Topic) -> bool {
    let beginning: String = text.split_whitespace().take(9).collect::<Vec<_>>().join(" ");
    let tokens = Tokens::of(&beginning);
    let Some(at) = topic
        .names
        .iter()
        .filter_map(|name| tokens.position(name).filter(|at| *at <= 2).map(|at| at + name.len()))
        .min()
    else {
        return false;
    };
    let verbs = [
        "is",
        "are",
        "was",
        "means",
        "refers",
        "describes",
        "provides",
        "allows",
        "lets",
        "stores",
        "handles",
        "contains",
        "declares",
        "consists",
        "holds",
    ];
    let lower = beginning.to_lowercase();
    let following: Vec<&str> = words(&lower).skip(at).take(3).collect();
    following.first().is_some_and(|word| verbs.contains(word))
        || following.get(1).is_some_and(|word| matches!(*word, "is" | "are"))
}
