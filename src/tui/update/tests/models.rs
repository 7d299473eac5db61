//! Model calls that need the person, and the notices of them.

use super::*;

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
fn leaving_while_a_model_answers_takes_a_second_press_and_esc_never_leaves() {
    for (keys, effects) in [
        ("q", vec![]),
        ("Q", vec![]),
        ("<esc><esc><esc>", vec![]),
        ("qq", vec![Effect::Leave(Leave::Home)]),
        ("QQ", vec![Effect::Leave(Leave::Quit)]),
        ("<esc>q", vec![Effect::Leave(Leave::Home)]),
    ] {
        let mut person = before_models(Stage::Working);
        assert_eq!(person.presses(keys), effects, "{keys}: {}", person.status());
        if effects.is_empty() {
            assert!(person.status().contains("under way would be left in doubt"), "{keys}: {}", person.status());
        }
    }
    // Nothing is lost where no desk works on it.
    for (mode, desk) in [(Mode::Replay, Desk::Working), (Mode::Live, Desk::Stopped(None))] {
        let mut person = before_models(Stage::Working);
        (person.ui.mode, person.ui.desk) = (mode, desk);
        assert_eq!(person.presses("<esc>"), []);
        assert!(person.status().contains("q leaves"), "{}", person.status());
        assert_eq!(person.presses("q"), [Effect::Leave(Leave::Home)]);
    }
}

#[test]
fn the_warning_about_leaving_goes_once_no_call_is_under_way_or_the_run_asks_something() {
    let warned = || {
        let mut person = before_models(Stage::Working);
        person.presses("q");
        assert!(person.status().contains("left in doubt"), "{}", person.status());
        person
    };
    let fold = |person: &mut Person| update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    let mut person = warned();
    fold(&mut person);
    assert!(person.status().contains("left in doubt"), "nothing has changed");
    person.run.under_way.clear();
    fold(&mut person);
    assert_eq!(person.status(), "");
    let mut person = warned();
    let open = fixture::run(Until::Checkpoint).checkpoints.pop().unwrap();
    person.run.checkpoints.push(open);
    fold(&mut person);
    assert_eq!(person.status(), "");
    let mut person = warned();
    person.ui.status = Some("something else".into());
    person.run.under_way.clear();
    fold(&mut person);
    assert_eq!(person.status(), "something else");
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
    let (Recorded::Exchange(call), Form::Tree) = inspected(&person) else { panic!("an exchange is open") };
    assert_eq!(call.to_string(), "k0.2/3", "the latest first");
    person.presses("<tab>t");
    let (Recorded::Exchange(call), Form::Raw) = inspected(&person) else { panic!("an exchange is open") };
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
fn a_call_that_is_inspected_while_it_is_under_way_gets_its_answer_and_keeps_its_folds() {
    let events = model::events(Stage::Working);
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let calls = run.assignments().flat_map(|one| one.transcript.exchanges()).map(|one| one.call);
    let call = calls.into_iter().find(|call| is_answered(&run, *call)).unwrap();
    // The moment at which it was asked, and nothing had come yet.
    let at = (1..events.len()).find(|at| {
        let run = Run::fold(events[..*at].iter().map(|envelope| &**envelope));
        select::exchange(&run, call).is_some() && !is_answered(&run, call)
    });
    let early = Run::fold(events[..at.unwrap()].iter().map(|envelope| &**envelope));
    let mut person = before_models(Stage::Working);
    person.run = early;
    person.ui.overlay = Overlay::Inspector(Inspector::of(&person.run, Recorded::Exchange(call)));
    person.presses("c");
    let rows = |person: &Person| {
        let Overlay::Inspector(open) = &person.ui.overlay else { panic!("it stays open") };
        let names: Vec<String> = open.sheet.tree().nodes().iter().map(|node| node.name.clone()).collect();
        (names.contains(&"as reported".to_string()), open.sheet.is_folded(1))
    };
    assert_eq!(rows(&person), (false, true));
    person.run = run;
    update(&mut person.ui, &person.run, Msg::Folded(Moment::Latest));
    assert_eq!(rows(&person), (true, true));
}

/// Whether a model call was answered.
fn is_answered(run: &Run, call: run::CallId) -> bool {
    select::exchange(run, call).is_some_and(|exchange| exchange.reply().is_some())
}
