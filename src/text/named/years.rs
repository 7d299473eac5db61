//! Years in a question, and "from … to …".

/// Stands before a year.
const BEFORE: &[&str] = &[
    "in", "of", "since", "from", "to", "until", "till", "by", "and", "or", "between", "through", "during", "before",
    "after", "versus", "vs", "for", "year", "years", "late", "early", "with",
];

/// A word that is a year: four digits from 1500 to 2099.
fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1500..2100).contains(&year))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The years that are named one by one, in order. A number before a noun ("2000 users") is none.
pub(super) fn years(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found: Vec<String> = Vec::new();
    let mut last = None;
    for (at, word) in words.iter().enumerate() {
        if !is_year(bare(word)) {
            continue;
        }
        let before = at.checked_sub(1).map(|before| bare(words[before]).to_lowercase());
        let follows_year = last == at.checked_sub(1) || last.is_some() && last == at.checked_sub(2);
        let stands = before.is_some_and(|before| BEFORE.contains(&before.as_str())) || follows_year;
        let next = words.get(at + 1).map_or("", |next| bare(next));
        let ends = word.ends_with(|c: char| !c.is_alphanumeric());
        let counts = !ends && !next.is_empty() && !crate::words::is_stop(next) && !is_year(next);
        if stands && !counts {
            last = Some(at);
            if !found.iter().any(|known| known == bare(word)) {
                found.push(bare(word).to_string());
            }
        }
    }
    found
}

/// A text without years that stand in it, so that they are no part of a thing's name.
pub(super) fn without(text: &str) -> String {
    let found = years(text);
    let Some(first) = found.first().filter(|_| text.contains(" in ")) else { return text.to_string() };
    match text.rfind(&format!(" in {first}")) {
        Some(at) => text[..at].to_string(),
        None => text.to_string(),
    }
}

/// "from A to B", "between A and B": two dates or versions of at most three words.
pub(super) fn span(text: &str) -> Option<(String, String)> {
    let (_, rest) = text.split_once(" from ").or_else(|| text.split_once(" between "))?;
    let (from, to) = rest.split_once(" to ").or_else(|| rest.split_once(" and "))?;
    let to = to.split([',', ';']).next()?;
    // "between 2021 and 2024 with A": the date ends where the sentence goes on.
    let to = to.split_whitespace().take_while(|word| !crate::words::is_stop(word)).collect::<Vec<_>>().join(" ");
    let dated = |s: &str| s.chars().any(|c| c.is_ascii_digit()) && s.split_whitespace().count() <= 3;
    (dated(from) && dated(&to)).then(|| (from.trim().to_string(), to.trim().to_string()))
}
