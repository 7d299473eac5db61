//! Markdown as a person reads it: headings, lists, quotes, code, emphasis. Unknown syntax stays as it is written.
//!
//! Lines are independent of those far below them, so that text which grows needs only its last part again: [`stable`].

use crate::measure::wrap;
use crate::prelude::*;

/// The beginning of the part that more text may change: after the last blank line that is not within code.
pub fn stable(text: &str) -> usize {
    let (mut at, mut stable, mut is_code) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let bare = line.trim();
        is_code ^= bare.starts_with("```");
        if bare.is_empty() && line.ends_with('\n') && !is_code {
            stable = at;
        }
    }
    stable
}

/// The text in lines of `cells` cells.
pub fn lines(text: &str, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut is_code = false;
    let mut paragraph = String::new();
    for line in text.lines() {
        let bare = line.trim();
        let indent = line.len() - line.trim_start().len();
        if bare.starts_with("```") {
            flush(&mut lines, &mut paragraph, cells, theme);
            is_code = !is_code;
            continue;
        }
        if is_code {
            lines.push(theme.line(format!("  {}", cut(line, cells.saturating_sub(2))), Scope::Quote));
            continue;
        }
        let item = item(bare);
        match bare {
            "" => {
                flush(&mut lines, &mut paragraph, cells, theme);
                if !lines.is_empty() {
                    lines.push(Line::default());
                }
            }
            _ if heading(bare).is_some() => {
                flush(&mut lines, &mut paragraph, cells, theme);
                lines.extend(inline(heading(bare).unwrap_or_default(), cells, theme.style(Scope::Title), theme));
            }
            _ if item.is_some() => {
                flush(&mut lines, &mut paragraph, cells, theme);
                let (sign, rest) = item.unwrap_or_default();
                let head = format!("{}{sign} ", " ".repeat(indent.min(8)));
                let room = cells.saturating_sub(width(&head));
                let wrapped = inline(rest, room, theme.style(Scope::Text), theme);
                lines.extend(hanging(theme.span(head, Scope::Cite), wrapped));
            }
            _ if bare.starts_with("> ") => {
                flush(&mut lines, &mut paragraph, cells, theme);
                let wrapped = inline(&bare[2..], cells.saturating_sub(2), theme.style(Scope::Dim), theme);
                lines.extend(wrapped.into_iter().map(|mut line| {
                    line.spans.insert(0, theme.span("│ ", Scope::Border));
                    line
                }));
            }
            _ => {
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(bare);
            }
        }
    }
    flush(&mut lines, &mut paragraph, cells, theme);
    lines
}

fn flush(lines: &mut Vec<Line<'static>>, paragraph: &mut String, cells: usize, theme: &Theme) {
    if !paragraph.is_empty() {
        lines.extend(inline(&std::mem::take(paragraph), cells, theme.style(Scope::Text), theme));
    }
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level).then(|| rest.strip_prefix(' ')).flatten()
}

/// The sign and the text of a list item.
fn item(line: &str) -> Option<(String, &str)> {
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|sign| line.strip_prefix(sign)) {
        return Some(("•".into(), rest));
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line[digits..].strip_prefix(". ")?;
    (1..=3).contains(&digits).then(|| (format!("{}.", &line[..digits]), rest))
}

/// A piece of text with emphasis, code and citations in their styles, wrapped.
fn inline(text: &str, cells: usize, base: Style, theme: &Theme) -> Vec<Line<'static>> {
    let mut plain = String::with_capacity(text.len());
    let mut marked = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let pair = [("**", base.bold()), ("__", base.bold()), ("`", theme.style(Scope::Quote)), ("*", base.italic())]
            .into_iter()
            .find_map(|(sign, style)| Some((sign, style, within(rest, sign)?)));
        if let Some((sign, style, inside)) = pair {
            let from = plain.len();
            plain.push_str(inside);
            marked.push((from..plain.len(), style));
            rest = &rest[inside.len() + 2 * sign.len()..];
        } else if let Some(cite) = citation(rest) {
            let from = plain.len();
            plain.push_str(cite);
            marked.push((from..plain.len(), theme.style(Scope::Cite)));
            rest = &rest[cite.len()..];
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    match wrap(&plain, cells.max(1)).len() {
        0 => Vec::new(),
        _ => rows(&plain, cells, base, &marked),
    }
}

/// The text between a sign and the next one like it.
fn within<'a>(text: &'a str, sign: &str) -> Option<&'a str> {
    let inside = text.strip_prefix(sign)?;
    let inside = &inside[..inside.find(sign)?];
    let is_word = !inside.is_empty() && !inside.starts_with(' ') && !inside.ends_with(' ');
    is_word.then_some(inside)
}

/// `[3]`, `[3, 4]`.
fn citation(text: &str) -> Option<&str> {
    let end = text.strip_prefix('[')?.find(']')? + 2;
    let inside = &text[1..end - 1];
    let is_number = |c: char| c.is_ascii_digit() || c == ',' || c == ' ';
    (inside.chars().all(is_number) && inside.contains(|c: char| c.is_ascii_digit())).then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let theme = Theme::load("default", None).unwrap();
        lines(text, 30, &theme).iter().map(|line| line.to_string().trim_end().to_string()).collect()
    }

    #[test]
    fn what_is_written_is_shown_as_it_reads() {
        let text = "# The trade-offs\n\nOne **bold** word, `code`\nand [3].\n\n- first\n  - second, which is a long one indeed\n10. tenth\n\n> said\n\n```\nlet x = 1;\n```\n";
        assert_eq!(
            shown(text),
            [
                "The trade-offs",
                "",
                "One bold word, code and [3].",
                "",
                "• first",
                "  • second, which is a long",
                "    one indeed",
                "10. tenth",
                "",
                "│ said",
                "",
                "  let x = 1;"
            ]
        );
        assert_eq!(shown("2 * 3 * 4 and a_b"), ["2 * 3 * 4 and a_b"], "what is no emphasis stays");
    }

    proptest! {
        #[test]
        fn text_that_grows_shows_what_the_whole_would(text in "([a-c *`#>-]{0,6}\n?){0,12}", cells in 4usize..20) {
            let theme = Theme::load("default", None).unwrap();
            let at = stable(&text);
            let words = |lines: Vec<Line<'_>>| {
                lines.iter().map(|line| line.to_string()).filter(|line| !line.trim().is_empty()).collect::<Vec<_>>()
            };
            let mut parts = words(lines(&text[..at], cells, &theme));
            parts.extend(words(lines(&text[at..], cells, &theme)));
            prop_assert_eq!(parts, words(lines(&text, cells, &theme)));
        }
    }
}
