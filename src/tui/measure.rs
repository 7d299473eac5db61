//! Measures, cuts and wraps text in cells of the screen, by grapheme, so that no wide character is split.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub fn width(text: &str) -> usize {
    text.width()
}

pub fn total_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// The text if it fits, else as much of it as leaves room for `…`.
pub fn cut(text: &str, cells: usize) -> Cow<'_, str> {
    if text.len() <= cells && text.is_ascii() || width(text) <= cells {
        return Cow::Borrowed(text);
    }
    if cells == 0 {
        return Cow::Borrowed("");
    }
    let kept = &text[..end_of(text, cells - 1)];
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// The text if it fits, else its end after `…`: the end of a path says most.
pub fn cut_front(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    if cells == 0 {
        return Cow::Borrowed("");
    }
    let mut start = text.len();
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        taken += width(grapheme);
        if taken > cells - 1 {
            break;
        }
        start = at;
    }
    Cow::Owned(format!("…{}", &text[start..]))
}

/// The text on one line, line breaks as spaces.
pub fn flat(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { Cow::Owned(text.replace('\n', " ")) } else { Cow::Borrowed(text) }
}

/// Byte offset after the last grapheme that ends within `cells`.
fn end_of(text: &str, cells: usize) -> usize {
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        taken += width(grapheme);
        if taken > cells {
            return at;
        }
    }
    text.len()
}

/// Byte ranges of the lines of `text` at this width: at line breaks, between words, and within a word only where
/// it is longer than a line. At least one range; none is wider than `cells` unless a single grapheme is.
pub fn wrap(text: &str, cells: usize) -> Vec<Range<usize>> {
    let cells = cells.max(1);
    let mut lines = Vec::new();
    let mut offset = 0;
    for paragraph in text.split('\n') {
        wrap_paragraph(paragraph, offset, cells, &mut lines);
        offset += paragraph.len() + 1;
    }
    lines
}

fn wrap_paragraph(text: &str, offset: usize, cells: usize, lines: &mut Vec<Range<usize>>) {
    let (mut start, mut end, mut taken) = (0, 0, 0);
    for (at, token) in tokens(text) {
        let wide = width(token);
        let blank = token.starts_with(breaks);
        if taken + wide <= cells {
            taken += wide;
            end = at + token.len();
            continue;
        }
        // White space at the end of a line needs no room.
        if blank {
            lines.push(offset + start..offset + end);
            (start, end, taken) = (at + token.len(), at + token.len(), 0);
            continue;
        }
        if at > start {
            lines.push(offset + start..offset + start + text[start..at].trim_end().len());
        }
        (start, end, taken) = (at, at + token.len(), wide);
        if wide > cells {
            let from = at;
            let pieces = broken(token, cells);
            taken = width(pieces.last().map_or("", |piece| &token[piece.clone()]));
            for piece in pieces.iter().take(pieces.len().saturating_sub(1)) {
                lines.push(offset + from + piece.start..offset + from + piece.end);
                start = from + piece.end;
            }
        }
    }
    if end > start || start == 0 {
        lines.push(offset + start..offset + end);
    }
}

/// The ranges of a word that is longer than a line, a line each: behind a sign that parts it, as in a path, where one stands in the second
/// half of the line, else between any two graphemes.
fn broken(word: &str, cells: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut taken) = (0, 0);
    let mut parted: Option<usize> = None;
    for (at, grapheme) in word.grapheme_indices(true) {
        let wide = width(grapheme);
        // A grapheme wider than the line still has to go somewhere.
        if taken + wide > cells && at > start {
            let end = parted.take().unwrap_or(at);
            pieces.push(start..end);
            (start, taken) = (end, width(&word[end..at]));
        }
        taken += wide;
        if matches!(grapheme, "/" | "-" | "." | "_") && taken > cells / 2 {
            parted = Some(at + grapheme.len());
        }
    }
    pieces.push(start..word.len());
    pieces
}

/// Whether a line may end here; not at a no-break space.
fn breaks(c: char) -> bool {
    c.is_whitespace() && c != '\u{a0}'
}

/// Runs of white space and of other characters, in turn.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let blank = rest.starts_with(breaks);
        let end = rest.find(|c| breaks(c) != blank).unwrap_or(rest.len());
        let token = (at, &rest[..end]);
        at += end;
        Some(token)
    })
}

/// The wrapped text in `base`, with some of its byte ranges in other styles.
pub fn rows(text: &str, cells: usize, base: Style, marked: &[(Range<usize>, Style)]) -> Vec<Line<'static>> {
    wrap(text, cells).into_iter().map(|line| Line::from(spans(text, line, base, marked))).collect()
}

/// The wrapped text in at most `most` lines, of which the last one says with `…` that there is more.
pub fn rows_within(text: &str, cells: usize, most: usize, base: Style) -> Vec<Line<'static>> {
    let lines = wrap(text, cells);
    let count = lines.len().min(most);
    let shown = lines.into_iter().take(count).enumerate();
    shown
        .map(|(n, line)| {
            let words = if n + 1 == count { cut(&text[line.start..], cells) } else { text[line].into() };
            Line::styled(words.into_owned(), base)
        })
        .collect()
}

/// These lines with `head` before the first one; the others are indented as far.
pub fn hanging(head: Span<'static>, lines: Vec<Line<'static>>) -> impl Iterator<Item = Line<'static>> {
    let indent = Span::raw(" ".repeat(width(&head.content)));
    std::iter::once(head).chain(std::iter::repeat(indent)).zip(lines).map(|(head, mut line)| {
        line.spans.insert(0, head);
        line
    })
}

fn spans(text: &str, line: Range<usize>, base: Style, marked: &[(Range<usize>, Style)]) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = line.start;
    for (range, style) in marked {
        let (from, to) = (range.start.max(at).min(line.end), range.end.min(line.end));
        if from >= to {
            continue;
        }
        if let (Some(before), Some(inside)) = (text.get(at..from), text.get(from..to)) {
            if !before.is_empty() {
                spans.push(Span::styled(before.to_string(), base));
            }
            spans.push(Span::styled(inside.to_string(), base.patch(*style)));
            at = to;
        }
    }
    if let Some(rest) = text.get(at..line.end).filter(|rest| !rest.is_empty()) {
        spans.push(Span::styled(rest.to_string(), base));
    }
    spans
}

/// A line with `right` at its right end; `left` is cut to fit.
pub fn justified(left: Vec<Span<'static>>, right: Vec<Span<'static>>, cells: usize) -> Line<'static> {
    let right_wide = total_width(&right);
    if right_wide + 1 > cells {
        return Line::from(fit(left, cells));
    }
    let mut spans = fit(left, cells - right_wide - 1);
    spans.push(Span::raw(" ".repeat(cells - right_wide - total_width(&spans))));
    spans.extend(right);
    Line::from(spans)
}

/// As many of the spans as fit, the last one cut.
pub fn fit(spans: Vec<Span<'static>>, cells: usize) -> Vec<Span<'static>> {
    let mut left = cells;
    let mut kept = Vec::with_capacity(spans.len());
    for span in spans {
        let wide = width(&span.content);
        if wide <= left {
            left -= wide;
            kept.push(span);
        } else {
            if left > 0 {
                kept.push(Span::styled(cut(&span.content, left).into_owned(), span.style));
            }
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cutting_never_splits_a_wide_character() {
        for (text, cells, cut_to) in [
            ("short", 5, "short"),
            ("longer text", 7, "longer…"),
            ("日本語テキスト", 6, "日本…"),
            ("日本語", 5, "日本…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("x", 0, ""),
        ] {
            assert_eq!(cut(text, cells), cut_to, "{text} in {cells}");
        }
        assert_eq!(cut_front("pgvector/tuning.md", 12), "…r/tuning.md");
    }

    #[test]
    fn text_is_wrapped_between_words_and_long_words_are_broken() {
        let lines = |text: &str, cells| wrap(text, cells).into_iter().map(|r| text[r].to_string()).collect::<Vec<_>>();
        assert_eq!(lines("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(lines("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(lines("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(lines("", 4), [""]);
        assert_eq!(lines("日本語テキスト", 5), ["日本", "語テ", "キス", "ト"]);
        assert_eq!(lines("日本 a", 1), ["日", "本", "a"]);
        // A word of a megabyte takes time by its length, and not by its square.
        assert_eq!(wrap(&"x".repeat(1 << 20), 64).len(), 1 << 14);
    }

    #[test]
    fn marks_are_painted_across_line_ends() {
        let bold = Style::new().bold();
        let lines = rows("one two three", 7, Style::new(), &[(4..13, bold)]);
        let shown: Vec<Vec<(&str, bool)>> =
            lines.iter().map(|l| l.spans.iter().map(|s| (&*s.content, s.style == bold)).collect()).collect();
        assert_eq!(shown, [vec![("one ", false), ("two", true)], vec![("three", true)]]);
    }

    #[test]
    fn a_path_breaks_behind_its_signs_and_a_word_without_them_where_the_line_ends() {
        for (word, cells, lines) in [
            ("masthead/memory/notes.md", 22, ["masthead/memory/notes.", "md"].as_slice()),
            ("masthead/memory/notes.md", 21, &["masthead/memory/", "notes.md"]),
            ("a-long-name/αβγ.md", 10, &["a-long-", "name/αβγ.", "md"]),
            ("abcdefghijk", 5, &["abcde", "fghij", "k"]),
            ("a/bcdefghij", 8, &["a/bcdefg", "hij"]),
        ] {
            let broken: Vec<&str> = wrap(word, cells).into_iter().map(|line| &word[line]).collect();
            assert_eq!(broken, lines, "{cells}");
        }
    }

    #[test]
    fn rows_within_a_number_of_lines_say_that_there_is_more() {
        let shown = |most| rows_within("one two three four", 9, most, Style::default());
        let shown = |most| shown(most).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown(3), ["one two", "three", "four"]);
        assert_eq!(shown(2), ["one two", "three fo…"]);
        assert_eq!(shown(1), ["one two…"]);
        assert!(shown(0).is_empty());
    }

    proptest! {
        #[test]
        fn wrapped_lines_are_in_order_fit_and_lose_only_white_space(text in "[a-c/. 日é\n]{0,60}", cells in 2usize..20) {
            let lines = wrap(&text, cells);
            let mut at = 0;
            let mut kept = String::new();
            for line in &lines {
                prop_assert!(line.start >= at && line.end >= line.start);
                prop_assert!(width(&text[line.clone()]) <= cells);
                kept.push_str(&text[line.clone()]);
                at = line.end;
            }
            let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&kept), letters(&text));
        }

        #[test]
        fn what_is_cut_fits(text in "\\PC{0,30}", cells in 0usize..20) {
            prop_assert!(width(&cut(&text, cells)) <= cells);
            prop_assert!(width(&cut_front(&text, cells)) <= cells);
        }
    }
}
