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
fn a_folded_section_says_how_many_of_its_tasks_are_not_shown() {
    let (mut ui, run, events) = with_sections(39);
    press(&mut ui, &run, "vv");
    let shown = text(&painted(&ui, &run, &events, 120, 60));
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
