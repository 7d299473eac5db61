//! Help files of Vim, detected by the modeline at their end. The tags between `*` are dropped, `>` and `<` enclose
//! program text, `~` ends a heading (Vim's `:help help-writing`).

use super::super::pdf::Mark;
use super::Line;

/// The sections below a rule of `=`, those below a rule of `-`, and those marked by a `~` or by capitals before a tag.
const BELOW_EQUALS: u8 = 1;
const BELOW_DASHES: u8 = 2;
const INNERMOST: u8 = 3;

/// Whether these are the lines of such a file.
pub(super) fn is_one(lines: &[Line<'_>]) -> bool {
    lines.iter().rev().find(|line| !line.is_blank()).is_some_and(is_modeline)
}

/// Whether a line sets Vim to show a help file.
fn is_modeline(line: &Line<'_>) -> bool {
    let settings = line.words().split_once("vim:").map_or("", |(_, settings)| settings);
    ["ft=help", "filetype=help"].iter().any(|kind| settings.contains(kind))
}

/// The title: the line below the one that names the manual. None if the text begins there.
pub(super) fn title<'a>(lines: &[Line<'a>]) -> Option<&'a str> {
    let mut lines = lines.iter().map(|line| without_tags(line.words()).0).filter(|words| !words.is_empty());
    let below = lines.by_ref().take(4).find(|words| words.contains("MANUAL")).and_then(|_| lines.next());
    below.filter(|title| !title.contains([',', '.', '!']))
}

/// The lines without their marks. Headings and program text get our own marks.
pub(super) fn read<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    let mut kept: Vec<Line<'a>> = Vec::with_capacity(lines.len());
    let mut below = None;
    let mut in_code = false;
    for line in lines {
        if is_modeline(line) {
            continue;
        }
        let mut text = line.text;
        if in_code {
            if line.is_blank() || text.starts_with([' ', '\t']) {
                kept.push(Line { mark: Some(Mark::Code).filter(|_| !line.is_blank()), ..*line });
                continue;
            }
            in_code = false;
            text = text.strip_prefix('<').unwrap_or(text);
        }
        if let Some(rule) = line.rule().filter(|rule| "=-".contains(*rule)) {
            below = Some(if rule == '=' { BELOW_EQUALS } else { BELOW_DASHES });
            kept.push(Line::new("", line.no));
            continue;
        }
        if let Some(before) = text.strip_suffix('>').filter(|before| before.is_empty() || before.ends_with([' ', '\t']))
        {
            in_code = true;
            text = before.trim_end();
        }
        let (words, has_tag) = without_tags(text);
        let ends = words.strip_suffix('~').map(str::trim_end).filter(|words| !words.trim_start().contains('\t'));
        let is_capital = |words: &str| !words.contains(char::is_lowercase) && words.contains(char::is_alphabetic);
        let is_innermost = ends.is_some() || has_tag && is_capital(words);
        let level = below.take_if(|_| !words.is_empty()).or(is_innermost.then_some(INNERMOST));
        let words = ends.unwrap_or(words);
        kept.push(Line { mark: level.filter(|_| !words.is_empty()).map(Mark::Heading), ..Line::new(words, line.no) });
    }
    kept
}

/// A text without the tags around it, and whether there are any.
fn without_tags(text: &str) -> (&str, bool) {
    let is_tag = |word: &str| word.len() > 2 && word.starts_with('*') && word.ends_with('*');
    let (mut rest, mut has_any) = (text.trim_end(), false);
    while let Some(word) = rest.split_whitespace().next_back().filter(|word| is_tag(word)) {
        rest = rest[..rest.len() - word.len()].trim_end();
        has_any = true;
    }
    while let Some(word) = rest.split_whitespace().next().filter(|word| is_tag(word)) {
        rest = rest.trim_start()[word.len()..].trim_start();
        has_any = true;
    }
    (rest, has_any)
}
