//! One word for a state, wherever it stands; and nothing that has ended is told as if it went on.

use super::*;
use crate::view::transcript::{Shape, laid};
use run::Outcome;
use run::foreign::{Format, Origin};
use run::transcript::{Did, ExchangeEnd};

#[test]
fn what_nobody_works_on_is_called_alike_in_header_pane_and_graph() {
    let (_, mut run, events) = screen(Until::Researching);
    let ui = Ui::new(Mode::Replay, run.at);
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(!shown.contains("paused"), "{shown}");
    assert!(shown.contains("‖ stopped") && shown.contains("stopped at turn"), "{shown}");
    let mut opening = (**run.opening.as_ref().unwrap()).clone();
    let origin = Origin {
        format: Format::ClaudeCode,
        id: "s1".into(),
        version: Clean::default(),
        records: 9,
        unread: 0,
        unknown: Default::default(),
        remarks: Vec::new(),
    };
    opening.origin = Some(Arc::new(origin));
    run.opening = Some(opening.into());
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(!shown.contains("paused") && !shown.contains("stopped"), "{shown}");
    assert!(shown.matches("not ended").count() >= 3, "{shown}");
}

#[test]
fn a_call_of_an_ended_specialist_is_not_said_to_go_on() {
    for stage in [Stage::Working, Stage::Latched] {
        let run = fixture::model::run(stage);
        let mut seen = 0;
        for assignment in run.assignments() {
            let Some(Did::Asked(last)) = assignment.transcript.turns.last().map(|turn| &turn.did) else { continue };
            if !matches!(last.end, ExchangeEnd::Pending) {
                continue;
            }
            let mut ended = assignment.clone();
            ended.ended = Some((Outcome::Cancelled, run.handoffs[0].clone()));
            let lines = laid(&run, &ended, Shape::default(), 100, &theme()).lines;
            let told: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let is_over = told.contains("⊘ given up") || told.contains("⊘ not sent");
            assert!(is_over && !told.contains("sent again") && !told.contains("its turn"), "{told}");
            seen += 1;
        }
        assert!(seen > 0);
    }
}

#[test]
fn of_a_plan_that_was_cut_the_graph_says_how_much_is_worked_on() {
    let (mut ui, mut run, events) = with_sections(12);
    assert!(!text(&painted(&ui, &run, &events, 120, 40)).contains("worked on"));
    let mut plan = (**run.plan.as_ref().unwrap()).clone();
    plan.tasks.truncate(7);
    run.plan = Some(Arc::new(plan));
    press(&mut ui, &run, "vv");
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(shown.contains("7 worked on"), "{shown}");
}

#[test]
fn a_supervisor_that_waits_for_the_person_is_told_alike_wherever_it_stands() {
    let at = |events: Vec<Arc<Envelope>>| {
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        let mut ui = Ui::new(Mode::Live, run.at);
        ui.team.pane = Some(AssignmentId::ROOT);
        text(&painted(&ui, &run, &events, 160, 45))
    };
    for (name, events) in [
        ("findings", fixture::events(Until::Checkpoint)),
        ("breakpoint", fixture::pauses::at_a_breakpoint()),
        ("cap", fixture::pauses::at_a_cap()),
        ("refused", model::events(Stage::Latched)),
        ("in doubt", model::events(Stage::Doubted)),
    ] {
        let shown = at(events);
        assert!(shown.contains("◆ supervisor"), "{name}: {shown}");
        // In the header, the pane, and without its sign below the name in the graph.
        assert!(shown.matches("◆ needs you").count() >= 2, "{name}: {shown}");
        assert!(!shown.contains("● supervisor") && !shown.contains("○ supervisor"), "{name}: {shown}");
    }
}

#[test]
fn a_refused_key_is_told_with_the_way_that_helps() {
    let events = model::events(Stage::Latched);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let ui = Ui::new(Mode::Live, run.at);
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    let id = &run.opening.as_ref().unwrap().run;
    assert!(shown.contains(&format!("`masthead resume {id}`")), "{shown}");
    assert!(shown.contains("q leave   c try again   x stop the run"), "{shown}");
}

#[test]
fn keys_that_go_through_the_places_of_words_in_the_brief_are_hinted_as_such() {
    let (mut ui, run, events) = screen(Until::Done);
    ui.page = Page::Brief;
    presses(&mut ui, &run, "/pgvector\n");
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    let hints = shown.lines().last().unwrap();
    assert!(hints.contains("n next place") && hints.contains("q forget the words"), "{hints}");
    assert!(!hints.contains("citation"), "{hints}");
}

#[test]
fn a_drill_that_waits_for_the_person_says_how_to_get_to_its_verdict() {
    let drill = drill::named("loop-of-two").unwrap();
    let opening = drill.opening("abcd".parse().unwrap(), ::team::drill());
    let events = kit::play(opening, Arc::new(*drill), Arc::new(drill::DrillTools));
    let stops = events.iter().position(|envelope| matches!(envelope.event, Event::CheckpointOpened { .. }));
    let at = |until| drilled("loop-of-two", until, false, (120, 40));
    let shown = at(stops.expect("it stops at the findings") + 1);
    assert!(shown.contains("It has happened already") && shown.contains("A goes on to the verdict"), "{shown}");
    let shown = at(usize::MAX);
    assert!(!shown.contains("goes on to the verdict"), "it is there: {shown}");
}
