//! The web against servers that say what they are told to.

mod fetching;
mod searching;

use kit::server::Said;
use reqwest::Url;

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
