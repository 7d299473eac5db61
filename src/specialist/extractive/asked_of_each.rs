//! The question on several things, as a question on one of them: "Do A and B support filtering" is "Does A support filtering" and
//! "Does B support filtering". It goes by the words alone.

use super::phrases::is_cue;
use text::words::{is_stop, words};

/// A clause around its list of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AskedOfEach<'q> {
    before: &'q str,
    after: &'q str,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A question with the things as its subject or object: "How do A and B filter".
    Question,
    /// "Which of A and B supports backups".
    WhichOf,
    /// "Compare A and B for small teams": the rest limits it.
    Compared,
    /// "Is A faster than B".
    Than,
}

/// Begin a question that can be asked of one thing alone.
const ASKING: &[&str] = &[
    "do", "does", "did", "can", "could", "are", "is", "was", "were", "has", "have", "will", "should", "how", "what",
    "when", "where", "why",
];

/// The words that begin a limit of a comparison.
const LIMITING: &[&str] = &["in", "for", "on", "with", "under", "at", "as", "when", "during"];

/// Choose one thing as well as several.
const CHOOSING: &[&str] = &["use", "choose", "pick", "prefer"];

/// Say only that things are compared or chosen.
const OF_COMPARISONS: &[&str] = &[
    "use", "choose", "pick", "prefer", "better", "best", "compare", "compared", "differ", "common", "versus", "vs",
    "contrast",
];

impl<'q> AskedOfEach<'q> {
    /// Reads a clause that lists these things; None if it does not, or if it only asks for their definitions.
    pub fn of(clause: &'q str, things: &[String]) -> Option<AskedOfEach<'q>> {
        let places: Vec<(usize, usize)> =
            things.iter().map(|thing| place(clause, thing)).collect::<Option<Vec<(usize, usize)>>>()?;
        let (start, end) = (places.iter().map(|(at, _)| *at).min()?, places.iter().map(|(_, end)| *end).max()?);
        let is_joint =
            |word: &str| is_stop(word) || matches!(word, "vs" | "versus" | "against" | "compared" | "opposed");
        let is_listed = |at: usize| places.iter().any(|(from, to)| (*from..*to).contains(&(start + at)));
        let within = &clause[start..end];
        if text::words::word_indices(within).any(|(at, word)| !is_listed(at) && !is_joint(word)) {
            return than(within, &clause[end..]);
        }
        let (before, after) = (without_articles(&clause[..start]), clause[end..].trim());
        let lower = before.to_ascii_lowercase();
        let first = lower.split(' ').next().unwrap_or("");
        let is_set_against = text::words::word_indices(within)
            .any(|(at, word)| !is_listed(at) && !matches!(word, "and" | "or" | "a" | "an" | "the"));
        let form = match lower.as_str() {
            _ if before.ends_with([':', ',', '(']) => return None,
            "which of" => Form::WhichOf,
            _ if compares(&lower) || !ASKING.contains(&first) || is_set_against => Form::Compared,
            _ => Form::Question,
        };
        let limits = after.split(' ').next().is_some_and(|word| LIMITING.contains(&word));
        let fits = match form {
            Form::Compared => limits,
            Form::Question | Form::WhichOf | Form::Than => !after.starts_with([',', ':', ';']),
        };
        (fits && says_more(after)).then_some(AskedOfEach { before, after, form })
    }

    /// Whether the clause, without its things, contains this text.
    pub fn has(&self, text: &str) -> bool {
        self.before.contains(text) || self.after.contains(text)
    }

    /// The question on one of the things, with its name; `usual` is the question of a comparison on each.
    pub fn asked(&self, thing: &str, usual: &str) -> String {
        match self.form {
            Form::Question => format!("{} {thing} {}", of_one(self.before, thing), self.after),
            Form::WhichOf => format!("{thing}: {}", self.after),
            Form::Compared => format!("{thing}: {usual} {}", self.after),
            Form::Than => format!("{thing}: {usual}, is it {}", self.after),
        }
    }
}

/// The comparative in "A faster than B", if it says more than "better" and nothing follows.
fn than<'q>(within: &'q str, rest: &str) -> Option<AskedOfEach<'q>> {
    let before = within.split_once(" than ").filter(|_| rest.trim().is_empty())?.0;
    let words: Vec<&str> = before.split(' ').collect();
    let is_more = words.iter().rev().nth(1).is_some_and(|word| matches!(*word, "more" | "less"));
    let at = words.iter().rev().take(if is_more { 2 } else { 1 }).map(|word| word.len() + 1).sum::<usize>();
    let after = before.get((before.len() + 1).checked_sub(at)?..)?;
    says_more(after).then_some(AskedOfEach { before: "", after, form: Form::Than })
}

/// Whether words before a list ask for more than a verb can say of one thing: "what is the difference between".
fn compares(before: &str) -> bool {
    words(before).any(|word| !is_stop(word) && !CHOOSING.contains(&word))
}

/// Whether a text has a word for the subject of the question, besides those that any comparison has.
fn says_more(text: &str) -> bool {
    words(text).any(|word| {
        let lower = word.to_ascii_lowercase();
        !is_stop(word) && !is_cue(word) && !OF_COMPARISONS.contains(&lower.as_str())
    })
}

/// The place of a thing's name as a whole word.
fn place(clause: &str, thing: &str) -> Option<(usize, usize)> {
    let (lower, wanted) = (clause.to_ascii_lowercase(), thing.to_ascii_lowercase());
    let is_whole = |at: usize| {
        !clause[..at].ends_with(char::is_alphanumeric)
            && !clause[at + thing.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
    };
    lower.match_indices(&wanted).map(|(at, _)| at).find(|at| is_whole(*at)).map(|at| (at, at + thing.len()))
}

fn without_articles(text: &str) -> &str {
    let mut text = text.trim_end();
    let articles = [" the", " a", " an", " both", " either"];
    while let Some(rest) = articles.iter().find_map(|article| text.strip_suffix(article)) {
        text = rest.trim_end();
    }
    text
}

/// The words before a list with the verb for one thing: "How do" as "How does". A plural keeps its verb.
fn of_one(before: &str, thing: &str) -> String {
    let is_plural = thing.ends_with('s') && !thing.contains(char::is_uppercase);
    let (head, verb) = before.rsplit_once(' ').map_or(("", before), |(head, verb)| (head, verb));
    let one = match verb {
        _ if is_plural => verb,
        "Do" => "Does",
        "do" => "does",
        "Are" => "Is",
        "are" => "is",
        "Were" => "Was",
        "were" => "was",
        "Have" => "Has",
        "have" => "has",
        other => other,
    };
    format!("{head} {one}").trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_of_several_is_asked_of_each_and_a_bare_comparison_asks_nothing_more() {
        for (clause, things, asked) in [
            (
                "Do Qdrant and Pinecone support filtering",
                &["Qdrant", "Pinecone"] as &[&str],
                "Does Qdrant support filtering",
            ),
            ("Can Pinecone and Qdrant be self-hosted", &["Pinecone", "Qdrant"], "Can Pinecone be self-hosted"),
            ("Which of A1, B1 and C1 supports backups", &["A1", "B1", "C1"], "A1: supports backups"),
            ("How do A1, B1 and C1 differ in consistency", &["A1", "B1", "C1"], "How does A1 differ in consistency"),
            (
                "When should I use Kafka or RabbitMQ for event sourcing",
                &["Kafka", "RabbitMQ"],
                "When should I use Kafka for event sourcing",
            ),
            ("Is Qdrant much faster than pgvector", &["Qdrant", "pgvector"], "Qdrant: what it is, is it faster"),
            (
                "is Pinecone more expensive than Qdrant",
                &["Pinecone", "Qdrant"],
                "Pinecone: what it is, is it more expensive",
            ),
            ("How do backups and cost work in Qdrant", &["backups", "cost"], "How do backups work in Qdrant"),
            (
                "Compare pgvector and Qdrant for filtered search",
                &["pgvector", "Qdrant"],
                "pgvector: what it is for filtered search",
            ),
            (
                "what is the difference between a list and a tuple in Python",
                &["list", "tuple"],
                "list: what it is in Python",
            ),
        ] {
            let things: Vec<String> = things.iter().map(|thing| (*thing).to_owned()).collect();
            let of_each = AskedOfEach::of(clause, &things).map(|of_each| of_each.asked(&things[0], "what it is"));
            assert_eq!(of_each.as_deref(), Some(asked), "{clause}");
        }
        for (clause, things) in [
            ("Compare pgvector and Qdrant", ["pgvector", "Qdrant"]),
            ("Compare the trade-offs of pgvector and Qdrant", ["pgvector", "Qdrant"]),
            ("How do pgvector and Qdrant differ", ["pgvector", "Qdrant"]),
            ("What do pgvector and Qdrant have in common", ["pgvector", "Qdrant"]),
            ("Which is cheaper, Qdrant or Pinecone", ["Qdrant", "Pinecone"]),
            ("whats the difference between hard and symbolic links", ["hard links", "symbolic links"]),
            ("Tell me about Qdrant and Pinecone", ["Qdrant", "Pinecone"]),
            ("How does \u{130}x compare with \u{212a}", ["\u{130}x", "\u{212a}"]),
            ("Do Qdrant filters beat Pinecone", ["Qdrant", "Pinecone"]),
        ] {
            assert_eq!(AskedOfEach::of(clause, &things.map(str::to_owned)), None, "{clause}");
        }
    }
}
