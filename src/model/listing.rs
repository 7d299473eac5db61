//! Lists the models of a provider.

use serde_json::Value;

use super::client::Client;
use super::endpoint::Endpoint;
use super::profile::Format;
use super::reader::count;
use run::attempt::Fault;
use text::Clean;

/// A model in a provider's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The provider's id of it.
    pub id: Clean,
    /// The size of its context in tokens, if reported. A local server reports the size it was started with.
    pub context: Option<u64>,
    /// The most tokens of one answer, if reported.
    pub most_output: Option<u64>,
}

impl Client {
    /// The models of a provider.
    pub async fn models(&self, endpoint: &Endpoint) -> Result<Vec<Listed>, Fault> {
        let url = match endpoint.profile.format {
            Format::Anthropic => {
                let mut url = endpoint.base.join("/v1/models");
                url.set_query(Some("limit=1000"));
                url
            }
            Format::OpenAi | Format::Responses => endpoint.base.join("/models"),
        };
        let mut models = read(&self.get(endpoint, url).await?);
        for path in &endpoint.profile.context_at {
            // Optional details; without them the list is still valid.
            if let Ok(more) = self.get(endpoint, endpoint.base.at_root(path)).await {
                sharpen(&mut models, &more);
            }
        }
        Ok(models)
    }
}

/// Fields with the size of a context, the actual one before the possible one.
const CONTEXT: &[&str] = &[
    "loaded_context_length",
    "max_model_len",
    "max_input_tokens",
    "context_length",
    "context_window",
    "max_context_length",
];
const OUTPUT: &[&str] = &["max_completion_tokens", "max_output_tokens", "max_tokens"];

fn first(model: &Value, fields: &[&str]) -> Option<u64> {
    fields.iter().map(|field| count(model.get(*field))).find(|n| *n > 0)
}

fn items(body: &Value) -> impl Iterator<Item = &Value> {
    let lists = [&body["data"], &body["models"], body];
    lists.into_iter().find_map(Value::as_array).into_iter().flatten()
}

fn id(model: &Value) -> Option<Clean> {
    let id = ["id", "name", "model", "key"].iter().find_map(|field| model[*field].as_str())?;
    Some(Clean::line(id.strip_prefix("models/").unwrap_or(id)))
}

fn read(body: &Value) -> Vec<Listed> {
    let listed = |model: &Value| {
        let top = &model["top_provider"];
        let most_output = first(model, OUTPUT).or_else(|| first(top, OUTPUT));
        Some(Listed { id: id(model)?, context: first(model, CONTEXT), most_output })
    };
    items(body).filter_map(listed).collect()
}

/// Adds the context sizes that a local server reports outside its list.
fn sharpen(models: &mut [Listed], more: &Value) {
    let of_all = count(more["default_generation_settings"].get("n_ctx"));
    for model in models {
        let same = items(more).find(|other| id(other).is_some_and(|name| name == model.id));
        let context = same.and_then(|other| first(other, CONTEXT)).or(Some(of_all).filter(|n| *n > 0));
        model.context = context.or(model.context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_of_models_is_read_whoever_writes_it() {
        let listed = |id: &str, context, most_output| Listed { id: id.into(), context, most_output };
        for (body, expected) in [
            (json!({"data": [{"id": "a", "max_input_tokens": 9, "max_tokens": 3}]}), listed("a", Some(9), Some(3))),
            (json!({"object": "list", "data": [{"id": "a", "owned_by": "x"}]}), listed("a", None, None)),
            (json!({"data": [{"id": "a", "max_model_len": 8}]}), listed("a", Some(8), None)),
            (json!({"data": [{"id": "models/a"}]}), listed("a", None, None)),
            (
                json!({"data": [{"id": "a", "context_length": 9, "top_provider": {"max_completion_tokens": 2}}]}),
                listed("a", Some(9), Some(2)),
            ),
            (json!([{"name": "a", "context_window": 7}]), listed("a", Some(7), None)),
        ] {
            assert_eq!(read(&body), [expected], "{body}");
        }
        assert_eq!(read(&json!({"error": "no"})), []);
    }

    #[test]
    fn the_context_that_is_really_there_counts() {
        let mut models = vec![Listed { id: "a".into(), context: Some(131_072), most_output: None }];
        sharpen(&mut models, &json!({"models": [{"name": "a", "context_length": 4096}]}));
        assert_eq!(models[0].context, Some(4096));
        sharpen(&mut models, &json!({"default_generation_settings": {"n_ctx": 2048}}));
        assert_eq!(models[0].context, Some(2048));
        sharpen(&mut models, &json!({"version": "x"}));
        assert_eq!(models[0].context, Some(2048));
    }
}
