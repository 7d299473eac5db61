//! Servers on this machine, where the system has a proxy.

use kit::server::{Said, Scripted};
use serde_json::json;

use crate::masthead;

#[test]
fn nothing_that_is_for_a_server_on_this_machine_goes_to_a_proxy() {
    let proxy = Scripted::start(|_| Said::new(502, "text/plain", "no way"));
    let (tools, collector) = (Scripted::start(|_| Said::new(500, "text/plain", "")), Scripted::start(|_| ok("{}")));
    let search = Scripted::start(|_| ok(r#"{"results":[]}"#));
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    let entry = json!({ "url": tools.url("/mcp"), "headers": { "Authorization": "Bearer canary-0123456789" } });
    std::fs::write(config.join("mcp.json"), json!({ "mcpServers": { "kb": entry } }).to_string()).unwrap();
    let begin = |args: &[&str]| {
        let mut command = masthead(home.path());
        for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(variable, proxy.url(""));
        }
        command.env("SEARXNG_URL", search.url("")).env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(""));
        command.args(args).output().unwrap();
    };
    begin(&["mcp", "approve", "kb", "--yes"]);
    begin(&["brief", "How fast is a heap?", "--web", "searxng", "--headless", "--yes"]);
    for (what, server) in [("an MCP server", &tools), ("a search backend", &search), ("a collector", &collector)] {
        assert!(!server.asked().is_empty(), "{what} is not asked");
    }
    assert!(proxy.asked().is_empty(), "{:?}", proxy.asked());
}

fn ok(body: &str) -> Said {
    Said::new(200, "application/json", body)
}
