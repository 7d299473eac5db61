//! The time for which each assignment has been at work: its watch runs while something is out for it.

use super::{Intent, Run};
use crate::event::Event;
use crate::id::{AssignmentId, CallId};

impl Run {
    /// Sets the watches after an event has been taken in.
    pub(super) fn keep_time(&mut self, event: &Event) {
        if let Some(call) = event.call() {
            return self.has_happened_to(call.assignment);
        }
        match event {
            Event::ToolsCalled { by, .. } | Event::ModelCalled { by, .. } | Event::Reported { by, .. } => {
                self.has_happened_to(*by);
            }
            Event::Forked(_) | Event::Attached { .. } | Event::Steered { .. } | Event::NoLongerNeeded { .. } => {
                let open = self.open().filter(|one| one.watch.runs() != self.is_out_for(one.id));
                let changed: Vec<AssignmentId> = open.map(|one| one.id).collect();
                changed.into_iter().for_each(|id| self.has_happened_to(id));
            }
            _ => {}
        }
    }

    fn has_happened_to(&mut self, id: AssignmentId) {
        let (out, worked) = (self.is_out_for(id), self.worked_until_last);
        if let Some(assignment) = self.assignment_mut(id) {
            assignment.watch.happened(out, worked);
        }
    }

    /// Whether a tool is at work for an assignment, or a model has been asked, and the person has not paused it.
    fn is_out_for(&self, id: AssignmentId) -> bool {
        let goes_on = self.assignment(id).is_some_and(|one| one.ended.is_none() && !one.paused);
        goes_on && self.under_way.range(CallId::all_of(id)).any(|(call, _)| self.is_out(*call))
    }

    /// Whether a tool is at work on a call, or its last attempt was sent to a model.
    pub fn is_out(&self, call: CallId) -> bool {
        match self.intent(call) {
            Some(Intent::Tool(_)) => true,
            Some(Intent::Model(exchange)) => exchange.is_sent(),
            None => false,
        }
    }
}
