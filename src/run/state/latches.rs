//! Models and providers that would refuse the next call as well. Sends nothing, and ends no call.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::Run;
use crate::attempt::{About, Class, Fault};
use crate::id::AssignmentId;
use crate::model::ModelId;
use text::Clean;

/// A model that said no to what it was asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusing {
    /// The number of times.
    times: u32,
    /// Whether it has answered in this run: then a no is about what was asked.
    has_answered: bool,
    /// What it said at last.
    fault: Option<Arc<Fault>>,
}

impl Refusing {
    /// Whether it would say no to the next call as well: there is no such model, or it took nothing of what it was asked.
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
    /// Which provider.
    pub provider: Clean,
    /// Which of its models; None for all of them.
    pub model: Option<Clean>,
    /// What it said, and what the person can do.
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
                // What waits to be sent to it is looked at again.
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

    /// A model has answered: from now on a no is about what was asked.
    pub(super) fn has_answered(&mut self, model: ModelId) {
        self.refusing.insert(model, Refusing { has_answered: true, ..Refusing::default() });
    }

    /// What refused is asked again: the person has had the chance to do something about it.
    pub(super) fn ask_all_again(&mut self) {
        self.latches.clear();
        self.refusing.clear();
    }

    /// Why this model is not asked again: it said no to all it was asked, as it would to the next.
    pub fn says_no(&self, model: &ModelId) -> Option<&Fault> {
        self.refusing.get(model).filter(|refusing| refusing.is_sure())?.fault.as_deref()
    }

    /// Why every call to this model is refused until the person has done something about it, if it is.
    pub fn latch_on(&self, model: &ModelId) -> Option<&Latch> {
        self.latches.iter().find(|latch| latch.concerns(model))
    }
}
