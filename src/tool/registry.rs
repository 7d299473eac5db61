//! The registry: the tools of a run by name, each with its spec and its executor.
//!
//! Built-in tools are added one by one ([`Entry::of`]). Others come from a [`Source`], such as a server with tools, which
//! is asked for its entries when the run starts.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use run::team::{Kind, Member};
use run::tool::ReplaySafety;
use run::tool::builtin::{self, BuiltIn};
use run::{Team, ToolCall, ToolName, ToolResult, ToolSpec};
use text::Clean;

/// A future that can be sent between threads.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The default timeout of a call.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The reason why a tool call failed, in words for the person and for the specialist that called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Only this call failed: its specialist gets the message, and the run continues.
    #[error("{0}")]
    Call(Clean),
    /// Something that all calls need failed, such as the disk of the search index. The run must stop: otherwise its
    /// brief would have less without saying so.
    #[error("{0}")]
    Run(Clean),
}

impl From<Clean> for ToolError {
    fn from(why: Clean) -> ToolError {
        ToolError::Call(why)
    }
}

impl From<String> for ToolError {
    fn from(why: String) -> ToolError {
        ToolError::Call(why.into())
    }
}

impl From<&str> for ToolError {
    fn from(why: &str) -> ToolError {
        ToolError::Call(why.into())
    }
}

/// Performs the calls of one tool.
pub trait Executor: Send + Sync {
    /// Performs a call. After a crash, it is repeated without asking the person only if the spec declares it safe to
    /// repeat.
    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>>;
}

impl<F> Executor for F
where
    F: Fn(Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> + Send + Sync,
{
    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        self(call)
    }
}

/// A tool with its executor.
#[derive(Clone)]
pub struct Entry {
    /// Its name, schema, reservation and replay safety.
    pub spec: ToolSpec,
    executor: Arc<dyn Executor>,
    patience: Duration,
}

impl Entry {
    /// A tool of a source.
    pub fn new(spec: ToolSpec, executor: impl Executor + 'static) -> Entry {
        Entry { spec, executor: Arc::new(executor), patience: PATIENCE }
    }

    /// A built-in tool; its arguments are checked before it is performed.
    pub fn of<T: BuiltIn>(
        perform: impl Fn(T) -> BoxFuture<Result<ToolResult, ToolError>> + Send + Sync + 'static,
    ) -> Entry {
        let executor = move |call: Arc<ToolCall>| match call.arguments_of() {
            Ok(arguments) => perform(arguments),
            Err(bad) => Box::pin(std::future::ready(Err(bad.to_string().into()))),
        };
        Entry::new(T::spec(), executor)
    }

    /// Sets a timeout other than [`PATIENCE`].
    #[must_use]
    pub fn within(self, patience: Duration) -> Entry {
        Entry { patience, ..self }
    }
}

/// A source of tools that are not built in.
pub trait Source: Send + Sync {
    /// Its name in messages.
    fn name(&self) -> Clean;

    /// Its tools. Called once, when a run starts or resumes.
    fn entries(&self) -> BoxFuture<Result<Vec<Entry>, Clean>>;
}

/// The reason why a tool cannot be registered, or a team cannot use the tools it names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unregistered {
    /// Two tools have the same name.
    #[error("there are two tools `{name}`: {from} has one of a name that is taken")]
    Taken { name: ToolName, from: Clean },
    /// A name that model providers refuse.
    #[error("{from} has a tool `{name}`: a name is at most 64 letters, digits, `_` and `-`")]
    BadName { name: ToolName, from: Clean },
    /// A source did not list its tools.
    #[error("{from} did not say which tools it has: {why}")]
    Unanswered { from: Clean, why: Clean },
    /// The team names a tool that is not registered.
    #[error("`{role}` is to use `{name}`, and no such tool is registered; there are: {known}")]
    Unknown { role: Clean, name: ToolName, known: String },
}

/// The tools of a run.
#[derive(Clone, Default)]
pub struct Registry {
    entries: BTreeMap<ToolName, Entry>,
    /// The names of the tools of each source.
    of_sources: Vec<Vec<(ToolName, ReplaySafety)>>,
}

impl Registry {
    /// Adds built-in tools; each replaces the one of the same name.
    pub fn add(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries.into_iter().map(|entry| (entry.spec.name.clone(), entry)));
    }

    /// Adds the tools of a source.
    ///
    /// # Errors
    /// It does not answer, or has a tool whose name is taken or invalid.
    pub async fn fill(&mut self, source: &dyn Source) -> Result<(), Unregistered> {
        let from = source.name();
        let mut names = Vec::new();
        let unanswered = |why| Unregistered::Unanswered { from: from.clone(), why };
        for entry in source.entries().await.map_err(unanswered)? {
            let (name, from) = (entry.spec.name.clone(), from.clone());
            if !name.is_valid() {
                return Err(Unregistered::BadName { name, from });
            }
            if builtin::spec(&name).is_some() || self.entries.contains_key(&name) {
                return Err(Unregistered::Taken { name, from });
            }
            names.push((name.clone(), entry.spec.replay));
            self.entries.insert(name, entry);
        }
        self.of_sources.push(names);
        Ok(())
    }

    /// Adds the specs of the sources' tools to a new team, so that they are recorded with the run. If no member names a
    /// tool of a source, its read-only tools go to the researchers with a model; tools that may have effects go only to
    /// members that name them.
    ///
    /// # Errors
    /// A member names a tool that is not registered.
    pub fn equip(&self, team: &mut Team) -> Result<(), Unregistered> {
        let specs = self.entries.values().map(|entry| &entry.spec);
        team.registered = specs.filter(|spec| builtin::spec(&spec.name).is_none()).cloned().collect();
        for names in &self.of_sources {
            let names_some = |member: &Member| names.iter().any(|(name, _)| member.tools.contains(name));
            if team.members.values().any(names_some) {
                continue;
            }
            for (role, member) in &mut team.members {
                if member.kind == Kind::Model && member.researches(role) {
                    let safe = names.iter().filter(|(_, replay)| *replay == ReplaySafety::Safe);
                    member.tools.extend(safe.map(|(name, _)| name.clone()));
                }
            }
        }
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

    /// Performs a call; fails with a message if its tool is not registered.
    pub fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        match self.entries.get(&call.name) {
            Some(entry) => entry.executor.perform(call),
            None => {
                let why =
                    format!("there is no tool `{}` here: what brought it is not set up, or has it no more", call.name);
                Box::pin(std::future::ready(Err(why.into())))
            }
        }
    }

    /// The timeout of a call.
    pub fn patience(&self, call: &ToolCall) -> Duration {
        self.entries.get(&call.name).map_or(PATIENCE, |entry| entry.patience)
    }
}

#[cfg(test)]
mod tests;
