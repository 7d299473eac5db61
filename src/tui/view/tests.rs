use std::sync::Arc;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{Cache, Scene, draw};
use crate::field::{Field, Lines};
use crate::fixture::model::{self, STAGES, Stage};
use crate::fixture::{self, Until};
use crate::link::{Mode, Notice};
use crate::overlays::Overlay;
use crate::overlays::answering::Answering;
use crate::overlays::choosing::Choosing;
use crate::overlays::confirm::Confirm;
use crate::overlays::filtering::Filtering;
use crate::overlays::help::{self, Help};
use crate::overlays::inspector::{Form, Inspector};
use crate::overlays::passage::Passage;
use crate::overlays::raising::Raising;
use crate::overlays::writing::{Purpose, Writing};
use crate::screens::Page;
use crate::screens::findings::Wording;
use crate::screens::home::{self, Home, HomeUi, RunLine};
use crate::screens::team::Focus;
use crate::theme::Theme;
use crate::ui::{Desk, Moment, Ui};
use crate::update::{Msg, update};
use crate::view::transcript::Step;
use run::event::Admission;
use run::plan::PlanEdit;
use run::{AssignmentId, Envelope, Event, Priority, Role, Run, Steer, TaskId};
use text::{Clean, is_forbidden};

mod calls;
mod hostile;
mod room;
mod states;
mod whole;

fn theme() -> Theme {
    Theme::load("default", None).unwrap()
}

/// A screen that has just seen these events.
fn screen(until: Until) -> (Ui, Run, Vec<Arc<Envelope>>) {
    let events = fixture::events(until);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.shown(std::time::Duration::ZERO);
    (ui, run, events)
}

fn painted(ui: &Ui, run: &Run, events: &[Arc<Envelope>], width: u16, height: u16) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    draw(&mut buf, area, Scene { ui, run, events, theme: &theme() }, &mut Cache::default());
    buf
}

fn text(buf: &Buffer) -> String {
    use unicode_width::UnicodeWidthStr;
    let mut text = String::new();
    for y in 0..buf.area.height {
        let mut x = 0;
        let mut row = String::new();
        while x < buf.area.width {
            let symbol = buf[(x, y)].symbol();
            row.push_str(symbol);
            x += u16::try_from(symbol.width().max(1)).unwrap();
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

const SIZES: [(u16, u16); 4] = [(120, 40), (80, 24), (40, 10), (20, 5)];

fn snapshots(name: &str, ui: &Ui, run: &Run, events: &[Arc<Envelope>]) {
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), text(&painted(ui, run, events, width, height)));
    }
}

#[test]
fn the_team_page_shows_the_plan_before_anyone_works_on_it() {
    let (ui, run, events) = screen(Until::Planned);
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    for title in ["pgvector", "Qdrant", "Pinecone", "merger", "you: findings", "writer", "gates", "review"] {
        assert!(shown.contains(title), "{title} is not in\n{shown}");
    }
}

#[test]
fn screens_of_a_run() {
    for (name, until) in [
        ("planned", Until::Planned),
        ("researching", Until::Researching),
        ("checkpoint", Until::Checkpoint),
        ("corrected", Until::Corrected),
        ("done", Until::Done),
    ] {
        let (ui, run, events) = screen(until);
        snapshots(name, &ui, &run, &events);
    }
}

#[test]
fn a_wide_screen_has_the_passage_beside_the_findings_and_both_at_full_height() {
    let (ui, run, events) = screen(Until::Checkpoint);
    insta::assert_snapshot!("checkpoint_160x30", text(&painted(&ui, &run, &events, 160, 30)));
}

#[test]
fn claims_stand_whole_where_all_of_them_fit_and_in_a_row_each_where_they_do_not() {
    let (ui, run, events) = screen(Until::Checkpoint);
    let low = text(&painted(&ui, &run, &events, 120, 20));
    assert!(low.contains("for the vector type, so…") && !low.contains("as half-precision values first."), "{low}");
    let high = text(&painted(&ui, &run, &events, 120, 40));
    assert!(high.contains("that longer embeddings have to be shortened"), "{high}");
    // A further line of a claim is a part of its finding for the mouse as well.
    let area = Rect::new(0, 0, 120, 40);
    let (mut buf, mut cache) = (Buffer::empty(area), Cache::default());
    draw(&mut buf, area, Scene { ui: &ui, run: &run, events: &events, theme: &theme() }, &mut cache);
    let third = Some(crate::spot::Spot::Finding(fixture::findings()[2].id));
    let rows = (0..40).filter(|y| cache.spot((20, *y)) == third).count();
    assert_eq!(rows, 3, "each of its lines");
}

#[test]
fn a_claim_that_is_disputed_and_in_the_persons_words_says_both() {
    let (_, run, mut events) = screen(Until::Checkpoint);
    let (finding, checkpoint) = (fixture::findings()[1].id, run.open_checkpoint().unwrap().id);
    let edit = run::checkpoint::findings::Edit::Reword { finding, claim: "The default is 41.".into() };
    let event = Event::CheckpointEdited { checkpoint, edit: run::checkpoint::Edit::Findings(edit) };
    events.push(Arc::new(Envelope { seq: run::Seq(events.len() as u64 + 1), at: run.at, event }));
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    ui.page = Page::Findings;
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    let row = shown.lines().find(|line| line.contains("The default is 41.")).unwrap();
    assert!(row.contains('✎') && row.contains("≠ contradicts"), "{row}");
}

#[test]
fn a_wide_screen_has_the_evidence_beside_the_brief_and_the_text_says_what_is_yours() {
    let (mut ui, run, events) = screen(Until::Done);
    presses(&mut ui, &run, "n");
    insta::assert_snapshot!("done_160x45", text(&painted(&ui, &run, &events, 160, 45)));
}

#[test]
fn screens_of_a_team_that_is_steered() {
    let message = |text: &str| Steer::Tell { text: text.into() };
    let acts = [
        (3, Steer::Pause),
        (3, message("and what does it cost?")),
        (4, Steer::Prioritise(Priority::High)),
        (4, message("only of this year")),
    ];
    let events = fixture::steered(&acts);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    ui.team.pane = Some(AssignmentId::nth(3));
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.shown(std::time::Duration::ZERO);
    snapshots("steered", &ui, &run, &events);
    let field = Field::new("and what does it cost?", Lines::Many);
    let id = AssignmentId::nth(4);
    for (name, overlay) in [
        ("steered_message", Overlay::Writing(Writing { purpose: Purpose::Message(id), field })),
        ("steered_cancel", Overlay::Confirm(Confirm::CancelOne(id))),
        ("steered_choosing", Overlay::Choosing(Choosing { assignment: id, choice: 0 })),
    ] {
        let ui = Ui { overlay, ..ui.clone() };
        insta::assert_snapshot!(name, text(&painted(&ui, &run, &events, 100, 24)));
    }
}

#[test]
fn screens_of_memory() {
    for (name, kept, pane) in [("memory_known", false, 1), ("memory_kept", true, 4)] {
        let events = fixture::memory::events(kept);
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        assert_eq!(run.misfits, 0);
        let mut ui = Ui::new(Mode::Live, run.at);
        update(&mut ui, &run, Msg::Folded(Moment::Latest));
        ui.shown(std::time::Duration::ZERO);
        ui.team.pane = Some(run::AssignmentId::nth(pane));
        snapshots(name, &ui, &run, &events);
    }
}

#[test]
fn screens_of_a_plan() {
    let reworded =
        PlanEdit::Reword { task: TaskId(1), title: "pgvector".into(), question: "What does Qdrant cost?".into() };
    let added = PlanEdit::Add {
        task: TaskId(4),
        title: "Costs of hosting".into(),
        question: "What does Qdrant cost?".into(),
        role: Role::new(Role::RESEARCHER),
    };
    for (name, edits) in
        [("plan_put", vec![]), ("plan_edited", vec![PlanEdit::Drop { task: TaskId(3) }, reworded, added])]
    {
        let events = fixture::with_plan_put(edits);
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        let mut ui = Ui::new(Mode::Live, run.at);
        update(&mut ui, &run, Msg::Folded(Moment::Latest));
        ui.shown(std::time::Duration::ZERO);
        assert_eq!(ui.page, Page::Plan, "the screen turns to the plan");
        if name == "plan_edited" {
            ui.plan.selected = Some(TaskId(4));
        }
        snapshots(name, &ui, &run, &events);
        look(name, &painted(&ui, &run, &events, 120, 40));
    }
}

#[test]
fn screens_of_a_question_to_the_person() {
    for (name, choices) in
        [("asked_choice", &["go on without it", "try it once more", "stop the run"][..]), ("asked_words", &[])]
    {
        let events = fixture::with_question(choices);
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        let mut ui = Ui::new(Mode::Live, run.at);
        update(&mut ui, &run, Msg::Folded(Moment::Latest));
        ui.shown(std::time::Duration::ZERO);
        assert_eq!(ui.page, Page::Team, "others may be at work: the page stays");
        snapshots(name, &ui, &run, &events);
        ui.overlay = Overlay::Answering(Answering { choice: 1, words: Field::new("the blue one", Lines::Many) });
        snapshots(&format!("{name}_open"), &ui, &run, &events);
    }
}

/// A screen over a run that models do.
fn model_screen(stage: Stage) -> (Ui, Run, Vec<Arc<Envelope>>) {
    let events = model::events(stage);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    ui.live = model::live(&run);
    if stage != Stage::Working {
        update(&mut ui, &run, Msg::Notice(Notice::Committed(events.clone())));
    }
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.shown(std::time::Duration::ZERO);
    (ui, run, events)
}

const MODEL_SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

fn model_snapshots(name: &str, ui: &Ui, run: &Run, events: &[Arc<Envelope>]) {
    for (width, height) in MODEL_SIZES {
        let shown = painted(ui, run, events, width, height);
        look(&format!("{name}_{width}x{height}"), &shown);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), text(&shown));
    }
}

/// Writes a screen with its colours into the folder that `MASTHEAD_LOOK` names, to be looked at.
fn look(name: &str, buf: &Buffer) {
    use std::fmt::Write;
    let Some(folder) = std::env::var_os("MASTHEAD_LOOK") else { return };
    let mut message = String::new();
    for y in 0..buf.area.height {
        for x in 0..buf.area.width {
            let cell = &buf[(x, y)];
            let code = |colour: ratatui::style::Color, base: u8| match colour {
                ratatui::style::Color::Reset => String::new(),
                colour => format!(";{}", colour_code(colour, base)),
            };
            let attributes: String =
                [(Modifier::BOLD, 1), (Modifier::DIM, 2), (Modifier::ITALIC, 3), (Modifier::REVERSED, 7)]
                    .into_iter()
                    .filter(|(modifier, _)| cell.modifier.contains(*modifier))
                    .map(|(_, code)| format!(";{code}"))
                    .collect();
            let _ = write!(message, "\x1b[0{attributes}{}{}m{}", code(cell.fg, 30), code(cell.bg, 40), cell.symbol());
        }
        message.push_str("\x1b[0m\n");
    }
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.ansi")), message).unwrap();
}

fn colour_code(colour: ratatui::style::Color, base: u8) -> u8 {
    use ratatui::style::Color::*;
    let dark = [Black, Red, Green, Yellow, Blue, Magenta, Cyan, Gray];
    let light = [DarkGray, LightRed, LightGreen, LightYellow, LightBlue, LightMagenta, LightCyan, White];
    let at = |colours: [ratatui::style::Color; 8]| {
        colours.into_iter().zip(0u8..).find(|(c, _)| *c == colour).map(|(_, n)| n)
    };
    at(dark).map(|n| base + n).or_else(|| at(light).map(|n| base + 60 + n)).unwrap_or(base + 9)
}

#[test]
fn screens_of_a_run_of_models() {
    for (name, stage) in
        [("model_working", Stage::Working), ("model_doubted", Stage::Doubted), ("model_latched", Stage::Latched)]
    {
        let (ui, run, events) = model_screen(stage);
        model_snapshots(name, &ui, &run, &events);
    }
    let (mut ui, run, events) = model_screen(Stage::Working);
    (ui.team.zoomed, ui.team.pane) = (true, Some(run::AssignmentId::nth(2)));
    model_snapshots("model_transcript", &ui, &run, &events);
    ui.overlay = Overlay::Inspector(Inspector::of(&run, Step::Exchange(fixture_call(1))));
    model_snapshots("model_exchange", &ui, &run, &events);
    ui.overlay = Overlay::Inspector(Inspector::in_form(&run, Step::Exchange(fixture_call(1)), Form::Raw));
    presses(&mut ui, &run, "G");
    model_snapshots("model_exchange_raw", &ui, &run, &events);
}

fn fixture_call(n: u32) -> run::CallId {
    run::CallId::new(run::AssignmentId::nth(2), n)
}

#[test]
fn what_is_heard_is_of_the_latest_moment_only() {
    let (mut ui, run, events) = model_screen(Stage::Working);
    let (streams, waits) = ("one thing to back up", "waits for anthropic: overloaded, again in 0:12");
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    assert!(shown.contains(streams) && shown.contains(waits), "{shown}");
    for (moment, mode) in [(Moment::Earlier { latest: run.seq }, Mode::Live), (Moment::Latest, Mode::Replay)] {
        (ui.moment, ui.mode) = (moment, mode);
        let shown = text(&painted(&ui, &run, &events, 120, 40));
        assert!(!shown.contains(streams) && !shown.contains(waits), "{shown}");
    }
}

/// A screen that inspects something of the run with all that is worth it.
fn inspecting(what: impl Fn(&Run) -> Step, keys: &str) -> (Ui, Run, Vec<Arc<Envelope>>) {
    let events = fixture::inspected::events();
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Replay, run.at);
    ui.overlay = Overlay::Inspector(Inspector::of(&run, what(&run)));
    presses(&mut ui, &run, keys);
    (ui, run, events)
}

#[test]
fn screens_of_the_inspector() {
    let refused = |run: &Run| {
        Step::Refused(
            AssignmentId::ROOT,
            run.root().unwrap().transcript.turns.iter().position(|turn| is_refused(turn)).unwrap(),
        )
    };
    fn is_refused(turn: &run::Turn) -> bool {
        matches!(turn.did, run::transcript::Did::Refused { .. })
    }
    let last = |run: &Run| Step::Handoff(run.handoffs.last().unwrap().no);
    let to_writer = |run: &Run| {
        let to = run.handoffs.iter().find(|one| one.names.1.as_str() == "writer");
        Step::Handoff(to.unwrap().no)
    };
    for (name, (ui, run, events)) in [
        ("inspector_refused", inspecting(refused, "")),
        ("inspector_writer", inspecting(to_writer, "jjj")),
        ("inspector_draft_changes", inspecting(last, "d")),
        ("inspector_edit_changes", inspecting(to_writer, "d")),
        ("inspector_raw", inspecting(refused, "t")),
    ] {
        for (width, height) in [(80, 24), (160, 45), (40, 10), (20, 5)] {
            insta::assert_snapshot!(
                format!("{name}_{width}x{height}"),
                text(&painted(&ui, &run, &events, width, height))
            );
        }
    }
}

#[test]
fn what_is_looked_for_in_the_inspector_is_typed_over_it_and_found_in_what_is_folded() {
    let last = |run: &Run| Step::Handoff(run.handoffs.last().unwrap().no);
    let (mut ui, run, events) = inspecting(last, "c/limited");
    let shown = text(&painted(&ui, &run, &events, 100, 24));
    assert!(shown.contains(" / limited") && shown.contains("is limited to 2,000"), "{shown}");
    presses(&mut ui, &run, "\n");
    let shown = text(&painted(&ui, &run, &events, 100, 24));
    assert!(shown.contains("/limited 1 of"), "{shown}");
    presses(&mut ui, &run, "c");
    let shown = text(&painted(&ui, &run, &events, 100, 24));
    assert!(!shown.contains("is limited to 2,000"), "{shown}");
    presses(&mut ui, &run, "n");
    assert!(text(&painted(&ui, &run, &events, 100, 24)).contains("is limited to 2,000"));
}

#[test]
fn screens_over_the_page() {
    let (mut ui, run, events) = screen(Until::Done);
    ui.overlay = Overlay::Inspector(Inspector::of(&run, Step::Handoff(run::HandoffNo(3))));
    snapshots("payload", &ui, &run, &events);
    ui.overlay = Overlay::Passage(Passage { findings: vec![fixture::findings()[4].id], scroll: 0 });
    ui.brief.cite = Some(4);
    snapshots("passage", &ui, &run, &events);
    ui.overlay = Overlay::None;
    help::open(&mut ui);
    snapshots("help", &ui, &run, &events);
}

/// Presses keys, a line for Enter.
fn presses(ui: &mut Ui, run: &Run, keys: &str) {
    use crossterm::event::{KeyCode, KeyEvent};
    for key in keys.chars() {
        let code = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
        update(ui, run, Msg::Key(KeyEvent::from(code), std::time::Duration::from_secs(1)));
    }
}

#[test]
fn screens_of_raising_a_cap() {
    let (mut ui, run, events) = screen(Until::Checkpoint);
    presses(&mut ui, &run, "b");
    snapshots("raising", &ui, &run, &events);
    presses(&mut ui, &run, "a lot\n");
    snapshots("raising_wrong", &ui, &run, &events);
    let (mut ui, run, events) = model_screen(Stage::Doubted);
    presses(&mut ui, &run, "b2");
    model_snapshots("raising_money", &ui, &run, &events);
}

#[test]
fn the_home_screen() {
    let empty = HomeUi::new(Home { sources: vec!["examples/vector-databases".into()], ..Home::default() });
    let line = |id: &str, phase: run::Phase| RunLine {
        id: id.parse().unwrap(),
        state: (&phase).into(),
        question: "Compare the trade-offs of pgvector, Qdrant and Pinecone".into(),
        tags: Clean::default(),
        age: "2 h".into(),
        cost: "$0".into(),
        alarm: Clean::default(),
        is_active: false,
    };
    let runs = vec![line("7f3k", run::Phase::NeedsYou), line("a8x2qm", run::Phase::Ended(run::Outcome::Done))];
    let filled = HomeUi::new(Home { runs, question: "What is a vector index?".into(), ..Home::default() });
    for (name, ui) in [("home_new", empty), ("home_runs", filled)] {
        for (width, height) in SIZES {
            let area = Rect::new(0, 0, width, height);
            let mut buf = Buffer::empty(area);
            home::draw(&mut buf, area, &ui, &theme());
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), text(&buf));
        }
    }
}

#[test]
fn a_run_that_waits_shows_its_question_and_why_it_waits() {
    let run = RunLine {
        id: "7f3k2m".parse().unwrap(),
        state: (&run::Phase::NeedsYou).into(),
        question: "Compare the trade-offs of pgvector, Qdrant and Pinecone".into(),
        tags: Clean::default(),
        age: "2 h".into(),
        cost: "5,700 / 200k tok".into(),
        alarm: "17 findings from 3 researchers to approve, drop, edit or add to".into(),
        is_active: false,
    };
    let ui = HomeUi::new(Home { runs: vec![run], ..Home::default() });
    for (width, says) in [(80, "Compare the trade"), (100, "Compare the trade-offs"), (120, "Compare the trade-offs")] {
        let area = Rect::new(0, 0, width, 24);
        let mut buf = Buffer::empty(area);
        home::draw(&mut buf, area, &ui, &theme());
        let shown = text(&buf);
        let row = shown.lines().find(|row| row.contains("7f3k2m")).unwrap();
        assert!(row.contains(says) && row.contains("! 17 findings"), "{width}: {row}");
    }
}

#[test]
fn a_message_that_is_longer_than_the_last_line_is_shown_whole() {
    let (mut ui, run, events) = screen(Until::Researching);
    let words = "this is happening now: go back to an event first ([ or '), then f forks the run from there";
    ui.status = Some(words.into());
    for (width, height) in [(120, 40), (80, 24), (40, 10)] {
        let shown = text(&painted(&ui, &run, &events, width, height));
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.ends_with(words), "{width}: {shown}");
    }
}

#[test]
fn dialogs_and_the_help_say_all_they_have_to_say_at_80_columns() {
    let (base, run, events) = screen(Until::Researching);
    for (keys, says) in [
        (
            "?/write a command",
            "find what a key does, and do it; or write a command: break WHERE, clear N, #N for an event",
        ),
        ("D", "none: a sets one, and B one before the specialist in front is handed anything"),
        (":", "before a handoff to it; from:ROLE, by it"),
        (":", "before such a call goes out; call for any"),
    ] {
        let mut ui = base.clone();
        presses(&mut ui, &run, keys);
        let shown = text(&painted(&ui, &run, &events, 80, 60)).replace('│', " ");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(says), "{keys}: {shown}");
    }
    let mut ui = base;
    crate::overlays::forking::open(&mut ui, "");
    let shown = text(&painted(&ui, &run, &events, 80, 24)).replace('│', " ");
    for says in ["what is kept counts", "--findings, --plan", "nothing is asked before", "seen the cost"] {
        assert!(shown.contains(says), "{says}: {shown}");
    }
}

/// Every page and overlay that can be shown of a run.
fn every_screen(until: Until) -> Vec<(Ui, Run, Vec<Arc<Envelope>>)> {
    let (base, run, events) = screen(until);
    let mut screens = Vec::new();
    let findings = fixture::findings();
    for page in [Page::Team, Page::Findings, Page::Brief] {
        for focus in [Focus::Panes, Focus::Handoffs, Focus::Graph] {
            for zoomed in [false, true] {
                let mut ui = base.clone();
                (ui.page, ui.team.focus, ui.team.zoomed) = (page, focus, zoomed);
                screens.push(ui);
            }
        }
    }
    let words = Field::new("日本語 words", Lines::One);
    for overlay in [
        Overlay::Help(Help { over: Box::default(), filter: words.clone(), filtering: true, choice: 9 }),
        Overlay::Inspector(Inspector::of(&run, Step::Handoff(run::HandoffNo(1)))),
        Overlay::Inspector(Inspector::in_form(&run, Step::Handoff(run::HandoffNo(2)), Form::Raw)),
        Overlay::Inspector(Inspector::in_form(&run, Step::Handoff(run::HandoffNo(4)), Form::Changes(0))),
        Overlay::Passage(Passage { findings: findings.iter().map(|f| f.id).collect(), scroll: 2 }),
        Overlay::Writing(Writing { purpose: Purpose::Findings(Wording::Edit(findings[0].id)), field: words.clone() }),
        Overlay::Writing(Writing { purpose: Purpose::Findings(Wording::More(None)), field: words.clone() }),
        Overlay::Filtering(Filtering(words.clone())),
        Overlay::Raising(Raising { cap: run::Cap::Time, field: words }),
        Overlay::Confirm(Confirm::Cancel),
        Overlay::Confirm(Confirm::ApproveNothing),
        Overlay::Confirm(Confirm::RefuseForGood),
        Overlay::Confirm(Confirm::RetryOne(AssignmentId::nth(2))),
        Overlay::Choosing(Choosing { assignment: AssignmentId::nth(2), choice: 0 }),
        Overlay::Choosing(Choosing { assignment: AssignmentId::nth(99), choice: 7 }),
    ] {
        let mut ui = base.clone();
        ui.overlay = overlay;
        screens.push(ui);
    }
    screens
        .into_iter()
        .map(|ui| (ui, run.clone(), events.clone()))
        .chain(STAGES.into_iter().flat_map(model_screens))
        .collect()
}

/// A run of models as it is shown in every way that others are not.
fn model_screens(stage: Stage) -> Vec<(Ui, Run, Vec<Arc<Envelope>>)> {
    let (base, run, events) = model_screen(stage);
    let overlays = [
        Overlay::None,
        Overlay::Inspector(Inspector::of(&run, Step::Exchange(fixture_call(1)))),
        Overlay::Inspector(Inspector::in_form(&run, Step::Exchange(fixture_call(3)), Form::Raw)),
    ];
    let shown = overlays.into_iter().map(|overlay| Ui { overlay, ..base.clone() });
    shown.map(|ui| (ui, run.clone(), events.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_screen_can_be_drawn_at_any_size(width in 0u16..300, height in 0u16..100, stage in 0usize..7, small: bool) {
        let (width, height) = if small { (width % 60, height % 16) } else { (width, height) };
        for (ui, run, events) in every_screen(fixture::ALL[stage]) {
            painted(&ui, &run, &events, width, height);
        }
    }
}

#[test]
fn a_smaller_area_of_a_larger_buffer_is_kept_to() {
    for (ui, run, events) in every_screen(Until::Done) {
        let whole = Rect::new(0, 0, 130, 50);
        let mut buf = Buffer::filled(whole, ratatui::buffer::Cell::new("#"));
        let area = Rect::new(3, 2, 100, 30);
        draw(&mut buf, area, Scene { ui: &ui, run: &run, events: &events, theme: &theme() }, &mut Cache::default());
        for y in 0..50 {
            for x in 0..130 {
                let inside = area.contains(ratatui::layout::Position { x, y });
                assert!(inside || buf[(x, y)].symbol() == "#", "{x},{y} was painted");
            }
        }
    }
}

#[test]
fn nothing_that_drives_a_terminal_reaches_the_buffer() {
    // Text is clean by its type; a folder's name or a role's name is not text.
    let mut events = fixture::events(Until::Researching);
    let evil = "\u{1b}]52;c;ZXZpbA==\u{7}\u{202e}\u{200b}\u{e0041}\u{9b}31m";
    for envelope in &mut events {
        let mut changed = (**envelope).clone();
        if let run::Event::HandedOff { opened, .. } = &mut changed.event {
            for opened in opened {
                opened.role = run::Role::new(&format!("{}{evil}", opened.role));
            }
        }
        *envelope = Arc::new(changed);
    }
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    for (mut ui, _, _) in every_screen(Until::Researching) {
        ui.status = Some(Clean::new(evil));
        let buf = painted(&ui, &run, &events, 120, 40);
        for cell in buf.content() {
            assert!(!cell.symbol().chars().any(is_forbidden), "{:?}", cell.symbol());
        }
    }
}

#[test]
fn in_ascii_nothing_else_is_drawn() {
    let theme = theme().in_ascii(true);
    for until in [Until::Opened, Until::Researching, Until::Writing, Until::Done] {
        for (ui, run, events) in every_screen(until) {
            let area = Rect::new(0, 0, 120, 40);
            let mut buf = Buffer::empty(area);
            draw(&mut buf, area, Scene { ui: &ui, run: &run, events: &events, theme: &theme }, &mut Cache::default());
            // The texts of people and documents stay as they wrote them.
            let own =
                |symbol: &str| symbol.chars().any(|c| c.is_alphabetic() || "，。".contains(c)) || symbol == "\u{a0}";
            let other = buf.content().iter().find(|cell| !cell.symbol().is_ascii() && !own(cell.symbol()));
            assert_eq!(other, None);
        }
    }
}

#[test]
fn a_narrow_screen_still_says_who_needs_whom() {
    let (ui, run, events) = screen(Until::Checkpoint);
    let shown = text(&painted(&ui, &run, &events, 20, 5));
    assert!(shown.contains("◆ needs you"), "{shown}");
}

/// The team page of a drill after `until` events.
fn drilled(name: &str, until: usize, zoomed: bool, (width, height): (u16, u16)) -> String {
    let drill = drill::named(name).unwrap();
    let opening = drill.opening("abcd".parse().unwrap(), ::team::drill());
    let events: Vec<Arc<Envelope>> =
        kit::play(opening, Arc::new(*drill), Arc::new(drill::DrillTools)).into_iter().map(Arc::new).collect();
    let events = &events[..until.min(events.len())];
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    (ui.team.zoomed, ui.team.pane) = (zoomed, Some(run::AssignmentId::ROOT));
    ui.exercises = Some(drill::exercise);
    text(&painted(&ui, &run, events, width, height))
}

#[test]
fn a_drill_says_what_will_go_wrong_and_then_what_caught_it_and_a_low_screen_keeps_its_page() {
    for size in [(120, 40), (80, 24)] {
        let begun = drilled("loop-of-three", 6, false, size);
        assert!(begun.contains("● drill") && begun.contains("each rewording it"), "{begun}");
        let over = drilled("loop-of-three", usize::MAX, false, size);
        assert!(over.contains("✓ caught") && over.contains("would be level 4, the most is 3"), "{over}");
        assert!(over.contains("graph") && over.contains("scripted specialists"), "{over}");
    }
    assert!(!drilled("loop-of-three", usize::MAX, false, (40, 10)).contains("level 4"));
}

#[test]
fn a_handoff_that_was_not_sent_is_shown_with_what_it_carried() {
    let shown = drilled("lost-handoff", usize::MAX, true, (120, 60));
    assert!(shown.contains("✗ refused: a handoff to `writer` was not sent"), "{shown}");
    assert!(shown.contains("not sent to writer: 4 findings approved"), "{shown}");
}

/// A screen over a run whose first draft was sent back.
fn sent_back() -> (Ui, Run, Vec<Arc<Envelope>>) {
    let events = fixture::revised::events();
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    ui.page = Page::Team;
    (ui, run, events)
}

#[test]
fn the_graph_shows_verdicts_and_the_way_back_to_the_writer() {
    let (ui, run, events) = sent_back();
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let shown = painted(&ui, &run, &events, width, height);
        look(&format!("sent_back_{width}x{height}"), &shown);
        insta::assert_snapshot!(format!("sent_back_{width}x{height}"), text(&shown));
    }
    let shown = text(&painted(&ui, &run, &events, 200, 60));
    for says in ["writer ↺1", "draft 2/3", "✓ gates", "PASS", "↺ review", "REVISE 1 issue", "revise: 1 issue"] {
        assert!(shown.contains(says), "{says} is not in\n{shown}");
    }
}

#[test]
fn a_run_that_is_replayed_stopped_or_past_shows_nobody_at_work() {
    let (mut ui, run, events) = screen(Until::Researching);
    let running = |ui: &Ui| text(&painted(ui, &run, &events, 120, 40)).contains('●');
    let nobody = |ui: &Ui| {
        let page = text(&painted(ui, &run, &events, 120, 40));
        // The last lines are the journal's own marks.
        page.lines().take(36).all(|line| !line.contains('●'))
    };
    assert!(running(&ui) && !nobody(&ui));
    ui.mode = Mode::Replay;
    assert!(nobody(&ui), "a replay");
    ui.moment = Moment::Earlier { latest: run.seq };
    assert!(nobody(&ui), "the past of a replay");
    ui.mode = Mode::Live;
    assert!(nobody(&ui), "the past");
    (ui.moment, ui.desk) = (Moment::Latest, Desk::Stopped(None));
    assert!(nobody(&ui), "no desk");
}

#[test]
fn who_waits_for_a_provider_is_marked_so_in_the_graph_in_its_pane_and_in_the_header() {
    let (ui, run, events) = model_screen(Stage::Working);
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(
        shown.contains("◌ Qdrant") && shown.contains("◌ waits for anthropic: overloaded, again in 0:12"),
        "{shown}"
    );
    assert!(shown.lines().next().unwrap().contains("◌ 1 waits for anthropic, again in 0:12"), "{shown}");
    // Without the others nobody is at work.
    let mut alone = run.clone();
    for id in [2, 4] {
        let event = Event::Steered { assignment: AssignmentId::nth(id), act: Steer::Pause };
        alone.apply(&Envelope { seq: alone.seq.next(), at: alone.at, event });
        assert_eq!(alone.misfits, 0);
    }
    let shown = text(&painted(&ui, &alone, &events, 160, 45));
    assert!(shown.lines().next().unwrap().contains("◌ 1 waits for anthropic, again in 0:12  "), "{shown}");
    assert!(!shown.lines().next().unwrap().contains("researching"), "{shown}");
}

#[test]
fn themes_differ_in_style_and_never_in_what_is_said() {
    let (ui, run, events) = sent_back();
    let area = Rect::new(0, 0, 160, 45);
    let [default, light] = ["default", "light"].map(|name| {
        let (mut buf, theme) = (Buffer::empty(area), Theme::load(name, None).unwrap());
        draw(&mut buf, area, Scene { ui: &ui, run: &run, events: &events, theme: &theme }, &mut Cache::default());
        look(&format!("sent_back_{name}"), &buf);
        buf
    });
    assert_eq!(text(&default), text(&light));
    assert_ne!(default, light);
}

#[test]
fn arrows_walk_the_graph_and_say_what_a_node_waits_for() {
    let (mut ui, run, events) = screen(Until::Researching);
    press(&mut ui, &run, "v");
    let arrow = |ui: &mut Ui, code| {
        ui.seen.is_boxes = true;
        let key = crossterm::event::KeyEvent::from(code);
        update(ui, &run, Msg::Key(key, std::time::Duration::ZERO));
    };
    use crossterm::event::KeyCode::{Down, Left, Right, Up};
    ui.team.pane = Some(AssignmentId::ROOT);
    [Down, Down, Left].into_iter().for_each(|code| arrow(&mut ui, code));
    assert_eq!(ui.team.pane, Some(AssignmentId::nth(2)), "pgvector and its pane");
    [Right, Down].into_iter().for_each(|code| arrow(&mut ui, code));
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(shown.contains("merger  waits for Qdrant, Pinecone · on the critical path"), "{shown}");
    arrow(&mut ui, Up);
    assert!(text(&painted(&ui, &run, &events, 160, 45)).contains("critical path → merger"));
}

#[test]
fn each_step_of_a_transcript_has_its_line() {
    use crate::view::transcript::{Shape, Tab, laid, steps};
    let mut runs: Vec<Run> = fixture::ALL.into_iter().map(fixture::run).collect();
    runs.extend(STAGES.into_iter().map(model::run));
    runs.push(sent_back().1);
    for (run, tab) in runs.iter().flat_map(|run| [Tab::Transcript, Tab::In, Tab::Out, Tab::Calls].map(|tab| (run, tab)))
    {
        for assignment in run.assignments() {
            let shape = Shape { tab, ..Shape::default() };
            let laid = laid(run, assignment, shape, 60, &theme());
            assert_eq!(laid.steps.len(), steps(assignment, tab).len(), "{} {tab:?}", assignment.role);
            assert!(laid.steps.iter().all(|line| *line < laid.lines.len()), "{} {tab:?}", assignment.role);
        }
    }
}

#[test]
fn a_tool_call_opens_with_its_arguments_and_the_passages_it_found() {
    let (mut ui, run, events) = screen(Until::Researching);
    (ui.team.zoomed, ui.team.pane) = (true, Some(AssignmentId::nth(2)));
    press(&mut ui, &run, "kkkkkkkkkj");
    presses(&mut ui, &run, "\n");
    let shown = painted(&ui, &run, &events, 120, 40);
    look("tool_call", &shown);
    for says in [
        "search  researcher · pgvector",
        "arguments",
        "pgvector trade-offs index filter limits",
        "pgvector/tuning.md:31",
        "hnsw.ef_search is 40",
    ] {
        assert!(text(&shown).contains(says), "{says} is not in\n{}", text(&shown));
    }
}

#[test]
fn words_are_found_in_a_pane_and_what_is_new_below_a_scrolled_one_is_counted() {
    let (mut ui, run, events) = screen(Until::Done);
    ui.page = Page::Team;
    (ui.team.zoomed, ui.team.pane) = (true, Some(AssignmentId::nth(2)));
    presses(&mut ui, &run, "/ef_search\nn");
    let shown = painted(&ui, &run, &events, 80, 24);
    let lit: String = shown
        .content()
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
        .map(|cell| cell.symbol())
        .collect();
    assert!(lit.contains("ef_search"), "{lit}\n{}", text(&shown));
    assert!(text(&shown).contains("/ef_search 1 of "), "{}", text(&shown));
    presses(&mut ui, &run, "/no such words at all\n");
    let shown = text(&painted(&ui, &run, &events, 80, 24));
    assert!(shown.contains("/no such words a… not found"), "{shown}");
    presses(&mut ui, &run, "q");
    ui.team.scrolled.insert(AssignmentId::nth(2), crate::screens::team::Scrolled { from: 0, of: Some(9) });
    let shown = text(&painted(&ui, &run, &events, 80, 14));
    assert!(shown.contains("new lines below"), "{shown}");
}

#[test]
fn thinking_streams_dimmed_and_folds_once_the_answer_begins() {
    let (mut ui, run, events) = model_screen(Stage::Working);
    let call = run::CallId::new(AssignmentId::nth(4), 1);
    let heard = |what, text: &str| Msg::Notice(Notice::Heard { call, what, text: text.into() });
    (ui.team.zoomed, ui.team.pane) = (true, Some(AssignmentId::nth(4)));
    update(&mut ui, &run, heard(run::progress::Saying::Thought, "first the limits, then the costs"));
    let progress =
        run::progress::Progress { doing: run::progress::Doing::Thinks, ms: 12_000, tokens: 140, ..Default::default() };
    update(&mut ui, &run, Msg::Notice(Notice::GoesOn { call, progress }));
    let shown = text(&painted(&ui, &run, &events, 100, 30));
    assert!(shown.contains("● thinks  0:12 · 140 tok") && shown.contains("first the limits"), "{shown}");
    let report =
        "{\"findings\": [{\"claim\": \"It scales to zero.\", \"quote\": \"x\", \"source\": \"s\"}, {\"claim\": \"Th";
    update(&mut ui, &run, heard(run::progress::Saying::Answer, report));
    let shown = text(&painted(&ui, &run, &events, 100, 30));
    assert!(shown.contains("• It scales to zero.  s") && shown.contains("▸ thought, 32 B"), "{shown}");
    assert!(!shown.contains("first the limits") && !shown.contains("\"claim\""), "{shown}");
    press(&mut ui, &run, "Tu");
    let shown = text(&painted(&ui, &run, &events, 100, 30));
    assert!(shown.contains("first the limits") && shown.contains("\"claim\""), "{shown}");
}

/// A screen that shows a run over this many tasks.
fn with_sections(tasks: u32) -> (Ui, Run, Vec<Arc<Envelope>>) {
    let events = fixture::sections::events(tasks);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    assert_eq!(run.misfits, 0);
    (Ui::new(Mode::Live, run.at), run, events)
}

fn press(ui: &mut Ui, run: &Run, keys: &str) {
    for key in keys.chars() {
        let key = crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Char(key));
        update(ui, run, Msg::Key(key, std::time::Duration::ZERO));
    }
}

#[test]
fn sections_are_open_where_they_are_few_and_fold_at_a_key() {
    let (mut ui, run, events) = with_sections(12);
    press(&mut ui, &run, "vv");
    snapshots("sections_open", &ui, &run, &events);
    press(&mut ui, &run, "F");
    snapshots("sections_folded", &ui, &run, &events);
    // The pane in front is in the second section: that one opens.
    press(&mut ui, &run, " ");
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    assert!(shown.contains("▸ 1–6: What is subject 1 good for?"), "{shown}");
    assert!(shown.contains("▾ 7–12: What is subject 7 good for?") && shown.contains("subject 12"), "{shown}");
}

#[test]
fn many_sections_are_folded_until_they_are_opened_one_by_one_or_all_at_once() {
    let (mut ui, run, events) = with_sections(10_000);
    press(&mut ui, &run, "vv");
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    assert!(shown.contains("▸ 1–477: What is subject 1 good for?"), "{shown}");
    assert!(!shown.contains("What is subject 2 good for?"), "{shown}");
    press(&mut ui, &run, "F");
    press(&mut ui, &run, "g");
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    assert!(shown.contains("├─○ What is subject 9 good for?"), "{shown}");
    press(&mut ui, &run, "jjjj  ");
    press(&mut ui, &run, "G");
    let last = text(&painted(&ui, &run, &events, 120, 40));
    assert!(last.contains("What is subject 9999 good for?") && last.contains('▴'), "{last}");
}

#[test]
fn a_section_whose_tasks_all_wait_is_not_at_work_and_little_room_has_its_counts_in_marks() {
    let (ui, run, events) = with_sections(60);
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    assert!(shown.contains("─● ▸ 1–") && shown.contains("─○ ▸ "), "{shown}");
    assert!(shown.contains("3 ● 3 ✓ 1 ✗"), "{shown}");
}

#[test]
fn rows_of_folded_sections_stand_still_while_their_members_begin_and_end() {
    let (_, _, events) = with_sections(60);
    let mut places = std::collections::BTreeSet::new();
    for so_far in (1..=events.len()).map(|until| &events[..until]) {
        let run = Run::fold(so_far.iter().map(|envelope| &**envelope));
        if run.plan.is_none() {
            continue;
        }
        let mut ui = Ui::new(Mode::Live, run.at);
        press(&mut ui, &run, "vv");
        let shown = text(&painted(&ui, &run, so_far, 120, 100));
        let is_fixed =
            |line: &&str| line.starts_with('│') && ["▸", "merger", "writer"].iter().any(|mark| line.contains(mark));
        places.insert(
            shown.lines().zip(0..).filter(|(line, _)| is_fixed(line)).map(|(_, row)| row).collect::<Vec<usize>>(),
        );
    }
    assert_eq!(places.len(), 1, "{places:?}");
}

#[test]
fn of_many_panes_those_at_work_have_a_title_which_tells_them_apart_and_the_others_are_counted() {
    let (ui, run, events) = with_sections(60);
    let shown = text(&painted(&ui, &run, &events, 80, 24));
    assert!(shown.contains(" more ─┘"), "{shown}");
    assert!(["subject 5 good", "subject 6 good", "subject 7 good"].iter().all(|name| shown.contains(name)), "{shown}");
    assert!(!shown.contains("researcher · What is sub"), "{shown}");
}

#[test]
fn what_is_asked_once_more_is_another_round_of_its_task_and_moves_no_box() {
    let (ui, mut run, events) = screen(Until::Researching);
    let before = text(&painted(&ui, &run, &events, 160, 45));
    let mut plan = (**run.plan.as_ref().unwrap()).clone();
    let again = plan.tasks[0].title.clone();
    plan.tasks
        .push(run::Task { follows_up: true, ..run::Task::new(TaskId(9), again, "Search for it by name.".into()) });
    run.plan = Some(Arc::new(plan));
    assert_eq!(before, text(&painted(&ui, &run, &events, 160, 45)));
}

#[test]
fn a_wait_without_a_known_end_says_how_long_it_has_lasted() {
    let (mut ui, run, events) = model_screen(Stage::Working);
    let since = run::At(ui.now.0 - 5_000);
    let call = run::CallId::new(AssignmentId::nth(4), 1);
    let wait = |why: &str, since| crate::live::Wait { why: why.into(), until: None, since };
    ui.live.waits(call, wait("a place at anthropic", since));
    ui.live.waits(call, wait("earlier requests to anthropic", ui.now));
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(shown.contains("◌ waits: earlier requests to anthropic, for 0:05"), "in its pane\n{shown}");
    assert!(shown.contains("│ waits for 0:05"), "in its box\n{shown}");
    assert!(shown.lines().next().unwrap().contains("◌ 2 wait for anthropic"), "{shown}");
}

#[test]
fn lines_that_were_there_before_are_not_called_new() {
    let (mut ui, run, events) = screen(Until::Done);
    (ui.page, ui.team.pane, ui.team.zoomed) = (Page::Team, Some(AssignmentId::nth(2)), true);
    // From another pane, before a frame has shown this one.
    press(&mut ui, &run, "kk");
    for shape in ["", "u", "T"] {
        press(&mut ui, &run, shape);
        let area = Rect::new(0, 0, 80, 12);
        let mut buf = Buffer::empty(area);
        let scene = Scene { ui: &ui, run: &run, events: &events, theme: &theme() };
        let seen = draw(&mut buf, area, scene, &mut Cache::default());
        ui.drawn(seen);
        assert!(!text(&buf).contains("new line"), "{shape}\n{}", text(&buf));
    }
}

#[test]
fn the_past_is_said_to_be_it_across_the_header_and_its_stages_are_named() {
    let (mut ui, _, events) = screen(Until::Done);
    let run = Run::fold(events[..20].iter().map(|envelope| &**envelope));
    ui.page = Page::Team;
    ui.moment = Moment::Earlier { latest: events[events.len() - 1].seq };
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let shown = text(&painted(&ui, &run, &events, width, height));
        for says in ["then: ", "past: #20 of", "research"] {
            assert!(shown.contains(says), "{says} at {width}: {shown}");
        }
    }
    ui.moment = Moment::Latest;
    assert!(!text(&painted(&ui, &run, &events, 120, 40)).contains("past"));
}

/// A run one of whose researchers waits for room in the budget, with that one in front.
fn waiting_for_room() -> (Ui, Run, Vec<Arc<Envelope>>) {
    let (ui, run, mut events) = screen(Until::Researching);
    assert!(!text(&painted(&ui, &run, &events, 160, 45)).contains("waits for room"));
    let is_out = |envelope: &&mut Arc<Envelope>| matches!(&envelope.event, Event::ToolsCalled { calls, .. } if run.under_way.contains_key(&calls[0].call));
    let last = events.iter_mut().rfind(is_out).unwrap();
    let mut queued = (**last).clone();
    let Event::ToolsCalled { by, calls, .. } = &mut queued.event else { unreachable!() };
    calls.iter_mut().for_each(|call| call.admission = Admission::Queued);
    let by = *by;
    *last = Arc::new(queued);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    assert!(run.assignment(by).unwrap().ended.is_none() && run.misfits == 0);
    let mut ui = Ui::new(Mode::Live, run.at);
    ui.team.pane = Some(by);
    (ui, run, events)
}

#[test]
fn what_waits_for_room_in_the_budget_is_not_shown_at_work() {
    let (ui, run, events) = waiting_for_room();
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(shown.contains("○ waits for room in the budget") && shown.contains("│ waits for room "), "{shown}");
}

#[test]
fn what_waits_for_room_says_so_in_the_smallest_pane_and_in_the_graph() {
    let (mut ui, run, events) = waiting_for_room();
    for (wide, high, says) in
        [(160, 45, "○ waits for room in the budget"), (80, 24, "○ waits for room"), (50, 20, "○ ")]
    {
        ui.team.zoomed = wide == 50;
        let shown = text(&painted(&ui, &run, &events, wide, high));
        let title = shown.lines().find(|line| line.contains("researcher") && line.contains('─') && line.contains("○ "));
        assert!(title.is_some_and(|title| title.contains(says)), "{wide}: {shown}");
    }
}

#[test]
fn rows_of_sections_keep_their_notes_beside_what_was_taken_at_any_width() {
    let (mut ui, run, events) = with_sections(60);
    press(&mut ui, &run, "vv");
    for wide in 60..=240 {
        let shown = text(&painted(&ui, &run, &events, wide, 60));
        let row = shown.lines().find(|line| line.contains("planner")).unwrap_or_default();
        assert!(row.contains("a plan"), "{wide}: {row}");
    }
}

#[test]
fn the_signs_are_in_sight_at_the_end_of_the_help_of_a_run() {
    let (mut ui, run, events) = screen(Until::Researching);
    press(&mut ui, &run, "?G");
    for (wide, high) in [(80, 24), (120, 40)] {
        let shown = text(&painted(&ui, &run, &events, wide, high));
        assert!(shown.contains("signs") && shown.contains("┄ kept for landing"), "{shown}");
    }
}

#[test]
fn keys_for_steps_begin_where_a_transcript_was_scrolled_or_searched_to() {
    let (mut ui, run, events) = screen(Until::Done);
    press(&mut ui, &run, "z");
    let mut presses_and_draws = |keys: &str| {
        for key in keys.chars() {
            press(&mut ui, &run, &key.to_string());
            let area = Rect::new(0, 0, 100, 14);
            let theme = Theme::load("default", None).unwrap();
            let scene = Scene { ui: &ui, run: &run, events: &events, theme: &theme };
            let seen = crate::view::draw(&mut Buffer::empty(area), area, scene, &mut Cache::default());
            ui.drawn(seen);
        }
        ui.team.steps.values().next().copied()
    };
    assert_eq!(presses_and_draws("1gj"), Some(0));
    assert_eq!(presses_and_draws("j"), Some(1));
    assert_eq!(presses_and_draws("gk"), Some(0));
}

#[test]
fn a_note_that_is_too_long_goes_on_where_nothing_else_stands() {
    let (ui, run, mut events) = screen(Until::Checkpoint);
    let merged = |envelope: &&mut Arc<Envelope>| matches!(&envelope.event, Event::Reported { by, .. } if run.assignment(*by).is_some_and(|by| by.role.as_str() == Role::MERGER));
    let last = events.iter_mut().rfind(merged).unwrap();
    let mut long = (**last).clone();
    let Event::Reported { handoff, .. } = &mut long.event else { unreachable!() };
    let title = "173 findings, 25 folded, 2 contradictions".into();
    *handoff = Arc::new(run::Handoff { title, ..(**handoff).clone() });
    *last = Arc::new(long);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let ui = Ui { page: Page::Team, ..ui };
    let shown = text(&painted(&ui, &run, &events, 160, 45));
    assert!(shown.contains("│ 173 findings, 25 folded") && shown.contains("│ 2 contradictions"), "{shown}");
}

/// The pictures of a run after some keys: the name of the picture, the kind of run, the keys.
const SHOWN: [(&str, &str, &str); 23] = [
    ("team", "researching", ""),
    ("pane", "researching", "z"),
    ("graph", "sent back", "vv"),
    ("sections", "sections", "vv"),
    ("rows", "sections", "F"),
    ("findings", "checkpoint", ""),
    ("findings_filtered", "corrected", "/vector\n"),
    ("approving", "corrected", "A"),
    ("wording", "checkpoint", "e"),
    ("plan", "plan", ""),
    ("question", "choice", "y"),
    ("words", "words", "y"),
    ("breakpoint", "breakpoint", ""),
    ("breakpoints", "researching", "D"),
    ("draft", "draft", ""),
    ("accepting", "draft", "A"),
    ("cap", "cap", "y"),
    ("limited", "models", ""),
    ("doubt", "doubt", ""),
    ("brief", "done", "n"),
    ("places", "done", "'"),
    ("palette", "checkpoint", ":drop"),
    ("forking", "done", "f"),
];

/// Rows of styles: a letter for each style that there is, with how many cells it has.
fn styles(buf: &Buffer, known: &mut Vec<ratatui::style::Style>) -> String {
    let mut text = String::new();
    for y in 0..buf.area.height {
        let mut row: Vec<(usize, usize)> = Vec::new();
        for x in 0..buf.area.width {
            let style = buf[(x, y)].style();
            let at = known.iter().position(|one| *one == style).unwrap_or_else(|| {
                known.push(style);
                known.len() - 1
            });
            match row.last_mut() {
                Some((last, cells)) if *last == at => *cells += 1,
                _ => row.push((at, 1)),
            }
        }
        let cells = row.iter().map(|(at, cells)| format!("{}{cells}", char::from(b'a' + *at as u8)));
        text.push_str(&format!("{}\n", cells.collect::<Vec<_>>().join(" ")));
    }
    text
}

#[test]
fn every_screen_in_three_sizes_and_two_themes() {
    let kinds = fixture::every_kind();
    let [default, contrast] = ["default", "contrast"].map(|name| Theme::load(name, None).unwrap());
    for (name, kind, keys) in SHOWN {
        let (_, events) = kinds.iter().find(|(known, _)| *known == kind).unwrap();
        let (mut shown, mut legend) = (String::new(), String::new());
        let mut known: [Vec<ratatui::style::Style>; 2] = Default::default();
        for (width, height) in [(120, 40), (80, 24), (40, 12)] {
            let area = Rect::new(0, 0, width, height);
            let drawn = [&default, &contrast].map(|theme| crate::still::still(events, keys, area, theme));
            assert_eq!(text(&drawn[0]), text(&drawn[1]), "{name}: a theme changes what is said");
            shown.push_str(&format!("{width} × {height}\n{}\n", text(&drawn[0])));
            for (buf, (theme, known)) in drawn.iter().zip(["default", "contrast"].into_iter().zip(&mut known)) {
                legend.push_str(&format!("{width} × {height} {theme}\n{}\n", styles(buf, known)));
            }
        }
        for (theme, known) in ["default", "contrast"].into_iter().zip(&known) {
            for (n, style) in known.iter().enumerate() {
                legend.push_str(&format!("{theme} {} {style:?}\n", char::from(b'a' + n as u8)));
            }
        }
        insta::assert_snapshot!(format!("screen_{name}"), shown);
        insta::assert_snapshot!(format!("styles_{name}"), legend);
    }
}
