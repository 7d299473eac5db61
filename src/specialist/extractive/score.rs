//! Scores how well a claim answers the task: a sum of bonuses and penalties.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::Candidate;
use super::claim::{is_signature, unnumbered};
use super::phrases::{is_action, is_cue};
use super::question::asks_which_to_use;
use super::select::Slot;
use super::tool_results::ToolResults;
use super::topic::{Tie, Tokens, Topic};
use super::topic_names::beyond_topic;
use super::words::WORDS;
use run::evidence::BlockKind;
use run::finding::FindingKind;
use run::plan::{Shape, Task};
use text::Named;
use text::words::{Language, fold, is_stop, stem, words};

/// The penalty per block between a claim and the start of its section.
const DEPTH: f64 = 0.015;
/// The penalty for mentioning nothing of a narrow question beyond its topic.
const BESIDE_THE_POINT: f64 = 0.25;

/// What a task asks for, as weights.
pub(super) struct Wanted {
    shape: Shape,
    /// Stems of the question and the aspects, by weight.
    terms: BTreeMap<String, f64>,
    /// The stems of each aspect.
    aspects: Vec<BTreeSet<String>>,
    /// Whether the question names a function or an option.
    names_code: bool,
    /// Whether the question is which one to use.
    choosing: bool,
    /// Whether the task covers one section of the sources.
    sectional: bool,
    /// Whether the question asks for advice.
    advice: bool,
    /// Whether the question asks for rules.
    rules: bool,
    /// Stems of a narrow question beyond its topic: a claim without any of them is about something else.
    beyond_topic: BTreeSet<String>,
    /// The highest sum of weights that a sentence can reasonably reach.
    full: f64,
}

impl Wanted {
    /// The weights for a task, from the words of the question and of the person's messages.
    pub fn of(
        task: &Task,
        shape: Shape,
        question: &str,
        named: &Named,
        wishes: &[String],
        topic: &Topic,
        results: &ToolResults,
    ) -> Wanted {
        // Sides that the sources do not know cannot tell one sentence from another.
        let sides = named.sides.iter().flat_map(|side| words(side)).map(|word| stem(word, Language::English));
        let unknown: BTreeSet<String> = sides.filter(|side| results.count(side) == Some(0)).collect();
        let own: BTreeSet<&str> = topic.names.iter().flat_map(|name| name.stems()).collect();
        let mut terms = BTreeMap::new();
        let mut add = |text: &str, weight: f64| {
            for word in words(text).filter(|word| !is_stop(word) && !is_cue(word)) {
                let stem = stem(word, Language::English);
                if unknown.contains(&stem) {
                    continue;
                }
                // All candidates mention the topic, so it distinguishes little between them.
                let weight =
                    weight * results.idf(&stem).clamp(0.5, 6.0) * if own.contains(stem.as_str()) { 0.4 } else { 1.0 };
                let known = terms.entry(stem).or_insert(0.0);
                *known = f64::max(*known, weight);
            }
        };
        add(question, 0.5);
        add(&task.question, 1.0);
        task.aspects.iter().for_each(|aspect| add(aspect, 1.6));
        wishes.iter().for_each(|wish| add(wish, 2.0));
        let beyond_topic = match shape {
            // "configure" is in every how-to; its object matters.
            Shape::Procedure | Shape::Causes | Shape::ProsAndCons => {
                beyond_topic(question, &topic.names, results, |word| !is_action(word))
            }
            _ => BTreeSet::new(),
        };
        let choosing = asks_which_to_use(question);
        let sectional = task.aspects.first().is_some_and(|aspect| task.question.ends_with(&format!(": {aspect}")))
            && !matches!(shape, Shape::Comparison | Shape::History);
        let asked = task.question.to_lowercase();
        let advice = WORDS.asks_for_advice.are_in(&asked);
        let rules =
            words(question).any(|w| matches!(fold(w).as_ref(), "rules" | "rule" | "requirements" | "must" | "allowed"));
        let mut weights: Vec<f64> = terms.values().copied().collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        let full = weights.iter().take(4).sum::<f64>().max(1.0);
        let aspects = task
            .aspects
            .iter()
            .chain(wishes.iter().map(|w| w.as_str().into()).collect::<Vec<_>>().iter())
            .map(|a| Tokens::of(a).content())
            .collect();
        Wanted {
            shape,
            terms,
            aspects,
            beyond_topic,
            full,
            names_code: question.split_whitespace().any(is_signature),
            choosing,
            sectional,
            rules,
            advice,
        }
    }

    fn share(&self, stems: &BTreeSet<String>) -> f64 {
        let sum: f64 = stems.iter().filter_map(|stem| self.terms.get(stem)).sum();
        (sum / self.full).min(1.0)
    }

    /// The aspects that a candidate covers, in its words or its heading.
    pub fn speaks_to(&self, candidate: &Candidate) -> Vec<usize> {
        let content = candidate.tokens.content();
        let speaks = |aspect: &BTreeSet<String>| {
            !aspect.is_empty() && aspect.iter().all(|stem| content.contains(stem) || candidate.above.contains(stem))
        };
        (0..self.aspects.len()).filter(|at| speaks(&self.aspects[*at])).collect()
    }

    /// Whether a candidate mentions anything of a narrow question beyond its topic.
    pub fn is_to_the_point(&self, c: &Candidate) -> bool {
        let speaks = |stems: &BTreeSet<String>| !self.beyond_topic.is_disjoint(stems);
        self.beyond_topic.is_empty() || speaks(&c.above) || speaks(&c.tokens.content())
    }

    pub fn score(&self, candidates: &mut [Candidate], topic: &Topic, results: &ToolResults) {
        let passages = results.passage_scores();
        // A section is as good as its best passages: its other claims probably belong to the answer.
        let mut sections: BTreeMap<(String, String), f64> = BTreeMap::new();
        for (key, (source, block)) in &results.blocks {
            if let Some(score) = passages.get(key) {
                let place = (source.path.to_string(), heading_path(block));
                let best = sections.entry(place).or_insert(0.0);
                *best = f64::max(*best, *score);
            }
        }
        let mut firsts: BTreeMap<(String, String), u32> = BTreeMap::new();
        for (source, block) in results.blocks.values() {
            let first = firsts.entry((source.path.to_string(), heading_path(block))).or_insert(block.no);
            *first = block.no.min(*first);
        }
        for candidate in candidates.iter_mut() {
            let place = (candidate.source.path.to_string(), candidate.block.no);
            let section = (candidate.source.path.to_string(), heading_path(&candidate.block));
            let passage = passages.get(&place).copied().unwrap_or(0.0);
            let section = sections.get(&section).copied().unwrap_or(0.0);
            // Authors put the most important part of a section first.
            let first = firsts.get(&(candidate.source.path.to_string(), heading_path(&candidate.block))).copied();
            let depth = candidate.block.no.saturating_sub(first.unwrap_or(candidate.block.no)).min(10);
            candidate.score = self.one(candidate, topic, passage, section) - DEPTH * f64::from(depth);
        }
    }

    fn one(&self, c: &Candidate, topic: &Topic, passage: f64, section: f64) -> f64 {
        let content = c.tokens.content();
        let own_section = self.aspects.iter().any(|aspect| !aspect.is_empty() && aspect.is_subset(&c.heading));
        // Within the task's own section, all headings contain the words of the task: its structure matters more.
        let words_weight = if own_section { 0.20 } else { 0.45 };
        let mut score =
            0.35 * passage + 0.25 * section + words_weight * self.share(&content) + 0.25 * self.share(&c.above);
        score += match c.tie {
            Tie::Subject => 0.20,
            Tie::Sentence => 0.10,
            Tie::Heading => 0.08,
            Tie::Title | Tie::Spread => 0.0,
        };
        if c.home {
            // The introduction of a page describes its subject.
            score += if c.block.no < 8 && opens_its_page(c) { 0.35 } else { 0.10 };
        }
        if c.block.lead && c.claim.nth == 0 {
            score += 0.12;
        } else if c.claim.nth == 0 {
            score += if own_section { 0.15 } else { 0.06 };
        }
        if own_section {
            score += 0.40;
        } else if self.sectional && !self.aspects.iter().any(|aspect| aspect.is_subset(&c.above)) {
            // Other sections have their own researchers.
            score -= 0.40;
        } else if !self.speaks_to(c).is_empty() {
            score += 0.12;
        }
        if self.shape == Shape::Each
            && matches!(c.block.kind, BlockKind::TableRow | BlockKind::ListItem | BlockKind::KeyValue)
        {
            // Group members stand in lists and tables, with the group in the header or heading.
            let over = Tokens::of(&format!(
                "{} {}",
                c.block.intro.as_deref().unwrap_or(""),
                c.block.headings.last().map_or("", |h| h.as_str())
            ))
            .content();
            if topic.names.iter().any(|name| name.stems().any(|stem| over.contains(stem))) {
                score += 1.0;
            }
        }
        if !self.is_to_the_point(c) {
            score -= BESIDE_THE_POINT;
        }
        if self.shape == Shape::Facets && self.aspects.iter().any(|aspect| aspect.is_subset(&content)) {
            score += 0.25;
        }
        if self.advice && WORDS.advice.are_in(&c.claim.text) {
            score += 0.15;
        }
        if !self.rules
            && !self.advice
            && !self.choosing
            && !matches!(self.shape, Shape::Procedure)
            && instructs(&c.claim.text)
        {
            score -= 0.15;
        }
        if self.rules
            && ["must", "should", "may not", "shall"].iter().any(|cue| words(&c.claim.text).any(|word| word == *cue))
        {
            score += 0.12;
        }
        let kind = kind(c, topic);
        score += match (self.shape, kind) {
            (_, FindingKind::Definition) => 0.22,
            (Shape::Comparison | Shape::ProsAndCons, FindingKind::Advantage | FindingKind::Drawback) => 0.45,
            (Shape::History, FindingKind::Event) => 0.15,
            (Shape::Causes, FindingKind::Cause) => 0.20,
            (Shape::Procedure, FindingKind::Step) => 0.12,
            _ => 0.0,
        };
        if kind == FindingKind::Definition && (is_a(&c.claim.text) || entry(c)) {
            score += 0.30;
        }
        if self.choosing && recommends(&c.claim.text) {
            score += 0.25;
        }

        if self.shape == Shape::Comparison && topic.rivals.iter().any(|rival| rival.is_in(&c.tokens)) {
            score += 0.15;
        }
        if self.shape == Shape::Comparison && is_contrast(&c.claim.text) {
            score += 0.20;
        }
        // It stands in the changelog of the requested version.
        if self.shape == Shape::History && self.aspects.iter().any(|aspect| aspect.is_subset(&c.above)) {
            score += 0.35;
        }
        if self.shape == Shape::Comparison && c.block.kind == BlockKind::TableRow {
            // A table whose header names the compared things has their numbers side by side.
            let header = Tokens::of(c.block.intro.as_deref().unwrap_or(""));
            if topic.rivals.iter().any(|rival| rival.is_in(&header)) {
                score += 0.30 + 0.15 * numeric_cells(c) as f64;
            }
        }
        if self.about_it(c, topic) {
            score += 0.25;
        }
        (score - against(c)) * self.too_special(c)
    }

    /// Whether the heading of the section is the topic and nothing else.
    fn about_it(&self, c: &Candidate, topic: &Topic) -> bool {
        topic
            .names
            .iter()
            .any(|name| name.stems().all(|stem| c.heading.contains(stem)) && c.heading.len() <= name.len())
    }

    /// The penalty for the entry of a single function or option, unless the question names one.
    fn too_special(&self, c: &Candidate) -> f64 {
        let signature = c.block.headings.iter().any(|heading| is_signature(heading));
        let history = self.shape == Shape::History;
        let versioned = WORDS.of_a_version.are_in(&c.claim.text);
        let mut share = 1.0;
        if signature && !self.names_code {
            share *= if history { 0.9 } else { 0.5 };
        }
        if versioned && !history {
            share *= 0.7;
        }
        share
    }
}

/// The penalties of a claim, whatever was asked.
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
    // "You are also encouraged …" depends on an earlier sentence.
    if words(text).take(5).any(|word| matches!(fold(word).as_ref(), "also" | "another" | "again" | "however" | "too")) {
        minus += 0.12;
    }
    if words(text).any(|word| matches!(fold(word).as_ref(), "you" | "your" | "you'll" | "you're")) {
        minus += 0.04;
    }
    let identifiers =
        text.split_whitespace().filter(|t| t.contains('_') || t.contains("()") || t.contains('/')).count();
    minus += 0.03 * identifiers.min(4) as f64;
    // A sentence that announces many things has not said anything yet.
    if WORDS.announcements.beginning(&lower).is_some() {
        minus += 0.15;
    }
    // A restriction of a part ("the second argument") or an aside is a detail.
    if ["deprecated", "for example", "for instance", "e.g."].iter().any(|cue| lower.contains(cue)) {
        minus += 0.06;
    }
    if WORDS.addresses_reader.beginning(&lower).is_some() {
        minus += 0.20;
    }
    minus
}

/// The slot of a candidate in a comparison; None for a cell that means nothing outside its table.
pub(super) fn slot(c: &Candidate, topic: &Topic) -> Option<Slot> {
    let short = c.claim.text.rsplit("]: ").next().is_some_and(|quote| quote.split_whitespace().count() < 5);
    if c.block.kind == BlockKind::TableRow && short {
        return (numeric_cells(c) >= 2 && c.claim.text.rsplit("]: ").next().is_some_and(has_digit))
            .then_some(Slot::Cell);
    }
    Some(match kind(c, topic) {
        FindingKind::Definition if is_a(&c.claim.text) || entry(c) => Slot::Definition,
        FindingKind::Advantage => Slot::Advantage,
        FindingKind::Drawback => Slot::Drawback,
        _ if is_contrast(&c.claim.text) && c.tie == Tie::Subject => Slot::Contrast,
        _ => Slot::Other,
    })
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// The number of numeric cells in its row, without the row's name.
fn numeric_cells(c: &Candidate) -> usize {
    c.block.text.split(" | ").skip(1).filter(|cell| has_digit(cell)).count()
}

/// Whether a sentence gives an instruction.
fn instructs(text: &str) -> bool {
    WORDS.instructions.beginning(&text.to_lowercase()).is_some()
}

/// Whether a sentence says what a thing is good for.
fn recommends(text: &str) -> bool {
    WORDS.recommendations.are_in(&text.to_lowercase())
}

fn is_contrast(text: &str) -> bool {
    WORDS.contrasts.are_in(&text.to_lowercase())
}

/// The headings above a block as one text.
pub(super) fn heading_path(block: &run::evidence::Block) -> String {
    block.headings.iter().map(|h| h.as_str()).collect::<Vec<_>>().join(" / ")
}

pub(super) fn kind(c: &Candidate, topic: &Topic) -> FindingKind {
    let lower = c.claim.text.to_lowercase();
    let over =
        format!("{} {}", c.block.intro.as_deref().unwrap_or(""), c.block.headings.last().map_or("", |h| h.as_str()))
            .to_lowercase();
    let list = c.block.kind == BlockKind::ListItem;
    let says = |text: &str, cues: &[&str]| cues.iter().any(|cue| text.contains(cue));
    if (list && says(&over, &["disadvantage", "drawback", "limitation", "weakness", "cons ", "downside"]))
        || (c.tie == Tie::Subject
            && says(&lower, &["disadvantage of", "drawback of", "downside", "at the cost of", "at the price of"]))
    {
        return FindingKind::Drawback;
    }
    if (list && says(&over, &["advantage", "benefit", "strength", "pros "]))
        || says(&lower, &["advantage of", "benefit of", "main advantage"])
    {
        return FindingKind::Advantage;
    }
    let headed = topic
        .names
        .iter()
        .any(|name| c.heading.len() == name.len() && name.stems().all(|stem| c.heading.contains(stem)));
    if headed && c.block.lead && c.claim.range.start == 0 && c.block.kind == BlockKind::Paragraph {
        return FindingKind::Definition;
    }
    if c.tie == Tie::Subject && defines(&c.claim.text, topic) {
        return FindingKind::Definition;
    }
    if super::numbers::date(&c.claim.text).is_some() {
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

/// Whether a claim stands before the first section of its page, or in a section that introduces the page.
fn opens_its_page(c: &Candidate) -> bool {
    let last = c.block.headings.last().map(|heading| unnumbered(heading).to_lowercase());
    c.block.headings.len() <= 1 || last.is_some_and(|last| matches!(last.as_str(), "introduction" | "overview"))
}

/// Whether a claim is a dictionary entry: first below its own name ("[Depends]: This declares …").
fn entry(c: &Candidate) -> bool {
    c.block.lead && c.claim.text.starts_with('[') && c.block.kind == BlockKind::Paragraph
        || c.block.kind == BlockKind::KeyValue && c.tie == Tie::Subject && c.claim.nth == 0
}

/// Whether a sentence says what something is, not what it does or has.
fn is_a(text: &str) -> bool {
    let beginning: Vec<&str> = text.split_whitespace().take(10).collect();
    beginning.windows(2).any(|pair| matches!(pair[0], "is" | "are") && matches!(pair[1], "a" | "an" | "the"))
}

/// Whether the sentence defines the topic: "X is a …", "X stores …".
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
    let lower = beginning.to_lowercase();
    let following: Vec<&str> = words(&lower).skip(at).take(3).collect();
    following.first().is_some_and(|word| WORDS.defining_verbs.contains(*word))
        || following.get(1).is_some_and(|word| matches!(*word, "is" | "are"))
}
