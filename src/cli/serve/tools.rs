//! The tools that another agent may call here, and their answers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::super::args::{Brief, Caps};
use super::super::engine::{self, Changes, Found};
use super::super::exit::{self, Failure};
use super::super::models::DEFAULT_CAP;
use super::super::runs;
use super::asked::Asked;
use super::{LONGEST_STOP, Server};
use desk::Policy;
use journal::{JournalError, Reader};
use run::{Cap, Money, RunId};
use text::locked::Locked;

/// Seconds that `brief` waits for the end of a run by default, and at most: clients have limits of their own.
const WAITS: u64 = 20;
const LONGEST_WAIT: u64 = 600;
/// The most runs of a list.
const MOST_RUNS: usize = 50;

/// The list of tools.
pub(super) fn listed(may_approve: bool) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let run = || text("the id of a run, the beginning of it, or `last`");
    let tool = |name: &str, about: &str, properties: Value, required: &[&str], only_reads: bool| {
        json!({
            "name": name,
            "description": about,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            },
            "annotations": { "readOnlyHint": only_reads, "destructiveHint": false, "openWorldHint": !only_reads },
        })
    };
    let approves = match may_approve {
        true => "Approve what a run waits with, as it stands, and let it go on to its end.",
        false => "Say how a person approves what a run waits with. Only a person can: this approves nothing.",
    };
    let whole = |about: &str| json!({ "type": "integer", "description": about });
    json!([
        tool(
            "brief",
            "Have a question researched in documents and a cited brief written. Returns the id of the run, and the brief if it \
             is done within the time waited. The run stops where a person has to look at its findings.",
            json!({
                "question": text("what is to be found out"),
                "sources": {
                    "type": "array", "items": { "type": "string" },
                    "description": "folders or files to search, among those that this server was started with; all of those if left out",
                },
                "words": whole("the length of the brief, 50 to 5000"),
                "max_cost": text("the most that it may cost, in dollars, as in \"0.50\"; it can only lower the cap of this server"),
                "max_tokens": whole("the most tokens; it can only lower the cap of this server"),
                "wait_seconds": whole("how long to wait for an end: 20 if left out, 600 at most"),
            }),
            &["question"],
            false,
        ),
        tool("runs", "List the runs, the latest first.", json!({}), &[], true),
        tool(
            "run",
            "How a run stands: who is at work, what it waits for, what is spent; and its brief once it has one.",
            json!({ "run": run(), "wait_seconds": whole("how long to wait for it to stop; not at all if left out") }),
            &["run"],
            true,
        ),
        tool(
            "findings",
            "The findings of a run with their quotes and places, as far as there are any.",
            json!({ "run": run() }),
            &["run"],
            true,
        ),
        tool("approve", approves, json!({ "run": run() }), &["run"], false),
        tool(
            "stop",
            "Stop a run that this server works on, where it stands. Nothing more is spent; a person can go on with it.",
            json!({ "run": run() }),
            &["run"],
            false,
        ),
    ])
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedBrief {
    question: String,
    #[serde(default)]
    sources: Vec<PathBuf>,
    words: Option<u32>,
    #[serde(default, deserialize_with = "dollars")]
    max_cost: Option<Money>,
    max_tokens: Option<u64>,
    wait_seconds: Option<u64>,
}

/// Dollars as on the command line, "0.50".
fn dollars<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Money>, D::Error> {
    let written: Option<String> = Option::deserialize(given)?;
    written.map(|written| written.parse().map_err(|why| D::Error::custom(format!("`max_cost`: {why}")))).transpose()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedRun {
    run: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AwaitedRun {
    run: String,
    wait_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedNothing {}

/// Performs a call; None if there is no such tool. Errors are for the agent.
pub(super) fn call(server: &Server, params: &Value, call: &Asked) -> Option<Value> {
    let arguments = match &params["arguments"] {
        Value::Null => Value::Object(Map::new()),
        given => given.clone(),
    };
    let done = match params["name"].as_str()? {
        "brief" => read(arguments).and_then(|asked| brief(server, asked, call)),
        "runs" => read(arguments).and_then(|AskedNothing {}| all(server)),
        "run" => read(arguments).and_then(|asked: AwaitedRun| {
            let (id, _) = server.find(&asked.run)?;
            server.wait_for(&id, patience(asked.wait_seconds, 0), call);
            status(server, &id)
        }),
        "findings" => read(arguments).and_then(|asked: AskedRun| findings(server, &asked.run)),
        "approve" => read(arguments).and_then(|asked: AskedRun| approve(server, &asked.run, call)),
        "stop" => read(arguments).and_then(|asked: AskedRun| stop(server, &asked.run, call)),
        _ => return None,
    };
    let (value, is_error) = match done {
        Ok(value) => (value, false),
        Err(failure) => (json!({ "error": failure.to_string() }), true),
    };
    let text = match value["error"].as_str() {
        Some(why) => why.to_owned(),
        None => text::escape_in_json(serde_json::to_string_pretty(&value).unwrap_or_default()),
    };
    let mut result = json!({ "content": [{ "type": "text", "text": text }], "isError": is_error });
    if !is_error {
        result["structuredContent"] = value;
    }
    Some(result)
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    if !arguments.is_object() {
        return Err(Failure::Usage("the arguments are not right: give an object with a field for each".into()));
    }
    T::deserialize(arguments).map_err(|error| Failure::Usage(format!("the arguments are not right: {error}")))
}

fn patience(seconds: Option<u64>, usual: u64) -> Duration {
    Duration::from_secs(seconds.unwrap_or(usual).min(LONGEST_WAIT))
}

fn brief(server: &Server, asked: AskedBrief, call: &Asked) -> Result<Value, Failure> {
    if asked.words.is_some_and(|words| !(50..=5_000).contains(&words)) {
        return Err(Failure::Usage("`words` is a number from 50 to 5000".into()));
    }
    if asked.max_tokens == Some(0) {
        return Err(Failure::Usage("`max_tokens` is a number above 0".into()));
    }
    let ours = server.args.caps;
    let lower = |ours: Option<u64>, theirs: Option<u64>| ours.into_iter().chain(theirs).min();
    let caps = Caps {
        // Never more than a run would have without the agent's wish.
        max_cost: match asked.max_cost {
            Some(cost) => Some(cost.min(most_a_run(server)?)),
            None => ours.max_cost,
        },
        max_tokens: lower(ours.max_tokens, asked.max_tokens),
        ..ours
    };
    let brief = Brief {
        question: Some(asked.question),
        sources: sources(server, asked.sources)?,
        words: asked.words,
        caps,
        thinking: server.args.thinking.clone(),
        ..Brief::default()
    };
    let prepared = engine::prepare_new(&server.places, &brief)?;
    if let Some(outlook) = prepared.outlook.as_ref().filter(|outlook| outlook.unasked) {
        return Err(Failure::Usage(format!(
            "no setting asks for models that cost money, and nobody is there to ask. Available are {}. A person starts \
             `masthead serve --mcp` with --model to use them, or with --extractive to work without",
            outlook.message()
        )));
    }
    let id = server.work_on(prepared, Policy::Park, call)?;
    server.wait_for(&id, patience(asked.wait_seconds, WAITS), call);
    status(server, &id)
}

/// The most that a run of this server may cost where its models cost anything: the flag, the configuration, or the default.
fn most_a_run(server: &Server) -> Result<Money, Failure> {
    let set = config::load(&server.places.config).map_err(Failure::usage)?.max_cost;
    Ok(server.args.caps.max_cost.or(set).unwrap_or(DEFAULT_CAP))
}

/// The requested sources, if all of them lie within those of the server.
fn sources(server: &Server, asked: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    if asked.is_empty() {
        return Ok(server.sources.clone());
    }
    let allowed = |path: PathBuf| {
        let whole = path.canonicalize().ok();
        // A missing one gets the same answer as a forbidden one.
        whole.filter(|path| server.sources.iter().any(|source| path.starts_with(source))).ok_or_else(|| {
            let there: Vec<String> = server.sources.iter().map(|path| path.display().to_string()).collect();
            Failure::Usage(format!(
                "{} is not among what this server may search, which is below {}",
                path.display(),
                there.join(", ")
            ))
        })
    };
    asked.into_iter().map(allowed).collect()
}

impl Server {
    /// The run with this name, among those that agents may look at.
    fn find(&self, name: &str) -> Result<(RunId, Reader), Failure> {
        let (mut id, reader) = engine::find(&self.places, name)?;
        if name == "last" {
            let rows = reader.runs()?;
            let last = rows.into_iter().find(|row| self.may_see(&reader, &row.id));
            id = last.map(|row| row.id).ok_or_else(|| JournalError::NoSuchRun(name.into()))?;
        }
        match self.may_see(&reader, &id) {
            true => Ok((id, reader)),
            // The same answer as for one that is not there.
            false => Err(JournalError::NoSuchRun(text::Clean::line(name).to_string()).into()),
        }
    }

    /// Whether agents may look at a run: it searched nothing but their own sources.
    fn may_see(&self, reader: &Reader, id: &RunId) -> bool {
        if let Some(known) = self.visible.locked().get(id) {
            return *known;
        }
        let Ok((run, _)) = engine::load(reader, id) else { return false };
        let is_ours = |source: &String| self.sources.iter().any(|ours| Path::new(source).starts_with(ours));
        let may = run.opening.is_some_and(|opening| {
            opening.sources.is_empty() == self.sources.is_empty() && opening.sources.iter().all(is_ours)
        });
        self.visible.locked().insert(id.clone(), may);
        may
    }
}

fn all(server: &Server) -> Result<Value, Failure> {
    let lines = runs::lines(&server.places, MOST_RUNS, |reader, id| server.may_see(reader, id))?;
    Ok(json!({ "runs": lines }))
}

fn status(server: &Server, id: &RunId) -> Result<Value, Failure> {
    let mut value = runs::line_of(&server.places, id.as_str())?;
    let (_, reader) = engine::find(&server.places, id.as_str())?;
    let (run, _) = engine::load(&reader, id)?;
    if let Some(brief) = export::markdown(&run) {
        value["brief"] = brief.into();
    }
    value["next"] = match (run.ended().is_some(), value["active"] == true, run.asks().is_some()) {
        (true, ..) => exit::in_words(&run).unwrap_or_else(|| "it is done".into()).into(),
        (false, _, true) => how_to_approve(id).into(),
        (false, true, _) => format!("it is at work: ask `run` with \"{id}\" and wait_seconds").into(),
        (false, false, _) => format!("nobody works on it: a person goes on with it by `masthead resume {id}`").into(),
    };
    Ok(value)
}

/// It names no command that approves without showing: agents may have a shell.
fn how_to_approve(id: &RunId) -> String {
    format!("it waits for a person, who looks at it with `masthead resume {id}`")
}

fn findings(server: &Server, name: &str) -> Result<Value, Failure> {
    let (id, reader) = server.find(name)?;
    let (run, _) = engine::load(&reader, &id)?;
    let exported = export::json(&run).and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default();
    let findings = &exported["findings"];
    Ok(json!({ "run": id, "question": exported["question"], "state": exported["state"], "findings": findings }))
}

fn approve(server: &Server, name: &str, call: &Asked) -> Result<Value, Failure> {
    let (id, reader) = server.find(name)?;
    if !server.args.let_agents_approve {
        return Err(Failure::Usage(format!("run {id}: {}. No agent can approve it here", how_to_approve(&id))));
    }
    let (run, _) = engine::load(&reader, &id)?;
    if run.ended().is_some() {
        return Err(Failure::Usage(format!("run {id} has ended: there is nothing to approve")));
    }
    // A person's own run may have a higher cap than this server gives an agent.
    let most = most_a_run(server)?;
    if let Some(cap) = run.ledger.run().limits.money().filter(|cap| *cap > most) {
        return Err(Failure::Usage(format!(
            "run {id} may cost {cap}, and an agent may spend {most} here: {}",
            how_to_approve(&id)
        )));
    }
    // The same for tokens, where this server caps them.
    let tokens = run.ledger.run().limits.cap(Cap::Tokens);
    if let Some(most) = server.args.caps.max_tokens.filter(|most| tokens.is_none_or(|cap| cap > *most)) {
        let cap = tokens.map_or_else(|| "any number of".into(), |cap| cap.to_string());
        return Err(Failure::Usage(format!(
            "run {id} may use {cap} tokens, and an agent may use {most} here: {}",
            how_to_approve(&id)
        )));
    }
    drop(reader);
    match engine::prepare_resume(&server.places, id.as_str(), None, &Changes::default())? {
        Found::Theirs { .. } => Err(Failure::Usage(format!("run {id} is at work: there is nothing to approve yet"))),
        Found::Ours(prepared) => {
            server.work_on(*prepared, Policy::Approve, call)?;
            server.wait_for(&id, patience(None, WAITS), call);
            status(server, &id)
        }
    }
}

fn stop(server: &Server, name: &str, call: &Asked) -> Result<Value, Failure> {
    let (id, _) = server.find(name)?;
    server.stop(&id);
    server.wait_for(&id, LONGEST_STOP, call);
    let stands = status(server, &id)?;
    match stands["active"] == true {
        true => Err(Failure::Usage(format!("run {id} is at work in another program: a person stops it there"))),
        false => Ok(stands),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    #[test]
    fn the_help_names_all_tools() {
        let command = Args::command();
        let help = command.find_subcommand("serve").unwrap().get_long_about().unwrap().to_string();
        let (_, named) = help.split_once("Its tools are ").unwrap();
        let named = named.split('.').next().unwrap().replace(" and ", ", ");
        let listed = listed(true);
        let tools: Vec<&str> = listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(named.split(", ").collect::<Vec<_>>(), tools);
    }
}
