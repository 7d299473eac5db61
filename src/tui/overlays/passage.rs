//! Findings with their passages: the place is named and the quote highlighted.

use std::ops::Range;

use crate::prelude::*;
use crate::screens::Page;
use crate::screens::brief::evidence;
use run::evidence::{Block, Place};
use run::finding::WordsOf;
use run::{AssignmentId, BlockKind, Finding, FindingId, Standing, describe};

#[derive(Clone, Debug)]
pub struct Passage {
    pub findings: Vec<FindingId>,
    pub scroll: usize,
}

pub static KEYS: Keys = Keys {
    title: "an opened passage",
    groups: &[&[
        row(&[c('n'), c('l'), RIGHT, TAB], Action::Next, Some("next"), "next citation or finding"),
        row(&[c('N'), c('h'), LEFT, BACK_TAB], Action::Previous, None, "citation or finding before"),
        row(&[ENTER], Action::Open, Some("its call"), "on to the call that found it"),
        row(&[c('y')], Action::Copy, Some("copy"), "copy claim, quote and place"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Part, on, draw, scroll, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    match action {
        // The page knows which comes next, and shows it here: after a contradiction the next one.
        Action::Next | Action::Previous => {
            let Overlay::Passage(Passage { findings, .. }) = &ui.overlay else { return None };
            let disputes = ui.page == Page::Findings && findings.len() > 1;
            let next = match action {
                Action::Next if disputes => Action::NextConflict,
                Action::Previous if disputes => Action::PreviousConflict,
                action => action,
            };
            (ui.page.screen().on)(ui, run, next)
        }
        Action::Open => {
            let Overlay::Passage(Passage { findings, .. }) = &ui.overlay else { return None };
            let findings = findings.clone();
            evidence::follow(ui, run, &findings);
            Some(Vec::new())
        }
        Action::Copy => {
            let Overlay::Passage(Passage { findings, .. }) = &ui.overlay else { return None };
            let said = findings.iter().filter_map(|id| select::find(run, *id)).map(|finding| {
                let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
                format!("{}\n> {}{place}\n", finding.claim, finding.quote)
            });
            let text = said.collect::<Vec<_>>().join("\n");
            Some(vec![Effect::Copy { what: "the finding", text }])
        }
        _ => None,
    }
}

/// Shows these findings if the overlay is open.
pub fn show(ui: &mut Ui, findings: Vec<FindingId>) {
    if let Overlay::Passage(passage) = &mut ui.overlay {
        *passage = Passage { findings, scroll: 0 };
    }
}

fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    let Overlay::Passage(passage) = &mut ui.overlay else { return None };
    Some(&mut passage.scroll)
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    let Overlay::Passage(Passage { findings, .. }) = &ui.overlay else { return false };
    !findings.iter().any(|id| select::find(run, *id).is_some())
}

/// The findings one below the other, over the lower part of the page.
fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Passage(Passage { findings: ids, scroll }) = &ui.overlay else { return Seen::default() };
    let findings: Vec<&Finding> = ids.iter().filter_map(|id| select::find(run, *id)).collect();
    let cells = usize::from(page.width).saturating_sub(4);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for finding in &findings {
        if !lines.is_empty() {
            lines.push(theme.line("─".repeat(cells), Scope::Border));
        }
        lines.extend(whole(run, finding, cells, theme));
    }
    // Both sides of a contradiction stand together, and below them how each was found.
    for finding in &findings {
        let way = evidence::way(run, finding, cells, theme);
        lines.extend((!way.is_empty()).then(Line::default));
        lines.extend(way);
    }
    let wanted = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let height = wanted.clamp(6.min(page.height), (page.height * 3 / 4).max(6).min(page.height));
    let area = Rect { y: page.bottom() - height, height, ..page };
    paint::clear(buf, area, theme.style(Scope::Text));
    let mut names: Vec<String> = findings.iter().map(|finding| finder(run, finding)).collect();
    names.dedup();
    let title = format!("finding{} of {}", if findings.len() == 1 { "" } else { "s" }, names.join(" and "));
    let title = theme.span(title, Scope::Title);
    let right = at_edge(&findings, paint::room_beside(area.width, title.width()), theme);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    paint::scrolled(buf, inner, &lines, *scroll, theme.style(Scope::Dim))
}

/// The one that found it, by name.
fn finder(run: &Run, finding: &Finding) -> String {
    match run.assignment(finding.id.assignment) {
        Some(one) if one.id != AssignmentId::ROOT => flat(&describe::name(one)).into_owned(),
        _ => "yours".into(),
    }
}

/// Claim, edits, contradictions, and every place with its passage.
pub fn whole(run: &Run, finding: &Finding, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = rows(&finding.claim, cells, theme.style(Scope::Title), &[]);
    for edit in &finding.edits {
        let message = match (edit.removed.is_empty(), edit.inserted.is_empty()) {
            (true, _) => format!("edit: {}: + \"{}\"", edit.rule, flat(&edit.inserted)),
            (_, true) => format!("edit: {}: − \"{}\"", edit.rule, flat(&edit.removed)),
            _ => format!("edit: {}: \"{}\" → \"{}\"", edit.rule, flat(&edit.removed), flat(&edit.inserted)),
        };
        lines.extend(rows(&message, cells, theme.style(Scope::Dim), &[]));
    }
    lines.extend(remarks(run, finding, cells, theme));
    for (n, place) in finding.places().enumerate() {
        lines.push(Line::default());
        lines.push(where_it_stands(place, if n == 0 { "" } else { "also at " }, cells, theme));
        lines.extend(passage(run, finding, place, n == 0, Pen { cells, theme }));
    }
    lines
}

/// For the strip below the list: remarks, then the first place with its passage.
pub fn short(run: &Run, finding: &Finding, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    // A claim that is not the quote to the letter is shown whole, since its row may have cut it.
    if finding.claim != finding.quote {
        lines.extend(rows(&finding.claim, cells, theme.style(Scope::Title), &[]));
    }
    lines.extend(remarks(run, finding, cells, theme));
    if let Some(place) = &finding.place {
        if !place.headings.is_empty() {
            lines.push(theme.line(cut(&headings(place), cells).into_owned(), Scope::Dim));
        }
        lines.extend(passage(run, finding, place, true, Pen { cells, theme }));
    }
    if !finding.also_at.is_empty() {
        let also: Vec<String> = finding.also_at.iter().map(ToString::to_string).collect();
        lines.extend(rows(&format!("also at {}", also.join(", ")), cells, theme.style(Scope::Dim), &[]));
    }
    lines
}

/// The first line with some of the quote; 0 if there is none.
pub fn quote_line(lines: &[Line<'_>], theme: &Theme) -> usize {
    let quote = theme.style(Scope::Text).patch(theme.style(Scope::Quote));
    lines.iter().position(|line| line.spans.iter().any(|span| span.style == quote)).unwrap_or(0)
}

fn remarks(run: &Run, finding: &Finding, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut say = |text: String, scope| lines.extend(rows(&text, cells, theme.style(scope), &[]));
    match (finding.standing, finding.words_of) {
        (Standing::Unquoted, _) => {
            let message = "! quote not found: its words are in no source that was read, so it may not reach the brief";
            say(message.into(), Scope::Warning);
            say(format!("\"{}\"", flat(&finding.quote)), Scope::Dim);
        }
        (_, WordsOf::PersonEdited) => say("✎ in your words, over the quote below".into(), Scope::Person),
        (_, WordsOf::Person) => say("+ in your words, without a source".into(), Scope::Person),
        _ => {}
    }
    match (&finding.kept_from, &finding.place) {
        (Some(from), Some(_)) => {
            say(format!("· from your notes: {} kept it, and its quote still stands", flat(from)), Scope::Person);
        }
        (Some(_), None) => say("· you wrote it into your notes; space takes it in".into(), Scope::Person),
        (None, _) => {}
    }
    if let Some(caveat) = finding.caveat() {
        say(format!("! its source is {}", flat(&caveat)), Scope::Warning);
    }
    for conflict in &finding.conflicts {
        let other = select::find(run, conflict.with);
        let with = other.map_or_else(|| conflict.with.to_string(), |other| format!("\"{}\"", flat(&other.claim)));
        let at = other.and_then(|other| other.place.as_ref()).map(|place| format!(" ({place})")).unwrap_or_default();
        say(format!("≠ {}: contradicts {with}{at}", flat(&conflict.reason)), Scope::Warning);
    }
    lines
}

fn headings(place: &Place) -> String {
    place.headings.iter().map(|heading| flat(heading).into_owned()).collect::<Vec<_>>().join(" › ")
}

/// A place in `cells` cells: a part that does not fit is left out from its beginning, since its end has the line.
pub fn place_in(place: &Place, cells: usize) -> String {
    cut_front(&place.to_string(), cells).into_owned()
}

/// The place of the first of these findings, for an edge of this many cells.
pub fn at_edge(findings: &[&Finding], room: usize, theme: &Theme) -> Line<'static> {
    let place = findings.first().and_then(|finding| finding.place.as_ref());
    place.map_or_else(Line::default, |place| Line::from(theme.span(place_in(place, room), Scope::Cite)))
}

fn where_it_stands(place: &Place, lead: &str, cells: usize, theme: &Theme) -> Line<'static> {
    let whole = place_in(place, cells.saturating_sub(width(lead)));
    let mut spans = vec![theme.span(lead.to_string(), Scope::Dim), theme.span(whole, Scope::Cite)];
    if !place.headings.is_empty() {
        spans.push(theme.span(format!(" · {}", headings(place)), Scope::Dim));
    }
    Line::from(fit(spans, cells))
}

/// The stored block, with the quote highlighted where it is found verbatim.
fn passage(run: &Run, finding: &Finding, place: &Place, own: bool, pen: Pen<'_>) -> Vec<Line<'static>> {
    let Pen { cells, theme } = pen;
    let (text, dim) = (theme.style(Scope::Text), theme.style(Scope::Dim));
    let Some(block) = run.stored(place) else {
        return rows("(this passage is not stored with the run)", cells, dim, &[]);
    };
    let mut lines = Vec::new();
    // The blocks before and after it, if stored: a sentence can mislead without its context.
    let neighbour = |no: Option<u32>| {
        let stored = run.sources.get(&place.source.id)?;
        stored.blocks.get(&no?).filter(|other| other.kind != BlockKind::Code && other.headings == block.headings)
    };
    let before = neighbour(block.no.checked_sub(1));
    above(before.map(|before| &**before), block)
        .iter()
        .for_each(|above| lines.extend(rows(&flat(above), cells, dim, &[])));
    let quote = place.start as usize..place.end as usize;
    let found = !own || run.is_quoted(&finding.quote, place);
    let marks: Vec<(Range<usize>, Style)> = if found { vec![(quote, theme.style(Scope::Quote))] } else { Vec::new() };
    lines.extend(rows(&block.text, cells, text, &marks));
    if let Some(after) = neighbour(block.no.checked_add(1)) {
        lines.extend(rows(&after.text, cells, dim, &[]));
    }
    lines
}

/// The text above a block: the block before it, and its introduction, which mostly ends that. An introduction of both, as the names
/// of columns, stands above both.
fn above<'b>(before: Option<&'b Block>, block: &'b Block) -> Vec<&'b Clean> {
    let mut above: Vec<&Clean> = before.iter().map(|before| &before.text).collect();
    let is_shown = |intro: &&Clean| before.is_some_and(|before| before.text.ends_with(intro.as_str()));
    if let Some(intro) = block.intro.as_ref().filter(|intro| !is_shown(intro)) {
        let is_of_both = before.is_some_and(|before| before.intro == block.intro);
        above.insert(if is_of_both { 0 } else { above.len() }, intro);
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str, intro: Option<&str>) -> Block {
        Block {
            no: 0,
            kind: BlockKind::TableRow,
            headings: [].into(),
            intro: intro.map(Into::into),
            text: text.into(),
            line: 1,
            breaks: Vec::new(),
            start: 0,
            lead: false,
        }
    }

    #[test]
    fn the_names_of_columns_stand_above_all_rows_that_are_shown() {
        let names = Some("Kind | Size");
        let (small, large) = (block("small | 1 kB", names), block("large | 1 MB", names));
        assert_eq!(above(Some(&small), &large), ["Kind | Size", "small | 1 kB"]);
        assert_eq!(above(Some(&block("There are two.", None)), &small), ["There are two.", "Kind | Size"]);
        let list = block("It is slow.", Some("Drawbacks include:"));
        assert_eq!(above(Some(&block("Drawbacks include:", None)), &list), ["Drawbacks include:"]);
    }
}
