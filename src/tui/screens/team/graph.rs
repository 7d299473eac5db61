//! Draws the graph of the team: boxes and lines if they fit, else rows as in `git log --graph`.
//!
//! ```text
//!   ╭ ● supervisor ── 0:42 ╮           ● supervisor   2 at work
//!   │ 2 at work            │           ├─✓ planner    3 tasks
//!   ╰──────────┬───────────╯           ├─┬─✓ pgvector 6 findings
//!     ╭────────┴────────╮              │ ├─● Qdrant   turn 2/8
//!                                      │ ╰─○ Pinecone waiting
//! ```

use super::motion::Motion;
use super::{Focus, selected};
use crate::graph::{self, Boxes, Graph, Key, MEMBER_NOTE, Node, Note, Placed};
use crate::prelude::*;
use crate::spot::Spot;
use run::{AssignmentId, Role};

/// The input of the painters besides the graph.
struct Look<'a> {
    theme: &'a Theme,
    /// The selected node, or the one of the pane in front.
    front: Option<Key>,
    /// Of a front that is folded away: the group it is in, by the assignment that leads it.
    led_by: Option<AssignmentId>,
    motion: Motion<'a>,
    /// Whether the run has ended: it waits for nothing.
    has_ended: bool,
    /// The nodes on the critical path, while the graph has the focus.
    critical: Vec<usize>,
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    cache.mark(area, Spot::Graph);
    let Scene { ui, run, theme, .. } = scene;
    let focused = ui.team.focus == Focus::Graph;
    let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
    let inner = paint::panel(buf, area, theme.span("graph", Scope::Title), "", style);
    let graph = graph::of(ui, run, rows_in(area));
    let front = selected(ui, run, &graph).map(|node| node.key.clone());
    let has_ended = run.ended().is_some();
    let critical = if focused && !has_ended { graph.critical() } else { Vec::new() };
    let led_by = in_front(ui, run, &graph);
    let look = Look { theme, led_by, front, motion: Motion::of(ui, run), has_ended, critical };
    if focused && area.height > 2 {
        let below = Rect { y: area.bottom() - 1, height: 1, ..area };
        paint::edge(buf, below, paint::BOTTOM, about(&graph, &look, area.width), "", style);
    }
    match graph::layout(&graph, inner.width, inner.height) {
        Some(boxes) => paint_boxes(buf, inner, &graph, &boxes, &look, cache),
        None => return as_rows(buf, inner, &graph, &look, cache),
    }
    Seen { page: usize::from(inner.height), is_boxes: true, ..Seen::default() }
}

/// The wait and the consumption of the selected node, and whether the run waits for it.
fn about(graph: &Graph, look: &Look<'_>, cells: u16) -> Vec<Span<'static>> {
    let Some(at) = graph.nodes.iter().position(|node| look.is_front(node)) else { return Vec::new() };
    let node = &graph.nodes[at];
    let mut parts = Vec::new();
    if look.critical.contains(&at) {
        let after = look.critical.iter().skip_while(|n| **n != at).skip(1).take(3);
        let after: Vec<&str> = after.map(|n| graph.nodes[*n].label.as_str()).collect();
        let leads = if after.is_empty() { String::new() } else { format!(" → {}", after.join(" → ")) };
        parts.push(format!("on the critical path{leads}"));
    }
    let waits: Vec<&str> = graph.waits_for(at).into_iter().map(Clean::as_str).collect();
    if !waits.is_empty() && node.mark == Mark::Waiting && !look.has_ended {
        parts.insert(0, format!("waits for {}", waits.join(", ")));
    }
    if !node.spend.is_empty() {
        parts.push(node.spend.clone());
    }
    let label = flat(&node.label).into_owned();
    let room = usize::from(cells).saturating_sub(8 + width(&label));
    let words = parts.join(" · ");
    vec![look.theme.span(label, Scope::Title), look.theme.span(format!("  {}", cut(&words, room)), Scope::Dim)]
}

/// The node of the pane in front, or the folded group that contains it.
fn in_front(ui: &Ui, run: &Run, graph: &Graph) -> Option<AssignmentId> {
    let front = select::front(ui, run)?;
    let shown = |id: &AssignmentId| graph.shown().any(|node| node.is_of(*id));
    let folded = front.task.is_some() || front.role.as_str() == Role::EDITOR;
    let above = std::iter::successors(Some(front.id), |id| run.assignment(*id)?.parent().filter(|_| folded));
    above.into_iter().find(shown)
}

/// The rows that a graph has in this area.
pub fn rows_in(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(2))
}

/// As high as the graph is if it is drawn without boxes, and at most so high.
pub fn height(scene: Scene<'_>, most: u16) -> u16 {
    let graph = graph::of(scene.ui, scene.run, usize::from(most.saturating_sub(2)));
    u16::try_from(rows_of(&graph).len() + 2).unwrap_or(u16::MAX).min(most)
}

impl Look<'_> {
    fn is_front(&self, node: &Node) -> bool {
        match &self.front {
            Some(front) => *front == node.key,
            None => self.led_by.is_some_and(|id| node.is_of(id)),
        }
    }

    fn sign(&self, node: &Node) -> Span<'static> {
        let style = self.theme.style(node.mark);
        Span::styled(node.mark.symbol(), if node.mark == Mark::Running { self.motion.pulse(style) } else { style })
    }

    /// The mark, the sign of a fold, and the label.
    fn label(&self, node: &Node, cells: usize) -> Line<'static> {
        let fold = match node.fold {
            Some(fold) if fold.is_open => "▾ ",
            Some(_) => "▸ ",
            None => "",
        };
        let name = node.name(cells.saturating_sub(2 + width(fold)));
        let style = self.theme.style(if self.is_front(node) { Scope::Title } else { Scope::Text });
        Line::from(vec![
            self.sign(node),
            Span::raw(" "),
            self.theme.span(fold, Scope::Border),
            Span::styled(name, style),
        ])
    }

    /// The style of a note: of a failure or a wait, that of its mark.
    fn note(&self, node: &Node) -> Style {
        match node.mark {
            Mark::Failed | Mark::SentBack | Mark::Limited | Mark::NeedsYou => self.theme.style(node.mark),
            Mark::Partial if node.note.is_reason => self.theme.style(node.mark),
            _ => self.theme.style(Scope::Dim),
        }
    }
}

fn paint_boxes(buf: &mut Buffer, area: Rect, graph: &Graph, boxes: &Boxes<'_>, look: &Look<'_>, cache: &mut Cache) {
    let theme = look.theme;
    let top = area.y + (area.height - boxes.height) / 2;
    let line = theme.style(Scope::Border);
    for y in 0..boxes.height {
        for x in 0..boxes.width {
            let symbol = boxes.symbol(x, y);
            if symbol != " " {
                buf.set_string(area.x + x, top + y, symbol, line);
            }
        }
    }
    for route in &boxes.routes {
        let lit = look.motion.lit(&graph.nodes[route.from], &graph.nodes[route.to]);
        let is_critical = look.critical.windows(2).any(|two| *two == [route.from, route.to]);
        let style = match (&lit, is_critical) {
            (Some(_), _) => theme.style(Scope::Focus).bold(),
            (None, true) => theme.style(Scope::Title),
            (None, false) => continue,
        };
        for (x, y) in &route.cells {
            buf.set_style(Rect { x: area.x + x, y: top + y, width: 1, height: 1 }.intersection(area), style);
        }
        if let (Some(tokens), Some((x, y))) = (lit, route.cells.last()) {
            paint_size(buf, area, (area.x + x, top + y), tokens, style);
        }
    }
    let sent_back = theme.style(Mark::SentBack);
    for (x, y, symbol) in &boxes.back {
        buf.set_string(area.x + x, top + y, *symbol, sent_back);
    }
    if let Some((x, y, words)) = &boxes.back_words {
        let at = Rect { x: area.x + x, y: top + y, width: area.width.saturating_sub(*x), height: 1 };
        paint::line(buf, at, &Line::styled(words.clone(), sent_back));
    }
    for placed in &boxes.nodes {
        let at = Rect { x: area.x + placed.area.x, y: top + placed.area.y, ..placed.area }.intersection(area);
        cache.mark(at, Spot::Node(placed.node.key.clone()));
        if placed.is_label { paint_label(buf, at, placed.node, look) } else { paint_box(buf, at, placed, look) }
    }
}

/// The size of the handoff that crosses a line at this place: right of it, else left, without its unit where that has no room, and
/// never over something else.
fn paint_size(buf: &mut Buffer, area: Rect, (x, y): (u16, u16), tokens: u64, style: Style) {
    let size = format!("▾ {}", short(tokens));
    for words in [format!(" {size} tok "), format!(" {size} ")] {
        let wide = u16::try_from(width(&words)).unwrap_or(u16::MAX);
        let beside = [Some(x + 1), x.checked_sub(wide)].into_iter().flatten();
        let mut places = beside.map(|x| Rect { x, y, width: wide, height: 1 });
        let is_free =
            |at: &Rect| at.intersection(area) == *at && at.positions().all(|position| buf[position].symbol() == " ");
        if let Some(at) = places.find(is_free) {
            return paint::line(buf, at, &Line::styled(words, style));
        }
    }
}

/// A label with its note below it.
fn paint_label(buf: &mut Buffer, at: Rect, node: &Node, look: &Look<'_>) {
    let [label, note] = paint::rows(at, [1, 1]);
    paint::line(buf, label, &look.label(node, usize::from(at.width)));
    let cells = usize::from(at.width.saturating_sub(2));
    let words = Line::styled(node.note.in_cells(cells), look.note(node));
    paint::line(buf, Rect { x: note.x + 2, width: note.width.saturating_sub(2), ..note }, &words);
}

fn paint_box(buf: &mut Buffer, at: Rect, placed: &Placed<'_>, look: &Look<'_>) {
    let (node, theme) = (placed.node, look.theme);
    let frame = match node.mark {
        _ if look.is_front(node) => Some(theme.style(Scope::Focus)),
        Mark::NeedsYou | Mark::Failed => Some(theme.style(node.mark)),
        _ => None,
    };
    if let Some(style) = frame {
        // With the lines that run into it.
        for edge in [Rect { height: 1, ..at }, Rect { width: 1, ..at }] {
            let far = Rect { x: at.right() - edge.width, y: at.bottom() - edge.height, ..edge };
            buf.set_style(edge, style);
            buf.set_style(far, style);
        }
    }
    // The label stands in the upper edge, the time at its right.
    let mut words = look.label(node, usize::from(at.width.saturating_sub(4)));
    words.spans.insert(0, Span::raw(" "));
    words.spans.push(Span::raw(" "));
    let taken = u16::try_from(words.width()).unwrap_or(at.width);
    put(buf, Rect { x: at.x + 1, y: at.y, width: taken, height: 1 }.intersection(at), &words);
    let time = node.elapsed.map(|ms| format!(" {} ", clock(ms))).unwrap_or_default();
    let wide = u16::try_from(width(&time)).unwrap_or(u16::MAX);
    if wide > 0 && taken.saturating_add(wide).saturating_add(4) <= at.width {
        let at = Rect { x: at.right() - 2 - wide, y: at.y, width: wide, height: 1 };
        put(buf, at, &theme.line(time, Scope::Dim));
    }
    let inner =
        Rect { x: at.x + 2, y: at.y + 1, width: at.width.saturating_sub(4), height: at.height.saturating_sub(2) };
    let members = if node.fold.is_some_and(|fold| fold.is_open) { node.shown().split_off(1) } else { Vec::new() };
    let lines = inner.height.saturating_sub(u16::try_from(members.len()).unwrap_or(u16::MAX)).max(1);
    for (line, row) in facts(node, usize::from(inner.width), usize::from(lines), look).iter().zip(inner.rows()) {
        paint::line(buf, row, line);
    }
    for ((depth, member), y) in members.iter().zip(inner.y + lines..inner.bottom()) {
        let indent = u16::try_from(2 * (depth - 1)).unwrap_or(u16::MAX).min(inner.width);
        let row = Rect { x: inner.x + indent, y, width: inner.width - indent, height: 1 };
        paint::line(buf, row, &with_note(member, usize::from(row.width), look));
    }
}

/// Writes words over a line.
fn put(buf: &mut Buffer, at: Rect, words: &Line<'_>) {
    let at = at.intersection(buf.area);
    at.positions().for_each(|position| buf[position].reset());
    paint::line(buf, at, words);
}

/// The facts in a box, each in its place: its state, its turns as a bar, its action, its consumption.
fn facts(node: &Node, cells: usize, lines: usize, look: &Look<'_>) -> Vec<Line<'static>> {
    let theme = look.theme;
    let dim = theme.style(Scope::Dim);
    let bar = match node.turns {
        Some((turns, most)) if node.is_open && cells >= 12 => bar(turns, most, cells, theme),
        Some((turns, _)) => Line::styled(count(turns, "turn"), dim),
        _ => Line::default(),
    };
    // In a large box it has several lines.
    let mut doing = match lines {
        0..=4 => vec![Line::styled(cut(&flat(&node.doing), cells).into_owned(), dim)],
        _ => rows(&flat(&node.doing), cells, dim, &[]),
    };
    doing.resize(lines.saturating_sub(3).max(1), Line::default());
    let spend = Line::styled(node.spend_in(cells), dim);
    let below = match lines {
        1 => vec![],
        2 if node.spend.is_empty() || width(&node.spend) > cells && node.is_open => vec![bar],
        2 => vec![spend],
        3 => vec![bar, spend],
        _ => [vec![bar], doing, vec![spend]].concat(),
    };
    // A note that is too long goes on below in blank lines. The end of work is worth more than its turns and costs; of work that
    // goes on all has its place.
    let blank = below.iter().take_while(|line| line.width() == 0).count();
    let most = if node.is_open { 1 + blank } else { lines };
    let mut facts = note_rows(&node.note, cells, most, look.note(node));
    let taken = facts.len() - 1;
    facts.extend(below.into_iter().skip(taken));
    facts
}

/// A note in at most `most` lines, at least one: in its fewer words if the whole does not fit.
fn note_rows(note: &Note, cells: usize, most: usize, style: Style) -> Vec<Line<'static>> {
    let whole = format!("{}{}", flat(&note.text), note.end);
    let fits = wrap(&whole, cells).len() <= most;
    match most > 1 && (fits || note.short.is_empty()) {
        true => rows_within(&whole, cells, most, style).into_iter().map(without_dot).collect(),
        false => vec![Line::styled(note.in_cells(cells), style)],
    }
}

/// A line that was broken between two parts, without the dot that stood between them.
fn without_dot(mut line: Line<'static>) -> Line<'static> {
    if let Some(last) = line.spans.last_mut()
        && let Some(before) = last.content.trim_end().strip_suffix(" ·")
    {
        last.content = before.to_owned().into();
    }
    line
}

/// `▕███░░░░░▏ 6/20`.
fn bar(turns: usize, most: u32, cells: usize, theme: &Theme) -> Line<'static> {
    let figures = format!(" {turns}/{most}");
    let room = cells.saturating_sub(width(&figures) + 2).min(24);
    let full = (turns * room).checked_div(most as usize).unwrap_or(0).clamp(usize::from(turns > 0), room);
    Line::from(vec![
        theme.span("▕", Scope::Dim),
        theme.span("█".repeat(full), Scope::Spent),
        theme.span("░".repeat(room - full), Scope::Free),
        theme.span("▏", Scope::Dim),
        theme.span(figures, Scope::Dim),
    ])
}

/// Label and note in one line, each in cells of its own: a note that grows cuts no label. Where there are few, the title has most of
/// them, since it alone tells one row from another: beside it stand figures, and the mark says the rest.
fn with_note(node: &Node, cells: usize, look: &Look<'_>) -> Line<'static> {
    /// With fewer cells the note is figures.
    const FEW: usize = 30;
    const FIGURES: usize = 5;
    let is_narrow = cells < FEW && node.fold.is_none();
    let slot = if is_narrow { FIGURES } else { usize::from(MEMBER_NOTE).min(cells / 2) };
    let note = if is_narrow { figures(node) } else { node.note.in_cells(slot) };
    let mut line = look.label(node, cells.saturating_sub(slot + 2));
    let gap = cells.saturating_sub(line.width() + width(&note));
    line.spans.push(Span::raw(" ".repeat(gap)));
    line.spans.push(Span::styled(note, look.note(node)));
    line
}

/// Of work that goes on its turns, of work that has ended the number of what it brought.
fn figures(node: &Node) -> String {
    match (node.is_open, node.turns) {
        (true, Some((turns, most))) => format!("{turns}/{most}"),
        (true, None) => String::new(),
        (false, _) => {
            let number = node.note.short.split(' ').next().unwrap_or_default();
            if number.bytes().all(|byte| byte.is_ascii_digit()) { number.to_owned() } else { String::new() }
        }
    }
}

struct Row<'a> {
    lead: String,
    node: &'a Node,
    /// Set for the row below a folded group that says how many of its members are not shown.
    hidden: Option<usize>,
}

/// All rows; members of a group are indented below it.
fn rows_of(graph: &Graph) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let tasks = graph.nodes.iter().filter(|node| node.is_task).count();
    let last_task = graph.nodes.iter().rposition(|node| node.is_task);
    // Below the last task nothing follows: the outer line ends where the tasks begin.
    let ends_in_tasks =
        tasks > 1 && last_task.is_some_and(|at| graph.nodes[at + 1..].iter().all(|node| node.depth > 0));
    let outer = if ends_in_tasks { "  " } else { "│ " };
    for (n, node) in graph.nodes.iter().enumerate() {
        let indented = node.is_task && tasks > 1;
        let first_task = indented && !graph.nodes[..n].iter().any(|node| node.is_task);
        let last = if indented { last_task == Some(n) } else { n + 1 == graph.nodes.len() };
        let mut lead = match indented {
            false if n == 0 => String::new(),
            false if last => "╰─".into(),
            false => "├─".into(),
            true if first_task && ends_in_tasks => "╰─┬─".into(),
            true if first_task => "├─┬─".into(),
            true if last => format!("{outer}╰─"),
            true => format!("{outer}├─"),
        };
        if node.depth > 0 {
            let next = graph.nodes.get(n + 1).map_or(0, |next| next.depth);
            let is_below_last = last_task.is_some_and(|at| at < n);
            let inner = if is_below_last && ends_in_tasks { "  " } else { "│ " };
            let end = if next < node.depth { "╰─" } else { "├─" };
            lead = format!("{outer}{inner}{}{end}", "│ ".repeat(node.depth - 1));
        }
        rows.push(Row { lead, node, hidden: None });
        members(
            &mut rows,
            node,
            &match (indented, last) {
                (false, _) => "│ ".to_owned(),
                (true, true) => format!("{outer}  "),
                (true, false) => format!("{outer}│ "),
            },
        );
    }
    rows
}

fn members<'a>(rows: &mut Vec<Row<'a>>, node: &'a Node, before: &str) {
    for (n, member) in node.members.iter().enumerate() {
        let last = n + 1 == node.members.len() && node.hidden == 0;
        let lead = format!("{before}{}", if last { "╰─" } else { "├─" });
        rows.push(Row { lead, node: member, hidden: None });
        members(rows, member, &format!("{before}{}", if last { "  " } else { "│ " }));
    }
    if node.hidden > 0 {
        rows.push(Row { lead: format!("{before}╰─"), node, hidden: Some(node.hidden) });
    }
}

/// Lays out only the visible rows: a plan may have thousands.
fn as_rows(buf: &mut Buffer, area: Rect, graph: &Graph, look: &Look<'_>, cache: &mut Cache) -> Seen {
    /// From this width on a row has room for the time and for the consumption.
    const ROOM_FOR_TIME: u16 = 48;
    const ROOM_FOR_SPEND: u16 = 84;
    /// Cells of a note that are worth more than the rest of a title, and of the lines that lead to a row.
    const NOTE: usize = 24;
    const LEAD: usize = 8;
    /// The least cells of a note, where titles are long.
    const LEAST_NOTE: usize = 10;
    /// Cells of the columns at the right: the consumption, and the time with a space before it.
    const SPEND: usize = 30;
    const TIME: usize = 7;
    let theme = look.theme;
    let rows = rows_of(graph);
    let selected = rows.iter().position(|row| row.hidden.is_none() && look.is_front(row.node)).unwrap_or(0);
    let page = usize::from(area.height);
    let most = rows.len().saturating_sub(page);
    let at = paint::reveal(area, selected).min(most);
    let seen = &rows[at..rows.len().min(at + page)];
    let cells = usize::from(area.width);
    let fold = |node: &Node| if node.fold.is_some() { 2 } else { 0 };
    let times = |node: &Node| width(&node.behind());
    let has_times = area.width >= ROOM_FOR_TIME;
    let most_name =
        cells.saturating_sub(NOTE + LEAD + if has_times { TIME } else { 0 }).clamp(cells * 2 / 5, cells / 2);
    // The whole label where it fits, else as much of it as tells it apart.
    let name = |node: &Node| match node.short.is_empty() {
        true => width(&node.label) + fold(node) + times(node),
        false => width(&node.name(most_name.saturating_sub(fold(node)))) + fold(node),
    };
    // What one looks for is the state: a few long titles are cut before it is.
    let least_note = if area.width < ROOM_FOR_TIME { LEAST_NOTE } else { LEAST_NOTE + 4 };
    let before_notes = cells.saturating_sub(least_note + if has_times { TIME } else { 0 });
    let most_of_name = |lead: &str| before_notes.saturating_sub(width(lead) + 4).max(cells / 4);
    let widest = |rows: &[Row<'_>]| {
        rows.iter().map(|row| name(row.node).min(most_of_name(&row.lead))).max().unwrap_or(0).min(cells / 2)
    };
    // Members of a group come and go: the notes beside them keep their column.
    let is_grouped = graph.nodes.iter().any(|node| node.fold.is_some());
    let names = if is_grouped { widest(seen).max(most_name) } else { widest(seen) };
    let heads: Vec<(Vec<Span<'static>>, usize, &Row<'_>)> = seen
        .iter()
        .map(|row| {
            let Row { lead, node, hidden } = row;
            let mut spans = vec![theme.span(lead.clone(), Scope::Border)];
            match hidden {
                Some(hidden) => spans.push(theme.span(format!(" {hidden} more (space)"), Scope::Dim)),
                None => spans.extend(look.label(node, names.min(most_of_name(lead)) + 2).spans),
            }
            let taken = total_width(&spans);
            (spans, taken, row)
        })
        .collect();
    // Notes are aligned in one column, times and consumption in others at the right.
    let column = heads.iter().map(|(_, taken, _)| taken + 2).max().unwrap_or(0);
    let column = if is_grouped { column.max(LEAD + names + 2) } else { column };
    // The consumption is shown only where notes have room beside it.
    let has_spend = area.width >= ROOM_FOR_SPEND && column + NOTE + SPEND + TIME <= cells;
    for ((mut spans, taken, Row { node, hidden, .. }), row) in heads.into_iter().zip(area.rows()) {
        cache.mark(row, Spot::Node(node.key.clone()));
        if hidden.is_some() {
            paint::line(buf, row, &Line::from(spans));
            continue;
        }
        let mut right = String::new();
        // A group has neither a time nor costs of its own, and much to say.
        let has_costs = node.elapsed.is_some();
        if has_costs && has_spend {
            right = format!("{:>SPEND$}", node.spend_in(SPEND));
        }
        if has_costs && has_times {
            let time = node.elapsed.map(clock).unwrap_or_default();
            right = format!("{right} {time:>6}");
        }
        let room = cells.saturating_sub(column + width(&right));
        let note = node.note.in_cells(room);
        spans.push(Span::raw(" ".repeat(column - taken)));
        let gap = room.saturating_sub(width(&note));
        spans.push(Span::styled(note, look.note(node)));
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(theme.span(right, Scope::Dim));
        paint::line(buf, row, &Line::from(spans));
    }
    paint::more(buf, area, at, most, theme.style(Scope::Dim));
    Seen { at, most, page, ..Seen::default() }
}
