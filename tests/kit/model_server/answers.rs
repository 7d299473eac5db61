//! The answers of a good model to each specialist: it reads the question as masthead puts it, and uses nothing but that.

use serde_json::{Value, json};
use text::sentence::sentences;

use super::Question;
use super::stream::Answer;

/// The most findings of a report.
const MOST_FINDINGS: usize = 5;
/// The shortest sentence that is quoted, in bytes.
const SHORTEST: usize = 40;
/// The tool with which a report is handed in.
const REPORT: &str = "report";

/// The specialist that asks, by the form of the question.
pub(super) fn role(body: &Value) -> &'static str {
    let schema = schema(body);
    let has = |field: &str| schema.as_ref().is_some_and(|schema| schema["properties"][field].is_object());
    match () {
        () if offers(body, "finalize") => "supervisor",
        () if has("tasks") => "planner",
        () if has("brief") => "agent",
        () if has("findings") => "researcher",
        () if has("judgements") => "reviewer",
        () if has("better") => "judge",
        () if all_text(body).lines().any(is_finding) => "writer",
        () => "other",
    }
}

/// The way in which a planner plans.
#[derive(Default)]
pub(super) struct Planning {
    /// A task for each of these; if there are none, for each that the question names.
    pub things: Vec<String>,
    /// The role of each task; a researcher if none is named.
    pub role: Option<String>,
    /// Each task waits for the one before it.
    pub in_turn: bool,
}

/// A good answer. A plan never has those to be left out.
pub(super) fn good(question: &Question, planning: &Planning, leave_out: &[String]) -> Answer {
    let body = question.chat();
    let said = all_text(body);
    let things = || {
        let asked = fences(&said, "question").first().map(|(_, text)| *text).unwrap_or_default();
        let mut things = if planning.things.is_empty() { things(asked) } else { planning.things.clone() };
        things.retain(|thing| !leave_out.iter().any(|left| left.eq_ignore_ascii_case(thing)));
        (things, asked)
    };
    let answer = match question.role {
        "supervisor" => leads(body, things()),
        "planner" => report(body, planned(things(), planning)),
        "researcher" => researches(body, &said),
        "agent" => does_all(body, &said, &things().0),
        "reviewer" => report(body, judged(&said)),
        "judge" => report(body, prefers(&said)),
        "writer" => Answer::text(written(&said)),
        _ => Answer::text("There is nothing to add."),
    };
    answer.reads(body.to_string().len() as u64 / 4)
}

/// The same search as before, until an answer is said to be the last; then a good answer.
pub(super) fn searches_again(question: &Question) -> Answer {
    let body = question.chat();
    let is_last = all_text(body).contains("This is your last answer");
    match offers(body, "search") && may_call(body) && !is_last {
        true => Answer::calls(&[("search", json!({ "query": "index" }))]),
        false => good(question, &Planning::default(), &[]),
    }
}

/// A call of this tool, where it is on offer; then, as a good researcher, findings from the results of tools. As any other, a good
/// answer.
pub(super) fn uses(question: &Question, tool: &str, arguments: Value) -> Answer {
    let body = question.chat();
    if question.role != "researcher" || !offers(body, tool) {
        return good(question, &Planning::default(), &[]);
    }
    let brought = messages(body).filter(|message| message["role"] == "tool");
    let brought: Vec<&str> = brought.filter_map(|message| message["content"].as_str()).collect();
    if brought.is_empty() && may_call(body) {
        return Answer::calls(&[(tool, arguments)]);
    }
    let asked = all_text(body);
    let part = asked.split("Your part of it: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
    researches(body, &format!("Your part of it: {part}\n{}", brought.join("\n")))
}

/// A call that the tool does not take; empty words where none can be called.
pub(super) fn wrong_call(question: &Question) -> Answer {
    match question.chat()["tools"][0]["function"]["name"].as_str() {
        Some(name) if may_call(question.chat()) => Answer::calls(&[(name, json!({ "words": ["wrong"] }))]),
        _ => Answer::text(""),
    }
}

/// As a reviewer: no sentence of the draft is supported. As any other, a good answer.
pub(super) fn vetoes(question: &Question) -> Answer {
    if question.role != "reviewer" {
        return good(question, &Planning::default(), &[]);
    }
    let mut verdict = judged(&all_text(question.chat()));
    let no = |n: u64| json!({ "sentence": n, "supported": "no", "clear": "yes", "why": "the finding says less" });
    verdict["judgements"] = (1..=verdict["judged"].as_u64().unwrap_or(0)).map(no).collect();
    report(question.chat(), verdict)
}

/// As a writer: sentences that differ from their findings. As any other, a good answer.
pub(super) fn rewords(question: &Question) -> Answer {
    match question.role {
        "writer" => Answer::text(written(&all_text(question.chat())).replace(" [", ", as is said [")),
        _ => good(question, &Planning::default(), &[]),
    }
}

fn report(body: &Value, report: Value) -> Answer {
    if offers(body, REPORT) { Answer::calls(&[(REPORT, report)]) } else { Answer::text(report.to_string()) }
}

fn leads(body: &Value, (things, asked): (Vec<String>, &str)) -> Answer {
    let turns = messages(body).filter(|message| message["role"] == "assistant").count();
    let task = |thing: &String| {
        ("handoff_to_researcher", json!({ "title": thing, "question": format!("{asked} Here: {thing}.") }))
    };
    match turns {
        0 => Answer::calls(&things.iter().map(task).collect::<Vec<_>>()),
        1 => Answer::calls(&[("handoff_to_writer", json!({ "note": "" }))]),
        _ => Answer::calls(&[("finalize", json!({ "draft": "last" }))]),
    }
}

fn planned((things, asked): (Vec<String>, &str), planning: &Planning) -> Value {
    let who = planning.role.as_deref().unwrap_or("researcher");
    let task = |(thing, before): (&String, u32)| {
        let after = if planning.in_turn && before > 0 { vec![before] } else { Vec::new() };
        json!({ "title": thing, "question": format!("{asked} Here: {thing}."), "done_when": "it has facts", "after": after,
            "who": who })
    };
    let shape = if things.len() > 1 { "comparison" } else { "overview" };
    json!({ "shape": shape, "tasks": things.iter().zip(0..).map(task).collect::<Vec<_>>(), "why": "one task for each thing" })
}

fn researches(body: &Value, said: &str) -> Answer {
    let thing = said.split("Your part of it: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let has_looked = messages(body).any(|message| message["role"] == "tool");
    if !has_looked && offers(body, "search") && may_call(body) {
        return Answer::calls(&[("search", json!({ "query": thing }))]);
    }
    let findings = found(said, thing);
    let gaps = if findings.is_empty() { format!("nothing was found on {thing}") } else { String::new() };
    report(body, json!({ "findings": findings, "gaps": gaps }))
}

/// Searches for each thing, one a turn, then reports on all of them as a researcher and a writer would.
fn does_all(body: &Value, said: &str, things: &[String]) -> Answer {
    let turns = messages(body).filter(|message| message["role"] == "assistant").count();
    // It begins with a search that was made before it was asked.
    if let Some(thing) = things.get(turns.saturating_sub(1)).filter(|_| offers(body, "search") && may_call(body)) {
        return Answer::calls(&[("search", json!({ "query": thing }))]);
    }
    let (mut findings, mut brief) = (Vec::new(), String::from("# What there is\n"));
    for thing in things {
        brief.push_str(&format!("\n## {thing}\n\n"));
        for finding in found(said, thing) {
            let claim = finding["claim"].as_str().unwrap_or_default().trim_end_matches('.').to_owned();
            findings.push(finding);
            brief.push_str(&format!("{claim} [{}]. ", findings.len()));
        }
    }
    report(body, json!({ "findings": findings, "brief": brief }))
}

/// Sentences of the passages about a thing.
fn found(said: &str, thing: &str) -> Vec<Value> {
    let mut findings: Vec<Value> = Vec::new();
    for (attributes, passage) in fences(said, "passage") {
        let source = attributes.split("source=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let is_about = |text: &str| text.to_lowercase().contains(&thing.to_lowercase());
        // A mark stands at the cuts of a passage in a search result.
        let passage = passage.trim_matches(['…', ' ', '\n']);
        for range in sentences(passage) {
            let quote = &passage[range];
            let is_new = !findings.iter().any(|finding| finding["quote"] == quote);
            // A passage of a search result may end in the middle of a sentence.
            let is_whole = quote.len() >= SHORTEST && quote.ends_with('.') && !quote.contains('|');
            if is_new && is_whole && (is_about(quote) || is_about(attributes)) && findings.len() < MOST_FINDINGS {
                findings.push(json!({ "claim": quote, "quote": quote, "source": source }));
            }
        }
    }
    findings
}

/// The brief with more citations, wherever it stands.
fn prefers(said: &str) -> Value {
    let cited: Vec<usize> = fences(said, "brief").iter().map(|(_, brief)| brief.matches('[').count()).collect();
    let better = match cited[..] {
        [a, b] if a > b => "A",
        [a, b] if a < b => "B",
        _ => "tie",
    };
    json!({ "assessment": format!("By the third point: {cited:?} sentences end in a citation."), "better": better })
}

/// The brief that it reads first.
pub(super) fn prefers_first(question: &Question) -> Answer {
    let body = question.chat();
    let said = json!({ "assessment": "The first one reads well.", "better": "A" });
    report(body, said).reads(body.to_string().len() as u64 / 4)
}

fn judged(said: &str) -> Value {
    let count = said.lines().filter(|line| line.starts_with("Sentence ") && line.ends_with(':')).count();
    json!({ "judged": count, "judgements": [], "missing": [] })
}

/// Whether a line of the writer's request opens a finding: its number, and the element with the statements about it.
fn is_finding(line: &str) -> bool {
    let element = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    element.is_some_and(|(_, element)| element == "<finding>" || element.starts_with("<finding "))
}

/// A brief of the findings that it is given, as they are, until it is long enough; something of every sub-topic.
fn written(said: &str) -> String {
    let words = said.split("Write about ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or(500);
    let asked = fences(said, "question").first().map(|(_, text)| *text).unwrap_or_default();
    let mut brief = format!("# {asked}\n");
    let mut length = 0;
    let mut is_first = false;
    let lines: Vec<&str> = said.lines().collect();
    for pair in lines.windows(2) {
        if let (Some(topic), true) = (pair[0].strip_suffix(':'), is_finding(pair[1])) {
            brief.push_str(&format!("\n## {topic}\n\n"));
            is_first = true;
        }
        if let (Some((mark, _)), claim) = (pair[0].split_once(' ').filter(|_| is_finding(pair[0])), pair[1]) {
            let more = claim.split_whitespace().count();
            if is_first || length + more <= words {
                brief.push_str(&format!("{} {mark}. ", claim.trim_end_matches('.')));
                length += more;
                is_first = false;
            }
        }
    }
    if let Some((_, gaps)) = fences(said, "gaps").first() {
        brief.push_str("\n\n## Gaps\n\n");
        gaps.lines().for_each(|gap| brief.push_str(&format!("- {gap}\n")));
    }
    brief
}

/// The things that a question is about: its lines if it has several, else the list behind “of”, or behind its verb.
fn things(asked: &str) -> Vec<String> {
    if asked.lines().count() > 1 {
        return asked.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    }
    let asked = asked.trim_end_matches(['?', '.']);
    let list = asked.rsplit_once(" of ").or(asked.split_once(' ')).map_or(asked, |(_, list)| list);
    let list =
        [" and ", " or ", " versus ", " vs "].iter().fold(list.to_owned(), |list, word| list.replace(word, ", "));
    list.split(", ").map(|thing| thing.trim().to_owned()).filter(|thing| !thing.is_empty()).collect()
}

fn messages(body: &Value) -> impl Iterator<Item = &Value> {
    body["messages"].as_array().into_iter().flatten()
}

/// All that was said to the model, but for its instructions.
fn all_text(body: &Value) -> String {
    let told = messages(body).filter(|message| message["role"] == "user" || message["role"] == "tool");
    told.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The elements of this name, each with its attributes and its text.
fn fences<'a>(said: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let element = |rest: &'a str| {
        let (attributes, rest) = rest.split_once('>')?;
        Some((attributes, rest.split_once(close.as_str())?.0.trim()))
    };
    said.split(open.as_str()).skip(1).filter_map(element).collect()
}

fn offers(body: &Value, tool: &str) -> bool {
    body["tools"].as_array().into_iter().flatten().any(|offer| offer["function"]["name"] == tool)
}

fn may_call(body: &Value) -> bool {
    body["tools"].is_array() && body["tool_choice"] != "none" && body["response_format"].is_null()
}

/// The schema of the report that is asked for.
fn schema(body: &Value) -> Option<Value> {
    let offers = body["tools"].as_array().into_iter().flatten();
    let offered = offers.map(|offer| &offer["function"]).find(|function| function["name"] == REPORT);
    if let Some(function) = offered {
        return Some(function["parameters"].clone());
    }
    let said = all_text(body);
    let (_, rest) = said.split_once("one JSON object of this schema and nothing else:\n")?;
    serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()
}
