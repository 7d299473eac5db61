//! Detects AsciiDoc by its content, and the title of a manual page in it.

use super::super::titles::manual_title;
use super::line::Line;

/// The most bytes that are examined.
const BEGINNING: usize = 64 << 10;
/// The most lines of a manual page's purpose.
const LONGEST_PURPOSE: usize = 8;

/// Whether a text is AsciiDoc: it has several kinds of marks that no other format has; below a title, fewer are enough.
pub(in super::super) fn is_source(text: &str) -> bool {
    let all: Vec<Line<'_>> = text[..text.floor_char_boundary(BEGINNING)]
        .lines()
        .zip(1u32..)
        .map(|(raw, no)| Line { text: raw.trim_end(), no })
        .collect();
    let has = |is: &dyn Fn(&Line<'_>) -> bool| usize::from(all.iter().any(is));
    let below =
        |is: &dyn Fn(&Line<'_>, &Line<'_>) -> bool| all.windows(2).filter(|pair| is(&pair[0], &pair[1])).count();
    let is_style = |line: &Line<'_>| {
        let style = line.attributes().unwrap_or("").split([',', '.', '#', '%']).next().unwrap_or("");
        matches!(
            style,
            "verse" | "synopsis" | "NOTE" | "TIP" | "WARNING" | "IMPORTANT" | "CAUTION" | "source" | "listing"
        ) || matches!(style, "quote" | "horizontal" | "glossary" | "discrete" | "qanda" | "appendix" | "abstract")
            || ["[cols=", "[options=", "[role=", "[subs=", "[id="].iter().any(|begin| line.text.starts_with(begin))
    };
    // A literal block of reStructuredText stands below a blank line, a type of Haskell behind a spaced mark.
    let is_term = |line: &Line<'_>, next: &Line<'_>| {
        let spaced = line.text.contains(" ::") || line.text.contains(" ;;");
        line.term().is_some_and(|(_, _, text)| !spaced && (!text.is_empty() || next.is_indented()))
    };
    let terms = below(&is_term);
    let marks = has(&|line| line.text.contains("linkgit:"))
        + has(&|line| line.is_directive())
        + has(&|line| line.text.starts_with("image::") && line.text.ends_with(']'))
        + has(&|line| line.attributes() == Some("") && line.text.len() > 4)
        + usize::from(below(&|line, next| is_style(line) && !next.is_blank()) > 0)
        + has(&|line| line.text.contains("link:") && line.text.contains("[") || line.text.contains("xref:"))
        + has(&|line| line.text == "|===")
        + has(&|line| line.text.starts_with("== ") && !line.text.ends_with('='))
        + usize::from(below(&|line, next| line.text == "+" && !next.is_blank()) > 0)
        + usize::from(terms > 0);
    let inked = all.iter().position(|line| !line.is_blank() && !line.is_comment() && line.attributes() != Some(""));
    let Some(first) = inked else { return false };
    let under = all.get(first + 1).and_then(|under| all[first].underlined(under));
    let is_titled = under == Some(1)
        || all[first].title().is_some_and(|(level, _)| all[first].text.starts_with("= ") && level == 1);
    match is_titled {
        true => marks >= 2 || marks == 1 && is_manual(all[first].text),
        false => marks >= 3 || marks == 2 && terms >= 2,
    }
}

/// Whether a title is that of a manual page: `git-log(1)`.
fn is_manual(title: &str) -> bool {
    let name = title.strip_prefix("= ").unwrap_or(title).trim();
    let section = name.strip_suffix(')').and_then(|name| name.rsplit_once('('));
    section.is_some_and(|(name, section)| {
        !name.is_empty()
            && !name.contains(char::is_whitespace)
            && section.len() <= 4
            && section.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The title of a formatted manual page: "git-log(1): Show commit logs".
pub(super) fn manual(lines: &[Line<'_>]) -> Option<String> {
    let first = lines.iter().find(|line| !line.is_blank() && !line.is_comment()).filter(|line| is_manual(line.text))?;
    let name = first.text.strip_prefix("= ").unwrap_or(first.text).trim();
    let is_name = |line: &&Line<'_>| line.text.trim_start_matches('=').trim().eq_ignore_ascii_case("name");
    let below = lines.iter().skip_while(|line| !is_name(line)).skip(1);
    let words = below.skip_while(|line| !line.text.chars().any(char::is_alphanumeric)).take(LONGEST_PURPOSE);
    let said: Vec<&str> = words.take_while(|line| !line.is_blank()).map(Line::words).collect();
    Some(manual_title(name, &said.join(" ")))
}
