//! Cut text says so, facts that the person needs are not cut away, and one place says one thing at one time.

use super::*;
use run::{At, Breakpoint, BreakpointNo, Condition, HandoffNo, Outcome};

#[test]
fn the_size_on_a_lit_edge_stands_whole_or_not_at_all() {
    let (mut ui, run, events) = screen(Until::Researching);
    ui.moves = true;
    (1..=run.handoffs.len()).for_each(|no| ui.team.lit.crosses(HandoffNo(no as u32), ui.now));
    let mut seen = 0;
    for wide in 72..220 {
        let shown = text(&painted(&ui, &run, &events, wide, 40));
        for size in shown.split("▾ ").skip(1).filter(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
            let unit = size.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'k');
            assert!(unit.starts_with(" tok ") || unit.starts_with(' ') && !unit.starts_with(" t"), "{wide}\n{shown}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// A run in which a researcher has failed for this reason.
fn failed(reason: &str) -> (Ui, Run, Vec<Arc<Envelope>>) {
    let (ui, run, mut events) = screen(Until::Checkpoint);
    let researched = |envelope: &&mut Arc<Envelope>| matches!(&envelope.event, Event::Reported { by, .. } if run.assignment(*by).is_some_and(|by| by.role.as_str() == Role::RESEARCHER));
    let one = events.iter_mut().find(researched).unwrap();
    let mut other = (**one).clone();
    let Event::Reported { outcome, .. } = &mut other.event else { unreachable!() };
    *outcome = Outcome::Failed(reason.into());
    *one = Arc::new(other);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    (Ui { page: Page::Team, ..ui }, run, events)
}

#[test]
fn the_reason_of_a_failure_is_whole_in_its_box_or_says_that_it_goes_on() {
    let reason = "its steps were refused again and again";
    let (ui, run, events) = failed(reason);
    let mut whole = 0;
    for (wide, high) in [(120, 40), (120, 30), (160, 45), (200, 60), (72, 40)] {
        let shown = text(&painted(&ui, &run, &events, wide, high));
        let rows: Vec<&str> = shown.lines().filter_map(|line| line.split('│').nth(2)).collect();
        let flat = rows.iter().map(|row| row.trim()).collect::<Vec<_>>().join(" ");
        let is_whole = flat.contains(reason) || shown.contains(reason);
        whole += usize::from(is_whole);
        let begins = flat.contains("its steps");
        assert!(is_whole || !begins || flat.contains('…'), "{wide}×{high}\n{shown}");
    }
    assert!(whole > 1);
}

/// The second line of the header.
fn second_line(ui: &Ui, run: &Run, events: &[Arc<Envelope>], wide: u16) -> String {
    text(&painted(ui, run, events, wide, 20)).lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn at_any_width_the_header_says_which_page_is_shown_and_where_there_is_room_that_there_are_others() {
    let plan = fixture::with_plan_put(Vec::new());
    let run = Run::fold(plan.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    for (page, name) in [(Page::Team, "1 team"), (Page::Plan, "4 plan")] {
        ui.page = page;
        for wide in 40..130 {
            let line = second_line(&ui, &run, &plan, wide);
            assert!(line.contains(name), "{wide}: {line}");
        }
        let narrow = second_line(&ui, &run, &plan, 40);
        let others = ["1", "2", "3", "4"].iter().filter(|number| narrow.contains(**number)).count();
        assert_eq!(others, 4, "{narrow}");
    }
}

#[test]
fn on_a_narrow_screen_the_question_keeps_its_place_whether_or_not_a_provider_is_waited_for() {
    let (ui, run, events) = model_screen(Stage::Working);
    let mut all_wait = run.clone();
    for id in [2, 4] {
        let event = Event::Steered { assignment: AssignmentId::nth(id), act: Steer::Pause };
        all_wait.apply(&Envelope { seq: all_wait.seq.next(), at: all_wait.at, event });
    }
    for wide in 44..100 {
        let first = |run: &Run| text(&painted(&ui, run, &events, wide, 20)).lines().next().unwrap().to_owned();
        let [at_work, waits] = [&run, &all_wait].map(first);
        assert!(waits.contains("◌ 1 waits 0:12") && at_work.contains('●'), "{wide}: {waits}");
        let question = |line: &str| line.split(['●', '◌']).next().unwrap().trim_end().to_owned();
        assert_eq!(question(&at_work), question(&waits), "{wide}");
        assert!(!waits.contains("masthead…") && !waits.contains("ma…"), "{wide}: {waits}");
    }
}

#[test]
fn a_breakpoint_is_a_sign_at_the_name_and_the_note_stays_how_it_is() {
    let (ui, run, events) = screen(Until::Researching);
    let mut stops = run.clone();
    let on = Condition::Handoff { from: None, to: Some(Role::new(Role::RESEARCHER)) };
    stops.breakpoints.push(Breakpoint { no: BreakpointNo(1), on });
    for (wide, high) in [(80, 24), (120, 40), (160, 45)] {
        let [plain, marked] = [&run, &stops].map(|run| text(&painted(&ui, run, &events, wide, high)));
        assert!(marked.contains('◉') && !plain.contains('◉'), "{marked}");
        assert!(!marked.contains("breakpoint"), "{marked}");
        assert_eq!(marked.matches("turn ").count(), plain.matches("turn ").count(), "{marked}");
    }
}

#[test]
fn one_moment_has_one_time_in_header_band_and_journal() {
    let (mut ui, _, mut events) = screen(Until::Done);
    // The person took an hour over the findings: none of it is work.
    let asked = events.iter().position(|one| matches!(one.event, Event::CheckpointOpened { .. })).unwrap();
    for envelope in &mut events[asked + 1..] {
        let mut later = (**envelope).clone();
        later.at = run::At(later.at.0 + 3_600_000);
        *envelope = Arc::new(later);
    }
    let at = events.len() - 1;
    let run = Run::fold(events[..at].iter().map(|envelope| &**envelope));
    ui.moment = Moment::Earlier { latest: run::Seq(events.len() as u64) };
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    let time = crate::view::paint::clock(run.worked(run.at));
    let lines = [shown.lines().next(), shown.lines().nth(1), shown.lines().find(|line| line.contains(" journal "))];
    for line in lines.map(Option::unwrap) {
        assert!(line.contains(&time), "{time} is not in {line}\n{shown}");
    }
}

#[test]
fn what_is_over_waits_for_nothing_and_neither_does_a_run_that_has_ended() {
    for until in [Until::Checkpoint, Until::Done] {
        let (mut ui, run, events) = screen(until);
        (ui.page, ui.team.focus) = (Page::Team, Focus::Graph);
        let graph = crate::graph::of(&ui, &run, 40);
        for node in graph.shown() {
            ui.team.node = Some(node.key.clone());
            let shown = text(&painted(&ui, &run, &events, 160, 45));
            let waits = shown.lines().any(|line| line.contains('└') && line.contains("waits for"));
            let may_wait = run.ended().is_none() && node.mark == crate::mark::Mark::Waiting;
            assert!(may_wait || !waits, "{}\n{shown}", node.label);
        }
    }
}

#[test]
fn panes_and_handoffs_of_sections_are_named_by_the_places_of_their_tasks_as_in_the_graph() {
    let (ui, run, events) = with_sections(40);
    for editor in run.assignments().filter(|one| one.role.as_str() == Role::EDITOR) {
        let tasks = &editor.transcript.handoff.payload.plan.as_ref().unwrap().tasks;
        let places = format!("{}–{}: ", tasks[0].id.0, tasks[tasks.len() - 1].id.0);
        assert!(editor.title().starts_with(&places), "{}", editor.title());
        let ui = Ui { team: crate::screens::team::TeamPage { pane: Some(editor.id), ..ui.team.clone() }, ..ui.clone() };
        let shown = text(&painted(&ui, &run, &events, 120, 40));
        assert!(shown.contains(&format!("editor · {places}")), "{places}\n{shown}");
    }
}

#[test]
fn keys_that_lead_away_are_hinted_however_many_others_there_are() {
    let (mut ui, run, events) = inspecting(|_| Step::Handoff(HandoffNo(1)), "");
    for mode in [Mode::Live, Mode::Replay] {
        ui.mode = mode;
        for wide in 60..160 {
            let last = text(&painted(&ui, &run, &events, wide, 40)).lines().last().unwrap().to_owned();
            assert!(last.contains("back") && last.contains("? help"), "{wide}: {last}");
        }
    }
}

#[test]
fn where_the_graph_has_no_room_beside_a_pane_one_key_shows_it_alone() {
    let (mut ui, run, events) = screen(Until::Researching);
    let draws = |ui: &mut Ui| {
        let area = Rect::new(0, 0, 60, 20);
        let (mut buf, theme) = (Buffer::empty(area), theme());
        let seen = draw(&mut buf, area, Scene { ui, run: &run, events: &events, theme: &theme }, &mut Cache::default());
        ui.drawn(seen);
        text(&buf)
    };
    assert!(!draws(&mut ui).contains(" graph ─"));
    press(&mut ui, &run, "v");
    assert!(draws(&mut ui).contains(" graph ─"));
    press(&mut ui, &run, "v");
    assert!(!draws(&mut ui).contains(" graph ─"), "and back");
}

#[test]
fn the_past_of_a_run_that_never_stopped_is_not_called_stopped() {
    let (mut ui, run, events) = screen(Until::Researching);
    ui.mode = Mode::Replay;
    assert!(text(&painted(&ui, &run, &events, 160, 45)).contains("stopped"), "nobody goes on with it");
    ui.moment = Moment::Earlier { latest: run.seq.next() };
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(!shown.contains("stopped") && shown.contains("turn "), "{shown}");
}

#[test]
fn nobody_has_a_clock_before_the_first_turn() {
    let (ui, run, _) = with_sections(40);
    let graph = crate::graph::of(&ui, &run, 40);
    let mut idle = 0;
    for node in graph.shown() {
        let Some(one) = node.assignment.and_then(|id| run.assignment(id)) else { continue };
        if one.ended.is_none() && one.transcript.turns.is_empty() {
            assert_eq!(node.elapsed, None, "{}", node.label);
            idle += 1;
        }
    }
    assert!(idle > 0);
}

#[test]
fn the_time_in_which_the_person_thinks_is_nobodys() {
    let events = fixture::pauses::amid_research();
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let clocks = |later: i64| {
        let ui = Ui::new(Mode::Live, At(run.at.0 + later));
        let graph = crate::graph::of(&ui, &run, 40);
        graph.shown().filter_map(|node| node.elapsed).collect::<Vec<u64>>()
    };
    assert!(clocks(0).len() > 2);
    assert_eq!(clocks(0), clocks(600_000));
}

#[test]
fn work_that_waits_for_room_says_the_room_that_is_free_and_the_room_that_it_needs() {
    let (mut ui, run, events) = waiting_for_room();
    ui.team.zoomed = true;
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    let line = shown.lines().find(|line| line.contains(" is free")).unwrap();
    assert!(line.contains("○ ") && shown.contains("needed"), "{shown}");
}

#[test]
fn the_budget_bar_shows_what_is_kept_for_tasks_at_work() {
    let (ui, mut run, events) = waiting_for_room();
    let shown = |run: &Run| {
        let shown = text(&painted(&ui, run, &events, 160, 45));
        shown.lines().find(|line| line.starts_with(" budget")).unwrap().to_owned()
    };
    let cap = run.ledger.run().limits.cap(run::Cap::Tokens).unwrap();
    let at_work = run.open().find(|one| one.task.is_some()).unwrap().id;
    run.ledger.allot(at_work, None);
    assert!(!shown(&run).contains("kept for tasks"), "{}", shown(&run));
    run.ledger.allot(at_work, Some(run::Limits::of(run::Cap::Tokens, cap / 2)));
    let line = shown(&run);
    assert!(line.contains('╍') && line.contains("k kept for tasks"), "{line}");
}
