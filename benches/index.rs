//! The speed at which a collection of 10,000 files and 100 MB is indexed, refreshed and asked.
//!
//! The collection is made up, always the same: words by Zipf's law, a third each of Markdown, HTML and plain text.
//! It is kept in the system's folder for temporary files until it is removed by hand.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use criterion::{Criterion, criterion_group, criterion_main};
use tool::{Library, Readers};

const FILES: usize = 10_000;
const BYTES_A_FILE: usize = 10_000;

/// A generator of numbers that look random and never change.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    /// A word: the lower its number, the commoner it is, as in real text.
    fn word(&mut self) -> String {
        const COMMON: [&str; 12] = ["the", "of", "and", "to", "in", "is", "that", "for", "it", "as", "with", "on"];
        const WORDS: f64 = 60_000.0;
        let number = WORDS.powf(self.roll()) as usize;
        COMMON.get(number - 1).map_or_else(|| name(number), |word| (*word).to_owned())
    }

    fn sentence(&mut self) -> String {
        let mut sentence = self.word();
        for _ in 0..8 + (self.roll() * 14.0) as usize {
            let word = self.word();
            let _ = write!(sentence, " {word}");
        }
        sentence.push('.');
        sentence
    }
}

/// The word of a number: syllables for its digits.
fn name(mut number: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ke", "li", "mo", "nu", "par", "sen", "tis", "vor", "dun", "fa", "gre", "hil", "jo", "rut", "zem"];
    let mut name = String::new();
    while number > 0 {
        name.push_str(SYLLABLES[number % 16]);
        number /= 16;
    }
    name
}

fn document(dice: &mut Dice, kind: usize) -> String {
    let (mut text, title) = (String::new(), dice.sentence());
    let _ = match kind {
        0 => write!(text, "# {title}\n\n"),
        1 => writeln!(text, "<title>{title}</title><main><h1>{title}</h1>"),
        _ => write!(text, "{title}\n{}\n\n", "=".repeat(title.len())),
    };
    while text.len() < BYTES_A_FILE {
        let heading = dice.sentence();
        let paragraphs: Vec<String> =
            (0..4).map(|_| (0..5).map(|_| dice.sentence()).collect::<Vec<_>>().join(" ")).collect();
        let _ = match kind {
            0 => write!(text, "## {heading}\n\n{}\n\n", paragraphs.join("\n\n")),
            1 => write!(text, "<h2>{heading}</h2>\n<p>{}</p>\n", paragraphs.join("</p>\n<p>")),
            _ => write!(text, "{heading}\n{}\n\n{}\n\n", "-".repeat(heading.len()), paragraphs.join("\n\n")),
        };
    }
    text
}

fn collection() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("masthead-bench-{FILES}x{BYTES_A_FILE}"));
    let done = folder.join(".done");
    if done.exists() {
        return folder;
    }
    let past = SystemTime::now() - Duration::from_secs(1_000);
    let mut dice = Dice(42);
    for number in 0..FILES {
        let part = folder.join(format!("part-{:02}", number % 50));
        fs::create_dir_all(&part).expect("the folder for temporary files can be written");
        let path = part.join(format!("{number}.{}", ["md", "html", "txt"][number % 3]));
        fs::write(&path, document(&mut dice, number % 3)).expect("the folder for temporary files can be written");
        let file = fs::File::options().append(true).open(&path).expect("it was just written");
        file.set_modified(past).expect("it is ours");
    }
    fs::write(&done, "").expect("the folder for temporary files can be written");
    folder
}

/// The most memory this process ever had in use, in MiB.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

fn library(sources: &Path, data: &Path) -> Library {
    Library::open(&[sources.to_owned()], data, Readers::of(env!("CARGO_BIN_EXE_masthead").into()))
        .expect("the collection is there")
}

fn index(criterion: &mut Criterion) {
    let sources = collection();
    let data = tempfile::tempdir().expect("the folder for temporary files can be written");
    let mut group = criterion.benchmark_group("index");
    group.sample_size(10);
    group.bench_function("10,000 files, 100 MB, from nothing", |bencher| {
        bencher.iter(|| {
            let _ = fs::remove_dir_all(data.path().join("index"));
            library(&sources, data.path()).survey(|_| {}).expect("it is indexed")
        });
    });
    if let Some(memory) = peak_memory() {
        println!("most memory in use so far: {memory} MiB");
    }
    group.bench_function("the same, unchanged", |bencher| {
        bencher.iter(|| library(&sources, data.path()).survey(|_| {}).expect("it is indexed"));
    });
    group.finish();

    let library = library(&sources, data.path());
    let corpus = library.survey(|_| {}).expect("it is indexed");
    println!("{} documents, {} blocks, {} bytes of text", corpus.documents, corpus.blocks, corpus.bytes);
    let mut group = criterion.benchmark_group("search");
    for (what, words) in [
        ("two rare words", vec![40_001, 50_003]),
        ("a rare and three common words", vec![20_011, 300, 90, 20]),
        ("six words", vec![900, 2_000, 150, 7_000, 60, 30_000]),
        ("one very common word", vec![14]),
    ] {
        let query: Vec<String> = words.into_iter().map(name).collect();
        let query = query.join(" ").into();
        group.bench_function(what, |bencher| bencher.iter(|| black_box(library.search(&query, 20).expect("hits"))));
    }
    group.finish();
    if let Some(memory) = peak_memory() {
        println!("most memory in use: {memory} MiB");
    }
}

criterion_group!(benches, index);
criterion_main!(benches);
