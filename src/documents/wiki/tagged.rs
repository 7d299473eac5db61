//! Pages of wikis that have HTML in place of most marks, as those of Fossil: blank lines part paragraphs, brackets are links, stars
//! with blanks around them are items. Makes a page of HTML of them, with the same lines.

use std::borrow::Cow;

/// Tags that plain text does not have.
const TAGS: [&str; 9] = ["<p>", "<h1", "<h2", "<h3", "<b>", "<title>", "<blockquote>", "<verbatim", "<ul>"];
/// A page with fewer of them has none.
const LEAST: usize = 3;
/// A page with fewer bold questions has no headings of that kind.
const LEAST_QUESTIONS: usize = 3;
/// The most bytes of a link, and of a heading.
const LONGEST: usize = 400;

/// Whether a page of a wiki has HTML in it.
pub(super) fn is_one(text: &str) -> bool {
    TAGS.iter().map(|tag| text.matches(tag).take(LEAST).count()).sum::<usize>() >= LEAST
}

/// The page in HTML, line by line.
pub(super) fn as_html(text: &str) -> String {
    let has_questions = paragraphs(text).filter(|part| question(part).is_some_and(asks)).count() >= LEAST_QUESTIONS;
    let mut page = String::with_capacity(text.len() + text.len() / 8);
    let mut in_list = false;
    for part in paragraphs(text) {
        if is_verbatim(part) {
            page.push_str(&verbatim(part));
            continue;
        }
        let is_item = part.lines().next().and_then(item).is_some();
        if in_list && !is_item && !part.trim().is_empty() {
            page.push_str("</ul>");
            in_list = false;
        }
        match question(part).filter(|_| has_questions) {
            Some(words) => {
                let lines = part.matches('\n').count() - words.matches('\n').count();
                page.push_str(&format!("<h5>{}</h5>{}", without_links(words), "\n".repeat(lines)));
            }
            None => part.split_inclusive('\n').for_each(|line| match item(line) {
                Some(words) => {
                    page.push_str(if std::mem::replace(&mut in_list, true) { "<li>" } else { "<ul><li>" });
                    page.push_str(&without_links(words));
                }
                None if line.trim().is_empty() => page.push_str(&format!("<p>{line}")),
                None => page.push_str(&without_links(line)),
            }),
        }
    }
    page
}

/// The parts of a page: paragraphs, runs of lines between blank ones, blank lines, and verbatim text as a whole.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (mut end, mut is_open, mut is_blank) = (0, false, false);
        for line in rest.split_inclusive('\n') {
            let (begins, blank) = (line.trim_start().starts_with("<verbatim"), line.trim().is_empty());
            if end > 0 && !is_open && (begins || line.starts_with("<p") || blank != is_blank) {
                break;
            }
            is_blank = blank;
            is_open |= begins;
            end += line.len();
            if is_open && line.contains("</verbatim>") {
                break;
            }
        }
        let (part, behind) = rest.split_at(end);
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}

fn is_verbatim(part: &str) -> bool {
    part.trim_start().starts_with("<verbatim")
}

/// Verbatim text as program text; a drawing, whose type is told, is left out with its lines kept.
fn verbatim(part: &str) -> String {
    let (tag, inner) = part.split_once('>').unwrap_or((part, ""));
    let (inner, behind) = inner.split_once("</verbatim>").unwrap_or((inner, ""));
    if tag.contains("pikchr") {
        return "\n".repeat(part.matches('\n').count());
    }
    format!("<pre>{}</pre>{behind}", inner.replace('&', "&amp;").replace('<', "&lt;"))
}

/// The words of a paragraph that is one bold element, perhaps in elements of its own.
fn question(part: &str) -> Option<&str> {
    let mut inner = part.trim();
    while !inner.starts_with("<b>")
        && let Some((_, behind)) = inner.strip_prefix('<').and_then(|tag| tag.split_once('>'))
    {
        inner = behind.trim_start();
    }
    while let Some(before) = ["</p>", "</li>"].iter().find_map(|end| inner.strip_suffix(end)) {
        inner = before.trim_end();
    }
    let words = inner.strip_prefix("<b>")?.strip_suffix("</b>")?;
    (words.len() <= LONGEST && !words.is_empty() && !words.contains("b>")).then_some(words)
}

fn asks(words: &str) -> bool {
    words.trim().ends_with('?')
}

/// The words of an item: a star or a number with two blanks before it and behind it.
fn item(line: &str) -> Option<&str> {
    let mark = line.strip_prefix("  ")?.trim_start_matches(' ');
    let rest = mark.strip_prefix(['*', '#']).or_else(|| {
        let digits = mark.bytes().take_while(u8::is_ascii_digit).count();
        mark[digits..].strip_prefix('.').filter(|_| digits > 0)
    })?;
    rest.strip_prefix("  ").filter(|rest| !rest.trim().is_empty())
}

/// Lines whose links are their words: `[./page.wiki | words]`, `[/help/ui]`.
fn without_links(text: &str) -> Cow<'_, str> {
    if !text.contains('[') {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        kept.push_str(&rest[..at]);
        let from = &rest[at + 1..];
        let near = &from[..from.floor_char_boundary(LONGEST)];
        match near.split_once(']').and_then(|(inner, _)| Some((words_of(inner)?, inner.len()))) {
            Some((words, length)) => {
                kept.push_str(words);
                rest = &from[length + 1..];
            }
            None => {
                kept.push('[');
                rest = from;
            }
        }
    }
    kept.push_str(rest);
    kept.into()
}

/// The words of a link, if it is one.
fn words_of(inner: &str) -> Option<&str> {
    let is_target = |target: &str| ["/", "./", "../", "http", "#"].iter().any(|begin| target.trim().starts_with(begin));
    match inner.split_once('|') {
        Some((target, words)) => (!target.contains('[')).then_some(words.trim()),
        None => is_target(inner).then_some(inner.trim()),
    }
}
