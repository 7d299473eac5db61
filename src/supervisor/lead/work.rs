//! Hands out work for a leading model: which of its calls the state of the run allows, and the steps for each.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::moves::{self, Called, Move};
use super::{Dialogue, Done, results};
use crate::delegation::is_task;
use crate::pipeline::{Progress, Reached, draft_of, hand_off, plan_of};
use run::checkpoint::{findings, plan};
use run::id::TaskId;
use run::plan::{Flaw, Plan, Shape, Task};
use run::stage::Leading;
use run::transcript::{Did, Sent, Transcript, Turn};
use run::{Finding, Payload, Role, Subject};
use specialist::model::Converses;
use specialist::{Sending, Step};
use text::{Clean, Named, count};

/// The most hand-offs in one answer.
const MOST_AT_ONCE: usize = 8;
/// The most plans in a run.
const MOST_PLANS: usize = 2;
/// The most questions to the person in a run.
const MOST_QUESTIONS: usize = 3;

/// A call of the model with the move it asks for, or the reason why that cannot be done, in words for the model.
pub(super) type Checked = (Called, Result<Move, String>);

impl<'a> Dialogue<'a> {
    /// Checks calls against the state in which they were made; the error is for the model.
    pub(super) fn checked(&self, calls: Vec<Called>, before: &Transcript) -> Vec<Checked> {
        let progress = self.progress.at(before);
        let mut plan = progress.adopted().cloned();
        let mut accepted: Vec<Move> = Vec::new();
        let checked = |call: Called| {
            let wants = call.wants.clone().and_then(|wants| {
                self.may(&wants, &accepted, plan.as_ref(), &progress)?;
                if let Move::Task { role, title, question } = &wants {
                    let grown = self.grown(plan.take(), &progress, role, title, question);
                    plan = Some(grown);
                }
                accepted.push(wants.clone());
                Ok(wants)
            });
            (call, wants)
        };
        let checked: Vec<_> = calls.into_iter().map(checked).collect();
        match self.cut_flaws(&checked, &progress) {
            flaws if flaws.is_empty() || self.was_warned_of_cut(before) => checked,
            flaws => {
                let once_more = |(call, wants): (Called, Result<Move, String>)| {
                    let wants = wants.and_then(|wants| match wants {
                        Move::Task { .. } => Err(format!(
                            "not done: {}. Cut it otherwise; what is called for like this again is joined by rule",
                            flaws.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
                        )),
                        other => Ok(other),
                    });
                    (call, wants)
                };
                checked.into_iter().map(once_more).collect()
            }
        }
    }

    /// The flaws in how the tasks of these calls are cut.
    fn cut_flaws(&self, calls: &[Checked], progress: &Progress<'_>) -> Vec<Flaw> {
        let Some(named) = progress.named() else { return Vec::new() };
        let Some((plan, _)) = self.grown_by(calls, progress).pop() else { return Vec::new() };
        let known = progress.adopted().map_or(0, |plan| plan.tasks.len());
        Plan { tasks: plan.tasks[known..].to_vec(), ..plan }.cut_flaws(named)
    }

    /// Whether an earlier answer called for badly cut tasks, and the model got the flaws.
    fn was_warned_of_cut(&self, before: &Transcript) -> bool {
        let Some((_, earlier)) = before.turns[self.own().start..].split_last() else { return false };
        let replies = earlier.iter().filter_map(|turn| if let Did::Asked(it) = &turn.did { it.reply() } else { None });
        // Each answer was checked by its own tasks, not by those of earlier plans.
        let bare = Transcript { turns: Vec::new(), ..before.clone() };
        let bare = self.progress.at(&bare);
        let mut calls = replies.map(|reply| {
            let calls = moves::calls(reply, self.progress.team).into_iter();
            calls.map(|call| (call.wants.clone(), call)).map(|(wants, call)| (call, wants)).collect()
        });
        calls.any(|calls: Vec<_>| !self.cut_flaws(&calls, &bare).is_empty())
    }

    /// The plan with its new tasks recut by the names in the question; known tasks stay as they are.
    fn recut(&self, plan: Plan, known: &BTreeSet<TaskId>) -> Plan {
        let Some(named) = self.progress.named() else { return plan };
        let (mut tasks, new): (Vec<Task>, Vec<Task>) =
            plan.tasks.into_iter().partition(|task| known.contains(&task.id));
        let new = Plan { shape: plan.shape, tasks: new, why: plan.why }.recut(named);
        tasks.extend(new.tasks);
        Plan { shape: new.shape, tasks, why: new.why }
    }

    /// Checks whether a call can follow the accepted calls of its answer; the error is for the model.
    fn may(&self, wants: &Move, accepted: &[Move], plan: Option<&Plan>, progress: &Progress<'_>) -> Result<(), String> {
        let first = |what: &str| match accepted.is_empty() {
            true => Ok(()),
            false => Err(format!("not done: see first what your other calls bring, then {what}")),
        };
        if accepted.len() >= MOST_AT_ONCE {
            return Err(format!("not done: at most {MOST_AT_ONCE} calls in one turn"));
        }
        if let Move::Task { role, title, .. } | Move::Hand { role, title, .. } = wants
            && results::was_ended(progress.transcript, role, title)
        {
            return Err(format!("not done: the person ended “{title}”; go on with what there is"));
        }
        match wants {
            Move::Task { role, title, question } => {
                self.may_hand_out((role, title, question), plan, accepted, progress)
            }
            Move::Plan { .. } => {
                first("ask for a plan")?;
                if progress.transcript.sent().filter(|sent| plan_of(sent).is_some()).count() >= MOST_PLANS {
                    return Err("not done: there is a plan; hand its tasks out".into());
                }
                Ok(())
            }
            Move::Write { note } => first("hand to the writer").and_then(|()| self.may_write(note.as_ref(), progress)),
            Move::Check { role } => self.may_check(role, accepted, progress),
            Move::Hand { .. } => Ok(()),
            Move::Ask(_) => {
                let asked = progress.transcript.questions().count();
                let again = accepted.iter().any(|accepted| matches!(accepted, Move::Ask(_)));
                let best = "go on with what you judge best";
                match () {
                    () if progress.is_nobody_there() => Err(format!("not done: nobody is there to answer; {best}")),
                    () if asked >= MOST_QUESTIONS || again => {
                        Err(format!("not done: the person is not asked again; {best}"))
                    }
                    () => Ok(()),
                }
            }
            Move::Finalize { draft } => first("end").and_then(|()| self.may_end(*draft, progress)),
        }
    }

    fn may_hand_out(
        &self,
        (role, title, question): (&Role, &Clean, &Clean),
        plan: Option<&Plan>,
        accepted: &[Move],
        progress: &Progress<'_>,
    ) -> Result<(), String> {
        let at_once = accepted.iter().filter_map(|wants| match wants {
            Move::Task { role, title, question } => {
                Some(Task { role: role.clone(), ..Task::new(TaskId(0), title.clone(), question.clone()) })
            }
            _ => None,
        });
        let at_once = Plan { shape: Shape::Overview, tasks: at_once.collect(), why: "".into() };
        let asked = |plan: &Plan| plan.asks_already(role, title, question).map(|task| task.title.clone());
        if let Some(asked) = plan.and_then(asked).or_else(|| asked(&at_once)) {
            let what = "ask for something else, or go on with what there is";
            return Err(format!("not done: that was asked already, as “{asked}”; {what}"));
        }
        let tasks = plan.map_or(0, |plan| plan.tasks.len());
        if tasks >= self.progress.team.most_tasks as usize {
            return Err(format!("not done: {} is the most of a run", count(tasks, "task")));
        }
        self.may_be_drafted(progress)
    }

    fn may_write(&self, note: Option<&Clean>, progress: &Progress<'_>) -> Result<(), String> {
        let found = |plan: &Plan| !progress.gathered(plan).is_empty();
        if !progress.adopted().is_some_and(found) {
            return Err("not done: nothing has been found yet, so there is nothing to write from".into());
        }
        let planned = progress.not_handed_out();
        let asked = |call: &Called| matches!(call.wants, Ok(Move::Write { .. }));
        if !planned.is_empty() && self.times(&progress.transcript.turns, asked) < 2 {
            let planned: Vec<&str> = planned.iter().map(|task| &*task.title).collect();
            let what = "hand that out, or call the writer again to go on without";
            return Err(format!("not done: planned, but not handed out: {}; {what}", planned.join(", ")));
        }
        self.may_be_drafted(progress)?;
        self.has_more_for_the_writer(note, progress)
    }

    fn may_check(&self, role: &Role, accepted: &[Move], progress: &Progress<'_>) -> Result<(), String> {
        let is_other_check = |accepted: &Move| matches!(accepted, Move::Check { role: other } if other != role);
        if !accepted.iter().all(is_other_check) {
            return Err("not done: see first what your other calls bring".into());
        }
        self.may_be_checked(role, progress)
    }

    fn may_end(&self, draft: Option<usize>, progress: &Progress<'_>) -> Result<(), String> {
        let drafts = progress.drafts().count();
        match draft {
            Some(n) if n < drafts => self.older(n, progress).map(drop),
            Some(n) if n > drafts && drafts > 0 => {
                Err(format!("not done: there is no draft {n}; the last is {drafts}"))
            }
            _ => self.last_draft(progress).map(drop),
        }
    }

    /// Checks that a role has the last draft to look at now.
    fn may_be_checked(&self, role: &Role, progress: &Progress<'_>) -> Result<(), String> {
        self.last_draft(progress)?;
        match (progress.next_checks().contains(role), progress.unasked().contains(role)) {
            (true, _) => Ok(()),
            (false, true) => Err(format!("not done: the {role} looks at a draft once the checks in code have")),
            (false, false) if progress.sent_back().is_some() => {
                Err(format!("not done: the draft was sent back, so the {role} does not look at it now"))
            }
            (false, false) => Err(format!("not done: the {role} has looked at this draft already")),
        }
    }

    /// Checks that another draft may be written: without one, nothing could use new findings.
    fn may_be_drafted(&self, progress: &Progress<'_>) -> Result<(), String> {
        match progress.may_be_revised() {
            true => Ok(()),
            false => {
                let most = count(progress.drafts().count(), "draft");
                Err(format!("not done: {most} is the most, and all are written; end with one of them"))
            }
        }
    }

    /// Checks that the writer gets something that its last draft was not written from: a finding, an issue or a note.
    fn has_more_for_the_writer(&self, note: Option<&Clean>, progress: &Progress<'_>) -> Result<(), String> {
        let Some(last) = progress.drafts().last().filter(|last| draft_of(last).is_some()) else { return Ok(()) };
        let judged = progress.judged();
        let of_last = judged.last().filter(|judged| draft_of(last).is_some_and(|draft| judged.is_of(draft)));
        let is_sent_back = of_last.is_some_and(|judged| judged.blocking() > 0);
        let told = last.handoff.payload.notes();
        let is_new = |note: &Clean| !told.contains(&to_the_writer(note));
        if is_sent_back || !progress.is_approved() || note.is_some_and(is_new) {
            return Ok(());
        }
        let what = "say in `note` what it is to change, or end";
        Err(format!("not done: the writer has what it wrote the last draft from, and nothing more; {what}"))
    }

    /// The plan with one more task: the planner's own, if one not handed out yet has this title.
    fn grown(&self, plan: Option<Plan>, progress: &Progress<'_>, role: &Role, title: &Clean, question: &Clean) -> Plan {
        let proposed = progress.proposed().map(|(_, plan)| plan);
        let compares = progress.named().is_some_and(|named| named.compares);
        let usual = || match compares {
            true => Shape::Comparison,
            false => Shape::Facets,
        };
        let mut plan = plan.unwrap_or_else(|| Plan {
            shape: proposed.as_ref().map_or_else(usual, |plan| plan.shape),
            tasks: Vec::new(),
            why: "handed out by the model that leads".into(),
        });
        let proposed = proposed.map(|plan| plan.tasks).unwrap_or_default();
        let id = TaskId(plan.tasks.iter().chain(&proposed).map(|task| task.id.0).max().unwrap_or(0) + 1);
        let is_own = |task: &Task| task.title.eq_ignore_ascii_case(title) && plan.task(task.id).is_none();
        let own = proposed.into_iter().find(is_own);
        plan.tasks.push(match own {
            Some(task) => Task { role: role.clone(), after: Vec::new(), ..task },
            // A title that the question does not name is a heading, not a thing that sources write about.
            None => Task {
                topic: if names(question, title) { vec![title.clone()] } else { Vec::new() },
                role: role.clone(),
                ..Task::new(id, title.clone(), question.clone())
            },
        });
        plan
    }

    /// The plan after each call that asks for a task, call by call.
    fn grown_by<'c>(&self, calls: &'c [Checked], progress: &Progress<'_>) -> Vec<(Plan, &'c Move)> {
        let mut plans: Vec<(Plan, &Move)> = Vec::new();
        for wants in calls.iter().filter_map(|(_, wants)| wants.as_ref().ok()) {
            if let Move::Task { role, title, question } = wants {
                let plan = plans.last().map_or_else(|| progress.adopted(), |(plan, _)| Some(plan)).cloned();
                plans.push((self.grown(plan, progress, role, title, question), wants));
            }
        }
        plans
    }

    /// The next step towards handing out what these calls ask for; None once that is done.
    pub(super) fn hand_out(&self, calls: &[Checked], before: &Transcript, since: &[Arc<Turn>]) -> Option<Step> {
        let progress = self.progress.at(before);
        let handed = since.iter().any(|turn| matches!(turn.did, Did::HandOffs(_)));
        if handed {
            return None;
        }
        let wants = || calls.iter().filter_map(|(_, wants)| wants.as_ref().ok());
        let plan = progress.adopted();
        let known: BTreeSet<TaskId> = plan.iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
        let mut handoffs: Vec<Sending> = Vec::new();
        if let Some((grown, _)) = self.grown_by(calls, &progress).pop()
            && let Some(plan) = match self.adopted_in(since, &self.recut(grown, &known)) {
                Ok(plan) => plan,
                Err(step) => return Some(*step),
            }
        {
            let new = plan.tasks.iter().filter(|task| !known.contains(&task.id));
            handoffs
                .extend(new.map(|task| self.progress.delegation(plan, &[], None).assignment(task, Payload::default())));
        }
        handoffs.extend(wants().filter_map(|wanted| self.besides(wanted, &progress)));
        match handoffs.is_empty() {
            true => None,
            false => {
                let stage = wants().next().map_or(Leading::Research, Move::stage);
                Some(hand_off(stage, "the model that leads hands work out", handoffs))
            }
        }
    }

    /// The plan with the new tasks once it is adopted, None if the person rejected it; or the step towards that.
    fn adopted_in<'t>(&self, since: &'t [Arc<Turn>], grown: &Plan) -> Result<Option<&'t Plan>, Box<Step>> {
        let mut proposed = None;
        for turn in since {
            match &turn.did {
                Did::Adopted(plan) => return Ok(Some(plan)),
                Did::Checkpoint(pause) => proposed = pause.of_plan().or(proposed),
                _ => {}
            }
        }
        match proposed {
            Some((plan::Answer::Another { .. }, _)) => Ok(None),
            Some((plan::Answer::Approved, plan)) => Err(Box::new(Step::Adopt(plan.clone()))),
            None if self.progress.team.check_plan => Err(Box::new(Step::Checkpoint(Subject::Plan(grown.clone())))),
            None => Err(Box::new(Step::Adopt(grown.clone()))),
        }
    }

    /// A hand-off that is not a task of the plan, if the call asks for one.
    fn besides(&self, wanted: &Move, progress: &Progress<'_>) -> Option<Sending> {
        match wanted {
            Move::Plan { note } => {
                progress.plan_request("cut the question", Payload::default().with_notes(note.clone()))
            }
            Move::Check { role } => {
                let writer = progress.drafts().last()?;
                let Step::HandOff { handoffs, .. } = progress.check(writer) else { return None };
                handoffs.into_iter().find(|sending| sending.role == *role)
            }
            Move::Hand { role, title, work } => {
                let payload = Payload { question: Some(progress.question()), ..Payload::note(work.clone()) };
                Some(Sending::new(role, title.clone(), payload))
            }
            _ => None,
        }
    }

    /// The result of a call, or the step that must come first.
    pub(super) fn done(&self, wants: &Move, calls: &[Checked], before: &Transcript, since: &'a [Arc<Turn>]) -> Done {
        let drafts = self.progress.drafts().count();
        let brought = |sent: Option<&Sent>| match sent {
            Some(sent) => {
                let (text, failed) = results::of_sent(sent, &self.told_before(sent), drafts, results::ROOM);
                Done::Answer(text, failed)
            }
            None => Done::Answer("not done: the person took it out of the plan".into(), true),
        };
        let sent = |is: &dyn Fn(&Sent) -> bool| self.brought(since, is);
        match wants {
            Move::Task { .. } => {
                let wish = since.iter().find_map(|turn| match &turn.did {
                    Did::Checkpoint(pause) => pause.of_plan(),
                    _ => None,
                });
                if let Some((plan::Answer::Another { wish }, _)) = wish {
                    return Done::Answer(format!("not done: the person wants it planned otherwise: {wish}"), true);
                }
                let progress = self.progress.at(before);
                let grown = self.grown_by(calls, &progress);
                let id = grown.iter().find(|(_, of)| *of == wants).and_then(|(plan, _)| Some(plan.tasks.last()?.id));
                let known = progress.adopted().iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
                let worked = grown.last().map(|(plan, _)| self.recut((*plan).clone(), &known));
                if worked.zip(id).is_some_and(|(plan, id)| plan.task(id).is_none()) {
                    let what = "it was made part of the other work of this turn, which asks about the same thing";
                    return Done::Answer(what.into(), false);
                }
                brought(sent(&|sent| sent.task == id))
            }
            Move::Plan { .. } => brought(sent(&|sent| Some(sent.role.as_str()) == self.progress.team.order.plans())),
            Move::Check { role } => brought(sent(&|sent| sent.role == *role)),
            Move::Hand { role, title, .. } => brought(sent(&|sent| sent.role == *role && sent.handoff.title == *title)),
            Move::Write { note } => self.written(note.as_ref(), since),
            Move::Ask(question) => {
                let told = since.iter().find_map(|turn| match &turn.did {
                    Did::Checkpoint(pause) => Some(question.told(pause.of_question()?.1?, pause.by)),
                    _ => None,
                });
                match told {
                    Some(told) => Done::Answer(told, false),
                    None => Done::Step(Step::Checkpoint(Subject::Question(question.clone()))),
                }
            }
            Move::Finalize { .. } if self.asking().messages(false).next().is_some() => {
                Done::Answer("not done: a message of the person came in meanwhile".into(), true)
            }
            Move::Finalize { draft } => self.finalized(*draft, before),
        }
    }

    /// The findings of what was handed out before this.
    fn told_before(&self, sent: &Sent) -> Vec<&'a Finding> {
        let transcript = self.progress.transcript;
        let before = transcript.sent().take_while(|earlier| earlier.to != sent.to).filter(|earlier| is_task(earlier));
        before.filter_map(Sent::usable).flat_map(Payload::findings).collect()
    }

    /// The attempt whose result is used, at work handed out in these turns.
    fn brought(&self, since: &'a [Arc<Turn>], is: &dyn Fn(&Sent) -> bool) -> Option<&'a Sent> {
        let sent = since.iter().filter_map(|turn| if let Did::HandOffs(sent) = &turn.did { Some(sent) } else { None });
        sent.flatten().filter(|sent| is(sent)).last().map(|sent| self.progress.transcript.result_of(sent))
    }

    /// The steps to a draft: the person goes through the findings, and the writer gets those that they approve.
    fn written(&self, note: Option<&Clean>, since: &'a [Arc<Turn>]) -> Done {
        let writer = self.brought(since, &|sent| sent.role.as_str() == self.progress.team.order.writes());
        if let Some(writer) = writer {
            let (text, failed) = results::of_sent(writer, &[], self.progress.drafts().count(), results::ROOM);
            return Done::Answer(format!("{}{text}", approvals(since)), failed);
        }
        Done::Step(match (self.progress.next_from(Reached::Approved), note) {
            (Step::HandOff { stage, why, mut handoffs }, Some(note)) if stage == Leading::Write.into() => {
                let earlier = self.progress.drafts().last().and_then(draft_of);
                for sending in &mut handoffs {
                    let mut payload = std::mem::take(&mut sending.payload);
                    payload.draft = payload.draft.or_else(|| earlier.cloned());
                    sending.payload = payload.with_notes([to_the_writer(note)]);
                }
                Step::HandOff { stage, why, handoffs }
            }
            (step, _) => step,
        })
    }
}

/// What the leading model tells the writer, as the writer reads it.
fn to_the_writer(note: &Clean) -> Clean {
    Clean::line(&format!("The supervisor asks: {note}"))
}

/// Whether a title names one thing, as documents would, and is not a heading over several.
fn names(question: &str, title: &str) -> bool {
    let is_short = title.split_whitespace().count() <= 4 && !title.contains([':', ',', '?']);
    let is_one = Named::read(title).things.len() < 2;
    is_short && is_one && question.to_lowercase().contains(&title.to_lowercase())
}

/// A summary of the person's decisions on the findings before the writer got them.
fn approvals(since: &[Arc<Turn>]) -> String {
    let mut summary = String::new();
    for turn in since {
        let Did::Checkpoint(pause) = &turn.did else { continue };
        match pause.of_findings() {
            Some((findings::Answer::More { wish, .. }, _)) => {
                summary.push_str(&format!(
                    "The person asked for more first: {}\n",
                    if wish.trim().is_empty() { "of the same" } else { wish }
                ));
            }
            Some((findings::Answer::Approved { .. }, findings)) => {
                let kept = findings.iter().filter(|finding| finding.usable()).count();
                summary.push_str(&format!("The person approved {kept} of {}.\n", count(findings.len(), "finding")));
            }
            None => {}
        }
    }
    summary
}
