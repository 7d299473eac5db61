use super::subject::{self, heading};
use super::{Kind, Node, Sheet, Tree, changes};
use crate::fixture::{self, Until, inspected};
use crate::view::transcript::{Step, Tab, steps};
use run::{AssignmentId, HandoffNo, Run};

fn inspected() -> Run {
    let run = Run::fold(inspected::events().iter().map(|envelope| &**envelope));
    assert_eq!(run.misfits, 0);
    run
}

/// The last handoff between these two.
fn handoff(run: &Run, from: &str, to: &str) -> Step {
    let is_it = |one: &&std::sync::Arc<run::Handoff>| (one.names.0.as_str(), one.names.1.as_str()) == (from, to);
    Step::Handoff(run.handoffs.iter().rfind(is_it).unwrap().no)
}

fn refused(run: &Run) -> Step {
    let of_root = steps(run.root().unwrap(), Tab::Transcript);
    of_root.into_iter().find(|step| matches!(step, Step::Refused(..))).expect("a refused handoff is a step")
}

fn row<'a>(tree: &'a Tree, path: &[&str]) -> &'a Node {
    let at = (0..tree.nodes().len()).find(|at| tree.path(*at) == path);
    at.map(|at| &tree.nodes()[at]).unwrap_or_else(|| panic!("{path:?} is not there"))
}

fn from(tree: &Tree, path: &[&str]) -> (String, Option<Step>) {
    let from = row(tree, path).from.as_ref().expect("it says where it came from");
    (from.says.clone(), from.to)
}

#[test]
fn a_finding_says_who_found_it_by_which_search_and_leads_there() {
    let run = fixture::run(Until::Done);
    let tree = subject::tree(&run, handoff(&run, "researcher", "supervisor")).unwrap();
    let (says, to) = from(&tree, &["findings", "1"]);
    assert_eq!(
        says,
        "researcher · Pinecone: search \"Pinecone trade-offs index filter limits\", read pinecone/overview.md [1..2]"
    );
    let Some(Step::Call(call)) = to else { panic!("{to:?}") };
    assert_eq!(subject::call(&run, call).unwrap().request.name, "search");
}

#[test]
fn what_the_person_did_to_a_finding_is_said_with_where_they_did_it() {
    let run = inspected();
    let tree = subject::tree(&run, handoff(&run, "supervisor", "writer")).unwrap();
    let of = |n: &str| from(&tree, &["findings", n]).0;
    let all: Vec<String> = (1..=7).map(|n| of(&n.to_string())).collect();
    assert!(all.iter().any(|says| says.ends_with("reworded by you, at the findings checkpoint")), "{all:#?}");
    assert!(all.contains(&"your own words, at the findings checkpoint".into()), "{all:#?}");
    let whole = from(&tree, &["findings"]);
    assert_eq!(whole.0, "as you left them at the findings checkpoint, with 3 changes");
}

#[test]
fn a_part_that_was_changed_at_a_breakpoint_says_so_and_the_others_who_handed_them_over_first() {
    let run = inspected();
    let first = run.handoffs.iter().find(|one| one.names.1.as_str() == "writer").unwrap().no;
    let tree = subject::tree(&run, Step::Handoff(first)).unwrap();
    assert_eq!(from(&tree, &["length"]).0, "changed by you at a breakpoint (d shows how)");
    assert_eq!(from(&tree, &["note"]).0, "added by you at a breakpoint (d shows how)");
    assert_eq!(from(&tree, &["question"]), ("from you, in handoff #1".into(), Some(Step::Handoff(HandoffNo(1)))));
    let plan = from(&tree, &["plan"]);
    assert_eq!(plan, ("from the planner, in handoff #3 to supervisor".into(), Some(Step::Handoff(HandoffNo(3)))));
}

#[test]
fn a_refused_handoff_is_a_step_with_its_reason_and_its_whole_payload() {
    let run = inspected();
    let step = refused(&run);
    let heading = heading(&run, step).unwrap();
    assert_eq!((heading.name.as_str(), heading.route.as_str()), ("refused handoff", "supervisor → writer"));
    let tree = subject::tree(&run, step).unwrap();
    assert_eq!(row(&tree, &["refused"]).text, "the writer is handed no findings");
    for part in ["question", "plan", "length"] {
        row(&tree, &[part]);
    }
    assert_eq!(from(&tree, &["plan"]).0, "from the planner, in handoff #3 to supervisor");
    let json = subject::json(&run, step).unwrap();
    assert!(json.contains("the writer is handed no findings") && json.contains("\"length\": 500"), "{json}");
}

/// The lines of the changes that are only in one, with the sign of which.
fn changed(run: &Run, what: Step, nth: usize) -> (String, Vec<String>) {
    let all = changes::against(run, what, None);
    let tree = changes::tree(run, what, &all[nth]);
    let line = |node: &Node| match node.kind {
        Kind::Gone => Some(format!("-{}", node.text.trim())),
        Kind::New => Some(format!("+{}", node.text.trim())),
        _ => None,
    };
    (all[nth].says.clone(), tree.nodes().iter().filter_map(line).collect())
}

#[test]
fn the_second_draft_is_compared_with_the_first_sentence_by_sentence() {
    let run = inspected();
    let (says, lines) = changed(&run, handoff(&run, "writer", "supervisor"), 0);
    assert!(says.ends_with("writer → supervisor"), "{says}");
    let ids = "[f0.2/1]";
    assert_eq!(lines[0], format!("-pgvector stores vectors in ordinary PostgreSQL tables.  {ids}"));
    assert_eq!(lines[1], format!("+pgvector stores vectors in plain PostgreSQL tables.  {ids}"));
}

#[test]
fn a_payload_is_compared_with_what_stood_at_the_breakpoint_and_with_what_was_refused_before() {
    let run = inspected();
    let first = Step::Handoff(run.handoffs.iter().find(|one| one.names.1.as_str() == "writer").unwrap().no);
    let (says, lines) = changed(&run, first, 0);
    assert_eq!(says, "what stood at the breakpoint, before you changed it");
    assert_eq!(lines, ["-length  500", "+length  300", "+note  short, please"]);
    let (says, lines) = changed(&run, first, 1);
    assert_eq!(says, "the handoff that was refused before it");
    assert!(lines.iter().any(|line| line.starts_with("+findings")), "{lines:#?}");
    // And the other way round.
    let (says, lines) = changed(&run, refused(&run), 0);
    assert!(says.starts_with("the one sent after it: handoff #"), "{says}");
    assert!(lines.iter().any(|line| line.starts_with("-findings")), "{lines:#?}");
}

#[test]
fn the_same_handoff_of_another_run_is_found_by_the_work_and_not_by_its_number() {
    let run = inspected();
    let other = fixture::run(Until::Done);
    let what = handoff(&run, "merger", "supervisor");
    let all = changes::against(&run, what, Some(("8abc", &other)));
    assert_eq!(all.last().unwrap().says, "the same in run 8abc");
    let tree = changes::tree(&run, what, all.last().unwrap());
    assert_eq!(tree.nodes().last().unwrap().text, "nothing has changed");
    let second = handoff(&run, "writer", "supervisor");
    let early = fixture::run(Until::Planned);
    let none = changes::against(&run, second, Some(("8abc", &early)));
    assert!(none.iter().all(|one| !one.says.contains("8abc")), "it has no such handoff");
}

#[test]
fn tokens_of_the_parts_are_those_of_the_whole() {
    let run = inspected();
    for handoff in &run.handoffs {
        let tree = subject::tree(&run, Step::Handoff(handoff.no)).unwrap();
        assert_eq!(tree.tokens(), handoff.payload.tokens(), "{}", handoff.no);
    }
}

#[test]
fn a_sentence_names_the_findings_it_rests_on() {
    let run = inspected();
    let tree = subject::tree(&run, handoff(&run, "writer", "supervisor")).unwrap();
    let sentence = tree.nodes().iter().find(|node| node.text.starts_with("pgvector stores")).unwrap();
    let from = sentence.from.as_ref().unwrap();
    assert_eq!(from.says, "f0.2/1 of researcher · pgvector, pgvector/readme.md:9");
    assert!(matches!(from.to, Some(Step::Call(_))));
}

#[test]
fn everything_of_every_run_can_be_inspected_in_every_form() {
    let models = fixture::model::STAGES.map(fixture::model::events);
    let runs = models.iter().map(|events| Run::fold(events.iter().map(|envelope| &**envelope)));
    for run in runs.chain([inspected(), fixture::run(Until::Done)]) {
        for one in run.assignments() {
            for step in steps(one, Tab::Transcript).into_iter().chain(steps(one, Tab::Calls)) {
                assert!(heading(&run, step).is_some(), "{step:?}");
                assert!(!subject::tree(&run, step).unwrap().nodes().is_empty(), "{step:?}");
                assert!(subject::json(&run, step).is_some());
                for against in changes::against(&run, step, None) {
                    assert!(!changes::tree(&run, step, &against).nodes().is_empty());
                }
                let sheet = Sheet::of(subject::tree(&run, step).unwrap());
                assert!(!sheet.window(5, 40).0.is_empty());
            }
        }
    }
    assert!(heading(&inspected(), Step::Refused(AssignmentId::ROOT, 999)).is_none());
}
