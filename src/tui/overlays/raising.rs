//! The dialog in which the person raises a cap of the run: the caps, the amount used of each, and the new cap.

use crate::prelude::*;
use crate::view::boxes;
use run::budget::Account;
use run::raise::Unraised;
use run::{Cap, Limits, Money};

#[derive(Clone, Debug)]
pub struct Raising {
    pub cap: Cap,
    pub field: Field,
}

pub static KEYS: Keys = Keys {
    title: "while raising a cap",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("raise"), "raise it"),
        row(&[TAB], Action::NextCap, Some("another cap"), "choose another of the run's caps"),
        row(&[ESC], Action::Back, Some("never mind"), "leave it as it was"),
    ]],
};

pub static SCREEN: Screen =
    Screen { keys: &KEYS, extent: Extent::Box, on, hints_at, draw, field, is_stale, ..Screen::PLAIN };

/// Opens the box with the first cap of the run (money, if it is capped).
pub fn open(ui: &mut Ui, run: &Run) {
    if let Some((cap, is)) = run.ledger.run().limits.caps().next() {
        let field = Field::new("", Lines::One).with_placeholder(&cap.written(is));
        ui.overlay = Overlay::Raising(Raising { cap, field });
    }
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Raising(Raising { cap, field }) = &mut ui.overlay else { return None };
    match action {
        // Another of the caps there are; the typed text stays.
        Action::NextCap => {
            let caps: Vec<(Cap, u64)> = run.ledger.run().limits.caps().collect();
            let at = caps.iter().position(|(other, _)| other == cap).map_or(0, |at| at + 1);
            if let Some((other, is)) = caps.get(at).or(caps.first()) {
                *cap = *other;
                *field = std::mem::replace(field, Field::new("", Lines::One)).with_placeholder(&other.written(*is));
            }
            Some(Vec::new())
        }
        Action::Submit => {
            let raised = asked(run, *cap, field).map(|to| vec![Effect::Send(Command::RaiseCap(to))]);
            Some(ui.submitted(raised))
        }
        _ => None,
    }
}

fn asked(run: &Run, cap: Cap, field: &Field) -> Result<Limits, String> {
    if field.is_blank() {
        let is = run.ledger.run().limits.cap(cap).map_or_else(String::new, |is| cap.written(is));
        return Err(format!("write the new {cap}, more than {is}; Esc leaves it as it is"));
    }
    let asked = cap.read(&field.text())?;
    run.raised(Limits::of(cap, asked)).map_err(|why| why.to_string())
}

/// The reason why no cap can be raised now.
pub fn why_not(ui: &Ui, run: &Run) -> Option<Clean> {
    ui.may_not_change(run).or_else(|| match run.raised(Limits::default()) {
        Err(Unraised::Nothing) if run.ledger.run().limits.caps().next().is_some() => None,
        Err(Unraised::Nothing) => Some("this run has no cap: there is nothing to raise".into()),
        Err(why) => Some(Clean::line(&why.to_string())),
        Ok(_) => None,
    })
}

fn hints_at(_: &Ui, run: &Run, action: Action) -> bool {
    action != Action::NextCap || run.ledger.run().limits.caps().count() > 1
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Raising(raising) = &mut ui.overlay else { return None };
    Some(&mut raising.field)
}

fn is_stale(_: &Ui, run: &Run) -> bool {
    matches!(run.raised(Limits::default()), Err(Unraised::Ended))
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Raising(Raising { cap, field: words }) = &ui.overlay else { return Seen::default() };
    let cap = *cap;
    let account = run.ledger.run();
    let mut caps: Vec<(Cap, u64)> = account.limits.caps().collect();
    let several = caps.len() > 1;
    if caps.len() + 3 > usize::from(page.height) {
        caps.retain(|(other, _)| *other == cap);
    }
    let title = theme.span("raise a cap", Scope::Title);
    let other = KEYS.of(Action::NextCap).filter(|_| several);
    let right = other.map_or_else(Vec::new, |row| {
        let hint = format!(" {}", row.hint.unwrap_or_default());
        vec![theme.span(row.keys[0].to_string(), Scope::Key), theme.span(hint, Scope::Dim)]
    });
    let inner = boxes::dialog(buf, page, caps.len() + 3, boxes::Frame::new(title, right, Scope::NeedsYou), theme);
    let names = caps.iter().map(|(cap, _)| width(cap.of_what())).max().unwrap_or(0);
    let amounts = caps.iter().map(|(cap, n)| width(&cap.written(*n))).max().unwrap_or(0);
    for ((other, n), row) in caps.iter().zip(inner.rows()) {
        let text = format!("{:<names$}  {:>amounts$}", other.of_what(), other.written(*n));
        let chosen = if several { boxes::choice(&text, *other == cap, theme) } else { theme.span(text, Scope::Title) };
        let used = theme.span(format!("   {}", used(account, *other, run.worked(ui.now))), Scope::Dim);
        paint::line(buf, row, &Line::from(fit(vec![chosen, used], usize::from(inner.width))));
    }
    let label = format!("new {cap}  ");
    let last = Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner };
    paint::line(buf, last, &theme.line(label.clone(), Scope::Focus));
    let taken = u16::try_from(width(&label)).unwrap_or(u16::MAX).min(last.width);
    boxes::field(buf, Rect { x: last.x + taken, width: last.width - taken, ..last }, words, true, theme);
    Seen::default()
}

/// The amount used of a cap.
fn used(account: &Account, cap: Cap, worked: u64) -> String {
    if cap == Cap::Time {
        return format!("{} worked", clock(worked));
    }
    let amount = |n| if cap == Cap::Money { Money(n).to_string() } else { short(n) };
    let mut parts = vec![format!("{} spent", amount(account.spent.get(cap)))];
    let Account { overrun, reserved, in_doubt, .. } = account;
    for (amounts, word) in [(overrun, "overrun"), (reserved, "reserved"), (in_doubt, "in doubt")] {
        if amounts.get(cap) > 0 {
            parts.push(format!("{} {word}", amount(amounts.get(cap))));
        }
    }
    parts.join(" · ")
}
