//! The origin of each part: the handoff that brought it first, the finder with its search, the person who changed it. Read from the
//! run; nothing is recorded for it.

use std::collections::BTreeMap;

use crate::prelude::*;
use crate::view::transcript::Step;
use run::checkpoint::stop::{self, What};
use run::checkpoint::{Approver, Checkpoint, Edit, Subject, draft, findings};
use run::finding::WordsOf;
use run::handoff::{Part, PartName};
use run::transcript::Did;
use run::{Assignment, AssignmentId, Finding, FindingId, Handoff, Payload, SourceId, ToolResult, describe, origin};

/// The origin of something, and the step of the run that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct From {
    pub says: String,
    pub to: Option<Step>,
}

impl From {
    pub fn new(says: impl Into<String>, to: Option<Step>) -> From {
        From { says: flat(&says.into()).into_owned(), to }
    }
}

/// The origins of the parts of one payload.
pub struct Origins<'a> {
    run: &'a Run,
    /// The transport.
    what: Step,
    payload: &'a Payload,
    /// Handoffs that crossed before it.
    before: usize,
    /// The payload that stood at a breakpoint in its place.
    put: Option<&'a Payload>,
    /// The calls that brought passages up, once one is looked for.
    brought: std::cell::OnceCell<BTreeMap<(SourceId, u32), Step>>,
}

impl<'a> Origins<'a> {
    pub fn new(run: &'a Run, what: Step, payload: &'a Payload) -> Origins<'a> {
        let before = match what {
            Step::Handoff(no) => (no.0 as usize).saturating_sub(1),
            Step::Refused(by, turn) => crossed_before(run, by, turn),
            Step::Call(_) | Step::Exchange(_) => run.handoffs.len(),
        };
        Origins { run, what, payload, before, put: put(run, what), brought: std::cell::OnceCell::new() }
    }

    pub fn payload(&self) -> &'a Payload {
        self.payload
    }

    /// The origin of a part.
    pub fn part(&self, part: Part<'_>) -> From {
        if let Some(put) = self.put {
            let was = put.parts().find(|was| was.name() == part.name());
            // The program adds the quoted passages to the part that the person left.
            if was != Some(part) && !matches!(part.name(), PartName::Passages | PartName::LeftOut) {
                let what = if was.is_none() { "added" } else { "changed" };
                return From::new(format!("{what} by you at a breakpoint (d shows how)"), None);
            }
        }
        if let Some(from) = self.forked(part) {
            return from;
        }
        let yours = self.at_checkpoint(part);
        let first = self.run.handoffs.iter().take(self.before).find(|one| one.payload.parts().any(|of| of == part));
        match (first, yours) {
            (_, Some(yours)) => From::new(yours, first.map(|one| Step::Handoff(one.no))),
            (Some(first), None) => {
                let (from, to) = (&first.names.0, &first.names.1);
                let says = match first.from {
                    None => format!("from you, in handoff {}", first.no),
                    Some(_) => format!("from the {from}, in handoff {} to {to}", first.no),
                };
                From::new(says, Some(Step::Handoff(first.no)))
            }
            (None, None) => From::new(self.made(part), None),
        }
    }

    /// The maker of a part that nobody handed over before.
    fn made(&self, part: Part<'_>) -> String {
        let by = match self.what {
            Step::Handoff(no) => self.run.handoff(no).and_then(|handoff| handoff.from),
            Step::Refused(by, _) => Some(by),
            Step::Call(call) | Step::Exchange(call) => Some(call.assignment),
        };
        let by = by.and_then(|by| self.run.assignment(by));
        match (part, by) {
            (Part::Corpus(_), _) => "counted by the program as the run began".into(),
            (Part::LeftOut(_) | Part::Withheld(_), _) => {
                "the program: it did not fit into what the receiver takes in".into()
            }
            (Part::Passages(_), _) => "the stored sources: the passages that the findings are quoted from".into(),
            (Part::Searched(_), _) => "read by the program from the recorded searches".into(),
            (Part::Settled(_), _) => "counted by the program from the earlier reviews".into(),
            (Part::Named(_), _) => "read by the program from the question".into(),
            (Part::Briefs(_), None) => "the evaluation that asked for it".into(),
            (Part::Team(_) | Part::Length(_), _) => "the settings of the team and of the run".into(),
            (_, None) => "you".into(),
            (_, Some(by)) => match by.transcript.exchanges().rfind(|exchange| exchange.reply().is_some()) {
                Some(exchange) if by.parent().is_some() => {
                    format!("the {}, from its model's {}", by.role, describe::nth(exchange.call))
                }
                _ if self.run.is_imported() => "as it stands in the imported session".into(),
                _ => format!("put together by the {}", by.role),
            },
        }
    }

    /// The person's change of a part where the run stopped for it, if it is as they left it there.
    fn at_checkpoint(&self, part: Part<'_>) -> Option<String> {
        let mut closed = self.run.checkpoints.iter().rev().filter_map(|one| Some((one, one.answer.as_ref()?.by)));
        closed.find_map(|(one, by)| {
            let left = |what: &str, it: &str| match (one.edits.len(), by) {
                (0, Approver::Policy) => format!("as approved at the {what} checkpoint, by --yes"),
                (0, Approver::Person) => format!("as you approved {it} at the {what} checkpoint"),
                (n, _) => format!("as you left {it} at the {what} checkpoint, with {}", count(n, "change")),
            };
            match (part, &*one.subject) {
                (Part::Findings(of), Subject::Findings(approved)) => {
                    findings::approved(approved).iter().eq(of.iter()).then(|| left("findings", "them"))
                }
                (Part::Plan(of), Subject::Plan(approved)) => (of == approved).then(|| left("plan", "it")),
                (Part::Draft(of), Subject::Draft(left)) if *of == left.draft => {
                    let own = one.edits.iter().filter(|edit| !matches!(edit, Edit::Draft(draft::Edit::Remark { .. })));
                    let own = own.count();
                    (own > 0).then(|| format!("as you left it at the draft checkpoint, with {}", count(own, "change")))
                }
                _ => None,
            }
        })
    }

    fn forked(&self, part: Part<'_>) -> Option<From> {
        let forked = self.run.forked.as_ref()?;
        let instead = forked.fork.instead.as_ref()?;
        let is_this = matches!(self.what, Step::Handoff(no) if no == instead.handoff);
        let was = instead.was.parts().find(|was| was.name() == part.name());
        (is_this && was != Some(part)).then(|| {
            let what = if was.is_none() { "added" } else { "changed" };
            From::new(format!("{what} by you as the run was forked from {} (d shows how)", forked.fork.parent), None)
        })
    }

    /// The origin of a finding: its finder with the search, and the person's changes.
    pub fn finding(&self, finding: &Finding) -> From {
        of_finding(self.run, finding)
    }

    /// The findings that a sentence rests on.
    pub fn cites(&self, cites: &[FindingId]) -> Option<From> {
        let known = |id: &FindingId| {
            let own = self.payload.findings().iter().find(|finding| finding.id == *id);
            own.or_else(|| select::find(self.run, *id)).or_else(|| self.reported(*id))
        };
        let said = cites.iter().map(|id| match known(id) {
            Some(finding) => {
                let by = self.run.assignment(id.assignment).filter(|by| by.parent().is_some());
                let by = by.map_or_else(|| "you".into(), describe::name);
                let place = finding.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
                format!("{id} of {by}{place}")
            }
            None => format!("{id}, which no finding is called"),
        });
        let says = said.collect::<Vec<_>>().join("; ");
        let to = cites.iter().filter_map(known).find_map(|finding| of_finding(self.run, finding).to);
        (!cites.is_empty()).then(|| From::new(says, to))
    }

    /// A finding as its finder reported it.
    fn reported(&self, id: FindingId) -> Option<&'a Finding> {
        let (_, report) = self.run.assignment(id.assignment)?.ended.as_ref()?;
        report.payload.findings().iter().find(|finding| finding.id == id)
    }

    /// The call that brought a passage up first.
    pub fn passage(&self, source: &SourceId, block: u32) -> Option<From> {
        let brought = self.brought.get_or_init(|| brought(self.run));
        let step = *brought.get(&(source.clone(), block))?;
        let Step::Call(id) = step else { return None };
        let by = self.run.assignment(id.assignment)?;
        let call = by.transcript.calls().find(|call| call.id == id)?;
        let says = format!("{}: {}", describe::name(by), self.run.shown_by(by, &call.request));
        Some(From::new(says, Some(step)))
    }
}

/// The origin of a finding: its finder with the search, reading and answer; the person's changes.
pub fn of_finding(run: &Run, finding: &Finding) -> From {
    let Some(way) = origin::of(run, finding) else {
        return From::new(format!("your own words{}", added_at(run, finding.id)), None);
    };
    let mut said = vec![];
    said.extend(way.search.map(|call| run.shown_by(way.by, &call.request)));
    said.extend(way.read.map(|call| run.shown_by(way.by, &call.request)));
    said.extend(way.reported.map(|exchange| format!("its model's {}", describe::nth(exchange.call))));
    match finding.words_of {
        WordsOf::PersonEdited => said.push(format!("reworded by you{}", reworded_at(run, finding.id))),
        WordsOf::Person => said.push(format!("now in your own words{}", reworded_at(run, finding.id))),
        WordsOf::Tool => said.push("counted by the tool".into()),
        WordsOf::Source | WordsOf::Model => {}
    }
    said.extend(finding.kept_from.as_ref().map(|kept| format!("kept from {kept}")));
    if !finding.also.is_empty() {
        said.push(format!("with {} that say the same", finding.also.len()));
    }
    let by = describe::name(way.by);
    let says = if said.is_empty() { by } else { format!("{by}: {}", said.join(", ")) };
    let found = way.search.or(way.read).map(|call| Step::Call(call.id));
    From::new(says, found.or(way.reported.map(|exchange| Step::Exchange(exchange.call))))
}

fn added_at(run: &Run, id: FindingId) -> &'static str {
    let is_there = |findings: &[Finding]| findings.iter().any(|finding| finding.id == id);
    where_changed(run, |one| match (&*one.put, &*one.subject) {
        (Subject::Findings(put), Subject::Findings(left)) => !is_there(put) && is_there(left),
        (Subject::Stop(put), Subject::Stop(left)) => {
            let in_any = |stop: &stop::Stop| stop.payloads().iter().any(|one| is_there(one.payload.findings()));
            !in_any(put) && in_any(left)
        }
        _ => false,
    })
}

fn reworded_at(run: &Run, id: FindingId) -> &'static str {
    let claim = |findings: &[Finding]| findings.iter().find(|one| one.id == id).map(|one| one.claim.clone());
    where_changed(run, |one| match (&*one.put, &*one.subject) {
        (Subject::Findings(put), Subject::Findings(left)) => claim(put) != claim(left),
        (Subject::Stop(put), Subject::Stop(left)) => {
            let both = put.payloads().into_iter().zip(left.payloads());
            both.into_iter().any(|(put, left)| claim(put.payload.findings()) != claim(left.payload.findings()))
        }
        _ => false,
    })
}

/// The kind of checkpoint at which the person did this.
fn where_changed(run: &Run, is_it: impl Fn(&Checkpoint) -> bool) -> &'static str {
    match run.checkpoints.iter().find(|one| is_it(one)).map(|one| &*one.subject) {
        Some(Subject::Findings(_)) => ", at the findings checkpoint",
        Some(Subject::Stop(_)) => ", at a breakpoint",
        // As a run is forked, findings are changed where they cross.
        _ if run.forked.as_ref().is_some_and(|forked| forked.fork.instead.is_some()) => ", as the run was forked",
        _ => "",
    }
}

/// The number of handoffs that an assignment had seen before this turn of it.
fn crossed_before(run: &Run, by: AssignmentId, turn: usize) -> usize {
    let Some(by) = run.assignment(by) else { return 0 };
    let turns = by.transcript.turns.iter().take(turn);
    let seen = turns.flat_map(|turn| if let Did::HandOffs(sent) = &turn.did { &sent[..] } else { &[] });
    let seen = seen.flat_map(|sent| [Some(sent.handoff.no), sent.report.as_ref().map(|(_, report)| report.no)]);
    seen.flatten().chain([by.transcript.handoff.no]).map(|no| no.0 as usize).max().unwrap_or_default()
}

/// The calls that brought up each passage first: searches and readings.
fn brought(run: &Run) -> BTreeMap<(SourceId, u32), Step> {
    let mut brought = BTreeMap::new();
    for call in run.assignments().flat_map(|one| one.transcript.calls()) {
        let mut took = |source: &SourceId, block: u32| {
            brought.entry((source.clone(), block)).or_insert(Step::Call(call.id));
        };
        match call.result() {
            Some(ToolResult::Hits(hits)) => hits.hits.iter().for_each(|hit| took(&hit.source.id, hit.block)),
            Some(ToolResult::Excerpt(excerpt)) => {
                excerpt.blocks.iter().for_each(|block| took(&excerpt.source.id, block.no));
            }
            _ => {}
        }
    }
    brought
}

/// The payload that stood at a breakpoint before the one that crossed in its place.
pub fn put(run: &Run, what: Step) -> Option<&Payload> {
    let Step::Handoff(no) = what else { return None };
    let handoff = run.handoff(no)?;
    let by = handoff.from?;
    let receiver = handoff.to.and_then(|to| run.assignment(to));
    let changes = |edit: &Edit| matches!(edit, Edit::Stop(stop::Edit::Payload { .. }));
    let mut stops = run.checkpoints.iter().rev().filter(|one| one.edits.iter().any(changes));
    stops.find_map(|one| {
        let (Subject::Stop(put), left) = (&*one.put, one.stop()?) else { return None };
        let at = match &left.what {
            What::Report { by: of, .. } => (handoff.is_report() && *of == by).then_some(0),
            What::Handoffs { handoffs, .. } if one.by == by && !handoff.is_report() => {
                handoffs.iter().position(|waiting| is_of(&waiting.sending, receiver, handoff))
            }
            _ => None,
        }?;
        Some(put.payloads().get(at)?.payload)
    })
}

fn is_of(sending: &run::handoff::Sending, receiver: Option<&Assignment>, handoff: &Handoff) -> bool {
    sending.title == handoff.title
        && receiver.is_some_and(|receiver| receiver.role == sending.role && receiver.task == sending.task)
}
