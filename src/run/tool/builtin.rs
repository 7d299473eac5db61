//! The program's own tools: the arguments of each, as a type, and its spec.
//!
//! A new one is a type here with a line in [`ALL`], and an entry in the registry that performs it.

mod command;
mod data;
mod documents;
mod notes;

use std::sync::LazyLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{BadArguments, CleanJson, Reserve, ToolCall, ToolName, ToolSpec, object_schema};

pub use command::RunCommand;
pub use data::{ListFiles, ProfileFile};
pub use documents::{Find, HitRoom, Outline, Read, Search, SearchBy};
pub use notes::{Recall, Remember};

/// The request to one of the program's own tools.
pub trait BuiltIn: Serialize + DeserializeOwned {
    /// The name by which it is called.
    const NAME: &'static str;

    /// The facts about it.
    fn spec() -> ToolSpec;

    /// The call that a model makes with arguments that fit the schema it was shown.
    ///
    /// # Errors
    /// They do not fit the tool.
    fn of_model(arguments: CleanJson) -> Result<Self, BadArguments> {
        ToolCall { name: ToolName::new(Self::NAME), arguments }.arguments_of()
    }
}

struct Known {
    spec: ToolSpec,
    of_model: fn(CleanJson) -> Result<ToolCall, BadArguments>,
}

fn known<T: BuiltIn>() -> Known {
    Known { spec: T::spec(), of_model: |arguments| T::of_model(arguments).map(ToolCall::from) }
}

static ALL: LazyLock<[Known; 9]> = LazyLock::new(|| {
    [
        known::<Search>(),
        known::<Read>(),
        known::<Outline>(),
        known::<Find>(),
        known::<ListFiles>(),
        known::<ProfileFile>(),
        known::<RunCommand>(),
        known::<Recall>(),
        known::<Remember>(),
    ]
});

/// The specs of all of them.
pub fn specs() -> impl Iterator<Item = &'static ToolSpec> {
    ALL.iter().map(|known| &known.spec)
}

/// The spec of the one of this name.
pub fn spec(name: &str) -> Option<&'static ToolSpec> {
    specs().find(|spec| spec.name == *name)
}

/// The call that a model makes of a tool with these arguments: for the program's own, missing ones are filled in.
///
/// # Errors
/// The arguments do not fit the tool: the message is for the model.
pub fn call_of_model(spec: &ToolSpec, arguments: CleanJson) -> Result<ToolCall, BadArguments> {
    match ALL.iter().find(|known| known.spec.name == spec.name) {
        Some(known) => (known.of_model)(arguments),
        None => Ok(ToolCall { name: spec.name.clone(), arguments }),
    }
}

/// A safe tool that models are offered.
fn offered(name: &str, description: &str, properties: Value, reserves: Reserve, shown: &str) -> ToolSpec {
    let schema = Some(CleanJson::new(object_schema(properties)));
    ToolSpec { schema, ..by_rule(name, description, reserves, shown) }
}

/// A safe tool that only specialists by rule call.
fn by_rule(name: &str, description: &str, reserves: Reserve, shown: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        schema: None,
        reserves,
        replay: super::ReplaySafety::Safe,
        shown: shown.into(),
    }
}
