//! A model that leads, in whole runs over real documents: its words are scripted, everything else is as always. A good one ends in
//! a brief; a bad one as well, and the record names the leaders from turn to turn.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use desk::{AttemptReporter, BoxFuture, Desk, Models, Outgoing, Policy, SystemClock, World, opening_events};
use journal::MemoryJournal;
use kit::{Folder, example};
use run::attempt::{Class, Fault};
use run::checkpoint::findings::{Answer, digest};
use run::event::Event;
use run::event::Opening;
use run::model::{Arguments, Content, Said, StopReason, Untouched, Usage};
use run::steer::Heard;
use run::team::{AssignedModel, Kind};
use run::transcript::Did;
use run::{AssignmentId, Cap, Command, Limits, Outcome, Reply, Role, Run, Steer, Subject, Team};
use run::{Envelope, Notice};
use serde_json::{Value, json};
use supervisor::Staff;
use tokio::sync::mpsc;
use tool::{Library, Readers};

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

/// The model's answer to its nth question (from 0), given the text that it is told now.
type Script = dyn Fn(usize, &str) -> Result<(Vec<Content>, StopReason), Box<Fault>> + Send + Sync;

#[derive(Clone)]
struct Scripted {
    script: Arc<Script>,
    /// The person's message to it while it is asked the first time.
    message: Option<(&'static str, mpsc::UnboundedSender<Command>)>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Models for Scripted {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let told = told(&outgoing);
        let n = outgoing.rounds.len() - 1;
        self.told.lock().unwrap().push(told.clone());
        if let Some((text, commands)) = self.message.as_ref().filter(|_| n == 0) {
            let act = Steer::Tell { text: (*text).into() };
            commands.send(Command::Steer { assignment: AssignmentId::ROOT, act }).unwrap();
        }
        let said = (self.script)(n, &told);
        Box::pin(async move {
            if reporter.sending().await.is_err() {
                std::future::pending::<()>().await;
            }
            let (content, stop) = said.map_err(|fault| *fault)?;
            Ok(Reply {
                content,
                raw: Untouched::from(json!("raw")),
                stop,
                usage: Usage { input: 100, output: 20, ..Usage::default() },
                served_by: "one".into(),
                request_id: None,
                first_ms: 1,
                whole_ms: 2,
                recorded: None,
            })
        })
    }
}

fn told(outgoing: &Outgoing) -> String {
    let text = |said: &Said| match said {
        Said::System { .. } => String::new(),
        Said::User { text } => text.to_string(),
        Said::Results { results } => results
            .iter()
            .map(|r| format!("{}: {}", if r.failed { "FAILED" } else { "ok" }, r.text))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    outgoing.request().said.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// A run that has ended, and the texts that its lead was told.
struct Lived {
    run: Run,
    events: Vec<Envelope>,
    told: Vec<String>,
}

impl Lived {
    /// The reason why the model was relieved, if it was.
    fn relieved(&self) -> Option<&str> {
        self.run.root().unwrap().transcript.relieved().map(|why| why.as_str())
    }

    /// Roles in the order in which they were handed work, memory left out.
    fn handed(&self) -> Vec<&str> {
        let roles = self.run.assignments().skip(1).map(|assignment| assignment.role.as_str());
        roles.filter(|role| *role != Role::MEMORY).collect()
    }

    fn ends_in_a_brief(&self) -> &Lived {
        let ended = self.run.ended().unwrap();
        assert!(ended.usable(), "{ended}: {:?}", self.relieved());
        let (draft, findings) = self.run.brief().expect("a brief");
        assert!(draft.sentences().count() > 3);
        for id in draft.sentences().flat_map(|sentence| &sentence.cites) {
            let finding = findings.iter().find(|finding| finding.id == *id).unwrap();
            assert!(finding.place.as_ref().is_some_and(|place| self.run.is_quoted(&finding.quote, place)));
        }
        // Under any leader, gates looked at it, and the writer had the approved findings.
        assert!(self.handed().contains(&Role::GATES));
        let turns = &self.run.root().unwrap().transcript.turns;
        let approved = turns.iter().rev().find_map(|turn| match &turn.did {
            Did::Checkpoint(pause) => match pause.of_findings()? {
                (Answer::Approved { digest }, _) => Some(digest.clone()),
                _ => None,
            },
            _ => None,
        });
        let writer = self.run.assignments().rfind(|a| a.role.as_str() == Role::WRITER).unwrap();
        assert_eq!(Some(digest(writer.transcript.handoff.payload.findings())), approved);
        self
    }
}

fn team() -> Team {
    let mut team = Team { most_tasks: 10, ..team::embedded() };
    let prompts = team::prompts(Path::new("/nowhere"), "brief").unwrap();
    team.led_by(Kind::Model);
    let model = AssignedModel { max_tokens: 600, ..kit::assigned_model("sim/one") };
    team::assign_models(&mut team, &prompts, [(Role::new(Role::SUPERVISOR), model, Vec::new())]);
    team
}

fn lead(script: impl Fn(usize, &str) -> Vec<Content> + Send + Sync + 'static) -> Lived {
    lead_with(team(), Limits::default(), move |n, told| {
        let content = script(n, told);
        let stop =
            if content.iter().any(|c| matches!(c, Content::Call { .. })) { StopReason::Tools } else { StopReason::End };
        Ok((content, stop))
    })
}

fn lead_with(
    team: Team,
    limits: Limits,
    script: impl Fn(usize, &str) -> Result<(Vec<Content>, StopReason), Box<Fault>> + Send + Sync + 'static,
) -> Lived {
    lead_hearing(None, team, limits, script)
}

fn lead_hearing(
    message: Option<&'static str>,
    team: Team,
    limits: Limits,
    script: impl Fn(usize, &str) -> Result<(Vec<Content>, StopReason), Box<Fault>> + Send + Sync + 'static,
) -> Lived {
    let data = tempfile::tempdir().unwrap();
    let library = Library::open(&[example("vector-databases")], data.path(), Readers::in_this_process()).unwrap();
    let (commands, orders) = mpsc::unbounded_channel();
    // A person who is there is asked, and approves.
    let policy = if message.is_some() { Policy::Ask } else { Policy::Approve };
    let (asks, answers) = (message.is_some(), commands.clone());
    let approves = move |notice: Notice| {
        let Notice::Committed(events) = notice else { return };
        for envelope in events {
            if let (true, Event::CheckpointOpened { checkpoint, .. }) = (asks, &envelope.event) {
                answers.send(Command::Approve { checkpoint: *checkpoint }).unwrap();
            }
        }
    };
    let message = message.map(|message| (message, commands.clone()));
    let models = Scripted { script: Arc::new(script), message, told: Arc::default() };
    let told = models.told.clone();
    let opening = Opening { run: "2222".parse().unwrap(), question: QUESTION.into(), ..kit::opening(team, limits) };
    let journal = MemoryJournal::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let events = runtime.block_on(async {
        let world = World {
            journal: Arc::new(journal.clone()),
            tools: Arc::new(Folder(library)),
            models: Arc::new(models),
            roster: Arc::new(Staff),
            clock: Arc::new(SystemClock),
        };
        let mut desk = Desk::new(Run::default(), world, policy, orders, Arc::new(approves));
        desk.work(opening_events(opening)).await;
        journal.events(&"2222".parse().unwrap())
    });
    let run = Run::fold(&events);
    assert_eq!(run.misfits, 0);
    assert_eq!(run.open().count(), 0, "an assignment is open at the end");
    let told = told.lock().unwrap().clone();
    Lived { run, events, told }
}

fn call(id: &str, name: &str, arguments: Value) -> Content {
    Content::Call { id: id.into(), name: name.into(), arguments: Arguments::Whole(arguments) }
}

fn research(thing: &str) -> Content {
    let question = format!("What are the limits, costs and trade-offs of {thing}?");
    call(thing, "handoff_to_researcher", json!({ "title": thing, "question": question }))
}

fn write() -> Vec<Content> {
    vec![call("w", "handoff_to_writer", json!({ "note": "" }))]
}

fn finalize() -> Vec<Content> {
    vec![call("f", "finalize", json!({ "draft": "last" }))]
}

fn three() -> Vec<Content> {
    ["pgvector", "Qdrant", "Pinecone"].map(research).into()
}

fn text(text: &str) -> Vec<Content> {
    vec![Content::Text { text: text.into() }]
}

#[test]
fn three_handoffs_of_one_turn_run_in_parallel_and_their_results_come_back_in_the_order_asked() {
    let lived = lead(|n, _| match n {
        0 => three(),
        1 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    assert_eq!(lived.run.ended(), Some(&Outcome::Done));
    assert_eq!(lived.handed(), ["researcher", "researcher", "researcher", "merger", "writer", "gates", "reviewer"]);
    // Memory is asked before the model is, and told in the end, under any leader.
    let ends = [lived.run.assignments().nth(1).unwrap(), lived.run.assignments().last().unwrap()];
    assert!(ends.iter().all(|assignment| assignment.role.as_str() == Role::MEMORY));
    let plan = lived.run.plan.as_ref().unwrap();
    assert_eq!(
        plan.tasks.iter().map(|task| task.title.as_str()).collect::<Vec<_>>(),
        ["pgvector", "Qdrant", "Pinecone"]
    );
    // It is told findings a line each, never a transcript, and the draft as text with its citations.
    let results = &lived.told[1];
    let at = |what: &str| results.find(what).unwrap_or_else(|| panic!("{what} in {results}"));
    assert!(at("f0.t1/") < at("f0.t2/") && at("f0.t2/") < at("f0.t3/"), "{results}");
    assert!(results.contains("<findings>") && results.contains("f0.t1/1 | "), "{results}");
    assert!(lived.told[2].contains("draft 1,") && lived.told[2].contains("The person approved"), "{}", lived.told[2]);
}

#[test]
fn a_message_to_a_model_that_leads_is_told_to_it_with_the_next_results() {
    let lived = lead_hearing(Some("only what is serverless"), team(), Limits::default(), |n, _| {
        let content = match n {
            0 => three(),
            1 => write(),
            _ => finalize(),
        };
        Ok((content, StopReason::Tools))
    });
    lived.ends_in_a_brief();
    let told: Vec<usize> = lived.told.iter().map(|told| told.matches("only what is serverless").count()).collect();
    assert_eq!(told[..2], [0, 1], "{told:?}");
    assert_eq!(lived.run.heard(lived.run.root().unwrap()), [Heard::Answered]);
}

#[test]
fn a_panic_while_a_model_is_asked_is_one_failed_attempt_and_the_run_goes_on() {
    let panicked = AtomicBool::new(false);
    let lived = lead(move |n, _| {
        assert!(panicked.swap(true, Ordering::Relaxed), "the first attempt panics");
        match n {
            0 => three(),
            1 => write(),
            _ => finalize(),
        }
    });
    lived.ends_in_a_brief();
    let first = lived.run.root().unwrap().transcript.exchanges().next().unwrap();
    let faults = first.attempts.iter().filter_map(|attempt| attempt.fault.as_ref()).map(|fault| fault.what.as_str());
    assert_eq!(faults.collect::<Vec<_>>(), ["a fault in the program while it asked the model"]);
}

#[test]
fn a_tool_that_is_not_there_and_arguments_that_are_wrong_are_answered_and_the_run_goes_on() {
    let lived = lead(|n, _| match n {
        0 => vec![
            call("a", "handoff_to_archivist", json!({ "title": "x", "question": "y" })),
            research("Qdrant"),
            call("b", "handoff_to_researcher", json!({ "title": "pgvector" })),
            Content::Call {
                id: "c".into(),
                name: "handoff_to_researcher".into(),
                arguments: Arguments::Broken("{\"title\": \"Pine".into()),
            },
            research("Qdrant"),
        ],
        1 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    let answers: Vec<&str> =
        lived.told[1].lines().filter(|line| line.starts_with("FAILED") || line.starts_with("ok")).collect();
    assert_eq!(answers.len(), 5, "{answers:?}");
    assert!(
        answers[0].contains("there is no tool `handoff_to_archivist`") && answers[0].contains("handoff_to_researcher")
    );
    assert!(answers[1].starts_with("ok"));
    assert!(answers[2].contains("`question` is missing"));
    assert!(answers[3].contains("not whole JSON"));
    assert!(answers[4].contains("that was asked already"));
    assert_eq!(lived.handed().iter().filter(|role| **role == "researcher").count(), 1);
}

#[test]
fn slivers_of_one_thing_are_named_once_and_then_joined() {
    let sliver = |side: &str| {
        let question = format!("What are the {side} of Qdrant?");
        call(side, "handoff_to_researcher", json!({ "title": format!("Qdrant {side}"), "question": question }))
    };
    let cut = move || -> Vec<Content> {
        let slivers = ["limits", "costs", "users"].map(sliver);
        [research("pgvector"), research("Pinecone")].into_iter().chain(slivers).collect()
    };
    let lived = lead(move |n, _| match n {
        0 | 1 => cut(),
        2 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    assert!(lived.told[1].contains("“Qdrant limits”, “Qdrant costs” and “Qdrant users” are slivers of one thing"));
    assert_eq!(lived.told[1].matches("FAILED").count(), 5, "{}", lived.told[1]);
    let joined = "ok: it was made part of the other work of this turn";
    assert_eq!(lived.told[2].matches(joined).count(), 2, "{}", lived.told[2]);
    let tasks = &lived.run.plan.as_ref().unwrap().tasks;
    assert_eq!(tasks.iter().map(|task| task.title.as_str()).collect::<Vec<_>>(), ["pgvector", "Pinecone", "Qdrant"]);
    assert!(tasks[2].question.contains("limits") && tasks[2].question.contains("users"), "{}", tasks[2].question);
    assert_eq!(lived.handed().iter().filter(|role| **role == "researcher").count(), 3);
}

#[test]
fn who_only_talks_is_relieved_and_the_rules_write_the_brief() {
    let lived = lead(|_, _| text("Vector databases are a fascinating topic. Let me think about it."));
    lived.ends_in_a_brief();
    assert!(lived.relieved().unwrap().contains("3 answers led to nothing"), "{:?}", lived.relieved());
    assert_eq!(lived.told.len(), 3);
    assert!(lived.told[1].contains("you called no tool"));
    assert!(lived.handed().contains(&"planner"), "the pipeline began where nothing was done");
}

#[test]
fn who_ends_at_once_with_nothing_is_refused_once_and_then_the_rules_lead() {
    let lived = lead(|_, _| finalize());
    lived.ends_in_a_brief();
    assert!(lived.told[1].contains("there is no draft"), "{}", lived.told[1]);
    assert_eq!((lived.told.len(), lived.relieved()), (2, Some("it wanted to end twice without a draft")));
}

#[test]
fn who_never_ends_is_stopped_by_a_cap_and_what_there_is_is_written() {
    // It researches on and on, each time something else.
    let lived = lead(|n, _| match n {
        0 => three(),
        n => vec![call(
            "r",
            "handoff_to_researcher",
            json!({ "title": format!("index {n}"), "question": format!("What of index number {n}?") }),
        )],
    });
    lived.ends_in_a_brief();
    assert!(lived.relieved().is_some());
    let tasks = lived.run.plan.as_ref().unwrap().tasks.len();
    assert_eq!(tasks, 10, "the plan's own cap holds");
    assert!(!lived.handed().contains(&"planner"), "nothing is planned again: what there is is written");
    assert!(lived.told.iter().any(|told| told.contains("10 tasks is the most")));
}

#[test]
fn after_the_research_a_lead_that_breaks_down_costs_no_research() {
    for (how, broken) in [
        ("declined", Ok((vec![], StopReason::Refusal("policy".into())))),
        ("could not be asked", Err(Box::new(Fault::before_sending(Class::Malformed, "it is broken".into())))),
        ("again and again", Ok((text("so far"), StopReason::Pause))),
        ("led to nothing", Ok((text("{\"name\": \"handoff_to_wri"), StopReason::Length))),
        ("led to nothing", Ok((vec![], StopReason::End))),
        ("led to nothing", Ok((finalize(), StopReason::Other("abort".into())))),
    ] {
        let lived = lead_with(team(), Limits::default(), move |n, _| match n {
            0 => Ok((three(), StopReason::Tools)),
            _ => broken.clone(),
        });
        lived.ends_in_a_brief();
        assert!(lived.relieved().is_some_and(|why| why.contains(how)), "{how}: {:?}", lived.relieved());
        assert_eq!(
            lived.handed(),
            ["researcher", "researcher", "researcher", "merger", "writer", "gates", "reviewer"],
            "{how}"
        );
    }
}

#[test]
fn after_a_draft_a_lead_that_breaks_down_costs_no_second_draft() {
    let lived = lead(|n, _| match n {
        0 => three(),
        1 => write(),
        _ => text("I am done, I think."),
    });
    lived.ends_in_a_brief();
    assert!(lived.relieved().is_some());
    assert_eq!(lived.handed().iter().filter(|role| **role == "writer").count(), 1);
}

#[test]
fn a_writer_before_there_is_anything_and_an_end_beside_other_calls_are_not_done() {
    let lived = lead(|n, _| match n {
        0 => write(),
        1 => three().into_iter().chain(write()).chain(finalize()).collect(),
        2 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    assert!(lived.told[1].contains("nothing has been found yet"));
    assert_eq!(
        lived.told[2].matches("not done: see first what your other calls bring").count(),
        2,
        "{}",
        lived.told[2]
    );
}

#[test]
fn calls_beyond_the_cap_of_one_turn_and_tasks_that_find_nothing_cost_the_lead_and_not_the_brief() {
    let lived = lead(|n, _| match n {
        0 => (0..12)
            .map(|n| {
                call(
                    &format!("c{n}"),
                    "handoff_to_researcher",
                    json!({ "title": format!("part {n}"), "question": format!("What of part {n}?") }),
                )
            })
            .collect(),
        1 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.told[1].matches("at most 8 calls in one turn").count(), 4, "{}", lived.told[1]);
    // Nothing is about a “part 3”: the rules cut the question anew, and its tasks are numbered apart.
    assert!(lived.relieved().is_some());
    assert_eq!(lived.handed()[8..12], ["planner", "researcher", "researcher", "researcher"]);
    assert_eq!(lived.run.plan.as_ref().unwrap().tasks[0].id.0, 9);
    let (draft, _) = lived.run.brief().unwrap();
    assert!(!draft.gaps.iter().any(|gap| gap.contains("part 3")), "what nobody asked for is no gap: {:?}", draft.gaps);
}

#[test]
fn a_question_that_a_policy_answers_comes_back_as_nobodys_answer() {
    let lived = lead(|n, _| match n {
        0 => vec![
            call("q", "ask_person", json!({ "question": "Which matters most?", "choices": ["cost", "speed"] })),
            research("Qdrant"),
        ],
        1 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    let nobody = "nobody is there to answer; the most likely is taken: cost";
    assert!(lived.told[1].contains(nobody), "{}", lived.told[1]);
    assert_eq!(lived.run.checkpoints.iter().filter(|checkpoint| checkpoint.question().is_some()).count(), 1);
}

#[test]
fn the_person_is_asked_while_what_the_same_answer_hands_out_is_at_work() {
    let lived = lead_hearing(Some("go on"), team(), Limits::default(), |n, _| match n {
        0 => {
            let asked =
                call("q", "ask_person", json!({ "question": "Which matters most?", "choices": ["cost", "speed"] }));
            Ok(([vec![asked], three()].concat(), StopReason::Tools))
        }
        1 => Ok((write(), StopReason::Tools)),
        _ => Ok((finalize(), StopReason::Tools)),
    });
    lived.ends_in_a_brief();
    let at = |is: &dyn Fn(&Event) -> bool| lived.events.iter().position(|envelope| is(&envelope.event)).unwrap();
    let handed_out = at(&|event| matches!(event, Event::HandedOff { opened, .. } if opened.len() == 3));
    let asked = at(
        &|event| matches!(event, Event::CheckpointOpened { subject, .. } if matches!(**subject, Subject::Question(_))),
    );
    let back =
        at(&|event| matches!(event, Event::Reported { handoff, .. } if handoff.names.0.as_str() == Role::RESEARCHER));
    assert!(
        handed_out < asked && asked < back,
        "handed out at {handed_out}, asked at {asked}, the first back at {back}"
    );
    assert!(lived.told[1].contains("cost") && lived.told[1].contains("pgvector"), "{}", lived.told[1]);
}

#[test]
fn where_nobody_was_there_to_answer_nobody_is_asked_again() {
    let ask = |n: usize| call("q", "ask_person", json!({ "question": format!("Which matters most, in round {n}?") }));
    let lived = lead(move |n, _| match n {
        0 | 1 => vec![ask(n)],
        2 => three(),
        3 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert!(lived.told[1].contains("Nobody is there to answer"), "{}", lived.told[1]);
    assert!(lived.told[2].contains("FAILED: not done: nobody is there to answer"), "{}", lived.told[2]);
    assert_eq!(lived.run.checkpoints.iter().filter(|checkpoint| checkpoint.question().is_some()).count(), 1);
}

/// The note that each writer was handed, in order.
fn notes_of_writers(lived: &Lived) -> Vec<Vec<&str>> {
    let writers = lived.run.assignments().filter(|assignment| assignment.role.as_str() == Role::WRITER);
    let notes = writers.map(|writer| writer.transcript.handoff.payload.notes());
    notes.map(|notes| notes.iter().map(|note| note.as_str()).collect()).collect()
}

#[test]
fn the_writer_gets_what_the_lead_tells_it_with_its_last_draft_and_is_not_asked_again_for_the_same() {
    let note = |note: &str| vec![call("w", "handoff_to_writer", json!({ "note": note }))];
    let lived = lead(move |n, _| match n {
        0 => three(),
        1 => write(),
        2 => write(),
        3 => note("shorter"),
        4 => note("shorter"),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    let refused = "FAILED: not done: the writer has what it wrote the last draft from";
    assert!(lived.told[3].contains(refused) && lived.told[5].contains(refused), "{:#?}", lived.told);
    assert_eq!(notes_of_writers(&lived), [vec![], vec!["The supervisor asks: shorter"]]);
    let second = lived.run.assignments().rfind(|assignment| assignment.role.as_str() == Role::WRITER).unwrap();
    assert!(second.transcript.handoff.payload.draft.is_some());
}

#[test]
fn once_no_draft_is_left_nothing_is_researched_that_nobody_could_use() {
    let note = |n: usize| vec![call("w", "handoff_to_writer", json!({ "note": format!("round {n}") }))];
    let lived = lead(move |n, _| match n {
        0 => three(),
        1..=3 => note(n),
        4 => vec![research("HNSW")],
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert!(lived.told[5].contains("FAILED: not done: 3 drafts is the most"), "{}", lived.told[5]);
    assert_eq!(lived.handed().iter().filter(|role| **role == "researcher").count(), 3);
}

#[test]
fn a_lead_is_held_to_a_call_only_after_two_idle_answers_and_to_those_that_it_is_told_of() {
    let mut team = team();
    let supervisor = team.members.get_mut(&Role::new(Role::SUPERVISOR)).unwrap();
    supervisor.model.as_mut().unwrap().structured_output = run::team::StructuredOutput::Schema;
    let lived = lead_with(team, Limits::default(), |n, _| match n {
        0 => Ok((three(), StopReason::Tools)),
        1 | 2 => Ok((text("The findings look good."), StopReason::End)),
        3 => Ok((write(), StopReason::Tools)),
        4 | 5 => Ok((text("It is done."), StopReason::End)),
        _ => Ok((finalize(), StopReason::Tools)),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    let root = &lived.run.root().unwrap().transcript;
    let held: Vec<String> = root
        .exchanges()
        .map(|exchange| match &exchange.request.form {
            run::model::Form::Json { schema, .. } => schema["properties"]["name"]["enum"].to_string(),
            _ => String::new(),
        })
        .collect();
    let all = ["handoff_to_researcher", "handoff_to_writer", "finalize"];
    let (before, after) = (json!(all[..2]).to_string(), json!(all).to_string());
    assert_eq!(held, ["", "", "", &before, "", "", &after]);
    for (at, tools) in [(3, &all[..2]), (6, &all[..])] {
        assert!(tools.iter().all(|tool| lived.told[at].contains(&format!("`{tool}`"))), "{}", lived.told[at]);
    }
}

#[test]
fn calls_that_are_written_into_the_text_are_done() {
    let lived = lead(|n, _| match n {
        0 => text(
            "```json\n{\"name\": \"handoff_to_researcher\", \"arguments\": {\"title\": \"Qdrant\", \"question\": \"What are the limits of Qdrant?\"}}\n```",
        ),
        1 => text("{\"tool\": \"handoff_to_writer\", \"parameters\": {}}"),
        _ => text("{\"name\": \"finalize\"}"),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
}

#[test]
fn planning_first_lets_the_tasks_be_handed_out_by_their_titles() {
    let lived = lead(|n, told| match n {
        0 => vec![call("p", "handoff_to_planner", json!({ "note": "" }))],
        1 => {
            assert!(told.contains("<plan>") && told.contains("pgvector"), "{told}");
            three()
        }
        2 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    let tasks = &lived.run.plan.as_ref().unwrap().tasks;
    assert!(tasks.iter().all(|task| !task.topic.is_empty()), "the planner's own tasks are taken: {tasks:?}");
}

#[test]
fn a_cap_in_calls_ends_the_lead_and_not_the_run() {
    let limits = Limits::of(Cap::Calls, 2);
    let lived = lead_with(team(), limits, |n, _| match n {
        0 => Ok((three(), StopReason::Tools)),
        1 => Ok((vec![research("HNSW")], StopReason::Tools)),
        _ => Ok((write(), StopReason::Tools)),
    });
    lived.ends_in_a_brief();
    assert!(lived.relieved().unwrap().contains("was reached"), "{:?}", lived.relieved());
}

#[test]
fn a_context_that_is_full_begins_anew_once_with_what_came_back() {
    let mut team = team();
    team.members.get_mut(&Role::new(Role::SUPERVISOR)).unwrap().model.as_mut().unwrap().context = Some(1_500);
    let lived = lead_with(team, Limits::default(), |n, told| {
        Ok(match (n, told.contains("You handed to the researcher")) {
            (0, false) => (three(), StopReason::Tools),
            (0, true) => (write(), StopReason::Tools),
            _ => (finalize(), StopReason::Tools),
        })
    });
    lived.ends_in_a_brief();
    let transcript = &lived.run.root().unwrap().transcript;
    assert!(transcript.exchanges().filter(|exchange| exchange.request.afresh).count() >= 2, "{:#?}", lived.told);
}

#[test]
fn who_insists_on_a_draft_that_gates_sent_back_gets_it_labelled() {
    // The limit of words is far too small for the extractive writer's sentences on three things.
    let lived = lead(|n, _| match n {
        0 => three(),
        1 => write(),
        _ => finalize(),
    });
    let root = &lived.run.root().unwrap().transcript;
    let ends = root.turns.iter().filter(|turn| matches!(turn.did, Did::Asked(_))).count();
    let (draft, _) = lived.run.brief().unwrap();
    let sent_back =
        lived.run.handoffs.iter().flat_map(|handoff| handoff.payload.verdicts()).any(|verdict| !verdict.passes());
    assert_eq!(sent_back, ends > 3);
    assert_eq!(sent_back, draft.notes.iter().any(|note| note.contains("Best effort")));
}

#[test]
fn what_was_planned_and_not_handed_out_is_asked_about_once_and_then_said_to_be_missing() {
    let lived = lead(|n, told| match n {
        0 => vec![call("p", "handoff_to_planner", json!({ "note": "" }))],
        1 => vec![research("Qdrant")],
        2 => write(),
        3 => {
            assert!(told.contains("planned, but not handed out: pgvector, Pinecone"), "{told}");
            write()
        }
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    let (draft, _) = lived.run.brief().unwrap();
    assert!(draft.gaps.iter().any(|gap| gap.contains("Pinecone: planned, but not handed out")), "{:?}", draft.gaps);
}

#[test]
fn a_thing_that_the_lead_left_out_is_named_to_it_once_and_then_stands_under_the_gaps() {
    let lived = lead(|n, _| match n {
        0 => vec![research("pgvector"), research("Qdrant")],
        1 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.relieved(), None);
    assert_eq!(lived.told.iter().filter(|told| told.contains("the question names “Pinecone”")).count(), 1);
    assert_eq!(lived.told.len(), 4, "it ended the second time");
    let gaps = &lived.run.brief().unwrap().0.gaps;
    assert!(gaps.iter().any(|gap| gap.starts_with("Pinecone: not researched")), "{gaps:?}");
    assert!(!gaps.iter().any(|gap| gap.contains("Pinecone") && gap.contains("nothing was found")), "{gaps:?}");
}

#[test]
fn a_lead_that_is_told_what_it_left_out_can_still_have_it_researched() {
    let lived = lead(|n, _| match n {
        0 => vec![research("pgvector"), research("Qdrant")],
        1 | 4 => write(),
        3 => vec![research("Pinecone")],
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert_eq!(lived.run.ended(), Some(&Outcome::Done));
    let (draft, _) = lived.run.brief().unwrap();
    assert!(draft.sections.iter().any(|section| section.heading.as_str() == "Pinecone"));
    assert!(!draft.gaps.iter().any(|gap| gap.contains("Pinecone")), "{:?}", draft.gaps);
}

#[test]
fn what_one_answer_asks_twice_in_other_words_is_handed_out_once() {
    let again = json!({ "title": "Qdrant", "question": "Which trade-offs, costs and limits does Qdrant have?" });
    let lived = lead(move |n, _| match n {
        0 => vec![research("Qdrant"), call("again", "handoff_to_researcher", again.clone())],
        1 => write(),
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    assert!(lived.told[1].contains("that was asked already, as “Qdrant”"), "{}", lived.told[1]);
    assert_eq!(lived.handed().iter().filter(|role| **role == "researcher").count(), 1);
}

#[test]
fn a_number_that_no_draft_has_costs_the_lead_no_look_at_what_is_open() {
    let lived = lead(|n, _| match n {
        0 => vec![research("pgvector"), research("Qdrant")],
        1 => write(),
        2 => vec![call("f", "finalize", json!({ "draft": "draft 7" }))],
        _ => finalize(),
    });
    lived.ends_in_a_brief();
    let told = |words: &str| lived.told.iter().filter(|told| told.contains(words)).count();
    assert_eq!((told("there is no draft 7"), told("the question names “Pinecone”")), (1, 1), "{:#?}", lived.told);
}
