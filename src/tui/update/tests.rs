use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::fixture::model::{self, Stage};
use crate::fixture::{self, Until};
use crate::link::Mode;
use crate::overlays::Form;
use crate::overlays::confirm::Confirm;
use crate::overlays::exchange::Exchange;
use crate::overlays::passage::Passage;
use crate::overlays::payload::Payload;
use crate::overlays::raising::Raising;
use crate::overlays::writing::{Purpose, Writing};
use crate::screens::findings::Wording;
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

/// A person who looks at the researchers at work, some of whom they have steered; this one is in front.
fn at_work(front: u32, acts: &[(u32, Steer)]) -> Person {
    let events = fixture::steered(acts);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    assert_eq!(run.misfits, 0);
    let mut ui = Ui::new(Mode::Live, run.at);
    ui.team.pane = Some(AssignmentId::nth(front));
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.shown(std::time::Duration::ZERO);
    Person { ui, run, clock: LONG_AGO }
}

#[test]
fn keys_steer_the_specialist_in_front() {
    let steer = |id, act| vec![Effect::Send(Command::Steer { assignment: AssignmentId::nth(id), act })];
    let checker = || Role::new("checker");
    use Steer::{Cancel, Hold, Prioritise, Reassign, Release, Retry, Tell};
    for (keys, before, effects) in [
        ("+", vec![], steer(3, Prioritise(Priority::High))),
        ("-", vec![], steer(3, Prioritise(Priority::Low))),
        ("-", vec![(3, Prioritise(Priority::High))], steer(3, Prioritise(Priority::Normal))),
        ("H", vec![], steer(3, Hold)),
        ("H", vec![(3, Hold)], steer(3, Release)),
        ("Xy", vec![], steer(3, Cancel)),
        ("Xn", vec![], vec![]),
        ("ay", vec![], steer(3, Retry)),
        ("an", vec![], vec![]),
        ("w<enter>", vec![], steer(3, Reassign { role: checker() })),
        ("wj<enter>", vec![], steer(3, Reassign { role: checker() })),
        ("w<esc>", vec![], vec![]),
        ("mand costs?<enter>", vec![], steer(3, Tell { text: "and costs?".into() })),
        ("mand costs?<esc>", vec![], vec![]),
    ] {
        let mut person = at_work(3, &before);
        assert_eq!(person.presses(keys), effects, "{keys}: {}", person.status());
        assert_eq!(person.ui.team.pane, Some(AssignmentId::nth(3)));
    }
    // Work that has ended costs once more: that is asked, too.
    let mut person = at_work(2, &[]);
    assert_eq!(person.presses("a"), [], "{}", person.status());
    assert_eq!(person.presses("y"), steer(2, Retry), "{}", person.status());
}

#[test]
fn who_cannot_be_steered_so_is_named_and_what_can_be_done_instead_is_said() {
    use Steer::{Cancel, Prioritise, Retry};
    for (front, keys, before, says) in [
        (0, "H", vec![], "pause (p) or stop (x) the whole run instead"),
        (0, "w", vec![], "leads the run"),
        (1, "a", vec![], "what the planner brought has been used already"),
        (1, "w", vec![], "no other specialist of the team can do the work of the planner"),
        (2, "H", vec![], "researcher · pgvector has ended (done); try it again (a)"),
        (2, "m", vec![], "it reads no more messages"),
        (3, "+", vec![(3, Prioritise(Priority::High))], "has high priority already"),
        (3, "X", vec![(3, Cancel)], "is being cancelled"),
        (3, "a", vec![(3, Retry)], "is being tried again"),
        (3, "m<enter>", vec![], "write a message first"),
    ] {
        let mut person = at_work(front, &before);
        assert_eq!(person.presses(keys), [], "{keys} at {front}");
        assert!(person.status().contains(says), "{keys} at {front}: {:?}", person.status());
    }
    let mut replay = Person::who(Until::Researching, Mode::Replay);
    assert_eq!(replay.presses("m"), []);
    assert!(replay.status().contains("replay"));
}

#[test]
fn a_message_to_somebody_who_ends_meanwhile_is_not_lost_from_the_screen() {
    let mut person = at_work(3, &[]);
    person.presses("mand costs?");
    person.run = fixture::run(Until::Checkpoint);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.presses("<enter>"), []);
    assert!(person.status().contains("ask for more at the findings checkpoint (m)"), "{}", person.status());
    let Overlay::Writing(Writing { field, .. }) = &person.ui.overlay else { panic!("what was written is there") };
    assert_eq!(field.text(), "and costs?");
}

#[test]
fn whoever_takes_the_place_of_the_one_in_front_comes_to_the_front_once() {
    let mut person = at_work(3, &[]);
    person.presses("ay");
    let mut events = fixture::steered(&[(3, Steer::Retry)]);
    let last = events.last().unwrap().clone();
    let again = person.run.assignment(AssignmentId::nth(3)).unwrap().transcript.handoff.clone();
    let handoff = Arc::new(Handoff { to: Some(AssignmentId::nth(5)), ..(*again).clone() });
    let limits = Limits::default();
    let opened = Opened::new(AssignmentId::nth(5), Role::new(Role::RESEARCHER), limits, Draws::Work, handoff);
    let opened = Opened { task: Some(TaskId(2)), instead_of: Some(AssignmentId::nth(3)), ..opened };
    let event = Event::HandedOff {
        by: Some(AssignmentId::nth(0)),
        stage: Leading::Research.into(),
        why: "again".into(),
        opened: vec![opened],
    };
    events.push(Arc::new(Envelope { seq: last.seq.next(), at: last.at, event }));
    person.run = Run::fold(events.iter().map(|envelope| &**envelope));
    assert_eq!(person.run.misfits, 0);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.team.pane, Some(AssignmentId::nth(5)));
    // The one before it can still be looked at.
    person.ui.team.pane = Some(AssignmentId::nth(3));
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.team.pane, Some(AssignmentId::nth(3)));
}

/// A person before the plan.
fn before_the_plan(edits: Vec<PlanEdit>) -> Person {
    let events = fixture::with_plan_put(edits);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.shown(std::time::Duration::ZERO);
    Person { ui, run, clock: LONG_AGO }
}

#[test]
fn keys_before_the_plan_become_commands_one_an_edit() {
    let checkpoint = CheckpointId(1);
    let edit = |edit| vec![Effect::Send(Command::Edit { checkpoint, edit: Edit::Plan(edit) })];
    let (first, second) = (TaskId(1), TaskId(2));
    let asks =
        |title: &str, question: &str| PlanEdit::Reword { task: first, title: title.into(), question: question.into() };
    let added = |title: &str, question: &str| PlanEdit::Add {
        task: TaskId(4),
        title: title.into(),
        question: question.into(),
        role: Role::new(Role::RESEARCHER),
    };
    let trade_offs = "What are the trade-offs of pgvector?";
    for (keys, effects) in [
        ("A", vec![Effect::Send(Command::Approve { checkpoint })]),
        ("d", edit(PlanEdit::Drop { task: first })),
        ("j ", edit(PlanEdit::Drop { task: second })),
        ("e And cost?<enter>", edit(asks("pgvector", &format!("{trade_offs} And cost?")))),
        ("t 2<enter>", edit(asks("pgvector 2", trade_offs))),
        ("e<enter>", vec![]),
        ("eand<esc>", vec![]),
        ("J", edit(PlanEdit::Move { task: first, to: 1 })),
        ("jK", edit(PlanEdit::Move { task: second, to: 0 })),
        ("aCosts: What does each cost?<enter>", edit(added("Costs", "What does each cost?"))),
        ("aWhat does it cost?<enter>", edit(added("What does it cost", "What does it cost?"))),
        ("o2<enter>", edit(PlanEdit::Wait { task: first, after: vec![second] })),
        ("mand the costs<enter>", vec![answers(Answer::Plan(plan::Answer::Another { wish: "and the costs".into() }))]),
        ("b300k<enter>", vec![Effect::Send(Command::RaiseCap(Limits::of(Cap::Tokens, 300_000)))]),
        ("q", vec![Effect::Leave(Leave::Home)]),
    ] {
        let mut person = before_the_plan(vec![]);
        assert_eq!(person.presses(keys), effects, "{keys}: {}", person.status());
    }
    let mut person = before_the_plan(vec![PlanEdit::Drop { task: first }]);
    assert_eq!(person.presses("u"), [undo()]);
}

#[test]
fn what_cannot_be_done_to_a_plan_is_said_and_what_was_written_stays() {
    for (keys, says) in [
        ("u", "nothing to undo"),
        ("K", "how it is already"),
        ("w", "no other role of this team takes tasks"),
        ("p", "waits for you already"),
        ("o3<enter>", "need each other's results"),
        ("o9<enter>", "there is no task 9"),
        ("a <enter>", "needs a title"),
        ("2", "no findings to go through yet"),
    ] {
        let mut person = before_the_plan(vec![]);
        assert_eq!(person.presses(keys), [], "{keys}");
        assert!(person.status().contains(says), "{keys}: {:?}", person.status());
        let written = matches!(person.ui.overlay, Overlay::Writing(_));
        assert_eq!(written, keys.ends_with("<enter>"), "{keys}");
    }
    let mut person = Person::at(Until::Researching);
    assert_eq!(person.presses("4"), []);
    assert!(person.status().contains("--check-plan"), "{}", person.status());
}

#[test]
fn a_key_that_cannot_be_used_says_why() {
    for (until, mode, keys, says) in [
        (Until::Researching, Mode::Live, "2", "no findings to go through yet"),
        (Until::Researching, Mode::Live, "3", "not written yet"),
        (Until::Researching, Mode::Live, "A", "works in: findings"),
        (Until::Checkpoint, Mode::Live, "u", "nothing to undo"),
        (Until::Checkpoint, Mode::Live, "p", "waits for you already"),
        (Until::Checkpoint, Mode::Live, "jjjjjj ", "may not reach the brief"),
        (Until::Checkpoint, Mode::Live, "a <enter>", "needs words"),
        (Until::Researching, Mode::Live, "b", "where the run needs you"),
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
fn a_cap_that_is_not_right_stays_to_be_put_right_and_a_paste_raises_nothing() {
    let mut person = Person::at(Until::Checkpoint);
    person.presses("b9k<enter>");
    let Overlay::Raising(Raising { cap: Cap::Tokens, field }) = &person.ui.overlay else { panic!("the box is open") };
    assert_eq!(field.text(), "9k");
    assert_eq!(person.presses("00k<enter>"), [], "9k00k is no number");
    person.presses("<esc>b");
    let now = person.clock;
    update(&mut person.ui, &person.run, Msg::Paste("300k\n".into(), now));
    let enter = KeyEvent::from(KeyCode::Enter);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Key(enter, now)), []);
    assert_eq!(person.presses("<enter>").len(), 1);
    // Somebody else has closed the checkpoint: there is nothing to raise any more.
    person.presses("b");
    person.run = fixture::run(Until::Writing);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert!(matches!(person.ui.overlay, Overlay::None));
}

#[test]
fn a_question_is_answered_with_a_choice_or_in_words_and_by_no_paste() {
    let asked = |choices: &[&str]| {
        let events = fixture::with_question(choices);
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        let mut ui = Ui::new(Mode::Live, run.at);
        update(&mut ui, &run, Msg::Folded(Moment::Latest));
        ui.shown(std::time::Duration::ZERO);
        Person { ui, run, clock: LONG_AGO }
    };
    let answer = |answer| answers(Answer::Question(answer));
    let chosen = |choice: &str| vec![answer(question::Answer::Chosen(choice.into()))];
    let words = |words: &str| question::Answer::Words(words.into());
    for (choices, keys, expected) in [
        (&["go on", "retry"][..], "y<enter>", chosen("go on")),
        (&["go on", "retry"], "y<down><enter>", chosen("retry")),
        (&["go on", "retry"], "y<down><down><down><enter>", chosen("retry")),
        (&["go on", "retry"], "y<esc>", vec![]),
        (&[], "yblue<enter>", vec![answer(words("blue"))]),
        (&[], "y  <enter>", vec![]),
    ] {
        assert_eq!(asked(choices).presses(keys), expected, "{choices:?} {keys}");
    }
    let mut person = asked(&[]);
    person.presses("y");
    let now = person.clock;
    update(&mut person.ui, &person.run, Msg::Paste("all of it\n".into(), now));
    let enter = KeyEvent::from(KeyCode::Enter);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Key(enter, now)), []);
    assert_eq!(person.presses("<enter>"), [answer(words("all of it"))]);
    assert_eq!(Person::at(Until::Researching).presses("y"), [], "nobody asks");
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
fn approving_nothing_asks_first() {
    let mut person = Person::at(Until::Checkpoint);
    let dropped = |finding| Finding { standing: run::Standing::Dropped, ..finding };
    let subject = Subject::Findings(fixture::findings().into_iter().map(dropped).collect());
    person.run.checkpoints[0].subject = Arc::new(subject);
    assert_eq!(person.presses("A"), []);
    assert!(matches!(person.ui.overlay, Overlay::Confirm(Confirm::ApproveNothing)));
    assert_eq!(person.presses("n"), []);
    assert_eq!(person.presses("Ay"), [Effect::Send(Command::Approve { checkpoint: CheckpointId(1) })]);
}

#[test]
fn a_paste_goes_into_a_field_or_nowhere_and_approves_nothing() {
    let mut person = Person::at(Until::Checkpoint);
    let approve = KeyEvent::from(KeyCode::Char('A'));
    let paste = |person: &mut Person, at| update(&mut person.ui, &person.run, Msg::Paste("A\ny\n".into(), at));
    assert_eq!(paste(&mut person, LONG_AGO), []);
    assert!(matches!(person.ui.overlay, Overlay::None));
    let close = LONG_AGO + Duration::from_millis(49);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Key(approve, close)), []);
    assert!(person.status().contains("press it again"));
    let later = close + Duration::from_millis(50);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Key(approve, later)), []);
    assert!(matches!(person.ui.overlay, Overlay::Approving(_)));

    person.presses("<esc>a");
    let now = person.clock;
    paste(&mut person, now);
    let enter = KeyEvent::from(KeyCode::Enter);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Key(enter, person.clock)), []);
    let Overlay::Writing(Writing { purpose: Purpose::Findings(Wording::Add(_)), field }) = &person.ui.overlay else {
        panic!("the field is open")
    };
    assert_eq!(field.text(), "A y");
}

#[test]
fn an_earlier_moment_can_be_looked_at_but_not_changed() {
    let mut person = Person::at(Until::Checkpoint);
    let latest = person.run.seq;
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Earlier { latest }));
    assert_eq!(person.presses("A"), []);
    assert!(person.status().contains("earlier moment"));
    person.run = fixture::run(Until::Planned);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Earlier { latest }));
    assert_eq!(person.ui.page, Page::Team, "before the checkpoint there are no findings to show");
    assert_eq!(person.presses("}"), [Effect::Show(Step::Latest)]);
}

#[test]
fn citations_are_gone_through_and_opened() {
    let mut person = Person::at(Until::Done);
    person.presses("n<tab><enter>");
    assert_eq!(person.ui.brief.cite, Some(1));
    let Overlay::Passage(Passage { findings, .. }) = &person.ui.overlay else { panic!("the passage is open") };
    let (draft, found) = person.run.brief().unwrap();
    assert_eq!(findings, &select::citations(draft, found)[1]);
    person.presses("n");
    assert_eq!(person.ui.brief.cite, Some(2));
    person.presses("<esc><esc>");
    assert_eq!(person.ui.brief.cite, None);
    assert_eq!(person.presses("<esc>"), [Effect::Leave(Leave::Home)]);
}

#[test]
fn any_handoff_opens_with_its_whole_payload() {
    let mut person = Person::at(Until::Researching);
    person.presses("ikk<enter>");
    let Overlay::Payload(Payload { no, form: Form::Tree, .. }) = person.ui.overlay else { panic!("a handoff is open") };
    assert_eq!(no.0 as usize, person.run.handoffs.len() - 2);
    person.presses("t");
    let copied = person.presses("y");
    let [Effect::Copy { text, .. }] = &copied[..] else { panic!("{copied:?}") };
    let read: run::Handoff = serde_json::from_str(text).unwrap();
    assert_eq!(&read, &**person.run.handoff(no).unwrap());
}

#[test]
fn who_scrolls_a_pane_stays_with_it() {
    let mut person = Person::at(Until::Researching);
    person.ui.drawn(crate::ui::Seen { at: 5, most: 5, page: 10, ..Default::default() });
    let front = select::front(&person.ui, &person.run).unwrap().id;
    person.presses("<pgup>");
    assert_eq!(person.ui.team.scrolled.get(&front).map(|scrolled| scrolled.from), Some(0));
    person.run = fixture::run(Until::Done);
    assert_eq!(select::front(&person.ui, &person.run).unwrap().id, front);
    person.presses("G");
    assert!(person.ui.team.scrolled.is_empty(), "at its end, a pane follows again");
    person.presses(".");
    assert_eq!(person.ui.team.pane, None);
}

#[test]
fn a_step_of_a_pane_is_opened_and_copied_also_of_a_specialist_without_a_model() {
    let mut person = Person::at(Until::Researching);
    person.ui.team.pane = Some(AssignmentId::nth(2));
    assert_eq!(person.presses("y"), []);
    assert!(person.status().contains("no step is selected"), "{}", person.status());
    // The report is the last step, the search the second.
    person.presses("k<enter>");
    assert!(matches!(person.ui.overlay, Overlay::Payload(_)), "{:?}", person.ui.overlay);
    person.presses("<esc>kkkkkkkkkj");
    let copied = person.presses("y");
    let [Effect::Copy { what: "the tool call", text }] = &copied[..] else { panic!("{copied:?}") };
    assert!(text.contains("pgvector trade-offs index filter limits"), "{text}");
    person.presses("<enter>");
    assert!(matches!(person.ui.overlay, Overlay::CallView(_)), "{:?}", person.ui.overlay);
    person.presses("<esc><esc>");
    assert!(person.ui.team.steps.is_empty(), "the pane follows again");
}

#[test]
fn nothing_is_decided_on_a_screen_too_small_to_see_it() {
    let mut person = Person::at(Until::Checkpoint);
    person.ui.drawn(crate::ui::Seen { tiny: true, ..Default::default() });
    assert_eq!(person.presses("A"), []);
    assert!(person.ui.status.as_ref().is_some_and(|why| why.contains("too small")), "{:?}", person.ui.status);
    person.ui.drawn(crate::ui::Seen::default());
    // Neither is anything else changed on it, nor anything lost: one can leave.
    for keys in [" ", "t", "u", "p"] {
        person.ui.drawn(crate::ui::Seen { tiny: true, ..Default::default() });
        assert_eq!(person.presses(keys), [], "{keys}");
    }
    assert_eq!(person.presses("q"), [Effect::Leave(Leave::Home)]);
    person.ui.drawn(crate::ui::Seen::default());
    assert!(!person.presses("A<enter>").is_empty());
}

#[test]
fn a_filter_holds_while_it_is_typed_and_escape_shows_all() {
    let mut person = Person::at(Until::Checkpoint);
    person.presses("/quant");
    let (_, all) = select::findings_page(&person.run).unwrap();
    assert_eq!(select::findings(&person.ui, all).len(), 1);
    let dropped = at_checkpoint(findings::Edit::Drop { finding: fixture::findings()[4].id });
    assert_eq!(person.presses("<enter> "), [dropped]);
    person.presses("<esc>");
    assert!(person.ui.findings.filter.is_empty());
}

#[test]
fn every_key_everywhere_is_taken_without_a_panic() {
    for until in fixture::ALL {
        for row in screens::all_keys().into_iter().flat_map(|keys| keys.rows()) {
            for first in ["", "?", "i<enter>", "2e", "2a", "2m", "2/", "b", "x", "3n<enter>", "v", "z"] {
                let mut person = Person::at(until);
                person.presses(first);
                for key in row.keys {
                    let event = match key {
                        keymap::Key::Plain(code) => KeyEvent::from(*code),
                        keymap::Key::Ctrl(c) => KeyEvent::new(KeyCode::Char(*c), KeyModifiers::CONTROL),
                    };
                    update(&mut person.ui, &person.run, Msg::Key(event, person.clock));
                }
            }
        }
    }
}

#[test]
fn a_run_can_be_played_again_and_the_screen_turns_as_it_did() {
    let mut person = Person::who(Until::Done, Mode::Replay);
    assert_eq!(person.presses("P"), [Effect::Show(Step::First)]);
    let latest = person.run.seq;
    for (until, page) in
        [(Until::Planned, Page::Team), (Until::Checkpoint, Page::Findings), (Until::Writing, Page::Team)]
    {
        assert_eq!(update(&mut person.ui, &person.run, Msg::Beat), [Effect::Show(Step::Later)]);
        person.run = fixture::run(until);
        update(&mut person.ui, &person.run, Msg::Folded(Moment::Earlier { latest }));
        assert_eq!(person.ui.page, page);
    }
    person.run = fixture::run(Until::Done);
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    person.ui.shown(person.clock);
    assert_eq!(person.ui.page, Page::Brief);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Beat), [], "at the end it stops");
    assert_eq!(person.presses("P["), [Effect::Show(Step::First), Effect::Show(Step::Earlier)]);
    assert_eq!(update(&mut person.ui, &person.run, Msg::Beat), [], "who steps by hand has stopped it");
}

/// A person before a run that models do.
fn before_models(stage: Stage) -> Person {
    let run = model::run(stage);
    let mut ui = Ui::new(Mode::Live, run.at);
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.shown(std::time::Duration::ZERO);
    Person { ui, run, clock: LONG_AGO }
}

#[test]
fn keys_say_what_becomes_of_model_calls() {
    let settle = |n: u32, k: u32, answer| {
        Effect::Send(Command::Settle { call: CallId::new(run::AssignmentId::nth(n), k), answer })
    };
    let (retry, skip) = (DoubtAnswer::Retry, DoubtAnswer::Skip);
    for (stage, keys, effects) in [
        (Stage::Doubted, "r", vec![settle(2, 3, retry)]),
        (Stage::Doubted, "s", vec![settle(2, 3, skip)]),
        (Stage::Doubted, "R", vec![settle(2, 3, retry), settle(4, 1, retry)]),
        (Stage::Doubted, "S", vec![settle(2, 3, skip), settle(4, 1, skip)]),
        (Stage::Doubted, "i<enter>r", vec![settle(2, 3, retry)]),
        (Stage::Latched, "c", vec![Effect::Send(Command::Continue)]),
        (Stage::Latched, "xy", vec![Effect::Send(Command::Cancel)]),
    ] {
        let mut person = before_models(stage);
        assert_eq!(person.presses(keys), effects, "{keys} at {stage:?}: {}", person.status());
    }
}

#[test]
fn a_key_for_a_model_call_that_needs_nobody_says_so() {
    for (stage, keys, says) in [
        (Stage::Working, "r", "no call is in doubt"),
        (Stage::Working, "S", "not several"),
        (Stage::Working, "c", "nothing to try again"),
        (Stage::Latched, "s", "no call is in doubt"),
        (Stage::Doubted, "c", "nothing to try again"),
    ] {
        let mut person = before_models(stage);
        assert_eq!(person.presses(keys), [], "{keys}");
        assert!(person.status().contains(says), "{keys}: {:?}", person.status());
    }
    let mut person = before_models(Stage::Working);
    person.ui.team.pane = Some(run::AssignmentId::ROOT);
    person.presses("o");
    assert!(person.status().contains("supervisor has called no model"), "{}", person.status());
    let mut person = before_models(Stage::Doubted);
    person.ui.mode = Mode::Replay;
    assert_eq!(person.presses("r"), []);
    assert!(person.status().contains("replay"), "{}", person.status());
}

#[test]
fn a_paste_settles_nothing() {
    for (stage, key) in [(Stage::Doubted, 'r'), (Stage::Doubted, 'S'), (Stage::Latched, 'c')] {
        let mut person = before_models(stage);
        update(&mut person.ui, &person.run, Msg::Paste("rsc".into(), LONG_AGO));
        let press = |person: &mut Person, after: u64| {
            let key = KeyEvent::from(KeyCode::Char(key));
            update(&mut person.ui, &person.run, Msg::Key(key, LONG_AGO + Duration::from_millis(after)))
        };
        // A key that comes as soon after such a key is one, too.
        for after in [49, 98] {
            assert_eq!(press(&mut person, after), [], "{key}");
            assert!(person.status().contains("press it again"));
        }
        assert!(!press(&mut person, 148).is_empty(), "{key}");
    }
}

#[test]
fn an_exchange_is_read_whole_and_copied_without_what_drives_a_terminal() {
    let mut person = before_models(Stage::Working);
    person.ui.team.pane = Some(run::AssignmentId::nth(2));
    person.presses("<enter>");
    assert!(person.ui.team.zoomed);
    person.presses("<enter>");
    let Overlay::Exchange(Exchange { call, form: Form::Tree, .. }) = person.ui.overlay else {
        panic!("an exchange is open")
    };
    assert_eq!(call.to_string(), "k0.2/3", "the latest first");
    person.presses("nt");
    let Overlay::Exchange(Exchange { call, form: Form::Raw, .. }) = person.ui.overlay else {
        panic!("an exchange is open")
    };
    assert_eq!(call.to_string(), "k0.2/1");
    let copied = person.presses("y");
    let [Effect::Copy { text, .. }] = &copied[..] else { panic!("{copied:?}") };
    assert!(text.contains("\"raw\"") && text.contains("trade-offs of pgvector"), "{text}");
    assert!(!text.chars().any(|c| c != '\n' && text::is_forbidden(c)), "{text}");
    person.presses("<esc>");
    assert!(matches!(person.ui.overlay, Overlay::None));
    person.presses("<esc>");
    assert!(!person.ui.team.zoomed);
}

#[test]
fn what_is_heard_is_taken_in_and_ends_with_the_desk() {
    let mut person = before_models(Stage::Working);
    let call = CallId::new(run::AssignmentId::nth(2), 3);
    let said = crate::live::Batch::of(call, run::progress::Saying::Answer, &"pgvector".into()).take();
    update(&mut person.ui, &person.run, Msg::Streamed(said));
    let front = person.run.assignment(run::AssignmentId::nth(2)).unwrap();
    assert_eq!(select::live(&person.ui, front).unwrap().1.heard.answer.text, "pgvector");
    update(&mut person.ui, &person.run, Msg::Notice(Notice::Stopped(None)));
    assert!(select::live(&person.ui, front).is_none());
}

#[test]
fn what_a_citation_rests_on_leads_on_to_the_call_that_found_it() {
    let mut person = Person::at(Until::Done);
    person.presses("n<enter>");
    assert!(matches!(person.ui.overlay, Overlay::Passage(_)));
    person.presses("<enter>");
    assert_eq!(person.ui.page, Page::Team, "a tool's call stands in the pane of its caller");
    assert!(person.ui.team.zoomed && person.status().contains("read"), "{}", person.status());
    // Where the evidence stands beside the brief, it is one key less.
    let mut person = Person::at(Until::Done);
    person.ui.drawn(crate::ui::Seen { beside: true, ..Default::default() });
    person.presses("n<enter>");
    assert_eq!(person.ui.page, Page::Team);
    assert!(matches!(person.ui.overlay, Overlay::None));
}

#[test]
fn the_next_contradiction_shows_both_sides_with_their_passages() {
    let mut person = Person::at(Until::Checkpoint);
    person.presses("n");
    let all = fixture::findings();
    let disputed = all.iter().find(|finding| !finding.conflicts.is_empty()).unwrap();
    let Overlay::Passage(Passage { findings, .. }) = &person.ui.overlay else { panic!("{:?}", person.ui.overlay) };
    assert_eq!(findings[..], [disputed.id, disputed.conflicts[0].with]);
    assert_eq!(person.ui.findings.selected, Some(disputed.id));
}

#[test]
fn another_order_has_other_sections_or_none() {
    let mut person = Person::at(Until::Checkpoint);
    let shown = |person: &Person| {
        let (_, all) = select::findings_page(&person.run).unwrap();
        select::findings(&person.ui, all).iter().map(|finding| finding.id).collect::<Vec<_>>()
    };
    let by_topic = shown(&person);
    person.presses("o");
    assert_eq!(person.status(), "by source");
    assert_ne!(shown(&person), by_topic);
    person.presses("o");
    person.presses("z");
    assert!(person.status().contains("no sections"), "{}", person.status());
    person.presses("o");
    assert_eq!(shown(&person), by_topic);
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
    assert!(person.status().contains("turned by itself"), "{}", person.status());
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
    // What does nothing now says why, and what was written stays.
    assert_eq!(person.presses(":the brief<enter>"), []);
    assert!(person.status().contains("not written yet"), "{}", person.status());
    assert!(matches!(person.ui.overlay, Overlay::Commanding(_)));
    // The arrow goes to the second of what is found.
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
    // What does nothing now says why, and the help stays; Esc shows all again, then leaves.
    assert_eq!(person.presses("?/the brief<enter>"), []);
    assert!(person.status().contains("not written yet"), "{}", person.status());
    assert_eq!(person.presses("<esc>/walk the graph<enter>"), []);
    assert!(person.status().contains("works in: team"), "{}", person.status());
    assert_eq!(person.presses("<esc><esc>"), []);
    assert!(matches!(person.ui.overlay, Overlay::None));
    // Over something that is open it has its keys first, and goes back to it.
    person.ui.overlay = Overlay::Payload(Payload { no: run::HandoffNo(1), form: Form::Tree, scroll: 0 });
    person.presses("?<enter>?");
    assert!(matches!(person.ui.overlay, Overlay::Help(_)));
    person.presses("?");
    assert!(matches!(person.ui.overlay, Overlay::Payload(_) | Overlay::None), "{:?}", person.ui.overlay);
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
    for spot in &all {
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
