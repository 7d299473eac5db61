//! Pages, fetched: the requests to a site, and the content that is not taken from it.

use std::io::Write;
use std::process::{Command, Stdio};

use super::super::fetch::{self, FetchError, Fetcher};
use super::super::{Arc, address};
use super::{html, missing, moved, run, url};
use kit::server::{Said, Scripted};

fn fetch(address: &str) -> Result<fetch::Fetched, FetchError> {
    run(Fetcher::on_loopback().fetch(&url(address)))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip").arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let packed = child.wait_with_output().unwrap().stdout;
    writer.join().unwrap().unwrap();
    packed
}

#[test]
fn a_page_is_fetched_as_an_honest_reader_does() {
    let server = Scripted::start(|asked| match asked.path() {
        "/page" => html("<p>Text."),
        _ => missing(),
    });
    let fetched = fetch(&server.url("/page")).unwrap();
    assert_eq!(fetched.body, b"<p>Text.");
    let asked = server.asked();
    assert_eq!(asked.iter().map(|asked| asked.path().to_owned()).collect::<Vec<_>>(), ["/robots.txt", "/page"]);
    for asked in asked {
        let agent = concat!("masthead/", env!("CARGO_PKG_VERSION"));
        assert_eq!(asked.header("user-agent").unwrap(), agent, "it names no address that is not there");
        assert_eq!(
            (asked.header("cookie"), asked.header("referer"), asked.header("authorization")),
            (None, None, None)
        );
    }
}

#[test]
fn robots_txt_is_obeyed_and_asked_for_once() {
    let server = Scripted::start(|asked| match asked.path() {
        "/robots.txt" => Said::new(200, "text/plain", "User-agent: *\nDisallow: /private"),
        _ => html("<p>x"),
    });
    let fetcher = Fetcher::on_loopback();
    let get = |path: &str| run(fetcher.fetch(&url(&server.url(path))));
    assert!(matches!(get("/private/x"), Err(FetchError::Robots)));
    assert!(get("/open").is_ok());
    assert!(matches!(get("/private/y"), Err(FetchError::Robots)));
    assert_eq!(server.asked().len(), 2, "robots.txt and the open page");
}

#[test]
fn a_site_whose_robots_txt_fails_is_left_alone() {
    let server = Scripted::start(|asked| match asked.path() {
        "/robots.txt" => Said::new(500, "text/plain", ""),
        _ => html("<p>x"),
    });
    assert!(matches!(fetch(&server.url("/page")), Err(FetchError::Robots)));
}

#[test]
fn a_site_whose_robots_txt_failed_is_asked_again_later() {
    let times = std::sync::atomic::AtomicUsize::new(0);
    let server = Scripted::start(move |asked| match asked.path() {
        "/robots.txt" if times.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => {
            Said::new(503, "text/plain", "")
        }
        "/robots.txt" => missing(),
        _ => html("<p>x"),
    });
    let fetcher = Fetcher::on_loopback();
    let get = || run(fetcher.fetch(&url(&server.url("/page"))));
    assert!(matches!(get(), Err(FetchError::Robots)));
    assert!(get().is_ok());
}

#[test]
fn a_site_that_cannot_be_reached_is_said_to_be_so_and_not_to_forbid_its_pages() {
    // Its port is free once more.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let why = fetch(&format!("http://{address}/page")).unwrap_err().to_string();
    assert!(why.to_lowercase().contains("refused"), "{why}");
    let server = Scripted::start(|_| moved("http://10.0.0.1/", 302));
    let why = fetch(&server.url("/page")).unwrap_err().to_string();
    assert!(why.contains("address is not a public one"), "{why}");
}

#[test]
fn redirects_are_followed_as_far_as_every_hop_is_allowed() {
    let server = Scripted::start(|asked| match asked.path() {
        "/a" => moved("/b", 301),
        "/b" => moved("c?x#part", 308),
        "/c" => html("<p>here"),
        "/round" => moved("/round", 302),
        "/inside" => moved("http://10.0.0.1/", 302),
        "/metadata" => moved("http://169.254.169.254/latest/", 307),
        "/file" => moved("file:///etc/passwd", 302),
        "/nowhere" => Said::new(302, "text/html", ""),
        "/forbidden" => moved("/private", 302),
        "/robots.txt" => Said::new(200, "text/plain", "User-agent: *\nDisallow: /private"),
        _ => missing(),
    });
    let fetched = fetch(&server.url("/a")).unwrap();
    assert_eq!(fetched.url.as_str(), server.url("/c?x"));
    for (path, refused) in [
        ("/round", "more than 5 times"),
        ("/inside", "address is not a public one"),
        ("/metadata", "address is not a public one"),
        ("/file", "only http and https"),
        ("/nowhere", "no reader may follow"),
        ("/forbidden", "robots.txt"),
    ] {
        let why = fetch(&server.url(path)).unwrap_err().to_string();
        assert!(why.contains(refused), "{path}: {why}");
    }
}

#[test]
fn the_public_fetcher_reaches_nothing_on_this_machine() {
    let server = Scripted::start(|_| html("<p>secret"));
    let fetcher = Fetcher::new(Arc::default()).unwrap();
    let why = |address: String| run(fetcher.fetch(&url(&address))).unwrap_err().to_string();
    let port = server.url("").rsplit(':').next().unwrap().to_owned();
    for address in [server.url("/x"), format!("http://localhost:{port}/"), "http://[::1]/".into(), "http://0/".into()] {
        assert!(why(address).starts_with("it is not fetched"));
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_name_that_leads_inside_is_refused_when_it_is_resolved() {
    use reqwest::dns::Resolve;
    for (reach, name, fine) in
        [(address::Reach::Public, "localhost", false), (address::Reach::Loopback, "localhost", true)]
    {
        let resolved = run(async { address::CheckedResolver(reach).resolve(name.parse().unwrap()).await.is_ok() });
        assert_eq!(resolved, fine);
    }
}

#[test]
fn what_is_no_document_is_refused_by_its_type() {
    let server = Scripted::start(|asked| match asked.path() {
        "/robots.txt" => missing(),
        "/none" => Said { status: 200, body: b"<p>x".to_vec(), ..Said::default() },
        path => Said::new(200, &path[1..].replace('_', "/"), "x"),
    });
    for (path, fine) in [
        ("/text_html", true),
        ("/application_xhtml+xml", true),
        ("/text_plain", true),
        ("/text_markdown", true),
        ("/application_pdf", true),
        ("/image_png", false),
        ("/application_octet-stream", false),
        ("/application_json", false),
        ("/none", false),
    ] {
        assert_eq!(fetch(&server.url(path)).is_ok(), fine, "{path}");
    }
}

#[test]
fn a_page_in_another_encoding_is_read_in_it() {
    let server = Scripted::start(|asked| match asked.path() {
        "/robots.txt" => missing(),
        _ => Said::new(200, "text/html; charset=\"ISO-8859-2\"", b"<p>Wis\xb3a".to_vec()),
    });
    assert_eq!(fetch(&server.url("/")).unwrap().body, "<p>Wis\u{142}a".as_bytes());
}

#[test]
fn a_small_answer_that_unpacks_into_a_large_one_is_stopped() {
    let (bomb, fine) = (gzip(&vec![b'x'; 64 << 20]), gzip(b"<p>packed"));
    assert!(bomb.len() < 1 << 20);
    let server = Scripted::start(move |asked| match asked.path() {
        "/bomb" => Said::new(200, "text/html", bomb.clone()).with("content-encoding", "gzip"),
        "/fine" => Said::new(200, "text/html", fine.clone()).with("content-encoding", "gzip"),
        "/large" => Said::new(200, "text/plain", vec![b'x'; fetch::MOST_BYTES + 1]),
        "/robots.txt" => Said::new(200, "text/plain", gzip(&vec![b'#'; 8 << 20])).with("content-encoding", "gzip"),
        _ => missing(),
    });
    assert!(matches!(fetch(&server.url("/bomb")), Err(FetchError::TooLarge)));
    assert!(matches!(fetch(&server.url("/large")), Err(FetchError::TooLarge)));
    assert_eq!(fetch(&server.url("/fine")).unwrap().body, b"<p>packed");
}

#[test]
fn a_host_that_asks_for_a_moment_gets_it_and_one_that_asks_for_an_hour_is_left() {
    let server = Scripted::start({
        let asked_before = std::sync::atomic::AtomicBool::new(false);
        move |asked| match asked.path() {
            "/robots.txt" => missing(),
            "/moment" if !asked_before.swap(true, std::sync::atomic::Ordering::SeqCst) => {
                Said::new(429, "text/plain", "").with("retry-after", "0")
            }
            "/hour" => Said::new(503, "text/plain", "").with("retry-after", "3600"),
            _ => html("<p>x"),
        }
    });
    assert!(fetch(&server.url("/moment")).is_ok());
    assert!(matches!(fetch(&server.url("/hour")), Err(FetchError::Status(503))));
    assert_eq!(server.asked().iter().filter(|asked| asked.path() == "/hour").count(), 1);
}
