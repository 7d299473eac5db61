//! Requests to the person above the page: providers that refuse, calls in doubt, questions of specialists; with the keys that answer.

use crate::overlays::answering;
use crate::prelude::*;
use crate::screens::all_keys;
use crate::screens::everywhere::ON_PAGES;
use crate::update;
use run::attempt::Class;
use run::describe;
use run::event::DoubtAnswer;
use run::state::{Intent, Latch, Reserved};
use run::team::FailureStep;
use run::transcript::ExchangeEnd;
use run::{Amounts, CallId, Subject};

pub static KEYS: Keys = Keys {
    title: "when you are asked something",
    groups: &[&[
        row(&[c('c')], Action::TryAgain, Some("try again"), "send to the provider again, once the cause is fixed"),
        row(&[c('r')], Action::Retry, Some("retry"), "make the call in doubt again"),
        row(&[c('s')], Action::Skip, Some("skip"), "treat the call in doubt as failed"),
        row(&[c('R')], Action::RetryAll, Some("retry all"), "make every call in doubt again"),
        row(&[c('S')], Action::SkipAll, Some("skip all"), "treat every call in doubt as failed"),
        row(&[c('y')], Action::Answer, Some("your answer"), "answer a specialist's question"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (answer, most) = match action {
        Action::Answer => return Some(answering::open(ui)),
        Action::TryAgain => return Some(vec![Effect::Send(Command::Continue)]),
        Action::Retry => (DoubtAnswer::Retry, 1),
        Action::Skip => (DoubtAnswer::Skip, 1),
        Action::RetryAll => (DoubtAnswer::Retry, usize::MAX),
        Action::SkipAll => (DoubtAnswer::Skip, usize::MAX),
        _ => return None,
    };
    let settle = |call: &CallId| Effect::Send(Command::Settle { call: *call, answer });
    Some(run.in_doubt.keys().take(most).map(settle).collect())
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    let nothing = match action {
        Action::TryAgain if run.latches.is_empty() => "no provider refuses its calls: there is nothing to try again",
        Action::Retry | Action::Skip if run.in_doubt.is_empty() => "no call is in doubt",
        Action::RetryAll | Action::SkipAll if run.in_doubt.len() < 2 => "there are not several calls in doubt",
        Action::TryAgain | Action::Retry | Action::Skip | Action::RetryAll | Action::SkipAll => {
            return ui.may_not_change(run);
        }
        Action::Answer => return answering::why_not(ui, run),
        _ => return None,
    };
    Some(nothing.into())
}

struct Asked {
    title: String,
    message: String,
    actions: &'static [Action],
}

/// The questions to the person, the most urgent first: a provider that refuses every call, calls in doubt, questions.
fn asked(run: &Run) -> Vec<Asked> {
    if run.ended().is_some() {
        return Vec::new();
    }
    let latch = run.to_mend().map(|latch| refused(run, latch));
    let doubt = run.in_doubt.first_key_value().map(|(call, reserved)| in_doubt(run, *call, reserved));
    let question = select::boxed(run).map(|open| put(&open.subject));
    latch.into_iter().chain(doubt).chain(question).collect()
}

/// The most urgent request in a few words.
pub fn gist(run: &Run) -> Option<String> {
    asked(run).first().map(|asked| asked.title.clone())
}

fn put(subject: &Subject) -> Asked {
    let options: Vec<String> = subject.options().iter().filter_map(|option| subject.said(option)).collect();
    let asked = subject.asked();
    let message = match options.is_empty() {
        true => flat(&asked).into_owned(),
        false => format!("{} ({})", flat(&asked), flat(&options.join(" · "))),
    };
    Asked { title: flat(&subject.title()).into_owned(), message, actions: &[Action::Answer] }
}

fn refused(run: &Run, latch: &Latch) -> Asked {
    let (why, of) = (flat(&latch.why).trim_end_matches('.').to_owned(), flat(&latch.to_string()).into_owned());
    let title = format!("{of} refuses every call");
    if !refuses_its_key(run, latch) {
        let message = format!("{why}. Fix that and try again, or stop the run: nothing is sent to {of} until then.");
        return Asked { title, message, actions: &[Action::TryAgain, Action::Cancel] };
    }
    // Nobody can change the environment of a program that runs.
    let id = run.opening.as_ref().map_or("RUN", |opening| opening.run.as_str());
    let message = format!(
        "{why}. A variable is read when the program starts: leave (the run is kept), set it, and `masthead resume {id}` tries again. \
         A key that a command or a file has is read anew when you try again here."
    );
    Asked { title, message, actions: &[Action::Back, Action::TryAgain, Action::Cancel] }
}

/// Whether the key itself is refused.
fn refuses_its_key(run: &Run, latch: &Latch) -> bool {
    let exchanges = run.open().filter_map(|one| one.transcript.exchanges().next_back());
    let mut exchanges = exchanges.filter(|one| latch.concerns(&one.request.model));
    exchanges.any(|one| {
        let fault = one.attempts.iter().rev().find_map(|attempt| attempt.fault.as_ref());
        matches!(one.end, ExchangeEnd::Pending) && fault.is_some_and(|fault| fault.class == Class::KeyRefused)
    })
}

fn in_doubt(run: &Run, call: CallId, reserved: &Reserved) -> Asked {
    let caller = flat(&describe::caller(call, run)).into_owned();
    let message = match run.intent(call) {
        Some(Intent::Tool(request)) => format!(
            "{caller} had started `{}` when the program stopped, and its outcome is unknown: it may have taken effect. \
             Retry runs it again; skip treats the call as failed.",
            run.shown(request)
        ),
        _ => format!(
            "{caller} had asked {} when the program stopped, and the outcome is unknown: up to {} stays reserved. Retry \
             sends the call again and may cost as much once more; skip treats it as failed{}.",
            select::exchange(run, call).map_or_else(String::new, |e| flat(&e.request.model.to_string()).into_owned()),
            most(reserved.amounts),
            after_skipping(run, call),
        ),
    };
    match run.in_doubt.len() {
        1 => {
            let title = format!("a {} is in doubt", run.kind_of_doubts());
            Asked { title, message, actions: &[Action::Retry, Action::Skip] }
        }
        n => Asked {
            title: format!("{} are in doubt", count(n, run.kind_of_doubts())),
            message: format!("{message} This is the first of {n}."),
            actions: &[Action::Retry, Action::Skip, Action::RetryAll, Action::SkipAll],
        },
    }
}

/// The course of the work of a model call that is skipped, as far as its failure policy tells.
fn after_skipping(run: &Run, call: CallId) -> String {
    let caller = run.assignment(call.assignment);
    let member = caller.and_then(|caller| run.opening.as_ref()?.team.members.get(&caller.role));
    let begins_anew = |step: &FailureStep| matches!(step, FailureStep::Retry | FailureStep::Failover);
    match (caller, member.is_some_and(|member| member.on_failure.first().is_some_and(begins_anew))) {
        (Some(caller), true) => {
            let so_far = run.ledger.assignment(caller.id).spent.money();
            let cost = if so_far.0 > 0 { format!(", which has cost {so_far} so far") } else { String::new() };
            format!(", and {} may begin anew with all of its work{cost}", flat(&run.called(caller)))
        }
        _ => String::new(),
    }
}

fn most(amounts: Amounts) -> String {
    match amounts.money().0 {
        0 => format!("{} tokens", short(amounts.tokens())),
        _ => format!("{} ({} tokens)", amounts.money(), short(amounts.tokens())),
    }
}

pub fn height(scene: Scene<'_>, page: Rect) -> u16 {
    let asked = asked(scene.run);
    let lines: usize = asked.iter().map(|asked| lines(asked, page.width, scene).len() + 1).sum();
    let is_open = matches!(scene.ui.overlay, Overlay::Answering(_));
    match (asked.is_empty(), page.height) {
        (true, _) => 0,
        // A low page gives up one line; and an open dialog says all of it.
        (_, 0..12) => 1,
        _ if is_open => 1,
        _ => u16::try_from(lines + 1).unwrap_or(u16::MAX).min(page.height / 2),
    }
}

fn lines(asked: &Asked, width: u16, scene: Scene<'_>) -> Vec<Line<'static>> {
    rows(&asked.message, usize::from(width).saturating_sub(4), scene.theme.style(Scope::Text), &[])
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let theme = scene.theme;
    let style = theme.style(Scope::NeedsYou);
    let all = asked(scene.run);
    if area.height < 3 {
        let Some(first) = all.first() else { return };
        // On a narrow screen only the hints show the keys.
        let keys = if area.width < 60 { Vec::new() } else { keys(first, scene) };
        let room = usize::from(area.width).saturating_sub(total_width(&keys) + 4);
        let mut spans =
            vec![Span::styled(format!(" {} {}  ", Mark::NeedsYou.symbol(), cut(&first.title, room)), style)];
        spans.extend(keys);
        return paint::line(buf, area, &Line::from(spans));
    }
    let mut y = area.y;
    for (n, asked) in all.iter().enumerate() {
        let lines = lines(asked, area.width, scene);
        let last = n + 1 == all.len();
        let wanted = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
        let height = if last { area.bottom().saturating_sub(y) } else { wanted.min(area.bottom().saturating_sub(y)) };
        let title = Span::styled(format!("{} {}", Mark::NeedsYou.symbol(), asked.title), style);
        let whole = Rect { y, height, ..area };
        let inner = paint::panel(buf, whole, title.clone(), keys(asked, scene), style);
        paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
        if n > 0 {
            paint::edge(buf, Rect { height: 1, ..whole }, paint::ACROSS, title, keys(asked, scene), style);
        }
        // The next one begins on the lower edge of this one.
        y += height.saturating_sub(1);
    }
}

/// The keys that answer; none if nothing can be changed.
fn keys(asked: &Asked, scene: Scene<'_>) -> Vec<Span<'static>> {
    let Scene { ui, run, theme, .. } = scene;
    let usable = asked.actions.iter().filter(|action| update::why_not(ui, run, **action).is_none());
    let all = all_keys();
    let rows = usable.filter_map(|action| match action {
        // Boxes have keys of their own for it.
        Action::Back => ON_PAGES.of(*action),
        action => all.iter().find_map(|keys| keys.of(*action)),
    });
    let mut spans = Vec::new();
    for row in rows {
        let gap = if spans.is_empty() { "" } else { "   " };
        let hint = match row.action {
            Action::RetryAll | Action::SkipAll => format!("{} {}", row.hint.unwrap_or_default(), run.in_doubt.len()),
            Action::Back => "leave".to_owned(),
            _ => row.hint.unwrap_or("stop the run").to_owned(),
        };
        spans.push(theme.span(format!("{gap}{}", row.keys[0]), Scope::Key));
        spans.push(theme.span(format!(" {hint}"), Scope::Dim));
    }
    spans
}
