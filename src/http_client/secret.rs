//! Secrets: keys and header values that are never printed, logged or stored.

use std::fmt;
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// A key, or a header with one. It is sent in the requests it is for, and removed from everything that is received.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// The replacement of a redacted secret.
const HIDDEN: &str = "***";
/// Characters that stand percent-encoded in URLs.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// A shorter secret is not redacted: it is no real key, and redacting it would mangle ordinary words.
const SHORTEST: usize = 6;
/// The most characters of a truncated secret that may stay.
const SHOWN: usize = 8;

/// Not a secret: it is not valid in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it holds a space, a line break or a character beyond ASCII: copy it again, the whole of it and nothing else")]
pub struct NotASecret;

impl Secret {
    /// A secret from outside, trimmed; None for empty text.
    pub fn new(raw: &str) -> Result<Option<Secret>, NotASecret> {
        let raw = raw.trim();
        match raw {
            "" => Ok(None),
            _ if raw.bytes().all(|b| (0x21..0x7f).contains(&b)) => Ok(Some(Secret(raw.into()))),
            _ => Err(NotASecret),
        }
    }

    /// The value of a header, which may contain spaces.
    pub fn header(raw: &str) -> Option<Secret> {
        let raw = raw.trim();
        (!raw.is_empty() && raw.bytes().all(|b| (0x20..0x7f).contains(&b))).then(|| Secret(raw.into()))
    }

    /// A header of the user's, its value a secret; None if either is not valid.
    pub fn named(name: &str, value: &str) -> Option<(String, Secret)> {
        let name = name.trim();
        let fits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        Some((fits.then(|| name.to_owned())?, Secret::header(value)?))
    }

    /// The secret itself, for its request.
    pub fn exposed(&self) -> &str {
        &self.0
    }

    /// Redacts the secret from text that a server sent, in all its encodings.
    pub fn redact(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        if self.0.len() < SHORTEST {
            return hidden;
        }
        for spelled in self.spellings() {
            hidden = hidden.replace(&spelled, HIDDEN);
        }
        redact_truncated(&hidden, &self.0)
    }

    /// The encodings in which servers may echo it.
    fn spellings(&self) -> impl Iterator<Item = String> {
        let base64 = (0..3).map(|shift| base64_within(&self.0, shift));
        let for_urls = base64.clone().map(|encoded| encoded.replace('+', "-").replace('/', "_"));
        let percent = utf8_percent_encode(&self.0, RESERVED).to_string();
        // As JSON holds it; many servers escape slashes there, too.
        let in_json = self.0.replace('\\', "\\\\").replace('"', "\\\"");
        let with_slashes = in_json.replace('/', "\\/");
        [with_slashes, in_json, self.0.to_string(), percent].into_iter().chain(base64).chain(for_urls)
    }

    /// Substrings of which at least one is in every text, JSON included, that contains the secret.
    pub fn signs(&self) -> Vec<String> {
        if self.0.len() < SHORTEST {
            return Vec::new();
        }
        let beginning = if self.0.len() < 2 * SHOWN { &self.0 } else { &self.0[..=SHOWN] };
        let mut signs: Vec<String> = self.spellings().chain([beginning.to_owned()]).collect();
        // One sign that contains another is redundant.
        let all = signs.clone();
        signs.retain(|sign| !all.iter().any(|other| other.len() < sign.len() && sign.contains(other.as_str())));
        signs.sort_unstable();
        signs.dedup();
        signs
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Redacts truncated echoes of the secret, for a truncated key is most of a key. Its first [`SHOWN`] characters alone may stay: they
/// tell the person which key it is.
fn redact_truncated(text: &str, secret: &str) -> String {
    if secret.len() < 2 * SHOWN {
        return text.to_owned();
    }
    let mut hidden = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&secret[..SHOWN]) {
        let same = rest[at..].bytes().zip(secret.bytes()).take_while(|(a, b)| a == b).count();
        hidden.push_str(&rest[..at]);
        hidden.push_str(if same > SHOWN { HIDDEN } else { &rest[at..at + same] });
        rest = &rest[at + same..];
    }
    hidden.push_str(rest);
    hidden
}

/// The Base64 of a text after `shift` other bytes: the characters that depend on the text alone.
fn base64_within(text: &str, shift: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = std::iter::repeat_n(0, shift).chain(text.bytes()).collect();
    let bits = bytes.len() * 8;
    let sextet = |n: usize| {
        let bit = |at: usize| (bytes[at / 8] >> (7 - at % 8)) & 1;
        (n * 6..n * 6 + 6).fold(0u8, |value, at| value << 1 | bit(at))
    };
    let first = (shift * 8).div_ceil(6);
    (first..bits / 6).map(|n| char::from(ALPHABET[usize::from(sextet(n))])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new(" sk-canary-0123456789 \n").unwrap().unwrap();
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(secret.exposed(), "sk-canary-0123456789");
    }

    #[test]
    fn nothing_is_no_secret_and_a_torn_key_is_refused() {
        assert_eq!(Secret::new("  \n"), Ok(None));
        assert_eq!(Secret::new("sk-a\nsk-b"), Err(NotASecret));
        assert_eq!(Secret::new("sk-\u{2013}"), Err(NotASecret));
    }

    #[test]
    fn a_secret_is_taken_out_of_text_however_it_is_spelled() {
        let secret = Secret::new("sk-canary+0123/456789=").unwrap().unwrap();
        for text in [
            "wrong key: sk-canary+0123/456789=",
            "wrong key: sk-canary+0123/45…",
            "{\"error\":\"sk-canary+0123\\/456789=\"}",
            "?key=sk-canary%2B0123%2F456789%3D&x=1",
            // The key, "user:" and the key, "me:" and the key.
            "Basic c2stY2FuYXJ5KzAxMjMvNDU2Nzg5PQ==",
            "Basic dXNlcjpzay1jYW5hcnkrMDEyMy80NTY3ODk9",
            "Basic bWU6c2stY2FuYXJ5KzAxMjMvNDU2Nzg5PQ==",
        ] {
            let hidden = secret.redact(text);
            assert!(hidden.contains(HIDDEN), "{hidden}");
            for part in ["canary", "456789", "jYW5hcn", "Y2FuYXJ5", "5hcnkr"] {
                assert!(!hidden.contains(part), "{hidden}");
            }
        }
        assert_eq!(secret.redact("nothing of it"), "nothing of it");
    }
}
