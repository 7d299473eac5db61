//! Whole runs over the web, as a person starts them, against a small wiki on this machine.

use std::path::Path;
use std::process::Output;

use kit::server::{Asked, Said, Scripted};

/// Title, and the article as a wiki gives it.
const ARTICLES: [(&str, &str); 3] = [
    ("Sourdough", include_str!("wiki/Sourdough.html")),
    ("Baker's yeast", include_str!("wiki/Baker's_yeast.html")),
    ("Bread", include_str!("wiki/Bread.html")),
];

/// A wiki that finds the articles that hold every word, those that are titled so first.
fn wiki(asked: &Asked) -> Said {
    let parameter = |name| asked.parameter(name).unwrap_or_default();
    let answer = match parameter("action").as_str() {
        "query" => {
            let words: Vec<String> = parameter("gsrsearch").to_lowercase().split(' ').map(str::to_owned).collect();
            let holds = |(title, text): &&(&str, &str)| {
                let all = format!("{title} {text}").to_lowercase();
                words.iter().all(|word| all.contains(word.as_str()))
            };
            let mut found: Vec<&(&str, &str)> = ARTICLES.iter().filter(holds).collect();
            found.sort_by_key(|(title, _)| !words.iter().any(|word| title.to_lowercase().contains(word.as_str())));
            let page = |(index, (title, _)): (usize, &&(&str, &str))| {
                let path = title.replace(' ', "_").replace('\'', "%27");
                serde_json::json!({ "title": title, "index": index + 1, "extract": "",
                    "fullurl": format!("https://en.wikipedia.org/wiki/{path}") })
            };
            serde_json::json!({ "query": { "pages": found.iter().enumerate().map(page).collect::<Vec<_>>() } })
        }
        _ => match ARTICLES.iter().find(|(title, _)| *title == parameter("page")) {
            Some((title, text)) => serde_json::json!({ "parse": { "title": title, "text": text } }),
            None => serde_json::json!({ "error": { "code": "missingtitle", "info": "no such page" } }),
        },
    };
    Said::new(200, "application/json", answer.to_string())
}

fn masthead(dir: &Path, base: &str, args: &[&str]) -> Output {
    crate::masthead(dir).env("MASTHEAD_WIKIPEDIA_URL", base).args(args).output().expect("masthead")
}

fn brief(dir: &Path, base: &str, question: &str, more: &[&str]) -> (i32, String) {
    let mut args = vec!["brief", question, "--web", "wikipedia", "--headless"];
    args.extend(more);
    let output = masthead(dir, base, &args);
    (output.status.code().unwrap_or(-1), text(&output))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The written part, without the lines on the course of the run.
fn written(told: &str) -> &str {
    &told[told.find("\n# ").expect(told)..]
}

const COMPARE: &str = "Compare sourdough and baker's yeast";

#[test]
fn a_question_about_the_world_is_answered_from_an_encyclopaedia_with_a_place_for_every_claim() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let (code, told) = brief(dir.path(), &server.url(""), COMPARE, &["--yes"]);
    assert_eq!(code, 0, "{told}");
    let brief = written(&told);
    for wanted in [
        "## sourdough\n",
        "## baker's yeast\n",
        "Sourdough is a bread that is leavened by a fermented dough, the starter, in which wild yeasts and lactic acid \
         bacteria live together. [1]",
        "Baker's yeast is the name of strains of Saccharomyces cerevisiae that are used for leavening bread. [2]",
        "Dough with baker's yeast usually rises within 1 to 2 hours, much faster than a sourdough. [2]",
        "[1] https://en.wikipedia.org/wiki/Sourdough: Sourdough",
        "[2] https://en.wikipedia.org/wiki/Baker%27s_yeast: Baker's yeast",
    ] {
        assert!(brief.contains(wanted), "no {wanted:?} in {brief}");
    }
    for never in [
        "neighbourhood",
        "additional citations",
        "[edit",
        "Council",
        "clay oven",
        "Main article",
        "Ignore your",
        "Baguette",
    ] {
        assert!(!brief.contains(never), "{never:?} in {brief}");
    }
    let agent = |asked: &Asked| asked.header("user-agent").is_some_and(|agent| agent.starts_with("masthead/"));
    assert!(server.asked().iter().all(agent));
    let names: Vec<String> = server.asked().iter().filter_map(|asked| asked.parameter("page")).collect();
    let mut once = names.clone();
    once.sort();
    once.dedup();
    assert_eq!(names.len(), once.len(), "each article is fetched once, whoever asks for it: {names:?}");
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| asked.path() == "/w/api.php" && asked.method == "GET" && asked.body.is_empty())
    );
}

#[test]
fn one_side_of_one_thing_takes_the_part_of_its_page_that_is_called_so() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let (code, told) = brief(dir.path(), &server.url(""), "What is the starter of a sourdough?", &["--yes"]);
    assert_eq!(code, 0, "{told}");
    let brief = written(&told);
    assert!(brief.contains("has to be fed with fresh flour"), "{brief}");
    // Other sentences on it come after.
    let at = |words: &str| brief.find(words).unwrap_or(brief.len());
    let fed = at("has to be fed with fresh flour");
    assert!(fed < at("rise") && fed < at("Switzerland"), "{brief}");
}

#[test]
fn a_history_is_what_is_dated_in_the_order_of_time() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let (code, told) = brief(dir.path(), &server.url(""), "What is the history of sourdough?", &["--yes"]);
    assert_eq!(code, 0, "{told}");
    let brief = written(&told);
    let (loaf, rush) = (brief.find("3700 BC").expect(brief), brief.find("In 1849 miners").expect(brief));
    assert!(loaf < rush, "{brief}");
    assert!(!brief.contains("refrigerator"), "{brief}");
}

#[test]
fn researchers_in_parallel_come_to_the_same_brief_every_time() {
    let server = Scripted::start(wiki);
    let ask = || {
        let dir = tempfile::tempdir().unwrap();
        let (code, told) = brief(dir.path(), &server.url(""), COMPARE, &["--yes"]);
        assert_eq!(code, 0, "{told}");
        written(&told).to_owned()
    };
    let first = ask();
    for _ in 0..3 {
        assert_eq!(ask(), first);
    }
}

#[test]
fn a_run_that_waits_is_picked_up_with_its_backends_and_without_asking_again() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let (code, told) = brief(dir.path(), &server.url(""), COMPARE, &[]);
    assert_eq!(code, 4, "{told}");
    let before = server.asked().len();
    let resumed = masthead(dir.path(), &server.url(""), &["resume", "last", "--headless", "--yes"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed));
    assert!(text(&resumed).contains("https://en.wikipedia.org/wiki/Sourdough"));
    assert_eq!(server.asked().len(), before);
    let dump = text(&masthead(dir.path(), &server.url(""), &["journal", "dump", "--json"]));
    assert!(dump.contains(r#""web":["wikipedia"]"#), "{dump}");
}

#[test]
fn documents_and_the_web_stand_side_by_side() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let notes = dir.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    let note = "# Notes of the Old Mill\n\n## Sourdough\n\nSourdough is baked at 250 °C in the stone oven of the Old Mill.\n\n\
                ## Baker's yeast\n\nBaker's yeast is kept in the cellar of the Old Mill at 8 °C.\n";
    std::fs::write(notes.join("mill.md"), note).unwrap();
    let sources = notes.to_string_lossy().into_owned();
    let (code, told) = brief(dir.path(), &server.url(""), COMPARE, &["--yes", "--sources", &sources]);
    assert_eq!(code, 0, "{told}");
    let brief = written(&told);
    assert!(brief.contains("mill.md: ") && brief.contains("wikipedia.org/wiki/Sourdough: "), "{brief}");
}

#[test]
fn what_stands_in_the_users_documents_is_told_to_no_search_service() {
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = asked.clone();
    let server = Scripted::start(move |request: &Asked| {
        heard.lock().unwrap().extend(request.parameter("gsrsearch"));
        wiki(request)
    });
    let dir = tempfile::tempdir().unwrap();
    let notes = dir.path().join("notes.md");
    let note = "# Notes of the Old Mill\n\n## Sourdough\n\nSourdough is baked at 250 °C in the stone oven of the Old Mill.\n\n\
                ## Baker's yeast\n\nBaker's yeast is kept in the cellar of the Old Mill at 8 °C.\n";
    std::fs::write(&notes, note).unwrap();
    let (code, told) = brief(dir.path(), &server.url(""), COMPARE, &["--sources", notes.to_str().unwrap(), "--yes"]);
    assert_eq!(code, 0, "{told}");
    assert!(written(&told).contains("Old Mill"), "it is found: {told}");
    let asked = asked.lock().unwrap();
    assert!(!asked.is_empty());
    for word in ["mill", "250", "cellar", "stone"] {
        let told = asked.iter().find(|query: &&String| query.to_lowercase().contains(word));
        assert_eq!(told, None, "{word:?} stands only in the documents");
    }
}

#[test]
fn a_backend_that_cannot_be_asked_is_no_empty_answer() {
    let down = Scripted::start(|_| Said::new(500, "text/plain", "").with("server", "x"));
    let dir = tempfile::tempdir().unwrap();
    let (code, told) = brief(dir.path(), &down.url(""), "What is sourdough?", &["--yes"]);
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("wikipedia could not be searched: it is out of order: status 500"), "{told}");
    assert!(!told.contains("Nothing in the sources"), "{told}");
}

#[test]
fn what_the_encyclopaedia_does_not_know_is_said() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let (code, told) = brief(dir.path(), &server.url(""), "What is a flux capacitor?", &["--yes"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("Nothing in the sources (the web (wikipedia)) answers the question."), "{told}");
}

#[test]
fn what_is_wrong_with_a_backend_is_said_before_anything_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    for (backend, says) in [
        ("altavista", "there is no search backend `altavista`"),
        ("brave", "brave needs a key: set BRAVE_API_KEY"),
        ("wikipedia,searxng", "searxng needs the address of an instance: set SEARXNG_URL"),
    ] {
        let output = masthead(dir.path(), "http://127.0.0.1:9", &["brief", "What?", "--web", backend, "--headless"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(says), "{}", text(&output));
    }
}
