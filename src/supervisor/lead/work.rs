//! Handing work out: what a call may ask for in this state of the run, and the steps it takes.

use std::collections::BTreeSet;

use super::moves::{self, Called, Move};
use super::{Done, Talk, told};
use crate::pipeline::{Story, hand_off, sending};
use run::checkpoint::{Topic, findings, plan};
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::stage::Leading;
use run::transcript::{Did, Exchange, Sent, Transcript, Turn};
use run::{Payload, Role, Subject};
use specialist::{Sending, Step, extractive};
use text::{Clean, count};

/// Hand-offs that one answer may ask for.
const MOST_AT_ONCE: usize = 8;
/// Plans it may ask for.
const MOST_PLANS: usize = 2;
/// Questions it may put to the person.
const MOST_QUESTIONS: usize = 3;

type Calls = [(Called, Result<Move, String>)];

impl<'a> Talk<'a> {
    /// Which of the calls can be done in the state in which they were made, and why the others cannot.
    pub(super) fn checked(&self, calls: Vec<Called>, before: &Transcript) -> Vec<(Called, Result<Move, String>)> {
        let story = Story { transcript: before, team: self.who.team };
        let mut plan = story.adopted().cloned();
        let mut taken: Vec<Move> = Vec::new();
        let checked = |call: Called| {
            let wants = call.wants.clone().and_then(|wants| {
                self.may(&wants, &taken, plan.as_ref(), &story)?;
                if let Move::Task { role, title, question } = &wants {
                    let grown = self.grown(plan.take(), &story, role, title, question);
                    plan = Some(grown);
                }
                taken.push(wants.clone());
                Ok(wants)
            });
            (call, wants)
        };
        calls.into_iter().map(checked).collect()
    }

    /// Whether this can be done, after what else the same answer asks for.
    fn may(&self, wants: &Move, taken: &[Move], plan: Option<&Plan>, story: &Story<'_>) -> Result<(), String> {
        let first = |what: &str| match taken.is_empty() {
            true => Ok(()),
            false => Err(format!("not done: see first what your other calls bring, then {what}")),
        };
        if taken.len() >= MOST_AT_ONCE {
            return Err(format!("not done: at most {MOST_AT_ONCE} calls in one turn"));
        }
        match wants {
            Move::Task { role, question, .. } => {
                let tasks = plan.map_or(&[][..], |plan| &plan.tasks);
                let asks = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
                if let Some(task) =
                    tasks.iter().find(|task| task.role == *role && asks(&task.question) == asks(question))
                {
                    let what = "ask for something else, or go on with what there is";
                    return Err(format!("not done: that was asked already, as “{}”; {what}", task.title));
                }
                if tasks.len() >= self.who.team.most_tasks as usize {
                    return Err(format!("not done: {} is the most of a run", count(tasks.len(), "task")));
                }
                Ok(())
            }
            Move::Plan { .. } => {
                first("ask for a plan")?;
                let plans = story
                    .transcript
                    .sent()
                    .filter(|sent| sent.report.as_ref().is_some_and(|(_, r)| r.payload.plan.is_some()));
                if plans.count() >= MOST_PLANS {
                    return Err("not done: there is a plan; hand its tasks out".into());
                }
                Ok(())
            }
            Move::Write { .. } => {
                first("hand to the writer")?;
                let found = |plan: &Plan| !story.gathered(plan).is_empty();
                if !story.adopted().is_some_and(found) {
                    return Err("not done: nothing has been found yet, so there is nothing to write from".into());
                }
                let planned = story.planned_and_not_handed_out();
                let asked = |exchange: &Exchange| {
                    let calls = exchange.reply().map(|reply| moves::calls(reply, self.who.team)).unwrap_or_default();
                    calls.iter().any(|call| matches!(call.wants, Ok(Move::Write { .. })))
                };
                if !planned.is_empty() && story.transcript.exchanges().filter(|exchange| asked(exchange)).count() < 2 {
                    let planned: Vec<&str> = planned.iter().map(|task| &*task.title).collect();
                    let what = "hand that out, or call the writer again to go on without";
                    return Err(format!("not done: nobody has looked into {}; {what}", planned.join(", ")));
                }
                if story.drafts().next().is_some() && !story.may_be_revised() {
                    let most = count(story.drafts().count(), "draft");
                    return Err(format!("not done: {most} is the most; end with one of them"));
                }
                Ok(())
            }
            Move::Check { role } => {
                let checks = taken.iter().all(|taken| matches!(taken, Move::Check { role: other } if other != role));
                if !checks {
                    return Err("not done: see first what your other calls bring".into());
                }
                self.last_draft(story)?;
                match story.unasked().contains(role) {
                    true => Ok(()),
                    false => Err(format!("not done: the {role} has looked at this draft already")),
                }
            }
            Move::Hand { .. } => Ok(()),
            Move::Ask(_) => {
                let asked = story
                    .transcript
                    .turns
                    .iter()
                    .filter(|turn| matches!(&turn.did, Did::Checkpoint(pause) if pause.of_question().is_some()))
                    .count();
                let again = taken.iter().any(|taken| matches!(taken, Move::Ask(_)));
                match asked >= MOST_QUESTIONS || again {
                    true => Err("not done: the person is not asked again; go on with what you judge best".into()),
                    false => Ok(()),
                }
            }
            Move::Finalize { draft } => {
                first("end")?;
                let drafts = story.drafts().count();
                match draft {
                    Some(n) if *n < drafts => self.older(*n, story).map(drop),
                    Some(n) if *n > drafts && drafts > 0 => {
                        Err(format!("not done: there is no draft {n}; the last is {drafts}"))
                    }
                    _ => self.last_draft(story).map(drop),
                }
            }
        }
    }

    /// The plan with one task more: the planner's own task, where it is the one that is handed out.
    fn grown(&self, plan: Option<Plan>, story: &Story<'_>, role: &Role, title: &Clean, question: &Clean) -> Plan {
        let planned =
            story.transcript.sent().filter_map(|sent| sent.report.as_ref()?.1.payload.plan.as_ref()).next_back();
        let compares = extractive::compared(&story.question()).len() > 1;
        let usual = || match compares {
            true => Shape::Comparison,
            false => Shape::Facets,
        };
        let mut plan = plan.unwrap_or_else(|| Plan {
            shape: planned.map_or_else(usual, |plan| plan.shape),
            tasks: Vec::new(),
            why: "handed out by the model that leads".into(),
        });
        let id = TaskId(plan.tasks.iter().map(|task| task.id.0).max().unwrap_or(0) + 1);
        let own = planned.and_then(|plan| plan.tasks.iter().find(|task| task.title.eq_ignore_ascii_case(title)));
        plan.tasks.push(match own {
            Some(task) => Task { id, role: role.clone(), after: Vec::new(), ..task.clone() },
            // A title that the question does not name is a heading and no thing that sources write about.
            None => Task {
                topic: if names(question, title) { vec![title.clone()] } else { Vec::new() },
                role: role.clone(),
                ..Task::new(id, title.clone(), question.clone())
            },
        });
        plan
    }

    /// The next step in handing out what these calls ask for; None when all of it is back.
    pub(super) fn hand_out(&self, calls: &Calls, before: &Transcript, since: &[Turn]) -> Option<Step> {
        let story = Story { transcript: before, team: self.who.team };
        let handed = since.iter().any(|turn| matches!(turn.did, Did::HandOffs(_)));
        if handed {
            return None;
        }
        let wants = || calls.iter().filter_map(|(_, wants)| wants.as_ref().ok());
        let mut plan = story.adopted().cloned();
        let known: BTreeSet<TaskId> = plan.iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
        for wanted in wants() {
            if let Move::Task { role, title, question } = wanted {
                plan = Some(self.grown(plan, &story, role, title, question));
            }
        }
        let grown = plan.filter(|plan| plan.tasks.len() > known.len());
        let mut handoffs: Vec<Sending> = Vec::new();
        if let Some(grown) = grown
            && let Some(plan) = match self.adopted_in(since, &grown) {
                Ok(plan) => plan,
                Err(step) => return Some(*step),
            }
        {
            let new = plan.tasks.iter().filter(|task| !known.contains(&task.id));
            handoffs
                .extend(new.map(|task| self.story.delegation(plan, &[], None).assignment(task, Payload::default())));
        }
        handoffs.extend(wants().filter_map(|wanted| self.besides(wanted, &story)));
        match handoffs.is_empty() {
            true => None,
            false => {
                let stage = wants().next().map_or(Leading::Research, Move::stage);
                Some(hand_off(stage, "the model that leads hands work out", handoffs))
            }
        }
    }

    /// The plan with the new tasks once it is the run's, None if the person did not want it; or the step on the way.
    fn adopted_in<'t>(&self, since: &'t [Turn], grown: &Plan) -> Result<Option<&'t Plan>, Box<Step>> {
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
            None if self.who.team.check_plan => Err(Box::new(Step::Checkpoint(Subject::Plan(grown.clone())))),
            None => Err(Box::new(Step::Adopt(grown.clone()))),
        }
    }

    /// A hand-off that is no task of the plan.
    fn besides(&self, wanted: &Move, story: &Story<'_>) -> Option<Sending> {
        match wanted {
            Move::Plan { note: told } => {
                let corpus = self.transcript.handoff.payload.corpus.clone().unwrap_or_default();
                let payload = Payload {
                    question: Some(story.question()),
                    corpus: Some(corpus),
                    team: Some(self.who.team.colleagues()).filter(|members| members.len() > 1),
                    notes: told.clone().map(|told| vec![told]),
                    ..Payload::default()
                };
                Some(sending(self.who.team.order.plans(), "cut the question", payload))
            }
            Move::Check { role } => {
                let writer = story.drafts().last()?;
                let Step::HandOff { handoffs, .. } = story.check(writer) else { return None };
                handoffs.into_iter().find(|sending| sending.role == *role)
            }
            Move::Hand { role, title, work } => {
                let payload =
                    Payload { question: Some(story.question()), notes: Some(vec![work.clone()]), ..Payload::default() };
                Some(Sending::new(role, title.clone(), payload))
            }
            _ => None,
        }
    }

    /// What became of a call that was handed out, or what has to be done for it first.
    pub(super) fn done(&self, wants: &Move, calls: &Calls, before: &Transcript, since: &'a [Turn]) -> Done {
        let drafts = self.story.drafts().count();
        let brought = |sent: Option<&Sent>| match sent {
            Some(sent) => {
                let (text, failed) = told::of_sent(sent, drafts, told::ROOM);
                Done::Told(text, failed)
            }
            None => Done::Told("not done: the person took it out of the plan".into(), true),
        };
        let sent = |is: &dyn Fn(&Sent) -> bool| self.brought(since, is);
        match wants {
            Move::Task { .. } => {
                let wish = since.iter().find_map(|turn| match &turn.did {
                    Did::Checkpoint(pause) => pause.of_plan(),
                    _ => None,
                });
                if let Some((plan::Answer::Another { wish }, _)) = wish {
                    return Done::Told(format!("not done: the person wants it planned otherwise: {wish}"), true);
                }
                let story = Story { transcript: before, team: self.who.team };
                let id = self.task_of(wants, calls, &story);
                brought(sent(&|sent| sent.task == id))
            }
            Move::Plan { .. } => brought(sent(&|sent| sent.role.as_str() == self.who.team.order.plans())),
            Move::Check { role } => brought(sent(&|sent| sent.role == *role)),
            Move::Hand { role, title, .. } => brought(sent(&|sent| sent.role == *role && sent.handoff.title == *title)),
            Move::Write { note } => self.written(note.as_ref(), since),
            Move::Ask(question) => {
                let answer = since.iter().find_map(|turn| match &turn.did {
                    Did::Checkpoint(pause) => pause.of_question()?.1,
                    _ => None,
                });
                match answer {
                    Some(answer) => Done::Told(format!("the person says: {}", question.said(answer)), false),
                    None => Done::Step(Step::Checkpoint(Subject::Question(question.clone()))),
                }
            }
            Move::Finalize { draft } => self.finalized(*draft, before),
        }
    }

    /// What came of a piece of work that was handed out in these turns: of the last attempt at it, or of the last that was
    /// of use.
    fn brought(&self, since: &'a [Turn], is: &dyn Fn(&Sent) -> bool) -> Option<&'a Sent> {
        let sent = since.iter().filter_map(|turn| if let Did::HandOffs(sent) = &turn.did { Some(sent) } else { None });
        sent.flatten().filter(|sent| is(sent)).last().map(|sent| self.story.remedies().result(sent))
    }

    /// The task that a call became.
    fn task_of(&self, wants: &Move, calls: &Calls, story: &Story<'_>) -> Option<TaskId> {
        let mut id = story.adopted().map_or(0, |plan| plan.tasks.iter().map(|task| task.id.0).max().unwrap_or(0));
        for (_, other) in calls {
            if let Ok(other @ Move::Task { .. }) = other {
                id += 1;
                if other == wants {
                    return Some(TaskId(id));
                }
            }
        }
        None
    }

    /// On the way to a draft: what was found is put before the person, and what they approve goes to the writer.
    fn written(&self, note: Option<&Clean>, since: &'a [Turn]) -> Done {
        let writer = self.brought(since, &|sent| sent.role.as_str() == Role::WRITER);
        if let Some(writer) = writer {
            let (text, failed) = told::of_sent(writer, self.story.drafts().count(), told::ROOM);
            return Done::Told(format!("{}{text}", approvals(since)), failed);
        }
        if !self.story.is_approved() {
            return Done::Step(self.story.approval());
        }
        let judged = self.story.judged();
        let sent_back = judged.last().filter(|judged| judged.blocking() > 0 && self.story.unasked().is_empty());
        Done::Step(match (self.story.write(sent_back), note) {
            (Step::HandOff { stage, why, mut handoffs }, Some(note)) => {
                for sending in &mut handoffs {
                    sending.payload = std::mem::take(&mut sending.payload).with_notes([note.clone()]);
                }
                Step::HandOff { stage, why, handoffs }
            }
            (step, _) => step,
        })
    }
}

/// Whether a title is the name of one thing, as documents would call it, and not a heading over several.
fn names(question: &str, title: &str) -> bool {
    let is_short = title.split_whitespace().count() <= 4 && !title.contains([':', ',', '?']);
    let is_one = extractive::compared(title).len() < 2;
    is_short && is_one && question.to_lowercase().contains(&title.to_lowercase())
}

/// What the person did with the findings before the writer had them.
fn approvals(since: &[Turn]) -> String {
    let mut told = String::new();
    for turn in since {
        let Did::Checkpoint(pause) = &turn.did else { continue };
        match pause.of_findings() {
            Some((findings::Answer::More { wish, .. }, _)) => {
                told.push_str(&format!(
                    "The person asked for more first: {}\n",
                    if wish.trim().is_empty() { "of the same" } else { wish }
                ));
            }
            Some((findings::Answer::Approved { .. }, findings)) => {
                let kept = findings.iter().filter(|finding| finding.usable()).count();
                told.push_str(&format!("The person approved {kept} of {}.\n", count(findings.len(), "finding")));
            }
            None => {}
        }
    }
    told
}
