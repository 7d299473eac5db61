//! Each drill through the desk, with time that costs nothing; and each with its guard widened, so that a drill which
//! cannot fail would be found out.

use std::sync::Arc;

use super::*;
use run::handoff::Unsent;
use run::transcript::{CallEnd, Did};
use run::{Cap, Envelope, Event, Outcome};

/// The events of a drill with this team, from its opening to its end.
fn events(name: &str, team: Team) -> Vec<Envelope> {
    let drill = named(name).unwrap();
    kit::play(drill.opening("abcd".parse().unwrap(), team), Arc::new(*drill), Arc::new(DrillTools))
}

fn played(name: &str, team: Team) -> (Run, Lesson) {
    let run = Run::fold(&events(name, team));
    assert_eq!(run.misfits, 0);
    assert!(run.ledger.holds());
    let lesson = Drill::of(&run).unwrap().exercise.lesson(&run).unwrap();
    assert_eq!(Drill::of(&run).unwrap().exercise.name, name);
    (run, lesson)
}

fn with_researcher(change: impl Fn(&mut run::team::Member)) -> Team {
    let mut team = team::drill();
    change(team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap());
    team
}

fn unsent(run: &Run) -> Vec<Arc<Unsent>> {
    let turns = run.assignments().flat_map(|assignment| &assignment.transcript.turns);
    turns.filter_map(|turn| if let Did::Refused { unsent, .. } = &turn.did { unsent.clone() } else { None }).collect()
}

fn roles(run: &Run) -> Vec<&str> {
    run.assignments().map(|assignment| assignment.role.as_str()).collect()
}

fn told(lesson: &Lesson) -> String {
    lesson.told.iter().map(|sentence| sentence.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_reviewer_that_is_never_content_is_ended_by_the_cap_on_revisions_and_the_brief_says_so() {
    let (run, lesson) = played("infinite-delegation", team::drill());
    assert!(lesson.caught, "{lesson:?}");
    assert_eq!(roles(&run).iter().filter(|role| **role == "writer").count(), 3);
    let (draft, _) = run.brief().unwrap();
    assert!(draft.notes.iter().any(|note| note.starts_with("Best effort: 3 issues left")), "{:?}", draft.notes);
    assert!(
        matches!(run.ended(), Some(Outcome::Partial(why)) if why.starts_with("3 issues left")),
        "{:?}",
        run.ended()
    );
    assert_eq!(run.ledger.run().spent.get(Cap::ToolCalls), 14);
    assert!(told(&lesson).contains("REVISE: 5 issues, REVISE: 4 issues, REVISE: 3 issues"), "{lesson:?}");
    assert!(told(&lesson).contains("allows 2 revisions and 2 went back"), "{lesson:?}");
}

#[test]
fn where_the_cap_on_revisions_is_widened_the_drill_says_that_something_else_ended_it() {
    let (run, lesson) = played("infinite-delegation", Team { revisions: 9, ..team::drill() });
    assert!(!lesson.caught, "{lesson:?}");
    assert!(run.ended().is_some(), "it comes to an end all the same");
    assert!(told(&lesson).contains("went back 5 times"), "{lesson:?}");
}

#[test]
fn a_handoff_that_lost_its_findings_is_never_sent_and_what_it_carried_is_on_record() {
    let (run, lesson) = played("lost-handoff", team::drill());
    assert!(lesson.caught, "{lesson:?}");
    let unsent = unsent(&run);
    let [no_part, empty_part] = &unsent[..] else { panic!("{unsent:?}") };
    assert!(no_part.payload.findings.is_none());
    assert!(empty_part.payload.findings.is_some());
    let writers: Vec<_> = run.assignments().filter(|a| a.role.as_str() == Role::WRITER).collect();
    assert_eq!(writers.len(), 1, "nobody was opened for what was refused");
    assert_eq!(writers[0].transcript.handoff.payload.findings().len(), 4);
    assert!(told(&lesson).contains("the payload has no `findings`"), "{lesson:?}");
    assert!(told(&lesson).contains("the `findings` of the payload is empty"), "{lesson:?}");
    assert_eq!(run.ended(), Some(&Outcome::Done));
}

/// The contract is not data, so the guard is taken away in the journal: the refused handoff was sent.
#[test]
fn had_the_handoff_been_sent_the_drill_would_say_so() {
    let mut events = events("lost-handoff", team::drill());
    for envelope in &mut events {
        if let Event::HandedOff { opened, .. } = &mut envelope.event {
            for opened in opened.iter_mut().filter(|opened| opened.role.as_str() == Role::WRITER) {
                let mut handoff = (*opened.handoff).clone();
                handoff.payload.findings = None;
                opened.handoff = Arc::new(handoff);
            }
        }
    }
    let run = Run::fold(&events);
    let lesson = Drill::of(&run).unwrap().exercise.lesson(&run).unwrap();
    assert!(!lesson.caught, "{lesson:?}");
    assert!(told(&lesson).contains("without a single finding"), "{lesson:?}");
}

#[test]
fn a_researcher_that_wants_thirty_searches_gets_its_share_and_its_sibling_loses_nothing() {
    let (run, lesson) = played("runaway-specialist", team::drill());
    assert!(lesson.caught, "{lesson:?}");
    let runaway = run.assignments().max_by_key(|assignment| assignment.transcript.calls().count()).unwrap();
    let (mut sent, mut refused) = (0, 0);
    for call in runaway.transcript.calls() {
        match call.end {
            CallEnd::Returned(_) => sent += 1,
            CallEnd::Refused(refusal) => {
                assert_eq!((refusal.cap, refusal.of), (Cap::ToolCalls, Some(runaway.id)));
                refused += 1;
            }
            _ => panic!("{call:?}"),
        }
    }
    assert_eq!((sent, refused), (8, 22));
    assert!(matches!(runaway.ended, Some((Outcome::Failed(_), _))));
    let (draft, findings) = run.brief().unwrap();
    assert_eq!(findings.len(), 2, "those of the other researcher");
    assert!(draft.notes.iter().any(|note| note.starts_with("Partial: 1 of 2")), "{:?}", draft.notes);
    assert!(matches!(run.ended(), Some(Outcome::Partial(_))));
    assert!(told(&lesson).contains("30 searches: 8 went out, 22 were not sent"), "{lesson:?}");
    assert!(told(&lesson).contains("the same again 3 times"), "{lesson:?}");
}

#[test]
fn where_the_cap_on_searches_is_widened_all_thirty_go_out_and_the_drill_says_so() {
    let (_, lesson) = played(
        "runaway-specialist",
        with_researcher(|member| member.limits = member.limits.with(Cap::ToolCalls, Some(60))),
    );
    assert!(!lesson.caught, "{lesson:?}");
    assert!(told(&lesson).contains("30 searches, and 30 went out"), "{lesson:?}");
}

#[test]
fn work_that_two_hand_to_each_other_is_refused_when_it_comes_round_and_is_done_by_who_has_it() {
    let (run, lesson) = played("loop-of-two", team::drill());
    assert!(lesson.caught, "{lesson:?}");
    assert_eq!(roles(&run)[2..4], ["researcher", "archivist"]);
    assert_eq!(roles(&run).iter().filter(|role| **role == "researcher").count(), 1);
    assert_eq!(unsent(&run)[0].role.as_str(), "researcher");
    assert!(told(&lesson).contains("researcher → archivist, and was about to go on to the researcher"), "{lesson:?}");
    assert!(told(&lesson).contains("already in this chain"), "{lesson:?}");
    let findings = run.brief().unwrap().1;
    assert!(!findings.is_empty() && findings.iter().all(|f| f.id.assignment == run.assignments().nth(3).unwrap().id));
    assert_eq!(run.ended(), Some(&Outcome::Done));
}

#[test]
fn where_the_same_may_be_handed_twice_it_comes_round_and_the_drill_says_so() {
    let (run, lesson) = played("loop-of-two", Team { same_handoff: 2, ..team::drill() });
    assert!(!lesson.caught, "{lesson:?}");
    assert_eq!(roles(&run)[2..5], ["researcher", "archivist", "researcher"]);
    assert!(told(&lesson).contains("came round before anything stopped it"), "{lesson:?}");
    assert_eq!(run.ended(), Some(&Outcome::Done), "the depth of delegation ends it");
}

#[test]
fn a_circle_of_three_that_rewords_its_work_is_ended_by_the_depth_of_delegation() {
    let (run, lesson) = played("loop-of-three", team::drill());
    assert!(lesson.caught, "{lesson:?}");
    assert_eq!(roles(&run)[2..5], ["researcher", "archivist", "librarian"]);
    assert!(told(&lesson).contains("it would be level 4, the most is 3"), "{lesson:?}");
    assert!(told(&lesson).contains("The librarian then did it itself"), "{lesson:?}");
    assert_eq!(run.ended(), Some(&Outcome::Done));
}

/// The depth is no data either: a circle that is shorter comes round above it.
#[test]
fn a_circle_that_comes_round_above_the_deepest_level_is_not_said_to_be_caught() {
    let run = Run::fold(&events("loop-of-two", Team { same_handoff: 9, ..team::drill() }));
    let lesson = named("loop-of-three").unwrap().exercise.lesson(&run).unwrap();
    assert!(!lesson.caught, "{lesson:?}");
}

#[test]
fn a_drill_is_the_same_every_time() {
    for drill in &ALL {
        let lines = |events: Vec<Envelope>| events.iter().map(run::record::line).collect::<Vec<_>>();
        let first = lines(events(drill.exercise.name, team::drill()));
        assert_eq!(first, lines(events(drill.exercise.name, team::drill())), "{}", drill.exercise.name);
    }
}

#[test]
fn a_drill_that_is_not_over_and_a_run_that_is_none_teach_nothing() {
    let all = events("lost-handoff", team::drill());
    let half = Run::fold(&all[..all.len() / 2]);
    assert_eq!(Drill::of(&half).unwrap().exercise.lesson(&half), None);
    assert!(Drill::of(&Run::default()).is_none());
    assert!(named("lost").is_none());
}
