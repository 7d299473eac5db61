//! Models and providers that would refuse the next call as well. Sends nothing, and ends no call.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::{Intent, Run};
use crate::attempt::{About, Class, Fault};
use crate::id::{AssignmentId, CallId, Role};
use crate::model::ModelId;
use crate::team::{FailureStep, Worker};
use text::Clean;

/// A model that refused a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusing {
    /// The number of times.
    times: u32,
    /// Whether it has answered in this run: then a refusal is about the request.
    has_answered: bool,
    /// Its last refusal.
    fault: Option<Arc<Fault>>,
}

impl Refusing {
    /// Whether it would refuse the next call as well: there is no such model, or it took none of its requests.
    fn is_sure(&self) -> bool {
        match self.fault.as_ref().map(|fault| fault.class) {
            Some(Class::NoSuchModel) => true,
            Some(_) => !self.has_answered && self.times > 1,
            None => false,
        }
    }
}

/// A model that refuses every call, or a provider that does: its key, its credit, its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latch {
    /// The provider.
    pub provider: Clean,
    /// The one of its models that refuses; None for all of them.
    pub model: Option<Clean>,
    /// The words of the refusal, and the person's remedy.
    pub why: Clean,
}

impl Latch {
    /// Whether calls to this model are refused.
    pub fn concerns(&self, model: &ModelId) -> bool {
        self.provider == model.provider && self.model.as_ref().is_none_or(|only| *only == model.model)
    }
}

impl fmt::Display for Latch {
    /// The model or the provider by its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{}/{model}", self.provider),
            None => write!(f, "{}", self.provider),
        }
    }
}

impl Run {
    /// A model said no, or something else is wrong that the next call would meet as well.
    pub(super) fn refused(&mut self, model: &ModelId, fault: &Arc<Fault>) {
        if fault.status.is_some() && matches!(fault.class, Class::NoSuchModel | Class::Malformed) {
            let refusing = self.refusing.entry(model.clone()).or_default();
            refusing.times += 1;
            refusing.fault = Some(fault.clone());
            if refusing.is_sure() {
                // Work that waits to be sent to it is looked at again.
                let waiting: BTreeSet<AssignmentId> = self.under_way.keys().map(|call| call.assignment).collect();
                for id in waiting {
                    let _ = self.assignment_mut(id);
                }
            }
        }
        if fault.class.latches() {
            let of = (fault.class.about() == About::Model).then(|| model.model.clone());
            let latch = Latch { provider: model.provider.clone(), model: of, why: fault.what.clone() };
            self.latches.retain(|other| (&other.provider, &other.model) != (&latch.provider, &latch.model));
            self.latches.push(latch);
        }
    }

    /// A model has answered: from now on a refusal is about the request.
    pub(super) fn has_answered(&mut self, model: ModelId) {
        self.refusing.insert(model, Refusing { has_answered: true, ..Refusing::default() });
    }

    /// Models that refused are asked again: the person has had the chance to do something about it.
    pub(super) fn ask_all_again(&mut self) {
        self.latches.clear();
        self.refusing.clear();
    }

    /// The reason why this model is not asked again: it refused every request so far, as it would the next.
    pub fn says_no(&self, model: &ModelId) -> Option<&Fault> {
        self.refusing.get(model).filter(|refusing| refusing.is_sure())?.fault.as_deref()
    }

    /// The next worker of a role whose model takes calls, where that of `worker` refuses all of them and the failure policy of the
    /// role fails over.
    pub fn stand_in(&self, role: &Role, worker: Worker) -> Option<Worker> {
        let team = &self.opening.as_ref()?.team;
        let is_latched = |worker| team.model_of(role, worker).map(|model| self.latch_on(&model.id).is_some());
        if is_latched(worker) != Some(true) || !team.members.get(role)?.on_failure.contains(&FailureStep::Failover) {
            return None;
        }
        let mut passed = vec![worker];
        while let Some(other) = team.next_fallback(role, &passed) {
            if is_latched(other) == Some(false) {
                return Some(other);
            }
            passed.push(other);
        }
        None
    }

    /// The first refusal that work waits for the person to mend: where another model has the work, nothing waits.
    pub fn to_mend(&self) -> Option<&Latch> {
        self.latches.iter().find(|latch| self.calls_on_record().any(|call| self.waits_for(latch, call)))
    }

    /// Calls that were asked for and have not ended.
    fn calls_on_record(&self) -> impl Iterator<Item = CallId> {
        self.under_way.keys().chain(self.faulted.keys()).chain(self.queued.keys()).copied()
    }

    fn waits_for(&self, latch: &Latch, call: CallId) -> bool {
        let Some(Intent::Model(exchange)) = self.intent(call) else { return false };
        let caller = self.assignment(call.assignment);
        latch.concerns(&exchange.request.model)
            && caller.is_some_and(|caller| self.stand_in(&caller.role, caller.worker).is_none())
    }

    /// The latch that refuses every call to this model until the person has done something about it, if there is one.
    pub fn latch_on(&self, model: &ModelId) -> Option<&Latch> {
        self.latches.iter().find(|latch| latch.concerns(model))
    }
}
