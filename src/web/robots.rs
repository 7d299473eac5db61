//! robots.txt: which pages of a site a program may read (RFC 9309). Pure; it fetches nothing.

use std::time::Duration;

/// The product token of this program in rules.
const TOKEN: &str = "masthead";
/// The most bytes of the file that are read, as the RFC demands.
pub const MOST_BYTES: usize = 500 << 10;
/// The longest crawl delay that is honoured.
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// The rules of one site for this program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    rules: Vec<Rule>,
    /// The crawl delay, if the site sets one.
    pub delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: Vec<u8>,
}

/// Rules with the user agents they apply to.
#[derive(Default)]
struct Group {
    agents: Vec<String>,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

impl Robots {
    /// Allows everything: for a site without the file.
    pub fn everything() -> Robots {
        Robots::default()
    }

    /// The rules for this program: those that name it, else those for all.
    pub fn parse(text: &str) -> Robots {
        let groups = groups(text);
        let named = |name: &str| {
            let mut of: Vec<&Group> = groups.iter().filter(|g| g.agents.iter().any(|agent| agent == name)).collect();
            // Several groups for one agent count as one.
            (!of.is_empty()).then(|| Robots {
                rules: of.iter().flat_map(|group| group.rules.iter().cloned()).collect(),
                delay: of.drain(..).find_map(|group| group.delay),
            })
        };
        named(TOKEN).or_else(|| named("*")).unwrap_or_default()
    }

    /// Whether a path with its query may be read. The longest matching rule decides; of two equally long ones, the one
    /// that allows.
    pub fn allows(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let path = normal(path.as_bytes());
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }
}

fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut naming = false;
    for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        match key.as_str() {
            "user-agent" => {
                if !naming {
                    groups.push(Group::default());
                }
                naming = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(agent(value));
                }
            }
            "allow" | "disallow" => {
                naming = false;
                // An empty value is no rule.
                if let (Some(group), false) = (groups.last_mut(), value.is_empty()) {
                    group.rules.push(Rule { allows: key == "allow", pattern: normal(value.as_bytes()) });
                }
            }
            "crawl-delay" => {
                naming = false;
                let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
                if let (Some(group), Some(seconds)) = (groups.last_mut(), seconds) {
                    group.delay = Some(Duration::from_secs_f64(seconds.min(LONGEST_DELAY.as_secs_f64())));
                }
            }
            _ => {}
        }
    }
    groups
}

/// The product token of a user agent, without version and comments.
fn agent(value: &str) -> String {
    if value.starts_with('*') {
        return "*".to_owned();
    }
    value.chars().take_while(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_')).collect::<String>().to_lowercase()
}

/// A path in normal form: unreserved characters unescaped, all others escaped in capitals.
fn normal(path: &[u8]) -> Vec<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16);
    let mut out = Vec::with_capacity(path.len());
    let mut at = 0;
    while at < path.len() {
        let escaped = match path.get(at..at + 3) {
            Some([b'%', high, low]) => hex(*high).zip(hex(*low)).and_then(|(h, l)| u8::try_from(h * 16 + l).ok()),
            _ => None,
        };
        match escaped {
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') => out.push(byte),
            Some(byte) => out.extend(format!("%{byte:02X}").bytes()),
            None if path[at].is_ascii() => out.push(path[at]),
            None => out.extend(format!("%{:02X}", path[at]).bytes()),
        }
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}

/// Whether a pattern with `*` (anything) and `$` (the end) matches the start of a path. Linear in the path for each
/// piece, so that no pattern takes long.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, to_the_end) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let pieces: Vec<&[u8]> = pattern.split(|byte| *byte == b'*').collect();
    let Some((first, later)) = pieces.split_first() else { return true };
    let Some(mut rest) = path.strip_prefix(*first) else { return false };
    for (at, piece) in later.iter().enumerate() {
        if to_the_end && at + 1 == later.len() {
            return rest.ends_with(piece);
        }
        match find(rest, piece) {
            Some(found) => rest = &rest[found + piece.len()..],
            None => return false,
        }
    }
    !to_the_end || rest.is_empty()
}

fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    if piece.is_empty() {
        return Some(0);
    }
    text.windows(piece.len()).position(|window| window == piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_rule_counts() {
        let robots = Robots::parse(
            "# a comment\nUser-agent: *\nDisallow: /private/\nAllow: /private/open\nDisallow: /*.php$\nDisallow: /find?q=\nAllow:\nDisallow: /a%2fb # told apart\nDisallow: /caf\u{e9}\n",
        );
        for (path, allowed) in [
            ("/", true),
            ("/private", true),
            ("/private/", false),
            ("/private/x", false),
            ("/private/open/x", true),
            ("/x.php", false),
            ("/x.php?y", true),
            ("/x.php5", true),
            ("/find?q=1", false),
            ("/find", true),
            ("/a%2Fb", false),
            ("/a/b", true),
            ("/caf%C3%A9/x", false),
            ("/robots.txt", true),
        ] {
            assert_eq!(robots.allows(path), allowed, "{path}");
        }
    }

    #[test]
    fn of_two_rules_as_long_the_one_that_allows_counts() {
        let robots = Robots::parse("user-agent: *\ndisallow: /page\nallow: /page\n");
        assert!(robots.allows("/page"));
    }

    #[test]
    fn the_group_that_names_the_program_counts_alone() {
        for (text, allowed) in [
            ("User-agent: *\nDisallow: /\n\nUser-agent: Masthead/2.0\nDisallow: /x\n", true),
            ("User-agent: masthead\nUser-agent: other\nDisallow: /\n\nUser-agent: *\nAllow: /\n", false),
            ("User-agent: other\nDisallow: /\n", true),
            ("User-agent: mastheadbot\nDisallow: /\n", true),
            ("User-agent: masthead\nAllow: /\nUser-agent: other\nUser-agent: MASTHEAD\nDisallow: /page\n", false),
            ("Disallow: /\n", true),
            ("", true),
            ("<!DOCTYPE html><p>Not found: sorry</p>", true),
            ("\u{feff}User-agent: *\r\nDisallow: /\r\n", false),
            ("User-agent: *\nSitemap: https://x.example/s.xml\nDisallow: /\n", false),
        ] {
            assert_eq!(Robots::parse(text).allows("/page"), allowed, "{text}");
        }
    }

    #[test]
    fn a_delay_is_kept_up_to_a_limit() {
        let delay = |text: &str| Robots::parse(text).delay;
        assert_eq!(delay("User-agent: *\nCrawl-delay: 2.5"), Some(Duration::from_millis(2_500)));
        assert_eq!(delay("User-agent: *\nCrawl-delay: 86400"), Some(LONGEST_DELAY));
        for none in ["-1", "soon", "NaN", "0"] {
            assert_eq!(delay(&format!("User-agent: *\nCrawl-delay: {none}")), None);
        }
    }

    #[test]
    fn a_site_without_the_file_allows_all() {
        assert!(Robots::everything().allows("/page"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?i)((user-agent|allow|disallow|crawl-delay): ?[*$/a%0-9é]{0,8}\n|\\PC{0,20}\n){0,12}", path in "/[a*$%/é?]{0,12}") {
            Robots::parse(&text).allows(&path);
        }

        #[test]
        fn a_rule_without_wildcards_matches_what_begins_with_it(rule in "/[a-c/]{0,6}", path in "/[a-c/]{0,8}") {
            let robots = Robots::parse(&format!("User-agent: *\nDisallow: {rule}\n"));
            prop_assert_eq!(robots.allows(&path), !path.starts_with(&rule));
        }
    }
}
