//! How the pipeline comes to a plan: asks the planner, holds what it returns against the team, asks once more with what
//! is wrong, mends what still is, and says what each task is thought to take.

use super::{Story, failed, hand_off, sending};
use run::Payload;
use run::checkpoint::{Subject, plan};
use run::forecast;
use run::id::{Role, TaskId};
use run::plan::{Bounds, Flaw, Plan, Shape, Task};
use run::stage::Leading;
use run::team::Kind;
use run::transcript::Sent;
use specialist::{Step, extractive};
use text::Clean;

impl Story<'_> {
    pub(super) fn plan(&self) -> Step {
        let Some(corpus) = self.transcript.handoff.payload.corpus.as_ref() else {
            return self.land("the corpus is not known");
        };
        if corpus.is_empty() {
            let skipped = match corpus.skipped.first() {
                Some(first) => format!("; {} skipped, the first: {} ({})", corpus.skipped_count, first.path, first.why),
                None => String::new(),
            };
            return failed(format!("there is no document to read in the sources{skipped}"));
        }
        self.asking_memory().unwrap_or_else(|| self.cut())
    }

    /// Asks for a plan, for the first time.
    pub(super) fn cut(&self) -> Step {
        self.ask_planner("first the question is cut into tasks", "cut the question", Payload::default())
    }

    fn ask_planner(&self, why: &str, title: &str, more: Payload) -> Step {
        let corpus = self.transcript.handoff.payload.corpus.clone().unwrap_or_default();
        let payload = Payload {
            question: Some(self.question()),
            corpus: Some(corpus),
            team: Some(self.team.colleagues()).filter(|members| members.len() > 1),
            ..more
        };
        hand_off(Leading::Plan, why, vec![sending(self.order().plans(), title, payload)])
    }

    /// What becomes of the planner's plan; a planner that fails costs the cutting, not the run.
    pub(super) fn planned(&self, planner: &Sent) -> Step {
        let report = planner.report.as_ref().filter(|(outcome, _)| outcome.usable());
        let Some(plan) =
            report.and_then(|(_, report)| report.payload.plan.as_ref()).or(planner.handoff.payload.plan.as_ref())
        else {
            return self.put(self.whole_question_as_one_task());
        };
        let bounds = self.bounds();
        let flaws = plan.check(&bounds);
        if !flaws.is_empty() && self.plans_anew() && planner.handoff.payload.flaws().is_empty() {
            return self.ask_again(planner, plan.clone(), flaws);
        }
        let plan = match flaws.is_empty() {
            true => plan.clone(),
            false => match plan.mended(&bounds) {
                Some(mended) => mended.said_to_be_mended(&flaws),
                None => self.whole_question_as_one_task(),
            },
        };
        self.put(plan)
    }

    /// Puts the plan before the person where the team says so; else it is worked.
    fn put(&self, plan: Plan) -> Step {
        let plan = self.settled(self.apart(plan));
        if self.team.check_plan { Step::Checkpoint(Subject::Plan(plan)) } else { Step::Adopt(plan) }
    }

    /// What the person left is worked, or they wish for another plan.
    pub(super) fn answered(&self, answer: &plan::Answer, plan: &Plan) -> Step {
        let plan::Answer::Another { wish } = answer else { return Step::Adopt(self.settled(plan.clone())) };
        let wish = (!wish.trim().is_empty()).then(|| wish.clone());
        let more = Payload { plan: Some(plan.clone()), ..Payload::default() }.with_notes(wish);
        self.ask_planner("the person asked for another plan", "another plan", more)
    }

    /// What a plan of this question is held against.
    fn bounds(&self) -> Bounds {
        Bounds::of(self.team).comparing(extractive::compared(&self.question()))
    }

    /// Whether it is worth asking the planner again: a rule would come to the same plan.
    fn plans_anew(&self) -> bool {
        self.team.members.get(&Role::new(self.order().plans())).is_some_and(|member| member.kind == Kind::Model)
    }

    fn ask_again(&self, planner: &Sent, plan: Plan, flaws: Vec<Flaw>) -> Step {
        let notes = planner.handoff.payload.notes.clone();
        let more = Payload { plan: Some(plan), flaws: Some(flaws), notes, ..Payload::default() };
        self.ask_planner("something is wrong with the plan", "plan once more", more)
    }

    fn whole_question_as_one_task(&self) -> Plan {
        Plan {
            shape: Shape::Overview,
            tasks: vec![Task {
                role: Role::new(self.order().looks()),
                ..Task::new(TaskId(1), "the question".into(), self.question())
            }],
            why: "the planner returned no plan that can be worked, so the question stays whole".into(),
        }
    }

    /// Says of each task what it is thought to take and what counts as done, where the planner has not.
    fn settled(&self, mut plan: Plan) -> Plan {
        for task in &mut plan.tasks {
            let member = self.team.members.get(&task.role);
            task.estimate = task.estimate.or_else(|| Some(forecast::of_task(&task.role, member?, self.words())));
            task.acceptance = task.acceptance.take().or_else(|| Some(accepted(task)));
        }
        plan
    }
}

/// What counts as done, by rule.
fn accepted(task: &Task) -> Clean {
    let sides: Vec<&str> = task.aspects.iter().map(Clean::as_str).collect();
    let about = if sides.is_empty() { "that answer it".to_string() } else { format!("on {}", sides.join(", ")) };
    Clean::line(&format!("Facts {about}, each in the words of a source; or that the sources have none."))
}
