//! An event that a person changes as they fork: the fork begins with it as they left it. The same rules hold as at a
//! breakpoint.

use std::sync::Arc;

use crate::checkpoint::stop::{self, Stop, Waiting, What};
use crate::checkpoint::{Checkpoint, Edit, Subject};
use crate::event::{Event, Opened};
use crate::finding::Finding;
use crate::fork::Instead;
use crate::handoff::{Handoff, Payload, Sending};
use crate::id::{AssignmentId, CheckpointId, Role};
use crate::plan::{Bounds, Plan};
use crate::state::Run;
use text::Clean;

/// The payload that crosses instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// A whole payload; where several cross, which of them, from 1.
    Payload(Option<usize>, Box<Payload>),
    /// The findings of a payload.
    Findings(Vec<Finding>),
    /// A plan.
    Plan(Box<Plan>),
}

/// The event as a person changed it, and the change in words. The run is as it was before the event.
///
/// # Errors
/// Nothing of this kind crosses there, or it may not cross: in words for the person.
pub fn edited(run: &Run, event: &Event, change: Edited) -> Result<(Event, Clean), String> {
    if let (Event::PlanAdopted { by, plan }, Edited::Plan(new)) = (event, &change) {
        let bounds = run.opening.as_ref().map(|opening| Bounds::of(&opening.team)).unwrap_or_default();
        if **plan == **new {
            return Err("that is the plan as it is already".into());
        }
        return match new.blocking_flaws(&bounds).first() {
            Some(flaw) => Err(flaw.to_string()),
            None => Ok((Event::PlanAdopted { by: *by, plan: Arc::new((**new).clone()) }, "the plan".into())),
        };
    }
    let stop = crossing(run, event).ok_or_else(|| nothing_crosses(event))?;
    let there = stop.payloads();
    let of = match (&change, &there[..]) {
        (Edited::Payload(Some(n), _), all) if (1..=all.len()).contains(n) => n - 1,
        (_, [_]) => 0,
        (_, all) => {
            let names: Vec<String> = all.iter().zip(1..).map(|(one, n)| format!("{n} {}", one.title)).collect();
            return Err(format!(
                "{} payloads cross there ({}): say which, as in --payload 1=FILE",
                all.len(),
                names.join(", ")
            ));
        }
    };
    let one = there[of];
    let ends = format!("{} “{}”", one.ends(), one.title);
    let mut payload = one.payload.clone();
    let what = match change {
        Edited::Payload(_, new) => {
            payload = *new;
            "the payload"
        }
        Edited::Findings(new) if payload.findings.is_some() => {
            payload.findings = Some(new);
            "the findings"
        }
        Edited::Plan(new) if payload.plan.is_some() => {
            payload.plan = Some(*new);
            "the plan"
        }
        Edited::Findings(_) => return Err(format!("{ends} carries no findings")),
        Edited::Plan(_) => return Err(format!("{ends} carries no plan")),
    };
    let of = u32::try_from(of).unwrap_or_default();
    let edit = Edit::Stop(stop::Edit::Payload { of, payload: Box::new(payload) });
    let mut standing = Checkpoint::open(CheckpointId(0), AssignmentId::ROOT, Arc::new(Subject::Stop(stop)));
    standing.accepts(&edit, run)?;
    standing.edited(&edit).ok_or("it cannot be changed")?;
    let Subject::Stop(stop) = &*standing.subject else { return Err("it cannot be changed".into()) };
    let payload = stop.payloads()[of as usize].payload.clone();
    Ok((carrying(event, of as usize, payload), format!("{what} of {ends}").into()))
}

/// The crossing of an event, as it would stand at a breakpoint before it.
fn crossing(run: &Run, event: &Event) -> Option<Stop> {
    let role = |id: AssignmentId| run.assignment(id).map(|one| one.role.clone());
    let what = match event {
        Event::HandedOff { by: Some(by), stage, why, opened } => {
            let waiting = |opened: &Opened| Waiting { is_met: true, is_dropped: false, sending: sending(opened) };
            let handoffs = opened.iter().map(waiting).collect();
            What::Handoffs { from: role(*by)?, stage: *stage, why: why.clone(), handoffs }
        }
        Event::Reported { by, outcome, handoff } => What::Report {
            by: *by,
            from: role(*by)?,
            to: by.parent().and_then(role),
            outcome: outcome.clone(),
            title: handoff.title.clone(),
            payload: Box::new(handoff.payload.clone()),
            is_dropped: false,
        },
        _ => return None,
    };
    Some(Stop::new(run, Vec::new(), what, false))
}

fn sending(opened: &Opened) -> Sending {
    let (title, payload) = (opened.handoff.title.clone(), opened.handoff.payload.clone());
    let Opened { role, task, worker, again, .. } = opened;
    Sending { role: role.clone(), task: *task, worker: *worker, again: *again, after_ms: 0, title, payload }
}

fn carrying(event: &Event, of: usize, payload: Payload) -> Event {
    let mut event = event.clone();
    let handoff = match &mut event {
        Event::HandedOff { opened, .. } => opened.get_mut(of).map(|opened| &mut opened.handoff),
        Event::Reported { handoff, .. } => Some(handoff),
        _ => None,
    };
    if let Some(handoff) = handoff {
        *handoff = Arc::new(Handoff { payload, ..(**handoff).clone() });
    }
    event
}

/// The handoff that carries something else in the second of two events, with its payload in the first.
pub fn instead(was: &Event, now: &Event) -> Option<Instead> {
    let of = |event: &'_ Event| -> Vec<Arc<Handoff>> {
        match event {
            Event::HandedOff { opened, .. } => opened.iter().map(|opened| opened.handoff.clone()).collect(),
            Event::Reported { handoff, .. } => vec![handoff.clone()],
            _ => Vec::new(),
        }
    };
    let both = of(was).into_iter().zip(of(now));
    let changed = both.into_iter().find(|(was, now)| was.payload != now.payload);
    changed.map(|(was, now)| Instead { handoff: now.no, was: Box::new(was.payload.clone()) })
}

fn nothing_crosses(event: &Event) -> String {
    match event {
        Event::HandedOff { by: None, .. } => {
            format!(
                "what goes to the {} there is the question itself: ask another with `masthead brief`",
                Role::SUPERVISOR
            )
        }
        other => format!("nothing crosses there, and no plan is adopted: it is a `{}`", other.name()),
    }
}
