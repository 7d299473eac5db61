//! Documents that break parsers, through the real program: each costs itself alone, in a folder and on the web.

use std::io::Write;
use std::path::Path;

use kit::run;
use kit::server::{Asked, Said, Scripted};

use crate::masthead;

/// A tag with more attributes than any stack has room for in a tokenizer that calls itself for each.
fn attributes() -> String {
    let attributes: String = (0..100_000).map(|n| format!("a{n}=\"x\" ")).collect();
    format!("<p {attributes}>A heap is what stands below a tag of many attributes.</p>\n")
}

const GOOD: &str = "# Heaps\n\nA heap is a tree that is kept in a list. Pushing onto a heap takes logarithmic time.\n";
const QUESTION: &str = "What is a heap?";

/// An archive with one part.
fn archive(part: &str, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    let file = archive.new_file(part).compression_method(rawzip::CompressionMethod::DEFLATE);
    let (mut entry, config) = file.start().unwrap();
    let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast()));
    writer.write_all(text.as_bytes()).unwrap();
    let (packer, descriptor) = writer.finish().unwrap();
    packer.finish().unwrap();
    entry.finish(descriptor).unwrap();
    archive.finish().unwrap();
    bytes
}

/// Each hostile file with the reason for which it is skipped.
fn hostile(docs: &Path) -> [(&'static str, &'static str); 5] {
    let put = |name: &str, text: String| std::fs::write(docs.join(name), text).unwrap();
    let pack = |name: &str, part: &str, text: &str| std::fs::write(docs.join(name), archive(part, text)).unwrap();
    std::fs::create_dir(docs).unwrap();
    put("good.md", GOOD.to_owned());
    put("attributes.html", format!("<html><body>{}", attributes()));
    put("attributes.md", format!("# Heaps\n\n{}", attributes()));
    let headings: String = (1..=6).map(|level| format!("{} {}\n\n", "#".repeat(level), "heap ".repeat(50))).collect();
    put("headings.md", format!("{headings}{}", "a\n\n".repeat(240_000)));
    pack("attributes.docx", "word/document.xml", &attributes());
    pack("bomb.docx", "word/document.xml", &" ".repeat((64 << 20) + 1));
    let broken = "its parser ran out of memory or of depth";
    [
        ("attributes.html", broken),
        ("attributes.md", broken),
        ("attributes.docx", broken),
        ("bomb.docx", "it holds more text than is read of one file"),
        ("headings.md", "its headings and column names"),
    ]
}

#[test]
fn a_hostile_file_costs_itself_and_the_brief_is_made_from_the_good_one() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    let hostile = hostile(&docs);
    let mut brief = masthead(dir.path());
    brief.args(["brief", QUESTION, "--headless", "--extractive", "--sources"]).arg(&docs);
    let (code, out, err) = run(&mut brief);
    assert_eq!(code, 4, "{out}{err}");
    for (name, why) in hostile {
        // A busy machine may come to the limit of time before it comes to the other one.
        let whys = [why, "not parsed within"];
        let listed = out.lines().any(|line| whys.iter().any(|why| line.contains(&format!("{name}: {why}"))));
        assert!(listed, "no line says that {name} was skipped, because: {why}: {out}");
    }
    let (code, out, err) = run(masthead(dir.path()).args(["resume", "last", "--headless", "--yes"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("A heap is a tree that is kept in a list. [1]"), "{out}");
    assert!(!out.contains("many attributes"), "{out}");
}

#[test]
fn wide_tables_and_deep_nesting_are_read_within_the_limits_of_any_file() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let put = |name: &str, text: String| std::fs::write(docs.join(name), text).unwrap();
    put("good.md", GOOD.to_owned());
    let row = |cell: &str| vec![cell; 50_000].join(",");
    put("columns.csv", format!("{}\n{}\n{}\n", row("column"), row("1"), row("2")));
    put("commas.csv", "a,".repeat(2_000_000));
    put("deep.html", format!("{}heap", "<div>".repeat(200_000)));
    put("deep.rst", (0..3_000).map(|depth| format!("{}* x\n\n", "  ".repeat(depth.min(900)))).collect());
    put("links.md", format!("# Links\n\n{}", "[a](b".repeat(300_000)));
    put("quotes.md", format!("{}heap", "> ".repeat(200_000)));
    let pack = |name: &str, part: &str, text: &str| std::fs::write(docs.join(name), archive(part, text)).unwrap();
    pack("deep.docx", "word/document.xml", &"<w:tbl><w:tr><w:tc><w:p><w:r><w:t>heap".repeat(100_000));
    pack("deep.odt", "content.xml", &format!("<office:body><office:text>{}heap", "<text:list>".repeat(500_000)));
    let column = "<table:table-column table:number-columns-repeated=\"1000000000\"/>".repeat(100_000);
    pack("columns.odt", "content.xml", &format!("<office:body><office:text><table:table>{column}"));
    pack(
        "entities.docx",
        "word/document.xml",
        &format!("<!DOCTYPE x [<!ENTITY a '{}'>]><w:p>&a;", "&b;".repeat(100_000)),
    );
    let mut brief = masthead(dir.path());
    brief.args(["brief", QUESTION, "--headless", "--yes", "--extractive", "--sources"]).arg(&docs);
    let (code, out, err) = run(&mut brief);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("A heap is a tree that is kept in a list. [1]"), "{out}");
}

/// A wiki of two articles, of which the first that is found breaks its reader.
fn wiki(asked: &Asked) -> Said {
    let answer = match asked.parameter("action").as_deref() {
        Some("query") => {
            let page = |(index, title): (usize, &&str)| {
                serde_json::json!({ "title": format!("<i {}>{title}</i>", "a=\"x\" ".repeat(20_000)), "index": index + 1,
                    "extract": "", "fullurl": format!("https://en.wikipedia.org/wiki/{title}") })
            };
            let pages: Vec<_> = ["Attack", "Sourdough"].iter().enumerate().map(page).collect();
            serde_json::json!({ "query": { "pages": pages } })
        }
        _ if asked.parameter("page").is_some_and(|page| page.contains("Sourdough")) => {
            serde_json::json!({ "parse": { "title": "Sourdough", "text": include_str!("wiki/Sourdough.html") } })
        }
        _ => serde_json::json!({ "parse": { "title": "Attack", "text": attributes() } }),
    };
    Said::new(200, "application/json", answer.to_string())
}

#[test]
fn a_fetched_page_that_attacks_its_reader_costs_itself_and_the_other_pages_are_read() {
    let (server, dir) = (Scripted::start(wiki), tempfile::tempdir().unwrap());
    let web = |args: &[&str]| {
        let mut command = masthead(dir.path());
        run(command.env("MASTHEAD_WIKIPEDIA_URL", server.url("")).args(args))
    };
    let (code, out, err) = web(&["brief", "What is sourdough?", "--web", "wikipedia", "--headless", "--extractive"]);
    assert_eq!(code, 4, "{out}{err}");
    let (code, out, err) = web(&["resume", "last", "--headless", "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Sourdough is a bread that is leavened by a fermented dough"), "{out}");
}

/// A run that stands before its research, and the file of its search index.
fn before_research(dir: &Path) -> std::path::PathBuf {
    let docs = dir.join("docs");
    std::fs::create_dir(&docs).unwrap();
    let about: String = (0..200).map(|n| format!("## Part {n}\n\nPart {n} of a heap is a tree too.\n\n")).collect();
    std::fs::write(docs.join("good.md"), GOOD).unwrap();
    std::fs::write(docs.join("parts.md"), format!("# Parts\n\n{about}")).unwrap();
    let mut brief = masthead(dir);
    brief.args(["brief", QUESTION, "--headless", "--check-plan", "--extractive", "--sources"]).arg(&docs);
    let (code, out, err) = run(&mut brief);
    assert_eq!(code, 4, "{out}{err}");
    let mut files = std::fs::read_dir(dir.join("data/index")).unwrap().map(|file| file.unwrap().path());
    files.find(|path| path.extension().is_some_and(|ending| ending == "db")).expect("an index")
}

fn resume(dir: &Path) -> (i32, String, String) {
    run(masthead(dir).args(["resume", "last", "--headless", "--yes"]))
}

#[test]
fn a_search_index_that_fails_stops_the_run_and_once_it_is_well_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let index = before_research(dir.path());
    std::fs::remove_file(&index).unwrap();
    std::fs::create_dir(&index).unwrap();
    let (code, out, err) = resume(dir.path());
    assert_eq!(code, 74, "{out}{err}");
    assert!(err.contains("the search index") && err.contains("cannot be used"), "{err}");
    assert!(err.contains("Nothing is lost"), "{err}");
    std::fs::remove_dir(&index).unwrap();
    let (code, out, err) = resume(dir.path());
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("A heap is a tree that is kept in a list. [1]"), "{out}");
}

#[test]
fn a_damaged_search_index_is_built_again_and_it_is_said_once() {
    let dir = tempfile::tempdir().unwrap();
    let index = before_research(dir.path());
    let mut bytes = std::fs::read(&index).unwrap();
    bytes[4_096..].fill(0xa5);
    std::fs::write(&index, bytes).unwrap();
    let (code, out, err) = resume(dir.path());
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(err.matches("the search index was damaged; it was built again").count(), 1, "{err}");
    assert!(out.contains("A heap is a tree that is kept in a list. [1]"), "{out}");
}
