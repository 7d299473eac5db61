//! Records of version 1 (masthead before its floors were crates) in the form of version 2.
//!
//! Reads and changes JSON only: the types of today are free to change without this file.

mod admissions;
mod checkpoints;
mod names;
mod payloads;
mod stages;
mod steered;
mod tools;

use serde_json::Value;

/// Brings the records of one run up to date, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Upcast {
    checkpoints: checkpoints::Checkpoints,
    stages: stages::Stages,
    names: names::Names,
}

impl Upcast {
    /// Changes this record into one of version 2.
    pub(super) fn event(&mut self, record: &mut Value) {
        // The numbers stand where version 1 had them.
        self.names.event(record);
        self.checkpoints.event(record);
        self.stages.event(record);
        steered::event(record);
        tools::event(record);
        admissions::event(record);
        // The steps before read the parts of a payload as version 1 had them.
        payloads::event(record);
    }
}
