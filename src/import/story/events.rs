//! The events that a story becomes, each from a moment of its course. It looks into no file.

use std::sync::Arc;

use super::course::{Course, MOST_DEPTH, Moment, Moved, course, flatten};
use super::{Agent, Asked, Did, End, Ended, Story, Used, report, run_id};
use run::attempt::{Charge, Class, Fault, Reached};
use run::budget::Draws;
use run::event::{Admission, Called, Envelope, Event, Opened, Opening};
use run::foreign::Told;
use run::model::{Form, Reply, Untouched};
use run::price::Rates;
use run::stage::{Imported, Leading};
use run::{
    Amounts, AssignmentId, At, CallId, Cap, Handoff, Limits, ModelId, ModelRequest, Money, Role, Seq, Team, ToolCall,
    ToolName, ToolResult,
};
use text::Clean;

/// The opening of a run: the facts besides the story that its events need.
pub struct Teller<'a> {
    /// The version of this program.
    pub version: &'a str,
    /// The prices of a model, where they are known.
    pub rates: &'a dyn Fn(&ModelId) -> Option<Rates>,
}

/// The facts of a story that are known before its first event is made.
struct Known {
    moved: Moved,
    /// The titles of the reports, by agent.
    titles: Vec<Clean>,
}

impl Teller<'_> {
    /// The events of a story.
    pub fn events(&self, story: Story) -> Vec<Envelope> {
        let mut events = Vec::new();
        self.each(story, &mut |envelope| events.push(envelope));
        events
    }

    /// Gives each event of a story, in order. No more of them are there at a time than are kept elsewhere, and told parts leave the
    /// story.
    pub fn each(&self, mut story: Story, take: &mut dyn FnMut(Envelope)) {
        let known = Known { moved: flatten(&mut story), titles: report::titles(&story.agents) };
        let Some(root) = story.agents.first() else { return };
        let Course { moments, ids, ends } = course(&story);
        let first = At(moments.first().map_or(root.at, |moment| moment.at.min(root.at)));
        let (mut seq, mut numbers) = (Seq(0), run::id::HandoffNo::default());
        let mut number = |at: At, mut event: Event| {
            // Handoffs are numbered in the order in which they are on record.
            let mut next = |handoff: &mut Arc<Handoff>| {
                numbers.0 += 1;
                Arc::make_mut(handoff).no = numbers;
            };
            match &mut event {
                Event::HandedOff { opened, .. } => opened.iter_mut().for_each(|opened| next(&mut opened.handoff)),
                Event::Reported { handoff, .. } => next(handoff),
                _ => {}
            }
            seq = seq.next();
            take(Envelope { seq, at, event });
        };
        let team = Team {
            name: story.origin.format.name().into(),
            landing_percent: 0,
            depth: u32::try_from(MOST_DEPTH).unwrap_or(u32::MAX),
            ..Team::default()
        };
        let opening = Opening {
            version: self.version.into(),
            origin: Some(Arc::new(story.origin.clone())),
            ..Opening::new(run_id(&story.origin), story.title.clone(), team)
        };
        number(first, Event::RunOpened(Arc::new(opening)));
        let opened = vec![root.opened(AssignmentId::ROOT, None)];
        number(first, Event::HandedOff { by: None, stage: Leading::Open.into(), why: Clean::default(), opened });
        for moment in &moments {
            if let Some(event) = self.event(&mut story, moment, (&ids, &ends), &known) {
                number(At(moment.at), event);
            }
        }
    }

    /// Makes the event of a moment, the last of whose step takes the step along.
    fn event(
        &self,
        story: &mut Story,
        moment: &Moment,
        (ids, ends): (&[AssignmentId], &[i64]),
        Known { moved, titles }: &Known,
    ) -> Option<Event> {
        let id = ids[moment.agent as usize];
        let call = |n: u32| CallId::new(id, moment.calls + n);
        let (stage, why) = (Imported::Told.into(), Clean::default());
        let agent = &mut story.agents[moment.agent as usize];
        let Some(step) = moment.step else {
            let (end, agent) = (agent.end.take()?, &story.agents[moment.agent as usize]);
            // One that has handed over to another has ended before that other; agents below end first where times are equal.
            let above = || std::iter::successors(agent.parent, |above| story.agents[*above].parent);
            let to = above().find(|above| ends[*above] >= moment.at).or(agent.parent);
            let role = |to: usize| match moved.get(&(moment.agent as usize)) {
                Some(handed_by) if agent.parent == Some(to) => handed_by.clone(),
                _ => story.agents[to].role.clone(),
            };
            let to = to.map(|to| (ids[to], role(to)));
            let title = titles[moment.agent as usize].clone();
            return Some(agent.reported(id, end, title, to));
        };
        let did = &mut agent.steps[step as usize].did;
        match did {
            Did::Noted(note) => Some(Event::Noted { by: id, note: note.clone() }),
            Did::Used(used) => match moment.part {
                0 => {
                    let calls = used.iter().zip(1..).map(|(used, n)| used.called(call(n))).collect();
                    Some(Event::ToolsCalled { by: id, stage, why, calls })
                }
                n => {
                    let event = used[n as usize - 1].ended(call(n));
                    if used.len() == 1 {
                        *did = Did::HandedOff(Vec::new());
                    }
                    event
                }
            },
            Did::Asked(asked) => {
                let event = asked.event(id, call(1), moment.began, moment.part, self.rates);
                if moment.part == asked.parts() - 1 {
                    *did = Did::HandedOff(Vec::new());
                }
                event
            }
            Did::HandedOff(to) => {
                let to = std::mem::take(to);
                let named = to.into_iter().filter(|child| ids[*child] != AssignmentId::ROOT);
                let role = &story.agents[moment.agent as usize].role;
                let by = |child: usize| Some((id, moved.get(&child).unwrap_or(role)));
                let opened = named.map(|child| story.agents[child].opened(ids[child], by(child)));
                Some(Event::HandedOff { by: Some(id), stage, why, opened: opened.collect() })
            }
        }
    }
}

impl Agent {
    fn opened(&self, id: AssignmentId, by: Option<(AssignmentId, &Clean)>) -> Opened {
        let handoff = Handoff {
            no: Default::default(),
            from: by.map(|(by, _)| by),
            to: Some(id),
            names: (by.map_or_else(|| "you".into(), |(_, role)| role.clone()), self.role.clone()),
            title: self.title.clone(),
            payload: self.payload.clone(),
        };
        let told = Some(Arc::new(Told { id: self.id.clone(), name: self.name.clone() }));
        let role = Role::new(&self.role);
        Opened { told, ..Opened::new(id, role, Limits::default(), Draws::Work, Arc::new(handoff)) }
    }

    fn reported(&self, id: AssignmentId, end: End, title: Clean, to: Option<(AssignmentId, Clean)>) -> Event {
        let handoff = Handoff {
            no: Default::default(),
            from: Some(id),
            to: to.as_ref().map(|(to, _)| *to),
            names: (self.role.clone(), to.map_or_else(|| "you".into(), |(_, role)| role)),
            title,
            payload: end.payload,
        };
        Event::Reported { by: id, outcome: end.outcome, handoff: Arc::new(handoff) }
    }
}

impl Used {
    fn called(&self, call: CallId) -> Called {
        let request = ToolCall { name: ToolName::new(&self.name), arguments: self.arguments.clone() };
        Called { call, request: Arc::new(request), admission: Admission::Reserved(Amounts::of(Cap::ToolCalls, 1)) }
    }

    fn ended(&self, call: CallId) -> Option<Event> {
        let used = Amounts::of(Cap::ToolCalls, 1);
        match &self.end {
            Ended::NotYet => None,
            Ended::At(_) => {
                Some(Event::ToolReturned { call, result: Arc::new(ToolResult::text(self.result.clone())), used })
            }
            Ended::Failed(_, error) => Some(Event::ToolFailed { call, error: error.clone(), used }),
        }
    }
}

impl Asked {
    /// The number of its events.
    fn parts(&self) -> u32 {
        match self.end {
            Ended::NotYet => 2,
            Ended::At(_) => 3,
            Ended::Failed(..) => 4,
        }
    }

    /// One of its events, by its place among them, each of which is asked for once.
    fn event(
        &mut self,
        by: AssignmentId,
        call: CallId,
        at: i64,
        part: u32,
        rates: &dyn Fn(&ModelId) -> Option<Rates>,
    ) -> Option<Event> {
        if part == 1 {
            return Some(Event::AttemptSent { call, attempt: 1 });
        }
        let usage = self.priced(rates);
        let money = usage.cost.unwrap_or(Money(0)).0;
        let used = Amounts::of(Cap::Money, money).with(Cap::Tokens, usage.total()).with(Cap::Calls, 1);
        match (part, &self.end) {
            (0, _) => {
                let request = ModelRequest {
                    model: self.model.clone(),
                    afresh: false,
                    said: std::mem::take(&mut self.said),
                    offers: Default::default(),
                    form: Form::Free,
                    max_tokens: self.max_tokens,
                    thinking: Default::default(),
                };
                let (stage, why, admission) = (Imported::Told.into(), Clean::default(), Admission::Reserved(used));
                Some(Event::ModelCalled { by, stage, why, call, request: Arc::new(request), admission })
            }
            (2, Ended::At(end)) => {
                let reply = Reply {
                    content: std::mem::take(&mut self.content),
                    raw: Untouched::default(),
                    stop: self.stop.clone(),
                    usage,
                    served_by: self.served_by.clone(),
                    request_id: self.id.clone(),
                    first_ms: self.first_ms,
                    whole_ms: At(*end).since(At(at)),
                    recorded: None,
                };
                Some(Event::ModelReplied { call, reply: Arc::new(reply), used })
            }
            (2, Ended::Failed(_, error)) => {
                let fault = Fault {
                    class: Class::Server,
                    reached: Reached::Sent,
                    what: error.clone(),
                    status: None,
                    request_id: self.id.clone(),
                    retry_after_ms: None,
                    charge: if usage.total() > 0 { Charge::AtLeast(usage) } else { Charge::Nothing },
                    partial: Clean::default(),
                };
                let (fault, doubt) = (Arc::new(fault), Amounts::default());
                Some(Event::AttemptFailed { call, attempt: 1, fault, used, doubt })
            }
            (3, Ended::Failed(_, error)) => Some(Event::ModelFailed { call, error: error.clone() }),
            _ => None,
        }
    }
}
