//! An answer while it comes, as a person reads it: items of JSON as they close, Markdown rendered; raw on request.
//!
//! Each part is made once: of text only the last paragraph is made anew, of JSON only the items that are new. Parts outlive the text that they
//! were made of, of which only the end is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use super::items::{self, Items};
use super::markdown;
use super::paint::{CURSOR, INDENT, Wrapped};
use crate::live::Streamed;
use crate::prelude::*;

/// The lines of an answer that are kept between two frames. Places count from the beginning of the stream, dropped text included.
#[derive(Default)]
pub struct Growing {
    width: usize,
    is_json: bool,
    /// Text before this is in `done` lines, and does not change any more.
    stable: usize,
    done: usize,
    /// The lines that are done, in parts: how many lines each has, and where its text ends.
    parts: VecDeque<(usize, usize)>,
    /// Text before this is in no line.
    before: usize,
    read: Items,
    /// The number of items that are or were laid out.
    items: usize,
    lines: Wrapped,
}

/// The lines of an answer to be shown.
pub struct Grown {
    /// Bytes of text before the part that is shown.
    pub before: usize,
    /// The number of judgements that are a yes, if there are judgements.
    pub counted: Option<Line<'static>>,
    /// The rest. Drop it before the next frame: it is not copied then.
    pub lines: Wrapped,
}

/// The most lines that are kept; half of them go at once, so that this happens seldom.
const MOST_LINES: usize = 2_000;
/// A paragraph of more bytes is laid out in pieces of half of that.
const LONG: usize = 4_096;

impl Growing {
    /// The lines of the text so far.
    pub fn follow(&mut self, streamed: &Streamed, width: usize, name: impl Fn(&str) -> String, theme: &Theme) -> Grown {
        let Streamed { text, gone } = streamed;
        let is_json = if *gone == 0 { items::is_json(text) } else { self.is_json };
        if (self.width, self.is_json) != (width, is_json) || self.stable > gone + text.len() {
            let read = std::mem::take(&mut self.read);
            let before = if is_json { read.dropped_until.max(self.before) } else { *gone };
            *self = Growing { width, is_json, read, stable: *gone, before, ..Growing::default() };
            self.items = self.read.dropped;
        }
        let cells = width.saturating_sub(INDENT);
        let lines = Arc::make_mut(&mut self.lines);
        lines.truncate(self.done);
        let mut counted = None;
        if is_json {
            self.read.follow(text, *gone);
            counted = items::verdict(self.read.judged(), cells, theme).map(indented);
            let from = self.items.saturating_sub(self.read.dropped);
            for (item, nth) in self.read.all[from..].iter().zip(from..) {
                let new = items::line(item, &name, Pen { cells, theme });
                self.parts.push_back((new.len(), self.read.end(nth)));
                lines.extend(new.into_iter().map(indented));
            }
            (self.items, self.done) = (self.read.dropped + self.read.all.len(), lines.len());
            if self.read.is_open() {
                lines.push(indented(theme.line(format!("… {CURSOR}"), Scope::Dim)));
            }
        } else {
            // More may have come at once than is kept.
            self.stable = self.stable.max(*gone);
            let tail = text.get(self.stable - gone..).unwrap_or_default();
            let more = settled(tail);
            if more > 0 {
                let new = markdown::lines(&tail[..more], cells, theme);
                self.stable += more;
                self.parts.push_back((new.len(), self.stable));
                lines.extend(new.into_iter().map(indented));
                self.done = lines.len();
            }
            lines.extend(markdown::lines(&tail[more..], cells, theme).into_iter().map(indented));
            match lines.last_mut().filter(|_| !text.ends_with('\n')) {
                Some(line) => line.push_span(theme.span(CURSOR, Scope::Text)),
                None => lines.push(indented(theme.line(CURSOR, Scope::Text))),
            }
        }
        self.forget();
        Grown { before: self.before, counted, lines: self.lines.clone() }
    }

    /// Drops the first of very many lines.
    fn forget(&mut self) {
        if self.done <= MOST_LINES {
            return;
        }
        let mut dropped = 0;
        while self.done - dropped > MOST_LINES / 2
            && let Some((lines, end)) = self.parts.pop_front()
        {
            (dropped, self.before) = (dropped + lines, end);
        }
        Arc::make_mut(&mut self.lines).drain(..dropped);
        self.done -= dropped;
    }
}

/// The length of a text's beginning that no longer changes when more comes: whole paragraphs, and of a very long one a part.
fn settled(text: &str) -> usize {
    let stable = markdown::stable(text);
    let open = &text[stable..];
    if open.len() <= LONG || open.contains("```") {
        return stable;
    }
    let most = open.floor_char_boundary(open.len() - LONG / 2);
    let at = open[..most].rfind('\n').or_else(|| open[..most].rfind(' '));
    stable + at.map_or(0, |at| at + 1)
}

pub fn indented(mut line: Line<'static>) -> Line<'static> {
    line.spans.insert(0, Span::raw(" ".repeat(INDENT)));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(pieces: &[&str]) -> Vec<String> {
        let theme = Theme::load("default", None).unwrap();
        let (mut growing, mut streamed) = (Growing::default(), Streamed::default());
        let mut shown = Vec::new();
        for piece in pieces {
            streamed.push(&Clean::new(piece));
            let grown = growing.follow(&streamed, 40, |id| id.into(), &theme);
            shown = grown.counted.iter().chain(&*grown.lines).map(ToString::to_string).collect();
        }
        shown.retain(|line: &String| !line.trim().is_empty());
        shown
    }

    #[test]
    fn text_is_shown_as_it_reads_while_it_comes() {
        let pieces = ["# Its li", "mits\n\nThey are **th", "ose** of\n\n- an in", "dex"];
        assert_eq!(grown(&pieces), ["  Its limits", "  They are those of", "  • an index▌"]);
        assert_eq!(grown(&pieces), grown(&[&pieces.concat()]));
    }

    #[test]
    fn a_finding_is_shown_once_it_is_whole() {
        assert_eq!(
            grown(&["{\"findings\": [{\"claim\": \"It is", " large\", \"source\": \"a\"}, {\"cl"]),
            ["  • It is large  a", "  … ▌"]
        );
    }

    #[test]
    fn findings_are_shown_as_such_however_many_came_before_and_little_of_them_is_kept() {
        let finding = |n: usize| format!("{{\"claim\": \"Claim {n}\", \"source\": \"a\"}}, ");
        let all: Vec<String> = std::iter::once("{\"findings\": [".to_owned()).chain((0..9_000).map(finding)).collect();
        let pieces: Vec<&str> = all.iter().map(String::as_str).collect();
        let shown = grown(&pieces);
        assert_eq!(shown[shown.len() - 2..], ["  • Claim 8999  a", "  … ▌"]);
        assert!(shown.iter().rev().skip(1).all(|line| line.starts_with("  • Claim ")), "{shown:?}");
        assert!((MOST_LINES / 2..=MOST_LINES + 1).contains(&shown.len()), "{}", shown.len());
        let judged: String = (0..9_000).map(|n| format!("{{\"sentence\": {n}, \"supported\": \"yes\"}}, ")).collect();
        let pieces: Vec<&str> = judged.split_inclusive(", {").collect();
        let pieces: Vec<&str> = ["{\"judgements\": ["].into_iter().chain(pieces).collect();
        assert!(grown(&pieces)[0].contains("9000 of 9000 yes"), "{:?}", grown(&pieces));
    }

    #[test]
    fn a_paragraph_without_an_end_is_laid_out_in_pieces() {
        let words: Vec<String> = (0..4_000).map(|n| format!("word{n} ")).collect();
        let pieces: Vec<&str> = words.iter().map(String::as_str).collect();
        let shown = grown(&pieces).concat();
        let at: Vec<usize> = (100..4_000)
            .map(|n| shown.find(&format!("word{n} ")).or(shown.find(&format!("word{n}"))).unwrap())
            .collect();
        assert!(at.is_sorted(), "every word, once and in order");
        assert!(settled(&words.concat()) > 0 && settled(&format!("```\n{}", words.concat())) == 0);
    }
}
