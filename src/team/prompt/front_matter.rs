//! The lines at the top of a prompt file, between two lines of `---`: a small part of YAML.

/// Whether a prompt file has a front matter, as every subagent file does.
pub fn has_front_matter(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.starts_with("---\n") || text.starts_with("---\r\n")
}

/// The front matter and the text below it; the former is empty if there is none.
///
/// # Errors
/// It is not closed.
pub(super) fn split(text: &str) -> Result<(&str, &str), String> {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return Ok(("", text)) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    Err("the front matter that begins in line 1 is not closed: put `---` in a line of its own behind it".into())
}

/// A key with its value.
pub(super) struct Field {
    /// The key, as written.
    pub key: String,
    /// The value without quotes and comment; items of a list are joined by commas.
    pub value: String,
    /// The line of the file, from 1.
    pub line: usize,
    /// Whether its value is a block below it, in which `#` is a letter like others.
    is_block: bool,
}

impl Field {
    /// Its value as a whole number.
    pub fn number(&self) -> Result<u64, String> {
        let Field { key, value, line, .. } = self;
        value.parse().map_err(|_| format!("line {line}: `{key}` has to be a whole number, and is `{value}`"))
    }

    /// Its value as a whole number of at most 32 bits.
    pub fn small_number(&self) -> Result<u32, String> {
        let Field { key, line, .. } = self;
        u32::try_from(self.number()?).map_err(|_| format!("line {line}: `{key}` is too large"))
    }
}

/// `key: value` lines; a value may be quoted, in brackets, a list below its key, or folded over indented lines.
pub(super) fn fields(head: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for (at, line) in head.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let indented = line.starts_with([' ', '\t', '-']);
        match (indented, fields.last_mut(), line.split_once(':')) {
            (true, Some(last), _) => {
                let item = line.trim();
                let (item, by) = item.strip_prefix("- ").map_or((item, " "), |item| (item, ", "));
                let item = if last.is_block { item } else { without_comment(item.trim()) };
                if !last.value.is_empty() {
                    last.value.push_str(by);
                }
                last.value.push_str(unquoted(item));
            }
            (false, _, Some((key, value))) => {
                let value = unquoted(without_comment(value.trim()));
                let is_block = matches!(value, "|" | ">" | "|-" | ">-");
                let value = if is_block { "" } else { value };
                fields.push(Field { key: key.trim().to_string(), value: value.to_string(), line: at + 2, is_block });
            }
            _ => {}
        }
    }
    fields
}

/// A value without the comment behind it.
fn without_comment(value: &str) -> &str {
    if let Some(end) = end_of_quoted(value) {
        let behind = value[end..].trim_start();
        if behind.is_empty() || behind.starts_with('#') {
            return &value[..end];
        }
    }
    let is_comment = |(at, _): &(usize, &str)| value[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = value.match_indices('#').find(is_comment);
    comment.map_or(value, |(at, _)| value[..at].trim_end())
}

/// The end of the quotes around the beginning of a value.
fn end_of_quoted(value: &str) -> Option<usize> {
    let mark = value.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let mut escaped = false;
    let mut letters = value.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        let is_mark = letter == mark && !escaped;
        // In single quotes, two of them stand for one.
        if is_mark && mark == '\'' && letters.next_if(|(_, next)| *next == mark).is_some() {
            continue;
        }
        if is_mark {
            return Some(at + 1);
        }
        escaped = mark == '"' && letter == '\\' && !escaped;
    }
    None
}

/// A value without the quotes around it.
pub(super) fn unquoted(value: &str) -> &str {
    let inner = |mark: char| value.strip_prefix(mark).and_then(|value| value.strip_suffix(mark));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}
