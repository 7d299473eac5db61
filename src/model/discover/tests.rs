use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use super::probe::probe_within;
use super::*;

fn env(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
    let variables: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    move |name| variables.get(name).cloned()
}

fn find(config: &str, variables: &[(&str, &str)]) -> Vec<Provider> {
    let config: Config = toml::from_str(config).unwrap();
    providers(&config, &env(variables))
}

fn one<'a>(found: &'a [Provider], name: &str) -> &'a Provider {
    found.iter().find(|provider| provider.name == name).unwrap()
}

/// A server on the loopback that answers these paths, and everything else with 404.
fn server(answers: &'static [(&'static str, u16, &'static str)]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
                request.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&request).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default();
            let (status, body) = answers
                .iter()
                .find(|(known, ..)| *known == path)
                .map_or((404, "not here"), |(_, status, body)| (*status, *body));
            let length = body.len();
            let _ =
                write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        }
    });
    format!("http://{address}")
}

async fn seen(name: &str, variable: &str, url: &str) -> Server {
    let mut found = find("", &[(variable, url)]);
    found.retain(|provider| provider.name == name);
    probed(&mut found).await;
    found.remove(0).server
}

/// Probes servers that answer at once, but on a busy machine.
async fn probed(providers: &mut [Provider]) {
    const LONG: Duration = Duration::from_secs(60);
    probe_within(LONG, LONG, providers).await;
}

#[test]
fn keys_are_found_where_people_have_them_and_never_shown() {
    let found = find("", &[("ANTHROPIC_API_KEY", "sk-canary-1234567890"), ("GROQ_API_KEY", " ")]);
    let anthropic = one(&found, "anthropic");
    assert!(anthropic.is_usable() && !anthropic.free);
    assert_eq!(anthropic.open().unwrap().key.unwrap().from, "ANTHROPIC_API_KEY");
    assert_eq!(one(&found, "groq").lacks().unwrap(), "there is no key for groq: set GROQ_API_KEY");
    assert!(!format!("{found:?}").contains("canary"));
}

#[test]
fn the_configuration_says_where_a_provider_is_and_where_its_key_comes_from() {
    let config = r#"
        [providers.mine]
        base_url = "https://models.example/v1"
        api_key_env = "MY_KEY"
        headers = { X-Team = "a" }
        slots = 4
        [providers.anthropic]
        base_url = "https://gate.example/anthropic"
        [providers.box]
        base_url = "http://127.0.0.1:9/v1"
        free = true
    "#;
    let variables =
        [("MY_KEY", "sk-mine-1"), ("ANTHROPIC_API_KEY", "sk-a"), ("ANTHROPIC_BASE_URL", "https://other.example")];
    let found = find(config, &variables);
    let mine = one(&found, "mine").open().unwrap();
    assert_eq!(
        (mine.base.to_string().as_str(), mine.key.unwrap().from.as_str()),
        ("https://models.example/v1", "MY_KEY")
    );
    assert!(mine.headers.iter().any(|(name, _)| name == "X-Team"));
    assert_eq!(one(&found, "mine").slots, Some(4));
    // Settings for this program come before those for all.
    assert_eq!(one(&found, "anthropic").open().unwrap().base.to_string(), "https://gate.example/anthropic");
    assert!(one(&found, "box").free && one(&found, "box").is_usable());
}

#[test]
fn a_key_goes_unencrypted_only_where_the_user_said_so() {
    let config = |more: &str| format!("[providers.box]\nbase_url = \"http://192.168.1.5:8000/v1\"\n{more}");
    let lacks = |more: &str| one(&find(&config(more), &[("MY_KEY", "sk-canary-1234567890")]), "box").lacks();
    assert_eq!(lacks(""), None);
    for more in
        ["api_key_env = \"MY_KEY\"", "api_key_cmd = [\"echo\", \"sk-canary\"]", "headers = { X-Key = \"sk-canary\" }"]
    {
        let why = lacks(more).unwrap();
        assert!(why.contains("insecure = true") && why.contains("http://192.168.1.5:8000/v1"), "{why}");
        assert!(!why.contains("canary"), "{why}");
        assert_eq!(lacks(&format!("{more}\ninsecure = true")), None);
    }
    let config = "[providers.box]\nbase_url = \"http://models.example/v1\"\ninsecure = true\n";
    assert!(one(&find(config, &[]), "box").lacks().unwrap().contains("use https"), "that is no network of the user's");
}

#[test]
fn the_key_of_one_provider_never_goes_to_another_that_is_like_it() {
    let config = "[providers.gate]\nlike = \"anthropic\"\nbase_url = \"https://gate.example\"\n";
    let variables = [
        ("ANTHROPIC_API_KEY", "sk-a"),
        ("ANTHROPIC_CUSTOM_HEADERS", "X-Key: b"),
        ("ANTHROPIC_BASE_URL", "https://x.example"),
    ];
    let found = find(config, &variables);
    let gate = one(&found, "gate").open().unwrap();
    assert!(gate.key.is_none() && gate.headers.iter().all(|(name, _)| name == "anthropic-version"));
    assert_eq!(gate.base.to_string(), "https://gate.example");
}

#[test]
fn a_key_may_come_from_a_command_which_is_run_only_when_it_is_needed() {
    let command = |line: &str| {
        let config = format!("[providers.openai]\napi_key_cmd = {line}\n");
        let found = find(&config, &[]);
        assert!(one(&found, "openai").is_usable());
        one(&found, "openai").open()
    };
    let endpoint = command(r#"["echo", "sk-canary-0123456789"]"#).unwrap();
    assert!(!format!("{endpoint:?}").contains("canary") && endpoint.key.unwrap().from == "api_key_cmd `echo`");
    for (line, says) in [
        (r#"["false"]"#, "failed"),
        (r#"["true"]"#, "printed nothing"),
        (r#"["echo", "a b"]"#, "printed no key"),
        (r#"["/nowhere/at-all"]"#, "cannot be run"),
    ] {
        let error = command(line).unwrap_err();
        assert!(error.contains(says) && error.contains("openai"), "{line}: {error}");
    }
}

#[test]
fn what_is_wrong_with_a_provider_is_said_with_the_place_to_change_it() {
    for (config, name, says) in [
        ("[providers.mine]\n", "mine", "set `base_url` in [providers.mine] of config.toml"),
        ("[providers.mine]\nbase_url = \"http://far.example/v1\"\n", "mine", "`base_url` in [providers.mine]"),
        ("[providers.mine]\nlike = \"antropic\"\n", "mine", "did you mean anthropic?"),
        ("[providers.mine]\nbase_url = \"https://a.example\"\napi_key_env = \"K\"\n", "mine", "set K"),
        ("[providers.mine]\nbase_url = \"https://a.example\"\nheaders = { \"X Y\" = \"1\" }\n", "mine", "is no header"),
        ("[providers.openai]\napi_key_env = \"K\"\n", "openai", "set K"),
    ] {
        let found = find(config, &[("OPENAI_API_KEY", "sk-a")]);
        let lacks = one(&found, name).lacks().unwrap();
        assert!(lacks.contains(says), "{config}: {lacks}");
    }
}

#[tokio::test]
async fn local_servers_are_known_by_what_they_answer() {
    let ollama = server(&[
        ("/api/version", 200, r#"{"version":"0.9.1"}"#),
        ("/api/tags", 200, r#"{"models":[{"name":"a:1b"},{"name":"qwen3:8b"}]}"#),
        ("/api/ps", 200, r#"{"models":[{"name":"qwen3:8b","context_length":32768}]}"#),
    ]);
    let Server::There(serving) = seen("ollama", "OLLAMA_HOST", &ollama).await else { panic!() };
    assert_eq!((serving.kind, serving.version.unwrap().as_str()), ("ollama", "0.9.1"));
    let models: Vec<_> = serving.models.iter().map(|m| (m.name.as_str(), m.context, m.loaded)).collect();
    assert_eq!(models, [("qwen3:8b", Some(32_768), true), ("a:1b", None, false)]);

    let llama = server(&[
        ("/props", 200, r#"{"default_generation_settings":{"n_ctx":8192},"total_slots":3,"build_info":"b9000"}"#),
        ("/v1/models", 200, r#"{"data":[{"id":"tiny.gguf","owned_by":"llamacpp"}]}"#),
    ]);
    let Server::There(serving) = seen("llamacpp", "LLAMACPP_BASE_URL", &llama).await else { panic!() };
    assert_eq!(
        (serving.slots, serving.models[0].context, serving.models[0].name.as_str()),
        (Some(3), Some(8_192), "tiny.gguf")
    );

    let vllm = server(&[("/v1/models", 200, r#"{"data":[{"id":"org/m","owned_by":"vllm","max_model_len":16384}]}"#)]);
    let Server::There(serving) = seen("vllm", "VLLM_BASE_URL", &vllm).await else { panic!() };
    assert_eq!((serving.kind, serving.models[0].context), ("vllm", Some(16_384)));

    let lm_studio = server(&[(
        "/api/v1/models",
        200,
        r#"{"models":[{"key":"e","type":"embedding"},{"key":"m","loaded_instances":[{"config":{"context_length":4096}}],"max_context_length":131072}]}"#,
    )]);
    let Server::There(serving) = seen("lmstudio", "LMSTUDIO_BASE_URL", &lm_studio).await else { panic!() };
    assert_eq!(serving.models, [Served { name: "m".into(), context: Some(4_096), loaded: true }]);
}

#[tokio::test]
async fn a_server_behind_a_key_is_there_and_says_so_where_the_key_is_missing() {
    const REFUSED: &str = r#"{"error":{"code":401,"message":"Invalid API Key"}}"#;
    let llama = server(&[
        ("/props", 401, REFUSED),
        ("/v1/models", 200, r#"{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":8192}}]}"#),
    ]);
    let Server::There(serving) = seen("llamacpp", "LLAMACPP_BASE_URL", &llama).await else { panic!() };
    assert_eq!(serving.models, [Served { name: "m".into(), context: Some(8_192), loaded: true }]);
    let vllm = server(&[("/v1/models", 401, REFUSED)]);
    for (key, lacks) in [(None, Some("vLLM asks for a key: set VLLM_API_KEY")), (Some(("VLLM_API_KEY", "sk-a")), None)]
    {
        let env: Vec<_> = [("VLLM_BASE_URL", vllm.as_str())].into_iter().chain(key).collect();
        let mut found = find("", &env);
        probed(&mut found).await;
        let provider = one(&found, "vllm");
        assert_eq!((&provider.server, provider.lacks().as_deref()), (&Server::Locked, lacks));
        assert_eq!(provider.is_usable(), lacks.is_none());
    }
    assert_eq!(seen("openai", "OPENAI_BASE_URL", &vllm).await, Server::Unseen, "any gateway");
}

#[tokio::test]
async fn a_server_of_several_models_says_which_of_them_are_loaded() {
    let router = server(&[
        ("/props", 200, r#"{"role":"router","default_generation_settings":{"params":null,"n_ctx":0}}"#),
        (
            "/v1/models",
            200,
            r#"{"data":[{"id":"a","owned_by":"llamacpp","status":{"value":"unloaded"}},{"id":"b","owned_by":"llamacpp","status":{"value":"loaded"}}]}"#,
        ),
    ]);
    let Server::There(serving) = seen("llamacpp", "LLAMACPP_BASE_URL", &router).await else { panic!() };
    let models: Vec<_> = serving.models.iter().map(|m| (m.name.as_str(), m.context, m.loaded)).collect();
    assert_eq!(models, [("b", None, true), ("a", None, false)]);
}

#[tokio::test]
async fn a_port_that_answers_something_else_is_no_model_server() {
    let page = server(&[("/api/version", 200, "<html>hello</html>"), ("/props", 200, "{}"), ("/v1/models", 200, "[]")]);
    for (name, variable) in [("ollama", "OLLAMA_HOST"), ("llamacpp", "LLAMACPP_BASE_URL"), ("vllm", "VLLM_BASE_URL")] {
        assert_eq!(seen(name, variable, &page).await, Server::Absent, "{name}");
    }
    let loading = server(&[("/props", 503, r#"{"error":{"code":503,"message":"Loading model"}}"#)]);
    assert_eq!(seen("llamacpp", "LLAMACPP_BASE_URL", &loading).await, Server::Loading);
}

#[tokio::test]
async fn names_from_a_server_are_cleaned_and_far_servers_are_not_looked_at() {
    let rude = server(&[
        ("/api/version", 200, r#"{"version":"1"}"#),
        ("/api/tags", 200, r#"{"models":[{"name":"a\u001b[2Jb\n"},{"name":7},{}]}"#),
    ]);
    let Server::There(serving) = seen("ollama", "OLLAMA_HOST", &rude).await else { panic!() };
    assert!(serving.models.len() == 1 && !serving.models[0].name.contains('\u{1b}'));
    assert_eq!(seen("ollama", "OLLAMA_HOST", "https://ollama.example").await, Server::Unseen);
}

#[tokio::test]
async fn a_gateway_on_this_machine_is_looked_at_and_stays_usable_whatever_it_is() {
    let vllm = server(&[("/v1/models", 200, r#"{"data":[{"id":"m","owned_by":"vllm"}]}"#)]);
    let Server::There(serving) = seen("openai", "OPENAI_BASE_URL", &vllm).await else { panic!() };
    assert_eq!(serving.kind, "vllm");
    let other = server(&[]);
    assert_eq!(seen("openai", "OPENAI_BASE_URL", &other).await, Server::Unseen);
}
