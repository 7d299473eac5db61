//! Supervisors under the supervisor: plans with more tasks than one can lead, folded by hand.

use std::sync::Arc;

use kit::{Scene, Script, found, hand_off, opening, plan, report, section};
use run::checkpoint::{Answer, findings};
use run::event::Event;
use run::handoff::Unsent;
use run::plan::{Group, Task};
use run::stage::Leading;
use run::transcript::Did;
use run::{Assignment, Cap, Finding, Limits, Outcome, Payload, Role, TaskId, Team, Transcript};
use specialist::{Assigned, Sending, Step};

/// The specialists of a run: pipeline and sections lead by their rules, the others as they are told.
#[derive(Clone, Copy)]
struct Cast {
    /// Tasks of the plan.
    tasks: u32,
    /// The tasks that a task waits for.
    after: fn(u32) -> Vec<u32>,
    /// The next step of a researcher in its task.
    research: fn(Assigned<'_>, u32) -> Step,
    /// Whether an editor breaks down at this step.
    breaks: fn(&Transcript) -> bool,
}

impl Cast {
    fn of(tasks: u32) -> Cast {
        Cast { tasks, after: |_| vec![], research: finds, breaks: |_| false }
    }

    fn script(self) -> Script {
        Script::led(move |scene| self.step(scene))
    }

    fn step(&self, scene: Scene<'_>) -> Step {
        match scene.role.as_str() {
            Role::EDITOR => {
                assert!(!(self.breaks)(scene.transcript), "the editor breaks down");
                section(scene)
            }
            Role::PLANNER => {
                let task = |n: u32| Task {
                    title: format!("part {n}").as_str().into(),
                    ..kit::waiting_for(n, &(self.after)(n))
                };
                report(
                    Outcome::Done,
                    Payload { plan: Some(plan((1..=self.tasks).map(task).collect())), ..Payload::default() },
                )
            }
            Role::MERGER => found(scene.assigned.handoff.payload.findings().to_vec()),
            Role::RESEARCHER => (self.research)(scene.assigned, scene.task().expect("a task")),
            _ => Step::Wait,
        }
    }
}

/// A statement that the person vouches for needs no source: it stands as it is.
fn finding(assigned: Assigned<'_>, task: u32) -> Finding {
    let claim = format!("Part {task} is so.");
    let subtopic = format!("part {task}").as_str().into();
    let quote = claim.as_str().into();
    Finding { subtopic, quote, score: 10, ..kit::finding(assigned.id, Some(TaskId(task)), &claim) }
}

fn finds(assigned: Assigned<'_>, task: u32) -> Step {
    found(vec![finding(assigned, task)])
}

/// A run in which everything that is decided is recorded.
struct Story(kit::Story);

impl std::ops::Deref for Story {
    type Target = kit::Story;

    fn deref(&self) -> &kit::Story {
        &self.0
    }
}

impl Story {
    fn begin(team: Team, limits: Limits, cast: Cast) -> Story {
        Story(kit::Story::begin(opening(team, limits), cast.script()))
    }

    fn settle(mut self) -> Story {
        self.0.settle();
        self
    }

    fn level(&self, assignment: &Assignment) -> usize {
        std::iter::successors(assignment.parent(), |id| self.run.assignment(*id)?.parent()).count()
    }

    fn put(&self) -> Vec<String> {
        let checkpoint = self.run.open_checkpoint().expect("the run waits for the person");
        checkpoint.findings().unwrap().iter().map(|finding| finding.claim.to_string()).collect()
    }

    fn answer(mut self, answer: Answer) -> Story {
        let checkpoint = self.run.open_checkpoint().expect("the run waits for the person").id;
        self.0.answer(checkpoint, answer);
        self.settle()
    }
}

fn team(span: u32, depth: u32) -> Team {
    let mut team = Team { span, depth, most_tasks: 10_000, ..team::embedded() };
    // The run goes on without work that failed: other tests look at the other ways.
    team.members.values_mut().for_each(|member| member.on_failure.clear());
    team.members.remove(&Role::new(Role::MEMORY));
    team
}

fn all(tasks: u32) -> Vec<String> {
    (1..=tasks).map(|n| format!("Part {n} is so.")).collect()
}

fn outcome(assignment: &Assignment) -> &Outcome {
    &assignment.ended.as_ref().expect("it has ended").0
}

#[test]
fn tasks_that_one_can_lead_have_no_editor_and_more_have_as_many_levels_as_they_need() {
    for (tasks, depth, editors, deepest) in
        [(3, 3, 0, 1), (4, 3, 2, 2), (9, 3, 3, 2), (10, 3, 6, 3), (27, 3, 12, 3), (10, 2, 3, 2), (10, 1, 0, 1)]
    {
        let story = Story::begin(team(3, depth), Limits::default(), Cast::of(tasks)).settle();
        assert_eq!(story.of_role(Role::EDITOR).len(), editors, "{tasks} tasks, {depth} levels");
        assert_eq!(story.of_role(Role::RESEARCHER).len(), tasks as usize);
        assert_eq!(story.of_role(Role::RESEARCHER).iter().map(|a| story.level(a)).max(), Some(deepest), "{tasks}");
        assert_eq!(story.put(), all(tasks), "in the order of the plan");
        assert!(story.of_role(Role::EDITOR).iter().all(|editor| *outcome(editor) == Outcome::Done));
    }
}

#[test]
fn a_team_without_an_editor_leads_all_tasks_directly() {
    let mut team = team(3, 3);
    team.members.remove(&Role::new(Role::EDITOR));
    let story = Story::begin(team, Limits::default(), Cast::of(9)).settle();
    assert_eq!(story.put(), all(9));
    assert!(story.of_role(Role::RESEARCHER).iter().all(|researcher| story.level(researcher) == 1));
}

#[test]
fn an_editor_is_handed_its_part_of_the_plan_and_nothing_of_the_others() {
    let story = Story::begin(team(3, 3), Limits::default(), Cast::of(7)).settle();
    let editors = story.of_role(Role::EDITOR);
    let parts: Vec<Vec<u32>> = editors
        .iter()
        .map(|editor| {
            editor.transcript.handoff.payload.plan.as_ref().unwrap().tasks.iter().map(|task| task.id.0).collect()
        })
        .collect();
    assert_eq!(parts, [vec![1, 2, 3], vec![4, 5], vec![6, 7]]);
    let titles: Vec<&str> = editors.iter().map(|editor| editor.title()).collect();
    assert_eq!(titles, ["1–3: part 1", "4–5: part 4", "6–7: part 6"]);
    let (_, report) = editors[1].ended.as_ref().unwrap();
    assert_eq!(report.payload.findings().len(), 2);
    assert_eq!(report.payload.ends().iter().map(|end| end.task.0).collect::<Vec<_>>(), [4, 5]);
}

#[test]
fn a_task_in_a_section_begins_when_what_it_waits_for_is_in_and_is_given_it() {
    let cast = Cast { after: |n| if n == 3 || n == 6 { vec![n - 1] } else { vec![] }, ..Cast::of(6) };
    let story = Story::begin(team(3, 3), Limits::default(), cast).settle();
    assert_eq!(story.put(), all(6));
    for late in story.of_role(Role::RESEARCHER).into_iter().filter(|a| matches!(a.task, Some(TaskId(3 | 6)))) {
        let waited: Vec<TaskId> = late.transcript.handoff.payload.findings().iter().filter_map(|f| f.task).collect();
        assert_eq!(waited, [TaskId(late.task.unwrap().0 - 1)]);
    }
}

#[test]
fn parts_of_the_caps_are_what_they_would_be_without_sections() {
    let limits = Limits::of(Cap::ToolCalls, 1_000).with(Cap::Tokens, Some(500_000));
    let waits: fn(Assigned<'_>, u32) -> Step = |_, _| Step::Wait;
    let cast = Cast { after: |n| if n % 3 == 0 { vec![n - 1] } else { vec![] }, research: waits, ..Cast::of(18) };
    let parts = |story: &Story| -> Vec<Limits> {
        let researchers = story.of_role(Role::RESEARCHER).into_iter();
        researchers.filter_map(|one| story.run.ledger.assignment(one.id).allotted).collect()
    };
    let flat = parts(&Story::begin(team(18, 3), limits, cast).settle());
    let deep = Story::begin(team(3, 3), limits, cast).settle();
    let even = Limits::of(Cap::ToolCalls, 50).with(Cap::Tokens, Some(25_000));
    assert_eq!(flat, [even; 12], "what is left stays for the six that wait for these");
    assert_eq!(parts(&deep), flat);
    assert!(deep.of_role(Role::RESEARCHER).iter().any(|researcher| deep.level(researcher) == 3));
}

/// The second task of a section fails, and the fifth finds nothing.
fn some_fail(assigned: Assigned<'_>, task: u32) -> Step {
    match task {
        2 => report(Outcome::Failed("the archive is closed".into()), Payload::default()),
        5 => report(Outcome::NothingFound, Payload::default()),
        _ => finds(assigned, task),
    }
}

#[test]
fn what_fell_short_in_a_section_is_told_as_if_the_supervisor_had_led_it() {
    let told = |span: u32| {
        let story = Story::begin(team(span, 3), Limits::default(), Cast { research: some_fail, ..Cast::of(6) });
        let story = story.settle();
        let put = story.put();
        let approval = story.run.open_checkpoint().unwrap().subject.approval();
        let story = story.answer(approval);
        let writer = story.of_role(Role::WRITER)[0].transcript.handoff.clone();
        (put, writer.payload.shortfalls().to_vec())
    };
    let (flat, deep) = (told(6), told(3));
    assert_eq!(flat, deep);
    assert_eq!(flat.0.len(), 4);
    assert!(flat.1[0].contains("the archive is closed") && flat.1[1].contains("nothing was found"), "{:?}", flat.1);
}

#[test]
fn more_is_asked_of_one_task_directly_and_of_all_by_their_editors() {
    let begin = || Story::begin(team(3, 3), Limits::default(), Cast::of(6)).settle();
    let more = |task| Answer::Findings(findings::Answer::More { task, wish: "prices".into() });
    let one = begin().answer(more(Some(TaskId(5))));
    assert_eq!(one.of_role(Role::EDITOR).len(), 2, "no editor for one task");
    let again = one.of_role(Role::RESEARCHER).into_iter().next_back().unwrap();
    assert_eq!((again.task, one.level(again)), (Some(TaskId(5)), 1));
    assert_eq!(again.transcript.handoff.payload.findings().len(), 1, "it is told what there is");
    let all = begin().answer(more(None));
    assert_eq!(all.of_role(Role::EDITOR).len(), 4);
    let again = all.of_role(Role::RESEARCHER).into_iter().next_back().unwrap();
    let handoff = &again.transcript.handoff;
    assert_eq!(
        (all.level(again), handoff.payload.notes()[0].as_str(), handoff.payload.findings().len()),
        (2, "prices", 1)
    );
}

/// The first task of each section is done, the others are at work for ever.
fn only_the_first(assigned: Assigned<'_>, task: u32) -> Step {
    if task % 3 == 1 { finds(assigned, task) } else { Step::Wait }
}

#[test]
fn an_editor_that_breaks_down_loses_nothing_and_whoever_worked_for_it_goes_home() {
    let breaks = |transcript: &Transcript| {
        let first = transcript.sent().next();
        first.is_some_and(|sent| sent.task == Some(TaskId(1)) && sent.report.is_some())
    };
    // Only plans whose tasks wait for others are looked at before all are back.
    let after = |n| if n == 3 { vec![1] } else { vec![] };
    let cast = Cast { after, research: only_the_first, breaks, ..Cast::of(6) };
    let story = Story::begin(team(3, 3), Limits::default(), cast).settle();
    let (broken, whole) = (story.of_role(Role::EDITOR)[0], story.of_role(Role::EDITOR)[1]);
    let Outcome::Partial(why) = outcome(broken) else { panic!("{:?}", broken.ended) };
    assert!(why.contains("breaks down"), "{why}");
    assert_eq!(broken.ended.as_ref().unwrap().1.payload.findings().len(), 1, "what was found was paid for");
    let of = |task| story.run.given(TaskId(task)).next().unwrap();
    assert_eq!(of(2).ended.as_ref().map(|(outcome, _)| outcome), Some(&Outcome::Cancelled));
    assert!(whole.ended.is_none() && of(5).ended.is_none(), "the other section goes on");
}

/// The second task searches once before it reports.
fn the_second_searches(assigned: Assigned<'_>, task: u32) -> Step {
    match (task, assigned.turns_left) {
        (2, 3) => kit::use_tools(vec![kit::search("part 2")]),
        _ => finds(assigned, task),
    }
}

#[test]
fn a_refused_step_of_an_editor_ends_nobody_who_is_at_work_for_it_and_all_they_find_is_reported() {
    let mut team = team(3, 3);
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().turns = 3;
    let cast = Cast { research: the_second_searches, ..Cast::of(6) };
    let mut story = Story::begin(team, Limits::default(), cast).settle();
    let editor = story.of_role(Role::EDITOR)[0].id;
    let second = story.run.given(TaskId(2)).next().unwrap().id;
    let unsent = Unsent { role: Role::new(Role::RESEARCHER), title: "more".into(), payload: Payload::default() };
    story.0.record(Event::StepRefused {
        by: editor,
        stage: Leading::Research.into(),
        why: "not like this".into(),
        unsent: Some(Arc::new(unsent)),
    });
    story.0.settle();
    assert!([editor, second].iter().all(|id| story.run.assignment(*id).unwrap().ended.is_none()));
    let place = story.place(second);
    story.0.comes_back(place);
    let editor = story.run.assignment(editor).unwrap();
    assert_eq!(outcome(editor), &Outcome::Partial("not like this".into()));
    assert_eq!(editor.ended.as_ref().unwrap().1.payload.findings().len(), 3);
}

#[test]
fn a_fourth_level_is_refused_with_the_reason_and_the_tasks_are_led_directly_instead() {
    // Somebody hands an editor groups that would go deeper than the team may.
    fn too_deep(scene: Scene<'_>) -> Step {
        if !scene.transcript.turns.is_empty() {
            return Step::Wait;
        }
        let plan = plan((1..=4).map(kit::task).collect());
        let group = |tasks: &[u32], groups| Group {
            title: "a group".into(),
            tasks: tasks.iter().map(|n| TaskId(*n)).collect(),
            groups,
        };
        let deepest = vec![group(&[1], vec![]), group(&[2, 3], vec![])];
        let groups = vec![group(&[1, 2, 3], deepest), group(&[4], vec![])];
        let payload =
            Payload { question: Some("why?".into()), plan: Some(plan), groups: Some(groups), ..Payload::default() };
        hand_off(vec![Sending::new(&Role::new(Role::EDITOR), "all", payload)])
    }
    let script = Cast::of(0).script().with(Role::SUPERVISOR, too_deep);
    let story = Story(kit::Story::begin(opening(team(3, 3), Limits::default()), script)).settle();
    let editors = story.of_role(Role::EDITOR);
    assert_eq!(editors.iter().map(|editor| story.level(editor)).collect::<Vec<_>>(), [1, 2]);
    let Did::Refused { why, .. } = &editors[1].transcript.turns[0].did else { panic!("{:?}", editors[1].transcript) };
    assert!(why.contains("would hand out work at level 3"), "{why}");
    assert_eq!(outcome(editors[0]), &Outcome::Done);
    assert_eq!(story.of_role(Role::RESEARCHER).len(), 4);
    assert_eq!(editors[0].ended.as_ref().unwrap().1.payload.findings().len(), 4);
}

#[test]
fn an_editor_that_runs_out_of_turns_reports_what_there_is() {
    let mut team = team(3, 3);
    team.members.get_mut(&Role::new(Role::EDITOR)).unwrap().turns = 3;
    // A chain: each task of a section takes a turn.
    let after = |n: u32| if n % 5 == 1 { vec![] } else { vec![n - 1] };
    let story = Story::begin(team, Limits::default(), Cast { after, ..Cast::of(10) }).settle();
    for editor in story.of_role(Role::EDITOR) {
        assert_eq!(outcome(editor), &Outcome::Partial("its editor ran out of turns".into()));
        let (_, report) = editor.ended.as_ref().unwrap();
        assert_eq!((report.payload.findings().len(), report.payload.ends().len()), (2, 5));
    }
    assert_eq!(story.put().len(), 4);
}

#[test]
fn ten_thousand_tasks_have_three_levels_of_those_who_lead_and_nobody_leads_more_than_a_few() {
    let waits: fn(Assigned<'_>, u32) -> Step = |_, _| Step::Wait;
    let story = Story::begin(team(10, 3), Limits::default(), Cast { research: waits, ..Cast::of(10_000) }).settle();
    let led = |assignment: &Assignment| assignment.transcript.sent().count();
    assert!(story.run.assignments().all(|assignment| led(assignment) <= 23));
    assert_eq!(story.of_role(Role::RESEARCHER).len(), 10_000);
    assert!(story.of_role(Role::RESEARCHER).iter().all(|researcher| story.level(researcher) == 3));
}

#[test]
fn what_a_plan_had_no_room_for_is_said_to_be_missing() {
    let team = Team { most_tasks: 5, ..team(3, 3) };
    let story = Story::begin(team, Limits::default(), Cast::of(7)).settle();
    assert_eq!(story.put(), all(5));
    let approval = story.run.open_checkpoint().unwrap().subject.approval();
    let story = story.answer(approval);
    let told = story.of_role(Role::WRITER)[0].transcript.handoff.payload.shortfalls().to_vec();
    assert_eq!(
        told,
        [
            "part 6: not researched (a plan has at most 5 tasks).",
            "part 7: not researched (a plan has at most 5 tasks)."
        ]
    );
}

#[test]
fn what_a_plan_had_no_room_for_is_said_so_too_where_nothing_at_all_was_found() {
    let team = Team { most_tasks: 5, ..team(3, 3) };
    let nothing: fn(Assigned<'_>, u32) -> Step = |_, _| Step::Report {
        outcome: Outcome::NothingFound,
        title: "nothing found".into(),
        payload: Payload::default(),
    };
    let story = Story::begin(team, Limits::default(), Cast { research: nothing, ..Cast::of(7) }).settle();
    let (draft, _) = story.run.brief().unwrap();
    for n in [6, 7] {
        let line = format!("part {n}: not researched (a plan has at most 5 tasks).");
        assert_eq!(
            draft.gaps.iter().filter(|gap| gap.starts_with(&format!("part {n}"))).count(),
            1,
            "{:?}",
            draft.gaps
        );
        assert!(draft.gaps.iter().any(|gap| **gap == *line), "{:?}", draft.gaps);
    }
}
