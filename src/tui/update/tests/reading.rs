//! Looking at the parts of a run: earlier moments, panes, citations, records.

use super::*;

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
    assert_eq!(person.presses("<esc>"), []);
    assert!(person.status().contains("q leaves"), "Esc never leaves: {}", person.status());
    assert_eq!(person.presses("<esc>"), []);
    assert_eq!(person.status(), "", "it takes the message away");
    assert_eq!(person.presses("q"), [Effect::Leave(Leave::Home)]);
}

#[test]
fn any_handoff_opens_with_its_whole_payload() {
    let mut person = Person::at(Until::Researching);
    person.presses("ikk<enter>");
    let (Recorded::Handoff(no), Form::Tree) = inspected(&person) else { panic!("a handoff is open") };
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
    assert!(matches!(inspected(&person).0, Recorded::Handoff(_)));
    person.presses("<esc>kkkkkkkkkj");
    let copied = person.presses("y");
    let [Effect::Copy { what: "the tool call", text }] = &copied[..] else { panic!("{copied:?}") };
    assert!(text.contains("pgvector trade-offs index filter limits"), "{text}");
    person.presses("<enter>");
    assert!(matches!(inspected(&person).0, Recorded::Call(_)));
    person.presses("<esc><esc>");
    assert!(person.ui.team.steps.is_empty(), "the pane follows again");
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

#[test]
fn what_a_citation_rests_on_leads_on_to_the_call_that_found_it() {
    let mut person = Person::at(Until::Done);
    person.presses("n<enter>");
    assert!(matches!(person.ui.overlay, Overlay::Passage(_)));
    person.presses("<enter>");
    assert!(matches!(inspected(&person).0, Recorded::Call(_)), "{:?}", inspected(&person).0);
    let Overlay::Inspector(open) = &person.ui.overlay else { unreachable!() };
    let selected = open.sheet.selected().unwrap();
    assert!(
        !open.words.is_empty() && selected.text.contains(open.words.as_str()),
        "it opens at the quote: {selected:?}"
    );
    person.presses("<esc>");
    assert!(matches!(person.ui.overlay, Overlay::None) && person.ui.page == Page::Brief, "it goes back to the brief");
    // If the evidence stands beside the brief, it is one key less.
    let mut person = Person::at(Until::Done);
    person.ui.drawn(crate::ui::Seen { beside: true, ..Default::default() });
    person.presses("n<enter>");
    assert!(matches!(inspected(&person).0, Recorded::Call(_)), "{:?}", inspected(&person).0);
}

#[test]
fn the_same_in_another_run_is_compared_once_that_run_is_read() {
    let mut person = Person::at(Until::Done);
    let inspects =
        |person: &Person, no| Overlay::Inspector(Inspector::of(&person.run, Recorded::Handoff(run::HandoffNo(no))));
    person.ui.overlay = inspects(&person, 1);
    person.presses("w");
    assert!(person.status().contains("no other run can be read"), "{}", person.status());
    person.ui.reads_others = true;
    assert_eq!(person.presses("w8abc<enter>"), [Effect::Beside("8abc".into())]);
    assert_eq!(inspected(&person).1, Form::Tree, "it is read meanwhile");
    update(&mut person.ui, &person.run, Msg::Beside("8abc".into(), Err("there is no run 8abc".into())));
    assert!(person.status().contains("there is no run 8abc"), "{}", person.status());
    let other = Arc::new(fixture::run(Until::Planned));
    update(&mut person.ui, &person.run, Msg::Beside("8abc".into(), Ok(other)));
    assert_eq!(inspected(&person).1, Form::Changes(0));
    // Nothing is compared with work that the other run never did.
    person.ui.overlay = inspects(&person, 12);
    let before = inspected(&person);
    let other = Arc::new(fixture::run(Until::Planned));
    update(&mut person.ui, &person.run, Msg::Beside("8abc".into(), Ok(other)));
    assert_eq!(inspected(&person), before);
    assert!(person.status().contains("has nothing that is the same as this"), "{}", person.status());
}

#[test]
fn a_brief_is_searched_and_saved_from_its_own_page() {
    let mut person = Person::at(Until::Done);
    let text = person.drawn(120);
    assert!(text.contains("pgvector"), "{text}");
    person.presses("/pgvector<enter>");
    let shown = person.drawn(120);
    assert!(shown.contains("/pgvector 1 of "), "{shown}");
    person.presses("n");
    assert!(person.drawn(120).contains("/pgvector 2 of "));
    assert_eq!(person.ui.brief.cite, None, "n goes through the places while words are looked for");
    person.presses("N");
    assert!(person.drawn(120).contains("/pgvector 1 of "));
    person.presses("<esc>n");
    assert_eq!((person.ui.brief.cite, person.ui.page), (Some(0), Page::Brief));
    person.presses("/no such words<enter>");
    assert!(person.drawn(120).contains("not found"));
    let saved = person.presses("e");
    let [Effect::Save { name, text }] = &saved[..] else { panic!("{saved:?}") };
    let id = person.run.opening.as_ref().unwrap().run.to_string();
    assert_eq!(*name, format!("masthead-{id}.md"));
    assert!(text.starts_with("# "));
}

#[test]
fn words_are_found_in_the_brief_where_a_line_breaks_between_them() {
    let mut person = Person::at(Until::Done);
    let (draft, _) = person.run.brief().unwrap();
    let long = draft.sentences().map(|sentence| sentence.text.to_string()).max_by_key(String::len).unwrap();
    let words: Vec<&str> = long.split(' ').collect();
    for pair in words.windows(2).map(|pair| pair.join(" ")).filter(|pair| !pair.contains('<')) {
        person.presses(&format!("/{pair}<enter>"));
        let shown = person.drawn(44);
        assert!(shown.contains(" 1 of "), "{pair}\n{shown}");
    }
}

#[test]
fn a_search_goes_to_the_first_place_from_what_is_seen_on_and_new_words_take_the_place_of_the_old() {
    let mut person = Person::at(Until::Done);
    person.presses("1z<pgup>");
    person.drawn(120);
    person.presses("/handoff<enter>");
    let shown = person.drawn(120);
    assert!(shown.contains("/handoff ") && shown.contains(" of "), "{shown}");
    assert!(person.ui.team.found > 0, "Enter goes there");
    person.presses("/report<enter>");
    assert_eq!(person.ui.team.find, "report");
    person.presses("/<enter>");
    assert_eq!(person.ui.team.find, "report", "the old words are there to be looked for again");
}

#[test]
fn the_mouse_goes_to_pages_steps_and_sections() {
    use crate::spot::{Mouse, Spot};
    let clicks = |person: &mut Person, spot: Spot| {
        update(&mut person.ui, &person.run, Msg::Mouse(Mouse::Click, Some(spot)));
    };
    let mut person = Person::at(Until::Checkpoint);
    clicks(&mut person, Spot::Page(Page::Brief));
    assert_eq!(person.ui.page, Page::Findings);
    assert!(person.status().contains("not written yet"), "{}", person.status());
    let first = fixture::findings()[0].id;
    clicks(&mut person, Spot::Section(first));
    assert_eq!((person.ui.findings.selected, person.ui.findings.folded.len()), (Some(first), 1));
    clicks(&mut person, Spot::Section(first));
    assert!(person.ui.findings.folded.is_empty());
    clicks(&mut person, Spot::Page(Page::Team));
    assert_eq!(person.ui.page, Page::Team);
    clicks(&mut person, Spot::Step(AssignmentId::nth(2), 1));
    person.presses("<enter>");
    assert!(matches!(inspected(&person).0, Recorded::Call(_)), "{:?}", inspected(&person).0);
}

#[test]
fn what_a_click_finds_is_what_is_drawn_there() {
    use crate::spot::Spot;
    let mut person = Person::at(Until::Checkpoint);
    person.presses("1");
    let (theme, area, mut cache) = (Theme::load("default", None).unwrap(), Rect::new(0, 0, 140, 40), Cache::default());
    let mut buf = Buffer::empty(area);
    let scene = Scene { ui: &person.ui, run: &person.run, events: &[], theme: &theme };
    crate::view::draw(&mut buf, area, scene, &mut cache);
    let row = |y: u16| (0..area.width).map(|x| buf[(x, y)].symbol()).collect::<String>();
    let at = |words: &str| {
        (0..area.height).find_map(|y| {
            let row = row(y);
            let from = row[..row.find(words)?].chars().count();
            Some((u16::try_from(from).unwrap(), y))
        })
    };
    assert_eq!(cache.spot(at("2 findings").unwrap()), Some(Spot::Page(Page::Findings)));
    assert_eq!(cache.spot(at("3 brief").unwrap()), Some(Spot::Page(Page::Brief)));
    let steps: Vec<usize> = (0..area.height)
        .filter_map(|y| match cache.spot((area.width - 20, y)) {
            Some(Spot::Step(_, step)) => Some(step),
            _ => None,
        })
        .collect();
    assert!(!steps.is_empty() && steps.is_sorted(), "{steps:?}");
}

#[test]
fn a_specialist_is_found_by_its_name_and_by_words_that_are_in_its_pane_alone() {
    let researchers = |run: &Run| -> Vec<(AssignmentId, String)> {
        let of_role = run.assignments().filter(|one| one.role.as_str() == Role::RESEARCHER);
        of_role.map(|one| (one.id, run::describe::name(one))).collect()
    };
    for opens in [":", "/"] {
        let mut person = Person::at(Until::Researching);
        let all = researchers(&person.run);
        let (first, (last, name)) = (all[0].0, all.last().unwrap().clone());
        person.ui.team.pane = Some(first);
        person.presses(&format!("{opens}{}<enter>", name.to_lowercase()));
        assert_eq!(person.ui.team.pane, Some(last), "{opens}{name}");
    }
    let mut person = Person::at(Until::Researching);
    let front = person.ui.team.pane;
    person.presses("/never said<enter>");
    assert_eq!(person.ui.team.pane, front);
    assert!(person.status().contains("nobody in this run has “never said”"), "{}", person.status());
}
