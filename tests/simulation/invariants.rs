//! The design's invariants, as assertions over the committed events.

use std::collections::BTreeSet;

use run::Notice;
use run::brief::Sentence;
use run::budget::Refusal;
use run::checkpoint::findings::{self, digest};
use run::checkpoint::question::{self, AfterFailure};
use run::checkpoint::{Answer, Subject, budget, plan};
use run::event::{Admission, Envelope, Event};
use run::finding::{Standing, WordsOf};
use run::handoff::Contract;
use run::plan::{Bounds, Plan, Task};
use run::state::Ending;
use run::team::FailureStep;
use run::tool::builtin::Search;
use run::transcript::{Did, Sent};
use run::{Amounts, Assignment, AssignmentId, Cap, Finding, Limits, Outcome, Role, Run};
use text::Named;

/// Folds the notices of a face, and checks the run after every event.
pub struct Watch {
    pub seed: u64,
    run: Run,
    /// The caps in force before the last event.
    caps: Limits,
}

impl Watch {
    pub fn new(seed: u64, run: Run) -> Watch {
        let caps = run.ledger.run().limits;
        Watch { seed, run, caps }
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn hear(&mut self, notice: Notice) {
        if let Notice::Committed(events) = notice {
            for event in events {
                assert_eq!(event.seq, self.run.seq.next(), "seed {}: a face missed an event", self.seed);
                let asked = self.run.asks().is_some();
                self.nobody_held_takes_a_turn(&event);
                self.nothing_starts_at_a_breakpoint(&event);
                self.nothing_is_refused_before_the_person_was_asked(&event);
                self.run.apply(&event);
                self.caps_only_rise_at_a_checkpoint(&event, asked);
                self.check(&event);
            }
        }
    }

    fn nobody_held_takes_a_turn(&self, envelope: &Envelope) {
        let by = match &envelope.event {
            Event::ToolsCalled { by, .. } | Event::ModelCalled { by, .. } | Event::StepRefused { by, .. } => *by,
            Event::AttemptDue { call, .. } | Event::CallAdmitted { call, .. } => call.assignment,
            _ => return,
        };
        let stands = self.run.assignment(by).is_some_and(|assignment| assignment.paused || assignment.ending.is_some());
        assert!(!stands, "seed {}: {by} is paused or ended by the person: {:?}", self.seed, envelope.event);
    }

    /// While a run stands at a breakpoint nothing begins and nothing goes out: open calls come back, and the person acts.
    fn nothing_starts_at_a_breakpoint(&self, envelope: &Envelope) {
        let starts = match &envelope.event {
            Event::ToolsCalled { .. }
            | Event::ModelCalled { .. }
            | Event::ToolStarted { .. }
            | Event::CallAdmitted { .. }
            | Event::AttemptSent { .. }
            | Event::AttemptDue { .. }
            | Event::PlanAdopted { .. }
            | Event::StepRefused { .. } => true,
            Event::HandedOff { opened, .. } => opened.iter().any(|one| one.instead_of.is_none()),
            _ => false,
        };
        assert!(!(starts && self.run.is_stopped()), "seed {}: it stands, and {:?}", self.seed, envelope.event);
    }

    /// The cap in force is the one of the opening, or one the person raised where the run asked something of them.
    fn caps_only_rise_at_a_checkpoint(&mut self, envelope: &Envelope, asked: bool) {
        let now = self.run.ledger.run().limits;
        match &envelope.event {
            Event::RunOpened(opening) => assert_eq!(now, opening.limits),
            Event::CapRaised { to }
            | Event::CheckpointAnswered { answer: Answer::Budget(budget::Answer::Raise { to }), .. } => {
                assert!(asked, "seed {}: a cap was raised where nothing was asked", self.seed);
                assert_eq!(now, to.or(self.caps), "seed {}", self.seed);
                assert!(Cap::ALL.into_iter().all(|cap| now.cap(cap) >= self.caps.cap(cap)), "seed {}", self.seed);
                assert!(to.caps().all(|(cap, n)| self.caps.cap(cap).is_some_and(|was| n > was)), "seed {}", self.seed);
            }
            _ => assert_eq!(now, self.caps, "seed {}: {}", self.seed, envelope.event.name()),
        }
        self.caps = now;
    }

    /// A cap of the run keeps nothing from being done before the person has been asked, who is asked once nothing goes
    /// on.
    fn nothing_is_refused_before_the_person_was_asked(&self, envelope: &Envelope) {
        let refused = |admission: &Admission| matches!(admission, Admission::Refused(Refusal { of: None, .. }));
        let is_refused = match &envelope.event {
            Event::ToolsCalled { calls, .. } => calls.iter().any(|call| refused(&call.admission)),
            Event::ModelCalled { admission, .. }
            | Event::CallAdmitted { admission, .. }
            | Event::AttemptDue { admission, .. } => refused(admission),
            _ => false,
        };
        assert!(!(is_refused && self.run.asks_at_caps()), "seed {}: {:?}", self.seed, envelope.event);
        if let Event::CheckpointOpened { subject, .. } = &envelope.event
            && matches!(**subject, Subject::Budget(_))
        {
            assert!(self.run.under_way.is_empty() && self.run.asks().is_none(), "seed {}", self.seed);
        }
    }

    fn check(&self, envelope: &Envelope) {
        let (seed, run) = (self.seed, &self.run);
        assert_eq!(run.misfits, 0, "seed {seed}: {envelope:?}");
        // 2. The cap holds.
        assert!(run.ledger.holds(), "seed {seed}: a cap was passed by {:?}", envelope.event.name());
        let doubted = run.in_doubt.values().filter(|one| one.started);
        let reserved = run.under_way.values().chain(doubted).fold(0, |sum, one| sum + one.amounts.get(Cap::ToolCalls));
        let expected = "reserved is what is under way, or a tool call in doubt";
        assert_eq!(run.ledger.run().reserved.get(Cap::ToolCalls), reserved, "seed {seed}: {expected}");
        // 3. Calls that were out when the run ended are booked.
        if run.ended().is_some() {
            let (out, open) = (run.under_way.len(), run.open_count());
            assert_eq!((out, open), (0, 0), "seed {seed}: it has ended, and something is under way");
            assert_eq!(run.ledger.run().reserved, Amounts::default(), "seed {seed}: it has ended, and holds this");
        }
        if let Event::HandedOff { by: Some(_), opened, .. } = &envelope.event {
            for opened in opened {
                // 6. Isolation: exactly the parts that the contract names, and a writer has findings.
                let contract = Contract::of(&opened.role);
                let kept = contract.map_or(Ok(()), |contract| contract.check_sent(&opened.handoff.payload));
                assert_eq!(kept, Ok(()), "seed {seed}");
                if opened.role.as_str() == Role::WRITER {
                    self.writer_gets_what_was_approved(opened.handoff.payload.findings());
                }
            }
        }
        // Nobody begins a turn for which there is no place.
        if let Event::ToolsCalled { .. } = &envelope.event {
            let team = &run.opening.as_ref().expect("opened").team;
            let uses_tools = |a: &&Assignment| {
                a.transcript.turns.last().is_some_and(|turn| matches!(turn.did, Did::Tools(_)) && turn.pending())
            };
            let at_work = run.open().filter(|a| !a.paused && !a.is_short).filter(uses_tools).count();
            assert!(at_work <= team.parallel as usize, "seed {seed}: {at_work} at work");
        }
        // 5. Nothing loops for ever.
        let team = &run.opening.as_ref().expect("opened").team;
        for assignment in run.assignments() {
            let turns = team.turns_used(&assignment.role, assignment.worker, &assignment.transcript);
            assert!(turns <= team.members[&assignment.role].turns, "seed {seed}: too many turns");
        }
        // A plan can be worked at every moment, after any edits of the person.
        for plan in run.plan_checkpoints().map(|(_, plan)| plan).chain(run.plan.as_deref()) {
            assert_eq!(plan.blocking_flaws(&Bounds::of(team)), [], "seed {seed}: after {}", envelope.event.name());
        }
        if let Event::PlanAdopted { plan, .. } = &envelope.event {
            self.plan_is_what_was_approved(plan);
        }
        let wrote =
            |a: &&Assignment| a.role.as_str() == Role::WRITER && a.ended.as_ref().is_some_and(|(o, _)| o.usable());
        let drafts = run.assignments().filter(wrote).count();
        let asked = run::checkpoint::draft::rounds(run);
        assert!(drafts <= team.revisions as usize + 1 + asked, "seed {seed}: too many revisions");
        assert!(asked <= team.more_rounds as usize, "seed {seed}: sent back too often");
    }

    /// The plan that is worked is the one the person left, but for the estimates of its tasks, and for tasks that ask
    /// once more for a thing that one of the person's tasks asks for.
    fn plan_is_what_was_approved(&self, plan: &Plan) {
        let team = &self.run.opening.as_ref().expect("opened").team;
        let Some((checkpoint, left)) = self.run.plan_checkpoints().next_back() else {
            return assert!(!team.check_plan, "seed {}: the person was not asked", self.seed);
        };
        let answer = checkpoint.answer.as_ref().map(|answered| &answered.answer);
        assert_eq!(answer, Some(&Answer::Plan(plan::Answer::Approved)), "seed {}", self.seed);
        let follow_ups = plan.tasks.iter().filter(|task| task.follows_up);
        for thing in follow_ups.flat_map(|task| &task.topic) {
            let asks = |task: &Task| task.title.contains(thing.as_str());
            assert!(left.tasks.iter().any(asks), "seed {}: nobody approved work on {thing}", self.seed);
        }
        let bare = |plan: &Plan| {
            let tasks = plan.tasks.iter().filter(|task| !task.follows_up).cloned();
            tasks.map(|task| Task { estimate: None, acceptance: None, ..task }).collect::<Vec<_>>()
        };
        assert_eq!(bare(plan), bare(left), "seed {}", self.seed);
    }

    /// The writer gets the findings that the person approved, byte for byte.
    fn writer_gets_what_was_approved(&self, findings: &[Finding]) {
        let approved =
            self.run.checkpoints.iter().rev().find_map(|checkpoint| match &checkpoint.answer.as_ref()?.answer {
                Answer::Findings(findings::Answer::Approved { digest }) => Some(digest.clone()),
                _ => None,
            });
        assert_eq!(Some(digest(findings)), approved, "seed {}", self.seed);
        assert!(findings.iter().all(|f| f.standing == Standing::Proposed));
    }
}

/// Whether the person, or its leader, ended an assignment or one that leads it.
fn was_given_up(run: &Run, assignment: &Assignment) -> bool {
    let above = |id: &AssignmentId| id.parent();
    let chain = std::iter::successors(Some(assignment.id), above);
    chain.filter_map(|id| run.assignment(id)).any(|one| one.ending.is_some())
}

/// Whether a failure of research may have ended the run: by the policy of the team, or because the person said so.
pub fn may_fail(run: &Run) -> bool {
    let members = run.opening.iter().flat_map(|opening| opening.team.members.values());
    let by_policy = members.flat_map(|member| &member.on_failure).any(|step| *step == FailureStep::Fail);
    let stops = Answer::Question(question::Answer::AfterFailure(AfterFailure::Stop));
    let mut answers = run.checkpoints.iter().filter_map(|checkpoint| checkpoint.answer.as_ref());
    by_policy || answers.any(|answered| answered.answer == stops)
}

pub fn at_the_end(seed: u64, run: &Run) {
    assert_eq!(run.open().count(), 0, "seed {seed}: an assignment is still open");
    assert!(run.under_way.is_empty() && run.queued.is_empty(), "seed {seed}: a call is still under way");
    // 4. One failure stays one failure: siblings of a failed researcher end on their own terms.
    let ends: Vec<_> = run
        .assignments()
        .filter(|a| a.role.as_str() == Role::RESEARCHER && !was_given_up(run, a))
        .filter_map(|a| a.ended.as_ref())
        .collect();
    // A report that the person dropped at a breakpoint is theirs to drop.
    let is_lost = |end: &Outcome, title: &str| *end == Outcome::Cancelled && title != "dropped";
    let lost = ends.iter().any(|(end, report)| is_lost(end, &report.title));
    assert!(!lost || may_fail(run), "seed {seed}: a sibling was cancelled");
    // A made-up finding is none.
    let found = ends.iter().any(|(end, report)| end.usable() && report.payload.findings().iter().any(Finding::usable));
    let left = run.findings_checkpoints().next_back();
    let dropped_all = left.is_some_and(|(_, left)| !left.iter().any(Finding::usable));
    let writer_failed = run
        .assignments()
        .any(|a| a.role.as_str() == Role::WRITER && a.ended.as_ref().is_some_and(|(outcome, _)| !outcome.usable()));
    // A person who keeps something from crossing at a breakpoint may keep the brief from being written.
    let held_back = crate::person::meddles(seed) && run.checkpoints.iter().any(|one| one.stop().is_some());
    if found && !dropped_all && !writer_failed && !held_back && !may_fail(run) {
        let (draft, _) =
            run.brief().unwrap_or_else(|| panic!("seed {seed}: findings, but no brief: {:?}", run.ended()));
        assert!(draft.sentences().count() > 0, "seed {seed}");
    }
    // 7. Every claim has a passage.
    if let Some((draft, findings)) = run.brief() {
        for sentence in draft.sentences() {
            assert!(!sentence.cites.is_empty(), "seed {seed}");
            for id in &sentence.cites {
                let finding = findings.iter().find(|f| f.id == *id).unwrap_or_else(|| panic!("seed {seed}: {id}"));
                let quoted = finding.place.as_ref().is_some_and(|place| run.is_quoted(&finding.quote, place));
                assert!(quoted || finding.words_of == WordsOf::Person, "seed {seed}: {id} has no passage: {finding:?}");
            }
        }
    }
    question_is_answered_whole(seed, run);
    // 6. Nobody has seen another's transcript: every turn's children and calls are its own.
    for assignment in run.assignments() {
        for turn in &assignment.transcript.turns {
            match &turn.did {
                Did::Tools(calls) => assert!(calls.iter().all(|call| call.id.assignment == assignment.id)),
                Did::HandOffs(sent) => {
                    let team = &run.opening.as_ref().expect("opened").team;
                    assert!(team.delegates(&assignment.role), "seed {seed}: {} leads nobody", assignment.role);
                    let to = |s: &Sent| run.assignment(s.to).unwrap();
                    assert!(sent.iter().all(|s| to(s).parent() == Some(assignment.id)));
                    // A wait for a report is for the agent that does the work now.
                    let replaced = |s: &Sent| matches!(to(s).ending, Some(Ending::Replaced { .. }));
                    assert!(!sent.iter().any(replaced), "seed {seed}: a report of who was replaced was used");
                }
                _ => {}
            }
        }
    }
}

/// Invariant 12: each thing that the question names has a cited sentence or stands under the gaps, and a gap says that nothing was
/// found only of a thing that was searched for by its own name. A task that failed is a gap.
fn question_is_answered_whole(seed: u64, run: &Run) {
    let opening = run.opening.as_ref().expect("opened");
    let named = Named::read(&opening.question);
    let Some(root) = run.root() else { return };
    let kept = Some(root).and_then(|root| root.transcript.handoff.payload.named.as_ref());
    assert_eq!(
        kept,
        Some(&named).filter(|named| !named.is_empty()),
        "seed {seed}: what the question names is kept as it was read"
    );
    let Some((draft, findings)) = run.brief() else { return };
    let asked = |finding: &Finding| {
        let mut tasks = run.plan.iter().flat_map(|plan| &plan.tasks);
        tasks.find(|task| Some(task.id) == finding.task).map(|task| format!("{} {}", task.title, task.question))
    };
    let says = |sentence: &Sentence, thing: &str| {
        let cited = findings.iter().filter(|finding| sentence.cites.contains(&finding.id));
        let mut about =
            cited.map(|one| format!("{} {} {} {}", one.claim, one.quote, one.subtopic, asked(one).unwrap_or_default()));
        sentence.text.contains(thing) || about.any(|text| text.contains(thing))
    };
    for task in run.plan.iter().flat_map(|plan| &plan.tasks) {
        let of_task = |one: &&Assignment| one.transcript.handoff.payload.task().is_some_and(|own| own.id == task.id);
        let given: Vec<_> = run.assignments().filter(of_task).collect();
        let failed = |one: &&Assignment| {
            matches!(one.ended, Some((Outcome::Failed(_) | Outcome::OutOfBudget(_), _))) && one.ending.is_none()
        };
        if !given.is_empty() && given.iter().all(failed) {
            let is_gap = draft.gaps.iter().any(|gap| gap.contains(task.title.as_str()));
            assert!(is_gap, "seed {seed}: {} failed and is no gap: {:?}", task.title, draft.gaps);
        }
    }
    for thing in &named.things {
        let is_said = draft.sentences().any(|sentence| says(sentence, thing));
        let is_gap = draft.gaps.iter().any(|gap| gap.contains(thing.as_str()));
        assert!(is_said || is_gap, "seed {seed}: {thing} has neither a sentence nor a gap: {draft:?}");
        let mut claims = draft.gaps.iter().filter(|gap| gap.contains("nothing was found"));
        if claims.any(|gap| gap.contains(thing.as_str())) {
            let researchers = run.assignments().filter(|one| one.transcript.handoff.payload.task().is_some());
            let mut calls = researchers.flat_map(|one| one.transcript.calls());
            let is_searched = calls
                .any(|call| call.request.of::<Search>().is_some_and(|search| search.query.contains(thing.as_str())));
            assert!(
                is_searched,
                "seed {seed}: a gap claims that nothing was found on {thing}, for which nobody searched"
            );
        }
    }
}

/// The finished steps, without their times: the same for a run that was killed and one that was not.
pub fn finished_steps(events: &[Envelope]) -> BTreeSet<String> {
    let mut steps = BTreeSet::new();
    for envelope in events {
        let step = match &envelope.event {
            Event::ToolReturned { call, .. } | Event::ToolFailed { call, .. } => format!("call {call}"),
            Event::Reported { by, outcome, .. } => format!("report {by} {outcome}"),
            Event::CheckpointOpened { checkpoint, subject, .. } if !subject.others_go_on() => {
                format!("put {checkpoint}")
            }
            Event::CheckpointAnswered { checkpoint, .. } => format!("answered {checkpoint}"),
            Event::PlanAdopted { plan, .. } => {
                format!("plan of {:?}", plan.tasks.iter().map(|task| task.id).collect::<Vec<_>>())
            }
            Event::CapRaised { to } => format!("raised {}", to.in_words()),
            Event::ToolsCalled { by, calls, .. } => {
                format!("called {by} {:?}", calls.iter().map(|c| c.call).collect::<Vec<_>>())
            }
            _ => continue,
        };
        assert!(steps.insert(step.clone()), "{step} was done twice");
    }
    steps
}
