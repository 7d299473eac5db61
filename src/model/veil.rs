//! Nothing that opens a provider is heard or kept of what its server says: a server may send back what it was sent, in
//! an error, in a header, within the text of an answer. It changes nothing else, and costs nothing where there is no key.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::endpoint::Endpoint;
use super::reading::{Hear, Listener};
use super::secret::Secret;
use text::Clean;

/// Stands between a server and whoever hears or keeps what it says.
pub(super) struct Veil<'a> {
    endpoint: &'a Endpoint,
    hear: Hear<'a>,
    /// What shows that a text has to be looked at closely.
    signs: Vec<String>,
    /// The end of what was heard, where it may be the beginning of a secret.
    held: Mutex<String>,
}

impl<'a> Veil<'a> {
    pub fn new(endpoint: &'a Endpoint, hear: Hear<'a>) -> Veil<'a> {
        let signs = endpoint.secrets().flat_map(Secret::signs).collect();
        Veil { endpoint, hear, signs, held: Mutex::default() }
    }

    /// What may be kept of it. None if there is nothing left that could be.
    pub fn over<T: Serialize + DeserializeOwned>(&self, said: T) -> Option<T> {
        if self.signs.is_empty() || !self.shows(&serde_json::to_string(&said).ok()?) {
            return Some(said);
        }
        serde_json::from_value(self.hidden(serde_json::to_value(&said).ok()?)).ok()
    }

    /// Nothing more is heard.
    pub fn ends(&self) {
        let rest = std::mem::take(&mut *self.held());
        if !rest.is_empty() {
            self.hear.hears(self.endpoint.hide(&rest).into());
        }
    }

    fn shows(&self, text: &str) -> bool {
        self.signs.iter().any(|sign| text.contains(sign.as_str()))
    }

    fn hidden(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.endpoint.hide(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.hidden(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(key, item)| (self.endpoint.hide(&key), self.hidden(item)));
                fields.collect::<Map<_, _>>().into()
            }
            other => other,
        }
    }

    /// How much of the end of a text may be the beginning of a secret.
    fn to_be_held(&self, text: &str) -> usize {
        let most = |secret: &Secret| {
            let secret = secret.exposed();
            (1..secret.len().min(text.len() + 1)).rev().find(|n| text.ends_with(&secret[..*n])).unwrap_or(0)
        };
        self.endpoint.secrets().map(most).max().unwrap_or(0)
    }

    fn held(&self) -> MutexGuard<'_, String> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Veil<'_> {
    fn begins(&self) {
        self.hear.begins();
    }

    fn hears(&self, text: Clean) {
        if self.signs.is_empty() {
            return self.hear.hears(text);
        }
        let mut held = self.held();
        held.push_str(&text);
        let from = held.len() - self.to_be_held(&held);
        let rest = held.split_off(from);
        let told = std::mem::replace(&mut *held, rest);
        drop(held);
        if !told.is_empty() {
            let told = if self.shows(&told) { self.endpoint.hide(&told) } else { told };
            self.hear.hears(told.into());
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
        let veil = Veil::new(endpoint, &listener);
        pieces.iter().for_each(|piece| veil.hears((*piece).into()));
        veil.ends();
        heard.into_inner().unwrap()
    }

    #[test]
    fn what_is_kept_is_the_same_without_the_key_wherever_it_stands() {
        let endpoint = endpoint();
        let veil = Veil::new(&endpoint, &|_: Clean| {});
        let said =
            json!({"a": [format!("x {KEY} y"), 7], KEY: {"b": "c2stY2FuYXJ5LTAxMjM0NTY3ODlhYmNkZWY="}, "z": null});
        let kept = veil.over(said).unwrap().to_string();
        assert_eq!(kept, r#"{"***":{"b":"***Y="},"a":["x *** y",7],"z":null}"#);
        let harmless = json!({"sk": "sk-can", "b": ["canary"]});
        assert_eq!(veil.over(harmless.clone()), Some(harmless));
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
