//! Takeovers: work that a role's model should have done and a fallback did. Read off the run; nothing is recorded for it.

use std::fmt;

use crate::handoff::Outcome;
use crate::id::Role;
use crate::model::ModelId;
use crate::state::{Assignment, Run};
use crate::team::{Team, Worker};
use crate::transcript::{Did, ExchangeEnd, Sent};
use text::{Clean, count};

/// Work that a fallback did in place of a model, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeover {
    /// The roles whose work it was, in the order in which they were first at work.
    pub roles: Vec<Role>,
    /// The model that should have done it.
    pub from: ModelId,
    /// The model that did it; None for the rules of the role.
    pub to: Option<ModelId>,
    /// The reason: the first failure of the model in this run, in words; empty if it was not tried.
    pub why: Clean,
    /// The number of pieces of work.
    pub times: usize,
}

impl fmt::Display for Takeover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Takeover { roles, from, to, why, times } = self;
        match &roles[..] {
            [before @ .., last] if !before.is_empty() => {
                let before: Vec<&str> = before.iter().map(Role::as_str).collect();
                write!(f, "{} and {last}", before.join(", "))?;
            }
            roles => roles.iter().try_for_each(|role| write!(f, "{role}"))?,
        }
        write!(f, " fell back from {from} to ")?;
        match to {
            Some(model) => write!(f, "{model}")?,
            None if roles.len() > 1 => f.write_str("their rules, without a model")?,
            None => f.write_str("its rules, without a model")?,
        }
        if *times > roles.len() {
            write!(f, ", for {}", count(*times, "assignment"))?;
        }
        if why.is_empty() { Ok(()) } else { write!(f, " ({})", why.trim_end_matches('.')) }
    }
}

impl Run {
    /// The work of fallbacks in this run in place of a model; the same for several roles for the same reason is one.
    pub fn takeovers(&self) -> Vec<Takeover> {
        let Some(opening) = &self.opening else { return Vec::new() };
        let mut all: Vec<Takeover> = Vec::new();
        for assignment in self.assignments() {
            let transcript = &assignment.transcript;
            for sent in transcript.sent().filter(|sent| self.has_begun(sent)) {
                let before = transcript.attempts(sent).into_iter().nth_back(1);
                if let Some(one) = taken_over(&opening.team, sent, before) {
                    add(&mut all, one);
                }
            }
            let model_of = |worker| opening.team.model_of(&assignment.role, worker).map(|model| model.id.clone());
            let mut named = |from: Option<ModelId>, to, why: &Clean| {
                let Some(from) = from else { return };
                let roles = vec![assignment.role.clone()];
                add(&mut all, Takeover { roles, from, to, why: first_sentence(why), times: 1 });
            };
            for (turn, from) in transcript.relieving().zip(transcript.leaders()) {
                if let Did::Relieved { to } = turn.did {
                    named(model_of(from), to.and_then(model_of), &turn.why);
                }
            }
            if let Some(why) = went_on_by_rule(assignment).filter(|_| self.is_used(assignment)) {
                named(model_of(assignment.worker), None, why);
            }
        }
        // Work that begins with the fallback knows no reason of its own: an earlier failure of the model is the reason.
        let known: Vec<(ModelId, Clean)> =
            all.iter().filter(|one| !one.why.is_empty()).map(|one| (one.from.clone(), one.why.clone())).collect();
        for one in all.iter_mut().filter(|one| one.why.is_empty()) {
            one.why = known.iter().find(|(from, _)| *from == one.from).map(|(_, why)| why.clone()).unwrap_or_default();
        }
        let first_at_work = |takeover: &Takeover| self.assignments().position(|a| takeover.roles.contains(&a.role));
        all.sort_by_key(first_at_work);
        let mut joined: Vec<Takeover> = Vec::new();
        for one in all {
            let alike = |known: &&mut Takeover| known.from == one.from && known.to == one.to && known.why == one.why;
            match joined.iter_mut().find(alike) {
                Some(known) => {
                    known.roles.extend(one.roles);
                    known.times += one.times;
                }
                None => joined.push(one),
            }
        }
        joined
    }

    /// Whether the work of a handoff was begun: one that ended before its model was asked, for want of budget, was no work of that model.
    fn has_begun(&self, sent: &Sent) -> bool {
        let Some(assignment) = self.assignment(sent.to) else { return false };
        let has_asked = assignment.transcript.exchanges().next().is_some();
        has_asked || assignment.ended.is_none() || sent.worker == Worker::Rules
    }

    /// Whether the run uses the report of this assignment, and not that of another attempt at the same work.
    fn is_used(&self, assignment: &Assignment) -> bool {
        let parent = assignment.parent().and_then(|parent| self.assignment(parent));
        let Some(transcript) = parent.map(|parent| &parent.transcript) else { return true };
        let Some(sent) = transcript.sent().find(|sent| sent.to == assignment.id) else { return true };
        transcript.result_of(transcript.last_attempt(sent)).to == assignment.id
    }
}

/// The takeover that one handoff is; None if the worker is one that shares the work of its role anyway.
fn taken_over(team: &Team, sent: &Sent, before: Option<&Sent>) -> Option<Takeover> {
    // The person may give work to another role, which has models of its own.
    let before = before.filter(|before| before.role == sent.role);
    let spread = team.members.get(&sent.role).is_some_and(|member| member.spread);
    let failed = before.filter(|before| before.worker != sent.worker);
    let is_fallback = match sent.worker {
        Worker::Rules => true,
        Worker::Fallback(_) => failed.is_some() || !spread,
        Worker::Member => false,
    };
    let from =
        team.model_of(&sent.role, failed.map_or(Worker::Member, |failed| failed.worker)).filter(|_| is_fallback)?;
    let why = failed.and_then(|failed| failed.report.as_ref()).map(|(outcome, report)| {
        match (outcome, &report.payload.by_rule) {
            (_, Some(why)) => first_sentence(why),
            (Outcome::Failed(why) | Outcome::Partial(why) | Outcome::OutOfBudget(why), None) => first_sentence(why),
            (other, None) => Clean::line(&other.to_string()),
        }
    });
    let to = team.model_of(&sent.role, sent.worker).map(|model| model.id.clone());
    Some(Takeover { roles: vec![sent.role.clone()], from: from.id.clone(), to, why: why.unwrap_or_default(), times: 1 })
}

/// The reason why the rules of an assignment's role made its usable report in place of its model.
fn went_on_by_rule(assignment: &Assignment) -> Option<&Clean> {
    let (_, report) = assignment.ended.as_ref().filter(|(outcome, _)| outcome.usable())?;
    if let Some(why) = &report.payload.by_rule {
        return Some(why);
    }
    // In journals from before reports said so: it was the last question to its model that failed.
    match &assignment.transcript.turns.last()?.did {
        Did::Asked(exchange) => match &exchange.end {
            ExchangeEnd::Failed(why) => Some(why),
            _ => None,
        },
        _ => None,
    }
}

/// An error message without the advice that follows in it.
pub fn first_sentence(why: &str) -> Clean {
    Clean::line(why.split_once(". ").map_or(why, |(first, _)| first))
}

fn add(all: &mut Vec<Takeover>, one: Takeover) {
    let same = |known: &&mut Takeover| known.roles == one.roles && known.from == one.from && known.to == one.to;
    match all.iter_mut().find(same) {
        Some(known) => {
            known.times += one.times;
            if known.why.is_empty() {
                known.why = one.why;
            }
        }
        None => all.push(one),
    }
}
