//! A run as it was told elsewhere, and the events that it becomes: the one way from every importer into the fold.
//!
//! Clocks run backwards in such files. Within an assignment the order of its records counts, and a time that goes back is
//! taken to be the one before it; nothing of an assignment happens before it was handed out.

use std::collections::BTreeMap;
use std::sync::Arc;

use run::attempt::{Charge, Class, Fault, Reached};
use run::budget::Draws;
use run::event::{Admission, Called, Envelope, Event, Opened, Opening};
use run::foreign::{Note, Origin, Told};
use run::model::{Content, Form, Reply, Said, Stop, Untouched, Usage};
use run::price::Rates;
use run::stage::{Imported, Leading};
use run::tool::CleanJson;
use run::{
    Amounts, AssignmentId, At, CallId, Cap, Handoff, Limits, ModelId, ModelRequest, Money, Outcome, Payload, Role,
    RunId, Seq, Team, ToolCall, ToolName, ToolResult, Work,
};
use text::Clean;

/// The most text of one handoff, message or result that is kept, in bytes.
pub const MOST_TEXT: usize = 64 * 1024;

/// Text from outside; what is longer than [`MOST_TEXT`] is cut, and its size is said.
pub fn kept(text: &str) -> Clean {
    match text.len() <= MOST_TEXT {
        true => Clean::new(text),
        false => {
            let head = &text[..text.floor_char_boundary(MOST_TEXT)];
            Clean::new(&format!("{head}\n[cut here: {} bytes in all]", text.len()))
        }
    }
}

/// A run that another program led. The first agent is its root, and each stands behind the one that it belongs to.
#[derive(Clone, Debug)]
pub struct Story {
    /// Where it comes from.
    pub origin: Origin,
    /// What it was about, in a line.
    pub title: Clean,
    /// The agent.
    pub agents: Vec<Agent>,
}

/// One that was at work in it.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its id there.
    pub id: Clean,
    /// The index of the agent that handed it its work; None for the root.
    pub parent: Option<usize>,
    /// What it is there.
    pub role: Clean,
    /// What it was called there.
    pub name: Clean,
    /// When it was handed its work (ms since 1970).
    pub at: i64,
    /// What it was handed, in a few words.
    pub title: Clean,
    /// The work it was handed.
    pub payload: Payload,
    /// What it did, in order.
    pub steps: Vec<Step>,
    /// How it ended; None while it is at work.
    pub end: Option<End>,
}

/// How one ended.
#[derive(Clone, Debug)]
pub struct End {
    /// When.
    pub at: i64,
    /// How.
    pub outcome: Outcome,
    /// What it gave back.
    pub payload: Payload,
}

/// A step of one.
#[derive(Clone, Debug)]
pub struct Step {
    /// When it began.
    pub at: i64,
    /// What it was.
    pub did: Did,
}

/// What was done in a step.
#[derive(Clone, Debug)]
pub enum Did {
    /// A model was asked.
    Asked(Box<Asked>),
    /// Tools were used, side by side.
    Used(Vec<Used>),
    /// Work was handed to these, by index.
    HandedOff(Vec<usize>),
    /// Something else was told.
    Noted(Note),
}

/// A model call.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Of which model.
    pub model: ModelId,
    /// What was said that had not been said before.
    pub said: Vec<Said>,
    /// The most tokens that were asked for; 0 if that was not told.
    pub max_tokens: u32,
    /// What it answered.
    pub content: Vec<Content>,
    /// Why it stopped.
    pub stop: Stop,
    /// What it took.
    pub usage: Usage,
    /// The model that answered.
    pub served_by: Clean,
    /// Its id there.
    pub id: Option<Clean>,
    /// Milliseconds to the first piece of the answer; 0 if that was not told.
    pub first_ms: u64,
    /// How it ended.
    pub end: Ended,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// It has not, as far as was told.
    NotYet,
    /// It came back.
    At(i64),
    /// It failed, for this reason.
    Failed(i64, Clean),
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Used {
    /// Of which tool.
    pub name: Clean,
    /// What it was asked.
    pub arguments: CleanJson,
    /// What it brought.
    pub result: Clean,
    /// How it ended.
    pub end: Ended,
}

/// The most levels below the root that a name has room for.
const MOST_DEPTH: usize = AssignmentId::MOST_STEPS;

/// The opening of a run: what its events need besides the story.
pub struct Teller<'a> {
    /// The version of this program.
    pub version: &'a str,
    /// The prices of a model, where they are known.
    pub rates: &'a dyn Fn(&ModelId) -> Option<Rates>,
}

/// The id of the run that a story becomes: the same however often it is read.
pub fn run_id(origin: &Origin) -> RunId {
    // FNV-1a: a name, not a secret.
    let of = |seed: u64| {
        let name = origin.format.name().bytes().chain([0]).chain(origin.id.bytes());
        name.fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let bytes = (of(0xcbf2_9ce4_8422_2325) ^ of(0x9e37_79b9_7f4a_7c15).rotate_left(17)).to_le_bytes();
    RunId::from_random([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4] ^ bytes[6], bytes[5] ^ bytes[7]])
}

/// An event before it has its number.
struct Moment {
    at: i64,
    /// What comes first of what happens at one moment: steps by agent, then reports from the deepest up.
    rank: (bool, i64),
    event: Event,
}

impl Teller<'_> {
    /// The events of a story.
    pub fn events(&self, mut story: Story) -> Vec<Envelope> {
        flatten(&mut story);
        let mut opened_at = vec![0; story.agents.len()];
        let mut ids = vec![AssignmentId::ROOT; story.agents.len()];
        let mut moments: Vec<Moment> = Vec::new();
        // The latest moment of each agent and of all below it.
        let mut last = vec![i64::MIN; story.agents.len()];
        for index in 0..story.agents.len() {
            let parent = story.agents[index].parent;
            let agent = &story.agents[index];
            if index == 0 {
                opened_at[0] = agent.at;
            }
            let (mut now, id) = (opened_at[index], ids[index]);
            let rank = |report: bool| (report, if report { -(index as i64) } else { index as i64 });
            let mut calls = 0;
            let mut handed = 0;
            let mut call = || {
                calls += 1;
                CallId::new(id, calls)
            };
            for step in &agent.steps {
                now = now.max(step.at);
                let mut push = |at: i64, event| {
                    moments.push(Moment { at: at.max(now), rank: rank(false), event });
                    last[index] = last[index].max(at.max(now));
                };
                match &step.did {
                    Did::Noted(note) => push(now, Event::Noted { by: id, note: note.clone() }),
                    Did::Used(used) => {
                        let calls: Vec<CallId> = used.iter().map(|_| call()).collect();
                        let asked = used.iter().zip(&calls).map(|(used, call)| used.called(*call)).collect();
                        let (stage, why) = (Imported::Told.into(), Clean::default());
                        push(now, Event::ToolsCalled { by: id, stage, why, calls: asked });
                        for (used, call) in used.iter().zip(calls) {
                            if let Some((at, event)) = used.ended(call) {
                                push(at, event);
                            }
                        }
                    }
                    Did::Asked(asked) => {
                        let call = call();
                        asked.events(id, call, now, self.rates).into_iter().for_each(|(at, event)| push(at, event));
                        // The next step follows from the answer.
                        if let Ended::At(at) | Ended::Failed(at, _) = asked.end {
                            now = now.max(at);
                        }
                    }
                    Did::HandedOff(to) => {
                        let mut opened = Vec::new();
                        for child in to {
                            handed += 1;
                            let Some(name) = id.child(Work::Step(handed), 1) else { continue };
                            (ids[*child], opened_at[*child]) = (name, now);
                            opened.push(story.agents[*child].opened(name, Some((id, &agent.role))));
                        }
                        let (stage, why) = (Imported::Told.into(), Clean::default());
                        push(now, Event::HandedOff { by: Some(id), stage, why, opened });
                    }
                }
            }
            last[index] = last[index].max(now);
            let _ = parent;
        }
        // What is below ends first: later agents stand behind those that they belong to.
        for index in (0..story.agents.len()).rev() {
            let agent = &story.agents[index];
            let mut at = last[index];
            if let Some(end) = &agent.end {
                at = at.max(end.at);
                let rank = (true, -(index as i64));
                moments.push(Moment { at, rank, event: agent.reported(ids[index], end, &story, &ids) });
            }
            if let Some(parent) = agent.parent {
                // One that was still at work when its parent ended does not keep it.
                if agent.end.is_some() && story.agents[parent].end.as_ref().is_none_or(|end| end.at >= at) {
                    last[parent] = last[parent].max(at);
                }
            }
        }
        moments.sort_by_key(|moment| (moment.at, moment.rank));
        self.numbered(story, moments)
    }

    fn numbered(&self, story: Story, moments: Vec<Moment>) -> Vec<Envelope> {
        let Some(root) = story.agents.first() else { return Vec::new() };
        let first = moments.first().map_or(root.at, |moment| moment.at.min(root.at));
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
        let root = Event::HandedOff {
            by: None,
            stage: Leading::Open.into(),
            why: Clean::default(),
            opened: vec![root.opened(AssignmentId::ROOT, None)],
        };
        let first = [Event::RunOpened(Arc::new(opening)), root].map(|event| (first, event));
        let all = first.into_iter().chain(moments.into_iter().map(|moment| (moment.at, moment.event)));
        let mut numbers = run::id::HandoffNo::default();
        let mut envelopes: Vec<Envelope> =
            all.zip(1..).map(|((at, event), seq)| Envelope { seq: Seq(seq), at: At(at), event }).collect();
        // Handoffs are numbered in the order in which they are on record.
        for envelope in &mut envelopes {
            let mut next = |handoff: &mut Arc<Handoff>| {
                numbers.0 += 1;
                Arc::make_mut(handoff).no = numbers;
            };
            match &mut envelope.event {
                Event::HandedOff { opened, .. } => opened.iter_mut().for_each(|opened| next(&mut opened.handoff)),
                Event::Reported { handoff, .. } => next(handoff),
                _ => {}
            }
        }
        envelopes
    }
}

/// Agents that stand deeper than a name has room for are shown below the deepest that it has, and that is said. Agents that
/// nobody handed out are handed out by their parent when they began.
fn flatten(story: &mut Story) {
    let mut depth = vec![0; story.agents.len()];
    let mut moved = 0;
    let mut handed = vec![false; story.agents.len()];
    for index in 1..story.agents.len() {
        let mut parent = story.agents[index].parent.filter(|parent| *parent < index).unwrap_or(0);
        while depth[parent] >= MOST_DEPTH {
            parent = story.agents[parent].parent.unwrap_or(0);
        }
        if story.agents[index].parent != Some(parent) {
            moved += 1;
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
    for index in 1..story.agents.len() {
        let (at, parent) = (story.agents[index].at, parents[index].unwrap_or(0));
        if !handed[index] {
            let steps = &mut story.agents[parent].steps;
            let place = steps.iter().position(|step| step.at > at).unwrap_or(steps.len());
            steps.insert(place, Step { at, did: Did::HandedOff(vec![index]) });
        }
    }
    if moved > 0 {
        let remark =
            format!("{moved} stood deeper than {MOST_DEPTH} levels: they are shown below the deepest there is");
        story.origin.remarks.push(remark.into());
    }
}

impl Agent {
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

    fn reported(&self, id: AssignmentId, end: &End, story: &Story, ids: &[AssignmentId]) -> Event {
        let to = self.parent.map(|parent| (ids[parent], story.agents[parent].role.clone()));
        let first = end.payload.notes().first().and_then(|note| note.lines().next()).unwrap_or_default();
        let title = if first.is_empty() { "report".into() } else { Clean::line(first) };
        let handoff = Handoff {
            no: Default::default(),
            from: Some(id),
            to: to.as_ref().map(|(to, _)| *to),
            names: (self.role.clone(), to.map_or_else(|| "you".into(), |(_, role)| role)),
            title: title.chars().take(80).collect::<String>().into(),
            payload: end.payload.clone(),
        };
        Event::Reported { by: id, outcome: end.outcome.clone(), handoff: Arc::new(handoff) }
    }
}

impl Used {
    fn called(&self, call: CallId) -> Called {
        let request = ToolCall { name: ToolName::new(&self.name), arguments: self.arguments.clone() };
        Called { call, request: Arc::new(request), admission: Admission::Reserved(Amounts::of(Cap::ToolCalls, 1)) }
    }

    fn ended(&self, call: CallId) -> Option<(i64, Event)> {
        let used = Amounts::of(Cap::ToolCalls, 1);
        match &self.end {
            Ended::NotYet => None,
            Ended::At(at) => {
                Some((*at, Event::ToolReturned { call, result: Arc::new(ToolResult::text(&self.result)), used }))
            }
            Ended::Failed(at, error) => Some((*at, Event::ToolFailed { call, error: error.clone(), used })),
        }
    }
}

impl Asked {
    fn events(
        &self,
        by: AssignmentId,
        call: CallId,
        at: i64,
        rates: &dyn Fn(&ModelId) -> Option<Rates>,
    ) -> Vec<(i64, Event)> {
        let mut usage = self.usage;
        if usage.cost.is_none() && usage.total() > 0 {
            let named = ModelId { provider: self.model.provider.clone(), model: self.served_by.clone() };
            let rates = rates(&self.model).or_else(|| rates(&named));
            usage.cost = rates.map(|rates| rates.cost(&usage));
            usage.cost_estimated = usage.cost.is_some();
        }
        let money = usage.cost.unwrap_or(Money(0)).0;
        let used = Amounts::of(Cap::Money, money).with(Cap::Tokens, usage.total()).with(Cap::Calls, 1);
        let request = ModelRequest {
            model: self.model.clone(),
            afresh: false,
            said: self.said.clone(),
            offers: Default::default(),
            form: Form::Free,
            max_tokens: self.max_tokens,
            thinking: Default::default(),
        };
        let (stage, why, admission) = (Imported::Told.into(), Clean::default(), Admission::Reserved(used));
        let asked = Event::ModelCalled { by, stage, why, call, request: Arc::new(request), admission };
        let mut events = vec![(at, asked), (at, Event::AttemptSent { call, attempt: 1 })];
        match &self.end {
            Ended::NotYet => {}
            Ended::At(end) => {
                let reply = Reply {
                    content: self.content.clone(),
                    raw: Untouched::default(),
                    stop: self.stop.clone(),
                    usage,
                    served_by: self.served_by.clone(),
                    request_id: self.id.clone(),
                    first_ms: self.first_ms,
                    whole_ms: At(*end).since(At(at)),
                    recorded: None,
                };
                events.push((*end, Event::ModelReplied { call, reply: Arc::new(reply), used }));
            }
            Ended::Failed(end, error) => {
                let fault = Fault {
                    class: Class::Server,
                    reached: Reached::Sent,
                    what: error.clone(),
                    status: None,
                    request_id: self.id.clone(),
                    retry_after_ms: None,
                    charge: Charge::Nothing,
                    partial: Clean::default(),
                };
                let (fault, doubt) = (Arc::new(fault), Amounts::default());
                events.push((*end, Event::AttemptFailed { call, attempt: 1, fault, used, doubt }));
                events.push((*end, Event::ModelFailed { call, error: error.clone() }));
            }
        }
        events
    }
}

/// Kinds that a program does not know, counted by what they call themselves.
#[derive(Clone, Debug, Default)]
pub struct Unknown(pub BTreeMap<Clean, u64>);

impl Unknown {
    /// The most that are told apart by name.
    const MOST: usize = 40;

    /// Counts one more of a kind.
    pub fn count(&mut self, kind: &str) {
        let name: Clean = Clean::line(kind).chars().take(60).collect::<String>().into();
        let name = if self.0.len() >= Unknown::MOST && !self.0.contains_key(&name) { "others".into() } else { name };
        *self.0.entry(name).or_default() += 1;
    }
}
