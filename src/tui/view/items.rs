//! Reads an answer in JSON while it grows: each object of a list is an item as soon as it closes.
//!
//! Only the new part is read. Text that cannot be read is no item; nothing is repaired.

use serde_json::{Map, Value};

use crate::prelude::*;

/// The most items that are kept while a text grows: twice as many at the most.
const MOST_ITEMS: usize = 1_000;

/// The items that have been read of a text so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Items {
    /// The latest items, in order.
    pub all: Vec<Map<String, Value>>,
    /// The number before them that is not kept.
    pub dropped: usize,
    /// The end of the last one that is not kept.
    pub dropped_until: usize,
    /// The end of each of those that are kept.
    ends: Vec<usize>,
    /// The number of judgements among all, and of those that are a yes.
    judged: (usize, usize),
    /// The number of sentences that the answer says it has judged: a right one has no judgement of its own.
    of_all: Option<usize>,
    /// The place where reading goes on.
    at: usize,
    /// The objects and lists that are open: where each begins, and its bracket.
    open: Vec<(usize, char)>,
    is_text: bool,
    is_escaped: bool,
}

impl Items {
    /// Reads the new part of a text of which the first `gone` bytes are no longer there. It has only grown since.
    pub fn follow(&mut self, text: &str, gone: usize) {
        // Text that was dropped unread is passed over: an object that began in it is no item.
        let from = self.at.max(gone);
        let rest = text.get(from - gone..).unwrap_or_default();
        for (offset, byte) in rest.bytes().enumerate() {
            let at = from + offset;
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_text => self.is_escaped = true,
                b'"' => self.is_text = !self.is_text,
                _ if self.is_text => {}
                b'{' => self.open.push((at, '{')),
                b'[' => self.open.push((at, '[')),
                b'}' | b']' => self.closes(text, gone, at),
                _ => {}
            }
        }
        if self.of_all.is_none() {
            self.of_all = number(text.get(from.saturating_sub(BEFORE).max(gone) - gone..).unwrap_or_default());
        }
        self.at = gone + text.len();
        if self.all.len() > 2 * MOST_ITEMS {
            let more = self.all.len() - MOST_ITEMS;
            self.dropped += more;
            self.dropped_until = self.ends[more - 1];
            self.all.drain(..more);
            self.ends.drain(..more);
        }
    }

    /// The end of an item, by its place among those that are kept.
    pub fn end(&self, nth: usize) -> usize {
        self.ends.get(nth).copied().unwrap_or(self.at)
    }

    /// The number of sentences that were judged, and of those that are right.
    pub fn judged(&self) -> (usize, usize) {
        let (all, yes) = self.judged;
        match self.of_all.filter(|of_all| *of_all >= all) {
            Some(of_all) => (of_all, of_all - (all - yes)),
            None => self.judged,
        }
    }

    fn closes(&mut self, text: &str, gone: usize, at: usize) {
        let Some((from, kind)) = self.open.pop() else { return };
        let in_list = matches!(self.open.last(), Some((_, '['))) && self.open.len() <= 2;
        if kind == '{'
            && in_list
            && let Some(from) = from.checked_sub(gone)
            && let Some(Ok(item)) = text.get(from..=at - gone).map(serde_json::from_str)
        {
            if let Some(said) = judgement(&item) {
                self.judged.0 += 1;
                self.judged.1 += usize::from(said == "yes");
            }
            self.all.push(item);
            self.ends.push(at + 1);
        }
    }

    /// Whether something is still to come.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }
}

/// The text before the number of judged sentences.
const JUDGED: &str = "\"judged\":";
/// The most bytes of that and the number, which may come in pieces.
const BEFORE: usize = 24;

/// The number of judged sentences, once it stands whole in a text.
fn number(text: &str) -> Option<usize> {
    let rest = text.split_once(JUDGED)?.1.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[..end].parse().ok()
}

/// Whether a text is JSON, as far as its beginning tells.
pub fn is_json(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches("```json").trim_start();
    text.starts_with('{') || text.starts_with('[')
}

/// The items in lines: findings with their sources, judgements counted, others by their words.
pub fn lines(items: &Items, name: impl Fn(&str) -> String, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let counted = verdict(items.judged(), cells, theme).into_iter();
    counted.chain(items.all.iter().flat_map(|item| line(item, &name, Pen { cells, theme }))).collect()
}

/// The number of judgements that are a yes: one line, if there are judgements.
pub fn verdict((all, yes): (usize, usize), cells: usize, theme: &Theme) -> Option<Line<'static>> {
    let mark = if yes == all { Mark::Done } else { Mark::SentBack };
    let words = cut(&format!("{yes} of {all} yes"), cells.saturating_sub(2)).into_owned();
    (all > 0).then(|| Line::from(vec![theme.span(format!("{} ", mark.symbol()), mark), theme.span(words, Scope::Text)]))
}

fn judgement(item: &Map<String, Value>) -> Option<&str> {
    item.get("supported")?.as_str()
}

/// An item by itself; none of a judgement that is a yes.
pub fn line(item: &Map<String, Value>, name: impl Fn(&str) -> String, pen: Pen<'_>) -> Vec<Line<'static>> {
    if let Some(said) = judgement(item) {
        if said == "yes" {
            return Vec::new();
        }
        let why = text(item, "why").unwrap_or_default();
        let nth = item.get("sentence").map(|n| n.to_string()).unwrap_or_default();
        let words = format!("sentence {nth}: {said}{}{why}", if why.is_empty() { "" } else { ", " });
        return bullet("!", &words, "", Scope::Warning, pen).collect();
    }
    let (words, end) = match (text(item, "claim"), text(item, "title")) {
        (Some(claim), _) => (claim.to_string(), text(item, "source").map(name).unwrap_or_default()),
        (None, Some(title)) => match text(item, "question") {
            Some(question) => (run::plan::titled(title, question), String::new()),
            None => (title.to_string(), String::new()),
        },
        (None, None) => {
            let all: Vec<&str> = item.values().filter_map(Value::as_str).collect();
            (all.join(" · "), String::new())
        }
    };
    bullet("•", &words, &end, Scope::Cite, pen).collect()
}

fn text<'a>(item: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    item.get(key)?.as_str()
}

fn bullet(
    sign: &str,
    words: &str,
    end: &str,
    scope: impl Into<Scope>,
    Pen { cells, theme }: Pen<'_>,
) -> impl Iterator<Item = Line<'static>> {
    // Words of a model within a value of JSON are not clean yet.
    let (words, end) = (Clean::line(words), Clean::line(end));
    let all = if end.is_empty() { words.to_string() } else { format!("{words}  {end}") };
    let marked = [(words.len()..all.len(), theme.style(Scope::Dim))];
    let wrapped = rows(&all, cells.saturating_sub(2), theme.style(Scope::Text), &marked);
    hanging(theme.span(format!("{sign} "), scope), wrapped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FINDINGS: &str = r#"{"findings": [
        {"claim": "A \"quoted\" {claim}", "quote": "x", "source": "s1"},
        {"claim": "Another", "quote": "y", "source": "s2"}], "gaps": ""}"#;

    fn shown(text: &str) -> Vec<String> {
        let mut items = Items::default();
        items.follow(text, 0);
        let theme = Theme::load("default", None).unwrap();
        lines(&items, |id| format!("{id}.md"), 40, &theme).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn findings_appear_as_they_close_and_verdicts_are_counted() {
        assert_eq!(shown(FINDINGS), ["• A \"quoted\" {claim}  s1.md", "• Another  s2.md"]);
        assert_eq!(shown(&FINDINGS[..FINDINGS.len() - 30]), ["• A \"quoted\" {claim}  s1.md"]);
        let judged = r#"{"judgements":[{"sentence":1,"supported":"yes","why":""},{"sentence":2,"supported":"no","why":"how large?"}"#;
        assert_eq!(shown(judged), ["↺ 1 of 2 yes", "! sentence 2: no, how large?"]);
        assert_eq!(shown(r#"{"judged": 3, "judgements":["#), ["✓ 3 of 3 yes"]);
        let judged = r#"{"judged":12,"judgements":[{"sentence":2,"supported":"no","why":"how large?"}]"#;
        assert_eq!(shown(judged), ["↺ 11 of 12 yes", "! sentence 2: no, how large?"]);
        assert_eq!(shown(r#"{"tasks":[{"after":[],"question":"What?","title":"It"}]}"#), ["• It: What?"]);
        assert_eq!(shown("\u{1b}[31m no JSON } ] {"), [""; 0]);
    }

    proptest! {
        #[test]
        fn what_grows_is_read_as_the_whole(cuts in prop::collection::vec(0usize..140, 0..12)) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| FINDINGS.is_char_boundary(*at)).collect();
            cuts.sort_unstable();
            let (mut grown, mut whole) = (Items::default(), Items::default());
            cuts.into_iter().filter_map(|at| FINDINGS.get(..at)).for_each(|text| grown.follow(text, 0));
            grown.follow(FINDINGS, 0);
            whole.follow(FINDINGS, 0);
            prop_assert_eq!(grown, whole);
        }
    }
}
