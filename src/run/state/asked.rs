//! Questions about the state of a run. Changes nothing.

use std::sync::Arc;

use super::{Asks, Assignment, Intent, Run};
use crate::brief::Draft;
use crate::budget::Refusal;
use crate::checkpoint::Checkpoint;
use crate::evidence::{Block, Place};
use crate::finding::Finding;
use crate::foreign::{Imported, Origin};
use crate::handoff::{Handoff, Outcome, Passage};
use crate::id::{AssignmentId, At, CallId, CheckpointId, HandoffNo, Seq, TaskId, Work};
use crate::team::AssignedModel;
use crate::tool::{ToolCall, ToolResult};
use crate::transcript::{Call, Did};
use text::Clean;

impl Run {
    /// The number of the next checkpoint.
    pub fn next_checkpoint(&self) -> CheckpointId {
        CheckpointId(self.checkpoints.len() as u32 + 1)
    }

    /// Every assignment, in the order in which they were opened: parents before children.
    pub fn assignments(&self) -> impl DoubleEndedIterator<Item = &Assignment> + ExactSizeIterator + Clone {
        self.assignments.iter().map(|assignment| &**assignment)
    }

    /// The assignment of this id.
    pub fn assignment(&self, id: AssignmentId) -> Option<&Assignment> {
        self.assignments.get(*self.places.get(&id)?).map(|assignment| &**assignment)
    }

    /// The name of the next attempt at a piece of work that an assignment hands out; None where it would be too deep.
    pub fn next_attempt(&self, by: AssignmentId, work: Work) -> Option<AssignmentId> {
        let names = by.child(work, 1)?..=by.child(work, u32::MAX)?;
        let last = self.places.range(names).rev().find(|(id, _)| id.parent() == Some(by));
        by.child(work, last.map_or(0, |(id, _)| id.attempt()) + 1)
    }

    /// The next piece of work that an assignment hands out besides tasks.
    pub fn next_work(&self, by: AssignmentId) -> Work {
        let names = by..by.child(Work::Task(TaskId(0)), 1).unwrap_or(by);
        let mut children = self.places.range(names).rev().filter(|(id, _)| id.parent() == Some(by));
        match children.next().and_then(|(id, _)| id.work()) {
            Some(Work::Step(n)) => Work::Step(n + 1),
            _ => Work::Step(1),
        }
    }

    /// The supervisor at the root.
    pub fn root(&self) -> Option<&Assignment> {
        self.assignments.first().map(|assignment| &**assignment)
    }

    /// The request of a call that has not ended.
    pub fn intent(&self, call: CallId) -> Option<Intent<'_>> {
        let reserved = self.under_way.get(&call).or_else(|| self.in_doubt.get(&call)).map(|reserved| reserved.slot);
        let slot = reserved.or_else(|| self.queued.get(&call).or_else(|| self.faulted.get(&call)).copied())?;
        match &self.assignment(call.assignment)?.transcript.turns.get(slot.turn as usize)?.did {
            Did::Tools(calls) => Some(Intent::Tool(&calls.get(slot.place as usize)?.request)),
            Did::Asked(exchange) => Some(Intent::Model(exchange)),
            _ => None,
        }
    }

    /// A tool call on one line, for a person.
    pub fn shown(&self, call: &ToolCall) -> String {
        let spec = self.opening.as_ref().and_then(|opening| opening.team.tool(&call.name));
        spec.map_or_else(|| call.line(), |spec| spec.line(call, &|id| format!("document {id}")))
    }

    /// The same, with documents by the paths under which the searches of who calls it found them.
    pub fn shown_by(&self, caller: &Assignment, call: &ToolCall) -> String {
        let hits = || {
            caller.transcript.calls().filter_map(Call::result).filter_map(|result| match result {
                ToolResult::Hits(hits) => Some(&hits.hits),
                _ => None,
            })
        };
        let path = |id: &str| {
            let hit = hits().flatten().find(|hit| &*hit.source.id.0 == id);
            hit.map_or_else(|| format!("document {id}"), |hit| hit.source.path.to_string())
        };
        let spec = self.opening.as_ref().and_then(|opening| opening.team.tool(&call.name));
        spec.map_or_else(|| call.line(), |spec| spec.line(call, &path))
    }

    /// The kind of the calls in doubt: "model call", "tool call", or "call" if they are of both kinds.
    pub fn kind_of_doubts(&self) -> &'static str {
        let is_tool = |call: &CallId| matches!(self.intent(*call), Some(Intent::Tool(_)));
        match (self.in_doubt.keys().any(is_tool), self.in_doubt.keys().all(is_tool)) {
            (false, _) => "model call",
            (true, true) => "tool call",
            (true, false) => "call",
        }
    }

    /// The statement that the run waits for from a person, if it waits for one. Others may be at work meanwhile.
    pub fn asks(&self) -> Option<Asks<'_>> {
        let checkpoint = self.open_checkpoint().map(Asks::Checkpoint);
        let latch = || self.to_mend().map(Asks::Latch);
        checkpoint.or_else(latch).or_else(|| self.in_doubt.keys().next().copied().map(Asks::Doubt))
    }

    /// The handoff of this number.
    pub fn handoff(&self, no: HandoffNo) -> Option<&Arc<Handoff>> {
        self.handoffs.get((no.0 as usize).checked_sub(1)?)
    }

    /// The checkpoint of this number.
    pub fn checkpoint(&self, id: CheckpointId) -> Option<&Checkpoint> {
        self.checkpoints.iter().rev().find(|checkpoint| checkpoint.id == id)
    }

    /// Checkpoints that wait for the person, in the order in which they were opened.
    pub fn waiting(&self) -> impl Iterator<Item = &Checkpoint> {
        let is_open = |by| self.assignment(by).is_some_and(|by| by.ended.is_none());
        self.checkpoints.iter().filter(move |checkpoint| checkpoint.answer.is_none() && is_open(checkpoint.by))
    }

    /// The checkpoint that waits for the person: before all, a breakpoint at which the whole run stands, then one at which nothing
    /// goes on without them.
    pub fn open_checkpoint(&self) -> Option<&Checkpoint> {
        let stands = self.waiting().find(|open| open.stop().is_some_and(|stop| !stop.others_go_on));
        let alone = || self.waiting().find(|open| !open.subject.others_go_on());
        stands.or_else(alone).or_else(|| self.waiting().next())
    }

    /// The model that an assignment thinks with; None where none does.
    pub fn model_of(&self, assignment: &Assignment) -> Option<&AssignedModel> {
        self.opening.as_ref()?.team.model_of(&assignment.role, assignment.worker)
    }

    /// The end of the run, if it has ended.
    pub fn ended(&self) -> Option<&Outcome> {
        match self.root() {
            Some(root) => root.ended.as_ref().map(|(outcome, _)| outcome),
            // Stopped before anybody had begun.
            None => self.cancelled.then_some(&Outcome::Cancelled),
        }
    }

    /// The brief with the findings it rests on: the report of the root.
    pub fn brief(&self) -> Option<(&Draft, &[Finding])> {
        let (_, handoff) = self.root()?.ended.as_ref()?;
        Some((handoff.payload.draft.as_ref()?, handoff.payload.findings()))
    }

    /// Assignments that are open, the root included.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Assignment> {
        self.open.values().filter_map(|place| self.assignments.get(*place)).map(|assignment| &**assignment)
    }

    /// Of the open assignments those for which something may be to be decided, by id: they wait for no answer, or stand at a
    /// breakpoint.
    pub fn unwaiting(&self) -> impl Iterator<Item = &Assignment> {
        self.unwaiting.iter().filter_map(|id| self.assignment(*id))
    }

    /// The number of open assignments, the root included.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// Whether the person is asked before a cap of the run keeps work from being done: they have not said to finish.
    pub fn asks_at_caps(&self) -> bool {
        !self.finishes
    }

    /// Whether an open assignment does not begin at once.
    pub fn has_delayed(&self) -> bool {
        self.delayed > 0
    }

    /// The assignments that have changed after an event; None if something happened since then that may concern all.
    pub fn changed_after(&self, seq: Seq) -> Option<Vec<&Assignment>> {
        if seq == Seq(0) || self.changed_for_all > seq {
            return None;
        }
        let changed = self.changes.range((seq.next(), AssignmentId::ROOT)..);
        Some(changed.filter_map(|(_, id)| self.assignment(*id)).collect())
    }

    /// The assignments of a task, in the order in which they were opened.
    pub fn given(&self, task: TaskId) -> impl DoubleEndedIterator<Item = &Assignment> {
        self.given.get(&task).into_iter().flatten().filter_map(|id| self.assignment(*id))
    }

    /// The last refusal of the first assignment that a cap kept from going on, if any did.
    pub fn refusal(&self) -> Option<Refusal> {
        self.assignments.iter().find_map(|assignment| assignment.transcript.last_refusal())
    }

    /// Its origin, if it is imported.
    pub fn origin(&self) -> Option<&Origin> {
        self.opening.as_ref()?.origin.as_deref()
    }

    /// The facts that lists show of it, if another program wrote it.
    pub fn imported(&self) -> Option<Imported> {
        self.origin().map(|origin| Imported { format: origin.format, pricing: Some(self.pricing) })
    }

    /// Its cost in money, as far as it is known: "$0.12", of an imported run "~$0.12 + ?".
    pub fn money_in_words(&self) -> String {
        match self.is_imported() {
            true => self.pricing.to_string(),
            false => self.ledger.run().spent.money().to_string(),
        }
    }

    /// Whether another program wrote it: it is read only, and nothing is decided in it.
    pub fn is_imported(&self) -> bool {
        self.origin().is_some()
    }

    /// Whether anything but an answer of the person is under way or due.
    pub fn is_working(&self) -> bool {
        let stuck =
            self.is_at_a_checkpoint() || (self.under_way.is_empty() && self.asks().is_some()) || self.is_all_paused();
        !self.paused && !stuck && (self.assignments.is_empty() || !self.open.is_empty())
    }

    /// Whether nothing goes on before the person has answered at a checkpoint.
    pub fn is_at_a_checkpoint(&self) -> bool {
        self.open_checkpoint().is_some_and(|checkpoint| !checkpoint.subject.others_go_on())
    }

    /// The time for which the run has worked (ms); time spent waiting for the person or for a process does not count.
    pub fn worked(&self, now: At) -> u64 {
        let running = if self.opening.is_some() && self.is_working() { now.since(self.at) } else { 0 };
        self.worked_until_last.saturating_add(running)
    }

    /// Whether a model leads and the rules have not taken over from it.
    pub fn is_led_by_model(&self) -> bool {
        let by_model = self.opening.as_ref().is_some_and(|opening| opening.team.is_model_led());
        by_model && self.root().is_none_or(|root| root.transcript.relieved().is_none())
    }

    /// Whether a quote is in its stored source to the letter, at the place it names.
    pub fn is_quoted(&self, quote: &str, place: &Place) -> bool {
        self.stored(place).is_some_and(|block| {
            !quote.is_empty() && block.text.get(place.start as usize..place.end as usize) == Some(quote)
        })
    }

    /// Whether a tool has counted this over the whole of the file in which the place is, with that place to show it.
    pub fn is_measured(&self, claim: &Clean, place: &Place) -> bool {
        let stored = self.sources.get(&place.source.id);
        stored.is_some_and(|stored| stored.measured.contains(&(claim.clone(), place.block)))
    }

    /// The stored passage of a place.
    pub fn stored(&self, place: &Place) -> Option<&Arc<Block>> {
        self.sources.get(&place.source.id)?.blocks.get(&place.block)
    }

    /// The stored passages these findings and what they announce stand in, each once, in the order of source and place.
    pub fn passages(&self, findings: &[Finding]) -> Vec<Passage> {
        let announced = findings.iter().flat_map(|finding| &finding.announced).map(|announced| &announced.place);
        let mut places: Vec<&Place> = findings.iter().flat_map(Finding::places).chain(announced).collect();
        places.sort_by_key(|place| (&place.source.id, place.block));
        places.dedup_by_key(|place| (&place.source.id, place.block));
        places
            .into_iter()
            .filter_map(|place| Some(Passage { source: place.source.clone(), block: self.stored(place)?.clone() }))
            .collect()
    }
}
