//! Keys at random.

use super::*;

/// The same numbers each time, without order.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % below as u64).unwrap()
    }
}

#[test]
fn a_monkey_at_the_keys_breaks_nothing_and_approves_nothing_that_nobody_approved() {
    let events: Vec<_> = fixture::ALL.map(fixture::events).into();
    let theme = Theme::load("default", None).unwrap();
    let mut dice = Dice(7);
    for (until, events) in fixture::ALL.into_iter().zip(&events) {
        for mode in [Mode::Live, Mode::Replay, Mode::ReadOnly("another works on it".into())] {
            let may_send = mode == Mode::Live;
            let mut person = Person::who(until, mode);
            for n in 0..2_500 {
                // Every key but those that lead to an approval: A, and the palette, which finds it.
                let keys = " jkhlgGnNzZtTwoeamu/bxyYpqiIvFfBDHXRSrsc123456789[]{}P()<>!'+-.é\t\r\u{1b}";
                let key = keys.chars().nth(dice.roll(keys.chars().count())).unwrap();
                let code = match key {
                    '\t' => KeyCode::Tab,
                    '\r' => KeyCode::Enter,
                    '\u{1b}' => KeyCode::Esc,
                    letter => KeyCode::Char(letter),
                };
                person.clock += Duration::from_millis(dice.roll(400) as u64);
                let effects = update(&mut person.ui, &person.run, Msg::Key(KeyEvent::from(code), person.clock));
                for effect in effects {
                    assert!(!matches!(effect, Effect::Send(Command::Approve { .. })), "{code:?} at {until:?} approved");
                    assert!(may_send || !matches!(effect, Effect::Send(_)), "{code:?} at {until:?} changed a run");
                }
                if n % 100 == 0 {
                    let area = Rect::new(0, 0, dice.roll(200) as u16, dice.roll(60) as u16);
                    let scene = Scene { ui: &person.ui, run: &person.run, events, theme: &theme };
                    let seen = crate::view::draw(&mut Buffer::empty(area), area, scene, &mut Cache::default());
                    person.ui.drawn(seen);
                    person.ui.shown(person.clock);
                }
            }
        }
    }
}
