//! Breakpoints: the conditions that stop a run, stored with the run, and the check whether an event or handoff meets
//! one.
//!
//! Pure: nothing here stops anything. The caller checks a handoff before it is delivered, and every other event right
//! after it is recorded, before the run acts on it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::budget::{Cap, Limits, Money};
use super::checkpoint::Subject;
use super::event::{Event, NAMES};
use super::handoff::{Ended, Outcome, Payload};
use super::id::{AsShown, AssignmentId, Role};
use super::team::Team;
use super::tool::ToolName;
use text::Clean;

/// The number of a breakpoint in its run, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BreakpointNo(pub u32);

impl fmt::Display for BreakpointNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An active breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number; never reused in the run.
    pub no: BreakpointNo,
    /// The condition that stops the run.
    pub on: Condition,
}

/// The condition that stops a run, as the person types it: `handoff:writer`, `cost:0.10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A handoff of work or of a report, between the given roles.
    Handoff {
        /// The sending role; None for any.
        from: Option<Role>,
        /// The receiving role; None for any.
        to: Option<Role>,
    },
    /// An assignment reports.
    Report(AssignmentId),
    /// A reviewer or gate reports this verdict.
    Verdict {
        /// True for PASS, false for REVISE.
        passes: bool,
    },
    /// An assignment is about to report this outcome.
    Outcome(Ended),
    /// A specialist calls this tool; the call is not sent yet.
    Tool(ToolName),
    /// A specialist calls a tool or a model; the call is not sent yet.
    Call,
    /// An event with this name is recorded; None for any.
    Event(Option<Clean>),
    /// The cost of the run reaches this amount, calls in doubt included.
    Cost(Money),
}

/// A handoff from one assignment to another, before it crosses or after.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<'a> {
    /// The sending role; None for the person.
    pub from: Option<&'a Role>,
    /// The receiving role; None for the person.
    pub to: Option<&'a Role>,
    /// The payload that crosses.
    pub payload: &'a Payload,
    /// The reporting assignment and its outcome; None where work is handed out.
    pub report: Option<(AssignmentId, &'a Outcome)>,
}

impl Condition {
    /// Whether this handoff meets the condition.
    pub(crate) fn is_crossed(&self, crossing: &Crossing<'_>) -> bool {
        let is = |wanted: &Option<Role>, role: Option<&Role>| wanted.as_ref().is_none_or(|wanted| Some(wanted) == role);
        match (self, crossing.report) {
            (Condition::Handoff { from, to }, _) => is(from, crossing.from) && is(to, crossing.to),
            (Condition::Report(id), Some((by, _))) => *id == by,
            (Condition::Outcome(ended), Some((_, outcome))) => *ended == outcome.ended(),
            // The brief goes out with verdicts that were reported before.
            (Condition::Verdict { passes }, Some((by, _))) => {
                by != AssignmentId::ROOT
                    && crossing.payload.verdicts().iter().any(|verdict| verdict.passes() == *passes)
            }
            _ => false,
        }
    }

    /// Whether a recorded event meets the condition. `cost` is the cost of the run before and after the event.
    pub(crate) fn has_happened(&self, event: &Event, cost: (Money, Money)) -> bool {
        match self {
            Condition::Tool(name) => {
                matches!(event, Event::ToolsCalled { calls, .. } if calls.iter().any(|call| call.request.name == *name))
            }
            Condition::Call => matches!(event, Event::ToolsCalled { .. } | Event::ModelCalled { .. }),
            Condition::Event(None) => true,
            Condition::Event(Some(name)) => event.name() == name.as_str(),
            Condition::Cost(most) => cost.0 < *most && *most <= cost.1,
            _ => false,
        }
    }

    /// The reason why a run of this team under these caps can never meet the condition; None if it can.
    pub fn flaw(&self, team: &Team, limits: Limits, spent: Money) -> Option<String> {
        let unknown = |role: &Role| {
            let roles: Vec<&str> = team.members.keys().map(Role::as_str).collect();
            (!team.members.contains_key(role))
                .then(|| format!("there is no specialist `{role}` in the team; there are: {}", roles.join(", ")))
        };
        match self {
            Condition::Handoff { from, to } => from.iter().chain(to).find_map(unknown),
            Condition::Tool(name) => {
                let used = team.members.values().flat_map(|member| &member.tools);
                let tools: std::collections::BTreeSet<&str> = used.map(ToolName::as_str).collect();
                (!tools.contains(name.as_str())).then(|| {
                    let tools: Vec<&str> = tools.into_iter().collect();
                    format!("no specialist of the team has a tool `{}`; there are: {}", name.as_str(), tools.join(", "))
                })
            }
            Condition::Event(Some(name)) if YOUR_OWN.contains(&name.as_str()) => {
                Some(format!("no run stops at `{name}`: it is your own action, or the opening of the run"))
            }
            Condition::Event(Some(name)) => {
                let stops: Vec<&str> = NAMES.iter().copied().filter(|name| !YOUR_OWN.contains(name)).collect();
                (!stops.contains(&name.as_str()))
                    .then(|| format!("there is no event `{name}`; there are: {}", stops.join(", ")))
            }
            Condition::Cost(most) if team.thinks_with().is_none() => {
                Some(format!("the team uses no model, so the run costs nothing and never reaches {most}"))
            }
            Condition::Cost(most) if *most <= spent => {
                Some(format!("the run has cost {spent} already: a breakpoint at {most} is behind it"))
            }
            Condition::Cost(most) => {
                let cap = limits.cap(Cap::Money).map(Money).filter(|cap| cap < most)?;
                Some(format!("the money cap is {cap}: the run ends before it costs {most}"))
            }
            Condition::Report(_)
            | Condition::Verdict { .. }
            | Condition::Outcome(_)
            | Condition::Call
            | Condition::Event(None) => None,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Handoff { from: None, to: None } => f.write_str("handoff"),
            Condition::Handoff { from: None, to: Some(to) } => write!(f, "handoff:{to}"),
            Condition::Handoff { from: Some(from), to: None } => write!(f, "from:{from}"),
            Condition::Handoff { from: Some(from), to: Some(to) } => write!(f, "from:{from},handoff:{to}"),
            Condition::Report(id) => write!(f, "report:{id}"),
            Condition::Verdict { passes: true } => f.write_str("verdict:pass"),
            Condition::Verdict { passes: false } => f.write_str("verdict:revise"),
            Condition::Outcome(ended) => write!(f, "outcome:{ended}"),
            Condition::Tool(name) => write!(f, "tool:{}", name.as_str()),
            Condition::Call => f.write_str("call"),
            Condition::Event(None) => f.write_str("event"),
            Condition::Event(Some(name)) => write!(f, "event:{name}"),
            // All digits, so that parsing gives the same amount.
            Condition::Cost(most) => {
                let digits = format!("{}.{:012}", most.0 / DOLLAR, most.0 % DOLLAR);
                write!(f, "cost:{}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

/// Events at which no run stops: those of the person, and the opening of the run.
const YOUR_OWN: [&str; 10] = [
    "run_opened",
    "attached",
    "breakpoint_set",
    "breakpoint_cleared",
    "checkpoint_edited",
    "checkpoint_answered",
    "cap_raised",
    "paused",
    "continued",
    "cancelled",
];

/// Whether a run may stop at an event. The event of a stop itself is excluded.
pub(crate) fn may_stop_at(event: &Event) -> bool {
    let is_stop = matches!(event, Event::CheckpointOpened { subject, .. } if matches!(**subject, Subject::Stop(_)));
    !is_stop && !YOUR_OWN.contains(&event.name())
}

/// A dollar in pico-dollars.
const DOLLAR: u64 = 1_000_000_000_000;

/// The accepted forms, for error messages.
const FORMS: &str = "write handoff:ROLE, from:ROLE, verdict:pass, verdict:revise, outcome:failed, tool:NAME, event:NAME, \
                     cost:DOLLARS, or handoff, call or event alone for any";

impl FromStr for Condition {
    type Err = String;

    fn from_str(written: &str) -> Result<Condition, String> {
        let wrong = || format!("`{}` is no breakpoint: {FORMS}", Clean::line(written));
        let written = written.trim();
        if let Some((from, to)) = written.strip_prefix("from:").and_then(|rest| rest.split_once(",handoff:")) {
            return Ok(Condition::Handoff { from: Some(role(from)?), to: Some(role(to)?) });
        }
        let (what, which) = match written.split_once(':') {
            Some((what, which)) => (what, Some(which.trim())),
            None => (written, None),
        };
        Ok(match (what, which) {
            ("handoff", None) => Condition::Handoff { from: None, to: None },
            ("handoff", Some(to)) => Condition::Handoff { from: None, to: Some(role(to)?) },
            ("from", Some(from)) => Condition::Handoff { from: Some(role(from)?), to: None },
            ("report", Some(id)) => Condition::Report(id.parse()?),
            ("verdict", Some("pass")) => Condition::Verdict { passes: true },
            ("verdict", Some("revise")) => Condition::Verdict { passes: false },
            ("outcome", Some(word)) => {
                let ended = Ended::ALL.into_iter().find(|known| known.to_string() == word);
                Condition::Outcome(ended.ok_or_else(|| {
                    let words = Ended::ALL.map(|known| known.to_string()).join(", ");
                    format!("work does not end `{}`; it ends: {words}", Clean::line(word))
                })?)
            }
            ("tool", Some(name)) if !name.is_empty() => Condition::Tool(ToolName::new(name)),
            ("call", None) => Condition::Call,
            ("event", None) => Condition::Event(None),
            ("event", Some(name)) if !name.is_empty() => Condition::Event(Some(Clean::line(name))),
            ("cost", Some(most)) => match most.parse()? {
                Money(0) => return Err("a run has cost $0 from its beginning: write more, as in cost:0.10".into()),
                most => Condition::Cost(most),
            },
            _ => return Err(wrong()),
        })
    }
}

fn role(name: &str) -> Result<Role, String> {
    match name.trim() {
        "" => Err(format!("which specialist? {FORMS}")),
        name => Ok(Role::new(&Clean::line(name))),
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_newtype_struct("Condition", &AsShown(self))
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::verdict::{Concern, Issue};

    fn on(written: &str) -> Condition {
        written.parse().unwrap_or_else(|why| panic!("{written}: {why}"))
    }

    #[test]
    fn a_condition_is_read_back_as_it_is_written() {
        for written in [
            "handoff",
            "handoff:writer",
            "from:researcher",
            "from:merger,handoff:supervisor",
            "report:0.t2~2",
            "verdict:pass",
            "verdict:revise",
            "outcome:nothing-found",
            "tool:search",
            "call",
            "event",
            "event:plan_adopted",
            "cost:0.1",
            "cost:2",
            "cost:0.000000000001",
        ] {
            assert_eq!(on(written).to_string(), written);
            let json = serde_json::to_value(on(written)).unwrap();
            assert_eq!(serde_json::from_value::<Condition>(json).unwrap(), on(written));
        }
        assert_eq!(on("cost:$0.10"), on("cost:0.1"));
    }

    #[test]
    fn what_is_no_condition_is_refused_with_what_can_be_written() {
        for (written, says) in [
            ("", "write handoff:ROLE"),
            ("writer", "write handoff:ROLE"),
            ("handoff:", "which specialist?"),
            ("verdict:maybe", "verdict:revise"),
            ("outcome:lost", "it ends: done, partial, nothing-found"),
            ("cost:much", "as in 0.50"),
            ("cost:0", "cost:0.10"),
            ("tool:", "tool:NAME"),
        ] {
            let why = written.parse::<Condition>().unwrap_err();
            assert!(why.contains(says), "{written}: {why}");
        }
    }

    #[test]
    fn a_breakpoint_that_can_never_hit_is_said_to_be_one() {
        let team = Team::sample();
        let capped = Limits::of(Cap::Money, Money::micros(50_000).0);
        for (written, says) in [
            ("handoff:wirter", "there is no specialist `wirter` in the team; there are:"),
            ("from:nobody", "there is no specialist `nobody`"),
            ("tool:serach", "no specialist of the team has a tool `serach`; there are:"),
            ("event:plan_adoptd", "there is no event `plan_adoptd`"),
            ("cost:0.10", "uses no model"),
        ] {
            let why = on(written).flaw(&team, capped, Money(0)).unwrap_or_else(|| panic!("{written} may hit"));
            assert!(why.contains(says), "{written}: {why}");
        }
        assert!(on("event:paused").flaw(&team, capped, Money(0)).unwrap().contains("your own action"));
        assert_eq!(on("handoff:writer").flaw(&team, capped, Money(0)), None);
    }

    #[test]
    fn a_crossing_meets_the_conditions_on_its_ends_its_verdict_and_its_outcome() {
        let (researcher, supervisor) = (Role::new(Role::RESEARCHER), Role::new(Role::SUPERVISOR));
        let blocking = Issue::new(Concern::Clarity, "unclear", None, vec![]);
        let revise = Verdict { issues: vec![blocking], checks: vec![] };
        let payload = Payload { verdicts: Some(vec![revise]), ..Payload::default() };
        let (id, failed) = (AssignmentId::nth(1), Outcome::Failed("no".into()));
        let report =
            Crossing { from: Some(&researcher), to: Some(&supervisor), payload: &payload, report: Some((id, &failed)) };
        let work = Crossing { from: Some(&supervisor), to: Some(&researcher), payload: &payload, report: None };
        for (written, of_report, of_work) in [
            ("handoff", true, true),
            ("handoff:supervisor", true, false),
            ("handoff:researcher", false, true),
            ("from:researcher", true, false),
            ("from:supervisor,handoff:researcher", false, true),
            ("report:0.1", true, false),
            ("report:0.2", false, false),
            ("outcome:failed", true, false),
            ("outcome:done", false, false),
            ("verdict:revise", true, false),
            ("verdict:pass", false, false),
            ("call", false, false),
        ] {
            let met = (on(written).is_crossed(&report), on(written).is_crossed(&work));
            assert_eq!(met, (of_report, of_work), "{written}");
        }
    }

    #[test]
    fn a_cost_is_met_once_by_the_event_that_passes_it() {
        let cents = |n: u64| Money::micros(n * 10_000);
        let met = |before, after| on("cost:0.10").has_happened(&Event::Paused, (cents(before), cents(after)));
        assert_eq!([met(0, 9), met(9, 10), met(9, 30), met(10, 11)], [false, true, true, false]);
    }
}
