//! The title of a text by its first lines.

use super::{LONGEST_TERM, Line, Outline, chunks, margin};

/// A first line that begins in this column or later may be centred, and one that is indented this far is.
const CENTRED: usize = 8;
const FAR_IN: usize = 16;
/// The most names of one entry.
const MOST_NAMES: usize = 6;

/// The title of a document: a manual page's name and purpose, the number and name of an RFC, or a first line that is
/// centred or above numbered headings.
pub(super) fn title(lines: &[Line<'_>]) -> Option<String> {
    let first = lines.iter().position(|line| !line.is_blank())?;
    let name = lines[first].words().split_whitespace().next()?;
    let numbered = name.ends_with(')') && name.contains('(') && lines[first].words().len() > name.len();
    if numbered && lines[first].words().ends_with(name) {
        let at = lines.iter().position(|line| line.text == "NAME")?;
        let purpose =
            lines[at + 1..].iter().take_while(|line| !line.is_blank()).map(Line::words).collect::<Vec<_>>().join(" ");
        let purpose = purpose.split_once(" - ").map_or(purpose.as_str(), |(_, purpose)| purpose);
        return Some(format!("{name}: {purpose}"));
    }
    if let Some(name) = name_of_entry(&lines[first..]) {
        return Some(name.to_owned());
    }
    let line = lines[first];
    let letters = line.words().chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    let fits = line.words().len() <= LONGEST_TERM && letters * 10 >= line.words().chars().count() * 7;
    let stands_out = line.indent >= CENTRED || lines.get(first + 1).is_some_and(Line::is_blank);
    if fits
        && !line.words().ends_with(['.', ':', ','])
        && (line.indent >= FAR_IN || stands_out && Outline::of(lines, margin(lines)).has_tops)
    {
        return Some(line.words().to_owned());
    }
    let head: Vec<&Line<'_>> = lines[first..].iter().take(30).take_while(|line| !line.is_blank()).collect();
    if let Some(number) = head.iter().find_map(|line| line.text.strip_prefix("Request for Comments: ")) {
        let number: String = number.chars().take_while(char::is_ascii_digit).collect();
        let below = chunks(&lines[first + head.len()..]).next()?;
        let name = below.iter().map(Line::words).collect::<Vec<_>>().join(" ");
        return Some(format!("RFC {number}: {name}"));
    }
    None
}

/// The name of a dictionary entry: a line at the margin, perhaps with further names below it, above indented text.
fn name_of_entry<'t>(lines: &[Line<'t>]) -> Option<&'t str> {
    let names = lines.iter().take_while(|line| !line.is_blank()).count();
    let (names, text) = lines.split_at(names);
    let is_name = |line: &Line<'_>| {
        let words = line.words();
        line.indent == 0
            && words.len() <= LONGEST_TERM
            && !words.ends_with(['.', ',', ':', ';'])
            && line.item().is_none()
    };
    let mut text = text.iter().filter(|line| !line.is_blank()).peekable();
    let is_entry = names.len() <= MOST_NAMES && names.iter().all(is_name) && text.peek().is_some();
    (is_entry && text.all(|line| line.indent >= 2)).then(|| names[0].words())
}
