//! Probes model servers on this machine, and those in the user's own network that they named: with short timeouts, without a
//! key, and only a valid body counts as an answer.

use std::time::Duration;

use reqwest::{Client, Url};
use serde_json::Value;
use tokio::task::JoinSet;

use super::{Provider, Served, Server, Serving};
use crate::base_url::BaseUrl;
use crate::endpoint::Endpoint;
use text::Clean;

/// The timeouts of a connection, and of an answer.
const CONNECT: Duration = Duration::from_millis(300);
const ANSWER: Duration = Duration::from_millis(1_500);
const MOST_BYTES: usize = 4 << 20;
/// The second default address of llama.cpp servers.
const LLAMA_CPP_TOO: &str = "http://127.0.0.1:9931/v1";

/// Probes the servers of those providers that are on this machine or were named; the others stay [`Server::Unseen`].
pub async fn probe(providers: &mut [Provider]) {
    probe_within(CONNECT, ANSWER, providers).await;
}

/// The same with the timeouts of a connection and of an answer.
pub(super) async fn probe_within(connect: Duration, answer: Duration, providers: &mut [Provider]) {
    let here: Vec<bool> = providers.iter().filter_map(probed).map(|here| here.base.is_secured()).collect();
    if here.is_empty() {
        return;
    }
    let builder = http_client::builder().no_proxy().connect_timeout(connect).timeout(answer);
    // Reading the system's certificates takes longer than a local server takes to answer: only for https.
    let builder = match here.contains(&true) {
        true => builder,
        false => builder.tls_certs_only([]),
    };
    let Ok(client) = builder.build() else { return };
    let mut looks = JoinSet::new();
    for (n, provider) in providers.iter().enumerate() {
        let Some(endpoint) = probed(provider) else { continue };
        let mut bases = vec![endpoint.base.clone()];
        if provider.name == "llamacpp" && endpoint.base_from.is_none() && !provider.configured {
            bases.extend(BaseUrl::new(LLAMA_CPP_TOO, provider.profile.format, ""));
        }
        // A provider for one kind of server ignores other kinds; a generic one takes any.
        let kind = KINDS.into_iter().find(|kind| *kind == provider.name);
        let client = client.clone();
        looks.spawn(async move {
            for base in bases {
                let server = look(&client, &base, kind).await;
                if server != Server::Absent {
                    return (n, Some(base), server);
                }
            }
            (n, None, Server::Absent)
        });
    }
    while let Some(looked) = looks.join_next().await {
        let Ok((n, base, server)) = looked else { continue };
        let provider = &mut providers[n];
        if let (Some(base), Ok(endpoint)) = (base, &mut provider.endpoint) {
            endpoint.base = base;
        }
        let is_local = KINDS.contains(&provider.name.as_str());
        // Any other server at a default address may ask for a key, too.
        let is_named = provider.configured
            || provider.endpoint.as_ref().is_ok_and(|it| it.base_from.is_some() || it.key.is_some());
        provider.server = match server {
            // It may be a gateway without an endpoint that describes it.
            Server::Absent | Server::Locked if !is_local => Server::Unseen,
            Server::Locked if !is_named => Server::Absent,
            server => server,
        };
        // A server of a known kind is free, under any name of its provider: on this machine, or if it asks for no key.
        let is_own = provider.endpoint.as_ref().is_ok_and(|it| it.base.is_loopback() || it.key.is_none());
        if !provider.configured && is_own && matches!(provider.server, Server::There(_)) {
            provider.free = true;
        }
    }
}

/// The endpoint of a provider whose server is probed.
fn probed(provider: &Provider) -> Option<&Endpoint> {
    let endpoint = provider.endpoint.as_ref().ok()?;
    let is_named = endpoint.base_from.is_some() || provider.configured;
    (endpoint.base.is_loopback() || endpoint.base.is_near() && is_named).then_some(endpoint)
}

const KINDS: [&str; 4] = ["ollama", "lmstudio", "llamacpp", "vllm"];

async fn look(client: &Client, base: &BaseUrl, kind: Option<&str>) -> Server {
    let wanted = |name: &str| kind.is_none_or(|kind| kind == name);
    let mut found = Server::Absent;
    for kind in KINDS.into_iter().filter(|kind| wanted(kind)) {
        let server = match kind {
            "ollama" => ollama(client, base).await,
            "lmstudio" => lm_studio(client, base).await,
            "llamacpp" => llama_cpp(client, base).await,
            _ => vllm(client, base).await,
        };
        match server {
            None => (),
            // One kind hides the answer that another shows.
            Some(Server::Locked) => found = Server::Locked,
            Some(server) => return server,
        }
    }
    found
}

async fn ollama(client: &Client, base: &BaseUrl) -> Option<Server> {
    let (_, version) = get(client, base.at_root("/api/version")).await?;
    let version = text(&version["version"])?;
    let (_, tags) = get(client, base.at_root("/api/tags")).await?;
    let (_, in_memory) = get(client, base.at_root("/api/ps")).await.unwrap_or_default();
    let context = |name: &Clean| {
        let mut rows = in_memory["models"].as_array().into_iter().flatten();
        let row = rows.find(|row| text(&row["name"]).as_ref() == Some(name))?;
        Some(row["context_length"].as_u64())
    };
    let models = tags["models"].as_array()?.iter().filter_map(|row| {
        let name = text(&row["name"])?;
        let loaded = context(&name);
        Some(Served { context: loaded.flatten(), loaded: loaded.is_some(), name })
    });
    Some(there("ollama", Some(version), models.collect(), None))
}

async fn lm_studio(client: &Client, base: &BaseUrl) -> Option<Server> {
    if let Some((200, body)) = get(client, base.at_root("/api/v1/models")).await
        && let Some(rows) = body["models"].as_array()
    {
        let models = rows.iter().filter(|row| row["type"].as_str() != Some("embedding")).filter_map(|row| {
            let instances = row["loaded_instances"].as_array();
            let loaded = instances.is_some_and(|instances| !instances.is_empty());
            let running = instances.and_then(|all| all.first()?["config"]["context_length"].as_u64());
            let context = running.or_else(|| row["max_context_length"].as_u64());
            Some(Served { name: text(&row["key"])?, context, loaded })
        });
        return Some(there("lmstudio", None, models.collect(), None));
    }
    let (status, body) = get(client, base.at_root("/api/v0/models")).await?;
    if is_locked(status) {
        return Some(Server::Locked);
    }
    let rows = body["data"].as_array().filter(|_| status == 200)?;
    let models = rows.iter().filter(|row| row["type"].as_str() != Some("embeddings")).filter_map(|row| {
        let context = row["loaded_context_length"].as_u64().or_else(|| row["max_context_length"].as_u64());
        Some(Served { name: text(&row["id"])?, context, loaded: row["state"].as_str() == Some("loaded") })
    });
    Some(there("lmstudio", None, models.collect(), None))
}

/// A server with a key shows its models without it, and nothing else. One that holds several models (a router) gives 0 as
/// its context, and of each model whether it is loaded.
async fn llama_cpp(client: &Client, base: &BaseUrl) -> Option<Server> {
    let (status, props) = get(client, base.at_root("/props")).await?;
    if status == 503 && props["error"]["message"].as_str().is_some_and(|why| why.contains("Loading")) {
        return Some(Server::Loading);
    }
    let (_, listed) = get(client, base.join("/models")).await.unwrap_or_default();
    let rows = listed["data"].as_array().map_or(&[][..], Vec::as_slice);
    let settings = props.get("default_generation_settings");
    if settings.is_none() && !rows.iter().any(|row| row["owned_by"].as_str() == Some("llamacpp")) {
        return is_locked(status).then_some(Server::Locked);
    }
    let running = |context: &Value| context.as_u64().filter(|context| *context > 0);
    let context = settings.and_then(|settings| running(&settings["n_ctx"]));
    let slots = props["total_slots"].as_u64().and_then(|slots| usize::try_from(slots).ok()).filter(|slots| *slots > 0);
    let models = rows.iter().filter_map(|row| {
        Some(Served {
            name: text(&row["id"])?,
            context: running(&row["meta"]["n_ctx"]).or(context),
            loaded: row["status"]["value"].as_str().is_none_or(|status| status == "loaded"),
        })
    });
    Some(there("llamacpp", text(&props["build_info"]), models.collect(), slots))
}

async fn vllm(client: &Client, base: &BaseUrl) -> Option<Server> {
    let (status, listed) = get(client, base.join("/models")).await?;
    if is_locked(status) {
        return Some(Server::Locked);
    }
    let rows = listed["data"].as_array()?;
    if !rows.iter().any(|row| row["owned_by"].as_str() == Some("vllm")) {
        return None;
    }
    let models = rows.iter().filter_map(|row| {
        Some(Served { name: text(&row["id"])?, context: row["max_model_len"].as_u64(), loaded: true })
    });
    Some(there("vllm", None, models.collect(), None))
}

/// Whether a status asks for a key (RFC 9110, sections 15.5.2 and 15.5.4).
fn is_locked(status: u16) -> bool {
    matches!(status, 401 | 403)
}

fn there(kind: &'static str, version: Option<Clean>, mut models: Vec<Served>, slots: Option<usize>) -> Server {
    models.sort_by(|a, b| b.loaded.cmp(&a.loaded).then_with(|| a.name.as_str().cmp(b.name.as_str())));
    Server::There(Serving { kind, version, models, slots })
}

fn text(value: &Value) -> Option<Clean> {
    let text = Clean::line(value.as_str()?);
    (!text.trim().is_empty()).then_some(text)
}

/// The status and JSON body of an answer; None if no server answers or the body is something else.
async fn get(client: &Client, url: Url) -> Option<(u16, Value)> {
    let response = client.get(url).send().await.ok()?;
    let status = response.status().as_u16();
    let (body, whole) = http_client::body(response, MOST_BYTES).await.ok()?;
    if !whole {
        return None;
    }
    Some((status, serde_json::from_slice(&body).ok()?))
}
