//! The header: the question, the state of the run, the models, the sources, the pages.

use crate::places;
use crate::prelude::*;
use crate::screens::Page;
use crate::spot::Spot;
use run::team::Order;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) {
    let Scene { ui, run, theme, .. } = scene;
    let state = select::state(ui, run);
    let opening = run.opening.as_ref();
    let dim = theme.style(Scope::Dim);
    let question = opening.map_or("", |opening| &opening.question);
    let room = opening.map(|opening| &opening.team).filter(|team| team.order.plans().is_some());
    let left = vec![
        theme.span(" masthead", Scope::Brand),
        Span::raw("  "),
        theme.span(select::question(question, room.map(|team| team.most_tasks)).into_owned(), Scope::Title),
    ];
    let is_past = ui.moment != Moment::Latest;
    let then = if is_past { "then: " } else { "" };
    let mut right = Vec::new();
    // Some wait for a provider while others are at work.
    let stalls = stall::all(ui, run).filter(|stalls| !stalls.is_all && area.width >= 100);
    if let Some(stalls) = stalls {
        let words = format!("{} {}  ", Mark::Limited.symbol(), stalls.in_words(ui.now));
        right.push(theme.span(words, Mark::Limited));
    }
    right.extend([
        theme.span(format!("{} {then}{}", state.mark.symbol(), state.word), state.mark),
        Span::raw(format!("  {}", clock(run.worked(scene.now())))),
    ]);
    if let Some(opening) = opening.filter(|_| area.width >= 60) {
        right.push(Span::styled(format!("  run {} ", opening.run), dim));
    }
    paint::line(buf, area, &justified(left, right, usize::from(area.width)));

    let [_, second] = paint::rows(area, [1, 1]);
    if is_past {
        return band(buf, if second.is_empty() { area } else { second }, scene);
    }
    let mut tabs = vec![
        (Page::Team, "1 team", true),
        (Page::Findings, "2 findings", select::findings_page(run).is_some()),
        (Page::Brief, "3 brief", run.brief().is_some()),
    ];
    if select::plan_page(run).is_some() {
        tabs.push((Page::Plan, "4 plan", true));
    }
    if select::stop_page(run).is_some() {
        tabs.push((Page::Stop, "5 breakpoint", true));
    }
    if select::draft_page(run).is_some() {
        tabs.push((Page::Draft, "6 draft", true));
    }
    let last = tabs.last().map(|(page, ..)| *page);
    let mut right = Vec::new();
    let mut places = Vec::new();
    for (page, name, there) in tabs {
        let style = match (page == ui.page, there) {
            (true, _) => theme.style(Scope::Title).patch(theme.style(Scope::Focus)),
            (false, true) => Style::new(),
            (false, false) => theme.style(Scope::Waiting),
        };
        let attention = page.needs_you(run) && page != ui.page;
        let style = if attention { theme.style(Scope::NeedsYou) } else { style };
        let from = total_width(&right);
        right.push(Span::styled(format!("{name}{}", if attention { " ◆" } else { "" }), style));
        places.push((page, from, total_width(&right) - from));
        right.push(Span::raw(if Some(page) == last { " " } else { "   " }));
    }
    let taken = total_width(&right);
    // Without room for all of them none is drawn.
    if let Some(begins) = usize::from(second.width).checked_sub(taken).filter(|begins| *begins > 0) {
        let cells = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        for (page, from, wide) in places {
            let at = Rect { x: second.x + cells(begins + from), width: cells(wide), ..second };
            cache.mark(at.intersection(second), Spot::Page(page));
        }
    }
    let left = Span::styled(format!(" {}", about(scene, usize::from(area.width).saturating_sub(taken + 5))), dim);
    paint::line(buf, second, &justified(vec![left], right, usize::from(area.width)));
}

/// Across the header while the past is shown: that it is, when, and the way back.
fn band(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, events, theme } = scene;
    let Moment::Earlier { latest } = ui.moment else { return };
    // The clock of the line above: one moment has one time.
    let when = clock(run.worked(scene.now()));
    let stage = places::stages(events).into_iter().rfind(|stage| stage.at as u64 <= run.seq.0);
    let stage = stage.map_or(String::new(), |stage| format!(" · {}", stage.name));
    let full = format!(
        " ◂◂ the past: {} of {latest} · {when}{stage} · nothing can be changed here · }} goes to the latest",
        run.seq
    );
    let short = format!(" ◂◂ past: {} of {latest} · {when}{stage} · }} latest", run.seq);
    let cells = usize::from(area.width);
    let said = if width(&full) <= cells { full } else { cut(&short, cells).into_owned() };
    let gap = " ".repeat(cells.saturating_sub(width(&said)));
    let style = theme.style(Scope::NeedsYou).reversed();
    paint::line(buf, area, &Line::from(Span::styled(format!("{said}{gap}"), style)));
}

/// Models, sources and mode of the run, as detailed as there is room.
fn about(scene: Scene<'_>, cells: usize) -> String {
    let Scene { ui, run, .. } = scene;
    let mode = match &ui.mode {
        Mode::Live => None,
        // Where it comes from says so as well.
        Mode::ReadOnly(_) if run.is_imported() => None,
        Mode::ReadOnly(_) => Some("read only"),
        Mode::Replay => Some("replay"),
    };
    let from = run.origin().map(|origin| {
        let [full, short] = [format!("from {}, read only", origin.format), format!("from {}", origin.format)];
        let gaps: Vec<String> = origin.gaps().iter().map(ToString::to_string).collect();
        let with_gaps = if gaps.is_empty() { full.clone() } else { format!("{full} · {}", gaps.join(" · ")) };
        [with_gaps, full, short]
    });
    let team = run.opening.as_ref().map(|opening| match opening.team.thinks_with() {
        None if opening.drill.is_some() => {
            ["a drill: scripted specialists, real guards", "scripted specialists", "scripted"].map(String::from)
        }
        None if opening.team.order == Order::Inspect => {
            ["by rule, no model: counted over whole files", "by rule: no model", "no model"].map(String::from)
        }
        None => ["extractive team: no model, the sources' own sentences", "extractive team: no model", "no model"]
            .map(String::from),
        Some(models) => match &opening.answers_from {
            Some(_) => {
                ["as recorded: no model is called, nothing is paid", "as recorded: no model is called", "as recorded"]
                    .map(|message| format!("{models}, {message}"))
            }
            None => [format!("{models}, the rest by rule"), models.clone(), models],
        },
    });
    let team = from.or(team);
    let sources = match (&run.corpus, ui.reading) {
        (Some(corpus), _) if corpus.skipped_count > 0 => {
            Some(format!("{}, {} skipped", corpus.searched(), corpus.skipped_count))
        }
        (Some(corpus), _) => Some(corpus.searched()),
        (None, Some((done, total))) => Some(format!("reading {done} of {total} files")),
        (None, None) => None,
    };
    let join = |team: Option<&str>, sources: Option<&str>| {
        [mode, team, sources].into_iter().flatten().map(|part| flat(part).into_owned()).collect::<Vec<_>>().join(" · ")
    };
    let [full, short, shortest] =
        team.as_ref().map_or([None; 3], |names| names.each_ref().map(|name| Some(name.as_str())));
    let sources = sources.as_deref();
    [join(full, sources), join(full, None), join(short, sources), join(short, None), join(shortest, None)]
        .into_iter()
        .find(|message| width(message) <= cells)
        .unwrap_or_default()
}
