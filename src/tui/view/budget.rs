//! The budget line: the amounts spent, reserved, in doubt, kept for tasks, and kept for landing. The part of a bill above a call's
//! reservation is an overrun.
//!
//! ```text
//!  budget  $0.07 spent ▕████▓▓▒╍╍░░░┄┄▏ $0.50   $0.03 reserved · $0.01 in doubt · ~$0.21 at the end · 23k/200k tok
//!  budget  23k tok ▕█████▓▒░░░░░░░░┄┄▏ 200k   1.2k reserved · 34/120 tools · 0 calls · $0 · 0:42/10:00
//! ```
//!
//! `█` spent, `▓` reserved, `▒` in doubt, `╍` kept for tasks, `░` left, `┄` kept for landing: the bar can be read without colour.

use crate::prelude::*;
use run::budget::Account;
use run::{Amounts, Cap, Money, forecast};

/// The parts of the bar: sign, meaning, style.
pub const PARTS: [(&str, &str, Scope); 6] = [
    ("█", "spent", Scope::Spent),
    ("▓", "reserved", Scope::Reserved),
    ("▒", "in doubt", Scope::InDoubt),
    ("╍", "kept for tasks", Scope::Reserved),
    ("░", "left", Scope::Free),
    ("┄", "kept for landing", Scope::Landing),
];

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { run, theme, .. } = scene;
    let Some(opening) = &run.opening else { return };
    let mut account = *run.ledger.run();
    if run.is_imported() {
        // Other programs tell of no reservations.
        account.reserved = Amounts::default();
    }
    let account = &account;
    let Account { spent, reserved, in_doubt, limits, .. } = account;
    let kept = run.ledger.kept();
    // The bar shows money where money is capped, else tokens.
    let of_money = limits.money().is_some();
    let kind = if of_money { Cap::Money } else { Cap::Tokens };
    let cap = limits.cap(kind);
    let models = opening.team.thinks_with().is_some();
    let said = match (models, of_money) {
        (true, true) => format!("{} spent", spent.money()),
        (true, false) => format!("{} spent, {} tok", spent.money(), short(spent.tokens())),
        (false, true) => spent.money().to_string(),
        (false, false) => format!("{} tok", short(spent.tokens())),
    };
    let top = match cap {
        Some(cap) if of_money => Money(cap).to_string(),
        Some(cap) => short(cap),
        None => "· no cap".into(),
    };
    let dim = theme.style(Scope::Dim);
    let mut spans = vec![Span::styled(" budget  ", dim), Span::raw(said)];
    let bar = usize::from(area.width / 6).clamp(8, 28);
    if let Some(cap) = cap {
        spans.push(Span::styled(" ▕", dim));
        let parts = [spent, reserved, in_doubt, &kept].map(|amounts| amounts.get(kind));
        let cells = cells(parts, cap, cap - run.ledger.for_work().cap(kind).unwrap_or(cap).min(cap), bar);
        for (count, (glyph, _, scope)) in cells.into_iter().zip(PARTS) {
            spans.push(theme.span(glyph.repeat(count), scope));
        }
        spans.push(Span::styled("▏", dim));
    }
    spans.push(Span::raw(format!(" {top}  ")));

    let now = scene.now();
    // A run that has ended has no forecast.
    let forecast = forecast::of(run).filter(|_| run.ended().is_none()).map(|forecast| forecast.likely);
    let forecast = forecast.filter(|likely| likely.0 > 0);
    let to_go = forecast::rest_ms(run).filter(|ms| *ms > 0).map(|ms| format!("~{} min to go", ms.div_ceil(60_000)));
    // More than the cap is what the work would take, not what will be spent.
    let is_too_much = |money: &Money| limits.money().is_some_and(|cap| *money > cap);
    let scope = if forecast.as_ref().is_some_and(is_too_much) { Scope::Warning } else { Scope::Text };
    let ahead = forecast.map(|money| format!("~{money} at the end")).or(to_go).map(|words| theme.span(words, scope));
    let money = if run.is_imported() { run.pricing.to_string() } else { spent.money().to_string() };
    let mut facts = facts(account, kept, run.worked(now), models, (money, ahead), theme);
    if let Some(forked) = run.forked.as_ref().filter(|forked| forked.spent.money() > Money::default()) {
        let kept = format!("{} of it paid by {}", forked.spent.money(), forked.fork.parent);
        facts.insert(0, Span::raw(kept));
    }
    // Whole facts only: half a number would be a wrong number.
    let mut room = usize::from(area.width).saturating_sub(total_width(&spans));
    for (n, fact) in facts.into_iter().enumerate() {
        let gap = if n == 0 { " " } else { " · " };
        let wide = width(gap) + width(&fact.content);
        if wide > room {
            break;
        }
        room -= wide;
        spans.push(Span::styled(gap, dim));
        spans.push(fact);
    }
    paint::line(buf, area, &Line::from(fit(spans, usize::from(area.width))));
}

/// The facts that the bar does not show, most important first: the last ones are dropped if the line is narrow.
fn facts(
    account: &Account,
    kept: Amounts,
    worked: u64,
    models: bool,
    (money, ahead): (String, Option<Span<'static>>),
    theme: &Theme,
) -> Vec<Span<'static>> {
    let Account { limits, spent, reserved, in_doubt, overrun, .. } = account;
    let of_money = limits.money().is_some();
    let amount = |amounts: &Amounts| match (of_money, amounts.money().0) {
        (true, 0) => None,
        (false, 0) if amounts.tokens() == 0 => None,
        (true, _) => Some(amounts.money().to_string()),
        (false, 0) => Some(short(amounts.tokens())),
        (false, _) => Some(format!("{}, {} tok", amounts.money(), short(amounts.tokens()))),
    };
    let mut facts = Vec::new();
    let what = [
        (overrun, "overrun", Scope::Failed),
        (reserved, "reserved", Scope::Reserved),
        (in_doubt, "in doubt", Scope::InDoubt),
        (&kept, "kept for tasks", Scope::Reserved),
    ];
    for (amounts, word, scope) in what {
        // Without a cap nothing is taken from anything.
        if scope == Scope::Reserved && limits.money().is_none() && limits.cap(Cap::Tokens).is_none() {
            continue;
        }
        facts.extend(amount(amounts).map(|amount| theme.span(format!("{amount} {word}"), scope)));
    }
    facts.extend(ahead);
    if of_money {
        let cap = limits.cap(Cap::Tokens).map_or(String::new(), |cap| format!("/{}", short(cap)));
        facts.push(Span::raw(format!("{}{cap} tok", short(spent.tokens()))));
    }
    let of = |kind: Cap, one: &str| match (spent.get(kind), limits.cap(kind)) {
        (n, Some(cap)) => Span::raw(format!("{n}/{cap} {one}s")),
        (n, None) => Span::raw(count(usize::try_from(n).unwrap_or(usize::MAX), one)),
    };
    let tools = of(Cap::ToolCalls, "tool call");
    let asked = of(Cap::Calls, "model call");
    let time = Span::raw(match limits.cap(Cap::Time) {
        Some(cap) => format!("{}/{}", clock(worked), clock(cap)),
        None => clock(worked),
    });
    match (models, of_money) {
        (true, _) => facts.extend([asked, time, tools]),
        (false, true) => facts.extend([tools, asked, time]),
        (false, false) => facts.extend([tools, asked, Span::raw(money), time]),
    }
    facts
}

/// The cells of each part of the bar: spent, reserved, in doubt, kept for tasks, left, kept for landing. A part that is not 0 has at least
/// one cell; together they fill the bar.
fn cells(amounts: [u64; 4], cap: u64, landing: u64, bar: usize) -> [usize; PARTS.len()] {
    let share = |n: u64| {
        let cells = u128::from(n) * bar as u128 / u128::from(cap.max(1));
        usize::try_from(cells).unwrap_or(bar).max(usize::from(n > 0))
    };
    let mut left = bar;
    let mut take = |wanted: usize| {
        let taken = wanted.min(left);
        left -= taken;
        taken
    };
    let [spent, reserved, doubt, kept] = amounts.map(|n| take(share(n)));
    let of_landing = (u128::from(landing) * bar as u128).div_ceil(u128::from(cap.max(1)));
    let landing = take(usize::try_from(of_landing).unwrap_or(bar));
    [spent, reserved, doubt, kept, left, landing]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use run::Limits;

    #[test]
    fn the_bar_shows_what_little_there_is() {
        assert_eq!(cells([1, 1, 0, 0], 1_000_000, 100_000, 20), [1, 1, 0, 0, 16, 2]);
        assert_eq!(cells([0, 0, 0, 0], 100, 15, 10), [0, 0, 0, 0, 8, 2]);
        assert_eq!(cells([20, 10, 0, 40], 100, 10, 20), [4, 2, 0, 8, 4, 2]);
    }

    #[test]
    fn what_was_billed_above_reservations_comes_first() {
        let money = |micros| Amounts::of(Cap::Money, Money::micros(micros).0).with(Cap::Tokens, 7);
        let account = Account { spent: money(900_000), overrun: money(20_000), ..Account::default() };
        let capped = Account { limits: Limits::of(Cap::Money, money(500_000).money().0), ..account };
        for (account, says) in [(capped, "$0.020 overrun"), (account, "$0.020, 7 tok overrun")] {
            let facts = facts(
                &account,
                Amounts::default(),
                0,
                true,
                (String::new(), None),
                &Theme::load("default", None).unwrap(),
            );
            assert_eq!(facts[0].content, says);
        }
    }

    #[test]
    fn without_a_cap_nothing_is_said_to_be_reserved() {
        let tokens = |n| Amounts::of(Cap::Tokens, n);
        let account = Account { spent: tokens(51_000), reserved: tokens(123_000), ..Account::default() };
        let said = |account: &Account| {
            let theme = Theme::load("default", None).unwrap();
            let facts = facts(account, Amounts::default(), 0, false, (String::new(), None), &theme);
            facts.iter().map(|fact| fact.content.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert!(!said(&account).contains("reserved"), "{}", said(&account));
        let capped = Account { limits: Limits::of(Cap::Tokens, 200_000), ..account };
        assert!(said(&capped).contains("123k reserved"), "{}", said(&capped));
    }

    proptest! {
        #[test]
        fn the_bar_is_always_full(amounts: [u64; 4], cap: u64, landing: u64, bar in 0usize..60) {
            prop_assert_eq!(cells(amounts, cap, landing, bar).iter().sum::<usize>(), bar);
        }
    }
}
