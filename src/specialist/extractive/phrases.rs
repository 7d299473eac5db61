//! Splits a question into phrases that may name its topic: runs of words between function words, cue words and verbs.
//! It does not look at the sources.

use text::words::{Language, is_stop, stem};

/// Runs of content words, cut at function words, cue words, verbs and punctuation.
pub(super) fn phrases(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut close = |run: &mut Vec<&str>| {
        let phrase = run.join(" ");
        if !phrase.is_empty() && !found.contains(&phrase) {
            found.push(phrase);
        }
        run.clear();
    };
    let tokens: Vec<&str> = text.split_whitespace().collect();
    for (at, token) in tokens.iter().enumerate() {
        let word = bare(token);
        let before = at.checked_sub(1).map(|at| bare(tokens[at]).to_lowercase()).unwrap_or_default();
        // "how do I list files", "how to set a limit": the next word is a verb.
        let done = matches!(before.as_str(), "i" | "we" | "you")
            || before == "to"
                && at > 1
                && matches!(bare(tokens[at - 2]).to_lowercase().as_str(), "how" | "way" | "want");
        let ends = token.ends_with([',', ':', ';', '?', '.']);
        let next = tokens.get(at + 1).map(|next| bare(next)).unwrap_or_default();
        let compound = QUALIFIERS.contains(&word.to_lowercase().as_str())
            && !(ends || next.is_empty() || is_stop(next) || is_cue(next) || is_action(next));
        let named = word.chars().any(char::is_uppercase) && at > 0;
        if word.is_empty()
            || is_stop(word)
            || !named && (done || is_action(&word.to_lowercase()))
            || is_cue(word) && (done || !compound)
        {
            close(&mut run);
            continue;
        }
        run.push(word);
        if ends {
            close(&mut run);
        }
    }
    close(&mut run);
    found
}

fn bare(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '_')
}

/// Whether a word is a cue: it says what is asked about a topic and is never the topic.
pub(super) fn is_cue(word: &str) -> bool {
    let word = word.to_lowercase();
    CUES.contains(&word.as_str()) || CUES.contains(&stem(&word, Language::English).as_str())
}

/// Whether a word, as written, is only a verb.
pub(super) fn is_action(word: &str) -> bool {
    ACTIONS.binary_search(&word).is_ok()
}

/// Whether a phrase is a proper name: an acronym, a capitalised name, or an identifier.
pub(super) fn is_proper(phrase: &str) -> bool {
    phrase.split(' ').any(|word| word.chars().any(char::is_uppercase) || word.contains(['_', '/', '.', '(']))
}

/// Cue words that form a name with the next word: a type hint, a list comprehension.
const QUALIFIERS: &[&str] = &["change", "import", "list", "role", "rule", "set", "step", "type", "work"];

/// Cue words; some are stems.
const CUES: &[&str] = &[
    "compare",
    "compar",
    "comparison",
    "difference",
    "differ",
    "trade-off",
    "trade-offs",
    "tradeoff",
    "tradeoffs",
    "advantag",
    "advantage",
    "disadvantag",
    "pros",
    "cons",
    "benefit",
    "drawback",
    "strength",
    "weakness",
    "cause",
    "caus",
    "reason",
    "risk",
    "problem",
    "symptom",
    "history",
    "histori",
    "timeline",
    "overview",
    "explain",
    "describe",
    "describ",
    "summar",
    "summary",
    "work",
    "use",
    "used",
    "using",
    "happen",
    "change",
    "chang",
    "kind",
    "kinds",
    "type",
    "types",
    "sort",
    "rule",
    "rules",
    "way",
    "ways",
    "belong",
    "exactly",
    "exact",
    "best",
    "better",
    "good",
    "mean",
    "tell",
    "list",
    "give",
    "main",
    "important",
    "import",
    "need",
    "want",
    "make",
    "get",
    "know",
    "look",
    "like",
    "please",
    "question",
    "thing",
    "things",
    "create",
    "creat",
    "handle",
    "possible",
    "possibl",
    "available",
    "show",
    "find",
    "set",
    "write",
    "choose",
    "pick",
    "prefer",
    "apply",
    "go",
    "say",
    "deal",
    "affect",
    "influence",
    "influenc",
    "role",
    "purpose",
    "purpos",
    "effect",
    "impact",
    "detail",
    "basic",
    "step",
    "may",
    "must",
    "shall",
    "might",
    "able",
    "rather",
    "instead",
    "without",
    "within",
    "versus",
    "vs",
    "opposed",
    "compared",
    "take",
    "save",
    "saving",
    // How many and how often.
    "another",
    "several",
    "many",
    "multiple",
    "various",
    "something",
    "anything",
    "everything",
    "sometimes",
    "often",
    "always",
    "never",
    "ever",
    "usually",
    "really",
    "actually",
];

/// Verbs that are hardly ever nouns, in the forms used in questions; sorted.
const ACTIONS: &[&str] = &[
    "achieve",
    "add",
    "added",
    "adding",
    "allow",
    "allows",
    "arise",
    "arose",
    "avoid",
    "avoiding",
    "became",
    "become",
    "becomes",
    "begin",
    "begins",
    "behave",
    "behaves",
    "bring",
    "broke",
    "built",
    "came",
    "carry",
    "caused",
    "choosing",
    "come",
    "comes",
    "configure",
    "configured",
    "configuring",
    "connect",
    "contain",
    "contains",
    "convert",
    "decide",
    "declare",
    "define",
    "defined",
    "delete",
    "depend",
    "deploy",
    "deploying",
    "determine",
    "develop",
    "developed",
    "develops",
    "did",
    "disable",
    "does",
    "done",
    "enable",
    "ensure",
    "evolve",
    "evolved",
    "evolves",
    "exist",
    "exists",
    "expect",
    "extend",
    "fail",
    "failed",
    "fails",
    "follow",
    "freed",
    "gain",
    "gave",
    "getting",
    "given",
    "gives",
    "got",
    "grew",
    "grow",
    "grown",
    "happened",
    "happening",
    "happens",
    "helps",
    "improve",
    "improved",
    "include",
    "install",
    "installed",
    "installing",
    "introduce",
    "introduced",
    "keep",
    "keeps",
    "kept",
    "know",
    "learn",
    "leave",
    "let",
    "lets",
    "lose",
    "made",
    "maintain",
    "make",
    "makes",
    "making",
    "manage",
    "managed",
    "manages",
    "migrate",
    "migrating",
    "must",
    "obtain",
    "occur",
    "occurs",
    "perform",
    "prevent",
    "produce",
    "protect",
    "prove",
    "provide",
    "provided",
    "provides",
    "put",
    "reach",
    "reduce",
    "remove",
    "removed",
    "replace",
    "replaced",
    "require",
    "required",
    "requires",
    "restrict",
    "running",
    "saw",
    "seem",
    "send",
    "serve",
    "solve",
    "speak",
    "spend",
    "spends",
    "spent",
    "started",
    "starting",
    "starts",
    "stay",
    "stored",
    "switched",
    "take",
    "takes",
    "tell",
    "tells",
    "tried",
    "try",
    "trying",
    "understand",
    "uninstall",
    "unpack",
    "upgraded",
    "upgrading",
    "verify",
    "went",
    "works",
    "write",
    "writing",
    "written",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_sorted_so_that_they_can_be_found() {
        assert!(ACTIONS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn phrases_are_cut_at_verbs_cues_and_function_words() {
        for (question, wanted) in [
            ("the advantages of a global interpreter lock", &["global interpreter lock"] as &[&str]),
            ("What are the causes of war?", &["war"]),
            ("How did type hints develop over the years?", &["type hints", "years"]),
            ("How does the kernel manage memory?", &["kernel", "memory"]),
            ("How do I list files?", &["files"]),
            ("What is a list comprehension?", &["list comprehension"]),
            ("What are the risks of running testing?", &["testing"]),
            ("Which kind of data is it?", &["data"]),
            ("How does error handling work?", &["error handling"]),
            ("Why does one thread sometimes block another?", &["thread", "block"]),
        ] {
            assert_eq!(phrases(question), wanted, "{question}");
        }
    }
}
