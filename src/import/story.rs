//! A run as it was told elsewhere, and the events that it becomes: the one way from every importer into the fold.
//!
//! Clocks run backwards in such files. Within an assignment the order of its records counts, and a time that goes back is
//! taken to be the one before it; nothing of an assignment happens before it was handed out.

mod report;

use std::collections::BTreeMap;
use std::sync::Arc;

use run::attempt::{Charge, Class, Fault, Reached};
use run::budget::Draws;
use run::event::{Admission, Called, Envelope, Event, Opened, Opening};
use run::foreign::{Note, Origin, Pricing, Told};
use run::model::{Content, Form, Reply, Said, StopReason, Untouched, Usage};
use run::price::Rates;
use run::stage::{Imported, Leading};
use run::tool::CleanJson;
use run::{
    Amounts, AssignmentId, At, CallId, Cap, Handoff, Limits, ModelId, ModelRequest, Money, Outcome, Payload, Role,
    RunId, Seq, Team, ToolCall, ToolName, ToolResult, Work,
};
use text::Clean;
use text::hash::{SEED, hash};

/// The most text of one handoff, message or result that is kept, in bytes.
pub const MOST_TEXT: usize = 64 * 1024;

/// Text from outside; longer text than [`MOST_TEXT`] is cut, and its size is said.
pub fn kept(text: &str) -> Clean {
    match text.len() <= MOST_TEXT {
        true => Clean::new(text),
        false => {
            let head = &text[..text.floor_char_boundary(MOST_TEXT)];
            Clean::new(&format!("{head}\n[cut here: {} bytes in all]", text.len()))
        }
    }
}

/// The most of a name, or of a title, that is kept, in bytes.
const MOST_NAME: usize = 512;

/// A name from outside in one line; a longer one than [`MOST_NAME`] is cut, and that shows. Names are told again and again.
pub fn named(text: &str) -> Clean {
    match text.len() <= MOST_NAME {
        true => Clean::line(text),
        false => Clean::line(&format!("{}…", &text[..text.floor_char_boundary(MOST_NAME)])),
    }
}

/// A run that another program led, as an importer tells it.
#[derive(Clone, Debug)]
pub struct Story {
    /// The program and the files that it comes from, and its gaps.
    pub origin: Origin,
    /// The title of the run, one line: the task, where that is told.
    pub title: Clean,
    /// All agents of the run: the first is the root, and parents stand before their children.
    pub agents: Vec<Agent>,
}

/// An agent of the run, with all it did.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its id in the other program; empty if it has none.
    pub id: Clean,
    /// The index of the agent that handed it its work; None for the root.
    pub parent: Option<usize>,
    /// Its role, as the other program names it.
    pub role: Clean,
    /// The name of this one agent, as the other program shows it; the role where agents have no names of their own.
    pub name: Clean,
    /// The time at which it was handed its work, in milliseconds since 1970.
    pub at: i64,
    /// A title for its work, in a few words.
    pub title: Clean,
    /// The work it was handed.
    pub payload: Payload,
    /// Its steps, in order of time.
    pub steps: Vec<Step>,
    /// The end; None while it is at work.
    pub end: Option<End>,
}

/// The end of an agent.
#[derive(Clone, Debug)]
pub struct End {
    /// The time of its end, in milliseconds since 1970.
    pub at: i64,
    /// Whether it succeeded; with the reason, if it failed.
    pub outcome: Outcome,
    /// The result that it gave back.
    pub payload: Payload,
}

/// A step of an agent.
#[derive(Clone, Debug)]
pub struct Step {
    /// The time of its beginning, in milliseconds since 1970.
    pub at: i64,
    /// The action of the agent.
    pub did: Did,
}

/// The action of an agent in a step.
#[derive(Clone, Debug)]
pub enum Did {
    /// A model was asked.
    Asked(Box<Asked>),
    /// Tools were used, side by side.
    Used(Vec<Used>),
    /// Work was handed to these agents, by their places in [`Story::agents`].
    HandedOff(Vec<usize>),
    /// Anything else that the transcript is to show.
    Noted(Note),
}

/// A model call.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The model that was asked.
    pub model: ModelId,
    /// The messages that are new: without those of the call before it, and without the answers of the model.
    pub said: Vec<Said>,
    /// The most tokens that were asked for; 0 if that was not told.
    pub max_tokens: u32,
    /// The answer, in its parts.
    pub content: Vec<Content>,
    /// The reason why the model stopped.
    pub stop: StopReason,
    /// The tokens that it took, and its cost if that was told.
    pub usage: Usage,
    /// The model that answered.
    pub served_by: Clean,
    /// The provider's id of the answer.
    pub id: Option<Clean>,
    /// Milliseconds to the first piece of the answer; 0 if that was not told.
    pub first_ms: u64,
    /// The end.
    pub end: Ended,
}

/// The end of a call.
#[derive(Clone, Debug)]
pub enum Ended {
    /// It has not ended, as far as was told.
    NotYet,
    /// It came back at this time, in milliseconds since 1970.
    At(i64),
    /// It failed at this time, in milliseconds since 1970, for this reason.
    Failed(i64, Clean),
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Used {
    /// The name of the tool.
    pub name: Clean,
    /// Its arguments.
    pub arguments: CleanJson,
    /// Its result, as text.
    pub result: Clean,
    /// The end.
    pub end: Ended,
}

/// The most levels below the root that a name has room for.
const MOST_DEPTH: usize = AssignmentId::MOST_STEPS;

/// The opening of a run: the facts besides the story that its events need.
pub struct Teller<'a> {
    /// The version of this program.
    pub version: &'a str,
    /// The prices of a model, where they are known.
    pub rates: &'a dyn Fn(&ModelId) -> Option<Rates>,
}

/// The id of the run that a story becomes: the same however often it is read.
pub fn run_id(origin: &Origin) -> RunId {
    let of = |seed: u64| hash(seed, origin.format.name().bytes().chain([0]).chain(origin.id.bytes()));
    let bytes = (of(SEED) ^ of(0x9e37_79b9_7f4a_7c15).rotate_left(17)).to_le_bytes();
    RunId::from_random([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4] ^ bytes[6], bytes[5] ^ bytes[7]])
}

/// One event before it is made: which part of which step of which agent it is, and when. There are millions of them.
struct Moment {
    at: i64,
    agent: u32,
    /// None for the report of the agent.
    step: Option<u32>,
    /// 0 for beginnings, and so on.
    part: u32,
    /// The time at which the step began.
    began: i64,
    /// The number of the last call before it.
    calls: u32,
}

impl Moment {
    /// The order of moments at one time: steps by agent, then reports from the deepest up.
    fn rank(&self) -> (bool, i64) {
        match self.step {
            Some(_) => (false, i64::from(self.agent)),
            None => (true, -i64::from(self.agent)),
        }
    }
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

/// The course of a story.
struct Course {
    /// Its moments in order.
    moments: Vec<Moment>,
    /// The name of each agent: the root's for those deeper than names have room for.
    ids: Vec<AssignmentId>,
    /// The time at which each agent ends; the last of all times for those at work.
    ends: Vec<i64>,
}

fn course(story: &Story) -> Course {
    let mut unfolding = Unfolding::of(story);
    for (index, agent) in story.agents.iter().enumerate() {
        unfolding.agent(index, agent);
    }
    let ends = unfolding.ends(story);
    let Unfolding { mut moments, ids, .. } = unfolding;
    moments.sort_by_key(|moment| (moment.at, moment.rank()));
    Course { moments, ids, ends }
}

/// A course as it is made, agent by agent.
struct Unfolding {
    moments: Vec<Moment>,
    ids: Vec<AssignmentId>,
    opened_at: Vec<i64>,
    /// The latest moment of each agent and of all below it.
    last: Vec<i64>,
}

impl Unfolding {
    fn of(story: &Story) -> Unfolding {
        let agents = story.agents.len();
        let parts = |step: &Step| match &step.did {
            Did::Noted(_) | Did::HandedOff(_) => 1,
            Did::Used(used) => used.len() + 1,
            Did::Asked(_) => 4,
        };
        let most = story.agents.iter().map(|agent| 1 + agent.steps.iter().map(parts).sum::<usize>()).sum();
        let mut opened_at = vec![0; agents];
        if let (Some(first), Some(root)) = (opened_at.first_mut(), story.agents.first()) {
            *first = root.at;
        }
        let (ids, last) = (vec![AssignmentId::ROOT; agents], vec![i64::MIN; agents]);
        Unfolding { moments: Vec::with_capacity(most), ids, opened_at, last }
    }

    /// The moments of an agent's steps. Those that it hands work to have their names and beginnings from here.
    fn agent(&mut self, index: usize, agent: &Agent) {
        let (mut now, id) = (self.opened_at[index], self.ids[index]);
        let (mut calls, mut handed) = (0, 0);
        for (n, step) in agent.steps.iter().enumerate() {
            now = now.max(step.at);
            let mut push = |at: i64, part: usize| {
                let at = at.max(now);
                self.last[index] = self.last[index].max(at);
                let (agent, step, part) = (index as u32, Some(n as u32), part as u32);
                self.moments.push(Moment { at, agent, step, part, began: now, calls });
            };
            push(now, 0);
            match &step.did {
                Did::Noted(_) => {}
                Did::Used(used) => {
                    for (used, part) in used.iter().zip(1..) {
                        if let Ended::At(at) | Ended::Failed(at, _) = used.end {
                            push(at, part);
                        }
                    }
                    calls += used.len() as u32;
                }
                Did::Asked(asked) => {
                    let end = match asked.end {
                        Ended::NotYet => None,
                        Ended::At(at) => Some((at, 1)),
                        Ended::Failed(at, _) => Some((at, 2)),
                    };
                    push(now, 1);
                    if let Some((at, parts)) = end {
                        (0..parts).for_each(|part| push(at, 2 + part));
                        // The next step follows from the answer.
                        now = now.max(at);
                    }
                    calls += 1;
                }
                Did::HandedOff(to) => {
                    for child in to {
                        handed += 1;
                        let Some(name) = id.child(Work::Step(handed), 1) else { continue };
                        (self.ids[*child], self.opened_at[*child]) = (name, now);
                    }
                }
            }
        }
        self.last[index] = self.last[index].max(now);
    }

    /// The moments at which agents end, and when each does.
    fn ends(&mut self, story: &Story) -> Vec<i64> {
        let mut ends = vec![i64::MAX; story.agents.len()];
        // Agents below end first: later ones stand behind those that they belong to.
        for (index, agent) in story.agents.iter().enumerate().rev() {
            let mut at = self.last[index];
            if let Some(end) = &agent.end {
                at = at.max(end.at);
                ends[index] = at;
                self.moments.push(Moment { at, agent: index as u32, step: None, part: 0, began: at, calls: 0 });
            }
            if let Some(parent) = agent.parent {
                // One that was still at work when its parent ended does not keep it.
                if agent.end.is_some() && story.agents[parent].end.as_ref().is_none_or(|end| end.at >= at) {
                    self.last[parent] = self.last[parent].max(at);
                }
            }
        }
        ends
    }
}

/// The facts of a story that are known before its first event is made.
struct Known {
    moved: Moved,
    /// The titles of the reports, by agent.
    titles: Vec<Clean>,
}

/// The role of the agent that handed out each of those that are shown below another.
type Moved = BTreeMap<usize, Clean>;

/// Agents that stand deeper than a name has room for are shown below the deepest that it has, and that is said. Agents that
/// nobody handed out are handed out by their parent when they began.
fn flatten(story: &mut Story) -> Moved {
    let mut depth = vec![0; story.agents.len()];
    let mut moved = Moved::new();
    let mut handed = vec![false; story.agents.len()];
    for index in 1..story.agents.len() {
        let mut parent = story.agents[index].parent.filter(|parent| *parent < index).unwrap_or(0);
        while depth[parent] >= MOST_DEPTH {
            parent = story.agents[parent].parent.unwrap_or(0);
        }
        if story.agents[index].parent != Some(parent) {
            let handed_by = story.agents[index].parent.filter(|by| *by < index).unwrap_or(0);
            moved.insert(index, story.agents[handed_by].role.clone());
            story.agents[index].parent = Some(parent);
        }
        depth[index] = depth[parent] + 1;
    }
    let parents: Vec<Option<usize>> = story.agents.iter().map(|agent| agent.parent).collect();
    for (index, agent) in story.agents.iter_mut().enumerate() {
        for step in &mut agent.steps {
            if let Did::HandedOff(to) = &mut step.did {
                to.retain(|child| {
                    parents.get(*child) == Some(&Some(index)) && !std::mem::replace(&mut handed[*child], true)
                });
            }
        }
        agent.steps.retain(|step| !matches!(&step.did, Did::HandedOff(to) if to.is_empty()));
    }
    let mut added: BTreeMap<usize, Vec<Step>> = BTreeMap::new();
    for index in (1..story.agents.len()).filter(|index| !handed[*index]) {
        let (at, parent) = (story.agents[index].at, parents[index].unwrap_or(0));
        added.entry(parent).or_default().push(Step { at, did: Did::HandedOff(vec![index]) });
    }
    for (parent, steps) in added {
        add(&mut story.agents[parent].steps, steps);
    }
    if !moved.is_empty() {
        let remark = format!(
            "{} stood deeper than {MOST_DEPTH} levels: they are shown below the deepest there is, each from the one that started it",
            moved.len()
        );
        story.origin.remarks.push(remark.into());
    }
    moved
}

/// Puts each step before the first that is later, all at once: there may be as many as there are spans in a trace.
fn add(steps: &mut Vec<Step>, mut more: Vec<Step>) {
    more.sort_by_key(|step| step.at);
    let mut more = more.into_iter().peekable();
    let mut all = Vec::with_capacity(steps.len() + more.len());
    for step in steps.drain(..) {
        while let Some(earlier) = more.next_if(|more| more.at < step.at) {
            all.push(earlier);
        }
        all.push(step);
    }
    all.extend(more);
    *steps = all;
}

impl Story {
    /// The share of its calls with a known price, an estimated one, and none.
    pub fn pricing(&self, rates: &dyn Fn(&ModelId) -> Option<Rates>) -> Pricing {
        let mut pricing = Pricing::default();
        for step in self.agents.iter().flat_map(|agent| &agent.steps) {
            if let Did::Asked(asked) = &step.did
                && !matches!(asked.end, Ended::NotYet)
            {
                pricing.count(&asked.priced(rates));
            }
        }
        pricing
    }
}

impl Agent {
    /// Puts steps without a time of their own, or with one before the run, at this time (ms since 1970).
    pub(crate) fn begins_at_least(&mut self, begun: i64) {
        self.at = self.at.max(begun);
        self.steps.iter_mut().for_each(|step| step.at = step.at.max(begun));
        self.end.iter_mut().for_each(|end| end.at = end.at.max(begun));
    }

    /// The first message of its first model call.
    pub(crate) fn told_first(&self) -> Option<&Clean> {
        let asked =
            self.steps.iter().find_map(|step| if let Did::Asked(asked) = &step.did { Some(asked) } else { None });
        asked?.said.iter().find_map(|said| if let Said::User { text } = said { Some(text) } else { None })
    }

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

    /// Its tokens with their price: the recorded one, or else by the table of prices.
    fn priced(&self, rates: &dyn Fn(&ModelId) -> Option<Rates>) -> Usage {
        let mut usage = self.usage;
        if usage.cost.is_none() && usage.total() > 0 {
            let named = ModelId { provider: self.model.provider.clone(), model: self.served_by.clone() };
            let rates = rates(&self.model).or_else(|| rates(&named));
            usage.cost = rates.map(|rates| rates.cost(&usage));
            usage.cost_estimated = usage.cost.is_some();
        }
        usage
    }
}

/// Kinds that a program does not know, counted by their own names.
#[derive(Clone, Debug, Default)]
pub struct Unknown(pub BTreeMap<Clean, u64>);

impl Unknown {
    /// The most that are distinguished by name.
    const MOST: usize = 40;

    /// Counts one more of a kind.
    pub fn count(&mut self, kind: &str) {
        let name: Clean = Clean::line(kind).chars().take(60).collect::<String>().into();
        let name = if self.0.len() >= Unknown::MOST && !self.0.contains_key(&name) { "others".into() } else { name };
        *self.0.entry(name).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_added_stand_before_the_first_that_is_later() {
        let steps = |times: &[i64]| -> Vec<Step> {
            times.iter().zip(0..).map(|(at, n)| Step { at: *at, did: Did::HandedOff(vec![n]) }).collect()
        };
        let names = |steps: &[Step]| -> Vec<(i64, String)> {
            steps.iter().map(|step| (step.at, format!("{:?}", step.did))).collect()
        };
        // Clocks run backwards in some of them.
        let known: [&[i64]; 4] = [&[], &[1, 2, 3], &[3, 1, 2, 2], &[2, 2, 5, 1]];
        let more: [&[i64]; 4] = [&[], &[2], &[4, 0, 2, 2], &[9, 3, 1, 3]];
        for (known, more) in known.iter().flat_map(|known| more.map(|more| (known, more))) {
            let (mut together, mut expected) = (steps(known), steps(known));
            for step in steps(more) {
                let place = expected.iter().position(|known| known.at > step.at).unwrap_or(expected.len());
                expected.insert(place, step);
            }
            add(&mut together, steps(more));
            assert_eq!(names(&together), names(&expected), "{known:?}, {more:?}");
        }
    }
}
