//! The person's approvals: for each server, the digests of its entry and its tools.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::settings::Setting;
use super::tools::Listing;

/// The approved servers, as stored in the data directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    servers: BTreeMap<String, Pin>,
}

/// The approval of a server: digests of its entry and its tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The digest of its entry.
    entry: String,
    /// The digest of all its tools.
    tools: String,
    /// The digest of each tool.
    each: BTreeMap<String, String>,
    /// The texts that models read of each tool, to show the new part. Empty for those that were approved without.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    texts: BTreeMap<String, Vec<String>>,
}

/// The approval of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was never approved.
    New,
    /// Its entry in the file differs from the approved one.
    EntryChanged,
    /// Its entry was approved; its tools are compared once it lists them.
    Known,
}

/// Approvals cannot be read or stored.
#[derive(Debug, thiserror::Error)]
#[error("the approvals of MCP servers in {path} cannot be {what}: {why}")]
pub struct PinError {
    path: PathBuf,
    what: &'static str,
    why: String,
}

impl Pin {
    /// The approval of a server with these tools.
    pub fn new(setting: &Setting, listing: &Listing) -> Pin {
        let each = listing.tools.iter().map(|tool| (tool.name.clone(), tool.digest.clone())).collect();
        let texts = listing.tools.iter().map(|tool| (tool.name.clone(), tool.texts())).collect();
        Pin { entry: setting.digest.clone(), tools: listing.digest(), each, texts }
    }

    /// Whether these are the approved tools.
    pub fn has(&self, listing: &Listing) -> bool {
        self.tools == listing.digest()
    }

    /// The names of the approved tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.each.keys().map(String::as_str)
    }

    /// The differences from the approved tools, in a few words each.
    pub fn differences(&self, listing: &Listing) -> Vec<String> {
        let now: BTreeMap<&String, &String> = listing.tools.iter().map(|tool| (&tool.name, &tool.digest)).collect();
        let removed = self.each.keys().filter(|name| !now.contains_key(name)).map(|name| format!("{name} is gone"));
        let other = now.iter().filter_map(|(name, digest)| match self.each.get(*name) {
            None => Some(format!("{name} is new")),
            Some(then) if then != *digest => Some(format!("{name} is described otherwise")),
            Some(_) => None,
        });
        removed.chain(other).collect()
    }

    /// The lines of each approved tool that are new (`+ …`) or gone (`- …`) in the texts that models read of it; not those of tools
    /// whose texts were not kept.
    pub fn other_texts(&self, listing: &Listing) -> Vec<(String, Vec<String>)> {
        let changed = listing.tools.iter().filter_map(|tool| {
            let (then, now) = (self.texts.get(&tool.name)?, tool.texts());
            let gone = then.iter().filter(|line| !now.contains(line)).map(|line| format!("- {line}"));
            let new = now.iter().filter(|line| !then.contains(line)).map(|line| format!("+ {line}"));
            Some((tool.name.clone(), gone.chain(new).collect::<Vec<_>>()))
        });
        changed.filter(|(_, lines)| !lines.is_empty()).collect()
    }
}

impl Pins {
    fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("mcp-approved.json")
    }

    /// Loads the approvals; empty if there is no file.
    ///
    /// # Errors
    /// The file exists and cannot be read: nothing counts as approved then.
    pub fn load(data_dir: &Path) -> Result<Pins, PinError> {
        let path = Pins::path(data_dir);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Pins::default()),
            read => read.map_err(|error| error.to_string()),
        };
        let read = text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        read.map_err(|why| PinError { path, what: "read", why })
    }

    /// Stores the approvals, replacing the file atomically.
    ///
    /// # Errors
    /// The file cannot be written; the previous one stays.
    pub fn keep(&self, data_dir: &Path) -> Result<(), PinError> {
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(data_dir)?;
            file.write_all(serde_json::to_string_pretty(self)?.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(Pins::path(data_dir)).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| PinError { path: Pins::path(data_dir), what: "kept", why: error.to_string() })
    }

    /// The approval of a server: digests of its entry and its tools.
    pub fn of(&self, name: &str) -> Option<&Pin> {
        self.servers.get(name)
    }

    /// The state of a server's approval.
    pub fn standing(&self, setting: &Setting) -> Standing {
        match self.of(&setting.name) {
            None => Standing::New,
            Some(pin) if pin.entry != setting.digest => Standing::EntryChanged,
            Some(_) => Standing::Known,
        }
    }

    /// Approves a server.
    pub fn approve(&mut self, name: &str, pin: Pin) {
        self.servers.insert(name.to_owned(), pin);
    }

    /// Revokes an approval; returns whether there was one.
    pub fn forget(&mut self, name: &str) -> bool {
        self.servers.remove(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn setting(args: &str) -> Setting {
        let dir = tempfile::tempdir().unwrap();
        let file = json!({ "mcpServers": { "a": { "command": "b", "args": [args] } } });
        std::fs::write(dir.path().join("mcp.json"), file.to_string()).unwrap();
        super::super::load(dir.path(), &|_| None).unwrap().remove(0)
    }

    fn tools(listed: &[Value]) -> Listing {
        Listing::of(listed)
    }

    #[test]
    fn a_server_is_known_with_the_entry_and_the_tools_that_were_approved_and_with_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let then = tools(&[json!({ "name": "read" }), json!({ "name": "list" })]);
        let mut pins = Pins::load(dir.path()).unwrap();
        assert_eq!(pins.standing(&setting("x")), Standing::New);
        pins.approve("a", Pin::new(&setting("x"), &then));
        pins.keep(dir.path()).unwrap();
        let mut pins = Pins::load(dir.path()).unwrap();
        assert_eq!(pins.standing(&setting("x")), Standing::Known);
        assert_eq!(pins.standing(&setting("y")), Standing::EntryChanged);
        let pin = pins.of("a").unwrap();
        assert!(pin.has(&then) && pin.differences(&then).is_empty());
        let now = tools(&[json!({ "name": "read", "description": "and sends" }), json!({ "name": "write" })]);
        assert!(!pin.has(&now));
        assert_eq!(pin.differences(&now), ["list is gone", "read is described otherwise", "write is new"]);
        assert_eq!(pin.other_texts(&now), [("read".to_owned(), vec!["+ and sends".to_owned()])]);
        assert!(pins.forget("a") && !pins.forget("a"));
        assert_eq!(pins.standing(&setting("x")), Standing::New);
    }

    #[test]
    fn approvals_that_cannot_be_read_approve_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(Pins::path(dir.path()), "{").unwrap();
        let why = Pins::load(dir.path()).unwrap_err().to_string();
        assert!(why.contains("mcp-approved.json cannot be read"), "{why}");
    }
}
