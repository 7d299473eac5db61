//! Searches: backends asked, pages read, passages ranked.

use super::super::page;
use super::super::*;
use super::{html, missing, moved, run, url};
use kit::server::{Asked, Said, Scripted};
use run::evidence::BlockKind;

/// A web of one SearXNG that names pages on the same server.
struct Small {
    web: Arc<Web>,
    dir: tempfile::TempDir,
}

fn small(server: &Scripted, backends: &[&str]) -> Small {
    let dir = tempfile::tempdir().unwrap();
    Small { web: open(server, backends, dir.path()), dir }
}

fn open(server: &Scripted, backends: &[&str], dir: &Path) -> Arc<Web> {
    let base = server.url("");
    let settings = move |name: &str| match name {
        name if name.ends_with("_URL") => Some(base.clone()),
        name if name.ends_with("_KEY") => Some("the-key".to_owned()),
        _ => None,
    };
    let names: Vec<Clean> = backends.iter().map(|name| Clean::line(name)).collect();
    Arc::new(
        Web::with(
            chosen(&names, &settings).unwrap(),
            dir,
            Readers::in_this_process(),
            Asker::new(Arc::default()),
            Fetcher::on_loopback(),
        )
        .unwrap(),
    )
}

fn search(web: &Arc<Web>, query: &str) -> Hits {
    run(web.search(&query.into(), 10)).unwrap()
}

fn results(of: &[(String, &str)]) -> Said {
    let results: Vec<_> = of
        .iter()
        .map(|(url, content)| serde_json::json!({ "url": url, "title": "A title", "content": content }))
        .collect();
    Said::new(200, "application/json", serde_json::json!({ "results": results }).to_string())
}

const BREAD: &str = "<title>Bread - A site</title><nav><a href=/>Home</a></nav><main><h1>Bread</h1>
    <p>Bread is a food made of flour, water and yeast.<h2>Sourdough</h2><p>Sourdough rises by wild yeast.</main>";

fn bakery() -> Scripted {
    Scripted::start(|asked| {
        let page = |path: &str| format!("http://{}{path}", asked.header("host").unwrap());
        match asked.path() {
            "/search" if asked.parameter("q").unwrap().contains("nothing") => results(&[]),
            "/search" => results(&[
                (page("/bread?utm_source=x"), ""),
                (page("/bread#top"), ""),
                (page("/gone"), "An excerpt says that sourdough keeps for a week in a cool and dry place."),
                (page("/gone/short"), "Too short."),
                ("ftp://elsewhere.example/x".into(), ""),
            ]),
            "/bread" => html(BREAD),
            _ => missing(),
        }
    })
}

#[test]
fn a_search_reads_the_pages_it_is_told_of_and_ranks_their_passages() {
    let server = bakery();
    let small = small(&server, &["searxng"]);
    let hits = search(&small.web, "How does sourdough rise?");
    assert_eq!(hits.hits[0].snippet, "Sourdough rises by wild yeast.");
    assert_eq!(hits.hits[0].source.path, server.url("/bread").as_str());
    assert_eq!(hits.hits[0].source.title, "Bread");
    assert_eq!(hits.hits[0].headings[..], ["Sourdough"]);
    assert!(hits.notes.is_empty());
    let excerpt = hits.hits.iter().find(|hit| hit.source.path.contains("/gone#excerpt-")).expect("the excerpt");
    assert!(excerpt.snippet.starts_with("An excerpt says"));
    assert_eq!(
        server.asked().iter().filter(|asked| asked.path() == "/bread").count(),
        1,
        "one page under two addresses"
    );
    let page = run(small.web.cited(&hits.hits[0].source.id)).unwrap().unwrap();
    let blocks = page.read(0, 60).blocks;
    assert_eq!(blocks[hits.hits[0].block as usize].text, "Sourdough rises by wild yeast.");
    assert_eq!(blocks[0].kind, BlockKind::Paragraph);
    assert_eq!(page.outline().sections.last().unwrap().headings[..], ["Sourdough"]);
}

#[test]
fn a_search_returns_the_same_whatever_was_searched_before() {
    let server = bakery();
    let (fresh, used) = (small(&server, &["searxng"]), small(&server, &["searxng"]));
    search(&used.web, "flour and water");
    search(&used.web, "nothing");
    assert_eq!(search(&used.web, "wild yeast"), search(&fresh.web, "wild yeast"));
}

#[test]
fn a_page_that_was_read_can_be_read_again_by_another_process_without_the_web() {
    let server = bakery();
    let small = small(&server, &["searxng"]);
    let hits = search(&small.web, "sourdough");
    let before = server.asked().len();
    let again = open(&server, &["searxng"], small.dir.path());
    for hit in &hits.hits {
        let page = run(again.cited(&hit.source.id)).unwrap().expect("it is kept");
        assert_eq!(page.source(), &hit.source);
    }
    assert_eq!(server.asked().len(), before);
    assert_eq!(search(&again, "sourdough"), hits, "a fresh page is not fetched again");
    assert_eq!(server.asked().iter().filter(|asked| asked.path() == "/bread").count(), 1);
    assert!(run(again.cited(&SourceId("000000000000".into()))).unwrap().is_none());
}

#[test]
fn a_page_that_could_not_be_read_once_is_tried_again() {
    let is_up = std::sync::atomic::AtomicBool::new(false);
    let server = Scripted::start(move |asked| {
        let page = format!("http://{}/bread", asked.header("host").unwrap());
        match asked.path() {
            "/search" => results(&[(page, "")]),
            "/bread" if !is_up.swap(true, std::sync::atomic::Ordering::Relaxed) => Said::new(500, "text/plain", ""),
            "/bread" => html(BREAD),
            _ => missing(),
        }
    });
    let small = small(&server, &["searxng"]);
    assert!(search(&small.web, "sourdough").hits.is_empty());
    assert!(!search(&small.web, "sourdough").hits.is_empty());
    assert_eq!(server.asked().iter().filter(|asked| asked.path() == "/search").count(), 1);
}

#[test]
fn many_who_ask_the_same_at_once_are_one_request() {
    let server = bakery();
    let small = small(&server, &["searxng"]);
    run(async {
        let mut asking = JoinSet::new();
        for _ in 0..8 {
            let web = small.web.clone();
            asking.spawn(async move { web.search(&"sourdough".into(), 10).await.unwrap() });
        }
        let all = asking.join_all().await;
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    });
    assert_eq!(server.asked().iter().filter(|asked| asked.path() == "/search").count(), 1);
}

#[test]
fn a_backend_that_fails_is_named_and_the_others_are_used() {
    let server = Scripted::start(|asked| match asked.path() {
        "/search" => results(&[(format!("http://{}/bread", asked.header("host").unwrap()), "")]),
        "/bread" => html(BREAD),
        "/res/v1/web/search" => Said::new(401, "application/json", "{}"),
        _ => missing(),
    });
    let small = small(&server, &["brave", "searxng"]);
    for _ in 0..2 {
        let hits = search(&small.web, "sourdough");
        assert!(!hits.hits.is_empty());
        assert_eq!(hits.notes, ["brave could not be searched: it refuses the key (401); check BRAVE_API_KEY"]);
    }
    let asked = server.asked();
    let brave: Vec<&Asked> = asked.iter().filter(|asked| asked.path().starts_with("/res/")).collect();
    assert_eq!(brave.len(), 1, "a key that was refused is not tried again");
    assert_eq!(brave[0].header("x-subscription-token"), Some("the-key"));
    assert!(
        !asked.iter().any(|asked| asked.path() == "/bread" && asked.headers.iter().any(|(_, v)| v.contains("the-key")))
    );
}

#[test]
fn a_backend_that_is_out_of_order_is_left_alone_by_all_who_wait() {
    let server = Scripted::start(|_| Said::new(502, "text/html", "bad gateway"));
    let small = small(&server, &["searxng"]);
    run(async {
        let mut asking = JoinSet::new();
        for n in 0..8 {
            let web = small.web.clone();
            asking.spawn(async move { web.search(&format!("sourdough {n}").as_str().into(), 10).await.unwrap() });
        }
        for hits in asking.join_all().await {
            assert_eq!(hits.notes, ["searxng could not be searched: it is out of order: status 502"]);
        }
    });
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_limit_that_passes_soon_is_waited_for_and_one_that_does_not_is_told() {
    let server = Scripted::start({
        let asked_before = std::sync::atomic::AtomicBool::new(false);
        move |asked| match asked.method.as_str() {
            "POST" => Said::new(429, "application/json", "{}").with("retry-after", "600"),
            _ if !asked_before.swap(true, std::sync::atomic::Ordering::SeqCst) => {
                Said::new(429, "application/json", "{}").with("retry-after", "0")
            }
            _ => results(&[]),
        }
    });
    let small = small(&server, &["searxng", "tavily"]);
    let told = "tavily could not be searched: it has a limit on requests, and it is reached; it asks to wait 600 s";
    assert_eq!(search(&small.web, "sourdough").notes, [told]);
    assert_eq!(search(&small.web, "rye").notes, [told]);
    assert_eq!(server.asked().iter().filter(|asked| asked.method == "POST").count(), 1);
}

#[test]
fn an_answer_from_elsewhere_is_not_followed_with_the_key() {
    let thief = Scripted::start(|_| results(&[]));
    let to = thief.url("/search");
    let server = Scripted::start(move |_| moved(&to, 307));
    let small = small(&server, &["tavily"]);
    let notes = search(&small.web, "sourdough").notes;
    assert_eq!(notes, ["tavily could not be searched: it has moved (307): check its base URL"]);
    assert!(thief.asked().is_empty());
}

#[test]
fn the_first_of_each_backend_come_before_the_second_of_any() {
    let server = Scripted::start(|asked| {
        let page = |n: &str| format!("http://{}/{n}", asked.header("host").unwrap());
        match (asked.method.as_str(), asked.path()) {
            ("GET", "/search") => {
                results(&[(page("s1"), ""), (page("s2"), ""), (page("s3"), ""), (page("s4"), ""), (page("s5"), "")])
            }
            ("POST", "/search") => results(&[(page("t1"), ""), (page("s1"), ""), (page("t2"), "")]),
            (_, "/robots.txt") => missing(),
            (_, path) => html(&format!("<p>Sourdough of page {}.", &path[1..])),
        }
    });
    let small = small(&server, &["searxng", "tavily"]);
    let mut read: Vec<String> = search(&small.web, "sourdough")
        .hits
        .iter()
        .map(|hit| hit.source.path.rsplit('/').next().unwrap().to_owned())
        .collect();
    read.sort();
    assert_eq!(read, ["s1", "s2", "s3", "t1", "t2"]);
}

#[test]
fn articles_of_a_wiki_are_read_through_its_api() {
    let server = Scripted::start(|asked| {
        let action = asked.parameter("action").unwrap_or_default();
        let body = match action.as_str() {
            "query" => serde_json::json!({ "query": { "pages": [
                { "title": "Bread (disambiguation)", "index": 1, "pageprops": { "disambiguation": "" },
                  "fullurl": "https://de.wikipedia.org/wiki/Bread_(disambiguation)" },
                { "title": "Dry bread", "index": 3, "extract": "x", "fullurl": "https://de.wikipedia.org/wiki/Dry_bread" },
                { "title": "Br\u{f6}tchen", "index": 2, "extract": "x",
                  "fullurl": "https://de.wikipedia.org/wiki/Br%C3%B6tchen" },
            ] } }),
            "parse" if asked.parameter("page").unwrap() == "Br\u{f6}tchen" => serde_json::json!({ "parse": {
                "title": "Br\u{f6}tchen", "text": "<div class=\"mw-parser-output\"><div class=\"hatnote\">For x, see y.</div>
                    <p>A <b>roll</b> is a small bread.<sup class=\"reference\">[1]</sup></p><h2>Forms</h2><ul><li>round</li></ul></div>" } }),
            _ => {
                serde_json::json!({ "error": { "code": "missingtitle", "info": "The page you specified doesn't exist." } })
            }
        };
        Said::new(200, "application/json", body.to_string())
    });
    let small = small(&server, &["wikipedia:de"]);
    let hits = search(&small.web, "roll");
    assert_eq!(hits.hits.len(), 1);
    assert_eq!(hits.hits[0].source.path, "https://de.wikipedia.org/wiki/Br%C3%B6tchen");
    assert_eq!(hits.hits[0].source.title, "Br\u{f6}tchen");
    assert_eq!(hits.hits[0].snippet, "A roll is a small bread.");
    assert!(server.asked().iter().all(|asked| asked.path() == "/w/api.php"));
}

#[test]
fn a_pages_markup_and_controls_do_not_come_through() {
    let server = Scripted::start(|asked| match asked.path() {
        "/search" => results(&[(format!("http://{}/evil", asked.header("host").unwrap()), "")]),
        "/evil" => html("<title>Evil\x1b]0;x\x07</title><p>Sourdough \x1b[31mrises\u{202e} slowly\u{200b}."),
        _ => missing(),
    });
    let hits = search(&small(&server, &["searxng"]).web, "sourdough");
    assert_eq!(hits.hits[0].snippet, "Sourdough rises slowly.");
    assert_eq!(hits.hits[0].source.title, "Evil");
}

#[test]
fn the_same_passage_scores_the_same_in_whatever_company() {
    let page = |path: &str, body: &str| {
        let url = url(path);
        let page = page::stored(&url, path, None, Kind::Text(PageFormat::Html), body.into());
        Arc::new(page::document(&page, &Readers::in_this_process()).unwrap())
    };
    let (bread, other) =
        (page("https://a.example/", BREAD), page("https://b.example/", "<p>Wild yeast, yeast, yeast."));
    let score = |pages: &[Arc<Unindexed>]| {
        let hits = index::search(pages, "wild yeast", 10);
        hits.hits.iter().find(|hit| hit.source.path == "https://a.example/").unwrap().score
    };
    assert_eq!(score(std::slice::from_ref(&bread)), score(&[other.clone(), bread.clone()]));
    assert_eq!(index::search(&[other.clone(), bread.clone()], "yeast", 5), index::search(&[bread, other], "yeast", 5));
}
