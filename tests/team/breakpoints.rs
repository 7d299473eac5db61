//! Breakpoints: the decisions of `decide` on them over runs folded by hand, and that a stop loses nothing, pays nothing and is
//! answered by nobody but a person.

use kit::{Scene, Script, Story, finding, found, hand_off, opening, report, research, use_tools};
use run::checkpoint::stop::{self, Stop, What};
use run::checkpoint::{Answer, Approver, Edit};
use run::event::Event;
use run::finding::WordsOf;
use run::state::Latch;
use run::team::{FailureStep, Kind, Worker};
use run::transcript::Did;
use run::{CheckpointId, Command, Condition, Finding, FindingId, Limits, Outcome, Payload, Role, Run, Steer, Team};
use specialist::Step;
use supervisor::Action;

/// Two tasks; each searches once and has a finding. When both are back the run ends.
fn two(scene: Scene<'_>) -> Step {
    let turns = &scene.transcript.turns;
    match (scene.role.as_str(), turns.len()) {
        (Role::SUPERVISOR, 0) => hand_off((1..=2).map(research).collect()),
        (Role::SUPERVISOR, _) if matches!(turns.last().unwrap().did, Did::Refused { .. }) => {
            report(Outcome::Failed("refused".into()), Payload::default())
        }
        (Role::SUPERVISOR, _) if turns[0].pending() => Step::Wait,
        (Role::SUPERVISOR, _) => report(Outcome::NothingFound, Payload::default()),
        (_, 0) => use_tools(vec![kit::search(&scene.assigned.handoff.title)]),
        // The subject of the person's message is looked for before anything is reported.
        (_, n) if n <= scene.transcript.messages.len() => {
            use_tools(vec![kit::search(&scene.transcript.messages[n - 1].text)])
        }
        _ => {
            let task = scene.assigned.handoff.payload.task().map(|task| task.id);
            let words_of = WordsOf::Source;
            found(vec![Finding { words_of, quote: "So.".into(), ..finding(scene.assigned.id, task, "So.") }])
        }
    }
}

fn on(written: &str) -> Condition {
    written.parse().unwrap()
}

/// A run with these breakpoints, up to where nothing more is decided.
fn begin(breaks: &[&str]) -> Story {
    let team = Team { parallel: 8, ..team::embedded() };
    let mut story = Story::begin(opening(team, Limits::default()), Script::new(two));
    for written in breaks {
        let fact = Command::Break(on(written)).fact(&story.run, Approver::Person).unwrap();
        story.record(fact);
    }
    story.settle();
    story
}

fn stands(run: &Run) -> Option<(CheckpointId, Stop)> {
    run.open_checkpoint().and_then(|open| Some((open.id, open.stop()?.clone())))
}

#[track_caller]
fn stop_of(story: &Story) -> (CheckpointId, Stop) {
    stands(&story.run).expect("it stands at a breakpoint")
}

/// The person sends a command; its record is decided on.
#[track_caller]
fn does(story: &mut Story, command: Command) {
    let fact = command.fact(&story.run, Approver::Person).unwrap();
    story.record(fact);
    story.settle();
}

fn edits(story: &mut Story, edit: stop::Edit) {
    let (checkpoint, _) = stop_of(story);
    does(story, Command::Edit { checkpoint, edit: Edit::Stop(edit) });
}

fn answers(story: &mut Story, answer: stop::Answer) {
    let (checkpoint, _) = stop_of(story);
    does(story, Command::Answer { checkpoint, answer: Answer::Stop(answer) });
}

fn goes(story: &mut Story, until: Option<&str>) {
    answers(story, stop::Answer::Go { until: until.map(on) });
}

fn performs(story: &Story) -> usize {
    story.decided().iter().filter(|action| matches!(action, Action::Perform(..))).count()
}

#[test]
fn a_handoff_stands_before_it_crosses_and_crosses_as_it_was_once_it_is_sent_on() {
    let mut story = begin(&["handoff:researcher"]);
    let (_, stop) = stop_of(&story);
    assert_eq!(story.run.assignments().len(), 1, "nothing has crossed");
    let put: Vec<Payload> = stop.payloads().iter().map(|one| one.payload.clone()).collect();
    assert_eq!(put.len(), 2, "the handoffs of one step wait together");
    assert_eq!(stop.met, [on("handoff:researcher")]);
    assert!(!story.run.is_working(), "time at a breakpoint is no work");
    goes(&mut story, None);
    assert_eq!(story.at_work(), [1, 2]);
    let crossed: Vec<Payload> = (1..=2).map(|n| story.assignment(n).transcript.handoff.payload.clone()).collect();
    assert_eq!(crossed, put);
    // The one that led sees a turn like any other.
    assert_eq!(story.run.root().unwrap().transcript.turns.len(), 1);
    story.comes_back(1);
    story.comes_back(2);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
}

#[test]
fn what_is_sent_on_goes_to_somebody_whose_model_answers_now() {
    let mut team = Team { parallel: 8, ..team::embedded() };
    let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
    (researcher.kind, researcher.model) = (Kind::Model, Some(kit::assigned_model("a/one")));
    researcher.fallbacks = vec![kit::assigned_model("b/two")];
    researcher.on_failure = vec![FailureStep::Failover];
    let mut story = Story::begin(opening(team, Limits::default()), Script::new(two));
    story.record(Command::Break(on("handoff:researcher")).fact(&story.run, Approver::Person).unwrap());
    story.settle();
    // While it stands, the provider of its model refuses all calls.
    story.run.latches.push(Latch { provider: "a".into(), model: None, why: "the key was refused".into() });
    goes(&mut story, None);
    assert_eq!(story.assignment(1).worker, Worker::Fallback(0));
}

#[test]
fn an_edited_payload_crosses_instead_and_the_one_that_stood_is_kept_beside_it() {
    let mut story = begin(&["handoff:researcher"]);
    let (_, stop) = stop_of(&story);
    let was = stop.payloads()[0].payload.clone();
    let mine = was.clone().with_notes(["look at the costs".into()]);
    edits(&mut story, stop::Edit::Payload { of: 0, payload: Box::new(mine.clone()) });
    let open = story.run.open_checkpoint().unwrap();
    let run::Subject::Stop(put) = &*open.put else { panic!("{:?}", open.put) };
    assert_eq!((put.payloads()[0].payload, open.stop().unwrap().payloads()[0].payload), (&was, &mine));
    goes(&mut story, None);
    assert_eq!(story.assignment(1).transcript.handoff.payload, mine);
    assert_ne!(story.assignment(2).transcript.handoff.payload, mine);
}

#[test]
fn an_edit_that_breaks_the_contract_is_refused_with_what_is_wrong_and_changes_nothing() {
    let story = begin(&["handoff:researcher"]);
    let (checkpoint, stop) = stop_of(&story);
    let was = stop.payloads()[0].payload.clone();
    let other = stop.payloads()[1].payload.clone();
    for (payload, says) in [
        (Payload { question: None, ..was.clone() }, "the payload has no `question`"),
        (Payload { task: None, ..was.clone() }, "the payload has no `task`"),
        (Payload { draft: Some(Default::default()), ..was.clone() }, "`draft`, which the receiver may not see"),
        (Payload { task: other.task, ..was.clone() }, "the task it is for cannot become another"),
        (was.clone(), "how it is already"),
    ] {
        let edit = Edit::Stop(stop::Edit::Payload { of: 0, payload: Box::new(payload) });
        let why = Command::Edit { checkpoint, edit }.fact(&story.run, Approver::Person).unwrap_err();
        assert!(why.contains(says), "{why}");
    }
}

#[test]
fn a_dropped_handoff_is_never_worked_on_and_the_others_are() {
    let mut story = begin(&["handoff:researcher"]);
    edits(&mut story, stop::Edit::Drop { of: 0 });
    goes(&mut story, None);
    assert_eq!((story.outcome(1), story.assignment(1).transcript.turns.len()), (Some(&Outcome::Cancelled), 0));
    let (_, report) = story.assignment(1).ended.as_ref().unwrap();
    assert_eq!(report.payload.notes(), ["you dropped what was to be handed to the researcher"]);
    assert_eq!(story.at_work(), [2]);
    story.comes_back(2);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
}

#[test]
fn a_refused_handoff_goes_back_to_its_sender_with_the_words_of_the_person() {
    let mut story = begin(&["handoff:researcher"]);
    answers(&mut story, stop::Answer::Refuse { why: "ask about costs instead".into() });
    let root = story.run.root().unwrap();
    let Did::Refused { why, unsent } = &root.transcript.turns[0].did else { panic!("{:?}", root.transcript.turns) };
    assert!(why.contains("ask about costs instead") && unsent.is_some(), "{why}");
    assert_eq!(story.run.assignments().len(), 1);
    assert_eq!(story.run.ended(), Some(&Outcome::Failed("refused".into())));
}

#[test]
fn a_report_stands_before_its_leader_has_it_and_what_the_person_writes_in_is_marked_as_theirs() {
    let mut story = begin(&["report:0.t1"]);
    story.comes_back(1);
    let (_, stop) = stop_of(&story);
    let What::Report { outcome, payload, .. } = &stop.what else { panic!("{stop:?}") };
    assert_eq!(outcome, &Outcome::Done);
    let mut mine = (**payload).clone();
    let findings = mine.findings.as_mut().unwrap();
    // The program sets the author of the words and their place, against the person's claim.
    let extra = Finding { id: FindingId::new(story.id(1), 9), quote: "I know it.".into(), ..findings[0].clone() };
    findings[0].claim = "So it is.".into();
    findings.push(extra);
    edits(&mut story, stop::Edit::Payload { of: 0, payload: Box::new(mine) });
    goes(&mut story, None);
    let (_, report) = story.assignment(1).ended.clone().unwrap();
    let words: Vec<_> = report.payload.findings().iter().map(|finding| finding.words_of).collect();
    // The quote of the first is in no source, and that of the second is not its own.
    assert_eq!(words, [WordsOf::Person, WordsOf::Person]);
    assert!(report.payload.findings().iter().all(|finding| finding.quote.is_empty()));
}

#[test]
fn a_report_refused_back_is_read_as_a_message_before_the_next_one() {
    let mut story = begin(&["from:researcher"]);
    story.comes_back(1);
    answers(&mut story, stop::Answer::Refuse { why: "what of the costs?".into() });
    assert_eq!(story.assignment(1).transcript.messages.len(), 1);
    story.comes_back(1);
    let (_, stop) = stop_of(&story);
    assert!(matches!(stop.what, What::Report { .. }), "it reports again, and stands again");
    goes(&mut story, None);
    assert_eq!(story.outcome(1), Some(&Outcome::Done));
}

#[test]
fn a_call_stands_after_it_is_on_record_and_before_it_goes_out() {
    let mut story = begin(&["tool:search"]);
    let (_, stop) = stop_of(&story);
    assert!(matches!(&stop.what, What::Happened { says, .. } if says.contains("tool call")), "{stop:?}");
    assert_eq!(performs(&story), 0, "nothing goes out");
    goes(&mut story, None);
    let (_, second) = stop_of(&story);
    assert_ne!(second, stop, "the other one stops by itself");
    assert_eq!(performs(&story), 0);
    goes(&mut story, None);
    assert_eq!(performs(&story), 2);
}

#[test]
fn others_go_on_if_the_person_lets_them_and_else_nothing_new_starts() {
    let mut story = begin(&["from:researcher"]);
    story.comes_back(1);
    assert_eq!(performs(&story), 0, "the search of the other one would start again after a crash, and does not now");
    edits(&mut story, stop::Edit::Others { go_on: true });
    assert_eq!(performs(&story), 1);
    story.comes_back(2);
    let standing = story.run.waiting().filter(|open| open.stop().is_some()).count();
    assert_eq!(standing, 2, "both stand, each for itself");
    goes(&mut story, None);
    goes(&mut story, None);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
}

#[test]
fn what_comes_back_while_a_run_stands_is_taken_in() {
    let mut story = begin(&["report:0.t1"]);
    story.comes_back(1);
    let calls: Vec<_> = story.run.under_way.keys().copied().collect();
    calls.into_iter().for_each(|call| story.call_comes_back(call));
    assert!(story.run.under_way.is_empty() && stands(&story.run).is_some());
    goes(&mut story, None);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
}

#[test]
fn a_person_steps_from_event_to_event_handoff_to_handoff_and_call_to_call() {
    let mut story = begin(&["handoff:researcher"]);
    let mut seen = Vec::new();
    for _ in 0..3 {
        goes(&mut story, Some("event"));
        let (_, stop) = stop_of(&story);
        let What::Happened { seq, .. } = stop.what else { panic!("{stop:?}") };
        let event = story.events.iter().find(|envelope| envelope.seq == seq).unwrap();
        seen.push(event.event.name());
    }
    assert_eq!(seen, ["handed_off", "tools_called", "tools_called"]);
    goes(&mut story, Some("report:0.t2"));
    story.comes_back(1);
    assert!(stands(&story.run).is_none(), "the report of another is not waited for");
    story.comes_back(2);
    let (_, stop) = stop_of(&story);
    assert!(matches!(&stop.what, What::Report { by, .. } if *by == story.id(2)), "{stop:?}");
    goes(&mut story, Some("handoff"));
    let (_, stop) = stop_of(&story);
    assert!(stop.payloads()[0].to.is_none(), "the last handoff is the run's own report: {stop:?}");
    goes(&mut story, None);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
}

#[test]
fn ten_breakpoints_on_one_handoff_are_one_stop_that_names_them_all() {
    let breaks = ["handoff", "handoff:researcher", "from:supervisor", "from:supervisor,handoff:researcher"];
    let story = begin(&breaks);
    let (_, stop) = stop_of(&story);
    assert_eq!(stop.met, breaks.map(on));
    assert_eq!(story.run.waiting().count(), 1);
}

#[test]
fn a_crash_at_a_breakpoint_finds_it_standing_and_the_answer_is_carried_out_once() {
    let mut story = begin(&["handoff:researcher"]);
    let (checkpoint, _) = stop_of(&story);
    let again = Run::fold(&story.events);
    assert_eq!(stands(&again).map(|(id, _)| id), Some(checkpoint));
    assert_eq!(story.facts(), []);
    // The answer is on record, and the process dies before anything comes of it.
    let answer = Answer::Stop(stop::Answer::Go { until: None });
    story.answer(checkpoint, answer);
    let facts = supervisor::decide(&Run::fold(&story.events), run::At(0), &Script::new(two));
    assert!(matches!(&facts[..], [Action::Record(Event::HandedOff { .. })]), "{facts:?}");
    story.settle();
    assert_eq!(story.at_work(), [1, 2]);
    assert_eq!(story.run.handoffs.len(), 3);
}

#[test]
fn cancelling_the_one_that_stands_clears_the_way_for_the_others() {
    let mut story = begin(&["from:researcher"]);
    story.comes_back(1);
    assert!(stands(&story.run).is_some());
    story.steer(1, Steer::Cancel);
    story.settle();
    assert_eq!(story.outcome(1), Some(&Outcome::Cancelled));
    assert!(stands(&story.run).is_none());
    story.comes_back(2);
    goes(&mut story, None);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
}

#[test]
fn a_breakpoint_that_is_set_twice_or_can_never_hit_is_refused_and_a_cleared_one_stops_nothing() {
    let mut story = begin(&["from:researcher", "outcome:failed"]);
    for (written, says) in [
        ("from:researcher", "is set already: it is breakpoint 1"),
        ("handoff:wirter", "there is no specialist `wirter`"),
        ("tool:serach", "a tool `serach`"),
        ("cost:0.10", "uses no model"),
    ] {
        let why = Command::Break(on(written)).fact(&story.run, Approver::Person).unwrap_err();
        assert!(why.contains(says), "{why}");
    }
    let first = story.run.breakpoints[0].no;
    does(&mut story, Command::ClearBreak(first));
    let why = Command::ClearBreak(first).fact(&story.run, Approver::Person).unwrap_err();
    assert!(why.contains("no breakpoint 1"), "{why}");
    story.comes_back(1);
    story.comes_back(2);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
    assert_eq!(story.run.next_breakpoint().0, 3, "a number is given once");
}

/// The answers of `--yes`: for everything but a breakpoint.
#[test]
fn only_a_person_answers_at_a_breakpoint() {
    let story = begin(&["handoff:researcher"]);
    assert!(story.run.open_checkpoint().unwrap().subject.is_for_a_person());
}
