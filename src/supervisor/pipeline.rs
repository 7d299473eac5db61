//! The pipeline: plan → research in parallel → merge → \[you\] → write → gates and review → revise → brief.
//!
//! A specialist like any other: what it does next follows from its transcript.

mod checking;
mod landing;
mod planning;
mod remembering;
mod taking_over;

use std::collections::BTreeSet;

use super::delegation::{Again, Delegation, Given, Next, all_given, given, is_given, may_not_group, standing};
use super::remedy::{Due, Remedies};
use run::checkpoint::{Answer, Subject, findings};
use run::finding::Finding;
use run::id::{Role, TaskId};
use run::join::Join;
use run::plan::{Group, Plan, Task};
use run::stage::{Leading, Stage};
use run::team::{Order, Team};
use run::transcript::{Did, Sent, Transcript, Turn};
use run::{Outcome, Payload};
use specialist::{Assigned, Sending, Specialist, Step, extractive};
use text::{Clean, count};

pub(super) use checking::Judged;

/// Leads a run by fixed order.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline<'a> {
    team: &'a Team,
}

impl<'a> Pipeline<'a> {
    /// The pipeline with a team's caps.
    pub fn new(team: &'a Team) -> Pipeline<'a> {
        Pipeline { team }
    }
}

impl Specialist for Pipeline<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let story = Story { transcript, team: self.team };
        if assigned.turns_left <= 1 {
            // What is under way is still taken in.
            if transcript.sent().any(|sent| sent.report.is_none()) {
                return Step::Wait;
            }
            return story.land("the supervisor ran out of turns");
        }
        let Some(last) = story.last_turn() else { return story.plan() };
        let step = match &last.did {
            Did::Adopted(_) => story.research(),
            Did::HandOffs(sent) => match sent.first().map(|sent| sent.role.as_str()) {
                _ if sent.first().is_some_and(is_given) => story.research(),
                role => story.remedied().unwrap_or_else(|| match role {
                    _ if transcript.sent().any(|sent| sent.report.is_none()) => Step::Wait,
                    Some(Role::MEMORY) => story.cut(),
                    Some(role) if role == story.order().plans() => story.planned(story.remedies().result(&sent[0])),
                    Some(role) if story.order().merges() == Some(role) => {
                        story.pause(story.remedies().result(&sent[0]))
                    }
                    Some(Role::WRITER) => story.check(story.remedies().result(&sent[0])),
                    _ => story.judge(),
                }),
            },
            Did::Checkpoint(pause) => match (&*pause.subject, &pause.answer) {
                (Subject::Findings(findings), Some(Answer::Findings(answer))) => story.gone_through(answer, findings),
                (Subject::Plan(plan), Some(Answer::Plan(answer))) => story.answered(answer, plan),
                _ => Step::Wait,
            },
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::EDITOR => story.led_directly(),
            Did::Refused { why, .. } => story.land(why),
            Did::Relieved => story.take_over(),
            Did::Tools(_) | Did::Asked(_) => Step::Wait,
        };
        story.remembering(assigned.turns_left, step)
    }
}

/// What has happened so far, read from the supervisor's own transcript.
#[derive(Clone, Copy)]
pub(super) struct Story<'a> {
    pub(super) transcript: &'a Transcript,
    pub(super) team: &'a Team,
}

impl<'a> Story<'a> {
    /// The last turn that led on. A question to the person is part of the turn that led to it, and telling memory what to
    /// keep leads nowhere.
    fn last_turn(&self) -> Option<&'a Turn> {
        let asks = |turn: &&Turn| matches!(&turn.did, Did::Checkpoint(pause) if pause.of_question().is_some());
        self.transcript.turns.iter().rev().find(|turn| !asks(turn) && !remembering::is_keeping(turn))
    }

    pub(super) fn order(&self) -> Order {
        self.team.order
    }

    pub(super) fn question(&self) -> Clean {
        self.transcript.handoff.payload.question.clone().unwrap_or_default()
    }

    /// What a brief is called that nobody composed.
    fn title(&self) -> Clean {
        let question = self.question();
        extractive::title_of_list(&question).unwrap_or(question)
    }

    pub(super) fn words(&self) -> u32 {
        self.transcript.handoff.payload.length.unwrap_or(500)
    }

    pub(super) fn adopted(&self) -> Option<&'a Plan> {
        self.transcript.turns.iter().rev().find_map(|turn| match &turn.did {
            Did::Adopted(plan) => Some(&**plan),
            _ => None,
        })
    }

    /// Every handoff of tasks so far, in order.
    pub(super) fn researchers(&self) -> impl Iterator<Item = &'a Sent> {
        given(self.transcript)
    }

    /// Tasks that were given to somebody and count. Tasks of a model whose plan was given up are nobody's any more.
    fn counted(&self, of: Vec<Given>) -> Vec<Given> {
        let plan = self.adopted().filter(|_| self.transcript.relieved().is_some());
        let is_given_up = |given: &Given| plan.zip(given.task).is_some_and(|(plan, id)| plan.task(id).is_none());
        of.into_iter().filter(|given| !is_given_up(given)).collect()
    }

    /// Tasks whose end still counts.
    fn standing(&self) -> Vec<Given> {
        self.counted(standing(self.remedies()))
    }

    /// What is done about work that failed.
    pub(super) fn remedies(&self) -> Remedies<'a> {
        Remedies { transcript: self.transcript, team: self.team }
    }

    /// The tasks of the plan and how far they are. `again` goes along with what is worked on once more.
    pub(super) fn delegation<'b>(&self, plan: &'b Plan, groups: &'b [Group], again: Option<Again<'b>>) -> Delegation<'b>
    where
        'a: 'b,
    {
        let (remedies, question) = (self.remedies(), self.question());
        // When the person has asked for more of something, the merging waits for the end of that.
        let merge = if self.last_pause().is_some() { Join::BestEffort } else { self.team.joins.merge };
        Delegation {
            remedies,
            question,
            plan,
            groups,
            again,
            fails_at_once: true,
            merge,
            had_enough: self.had_enough(),
        }
    }

    /// Who leads which of the tasks, where they are too many for one.
    fn groups(&self, plan: &Plan) -> Vec<Group> {
        if may_not_group(self.transcript) { Vec::new() } else { self.team.groups(plan) }
    }

    /// Hands out every task whose own inputs are in, and what failed to whom the policy says; merges when all are back.
    fn research(&self) -> Step {
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        // Tasks are grouped once: when the first of them are handed out.
        let begun = given(self.transcript).next().is_some();
        let groups = if begun { Vec::new() } else { self.groups(plan) };
        match self.delegation(plan, &groups, None).next() {
            Next::HandOut { why, handoffs } => hand_off(Leading::Research, why, handoffs),
            Next::Ask(question) => Step::Checkpoint(Subject::Question(question)),
            Next::Fail(why) => self.land(&why),
            Next::Wait => Step::Wait,
            Next::Enough { of, .. } if !of.is_empty() => Step::Enough { of },
            Next::Enough { why, .. } => self.merge(plan, &why),
            Next::AllIn => self.merge(plan, "all research is in"),
        }
    }

    /// Whether the findings are with the person though not every task was handed out: the others stay left out.
    fn had_enough(&self) -> bool {
        self.last_pause().is_some() && matches!(self.team.joins.merge, Join::AtLeast(_))
    }

    /// Tasks that were never handed out because there was enough without them, one sentence each.
    fn left_out(&self) -> Vec<Clean> {
        let Some(plan) = self.adopted().filter(|_| self.had_enough()) else { return Vec::new() };
        let given: BTreeSet<Option<TaskId>> = all_given(self.remedies()).into_iter().map(|given| given.task).collect();
        let left = plan.tasks.iter().filter(|task| !given.contains(&Some(task.id)));
        left.map(|task| format!("{}: not begun (enough was in without it).", task.title).into()).collect()
    }

    /// No editor may have them, so the supervisor leads all of the tasks itself.
    fn led_directly(&self) -> Step {
        match self.last_answer() {
            Some((_, findings::Answer::More { task, wish }, findings)) => self.more(*task, wish, findings),
            _ => self.research(),
        }
    }

    /// What is to be done about work besides tasks that failed before the run can go on; None if nothing is. What a model
    /// that led handed out was its to judge.
    fn remedied(&self) -> Option<Step> {
        let turns = &self.transcript.turns;
        let since = turns.iter().rposition(|turn| matches!(turn.did, Did::Relieved)).unwrap_or(0);
        let is_pending = self.transcript.sent().any(|sent| sent.report.is_none());
        let (mut again, mut ask, mut stage) = (Vec::new(), None, None);
        for (of, sent) in self.failed_since(since).filter(|(_, sent)| !is_given(sent)) {
            match self.remedies().due(sent) {
                Due::Nothing => {}
                Due::Again(sending) => {
                    stage = stage.or(Some(of));
                    again.push(sending);
                }
                Due::Ask(question) => ask = ask.or(Some(Step::Checkpoint(Subject::Question(question)))),
                Due::Asked => ask = ask.or(Some(Step::Wait)),
                Due::Fail(_) if is_pending => {}
                Due::Fail(why) => return Some(self.land(&why)),
            }
        }
        match stage {
            Some(stage) => Some(hand_off(stage, "what failed is tried again", again)),
            None => ask,
        }
    }

    /// What the policies try again by themselves of what was handed out since a turn. What is left over is for whoever
    /// leads.
    pub(super) fn tried_again(&self, since: usize) -> Option<Step> {
        let due = self.failed_since(since).map(|(stage, sent)| (stage, self.remedies().due(sent)));
        let again = |(stage, due)| if let Due::Again(sending) = due { Some((stage, sending)) } else { None };
        let (stages, again): (Vec<Stage>, Vec<Sending>) = due.filter_map(again).unzip();
        stages.first().map(|stage| hand_off(*stage, "what failed is tried again", again))
    }

    /// What was handed out since a turn and has not been tried again, and at which stage. Nobody is asked about a memory
    /// that failed.
    fn failed_since(&self, turn: usize) -> impl Iterator<Item = (Stage, &'a Sent)> {
        let since = &self.transcript.turns[turn.min(self.transcript.turns.len())..];
        let sent = since.iter().flat_map(|turn| match &turn.did {
            Did::HandOffs(sent) => sent.iter().map(|sent| (turn.stage, sent)).collect(),
            _ => Vec::new(),
        });
        sent.filter(|(_, sent)| !remembering::is_memory(sent) && !self.remedies().is_tried_again(sent))
    }

    pub(super) fn merge(&self, plan: &Plan, why: &str) -> Step {
        let findings = self.gathered(plan);
        if findings.is_empty() {
            return self.nothing(plan);
        }
        let Some(merger) = self.order().merges() else { return Step::Checkpoint(Subject::Findings(findings)) };
        let title = count(findings.len(), "finding");
        let payload = Payload { plan: Some(plan.clone()), findings: Some(findings), ..Payload::default() };
        hand_off(Leading::Merge, why, vec![sending(merger, &title, payload)])
    }

    /// What the last checkpoint left, then what was found since, in the order of the plan.
    pub(super) fn gathered(&self, plan: &Plan) -> Vec<Finding> {
        let (mut findings, since) = match self.last_pause() {
            Some((turn, findings)) => (findings.to_vec(), turn),
            None => (Vec::new(), 0),
        };
        let known: BTreeSet<_> = findings.iter().map(|finding| finding.id).collect();
        let found = self.delegation(plan, &[], None).found(since);
        findings.extend(found.into_iter().filter(|finding| !known.contains(&finding.id)).cloned());
        if since == 0 {
            findings.extend(self.remembered(plan));
        }
        findings
    }

    fn last_pause(&self) -> Option<(usize, &'a [Finding])> {
        self.last_answer().map(|(turn, _, findings)| (turn, findings))
    }

    /// What the person last said of findings: in which turn, what, and how they were left.
    pub(super) fn last_answer(&self) -> Option<(usize, &'a findings::Answer, &'a [Finding])> {
        self.transcript.turns.iter().enumerate().rev().find_map(|(turn, it)| match &it.did {
            Did::Checkpoint(pause) => pause.of_findings().map(|(answer, findings)| (turn, answer, findings)),
            _ => None,
        })
    }

    /// Puts the findings before the person; a merger that fails costs the merging, not the findings.
    pub(super) fn pause(&self, merger: &Sent) -> Step {
        let merged =
            merger.report.as_ref().filter(|(outcome, _)| outcome.usable()).map(|(_, r)| r.payload.findings().to_vec());
        Step::Checkpoint(Subject::Findings(merged.unwrap_or_else(|| merger.handoff.payload.findings().to_vec())))
    }

    /// What follows from what the person said of the findings.
    fn gone_through(&self, answer: &findings::Answer, findings: &[Finding]) -> Step {
        match answer {
            findings::Answer::More { task, wish } => self.more(*task, wish, findings),
            findings::Answer::Approved { .. } => self.write(None),
        }
    }

    pub(super) fn more(&self, task: Option<TaskId>, wish: &Clean, findings: &[Finding]) -> Step {
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        let again = Some(Again { known: findings, wish });
        let one = task.map(|task| plan.part(&[task]));
        let groups = if one.is_some() { Vec::new() } else { self.groups(plan) };
        let again = self.delegation(one.as_ref().unwrap_or(plan), &groups, again).all_again();
        hand_off(Leading::Research, "the person asked for more", again)
    }

    pub(super) fn approved(&self) -> Vec<Finding> {
        findings::approved(self.last_pause().map_or(&[], |(_, findings)| findings))
    }

    /// Why some tasks have less than was asked for, one sentence each.
    pub(super) fn shortfalls(&self) -> Vec<Clean> {
        let of_tasks = self.standing().into_iter().filter_map(|Given { title, end, note, .. }| {
            Some(Clean::from(match end? {
                Outcome::Done => return None,
                Outcome::NothingFound => format!("{title}: nothing was found in the sources."),
                Outcome::Partial(why) => format!("{title}: the research is partial ({why})."),
                Outcome::OutOfBudget(cap) => format!("{title}: not researched ({cap} was reached)."),
                Outcome::Failed(why) => format!("{title}: the research failed ({why})."),
                Outcome::Cancelled => match note {
                    Some(why) => format!("{title}: the research was ended ({why})."),
                    None => format!("{title}: the research was cancelled."),
                },
            }))
        });
        let nobody = |task: &Task| format!("{}: planned, and nobody looked into it.", task.title).into();
        let of_nobody = self.planned_and_not_handed_out().into_iter().map(nobody);
        of_tasks.chain(self.left_out()).chain(self.unread()).chain(of_nobody).chain(self.no_room_for()).collect()
    }

    /// Files that nobody could look at, where every file counts.
    fn unread(&self) -> Vec<Clean> {
        let corpus = self.transcript.handoff.payload.corpus.as_ref().filter(|_| self.order() == Order::Inspect);
        let skipped = corpus.map_or(&[][..], |corpus| &corpus.skipped);
        skipped
            .iter()
            .map(|skipped| Clean::from(format!("{}: not looked at ({}).", skipped.path, skipped.why)))
            .collect()
    }

    /// Tasks that were planned beyond the most that a plan may have.
    fn no_room_for(&self) -> Vec<Clean> {
        let most = self.team.most_tasks;
        let planner = self.transcript.sent().rfind(|sent| sent.role.as_str() == Role::PLANNER);
        let planned = planner.and_then(|sent| sent.report.as_ref()?.1.payload.plan.as_ref());
        let (Some(planned), Some(adopted)) = (planned, self.adopted()) else { return Vec::new() };
        let beyond = planned.tasks.iter().skip(most as usize).filter(|task| adopted.task(task.id).is_none());
        beyond.map(|task| format!("{}: not researched (a plan has at most {most} tasks).", task.title).into()).collect()
    }

    pub(super) fn write(&self, revise: Option<&Judged<'_>>) -> Step {
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        let findings = self.approved();
        if findings.is_empty() {
            return self.nothing(plan);
        }
        let title = match revise {
            None => format!("{} approved", count(findings.len(), "finding")),
            Some(judged) => format!("revise: {}", count(judged.blocking(), "issue")),
        };
        let mut payload = Payload {
            question: Some(self.question()),
            plan: Some(plan.clone()),
            findings: Some(findings),
            length: Some(self.words()),
            shortfalls: Some(self.shortfalls()).filter(|shortfalls| !shortfalls.is_empty()),
            ..Payload::default()
        };
        let why = match revise {
            None => "the findings are approved",
            Some(judged) => {
                payload.draft = Some(judged.draft.clone());
                payload.verdicts = Some(judged.verdicts.clone());
                "gates or reviewer sent the draft back"
            }
        };
        hand_off(Leading::Write, why, vec![sending(Role::WRITER, &title, payload)])
    }
}

fn failed(why: String) -> Step {
    let payload = Payload::note(why.as_str());
    Step::Report { outcome: Outcome::Failed(why.into()), title: "failed".into(), payload }
}

pub(super) fn hand_off(stage: impl Into<Stage>, why: &str, handoffs: Vec<Sending>) -> Step {
    Step::HandOff { stage: stage.into(), why: why.into(), handoffs }
}

pub(super) fn sending(role: &str, title: &str, payload: Payload) -> Sending {
    Sending::new(&Role::new(role), title, payload)
}
