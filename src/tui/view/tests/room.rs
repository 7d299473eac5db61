//! Small screens: a place keeps its line, and the number of hidden rows is shown.

use super::*;
use crate::select;
use run::Finding;

/// Findings whose first one is in a file of a very long name.
fn with_a_long_place() -> (Ui, Run, Vec<Arc<Envelope>>) {
    let (mut ui, mut run, events) = screen(Until::Checkpoint);
    let open = run.checkpoints.iter_mut().find(|open| open.answer.is_none()).unwrap();
    let mut findings: Vec<Finding> = open.findings().unwrap().to_vec();
    let place = findings[0].place.as_mut().unwrap();
    place.source.path = format!("research/{}.md", "日本語の長い名前".repeat(16)).as_str().into();
    open.subject = Arc::new(run::Subject::Findings(findings.clone()));
    ui.findings.selected = Some(findings[0].id);
    (ui, run, events)
}

#[test]
fn a_long_place_keeps_its_end_beside_a_passage_and_in_an_opened_finding() {
    let (mut ui, run, events) = with_a_long_place();
    let line = select::findings_page(&run).unwrap().1[0].place.as_ref().unwrap().line;
    let end = format!(".md:{line}");
    for keys in ["", "\n"] {
        if keys == "\n" {
            let enter = crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Enter);
            update(&mut ui, &run, Msg::Key(enter, std::time::Duration::from_secs(9)));
        }
        for (width, height) in [(60, 30), (80, 30), (120, 40), (200, 60)] {
            let shown = text(&painted(&ui, &run, &events, width, height));
            let edge = if keys.is_empty() { "passage ─" } else { "finding " };
            let row = shown.lines().rfind(|row| row.contains(edge) && row.contains('─')).unwrap_or_default();
            assert!(row.contains(&end), "{width}×{height}: {row}\n{shown}");
            assert!(keys.is_empty() || shown.matches(&end).count() >= 2, "{width}×{height}\n{shown}");
        }
    }
}

#[test]
fn sections_show_as_many_of_their_tasks_as_the_page_has_rows() {
    let (mut ui, run, events) = with_sections(40);
    press(&mut ui, &run, "vv");
    for (wide, high) in [(200, 60), (120, 40), (80, 30)] {
        let shown = text(&painted(&ui, &run, &events, wide, high));
        let shows = (1..=40).filter(|n| shown.contains(&format!("subject {n} "))).count();
        let blank =
            shown.lines().filter(|line| line.starts_with('│') && line.trim_matches(['│', ' ']).is_empty()).count();
        let sections = shown.matches("▸ ").count();
        assert!(if high >= 60 { shows == 40 } else { blank < sections }, "{shows} of 40, {blank} blank rows\n{shown}");
    }
}

#[test]
fn a_folded_section_says_how_many_of_its_tasks_are_not_shown() {
    let (mut ui, run, events) = with_sections(39);
    press(&mut ui, &run, "vv");
    let shown = text(&painted(&ui, &run, &events, 120, 40));
    let rows: Vec<&str> = shown.lines().collect();
    let first = rows.iter().position(|row| row.contains("▸ 1–")).unwrap();
    let next = rows[first + 1..].iter().position(|row| row.contains('▸')).unwrap();
    let last = rows[first + next];
    assert!(last.contains("╰─") && last.contains(" more (space)"), "{shown}");
    let members = next - 1;
    let hidden: usize = last.split("more").next().unwrap().trim().rsplit(' ').next().unwrap().parse().unwrap();
    let of: usize = rows[first].split("1–").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
    assert_eq!(members + hidden, of, "{shown}");
    press(&mut ui, &run, "F");
    assert!(!text(&painted(&ui, &run, &events, 120, 60)).contains("more (space)"));
}

#[test]
fn notes_in_the_rows_of_the_graph_have_words_that_fit() {
    for until in [Until::Researching, Until::Checkpoint, Until::Done] {
        let (mut ui, run, events) = screen(until);
        ui.page = Page::Team;
        let shown = text(&painted(&ui, &run, &events, 80, 24));
        let rows = shown.lines().skip(3).take_while(|line| line.starts_with('│'));
        for row in rows.map(|line| line.chars().take(33).collect::<String>()) {
            assert!(!row.contains('…'), "{row}\n{shown}");
        }
    }
}

#[test]
fn who_reports_is_told_by_the_task_where_its_role_has_no_room_beside_it() {
    let (mut ui, run, events) = screen(Until::Checkpoint);
    (ui.page, ui.team.focus) = (Page::Team, crate::screens::team::Focus::Handoffs);
    let shown = text(&painted(&ui, &run, &events, 80, 40));
    assert!(shown.contains("pgvector → supervisor") && !shown.contains("researcher… →"), "{shown}");
}

#[test]
fn tasks_with_one_beginning_are_told_apart_in_narrow_rows_of_graph_and_handoffs() {
    let (ui, run, events) = with_sections(40);
    let shown = text(&painted(&ui, &run, &events, 100, 40));
    let (graph, beside): (Vec<String>, Vec<String>) = shown
        .lines()
        .filter(|line| line.starts_with('│'))
        .map(|line| (line.chars().take(41).collect::<String>(), line.chars().skip(41).collect::<String>()))
        .unzip();
    let ends = [' ', '…'];
    let told = |lines: &[String], n: usize| {
        lines.iter().any(|line| ends.iter().any(|end| line.contains(&format!("subject {n}{end}"))))
    };
    assert!((5..=7).all(|n| told(&graph, n)), "{shown}");
    assert!((31..=40).filter(|n| told(&beside, *n)).count() > 4, "{shown}");
}
