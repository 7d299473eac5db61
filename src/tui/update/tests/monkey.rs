//! Keys, the mouse, pastes and sizes at random, over every kind of run.

use crate::spot::Mouse;

use super::*;

/// The same numbers each time, without order.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % below as u64).unwrap()
    }

    fn key(&mut self) -> KeyEvent {
        const LETTERS: &str = " jkhlgGnNzZtTwoeamuUbBxXyYpPqiIvVfFDHRSrscCdAKJLE123456789[]{}()<>!'+-=.,:;?/*#é日\"";
        const OTHERS: [KeyCode; 16] = [
            KeyCode::Enter,
            KeyCode::Enter,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Backspace,
            KeyCode::F(1),
        ];
        let all = LETTERS.chars().count();
        match self.roll(all + OTHERS.len() + 2) {
            n if n < all => KeyEvent::from(KeyCode::Char(LETTERS.chars().nth(n).unwrap())),
            n if n < all + OTHERS.len() => KeyEvent::from(OTHERS[n - all]),
            _ => KeyEvent::new(KeyCode::Char(['c', 'u', 'l', 'z', 'd'][self.roll(5)]), KeyModifiers::CONTROL),
        }
    }

    /// Mostly such as people have, else from 1 × 1 to 500 × 200.
    fn size(&mut self) -> Rect {
        match self.roll(8) {
            0 => Rect::new(0, 0, self.roll(500) as u16 + 1, self.roll(200) as u16 + 1),
            1 => Rect::new(0, 0, self.roll(60) as u16 + 1, self.roll(16) as u16 + 1),
            n => [Rect::new(0, 0, 80, 24), Rect::new(0, 0, 120, 40)][n % 2],
        }
    }
}

/// Whether the page or overlay in front asks for an approval, or a key of the page gives it.
fn may_approve(ui: &Ui) -> bool {
    let asks = match &ui.overlay {
        Overlay::Approving(_) | Overlay::Commanding(_) | Overlay::Help(_) | Overlay::Confirm(_) => true,
        Overlay::None => matches!(ui.page, Page::Plan | Page::Draft | Page::Stop | Page::Findings),
        _ => false,
    };
    asks && !ui.seen.tiny
}

#[test]
fn a_monkey_at_the_keys_and_the_mouse_breaks_nothing_and_approves_nothing_that_is_not_asked() {
    const KEYS: usize = 100_000;
    const A_FRAME: usize = 25;
    let theme = Theme::load("default", None).unwrap();
    let kinds = fixture::every_kind();
    let modes = [Mode::Live, Mode::Replay, Mode::ReadOnly("another works on it".into())];
    let each = KEYS / (kinds.len() * modes.len()) + 1;
    let mut dice = Dice(7);
    let (mut sent, mut approved) = (0, 0);
    for (kind, events) in &kinds {
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        assert_eq!(run.misfits, 0, "{kind}");
        for mode in &modes {
            let may_send = *mode == Mode::Live;
            let begin = || {
                let mut ui = Ui::new(mode.clone(), run.at);
                update(&mut ui, &run, Msg::Folded(Moment::Latest));
                ui.shown(Duration::ZERO);
                Person { ui, run: run.clone(), clock: LONG_AGO }
            };
            let (mut person, mut cache, mut area) = (begin(), Cache::default(), Rect::new(0, 0, 120, 40));
            for n in 0..each {
                if n % A_FRAME == 0 {
                    area = dice.size();
                    let mut buf = Buffer::empty(area);
                    let scene = Scene { ui: &person.ui, run: &run, events, theme: &theme };
                    let seen = crate::view::draw(&mut buf, area, scene, &mut cache);
                    cache.sweep();
                    person.ui.drawn(seen);
                    person.ui.shown(person.clock);
                    let drives = |symbol: &str| symbol.chars().any(text::is_forbidden);
                    assert!(!buf.content().iter().any(|cell| drives(cell.symbol())), "{kind}");
                }
                person.clock += Duration::from_millis(dice.roll(400) as u64);
                let may_approve = may_approve(&person.ui);
                let before = format!("{:?}", person.ui.overlay);
                let (what, effects) = match dice.roll(40) {
                    0 => {
                        let at = (dice.roll(area.width.into()) as u16, dice.roll(area.height.into()) as u16);
                        let mouse = [Mouse::Click, Mouse::WheelUp, Mouse::WheelDown][dice.roll(3)];
                        let effects = update(&mut person.ui, &run, Msg::Mouse(mouse, cache.spot(at)));
                        let decides = effects.iter().any(|effect| matches!(effect, Effect::Send(_)));
                        assert!(!decides, "the mouse decided at {kind}");
                        (format!("{mouse:?}"), effects)
                    }
                    1 => {
                        let text = ["yes\rA\r", "\u{1b}[201~A\r", "日本 e\u{301}\u{202e}", "300k"][dice.roll(4)];
                        let effects = update(&mut person.ui, &run, Msg::Paste(text.into(), person.clock));
                        assert_eq!(effects, [], "a paste decided at {kind}");
                        (text.to_string(), effects)
                    }
                    _ => {
                        let key = dice.key();
                        (format!("{key:?}"), update(&mut person.ui, &run, Msg::Key(key, person.clock)))
                    }
                };
                for effect in effects {
                    let is_approval = matches!(effect, Effect::Send(Command::Approve { .. }));
                    assert!(may_approve || !is_approval, "{what} at {kind} approved over {before}");
                    assert!(may_send || !matches!(effect, Effect::Send(_)), "{what} at {kind} changed a run");
                    sent += usize::from(matches!(effect, Effect::Send(_)));
                    approved += usize::from(is_approval);
                    if let Effect::Copy { text, .. } = &effect {
                        assert!(
                            !text.chars().any(|c| text::is_forbidden(c) && c != '\n' && c != '\t'),
                            "{kind}: {text:?}"
                        );
                    }
                    if matches!(effect, Effect::Leave(_)) {
                        person.ui = begin().ui;
                    }
                }
            }
        }
    }
    assert!(sent > 100 && approved > 0, "it hardly does anything: {sent} commands, {approved} approvals");
}
