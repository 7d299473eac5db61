//! Links of a text that a wiki wrote out, `<the quota> [Quota.Dict.txt]`: the target is no part of the words. What a usage line
//! has in such brackets (`<host> [host:port]`) is kept.

/// The most bytes of the words of a link, and of its target.
const LONGEST: usize = 200;
/// Ends of targets that are files.
const FILES: [&str; 5] = [".txt", ".html", ".htm", ".md", ".wiki"];

/// A text without the targets of its links, and without the brackets around their words.
pub(super) fn without_targets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        match link(from) {
            Some((words, below)) => {
                kept.push_str(words);
                rest = below;
            }
            None => {
                kept.push('<');
                rest = &from[1..];
            }
        }
    }
    kept + rest
}

/// The words of the link with which a text begins, and the text behind it.
fn link(text: &str) -> Option<(&str, &str)> {
    let near = &text[..text.floor_char_boundary(2 * LONGEST)];
    let (words, below) = near.strip_prefix('<')?.split_once('>')?;
    let (target, behind) = below.strip_prefix(' ')?.strip_prefix('[')?.split_once(']')?;
    let (file, _) = target.split_once('#').unwrap_or((target, ""));
    let is_file = FILES.iter().any(|ending| file.ends_with(ending));
    let is_target = is_file || target.contains("://") || target.starts_with("mailto:");
    let is_link = is_target && !target.contains(char::is_whitespace) && words.starts_with(char::is_alphanumeric);
    (is_link && !words.contains('<')).then(|| (words, &text[near.len() - behind.len()..]))
}

#[cfg(test)]
mod tests {
    use super::without_targets;

    #[test]
    fn only_the_targets_of_links_are_left_out() {
        for (text, wanted) in [
            ("Use <the quota> [Quota.Dict.txt] and <it> [http://example.org/a].", "Use the quota and it."),
            ("See <locking> [Locks.txt#fcntl], then go on.", "See locking, then go on."),
            ("copy <host> [host:port] <file> [file]", "copy <host> [host:port] <file> [file]"),
            ("a < b and c > d [e.txt]", "a < b and c > d [e.txt]"),
            ("<never closed [a.txt]", "<never closed [a.txt]"),
        ] {
            assert_eq!(without_targets(text), wanted);
        }
        let many = "<a> [".repeat(50_000);
        assert_eq!(without_targets(&many), many);
    }
}
