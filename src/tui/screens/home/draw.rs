//! Draws the home screen: question, sources, earlier runs.

use super::{Entry, Helping, HomeBox, HomeSpot, HomeUi, Setting, Shown};
use crate::overlays::help;
use crate::prelude::*;
use crate::view::{LEAST, boxes, finish, hints};

pub fn draw(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme) -> Shown {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return Shown::default();
    }
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let message = format!("masthead needs {}×{}", LEAST.0, LEAST.1);
        paint::line(buf, area, &Line::raw(cut(&message, usize::from(area.width)).into_owned()));
        return Shown { seen: Seen { tiny: true, ..Seen::default() }, ..Shown::default() };
    }
    let head = if area.height < 16 { 1 } else { 2 };
    let [header, body, last] = paint::rows(area, [head, area.height - head - 1, 1]);
    let left = vec![
        theme.span(" masthead", Scope::Brand),
        theme.span("   a small team, your documents, a cited brief", Scope::Dim),
    ];
    paint::line(buf, header, &Line::from(left));
    let models = match &home.models {
        Some(models) => format!(" a new run would use {}; what a model is sent goes to its provider", flat(models)),
        None => {
            let whole = " by rule: no model is asked and no key is needed; the web only for web: lines";
            let fits = width(whole) <= usize::from(area.width);
            if fits { whole } else { " by rule: no model, no key; the web only for web: lines" }.to_owned()
        }
    };
    let [_, second] = paint::rows(header, [1, 1]);
    paint::line(buf, second, &theme.line(cut(&models, usize::from(area.width)).into_owned(), Scope::Dim));
    let mut spots = Vec::new();
    let seen = match &home.help {
        Some(Helping { filter, filtering, choice }) => {
            let (filtering, choice) = (*filtering, *choice);
            help::list(buf, body, help::Contents { entries: &home.listed(), filter, filtering, choice }, theme)
        }
        None => fields(buf, body, home, theme, &mut spots),
    };
    match &home.status {
        Some(status) => hints::message(buf, last, status, theme),
        None => {
            let writes = matches!(home.focus, HomeBox::Question | HomeBox::Sources);
            let helps = |action| matches!(action, Action::Submit | Action::Filter | Action::Back | Action::Help);
            let worth = |row: &&Row| match home.help {
                Some(_) => helps(row.action),
                None => (writes || row.action != Action::Outside) && home.why_not(row.action).is_none(),
            };
            let hints = hints::of(&home.keys()).into_iter().filter(worth).map(|row| match row.action {
                Action::Start if home.focus == HomeBox::Runs => (row, "open".to_owned()),
                Action::Quit if home.filter.is_some() => (row, "all runs".to_owned()),
                _ => (row, row.hint.unwrap_or_default().to_owned()),
            });
            hints::keys(buf, last, hints, theme);
        }
    }
    finish(buf, area, theme);
    Shown { seen, spots }
}

type Spots = Vec<(Rect, HomeSpot)>;

fn fields(buf: &mut Buffer, area: Rect, home: &HomeUi, theme: &Theme, spots: &mut Spots) -> Seen {
    let entries = home.entries();
    let is_empty = entries.is_empty();
    let lines = |count: usize, least: u16, most: u16| u16::try_from(count).unwrap_or(most).clamp(least, most) + 2;
    let roomy = area.height >= 20;
    let wrapped = |field: &Field| {
        let cells = usize::from(area.width).saturating_sub(boxes::AROUND);
        field.lines().iter().map(|line| wrap(line, cells).len().max(1)).sum()
    };
    let ask = lines(wrapped(&home.question), if roomy { 3 } else { 1 }, 6).min(area.height / 2);
    let sources = lines(home.sources.lines().len(), 1, 5).min((area.height - ask) / 2);
    let beside = Beside::of(home, area);
    let set = beside.rows();
    let rest = area.height - set;
    let [first, second, line, third] = match home.focus {
        // A low screen shows the question, the cost, and the box in focus, which has the room.
        HomeBox::Runs if area.height < 11 => paint::rows(area, [3, 0, set, rest - 3]),
        HomeBox::Sources if area.height < 11 => paint::rows(area, [3, rest - 3, set, 0]),
        _ if area.height < 11 => paint::rows(area, [rest - 3, 3, set, 0]),
        _ => paint::rows(area, [ask, sources, set, rest - ask - sources]),
    };
    spots.extend([(first, HomeBox::Question), (second, HomeBox::Sources)].map(|(at, of)| (at, HomeSpot::Box(of))));
    if !is_empty {
        spots.push((third, HomeSpot::Box(HomeBox::Runs)));
    }
    let framed = |buf: &mut Buffer, area, title: &'static str, note: Span<'static>, which| {
        let focused = home.focus == which;
        let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
        paint::panel(buf, area, theme.span(title, Scope::Title), note, style)
    };
    let dim = |note: &'static str| theme.span(note, Scope::Dim);
    let inner = framed(buf, first, "question", dim("what is the brief to answer?"), HomeBox::Question);
    boxes::field(buf, inner, &home.question, home.focus == HomeBox::Question, theme);
    let choices: Vec<&str> = home.choices.iter().map(String::as_str).collect();
    let note = match (home.holds(), choices.is_empty()) {
        (_, false) => theme.span(cut(&choices.join("  "), usize::from(second.width) * 2 / 3).into_owned(), Scope::Key),
        (Some(Ok(says)), _) => theme.span(flat(says).into_owned(), Scope::Done),
        (Some(Err(why)), _) => {
            theme.span(cut(&flat(why), usize::from(second.width).saturating_sub(16)).into_owned(), Scope::Warning)
        }
        (None, _) if home.is_counting() => dim("counting…"),
        (None, _) => dim("a folder or file a line, or web:wikipedia · Alt+Enter adds a line"),
    };
    let inner = framed(buf, second, "sources", note, HomeBox::Sources);
    boxes::field(buf, inner, &home.sources, home.focus == HomeBox::Sources, theme);
    settings(buf, line, home, beside, theme, spots);
    if home.runs.is_empty() {
        let lines = newcomer(home.models.as_ref(), usize::from(third.width).saturating_sub(4), theme);
        let least = u16::try_from(entries.len() + 2).unwrap_or(u16::MAX);
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(third.height.saturating_sub(least));
        let [how, list] = paint::rows(third, [height, (third.height - height).min(least)]);
        if height > 2 {
            let inner = framed(buf, how, "how it goes", dim(""), HomeBox::Runs);
            paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
        }
        let inner = framed(buf, list, "try it", dim(""), HomeBox::Runs);
        return runs(buf, inner, home, &entries, theme, spots);
    }
    let note = match &home.filter {
        Some(field) => {
            theme.span(format!("/{}  {} of {}", flat(&field.text()), entries.len(), home.runs.len()), Scope::NeedsYou)
        }
        None => dim("those that need you first"),
    };
    let inner = framed(buf, third, "earlier runs", note, HomeBox::Runs);
    runs(buf, inner, home, &entries, theme, spots)
}

/// A row of the list needs this many cells for the alarm of a run beside its age and cost.
const ROOMY: u16 = 100;

/// The rows between the boxes of the sources and of the runs: the settings of a new run and its price.
#[derive(Clone, Copy)]
struct Beside<'a> {
    /// Whether team, lead and cap are shown.
    settings: bool,
    /// The models and the cost of a new run, once they are known.
    price: Option<&'a Clean>,
    /// Whether the price has a row of its own.
    apart: bool,
}

impl<'a> Beside<'a> {
    /// The cells in which the money has room: it stands first, the models behind it are cut.
    const LEAST_PRICE: usize = 28;

    /// A low page leaves team, lead and cap out, but never the price.
    fn of(home: &'a HomeUi, area: Rect) -> Beside<'a> {
        let is_low = area.height < 14;
        let settings = !is_low && !home.teams.is_empty() || home.focus == HomeBox::Settings;
        // The header names the models where it has two lines.
        let price = home.offer.as_ref().or(home.models.as_ref().filter(|_| is_low));
        let set: usize = set(home).iter().map(Set::cells).sum();
        let least = price.map_or(0, |price| width(&flat(price)).min(Self::LEAST_PRICE));
        let apart = price.is_some() && (!settings || set + 3 + least > usize::from(area.width));
        Beside { settings, price, apart }
    }

    fn rows(self) -> u16 {
        u16::from(self.settings) + u16::from(self.apart)
    }
}

/// A setting as it is drawn: ` team  brief ▾ `.
struct Set {
    name: &'static str,
    value: String,
    setting: Setting,
}

impl Set {
    fn cells(&self) -> usize {
        width(self.name) + width(&self.value) + 4
    }
}

/// Team, lead and cap of a new run.
fn set(home: &HomeUi) -> [Set; Setting::ALL.len()] {
    let lead = match home.settings.by_model {
        None => "as the team says",
        Some(true) => "a model",
        Some(false) => "rules",
    };
    let cap = if home.settings.cap.is_empty() { "default" } else { home.settings.cap.as_str() };
    Setting::ALL.map(|setting| match setting {
        Setting::Team => Set { name: "team", value: format!("{} ▾", flat(&home.settings.team)), setting },
        Setting::Lead => Set { name: "lead", value: format!("{lead} ▾"), setting },
        Setting::Cap => Set { name: "cap", value: cap.to_owned(), setting },
    })
}

/// Team, lead and cap of a new run, and the program's offer: models and cost.
fn settings(buf: &mut Buffer, area: Rect, home: &HomeUi, beside: Beside<'_>, theme: &Theme, shown_at: &mut Spots) {
    let [row, below] = paint::rows(area, [u16::from(beside.settings), u16::from(beside.apart)]);
    let mut spans = vec![Span::raw(" ")];
    if beside.settings {
        let set = set(home);
        // On a narrow screen the first ones go before the one that is being changed.
        let room = usize::from(row.width).saturating_sub(1);
        let changed = set.iter().position(|one| one.setting == home.setting).unwrap_or(0);
        let fits = |from: &usize| set[*from..=changed].iter().map(Set::cells).sum::<usize>() <= room;
        let from = (0..changed).find(fits).unwrap_or(changed);
        for one in &set[from..] {
            let here = home.focus == HomeBox::Settings && home.setting == one.setting;
            let from = u16::try_from(total_width(&spans)).unwrap_or(row.width);
            spans.push(theme.span(format!(" {} ", one.name), Scope::Dim));
            spans.push(theme.span(format!(" {} ", one.value), if here { Scope::Selected } else { Scope::Text }));
            let to = u16::try_from(total_width(&spans)).unwrap_or(row.width);
            let at = Rect { x: row.x + from.min(row.width), width: to.saturating_sub(from), ..row };
            shown_at.push((at.intersection(row), HomeSpot::Setting(one.setting)));
        }
    }
    let price = beside.price.map(|price| theme.span(format!("  {}", flat(price)), Scope::Dim));
    let (row, below) = if beside.settings { (row, below) } else { (below, row) };
    if beside.settings && beside.apart {
        paint::line(buf, below, &Line::from(fit(price.into_iter().collect(), usize::from(below.width))));
    } else {
        spans.extend(price);
    }
    paint::line(buf, row, &Line::from(fit(spans, usize::from(row.width))));
}

/// The introduction for a person without runs.
fn newcomer(models: Option<&Clean>, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    const STEPS: [(&str, &str); 4] = [
        ("ask", "a question about your own documents; name the folders and files to search above"),
        ("watch", "a supervised team cut it into sub-topics and research them in parallel"),
        ("correct", "what was found, before a word is written: each fact stands with the passage it rests on"),
        ("read", "a brief in which every claim leads back to its passage, and which says what is missing"),
    ];
    let mut lines = Vec::new();
    for (step, message) in STEPS {
        let wrapped = rows(message, cells.saturating_sub(10), theme.style(Scope::Text), &[]);
        lines.extend(hanging(theme.span(format!("{step:<10}"), Scope::Key), wrapped));
    }
    lines.push(Line::default());
    let how = match models {
        Some(models) => format!("The team uses {}, and every claim is checked against your sources.", flat(models)),
        None => "No model, no key; network only for web: lines. The team quotes its sources by rule.".into(),
    };
    let message = format!("{how} Nothing is lost: an unfinished run can be resumed here.");
    lines.extend(rows(&message, cells, theme.style(Scope::Dim), &[]));
    lines
}

fn runs(buf: &mut Buffer, area: Rect, home: &HomeUi, entries: &[Entry], theme: &Theme, spots: &mut Spots) -> Seen {
    if entries.is_empty() {
        let message = if home.filter.is_some() {
            "no run has these words in its question, findings, brief or tags"
        } else {
            "no run"
        };
        paint::line(buf, area, &theme.line(message, Scope::Dim));
    }
    let widest = home.runs.iter().map(|run| width(&run.cost)).max().unwrap_or(0).max(6);
    paint::list(buf, area, entries.len(), paint::reveal(area, home.selected), |buf, row, n| {
        spots.push((row, HomeSpot::Entry(n)));
        let here = home.focus == HomeBox::Runs && n == home.selected;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let look = |scope: Scope| if here { base } else { theme.style(scope) };
        let offer = |name: &str, what: &str| {
            vec![
                Span::styled(format!("▸ {name}"), look(Scope::Key)),
                Span::styled(format!("  {what}"), look(Scope::Dim)),
            ]
        };
        let mut right = Vec::new();
        let left = match entries[n] {
            Entry::Run(n) => {
                let run = &home.runs[n];
                let alarm = if run.alarm.is_empty() { String::new() } else { format!("! {}", flat(&run.alarm)) };
                // Without room for both, why a run needs the person says more than its age and cost.
                if area.width >= ROOMY || area.width >= 60 && alarm.is_empty() {
                    right.push(Span::styled(format!("{:>7}  {:>widest$}", run.age, run.cost), look(Scope::Dim)));
                } else if area.width >= 60 {
                    let most = usize::from(area.width) / 3;
                    right.push(Span::styled(cut(&alarm, most).into_owned(), look(Scope::NeedsYou)));
                }
                let state = format!("{} {:<13} ", run.state.mark.symbol(), cut(&run.state.word, 13));
                let id = format!("{:<7} ", run.id);
                let mut question = select::question(&run.question, None);
                let mut left = Vec::new();
                if area.width >= ROOMY && !alarm.is_empty() {
                    let taken = width(&state) + width(&id) + total_width(&right) + 1;
                    let room = usize::from(area.width).saturating_sub(taken + width(&alarm) + 2);
                    question = cut(&question, room.max(usize::from(area.width) / 4)).into_owned().into();
                    left.push(Span::styled(format!("  {alarm}"), look(Scope::NeedsYou)));
                }
                if !run.tags.is_empty() {
                    left.push(Span::styled(format!("  {}", run.tags), look(Scope::Dim)));
                }
                let named = [
                    Span::styled(state, look(run.state.mark.into())),
                    Span::styled(id, look(Scope::Dim)),
                    Span::styled(question.into_owned(), base),
                ];
                named.into_iter().chain(left).collect()
            }
            Entry::Example => {
                offer("F2  try the example", "three vector databases compared, from documents that come along")
            }
            Entry::Drills => offer(
                "F3  watch a team fail",
                &format!("{} drills: scripted failures, and what catches them", home.drills.len()),
            ),
            Entry::Drill(n) => home.drills.get(n).map_or(Vec::new(), |(name, wrong)| offer(name, wrong)),
        };
        buf.set_style(row, base);
        paint::line(buf, row, &justified(left, right, usize::from(area.width)));
    })
}
