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
