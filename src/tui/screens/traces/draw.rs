//! Draws the traces that come in, a line each; before any has come, the settings to make where the team works.

use super::{TOGETHER, TraceLine, TracesUi};
use crate::overlays::help;
use crate::prelude::*;
use crate::view::{LEAST, finish, hints};

/// The milliseconds without a span after which one that works is called quiet.
const QUIET: u64 = 60_000;

pub fn draw(buf: &mut Buffer, area: Rect, ui: &TracesUi, theme: &Theme) -> (Seen, Vec<(Rect, Clean)>) {
    let area = area.intersection(buf.area);
    let mut spots = Vec::new();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let message = format!("masthead needs {}×{}", LEAST.0, LEAST.1);
        paint::line(buf, area, &Line::raw(cut(&message, usize::from(area.width)).into_owned()));
        return (Seen { tiny: true, ..Seen::default() }, spots);
    }
    let remarks = ui.listing.remarks.len().min(usize::from(area.height) / 4);
    let below = u16::try_from(remarks).unwrap_or(0);
    let [header, body, said, last] = paint::rows(area, [1, area.height - 2 - below, below, 1]);
    let cells = usize::from(area.width);
    let left = vec![
        theme.span(" masthead", Scope::Brand),
        theme.span("   teams as they work, from what they send", Scope::Dim),
    ];
    let address = vec![theme.span(format!("listening on {} ", flat(&ui.listing.address)), Scope::Running)];
    paint::line(buf, header, &justified(left, address, cells));
    let seen = match ui.help {
        Some(scroll) => help::page(buf, body, (&TOGETHER, |row| row.action != Action::Outside), scroll, theme),
        None if ui.listing.lines.is_empty() => nothing_yet(buf, body, ui, theme),
        None => list(buf, body, ui, theme, &mut spots),
    };
    for (row, remark) in said.rows().zip(ui.listing.remarks.iter().rev()) {
        let text = format!(" · {}", flat(remark));
        paint::line(buf, row, &theme.line(cut(&text, cells.saturating_sub(1)).into_owned(), Scope::Text));
    }
    match &ui.status {
        Some(status) => hints::message(buf, last, status, theme),
        None => {
            let works = |row: &&'static Row| match row.action {
                Action::Open | Action::Save | Action::Down => !ui.listing.lines.is_empty(),
                // There is no text to read or to write in a program of one's own.
                Action::Outside => false,
                _ => true,
            };
            let rows = hints::of(&TOGETHER).into_iter().filter(works);
            hints::keys(buf, last, rows.map(|row| (row, row.hint.unwrap_or_default().to_owned())), theme);
        }
    }
    finish(buf, area, theme);
    (seen, spots)
}

/// The variables to set so that something comes.
fn nothing_yet(buf: &mut Buffer, area: Rect, ui: &TracesUi, theme: &Theme) -> Seen {
    let inner =
        paint::panel(buf, area, theme.span("no trace has come yet", Scope::Title), "", theme.style(Scope::Focus));
    let cells = usize::from(inner.width);
    let text = |words: &str| rows(words, cells, theme.style(Scope::Text), &[]);
    let set = |line: &str| vec![theme.line(format!("    {line}"), Scope::Key)];
    let address = flat(&ui.listing.address);
    let lines: Vec<Line<'static>> = [
        text("Where your team runs, before it starts, in its shell:"),
        vec![Line::default()],
        set(&format!("export OTEL_EXPORTER_OTLP_ENDPOINT=http://{address}")),
        set("export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"),
        set("export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"),
        vec![Line::default()],
        text("The third line has what was said sent along, where the program can do that. http/json does as well as http/protobuf; gRPC is not listened for."),
        vec![Line::default()],
        text("The first trace opens by itself, several are a list. Programs send a span when it has ended: what has begun shows once something below it has."),
    ]
    .concat();
    paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim))
}

/// The columns that there is room for.
struct Columns {
    /// The cells of the program's name.
    service: usize,
    spans: bool,
    agents: bool,
    cost: bool,
}

impl Columns {
    fn of(cells: usize) -> Columns {
        Columns { service: (cells / 8).clamp(8, 20), spans: cells >= 90, agents: cells >= 70, cost: cells >= 60 }
    }

    fn left(&self, state: String, service: &str) -> [String; 2] {
        let service = cut(service, self.service);
        let pad = self.service.saturating_sub(width(&service));
        [
            format!("{}{} ", cut(&state, 15), " ".repeat(15_usize.saturating_sub(width(&state)))),
            format!("{service}{}  ", " ".repeat(pad)),
        ]
    }

    fn right(&self, spans: &str, agents: &str, cost: &str, last: &str) -> String {
        let column = |shown: bool, text: &str, cells: usize| match shown {
            true => format!("  {}{}", " ".repeat(cells.saturating_sub(width(text))), cut(text, cells)),
            false => String::new(),
        };
        let (spans, agents) = (column(self.spans, spans, 6), column(self.agents, agents, 6));
        format!("{spans}{agents}{}{}", column(self.cost, cost, 9), column(true, last, 4))
    }
}

fn list(buf: &mut Buffer, area: Rect, ui: &TracesUi, theme: &Theme, spots: &mut Vec<(Rect, Clean)>) -> Seen {
    let lines = &ui.listing.lines;
    let works = lines.iter().filter(|line| line.state.mark == Mark::Running).count();
    let note = theme.span(format!("{works} of {} at work", lines.len()), Scope::Dim);
    let inner = paint::panel(buf, area, theme.span("traces", Scope::Title), note, theme.style(Scope::Focus));
    let columns = Columns::of(usize::from(inner.width));
    let [names, inner] = paint::rows(inner, [1, inner.height.saturating_sub(1)]);
    let mut left = columns.left("state".into(), "program").map(|text| theme.span(text, Scope::Dim)).to_vec();
    left.push(theme.span("question", Scope::Dim));
    let right = vec![theme.span(columns.right("spans", "agents", "cost", "last"), Scope::Dim)];
    paint::line(buf, names, &justified(left, right, usize::from(names.width)));
    let selected = ui.row();
    paint::list(buf, inner, lines.len(), paint::reveal(inner, selected), |buf, row, n| {
        spots.push((row, lines[n].id.clone()));
        line(buf, row, (&lines[n], n == selected), &columns, ui, theme);
    })
}

fn line(
    buf: &mut Buffer,
    row: Rect,
    (trace, here): (&TraceLine, bool),
    columns: &Columns,
    ui: &TracesUi,
    theme: &Theme,
) {
    let base = theme.style(if here { Scope::Selected } else { Scope::Text });
    let look = |scope: Scope| if here { base } else { theme.style(scope) };
    let silence = ui.now.since(trace.heard);
    let (mark, word) = match trace.state.mark {
        Mark::Running if silence > QUIET => (Mark::Paused, "quiet".into()),
        mark => (mark, flat(&trace.state.word)),
    };
    let [state, service] = columns.left(format!("{} {word}", mark.symbol()), &flat(&trace.service));
    let question = match trace.question.is_empty() {
        true => Span::styled("not told yet", look(Scope::Dim)),
        false => Span::styled(flat(&trace.question).into_owned(), base),
    };
    let left = vec![Span::styled(state, look(mark.into())), Span::styled(service, look(Scope::Dim)), question];
    let (spans, agents) = (short(trace.spans as u64), short(trace.agents as u64));
    let right = columns.right(&spans, &agents, &flat(&trace.cost), &ago(silence));
    buf.set_style(row, base);
    paint::line(buf, row, &justified(left, vec![Span::styled(right, look(Scope::Dim))], usize::from(row.width)));
}

/// The time since something came last, in milliseconds, as a person reads it.
fn ago(millis: u64) -> String {
    match millis / 1_000 {
        0..2 => "now".into(),
        seconds @ 2..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds @ 3_600..86_400 => format!("{}h", seconds / 3_600),
        seconds => format!("{}d", seconds / 86_400),
    }
}
