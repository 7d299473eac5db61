//! The web against servers that say what they are told to.

mod fetching;
#[path = "../../../tests/scripted/mod.rs"]
mod scripted;
mod searching;

use reqwest::Url;

use scripted::Said;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn html(body: &str) -> Said {
    Said::new(200, "text/html; charset=utf-8", body)
}

fn missing() -> Said {
    Said::new(404, "text/plain", "not there")
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

/// A redirect.
fn moved(location: &str, status: u16) -> Said {
    Said::new(status, "text/html", "").with("location", location)
}
