//! A canary: a key that a server sends back in every way it can, and that is to be seen nowhere. With the real binary.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use kit::server::{Asked, Said, Scripted};
use serde_json::json;

const KEY: &str = "sk-canary-7f3e+Q9zX5/vK2mN8pL4wT6yR1";
/// The signs of it that may be seen nowhere: anything beyond its first characters, as it is, percent-encoded, and in base64 at each
/// of the three places where it may begin.
const SIGNS: &[&str] = &[
    "7f3e+Q9z",
    "X5/vK2mN8",
    "vK2mN8pL4wT6",
    "7f3e%2BQ9z",
    "X5%2FvK2mN8",
    "LWNhbmFyeS03ZjNlK1E5elg1L3ZLMm1OOHBMNHdUNn",
    "Y2FuYXJ5LTdmM2UrUTl6WDUvdksybU44cEw0d1Q2",
    "1jYW5hcnktN2YzZStROXpYNS92SzJtTjhwTDR3VDZ5",
];

fn documents(home: &Path) -> PathBuf {
    let docs = home.join("docs");
    std::fs::create_dir_all(&docs).unwrap();
    std::fs::write(docs.join("heaps.md"), "# Heaps\n\nPushing onto a heap takes logarithmic time.\n").unwrap();
    docs
}

/// The program as talkative as it can be made.
fn masthead(home: &Path) -> Command {
    let mut command = crate::masthead(home);
    command.env("MASTHEAD_LOG", "trace").env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full");
    command
}

fn saw(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for sign in SIGNS {
        let at = text.find(sign).map(|at| text[at.saturating_sub(200)..].chars().take(400).collect::<String>());
        assert!(at.is_none(), "{what} holds {sign}: {at:?}");
    }
}

/// Runs it; its output holds no key. Returns its exit code and all output.
fn run(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let what = format!("the output of {:?}", command.get_args().collect::<Vec<_>>());
    saw(&what, &output.stdout);
    saw(&what, &output.stderr);
    let all = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&all).into_owned())
}

/// Every file that was written holds no key; how many there were, and how much.
fn search(folder: &Path) -> (usize, usize) {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (more, larger) = search(&path);
            (files, bytes) = (files + more, bytes + larger);
        } else {
            let content = std::fs::read(&path).unwrap();
            saw(&path.display().to_string(), &content);
            (files, bytes) = (files + 1, bytes + content.len());
        }
    }
    (files, bytes)
}

/// The key as a server sees it.
fn key_of(asked: &Asked) -> Option<String> {
    let bearer = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    asked.header("x-api-key").or(bearer).or(asked.header("x-team")).map(str::to_owned)
}

/// Headers that say it.
fn echoed(said: Said, key: &str) -> Said {
    let said = said.with("request-id", key).with("x-request-id", key).with("retry-after", key);
    said.with("x-ratelimit-remaining-requests", key).with("server", key).with("set-cookie", key)
}

/// Text in pieces that tear it apart.
fn torn(key: &str) -> Vec<String> {
    let text = format!("Your key is {key}, in base64 c2stY2FuYXJ5LTdmM2UrUTl6WDUvdksybU44cEw0d1Q2eVIx. Keep it.");
    text.as_bytes().chunks(7).map(|piece| String::from_utf8(piece.to_vec()).unwrap()).collect()
}

fn anthropic(key: &str, ends: bool) -> Vec<u8> {
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": key, "model": key, "content": [],
            "usage": {"input_tokens": 50, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": key}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": key}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
    ];
    events.extend(torn(key).iter().map(
        |piece| json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}}),
    ));
    if ends {
        let arguments = json!({"query": key, key: [key]}).to_string();
        events.extend([
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "content_block_start", "index": 2,
                "content_block": {"type": "tool_use", "id": key, "name": "search", "input": {}}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": arguments}}),
            json!({"type": "content_block_stop", "index": 2}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30}}),
            json!({"type": "message_stop"}),
        ]);
    }
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

fn openai(key: &str, ends: bool) -> Vec<u8> {
    let chunk = |delta: serde_json::Value| json!({"id": key, "model": key, "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut events = vec![chunk(json!({"reasoning_content": key}))];
    events.extend(torn(key).iter().map(|piece| chunk(json!({"content": piece}))));
    if ends {
        let arguments = json!({"query": key, key: [key]}).to_string();
        let call = json!([{"index": 0, "id": key, "type": "function", "function": {"name": "search", "arguments": arguments}}]);
        events.push(chunk(json!({"tool_calls": call})));
        events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 30}}));
    }
    let mut text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    text.push_str(if ends { "data: [DONE]\n\n" } else { "" });
    text.into_bytes()
}

/// A server that sends back the key in an error, in a cut answer, in whole answers, and at last refuses it.
fn echo(format: fn(&str, bool) -> Vec<u8>) -> Scripted {
    let calls = AtomicUsize::new(0);
    Scripted::start(move |asked| {
        let Some(key) = key_of(asked) else { return Said::new(401, "text/plain", "who are you?") };
        if asked.method == "GET" && asked.path().ends_with("/models") {
            let models = json!({"data": [{"id": "claude-haiku-5-5"}, {"id": key}, {"id": "m", "owned_by": key}]});
            return echoed(Said::new(200, "application/json", models.to_string()), &key);
        }
        let error =
            json!({"error": {"type": "api_error", "message": format!("no: {key}"), "code": key}, "request_id": key});
        let stream = |ends| Said::new(200, "text/event-stream", format(&key, ends));
        let said = match calls.fetch_add(1, Ordering::SeqCst) {
            0 => Said::new(500, "application/json", error.to_string()),
            1 => stream(false),
            2 => Said::new(307, "text/plain", key.as_str()).with("location", &format!("https://x.example/{key}?{key}")),
            n @ 3..12 if n % 3 != 2 => stream(true),
            3..12 => Said::new(502, "text/html", format!("<html><title>{key}</title>{key}</html>")),
            _ => Said::new(401, "application/json", error.to_string()),
        };
        echoed(said, &key)
    })
}

/// Everything there is to do with a run and a provider.
fn whole_life(home: &Path, setting: &dyn Fn(&mut Command), model: &str) {
    let docs = documents(home);
    let with = |arguments: &[&str]| {
        let mut command = masthead(home);
        setting(command.args(arguments));
        command
    };
    let price = format!("{model}=1,2");
    let brief = |more: &[&str]| {
        let mut command =
            with(&["brief", "How fast is a heap?", "--headless", "--yes", "--model", model, "--price", &price]);
        command.arg("--sources").arg(&docs).args(more);
        command
    };
    for more in [&[][..], &["--events", "jsonl"], &[]] {
        let (code, printed) = run(&mut brief(more));
        assert!((0..=4).contains(&code) && code != 2, "{code}: {printed}");
    }
    for arguments in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["doctor", "--test"],
        &["doctor", "--test", "--json"],
        &["runs", "--json"],
        &["export", "last"],
        &["export", "last", "--format", "json"],
        &["journal", "dump"],
        &["replay", "last"],
        &["resume", "last", "--headless", "--yes"],
    ] {
        let (_, printed) = run(&mut with(arguments));
        if arguments[0] == "journal" {
            // Whole answers came through, with something else where the key was.
            assert!(printed.contains("Your key is ***, in base64") && printed.contains("Keep it."), "{printed}");
        }
    }
    let (files, bytes) = search(&home.join("data"));
    assert!(files > 3 && bytes > 20_000, "{files} files, {bytes} bytes");
}

#[test]
fn a_key_that_comes_back_by_whichever_way_is_in_no_output_and_no_file() {
    for (variable, base, model, format) in [
        (
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "anthropic/claude-haiku-5-5",
            anthropic as fn(&str, bool) -> Vec<u8>,
        ),
        ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "anthropic/claude-haiku-5-5", anthropic),
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", "openai/gpt-6-luna", openai),
        ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "openrouter/m", openai),
    ] {
        let (home, server) = (tempfile::tempdir().unwrap(), echo(format));
        let setting = |command: &mut Command| {
            command.env(variable, KEY).env(base, server.url("/v1"));
        };
        whole_life(home.path(), &setting, model);
        let keys = server.asked().iter().filter(|asked| key_of(asked).is_some_and(|key| key == KEY)).count();
        assert!(keys >= 10, "{variable}: the server has seen the key {keys} times");
    }
}

#[test]
fn a_key_of_the_configuration_or_a_further_header_is_as_secret_as_any() {
    let key = |source: &str| format!("[providers.mine]\nbase_url = \"URL\"\n{source}\n");
    for source in [
        key("api_key_env = \"MY_OWN\""),
        key(&format!("api_key_cmd = [\"/bin/echo\", \"{KEY}\"]")),
        key(&format!("headers = {{ X-Team = \"{KEY}\" }}")),
    ] {
        let (home, server) = (tempfile::tempdir().unwrap(), echo(openai));
        let folder = home.path().join(".config/masthead");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), source.replace("URL", &server.url("/v1"))).unwrap();
        let setting = |command: &mut Command| {
            command.env("MY_OWN", KEY);
        };
        whole_life(home.path(), &setting, "mine/m");
        assert!(server.asked().iter().any(|asked| key_of(asked).is_some_and(|key| key == KEY)), "{source}");
    }
    let (home, server) = (tempfile::tempdir().unwrap(), echo(anthropic));
    let setting = |command: &mut Command| {
        command.env("ANTHROPIC_BASE_URL", server.url("")).env("ANTHROPIC_API_KEY", "sk-another-0123456789");
        command.env("ANTHROPIC_CUSTOM_HEADERS", format!("X-Team: {KEY}"));
    };
    whole_life(home.path(), &setting, "anthropic/claude-haiku-5-5");
    assert!(server.asked().iter().any(|asked| asked.header("x-team") == Some(KEY)));
}

#[test]
fn an_address_or_a_setting_with_a_key_in_it_is_refused_without_showing_it() {
    for (variable, value) in [
        ("ANTHROPIC_BASE_URL", format!("https://{KEY}@api.example")),
        ("ANTHROPIC_BASE_URL", format!("https://me:{KEY}@api.example/v1")),
        ("ANTHROPIC_BASE_URL", format!("https://api.example/v1?key={KEY}")),
        ("ANTHROPIC_BASE_URL", format!("https://api.example/v1#{KEY}")),
        ("ANTHROPIC_BASE_URL", format!("{KEY}@api.example")),
        ("ANTHROPIC_CUSTOM_HEADERS", KEY.into()),
        ("ANTHROPIC_API_KEY", format!("{KEY} and more")),
        ("OLLAMA_HOST", format!("http://me:{KEY}@127.0.0.1:9")),
        ("HTTPS_PROXY", format!("http://me:{KEY}@127.0.0.1:9")),
    ] {
        let home = tempfile::tempdir().unwrap();
        let docs = documents(home.path());
        let model = if variable == "OLLAMA_HOST" { "ollama/m" } else { "anthropic/claude-haiku-5-5" };
        let with = |arguments: &[&str]| {
            let mut command = masthead(home.path());
            command.env("ANTHROPIC_API_KEY", "sk-another-0123456789").env(variable, &value);
            run(command.args(arguments).arg("--model").arg(model))
        };
        if variable != "HTTPS_PROXY" {
            let docs = docs.display().to_string();
            let (code, printed) = with(&["brief", "How fast?", "--headless", "--yes", "--sources", &docs]);
            assert!(code != 0 && printed.len() > 20, "{variable}={value}: {code} {printed}");
        }
        for arguments in [&["doctor"][..], &["doctor", "--json"], &["doctor", "--test"]] {
            with(arguments);
        }
        search(&home.path().join("data"));
    }
    for (line, advice) in [
        (format!("api_key = \"{KEY}\""), "api_key_env"),
        (format!("api_key_env = \"{KEY}"), "line 2"),
        (format!("base_url = \"https://{KEY}@api.example\""), "config.toml"),
        (format!("slots = \"{KEY}\""), "line 2"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/masthead");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), format!("[providers.mine]\n{line}\n")).unwrap();
        for command in ["doctor", "runs"] {
            let (_, printed) = run(masthead(home.path()).args([command]));
            assert!(command == "runs" || printed.contains(advice), "{line}: {printed}");
        }
        search(&home.path().join("data"));
    }
}

#[test]
fn the_key_of_a_search_backend_is_as_secret_as_that_of_a_model() {
    for (backend, variable, base) in [
        ("brave", "BRAVE_API_KEY", "MASTHEAD_BRAVE_URL"),
        ("tavily", "TAVILY_API_KEY", "MASTHEAD_TAVILY_URL"),
        ("exa", "EXA_API_KEY", "MASTHEAD_EXA_URL"),
        ("openalex", "OPENALEX_API_KEY", "MASTHEAD_OPENALEX_URL"),
    ] {
        for status in [200, 400, 401, 414, 422, 500] {
            // Long enough to be kept, and spelled as JSON may spell it.
            let said =
                format!("{KEY} {}", "is the key that came with this request, and it is not known here. ".repeat(2));
            let server = Scripted::start(move |asked| {
                let url = format!("https://x.example/{KEY}");
                let body = json!({"error": {"message": KEY}, "detail": {"error": KEY}, "title": KEY,
                    "results": [{"title": KEY, "url": url, "content": said, "text": said}],
                    "web": {"results": [{"title": KEY, "url": url, "description": said}]}});
                let in_head = asked.headers.iter().any(|(_, value)| value.contains(KEY));
                assert!(in_head || asked.parameter("api_key").is_some_and(|key| key == KEY), "{}", asked.target);
                Said::new(status, "application/json", body.to_string().replace('/', "\\/")).with("x-request-id", KEY)
            });
            let home = tempfile::tempdir().unwrap();
            let docs = documents(home.path());
            let mut command = masthead(home.path());
            command.env(variable, KEY).env(base, server.url(""));
            command.args(["brief", "How fast is a heap?", "--headless", "--yes", "--web", backend, "--sources"]);
            run(command.arg(docs));
            run(masthead(home.path()).args(["journal", "dump"]));
            assert!(!server.asked().is_empty(), "{backend}");
            search(&home.path().join("data"));
        }
    }
}

#[test]
fn a_folder_of_documents_says_nothing_about_where_keys_go() {
    let (own, thief, home) = (echo(anthropic), echo(anthropic), tempfile::tempdir().unwrap());
    let docs = documents(home.path());
    let url = thief.url("");
    let config = format!("[models]\ndefault = \"anthropic\"\n[providers.anthropic]\nbase_url = \"{url}\"\n");
    for folder in ["", ".masthead", "masthead", ".config/masthead"] {
        let folder = docs.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), &config).unwrap();
        std::fs::write(folder.join(".env"), format!("ANTHROPIC_BASE_URL={url}\n")).unwrap();
        std::fs::write(folder.join("team.toml"), &config).unwrap();
    }
    let with = |arguments: &[&str]| {
        let mut command = masthead(home.path());
        command.current_dir(&docs).env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", own.url(""));
        run(command.args(arguments))
    };
    let model = "anthropic/claude-haiku-5-5";
    with(&["brief", "How fast is a heap?", "--headless", "--yes", "--sources", ".", "--model", model]);
    with(&["doctor", "--test"]);
    assert!(!own.asked().is_empty());
    assert!(thief.asked().is_empty(), "{:?}", thief.asked());
    search(&home.path().join("data"));
}
