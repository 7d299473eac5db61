//! Reads `mcp.json` in the user's configuration directory: servers in the format that other programs use.
//!
//! The file is never read from the working folder or from documents, because its entries are executed.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use text::sha256::{Sha256, hex};
use text::shell::with_home;
use text::{Clean, nearest};

use super::hidden::Hidden;
use super::names::prefix;

/// The most bytes of the file.
const MOST_FILE: u64 = 1 << 20;
/// The timeout for starting a server and listing its tools; the first start may have to download it.
const START: Duration = Duration::from_secs(30);
/// The timeout of one call.
const CALL: Duration = Duration::from_secs(60);
/// The time in which a process must end by itself once its input is closed, and again after a signal.
const TO_END: Duration = Duration::from_millis(400);
/// The longest timeout that may be set, in seconds.
const LONGEST: u64 = 600;

/// The entry of a server in the file.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name in the file.
    pub name: String,
    /// The way to reach it; or the reason that it cannot be reached, in words for the person.
    pub way: Result<Way, String>,
    /// The way to reach it as written in the file, without values of variables, headers and the environment.
    pub shown: Clean,
    /// Whether it is switched off.
    pub is_off: bool,
    /// Keys of its entry that have no effect here.
    pub ignored: Vec<Clean>,
    /// The timeout of its start.
    pub start: Duration,
    /// The timeout of a call.
    pub call: Duration,
    /// The time in which its process must end by itself; a test may give it longer.
    pub(super) to_end: Duration,
    /// The digest of its entry: it changes with the program, its arguments and variables, the address and the headers.
    pub digest: String,
    /// Secrets, to be removed from messages.
    pub(super) hidden: Hidden,
}

/// The way to reach a server.
#[derive(Clone, PartialEq, Eq)]
pub enum Way {
    /// Through the pipes of a process.
    Process {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables in addition to the few that every server gets.
        env: BTreeMap<String, String>,
        /// Its working folder.
        folder: Option<PathBuf>,
    },
    /// Over HTTP.
    Http {
        /// The endpoint.
        url: Url,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

/// The servers cannot be read from the file.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It cannot be read.
    #[error("the servers in {path} cannot be read: {what}")]
    Unreadable { path: PathBuf, what: String },
    /// It does not have the right form.
    #[error("{path} is not right: {what}")]
    Wrong { path: PathBuf, what: String },
}

/// The path of the file.
pub fn path(config_dir: &Path) -> PathBuf {
    config_dir.join("mcp.json")
}

/// Reads the servers, sorted by name; empty if there is no file. `variable` looks up environment variables.
///
/// # Errors
/// The file cannot be read, or is not a list of servers. An invalid entry is listed with its error.
pub fn load(config_dir: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Setting>, SettingsError> {
    let path = path(config_dir);
    let size = match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SettingsError::Unreadable { path, what: error.to_string() }),
        Ok(file) => file.len(),
    };
    if size > MOST_FILE {
        return Err(SettingsError::Wrong { path, what: "it is larger than 1 MiB".into() });
    }
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return Err(SettingsError::Unreadable { path, what: error.to_string() }),
    };
    text::utf8(bytes).and_then(|text| parse(&text, variable)).map_err(|what| SettingsError::Wrong { path, what })
}

fn parse(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Setting>, String> {
    // The parser's message names a position and quotes nothing.
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let form = "it has to be { \"mcpServers\": { \"NAME\": { \"command\": …, \"args\": […] } } }";
    let servers = file.get("mcpServers").or_else(|| file.get("servers")).ok_or(form)?;
    let servers = servers.as_object().ok_or(form)?;
    let mut all: Vec<Setting> = servers.iter().map(|(name, entry)| setting(name, entry, variable)).collect();
    let twice = twice(text);
    for setting in all.iter_mut().filter(|setting| twice.contains(&setting.name)) {
        setting.way = Err("it is in the file twice: keep one".into());
    }
    let mut prefixes: BTreeMap<String, String> = BTreeMap::new();
    for setting in all.iter_mut().filter(|setting| !setting.is_off && setting.way.is_ok()) {
        match prefixes.entry(prefix(&setting.name)) {
            Entry::Vacant(free) => {
                free.insert(setting.name.clone());
            }
            Entry::Occupied(other) => {
                let why =
                    format!("its tools would have the names of those of `{}`: rename one of the two", other.get());
                setting.way = Err(why);
            }
        }
    }
    Ok(all)
}

/// The names of servers that are in the file more than once: of these the parser keeps the last.
fn twice(text: &str) -> BTreeSet<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct File {
        #[serde(rename = "mcpServers")]
        mcp_servers: Names,
        servers: Names,
    }
    #[derive(Default)]
    struct Names(Vec<String>);
    impl<'de> Deserialize<'de> for Names {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
            struct OfTable;
            impl<'de> Visitor<'de> for OfTable {
                type Value = Names;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a table")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Names, A::Error> {
                    let mut names = Vec::new();
                    while let Some((name, IgnoredAny)) = table.next_entry()? {
                        names.push(name);
                    }
                    Ok(Names(names))
                }
            }
            deserializer.deserialize_map(OfTable)
        }
    }
    let file: File = serde_json::from_str(text).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let Names(names) = if file.mcp_servers.0.is_empty() { file.servers } else { file.mcp_servers };
    names.into_iter().filter(|name| !seen.insert(name.clone())).collect()
}

fn setting(name: &str, entry: &Value, variable: &dyn Fn(&str) -> Option<String>) -> Setting {
    let empty = Map::new();
    let fields = entry.as_object().unwrap_or(&empty);
    let mut values = Values { variable, hidden: Hidden::default() };
    let mut way = if entry.is_object() { way(fields, &mut values) } else { Err("its entry is no object".into()) };
    if name.trim().is_empty() || Clean::line(name) != *name || name.len() > 100 {
        way = Err("its name is empty, too long, or has characters that cannot be shown".into());
    }
    let seconds = |key: &str, usual: Duration| match fields.get(key) {
        None => Ok(usual),
        Some(value) => match value.as_u64() {
            Some(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
            _ => Err(format!("`{key}` is a number of seconds from 1 to {LONGEST}")),
        },
    };
    let (start, call) = (seconds("startup_timeout_sec", START), seconds("tool_timeout_sec", CALL));
    for wrong in [&start, &call].into_iter().filter_map(|read| read.as_ref().err()) {
        way = Err(wrong.clone());
    }
    let switch = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(is)) => Ok(Some(*is)),
        Some(_) => Err(format!("`{key}` is neither true nor false, without quotes")),
    };
    let (disabled, enabled) = (switch("disabled"), switch("enabled"));
    for wrong in [&disabled, &enabled].into_iter().filter_map(|read| read.as_ref().err()) {
        way = Err(wrong.clone());
    }
    let ignored = fields.keys().filter(|key| !KNOWN.contains(&key.as_str())).map(|key| Clean::line(key)).collect();
    let digested: Map<String, Value> =
        fields.iter().filter(|(key, _)| POWER.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect();
    Setting {
        name: name.to_owned(),
        way,
        shown: shown(fields),
        is_off: disabled == Ok(Some(true)) || enabled == Ok(Some(false)),
        ignored,
        start: start.unwrap_or(START),
        call: call.unwrap_or(CALL),
        to_end: TO_END,
        digest: hex(&Sha256::digest(Value::Object(digested).to_string())),
        hidden: values.hidden,
    }
}

/// The keys of an entry that decide on the program or the address.
const POWER: [&str; 6] = ["command", "args", "env", "cwd", "url", "headers"];
/// All keys of an entry that have an effect here.
const KNOWN: [&str; 11] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "type",
    "disabled",
    "enabled",
    "startup_timeout_sec",
    "tool_timeout_sec",
];

fn way(fields: &Map<String, Value>, values: &mut Values<'_>) -> Result<Way, String> {
    let text = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is no text")),
    };
    if fields.get("type").and_then(Value::as_str) == Some("sse") {
        return Err(
            "the old transport `sse` is not supported: most servers offer `http` (streamable HTTP) as well".into()
        );
    }
    match (text("command")?, text("url")?) {
        (Some(_), Some(_)) => Err("it has both a `command` and a `url`: keep one".into()),
        (None, None) => {
            let meant = fields.keys().find_map(|key| Some((key, nearest(key, ["command", "url"])?)));
            let meant = meant.map(|(key, meant)| format!(": is `{}` to be `{meant}`?", Clean::line(key)));
            Err(format!("it has neither a `command` nor a `url`{}", meant.unwrap_or_default()))
        }
        (Some(program), None) => {
            let args = match fields.get("args") {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(args)) => {
                    let args = args.iter().map(|arg| arg.as_str().ok_or("`args` is no list of texts"));
                    args.map(|arg| values.fill(arg?)).collect::<Result<_, String>>()?
                }
                Some(_) => return Err("`args` is no list of texts".into()),
            };
            let env = texts(fields, "env", values, looks_secret)?;
            let home = (values.variable)("HOME");
            let of_home = |path: String| with_home(&path, home.as_deref());
            let folder = text("cwd")?.map(|folder| values.fill(&folder).map(of_home).map(PathBuf::from)).transpose()?;
            if folder.as_ref().is_some_and(|folder| folder.is_relative()) {
                return Err("`cwd` is a relative path: give the whole one".into());
            }
            Ok(Way::Process { program: of_home(values.fill(&program)?), args, env, folder })
        }
        (None, Some(url)) => {
            let url = url_of(&values.fill(&url)?)?;
            Ok(Way::Http { url, headers: texts(fields, "headers", values, |_| true)? })
        }
    }
}

fn url_of(raw: &str) -> Result<Url, String> {
    let url = Url::parse(raw.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let url = url.ok_or("`url` has to begin with https://, or with http:// for a server on this machine")?;
    if names_user(&url) {
        return Err("a password has no place in an address: put it into `headers`".into());
    }
    if url.scheme() == "http" && !http_client::near::is_near(&url) {
        return Err("what is asked and answered would cross the network for all to read: use https. http:// is for \
                    servers on this machine and in your own network"
            .into());
    }
    Ok(url)
}

/// Whether an address holds a user name or a password.
fn names_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// An address as written, without user, password and query, which may contain a key.
fn shown_address(raw: &str) -> &str {
    let address = raw.split(['?', '#']).next().unwrap_or_default();
    match Url::parse(address.trim()) {
        Ok(url) if !names_user(&url) => address,
        // Of one that is no address either, all that could be a password is left out.
        _ => address.rsplit('@').next().unwrap_or_default(),
    }
}

/// A table of texts, with their placeholders filled in; the values that `hides` selects are removed from all messages.
fn texts(
    fields: &Map<String, Value>,
    key: &str,
    values: &mut Values<'_>,
    hides: fn(&str) -> bool,
) -> Result<BTreeMap<String, String>, String> {
    let table = match fields.get(key) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(table)) => table,
        Some(_) => return Err(format!("`{key}` is no table of texts")),
    };
    let filled = table.iter().map(|(name, value)| {
        let value = value.as_str().ok_or_else(|| format!("`{key}` is no table of texts"))?;
        let filled = values.fill(value)?;
        if hides(name) {
            values.hidden.add_secret(&filled);
            // The token of `Bearer TOKEN` is a secret by itself too.
            filled.split_whitespace().for_each(|part| values.hidden.add_secret(part));
        }
        Ok((name.clone(), filled))
    });
    filled.collect()
}

fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTH"].iter().any(|word| name.contains(word))
}

/// The way in which the entry is reached, for display.
fn shown(fields: &Map<String, Value>) -> Clean {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let words = match (text("command"), text("url")) {
        (Some(program), _) => {
            let args = fields.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            std::iter::once(program).chain(args).collect::<Vec<_>>().join(" ")
        }
        (None, Some(url)) => shown_address(url).into(),
        (None, None) => String::new(),
    };
    let names =
        |key: &str| fields.get(key).and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str());
    let names: Vec<&str> = names("env").chain(names("headers")).collect();
    Clean::line(&if names.is_empty() { words } else { format!("{words} (with {})", names.join(", ")) })
}

/// Fills in `${NAME}`, `${NAME:-otherwise}` and `${env:NAME}`.
struct Values<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    hidden: Hidden,
}

impl Values<'_> {
    fn fill(&mut self, text: &str) -> Result<String, String> {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, (slot, after))) =
            rest.split_once("${").and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            filled.push_str(before);
            rest = after;
            let (name, otherwise) = slot.split_once(":-").map_or((slot, None), |(name, value)| (name, Some(value)));
            let name = name.strip_prefix("env:").unwrap_or(name);
            match ((self.variable)(name).filter(|value| !value.is_empty()), otherwise) {
                (Some(value), _) => {
                    filled.push_str(&value);
                    match looks_secret(name) {
                        true => self.hidden.add_secret(&value),
                        false => self.hidden.add(&value),
                    }
                }
                (None, Some(otherwise)) => filled.push_str(otherwise),
                (None, None) => return Err(format!("the variable {} is not set", Clean::line(name))),
            }
        }
        Ok(filled + rest)
    }
}

impl Setting {
    /// A text of the server without secrets.
    pub(super) fn without_hidden(&self, text: &str) -> String {
        self.hidden.taken_out_of(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Setting> {
        let variable = |name: &str| match name {
            "KB_TOKEN" => Some("canary-of-a-token".to_owned()),
            "HOME" => Some("/home/ada".to_owned()),
            _ => None,
        };
        parse(text, &variable).unwrap()
    }

    fn one(entry: &str) -> Setting {
        read(&format!(r#"{{"mcpServers":{{"a":{entry}}}}}"#)).remove(0)
    }

    #[test]
    fn of_two_servers_whose_tools_would_have_the_same_names_one_is_left_out() {
        let all = read(
            r#"{"mcpServers":{"my.db":{"command":"a"},"my_db":{"command":"b"},"my-db":{"command":"c"},
                "my db":{"command":"d","disabled":true}}}"#,
        );
        let wrong = |setting: &Setting| Some((setting.name.clone(), setting.way.as_ref().err()?.clone()));
        let wrong: Vec<(String, String)> = all.iter().filter_map(wrong).collect();
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].0 == "my_db" && wrong[0].1.contains("those of `my.db`: rename one"), "{wrong:?}");
    }

    #[test]
    fn a_server_that_is_in_the_file_twice_is_not_used_and_the_home_is_found_in_its_paths() {
        let all = read(
            r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"~/bin/b","cwd":"~/notes"},"a":{"command":"y"}}}"#,
        );
        assert_eq!(all[0].way.as_ref().err().map(String::as_str), Some("it is in the file twice: keep one"));
        let Ok(Way::Process { program, folder, .. }) = &all[1].way else { panic!("no process") };
        assert_eq!((program.as_str(), folder.as_deref()), ("/home/ada/bin/b", Some(Path::new("/home/ada/notes"))));
    }

    #[test]
    fn entries_are_taken_as_other_programs_write_them() {
        let all = read(
            r#"{"mcpServers":{
                "files":{"command":"npx","args":["-y","server","${HOME_OF_FILES:-/docs}"],"env":{"LOG":"warn"},"autoApprove":[]},
                "kb":{"type":"http","url":"https://kb.example/mcp?key=1","headers":{"Authorization":"Bearer ${env:KB_TOKEN}"},
                      "startup_timeout_sec":5,"disabled":true}}}"#,
        );
        let Ok(Way::Process { program, args, env, .. }) = &all[0].way else { panic!("no process") };
        assert_eq!((program.as_str(), args[2].as_str(), env["LOG"].as_str()), ("npx", "/docs", "warn"));
        assert_eq!(all[0].shown.as_str(), "npx -y server ${HOME_OF_FILES:-/docs} (with LOG)");
        assert_eq!(all[0].ignored, [Clean::from("autoApprove")]);
        let Ok(Way::Http { headers, .. }) = &all[1].way else { panic!("no address") };
        assert_eq!(headers["Authorization"], "Bearer canary-of-a-token");
        assert_eq!(all[1].shown.as_str(), "https://kb.example/mcp (with Authorization)");
        assert_eq!((all[1].is_off, all[1].start), (true, Duration::from_secs(5)));
        assert_eq!(all[1].without_hidden("it got canary-of-a-token"), "it got ***");
    }

    #[test]
    fn what_is_wrong_with_an_entry_is_said_of_that_entry_alone() {
        for (entry, says) in [
            ("7", "no object"),
            ("{}", "neither"),
            (r#"{"command":"a","url":"https://b"}"#, "keep one"),
            (r#"{"command":["a"]}"#, "`command` is no text"),
            (r#"{"command":"a","args":"b"}"#, "no list of texts"),
            (r#"{"command":"a","args":[7]}"#, "no list of texts"),
            (r#"{"command":"a","env":{"A":7}}"#, "no table"),
            (r#"{"command":"a","env":{"A":"${NOT_SET}"}}"#, "NOT_SET is not set"),
            (r#"{"command":"a","cwd":"here"}"#, "relative"),
            (r#"{"command":"a","tool_timeout_sec":0}"#, "from 1 to 600"),
            (r#"{"command":"a","disabled":"true"}"#, "`disabled` is neither true nor false, without quotes"),
            (r#"{"command":"a","enabled":0}"#, "`enabled` is neither"),
            (r#"{"comand":"a"}"#, "is `comand` to be `command`?"),
            (r#"{"url":"ftp://a"}"#, "https://"),
            (r#"{"url":"http://kb.example/mcp"}"#, "use https"),
            (r#"{"url":"https://user:canary@kb.example/mcp"}"#, "no place in an address"),
            (r#"{"url":"https://canary@kb.example/@owner/mcp"}"#, "no place in an address"),
            (r#"{"url":"https://user:can/ary@kb.example/mcp"}"#, "https://"),
            (r#"{"type":"sse","url":"https://kb.example/sse"}"#, "streamable HTTP"),
        ] {
            let why = one(entry).way.err().unwrap_or_else(|| panic!("{entry} is taken"));
            assert!(why.contains(says) && !why.contains("canary"), "{entry}: {why}");
        }
        assert!(one(r#"{"url":"http://127.0.0.1:8000/mcp"}"#).way.is_ok());
        for file in ["", "[]", "{}", r#"{"mcpServers":[]}"#] {
            assert!(parse(file, &|_| None).is_err(), "{file}");
        }
        assert!(read(r#"{"servers":{"a":{"command":"b"}}}"#)[0].way.is_ok());
    }

    #[test]
    fn an_address_may_hold_an_at_sign_in_its_path_and_is_shown_without_a_password() {
        let shown = |entry: &str| one(entry).shown.to_string();
        let scoped = r#"{"url":"https://kb.example/@owner/server/mcp?key=canary"}"#;
        assert!(one(scoped).way.is_ok());
        assert_eq!(shown(scoped), "https://kb.example/@owner/server/mcp");
        assert_eq!(shown(r#"{"url":"https://${TENANT}/@owner/mcp"}"#), "https://${TENANT}/@owner/mcp");
        for entry in [
            r#"{"url":"https://user:canary@kb.example/mcp"}"#,
            r#"{"url":"https://user:can/ary@kb.example/mcp"}"#,
            r#"{"url":"https:user:canary@kb.example/mcp"}"#,
        ] {
            assert_eq!(shown(entry), "kb.example/mcp", "{entry}");
        }
    }

    #[test]
    fn another_power_is_another_digest_and_a_timeout_is_none() {
        let usual = one(r#"{"command":"a","args":["b"]}"#).digest;
        assert_eq!(usual, one(r#"{"args":["b"],"command":"a","tool_timeout_sec":9,"disabled":true}"#).digest);
        for other in [
            r#"{"command":"a","args":["c"]}"#,
            r#"{"command":"b","args":["b"]}"#,
            r#"{"command":"a","args":["b"],"env":{"X":"1"}}"#,
            r#"{"command":"a","args":["b"],"cwd":"/"}"#,
        ] {
            assert_ne!(usual, one(other).digest, "{other}");
        }
    }

    #[test]
    fn a_folder_without_the_file_has_no_servers() {
        assert!(load(Path::new("/nowhere"), &|_| None).unwrap().is_empty());
    }
}
