use std::ops::ControlFlow::{Break, Continue};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::update::{CAME_WITH_A_PASTE, UNSEEN};

fn press(home: &mut HomeUi, code: KeyCode) -> Step {
    home.press(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO)
}

#[test]
fn a_pasted_question_waits_for_enter() {
    let mut home = HomeUi::new(Home { sources: vec!["docs".into()], ..Home::default() });
    home.paste("What is a vector\nindex?\n", Duration::ZERO);
    for _ in 0..3 {
        assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
        assert_eq!(home.status.as_deref(), Some(CAME_WITH_A_PASTE));
    }
    assert_eq!(home.question.lines(), ["What is a vector", "index?"]);
    let question = "What is a vector\nindex?".into();
    let asked = Choice::Ask { question, sources: vec!["docs".into()], settings: Settings::default() };
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(home.press(&enter, Duration::from_secs(1)), Break(asked));
}

#[test]
fn a_pasted_question_neither_reads_the_sources_nor_is_lost() {
    let mut home = HomeUi::new(Home {
        sources: vec!["docs".into()],
        runs: vec![line("7f3k", "What was asked before?")],
        ..Home::default()
    });
    let _ = home.asks();
    let _ = press(&mut home, KeyCode::Up);
    home.paste(" And now?", Duration::ZERO);
    assert_eq!(home.draft(), "What was asked before? And now?");
    for _ in 0..3 {
        let _ = home.press(&KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE), Duration::from_secs(1));
    }
    assert_eq!(home.asks(), [], "nothing was written among the sources");
    assert_eq!(home.focus, HomeBox::Question, "Tab went on through all boxes");
    home.focus = HomeBox::Sources;
    home.paste("/more", Duration::from_secs(2));
    let _ = home.press(&KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE), Duration::from_secs(4));
    assert_eq!(home.asks(), [Ask::Complete("docs/more".into())]);
}

#[test]
fn a_paste_into_the_filter_selects_the_first_of_what_is_left() {
    let runs = vec![line("7f3k", "bread"), line("8a2b", "stone")];
    let mut home = HomeUi::new(Home { runs, ..Home::default() });
    home.focus = HomeBox::Runs;
    let _ = press(&mut home, KeyCode::Char('j'));
    let _ = press(&mut home, KeyCode::Char('/'));
    home.paste("stone", Duration::ZERO);
    assert_eq!((home.selected, home.entries()), (0, vec![Entry::Run(1)]));
}

#[test]
fn a_run_that_a_process_works_on_is_not_deleted() {
    let active = RunLine { is_active: true, ..line("7f3k", "?") };
    let mut home = HomeUi::new(Home { runs: vec![active], ..Home::default() });
    home.focus = HomeBox::Runs;
    let _ = press(&mut home, KeyCode::Char('d'));
    assert!(home.deleted.is_empty());
    assert!(home.status.as_ref().unwrap().contains("run 7f3k is not deleted"), "{:?}", home.status);
}

#[test]
fn help_is_a_key_away_in_every_box() {
    let mut home = HomeUi::new(Home::default());
    for focus in [HomeBox::Question, HomeBox::Sources, HomeBox::Runs] {
        home.focus = focus;
        let _ = press(&mut home, KeyCode::F(1));
        assert!(home.help.is_some(), "{focus:?}");
        let _ = press(&mut home, KeyCode::F(1));
        assert!(home.help.is_none(), "{focus:?}");
    }
}

#[test]
fn a_question_or_a_source_that_is_missing_is_asked_for() {
    let mut home = HomeUi::new(Home::default());
    assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
    assert!(home.status.as_ref().unwrap().contains("question"));
    let _ = press(&mut home, KeyCode::Char('?'));
    assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
    assert_eq!(home.focus, HomeBox::Question, "punctuation asks nothing");
    let _ = press(&mut home, KeyCode::Char('x'));
    assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
    assert_eq!(home.focus, HomeBox::Sources);
}

#[test]
fn letters_are_letters_in_the_question_and_keys_in_the_list() {
    let run = line("7f3k", "?");
    let mut home = HomeUi::new(Home { runs: vec![run.clone(), run], ..Home::default() });
    let _ = press(&mut home, KeyCode::Char('q'));
    assert_eq!(home.question.text(), "q");
    let _ = press(&mut home, KeyCode::BackTab);
    assert_eq!(home.focus, HomeBox::Runs);
    let _ = press(&mut home, KeyCode::Char('j'));
    assert_eq!(home.selected, 1);
    assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Open("7f3k".parse().unwrap())));
}

#[test]
fn two_runs_are_compared_once_both_are_chosen() {
    let mut home = HomeUi::new(Home { runs: vec![line("7f3k", "?"), line("8a2b", "?")], ..Home::default() });
    home.focus = HomeBox::Runs;
    assert_eq!(press(&mut home, KeyCode::Char('c')), Continue(None));
    assert!(home.status.as_ref().unwrap().contains("7f3k is compared with"));
    assert_eq!(press(&mut home, KeyCode::Char('c')), Continue(None), "not with itself");
    let _ = press(&mut home, KeyCode::Char('c'));
    let _ = press(&mut home, KeyCode::Char('j'));
    let both = Choice::Compare("7f3k".parse().unwrap(), "8a2b".parse().unwrap());
    assert_eq!(press(&mut home, KeyCode::Char('c')), Break(both));
}

fn line(id: &str, question: &str) -> RunLine {
    RunLine {
        id: id.parse().unwrap(),
        state: Default::default(),
        question: question.into(),
        tags: Clean::default(),
        age: "2 h".into(),
        cost: "$0".into(),
        alarm: Clean::default(),
        is_active: false,
    }
}

#[test]
fn a_run_at_work_is_looked_at_again_and_what_was_selected_stays_so() {
    let at_work = |id: &str| RunLine { is_active: true, ..line(id, "?") };
    let mut home = HomeUi::new(Home { runs: vec![at_work("aaaa"), line("bbbb", "?")], ..Home::default() });
    assert!(home.asks().contains(&Ask::Runs));
    home.told(Told::Offered { settings: home.settings.clone(), says: Clean::default() });
    (home.focus, home.selected) = (HomeBox::Runs, 1);
    let needs_you = RunLine { cost: "$0.042 / $0.50".into(), alarm: "near its cap".into(), ..at_work("aaaa") };
    home.told(Told::Runs(vec![line("cccc", "?"), needs_you, line("bbbb", "?")]));
    assert_eq!(home.run().unwrap().id.as_str(), "bbbb");
    home.watch();
    assert_eq!(home.asks(), [Ask::Runs]);
    home.watch();
    assert_eq!(home.asks(), [], "it is still to be told");
    home.told(Told::Runs(vec![line("aaaa", "?")]));
    assert_eq!((home.selected, home.is_watching()), (0, false), "nothing is asked of runs that stand");
}

fn with_runs() -> HomeUi {
    let runs = vec![line("aaaa", "What is Qdrant?"), line("bbbb", "How long does bread proof?")];
    HomeUi::new(Home { runs, sources: vec!["docs".into()], ..Home::default() })
}

fn types(home: &mut HomeUi, text: &str) {
    text.chars().for_each(|c| drop(press(home, KeyCode::Char(c))));
}

#[test]
fn earlier_questions_come_back_and_what_was_typed_is_not_lost_over_them() {
    let mut home = with_runs();
    types(&mut home, "Why");
    for (key, stands) in [
        (KeyCode::Up, "What is Qdrant?"),
        (KeyCode::Up, "How long does bread proof?"),
        (KeyCode::Up, "How long does bread proof?"),
        (KeyCode::Down, "What is Qdrant?"),
        (KeyCode::Down, "Why"),
    ] {
        let _ = press(&mut home, key);
        assert_eq!(home.question.text(), stands);
        assert_eq!(home.draft(), "Why");
    }
    assert_eq!(press(&mut home, KeyCode::Esc), Break(Choice::Quit));
    assert_eq!(home.draft(), "Why", "it is kept for the next time");
}

#[test]
fn a_run_is_deleted_only_once_the_page_is_left_and_until_then_it_can_be_taken_back() {
    let mut home = with_runs();
    home.focus = HomeBox::Runs;
    let _ = press(&mut home, KeyCode::Char('d'));
    assert_eq!(home.entries().len(), 1);
    assert_eq!(home.deleted, ["aaaa".parse().unwrap()]);
    let _ = press(&mut home, KeyCode::Char('u'));
    assert_eq!((home.entries().len(), home.deleted.len()), (2, 0));
    assert_eq!(press(&mut home, KeyCode::Char('r')), Break(Choice::Replay("aaaa".parse().unwrap())));
}

#[test]
fn runs_are_found_by_words_of_their_questions_findings_briefs_and_tags() {
    let mut home = with_runs();
    home.focus = HomeBox::Runs;
    let _ = home.asks();
    let _ = press(&mut home, KeyCode::Char('/'));
    assert_eq!(home.asks(), [Ask::Texts]);
    types(&mut home, "sourdough");
    assert_eq!(home.entries(), []);
    let text = Searched::default().with(run::search::Place::Finding, "Sourdough takes longer.");
    home.told(Told::Text { run: "bbbb".parse().unwrap(), text });
    assert_eq!(home.entries(), [Entry::Run(1)]);
    types(&mut home, " #bak");
    assert_eq!(home.entries(), []);
    home.runs[1].tags = "#baking".into();
    assert_eq!(home.entries(), [Entry::Run(1)]);
    let _ = press(&mut home, KeyCode::Enter);
    assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Open("bbbb".parse().unwrap())));
    let _ = press(&mut home, KeyCode::Esc);
    assert_eq!(home.entries().len(), 2, "Esc shows all again and leaves nothing");
}

#[test]
fn tab_completes_a_path_and_counts_what_it_holds_before_it_goes_on() {
    let mut home = HomeUi::new(Home { sources: vec!["/do".into()], wrong_source: true, ..Home::default() });
    let _ = home.asks();
    types(&mut home, "o");
    let _ = press(&mut home, KeyCode::Backspace);
    let _ = press(&mut home, KeyCode::Tab);
    assert_eq!(home.asks(), [Ask::Complete("/do".into())]);
    let choices = vec!["docs/".into(), "downloads/".into()];
    home.told(Told::Completed { asked: "/do".into(), path: "/do".into(), choices });
    assert_eq!(home.choices.len(), 2);
    types(&mut home, "c");
    let _ = press(&mut home, KeyCode::Tab);
    home.told(Told::Completed { asked: "/doc".into(), path: "/docs/".into(), choices: vec![] });
    assert_eq!(home.sources(), ["/docs/"]);
    assert!(home.asks().contains(&Ask::Count(vec!["/docs/".into()])));
    assert!(drawn(&home).contains("counting…"));
    home.told(Told::Counted { sources: vec!["/docs/".into()], says: Ok("15 documents, 288 passages".into()) });
    assert_eq!(home.holds().unwrap().unwrap(), "15 documents, 288 passages");
    let _ = press(&mut home, KeyCode::Tab);
    assert_ne!(home.focus, HomeBox::Sources);
}

#[test]
fn team_lead_and_cap_are_set_in_a_row_and_go_with_the_question() {
    let teams = vec!["brief".into(), "inspect".into()];
    let mut home =
        HomeUi::new(Home { teams, question: "Why?".into(), sources: vec!["docs".into()], ..Home::default() });
    home.focus = HomeBox::Settings;
    let _ = press(&mut home, KeyCode::Char(' '));
    let _ = press(&mut home, KeyCode::Right);
    let _ = press(&mut home, KeyCode::Char(' '));
    let _ = press(&mut home, KeyCode::Right);
    types(&mut home, "0.50");
    let set = Settings { team: "inspect".into(), by_model: Some(false), cap: "0.50".into() };
    assert_eq!(home.asks().last(), Some(&Ask::Offer(set.clone())));
    home.told(Told::Offered { settings: set.clone(), says: "by rule".into() });
    assert_eq!(home.offer.as_ref().unwrap(), "by rule");
    let Break(Choice::Ask { settings, .. }) = press(&mut home, KeyCode::Enter) else { panic!("it starts") };
    assert_eq!(settings, set);
}

#[test]
fn a_newcomer_has_the_example_and_the_drills_a_key_away() {
    let drills = vec![("lost-handoff", "a handoff is lost")];
    let mut home = HomeUi::new(Home { drills, ..Home::default() });
    assert_eq!(press(&mut home, KeyCode::F(2)), Break(Choice::Example));
    let _ = press(&mut home, KeyCode::F(3));
    assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Drill("lost-handoff")));
}

#[test]
fn a_click_selects_what_is_drawn_there_and_starts_nothing() {
    let theme = Theme::load("default", None).unwrap();
    let teams = vec!["brief".into(), "inspect".into()];
    let runs = vec![line("aaaa", "What is Qdrant?"), line("bbbb", "How long does bread proof?")];
    let mut home = HomeUi::new(Home { runs, teams, sources: vec!["docs".into()], ..Home::default() });
    for (width, height) in [(120, 40), (80, 24)] {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        let shown = draw(&mut buf, area, &home, &theme);
        home.drawn(shown);
        let place = |words: &str| {
            let row = |y: u16| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>();
            let found = (0..height).find_map(|y| Some((row(y).find(words)?, y)));
            let (at, y) = found.unwrap_or_else(|| panic!("{words} is not shown at {width}×{height}"));
            (u16::try_from(row(y)[..at].chars().count()).unwrap(), y)
        };
        home.mouse(Mouse::Click, place("How long does bread"));
        assert_eq!((home.focus, home.selected), (HomeBox::Runs, 1));
        home.mouse(Mouse::Click, place("docs"));
        assert_eq!(home.focus, HomeBox::Sources);
        home.mouse(Mouse::Click, place("cap"));
        assert_eq!((home.focus, home.setting), (HomeBox::Settings, Setting::Cap));
        home.mouse(Mouse::Click, place("question"));
        assert_eq!(home.focus, HomeBox::Question);
        home.mouse(Mouse::Click, (0, 0));
        assert_eq!(home.focus, HomeBox::Question, "there is nothing to click in the header");
    }
}

fn drawn(home: &HomeUi) -> String {
    drawn_at(home, 120, 40)
}

fn drawn_at(home: &HomeUi, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    draw(&mut buf, area, home, &Theme::load("default", None).unwrap());
    area.rows().map(|row| row.positions().map(|at| buf[at].symbol()).collect::<String>() + "\n").collect()
}

#[test]
fn a_source_that_cannot_be_read_says_so_however_long_its_name() {
    let mut home = HomeUi::new(Home { sources: vec!["/nowher".into()], wrong_source: true, ..Home::default() });
    types(&mut home, "e");
    let _ = press(&mut home, KeyCode::Tab);
    home.told(Told::Completed { asked: "/nowhere".into(), path: "/nowhere".into(), choices: vec![] });
    let why = format!("cannot read /nowhere: {}", "there is no such file or folder ".repeat(9));
    home.told(Told::Counted { sources: vec!["/nowhere".into()], says: Err(why.as_str().into()) });
    assert!(drawn(&home).contains("cannot read /nowhere"), "{}", drawn(&home));
    // It may be there by now.
    let _ = home.asks();
    types(&mut home, "x");
    let _ = press(&mut home, KeyCode::Backspace);
    let _ = press(&mut home, KeyCode::BackTab);
    assert_eq!(home.asks(), [Ask::Count(vec!["/nowhere".into()])]);
}

#[test]
fn what_was_written_found_and_set_is_there_again_after_a_run() {
    let teams = vec!["brief".into(), "inspect".into()];
    let runs = vec![line("aaaa", "What is Qdrant?"), line("bbbb", "How long does bread proof?")];
    let at_home = Home { teams, runs, sources: vec!["docs".into()], ..Home::default() };
    let mut home = HomeUi::new(at_home.clone());
    let _ = press(&mut home, KeyCode::Tab);
    types(&mut home, "/more");
    let _ = press(&mut home, KeyCode::BackTab);
    let _ = press(&mut home, KeyCode::BackTab);
    let _ = press(&mut home, KeyCode::Char('/'));
    types(&mut home, "sourdough");
    let text = Searched::default().with(run::search::Place::Finding, "Sourdough takes longer.");
    home.told(Told::Text { run: "bbbb".parse().unwrap(), text });
    let _ = press(&mut home, KeyCode::Enter);
    let opened = press(&mut home, KeyCode::Enter);
    assert_eq!(opened, Break(Choice::Open("bbbb".parse().unwrap())));
    let looked_at = Some("bbbb".parse().unwrap());
    let mut again = HomeUi::new(Home { stays: home.stays(), looked_at, ..at_home });
    assert_eq!(again.entries(), [Entry::Run(1)], "the list is as it was");
    assert_eq!((again.focus, again.selected), (HomeBox::Runs, 0), "the run is selected among those that are shown");
    assert_eq!(again.sources(), ["docs/more"]);
    assert!(again.asks().contains(&Ask::Texts), "what runs say may have changed");
}

#[test]
fn the_help_of_home_is_searched_and_does_what_its_line_says_or_says_why_not() {
    let mut home = with_runs();
    home.focus = HomeBox::Runs;
    let _ = press(&mut home, KeyCode::Char(':'));
    types(&mut home, "replay");
    assert_eq!(home.listed().len(), 1);
    assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Replay("aaaa".parse().unwrap())));
    let mut home = with_runs();
    home.focus = HomeBox::Runs;
    let _ = press(&mut home, KeyCode::Char('?'));
    let _ = press(&mut home, KeyCode::Char('/'));
    types(&mut home, "last deletion");
    let _ = press(&mut home, KeyCode::Enter);
    assert_eq!(home.status.as_deref(), Some("nothing was deleted"));
    assert!(drawn(&home).contains("1 found"), "what was found stays");
    let _ = press(&mut home, KeyCode::Esc);
    assert!(home.listed().len() > 10, "Esc shows all lines again");
    let _ = press(&mut home, KeyCode::Esc);
    assert!(home.help.is_none());
    // A key that can do nothing says why.
    home.runs.clear();
    let _ = press(&mut home, KeyCode::Char('r'));
    assert_eq!(home.status.as_deref(), Some("no run is selected"));
}

#[test]
fn what_a_run_would_cost_is_shown_at_every_size_in_every_box() {
    let teams = vec!["brief".into(), "inspect".into()];
    let at_home =
        Home { teams, sources: vec!["docs".into()], models: Some("m1 (at most $1 a run)".into()), ..Home::default() };
    let mut home = HomeUi::new(at_home);
    for (width, height) in [(40, 10), (40, 12), (40, 15), (60, 16), (60, 20), (80, 24), (120, 40)] {
        for focus in [HomeBox::Question, HomeBox::Sources, HomeBox::Settings, HomeBox::Runs] {
            home.focus = focus;
            for (setting, name) in Setting::ALL.into_iter().zip(["team ", "lead ", "cap "]) {
                home.setting = setting;
                home.offer = None;
                let shown = drawn_at(&home, width, height);
                assert!(shown.contains("at most $1 a run"), "{focus:?} at {width}×{height}\n{shown}");
                home.offer = Some("~$0.12 · at most $1.00 · m1 and 2 more".into());
                let shown = drawn_at(&home, width, height);
                assert!(shown.contains("~$0.12 · at most $1.00"), "{focus:?} at {width}×{height}\n{shown}");
                assert!(focus != HomeBox::Settings || shown.contains(name), "{name} at {width}×{height}\n{shown}");
            }
        }
    }
}

#[test]
fn on_a_low_screen_the_question_has_the_room_while_it_is_written() {
    let question = "How are vectors\nfiltered in Qdrant?".into();
    let mut home = HomeUi::new(Home { question, sources: vec!["docs".into()], ..Home::default() });
    let shown = drawn_at(&home, 40, 12);
    assert!(shown.contains("How are vectors") && shown.contains("filtered in Qdrant?"), "{shown}");
    home.focus = HomeBox::Sources;
    assert!(drawn_at(&home, 40, 12).contains("docs"));
}

#[test]
fn nothing_starts_on_a_screen_too_small_to_show_what() {
    let mut home = HomeUi::new(Home { question: "Why?".into(), sources: vec!["docs".into()], ..Home::default() });
    let area = Rect::new(0, 0, 39, 9);
    let shown = draw(&mut Buffer::empty(area), area, &home, &Theme::load("default", None).unwrap());
    home.drawn(shown);
    assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
    assert_eq!(home.status.as_deref(), Some(UNSEEN));
}

#[test]
fn while_runs_are_filtered_the_hints_say_what_enter_and_escape_do() {
    let runs = vec![line("7f3k", "octopus"), line("8f3k", "shop")];
    let mut home = HomeUi::new(Home { runs, ..Home::default() });
    home.focus = HomeBox::Runs;
    let hints = |home: &HomeUi| drawn_at(home, 100, 30).lines().last().unwrap().to_owned();
    for key in "/shop".chars() {
        assert_eq!(press(&mut home, KeyCode::Char(key)), Continue(None));
    }
    assert!(hints(&home).contains("Enter keep   Esc all runs") && !hints(&home).contains("quit"), "{}", hints(&home));
    assert_eq!(press(&mut home, KeyCode::Enter), Continue(None), "it ends the typing");
    assert_eq!(home.entries().len(), 1);
    assert!(hints(&home).contains("Enter open") && hints(&home).contains("Esc all runs"), "{}", hints(&home));
    assert_eq!(press(&mut home, KeyCode::Esc), Continue(None));
    assert!(home.entries().len() > 1 && hints(&home).contains("Esc quit"), "{}", hints(&home));
    assert_eq!(press(&mut home, KeyCode::Esc), Break(Choice::Quit));
}
