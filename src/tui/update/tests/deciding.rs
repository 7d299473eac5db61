//! Decisions of the person: plan, findings, caps, questions.

use super::*;

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
    // The run has ended meanwhile: there is nothing to raise any more.
    person.presses("b");
    person.run = fixture::run(Until::Done);
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
        (&["go on", "retry"], "y<down><down><enter>", vec![]),
        (&["go on", "retry"], "y<down><down>neither of them<enter>", vec![answer(words("neither of them"))]),
        (&["go on", "retry"], "yneither of them<enter>", vec![answer(words("neither of them"))]),
        (&["go on", "retry"], "y<down>neither, j or k<enter>", vec![answer(words("neither, j or k"))]),
        (&["go on", "retry"], "y  <enter>", chosen("go on")),
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
fn refusing_a_handoff_that_rules_send_asks_first() {
    let mut person = Person::at(Until::Writing);
    person.run = Run::fold(fixture::pauses::at_a_breakpoint().iter().map(|envelope| &**envelope));
    person.ui.page = Page::Stop;
    assert_eq!(person.presses("m"), []);
    assert!(matches!(person.ui.overlay, Overlay::Confirm(Confirm::RefuseForGood)));
    assert_eq!(person.presses("n"), []);
    assert!(matches!(person.ui.overlay, Overlay::None));
    let Some((checkpoint, stop)) = select::stop_page(&person.run) else { panic!("it stands at a breakpoint") };
    assert!(stop.refusal_ends(&person.run, checkpoint.by));
    let refusal = run::checkpoint::stop::Answer::Refuse { why: "leave it".into() };
    let answer = Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer: Answer::Stop(refusal) });
    assert_eq!(person.presses("myleave it<enter>"), [answer]);
}

#[test]
fn going_on_without_what_was_dropped_asks_first_where_rules_end_then() {
    let mut events = fixture::pauses::at_a_breakpoint();
    let mut person = Person::at(Until::Writing);
    person.run = Run::fold(events.iter().map(|envelope| &**envelope));
    person.ui.page = Page::Stop;
    let count = select::stop_page(&person.run).unwrap().1.payloads().len();
    for _ in 0..count {
        let effects = person.presses("d");
        let [Effect::Send(Command::Edit { checkpoint, edit })] = &effects[..] else { panic!("{effects:?}") };
        let last = events.last().unwrap().clone();
        let event = run::Event::CheckpointEdited { checkpoint: *checkpoint, edit: edit.clone() };
        events.push(Arc::new(run::Envelope { seq: last.seq.next(), at: last.at, event }));
        person.run = Run::fold(events.iter().map(|envelope| &**envelope));
        person.presses("n");
    }
    let (checkpoint, stop) = select::stop_page(&person.run).unwrap();
    assert!(stop.payloads().iter().all(|one| one.is_dropped), "{stop:?}");
    let goes = run::checkpoint::stop::Answer::Go { until: None };
    let answer = Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer: Answer::Stop(goes) });
    assert_eq!(person.presses("A"), []);
    assert!(matches!(person.ui.overlay, Overlay::Confirm(Confirm::GoWithout(_))));
    assert_eq!(person.presses("y"), [answer]);
}

#[test]
fn a_wish_for_more_goes_to_the_sub_topic_that_it_names_and_else_to_the_one_in_front() {
    for (words, task) in [("the limits", 2), ("backup of PGVector", 1), ("Qdrant beside pgvector", 2), ("pgvectors", 2)]
    {
        let mut person = Person::at(Until::Checkpoint);
        let all = select::findings_page(&person.run).unwrap().1;
        person.ui.findings.selected = all.iter().find(|one| one.task == Some(TaskId(2))).map(|one| one.id);
        let more = findings::Answer::More { task: Some(TaskId(task)), wish: words.into() };
        assert_eq!(person.presses(&format!("m{words}<enter>")), [answers(Answer::Findings(more))], "{words}");
    }
}

#[test]
fn another_breakpoint_is_written_after_the_word_that_is_there() {
    let mut person = Person::at(Until::Researching);
    let effects = person.presses("Dahandoff:writer<enter>");
    assert_eq!(effects, [Effect::Send(Command::Break("handoff:writer".parse().unwrap()))]);
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
    // Nor does a field open that is not to be seen.
    for keys in ["e", "a", "m", "?", ":", "x"] {
        person.ui.drawn(crate::ui::Seen { tiny: true, ..Default::default() });
        assert_eq!(person.presses(keys), [], "{keys}");
        assert!(matches!(person.ui.overlay, Overlay::None), "{keys}: {:?}", person.ui.overlay);
        assert!(person.status().contains("too small"), "{keys}: {:?}", person.status());
    }
    person.ui.drawn(crate::ui::Seen { tiny: true, ..Default::default() });
    person.presses("b");
    assert!(matches!(person.ui.overlay, Overlay::Raising(_)), "it is shown there");
    person.presses("<esc>");
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
fn what_is_taken_back_is_named_and_selected_and_can_be_done_again() {
    let mut person = Person::at(Until::Checkpoint);
    let effects = person.presses("jje!<enter>");
    person.recorded(&effects);
    person.presses("g");
    let undone = person.presses("u");
    assert_eq!(undone, [undo()]);
    assert!(person.status().starts_with("undone: its words as they were: “"), "{}", person.status());
    assert_eq!(person.ui.findings.selected, Some(fixture::findings()[2].id));
    person.recorded(&undone);
    let again = person.presses("U");
    assert_eq!(again, effects);
    person.recorded(&again);
    assert_eq!(person.presses("U"), []);
    assert!(person.status().contains("nothing was taken back"), "{}", person.status());
    // Another edit drops the edits that could be done again.
    let undone = person.presses("u");
    person.recorded(&undone);
    let dropped = person.presses(" ");
    person.recorded(&dropped);
    assert_eq!(person.presses("U"), []);
}

#[test]
fn keys_that_are_pressed_before_the_last_is_recorded_lose_nothing_of_what_can_be_done_again() {
    let mut person = Person::at(Until::Checkpoint);
    let usable = |person: &Person| {
        let (_, all) = select::findings_page(&person.run).unwrap();
        all.iter().filter(|finding| finding.usable()).count()
    };
    let before = usable(&person);
    for keys in [" ", "jj "] {
        let dropped = person.presses(keys);
        person.recorded(&dropped);
    }
    let undone = person.presses("uu");
    assert_eq!(undone, [undo(), undo()]);
    person.recorded(&undone);
    assert_eq!(person.ui.findings.undone.len(), 2);
    let again = person.presses("UU");
    assert!(again.len() == 2 && again[0] != again[1], "{again:?}");
    person.recorded(&again);
    assert_eq!(person.presses("U"), []);
    assert_eq!(usable(&person), before - 2);
}

#[test]
fn what_was_done_before_more_was_asked_for_is_taken_back_only_by_a_second_key() {
    let mut person = Person::at(Until::Checkpoint);
    let added = person.presses("aI know it.<enter>");
    person.recorded(&added);
    let open = person.run.checkpoints.iter_mut().find(|open| open.answer.is_none()).unwrap();
    open.earlier = findings::earlier(open);
    (open.put, open.edits) = (open.subject.clone(), Vec::new());
    assert_eq!(person.presses("u"), []);
    assert!(person.status().contains("before you asked for more"), "{}", person.status());
    assert!(person.status().contains("your fact is gone: “I know it.”"), "{}", person.status());
    assert_eq!(person.presses("ju"), [], "another key between them: it is asked again");
    assert_eq!(person.presses("u"), [undo()]);
}
