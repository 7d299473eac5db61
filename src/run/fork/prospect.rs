//! The prospect of a fork: the events kept, the calls that the record answers, the work done again, and its likely cost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Fork;
use crate::budget::{Cap, Money};
use crate::checkpoint::{Answer, Approver, Checkpoint};
use crate::describe;
use crate::event::{Envelope, Event};
use crate::forecast::{self, Forecast};
use crate::id::{AssignmentId, CallId, Role, Seq};
use crate::state::{Assignment, Run};
use crate::team::{Member, Team};
use text::count;

/// The facts known of a fork before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prospect {
    /// Events that are kept.
    pub kept: u64,
    /// Findings that have come in by then.
    pub findings: usize,
    /// The cost of the parent by then.
    pub paid: Money,
    /// The parent's recorded answers after that point that the fork can use again, as far as can be foreseen.
    pub given: usize,
    /// The first event of the parent that the fork does otherwise; None where nothing that was changed comes up.
    pub differs: Option<Seq>,
    /// The first thing after the point of the fork that the person did in the parent and that `--yes` does not do, in words,
    /// where it is that from which on the fork does otherwise.
    pub steered: Option<String>,
    /// The roles that work anew from there on, each with how often it worked in the parent.
    pub again: Vec<(Role, usize)>,
    /// Whether the parent goes on past its record: it has not ended.
    pub is_open: bool,
    /// Calls that were out at the point of the fork, and whether the record has their end.
    pub out: Vec<(CallId, bool)>,
    /// The cost beyond the kept events; None if its team has no model that costs anything.
    pub cost: Option<Forecast>,
    /// The rest of its cap for that.
    pub left: Option<Money>,
}

/// Looks ahead for a fork. `parent` is the whole parent with its events, `kept` is the run at the event that is kept last, `is_edited`
/// says whether the event after that is changed.
pub fn prospect(parent: (&Run, &[Arc<Envelope>]), kept: &Run, fork: &Fork, is_edited: bool) -> Prospect {
    let (parent, events) = parent;
    let mut then = kept.clone();
    let rest = || events.iter().skip_while(|envelope| envelope.seq <= fork.at);
    let old = kept.opening.as_ref().map(|opening| &opening.team);
    let differs = match (old, &fork.team) {
        _ if is_edited => rest().next().map(|envelope| envelope.seq),
        (Some(old), Some(new)) => {
            rest().find(|envelope| goes_otherwise(&envelope.event, parent, old, new)).map(|envelope| envelope.seq)
        }
        _ => None,
    };
    let steered = steered(rest(), &then).filter(|(seq, _)| differs.is_none_or(|differs| *seq < differs));
    let (differs, steered) = match steered {
        Some((seq, what)) => (Some(seq), Some(what)),
        None => (differs, None),
    };
    let is_before = |envelope: &&Arc<Envelope>| differs.is_none_or(|seq| envelope.seq < seq);
    let answers = |event: &Event| matches!(event, Event::ModelReplied { .. });
    let mut given = 0;
    for envelope in rest().take_while(is_before) {
        given += usize::from(answers(&envelope.event));
        then.apply(envelope);
    }
    let untouched = match (old, &fork.team) {
        // A change by hand may reach any specialist.
        (Some(old), Some(new)) if !is_edited && steered.is_none() => untouched(&then, old, new),
        _ => BTreeSet::new(),
    };
    let of_untouched = |envelope: &&Arc<Envelope>| envelope.event.by().is_some_and(|by| untouched.contains(&by));
    for envelope in rest().skip_while(is_before).filter(of_untouched) {
        given += usize::from(answers(&envelope.event));
        then.apply(envelope);
    }
    let answered = |call: CallId| rest().any(|e| ends(&e.event) == Some(call));
    let out = fork.again.iter().map(|call| (*call, answered(*call))).collect();
    let mut again: BTreeMap<Role, usize> = BTreeMap::new();
    for envelope in rest().skip_while(is_before) {
        if let Event::HandedOff { opened, .. } = &envelope.event {
            opened.iter().for_each(|one| *again.entry(one.role.clone()).or_default() += 1);
        }
    }
    let is_again = |one: &&Assignment| one.parent().is_some() && !untouched.contains(&one.id);
    let at_work = then.open().filter(|one| differs.is_some() && is_again(one));
    at_work.for_each(|one| *again.entry(one.role.clone()).or_default() += 1);
    let is_open = then.ended().is_none();
    if let (Some(team), Some(opening)) = (&fork.team, then.opening.as_mut()) {
        Arc::make_mut(opening).team = (**team).clone();
    }
    let gone = then.ledger.run().spent.plus(then.ledger.run().in_doubt).money();
    let beyond = |forecast: Forecast| {
        let rest = |all: Money| Money(all.0.saturating_sub(gone.0));
        Forecast { low: rest(forecast.low), likely: rest(forecast.likely), high: rest(forecast.high) }
    };
    let cost = forecast::of(&then).map(beyond).filter(|cost| cost.high > Money::default());
    let account = kept.ledger.run();
    let cap = fork.limits.or(account.limits).money();
    let reported = kept.assignments().filter(|one| one.task.is_some() && one.ended.is_some());
    let reported = || reported.filter_map(|one| Some(one.ended.as_ref()?.1.payload.findings().len())).sum();
    // Once they were put before the person, those are kept that the page keeps.
    let put = kept.findings_checkpoints().next_back();
    let findings = put.map_or_else(reported, |(_, all)| all.iter().filter(|finding| finding.usable()).count());
    Prospect {
        kept: fork.at.0,
        findings,
        paid: account.spent.money(),
        given,
        differs,
        steered,
        again: again.into_iter().collect(),
        is_open,
        out,
        cost,
        left: cap.map(|cap| Money(cap.0.saturating_sub(account.spent.plus(account.in_doubt).get(Cap::Money)))),
    }
}

/// Of the specialists that are at work in a run, those that go on as they did with a new team: with the same model, prompt and
/// tools, each gets the same answers to the same requests, whatever the others do.
fn untouched(run: &Run, old: &Team, new: &Team) -> BTreeSet<AssignmentId> {
    let is_same = |role: &Role| old.members.get(role).is_some_and(|member| new.members.get(role) == Some(member));
    let at_work = run.open().filter(|one| one.parent().is_some_and(|parent| parent == AssignmentId::ROOT));
    at_work.filter(|one| is_same(&one.role)).map(|one| one.id).collect()
}

/// The first of these events of a run in which its person led it another way than `--yes` does, and what they did, in words.
/// `before` is the run before the first of them.
fn steered<'a>(events: impl Iterator<Item = &'a Arc<Envelope>>, before: &Run) -> Option<(Seq, String)> {
    let mut run = before.clone();
    for envelope in events {
        let is_as_approved = |checkpoint, answer: &Answer| {
            run.checkpoint(checkpoint).is_some_and(|open: &Checkpoint| open.subject.approval() == *answer)
        };
        let steers = match &envelope.event {
            Event::CheckpointAnswered { checkpoint, by: Approver::Person, answer } => {
                !is_as_approved(*checkpoint, answer)
            }
            Event::CheckpointEdited { .. } | Event::Steered { .. } | Event::CapRaised { .. } => true,
            _ => false,
        };
        run.apply(envelope);
        if steers {
            let line = describe::describe(envelope, &run).lines.into_iter().next();
            let what = line.map_or_else(
                || "changed what was put before you".into(),
                |line| format!("{}: {}", line.word, line.sentence),
            );
            return Some((envelope.seq, what));
        }
    }
    None
}

/// The call whose end an event tells, if a fork can take it over.
fn ends(event: &Event) -> Option<CallId> {
    match event {
        Event::ModelReplied { call, .. } | Event::ToolReturned { call, .. } => Some(*call),
        _ => None,
    }
}

/// Whether an event of the parent would be another with the new team: a changed model is asked, or a changed prompt begins a
/// conversation, or somebody works who worked by rule.
fn goes_otherwise(event: &Event, parent: &Run, old: &Team, new: &Team) -> bool {
    let model = |team: &Team, role: &Role| team.members.get(role).and_then(|member: &Member| member.model.clone());
    match event {
        Event::ModelCalled { by, request, .. } => parent.assignment(*by).is_some_and(|one| {
            let (old, new) = (model(old, &one.role), model(new, &one.role));
            let (Some(old), Some(new)) = (old, new) else { return true };
            (&old.id, &old.thinking) != (&new.id, &new.thinking) || (request.afresh && old.prompt != new.prompt)
        }),
        Event::HandedOff { opened, .. } => {
            opened.iter().any(|one| model(old, &one.role).is_none() && model(new, &one.role).is_some())
        }
        _ => false,
    }
}

impl Prospect {
    /// Whether anything may have to be paid.
    pub fn costs(&self) -> bool {
        self.cost.is_some()
    }

    /// The cost in words: the probable one, and the rest of the cap.
    pub fn cost_in_words(&self) -> String {
        let Some(Forecast { low, likely, high }) = self.cost.map(|cost| cost.within(self.left)) else {
            return "it costs nothing".into();
        };
        let left = self.left.map(|left| format!(", at most {left} more (--max-cost sets another cap)"));
        format!("probably {likely} ({low} to {high}){}", left.unwrap_or_default())
    }

    /// All of it in lines for a person.
    pub fn lines(&self) -> Vec<String> {
        let calls = |n| count(n, "recorded answer");
        let findings =
            if self.findings == 0 { String::new() } else { format!(", {}", count(self.findings, "finding")) };
        let mut lines =
            vec![format!("kept: {}{findings}, {} paid already", count(self.kept as usize, "event"), self.paid)];
        if self.given > 0 {
            lines.push(format!("free: {} after that, for requests that are equal", calls(self.given)));
        }
        for (call, is_recorded) in &self.out {
            let then = if *is_recorded {
                "its answer is in the record"
            } else {
                "the record has no answer, so it is made anew"
            };
            lines.push(format!("out at that moment: {} of {}: {then}", nth(*call), call.assignment));
        }
        let roles: Vec<String> =
            self.again.iter().map(|(role, n)| if *n > 1 { format!("{role} ×{n}") } else { role.to_string() }).collect();
        if let (Some(seq), Some(what)) = (self.differs, &self.steered) {
            lines.push(format!("at #{} you {what}: nobody does that in the fork unless you do", seq.0));
        }
        match self.differs {
            Some(seq) if roles.is_empty() => lines.push(format!("done again: from #{} on", seq.0)),
            Some(seq) => lines.push(format!("done again: from #{} on: {}", seq.0, roles.join(", "))),
            None if self.is_open => lines.push("done again: nothing; it goes on where the record ends".into()),
            None => lines.push("done again: nothing, as long as all goes as it went".into()),
        }
        lines.push(format!("cost: {}", self.cost_in_words()));
        lines
    }
}

fn nth(call: CallId) -> String {
    format!("call {}", call.n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Draws, Limits};
    use crate::checkpoint::{Subject, findings};
    use crate::event::{Opened, Opening};
    use crate::handoff::{Handoff, Payload};
    use crate::id::{AssignmentId, At, CheckpointId, HandoffNo};
    use crate::stage::Leading;
    use text::Clean;

    /// A run that stands at its findings, with these events after that.
    fn after_findings(more: Vec<Event>) -> Vec<Arc<Envelope>> {
        let root = AssignmentId::ROOT;
        let handoff = Handoff {
            no: HandoffNo::default(),
            from: None,
            to: Some(root),
            names: ("you".into(), Role::SUPERVISOR.into()),
            title: "Why?".into(),
            payload: Payload::default(),
        };
        let opened = Opened::new(root, Role::new(Role::SUPERVISOR), Limits::default(), Draws::Work, Arc::new(handoff));
        let opening = Opening::new("7f3k".parse().unwrap(), "Why?".into(), Team::default());
        let first = vec![
            Event::RunOpened(opening.into()),
            Event::HandedOff { by: None, stage: Leading::Open.into(), why: "".into(), opened: vec![opened] },
            Event::CheckpointOpened {
                checkpoint: CheckpointId(1),
                by: root,
                subject: Arc::new(Subject::Findings(Vec::new())),
            },
        ];
        let all = first.into_iter().chain(more).zip(1..);
        all.map(|(event, n)| Arc::new(Envelope { seq: Seq(n), at: At(1), event })).collect()
    }

    #[test]
    fn specialists_at_work_beside_the_one_that_is_changed_go_on_as_they_did() {
        let member = |turns: u32| -> Member {
            serde_json::from_value(serde_json::json!({ "description": "", "kind": "extractive", "turns": turns }))
                .unwrap()
        };
        let team = |turns: u32| {
            let members = [(Role::new("numbers"), member(turns)), (Role::new("faults"), member(9))];
            Team { members: members.into(), ..Team::default() }
        };
        let opened = ["0.t1", "0.t2"].into_iter().zip(["numbers", "faults"]).map(|(id, role)| {
            let handoff = Handoff {
                no: HandoffNo::default(),
                from: Some(AssignmentId::ROOT),
                to: id.parse().ok(),
                names: (Role::SUPERVISOR.into(), role.into()),
                title: role.into(),
                payload: Payload::default(),
            };
            Opened::new(id.parse().unwrap(), Role::new(role), Limits::default(), Draws::Work, Arc::new(handoff))
        });
        let (stage, opened) = (Leading::Open.into(), opened.collect());
        let handed = Event::HandedOff { by: Some(AssignmentId::ROOT), stage, why: "".into(), opened };
        let run = Run::fold(after_findings(vec![handed]).iter().map(|envelope| &**envelope));
        let of = |new: Team| untouched(&run, &team(5), &new).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(of(team(5)), ["0.t1", "0.t2"]);
        assert_eq!(of(team(6)), ["0.t2"], "the one whose member is another");
        assert!(of(Team::default()).is_empty());
    }

    #[test]
    fn a_fork_goes_another_way_where_its_person_steered_the_run_and_not_where_they_approved() {
        let answer = |by, answer| Event::CheckpointAnswered {
            checkpoint: CheckpointId(1),
            by,
            answer: Answer::Findings(answer),
        };
        let Answer::Findings(approved) = Subject::Findings(Vec::new()).approval() else { panic!("of findings") };
        let more = findings::Answer::More { task: None, wish: Clean::from("index limits") };
        let edited = Event::CheckpointEdited {
            checkpoint: CheckpointId(1),
            edit: crate::checkpoint::Edit::Findings(findings::Edit::Add { task: None, claim: "So.".into() }),
        };
        for (event, says) in [
            (answer(Approver::Person, approved.clone()), None),
            (answer(Approver::Policy, approved), None),
            (answer(Approver::Person, more), Some("answered: more was asked for: index limits")),
            (edited, Some("changed: the findings")),
        ] {
            let events = after_findings(vec![event]);
            let kept = Run::fold(events[..3].iter().map(|envelope| &**envelope));
            let found = steered(events[3..].iter(), &kept);
            assert_eq!(found, says.map(|says| (Seq(4), says.to_owned())));
        }
    }
}
