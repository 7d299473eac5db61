//! The calls of the client that are not answered yet, so that it can cancel them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use run::RunId;
use text::locked::Locked;

/// A call under way.
#[derive(Default)]
pub(super) struct Asked(Mutex<Stand>);

#[derive(Default)]
struct Stand {
    is_cancelled: bool,
    /// The run that it began or sent on.
    began: Option<RunId>,
}

impl Asked {
    pub fn is_cancelled(&self) -> bool {
        self.0.locked().is_cancelled
    }

    /// Notes the run that it began or sent on; false if it was cancelled before, and the run has to stop.
    pub fn begins(&self, run: &RunId) -> bool {
        let mut stand = self.0.locked();
        stand.began = Some(run.clone());
        !stand.is_cancelled
    }
}

/// The calls under way, by the ids of their requests.
#[derive(Default)]
pub(super) struct Unanswered(Mutex<BTreeMap<String, Arc<Asked>>>);

impl Unanswered {
    /// Adds the call of a request.
    pub fn add(&self, id: &Value) -> Arc<Asked> {
        let asked = Arc::new(Asked::default());
        self.0.locked().insert(id.to_string(), asked.clone());
        asked
    }

    /// Removes a call that is done; whether it is to be answered.
    pub fn take(&self, id: &Value, asked: &Arc<Asked>) -> bool {
        let mut all = self.0.locked();
        // A client may have used the id again.
        if all.get(&id.to_string()).is_some_and(|one| Arc::ptr_eq(one, asked)) {
            all.remove(&id.to_string());
        }
        !asked.is_cancelled()
    }

    /// Cancels the call of a request; the run that it began, if it did. A request that was answered is passed over.
    pub fn cancel(&self, id: &Value) -> Option<RunId> {
        let asked = self.0.locked().get(&id.to_string()).cloned()?;
        let mut stand = asked.0.locked();
        stand.is_cancelled = true;
        stand.began.clone()
    }
}
