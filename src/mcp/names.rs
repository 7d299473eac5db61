//! Tool names that model providers accept: at most 64 letters, digits, `_` and `-`.

use std::collections::BTreeSet;

use run::ToolName;
use text::sha256::{Sha256, hex};

/// The longest name that providers accept.
const LONGEST: usize = 64;
/// The longest part of a server's name in it.
const LONGEST_SERVER: usize = 24;
/// Digits of the digest that distinguishes names that would otherwise be equal.
const DIGITS: usize = 6;

/// The prefix of the names of a server's tools.
pub fn prefix(server: &str) -> String {
    let plain = plain(server);
    let plain =
        if plain.len() > LONGEST_SERVER || plain.is_empty() { with_digest(server, LONGEST_SERVER) } else { plain };
    format!("{plain}__")
}

/// A name for a server's tool that is not in `taken`; adds it to `taken`.
pub fn name(server: &str, tool: &str, taken: &mut BTreeSet<String>) -> ToolName {
    let prefix = prefix(server);
    let room = LONGEST - prefix.len();
    let mut short = plain(tool);
    if short.is_empty() || short.len() > room || taken.contains(&format!("{prefix}{short}")) {
        short = with_digest(tool, room);
    }
    let name = format!("{prefix}{short}");
    taken.insert(name.clone());
    ToolName::new(&name)
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// The name cut to `most` bytes, its digest at the end.
fn with_digest(name: &str, most: usize) -> String {
    let digest = hex(&Sha256::digest(name));
    let mut short = plain(name);
    short.truncate(most - DIGITS - 1);
    format!("{short}_{}", &digest[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_of_its_own_that_providers_take() {
        let mut taken = BTreeSet::new();
        let long = "x".repeat(128);
        let mut names = Vec::new();
        for (server, tool) in [
            ("files", "read_file"),
            ("files", "read.file"),
            ("files", "read/file"),
            ("files", ""),
            ("files", &long),
            ("my server, as people paste them", "größe"),
            ("", "now"),
        ] {
            let name = name(server, tool, &mut taken);
            assert!(name.is_valid() && name.starts_with(&prefix(server)), "{server} {tool}: {name}");
            assert!(!names.contains(&name), "{name} twice");
            names.push(name);
        }
        assert_eq!((names[0].as_str(), names[1].as_str()), ("files__read_file", names[1].as_str()));
    }
}
