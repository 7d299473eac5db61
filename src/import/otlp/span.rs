//! A span as it was sent, in whichever form, before anything is made of it.

use serde_json::{Map, Value};
use text::Clean;

use crate::story::named;
use crate::told::{number, shown};

/// A span as either form tells it.
#[derive(Default)]
pub(super) struct Span {
    pub(super) id: String,
    pub(super) trace: String,
    pub(super) parent: Option<String>,
    pub(super) name: Clean,
    /// Its beginning and end, in nanoseconds since 1970; None where that is not told.
    pub(super) start: Option<i128>,
    pub(super) end: Option<i128>,
    pub(super) attributes: Attributes,
    /// Its events by their names.
    pub(super) events: Vec<(String, Attributes)>,
    /// The message of its status, and whether the status is an error.
    pub(super) message: Option<Clean>,
    pub(super) is_error: bool,
    pub(super) flags: u64,
}

/// The name of the program that a resource describes.
pub(super) fn service_of(resource: &Map<String, Value>) -> Option<Clean> {
    resource.get("service.name").map(|name| named(&shown(name)))
}

/// The bit of a span's flags that says that its parent is of another process.
pub(super) const PARENT_IS_REMOTE: u64 = 0x200;

/// The attributes of a span, asked for by all the names that one thing goes by.
#[derive(Default)]
pub(super) struct Attributes(pub(super) Map<String, Value>);

impl Attributes {
    /// Takes in the attributes that instrumentations keep apart from the span, since texts may be long or private: an event on it
    /// has the same attributes with the same meaning. The span's own count first.
    pub(super) fn take_in(&mut self, events: &[(String, Attributes)]) {
        for (_, told) in events.iter().filter(|(name, _)| name == "gen_ai.client.inference.operation.details") {
            for (name, value) in &told.0 {
                if !self.0.contains_key(name) {
                    self.0.insert(name.clone(), value.clone());
                }
            }
        }
    }

    pub(super) fn first(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.0.get(*name)).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, names: &[&str]) -> Option<Clean> {
        self.first(names).map(|value| named(&shown(value))).filter(|text| !text.is_empty())
    }

    pub(super) fn count(&self, names: &[&str]) -> Option<u64> {
        self.first(names).and_then(number)
    }
}
