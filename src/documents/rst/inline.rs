//! Removes inline markup: the result is the text of the rendered page.

use crate::markup::{LONGEST, until};
use crate::raised::Shift;

/// The text of `raw` without markup.
pub(super) fn plain(raw: &str) -> String {
    if raw.len() > LONGEST {
        return raw.to_owned();
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['`', '*', '|', '\\', ':', '[', '_']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let used = literal(rest, &mut out)
            .or_else(|| role(rest, &mut out))
            .or_else(|| quoted(rest, &mut out))
            .or_else(|| emphasis(rest, &mut out))
            .or_else(|| footnote(rest, &mut out))
            .or_else(|| reference(rest, &out))
            .or_else(|| escape(rest, &mut out));
        let used = used.unwrap_or_else(|| {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..first]);
            first
        });
        rest = &rest[used..];
    }
    out.push_str(rest);
    out
}

/// ``code``
fn literal(rest: &str, out: &mut String) -> Option<usize> {
    let inner = rest.strip_prefix("``")?;
    let end = until(inner, "``")?;
    out.push_str(&inner[..end]);
    Some(end + 4)
}

/// :ref:`text <target>`, :func:`~package.name`
fn role(rest: &str, out: &mut String) -> Option<usize> {
    let name = rest.strip_prefix(':')?;
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.+".contains(c)))?;
    if !name[..end].ends_with(':') || end < 2 {
        return None;
    }
    let text = name[end..].strip_prefix('`')?;
    let close = until(text, "`")?;
    let role = name[..end].trim_end_matches(':').rsplit(':').next().unwrap_or("");
    let shown = target(&text[..close]);
    match role {
        "pep" => out.push_str(&format!("PEP {shown}")),
        "rfc" => out.push_str(&format!("RFC {shown}")),
        "func" | "meth" if !text.contains('<') => {
            out.push_str(shown);
            if !shown.ends_with(')') {
                out.push_str("()");
            }
        }
        _ => {
            let from = out.len();
            out.push_str(shown);
            if let Some(shift) = Shift::of(role.as_bytes()) {
                shift.write(out, from);
            }
        }
    }
    Some(1 + end + 1 + close + 1)
}

/// `text <target>`_, `text`
fn quoted(rest: &str, out: &mut String) -> Option<usize> {
    let inner = rest.strip_prefix('`')?;
    let close = until(inner, "`")?;
    if close == 0 {
        return None;
    }
    out.push_str(target(&inner[..close]));
    let after = &inner[close + 1..];
    let underscores = after.len() - after.trim_start_matches('_').len();
    Some(close + 2 + underscores.min(2))
}

/// The visible part of `text <target>`, `~package.name`, `!name`.
fn target(inner: &str) -> &str {
    if let Some((text, _)) = inner.strip_suffix('>').and_then(|inner| inner.rsplit_once('<'))
        && !text.trim().is_empty()
    {
        return text.trim();
    }
    if let Some(path) = inner.strip_prefix('~') {
        return path.rsplit('.').next().unwrap_or(path);
    }
    inner.strip_prefix('!').unwrap_or(inner).trim_start_matches('<').trim_end_matches('>')
}

/// **strong**, *emphasis*, |substitution|
fn emphasis(rest: &str, out: &mut String) -> Option<usize> {
    let mark = ["**", "*", "|"].into_iter().find(|mark| rest.starts_with(mark))?;
    if out.ends_with(char::is_alphanumeric) {
        return None;
    }
    let inner = &rest[mark.len()..];
    if inner.starts_with(char::is_whitespace) {
        return None;
    }
    let end = until(inner, mark)?;
    let after = inner[end + mark.len()..].chars().next();
    if end == 0 || inner[..end].ends_with(char::is_whitespace) || after.is_some_and(char::is_alphanumeric) {
        return None;
    }
    out.push_str(&inner[..end]);
    Some(end + 2 * mark.len())
}

/// [1]_, [#note]_
fn footnote(rest: &str, out: &mut String) -> Option<usize> {
    let inner = rest.strip_prefix('[')?;
    let end = until(inner, "]_").filter(|end| *end < 40)?;
    if inner[..end].contains([' ', '[']) {
        return None;
    }
    let kept = out.trim_end().len();
    out.truncate(kept);
    Some(end + 3)
}

/// The underscore of a reference: name_
fn reference(rest: &str, out: &str) -> Option<usize> {
    let after = rest.strip_prefix('_')?;
    let ends = after.is_empty() || after.starts_with([' ', '.', ',', ';', ':', ')', '!', '?']);
    (ends && out.ends_with(char::is_alphanumeric)).then_some(1)
}

fn escape(rest: &str, out: &mut String) -> Option<usize> {
    let escaped = rest.strip_prefix('\\')?.chars().next()?;
    if !escaped.is_whitespace() {
        out.push(escaped);
    }
    Some(1 + escaped.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn markup_is_taken_off_and_text_stays() {
        for (raw, shown) in [
            ("the ``quantile`` parameter", "the quantile parameter"),
            ("see :ref:`the list <tut-lists>`.", "see the list."),
            ("call :func:`~os.path.join` or :meth:`list.sort`", "call join() or list.sort()"),
            ("by :pep:`484` and :rfc:`822`", "by PEP 484 and RFC 822"),
            ("a `link <https://x.org/>`_ and `another`__", "a link and another"),
            ("*very* **strong** 2*3*4 a * b", "very strong 2*3*4 a * b"),
            ("a note [1]_ and [#x]_.", "a note and."),
            ("see Python_ and snake_case_name", "see Python and snake_case_name"),
            (r"escaped \*star\* and\ glue", "escaped *star* andglue"),
            ("open `never closed", "open `never closed"),
            ("|version| is out", "version is out"),
            ("time: 10:30", "time: 10:30"),
            (r"at most 2\ :sup:`32` rows", "at most 2^32 rows"),
            (":c:func:`PyEval_SaveThread`", "PyEval_SaveThread()"),
        ] {
            assert_eq!(plain(raw), shown, "{raw}");
        }
    }
}
