//! The tools of a run by name: what is known of each, and what performs it.
//!
//! The program's own are added one by one ([`Entry::of`]). Others come from a [`Source`], which is asked for its entries
//! when the run starts: a source is a program or a server that says which tools it has.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use run::tool::builtin::{self, BuiltIn};
use run::{Team, ToolCall, ToolName, ToolResult, ToolSpec};
use text::Clean;

/// Work that is done elsewhere. Errors are words for a person and for the specialist that asked.
pub type Doing<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// How long a call may usually take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Performs the calls of one tool.
pub trait Executor: Send + Sync {
    /// Performs a call. Only a tool whose spec says that it is safe to repeat is called again after a crash without
    /// asking the person.
    fn perform(&self, call: Arc<ToolCall>) -> Doing<Result<ToolResult, Clean>>;
}

impl<F> Executor for F
where
    F: Fn(Arc<ToolCall>) -> Doing<Result<ToolResult, Clean>> + Send + Sync,
{
    fn perform(&self, call: Arc<ToolCall>) -> Doing<Result<ToolResult, Clean>> {
        self(call)
    }
}

/// A tool and what performs it.
#[derive(Clone)]
pub struct Entry {
    /// What is known of it.
    pub spec: ToolSpec,
    executor: Arc<dyn Executor>,
    patience: Duration,
}

impl Entry {
    /// A tool of a source.
    pub fn new(spec: ToolSpec, executor: impl Executor + 'static) -> Entry {
        Entry { spec, executor: Arc::new(executor), patience: PATIENCE }
    }

    /// One of the program's own tools, whose arguments are checked before it is performed.
    pub fn of<T: BuiltIn>(perform: impl Fn(T) -> Doing<Result<ToolResult, Clean>> + Send + Sync + 'static) -> Entry {
        let executor = move |call: Arc<ToolCall>| match call.arguments_of() {
            Ok(arguments) => perform(arguments),
            Err(bad) => Box::pin(std::future::ready(Err(bad.to_string().into()))),
        };
        Entry::new(T::spec(), executor)
    }

    /// With another time after which a call has failed.
    #[must_use]
    pub fn within(self, patience: Duration) -> Entry {
        Entry { patience, ..self }
    }
}

/// Where tools come from besides the program itself.
pub trait Source: Send + Sync {
    /// What it is called, for a person.
    fn name(&self) -> Clean;

    /// The tools that it has now. Asked once, when a run starts or is taken up.
    fn entries(&self) -> Doing<Result<Vec<Entry>, Clean>>;
}

/// Why a tool cannot be registered, or a team cannot have the tools it names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unregistered {
    /// Two tools of one name.
    #[error("there are two tools `{name}`: {from} has one of a name that is taken")]
    Taken {
        /// The name.
        name: ToolName,
        /// Who has the second one.
        from: Clean,
    },
    /// A name that model providers refuse.
    #[error("{from} has a tool `{name}`: a name is at most 64 letters, digits, `_` and `-`")]
    BadName {
        /// The name.
        name: ToolName,
        /// Who has it.
        from: Clean,
    },
    /// A source did not say what it has.
    #[error("{from} did not say which tools it has: {why}")]
    Unanswered {
        /// Which.
        from: Clean,
        /// Why.
        why: Clean,
    },
    /// The team names one that is not there.
    #[error("`{role}` is to use `{name}`, and no such tool is registered; there are: {known}")]
    Unknown {
        /// Who is to use it.
        role: Clean,
        /// The name.
        name: ToolName,
        /// The names there are.
        known: String,
    },
}

/// The tools of a run.
#[derive(Clone, Default)]
pub struct Registry {
    entries: BTreeMap<ToolName, Entry>,
}

impl Registry {
    /// Adds tools of the program, each in place of one of its name.
    pub fn add(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries.into_iter().map(|entry| (entry.spec.name.clone(), entry)));
    }

    /// Adds what a source has.
    ///
    /// # Errors
    /// It does not answer, or has a tool whose name is taken or cannot be one.
    pub async fn fill(&mut self, source: &dyn Source) -> Result<(), Unregistered> {
        let from = source.name();
        let unanswered = |why| Unregistered::Unanswered { from: from.clone(), why };
        for entry in source.entries().await.map_err(unanswered)? {
            let (name, from) = (entry.spec.name.clone(), from.clone());
            if !name.is_valid() {
                return Err(Unregistered::BadName { name, from });
            }
            if builtin::spec(&name).is_some() || self.entries.contains_key(&name) {
                return Err(Unregistered::Taken { name, from });
            }
            self.entries.insert(name, entry);
        }
        Ok(())
    }

    /// Gives a new team the specs of what sources have, so that they are recorded with the run.
    ///
    /// # Errors
    /// A member is to use a tool that is not registered.
    pub fn equip(&self, team: &mut Team) -> Result<(), Unregistered> {
        let specs = self.entries.values().map(|entry| &entry.spec);
        team.registered = specs.filter(|spec| builtin::spec(&spec.name).is_none()).cloned().collect();
        for (role, member) in &team.members {
            if let Some(name) = member.tools.iter().find(|name| team.tool(name).is_none()) {
                let name_of = |spec: &ToolSpec| spec.name.to_string();
                let known = builtin::specs().map(name_of).chain(team.registered.iter().map(name_of));
                let known = known.collect::<Vec<_>>().join(", ");
                return Err(Unregistered::Unknown { role: role.as_str().into(), name: name.clone(), known });
            }
        }
        Ok(())
    }

    /// Performs a call; of a tool that is not registered it fails with a sentence that says so.
    pub fn perform(&self, call: Arc<ToolCall>) -> Doing<Result<ToolResult, Clean>> {
        match self.entries.get(&call.name) {
            Some(entry) => entry.executor.perform(call),
            None => {
                let why =
                    format!("there is no tool `{}` here: what brought it is not set up, or has it no more", call.name);
                Box::pin(std::future::ready(Err(why.into())))
            }
        }
    }

    /// How long a call may take before it has failed.
    pub fn patience(&self, call: &ToolCall) -> Duration {
        self.entries.get(&call.name).map_or(PATIENCE, |entry| entry.patience)
    }
}

#[cfg(test)]
mod tests;
