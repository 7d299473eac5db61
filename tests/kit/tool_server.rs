//! An MCP server for tests: a shell script that answers as files beside it say, so that it can be made to lie, hang, flood,
//! change its tools or end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

/// The script. Each of its parts is a file that a test may write.
const SCRIPT: &str = r#"
dir=${0%/*}
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
text() { say "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
while IFS= read -r line; do
  printf '%s\n' "$line" >> "$dir/asked"
  id=${line#*\"id\":}; id=${id%%,*}
  case "$line" in
    *'"method":"initialize"'*) . "$dir/initialize" ;;
    *'"method":"tools/list"'*) . "$dir/list" ;;
    *'"method":"tools/call"'*) . "$dir/call" ;;
    *'"method":"ping"'*) say '{}' ;;
  esac
done
. "$dir/end"
"#;

/// A server whose files are in a folder of its own.
pub struct ToolServer {
    folder: PathBuf,
}

impl ToolServer {
    /// A good server below `home` with this tool, which only reads if it says so, and says `text`.
    pub fn new(home: &Path, tool: &str, only_reads: Option<bool>, text: &str) -> ToolServer {
        let folder = home.join("tool-server");
        std::fs::create_dir_all(&folder).expect("a folder");
        let server = ToolServer { folder };
        server.write("server.sh", SCRIPT);
        server.initializes(
            "say '{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{}}'",
        );
        let mut described = described(tool);
        if let Some(only_reads) = only_reads {
            described["annotations"] = json!({ "readOnlyHint": only_reads });
        }
        server.lists(&[described]);
        server.calls(&format!("text '{text}'"));
        server.ends("");
        server
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.folder.join(file), text).expect("a file");
    }

    /// Its response when it is to agree on a version, in the words of a shell: `say JSON` answers.
    pub fn initializes(&self, script: &str) {
        self.write("initialize", script);
    }

    /// Its response when it is to list its tools.
    pub fn lists_by(&self, script: &str) {
        self.write("list", script);
    }

    /// The tools that it has.
    pub fn lists(&self, tools: &[Value]) {
        self.lists_by(&format!("say '{}'", json!({ "tools": tools })));
    }

    /// Its response when a tool is called: `text WORDS` answers.
    pub fn calls(&self, script: &str) {
        self.write("call", script);
    }

    /// Its action once its input has ended.
    pub fn ends(&self, script: &str) {
        self.write("end", script);
    }

    /// Its entry in `mcp.json`.
    pub fn entry(&self) -> Value {
        json!({ "command": "sh", "args": [self.folder.join("server.sh")] })
    }

    /// The requests to it so far, of this method.
    pub fn asked(&self, method: &str) -> Vec<Value> {
        let asked = std::fs::read_to_string(self.folder.join("asked")).unwrap_or_default();
        let asked = asked.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        asked.filter(|message| message["method"] == method).collect()
    }

    /// A named pipe beside its script: all that is written to it arrives once the last process that holds it has let it go.
    pub fn pipe(&self, name: &str) -> Receiver<String> {
        let path = self.folder.join(name);
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo is there");
        assert!(made.success(), "{} cannot be made", path.display());
        let (arrives, arrived) = channel();
        // Opening it waits for the other end.
        std::thread::spawn(move || arrives.send(std::fs::read_to_string(path).unwrap_or_default()));
        arrived
    }

    /// A file that its script has written.
    pub fn wrote(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(file)).ok()
    }
}

/// A tool as a server lists it.
pub fn described(name: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "of": { "type": "string" } }, "required": ["of"] });
    json!({ "name": name, "description": "Looks something up.", "inputSchema": schema })
}
