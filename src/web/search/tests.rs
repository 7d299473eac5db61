//! The requests to each backend, and the meaning of its answers.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName};

use super::*;

fn settings(name: &str) -> Option<String> {
    match name {
        "SEARXNG_URL" => Some("http://127.0.0.1:8888/searx".into()),
        "CROSSREF_MAILTO" => Some("me@example.org".into()),
        name if name.ends_with("_KEY") => Some("the-key".into()),
        _ => None,
    }
}

fn get(name: &str) -> Backend {
    backend(name, &settings).unwrap()
}

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let header = |(name, value): &(&str, &str)| {
        (name.parse::<HeaderName>().unwrap(), value.parse::<reqwest::header::HeaderValue>().unwrap())
    };
    Answer { status, headers: headers.iter().map(header).collect::<HeaderMap>(), body: body.into() }
}

fn trouble(name: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Trouble {
    get(name).found(&answer(status, headers, body)).unwrap_err()
}

fn found(name: &str, body: &str) -> Vec<(String, String, String)> {
    let found = get(name).found(&answer(200, &[], body)).unwrap();
    found.into_iter().map(|f| (f.url.to_string(), f.title.to_string(), f.text.to_string())).collect()
}

fn row(url: &str, title: &str, text: &str) -> (String, String, String) {
    (url.into(), title.into(), text.into())
}

#[test]
fn each_backend_is_asked_in_its_own_way() {
    for (name, url) in [
        (
            "wikipedia",
            "https://en.wikipedia.org/w/api.php?action=query&generator=search&gsrsearch=wild+yeast&gsrlimit=5&gsrnamespace=0&prop=extracts%7Cinfo%7Cpageprops&ppprop=disambiguation&exintro=1&explaintext=1&exlimit=max&inprop=url&format=json&formatversion=2",
        ),
        ("searxng", "http://127.0.0.1:8888/searx/search?q=wild+yeast&format=json"),
        ("brave", "https://api.search.brave.com/res/v1/web/search?q=wild+yeast&count=8&result_filter=web"),
        ("tavily", "https://api.tavily.com/search"),
        ("exa", "https://api.exa.ai/search"),
        ("arxiv", "https://export.arxiv.org/api/query?search_query=all%3Awild+AND+all%3Ayeast&start=0&max_results=8"),
        (
            "crossref",
            "https://api.crossref.org/works?query=wild+yeast&rows=8&filter=has-abstract%3Atrue&select=DOI%2Ctitle%2Cabstract&mailto=me%40example.org",
        ),
        (
            "openalex",
            "https://api.openalex.org/works?search=wild+yeast&filter=has_abstract%3Atrue&per_page=8&select=id%2Cdisplay_name%2Cabstract_inverted_index&api_key=the-key",
        ),
    ] {
        let requests = get(name).requests("What is the wild yeast?");
        assert_eq!(requests[0].url.as_str(), url, "{name}");
        let header = |wanted: &str| requests[0].headers.get(wanted);
        match name {
            "brave" => assert_eq!(header("x-subscription-token").unwrap(), "the-key"),
            "tavily" => assert_eq!(header("authorization").unwrap(), "Bearer the-key"),
            "exa" => assert_eq!(header("x-api-key").unwrap(), "the-key"),
            _ => assert!(requests[0].headers.is_empty()),
        }
        assert_eq!(requests[0].body.is_some(), matches!(name, "tavily" | "exa"));
    }
    assert_eq!(get("wikipedia:de").requests("x")[0].url.host_str(), Some("de.wikipedia.org"));
}

#[test]
fn answers_are_read_whatever_their_shape() {
    let wiki = r#"{"batchcomplete":true,"query":{"pages":[
        {"pageid":2,"ns":0,"title":"Second","index":2,"extract":"","fullurl":"https://en.wikipedia.org/wiki/Second"},
        {"pageid":1,"ns":0,"title":"First","index":1,"extract":"First is\nfirst.","fullurl":"https://en.wikipedia.org/wiki/First","new":{"field":1}}]}}"#;
    let first = row("https://en.wikipedia.org/wiki/First", "First", "First is first.");
    assert_eq!(found("wikipedia", wiki), [first, row("https://en.wikipedia.org/wiki/Second", "Second", "")]);
    assert!(found("wikipedia", r#"{"batchcomplete":true}"#).is_empty());

    let searx = r#"{"query":"q","number_of_results":0,"results":[
        {"url":"https://a.example/","title":"A &amp; B","content":null,"engine":"x","score":1.0},
        {"url":"javascript:alert(1)","title":"no","content":"no"},
        {"url":"https://b.example/","title":"B","content":"<b>said</b>"}],
        "answers":[{"answer":"x"}],"unresponsive_engines":[["brave","timeout"]]}"#;
    assert_eq!(
        found("searxng", searx),
        [row("https://a.example/", "A & B", ""), row("https://b.example/", "B", "said")]
    );
    assert!(found("searxng", r#"{"results":[],"answers":["x"],"unresponsive_engines":[]}"#).is_empty());

    let brave = r#"{"type":"search","web":{"results":[{"url":"https://a.example/","title":"A","description":"<strong>one</strong> two","age":"x","extra_snippets":["three"]}]}}"#;
    assert_eq!(found("brave", brave), [row("https://a.example/", "A", "one two three")]);
    assert!(found("brave", r#"{"type":"search"}"#).is_empty());

    let tavily = r#"{"query":"q","answer":null,"results":[{"url":"https://a.example/","title":"A","content":"said","score":0.9,"raw_content":null}],"response_time":1.2}"#;
    assert_eq!(found("tavily", tavily), [row("https://a.example/", "A", "said")]);

    let exa = r#"{"requestId":"x","results":[{"id":"1","url":"https://a.example/","title":null,"highlights":["one.","two."],"score":0.1},{"id":"2","url":"https://b.example/","title":"B","text":"all"}],"costDollars":{"total":0.005}}"#;
    assert_eq!(found("exa", exa), [row("https://a.example/", "", "one. two."), row("https://b.example/", "B", "all")]);

    let arxiv = r#"<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>arXiv Query</title>
        <opensearch:totalResults>1</opensearch:totalResults>
        <entry><id>http://arxiv.org/abs/2401.00001v2</id><title>On
        Yeast</title><summary>  We show that $a &lt; b$.
        </summary><author><name>A. Author</name></author><link title="pdf" href="x"/></entry></feed>"#;
    assert_eq!(found("arxiv", arxiv), [row("https://arxiv.org/abs/2401.00001v2", "On Yeast", "We show that $a < b$.")]);

    let crossref = r#"{"status":"ok","message":{"total-results":2,"items":[
        {"DOI":"10.1000/x","title":["On <i>Yeast</i>"],"abstract":"<jats:title>Abstract</jats:title><jats:p>We show H<jats:sub>2</jats:sub>O.</jats:p>"},
        {"DOI":"10.1000/y","title":[]}]}}"#;
    assert_eq!(found("crossref", crossref), [row("https://doi.org/10.1000/x", "On Yeast", "We show H2O.")]);

    let openalex = r#"{"meta":{"count":1},"results":[{"id":"https://openalex.org/W1","display_name":"Yeast","abstract_inverted_index":{"yeast":[1,3],"Wild":[0],"is":[2]}},{"id":"https://openalex.org/W2","display_name":"No","abstract_inverted_index":null}]}"#;
    assert_eq!(found("openalex", openalex), [row("https://openalex.org/W1", "Yeast", "Wild yeast is yeast")]);
}

#[test]
fn a_result_that_cannot_be_read_costs_itself_alone() {
    let good = r#""url":"https://a.example/","title":"A","description":"said","content":"said","highlights":["said"]"#;
    let results = |more: &str| format!(r#"{{"results":[{{{good}}},{more}]}}"#);
    for odd in [r#"{"url":null,"title":"B","content":"x"}"#, "null", r#"{"url":"https://b.example/","title":7}"#] {
        for name in ["searxng", "brave", "tavily", "exa"] {
            let body = results(odd);
            let body = if name == "brave" { format!(r#"{{"web":{body}}}"#) } else { body };
            assert_eq!(found(name, &body), [row("https://a.example/", "A", "said")], "{name} {odd}");
        }
    }
    let untitled = r#"{"url":"https://b.example/","title":null,"description":null,"content":null,"extra_snippets":null,"highlights":null}"#;
    for name in ["searxng", "brave", "tavily", "exa"] {
        let body = results(untitled);
        let body = if name == "brave" { format!(r#"{{"web":{body}}}"#) } else { body };
        assert_eq!(found(name, &body)[1], row("https://b.example/", "", ""), "{name}");
        assert_eq!(
            trouble(name, 200, &[], &body.replace("https:", "").replace("\"url\"", "\"link\"")),
            Trouble::NotItsFormat
        );
    }
    let crossref = r#"{"message":{"items":[{"DOI":null},{"DOI":"10.1/x","title":null,"abstract":"We show it."}]}}"#;
    assert_eq!(found("crossref", crossref), [row("https://doi.org/10.1/x", "", "We show it.")]);
    let openalex =
        r#"{"results":[{"id":null},{"id":"https://openalex.org/W1","abstract_inverted_index":{"Yeast":[0]}}]}"#;
    assert_eq!(found("openalex", openalex), [row("https://openalex.org/W1", "", "Yeast")]);
    let wiki = r#"{"query":{"pages":[{"title":null},{"title":"A","extract":null,"fullurl":"https://en.wikipedia.org/wiki/A"}]}}"#;
    assert_eq!(found("wikipedia", wiki), [row("https://en.wikipedia.org/wiki/A", "A", "")]);
}

#[test]
fn trouble_is_told_apart_and_never_taken_for_nothing_found() {
    let seconds = |n| Some(Duration::from_secs(n));
    let key = |name| Trouble::Key(401, name);
    for (name, status, headers, body, wanted) in [
        (
            "wikipedia",
            200,
            vec![("retry-after", "5")],
            r#"{"error":{"code":"ratelimited","info":"x"}}"#,
            Trouble::Limit(seconds(5)),
        ),
        (
            "wikipedia",
            200,
            vec![("retry-after", "7")],
            r#"{"error":{"code":"maxlag","info":"x","lag":9}}"#,
            Trouble::Limit(seconds(7)),
        ),
        (
            "wikipedia",
            200,
            vec![],
            r#"{"error":{"code":"internal_api_error_DB","info":"down"}}"#,
            Trouble::Upstream("down".into()),
        ),
        (
            "wikipedia",
            200,
            vec![],
            r#"{"error":{"code":"badvalue","info":"no"}}"#,
            Trouble::Refused(200, "badvalue: no".into()),
        ),
        ("wikipedia", 429, vec![], "", Trouble::Limit(None)),
        ("wikipedia", 403, vec![], "set a user agent", Trouble::Refused(403, "set a user agent".into())),
        ("wikipedia", 200, vec![], "<html>captive portal</html>", Trouble::NotItsFormat),
        ("wikipedia", 302, vec![("location", "https://x.example")], "", Trouble::Moved(302)),
        ("wikipedia", 503, vec![], "", Trouble::Upstream("status 503".into())),
        ("searxng", 403, vec![], "<h1>Forbidden</h1>", Trouble::JsonDisabled),
        ("searxng", 429, vec![], "", Trouble::Limit(None)),
        (
            "searxng",
            200,
            vec![],
            r#"{"results":[],"unresponsive_engines":[["brave","timeout"],["google","CAPTCHA"]]}"#,
            Trouble::Upstream("its engines do not answer (brave: timeout, google: CAPTCHA)".into()),
        ),
        ("brave", 401, vec![], "{}", key("BRAVE_API_KEY")),
        ("brave", 429, vec![("x-ratelimit-reset", "1, 1419704")], "{}", Trouble::Limit(seconds(1))),
        ("brave", 422, vec![], r#"{"error":"q"}"#, Trouble::Refused(422, r#"{"error":"q"}"#.into())),
        ("tavily", 401, vec![], "{}", key("TAVILY_API_KEY")),
        ("tavily", 432, vec![], "{}", Trouble::Spent(432)),
        ("tavily", 433, vec![], "{}", Trouble::Spent(433)),
        ("tavily", 429, vec![("retry-after", "2")], "{}", Trouble::Limit(seconds(2))),
        ("exa", 401, vec![], "{}", key("EXA_API_KEY")),
        ("exa", 402, vec![], "{}", Trouble::Spent(402)),
        ("arxiv", 503, vec![("retry-after", "3")], "", Trouble::Upstream("status 503".into())),
        (
            "arxiv",
            400,
            vec![],
            "<feed><entry><id>x</id><title>Error</title><summary>malformed query</summary></entry></feed>",
            Trouble::Refused(400, "malformed query".into()),
        ),
        ("arxiv", 200, vec![], "Rate exceeded.", Trouble::NotItsFormat),
        ("crossref", 429, vec![], "", Trouble::Limit(None)),
        ("openalex", 401, vec![], "{}", key("OPENALEX_API_KEY")),
        ("openalex", 403, vec![], "{}", Trouble::Limit(None)),
        ("openalex", 200, vec![], "[]", Trouble::NotItsFormat),
    ] {
        let got = trouble(name, status, &headers, body);
        assert_eq!(got, wanted, "{name} {status} {body}");
        assert!(!got.to_string().contains("the-key"));
    }
    assert!(Trouble::JsonDisabled.to_string().contains("formats: [html, json]"));
    assert_eq!(
        Trouble::Limit(seconds(5)).to_string(),
        "it has a limit on requests, and it is reached; it asks to wait 5 s"
    );
}

#[test]
fn a_setting_that_is_missing_or_wrong_is_named() {
    let none = |_: &str| None;
    for (name, says) in [
        ("brave", "brave needs a key: set BRAVE_API_KEY"),
        ("tavily", "tavily needs a key: set TAVILY_API_KEY"),
        ("exa", "exa needs a key: set EXA_API_KEY"),
        ("openalex", "openalex needs a key: set OPENALEX_API_KEY"),
        ("searxng", "searxng needs the address of an instance: set SEARXNG_URL"),
        ("altavista", "there is no search backend `altavista`. There are: wikipedia, searxng"),
        ("wikipedia:", "there is no search backend"),
        ("wikipedia:../x", "there is no search backend"),
        ("brave:de", "takes nothing after a colon"),
    ] {
        let why = backend(name, &none).err().unwrap().to_string();
        assert!(why.contains(says), "{name}: {why}");
    }
    for name in ["wikipedia", "wikipedia:simple", "arxiv", "crossref"] {
        assert!(backend(name, &none).is_ok(), "{name} needs nothing");
    }
    let of = |variable: &'static str, value: &'static str| {
        move |name: &str| match name {
            name if name == variable => Some(value.to_owned()),
            "BRAVE_API_KEY" if variable == "BRAVE_SEARCH_API_KEY" => None,
            name => settings(name),
        }
    };
    for (name, variable, value, says) in [
        ("brave", "MASTHEAD_BRAVE_URL", "http://proxy.example", "unencrypted"),
        ("brave", "MASTHEAD_BRAVE_URL", "nonsense", "MASTHEAD_BRAVE_URL is no address"),
        ("searxng", "SEARXNG_URL", "ftp://x.example", "SEARXNG_URL is no address"),
        ("tavily", "TAVILY_API_KEY", "  ", "set TAVILY_API_KEY"),
        ("brave", "BRAVE_API_KEY", "BSA\u{2013}1", "the key in BRAVE_API_KEY cannot be used"),
        ("brave", "BRAVE_SEARCH_API_KEY", "BSA 1", "the key in BRAVE_SEARCH_API_KEY cannot be used"),
    ] {
        let why = backend(name, &of(variable, value)).err().unwrap().to_string();
        assert!(why.contains(says), "{name}: {why}");
    }
    assert!(backend("brave", &of("MASTHEAD_BRAVE_URL", "http://127.0.0.1:9/")).is_ok());
    let own = backend("wikipedia:de", &of("MASTHEAD_WIKIPEDIA_URL", "https://{lang}.wiki.example/base")).unwrap();
    assert!(own.requests("x")[0].url.as_str().starts_with("https://de.wiki.example/base/w/api.php?"));
}

#[test]
fn a_wiki_reads_its_own_articles_and_nobody_elses() {
    let wiki = get("wikipedia");
    let page = |url: &str| wiki.page(&Url::parse(url).unwrap());
    let request = page("https://en.wikipedia.org/wiki/Br%C3%B6tchen_(roll)").unwrap();
    let title = request.url.query_pairs().find(|(name, _)| name == "page").unwrap().1.into_owned();
    assert_eq!(title, "Br\u{f6}tchen (roll)");
    for other in
        ["https://de.wikipedia.org/wiki/X", "https://en.wikipedia.org/w/index.php?title=X", "https://x.example/wiki/X"]
    {
        assert!(page(other).is_none(), "{other}");
    }
}
