//! A person at the keys: their keys, and the effects.

mod deciding;
mod models;
mod monkey;
mod reading;
mod steering;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::fixture::model::{self, Stage};
use crate::fixture::{self, Until};
use crate::link::Mode;
use crate::overlays::confirm::Confirm;
use crate::overlays::help;
use crate::overlays::inspector::{Form, Inspector};
use crate::overlays::passage::Passage;
use crate::overlays::raising::Raising;
use crate::overlays::writing::{Purpose, Writing};
use crate::screens::findings::Wording;
use crate::view::transcript::Step as Recorded;
use crate::{screens, select};
use run::budget::Draws;
use run::checkpoint::{Answer, Edit, findings, plan, question};
use run::event::{DoubtAnswer, Event, Opened};
use run::plan::PlanEdit;
use run::stage::Leading;
use run::{
    AssignmentId, CallId, Cap, CheckpointId, Envelope, Finding, Handoff, Limits, Priority, Role, Steer, Subject, TaskId,
};

const LONG_AGO: Duration = Duration::from_secs(100);

/// A screen over the run made by hand, as a person finds it.
struct Person {
    ui: Ui,
    run: Run,
    clock: Duration,
}

impl Person {
    fn at(until: Until) -> Person {
        Person::who(until, Mode::Live)
    }

    fn who(until: Until, mode: Mode) -> Person {
        let run = fixture::run(until);
        let mut ui = Ui::new(mode, run.at);
        update(&mut ui, &run, Msg::Folded(Moment::Latest));
        ui.shown(std::time::Duration::ZERO);
        Person { ui, run, clock: LONG_AGO }
    }

    /// Presses keys one after another: letters as they are, others in angle brackets.
    fn presses(&mut self, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let (name, after) = match rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
                Some(named) => named,
                None => rest.split_at(first.len_utf8()),
            };
            rest = after;
            let key = match name {
                "enter" => KeyEvent::from(KeyCode::Enter),
                "esc" => KeyEvent::from(KeyCode::Esc),
                "tab" => KeyEvent::from(KeyCode::Tab),
                "down" => KeyEvent::from(KeyCode::Down),
                "pgup" => KeyEvent::from(KeyCode::PageUp),
                "end" => KeyEvent::from(KeyCode::End),
                "ctrl-c" => KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
                "ctrl-z" => KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL),
                letter => KeyEvent::from(KeyCode::Char(letter.chars().next().unwrap())),
            };
            self.clock += Duration::from_millis(200);
            effects.extend(update(&mut self.ui, &self.run, Msg::Key(key, self.clock)));
        }
        effects
    }

    /// The text that the screen shows now at this width.
    fn drawn(&mut self, width: u16) -> String {
        let (theme, area) = (Theme::load("default", None).unwrap(), Rect::new(0, 0, width, 40));
        let (mut buf, scene) =
            (Buffer::empty(area), Scene { ui: &self.ui, run: &self.run, events: &[], theme: &theme });
        let seen = crate::view::draw(&mut buf, area, scene, &mut Cache::default());
        self.ui.drawn(seen);
        area.rows().map(|row| row.positions().map(|at| buf[at].symbol()).collect::<String>() + "\n").collect()
    }

    /// The desk records the commands on findings or a plan.
    fn recorded(&mut self, effects: &[Effect]) {
        let edited = effects.iter().filter_map(|effect| match effect {
            Effect::Send(Command::Edit { checkpoint, edit }) => {
                let event = Event::CheckpointEdited { checkpoint: *checkpoint, edit: edit.clone() };
                Some(Arc::new(Envelope { seq: self.run.seq.next(), at: At(0), event }))
            }
            _ => None,
        });
        let committed = Notice::Committed(edited.collect());
        update(&mut self.ui, &self.run, Msg::Notice(committed));
        for effect in effects {
            if let Effect::Send(Command::Edit { checkpoint, edit }) = effect {
                let open = self.run.checkpoints.iter_mut().find(|open| open.id == *checkpoint).unwrap();
                open.edited(edit).unwrap();
            }
        }
        update(&mut self.ui, &self.run, Msg::Folded(Moment::Latest));
    }

    fn status(&self) -> &str {
        self.ui.status.as_deref().unwrap_or("")
    }
}

fn at_checkpoint(edit: findings::Edit) -> Effect {
    Effect::Send(Command::Edit { checkpoint: CheckpointId(1), edit: Edit::Findings(edit) })
}

fn answers(answer: Answer) -> Effect {
    Effect::Send(Command::Answer { checkpoint: CheckpointId(1), answer })
}

fn undo() -> Effect {
    Effect::Send(Command::Edit { checkpoint: CheckpointId(1), edit: Edit::Undo })
}

#[test]
fn keys_become_commands() {
    let all = fixture::findings();
    let approve = Effect::Send(Command::Approve { checkpoint: CheckpointId(1) });
    let set =
        |which: &[usize], keep| findings::Edit::Set { findings: which.iter().map(|n| all[*n].id).collect(), keep };
    let edited = findings::Edit::Reword { finding: all[0].id, claim: Clean::line(&format!("{}!", all[0].claim)) };
    let more = |task| answers(Answer::Findings(findings::Answer::More { task, wish: "price".into() }));
    let raise = |cap, n| Effect::Send(Command::RaiseCap(Limits::of(cap, n)));
    let table: Vec<(Until, &str, Vec<Effect>)> = vec![
        (Until::Researching, "p", vec![Effect::Send(Command::Pause)]),
        (Until::Researching, "xy", vec![Effect::Send(Command::Cancel)]),
        (Until::Researching, "xn", vec![]),
        (Until::Researching, "q", vec![Effect::Leave(Leave::Home)]),
        (Until::Researching, "Q", vec![Effect::Leave(Leave::Quit)]),
        (Until::Researching, "<ctrl-c>", vec![]),
        (Until::Researching, "<ctrl-c><ctrl-c>", vec![Effect::Leave(Leave::Quit)]),
        (Until::Researching, "<ctrl-z>", vec![Effect::Suspend]),
        (Until::Researching, "[", vec![Effect::Show(Step::Earlier)]),
        (Until::Checkpoint, " ", vec![at_checkpoint(findings::Edit::Drop { finding: all[0].id })]),
        (Until::Checkpoint, "jj ", vec![at_checkpoint(findings::Edit::Drop { finding: all[2].id })]),
        (Until::Corrected, "<down>jjjj ", vec![at_checkpoint(findings::Edit::Keep { finding: all[5].id })]),
        (Until::Checkpoint, "e!<enter>", vec![at_checkpoint(edited)]),
        (Until::Checkpoint, "e<enter>", vec![]),
        (Until::Checkpoint, "e!<esc>", vec![]),
        (
            Until::Checkpoint,
            "aour fact<enter>",
            vec![at_checkpoint(findings::Edit::Add { task: Some(TaskId(1)), claim: "our fact".into() })],
        ),
        (Until::Checkpoint, "mprice<enter>", vec![more(Some(TaskId(1)))]),
        (Until::Checkpoint, "m<tab>price<enter>", vec![more(Some(TaskId(2)))]),
        (Until::Checkpoint, "m<tab><tab><tab>price<enter>", vec![more(None)]),
        (Until::Corrected, "u", vec![undo()]),
        (Until::Checkpoint, "b300k<enter>", vec![raise(Cap::Tokens, 300_000)]),
        (Until::Checkpoint, "1b300k<enter>", vec![raise(Cap::Tokens, 300_000)]),
        (Until::Checkpoint, "b<tab>200<enter>", vec![raise(Cap::ToolCalls, 200)]),
        (Until::Checkpoint, "b<tab><tab>20m<enter>", vec![raise(Cap::Time, 1_200_000)]),
        (Until::Checkpoint, "b3<tab><tab><tab>00k<enter>", vec![raise(Cap::Tokens, 300_000)]),
        (Until::Checkpoint, "b300k<esc>", vec![]),
        (Until::Checkpoint, "A", vec![]),
        (Until::Checkpoint, "A<esc>", vec![]),
        (Until::Checkpoint, "A<enter>", vec![approve]),
        (Until::Checkpoint, "t", vec![at_checkpoint(set(&[0, 1, 2], false))]),
        (Until::Checkpoint, "z ", vec![at_checkpoint(set(&[0, 1, 2], false))]),
        (Until::Checkpoint, "zj ", vec![at_checkpoint(findings::Edit::Drop { finding: all[3].id })]),
        (Until::Checkpoint, "/readme<enter>T", vec![at_checkpoint(set(&[0], false))]),
        (Until::Checkpoint, "w", vec![at_checkpoint(set(&[0], false))]),
        (Until::Checkpoint, "q", vec![Effect::Leave(Leave::Home)]),
    ];
    for (until, keys, effects) in table {
        let mut person = Person::at(until);
        assert_eq!(person.presses(keys), effects, "{keys} at {until:?}: {}", person.status());
    }
}

#[test]
fn a_key_that_cannot_be_used_says_why() {
    for (until, mode, keys, says) in [
        (Until::Researching, Mode::Live, "2", "no findings to go through yet"),
        (Until::Researching, Mode::Live, "3", "not written yet"),
        (Until::Researching, Mode::Live, "A", "works in: findings"),
        // In a dialog its own keys are named, and no other page's.
        (Until::Researching, Mode::Live, "xz", "that key does nothing here: y "),
        (Until::Researching, Mode::Live, "DA", "that key does nothing here: a another"),
        (Until::Researching, Mode::Live, ":#9999<enter>", "there is no event #9999: the latest is #"),
        (Until::Researching, Mode::Live, ":#0<enter>", "there is no event #0"),
        (Until::Checkpoint, Mode::Live, "u", "nothing to undo"),
        (Until::Checkpoint, Mode::Live, "p", "waits for you already"),
        (Until::Checkpoint, Mode::Live, "jjjjjj ", "may not reach the brief"),
        (Until::Checkpoint, Mode::Live, "a <enter>", "needs words"),
        (Until::Checkpoint, Mode::Live, "b<enter>", "more than 200k"),
        (Until::Checkpoint, Mode::Live, "bmany<enter>", "60000 or 200k"),
        (Until::Checkpoint, Mode::Live, "b9k<enter>", "only ever raised"),
        (Until::Checkpoint, Mode::Live, "b200k<enter>", "is 200k already"),
        (Until::Checkpoint, Mode::Replay, "b", "replay"),
        (Until::Done, Mode::Live, "b", "has ended"),
        (Until::Checkpoint, Mode::Live, "]", "latest event"),
        (Until::Checkpoint, Mode::Replay, "A", "replay"),
        (Until::Checkpoint, Mode::ReadOnly("process 7 works on it".into()), " ", "process 7"),
        (Until::Done, Mode::Live, "x", "has ended"),
        (Until::Done, Mode::Live, "2A", "has ended"),
    ] {
        let mut person = Person::who(until, mode);
        assert_eq!(person.presses(keys), [], "{keys}");
        assert!(person.status().contains(says), "{keys}: {:?}", person.status());
    }
}

#[test]
fn a_cap_is_raised_while_the_run_is_at_work_or_paused() {
    for paused in [false, true] {
        let mut person = Person::at(Until::Researching);
        person.run.paused = paused;
        assert_eq!(person.presses("b300k<enter>"), [Effect::Send(Command::RaiseCap(Limits::of(Cap::Tokens, 300_000)))]);
    }
}

#[test]
fn keys_are_found_by_the_words_that_hint_at_them() {
    let mut person = Person::at(Until::Corrected);
    assert_eq!(person.presses(":undo<enter>"), [undo()]);
    assert_eq!(person.presses("?/undo<enter>"), [undo()]);
    assert_eq!(person.presses(":quit<enter>"), [Effect::Leave(Leave::Quit)]);
}

#[test]
fn the_screen_turns_to_what_needs_the_person_once() {
    let mut person = Person::at(Until::Researching);
    assert_eq!(person.ui.page, Page::Team);
    person.run = fixture::run(Until::Checkpoint);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.page, Page::Findings);
    person.presses("1");
    person.run = fixture::run(Until::Corrected);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.page, Page::Team, "who has left the findings is not sent back to them");
    person.presses("2");
    person.run = fixture::run(Until::Writing);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.page, Page::Team, "with the findings approved there is work to watch");
    person.run = fixture::run(Until::Done);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.page, Page::Brief);
}

#[test]
fn every_key_everywhere_is_taken_without_a_panic() {
    for until in fixture::ALL {
        for first in ["", "?", "i<enter>", "2e", "2a", "2m", "2/", "b", "x", "3n<enter>", "v", "z"] {
            let mut there = Person::at(until);
            there.presses(first);
            for row in screens::all_keys().into_iter().flat_map(|keys| keys.rows()) {
                let mut ui = there.ui.clone();
                for key in row.keys {
                    let event = match key {
                        keymap::Key::Plain(code) => KeyEvent::from(*code),
                        keymap::Key::Ctrl(c) => KeyEvent::new(KeyCode::Char(*c), KeyModifiers::CONTROL),
                    };
                    update(&mut ui, &there.run, Msg::Key(event, there.clock));
                }
            }
        }
    }
}

#[test]
fn keys_pressed_just_before_a_page_turns_by_itself_do_nothing_on_the_new_one() {
    let mut person = Person::at(Until::Researching);
    person.presses("j");
    person.run = fixture::run(Until::Checkpoint);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    assert_eq!(person.ui.page, Page::Findings);
    // Not drawn yet, then drawn, but too soon for a person who was pressing keys.
    assert_eq!(person.presses(" "), []);
    assert!(person.status().contains("changed by itself"), "{}", person.status());
    person.ui.shown(person.clock);
    assert_eq!(person.presses(" "), []);
    assert!(!person.presses(" ").is_empty(), "400 ms later it is meant");
    // Without a key pressed for a while the page has been seen.
    let mut person = Person::at(Until::Researching);
    person.presses("j");
    person.clock += LONG_AGO;
    person.run = fixture::run(Until::Checkpoint);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert!(!person.presses(" ").is_empty());
}

#[test]
fn what_a_key_does_is_found_by_its_words_and_done() {
    let mut person = Person::at(Until::Checkpoint);
    let first = fixture::findings()[0].id;
    assert_eq!(person.presses(":drop the finding,<enter>"), [at_checkpoint(findings::Edit::Drop { finding: first })]);
    assert!(matches!(person.ui.overlay, Overlay::None));
    // It approves nothing without the last look.
    assert_eq!(person.presses(":says what goes<enter>"), []);
    assert!(matches!(person.ui.overlay, Overlay::Approving(_)));
    person.presses("<esc>");
    // A line that does nothing now says why, and the written text stays.
    assert_eq!(person.presses(":the brief<enter>"), []);
    assert!(person.status().contains("not written yet"), "{}", person.status());
    assert!(matches!(person.ui.overlay, Overlay::Commanding(_)));
    // The arrow goes to the second line found.
    person.presses("<esc>:the<down>");
    assert!(matches!(&person.ui.overlay, Overlay::Commanding(palette) if palette.choice == 1));
    person.ui.overlay = Overlay::None;
    assert_eq!(person.presses(":no such thing<enter>"), []);
    assert!(person.status().contains("no key does"), "{}", person.status());
}

#[test]
fn the_help_is_searched_in_place_and_does_what_its_line_says() {
    let mut person = Person::at(Until::Checkpoint);
    let first = fixture::findings()[0].id;
    assert_eq!(person.presses("?/drop the finding<enter>"), [at_checkpoint(findings::Edit::Drop { finding: first })]);
    assert!(matches!(person.ui.overlay, Overlay::None));
    // A key that works on every page is said once.
    person.presses("1?/raise a cap");
    let Overlay::Help(help) = &person.ui.overlay else { panic!("the help is open") };
    let entries = help::entries(&person.ui, &person.run, help);
    assert_eq!(entries.iter().filter(|entry| entry.row.action == Action::Raise).count(), 1);
    person.presses("<esc><esc>2");
    // A line that does nothing now says why, and the help stays; Esc shows all again, then leaves.
    assert_eq!(person.presses("?/the brief<enter>"), []);
    assert!(person.status().contains("not written yet"), "{}", person.status());
    assert_eq!(person.presses("<esc>/walk the graph<enter>"), []);
    assert!(person.status().contains("works in: team"), "{}", person.status());
    assert_eq!(person.presses("<esc><esc>"), []);
    assert!(matches!(person.ui.overlay, Overlay::None));
    // Over something that is open it has its keys first, and goes back to it.
    person.ui.overlay = Overlay::Inspector(Inspector::of(&person.run, Recorded::Handoff(run::HandoffNo(1))));
    person.presses("?<enter>?");
    assert!(matches!(person.ui.overlay, Overlay::Help(_)));
    person.presses("?");
    assert!(matches!(person.ui.overlay, Overlay::Inspector(_) | Overlay::None), "{:?}", person.ui.overlay);
}

#[test]
fn the_mouse_selects_what_is_drawn_there_and_scrolls_and_decides_nothing() {
    use crate::spot::{Mouse, Spot};
    let theme = Theme::load("default", None).unwrap();
    let area = Rect::new(0, 0, 120, 40);
    let spots = |person: &mut Person, events: &[Arc<Envelope>]| {
        let mut cache = Cache::default();
        let scene = Scene { ui: &person.ui, run: &person.run, events, theme: &theme };
        let seen = crate::view::draw(&mut Buffer::empty(area), area, scene, &mut cache);
        person.ui.drawn(seen);
        let all = area.positions().filter_map(|at| cache.spot((at.x, at.y)));
        all.collect::<Vec<Spot>>()
    };
    let click = |person: &mut Person, spot: &Spot| {
        update(&mut person.ui, &person.run, Msg::Mouse(Mouse::Click, Some(spot.clone())))
    };
    let events = fixture::events(Until::Done);
    let mut person = Person::at(Until::Done);
    let cites: Vec<Spot> =
        spots(&mut person, &events).into_iter().filter(|spot| matches!(spot, Spot::Cite(_))).collect();
    assert_eq!(cites[0], Spot::Cite(0));
    assert_eq!(click(&mut person, &cites[0]), []);
    assert!(matches!(person.ui.overlay, Overlay::Passage(_)) && person.ui.brief.cite == Some(0));
    person.presses("<esc>1");
    let all = spots(&mut person, &events);
    let pane = all.iter().find_map(|spot| if let Spot::Pane(id) = spot { Some(*id) } else { None }).unwrap();
    for spot in all.iter().filter(|spot| !matches!(spot, Spot::Page(_))) {
        assert_eq!(click(&mut person, spot), []);
    }
    click(&mut person, &Spot::Pane(pane));
    assert_eq!(select::front(&person.ui, &person.run).unwrap().id, pane);
    click(&mut person, &Spot::Handoff(run::HandoffNo(2)));
    assert_eq!(select::handoff(&person.ui, &person.run), Some(run::HandoffNo(2)));
    update(&mut person.ui, &person.run, Msg::Mouse(Mouse::WheelDown, Some(Spot::Handoffs)));
    assert_eq!(select::handoff(&person.ui, &person.run), Some(run::HandoffNo(3)));
    let node = all.iter().find(|spot| matches!(spot, Spot::Node(_))).unwrap();
    click(&mut person, node);
    assert_eq!(person.ui.team.node.clone().map(Spot::Node).as_ref(), Some(node));
    // At a checkpoint it selects, and approves nothing.
    let events = fixture::events(Until::Checkpoint);
    let mut person = Person::at(Until::Checkpoint);
    let all = spots(&mut person, &events);
    let last = all.iter().rfind(|spot| matches!(spot, Spot::Finding(_))).unwrap();
    assert_eq!(click(&mut person, last), []);
    assert_eq!(person.ui.findings.selected.map(Spot::Finding).as_ref(), Some(last));
    for mouse in [Mouse::WheelUp, Mouse::WheelDown, Mouse::Click] {
        assert_eq!(update(&mut person.ui, &person.run, Msg::Mouse(mouse, None)), []);
    }
}

/// The record in the inspector, and its form.
fn inspected(person: &Person) -> (Recorded, Form) {
    let Overlay::Inspector(open) = &person.ui.overlay else { panic!("{:?}", person.ui.overlay) };
    (open.what, open.form)
}
