//! The header: the question, the state of the run, the models, the sources, the pages.

use crate::places;
use crate::prelude::*;
use crate::screens::Page;
use crate::spot::Spot;
use run::team::Order;
use run::transcript::ExchangeEnd;

/// From this width on the state is told in full, and beside it the number that wait for a provider while others work.
const ROOMY: u16 = 100;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) {
    let [first, second] = paint::rows(area, [1, 1]);
    render_run(buf, first, scene);
    if scene.ui.moment != Moment::Latest {
        return band(buf, if second.is_empty() { area } else { second }, scene);
    }
    let tabs = tabs(scene);
    let cells = usize::from(second.width);
    let named = Naming::ALL.into_iter().find(|naming| drawn(&tabs, *naming).1 < cells);
    let (spans, taken) = named.map_or_else(Default::default, |naming| drawn(&tabs, naming));
    let mut from = cells.saturating_sub(taken);
    for (page, wide) in &spans {
        if let Some(page) = page {
            let [at, wide] = [from, width(&wide.content)].map(|n| u16::try_from(n).unwrap_or(u16::MAX));
            let at = Rect { x: second.x.saturating_add(at), width: wide, ..second };
            cache.mark(at.intersection(second), Spot::Page(*page));
        }
        from += width(&wide.content);
    }
    let (about, scope) = about(scene, cells.saturating_sub(taken + 5));
    let left = scene.theme.span(format!(" {about}"), scope);
    let right = spans.into_iter().map(|(_, span)| span).collect();
    paint::line(buf, second, &justified(vec![left], right, cells));
}

/// Cells for how a run is and its time.
const STATE: usize = 22;

/// The question, how the run is, its time, and its name.
fn render_run(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    let opening = run.opening.as_ref();
    let question = opening.map_or("", |opening| &opening.question);
    let room = opening.map(|opening| &opening.team).filter(|team| team.order.plans().is_some());
    let question = select::question(question, room.map(|team| team.most_tasks)).into_owned();
    let brand = theme.span(" masthead  ", Scope::Brand);
    let cells = usize::from(area.width);

    let is_narrow = area.width < ROOMY;
    let stalls = stall::all(ui, run);
    let mut state = select::state(ui, run);
    if let Some(stalls) = stalls.as_ref().filter(|_| is_narrow && state.mark == Mark::Limited) {
        state.word = Clean::line(&stalls.in_short(ui.now));
    }
    let then = if ui.moment == Moment::Latest { "" } else { "then: " };
    let mut right = Vec::new();
    // Some wait for a provider while others are at work.
    if let Some(stalls) = stalls.filter(|stalls| !stalls.is_all && !is_narrow) {
        let words = format!("{} {}  ", Mark::Limited.symbol(), stalls.in_words(ui.now));
        right.push(theme.span(words, Mark::Limited));
    }
    right.push(theme.span(format!("{} {then}{}", state.mark.symbol(), state.word), state.mark));
    right.push(Span::raw(format!("  {} ", clock(run.worked(scene.now())))));
    // On a narrow screen the question keeps its share, however the state is told, and the name of the run goes first.
    let share = (cells * 2 / 5).max(STATE.min(cells / 2));
    let name = opening.map(|opening| theme.span(format!(" run {} ", opening.run), Scope::Dim));
    right.extend(name.filter(|name| !is_narrow || total_width(&right) + width(&name.content) <= share));
    let taken = total_width(&right);
    let room = cells.saturating_sub(if is_narrow { taken.max(share) } else { taken } + 1);
    // A part of the program's name says nothing.
    const LEAST: usize = 8;
    let mut left = if room >= width(&brand.content) + LEAST.min(width(&question)) { vec![brand] } else { Vec::new() };
    if left.is_empty() {
        left.push(Span::raw(" "));
    }
    left.push(theme.span(question, Scope::Title));
    paint::line(buf, area, &justified(fit(left, room), right, cells));
}

/// The names of the pages: all by number and name, only the shown one by its name, or it alone.
#[derive(Clone, Copy)]
enum Naming {
    All,
    Shown,
    Alone,
}

impl Naming {
    const ALL: [Naming; 3] = [Naming::All, Naming::Shown, Naming::Alone];
}

/// A page that can be gone to.
struct Tab {
    page: Page,
    number: char,
    name: &'static str,
    is_shown: bool,
    needs_you: bool,
    style: Style,
}

fn tabs(scene: Scene<'_>) -> Vec<Tab> {
    let Scene { ui, run, theme, .. } = scene;
    let pages = [
        (Page::Team, '1', "team", true, true),
        (Page::Findings, '2', "findings", true, select::findings_page(run).is_some()),
        (Page::Brief, '3', "brief", true, run.brief().is_some()),
        (Page::Plan, '4', "plan", false, select::plan_page(run).is_some()),
        (Page::Stop, '5', "breakpoint", false, select::stop_page(run).is_some()),
        (Page::Draft, '6', "draft", false, select::draft_page(run).is_some()),
    ];
    let named = pages.into_iter().filter(|(_, _, _, always, is_there)| *always || *is_there);
    let tab = |(page, number, name, _, is_there): (Page, char, &'static str, bool, bool)| {
        let is_shown = page == ui.page;
        let needs_you = page.needs_you(run) && !is_shown;
        let style = match is_there {
            _ if needs_you => theme.style(Scope::NeedsYou),
            _ if is_shown => theme.style(Scope::Title).patch(theme.style(Scope::Focus)),
            true => Style::new(),
            false => theme.style(Scope::Waiting),
        };
        Tab { page, number, name, is_shown, needs_you, style }
    };
    named.map(tab).collect()
}

/// The pages with the gaps between them, and the cells that they take.
fn drawn(tabs: &[Tab], naming: Naming) -> (Vec<(Option<Page>, Span<'static>)>, usize) {
    let gap = if matches!(naming, Naming::All) { "   " } else { "  " };
    let mut spans = Vec::new();
    for tab in tabs.iter().filter(|tab| tab.is_shown || !matches!(naming, Naming::Alone)) {
        if !spans.is_empty() {
            spans.push((None, Span::raw(gap)));
        }
        let sign = if tab.needs_you { " ◆" } else { "" };
        let name = match naming {
            Naming::Shown if !tab.is_shown => format!("{}{sign}", tab.number),
            _ => format!("{} {}{sign}", tab.number, tab.name),
        };
        spans.push((Some(tab.page), Span::styled(name, tab.style)));
    }
    spans.push((None, Span::raw(" ")));
    let taken = spans.iter().map(|(_, span)| width(&span.content)).sum();
    (spans, taken)
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

/// Models, sources and mode of the run, as detailed as there is room. Where a fallback did the work of a model it is a warning.
fn about(scene: Scene<'_>, cells: usize) -> (String, Scope) {
    let Scene { ui, run, .. } = scene;
    let mode = match &ui.mode {
        Mode::Live => None,
        // The origin says so as well.
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
    let fallback = run.opening.as_ref().and_then(|_| in_place_of_models(run)).filter(|_| from.is_none());
    let scope = if fallback.is_some() { Scope::Warning } else { Scope::Dim };
    let team = from.or(fallback).or(team);
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
    let about = [join(full, sources), join(full, None), join(short, sources), join(short, None), join(shortest, None)]
        .into_iter()
        .find(|message| width(message) <= cells)
        .unwrap_or_default();
    (about, scope)
}

/// The work that fallbacks did in place of a model, from the fullest words to the fewest; None without such work.
fn in_place_of_models(run: &Run) -> Option<[String; 3]> {
    let takeover = run.takeovers().into_iter().next()?;
    let (sign, model) = (Mark::Warning.symbol(), &takeover.from.model);
    let has_answered = run.assignments().any(|assignment| {
        let mut exchanges = assignment.transcript.exchanges();
        exchanges.any(|one| one.request.model == takeover.from && matches!(one.end, ExchangeEnd::Answered(_)))
    });
    let (fewest, few) = match (&takeover.to, has_answered) {
        (Some(other), _) => (format!("{sign} {}", other.model), format!("{sign} {} in place of {model}", other.model)),
        (None, true) => (format!("{sign} in part by rule"), format!("{sign} in part by rule, in place of {model}")),
        (None, false) => (format!("{sign} by rule"), format!("{sign} by rule: {model} answers nothing")),
    };
    let full = match takeover.why.trim_end_matches('.') {
        "" => few.clone(),
        why => format!("{few} ({why})"),
    };
    Some([full, few, fewest])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::model::{self, Stage};
    use run::{Event, Outcome, Role};
    use std::sync::Arc;

    #[test]
    fn work_that_rules_did_in_place_of_a_model_is_said_with_whether_it_answered_anything() {
        let mut events = model::events(Stage::Working);
        assert_eq!(in_place_of_models(&Run::fold(events.iter().map(|envelope| &**envelope))), None);
        // The report of the first specialist says that its rules made it.
        let reported = events.iter_mut().find_map(|envelope| match &mut Arc::make_mut(envelope).event {
            Event::Reported { outcome: Outcome::Done, handoff, .. } if handoff.names.0.as_str() == Role::PLANNER => {
                Some(handoff)
            }
            _ => None,
        });
        let why = "There is no such model (404). Choose another.";
        Arc::make_mut(reported.expect("the planner reports")).payload.by_rule = Some(why.into());
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        let [full, _, fewest] = in_place_of_models(&run).unwrap();
        assert!(full.ends_with("(There is no such model (404))"), "{full}");
        assert!(fewest.starts_with("! "), "{fewest}");
    }
}
