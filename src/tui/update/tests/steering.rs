//! Steering one specialist.

use super::*;

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
    use Steer::{Cancel, Continue, Pause, Prioritise, Reassign, Retry, Tell};
    for (keys, before, effects) in [
        ("+", vec![], steer(3, Prioritise(Priority::High))),
        ("-", vec![], steer(3, Prioritise(Priority::Low))),
        ("-", vec![(3, Prioritise(Priority::High))], steer(3, Prioritise(Priority::Normal))),
        ("H", vec![], steer(3, Pause)),
        ("H", vec![(3, Pause)], steer(3, Continue)),
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
