//! Redacts credentials from a provider's responses: errors, headers and answers may echo the request. Without a key it does nothing
//! and costs nothing.

use std::sync::{Mutex, MutexGuard};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::endpoint::Endpoint;
use super::reader::{Hear, Listener};
use http_client::secret::Secret;
use run::progress::{Doing, Saying};
use text::Clean;
use text::locked::Locked;

/// Sits between a provider and everything that shows or records its answers.
pub(super) struct Redactor<'a> {
    endpoint: &'a Endpoint,
    hear: Hear<'a>,
    /// Substrings of which at least one is in every text with a secret.
    signs: Vec<String>,
    /// The end of the text so far, if it may be the start of a secret, and the text that it is a part of.
    pending: Mutex<(Saying, String)>,
}

impl<'a> Redactor<'a> {
    /// Hides the secrets of an endpoint from `hear`.
    pub fn new(endpoint: &'a Endpoint, hear: Hear<'a>) -> Redactor<'a> {
        let signs = endpoint.secrets().flat_map(Secret::signs).collect();
        Redactor { endpoint, hear, signs, pending: Mutex::default() }
    }

    /// The value without secrets; None if it cannot be read back after redaction.
    pub fn redacted<T: Serialize + DeserializeOwned>(&self, value: T) -> Option<T> {
        if self.signs.is_empty() || !self.may_have_secret(&serde_json::to_string(&value).ok()?) {
            return Some(value);
        }
        serde_json::from_value(self.redacted_json(serde_json::to_value(&value).ok()?)).ok()
    }

    /// Passes on the pending text: no more will come.
    pub fn flush(&self) {
        let (what, rest) = std::mem::take(&mut *self.pending());
        if !rest.is_empty() {
            self.hear.hears(what, self.endpoint.redact(&rest).into());
        }
    }

    fn may_have_secret(&self, text: &str) -> bool {
        self.signs.iter().any(|sign| text.contains(sign.as_str()))
    }

    fn redacted_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.endpoint.redact(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.redacted_json(item)).collect(),
            Value::Object(fields) => {
                let fields =
                    fields.into_iter().map(|(key, item)| (self.endpoint.redact(&key), self.redacted_json(item)));
                fields.collect::<Map<_, _>>().into()
            }
            other => other,
        }
    }

    /// The length of the end of a text that may be the start of a secret.
    fn possible_start(&self, text: &str) -> usize {
        let most = |secret: &Secret| {
            let secret = secret.exposed();
            (1..secret.len().min(text.len() + 1)).rev().find(|n| text.ends_with(&secret[..*n])).unwrap_or(0)
        };
        self.endpoint.secrets().map(most).max().unwrap_or(0)
    }

    fn pending(&self) -> MutexGuard<'_, (Saying, String)> {
        self.pending.locked()
    }
}

impl Listener for Redactor<'_> {
    fn begins(&self) {
        self.hear.begins();
    }

    fn is_at(&self, doing: Doing, bytes: usize) {
        self.hear.is_at(doing, bytes);
    }

    fn hears(&self, what: Saying, text: Clean) {
        if self.signs.is_empty() {
            return self.hear.hears(what, text);
        }
        // A secret is not cut in two by the end of one part: where another begins, the first is complete.
        if self.pending().0 != what {
            self.flush();
        }
        let mut pending = self.pending();
        pending.0 = what;
        pending.1.push_str(&text);
        let from = pending.1.len() - self.possible_start(&pending.1);
        let rest = pending.1.split_off(from);
        let safe = std::mem::replace(&mut pending.1, rest);
        drop(pending);
        if !safe.is_empty() {
            let safe = if self.may_have_secret(&safe) { self.endpoint.redact(&safe) } else { safe };
            self.hear.hears(what, safe.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Key, Profile};

    const KEY: &str = "sk-canary-0123456789abcdef";

    fn endpoint() -> Endpoint {
        let profile: Arc<Profile> = Profile::named("anthropic").unwrap();
        let variable = &profile.keys[0];
        let secret = Secret::new(KEY).unwrap().unwrap();
        let key = Key { secret, sent_as: variable.sent_as, from: variable.env.clone() };
        Endpoint::at(&profile, None, Some(key)).unwrap()
    }

    fn heard(endpoint: &Endpoint, pieces: &[&str]) -> String {
        let heard = Mutex::new(String::new());
        let listener = |text: Clean| heard.lock().unwrap().push_str(&text);
        let redactor = Redactor::new(endpoint, &listener);
        pieces.iter().for_each(|piece| redactor.hears(Saying::Answer, (*piece).into()));
        redactor.flush();
        heard.into_inner().unwrap()
    }

    #[test]
    fn what_is_kept_is_the_same_without_the_key_wherever_it_stands() {
        let endpoint = endpoint();
        let redactor = Redactor::new(&endpoint, &|_: Clean| {});
        let value =
            json!({"a": [format!("x {KEY} y"), 7], KEY: {"b": "c2stY2FuYXJ5LTAxMjM0NTY3ODlhYmNkZWY="}, "z": null});
        let kept = redactor.redacted(value).unwrap().to_string();
        assert_eq!(kept, r#"{"***":{"b":"***Y="},"a":["x *** y",7],"z":null}"#);
        let harmless = json!({"sk": "sk-can", "b": ["canary"]});
        assert_eq!(redactor.redacted(harmless.clone()), Some(harmless));
    }

    #[test]
    fn text_without_a_key_is_heard_to_its_end_and_at_once_where_it_can_be() {
        let endpoint = endpoint();
        assert_eq!(heard(&endpoint, &["it asks", " for sk-c", "ats", "", " — sk"]), "it asks for sk-cats — sk");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// However a text is cut into pieces, the key is not heard, and everything else is.
        #[test]
        fn a_key_is_not_heard_however_it_is_cut(
            before in "[a-zé ]{0,12}",
            after in "[a-zé ]{0,12}",
            cuts in proptest::collection::vec(0usize..60, 0..8),
        ) {
            let text = format!("{before}{KEY}{after}");
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| text.is_char_boundary(*cut)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(heard(&endpoint(), &pieces), format!("{before}***{after}"));
        }
    }
}
