//! Draws the findings page: the list, and the passage behind the selected finding.

use std::collections::{BTreeMap, BTreeSet};

use super::{Order, lacks};
use crate::overlays::passage;
use crate::prelude::*;
use crate::spot::Spot;
use run::describe;
use run::finding::WordsOf;
use run::{AssignmentId, Checkpoint, Finding, FindingId, Role, Standing};

/// From this width on, the passage stands beside the list.
const BESIDE: u16 = 140;
/// The least cells of a passage beside the list.
const PASSAGE_CELLS: u16 = 52;
/// Cells of a row besides claim and place: frame, indent, check, gap, a mark.
const AROUND: usize = 16;
/// The least and the most rows of a passage below the list; where the list is short, it has the rest as well.
const PASSAGE: (u16, u16) = (3, 8);
/// The least cells in which claims are shown whole.
const NARROWEST: usize = 24;
/// The most rows of one task's gaps.
const LACK: usize = 2;

pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((checkpoint, all)) = select::findings_page(run) else { return Seen::default() };
    let open = checkpoint.answer.is_none();
    let border = theme.style(if open { Scope::Focus } else { Scope::Border });
    let shown = select::findings(ui, all);
    let selected = select::finding(ui, &shown);
    let (mut rows, mut row_of_selected) = list(ui, &shown, selected);
    let several = rows.iter().any(|row| matches!(row, Row::Section(_)));
    let order = Some(ui.findings.order).filter(|_| several);
    let places = most_of(shown.iter().map(|finding| width(&place_below(order, finding))).collect());
    let (area, beside) = match area.width {
        BESIDE.. => {
            let claims = most_of(shown.iter().map(|finding| width(&claim_below(order, finding))).collect());
            split(area, claims + places)
        }
        _ => (area, Rect::default()),
    };
    let inner = paint::panel(buf, area, "", "", border);
    if inner.is_empty() {
        return Seen::default();
    }
    let finding = shown.get(selected).copied();
    let text = |cells: u16| finding.map_or_else(Vec::new, |one| passage::short(run, one, usize::from(cells), theme));

    let filtering = matches!(ui.overlay, Overlay::Filtering(_)) || !ui.findings.filter.is_empty();
    let room = inner.height - u16::from(filtering).min(inner.height);
    let columns = Columns {
        cells: usize::from(inner.width),
        order,
        places,
        indent: if several && inner.width >= 56 { 2 } else { 0 },
        finders: finders(ui, run, &shown, inner.width),
        new: shown.iter().filter(|finding| is_new(run, finding)).map(|finding| finding.id).collect(),
    };
    let lacking = lacking(ui, run, all, columns.cells, usize::from(room) / 4);
    row_of_selected += lacking.len();
    rows.splice(0..0, lacking);
    // Claims are shown whole where all of them fit, selected or not.
    let least_below = if beside.is_empty() { (PASSAGE.1 + 1).min(room * 2 / 5) } else { 0 };
    if let Some((whole, at)) = unfolded(&rows, row_of_selected, &columns, usize::from(room - least_below)) {
        (rows, row_of_selected) = (whole, at);
    }
    let wanted = u16::try_from(rows.len().max(1)).unwrap_or(u16::MAX);
    let lines = if beside.is_empty() { text(inner.width) } else { Vec::new() };
    let below = match beside.is_empty() {
        true if inner.height >= 10 => {
            let tall = u16::try_from(lines.len()).unwrap_or(u16::MAX).clamp(PASSAGE.0, PASSAGE.1) + 1;
            tall.min(room * 2 / 5).max(room.saturating_sub(wanted))
        }
        _ => 0,
    };
    let [list_area, filter_area, below_area] = paint::rows(inner, [room - below, u16::from(filtering), below]);
    if filtering {
        let words = &ui.findings.filter;
        let message = format!("/{words}  {} of {}", shown.len(), all.len());
        paint::line(buf, filter_area, &theme.line(message, Scope::NeedsYou));
    }
    let listed = Listed { rows: &rows, at: row_of_selected, chosen: finding.map(|one| one.id), columns: &columns };
    let seen = listed.draw(buf, list_area, theme, cache);
    if shown.is_empty() {
        let message = if all.is_empty() { "nothing was found" } else { "no finding holds these words" };
        paint::line(buf, list_area, &theme.line(message, Scope::Dim));
    }
    let mut title = vec![theme.span("findings", Scope::Title)];
    title.extend(position(&rows, seen, shown.len()).map(|position| theme.span(position, Scope::Dim)));
    let room = usize::from(area.width).saturating_sub(total_width(&title) + 7);
    let status = status(checkpoint, all, columns.new.len(), room, theme);
    paint::edge(buf, Rect { height: 1, ..area }, paint::TOP, title, status, border);

    if !beside.is_empty() {
        passage_beside(buf, beside, scene, finding);
    } else if below > 0 {
        let edge = Rect { x: area.x, y: below_area.y, width: area.width, height: 1 };
        let (title, right) = passage_head(scene, finding, edge.width);
        paint::edge(buf, edge, paint::ACROSS, title, right, border);
        let [_, text_area] = paint::rows(below_area, [1, below - 1]);
        passage_text(buf, text_area, &lines, theme);
    }
    seen
}

/// Draws the passage of a finding beside the list.
fn passage_beside(buf: &mut Buffer, area: Rect, scene: Scene<'_>, finding: Option<&Finding>) {
    let Scene { run, theme, .. } = scene;
    let (title, right) = passage_head(scene, finding, area.width);
    let inside = paint::panel(buf, area, title, right, theme.style(Scope::Border));
    let cells = usize::from(inside.width);
    let lines = finding.map_or_else(Vec::new, |one| passage::short(run, one, cells, theme));
    passage_text(buf, inside, &lines, theme);
}

/// The two ends of the edge above a passage of this width.
fn passage_head(scene: Scene<'_>, finding: Option<&Finding>, width: u16) -> (Span<'static>, Line<'static>) {
    let Scene { run, theme, .. } = scene;
    let title = theme.span("passage", Scope::Title);
    let room = paint::room_beside(width, title.width());
    let right = finding.map_or_else(Line::default, |finding| origin(run, finding, room, theme));
    (title, right)
}

/// The lines of a passage, with its quote in the middle.
fn passage_text(buf: &mut Buffer, area: Rect, lines: &[Line<'static>], theme: &Theme) {
    let from = passage::quote_line(lines, theme).saturating_sub(usize::from(area.height) / 2);
    paint::scrolled(buf, area, lines, from, theme.style(Scope::Dim));
}

/// The list and the passage beside it: the list is as wide as its claims and places want, as far as the passage leaves room.
fn split(area: Rect, wanted: usize) -> (Rect, Rect) {
    let wanted = u16::try_from(wanted + AROUND).unwrap_or(u16::MAX);
    let (least, most) = (area.width * 3 / 5, area.width.saturating_sub(PASSAGE_CELLS));
    paint::split(area, wanted.min(most).max(least))
}

/// The positions of the findings in view: " 1–31 of 87"; None if all are. Those of a folded section count as in view.
fn position(rows: &[Row<'_>], seen: Seen, shown: usize) -> Option<String> {
    let count = |row: &Row<'_>| match row {
        Row::Finding(..) => 1,
        Row::More(..) | Row::Lack(_) | Row::Warning(_) => 0,
        Row::Section(section) => {
            if section.folded {
                section.of
            } else {
                0
            }
        }
    };
    let findings = |rows: &[Row<'_>]| rows.iter().map(count).sum::<usize>();
    let above = findings(&rows[..seen.at.min(rows.len())]);
    let in_view = findings(&rows[seen.at.min(rows.len())..(seen.at + seen.page).min(rows.len())]);
    (in_view < shown && in_view > 0).then(|| format!(" {}–{} of {shown}", above + 1, above + in_view))
}

/// The place of a finding in its source, and the assignment that found it if there is room for both. A long place loses its
/// beginning: its end has the line.
fn origin(run: &Run, finding: &Finding, room: usize, theme: &Theme) -> Line<'static> {
    let place = finding.place.as_ref().map(|place| passage::place_in(place, room));
    let wide = place.as_ref().map_or(0, |place| width(place));
    let between = if place.is_some() { " · " } else { "" };
    let finder = run.assignment(finding.id.assignment).filter(|one| one.task.is_some());
    let finder = finder.map(|one| format!("{}{between}", flat(&describe::name(one))));
    let mut spans = Vec::new();
    spans.extend(finder.filter(|finder| width(finder) + wide <= room).map(|finder| theme.span(finder, Scope::Dim)));
    spans.extend(place.map(|place| theme.span(place, Scope::Cite)));
    Line::from(spans)
}

/// The findings that go to the writer and the authors of their words, then the question to the person or their answer; shorter if
/// there is no room for it.
fn status(checkpoint: &Checkpoint, all: &[Finding], new: usize, room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let kept = || all.iter().filter(|finding| finding.usable());
    let of = |words: WordsOf| kept().filter(|finding| finding.words_of == words).count();
    let mut parts = vec![format!("{} of {} kept", kept().count(), all.len())];
    parts.extend((new > 0).then(|| format!("{new} new")));
    let yours = [(of(WordsOf::PersonEdited), "edited"), (of(WordsOf::Person), "yours")];
    parts.extend(yours.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    let (mark, said) = select::answered(checkpoint);
    let counts = format!("{} · ", parts.join(" · "));
    let asked = ["approve what the writer may use", "to approve"];
    let fits = |said: &&&str| width(&counts) + width(said) <= room;
    let asked = asked.iter().find(fits).unwrap_or(&asked[1]);
    vec![theme.span(counts, Scope::Dim), theme.span(said.unwrap_or(asked), mark)]
}

#[derive(Clone)]
enum Row<'a> {
    /// A gap of a task.
    Lack(String),
    /// Work that a fallback did in place of a model.
    Warning(String),
    Section(Section),
    /// With the first line of its claim, where that takes several.
    Finding(&'a Finding, Option<String>),
    /// A further line of the claim above it.
    More(&'a Finding, String),
}

/// The rows of the list.
struct Listed<'a> {
    rows: &'a [Row<'a>],
    /// The selected row, and the finding that it is of.
    at: usize,
    chosen: Option<FindingId>,
    columns: &'a Columns,
}

impl Listed<'_> {
    fn draw(&self, buf: &mut Buffer, area: Rect, theme: &Theme, cache: &mut Cache) -> Seen {
        // One more row above the selected one stays in view, so that its sub-topic shows.
        let from = paint::reveal(area, self.at + 1).min(self.at.saturating_sub(1));
        let is_chosen = |finding: &Finding| self.chosen == Some(finding.id);
        paint::list(buf, area, self.rows.len(), from, |buf, at, n| match &self.rows[n] {
            Row::Lack(line) => paint::line(buf, at, &theme.line(line.clone(), Scope::Dim)),
            Row::Warning(line) => paint::line(buf, at, &theme.line(line.clone(), Scope::Warning)),
            Row::Section(section) => {
                cache.mark(at, Spot::Section(section.first));
                section_row(buf, at, section, n == self.at, theme);
            }
            Row::Finding(finding, claim) => {
                cache.mark(at, Spot::Finding(finding.id));
                self.columns.finding(buf, at, finding, claim.as_deref(), is_chosen(finding), theme);
            }
            Row::More(finding, claim) => {
                cache.mark(at, Spot::Finding(finding.id));
                let base = claim_style(finding, is_chosen(finding), theme);
                buf.set_style(at, base);
                let indent = " ".repeat(self.columns.indent + 4);
                paint::line(buf, at, &Line::styled(format!("{indent}{claim}"), base));
            }
        })
    }
}

/// A heading over findings: a sub-topic, or a source.
#[derive(Clone)]
struct Section {
    name: String,
    kept: usize,
    of: usize,
    folded: bool,
    /// The first finding below it.
    first: FindingId,
}

fn section_row(buf: &mut Buffer, at: Rect, section: &Section, selected: bool, theme: &Theme) {
    let Section { name, kept, of, folded, .. } = section;
    let base = theme.style(if selected { Scope::Selected } else { Scope::Title });
    let sign = if *folded { "▸" } else { "▾" };
    let check = match kept {
        0 => "[ ]",
        kept if kept == of => "[x]",
        _ => "[-]",
    };
    let left = vec![Span::styled(format!("{sign} {check} {name}"), base)];
    let right = vec![Span::styled(format!("{kept} of {of} "), if selected { base } else { theme.style(Scope::Dim) })];
    buf.set_style(at, if selected { base } else { theme.style(Scope::Text) });
    paint::line(buf, at, &justified(left, right, usize::from(at.width)));
}

/// Work that fallbacks did in place of a model, then the gaps of the tasks, these in the rest of `most` rows; nothing if only some
/// findings are asked for.
fn lacking(ui: &Ui, run: &Run, all: &[Finding], cells: usize, most: usize) -> Vec<Row<'static>> {
    if !ui.findings.filter.is_empty() || all.is_empty() || most < 2 {
        return Vec::new();
    }
    let taken_over = lacks::taken_over(run);
    let told = lacks::lacks(run, all);
    let lines = |lack: &String| -> Vec<String> {
        let lines = rows_within(lack, cells.saturating_sub(2), LACK, Style::default());
        lines.iter().enumerate().map(|(n, line)| format!("{}{line}", if n == 0 { "" } else { "  " })).collect()
    };
    let warnings: Vec<String> = taken_over.iter().flat_map(lines).collect();
    let mut shown: Vec<Vec<String>> = told.iter().map(lines).collect();
    let taken = |shown: &[Vec<String>]| warnings.len() + shown.iter().map(Vec::len).sum::<usize>();
    if taken(&shown) > most && !told.is_empty() {
        while !shown.is_empty() && taken(&shown) + 1 > most {
            shown.pop();
        }
        let one = if shown.is_empty() { "task" } else { "more task" };
        shown.push(vec![format!("○ {} did not find all", count(told.len() - shown.len(), one))]);
    }
    // What the person has to know before they approve goes before all gaps.
    warnings.into_iter().map(Row::Warning).chain(shown.into_iter().flatten().map(Row::Lack)).collect()
}

/// The rows, with a heading over each section if there are several, and the row of the selected finding.
fn list<'a>(ui: &Ui, shown: &[&'a Finding], selected: usize) -> (Vec<Row<'a>>, usize) {
    let order = ui.findings.order;
    let names: Vec<Option<String>> = shown.iter().map(|finding| order.section(finding)).collect();
    let several = names.windows(2).any(|pair| pair[0] != pair[1]) || !ui.findings.folded.is_empty();
    let mut rows = Vec::with_capacity(shown.len() + 8);
    let (mut at, mut folded) = (0, false);
    for (n, finding) in shown.iter().enumerate() {
        if let Some(name) = names[n].as_ref().filter(|_| several && (n == 0 || names[n - 1] != names[n])) {
            folded = ui.findings.folded.contains(name);
            let own = shown[n..].iter().zip(&names[n..]).take_while(|(_, of)| of.as_ref() == Some(name));
            let (of, kept) = own.fold((0, 0), |(of, kept), (one, _)| (of + 1, kept + usize::from(one.usable())));
            rows.push(Row::Section(Section { name: name.clone(), kept, of, folded, first: finding.id }));
        }
        if n == selected {
            at = if folded { rows.len() - 1 } else { rows.len() };
        }
        if !folded {
            rows.push(Row::Finding(finding, None));
        }
    }
    (rows, at)
}

/// The same rows with whole claims, and the row of the selected finding; None if they are more than `most`.
fn unfolded<'a>(list: &[Row<'a>], selected: usize, columns: &Columns, most: usize) -> Option<(Vec<Row<'a>>, usize)> {
    let (mut whole, mut at) = (Vec::with_capacity(most), 0);
    for (n, row) in list.iter().enumerate() {
        if n == selected {
            at = whole.len();
        }
        match row {
            Row::Finding(finding, _) => {
                let room = Some(columns.room(finding)).filter(|room| *room >= NARROWEST)?;
                let lines = rows(&claim_below(columns.order, finding), room, Style::default(), &[]);
                let mut lines = lines.iter().map(ToString::to_string);
                whole.push(Row::Finding(finding, lines.next()));
                whole.extend(lines.map(|line| Row::More(finding, line)));
            }
            other => whole.push(other.clone()),
        }
        if whole.len() > most {
            return None;
        }
    }
    Some((whole, at))
}

pub fn place(finding: &Finding) -> String {
    match (&finding.place, finding.words_of) {
        (Some(place), _) => place.to_string(),
        (None, WordsOf::Person | WordsOf::PersonEdited) => "your words".into(),
        (None, WordsOf::Source | WordsOf::Model | WordsOf::Tool) => "no place".into(),
    }
}

/// From this width on, a list of findings says which specialist found each, if they are not all of one.
const FINDERS: u16 = 84;

/// Short names of those that found these findings; none where there is no room, or nothing to tell apart.
fn finders(ui: &Ui, run: &Run, shown: &[&Finding], cells: u16) -> BTreeMap<AssignmentId, String> {
    let named = |id: AssignmentId| {
        // Findings that the person added, and those of earlier runs, are marked as such anyway.
        let one = run.assignment(id).filter(|one| id != AssignmentId::ROOT && one.role.as_str() != Role::MEMORY)?;
        // In the order by sub-topic the heading of its section names the task.
        let task = one.subject().filter(|_| ui.findings.order != Order::Topic);
        Some((id, flat(&Clean::line(task.unwrap_or(one.role.as_str()))).into_owned()))
    };
    let all: BTreeMap<AssignmentId, String> = shown.iter().filter_map(|finding| named(finding.id.assignment)).collect();
    let names: BTreeSet<&String> = all.values().collect();
    let tells = cells >= FINDERS && names.len() > 1;
    if tells { all } else { BTreeMap::new() }
}

/// The heading that a finding stands under, if that is the name of its document.
fn document_above(order: Option<Order>, finding: &Finding) -> Option<String> {
    let (heading, place) = (order?.section(finding)?, finding.place.as_ref()?);
    let path = flat(&place.source.path);
    let rest = path.strip_suffix(&*heading)?;
    (rest.is_empty() || rest.ends_with('/')).then_some(heading)
}

/// The place of a finding, without the document where the heading above names it.
fn place_below(order: Option<Order>, finding: &Finding) -> String {
    match (&finding.place, document_above(order, finding)) {
        (Some(place), Some(_)) => format!(":{}", place.line),
        _ => place(finding),
    }
}

/// The claim of a finding, without the document that it begins with where the heading above names it.
fn claim_below(order: Option<Order>, finding: &Finding) -> String {
    let claim = flat(&finding.claim);
    let document = document_above(order, finding);
    let rest = document.and_then(|document| claim.strip_prefix(&document)?.strip_prefix(": "));
    rest.unwrap_or(&claim).to_owned()
}

/// The most cells that nine in ten places take: one long path among many leaves the others' claims their room, and loses its beginning.
fn most_of(mut places: Vec<usize>) -> usize {
    places.sort_unstable();
    (places.len() * 9).div_ceil(10).checked_sub(1).map_or(0, |at| places[at])
}

/// The layout that the rows of findings share.
struct Columns {
    /// The width of a row.
    cells: usize,
    /// The order that the headings above them come from; None without headings.
    order: Option<Order>,
    /// The longest place, but for a few.
    places: usize,
    /// The cells before a finding, below a heading.
    indent: usize,
    /// The finder of each finding, by assignment; empty without a column of finders.
    finders: BTreeMap<AssignmentId, String>,
    /// The findings that are new since the person asked for more.
    new: BTreeSet<FindingId>,
}

impl Columns {
    /// A column as wide as the longest place, within reason; none where there is hardly room for the claim.
    fn place(&self) -> usize {
        if self.cells < 56 { 0 } else { self.places.min(self.cells * 3 / 10) }
    }

    /// The cells for a claim.
    fn room(&self, finding: &Finding) -> usize {
        let taken: usize = self.marks(finding).iter().map(|(mark, _)| width(mark) + 2).sum();
        let finder = if self.finders.is_empty() { 0 } else { FINDER + 2 };
        let place = if self.place() > 0 { self.place() + 2 } else { 0 };
        self.cells.saturating_sub(4 + self.indent + taken + finder + place)
    }

    /// A finding in a row: its claim, or as much of it as there is room for.
    fn finding(
        &self,
        buf: &mut Buffer,
        at: Rect,
        finding: &Finding,
        claim: Option<&str>,
        selected: bool,
        theme: &Theme,
    ) {
        let base = theme.style(if selected { Scope::Selected } else { Scope::Text });
        let look = |scope| if selected { base } else { theme.style(scope) };
        let check = if finding.usable() { "[x] " } else { "[ ] " };
        let room = self.room(finding);
        let claim = claim.map_or_else(|| cut(&claim_below(self.order, finding), room).into_owned(), str::to_owned);
        let gap = room.saturating_sub(width(&claim));
        let mut spans = vec![
            Span::styled(" ".repeat(self.indent), base),
            Span::styled(check, look(if finding.usable() { Scope::Done } else { Scope::Waiting })),
            Span::styled(claim, claim_style(finding, selected, theme)),
            Span::styled(" ".repeat(gap), base),
        ];
        for (mark, scope) in self.marks(finding) {
            spans.push(Span::styled(format!("  {mark}"), look(scope)));
        }
        if !self.finders.is_empty() {
            let finder = self.finders.get(&finding.id.assignment).map_or("", String::as_str);
            let finder = cut(finder, FINDER).into_owned();
            let pad = " ".repeat(FINDER.saturating_sub(width(&finder)));
            spans.push(Span::styled(format!("  {finder}{pad}"), look(Scope::Dim)));
        }
        if self.place() > 0 {
            let place = cut_front(&place_below(self.order, finding), self.place()).into_owned();
            let pad = " ".repeat(2 + self.place().saturating_sub(width(&place)));
            spans.push(Span::styled(pad, base));
            spans.push(Span::styled(place, look(if finding.place.is_some() { Scope::Cite } else { Scope::Person })));
        }
        buf.set_style(at, base);
        paint::line(buf, at, &Line::from(fit(spans, self.cells)));
    }

    /// The marks behind a claim in a row. Words of the person are always marked as theirs, besides any other mark.
    fn marks(&self, finding: &Finding) -> Vec<(&'static str, Scope)> {
        let (flag, scope) = flag(finding, self.new.contains(&finding.id));
        let flag = if self.cells < 70 { flag.split(' ').next().unwrap_or_default() } else { flag };
        let yours = if finding.words_of == WordsOf::PersonEdited && !flag.starts_with('✎') { "✎" } else { "" };
        [(yours, Scope::Person), (flag, scope)].into_iter().filter(|(mark, _)| !mark.is_empty()).collect()
    }
}

/// The cells of the column of finders.
const FINDER: usize = 14;

/// Whether the finding is new since the person asked for more.
pub fn is_new(run: &Run, finding: &Finding) -> bool {
    let is_it = |id: FindingId| id == finding.id || finding.also.contains(&id);
    let before = run.findings_checkpoints().nth_back(1);
    before.is_some_and(|(_, before)| !before.iter().any(|known| is_it(known.id)))
}

fn claim_style(finding: &Finding, selected: bool, theme: &Theme) -> Style {
    theme.style(match (selected, finding.usable()) {
        (true, _) => Scope::Selected,
        (false, true) => Scope::Text,
        (false, false) => Scope::Dim,
    })
}

/// The warning to the person about a finding before they approve it: a symbol with words.
fn flag(finding: &Finding, new: bool) -> (&'static str, Scope) {
    match (finding.standing, finding.words_of) {
        (Standing::Unquoted, _) => ("! quote not found", Scope::Warning),
        _ if !finding.conflicts.is_empty() => ("≠ contradicts", Scope::Warning),
        _ if finding.kept_from.is_some() => ("· from your notes", Scope::Person),
        (_, WordsOf::PersonEdited) => ("✎ your wording", Scope::Person),
        (_, WordsOf::Person) if finding.id.assignment == AssignmentId::ROOT => ("+ added by you", Scope::Person),
        (_, WordsOf::Person) => ("✎ your words", Scope::Person),
        _ if new => ("+ new", Scope::Running),
        _ => ("", Scope::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_place_among_many_does_not_take_the_room_of_all_claims() {
        let with = |n: usize| std::iter::once(200).chain(std::iter::repeat_n(20, n)).collect();
        assert_eq!(most_of(with(0)), 200, "alone it has its room");
        assert_eq!(most_of(with(40)), 20);
        assert_eq!(most_of(vec![]), 0);
    }

    #[test]
    fn rows_below_the_name_of_a_document_do_not_repeat_it() {
        let mut finding = crate::fixture::findings()[0].clone();
        let line = finding.place.as_ref().expect("it has one").line;
        finding.claim = "shop.log: 3 lines say it.".into();
        for (subtopic, path, claim, place) in [
            ("shop.log", "shop.log", "3 lines say it.", format!(":{line}")),
            ("shop.log", "logs/shop.log", "3 lines say it.", format!(":{line}")),
            ("shop.log", "workshop.log", "shop.log: 3 lines say it.", format!("workshop.log:{line}")),
            ("limits", "shop.log", "shop.log: 3 lines say it.", format!("shop.log:{line}")),
        ] {
            finding.subtopic = subtopic.into();
            finding.place.as_mut().expect("it has one").source.path = path.into();
            let below = |order| (claim_below(order, &finding), place_below(order, &finding));
            assert_eq!(below(Some(Order::Topic)), (claim.to_owned(), place), "{subtopic} in {path}");
            assert_eq!(below(None), ("shop.log: 3 lines say it.".to_owned(), format!("{path}:{line}")));
        }
    }
}
