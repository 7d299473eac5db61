//! The question is answered whole, in whole runs over real documents: a planner, researchers and a writer that leave things out,
//! split them wrongly or make slivers of them, on order; everything else is as always.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kit::{Folder, Scene, Script, example, opening, play, report};
use run::brief::Wording;
use run::event::{Event, Opening};
use run::plan::{Flaw, Plan, Shape, Task};
use run::team::{Kind, Worker};
use run::tool::builtin::Search;
use run::{Coverage, Draft, Envelope, Limits, Outcome, Payload, Phase, Role, Run, TaskId, Team};
use specialist::{Step, extractive};
use tool::{Library, Readers};

const THREE: &str = "Compare pgvector, Qdrant and Pinecone";
const SIDES: &str = "Compare the licence and the cost of pgvector and Qdrant";

/// The work of a role by the rules of the program. Nobody remembers anything.
fn works(scene: Scene<'_>) -> Step {
    match extractive::specialist(scene.role).filter(|_| scene.role.as_str() != Role::MEMORY) {
        Some(specialist) => specialist.next(scene.assigned, scene.transcript),
        None => report(Outcome::NothingFound, Payload::default()),
    }
}

/// A planner that returns these tasks, title and question, for any request.
fn plans(tasks: &'static [(&'static str, &'static str)]) -> impl Fn(Scene<'_>) -> Step + Send + Sync + 'static {
    move |_| {
        let task = |((title, question), n): (&(&str, &str), u32)| Task {
            topic: vec![(*title).into()],
            ..Task::new(TaskId(n), (*title).into(), (*question).into())
        };
        let plan =
            Plan { shape: Shape::Comparison, tasks: tasks.iter().zip(1..).map(task).collect(), why: "so".into() };
        report(Outcome::Done, Payload { plan: Some(plan), ..Payload::default() })
    }
}

/// The run of a question to its end.
struct Ended {
    events: Vec<Envelope>,
    run: Run,
}

fn ask(question: &str, team: Team, script: Script) -> Ended {
    let data = tempfile::tempdir().unwrap();
    let library = Library::open(&[example("vector-databases")], data.path(), Readers::in_this_process()).unwrap();
    let opening = Opening { question: question.into(), ..opening(team, Limits::default()) };
    let events = play(opening, Arc::new(script), Arc::new(Folder(library)));
    let run = Run::fold(&events);
    assert_eq!(run.misfits, 0);
    Ended { events, run }
}

impl Ended {
    fn titles(&self) -> Vec<&str> {
        self.run.plan.as_ref().expect("a plan").tasks.iter().map(|task| task.title.as_str()).collect()
    }

    fn brief(&self) -> &Draft {
        self.run.brief().expect("a brief").0
    }

    fn gaps(&self) -> Vec<&str> {
        self.brief().gaps.iter().map(|gap| gap.as_str()).collect()
    }

    /// Each thing that the question names has a cited sentence or stands under the gaps.
    fn is_whole(&self) -> &Ended {
        let root = &self.run.root().unwrap().transcript.handoff.payload;
        let named = root.named.as_ref().expect("the question was read");
        let (draft, findings) = self.run.brief().unwrap();
        let open = Coverage::of(named, self.run.plan.as_deref()).unanswered(draft, findings.iter());
        assert_eq!(open, [], "{:?}", draft.gaps);
        self
    }

    fn text(&self) -> String {
        self.brief().sentences().map(|sentence| sentence.text.to_string()).collect::<Vec<_>>().join("\n")
    }

    fn handed_to(&self, role: &str) -> Vec<&Payload> {
        let handed = self.run.assignments().filter(|one| one.role.as_str() == role);
        handed.map(|one| &one.transcript.handoff.payload).collect()
    }

    fn queries(&self) -> Vec<String> {
        let called = self.events.iter().filter_map(|envelope| match &envelope.event {
            Event::ToolsCalled { calls, .. } => Some(calls),
            _ => None,
        });
        called.flatten().filter_map(|called| Some(called.request.of::<Search>()?.query.to_string())).collect()
    }
}

/// The embedded team with a model for these roles, so that they may be asked again. The script plays them.
fn with_models(roles: &[&str]) -> Team {
    let mut team = team::embedded();
    for role in roles {
        team.members.get_mut(&Role::new(role)).unwrap().kind = Kind::Model;
    }
    team
}

const TWO_OF_THREE: &[(&str, &str)] = &[("pgvector", "What is pgvector?"), ("Qdrant", "What is Qdrant?")];

#[test]
fn a_plan_by_rule_that_leaves_out_one_of_three_things_is_given_a_task_for_it() {
    let ended = ask(THREE, team::embedded(), Script::led(works).with(Role::PLANNER, plans(TWO_OF_THREE)));
    assert_eq!(ended.titles(), ["pgvector", "Qdrant", "Pinecone"]);
    assert_eq!(ended.handed_to(Role::PLANNER).len(), 1, "rules would return the same plan");
    assert!(ended.is_whole().text().contains("Pinecone"), "{}", ended.text());
    assert_eq!(ended.run.ended(), Some(&Outcome::Done));
    assert!(!ended.gaps().iter().any(|gap| gap.contains("Pinecone")), "{:?}", ended.gaps());
}

#[test]
fn a_planner_that_is_a_model_is_told_once_what_is_missing_and_then_the_plan_is_mended() {
    let script = Script::led(works).with(Role::PLANNER, plans(TWO_OF_THREE));
    let ended = ask(THREE, with_models(&[Role::PLANNER]), script);
    let planners = ended.handed_to(Role::PLANNER);
    assert_eq!(planners.len(), 2);
    assert_eq!(planners[1].flaws(), [Flaw::Missing { names: vec!["Pinecone".into()] }]);
    assert_eq!(ended.is_whole().titles(), ["pgvector", "Qdrant", "Pinecone"]);
}

const CLAUSES: &str =
    "How much does Pinecone charge, how does Qdrant quantize vectors, and which extension does PostgreSQL load?";

#[test]
fn a_plan_that_leaves_out_a_clause_of_the_question_is_sent_back_once_and_then_mended() {
    let one: &[(&str, &str)] = &[("Pinecone prices", "What does Pinecone charge?")];
    let script = Script::led(works).with(Role::PLANNER, plans(one));
    let ended = ask(CLAUSES, with_models(&[Role::PLANNER]), script);
    let planners = ended.handed_to(Role::PLANNER);
    let missing = ["How does Qdrant quantize vectors", "Which extension does PostgreSQL load"].map(Into::into);
    assert_eq!(planners[1].flaws(), [Flaw::Missing { names: missing.to_vec() }]);
    let [first, second] = missing.each_ref().map(|clause: &text::Clean| clause.as_str());
    assert_eq!(ended.is_whole().titles(), ["Pinecone prices", first, second]);
    assert!(ended.text().contains("quantiz"), "{}", ended.text());
}

#[test]
fn a_plan_with_a_task_for_each_clause_in_other_words_is_left_as_it_is() {
    let own: &[(&str, &str)] = &[
        ("Prices", "What does a month of Pinecone cost?"),
        ("Quantization", "What kinds of quantization are there?"),
        ("Extensions", "Which extensions have to be loaded?"),
    ];
    let script = Script::led(works).with(Role::PLANNER, plans(own));
    let ended = ask(CLAUSES, with_models(&[Role::PLANNER]), script);
    assert_eq!(ended.handed_to(Role::PLANNER).len(), 1);
    assert_eq!(ended.titles(), ["Prices", "Quantization", "Extensions"]);
}

#[test]
fn sides_that_are_cut_as_things_are_asked_for_in_the_tasks_of_the_things() {
    let wrong: &[(&str, &str)] = &[
        ("licence", "What is the licence?"),
        ("cost of pgvector", "What does it cost?"),
        ("Qdrant", "What is Qdrant?"),
    ];
    let script = Script::led(works).with(Role::PLANNER, plans(wrong));
    let ended = ask(SIDES, team::embedded(), script);
    assert_eq!(ended.titles(), ["pgvector", "Qdrant"]);
    let plan = ended.run.plan.as_ref().unwrap();
    assert!(plan.tasks.iter().all(|task| task.question.contains("licence")), "{plan:?}");
    assert!(plan.tasks[1].question.contains("cost"), "{plan:?}");
    let text = ended.is_whole().text();
    assert!(text.contains("PostgreSQL License") && text.contains("Apache 2.0"), "{text}\n{:?}", ended.gaps());
    assert_eq!(ended.gaps(), [""; 0]);
}

#[test]
fn slivers_of_one_fact_are_one_task() {
    let slivers: &[(&str, &str)] = &[
        ("Name of the licence of pgvector", "What is the licence of pgvector called?"),
        ("Licence text of pgvector", "What does the licence of pgvector say?"),
        ("pgvector licence since", "Since when has pgvector this licence?"),
        ("cost of pgvector", "What is the cost of pgvector?"),
        ("Qdrant", "What are the licence and the cost of Qdrant?"),
    ];
    let script = Script::led(works).with(Role::PLANNER, plans(slivers));
    let ended = ask(SIDES, team::embedded(), script);
    assert_eq!(ended.titles(), ["pgvector: licence", "cost of pgvector", "Qdrant"]);
    ended.is_whole();
}

#[test]
fn a_thing_that_is_not_in_the_sources_is_a_gap_and_was_searched_for_by_its_own_name() {
    let ended = ask("Compare pgvector, Qdrant and Milvus", team::embedded(), Script::led(works));
    assert_eq!(ended.is_whole().gaps(), ["Milvus: nothing was found in the sources."]);
    assert!(ended.queries().iter().any(|query| query == "Milvus"), "{:?}", ended.queries());
    let milvus =
        ended.handed_to(Role::RESEARCHER).iter().filter(|one| one.task().unwrap().title.as_str() == "Milvus").count();
    assert_eq!(milvus, 1, "the same rules would find the same");
}

/// A researcher that finds nothing on Pinecone `times` times, without searching for it.
fn misses(times: usize) -> impl Fn(Scene<'_>) -> Step + Send + Sync + 'static {
    let missed = AtomicUsize::new(0);
    move |scene| {
        let is_pinecone = scene.assigned.handoff.title.contains("Pinecone");
        match is_pinecone && scene.transcript.turns.is_empty() && missed.fetch_add(1, Ordering::Relaxed) < times {
            true => report(Outcome::NothingFound, Payload::default()),
            false => works(scene),
        }
    }
}

#[test]
fn a_thing_without_any_finding_is_asked_for_once_more_by_its_own_name() {
    let script = Script::led(works).with(Role::RESEARCHER, misses(1));
    let ended = ask(THREE, with_models(&[Role::RESEARCHER]), script);
    assert_eq!(ended.is_whole().titles(), ["pgvector", "Qdrant", "Pinecone", "Pinecone"]);
    assert!(ended.run.plan.as_ref().unwrap().tasks[3].follows_up);
    assert!(ended.text().contains("Pinecone"), "{}", ended.text());
    assert!(!ended.gaps().iter().any(|gap| gap.contains("Pinecone")), "{:?}", ended.gaps());
}

#[test]
fn a_task_for_which_too_little_was_left_is_not_planned_again_under_another_title() {
    let planned = &[
        ("pgvector limits", "What are the limits of pgvector?"),
        ("Qdrant limits", "What are the limits of Qdrant?"),
        ("Milvus limits", "What are the limits of Milvus?"),
    ];
    let script = Script::led(works).with(Role::PLANNER, plans(planned)).with(Role::RESEARCHER, |scene: Scene<'_>| {
        match scene.assigned.handoff.title.contains("Milvus") {
            true => report(Outcome::OutOfBudget("too little was left".into()), Payload::default()),
            false => works(scene),
        }
    });
    let question = "What are the limits of pgvector, Qdrant and Milvus?";
    let ended = ask(question, with_models(&[Role::RESEARCHER]), script);
    assert_eq!(ended.titles(), ["pgvector limits", "Qdrant limits", "Milvus limits"]);
    assert_eq!(ended.gaps().iter().filter(|gap| gap.contains("Milvus")).count(), 1, "{:?}", ended.gaps());
}

#[test]
fn what_is_missing_then_is_a_gap_that_does_not_claim_a_search_that_nobody_made() {
    let script = Script::led(works).with(Role::RESEARCHER, misses(9));
    let ended = ask(THREE, with_models(&[Role::RESEARCHER]), script);
    assert_eq!(ended.handed_to(Role::RESEARCHER).len(), 4, "once more, and not twice");
    let gaps = ended.is_whole().gaps();
    let of_pinecone: Vec<&&str> = gaps.iter().filter(|gap| gap.contains("Pinecone")).collect();
    assert!(!of_pinecone.is_empty(), "{gaps:?}");
    assert!(of_pinecone.iter().all(|gap| gap.contains("not searched for by its own name")), "{gaps:?}");
}

#[test]
fn what_was_found_in_no_words_of_a_source_is_not_said_to_be_missing_there() {
    let rewords = |scene: Scene<'_>| {
        let of_pinecone = scene.assigned.handoff.title.contains("Pinecone");
        match works(scene) {
            Step::Report { outcome, title, mut payload } => {
                let findings = payload.findings.iter_mut().flatten();
                for finding in findings.filter(|one| of_pinecone || one.claim.contains("Pinecone")) {
                    finding.quote = format!("{} or so", finding.quote).into();
                }
                Step::Report { outcome, title, payload }
            }
            other => other,
        }
    };
    let script = Script::led(works).with(Role::RESEARCHER, rewords);
    let ended = ask("Compare Qdrant and Pinecone", with_models(&[Role::RESEARCHER]), script);
    let gaps = ended.is_whole().gaps();
    assert!(gaps.contains(&"Pinecone: what was found is not in the words of a source, and was left out."), "{gaps:?}");
}

#[test]
fn a_task_that_failed_stands_under_the_gaps_though_the_writer_leaves_it_out() {
    let fails = |scene: Scene<'_>| match scene.assigned.handoff.title.contains("backups") {
        true => report(Outcome::Failed("the model declined".into()), Payload::default()),
        false => works(scene),
    };
    let writes = |scene: Scene<'_>| match works(scene) {
        Step::Report { outcome, title, mut payload } => {
            payload.draft.as_mut().unwrap().gaps.clear();
            Step::Report { outcome, title, payload }
        }
        other => other,
    };
    let planned = &[("pgvector", "What is pgvector?"), ("backups", "How are backups made?")];
    let script = Script::led(works).with(Role::PLANNER, plans(planned)).with(Role::RESEARCHER, fails);
    let ended = ask("What is pgvector, and how is it run?", team::embedded(), script.with(Role::WRITER, writes));
    assert_eq!(ended.gaps(), ["backups: the research failed (the model declined)."]);
    assert!(matches!(ended.run.ended(), Some(Outcome::Partial(_))), "{:?}", ended.run.ended());
}

#[test]
fn the_writer_is_told_what_a_researcher_did_not_find_besides_what_it_found_and_nothing_else_that_it_notes() {
    let notes = |scene: Scene<'_>| match works(scene) {
        Step::Report { outcome, title, mut payload } => {
            payload.notes = Some(vec!["Its price was not found. It is free for all. Nothing was found.".into()]);
            Step::Report { outcome, title, payload }
        }
        other => other,
    };
    let ended = ask("What is pgvector?", team::embedded(), Script::led(works).with(Role::RESEARCHER, notes));
    let told: Vec<&str> = ended.handed_to(Role::WRITER)[0].shortfalls().iter().map(|line| line.as_str()).collect();
    assert!(matches!(told[..], [line] if line.ends_with(": Its price was not found.")), "{told:?}");
}

#[test]
fn the_reason_for_a_gap_is_what_became_of_its_task_whatever_the_writer_makes_of_it() {
    let is_too_dear = |scene: Scene<'_>| match scene.assigned.handoff.title.contains("Pinecone") {
        true => report(Outcome::OutOfBudget("the money cap of $1".into()), Payload::default()),
        false => works(scene),
    };
    let writes = |scene: Scene<'_>| match works(scene) {
        Step::Report { outcome, title, mut payload } => {
            payload.draft.as_mut().unwrap().gaps = vec!["Pinecone: nothing is said.".into()];
            Step::Report { outcome, title, payload }
        }
        other => other,
    };
    let script = Script::led(works).with(Role::RESEARCHER, is_too_dear).with(Role::WRITER, writes);
    let ended = ask(THREE, team::embedded(), script);
    let gaps = ended.gaps();
    assert_eq!(gaps.iter().filter(|gap| gap.contains("Pinecone")).count(), 1, "{gaps:?}");
    assert!(gaps.contains(&"Pinecone: not researched: the money cap of $1."), "{gaps:?}");
}

#[test]
fn no_moment_after_the_research_has_begun_counts_as_planning() {
    let ended = ask(THREE, team::embedded(), Script::led(works));
    let moments = (0..=ended.events.len()).map(|n| Run::fold(&ended.events[..n]));
    let moments = moments.map(|run| (run.assignments().any(|one| one.task.is_some()), run.phase() == Phase::Planning));
    let (after, before): (Vec<_>, Vec<_>) = moments.partition(|(has_begun, _)| *has_begun);
    let planning = |moments: &[(bool, bool)]| moments.iter().any(|(_, is_planning)| *is_planning);
    assert_eq!((planning(&before), planning(&after), after.is_empty()), (true, false, false));
}

/// A writer that leaves out the findings on Pinecone, and says this under the gaps.
fn leaves_out(gap: Option<&'static str>) -> impl Fn(Scene<'_>) -> Step + Send + Sync + 'static {
    move |scene| match works(scene) {
        Step::Report { outcome, title, mut payload } => {
            let draft = payload.draft.as_mut().unwrap();
            draft.wording = Wording::Quoted;
            draft.strike(|sentence| sentence.text.contains("Pinecone"));
            draft.sections.retain(|section| !["Pinecone", "Numbers side by side"].contains(&section.heading.as_str()));
            draft.disagreements.retain(|sentence| !sentence.text.contains("Pinecone"));
            draft.gaps.extend(gap.map(Into::into));
            Step::Report { outcome, title, payload }
        }
        other => other,
    }
}

#[test]
fn a_draft_that_leaves_out_a_thing_is_sent_back_and_in_the_end_says_so() {
    let ended = ask(THREE, team::embedded(), Script::led(works).with(Role::WRITER, leaves_out(None)));
    assert!(ended.handed_to(Role::WRITER).len() > 1, "it was sent back");
    let verdicts = ended.handed_to(Role::WRITER)[1].verdicts();
    let issues: Vec<String> =
        verdicts.iter().flat_map(|verdict| &verdict.issues).map(|issue| issue.what.to_string()).collect();
    assert!(
        issues.iter().any(|what| what.contains("Pinecone is asked for and there are findings on it")),
        "{issues:?}"
    );
    let gaps = ended.is_whole().gaps();
    assert!(gaps.contains(&"Pinecone: something was found, and is not in this brief."), "{gaps:?}");
}

/// A writer that says what it was handed no finding on.
fn says_what_it_was_not_handed(scene: Scene<'_>) -> Step {
    let texts: Vec<String> =
        scene.assigned.handoff.payload.findings().iter().map(|finding| format!("{finding:?}")).collect();
    let unknown =
        ["pgvector", "Qdrant", "Pinecone"].into_iter().filter(|thing| !texts.iter().any(|text| text.contains(thing)));
    match works(scene) {
        Step::Report { outcome, title, mut payload } => {
            let draft = payload.draft.as_mut().unwrap();
            draft.gaps.extend(unknown.map(|thing| format!("Not stated: {thing}.").into()));
            Step::Report { outcome, title, payload }
        }
        other => other,
    }
}

#[test]
fn a_writer_is_not_held_to_what_only_findings_tell_of_that_it_was_not_handed() {
    let mut team = team::embedded();
    // One finding is handed over, however little room there is.
    team.members.get_mut(&Role::new(Role::WRITER)).unwrap().payload_tokens = Some(1);
    let ended = ask(THREE, team, Script::led(works).with(Role::WRITER, says_what_it_was_not_handed));
    let handed = ended.handed_to(Role::WRITER);
    assert_eq!(handed.len(), 1, "nothing is sent back that it could not know");
    assert_eq!(handed[0].findings().len(), 1);
    let withheld = ended.handed_to(Role::GATES)[0].withheld();
    let things: Vec<&str> =
        withheld.iter().filter(|point| point.of.is_none()).map(|point| point.name.as_str()).collect();
    assert!(!things.is_empty(), "{withheld:?}");
    let gaps = ended.is_whole().gaps();
    for thing in things {
        let found = format!("{thing}: something was found, and is not in this brief.");
        assert!(gaps.contains(&found.as_str()), "{found} {gaps:?}");
    }
    assert!(!gaps.iter().any(|gap| gap.contains("Not stated")), "{gaps:?}");
    let why = ended.run.ended().and_then(Outcome::why).map(ToString::to_string).unwrap_or_default();
    assert!(why.contains("take in (`payload_tokens` = 1)"), "{why}");
}

#[test]
fn a_part_that_another_task_has_found_something_for_is_no_gap() {
    let gaps = |tasks: &'static [(&'static str, &'static str)]| {
        let part = tasks[1].0;
        let finds_nothing = move |scene: Scene<'_>| match scene.assigned.handoff.title.contains(part) {
            true => report(Outcome::NothingFound, Payload::default()),
            false => works(scene),
        };
        let script = Script::led(works).with(Role::PLANNER, plans(tasks)).with(Role::RESEARCHER, finds_nothing);
        let ended = ask("What is pgvector, and how is it kept?", team::embedded(), script);
        ended.gaps().iter().filter(|gap| gap.contains(part)).count()
    };
    // What was found on pgvector tells of backups, and of elephants nothing.
    assert_eq!(gaps(&[("pgvector", "What is pgvector?"), ("backups", "How are backups made?")]), 0);
    assert_eq!(gaps(&[("pgvector", "What is pgvector?"), ("elephants", "How are elephants fed?")]), 1);
}

#[test]
fn a_gap_that_was_never_searched_for_does_not_reach_the_brief() {
    let says = "The sources say nothing of Pinecone.";
    let script = Script::led(works).with(Role::RESEARCHER, misses(9)).with(Role::WRITER, leaves_out(Some(says)));
    let ended = ask(THREE, with_models(&[Role::RESEARCHER]), script);
    assert!(!ended.is_whole().gaps().contains(&says), "{:?}", ended.gaps());
    assert!(ended.gaps().iter().any(|gap| gap.starts_with("Pinecone: ")), "{:?}", ended.gaps());
}

#[test]
fn years_and_the_questions_of_a_list_are_covered_one_by_one() {
    let years = ask("Compare pgvector and Qdrant in 2019 and 2020", team::embedded(), Script::led(works));
    years.is_whole();
    assert!(years.queries().iter().any(|query| query == "pgvector 2019"), "{:?}", years.queries());
    let list = "1. What is pgvector?\n2. What is Qdrant?\n3. What is a sourdough starter?";
    let script = Script::led(works)
        .with(Role::PLANNER, plans(&[("pgvector", "What is pgvector?"), ("Qdrant", "What is Qdrant?")]));
    let ended = ask(list, team::embedded(), script);
    assert_eq!(ended.is_whole().titles(), ["pgvector", "Qdrant", "What is a sourdough starter?"]);
}

#[test]
fn a_question_that_names_nothing_is_not_checked() {
    let ended = ask("What is Qdrant?", team::embedded(), Script::led(works));
    assert_eq!(ended.run.root().unwrap().transcript.handoff.payload.named, None);
    let gates = ended.handed_to(Role::GATES);
    assert!(gates.iter().all(|gates| gates.named.is_none() && gates.searched.is_none()));
}

#[test]
fn a_draft_that_rules_wrote_in_place_of_a_model_is_revised_by_them() {
    let writes = |scene: Scene<'_>| match leaves_out(None)(scene) {
        Step::Report { outcome, title, mut payload } => {
            payload.by_rule = Some("its answer was cut at its token limit".into());
            Step::Report { outcome, title, payload }
        }
        other => other,
    };
    let ended = ask(THREE, with_models(&[Role::WRITER]), Script::led(works).with(Role::WRITER, writes));
    let writers = ended.run.assignments().filter(|one| one.role.as_str() == Role::WRITER);
    let workers: Vec<Worker> = writers.map(|one| one.worker).collect();
    assert_eq!(workers[..2], [Worker::Member, Worker::Rules]);
}
