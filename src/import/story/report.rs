//! The titles of reports: the answer of each agent, in a few words.

use run::Payload;
use run::model::Content;
use serde_json::Value;
use text::Clean;

use super::{Agent, Did};

/// The most of a title, in characters.
const MOST: usize = 80;

/// The fields of data that are told before all others, the most telling first.
const TELLING: [&str; 7] = ["answer", "final_answer", "output", "result", "content", "text", "messages"];

/// The titles of the reports of these agents, in their order: of their result, else of the last answer of their model.
pub(super) fn titles(agents: &[Agent]) -> Vec<Clean> {
    let title = |agent: &Agent| {
        let given_back = agent.end.as_ref().and_then(|end| of_payload(&end.payload));
        let title = given_back.or_else(|| last_answer(agent)).unwrap_or_else(|| "report".into());
        Clean::line(&cut_at_a_word(&title))
    };
    agents.iter().map(title).collect()
}

/// The title in at most [`MOST`] characters; where something is left out it ends after a word, with a sign for it.
fn cut_at_a_word(title: &str) -> String {
    let Some((end, _)) = title.char_indices().nth(MOST) else { return title.to_owned() };
    let room = title.char_indices().nth(MOST - 2).map_or(end, |(room, _)| room);
    // The word that goes on behind the end is left out; one that is all of it is cut.
    let kept = title[..room].rsplit_once(char::is_whitespace).map_or(&title[..room], |(before, _)| before);
    format!("{} …", kept.trim_end_matches([',', ';', ':', ' ']))
}

fn of_payload(payload: &Payload) -> Option<String> {
    let of_note = payload.notes().first().and_then(|note| of_text(note));
    of_note.or_else(|| of_value(payload.data.as_ref()?.get()))
}

/// The first line of a text; of JSON that of its content.
fn of_text(text: &str) -> Option<String> {
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        return of_value(&value);
    }
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// The words that say most of a value: those of a telling field, else all that are not nested; of several values the last.
fn of_value(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned),
        Value::Array(items) => items.iter().rev().find_map(of_value),
        Value::Object(fields) => TELLING.iter().find_map(|name| of_value(fields.get(*name)?)).or_else(|| {
            let plain = fields.values().filter(|value| !value.is_object() && !value.is_array());
            let words: Vec<String> = plain.filter_map(of_value).collect();
            (!words.is_empty()).then(|| words.join(" · "))
        }),
        other => Some(other.to_string()),
    }
}

fn last_answer(agent: &Agent) -> Option<String> {
    let asked = agent.steps.iter().rev().filter_map(|step| match &step.did {
        Did::Asked(asked) => Some(asked),
        _ => None,
    });
    let mut texts = asked.flat_map(|asked| &asked.content).filter_map(|content| match content {
        Content::Text { text } => of_text(text),
        _ => None,
    });
    texts.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::tool::CleanJson;
    use serde_json::json;

    #[test]
    fn a_title_that_is_too_long_ends_after_a_word_and_says_so() {
        assert_eq!(cut_at_a_word("short"), "short");
        let whole = "w".repeat(MOST);
        assert_eq!(cut_at_a_word(&whole), whole);
        let long = "All notes say that reads came back after a write: two of three incidents were stale entries";
        assert_eq!(
            cut_at_a_word(long),
            "All notes say that reads came back after a write: two of three incidents were …"
        );
        assert_eq!(cut_at_a_word(&"ä".repeat(MOST + 1)), format!("{} …", "ä".repeat(MOST - 2)));
    }

    #[test]
    fn a_report_is_titled_by_what_it_tells() {
        for (note, says) in [
            ("0.90\nas of 2019", Some("0.90")),
            ("{\"answer\": \"Region 7 pays 0.90\", \"sources\": [1]}", Some("Region 7 pays 0.90")),
            ("{broken", Some("{broken")),
            ("[]", None),
            ("", None),
        ] {
            assert_eq!(of_text(note).as_deref(), says, "{note}");
        }
        for (data, says) in [
            (json!({"question": "How much?", "answer": "0.90"}), Some("0.90")),
            (json!({"messages": [{"content": "ask"}, {"content": "0.90"}], "output": null}), Some("0.90")),
            (json!({"year": 2019, "price": "0.90"}), Some("0.90 · 2019")),
            (json!({"output": [{"content": "first"}, {"content": "last"}]}), Some("last")),
            (json!({}), None),
        ] {
            let payload = Payload { data: Some(CleanJson::new(data.clone())), ..Payload::default() };
            assert_eq!(of_payload(&payload).as_deref(), says, "{data}");
        }
    }
}
