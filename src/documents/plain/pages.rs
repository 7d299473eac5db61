//! Text set for a printer: drops running headers and footers, and joins sentences across pages.
//!
//! Removes a line only if similar lines are at other page breaks, or if it contains the page number.

use std::collections::HashMap;

use super::Line;

/// The lines without page breaks. `feeds` are the positions of lines that begin a page.
pub(super) fn joined<'a>(lines: &[Line<'a>], feeds: &[usize]) -> Vec<Line<'a>> {
    let breaks = breaks(lines, feeds);
    let mut shapes: HashMap<String, usize> = HashMap::new();
    for at in breaks.iter().flat_map(|(footer, header)| [footer, header]).flatten() {
        *shapes.entry(shape(&lines[*at])).or_default() += 1;
    }
    let runs = |at: &usize| shapes[&shape(&lines[*at])] > 1 || is_page_number(&lines[*at]);
    let mut kept: Vec<Line<'a>> = Vec::with_capacity(lines.len());
    let mut from = 0;
    for (footer, header) in breaks {
        let (footer, header) = (footer.filter(|at| *at >= from && runs(at)), header.filter(runs));
        let Some(first) = footer.or(header) else { continue };
        kept.extend(&lines[from.min(first)..first]);
        from = header.or(footer).map_or(first, |last| last + 1).max(from);
        from += lines[from..].iter().take_while(|line| line.is_blank()).count();
        while kept.last().is_some_and(Line::is_blank) {
            kept.pop();
        }
        if let Some(before) = kept.last()
            && !lines.get(from).is_some_and(|after| goes_on(before, after))
        {
            kept.push(Line::new("", before.no));
        }
    }
    kept.extend(&lines[from..]);
    kept
}

/// The positions of the last line of each page and of the first one after it.
fn breaks(lines: &[Line<'_>], feeds: &[usize]) -> Vec<(Option<usize>, Option<usize>)> {
    let inked: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].is_blank()).collect();
    // The inked lines before and after the end of a page, by their place among them.
    let around = |end: usize| (end.checked_sub(1).map(|last| inked[last]), inked.get(end).copied());
    if !feeds.is_empty() {
        return feeds.iter().map(|feed| around(inked.partition_point(|at| at < feed))).collect();
    }
    let footers = inked.iter().zip(1..).filter(|(at, _)| is_page_number(&lines[**at]));
    footers.map(|(_, end)| around(end)).collect()
}

/// A line without the parts that differ from page to page.
fn shape(line: &Line<'_>) -> String {
    line.words().chars().filter(|c| !c.is_whitespace() && !c.is_ascii_digit()).collect()
}

/// Whether it ends like `[Page 12]`.
fn is_page_number(line: &Line<'_>) -> bool {
    line.words().strip_suffix(']').and_then(|words| words.rsplit_once("[Page ")).is_some_and(|(_, number)| {
        (1..=6).contains(&number.len()) && number.chars().all(|c| c.is_ascii_digit() || "ivxlc".contains(c))
    })
}

/// Whether a paragraph continues on the next page.
fn goes_on(before: &Line<'_>, after: &Line<'_>) -> bool {
    let ended = before.words().ends_with(['.', ':', '!', '?', ';']);
    after.words().starts_with(char::is_lowercase) || !ended && after.indent >= before.indent && after.item().is_none()
}
