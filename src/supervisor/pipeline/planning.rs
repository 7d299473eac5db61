//! Planning in the pipeline: asks the planner, checks the plan against the team, asks again with the flaws, mends the remaining
//! flaws, and gives each task an estimate.

use std::collections::BTreeMap;

use super::{Progress, failed, hand_off, sending};
use crate::delegation::{task_handoffs, tasks_of};
use run::Payload;
use run::checkpoint::{Subject, plan};
use run::evidence::Corpus;
use run::forecast;
use run::id::{Role, TaskId};
use run::plan::{Bounds, Flaw, Plan, Shape, Task};
use run::stage::Leading;
use run::team::{Kind, Order, Worker};
use run::transcript::Sent;
use specialist::{Sending, Step};
use text::Clean;

/// The plan that a planner reported.
pub(crate) fn plan_of(planner: &Sent) -> Option<&Plan> {
    planner.report.as_ref()?.1.payload.plan.as_ref()
}

/// Says that there is no document to read, what there is in its place, and what is read.
fn nothing_to_read(corpus: &Corpus) -> String {
    let first = corpus.skipped.first().map(|first| format!("; the first: {} ({})", first.path, first.why));
    let unread = corpus.unread();
    let there = if unread.is_empty() { "no file in them".into() } else { unread + &first.unwrap_or_default() };
    format!("there is no document to read in the sources: {there}. Markdown, text, HTML, PDF, Word and more are read")
}

/// Whether the planner itself made a plan: no rule stands in for its model.
fn has_planned(planner: &Sent) -> bool {
    planner.worker != Worker::Rules
        && planner.usable().is_some_and(|report| report.plan.is_some() && report.by_rule.is_none())
}

impl Progress<'_> {
    /// The first step of a run: asks memory, or the planner if there is no memory.
    pub(super) fn begin(&self) -> Step {
        let Some(corpus) = &self.transcript.handoff.payload.corpus else { return self.land("the corpus is not known") };
        if corpus.is_empty() {
            return failed(nothing_to_read(corpus));
        }
        self.asking_memory().unwrap_or_else(|| self.cut())
    }

    /// Asks for the first plan. Without a planner, the question is one task.
    pub(super) fn cut(&self) -> Step {
        self.ask_planner("first the question is cut into tasks", "cut the question", Payload::default())
    }

    fn ask_planner(&self, why: &str, title: &str, more: Payload) -> Step {
        match self.plan_request(title, more) {
            Some(request) => hand_off(Leading::Plan, why, vec![request]),
            None => Step::Adopt(self.settled(self.one_task("one agent takes the question as it is"))),
        }
    }

    /// The handoff to the planner; None if the team has none.
    pub(crate) fn plan_request(&self, title: &str, more: Payload) -> Option<Sending> {
        let payload = Payload {
            question: Some(self.question()),
            named: self.named().cloned(),
            corpus: Some(self.transcript.handoff.payload.corpus.clone().unwrap_or_default()),
            team: Some(self.team.colleagues()).filter(|members| members.len() > 1),
            ..more
        };
        Some(sending(self.order().plans()?, title, payload))
    }

    /// The step that follows the report of a planner that was asked at a turn. If it failed, the whole question is one
    /// task.
    pub(super) fn planned(&self, turn: usize, planner: &Sent) -> Step {
        let planner = self.transcript.result_of(planner);
        let Some(plan) =
            planner.usable().and_then(|report| report.plan.as_ref()).or(planner.handoff.payload.plan.as_ref())
        else {
            return self.put(turn, self.whole_question_as_one_task());
        };
        let was_told = !planner.handoff.payload.flaws().is_empty();
        let bounds = Bounds { confirmed: was_told && has_planned(planner), ..self.bounds() };
        let flaws = plan.check(&bounds);
        // A model that brought no plan was tried as its policy says: the plan by rule in its place is mended by rule.
        if !flaws.is_empty() && self.plans_anew() && !was_told && has_planned(planner) {
            return self.ask_again(planner, plan.clone(), flaws);
        }
        let plan = match flaws.is_empty() {
            true => plan.clone(),
            false => match plan.mended(&bounds) {
                Some(mended) => mended.noting_mended(&flaws),
                None => self.whole_question_as_one_task(),
            },
        };
        self.put(turn, plan)
    }

    /// Puts the plan before the person if the team asks for that, else adopts it.
    fn put(&self, turn: usize, plan: Plan) -> Step {
        let plan = self.settled(self.numbered_apart(turn, plan));
        if self.team.check_plan { Step::Checkpoint(Subject::Plan(plan)) } else { Step::Adopt(plan) }
    }

    /// The step that follows the person's answer about a plan: it is adopted, or the planner makes another.
    pub(super) fn answered(&self, answer: &plan::Answer, plan: &Plan) -> Step {
        let plan::Answer::Another { wish } = answer else { return Step::Adopt(self.settled(plan.clone())) };
        let wish = (!wish.trim().is_empty()).then(|| wish.clone());
        let more = Payload { plan: Some(plan.clone()), ..Payload::default() }.with_notes(wish);
        self.ask_planner("the person asked for another plan", "another plan", more)
    }

    /// The bounds for a plan on this question.
    fn bounds(&self) -> Bounds {
        let bounds = Bounds::of(self.team).naming(self.named().cloned().unwrap_or_default());
        // The tasks of an inspection are files, for any question.
        match self.plans_anew() && self.order() != Order::Inspect {
            true => bounds.asking(self.question()),
            false => bounds,
        }
    }

    /// Whether asking the planner again can help: a rule-based planner would return the same plan.
    fn plans_anew(&self) -> bool {
        let planner = self.order().plans().and_then(|role| self.team.members.get(&Role::new(role)));
        planner.is_some_and(|member| member.kind == Kind::Model)
    }

    fn ask_again(&self, planner: &Sent, plan: Plan, flaws: Vec<Flaw>) -> Step {
        let notes = planner.handoff.payload.notes.clone();
        let more = Payload { plan: Some(plan), flaws: Some(flaws), notes, ..Payload::default() };
        self.ask_planner("something is wrong with the plan", "plan once more", more)
    }

    fn whole_question_as_one_task(&self) -> Plan {
        self.one_task("the planner returned no plan that can be worked, so the question stays whole")
    }

    fn one_task(&self, why: &str) -> Plan {
        Plan {
            shape: Shape::Overview,
            tasks: vec![Task {
                role: Role::new(self.order().looks()),
                ..Task::new(TaskId(1), "the question".into(), self.question())
            }],
            why: why.into(),
        }
    }

    /// Gives each task an estimate and an acceptance criterion if the planner gave none.
    pub(super) fn settled(&self, mut plan: Plan) -> Plan {
        for task in &mut plan.tasks {
            let member = self.team.members.get(&task.role);
            task.estimate = task.estimate.or_else(|| Some(forecast::of_task(&task.role, member?, self.words())));
            task.acceptance = task.acceptance.take().or_else(|| Some(accepted(task)));
        }
        plan
    }

    /// A plan of a planner that was asked at a turn, with its tasks numbered after those of every plan before it.
    pub(super) fn numbered_apart(&self, turn: usize, mut plan: Plan) -> Plan {
        let before = self.plans().take_while(|(adopted, _)| *adopted < turn);
        let highest = before.flat_map(|(_, plan)| &plan.tasks).map(|task| task.id.0).max().unwrap_or(0);
        for task in &mut plan.tasks {
            task.after.iter_mut().chain([&mut task.id]).for_each(|id| id.0 += highest);
        }
        plan
    }

    /// The last plan of a planner, with its tasks numbered after earlier ones, and the index of the turn at which it
    /// was asked.
    pub(crate) fn proposed(&self) -> Option<(usize, Plan)> {
        let (turn, plan) = self.handed_out().filter_map(|(turn, sent)| Some((turn, plan_of(sent)?))).next_back()?;
        Some((turn, self.numbered_apart(turn, plan.clone())))
    }

    /// Tasks of the planner that a model did not hand out. The rules hand out all.
    pub(crate) fn not_handed_out(&self) -> Vec<Task> {
        let is_led = self.transcript.exchanges().next().is_some();
        let by_model = |turn| is_led && self.taken_over().is_none_or(|since| turn < since);
        let plan = self.proposed().filter(|(turn, _)| by_model(*turn));
        plan.map_or_else(Vec::new, |(_, plan)| self.not_handed_out_of(plan))
    }

    /// Whether no task of a plan that a planner returned at a turn was handed out.
    pub(super) fn is_unused(&self, turn: usize, plan: &Plan) -> bool {
        self.not_handed_out_of(self.numbered_apart(turn, plan.clone())).len() == plan.tasks.len()
    }

    /// The tasks of a plan that were not handed out as they stand there.
    pub(super) fn not_handed_out_of(&self, plan: Plan) -> Vec<Task> {
        let handed_out: BTreeMap<TaskId, &Task> =
            task_handoffs(self.transcript).flat_map(tasks_of).map(|task| (task.id, task)).collect();
        // The person may have reworded it, or given its number to a task of their own.
        let is_given = |task: &Task| {
            handed_out.get(&task.id).is_some_and(|known| known.title == task.title || known.question == task.question)
        };
        plan.tasks.into_iter().filter(|task| !is_given(task)).collect()
    }
}

/// The acceptance criterion, if the planner gives none.
fn accepted(task: &Task) -> Clean {
    let sides: Vec<&str> = task.aspects.iter().map(Clean::as_str).collect();
    let about = if sides.is_empty() { "that answer it".to_string() } else { format!("on {}", sides.join(", ")) };
    Clean::line(&format!("Facts {about}, each in the words of a source; or that the sources have none."))
}
