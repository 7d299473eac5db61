//! An answer while it comes, as a person reads it: items of JSON as they close, Markdown rendered; raw on request.
//!
//! Each part is made once: of text only the last paragraph is made anew, of JSON only the items that are new.

use super::items::{self, Items};
use super::markdown;
use crate::live::Streamed;
use crate::prelude::*;

/// What is kept of an answer between two frames.
#[derive(Default)]
pub struct Growing {
    width: usize,
    gone: usize,
    /// Text before this is in `done`, and does not change any more.
    stable: usize,
    done: usize,
    read: Items,
    /// How many items are in lines.
    items: usize,
    is_counted: bool,
    lines: Vec<Line<'static>>,
}

const INDENT: usize = 2;
const CURSOR: &str = "▌";

impl Growing {
    /// The lines of what has come so far.
    pub fn follow(
        &mut self,
        streamed: &Streamed,
        width: usize,
        name: impl Fn(&str) -> String,
        theme: &Theme,
    ) -> &[Line<'static>] {
        if (self.width, self.gone) != (width, streamed.gone) || self.stable > streamed.text.len() {
            *self = Growing { width, gone: streamed.gone, ..Growing::default() };
        }
        let cells = width.saturating_sub(INDENT);
        let text = &streamed.text;
        self.lines.truncate(self.done);
        if items::is_json(text) || !self.read.all.is_empty() {
            self.read.follow(text);
            if let Some(counted) = items::verdict(&self.read.all, cells, theme).map(indented) {
                // It stands above all, and is another with each judgement.
                if std::mem::replace(&mut self.is_counted, true) {
                    self.lines[0] = counted;
                } else {
                    self.lines.insert(0, counted);
                }
            }
            for item in &self.read.all[self.items..] {
                self.lines.extend(items::line(item, &name, cells, theme).into_iter().map(indented));
            }
            (self.items, self.done) = (self.read.all.len(), self.lines.len());
            if self.read.is_open() {
                self.lines.push(indented(theme.line(format!("… {CURSOR}"), Scope::Dim)));
            }
            return &self.lines;
        }
        let tail = text.get(self.stable..).unwrap_or_default();
        let more = markdown::stable(tail);
        if more > 0 {
            self.lines.extend(markdown::lines(&tail[..more], cells, theme).into_iter().map(indented));
            self.done = self.lines.len();
            self.stable += more;
        }
        self.lines.extend(markdown::lines(&text[self.stable..], cells, theme).into_iter().map(indented));
        match self.lines.last_mut().filter(|_| !text.ends_with('\n')) {
            Some(line) => line.push_span(theme.span(CURSOR, Scope::Text)),
            None => self.lines.push(indented(theme.line(CURSOR, Scope::Text))),
        }
        &self.lines
    }
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
        for piece in pieces {
            streamed.push(&Clean::new(piece));
            growing.follow(&streamed, 40, |id| id.into(), &theme);
        }
        growing.lines.iter().map(|line| line.to_string()).filter(|line| !line.trim().is_empty()).collect()
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
}
